#!/bin/bash
# SPDX-License-Identifier: MIT
# Each link of the documents leads to an existing file and, if it names a heading, to that
# heading.  Each document has a link to it.
. "$(dirname "$0")/lib.sh"
cd "$ROOT" || exit 1

# links DOCUMENT: the targets of its links within the project, not those in code.
links() {
    awk '/^```/ { code = !code; next }
         !code { gsub(/`[^`]*`/, "")
                 while (match($0, /\]\([^) ]*\)/)) {
                     print substr($0, RSTART + 2, RLENGTH - 3)
                     $0 = substr($0, RSTART + RLENGTH)
                 } }' "$1" | grep -v '^[a-z]*://'
}

# anchors DOCUMENT: what its headings are called in links.
anchors() {
    awk '/^```/ { code = !code; next }
         !code && sub(/^#+ +/, "") { $0 = tolower($0); gsub(/[^a-z0-9_ -]/, ""); gsub(/ /, "-"); print }' "$1"
}

# leads FROM TARGET: says what is missing, if something is.
leads() {
    local file=${2%%#*} anchor=

    case $2 in *'#'*) anchor=${2#*#};; esac
    [ "$file" ] && file=$(dirname "$1")/$file || file=$1
    if [ ! -e "$file" ]; then
        echo "$1: $2 is not there"
    elif [ "$anchor" ] && ! anchors "$file" | grep -qx -- "$anchor"; then
        echo "$1: no heading for $2"
    fi
}

mkdir "$T/docs"
printf '# A b, `c`\n[1](#a-b-c) [2](#d) `[3](#e)` [4](gone.md)\n```\n[5](gone)\n```\n' > "$T/docs/x.md"
is "a link that leads nowhere is found" \
   "$(cd "$T" && links docs/x.md | while read -r to; do leads docs/x.md "$to"; done)" \
   $'docs/x.md: no heading for #d\ndocs/x.md: gone.md is not there'

for document in README.md docs/*.md docs/decisions/*.md; do
    links "$document" > "$T/links"
    is "links of $document" "$(while read -r to; do leads "$document" "$to"; done < "$T/links")" ""
done
for document in docs/*.md; do
    ok "somebody links to $document" \
        sh -c 'grep -Fq "($1" README.md || grep -Fq "(${1#docs/}" docs/*.md' sh "$document"
done
for document in docs/decisions/0*.md; do
    ok "the list of decisions has ${document##*/}" grep -Fq "(${document##*/})" docs/decisions/README.md
done
done_testing
