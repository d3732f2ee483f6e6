/* SPDX-License-Identifier: MIT */
/* Names of C++: real ones are spelt, those of texts without end are not. */
#include "wpp/base/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/tap.h"

static void spelt(struct wpp_demangler *d, const char *name, const char *expected)
{
    struct wpp_arena arena = {0};
    const char *got = wpp_demangle(d, &arena, name);

    if (!tap_ok(got && strcmp(got, expected) == 0, "%.60s", name))
        tap_note("is %.2000s", got ? got : "nothing");
    wpp_arena_free(&arena);
}

static bool stays(struct wpp_demangler *d, const char *name)
{
    struct wpp_arena arena = {0};
    bool same = wpp_demangle(d, &arena, name) == name;

    wpp_arena_free(&arena);
    return same;
}

/* `S_`, `S0_`, ... `SZ_`, `S10_`: how part n is named. */
static char *put_part(char *out, unsigned n)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

    *out++ = 'S';
    if (n > 36)
        *out++ = digits[(n - 1) / 36];
    if (n > 0)
        *out++ = digits[(n - 1) % 36];
    *out++ = '_';
    *out = '\0';
    return out;
}

/* A<int, int>, A<that, that>, ...: the last of n spells 2^n ints. */
static char *doubled(char *out, unsigned n)
{
    out = stpcpy(out, "1AIiiE");
    for (unsigned i = 1; i < n; i++) {
        out = stpcpy(out, "S_I");
        out = put_part(out, i);
        out = put_part(out, i);
        out = stpcpy(out, "E");
    }
    return out;
}

/* Each a pointer to a member of the one before it, of the same type. */
static char *members(char *out, unsigned n)
{
    out = stpcpy(out, "1A");
    for (unsigned i = 0; i < n; i++) {
        *out++ = 'M';
        out = put_part(out, i);
        out = put_part(out, i);
    }
    return out;
}

/* For each of n arguments, all the arguments; `depth` times. */
static char *repeated(char *out, unsigned n, unsigned depth)
{
    out = stpcpy(out, "IJ");
    for (unsigned i = 0; i < n; i++)
        *out++ = 'i';
    out = stpcpy(out, "EEvDp1AIT_");
    for (unsigned i = 1; i < depth; i++)
        out = stpcpy(out, "Dp1AIT_");
    for (unsigned i = 0; i < depth; i++)
        out = stpcpy(out, "E");
    return out;
}

static void test_hostile(struct wpp_demangler *d)
{
    char name[40000];
    unsigned said = 0, n;

    for (n = 22; n < 200; n++) {
        strcpy(name, "_Z1f");
        doubled(name + 4, n);
        said += !stays(d, name);
    }
    tap_ok(said == 0, "types of types: none of 178 names is spelt");
    for (said = 0, n = 30; n < 300; n++) {
        strcpy(name, "_Z1f");
        members(name + 4, n);
        said += !stays(d, name);
    }
    tap_ok(said == 0, "pointers to members of pointers to members: none of 270");
    for (said = 0, n = 5; n < 50; n++) {
        strcpy(name, "_Z1f");
        repeated(name + 4, 200, n);
        said += !stays(d, name);
    }
    tap_ok(said == 0, "arguments for arguments: none of 45");
    strcpy(name, "_Z1f");
    memset(name + 4, 'P', sizeof name - 6);
    name[sizeof name - 2] = 'i';
    name[sizeof name - 1] = '\0';
    tap_ok(stays(d, name), "nor a pointer of 40,000 levels");
}

/* Many names of texts that are long, but not that long. */
static void test_many(void)
{
    enum { NAMES = 20000 };
    struct wpp_demangler d = {0};
    struct wpp_arena arena = {0};
    char name[1000];
    uint64_t letters = 0, kept = 0;

    for (unsigned i = 0; i < NAMES; i++) {
        int at = sprintf(name, "_Z5f%04u", i % 10000);
        doubled(name + at, 8 + i % 8);
        const char *text = wpp_demangle(&d, &arena, name);
        letters += strlen(name);
        kept += text == name ? 0 : strlen(text);
    }
    wpp_arena_free(&arena);
    tap_ok(kept > letters && kept < 16 * letters + (1 << 20) && d.wasted < (1u << 28),
           "what many names spell is kept in bounds: %llu letters of %llu",
           (unsigned long long)kept, (unsigned long long)letters);
}

int main(void)
{
    struct wpp_demangler d = {0};

    spelt(&d, "main", "main");
    spelt(&d, "_Z", "_Z");
    if (!d.demangle)
        return tap_done();         /* there is no C++ runtime here */
    spelt(&d, "_Z3fibi", "fib(int)");
    spelt(&d, "_ZNSt6vectorISt4pairIiSsESaIS1_EE9push_backERKS1_",
          "std::vector<std::pair<int, std::string>, std::allocator<std::pair<int, std::string> > >"
          "::push_back(std::pair<int, std::string> const&)");
    /* One whose estimate is a thousand times what it spells. */
    spelt(&d, "_ZN4llvmeqINS_8DenseMapIPKNS_10BasicBlockENS1_IS4_jNS_12DenseMapInfoIS4_vEENS_6detai"
          "l12DenseMapPairIS4_jEEEES6_NS8_IS4_SA_EEEES4_SA_S6_SB_EEbRKNS_12DenseMapBaseIT_T0_T1"
          "_T2_T3_EESL_",
          "bool llvm::operator==<llvm::DenseMap<llvm::BasicBlock const*, llvm::DenseMap<llvm::B"
          "asicBlock const*, unsigned int, llvm::DenseMapInfo<llvm::BasicBlock const*, void>, l"
          "lvm::detail::DenseMapPair<llvm::BasicBlock const*, unsigned int> >, llvm::DenseMapIn"
          "fo<llvm::BasicBlock const*, void>, llvm::detail::DenseMapPair<llvm::BasicBlock const"
          "*, llvm::DenseMap<llvm::BasicBlock const*, unsigned int, llvm::DenseMapInfo<llvm::Ba"
          "sicBlock const*, void>, llvm::detail::DenseMapPair<llvm::BasicBlock const*, unsigned"
          " int> > > >, llvm::BasicBlock const*, llvm::DenseMap<llvm::BasicBlock const*, unsign"
          "ed int, llvm::DenseMapInfo<llvm::BasicBlock const*, void>, llvm::detail::DenseMapPai"
          "r<llvm::BasicBlock const*, unsigned int> >, llvm::DenseMapInfo<llvm::BasicBlock cons"
          "t*, void>, llvm::detail::DenseMapPair<llvm::BasicBlock const*, llvm::DenseMap<llvm::"
          "BasicBlock const*, unsigned int, llvm::DenseMapInfo<llvm::BasicBlock const*, void>, "
          "llvm::detail::DenseMapPair<llvm::BasicBlock const*, unsigned int> > > >(llvm::DenseM"
          "apBase<llvm::DenseMap<llvm::BasicBlock const*, llvm::DenseMap<llvm::BasicBlock const"
          "*, unsigned int, llvm::DenseMapInfo<llvm::BasicBlock const*, void>, llvm::detail::De"
          "nseMapPair<llvm::BasicBlock const*, unsigned int> >, llvm::DenseMapInfo<llvm::BasicB"
          "lock const*, void>, llvm::detail::DenseMapPair<llvm::BasicBlock const*, llvm::DenseM"
          "ap<llvm::BasicBlock const*, unsigned int, llvm::DenseMapInfo<llvm::BasicBlock const*"
          ", void>, llvm::detail::DenseMapPair<llvm::BasicBlock const*, unsigned int> > > >, ll"
          "vm::BasicBlock const*, llvm::DenseMap<llvm::BasicBlock const*, unsigned int, llvm::D"
          "enseMapInfo<llvm::BasicBlock const*, void>, llvm::detail::DenseMapPair<llvm::BasicBl"
          "ock const*, unsigned int> >, llvm::DenseMapInfo<llvm::BasicBlock const*, void>, llvm"
          "::detail::DenseMapPair<llvm::BasicBlock const*, llvm::DenseMap<llvm::BasicBlock cons"
          "t*, unsigned int, llvm::DenseMapInfo<llvm::BasicBlock const*, void>, llvm::detail::D"
          "enseMapPair<llvm::BasicBlock const*, unsigned int> > > > const&, llvm::DenseMapBase<"
          "llvm::DenseMap<llvm::BasicBlock const*, llvm::DenseMap<llvm::BasicBlock const*, unsi"
          "gned int, llvm::DenseMapInfo<llvm::BasicBlock const*, void>, llvm::detail::DenseMapP"
          "air<llvm::BasicBlock const*, unsigned int> >, llvm::DenseMapInfo<llvm::BasicBlock co"
          "nst*, void>, llvm::detail::DenseMapPair<llvm::BasicBlock const*, llvm::DenseMap<llvm"
          "::BasicBlock const*, unsigned int, llvm::DenseMapInfo<llvm::BasicBlock const*, void>"
          ", llvm::detail::DenseMapPair<llvm::BasicBlock const*, unsigned int> > > >, llvm::Bas"
          "icBlock const*, llvm::DenseMap<llvm::BasicBlock const*, unsigned int, llvm::DenseMap"
          "Info<llvm::BasicBlock const*, void>, llvm::detail::DenseMapPair<llvm::BasicBlock con"
          "st*, unsigned int> >, llvm::DenseMapInfo<llvm::BasicBlock const*, void>, llvm::detai"
          "l::DenseMapPair<llvm::BasicBlock const*, llvm::DenseMap<llvm::BasicBlock const*, uns"
          "igned int, llvm::DenseMapInfo<llvm::BasicBlock const*, void>, llvm::detail::DenseMap"
          "Pair<llvm::BasicBlock const*, unsigned int> > > > const&)");
    test_hostile(&d);
    test_many();
    return tap_done();
}
