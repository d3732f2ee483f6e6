#compdef wpp wpp-record wpp-compress wpp-info wpp-dump wpp-check wpp-dot wpp-hot wpp-config wpp-gcc wpp-g++
# SPDX-License-Identifier: MIT
# zsh completion of wpp and its commands: install as _wpp in a folder of $fpath.
# The options are those that `COMMAND --help` shows.

# _wpp_argument TOOL OPTION: nothing if it takes none, or its values, of --NAME=a|b|c, of a
# list `a (default), b, c` or of `a: this; b: that`, or what the help calls it: FILE, N.
# The same in the other shells' files.
_wpp_argument() {
    "$1" --help 2> /dev/null | awk -v option="$2" '
        BEGIN { begin = option ~ /^--/ ? "^ +(-., )?" option "=" : "^ +" option ", --[a-z-]+=" }
        !/^ +[^ -]/ { inside = 0 }
        text == "" && $0 ~ begin { inside = 1; sub(begin, ""); text = $0; next }
        inside { sub(/^ +/, " "); text = text $0 }
        END {
            if (!match(text, /^[^ ]+/)) exit
            name = substr(text, 1, RLENGTH); text = substr(text, RLENGTH + 1)
            gsub(/ \([^)]*\)/, "", text); sub(/^ +/, "", text)
            list = text; sub(/[:;].*/, "", list)
            if (name ~ /^[a-z]+(\|[a-z]+)+$/) {
                gsub(/\|/, "\n", name)
            } else if (list ~ /^[a-z]+((, or|,| or) [a-z]+)+$/) {
                name = list; gsub(/(, or|,| or) /, "\n", name)
            } else {
                n = split(text, part, /; */); list = ""
                for (i = 1; i <= n && match(part[i], /^[a-z]+:/); i++)
                    list = list (i > 1 ? "\n" : "") substr(part[i], 1, RLENGTH - 1)
                if (n > 1 && i > n) name = list
            }
            print name
        }'
}

# What _arguments offers for that, behind the option's name.
_wpp_action() {
    local argument=$(_wpp_argument $1 $2)

    case $argument in
    FILE|DIR) print -r -- ':file:_files' ;;
    [a-z]*)   print -r -- ":value:(${(j: :)${(f)argument}})" ;;
    *)        print -r -- ':value: ' ;;
    esac
}

# The options of a command as _arguments takes them: `--force`, `--output=`, `-o+`.
_wpp_option_specs() {
    local option help="$($1 --help 2> /dev/null)"

    for option in ${(fu)"$(grep -o -E -e '--[a-z][a-z-]*=?' <<< $help)"}; do
        if [[ $option == *= ]]; then
            print -r -- "$option$(_wpp_action $1 ${option%=})"
        else
            print -r -- "$option"
        fi
    done
    for option in ${(fu)"$(sed -n 's/^ *\(-[a-zA-Z]\), --[a-z-]*=.*/\1/p' <<< $help)"}; do
        print -r -- "$option+$(_wpp_action $1 $option)"
    done
}

_wpp_tool() {
    local tool=$1 files='*.wpp'
    local -a specs

    case $tool in
    wpp-gcc|wpp-g++) _gcc 2> /dev/null || _files; return ;;
    wpp-config)      files= ;;
    wpp-compress)    files='*.trace' ;;
    esac
    specs=(${(f)"$(_wpp_option_specs $tool)"})
    if [[ $tool == wpp-record ]]; then
        _arguments $specs '1:program:_files' '*::arguments:_normal'
    elif [[ -n $files ]]; then
        _arguments $specs "*:file:_files -g '$files'"
    else
        _arguments $specs
    fi
}

_wpp() {
    local -a commands

    if [[ $service != wpp ]]; then
        _wpp_tool $service
        return
    fi
    if (( CURRENT == 2 )); then
        commands=(${=${(M)${(f)"$(wpp --help 2> /dev/null)"}:#Commands: *}#Commands: } help)
        compadd -- $commands --help --version
        return
    fi
    if [[ $words[2] == help ]]; then
        commands=(${=${(M)${(f)"$(wpp --help 2> /dev/null)"}:#Commands: *}#Commands: })
        compadd -- $commands
        return
    fi
    shift words
    (( CURRENT-- ))
    words[1]=wpp-$words[1]
    _wpp_tool $words[1]
}

_wpp "$@"
