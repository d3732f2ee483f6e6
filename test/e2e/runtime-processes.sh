#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 40
# wpp-record and whole trees of processes: each has a complete WPP.  This holds if a process
# replaces its program, outlives others, or the recording is ended in another way.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

# calls FILE...: how often `work` and main were entered in each, in one line
calls() {
    local f

    for f; do
        wpp-info "$f" | sed -n 's/^calls *//p'
    done | tr -d ',' | sort -n | tr '\n' ' '
}

# complete NAME: FILE and all of FILE.d are whole
complete() {
    ok "$1" wpp-check --strict all.wpp all.wpp.d/*.wpp
}

record() {
    rm -rf all.wpp*
    run wpp-record -o all.wpp "$@"
}

cat > tree.c << 'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long n;

__attribute__((noipa)) static void work(void) { n++; }

/* LEVEL: 1,000 times LEVEL calls, then two children that become LEVEL - 1 */
int main(int argc, char **argv)
{
    int level = argc > 1 ? atoi(argv[1]) : 0;
    char next[16];

    for (int i = 0; i < 1000 * level; i++)
        work();
    snprintf(next, sizeof next, "%d", level - 1);
    for (int i = 0; i < 2 && level > 1; i++) {
        if (fork() == 0) {
            work();
            execl(argv[0], argv[0], next, (char *)0);
        }
    }
    while (wait(NULL) > 0)
        ;
    return level;
}
END
"$WPP_GCC" -O1 -o tree tree.c

# Four levels: 1, 2, 4, 8 programs; 14 forks that call work once before they become one.
record ./tree 4
is 'the exit status is that of the first' $status 4
is 'a file for each process and each program it was' "$(ls all.wpp.d | wc -l)" 28
complete 'all complete'
is 'with every call' "$(calls all.wpp all.wpp.d/*)" \
    "$(printf '1 %.0s' $(seq 14))$(printf '1001 %.0s' $(seq 8))2001 2001 2001 2001 3001 3001 4001 "
cp all.wpp first.wpp
wpp-record -o all.wpp ./tree 1
same 'keeps the former file' all.wpp.old first.wpp
is 'and with it the former folder' "$(ls all.wpp.d.old | wc -l) $(ls -d all.wpp.d 2> /dev/null)" '28 '
run wpp-record -o all.wpp ./tree 2
is 'a new folder' "$(ls all.wpp.d | wc -l) $(ls all.wpp.d.old | wc -l)" '4 28'
# What is not ours is neither taken away nor in the way.
touch all.wpp.d.old/notes
for n in 2 1; do
    wpp-record -q -o all.wpp ./tree $n
done
is 'beside an old folder with more in it' "$(ls all.wpp.d* -d | paste -sd' ')" \
    'all.wpp.d.old all.wpp.d.old.2'
is 'of which no process is taken for one of this recording' "$(ls all.wpp.d.old | paste -sd' ') $(ls all.wpp.d.old.2 | wc -l)" 'notes 4'
rm -rf all.wpp.d.old all.wpp.d.old.2
rm -f all.wpp.old
mkdir all.wpp.old
refused 'what is there cannot be kept' 1 wpp-record -o all.wpp ./tree 2
is 'and nothing is lost' "$(ls -d all.wpp all.wpp.old | paste -sd' ')" 'all.wpp all.wpp.old'
rmdir all.wpp.old

record sh -c './tree 1; ./tree 3; exit 5'
is 'programs of a shell: the status is the shell'"'"'s' $status 5
complete 'all complete'
is 'all there' "$(calls all.wpp all.wpp.d/* | wc -w)" 14

# Eight at once, forty programs: no file holds anything of another process.
{
    echo "all: $(seq -f 'job%.0f' -s ' ' 40)"
    for i in $(seq 40); do printf 'job%d:\n\t@./tree 2 || true\n' $i; done
} > Makefile
record make -s -j8
complete 'make -j8: all complete'
is 'and each its own' "$(calls all.wpp all.wpp.d/* | tr ' ' '\n' | sort -n | uniq -c | xargs)" \
    '80 1 80 1001 40 2001'

# ---- Another user ------------------------------------------------------------------------

# Who starts as another user than the recorder's does not find it: said, and nothing else changes.
if [ "$(id -u)" = 0 ] && command -v setpriv > /dev/null; then
    chmod 755 "$T" tree
    record sh -c './tree 1; setpriv --reuid=65534 --clear-groups ./tree 1'
    is 'another user: the status is its own' $status 1
    is 'it is said why there is nothing of it' "$(head -n 1 "$T/err")" \
        "wpp: this user, or user namespace, may not open the recorder's memory; start wpp-record as \
the user that the program runs as, or inside the namespace; not recording"
    ok 'and all is there of the one before' wpp-check --strict all.wpp
    is 'which is alone' "$(ls -d all.wpp.d 2> /dev/null)" ''
else
    skip 'another user: not root, or no setpriv here'
fi

# ---- Ways to become another process ------------------------------------------------------

cat > ways.c << 'END'
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

extern char **environ;
static volatile long n;
static char **arguments;

__attribute__((noipa)) static void work(long times)
{
    for (long i = 0; i < times; i++)
        n++;
}

static void calls(int times)
{
    for (int i = 0; i < times; i++)
        work(1);
}

static void fork_in_thread(void)
{
    if (fork() == 0) {
        calls(200);
        exit(0);
    }
    wait(NULL);
}

static void *thread(void *unused)
{
    calls(50);
    fork_in_thread();
    return unused;
}

static void threaded(void)
{
    pthread_t t[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, thread, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
}

/* Shares all memory with its parent; then becomes a program. */
static void borrowing(void)
{
    if (vfork() == 0) {
        execl(arguments[0], arguments[0], "none", (char *)0);
        _exit(1);
    }
    wait(NULL);
}

static void spawned(void)
{
    char *argv[] = { arguments[0], "none", NULL };
    pid_t pid;

    posix_spawn(&pid, argv[0], NULL, NULL, argv, environ);
    wait(NULL);
}

/* The first process ends at once; what goes on has no parent. */
static void daemonise(void)
{
    if (fork() != 0)
        _exit(0);
    setsid();
    if (fork() != 0)
        _exit(0);
    for (int fd = 0; fd < 1024; fd++)
        close(fd);
    usleep(300000);
    calls(200);
    exit(0);
}

static void without_descriptors(void)
{
    struct rlimit none = { 0, 0 };

    for (int fd = 3; fd < 1024; fd++)
        close(fd);
    setrlimit(RLIMIT_NOFILE, &none);
    setrlimit(RLIMIT_FSIZE, &none);
    fork_in_thread();
}

static void in_another_root(void)
{
    if (chroot(".") != 0)
        exit(77);
    fork_in_thread();
}

static void as_nobody(void)
{
    if (setgid(65534) != 0 || setuid(65534) != 0)
        exit(77);
    fork_in_thread();
}

/* No file may be opened any more, and no memory mapped to be shared. */
static void in_a_sandbox(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    struct sock_fprog program = { sizeof rules / sizeof *rules, rules };

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        exit(77);
    fork_in_thread();
}

static void none(void)
{
}

static const struct way {
    const char *name;
    void (*run)(void);
} ways[] = {
    { "none", none }, { "threads", threaded }, { "vfork", borrowing }, { "spawn", spawned },
    { "daemon", daemonise }, { "descriptors", without_descriptors },
    { "chroot", in_another_root }, { "nobody", as_nobody }, { "sandbox", in_a_sandbox },
};

int main(int argc, char **argv)
{
    arguments = argv;
    calls(100);
    for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++)
        if (strcmp(argv[1], ways[i].name) == 0)
            ways[i].run();
    calls(30000);
    return 0;
}
END
"$WPP_GCC" -O0 -o ways ways.c -lpthread || exit 1

# way NAME CALLS...: the calls in each of its processes
way() {
    local name=$1

    shift
    record ./ways $name
    if [ $status = 77 ]; then
        skip "$name: not allowed here"
        return
    fi
    is "$name: ends well" $status 0
    complete "$name: all complete"
    is "$name: with every call" "$(calls all.wpp all.wpp.d/*)" "$* "
}

calls_of_none=30104                     # main, none, calls twice, work 100 and 30,000 times
inner=201                               # calls, and work 200 times: a fork that ends
way threads $inner $inner $inner $inner $((calls_of_none + 4 * (1 + 1 + 50 + 1)))
way vfork $calls_of_none $calls_of_none
way spawn $calls_of_none $calls_of_none
way daemon 0 $((1 + 1 + 100 + 1)) $inner
way descriptors $inner $((calls_of_none + 1))
way chroot $inner $((calls_of_none + 1))
way nobody $inner $((calls_of_none + 1))
way sandbox $inner $((calls_of_none + 1))

# ---- Ends of the recording ----------------------------------------------------------------

cat > endless.c << 'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static volatile long n;

__attribute__((noipa)) static void work(void) { n++; }

/* For so many tenths of a second; without an argument for ever, or nearly so. */
int main(int argc, char **argv)
{
    int tenths = argc > 1 ? atoi(argv[1]) : 200;
    struct itimerval end = {.it_value = {tenths / 10, tenths % 10 * 100000}};

    setitimer(ITIMER_REAL, &end, NULL);
    if (argc > 2 && fork() != 0)
        return 3;
    puts("begun");
    fflush(stdout);
    for (;;)
        work();
    return argv != NULL;
}
END
"$WPP_GCC" -O1 -o endless endless.c
mkfifo begun

# interrupt SIGNAL ARGUMENT...: sends it to the recorder when ./endless runs; $status
interrupt() {
    local signal=$1 recorder line

    shift
    rm -rf all.wpp*
    # A shell's background jobs ignore SIGINT, and so would the program.
    setsid -w env --default-signal=INT wpp-record -o all.wpp ./endless "$@" > begun 2> err &
    recorder=$!
    exec 7< begun
    read -r line <&7
    sleep 0.2
    kill -$signal "$(children $recorder wpp-record || echo $recorder)"
    wait $recorder
    status=$?
    exec 7<&-
}

interrupt INT
is 'an interrupt ends the program' $status 130
ok 'and the recording, whole' wpp-check --strict all.wpp
interrupt TERM
is 'SIGTERM as well' $status 143
ok 'and the file is whole' wpp-check --strict all.wpp

record ./endless 2
is 'a program that is ended by a signal of its own' $status 142
ok 'is whole' wpp-check --strict all.wpp

# How it ended, which only its parent is told: of the program, not of others.
cat > ways.c << 'END'
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    if (argc < 2)
        return 0;
    switch (argv[1][0]) {
    case 'k': raise(atoi(argv[2])); break;
    case 'x': execv(argv[2], argv + 2); break;
    case 'f':
        if (fork() == 0)
            _exit(4);
        wait(NULL);
        return 5;
    }
    return atoi(argv[1]);
}
END
wpp-gcc -O2 ways.c -o ways

# ends NAME WANT ARGUMENT...: what the files say, the program's first
ends() {
    local name=$1 want=$2 file

    shift 2
    record ./ways "$@"
    is "$name" "$(for file in all.wpp all.wpp.d/*; do
                      [ -e "$file" ] || continue
                      wpp-info "$file" | sed -n 's/^ended *//p'
                      wpp-info --format=json "$file" |
                          sed -E 's/.*"exit_status":([0-9]+|null).*"killed_by":([0-9]+|null).*/\1 \2/'
                  done | tr '\n' ' ')" "$want "
}
ends 'a program that ends well' 'with status 0 0 null'
ends 'a program that fails' 'with status 255 255 null' 255
behind='in the call at or behind ways.c:10 in main'
ends 'a program that crashes' "killed by SIGSEGV $behind null 11" k 11
ends 'a program that is killed' "killed by SIGKILL $behind null 9" k 9
ends 'a signal without a name' "killed by signal 40 $behind null 40" k 40

# The trace says it, right before its END or where there is none.
rm -rf all.wpp*
wpp-record --trace=ways.trace -o all.wpp ./ways 3
like 'the second reader: in the trace' "$("$BUILD/test/read-trace" ways.trace | tail -n 2 | tr '\n' ' ')" \
    '^EXIT exited=4 killed=0 END '
wpp-record --trace=ways.trace -o all.wpp ./ways k 9
is 'the second reader: without END' "$("$BUILD/test/read-trace" ways.trace | tail -n 1)" \
    'EXIT exited=0 killed=9'
ok 'and it is complete' "$BUILD/test/read-trace" ways.trace
wpp-compress -f -o again.wpp ways.trace
same 'from which the same WPP can be made' again.wpp all.wpp
ends 'of a child that is another'\''s nothing is known' 'with status 5 5 null null null' f
ends 'what has been replaced did not end so' 'null null with status 7 7 null' x ./ways 7
ends 'replaced by one that is not traced: the process ended so' 'with status 1 1 null' x /bin/false

run wpp-record --limit=1M -o all.wpp ./endless 10
is '--limit: the program goes on to its end' $status 142
events=$(wpp-info all.wpp | sed -n 's/^events *//p' | tr -d ,)
[ "$events" -ge 1000000 ] && [ "$events" -lt 1016368 ] && pass '--limit: so many events, and a chunk at most' ||
    fail '--limit: so many events, and a chunk at most' "$events"
is '--limit: nothing to complain about, but how it ended' "$(tail -n +2 "$T/err")" \
    'wpp-record: ./endless was killed by SIGALRM'
run wpp-check all.wpp
like '--limit: the file says that it is not the whole run' "$status $(cat "$T/err")" '^3 .*undamaged'
cat > early.c << 'END'
#include <pthread.h>
#include <unistd.h>
static volatile unsigned sink;
__attribute__((noipa)) static void step(int i)
{
    if (i & 1)
        sink++;
    else
        sink += 2;
}
static void *work(void *argument)
{
    for (int i = 0; i < 2000; i++)
        step(i);
    return argument;
}
int main(int argc, char **argv)
{
    pthread_t worker;

    (void)argv;
    for (int i = 0; i < 3000; i++)
        step(i);
    for (int n = 0; n < 4; n++) {
        if (n > 0 && argc > 1)
            usleep(100000);
        pthread_create(&worker, NULL, work, NULL);
        pthread_join(worker, NULL);
    }
    return 0;
}
END
cat > turns.c << 'END'
#include <stdlib.h>
static volatile unsigned sink;
__attribute__((noipa)) static void step(long i)
{
    if (i & 1)
        sink++;
    else
        sink += 2;
}
int main(int argc, char **argv)
{
    for (long i = 0, n = argc > 1 ? atol(argv[1]) : 0; i < n; i++)
        step(i);
    return 0;
}
END
ok 'a program of so many turns is built' "$WPP_GCC" -O1 -o turns turns.c
ok 'a program whose main thread comes first is built' "$WPP_GCC" -O1 -o early early.c -pthread
wpp-record --limit=200 -o all.wpp ./early
events=$(wpp-info all.wpp | sed -n 's/^ *0 \([0-9,]*\) events, thread.*/\1/p' | tr -d ,)
ok "--limit: what the main thread did before the others is there: $events events" \
    test "$events" -ge 6000
ok 'and not all that followed' test "$(wpp-info all.wpp | grep -c 'events, thread')" -lt 5
# why NAME FILE REASON: told by wpp-info, and by a tool that answers from it
why() {
    like "$1: wpp-info says why" "$(wpp-info "$2")" "^complete +no: $3\$"
    run wpp-dump --tokens "$2"
    is "$1: so does wpp-dump" "$status $(cat "$T/err")" \
        "3 wpp-dump: $2: the trace is incomplete ($3); the answer covers only the recorded part"
}
why '--limit' all.wpp 'stopped by --limit'

# A recorder that has closed, and next runs when the program has ended: what that did meanwhile
# was refused.
cat > late.c << 'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static int is_shared(unsigned long word)
{
    char line[512];
    unsigned long from, to;
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");

    while (maps && fgets(line, sizeof line, maps))
        found |= strstr(line, "memfd:wpp") && sscanf(line, "%lx-%lx", &from, &to) == 2 &&
                 from <= word && word < to;
    if (maps)
        fclose(maps);
    return found;
}
long syscall(long number, ...)
{
    long (*next)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"), a[6], result;
    siginfo_t info;
    va_list list;

    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    result = next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (number == SYS_futex && a[1] == FUTEX_WAKE && a[2] == INT_MAX && is_shared((unsigned long)a[0]))
        waitid(P_ALL, 0, &info, WEXITED | WNOWAIT);
    return result;
}
END
# late OPTION: threads of `early` that were recorded by such a one
late() {
    LD_PRELOAD=$PWD/late.so wpp-record "$1" -o all.wpp ./early slowly
    wpp-info all.wpp | grep -c 'events, thread'
}
if [ "$CONFIG" = asan ] || [ "$CONFIG" = hostile ]; then
    skip "nothing can be loaded before the sanitizer's runtime"
else
    ok 'what makes it late is built' gcc -shared -fPIC late.c -o late.so -ldl
    ok '--limit, closed while the program ends: not all is there' test "$(late --limit=200)" -lt 5
    why '--limit, closed while the program ends' all.wpp 'stopped by --limit'
    ok '--duration, closed while the program ends: not all is there' test "$(late --duration=0.05)" -lt 5
    why '--duration, closed while the program ends' all.wpp 'stopped by --duration'
fi

run wpp-record --duration=0.3 -o all.wpp ./endless 20
is '--duration: the program goes on to its end' $status 142
nanoseconds=$(wpp-info --format=json all.wpp | grep -o '"nanoseconds":[0-9]*' | cut -d: -f2)
# Less than the program's two seconds; how much less, a busy machine decides.
like '--duration: so long was recorded' "$nanoseconds" '^([2-9][0-9]{8}|1[0-9]{9})$'
why '--duration' all.wpp 'stopped by --duration'
run wpp-record --ring=256k -o all.wpp ./endless 5
like 'what was kept is said' "$(head -n 1 "$T/err")" '^wpp-record: the last of [0-9.]+ [kMG] events in all\.wpp$'
is '--ring: the program runs to its end' "$status $(tail -n +2 "$T/err")" \
    '142 wpp-record: ./endless was killed by SIGALRM'
read -r events lost < <(wpp-info --format=json all.wpp |
    sed 's/.*"lost":\([0-9]*\),"events":\([0-9]*\).*/\2 \1/')
[ "$events" -ge 65536 ] && [ "$events" -lt $((65536 + 2 * 16368)) ] && [ "$lost" -gt 1000000 ] &&
    pass '--ring: the last events, and how many were before' ||
    fail '--ring: the last events, and how many were before' "$events kept, $lost lost"
run wpp-check all.wpp
like '--ring: the file is sound' "$status $(cat "$T/err")" '^3 .*undamaged'

why '--ring' all.wpp 'only the last events were kept'
is '--ring: what was dropped is not lost' \
    "$(wpp-info all.wpp | sed -n 's/[0-9,]* events/N events/; /^dropped/p; /^lost/p' | tr -s ' ')" \
    'dropped N events before the last ones'

# However much of a piece there is at the end.
for turns in 20000 30000 100000 107000; do
    for size in 64 128; do
        wpp-record --ring=${size}k -o all.wpp ./turns $turns
        events=$(wpp-info all.wpp | sed -n 's/^events *//p' | tr -d ,)
        ok "--ring=${size}k: at least so much is there: $events events at the end of $turns turns" \
            test "$events" -ge $((size * 256))
    done
done

# The ring is looked at while the program runs: each time later events, in a sound file; also by a
# recorder that is slower than the program and always has something left to take.
cat > slow.c << 'END'
#include <stddef.h>
#include <unistd.h>
enum { NEARLY_A_CHUNK = 60000 };
void *memcpy(void *to, const void *from, size_t n)
{
    void *at = to;

    if (n >= NEARLY_A_CHUNK)
        usleep(100);
    __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(n) : : "memory");
    return to;
}
END
preload=
if [ "$CONFIG" != asan ] && [ "$CONFIG" != hostile ]; then
    ok 'what makes it slow is built' gcc -O1 -fno-builtin -shared -fPIC slow.c -o slow.so
    preload=$PWD/slow.so
fi
rm -rf all.wpp*
LD_PRELOAD=$preload wpp-record --ring=256k --signal=USR2 -o all.wpp ./endless > /dev/null 2> "$T/err" &
recorder=$!
until children $recorder > /dev/null || ! kill -0 $recorder; do sleep 0.05; done
lost=0
for n in 1 2 3; do
    begun=$lost
    # Before the program's first event there is nothing to write; of two looks that were asked for
    # while one was written the second may show nothing new.
    for ((i = 0; i < 200; i++)); do
        kill -USR2 $recorder || break
        sleep 0.05
        file=$(ls all.wpp.d/endless.*.wpp 2> /dev/null | sort -V | tail -n 1)
        [ -n "$file" ] || continue
        read -r events lost < <(wpp-info --format=json "$file" |
            sed 's/.*"lost":\([0-9]*\),"events":\([0-9]*\).*/\2 \1/')
        [ "$lost" -le "$begun" ] || break
    done
    run wpp-check "$file"
    sound="$status $(cat "$T/err")"
    like "--ring: a look at it, $n: sound, and not the end" "$sound" '^3 .*undamaged'
    why "--ring: a look at it, $n" "$file" 'the process ran on'
    [ "$events" -ge 65536 ] && [ "$events" -lt $((65536 + 2 * 16368)) ] && [ "$lost" -gt "$begun" ] &&
        pass "--ring: a look at it, $n: as many, and later events" ||
        fail "--ring: a look at it, $n: as many, and later events" "$events kept, $lost lost, before $begun lost"
done
kill -TERM $recorder
wait $recorder
run wpp-check all.wpp
like '--ring: and at the end' "$status $(cat "$T/err")" '^3 .*undamaged'

cat > forks.c << 'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    for (int n = argc > 1 ? atoi(argv[1]) : 0; n > 0; n--) {
        if (fork() == 0)
            return 0;
        wait(NULL);
    }
    return 0;
}
END
ok 'a program of so many processes is built' "$WPP_GCC" -O1 -o forks forks.c
run wpp-record -o all.wpp ./forks 3
is 'that there are several processes is said' "$status $(cat "$T/err")" \
    '0 wpp-record: 4 processes recorded: all.wpp and the folder all.wpp.d'
run wpp-record -q -o all.wpp ./forks 3
is 'but not with -q' "$status $(cat "$T/err") $(ls all.wpp.d | wc -l)" '0  3'

run wpp-record -q -o - ./forks 3
is 'that only one is kept where there is no folder is said once' "$(cat "$T/err")" \
    'wpp-record: forks: only the first process is kept, since - is no file; -o FILE keeps all'
run wpp-record -q -o /dev/full ./forks 3
is 'also of a device' "$status $(grep -c 'only the first process is kept' "$T/err")" '1 1'

if script -qec true /dev/null > /dev/null 2>&1; then
    script -qec 'wpp-record -o all.wpp ./endless 10' /dev/null > terminal 2>&1 < /dev/null
    like 'progress on a terminal' "$(tr '\r' '\n' < terminal)" \
        'wpp-record: [0-9.]+ [kMG] events, [0-9.]+ [kMG]/s, waited [0-9.]+ s; [0-9]+ % in ~[0-9.]+ MB \(1/~[0-9]+\); 1 process, [0-9]+ MB'
    script -qec 'wpp-record -q -o all.wpp ./endless 10' /dev/null > terminal 2>&1 < /dev/null
    is 'none with -q' "$(grep -c ' events, ' terminal)" 0
else
    skip 'progress on a terminal: no script(1) to make one'
fi
# ---- Descriptors and signals of wpp-record's own --------------------------------------------
# A file that is opened where standard error was would get what is said.
run bash -c 'exec 2>&-; wpp-record --trace=/dev/full -o all.wpp ./forks 2'
is 'without a standard error' $status 1
ok 'the recording is what was recorded' wpp-check all.wpp
run bash -c 'exec >&- <&- 2>&-; wpp-record -q -o all.wpp ./forks 2'
is 'without any' $status 0
ok 'as well' wpp-check all.wpp
# The program has them closed as they were.
cat > closed.c << 'END'
#include <fcntl.h>
int main(void)
{
    int n = 0;

    for (int fd = 0; fd < 3; fd++)
        n = 2 * n + (fcntl(fd, F_GETFD) < 0);
    return n;
}
END
"$WPP_GCC" -O1 -o closed closed.c
run bash -c 'exec <&- 2>&-; wpp-record -q -o all.wpp ./closed'
is 'the program has them as they were' $status 5

cat > helper.c << 'END'
#include <unistd.h>
void helper(void)
{
    if (fork() == 0) {
        sleep(2);
        _exit(0);
    }
}
END
cat > helped.c << 'END'
void helper(void);
int main(void)
{
    helper();
    for (volatile int i = 0; i < 3000000; i++)
        ;
    return 7;
}
END
gcc -O1 -shared -fPIC -o libhelper.so helper.c
"$WPP_GCC" -O1 -o helped helped.c -L. -lhelper -Wl,-rpath,"$T"
run wpp-record -q --limit=100k -o all.wpp ./helped
is 'a child without an event is nobody when recording ends' "$status $(cat "$T/err")" '7 '

signalled=
for i in 1 2 3 4 5; do
    wpp-record -q --signal=USR2 -o all.wpp ./helped 2> /dev/null &
    recorder=$!
    sleep 0.05
    while kill -USR2 $recorder 2> /dev/null; do sleep 0.003; done
    wait $recorder
    signalled="$signalled $?"
done
is 'a signal that comes too late is ignored' "$signalled" ' 7 7 7 7 7'

fails_with 2 '--duration wants a number' wpp-record --duration=soon ./endless
fails_with 2 '--limit wants a number' wpp-record --limit=many ./endless
for none in --limit=0 --duration=0 --ring=0 --ring=4095 --memory=0; do
    fails_with 2 "$none is no recording" wpp-record $none ./endless
done
done_testing
