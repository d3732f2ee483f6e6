#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs with a limit of address space (ulimit -v): wpp-record's memory leaves them room.  If
# there is no room, a message says so.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

# Irregular paths, as many as it is told, in as many threads; then `end`.
cat > work.c << 'END'
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
static long n;
static pthread_barrier_t all;
static volatile uint64_t sink;
__attribute__((noipa)) static void step(uint64_t r)
{
    for (int i = 0; i < 4; i++)
        if (r >> i & 1)
            sink++;
        else
            sink += 2;
}
static void *work(void *p)
{
    uint64_t x = 88172645463325252u;

    for (long i = 0; i < n; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        step(x >> 20);
    }
    if (p)
        pthread_barrier_wait(&all);
    return p;
}
int main(int argc, char **argv)
{
    int threads = atoi(argv[2]), failed = 0;
    const char *end = argc > 3 ? argv[3] : "";
    struct rlimit late = { 64 << 20, 64 << 20 };
    pthread_attr_t attributes;
    pthread_t thread;

    n = atol(argv[1]);
    if (!strcmp(end, "late"))
        setrlimit(RLIMIT_AS, &late);
    if (!strcmp(end, "map"))
        system("grep memfd:wpp /proc/$PPID/maps");
    pthread_barrier_init(&all, 0, threads + 1);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 65536);
    for (int i = 0; i < threads; i++)
        failed += pthread_create(&thread, threads > 1 ? &attributes : 0, work, &all) != 0;
    work(0);
    for (int i = 0; !strcmp(end, "forks") && i < 3; i++)
        if (fork() == 0) {
            work(0);
            _exit(0);
        } else {
            wait(0);
        }
    if (threads > 0 && !failed)
        pthread_barrier_wait(&all);
    if (!strcmp(end, "kill"))
        kill(getpid(), SIGKILL);
    return failed;
}
END
ok 'a program' "$WPP_GCC" -O1 -pthread -o work work.c

# bytes FILE: of address space in the lines of maps that it holds
bytes() {
    local sum=0 range

    while read -r range _; do
        sum=$((sum + 0x${range#*-} - 0x${range%-*}))
    done < "$1"
    echo $sum
}

# under KB COMMAND...: recorded to a.wpp, the command alone with the limit
under() {
    rm -rf a.wpp*
    run wpp-record -q -o a.wpp sh -c 'ulimit -v $0; exec "$@"' "$@"
}

under unlimited ./work 10 0 map
ok "the recorder's memory takes $(bytes "$T/out") bytes" test "$(bytes "$T/out")" -lt $((10 << 20))
under 65536 ./work 10 0 map
ok "with a limit, $(bytes "$T/out")" test "$(bytes "$T/out")" -lt $((2 << 20))

under unlimited ./work 20 1 late
is 'a limit that comes late: a thread is made' "$status $(cat "$T/err")" '0 '
ok 'and all is recorded' wpp-check --strict a.wpp
for kb in 16000 65536 262000; do
    under $kb ./work 20 1
    is "$kb kB: a thread is made" "$status $(cat "$T/err")" '0 '
    ok "$kb kB: and all is recorded" wpp-check --strict a.wpp
done

# More than the slots that are left hold.
n=1000000
[ "$CONFIG" = hostile ] && n=50000
# Of both threads, whichever begins first.  The process may end before one has gone on behind the
# barrier.
both() {
    for k in 0 1; do
        wpp-dump --tokens --thread=$k a.wpp | head -c $((20 * n)) | cksum
    done | sort
}
under unlimited ./work $n 1
want=$(both)
under 65536 ./work $n 1
ok 'a long run in little room' wpp-check a.wpp
is 'is the same' "$(both)" "$want"
ok "which is much: $(wpp-info a.wpp | grep ^events)" test "${want##* }" = $((20 * n))

# Each thread has its own part of the memory: what is killed has all.
for kb in unlimited 131072; do
    under $kb ./work 100 150 kill
    is "$kb: killed" "$status $(cat "$T/err")" '137 '
    ok "$kb: all is there" wpp-check a.wpp
    is "$kb: in all threads" "$(wpp-info a.wpp | awk '$1 == "threads" { print $2 }')" 151
    is "$kb: the same in each of them but main's" "$(for ((k = 0; k < 151; k++)); do
            # Some have gone on behind the barrier.
            wpp-dump --tokens --thread=$k a.wpp | head -c 1600 | cksum
        done | sort | uniq -c | awk '{ print $1 }' | sort -n | tr '\n' ' ')" '1 150 '
    under $kb ./work 100 0 forks
    is "$kb: children" "$status $(cat "$T/err")" "0 "
    is "$kb: are whole" "$(for file in a.wpp.d/*; do
            wpp-check "$file" > /dev/null && wpp-dump --tokens "$file" | cksum
        done | sort | uniq -c | awk '{ print $1 }')" 3
done

# ---- No room ------------------------------------------------------------------------------------

for ((kb = 2000; kb < 6000; kb += 100)); do
    under $kb ./work 10 0
    grep -q '^wpp: ' "$T/err" && break
done
like "not even for a little ($kb kB): the limit is named" "$(cat "$T/err")" \
    "^wpp: an address space limit .ulimit -v. of $kb kB leaves no room for the recorder's memory; not recording"
cat > later.c << 'END'
#include <pthread.h>
#include <sys/resource.h>
static int f(int x) { return x + 1; }
static int (*volatile call)(int) = f;
static pthread_barrier_t limited;
static void *run(void *p)
{
    pthread_barrier_wait(&limited);
    return call(1) == 2 ? p : 0;
}
int main(void)
{
    struct rlimit none = { 0, 0 };
    pthread_t thread;
    void *result;

    pthread_barrier_init(&limited, 0, 2);
    if (pthread_create(&thread, 0, run, &none))
        return 3;
    setrlimit(RLIMIT_AS, &none);
    pthread_barrier_wait(&limited);
    pthread_join(thread, &result);
    return result != &none;
}
END
# Its first event comes behind the limit.
ok 'a program that needs no memory any more' "$WPP_GCC" -O1 -pthread -fplugin-arg-wpp-exclude=run -o later later.c
run wpp-record -q -o a.wpp ./later
is 'no room for a thread: it goes on, and that is said' "$status $(sed 's/[0-9][0-9]* events/N events/' "$T/err")" \
    "0 wpp: an address space limit (ulimit -v) of 0 kB leaves no room for a thread's events; they are lost
wpp-record: later: N events were lost when the trace was recorded"
like 'and counted' "$(wpp-info a.wpp)" '^lost +[0-9,]+ events$'

# Where its parent has its buffer, a child has what grows as a stack does.
cat > child.c << 'END'
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
static int f(int x) { return x + 1; }
static int (*volatile call)(int) = f;
int main(int argc, char **argv)
{
    struct rlimit limit = { strtoul(argv[2], 0, 0), RLIM_INFINITY };
    int status;
    pid_t child;

    call(argc);
    setrlimit(*argv[1] == 'v' ? RLIMIT_AS : RLIMIT_STACK, &limit);
    child = fork();
    if (child == 0)
        _exit(call(6));
    return waitpid(child, &status, 0) != child || status != 7 << 8;
}
END
ok 'a program that forks' "$WPP_GCC" -O1 -o child child.c
for limit in 'v 0' 's 65536' 's 16384'; do
    rm -rf a.wpp*
    run wpp-record -q -o a.wpp ./child $limit
    is "a limit (ulimit -$limit): a child lives" "$status" 0
    case $limit in
    v*) like 'what it loses is said' "$(cat "$T/err")" "leaves no room for a thread's events; they are lost" ;;
    *)  ok 'and nothing is lost' wpp-check a.wpp.d/* ;;
    esac
done

if [ "$CONFIG" = release ] || [ "$CONFIG" = debug ]; then
    refused 'no room for the recorder' 1 sh -c 'ulimit -v 65536; exec wpp-record -o a.wpp ./work 10 0'
    like 'the limit is named' "$(cat "$T/err")" \
        '^wpp-record: an address space limit .ulimit -v. of 65536 kB leaves no room for the 81 MB of memory'
else
    skip 'sanitizers need more room'
fi

done_testing
