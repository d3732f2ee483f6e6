#!/bin/bash
# SPDX-License-Identifier: MIT
# wpp-samples: paths from branch records, of a program that is stepped through and of recorded runs.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

cat > work.c <<'END'
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static int step(int i)
{
    int s = 0;
    if (i % 3 == 0)
        s += 5;
    else
        s -= 1;
    if (i % 2)
        s *= 2;
    return s;
}
static int by_value(const void *a, const void *b)
{
    return *(const int *)a > *(const int *)b ? 1 : -1;
}
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 10, s = 0, v[32];
    for (int i = 0; i < n; i++)
        s += step(i);
    for (int i = 0; i < 32; i++)
        v[i] = (i * 37 + s) % 101;
    qsort(v, 32, sizeof *v, by_value);
    printf("%d %d\\n", s, v[0]);
    return 0;
}
END

# ---- A run whose branches are all known ------------------------------------------------------------
WPP_PLUGIN_ARGS=mode=map wpp-gcc -O1 work.c -o work
strip work
ok 'a run is stepped through' "$BUILD/test/unit/address-map" --records text 16 8 ./work 3000
ok 'a profile of its samples' wpp-samples --period=8 -o work.prof ./work text
like 'says what there was' "$(cat out)" '^[0-9,]+ samples with [0-9,]+ branches, 1[56]\.'
like 'and that nothing was impossible' "$(cat out)" '^ +0\.0 %  impossible: 0 runs .* 0 jumps$'
# between NAME N LEAST MOST
between() {
    ok "$1: $2 is from $3 to $4" awk -v n="$2" -v least="$3" -v most="$4" 'BEGIN { exit !(n + 0 >= least && n + 0 <= most) }'
}
count() {       # executions of a line
    wpp-profile --lines --format=csv "$1" | awk -F, -v line="$2" '$1 == "line" && $3 == line { print $4 }' | tr -d '\r'
}
for how in flow equal; do
    wpp-samples -q -f --estimate=$how --period=8 -o work.prof ./work text
    like "$how: wpp-profile reads it" "$(wpp-profile work.prof)" 'calls do not cut paths'
done
wpp-samples -q -f --period=8 -o work.prof ./work text
wpp-profile --lines --format=csv work.prof > lines.csv
calls=$(wpp-profile --format=json work.prof | tr '{' '\n' | sed -n 's/.*"routine": "step".*"calls": \([0-9]*\).*/\1/p' | head -n 1)
between 'calls of step' "$calls" 2850 3150
ok 'JSON' wpp-samples -f --format=json -o work.prof ./work text
like 'has what the text has' "$(cat out)" '^\{"samples": [0-9]+, "branches": [0-9]+,.*"paths": [0-9]+\}$'
wpp-samples -q -o - ./work < text > piped.prof
wpp-samples -q -f -o work.prof ./work text
same 'samples on standard input' piped.prof work.prof
wpp-samples -o - ./work text > talked.prof 2> err
same 'what is said does not come between' talked.prof work.prof
like 'but is said' "$(cat err)" '^[0-9,]+ samples with'
ok 'regions' wpp-samples -q -f --regions -o work.prof ./work text

# ---- Recorded runs --------------------------------------------------------------------------------------
wpp-gcc -O1 work.c -o traced
wpp-record -qo run.wpp ./traced 3000 > out
ok 'accuracy, of all branches' wpp-samples --accuracy --depth=64 --period=1 -o true.prof run.wpp
like 'it is 100 %' "$(tail -n 1 out)" '^ +64 +1 +[0-9,]+ +[0-9.]+ % +100\.0 % +[0-9.]+ % +(99\.[0-9]|100\.0) %'
# The run's own paths, uncut by calls, are those that the program counts itself.
WPP_PLUGIN_ARGS=mode=paths wpp-gcc -O1 work.c -o counting
wpp-record -qo counted.prof ./counting 3000 > out
wpp-profile --lines --format=csv counted.prof | grep ^line | sort > counted
wpp-profile --lines --format=csv true.prof | grep ^line | sort > true
ok 'there are lines' test "$(wc -l < counted)" -gt 10
same 'the truth is what a counting program counts' true counted
ok 'accuracies' wpp-samples --accuracy --format=json run.wpp
like 'of all depths' "$(tr '{' '\n' < out | grep -c '"depth"')" '^[48]$|^1[26]$|^20$'
ok 'a plan' wpp-samples --plan run.wpp
like 'has one period for a depth at most' "$(awk '$1 ~ /^(4|8|16|32)$/ { n[$1]++ } END { for (d in n) if (n[d] > 1) print d }' out)" '^$'

# ---- By routine ------------------------------------------------------------------------------------------
ok 'accuracy by routine' wpp-samples --accuracy --by-routine --depth=4 --period=50 --format=json run.wpp
like 'has all of the run' "$(tr '{' '\n' < out | sed -n 's/.*"executions": \([0-9.]*\).*/\1/p' | awk '{ s += $1 } END { printf "%.3f", s }')" '^1\.000$'
ok 'as text' wpp-samples --accuracy --by-routine --depth=4 --period=50 run.wpp
like 'with the executions of step' "$(cat out)" "^ +[0-9.]+ % +[0-9.]+ % +[0-9]+ +[0-9.]+ % +[0-9.]+ % +[0-9.]+ % +[0-9.]+ %  step$"

# ---- What no sample tells apart ------------------------------------------------------------------------
cat > pair.c <<'END'
volatile int sink;
__attribute__((noinline)) void touch(int n) { sink = n; }
__attribute__((noinline)) void pair(int a, int b)
{
    if (a)
        sink++;
    touch(a);
    if (b)
        sink--;
    sink = 0;
}
int main(int argc, char **argv)
{
    pair(argc > 1, argc > 2);
    return 0;
}
END
WPP_PLUGIN_ARGS=mode=map wpp-gcc -O1 pair.c -o pair
ok 'paths that are alike' wpp-samples --alike --depth=3 pair
like 'between two branches and a call' "$(cat out)" '^ +4 +4 +1 +4 +7 and (7|8)  pair$'
ok 'with longer samples' wpp-samples --alike pair
like 'there are none' "$(cat out)" '^ +[0-9]+ +0 +0 +0 +0  all routines$'
ok 'as JSON' wpp-samples --alike --depth=3 --format=json pair
like 'the same' "$(cat out)" '"routine": "pair", .*"depths": \[\{"depth": 3, "alike": 4, "classes": 1, "largest": 4, "from_line": 7, "to_line": [78]\}\]'

# ---- Counts for the compiler -----------------------------------------------------------------------------
# What the source calls unlikely is the rule.
cat > likely.c <<'END'
#include <stdio.h>
#include <stdlib.h>
volatile int sink;
__attribute__((noinline)) static int look(const int *v, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        if (__builtin_expect(v[i & 7] == 5, 0)) {
            sink = s;
            s += i;
        } else {
            sink = s + 1;
            s -= sink * 3;
            sink = i;
            if (s == 77)
                abort();
        }
    return s;
}
int main(int argc, char **argv)
{
    int v[8] = {5, 5, 5, 5, 5, 5, 5, 1};
    printf("%d\n", look(v, argc > 1 ? atoi(argv[1]) : 10));
    return argv[argc] != NULL;
}
END
steps=$BUILD/test/unit/address-map
WPP_PLUGIN_ARGS=mode=map wpp-gcc -O2 -g likely.c -o likely
"$steps" --records likely.text 16 4 ./likely 800 > plain
ok 'a profile for the compiler' wpp-samples --layout --period=4 -o likely.prof ./likely likely.text
like 'says how much has a place' "$(cat out)" '^(100\.0|9[0-9]\.[0-9]) %  of the executed edges were there before the layout of blocks$'
like 'wpp-profile reads it' "$(wpp-profile --edges likely.prof)" '^look[a-z.0-9]*  likely\.c:4'
ok 'GCC takes it, and makes another map' \
    env WPP_PLUGIN_ARGS='mode=map use=likely.prof' wpp-gcc -O2 -g -fchecking -fdump-rtl-bbro-blocks-details likely.c -o laid
is 'without a word' "$(cat err)" ''
is 'the program does the same' "$(./laid 800)" "$(./likely 800)"
is 'it records nothing' "$(nm laid | grep -c __wpp)" 0
most=$(awk '/^;; Function / { on = $3 ~ /^look/ } on && /^;; basic block/ { sub(/.*count /, ""); if ($1 + 0 > n) n = $1 + 0 } END { print n }' ./*.bbro)
between 'executions of the loop that GCC has' "$most" 720 880
taken() { "$steps" --records taken.text 2 1 "$1" 800 > taken.out; grep -c ' main ' taken.text; }
before=$(taken ./likely) after=$(taken ./laid)
ok "a third less branches are taken: $after of $before" test $((3 * after)) -lt $((2 * before))
"$steps" --records laid.text 16 4 ./laid 800 > plain
ok 'the new program is sampled' wpp-samples -q --layout --period=4 -o laid.prof ./laid laid.text
ok 'for another build' wpp-gcc -O2 -g -fplugin-arg-wpp-use=laid.prof -c likely.c -o laid.o
wpp-samples -q -f --period=8 -o final.prof ./work text
run wpp-gcc -O2 -fplugin-arg-wpp-use=final.prof -c work.c -o x.o
like 'a profile of the final code is none' "$status $(cat err)" "^1 .*make it for GCC with 'wpp-samples --layout'"
mkdir -p changed && sed 's/s += i;/s += i; sink = s;/' likely.c > changed/likely.c
run sh -c 'cd changed && wpp-gcc -O2 -g -fplugin-arg-wpp-use=../likely.prof -c likely.c -o x.o'
like 'a changed routine has no counts' "$status $(cat err)" "'look.*' is not as it was when '../likely.prof' was recorded"
if check_all; then
    for options in -O3 -Os '-O2 -flto' '-O2 -fno-reorder-blocks' '-O2 -freorder-blocks-algorithm=simple'; do
        WPP_PLUGIN_ARGS=mode=map wpp-gcc $options likely.c -o likely
        "$steps" --records likely.text 16 4 ./likely 800 > plain
        ok "$options: a profile" wpp-samples --layout -f --period=4 -o likely.prof ./likely likely.text
        ok "$options: GCC takes it" wpp-gcc $options -fchecking -fplugin-arg-wpp-use=likely.prof likely.c -o laid
        is "$options: the program does the same" "$(./laid 800)" "$(./likely 800)"
    done
fi
WPP_PLUGIN_ARGS=mode=map wpp-gcc -O0 pair.c -o unoptimized
"$steps" --records pair.text 16 1 ./unoptimized > plain
fails 'without optimization there is no layout' wpp-samples --layout -o x.prof ./unoptimized pair.text

# ---- Bad input --------------------------------------------------------------------------------------------
fails 'a program without a map' wpp-samples -o x.prof /bin/true text
fails 'no such samples' wpp-samples -o x.prof ./work nothing
echo 'nothing to see' > empty
fails 'no records' wpp-samples -o x.prof ./work empty
echo '1 55d01 main 0x7fff12340000/0x7fff12340010/P/-/-/0' > elsewhere
fails 'records of something else' wpp-samples -o x.prof ./work elsewhere
absent 'no file is left' x.prof
fails 'not over an old file' wpp-samples -o work.prof ./work text
fails_with 2 'a table by routine of a program' wpp-samples --by-routine -o x.prof ./work text
fails_with 2 'of a run, what samples never tell apart' wpp-samples --alike --accuracy run.wpp
fails_with 2 'options that do not go with record' wpp-samples record --layout ./work
fails_with 2 'a layout of a run' wpp-samples --layout --accuracy run.wpp
fails_with 2 'a depth without a run' wpp-samples --depth=4 -o x.prof ./work text
fails 'not of a path profile' wpp-samples --accuracy work.prof
printf '#!/bin/sh\nexit 1\n' > perf && chmod +x perf
PATH=$PWD:$PATH fails 'no branch records: what is needed' wpp-samples record -o x.data ./work
like 'is said' "$(cat err)" 'gives no branch records; they need'
cat > perf <<'END'
#!/bin/sh
# Records what it is called with, as if there were branch records.
case " $* " in *' /dev/null '*) exit 0 ;; esac
case $1 in
record) echo "$*" > called; printf PERFILE2xxxxxxxx > x.data ;;
script) cat text ;;
esac
END
PATH=$PWD:$PATH ok 'with them perf is run' wpp-samples record --period=77 -o x.data ./work 5
is 'with these words' "$(cat called)" 'record -q -j any,u -e br_inst_retired.near_taken:u -c 77 -o x.data -- ./work 5'
PATH=$PWD:$PATH ok "perf's file is read by perf" wpp-samples -q -f --period=8 -o data.prof ./work x.data
wpp-samples -q -f --period=8 -o work.prof ./work text
same 'to the same profile' data.prof work.prof
done_testing
