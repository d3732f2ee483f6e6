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

# ---- Bad input --------------------------------------------------------------------------------------------
fails 'a program without a map' wpp-samples -o x.prof /bin/true text
fails 'no such samples' wpp-samples -o x.prof ./work nothing
echo 'nothing to see' > empty
fails 'no records' wpp-samples -o x.prof ./work empty
echo '1 55d01 main 0x7fff12340000/0x7fff12340010/P/-/-/0' > elsewhere
fails 'records of something else' wpp-samples -o x.prof ./work elsewhere
absent 'no file is left' x.prof
fails 'not over an old file' wpp-samples -o work.prof ./work text
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
