#!/bin/bash
# SPDX-License-Identifier: MIT
# wpp-runs novel and cluster: what only one run did, by the dumps; crashes that are alike.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

cat > work.c << 'CODE'
#include <stdlib.h>
#include <string.h>
static int n;
__attribute__((noinline)) static void a(int x) { n += x > 5 ? 2 : 1; }
__attribute__((noinline)) static void b(void) { n += 2; }
__attribute__((noinline)) static void rare(void) { a(1); }
__attribute__((noinline)) static void die(int how)
{
    if (how == 1)
        abort();
    *(volatile int *)0 = how;
}
__attribute__((noinline)) static void deep(int k)
{
    if (k > 0)
        deep(k - 1);
    else
        die(2);
    n++;
}
int main(int argc, char **arg)
{
    for (char *c = argc > 1 ? arg[1] : ""; *c; c++)
        switch (*c) {
        case 'a': a(0); break;
        case 'A': a(9); break;
        case 'b': b(); break;
        case 'r': rare(); break;
        case '!': die(1); break;
        case '^': deep(3); break;
        }
    return 0;
}
CODE
ok 'a program' "$WPP_GCC" -O1 -g -o work work.c
add() {
    wpp-record -q --runs=store ./work "$1" 2> /dev/null
}
for word in a b ab aab ba bbaa aabb; do add $word; done

# ---- novel -------------------------------------------------------------------------------------------

add abba
run wpp-runs store novel 8
is 'nothing new' "$status $(cat "$T/out")" '3 0 things that no other of 7 runs did'
# first RUN TEXT...: the number of the first event whose line in the dump has TEXT, and of that behind it
number_of() {
    wpp-dump "$1" | grep 'NewPath' | grep -n "$2" | head -n 1 | cut -d: -f1
}
add abAb
wpp-runs store export 9 -o nine.wpp
ok 'a new path' wpp-runs store novel 9 --format=json
is 'of a known routine, at its first event, without pairs that follow from it' "$(python3 -c '
import json, sys
x = json.load(sys.stdin)
print(x["others"], [(n["kind"], n["event"]) for n in x["novel"] if n["kind"] in ("routine", "path") and " of a " in n["text"]],
      [n["kind"] for n in x["novel"] if n["kind"] == "pair" and "path 1 of a " in n["text"]])' < "$T/out")" \
    "8 [('path', $(($(wpp-dump nine.wpp | awk '/NewPath/ { n++ } /EnterRoutine a/ { here = 1; next }
        here { if (++seen == 2) { print n; exit } here = 0 }') - 1)))] []"
add brb
ok 'a new routine' wpp-runs store novel 10
like 'is called' "$(cat "$T/out")" 'routine +rare is called'
like 'and calls another one' "$(cat "$T/out")" 'path +path [0-9]+ of main'
is 'its own paths and callers follow from it' "$(grep -c 'of rare\|called by rare\|by main' "$T/out")" 0
# All single paths are known now; a word in another order is a pair or triple.
for word in aaa bbb; do add $word; done
ok 'a file against the store' bash -c 'wpp-record -q -o new.wpp ./work bAbAArab; wpp-runs store novel new.wpp --format=json; [ $? = 0 -o $? = 3 ]'
cat > brute.py << 'CODE'
import json, subprocess
def grams(file):
    paths, where, stack = [], {}, []
    for text in subprocess.run(['wpp-dump', file], stdout=subprocess.PIPE).stdout.decode().splitlines():
        w = text.split()
        if w[0] == 'EnterRoutine': stack.append(w[1])
        elif w[0] == 'LeaveRoutine': stack.pop()
        elif w[0] == 'NewPath': paths.append((stack[-1], w[1]))
    for n in 1, 2, 3:
        for i in range(len(paths) - n + 1): where.setdefault(tuple(paths[i:i + n]), i + n - 1)
    return where
store = json.loads(subprocess.run(['wpp-runs', 'store', 'list', '--format=json'], stdout=subprocess.PIPE).stdout)
known = set()
for r in store['runs']:
    subprocess.run(['wpp-runs', 'store', 'export', str(r['run']), '-o', 'r.wpp'])
    known |= set(grams('r.wpp'))
new = {g: at for g, at in grams('new.wpp').items() if g not in known}
news = sorted((len(g), at) for g, at in new.items() if len(g) == 1 or all(s in known for s in (g[1:], g[:-1])))
got = json.loads(subprocess.run(['wpp-runs', 'store', 'novel', 'new.wpp', '--format=json'], stdout=subprocess.PIPE).stdout)
kinds = {'path': 1, 'pair': 2, 'triple': 3}
print(news == sorted((kinds[n['kind']], n['event']) for n in got['novel'] if n['kind'] in kinds), len(news) > 0)
CODE
is 'its news are those of a script' "$(python3 brute.py)" 'True True'

# ---- cluster -------------------------------------------------------------------------------------------

for word in 'a!' 'aab!' 'abab!' 'b^' 'aabb^' 'a^' 'bb^'; do add $word; done
ok 'crashes' wpp-runs store cluster --last=5 --alike=20 --format=json
is 'are two bugs, the shortest run first' "$(python3 -c '
import json, sys
for c in json.load(sys.stdin)["clusters"]: print(c["representative"], sorted(c["runs"]), c["where"], sep="|")' < "$T/out")" \
    "16|[16, 17, 18, 19]|killed by SIGSEGV at work.c:11 in die
13|[13, 14, 15]|killed by SIGABRT in the call at work.c:10 in die"
ok 'as text' wpp-runs store cluster --last=5 --alike=20
like 'with its place' "$(cat "$T/out")" '^ +1 +4 +16 .* killed by SIGSEGV at work.c:11 in die$'
is 'few runs are wholly alike' "$(($(wpp-runs store cluster --alike=100 --format=json | grep -c representative) > 4))" 1
is 'all are if anything is' "$(wpp-runs store cluster --alike=0 --format=json | grep -c representative)" 1
# Reports for casr.  It reads JSON with the members that its README and documentation name: those of CrashSeverity are all
# needed, others may be missing; frames as GDB prints them.  It takes frames for the same if file and line are.
wpp-record -q --runs=store --label=fail -- ./work ab
ok 'reports' wpp-runs store cluster --last=5 --alike=20 --casr=reports
cat > casr.py << 'CODE'
import glob, json, os, re, sys
strings = {'Date', 'Architecture', 'ExecutablePath', 'ProcCmdline', 'CrashLine'}
frame = re.compile(r'^ *#[0-9]+ *(?:0x[0-9a-f]+ +in)? *(.+) +at +(.+):([0-9]+)$')
for path in sorted(glob.glob('reports/cl*/*.casrep')):
    x = json.load(open(path, encoding='utf-8'))
    if set(x) != strings | {'CrashSeverity', 'Stacktrace'} or not all(isinstance(x[k], str) for k in strings):
        sys.exit('members of ' + path)
    if set(x['CrashSeverity']) != {'Type', 'ShortDescription', 'Description', 'Explanation'}:
        sys.exit('severity of ' + path)
    if not re.match(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$', x['Date']) or not os.path.isfile(x['ExecutablePath']):
        sys.exit('date or program of ' + path)
    stack = [frame.match(f) for f in x['Stacktrace']]
    if not stack or not all(stack) or [f.split()[0] for f in x['Stacktrace']] != ['#%d' % i for i in range(len(stack))]:
        sys.exit('stack of ' + path)
    if x['CrashLine'] != '%s:%s' % (stack[0][2], stack[0][3]):
        sys.exit('line of ' + path)
    print(os.path.dirname(path)[8:], x['ProcCmdline'].split()[-1], x['CrashSeverity']['ShortDescription'],
          *['%s:%s' % (m[1].replace(' ()', ''), m[3]) for m in stack])
CODE
is 'have their stacks' "$(python3 casr.py 2>&1)" "cl1 b^ AccessViolation die:11 deep:18 deep:16 deep:16 deep:16 main:30
cl1 a^ AccessViolation die:11 deep:18 deep:16 deep:16 deep:16 main:30
cl1 bb^ AccessViolation die:11 deep:18 deep:16 deep:16 deep:16 main:30
cl1 aabb^ AccessViolation die:11 deep:18 deep:16 deep:16 deep:16 main:30
cl2 a! AbortSignal die:10 main:29
cl2 aab! AbortSignal die:10 main:29
cl2 abab! AbortSignal die:10 main:29"
like 'a run that ended by itself has none' "$(wpp-runs store cluster --casr=again 2>&1 > /dev/null)" \
    '1 of 8 runs ended in no call that was recorded'
fails 'a folder that is there' wpp-runs store cluster --casr=reports
fails_with 2 'reports on a list' wpp-runs store list --casr=more
# Inputs in the clusters' folders, named as AFL++ does.
cat > parse.c << 'CODE'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) static void number(const char *s) { if (strlen(s) > 6) abort(); }
__attribute__((noinline)) static void word(const char *s) { if (strstr(s, "xy")) *(volatile int *)8 = 1; }
int main(int argc, char **argv)
{
    char line[100];
    FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
    while (f && fgets(line, sizeof line, f))
        if (line[0] >= '0' && line[0] <= '9') number(line); else word(line);
    return 0;
}
CODE
ok 'a program with input files' "$WPP_GCC" -O1 -g -o parse parse.c
mkdir in
printf '1\n12345678\n' > in/id:000003,sig:06,src:000000
printf '1\n2\n12345678\n' > in/id:000007,sig:06,src:000001
printf 'hello\nabxyz\nab\n' > in/sample.txt
for f in in/*; do wpp-record -q --runs=inputs -- ./parse "$f" 2> /dev/null; done
wpp-record -q --runs=inputs --label=fail -- ./parse none
ok 'inputs of clusters' wpp-runs inputs cluster --alike=40 --copy=crashes
is 'a run without an input file is told' "$(cat "$T/err")" 'wpp-runs: 1 of 4 runs name no input file'
is 'a folder each' "$(find crashes -type f | sed 's/cl[0-9]/cl/' | sort)" \
    "crashes/cl/id:000000,sig:06,src:000003,run:1
crashes/cl/id:000000,sig:11,orig:sample.txt,run:3
crashes/cl/id:000001,sig:06,src:000007,run:2"
same 'with their bytes' crashes/cl1/id:000001* in/id:000007*
fails 'a folder that is there' wpp-runs inputs cluster --copy=crashes
ok 'by the number of the argument' wpp-runs inputs cluster --copy=two --input=1
is 'none is the second' "$(wpp-runs inputs cluster --copy=three --input=2 2>&1 > /dev/null)" \
    'wpp-runs: 4 of 4 runs name no input file'
fails_with 2 'an argument for nothing' wpp-runs inputs cluster --input=1
if command -v afl-tmin > /dev/null && command -v afl-cc > /dev/null; then
    export AFL_NO_UI=1 AFL_QUIET=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1
    ok 'built with AFL++' afl-cc -o parse-afl parse.c
    ok 'afl-tmin takes a crash' timeout 60 afl-tmin -i crashes/cl1/id:000000* -o small -- ./parse-afl @@
    ok 'and makes it smaller' test "$(wc -c < small)" -lt "$(cat crashes/cl1/id:000000* | wc -c)"
else
    skip 'AFL++ is not installed'
fi

wpp-record -q --runs=fine ./work ab
ok 'no failing runs' wpp-runs fine cluster
is 'make no cluster' "$(cat "$T/out")" '0 failing runs in 0 clusters'

fails 'no such run' wpp-runs store novel 99
fails 'no such file' wpp-runs store novel none.wpp
fails_with 2 'two runs' wpp-runs store novel 1 2
fails_with 2 'a run to cluster' wpp-runs store cluster 1
fails_with 2 'no share' wpp-runs store cluster --alike=150
fails_with 2 'one event is no pair' wpp-runs store cluster --last=1
fails_with 2 'an option of cluster' wpp-runs store novel --last=5 1
done_testing
