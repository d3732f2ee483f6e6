#!/bin/bash
# SPDX-License-Identifier: MIT
# A program that forbids itself system calls is recorded to its end if it allows the calls
# listed in docs/trace-format.md; each other call would kill it.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

cat > prog.c << 'END'
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#define NO_WPP __attribute__((no_wpp, noinline))

static volatile unsigned sink;
__attribute__((noipa)) static void step(unsigned i)
{
    sink += i;
}
static void work(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        step(i);
}
static void *thread(void *unused)
{
    work(100000);
    return unused;
}
static void handler(int signal)
{
    work((unsigned)signal);
}

/* The numbers are the arguments. */
NO_WPP static void forbid(char **allowed, int n)
{
    struct sock_filter filter[256] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
    };
    struct sock_fprog program = {.filter = filter};
    int at = 1;

    for (int i = 0; i < n; i++) {
        filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                    (unsigned)atoi(allowed[i]), 0, 1);
        filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    program.len = (unsigned short)at;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(77);
}

int main(int argc, char **argv)
{
    pthread_t other;
    int status;

    work(10);
    if (signal(SIGUSR1, handler) == SIG_ERR)
        return 1;
    forbid(argv + 2, argc - 2);
    work(100000);
    if (strcmp(argv[1], "thread") == 0) {
        if (pthread_create(&other, NULL, thread, NULL) != 0 || pthread_join(other, NULL) != 0)
            return 2;
    } else if (strcmp(argv[1], "handler") == 0) {
        raise(SIGUSR1);
        raise(SIGUSR1);
    } else if (strcmp(argv[1], "fork") == 0) {
        if (fork() == 0) {
            work(100000);
            exit(0);
        }
        if (wait(&status) < 0 || status != 0)
            return 3;
    }
    work(100000);
    return 0;
}
END
ok 'a program is built' "$WPP_GCC" -O1 -pthread -o prog prog.c
ok 'and one without wpp' gcc -O1 -Wno-attributes -pthread -o plain prog.c

# number NAME...: of system calls
number() {
    printf '#include <sys/syscall.h>\n'
    printf 'SYS_%s\n' "$@"
}
numbers() {
    number "$@" | gcc -E -P - | tr '\n' ' '
}
# listed ROW: the system calls that the document names for it
listed() {
    local names

    names=$(grep -F "| $1 |" "$ROOT/docs/trace-format.md" | cut -d '|' -f 3)
    [ "$names" ] || echo "no row: $1" >&2
    echo "$names"
}
# What the program and libc need themselves.
own_none='exit_group'
own_thread='rt_sigaction getrandom exit_group clone3 clone mmap mprotect munmap brk rseq
            set_robust_list exit madvise futex rt_sigprocmask'
own_handler='exit_group rt_sigprocmask getpid gettid tgkill rt_sigreturn'
own_fork='exit_group clone wait4 set_robust_list rseq'

records=$(listed records)
begins=$(listed 'begins or ends a thread, or calls a traced signal handler, under a recorder')
begins_file=$(listed 'the same, with a file')
file=$(listed 'writes its own file')
fifo=$(listed 'writes to a FIFO')
child=$(listed 'forks, and in the child, under a recorder')

# allowed CASE NAME...: the numbers of what may be called
allowed() {
    local own=own_$1

    shift
    numbers ${!own} "$@"
}
./plain none $(allowed none)
status=$?
if [ $status = 77 ]; then
    skip 'there is no seccomp here'
    done_testing
fi
is 'without wpp it runs' $status 0
run ./plain thread $(allowed none)
is 'and is ended by another system call' "$status" 159

for case in none thread handler fork; do
    begin=
    case $case in
    thread|handler) begin="$begins" ;;
    fork)           begin="$child" ;;
    esac
    run wpp-record -q -o $case.wpp ./prog $case $(allowed $case $records $begin)
    is "under a recorder: $case" "$status $(cat "$T/err")" '0 '
    ok 'and all is recorded' wpp-check --strict $case.wpp
done
ok 'also in the child' wpp-check --strict fork.wpp.d/*.wpp
for case in none thread handler; do
    begin=
    [ $case = none ] || begin="$begins_file"
    rm -f trace
    WPP_OUT=trace run ./prog $case $(allowed $case $records $file $begin)
    is "into a file: $case" "$status $(cat "$T/err")" '0 '
    ok 'and all is recorded' wpp-compress -f -o file.wpp trace
    ok 'to the end' wpp-check --strict file.wpp
done
mkfifo pipe
wpp-compress -f -o fifo.wpp pipe &
WPP_OUT=pipe run ./prog none $(allowed none $records $fifo)
wait $!
is 'into a FIFO' "$? $status $(cat "$T/err")" '0 0 '
ok 'and all is recorded' wpp-check --strict fifo.wpp

# The list is no longer than it must be: without one of them that happens the program ends.
for name in rt_sigprocmask clock_gettime; do
    run ./plain none $(allowed none)
    run wpp-record -q -o less.wpp ./prog none $(allowed none ${records/$name/})
    is "without $name it is ended" "$status" 159
    like 'but what it did is there' "$(wpp-check less.wpp 2>&1)" 'less.wpp: (fine|undamaged)'
done
done_testing
