// SPDX-License-Identifier: MIT
// Constructors and destructors of globals, locals, temporaries, members, bases and
// statics; an exception out of a constructor destroys what was made.
#include <cstdio>
#define NOINLINE __attribute__((noinline, noclone))

struct part {
    int k;
    NOINLINE part(int k) : k(k) {}
    NOINLINE ~part() { std::printf("~%d ", k); }
};

struct whole {
    part a, b;
    NOINLINE whole(int k) : a(k), b(k + 1)
    {
        if (k == 7)
            throw k;
    }
    NOINLINE ~whole() { std::printf("w "); }
};

static part global(1);

NOINLINE static part &once()
{
    static part local(2);
    return local;
}

NOINLINE static int use(const part &p) { return p.k; }

NOINLINE static void fails()
{
    part before(5);
    whole broken(7);
    std::puts("never");
}

int main()
{
    int sum = use(once()) + use(part(3)) + use(once());
    {
        whole w(10);
        sum += w.b.k;
    }
    try {
        fails();
    } catch (int k) {
        std::printf("caught %d sum %d ", k, sum);
    }
    return 0;
}
//= ~3 w ~11 ~10 ~8 ~7 ~5 caught 7 sum 18 ~2 ~1 
//> part::part
//> main
//>   once
//>     part::part
//>   use
//>   part::part
//>   use
//>   once
//>   use
//>   part::~part
//>   whole::whole
//>     part::part
//>     part::part
//>   whole::~whole
//>     part::~part
//>     part::~part
//>   fails ^
//>     part::part
//>     whole::whole ^
//>       part::part
//>       part::part
//>       part::~part
//>       part::~part
//>     part::~part
//> part::~part
//> part::~part
//: -O2 -O3 -Os
//> part::part
//> main
//>   once
//>     part::part
//>   use
//>   part::part
//>   use
//>   once
//>   use
//>   part::~part
//>   whole::whole
//>     part::part
//>     part::part
//>   whole::~whole
//>     part::~part
//>   part::~part
//>   fails ^
//>     part::part
//>     whole::whole ^
//>       part::part
//>       part::part
//>       part::~part
//>       part::~part
//>     part::~part
//> part::~part
//> part::~part
