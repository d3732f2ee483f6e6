/* SPDX-License-Identifier: MIT */
/* tracer-frames.c - frames found by the runtime's own reading of .eh_frame are those that libgcc finds:
 * through this program's routines, with stack of a variable size, and through libc's callbacks. */
#include <alloca.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/tap.h"
#include "tracer/runtime.h"

enum { MOST = 64 };
struct found {
    struct wpp_frame frame[MOST];
    int n;
};

static _Unwind_Reason_Code take(struct _Unwind_Context *context, void *to)
{
    static const int dwarf[WPP_FRAME_REGISTERS] = { 3, 6, 7, 12, 13, 14, 15 };
    struct found *f = to;

    if (f->n == MOST)
        return _URC_NORMAL_STOP;
    f->frame[f->n].address = _Unwind_GetIP(context);
    for (int i = 0; i < WPP_FRAME_REGISTERS; i++)
        f->frame[f->n].reg[i] = i == 2 ? _Unwind_GetCFA(context) : _Unwind_GetGR(context, dwarf[i]);
    f->n++;
    return _URC_NO_REASON;
}

static int wrong, right, given_up;

static void tell(const struct wpp_frame *from, const struct wpp_frame *next,
                 const struct wpp_frame *right_one)
{
    if (wrong > 1)
        return;
    tap_note("from %#llx to %#llx, not %#llx", (unsigned long long)from->address,
             (unsigned long long)next->address, (unsigned long long)right_one->address);
    for (int i = 0; i < WPP_FRAME_REGISTERS; i++)
        tap_note("register %d: %#llx, %#llx, not %#llx", i, (unsigned long long)from->reg[i],
                 (unsigned long long)next->reg[i], (unsigned long long)right_one->reg[i]);
}

/* From each of libgcc's frames, the next one must be libgcc's, or said to be unknown. */
static __attribute__((noinline)) void compare(void)
{
    struct found f = { .n = 0 };

    /* The first one is __wpp_frames_each, which is no longer there. */
    __wpp_frames_each(take, &f);
    for (int i = 1; i + 1 < f.n && f.frame[i + 1].address; i++) {
        struct wpp_frame next = f.frame[i];

        if (!__wpp_frame_caller(&next))
            given_up++;
        else if (memcmp(&next, &f.frame[i + 1], sizeof next) == 0)
            right++;
        else
            wrong++, tell(&f.frame[i], &next, &f.frame[i + 1]);
    }
}

static volatile int sink;

static __attribute__((noinline)) int plain(int n)
{
    int a = n * 3, b = n ^ 5, c = n + sink, d = n - sink;

    if (n > 0)
        sink += plain(n - 1);
    else
        compare();
    return a + b + c + d;
}

static __attribute__((noinline)) int of_any_size(int n)
{
    char *space = alloca((size_t)n * 40 + 16);

    memset(space, n, (size_t)n * 40 + 16);
    sink += space[n];
    if (n > 0)
        sink += of_any_size(n - 1);
    else
        compare();
    return space[n / 2];
}

static __attribute__((noinline)) int aligned(int n)
{
    _Alignas(64) char space[64];

    memset(space, n, sizeof space);
    sink += space[n % 64];
    if (n > 0)
        sink += aligned(n - 1);
    else
        compare();
    return space[1];
}

static __attribute__((noinline)) long many_arguments(long a, long b, long c, long d, long e, long f,
                                                     long g, long h)
{
    if (a > 0)
        return many_arguments(a - 1, h, g, f, e, d, c, b) + g;
    compare();
    return h;
}

static int by_value(const void *a, const void *b)
{
    static int calls;

    if (++calls % 7 == 0)
        compare();
    return *(const int *)a - *(const int *)b;
}

static void visit(const void *node, VISIT which, int depth)
{
    (void)node, (void)depth;
    if (which == leaf)
        compare();
}

static void through_libc(void)
{
    static int numbers[100];
    void *root = NULL;

    for (int i = 0; i < 100; i++)
        numbers[i] = (i * 37) % 100;
    qsort(numbers, 100, sizeof *numbers, by_value);
    for (int i = 0; i < 100; i++)
        tsearch(&numbers[(i * 37) % 100], &root, by_value);
    twalk(root, visit);
    while (root)
        tdelete(*(int **)root, &root, by_value);       /* the root's number */
}

static void all(const char *how)
{
    wrong = right = given_up = 0;
    plain(20);
    of_any_size(20);
    aligned(20);
    many_arguments(20, 1, 2, 3, 4, 5, 6, 7);
    through_libc();
    tap_ok(wrong == 0, "%s: no frame is another than libgcc's: %d", how, wrong);
    tap_ok(right > 1000, "%s: frames were found: %d", how, right);
    /* Aligned stacks, and what called main, may be too difficult. */
    tap_ok(given_up * 10 < right, "%s: few are given up: %d", how, given_up);
}

int main(void)
{
    all("the first time");
    all("from memory");
    return tap_done();
}
