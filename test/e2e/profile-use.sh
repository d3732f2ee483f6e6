#!/bin/bash
# SPDX-License-Identifier: MIT
# use=FILE: GCC gets the counts of an earlier run; what has changed since is left alone, and said.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

# recorded NAME OPTIONS FILE...: NAME.wpp, of a program built with the plugin's OPTIONS.
recorded() {
    local name=$1 arg
    local -a options=()

    for arg in $2; do
        options+=("-fplugin-arg-wpp-$arg")
    done
    "$WPP_GXX" -O2 -g "${options[@]}" "${@:3}" -o "$name.rec" && rm -f "$name.wpp" && wpp-record -qo "$name.wpp" "./$name.rec"
}

# used NAME.wpp OPTION...: compiles with its counts; GCC's dumps go to dumps/.
used() {
    rm -rf dumps
    mkdir dumps
    "$WPP_GCC" -O2 -g -fchecking -fplugin-arg-wpp-use="$1" -dumpdir dumps/ \
        -fdump-tree-all-blocks-details-lineno -fdump-ipa-whole-program "${@:2}"
}

# Executions of each line of program.c that has a statement, as GCC's dump has them.
dumped_lines() {
    awk '/^;;   basic block/ { count = $0; sub(/.*count /, "", count); sub(/ .*/, "", count) }
         !/PHI </ {
             while (match($0, /\[program\.c:[0-9]+:/)) {
                 line = substr($0, RSTART + 11, RLENGTH - 12)
                 if (!(line in most) || count + 0 > most[line])
                     most[line] = count + 0
                 $0 = substr($0, RSTART + RLENGTH)
             }
         }
         END { for (line in most) print line, most[line] }' dumps/*.wpp-use | sort
}

# counts ROUTINE: those of its blocks that GCC works with, most frequent first.
counts() {
    awk -v routine="$1" '/^;; Function / { on = $3 == routine || index($0, "(" routine ",") }
                         on && /^;;   basic block/ { sub(/.*count /, ""); print $1 + 0 }' \
        "${2:-dumps/}"*.wpp-use | sort -rnu | paste -sd ' '
}

cat > program.c <<'END'
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf back;
static int table[64];

__attribute__((noinline)) static int
bits(unsigned n)
{
    int k = 0;
    while (n)
    {
        k += n & 1;
        n >>= 1;
    }
    return k;
}

static int
is_even(int i)
{
    return i % 2 == 0;
}

__attribute__((noinline)) static int
choose(int i)
{
    switch (i % 7)
    {
    case 0:
        return bits(i);
    case 1:
        if (i & 8)
            return 3;
        return 4;
    case 2:
    case 3:
        if (i > 50)
            return -1;
        break;
    case 4:
        if (is_even(i)
            && bits(i) > 2)
            table[i % 64]++;
        break;
    default:
        goto last;
    }
    table[1]--;
last:
    return table[i % 64];
}

__attribute__((noinline)) static int
deep(int n)
{
    if (n > 400)
        longjmp(back, 1);
    if (n < 0)
        return 0;
    if (n % 3 == 0)
        return deep(n + 7);
    return deep(n + 1) + 1;
}

__attribute__((noinline)) static void
dive(int n)
{
    if (setjmp(back) == 0)
        deep(n);
}

int
never(int n)
{
    while (n > 100)
        n -= bits(n);
    return n;
}

int
main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 200;
    volatile int i = 0;
    int sum = 0;
    while (i < n)
    {
        sum += choose(i);
        i++;
    }
    dive(n);
    printf("%d\n", sum);
    if (n < 0)
        never(n);
    return 0;
}
END

# ---- The counts are gcov's -------------------------------------------------------------------

gcc -O0 --coverage program.c -o covered && ./covered > want.out &&
    gcov -t covered-program.gcda 2> /dev/null |
    awk -F: '/program.c|^ *[#=0-9]/ { gsub(/[ *]/, "", $1); gsub(/ /, "", $2); sub(/[#=]+/, "0", $1); print $2, $1 }' |
    sort > want
labels=$(grep -nE '^ *(case .*|default|last):' program.c | cut -d : -f 1 | paste -sd '|' | sed 's/|/\\|/g')
twice=$(grep -n '(setjmp' program.c | cut -d : -f 1)    # gcov takes its second return for another line
left=$(awk '/^deep/ { on = 1 } /^never/ { on = 0 } on { print NR }' program.c | paste -sd '|' | sed 's/|/\\|/g')
for mode in paths edges calls-cut trace; do
    recorded early "stage=early mode=$mode" -x c program.c > /dev/null
    ok "compiles with the counts of mode=$mode" used early.wpp -c program.c -o used.o
    is "and says nothing" "$(cat "$T/err")" ''
    dumped_lines > got
    # A label has no count of its own.  Where longjmp came from is in no edge.
    [ $mode = edges ] && but="$labels\|$left" || but="$labels\|$twice"
    join want got | grep -v "^\($but\) " | awk '$2 != $3' > different
    is "lines have gcov's counts, mode=$mode" "$(cat different)" ''
    like "nearly all have one" "$(join want got | wc -l)" '^(4[0-9]|5[0-9])$'
done
recorded early 'stage=early mode=paths' -x c program.c > /dev/null

# The call graph with these counts, beside GCC's own profile.  What is inlined early has no call.
calls() {
    awk '/^[a-z_]+\/[0-9]+ \(/ { split($1, name, "/") }
         /Calls:/ { while (match($0, /[a-z_]+\/[0-9]+ \([0-9]+ \(precise\)/)) {
                        call = substr($0, RSTART, RLENGTH); sub(/\/[0-9]+ \(/, " ", call)
                        print name[1], call; $0 = substr($0, RSTART + RLENGTH) } }' "$1" | sort
}
mkdir -p own
(cd own && cp ../program.c . && gcc -O2 -g -fno-early-inlining -fprofile-generate -c program.c &&
    gcc --coverage program.o -o program && ./program > /dev/null &&
    gcc -O2 -g -fno-early-inlining -fprofile-use -fdump-ipa-whole-program -c program.c) > /dev/null 2>&1
used early.wpp -fno-early-inlining -c program.c -o used.o
calls own/*.whole-program | grep -v '^dive\|^deep' > want.calls
calls dumps/*.whole-program | grep -v '^dive\|^deep' > got.calls
like 'calls have counts' "$(cat got.calls)" '^main choose 200'
same "they are those of -fprofile-use" want.calls got.calls

# ---- What is built with them -----------------------------------------------------------------

ok 'links' "$WPP_GCC" -O2 -fplugin-arg-wpp-use=early.wpp program.c -o optimized
is 'the program does the same' "$(./optimized)" "$(cat want.out)"
is 'it records nothing' "$(nm optimized | grep -c __wpp; ls ./*.trace 2> /dev/null)" 0
like 'a routine that never ran is put aside' "$(objdump -h -t used.o)" '\.text\.unlikely.* never$'
like 'a hot one is put together with others' "$(objdump -t used.o)" '\.text\.hot.* bits$'
ok 'the variable does the same' env WPP_PLUGIN_ARGS=use=early.wpp "$WPP_GCC" -O2 program.c -o optimized
is 'without runtime' "$(nm optimized | grep -c __wpp)" 0
"$WPP_GCC" -O2 -c program.c -o events.o
ok 'an object that records gets its runtime' \
    env WPP_PLUGIN_ARGS=use=early.wpp "$WPP_GCC" -O2 events.o -o optimized
for level in '-O1' '-O3' '-Os' '-O2 -fPIC' '-O2 -flto'; do
    ok "builds with $level" "$WPP_GCC" $level -fchecking -fplugin-arg-wpp-use=early.wpp program.c -o optimized
    is "the program does the same, $level" "$(./optimized)" "$(cat want.out)"
done

# ---- The late stage --------------------------------------------------------------------------

recorded late 'mode=paths' -x c program.c > /dev/null
ok 'compiles with counts of the late stage' used late.wpp -c program.c -o used.o
is 'and says nothing' "$(cat "$T/err")" ''
like 'its blocks have counts' "$(counts bits)" "^$(awk '$1 == 14 { print $2 }' want) "
ok 'links' "$WPP_GCC" -O2 -fplugin-arg-wpp-use=late.wpp program.c -o optimized
is 'the program does the same' "$(./optimized)" "$(cat want.out)"
wpp-profile -o late.prof late.wpp
ok 'a file of counts does, too' used late.prof -c program.c -o used.o

# ---- What has changed ------------------------------------------------------------------------

sed 's/k += n & 1;/k += n \& 1; if (k > 1000) abort();/; 1i // moved' program.c > changed.c
mkdir -p elsewhere && cp changed.c elsewhere/program.c
ok 'a changed routine is compiled' sh -c "cd elsewhere && '$WPP_GCC' -O2 -g -fchecking -c program.c -o used.o \
    -fplugin-arg-wpp-use=../early.wpp -fdump-tree-all-blocks-details-lineno"
like 'the user is told' "$(cat "$T/err")" "warning: wpp: 'bits' is not as it was when '../early.wpp' was recorded"
is 'of this one alone' "$(grep -c warning "$T/err")" 1
like 'and how many others have counts' "$(cat "$T/err")" 'have counts of .*, 0 never ran, 1 have changed, [12] are not known'
is 'it has none' "$(counts bits elsewhere/ | grep -c '^0$\|^$')" 1
like 'the others have theirs, though they moved' "$(counts choose elsewhere/)" '^200 '
run "$WPP_GCC" -O2 -Wno-coverage-mismatch -fplugin-arg-wpp-use=early.wpp -c elsewhere/program.c -o used.o
is 'an option silences that' "$(cat "$T/err")" ''
fails_to_warn() { ! "$@" 2> /dev/null; }
ok '-Werror makes it an error' fails_to_warn sh -c "cd elsewhere && '$WPP_GCC' -O2 -Werror \
    -fplugin-arg-wpp-use=../early.wpp -c program.c -o used.o"
echo 'int other(int a) { return a + 1; }' > other.c
run "$WPP_GCC" -O2 -fplugin-arg-wpp-use=early.wpp -c other.c -o used.o
like 'another unit is told of' "$(cat "$T/err")" "warning: wpp: 'early.wpp' has no counts for 'other.c'"

# ---- Units and headers -----------------------------------------------------------------------

cat > count.h <<'END'
inline __attribute__((noinline)) int count(int n)
{
    int k = 0;
    while (n > 0)
    {
        k += n & 1;
        n -= 3;
    }
    return k;
}
END
for unit in one two; do
    cat > $unit.cc <<END
#include "count.h"
static __attribute__((noinline)) int same(int n)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        k += count(i);
    return k;
}
int $unit(int n) { return same(n); }
END
done
cat > main.cc <<'END'
int one(int), two(int);
int main() { return one(10) + two(70) == 12345; }
END
recorded units 'stage=early mode=paths' one.cc two.cc main.cc
for unit in one two; do
    used units.wpp -c $unit.cc -o $unit.o
    [ $unit = one ] && n=10 || n=70
    is "a static routine has the counts of its own unit, $unit" "$(counts same)" "$((n + 1)) $n 1"
    is "an inline one has those of all units, $unit" "$(counts count | awk '{ print $NF }')" 80
done

# ---- What GCC cannot use -----------------------------------------------------------------------

# Each branch is taken in half of the calls: in one run always both or none, in the other always one.
cat > pair.c <<'END'
#include <stdlib.h>
volatile int sink;
__attribute__((noinline)) void pair(int a, int b)
{
    if (a)
        sink++;
    if (b)
        sink--;
}
int main(int argc, char **argv)
{
    for (int i = 0; i < 1000; i++)
        pair(i & 1, (i + atoi(argv[1])) & 1);
    return argc - 2;
}
END
"$WPP_GCC" -O2 -fplugin-arg-wpp-{stage=early,mode=paths} pair.c -o pair.rec
for k in 0 1; do
    wpp-record -qo pair$k.wpp ./pair.rec $k
    wpp-profile --routine=pair --paths --format=csv pair$k.wpp | grep -c '^path' > pair$k.paths
    wpp-profile --routine=pair --edges --format=csv pair$k.wpp | grep '^edge' > pair$k.edges
    wpp-profile --routine=pair --paths --format=csv pair$k.wpp | grep '^path' > pair$k.list
    "$WPP_GCC" -O2 -fplugin-arg-wpp-use=pair$k.wpp -c pair.c -o pair$k.o
done
is 'two runs have two paths each' "$(cat pair[01].paths | paste -sd ' ')" '2 2'
same 'the same edges' pair0.edges pair1.edges
ok 'other paths' sh -c '! cmp -s pair0.list pair1.list'
same 'and GCC makes the same object of both' pair0.o pair1.o

# ---- What goes wrong -------------------------------------------------------------------------

says() {
    run "$WPP_GCC" -O2 -c program.c -o bad.o "${@:3}"
    like "$1" "$(cat "$T/err")" "$2"
    [ $status != 0 ] && [ ! -e bad.o ] && pass "$1: an error" || fail "$1: an error"
}
head -c 200 early.wpp > short.wpp
echo nonsense > nonsense.wpp
says 'no such file' "fatal error: wpp: 'use=none.wpp': cannot open none.wpp: No such file" -fplugin-arg-wpp-use=none.wpp
says 'a folder' "fatal error: wpp: 'use=.': " -fplugin-arg-wpp-use=.
says 'another file' "fatal error: wpp: 'use=nonsense.wpp': " -fplugin-arg-wpp-use=nonsense.wpp
says 'a cut file' "fatal error: wpp: 'use=short.wpp': " -fplugin-arg-wpp-use=short.wpp
says 'no file' "fatal error: wpp: '-fplugin-arg-wpp-use' is not understood" -fplugin-arg-wpp-use
says 'with events' "'use=' makes code without events: 'mode=' does not go with it" \
    -fplugin-arg-wpp-{use=early.wpp,mode=paths}
says 'the other stage' "was recorded with 'stage=early'; leave out 'stage='" -fplugin-arg-wpp-{use=early.wpp,stage=late}
says 'with a profile of GCC' "leave out '-fprofile-use'" -fplugin-arg-wpp-use=early.wpp -fprofile-use
ok 'the stage may be said' "$WPP_GCC" -O2 -fplugin-arg-wpp-{use=early.wpp,stage=early} -c program.c -o used.o
run "$WPP_GCC" -O0 -fplugin-arg-wpp-use=early.wpp -c program.c -o used.o
like 'without optimisation there is no effect' "$(cat "$T/err")" "warning: wpp: 'use=early.wpp' has no effect"

# A compiler cache learns which file the code depends on.
printf '#!/bin/sh\necho "$CCACHE_EXTRAFILES" > extra\nexec "$@"\n' > ccache
chmod +x ccache
ok 'a compile through a cache' env WPP_CC="./ccache gcc" "$WPP_GCC" -O2 -fplugin-arg-wpp-use=early.wpp -c program.c -o used.o
like 'the cache knows the file of counts' "$(cat extra)" ':early\.wpp$'

done_testing
