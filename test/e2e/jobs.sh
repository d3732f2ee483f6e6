#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 20
# --jobs: a long trace that repeats little is cut into parts that are built at the same time, on the
# rules of the first one.  The file does not depend on the number of jobs, nothing is lost, and every
# tool answers as for one piece.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
# The second reader keeps its memory to the end on purpose.
export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}

# The first part has at least 2^24 events and a million symbols, a further one 2^24; or 1000.
case $CONFIG in
hostile) part=1000 words=2200 parts=3 ;;
*)       part=16777216 words=17500000 parts=2 ;;
esac

# In a release build a part is so large that only a selection is tried.
thorough() {
    check_all || [ $CONFIG = hostile ]
}

# ---- Words -----------------------------------------------------------------------------

# Words of a few letters, mostly those that came before: about ten letters become a symbol.
cat > words.c << 'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    static uint32_t out[1 << 16];
    uint64_t r = 88172645463325252, n = strtoull(argv[argc - 1], 0, 10);
    uint32_t left = 0, at = 0, letter = 0;

    for (uint64_t i = 0; i < n; i++) {
        if (left == 0) {
            r ^= r << 13, r ^= r >> 7, r ^= r << 17;
            letter = (uint32_t)(r >> 40) % 1000;
            left = 5 + letter % 9;
        }
        out[at++] = 100 + (letter * 7 + --left) % 211;
        if (at == 1 << 16 || i == n - 1)
            fwrite(out, 4, at, stdout), at = 0;
    }
    return 0;
}
END
gcc -O2 -o words words.c
./words $words > words.bin
ok 'in parts, two at a time' wpp-compress --symbols -q -j2 -o two.wpp words.bin
is "are $parts" "$(parts two.wpp)" $parts
is 'as JSON has it' "$(wpp-info --format=json two.wpp | grep -o '"parts":[0-9]*')" "\"parts\":$parts"
if thorough; then
    ok '--jobs=5' wpp-compress --symbols -q --jobs=5 -f -o more.wpp words.bin
    same '--jobs=5: the same file' more.wpp two.wpp
    ok 'without --jobs' wpp-compress --symbols -q -f -o more.wpp words.bin
    same 'without --jobs: the same file' more.wpp two.wpp
    "$BUILD/test/read-wpp" two.wpp > expanded
    same 'the second reader has all of them' expanded words.bin
fi
cat words.bin | wpp-compress --symbols > more.wpp
same 'from a pipe to a pipe, without threads: the same file' more.wpp two.wpp
wpp-dump --tokens two.wpp > expanded
same 'wpp-dump has all of them' expanded words.bin
ok 'wpp-check finds it fine' wpp-check two.wpp
if [ $CONFIG = hostile ]; then
    ok 'its WPP, parsed anew' wpp-compress --best -f -o more.wpp two.wpp
    is 'is one piece then' "$(parts more.wpp)" 0
    ok 'in which digrams are unique' wpp-check more.wpp
fi
ok 'as one piece' wpp-compress --symbols -q -j1 -o one.wpp words.bin
is 'is one piece' "$(parts one.wpp)" 0
size=$(stat -c %s two.wpp) whole=$(stat -c %s one.wpp)
[ $CONFIG = hostile ] || ok "parts take $size bytes, one piece $whole" test $size -le $((whole + whole / 20))
# Where no thread is to be had.
if ! thorough; then
    :
elif [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null && command -v prlimit > /dev/null; then
    # They need not be allowed to look where this was built.
    chmod 755 "$T" && mkdir -m 777 theirs
    install -m 755 "$(command -v wpp-compress)" theirs
    install -m 644 words.bin theirs
    ok 'without threads' setpriv --reuid=65534 --clear-groups prlimit --nproc=1 \
        theirs/wpp-compress --symbols -q -j2 -o theirs/none.wpp theirs/words.bin
    same 'without threads: the same file' theirs/none.wpp two.wpp
else
    skip 'without threads: not root, or no setpriv or prlimit here'
fi

# What ends with a part has no empty one behind it.
for n in $part $((2 * part)); do
    thorough && [ $n -le $words ] || continue
    head -c $((4 * n)) words.bin > whole.bin
    wpp-compress --symbols -q -j3 -f -o whole.wpp whole.bin
    is "$((n / part)) whole parts" "$(parts whole.wpp)" $((n > part ? n / part : 0))
    wpp-dump --tokens whole.wpp > expanded
    same "$((n / part)) whole parts have all" expanded whole.bin
    [ $n != $part ] || wpp-compress --symbols -q -j1 -f -o one.wpp whole.bin
    [ $n != $part ] || same 'what is one part is as it is in one piece' whole.wpp one.wpp
done
# What repeats much stays one piece: a loop in a loop whose turns are drawn.
cat > loops.c << 'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    static uint32_t turns[1300];
    uint64_t r = 88172645463325252;

    for (uint32_t k = 0; k < 1300; k++)
        turns[k] = 100 + k % 7;
    for (uint64_t n = strtoull(argv[argc - 1], 0, 10); n > 0; n--) {
        r ^= r << 13, r ^= r >> 7, r ^= r << 17;
        fwrite(turns, 4, 300 + (uint32_t)(r >> 40) % 1000, stdout);
        fwrite(&(uint32_t){109}, 4, 1, stdout);
    }
    return 0;
}
END
gcc -O2 -o loops loops.c
./loops $((part / 500)) > loops.bin
wpp-compress --symbols -q -j3 -f -o loops.wpp loops.bin
[ $CONFIG = hostile ] || is 'loops stay one piece' "$(parts loops.wpp)" 0
: > empty
ok 'no words at all' wpp-compress --symbols -q -j2 -f -o whole.wpp empty

# ---- A program -------------------------------------------------------------------------

# Three threads, one of which begins when most is over.
cat > prog.c << 'END'
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static volatile unsigned sink[8];
static long rounds;

__attribute__((noipa)) static void step(uint64_t r)
{
    for (int i = 0; i < 14; i++)
        if (r >> i & 1)
            sink[i & 7]++;
}

static void *work(void *arg)
{
    uint64_t r = (uintptr_t)arg;
    for (long i = 0; i < rounds; i++) {
        r ^= r << 13, r ^= r >> 7, r ^= r << 17;
        step(r >> 40);
    }
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t thread[2];
    rounds = atol(argv[argc - 1]);
    pthread_create(&thread[0], 0, work, (void *)11);
    work((void *)13);
    pthread_join(thread[0], 0);
    pthread_create(&thread[1], 0, work, (void *)12);
    pthread_join(thread[1], 0);
    return 0;
}
END
ok 'a program is built' "$WPP_GCC" -O1 -fno-unroll-loops -pthread -o prog prog.c
# About sixteen events a round and thread.
WPP_OUT=prog.trace ./prog $((part / 40))
ok 'its trace, three at a time' wpp-compress -q -j3 prog.trace
ok "it is cut: $(parts prog.wpp) parts" test "$(parts prog.wpp)" -gt 1
wpp-compress -q -j2 -f -o two.wpp prog.trace
same 'two at a time: the same file' two.wpp prog.wpp
wpp-compress -q -j1 -f -o one.wpp prog.trace
is 'one is one piece' "$(parts one.wpp)" 0
ok 'wpp-check finds it fine' wpp-check --strict prog.wpp

some_of 2 -- 0 1
for thread in "${chosen[@]}"; do
    same_answers "thread $thread's tokens" prog.wpp one.wpp wpp-dump --tokens --thread=$thread
done
same_answers 'line counts' prog.wpp one.wpp wpp-dump --line-counts
same_answers 'routines' prog.wpp one.wpp wpp-dump --routines

if thorough; then
# A trace that is cut within its last part, and one that is damaged there.
size=$(stat -c %s prog.trace)
head -c $((size / 20 * 19 + 1)) prog.trace > cut.trace
{ head -c $((size / 20 * 19)) prog.trace; head -c 4096 words.bin; } > hurt.trace
for which in cut hurt; do
    run wpp-compress -q -j2 -f -o $which.wpp $which.trace
    is "a trace that is $which" "$status $(wc -l < err)" '3 1'
    mv err said
    run wpp-compress -q -f -o one.wpp $which.trace
    same "it is said as without: $which" err said
    for thread in 0 1 2; do
        wpp-dump --tokens --thread=$thread $which.wpp > cut 2> /dev/null
        wpp-dump --tokens --thread=$thread one.wpp > whole 2> /dev/null
        same "thread $thread has what it has without: $which" cut whole
    done
done
fi

# ---- Recording ------------------------------------------------------------------------------

rounds=$((part / 40))
wpp-dump --tokens --thread=0 prog.wpp > whole
ok 'a recording, the rest by two' wpp-record -q -j2 -o live.wpp ./prog $rounds
ok "it is cut: $(parts live.wpp) parts" test "$(parts live.wpp)" -gt 1
ok 'wpp-check finds it fine' wpp-check --strict live.wpp
wpp-dump --tokens --thread=0 live.wpp > expanded
same 'thread 0 did what it did before' expanded whole
# Two processes, which share the crew.
if thorough; then
cat > forks.c << 'END'
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned n;
int main(int argc, char **argv)
{
    long rounds = atol(argv[argc - 1]);
    uint64_t r = 88172645463325252;
    fork();
    for (long i = 0; i < rounds; i++) {
        r ^= r << 13, r ^= r >> 7, r ^= r << 17;
        if (r >> 40 & 1)
            n++;
    }
    while (wait(0) > 0)
        ;
    return 0;
}
END
wpp-gcc -O1 forks.c -o forks
ok 'processes, the rest by three' wpp-record -q -j3 -o forks.wpp ./forks $((part + part / 50))
is 'both are cut' \
    "$(for file in forks.wpp forks.wpp.d/*; do parts $file; done | sort | uniq -c | xargs)" '2 2'
ok 'and all are fine' wpp-check --strict forks.wpp forks.wpp.d/*
fi

# The recorder is killed when the program is over: what is left ends the work.
some_of 0.2 -- 0 0.6
for moment in "${chosen[@]}"; do
    rm -f over dead.wpp
    { wpp-record -q -j2 -o dead.wpp sh -c "./prog $rounds; touch over" 2> err & } 2> /dev/null
    recorder=$!
    for ((i = 0; i < 3000; i++)); do
        [ ! -e over ] || break
        sleep 0.02
    done
    sleep $moment
    kill -KILL $recorder 2> /dev/null
    wait $recorder 2> /dev/null
    for ((i = 0; i < 3000; i++)); do
        [ ! -e dead.wpp ] || break
        sleep 0.02
    done
    run wpp-check --strict dead.wpp
    wpp-dump --tokens --thread=0 dead.wpp > expanded 2> /dev/null
    # Right behind the end it may not have taken all yet.
    if [ "$moment $status" = '0 3' ]; then
        ok "killed $moment s behind the end: what it had not taken is missing, and that is said" \
            cmp -n "$(stat -c %s expanded)" expanded whole
        continue
    fi
    is "killed $moment s behind the end: the file is fine" "$status" 0
    same "killed $moment s behind the end: and has all" expanded whole
done

# ---- Refused -----------------------------------------------------------------------------

refused 'a number that is none' 2 wpp-compress -j many -o x.wpp prog.trace
is 'nothing is written' "$(ls x.wpp 2> /dev/null)" ''
done_testing
