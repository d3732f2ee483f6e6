#!/bin/bash
# SPDX-License-Identifier: MIT
# A tool that shows lines notices that their source has changed since the build.
. "$(dirname "$0")/lib.sh"
mkdir -p "$T/src" "$T/elsewhere"
cd "$T/src" || exit 1

cat > c.c <<'C'
#include "h.h"
int main(int argc, char **argv) { (void)argv; return argc > 1 ? twice(argc) : 0; }
C
printf 'static int __attribute__((noinline)) twice(int x)\n{\n    return 2 * x;\n}\n' > h.h
ok 'a program is recorded' sh -c '"$1" -g -O1 c.c -o prog && wpp-record -q -o prog.wpp ./prog' - "$WPP_GCC"

# says NAME WANT COMMAND...: on standard error, the command itself is fine.
says() {
    local name=$1 want=$2

    shift 2
    ok "$name: is shown" "$@"
    is "$name: what is said" "$(cat "$T/err")" "$want"
}
silent() {
    says "$1: wpp-dump" '' wpp-dump --lines "${2:-prog.wpp}"
    says "$1: wpp-report" '' wpp-report "${2:-prog.wpp}"
}
silent 'nothing has changed'
# fnv FILE: FNV-1a of its bytes
fnv() {
    local byte hash=$((0xcbf29ce484222325))

    for byte in $(od -An -v -tu1 "$1"); do
        hash=$(((hash ^ byte) * 0x100000001b3))
    done
    printf '%016x' $hash
}
is 'what the format document says is there' "$("$BUILD/test/read-wpp" --sources prog.wpp)" "$PWD c.c $(fnv c.c)"

sed 's/$/\r/' c.c > crlf && cp c.c kept.c && cp crlf c.c
silent 'line ends of another system'
echo '/* more */' >> c.c
changed='c.c has changed since prog was built: lines may be wrong'
for what in --events --lines --line-counts --executions --routines; do
    says "wpp-dump $what" "wpp-dump: $changed" wpp-dump $what prog.wpp
done
says 'wpp-dump --calls shows no lines' '' wpp-dump --calls prog.wpp
says 'wpp-report' "wpp-report: $changed" wpp-report prog.wpp
says 'wpp-dot' "wpp-dot: $changed" wpp-dot -T dot -o "$T/prog.dot" prog.wpp
says 'wpp-hot' "wpp-hot: $changed" wpp-hot -c 1 -l 1 prog.wpp
like 'JSON says it in a field' "$(wpp-report --format=json prog.wpp 2> /dev/null)" '"changed_sources": \["c.c"\]'
like 'of wpp-hot, too' "$(wpp-hot -c 1 -l 1 --format=json prog.wpp 2> /dev/null)" '"changed_sources": \["c.c"\]'
cp kept.c c.c
silent 'it is what it was'

# A header counts if its code was executed.
echo >> h.h
silent 'a header whose code was not executed'
wpp-record -q -o twice.wpp ./prog x > /dev/null
says 'one whose code was' "wpp-dump: h.h has changed since prog was built: lines may be wrong" wpp-dump twice.wpp
echo '/* more */' >> c.c
says 'several' "wpp-dump: c.c and 1 other source file have changed since prog was built: lines may be wrong" \
    wpp-dump twice.wpp
cp kept.c c.c && mv h.h gone.h
silent 'a file that is gone is not known to have changed' twice.wpp
mkdir h.h
silent 'nor is a folder' twice.wpp
rmdir h.h && mkfifo h.h
silent 'nor a FIFO, which is not opened for ever' twice.wpp
rm h.h

# Under another name by -ffile-prefix-map the same folder is not found, and nothing is said.
"$WPP_GCC" -g -ffile-prefix-map="$T/src"=/nowhere -include gone.h "$T/src/c.c" -o mapped 2> /dev/null ||
    { cp gone.h h.h; "$WPP_GCC" -g -ffile-prefix-map="$T/src"=/nowhere "$T/src/c.c" -o mapped; }
wpp-record -q -o mapped.wpp ./mapped > /dev/null
echo '/* more */' >> c.c
silent 'a mapped name' mapped.wpp
cp kept.c c.c; cp gone.h h.h

# A moved tree: wpp-hot --source finds it and compares.
wpp-record -q -o moved.wpp ./prog > /dev/null
mv c.c "$T/elsewhere/c.c"
says 'a moved tree' '' wpp-hot -c 1 -l 1 --source="$T/elsewhere" moved.wpp
echo '/* more */' >> "$T/elsewhere/c.c"
says 'which has changed' "wpp-hot: $changed" wpp-hot -c 1 -l 1 --source="$T/elsewhere" moved.wpp
cp kept.c c.c

# A generated file: its lines are those of what it was made from.
printf 'int main(void)\n{\n    return 0;\n}\n' > made.y
{ echo '#line 1 "made.y"'; cat made.y; } > made.c
"$WPP_GCC" -g made.c -o made && wpp-record -q -o made.wpp ./made > /dev/null
silent 'a generated file' made.wpp
echo >> made.c
silent 'itself is not shown' made.wpp
echo >> made.y
says 'what it was made from is' 'wpp-dump: made.y has changed since made was built: lines may be wrong' wpp-dump made.wpp

# What has no file is no reason for anything.
printf 'int main(void) { return 0; }\n' | "$WPP_GCC" -g -x c - -o piped
wpp-record -q -o piped.wpp ./piped > /dev/null
silent 'a program from a pipe' piped.wpp
done_testing
