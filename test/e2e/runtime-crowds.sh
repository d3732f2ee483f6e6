#!/bin/bash
# SPDX-License-Identifier: MIT
# Limits under wpp-record: more processes than descriptors, threads that record after our last
# destructor, seats that others have left.  Also processes with another pid in their own
# namespace, and processes that are killed with their parent's lock.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

cat > crowds.c << 'END_OF_C'
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long n;
static int ends[2], told[2], go[2];

__attribute__((noipa)) static void work(void) { n++; }

static void calls(long times)
{
    for (long i = 0; i < times; i++)
        work();
}

static void wait_for(int fd)
{
    char byte;

    if (read(fd, &byte, 1) < 0)
        exit(2);
}

static void say(int fd)
{
    if (write(fd, "x", 1) != 1)
        exit(2);
}

/* So many at once; then three that are killed. */
static void processes(long count)
{
    for (long i = 0; i < count; i++) {
        if (fork() == 0) {
            close(ends[1]);
            work();
            wait_for(ends[0]);
            _exit(0);
        }
    }
    close(ends[1]);
    while (wait(NULL) > 0)
        ;
    for (int i = 0; i < 3; i++) {
        if (fork() == 0) {
            calls(1000);
            kill(getpid(), SIGKILL);
        }
        wait(NULL);
    }
}

/* Two processes that call themselves 1, at the same time; each leaves with what only its
 * buffer has. */
static void namespaces(long times)
{
    for (int i = 0; i < 2; i++) {
        if (fork() != 0)
            continue;
        if (unshare(CLONE_NEWPID) != 0)
            exit(77);
        if (fork() == 0) {
            calls(times);
            usleep(300000 * (i + 1));
            calls(times);
            _exit(0);
        }
        wait(NULL);
        exit(0);
    }
    while (wait(NULL) > 0)
        ;
}

/* One that cannot see what others call it. */
static void hidden(long times)
{
    if (chroot(".") != 0 || unshare(CLONE_NEWPID) != 0)
        exit(77);
    if (fork() == 0) {
        calls(times);
        usleep(300000);
        calls(times);
        _exit(0);
    }
    wait(NULL);
}

static pthread_key_t key;

static void again(void *value)
{
    work();
    pthread_setspecific(key, value);
}

static void *short_thread(void *unused)
{
    pthread_setspecific(key, (void *)&n);
    return unused;
}

/* Their destructors run to the last round, behind the runtime's own. */
static void threads(long count)
{
    char line[256];
    long lines = 0;
    FILE *maps;
    pthread_t t;

    pthread_key_create(&key, again);
    for (long i = 0; i < count; i++) {
        if (pthread_create(&t, NULL, short_thread, NULL) != 0)
            exit(3);
        pthread_join(t, NULL);
    }
    maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps))
        lines++;
    printf("%ld\n", lines);
}

/* Forks, most of which fail: there may be no more processes of this user. */
static void refused(long times)
{
    struct rlimit none = {0, 1000}, some = {1000, 1000};

    if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        exit(2);
    for (long i = -1; i <= times; i++) {
        pid_t pid;

        setrlimit(RLIMIT_NPROC, i < 0 || i == times ? &some : &none);
        errno = ERANGE;
        pid = fork();
        if (pid == 0) {
            work();
            _exit(errno != ERANGE);
        }
        if (pid > 0 ? i >= 0 && i < times : errno != EAGAIN)
            exit(4);
        if (pid > 0 && errno != ERANGE)
            exit(5);
    }
    for (int status; wait(&status) > 0;)
        if (status != 0)
            exit(6);
}

static void *waiting_thread(void *unused)
{
    work();
    wait_for(ends[0]);
    return unused;
}

static void take_seats(long count)
{
    pthread_t t;

    for (long i = 0; i < count; i++)
        if (pthread_create(&t, NULL, waiting_thread, NULL) != 0)
            exit(3);
    usleep(300000);
    say(told[1]);
    pause();
}

static void take_two_seats(void)
{
    pthread_t t;

    work();
    say(told[1]);
    wait_for(go[0]);
    pthread_create(&t, NULL, waiting_thread, NULL);
    usleep(200000);
    kill(getpid(), SIGKILL);
}

/* One process has all but two seats, another the last one; the first ends, then the other wants
 * a second one, and is killed. */
static void seats(long count)
{
    pid_t many = fork(), last;

    if (many == 0)
        take_seats(count);
    wait_for(told[0]);
    last = fork();
    if (last == 0)
        take_two_seats();
    wait_for(told[0]);
    kill(many, SIGKILL);
    waitpid(many, NULL, 0);
    usleep(300000);
    say(go[1]);
    waitpid(last, NULL, 0);
}

/* The child fills its parent's buffers until it is killed. */
static void fill_by_vfork(long times)
{
    calls(10);
    if (vfork() == 0) {
        work();
        say(1);
        calls(times);
        _exit(0);
    }
}

static void vforked(long times)
{
    fill_by_vfork(times);
    wait(NULL);
    calls(100000);
    say(1);
}

/* Here the parent needs the lock before its child is dead enough to be waited for. */
static void unwaited(long times)
{
    fill_by_vfork(times);
    calls(100000);
    say(1);
    wait(NULL);
}

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*run)(long); } list[] = {
        {"processes", processes}, {"namespaces", namespaces}, {"threads", threads},
        {"seats", seats}, {"vforked", vforked}, {"unwaited", unwaited},
        {"refused", refused}, {"hidden", hidden}
    };

    if (argc != 3 || pipe(ends) != 0 || pipe(told) != 0 || pipe(go) != 0)
        return 2;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strcmp(argv[1], list[i].name) == 0)
            list[i].run(atol(argv[2]));
    return 0;
}
END_OF_C
ok 'a program is built' "$WPP_GCC" -O1 -Wall -Wextra -o crowds crowds.c

# complete NAME FILE...: all are whole
complete() {
    local name=$1

    shift
    ok "$name" wpp-check --strict "$@"
}

record() {
    rm -rf all.wpp*
    run timeout 60 wpp-record -q -o all.wpp "$@"
}

# Here too the recorder has no more: it cannot give itself what it may not have.
(ulimit -n 120 && record ./crowds processes 200)
is 'more processes than descriptors: a file of each' "$(ls all.wpp.d | wc -l)" 203
complete 'and all whole' all.wpp all.wpp.d/*
(ulimit -S -n 120 && record sh -c 'ulimit -n; ./crowds processes 150')
is 'the program has the limit that it was given' "$(cat "$T/out")" 120
is 'the recorder more' "$(ls all.wpp.d | wc -l)" 153

if unshare -p chroot / true 2> /dev/null; then
    record ./crowds namespaces 1000
    is 'other namespaces: the recorder ends with the program' $status 0
    is 'a file of each process' "$(ls all.wpp.d | tr '\n' ' ' | sed 's/[0-9]\{2,\}/N/g')" \
        'crowds.1.2.wpp crowds.1.wpp crowds.N.wpp crowds.N.wpp '
    complete 'and all whole' all.wpp all.wpp.d/*
    is 'with all that each has done' "$(for f in all.wpp.d/crowds.1.*; do
        wpp-info "$f" | sed -n 's/^calls *//p'; done | tr '\n' ' ')" '2,002 2,002 '
    record ./crowds hidden 1000
    complete 'without /proc: whole' all.wpp all.wpp.d/crowds.1.wpp
    is 'with all that it has done' "$status $(wpp-info all.wpp.d/crowds.1.wpp |
        sed -n 's/^calls *//p')" '0 2,002'
    record unshare -pf ./crowds processes 10
    is 'a program in another one: likewise' "$status $(ls all.wpp.d | wc -l)" '0 13'
    complete 'and all whole' all.wpp all.wpp.d/*
else
    skip 'this user may make no namespaces'
fi

record ./crowds threads 1000
is 'threads that end behind our destructor leave nothing' \
    "$(($(cat "$T/out") < 1000))" 1
complete 'but their events' all.wpp
WPP_OUT=own.trace ./crowds threads 1000 > "$T/out"
is 'likewise with a trace of its own' "$(($(cat "$T/out") < 1000))" 1

record ./crowds seats 1021
complete 'a seat that another has left is taken' all.wpp all.wpp.d/*

chmod 755 .             # the program becomes somebody else
run wpp-record -q --trace=all.trace -o all.wpp ./crowds refused 100
is 'forks that fail: errno is as it should be' $status 0
is 'and the trace gives them no child of another one' \
    "$("$BUILD/test/read-trace" all.trace | grep -c '^FORK .*child=[1-9]')" 2
complete 'whose children are whole' all.wpp all.wpp.d/*

# A process's parent cannot wait for it while another process traces it, though it is dead.
cat > hold.c << 'END_OF_C'
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc != 2 || ptrace(PTRACE_SEIZE, atoi(argv[1]), 0, 0) != 0)
        return 1;
    puts("holds");
    fflush(stdout);
    sleep(2);
    return 0;
}
END_OF_C
ok 'a tracer is built' "$WPP_GCC" -Wall -Wextra -o hold hold.c

# killed MODE [HOLD]: the child waits for a recorder that is stopped, its parent for the child, which
# is killed.  HOLD keeps it undead.
killed() {
    local recorder program child i

    : > said
    wpp-record -q -o $1.wpp ./crowds $1 1000000000 > said &
    recorder=$!
    until [ -s said ]; do sleep 0.05; done
    program=$(cat /proc/$recorder/task/$recorder/children)
    program=${program% }
    child=$(cat /proc/$program/task/$program/children)
    kill -STOP $recorder
    sleep 0.5
    if [ $# = 2 ]; then
        "$2" $child > held &
        until [ -s held ] || ! kill -0 $!; do sleep 0.05; done
    fi
    kill -KILL $child
    kill -CONT $recorder
    for ((i = 0; i < 100; i++)); do
        [ "$(cat said)" != xx ] || break
        sleep 0.1
    done
    [ "$(cat said)" = xx ] || kill -KILL $program
    wait
}

killed vforked
is 'a process made by vfork is killed while it waits: its parent goes on' "$(cat said)" xx
complete 'and nothing is missing' vforked.wpp
killed unwaited
is 'its parent does not wait for it' "$(cat said)" xx
complete 'and nothing is missing' unwaited.wpp
killed unwaited ./hold
if [ -s held ]; then
    is 'nor can: the killed one is held' "$(cat said)" xx
    complete 'and nothing is missing' unwaited.wpp
else
    skip 'a process may not be traced'
fi

done_testing
