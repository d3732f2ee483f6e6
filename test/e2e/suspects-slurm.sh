#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 20
# wpp-suspects --with=slurm: runs read in parts by a job array, under Slurm's own daemons on this machine; and ranks
# that srun starts.  Nearly all of its time it waits for them.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

# Others must see munge's socket.
slurm=$(mktemp -d -u "${TMPDIR:-/tmp}/wpp-slurm.XXXXXX")
if ! "$ROOT/test/real/slurm" start "$slurm" 2 2> "$T/why"; then
    skip "Slurm: $(tail -n 1 "$T/why")"
    done_testing
fi
trap '"$ROOT/test/real/slurm" stop "$slurm"; rm -rf "$T" "$slurm"' EXIT
export SLURM_CONF=$slurm/slurm.conf

cat > prog.c << 'CODE'
#include <stdlib.h>
__attribute__((noinline)) static int step(int i, int odd) { return i % 7 == odd ? 3 : i & 1; }
__attribute__((noinline)) static int turn(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += step(i, n % 5);
    return s;
}
int main(int argc, char **argv)
{
    char *rank = getenv("SLURM_PROCID");
    int n = argc > 1 ? atoi(argv[1]) : 9, s = turn(n);
    if (rank && atoi(rank) == 2)
        s += turn(3);
    if (n % 4 == 3)
        abort();
    return s == 0;
}
CODE
ok 'a program' "$WPP_GCC" -O1 -g -o prog prog.c
for n in $(seq 70); do wpp-record -q --runs=store ./prog $n 2> /dev/null; done
ok 'a large run' bash -c 'head -c 1500000 /dev/urandom | od -An -v -t u1 | tr -s " \n" "\n\n" |
    python3 -c "import sys, struct
sys.stdout.buffer.write(b\"\".join(struct.pack(\"<I\", int(x)) for x in sys.stdin.read().split()))" |
    wpp-compress --symbols -o big.wpp - && wpp-runs store add --label=pass big.wpp'
wpp-suspects -j1 --all -n 0 --format=json store > here.json
ok 'by a job array' wpp-suspects --with=slurm -j4 --all -n 0 --format=json store
same 'all is the same' "$T/out" here.json
is 'no part is left behind' "$(ls -A store | grep -c parts)" 0
ok 'ranks of srun, one of which is wrong' srun --overcommit -n4 -N2 wpp-record -q --runs=ranks -- ./prog 9
is 'are grouped' "$(wpp-runs ranks ranks --format=json | python3 -c '
import json, sys
print(*[",".join(str(r["rank"]) for r in g["ranks"]) for g in json.load(sys.stdin)["groups"]])')" '0,1,3 2'
like 'as a step of a job' "$(wpp-runs ranks ranks)" '^job slurm [0-9]+\.0: 4 ranks in 2 groups'

# A part that does not come.
sqlite3 store/runs.sqlite "UPDATE process SET body = x'00112233' WHERE run = 40" 2> /dev/null &&
    fails 'a damaged run' wpp-suspects --with=slurm -j4 -q store
is 'no part is left behind there, either' "$(ls -A store | grep -c parts)" 0
done_testing
