#!/bin/bash
# SPDX-License-Identifier: MIT
# Each command of docs/questions.md gives an answer.  It runs on a program that contains the
# subject of the question, and prints something.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

cat > main.c << 'EOF'
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf home;
static unsigned sum;

__attribute__((noinline)) static int parse(unsigned n)
{
    if (n % 50 == 49)
        longjmp(home, 1);
    return n % 7 ? n & 3 : 0;
}

__attribute__((noinline)) static void emit(int what)
{
    sum = sum * 31 + what;
}

int main(void)
{
    static unsigned n;

    setjmp(home);
    while (n++ < 2000) {
        int what = parse(n);

        for (int i = 0; i < what; i++)
            emit(i);
    }
    printf("%u\n", sum);
    exit(0);
}
EOF
ok 'a program that asks for questions' "$WPP_GCC" -O1 -o prog main.c
ok 'is recorded' wpp-record -o prog.wpp ./prog
sed 's/2000/1900/' main.c > before.c
ok 'an older one' "$WPP_GCC" -O1 -o before before.c
ok 'is recorded' wpp-record -o before.wpp ./before

for k in 1 2 3 4 5 6; do
    sed "s/2000/$((k * 20))/; s/exit(0)/exit($k % 3 == 0)/" main.c > run$k.c
    "$WPP_GCC" -O1 -o run$k run$k.c &&
        PMIX_RANK=$k PMIX_NAMESPACE=job wpp-record -q --runs=store ./run$k > /dev/null
    rm -f run$k run$k.c
done

printf 'prog: main.c\n\t$(CC) -O1 -o $@ $<\n' > Makefile
touch main.c                                # or make would have nothing to do

# The document's line is one that is executed.
line=$(grep -n 'sum = sum' main.c | cut -d: -f1)
path=$(wpp-dump prog.wpp | grep -A 1 'EnterRoutine parse' | sed -n 's/^ *NewPath \([0-9]*\).*/\1/p' | head -n 1)
sed -n '/^```/,/^```/p' "$ROOT/docs/questions.md" | grep '^wpp-' | sed 's/  *# .*//' |
    sed "s/main\.c:12/main.c:$line/; s|parse/3|parse/$path|" > commands
is 'there are some' "$(awk 'END { print (NR > 15) }' commands)" 1
while read -r command; do
    case $command in
    wpp-diff*) want='; [ $? = 1 ]' ;;   # they differ
    *--next*) want='; [ $? = 3 ]' ;;    # the runs have all paths
    *--html*)
        want=
        [ -f "$BUILD/lib/wpp/page.html" ] || { skip "$command: this wpp was built without the page"; continue; } ;;
    *) want= ;;
    esac
    ok "$command" bash -c "set -o pipefail; $command$want" < /dev/null
    case $command in
    *--uninstrumented*) ;;              # nothing was left out
    *wpp-dot*) svg=${command##*-o }
        is 'a picture' "$(grep -c '</svg>' "${svg%% *}")" 1 ;;
    *' > '*) is 'a file' "$(test -s "${command##* > }" && echo yes)" yes ;;
    *--html*) is 'a page' "$(tail -n 1 prog.html)" '</html>' ;;
    *) is 'which says something' "$(test -s out && echo yes)" yes ;;
    esac
done < commands

ok 'what does not return' \
    bash -c "wpp-dump prog.wpp | grep -o 'LeaveRoutine .*#.*' | sort | uniq -c | sort -rn"
is 'parse by longjmp, main by exit' "$(tr -s ' ' < out)" " 40 LeaveRoutine parse # not by returning
 1 LeaveRoutine main # at the end"
ok 'who calls emit' wpp-hot --query 'before emit' prog.wpp
like 'main does' "$(cat out)" '^    main  main.c:'
done_testing
