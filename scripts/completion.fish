# SPDX-License-Identifier: MIT
# fish completion of wpp and its commands: install as wpp.fish, wpp-record.fish and so on in a
# folder of $fish_complete_path.  The options come from `COMMAND --help`.

# The commands that `wpp --help` lists.
function __wpp_commands
    wpp --help 2>/dev/null | string replace -rf '^Commands: ' '' | string split ' '
end

# The tool on the command line, with or without `wpp` before it.
function __wpp_tool
    set -l words (commandline -opc)
    set -l tool (string replace -r '.*/' '' -- $words[1])

    if test "$tool" = wpp
        set -q words[2]; or return
        set tool wpp-$words[2]
    end
    echo $tool
end

function __wpp_options
    set -l tool (__wpp_tool)

    $tool --help 2>/dev/null | string match -ra -- '--[a-z][a-z-]*=?' | sort -u
end

# The option whose argument is the word under the cursor, or nothing.
function __wpp_option
    set -l words (commandline -opc)
    set -l word (commandline -ct)

    if string match -qr -- '^--[a-z-]+=' $word
        string replace -r '=.*' '' -- $word
    else
        string match -r -- '^--?[a-zA-Z-]+$' $words[-1]
    end
end

# The same as `wpp-config --argument`, for that option.
function __wpp_argument
    set -l tool (__wpp_tool)
    set -l option (__wpp_option)

    set -q option[1]; or return
    wpp-config --argument $tool $option
end

# Whether the word is the argument of an option, and no file.
function __wpp_wants_value
    set -l argument (__wpp_argument)

    set -q argument[1]; and not contains -- $argument[1] FILE DIR
end

function __wpp_values
    set -l begin (commandline -ct | string match -r -- '^--[a-z-]+=')

    __wpp_argument | string match -r -- '^[a-z]+$' | string replace -r '^' -- "$begin"
end

# Files that a tool reads, by their suffix.
function __wpp_files
    if test (__wpp_tool) = wpp-compress
        __fish_complete_suffix .trace
    else
        __fish_complete_suffix .wpp
    end
end

complete -c wpp -n __fish_use_subcommand -f -a '(__wpp_commands) help' -d 'wpp command'
complete -c wpp -n '__fish_seen_subcommand_from help' -f -a '(__wpp_commands)'
set -l behind 'not __fish_use_subcommand; and not __fish_seen_subcommand_from help'
complete -c wpp -n "$behind; and __wpp_wants_value" -f -a '(__wpp_values)'
set -l otherwise 'not __wpp_wants_value'
complete -c wpp -n "$behind; and $otherwise" -a '(__wpp_options)'
complete -c wpp -n "$behind; and $otherwise" -k -a '(__wpp_files)'
for tool in compress info report profile coverage diff dump step export samples check dot hot
    complete -c wpp-$tool -n __wpp_wants_value -f -a '(__wpp_values)'
    complete -c wpp-$tool -n "$otherwise" -a '(__wpp_options)'
    complete -c wpp-$tool -n "$otherwise" -k -a '(__wpp_files)'
end
complete -c wpp-record -n __wpp_wants_value -f
for tool in record config runs suspects
    complete -c wpp-$tool -a '(__wpp_options)'
end
