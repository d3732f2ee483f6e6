#!/bin/bash
# SPDX-License-Identifier: MIT
# Every tool has a man page that agrees with its --help and renders without a warning, and a
# completion that knows its options.
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
# The same, a line each.
offered() {
    completed "$@" > /dev/null
    printf '%s\n' "${COMPREPLY[@]}"
}

for tool in wpp wpp-record wpp-compress wpp-info wpp-report wpp-profile wpp-diff wpp-p3 wpp-dump wpp-step wpp-check wpp-dot wpp-hot wpp-config; do
    is "$tool: options in --help and man page" "$(page_options $tool)" "$(help_options $tool)"
    is "$tool: options in the completion" "$(completed $tool -- | tr ' ' '\n' | sed 's/=$//' | sort)" \
        "$(help_options $tool)"
    is "$tool: one form of quotes" "$($tool --help | grep -E "\`[^\`']*'")" ''
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

ok 'wpp help' wpp help
is 'is wpp --help' "$(cat "$T/out")" "$(wpp --help)"
ok 'wpp help info' wpp help info
is 'is wpp-info --help' "$(cat "$T/out")" "$(wpp-info --help)"
for option in --help -h; do
    ok "wpp help $option" wpp help $option
    is 'is wpp --help, too' "$(cat "$T/out")" "$(wpp --help)"
done
for tool in $(wpp --help | sed -n 's/^Commands: //p'); do
    case $tool in
    gcc*|g++) continue ;;
    esac
    ok "wpp-$tool --help extra" wpp-$tool --help extra
    is 'is its help' "$(cat "$T/out")" "$(wpp-$tool --help)"
done
# The compiler's help and version stay whole, and are not taken for more than they are.
gcc --help > "$T/gcc"
wpp-gcc --help > "$T/wpp-gcc"
is "wpp-gcc --help begins with gcc's" "$(head -n $(wc -l < "$T/gcc") "$T/wpp-gcc")" "$(cat "$T/gcc")"
is 'and tells its own variables' "$(tail -n +$(($(wc -l < "$T/gcc") + 1)) "$T/wpp-gcc" |
    grep -o -E 'WPP_[A-Z_]+' | sort -u | tr '\n' ' ')" \
    "$(grep -o -E 'Ev WPP_[A-Z_]+( , WPP_[A-Z_]+)?' "$ROOT/docs/man/wpp-gcc.1" | grep -o -E 'WPP_[A-Z_]+' |
        sort -u | tr '\n' ' ')"
mkdir "$T/bin" && ln -s "$BUILD/bin/wpp-gcc" "$T/bin/gcc"
is "a link that is called gcc has gcc's" "$(PATH=$T/bin:$PATH gcc --help)" "$(cat "$T/gcc")"
is "the version is the compiler's alone" "$(wpp-gcc --version)" "$(gcc --version)"
rm -r "$T/bin"
fails_with 2 'help about nothing that there is' wpp help nothing
fails_with 2 'help about two things' wpp help info dump

is "wpp-gcc-ar's version is the compiler's tool's" "$(wpp-gcc-ar --version)" "$(gcc-ar --version)"
is 'the completion of wpp: commands' "$(completed wpp rec)" record
cd "$T" && mkdir -p man1 && touch a.wpp b.trace c.wpp
is 'files of the right kind' "$(completed wpp info "$T/")" "$T/a.wpp $T/c.wpp $T/man1"
is 'values' "$(completed wpp-hot --cost = b)" blocks
is 'values of another form' "$(completed wpp-info --format = j)" json
is 'commands that help is about' "$(completed wpp help du)" dump
touch 'sp ace.wpp' 'two  blanks.trace' && mkdir 'a folder'
is 'names with blanks' "$(offered wpp-info sp)" 'sp ace.wpp'
is 'begun with a quote' "$(offered wpp-info '"sp a')" 'sp ace.wpp'
is 'of traces, too' "$(offered wpp compress two)" 'two  blanks.trace'
is 'and folders' "$(offered wpp-dump 'a ')" 'a folder'
is 'and what -o takes' "$(offered wpp-dump -o sp)" 'sp ace.wpp'
# OPTION, its values: behind `=`, and as a word of its own.
while read -r tool option values; do
    is "$tool $option: its values" "$(completed $tool $option '')" "$values"
    case $option in
    --*) is "$tool $option=: its values" "$(completed $tool $option =)" "$values" ;;
    esac
done <<'END'
wpp-hot --algorithm exact larus
wpp-hot --cost insns blocks paths time
wpp-hot --format text json csv
wpp-hot --color auto always never
wpp-hot --top
wpp-hot -n
wpp-info --format text table json
wpp-dot --format dot svg png pdf
wpp-dot -T dot svg png pdf
wpp-dump --range
wpp-record --signal
wpp-compress --memory
END
is 'one of them' "$(completed wpp dot -T s)" svg
is 'options behind one that takes none' "$(completed wpp-dot -f --max)" --max-nodes=
is 'a program behind an option and its value' "$(offered wpp-record --limit 5 sp)" 'sp ace.wpp'
is 'and what that takes' "$(offered wpp-record --limit 5 ./prog --li)" ''

# The other shells are asked themselves, where they are installed.
if command -v zsh > /dev/null; then
    mkdir -p "$T/zsh" && cp "$ROOT/scripts/completion.zsh" "$T/zsh/_wpp"
    is 'zsh understands its completion' "$(zsh -f -n "$T/zsh/_wpp" 2>&1)" ''
    # TOOL: what _arguments is told
    told() {
        zsh -f -c '_arguments() { print -rl -- "$@" }; service=$1; source $2' - "$1" "$T/zsh/_wpp" 2>&1
    }
    told wpp-hot > hot
    told wpp-dot > dot
    is 'zsh: values' "$(grep -E -e '--(algorithm|cost|format|color|top)=' hot | sort)" \
        "$(printf '%s\n' '--algorithm=:value:(exact larus)' '--color=:value:(auto always never)' \
            '--cost=:value:(insns blocks paths time)' '--format=:value:(text json csv)' '--top=:value: ')"
    is 'zsh: short options' "$(grep -E -e '^-[a-zA-Z]' dot)" \
        "$(printf '%s\n' '-T+:value:(dot svg png pdf)' '-o+:file:_files')"
else
    skip 'the completion of zsh: no zsh here'
fi
if command -v fish > /dev/null; then
    # LINE: what fish offers behind it
    asked() {
        XDG_CONFIG_HOME=$T/fish XDG_DATA_HOME=$T/fish XDG_CACHE_HOME=$T/fish \
            fish -c 'source $argv[1]; complete -C $argv[2] | string replace -r "\t.*" ""' \
            "$ROOT/scripts/completion.fish" "$1" 2>&1
    }
    is 'fish: commands' "$(asked 'wpp rec')" record
    is 'fish: options of a tool' "$(asked 'wpp-hot --min-')" "$(printf '%s\n' --min-cost= --min-length=)"
    is 'fish: and of a command' "$(asked 'wpp dump --ro')" --routines
    is 'fish: values' "$(asked 'wpp-hot --algorithm=' | sort)" \
        "$(printf '%s\n' --algorithm=exact --algorithm=larus)"
    is 'fish: of a command, and no files' "$(asked 'wpp hot --cost=' | tr '\n' ' ')" \
        '--cost=blocks --cost=insns --cost=paths --cost=time '
    is 'fish: as a word' "$(asked 'wpp-info --format ' | tr '\n' ' ')" 'json table text '
    is 'fish: of a short option' "$(asked 'wpp-dot -T ' | tr '\n' ' ')" 'dot pdf png svg '
    is 'fish: no files where a number is wanted' "$(asked 'wpp-hot --top ')" ''
    is 'fish: files where one is wanted' "$(asked 'wpp-dump -o sp')" 'sp ace.wpp'
    is 'fish: commands that help is about' "$(asked 'wpp help du')" dump
else
    skip 'the completion of fish: no fish here'
fi

done_testing
