#!/bin/bash
# SPDX-License-Identifier: MIT
# signals.sh: traced signal handlers.  Nothing that the handler or the code it
# interrupted did is lost, wherever the interruption came.
. "$(dirname "$0")/lib.sh"
SRC=$ROOT/test/e2e/signals

# Each `MARK count` that the program printed, against the line counts of its WPP.
counts_of() {
    local mark count line

    wpp-dump --line-counts "$1" > "$T/counts"
    while read -r mark count; do
        line=$(grep -n "/\* $mark \*/" "$2" | cut -d: -f1)
        awk -v line="${2##*/}:$line" -v mark="$mark" \
            '{ sub(/^.*\//, "", $1) } $1 == line { print mark, $2 }' "$T/counts"
    done < "$3"
}

for level in -O0 -O1 -O2 -Os; do
    ok "$level: builds" "$WPP_GCC" $level -g -o "$T/handler" "$SRC/handler.c" || continue
    WPP_OUT=$T/trace ok "$level: runs" "$T/handler"
    cp "$T/out" "$T/want"
    ok "$level: compresses" wpp-compress -f -o "$T/handler.wpp" "$T/trace"
    ok "$level: is sound" wpp-check "$T/handler.wpp"
    is "$level: every line of handler and interrupted code" \
        "$(counts_of "$T/handler.wpp" "$SRC/handler.c" "$T/want")" "$(cat "$T/want")"
done

# A handler that never returns.
cat > "$T/die.c" <<'END'
#include <signal.h>
#include <stdlib.h>
static volatile int n, turns = 3;
__attribute__((noreturn)) void die(int signal)
{
    while (turns-- > 0)
        n++;                                        /* DIES */
    exit(n + signal - signal);
}
int main(void)
{
    signal(SIGUSR1, die);
    raise(SIGUSR1);
    return 1;
}
END
echo 'DIES 3' > "$T/want"
for level in -O0 -O2; do
    ok "$level: a handler that exits is built" \
        "$WPP_GCC" $level -fchecking -g -o "$T/die" "$T/die.c"
    WPP_OUT=$T/trace run "$T/die"
    is "$level: it exits" "$status" 3
    ok "$level: compresses" wpp-compress -f -o "$T/die.wpp" "$T/trace"
    is "$level: its lines are there" "$(counts_of "$T/die.wpp" "$T/die.c" "$T/want")" 'DIES 3'
done
done_testing
