#!/bin/bash
# SPDX-License-Identifier: MIT
# wpp-hot: hot subpaths of a compiled program and of plain arrays, checked against the token
# array of the same run.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

# words N...: a little-endian uint32 array
words() {
    local n word

    for n; do
        printf -v word '\\x%02x\\x%02x\\x00\\x00' $((n & 255)) $((n >> 8 & 255))
        printf "$word"
    done
}

# subpaths FILE.json: a line for each: frequency, then its tokens
subpaths() {
    awk '/"rank":/ { if (f != "") print f t; t = ""; f = $0; sub(/.*"frequency": /, "", f)
                     sub(/[,}].*/, "", f) }
         /"terminal":/ { w = $0; sub(/.*"token": /, "", w); sub(/[,}].*/, "", w); t = t " " w }
         END { if (f != "") print f t }' "$1"
}

# occurrences FILE.tokens < subpaths: their true frequencies, counted one by one
# in the token array, a token a line; each line begins with the claimed one
occurrences() {
    awk 'NR == FNR { token[n++] = $1; next }
         { count = 0
           for (i = 0; i + NF - 1 <= n; i++) {
               for (j = 2; j <= NF && token[i + j - 2] == $j; j++)
                   ;
               count += j > NF
           }
           print $1, count }' "$1" -
}

# ---- Plain arrays ---------------------------------------------------------------

words 11 12 13 11 12 14 11 12 13 11 12 14 11 12 13 11 12 14 > array
ok 'compresses an array' wpp-compress -q --symbols -o array.wpp array
ok 'finds its subpaths' wpp-hot --algorithm=larus -l 2 -L 3 -c 8 --cost=paths array.wpp
is 'the text' "$(cat out)" \
"array.wpp: 1 hot subpath makes up 66.7 % of 18 paths

 #     own   paths    cost   times  kind      where
 1  66.7 %  66.7 %      12       6  straight  symbol 11

own    share of the run that is in this answer and in none above it
paths  share of its paths in the whole run, also apart and in another order
cost   of the answer, in paths
times  executions of its first alternative, at least
kind   loop; calls: a chain of calls; straight: code of one routine
where  function and lines, then other routines it runs through; \`f in g\`: f was inlined into g
The other 33.3 %: sequences that cost less than 8 each (--min-cost=8).

 1  66.7 %  straight  symbol 11
    12 paths = 6 times 2, 2 paths
    symbol 11
    symbol 12"
ok 'exactly' wpp-hot -l 2 -L 3 -c 8 --cost=paths --algorithm=exact --rotations --format=json array.wpp
is 'the exact answer' "$(subpaths out)" '6 11 12
3 12 13 11
3 13 11 12'
ok 'exactly, loops once' wpp-hot -v -l 2 -L 3 -c 8 --cost=paths --algorithm=exact array.wpp
is 'the loop' "$(sed '/^own/,/^where/d' out)" \
"array.wpp: 1 hot subpath makes up 66.7 % of 18 paths

 #     own   paths    cost   times  kind  where
 1  66.7 %  66.7 %      12       6  loop  symbol 11

The other 33.3 %: sequences that cost less than 8 each, overlaps counted in full (--min-cost=8).

 1  66.7 %  loop  symbol 11
    12 paths = 6 times 2, 2 paths of a loop of 3; in a row always 1 iteration, 3 times
    symbol 11
    symbol 12

How this was found:
  3 hot subpaths of 2 to 3 paths, rotations of a loop told as one: 1
  each costs at least 8 (44.4 %; --min-cost=8)
  frequencies are exact
  no two answers overlap"
ok 'each rotation' wpp-hot -l 2 -L 3 -c 8 --cost=paths --rotations --top=1 array.wpp
is 'the first of three' "$(sed -n '1p;$p' out)" \
"array.wpp: 1 of 3 hot subpaths make up 66.7 % of 18 paths
2 more: --top=3 shows all"
words 5 5 5 5 5 5 5 5 5 6 > fives
wpp-compress -q --symbols -o fives.wpp fives
ok 'what overlaps itself' wpp-hot -l 3 -L 3 -c 20 --algorithm=exact --format=csv fives.wpp
is 'is what all its places make up' "$(tr -d '\r' < out | tail -n 1)" \
    '1,0.900000,9,21,7,3,3,1,1,1,"",,"symbol 5",0 0 0,,,1,9,9.000,9,1,"symbol 5; symbol 5; symbol 5"'
ok 'counted without overlaps' wpp-hot -l 3 -L 3 -c 20 --non-overlapping --cover --format=csv fives.wpp
is 'its cost is part of the whole' "$(tr -d '\r' < out | tail -n 1)" \
    '1,0.900000,9,9,3,3,3,3,1,1,"",,"symbol 5",0 0 0,,0.900000,1,9,9.000,9,1,"symbol 5; symbol 5; symbol 5"'
ok 'also of what the walk found' wpp-hot -v -l 3 -L 3 -c 6 --algorithm=larus --non-overlapping fives.wpp
like 'and then frequencies are no lower bounds' "$(cat out)" \
    '^  frequencies are exact, of places that do not overlap$'
like 'which is what the heading says' "$(cat out)" '^fives.wpp: 1 hot subpath makes up 90.0 % of 10 instructions$'

# Rows of 4, 2, 7 and 1 turns of 5 6, however they begin and end.  6 5 6 5 makes up three turns of
# the first, all of the second and the third but for its first path.
words 5 6 5 6 5 6 5 6  1  6 5 6 5  2  5 6 5 6 5 6 5 6 5 6 5 6 5 6 5  3  6 5 > rows
wpp-compress -q --symbols -o rows.wpp rows
# Of a loop one iteration is shown.
ok 'iterations in a row' wpp-hot -v -l 4 -L 4 -c 30 --algorithm=exact rows.wpp
is 'so many as there are' "$(sed -n '/^ 1 *[0-9.]* %  loop  s/,$p' out)" \
" 1  75.0 %  loop  symbol 6
    24 instructions = 12 iterations of 2, 2 paths each, found as 4 paths; in a row 1 to 7 iterations, 3.5 on average, 4 times: 14 iterations with rows of less than 4 paths
    symbol 6
    symbol 5

How this was found:
  2 hot subpaths of 4 to 4 paths, rotations of a loop told as one: 1
  each costs at least 30 (93.8 %; --min-cost=30)
  frequencies are exact
  no two answers overlap
  iterations of a loop overlap: a subpath may be hot by all its places and cost less where each event counts once"
ok 'as JSON' wpp-hot -l 4 -L 4 -c 30 --algorithm=exact --format=json rows.wpp
figures='"rows": 4, "turns": 14, "min": 1, "mean": 3.500, "max": 7'
like 'its places' "$(cat out)" '"own_cost": 24, "pieces": 3, "period": 2,$'
like 'of the loop' "$(cat out)" "\"loop\": \\{$figures\\},"
like 'and what repeats in it' "$(cat out)" "\"folds\": \\[\\{\"at\": 0, \"paths\": 2, \"times\": 2, $figures\\}\\],"
words 1 2 3 1 2 3 1 2 3 1 2 > rest
wpp-compress -q --symbols -o rest.wpp rest
ok 'parts of turns' wpp-hot -l 4 -L 4 -c 12 --algorithm=exact rest.wpp
is 'cost as well' "$(grep -A1 '^ 1 *[0-9.]* %  loop  s' out)" \
" 1  90.9 %  loop  symbol 1
    10 instructions in 3 iterations of 3, 3 paths each; in a row 3 iterations"

words 1 2 3 1 2 3 1 2 3 1 2 3  9  2 3 1 2 3 1 2 3 1 > turned
wpp-compress -q --symbols -o turned.wpp turned
ok 'a row begun elsewhere' wpp-hot -v -l 6 -L 6 -c 18 --algorithm=exact turned.wpp
is 'is not all in places of one' "$(grep -A1 '^ 1 *[0-9.]* %  loop  s' out)" \
" 1  81.8 %  loop  symbol 1
    18 instructions = 6 iterations of 3, 3 paths each, found as 6 paths; in a row 3 to 4 iterations, 3.5 on average, 2 times: 7 iterations in all"

# Three with 1 before, of which one has 2 behind; 7 8 9 always together.
words 1 7 8 9 2 3 1 7 8 9 4 1 7 8 9 4 5 > context
wpp-compress -q --symbols -o context.wpp context
ok 'each made longer' wpp-hot -l 2 -L 2 -c 6 --extend --callers --cover context.wpp
is 'as long as it is as frequent' "$(sed -n '/^ 1 .*straight  s/,$p' out | sed -n '/with all/,$p')" \
"    with all above: 70.6 %
  before, 1 time:
    symbol 3
  before, 1 time:
    symbol 4
  before, 1 time: others, or nothing
    symbol 1
    symbol 7
    symbol 8
    symbol 9
  behind, 2 times:
    symbol 4
  behind, 1 time:
    symbol 2"
ok 'two of them' wpp-hot -l 2 -L 2 -c 6 --extend --top=2 context.wpp
is 'become one, as does the third' "$(head -n 1 out)" \
    'context.wpp: 1 hot subpath makes up 70.6 % of 17 instructions'
ok 'with JSON' wpp-hot -l 2 -L 2 -c 6 --extend --callers --cover --format=json context.wpp
like 'what came before' "$(cat out)" '"before": \[\{"terminal": 5, "times": 1\}, \{"terminal": 6, "times": 1\}\],'
like 'and behind' "$(cat out)" '"behind": \[\{"terminal": 6, "times": 2\}, \{"terminal": 4, "times": 1\}\],'
like 'the cover' "$(cat out)" '"covered": 0.705882,'
ok 'a question' wpp-hot --query 'symbol 1 before symbol 4' context.wpp
is 'its answer' "$(cat out)" "symbol 1: 3 paths
symbol 4: 2 paths, 2 of them (100.0 %) with symbol 1 since the one before"
ok 'of one path' wpp-hot --query 'symbol 5 before symbol 2' context.wpp
is 'in the singular' "$(cat out)" "symbol 5: 1 path
symbol 2: 1 path, 0 of them (0 %) with symbol 5 since the one before"
ok 'another' wpp-hot --query 'symbol 4 before symbol 7' context.wpp
like 'has another' "$(cat out)" '^symbol 7: 3 paths, 1 of them \(33.3 %\) with symbol 4 since'
ok 'what came before' wpp-hot --query 'before symbol 1' context.wpp
is 'from elsewhere' "$(cat out)" "symbol 1: 3 paths; right before them, but for its own:

  1 time:
    symbol 3

  1 time:
    symbol 4"
ok 'what came behind' wpp-hot --query ' behind  symbol 9 ' context.wpp
is 'the most frequent first' "$(grep -A1 time out | paste -sd' ' | tr -s ' ')" ' 2 times: symbol 4 -- 1 time: symbol 2'
fails_with 2 'a question without an order' wpp-hot --query 'symbol 1' context.wpp
fails_with 1 'about what was not executed' wpp-hot --query 'symbol 1 before symbol 11' context.wpp
words 1 2 > two
wpp-compress -q --symbols -o two.wpp two
ok 'one of each' wpp-hot -l 1 -L 1 -c 1 two.wpp
like 'in the singular' "$(cat out)" '^    1 instruction = once 1, 1 path$'
ok 'a share as minimal cost' wpp-hot -l 2 -L 3 -c 40% --format=json array.wpp
like 'is a share of the run' "$(cat out)" '"min_cost": 7,'
ok 'a count with a unit' wpp-hot -c 3k --format=json array.wpp
like 'is taken as such' "$(cat out)" '"min_cost": 3000,'
ok 'nothing is that hot' wpp-hot -c 3k array.wpp
like 'says what to do' "$(cat out)" 'without --min-cost one is chosen'
ok 'nothing is that long' wpp-hot -l 19 array.wpp
like 'says what to do' "$(cat out)" 'Nothing is 19 paths long'
ok 'from standard input' wpp-hot -l 2 -L 3 -c 8 --format=json - < array.wpp
is 'the same' "$(subpaths out)" '6 11 12'
# Where no ten in a row come twice, what costs little is hot everywhere: as many answers as events.
awk 'BEGIN { srand(5); for (i = 0; i < 60000; i++) printf "%d\n", int(16 * rand()) }' |
    perl -ne 'print pack("V", $_)' > chance
wpp-compress -q --symbols -o chance.wpp chance
ok 'hardly anything repeats' wpp-hot chance.wpp
is 'no answers are better than one for each event' "$(sed -n 's/.*: \([0-9]*\) hot subpaths .*/\1/p' out)" 0
like 'and it says what to do' "$(cat out)" '^No 10 paths in a row come often enough'
ok 'nor has the walk any' wpp-hot --algorithm=larus chance.wpp
is 'as many' "$(sed -n 's/.*: \([0-9]*\) hot subpaths .*/\1/p' out)" 0
ok 'short ones repeat' wpp-hot -l 2 -L 3 --format=csv chance.wpp
n=$(awk -F, 'NR > 1 { print $1 }' out | sort -u | wc -l)
ok "some of them: $n" test "$n" -ge 10 -a "$n" -le 60
: > empty
if wpp-compress -q --symbols -o empty.wpp empty 2> /dev/null; then
    ok 'an empty run has no subpaths' wpp-hot empty.wpp
    like 'and says so' "$(cat out)" '^empty.wpp: 0 hot subpaths'
    like 'and why' "$(tail -n 1 out)" '^The run has no events\.$'
else
    skip 'an empty run: there is no WPP of it'
fi

# ---- The first screen -------------------------------------------------------------

# 1 1 1 1 with 2 3 now and then, and 4 5 6 7 elsewhere: one loop in several orders, and another answer.
words $(for i in $(seq 60); do
            echo 1 1 1 1 1 1 2 3 1 1 1 1
            [ $((i % 3)) != 0 ] || echo $((i + 20)) 4 5 6 7 4 5 6 7 4 5 6 7 4 5 6 7 $((i + 21))
        done) > orders
wpp-compress -q --symbols -o orders.wpp orders
ok 'one loop in several orders' wpp-hot -l 6 -L 10 -c 120 orders.wpp
is 'is one answer' "$(sed -n '3,5p' out)" \
" #     own   paths    cost   times  kind  where
 1  66.7 %  66.7 %     720     520  loop  symbol 1
 2  25.9 %  29.6 %     280      60  loop  symbol 4"
is 'with its alternatives and their shares' "$(sed -n '/^    the first/,/^$/p' out)" \
"    the first alternative: 520 instructions = 520 iterations of 1, 1 path each; in a row 4 to 10 iterations, 7.5 on average, 80 times
 A  symbol 1
    paths of other alternatives:
 B  symbol 2
 C  symbol 3
    7 alternatives, 66.7 % together; as letters, A9: nine times path A
       48.1 %  A again and again
       33.3 %  A5 B
       33.3 %  A4 B C
       33.3 %  A3 B C again and again
       33.3 %  A2 B C A2
      and 2 more (--verbose)"
ok 'all of them' wpp-hot -v -l 6 -L 10 -c 120 orders.wpp
is 'when asked' "$(grep -c '^ .* %  [A-C]' out)" 7
ok 'each by itself' wpp-hot --rotations -l 6 -L 10 -c 120 orders.wpp
is 'when that is asked' "$(grep -c '^ *[0-9]* .*%.*%.*  loop  symbol [1-7]$' out)" 12
wpp-hot -l 6 -L 10 -c 120 --format=csv orders.wpp | tr -d '\r' > orders.csv
is 'CSV has each, with the rank of the first of its answer' \
    "$(awk -F, 'NR > 1 { print $(NF - 1) }' orders.csv | sort | uniq -c | tr -s ' ' | paste -sd,)" ' 7 1, 1 7'

# Answers of length 1 are all different.
ok 'details' wpp-hot -l 1 -L 1 -c 1 context.wpp
is 'of three' "$(grep -c '^    [0-9]* instructions* = ' out)" 3
for n in 0 1 2; do
    ok "of $n" wpp-hot -l 1 -L 1 -c 1 --details=$n context.wpp
    is 'as was said' "$(grep -c '^    [0-9]* instructions* = ' out)" $n
    is 'which tells how to have all' "$(tail -n 1 out)" "Details of answers $((n + 1)) to 8: --details"
done
ok 'of 7' wpp-hot -l 1 -L 1 -c 1 --details=7 context.wpp
is 'which leaves one' "$(tail -n 1 out)" 'Details of answer 8: --details'
ok 'of all' wpp-hot -l 1 -L 1 -c 1 --details context.wpp
is 'as was asked' "$(grep -c '^    [0-9]* instructions* = ' out)" 8
# 60 different paths, 50 times; without --details some 40 lines of an answer are shown.
words $(for ((i = 0; i < 50; i++)); do seq 1 60; done) > many-paths
wpp-compress -q --symbols -o many-paths.wpp many-paths
ok 'an answer of many paths' wpp-hot -l 60 -L 60 -c 100 many-paths.wpp
is 'is not shown to its end' "$(grep -c '^    symbol' out) $(tail -n 1 out)" '40     and 20 more paths (--details)'
ok 'with the paths beside it' wpp-hot --callers -l 60 -L 60 -c 100 many-paths.wpp
is 'these take nothing from its own' "$(sed -n '/^ 1 .*% *[a-z]/,$p' out | grep -c '^    symbol')" 42
ok 'all its paths' wpp-hot --details=1 -l 60 -L 60 -c 100 many-paths.wpp
is 'when asked' "$(grep -c '^    symbol' out)" 60
ok 'no answer asked for' wpp-hot --top=0 -l 1 -L 1 -c 1 context.wpp
is 'is said in a sentence' "$(cat out)" 'context.wpp: 8 hot subpaths in 17 instructions

None is shown, as --top=0 asks; --top=8 shows all.'
fails_with 2 'details of what is no number' wpp-hot --details=x context.wpp

# ---- A program --------------------------------------------------------------------

cat > sieve.c << 'END'
#include <stdio.h>
#include <stdlib.h>

static unsigned char composite[3000];

static void strike(unsigned prime)
{
    for (unsigned n = prime * prime; n < sizeof composite; n += prime)
        composite[n] = 1;
}

static int is_prime(unsigned n)
{
    if (n < 2)
        return 0;
    return !composite[n];
}

int main(void)
{
    unsigned twins = 0;

    for (unsigned n = 2; n * n < sizeof composite; n++)
        if (is_prime(n))
            strike(n);
    for (unsigned n = 3; n + 2 < sizeof composite; n += 2)
        if (is_prime(n) && is_prime(n + 2))
            twins++;
    printf("%u\n", twins);
    return 0;
}
END
ok 'a traced program is built' "$WPP_GCC" -O0 -g -o sieve sieve.c
ok 'and runs' env WPP_OUT="$T/sieve.trace" ./sieve
ok 'and is compressed' wpp-compress -q -o sieve.wpp sieve.trace
wpp-dump --tokens sieve.wpp | od -An -v -tu4 -w4 > sieve.tokens

ok 'its subpaths as text' wpp-hot sieve.wpp
# From the square of each prime up to 53 on: 3 turns of 53, 1,497 of 2, but for the first.
is 'two loops, a line each' "$(sed -n 's/^ [12] .*[0-9kM]  loop  *//p' out)" 'main  sieve.c:26-27, is_prime
strike  sieve.c:8-9'
like 'of the inner one, all but those 3, which are no 10 paths' "$(cat out)" '= 4,647 iterations of [0-9]+, 1 path each; '
like 'which is entered for each prime' "$(cat out)" '; in a row 3 to 1,497 iterations, 291 on average, 16 times$'
like 'in source lines' "$(sed -n '/^ 2 *[0-9.]* %  loop  strike/,/alternatives/p' out)" '^ +9 \*     composite\[n\] = 1;$'
ok 'with all their paths in order' wpp-hot -v sieve.wpp
like 'it is known how many rows were shorter' "$(cat out)" '16 times: 4,650 iterations with rows of less than 10 paths$'
like 'a call is seen by its indentation' "$(cat out)" '^ [A-Z]  (   )*-> is_prime  sieve.c:12,14,16'
is 'no colour into a file' "$(grep -c $'\033' out)" 0
ok 'colour when asked' wpp-hot --color=always sieve.wpp
is 'there is some' "$(grep -q $'\033' out && echo yes)" yes

ok 'as JSON' wpp-hot --algorithm=larus --format=json --top=50 -c 200 sieve.wpp
cp out walked.json
subpaths out > walked
is 'the walk finds something' "$(test -s walked && echo yes)" yes
is 'its frequencies are at most the true ones' \
   "$(occurrences sieve.tokens < walked | awk '$1 > $2 || $1 == 0')" ''
is 'nothing stands twice' "$(cut -d' ' -f2- walked | sort | uniq -d)" ''
is 'lengths are kept' "$(awk 'NF - 1 < 10 || NF - 1 > 100' walked)" ''
like 'the program is named' "$(cat out)" '"program": ".*/sieve",'
ok 'as CSV' wpp-hot --algorithm=larus --format=csv --top=50 -c 200 sieve.wpp
is 'with the same frequencies' "$(tr -d '\r' < out | awk -F, 'NR > 1 { print $5 }')" \
    "$(cut -d' ' -f1 walked)"
if command -v python3 > /dev/null; then
    ok 'the JSON is well-formed' python3 -m json.tool walked.json
else
    skip 'the JSON is well-formed: no python3'
fi
ok 'exactly' wpp-hot --algorithm=exact --format=json --top=50 -l 4 -L 20 -c 1% sieve.wpp
subpaths out > exact
is 'no share is more than everything' "$(sed -n 's/.*"share": \([0-9.]*\),.*/\1/p' out | awk '$1 > 1')" ''
is 'there are some' "$(test -s exact && echo yes)" yes
is 'exact frequencies are the true ones' "$(occurrences sieve.tokens < exact | awk '$1 != $2')" ''


# A loop of 14 turns, come to 1,000 times: all of them are told, at the place they deserve.
cat > fifteen.c << 'END'
static volatile int s;
static void a(int n)
{
    for (int i = 0; i < n; i++)
        s++;
}
int main(void)
{
    for (int k = 0; k < 1000; k++)
        a(15);
    return 0;
}
END
ok 'a loop in a loop' "$WPP_GCC" -O0 -g -o fifteen fifteen.c
ok 'is recorded' wpp-record -q -o fifteen.wpp ./fifteen
ok 'its loop' wpp-hot fifteen.wpp
like 'comes first' "$(grep -A1 '^ 1 *[0-9.]* %  loop  a ' out | paste -sd' ')" \
    '^ 1 +[0-9.]+ %  loop  a  fifteen.c:4-5 .* = 14,000 iterations of [0-9]+, 1 path each; in a row always 14 iterations, 1,000 times$'
total=$(wpp-info --format=json fifteen.wpp | sed 's/.*"instructions":\([0-9]*\).*/\1/')
is 'at what it costs' "$(sed -n 's/^ *\([0-9.]*\) %  A again and again$/\1/p' out)" \
    "$(sed -n 's/^  .*alternative: .* iterations of \([0-9]*\),.*/\1/p' out | awk -v t="$total" '{ printf "%.1f", 14000 * $1 * 100 / t }')"
ok 'what is shown together' wpp-hot --cover --format=json fifteen.wpp
is 'is no more than each' "$(awk '/"rank":/ { s = $0; sub(/.*"share": /, "", s); sum += s }
    /"covered":/ { c = $0; sub(/.*"covered": /, "", c); n++; if (c + 0 > sum + 0.00001) print c, sum }
    END { print (n > 5) }' out)" 1

# ---- Threads, system headers, names, widths ----------------------------------------------

cat > shop.cc << 'END'
#include <map>
#include <string>
#include <thread>
namespace shop {
template <class T> struct counter {
    std::map<std::string, T> counts;
    __attribute__((noinline)) void add(const std::string &key, T much) { counts[key] += much; }
};
}
static void work(int n)
{
    shop::counter<long> c;

    for (int i = 0; i < n; i++)
        c.add(std::string(1 + i % 3, 'a' + i % 5), i);
}
int main()
{
    std::thread other(work, 2000);

    work(3000);
    other.join();
}
END
ok 'a program in C++' "$WPP_GXX" -O2 -pthread -o shop shop.cc
ok 'is recorded' wpp-record -q -o shop.wpp ./shop
ok 'its answers' wpp-hot shop.wpp
is 'are in its own code' "$(grep -c '/usr/include\|bits/' out)" 0
like 'in which the headers were inlined' "$(cat out)" '^ +7 \* .*counts\[key\] \+= much'
like 'with short names' "$(cat out)" 'shop::counter::add  shop.cc:7'
is 'threads are not told' "$(grep -c 'thread [01] ' out)" 0
ok 'the same' wpp-hot -v shop.wpp
like 'with threads when asked' "$(cat out)" '^    thread 1 .*: [0-9,]+ times$'
like 'and how the cost was chosen' "$(cat out)" '--min-cost=[0-9]*, chosen for about 20 hot subpaths\)$'
ok 'and with headers' wpp-hot --system shop.wpp
like 'when asked' "$(cat out)" 'stl_tree.h:[0-9]+'
ok 'and full names' wpp-hot --full-names shop.wpp
like 'when asked' "$(cat out)" 'shop::counter<long>::add\(.*, long\)  shop.cc:7'
# widest COLUMNS OPTIONS: the longest line on a terminal of so many columns.
widest() {
    script -qec "stty cols $1; wpp-hot --color=always $2" /dev/null < /dev/null |
        tr -d '\r' | sed 's/\x1b\[[0-9;]*m//g' | awk '{ if (length > n) n = length } END { print n }'
}
if command -v script > /dev/null; then
    for columns in 20 60 80 120; do
        for options in '-v --details shop.wpp' '--system --details shop.wpp' '--annotate sieve.wpp' \
                       '--query="before shop::counter<long>::add" shop.wpp'; do
            wide=$(widest $columns "$options")
            ok "$columns columns: wpp-hot $options: $wide" test "$wide" -gt 10 -a "$wide" -le $columns
        done
    done
else
    skip 'no line is wider than the terminal: there is no script(1)'
fi

# A function with a long name, in a file with a long name and line numbers of six digits.
mkdir -p folder-of-the-source
{
    echo 'volatile int sum;'
    echo '#line 123450 "./folder-of-the-source/long-name-of-a-file.c"'
    echo 'void a_function_with_a_name_that_is_long(int n) {'
    echo '    for (int i = 0; i < n; i++)'
    echo '        sum += i;'
    echo '}'
    echo 'int main(void) { for (int k = 0; k < 500; k++) a_function_with_a_name_that_is_long(30 + k % 7); }'
} > long-names.c
ok 'long names' "$WPP_GCC" -O0 -g -o long-names long-names.c
ok 'are recorded' wpp-record -q -o long-names.wpp ./long-names
# place COLUMNS: the end of the first line of the table on a terminal of so many columns.
place() {
    script -qec "stty cols $1; wpp-hot --color=never long-names.wpp" /dev/null < /dev/null | tr -d '\r' |
        sed -n 's/^ 1 .*%.*%.* loop  //p'
}
if command -v script > /dev/null; then
    is 'a name and its place' "$(place 140)" \
        'a_function_with_a_name_that_is_long  folder-of-the-source/long-name-of-a-file.c:123451-123452'
    is 'folders go before the name is cut' "$(place 115)" \
        'a_function_with_a_name_that_is_long  long-name-of-a-file.c:123451-123452'
    is 'then the name' "$(place 88)" 'a_func...  long-name-of-a-file.c:123451-123452'
    is 'then there is no name' "$(place 80)" 'long-name-of-a-file.c:123451-123452'
    is 'then the last line; no number is ever cut' "$(place 72)" 'long-name-of-a-file.c:123451'
    like 'an alternative that is cut ends with dots' \
        "$(script -qec 'stty cols 32; wpp-hot -l 6 -L 10 -c 120 orders.wpp' /dev/null < /dev/null | tr -d '\r')" \
        '^ +33\.3 %  A3 B C again [.]{3}$'
else
    skip 'a line number is not cut: there is no script(1)'
fi
ok 'in a pipe' wpp-hot --system --details shop.wpp
is 'nothing is cut' "$(awk '{ if (length > 130) n++ } END { print (n > 0) }' out)" 1
wpp-hot --format=json --callers -l 4 -L 8 shop.wpp > shop.json
like 'JSON names paths, so that files can be joined' "$(cat shop.json)" \
    '"before": \[\{"terminal": [0-9]+, "times": [0-9]+, "routine": "_Z[^"]*", "path": [0-9]+\}'
like 'and which are one answer' "$(cat shop.json)" '"rotations": [0-9]+, "group": [0-9]+,$'
like 'CSV likewise' "$(wpp-hot --format=csv -l 4 -L 8 shop.wpp | sed -n 2p)" ',[0-9]+,"_Z[^"; ]*/[0-9]+(; _Z[^"; ]*/[0-9]+)+'

# ---- Lines and questions --------------------------------------------------------------

ok 'the lines and what they cost' wpp-hot --annotate sieve.wpp
is 'all of it' "$(awk 'NR == 1 { n = substr($7, 2) }
                       $2 == "%" && $3 ~ /^[0-9.]+$/ { n += $3 } END { printf "%.0f\n", n }' out)" \
    "$(wpp-dump --routines sieve.wpp | awk 'NR > 1 { n += $1 } END { print n }')"
like 'the dearest line' "$(grep '%' out | sort -rn | sed -n 2p)" '9 \*     *composite\[n\] = 1;|8 \*  *for'
like 'one that was not executed between others' "$(cat out)" '^ +11  *$|^ +10   *\}|^ +13   *\{'
ok 'who came before' wpp-hot --query 'is_prime before strike' sieve.wpp
like 'each strike but for its loop' "$(cat out)" \
    "^strike: [0-9,]+ paths, $(wpp-dump --routines sieve.wpp | awk '$5 == "strike" { print $2 }') of them"
ok 'who called' wpp-hot --query 'before strike' sieve.wpp
like 'main did, for each prime' "$(sed -n 3,4p out)" \
    "^  $(wpp-dump --routines sieve.wpp | awk '$5 == "strike" { print $2 }') times:\$"
like 'with its source' "$(cat out)" '^ +25 \* *strike\(n\);$'
ok 'by line' wpp-hot --query 'sieve.c:30 before is_prime/1' sieve.wpp
wpp-dump --lines sieve.wpp > lines
like 'the line is the right one' "$(cat out)" "^sieve.c:30: $(grep -c 'sieve.c:30$' lines) path"

touch -d '1 hour' sieve.c
is 'the source is that of the run' "$(wpp-hot sieve.wpp 2>&1 | grep -c -e 'newer than the run' -e 'has changed')" 0
cp sieve.c kept.c && echo >> sieve.c
for ask in '' --annotate '--query=before strike' '--query=sieve.c:30 before is_prime' '--query=behind sieve.c:30'; do
    ok "another source, wpp-hot $ask" wpp-hot ${ask:+"$ask"} sieve.wpp
    is 'is said' "$(cat err)" 'wpp-hot: sieve.c has changed since sieve was built: lines may be wrong'
done
cp kept.c sieve.c
ok 'of what shows no source' wpp-hot --query 'is_prime before strike' sieve.wpp
is 'nothing is said' "$(wc -l < out)" 2
mv sieve.c moved.c
ok 'without the source' wpp-hot sieve.wpp
like 'there are line numbers' "$(cat out)" '^ A  strike  sieve.c:8-9'
like 'and a hint' "$(cat out)" '--source=DIR'
ok 'nor for a question' wpp-hot --query 'before strike' sieve.wpp
like 'which has the hint as well' "$(tail -n 1 out)" '--source=DIR'
mkdir elsewhere && mv moved.c elsewhere/sieve.c
ok 'with the source elsewhere' wpp-hot --source elsewhere sieve.wpp
like 'the lines are back' "$(cat out)" '^ +9 \*     composite\[n\] = 1;$'

ok 'a run of which nothing is recorded' wpp-record -q --stopped -o stopped.wpp ./sieve
for cost in 1 1%; do
    ok 'has no subpaths' wpp-hot -c $cost stopped.wpp
    like 'as it has no events' "$(tail -n 1 out)" '^The run has no events\.$'
done
ok 'nor has its thread' wpp-hot --thread=0 stopped.wpp
like 'as it has none' "$(tail -n 1 out)" '^The thread has no events\.$'

# ---- A switch is one jump, whatever cases it has ------------------------------------

{
    echo 'int main(int argc, char **argv) { unsigned n = 0, s = argc;'
    echo '    while (n++ < 1000) switch (s * n & 127) {'
    for i in $(seq 0 127); do
        echo "    case $i: s = s * $((2 * i + 3)) ^ $((i * i)); break;"
    done
    echo '    } return s == 1; }'
} > cases.c
ok 'a switch of 128 cases' "$WPP_GCC" -O1 -o cases cases.c
ok 'is recorded' wpp-record -q -o cases.wpp ./cases
is 'and takes no turn 128 comparisons' \
   "$(wpp-dump --routines cases.wpp | awk '$5 == "main" { print ($1 > 5000 && $1 < 40000) }')" 1

# ---- Control words: they say where longjmp went, and run nothing -------------------

cat > back.c << 'END'
#include <setjmp.h>
static jmp_buf home;
static int sum;
__attribute__((noinline)) static void step(int i)
{
    sum += i;
    if (i & 1)
        longjmp(home, 1);
}
int main(void)
{
    volatile int i = 0;

    setjmp(home);
    while (i < 400) {
        i++;
        step(i);
    }
    return sum == 0;
}
END
ok 'a program that jumps back' "$WPP_GCC" -O1 -g -o back back.c
ok 'is recorded' wpp-record -o back.wpp ./back
events=$(($(wpp-dump --tokens back.wpp | wc -c) / 4))
frames=$(wpp-dump --tokens back.wpp | od -An -v -tx4 -w4 | grep -c ffff8000)
is 'with a word for each arrival of setjmp' "$frames" 201
is 'which is no path' "$(wpp-info --format=json back.wpp | sed 's/.*"paths":\([0-9]*\).*/\1/')" \
    "$(wpp-dump --routines back.wpp | awk 'NR > 1 { n += $3 } END { print n }')"
is 'nor for wpp-check' "$(wpp-check back.wpp | sed 's/.*, \([0-9]*\) paths of.*/\1/')" \
    "$(wpp-info back.wpp | sed -n 's/^paths executed *//p')"
for cost in insns blocks paths; do
    wpp-hot --cost=$cost -l 2 -L 8 --format=json back.wpp > back.$cost
done
like 'paths: each costs 1, these nothing' "$(cat back.paths)" "\"total_cost\": $((events - frames)),"
is 'instructions: those of the routines' "$(sed -n 's/ *"total_cost": \(.*\),/\1/p' back.insns)" \
    "$(wpp-dump --routines back.wpp | awk 'NR > 1 { n += $1 } END { print n }')"
like 'JSON says what they are' "$(cat back.blocks)" '"token": 4294934528, "routine": null, "name": "Frame 0"'
wpp-hot -l 2 -L 8 back.wpp > back.text
wpp-hot -l 2 -L 8 --format=csv back.wpp > back.csv
wpp-dot --grammar back.wpp > back.dot
is 'all call them Frame 0' "$(grep -l 'Frame 0' back.text back.csv back.dot | paste -sd' ')" \
    'back.text back.csv back.dot'
is 'none a symbol' "$(grep -il 'symbol' back.text back.csv back.dot)" ''
like 'a picture counts paths' "$(cat back.dot)" \
    ", $(wpp-info back.wpp | sed -n 's/^paths executed *//p') paths</td>"
like 'and their share is nothing' "$(cat back.dot)" 'Frame 0</b><br/>201 ×   <b>0 %<'
printf '\0\200\377\377\1\200\377\377' > high
wpp-compress -q --symbols -o high.wpp high
ok 'plain symbols may have any number' wpp-hot -l 1 -L 1 -c 1 high.wpp
is 'and are symbols' "$(grep -o 'symbol [0-9]*' out | sort -u | paste -sd' ')" 'symbol 4294934528 symbol 4294934529'

ok 'without a sample' wpp-hot --no-sample -l 2 -L 3 -c 8 --cost=paths --format=json array.wpp
unsampled=$(cat out)
ok 'nor is one taken of a small file' wpp-hot -l 2 -L 3 -c 8 --cost=paths --format=json array.wpp
is 'so the answers are the same' "$(cat out)" "$unsampled"

# ---- Wrong use, bad files -------------------------------------------------------------

for option in -l0 --min-cost=0 --min-cost=x --min-cost=-1 --min-cost=0% --min-cost=101% --min-cost=5x% \
              --max-length=0 --max-length=9G --cost=money --format=xml --algorithm=best \
              --top=x --color=blue --thread=x; do
    run wpp-hot $option sieve.wpp
    is "$option is a usage error" $status 2
done
run wpp-hot -l 20 -L 10 sieve.wpp
is 'lengths crossed' $status 2
ok 'short ones' wpp-hot -v -L 1 sieve.wpp
like 'the least length follows' "$(cat out)" ' of 1 to 1 paths$'
ok 'long ones' wpp-hot -v -l 150 sieve.wpp
like 'the greatest follows' "$(cat out)" ' of 150 to 150 paths'
fails_with 1 'sources that are nowhere' wpp-hot --source=nowhere sieve.wpp
is 'which is said' "$(cat err)" \
    'wpp-hot: --source: cannot look into nowhere: No such file or directory'
fails_with 1 'sources in a file' wpp-hot --source=elsewhere/sieve.c sieve.wpp
for option in --best --c -x -c --rotations=1; do
    fails_with 2 "$option cannot be" wpp-hot sieve.wpp $option
    like 'which is said with a hint' "$(cat err)" '^wpp-hot: .*option `.*--help explains'
done
fails_with 2 'two questions' wpp-hot --annotate --query 'is_prime before strike' sieve.wpp
for option in --format=json --min-cost=1 --extend --top=3 --no-sample; do
    fails_with 2 "$option of no subpath" wpp-hot --annotate $option sieve.wpp
    like 'which is said' "$(cat err)" "^wpp-hot: ${option%=*} is about hot subpaths, which --annotate does not look for"
done
fails_with 2 'lines by another cost' wpp-hot --annotate --cost=time sieve.wpp
like 'which is said' "$(cat err)" '^wpp-hot: --annotate tells what lines cost in instructions, not by --cost=time '
fails_with 2 'an abbreviation of several' wpp-hot --co=time sieve.wpp
like 'which are named' "$(cat err)" '^wpp-hot: option `--co` may be --cost, --cover or --color \('
fails_with 2 'of none' wpp-hot --cost-of sieve.wpp
like 'which is another thing' "$(cat err)" '^wpp-hot: there is no option `--cost-of` \('
fails_with 2 'of any' wpp-dump --l sieve.wpp
like 'wherever options are read' "$(cat err)" '^wpp-dump: option `--l` may be --[a-z-]+(, --[a-z-]+)* or --[a-z-]+ \('
fails_with 2 'nor of a question' wpp-hot --query 'is_prime before strike' --format=csv sieve.wpp
ok 'of a thread, its subpaths' wpp-hot --thread=1 shop.wpp
like 'the heading says it' "$(head -n 1 out)" " makes? up [0-9.]+ % of thread 1's [0-9.]+ k instructions by GCC's estimate\$"
ok 'of a thread' wpp-hot --annotate --thread=0 --color=never sieve.wpp
for option in --extend --rotations --no-sample; do
    fails_with 2 "$option of lower bounds" wpp-hot --algorithm=larus $option sieve.wpp
done
run wpp-hot
is 'no file' $status 2
run wpp-hot a b
is 'two files' $status 2
fails_with 1 'no such thread' wpp-hot --thread=1 sieve.wpp
fails_with 1 'no such file' wpp-hot missing.wpp
fails_with 1 'not a WPP file' wpp-hot elsewhere/sieve.c
head -c 300 sieve.wpp > cut.wpp
run wpp-hot cut.wpp
is 'a cut file' "$status $(wc -l < err)" '3 1'
if [ -e /dev/full ]; then
    run sh -c 'wpp-hot sieve.wpp > /dev/full'
    is 'a full disk' "$status $(wc -l < err)" '1 1'
fi
is 'a reader that goes away' "$(wpp-hot sieve.wpp 2>&1 | head -n 1 | wc -l)" 1
ok 'help' wpp-hot --help
for word in own paths cost times kind where alternatives iterations 'A9 B' 'x 9' returns straight; do
    like "which explains $word" "$(cat out)" "(^|[ \`])$word"
done
ok 'version' wpp-hot --version
done_testing
