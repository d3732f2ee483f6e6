#!/bin/bash
# SPDX-License-Identifier: MIT
# Code that runs before its own module's constructor, because another module calls it; and
# libraries that LD_PRELOAD loads before the program's own.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

# calls FILE: each executed routine and how often it was called
calls() {
    wpp-dump --routines "$1" | awk 'NR > 1 { print $5, $2 }' | sort | xargs
}

# holds NAME FILE CALLS: the file is whole, and these were called
holds() {
    ok "$1: is whole" wpp-check --strict "$2"
    is "$1: has every call" "$(calls "$2")" "$3"
}

# ---- Constructors ----------------------------------------------------------------------

cat > library.c << 'END'
int callback(int x);
static volatile int n;
int from_library(int x)
{
    for (int i = 0; i < x; i++)
        n++;
    return n;
}
__attribute__((constructor)) static void begins(void)
{
    n = callback(3);
}
END
cat > program.c << 'END'
int from_library(int x);
static volatile int m;
int callback(int x)
{
    for (int i = 0; i < x; i++)
        m++;
    return m;
}
int main(void)
{
    return callback(2) + from_library(4) - 12;
}
END
ok 'a library whose constructor calls the program' \
    wpp-gcc -O1 -fno-inline -fPIC -shared library.c -o libcalls.so
for how in '' -Wl,--gc-sections -flto -no-pie -fuse-ld=gold -fuse-ld=lld -fuse-ld=mold; do
    if [[ $how = -fuse-ld=* ]] && ! command -v "ld.${how#*=}" > /dev/null; then
        skip "there is no ${how#*=}"
        continue
    fi
    rm -f program
    ok "the program $how" wpp-gcc -O1 -fno-inline $how program.c -L. -lcalls -Wl,-rpath,"$T" -o program
    run wpp-record -q -o early.wpp ./program
    is "runs $how" "$status $(cat "$T/err")" '0 '
    holds "called by a library's constructor $how" early.wpp 'begins 1 callback 2 from_library 1 main 1'
done

# Two libraries that come together, the one that is needed first: its constructor calls the other.
cat > needed.c << 'END'
int second(void) __attribute__((weak));
int first(void) { return second ? second() : 0; }
__attribute__((constructor)) static void needed_begins(void) { first(); }
END
cat > needs.c << 'END'
int first(void);
static volatile int n;
int second(void) { return ++n; }
int both(void) { return first() + 1; }
END
cat > loads.c << 'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
    for (int i = 0; i < 3; i++) {
        void *library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_GLOBAL);
        int (*both)(void) = library ? (int (*)(void))dlsym(library, "both") : 0;

        if (!both || both() != 3)
            return 1;
        dlclose(library);
    }
    return 0;
}
END
wpp-gcc -O1 -fno-inline -fPIC -shared needed.c -o libneeded.so
for ld in bfd gold lld mold; do
    if ! command -v "ld.$ld" > /dev/null; then
        skip "there is no $ld"
        continue
    fi
    # Notes of different alignment are in one segment then (mold).
    ibt=-Wl,-z,ibt
    [ $ld != gold ] || ibt=
    ok "two libraries, $ld" wpp-gcc -O1 -fno-inline -fPIC -shared -fuse-ld=$ld needs.c \
        -fcf-protection $ibt -L. -lneeded -Wl,-rpath,"$T" -o libneeds.so
    for cc in gcc wpp-gcc; do
        rm -f loads.wpp
        ok "$cc: a program that loads them, $ld" $cc -O1 loads.c -ldl -o loads
        ok "$cc: three times, $ld" wpp-record -q -o loads.wpp ./loads "$T/libneeds.so"
        ok "$cc: is whole, $ld" wpp-check --strict loads.wpp
        is "$cc: has every call, $ld" "$(wpp-dump --routines loads.wpp | awk 'NR > 1 { n[$5] += $2 }
            END { print n["needed_begins"], n["first"], n["second"], n["both"] }')" '3 6 6 3'
    done
done

# A routine that an untraced library has too: its constructor calls the program's, before any
# constructor of what is traced.
cat > twice.h << 'END'
__attribute__((noinline)) inline int twice(int x)
{
    static volatile int n;
    for (int i = 0; i < 2; i++)
        n = n + x;
    return n;
}
END
cat > untraced.cc << 'END'
#include "twice.h"
static int at_first = twice(3);
int from_untraced() { return at_first; }
END
cat > shares.cc << 'END'
#include "twice.h"
int from_untraced();
int main() { return twice(1) + from_untraced() - 14; }
END
ok 'an untraced library' g++ -O1 -fPIC -shared untraced.cc -o libuntraced.so
libs=$(wpp-config --libs)
for how in '' -no-pie -Wl,--exclude-libs,ALL -fsanitize=address wpp-config; do
    if [ "$how" = wpp-config ]; then
        ok 'a program built by wpp-config' g++ -O1 $(wpp-config --cflags) shares.cc -L. -luntraced \
            -Wl,-rpath,"$T" $libs -o shares
    else
        ok "a program that shares a routine with it $how" \
            wpp-g++ -O1 $how shares.cc -L. -luntraced -Wl,-rpath,"$T" -o shares
    fi
    run wpp-record -q -o shares.wpp ./shares
    is "runs $how" "$status $(cat "$T/err")" '0 '
    holds "called before all constructors $how" shares.wpp 'main 1 twice(int) 2'
done

# And before the constructors of libraries.
cat > first.c << 'END'
static volatile int n;
static void before_all(int argc, char **argv, char **env)
{
    (void)argc, (void)argv, (void)env;
    for (int i = 0; i < 5; i++)
        n++;
}
__attribute__((section(".preinit_array"), used)) static void (*const entry)(int, char **, char **) = before_all;
int main(void) { return n - 5; }
END
for how in '' -static; do
    ok "a routine that runs before all constructors $how" wpp-gcc -O0 $how first.c -o first
    run wpp-record -q -o first.wpp ./first
    is "it runs $how" "$status $(cat "$T/err")" '0 '
    holds "and is there $how" first.wpp 'before_all 1 main 1'
done

# What begins before all is harmless where nothing is traced.
echo 'int main(void) { return 0; }' > nothing.c
gcc -c -fPIE nothing.c
for how in '' -pie -no-pie -static -static-pie; do
    for ld in bfd gold lld mold; do
        if ! command -v "ld.$ld" > /dev/null; then
            skip "there is no $ld"
        elif wpp-gcc $how -fuse-ld=$ld nothing.o -o nothing 2> nothing.err; then
            ok "a program without traced objects runs, $ld $how" ./nothing
        # gold has no -static-pie
        else
            run gcc $how -fuse-ld=$ld nothing.o -o nothing
            is "it does not link without wpp either, $ld $how" "$status" 1
        fi
    done
done

# It sees the environment before libc does, and leaves libc's as it is.
cat > environment.c << 'END'
extern char **environ;
static int early = -1;
static void before_all(int argc, char **argv, char **env)
{
    (void)argc, (void)argv, (void)env;
    early = environ != 0;
}
__attribute__((section(".preinit_array"), used)) static void (*const entry)(int, char **, char **) = before_all;
int main(void) { return early; }
END
for how in '' -static; do
    gcc $how environment.c -o environment && run ./environment
    want=$status
    wpp-gcc $how environment.c -o environment
    rm -f environment.wpp
    run wpp-record -q -o environment.wpp ./environment
    is "what libc knows of the environment so early $how" "$status $(cat "$T/err")" "$want "
    holds "and it is recorded $how" environment.wpp 'before_all 1 main 1'
done

# libc and the constructors of libraries get main's arguments, also where the runtime needs libgcc.
cat > constructor.c << 'END'
int first_arguments;
char **first_environment;
__attribute__((constructor)) static void first(int argc, char **argv, char **env)
{
    first_arguments = argv[argc] ? -1 : argc;
    first_environment = env;
}
END
cat > arguments.c << 'END'
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
extern int first_arguments;
extern char **first_environment;
int main(int argc, char **argv, char **env)
{
    (void)argv;
    printf("%d %d %d %s %s\n", argc == first_arguments, env == environ, env == first_environment,
           getenv("FIRST"), program_invocation_short_name);
    return 0;
}
END
gcc -fPIC -shared constructor.c -o libconstructor-plain.so
for mode in trace paths edges; do
    for how in '-L. -lconstructor -Wl,-rpath,$ORIGIN' '-L. -lconstructor-plain -Wl,-rpath,$ORIGIN' \
        'constructor.c -static' 'constructor.c -static-pie'; do
        wpp-gcc -fplugin-arg-wpp-mode=$mode -fPIC -shared constructor.c -o libconstructor.so
        wpp-gcc -D_GNU_SOURCE -fplugin-arg-wpp-mode=$mode arguments.c $how -o arguments
        rm -f wpp.trace
        FIRST=yes WPP_OUT=wpp.trace run ./arguments 1 2
        is "arguments in mode $mode, $how" "$status $(cat "$T/out")" '0 1 1 1 yes arguments'
    done
done

# ---- A library with a runtime of its own ---------------------------------------------------

# It is needed by a program that hides its runtime, which registers all modules that are there:
# but what the library records goes to its own one.  Nothing else comes to harm.
cat > own.c << 'END'
static volatile int n;
__attribute__((noinline)) int own(int x) { for (int i = 0; i < x; i++) n++; return n; }
END
cat > owner.c << 'END'
#include <dlfcn.h>
int own(int x);
__attribute__((noinline)) int mine(int x) { return own(x) - x; }
int main(int argc, char **argv)
{
    void *later;
    if (argc > 1 && (!(later = dlopen(argv[1], RTLD_NOW)) || dlclose(later)))
        return 1;
    return mine(1000);
}
END
echo 'int later(void) { return 3; }' > later.c
wpp-gcc -O1 -fPIC -c own.c
ok 'a library with its own runtime' gcc -shared own.o "$(dirname "$(wpp-config --plugin)")/libwpp-rt.a" \
    -Wl,--exclude-libs,ALL -o libown.so
wpp-gcc -O1 -fPIC -shared later.c -o later.so
ok 'a program that hides its own and needs it' \
    wpp-gcc -O1 -fno-inline -Wl,--exclude-libs,ALL owner.c -L. -lown -Wl,-rpath,"$T" -ldl -o owner
why="not recorded: its runtime is not the one that records the program; link without \
--exclude-libs, libraries with libwpp-rt.so, load them without RTLD_DEEPBIND; recording stopped"
WPP_OUT=$T/trace run ./owner
is 'it runs, and is told' "$status $(cat "$T/err")" "0 wpp: $T/libown.so: $why"
run wpp-compress -q -o owner.wpp trace
is 'what the library did is counted as lost' "$status $(cat "$T/err")" \
    '3 wpp-compress: trace: 1000 events were lost when the trace was recorded'
is 'the program is recorded' "$(calls owner.wpp 2> /dev/null)" 'main 1 mine 1'
WPP_OUT=$T/trace run ./owner "$T/later.so"
is 'another library comes and goes' "$status $(wc -l < "$T/err")" '0 1'
WPP_OUT=none run ./owner
is 'nothing is said when nothing is to be recorded' "$status $(cat "$T/err")" '0 '

# ---- LD_PRELOAD --------------------------------------------------------------------------

cat > worker.c << 'END'
#include <stdio.h>
#include <stdlib.h>
static volatile int n;
__attribute__((noinline)) static void work(void) { free(malloc(++n)); }
int main(void)
{
    for (int i = 0; i < 20000; i++)
        work();
    puts("done");
    return 0;
}
END
# Whoever calls one of these is not the program: it is killed.
cat > hostile.c << 'END'
#include <stddef.h>
#define HOSTILE(name) long name(void) { __builtin_trap(); }
HOSTILE(open) HOSTILE(openat) HOSTILE(read) HOSTILE(mmap) HOSTILE(munmap) HOSTILE(madvise)
HOSTILE(sigprocmask) HOSTILE(pthread_sigmask) HOSTILE(getenv) HOSTILE(secure_getenv)
HOSTILE(clock_gettime) HOSTILE(getpid) HOSTILE(gettid) HOSTILE(syscall) HOSTILE(prctl)
HOSTILE(memcpy) HOSTILE(memset) HOSTILE(strlen) HOSTILE(fcntl) HOSTILE(close) HOSTILE(sigaction)
static char heap[1 << 22];
static size_t used;
void *malloc(size_t n) { used += (n + 31) & ~(size_t)15; return heap + used - ((n + 31) & ~(size_t)15); }
void free(void *p) { (void)p; used = used > 1 << 21 ? 1 << 20 : used; }
END
ok 'a program' wpp-gcc -O1 worker.c -o worker
ok 'a library that takes over what the runtime might use' \
    gcc -O1 -w -fno-builtin -fPIC -shared hostile.c -o hostile.so
# The loader itself has these from elsewhere.
run env LD_PRELOAD="$T/hostile.so" WPP_OUT="$T/trace" ./worker
is 'beside it the program runs' "$status $(cat "$T/out" "$T/err")" '0 done'
ok 'and is recorded' wpp-compress -q -o worker.wpp trace
holds 'the program beside it' worker.wpp 'main 1 work 20000'

cat > counts.c << 'END'
static volatile int n;
__attribute__((noinline)) static void counted(void) { n++; }
int puts(const char *s);
void perror(const char *s)
{
    for (int i = 0; i < 10; i++)
        counted();
    (void)s;
}
__attribute__((constructor)) static void begins(void) { perror(""); }
END
ok 'a traced library to be preloaded' wpp-gcc -O1 -fPIC -shared counts.c -o counts.so
gcc -O1 worker.c -o plain
for program in plain worker; do
    LD_PRELOAD=$T/counts.so WPP_OUT=$T/trace run ./$program
    is "$program: runs with it" "$status $(cat "$T/out" "$T/err")" '0 done'
    ok "$program: and is recorded" wpp-compress -q -f -o preload.wpp trace
    holds "$program with it" preload.wpp \
        "begins 1 counted 10 $([ $program = plain ] || echo 'main 1 ')perror 1$([ $program = plain ] || echo ' work 20000')"
done
done_testing
