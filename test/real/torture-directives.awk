# SPDX-License-Identifier: MIT
# torture-directives.awk: the directives of a GCC test that matter on x86-64 Linux.
#
#     { dg-do run }                                      do run
#     { dg-options "-fwrapv" { target x86_64-*-* } }     options -fwrapv
#     { dg-additional-sources "b.c" }                    sources b.c
#     { dg-do run { target c++14_down } }                do run, options -std=gnu++14
#
# Selectors are judged by the words in them.  One that is judged wrong does no harm:
# both builds get the same options, and what fails plainly is not used.

# What follows `target` up to the end of the directive; empty: no selector.
function selector(rest) {
    return match(rest, /\{ *target /) ? substr(rest, RSTART + RLENGTH) : ""
}

function applies(rest) {
    rest = selector(rest)
    if (rest == "")
        return 1
    if (rest ~ /! *\{? *(ia32|x32|ilp32)/)
        return 1
    if (rest ~ /&& *(ia32|x32|ilp32)/ || rest ~ /^[{ ]*(ia32|x32|ilp32)[ }]*$/)
        return 0
    if (rest ~ /! *\{? *(i\?86|x86_64)/)
        return 0
    if (rest ~ /!/)
        return 1
    return rest ~ /x86_64|(^|[ {])\*-\*-(\*|linux)|lp64|int32|int128|size32|c\+\+|float/ ||
           rest ~ /pthread|fpic|pie|native|sync|signal|run_expensive|alloca|label_values/ ||
           rest ~ /trampolines|nonlocal_goto/
}

# The C++ standard a test is made for, when the compiler's own (17) is none of them.
function standard(rest) {
    if (rest ~ /c\+\+14_down/ || rest ~ /! *c\+\+17/)
        return "-std=gnu++14"
    if (rest ~ /c\+\+11_down/)
        return "-std=gnu++11"
    if (rest ~ /! *c\+\+11/ || rest ~ /c\+\+98_only/)
        return "-std=gnu++98"
    if (match(rest, /c\+\+2[03]/))
        return "-std=gnu" substr(rest, RSTART + 1, RLENGTH - 1)
    return ""
}

match($0, /dg-require-effective-target +[{ ]*c\+\+[0-9a-z_]+/) {
    std = standard(substr($0, RSTART))
}

match($0, /\{ *dg-(do|options|additional-options|additional-sources) +/) {
    directive = substr($0, RSTART, RLENGTH)
    rest = substr($0, RSTART + RLENGTH)
    sub(/^\{ */, "", rest)               # { dg-options { "-fwrapv" } }
    if (rest ~ /^"/) {
        value = substr(rest, 2)
        value = substr(value, 1, index(value, "\"") - 1)
        rest = substr(rest, length(value) + 3)
    } else {
        value = rest
        sub(/[ }].*/, "", value)
        rest = substr(rest, length(value) + 1)
    }
    # An unknown word does not keep a test from being tried.
    if (!applies(rest) && !(directive ~ /dg-do/ && rest !~ /ia32|x32|ilp32|! *\{? *(i\?86|x86_64)/))
        next
    gsub(/\\/, "", value)
    if (directive ~ /dg-do/) {
        what = value
        if (standard(selector(rest)))
            std = standard(selector(rest))
        next
    }
    if (directive ~ /dg-options/)
        options = value
    else if (directive ~ /dg-additional-options/)
        additional = additional " " value
    else
        sources = sources " " value
}

END {
    if (what) print "do", what
    if (std options additional) print "options", std, options additional
    if (sources) print "sources", sources
}
