#!/bin/bash
# SPDX-License-Identifier: MIT
# Every tool on files that are cut, changed or of another kind.  It reports the intact parts and
# each damaged part in one line, with the right exit status, and leaves no half-written output.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

cat > p.c << 'END'
static volatile int n;
static int step(int i) { return i % 3 ? n + i : n - i; }
__attribute__((no_wpp)) static int left_out(int i) { return i - 1; }
int main(void)
{
    for (int i = 0; i < 20000; i++)
        n = step(i);
    return left_out(1);
}
END
WPP_PLUGIN_ARGS=time "$WPP_GCC" -O0 -g -o p p.c
WPP_OUT=p.trace ./p
wpp-compress p.trace
wpp-dump --tokens p.wpp > tokens
size=$(stat -c %s p.wpp)
trace=$(stat -c %s p.trace)

# ---- WPP files -------------------------------------------------------------------

# Complement byte $2 of file $1.
change() {
    local byte

    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    printf "\\$(printf %o $((255 - byte)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

number() {      # FILE OFFSET BYTES
    od -An "-tu$3" -j "$2" -N "$3" "$1" | tr -d ' '
}

# sections FILE: kind, first byte, bytes of each
sections() {
    local i n

    n=$(number "$1" 12 4)
    for ((i = 0; i < n; i++)); do
        echo "$(number "$1" $((32 + 40 * i)) 4) $(number "$1" $((40 + 40 * i)) 8)" \
            "$(number "$1" $((48 + 40 * i)) 8)"
    done
}

# hurt KIND...: changed.wpp is p.wpp with two bytes of each of these sections changed.
hurt() {
    local kind begin bytes

    cp p.wpp changed.wpp
    while read -r kind begin bytes; do
        [[ " $* " == *" $kind "* ]] || continue
        change changed.wpp "$begin"
        change changed.wpp $((begin + bytes - 1))
    done < <(sections p.wpp)
}

views=('wpp-info' 'wpp-info --uninstrumented' 'wpp-dump' 'wpp-dump --lines' 'wpp-dump --line-counts'
       'wpp-dump --tokens' 'wpp-dump --routines' 'wpp-dot' 'wpp-hot' 'wpp-hot --cost=time'
       'wpp-hot --annotate --color=never' 'wpp-hot --format=csv' 'wpp-hot --query')

# show FILE FOLDER: what each view says of FILE, called x.wpp.
show() {
    local i

    mkdir -p "$2"
    [ "$1" = x.wpp ] || cp "$1" x.wpp
    for i in "${!views[@]}"; do
        case ${views[i]} in
        *--query) wpp-hot --query='main before step' x.wpp ;;
        *) ${views[i]} x.wpp ;;
        esac > "$2/$i.out" 2> "$2/$i.err"
        echo $? > "$2/$i.status"
    done
}

# verdict FOLDER: a letter for each view: `=` says the same as of the whole file, `!` refused in
# one line, `~` says another thing; always status 3, or `?`.
verdict() {
    local i letter all=

    for i in "${!views[@]}"; do
        if [ -s "$1/$i.err" ] && [ "$(cat "$1/$i.status")" = 3 ]; then
            letter='~'
            cmp -s "$1/$i.out" "whole/$i.out" && letter='='
            [ -s "$1/$i.out" ] || [ "$(wc -l < "$1/$i.err")" != 1 ] || letter='!'
        else
            letter='?'
        fi
        all=$all$letter
    done
    echo "$all"
}

show p.wpp whole
is 'all views see the whole file' "$(cat whole/*.status | sort -u) $(cat whole/*.err)" '0 '

# A byte that has changed is known from the checksum.
wrong=
for at in 0 8 12 20 24 31 32 40 60 100 200 $(sections p.wpp | awk '{ print $2 + int($3 / 2) }') \
          $((size - 1)); do
    cp p.wpp changed.wpp
    change changed.wpp "$at"
    run wpp-info changed.wpp
    [ "$status $(wc -l < err)" = '3 1' ] && cmp -s out whole/0.out || wrong="$wrong $at"
    grep -q "^wpp-info: changed.wpp: byte $at, in .* has changed" err || wrong="$wrong $at:unsaid"
done
is 'one changed byte costs nothing, and is said' "$wrong" ''
show changed.wpp one
is 'in any view' "$(verdict one)" '============='
fails_with 3 'nor for the strict check' wpp-check --strict -q changed.wpp

# labels: what begins the lines of wpp-info that are not there, or others
labels() {
    diff whole/0.out hurt/0.out | sed -n 's/^\([<>]\) \(.\{18\}\).*/\1\2/p' | sed 's/ *$//' | paste -sd' '
}

# of KIND VIEWS LABELS: section KIND has changed.
of() {
    hurt "$1"
    show changed.wpp hurt
    is "section $1: views" "$(verdict hurt)" "$2"
    is "section $1: wpp-info" "$(labels)" "$3"
    like "section $1: is said" "$(cat hurt/0.err)" "^wpp-info: x.wpp: .* damaged \(section $1 at byte [0-9]+\): left out"
    run wpp-check changed.wpp
    is "section $1: wpp-check" "$status $(grep -c "damaged (section $1 " err) $(wc -l < out)" '3 1 1'
}
of 1 '~======~=====' '<program <command <recorded on <started <time <complete <trace <WPP >trace >WPP'
of 2 '~============' '<routines >routines'
of 3 '~=!!!!!!!!!!!' '<timed <routines >routines <calls <instructions <paths executed <rules per path'
of 4 '~=!!!!~!!!!!!' '<timed <calls <instructions <paths executed <rules per path'
of 5 '~=~==========' '<                 0 >                 0'
of 6 '~=!!!!~!!!!!!' '<calls <instructions <rules <rules per path <right-hand sides <longest rule'
of 7 '=============' ''
of 8 '~!===========' '<left out'
of 9 '~========!===' '<timed'
is 'threads without names: the events are the same' "$(hurt 5; wpp-dump changed.wpp 2> /dev/null | diff - whole/2.out | grep -c '^<')" 1
hurt 6
wpp-dump --routines changed.wpp > out 2> err
is 'without the grammar, routines have no figures, but paths' \
    "$(awk 'NR > 1 { print $1, $2, $3 == "-" }' out | sort -u)" '- - 0'
like 'JSON: null' "$(wpp-info --format=json changed.wpp 2> /dev/null)" '"calls":null,.*"rules":null,'
like 'a table: -' "$(wpp-info --format=table changed.wpp 2> /dev/null)" ' - .*damaged$'
hurt 3 6
fails_with 3 'more that has changed than an answer needs' wpp-dump changed.wpp
hurt 1 2 3 4 5 6 7 8 9
fails_with 3 'nothing is intact' wpp-check changed.wpp
like 'which is damage' "$(cat err)" 'is damaged'

# What ends before a cut is there.
wrong=
for n in 8 31 32 100 391 $(sections p.wpp | awk '{ print $2; print $2 + $3 - 1; print $2 + int($3 / 2) }'); do
    head -c "$n" p.wpp > cut.wpp
    whole=$(sections p.wpp | awk -v n="$n" '$2 + $3 <= n' | wc -l)
    gone=$((9 - whole))
    run wpp-check cut.wpp
    [ $status = 3 ] || wrong="$wrong $n:$status"
    if [ "$whole" = 0 ]; then
        [ "$(wc -l < err)" = 1 ] && grep -q 'cut short' err || wrong="$wrong $n:lines"
        continue
    fi
    grep -q "the file is cut short: $n of its $size bytes are there" err || wrong="$wrong $n:unsaid"
    [ "$(grep -c 'cut off\|cannot be read without' err)" = $gone ] || wrong="$wrong $n:parts"
    # Nothing is said of a cut file that is not said of the whole, but for less.
    wpp-info cut.wpp 2> /dev/null | sed 's/ *[0-9]* instrumented in 1 module,\{0,1\}//' |
        grep -vxFf <(sed 's/ *[0-9]* instrumented in 1 module, / /' whole/0.out; cat whole/0.out) |
        grep -v '^ *0 20,000 events$\|^routines' > more && wrong="$wrong $n:$(head -1 more)"
done
is 'cuts at the edges of sections and inside' "$wrong" ''
{ cat p.wpp; echo; } > long.wpp
show long.wpp long
is 'a byte too many costs nothing' "$(verdict long) $(cat long/0.err)" \
    '============= wpp-info: x.wpp: 1 byte follows the file'"'"'s end'
head -c 400 /dev/zero | tr '\0' x | dd of=long.wpp bs=1 seek=8 conv=notrunc status=none
fails_with 3 'a header that is gone' wpp-info long.wpp
for tool in wpp-info wpp-dump wpp-check wpp-hot 'wpp-dot -o /dev/null'; do
    fails_with 1 "$tool: no WPP" $tool p.c
    fails_with 1 "$tool: an empty file" $tool /dev/null
    fails_with 1 "$tool: no file" $tool nosuch.wpp
    fails_with 1 "$tool: a directory" $tool .
done
hurt 6
wpp-dump -o dumped changed.wpp 2> /dev/null
absent 'no output without an answer' dumped
"$BUILD/test/read-wpp" changed.wpp > out 2> err
is 'the second reader finds damage as well' $? 1

# ---- Traces ---------------------------------------------------------------------------

# The intact prefix of a cut trace is compressed, and what is missing is said.
bad=0
rm -f cut.wpp
for n in 64 100 1000 5000 65000 65600 66000 $((trace / 2)) $((trace / 2 + 1)) $((trace - 1)); do
    head -c "$n" p.trace > cut.trace
    run wpp-compress -f cut.trace
    if [ $status != 3 ] || [ "$(wc -l < err)" != 1 ]; then
        bad=$((bad + 1))
        echo "# cut at $n: status $status, $(cat err)"
    elif [ -s cut.wpp ]; then
        wpp-dump --tokens cut.wpp > expanded 2> err
        head -c "$(stat -c %s expanded)" tokens | cmp -s - expanded || { bad=$((bad + 1)); echo "# cut at $n: other tokens"; }
        run wpp-check cut.wpp
        grep -q undamaged err || { bad=$((bad + 1)); echo "# cut at $n: $(cat out err)"; }
    fi
done
is 'traces cut anywhere give their beginning and say so' $bad 0
head -c 63 p.trace > cut.trace
rm -f cut.wpp
fails_with 3 'nothing but a piece of a header' wpp-compress cut.trace
absent 'gives no file' cut.wpp
fails_with 1 'an empty trace' wpp-compress -o cut.wpp /dev/null
fails_with 1 'no trace' wpp-compress -o cut.wpp p.c
like 'is said' "$(cat err)" 'no trace: it does not begin with WPPT'
fails_with 1 'a WPP' wpp-compress -o cut.wpp p.wpp
like 'is called so' "$(cat err)" 'no trace: it is a WPP file'
fails_with 1 'a program' wpp-compress -o cut.wpp p
like 'and a program so' "$(cat err)" 'no trace: it is a program.* wpp-record runs'
absent 'no file from these' cut.wpp
cp p.trace changed.trace
change changed.trace 0
fails_with 1 'a changed magic is no trace' wpp-compress changed.trace
cp p.trace changed.trace
change changed.trace 16
fails_with 3 'a changed header' wpp-compress -f changed.trace
like 'is called damage, with its place' "$(cat err)" 'byte 0'
{ cat p.trace; cat p.trace; } > twice.trace
fails_with 3 'a trace twice' wpp-compress twice.trace
WPP_OUT=q.trace ./p
{ head -c 3000 p.trace; cat q.trace; } > two.trace
fails_with 3 'a trace that goes on as another' wpp-compress two.trace

# ---- The program ------------------------------------------------------------------------

cp p p.kept
sed -i 's/20000/20001/; s/n - i/n - i - 1 + (i \& 1 ? 2 : 3)/' p.c
"$WPP_GCC" -O0 -g -o p p.c
fails_with 1 'a program that was built anew' wpp-compress -f -o new.wpp p.trace
like 'has changed since' "$(cat err)" 'has changed since it was traced'
absent 'no file' new.wpp
mv p p.new
fails_with 1 'a program that is gone' wpp-compress -f -o new.wpp p.trace
like 'is gone' "$(cat err)" 'gone'
objcopy --remove-section=.wpp p.kept p
fails_with 1 'a program without its path table' wpp-compress -f -o new.wpp p.trace
like 'has lost it' "$(cat err)" 'path table'
strip -o p p.kept
run wpp-compress -f -o new.wpp p.trace
is 'a program that was stripped of symbols only' $status 0
gcc -o p p.c
fails_with 1 'a program that is not instrumented any more' wpp-compress -f -o new.wpp p.trace
cp p.kept p
ok 'the program itself' wpp-compress -f -o new.wpp p.trace
same 'gives the same file as before' new.wpp p.wpp
done_testing
