#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 50
# Two whole programs on a little work each; test/real/check-all does all of it.
. "$(dirname "$0")/lib.sh"
. "$ROOT/test/real/programs.sh"
. "$ROOT/test/real/checks.sh"

check_program bzip2 -O0 small
check_program bzip2 -O2 small
check_program bzip2 early small
check_program lua5.4 -O2 small
done_testing
