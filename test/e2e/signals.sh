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
done_testing
