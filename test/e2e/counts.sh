#!/bin/bash
# SPDX-License-Identifier: MIT
# Counting modes: the counts are those of the trace, path by path and line by line; threads, forks,
# libraries and kills do not change them.
. "$(dirname "$0")/lib.sh"

# build OUT MODE OPTION... FILE...
build() {
    local out=$1 mode=$2

    shift 2
    "$WPP_GCC" "$@" -fplugin-arg-wpp-mode="$mode" -fchecking -o "$out"
}

# counted NAME PROGRAM ARGUMENT...: runs it with a trace, and makes $T/NAME.wpp of that.
counted() {
    local name=$1

    shift
    rm -f "$T/$name.trace"
    WPP_OUT=$T/$name.trace "$@" > "$T/out" 2> "$T/err"
    status=$?
    wpp-compress -fq -o "$T/$name.wpp" "$T/$name.trace"
}

paths() { wpp-profile --paths --format=csv "$T/$1.wpp" | sort; }
lines() { wpp-dump --line-counts "$T/$1.wpp"; }
line() { lines "$1" | sed -n "s/.*:$2 //p"; }

# ---- The same counts as the trace's ---------------------------------------------------------

cat > "$T/program.c" <<'END'
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf back;
static unsigned sum;
__attribute__((noinline)) static int bits(unsigned n)
{
    int k = 0;
    while (n) {
        k += n & 1;
        n >>= 1;
    }
    return k;
}
__attribute__((noinline)) static unsigned mix(const unsigned char *p, int n)
{
    unsigned h = 7;
    for (int i = 0; i < n; i++)
        h = h * 31 + p[i] * p[h & 7];
    return h;
}
__attribute__((noinline)) static int choose(int i)
{
    switch (i % 7) {
    case 0: return bits(i);
    case 1: return i & 8 ? 3 : 4;
    case 2: case 3: if (i > 50) return -1; break;
    case 4: for (int k = 0; k < i % 5; k++) if (bits(k) > 1) sum++; break;
    default: return i > 20 && i < 30 ? 9 : 2;
    }
    return 0;
}
static int deep(int n)
{
    return n <= 0 ? 1 : deep(n - 1) + deep(n - 2);
}
static int compare(const void *a, const void *b)
{
    return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}
static void jump(int n)
{
    static void *const to[] = {&&one, &&two, &&end};
    int i = 0;
next:
    goto *to[i < n ? i & 1 : 2];
one: sum += 1; i++; goto next;
two: sum += 2; i++; goto next;
end: return;
}
int main(void)
{
    unsigned char b[100];
    int list[64];
    volatile int tries = 0;
    for (int i = 0; i < 100; i++)
        b[i] = (unsigned char)choose(i);
    for (int i = 0; i < 64; i++)
        list[i] = i * 37 % 64;
    qsort(list, 64, sizeof *list, compare);
    sum += mix(b, 100) + (unsigned)deep(12);
    jump(9);
    if (setjmp(back) < 3) {
        tries++;
        longjmp(back, tries);
    }
    printf("%u\n", sum);
    return list[3] - 3;
}
END
for level in -O0 -O1 -O2 -O3 -Os; do
    for mode in trace calls-cut paths edges; do
        build "$T/$mode" $mode $level "$T/program.c"
        counted $mode "$T/$mode"
        [ $mode != trace ] || cp "$T/out" "$T/want"
        is "$level $mode: the program's output" "$status $(cat "$T/out")" "0 $(cat "$T/want")"
    done
    is "$level calls-cut: each path as often as in the trace" "$(paths calls-cut)" "$(paths trace)"
    for mode in paths edges calls-cut; do
        is "$level $mode: each line as often as in the trace" "$(lines $mode)" "$(lines trace)"
    done
    build "$T/memory" paths $level -fplugin-arg-wpp-loops=memory "$T/program.c"
    counted memory "$T/memory"
    is "$level: counts of loops in memory and in registers are the same" "$(paths memory)" \
        "$(paths paths)"
done
is 'a counter is one instruction' \
    "$(objdump -d --no-show-raw-insn "$T/paths" | grep -c '%gs:')" \
    "$(objdump -d --no-show-raw-insn "$T/paths" | grep -Ec '(inc|add)q? .*%gs:')"

# ---- What a profile is ------------------------------------------------------------------------

run wpp-info "$T/edges.wpp"
like 'wpp-info says what was counted' "$(cat "$T/out")" 'counts of edges, in no order'
fails 'wpp-hot wants an order' wpp-hot "$T/paths.wpp"
run wpp-record -q -o "$T/recorded.wpp" "$T/paths"
is 'wpp-record makes the same profile' "$(paths recorded)" "$(paths paths)"
run "$WPP_GCC" -fplugin-arg-wpp-mode=blocks -c -o "$T/x.o" "$T/program.c"
like 'a mode that does not exist' "$status $(cat "$T/err")" '^1 .*mode=blocks.* is not understood'

# ---- Threads ------------------------------------------------------------------------------------

cat > "$T/threads.c" <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>
static int n = 20000;
__attribute__((noinline)) int step(int i)
{
    if (i % 3 == 0) {
        __asm__ volatile("");           /* 8 */
        return 1;
    }
    __asm__ volatile("# other");        /* 11 */
    return 2;
}
void *work(void *unused)
{
    volatile int sum = 0;
    for (int i = 0; i < n; i++)
        sum += step(i);
    return unused;
}
int work11(void *unused)
{
    return work(unused) != NULL;
}
int main(void)
{
    pthread_t t[64];
    thrd_t u;
    for (int k = 0; k < 64; k++)
        pthread_create(&t[k], NULL, work, NULL);
    for (int k = 0; k < 64; k++)
        pthread_join(t[k], NULL);
    thrd_create(&u, work11, NULL);
    thrd_join(u, NULL);
    for (int k = 0; k < 200; k++) {
        pthread_create(&t[0], NULL, work, NULL);
        pthread_join(t[0], NULL);
    }
    return 0;
}
END
for how in '-pthread' '-fplugin-arg-wpp-counters=thread' '-fplugin-arg-wpp-counters=atomic' \
           '-pthread -static' '-pthread -static-pie' '-pthread -fPIC' '-pthread -flto'; do
    for mode in paths edges; do
        build "$T/threads" $mode -O2 $how "$T/threads.c" -pthread || continue
        counted threads "$T/threads"
        is "$mode, $how: 64 threads at once, 201 one after the other" \
            "$status $(line threads 8) $(line threads 11) $(cat "$T/err")" \
            "0 $((265 * 6667)) $((265 * 13333)) "
    done
done
records=$(od -An -tx1 -v "$T/threads.trace" | tr -d ' \n' | grep -o '57505054010011' | wc -l)
[ "$records" -le 70 ] && pass 'ended threads leave their counters to new ones' ||
    fail 'ended threads leave their counters to new ones' "$records copies"
"$WPP_GCC" -O2 -c -fplugin-arg-wpp-mode=paths -o "$T/unaware.o" "$T/threads.c"
"$WPP_GCC" -o "$T/unaware" "$T/unaware.o" -pthread
counted unaware "$T/unaware"
like 'threads in a program that was compiled without them are said' "$(cat "$T/err")" \
    'not all of its files were compiled with -pthread'

# A thread that adds to its creator's counters, because it began in a routine that does not look,
# makes a child; the child makes threads itself.
cat > "$T/forks.c" <<'END'
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
extern void *begin(void *);
__attribute__((noinline)) void leaf(int i)
{
    if (i & 1)
        __asm__ volatile("# odd");      /* 8 */
}
static void *other(void *unused)
{
    leaf(1);
    return unused;
}
int family(void)
{
    pthread_t t[3];
    int status = 0;
    if (fork() == 0) {
        for (int i = 0; i < 10; i++)
            leaf(i);
        for (int k = 0; k < 3; k++)
            pthread_create(&t[k], NULL, other, NULL);
        for (int k = 0; k < 3; k++)
            pthread_join(t[k], NULL);
        _exit(0);
    }
    wait(&status);
    return status;
}
int main(void)
{
    pthread_t t[40];
    void *status = NULL;
    for (int k = 0; k < 39; k++)
        pthread_create(&t[k], NULL, other, NULL);
    for (int k = 0; k < 39; k++)
        pthread_join(t[k], NULL);
    pthread_create(&t[0], NULL, begin, NULL);
    pthread_join(t[0], &status);
    return status != NULL;
}
END
cat > "$T/begin.c" <<'END'
#include <stdint.h>
extern int family(void);
void *begin(void *unused)
{
    return (char *)unused + family();
}
END
for how in '' -pthread; do
    "$WPP_GCC" -O2 $how -fplugin-arg-wpp-mode=paths -o "$T/forks" "$T/forks.c" "$T/begin.c" -pthread
    rm -f "$T"/family.*
    WPP_OUT=$T/family.%p run "$T/forks"
    for trace in "$T"/family.*; do
        wpp-compress -fq -o "$T/family.wpp" "$trace" 2> "$T/note"
        line family 8
    done | sort -n | paste -sd' ' > "$T/family"
    is "a thread that adds to its creator's counters forks $how" "$status $(cat "$T/family")" '0 8 39'
done

# ---- A full disk --------------------------------------------------------------------------------

# 60 routines of 4,096 paths and more: two records, of which only the first has room in the file.
{
    for k in $(seq 60); do
        echo "__attribute__((noinline)) void f$k(volatile int *a) {"
        for i in $(seq 12); do echo "if (a[$i]) a[0]++;"; done
        echo '}'
    done
    echo 'int main(void) { volatile int a[13] = {0}; for (int i = 0; i < 100; i++) {'
    for k in $(seq 60); do echo "f$k(a);"; done
    echo '} return 0; }'
} > "$T/large.c"
build "$T/large" paths -O0 "$T/large.c"
counted all "$T/large"
bytes=$(stat -c %s "$T/all.trace")
(ulimit -f $((bytes / 1024 - 200)) && WPP_OUT=$T/part.trace exec "$T/large") 2> "$T/err"
status=$?
wpp-compress -fq -o "$T/part.wpp" "$T/part.trace"
is 'what has no room in the file at first is written at the end, nothing twice' \
    "$status $(paths part)" "0 $(paths all)"
[ "$(stat -c %s "$T/part.trace")" -lt "$bytes" ] && pass 'and there was no room' ||
    fail 'and there was no room'

# ---- A record that was not made ------------------------------------------------------------------

cat > "$T/killed.c" <<'END'
#include <signal.h>
int main(void) { for (volatile int i = 0; i < 9; i++); raise(SIGKILL); }
END
build "$T/killed" paths -O0 "$T/killed.c"
counted killed "$T/killed" 2> "$T/err"
head=$(tail -c +5 "$T/killed.trace" | head -c 400 | od -An -v -tx1 | tr -d '\n' | sed 's/ /\\x/g')
# unmade NAME STATUS BYTES ZEROS BYTES: these stand behind a killed process's last record
unmade() {
    { cat "$T/killed.trace" && printf "$3" && head -c "$4" /dev/zero && printf "${5-}"; } > "$T/unmade.trace"
    wpp-compress -fq -o "$T/unmade.wpp" "$T/unmade.trace" 2> "$T/note"
    is "$1" "$? $(paths unmade)" "$2 $(paths killed)"
}
unmade 'no record behind the last' 0 '' 0
unmade 'zeros' 0 '' 9000
unmade 'fewer zeros than a header' 0 '' 17
unmade 'a header without its first word' 0 "\\0\\0\\0\\0$head" 20000
unmade 'something far behind that is damage' 3 "\\0\\0\\0\\0$head" 8192 X
unmade 'something behind zeros is damage' 3 '' 300 X
unmade 'half a header is cut short' 3 'WPPT' 10

# ---- Ends of processes --------------------------------------------------------------------------

cat > "$T/ends.c" <<'END'
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>
static volatile long *shared;
__attribute__((noinline)) void step(int i)
{
    if (i & 1) {
        __asm__ volatile("# odd");
        shared[0]++;                    /* 13 */
    } else {
        __asm__ volatile("# even");
        shared[1]++;                    /* 16 */
    }
}
int main(int argc, char **argv)
{
    int fd = open(argv[2], O_RDWR | O_CREAT, 0644), n = argc > 3 ? atoi(argv[3]) : 1000;
    if (ftruncate(fd, 4096) != 0)
        return 9;
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    for (int i = 0; !strcmp(argv[1], "forever") || i < n; i++)
        step(i);
    switch (argv[1][0]) {
    case 'a': abort();
    case '_': _exit(3);
    case 'k': raise(SIGKILL); break;
    case 'e': execlp("true", "true", NULL); break;
    case 'v': if (vfork() == 0) _exit(0); break;
    case 'F':
        if (fork() == 0) {
            for (int i = 0; i < 10; i++)
                step(1);
            _exit(0);
        }
        wait(NULL);
        step(0);
    }
    return 0;
}
END
for mode in paths edges calls-cut; do
    build "$T/ends" $mode -O2 "$T/ends.c"
    for end in return abort _exit kill exec vfork; do
        rm -f "$T/shared"
        counted ends "$T/ends" $end "$T/shared" 1000 2> "$T/err"
        is "$mode: all counts are there after $end" "$(line ends 13) $(line ends 16)" '500 500'
    done
done
rm -f "$T"/child.*
WPP_OUT=$T/child.%p run "$T/ends" Fork "$T/shared" 100
for trace in "$T"/child.*; do
    wpp-compress -fq -o "$T/child.wpp" "$trace"
    echo "$(line child 13) $(line child 16)"
done | sort > "$T/children"
is 'a child counts from 0, in a trace of its own' "$(cat "$T/children")" $'10 \n50 51'

# What a program saw of itself when it was killed, and what it had counted: one step may lie
# between the two.
wrong=0
for k in $(seq 25); do
    rm -f "$T/shared"
    WPP_OUT=$T/killed.trace "$T/ends" forever "$T/shared" &
    job=$!
    sleep 0.0$((k % 7 + 2))
    kill -9 $job
    wait $job 2> "$T/err"
    [ -s "$T/killed.trace" ] && [ -s "$T/shared" ] || continue
    wpp-compress -fq -o "$T/killed.wpp" "$T/killed.trace" 2> "$T/err" || { ((wrong++)); continue; }
    read -r odd even < <(od -An -t d8 -N 16 "$T/shared")
    seen=$(($(line killed 13) + $(line killed 16)))
    [ $((odd + even - seen)) -ge -1 ] && [ $((odd + even - seen)) -le 1 ] || ((wrong++))
done
is '25 kills: no count is wrong' $wrong 0

# ---- Libraries ----------------------------------------------------------------------------------

cat > "$T/library.c" <<'END'
int of_library(int i)
{
    if (i % 2)
        __asm__ volatile("# odd");      /* 4 */
    else
        __asm__ volatile("# even");     /* 6 */
    return i;
}
__attribute__((constructor)) static void up(void)
{
    of_library(1);
}
END
cat > "$T/loads.c" <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
static int (*f)(int);
static void *work(void *unused)
{
    for (int i = 0; i < 10000; i++)
        f(i);
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t t[4];
    for (int k = 0; k < 20; k++) {
        void *library = dlopen(argv[1], RTLD_NOW);
        f = (int (*)(int))dlsym(library, "of_library");
        f(k);
        for (int i = 0; k == 10 && i < 4; i++)
            pthread_create(&t[i], NULL, work, NULL);
        for (int i = 0; k == 10 && i < 4; i++)
            pthread_join(t[i], NULL);
        if (k < 19)
            dlclose(library);
    }
    return argc - 2;
}
END
build "$T/library.so" paths -O2 -fPIC -shared "$T/library.c"
for how in '' -no-pie; do
    build "$T/loads" paths -O2 -pthread $how "$T/loads.c"
    counted loads "$T/loads" "$T/library.so"
    is "a library loaded twenty times, from threads $how" \
        "$status $(line loads 4) $(line loads 6) $(cat "$T/err")" "0 20030 20010 "
done
gcc -O2 -pthread -o "$T/plain" "$T/loads.c"
counted plain "$T/plain" "$T/library.so"
is 'a library in a program that is not counted' "$(line plain 4) $(line plain 6)" '20030 20010'
"$WPP_GCC" -O2 -c -fplugin-arg-wpp-mode=paths -o "$T/a.o" "$T/threads.c"
"$WPP_GCC" -O2 -c -Dmain=other -o "$T/b.o" "$T/program.c"
"$WPP_GCC" -o "$T/mixed" "$T/a.o" "$T/b.o" -pthread
WPP_OUT=$T/mixed.trace run "$T/mixed"
like 'objects that are traced and others that are counted' "$(cat "$T/err")" \
    'some of its objects are traced'
"$WPP_GCC" -O0 -fPIC -shared -o "$T/library.so" "$T/library.c"
"$WPP_GCC" -O0 -fplugin-arg-wpp-mode=paths -pthread -o "$T/loads" "$T/loads.c"
WPP_OUT=$T/apart.trace "$T/loads" "$T/library.so"
run wpp-compress -f -o "$T/apart.wpp" "$T/apart.trace"
like 'a counted program with a traced library is incomplete' "$(cat "$T/err")" 'different modes'
done_testing
