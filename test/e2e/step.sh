#!/bin/bash
# SPDX-License-Identifier: MIT
# wpp-step: a scenario of 30 keys, whose screens are kept in step/screens.txt, by --keys and in a terminal
# (tmux); resizing; ends of programs; what is missing or damaged.  After a change that is meant:
#
#     STEP_SCREENS=test/e2e/step/screens.txt test/run build/release test/e2e/step.sh    # then look at them
. "$(dirname "$0")/lib.sh"
steps=$ROOT/test/e2e/step
cd "$T" || exit 1
cp "$steps/run.c" .
ok 'builds' "$WPP_GCC" -O0 -g -o run run.c
ok 'records' wpp-record -q -o run.wpp -- ./run seven

# A screen without what differs from run to run.
plain() {
    sed 's/ *about [0-9.]* s$//; s/ *$//'
}
# screen KEYS [OPTION...]: the last screen
screen() {
    printf '%s\n' "$1" > keys
    shift
    wpp-step --keys=keys "$@" | plain
}

# ---- The scenario ----------------------------------------------------------------------------
mkdir screens
: > typed
n=0
while read -r keys; do
    echo "$keys" >> typed
    n=$((n + 1))
    wpp-step --keys=typed run.wpp | plain > screens/$n
    echo "==== $keys"
    cat screens/$n
done < "$steps/keys.txt" > scenario
is 'the scenario has 30 keys' "$n" 30
[ -z "${STEP_SCREENS-}" ] || cp scenario "$ROOT/$STEP_SCREENS"
# Another GCC may have other paths.
if [ "$(gcc -dumpversion | sed 's/\..*//')" = 12 ]; then
    is 'its screens' "$(diff scenario "$steps/screens.txt")" ''
else
    skip 'its screens: they are of a program by GCC 12'
fi
is 'each has 24 rows' "$(wc -l screens/* | awk '$2 != "total" && $1 != 24')" ''
is 'and at most 80 columns' "$(awk 'length > 80' screens/*)" ''

# ---- All steps ---------------------------------------------------------------------------------
# The place's line, which > marks.
place() {
    screen "$@" | sed -n 's/^>[*+ ]* *\([0-9]*\) .*/\1/p' | head -n 1
}
wpp-dump --lines run.wpp | sed 's/.*://' > lines
total=$(wc -l < lines)
for k in 1 7 20 43 $((total - 1)); do
    is "line $k of the run" "$(place "${k}s" run.wpp)" "$(sed -n "$((k + 1))p" lines)"
    is "and back from the end" "$(place "\$ $((total - k))S" run.wpp)" "$(sed -n "$((k + 1))p" lines)"
done
is 'from the last line to the end' "$(screen "${total}s" run.wpp | tail -n 1)" 'the end: the process exited with status 0'
like '--at' "$(wpp-step --at='sort#2' --keys=/dev/null run.wpp)" '^execution 2 of 7 of sort$'
is '--times: a line for each key, and a title' "$(screen 's n g"sort#2"<Enter>' --times run.wpp | wc -l)" 11

# ---- Loops -------------------------------------------------------------------------------------
is 'an iteration' "$(screen 'g"run.c:17#4"<Enter>' run.wpp | grep -o 'loop .*')" 'loop run.c:16  iteration 4 of 5'
is 'of a loop in a line' "$(screen 'g"run.c:34#4"<Enter>' run.wpp | grep -o 'loop .*')" 'loop run.c:34  iteration 4 of 5'

# ---- A terminal --------------------------------------------------------------------------------
# Types a line of keys (wpp/step/key-script.h).
type_keys() {
    local rest=$1 name

    while [ -n "$rest" ]; do
        case $rest in
        '<'*) name=${rest%%>*} rest=${rest#*>}
              tmux -L "$server" send-keys "${name#<}" ;;
        '"'*) rest=${rest#\"}
              tmux -L "$server" send-keys -l -- "${rest%%\"*}"
              rest=${rest#*\"} ;;
        *)    tmux -L "$server" send-keys -l -- "${rest:0:1}"
              rest=${rest:1} ;;
        esac
    done
}
shown() {
    tmux -L "$server" capture-pane -p 2> /dev/null | plain
}
# comes FILE: the screen becomes that, within some seconds
comes() {
    local i

    for ((i = 0; i < 200; i++)); do
        shown > now
        cmp -s now "$1" && return
        sleep 0.05
    done
    diff now "$1" | head -n 20
    return 1
}
# comes_to TEXT: a line of the screen has the text
comes_to() {
    local i

    for ((i = 0; i < 200; i++)); do
        shown | grep -q -F -- "$1" && return
        sleep 0.05
    done
    shown
    return 1
}
# in_terminal COLUMNS ROWS COMMAND
in_terminal() {
    tmux -L "$server" -f /dev/null new-session -d -x "$1" -y "$2" "$3"
}
end_terminal() {
    tmux -L "$server" kill-server 2> /dev/null
    while tmux -L "$server" ls > /dev/null 2>&1; do sleep 0.05; done
}
if command -v tmux > /dev/null; then
    server=wpp-step.$$
    trap 'tmux -L "$server" kill-server 2> /dev/null; rm -rf "$T"' EXIT
    in_terminal 80 24 'wpp-step run.wpp; sleep 20'
    ok 'it begins in a terminal' comes_to 'h: help, q: quit'
    n=0
    wrong=0
    while read -r keys; do
        n=$((n + 1))
        type_keys "$keys"
        comes screens/$n > differs || { wrong=$((wrong + 1)); [ $wrong != 1 ] || mv differs first; }
    done < "$steps/keys.txt"
    is 'the screens of the scenario in a terminal' "$wrong $(cat first 2> /dev/null)" '0 '
    # The place is looked at anew: where a screen begins depends on what was shown before.
    away='g"run.c:8#1"<Enter>0'
    type_keys q
    tmux -L "$server" resize-window -x 100 -y 30
    comes_to "-- stack $(printf -- '-%.0s' {1..41})" > /dev/null
    type_keys "$away"
    { cat "$steps/keys.txt"; echo "q $away"; } > typed
    wpp-step --keys=typed --size=100x30 run.wpp | plain > large
    ok 'a larger terminal' comes large
    tmux -L "$server" resize-window -x 60 -y 20
    ok 'a terminal that is too small' comes_to 'too small: 80 columns and 24 rows are needed'
    tmux -L "$server" resize-window -x 80 -y 24
    comes_to '-- stack --' > /dev/null
    type_keys "$away"
    wpp-step --keys=typed run.wpp | plain > small
    ok 'and one that is not any more' comes small
    type_keys q
    for ((i = 0; i < 100; i++)); do shown | grep -q run.c || break; sleep 0.05; done
    is 'q quits' "$(shown | grep -c run.c)" 0
    end_terminal
    for name in unknown-type dumb; do
        in_terminal 80 24 "TERM=$name wpp-step run.wpp 2> message; sleep 20"
        for ((i = 0; i < 100; i++)); do [ -s message ] && break; sleep 0.05; done
        is "TERM=$name" "$(cat message)" \
            "wpp-step: the terminal has no cursor that can be moved, or is of an unknown type: TERM is \`$name\`"
        rm -f message
        end_terminal
    done
    in_terminal 80 24 'NO_COLOR=1 wpp-step run.wpp; sleep 20'
    comes_to 'h: help' > /dev/null
    is 'no colours' "$(tmux -L "$server" capture-pane -p -e | grep -c "$(printf '\033\\[3[0-7]m')")" 0
    end_terminal
else
    skip 'a terminal: no tmux here'
fi
fails_with 1 'no terminal' wpp-step run.wpp

# ---- The end of a crash ------------------------------------------------------------------------
wpp-record -q -o crash.wpp -- ./run crash > /dev/null 2>&1
screen '$' crash.wpp > crashed
wpp-dump --stack crash.wpp | sed -n 's/^#\([0-9]*\) *\([a-z]*\) *\(run.c:[0-9]*\).*/#\1 \2  \3/p' > stack
is 'a crash has its stack' "$(grep -o '^#[0-9] [a-z]*  run.c:[0-9]*' crashed)" "$(cat stack)"
like 'with the calls that led there' "$(cat stack)" '^#[0-9] crash  run.c:42'
like 'and its signal' "$(tail -n 1 crashed)" 'signal 11 killed'
is 'N goes to where it was' "$(place '$ N' crash.wpp)" 42
is 'and F, again and again, to main' "$(place '$ FFFFFFF' crash.wpp)" 54

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
like 'to another thread' "$(screen 't"1"<Enter>' threads.wpp)" 'thread 1 of 2  event'
like 'and back to where it was' "$(screen '2s t<Enter> s t"0"<Enter>' threads.wpp)" '^>[*]    13 '
like 'no such thread' "$(screen 't"7"<Enter>' threads.wpp)" '^the threads are 0 to 1$'
like '--thread' "$(screen s --thread=1 threads.wpp)" '^#0 work'
fails_with 1 'no such thread at the beginning' wpp-step --thread=2 --keys=/dev/null threads.wpp

# ---- Hot subpaths ------------------------------------------------------------------------------
cat > hot.c <<'END'
#include <stdio.h>
static int sum;
__attribute__((noinline)) static void add(int x) { sum += x; }
__attribute__((noinline)) static void work(int n)
{
    for (int i = 0; i < n; i++) {
        add(i);
        if (i % 3 == 2)
            add(-i);
        if (i % 5 == 4)
            sum ^= 1;
    }
}
int main(void)
{
    for (int i = 0; i < 40; i++)
        work(15 + i % 2);
    printf("%d\n", sum);
    return 0;
}
END
ok 'a program with hot subpaths' "$WPP_GCC" -O1 -g -o hot hot.c
wpp-record -q -o hot.wpp -- ./hot > /dev/null
wpp-hot --format=csv hot.wpp | sed 1d | head -n 20 | awk -F, '{ print $1, $5 }' > ranked
is 'H: the subpaths of wpp-hot' "$(screen H hot.wpp | awk '$5 == "x" { print $1, $4 }' | diff - ranked)" ''
# The paths from each occurrence of the first one on.
times=$(sed -n '1s/.* //p' ranked)
length=$(wpp-hot --format=csv hot.wpp | sed -n 2p | cut -d, -f7)
keys='H"1"<Enter>'
for k in 1 2 3 "$times"; do
    case $k in
    "$times") keys='$H"-1"<Enter>' ;;
    esac
    screen "$keys" hot.wpp > hot
    is "occurrence $k" "$(tail -n 1 hot)" "occurrence $k of $times of subpath 1"
    event=$(sed -n 's/.*  event \([0-9,]*\) of .*/\1/p' hot | tr -d ,)
    wpp-dump --range="$event:+$length" hot.wpp | grep -o 'NewPath.*' >> strings
    keys="$keys H<Enter>"
done
split -l "$length" strings string.
is 'each is the same string' "$(for f in string.*; do cmp string.aa $f; done; ls string.* | wc -l)" 4
like 'no more of them' "$(screen '$ H"1"<Enter>' hot.wpp)" '^there is no later occurrence of subpath 1$'
like 'none before' "$(screen 'H"-1"<Enter>' hot.wpp)" '^there is no earlier occurrence of subpath 1$'
like 'no such subpath' "$(screen 'H"99"<Enter>' hot.wpp)" '^the subpaths are 1 to 20; '
like 'Escape leaves the list' "$(screen 'H<Esc> s' hot.wpp)" '^-- stack --'

# ---- Sources -----------------------------------------------------------------------------------
sed -i 's/int n = 0;/int n  =  0;/' run.c
like 'a changed source' "$(screen s run.wpp)" 'run.c:47  changed since it was compiled'
mv run.c gone.c
screen 's s' run.wpp > lines_alone
like 'no source' "$(cat lines_alone)" 'run.c:48  the file is not there: its lines have numbers alone'
is 'its lines have numbers' "$(grep -c '^[> ][*+ ]  *[0-9]*$' lines_alone)" 11
mv gone.c run.c

# What a file holds never reaches the terminal as a command to it.
printf 'int f(int x);\nint f(int x) /* \033[31m \302\233 \342\200\256 \377 gr\303\274n \344\270\255 */\n{\n\treturn x + 1;\n}\nint main(void) { return f(1) != 2; }\n' > odd.c
ok 'an odd source' "$WPP_GCC" -O0 -g -o odd odd.c
wpp-record -q -o odd.wpp -- ./odd
printf 's' > keys
LC_ALL=C.UTF-8 wpp-step --keys=keys odd.wpp > odd.text
like 'UTF-8 is shown' "$(cat odd.text)" 'int f\(int x\) /\* \?\[31m \? \? \? grün 中 \*/'
is 'nothing else is' "$(LC_ALL=C tr -d '\n -~' < odd.text | sed 's/grün//; s/ü//; s/中//')" ''
is 'and ASCII alone elsewhere' "$(LC_ALL=C wpp-step --keys=keys odd.wpp | LC_ALL=C tr -d '\n -~')" ''

# ---- Files -------------------------------------------------------------------------------------
head -c $(($(stat -c %s run.wpp) - 60)) run.wpp > cut.wpp
run wpp-step --keys=/dev/null cut.wpp
like 'a cut file' "$status" '^[13]$'
is 'is said' "$(grep -c '^wpp-step: cut.wpp: ' "$T/err")" "$(wc -l < "$T/err")"
printf '\1\0\0\0\2\0\0\0\1\0\0\0' > symbols
wpp-compress -q --symbols symbols -o symbols.wpp 2> /dev/null
fails_with 1 'no source lines' wpp-step --keys=/dev/null symbols.wpp
like 'is the reason' "$(cat "$T/err")" 'no source lines to step through'
fails_with 1 'no file' wpp-step --keys=/dev/null none.wpp

# ---- Usage -------------------------------------------------------------------------------------
fails_with 1 '--at: no such routine' wpp-step --at='nothing#1' --keys=/dev/null run.wpp
fails_with 1 '--at: behind the end' wpp-step --at=1000 --keys=/dev/null run.wpp
fails_with 2 '--size: no size' wpp-step --size=large --keys=/dev/null run.wpp
fails_with 2 '--times alone' wpp-step --times run.wpp
echo 's <Nothing>' > keys
fails_with 1 'no such key' wpp-step --keys=keys run.wpp
echo 'g"open' > keys
fails_with 1 'a text without an end' wpp-step --keys=keys run.wpp
fails_with 1 'no keys' wpp-step --keys=none run.wpp
fails_with 2 'no file given' wpp-step
like 'a key that does nothing' "$(screen 'x' run.wpp)" '^this key does nothing; h: help$'
like 'digits are shown' "$(screen '12' run.wpp)" '^12$'
like 'what is typed is shown' "$(screen 'g"so<Backspace"' run.wpp)" 'so<Backspace$'
like 'and can be taken back' "$(screen 'g"so"<Backspace><Backspace>"5"<Enter>' run.wpp)" 'event 5 of 50'
like 'Escape leaves it' "$(screen 'g"so"<Esc>s' run.wpp)" '^>[*]    47'
like 'no earlier execution' "$(screen '[' run.wpp)" 'there is no earlier execution of run.c:45'
like 'no mark' "$(screen "'z" run.wpp)" '^there is no mark z$'
like 'back from a jump' "$(screen "g\"20\"<Enter> ''" run.wpp)" 'event 0 of 50'
like 'many at once' "$(screen '100000n' run.wpp)" 'at most 1000 at once'
like 'no text' "$(screen '/"zebra"<Enter>' run.wpp)" '`zebra` is not in this file'
done_testing
