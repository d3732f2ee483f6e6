# SPDX-License-Identifier: MIT
# torture-directives.awk: the directives of a GCC test that matter on x86-64 Linux.
#
#     { dg-do run }                                      do run
#     { dg-options "-fwrapv" { target x86_64-*-* } }     options -fwrapv
#     { dg-additional-sources "b.c" }                    sources b.c
#
# Selectors are judged by the words in them.  One that is judged wrong does no harm:
# both builds get the same options, and what fails plainly is not used.

function applies(rest) {
    if (!match(rest, /\{ *target /))
        return 1
    rest = substr(rest, RSTART)
    if (rest ~ /! *(ia32|x32|\{? *(ia32|x32))/)
        return 1
    if (rest ~ /[ {]ia32[ }]/ || rest ~ /! *\{? *(i\?86|x86_64)/)
        return 0
    if (rest ~ /!/)
        return 1
    return rest ~ /x86_64|\*-\*-linux|\*-\*-\*|lp64|int32|size32|c\+\+|pthread|fpic|native|sync|signal|float|int128|run_expensive|pie|alloca|label_values|trampolines|nonlocal_goto/
}

match($0, /\{ *dg-(do|options|additional-options|additional-sources) +/) {
    directive = substr($0, RSTART, RLENGTH)
    rest = substr($0, RSTART + RLENGTH)
    if (rest ~ /^"/) {
        value = substr(rest, 2)
        value = substr(value, 1, index(value, "\"") - 1)
        rest = substr(rest, length(value) + 3)
    } else {
        value = rest
        sub(/[ }].*/, "", value)
        rest = substr(rest, length(value) + 1)
    }
    if (!applies(rest))
        next
    gsub(/\\/, "", value)
    if (directive ~ /dg-do/)
        what = value
    else if (directive ~ /dg-options/)
        options = value
    else if (directive ~ /dg-additional-options/)
        additional = additional " " value
    else
        sources = sources " " value
}

END {
    if (what) print "do", what
    if (options additional) print "options", options additional
    if (sources) print "sources", sources
}
