# SPDX-License-Identifier: MIT
# test: slow 30
# Where a program was when a signal killed it: the place is the line that is marked in the source, and
# gdb's; the lines that were passed for certain are compared with those that the program notes itself.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
ulimit -c 0

# at FILE NAME: FILE:LINE of the comment
at() { awk -v name="/* $2 */" -v file="$1" 'index($0, name) { print file ":" FNR; exit }' "$1"; }
# died COMMAND...: records it: $status, and $said: what wpp-info says of its end
died() {
    rm -rf run.wpp run.wpp.d
    run timeout 60 wpp-record -q -o run.wpp "$@"
    said=$(wpp-info run.wpp | sed -n 's/^ended *//p')
    passed=$(wpp-info run.wpp | sed -n 's/^unfinished path *//p')
}

# ---- p->x deep in a recursion -----------------------------------------------------------------
cat > list.c <<'END_C'
#include <stdlib.h>
struct node { int x; struct node *next; };
int count;
__attribute__((noinline)) int sum(struct node *p, int depth)
{
    int s = 0;
    if (depth % 3 == 0)
        s += 1;
    else
        s += 2;
    s += p->x; /* null */
    for (int i = 0; i < 3; i++)
        count += i;
    return depth > 1000 ? s : s + sum(p->next, depth + 1);
}
int main(void)
{
    struct node *list = NULL;
    for (int i = 0; i < 100; i++) {
        struct node *n = malloc(sizeof *n);
        n->x = i;
        n->next = list;
        list = n;
    }
    return sum(list, 0) == 1;
}
END_C
cp list.c list.cc
for level in -O0 -O1 -O2 -O3; do
    for file in list.c list.cc; do
        compiler=$WPP_GCC name=sum
        [ $file = list.c ] || { compiler=$WPP_GXX; name='sum(node*, int)'; }
        sed -i 's/= malloc(sizeof \*n)/= (struct node *)malloc(sizeof *n)/' list.cc
        "$compiler" $level -g $file -o list || exit 1
        died ./list
        is "$level $file: its status" $status 139
        is "$level $file: the line" "$said" "killed by SIGSEGV at $(at $file null) in $name"
        like "$level $file: what was passed" "$passed" "^$file:([467-]+ )+\.\.\.( $(at $file null))?$"
        # Where code of lines is mixed, gdb shows the next line that begins.
        if [ $level = -O0 ] && command -v gdb > /dev/null && [ $file = list.c ]; then
            is "$level: gdb says the same" "$(WPP_OUT=none gdb -batch -nx -ex run -ex bt ./list 2>&1 |
                sed -n 's/^#0 .* at \(.*\)/\1/p')" "$(at $file null)"
        fi
    done
done
dump=$(wpp-dump run.wpp)
is 'one part of a path' "$(printf '%s\n' "$dump" | grep -c PartOfPath)" 1
like 'in the dump' "$dump" "^ +PartOfPath \[list.cc:7 .*\]  # killed by SIGSEGV at $(at list.cc null) in sum\(node\*, int\)$"
is 'the second reader' "$("$BUILD/test/read-wpp" --deaths run.wpp | cut -d' ' -f1-5,8-)" \
    "0 11 1 0x0 1 _Z3sumP4nodei $(at list.cc null) _Z3sumP4nodei"
ok 'a whole file' wpp-check --strict run.wpp
WPP_OUT=list.trace ./list 2> /dev/null
wpp-compress -q -f -o list.wpp list.trace
is 'without a recorder' "$(wpp-info list.wpp | sed -n 's/^ended *//p')" "$said"
like 'a report says it' "$(wpp-report list.wpp 2>&1)" "the run was killed by SIGSEGV at $(at list.cc null)"
WPP_OPTIONS=faults=off died ./list
like 'switched off' "$said" '^killed by SIGSEGV (in the call at or )?behind list.cc:[0-9]+ in sum'

# ---- All kinds of ends ----------------------------------------------------------------------------
cat > ends.c <<'END_C'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
volatile int zero, sink;
char *volatile nothing;
void *volatile inside;
__attribute__((noinline)) void divide(int n)
{
    if (n > 3)
        sink = 1;
    sink = 10 / zero; /* divide */
    puts("no");
}
__attribute__((noinline)) int endless(int n)
{
    volatile char room[1000];
    room[n % 1000] = (char)n;
    return endless(n + 1) + room[n % 999]; /* overflow */
}
__attribute__((noinline)) int length(const char *s)
{
    if (zero)
        sink++;
    return (int)strlen(s) + 1; /* strlen */
}
__attribute__((noinline)) int never(int *p)
{
    int n = sink > 0 ? 5 : 3;
    return *p + n; /* first */
}
static struct sigaction before;
static void recovers(int s) { (void)s; _exit(3); }
static void again(int s) { signal(s, SIG_DFL); }
static void chains(int s, siginfo_t *info, void *context) { before.sa_sigaction(s, info, context); }
static void *thread(void *x)
{
    for (int i = 0; i < 5; i++)
        sink += i;
    sink = *(int *)x; /* thread */
    return NULL;
}
static int compare(const void *a, const void *b)
{
    sink += *(const char *)a;
    return **(char *const *)b; /* callback */
}
int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    for (int i = 0; i < 10; i++)
        sink += i;
    if (!strcmp(what, "divide"))
        divide(argc);
    if (!strcmp(what, "abort"))
        abort(); /* abort */
    if (!strcmp(what, "overflow"))
        printf("%d\n", endless(1));
    if (!strcmp(what, "strlen"))
        printf("%d\n", length(nothing));
    if (!strcmp(what, "first"))
        printf("%d\n", never((int *)nothing));
    if (!strcmp(what, "trap"))
        __builtin_trap(); /* trap */
    if (!strcmp(what, "kill"))
        kill(getpid(), SIGKILL); /* kill */
    if (!strcmp(what, "itself"))
        kill(getpid(), SIGSEGV); /* itself */
    if (!strcmp(what, "recovers"))
        signal(SIGSEGV, recovers);
    if (!strcmp(what, "again"))
        signal(SIGSEGV, again);
    if (!strcmp(what, "chains")) {
        struct sigaction mine = {.sa_sigaction = chains, .sa_flags = SA_SIGINFO};
        sigaction(SIGSEGV, &mine, &before);
    }
    if (!strcmp(what, "free"))
        free(inside); /* free */
    if (!strcmp(what, "callback")) {
        char *two[2] = {0};
        qsort(two, 2, sizeof *two, compare);
    }
    if (!strcmp(what, "bus")) {
        FILE *file = tmpfile();
        inside = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
        sink = *(volatile char *)inside; /* bus */
    }
    if (!strcmp(what, "thread")) {
        pthread_t t;
        pthread_create(&t, NULL, thread, NULL);
        pthread_join(t, NULL);
    }
    if (!strcmp(what, "vfork")) {
        if (vfork() == 0)
            sink = *nothing;
        raise(SIGKILL); /* parent */
    }
    if (!strcmp(what, "child")) {
        if (fork() == 0)
            sink = *nothing; /* child */
        wait(NULL);
        return 0;
    }
    inside = argv;
    sink = *nothing; /* main */
    return 0;
}
END_C
sed -i 's/^char \*volatile nothing;/static char block[64]; &/; s/    const char \*what = .*/&\n    inside = block + 8;/' ends.c

# ends NAME STATUS SAID: $level's program
ends() {
    died ./ends $1
    is "$form $1: its status" "$status" "$2"
    is "$form $1: where" "$said" "$3"
}
# all_ends: of the program ./ends
all_ends() {
    ends '' 139 "killed by SIGSEGV at $(at ends.c main) in main"
    ends divide 136 "killed by SIGFPE at $(at ends.c divide) in divide"
    ends abort 134 "killed by SIGABRT in the call at $(at ends.c abort) in main"
    ends strlen 139 "killed by SIGSEGV in a call at $(at ends.c strlen) in length"
    ends first 139 "killed by SIGSEGV at $(at ends.c first) in never"
    ends trap 132 "killed by SIGILL at $(at ends.c trap) in main"
    ends kill 137 "killed by SIGKILL in the call at or behind $(at ends.c kill) in main"
    ends itself 139 "killed by SIGSEGV in the call at $(at ends.c itself) in main"
    ends recovers 3 'with status 3'
    is "$form recovers: nothing more is said" "$(wpp-dump run.wpp | grep killed)" ''
    ends chains 139 "killed by SIGSEGV at $(at ends.c main) in main"
    ends free 134 "killed by SIGABRT in a call at $(at ends.c free) in main"
    ends callback 139 "killed by SIGSEGV at $(at ends.c callback) in compare"
    ends bus 135 "killed by SIGBUS at $(at ends.c bus) in main"
    ends thread 139 "killed by SIGSEGV at $(at ends.c thread) in thread"
    is "$form thread: only that one" "$(wpp-dump --thread=0 run.wpp | grep -c killed)" 0
    ends vfork 137 "killed by SIGKILL in the call at or behind $(at ends.c parent) in main"
    died ./ends again
    like "$form again: known by its events alone" "$said" '^killed by SIGSEGV (in the call at or )?behind ends.c:[0-9]+ in main$'
    died ./ends overflow
    like "$form overflow" "$said" "^killed by SIGSEGV (at|in the call at|in the call at or behind) ends.c:[0-9]+ in endless$"
    died ./ends child
    is "$form child: its parent" "$status $said" '0 with status 0'
    is "$form child: itself" "$(wpp-info run.wpp.d/* | sed -n 's/^ended *//p')" \
        "killed by SIGSEGV at $(at ends.c child) in main"
}
for form in '-O0' '-O2' '-O2 -static' '-O1 -no-pie' '-O2 -gdwarf-4'; do
    "$WPP_GCC" -g $form ends.c -o ends -pthread 2> log || { cat log; exit 1; }
    all_ends
done

# ---- Less is known ------------------------------------------------------------------------------
"$WPP_GCC" -O2 ends.c -o ends -pthread 2> log
died ./ends first
is 'without -g: the routine' "$said" 'killed by SIGSEGV in never, in a line that is not known (-g tells lines)'
if "$WPP_GCC" -O2 -g -gz ends.c -o packed -pthread 2> log; then
    died ./packed first
    is 'with a packed table: the routine' "$said" 'killed by SIGSEGV in never, in a line that is not known (-g tells lines)'
fi
strip -s ends -o stripped 2> log
died ./stripped first
like 'stripped: the last event' "$said" '^killed by SIGSEGV in the call at or behind ends.c:[0-9]+ in main$'
mkfifo fifo
"$WPP_GCC" -O2 -g ends.c -o ends -pthread 2> log
wpp-compress -q -f -o fifo.wpp fifo 2> log & WPP_OUT=fifo ./ends first > /dev/null 2>&1
wait $!
is 'through a FIFO: nothing' "$(wpp-info fifo.wpp | grep -c '^ended')" 0

# ---- A library ------------------------------------------------------------------------------------
cat > lib.c <<'END_C'
int *volatile where;
int in_library(int n)
{
    if (n > 1)
        return *where; /* library */
    return 0;
}
END_C
cat > user.c <<'END_C'
int in_library(int n);
int main(int argc, char **argv) { (void)argv; return in_library(argc + 1) + 1; }
END_C
"$WPP_GCC" -O2 -g -fPIC -shared lib.c -o libdeath.so &&
    "$WPP_GCC" -O2 -g user.c -o user -L. -ldeath -Wl,-rpath,"$T"
died ./user
is 'in a traced library' "$said" "killed by SIGSEGV at $(at lib.c library) in in_library"
gcc -O2 -g -fPIC -shared lib.c -o libdeath.so
died ./user
like 'in one that is not traced' "$said" '^killed by SIGSEGV in the call at user.c:2 in main$'

# ---- Debuggers -------------------------------------------------------------------------------------
"$WPP_GCC" -O2 -g ends.c -o ends -pthread 2> log
if command -v strace > /dev/null; then
    run wpp-record -q -o run.wpp strace -f -o strace.log ./ends first
    is 'strace under wpp-record' \
        "$(wpp-dump run.wpp | grep -c "killed by SIGSEGV at $(at ends.c first) in never")" 1
    ok 'strace wrote its log' grep -q SIGSEGV strace.log
else
    skip 'no strace here'
fi
if command -v gdb > /dev/null; then
    run wpp-record -q -o run.wpp gdb -batch -nx -ex run -ex bt -ex continue --args ./ends first
    like 'gdb under wpp-record' "$(cat out)" "^#0 .* at $(at ends.c first)"
    like 'and the place is known afterwards' "$(wpp-dump run.wpp)" "killed by SIGSEGV at $(at ends.c first) in never"
else
    skip 'no gdb here'
fi

# ---- What was passed --------------------------------------------------------------------------------
# Programs of random ifs die at a random statement.  Each statement notes its line in a file.  What is
# said to have been passed is noted, but for lines of conditions, which note nothing.
cat > make.awk <<'END_AWK'
function statement(depth,  k) {
    k = int(rand() * 3)
    if (depth > 0 && k < 2) {
        print "if (n & " 2 ^ int(rand() * 6) ") {"
        block(depth - 1)
        if (k == 1) { print "} else {"; block(depth - 1) }
        print "}"
    } else if (n++ == dies)
        print "S; sink = *nothing; /* dies */"
    else
        print "S; sink += " n ";"
}
function block(depth,  i) { for (i = 0; i < 3; i++) statement(depth) }
BEGIN {
    srand(seed)
    dies = int(rand() * 14)
    print "#include <fcntl.h>\n#include <stdlib.h>\n#include <sys/mman.h>"
    # A fixed address: a pointer would be loaded early, as code of a line that is not reached.
    print "#define seen ((volatile char *)0x7000000)\n#define S seen[__LINE__] = 1"
    print "volatile int sink; int *volatile nothing;"
    print "__attribute__((noinline)) void f(int n) {"
    block(3)
    print "}"
    print "int main(int argc, char **argv) {"
    print "mmap((void *)seen, 4096, 3, MAP_SHARED | MAP_FIXED, open(argv[1], O_RDWR), 0);"
    print "f(atoi(argv[2])); return argc == 9; }"
}
END_AWK
right=0 wrong='' deaths=0 certain=0
n=12
! check_all || n=60
for ((seed = 1; seed <= n; seed++)); do
    awk -v seed=$seed -f make.awk > random.c
    "$WPP_GCC" -O$((seed % 2 * 2)) -g -w random.c -o random || exit 1
    for value in 0 63 $((seed * 37 % 64)) $((seed * 11 % 64)) $((seed * 5 % 64)); do
        head -c 4096 /dev/zero > seen
        died ./random seen $value
        [ $status = 139 ] || continue
        deaths=$((deaths + 1))
        od -An -v -t u1 -w1 seen | awk '$1 == 1 { print NR - 1 }' > noted
        # Ranges of lines become lines.
        tr ' ' '\n' <<< "$passed" | sed 's/random.c://' |
            awk -F- '/^[0-9]/ { for (l = $1; l <= ($2 ? $2 : $1); l++) print l }' |
            while read -r l; do sed -n "${l}{/^S;/p}" random.c | grep -q . && echo $l; done |
            sort -n -u > told
        certain=$((certain + $(wc -l < told)))
        if [ "$said" = "killed by SIGSEGV at $(at random.c dies) in f" ] &&
           [ -z "$(sort told | comm -23 - <(sort noted))" ]; then
            right=$((right + 1))
        else
            wrong="seed $seed, value $value: $said [$passed]"
        fi
    done
done
is "random programs: $deaths deaths, $certain lines" "$right $wrong" "$deaths "
ok 'some of them died' test $deaths -ge 12
ok 'and something was certain' test $certain -ge $((2 * deaths))

# ---- Lines are addr2line's ------------------------------------------------------------------------
if command -v addr2line > /dev/null && command -v objdump > /dev/null; then
    for version in 3 4 5; do
        "$WPP_GCC" -O2 -gdwarf-$version -g ends.c -o ends -pthread 2> log
        objdump -d ends | sed -n 's/^ *\([0-9a-f]*\):.*/\1/p' | awk 'NR % 2 == 0' > addresses
        # Names relative to the compiler's folder are that in version 4 and before.
        addr2line -e ends $(cat addresses) | sed 's/ (discriminator.*//; s/.*?.*/?/; s,.*/,,' > theirs
        "$BUILD/test/unit/line-table" ends $(cat addresses) | sed 's,.*/,,' > ours
        # Of the runtime's tables (in builds where it has some) addr2line of binutils 2.40 names other files.
        paste ours theirs | awk '/ends\.c:/ { n++; if ($1 != $2) { wrong = $0; exit } } END { print (n > 99), wrong }' > both
        is "DWARF $version: lines of $(grep -c 'ends.c' ours) addresses" "$(cat both)" '1 '
    done
else
    skip 'no addr2line here'
fi
done_testing
