#!/bin/bash
# SPDX-License-Identifier: MIT
# wpp-coverage: what was executed and what was not; merged runs; thresholds; modules that are gone.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

cat > prog.c <<'END_C'
#include <stdio.h>
#include <string.h>
int unused(int a)
{
    if (a > 3)
        return 1;
    return a;
}
static int parse(const char *s)
{
    int sum = 0;
    for (; *s; s++) {
        if (*s == '+' && s[1])
            sum += 10;
        else if (*s == '-')
            sum -= 10;
        else
            sum++;
        if (sum > 100)
            break;
    }
    return sum;
}
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        printf("%d\n", parse(argv[i]));
    if (argc > 3)
        printf("%d\n", unused(argc));
    return 0;
}
END_C
ok 'a program is built' "$WPP_GCC" -O0 -g -o prog prog.c
ok 'and recorded' wpp-record -q -o one.wpp ./prog aa+b
ok 'twice' wpp-record -q -o two.wpp ./prog -x bb++
ok 'and with gcov' gcc -O0 --coverage -o counted prog.c

# gcov_totals: lines and branches that gcov saw executed, and all, of the runs up to now
gcov_totals() {
    gcov -b counted-prog.gcda | awk -F '[:% ]+' '
        /^(Lines executed|Taken at least once)/ { split($0, part, ":"); split(part[2], n, "% of ")
            printf "%s%.0f of %d", all++ ? ", " : "", n[1] * n[2] / 100, n[2]; if (all == 2) exit }'
}
wpp_totals() {
    wpp-coverage "$@" | awk '/ lines$/ { lines = $3 " of " $5 } / branches$/ { print lines ", " $3 " of " $5 }'
}
./counted aa+b > /dev/null
is "one run: gcov's totals" "$(wpp_totals one.wpp)" "$(gcov_totals)"
./counted -x bb++ > /dev/null
is "two runs: gcov's totals" "$(wpp_totals one.wpp two.wpp)" "$(gcov_totals)"
ok 'a profile of both' wpp-profile --merge -o both.prof one.wpp two.wpp
is 'has them, too' "$(wpp_totals both.prof)" "$(gcov_totals)"
is 'and a run with a profile' "$(wpp-coverage --lines --all both.prof | grep prog.c:11)" \
    "$(wpp-coverage --lines --all one.wpp two.wpp | grep prog.c:11)"

ok 'routines' wpp-coverage --routines one.wpp
like 'that were never executed' "$(cat "$T/out")" ' 0  *0  *2  unused  \[never executed\]  prog.c:3$'
like 'and that were' "$(cat "$T/out")" ' 1  *4  *[0-9]*  parse  prog.c:9$'
ok 'lines' wpp-coverage --lines one.wpp
like 'are ranges' "$(cat "$T/out")" '^  prog.c: 3-7 16 20 29$'
ok 'branches' wpp-coverage --branches one.wpp
like 'that were missed' "$(cat "$T/out")" '^ *0  *3  prog.c:15 to line 16, parse$'

# ---- Paths: the first events are those that wpp-dump finds -------------------------------------------
# With jq and for each executed path.
if command -v jq > /dev/null; then
    wpp-coverage --format=json --paths one.wpp > one.json
    jq -r '.files[].routines[] | .routine as $r | .executed[] | "\($r)/\(.path) \(.count) \(.event)"' one.json > executed
    while read -r path count event; do
        is "$path: executions and the first one" "$(wpp-dump --find="$path" one.wpp | sed -n '1s/.*executed \([0-9]*\) time.*/\1/p;s/^event \([0-9]*\).*/\1/p' |
            paste -sd ' ')" "$count $event"
    done < executed
    ok 'there are some' test "$(wc -l < executed)" -gt 5
    is 'executed and missed paths are all' \
        "$(jq '[.files[].routines[] | (.executed | length) + ([.missed[].paths] | add)] | add' one.json)" \
        "$(jq .sums.paths.all one.json)"
    is 'each line of a run that is merged is the sum' \
        "$(jq -c '[.files[].lines[] | [.line, .count]]' <(wpp-coverage --format=json one.wpp two.wpp))" \
        "$(jq -c -s '[.[0].files[0].lines, .[1].files[0].lines] | transpose | map([.[0].line, .[0].count + .[1].count])' \
            <(wpp-coverage --format=json one.wpp) <(wpp-coverage --format=json two.wpp))"
else
    skip 'there is no jq'
fi
like 'a path that was not executed' "$(wpp-coverage --paths one.wpp)" \
    'paths? [0-9-]* of parse, prog.c: differs from path [0-9]* at line 15, taken [0-9]* times?, first at event [0-9]*$'
like 'all of a routine' "$(wpp-coverage --routine=unused one.wpp)" 'paths 0-1 of unused, prog.c: the routine was never executed'

# ---- Prime paths: counts are those in the run written out -------------------------------------------------
cat > calls.c <<'END_C'
static int a[40];
static void sort(int lo, int hi)
{
    int i = lo, j = hi, p = a[(lo + hi) / 2];

    if (lo >= hi)
        return;
    do {
        while (a[i] < p)
            i++;
        while (a[j] > p)
            j--;
        if (i <= j) {
            int t = a[i];
            a[i++] = a[j];
            a[j--] = t;
        }
    } while (i <= j);
    sort(lo, j);
    sort(i, hi);
}
static int sum(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (i % 3 == 0)
            continue;
        if (i % 7 == 5)
            s += sum(i / 2);
        else
            s += a[i];
        while (s > 50)
            s -= 20;
    }
    return s;
}
int main(void)
{
    for (int i = 0; i < 40; i++)
        a[i] = i * 7919 % 101;
    sort(0, 39);
    return sum(40) == 1000;
}
END_C
# written_out FILE PRIMES: the counts of these prime paths (routine, count, blocks), from each activation's blocks
written_out() {
    wpp-profile --paths --format=json "$1" | jq -r '.paths[] | [.routine, .path, (.blocks | join(" "))] | @tsv' > blocks
    wpp-dump --no-demangle "$1" | perl -e '
        open my $b, "<", "blocks"; while (<$b>) { chomp; my ($r, $p, $blocks) = split /\t/; $way{"$r $p"} = $blocks }
        open my $q, "<", $ARGV[0]; while (<$q>) { chomp; push @prime, [split /\t/] }
        sub ended { my ($r, $text) = @_;
            for (@prime) { next if $_->[0] ne $r;
                my $want = quotemeta " $_->[2] "; my $at = $text; my $n = () = $at =~ /(?=$want)/g; $count{"$_->[0]\t$_->[2]"} += $n } }
        while (<STDIN>) {
            if (/EnterRoutine (\S+)/) { push @stack, [$1, " "] }
            elsif (/LeaveRoutine/) { ended(@{pop @stack}) }
            elsif (/NewPath (\d+)/) { $stack[-1][1] .= $way{"$stack[-1][0] $1"} . " " }
        }
        ended(@$_) for @stack;
        for (@prime) { print "$_->[0]\t", $count{"$_->[0]\t$_->[2]"} // 0, "\t$_->[2]\n" }' "$2"
}
if command -v jq > /dev/null; then
    for level in -O0 -O2; do
        "$WPP_GCC" $level -g -o calls calls.c && rm -f calls.wpp && wpp-record -q -o calls.wpp ./calls
        ok "$level: prime paths" wpp-coverage --format=json --prime-paths calls.wpp
        jq -r '.files[].routines[] | .routine as $r | .prime.paths[] | [$r, .count, (.blocks | join(" "))] | @tsv' "$T/out" > primes
        ok "$level: there are some" test "$(wc -l < primes)" -gt 30
        ok "$level: some were executed" test "$(awk '$2 > 0' primes | wc -l)" -gt 15
        written_out calls.wpp primes > expected
        same "$level: counts are those of the run written out" primes expected
    done
    "$WPP_GCC" -O0 -g -o calls calls.c && wpp-record -q -o calls1.wpp ./calls && cp calls1.wpp calls2.wpp
    is 'two runs have twice the counts' \
        "$(wpp-coverage --format=json --prime-paths calls1.wpp calls2.wpp | jq -c '[.files[].routines[].prime.paths[].count]')" \
        "$(wpp-coverage --format=json --prime-paths calls1.wpp | jq -c '[.files[].routines[].prime.paths[].count * 2]')"
fi
like 'a missed prime path' "$(wpp-coverage --prime-paths --routine=parse one.wpp)" '^ *0  *parse: prog.c:.*, blocks [0-9 ]+'
fails_with 1 'prime paths of a profile' wpp-coverage --prime-paths both.prof
like 'need the order' "$(cat "$T/err")" 'both.prof is a path profile: prime paths need the order of paths'

# ---- Several objects, C++, inline functions -----------------------------------------------------------
cat > shared.h <<'END_C'
inline int twice(int a) { return a > 2 ? 2 * a : a; }
template <typename T> T larger(T a, T b)
{
    if (a > b)
        return a;
    return b;
}
END_C
printf '#include "shared.h"\nint other(int a) { return twice(a) + larger(a, 3); }\n' > other.cc
cat > main.cc <<'END_C'
#include "shared.h"
#include <stdexcept>
int other(int);
static int tries(int n)
{
    try {
        if (n > 4)
            throw std::runtime_error("large");
        return other(n);
    } catch (const std::exception &) {
        return -1;
    }
}
int main()
{
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += tries(i) + (int)larger(i + 0.5, 2.0);
    return sum + twice(1) == 0;
}
END_C
ok 'two objects of C++' "$WPP_GXX" -O0 -g -o both main.cc other.cc
ok 'recorded' wpp-record -q -o both.wpp ./both
g++ -O0 --coverage -o bothc main.cc other.cc && ./bothc
for object in main other; do
    gcov --stdout bothc-$object.gcda
done 2> /dev/null > gcov.out
# Instances and copies of a function are summed, per line.
list_gcov() {
    awk -F: '/^-----/ { instance = 1; next }
        { line = $2 + 0; count = $1; gsub(/[ *]/, "", count) }
        $3 == "Source" { file = $4; instance = 0; last = 0; next }
        count ~ /^([0-9]+|#+|=+)$/ {
            if (instance && line <= last) next
            instance = 0; last = line; all[file ":" line] += count ~ /[#=]/ ? 0 : count }
        { last = instance ? last : line }
        END { for (l in all) print l, all[l] }' gcov.out | grep -v ^/usr | sort
}
is 'lines of C++ are as gcov says' \
    "$(wpp-coverage --lines --all --top=0 both.wpp | awk 'index($2, ".") { print $2, $1 }' | tr -d , | grep -v ^/usr | sort)" "$(list_gcov)"
is 'an inline function of two objects is one routine' \
    "$(wpp-coverage --routines --top=0 both.wpp | grep -c ' twice')" 1
is 'instances of a template are two' "$(wpp-coverage --routines --top=0 both.wpp | grep -c ' larger<')" 2

# ---- Differences ------------------------------------------------------------------------------------------
ok 'a difference' wpp-coverage --diff=one.wpp --lines --branches --routines --paths two.wpp
like 'gained' "$(cat "$T/out")" '^  prog.c: 16$'
is 'is what one lacks and two has' "$(wpp-coverage --diff=two.wpp --lines one.wpp | sed -n '/only A/,$p' | grep prog.c)" '  prog.c: 16'
if command -v jq > /dev/null; then
    wpp-coverage --format=json --paths --routines --lines --branches one.wpp > one.json
    wpp-coverage --format=json --paths --routines --lines --branches two.wpp > two.json
    wpp-coverage --format=json --diff=one.wpp two.wpp > diff.json
    # Of what stands at the same place of both, the counts of which one is 0.
    for what in '[.files[].lines[] | {key: "\(.line)", value: .count}]' \
                '[.files[].lines[] | .line as $l | .branches[] | {key: "\($l) \(.block) \(.to)", value: .count}]' \
                '[.files[].routines[] | .routine as $r | .executed[] | {key: "\($r) \(.path)", value: .count}]'; do
        case $what in
        *executed*) own='[.paths[] | ["\(.routine) \(.path)", .a, .b]]' ;;
        *branches*) own='[.branches[] | ["\(.line) \(.block) \(.to)", .a, .b]]' ;;
        *) own='[.lines[] | ["\(.line)", .a, .b]]' ;;
        esac
        is "what one side has: $own" "$(jq -c "$own | sort" diff.json)" \
            "$(jq -c -n --slurpfile a one.json --slurpfile b two.json "(\$a[0] | $what | from_entries) as \$x |
                (\$b[0] | $what | from_entries) as \$y | [(\$x + \$y | keys[]) as \$k | [\$k, (\$x[\$k] // 0), (\$y[\$k] // 0)] |
                 select((.[1] == 0) != (.[2] == 0))] | sort")"
    done
fi
{ echo '/* a line more */'; cat prog.c; } > after.c && mkdir after && mv after.c after/prog.c
(cd after && "$WPP_GCC" -O0 -g -o prog prog.c && wpp-record -q -o ../after.wpp ./prog -x bb++ > /dev/null)
is 'a routine that has moved' "$(wpp-coverage --diff=one.wpp --lines --paths after.wpp | tail -n +3 | sed 's/prog.c: 17/prog.c: 16/; s/prog.c:10/prog.c:9/; s/prog.c:25/prog.c:24/')" \
    "$(wpp-coverage --diff=one.wpp --lines --paths two.wpp | tail -n +3)"
fails_with 2 'no table of files' wpp-coverage --diff=one.wpp --files two.wpp

# ---- Marks ----------------------------------------------------------------------------------------------
cat > marked.cc <<'END_C'
#include <cstdio>
#include <string>
static int never(int a) // LCOV_EXCL_START
{
    return a + 1;
} // LCOV_EXCL_STOP
static int some(int a)
{
    if (a > 3) // LCOV_EXCL_BR_LINE
        return never(a); // LCOV_EXCL_LINE
    std::string s(a, 'x');
    // LCOV_EXCL_BR_START
    if (a == 2)
        return 1;
    // LCOV_EXCL_BR_STOP
    return a == 1 ? 5 : 6;
}
int main()
{
    std::printf("%d\n", some(1));
}
END_C
ok 'a program with marks' "$WPP_GXX" -O0 -g -o marked marked.cc
ok 'recorded' wpp-record -q -o marked.wpp ./marked
g++ -O0 --coverage -o markedc marked.cc && ./markedc > /dev/null
marked_total() { wpp-coverage --format=json "$@" | grep -o '"sums": {.*' | head -n 1 | sed 's/, "paths.*//; s/"executed": \([0-9]*\), "all": \([0-9]*\)/\1 \2/g; s/[^0-9 ]//g' | xargs; }
if command -v lcov > /dev/null; then
    lcov -q --capture --rc lcov_branch_coverage=1 --directory . --output-file all.info > /dev/null 2>&1
    lcov -q --extract all.info "$T/marked.cc" --rc lcov_branch_coverage=1 -o marked.info > /dev/null
    # Lines, branches and functions, executed and all.
    is "marks: lcov's totals" "$(wpp-coverage --format=json marked.wpp | grep -o '"file": "marked.cc.*' | sed 's/"paths.*//' |
            grep -o '"executed": [0-9]*, "all": [0-9]*' | tr -dc '0-9 \n' | xargs)" \
        "$(awk -F: '/^LF|^LH|^BRF|^BRH|^FNF|^FNH/ { n[$1] = $2 } END { print n["LH"], n["LF"], n["BRH"] + 0, n["BRF"] + 0, n["FNH"], n["FNF"] }' marked.info)"
else
    skip 'there is no lcov'
fi
ok 'without marks' wpp-coverage --no-marks --lines marked.wpp
like 'all lines count' "$(cat "$T/out")" 'marked.cc: 3-5 10 14$'
like 'with marks fewer' "$(wpp-coverage --lines marked.wpp)" 'marked.cc: 14$'
like 'and no excluded path' "$(wpp-coverage --paths --routines marked.wpp)" ' never  \[excluded\]'
is 'is missed' "$(wpp-coverage --paths marked.wpp | grep -c 'of never')" 0
sed 's/LCOV_EXCL_STOP//; s/static int some.*/& \/\/ GCOVR_EXCL_FUNCTION/' marked.cc > open.cc
"$WPP_GXX" -O0 -g -o open open.cc && wpp-record -q -o open.wpp ./open > /dev/null
ok 'a mark that is not ended' wpp-coverage open.wpp
like 'is said' "$(cat "$T/err")" 'open.cc:3: a mark EXCL_START has no EXCL_STOP'
sed 's/static int some.*/& \/\/ GCOVR_EXCL_FUNCTION/' marked.cc > function.cc
"$WPP_GXX" -O0 -g -o function function.cc && wpp-record -q -o function.wpp ./function > /dev/null
like 'a routine with a mark' "$(wpp-coverage --routines --lines --all function.wpp)" ' some  \[excluded\]'
is 'has no lines that count' "$(wpp-coverage --lines --all function.wpp | grep -cE ':(7|9|1[0-7])  \[excluded\]')" 8
cat > ways.cc <<'END_C'
static int pick(int a, int b)
{
    switch (a) {
    case 1:
        return 10;
    case 2:
        return 20; // GCOVR_EXCL_BR_SOURCE
    default:
        return 0; // GCOVR_EXCL_BR_SOURCE
    }
    return b;
}
int main(int argc, char **)
{
    int n = pick(1, argc);
    if (n > 5) // GCOVR_EXCL_BR_WITHOUT_HIT: 1/2 cannot be
        n++;
    if (n > 6) // GCOVR_EXCL_BR_WITHOUT_HIT: 2/2
        n++;
    return n == 100;
}
END_C
"$WPP_GXX" -O0 -g -o ways ways.cc && wpp-record -q -o ways.wpp ./ways
ok 'marks of branches' wpp-coverage --branches --all ways.wpp
is 'by where they lead, and by figures' "$(awk '/ways.cc:/ { print $0 ~ /excluded/ }' "$T/out" | tr '\n' ' ')" '0 1 1 1 1 0 0 '
is 'a wrong mark is said' "$(cat "$T/err")" \
    'wpp-coverage: ways.cc:18: 1 of 2 branches were not executed, and not as many as the mark EXCL_BR_WITHOUT_HIT says: it excludes nothing'
mkdir moved && mv marked.cc moved
ok 'a source that is gone' wpp-coverage marked.wpp
like 'is said' "$(cat "$T/err")" '^wpp-coverage: .*sources? .*marked.cc.*'
is 'and is found where it is now' "$(wpp-coverage --lines --map="$T/marked.cc=$T/moved/marked.cc" marked.wpp | grep marked.cc)" '  marked.cc: 14'

# ---- Thresholds -----------------------------------------------------------------------------------------
ok 'enough lines' wpp-coverage --fail-under-lines=50 one.wpp
fails_with 4 'too few' wpp-coverage --fail-under-lines=90.5% one.wpp
like 'is said' "$(cat "$T/err")" '^wpp-coverage: [0-9.]* % of the lines were executed, less than 90.5 %$'
fails_with 4 'too few branches' wpp-coverage --fail-under-branches=100 one.wpp
fails_with 4 'too few paths' wpp-coverage --fail-under-paths=100 one.wpp
fails_with 2 'a share that is none' wpp-coverage --fail-under-paths=101 one.wpp

# ---- Modules ----------------------------------------------------------------------------------------------
mkdir elsewhere && mv prog elsewhere/prog
fails_with 3 'a program that is gone' wpp-coverage one.wpp
like 'is said' "$(cat "$T/err")" 'what was not executed of .*/prog is not known: .*--map'
ok 'a program that has moved' wpp-coverage --map="$T=$T/elsewhere" one.wpp
is 'is found' "$(wpp_totals --map="$T=$T/elsewhere" one.wpp two.wpp)" "$(gcov_totals)"
ok 'without it' wpp-coverage --executed-only --routines one.wpp
is 'only what was executed is known' "$(grep -c unused "$T/out")" 0
"$WPP_GCC" -O0 -g -DX -o prog prog.c -Wl,--build-id=0x1234
fails_with 3 'another build in its place' wpp-coverage one.wpp
like 'is told apart' "$(cat "$T/err")" 'has changed since it was traced'
mv elsewhere/prog prog

# ---- What makes no sense ------------------------------------------------------------------------------------
fails_with 2 'no file' wpp-coverage
fails_with 1 'a file that is none' wpp-coverage prog.c
fails_with 1 'a routine that is none' wpp-coverage --routine=nobody one.wpp
"$WPP_GCC" -O0 -g -fplugin-arg-wpp-mode=edges -o edges prog.c && wpp-record -q -o edges.prof ./edges a
fails_with 1 'different counts' wpp-coverage one.wpp edges.prof
like 'are not merged' "$(cat "$T/err")" 'count different things'
is 'lines of counted edges' "$(wpp-coverage edges.prof | grep ' lines$')" "$(wpp-record -q -o e.wpp ./prog a > /dev/null; wpp-coverage e.wpp | grep ' lines$')"
head -c 300 one.wpp > cut.wpp
run wpp-coverage cut.wpp
ok 'a file that is cut' test "$status" -ge 1 -a "$status" -le 3
done_testing
