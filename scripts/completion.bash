# SPDX-License-Identifier: MIT
# bash completion of wpp and its commands.  The options and their values are
# those that `COMMAND --help` shows.

# Prints the long options of a command's help: `--top=`, `--force`.
_wpp_options() {
    "$1" --help 2> /dev/null | grep -o -E -- '--[a-z][a-z-]*=?' | sort -u
}

# Prints the values of --NAME=a|b|c, or of a list `a (default), b, c`.
_wpp_values() {
    "$1" --help 2> /dev/null | awk -v option="$2=" '
        { at = index($0, option) }
        at {
            rest = substr($0, at + length(option))
            if (match(rest, /^[a-z]+(\|[a-z]+)+/)) {
                print substr(rest, 1, RLENGTH)
            } else if (match(rest, /^[A-Z]+ +/)) {
                rest = substr(rest, RLENGTH + 1)
                sub(/[:;].*/, "", rest); gsub(/ \([^)]*\)/, "", rest); gsub(/, or | or |, /, "|", rest)
                if (match(rest, /^[a-z]+(\|[a-z]+)+$/)) print rest
            }
            exit
        }' | tr '|' '\n'
}

_wpp() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local tool=${COMP_WORDS[0]##*/} first=1 pattern='*.wpp'

    COMPREPLY=()
    if [ "$tool" = wpp ]; then
        if [ "$COMP_CWORD" = 1 ]; then
            COMPREPLY=($(compgen -W "$(wpp --help | sed -n 's/^Commands: //p') help --help --version" -- "$current"))
            return
        elif [ "$COMP_CWORD" = 2 ] && [ "${COMP_WORDS[1]}" = help ]; then
            COMPREPLY=($(compgen -W "$(wpp --help | sed -n 's/^Commands: //p')" -- "$current"))
            return
        fi
        tool=wpp-${COMP_WORDS[1]} first=2
    fi
    case $tool in
    wpp-gcc|wpp-g++)
        COMPREPLY=($(compgen -f -- "$current"))
        return ;;
    wpp-compress) pattern='*.trace' ;;
    wpp-record)
        # Behind the program's name: what that takes.
        local k
        for ((k = first; k < COMP_CWORD; k++)); do
            case ${COMP_WORDS[k]} in
            -o|=) k=$((k + 1)) ;;
            -*) ;;
            *)  COMPREPLY=($(compgen -f -- "$current"))
                return ;;
            esac
        done ;;
    esac

    # `--format=te` comes as three words: --format = te.
    if [ "$current" = = ]; then
        COMPREPLY=($(compgen -W "$(_wpp_values "$tool" "$previous")"))
        return
    elif [ "$previous" = = ]; then
        COMPREPLY=($(compgen -W "$(_wpp_values "$tool" "${COMP_WORDS[COMP_CWORD - 2]}")" -- "$current"))
        [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
        return
    fi
    case $current in
    -*) COMPREPLY=($(compgen -W "$(_wpp_options "$tool")" -- "$current"))
        [ ${#COMPREPLY[@]} != 1 ] || [ "${COMPREPLY[0]: -1}" != = ] || compopt -o nospace ;;
    *)  if [ "$tool" = wpp-record ]; then
            COMPREPLY=($(compgen -f -- "$current"))
        else
            COMPREPLY=($(compgen -G "$current$pattern" | sort) $(compgen -d -- "$current"))
        fi ;;
    esac
}

complete -o filenames -F _wpp wpp wpp-record wpp-compress wpp-info wpp-dump wpp-check wpp-dot wpp-hot \
    wpp-config wpp-gcc wpp-g++
