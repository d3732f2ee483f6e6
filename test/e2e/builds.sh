#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 40
# Programs built with the wrappers as real builds do it: step by step, in parts, by other tools,
# and together with other options that change the code.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

cat > main.c <<'END'
#include <stdio.h>
#include "part.h"
int main(int argc, char **argv)
{
    int sum = 0;
    (void)argv;
    for (int i = 0; i < 5; i++)
        sum += part(i) + other(argc);
    printf("sum %d\n", sum);
    return 0;
}
END
cat > part.h <<'END'
#ifdef __cplusplus
extern "C" {
#endif
int part(int n);
int other(int n);
#ifdef __cplusplus
}
#endif
END
cat > part.c <<'END'
#include "part.h"
int part(int n) { return n > 2 ? n * 3 : other(n); }
END
cat > other.c <<'END'
#include "part.h"
int other(int n) { return n & 1 ? n + 7 : n; }
END
cat > other.cc <<'END'
#include <stdexcept>
#include "part.h"
static int odd(int n) { if (n & 1) throw std::runtime_error("odd"); return n; }
int other(int n) { try { return odd(n); } catch (std::exception &) { return n + 7; } }
END
gcc main.c part.c other.c -o plain && ./plain > want

# recorded NAME ROUTINE...: ./NAME prints what the plain program does, and its
# trace enters exactly these routines.
recorded() {
    local name=$1 enters

    shift
    rm -f run.wpp
    wpp-record -o run.wpp "./$name" > got && cmp got want && wpp-check --strict run.wpp > /dev/null || return
    enters=$(wpp-dump run.wpp | sed -n 's/^ *EnterRoutine \([^ ]*\).*/\1/p' | sort -u | paste -s -d ' ')
    [ "$enters" = "$*" ] || { echo "entered: $enters" >&2; return 1; }
}
# built NAME ROUTINE... -- COMMAND...: builds it, then recorded
built() {
    local -a expected=()

    while [ "$1" != -- ]; do
        expected+=("$1")
        shift
    done
    shift
    rm -f "${expected[0]}"
    "$@" && recorded "${expected[@]}"
}
all='main other part'
# The sources to objects and a program, by the command COMPILE.
objects() {
    rm -f ./*.o
    for file in main part other; do
        "$@" -c $file.c -o $file.o || return
    done
}

# ---- Step by step -------------------------------------------------------------------
for flags in -MD '-MMD -MF prog.d' '-MD -MT target -MP' -MM -M; do
    gcc $flags -c main.c -o main.o > want.d 2> /dev/null && cat ./*.d >> want.d
    rm -f main.d prog.d
    wpp-gcc $flags -c main.c -o main.o > got.dd && cat ./*.d 2> /dev/null | grep -v want.d >> got.dd
    mv got.dd got.d && rm -f prog.d main.d
    is "dependencies of $flags" "$(sort -u got.d)" "$(sort -u want.d)"
    rm -f got.d want.d
done
gcc -E main.c > want.i
ok 'preprocessed' wpp-gcc -E main.c -o got.i
same 'as gcc does' got.i want.i
ok 'what was preprocessed' built prog $all -- wpp-gcc got.i part.c other.c -o prog
ok 'assembly' wpp-gcc -O2 -S main.c part.c other.c
ok 'assembled' built prog $all -- wpp-gcc main.s part.s other.s -o prog
ok 'with -pipe' built prog $all -- wpp-gcc -pipe -O1 main.c part.c other.c -o prog
ok 'with -save-temps' built prog $all -- wpp-gcc -save-temps -O1 main.c part.c other.c -o prog
ok 'from standard input' built prog $all -- sh -c 'wpp-gcc -x c - -x none part.c other.c -o prog < main.c'
ok 'one object each' objects wpp-gcc -O2
ok 'linking only objects' built prog $all -- wpp-gcc main.o part.o other.o -o prog
ok 'with debug information apart' built prog $all -- wpp-gcc -g -gsplit-dwarf -O1 main.c part.c other.c -o prog
printf -- '-O1\n-c "part.c" -o part.o' > args
ok 'compiled by a response file' wpp-gcc @args
printf 'main.o\n part.o other.o\n-o prog' > args
ok 'linked by one' built prog $all -- wpp-gcc @args
wpp-gcc -O2 part.h -o part.h.gch
ok 'with a precompiled header' built prog $all -- \
    wpp-gcc -O2 -Winvalid-pch -Werror main.c part.c other.c -o prog
rm -f part.h.gch

# ---- In pieces ------------------------------------------------------------------------
rm -f libparts.a && ar rcs libparts.a part.o other.o
ok 'an archive' built prog $all -- wpp-gcc main.o libparts.a -o prog
ok 'by -L and -l' built prog $all -- wpp-gcc main.o -L. -lparts -o prog
ok 'objects linked to one' wpp-gcc -r part.o other.o -o both.o
ok 'and this to a program' built prog $all -- wpp-gcc main.o both.o -o prog
ok 'with unused sections removed' built prog $all -- \
    wpp-gcc -O2 -ffunction-sections -fdata-sections -Wl,--gc-sections main.c part.c other.c -o prog
ok 'link-time optimisation, each by itself' objects wpp-gcc -O2 -flto -fno-ipa-icf -fno-inline
rm -f libparts.a && gcc-ar rcs libparts.a part.o other.o
ok 'and an archive of it' built prog $all -- wpp-gcc -O2 -flto -fno-inline main.o libparts.a -o prog
ok 'fat objects' objects wpp-gcc -O2 -flto -ffat-lto-objects -fno-inline
ok 'linked without it' built prog $all -- wpp-gcc -fno-lto main.o part.o other.o -o prog
# Reading a body at link time may add a routine to the program's: the copy of say() for its one text calls
# fwrite, which no source calls.
cat > say.c <<'END'
#include <stdio.h>
static __attribute__((noinline)) void say(const char *text) { fprintf(stdout, text); }
int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; i <= argc; i++)
        say("again\n");
    return 0;
}
END
ok 'link-time optimisation that adds a routine' wpp-gcc -w -O2 -flto say.c -o say
is 'it is called' "$(nm -u say | grep -oE '\<f(printf|write)\>')" fwrite
is 'and is recorded' "$(wpp-record -q -o say.wpp ./say)" $'again\nagain'
ok 'soundly' wpp-check --strict say.wpp
ok 'static' built prog $all -- wpp-gcc -static main.c part.c other.c -o prog
ok 'a library with libc named, as libtool has it' \
    wpp-gcc -fPIC -shared -nostdlib part.c other.c -lc -o libparts.so
ok 'for a program that is not instrumented' built prog other part -- \
    gcc main.c -L. -lparts -Wl,-rpath,"$T" -o prog
ok 'and one that is' built prog $all -- wpp-gcc main.c -L. -lparts -Wl,-rpath,"$T" -o prog
# A library that is loaded later has to find the program's runtime.
cat > loads.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    void *library = dlopen("./libparts.so", RTLD_NOW);
    int (*part)(int), sum = 9;

    *(void **)&part = library ? dlsym(library, "part") : 0;
    for (int i = 0; part && i < 5; i++)
        sum += part(i) + 7;
    printf("sum %d\n", sum - 4);
    return 0;
}
END
for linker in bfd gold lld mold; do
    if command -v ld.$linker > /dev/null; then
        ok "by the linker $linker" built prog $all -- wpp-gcc -fuse-ld=$linker main.c part.c other.c -o prog
        ok 'with a library loaded later' built prog $all -- wpp-gcc -fuse-ld=$linker loads.c -ldl -o prog
    else
        skip "the linker $linker is not installed"
    fi
done
ok 'with a library, and what archives bring hidden' built prog $all -- \
    wpp-gcc -Wl,--exclude-libs,ALL loads.c -ldl -o prog
ok 'stripped' built prog $all -- sh -c 'wpp-gcc -O2 main.c part.c other.c -o prog && strip prog'

# ---- Mixed ----------------------------------------------------------------------------
ok 'C and C++ objects' sh -c 'wpp-gcc -c main.c part.c && wpp-g++ -c other.cc -o other.o'
ok 'in one program' built prog main 'odd(int)' other part -- wpp-g++ main.o part.o other.o -o prog
ok 'only the C++' built prog 'odd(int)' other -- sh -c \
    'gcc -c main.c part.c && wpp-g++ main.o part.o other.o -o prog'
ok 'only one object' built prog part -- sh -c \
    'gcc -c main.c && gcc -c other.c && wpp-gcc -c part.c && wpp-gcc main.o part.o other.o -o prog'
ok 'without the wrapper at the end' built prog part -- \
    sh -c 'gcc main.o part.o other.o -o prog $(wpp-config --libs)'
gcc -c part.c -o part.o
ok 'no object at all' wpp-gcc main.o part.o other.o -o prog
is 'is the plain program' "$(./prog)" "$(cat want)"

# ---- With what else changes the code -------------------------------------------------------
some_of -O2 -- -O0
for sanitizer in address undefined thread leak; do
    for level in "${chosen[@]}"; do
        echo 'int main(void) { return 0; }' > empty.c
        if gcc -fsanitize=$sanitizer empty.c -o empty 2> /dev/null && ./empty 2> /dev/null; then
            ok "-fsanitize=$sanitizer at $level" built prog $all -- \
                wpp-gcc -fsanitize=$sanitizer -fno-inline $level main.c part.c other.c -o prog
        else
            skip "no -fsanitize=$sanitizer here"
        fi
    done
done
cat > bad.c <<'END'
#include <stdlib.h>
int main(int argc, char **argv)
{
    char *p = malloc(argc);
    (void)argv;
    for (int i = 0; i <= argc; i++)
        p[i] = (char)i;
    return p[0];
}
END
if wpp-gcc -g -fsanitize=address bad.c -o bad 2> /dev/null; then
    WPP_OUT=bad.trace ./bad 2> err
    is 'a sanitizer still finds what is wrong' "$? $(grep -c 'heap-buffer-overflow' err)" '1 2'
fi
ok '--coverage' built prog $all -- wpp-gcc --coverage -O0 main.c part.c other.c -o prog
like 'counts as without wpp' "$(gcov -t prog-part.c 2> /dev/null)" '^ +5: +2:int part'
rm -f ./*.gc*
ok 'profile-guided: measured' built prog $all -- \
    wpp-gcc -O2 -fno-inline -fprofile-generate main.c part.c other.c -o prog
ok 'profile-guided: used' built prog $all -- \
    wpp-gcc -O2 -fno-inline -fprofile-use main.c part.c other.c -o prog
some_of '-fstack-protector-all -D_FORTIFY_SOURCE=2 -O2' -fcf-protection=full '-fsplit-stack' \
    '-mcmodel=large -O1' -finstrument-functions '-Og -g3' '-O2 -masm=intel' '-O2 -fcompare-debug' \
    '-O2 -mtls-dialect=gnu2' '-O2 -fzero-call-used-regs=all' '-mfentry -pg' -- \
    -pg '-mno-red-zone -O2' '-fno-plt -O2' '-mavx2 -O3' '-ftrivial-auto-var-init=zero' '-fomit-frame-pointer -O1' \
    '-fno-omit-frame-pointer -O1' '-O2 -ffixed-r15' '-O2 -fstack-clash-protection' \
    '-O2 -fno-asynchronous-unwind-tables' '-mcmodel=medium -O2'
for flags in "${chosen[@]}"; do
    if gcc $flags part.c -c -o part.o 2> /dev/null; then
        ok "$flags" built prog $all -- wpp-gcc $flags -fno-inline main.c part.c other.c -o prog
    else
        skip "$flags: not known to this gcc"
    fi
done

# Two routines alike: of the one that was seldom run, GCC knows so from the profile only.
cat > guided.c <<'END'
#include <stdio.h>
#define ROUTINE(name) \
    __attribute__((noinline)) int name(int n) \
    { \
        int sum = 0; \
        for (int i = 0; i < n; i++) \
            sum += i & 4 ? i * 3 : sum >> 1; \
        return sum; \
    }
ROUTINE(seldom)
ROUTINE(often)
int main(int argc, char **argv)
{
    (void)argv;
    printf("%d %d\n", seldom(argc), often(argc * 100000));
    return 0;
}
END
# calls ROUTINE [OBJECT]: how many of its events in OBJECT (guided.o) are out of line or in a
# thunk, how many inline
calls() {
    objdump -dr --no-show-raw-insn "${2:-guided.o}" |
        awk -v routine="$1" '/^[0-9a-f]+ </ { within = $2 ~ "^<" routine "(\\.cold)?>:$" }
             within && /call .*<(__wpp_event|_ZThn0_[^>]*)>/ { short++ }
             within && /__wpp_numbers/ { inline++ }
             END { print short + 0, inline + 0 }'
}
wpp-gcc -O2 -c guided.c
is 'without a profile routines alike have events alike' "$(calls seldom)" "$(calls often)"
like 'inline ones' "$(calls seldom)" ' [1-9]'
gcc -O2 -fprofile-generate -fprofile-update=single -c guided.c && gcc -fprofile-generate guided.o -o plain &&
    ./plain > want
wpp-gcc -O2 -fprofile-use -Werror=missing-profile -Werror=coverage-mismatch -c guided.c
like 'with one, what is seldom run calls' "$(calls seldom)" '^[1-9][0-9]* 0$'
like 'and what is often run does not' "$(calls often)" '^0 [1-9]'
ok 'recorded as it runs' built guided main often seldom -- wpp-gcc guided.o -o guided

# An interpreter: each case of its switch is seldom run, and all of them are what it does.
{
    echo '#include <stdio.h>'
    for i in $(seq 100); do
        echo "__attribute__((noipa)) static int op$i(int n) { return n % $((i + 3)) + $((i * 7)); }"
    done
    for way in 'interpret(int n, const char *p) { for (; *p; p++)' 'choose(int n, const char *p) {'; do
        echo "__attribute__((noipa)) int $way switch (*p) {"
        for i in $(seq 100); do
            echo "case $((20 + i)): n = op$i(n) + $i; break;"
        done
        echo '} return n; }'
    done
    echo 'int main(void) { printf("%d %d\n", interpret(5, "AxxABBx"), choose(5, "B")); return 0; }'
} > switched.c
gcc -O2 switched.c -o plain && ./plain > want
wpp-gcc -O2 -c switched.c
like 'an interpreter: events of its cases are inline' "$(calls interpret switched.o)" '^0 [1-9][0-9][0-9]$'
like 'a switch that is in no loop: they are not' "$(calls choose switched.o)" '^[1-9][0-9][0-9] '
ok 'recorded as it runs' built switched choose interpret main op100 op45 op46 -- wpp-gcc switched.o -o switched
wpp-gcc -Os -c switched.c
like 'nor are those of an interpreter that is to be small' "$(calls interpret switched.o)" '^[1-9][0-9][0-9] '

# ---- make -j ------------------------------------------------------------------------------
mkdir many
{
    for i in $(seq 24); do
        echo "int f$i(int n) { return n % $i ? n - $i : n / 2; }" > many/f$i.c
        echo "int f$i(int);"
    done
    echo '#include <stdio.h>'
    echo 'int main(void) { int n = 12345;'
    for i in $(seq 24); do echo "n += f$i(n);"; done
    echo 'printf("%d\n", n); return 0; }'
} > many/main.c
cat > many/Makefile <<'END'
CFLAGS = -O1 -MMD -MP
OBJECTS = $(patsubst %.c,%.o,$(wildcard *.c))
prog: $(OBJECTS) all.a; $(CC) $(LDFLAGS) -o $@ main.o all.a
all.a: $(OBJECTS); $(AR) rcs $@ $(filter-out main.o,$^)
-include $(OBJECTS:.o=.d)
END
unset MAKEFLAGS MAKELEVEL MFLAGS
(cd many && gcc -w ./*.c -o plain && ./plain) > want
ok 'make -j' built many/prog $(printf 'f%d\n' $(seq 24) | sort) main -- make -s -j4 -C many CC=wpp-gcc prog
touch many/f7.c
like 'and again, after a change' "$(make -j4 -C many CC=wpp-gcc prog | grep -c 'c -o f')" '^1$'
ok 'the same' recorded many/prog $(printf 'f%d\n' $(seq 24) | sort) main
done_testing
