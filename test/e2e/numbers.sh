#!/bin/bash
# SPDX-License-Identifier: MIT
# Tokens that the linker has made (tracer/trace-abi.h, NUMBERS): with every linker and kind of
# executable, together with objects and libraries that get their numbers when they are loaded.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

cat > main.c <<'END'
#include <stdio.h>
int half(int), third(int), from_library(int);
int main(int argc, char **argv)
{
    int sum = 0;
    for (int i = argc; i < 60; i++)
        sum += i % 3 ? half(i) : third(i);
    printf("%d\n", from_library(sum));
    return 0;
}
END
cat > half.c <<'END'
int half(int x) { return x & 1 ? x * 3 + 1 : x / 2; }
END
cat > third.c <<'END'
int third(int x) { int n = 0; while (x > 2) { x /= 3; n += x & 1; } return n; }
END
cat > library.c <<'END'
int from_library(int x) { return x > 100 ? x - 100 : x; }
END

# compiled OPTION...: an object of each; `half` is told what to do by $half, `third` by $third
compiled() {
    wpp-gcc -g "$@" -c main.c -o main.o && wpp-gcc -g "$@" $half -c half.c -o half.o &&
        wpp-gcc -g "$@" $third -c third.c -o third.o && wpp-gcc -g "$@" -c library.c -o library.o
}
# lines NAME: its program's source lines in the order of their execution, in lines.NAME
lines() {
    rm -f "$1.wpp"
    wpp-record -q -o "$1.wpp" "./$1" > "$1.out" && wpp-check --strict -q "$1.wpp" &&
        wpp-dump --lines "$1.wpp" > "lines.$1"
}
linked() {
    readelf -rW "$1" | grep -c 'R_X86_64_TPOFF32.*__wpp_numbers'
}
# first_token NAME
first_token() {
    wpp-dump --tokens "$1.wpp" | od -An -tu4 -N4 | tr -d ' '
}

for o in -O0 -O2; do
    half='' third=''
    ok "$o: compiled for numbers at loading" compiled $o -fplugin-arg-wpp-base=load
    is 'the linker makes none' "$(linked main.o)" 0
    wpp-gcc main.o half.o third.o library.o -o want
    ok 'and recorded' lines want
    ok 'numbers are small' test "$(first_token want)" -lt 100

    ok "$o: compiled for the linker's numbers" compiled $o
    ok 'the linker makes some' test "$(linked main.o)" -gt 0
    for linker in bfd gold lld mold; do
        gcc -fuse-ld=$linker -x c - -o none <<< 'int main(void) { return 0; }' 2> /dev/null ||
            { skip "the linker $linker is not there"; continue; }
        for kind in -pie -no-pie -static; do
            name=$linker$kind
            ok "$o: linked by $linker $kind" wpp-gcc -fuse-ld=$linker $kind main.o half.o third.o library.o -o $name
            ok 'and recorded' lines $name
            same 'the same lines' lines.$name lines.want
        done
    done
    ok 'the linker made them' test "$(first_token bfd-pie)" -gt 1000000

    half=-fPIC third=-fplugin-arg-wpp-base=load
    ok "$o: compiled for both" compiled $o
    wpp-gcc third.o half.o main.o library.o -o mixed
    ok 'all kinds in one executable' lines mixed
    same 'the same lines' lines.mixed lines.want
    wpp-gcc -g $o -fPIC -shared library.c -o libours.so
    wpp-gcc main.o half.o third.o -L. -lours -Wl,-rpath,"$T" -o beside
    ok 'and a library beside it' lines beside
    same 'the same lines' lines.beside lines.want
done

half='' third=''
compiled -O2
cp bfd-pie stripped && cp bfd-pie copied
ok 'a program without symbols' strip stripped
rm -f stripped.wpp
ok 'records' wpp-record -q -o stripped.wpp ./stripped
ok 'objcopy copies it' objcopy bfd-pie copied
ok 'and it records' lines copied
same 'the same lines' lines.copied lines.want
wpp-gcc -r main.o half.o -o both.o && wpp-gcc both.o third.o library.o -o partly
ok 'objects that were linked to one' lines partly
same 'the same lines' lines.partly lines.want
wpp-gcc -no-pie -Wl,-Ttext-segment=0x60000000 main.o half.o third.o library.o -o far
ok 'an executable far up in memory' lines far
same 'the same lines' lines.far lines.want


# What lies between the thread's variables and the numbers counts.
cat > large.c <<'END'
#include <stdio.h>
#ifdef DATA
volatile char data[DATA];
#endif
#ifdef LOCAL
_Thread_local volatile char local[LOCAL];
#endif
int main(int argc, char **argv)
{
    int odd = 0;
    for (int i = 0; i < 9; i++)
        if ((i + argc) % 2)
            odd++;
#ifdef DATA
    data[odd] = 1;
#endif
#ifdef LOCAL
    local[odd] = 1;
#endif
    printf("%d\n", odd);
    return 0;
}
END
for linker in bfd gold lld mold; do
    [ -x $linker-pie ] || continue
    ok "$linker: 2 billion bytes of data" wpp-gcc -g -O2 -DDATA=2000000000 -fuse-ld=$linker large.c -o data-$linker
    ok 'and it records' lines data-$linker
    ok "$linker: 20 MB for a thread" wpp-gcc -g -O2 -DLOCAL=20000000 -fuse-ld=$linker large.c -o local-$linker
    ok 'and it records' lines local-$linker
done
wpp-gcc -g -O2 -DLOCAL=80000000 large.c -o more
run ./more
like '80 MB for a thread are refused' "$(cat err)" 'compile it with -fplugin-arg-wpp-base=load'
wpp-gcc -g -O2 -DLOCAL=80000000 -fplugin-arg-wpp-base=load large.c -o more
ok 'and so they are recorded' lines more

# Linkers that leave out what nobody needs keep a unit's record and its numbers, or neither.
cat > unused.c <<'END'
int unused(int x) { return x > 3 ? x * 7 : x; }
END
for pic in -fPIE -fPIC; do
    half=$pic
    compiled -O2 -ffunction-sections -fdata-sections
    wpp-gcc -g -O2 -ffunction-sections $pic -c unused.c -o unused.o
    for linker in bfd gold lld mold; do
        [ -x $linker-pie ] || continue
        name=clean-$linker$pic
        wpp-gcc -fuse-ld=$linker -Wl,--gc-sections main.o unused.o half.o third.o library.o -o $name
        ok "$linker: an unused object of $pic" lines $name
        same 'the same lines' lines.$name lines.want
    done
done
half=
compiled -O2

cat > reversed.ld <<'END'
SECTIONS { wpp_numbers (NOLOAD) : { *third.o(wpp_numbers) *(wpp_numbers) } } INSERT AFTER .bss;
END
wpp-gcc main.o half.o third.o library.o -Wl,-T,reversed.ld -o reversed
run ./reversed
like 'numbers in another order than the units are refused' "$(cat err)" 'numbers of its paths are not usable'
is 'and the program runs on' "$status $(cat out)" "0 $(cat want.out)"

done_testing
