# SPDX-License-Identifier: MIT
# routines.awk: sums over the routines of `wpp-profile --format=csv`, as lines `KEY VALUE`.
#
# limit: more possible paths than that need a hash table instead of an array.

{
    csv_fields($0, f)
    f[10] += 0         # a number, not a text of digits
    f[11] += 0
}
f[1] == "routine" && f[10] > 0 {
    routines++
    executions += f[8]
    paths += f[10]
    possible += f[11]
    if (f[10] > most)
        most = f[10]
    if (f[11] > limit + 0) {
        hashed_routines++
        hashed += f[8]
    }
}
f[1] == "path" {
    hot++
    hot_executions += f[8]
}
END {
    print "routines", routines + 0
    print "hashed_routines", hashed_routines + 0
    printf "executions %.0f\nhashed %.0f\npaths %.0f\npossible %.0f\n", executions, hashed, paths, possible
    print "most_paths", most + 0
    print "hot_paths", hot + 0
    printf "hot_executions %.0f\n", hot_executions
}
