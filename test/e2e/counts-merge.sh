#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 25
# Counts of several runs in one file: wpp-record --merge, and WPP_OPTIONS=merge.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

# build OUT MODE FILE
build() {
    "$WPP_GCC" -O1 -fplugin-arg-wpp-mode="$2" -o "$1" "$3"
}

merge() { wpp-record -q --merge -o "$@"; }
paths() { wpp-profile --paths --format=csv "$1" | sort; }
# field FILE NAME: a number of wpp-info's
field() { wpp-info "$1" | awk -v name="$2" '$1 == name { gsub(",", "", $2); print $2; exit }'; }
runs() { field "$1" runs; }
# line FILE NUMBER: how often it was executed
line() { wpp-dump --line-counts "$1" 2> /dev/null | sed -n "s/.*:$2 //p"; }

cat > work.c <<'CODE'
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void step(int i)
{
    static volatile int sum;
    if (i & 1)
        sum += i;                       /* 9 */
    else
        sum -= 1;                       /* 11 */
}
int main(int n, char **arg)
{
    int times = n > 1 ? atoi(arg[1]) : 0;
    for (int i = 0; i < times; i++)
        step(i);
    if (n > 2 && arg[2][0] == 'k')
        kill(getpid(), SIGKILL);
    if (n > 2 && arg[2][0] == 'f')
        for (int i = 0; i < 3; i++)
            if (fork() == 0) {
                step(1);
                return 0;
            }
    while (wait(NULL) > 0)
        ;
    return n > 2 && arg[2][0] == 'x' ? 7 : 0;
}
CODE
build work paths work.c
build edges edges work.c
build traced trace work.c
mkdir other changed
cp work.c other && (cd other && build work paths work.c)
cp work.c kept.c
sed -i 's/sum -= 1/if (i % 3) sum -= 2/' work.c
build changed/work paths work.c
mv kept.c work.c

# ---- One recording --------------------------------------------------------------------------

cat > suite <<'CODE'
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    ./work $((i * 10)) &
    [ $((i % 4)) != 0 ] || wait
done
./work 5 fork
wait
CODE
ok 'all processes of a run' merge all.prof sh suite
ok 'are in one whole file' wpp-check all.prof
is 'which says how many there are' "$(runs all.prof)" 16
is 'and has no folder' "$(ls -d all.prof.d 2> /dev/null)" ''
WPP_OUT=%p.trace sh suite
for trace in *.trace; do
    wpp-compress -q -o "$trace.wpp" "$trace"
done
wpp-profile --merge -o separate.prof ./*.trace.wpp
is 'each path is as often as in the sum of separate files' "$(paths all.prof)" "$(paths separate.prof)"
is 'there are as many runs' "$(runs all.prof)" "$(runs separate.prof)"
wpp-record -q -o files.wpp sh suite
wpp-profile --merge -o files.prof files.wpp files.wpp.d/*.wpp
is 'and as in the sum of the files of a recording' "$(paths all.prof)" "$(paths files.prof)"
rm -rf ./*.trace*

# ---- Several recordings ---------------------------------------------------------------------

cp all.prof twice.prof
ok 'a second recording adds' merge twice.prof sh suite
wpp-profile --merge -o sum.prof all.prof files.prof
is 'each path is as often as in both' "$(paths twice.prof) $(runs twice.prof)" "$(paths sum.prof) 32"
run wpp-record --merge -o twice.prof ./work 4 x
is 'the exit status is the program'\''s' "$status" 7
like 'the last line says what was added' "$(tail -n 1 "$T/err")" \
    '^wpp-record: [0-9]+ executions of 1 process added to twice.prof$'

# 8 at the same time, of 50.
seq 50 | xargs -P 8 -I{} wpp-record -q --merge -o crowd.prof ./work {} || fail 'a recorder failed'
is '50 recordings, 8 at a time: no count is lost' "$(runs crowd.prof) $(line crowd.prof 9) $(line crowd.prof 11)" \
    '50 625 650'
ok 'and the file is whole' wpp-check crowd.prof
ln -s crowd.prof link.prof
ok 'a symbolic link' merge link.prof ./work 2
is 'leads to the file' "$(runs crowd.prof) $(readlink link.prof)" '51 crowd.prof'
chmod 640 crowd.prof
merge crowd.prof ./work 2
is 'the file keeps its rights' "$(stat -c %a crowd.prof)" 640

# ---- Ends ------------------------------------------------------------------------------------

run merge killed.prof sh -c './work 10; ./work 10 k; ./work 10'
is 'a killed program is a run' "$(runs killed.prof)" 3
is 'whose counts are there' "$(line killed.prof 9)" 15
ok 'and the sum is complete' sh -c 'wpp-profile killed.prof > out'

# Recorders that are killed anywhere: the old file or the new one, and no lock.
merge safe.prof ./work 10
began=1 bad=0
for i in $(seq 40); do
    wpp-record -q --merge -o safe.prof ./work 10 2> err &
    pid=$!
    began=$((began + 1))
    sleep "0.0$((i % 5))$((i * 7 % 10))"
    kill -KILL $pid 2> /dev/null
    wait $pid 2> /dev/null
    # A run that was cut short makes the sum incomplete.
    wpp-check safe.prof > check 2>&1 || grep -q ' undamaged' check || bad=$((bad + 1))
done
sleep 0.5
is '40 killed recorders: the file is whole at any time' "$bad" 0
ok 'and not locked' timeout 10 wpp-record -q --merge -o safe.prof ./work 10
now=$(runs safe.prof)
is "nothing is added twice ($now runs)" $((now <= began + 1 && $(line safe.prof 9) <= 5 * now)) 1
is 'and no file is left' "$(find . -name '.safe.prof.*.tmp' -o -name 'safe.prof?*')" ''

# Another process has the lock, until `held` is gone.
cat > lock.c << 'CODE'
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(int n, char **arg)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = open(arg[n - 1], O_RDWR | O_CREAT, 0666);
    if (fcntl(fd, F_OFD_SETLKW, &whole) != 0)
        return 1;
    fclose(fopen("held", "w"));
    while (access("held", F_OK) == 0)
        usleep(10000);
    return 0;
}
CODE
gcc -D_GNU_SOURCE -o lock lock.c
# comes NAME COMMAND...: it succeeds within a minute, on a busy machine too
comes() {
    local name=$1 i

    shift
    for ((i = 0; i < 2500; i++)); do
        "$@" 2> /dev/null && break
        sleep 0.02
    done
    ok "$name" "$@"
}
merge held.prof ./work 10
for end in goes interrupted; do
    rm -f said
    ./lock .held.prof.lock &
    comes 'the lock is held' test -e held
    wpp-record -q --merge -o held.prof ./work 10 2> said &
    pid=$!
    comes "a recorder waits, and says so, $end" grep -q '^wpp-record: waiting for held.prof' said
    if [ $end = goes ]; then rm held; else kill -INT $pid; fi
    wait $pid
    status=$?
    rm -f held
    wait
    case $end in
    goes)
        is 'when the lock is free its counts are added' "$status $(runs held.prof) $(wc -l < said)" '0 2 1' ;;
    interrupted)
        like 'an interrupt ends the waiting' "$status $(tail -n 1 said)" \
            '^1 wpp-record: another process has locked .*/held.prof; the counts of this run are in .*/held.prof.[0-9]+$'
        is 'and no count is lost' "$(runs held.prof) $(runs "held.prof.$pid")" '2 1' ;;
    esac
done

# ---- What cannot be summed --------------------------------------------------------------------

cp all.prof old.prof
run wpp-record --merge -o old.prof changed/work 10
is 'a changed program is added' "$status $(runs old.prof)" '0 17'
like 'and it is said that routines differ' "$(cat "$T/err")" 'routines differ .* as step \(.*work.c:5\)'
cp old.prof before.prof
run wpp-record --merge -o old.prof ./edges 10
is 'another kind of counts is an error' "$status" 1
like 'which is said' "$(cat "$T/err")" 'old.prof counts paths, edges counts edges: they cannot be summed'
same 'the old file is what it was' old.prof before.prof
ok 'and the run has a file of its own' wpp-check old.prof.d/edges.*.wpp
rm -r old.prof.d
run wpp-record --merge -o old.prof sh -c './work 10; ./traced 10; ./work 10'
is 'so has a process that traces' "$status $(runs old.prof) $(ls old.prof.d | cut -d. -f1)" '1 19 traced'
like 'which is said' "$(cat "$T/err")" 'traced is no path profile'
merge other.prof ./work 10
merge other.prof other/work 10
is 'another folder is another program' "$(wpp-profile --format=csv other.prof | grep -c '^routine,"step"')" 2

# ---- Refusals, before the program runs --------------------------------------------------------

echo text > text.prof
cp old.prof.d/traced.*.wpp whole.wpp
head -c 200 all.prof > cut.prof
: > empty.prof
mkdir folder.prof
mkfifo fifo.prof
for name in text.prof whole.wpp cut.prof empty.prof folder.prof fifo.prof absent/x.prof ''; do
    cp -a "$name" kept 2> /dev/null
    fails "refuses ${name:-an empty name}" wpp-record --merge -o "$name" touch ran
    absent 'and does not run the program' ran
    [ ! -f "$name" ] || same 'and does not touch it' "$name" kept
    rm -rf kept
done
fails_with 2 'refuses standard output' wpp-record --merge -o - ./work
fails_with 2 'wants a file' wpp-record --merge ./work
fails_with 2 'refuses a ring' wpp-record --merge --ring=1M -o new.prof ./work
run wpp-record --merge -o none.prof true
is 'no counts: an error' "$status" 1
absent 'and no file' none.prof
if [ "$(id -u)" != 0 ]; then
    mkdir closed && cp all.prof closed && chmod 500 closed
    fails 'a read-only folder' wpp-record --merge -o closed/all.prof touch ran
    absent 'before the program runs' ran
    chmod 700 closed
fi

# ---- A full disk -------------------------------------------------------------------------------

if [ "$(id -u)" = 0 ] && mkdir small && mount -t tmpfs -o size=16k tmpfs small 2> /dev/null; then
    merge small/all.prof ./work 10
    cp small/all.prof before.prof
    cat /dev/zero > small/fill 2> /dev/null
    fails_with 1 'a full disk' wpp-record --merge -o small/all.prof ./work 10
    like 'is named' "$(cat "$T/err")" 'No space left.*lost'
    same 'the old file is what it was' small/all.prof before.prof
    is 'nothing else is left on it' "$(ls -A small | sort | paste -sd' ')" '.all.prof.lock all.prof fill'
    umount small
else
    skip 'a full disk: cannot mount a small tmpfs here'
fi

# ---- Without a recorder ---------------------------------------------------------------------------

# into FILE COMMAND...: processes append to FILE
into() { WPP_OUT=$1 WPP_OPTIONS=merge "${@:2}"; }
# sum FILE: $T/sum.wpp; the message in $T/err
sum() { run wpp-compress -fq -o sum.wpp "$1"; }
# odd EVEN: how often both branches were executed
both() { echo "$(line sum.wpp 9) $(line sum.wpp 11)"; }

into suite.trace sh suite
sum suite.trace
is 'WPP_OPTIONS=merge: each path is as often as with a recorder' "$status $(runs sum.wpp) $(paths sum.wpp)" \
    "0 16 $(paths all.prof)"
into crowd.trace sh -c 'seq 200 | xargs -P 8 -I{} ./work {}'
sum crowd.trace
is '200 processes, 8 at a time: no count is lost' "$status $(runs sum.wpp) $(both)" '0 200 10000 10100'
pages=$(wpp-info --format=json sum.wpp > info.json; od -An -tu4 -j76 -N4 crowd.trace | tr -d ' ')
is 'and ended processes leave their pages to others' $((pages <= 16)) 1
[ $((pages)) -ge 1 ] && pass 'which are noted' || fail 'which are noted' "$pages"
for i in $(seq 30); do into killed.trace ./work 10 k; done 2> err
sum killed.trace
is 'killed processes have counted all' "$status $(runs sum.wpp) $(both)" '0 30 150 150'

cat > ways.c <<'CODE'
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) void step(int i)
{
    static volatile int sum;
    if (i & 1)
        sum += i;                       /* 12 */
}
static void *work(void *n)
{
    for (long i = 0; i < (long)n; i++)
        step(1);
    return NULL;
}
static jmp_buf back;
__attribute__((noinline)) static void leave(int how)
{
    if (how == 1)
        longjmp(back, 1);
    if (how == 2)
        exit(0);
}
int main(int n, char **arg)
{
    pthread_t t[8];
    if (strchr(arg[1], 'c'))
        for (int fd = 3; fd < 1024; fd++)
            close(fd);
    step(1);
    if (strchr(arg[1], 't')) {
        for (int i = 0; i < 8; i++)
            pthread_create(&t[i], NULL, work, (void *)1000);
        for (int i = 0; i < 8; i++)
            pthread_join(t[i], NULL);
    }
    if (strchr(arg[1], 'f')) {
        for (int i = 0; i < 4; i++)
            if (fork() == 0) {
                work((void *)100);
                _exit(0);
            }
        while (wait(NULL) > 0)
            ;
    }
    if (strchr(arg[1], 'x'))
        execl(arg[0], arg[0], "t", (char *)0);
    if (strchr(arg[1], 'v') && vfork() == 0)
        _exit(0);
    if (strchr(arg[1], 'j') && setjmp(back) == 0)
        leave(1);
    step(1);
    leave(strchr(arg[1], 'e') ? 2 : 0);
    return 0;
}
CODE
"$WPP_GCC" -O1 -pthread -fplugin-arg-wpp-mode=paths -o ways ways.c
# kind, steps
while read -r how want; do
    rm -f ways.trace
    for i in 1 2 3; do into ways.trace ./ways "$how"; done
    sum ways.trace
    is "ways to run: $how" "$status $(line sum.wpp 12)" "0 $((3 * want))"
done <<'WAYS'
t 8002
f 402
x 8003
v 2
j 2
e 2
c 2
ctf 8402
ctfj 8402
xtfve 16403
WAYS
# In a chroot proc cannot be mounted.
if [ "$(id -u)" = 0 ] && unshare -p -f --mount-proc true 2> /dev/null; then
    for i in 1 2 3 4; do
        into spaces.trace unshare -p -f --mount-proc sh -c 'for i in 1 2 3 4 5; do ./ways tf; done' &
        into spaces.trace unshare -p -f sh -c 'for i in 1 2 3 4 5; do ./ways tf; done' &
    done
    wait
    sum spaces.trace
    is 'pid namespaces' "$status $(line sum.wpp 12)" "0 $((40 * 8402))"
else
    skip 'pid namespaces: not allowed here'
fi

into one.trace ./work 10
before=$(stat -c %s one.trace)
for i in 1 2 3 4 5 6 7 8 9 10; do into one.trace ./work 10; done
is 'ten more runs take less than two pages' $(($(stat -c %s one.trace) - before < 8192)) 1
into left.trace ./ways je
before=$(stat -c %s left.trace)
for i in 1 2 3 4 5 6 7 8 9 10; do into left.trace ./ways je; done
is 'also if they leave activations' $(($(stat -c %s left.trace) - before < 8192)) 1

sum left.trace
is 'and are counted so' "$status $(line sum.wpp 12) $(line sum.wpp "$(grep -n 'longjmp(back' ways.c | cut -d: -f1)")" '0 22 11'
is 'as is where they left' "$(line sum.wpp "$(grep -n 'leave(strchr' ways.c | cut -d: -f1)")" 11
# A library with routines that are left in is loaded again and again.
cat > lib.c <<'CODE'
#include <setjmp.h>
void deeper(jmp_buf *env) { longjmp(*env, 1); }
CODE
cat > loads.c <<'CODE'
#include <dlfcn.h>
#include <setjmp.h>
#include <stdlib.h>
static void (*deeper)(jmp_buf *);
__attribute__((noinline)) static void down(jmp_buf *env)
{
    deeper(env);                        /* 7 */
    __asm__ volatile("");
}
int main(int n, char **arg)
{
    for (volatile int i = 0; i < 20; i++) {
        void *library = dlopen(arg[1], RTLD_NOW);
        jmp_buf env;
        deeper = (void (*)(jmp_buf *))dlsym(library, "deeper");
        if (setjmp(env) == 0)
            down(&env);
        dlclose(library);
    }
    exit(n);
}
CODE
"$WPP_GCC" -O1 -shared -fPIC -fplugin-arg-wpp-mode=paths -o lib.so lib.c
"$WPP_GCC" -O1 -fplugin-arg-wpp-mode=paths -o loads loads.c
for i in 1 2 3 4 5; do into loads.trace ./loads ./lib.so; done
sum loads.trace
is 'libraries that come and go' "$status $(line sum.wpp 7)" '0 100'

# What cannot be there, or be summed.
into mixed.trace ./work 10
into mixed.trace ./edges 10
into mixed.trace ./traced 10
sum mixed.trace
is 'other processes in the file are left out' "$status $(runs sum.wpp)" '3 1'
like 'which is said' "$(cat "$T/err")" 'not all is known of 2 of 3 processes: .*they cannot be summed'
is 'in one line' "$(wc -l < "$T/err")" 1
echo text > text.trace
run into text.trace ./work 10 x
is 'another file is not touched, and the program runs' "$status $(cat text.trace)" '7 text'
like 'which is said' "$(cat "$T/err")" '^wpp: cannot write the trace to .*text.trace: it is no file for WPP_OPTIONS=merge'
mkfifo pipe.trace
timeout 10 cat pipe.trace > from-pipe &
into pipe.trace ./work 10
wait $!
sum from-pipe
is 'a FIFO gets a trace as ever' "$status $(both)" '0 5 5'
head -c -100 crowd.trace > cut.trace
sum cut.trace
is 'a file that is cut' "$status" 3
like 'is said to be' "$(cat "$T/err")" 'damaged at byte|cut short'
cp crowd.trace bad.trace
printf X | dd of=bad.trace bs=1 seek=49153 conv=notrunc status=none
fails_with 3 'damage in the first record' wpp-compress -fq -o bad.wpp bad.trace
cat crowd.trace > copy.trace
run sh -c 'wpp-compress -o piped.wpp < crowd.trace'
is 'a pipe is refused in one line' "$status $(wc -l < "$T/err")" '1 1'
rm -f limit.trace
(ulimit -f 56; into limit.trace ./work 10) 2> err
is 'no room in the file: the program runs' $? 0
rm limit.trace
(ulimit -f 40; into limit.trace ./work 10) 2> err
is 'nor for its head' "$? $(wc -l < err)" '0 1'
for i in 1 2 3; do (ulimit -f 58; into limit.trace ./work 10) 2> err; done
into limit.trace ./work 10
sum limit.trace
is 'and others append later' $(($(line sum.wpp 9) >= 5)) 1

# Stopping is for the order and for files of one process: pages of this one outlive their process.
for run in 1 2 3; do
    WPP_OUT=stopped.trace WPP_OPTIONS=merge:record=off ./work 10
done
into stopped.trace ./work 10 k
into stopped.trace ./work 10
sum stopped.trace
is 'counts go on while recording is stopped' "$status $(runs sum.wpp) $(both)" '0 5 25 25'

# What is derived from counts of edges is of one process, as is what it has left.
cat > edges.c <<'CODE'
#include <setjmp.h>
static jmp_buf env;
static volatile int sum;
__attribute__((noinline)) static void leave(int how)
{
    if (how)
        longjmp(env, 1);
}
__attribute__((noinline)) static void work(int n, int how)
{
    for (int i = 0; i < n; i++) {
        if (i % 3 == 1) {
            sum += 1;
            leave(how);
            sum += 2;
        } else
            sum += 3;
        leave(how && i > 5);
        sum++;
    }
    sum--;
}
int main(int n, char **arg)
{
    (void)arg;
    for (int k = 0; k < 3; k++)
        if (setjmp(env) == 0)
            work(10, n > 1);
    return 0;
}
CODE
"$WPP_GCC" -O0 -g -fplugin-arg-wpp-mode=edges edges.c -o jumps
for i in '' x x x x x; do
    into jumps.trace ./jumps $i
    WPP_OUT=jumps.%p.one ./jumps $i
done
sum jumps.trace
for one in jumps.*.one; do
    wpp-compress -fq -o "$one.wpp" "$one"
done
wpp-profile --merge -o jumps.prof jumps.*.one.wpp
is 'edges: activations that are left' "$status $(wpp-dump --line-counts sum.wpp)" \
    "0 $(wpp-dump --line-counts jumps.prof)"

# Somebody removes the file, another process makes it anew, and the first one closes its descriptors.
cat > closes.c <<'CODE'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) static void step(int i) { static volatile int sum; if (i & 1) sum += i; }
static void *work(void *arg) { for (int i = 0; i < 100; i++) step(i); return arg; }
int main(int n, char **arg)
{
    pthread_t thread;
    step(1);
    if (n > 1 && system(arg[1]))
        return 1;
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    puts("done");
    return 0;
}
CODE
"$WPP_GCC" -O1 -g -pthread -fplugin-arg-wpp-mode=paths closes.c -o closes
for merge in merge record=on; do
    rm -f closed.trace
    WPP_OUT=closed.trace WPP_OPTIONS=$merge run ./closes 'rm closed.trace; exec ./closes'
    is "another file under the same name, $merge: the program runs" "$status $(tail -n 1 "$T/out")" '0 done'
    ok 'and the other trace is whole' wpp-compress -fq -o closed.wpp closed.trace
done
done_testing
