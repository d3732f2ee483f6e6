# SPDX-License-Identifier: MIT
# bash completion of wpp and its commands.  Options and their values come from `COMMAND --help`.

# Prints the long options of a command's help: `--top=`, `--force`.
_wpp_options() {
    "$1" --help 2> /dev/null | grep -o -E -- '--[a-z][a-z-]*=?' | sort -u
}

# _wpp_argument TOOL OPTION: like `wpp-config --argument`.
_wpp_argument() {
    [[ $2 =~ ^--?[a-zA-Z-]+$ ]] || return
    wpp-config --argument "$1" "$2"
}

_wpp_offer() {
    mapfile -t COMPREPLY < <(compgen "$@")
}

_wpp_files() {
    compopt -o filenames
    _wpp_offer -f -- "$1"
}

_wpp_commands() {
    wpp --help | sed -n 's/^Commands: //p'
}

_wpp() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local tool=${COMP_WORDS[0]##*/} first=1 pattern='*.wpp' option argument

    COMPREPLY=()
    if [ "$tool" = wpp ]; then
        if [ "$COMP_CWORD" = 1 ]; then
            _wpp_offer -W "$(_wpp_commands) help --help --version" -- "$current"
            return
        elif [ "$COMP_CWORD" = 2 ] && [ "${COMP_WORDS[1]}" = help ]; then
            _wpp_offer -W "$(_wpp_commands)" -- "$current"
            return
        fi
        tool=wpp-${COMP_WORDS[1]} first=2
    fi
    case $tool in
    wpp-gcc*|wpp-g++)
        _wpp_files "$current"
        return ;;
    wpp-compress) pattern='*.trace' ;;
    wpp-samples) pattern='*' ;;
    wpp-suspects) pattern=/ ;;                 # folders alone
    wpp-runs)
        pattern='*'
        if [ "$COMP_CWORD" = "$((first + 1))" ] && [[ $current != -* ]]; then
            _wpp_offer -W 'list add label export novel cluster ranks pack merge prune' -- "$current"
            return
        fi ;;
    wpp-p3)
        pattern='*'
        if [ "$COMP_CWORD" = "$first" ] && [[ $current != -* ]]; then
            _wpp_offer -W 'build run merge plan' -- "$current"
            return
        fi ;;
    wpp-record)
        # Behind the program's name: complete the program's arguments.
        local k
        for ((k = first; k < COMP_CWORD; k++)); do
            case ${COMP_WORDS[k]} in
            =)  k=$((k + 1)) ;;
            -*) [ "${COMP_WORDS[k + 1]}" = = ] || [ -z "$(_wpp_argument "$tool" "${COMP_WORDS[k]}")" ] ||
                    k=$((k + 1)) ;;
            *)  _wpp_files "$current"
                return ;;
            esac
        done ;;
    esac

    # `--format=te` comes as three words: --format = te.
    option=$previous
    if [ "$current" = = ]; then
        current=
    elif [ "$previous" = = ]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    argument=$(_wpp_argument "$tool" "$option")
    case $argument in
    '') ;;
    FILE|DIR)
        _wpp_files "$current"
        return ;;
    [a-z]*)
        _wpp_offer -W "$argument" -- "$current"
        return ;;
    *)  return ;;
    esac
    case $current in
    -*) _wpp_offer -W "$(_wpp_options "$tool")" -- "$current"
        [ ${#COMPREPLY[@]} != 1 ] || [ "${COMPREPLY[0]: -1}" != = ] || compopt -o nospace ;;
    *)  if [ "$tool" = wpp-record ]; then
            _wpp_files "$current"
        else
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -G "${current#[\"\']}$pattern" | sort; compgen -d -- "$current")
        fi ;;
    esac
}

complete -F _wpp wpp wpp-record wpp-compress wpp-info wpp-report wpp-profile wpp-coverage wpp-diff wpp-runs wpp-suspects wpp-samples wpp-p3 wpp-dump wpp-step wpp-export wpp-check wpp-dot \
    wpp-hot wpp-config wpp-gcc wpp-g++ wpp-gcc-ar wpp-gcc-nm wpp-gcc-ranlib
