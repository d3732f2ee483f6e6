#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 50
# A whole program with a little work, at two levels; test/real/check-all tests all of them.
. "$(dirname "$0")/lib.sh"
. "$ROOT/test/real/programs.sh"
. "$ROOT/test/real/checks.sh"

check_program bzip2 -O0 small
check_program bzip2 -O2 small
! check_all || check_program lua5.4 -O2 small
# A guess of where the cursor is may be wrong, but must not be of what was never written.
if command -v valgrind > /dev/null; then
    head -c 20000 "$ROOT/README.md" > "$T/text"
    ok 'bzip2 under memcheck' env WPP_OUT=none valgrind -q --error-exitcode=9 \
        "$REAL/$CONFIG-O2/bzip2/bzip2" -c "$T/text"
else
    skip 'there is no valgrind'
fi
done_testing
