#!/bin/bash
# SPDX-License-Identifier: MIT
# Every tool has a man page that says what its --help says, renders without a
# warning, and a completion that knows its options.
. "$(dirname "$0")/lib.sh"
. "$ROOT/scripts/completion.bash"

help_options() {
    "$1" --help | grep -o -E -- '--[a-z][a-z-]*' | sort -u
}
# In mdoc an option is `Fl Fl name`.
page_options() {
    grep -o -E -- 'Fl Fl [a-z][a-z-]*' "$ROOT/docs/man/$1.1" | sed 's/Fl Fl /--/' | sort -u
}
completed() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _wpp 2> /dev/null
    echo "${COMPREPLY[*]-}"
}

for tool in wpp wpp-record wpp-compress wpp-info wpp-dump wpp-check wpp-dot wpp-hot wpp-config; do
    is "$tool: options in --help and man page" "$(page_options $tool)" "$(help_options $tool)"
    is "$tool: options in the completion" "$(completed $tool -- | tr ' ' '\n' | sed 's/=$//' | sort)" \
        "$(help_options $tool)"
done
for tool in "$BUILD"/bin/*; do
    tool=${tool##*/}
    if [ -s "$ROOT/docs/man/$tool.1" ]; then
        pass "$tool: a man page"
    else
        fail "$tool: a man page"
    fi
done

if command -v man > /dev/null && command -v groff > /dev/null; then
    for page in "$ROOT"/docs/man/*.1; do
        mkdir -p "$T/man1" && cp "$page" "$T/man1"
    done
    for page in "$T"/man1/*.1; do
        is "${page##*/}: no warning" "$(cd "$T" && man --warnings=all -E UTF-8 -l "$page" 2>&1 > /dev/null)" ''
    done
else
    skip 'man pages are rendered: man and groff are not installed'
fi

is 'the completion of wpp: commands' "$(completed wpp re)" record
cd "$T" && mkdir -p man1 && touch a.wpp b.trace c.wpp
is 'files of the right kind' "$(completed wpp info "$T/")" "$T/a.wpp $T/c.wpp $T/man1"
is 'values' "$(completed wpp-hot --cost = b)" blocks
is 'values of another form' "$(completed wpp-info --format = j)" json

done_testing
