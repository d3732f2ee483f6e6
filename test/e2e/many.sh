#!/bin/bash
# SPDX-License-Identifier: MIT
# test/real/many.sh, which runs the long lists of tests.  It runs several at once and none
# twice, and counts no test that was killed from outside; a failure counts as a failure.
. "$(dirname "$0")/lib.sh"

# A test that takes a little, says what its name says, and waits as long as there is HOLD.
cat > "$T/item" <<'END'
#!/bin/sh
echo "$1" >> "$CARRIED_OUT"
while [ -e "$HOLD" ]; do
    [ "$1" != 3 ] || : > "$HOLD.reached"
    [ "$1" = 1 ] || [ "$1" = 2 ] || sleep 0.05
    [ "$1" != 1 ] && [ "$1" != 2 ] || break
done
case $1 in
5) echo "not ok $1: wrong" ;;
6) echo "skip $1: no use" ;;
7) exit 1 ;;
*) echo "ok $1 first"; echo "ok $1 second" ;;
esac
END
chmod +x "$T/item"
# list KEY FRESH ITEM...
cat > "$T/list" <<'END'
#!/bin/bash
. "$ROOT/test/real/many.sh"
many_begin "$T/state" "$1" "$2"
printf '%s\n' "${@:3}" | many_run "$T/state" 2 "$T/item"
many_report "$T/state" "$T/log"
END
export ROOT T CARRIED_OUT=$T/carried HOLD=$T/hold

ok 'all that pass' bash "$T/list" key '' 1 2 3
is 'are counted' "$(tail -n 1 "$T/out")" '6 passed, 0 failed, 0 skipped'
is 'each once' "$(sort "$CARRIED_OUT" | tr '\n' ' ')" '1 2 3 '
like 'progress is told' "$(cat "$T/state/progress")" '^[0-9:]+ 3 of 3: 6 passed, 0 failed, 0 skipped'

: > "$CARRIED_OUT"
run bash "$T/list" key '' 1 5 6
is 'one that fails' "$status $(tail -n 1 "$T/out")" '1 2 passed, 1 failed, 1 skipped'
like 'is told' "$(cat "$T/out")" '^not ok 5: wrong$'
is 'a run behind one that has ended begins anew' "$(sort "$CARRIED_OUT" | tr '\n' ' ')" '1 5 6 '

run bash "$T/list" key '' 1 2 7
is 'one that is not carried out' "$status $(tail -n 1 "$T/out")" '1 4 passed, 1 failed, 0 skipped'
: > "$CARRIED_OUT"
run bash "$T/list" key '' 1 2 7
is 'is the only one tried again' "$(cat "$CARRIED_OUT")" 7
: > "$CARRIED_OUT"
run bash "$T/list" other '' 1 2 3
is 'with another key all are' "$(sort "$CARRIED_OUT" | tr '\n' ' ')" '1 2 3 '

# Ended in the middle: 1 and 2 are done, 3 and 4 at work.
: > "$CARRIED_OUT"
: > "$HOLD"
bash "$T/list" key fresh 1 2 3 4 > "$T/out" 2>&1 &
list=$!
for ((k = 0; k < 200; k++)); do
    [ ! -e "$HOLD.reached" ] || break
    sleep 0.05
done
sleep 0.2
kill -TERM $list
wait $list
is 'a run that is ended' "$?" 143
rm "$HOLD"
sleep 0.3
is 'keeps what was done' "$(ls "$T/state/results")" $'1\n2'
: > "$CARRIED_OUT"
ok 'and goes on' bash "$T/list" key '' 1 2 3 4
is 'with the rest' "$(sort "$CARRIED_OUT" | tr '\n' ' ')" '3 4 '
is 'and counts all' "$(tail -n 1 "$T/out")" '8 passed, 0 failed, 0 skipped'
done_testing
