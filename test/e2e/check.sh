# SPDX-License-Identifier: MIT
# wpp-check: sound files pass, files with a fault that checksums cannot see do not.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

cat > prog.c <<'END_C'
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) { return fib(15) == 3; }
END_C
"$WPP_GCC" -O2 -g prog.c -o prog && WPP_OUT=prog.trace ./prog && wpp-compress -o prog.wpp prog.trace
ok 'a sound file' wpp-check prog.wpp
like 'is said to be fine' "$(cat "$T/out")" '^prog.wpp: fine: [0-9]+ events in 1 thread, [0-9]+ rules, [0-9]+ paths of (1 routine|2 routines)$'
ok 'strictly too' wpp-check --strict prog.wpp
like 'with its activations' "$(cat "$T/out")" '; [0-9]+ activations, [0-9]+ returned, 0 unwound, 0 open at the end'
ok 'quietly' wpp-check -q -s prog.wpp
is 'is nothing said' "$(cat "$T/out" "$T/err")" ''
ok 'from standard input' sh -c 'wpp-check - < prog.wpp'

printf '\1\0\0\0' | wpp-compress --symbols -o one.wpp -
is 'one of each' "$(wpp-check one.wpp)" 'one.wpp: fine: 1 event in 1 thread, 0 rules, 1 path of 0 routines'

# A cut run is a sound file that holds an incomplete run.
head -c $(($(stat -c %s prog.trace) / 2)) prog.trace > cut.trace
wpp-compress -o cut.wpp cut.trace 2> /dev/null
fails_with 3 'an incomplete run' wpp-check cut.wpp
like 'is no damage' "$(cat "$T/err")" 'undamaged, but'

# Each of several files is checked.
cp prog.wpp bad.wpp
size=$(stat -c %s bad.wpp)
printf 'not what was here' | dd of=bad.wpp bs=1 seek=$((size / 2)) conv=notrunc 2> /dev/null
run wpp-check bad.wpp
is 'changed bytes: status' $status 3
like 'what is damaged' "$(cat "$T/err")" '^wpp-check: bad.wpp: .* (is|are) damaged \(section [0-9]+ at byte [0-9]+\)$'
like 'what is intact' "$(cat "$T/out")" '^bad.wpp: intact: the summary of the run, '
run wpp-check -q bad.wpp
is 'quietly, only what is damaged' "$status $(wc -l < "$T/out")" '3 0'
wpp-check bad.wpp prog.wpp > out1 2> err1
is 'one bad of two: status' $? 3
is 'one bad of two: both are spoken of' "$(cut -d: -f1 out1 | paste -sd' ') $(cut -d: -f2 err1 | sort -u)" \
    'bad.wpp prog.wpp  bad.wpp'

# The same tokens in another order are a fine grammar, but no possible course.
# (--symbols keeps no routines: so the trace itself is changed, two tokens swapped.)
if command -v python3 > /dev/null; then
    python3 - <<'END_P'
import struct
data = bytearray(open('prog.trace', 'rb').read())
at = 0
while at < len(data):
    kind, size = struct.unpack_from('<H', data, at + 6)[0], struct.unpack_from('<I', data, at + 8)[0]
    if kind == 5:
        n = size // 4
        words = list(struct.unpack_from('<%dI' % n, data, at + 64))
        words.reverse()
        struct.pack_into('<%dI' % n, data, at + 64, *words)
    at += 64 + (size + 3) // 4 * 4
open('swapped.trace', 'wb').write(data)
END_P
    wpp-compress -o swapped.wpp swapped.trace
    ok 'an impossible course passes without --strict' wpp-check swapped.wpp
    fails_with 3 'but not strictly' wpp-check --strict swapped.wpp
else
    skip 'no python3 here to make an impossible course'
fi
fails_with 2 'no file' wpp-check
fails_with 1 'no such file' wpp-check none.wpp
fails 'no WPP' wpp-check prog.c
done_testing
