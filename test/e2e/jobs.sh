#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 45
# --jobs: a trace is cut into segments that are built at the same time.  The file does not
# depend on the number of jobs, nothing is lost, and every tool answers as for one piece.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
# The second reader keeps its memory to the end on purpose.
export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}

# A segment is 2^24 events, or 1000.
case $CONFIG in
hostile) segment=1000 ;;
*)       segment=16777216 ;;
esac

# ---- Words -----------------------------------------------------------------------------

# A loop in a loop in a loop, whose turns are drawn.
cat > words.c << 'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    static uint32_t out[1 << 16];
    uint64_t r = 88172645463325252, n = strtoull(argv[argc - 1], 0, 10);
    uint32_t turns = 0, at = 0;

    for (uint64_t i = 0; i < n; i++) {
        if (turns == 0) {
            r ^= r << 13, r ^= r >> 7, r ^= r << 17;
            turns = 20 + (r >> 40) % 3000;
        }
        out[at++] = --turns ? 100 + turns % 7 : 200 + (uint32_t)(r >> 50);
        if (at == 1 << 16 || i == n - 1)
            fwrite(out, 4, at, stdout), at = 0;
    }
    return 0;
}
END
gcc -O2 -o words words.c
./words $((2 * segment + segment / 5)) > words.bin
ok 'three segments, two at a time' wpp-compress --symbols -q -j2 -o two.wpp words.bin
is 'are three' "$(segments two.wpp)" 3
some_of 3 0 -- 7
for jobs in "${chosen[@]}"; do
    ok "--jobs=$jobs" wpp-compress --symbols -q --jobs=$jobs -f -o more.wpp words.bin
    [ $jobs = 0 ] && [ "$(nproc)" = 1 ] || same "--jobs=$jobs: the same file" more.wpp two.wpp
done
wpp-compress --symbols -j2 < words.bin > more.wpp
same 'from a pipe to a pipe: the same file' more.wpp two.wpp
wpp-dump --tokens two.wpp > expanded
same 'wpp-dump has all of them' expanded words.bin
"$BUILD/test/read-wpp" two.wpp > expanded
same 'the second reader has all of them' expanded words.bin
ok 'wpp-check finds it fine' wpp-check two.wpp
# As one piece: read by one thread, built by another.
ok 'as one piece, by one thread' wpp-compress --symbols -q -j1 -o one.wpp words.bin
is 'is one piece' "$(segments one.wpp)" 0
ok 'read by one thread, built by another' wpp-compress --symbols -q -f -o more.wpp words.bin
same 'the same file' more.wpp one.wpp
wpp-compress --symbols < words.bin > more.wpp
same 'from a file that is standard input: the same' more.wpp one.wpp
cat words.bin | wpp-compress --symbols > more.wpp
same 'from a pipe: the same' more.wpp one.wpp
# Where no thread is to be had.
if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null && command -v prlimit > /dev/null; then
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

# What ends with a segment has no empty one behind it.
for n in $segment $((2 * segment)); do
    head -c $((4 * n)) words.bin > whole.bin
    wpp-compress --symbols -q -j3 -f -o whole.wpp whole.bin
    is "$((n / segment)) whole segments" "$(segments whole.wpp)" $((n > segment ? n / segment : 0))
    wpp-dump --tokens whole.wpp > expanded
    same "$((n / segment)) whole segments have all" expanded whole.bin
done
wpp-compress --symbols -q -f -o one.wpp - < <(head -c $((4 * segment)) words.bin)
wpp-compress --symbols -q -j2 -f -o whole.wpp - < <(head -c $((4 * segment)) words.bin)
same 'what is one segment is as it is without' whole.wpp one.wpp
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
        if (r >> (i & 3) & 1)
            sink[i & 7]++;
}

static void *work(void *arg)
{
    uint64_t r = (uintptr_t)arg;
    for (long i = 0; i < rounds; i++) {
        if (i % 50 == 0)
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
# About sixteen events a round.
rounds=$((segment / 26))
WPP_OUT=prog.trace ./prog $rounds
ok 'its trace, three at a time' wpp-compress -q -j3 prog.trace
ok "it is cut: $(segments prog.wpp) segments" test "$(segments prog.wpp)" -gt 1
wpp-compress -q -j2 -f -o two.wpp prog.trace
same 'two at a time: the same file' two.wpp prog.wpp
wpp-compress -q -j1 -f -o one.wpp prog.trace
is 'one is one piece' "$(segments one.wpp)" 0
ok 'wpp-check finds it fine' wpp-check --strict prog.wpp

for thread in 0 1 2; do
    same_answers "thread $thread's tokens" prog.wpp one.wpp wpp-dump --tokens --thread=$thread
done
same_answers 'line counts' prog.wpp one.wpp wpp-dump --line-counts
same_answers 'routines' prog.wpp one.wpp wpp-dump --routines

# A trace that is cut within its last segment, and one that is damaged there.
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

# ---- Recording ------------------------------------------------------------------------------

wpp-dump --tokens --thread=0 prog.wpp > whole
ok 'a recording, the rest by two' wpp-record -q -j2 -o live.wpp ./prog $rounds
ok "it is cut: $(segments live.wpp) segments" test "$(segments live.wpp)" -gt 1
ok 'wpp-check finds it fine' wpp-check --strict live.wpp
wpp-dump --tokens --thread=0 live.wpp > expanded
same 'thread 0 did what it did before' expanded whole
cat > forks.c << 'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned n;
int main(int argc, char **argv)
{
    long rounds = atol(argv[argc - 1]);
    for (int i = 0; i < 3; i++)
        if (fork() == 0)
            break;
    for (long i = 0; i < rounds; i++)
        if (i % 3)
            n++;
    while (wait(0) > 0)
        ;
    return 0;
}
END
wpp-gcc -O1 forks.c -o forks
ok 'processes, the rest by three' wpp-record -q -j3 -o forks.wpp ./forks $((segment + segment / 2))
is 'each of the four is cut' \
    "$(for file in forks.wpp forks.wpp.d/*; do segments $file; done | sort | uniq -c | xargs)" '4 2'
ok 'and all are fine' wpp-check --strict forks.wpp forks.wpp.d/*

# The recorder is killed when the program is over: what is left ends the work.
for moment in 0 0.2 0.6; do
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

# ---- Disks that are full --------------------------------------------------------------------

# Of 64 words one is drawn, from 16; of 4096 one is new.
cat > digits.c << 'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    uint64_t r = 88172645463325252;
    for (uint64_t i = 0, n = strtoull(argv[argc - 1], 0, 10); i < n; i++) {
        uint32_t word;
        r ^= r << 13, r ^= r >> 7, r ^= r << 17;
        word = i % 64 < 63 ? 1 + (uint32_t)(i % 64)
             : i % 4096 < 4095 ? 100 + (uint32_t)(r >> 60) : 1000 + (uint32_t)(i >> 12);
        fwrite(&word, 4, 1, stdout);
    }
    return 0;
}
END
gcc -O2 -o digits digits.c
./digits $((4 * segment)) > digits.bin
wpp-compress --symbols -q -j2 -o all.wpp digits.bin
each=$(($(stat -c %s all.wpp) / 4))
# Room for two segments, then for none.
for kilobytes in $((1100 + 2 * each / 1024)) 100; do
    if [ $CONFIG = hostile ]; then
        skip 'a full disk: segments are too small'
    elif mkdir -p full && mount -t tmpfs -o size=${kilobytes}k none full 2> /dev/null; then
        # The ends of segments are within what is read at a time.
        run bash -c '{ head -c 20004; cat; } < digits.bin | wpp-compress --symbols -q -j2 -o full/x.wpp'
        case $kilobytes in
        100)
            is 'a disk that takes no segment' "$status $(ls full)" '1 '
            like 'it is said' "$(cat err)" 'No space left' ;;
        *)
            is "a disk that takes $kilobytes kB of $((each * 4 / 1024))" "$status $(wc -l < err)" '3 1'
            taken=$(sed -n 's/.*the first \([0-9]*\) events were taken.*/\1/p' err)
            wpp-dump --tokens full/x.wpp > expanded 2> /dev/null
            head -c $((4 * ${taken:-0})) digits.bin > whole.bin
            ok "it is said: $taken events" test "${taken:-0}" -ge $segment
            same 'which are there' expanded whole.bin ;;
        esac
        umount full
    else
        skip 'a full disk: no tmpfs here'
    fi
done

# ---- Refused -----------------------------------------------------------------------------

refused 'both ways to cut' 2 wpp-compress -j2 --memory=64M -o x.wpp prog.trace
refused 'both ways to cut a recording' 2 wpp-record -j2 --memory=64M -o x.wpp ./prog 1
refused 'a number that is none' 2 wpp-compress -j many -o x.wpp prog.trace
is 'nothing is written' "$(ls x.wpp 2> /dev/null)" ''
done_testing
