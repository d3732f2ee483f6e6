#!/bin/bash
# SPDX-License-Identifier: MIT
# many.sh: a long list of small tests, several at once, that may be interrupted.
#
#     many_begin STATE KEY FRESH        a folder for what is known already
#     many_run STATE JOBS COMMAND...    COMMAND ITEM for each line of standard input
#     many_report STATE LOG             all results to LOG, a summary to standard output
#
# COMMAND prints a line a check: `ok ...`, `not ok ...` or `skip ...: WHY`.  What it has
# printed is kept in STATE/results/ITEM when it has ended, and counts only then.  A run that
# was ended from outside goes on where it was when it is started again with the same KEY;
# one that came to its end, or with another KEY or a FRESH that is not empty, begins anew.
#
# STATE/progress: a line a minute with the time that is left, and each failure at once; on a
# terminal also on standard error.
#
# Run as a program it is one of the workers: many.sh COMMAND... ITEM

# many_key BUILD WORD...: stands for the tools of a build and for how they are used.
many_key() {
    local build=$1

    shift
    { cat "$build"/lib/wpp/* "$build"/bin/wpp-{gcc,g++,compress,check,dump} \
          "$build/test/read-trace"
      printf '%s\n' "$@"; } | md5sum | cut -c 1-32
}

many_begin() {
    local state=$1 key=$2 fresh=$3

    if [ -n "$fresh" ] || [ -f "$state/finished" ] ||
       [ "$(cat "$state/key" 2> /dev/null)" != "$key" ]; then
        rm -rf "$state"
    fi
    mkdir -p "$state/results" && find "$state/results" -name '*.part' -delete &&
        echo "$key" > "$state/key"
}

# Reads `OK BAD SKIP ITEM` for each item that has ended.
many_progress() {
    local state=$1 total=$2 before=$3 ok bad skip item
    local n=0 passed=0 failed=0 skipped=0 told=$SECONDS begun=$SECONDS

    while read -r ok bad skip item; do
        n=$((n + 1)) passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
        [ "$bad" = 0 ] || grep -a '^not ok' "$state/results/$item"
        if ((SECONDS - told >= 60 || before + n == total)); then
            told=$SECONDS
            echo "$(date +%H:%M:%S) $((before + n)) of $total: $passed passed, $failed failed," \
                "$skipped skipped, about $(((told - begun) * (total - before - n) / n / 60))" \
                "minutes to go"
        fi
    done | if [ -t 2 ]; then tee -a "$state/progress" >&2; else cat >> "$state/progress"; fi
}

many_run() {
    local state=$1 jobs=$2 item total left status to progress

    shift 2
    cat > "$state/list"
    while IFS= read -r item; do
        [ -f "$state/results/$item" ] || printf '%s\n' "$item"
    done < "$state/list" > "$state/todo"
    total=$(wc -l < "$state/list") left=$(wc -l < "$state/todo")
    [ "$left" = "$total" ] ||
        echo "$((total - left)) of $total were done before" | tee -a "$state/progress"
    exec {to}> >(many_progress "$state" "$total" $((total - left)))
    progress=$!
    # In the background, so that a signal is heard, and in a group that ends with us.
    set -m
    MANY_STATE=$state MANY_PID=$$ xargs -a "$state/todo" -d '\n' -r -P "$jobs" -n 1 \
        bash "${BASH_SOURCE[0]}" "$@" >&"$to" {to}>&- 2> "$state/errors" &
    many_workers=$!
    set +m
    exec {to}>&-
    trap 'kill -- -$many_workers 2> /dev/null; exit 143' TERM
    trap 'kill -- -$many_workers 2> /dev/null; exit 130' INT
    wait $many_workers
    status=$?
    wait $progress
    trap - TERM INT
    return $status
}

# Returns 1 when anything failed, or was not carried out.
many_report() {
    local state=$1 log=$2 missing

    tr '\n' '\0' < "$state/list" | (cd "$state/results" && xargs -0 -r cat) > "$log" 2> /dev/null
    missing=$(while IFS= read -r item; do
                  [ -f "$state/results/$item" ] || echo "$item"
              done < "$state/list" | wc -l)
    if [ "$missing" = 0 ]; then
        : > "$state/finished"
    else
        echo "not ok - $missing were not carried out" >> "$log"
        tail -n 5 "$state/errors"
    fi
    grep -a '^not ok' "$log"
    echo 'skipped:'
    sed -n 's/^skip [^:]*: /    /p' "$log" | sort | uniq -c | sort -rn
    awk '/^ok / { ok++ } /^not ok/ { bad++ } /^skip / { skip++ }
         END { if (ok + bad == 0) bad = 1
               print ok + 0 " passed, " bad + 0 " failed, " skip + 0 " skipped"
               exit bad != 0 }' "$log"
}

# ---- A worker --------------------------------------------------------------------------

[ "${BASH_SOURCE[0]}" = "$0" ] || return 0
item=${*: -1} kept=$MANY_STATE/results/${*: -1} part=$MANY_STATE/results/${*: -1}.$$.part
trap 'rm -f "$part"' EXIT
mkdir -p "${kept%/*}" && "$@" > "$part" || exit 1
# Of a run that has been ended the folders are gone: what it says is worth nothing.
kill -0 "$MANY_PID" 2> /dev/null && mv "$part" "$kept" || exit 1
awk -v item="$item" '/^ok / { ok++ } /^not ok/ { bad++ } /^skip / { skip++ }
                     END { print ok + 0, bad + 0, skip + 0, item }' "$kept"
