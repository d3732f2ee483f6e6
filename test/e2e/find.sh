#!/bin/bash
# SPDX-License-Identifier: MIT
# Where in a run something was executed: wpp-dump --find, --stack and ranges by place, filters and folding,
# against the run written out.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

cat > sort.c <<'END_C'
#include <stdio.h>
#include <string.h>
static int a[12];
static inline void swap(int *x, int *y)
{
    int t = *x;
    *x = *y;
    *y = t;
}
static int partition(int lo, int hi)
{
    int p = a[hi], i = lo;
    for (int j = lo; j < hi; j++)
        if (a[j] < p)
            swap(&a[i++], &a[j]);
    swap(&a[i], &a[hi]);
    return i;
}
static void __attribute__((noinline)) sort(int lo, int hi)
{
    if (lo >= hi)
        return;
    int p = partition(lo, hi);
    sort(lo, p - 1); sort(p + 1, hi);
}
static int length(const char *s)
{
    int n = 0;
    while (*s++) n++;
    return n;
}
int main(int argc, char **argv)
{
    for (int i = 0; i < 12; i++)
        a[i] = i * 7919 % 101;
    sort(0, 11);
    for (int i = 0; i < 12; i++)
        printf("%d ", a[i]);
    printf("%d\n", length(argv[argc - 1]) + (strcmp(argv[0], "x") == 0 ? length("y") : 2));
    return 0;
}
END_C
cat > throws.cc <<'END_C'
#include <cstdio>
#include <vector>
struct guard { int &n; ~guard() { n++; } };
static int left;
static int deep(int n)
{
    guard g = {left};
    if (n % 7 == 6)
        throw n;
    return n ? deep(n - 1) + 1 : 0;
}
static int tries(int n)
{
    try {
        return deep(n);
    } catch (int at) {
        return -at;
    }
}
int main()
{
    std::vector<int> all;
    for (int i = 0; i < 20; i++)
        all.push_back(tries(i));
    int sum = 0;
    for (int x : all)
        sum += x;
    std::printf("%d %d\n", sum, left);
}
END_C

# opened E: the routines that have begun and not ended when event E of a dump runs, outermost first
opened() {
    awk -v event="$1" '
        { sub(/^ */, "") }
        /^EnterThread/ { next }
        /^EnterRoutine/ { sub(/^EnterRoutine /, ""); sub(/  #.*/, ""); stack[n++] = $0; next }
        /^LeaveRoutine/ { n--; next }
        events++ == event { for (i = 0; i < n; i++) print stack[i]; exit }'
}
# frames: the routines of a printed stack, outermost first
frames() {
    grep '^#' | grep -v 'inlined$' | sed 's/^#[0-9]* *//; s/  .*//' | tac
}

for form in 'sort.c -O0' 'sort.c -O2' 'throws.cc -O0' 'throws.cc -O2'; do
    set -- $form
    cc=wpp-gcc
    [ "$1" = sort.c ] || cc=wpp-g++
    ok "$form is built" $cc -g $2 $1 -o prog
    rm -f run.wpp
    wpp-record -q -o run.wpp -- ./prog word > /dev/null
    wpp-dump --no-demangle run.wpp > whole
    n=$(wpp-dump --tokens run.wpp | wc -c)
    n=$((n / 4))

    wrong=0 tried=0
    for ((e = 0; e < n; e += 1 + n / 23)); do
        [ "$(wpp-dump --no-demangle --stack=$e run.wpp | frames)" = "$(opened $e < whole)" ] || wrong=$((wrong + 1))
        [ "$(wpp-dump --no-demangle --range=$e:+1 run.wpp | grep 'Enter.*# earlier' | sed 's/ *EnterRoutine //; s/  #.*//')" \
            = "$([ $e = 0 ] || opened $((e - 1)) < whole | head -n "$(wpp-dump --no-demangle --range=$e:+1 run.wpp | grep -c 'Enter.*# earlier')")" ] ||
            wrong=$((wrong + 1))
        tried=$((tried + 1))
    done
    ok "$form: stacks are tried" test $tried -gt 15
    is "$form: wrong stacks" $wrong 0
    like "$form: nothing is left at the end" "$(wpp-dump --stack run.wpp)" 'no activation is left'

    wpp-dump --fold --no-demangle run.wpp > folded
    ok "$form: folding makes it shorter" test "$(wc -l < folded)" -lt "$(wc -l < whole)"
    perl -e '
        sub unfold { my ($shift) = @_; my @out;
            while (defined(my $l = shift @in)) {
                last if $l =~ /^ *}\n/;
                if ($l =~ /^ *x (\d+) \{\n/) { my $n = $1; push @out, (unfold($shift + 2)) x $n; next; }
                my $n = $l =~ s/  x (\d+)\n/\n/ ? $1 : 1;
                push @out, (substr $l, $shift) x $n;
            }
            return @out; }
        @in = <STDIN>; print unfold(0);' < folded > unfolded
    same "$form: and can be unfolded" whole unfolded

    depth=$(wpp-dump --no-demangle run.wpp | awk '{ match($0, /^ */); if (RLENGTH < 4) print }')
    is "$form: so many levels" "$(wpp-dump --no-demangle -D 2 run.wpp | grep -v '^ *NewPath')" \
        "$(grep -v '^ *NewPath' <<< "$depth")"
    wpp-dump --inlined --no-demangle run.wpp > inlined
    is "$form: inlined calls end" "$(grep -c EnterInlined inlined)" "$(grep -c LeaveInlined inlined)"
    is "$form: calls are the same with them" "$(grep Routine inlined)" "$(grep Routine whole)"
    [ $2 = -O0 ] || ok "$form: there are some" test "$(grep -c EnterInlined inlined)" -gt 5
done

# ---- Executions of lines are what gcov counts, where nothing was moved ------------------------------
wpp-gcc -g -O0 sort.c -o prog
rm -f run.wpp
wpp-record -q -o run.wpp -- ./prog word > /dev/null
wpp-dump --line-counts run.wpp > counts
while read -r line count; do
    like "$line as gcov counts it" "$(wpp-dump --find="$line" run.wpp | head -n 1)" \
        "^$line was executed $count times?\$"
done < counts
ok 'lines were tried' test "$(wc -l < counts)" -gt 20
wpp-dump --routines run.wpp | awk 'NR > 1 { print $2, $5 }' > calls
while read -r count routine; do
    like "calls of $routine" "$(wpp-dump --find="$routine" run.wpp | head -n 1)" "^$routine was executed $count times?\$"
done < calls
is 'executions of a path' "$(wpp-dump --find=swap/0 run.wpp | head -n 1)" \
    "swap/0 was executed $(grep -c swap <(wpp-dump run.wpp | grep Enter)) times"

# ---- Which one -------------------------------------------------------------------------------------------
events() { sed -n 's/^event \([0-9]*\).*/\1/p'; }
wpp-dump --find=sort.c:15 --nth=all run.wpp | events > all
is 'all executions are shown' "$(wc -l < all)" "$(awk '/c:15 / { print $2 }' counts)"
is 'in order' "$(sort -n all)" "$(cat all)"
is 'the first' "$(wpp-dump --find=sort.c:15 run.wpp | events)" "$(head -n 1 all)"
is 'the last' "$(wpp-dump --find=sort.c:15 --nth=last run.wpp | events)" "$(tail -n 1 all)"
is 'the third' "$(wpp-dump --find=sort.c:15 --nth=3 run.wpp | events)" "$(sed -n 3p all)"
is 'in a range only those there' "$(wpp-dump --find=sort.c:15 --nth=all --range=20:60 run.wpp | events)" \
    "$(awk '$1 >= 20 && $1 < 60' all)"
is 'a place is an execution' "$(wpp-dump --stack=sort.c:15#3 run.wpp | events)" "$(sed -n 3p all)"
is 'counted from the last one, too' "$(wpp-dump --stack=sort.c:15#-2 run.wpp | events)" "$(tail -n 2 all | head -n 1)"
is 'a range from an execution' "$(wpp-dump --range=sort.c:15#3:+2 run.wpp)" \
    "$(wpp-dump --range="$(sed -n 3p all)":+2 run.wpp)"
is 'a range between two' "$(wpp-dump --range=sort#2:sort.c:15#-1 run.wpp)" \
    "$(wpp-dump --range="$(wpp-dump --find=sort --nth=2 run.wpp | events):$(tail -n 1 all)" run.wpp)"
like 'the line of a caller' "$(wpp-dump --find=swap --nth=last run.wpp)" '#1  partition  sort.c:1[56]  since event'
is 'a time is a place' "$(wpp-dump --stack=0s run.wpp | events)" 0
is 'behind the end, too' "$(wpp-dump --stack=1000s run.wpp)" "$(wpp-dump --stack run.wpp)"

# ---- What a crash leaves ----------------------------------------------------------------------------------
cat > crash.c <<'END_C'
#include <stdlib.h>
static int down(int n)
{
    if (n == 0)
        abort();
    return down(n - 1) + 1;
}
int main(void) { return down(5); }
END_C
wpp-gcc -g -O0 crash.c -o crash
wpp-record -q -o crash.wpp -- ./crash > /dev/null 2>&1
is 'the stack at the end of a crash' "$(wpp-dump --stack crash.wpp 2> /dev/null | awk '/^#/ { print $2, $3 }' | uniq | tr '\n' ' ')" \
    'down crash.c:5 down crash.c:6 main crash.c:8 '

# ---- Filters -------------------------------------------------------------------------------------------------
names() { sed -n 's/^ *EnterRoutine //p' | sort -u | tr '\n' ' '; }
is 'only what runs below' "$(wpp-dump -F partition run.wpp | names)" 'partition swap '
is 'and not above' "$(wpp-dump -N partition run.wpp | names)" 'length main sort '
is 'so many levels from there' "$(wpp-dump -F sort -D 1 run.wpp | names)" 'sort '
is 'lines, too' "$(wpp-dump --lines -F swap run.wpp | sort -u | tr '\n' ' ')" \
    'sort.c:4 sort.c:6 sort.c:7 sort.c:8 sort.c:9 '
is 'each activation ends' "$(wpp-dump -F sort run.wpp | grep -c Enter)" "$(($(wpp-dump -F sort run.wpp | grep -c Leave) + 1))"

# ---- A large run, of which no more is read than is needed --------------------------------------------------------
cat > large.c <<'END_C'
static unsigned long state = 88172645463325252, sum;
static void __attribute__((noinline)) early(void) { sum++; }
static void __attribute__((noinline)) late(void) { sum++; }
static void __attribute__((noinline)) turn(unsigned bits)
{
    for (int i = 0; i < 2; i++, bits >>= 4) {
        if (bits & 1)
            sum += 3;
        if (bits & 2)
            sum ^= 5;
        if (bits & 4)
            sum *= 7;
        if (bits & 8)
            sum -= 9;
    }
}
int main(void)
{
    for (int i = 0; i < 800000; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        turn(state >> 20 & 255);
        if (i % 100 == 50)
            early();
        if (i == 799000)
            late();
    }
    return sum == 0;
}
END_C
wpp-gcc -O1 large.c -o large
ok 'a large run' wpp-record -q -o large.wpp -- ./large
is 'its code has lanes' "$(head -c 9 large.wpp | tail -c 1 | od -An -tu1 | tr -d ' ')" 20
wpp-dump --tokens large.wpp > tokens
events=$(($(wc -c < tokens) / 4))
slice() { tail -c +$((4 * $1 + 1)) tokens | head -c $((4 * $2)); }
for begin in 0 1 70000 $((events / 2)) $((events - 100)); do
    wpp-dump --tokens --range=$begin:+100 large.wpp > got
    ok "100 events from $begin on" cmp got <(slice $begin 100)
done
# The search in one thread reads all of it.
for k in 1 2 700 4000; do
    is "early, execution $k" "$(wpp-dump --find=early --nth=$k large.wpp)" \
        "$(wpp-dump --find=early --nth=$k --range=0: large.wpp)"
done
is 'late, the first one' "$(wpp-dump --find=late --nth=first large.wpp)" "$(wpp-dump --find=late --nth=last large.wpp)"
is 'so many lines' "$(wpp-dump --find=large.c:9 large.wpp | head -n 1)" \
    "$(wpp-dump --find=large.c:9 --nth=last large.wpp | head -n 1)"
at=$(wpp-dump --find=early --nth=700 large.wpp | awk '$1 == "event" { print $2 + 0 }')
is 'a range from there' "$(wpp-dump --range=early#700:+3 large.wpp)" "$(wpp-dump --range=$at:$((at + 3)) large.wpp)"
is 'a stack' "$(wpp-dump --stack=early#700 large.wpp | awk '/^#/ { print $2 }' | tr '\n' ' ')" 'early main '
fails_with 1 'not so often' wpp-dump --find=early --nth=8001 large.wpp
fails_with 1 'nor in a place' wpp-dump --stack=early#8001 large.wpp

# ---- What makes no sense ----------------------------------------------------------------------------------------
fails_with 1 'a line that was not executed' wpp-dump --find=sort.c:999 run.wpp
like 'is said' "$(cat err)" '^wpp-dump: run.wpp: line sort.c:999 was not executed'
fails_with 1 'a routine that was not' wpp-dump --find=nobody run.wpp
fails_with 1 'too many executions' wpp-dump --find=sort.c:15 --nth=1000 run.wpp
fails_with 2 'none' wpp-dump --find=sort.c:15 --nth=0 run.wpp
fails_with 2 'no number' wpp-dump --find=sort.c:15 --nth=x run.wpp
fails_with 2 'a place that is none' wpp-dump --stack=sort.c:15 run.wpp
fails_with 1 'an event behind the end' wpp-dump --stack=1000000 run.wpp
fails_with 1 'an execution behind the last' wpp-dump --stack=sort#1000 run.wpp
fails_with 2 '--nth alone' wpp-dump --nth=3 run.wpp
fails_with 2 'a filter of counts' wpp-dump -F sort --line-counts run.wpp
fails_with 1 'a filter for nothing' wpp-dump -F nobody run.wpp
fails_with 2 'no levels' wpp-dump -D 0 run.wpp
done_testing
