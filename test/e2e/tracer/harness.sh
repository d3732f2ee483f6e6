# SPDX-License-Identifier: MIT
# harness.sh: what the tests of the runtime share, behind lib.sh: programs traced
# by hand (scenarios.c) and the reader written from the document.
CC=${CC:-gcc}
RT=$BUILD/lib/wpp
SRC=$ROOT/test/e2e/tracer
FLAGS=(-std=gnu17 -O2 -mno-red-zone -Wall -Wextra -D_GNU_SOURCE "-I$ROOT" -Wl,-z,now)
EXPORT=-Wl,--export-dynamic-symbol=__wpp_*
READ=$BUILD/test/read-trace
BASE=26                                 # of the scenarios' events: 16, and a unit of 10 before

compile() {
    "$CC" "${FLAGS[@]}" "$@" -lpthread || { echo "Bail out! cannot compile: $*"; exit 1; }
}

# link_scenarios NAME WORD...: $T/NAME of scenarios.c, which is compiled once, linked with the WORDs
link_scenarios() {
    [ -f "$T/scenarios.o" ] || compile -c -o "$T/scenarios.o" "$SRC/scenarios.c"
    compile -o "$T/$1" "$T/scenarios.o" "${@:2}"
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

# ---- Programs that count their events themselves, in $T/counters ------------------------

# count K: the events of thread K that the program itself has counted
count() {
    od -An -tu8 -j $((8 * $1)) -N 8 "$T/counters" | tr -d ' '
}

# begin COMMAND...: starts it; its traced process's number is in $victim when it runs
begin() {
    head -c 4096 /dev/zero > "$T/counters"
    rm -f "$T/trace"
    "$@" > "$T/out" 2> "$T/err" &
    job=$!
    until victim=$(count 0) && [ "$victim" != 0 ]; do
        # A victim 0 would be our own process group.
        kill -0 $job 2> /dev/null ||
            { victim=none; echo "# did not begin: $(cat "$T/err")"; return 1; }
        sleep 0.001
    done
}

# counted_right THREAD...: each has the events that were counted, or one more (killed before it counted)
counted_right() {
    local k n c line

    streams "$T/trace"
    # Killed before anything happened there is nothing that could say so.
    [ $complete = 0 ] || [ -z "$(for k; do count $k; done | tr -d '0\n')" ] ||
        { echo "# incomplete: $(cat "$T/read.err")"; return 1; }
    for k; do
        line=$(grep "^t$k " <<< "$got")
        n=$(awk '{ print $2 }' <<< "$line")
        c=$(count $k)
        [ "$c" != 0 ] || [ "$line" ] || continue
        if [ "$n" -lt "$c" ] || [ "$n" -gt $((c + 1)) ] ||
           [ "$line" != "$(expect t$k $k:0:$n:$BASE)" ]; then
            echo "# thread $k counted $c events, the trace has: $line"
            return 1
        fi
    done
}
