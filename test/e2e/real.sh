#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 50
# Two whole programs with a little work each; test/real/check-all tests all of them.
. "$(dirname "$0")/lib.sh"
. "$ROOT/test/real/programs.sh"
. "$ROOT/test/real/checks.sh"

check_program bzip2 -O0 small
check_program lua5.4 -O2 small
# A guess of where the cursor is may be wrong, but must not be of what was never written.
if command -v valgrind > /dev/null; then
    echo 'local t = {} for i = 1, 500 do t[i] = ("x"):rep(i) end table.sort(t, function(a, b)
        return #a > #b end) print(#t[1])' > "$T/sort.lua"
    ok 'lua5.4 under memcheck' env WPP_OUT=none valgrind -q --error-exitcode=9 \
        "$REAL/$CONFIG-O2/lua5.4/lua5.4" "$T/sort.lua"
else
    skip 'there is no valgrind'
fi
done_testing
