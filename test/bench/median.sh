# SPDX-License-Identifier: MIT
# median.sh: the median of the numbers on standard input, one a line.

median() {
    sort -n | awk '{ x[NR] = $1 }
        END { if (NR) printf "%.3f\n", NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }'
}
