#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 40
# --memory: compressing within a limit cuts the grammar into segments.  Nothing is lost, every
# tool answers as without a limit, and the process stays below it.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
# The second reader keeps its memory to the end on purpose.
export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}

# Runs a command; the most memory that it had at once, in kB, to the file `kilobytes`.
cat > most.c << 'END'
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct rusage usage;
    int status = 0;
    pid_t child = vfork();

    if (child == 0) {
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    if (argc < 2 || child < 0 || wait4(child, &status, 0, &usage) < 0)
        return 127;
    FILE *out = fopen("kilobytes", "w");
    fprintf(out, "%ld\n", usage.ru_maxrss);
    fclose(out);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}
END
gcc -O1 -o most most.c

# at_most NAME MEGABYTES COMMAND...: with 5 % more at most.  Sanitizers have memory of their own.
at_most() {
    local name=$1 limit=$(($2 * 1024 * 105 / 100))

    shift 2
    ok "$name" ./most "$@"
    case $CONFIG in
    release|debug) ok "$name: $(cat kilobytes) kB, not more than $limit" test "$(cat kilobytes)" -le $limit ;;
    *)             skip "its memory is not measured with $CONFIG" ;;
    esac
}

# ---- What does not repeat -----------------------------------------------------------

# A million words of 2^16.
awk 'BEGIN { srand(7); for (i = 0; i < 1000000; i++) printf "%d\n", int(65536 * rand()) }' |
    perl -ne 'print pack("V", $_)' > random
at_most 'random words within 32 MB' 32 wpp-compress --symbols -q --memory=32M -o random.wpp random
ok "they are cut: $(segments random.wpp) segments" test "$(segments random.wpp)" -gt 1
at_most 'wpp-dump reads them, with no segment there twice' 16 \
    sh -c 'exec wpp-dump --tokens random.wpp > expanded'
same 'wpp-dump has them all' expanded random
"$BUILD/test/read-wpp" random.wpp > expanded
same 'the second reader has them all' expanded random
ok 'wpp-check finds it fine' wpp-check random.wpp
version() { od -A n -t u4 -j 8 -N 4 "$1" | tr -d ' '; }
is 'nothing in it can be foreseen' "$(version random.wpp)" 17
if check_all; then
    at_most 'and parsed anew, too' 32 wpp-compress --symbols -q --best --memory=32M -o best.wpp random
    wpp-dump --tokens best.wpp > expanded
    same 'which has them all' expanded random
fi
./most wpp-compress --symbols -q -f -o whole.wpp random
case $CONFIG in
release|debug) ok "without a limit it takes more: $(cat kilobytes) kB" test "$(cat kilobytes)" -gt 34406 ;;
esac
is 'and is one piece' "$(segments whole.wpp)" 0
is 'of which nothing can be foreseen either' "$(version whole.wpp)" 16
wpp-dump --tokens whole.wpp > expanded
same 'wpp-dump has them all' expanded random
"$BUILD/test/read-wpp" whole.wpp > expanded
same 'the second reader has them all' expanded random
wpp-compress --symbols --memory=32M < random > piped.wpp
same 'a pipe gets the same bytes' piped.wpp random.wpp

# A million of 200,000 that are spread over 32 bits: each has its own place in memory.
perl -e 'srand(7); print pack("V", (int(rand(200000)) * 2654435761) & 0xffffffff) for 1 .. 1000000' > spread
at_most 'spread words within 32 MB' 32 wpp-compress --symbols -q --memory=32M -o spread.wpp spread
wpp-dump --tokens spread.wpp > expanded
same 'wpp-dump has them all' expanded spread
ok 'wpp-check finds it fine' wpp-check spread.wpp
# 400,000, each once: what is known of them is more than the grammar.
perl -e 'print pack("V", ($_ * 2654435761) & 0xffffffff) for 1 .. 400000' > once
at_most 'words that come once within 32 MB' 32 wpp-compress --symbols -q --memory=32M -o once.wpp once
wpp-dump --tokens once.wpp > expanded
same 'wpp-dump has them all' expanded once

# ---- A program -------------------------------------------------------------------------

# Three threads take paths at random; one has none before the others have many.
cat > prog.c << 'END'
#include <pthread.h>
#include <stdint.h>

static volatile unsigned sink[16];

__attribute__((noipa)) static void step(uint64_t r)
{
    for (int i = 0; i < 14; i++)
        if (r >> i & 1)
            sink[i]++;
        else
            sink[15]++;
}

static void *work(void *arg)
{
    uint64_t r = (uintptr_t)arg;
    for (int i = 0; i < 190000; i++) {
        r ^= r << 13;
        r ^= r >> 7;
        r ^= r << 17;
        step(r >> 40);
    }
    return 0;
}

int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], 0, work, (void *)11);
    pthread_join(thread[0], 0);
    pthread_create(&thread[1], 0, work, (void *)12);
    work((void *)13);
    pthread_join(thread[1], 0);
    return 0;
}
END
ok 'a program is built' "$WPP_GCC" -O1 -fno-unroll-loops -pthread -o prog prog.c
WPP_OUT=prog.trace ./prog
at_most 'its trace within 32 MB' 32 wpp-compress -q --memory=32M prog.trace
ok "it is cut: $(segments prog.wpp) segments" test "$(segments prog.wpp)" -gt 1
wpp-compress -q -o one.wpp prog.trace
is 'without a limit it is one piece' "$(segments one.wpp)" 0
ok 'wpp-check finds it fine' wpp-check --strict prog.wpp
is 'JSON has the segments' "$(wpp-info --format=json prog.wpp | grep -o '"segments":[0-9]*')" \
    "\"segments\":$(segments prog.wpp)"

for thread in 0 1 2; do
    same_answers "thread $thread's tokens" prog.wpp one.wpp wpp-dump --tokens --thread=$thread
done
same_answers 'events far inside' prog.wpp one.wpp wpp-dump --thread=1 --range=150k:+500
same_answers 'line counts' prog.wpp one.wpp wpp-dump --line-counts
same_answers 'routines' prog.wpp one.wpp wpp-dump --routines
same_answers 'hot subpaths' prog.wpp one.wpp wpp-hot --algorithm=exact -l 2 -L 6 -c 0.2%
"$BUILD/test/read-wpp" prog.wpp > cut
"$BUILD/test/read-wpp" one.wpp > whole
same 'the second reader: the same as of one piece' cut whole

# ---- Segments that are damaged ---------------------------------------------------------

# hurt N...: hurt.wpp is prog.wpp, or $of, with two bytes of each of these segments changed.
hurt() {
    perl -e '
        local $/; open(my $f, "<", shift); binmode $f; my $d = <$f>; my %want = map { $_ => 1 } @ARGV;
        my ($at, $end);
        for my $i (0 .. unpack("V", substr($d, 12, 4)) - 1) {
            my ($kind, $packing, $offset, $stored) = unpack("VVQ<Q<", substr($d, 32 + 40 * $i, 24));
            ($at, $end) = ($offset, $offset + $stored) if $kind == 10;
        }
        for (my $n = 1; $at < $end; $n++) {
            my ($size, $shift, $byte) = (0, 0, 128);
            while ($byte & 128) { $byte = ord(substr($d, $at++, 1)); $size |= ($byte & 127) << $shift; $shift += 7; }
            for my $k ($want{$n} ? (3, $size - 1) : ()) { substr($d, $at + $k, 1) ^= "\x55"; }
            $at += $size;
        }
        print $d;' "${of-prog.wpp}" "$@" > hurt.wpp
}
# lost OUT WHOLE: events of WHOLE that are Gap in OUT, which is WHOLE apart from that.
lost() {
    perl -e '
        local $/; my @t = map { open(my $f, "<", $_); binmode $f; <$f> } @ARGV;
        my $gap = index($t[0], "\x06\0\xff\xff"); my $tail = length($t[0]) - $gap - 4;
        print "no gap" if $gap < 0;
        print "another beginning" if substr($t[0], 0, $gap) ne substr($t[1], 0, $gap);
        print "another end" if $tail && substr($t[0], -$tail) ne substr($t[1], -$tail);
        print((length($t[1]) - $gap - $tail) / 4);' "$1" "$2"
}
for thread in 0 1 2; do
    wpp-dump --tokens --thread=$thread one.wpp > whole.$thread
done
wpp-info prog.wpp > info.whole
last=$(segments prog.wpp)
for n in 1 2 $last; do
    hurt $n
    run wpp-dump --tokens --thread=0 hurt.wpp
    is "segment $n damaged: status" $status 3
    like "segment $n damaged: said" "$(cat err)" \
        "segment $n of $last of the grammar is damaged .*: its [0-9]+ events are left out"
    sum=0
    for thread in 0 1 2; do
        wpp-dump --tokens --thread=$thread hurt.wpp > cut 2> /dev/null
        cmp -s cut whole.$thread || sum=$((sum + $(lost cut whole.$thread)))
    done
    is "segment $n damaged: that many events, all others are there" \
        "$sum" "$(sed -n 's/.*its \([0-9]*\) events.*/\1/p' err)"
    run wpp-check --strict hurt.wpp
    is "segment $n damaged: the others are fine" "$status $(grep -vc 'left out$\|cannot be read without all of' err)" '3 0'
    wpp-info hurt.wpp > cut 2> /dev/null
    is "segment $n damaged: wpp-info says no other figure" "$(grep -vxFf info.whole cut)" ''
    is "segment $n damaged: and leaves out" "$(grep -vxFf cut info.whole | cut -c1-18 | sed 's/ *$//' | paste -sd,)" \
        'calls,instructions,rules,rules per path,right-hand sides,longest rule'
done
hurt 1 2
like 'two of them' "$(wpp-check hurt.wpp 2>&1 > /dev/null | head -1)" 'segments 1 to 2 of [0-9]+ of the grammar are damaged'
run wpp-hot -l 2 -L 6 hurt.wpp
is 'hot subpaths of what is left' "$status $(test -s out && echo some)" '3 some'
hurt $(seq "$last")
fails_with 3 'all of them' wpp-dump hurt.wpp
head -c $(($(stat -c %s prog.wpp) - 1)) prog.wpp > hurt.wpp
like 'a file that is cut within its last segment' "$(wpp-check hurt.wpp 2>&1 > /dev/null)" \
    "segment $last of $last of the grammar is cut off"

# What ends where a segment does has no empty one behind it.
of=random.wpp hurt 1
first=$(wpp-check hurt.wpp 2>&1 > /dev/null | sed -n 's/.*its \([0-9]*\) events.*/\1/p')
for more in 0 1; do
    head -c $((4 * (first + more))) random > exact
    ok "the first segment's $first words and $more" \
        wpp-compress --symbols -q --memory=32M -f -o exact.wpp exact
    is "are in $((1 + more)) segments (one is not told)" "$(segments exact.wpp)" $((2 * more))
    wpp-dump --tokens exact.wpp > expanded
    same "which have all of them and $more" expanded exact
done

ok 'a recording has a limit too' wpp-record -q --memory=32M -o live.wpp ./prog
ok "it is cut: $(segments live.wpp) segments" test "$(segments live.wpp)" -gt 1
for which in one live; do
    wpp-dump --tokens --thread=0 $which.wpp > tokens.$which
done
same 'and has all events' tokens.live tokens.one

# ---- Several at a time -----------------------------------------------------------------------

if [ $CONFIG = hostile ]; then
    skip 'segments at a time: many words take very long'
else
# Words of a few letters, mostly those that came before, with long repetitions in the middle: those are
# one segment, all else several.
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
            letter = i / 1000000 % 8 == 4 ? 7 : (uint32_t)(r >> 40) % 1000;
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
./words 15000000 > words.bin
for size in 48 192; do
    some_of 1 2 -- 8
    # With more memory by two processors alone.
    [ $size = 48 ] || some_of 2 -- 1 8
    for jobs in "${chosen[@]}"; do
        at_most "--memory=${size}M --jobs=$jobs" $size \
            wpp-compress --symbols -q --memory=${size}M -j$jobs -o $size.$jobs.wpp words.bin
    done
    [ ! -e $size.1.wpp ] ||
        same "--memory=${size}M: one processor and two make the same file" $size.1.wpp $size.2.wpp
    ! check_all || same "--memory=${size}M: so do eight" $size.1.wpp $size.8.wpp
    wpp-dump --tokens $size.2.wpp > expanded
    same "--memory=${size}M: nothing is lost" expanded words.bin
done
"$BUILD/test/read-wpp" 48.2.wpp > expanded
same 'the second reader has all of them' expanded words.bin
ok 'wpp-check finds it fine' wpp-check 48.2.wpp
ok 'and a file of one segment, whose parts share a base' wpp-check 192.2.wpp
ok "48 MB are several segments: $(segments 48.2.wpp)" test "$(segments 48.2.wpp)" -gt 1
ok "in more parts: $(parts 48.2.wpp)" test "$(parts 48.2.wpp)" -gt "$(segments 48.2.wpp)"
# In pieces of any size.
perl -e 'open(F, "<", "words.bin"); $| = 1; for ($i = 1; read(F, $b, $i * 997 % 70000 + 1); $i++) { print $b }' |
    wpp-compress --symbols --memory=48M -j2 > piped.wpp
same 'a pipe in pieces gets the same bytes' piped.wpp 48.1.wpp
if check_all; then
    ok 'and parsed anew' wpp-compress --symbols -q --best --memory=48M -j2 -o best.2.wpp words.bin
    ok 'and by one processor' wpp-compress --symbols -q --best --memory=48M -j1 -o best.1.wpp words.bin
    same 'the same' best.1.wpp best.2.wpp
fi

ok 'three threads, by one processor' wpp-compress -q --memory=48M -j1 -f -o three.1.wpp prog.trace
ok 'by two' wpp-compress -q --memory=48M -j2 -f -o three.2.wpp prog.trace
same 'three threads: the same file' three.1.wpp three.2.wpp
ok "in $(segments three.1.wpp) segments" test "$(segments three.1.wpp)" -gt 1
ok 'two processors for a recording' wpp-record -q --memory=48M -j2 -o live.2.wpp ./prog
for thread in 0 1 2; do
    wpp-dump --tokens --thread=$thread live.2.wpp > cut
    wpp-dump --tokens --thread=$thread three.2.wpp > whole
    same "thread $thread" cut whole
done
fi

# ---- Without a limit ---------------------------------------------------------------------------

# A grammar that has taken half of what the machine, or ulimit, allows is put away.
case $CONFIG in
release|debug)
    cat > drawn.c << 'END'
#include <stdint.h>
#include <stdio.h>
int main(void)
{
    uint64_t r = 88172645463325252;
    for (int i = 0; i < 5000000; i++) {
        r ^= r << 13, r ^= r >> 7, r ^= r << 17;
        fwrite(&(uint32_t){(uint32_t)(r >> 48)}, 4, 1, stdout);
    }
    return 0;
}
END
    gcc -O2 -o drawn drawn.c
    ./drawn > drawn.bin
    ok 'little memory' bash -c 'ulimit -v 540000; exec wpp-compress --symbols -q -j1 -o drawn.wpp drawn.bin'
    is 'is enough for two segments' "$(segments drawn.wpp)" 2
    wpp-dump --tokens drawn.wpp > expanded
    same 'which have all' expanded drawn.bin ;;
*)  skip 'sanitizers need more room' ;;
esac

# ---- Disks that are full --------------------------------------------------------------------

if [ $CONFIG = hostile ]; then
    skip 'a full disk: many words take very long'
else
# Two of three words are a counter's, one is drawn: a few MB are several segments of 32 MB.
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
        word = i % 3 ? 1 + (uint32_t)(i % 64) : 100 + (uint32_t)(r >> 56);
        fwrite(&word, 4, 1, stdout);
    }
    return 0;
}
END
gcc -O2 -o digits digits.c
./digits 4000000 > digits.bin
wpp-compress --symbols -q --memory=32M -o all.wpp digits.bin
pieces=$(segments all.wpp)
ok "they are $pieces segments" test "$pieces" -gt 3
each=$(($(stat -c %s all.wpp) / pieces))
# Room for three segments, then for none.
for kilobytes in $((1100 + 3 * each / 1024)) 100; do
    if mkdir -p full && mount -t tmpfs -o size=${kilobytes}k none full 2> /dev/null; then
        run bash -c 'wpp-compress --symbols -q --memory=32M -o full/x.wpp < digits.bin'
        case $kilobytes in
        100)
            is 'a disk that takes no segment' "$status $(ls full)" '1 '
            like 'it is said' "$(cat err)" 'No space left' ;;
        *)
            is "a disk that takes $kilobytes kB of $((each * pieces / 1024))" "$status $(wc -l < err)" '3 1'
            taken=$(sed -n 's/.*the first \([0-9]*\) events were taken.*/\1/p' err)
            wpp-dump --tokens full/x.wpp > expanded 2> /dev/null
            head -c $((4 * ${taken:-0})) digits.bin > whole.bin
            ok "it is said: $taken events" test "${taken:-0}" -ge 100000
            same 'which are there' expanded whole.bin ;;
        esac
        umount full
    else
        skip 'a full disk: no tmpfs here'
    fi
done
fi

# ---- Refused -----------------------------------------------------------------------------

refused 'less than 32 MB' 2 wpp-compress --memory=31M -o x.wpp prog.trace
refused 'a size that is none' 2 wpp-compress --memory=much -o x.wpp prog.trace
refused 'a recording within less' 2 wpp-record --memory=1M -o x.wpp ./prog
done_testing
