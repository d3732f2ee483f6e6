#!/bin/bash
# SPDX-License-Identifier: MIT
# test: slow 30
# wpp-p3 run --with=slurm: the copies as a job array, under Slurm's own daemons on this machine.  Nearly
# all of its time it waits for them.
. "$(dirname "$0")/lib.sh"

csv() { wpp-profile --paths --format=csv "$1" 2> /dev/null | sort; }
in_source() { (cd "$T/src" && "$@"); }

# Others must see munge's socket.
slurm=$(mktemp -d -u "${TMPDIR:-/tmp}/wpp-slurm.XXXXXX")
if ! "$ROOT/test/real/slurm" start "$slurm" 2> "$T/why"; then
    skip "Slurm: $(tail -n 1 "$T/why")"
    done_testing
fi
trap '"$ROOT/test/real/slurm" stop "$slurm"; rm -rf "$T" "$slurm"' EXIT
export SLURM_CONF=$slurm/slurm.conf

# A process and its child count, and a file is written into the folder.
mkdir "$T/src"
cat > "$T/src/prog.c" <<'END'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static __attribute__((noinline)) int bits(unsigned n)
{
    int k = 0;
    while (n) {
        k += n & 1;
        n >>= 1;
    }
    return k;
}
int main(int argc, char **argv)
{
    FILE *f = fopen("result", "a");
    int n = 10;
    fprintf(f, "once\n");
    fclose(f);
    if (fork() == 0)
        n = 40;
    for (int i = 0; i < n; i++)
        argc += bits(i) > 2 ? 1 : bits(i + 1) & 2;
    while (wait(NULL) > 0)
        argc++;
    return argc == 0;
}
END
ok 'copies are built' in_source wpp-p3 build -k 2 -o "$T/copies" -- gcc -O2 prog.c -o prog
ok 'they run here' in_source wpp-p3 run --own-folders -d "$T/copies" -o "$T/here.prof" -- ./prog
rm -f "$T"/copies/[12]/result
ok 'and as a job array' in_source \
    wpp-p3 run --own-folders --with=slurm -d "$T/copies" -o "$T/slurm.prof" -- ./prog
like 'whose copies agree' "$(cat "$T/err")" '^wpp-p3: exact: 2 copies agree'
is 'each in its own folder' "$(cat "$T"/copies/[12]/result)" $'once\nonce'
ok 'and which has counts' test "$(csv "$T/slurm.prof" | wc -l)" -gt 5
same 'the same' <(csv "$T/slurm.prof") <(csv "$T/here.prof")
run in_source wpp-p3 run -f --with=slurm -d "$T/copies" -o "$T/slurm.prof" -- false{}
like 'copies that fail' "$status $(grep ^wpp-p3 "$T/err")" \
    '^1 wpp-p3: copy 1 left no profile; its status is 127'
"$ROOT/test/real/slurm" stop "$slurm"
# sbatch tries for a minute.
if check_all; then
    run in_source timeout 90 env SLURM_CONF=/nonexistent \
        wpp-p3 run -f --with=slurm -d "$T/copies" -o "$T/slurm.prof" -- ./prog
    like 'a Slurm that cannot be' "$status $(tail -n 1 "$T/err")" \
        '^1 wpp-p3: Slurm has run no copy; sbatch ended with status 1'
fi
done_testing
