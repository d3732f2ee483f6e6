# SPDX-License-Identifier: MIT
# wpp-check: correct files pass; files with an error that checksums cannot find do not.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

cat > prog.c <<'END_C'
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) { return fib(15) == 3; }
END_C
"$WPP_GCC" -O2 -g prog.c -o prog && WPP_OUT=prog.trace ./prog && wpp-compress -o prog.wpp prog.trace
ok 'a sound file' wpp-check prog.wpp
like 'is said to be fine' "$(cat "$T/out")" '^prog.wpp: fine: [0-9]+ events in 1 thread, [0-9]+ rules, [0-9]+ paths of (1 routine|2 routines)$'
ok 'strictly too' wpp-check --strict prog.wpp
like 'with its activations' "$(cat "$T/out")" '; [0-9]+ activations, [0-9]+ returned, 0 unwound, 0 open at the end'
ok 'quietly' wpp-check -q -s prog.wpp
is 'is nothing said' "$(cat "$T/out" "$T/err")" ''
ok 'from standard input' sh -c 'wpp-check - < prog.wpp'

printf '\1\0\0\0' | wpp-compress --symbols -o one.wpp -
is 'one of each' "$(wpp-check one.wpp)" 'one.wpp: fine: 1 event in 1 thread, 0 rules, 1 path of 0 routines'

# A cut run is a sound file that holds an incomplete run.
head -c $(($(stat -c %s prog.trace) / 2)) prog.trace > cut.trace
wpp-compress -o cut.wpp cut.trace 2> /dev/null
fails_with 3 'an incomplete run' wpp-check cut.wpp
like 'is no damage' "$(cat "$T/err")" 'undamaged, but'

# Each of several files is checked.
cp prog.wpp bad.wpp
size=$(stat -c %s bad.wpp)
printf 'not what was here' | dd of=bad.wpp bs=1 seek=$((size / 2)) conv=notrunc 2> /dev/null
run wpp-check bad.wpp
is 'changed bytes: status' $status 3
like 'what is damaged' "$(cat "$T/err")" '^wpp-check: bad.wpp: .* (is|are) damaged \(section [0-9]+ at byte [0-9]+\)$'
like 'what is intact' "$(cat "$T/out")" '^bad.wpp: intact: the summary of the run, '
run wpp-check -q bad.wpp
is 'quietly, only what is damaged' "$status $(wc -l < "$T/out")" '3 0'
wpp-check bad.wpp prog.wpp > out1 2> err1
is 'one bad of two: status' $? 3
is 'one bad of two: both are spoken of' "$(cut -d: -f1 out1 | paste -sd' ') $(cut -d: -f2 err1 | sort -u)" \
    'bad.wpp prog.wpp  bad.wpp'

# The same tokens in another order are a fine grammar, but no possible course.
# (--symbols keeps no routines: so the trace itself is changed.)
if command -v python3 > /dev/null; then
    cat > reorder.py <<'END_P'
import struct, sys
how, data = sys.argv[1], bytearray(open('prog.trace', 'rb').read())
at = 0
while at < len(data):
    kind, size = struct.unpack_from('<H', data, at + 6)[0], struct.unpack_from('<I', data, at + 8)[0]
    if kind == 5:
        n = size // 4
        words = list(struct.unpack_from('<%dI' % n, data, at + 64))
        if how == 'reversed':
            words.reverse()
        else:                      # all after the first few
            words = words[:9] + words[:8:-1]
        struct.pack_into('<%dI' % n, data, at + 64, *words)
    at += 64 + (size + 3) // 4 * 4
open(how + '.trace', 'wb').write(data)
END_P
    python3 reorder.py reversed
    python3 reorder.py turned
    wpp-compress -o reversed.wpp reversed.trace
    wpp-compress -o turned.wpp turned.trace
    ok 'an impossible course passes without --strict' wpp-check turned.wpp
    fails_with 3 'but not strictly' wpp-check --strict turned.wpp
    like 'with the event that is wrong' "$(cat "$T/err")" '^wpp-check: turned.wpp: event [0-9]+ of thread 0, path [0-9]+ of fib.* can follow no path before it: events are missing or out of order$'
    # This one begins in the middle of an activation, as a forked process does.
    fails_with 1 'one that may be the part of another does not pass' wpp-check --strict reversed.wpp
    like 'and is told from damage' "$(cat "$T/err")" 'undamaged, but .* or events are missing$'
else
    skip 'no python3 here to make an impossible course'
fi

# A sound program may have several stacks in a thread.
cat > spawn.c <<'END_C'
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static char stack[65536];
static int child(void *p)
{
    char *a[] = {"/bin/true", 0};
    (void)p;
    execv(a[0], a);
    _exit(1);
}
int main(void)
{
    int st, p = clone(child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, 0);
    waitpid(p, &st, 0);
    return st != 0;
}
END_C
cat > coroutines.c <<'END_C'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Stores the stack pointer in *from, goes on where the other stack has stopped. */
void jump(void **from, void *to);
__asm__(".text\njump:\n push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
        " mov %rsp, (%rdi)\n mov %rsi, %rsp\n"
        " pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n ret\n");

struct coroutine { void *at, *caller; _Alignas(16) char stack[32768]; };
static struct coroutine *current;
static int sum;

__attribute__((noinline)) static void yield(struct coroutine *c) { jump(&c->at, c->caller); }

__attribute__((noinline)) static void deep(struct coroutine *c, int n)
{
    if (n > 0)
        deep(c, n - 1);
    yield(c);
    sum += n;
}

static void body(void)
{
    struct coroutine *c = current;

    for (int i = 0;; i++)
        deep(c, i % 3);
}

__attribute__((noinline)) static void resume(struct coroutine *c)
{
    current = c;
    jump(&c->caller, c->at);
}

static struct coroutine *make(void)
{
    struct coroutine *c = calloc(1, sizeof *c);
    void **top = (void **)(c->stack + sizeof c->stack - 16);

    *--top = (void *)body;
    c->at = top - 6;
    return c;
}

int main(int argc, char **argv)
{
    struct coroutine *a = make(), *b = make();

    (void)argv;
    for (int i = 0; i < 20; i++)
        resume(i % 3 ? a : b);
    if (argc > 1 && fork() == 0)
        for (int i = 0; i < 20; i++)
            resume(i % 3 ? a : b);
    wait(NULL);
    return sum == 0;
}
END_C
for program in spawn coroutines; do
    "$WPP_GCC" -O1 $program.c -o $program
    wpp-record -q -o $program.wpp ./$program
    ok "$program: is sound" wpp-check $program.wpp
    fails_with 1 "$program: strictly, it is no damage" wpp-check --strict $program.wpp
    like "$program: but told" "$(cat "$T/err")" "$program.wpp: undamaged, but [0-9]+ times? a routine goes on before those it called have left, first in event [0-9]+ of thread 0, in [a-z]+: the program switches stacks, or events are missing$"
done
wpp-record -q -o forked.wpp ./coroutines fork
run wpp-check --strict forked.wpp.d/*
is 'coroutines that began before a fork are no damage in the child' $(($status < 2)) 1
fails_with 2 'no file' wpp-check
fails_with 1 'no such file' wpp-check none.wpp
fails 'no WPP' wpp-check prog.c
done_testing
