// SPDX-License-Identifier: MIT
// Virtual calls and their thunks, templates, lambdas, std::function, member pointers.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>
#define NOINLINE __attribute__((noinline, noclone))

struct shape { virtual int area() const = 0; virtual ~shape() {} };
struct named { virtual int name() const { return 'n'; } int pad = 0; virtual ~named() {} };
struct square : shape {
    int side;
    NOINLINE square(int side) : side(side) {}
    NOINLINE int area() const override { return side * side; }
};
struct disc : named, shape {
    int r;
    NOINLINE disc(int r) : r(r) {}
    NOINLINE int area() const override { return 3 * r * r; }
    NOINLINE int name() const override { return 'd'; }
};

template <typename T> NOINLINE T largest(const std::vector<T> &v)
{
    return *std::max_element(v.begin(), v.end());
}

NOINLINE static int apply(const std::function<int(int)> &f, int n) { return f(n) + 1; }
NOINLINE static int plus_one(int n) { return n + 1; }

int main()
{
    square s(4);
    disc d(2);
    shape *volatile shapes[] = {&s, &d};
    named *volatile name = &d;
    int (shape::*volatile member)() const = &shape::area;
    int sum = 0;

    for (shape *x : shapes)
        sum += x->area();
    sum += (shapes[1]->*member)();
    sum += largest(std::vector<int>{1, 9, 3}) + (int)largest(std::vector<double>{0.5, 2.5});
    sum += apply(plus_one, 1) + apply([&](int n) { return n + sum; }, 2);
    std::printf("%d %c\n", sum, name->name());
    return 0;
}
//= 108 d
//> main
//>   square::square
//>   disc::disc
//>   square::area
//>   disc::area
//>   disc::area
//>   largest
//>   largest
//>   apply
//>     plus_one
//>   apply
//>   disc::name
