#!/bin/bash
# SPDX-License-Identifier: MIT
# wpp-suspects: known bugs are found, and all figures are those that a script counts in the dumps of the runs.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
if ! command -v python3 > /dev/null; then
    skip 'suspects: python3 is not installed'
    done_testing
fi

# Three bugs: a word is used after it was dropped (two calls in the wrong order), more than seven digits
# (a loop goes round too often), and `a(b)`: leaf called by inner called by outer, which kills it.
cat > bug.c << 'CODE'
#include <stdlib.h>
#include <string.h>
static char *held;
static int used, depth;
__attribute__((noinline)) static void take(void)
{
    held = malloc(16);
}
__attribute__((noinline)) static void drop(void)
{
    free(held);
    held = 0;
}
__attribute__((noinline)) static int use(void)
{
    used++;
    return held != 0;
}
__attribute__((noinline)) static int digits(const char *s)
{
    int n = 0;
    while (*s >= '0' && *s <= '9') {
        n++;
        s++;
    }
    return n;
}
__attribute__((noinline)) static void leaf(int outer)
{
    if (outer)
        abort();                             /* line 31 */
    depth++;
}
__attribute__((noinline)) static void inner(int outer)
{
    leaf(outer);
    depth--;
}
__attribute__((noinline)) static void outer(int n)
{
    if (n > 0)
        outer(n - 1);
    else
        inner(1);
    depth--;
}
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
        else if (strcmp(argv[i], "i") == 0)
            inner(0);
        else if (strcmp(argv[i], "o") == 0)
            outer(i & 3);
        else
            bad |= digits(argv[i]) > 7;
    }
    return bad;
}
CODE
ok 'a program with three bugs' "$WPP_GCC" -O1 -g -o bug bug.c
cat > record.py << 'CODE'
import random, subprocess
random.seed(3)
for i in range(90):
    args = []
    for _ in range(random.choice([2, 3, 5, 8, 30])):
        args.append(random.choice(['t', 'u', 'i', 'i', 't', 'u', 'd' if i % 3 == 0 else 't', 'o' if i % 11 == 5 else 'i',
                                   '7' * random.choice([1, 3, 6, 7 if i % 7 else 8])]))
    if i % 3 == 0:
        args.append('t')
    command = ['wpp-record', '-q', '--runs=store', '--', './bug'] + args
    subprocess.run(command, stderr=subprocess.DEVNULL)
# A run of two processes.
subprocess.run(['wpp-record', '-q', '--runs=store', '--', 'sh', '-c', './bug t u i; ./bug 123 t'])
CODE
ok 'many runs' python3 record.py
ok 'ranked' wpp-suspects store
cp "$T/out" text
ok 'without comparing runs' wpp-suspects -q -n 0 --all --format=json store
cp "$T/out" all.json
ok 'by every score' bash -c 'for s in importance increase ochiai tarantula bits; do
    wpp-suspects -q --sort=$s --format=csv store > $s.csv || exit; done'

# ---- The same by brute force: each run's events written out -----------------------------------------

cat > brute.py << 'CODE'
import collections, csv, itertools, json, math, os, re, subprocess, sys
def out(*a):
    return subprocess.run(a, stdout=subprocess.PIPE, check=False).stdout.decode()
def lines_of(text):
    file, found = '', []
    for word in text.replace('...', ' ').split():
        if ':' in word: file, word = word.rsplit(':', 1)
        a, _, b = word.partition('-')
        found += [(file, n) for n in range(int(a), int(b or a) + 1)]
    return found
def facts(run):
    true, sites, lines_in = set(), {}, collections.defaultdict(set)
    def add(p, site): true.add(p); sites[p] = site
    for k in range(run['processes']):
        subprocess.run(['wpp-runs', 'store', 'export', str(run['run']), '--process=%d' % k, '-o', 'x.wpp'], check=True)
        threads, stack = [], []
        for text in out('wpp-dump', 'x.wpp').splitlines():
            text = text.split('#')[0] if 'PartOfPath' not in text else text.split('  #')[0]
            word = text.split()
            if not word: continue
            if word[0] == 'EnterThread': threads.append([]); stack = []
            elif word[0] == 'EnterRoutine':
                stack.append(word[1]); add(('routine', word[1]), 'run')
                if len(stack) > 1: add(('caller', stack[-2], stack[-1]), ('routine', stack[-1]))
                if len(stack) > 2: add(('callers', *stack[-3:]), ('caller', *stack[-2:]))
                for k in range(stack.count(stack[-1])): add(('depth', stack[-1], k + 1), ('routine', stack[-1]))
            elif word[0] == 'LeaveRoutine': stack.pop()
            elif word[0] in ('NewPath', 'PartOfPath'):
                for line in lines_of(text[text.index('[') + 1:text.index(']')]):
                    lines_in[line].add(stack[-1]); add(('line', *line), None)
                if word[0] == 'NewPath':
                    threads[-1].append((stack[-1], int(word[1])))
                    add(('path', *threads[-1][-1]), ('routine', stack[-1]))
        for t in threads:
            for a, b in zip(t, t[1:]): add(('pair', a, b), ('path', *a))
            for a, b, c in zip(t, t[1:], t[2:]): add(('triple', a, b, c), ('pair', a, b))
            first, last = {}, {}
            for i, p in enumerate(t): first.setdefault(p, i); last[p] = i
            for a, b in itertools.permutations(first, 2):
                if first[a] < last[b]: add(('before', a, b), ('both', frozenset((a, b))))
        edges = json.loads(out('wpp-profile', '--edges', '--format=json', 'x.wpp'))['edges']
        for e in edges:
            add(('branch', e['routine'], e['from'], e['to']), ('block', e['routine'], e['from']))
            true.add(('block', e['routine'], e['from']))
    paths = [p[1:] for p in true if p[0] == 'path']
    true |= {('both', frozenset(x)) for x in itertools.combinations(paths, 2)}
    return true, sites, lines_in
def entropy(k, n):
    return 0 if k in (0, n) else -k * math.log2(k / n) - (n - k) * math.log2((n - k) / n)
def scores(f, s, fo, so, nf, ns):
    z = 1.959963984540054
    var = lambda p, n: p * (1 - p) / n if n else 0
    failure, context = (f / (f + s) if f + s else 0), fo / (fo + so)
    inc = failure - context
    err = z * math.sqrt(var(failure, f + s) + var(context, fo + so))
    imp = 2 / (1 / inc + math.log(nf) / math.log(f)) if f > 1 and inc > err else 0
    och = f / math.sqrt(nf * (f + s)) if f + s else 0
    tar = f / nf / (f / nf + s / ns) if f + s else 0
    bits, N, n = 0, nf + ns, f + s
    if n and f / n > nf / N: bits = entropy(nf, N) - entropy(f, n) - entropy(nf - f, N - n)
    return dict(bits=bits, failure=failure, context=context, increase=inc, increase_error=err, importance=imp, ochiai=och,
                tarantula=tar)
runs = [r for r in json.loads(out('wpp-runs', 'store', 'list', '--format=json'))['runs'] if r['label'] != 'unknown']
nf = sum(r['label'] == 'fail' for r in runs); ns = len(runs) - nf
count, sites, lines_in = collections.defaultdict(lambda: [0, 0]), {}, collections.defaultdict(set)
seen_line = collections.defaultdict(lambda: [0, 0])
each = []
for r in runs:
    true, s, lines = facts(r)
    sites.update(s); each.append((r['label'] == 'pass', true))
    for line, names in lines.items(): lines_in[line] |= names
    for p in true: count[p][r['label'] == 'pass'] += 1
    count['run'][r['label'] == 'pass'] += 1
for k, true in each:
    for line, names in lines_in.items():
        seen_line[line][k] += any(('routine', n) in true for n in names)
def figures(p):
    site = seen_line[p[1:]] if p[0] == 'line' else count[sites[p]]
    return (*count[p], *site)
def key(x):
    pair = lambda e: (e['routine'], e['path'])
    k = x['kind']
    if k == 'line': return (k, x['file'], x['line'])
    if k == 'routine': return (k, x['routine'])
    if k == 'path': return (k, *pair(x))
    if k == 'branch': return (k, x['routine'], x['from'], x['to'])
    if k in ('caller', 'callers'): return (k, *x['routines'])
    if k == 'depth': return (k, x['routine'], x['depth'])
    if k in ('pair', 'triple', 'before'): return (k, *map(pair, x['paths']))
    return None
got, wrong = {}, 0
for x in json.load(open('all.json'))['suspects']:
    k = key(x)
    n = (x['true']['fail'], x['true']['pass'], x['observed']['fail'], x['observed']['pass'])
    if k is not None:
        got[k] = x
        if k not in sites and count[k] == [0, 0] or figures(k) != n:
            wrong += 1; print('figures differ', k, figures(k) if k in sites else None, n)
    for name, value in scores(*n, nf, ns).items():
        if abs(value - x[name]) > 1e-6: wrong += 1; print('score', name, k, value, x[name])
kinds = collections.Counter(k[0] for k in got)
print(dict(kinds), nf, ns, file=sys.stderr)
branching = collections.Counter((p[1], p[2]) for p in sites if p[0] == 'branch')
best, deepest = {}, collections.defaultdict(list)
for p in sites:
    if p[0] == 'before':
        f = figures(p)
        if f[0] and f[:2] != f[2:]: best[p] = scores(*f, nf, ns)['importance']
    elif p[0] == 'branch':
        if branching[p[1:3]] > 1 and p not in got: wrong += 1; print('no branch', p)
    elif p[0] == 'depth':
        f = figures(p)
        if f != f[2:] * 2: deepest[p[1]].append((scores(*f, nf, ns), p))
    elif p not in got: wrong += 1; print('missing', p)
# Of all depths of a routine that which tells the runs best apart.
for list_ in deepest.values():
    best_of = max((round(s['importance'], 9), round(s['ochiai'], 9)) for s, p in list_)
    if not any(p in got and (round(s['importance'], 9), round(s['ochiai'], 9)) == best_of for s, p in list_):
        wrong += 1; print('missing depth', list_)
if sum(k[0] == 'depth' for k in got) != len(deepest): wrong += 1; print('depths', deepest)
limit = sorted(best.values(), reverse=True)[:1000][-1] if len(best) > 1000 else 0
for p, value in best.items():
    if os.environ['CONFIG'] != 'hostile' and value > limit + 1e-9 and p not in got: wrong += 1; print('missing order', p, value)
if wrong or min(kinds[k] for k in ('line', 'branch', 'routine', 'path', 'pair', 'triple', 'before', 'caller', 'callers')) < 3 or not kinds['depth']:
    sys.exit('%d differences' % wrong)
# By bits, each kind costs what it takes to name one of its predicates: those that are true of the same runs are one.
member = collections.defaultdict(set)
for i, (k, true) in enumerate(each):
    for p in true:
        if p in sites: member[p].add(i)
fails_of = {i for i, (k, true) in enumerate(each) if not k}
different = collections.defaultdict(set)
for p, runs_of in member.items():
    if runs_of & fails_of: different[p[0]].add(frozenset(runs_of))
for r in csv.DictReader(open('bits.csv')):
    if r['kind'] in ('line', 'routine', 'path', 'pair', 'triple', 'caller', 'callers') and \
       abs(float(r['bits']) - float(r['score']) - math.log2(len(different[r['kind']]))) > 1e-6:
        sys.exit('bits: %s %d' % (r, len(different[r['kind']])))
# The orders of the rows.
for sort in ('importance', 'increase', 'ochiai', 'tarantula', 'bits'):
    rows = list(csv.DictReader(open(sort + '.csv')))
    values = [float(r['score']) for r in rows]
    if values != sorted(values, reverse=True): sys.exit('not in order: ' + sort)
    for i, r in enumerate(rows):
        if int(r['rank']) != 1 + sum(v > values[i] for v in values): sys.exit('rank: ' + sort)
        if len({(s['fail'], s['pass']) for s in rows}) < 3: sys.exit('too few rows')
CODE
ok 'counts and scores are those of a script' python3 brute.py
tail -n 3 "$T/err" | sed 's/^/# /'

# ---- The bugs -----------------------------------------------------------------------------------------

ok 'one suspect for each bug' wpp-suspects --eliminate --sort=ochiai --format=json store
is 'together they are true of all failing runs' "$(python3 -c '
import json, sys
x = json.load(sys.stdin)
print(sum(s["true"]["fail"] for s in x["suspects"]) - x["failing"], len(x["suspects"]) < x["failing"])' < "$T/out")" \
    '0 True'
ok 'loops' wpp-suspects -q --all --kinds=loop --format=json store
is 'the one that goes round seven times or more' "$(python3 -c '
import json, sys
print([(s["times"], s["true"]["pass"]) for s in json.load(sys.stdin)["suspects"] if s["routine"] == "digits"])' \
    < "$T/out")" '[(7, 0)]'
ok 'the line that died' bash -c "wpp-suspects -q --kinds=line --all -n 9 store | grep 'line .* bug.c:31'"
ok 'who called it' bash -c "wpp-suspects -q --kinds=callers --sort=tarantula -n 0 --all store | grep -q 'leaf is called by inner, called by outer'"
# Rows of the list lie on lines that no row above has; of those that stand for themselves alone the text tells all lines.
ok 'each line once' wpp-suspects -q -n 0 --sort=ochiai --kinds=line,path,pair,triple --format=json store
is 'in the list' "$(python3 -c '
import json, re, sys
def lines(text):
    found = set()
    for part in re.findall(r"\[(.*?)\]", text) or [text]:
        for word in part.split():
            file, _, word = word.rpartition(":")
            a, _, b = word.partition("-")
            found |= set(range(int(a), int(b or a) + 1))
    return found
x, seen, again = json.load(sys.stdin), set(), 0
for i, s in enumerate(x["suspects"]):
    again += s["others"] == 0 and lines(s["text"]) <= seen
    seen |= lines(s["text"])
    again += s["row"] != i + 1
print(again, x["folded"] > 0, len(seen) > 20)' < "$T/out")" '0 True True'
is 'others can be shown' "$(wpp-suspects -q -n 0 --all --sort=ochiai --format=json store | grep -c '"row"')" \
    "$(grep -c '"row"' all.json)"
is 'lines alone do not see the order' "$(wpp-suspects -q --kinds=line,branch --format=csv store | grep -c ',before,')" 0
ok 'the nearest runs are named' grep -Eq 'run [0-9]+ fails so; run [0-9]+ passes, with [0-9.]+ % of the paths in common' text
like 'and where they part' "$(cat text)" 'they part after [0-9,]+ equal paths?, in [a-z]+ at bug.c:[0-9]+'
# Where wpp-diff says it, too.
read -r fail pass <<< "$(sed -n 's/.*run \([0-9]*\) fails so; run \([0-9]*\) passes.*/\1 \2/p' text | head -n 1)"
wpp-runs store export "$fail" -o fail.wpp
wpp-runs store export "$pass" -o pass.wpp
place=$(sed -n 's/.*they part after .*, in .* at \(.*\)$/\1/p' text | head -n 1)
wpp-diff -q fail.wpp pass.wpp > diff
like 'which is where wpp-diff sees it' "$(cat diff)" "$place"
is 'ties have one rank' "$(wpp-suspects -q -n 0 --all --kinds=line --format=csv store |
    awk -F, 'NR > 1 && $2 == score && $1 != rank { bad++ } { score = $2; rank = $1 } END { print bad + 0 }')" 0
is 'the same twice' "$(wpp-suspects -n 0 store | md5sum)" "$(wpp-suspects -n 0 store | md5sum)"

# ---- Threads, an oracle's labels, unlabelled runs, other builds ------------------------------------------

cat > threads.c << 'CODE'
#include <pthread.h>
#include <stdlib.h>
__attribute__((noinline)) static void a(void) { __asm__(""); }
__attribute__((noinline)) static void b(void) { __asm__(""); }
static void *work(void *swapped)
{
    if (swapped) { b(); a(); } else { a(); b(); }
    return 0;
}
int main(int n, char **arg)
{
    pthread_t t;
    int bad = atoi(arg[1]) % 3 == 0;
    pthread_create(&t, 0, work, bad ? arg : 0);
    pthread_join(t, 0);
    return bad + 0 * n;
}
CODE
ok 'a program with threads' "$WPP_GCC" -O1 -o threads threads.c -pthread
for n in $(seq 12); do wpp-record -q --runs=two ./threads $n; done
run wpp-record -q --runs=two --oracle='exit 125' ./threads 3
ok 'ranked' wpp-suspects -q --all --kinds=before,pair --format=json two
is 'a thread in the wrong order' "$(python3 -c '
import json, sys
x = json.load(sys.stdin)
print(x["failing"], x["passing"], x["unlabelled"],
      any([p["routine"] for p in s["paths"]] == ["b", "a"] and s["true"] == {"fail": 4, "pass": 0}
          for s in x["suspects"]))' < "$T/out")" '4 8 1 True'
sed -i 's/return 0;/return (void *)0;/' threads.c
ok 'another build' "$WPP_GCC" -O1 -o threads threads.c -pthread
for n in $(seq 4); do wpp-record -q --runs=two ./threads $n; done
like 'is told' "$(wpp-suspects -q two)" '^5 failing and 11 passing runs of 2 builds \(1 without a label left out\)'
for n in 1 2; do wpp-record -q --runs=three ./threads $n; done
fails 'no run failed' wpp-suspects three
wpp-record -q --runs=three ./threads 3
run wpp-suspects three
is 'one run is too few for importance' "$status $(grep -c 'only one run failed' "$T/err")" '0 1'
like 'not for Ochiai' "$(wpp-suspects -q --sort=ochiai three)" '1 +1.000'

fails 'no store' wpp-suspects nowhere
fails_with 2 'no folder named' wpp-suspects
fails_with 2 'no such kind' wpp-suspects --kinds=line,lime store
fails_with 2 'no such score' wpp-suspects --sort=luck store
fails_with 2 'all and one for each bug' wpp-suspects --all --eliminate store
fails 'a full disk' bash -c 'wpp-suspects store > /dev/full'
done_testing
