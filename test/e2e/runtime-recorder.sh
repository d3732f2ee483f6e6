#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 40
# wpp-record is killed: its keeper writes a valid file with a prefix of the run that lacks no
# more than it may.  WPP_KILLS: the number of kills (3, with CHECK_ALL=yes 8).
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

# An event each microsecond or so, of an irregular path.  `progress` says what had been done
# by when: the start in milliseconds, then the number of events, by millisecond.
cat > work.c << 'END'
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
enum { MILLISECONDS = 1 << 20 };
static volatile uint64_t sink;
static int pace = 1200;
__attribute__((no_wpp, noinline)) static uint64_t milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}
__attribute__((no_wpp, noinline)) static void think(volatile uint64_t *progress, uint64_t i)
{
    for (int n = 0; n < pace; n++)
        sink += i;
    if (progress && milliseconds() - progress[0] < MILLISECONDS - 1)
        progress[1 + milliseconds() - progress[0]] = i;
}
__attribute__((no_wpp, noinline)) static volatile uint64_t *open_progress(bool quick)
{
    int fd = quick ? -1 : open("progress", O_RDWR);
    uint64_t *p;

    if (quick)
        pace = 0;
    if (fd < 0)
        return NULL;
    p = mmap(NULL, MILLISECONDS * sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    p[0] = milliseconds();
    return p;
}
int main(int argc, char **argv)
{
    volatile uint64_t *progress = open_progress(argc > 2);
    uint64_t x = 88172645463325252u, end = strtoull(argv[argc - 1], NULL, 10);

    for (uint64_t i = 1; i <= end; i++) {
        think(progress, i);
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        if (x & 3)
            sink++;
        else if (x & 4)
            sink += 2;
    }
    return 0;
}
END
# shot MILLISECONDS COMMAND...: kills it then; ends when whoever has its standard error has
# ended.  Prints the moment, in milliseconds.
cat > shot.c << 'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct timespec now;
    char text[4096];
    int ends[2];
    pid_t pid;

    if (argc < 3 || pipe(ends) != 0 || (pid = fork()) < 0)
        return 1;
    if (pid == 0) {
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    close(ends[1]);
    usleep((useconds_t)atoi(argv[1]) * 1000);
    clock_gettime(CLOCK_MONOTONIC, &now);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    for (ssize_t n; (n = read(ends[0], text, sizeof text)) > 0;)
        fwrite(text, 1, (size_t)n, stderr);
    printf("%lld\n", (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000);
    return 0;
}
END
ok 'a program is built' "$WPP_GCC" -O1 -g work.c -o work
ok 'and a gun' gcc -O2 -Wall -Wextra shot.c -o shot
rounds=5000000
! check_all && [ -z "${WPP_KILLS-}" ] || rounds=12000000
ok 'a run longer than any that is killed' wpp-record -q -o whole.wpp ./work quick $rounds
wpp-dump --tokens whole.wpp > whole

# done_by MILLISECOND: the events that the program had done at this moment
done_by() {
    local begun

    begun=$(od -An -tu8 -N 8 progress | tr -d ' ')
    [ "$1" -gt "$begun" ] || { echo 0; return; }
    od -An -v -tu8 -w8 -j 8 -N $((8 * ($1 - begun))) progress | sort -n | tail -n 1 | tr -d ' '
}

# judge MOMENT MILLISECONDS: what is wrong with the file, if anything: all that was done so long
# before is there, but for a thread's chunk.
judge() {
    local n want

    # The first keeper comes with the first record.
    [ -f shot.wpp ] || { [ "$(done_by $(($1 - 2000)))" = 0 ] || echo 'there is no file'; return; }
    wpp-check --strict shot.wpp > check 2>&1
    [ $? = 3 ] && grep -q 'undamaged, but' check || { echo "wpp-check: $(cat check)"; return; }
    wpp-dump --tokens shot.wpp > some 2> /dev/null
    n=$(($(stat -c %s some) / 4))
    want=$(($(done_by $(($1 - $2))) - 16368))
    [ "$n" -ge "$want" ] || echo "it has $n events, not $want"
    # A fast machine does more until then than the whole run was told to.
    cmp some whole 2>&1 | grep -q 'differ' && echo 'it is no prefix'
}

kills=3
! check_all || kills=8
kills=${WPP_KILLS:-$kills}
right=0
for ((i = 0; i < kills; i++)); do
    rm -f shot.wpp
    head -c 8388608 /dev/zero > progress
    ms=$((RANDOM % 2500 + 30))
    # Without a spool what has come is compressed soon, however busy the machine.
    case $((i % 2)) in
    0) spool=0 ;;
    1) spool=1G ;;
    esac
    [ $((i % 4)) != 3 ] || ms=$((RANDOM % 1000 + 6500))
    moment=$(WPP_OPTIONS=gone=stop ./shot $ms wpp-record -q --spool=$spool -o shot.wpp \
        ./work 1000000000 2> err)
    # What has come is taken every 20 ms, by a machine that has the time.
    wrong=$(judge "$moment" 1000)
    [ -z "$wrong" ] && right=$((right + 1)) || echo "# killed after $ms ms: $wrong; $(cat err)"
done
is "killed $kills times at random: a valid prefix, and not much is missing" $right $kills
like 'and that is said' "$(cat err)" '^wpp-record: killed; shot.wpp holds the events recorded until then$'

# Four processes that want all the time there is: whoever compresses has none, and the keeper is
# an old one; it has all the same what was taken since.
spinners=
for i in 1 2 3 4; do
    (while :; do :; done) &
    spinners="$spinners $!"
done
right=0
some_of 2000 -- 1000 4000
for ms in "${chosen[@]}"; do
    rm -f shot.wpp
    head -c 8388608 /dev/zero > progress
    moment=$(WPP_OPTIONS=gone=stop ./shot $ms wpp-record -q -o shot.wpp ./work 1000000000 2> err)
    wrong=$(judge "$moment" 1000)
    [ -z "$wrong" ] && right=$((right + 1)) || echo "# killed after $ms ms: $wrong; $(cat err)"
done
kill $spinners
wait $spinners 2> /dev/null
is 'killed on a busy machine: not much is missing' $right ${#chosen[@]}

# Whoever has a file already keeps it; the rest is in the folder.
cat > forks.c << 'END'
#include <sys/wait.h>
#include <unistd.h>
static volatile long n;
int main(void)
{
    for (int i = 0; i < 3; i++) {
        if (fork() == 0) {
            for (long k = 0; k < 1000; k++)
                n++;
            return 0;
        }
        wait(NULL);
    }
    for (;;) {
        n++;
        usleep(50);
    }
}
END
ok 'a program that forks' "$WPP_GCC" -O1 -g forks.c -o forks
# A busy machine may not come that far in the time.
for ms in 1500 6000 24000; do
    rm -rf shot.wpp shot.wpp.d
    WPP_OPTIONS=gone=stop ./shot $ms wpp-record -q -o shot.wpp ./forks > /dev/null 2> err
    [ "$(find shot.wpp.d -name '*.wpp' 2> /dev/null | wc -l)" -lt 3 ] || break
done
is 'its children have ended before' "$(ls shot.wpp.d/*.wpp | wc -l) $(ls -d shot.wpp.d.old 2> /dev/null)" '3 '
ok 'and are whole' wpp-check --strict shot.wpp.d/*.wpp
fails_with 3 'itself it is not' wpp-check --strict shot.wpp
like 'and says why' "$(wpp-info shot.wpp)" '^complete +no: its recorder was killed$'
is 'and nothing else is left' "$(find . -name '*.tmp' -o -name '*.old')" ''

# Killed while it writes the file: before it gets a name, before it gets its own, and right
# afterwards.
cat > killer.c << 'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
static void die(void)
{
    char name[32] = "";

    prctl(PR_GET_NAME, name);
    if (strcmp(name, "wpp-keeper") != 0)
        kill(getpid(), SIGKILL);
}
#ifdef BEFORE
int linkat(int from, const char *old, int to, const char *new, int flags)
{
    int (*real)(int, const char *, int, const char *, int) = dlsym(RTLD_NEXT, "linkat");

    die();
    return real(from, old, to, new, flags);
}
#elif defined BETWEEN
int rename(const char *old, const char *new)
{
    int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");

    die();
    return real(old, new);
}
#else
int rename(const char *old, const char *new)
{
    int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
    int result = real(old, new);

    if (result == 0)
        die();
    return result;
}
#endif
END
if [ "$CONFIG" = asan ] || [ "$CONFIG" = hostile ]; then
    skip "nothing can be loaded before the sanitizer's runtime"
else
    for when in BEFORE BETWEEN AFTER; do
        ok "what kills it $when" gcc -shared -fPIC -D$when -o killer.so killer.c -ldl
        rm -f killed.wpp
        # Its standard error lasts as long as the keeper.
        { LD_PRELOAD=$PWD/killer.so wpp-record -q -o killed.wpp ./work 300000; } 2>&1 | cat > err
        like "killed $when it names the file: that is one file" "$(wpp-check killed.wpp 2>&1)" \
            'killed.wpp: (fine|undamaged, but the run)'
        is "and is all of it" "$(wpp-dump --tokens killed.wpp | cmp - <(head -c 1200000 whole) 2>&1 | grep -c differ)" 0
        is "and nothing is beside it" "$(find . -name '*killed*' | wc -l)" 1
    done
fi

# Who does not want to wait for what is still to be compressed interrupts that.
cat > many.c << 'END'
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile uint64_t sink;
__attribute__((noipa)) static void child(void) { sink++; }
int main(int argc, char **argv)
{
    uint64_t x = 88172645463325252u;
    int n = argc > 1 ? atoi(argv[1]) : 60000000;

    /* Its 1000 calls and some events more are in a file of their own. */
    if (fork() == 0) {
        for (int i = 0; i < 1000; i++)
            child();
        return 0;
    }
    wait(NULL);
    for (int i = 0; i < n; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        if (x & 3)
            sink++;
        else if (x & 4)
            sink += 2;
    }
    return open("over", O_CREAT | O_WRONLY, 0666) < 0;
}
END
ok 'a fast program' "$WPP_GCC" -O1 -g many.c -o many
rm -f over
wpp-record -q --spool=1G -o many.wpp ./many 2> err &
recorder=$!
until [ -e over ] || ! kill -0 $recorder; do sleep 0.01; done
sleep 0.1
kill -INT $recorder
wait $recorder
is 'its status is the program'"'"'s' $? 0
like 'and it is said' "$(cat err)" '^wpp-record: interrupted: many.wpp has the first [0-9]{1,3}(,[0-9]{3})+ of 6[0-9](,[0-9]{3}){2} events; of the other processes ((1,|2,)[0-9]{3} of (1,|2,)[0-9]{3}|the first (1,|2,)[0-9]{3}) are kept$'
like 'the file is sound' "$(wpp-check many.wpp 2>&1)" '^wpp-check: many.wpp: undamaged, but'
like 'and says why' "$(wpp-info many.wpp)" '^complete +no: an interrupt left out events that waited to be compressed$'
is 'as many events as it says, without the other process'"'"'s' "$(wpp-info --format=json many.wpp | sed 's/.*"events":\([0-9]*\).*/\1/')" \
    "$(sed -n 's/.*first \([0-9,]*\) of.*/\1/p' err | tr -d ,)"

# Nor for --best, when all is compressed, which the line on a terminal tells.
n=3000000
[ "$CONFIG" != hostile ] || n=900000
if script -qec true /dev/null > /dev/null 2>&1 < /dev/null; then
    wpp-record -q -o plain.wpp ./many $n
    rm -f over
    script -qfec "echo \$\$ > pid; exec wpp-record --best -o best.wpp ./many $n" typescript \
        > /dev/null 2>&1 < /dev/null &
    terminal=$!
    until { [ -e over ] && tail -c 150 typescript | grep -aq ' 100 % in'; } || ! kill -0 $terminal; do
        sleep 0.05
    done
    sleep 0.1
    kill -INT "$(cat pid)"
    wait $terminal
    is 'an interrupt of --best' "$? $(grep -ao 'wpp-record: interrupted: [^.]*' typescript | tr -d '\r')" \
        '0 wpp-record: interrupted: all events are kept, in files that may be larger than --best makes them'
    ok 'the file is complete' wpp-check --strict best.wpp
    ok 'with all events' cmp <(wpp-dump --tokens plain.wpp) <(wpp-dump --tokens best.wpp)
    wpp-record -q --best -o smaller.wpp ./many $n
    ok 'and is larger than it might be' test "$(stat -c %s best.wpp)" -gt "$(stat -c %s smaller.wpp)"
else
    skip 'there is no terminal here: an interrupt of --best'
fi

# What threads of a process that left in a hurry had not handed over comes piece by piece.
cat > crowd.c << 'END'
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>
enum { THREADS = 200 };
static int done;
static volatile uint64_t sinks[THREADS];
static void *work(void *argument)
{
    uint64_t k = (uintptr_t)argument, x = 88172645463325252u + 7919 * k;

    for (int i = 0; i < 1200; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        for (int bit = 20; bit < 32; bit++)
            if (x >> bit & 1)
                sinks[k]++;
            else
                sinks[k] += 2;
    }
    __atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
    for (;;)
        pause();
    return NULL;
}
int main(void)
{
    pthread_attr_t small;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    for (uintptr_t k = 0; k < THREADS; k++) {
        pthread_t t;
        if (pthread_create(&t, &small, work, (void *)k) != 0)
            return 1;
    }
    while (__atomic_load_n(&done, __ATOMIC_SEQ_CST) < THREADS)
        usleep(1000);
    if (open("over", O_CREAT | O_WRONLY, 0666) < 0)
        return 1;
    _exit(0);
}
END
ok 'a program of many threads' "$WPP_GCC" -O1 -fno-unroll-loops crowd.c -o crowd -lpthread
wrong=
some_of 0.01 0.02 0.03 0.15 -- 0.04 0.055 0.08
for moment in "${chosen[@]}"; do
    rm -f over
    wpp-record -q -o cut.wpp ./crowd 2> err &
    recorder=$!
    until [ -e over ] || ! kill -0 $recorder; do sleep 0.001; done
    sleep $moment
    kill -INT $recorder 2> /dev/null
    wait $recorder
    [ -e cut.wpp ] || continue
    got=$(wpp-info cut.wpp | sed -n 's/^events *//p')
    wpp-check --strict cut.wpp > /dev/null 2>&1
    checked=$?
    whole=$((${got//,/} >= 200 * 1200 * 12))
    case $whole:$checked in
    1:0) ;;
    *:3) grep -q "^wpp-record: interrupted: cut.wpp has the first $got " err || wrong="$moment: $(cat err)" ;;
    *) wrong="$moment: $got events, status $checked" ;;
    esac
done
is 'interrupted at any time: what is missing is known and said' "$wrong" ''

# The terminal is the program's while it runs.
cat > prompt.c << 'END'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    volatile int sum = 0;

    printf("Your name> ");
    fflush(stdout);
    for (int k = 0; k < 15; k++) {
        for (int i = 0; i < 1000; i++)
            sum += i % 3;
        usleep(50000);
    }
    printf("and more");
    return 0;
}
END
ok 'a program that prompts' "$WPP_GCC" -O1 prompt.c -o prompt
if script -qec true /dev/null > /dev/null 2>&1 < /dev/null; then
    # on_terminal COMMAND [COLUMNS]: what it writes to the terminal, 80 columns wide
    on_terminal() {
        script -qfec "stty cols ${2-80}; $1" typescript < /dev/null > /dev/null 2>&1
        tr '\r' '@' < typescript
    }
    # screen COLUMNS: what is seen of that at last.  A full line is left when there is more to come.
    screen() {
        tail -n +2 typescript | awk -v width=$1 '
            function put(c) {
                if (x == width) { x = 0; y++ }
                line[y] = sprintf("%-" x "s", substr(line[y], 1, x)) c substr(line[y], x + 2)
                x++
            }
            BEGIN { RS = "\001"; x = y = 0 }
            { for (i = 1; i <= length($0); i++) {
                c = substr($0, i, 1)
                if (c == "\r") x = 0
                else if (c == "\n") y++
                else if (c == "\033") { line[y] = substr(line[y], 1, x); i += 2 }
                else put(c)
            } }
            END { for (i = 0; i <= y; i++) print line[i] }'
    }
    mkfifo stream
    like 'finds its prompt as it was' "$(on_terminal 'wpp-record -o prompt.wpp ./prompt')" \
        'Your name> and more {80}@.\[Kwpp-record: '
    like 'unless progress is asked for' \
        "$(on_terminal 'wpp-record --progress -o prompt.wpp ./prompt')" 'Your name> @.*0 events, .*and more'
    like 'also when another reads its trace' \
        "$(on_terminal 'wpp-compress -o fifo.wpp stream & WPP_OUT=stream ./prompt; wait')" 'Your name> and more'
    like 'unless by that, too' \
        "$(on_terminal 'wpp-compress --progress -f -o fifo.wpp stream & WPP_OUT=stream ./prompt; wait')" 'Your name> .*@wpp-compress: '
    like 'what is shown afterwards leaves its last line alone' \
        "$(on_terminal "printf unfinished; wpp-record --best -o best.wpp ./many $n")" 'unfinished {80}@.\[K@wpp-record: .* in ~'
    # However narrow the window is, the program's line is seen, and ours when all is done.
    for text in '' 7 "$(printf %040d 0)"; do
        on_terminal "printf '$text'; wpp-record --best -o best.wpp ./many $((n / 3))" 40 > shown
        is "${#text} characters and progress" "$(grep -c ' M/s, ' shown) $(screen 40 |
            sed '/^wpp-record: [0-9.]* M events in/,$d; s/ *$//')" "1 $text"
    done
else
    skip 'there is no terminal here: a prompt'
fi

# A program that ends well leaves no keeper behind.
ok 'no keeper stays' timeout 20 bash -c 'wpp-record -q -o whole.wpp ./work 1000000 2>&1 | cat'
done_testing
