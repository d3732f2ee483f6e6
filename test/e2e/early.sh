#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 25
# Traced code that runs before recording begins: called by a static program's libc, by IFUNC
# resolvers, by constructors of other libraries.  The program behaves as without tracing, and
# the events are counted.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
# The second reader keeps its memory to the end on purpose.
export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}

early() {
    wpp-info "$1" | awk '$1 == "early" { gsub(",", ""); n = $2 } END { print n + 0 }'
}

events() {
    wpp-info "$1" | awk '$1 == "events" { gsub(",", ""); print $2 }'
}

# recorded NAME WANT COMMAND...: as it goes without us, and whole; its output is WANT
recorded() {
    rm -f a.wpp
    run wpp-record -q -o a.wpp "${@:3}"
    is "$1: runs" "$status $(cat "$T/out" "$T/err")" "0 $2"
    ok "$1: and is recorded, whole" wpp-check --strict a.wpp
}

# ---- Static programs ---------------------------------------------------------------------------

# One path a call, so events are calls.
cat > own.c << 'END'
#include <stddef.h>
#include <stdio.h>
int calls;
void *memcpy(void *to, const void *from, size_t n)
{
    void *begin = to;

    calls++;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
    return begin;
}
size_t strlen(const char *s)
{
    const char *at = s;
    size_t n = -1;

    calls++;
    __asm__ volatile("repne scasb" : "+D"(at), "+c"(n) : "a"(0) : "memory");
    return at - s - 1;
}
int main(void)
{
    int all = calls;

    printf("%d\n", all);
    return 0;
}
END
for how in -static -static-pie '-static -flto' '-static -O0' '-static -fPIE' \
           '-static -fplugin-arg-wpp-base=load' '-static-pie -fplugin-arg-wpp-time' \
           '-static -fstack-protector-all'; do
    ok "$how: is built" "$WPP_GCC" -O2 -fno-builtin $how -o own own.c
    rm -f a.wpp
    run env WPP_OUT=none ./own
    calls=$(cat "$T/out")
    is "$how: runs" "$status $(cat "$T/err")" '0 '
    recorded "$how" "$calls" ./own
    n=$(wpp-dump --routines a.wpp | awk '/memcpy|strlen/ { n += $2 } END { print n + 0 }')
    early=$(early a.wpp)
    # printf itself may call them, too.
    ok "$how: of $calls calls before main $early were early, $n recorded" \
        test "$early" -gt 0 -a $((early + n)) -ge "$calls"
    is "$how: none is lost" "$(wpp-info --format=json a.wpp | grep -o '"lost":[0-9]*')" '"lost":0'
    WPP_RUNTIME=nop ok "$how: links with the runtime that records nothing" \
        "$WPP_GCC" -O2 -fno-builtin $how -o own own.c
    ok "$how: and runs" ./own
done
cat > hand.sh << 'END'
gcc $(wpp-config --cflags) -O2 -fno-builtin "$@" own.c $(wpp-config --static-libs) -o own
END
for how in -static '-static-pie -fPIE'; do
    ok "$how, by hand" sh hand.sh $how
    ok "$how: runs" env WPP_OUT=none ./own
done
# Where a program begins may be its own matter.
cat > start.c << 'END'
__asm__(".globl mine\nmine: jmp _start");
int main(void) { return 0; }
END
entry() {
    local at

    at=$(readelf -h "$1" | sed -n 's/.*Entry point address: *0x//p')
    nm "$1" | awk -v at="$at" '$1 ~ "^0*" at "$" && $3 !~ /^\./ { print $3 }'
}
for how in '-e mine' -emine --entry=mine -Wl,-e,mine -Wl,--entry=mine '-Xlinker -e -Xlinker mine'; do
    ok "$how" "$WPP_GCC" -static $how -o start start.c
    is "$how: counts" "$(entry start)" mine
done
ld --verbose | sed -n '/^=====/,/^=====/{/=====/!p}' > start.ld
for how in '-T start.ld' -Tstart.ld -Wl,-T,start.ld -Wl,--script=start.ld; do
    ok "$how" "$WPP_GCC" -static $how -o start start.c
    is "$how: has a start of its own" "$(entry start)" _start
done
ok 'a program without a traced routine' "$WPP_GCC" -static -fplugin-arg-wpp-exclude='*' -o start start.c
ok 'runs' ./start

# ---- IFUNC resolvers -----------------------------------------------------------------------------

cat > features.c << 'END'
#include "features.h"
int features(void) { return 1; }
END
for hidden in '' '__attribute__((visibility("hidden")))'; do
cat > features.h << END
int features(void) $hidden;
END
cat > resolve.c << 'END'
#include "features.h"
static int plus_1(int x) { return x + 1; }
static int plus_2(int x) { return x + 2; }
static KIND int (*resolve(void))(int) { return features() ? plus_2 : plus_1; }
int fn(int) __attribute__((ifunc("resolve")));
int through(int x) { return fn(x); }
END
cat > main.c << 'END'
#include <stdio.h>
int fn(int), through(int);
int main(void) { return printf("%d %d\n", fn(1), through(2)) < 0; }
END
some_of '' -static -Wl,-z,now -flto -O0 -fplugin-arg-wpp-stage=early '-masm=intel -fcf-protection=none' \
    '-DKIND=__attribute__((no_wpp))' -- -static-pie '-no-pie -Wl,-z,lazy' '-flto -flto-partition=max' \
    -fplugin-arg-wpp-time '-fplugin-arg-wpp-exclude=resolve.c'
for how in "${chosen[@]}"; do
    case $how in *KIND*) kind= ;; *) kind=-DKIND= ;; esac
    ok "an IFUNC, ${hidden:+hidden, }$how" "$WPP_GCC" -O2 $kind $how -o ifunc main.c resolve.c features.c
    recorded "${hidden:+hidden, }$how" '3 4' ./ifunc
    case $how in
    -flto*|*early) ;;         # GCC sees both
    *) is "${hidden:+hidden, }$how: its callee is counted" $(($(early a.wpp) > 0)) 1 ;;
    esac
done
some_of -Wl,-z,lazy '-fno-plt -Wl,-z,now' -- -Wl,-z,now -fplugin-arg-wpp-stage=early
for how in "${chosen[@]}"; do
    ok "in a library, ${hidden:+hidden, }$how" "$WPP_GCC" -O2 -DKIND= -shared -fPIC $how -o libfn.so \
        resolve.c features.c
    for cc in gcc "$WPP_GCC"; do
        for bind in lazy now; do
            name="${cc##*/} -z $bind, a library, ${hidden:+hidden, }$how"
            $cc -Wl,-z,$bind -o ifunc main.c -L. -lfn -Wl,-rpath,"$T"
            recorded "$name" '3 4' ./ifunc
            LD_BIND_NOW=1 recorded "$name, bound at once" '3 4' ./ifunc
        done
        name="${cc##*/} dlopen, ${hidden:+hidden, }$how"
        $cc -o open -xc - << 'END'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    void *library = dlopen("./libfn.so", RTLD_NOW);
    int (*through)(int) = (int (*)(int))dlsym(library, "through");

    return printf("%d\n", through(2)) < 0;
}
END
        recorded "$name" 4 ./open
        is "$name: the resolver's callee is counted" "$(early a.wpp)" 1
        is "$name: and stands nowhere" "$(wpp-dump --routines a.wpp | grep -c features)" 0
    done
done
done
cat > other.c << 'END'
static int one(void) { return 1; }
static int (*resolve(void))(void) { return one; }
int fn(void) __attribute__((ifunc("resolve")));
END
echo 'int fn(void); int main(void) { return fn() - 1; }' > plain.c
ok 'an object of which nothing but a resolver is compiled' \
    "$WPP_GCC" -O2 -fplugin-arg-wpp-exclude='*' -c other.c
for how in '' -static; do
    ok "is linked without a runtime $how" gcc $how -o plain plain.c other.o
    ok "and runs $how" ./plain
done

# ---- Constructors -----------------------------------------------------------------------------------

cat > visit.c << 'END'
int visited;
int visit(void) { return ++visited; }
END
cat > up.c << 'END'
#include <pthread.h>
int visit(void) __attribute__((weak));
static void *some(void *p)
{
    for (int i = 0; i < 1000; i++)
        visit();
    return p;
}
__attribute__((constructor)) static void up(void)
{
    pthread_t thread;

    visit();
    visit();
    visit();
    if (pthread_create(&thread, 0, some, 0) == 0)
        pthread_join(thread, 0);
}
END
cat > visits.c << 'END'
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
int visit(void);
int main(int argc, char **argv)
{
    if (argc == 1)
        return visit() - 1004;
    if (*argv[1] == 'f' && fork() == 0)
        return visit() - 1004;
    wait(0);
    visit();
    return *argv[1] == 'k' ? kill(getpid(), SIGKILL) : 0;
}
END
"$WPP_GCC" -O2 -shared -fPIC -o visit.so visit.c
gcc -O2 -shared -fPIC -pthread -o libup.so up.c
# The last one in the list is the first to be initialised.
gcc -O2 -o visits visits.c -Wl,--no-as-needed ./visit.so -L. -lup -Wl,-rpath,"$T"
recorded 'a constructor of another library' '' ./visits
is 'what it calls is early, one by one' "$(early a.wpp) $(events a.wpp)" '1003 1'
like 'and said' "$(wpp-info a.wpp)" '^early  *1,003 events before recording began$'
run wpp-record -q --trace=a.trace -o a.wpp ./visits kill
is 'also when the process is killed' "$status $(early a.wpp) $(events a.wpp)" '137 1003 1'
ok 'which is whole' wpp-check --strict a.wpp
like 'it stands in the trace' "$("$BUILD/test/read-trace" a.trace)" '^EARLY tokens=1003$'
ok 'from which the same file comes' wpp-compress -q -o b.wpp a.trace
is 'by the same count' "$(early b.wpp)" 1003
rm -rf a.wpp*
ok 'a child' wpp-record -q -o a.wpp ./visits fork
is 'has none of its parent' "$(early a.wpp) $(early a.wpp.d/*)" '1003 0'

# A module's code may run while recording goes on and the module is not registered: its tokens
# are nobody's.
cat > load.c << 'END'
#include <dlfcn.h>
static int mine(int x) { return x + 1; }
int (*volatile f)(int) = mine;
int main(void)
{
    void *visits = dlopen("./late.so", RTLD_NOW | RTLD_GLOBAL);
    int (*visit)(void) = (int (*)(void))dlsym(visits, "visit");

    return f(visit()) - 1005;
}
END
ok 'a program that loads libraries' "$WPP_GCC" -O2 -o load load.c
# Untraced, before what it calls.
"$WPP_GCC" -O2 -shared -fPIC -o late.so visit.c -Wl,--no-as-needed -L. -lup
recorded 'a constructor of a library that is loaded' '' env LD_LIBRARY_PATH="$T" ./load
is 'what it calls there is early' "$(early a.wpp)" 1003
is 'and the rest right' "$(wpp-dump --routines a.wpp | awk 'NR > 1 { print $5, $2 }' | sort | tr '\n' ' ')" \
    'main 1 mine 1 visit 1 '

done_testing
