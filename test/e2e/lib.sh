# SPDX-License-Identifier: MIT
# lib.sh: the beginning of every end-to-end test:
#
#     . "$(dirname "$0")/lib.sh"
#     ok 'compresses a trace'  wpp-compress -o "$T/a.wpp" "$T/a.trace"
#     is 'counts the events'   "$(events "$T/a.wpp")" 17
#     fails 'refuses an empty file'  wpp-compress -o "$T/b.wpp" /dev/null
#     done_testing
#
# T      a private directory, removed at exit
# ROOT   the project's root
# BUILD  the build under test; its tools come first in PATH
# WPP_GCC, WPP_GXX   its compiler wrappers
# CONFIG release, debug, asan, ubsan or hostile
#
# CHECK_ALL=yes in the environment makes the files try all levels, forms of programs and sizes they know.
# `make check` tries a selection; test/real/check-all and test/with-gcc (but with --quick) try all.
set -u
export LC_ALL=C

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUILD=${WPP_BUILD:-$ROOT/build/${CONFIG:-release}}
CONFIG=${BUILD##*/}
PATH=$BUILD/bin:$PATH
WPP_GCC=$BUILD/bin/wpp-gcc
WPP_GXX=$BUILD/bin/wpp-g++
# Settings of the one who runs the tests are not part of the tests.
unset WPP_OUT WPP_OPTIONS WPP_CC WPP_CXX WPP_RUNTIME WPP_PLUGIN_ARGS NO_COLOR
export ROOT BUILD CONFIG PATH WPP_GCC WPP_GXX

T=$(mktemp -d "${TMPDIR:-/tmp}/wpp-test.XXXXXX") || exit 1
trap 'rm -rf "$T"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

checks=0
failures=0

pass() {
    echo "ok $((++checks)) - $1"
}

# fail NAME [DETAIL...]: each detail is printed as lines of comment.
fail() {
    failures=$((failures + 1))
    echo "not ok $((++checks)) - $1"
    shift
    [ $# = 0 ] || printf '%s\n' "$@" | head -n 40 | sed 's/^/# /'
}

# skip WHY: a check that cannot be made here.
skip() {
    echo "skip $((++checks)) - $1"
}

# check_all: whether all is to be tried, not the selection of `make check`.
check_all() {
    [ "${CHECK_ALL-}" = yes ]
}

# some_of WORD... -- MORE...: sets the array `chosen`, for a loop: the WORDs, and MORE of them if all is to be tried.
some_of() {
    local word

    chosen=()
    for word; do
        case $word in
        --) check_all || break ;;
        *) chosen+=("$word") ;;
        esac
    done
}

# run COMMAND...: its output to $T/out and $T/err, its exit status to $status.
run() {
    "$@" > "$T/out" 2> "$T/err"
    status=$?
}

# ok NAME COMMAND...: the command succeeds.
ok() {
    local name=$1

    shift
    run "$@"
    if [ $status = 0 ]; then
        pass "$name"
    else
        fail "$name" "status $status of: $*" "$(tail -n 20 "$T/err")"
        return 1
    fi
}

# refused NAME STATUS COMMAND...: fails as a tool should: the given exit status
# (any: 1 to 125), one line on standard error, no signal.
refused() {
    local name=$1 want=$2 lines

    shift 2
    run "$@"
    lines=$(wc -l < "$T/err")
    if [ "$want" = any ] && [ $status -ge 1 ] && [ $status -le 125 ] ||
       [ "$want" = $status ]; then
        if [ "$lines" = 1 ]; then
            pass "$name"
        else
            fail "$name" "$lines lines of message instead of one:" "$(cat "$T/err")"
        fi
    else
        fail "$name" "status $status, not $want, of: $*" "$(tail -n 20 "$T/err")"
    fi
}

# fails NAME COMMAND... / fails_with STATUS NAME COMMAND...
fails() {
    local name=$1

    shift
    refused "$name" any "$@"
}
fails_with() {
    local want=$1 name=$2

    shift 2
    refused "$name" "$want" "$@"
}

# is NAME GOT WANT
is() {
    if [ "$2" = "$3" ]; then
        pass "$1"
    else
        fail "$1" "got:  $2" "want: $3"
    fi
}

# like NAME TEXT REGEX (grep -E)
like() {
    if printf '%s\n' "$2" | grep -Eq -- "$3"; then
        pass "$1"
    else
        fail "$1" "does not match /$3/:" "$2"
    fi
}

# same NAME FILE FILE: byte for byte
same() {
    if cmp "$2" "$3" > "$T/cmp" 2>&1; then
        pass "$1"
    else
        fail "$1" "$(cat "$T/cmp")"
    fi
}

# absent NAME FILE: nothing of this name is left
absent() {
    if [ ! -e "$2" ] && [ ! -L "$2" ]; then
        pass "$1"
    else
        fail "$1" "exists: $(ls -l "$2")"
    fi
}

# segments FILE: how many a WPP has, 0 for one piece
segments() {
    wpp-info "$1" | awk '$1 == "segments" { n = $2 } END { print n + 0 }'
}

# parts FILE: how many parts its grammar was built in, 0 for one piece
parts() {
    wpp-info "$1" | awk '$1 == "parts" { n = $2 } END { print n + 0 }'
}

# recorded NAME COMPILER ARGUMENT...: builds $T/NAME with the compiler and records a run to $T/NAME.wpp
recorded() {
    local name=$1 compiler=$2

    shift 2
    ok "$name is recorded" bash -c '"$1" -g -w "${@:4}" -o "$2" && rm -f "$3" && wpp-record -q -o "$3" "$2" > /dev/null' - \
        "$compiler" "$T/$name" "$T/$name.wpp" "$@"
}

# instructions FILE: what the run of a WPP cost
instructions() {
    wpp-report --format=json "$1" | sed -n 's/.*"instructions": \([0-9]*\).*/\1/p' | head -n 1
}

# column FILE KINDS NAME FIELD: a field of wpp-report's CSV, summed over the rows of that name; KINDS is a
# regular expression of the first field
column() {
    awk -F , -v kinds="^($2)\$" -v name="\"$3\"" -v field="$4" \
        '$1 ~ kinds && $3 == name { s += $field } END { print s }' "$1" | tr -d '\r'
}

# same_answers NAME FILE FILE TOOL...: what a tool says of both WPPs, which is not nothing
same_answers() {
    local name=$1 one=$2 other=$3

    shift 3
    "$@" - < "$one" > "$T/answer"
    "$@" - < "$other" > "$T/other"
    ok "$name: there is an answer" test -s "$T/other"
    same "$name: the same" "$T/answer" "$T/other"
}

# as_done DONE COUNTED: of a killed program.  Thread k ran line 100 + k, and then added 1 to word k of DONE
# (64 bytes each).  COUNTED, wpp-dump's line counts, has each line as often, or once more; prints those
# that differ.
as_done() {
    od -An -v -t d8 -w64 "$1" | awk '
        NR == FNR { done[100 + n++] = $1; next }
        match($1, /:1[0-9][0-9]$/) { counted[substr($1, RSTART + 1)] = $2 }
        END {
            for (l in done)
                if (counted[l] < done[l] || counted[l] > done[l] + 1) {
                    print "line " l ": counted " counted[l] + 0 ", done " done[l]
                    wrong = 1
                }
            exit wrong
        }' - "$2"
}

# children PID [NAME]: the processes that PID has started; those called NAME
children() {
    sed -n 's/^\([0-9]*\) (\(.*\)) [^ ]* \([0-9]*\) .*/\3 \1 \2/p' /proc/[0-9]*/stat 2> /dev/null |
        awk -v parent="$1" -v name="${2-}" '$1 == parent && (name == "" || $3 == name) { print $2; n++ }
                                            END { exit !n }'
}

done_testing() {
    echo "1..$checks"
    [ $failures = 0 ]
    exit
}
