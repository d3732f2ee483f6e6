#!/bin/bash
# SPDX-License-Identifier: MIT
# Several runtimes in a process: namespaces (dlmopen, LD_AUDIT), libraries with a runtime of
# their own, static programs that load some.  One runtime records; the events of the others are
# counted.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

# figures FILE: events, and whether they are all
figures() {
    wpp-info "$1" 2> /dev/null |
        awk '/^complete/ { c = $2 } /^events/ { gsub(",", "", $2); e = $2 } END { print e, c }' | tr -d :
}

# recordings COMMAND...: of the ways that a trace can take, each makes a WPP; sets $figures, "EVENTS
# COMPLETE" of each, once if equal; $lost, the numbers that the tools tell; $said, lines of the runtime
recordings() {
    local how

    rm -rf all.wpp* trace; : > told; : > got
    for how in recorder file fifo fd; do
        rm -f trace
        case $how in
        recorder) wpp-record -q -o all.wpp "$@" 2> err > out ;;
        file)     WPP_OUT=trace "$@" 2> err > out
                  wpp-compress -q -f -o all.wpp trace 2>> err ;;
        fifo)     mkfifo trace
                  wpp-compress -q -f -o all.wpp trace 2> err2 &
                  WPP_OUT=trace "$@" 2> err > out
                  wait $!
                  cat err2 >> err ;;
        fd)       WPP_OUT=fd:9 "$@" 9>&1 > out 2> err | cat > trace
                  wpp-compress -q -f -o all.wpp trace 2>> err ;;
        esac
        figures all.wpp >> got
        cat err >> told
    done
    figures=$(sort -u got | paste -sd'/')
    lost=$(grep -o '[0-9]* events were lost' told | sort -u | paste -sd'/')
    said=$(grep -c '^wpp: ' told)
}

cat > lib.c << 'END'
int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += i % 3 ? i : 2; return s; }
__attribute__((constructor)) static void up(void) { work(3); }
END
cat > main.c << 'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* N HOW: so many namespaces, one after the other */
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0, s = 0;
    const char *how = argc > 2 ? argv[2] : "";
    int (*work)(int) = NULL;
    void *h;

    for (int i = 0; i < n; i++) {
        h = dlmopen(LM_ID_NEWLM, "./lib.so", RTLD_NOW);
        work = h ? (int (*)(int))dlsym(h, "work") : NULL;
        if (!work) {
            puts(dlerror());
            return 1;
        }
        s += work(2);
        if (strcmp(how, "fork") == 0 && fork() == 0) {
            work(100);
            exit(0);
        }
        while (wait(NULL) > 0)
            ;
        if (strcmp(how, "stay"))
            dlclose(h);
    }
    printf("%d\n", s);
    fflush(stdout);
    if (strcmp(how, "exec") == 0)
        execl(argv[0], argv[0], "1", (char *)0);
    if (strcmp(how, "exit") == 0)
        _exit(0);
    return 0;
}
END
"$WPP_GCC" -O1 -shared -fPIC lib.c -o lib.so
"$WPP_GCC" -O1 main.c -ldl -o main
gcc -O1 main.c -ldl -o plain

# ---- dlmopen -------------------------------------------------------------------------

recordings ./main 0
own=$figures
is 'without a namespace all is there' "${own#* } $lost $said" 'yes  0'
recordings ./main 1
one=${figures% *}
is 'a namespace: events of its own are counted as lost' "${figures#* } $lost" 'no 7 events were lost'
is 'which is said once' $said 4
is 'and why the run is not complete' "$(wpp-info all.wpp | sed -n 's/^complete *//p')" 'no: events were lost'
recordings ./main 5
is 'five: nothing of the program is missing' "$figures" "$((${own% *} + 5 * (one - ${own% *}))) no"
is 'all that they did is counted' "$lost $said" '35 events were lost 4'
recordings ./main 5 stay
is 'the same where they stay' "$figures $lost $said" \
    "$((${own% *} + 5 * (one - ${own% *} - 1))) no 35 events were lost 4"
recordings ./main 5 exit
wpp-record -q -o all.wpp ./main 5 exit > out 2>&1
is 'without an end: what is missing' "$(wpp-info all.wpp | sed -n 's/^complete *//p')" \
    'no: it did not report its end, and some events (of a thread, of another runtime, or from after its last record) are in no record'
# What is in a pipe loses more than that.
like 'without an end there is no knowing how many' "$figures$lost $said" \
    "^[0-9]+ no/$((${own% *} + 5 * (one - ${own% *}))) no 4\$"
ok 'as many namespaces as the program has' ./main 40
is 'they leave no room taken' "$(WPP_OUT=none ./main 100 | tail -1)" "$(./plain 100 | tail -1)"

# In children, and behind exec.
rm -rf all.wpp*
wpp-record -q -o all.wpp ./main 1 fork 2> err > out
is 'a child counts its own' "$(grep -o '[0-9]* events were lost' err | sort | paste -sd'/')" \
    '100 events were lost/7 events were lost'
rm -rf all.wpp*
wpp-record -q -o all.wpp ./main 1 exec 2> err > out
is 'what it is replaced by has begun anew' "$(figures all.wpp) $(figures all.wpp.d/*)" \
    "$one no $one no"
rm -f trace
WPP_OUT=trace ./main 1 fork 2> err > out
wpp-compress -q -f -o all.wpp trace 2>> err
is 'a child without a trace has no part in it' "$(grep -o '[0-9]* events were lost' err)" '7 events were lost'

# The first of them has the only one.
recordings ./plain 5
is 'a program that is not traced: the first namespace is recorded' "$figures $lost $said" \
    '7 no 28 events were lost 4'
is 'and the program runs as ever' "$(cat out)" "$(WPP_OUT=none ./plain 5)"

# Keys of one namespace's libc are those of another's, to a thread.
cat > keys.c << 'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
static pthread_key_t key;
static int seen;
static void gone(void *value) { seen += value == &seen; }
static void *body(void *work)
{
    pthread_setspecific(key, &seen);
    ((int (*)(int))work)(5);
    return pthread_getspecific(key) == &seen ? &seen : NULL;
}
int main(void)
{
    void *h, *work, *right = NULL;
    pthread_t thread;
    pthread_key_t first;
    pthread_key_create(&first, gone);
    pthread_key_create(&key, gone);
    for (int i = 0; i < 4 && key != 0; i++) {   /* the first key of a process is what matters */
        pthread_key_delete(first);
        pthread_key_create(&key, gone);
    }
    h = dlmopen(LM_ID_NEWLM, "./lib.so", RTLD_NOW);
    work = h ? dlsym(h, "work") : NULL;
    if (!work || pthread_create(&thread, NULL, body, work) || pthread_join(thread, &right))
        return 2;
    return right != &seen || seen != 1;
}
END
gcc -O1 keys.c -ldl -pthread -o keys
ok 'a thread keeps what it has of its own' env WPP_OUT=trace ./keys

# ---- LD_AUDIT ----------------------------------------------------------------------------

cat > audit.c << 'END'
#define _GNU_SOURCE
#include <link.h>
unsigned la_version(unsigned v) { for (volatile int i = 0; i < 4; i++) ; return v < LAV_CURRENT ? v : LAV_CURRENT; }
END
"$WPP_GCC" -O1 -w -shared -fPIC audit.c -o audit.so
recordings env LD_AUDIT=./audit.so ./main 0
is 'a program that is audited is recorded, not its auditor' "${figures#* } $said" 'no 4'
is 'all of it' "${figures% *}" "${own% *}"
like 'what that did is counted' "$lost" '^[0-9]* events were lost$'
recordings env LD_AUDIT=./audit.so ./plain 0
like 'the auditor of an untraced one is recorded' "$figures$lost$said" '^[0-9]+ yes0$'

# ---- A library with a runtime of its own -------------------------------------------------

archive=$(dirname "$(wpp-config --plugin)")/libwpp-rt.a
for name in one two; do
    cat > $name.c << END
int $name(int n) { int s = 0; for (int i = 0; i < n; i++) s += i & 1 ? i : 2; return s; }
END
    "$WPP_GCC" -O1 -fPIC -c $name.c
    gcc -shared $name.o "$archive" -Wl,--exclude-libs,ALL -o lib$name.so
done
cat > loads.c << 'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static void *run(void *f) { ((int (*)(int))f)(1000); return f; }
/* MODE: loads both libraries, calls them in a thread, lets them go and loads them again */
int main(int argc, char **argv)
{
    int mode = RTLD_NOW | (strchr(argv[1], 'd') ? RTLD_DEEPBIND : 0) |
               (strchr(argv[1], 'g') ? RTLD_GLOBAL : RTLD_LOCAL);
    const char *path[2] = {"./libone.so", "./libtwo.so"}, *name[2] = {"one", "two"};
    void *h[2], *f, *result;
    pthread_t thread;
    (void)argc;
    for (int again = 0; again < 3; again++) {
        for (int i = 0; i < 2; i++) {
            h[i] = dlopen(path[i], mode);
            f = h[i] ? dlsym(h[i], name[i]) : NULL;
            if (!f)
                return puts(dlerror());
            run(f);
            pthread_create(&thread, NULL, run, f);
            pthread_join(thread, &result);
        }
        for (int i = 0; i < 2; i++)
            dlclose(h[i]);
    }
    return 0;
}
END
gcc -O1 loads.c -ldl -pthread -o loads
"$WPP_GCC" -O1 loads.c -ldl -pthread -o loads-traced
for mode in l g d dg; do
    recordings ./loads $mode
    is "$mode: one of two is recorded, though it goes and comes" "$figures $lost" \
        "6000 no 6000 events were lost"
    recordings ./loads-traced $mode
    is "$mode: a traced program that loads them" "${figures#* } $lost" "no 12000 events were lost"
done

# libc holds a lock while it lists modules, and another thread that it lists them for may come to
# the runtime: so nobody who has that one's lock, with all signals blocked, may ask libc.
cat > list.c << 'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
static int asked, locked;
int dl_iterate_phdr(int (*call)(struct dl_phdr_info *, size_t, void *), void *data)
{
    int (*libc)(int (*)(struct dl_phdr_info *, size_t, void *), void *) =
        (int (*)(int (*)(struct dl_phdr_info *, size_t, void *), void *))
            dlsym(RTLD_NEXT, "dl_iterate_phdr");
    sigset_t blocked;

    sigprocmask(SIG_BLOCK, 0, &blocked);
    asked = 1;
    locked |= sigismember(&blocked, SIGUSR1);
    return libc(call, data);
}
int main(void) { return !asked || locked; }
END
"$WPP_GCC" -O1 list.c -Wl,--no-as-needed -L. -lone -Wl,-rpath-link,. -ldl -o list
run env LD_LIBRARY_PATH=. WPP_OUT=trace ./list
is 'libc is not asked for modules with the lock' $status 0

# Its code is called when its runtime is over, while another thread still runs there.
cat > base.c << 'END'
void (*late)(void);
__attribute__((destructor)) static void down(void) { if (late) late(); }
END
cat > busy.c << 'END'
#include <pthread.h>
#include <unistd.h>
extern void (*late)(void);
static volatile int runs;
static void run_late(void) { runs++; }
static void *run(void *p) { for (;; usleep(1000)) runs = 1; return p; }
__attribute__((constructor)) static void up(void)
{
    pthread_t thread;

    late = run_late;
    pthread_create(&thread, NULL, run, NULL);
    while (!runs)
        usleep(100);
}
END
echo 'int main(void) { return 0; }' > idle.c
gcc -O1 -shared -fPIC base.c -o libbase.so
"$WPP_GCC" -O1 -fPIC -c busy.c
gcc -shared busy.o "$archive" -Wl,--exclude-libs,ALL -L. -lbase -pthread -o libbusy.so
"$WPP_GCC" -O1 idle.c -Wl,--no-as-needed -L. -lbusy -Wl,-rpath-link,. -o idle
run env LD_LIBRARY_PATH=. WPP_OUT=trace ./idle
is 'what is called behind the end of its runtime runs' $status 0

gcc -O1 -static -w loads.c -ldl -pthread -o static 2> /dev/null
"$WPP_GCC" -O1 -static -w loads.c -ldl -pthread -o static-traced 2> /dev/null
if ./static l > /dev/null 2>&1; then
    recordings ./static-traced l
    is 'a static program that loads them' "${figures#* } $lost" "no 12000 events were lost"
else
    skip 'static programs load no libraries here'
fi
done_testing
