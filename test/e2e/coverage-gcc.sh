#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 40
# wpp-coverage beside newer GCCs: values of conditions are those of -fcondition-coverage (GCC 14), prime paths those of
# -fpath-coverage (GCC 15), function by function.
. "$(dirname "$0")/lib.sh"
. "$ROOT/test/real/programs.sh"
cd "$T" || exit 1

echo 'int nothing;' > flag.c
knows() {
    gcc "$1" -c -o flag.o flag.c 2> /dev/null
}
if ! knows -fcondition-coverage; then
    skip "gcc $(gcc -dumpversion) has no -fcondition-coverage, which came with GCC 14"
    done_testing
elif ! command -v jq > /dev/null; then
    skip 'there is no jq'
    done_testing
fi
flags=(--coverage -fcondition-coverage)
views=--conditions
if knows -fpath-coverage; then
    flags+=(-fpath-coverage)
    views="$views --prime-paths"
else
    skip "gcc $(gcc -dumpversion) has no -fpath-coverage, which came with GCC 15"
fi

# theirs FILE.gcda...: `conditions FUNCTION COVERED ALL`, `paths FUNCTION COVERED ALL`; functions without any are
# left out, and those with more paths than we count
theirs() {
    gcov --json-format --stdout $views "$@" 2> gcov.err | jq -r '
        .files[] | ([.lines[] | select(.conditions) | {f: .function_name, c: .conditions[]}] | group_by(.f)[] |
            "conditions \(.[0].f) \([.[].c.covered] | add) \([.[].c.count] | add)"),
        (.functions[] | select((.total_prime_paths // 0) > 0 and .total_prime_paths <= 10000) |
            "paths \(.name) \(.covered_prime_paths) \(.total_prime_paths)")' | sort
}
# ours FILE.wpp: the same
ours() {
    wpp-coverage --format=json --mcdc --prime-paths "$1" | jq -r '
        .files[].routines[] | .routine as $f |
        ([.decisions[].conditions[] | .true_decided, .false_decided] | select(length > 0) |
            "conditions \($f) \(map(select(.)) | length) \(length)"),
        (.prime | select(.all > 0 and (.limited | not)) | "paths \($f) \(.executed) \(.all)")' | sort
}
# same_as_gcov NAME WPP FILE.gcda...
same_as_gcov() {
    local name=$1 wpp=$2

    shift 2
    theirs "$@" > theirs
    ours "$wpp" > ours
    knows -fpath-coverage || sed -i '/^paths/d' ours
    ok "$name: there are functions to compare" test "$(wc -l < theirs)" -gt 3
    is "$name: the same as gcov's, function by function" "$(diff theirs ours)" ''
}
# both NAME SOURCE: a program of one source, recorded and counted
both() {
    "$WPP_GCC" -O0 -w -o "$1" "$2" && rm -f "$1.wpp" && wpp-record -q -o "$1.wpp" "./$1" > /dev/null
    mkdir -p "counted-$1" && gcc -O0 -w "${flags[@]}" -c -o "counted-$1/$1.o" "$2" && gcc --coverage -o "counted-$1/$1" "counted-$1/$1.o" &&
        "counted-$1/$1" > /dev/null
    same_as_gcov "$1" "$1.wpp" "counted-$1/$1.gcda"
}

cat > forms.c << 'END_C'
#include <stdio.h>
int a = 1, b, c = 3;
int one(int x) { if (x) return 1; return 2; }
int loop(int n)
{
    int s = 0;

    for (int i = 0; i < n; i++) {
        if (i & 1)
            s += 3;
        else if (i == 4)
            continue;
        else
            s += 1;
    }
    return s;
}
int choose(int x)
{
    switch (x) {
    case 1: return 10;
    case 2: x++; break;
    default: return 0;
    }
    return x;
}
int nested(int n)
{
    int s = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (j % 2 && (i > 2 || s > 3))
                s += j;
    return s;
}
int out(int n)
{
again:
    if (n > 10)
        goto end;
    n += n > 5 ? 2 : 3;
    goto again;
end:
    return n;
}
int main(void)
{
    int n = 0, x = a && b;

    while (n < 5 && (a || b))
        n++;
    do {
        n--;
    } while (n > 0 && c);
    printf("%d %d %d %d %d\n", one(n), loop(5), choose(2), nested(5), out(1));
    return (x ? a : b) && c == 0 ? 1 : 0;
}
END_C
both forms forms.c
for form in '1 read' '2 call' '7 read'; do
    perl "$ROOT/test/e2e/coverage/decisions.pl" $form > /dev/null
    mv prog.c "decisions-${form% *}.c"
    both "decisions-${form% *}" "decisions-${form% *}.c"
done

# A real program.
real=$(real_prepare bzip2 2>&1 && real_input bzip2 small 2>&1)
if [ -d "$(real_tree bzip2)" ]; then
    real_build bzip2 "$WPP_GCC" -O0 "$T/real" > real.log 2>&1
    real_build bzip2 "gcc ${flags[*]}" -O0 "$T/gcov" > gcov.log 2>&1
    mkdir run && cd run || exit 1
    real_command bzip2 "$T/real/bzip2" small
    wpp-record -q -o "$T/real.wpp" "${command[@]}" > /dev/null
    real_command bzip2 "$T/gcov/bzip2" small
    "${command[@]}" > /dev/null
    cd "$T" || exit 1
    same_as_gcov bzip2 real.wpp gcov/*.gcda
else
    skip "bzip2: its source cannot be had here ($real)"
fi
done_testing
