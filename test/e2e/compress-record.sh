#!/bin/bash
# SPDX-License-Identifier: MIT
# wpp-record: the program runs as it would alone, and its path is in a file, however it ends.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

cat > ends.c << 'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile long n;

static void work(void) { n++; }

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";

    for (int i = 0; i < 100000; i++)
        work();
    if (strcmp(how, "status") == 0)
        return 9;
    if (strcmp(how, "fault") == 0)
        raise(SIGSEGV);
    if (strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(how, "close") == 0)
        for (int fd = 3; fd < 100; fd++)
            close(fd);
    if (strcmp(how, "daemon") == 0 && fork() == 0) {
        execlp("sleep", "sleep", "30", (char *)0);
        _exit(1);
    }
    while (strcmp(how, "forever") == 0)
        work();
    if (strcmp(how, "handle") == 0) {
        sigset_t set;
        int got;

        sigemptyset(&set);
        sigaddset(&set, SIGINT);
        sigprocmask(SIG_BLOCK, &set, NULL);
        puts("ready");
        fflush(stdout);
        sigwait(&set, &got);
        puts("handled");
    }
    printf("%ld\n", n);
    return 0;
}
END
"$WPP_GCC" -O0 -g -o ends ends.c
gcc -o plain ends.c

# whole NAME FILE: main and its 100,000 calls are all there, and known to be all.
whole() {
    ok "$1" wpp-check --strict "$2"
    is 'with every call' "$(wpp-info "$2" | sed -n 's/^calls *//p')" 100,001
}

ok 'records' wpp-record ./ends
is 'standard output is the program'"'"'s' "$(cat "$T/out")" 100000
ok 'the file is PROGRAM.wpp' test -s ends.wpp
ok 'a valid, complete WPP' wpp-check --strict ends.wpp
like 'with the end of the run' "$(wpp-info ends.wpp)" 'complete +yes'
cp ends.wpp first.wpp
ok 'records again' wpp-record ./ends
same 'and keeps the former file' ends.wpp.old first.wpp

run wpp-record -o status.wpp ./ends status
is 'the exit status is the program'"'"'s' $status 9
run wpp-record -o fault.wpp ./ends fault
is '128 and the signal' $status 139
whole 'the path up to the signal is there' fault.wpp
run wpp-record -o kill.wpp ./ends kill
is 'killed' $status 137
whole 'the path up to there, too' kill.wpp
cat > early.c << 'END'
#include <signal.h>
#include <unistd.h>

__attribute__((no_wpp, constructor)) static void die(void) { kill(getpid(), SIGKILL); }

int main(void) { return 0; }
END
"$WPP_GCC" -O2 -o early early.c
run wpp-record -o early.wpp ./early
is 'killed before its first event' $status 137
ok 'that is all of it' wpp-check --strict early.wpp
ok 'a program that closes its descriptors' wpp-record -o close.wpp ./ends close
like 'is recorded to its end' "$(wpp-info close.wpp)" 'complete +yes'
ok 'a process left behind does not hold it up' timeout 20 wpp-record -o daemon.wpp ./ends daemon
like 'and the program is recorded' "$(wpp-info daemon.wpp)" 'complete +yes'

# ---- Signals ---------------------------------------------------------------------

wpp-record -o term.wpp ./ends forever 2> /dev/null &
sleep 0.5
kill -TERM $!
wait $!
is 'SIGTERM ends both' $? 143
ok 'and leaves a valid WPP' wpp-check --strict term.wpp
mkfifo talk
wpp-record -o int.wpp ./ends handle > talk 2> err &
recorder=$!
exec 7< talk
read -r line <&7
kill -INT $recorder
read -r line <&7
is 'a program that handles SIGINT goes on' "$line" handled
exec 7<&-
wait $recorder
is 'and ends when it likes' $? 0
ok 'with its whole path' wpp-check int.wpp

# What the program ignores from its beginning is what it would without us (but for the C library's
# own two signals, 32 and 33, which posix_spawn() leaves ignored).
cat > ignored.sh << 'END'
sed -nE 's/^(SigBlk|SigIgn).*(.{7})$/\1 \2/p' /proc/self/status
./ends
END
for ignored in '' PIPE HUP 'INT QUIT' 'TERM USR1'; do
    (trap '' $ignored 2> /dev/null; sh ignored.sh) > ignored 2>&1
    (trap '' $ignored 2> /dev/null; wpp-record -q -o ignored.wpp sh ignored.sh) > recorded 2>&1
    same "signals ignored: ${ignored:-none}" recorded ignored
done
(trap '' HUP; exec wpp-record -q -o hup.wpp ./ends forever 2> /dev/null) &
sleep 0.5
kill -HUP $!
sleep 0.2
kill -TERM $!
wait $!
is 'who is to ignore SIGHUP goes on' $? 143
(exec wpp-record -q -o hup.wpp ./ends forever 2> /dev/null) &
sleep 0.5
kill -HUP $!
wait $!
is 'who is not passes it on' $? 129

# ---- The raw trace ------------------------------------------------------------------

ok 'keeps the trace' wpp-record --trace=kept.trace -o kept.wpp ./ends
wpp-compress -o again.wpp kept.trace
same 'from which the same WPP can be made' again.wpp kept.wpp
run wpp-record --trace=/dev/full -o full.wpp ./ends
is 'a trace that cannot be kept is an error' $status 1
ok 'but the WPP is made' wpp-check full.wpp
"$BUILD/test/read-tokens" kept.trace > tokens
wpp-dump --tokens kept.wpp > expanded
same 'the WPP has the tokens of the trace' expanded tokens

# ---- Waiting -----------------------------------------------------------------------

# More than there is room for while the recorder is stopped.
cat > fast.c << 'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    unsigned long x = 88172645463325252u, sum = 0;
    char command[99];

    sprintf(command, "kill -STOP %d; { sleep 1; kill -CONT %d; } &", getppid(), getppid());
    if (argc > 1 && system(command) != 0)
        return 1;
    for (long i = 0; i < 3000000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        for (unsigned n = x & 3; n > 0; n--)
            sum += x & 16 ? n : 1;
    }
    if (argc > 2)
        raise(SIGKILL);
    return argv == 0 && sum;
}
END
ok 'a program that is too fast' "$WPP_GCC" -O2 -fno-tree-vectorize fast.c -o fast
for how in '' killed; do
    run wpp-record --trace=fast.trace -o fast.wpp ./fast stopping $how
    like "how long it waited is in the file ${how:+when it was killed}" "$(wpp-info fast.wpp)" \
        '^waited +[0-9]+\.[0-9]+ s for its recorder$'
    like 'and as a number' "$(wpp-info --format=json fast.wpp)" '"waited_nanoseconds":[1-9][0-9]*,'
    wpp-compress -f -o again.wpp fast.trace
    same 'and in the trace' again.wpp fast.wpp
done
# Whether there is room for all of it, or for nothing.
wpp-record --spool=1G -o roomy.wpp ./fast
wpp-record --spool=0 -o narrow.wpp ./fast
wpp-dump --tokens roomy.wpp > tokens
wpp-dump --tokens narrow.wpp > expanded
same 'the spool changes nothing in the path' tokens expanded
is 'one that waits for nobody does not say so' "$(wpp-info --format=json kept.wpp |
    grep -o '"waited_nanoseconds":0,')" '"waited_nanoseconds":0,'
mkfifo slow
(sleep 0.5; wpp-compress -f -o slow.wpp -) < slow &
WPP_OUT=slow ok 'one with a slow reader' ./fast
wait $!
like 'says so too' "$(wpp-info --format=json slow.wpp)" '"waited_nanoseconds":[1-9][0-9]{8,},'

# ---- What cannot be recorded ------------------------------------------------------------

fails 'a program that is not instrumented' wpp-record ./plain
like 'is told how to become so' "$(cat "$T/err")" 'wpp-gcc'
absent 'without a file' plain.wpp
run wpp-record ./plain status
is 'its status is kept' $status 9
fails_with 127 'no such program' wpp-record ./nosuch
fails_with 126 'no program' wpp-record ./ends.c
absent 'no file either' nosuch.wpp
fails_with 2 'nothing to record' wpp-record
fails_with 1 'a directory that is not there' wpp-record -o nosuch/x.wpp ./ends
is 'no temporary files are left' "$(find . -name '.*.tmp')" ''
ok 'writes to /dev/null' wpp-record -o /dev/null ./ends
ok 'which stays a device' test -c /dev/null
run wpp-record -- ./ends status
is 'the program'"'"'s options are its own' $status 9
ok 'through the dispatcher' wpp record -o d.wpp ./ends
fails_with 2 'an unknown command' wpp nosuch
done_testing
