#!/bin/bash
# SPDX-License-Identifier: MIT
# Each file that docs/tour.md names exists in its room, or in the folder of the stop's heading.
# That file defines each `file.c: function()`, and the file named before defines a bare
# `function()`.  The tools print the words that the tour shows.
. "$(dirname "$0")/lib.sh"
cd "$ROOT" || exit 1

# names DOCUMENT: `FOLDERS FILE FUNCTION` for each name in backquotes, `-` for none.
names() {
    awk '/^```/ { code = !code; next }
         code { next }
         /^## / { flush(); folders = ""
                  while (match($0, /`[a-z-]+\/`/)) {
                      folders = folders substr($0, RSTART + 1, RLENGTH - 3) ","
                      $0 = substr($0, RSTART + RLENGTH)
                  }
                  next }
         { text = text " " $0 }
         function flush(    name, at) {
             while (match(text, /`[^`]*`/)) {
                 name = substr(text, RSTART + 1, RLENGTH - 2)
                 text = substr(text, RSTART + RLENGTH)
                 if (name ~ /^([a-z-]+\/)?[a-z-]+\.(c|cc|h|S)(: [A-Za-z_:]+\(\))?$/) {
                     file = name; sub(/:.*/, "", file)
                     print folders, file, (sub(/.*: /, "", name) ? name : "-")
                 } else if (name ~ /^[a-z_]+\(\)$/) {
                     print folders, file, name
                 }
             }
             text = ""
         }
         END { flush() }' "$1"
}

# defines FILE FUNCTION: FILE holds a definition, not a mere declaration.
defines() {
    local name=${2%()}

    case $1 in
    *.S) grep -Eq "^[[:space:]]*entry[[:space:]]+$name," "$1" ;;
    *)   grep -E "^[A-Za-z].*[ *:]$name\(" "$1" | grep -qv ';$' ;;
    esac
}

# lost DOCUMENT: what it names and is not there.
lost() {
    local folders file function folder found

    names "$1" | while read -r folders file function; do
        found=
        for folder in ${folders//,/ } .; do
            [ -f "$folder/$file" ] || continue
            [ "$function" != - ] && ! defines "$folder/$file" "$function" || found=1
        done
        [ -n "$found" ] || echo "$file: $function"
    done
}

is 'every file and function of the tour is there' "$(lost docs/tour.md)" ''
number=$(names docs/tour.md | grep -c '()$')
if [ "$number" -ge 30 ]; then
    pass "$number functions were looked for"
else
    fail 'at least 30 functions were looked for' "found $number"
fi
cat > "$T/lies.md" <<'END_OF_LIES'
## `tracer/`, `wpp/`
`thread.c: hand_over()` is there, `go_on()` too, `hands_over()` is not, nor `threads.c`;
`runtime.h: __wpp_thread_flush()` is declared only and `refill.S: __wpp_refill()` defined.
END_OF_LIES
is 'what is not there is noticed' "$(lost "$T/lies.md" | tr '\n' ' ')" \
    'thread.c: hands_over() threads.c: - runtime.h: __wpp_thread_flush() '
is 'every __wpp_ name of the tour is one of the code' \
    "$(grep -o '__wpp_[a-z_]*' docs/tour.md | sort -u | while read -r name; do
           grep -qrw -- "$name" tracer gcc-plugin || echo "$name"
       done)" ''

# ---- Its example -----------------------------------------------------------------
sed -n "/^cat > fib.c <<'END'$/,/^END$/p" test/e2e/plugin.sh | sed '1d;$d' > "$T/fib.c"
is 'its lines of the program are those of the test' \
    "$(sed -n '/^```c$/,/^```$/p' docs/tour.md | sed -n '2,6p' | sed 's, *//.*,,; s/^ *//')" \
    "$(sed -n '11,15p' "$T/fib.c" | sed 's/^ *//')"
ok 'the program is recorded' bash -c \
    "cd '$T' && '$WPP_GCC' -O0 fib.c -o fib && wpp-record -q ./fib > '$T/fib.out'"
path=$(tr '\n' ' ' < docs/tour.md | grep -o 'NewPath 3 \[[^]]*\]')
is 'what wpp-dump prints' "$(wpp-dump "$T/fib.wpp" | grep -o 'NewPath 3 .*' | head -n 1)" "$path"
is 'the lines that wpp-hot stars' \
    "$(cd "$T" && wpp-hot -c 1 -l 1 fib.wpp | sed -n '/main .* path 3$/,/^$/p' |
        sed -n 's/^ *\([0-9]*\) \*.*/\1/p' | tr '\n' ' ')" '11 12 13 '
is 'the slots of a chunk' "$(grep -o '[0-9][0-9,]* slots' docs/tour.md | tr -d ,)" \
    "$(printf '#include "tracer/runtime.h"\nslots WPP_CHUNK_TOKENS\n' |
        gcc -E -P -I. - | sed -n 's/^slots //p' | { read -r sum; sum=${sum//u/}; echo "$((sum))"; }) slots"
done_testing
