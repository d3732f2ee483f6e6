/* SPDX-License-Identifier: MIT */
#include "wpp/base/names.h"

#include <stdlib.h>
#include <string.h>

#include "test/unit/tap.h"

#define STRING "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"

static void shortens(const char *name, size_t most, const char *expected)
{
    char out[200];

    name_shorten(name, out, most + 1);
    if (!tap_ok(strcmp(out, expected) == 0, "%zu: %s", most, expected))
        tap_note("is %s", out);
}

static void test_shorter(void)
{
    shortens("f(int)", 10, "f(int)");
    shortens("abcdefghij", 10, "abcdefghij");
    shortens("abcdefghijk", 10, "abcdefg...");
    shortens("", 10, "");
    shortens(STRING "::_M_mutate(unsigned long, unsigned long, char const*, unsigned long)", 80,
             "std::__cxx11::basic_string<...>::_M_mutate(...)");
    shortens(STRING "::size() const", 60, "std::__cxx11::basic_string<...>::size() const");
    shortens(STRING "::_M_mutate(unsigned long)", 36, "...basic_string<...>::_M_mutate(...)");
    shortens(STRING "::_M_mutate(unsigned long)", 20, "..._M_mutate(...)");
    shortens(STRING "::_M_mutate(unsigned long)", 12, "..._M_mut...");
    shortens("std::vector<int, std::allocator<int> >::push_back(int&&)", 50,
             "std::vector<...>::push_back(int&&)");
    shortens("std::vector<shop::Order, std::allocator<shop::Order> >::push_back(shop::Order&&)", 66,
             "std::vector<shop::Order, std::allocator<...> >::push_back(...)");
    shortens("(anonymous namespace)::f(unsigned long, unsigned long)", 40,
             "(anonymous namespace)::f(...)");
    shortens("sorted() const::{lambda(shop::Order const&, shop::Order const&)#2}::operator()(shop::Order"
             " const&, shop::Order const&) const", 60,
             "sorted() const::{lambda(...)#2}::operator()(...) const");
    shortens("bool operator< <int, std::allocator<int> >(std::vector<int> const&)", 40,
             "bool operator< <...>(...)");
    shortens("std::ostream& operator<< <int, std::allocator<int> >(std::vector<int> const&)", 40,
             "std::ostream& operator<< <...>(...)");
    shortens("a<((1)<(2)), (anonymous namespace)::b>::f(std::vector<unsigned long>)", 20,
             "a<...>::f(...)");
    shortens("f<<<<<<<<<<<<<<<<(((((((((<<<<<<<<", 20, "f<<<<<<<<<<<<<<<<...");
    shortens("f>>>>>>>>>>)))))))>>>>>>>>>]]]}}}}", 20, "f>>>>>>>>>>))))))...");
    shortens("gr\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbcn", 8, "gr\xc3\xbc...");
}

static void bares(const char *name, const char *expected)
{
    char out[60];

    name_bare(name, out, sizeof out);
    if (!tap_ok(strcmp(out, expected) == 0, "bare: %s", expected))
        tap_note("is %s", out);
}

static void test_bare(void)
{
    bares("f", "f");
    bares("", "");
    bares("handle_compress.isra.0", "handle_compress");
    bares("heap<int>::below(int, int) const [clone .part.0]", "heap::below");
    bares(STRING "::_M_mutate(unsigned long, char const*)", "std::basic_string::_M_mutate");
    bares("std::__cxx11::to_string[abi:cxx11](int)", "std::to_string");
    bares("int shop::clamp_to<int>(int const&, int const&, int const&)", "shop::clamp_to");
    bares("unsigned long const& f<int>()", "f");
    bares("(anonymous namespace)::f(unsigned long)", "f");
    bares("sorted() const::{lambda(shop::Order const&)#2}::operator()(int) const",
          "sorted::{lambda#2}::operator()");
    bares("std::ostream& operator<< <int>(std::vector<int> const&)", "operator<<");
    bares("C::operator unsigned long() const", "C::operator unsigned long");
    bares("std::map<int, char>::operator[](int&&)", "std::map::operator[]");
    bares("void a<((1)<(2)), (anonymous namespace)::b>::f(std::vector<unsigned long>)", "a::f");
}

/* Random brackets: within the bound, and nothing is longer than it was. */
static void test_random(void)
{
    static const char letters[] = "a<>(){}[]:: -operator";
    bool good = true;

    srandom(1);
    for (int i = 0; i < 20000; i++) {
        char name[64], out[64];
        size_t n = (size_t)random() % 60, most = 8 + (size_t)random() % 50;

        for (size_t k = 0; k < n; k++)
            name[k] = letters[(size_t)random() % (sizeof letters - 1)];
        name[n] = '\0';
        name_shorten(name, out, most + 1);
        good &= strlen(out) <= most && (n > most || strcmp(out, name) == 0);
        name_bare(name, out, most + 1);
        good &= strlen(out) <= most;
        good &= n == 0 || name_fits(name, name, n);
    }
    tap_ok(good, "20000 random names keep to what they may take, and fit themselves");
}

static void fits(bool expected, const char *name, const char *asked)
{
    tap_ok(name_fits(name, asked, strlen(asked)) == expected, "`%s` is %s`%s`", name,
           expected ? "" : "not ", asked);
}

static void test_asked(void)
{
    const char *clamp = "int shop::clamp_to<int>(int const&, int const&, int const&)";
    const char *size = STRING "::size() const";
    const char *lambda = "Book::sorted() const::{lambda(int)#2}::operator()(int) const";

    fits(true, "main", "main");
    fits(false, "main", "mai");
    fits(false, "main", "domain");
    fits(false, "domain", "main");
    fits(false, "main", "");
    fits(true, "handle_compress.isra.0", "handle_compress");
    fits(true, clamp, clamp);
    fits(true, clamp, "clamp_to");
    fits(true, clamp, "shop::clamp_to");
    fits(true, clamp, "clamp_to<int>");
    fits(true, clamp, "shop::clamp_to<int>");
    fits(true, clamp, "shop::clamp_to<int>(int const&, int const&, int const&)");
    fits(true, clamp, "clamp_to(int const&, int const&, int const&)");
    fits(false, clamp, "clamp_to<double>");
    fits(false, clamp, "clamp_to(int)");
    fits(false, clamp, "op::clamp_to");
    fits(false, clamp, "shop");
    fits(false, clamp, "int");
    fits(true, size, "size");
    fits(true, size, "basic_string::size");
    fits(true, size, "std::__cxx11::basic_string::size");
    fits(true, size, "basic_string::size() const");
    fits(false, size, "char");
    fits(false, size, "basic_string");
    fits(true, lambda, "operator()");
    fits(true, lambda, "{lambda(int)#2}::operator()");
    fits(false, lambda, "sorted");
    fits(true, "(anonymous namespace)::f(int)", "f");
    fits(true, "(anonymous namespace)::f(int)", "(anonymous namespace)::f");
    fits(true, "bool operator< <int>(A<int> const&)", "operator<");
    fits(true, "shop::Guard::~Guard()", "Guard::~Guard");
    fits(true, "EvalString::Evaluate[abi:cxx11](Env*) const", "EvalString::Evaluate");
    fits(true, "T f[abi:cxx11]<T>(T)", "f<T>");
    fits(true, "shop::collatz(shop::Frame*) [clone .actor]", "collatz");
}

int main(void)
{
    test_shorter();
    test_bare();
    test_random();
    test_asked();
    return tap_done();
}
