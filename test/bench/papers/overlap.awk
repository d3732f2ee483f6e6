# SPDX-License-Identifier: MIT
# overlap.awk TRAIN REF: what one run's paths are of another's, of `wpp-profile --paths
# --format=csv` of one executable, as lines `KEY VALUE`.
#
# A path is hot if it has at least 0.125 % of its run's executions.

FNR == 1 { file++ }
{ csv_fields($0, f) }
f[1] == "path" {
    key = f[3] SUBSEP f[4] SUBSEP f[5] SUBSEP f[6]
    count[file, key] += f[8]
    cost[file, key] += f[9]
    sum[file] += f[8]
    cost_sum[file] += f[9]
    if (!((file, key) in seen)) {
        seen[file, key] = 1
        paths[file]++
        if (file == 2)
            ref[++n] = key
    }
}
END {
    for (i = 1; i <= n; i++) {
        key = ref[i]
        hot = count[2, key] >= 0.00125 * sum[2]
        hot_flow += hot ? count[2, key] : 0
        if (!((1, key) in seen))
            continue
        common++
        flow += count[2, key]
        insns += cost[2, key]
        if (count[1, key] >= 0.00125 * sum[1]) {
            train_hot_flow += count[2, key]
            both_hot += hot ? count[2, key] : 0
        }
    }
    printf "train_paths %.0f\nref_paths %.0f\ncommon_paths %.0f\n", paths[1], paths[2], common
    printf "train_executions %.0f\nref_executions %.0f\ncommon_executions %.0f\n", sum[1], sum[2], flow
    printf "ref_instructions %.0f\ncommon_instructions %.0f\n", cost_sum[2], insns
    printf "by_train_hot %.0f\nref_hot %.0f\nboth_hot %.0f\n", train_hot_flow, hot_flow, both_hot
}
