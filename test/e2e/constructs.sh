#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 100
# constructs.sh [full] [NAME...]: the recorded activations for each construct of C, C++ and some
# other languages that makes control flow unusual.  constructs/NAME.* is a program with its
# expectation in comments (// or the language's own):
#
#   //+ OPTION...        to compile and link it with
#   //- OPTION...        of the variants below, those that it cannot be built with
#   //= TEXT             a line that it prints
#   //? N                its exit status, 0 if not given
#   //> NAME             its activations, indented by depth: EnterRoutine NAME, and
#                        LeaveRoutine where the deeper lines end.  ` ^` behind a name:
#                        left without returning; ` ~`: open at the end
#   //: OPTION...        the activations that follow hold for these options, not those before
#   //* N                at the end of a line: executed N times (checked at -O0)
#
# Activations of routines that the expectation does not name are left out.  With several threads
# each begins with `thread`, sorted by their first lines.  NAME.part.* are further files of the
# same program, NAME.lib.* is a library that it loads itself.
#
# Levels -O0 -O1 -O2 -O3 -Os, each plain, as -flto, as a shared library (with main in it),
# -static and -no-pie.  `full` runs all; otherwise -O0 and -O2, and another level or one of the forms
# for each program in turn, with CHECK_ALL=yes both.
. "$(dirname "$0")/lib.sh"
folder=$ROOT/test/e2e/constructs
levels=(-O0 -O1 -O2 -O3 -Os)
variants=(-flto -shared -static -no-pie)

full=
[ "${1-}" != full ] || { full=1; shift; }
cd "$T" || exit 1

# expectation MARK: the texts behind a mark in $source
expectation() {
    sed -nE "s/^[[:space:]]*(\/\/|!|--)$1( (.*))?\$/\3/p" "$source"
}

# The expected activations for the options in $1.
expected_tree() {
    awk -v options=" $1 " '
        match($0, /^[ \t]*(\/\/|!|--)[:>]( |$)/) {
            mark = substr($0, RSTART + RLENGTH - 2, 1)
            text = substr($0, RSTART + RLENGTH)
            if (mark == ":") {
                n = split(text, word, " ")
                for (on = i = 0; i <= n; i++)
                    if (i > 0 && index(options, " " word[i] " ")) { on = 1; tree = "" }
                off = !on
            } else if (!off) {
                tree = tree text "\n"
            }
        }
        END { printf "%s", tree }' "$source"
}

# The activations in $wpp of the routines named in `expected`, in the same form.
recorded_tree() {
    local thread=0 threads

    threads=$(wpp-info "$wpp" | sed -n 's/^threads  *//p')
    while [ $thread -lt "$threads" ]; do
        wpp-dump --thread=$thread "$wpp" | grep -E '(Enter|Leave)Routine' | c++filt |
            awk -v threads="$threads" '
                # A demangled name without result, arguments and namespaces of GCC; and without
                # what GCC appends to the names of copies.
                function plain(name) {
                    sub(/ +#.*/, "", name)
                    gsub(/\(anonymous namespace\)::/, "", name)
                    sub(/\(.*/, "", name)
                    while (match(name, /<[^<>]*>/))
                        name = substr(name, 1, RSTART - 1) substr(name, RSTART + RLENGTH)
                    sub(/^.* /, "", name)
                    sub(/_omp_fn.*/, "_omp_fn", name)
                    sub(/\.(constprop|isra|part|lto_priv|localalias|default|avx2|[0-9]).*/, "", name)
                    return name
                }
                FILENAME != "-" { sub(/^ */, ""); sub(/ [\^~]$/, ""); known[$0] = 1; next }
                /EnterRoutine/ {
                    name = plain(substr($0, index($0, "Routine") + 8))
                    keep[++top] = name in known
                    if (keep[top]) { line[++n] = sprintf("%*s%s", 2 * depth++, "", name) }
                    at[top] = n
                }
                /LeaveRoutine/ {
                    if (keep[top]) {
                        depth--
                        if (/# not by/) line[at[top]] = line[at[top]] " ^"
                        if (/# at the end/) line[at[top]] = line[at[top]] " ~"
                    }
                    top--
                }
                END {
                    if (n && threads > 1) printf "thread\037"
                    for (i = 1; i <= n; i++) printf "%s\037", line[i]
                    if (n) print ""
                }' expected -
        thread=$((thread + 1))
    done | sort | tr -d '\n' | tr '\037' '\n'
}

# The lines that say how often they are executed, as FILE:LINE COUNT.
expected_counts() {
    sed -nE "=; s/.*(\/\/|!|--)\* ([0-9]+)\$/= \2/p" "$1" |
        awk -v file="${1##*/}" '/^=/ { print file ":" line, $2; next } { line = $1 }'
}

compiler() {
    case $1 in
    *.cc)  echo "$WPP_GXX" ;;
    *.f90) echo env WPP_CC=gfortran "$WPP_GCC" ;;
    *.d)   echo env WPP_CC=gdc "$WPP_GCC" ;;
    *.adb) echo "$WPP_GCC" ;;
    *)     echo "$WPP_GCC" ;;
    esac
}

# build OPTION...: ./program from $source and its parts
build() {
    local cc library shared=
    local -a options=() parts=()

    for option; do
        case $option in
        -shared) shared=1 ;;
        *) options+=("$option") ;;
        esac
    done
    # GCC looks at what the plugin leaves of each routine.
    options+=($(expectation '\+') -fchecking)
    cc=$(compiler "$source")
    for library in "$folder/$name".lib.*; do
        [ ! -e "$library" ] ||
            $cc "${options[@]}" -fPIC -shared "$library" -o "$name.lib.so" || return
    done
    for part in "$folder/$name".part.c*; do
        [ ! -e "$part" ] || parts+=("$part")
    done
    rm -f program libprogram.so
    if [[ $source = *.adb ]]; then
        gnatmake -q -f "${options[@]}" --GCC="$cc" "$source" -o program \
            --GNATLINK="gnatlink --LINK=$cc"
    elif [ -n "$shared" ]; then
        $cc "${options[@]}" -fPIC -shared "$source" "${parts[@]}" -o libprogram.so &&
            gcc -x c - -o program -L. -Wl,-rpath,"$T" -lprogram <<< 'int unused;'
    else
        $cc "${options[@]}" "$source" "${parts[@]}" -o program
    fi
}

# check OPTION...: the program is built with the options, behaves, and is recorded as it says
check() {
    local what="$name $*" wpp=program.wpp status

    rm -f program.trace $wpp
    if ! build "$@" > log 2>&1; then
        fail "$what" "does not compile:" "$(cat log)"
        return
    fi
    WPP_OUT=program.trace ./program > got 2>&1
    status=$?
    expectation '=' > want
    if [ $status != "$(expectation '\?' | grep . || echo 0)" ] || ! cmp -s want <(sed '$a\' got); then
        fail "$what" "status $status; prints:" "$(cat got)"
        return
    fi
    if ! wpp-compress -o $wpp program.trace 2> log || ! wpp-check --strict $wpp > log 2>&1; then
        fail "$what" "$(cat log)"
        return
    fi
    expected_tree "$*" > expected
    recorded_tree > tree
    if ! cmp -s expected tree; then
        fail "$what" "its activations differ:" "$(diff expected tree)"
        return
    fi
    pass "$what"
    [ "$*" != -O0 ] || check_counts
}

check_counts() {
    local file

    for file in "$source" "$folder/$name".part.c*; do
        [ ! -e "$file" ] || expected_counts "$file"
    done | sort > want
    [ -s want ] || return
    # A line that was not executed is not listed.
    wpp-dump --line-counts program.wpp | sed 's/.*\///' > counts
    awk 'NR == FNR { count[$1] = $2; next } { print $1, count[$1] + 0 }' counts want > got
    is "$name -O0: executions of lines" "$(diff want got)" ''
}

# Whether the program can be built with the option here.
possible() {
    case " $(expectation '-') " in
    *" $1 "*) return 1 ;;
    esac
}

tool_for() {
    case $1 in
    *.f90) echo gfortran ;;
    *.d)   echo gdc ;;
    *.adb) echo gnatmake ;;
    *)     echo gcc ;;
    esac
}

# Whether the language can be compiled.  gnatmake calls `gcc`, which may be another one.
has_tool() {
    command -v "$1" > /dev/null || return
    [ "$1" != gnatmake ] || [ -x "$(gcc -print-prog-name=gnat1)" ]
}

# The levels and variants of the program with this number.
combinations() {
    local number=$1 level variant

    if [ -n "$full" ]; then
        for level in "${levels[@]}"; do
            echo "$level"
            for variant in "${variants[@]}"; do
                echo "$level $variant"
            done
        done
    else
        local other=(-O1 -O3 -Os)
        echo -O0
        echo -O2
        if check_all || [ $((number % 2)) = 0 ]; then
            echo "${other[number % 3]}"
        fi
        if check_all || [ $((number % 2)) = 1 ]; then
            echo "${levels[number % 5]} ${variants[number / 2 % 4]}"
        fi
    fi
}

number=0
for source in "$folder"/*; do
    name=${source##*/}
    name=${name%.*}
    case $name in
    *.part|*.lib) continue ;;
    esac
    [ $# = 0 ] || [[ " $* " = *" $name "* ]] || continue
    number=$((number + 1))
    if ! has_tool "$(tool_for "$source")"; then
        skip "$name: there is no $(tool_for "$source") for this gcc"
        continue
    fi
    while read -ra options; do
        [ ${#options[@]} = 1 ] || possible "${options[1]}" || continue
        check "${options[@]}"
    done < <(combinations $number)
done
done_testing
