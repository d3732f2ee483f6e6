#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 50
# The demonstration: every file and figure that it names exists and is right.
. "$(dirname "$0")/lib.sh"
case $CONFIG in
release|debug) ;;
*) skip "the demonstration is not for CONFIG=$CONFIG"; done_testing ;;
esac

ok 'make demo' "$ROOT/scripts/demo" "$BUILD"
cp "$T/out" "$T/shown"
out=$ROOT/build/demo/wpp-compress
like 'the run is complete' "$(cat "$T/shown")" '^complete +yes'
is 'the five hottest answers at most' "$(grep -c -E '^ [1-9]  *[0-9.]+ %  *[0-9.]+ % ' "$T/shown" | grep -x '[1-5]' > /dev/null && echo yes)" yes
like 'in lines of our own sources' "$(cat "$T/shown")" '^ +[0-9]+ \* '
ok 'the WPP is sound' wpp-check --strict "$out/wpp-compress.wpp"
is 'the PNG is one' "$(head -c 8 "$out/wpp-compress.png" | od -An -tx1 | tr -d ' \n')" 89504e470d0a1a0a
like 'the SVG is one' "$(head -c 300 "$out/wpp-compress.svg")" '<svg'
# What the recorded program wrote is what the plain one writes.
ok 'the plain wpp-compress does the same work' wpp-compress -o "$T/plain.wpp" "$out/input.trace"
same 'with the same result' "$T/plain.wpp" "$out/input.wpp"
fails 'a program that it does not know' "$ROOT/scripts/demo" "$BUILD" emacs
done_testing
