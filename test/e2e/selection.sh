#!/bin/bash
# SPDX-License-Identifier: MIT
# The selection of instrumented routines; and the WPP lists the other routines with reasons.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

# built NAME OPTION...: NAME.c to NAME with $WPP_PLUGIN_ARGS, recorded to NAME.wpp
built() {
    local name=$1

    shift
    rm -f "$name" "$name.wpp"
    "$WPP_GCC" "$@" -o "$name" && wpp-record -o "$name.wpp" ./"$name" > "$name.out" &&
        wpp-check --strict "$name.wpp" > /dev/null
}
# left_out NAME: `reason: routine` of each, in one line, without the names of clones
left_out() {
    wpp-info --uninstrumented "$1.wpp" |
        sed -E 's/^(.*[^ ])  +([^ .]+)[^ ]*  [^ ]*$/\1: \2/' | paste -s -d ';'
}
# ran NAME: the routines that were recorded
ran() {
    wpp-dump "$1.wpp" | sed -n 's/^ *EnterRoutine \([^ ]*\).*/\1/p' | sort -u | paste -s -d ' '
}

mkdir -p made inc
export C_INCLUDE_PATH=inc
cat > prog.c <<'END_C'
#include <stdio.h>
#include <shared.h>
int generated(int n);
static int chosen(int n) { return n + 1; }
static void *resolve(void) { return (void *)chosen; }
int f(int) __attribute__((ifunc("resolve")));
__attribute__((naked, noinline)) static int bare(void) { __asm__("movl $7, %eax; ret"); }
__attribute__((no_wpp, noinline)) static int unseen(int n) { return n * 3; }
__attribute__((noinline)) static int tiny(int n) { return n; }
__attribute__((noinline)) static int large(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += i % 3 ? i ^ s : tiny(s) * 7 + shared(i) % 11;
    return s;
}
int main(void)
{
    printf("%d\n", large(9) + unseen(2) + generated(3) + f(4) + bare());
    return 0;
}
END_C
cat > inc/shared.h <<'END_C'
__attribute__((noinline, no_wpp)) static int shared(int n) { return n + 5; }
END_C
cat > made/generated.c <<'END_C'
#include <shared.h>
__attribute__((noinline)) static int inner(int n) { return n > 2 ? shared(n) : 0; }
int generated(int n) { return inner(n) + inner(n - 1); }
END_C

# ---- What cannot or shall not be instrumented by itself -----------------------------
by_itself='runs too early: resolve;no frame: bare;attribute: unseen'
gcc -w -O0 prog.c made/generated.c -o plain && ./plain > want
for options in -O0 -O2 '-O2 -flto'; do
    WPP_PLUGIN_ARGS='' ok "nothing chosen, $options" built prog -w -Werror $options prog.c made/generated.c
    same "the same result, $options" prog.out want
    is "what is left out by itself, $options" "$(left_out prog)" \
        "attribute: shared;$by_itself"
done
# GCC calls out of routines without a frame and saves no register there: its own affair, but callers may
# be in loops that do not end any more, and the trace with them.
ok 'a naked routine with calls' "$WPP_GCC" -O1 -Werror -finstrument-functions -c prog.c -o calls.o
is 'is told of, once' "$(grep -c "bare.* is naked: .*no_instrument_function" "$T/err") $(grep -c note: "$T/err")" '1 1'
ok 'and none without them' "$WPP_GCC" -O1 -Werror -c prog.c -o calls.o
is 'of which nothing is to be told' "$(cat "$T/err")" ''
wpp-info --uninstrumented prog.wpp > list
like 'with place' "$(cat list)" '^attribute       unseen[.a-z0-9]*  prog.c:8$'
like 'counted beside the others' "$(wpp-info prog.wpp)" '^left out +4 not instrumented'
like 'and in JSON' "$(wpp-info --format=json prog.wpp)" '"uninstrumented_routines":4,'
like 'listed in JSON' "$(wpp-info --uninstrumented --format=json prog.wpp)" \
    '\{"reason":"no frame","routine":"bare","source":"prog.c","line":7,"module":"[^"]*/prog"\}'
if command -v python3 > /dev/null; then
    is 'JSON that parses' "$(wpp-info --uninstrumented --format=json prog.wpp |
        python3 -c 'import json, sys; print(len(json.load(sys.stdin)["uninstrumented"]))')" 4
else
    skip 'no python3 here to parse JSON'
fi
is 'the second reader finds the same' "$("$BUILD/test/read-wpp" --left-out prog.wpp | sed 's/^[^ ]*\/prog //')" \
    "$(sed -E 's/^attribute +/1 /; s/^no frame +/5 /; s/^runs too early +/6 /
               s/^(.) (.*)  (.*):(.*)$/\2 \3 \4 \1/' list)"
fails_with 2 'no table of them' wpp-info --uninstrumented --format=table prog.wpp
like 'the attribute is for functions' \
    "$(echo '__attribute__((no_wpp)) int x;' | "$WPP_GCC" -c -x c - -o x.o 2>&1)" \
    'attribute applies only to functions'

# ---- include, exclude, min-size ----------------------------------------------------------
# A pattern is for names and for files; what is wanted is what include= says without exclude=.
export WPP_PLUGIN_ARGS='exclude=made/*'
ok 'a folder excluded' built prog -w -O1 prog.c made/generated.c
is 'and said' "$(left_out prog)" \
    "attribute: shared;excluded: inner;excluded: generated;$by_itself"
is 'and not seen' "$(ran prog)" 'chosen large main tiny'
same 'and nothing else changes' prog.out want
WPP_PLUGIN_ARGS='include=*generated.c include=main exclude=inner'
ok 'included with an exception' built prog -w -O1 -fno-ipa-sra prog.c made/generated.c
is 'only these are seen' "$(ran prog)" 'generated main'
is 'the others are said with the reason' "$(left_out prog)" \
    "attribute: shared;excluded: inner;not included: chosen;$by_itself;not included: tiny;not included: large"
WPP_PLUGIN_ARGS='min-size=12'
ok 'small ones left out' built prog -w -O1 prog.c made/generated.c
is 'large ones are seen' "$(ran prog)" 'large main'
like 'small ones are said' "$(left_out prog)" 'too small: tiny$'
WPP_PLUGIN_ARGS='min-size=0'
ok 'no size at all' built prog -w -O1 prog.c made/generated.c
is 'is small for none' "$(left_out prog)" "attribute: shared;$by_itself"

# ---- A resolver that is left out for another reason, compiled before what it calls ------------
cat > first.c <<'END_C'
int one(void), two(void);
static int pick(int n);
__attribute__((no_wpp)) static void *resolve(void) { return pick(3) ? (void *)one : (void *)two; }
static int pick(int n)
{
    int odd = 0;
    for (int i = 0; i < n; i++)
        odd += i & 1;
    return odd > 1;
}
int one(void) { return 1; }
int two(void) { return 0; }
int f(void) __attribute__((ifunc("resolve")));
int main(void) { return f(); }
END_C
WPP_PLUGIN_ARGS=''
for options in -O0 '-O2 -fno-toplevel-reorder -fno-inline'; do
    ok "a resolver without events, compiled first, $options" built first $options first.c
    is "what it calls has none either, $options" "$(left_out first)" \
        'attribute: resolve;runs too early: pick'
done

# ---- Everything left out ---------------------------------------------------------------
WPP_PLUGIN_ARGS='exclude=*'
ok 'everything excluded, and linked' "$WPP_GCC" -w -O1 -o none prog.c made/generated.c
rm -f none.wpp
for command in ./none none; do
    is "$command: an error" "$(PATH=$PATH:$PWD wpp-record -o none.wpp $command 2>&1 > none.out; echo $?)" \
        "wpp-record: $command recorded nothing: all that wpp-gcc compiled of it was left out (attribute, excluded, no frame, runs too early); instrument more of it
1"
    same "$command: does what it did" none.out want
done
ok 'nothing is written' test ! -e none.wpp
cp /bin/true foreign
like 'a program of somebody else is still that' "$(wpp-record -o none.wpp ./foreign 2>&1)" \
    'not instrumented; build it with wpp-gcc'
printf '#!/bin/sh\nexit 0\n' > script && chmod +x script
like 'and a script' "$(wpp-record -o none.wpp ./script 2>&1)" 'not instrumented; build it'
WPP_PLUGIN_ARGS='exclude=*' ok 'one part excluded' "$WPP_GCC" -w -O1 -c made/generated.c -o part.o
gcc -w -O1 prog.c part.o -o partly
like 'the rest not compiled by us: it is the part that was left out' \
    "$(wpp-record -o none.wpp ./partly 2>&1)" 'left out \(attribute, excluded\);'

# What GCC makes of a routine goes by its name.
cat > clone.c <<'END_C'
__attribute__((noinline)) static int part(int n, int k) { return n > 3 ? n * k : k; }
int main(int argc, char **argv) { (void)argv; return part(argc, 3) - part(argc + 1, 3); }
END_C
WPP_PLUGIN_ARGS='exclude=part'
ok 'clones' built clone -O2 clone.c
like 'are excluded by the name in the source' "$(wpp-info --uninstrumented clone.wpp)" \
    '^excluded +part\.constprop'

cat > plus.cc <<'END_C'
namespace deep { struct box { int n; __attribute__((noinline)) int twice(int k) { return n > k ? 2 * n : k; } }; }
__attribute__((noinline)) int other(int n) { return n + 2; }
int main() { deep::box b{3}; return b.twice(4) + other(1) - 7; }
END_C
WPP_PLUGIN_ARGS='exclude=deep::* min-size=1'
ok 'C++ names' "$WPP_GXX" -O1 plus.cc -o plus
ok 'with their namespaces' wpp-record -o plus.wpp ./plus
is 'are what a pattern means, and what is shown' "$(wpp-info --uninstrumented plus.wpp)" \
    'excluded        deep::box::twice(int)  plus.cc:1'

# ---- Objects and libraries of which nothing is left ---------------------------------------
WPP_PLUGIN_ARGS='exclude=*'
ok 'an object without any instrumented routine' "$WPP_GCC" -O1 -c made/generated.c -o generated.o
ok 'needs no runtime' gcc -O1 -w prog.c generated.o -o plain
WPP_PLUGIN_ARGS=
ok 'linked to one that has' built prog -w -O1 prog.c generated.o
is 'is listed too' "$(left_out prog)" \
    "attribute: shared;excluded: inner;excluded: generated;$by_itself"
WPP_PLUGIN_ARGS='exclude=inner' ok 'a library with a part left out' \
    "$WPP_GCC" -O1 -fPIC -shared made/generated.c -o libgenerated.so
ok 'and its program' built prog -w -O1 prog.c -L. -lgenerated -Wl,-rpath,"$T"
like 'the library is named' "$(wpp-info --uninstrumented --format=json prog.wpp)" \
    '"routine":"inner","source":"made/generated.c","line":2,"module":"[^"]*/libgenerated.so"'
is 'several files are told apart' "$(wpp-info --uninstrumented plus.wpp plus.wpp | grep -c '^plus.wpp:$')" 2
ok 'nothing left out' built clone -O0 clone.c
is 'gives an empty list' "$(wpp-info --uninstrumented clone.wpp)" ''
is 'and no line' "$(wpp-info clone.wpp | grep -c '^left out')" 0

# ---- Names that the source gives to the assembler -----------------------------------------
# GCC marks them by an asterisk.
cat > named.c <<'END_C'
int twice(int n) __asm__("zweimal");
__attribute__((noinline)) int twice(int n) { return n > 2 ? 2 * n : n; }
static inline __attribute__((always_inline)) int inner(int n) __asm__("innen");
static inline __attribute__((always_inline)) int inner(int n) { return n > 3 ? n : 1; }
int left(int n) __asm__("links");
__attribute__((noinline, no_wpp)) int left(int n) { return n > 2 ? n : 1; }
int main(int argc, char **argv) { (void)argv; return twice(argc) + inner(argc) + left(argc) - 3; }
END_C
ok 'a program with such names' built named -O1 -g named.c
is 'is recorded under them' "$(ran named)" 'main zweimal'
is 'what is left out has its own' "$(left_out named)" 'attribute: links'
is 'and no name an asterisk' "$(strings -a named | grep -cx '\*[a-z]*')" 0
WPP_PLUGIN_ARGS='exclude=zweimal' ok 'a pattern' built named -O1 named.c
is 'means them' "$(ran named)" main

# ---- Refusals --------------------------------------------------------------------------------
for argument in min-size= min-size=ten min-size=-1 min-size=9x include= exclude= min-size; do
    WPP_PLUGIN_ARGS=$argument "$WPP_GCC" -c clone.c -o clone.o 2> err
    like "no argument: $argument" "$(cat err)" "wpp-$argument. is not understood"
done
done_testing
