// SPDX-License-Identifier: MIT
// A recursive routine catches what a deeper activation of it throws: the activation
// that waits in the region is meant, not the nearest; nor the thrower itself, whose
// throw lies in a region that does not catch this.
#include <cstdio>
#define NOINLINE __attribute__((noinline, noclone))

struct none {};

NOINLINE static void dive(int n)
{
    try {
        if (n == 5)
            throw n;
        if (n == 2) {
            try {
                dive(n + 1);
            } catch (int k) {
                std::printf("caught %d ", k);
            }
        } else {
            dive(n + 1);
        }
    } catch (none) {
        std::puts("never");
    }
    std::printf("after %d ", n);
}

int main()
{
    dive(0);
    std::puts("end");
    return 0;
}
//= caught 5 after 2 after 1 after 0 end
//> main
//>   dive
//>     dive
//>       dive
//>         dive ^
//>           dive ^
//>             dive ^
