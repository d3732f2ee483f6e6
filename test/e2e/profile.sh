#!/bin/bash
# SPDX-License-Identifier: MIT
# Path profiles: wpp-profile, the file it writes, and what the other tools make of it.
. "$(dirname "$0")/lib.sh"
read_wpp=$BUILD/test/read-wpp
# The second reader keeps its memory to the end on purpose.
export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
cd "$T" || exit 1

# ---- The document's example ------------------------------------------------------------------

for letter in a b b c b c a b b c; do printf '%s\0\0\0' $letter; done > example
wpp-compress --symbols < example > example.wpp
wpp-profile -o example.prof example.wpp
awk '/profile.sh compares this/ { mine = 1 }
     /^```/ { inside = !inside; if (!inside && mine) exit; next }
     mine && inside { for (i = 2; i <= NF; i++) print $i }' "$ROOT/docs/wpp-format.md" > want
od -An -v -tx1 example.prof | tr -s ' ' '\n' | sed '/^$/d' > got
same 'docs/wpp-format.md: the worked example is what is written' got want
is 'the second reader counts the symbols' "$("$read_wpp" --counts example.prof)" '2 1
- 97 2
- 98 5
- 99 3'
fails 'symbols have no routines to show' wpp-profile example.wpp

# ---- A program -------------------------------------------------------------------------------

cat > p.c << 'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int collatz(int n)
{
    int steps = 0;

    while (n != 1) {
        if (n % 2)
            n = 3 * n + 1;
        else
            n /= 2;
        steps++;
    }
    return steps;
}

static int only_long(int n)
{
    return n > 10 ? n : -n;
}

int main(int argc, char **argv)
{
    static int v[500];
    int n = argc > 1 ? atoi(argv[1]) : 500;
    long sum = 0;

    for (int i = 0; i < n; i++)
        v[i] = (i * 7919) % 503;
    qsort(v, n, sizeof v[0], compare);
    for (int i = 0; i < n; i++) {
        if (v[i] % 3)
            sum += collatz(v[i] + 1);
        else
            sum -= i;
    }
    if (n > 300)
        sum += only_long((int)sum);
    printf("%ld\n", sum);
    return 0;
}
C
"$WPP_GCC" -O1 -g -fno-inline -o p p.c || exit 1
wpp-record -q -o long.wpp ./p > /dev/null
wpp-record -q -o short.wpp ./p 100 > /dev/null
ok 'a path profile of a WPP' wpp-profile -o long.prof long.wpp
wpp-profile -o short.prof short.wpp

# routine, path, count, blocks: of the expanded trace, and of the profile.
expand() {
    "$read_wpp" --text "$1" | sort | awk '$3 != "-" { $1 = $2 = ""; n[$0]++ } END {
        for (x in n) {
            split(x, f, " "); k = x; sub(/^ *[^ ]+ [^ ]+/, "", k); print f[1], f[2], n[x] k
        } }' | sort
}
"$read_wpp" --counts long.prof > counts
is 'the profile says what it counts' "$(head -n 1 counts)" '2 1'
expand long.wpp > want
sed 1d counts | sort > got
ok 'there are paths' test "$(wc -l < got)" -gt 10
same 'its counts are those of the expanded trace, and the blocks too' got want
expand short.wpp > want.short

same_answers 'the table' long.wpp long.prof wpp-profile
for view in --paths --blocks --edges --lines --edge-prediction '--routine=main' '--sort=calls'; do
    for format in text json csv; do
        same_answers "$view, $format" long.wpp long.prof wpp-profile $view --format=$format
    done
done
for view in --line-counts --executions --routines; do
    same_answers "wpp-dump $view" long.wpp long.prof wpp-dump $view
done

wpp-dump --line-counts long.wpp > want.lines
wpp-profile --lines --format=csv long.prof | tr -d '\r' |
    awk -F , '$1 == "line" { gsub(/"/, "", $4); print $4 ":" $5, $8 }' > got.lines
same '--lines are those of wpp-dump --line-counts' got.lines want.lines
wpp-profile --blocks --format=csv long.prof | tr -d '\r' |
    awk -F , '$1 == "block" { gsub(/"/, "", $3); print $3, $6, $8 }' | sort > got.blocks
awk '{ for (i = 4; i <= NF; i++) n[$1 " " $i] += $3 } END { for (x in n) print x, n[x] }' want |
    sort > want.blocks
same '--blocks are the sums over paths' got.blocks want.blocks
wpp-profile --edges --format=json long.prof | grep '"kind": "real"' |
    sed 's/.*"routine": "\([a-z_]*\)".*"from": \([0-9]*\), "to": \([0-9]*\),.*"count": \([0-9]*\).*/\1 \2 \3 \4/' |
    awk '$3 != 1' | sort > got.edges
awk '{ for (i = 4; i < NF; i++) n[$1 " " $i " " $(i + 1)] += $3 } END { for (x in n) print x, n[x] }' want |
    sort > want.edges
ok 'there are edges' test -s want.edges
same '--edges, too' got.edges want.edges

# Routines: executed paths, calls, executions.
wpp-profile --format=csv long.prof | tr -d '\r' |
    awk -F , '$1 == "routine" { gsub(/"/, "", $3); print $3, $8, $10, $12 }' | sort > got.routines
awk '{ n[$1]++; count[$1] += $3 } END { for (r in n) print r, count[r], n[r] }' want | sort > sums
wpp-dump --routines long.wpp | awk 'NR > 1 { print $5, $2 }' | sort > calls
join sums calls > want.routines
same 'routines: executions, paths, calls' got.routines want.routines
like 'the first screen: a routine' "$(wpp-profile long.prof)" \
    '^ +[0-9.]+ % +[0-9]+ +[0-9]+ +[0-9,]+ +[0-9,]+  collatz  p\.c:10$'
like 'and what is hot' "$(wpp-profile long.prof)" \
    '^hot: at least 0.125 % of all executions: [0-9]+ of [0-9]+ paths, with [0-9.]+ % of the executions'
is 'hot paths: those with the share' \
    "$(wpp-profile --min-share=5 --format=csv long.prof | grep -c ^path)" \
    "$(awk '{ n += $3; c[NR] = $3 } END { for (i in c) k += c[i] >= n * 0.05; print k }' want)"
is '--routine shows its paths alone' \
    "$(wpp-profile --routine=collatz --format=csv long.prof |
        awk -F , '$1 == "path" { print $3 }' | sort -u)" '"collatz"'
is '--top' "$(wpp-profile --top=2 --format=csv long.prof | grep -c ^routine)" 2

# ---- The file --------------------------------------------------------------------------------

wpp-profile -o again.prof long.prof
same 'a profile of a profile: the same bytes' again.prof long.prof
wpp-profile -o - long.wpp > piped.prof
same 'by standard output, too' piped.prof long.prof
fails 'no file is replaced' wpp-profile -o again.prof long.wpp
ok 'but with -f' wpp-profile -f -o again.prof long.wpp
fails 'nor the input' wpp-profile -f -o long.prof long.prof
ok 'wpp-check finds it fine' wpp-check long.prof
executed=$(awk '{ n += $3 } END { print n }' want)
is 'and says what it is' "$(cat out)" "long.prof: fine: a path profile: $(wc -l < want) paths of 4 \
routines, executed $executed times in 1 run"
like 'wpp-info' "$(wpp-info long.prof)" '^path profile +counts of paths that calls cut, in no order$'
like 'wpp-info --format=json' "$(wpp-info --format=json long.prof)" \
    '"profile":"paths that calls cut","runs":1,"paths":[0-9]+,"rules":null'
figures() {
    wpp-info "$1" | grep -E '^(calls|instructions|paths executed)'
}
is 'and its calls are those of the WPP' "$(figures long.prof)" "$(figures long.wpp)"

# What needs the order says so.
for tool in wpp-hot wpp-dump 'wpp-dump --lines' 'wpp-dump --calls' 'wpp-dump --tokens' \
            'wpp-dump --line-counts --thread=0' 'wpp-dot' 'wpp-report' 'wpp-check --strict'; do
    fails_with 1 "$tool refuses it" $tool long.prof
    like 'and names wpp-profile' "$(cat err)" \
        'is a path profile, which does not hold the order.*wpp-profile shows it$'
done
fails 'it has no grammar to improve' wpp-compress --best -o better.wpp long.prof
like 'which is said' "$(cat err)" 'is a path profile: it has no grammar'

# ---- Damage ----------------------------------------------------------------------------------

# The counts are the last section; two wrong bytes cannot be mended.
size=$(stat -c %s long.prof)
{ head -c $((size - 9)) long.prof; printf '\377\377\377\377'; tail -c 5 long.prof; } > hurt.prof
fails_with 3 'without counts there is no profile' wpp-profile hurt.prof
like 'which is said' "$(cat err)" 'the counts of paths are damaged \(section 12 at byte [0-9]+\); '\
'there is no answer without the counts of paths'
fails_with 3 'nor line counts' wpp-dump --line-counts hurt.prof
run wpp-info hurt.prof
is 'wpp-info shows the rest' "$status $(grep -c '^paths executed' out)" '3 1'
head -c $((size - 3)) long.prof > cut.prof
fails_with 3 'a profile that is cut' wpp-profile cut.prof
printf '\1' | cat long.prof - > more.prof
fails_with 3 'something behind its end' wpp-check more.prof
cp long.prof one.prof
printf '\177' | dd of=one.prof bs=1 seek=$((size - 4)) conv=notrunc 2> /dev/null
run wpp-profile --paths --format=csv one.prof
cp out mended
wpp-profile --paths --format=csv long.prof > out
same 'one wrong byte costs nothing' mended out
is 'but is said' "$status" 3

# ---- Sums ------------------------------------------------------------------------------------

ok 'two runs are summed' wpp-profile --merge -o sum.prof long.wpp short.prof
is 'without a word' "$(cat err)" ''
"$read_wpp" --counts sum.prof > counts
is 'the sum has two runs' "$(head -n 1 counts)" '2 2'
sed 1d counts | sort > got
sort want want.short | awk '{ id = $1 " " $2; n[id] += $3; sub(/^[^ ]+ [^ ]+ [^ ]+/, ""); rest[id] = $0 }
    END { for (id in n) print id, n[id] rest[id] }' | sort > want.sum
same 'and the executions of both' got want.sum
wpp-profile --merge -o other.prof short.prof long.prof
"$read_wpp" --counts other.prof | sed 1d | sort > got.other
same 'in any order' got.other got
wpp-profile --merge -f -o twice.prof sum.prof sum.prof
is 'a sum of sums' "$("$read_wpp" --counts twice.prof | sed 1d | awk '{ n += $3 } END { print n }')" \
    "$(awk '{ n += 2 * $3 } END { print n }' want.sum)"
ok 'wpp-check finds it fine' wpp-check sum.prof

sed 's/steps++;/steps += n > 0 ? 1 : 2;/' p.c > q.c
cp p.c kept.c && cp q.c p.c && "$WPP_GCC" -O1 -g -fno-inline -o p p.c && cp kept.c p.c
wpp-record -q -o changed.wpp ./p > /dev/null
ok 'another build is summed' wpp-profile --merge -o builds.prof long.wpp changed.wpp
like 'and what differs is kept apart, which is said' "$(cat err)" \
    '^wpp-profile: 1 of 5 routines differ from one of the same name and are kept apart, as collatz '
is 'all other routines are added' \
    "$(wpp-profile --format=csv builds.prof | awk -F , '$1 == "routine" { n[$3]++ }
        END { for (r in n) print n[r], r }' | sort -k 2 | tr '\n' ' ')" \
    '2 "collatz" 1 "compare" 1 "main" 1 "only_long" '
is 'main ran twice' "$(wpp-profile --format=csv builds.prof |
    awk -F , '$1 == "routine" && $3 == "\"main\"" { print $12 }')" 2
fails_with 2 'a sum needs a place' wpp-profile --merge long.wpp short.wpp
fails 'which is none of its parts' wpp-profile --merge -f -o short.prof long.prof short.prof

# ---- Differences -----------------------------------------------------------------------------

ok 'two runs are compared' wpp-profile --diff --format=csv long.wpp short.wpp
tr -d '\r' < out | awk -F , '$1 == "path" { gsub(/"/, ""); print $4, $7, $8, $9, $2 }' | sort > got
paste_keys() { awk '{ print $1 ":" $2, $3 }' "$1" | sort; }
join -a 1 -a 2 -e 0 -o 0,1.2,2.2 <(paste_keys want) <(paste_keys want.short) |
    awk '$2 != $3 { sub(/:/, " ", $1)
                    print $1, $2, $3, $2 == 0 ? "new" : $3 == 0 ? "gone" : "changed" }' |
    sort > want.diff
is 'there are differences of each kind' "$(awk '{ print $5 }' want.diff | sort -u | tr '\n' ' ')" \
    'changed gone new '
same 'each path that differs is there' got want.diff
wpp-profile --diff --format=csv short.wpp long.wpp | tr -d '\r' |
    awk -F , '$1 == "path" { gsub(/"/, "")
                             print $4, $7, $9, $8, $2 == "new" ? "gone" : $2 == "gone" ? "new" : $2 }' |
    sort > got
same 'the other way round: what was new is gone' got want.diff
join <(paste_keys want) <(paste_keys want.short) |
    awk '{ n++; a += $2; b += $3 } END { print n, a, b }' > common
# Figures of one side's overlap.
overlap() {
    wpp-profile --diff --format=json long.wpp short.wpp | tr -d '\n' |
        sed "s/.*\"overlap\": {.*\"$1\": {\([^}]*\)}.*/\1/" | grep -o "\"$2\": [0-9]*" | sed 's/.* //'
}
is 'and what both have' "$(overlap a common_paths) $(overlap a common_count) $(overlap b common_count)" \
    "$(cat common)"
is 'of what each has' "$(overlap a paths) $(overlap b paths)" "$(wc -l < want) $(wc -l < want.short)"
is 'a run does not differ from itself' "$(wpp-profile --diff --format=csv long.wpp long.prof | wc -l)" 1
like 'a routine of another build is not compared' "$(wpp-profile --diff long.wpp changed.wpp)" \
    'collatz \[changed, [AB]\] '
fails_with 2 'three files' wpp-profile --diff long.wpp short.wpp changed.wpp
fails_with 2 'a view with --diff' wpp-profile --diff --paths long.wpp short.wpp
fails_with 2 '--diff and --merge' wpp-profile --diff --merge -o x long.wpp short.wpp

# ---- What edges tell: the example of Ball and Larus ------------------------------------------

cat > example.c << 'C'
#include <stdlib.h>
static volatile int a, b, c, d, e, f;
__attribute__((noinline, noipa)) static void way(int over_b, int to_d, int over_e)
{
    a++;
    if (over_b) {
        b++;
        if (to_d)
            goto last;
    }
    c++;
last:
    d++;
    if (over_e)
        e++;
    f++;
}
/* ACDF, ACDEF, ABCDF, ABCDEF, ABDF, ABDEF: how often each. */
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        for (int k = atoi(argv[i]); k > 0; k--)
            way(i > 2, i > 4, i % 2 == 0);
    return 0;
}
C
for level in -O0 -O1; do
    "$WPP_GCC" $level -g -o example example.c || exit 1
    wpp-record -q -o first.wpp ./example 90 60 0 100 20 0
    wpp-record -q -o second.wpp ./example 110 40 0 100 0 20
    for run in first second; do
        wpp-profile --routine=way --edges --format=csv $run.wpp > $run.edges
        wpp-profile --routine=way --paths --format=csv $run.wpp |
            awk -F , '$1 == "path" { print $8 }' | sort -n | tr '\n' ' ' > $run.paths
        wpp-profile --routine=way --edge-prediction --min-share=0 --format=csv $run.wpp | tr -d '\r' |
            awk -F , '$1 == "path" { print $5, $8, $9, $6 }' | sort > $run.bounds
    done
    same "$level: two profiles with the same edges" first.edges second.edges
    is "$level: have other paths" "$(cat first.paths second.paths)" '20 60 90 100 20 40 100 110 '
    is "$level: the same bounds" "$(join first.bounds second.bounds | awk '$2 != $5 || $3 != $6')" ''
    is "$level: which are the example's" \
        "$(awk '{ n[$2 ".." $3]++ } END { for (x in n) print n[x], x }' first.bounds second.bounds |
            sort | tr '\n' ' ')" \
        '2 0..100 2 0..110 2 0..20 2 40..150 '
    is "$level: and hold" "$(awk '$4 < $2 || $4 > $3' first.bounds second.bounds)" ''
done
prediction=$(wpp-profile --edge-prediction long.wpp)
like 'paths that are predicted' "$prediction" \
    '^[0-9.]+ % of [0-9]+ paths are predicted whole, [0-9.]+ % of the executions$'

# ---- Counting modes: the same runs, counted while they go ------------------------------------

calls_of() {
    wpp-profile --format=csv "$1" | awk -F , '$1 == "routine" { print $3, $12 }' | sort
}
for mode in paths calls-cut edges; do
    WPP_PLUGIN_ARGS=mode=$mode "$WPP_GCC" -O1 -g -fno-inline -o "p.$mode" p.c
    wpp-record -q -o "$mode.prof" "./p.$mode" > /dev/null
    wpp-profile --lines --format=csv "$mode.prof" > "$mode.lines"
    wpp-profile --lines --format=csv long.wpp > want.lines
    same "mode=$mode: lines are those of the trace" "$mode.lines" want.lines
    is "mode=$mode: calls are" "$(calls_of "$mode.prof")" "$(calls_of long.wpp)"
done
is 'mode=calls-cut counts the paths of the trace' \
    "$(wpp-profile --diff --format=csv calls-cut.prof long.wpp | wc -l)" 1
like 'mode=edges says so' "$(wpp-profile edges.prof)" \
    '^[0-9.]+ k instructions, [0-9.]+ k executions of [0-9]+ edges$'
fails 'edges predict no edges' wpp-profile --edge-prediction edges.prof
fails 'edges and paths are not summed' wpp-profile --merge -o mixed.prof paths.prof edges.prof
absent 'and no file is left' mixed.prof
fails 'nor compared' wpp-profile --diff paths.prof long.wpp

fails_with 2 'no file' wpp-profile
fails_with 2 'a wrong share' wpp-profile --min-share=101 long.wpp
fails 'a routine that was not executed' wpp-profile --routine=nothing long.wpp
fails 'a file that is none' wpp-profile p.c
done_testing
