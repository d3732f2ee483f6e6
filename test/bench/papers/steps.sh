# SPDX-License-Identifier: MIT
# steps.sh: long work in steps; one that has been done is not done again.
#
#     steps_begin KEY TOTAL            KEY stands for all that the results depend on
#     step NAME STEP COMMAND...        runs COMMAND unless its result is there
#     steps_result NAME STEP           the file with the result
#
# A result is what COMMAND printed, kept when it has ended with 0.  Results of another KEY are
# removed.  Each step's end is a line in $OUT/progress, on a terminal also on standard error.
# COMMAND runs in a process group of its own, which ends with us; what it says on standard error
# goes to $OUT/log.
#
# Expects OUT, a folder.

steps_begin() {
    steps_total=$2 steps_done=0
    mkdir -p "$OUT/results"
    if [ "$(cat "$OUT/key" 2> /dev/null)" != "$1" ]; then
        rm -rf "$OUT/results" "$OUT/key"
        mkdir -p "$OUT/results" && echo "$1" > "$OUT/key"
    fi
    find "$OUT/results" -name '*.part' -delete
    trap 'steps_end 130' INT
    trap 'steps_end 143' TERM
}

steps_end() {
    trap - INT TERM
    [ -z "${step_pid-}" ] || kill -- "-$step_pid" 2> /dev/null
    steps_say "interrupted; the same command goes on from here"
    exit "$1"
}

steps_say() {
    if [ -t 2 ]; then
        echo "$(date +%H:%M:%S) $*" | tee -a "$OUT/progress" >&2
    else
        echo "$(date +%H:%M:%S) $*" >> "$OUT/progress"
    fi
}

steps_result() {
    echo "$OUT/results/$1/$2"
}

# The status is COMMAND's.
step() {
    local name=$1 step=$2 result status begun=$SECONDS

    shift 2
    result=$(steps_result "$name" "$step")
    steps_done=$((steps_done + 1))
    [ ! -f "$result" ] || return 0
    mkdir -p "${result%/*}"
    set -m
    "$@" > "$result.part" 2>> "$OUT/log" < /dev/null &
    step_pid=$!
    set +m
    wait "$step_pid"
    status=$?
    step_pid=
    if [ $status = 0 ]; then
        mv "$result.part" "$result"
        steps_say "$steps_done of $steps_total: $name, $step ($((SECONDS - begun)) s)"
    else
        rm -f "$result.part"
        steps_say "$steps_done of $steps_total: $name, $step: failed"
    fi
    return $status
}
