# SPDX-License-Identifier: MIT
# csv.awk: fields of a line as RFC 4180 has them, for awk -f csv.awk -f OTHER.  Text with line
# breaks is not read: no name of a routine or file has one.

# Splits `line` to field[1 ..], returns their number.
function csv_fields(line, field,    n, c, quoted, i, length_of) {
    sub(/\r$/, "", line)
    if (index(line, "\"") == 0)
        return split(line, field, ",")
    n = 1
    field[1] = ""
    length_of = length(line)
    for (i = 1; i <= length_of; i++) {
        c = substr(line, i, 1)
        if (c == "\"") {
            if (quoted && substr(line, i + 1, 1) == "\"") {
                field[n] = field[n] c
                i++
            } else {
                quoted = !quoted
            }
        } else if (c == "," && !quoted) {
            field[++n] = ""
        } else {
            field[n] = field[n] c
        }
    }
    return n
}
