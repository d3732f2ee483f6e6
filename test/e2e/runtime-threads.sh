#!/bin/bash
# SPDX-License-Identifier: MIT
# Threads of every kind: each has its stream, complete and in order, in a file and under
# wpp-record.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/tracer/harness.sh"

compile -o "$T/expect" "$SRC/expect.c"
compile -o "$T/dynamic" "$SRC/scenarios.c" "$RT/libwpp-rt.a" $EXPORT
RECORD=(wpp-record -q "--trace=$T/trace" -o "$T/none.wpp")

# recorded NAME LINE...: the trace is complete and holds these streams
recorded() {
    local name=$1

    shift
    want "$@"
    streams "$T/trace"
    is "$name" "$status $complete $got" "7 0 $wanted"
}

short=("$(expect dynamic 0:0:5:$BASE)")
for k in $(seq 1000); do
    short+=("$(expect t$k $k:0:10:$BASE)")
done
many=("$(expect dynamic 0:0:20:$BASE)")
for k in $(seq 64); do
    many+=("$(expect t$k $k:0:$((k * 100)):$BASE)")
done

for where in file recorder; do
    case $where in
    file)     with=(env "WPP_OUT=$T/trace") ;;
    recorder) with=("${RECORD[@]}") ;;
    esac
    run "${with[@]}" "$T/dynamic" short 1000
    recorded "$where: a thousand short threads, half of them detached" "${short[@]}"
    buffers=$("$READ" "$T/trace" | grep -c '^BUFFER')
    [ "$buffers" -le 64 ] && pass "$where: they take over each other's memory" ||
        fail "$where: they take over each other's memory" "$buffers buffers"
    run "${with[@]}" "$T/dynamic" threads 64 64
    recorded "$where: 64 at once" "${many[@]}"
    run "${with[@]}" "$T/dynamic" alive
    recorded "$where: alive when the program ends" "$(expect dynamic 0:0:5:$BASE)" \
        "$(expect t200 200:0:20000:$BASE)" "$(expect t400 400:0:40000:$BASE)" \
        "$(expect t600 600:0:60000:$BASE)"
    run "${with[@]}" "$T/dynamic" destructors
    recorded "$where: events in thread-specific destructors" "$(expect t1 1:0:130:$BASE)"

    begin "${with[@]}" "$T/dynamic" cancelled "$T/counters" 8
    wait $job
    status=$?
    counted_right 1 2 3 4 5 6 7 8 && right=yes || right=no
    is "$where: eight threads cancelled wherever they were" "$status $right" '7 yes'
    # One that was cancelled before its first event has no stream.
    is "$where: each has its end" "$("$READ" "$T/trace" | grep -c '^THREAD_END')" \
        "$(grep -c '^t' <<< "$got")"
done

# Destructors of what is on a thread's stack run wherever it is cancelled.  The signal that does it
# often waits until the runtime lets signals through again, and unwinding begins in there.
cat > "$T/guards.cc" << 'END'
#include <pthread.h>
#include <unistd.h>

static int gone;
struct guard {
    ~guard() { __atomic_add_fetch(&gone, 1, __ATOMIC_SEQ_CST); }
};
static volatile int sum, once;

/* Calls something: the compiler drops destructors where nothing can be thrown. */
__attribute__((noinline)) static void spin(long k)
{
    for (;;) {
        if (once)
            pthread_testcancel();
        for (int i = 0; i < 100000; i++)
            sum += i & k ? 3 : 1;
        for (int i = 0; i < 100000; i++)
            sum -= i & k ? 1 : 2;
    }
}

static void *body(void *k)
{
    guard here;

    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    spin((long)k);
    return NULL;
}

int main()
{
    pthread_t thread[8];

    for (int round = 0; round < 40; round++) {
        for (long k = 0; k < 8; k++)
            pthread_create(&thread[k], NULL, body, (void *)k);
        usleep(1000);
        for (int k = 0; k < 8; k++)
            pthread_cancel(thread[k]);
        for (int k = 0; k < 8; k++)
            pthread_join(thread[k], NULL);
    }
    return gone < 8 * 40 - 3;     /* one may be hit on its way into the runtime */
}
END
for how in -O0 -O1 -O2 '-O2 -fplugin-arg-wpp-inline=all' '-O2 -fPIC -pie'; do
    ok "guards $how" "$WPP_GXX" $how -pthread -o "$T/guards" "$T/guards.cc"
    ok "guards $how: all are gone" env "WPP_OUT=$T/trace" "$T/guards"
done

# Most threads are named when they already run.
cat > "$T/named.c" <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
static volatile int sum;
__attribute__((noipa)) static void work(int n) { for (int i = 0; i < n; i++) sum += i & 3; }
static void *body(void *name)
{
    work(10);
    if (name)
        pthread_setname_np(pthread_self(), name);
    work(40000);
    return NULL;
}
int main(void)
{
    static char *names[] = {"a", "rather-long-one", NULL};
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        if (pthread_create(&thread[i], NULL, body, names[i]) != 0 ||
            pthread_join(thread[i], NULL) != 0)
            return 1;
    return 0;
}
END
ok 'threads that name themselves' "$WPP_GCC" -O1 -pthread -o "$T/named" "$T/named.c"
for where in file recorder; do
    case $where in
    file)     ok "$where: run" env "WPP_OUT=$T/named.trace" "$T/named"
              ok "$where: made a WPP" wpp-compress -f -o "$T/named.wpp" "$T/named.trace" ;;
    recorder) ok "$where: run" wpp-record -q "--trace=$T/named.trace" -o "$T/named.wpp" "$T/named" ;;
    esac
    is "$where: go by the names that they had" \
        "$(wpp-info "$T/named.wpp" | sed -n 's/.*events, thread [0-9]* //p' | paste -sd' ')" \
        'named a rather-long-one named'
    is "$where: as the document has it" \
        "$("$READ" --streams "$T/named.trace" | cut -d' ' -f1 | paste -sd' ')" \
        'named a rather-long-one named'
done
done_testing
