#!/bin/bash
# SPDX-License-Identifier: MIT
# Inlined code has its function's name: from GCC's scopes through the path table and the WPP to
# wpp-hot.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

# built NAME COMPILER OPTION...: NAME, recorded to NAME.wpp, which is sound
built() {
    local name=$1

    shift
    rm -f "$name" "$name.wpp"
    "$@" -o "$name" && wpp-record -q -o "$name.wpp" ./"$name" && wpp-check --strict -q "$name.wpp"
}
# lines NAME: the different lines of the executed routines and whose code they are, as the
# second reader finds them: routine, file:line, calls from the innermost outwards
lines() {
    "$BUILD/test/read-wpp" --lines "$1.wpp" | cut -d ' ' -f 1,3- | sort -u
}

# ---- C: one in another, in two files ------------------------------------------------

cat > swap.h <<'END'
static inline __attribute__((always_inline)) void swap(int *x, int *y)
{
    int t = *x;
    *x = *y;
    *y = t;
}
END
cat > sort.c <<'END'
#include "swap.h"
static inline __attribute__((always_inline)) int partition(int *a, int n)
{
    int p = a[n / 2], i = 0, k = n - 1;
    for (;;) {
        while (a[i] < p)
            i++;
        while (a[k] > p)
            k--;
        if (i >= k)
            return i;
        swap(&a[i++], &a[k--]);
    }
}
__attribute__((noinline)) static void sort(int *a, int n)
{
    if (n < 2)
        return;
    int k = partition(a, n);
    sort(a, k);
    sort(a + k, n - k);
}
int main(void)
{
    static int a[1000];
    unsigned x = 1;
    for (int i = 0; i < 1000; i++)
        a[i] = (x = x * 1103515245 + 12345) >> 8 & 0xffff;
    sort(a, 1000);
    for (int i = 1; i < 1000; i++)
        if (a[i] < a[i - 1])
            return 1;
    return 0;
}
END
# misnamed: lines that are not said to be of the function in whose body they stand
misnamed() {
    awk '{ split($2, at, ":"); n = at[2]; want = ""
           if (at[1] == "sort.c" && n >= 2 && n <= 14) want = " partition@sort.c:19"
           if (at[1] == "swap.h") want = " swap@sort.c:12 partition@sort.c:19"
           got = ""; for (i = 3; i <= NF; i++) got = got " " $i
           if (got != want) print }'
}
for options in -O2 '-O2 -g' '-O3 -g' '-Os' '-O0 -g' '-O2 -flto' '-O2 -g -flto'; do
    ok "sort, $options" built sort "$WPP_GCC" $options sort.c
    lines sort > all
    is 'each line is that of its function' "$(misnamed < all)" ''
    is 'there are lines of all three' "$(awk '{ print NF }' all | sort -u | paste -sd' ')" '2 3 4'
done
export WPP_PLUGIN_ARGS=stage=early
ok 'sort, before inlining' built sort "$WPP_GCC" -O2 -g sort.c
is 'nothing has been inlined' "$(lines sort | awk 'NF > 2')" ''
is 'so each function is a routine' "$(lines sort | cut -d ' ' -f 1 | sort -u | paste -sd' ')" 'main partition sort swap'
unset WPP_PLUGIN_ARGS
ok 'sort, with lines' built sort "$WPP_GCC" -O2 -g sort.c
lines sort > all

# ---- What wpp-hot says ----------------------------------------------------------------

ok 'the hottest paths' wpp-hot -l 1 -L 1 --top=20 sort.wpp
like 'the name stands over the code' "$(grep -A1 '^ *partition, inlined at line 19:$' out)" \
    '^ +(4|6|8) [ *] *(int p|while)'
like 'with its file, if that is another' "$(grep -A2 '^ *swap, inlined at line 12, swap.h:$' out)" \
    '^ +[345] \* *(int t|\*x|\*y)'
like 'and that of the routine where its own code goes on' "$(grep -A1 '^ *sort:$' out)" \
    '^ +(20|21) \* *sort\('
is 'code of main is nobody else'"'"'s' "$(awk '/^    [a-z]/ { routine = $1 }
    routine == "main" && /inlined/' out)" ''
paths_of() {
    wpp-hot --query "$1 before sort" sort.wpp | sed -n "1s/.*: //p"
}
like 'a question about an inlined function' "$(paths_of swap)" '^[1-9][0-9,]* paths$'
is 'is one about its code' "$(paths_of swap)" "$(paths_of swap.h:4)"
number() {
    tr -dc 0-9 <<< "$1"
}
is 'also of one that holds others' \
   $(($(number "$(paths_of partition)") > $(number "$(paths_of swap)"))) 1
fails_with 1 'paths have numbers in routines alone' wpp-hot --query 'swap/0 before sort' sort.wpp
if command -v python3 > /dev/null; then
    wpp-hot -l 1 -L 1 --top=100 --min-cost=1 --format=json sort.wpp > sort.json
    # The same lines, whoever reads them.
    ok 'as JSON' python3 - sort.json <<'END'
import json, sys
for subpath in json.load(open(sys.argv[1]))["subpaths"]:
    for path in subpath["paths"]:
        calls, rest = path["inlined"], set()
        for file in path["lines"]:
            for first, last in file["ranges"]:
                rest |= {(file["file"], n) for n in range(first, last + 1)}
        for call in calls:
            chain, c = "", call
            while True:
                chain += " %s@%s:%d" % (c["routine"], c["file"], c["line"])
                if c["caller"] is None:
                    break
                assert calls.index(c) > c["caller"]
                c = calls[c["caller"]]
            for file in call["lines"]:
                for first, last in file["ranges"]:
                    for n in range(first, last + 1):
                        rest -= {(file["file"], n)}
                        print("%s %s:%d%s" % (path["routine"], file["file"], n, chain))
        for name, n in rest:
            print("%s %s:%d" % (path["routine"], name, n))
END
    # Lines of blocks that no path ran are not among those of the paths.
    is 'the same lines are the same functions'"'" "$(sort -u out | comm -23 - all)" ''
    is 'inlined ones too' "$(grep -c 'swap@sort.c:12 partition@sort.c:19' out | awk '{ print ($1 > 0) }')" 1
else
    skip 'as JSON: no python3'
fi

# ---- C++: templates, members, constructors ---------------------------------------------

cat > heap.cc <<'END'
template<class T> struct heap {
    T cell[64];
    int n;
    __attribute__((always_inline)) heap(T first)
        : cell(), n(first) {
        put(first);
    }
    __attribute__((always_inline)) bool below(int a, int b) const {
        return cell[a] < cell[b];
    }
    __attribute__((always_inline)) void put(T t) {
        int at = n++;
        cell[at] = t;
        while (at > 0 &&
               below(at, at / 2)) {
            T other = cell[at / 2];
            cell[at / 2] = cell[at];
            cell[at] = other;
            at /= 2;
        }
    }
};
int main(int argc, char **) {
    heap<int> h(argc);
    for (int i = 0; i < 60; i++)
        h.put(i * 37 % 61);
    return h.cell[0] != 0;
}
END
for options in '-O1' '-O2 -g' '-O2 -g -flto'; do
    ok "heap, $options" built heap "$WPP_GXX" $options heap.cc
    lines heap > all
    is 'a member in a member, twice' "$(sed -n 's/.*heap.cc:9 //p' all | c++filt -i)" \
"heap<int>::below(int, int) const@heap.cc:15 heap<int>::put(int)@heap.cc:26
heap<int>::below(int, int) const@heap.cc:15 heap<int>::put(int)@heap.cc:6 heap<int>::heap(int)@heap.cc:24"
done
ok 'its paths' wpp-hot -l 1 -L 1 -c 1 --top=20 heap.wpp
like 'under the names of the source' "$(cat out)" \
    '^ +heap::below, inlined at line 15:$'
like 'as is what it is in' "$(cat out)" '^ +heap::put, inlined at line (6|26):$'

# What tells least of a long name is left out; a question need not spell the whole.
cat > names.cc <<'END'
#include <cstdlib>
namespace outer {
template <typename T> struct a_rather_long_name_for_a_thing_that_holds_one_value_only { T value; };
template <typename T> struct keeper {
    T kept;
    __attribute__((noipa)) int twice(const T &t, const T *) { return t.value.value + kept.value.value; }
};
}
template <typename T> using thing = outer::a_rather_long_name_for_a_thing_that_holds_one_value_only<T>;
int main(int argc, char **) {
    outer::keeper<thing<thing<int>>> k{{{argc}}};
    int sum = 0;
    for (int i = 0; i < 60; i++)
        sum += k.twice({{i}}, nullptr);
    return sum == 0;
}
END
ok 'long names' built names "$WPP_GXX" -O1 names.cc
ok 'their paths' wpp-hot -l 1 -L 1 -c 1 names.wpp
like 'shortened for people' "$(cat out)" '^ +outer::keeper::twice  names.cc:6  path 0'
ok 'drawn' wpp-dot -o names.dot names.wpp
like 'and in pictures' "$(cat names.dot)" '<b>outer::keeper&lt;\.\.\.&gt;::twice\(\.\.\.\)</b>'
is 'JSON has all of it' "$(wpp-hot -l 1 -L 1 -c 1 --format=json names.wpp | grep -c '"name": "outer::keeper<outer::a_r[a-z_<>: ]*int> *> *>::twice(outer::.* const&, outer::.* const\*)"')" 1
for name in twice keeper::twice outer::keeper::twice "$(wpp-dump --routines names.wpp | sed -n 's/^.*  \(outer.*\)  names.*/\1/p')"; do
    ok "before ${name:0:30}" wpp-hot --query "before $name" names.wpp
    like 'it was executed' "$(cat out)" ': 60 paths; right before them'
done
fails_with 1 'the end of a word is no name' wpp-hot --query 'before wice' names.wpp
done_testing
