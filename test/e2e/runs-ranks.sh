#!/bin/bash
# SPDX-License-Identifier: MIT
# wpp-runs ranks: ranks of a parallel program, by the variables of its launcher; under Open MPI itself.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
if ! command -v python3 > /dev/null; then
    skip 'ranks: python3 is not installed'
    done_testing
fi

# Rank 3 is wrong: in step 7 it weighs once more.  Rank 0 prints.  `loops`: each rank goes round as often as its
# number says, so no two runs are equal.
cat > ring.c << 'CODE'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static __attribute__((noinline)) int weigh(int x) { return x & 1 ? x * 3 : x / 2; }
static __attribute__((noinline)) int exchange(int rank, int step)
{
    int sum = 0;
    for (int i = 0; i < 5; i++)
        sum += weigh(i + step);
    if (rank == 3 && step == 7)      /* line 10 */
        sum -= weigh(1);
    return sum;
}
static int rank_of(void)
{
    char *text = getenv("OMPI_COMM_WORLD_RANK");
    if (!text) text = getenv("PMIX_RANK");
    if (!text) text = getenv("SLURM_PROCID");
    return text ? atoi(text) : 0;
}
int main(int argc, char **argv)
{
    int rank = rank_of(), sum = 0, steps = argc > 1 && strcmp(argv[1], "loops") == 0 ? 20 + 2 * rank : 20;
    for (int step = 0; step < steps; step++)
        sum += exchange(rank, step);
    if (rank == 0)
        printf("done\n");
    return sum == 0;
}
CODE
ok 'a program' "$WPP_GCC" -O1 -g -o ring ring.c
unset PMIX_RANK PMIX_NAMESPACE OMPI_COMM_WORLD_RANK SLURM_PROCID SLURM_JOB_ID SLURM_STEP_ID PMI_RANK

# groups OPTION...: by, and the ranks of each group
groups() {
    wpp-runs store ranks --format=json "$@" | python3 -c '
import json, sys
x = json.load(sys.stdin)
print(x["job"], x["by"], *[",".join(str(r["rank"]) for r in g["ranks"]) for g in x["groups"]])'
}
# each VARIABLE...: runs ranks 0 to 7 with these variables, in which @ stands for the rank; then `--` and arguments
each() {
    local r variables=()

    while [ "$1" != -- ]; do variables+=("$1"); shift; done
    shift
    for r in 5 2 0 3 1 7 6 4; do
        env "${variables[@]//@/$r}" wpp-record -q --runs=store -- ./ring "$@" > /dev/null
    done
}

each PMIX_RANK=@ PMIX_NAMESPACE=one --
is 'PMIx: equal ranks are a group' "$(groups)" 'pmix one order 1,2,4,5,6,7 0 3'
each OMPI_COMM_WORLD_RANK=@ OMPI_MCA_ess_base_jobid=77 --
is "Open MPI's own variables" "$(groups)" 'openmpi 77 order 1,2,4,5,6,7 0 3'
each SLURM_PROCID=@ SLURM_JOB_ID=12 SLURM_STEP_ID=0 -- loops
is 'Slurm; where no two are equal, the set of steps tells them apart' "$(groups)" 'slurm 12.0 steps 1,2,4,5,6,7 0 3'
is 'by order each is one' "$(groups --by=order | wc -w)" 11
is 'by paths' "$(groups --by=paths 'slurm 12.0')" 'slurm 12.0 paths 1,2,4,5,6,7 0 3'
is 'another job' "$(groups 'pmix one')" 'pmix one order 1,2,4,5,6,7 0 3'
ok 'text' wpp-runs store ranks 'pmix one'
cp "$T/out" text
like 'says how many are alike' "$(cat text)" '^job pmix one: 8 ranks in 3 groups by the order of their paths$'
like 'and where the others part' "$(cat text)" 'rank 3 parts from rank 2 after 95 equal paths, in exchange at ring.c:10$'
like 'and what they did first' "$(cat text)" 'no rank of group 1 did: path [0-9]+ of exchange .*, at event 95$'
# Where wpp-diff says it, too.
of() {
    wpp-runs store list --format=json | python3 -c '
import json, sys
print([r["run"] for r in json.load(sys.stdin)["runs"] if r.get("job") == "pmix one" and r["rank"] == int(sys.argv[1])][0])' "$1"
}
wpp-runs store export "$(of 3)" -o three.wpp
wpp-runs store export "$(of 2)" -o two.wpp
wpp-diff -q three.wpp two.wpp > diff
like 'as wpp-diff does' "$(cat diff)" 'ring.c:10'

# A batch script of Slurm's has variables of a rank, but is none.
SLURM_PROCID=0 SLURM_JOB_ID=13 wpp-record -q --runs=store -- ./ring > /dev/null
is 'a batch script is no rank' "$(groups | cut -d' ' -f1-2)" 'slurm 12.0'
each PMIX_RANK=@ PMIX_NAMESPACE=one -- loops
is "a job's name that comes again: the last run of each rank" "$(groups 'pmix one' | cut -d' ' -f3)" steps
wpp-runs merged merge store
is 'ranks are merged' "$(wpp-runs merged ranks 'openmpi 77' --format=json | grep -c '"ranks"')" 3

# A store of the version before has no ranks.
if command -v sqlite3 > /dev/null; then
    wpp-record -q --runs=old -- ./ring > /dev/null
    wpp-runs old list > /dev/null
    sqlite3 old/runs.sqlite 'ALTER TABLE run DROP COLUMN job; ALTER TABLE run DROP COLUMN rank; PRAGMA user_version = 1'
    ok 'an older store is read' wpp-runs old list
    PMIX_RANK=2 PMIX_NAMESPACE=two wpp-record -q --runs=old -- ./ring > /dev/null
    is 'and gets ranks' "$(wpp-runs old ranks --format=json | grep -c '"rank": 2')" 1
fi
wpp-record -q --runs=plain -- ./ring > /dev/null
fails 'no run is a rank' wpp-runs plain ranks
fails 'no such job' wpp-runs store ranks 'pmix none'
fails_with 2 'two jobs' wpp-runs store ranks a b
fails_with 2 'no such way' wpp-runs store ranks --by=luck
fails_with 2 'a way of ranks' wpp-runs store list --by=paths

if command -v mpirun > /dev/null; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    rm -rf store
    ok 'mpirun' timeout 60 mpirun --oversubscribe -np 8 wpp-record -q --runs=store -- ./ring
    is 'its ranks: the wrong one is alone, and so is the one that prints' "$(groups | cut -d' ' -f3-)" 'order 1,2,4,5,6,7 0 3'
else
    skip 'mpirun is not installed'
fi
done_testing
