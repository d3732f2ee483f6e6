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

# Counts instead of tokens.  main has 1 path from its entry to the end of the first turn, 9 turns more
# and 1 path to its exit; odd and even numbers are 5 and 5.
cat > "$T/counted.c" <<'END'
#include <signal.h>
__attribute__((noinline)) static int odd(int n)
{
    if (n & 1)
        return 1;
    return 0;
}
int main(int argc, char **argv)
{
    int n = 0;
    for (int i = 0; i < 10; i++)
        n += odd(i);
    if (argc > 1)
        raise(SIGKILL);
    return n - 5;
}
END
# counted FILE: the records' kinds without repetition, then the counts in ascending order.
counted() {
    "$READ" "$1" > "$T/out" 2> "$T/err"
    echo "$? $(sed -n 's/^\([A-Z_][A-Z_]*\) .*/\1/p' "$T/out" | grep -v '^COUNT$' | tr '\n' ' ')" \
        "$(sed -n 's/^COUNT .*times=//p' "$T/out" | sort -n | tr '\n' ' ')"
}
ok 'a program with counters compiles' \
    "$WPP_GCC" -O0 -fplugin-arg-wpp-mode=paths -o "$T/counted" "$T/counted.c"
WPP_OUT=$T/counts ok 'and runs' "$T/counted"
is 'its counts are in the trace' "$(counted "$T/counts")" \
    '0 PROCESS MODULE_LOAD COUNTS MODULE_UNLOAD END  1 1 5 5 9 '
WPP_OUT=$T/counts run "$T/counted" killed
is 'and those of a killed program' "$(counted "$T/counts")" \
    '0 PROCESS MODULE_LOAD COUNTS  1 5 5 9 '
mkfifo "$T/fifo"
cat "$T/fifo" > "$T/counts" &
WPP_OUT=$T/fifo ok 'with a FIFO' "$T/counted"
wait $!
is 'they come at the end' "$(counted "$T/counts")" \
    '0 PROCESS MODULE_LOAD COUNTS MODULE_UNLOAD END  1 1 5 5 9 '

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
