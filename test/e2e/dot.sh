# SPDX-License-Identifier: MIT
# wpp-dot: Graphviz accepts the graphs, their figures add up, and nothing overlaps.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1


# ---- abcabcabcabc and d: two nodes of rules, no more ---------------------------
for i in 1 2 3 4; do printf '101\n102\n103\n'; done > list
echo 100 >> list
while read -r n; do printf "\\$(printf %03o "$n")\\0\\0\\0"; done < list > sym.bin
wpp-compress --symbols -o small.wpp sym.bin
ok 'a graph as text' wpp-dot small.wpp
cp "$T/out" small.dot
is 'a start rule, a rule, four symbols' "$(grep -c '^  n[0-9]* \[label' small.dot)" 6
is 'the loop is one edge' "$(grep -c -- '-> .*× 4 ' small.dot)" 1
like 'nothing is left out' "$(cat small.dot)" 'All rules and paths are shown|1 rules not shown'
is 'symbols keep their names' \
    "$(grep -o '<b>symbol [0-9]*' small.dot | sort | paste -sd' ')" \
    '<b>symbol 100 <b>symbol 101 <b>symbol 102 <b>symbol 103'
is 'the order of the parts' "$(sed -n 's/^  n1 -> .*label=" \([0-9]*\)\. .*/\1/p' small.dot | paste -sd' ')" '1 2 3'

# ---- A program, drawn in every format --------------------------------------------
cat > prog.cc <<'END_C'
#include <map>
#include <string>
template <class T> struct stack { T v[64]; int n = 0; void push(T x) { if (n < 64) v[n++] = x; } };
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main()
{
    std::map<std::string, int> m;
    stack<long> s;
    for (int i = 0; i < 300; i++) {
        m[std::to_string(i % 17)] += fib(i % 9);
        s.push(i);
        if (i % 10 == 0)
            m.erase(std::to_string(i % 7));
    }
    return m.size() == 3;
}
END_C
"$WPP_GXX" -O1 -g prog.cc -o prog && WPP_OUT=prog.trace ./prog && wpp-compress -o prog.wpp prog.trace
for format in dot svg png pdf; do
    ok "$format" wpp-dot -o prog.$format prog.wpp
done
like 'SVG' "$(head -c 500 prog.svg)" '<svg'
is 'PNG' "$(head -c 8 prog.png | od -An -tx1 | tr -d ' \n')" 89504e470d0a1a0a
is 'PDF' "$(head -c 5 prog.pdf)" '%PDF-'
ok 'the format is what -T says' wpp-dot -T svg -f -o prog.dot prog.wpp
like 'whatever the name' "$(head -c 500 prog.dot)" '<svg'
ok 'an ending in capitals' wpp-dot -o prog.PDF prog.wpp
is 'is one' "$(head -c 5 prog.PDF)" '%PDF-'
for name in prog.gv ./picture; do
    ok "$name" wpp-dot -o $name prog.wpp
    like 'is a text of Graphviz' "$(head -n 1 $name)" '^digraph'
done
fails_with 2 'an ending of another format' wpp-dot -o prog.gif prog.wpp
like 'is said' "$(cat err)" 'prog.gif. ends with none of .*-T'
absent 'and nothing is drawn' prog.gif
wpp-dot --grammar prog.wpp > prog.dot
cp prog.dot again.dot
wpp-dot --grammar prog.wpp > prog.dot
same 'the same picture each time' prog.dot again.dot

# ---- The limit ----------------------------------------------------------------------
for n in 1 7 25 60; do
    drawn=$(wpp-dot --grammar --max-nodes=$n prog.wpp | grep -c '^  n[0-9]* \[label')
    is "at most $n nodes" "$([ "$drawn" -le $n ] && [ "$drawn" -ge 1 ] && echo yes)" yes
done
wpp-dot --grammar --max-nodes=10 prog.wpp > ten.dot
like 'what is left out is said' "$(cat ten.dot)" '… [0-9,]+ rules not shown .*; [0-9,]+ paths not shown, [0-9.]+ % of the cost'

# Threads are all drawn; what a longjmp leaves in the trace is no path that is left out.
cat > jumps.c <<'END_C'
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>
__attribute__((noinline)) static void step(jmp_buf home, int i)
{
    if (i & 1)
        longjmp(home, 1);
}
static void *work(void *unused)
{
    jmp_buf home;
    volatile int i = 0;

    setjmp(home);
    while (i < 40)
        step(home, ++i);
    return unused;
}
int main(void)
{
    pthread_t t[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
END_C
"$WPP_GCC" -O1 -g -o jumps jumps.c -lpthread && wpp-record -q -o jumps.wpp ./jumps
wpp-dot --grammar --max-nodes=1 jumps.wpp > jumps.dot
paths=$(wpp-info jumps.wpp | sed -n 's/^paths executed *//p')
is 'each thread is a node' "$(grep -c '^  n[0-9]* \[label=<<b>thread' jumps.dot)" 5
is 'and no other' "$(grep -c '^  n[0-9]* \[label' jumps.dot)" 5
is 'a word of control is in the trace' "$(wpp-dump --tokens jumps.wpp | od -An -v -tx4 -w4 | grep -q ffff8000 && echo yes)" yes
is 'as many paths are left out as there are' \
    "$(grep -o '[0-9][0-9,]* paths not shown\|[0-9][0-9,]* paths<' jumps.dot | paste -sd' ')" "$paths paths< $paths paths not shown"

# Every routine drawn is one of the program, templates and all.
wpp-dump --routines prog.wpp | tail -n +2 |
    sed 's/^ *[0-9]* *[0-9]* *[0-9]* *[0-9]*  //; s/  [^ ]*:[0-9]*\(  (limited)\)*$//' > names
plain() {
    sed 's/<b>//; s/<\/b>.*//; s/ …$//; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' | sort -u
}
# Those that are none of the program, whatever stands for the dots of what was left out.
strangers() {
    while IFS= read -r name; do
        name=$(sed 's/[][\*^$.]/\\&/g; s/\\\.\\\.\\\./.*/g' <<< "$name")
        grep -qx -- "$name" names || echo "$name"
    done
}
grep -v thread prog.dot | grep -o '<b>[^<]*</b><br/>[^<]' | grep -v '<b>rule ' | plain > drawn
is 'routines are drawn' "$([ -s drawn ] && echo yes)" yes
is 'under their names' "$(strangers < drawn)" ''
is 'which tell them apart' "$(grep -cx '[.<>()]*' drawn)" 0
like 'which are those of the source' "$(cat drawn)" '^stack<long>::push\(long\)$|_M_[a-z_]*\(\.\.\.\)( const)?$'
grep -o '<b>rule [0-9]*: [^<]*</b>' prog.dot | sed 's/rule [0-9]*: //; s/call of //; s/[0-9]* calls: //; s/loop in //' |
    plain > drawn
is 'rules go by what they are' "$([ -s drawn ] && echo yes)" yes
is 'which is a routine' "$(strangers < drawn)" ''
is 'every rule' "$(grep -c '<b>rule [0-9]*<' prog.dot)" 0

# ---- Nothing overlaps: boxes as Graphviz placed them ----------------------------------
if command -v dot > /dev/null; then
    dot -Tplain prog.dot > plain
    is 'Graphviz finds nothing to complain of' "$(dot -Tplain prog.dot 2>&1 > /dev/null)" ''
    overlaps=$(awk '$1 == "node" { n++; x[n] = $3; y[n] = $4; w[n] = $5; h[n] = $6 }
        function abs(v) { return v < 0 ? -v : v }
        END { for (i = 1; i <= n; i++) for (j = 1; j < i; j++)
                  if (abs(x[i] - x[j]) < (w[i] + w[j]) / 2 && abs(y[i] - y[j]) < (h[i] + h[j]) / 2) c++
              print c + 0 }' plain)
    is 'no two boxes overlap' "$overlaps" 0
else
    skip 'no dot(1) here to ask for the layout'
fi

# ---- Many parts, empty, bad -------------------------------------------------------------
printf "$(awk 'BEGIN { srand(1)
    for (i = 0; i < 30000; i++) printf "\\%03o\\0\\0\\0", int(rand() * 200) + 1 }')" > sym.bin
wpp-compress --symbols -o wide.wpp sym.bin
ok 'a start rule of ten thousand parts' wpp-dot -o wide.svg wide.wpp
is 'does not give ten thousand edges' "$([ "$(wpp-dot wide.wpp | grep -c -- '->')" -lt 400 ] && echo yes)" yes
: > sym.bin
wpp-compress --symbols -o empty.wpp sym.bin
ok 'a run without events' wpp-dot -o empty.svg empty.wpp

# As many start rules as threads: what each takes may not grow with their number.
cat > threads.c <<'END_C'
#include <pthread.h>
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static void *run(void *p) { return (void *)(long)fib((int)(long)p); }
int main(void)
{
    pthread_t t;
    for (long i = 0; i < 30000; i++)
        if (pthread_create(&t, NULL, run, (void *)(i % 7)) != 0 || pthread_join(t, NULL) != 0)
            return 1;
    return 0;
}
END_C
"$WPP_GCC" -O1 threads.c -o threads -pthread
ok 'thirty thousand threads' sh -c 'WPP_OUT=threads.trace ./threads && wpp-compress -o threads.wpp threads.trace'
ok 'are drawn in a second' sh -c 'ulimit -t 1; wpp-dot --grammar threads.wpp'
is 'all of them' "$(grep -c '<b>thread [0-9]' out)" 30001

# A name is bytes, a picture is UTF-8.
latin=$(printf 'caf\351.c')
echo 'int main(void) { for (int i = 0; i < 50; i++) __asm__ volatile(""); return 0; }' > "$latin"
ok 'a source whose name is no UTF-8' "$WPP_GCC" -O0 -g -o latin ./"$latin"
ok 'is recorded' wpp-record -q -o latin.wpp ./latin
ok 'and drawn' wpp-dot -o latin.svg latin.wpp
is 'without a complaint' "$(cat err)" ''
like 'a byte that is none is replaced' "$(cat latin.svg)" 'caf�'

# ---- Calls: who called whom, as the events written out say --------------------------------
ok 'calls' wpp-dot --max-nodes=500 prog.wpp
cp out calls.dot
nodes() { sed -n 's/^  n\([0-9]*\) \[label=<<b>\([^<]*\)<.*/\1 \2/p' "$1"; }
like 'main is there, called once' "$(grep '<b>main<' calls.dot)" '<b>100 %</b>   self <b>.*<br/>1 ×>'
fib=$(nodes calls.dot | sed -n 's/ fib.*//p')
main=$(nodes calls.dot | sed -n 's/ main$//p')
is 'fib calls itself as often as wpp-dump says' \
    "$(sed -n "s/^  n$fib -> n$fib .*label=\" \(.*\) × \"\];/\1/p" calls.dot | tr -d ,)" \
    "$(wpp-dump --calls prog.wpp | sed -n 's/^ *\([0-9]*\)  *fib(int) -> fib(int)$/\1/p')"
is 'and main calls it' \
    "$(sed -n "s/^  n$main -> n$fib .*label=\" \(.*\) × \"\];/\1/p" calls.dot | tr -d ,)" \
    "$(wpp-dump --calls prog.wpp | sed -n 's/^ *\([0-9]*\)  *main -> fib(int)$/\1/p')"
ok 'three nodes at most' wpp-dot --max-nodes=3 prog.wpp
is 'are three' "$(nodes out | wc -l)" 3
like 'what is folded is said' "$(cat out)" '… [0-9]+ routines not shown, .* of the cost is their own'
like 'and counted' "$(grep '^  o[0-9]* ' out)" ' and [0-9]+ more   [0-9.]+ %>'
ok 'a run of threads' wpp-dot jumps.wpp
like 'step was called 160 times' "$(grep '<b>step<' out)" '<br/>160 ×>'

# ---- A routine: its blocks, edges that were missed, paths ---------------------------------
cat > ways.c << 'END_C'
int ways(int i)
{
    int n = 0;
    while (i > 0) {
        if (i > 1000)
            n += 7;
        else if (i & 1)
            n += 3;
        i--;
    }
    return n;
}
int main(void) { return ways(10) + ways(5) == 0; }
END_C
"$WPP_GCC" -O0 -g -o ways ways.c && wpp-record -q -o ways.wpp ./ways
ok 'a routine' wpp-dot --routine=ways ways.wpp
like 'calls' "$(grep '^  b0 ' out)" '<b>ways</b><br/>2 calls>'
like 'a block with its source, and how often it was executed' "$(grep 'n += 3' out)" '8  n \+= 3;<br align="left"/>.*>8 ×   <b>[0-9]+ %'
like 'a block that never was' "$(grep 'n += 7' out)" '>never<.*dashed'
like 'edges that were missed' "$(cat out)" '; 2 edges missed \(dashed\)'
is 'are dashed' "$(grep -c ' -> .*style=dashed' out)" 2
is 'so are as many blocks' "$(grep -c '^  b[0-9]* \[label.*dashed' out)" 1
like 'paths are listed' "$(cat out)" 'path [0-9]+   [0-9]+ ×   <b>[0-9]+ %</b>   ways\.c:'
if command -v dot > /dev/null; then
    is 'Graphviz takes it' "$(dot -Tplain out 2>&1 > /dev/null)" ''
fi
ok 'three boxes' wpp-dot --routine=ways --max-nodes=3 ways.wpp
like 'the rest is folded' "$(cat out)" '… [0-9]+ blocks folded'
is 'boxes' "$(grep -c '^  b[0-9]* \[label=<<font' out)" 3
ok 'of a profile' sh -c 'wpp-profile -o ways.profile ways.wpp && wpp-dot --routine=ways ways.profile > of-profile'
wpp-dot --routine=ways ways.wpp > of-wpp
is 'the same' "$(grep '^  b' of-profile)" "$(grep '^  b' of-wpp)"
fails_with 1 'but no calls' wpp-dot ways.profile
rm ways.c
ok 'without its source' wpp-dot --routine=ways ways.wpp
like 'lines have numbers' "$(cat out)" '>8<br align="left"/>'
fails_with 1 'no such routine' wpp-dot --routine=nothing ways.wpp
like 'is said' "$(cat err)" 'no routine .nothing. was executed'

# ---- Rules ------------------------------------------------------------------------------
like 'a loop' "$(wpp-dot --grammar ways.wpp)" '<b>rule [0-9]+: loop in ways<'
like 'calls' "$(cat prog.dot)" '<b>rule [0-9]+: (call of|[0-9]+ calls:) fib'
rule=$(sed -n 's/^  n1 .*<b>rule \([0-9]*\):.*/\1/p' prog.dot)
ok 'one rule' wpp-dot --rule="$rule" prog.wpp
like 'is the top' "$(grep '^  n0 ' out)" "<b>rule $rule: .*<br/>1 ×   <b>100 %"
like 'as the title says' "$(cat out)" "one execution of rule $rule: [0-9]+ events, "
fails_with 1 'there are not so many' wpp-dot --rule=999999 prog.wpp
like 'is said' "$(cat err)" 'there is no rule 999999; its [0-9]+ rules are counted from 0'
fails_with 2 'a routine has no rules' wpp-dot --rule=1 --routine=main prog.wpp

fails 'an existing picture is not replaced' wpp-dot -o prog.svg prog.wpp
ok 'but by force' wpp-dot -f -o prog.svg prog.wpp
ok 'a device is written to, not replaced' wpp-dot -T png -o /dev/null prog.wpp
is 'and still one' "$([ -c /dev/null ] && echo yes)" yes
fails_with 2 'no such format' wpp-dot -T gif prog.wpp
fails_with 2 'no node' wpp-dot --max-nodes=0 prog.wpp
fails_with 2 'no file' wpp-dot
fails_with 1 'no such file' wpp-dot none.wpp
fails 'no WPP' wpp-dot prog.cc
fails 'no such folder' wpp-dot -o none/prog.svg prog.wpp
done_testing
