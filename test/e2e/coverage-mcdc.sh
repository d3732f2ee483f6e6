#!/bin/bash
# SPDX-License-Identifier: MIT
# wpp-coverage --mcdc: vectors of random decisions, and which conditions they show, are those that an
# evaluator of the same expressions finds.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

if ! command -v jq > /dev/null; then
    skip 'there is no jq'
    done_testing
    exit
fi

# generate SEED LEAF: writes prog.c and `expected`; see coverage/decisions.pl.
generate() {
    perl "$ROOT/test/e2e/coverage/decisions.pl" "$1" "$2" | sort > expected
}

vectors() {
    jq -r '.files[].routines[] | select(.routine | test("^f[0-9]+$")) | .routine as $r | .decisions[] |
           (.vectors[] | "\($r) \(.values) \(if .outcome then "T" else "F" end) \(.count)"),
           "\($r) shown \([.conditions[] | if .shown then "1" else "0" end] | add)",
           "\($r) decided \([.conditions[] | .true_decided, .false_decided | select(.)] | length)"' "$T/out" | sort > found
}

for form in '1 read -O0' '2 call -O0' '3 read -O0' '4 read -O1' '5 call -O2'; do
    set -- $form
    generate "$1" "$2"
    early=
    [ "$3" = -O0 ] || early=-fplugin-arg-wpp-stage=early
    ok "$form: a program" "$WPP_GCC" $3 $early -o prog prog.c
    rm -f prog.wpp
    ok "$form: is recorded" wpp-record -q -o prog.wpp ./prog
    ok "$form: MC/DC" wpp-coverage --format=json --mcdc prog.wpp
    vectors
    same "$form: vectors and conditions are those of the evaluator" found expected || diff found expected | head -n 20 | sed 's/^/# /'
    is "$form: the sum" "$(jq -c '[.conditions.shown, .conditions.all]' "$T/out")" \
        "$(jq -c '[.files[].routines[].decisions[].conditions[]] | [(map(select(.shown)) | length), length]' "$T/out")"
    # With all missing vectors each condition is shown that can be.
    is "$form: missing vectors are enough" "$(jq '[.files[].routines[].decisions[] | . as $d | .vectors |= map(select(.count > 0 or .missing)) |
        . as $x | range(0; $x.conditions | length) as $i | select($x.conditions[$i].possible) |
        select([$x.vectors[] as $a | $x.vectors[] as $b | select($a.outcome and ($b.outcome | not)) |
            [range(0; $x.conditions | length) | [$a.values[.:. + 1], $b.values[.:. + 1]] | (.[0] != "-" and .[1] != "-" and .[0] != .[1])] |
            select(.[$i] and (map(select(.)) | length) == 1)] | length == 0)] | length' "$T/out")" 0
done
ok 'there were large decisions' test "$(grep -cE '^f[0-9]+ shown [01]{7,}' expected)" -gt 2

# Loops, ternaries, values, calls that throw.
cat > forms.c <<'END_C'
int a = 1, b, c = 3;
int main(void)
{
    int n = 0, x = a && b;
    while (n < 5 && (a || b))
        n++;
    do {
        n--;
    } while (n > 0 && c);
    return (x ? a : b) && c == 0;
}
END_C
ok 'other forms' "$WPP_GCC" -O0 -g -o forms forms.c
ok 'are recorded' wpp-record -q -o forms.wpp ./forms
wpp-coverage --mcdc --all forms.wpp > forms.out
is 'a value' "$(grep -A 3 'forms.c:4, main' forms.out)" '       0 of 2   forms.c:4, main; not shown: 1, 2
              0    TT -> T  missing
              1    TF -> F
              0    F- -> F  missing'
is 'a loop' "$(grep -A 4 'forms.c:5, main' forms.out)" '       1 of 3   forms.c:5, main; not shown: 2, 3
              5    TT- -> T
              0    TFT -> T  missing
              0    TFF -> F  missing
              1    F-- -> F'
fails_with 1 'paths that calls cut' bash -c 'wpp-profile -o forms.prof forms.wpp && wpp-coverage --mcdc forms.prof'
"$WPP_GCC" -O0 -g -fplugin-arg-wpp-mode=paths -o counted forms.c && wpp-record -q -o counted.prof ./counted
is 'a profile of whole paths tells the same' "$(wpp-coverage --mcdc --all counted.prof | sed -n '/decision/,$p')" "$(sed -n '/decision/,$p' forms.out)"
"$WPP_GCC" -O2 -g -o forms forms.c && wpp-record -q -o optimised.wpp ./forms
like 'optimised code' "$(wpp-coverage --mcdc optimised.wpp)" '^1 routine was optimised, so conditions are not known'
done_testing
