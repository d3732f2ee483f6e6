#compdef wpp wpp-record wpp-compress wpp-info wpp-dump wpp-check wpp-dot wpp-hot wpp-config wpp-gcc wpp-g++
# SPDX-License-Identifier: MIT
# zsh completion of wpp and its commands: install as _wpp in a folder of $fpath.
# The options are those that `COMMAND --help` shows.

# The long options of a command as _arguments takes them: `--top=`, `--force`.
_wpp_option_specs() {
    local option

    for option in ${(fu)"$($1 --help 2> /dev/null | grep -o -E -e '--[a-z][a-z-]*=?')"}; do
        if [[ $option == *= ]]; then
            print -r -- "$option: :_files"
        else
            print -r -- "$option"
        fi
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
