#compdef wpp wpp-record wpp-compress wpp-info wpp-report wpp-profile wpp-diff wpp-p3 wpp-dump wpp-step wpp-check wpp-dot wpp-hot wpp-config wpp-gcc wpp-g++ wpp-gcc-ar wpp-gcc-nm wpp-gcc-ranlib
# SPDX-License-Identifier: MIT
# zsh completion of wpp and its commands: install as _wpp in a folder of $fpath.  The options
# come from `COMMAND --help`.

# The text that _arguments offers for an option's argument, behind its name.
_wpp_action() {
    local argument=$(wpp-config --argument $1 $2)

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
    wpp-gcc-*)       _files; return ;;
    wpp-gcc|wpp-g++) _gcc 2> /dev/null || _files; return ;;
    wpp-config)      files= ;;
    wpp-compress)    files='*.trace' ;;
    esac
    specs=(${(f)"$(_wpp_option_specs $tool)"})
    if [[ $tool == wpp-p3 ]]; then
        _arguments $specs '1:command:(build run merge plan)' '*:file:_files'
    elif [[ $tool == wpp-record ]]; then
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
