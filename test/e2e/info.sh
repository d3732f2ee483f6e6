# SPDX-License-Identifier: MIT
# wpp-info: figures that can also be counted otherwise; JSON that parsers accept.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

# field NAME JSON: the value of a number, string or truth value
field() { printf '%s\n' "$2" | sed -n "s/.*\"$1\":\(\"[^\"]*\"\|[^,}]*\).*/\1/p"; }

cat > prog.c <<'END_C'
static int unused(int n) { return n; }
static int leaf(int n) { return n * 3 % 7; }
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += leaf(i);
    return sum == 1 ? unused(sum) : 0;
}
END_C
"$WPP_GCC" -O0 -g prog.c -o prog && WPP_OUT=prog.trace ./prog 'an "argument"' && wpp-compress -o prog.wpp prog.trace
ok 'text' wpp-info prog.wpp
like 'the program is named' "$(cat "$T/out")" '^program +.*/prog$'
json=$(wpp-info --format=json prog.wpp)
is 'one line of JSON' "$(printf '%s\n' "$json" | wc -l)" 1
if command -v python3 > /dev/null; then
    ok 'JSON that parses' python3 -c 'import json, sys; d = json.loads(sys.argv[1]); assert d["threads"][0]["events"] == d["events"]; assert "\"argument\"" in d["command"]' "$json"
else
    skip 'no python3 here to parse JSON'
fi
is 'events are counted' "$(field events "$json")" $(($(wpp-dump --tokens prog.wpp | wc -c) / 4))
is 'calls are counted' "$(field calls "$json")" 1001
is 'paths are counted' "$(field paths "$json")" \
    "$(wpp-dump --tokens prog.wpp | od -An -v -tu4 -w4 | sort -u | wc -l)"
is 'executed routines' "$(field routines "$json")" 2
is 'instrumented routines' "$(field instrumented_routines "$json")" 3
is 'the size of the file' "$(field wpp_bytes "$json")" "$(stat -c %s prog.wpp)"
is 'the size of the trace' "$(field trace_bytes "$json")" "$(stat -c %s prog.trace)"
is 'complete' "$(field complete "$json")" true
is 'instructions are those of the routines' "$(field instructions "$json")" \
    "$(wpp-dump --routines prog.wpp | awk 'NR > 1 { n += $1 } END { print n }')"

# ---- Symbols, whose rules can be counted by hand: abcabcabcabc -------------------
printf '\1\0\0\0\2\0\0\0\3\0\0\0' > abc
# A routine of more paths than the limit.
cat > limits.c <<'END_C'
#define CHOICE(i) if (n & 1 << i) s += n * i; else s ^= i;
#define CHOICES CHOICE(0) CHOICE(1) CHOICE(2) CHOICE(3) CHOICE(4) CHOICE(5) CHOICE(6) CHOICE(7)
static int many(int n) { int s = 1; CHOICES return s; }
int main(int argc, char **argv) { (void)argv; return argc > 1 ? many(argc) == 1 : 0; }
END_C
WPP_PLUGIN_ARGS=limit=16 "$WPP_GCC" -O0 -o limits limits.c
wpp-record -q ./limits
is 'one that is not executed' "$(wpp-info limits.wpp | sed -n 's/^limited *//p')" \
    '1 routine has paths cut at the limit, but was not executed'
wpp-record -q ./limits more
like 'one that is' "$(wpp-info limits.wpp)" \
    '^limited +1 routine has paths cut at the limit: [1-9][0-9]* events \([0-9.]+ %\), of which [1-9]'

cat abc abc abc abc > symbols
wpp-compress --symbols -o symbols.wpp symbols
json=$(wpp-info --format=json symbols.wpp)
# S -> BB, B -> AA, A -> abc
is 'symbols: events, distinct ones' "$(field events "$json") $(field paths "$json")" '12 3'
is 'symbols: rules, symbols on right-hand sides' \
    "$(field rules "$json") $(field rhs_symbols "$json")" '2 7'
like 'symbols: text' "$(wpp-info symbols.wpp)" 'distinct symbols +3$'
head -c 4000000 /dev/zero | wpp-compress --symbols -o zeros.wpp -
is 'how much larger the trace is, in full' "$(wpp-info zeros.wpp | sed -n 's/^trace \/ WPP *//p')" \
    "$(awk -v n="$(stat -c %s zeros.wpp)" 'BEGIN { printf "%d", 4e6 / n + 0.5 }' | sed 's/...$/,&/')"

# ---- Tables ---------------------------------------------------------------------
wpp-info prog.wpp symbols.wpp > table
is 'a table: head and a row a file' "$(wc -l < table)" 4
is 'its columns stand below each other' \
    "$(awk '{ print length($0) }' table | sort -u | wc -l)" 1
is 'a table of one file' "$(wpp-info --format=table prog.wpp | wc -l)" 3

# ---- Bad input --------------------------------------------------------------------
fails_with 2 'no file' wpp-info
fails_with 2 'no such format' wpp-info --format=xml prog.wpp
fails_with 1 'no such file' wpp-info none.wpp
fails 'no WPP' wpp-info prog.c
head -c 200 prog.wpp > cut.wpp
fails_with 3 'a cut file' wpp-info cut.wpp
head -c $(($(stat -c %s prog.trace) - 70)) prog.trace > cut.trace
wpp-compress -o part.wpp cut.trace 2> /dev/null
wpp-info part.wpp > part 2>&1
is 'a run that was cut short: status' $? 3
like 'a run that was cut short: said' "$(cat part)" '^complete +no'
# Whatever else is asked of it, the answer is not taken for one about all of the run.
for tool in wpp-dump 'wpp-dump --line-counts' 'wpp-dump -o part.txt' wpp-dot 'wpp-hot -l 1' \
            'wpp-info --uninstrumented'; do
    fails_with 3 "$tool, of a run that was cut short" $tool part.wpp
    like 'says so' "$(cat err)" '^wpp-[a-z]*: part.wpp: the trace is incomplete \(cut short\);'
done
is 'what there is, is written' "$([ -s part.txt ] && echo yes)" yes

# What one may take for a WPP file.
: > empty.wpp
while read -r file what; do
    fails_with 1 "$file" wpp-info "$file"
    like 'is known' "$(cat err)" "^wpp-info: $file is no WPP file: it is $what"
done <<'END'
empty.wpp empty$
prog.trace a trace; wpp-compress makes
prog a program .*; wpp-record runs
END

# ---- Names that hold anything -------------------------------------------------------
odd=$'pr\nog\e[1m'
cp prog "$odd"
WPP_OUT=odd.trace "./$odd" > /dev/null
wpp-compress -o "$odd.wpp" odd.trace
wpp-info prog.wpp > plain
{ wpp-info "$odd.wpp"; wpp-dump "$odd.wpp" | head -n 1; wpp-hot -l 1 "$odd.wpp"; wpp-check "$odd.wpp"; } > told
is 'none acts on the terminal' "$(grep -c $'\e' told)" 0
wpp-info "$odd.wpp" prog.wpp > table
is 'or a row of a table' "$(sed -n 3p table | tr -s ' ' '\t' | cut -f1) $(wc -l < table)" \
    'pr?og?[1m.wpp 4'
is 'whose columns stay where they are' "$(awk '{ print length($0) }' table | sort -u | wc -l)" 1
is 'or breaks a line' "$(wpp-info "$odd.wpp" | wc -l)" "$(wc -l < plain)"
WPP_PLUGIN_ARGS='exclude=unseen' "$WPP_GCC" -g -o odd-source -x c - -x none <<END
# 1 "pr\\012og.c"
int unseen(void) { return 1; }
int main(void) { return unseen() - 1; }
END
wpp-record -q -o source.wpp ./odd-source
is 'a source that was left out is on a line' "$(wpp-info --uninstrumented source.wpp source.wpp |
    sed 's|/.*/||' | tr -s ' ')" \
    "$(printf '%s\n' source.wpp: 'excluded unseen pr?og.c:1' source.wpp: 'excluded unseen pr?og.c:1')"
for view in events lines line-counts routines; do
    is "one that was executed, too: $view" "$(wpp-dump --$view source.wpp | grep -c '^og\.c')" 0
    like 'and is named' "$(wpp-dump --$view source.wpp)" 'pr\?og\.c:2'
done
like 'in what is known of the run' "$(cat told)" '^program .*/pr\?og\?\[1m$'
like 'nor that of a thread' "$(cat told)" '^EnterThread [0-9]+ pr\?og\?\[1m$'
like 'nor the file' "$(cat told)" '^pr\?og\?\[1m\.wpp: fine: '
fails_with 1 'nor in what is wrong' wpp-dump --thread=7 "$odd.wpp"
is 'which is one line' "$(cat err)" 'wpp-dump: pr?og?[1m.wpp: no thread 7; it has 1, counted from 0'

# ---- How it ended ------------------------------------------------------------------------
# An event is a path that has ended: that all are there does not mean that all of the run is.
cat > end.c <<'END_C'
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    volatile int sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += i;
    switch (argc > 1 ? *argv[1] : ' ') {
    case 's': *(volatile int *)0 = sum; break;
    case '_': _exit(4);
    case 'x': execl("/bin/true", "true", (char *)0);
    }
    return 3;
}
END_C
"$WPP_GCC" -O0 -g end.c -o end
# ends HOW WHERE WANT
ends() {
    is "$1 $2: complete" "$(wpp-info "end-$2.wpp" | sed -n 's/^complete *//p')" "$3"
    json=$(wpp-info --format=json "end-$2.wpp")
    is "$1 $2: for programs" "$(field complete "$json") $(field ended "$json") $(field in_a_path "$json")" \
        "true 0 $([ "$3" = yes ] && echo false || echo true)"
}
for how in return segv _exit xec; do
    rm -f end-*.wpp
    (ulimit -c 0; wpp-record -q -o end-recorder.wpp ./end $how; WPP_OUT=end.trace ./end $how) > /dev/null 2>&1
    wpp-compress -q -f -o end-file.wpp end.trace
    case $how in
    return) ends $how recorder yes; ends $how file yes ;;
    segv)   ends $how recorder 'to its last event: it was killed in the middle of a path'
            ends $how file 'to its last event: it was killed in the middle of a path' ;;
    _exit)  ends $how recorder yes
            ends $how file 'to its last event: it was killed, or left by _exit or exec' ;;
    xec)    ends $how file 'to its last event: it was killed, or left by _exit or exec' ;;
    esac
done
done_testing
