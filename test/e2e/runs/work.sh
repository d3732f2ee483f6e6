# SPDX-License-Identifier: MIT
# work.sh: a program that fails for some inputs, and questions to the store `store`; for runs*.sh, behind lib.sh.
if ! command -v sqlite3 > /dev/null; then
    skip 'stores of runs: sqlite3 is not installed'
    done_testing
fi

cat > work.c << 'CODE'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
__attribute__((noinline)) static int step(int i)
{
    return i & 1 ? 3 : 1;
}
int main(int n, char **arg)
{
    int turns = atoi(arg[1]), sum = 0;
    for (int i = 0; i < turns; i++)
        sum += step(i);
    printf("%d\n", sum);
    if (n > 2) {                              /* waits for the file that the argument names */
        int fd;
        while (access(arg[2], F_OK) != 0)
            usleep(2000);
        fd = open("ended", O_WRONLY | O_CREAT | O_APPEND, 0666);
        dprintf(fd, "%s\n", arg[2]);
        close(fd);
    }
    if (turns % 7 == 3)
        abort();
    return turns % 5 == 2;
}
CODE
ok 'a program' "$WPP_GCC" -O1 -o work work.c

# rows FIELD...: columns of wpp-runs list, by their numbers
rows() {
    wpp-runs store list "${@:2}" | awk -v columns="$1" 'NR > 1 { n = split(columns, c, ",")
        for (i = 1; i <= n; i++) printf "%s%s", $c[i], i < n ? " " : "\n" }'
}
# The index itself, without our tools; runs that wait are taken into it first.
index() {
    wpp-runs store list > /dev/null 2>&1
    sqlite3 store/runs.sqlite "$1"
}
