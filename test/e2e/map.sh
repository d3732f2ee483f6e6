#!/bin/bash
# SPDX-License-Identifier: MIT
# mode=map: the code stays as it is, byte by byte; the map's blocks are those of the code.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
map=$BUILD/test/unit/address-map

cat > virtual.cc <<'END'
#include <cstdio>
#include <stdexcept>
struct A { virtual int f(int x) { return x; } int a; };
struct B { virtual int g(int x) { return x + 1; } int b; };
struct C : A, B {
    int g(int x) override
    {
        if (x > 2)
            throw std::runtime_error("x");
        return x * 2;
    }
};
__attribute__((noinline)) int sum(B *b, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        try {
            s += b->g(i);
        } catch (std::exception &e) {
            s += 100;
        }
    }
    return s;
}
template <class T> __attribute__((noinline)) T choose(T x)
{
    switch (x) {
    case 0: return 5;
    case 1: return x * 7;
    case 2: puts("2"); return 1;
    case 3: return 9;
    case 4: puts("four"); return 2;
    case 5: return sum(nullptr, 0);
    }
    return x;
}
int main(int argc, char **)
{
    C c;
    int s = sum(&c, argc * 5);
    for (int i = 0; i < 8; i++)
        s += choose(i);
    printf("%d\n", s);
    if (argc > 3)
        __builtin_trap();
}
END
cat > jumps.c <<'END'
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static jmp_buf back;
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
__attribute__((cold, noinline)) static void fail(int n) { printf("fail %d\n", n); longjmp(back, 1); }
__attribute__((noinline)) static int run(const unsigned char *code, int n)
{
    static const void *const table[] = {&&add, &&sub, &&loop, &&stop};
    int a = 0;
    goto *table[*code];
add:  a += 3; code++; goto *table[*code];
sub:  a -= 1; code++; goto *table[*code];
loop: for (int i = 0; i < n; i++) if (i % 3) a ^= i; code++; goto *table[*code];
stop: return a;
}
int main(int argc, char **argv)
{
    int v[] = {5, 3, 9, 1}, s = 0;
    char text[40];
    qsort(v, 4, sizeof *v, by_value);
    for (int i = 0; i < 4; i++)
        s += v[i] * i;
    memset(text, argc, sizeof text);
    if (setjmp(back) == 0 && s + argc > 10)
        fail(s);
    printf("%d %d\n", run((const unsigned char *)"\0\1\2\2\1\3", 10), text[7]);
    return argv[argc] != NULL;
}
END

# GCC puts a no-operation between the begin of a cold part and a landing pad there.
cat > pads.cc <<'END'
#include <map>
#include <string>
#include <vector>
struct sub {
    int id;
    std::string name;
    std::vector<std::string> all;
};
std::map<std::string, sub> parse(const std::vector<std::string> &lines)
{
    std::map<std::string, sub> out;
    for (const std::string &line : lines) {
        sub s;
        s.id = (int)line.size();
        s.name = line;
        s.all.push_back(line);
        for (size_t i = 0; i < s.all.size(); i++)
            out.insert(std::make_pair(s.all[i], s));
    }
    return out;
}
int main(int argc, char **argv)
{
    return (int)parse({"a", "b", argv[0]}).size() - 3 + argc - 1;
}
END

# Loaded sections of a program, one behind the other.
loaded() {
    for section in .text .rodata .data .eh_frame .gcc_except_table .init_array; do
        objcopy -O binary -j $section "$1" section 2> /dev/null && cat section
        rm -f section
    done
}

# same_code NAME COMPILER SOURCE OPTION...: with and without the map; then the steps of a stripped program.
same_code() {
    local name=$1 compiler=$2 source=$3

    shift 3
    "${compiler#wpp-}" "$@" "$source" -o plain && ok "$name: compiles" env WPP_PLUGIN_ARGS=mode=map "$compiler" "$@" "$source" -o mapped || return
    loaded plain > plain.bytes
    loaded mapped > mapped.bytes
    ok "$name: there is code" test -s plain.bytes
    same "$name: the same code" plain.bytes mapped.bytes
    strip mapped -o stripped
    run "$map" --step ./stripped
    like "$name: each step is in a block, each move an edge" "$(grep -a steps out)" '[1-9][0-9]+ moves, 0 wrong$'
}
same_code 'C++, -O2, sections, endbr' wpp-g++ virtual.cc -O2 -ffunction-sections -Wl,--gc-sections -fcf-protection
same_code 'C++, -O3 -flto' wpp-g++ virtual.cc -O3 -flto
same_code 'C, -O0' wpp-gcc jumps.c -O0
same_code 'C, -O2 -g, Intel syntax, no pie' wpp-gcc jumps.c -O2 -g -masm=intel -no-pie
same_code 'C++, a landing pad begins the cold part' wpp-g++ pads.cc -O2
if check_all; then
    same_code 'C++, -O0' wpp-g++ virtual.cc -O0
    same_code 'C++, static' wpp-g++ virtual.cc -O2 -g -static
    same_code 'C++, -Os' wpp-g++ virtual.cc -Os
    same_code 'C, -O3' wpp-gcc jumps.c -O3
    same_code 'C, partitions' wpp-gcc jumps.c -O2 -freorder-blocks-and-partition -fno-inline
    same_code 'C, -pg' wpp-gcc jumps.c -O2 -pg
fi

# All of the mapped routines' code, as a disassembler sees it: no block begins within an instruction; a
# block holds no jump but at its end; a jump leads to a successor.
disassembled() {
    objdump -d --no-show-raw-insn "$1" | awk -F '\t' -v blocks="$2" '
        BEGIN {
            while ((getline line < blocks) > 0) {
                split(line, f, " ")
                if (f[1] != f[2]) { n++; begin[f[1]] = line; end[f[1]] = f[2] }
            }
        }
        /^ *[0-9a-f]+:\t/ {
            at = $1; gsub(/[ :]/, "", at)
            if (at in begin) { block = begin[at]; last = end[at]; seen++; split(block, f, " "); next_at = " "; for (i = 7; i in f; i++) next_at = next_at f[i] " " }
            if (at == last) block = ""
            if (block != "" && jumped) print "behind a jump: " at
            jumped = 0
            if (block != "" && $2 ~ /^j/) {
                split($2, w, " +"); target = w[2]
                if (target ~ /^[0-9a-f]+$/ && index(next_at, " " target " ") == 0 && !index($2, "+0x") && $2 !~ /<[^+]*>$/) print "no edge: " at " to " target
            }
        }
        END { if (seen != n) print seen " of " n " blocks begin at an instruction" }'
}
for source in 'wpp-g++ virtual.cc' 'wpp-gcc jumps.c'; do
    some_of -O2 -- -O0
    for level in "${chosen[@]}"; do
        WPP_PLUGIN_ARGS=mode=map ${source% *} $level "${source#* }" -o mapped
        "$map" --blocks mapped > blocks
        ok "${source#* } $level: has blocks" test "$(wc -l < blocks)" -gt 10
        is "${source#* } $level: a disassembly agrees" "$(disassembled mapped blocks)" ''
        objcopy --dump-section .wpp_addr=addr --dump-section .wpp_map=table mapped copy
        "$BUILD/test/read-map" addr table | sort > want
        sort blocks > got
        same "${source#* } $level: the document's reader has the same blocks" want got
        "$BUILD/test/read-map" --origins addr table | sort > want
        "$map" --origins mapped | sort > got
        same "${source#* } $level: and the same origins" want got
    done
done

cat > lines.c <<'END'
#include <stdio.h>
static inline int twice(int x)
{
    return x > 3 ? x * 2 : x;
}
int main(int argc, char **argv)
{
    int s = twice(argc);
    while (argc < 9)
        s += argc++;
    return s == 7 && argv;
}
END
WPP_PLUGIN_ARGS=mode=map wpp-gcc -O2 lines.c -o lines
is 'a mapped program records nothing' "$(nm lines | grep -c __wpp)" 0
fails 'without the map nothing is read' "$map" --blocks /bin/true

run wpp-gcc -fplugin-arg-wpp-mode=map -fplugin-arg-wpp-inline=all -c lines.c -o lines.o
like 'mode=map makes no events' "$status $(cat err)" "^1 .*'mode=map' makes code without events: 'inline=' does not go"
ok 'damaged maps are refused, or read within bounds' "$map" --damage ./mapped
like 'most are refused' "$(cat out)" ', [1-9][0-9]+ refused'

# In a library.
echo 'int half(int x) { while (x > 7) x /= 2; return x; }' > half.c
WPP_PLUGIN_ARGS=mode=map wpp-gcc -O2 -fPIC -shared half.c -o libhalf.so
like 'a library has a map' "$("$map" --blocks libhalf.so)" ' half 2 '
done_testing
