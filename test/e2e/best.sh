#!/bin/bash
# SPDX-License-Identifier: MIT
# --best: a smaller file of the same events, from which every tool gives the same answers.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
# The second reader keeps its memory to the end on purpose.
export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}

# ---- Words -----------------------------------------------------------------------------

# Two hundred phrases of three letters, the first ones more often, and a list of all of them.
case $CONFIG in
hostile) n=20000 ;;
*)       n=300000 ;;
esac
awk -v n=$n 'BEGIN {
    srand(4711)
    for (w = 0; w < 200; w++) {
        length_of[w] = 3 + int(9 * rand())
        for (i = 0; i < length_of[w]; i++)
            word[w, i] = int(3 * rand())
    }
    while (k < n) {
        w = int(rand() * (1 + int(200 * rand())))
        for (i = 0; i < length_of[w]; i++)
            print word[w, i] + (k++ % 50000 < 25000 ? 7 : 70000)
    }
}' | perl -ne 'print pack("V", $_)' > words

as_it_was() {
    wpp-dump --tokens "$1" > expanded
    same "$1: wpp-dump has all of them" expanded "$2"
    "$BUILD/test/read-wpp" "$1" > expanded
    same "$1: the second reader has all of them" expanded "$2"
    ok "$1: fulfils SEQUITUR's invariants" wpp-check "$1"
}

wpp-compress --symbols -q -j1 -o plain.wpp words
ok 'words' wpp-compress --symbols -q --best -o best.wpp words
as_it_was best.wpp words
size() { stat -c %s "$1"; }
case $CONFIG in
hostile) skip 'with tiny tables it is no smaller' ;;
*)
    ok "at least two per cent smaller: $(size best.wpp) bytes of $(size plain.wpp)" \
        test $(($(size best.wpp) * 100)) -le $(($(size plain.wpp) * 98)) ;;
esac
cat words | wpp-compress --symbols --best | cat > again.wpp
same 'from a pipe to a pipe: the same file' again.wpp best.wpp

for input in random zeros none; do
    case $input in
    random) head -c 40000 /dev/urandom ;;
    zeros)  head -c 40000 /dev/zero ;;
    none)   : ;;
    esac > $input
    ok "$input" wpp-compress --symbols -q --best -o $input.wpp $input
    as_it_was $input.wpp $input
done

# ---- Segments --------------------------------------------------------------------------

ok 'with several jobs it is one piece' wpp-compress --symbols -q --best -j3 -f -o again.wpp words
same 'with several jobs: the same file' again.wpp best.wpp
ok 'with a limit to memory' wpp-compress --symbols -q --best --memory=32M -f -o limit.wpp words
as_it_was limit.wpp words

# ---- A WPP -----------------------------------------------------------------------------

ok 'of a WPP' wpp-compress --best -o of-plain.wpp plain.wpp
same 'the file that its words make' of-plain.wpp best.wpp
wpp-compress --best -o - - < plain.wpp > of-plain.wpp
same 'from the standard input to the standard output: the same' of-plain.wpp best.wpp
(head -c 3 plain.wpp; sleep 0.2; tail -c +4 plain.wpp) | wpp-compress --best -o - - > of-plain.wpp
same 'in pieces, the first of which is too short to be known' of-plain.wpp best.wpp
fails 'a beginning without the rest' sh -c 'head -c 3 plain.wpp | wpp-compress --best -o - - > of-plain.wpp'
for input in random zeros none; do
    wpp-compress --symbols -q -j1 -f -o plain-one.wpp $input
    ok "of the WPP of $input" wpp-compress --best -f -o of-plain.wpp plain-one.wpp
    same "the file that $input makes" of-plain.wpp $input.wpp
done
ok 'once more' wpp-compress --best -f -o again.wpp best.wpp
as_it_was again.wpp words
ok "is no larger: $(size again.wpp) bytes" test "$(size again.wpp)" -le "$(size best.wpp)"
# In 32 MB there are several segments of what does not repeat.
if [ $CONFIG = hostile ]; then
    skip 'segments: with tiny tables that takes very long'
else
    head -c 1200000 /dev/urandom > long && cat words >> long
    wpp-compress --symbols -q --memory=32M -o cut.wpp long
    ok "of a WPP of segments: $(segments cut.wpp)" wpp-compress --best -o of-cut.wpp cut.wpp
    is 'as many as before' "$(segments of-cut.wpp)" "$(segments cut.wpp)"
    ok 'which are more than one' test "$(segments cut.wpp)" -gt 1
    as_it_was of-cut.wpp long
fi
wpp-compress --best < plain.wpp > of-plain.wpp
same 'to the standard output by itself: the same' of-plain.wpp best.wpp
cat plain.wpp | wpp-compress --best | cat > of-plain.wpp
same 'from a pipe to a pipe: the same' of-plain.wpp best.wpp
fails 'nothing is no WPP' wpp-compress --best -o not-there.wpp < <(:)
fails 'nor are three bytes' wpp-compress --best -o not-there.wpp < <(head -c 3 plain.wpp)
fails 'not without a name for it' wpp-compress --best plain.wpp
fails 'not in its own place' wpp-compress --best -f -o plain.wpp plain.wpp
fails 'not in pieces' wpp-compress --best -j2 -o not-there.wpp plain.wpp
fails 'not without --best' wpp-compress -o not-there.wpp plain.wpp
for at in 9 300 $(($(size plain.wpp) / 2)); do
    { head -c "$at" plain.wpp; printf 'XX'; tail -c +$((at + 3)) plain.wpp; } > damaged.wpp
    fails "damaged at $at" wpp-compress --best -f -o not-there.wpp damaged.wpp
    is "damaged at $at: one line says so" "$(wc -l < "$T/err")" 1
done
head -c $(($(size plain.wpp) - 5)) plain.wpp > damaged.wpp
fails 'cut short' wpp-compress --best -f -o not-there.wpp damaged.wpp
ok 'and nothing is left behind' test ! -e not-there.wpp

# ---- A program -------------------------------------------------------------------------

cat > prog.c << 'END'
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static volatile unsigned sink[8];

__attribute__((noipa)) static void odd(unsigned i)  { sink[i & 7] += i % 3 ? 1 : 2; }
__attribute__((noipa)) static void even(unsigned i) { if (i & 4) odd(i / 2); sink[i & 7]++; }

static void *work(void *arg)
{
    uint64_t r = (uintptr_t)arg;

    for (int i = 0; i < 3000; i++) {
        r ^= r << 13, r ^= r >> 7, r ^= r << 17;
        for (unsigned k = r >> 62; k < 3; k++)
            (r >> k & 1 ? odd : even)((unsigned)i);
    }
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, (void *)11);
    work((void *)13);
    pthread_join(thread, 0);
    return 0;
}
END
ok 'a program is built' "$WPP_GCC" -O1 -pthread -o prog prog.c
ok 'and recorded' wpp-record -q --best --trace=prog.trace -o prog.wpp ./prog
ok 'wpp-check finds it fine' wpp-check --strict prog.wpp
ok 'its trace' wpp-compress -q --best -o trace.wpp prog.trace
same 'makes the same file' trace.wpp prog.wpp
cat prog.trace | wpp-compress -q --best > trace.wpp
same 'through a pipe, too' trace.wpp prog.wpp
wpp-compress -q -o plain-prog.wpp prog.trace
ok 'of its WPP' wpp-compress --best -o of-plain-prog.wpp plain-prog.wpp
ok 'wpp-check finds that fine, too' wpp-check --strict of-plain-prog.wpp
same_answers 'of its WPP: all' of-plain-prog.wpp prog.wpp wpp-dump
for thread in 0 1; do
    same_answers "thread $thread's tokens" prog.wpp plain-prog.wpp wpp-dump --tokens --thread=$thread
done
same_answers 'line counts' prog.wpp plain-prog.wpp wpp-dump --line-counts
same_answers 'routines' prog.wpp plain-prog.wpp wpp-dump --routines
same_answers 'hot subpaths' prog.wpp plain-prog.wpp wpp-hot -l 2 -L 20 --format=csv

done_testing
