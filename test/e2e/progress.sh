#!/bin/bash
# SPDX-License-Identifier: MIT
# What a tool does for more than a second is said on a terminal, with the seconds, and is gone afterwards.  Here it
# reads standard input, which comes late.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
if ! script -qec true /dev/null > /dev/null 2>&1 < /dev/null; then
    skip 'there is no script(1)'
    done_testing
fi
echo 'int main(int argc, char **argv) { return argc > 3 ? argv[0][0] : 0; }' > prog.c
ok 'a program' "$WPP_GCC" -O0 -g -o prog prog.c
ok 'is recorded' wpp-record -q -o a.wpp ./prog

# late NAME COLUMNS COMMAND: with input that comes after 1.4 s; what the terminal gets is in NAME.tty
late() {
    script -qec "stty cols $2; (sleep 1.4; cat a.wpp) | $3" /dev/null < /dev/null > "$1.tty" &
}
tools=(wpp-coverage wpp-export wpp-dot wpp-diff wpp-report wpp-hot wpp-profile)
late wpp-coverage 80 'wpp-coverage -'
late wpp-export 80 'wpp-export --to=folded -o a.folded -'
late wpp-dot 80 'wpp-dot -o a.dot -'
late wpp-diff 80 'wpp-diff a.wpp -'
late wpp-report 80 'wpp-report -'
late wpp-hot 80 'wpp-hot -'
late wpp-profile 80 'wpp-profile -'
late narrow 24 'wpp-report -'
late piped 80 'wpp-report - 2> piped.err'
late quick 80 'cat > late.wpp; wpp-report late.wpp'
[ ! -f "$BUILD/lib/wpp/page.html" ] || { late html 80 'wpp-report --html -o a.html -'; tools+=(html); }
wait

for name in "${tools[@]}"; do
    like "$name says what it does" "$(cat $name.tty)" 'wpp-[a-z]*: reading .*standard input \.\.\. 1 s'
    is "$name: and that is gone" "$(tr '\r' '\n' < $name.tty | grep -A 1 ' 1 s' | tail -n 1 | head -c 3 | od -An -c | tr -d ' ')" '033[K'
done
is 'a narrow terminal: a line of it' "$(tr '\r' '\n' < narrow.tty | grep 'wpp-report: r' | tr -d '\033' | sed 's/\[K$//')" 'wpp-report: reading sta'
is 'what takes less than a second is not said' "$(grep -c reading quick.tty)" 0
is 'no terminal: nothing' "$(grep -c reading piped.tty) $(cat piped.err)" '0 '
is 'the same report' "$(tr -d '\r' < quick.tty)" "$(wpp-report --color=always late.wpp)"
done_testing
