// SPDX-License-Identifier: MIT
// The cleanup attribute on every way out of a block: its end, break, continue,
// goto, return; and statement expressions.
#include <stdio.h>
#define NOINLINE __attribute__((noinline, noclone))

NOINLINE static void done(int *n)
{
    printf("~%d ", *n);                 //* 6
}

NOINLINE static int ways(int n)
{
    for (int i = 0; i < n; i++) {
        __attribute__((cleanup(done))) int k = i;
        if (i == 1)                     //* 6
            continue;                   //* 2
        if (i == 2 && n == 5)           //* 4
            goto out;                   //* 1
        if (n > 5 && i == n - 4)        //* 3
            return ({ int t = i + k; t * 2; });     //* 1
    }
    return 0;                           //* 0
out:
    return -1;
}

int main(void)
{
    int from = ways(5);

    printf("%d\n", from + ways(6));
    return 0;
}
//= ~0 ~1 ~2 ~0 ~1 ~2 7
//> main
//>   ways
//>     done
//>     done
//>     done
//>   ways
//>     done
//>     done
//>     done
