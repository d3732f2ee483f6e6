# SPDX-License-Identifier: MIT
# markdown.awk: a table of ours from CSV to Markdown, after csv.awk.  titles: the columns' names,
# by `|`.

# 1234567 -> 1,234,567
function grouped(x,    tail) {
    if (x !~ /^[0-9]+$/)
        return x
    while (length(x) > 3) {
        tail = "," substr(x, length(x) - 2) tail
        x = substr(x, 1, length(x) - 3)
    }
    return x tail
}

FNR == 1 {
    n = split(titles, title, "|")
    line = "|"
    for (i = 1; i <= n; i++)
        line = line " " title[i] " |"
    print line
    line = "|---|"
    for (i = 2; i <= n; i++)
        line = line "--:|"
    print line
    next
}
{
    m = csv_fields($0, f)
    line = "| " f[1] " |"
    for (i = 2; i <= n; i++)
        line = line " " grouped(i <= m ? f[i] : "") " |"
    print line
}
