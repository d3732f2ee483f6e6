# SPDX-License-Identifier: MIT
# harness.sh: what the tests of the runtime share, behind lib.sh: programs traced
# by hand (scenarios.c) and the reader written from the document.
CC=${CC:-gcc}
RT=$BUILD/lib/wpp
SRC=$ROOT/test/e2e/tracer
FLAGS=(-std=gnu17 -O2 -Wall -Wextra -D_GNU_SOURCE "-I$ROOT" -Wl,-z,now)
EXPORT=-Wl,--export-dynamic-symbol=__wpp_*
READ=$BUILD/test/read-trace
BASE=26                                 # of the scenarios' events: 16, and a unit of 10 before

compile() {
    "$CC" "${FLAGS[@]}" "$@" -lpthread || { echo "Bail out! cannot compile: $*"; exit 1; }
}

# streams TRACE: one line for each, sorted, in $got; the reader's status in $complete
streams() {
    got=$("$READ" --streams "$1" 2> "$T/read.err" | sort; exit "${PIPESTATUS[0]}")
    complete=$?
}

# want LINE...: sorted
want() {
    wanted=$(printf '%s\n' "$@" | sort)
}

expect() {
    "$T/expect" "$@"
}
