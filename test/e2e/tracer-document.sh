#!/bin/bash
# SPDX-License-Identifier: MIT
# The worked example of docs/trace-format.md is a valid trace with the described contents.
. "$(dirname "$0")/lib.sh"

READ=$BUILD/test/read-trace

# The lines `offset  byte byte ...` of the document, as bytes.
sed -n 's/^[0-9a-f]\{7\}  \(\([0-9a-f][0-9a-f] *\)*\)$/\1/p' "$ROOT/docs/trace-format.md" > "$T/hex"
for byte in $(cat "$T/hex"); do
    printf "\\x$byte"
done > "$T/trace"

is 'size' "$(wc -c < "$T/trace")" $((0x24c))
ok 'the reader takes it' "$READ" "$T/trace"
is 'its records' "$(grep -o '^[A-Z_]*' "$T/out" | tr '\n' ' ')" \
    'PROCESS MODULE_LOAD THREAD TOKENS MODULE_UNLOAD END '
is 'its tokens' "$("$READ" --numbers "$T/trace" | tr '\n' ' ')" '17 16 18 '
like 'its program' "$(cat "$T/out")" '^    program=/home/ada/tiny$'

# A program of today writes the same, up to numbers that the kernel chooses.
sed -n '/^```c$/,/^```$/p' "$ROOT/docs/trace-format.md" | sed '/^```/d' > "$T/tiny.c"
ok 'its source compiles' "$WPP_GCC" -O0 -fplugin-arg-wpp-base=load -o "$T/tiny" "$T/tiny.c"
WPP_OUT=$T/today ok 'and runs' "$T/tiny"
is 'the tokens are those of the document' \
    "$("$READ" --numbers "$T/today" | tr '\n' ' ')" '17 16 18 '

# Cut anywhere: what is whole is read, and the reader says that something is missing.
size=$(wc -c < "$T/trace")
wrong=
for ((n = 0; n < size; n += 1)); do
    head -c $n "$T/trace" > "$T/cut"
    "$READ" "$T/cut" > /dev/null 2>&1
    [ $? = 3 ] || wrong="$wrong $n"
done
is 'a trace cut anywhere is incomplete' "$wrong" ''
head -c $((0x1b4)) "$T/trace" > "$T/cut"
is 'whole words of cut TOKENS are tokens' \
    "$("$READ" --numbers "$T/cut" 2> /dev/null | tr '\n' ' ')" '17 16 '

# Any byte of any header that changes is noticed.
wrong=
for start in 0 $((0xa4)) $((0x128)) $((0x16c)) $((0x1b8)) $((0x1fc)); do
    for ((n = start; n < start + 64; n++)); do
        byte=$(od -An -tu1 -j $n -N 1 "$T/trace")
        cp "$T/trace" "$T/flipped"
        printf "\\x$(printf %02x $((byte ^ 16)))" |
            dd of="$T/flipped" bs=1 seek=$n conv=notrunc status=none
        "$READ" "$T/flipped" > /dev/null 2>&1
        [ $? = 1 ] || wrong="$wrong $n"
    done
done
is 'a changed header is damage' "$wrong" ''
done_testing
