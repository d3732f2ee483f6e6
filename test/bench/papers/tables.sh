# SPDX-License-Identifier: MIT
# tables.sh: the tables of `make papers` from the steps' results, as CSV, Markdown and SVG.
#
# Expects what `run` has set, and `tables`, those to make.

# title_of TABLE, and columns_of TABLE: the names of its columns, by `|`.
title_of() {
    case $1 in
    overhead)   echo 'Overhead of counting' ;;
    hashed)     echo "Increments that need a hash table: routines with more than $array_limit possible paths" ;;
    lengths)    echo 'Executed paths and their lengths' ;;
    prediction) echo 'What an edge profile tells of the paths' ;;
    overlap)    echo 'Paths of a ref input that a train input executes' ;;
    p3)         echo 'Probe hits of the copy with the most, over those of a single copy' ;;
    samples)    echo 'Hot paths that samples of the last taken branches find, by depth and taken branches between samples' ;;
    esac
}

columns_of() {
    case $1 in
    overhead)   echo 'program|native, s|PP (%)|QPT (%)|gcov (%)|-fprofile-generate (%)|PP / QPT, times|native text|PP text (%)|QPT text (%)' ;;
    hashed)     echo 'program|routines|with many paths|increments|of these hashed|hashed (%)|instructions between increments|paths ended by our limit (%)' ;;
    lengths)    echo 'program|routines|executed paths|possible|most of one routine|hot paths|of executions (%)|edges|instructions|longest, edges|instructions' ;;
    prediction) echo 'program|paths predicted whole (%)|of executions (%)|edges of a path|until mispredicted|instructions of a path|until mispredicted|definite flow (%)' ;;
    overlap)    echo 'program|train paths|ref paths|static (%)|dynamic (%)|instructions (%)|along hot paths of train (%)|hot paths found (%)' ;;
    samples)    echo 'program|depth|hot paths|equal: 1,000 (%)|10,000 (%)|100,000 (%)|1,000,000 (%)|flow: 1,000 (%)|10,000 (%)|100,000 (%)|1,000,000 (%)' ;;
    p3)         echo 'program|copies|PBL (%)|P3 (%)|P3, chords (%)|PBL, measured (%)|P3, measured (%)|split, measured (%)' ;;
    esac
}

# The columns of a picture.
drawn_of() {
    case $1 in
    overhead)   echo 3 4 5 6 ;;
    hashed)     echo 6 ;;
    lengths)    echo 8 9 ;;
    prediction) echo 2 3 8 ;;
    overlap)    echo 4 5 8 ;;
    p3)         echo 3 4 8 ;;
    samples)    echo 5 6 9 10 ;;
    esac
}

# What a figure depends on beside the sources.
machine() {
    echo "- Processor: $(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1), $(nproc) in use"
    echo "- System: $(. /etc/os-release && echo "$PRETTY_NAME"), Linux $(uname -r)"
    echo "- Compiler: $("${CC:-gcc}" --version | head -n 1), $opt"
    echo "- $(wpp --version | head -n 1)"
    echo "- Inputs: $size; medians of $runs interleaved runs, user time; $(date +%Y-%m-%d)"
    for name; do
        echo "- $name: $(papers_about "$name"), $(version_of "$name")$(
            sed -n 's/^incomplete[:,]* */; its profile is incomplete: /p' "$OUT/results/$name/profile-ref" 2> /dev/null)"
    done
}

# Of Debian's source, by its changelog.
version_of() {
    sed -n '1s/^[^ ]* (\([^)]*\)).*/\1/p' "$(real_tree "$1")/debian/changelog" 2> /dev/null | grep . ||
        echo 'no Debian source'
}

# Lines `PROGRAM STEP WORD...` of all results.
all_results() {
    local name file

    for name; do
        for file in "$OUT/results/$name"/{times-*,build-*,profile-ref,figures,p3,samples}; do
            [ ! -f "$file" ] || sed "s/^/$name ${file##*/} /" "$file"
        done
    done
}

# A row `PROGRAM DRAWN...` each, what is missing as `?`, for gnuplot.
chart_data() {
    awk -f test/bench/papers/csv.awk -f /dev/stdin "$1" <<< '
        BEGIN { n = split("'"$2"'", column, " ") }
        {
            csv_fields($0, f)
            if ("'"$3"'" ~ /^(p3|samples)$/ && FNR > 1)
                f[1] = f[1] " " f[2]
            line = FNR == 1 ? "program" : f[1]
            for (i = 1; i <= n; i++)
                line = line "\t" (f[column[i]] == "" ? "?" : f[column[i]])
            print line
        }'
}

# Of these columns those with any value: a program may be too short for its time to be measured, and
# gnuplot takes a column without values for an error.
with_values() {
    awk -f test/bench/papers/csv.awk -f /dev/stdin "$1" <<< '
        FNR > 1 {
            csv_fields($0, f)
            for (i in f)
                has[i] = has[i] || f[i] != ""
        }
        END {
            n = split("'"$2"'", column, " ")
            for (i = 1; i <= n; i++)
                if (has[column[i]])
                    printf "%s ", column[i]
        }'
}

draw() {
    local table=$1 columns last width

    columns=$(with_values "$OUT/$table.csv" "$(drawn_of "$table")")
    rm -f "$OUT/$table.svg"
    [ -n "$columns" ] || return 0
    last=$(($(wc -w <<< "$columns") + 1))
    width=$((420 + 40 * $(wc -l < "$OUT/$table.csv")))
    chart_data "$OUT/$table.csv" "$columns" "$table" > "$OUT/tmp/$table.data" &&
        gnuplot > "$OUT/$table.svg.new" 2>> "$OUT/log" << END && mv "$OUT/$table.svg.new" "$OUT/$table.svg"
set terminal svg size $width,420 dynamic background "white"
set title "$(title_of "$table")"
set datafile separator "\t"
set datafile missing "?"
set style data histograms
set style fill solid 0.8
set boxwidth 0.9
set ylabel "$([ "$table" = lengths ] && echo 'edges, instructions' || echo '%')"
set grid ytics
set xtics rotate by -35 noenhanced
set key outside top noenhanced
set bmargin 9
plot for [i=2:$last] "$OUT/tmp/$table.data" using i:xtic(1) title columnheader(i)
END
}

make_tables() {
    local table titled

    for table in $tables; do
        rm -f "$OUT/$table.csv"
    done
    all_results "$@" | awk -v out="$OUT" -v tables="$tables" -f test/bench/papers/tables.awk || return 1
    machine "$@" > "$OUT/machine.txt"
    for table in $tables; do
        sed -n "s/^$table,\(.*\)/\1\r/p" test/bench/papers/published.txt >> "$OUT/$table.csv"
        titled=$(columns_of "$table")
        { echo "## $(title_of "$table")"
          echo
          awk -f test/bench/papers/csv.awk -f test/bench/papers/markdown.awk -v titles="$titled" "$OUT/$table.csv"
          echo
          cat "$OUT/machine.txt"; } > "$OUT/$table.md" || return 1
        ! command -v gnuplot > /dev/null || draw "$table" ||
            { echo "papers: gnuplot cannot draw $table: $(tail -n 1 "$OUT/log")" >&2; return 1; }
    done
    command -v gnuplot > /dev/null || echo 'papers: no pictures, for there is no gnuplot (scripts/deps --all)' >&2
    { for table in $tables; do
          sed '/^- Processor/,$d' "$OUT/$table.md"
      done
      cat "$OUT/machine.txt"; } > "$OUT/papers.md"
}
