#!/bin/bash
# SPDX-License-Identifier: MIT
# wpp-suspects --next: from counts of edges to the order of paths in a few routines; --at; --jobs.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
if ! command -v python3 > /dev/null; then
    skip 'the next build: python3 is not installed'
    done_testing
fi

# `d` and then `u` without `t` between: fails.  `never` is executed by passing runs alone.
cat > bug.c << 'CODE'
#include <stdlib.h>
#include <string.h>
static char *held;
static int used, depth;
__attribute__((noinline)) static void take(void) { held = malloc(16); }
__attribute__((noinline)) static void drop(void) { free(held); held = 0; }
__attribute__((noinline)) static int look(const char *p)
{
    return p ? 1 : 0;
}
__attribute__((noinline)) static int use(void)
{
    used++;
    return look(held);               /* line 14 */
}
__attribute__((noinline)) static int spare(int n)
{
    depth += n > 3 ? 2 : 1;
    return depth;
}
__attribute__((noinline)) static void check(int bad)
{
    if (bad)
        abort();                     /* line 24 */
}
__attribute__((noinline)) static void never(void) { depth++; }
int main(int argc, char **argv)
{
    int bad = 0;
    take();
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "d") == 0)
            drop();
        else if (strcmp(argv[i], "u") == 0)
            bad |= !use();
        else if (strcmp(argv[i], "t") == 0)
            take();
        else
            spare(i);
    }
    check(bad);
    if (argc > 7)
        never();
    return 0;
}
CODE
cat > record.py << 'CODE'
import random, subprocess, sys
random.seed(5)
for i in range(80):
    n = random.choice([2, 3, 5, 7])
    args = [random.choice(['t', 'u', 's', 'd', 'u'] if i % 2 else ['t', 'u', 's', 's']) for _ in range(n)]
    if i % 2 and i % 3:
        args += ['t', 'u']
    subprocess.run(['wpp-record', '-q', '--runs=' + sys.argv[1], '--', './bug'] + args, stderr=subprocess.DEVNULL)
CODE
# round N ARGUMENTS: a build with these arguments of the plugin, and its runs
round() {
    WPP_PLUGIN_ARGS=$2 "$WPP_GCC" -O1 -g -o bug bug.c && python3 record.py "round$1"
}

ok 'a build that counts edges, and its runs' round 1 mode=edges
like 'runs that were killed count, too' "$(wpp-runs round1 list)" 'fail +SIGABRT +[1-9]'
ok 'the next build' wpp-suspects --next -n 4 round1
arguments=$(cat "$T/out")
like 'is to record the routine with the symptom' "$arguments" '(^| )include=check( |$)'
like 'and its caller' "$arguments" '(^| )include=main( |$)'
is 'but nothing that no failing run executed' "$(grep -c never <<< "$arguments")" 0
like 'which is said' "$(cat "$T/err")" '^wpp-suspects: [0-9]+ routines? with scores of .* 0 of all recorded already$'
is 'or not' "$(wpp-suspects -q --next -n 4 round1 2>&1)" "$arguments"
ok 'json' wpp-suspects --next -n 4 --format=json round1
is 'says why' "$(python3 -c '
import json, sys
r = {x["include"]: x for x in json.load(sys.stdin)["routines"]}
print(" ".join("include=" + x for x in r), r["check"]["why"], r["main"].get("of", "-") in ("check", "-"), r["main"]["recorded"])' \
    < "$T/out")" "$arguments suspect True False"

# Until nothing new is named.
ok 'a build of these' round 2 "$arguments"
is 'has no others' "$(wpp-runs round2 export 1 | wpp-info --uninstrumented - | grep -c 'not included')" \
    "$((8 - $(wc -w <<< "$arguments")))"
n=2
while [ $n -lt 8 ] && wpp-suspects -q --next -n 4 round$n > next; do
    n=$((n + 1))
    round $n "$(cat next)" || break
done
run wpp-suspects --next -n 4 round$n
is "it ends ($n rounds)" $status 3
like 'when all is recorded' "$(cat "$T/err")" ' [0-9]+ of all recorded already$'
is 'the order is found: a drop, then a use' "$(wpp-suspects -q --all --kinds=pair,triple,before -n 0 --format=json round$n | python3 -c '
import json, sys
s = json.load(sys.stdin)["suspects"]
print(any({"drop", "use"} <= {p["routine"] for p in x["paths"]} and x["true"]["pass"] == 0 for x in s))')" True

# ---- Lines ------------------------------------------------------------------------------------------

wpp-suspects -q --all --format=json -n 0 round$n > all.json
wpp-suspects -q --all --format=json -n 0 --at=bug.c:14 round$n > at.json
is 'what lies on a line has the ranks that it has among all' "$(python3 -c '
import json
def key(x): return x["text"], x["rank"], x["kind"]
a, b = ([key(s) for s in json.load(open(f))["suspects"]] for f in ("all.json", "at.json"))
lines = [s for s in json.load(open("at.json"))["suspects"] if s["kind"] == "line"]
print(set(b) <= set(a), 0 < len(b) < len(a), [x["text"] for x in lines])')" "True True ['bug.c:14']"
is 'a row stands for others that are true of the same runs' \
    "$(wpp-suspects -q --format=json -n 1 --at=bug.c:23-24 round$n | grep -c '"rank": 1,')" 1
like 'no line of it' "$(wpp-suspects -q --at=other.c:1 round$n)" '^no predicate on these lines has an importance above 0$'

# ---- Parts -------------------------------------------------------------------------------------------

wpp-suspects -j1 --all -n 0 --format=json round$n > one.json
wpp-suspects -j3 --all -n 0 --format=json round$n > three.json
same 'by threads all is the same' one.json three.json
same 'eliminated, too' <(wpp-suspects -j1 --eliminate --sort=ochiai round$n) <(wpp-suspects -j4 --eliminate --sort=ochiai round$n)
ok 'a part' wpp-suspects --part=2/3 -o part round$n
ok 'is there' test -s part
fails_with 2 'no part' wpp-suspects --part=4/3 -o part round$n
fails_with 2 'a part that goes nowhere' wpp-suspects --part=1/3 round$n
fails_with 2 'lines without a number' wpp-suspects --at=bug.c round$n
fails_with 2 'lines that end before they begin' wpp-suspects --at=bug.c:9-3 round$n
fails_with 2 'all that is next' wpp-suspects --next --all round$n
fails_with 2 'no such place' wpp-suspects --with=luck round$n
rm bug
run wpp-suspects --next -n 4 round$n
is 'without the program there are no neighbours' "$(grep -c 'cannot open .*/bug: .*: callers and callees are left out' "$T/err")" 1
done_testing
