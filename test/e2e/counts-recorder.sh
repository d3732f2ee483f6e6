#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 25
# counts-recorder.sh [full]: counting modes under wpp-record lose nothing, however the program ends, and
# count nothing twice.  200 programs are killed at random moments; with `full` 500.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

kills=100
[ "${1-}" != full ] || kills=250

build() {
    "$WPP_GCC" -O2 -fchecking "-fplugin-arg-wpp-mode=$1" "${@:3}" -o "$2"
}
paths() { wpp-profile --paths --format=csv "$1" | sort; }
# line FILE NUMBER
line() { wpp-dump --line-counts "$1" | sed -n "s/.*$2 //p"; }
complete() { wpp-info "$1" | awk '$1 == "complete" { print $2 ~ /^no/ ? "no" : "yes" }'; }

# ---- Kills ----------------------------------------------------------------------------------------

# Thread k runs line 100 + k, and counts that in a file which outlives it: first the line, then there.
{
    cat << 'END'
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
enum { MOST = 64, APART = 8 };
static volatile int64_t *done;
__attribute__((noipa)) static void step(long k)
{
    switch (k) {
#line 100
END
    for k in $(seq 0 63); do
        echo "    case $k: __asm__ volatile(\"# $k\"); break;"
    done
    cat << 'END'
    }
}
static void *work(void *number)
{
    for (long k = (long)number;;) {
        step(k);
        done[APART * k]++;
    }
    return NULL;
}
/* SIGKILL comes in so many microseconds. */
static void kill_in(long microseconds)
{
    struct sigevent kill = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    struct itimerspec when = {.it_value.tv_nsec = 1000 * microseconds + 1};
    timer_t timer;

    if (timer_create(CLOCK_MONOTONIC, &kill, &timer) != 0 || timer_settime(timer, 0, &when, NULL) != 0)
        exit(9);
}
int main(int argc, char **argv)
{
    int threads = atoi(argv[1]), fd;
    char name[32];
    pthread_t t;

    if (argc < 3)
        return 0;
    snprintf(name, sizeof name, "done.%d", getpid());
    fd = open(name, O_RDWR | O_CREAT, 0644);
    if (ftruncate(fd, 8 * MOST * APART) != 0)
        return 9;
    done = mmap(NULL, 8 * MOST * APART, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    kill_in(atol(argv[2]));
    for (long k = 1; k < threads; k++)
        if (pthread_create(&t, NULL, work, (void *)k) != 0)
            return 9;
    work(NULL);
}
END
} > victim.c

# right PROCESS: each line has been counted as often as its thread has done it, or once more.
right() {
    local file=all.wpp.d/victim.$1.wpp

    wpp-dump --line-counts "$file" > counted || return 1
    as_done "done.$1" counted
}
for mode in paths edges; do
    threads=1 microseconds=12000
    [ $mode = paths ] || threads=64 microseconds=25000
    ok "$mode: a program is built" build $mode victim -pthread victim.c
    rm -rf done.* all.wpp*
    cat > many.sh << END
./victim 1
for i in \$(seq $kills); do
    ./victim $threads \$((\$RANDOM * $microseconds / 32768))
done
END
    run wpp-record -q -o all.wpp bash many.sh
    count=0 wrong=0 idle=0
    for file in done.*; do
        count=$((count + 1))
        right "${file#done.}" >> wrong.log 2>&1 || wrong=$((wrong + 1))
        od -An -v -t d8 -w64 "$file" | awk '$1 { any = 1 } END { exit any }' && idle=$((idle + 1))
    done
    is "$threads threads, $mode: $kills kills: no count is wrong" "$count $wrong" "$kills 0"
    [ $wrong = 0 ] || head -n 5 wrong.log | sed 's/^/# /'
    ok "$threads threads: most had counted something ($idle had not)" test $((5 * idle)) -lt "$kills"
done

# ---- Ends -----------------------------------------------------------------------------------------

cat > ends.c << 'END'
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long sum;
__attribute__((noipa)) static void step(int i)
{
    if (i & 1)
        sum++;                          /* 10 */
    else
        sum += 2;                       /* 12 */
}
__attribute__((noipa)) static int finish(char **argv)
{
    switch (argv[1][0]) {
    case 'a': abort();
    case '_': _exit(3);
    case 'x': exit(4);
    case 'k': raise(SIGKILL); break;
    case 'e': execlp("true", "true", NULL); break;
    case 'E': execl(argv[0], argv[0], "kill", "10", NULL); break;
    case 'v': if (vfork() == 0) _exit(0); break;
    case 'f':
        if (fork() == 0) {
            for (int i = 0; i < 20; i++)
                step(i);
            _exit(0);
        }
        wait(NULL);
        step(0);
    }
    return 0;
}
__attribute__((noipa)) static int deep(int n, char **argv)
{
    if (n == 0)
        return finish(argv);
    if (n % 3 == 0)
        sum++;                          /* 40 */
    return deep(n - 1, argv) + 1;
}
int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[2]) : 1000;

    for (int i = 0; i < n; i++)
        step(i);
    return deep(5, argv) - 5;
}
END
for mode in paths edges calls-cut; do
    build $mode ends ends.c
    for end in return exit abort _exit kill exec vfork; do
        rm -rf one.*
        WPP_OUT=one.trace ./ends $end 1001 2> err
        want=$?
        wpp-compress -fq -o file.wpp one.trace 2> err
        run wpp-record -q --trace=one.trace -o one.wpp ./ends $end 1001
        [ $end != exec ] || want=0
        [ $want -lt 128 ] || want=$((status > 128 ? want : 0))
        is "$mode, $end: as in a trace's file" "$status $(complete one.wpp) $(paths one.wpp)" \
            "$want yes $(paths file.wpp)"
        is "$mode, $end: each line" "$(line one.wpp :10) $(line one.wpp :12)" '500 501'
        ok "$mode, $end: the kept trace is right" "$BUILD/test/read-trace" one.trace
        wpp-compress -fq -o again.wpp one.trace 2> err
        is 'and makes the same profile' "$(paths again.wpp)" "$(paths file.wpp)"
    done
    rm -rf one.*
    run wpp-record -q -o one.wpp ./ends fork 100
    is "$mode: a fork without exec: the parent, and the child from 0" \
        "$(line one.wpp :10) $(line one.wpp :12) $(line one.wpp.d/*.wpp :10) $(line one.wpp.d/*.wpp :12)" \
        '50 51 10 10'
    is "$mode: both are complete" "$(complete one.wpp) $(complete one.wpp.d/*.wpp)" 'yes yes'
    rm -rf one.*
    run wpp-record -q -o one.wpp ./ends Exec 101
    is "$mode: exec of a counted program, which is killed: both images" \
        "$status $(line one.wpp :10) $(line one.wpp :12) $(line one.wpp.d/*.wpp :10) \
$(line one.wpp.d/*.wpp :12)" \
        '137 50 51 5 5'
done

for how in -static '-static-pie' '-fPIC -flto' -fplugin-arg-wpp-counters=atomic; do
    build paths ends $how ends.c
    rm -rf one.*
    run wpp-record -q -o one.wpp ./ends kill 1001
    is "$how: a kill" "$status $(line one.wpp :10) $(line one.wpp :12) $(complete one.wpp)" '137 500 501 yes'
    run wpp-record -q -o one.wpp ./ends return 1001
    is "$how: an ordinary end" "$status $(line one.wpp :10) $(line one.wpp :12) $(complete one.wpp)" '0 500 501 yes'
done

# ---- Libraries, and more counters than a region has ------------------------------------------------

cat > library.c << 'END'
int of_library(int i)
{
    if (i % 2)
        __asm__ volatile("# odd");      /* 4 */
    else
        __asm__ volatile("# even");     /* 6 */
    return i;
}
END
cat > loads.c << 'END'
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
static int (*f)(int);
static void *work(void *unused)
{
    for (int i = 0; i < 1000; i++)
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
        dlclose(library);
    }
    return argc > 2 ? raise(SIGKILL) : 0;
}
END
build paths library.so -fPIC -shared library.c
build paths loads -pthread loads.c
for end in '' kill; do
    run wpp-record -q -o one.wpp ./loads ./library.so $end
    is "libraries that have gone ${end:+before a }$end" \
        "$(line one.wpp library.c:4) $(line one.wpp library.c:6) $(complete one.wpp)" \
        '2010 2010 yes'
done

# A fork while another thread takes a region: the child has regions of its own, too.
cat > forks.c << 'END'
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int stop;
__attribute__((noipa)) static void step(void)
{
    __asm__ volatile("# step");         /* 10 */
}
static void *load(void *name)
{
    while (!stop)
        dlclose(dlopen(name, RTLD_NOW));
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, load, argv[1]) != 0)
        return 9;
    for (int i = atoi(argv[2]); i > 0; i--) {
        pid_t child = fork();
        if (child == 0) {
            step();
            raise(SIGKILL);
        }
        waitpid(child, NULL, 0);
    }
    stop = 1;
    pthread_join(thread, NULL);
    return argc - 3;
}
END
build paths forks -pthread forks.c
rm -f forks.prof
run wpp-record -q --merge -o forks.prof ./forks ./library.so 1000
is 'children that are forked while a region is taken, and killed' \
    "$status $(line forks.prof forks.c:10)" '0 1000'
{
    for k in $(seq 60); do
        echo "__attribute__((noinline)) void f$k(volatile int *a) {"
        for i in $(seq 12); do echo "if (a[$i]) a[0]++;"; done
        echo '}'
    done
    echo 'int main(int argc, char **argv) { volatile int a[13] = {0}; for (int i = 0; i < 100; i++) {'
    for k in $(seq 60); do echo "f$k(a);"; done
    echo '} if (argc > 1) __builtin_trap(); return argv == 0; }'
} > large.c
"$WPP_GCC" -O0 -fplugin-arg-wpp-mode=paths -o large large.c
WPP_OUT=one.trace ./large
wpp-compress -fq -o file.wpp one.trace
run wpp-record -q -o one.wpp ./large
is 'two regions' "$status $(paths one.wpp)" "0 $(paths file.wpp)"
run wpp-record -q -o one.wpp ./large trap
is 'and in a program that crashes' "$(complete one.wpp) $(paths one.wpp | grep -v '"main"')" \
    "yes $(paths file.wpp | grep -v '"main"')"

# ---- Where there is no room ------------------------------------------------------------------------

# with NAME LIMIT COMPLETE: a program that ends has all counts; one that is killed has them, or says so.
with() {
    run bash -c "$2; exec wpp-record -q -o one.wpp ./ends return 1001"
    is "$1: an ordinary end" "$(line one.wpp :10) $(line one.wpp :12) $(complete one.wpp)" '500 501 yes'
    run bash -c "$2; exec wpp-record -q -o one.wpp ./ends kill 1001"
    is "$1: a kill" "$(line one.wpp :10) $(line one.wpp :12) $(complete one.wpp)" "$3"
}
build paths ends ends.c
bytes=$(bash -c 'ulimit -f 1000; wpp-record -o x.wpp true' 2>&1 | grep -o '[0-9]* MB' | tr -dc 0-9)
with 'no larger file than the memory without regions' "ulimit -f $(((bytes + 1) * 1024))" '500 501 yes'
run bash -c "ulimit -f $(((bytes + 1) * 1024)); exec wpp-record -q -o one.wpp ./large"
is 'and more counters than fit: an ordinary end' "$status $(paths one.wpp)" "0 $(paths file.wpp)"
run bash -c "ulimit -f $(((bytes + 1) * 1024)); exec wpp-record -q -o one.wpp ./large trap"
is 'and a crash, which is said' "$(complete one.wpp)" no
cat > limited << 'END'
#!/bin/bash
ulimit -v "$1"
exec "${@:2}"
END
chmod +x limited
for kb in 400000 100000 60000; do
    run wpp-record -q -o one.wpp ./limited $kb ./ends return 1001
    is "an address space of $kb kB: an ordinary end" \
        "$(line one.wpp :10) $(line one.wpp :12) $(complete one.wpp)" \
        '500 501 yes'
    run wpp-record -q -o one.wpp ./limited $kb ./ends kill 1001
    is "an address space of $kb kB: a kill" "$(line one.wpp :10) $(line one.wpp :12) $(complete one.wpp)" \
        '500 501 yes'
done

# A thread that begins in a sandbox has counters of which only an ordinary end tells.
cat > sandbox.c << 'END'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <stddef.h>
__attribute__((noipa)) static void step(void)
{
    __asm__ volatile("# step");         /* 9 */
}
static void *work(void *unused)
{
    for (int i = 0; i < 1000; i++)
        step();
    return unused;
}
int main(int argc, char **argv)
{
    struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = {1, &all};
    pthread_t t;

    work(NULL);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
        return 77;
    if (argc < 3) {
        pthread_create(&t, NULL, work, NULL);
        pthread_join(t, NULL);
    }
    return argc > 1 ? raise(SIGKILL) : argv == NULL;
}
END
build paths sandbox -pthread sandbox.c
run wpp-record -q -o one.wpp ./sandbox
if [ "$status" = 77 ]; then
    skip 'there is no seccomp here'
else
    is 'a sandbox: an ordinary end' "$(line one.wpp :9) $(complete one.wpp)" '2000 yes'
    run wpp-record -q -o one.wpp ./sandbox kill
    is 'and a kill, which is said' "$(line one.wpp :9) $(complete one.wpp)" '1000 no'
    run wpp-record -q -o one.wpp ./sandbox kill 'without the thread'
    is 'unless no such thread had begun' "$(line one.wpp :9) $(complete one.wpp)" '1000 yes'
    WPP_OUT=one.trace run ./sandbox kill
    wpp-compress -fq -o file.wpp one.trace 2> err
    is 'likewise with a file' "$(line file.wpp :9) $(complete file.wpp)" '1000 no'
fi
mkfifo fifo
cat fifo > one.trace &
WPP_OUT=fifo run ./ends kill 1001
wait $!
wpp-compress -fq -o file.wpp one.trace 2> err
is 'a kill with a FIFO, which is said' "$(line file.wpp :10) $(complete file.wpp)" ' no'

# ---- A limit ----------------------------------------------------------------------------------------

cat > endless.c << 'END'
#include <time.h>
__attribute__((noipa)) static void step(void)
{
    __asm__ volatile("# step");         /* 4 */
}
int main(void)
{
    time_t end = time(NULL) + 2;

    for (;;)
        for (int i = 0; i < 1000; i++) {
            step();
            if (time(NULL) >= end)
                return 0;
        }
}
END
build paths endless endless.c
run wpp-record -q --duration=0.2 -o one.wpp ./endless
ok "--duration: what was counted until then ($(line one.wpp :4))" test "$(line one.wpp :4)" -gt 1000
is 'and that it is not all' "$(complete one.wpp)" no

# ---- A recorder that is killed ----------------------------------------------------------------------

cat > orphan.c << 'END'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((noipa)) static void step(void)
{
    __asm__ volatile("# step");         /* 6 */
}
int main(void)
{
    for (int i = 0; i < 1000; i++)
        step();
    usleep(300000);
    kill(getppid(), SIGKILL);
    usleep(300000);
    for (int i = 0; i < 1000; i++)
        step();
    puts("goes on");
    return 0;
}
END
build paths orphan orphan.c
run bash -c 'wpp-record -q -o orphan.wpp ./orphan > out 2> err'
for i in $(seq 100); do [ ! -s orphan.wpp ] || [ ! -s out ] || break; sleep 0.05; done
is 'the program goes on when its recorder is killed' "$(cat out)" 'goes on'
is 'what it had counted is there, and more is said to be missing' \
    "$(line orphan.wpp :6) $(complete orphan.wpp)" '1000 no'
done_testing
