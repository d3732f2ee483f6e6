# SPDX-License-Identifier: MIT
# fish completion of wpp and its commands: install as wpp.fish, wpp-record.fish
# and so on in a folder of $fish_complete_path.  The options are those that
# `COMMAND --help` shows.

# The commands that `wpp --help` lists.
function __wpp_commands
    wpp --help 2>/dev/null | string replace -rf '^Commands: ' '' | string split ' '
end

# Long options of the tool on the command line, with or without `wpp` in front.
function __wpp_options
    set -l words (commandline -opc)
    set -l tool (string replace -r '.*/' '' -- $words[1])

    if test "$tool" = wpp
        set -q words[2]; or return
        set tool wpp-$words[2]
    end
    $tool --help 2>/dev/null | string match -ra -- '--[a-z][a-z-]*=?' | sort -u
end

# Files of the kind that a tool reads.
function __wpp_files
    set -l words (commandline -opc)

    if string match -q '*compress*' -- "$words[1] $words[2]"
        __fish_complete_suffix .trace
    else
        __fish_complete_suffix .wpp
    end
end

complete -c wpp -n __fish_use_subcommand -f -a '(__wpp_commands) help' -d 'wpp command'
complete -c wpp -n '__fish_seen_subcommand_from help' -f -a '(__wpp_commands)'
set -l behind 'not __fish_use_subcommand; and not __fish_seen_subcommand_from help'
complete -c wpp -n "$behind" -a '(__wpp_options)'
complete -c wpp -n "$behind" -k -a '(__wpp_files)'
for tool in compress info dump check dot hot
    complete -c wpp-$tool -a '(__wpp_options)'
    complete -c wpp-$tool -k -a '(__wpp_files)'
end
for tool in record config
    complete -c wpp-$tool -a '(__wpp_options)'
end
