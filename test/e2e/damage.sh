#!/bin/bash
# SPDX-License-Identifier: MIT
# What every tool says of files that are cut, changed or something else: one
# line, the right exit status, no half-written output.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

cat > p.c << 'END'
static volatile int n;
static int step(int i) { return i % 3 ? n + i : n - i; }
int main(void)
{
    for (int i = 0; i < 20000; i++)
        n = step(i);
    return 0;
}
END
"$WPP_GCC" -O0 -g -o p p.c
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

# every NAME COMMAND...: exit status 3 and one line, or it is counted in $wrong.
wrong=0
damaged() {
    run "$@"
    [ $status = 3 ] && [ "$(wc -l < err)" = 1 ] && [ ! -s out ] && return
    wrong=$((wrong + 1))
    echo "# status $status, $(wc -l < err) lines: $*"
}

for at in 0 8 12 20 24 31 32 40 60 100 200 311 312 $((size / 2)) $((size - 1)); do
    cp p.wpp changed.wpp
    change changed.wpp "$at"
    if [ "$at" = 0 ]; then
        fails_with 1 'a changed magic is no WPP' wpp-info changed.wpp
    else
        damaged wpp-info changed.wpp
    fi
done
is 'a changed byte is always found' $wrong 0

cp p.wpp changed.wpp
change changed.wpp $((size - 1))
for tool in wpp-info wpp-dump 'wpp-dump --tokens' 'wpp-dump --line-counts' wpp-check wpp-hot \
            'wpp-dot -o /dev/null'; do
    damaged $tool changed.wpp
done
is 'by every tool' $wrong 0
for n in 8 31 32 100 311 312 $((size / 2)) $((size - 1)); do
    head -c "$n" p.wpp > cut.wpp
    damaged wpp-info cut.wpp
done
is 'a cut is always found' $wrong 0
{ cat p.wpp; echo; } > long.wpp
damaged wpp-info long.wpp
is 'so is a byte too many' $wrong 0
for tool in wpp-info wpp-dump wpp-check wpp-hot 'wpp-dot -o /dev/null'; do
    fails_with 1 "$tool: no WPP" $tool p.c
    fails_with 1 "$tool: an empty file" $tool /dev/null
    fails_with 1 "$tool: no file" $tool nosuch.wpp
    fails_with 1 "$tool: a directory" $tool .
done
"$BUILD/test/read-wpp" changed.wpp > out 2> err
is 'the second reader finds it as well' $? 1

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
