#!/bin/bash
# SPDX-License-Identifier: MIT
# wpp-compress: two readers get the input back from the output; the trace is live or saved, read
# in any way; and where the output goes.
. "$(dirname "$0")/lib.sh"
read_wpp=$BUILD/test/read-wpp
# The second reader keeps its memory to the end on purpose.
export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}

# ---- Plain symbols ------------------------------------------------------------

both_readers() {
    "$read_wpp" "$2" > "$T/expanded"
    same "$1: the second reader" "$T/expanded" "$3"
    wpp-dump --tokens "$2" > "$T/expanded"
    same "$1: wpp-dump" "$T/expanded" "$3"
}

round_trip() {
    ok "$1: is compressed" wpp-compress --symbols -o "$T/s.wpp" -f "$2" &&
        both_readers "$1" "$T/s.wpp" "$2"
    ok "$1: fulfils SEQUITUR's invariants" wpp-check "$T/s.wpp"
}

head -c 400000 /dev/urandom > "$T/random"
head -c 200000 "$BUILD/bin/wpp-compress" > "$T/repeated"
for i in 1 2 3 4; do cat "$T/repeated"; done > "$T/repetitive"
awk 'BEGIN { for (i = 0; i < 60000; i++) printf "%c%c%c%c", 65 + i % 7 % 3, 65, 65, 65 }' > "$T/periodic"
head -c 120000 /dev/zero > "$T/zeros"
printf 'abcd' > "$T/one"
: > "$T/none"
for input in random repetitive periodic zeros one none; do
    round_trip "$input" "$T/$input"
done

# ---- The document's example ------------------------------------------------------

for letter in a b b c b c a b b c; do printf '%s\0\0\0' $letter; done > "$T/example"
wpp-compress --symbols < "$T/example" > "$T/example.wpp"
awk '/compress.sh compares this/ { mine = 1 } /^```/ { inside = !inside; if (!inside && mine) exit; next }
     mine && inside { for (i = 2; i <= NF; i++) print $i }' "$ROOT/docs/wpp-format.md" > "$T/want"
od -An -v -tx1 "$T/example.wpp" | tr -s ' ' '\n' | sed '/^$/d' > "$T/got"
same 'docs/wpp-format.md: the worked example is what is written' "$T/got" "$T/want"

awk '/compress.sh compares this with what the library/ { mine = 1 }
     /^```/ { inside = !inside; if (!inside && mine) exit; next }
     mine && inside { for (i = 2; i <= NF; i++) print $i }' "$ROOT/docs/wpp-format.md" > "$T/want"
"$BUILD/test/unit/lane-code" --example | tr -s ' ' '\n' > "$T/got"
same 'docs/wpp-format.md: so is the one in lanes' "$T/got" "$T/want"

for section in 3 7; do
    awk -v mine="compress.sh compares this section $section" 'index($0, mine) { found = 1 }
         /^```/ { inside = !inside; if (!inside && found) exit; next }
         found && inside { for (i = 2; i <= NF; i++) print $i }' "$ROOT/docs/wpp-format.md" > "$T/want"
    "$BUILD/test/unit/columns" --example $([ $section = 3 ] || echo chunks) | tr -s ' ' '\n' > "$T/got"
    same "docs/wpp-format.md: so is section $section by columns" "$T/got" "$T/want"
done

# ---- Lanes ---------------------------------------------------------------------------

version() {
    od -An -t u4 -j 8 -N 4 "$1" | tr -d ' '
}

# Random words of a few: the grammar is long.
"$BUILD/test/bench/engine" -w random 3000000 | od -An -v -w4 -t u4 |
    awk '{ printf "%c%c%c%c", 1 + $1 % 40 % 23, 1, 1, 1 }' > "$T/long"
round_trip 'a long grammar' "$T/long"
is 'its code has lanes' "$(version "$T/s.wpp")" 20
ok '--best: the shortest code' wpp-compress --symbols --best -o "$T/s.wpp" -f "$T/long"
is '... has none' "$(version "$T/s.wpp")" 14

# ---- Ways in -------------------------------------------------------------------------

cat > "$T/p.c" << 'END'
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main(int argc, char **argv)
{
    static int v[5000];
    long sum = 0;

    for (int i = 0; i < 5000; i++)
        v[i] = (i * 7919) % 5003;
    qsort(v, 5000, sizeof v[0], compare);
    for (int i = 0; i < 5000; i++) {
        if (v[i] % 3)
            sum += v[i];
        else
            sum -= i;
    }
    printf("%ld\n", sum);
    (void)argv;
    return argc > 1 ? 7 : 0;
}
END
"$WPP_GCC" -O1 -g -o "$T/p" "$T/p.c"
cd "$T" || exit 1
WPP_OUT=p.trace ./p > p.output
ok 'compresses a trace' wpp-compress p.trace
ok 'under the name of the trace, with .wpp' test -f p.wpp
"$BUILD/test/read-tokens" p.trace > p.tokens
both_readers 'a program' p.wpp p.tokens
ok 'whose paths follow each other' wpp-check --strict p.wpp
wpp-compress - < p.trace > stdin.wpp
same 'from standard input: the same bytes' stdin.wpp p.wpp
cat p.trace | wpp-compress > pipe.wpp
same 'from a pipe: the same bytes' pipe.wpp p.wpp
{ dd bs=1 count=1; sleep 0.1; dd bs=70001 count=1; sleep 0.1; cat; } < p.trace 2> err |
    wpp-compress > slow.wpp
same 'from a slow pipe: the same bytes' slow.wpp p.wpp

mkfifo fifo
wpp-compress -o live.wpp fifo &
WPP_OUT=$T/fifo ./p > live.output
ok 'from a FIFO while the program runs' wait $!
same 'the program does not notice' live.output p.output
"$read_wpp" live.wpp > live.tokens
same 'and it has done the same' live.tokens p.tokens
# A FIFO that is looked at first, and closed, would lose its writer.
for i in 1 2 3 4 5 6; do
    WPP_OUT=$T/fifo ./p > /dev/null 2> fifo.err &
    sleep 0.05
    ok "a program whose trace is parsed anew, $i" wpp-compress -q --best -f -o best-live.wpp fifo
    wait
    is 'keeps its reader' "$(cat fifo.err)" ''
done
tee kept.trace < fifo | wpp-compress -o live.wpp -f &
WPP_OUT=$T/fifo ./p > /dev/null
wait $!
wpp-compress -o kept.wpp kept.trace
same 'a live trace and its saved copy give the same bytes' live.wpp kept.wpp

# The blocks of each path, regenerated by the second reader, are wpp-dump's.
"$read_wpp" --text p.wpp | awk '{ print $3, $4 }' > text.reader
wpp-dump p.wpp | awk '/EnterRoutine/ { stack[++depth] = $2 } /LeaveRoutine/ { depth-- }
                      /NewPath/ { print stack[depth], $2 }' > text.dump
same 'routines and path numbers, by two readers' text.reader text.dump

# ---- Threads, libraries, processes -----------------------------------------------------

cat > threads.c << 'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;

static void *work(void *p)
{
    for (intptr_t i = 0; i < 30000; i++)
        sink += i % ((intptr_t)p + 2) ? 1 : 2;
    return p;
}

int main(void)
{
    pthread_t t[4];

    for (intptr_t i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < 2; i++) {
        void *library = dlopen("./library.so", RTLD_NOW);
        int (*twice)(int) = (int (*)(int))dlsym(library, "twice");

        sink += twice(i);
        dlclose(library);
    }
    if (fork() == 0) {
        work((void *)9);
        _exit(0);
    }
    wait(NULL);
    work((void *)1);
    return 0;
}
END
echo 'int twice(int x) { return x > 1 ? x + x : 2 * x; }' > library.c
"$WPP_GCC" -O1 -shared -fPIC -o library.so library.c
"$WPP_GCC" -O1 -o threads threads.c -lpthread -ldl
ok 'threads, a library loaded twice, a fork' wpp-record --trace=threads.trace ./threads
ok 'are a valid WPP' wpp-check --strict threads.wpp
wpp-compress -f -o again.wpp threads.trace
same 'the saved trace gives the same bytes' again.wpp threads.wpp
streams=$("$BUILD/test/read-trace" --streams threads.trace | wc -l)
is 'five threads' "$streams" 5
for ((k = 0; k < streams; k++)); do
    "$BUILD/test/read-trace" --raw $k threads.trace > want
    wpp-dump --tokens --thread $k threads.wpp > got
    same "thread $k has its tokens" got want
done
"$read_wpp" threads.wpp > got
wpp-dump --tokens threads.wpp > want
same 'all of them, by the second reader' got want
is 'the routine of the library is there for each time it was loaded' \
   "$("$read_wpp" --text threads.wpp | awk '$3 == "twice" { print $2 - $4 }' | sort -u | wc -l)" 2

# ---- Ways out ---------------------------------------------------------------------------

fails_with 1 'does not overwrite' wpp-compress p.trace
like 'and says how it would' "$(cat "$T/err")" '-f'
cp p.wpp before
fails_with 1 'a failure leaves the old file' wpp-compress -f -o p.wpp p.c
same 'as it was' p.wpp before
fails_with 1 'a failure leaves no new file' wpp-compress -o new.wpp p.c
absent 'none at all' new.wpp
is 'no temporary file is left' "$(find . -name '.*.tmp')" ''
fails_with 1 'no such trace' wpp-compress -o new.wpp nosuch.trace
fails_with 1 'a directory cannot be written' wpp-compress -o . p.trace
fails_with 1 'a directory that is not there' wpp-compress -o nosuch/p.wpp p.trace
fails_with 2 'two traces' wpp-compress p.trace p.trace
fails_with 2 'an unknown option' wpp-compress --nosuch p.trace
fails_with 1 'half a symbol' wpp-compress --symbols -o new.wpp <(printf 'abcde')
absent 'gives no file' new.wpp

ok 'writes to /dev/null' wpp-compress -o /dev/null p.trace
ok '/dev/null is still a device' test -c /dev/null
fails_with 1 'a full device' wpp-compress -o /dev/full p.trace
ok '/dev/full is still a device' test -c /dev/full
ln -s linked.wpp link
echo old > linked.wpp
ok 'follows a link' wpp-compress -f -o link p.trace
ok 'which stays a link' test -L link
same 'to the new file' linked.wpp p.wpp
echo before > appended
wpp-compress -o /dev/stdout p.trace >> appended
{ echo before; cat p.wpp; } > want
same 'to /dev/stdout, behind what is there' appended want
mkfifo sink
cat sink > from-fifo &
ok 'to a FIFO' wpp-compress -o sink p.trace
wait $!
same 'which stays one' from-fifo p.wpp

if [ "$(id -u)" = 0 ] && mkdir small && mount -t tmpfs -o size=8k tmpfs small 2> /dev/null; then
    fails_with 1 'a full disk' wpp-compress --symbols -o small/new.wpp random
    like 'is named' "$(cat "$T/err")" 'No space left'
    is 'nothing is left on it' "$(ls -A small)" ''
    umount small
else
    skip 'a full disk: cannot mount a small tmpfs here'
fi
if [ "$(id -u)" != 0 ]; then
    mkdir closed
    chmod 500 closed
    fails_with 1 'a directory without permission' wpp-compress -o closed/p.wpp p.trace
else
    skip 'a directory without permission: root has all'
fi

if [ "$CONFIG" = release ] || [ "$CONFIG" = debug ]; then
    small_memory() { (ulimit -v 30000; wpp-compress --symbols -o new.wpp random); }
    fails_with 1 'too little memory' small_memory
    like 'is named' "$(cat "$T/err")" 'memory'
    absent 'and leaves no file' new.wpp
else
    skip 'too little memory: the sanitizers need much themselves'
fi

ok 'help' wpp-compress --help
ok 'version' wpp-compress -V

# A file of a time when a pause stood behind the last thread's end in a block that was full (docs/wpp-format.md).
base64 -d << 'END' | gunzip > pause.wpp
H4sIAAAAAAACA+sMDwjg5ZLiEmFgYGAH4vlMDGCwyn1dnJyu5SxGCJfBAsrgYkClV8kvPnCS66Q5VBuDE1QdTB+Mvr+dsc1nb/J6
ZijfGSrBzoBK+3ZqPykNW+bNAtXrBVW3FSrvCOUb/Mh2u7V4nSorVPw/VBzGh9Emu8NWrpt76iYblM8CdehMBlR6QmDzxVMXWtVh
7pgLVQfzF4x+m/96C3uHEQeU28PCyMDECPaUxlb9vwmODLGsDExcqgYB7brsxkDAYHztMLOB7uyJATds3Zq27P1+b8GX9kv1STds
hb3qk3rPgEDMbt9jXWq/zCMS2w/36Vabvb21j8lkAZOsxsFt+Y/Pra02f39vfT2z8iTO1GtrY7v7J0+fPX952N5VEXozetIOzyzJ
vLw8UNR6Wk7k5udzbevZZKO+dFwssFHQXeHI33WhRatkIU/uCmd5gW4OBovIliwGtgKxq0sYHuxtiDjEsgEYas2MVxoaGjg4GFNh
cQP0JTMjYyb3d9aPbJBYQGAWEAEOayklMYbtR6In3+J/wsZQwS5gOW+3PAMzkjomMGR8La1RXDCZjWXWZA/Gbb9W8Z7KnXzxKVMl
S4fOcYZibtNETYZSBpwAAGZrzxOfAgAA
END
ok 'a pause behind the end: it is read' bash -c 'wpp-dump --tokens pause.wpp > tokens'
is 'has 131 words' "$(stat -c %s tokens)" 524
"$read_wpp" pause.wpp > expanded
same 'the second reader has the same' expanded tokens

done_testing
