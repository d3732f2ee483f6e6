#!/bin/bash
# SPDX-License-Identifier: MIT
# Limits of wpp-record: a standard output shared with the program, a disk that fills up while
# grammars are put away, a ring together with a limit of memory.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
# The second reader keeps its memory to the end on purpose.
export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}

# Irregular paths, as many as it is told, and then a line.
cat > work.c << 'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static volatile uint64_t sink;
__attribute__((noipa)) static void step(uint64_t r)
{
    for (int i = 0; i < 12; i++)
        if (r >> i & 1)
            sink++;
        else
            sink += 2;
}
int main(int argc, char **argv)
{
    uint64_t x = 88172645463325252u;
    long n = argc > 1 ? atol(argv[1]) : 0;

    for (long i = 0; i < n; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        step(x >> 20);
    }
    puts("work is done");
    return 7;
}
END
ok 'a program is built' "$WPP_GCC" -O1 -fno-unroll-loops -g -o work work.c

# ---- The standard output ------------------------------------------------------------------

run wpp-record -q -o whole.wpp ./work 1000
is 'with a file the standard output is of the program' "$status $(cat "$T/out")" "7 work is done"
for name in - /dev/stdout; do
    run wpp-record -q -o $name ./work 1000
    is "-o $name: what the program writes goes to the standard error" \
        "$status $(cat "$T/err")" "7 work is done"
    cp "$T/out" piped.wpp
    ok "and a WPP comes out" wpp-check --strict piped.wpp
    "$BUILD/test/read-wpp" piped.wpp > some
    "$BUILD/test/read-wpp" whole.wpp > want
    same 'which holds the same' some want
done
run wpp-record -q --trace=- -o whole.wpp ./work 1000
cp "$T/out" piped.trace
is '--trace=-: likewise' "$status $(cat "$T/err")" "7 work is done"
"$BUILD/test/read-tokens" piped.trace > some
same 'and a trace comes out' some want

# ---- A ring and a limit to memory -----------------------------------------------------------

segments() {
    wpp-info "$1" | awk '$1 == "segments" { n = $2 } END { print n + 0 }'
}

n=400000
[ "$CONFIG" = hostile ] && n=40000
wpp-record -q --memory=32M --trace=all.trace -o all.wpp ./work $n > /dev/null
wpp-record -q --memory=32M --ring=1G -o ring.wpp ./work $n > /dev/null
ok "what a ring holds is no part of the limit: $(segments ring.wpp) segments, $(segments all.wpp)" \
    test "$(segments ring.wpp)" -le "$(($(segments all.wpp) + 1))"
wpp-dump --tokens all.wpp > want
wpp-dump --tokens ring.wpp > some
same 'and the same is in both' some want

# ---- Files that may not grow (ulimit -f) --------------------------------------------------------

n=200000
[ "$CONFIG" = hostile ] && n=20000
wpp-record -q --trace=all.trace -o all.wpp ./work $n > /dev/null
wpp-dump --tokens all.wpp > want
mkdir small
# smaller COMMAND OPTION...: in small, under a recorder that from then on may write so much to a file
bytes=65536
smaller() {
    rm -rf small/*
    run wpp-record "${@:2}" sh -c "prlimit --pid \$PPID --fsize=$bytes; $1"
}
smaller "exec ./work $n" -o small/x.wpp --trace=small/x.trace
is 'a trace that may not grow: the program goes on to its end' "$status $(cat "$T/out")" \
    "7 work is done"
is 'and it is said that the trace is not kept, and the WPP cannot be written' \
    "$(sort "$T/err")" 'wpp-record: cannot write small/x.trace: File too large; the trace is not kept
wpp-record: work: cannot write small/x.wpp: File too large'
is 'nothing is left of them' "$(ls -A small)" ''
smaller "exec ./work 50" -o small/x.wpp
is 'what is small enough is written' "$status $(wpp-check --strict small/x.wpp > /dev/null; echo $?)" '7 0'
{ echo '#!/bin/bash'; declare -f children; echo 'children "$@"'; } > children
chmod +x children
smaller "./work $n; ./children \$PPID wpp-keeper > keeper &&
         prlimit --pid \$(cat keeper) --fsize=$bytes; kill -9 \$PPID" -o small/x.wpp 2> /dev/null
# Where nobody waits for orphans it stays as a zombie.
while grep -q '^State:.[^Z]' "/proc/$(cat keeper)/status" 2> /dev/null; do sleep 0.05; done
is 'who goes on for a killed recorder says it as well' "$(cat "$T/err")" \
    'wpp-record: work: cannot write small/x.wpp: File too large'
for size in 4 20 60 100 140 200; do
    run bash -c "ulimit -f $size; WPP_OUT=limited.trace ./work 100000"
    is "a trace of at most $size kB: the program goes on to its end" "$status $(cat "$T/out")" '7 work is done'
    like 'and why it ends is said' "$(cat "$T/err")" '^wpp: cannot write the trace to .*: file too large; recording stopped$'
done
refused 'no room for the memory to share' 1 bash -c 'ulimit -f 1000; wpp-record -o x.wpp ./work 50'
like 'why' "$(cat "$T/err")" '^wpp-record: no file may be as large here .ulimit -f. as the [0-9]+ MB of memory'

# Grammars that are put away as segments end where the file must.
if [ "$CONFIG" = hostile ]; then
    skip 'segments are too small here to fill a file'
else
    n=1500000
    wpp-record -q --trace=long.trace -o all.wpp ./work $n > /dev/null
    bytes=3000000
    smaller "./work $n" --memory=32M -o small/x.wpp
    cut=': segments of the grammar cannot be put away: File too large; the first [0-9]+ events were taken$'
    like 'a grammar in segments: what the file has no room for is said' \
        "$status $(cat "$T/out") $(cat "$T/err")" "^7 work is done wpp-record: work$cut"
    refused 'wpp-compress, too' 3 \
        bash -c 'ulimit -f 3000; wpp-compress -q --memory=32M -o small/y.wpp long.trace'
    like 'which says so' "$(cat "$T/err")" "^wpp-compress: long.trace$cut"
    "$BUILD/test/read-tokens" long.trace > longer
    for file in x y; do
        wpp-dump --tokens small/$file.wpp > some 2> /dev/null
        got=$(stat -c %s some)
        ok "$got bytes of events are in $file.wpp" test "$got" -gt 400000
        ok "of $(stat -c %s longer), the first" cmp -n "$got" some longer
    done
fi

# The program's own files are its own matter: as without us, by whatever name we are called.
cat > grow.c << 'END'
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
    static char much[1 << 20];

    for (int i = 0; i < 1000; i++)
        if (write(1, much, sizeof much) < 0)
            return 9;
    return 0;
}
END
ok 'a program that writes a lot' "$WPP_GCC" -O1 -o grow grow.c
for how in 'trap "" XFSZ;' ''; do
    run bash -c "$how ulimit -f 100000; WPP_OUT=none ./grow > large"
    want=$status
    for command in wpp-record 'wpp record'; do
        run bash -c "$how ulimit -f 100000; $command -q -o grow.wpp ./grow > large"
        is "$command: $how SIGXFSZ is the program's ($want)" "$status" "$want"
        ok 'and its path is there' wpp-check grow.wpp
    done
done
rm -f large
for command in 'wpp-compress -q -o small/x all.trace' 'wpp-compress -q - < all.trace > small/x' \
               'wpp-dump --tokens -o small/x all.wpp' 'wpp-dump --tokens all.wpp > small/x' \
               'wpp dump --tokens all.wpp > small/x'; do
    rm -f small/*
    refused "$command" 1 bash -c "ulimit -f 64; $command"
    like 'why' "$(cat "$T/err")" ': cannot write .*: File too large$'
done

# ---- A full disk ------------------------------------------------------------------------------

mkdir disk
if ! mount -t tmpfs -o size=3m tmpfs disk 2> /dev/null; then
    skip 'no file system can be mounted here'
    done_testing
fi
trap 'umount "$T/disk" 2> /dev/null; rm -rf "$T"' EXIT

# filled BYTES COMMAND...: what it leaves with so much less on the disk: a valid prefix
filled() {
    local bytes=$1

    shift
    rm -rf disk/*
    head -c "$bytes" /dev/zero > disk/others
    run "$@"
}
# prefix NAME FILE
prefix() {
    local got

    wpp-check --strict "$2" > check 2>&1
    like "$1: the file is valid, and says that it is no more" "$? $(cat check)" '^3 .*undamaged, but'
    wpp-dump --tokens "$2" > some 2> /dev/null
    got=$(stat -c %s some)
    ok "$1: $got bytes of events are in it" test "$got" -gt 400000
    ok "$1: of $(stat -c %s want), the first" cmp -n "$got" some want
}
if [ "$CONFIG" = hostile ]; then
    skip 'segments are too small here to fill a disk'
    done_testing
fi
n=1500000
mv longer want
some_of 0 1000000 -- 300000
for others in "${chosen[@]}"; do
    filled $others wpp-record -q --memory=32M -o disk/full.wpp ./work $n
    is "a full disk ($others bytes gone): the program goes on to its end" "$status $(cat "$T/out")" \
        "7 work is done"
    like 'and what is missing is said' "$(cat "$T/err")" \
        '^wpp-record: work: segments of the grammar cannot be put away: No space left on device; the first [0-9]+ events were taken$'
    prefix "$others bytes gone" disk/full.wpp
done
filled 0 wpp-compress -q --memory=32M -o disk/full.wpp long.trace
is 'wpp-compress, too: exit status 3' "$status" 3
prefix 'wpp-compress' disk/full.wpp
is 'and nothing else is left' "$(ls -A disk)" "full.wpp
others"
filled 3100000 wpp-record -q -o disk/full.wpp ./work 300000
like 'a disk that has room for nothing' "$status $(cat "$T/err")" '^7 .*No space left on device'
is 'has nothing' "$(ls -A disk)" others
done_testing
