#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 20
# `make papers`: its tables hold the figures of the program, an interrupted run goes on where it
# was, and a program whose output differs makes it fail.
. "$(dirname "$0")/lib.sh"
case $CONFIG in
release|debug) ;;
*) skip "the papers' tables are not for CONFIG=$CONFIG"; done_testing ;;
esac
[ -x "$BUILD/test/bench/p3-table" ] || { skip 'the benches are not built'; done_testing; }

mkdir -p "$T/papers/real/tree/tiny" "$T/papers/real/tree/unsteady"
# classify() is executed argv[1] times: six paths; of train's three.  13 conditions in a
# row have 8,192 paths.
cat > "$T/papers/real/tree/tiny/tiny.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) static int classify(int i)
{
    volatile int kind = 0;

    if (i % 3 == 0)
        kind += 1;
    else if (i % 3 == 1)
        kind += 2;
    if (i > 900)
        kind += 4;
    return kind;
}

__attribute__((noinline)) static int many(int bits)
{
    volatile int n = 0;

#define BIT(k) if (bits & 1 << k) n += k;
    BIT(1) BIT(2) BIT(3) BIT(4) BIT(5) BIT(6) BIT(7) BIT(8) BIT(9) BIT(10) BIT(11) BIT(12) BIT(13)
    return n;
}

/* Waits at its seventh run: the second of the second round. */
static inline void hold(void)
{
    FILE *f = fopen(getenv("CARRIED_OUT"), "a+");
    int lines = 0, c;

    if (!f)
        exit(1);
    fputs("run\n", f);
    rewind(f);
    while ((c = getc(f)) != EOF)
        lines += c == '\n';
    fclose(f);
    while (lines == 7 && access(getenv("HOLD"), F_OK) == 0) {
        f = fopen(getenv("REACHED"), "w");
        if (f)
            fclose(f);
        usleep(20000);
    }
}

int main(int argc, char **argv)
{
    int sum = 0, n = argc > 1 ? atoi(argv[1]) : 0;

    hold();
    for (int i = 0; i < n; i++)
        sum += classify(i);
    for (int i = 0; i < n / 10; i++)
        sum += many(i);
    printf("%d\n", sum);
    return 0;
}
END
cat > "$T/papers/real/tree/unsteady/unsteady.c" <<'END'
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    puts(getenv("WPP_OUT") ? "recorded" : "plain");
    return 0;
}
END
cat > "$T/programs.sh" <<'END'
papers_names='tiny unsteady'
papers_about() { echo 'for this test'; }
recipe_tiny() { files=tiny.c flags= libraries=; }
recipe_unsteady() { files=unsteady.c flags= libraries=; }
papers_input() { :; }
papers_command() {
    command=("$2" 1013) stdin=/dev/null
    [ "$3" = ref ] || command=("$2" 517)
}
papers_result() { cat; }
papers_status() { [ "$2" = 0 ]; }
END
export CARRIED_OUT=$T/carried HOLD=$T/hold REACHED=$T/reached
export PAPERS_OUT=$T/papers PAPERS_PROGRAMS=$T/programs.sh PAPERS_RUNS=2

papers() {
    "$ROOT/test/bench/papers/run" "$BUILD" "$@"
}

# cell TABLE COLUMN: of the row of tiny
cell() {
    awk -F , -v name="$2" 'NR == 1 { sub(/\r$/, ""); for (i = 1; i <= NF; i++) if ($i == name) column = i }
                           $1 == "tiny" { sub(/\r$/, ""); print $column; exit }' "$T/papers/$1.csv"
}

# ---- Interrupted, and resumed ---------------------------------------------------------------

: > "$CARRIED_OUT"
: > "$HOLD"
"$ROOT/test/bench/papers/run" "$BUILD" tiny > "$T/stdout" 2>&1 &
pid=$!
for ((k = 0; k < 600; k++)); do
    [ ! -e "$REACHED" ] || break
    sleep 0.05
done
kill "$pid"
wait "$pid"
is 'an interrupted run' $? 143
is 'has not begun its tables' "$(ls "$T/papers" | grep csv)" ''
like 'and says what to do' "$(cat "$T/papers/progress")" 'interrupted; the same command goes on from here$'
rm -f "$HOLD"
sleep 0.1
is 'its program is gone' "$(pgrep -f "$T/papers/real/.*/tiny 1013")" ''
run flock "$T/papers/lock" "$ROOT/test/bench/papers/run" "$BUILD" tiny
is 'two at once are refused' "$status $(cat "$T/err")" "1 papers: another run is at work in $T/papers"
before=$(wc -l < "$CARRIED_OUT")
ok 'the same command again' papers tiny
# times-2 with five variants, two inputs with a plain and a counted run each, and a traced run.
is 'goes on where it was' "$before $(($(wc -l < "$CARRIED_OUT") - before))" '7 10'
is 'without building again' "$(grep -c 'build-paths' "$T/papers/progress")" 1
ok 'a third time' papers tiny
is 'runs nothing' "$(wc -l < "$CARRIED_OUT")" 17

# ---- Tables ---------------------------------------------------------------------------------

is 'executed routines' "$(cell lengths routines)" 3
wpp-profile --routine=classify "$T/papers/profiles/tiny/ref.prof" > "$T/classify"
like 'the profile is of the ref input' "$(cat "$T/classify")" '1,013 +classify'
is 'the routine with 8,192 paths needs a hash table' "$(cell hashed hashed_routines)" 1
is 'as often as its paths are executed' "$(cell hashed hashed_increments)" \
    "$(wpp-profile --format=csv "$T/papers/profiles/tiny/ref.prof" | awk -f "$ROOT/test/bench/papers/csv.awk" -f <(echo '{ csv_fields($0, f) } f[1] == "routine" && f[3] == "many" { print f[8] }') -)"
wpp-profile --diff "$T/papers/profiles/tiny/train.prof" "$T/papers/profiles/tiny/ref.prof" > "$T/diff"
like 'the overlap is that of wpp-profile' "$(cat "$T/diff")" \
    "^A executed $(cell overlap static) % of B's paths, with $(cell overlap dynamic) % of their executions and $(cell overlap instructions) %"
wpp-profile --edge-prediction "$T/papers/profiles/tiny/ref.prof" > "$T/prediction"
like 'the prediction, too' "$(cat "$T/prediction")" "^$(cell prediction paths_whole) % of [0-9]+ paths are predicted whole, $(cell prediction executions_whole) % of"
is 'three rows of copies' "$(grep -c '^tiny,[248],' "$T/papers/p3.csv")" 3
is 'a row of samples for each depth' "$(grep -c '^tiny,\(4\|8\|16\|32\),' "$T/papers/samples.csv")" 4
is 'they are what wpp-samples said' "$(awk -F , '$1 == "tiny" && $2 == 16 { print $4, $8 }' "$T/papers/samples.csv")" \
    "$(awk '$1 == 16 && $2 == 1000 { printf "%.1f %.1f\n", $4, $5 }' "$T/papers/results/tiny/samples")"
like 'in per cent' "$(awk '$1 == 16 && $2 == 1000 { print $3, $4, $5 }' "$T/papers/results/tiny/samples")" '^[1-9] [1-9][0-9](\.[0-9]+)? ([1-9][0-9](\.[0-9]+)?|100)$'
is "the papers' figures stand below" "$(grep -c '30.9,16.1' "$T/papers/overhead.csv")" 1
like 'and in Markdown' "$(cat "$T/papers/papers.md")" '^\| tiny \| 3 \| '
like 'with the machine' "$(cat "$T/papers/overhead.md")" '^- Compiler: .*, -O2$'
if command -v gnuplot > /dev/null; then
    like 'the SVG is one' "$(head -c 300 "$T/papers/p3.svg")" '<svg'
sed -i -E 's/^native [0-9.]+ [0-9.]+ /native 0.000000 0.000000 /' "$T/papers/results/tiny/times-"*
ok 'a program that is too short for the clock' papers tiny
is 'whose overhead is not known' "$(grep -c '^tiny,0.000,,,,,' "$T/papers/overhead.csv")" 1
else
    skip 'there is no gnuplot'
fi

# ---- What is wrong --------------------------------------------------------------------------

run papers tiny unsteady
is 'another output is an error' "$status $(cat "$T/err")" \
    '1 papers: unsteady: its paths build has another output than the native one'
run papers emacs
is 'an unknown program is wrong usage' "$status $(cat "$T/err")" \
    '2 papers: there is no program emacs; there are tiny unsteady'
run env PAPERS_SIZE=large "$ROOT/test/bench/papers/run" "$BUILD" tiny
is 'an unknown size, too' "$status $(cat "$T/err")" '2 papers: PAPERS_SIZE is small or full, not large'
done_testing
