#!/bin/bash
# SPDX-License-Identifier: MIT
# wpp-step --dap: an editor's conversation (dap/talk.py), whose steps, stops and stacks are those that wpp-dump
# says, forwards and backwards; what an editor may get wrong; random requests and broken messages.
. "$(dirname "$0")/lib.sh"
talks=$ROOT/test/e2e/dap
python3 -c 'import json, socket' 2> /dev/null || { skip 'no python3 here'; done_testing; exit; }
cd "$T" || exit 1
cp "$ROOT/test/e2e/step/run.c" .
ok 'builds' "$WPP_GCC" -O0 -g -o run run.c
ok 'records' wpp-record -q -o run.wpp -- ./run seven

# talk RUN [ARGUMENT...]: the conversation on standard input, behind a beginning with these arguments of `launch`
talk() {
    local run=$1

    shift
    { echo initialize
      echo "launch {\"program\": \"$run\"$(printf ', %s' "$@" | sed 's/^, $//')}"
      cat; } | timeout 60 python3 "$talks/talk.py" 2>&1 | sed 1,2d
}
# stacks: of wpp-dump, as talk.py writes them
stacks() {
    sed -nE 's/^#[0-9]+ +([^ ].*[^ ]) +([^ ]+:[0-9]+)  (since.*|inlined)$/\1|\2|\3/p; s/^event .*//p' |
        awk -F'|' 'NF < 2 { print ""; next }
                   { n = split($2, part, "/"); print part[n] " in " $1 ($3 == "inlined" ? " (inlined)" : "") }'
}
# The same without the first line, which is empty.
stack_at() {
    wpp-dump --stack="$1" "$2" | stacks | sed 1d
}
breakpoints() {
    local source=$1 line list=

    shift
    for line; do list="$list${list:+, }{\"line\": ${line%% *}${line#"${line%% *}"}}"; done
    echo "setBreakpoints {\"source\": {\"path\": \"$source\"}, \"breakpoints\": [$list]}"
}

# ---- All steps ---------------------------------------------------------------------------------
wpp-dump --lines run.wpp | sed 's|.*/||' > lines
talk run.wpp '"stepBack": "into"' > all <<< 'configurationDone
all
back'
n=$(wc -l < lines)
is 'it begins at the first line' "$(head -n 1 all)" "stopped entry at $(head -n 1 lines) in main"
is 'steps are the lines of wpp-dump' "$(sed -n "2,${n}p" all | diff - <(sed 1d lines))" ''
is 'and backwards' "$(sed "1,${n}d" all | diff - <(tac lines))" ''

cat > many.cc <<'END'
#include <cstdio>
#include <numeric>
#include <vector>
namespace shop {
struct item { int price, n; };
static inline int total(const item &i) { return i.price * i.n; }
static inline bool dear(const item &i)
{
    return total(i) > 40;
}
__attribute__((noinline)) int count(const std::vector<item> &all)
{
    int n = 0;
    for (const item &i : all)
        if (dear(i))
            n++;
    return n;
}
}
int main()
{
    std::vector<shop::item> all;
    for (int i = 0; i < 20; i++)
        all.push_back({i * 7 % 11, i % 5});
    std::printf("%d\n", shop::count(all) + shop::count({all.begin(), all.begin() + 5}));
}
END
ok 'C++ with inlined calls' "$WPP_GXX" -O2 -g -o many many.cc
wpp-record -q -o many.wpp -- ./many > /dev/null
wpp-dump --lines many.wpp | sed 's|.*/||' > lines
talk many.wpp '"stepBack": "into"' > all <<< 'configurationDone
all
back'
n=$(wc -l < lines)
is 'its steps' "$(sed -n "2,${n}p" all | diff - <(sed 1d lines))" ''
is 'backwards' "$(sed "1,${n}d" all | diff - <(tac lines))" ''

# ---- Breakpoints -------------------------------------------------------------------------------
# stops RUN SOURCE LINE WHERE: the stacks of all executions of a line are those of wpp-dump, in both directions
stops() {
    wpp-dump --find="$2:$3" --nth=all "$1" | stacks > expected
    { breakpoints "$PWD/$2" "$3"; echo configurationDone; echo 'each continue'; } | talk "$1" | sed 1,2d > forwards
    is "$1: all executions of $2:$3" "$(diff forwards expected)" ''
    like "$1: there are some" "$(cat expected)" "$4"
    { breakpoints "$PWD/$2" "$3"; echo 'evaluate {"expression": "-0"}'; echo 'each reverseContinue'; } | talk "$1" |
        sed 1,3d | tac | awk 'NF { s = $0 (s == "" ? "" : "\n") s; next } { print ""; print s; s = "" }' > backwards
    is "$1: and backwards" "$(diff backwards expected)" ''
}
stops run.wpp run.c 17 '^run.c:17 in partition$'
stops run.wpp run.c 9 '^run.c:9 in swap \(inlined\)$'
stops many.wpp many.cc 6 '^many.cc:6 in shop::total\(.*\) \(inlined\)$'

# counts: which executions a breakpoint with a hit count stops at
counts() {
    { breakpoints "$PWD/run.c" "17, \"hitCondition\": \"$1\""; echo configurationDone
      for ((i = 0; i < 10; i++)); do echo continue; echo 'values 1'; done; } | talk run.wpp |
        sed -n 's/^line: run.c:17#\([0-9]*\) of 9$/\1/p' | paste -sd ' '
}
is 'a hit count' "$(counts 3)" 3
is 'an operator' "$(counts '>= 7') $(counts '< 3')" '7 8 9 1 2'
is 'each third' "$(counts '% 3')" '3 6 9'
is 'the last one' "$(counts -1)" 9

talk run.wpp '"stopOnEntry": false' > several <<END
$(breakpoints "$PWD/run.c" 45 15)
setFunctionBreakpoints {"breakpoints": [{"name": "sort", "hitCondition": "2"}]}
configurationDone
next
next
next
stepOut
continue
reverseContinue
reverseContinue
END
is 'several, over which steps do not go' "$(grep stopped several)" 'stopped breakpoint at run.c:45 in main; breakpoints 1
stopped step at run.c:47 in main
stopped step at run.c:48 in main
stopped step at run.c:47 in main
stopped breakpoint at run.c:15 in partition; breakpoints 2
stopped function breakpoint at run.c:23 in sort; breakpoints 3
stopped breakpoint at run.c:15 in partition; breakpoints 2
stopped entry at run.c:45 in main; breakpoints 1; the beginning of the run'

talk run.wpp > said <<END
$(breakpoints /elsewhere/run.c 17) 
$(breakpoints "$PWD/run.c" 2 36 '17, "condition": "i > 2"' '17, "hitCondition": "often"')
$(breakpoints "$PWD/walk.c" 17)
setFunctionBreakpoints {"breakpoints": [{"name": "swap"}, {"name": "nix"}, {"name": "run.c:17"}]}
END
like 'a path by its end' "$(cat said)" '"line": 17, "verified": true'
like 'a line without code' "$(cat said)" '"no executed routine has code in this line; the next line with code is 8", "verified": false'
like 'one that did not run' "$(cat said)" '"no executed routine has code in this line|the line was not executed'
like 'a condition' "$(cat said)" 'conditions cannot be known'
like 'a wrong hit count' "$(cat said)" 'the hit count is none of'
like 'another file' "$(cat said)" 'no executed routine is of this file'
like 'an inlined routine' "$(cat said)" 'all calls of `swap` that ran were inlined'
like 'no routine' "$(cat said)" 'no routine `nix` was executed'
like 'a line as a routine' "$(cat said)" '`run.c:17` is a line, no routine'

# Two files of one name: each has its own lines.
mkdir -p one two
for f in one two; do printf 'int %s(int x)\n{\n    return x + 1;\n}\n' $f > $f/part.c; done
printf 'int one(int), two(int);\nint main(void)\n{\n    return one(one(0)) - two(1);\n}\n' > parts.c
"$WPP_GCC" -O0 -g -o parts parts.c one/part.c two/part.c
wpp-record -q -o parts.wpp -- ./parts
{ breakpoints "$PWD/two/part.c" 3; breakpoints /src/part.c 3; echo configurationDone; echo 'each continue'; } |
    talk parts.wpp > said
is 'files of one name' "$(grep -v -e '^ok' -e '^stopped' said)" '
part.c:3 in two
parts.c:4 in main'
like 'which one is not said' "$(cat said)" 'several files of the run have this name'

# ---- Places ------------------------------------------------------------------------------------
for place in 'sort#2' 'partition#-1' 'run.c:25#3' 30 -7; do
    { echo "evaluate {\"expression\": \"$place\"}"; echo stack; } | talk run.wpp | sed 1,2d > stack
    # Events in which no line begins are passed over.
    wpp-dump --stack="$place" run.wpp | stacks | sed 1d > expected
    is "the console goes to $place" "$(sed 1d stack)" "$(sed 1d expected)"
    like 'its innermost call' "$(head -n 1 stack)" "^run\.c:[0-9]+ in $(sed -n '1s/.* in //p' expected)\$"
done
talk run.wpp > said <<'END'
evaluate {"expression": "run.c:17#4", "context": "repl"}
values 1
values 3
evaluate {"expression": "#5", "frameId": 1}
evaluate {"expression": "swap#99"}
evaluate {"expression": "a", "context": "hover"}
gotoTargets {"source": {"path": "run.c"}, "line": 17}
goto {"targetId": 6}
restartFrame {"frameId": 1}
stepBack
END
# Numbers of paths and events are the compiler's.
is 'what is known, and where it goes' \
    "$(sed -E 's/^time: about .*/time/; s/event [0-9]+/event N/; s/^event: .*/event/; s/^path: [0-9]+/path: P/
               s/^lines of the path: .*/lines/' said)" \
'ok {"result": "execution 4 of 9 of run.c:17; event N, run.c:17 in partition", "variablesReference": 0}
stopped goto at run.c:17 in partition
since: event N
loop run.c:16: iteration 4 of 5
path: P, event N
lines
event
time
thread: 0 of 1
call: partition#1 of 3
line: run.c:17#4 of 9
since: event N
path: P, event N
lines
event
time
thread: 0 of 1
call: main#1 of 1
line: run.c:49#1 of 1
ok {"result": "execution 5 of 9 of run.c:17; event N, run.c:17 in partition", "variablesReference": 0}
stopped goto at run.c:17 in partition
no no routine `swap` was executed
no the recording holds no values of variables
ok {"targets": [{"id": 4, "label": "next execution: 6 of 9", "line": 17}, {"id": 5, "label": "previous execution: 4 of 9", "line": 17}, {"id": 6, "label": "first execution: 1 of 9", "line": 17}, {"id": 7, "label": "last execution: 9 of 9", "line": 17}]}
stopped goto at run.c:17 in partition
stopped restart at run.c:13 in partition
stopped step at run.c:27 in sort'
is '--at and --thread' "$(printf 'launch\nconfigurationDone\n' | python3 "$talks/talk.py" --at='sort#2' --thread=0 run.wpp | tail -n 1)" \
    'stopped entry at run.c:23 in sort; execution 2 of 7 of sort'

printf '%s\n' 'evaluate {"expression": "sort#2"}' 'evaluate {"expression": ".n"}' 'evaluate {"expression": ".S"}' \
    'evaluate {"expression": ".F"}' 'evaluate {"expression": ".C"}' 'evaluate {"expression": ".x"}' | talk run.wpp > said
is 'keys in the console' "$(grep -v '^ok' said)" 'stopped goto at run.c:23 in sort
stopped step at run.c:25 in sort
stopped step at run.c:23 in sort
stopped step at run.c:28 in sort
stopped entry at run.c:45 in main; the beginning of the run
no no routine `.x` was executed'

# ---- Ends --------------------------------------------------------------------------------------
wpp-record -q -o crash.wpp -- ./run crash > /dev/null 2>&1
printf 'configurationDone\nstack\nstepBack\n' | talk crash.wpp '"stopOnEntry": false' > crashed
like 'it goes to a crash' "$(head -n 1 crashed)" 'stopped exception at run.c:42 in crash; the end: signal 11 killed'
is 'whose stack is that of wpp-dump' "$(sed '1d;$d' crashed)" "$(wpp-dump --stack crash.wpp | stacks | sed '/^$/d')"
like 'and back from there' "$(tail -n 1 crashed)" 'stopped step at run.c:4[0-9] in crash'
printf 'configurationDone\nnext\nstack\nstepBack\ncontinue\nreverseContinue\nstepBack\n' |
    talk run.wpp '"stopOnEntry": false' > ended
end='at the end: no activation is left; the end: the process exited with status 0'
is 'it stays at an end' "$(sed 's/run.c:5[0-9]/run.c:5N/' ended)" "stopped end $end
stopped end $end
the end: no activation is left
stopped step at run.c:5N in main
stopped end $end
stopped entry at run.c:45 in main; the beginning of the run
stopped step at run.c:45 in main; no traced routine called this one, or this is the beginning"

# ---- Threads -----------------------------------------------------------------------------------
cat > threads.c <<'END'
#include <pthread.h>
static void *work(void *x)
{
    int *n = x;
    for (int i = 0; i < 5; i++)
        *n += i;
    return x;
}
int main(void)
{
    int n = 0;
    pthread_t t;
    pthread_create(&t, 0, work, &n);
    pthread_join(t, 0);
    return n != 10;
}
END
ok 'a program with threads' "$WPP_GCC" -O0 -g -pthread -o threads threads.c
wpp-record -q -o threads.wpp -- ./threads
talk threads.wpp > said <<END
$(breakpoints "$PWD/threads.c" '6, "hitCondition": 2')
configurationDone
threads
next
continue {"threadId": 2}
next
next {"threadId": 1}
reverseContinue {"threadId": 2}
next {"threadId": 3}
END
is 'each thread has a place of its own' "$(sed 1d said)" 'stopped entry at threads.c:9 in main
ok {"threads": [{"id": 1, "name": "thread 0 threads"}, {"id": 2, "name": "thread 1 threads"}]}
stopped step at threads.c:11 in main
stopped breakpoint in thread 2 at threads.c:6 in work; breakpoints 1
stopped step in thread 2 at threads.c:5 in work
stopped step at threads.c:13 in main
stopped breakpoint in thread 2 at threads.c:6 in work; breakpoints 1
no there is no such thread; their numbers are 1 to 2'

# ---- Sources -----------------------------------------------------------------------------------
mkdir -p away
mv run.c away/
printf 'configurationDone\nsaid\nloadedSources\n' | talk run.wpp > said
like 'a source that is gone' "$(cat said)" '^important: .*/run\.c is not here; it was compiled as run\.c in '
like 'is marked' "$(cat said)" '"origin": "not here"'
printf 'loadedSources\n%s\n' "$(breakpoints "$PWD/away/run.c" 17)" |
    talk run.wpp "\"sourceMap\": {\"$PWD\": \"$PWD/away/../away\"}" > said
like 'sourceMap' "$(cat said)" "\"path\": \"$PWD/away/run.c\""
like 'its breakpoints' "$(cat said)" '"verified": true'
mv away/run.c .
echo '/* more */' >> run.c
printf 'configurationDone\nsaid\n' | talk run.wpp > said
like 'one that has changed' "$(cat said)" '^important: .*/run\.c has changed since it was compiled'
like 'what the run does not hold is said' "$(cat said)" '^console: .*not the values of variables'
is 'once' "$(grep -c 'values of variables' said)" 1

# ---- What can be wrong ---------------------------------------------------------------------------
python3 "$talks/talk.py" > said <<END
threads
launch
launch {"program": "gone.wpp"}
launch {"program": "run.c"}
launch {"program": "run.wpp", "thread": 7}
launch {"program": "run.wpp", "at": "nix#2"}
launch {"program": "run.wpp", "sourceMap": ["x"]}
launch {"program": "run.wpp", "stepBack": "in"}
launch {"program": "run.wpp"}
launch {"program": "run.wpp"}
readMemory
stackTrace {"threadId": 1}
END
is 'what is refused' "$(sed 's/"body".*//; /^ok {"stack/d' said)" 'no no run is open: `launch` opens one
no no run is named: `program` is the path of a .wpp file
no cannot open gone.wpp: No such file or directory
no run.c is no WPP file
no run.wpp: there is no thread 7; it has 1
no at: no routine `nix` was executed
no sourceMap is no object of paths, such as {"/build": "/home/ann/src"}
no stepBack is `over` (calls) or `into` (them)
ok {}
no a run is open already
no wpp-step does not know the request `readMemory`'
head -c 300 run.wpp > cut.wpp
like 'a damaged file' "$(echo 'launch {"program": "cut.wpp"}' | python3 "$talks/talk.py")" '^no cut.wpp is cut short or damaged'

ok 'an editor that says nothing' wpp-step --dap < /dev/null
wrong() {
    printf "$2" > sent
    refused "$1" 1 wpp-step --dap < sent
}
wrong 'no protocol' 'hello\n'
wrong 'no length' 'Content-Type: x\r\n\r\n{}'
wrong 'a length that is none' 'Content-Length: -3\r\n\r\n{}'
wrong 'a length beyond the limit' 'Content-Length: 999999999999\r\n\r\n{}'
wrong 'one that is too large' 'Content-Length: 9\r\n\r\n{}'
wrong 'one that is too small' 'Content-Length: 1\r\n\r\n{}'
wrong 'no JSON' 'Content-Length: 4\r\n\r\n{"a"'
wrong 'no object' 'Content-Length: 2\r\n\r\n[]'
wrong 'no type' 'Content-Length: 2\r\n\r\n{}'
wrong 'an unfinished header' 'Content-Length: 2\r\n'
wrong 'deep JSON' "Content-Length: 10000\r\n\r\n$(printf '[%.0s' {1..10000})"
some_of 300 -- 20000
ok 'random requests, broken streams' timeout 600 python3 "$talks/fuzz.py" "$PWD/run.wpp" "$PWD/run.c" $((chosen[-1] * 5)) $((chosen[-1] / 10))

# ---- A port ------------------------------------------------------------------------------------
timeout 60 wpp-step --dap=0 run.wpp 2> port &
server=$!
for ((i = 0; i < 200; i++)); do grep -q port port && break; sleep 0.05; done
printf 'launch\nconfigurationDone\nnext\n' |
    python3 "$talks/talk.py" --connect="$(sed -n 's/.* port \([0-9]*\) .*/\1/p' port)" > said
is 'a port' "$(tail -n 1 said)" 'stopped step at run.c:47 in main'
ok 'and then it ends' wait $server
fails_with 2 'no such port' wpp-step --dap=70000 run.wpp
fails_with 2 'no keys for it' wpp-step --dap --keys=port run.wpp
done_testing
