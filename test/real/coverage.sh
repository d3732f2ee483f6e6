# SPDX-License-Identifier: MIT
# coverage.sh: what wpp-coverage says of a real program is what gcov and lcov say of it.
#
#     check_coverage NAME SIZE
#
# builds NAME of programs.sh with wpp-gcc and with `gcc --coverage`, both at -O0, lets both do the same
# work, and checks that
#   - the same lines have code, executed or not, and each has gcov's count,
#   - each line has as many branches, with gcov's counts,
#   - the same functions are there, executed or not, with their calls,
#   - lcov's totals of lines, functions and branches are ours.
# Expects test/e2e/lib.sh, test/real/programs.sh and test/real/checks.sh to be loaded, and jq.

# Lists are lines of `file:line`, a tab, the count, a tab, and the counts of its branches, ascending.
# Lines of several objects are one; of functions that are several times on a line, each counts.
coverage_list() {
    perl -F'\t' -lane '
        $count{$F[0]} += $F[1];
        push @{$branches{$F[0]}}, split /,/, $F[2] // "";
        END { for (keys %count) {
            printf "%s\t%.0f\t%s\n", $_, $count{$_}, join ",", sort { $a <=> $b } @{$branches{$_} // []} } }' |
        sort
}

# Of one file compiled to several objects gcov has its branches several times: those of one function
# and position are summed.
gcov_coverage() {
    jq -r '.files[] | .file as $file | .lines[] |
           [$file + ":" + (.line_number | tostring), .function_name // "", (.count | tostring),
            ([.branches[].count | tostring] | join(","))] | @tsv' |
        perl -F'\t' -lane '
            $key = "$F[0]\t$F[1]";
            $count{$key} += $F[2];
            @one = split /,/, $F[3] // "";
            $branch{$key}[$_] += $one[$_] for 0 .. $#one;
            END { for (keys %count) {
                printf "%s\t%.0f\t%s\n", (split /\t/)[0], $count{$_}, join ",", @{$branch{$_} // []} } }'
}

wpp_coverage() {
    jq -r '.files[] | .file as $file | .lines[] |
           [$file + ":" + (.line | tostring), (.count | tostring),
            ([.branches[].count | tostring] | join(","))] | @tsv'
}

# Sets gcov_dir: the program with gcov's counts of one run, and T/gcov.json: what gcov says.
run_with_gcov() {
    local name=$1 size=$2 run=$3 data

    gcov_dir=$REAL/gcov-O0/$name
    real_build "$name" "${CC:-gcc}" -O0 "$gcov_dir" --coverage -fprofile-update=single || return
    find "$gcov_dir" -name '*.gcda' -delete
    mkdir -p "$run" && cp "$gcov_dir/$name" "$run/$name"
    real_command "$name" "$run/$name" "$size"
    in_folder "$run" "${command[@]}"
    (cd "$(real_tree "$name")" && for data in "$gcov_dir"/*.gcda; do
        gcov --json-format --branch-probabilities --stdout "$data"
    done) > "$T/gcov.json" 2> /dev/null
}

run_with_wpp() {
    local name=$1 size=$2 run=$3 traced=$REAL/$CONFIG-O0/$1

    real_build "$name" "$WPP_GCC" -O0 "$traced" || return
    rm -rf "$run"
    mkdir -p "$run" && cp "$traced/$name" "$run/$name"
    real_command "$name" "$run/$name" "$size"
    rm -f "$T/w.wpp"
    in_folder "$run" wpp-record -q -o "$T/w.wpp" "${command[@]}"
}

# A function that several objects hold is one.  gcov takes each computed goto for a call: so lua5.4's
# interpreter is left out.  (Its first line has our count in gcov, too.)
sum_calls() {
    awk '$1 != "luaV_execute" { calls[$1] += $2 } END { for (name in calls) printf "%s %.0f\n", name, calls[name] }' |
        sort
}

# The totals of lcov as `executed of all`.
lcov_total() {
    sed -n "s/^ *$1\.*: .*(\([0-9]*\) of \([0-9]*\) .*/\1 of \2/p" "$T/lcov.out"
}
wpp_total() {
    jq -r ".sums.$1 | \"\(.executed) of \(.all)\"" "$T/wpp.json"
}

check_lcov() {
    local name=$1

    if ! command -v lcov > /dev/null; then
        skip "$name: there is no lcov"
        return
    fi
    ok "$name: lcov reads the same run" lcov -q --capture --rc lcov_branch_coverage=1 --directory "$gcov_dir" \
        --base-directory "$(real_tree "$name")" --output-file "$T/lcov.info"
    lcov --summary --rc lcov_branch_coverage=1 "$T/lcov.info" > "$T/lcov.out" 2>&1
    is "$name: lcov's lines" "$(wpp_total lines)" "$(lcov_total lines)"
    is "$name: lcov's functions" "$(wpp_total routines)" "$(lcov_total functions)"
    is "$name: lcov's branches" "$(wpp_total branches)" "$(lcov_total branches)"
}

check_coverage() {
    local name=$1 size=$2 run=$T/run

    if ! command -v jq > /dev/null; then
        skip "$name: there is no jq"
        return
    fi
    if ! why=$(real_prepare "$name" 2>&1); then
        skip "$name: no source: ${why##*$'\n'}"
        return
    fi
    real_input "$name" "$size"
    ok "$name: is recorded" run_with_wpp "$name" "$size" "$run" || return
    cp "$REAL/$CONFIG-O0/$name/$name" "$T/program"
    ok "$name: wpp-coverage" wpp-coverage --format=json --map="$run/$name=$T/program" "$T/w.wpp" || return
    cp "$T/out" "$T/wpp.json"
    rm -rf "$run"
    ok "$name: the run with gcov" run_with_gcov "$name" "$size" "$run" || return
    wpp_coverage < "$T/wpp.json" | coverage_list > "$T/wpp.list"
    gcov_coverage < "$T/gcov.json" | coverage_list > "$T/gcov.list"
    diff "$T/wpp.list" "$T/gcov.list" > "$T/differences"
    cp "$T/differences" "$REAL/$name-O0.coverage-differences"
    is "$name: lines and branches that differ from gcov's, of $(wc -l < "$T/gcov.list")" \
        "$(head -n 40 "$T/differences")" ''
    ok "$name: there are some" test "$(wc -l < "$T/gcov.list")" -gt 300
    is "$name: functions that differ from gcov's" "$(diff \
        <(jq -r '.files[].routines[] | [.routine, .calls] | @tsv' "$T/wpp.json" | sum_calls) \
        <(jq -r '.files[].functions[] | [.name, .execution_count] | @tsv' "$T/gcov.json" | sum_calls))" ''
    check_lcov "$name"
}
