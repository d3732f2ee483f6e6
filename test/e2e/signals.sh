#!/bin/bash
# SPDX-License-Identifier: MIT
# Traced signal handlers: no event of the handler or of the interrupted code is lost, at any
# point of interruption.
. "$(dirname "$0")/lib.sh"
SRC=$ROOT/test/e2e/signals

# Each `MARK count` that the program printed, against the line counts of its WPP.
counts_of() {
    local mark count line

    wpp-dump --line-counts "$1" > "$T/counts"
    while read -r mark count; do
        line=$(grep -n "/\* $mark \*/" "$2" | cut -d: -f1)
        awk -v line="${2##*/}:$line" -v mark="$mark" \
            '{ sub(/^.*\//, "", $1) } $1 == line { print mark, $2 }' "$T/counts"
    done < "$3"
}

for level in -O0 -O1 -O2 -Os; do
    ok "$level: builds" "$WPP_GCC" $level -g -o "$T/handler" "$SRC/handler.c" || continue
    WPP_OUT=$T/trace ok "$level: runs" "$T/handler"
    cp "$T/out" "$T/want"
    ok "$level: compresses" wpp-compress -f -o "$T/handler.wpp" "$T/trace"
    ok "$level: is sound" wpp-check "$T/handler.wpp"
    is "$level: every line of handler and interrupted code" \
        "$(counts_of "$T/handler.wpp" "$SRC/handler.c" "$T/want")" "$(cat "$T/want")"
done

# Handlers within each other: one that jumps out, and one without a chunk of its own.
for level in -O0 -O2; do
    ok "$level: nested handlers are built" "$WPP_GCC" $level -g -o "$T/nested" "$SRC/nested.c"
    for how in escape memory; do
        WPP_OUT=$T/trace ok "$level: $how: runs" "$T/nested" $how
        cp "$T/out" "$T/want"
        ok "$level: $how: compresses" wpp-compress -f -o "$T/nested.wpp" "$T/trace"
        is "$level: $how: every line" \
            "$(counts_of "$T/nested.wpp" "$SRC/nested.c" "$T/want")" "$(cat "$T/want")"
    done

    ok "$level: a handler that forks is built" "$WPP_GCC" $level -g -o "$T/fork" "$SRC/fork.c"
    wrong=0
    for n in 1 2 3 4 5 6 7 8; do
        mkdir "$T/forks"
        WPP_OUT=$T/forks/%p run "$T/fork"
        while read -r pid after; do
            wpp-compress -f -o "$T/fork.wpp" "$T/forks/$pid"
            echo "TURN $after" > "$T/want"
            read -r _ got < <(counts_of "$T/fork.wpp" "$SRC/fork.c" "$T/want")
            # The child has, besides, what is left of the call that was interrupted.
            [ "$after" -le "${got:-0}" ] && [ "${got:-0}" -le $((after + 8)) ] || wrong=$((wrong + 1))
        done < "$T/out"
        [ "$(wc -l < "$T/out")" = 2 ] || wrong=$((wrong + 1))
        rm -r "$T/forks"
    done
    is "$level: parent and child have everything" $wrong 0

    ok "$level: threads whose handlers jump are built" \
        "$WPP_GCC" $level -g -o "$T/threads" "$SRC/threads.c"
    WPP_OUT=$T/trace ok "$level: they run" "$T/threads"
    cp "$T/out" "$T/want"
    ok "$level: they compress" wpp-compress -f -o "$T/threads.wpp" "$T/trace"
    is "$level: every line of them" \
        "$(counts_of "$T/threads.wpp" "$SRC/threads.c" "$T/want")" "$(cat "$T/want")"
    "$BUILD/test/read-trace" "$T/trace" > "$T/list"
    is "$level: each of them has its end" "$(grep -c '^THREAD_END' "$T/list")" 100
    buffers=$(grep -c '^BUFFER' "$T/list")
    [ "$buffers" -le 8 ] && pass "$level: they take over each other's memory" ||
        fail "$level: they take over each other's memory" "$buffers buffers"
done

# A handler that never returns.
cat > "$T/die.c" <<'END'
#include <signal.h>
#include <stdlib.h>
static volatile int n, turns = 3;
__attribute__((noreturn)) void die(int signal)
{
    while (turns-- > 0)
        n++;                                        /* DIES */
    exit(n + signal - signal);
}
int main(void)
{
    signal(SIGUSR1, die);
    raise(SIGUSR1);
    return 1;
}
END
echo 'DIES 3' > "$T/want"
for level in -O0 -O2; do
    ok "$level: a handler that exits is built" \
        "$WPP_GCC" $level -fchecking -g -o "$T/die" "$T/die.c"
    WPP_OUT=$T/trace run "$T/die"
    is "$level: it exits" "$status" 3
    ok "$level: compresses" wpp-compress -f -o "$T/die.wpp" "$T/trace"
    is "$level: its lines are there" "$(counts_of "$T/die.wpp" "$T/die.c" "$T/want")" 'DIES 3'
done

# Handlers that are left by a jump again and again, at every depth of both stacks.
cat > "$T/jumps.c" <<'END'
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
static sigjmp_buf home;
static volatile int n;
void on_usr1(int signal)
{
    n++;                                            /* HANDLES */
    siglongjmp(home, signal);
}
static void on_usr2(int signal)
{
    n++;                                            /* RETURNS */
    if (n % 7 == 0)
        raise(SIGUSR1);
    n += signal - signal;
}
__attribute__((noinline)) static void down(int depth)
{
    if (depth > 0)
        down(depth - 1);
    else
        raise(n % 3 ? SIGUSR1 : SIGUSR2);
    n++;                                            /* BACK */
}
int main(void)
{
    struct sigaction action = {.sa_flags = SA_NODEFER | SA_ONSTACK};
    stack_t other = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};

    sigaltstack(&other, NULL);
    action.sa_handler = on_usr1;
    sigaction(SIGUSR1, &action, NULL);
    action.sa_flags = SA_NODEFER;
    action.sa_handler = on_usr2;
    sigaction(SIGUSR2, &action, NULL);
    for (volatile int i = 0; i < 2000; i++)
        if (sigsetjmp(home, 1) == 0)
            down(i * 7919 % 50);
    return 0;
}
END
# What it does, by hand: n counts each of the marks.
awk 'BEGIN {
    for (i = 0; i < 2000; i++) {
        if (n % 3) { n++; handles++; continue }
        n++; returns++
        if (n % 7 == 0) { n++; handles++; continue }
        n += i * 7919 % 50 + 1; back += i * 7919 % 50 + 1
    }
    print "HANDLES", handles; print "RETURNS", returns; print "BACK", back
}' > "$T/want"
for level in -O0 -O2; do
    ok "$level: a program that jumps out of handlers is built" \
        "$WPP_GCC" $level -g -o "$T/jumps" "$T/jumps.c"
    WPP_OUT=$T/trace ok "$level: it runs" "$T/jumps"
    ok "$level: it compresses" wpp-compress -f -o "$T/jumps.wpp" "$T/trace"
    is "$level: every line of it" "$(counts_of "$T/jumps.wpp" "$T/jumps.c" "$T/want")" "$(cat "$T/want")"
    buffers=$("$BUILD/test/read-trace" "$T/trace" | grep -c '^BUFFER')
    [ "$buffers" -le 70 ] && pass "$level: handlers that were left give their memory back" ||
        fail "$level: handlers that were left give their memory back" "$buffers buffers"
done
done_testing
