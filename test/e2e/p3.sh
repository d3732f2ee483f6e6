# SPDX-License-Identifier: MIT
# test: slow 60
# Partitioned path profiles (wpp-p3): the union of the copies is the profile of one that counts all.
# With CHECK_ALL=yes also of bzip2.  With `full`: of bzip2 and lua5.4 with 2, 4 and 8 copies at two levels, by static and measured costs.
. "$(dirname "$0")/lib.sh"
. "$ROOT/test/real/programs.sh"

csv() { wpp-profile --paths --format=csv "$1" 2> /dev/null | sort; }
in_source() { (cd "$T/src" && "$@"); }

# exact NAME DIR UNION WHOLE: the union is exact, says so, and has the counts of DIR/0
exact() {
    csv "$3" > "$T/union.csv"
    csv "$4" > "$T/whole.csv"
    ok "$1: there are counts" test "$(wc -l < "$T/whole.csv")" -gt 20
    same "$1: the union is the profile of one program" "$T/union.csv" "$T/whole.csv"
}

# ---- A program of our own ----------------------------------------------------------------------

mkdir "$T/src"
cat > "$T/src/Makefile" <<'END'
CC = gcc
CFLAGS = -O2
prog: prog.o part.o
	$(CC) $(CFLAGS) -o $@ prog.o part.o
prog.o part.o: part.h
clean:
	rm -f prog *.o
END
cat > "$T/src/part.h" <<'END'
int choose(int i);
int stop(int i);
static __attribute__((noinline)) int bits(unsigned n)
{
    int k = 0;
    while (n) {
        k += n & 1;
        n >>= 1;
    }
    return k;
}
END
cat > "$T/src/part.c" <<'END'
#include <setjmp.h>
#include <stdlib.h>
#include "part.h"
extern jmp_buf back;
__attribute__((noinline)) int stop(int i)
{
    if (i % 50 == 49)
        longjmp(back, i);
    return i > 100000 ? abs(i) : 3;
}
int choose(int i)
{
    int s = 0;
    switch (i % 9) {
    case 0: return i & 16 ? bits(i) : 5;
    case 1: s = i & 8 ? 3 : 4; break;
    case 2: case 3: if (i > 50) return -1; break;
    case 4: for (int k = 0; k < i % 5; k++) if (k > 1) s++; else s += bits(k); break;
    case 5: s = stop(i) + (i & 32 ? 1 : 2); break;
    default: if (i > 20 && i < 30) return 9; s += 2;
    }
    if (i & 1) s += stop(2 * i) & 3;
    if (i & 2) s ^= i;
    if (i & 4) s *= 3;
    return s > 1000 ? bits(s) : s;
}
END
cat > "$T/src/prog.c" <<'END'
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include "part.h"
jmp_buf back;
static int leave(int sum)
{
    if (sum > 5)
        exit(0);
    return sum;
}
int main(int argc, char **argv)
{
    volatile int sum = 0, i = 0;
    int n = argc > 1 ? atoi(argv[1]) : 100, c;
    setjmp(back);
    while (i < n) {
        i++;
        sum += choose(i);
    }
    while ((c = getchar()) != EOF)
        sum += c == 'x' ? bits(c) : 1;
    printf("%d\n", sum);
    return argc > 2 ? atoi(argv[2]) : leave(sum);
}
END
printf 'xyzzyx\nabcx' > "$T/input"

# try NAME K OPTION...: builds, runs, compares
try() {
    local name=$1 k=$2

    shift 2
    rm -rf "$T/copies" "$T/out.prof"
    ok "$name: copies are built" in_source wpp-p3 build -k "$k" -o "$T/copies" "$@" -- make CFLAGS="$level"
    run in_source wpp-p3 run -d "$T/copies" -o "$T/out.prof" -- ./prog 1000 < "$T/input"
    is "$name: the program's output and status" "$status $(cat "$T/out")" "0 $want"
    like "$name: the copies agree" "$(cat "$T/err")" "^wpp-p3: exact: $k copies agree on [1-9]"
    exact "$name" "$T/copies" "$T/out.prof" "$T/all.prof"
}
for level in -O0 -O2; do
    rm -rf "$T/all"
    cp -r "$T/src" "$T/all"
    (cd "$T/all" && WPP_PLUGIN_ARGS=mode=paths make CC=wpp-gcc CFLAGS="$level -ffile-prefix-map=$T/all=$T/src") > /dev/null
    want=$("$T/all/prog" 1000 < "$T/input"; rm -f wpp.*.trace)
    wpp-record -q -o "$T/all.new" "$T/all/prog" 1000 < "$T/input" > /dev/null
    mv -f "$T/all.new" "$T/all.prof"
    try "$level, 2 copies, whole routines" 2
    try "$level, 4 copies, by counts" 4 "--profile=$T/all.prof"
    try "$level, 8 copies, the paper's plan" 8 --method=paper
done
try "$level, 2 copies, by counts" 2 "--profile=$T/all.prof"
is 'copies that are built anew: a plan may be given' \
    "$(in_source wpp-p3 plan -k 10 --method=paper -o "$T/ten" "$T/all/prog" 2> /dev/null; sed -n 2,3p "$T/ten" | tr '\n' ' ')" \
    'copies 10 mode paths '
rm -rf "$T/copies" "$T/out.prof"
ok 'a plan that is given' in_source wpp-p3 build -o "$T/copies" --plan="$T/ten" -- make CFLAGS=-O2
ok 'ten copies run' in_source wpp-p3 run -j 3 -d "$T/copies" -o "$T/out.prof" -- ./prog 1000 < "$T/input"
exact 'ten copies' "$T/copies" "$T/out.prof" "$T/all.prof"
is 'the sources are as they were' "$(cd "$T/src" && ls | tr '\n' ' ')" 'Makefile part.c part.h prog.c '

# ---- What is said of one copy --------------------------------------------------------------------

run in_source wpp-p3 run --keep -f -d "$T/copies" -o "$T/out.prof" -- ./prog 1000 < "$T/input"
kept=$(echo "$T"/copies/run.*)
run wpp-profile "$kept/2.prof"
is "a copy's profile lacks paths, says wpp-profile" "$status $(grep -c 'copy 2 of 10 of a partitioned profile' "$T/err")" '3 1'
like 'and wpp-info' "$(wpp-info "$kept/2.prof" 2>&1)" '^copy +2 of 10, plan [0-9a-f]{16}$'
like 'also as JSON' "$(wpp-info --format=json "$kept/2.prof" 2>&1)" \
    '"copy":\{"number":2,"copies":10,"plan":"[0-9a-f]{16}"\},'
is "the second reader reads it" "$("$BUILD/test/read-wpp" --counts "$kept/2.prof" | head -n 1)" '1 1'
fails 'copies are not summed' wpp-profile --merge -o "$T/sum.prof" "$kept/1.prof" "$kept/2.prof"
like 'but united' "$(cat "$T/err")" 'wpp-p3 merge'
ok 'merge is what run does at its end' wpp-p3 merge -d "$T/copies" -o "$T/merged.prof" "$kept"/*.prof
same 'with the same result' <(csv "$T/merged.prof") "$T/whole.csv"
ok 'runs of one copy are summed first' wpp-p3 merge -f -d "$T/copies" -o "$T/merged.prof" "$kept"/{1,2,3,4,5,6,7,8,9,10}.prof
fails_with 1 'a copy is missing' wpp-p3 merge -f -d "$T/copies" -o "$T/merged.prof" "$kept"/{1,2,3,5,6,7,8,9,10}.prof
like 'which one' "$(cat "$T/err")" 'the profile of copy 4 of 10 is missing'
fails_with 1 'a program that is no copy' wpp-p3 merge -f -d "$T/copies" -o "$T/merged.prof" "$T/all.prof"
like 'is refused' "$(cat "$T/err")" "is no copy's profile"
fails_with 1 'a folder of a copy is missing' bash -c "mv $T/copies/03 $T/03; cd $T/src && wpp-p3 run -f -d $T/copies -o $T/x.prof -- ./prog"
like 'it is named' "$(cat "$T/err")" 'copy 3 of 10 is missing'
mv "$T/03" "$T/copies/03"

# ---- What is wrong --------------------------------------------------------------------------------

head -c 300 "$T/copies/plan" > "$T/cut"
fails_with 1 'a plan that is cut short' wpp-p3 merge --plan="$T/cut" -o "$T/x.prof" "$kept/1.prof"
like 'in one line' "$(cat "$T/err")" 'cut short'
run "$WPP_GCC" -fplugin-arg-wpp-plan="$T/cut",1 -c -o "$T/x.o" "$T/src/part.c"
like 'nor does the plugin take it' "$status $(cat "$T/err")" '^1 .*cut:[0-9]+: the plan is cut short'
run "$WPP_GCC" -fplugin-arg-wpp-plan="$T/ten",11 -c -o "$T/x.o" "$T/src/part.c"
like 'a copy that the plan does not have' "$(cat "$T/err")" 'copies 1 to 10, but no copy 11'
run "$WPP_GCC" -fplugin-arg-wpp-plan="$T/ten",1 -fplugin-arg-wpp-mode=edges -c -o "$T/x.o" "$T/src/part.c"
like 'another mode than the plan' "$status $(cat "$T/err")" '^1 .*the plan is for .mode=paths'
wpp-p3 plan -k 10 -o "$T/other" "$T/all/prog" 2> /dev/null
fails_with 1 'profiles of another plan' wpp-p3 merge --plan="$T/other" -o "$T/x.prof" "$kept"/*.prof
like 'are refused' "$(cat "$T/err")" 'is of another plan'

fails_with 1 'a build that fails' in_source wpp-p3 build -k 2 -o "$T/bad" -- make nothing
like 'says where its messages are' "$(cat "$T/err")" "make failed with status 2 in $T/bad/0; see $T/bad/0.log"
fails_with 1 'a build without our compiler' in_source wpp-p3 build -f -k 2 -o "$T/bad" -- true
like 'is noticed' "$(cat "$T/err")" 'made no program with wpp-gcc'
fails_with 1 "a folder that is not ours is left alone" in_source wpp-p3 build -f -k 2 -o "$T" -- make
fails_with 1 'and copies that are there' in_source wpp-p3 build -k 2 -o "$T/copies" -- make
(cd "$T/src" && make CC=wpp-gcc > /dev/null)
fails_with 1 'sources that are built already' in_source wpp-p3 build -f -k 2 -o "$T/bad" -- make
like 'must be cleaned' "$(cat "$T/err")" 'make clean'
(cd "$T/src" && make clean > /dev/null)
fails_with 2 'no number of copies' in_source wpp-p3 build -- make
fails_with 1 'no copies' in_source wpp-p3 run -- ./prog

# ---- Changed sources: the cover holds ---------------------------------------------------------------

sed -i 's/case 1: s = i & 8 ? 3 : 4; break;/case 1: s = i \& 8 ? i \& 64 ? 7 : 3 : 4; break;/' "$T/src/part.c"
rm -rf "$T/copies"
ok 'copies of changed sources, with the old plan' \
    in_source wpp-p3 build -o "$T/copies" --plan="$T/ten" -- make CFLAGS=-O2
like 'what the plan does not know is counted in copy 1' "$(cat "$T/err")" '1 of [0-9]+ routines are not in the plan, or were others: copy 1 counts them whole'
rm -rf "$T/all"
cp -r "$T/src" "$T/all"
(cd "$T/all" && WPP_PLUGIN_ARGS=mode=paths make CC=wpp-gcc CFLAGS="-O2 -ffile-prefix-map=$T/all=$T/src") > /dev/null
wpp-record -q -o "$T/changed.prof" "$T/all/prog" 1000 < "$T/input" > /dev/null
ok 'they run' in_source wpp-p3 run -f -d "$T/copies" -o "$T/out.prof" -- ./prog 1000 < "$T/input"
exact 'changed sources' "$T/copies" "$T/out.prof" "$T/changed.prof"

# ---- Programs that do not do the same ------------------------------------------------------------------

run in_source wpp-p3 run -f -d "$T/copies" -o "$T/out.prof" -- ./prog 10 7
is "a status that is the same in all copies is run's" "$status" 7
cat > "$T/src/prog.c" <<'END'
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include "part.h"
jmp_buf back;
int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    int copy = slash ? atoi(slash - 1) : 0, n = 20, many = 0;
    if (argc > 1 && !strcmp(argv[1], "differ"))
        n += copy;
    if (argc > 1 && !strcmp(argv[1], "print"))
        printf("%d\n", copy);
    for (int i = 0; i < n; i++)
        if (bits(i) > 3)
            many++;
    if (argc > 1 && !strcmp(argv[1], "kill") && copy == 2)
        raise(SIGKILL);
    if (argc > 1 && !strcmp(argv[1], "fail") && copy == 2)
        return 3;
    return many > 100;
}
END
rm -rf "$T/copies"
ok 'copies of a program that looks which one it is' in_source wpp-p3 build -k 3 -o "$T/copies" -- make CFLAGS=-O0
run in_source wpp-p3 run -f -d "$T/copies" -o "$T/out.prof" -- ./prog
is 'as long as it does the same, all is exact' "$status" 0
run in_source wpp-p3 run -f -d "$T/copies" -o "$T/out.prof" -- ./prog differ
like 'a run that is not deterministic is noticed' "$status $(cat "$T/err")" '^3 wpp-p3: not exact: .* differ among the copies by [0-9.]+ % .* of main: '
run in_source wpp-p3 run -f -d "$T/copies" -o "$T/out.prof" -- ./prog print
like 'output that differs' "$status $(cat "$T/err")" '^3 wpp-p3: copy 2 printed something else than copy 1'
run in_source wpp-p3 run -f -d "$T/copies" -o "$T/out.prof" -- ./prog kill
like 'a copy that was killed' "$status $(cat "$T/err")" '^3 wpp-p3: copy 2 was killed by signal 9'
run in_source wpp-p3 run -f -d "$T/copies" -o "$T/out.prof" -- ./prog fail
like 'a copy that failed' "$status $(cat "$T/err")" '^3 wpp-p3: copy 2 ended with status 3, copy 1 with 0'
rm -f "$T/copies/2/prog"
run in_source wpp-p3 run -f -d "$T/copies" -o "$T/out.prof" -- ./prog
like 'a copy that does not run' "$status $(cat "$T/err")" '^1 wpp-p3: copy 2 left no profile; its status is 127'

# ---- Working folders and processes -----------------------------------------------------------------------

cat > "$T/src/prog.c" <<'END'
#include <setjmp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "part.h"
jmp_buf back;
int main(int argc, char **argv)
{
    FILE *f = fopen("result", "a");
    int n = 0;
    fprintf(f, "once\n");
    fclose(f);
    if (fork() == 0)
        n = 40;
    for (int i = 0; i < n; i++)
        argc += bits(i) > 2;
    while (wait(NULL) > 0)
        argc++;
    return 0;
}
END
rm -rf "$T/copies"
ok 'copies of a program that forks and writes a file' in_source wpp-p3 build -k 2 -o "$T/copies" -- make CFLAGS=-O2
ok 'each runs in its own folder' in_source wpp-p3 run -f --own-folders -d "$T/copies" -o "$T/out.prof" -- ./prog
is 'where it writes its files' "$(cat "$T/copies/1/result" "$T/copies/2/result" | wc -l)" 2
absent 'and not elsewhere' "$T/src/result"
is 'its processes are summed' "$(wpp-profile --routine=bits --format=csv "$T/out.prof" | grep -c ^path)" \
    "$(cd "$T" && wpp-record -q -o "$T/forks.wpp" "$T/copies/0/prog" && wpp-profile --merge -o "$T/forks.prof" "$T/forks.wpp" "$T"/forks.wpp.d/*.wpp && wpp-profile --routine=bits --format=csv "$T/forks.prof" | grep -c ^path)"
ok '{} is the folder of a copy' in_source wpp-p3 run -f -d "$T/copies" -o "$T/out.prof" -- sh -c 'cd {} && ./prog'

# ---- CMake and configure -----------------------------------------------------------------------------------

if command -v cmake > /dev/null; then
    mkdir -p "$T/cm/build"
    cp "$T/src/"*.[ch] "$T/cm"
    printf 'cmake_minimum_required(VERSION 3.10)\nproject(p C)\nadd_library(part SHARED part.c)\nadd_executable(prog prog.c)\ntarget_link_libraries(prog part)\n' > "$T/cm/CMakeLists.txt"
    sed -i 's/^jmp_buf back;//' "$T/cm/prog.c"
    sed -i 's/^extern jmp_buf back;/jmp_buf back;/' "$T/cm/part.c"
    ok 'a build with CMake, in a folder of its own' \
        bash -c "cd $T/cm/build && wpp-p3 build -s .. -k 2 -o $T/cmcopies -- sh -c 'cmake .. && make'"
    ok 'it runs, with its library' bash -c "cd $T/cm/build && wpp-p3 run -f -d $T/cmcopies -o $T/cm.prof -- ./prog"
    (cd "$T" && wpp-record -q -o "$T/cm0.wpp" "$T/cmcopies/0/build/prog")
    wpp-profile --merge -o "$T/cm0.prof" "$T/cm0.wpp" "$T"/cm0.wpp.d/*.wpp
    same 'the union' <(csv "$T/cm.prof" | cut -d , -f 1-11) <(csv "$T/cm0.prof" | cut -d , -f 1-11)
else
    skip 'CMake is not installed'
fi

# ---- Real programs ------------------------------------------------------------------------------------------

# real NAME OPT K OPTION...: of work of size small
real() {
    local name=$1 opt=$2 k=$3 files flags libraries dir=$T/real.$1
    local -a command

    shift 3
    real_prepare "$name" 2> "$T/why" && real_input "$name" small || { skip "$name: $(cat "$T/why")"; return; }
    rm -rf "$dir" "$dir.src"
    cp -a "$(real_tree "$name")" "$dir.src"
    (cd "$dir.src" && real_recipe "$name" && read -d '' -ra flags <<< "$flags"
        printf 'set -e\nfor f in %s; do echo "$f" "${f%%.*}.o"; done | xargs -n 2 -P 2 sh -c '\''gcc %s -w %s -c "$0" -o "$1"'\''\ngcc %s -o %s %s\n' \
            "$(echo $files)" "$opt" "$(printf '%q ' "${flags[@]}")" "$(for f in $files; do echo "${f%.*}.o"; done | tr '\n' ' ')" \
            "$name" "$libraries" > build.sh)
    real_command "$name" "./$name" small
    ok "$name $opt, $k copies: built" bash -c 'cd "$1" && shift && exec "$@"' - "$dir.src" \
        wpp-p3 build -k "$k" -o "$dir" "$@" -- sh build.sh
    run bash -c 'cd "$1" && shift && exec "$@"' - "$dir.src" wpp-p3 run -d "$dir" -o "$T/$name.prof" -- "${command[@]}"
    like "$name $opt, $k copies: they agree" "$status $(cat "$T/err")" '^0 wpp-p3: exact: '
    if [ ! -x "$dir/0/$name" ]; then
        mkdir "$dir/0"
        (cd "$dir.src" && PATH=$dir/bin:$PATH WPP_PLUGIN_ARGS=mode=paths sh build.sh && cp "$name" "$dir/0") 2> /dev/null
    fi
    command[0]=$dir/0/$name
    mv "$T/out" "$T/$name.out"
    wpp-record -q -o "$T/$name.all" "${command[@]}" > "$T/out"
    same "$name $opt, $k copies: the output" "$T/$name.out" "$T/out"
    exact "$name $opt, $k copies" "$dir" "$T/$name.prof" "$T/$name.all"
    rm -rf "$dir.src"
    mv "$T/$name.all" "$T/$name.counts"
    rm -f "$T/$name.prof"
}
real ncompress -O2 4 --method=paper
! check_all || real bzip2 -O2 4 --method=paper
if [ "${1-}" = full ]; then
    for name in bzip2 lua5.4; do
        for opt in -O0 -O2; do
            for k in 2 4 8; do
                real $name $opt $k
                [ ! -f "$T/$name.counts" ] || real $name $opt $k --profile="$T/$name.counts"
            done
        done
    done
fi
done_testing
