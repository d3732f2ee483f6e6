#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 60
# The coverage of a real program is gcov's and lcov's; test/real/check-all compares that of four.
. "$(dirname "$0")/lib.sh"
. "$ROOT/test/real/programs.sh"
. "$ROOT/test/real/checks.sh"
. "$ROOT/test/real/coverage.sh"

some_of bzip2 -- lua5.4 jq sqlite3
for program in "${chosen[@]}"; do
    check_coverage "$program" small
done
done_testing
