# SPDX-License-Identifier: MIT
# measurements.sh: the steps of `make papers` for one program; each prints its result.
#
# Expects what `run` has set.  A step that fails says why in one line on standard error.
variants='native paths edges gcov generate'

# ---- Builds -----------------------------------------------------------------------------

exe_of() {
    echo "$REAL/$2${opt// /}/$1/$1"
}

make_inputs() {
    papers_input "$1" train "$size" && papers_input "$1" ref "$size"
}

# Prints the bytes of text.
build_variant() {
    local name=$1 variant=$2 dir=$REAL/$2${opt// /}/$1 cc=${CC:-gcc}

    case $variant in
    native)   real_build "$name" "$cc" "$opt" "$dir" ;;
    gcov)     real_build "$name" "$cc" "$opt" "$dir" --coverage ;;
    traced)   real_build "$name" wpp-gcc "$opt" "$dir" ;;
    generate) real_build "$name" "$cc" "$opt" "$dir" -fprofile-generate="$dir.data" ;;
    *)        real_build "$name" wpp-gcc "$opt" "$dir" -fplugin-arg-wpp-mode="$variant" ;;
    esac && size "$dir/$name" | awk 'NR == 2 { print $1 }'
}

# ---- Runs -------------------------------------------------------------------------------

# in_folder COMMAND...: with a working folder that is empty, and gone afterwards.
in_folder() {
    local folder status

    folder=$(mktemp -d "$OUT/tmp/XXXXXX") || return 1
    trap 'rm -rf "$folder"; exit 143' TERM
    (cd "$folder" && "$@")
    status=$?
    rm -rf "$folder"
    return $status
}

# run_once NAME VARIANT KIND [WRAPPER...]: the program at work, in the current folder.  Its result
# and exit status, of which `want` keeps a sum, must be those of the first run with that input.
run_once() {
    local name=$1 variant=$2 kind=$3 status sum want
    local -a command
    local stdin

    want=$OUT/results/$name/want-$kind
    papers_command "$name" "$(exe_of "$name" "$variant")" "$kind" "$size"
    "${@:4}" "${command[@]}" < "$stdin" > out 2> err
    status=$?
    papers_status "$name" $status || {
        echo "its $variant build ended with $status: $(head -n 1 err)" >&2
        return 1
    }
    sum=$({ papers_result "$name" < out; echo $status; } | md5sum)
    [ -f "$want" ] || echo "$sum" > "$want"
    [ "$sum" = "$(cat "$want")" ] || {
        echo "its $variant build has another output than the native one" >&2
        return 2
    }
}

# A line `VARIANT user sys wall memory` for each.
time_variant() {
    local name=$1 variant=$2

    rm -f "$REAL/gcov${opt// /}/$name"/*.gcda
    rm -rf "$REAL/generate${opt// /}/$name.data"
    case $variant in
    paths|edges) export WPP_OUT=trace ;;
    esac
    run_once "$name" "$variant" ref "$BUILD/test/bench/measure" times || return
    echo "$variant $(cat times)"
}

time_all() {
    local variant

    for variant in $variants; do
        in_folder time_variant "$1" "$variant" || return
    done
}

# ---- Profiles ---------------------------------------------------------------------------

# lenient COMMAND...: a tool of ours on a profile that may be incomplete, which is status 3.
lenient() {
    "$@"
    case $? in
    0|3) return 0 ;;
    esac
    return 1
}

record_counts() {
    export WPP_OUT=trace
    run_once "$1" paths "$2" || return
    lenient wpp-compress -f -o "$profiles/$2.prof" trace >&2
}

# Prints the figures of the whole profile, a line each: key value.  `limited`: executions of paths
# that ended because the plugin lets no block begin more; `incomplete`, and why.
take_profile() {
    local profiles=$OUT/profiles/$1

    # The plain run is for its output: that of train has not been seen.
    mkdir -p "$profiles" && in_folder run_once "$1" native "$2" && in_folder record_counts "$1" "$2" || return
    lenient wpp-profile --format=csv "$profiles/$2.prof" > "$profiles/$2.routines.csv" &&
        lenient wpp-profile --paths --format=csv "$profiles/$2.prof" > "$profiles/$2.paths.csv" &&
        lenient wpp-profile --edge-prediction --format=json "$profiles/$2.prof" > "$profiles/$2.json" &&
        awk -v RS='[,{]' '/"routines"/ { exit }
                          /^ *"[a-z_]+": [0-9.]+/ { gsub(/[":\n]/, ""); print $1, $2 }' \
            "$profiles/$2.json" || return 1
    wpp-info "$profiles/$2.prof" | awk '
        /^complete *no/ { sub(/^complete *no/, "incomplete"); print }
        /^limited .*of which/ { sub(/.*of which /, ""); gsub(/,/, ""); print "limited", $1 }'
}

# The figures of one program that no later step needs: key value.
figures_of() {
    local profiles=$OUT/profiles/$1

    awk -f test/bench/papers/csv.awk -f test/bench/papers/routines.awk -v limit="$array_limit" \
        "$profiles/ref.routines.csv" &&
        awk -f test/bench/papers/csv.awk -f test/bench/papers/overlap.awk \
            "$profiles/train.paths.csv" "$profiles/ref.paths.csv"
}

# Lines `SITES NAME`: in how many places of the plain program a routine is called, or jumped to
# from another.  P3 divides the paths of routines with one caller.
count_callers() {
    objdump -d --no-show-raw-insn "$(exe_of "$1" native)" | awk '
        /^[0-9a-f]+ <.*>:$/ { own = $2; gsub(/[<>:]/, "", own) }
        $2 ~ /^(call|jmp)/ && $NF ~ /^<[^+]*>$/ {
            name = $NF
            gsub(/[<>]/, "", name)
            if (name != own && name !~ /@plt$/)
                sites[name]++
        }
        END { for (name in sites) print sites[name], name }'
}

# COPIES PBL P3 "P3 with sums on chords" and the same three measured, in % of one copy's hits.
probe_hits() {
    local profiles=$OUT/profiles/$1

    "$BUILD/test/bench/p3-table" -h -c "$(steps_result "$1" callers)" "$profiles/ref.prof" > "$profiles/p3.md" ||
        { echo "p3-table found a wrong plan" >&2; return 1; }
    awk -F '|' '$3 ~ /^ [248] $/ && $2 !~ /mean/ { print $3, $4 + 0, $5 + 0, $6 + 0, $7 + 0, $8 + 0, $9 + 0 }' \
        "$profiles/p3.md"
}

# ---- Samples ----------------------------------------------------------------------------

record_trace() {
    run_once "$1" traced train wpp-record -qo run.wpp || return
    lenient wpp-samples --accuracy --format=json run.wpp
}

# Lines `DEPTH PERIOD SAMPLES EQUAL FLOW`, accuracies of both estimates in %, and a first one `hot HOT`, the number of
# hot paths.  Of the train input: each taken branch is looked at.
sample_paths() {
    local table

    table=$(in_folder record_trace "$1") || return
    awk -v RS='[{}]' -F '[:,]' '
        /"hot"/   { for (i = 1; i < NF; i++) if ($i ~ /"hot"/) print "hot", $(i + 1) + 0 }
        /"depth"/ { print $2 + 0, $4 + 0, $6 + 0, 100 * $8, 100 * $10 }' <<< "$table"
}
