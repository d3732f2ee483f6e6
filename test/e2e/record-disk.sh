#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 25
# wpp-record lets events wait on disk when its memory for them is full: nothing is lost, whether the
# program or the recorder is killed, and a disk that is full or fails is said.
# WPP_KILLS: the number of kills of each (3, with CHECK_ALL=yes 10).
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

# A twentieth of the file system stays free: without more than that there is no spool on disk.
if read -r size free < <(df --output=size,avail -k . | tail -n 1) &&
    [ "$free" -lt $((size / 20 + 500000)) ]; then
    skip 'too little of the disk is free'
    done_testing
fi

# Many events of random paths, which are compressed more slowly than they come.  `done` says how many
# there were.
cat > busy.c << 'END'
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
static volatile uint64_t sink;
__attribute__((no_wpp, noinline)) static volatile uint64_t *open_done(void)
{
    int fd = open("done", O_RDWR);

    return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}
int main(int argc, char **argv)
{
    volatile uint64_t *done = open_done();
    uint64_t x = 88172645463325252u, end = strtoull(argv[argc - 1], NULL, 10);

    for (uint64_t i = 1; i <= end; i++) {
        *done = i;
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        if (x & 1) sink += 1;
        if (x & 2) sink += 3;
        if (x & 4) sink += 5;
        if (x & 8) sink += 7;
        if (x & 16) sink += 9;
        if (x & 32) sink += 11;
        if (x & 64) sink += 13;
    }
    return 0;
}
END
# shot MILLISECONDS NAME COMMAND...: then kills the COMMAND, or its child if that has the NAME, and waits
# until all that have its standard error have ended.  Prints what `done` said just before.
cat > shot.c << 'END'
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
/* 0: it has ended. */
static pid_t victim(const char *name, pid_t parent)
{
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    char path[300], who[64], state;
    pid_t found = 0;
    int of;

    while (proc && !found && (entry = readdir(proc))) {
        FILE *f;

        snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        if (!(f = fopen(path, "r")))
            continue;
        if (fscanf(f, "%*d (%63[^)]) %c %d", who, &state, &of) == 3 && of == parent &&
            strcmp(who, name) == 0)
            found = atoi(entry->d_name);
        fclose(f);
    }
    if (proc)
        closedir(proc);
    return found;
}
int main(int argc, char **argv)
{
    unsigned long long done = 0;
    char text[4096];
    int ends[2];
    FILE *f;
    pid_t pid, victim_pid;

    if (argc < 4 || pipe(ends) != 0 || (pid = fork()) < 0)
        return 1;
    if (pid == 0) {
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        execvp(argv[3], argv + 3);
        _exit(127);
    }
    close(ends[1]);
    usleep((useconds_t)atoi(argv[1]) * 1000);
    victim_pid = strcmp(argv[2], "-") == 0 ? pid : victim(argv[2], pid);
    if ((f = fopen("done", "r")) && fread(&done, sizeof done, 1, f) == 1 && victim_pid)
        kill(victim_pid, SIGKILL);
    waitpid(pid, NULL, 0);
    for (ssize_t n; (n = read(ends[0], text, sizeof text)) > 0;)
        fwrite(text, 1, (size_t)n, stderr);
    printf("%llu\n", done);
    return 0;
}
END
ok 'a program is built' "$WPP_GCC" -O1 -g busy.c -o busy
ok 'and a gun' gcc -O2 -Wall -Wextra shot.c -o shot
events=8000000 spool=16M
[ "$CONFIG" != hostile ] || events=1000000 spool=600k
head -c 4096 /dev/zero > done

# disk PID: the bytes of its nameless file
disk() {
    local fd

    for fd in /proc/"$1"/fd/*; do
        case $(readlink "$fd") in
        */spool/*deleted*) stat -L -c '%b' "$fd" 2> /dev/null; echo "$fd" > "$T/nameless" ;;
        esac
    done | awk '{ n += 512 * $1 } END { print n + 0 }'
}

# ---- A whole run ------------------------------------------------------------------------

ok 'a run that waits in memory' wpp-record -q --spool=1G --spool-disk=0 -o whole.wpp ./busy $events
wpp-dump --tokens whole.wpp > whole
mkdir spool
wpp-record -q --spool=$spool --spool-dir=spool -o some.wpp ./busy $events 2> err &
recorder=$!
most=0
while kill -0 $recorder 2> /dev/null; do
    now=$(disk $recorder)
    [ "$now" -le $most ] || most=$now
    sleep 0.02
done
wait $recorder
is 'a run that waits on disk, too' "$? $(cat err)" '0 '
[ $most -ge 4000000 ] || [ "$CONFIG" = hostile ] && pass "$most bytes waited there" ||
    fail 'much waits there' "$most bytes"
wpp-dump --tokens some.wpp > some
same 'its events are the same' whole some
is 'nothing stays in the folder' "$(ls -A spool)" ''

ok 'without a disk, the program waits' wpp-record -q --spool=$spool --spool-disk=0 -o some.wpp ./busy $events
wpp-dump --tokens some.wpp > some
same 'and nothing is lost' whole some

# ---- Kills --------------------------------------------------------------------------------

# judge LEAST: what is wrong with shot.wpp, if anything: it has so many events, the first ones.
judge() {
    local n

    [ -f shot.wpp ] || { echo "there is no file, of $1 events"; return; }
    wpp-check --strict shot.wpp > check 2>&1
    case $? in
    0) ;;
    3) grep -q 'undamaged, but' check || { echo "wpp-check: $(cat check)"; return; } ;;
    *) echo "wpp-check: $(cat check)"; return ;;
    esac
    wpp-dump --tokens shot.wpp > some 2> /dev/null
    n=$(($(stat -c %s some) / 4))
    [ "$n" -ge "$1" ] || echo "it has $n events, not $1"
    cmp some whole 2>&1 | grep -q 'differ' && echo 'it is no prefix'
}

# What a killed recorder may not have taken: the slots of its memory, and a thread's chunk.
slots=$((129 * 16368))
kills=3
! check_all || kills=10
kills=${WPP_KILLS:-$kills}
for victim in wpp-record busy; do
    # A fork in the middle of the sanitizer's malloc() waits for its lock for ever.
    case $CONFIG,$victim in
    asan,wpp-record | hostile,wpp-record)
        skip 'a keeper with the address sanitizer'
        continue ;;
    esac
    right=0
    for ((i = 0; i < kills; i++)); do
        rm -f shot.wpp*
        head -c 4096 /dev/zero > done
        ms=$((RANDOM % 600 + 60))
        [ $victim = busy ] && of=busy lacks=2 || of=- lacks=$slots
        n=$(WPP_OPTIONS=gone=stop ./shot $ms $of wpp-record -q --spool=$spool --spool-dir=spool \
            -o shot.wpp ./busy $events 2> err)
        least=$((n - lacks))
        wrong=$(judge $((least > 0 ? least : 0)))
        [ -z "$wrong" ] && right=$((right + 1)) || echo "# $victim killed after $ms ms: $wrong; $(cat err)"
    done
    is "$victim killed $kills times: the first events, as many as there were" $right $kills
    until ! pgrep -f 'shot.wpp ./busy' > /dev/null; do sleep 0.1; done
done
is 'nothing stays in the folder' "$(ls -A spool)" ''

# ---- A disk that takes nothing ---------------------------------------------------------------

fails_with 1 'a folder that takes no files' wpp-record --spool-dir=/proc -o no.wpp ./busy 1
like 'is said' "$(cat "$T/err")" '^wpp-record: --spool-dir: cannot make a file in /proc: '
absent 'before anything is done' no.wpp
fails_with 2 'no size' wpp-record --spool-disk=much ./busy 1

run wpp-record --spool=$spool --spool-disk=300k --spool-dir=spool -o some.wpp ./busy $events 2> err
[ "$CONFIG" = hostile ] || like 'a file that may not grow is said once' "$(grep -c 'can wait' err) $(cat err)" \
    '^1 wpp-record: no more events can wait on disk \(--spool-disk\); ./busy waits'
wpp-dump --tokens some.wpp > some
same 'and nothing is lost' whole some

if [ "$(id -u)" = 0 ] && mkdir small && mount -t tmpfs -o size=6m tmpfs small 2> /dev/null; then
    wpp-record --spool=$spool --spool-dir=small -o some.wpp ./busy $events 2> err
    [ "$CONFIG" = hostile ] || like 'a full disk is said once' "$(grep -c 'can wait' err) $(cat err)" \
        '^1 wpp-record: no more events can wait on disk \(No space left on device\); ./busy waits'
    umount small
    wpp-dump --tokens some.wpp > some
    same 'and nothing is lost' whole some
else
    skip 'a full disk: cannot mount a small tmpfs here'
fi

# ---- A disk that fails -------------------------------------------------------------------------

wpp-record --spool=$spool --spool-dir=spool -o shot.wpp ./busy $events 2> err &
recorder=$!
until [ "$(disk $recorder)" -gt 0 ] || ! kill -0 $recorder 2> /dev/null; do sleep 0.01; done
: > "$(cat nameless)"
wait $recorder
is 'a file whose contents are gone: the status' $? 1
like 'it is said, with the events that are left' "$(cat err)" \
    '^wpp-record: events that waited on disk could not be read back \((No data available|Bad message)\): shot.wpp has the first [0-9,]+ of [0-9,]+ events$'
is 'these are right' "$(judge 50000)" ''
like 'and the file says why' "$(wpp-info shot.wpp)" \
    'complete +no: events that waited on disk could not be read back'
done_testing
