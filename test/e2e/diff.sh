#!/bin/bash
# SPDX-License-Identifier: MIT
# wpp-diff: where two runs part, against their dumps; two builds; threads; what is refused.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

# statuses STATUS NAME COMMAND...: no message either.
answers() {
    local want=$1 name=$2

    shift 2
    run "$@"
    is "$name" "$status $(cat "$T/err")" "$want "
}

# value FILTER: of the last answer in JSON.
value() {
    python3 -c 'import json, sys; x = json.load(open("out")); print(eval(sys.argv[1]))' "$1"
}

# ---- Two inputs ------------------------------------------------------------------------------

cat > p.c << 'C'
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) int odd(int x)
{
    if (x & 1)
        return 3 * x + 1;
    return x / 2;
}

static __attribute__((noinline)) int steps(int n)
{
    int k = 0;

    while (n != 1) {
        n = odd(n);
        k++;
    }
    return k;
}

static __attribute__((noinline)) void say(int sum)
{
    printf("%d\n", sum);
}

int main(int argc, char **argv)
{
    int sum = 0;

    for (int i = 1; i < argc; i++)
        sum += steps(atoi(argv[i]));
    if (sum > 5)
        say(sum);
    return 0;
}
C
ok 'a program' "$WPP_GCC" -O1 -o p p.c
ok 'one run' wpp-record -o a.wpp ./p 7 9 27 12 30 11
ok 'the same again' wpp-record -o same.wpp ./p 7 9 27 12 30 11
ok 'another' wpp-record -o b.wpp ./p 7 9 28 12 30 11

answers 0 'equal runs' wpp-diff a.wpp same.wpp
is 'it is said' "$(sed 's/[0-9,]* paths/N paths/' out)" 'thread 0 p: equal: N paths'
answers 0 'by line' wpp-diff --by=line a.wpp same.wpp
answers 0 'by routine' wpp-diff --by=routine a.wpp same.wpp
answers 1 'runs that differ' wpp-diff a.wpp b.wpp
like 'what is said first' "$(head -n 1 out)" '^thread 0 p: the runs part after [0-9]* paths, in odd at p.c:6$'
like 'the stack' "$(grep -A 4 'stack of both' out | tr -s ' \n' ' ')" \
    ' main p.c:32 steps p.c:16 odd p.c:6 '
like 'routines in their order' "$(grep -A 1 'calls A' out | tail -n 1)" '  steps  p.c:11$'

# The parting is the first line of the dumps that differs.
for f in a b; do
    wpp-dump --tokens -o $f.tokens $f.wpp
done
parting=$(($(cmp a.tokens b.tokens | sed -n 's/.*[er] \([0-9]*\),.*/(\1 - 1) \/ 4/p')))
run wpp-diff --format=json -n 100 --meet=5 a.wpp b.wpp
is 'the event is that of the dumps' "$(value 'x["threads"][0]["partings"][0]["a"]["event"]')" $parting
cat > all.py << 'PY'
# Every parting and meeting of an answer, against the tokens.
import array, json
def tokens(name):
    a = array.array('I')
    a.frombytes(open(name, 'rb').read())
    return a
a, b, i, j, wrong = tokens('a.tokens'), tokens('b.tokens'), 0, 0, 0
t = json.load(open('out'))['threads'][0]
for p in t['partings']:
    n, m = p['common'], p['meeting']
    wrong += a[i:i+n] != b[j:j+n] or a[i+n:i+n+1] == b[j+n:j+n+1]
    wrong += p['a']['event'] != i + n or p['b']['event'] != j + n
    if m is None:
        i, j = len(a), len(b)
        break
    i, j, n = m['event']['a'], m['event']['b'], m['common']
    wrong += a[i:i+n] != b[j:j+n]
print(len(t['partings']) > 1, 'wrong:', wrong, 'rest:', a[i:] == b[j:], t['more'])
PY
is 'all partings and meetings are those of the dumps' "$(python3 all.py)" 'True wrong: 0 rest: True False'
is 'counts: calls of odd' "$(value '[(int(r["executions"]["a"]), int(r["executions"]["b"])) for r in x["routines"] if r["routine"] == "odd"]')" \
    "[($(wpp-dump --calls a.wpp | awk '/-> odd/ { print $1 }'), $(wpp-dump --calls b.wpp | awk '/-> odd/ { print $1 }'))]"
run wpp-diff --top=0 --format=json a.wpp b.wpp
is 'a line that only one executed more often' \
    "$(value '[[int(r["executions"][s]) for s in "ab"] for r in x["lines"] if r["line"] == 7]')" \
    "[[$(wpp-dump --line-counts a.wpp | sed -n 's/^p.c:7 //p'), $(wpp-dump --line-counts b.wpp | sed -n 's/^p.c:7 //p')]]"

# ---- What is compared ------------------------------------------------------------------------

answers 1 'by line' wpp-diff --by=line a.wpp b.wpp
like 'the line before' "$(head -n 1 out)" '^thread 0 p: the runs part after [0-9]* lines, in odd at p.c:6$'
answers 1 'calls differ, too' wpp-diff -q --by=routine a.wpp b.wpp
answers 0 'without odd and steps nothing differs' wpp-diff --ignore=odd --ignore=steps a.wpp b.wpp
answers 1 'without odd alone: steps goes round' wpp-diff -q --ignore=odd a.wpp b.wpp
is 'brief: no counts' "$(grep -c instructions out)" 0

# ---- Two builds ------------------------------------------------------------------------------

# A function before all others, and one line of `say` that is another: all but `say` have moved.
mkdir new
awk '/^#include <stdlib/ { print; print "int unused(int x)\n{\n    return x;\n}"; next }
     /printf/ { print "    printf(\"%x\\n\", sum + 0 * puts(\"sum:\"));"; next } { print }' p.c > new/p.c
ok 'another build' bash -c "cd new && '$WPP_GCC' -O1 -o p p.c"
ok 'is recorded' wpp-record -o new.wpp new/p 7 9 27 12 30 11
run wpp-diff a.wpp new.wpp
like 'lines are compared, and that is said' "$(cat err)" 'compiled to other code .*: lines are compared'
ok 'the same by its option, without a word' bash -c 'wpp-diff --by=line a.wpp new.wpp > out 2> err; [ $? -le 1 ] && [ ! -s err ]'
answers 0 'but for the changed routine the builds do the same' wpp-diff --by=line --ignore=say a.wpp new.wpp
answers 0 'by routine, too' wpp-diff --by=routine a.wpp new.wpp
ok 'a build without optimisation' "$WPP_GCC" -O0 -o p0 p.c
ok 'is recorded' wpp-record -o p0.wpp ./p0 7 9 27 12 30 11
answers 0 'has the same calls' wpp-diff --by=routine a.wpp p0.wpp

# ---- Far apart -------------------------------------------------------------------------------

cat > far.c << 'C'
#include <stdlib.h>

static volatile int sink;

static __attribute__((noinline)) void work(int kind, int turns)
{
    for (int i = 0; i < turns; i++)
        if (kind)
            sink += i;
        else
            sink -= i;
}

int main(int argc, char **argv)
{
    int kind = atoi(argv[1]);

    work(kind, 1100000 + kind);
    for (int i = 0; i < 60; i++)
        work(1, 1);
    return 0;
}
C
ok 'a program that does much one way or the other' "$WPP_GCC" -O1 -o far far.c
ok 'one way' wpp-record -o far0.wpp ./far 0
ok 'the other' wpp-record -o far1.wpp ./far 1
for f in 0 1; do
    wpp-dump --tokens -o far$f.tokens far$f.wpp
done
answers 1 'far apart' wpp-diff -q far0.wpp far1.wpp
like 'they meet where the call returns' "$(cat out)" \
    'they meet again when work has returned, after 1,100,000 paths of A and 1,100,001 of B, at event'
like 'until the end' "$(cat out)" 'are equal, until the end$'
run wpp-diff --format=json far0.wpp far1.wpp
python3 - << 'PY' > met
import json
m = json.load(open('out'))['threads'][0]['partings'][0]['meeting']
a, b = (open('far%d.tokens' % i, 'rb').read() for i in (0, 1))
a, b = a[4 * m['event']['a']:], b[4 * m['event']['b']:]
print(a == b, len(a) == 4 * m['common'], len(a) > 100)
PY
is 'which the dumps say, too' "$(cat met)" 'True True True'

# ---- Threads ---------------------------------------------------------------------------------

cat > t.c << 'C'
#include <pthread.h>
#include <stdlib.h>

static volatile int sink;
static int turns[3];

static void *work(void *of)
{
    for (int i = 0; i < *(int *)of; i++)
        sink += i & 1 ? 1 : 2;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;

    for (int i = 1; i < argc; i++) {
        turns[i - 1] = atoi(argv[i]);
        pthread_create(&thread, NULL, work, &turns[i - 1]);
        pthread_join(thread, NULL);
    }
    return 0;
}
C
ok 'a program with threads' "$WPP_GCC" -O1 -pthread -o t t.c
ok 'two threads' wpp-record -o t2.wpp ./t 100 200
ok 'three' wpp-record -o t3.wpp ./t 100 201 300
answers 1 'threads are compared in their order' wpp-diff -q t2.wpp t3.wpp
is 'which part' "$(sed -n 's/^thread \([0-9]\) t: \(the runs part\|equal\|only [AB]\).*/\1 \2/p' out)" '0 the runs part
1 equal
2 the runs part
3 only B'
answers 0 'one pair' wpp-diff --thread=1:1 t2.wpp t3.wpp
answers 0 'the short form' wpp-diff --thread=1 t2.wpp t3.wpp
answers 1 'another pair' wpp-diff -q --thread=2:3 t2.wpp t3.wpp
like 'both numbers' "$(head -n 1 out)" '^thread 2 of A, 3 of B t: '

# ---- Plain symbols ---------------------------------------------------------------------------

seq 1 60000 | awk '{ printf "%c%c%c%c", $1 % 7 + 65, 66, 66, 66 }' > x
{ head -c 100000 x; printf 'ZZZZ'; tail -c +100001 x; } > y
wpp-compress --symbols -o x.wpp < x
wpp-compress --symbols -o y.wpp < y
answers 1 'symbols' wpp-diff x.wpp y.wpp
like 'after 25,000' "$(head -n 1 out)" 'part after 25,000 paths'
like 'and meet after one' "$(cat out)" 'meet again after 0 paths of A and 1 of B, at event 25,000 of A, 25,001 of B'
answers 1 'from standard input' bash -c 'wpp-diff - y.wpp < x.wpp'
fails_with 2 'which have no lines' wpp-diff --by=line x.wpp y.wpp
fails_with 2 'nor anything in common with a program' wpp-diff x.wpp a.wpp

# ---- Trouble ---------------------------------------------------------------------------------

fails_with 2 'no such file' wpp-diff a.wpp none.wpp
fails_with 2 'one file' wpp-diff a.wpp
fails_with 2 'three files' wpp-diff a.wpp b.wpp b.wpp
fails_with 2 'standard input twice' wpp-diff - -
fails_with 2 'no such thread' wpp-diff --thread=0:1 a.wpp b.wpp
fails_with 2 'no such routine' wpp-diff --ignore=nothing a.wpp b.wpp
fails_with 2 'no such way to compare' wpp-diff --by=block a.wpp b.wpp
fails_with 2 'not a number of partings' wpp-diff -n 0 a.wpp b.wpp
fails_with 2 'a full disk' bash -c 'wpp-diff a.wpp b.wpp > /dev/full'
wpp-profile -o a.prof a.wpp
fails_with 2 'a path profile has no order' wpp-diff a.prof b.wpp
like 'and that is said' "$(cat err)" 'a.prof is a path profile'
printf 'no file of ours' > text
fails_with 2 'another kind of file' wpp-diff a.wpp text

# A file without its last bytes, and every hundredth byte wrong: an answer, or one of the messages.
for ((at = 40; at < $(wc -c < b.wpp); at += 37)); do
    { head -c $at b.wpp; printf '\377\377\377'; tail -c +$((at + 4)) b.wpp; } > hurt.wpp
    run timeout 60 wpp-diff a.wpp hurt.wpp
    [ $status -le 2 ] || fail "byte $at" "status $status" "$(cat err)"
    run timeout 60 wpp-diff b.wpp hurt.wpp
    [ $status -le 2 ] && { [ $status != 2 ] || [ -s err ]; } || fail "byte $at" "status $status" "$(cat err)"
done
pass 'damaged files'
head -c $(($(wc -c < a.wpp) - 20)) a.wpp > cut.wpp
run wpp-diff a.wpp cut.wpp
is 'what a cut file lacks is said' "$status $(test -s err && echo said)" '2 said'
ok 'a long run' wpp-record -o long.wpp ./t 100000
ok 'one that was stopped' bash -c 'wpp-record --limit=20000 -o short.wpp ./t 100000 || true'
run wpp-diff long.wpp short.wpp
is 'is compared, and that it was stopped is said' "$status $(grep -c 'incomplete' err)" '1 1'
like 'it ends there' "$(cat out)" '^  B     ends here$'
done_testing
