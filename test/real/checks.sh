# SPDX-License-Identifier: MIT
# checks.sh: what must hold for a whole real program.
#
#     check_program NAME OPT SIZE
#
# builds NAME of programs.sh plainly and with wpp-gcc at OPT, lets both do the
# same work, and checks that
#   - tracing changed neither the output nor the exit status,
#   - a trace compressed while the program runs and one compressed afterwards
#     give the same bytes,
#   - the WPP expands to exactly the tokens of the trace,
#   - the WPP satisfies wpp-check,
#   - at -O0, the line counts derived from the WPP are gcov's.
# OPT may be `early`: -O1 with stage=early; of this only the line counts are checked.
#
#     check_counts NAME OPT SIZE
#
# builds it with each counting mode, and checks that
#   - counting changed neither the output nor the exit status, and each profile is complete,
#   - calls-cut counts each path as often as the trace has it,
#   - paths and edges count calls of each routine as calls-cut does; at -O0 also each line (calls divide
#     blocks: so these differ, and with optimisation lines of a block are not always executed together),
#   - at -O0, the line counts of edges are gcov's.
# Expects test/e2e/lib.sh and test/real/programs.sh to be loaded.

# in_folder DIR COMMAND...: runs it in the new folder DIR.  run.out: what it printed.
in_folder() {
    local dir=$1

    shift
    mkdir -p "$dir" && (cd "$dir" && "$@" > run.out 2> run.err < /dev/null)
}

# Runs `command` in DIR with its trace on a FIFO, which tee copies to DIR/trace and
# wpp-compress reads at once.  compressed: the latter's exit status.
record_live() {
    local dir=$1 status

    mkdir -p "$dir"
    mkfifo "$dir/stream"
    (tee "$dir/trace" < "$dir/stream" | wpp-compress -o "$dir/live.wpp" - 2> "$dir/compress.err"
     echo "${PIPESTATUS[1]}" > "$dir/compress.status") &
    in_folder "$dir" env WPP_OUT="$dir/stream" "${command[@]}"
    status=$?
    # A program that never opened its stream would let tee wait for ever.
    [ -s "$dir/trace" ] || : > "$dir/stream" &
    wait
    compressed=$(cat "$dir/compress.status")
    return $status
}

# ---- Traces ---------------------------------------------------------------------

# counts_fault TRACE FOLDER: what is wrong with the counters of a process, or nothing; makes
# FOLDER/w.wpp.
counts_fault() {
    wpp-compress -fq -o "$2/w.wpp" "$1" 2> "$2/fault" || { head -n 1 "$2/fault"; return; }
    wpp-check -q "$2/w.wpp" > "$2/fault" 2>&1 || { head -n 1 "$2/fault"; return; }
    wpp-profile --paths --format=csv "$2/w.wpp" > /dev/null 2> "$2/fault" || head -n 1 "$2/fault"
}

# trace_fault TRACE DIR: makes DIR/w.wpp of a whole trace and prints what is wrong with
# either, or nothing: the reference reader finds the trace complete, wpp-compress takes it,
# wpp-check finds no fault, and wpp-dump gives back the tokens that the reference reader
# read, thread by thread.  Expects the build's tools in PATH, read_trace to be its reader.
trace_fault() {
    local trace=$1 dir=$2 wpp=$2/w.wpp message=$2/message stream streams

    "$read_trace" "$trace" > "$dir/records" 2> "$message" ||
        { echo "reference reader: status $?: $(head -n 1 "$message")"; return; }
    wpp-compress -f -o "$wpp" "$trace" > "$message" 2>&1 ||
        { echo "wpp-compress: status $?: $(head -n 1 "$message")"; return; }
    wpp-check --strict "$wpp" > "$message" 2>&1 ||
        { echo "wpp-check: status $?: $(head -n 1 "$message")"; return; }
    streams=$("$read_trace" --streams "$trace" | wc -l)
    for ((stream = 0; stream < streams; stream++)); do
        "$read_trace" --raw $stream "$trace" > "$dir/raw" &&
            wpp-dump --tokens --thread=$stream -f -o "$dir/dumped" "$wpp" 2> "$message" &&
            cmp -s "$dir/raw" "$dir/dumped" ||
            { echo "tokens of thread $stream differ: $(head -n 1 "$message")"; return; }
    done
    [ "$streams" -gt 0 ] || echo 'no thread in the trace'
}

# ---- gcov ---------------------------------------------------------------------

# Prints `file:line count` for each executed line: the sum over the objects in DIR.
gcov_counts() {
    local tree=$1 dir=$2

    (cd "$tree" && for data in "$dir"/*.gcda; do
        gcov --stdout "$data"
    done) 2> /dev/null | awk '
        # Instances of one function follow the totals of their lines; they start with a rule.
        /^-----/ { instance = 1; next }
        { split($0, field, ":"); count = field[1]; line = field[2] + 0 }
        count ~ /^ *-$/ && line == 0 && field[3] == "Source" {
            file = substr($0, index($0, "Source:") + 7); instance = 0; next
        }
        count ~ /^ *[0-9]+\*?$/ {
            if (instance && line <= last) next
            instance = 0; last = line
            sub(/\*/, "", count); total[file ":" line] += count
        }
        { last = instance ? last : line }
        END { for (l in total) if (total[l] > 0) printf "%s %.0f\n", l, total[l] }' | sort
}

# gcov shortens lib/compress/../common/x.h to lib/common/x.h; this does so in a list,
# and adds up what then has one name.
canonical_names() {
    sed -E ':again; s#(^|/)([^/.]|[^/][^/.]|[^/]{3,})/\.\./#\1#; t again' |
        awk '{ total[$1] += $2 } END { for (l in total) printf "%s %.0f\n", l, total[l] }' | sort
}

# Prints the lines on which two such lists differ, the shorter list's gaps as 0.
differing_counts() {
    awk 'NR == FNR { first[$1] = $2; next }
         { if (first[$1] != $2) printf "%s wpp %.0f gcov %.0f\n", $1, first[$1], $2; seen[$1] = 1 }
         END { for (l in first) if (!(l in seen)) printf "%s wpp %.0f gcov 0\n", l, first[l] }' \
        "$1" "$2" | sort -t: -k1,1 -k2,2n
}

# Programs look at their own name and at the folder they run in, and loop over the
# characters: both runs have the same ones, and the folder is as empty.
# check_line_counts NAME OPT SIZE WPP RUN LEVEL FLAG...: WPP is compared with what gcov
# counts in the folder RUN when all is compiled at LEVEL with FLAGs.
check_line_counts() {
    local name=$1 opt=$2 size=$3 wpp=$4 run=$5 dir=$REAL/gcov$6${7:+-$2}/$1 different executed
    local others='^$'

    real_build "$name" "${CC:-gcc}" "$6" "$dir" --coverage -fprofile-update=single "${@:7}" ||
        { fail "$name $opt: the gcov build"; return; }
    find "$dir" -name '*.gcda' -delete
    # With optimisation there are bodies of functions that are inline and external (of libc and
    # the processor's intrinsics, and templates that are instantiated in libstdc++); they have no
    # counters in gcov.
    [ "$6" = -O0 ] || others='^/usr/(include|lib/gcc/[^ ]*/include)/'
    wpp-dump --line-counts "$wpp" | canonical_names | grep -Ev "$others" > "$T/wpp.counts"
    rm -rf "$run"
    mkdir -p "$run" && cp "$dir/$name" "$run/$name"
    real_command "$name" "$run/$name" "$size"
    in_folder "$run" "${command[@]}"
    gcov_counts "$(real_tree "$name")" "$dir" | grep -Ev "$others" > "$T/gcov.counts"
    executed=$(wc -l < "$T/gcov.counts")
    differing_counts "$T/wpp.counts" "$T/gcov.counts" > "$T/counts.diff"
    cp "$T/counts.diff" "$REAL/$name$opt.line-differences"
    different=$(wc -l < "$T/counts.diff")
    if [ "$executed" -gt 100 ] && [ "$different" = 0 ]; then
        pass "$name $opt: the counts of $executed lines are gcov's"
    else
        fail "$name $opt: $different of $executed line counts differ from gcov's" \
            "$(cat "$T/counts.diff")"
    fi
}

# ---- One program --------------------------------------------------------------

# The stage `early` sees the source's own control flow whatever the level.  So does gcov
# when what GCC does before it counts is left out: early inlining and the early
# optimisations; and without -g, for debug statements are lines to it.
check_early() {
    local name=$1 size=$2 traced=$REAL/$CONFIG-O1-early/$1 d=$T/$1-early

    WPP_PLUGIN_ARGS=stage=early ok "$name early: traced build" \
        real_build "$name" "$WPP_GCC" -O1 "$traced" || return
    mkdir -p "$d" && cp "$traced/$name" "$d/$name"
    real_command "$name" "$d/$name" "$size"
    ok "$name early: is recorded" in_folder "$d" wpp-record -q -o w.wpp "${command[@]}"
    ok "$name early: wpp-check --strict" wpp-check --strict "$d/w.wpp"
    mv "$d/w.wpp" "$T/w.wpp"
    check_line_counts "$name" early "$size" "$T/w.wpp" "$d" -O1 -g0 \
        -fdisable-tree-early_optimizations -fdisable-tree-einline
    rm -rf "$d"
}

check_program() {
    local name=$1 opt=$2 size=$3 what="$1 $2" plain=$REAL/plain$2/$1 traced=$REAL/$CONFIG$2/$1
    local plain_status traced_status d=$T/$1$2

    if ! why=$(real_prepare "$name" 2>&1); then
        skip "$what: no source: ${why##*$'\n'}"
        return
    fi
    real_input "$name" "$size"
    if [ "$opt" = early ]; then
        check_early "$name" "$size"
        return
    fi
    ok "$what: plain build" real_build "$name" "${CC:-gcc}" "$opt" "$plain" || return
    ok "$what: traced build" real_build "$name" "$WPP_GCC" "$opt" "$traced" || return

    real_command "$name" "$plain/$name" "$size"
    in_folder "$d/plain" "${command[@]}"
    plain_status=$?
    mkdir -p "$d" && cp "$traced/$name" "$d/$name"
    real_command "$name" "$d/$name" "$size"
    record_live "$d"
    traced_status=$?
    is "$what: exit status" "$traced_status" "$plain_status"
    same "$what: output" "$d/plain/run.out" "$d/run.out"
    same "$what: messages" "$d/plain/run.err" "$d/run.err"
    rm -rf "$d/plain"

    is "$what: the live trace is compressed" "$compressed $(cat "$d/compress.err")" '0 '
    ok "$what: the saved trace is compressed" wpp-compress -o "$d/saved.wpp" "$d/trace"
    same "$what: live and saved give the same WPP" "$d/live.wpp" "$d/saved.wpp"
    if "$BUILD/test/read-tokens" "$d/trace" 2> "$d/read.err" | cmp - <(wpp-dump --tokens "$d/saved.wpp") \
        > "$d/cmp" 2>&1 && [ ! -s "$d/read.err" ]; then
        pass "$what: the WPP expands to the trace, $(stat -c %s "$d/trace") bytes"
    else
        fail "$what: the WPP expands to the trace" "$(cat "$d/read.err" "$d/cmp")"
    fi
    rm -f "$d/trace"
    ok "$what: wpp-check --strict" wpp-check --strict "$d/saved.wpp"
    [ "$opt" != -O0 ] || check_line_counts "$name" -O0 "$size" "$d/saved.wpp" "$d" -O0
    rm -rf "$d"
}

# ---- Counts of one program ------------------------------------------------------------

# run_anew PROGRAM: at work, in a folder that is empty and has the same name each time.
run_anew() {
    rm -rf "$d/run"
    mkdir -p "$d/run" && cp "$1" "$d/run/$name"
    real_command "$name" "$d/run/$name" "$size"
    WPP_OUT=$d/trace in_folder "$d/run" "${command[@]}"
}

# record_counts MODE: builds and records it; makes $d/MODE.wpp.
record_counts() {
    local mode=$1 built=$REAL/$CONFIG-$1$opt/$name

    ok "$what $mode: build" real_build "$name" "$WPP_GCC" "$opt" "$built" -fplugin-arg-wpp-mode="$mode" ||
        return
    run_anew "$built/$name"
    is "$what $mode: exit status" "$?" "$plain_status"
    same "$what $mode: output" "$d/plain.out" "$d/run/run.out"
    ok "$what $mode: is compressed" wpp-compress -qf -o "$d/$mode.wpp" "$d/trace"
    rm -f "$d/trace"
    ok "$what $mode: wpp-check" wpp-check -q "$d/$mode.wpp"
}

# calls_of WPP: how often each routine was called.
calls_of() {
    wpp-profile --format=csv "$1" > "$1.csv"
    awk -f "$ROOT/test/bench/papers/csv.awk" -f /dev/stdin "$1.csv" <<< '
        FNR == 1 { n = csv_fields($0, head); for (i = 1; i <= n; i++) at[head[i]] = i; next }
        {
            csv_fields($0, f)
            if (f[at["kind"]] == "routine")
                print f[at["routine"]], f[at["file"]] ":" f[at["line"]], f[at["calls"]]
        }' | sort
}

check_counts() {
    local name=$1 opt=$2 size=$3 what="$1 $2" plain=$REAL/plain$2/$1 plain_status d=$T/$1$2-counts mode

    if ! why=$(real_prepare "$name" 2>&1); then
        skip "$what: no source: ${why##*$'\n'}"
        return
    fi
    real_input "$name" "$size"
    ok "$what: plain build" real_build "$name" "${CC:-gcc}" "$opt" "$plain" || return
    run_anew "$plain/$name"
    plain_status=$?
    mv "$d/run/run.out" "$d/plain.out"
    for mode in trace calls-cut paths edges; do
        record_counts $mode
    done
    for mode in trace calls-cut; do
        wpp-profile --paths --format=csv "$d/$mode.wpp" | sort > "$d/$mode.paths"
    done
    same "$what: calls-cut has the trace's paths" "$d/trace.paths" "$d/calls-cut.paths"
    for mode in calls-cut paths edges; do
        calls_of "$d/$mode.wpp" > "$d/$mode.calls"
        wpp-dump --line-counts "$d/$mode.wpp" | canonical_names > "$d/$mode.lines"
    done
    for mode in paths edges; do
        same "$what: $mode has the calls of calls-cut" "$d/$mode.calls" "$d/calls-cut.calls"
        [ "$opt" != -O0 ] || is "$what: $mode has the lines of calls-cut" \
            "$(differing_counts "$d/$mode.lines" "$d/calls-cut.lines" | head -n 20)" ''
    done
    [ "$opt" != -O0 ] || check_line_counts "$name" -O0 "$size" "$d/edges.wpp" "$d/run" -O0
    rm -rf "$d"
}
