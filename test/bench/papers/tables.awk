# SPDX-License-Identifier: MIT
# tables.awk: CSV tables from the steps' results, lines `PROGRAM STEP WORD...`, to the folder `out`.
# The last row of a table is the mean over its programs, of the shares or lengths themselves, as
# the papers have it.

function wants(table) { return index(" " tables " ", " " table " ") }

function put(table, row) {
    if (!(table in begun)) {
        begun[table] = 1
        printf "%s\r\n", head[table] > (out "/" table ".csv")
    }
    printf "%s\r\n", row > (out "/" table ".csv")
}

# percent(x) of a ratio; "" where there is none.
function share(x, of) { return of > 0 ? 100 * x / of : 0 }
# A program may be too short for the clock: then it is not known.
function over(x, base) { return base > 0 ? 100 * (x / base - 1) : "" }

# Writes a row of numbers cell[1 .. n] by the table's formats, and remembers it for the mean.
# Without a mean: a column whose format begins with %.0f.
function row(table, program, cell,    n, i, line, formats) {
    n = split(format[table], formats, " ")
    line = program
    for (i = 1; i <= n; i++) {
        line = line "," (cell[i] == "" ? "" : sprintf(formats[i], cell[i]))
        total[table, i] += cell[i]
        known[table, i] += cell[i] != ""
    }
    put(table, line)
}

function mean(table, program, from,    n, i, line, formats) {
    n = split(format[table], formats, " ")
    line = program
    for (i = 1; i <= n; i++)
        line = line "," (formats[i] == "%.0f" || formats[i] == "%.3f" || !known[table, i] \
                           ? "" : sprintf(formats[i], total[table, i] / known[table, i]))
    put(table, line)
}

# The median of list[1 .. n].
function median(list, n,    i, k, x) {
    for (i = 2; i <= n; i++) {
        x = list[i]
        for (k = i - 1; k > 0 && list[k] > x; k--)
            list[k + 1] = list[k]
        list[k + 1] = x
    }
    return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

function seconds(program, variant,    i, list) {
    for (i = 1; i <= times[program, variant]; i++)
        list[i] = time[program, variant, i]
    return median(list, times[program, variant])
}

BEGIN {
    head["overhead"] = "program,native_seconds,paths,edges,gcov,generate,paths_over_edges,native_text,paths_text,edges_text"
    format["overhead"] = "%.3f %.1f %.1f %.1f %.1f %.2f %.0f %.1f %.1f"
    head["hashed"] = "program,routines,hashed_routines,increments,hashed_increments,share,instructions_per_increment,ended_by_limit"
    format["hashed"] = "%.0f %.0f %.0f %.0f %.1f %.1f %.2f"
    head["lengths"] = "program,routines,paths,possible,most_of_a_routine,hot_paths,hot_share,edges,instructions,longest_edges,longest_instructions"
    format["lengths"] = "%.0f %.0f %.0f %.0f %.0f %.1f %.1f %.1f %.0f %.0f"
    head["prediction"] = "program,paths_whole,executions_whole,edges,predicted_edges,instructions,predicted_instructions,definite"
    format["prediction"] = "%.1f %.1f %.1f %.1f %.1f %.1f %.1f"
    head["overlap"] = "program,train_paths,ref_paths,static,dynamic,instructions,by_train_hot,hot_found"
    format["overlap"] = "%.0f %.0f %.1f %.1f %.1f %.1f %.1f"
    head["p3"] = "program,copies,pbl,p3,p3_chords,pbl_measured,p3_measured,split_measured"
    format["p3"] = "%.0f %.0f %.0f %.0f %.0f %.0f"
    head["samples"] = "program,depth,hot_paths,equal_1000,equal_10000,equal_100000,equal_1000000,flow_1000,flow_10000,flow_100000,flow_1000000"
}

!($1 in known) { known[$1] = 1; program[++n] = $1 }
$2 ~ /^times-/ { time[$1, $3, ++times[$1, $3]] = $4 + 0; next }
$2 ~ /^build-/ { text[$1, substr($2, 7)] = $3; next }
$2 == "samples" && $3 == "hot" { hot[$1] = $4; next }
$2 == "samples" { equal[$1, $3, $4] = $6; flow[$1, $3, $4] = $7; next }
$2 == "p3"     { p3[$1, ++copies[$1]] = $0; next }
               { value[$1, $2, $3] = $4 + 0 }

# 1: overhead in percent, as in Table 1 of the 1996 paper.
function table_overhead(p,    cell, base) {
    base = seconds(p, "native")
    cell[1] = base
    cell[2] = over(seconds(p, "paths"), base)
    cell[3] = over(seconds(p, "edges"), base)
    cell[4] = over(seconds(p, "gcov"), base)
    cell[5] = over(seconds(p, "generate"), base)
    cell[6] = seconds(p, "edges") > 0 ? seconds(p, "paths") / seconds(p, "edges") : ""
    cell[7] = text[p, "native"]
    cell[8] = 100 * (text[p, "paths"] / text[p, "native"] - 1)
    cell[9] = 100 * (text[p, "edges"] / text[p, "native"] - 1)
    row("overhead", p, cell)
}

function table_hashed(p,    cell) {
    cell[1] = value[p, "figures", "routines"]
    cell[2] = value[p, "figures", "hashed_routines"]
    cell[3] = value[p, "figures", "executions"]
    cell[4] = value[p, "figures", "hashed"]
    cell[5] = share(cell[4], cell[3])
    cell[6] = value[p, "profile-ref", "instructions"] / cell[3]
    cell[7] = share(value[p, "profile-ref", "limited"], cell[3])
    row("hashed", p, cell)
}

function table_lengths(p,    cell, count) {
    count = value[p, "profile-ref", "count"]
    cell[1] = value[p, "figures", "routines"]
    cell[2] = value[p, "figures", "paths"]
    cell[3] = value[p, "figures", "possible"]
    cell[4] = value[p, "figures", "most_paths"]
    cell[5] = value[p, "figures", "hot_paths"]
    cell[6] = share(value[p, "figures", "hot_executions"], count)
    cell[7] = value[p, "profile-ref", "edges"] / count
    cell[8] = value[p, "profile-ref", "instructions"] / count
    cell[9] = value[p, "profile-ref", "longest_edges"]
    cell[10] = value[p, "profile-ref", "longest_instructions"]
    row("lengths", p, cell)
}

function table_prediction(p,    cell, count) {
    count = value[p, "profile-ref", "count"]
    cell[1] = share(value[p, "profile-ref", "whole"], value[p, "profile-ref", "paths"])
    cell[2] = share(value[p, "profile-ref", "whole_count"], count)
    cell[3] = value[p, "profile-ref", "edges"] / count
    cell[4] = value[p, "profile-ref", "predicted_edges"] / count
    cell[5] = value[p, "profile-ref", "instructions"] / count
    cell[6] = value[p, "profile-ref", "predicted_instructions"] / count
    cell[7] = share(value[p, "profile-ref", "definite"], count)
    row("prediction", p, cell)
}

function table_overlap(p,    cell) {
    cell[1] = value[p, "figures", "train_paths"]
    cell[2] = value[p, "figures", "ref_paths"]
    cell[3] = share(value[p, "figures", "common_paths"], cell[2])
    cell[4] = share(value[p, "figures", "common_executions"], value[p, "figures", "ref_executions"])
    cell[5] = share(value[p, "figures", "common_instructions"], value[p, "figures", "ref_instructions"])
    cell[6] = share(value[p, "figures", "by_train_hot"], value[p, "figures", "ref_executions"])
    cell[7] = share(value[p, "figures", "both_hot"], value[p, "figures", "ref_hot"])
    row("overlap", p, cell)
}

# A row for each number of copies, and means of each.
function table_p3(    i, k, c, words, line) {
    for (k = 1; k <= 3; k++)
        for (i = 1; i <= n; i++) {
            split(p3[program[i], k], words, " ")
            line = program[i] "," words[3]
            for (c = 4; c <= 9; c++) {
                line = line "," words[c]
                p3_total[k, c] += words[c]
            }
            p3_line[i, k] = line
            p3_copies[k] = words[3]
        }
    for (i = 1; i <= n; i++)
        for (k = 1; k <= 3; k++)
            put("p3", p3_line[i, k])
    for (k = 1; k <= 3; k++) {
        line = "mean," p3_copies[k]
        for (c = 4; c <= 9; c++)
            line = line "," sprintf("%.0f", p3_total[k, c] / n)
        put("p3", line)
    }
}

# An accuracy in %, "" where the run was too short for a sample; sums for the mean.
function cell_of(accuracy, p, depth, period, column) {
    if (!((p, depth, period) in accuracy))
        return ""
    sample_total[depth, column] += accuracy[p, depth, period]
    sample_known[depth, column]++
    return sprintf("%.1f", accuracy[p, depth, period])
}

# A row for each depth, and means of each.
function table_samples(    i, d, c, k, depths, periods, line) {
    split("4 8 16 32", depths, " ")
    split("1000 10000 100000 1000000", periods, " ")
    for (i = 1; i <= n; i++)
        for (d = 1; d <= 4; d++) {
            line = program[i] "," depths[d] "," hot[program[i]]
            for (c = 1; c <= 4; c++)
                line = line "," cell_of(equal, program[i], depths[d], periods[c], c)
            for (c = 1; c <= 4; c++)
                line = line "," cell_of(flow, program[i], depths[d], periods[c], c + 4)
            put("samples", line)
        }
    for (d = 1; d <= 4; d++) {
        line = "mean," depths[d] ","
        for (c = 1; c <= 8; c++) {
            k = sample_known[depths[d], c]
            line = line "," (k ? sprintf("%.1f", sample_total[depths[d], c] / k) : "")
        }
        put("samples", line)
    }
}

END {
    for (i = 1; i <= n; i++) {
        if (wants("overhead"))
            table_overhead(program[i])
        if (wants("hashed"))
            table_hashed(program[i])
        if (wants("lengths"))
            table_lengths(program[i])
        if (wants("prediction"))
            table_prediction(program[i])
        if (wants("overlap"))
            table_overlap(program[i])
    }
    m = split("overhead hashed lengths prediction overlap", means, " ")
    for (i = 1; i <= m; i++)
        if (wants(means[i]))
            mean(means[i], "mean")
    if (wants("p3"))
        table_p3()
    if (wants("samples"))
        table_samples()
}
