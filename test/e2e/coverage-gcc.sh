#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 40
# wpp-coverage beside newer GCCs: values of conditions are those of -fcondition-coverage (GCC 14), prime paths those of
# -fpath-coverage (GCC 15), function by function.
. "$(dirname "$0")/lib.sh"
. "$ROOT/test/real/programs.sh"
cd "$T" || exit 1

echo 'int nothing;' > flag.c
knows() {
    gcc "$1" -c -o flag.o flag.c 2> /dev/null
}
if ! knows -fcondition-coverage; then
    skip "gcc $(gcc -dumpversion) has no -fcondition-coverage, which came with GCC 14"
    done_testing
elif ! command -v jq > /dev/null || ! command -v python3 > /dev/null; then
    skip 'there is no jq, or no python3'
    done_testing
fi
flags=(--coverage -fcondition-coverage)
views=--conditions
if knows -fpath-coverage; then
    # gcov writes each path that was missed.
    flags+=(-fpath-coverage -fpath-coverage-limit=2000)
    views="$views --prime-paths"
else
    skip "gcc $(gcc -dumpversion) has no -fpath-coverage, which came with GCC 15"
fi

# theirs FILE.gcda...: `conditions FILE:FUNCTION COVERED ALL`, `paths FILE:FUNCTION COVERED ALL`; functions without any
# are left out, and those with too many paths
theirs() {
    gcov --json-format --stdout $views "$@" 2> gcov.err > theirs.json
    jq -r '
        .files[] | (.file | sub(".*/"; "")) as $file |
        ([.lines[] | select(.conditions) | {f: .function_name, c: .conditions[]}] | group_by(.f)[] |
            "conditions \($file):\(.[0].f) \([.[].c.covered] | add) \([.[].c.count] | add)"),
        (.functions[] | select((.total_prime_paths // 0) > 0) |
            "paths \($file):\(.name) \(.covered_prime_paths) \(.total_prime_paths)")' theirs.json | sort
}
# ours FILE.wpp: the same
ours() {
    wpp-coverage --format=json --mcdc --prime-paths "$1" > ours.json
    jq -r '
        .files[] | (.file | sub(".*/"; "")) as $file | .routines[] | "\($file):\(.routine)" as $f |
        ([.decisions[].conditions[] | .true_decided, .false_decided] | select(length > 0) |
            "conditions \($f) \(map(select(.)) | length) \(length)"),
        (.prime | select(.all > 0 and (.limited | not)) | "paths \($f) \(.executed) \(.all)")' ours.json | sort
}
# compare NAME WPP FILE.gcda...: into `joined`: what function, theirs, ours, all of theirs, all of ours
compare() {
    local name=$1 wpp=$2

    shift 2
    theirs "$@" > theirs
    ours "$wpp" > ours
    # Of paths, functions that they count.
    awk 'NR == FNR { executed[$1 " " $2] = $3; all[$1 " " $2] = $4; next }
        { key = $1 " " $2; seen[key] = 1 }
        key in all { print key, executed[key], $3, all[key], $4; next }
        $1 == "conditions" { print key, "-", $3, "-", $4 }
        END { for (key in all) if (!(key in seen)) print key, executed[key], "-", all[key], "-" }' theirs ours > joined
    ok "$name: there are functions to compare" test "$(wc -l < joined)" -gt 3
}
# Functions of `joined` that differ.
differ() {
    awk -v what="$1" '$1 == what && ($3 != $4 || $5 != $6) { print $2, $3, $4, $5, $6 }' joined
}
# What only gcov has of the last comparison: functions with more paths, and whether all that were missed and that we do
# not have are a part of another path.  By definition a prime path is none.
alone() {
    python3 - theirs.json ours.json << 'END_PYTHON'
import json, os, sys
theirs, ours = (open(name).read().split('\n') for name in sys.argv[1:])
have = {}
for file in json.loads('\n'.join(ours))['files']:
    for r in file['routines']:
        have[os.path.basename(file['file']), r['routine']] = [p['blocks'] for p in r['prime']['paths']]
for line in filter(None, theirs):
    for file in json.loads(line)['files']:
        for f in file['functions']:
            name = os.path.basename(file['file']), f['name']
            paths = have.get(name, [])
            if not paths or f.get('total_prime_paths', 0) <= len(paths):
                continue
            missed = [[b['block_id'] for b in p['sequence']] for p in f['prime_path_coverage']]
            part = lambda t: any(p[i:i + len(t)] == t for p in paths for i in range(len(p) - len(t) + 1) if len(p) > len(t))
            alone = [t for t in missed if t not in paths]
            print(':'.join(name), 'parts' if len(alone) == f['total_prime_paths'] - len(paths) and all(map(part, alone)) else 'others')
END_PYTHON
}
# both NAME SOURCE: a program of one source, recorded and counted
both() {
    "$WPP_GCC" -O0 -w -o "$1" "$2" && rm -f "$1.wpp" && wpp-record -q -o "$1.wpp" "./$1" > /dev/null
    mkdir -p "counted-$1" && gcc -O0 -w "${flags[@]}" -c -o "counted-$1/$1.o" "$2" && gcc --coverage -o "counted-$1/$1" "counted-$1/$1.o" &&
        "counted-$1/$1" > /dev/null
    compare "$1" "$1.wpp" "counted-$1/$1.gcda"
}

cat > forms.c << 'END_C'
#include <stdio.h>
int a = 1, b, c = 3;
int one(int x) { if (x) return 1; return 2; }
int loop(int n)
{
    int s = 0;

    for (int i = 0; i < n; i++) {
        if (i & 1)
            s += 3;
        else if (i == 4)
            continue;
        else
            s += 1;
    }
    return s;
}
int choose(int x)
{
    switch (x) {
    case 1: return 10;
    case 2: x++; break;
    default: return 0;
    }
    return x;
}
int nested(int n)
{
    int s = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (j % 2 && (i > 2 || s > 3))
                s += j;
    return s;
}
int out(int n)
{
again:
    if (n > 10)
        goto end;
    n += n > 5 ? 2 : 3;
    goto again;
end:
    return n;
}
int main(void)
{
    int n = 0, x = a && b;

    while (n < 5 && (a || b))
        n++;
    do {
        n--;
    } while (n > 0 && c);
    printf("%d %d %d %d %d\n", one(n), loop(5), choose(2), nested(5), out(1));
    return (x ? a : b) && c == 0 ? 1 : 0;
}
END_C
both forms forms.c
is 'forms: values of conditions' "$(differ conditions)" ''
# gcov makes a goto a block of its own.  A block more on a loop is a path more, which begins there.
if knows -fpath-coverage; then
    is 'forms: prime paths' "$(differ paths)" 'forms.c:out 12 10 15 12'
fi

# gcov counts a value as one that decided in some large decisions where the opposite would have led to the same
# outcome: coverage-mcdc.sh compares ours with an evaluator.
for form in '1 read' '2 call' '7 read'; do
    set -- $form
    perl "$ROOT/test/e2e/coverage/decisions.pl" $form > /dev/null
    mv prog.c "decisions-$1.c"
    both "decisions-$1" "decisions-$1.c"
    is "$form: as many conditions, and never more that decided" "$(differ conditions | awk '$4 != $5 || $3 > $2')" ''
    is "$form: many functions are the same" "$(awk '$1 == "conditions" { n++; same += $3 == $4 } END { print (same > n / 3) }' joined)" 1
done

# A real program.
real=$(real_prepare bzip2 2>&1 && real_input bzip2 small 2>&1)
if [ -d "$(real_tree bzip2)" ]; then
    real_build bzip2 "$WPP_GCC" -O0 "$T/real" > real.log 2>&1
    real_build bzip2 "gcc ${flags[*]}" -O0 "$T/gcov" > gcov.log 2>&1
    mkdir run && cd run || exit 1
    real_command bzip2 "$T/real/bzip2" small
    wpp-record -q -o "$T/real.wpp" "${command[@]}" > /dev/null
    real_command bzip2 "$T/gcov/bzip2" small
    "${command[@]}" > /dev/null
    cd "$T" || exit 1
    compare bzip2 real.wpp gcov/*.gcda
    is 'bzip2: as many conditions, and never more that decided' "$(differ conditions | awk '$4 != $5 || $3 > $2')" ''
    is 'bzip2: values of conditions are the same in nearly all functions' "$(awk '$1 == "conditions" { n++; same += $3 == $4 }
        END { print (same > 0.95 * n) }' joined)" 1
    is 'bzip2: prime paths are never more' "$(differ paths | awk '$5 > $4 || $3 > $2')" ''
    is 'bzip2: what only gcov counts is part of another path' "$(alone | awk '$2 != "parts"')" ''
    is 'bzip2: and are the same in nine of ten functions' "$(awk '$1 == "paths" { n++; same += $5 == $6 && $3 == $4 }
        END { print (n == 0 || same > 0.9 * n) }' joined)" 1
else
    skip "bzip2: its source cannot be had here ($real)"
fi
[ ! -f joined ] || awk '{ n[$1]++; same[$1] += $3 == $4 && $5 == $6 }
    END { for (w in n) print "# the last program, " w ": " same[w] " of " n[w] " functions are the same" }' joined
done_testing
