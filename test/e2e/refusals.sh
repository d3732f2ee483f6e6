#!/bin/bash
# SPDX-License-Identifier: MIT
# Bad input, bad output, bad options: each tool reports the error in one line, leaves no
# incomplete file, and never crashes.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1

# ---- The driver -----------------------------------------------------------------
# Thousands of runs of small tools, on every byte of a file; a shell is too slow.
cat > sweep.c <<'END'
/* sweep flip FILE STRIDE COMMAND...
 *                                  with each STRIDE-th of the bytes of FILE changed, one at a
 *                                  time, COMMAND VARIANT says the same as of FILE, which is
 *                                  called so then; status 3, and one line on standard error.
 * sweep hurt FILE N SEED COMMAND...
 *                                  FILE damaged N times, at random: status 3, or 1 if it is no
 *                                  WPP any more, something on standard error, no crash.
 * sweep survive FILE               the same for a trace and wpp-compress, which may not
 *                                  notice: a file that it makes is one for wpp-check.
 * sweep cut FILE [OFFSET...]       wpp-compress of the trace FILE, of one thread, cut at every
 *                                  byte or at the offsets: a WPP of what is there, exactly.
 *
 * Works in an empty folder, which is the current one.  Prints what is wrong. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static int out, err;                    /* what the last command printed */
static size_t n_wrong;

static void must(int good, const char *what)
{
    if (good)
        return;
    perror(what);
    exit(2);
}

static char *text_of(int fd, size_t *size)
{
    char *text;

    *size = lseek(fd, 0, SEEK_END);
    text = calloc(*size + 1, 1);
    must(text && pread(fd, text, *size, 0) == (ssize_t)*size, "read");
    return text;
}

static void wrong(size_t at, const char *tool, int status, const char *what)
{
    size_t n;
    char *said = text_of(err, &n);

    if (n_wrong++ < 5)
        printf("byte %zu: %s: status %d: %s: %.300s\n", at, tool, status, what, said);
    free(said);
}

/* Its exit status, 128 and more for a signal. */
static int run(char **command)
{
    posix_spawn_file_actions_t actions;
    int status;
    pid_t pid;

    must(ftruncate(out, 0) == 0 && ftruncate(err, 0) == 0, "ftruncate");
    lseek(out, 0, SEEK_SET);
    lseek(err, 0, SEEK_SET);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out, 1);
    posix_spawn_file_actions_adddup2(&actions, err, 2);
    must(posix_spawnp(&pid, command[0], &actions, NULL, command, environ) == 0, command[0]);
    posix_spawn_file_actions_destroy(&actions);
    must(waitpid(pid, &status, 0) == pid, "waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int said_lines(void)
{
    size_t n;
    char *text = text_of(err, &n);
    int lines = 0;

    for (char *p = text; (p = strchr(p, '\n')); p++)
        lines++;
    free(text);
    return lines;
}

static int folder_entries(void)
{
    DIR *folder = opendir(".");
    int n = 0;

    while (readdir(folder))
        n++;
    closedir(folder);
    return n - 2;
}

static void store(const char *name, const void *data, size_t size)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    must(fd >= 0 && write(fd, data, size) == (ssize_t)size && close(fd) == 0, name);
}

static void flip(char *data, size_t size, size_t stride, char **command, int n)
{
    char *argv[16] = {NULL}, *want;
    size_t wanted;

    memcpy(argv, command, n * sizeof *argv);
    argv[n] = "variant.wpp";
    store("variant.wpp", data, size);
    must(run(argv) == 0, "the whole file");
    want = text_of(out, &wanted);
    for (size_t i = 0; i < size; i += stride) {
        char mask = i % 9 == 8 ? -1 : 1 << i % 9, *got;
        size_t printed;
        int status;

        data[i] ^= mask;
        store("variant.wpp", data, size);
        data[i] ^= mask;
        status = run(argv);
        got = text_of(out, &printed);
        if (status != 3)
            wrong(i, argv[0], status, "3 was expected");
        else if (said_lines() != 1)
            wrong(i, argv[0], status, "not one line");
        else if (printed != wanted || memcmp(got, want, wanted) != 0)
            wrong(i, argv[0], status, "says something else");
        free(got);
    }
    free(want);
}

/* Some bytes changed, a range overwritten, a piece taken out, or the end cut off.  Returns the
 * size; `data` has room for it. */
static size_t damage(char *data, size_t size)
{
    size_t at = rand() % size, n = 1 + rand() % (rand() % 2 ? size - at : 64);

    n = n > size - at ? size - at : n;
    switch (rand() % 5) {
    case 0:
        memset(data + at, rand() % 2 ? 0 : rand(), n);
        return size;
    case 1:
        memmove(data + at, data + at + n, size - at - n);
        return size - n;
    case 2:
        return at;
    }
    for (int k = 2 + rand() % 12; k > 0; k--)
        data[rand() % (rand() % 4 ? size : 432 < size ? 432 : size)] = rand();
    return size;
}

static void hurt(const char *data, size_t size, unsigned rounds, char **command, int n)
{
    char *argv[16] = {NULL}, *copy = malloc(size);

    must(copy != NULL, "malloc");
    memcpy(argv, command, n * sizeof *argv);
    argv[n] = "variant.wpp";
    for (unsigned i = 0; i < rounds; i++) {
        size_t left;
        int status;

        memcpy(copy, data, size);
        left = damage(copy, size);
        if (left == size && memcmp(copy, data, size) == 0)
            continue;
        store("variant.wpp", copy, left);
        status = run(argv);
        if (status != 3 && (status != 1 || (left > 8 && memcmp(copy, data, 8) == 0)))
            wrong(i, argv[0], status, "3 was expected");
        else if (said_lines() == 0)
            wrong(i, argv[0], status, "says nothing");
    }
    free(copy);
}

static char *const compress[] = {"wpp-compress", "-q", "cut.trace", NULL};
static char *const check[] = {"wpp-check", "cut.wpp", NULL};
static char *const dump[] = {"wpp-dump", "--tokens", "cut.wpp", NULL};

static void survive(char *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        int status, exists, checked;

        data[i] ^= 1 << i % 8;
        store("cut.trace", data, size);
        data[i] ^= 1 << i % 8;
        status = run((char **)compress);
        exists = access("cut.wpp", F_OK) == 0;
        if (status != 0 && status != 1 && status != 3)
            wrong(i, compress[0], status, "is no exit status");
        if (said_lines() != (status != 0))
            wrong(i, compress[0], status, "number of lines");
        if (exists ? status == 1 : status == 0)
            wrong(i, compress[0], status, exists ? "leaves a file" : "leaves no file");
        checked = exists ? run((char **)check) : status;
        if (exists && checked != status)
            wrong(i, check[0], checked, "but wpp-compress was of another opinion");
        unlink("cut.wpp");
        if (folder_entries() != 1)
            wrong(i, compress[0], status, "leaves other files");
    }
}

/* The tokens in the first `size` bytes of a trace; docs/trace-format.md. */
static size_t tokens_of(const char *data, size_t size, char *tokens)
{
    size_t at = 0, n = 0, bytes;

    for (; at + 64 <= size; at += bytes + (-bytes & 3)) {
        uint32_t length;
        uint16_t kind;

        memcpy(&kind, data + at + 6, sizeof kind);
        memcpy(&length, data + at + 8, sizeof length);
        bytes = length;
        at += 64;
        if (kind != 5)
            continue;
        length = at + bytes <= size ? bytes : (size - at) / 4 * 4;
        memcpy(tokens + n, data + at, length);
        n += length;
    }
    return n;
}

static void cut(const char *data, size_t size)
{
    char *want = malloc(size), *got;
    size_t n = tokens_of(data, size, want), n_got;
    uint32_t first;
    int status, usable;

    memcpy(&first, data + 8, sizeof first);
    usable = size >= 64 + first;        /* the first record is whole */
    store("cut.trace", data, size);
    status = run((char **)compress);
    if (said_lines() != 1)
        wrong(size, compress[0], status, "not one line");
    if (usable ? status != 3 : status != 3 && status != 1)
        wrong(size, compress[0], status, "another exit status was expected");
    if ((access("cut.wpp", F_OK) == 0) != usable)
        wrong(size, compress[0], status, usable ? "leaves no file" : "leaves a file");
    if (folder_entries() != 1 + usable)
        wrong(size, compress[0], status, "leaves other files");
    if (usable) {
        status = run((char **)check);
        if (status != 3 || said_lines() != 1)
            wrong(size, check[0], status, "3 and one line were expected");
        status = run((char **)dump);
        got = text_of(out, &n_got);
        if (status != 3 || said_lines() != 1)
            wrong(size, dump[0], status, "3 and one line were expected");
        if (n_got != n || memcmp(got, want, n) != 0)
            wrong(size, dump[0], status, "other tokens than were there");
        free(got);
        unlink("cut.wpp");
    }
    free(want);
}

int main(int argc, char **argv)
{
    int fd = argc > 2 ? open(argv[2], O_RDONLY | O_CLOEXEC) : -1;
    size_t size;
    char *data;

    must(fd >= 0, "the file");
    data = text_of(fd, &size);
    out = memfd_create("out", MFD_CLOEXEC);
    err = memfd_create("err", MFD_CLOEXEC);
    must(out >= 0 && err >= 0 && size > 64, "memfd_create");
    if (strcmp(argv[1], "flip") == 0)
        flip(data, size, strtoul(argv[3], NULL, 10), argv + 4, argc - 4);
    else if (strcmp(argv[1], "hurt") == 0) {
        srand(strtoul(argv[4], NULL, 10));
        hurt(data, size, strtoul(argv[3], NULL, 10), argv + 5, argc - 5);
    } else if (strcmp(argv[1], "survive") == 0)
        survive(data, size);
    else if (argc == 3)
        for (size_t n = 1; n < size; n++)
            cut(data, n);
    else
        for (int i = 3; i < argc; i++)
            cut(data, strtoul(argv[i], NULL, 10));
    printf("%zu wrong\n", n_wrong);
    return n_wrong != 0;
}
END
ok 'the driver compiles' gcc -Wall -Wextra -O1 -o sweep sweep.c

# sweeps FOLDER ARGUMENT...: one run of the driver, its output in FOLDER.log.
sweeps() {
    local folder=$1

    shift
    mkdir "$folder" && (cd "$folder" && "$T/sweep" "$@") > "$folder.log" 2>&1
    echo $? > "$folder.status"
}
swept() {
    is "$1" "$(cat "$2.status") $(cat "$2.log")" '0 0 wrong'
}

# ---- What is traced -------------------------------------------------------------
cat > tiny.c <<'END'
int main(int argc, char **argv)
{
    int s = 0;
    (void)argv;
    for (int i = 0; i < 9; i++)
        s += i % 3 ? argc : 2;
    return s > 100;
}
END
# Irregular, so that a prefix is not like another; with an argument it takes hours.
cat > busy.c <<'END'
#include <stdio.h>
static unsigned step(unsigned x) { return x & 1 ? x * 3 + 1 : x / 2; }
int main(int argc, char **argv)
{
    unsigned long turns = 0;
    unsigned end = 3000 + (argc - 1) * 1000000000u;
    (void)argv;
    for (unsigned seed = 1; seed < end; seed++)
        for (unsigned x = seed; x > 1; turns++)
            x = step(x);
    printf("%lu turns\n", turns);
    return 0;
}
END
ok 'a small program' "$WPP_GCC" -g tiny.c -o tiny
ok 'a larger program' "$WPP_GCC" -g busy.c -o busy
cp busy busy.kept
# Through a pipe: a trace of records alone, without the threads' buffers.
for name in tiny busy; do
    ok "$name is traced" bash -c 'WPP_OUT=fd:9 ./$1 9>&1 > /dev/null | cat > $1.trace' - $name
done
ok 'the small trace is compressed' wpp-compress -q tiny.trace
ok 'the larger trace is compressed' wpp-compress -q busy.trace
cp tiny.wpp tiny.kept
cp busy.wpp busy.wpp.kept
size=$(wc -c < busy.trace)

# ---- Every byte, in two lanes ---------------------------------------------------
# All tools open a file in the same way; where that is slow, one sees every byte.
stride=1 rounds=50
! check_all || rounds=150
[ "$CONFIG" = release ] || [ "$CONFIG" = debug ] || stride=5 rounds=50
(
    sweeps flip-dump flip "$T/tiny.wpp" $stride wpp-dump --tokens
    sweeps flip-check flip "$T/tiny.wpp" $stride wpp-check -q
    sweeps flip-dot flip "$T/tiny.wpp" $stride wpp-dot
) &
lane=$!
(
    sweeps cut cut "$T/tiny.trace"
    sweeps survive survive "$T/tiny.trace"
) &
lane2=$!
sweeps flip-info flip "$T/tiny.wpp" 1 wpp-info
sweeps flip-hot flip "$T/tiny.wpp" $stride wpp-hot
sweeps hurt-info hurt "$T/tiny.wpp" $((rounds * 6)) 1 wpp-info
sweeps hurt-json hurt "$T/tiny.wpp" $rounds 2 wpp-info --format=json
sweeps hurt-check hurt "$T/tiny.wpp" $rounds 3 wpp-check --strict
sweeps hurt-routines hurt "$T/tiny.wpp" $rounds 4 wpp-dump --routines
sweeps hurt-lines hurt "$T/tiny.wpp" $rounds 5 wpp-dump --line-counts
sweeps hurt-dump hurt "$T/tiny.wpp" $rounds 6 wpp-dump
sweeps hurt-hot hurt "$T/tiny.wpp" $rounds 7 wpp-hot
sweeps hurt-dot hurt "$T/tiny.wpp" $rounds 8 wpp-dot
sweeps cuts cut "$T/busy.trace" \
    $(awk -v size="$size" 'BEGIN { srand(7); for (i = 0; i < 50; i++) print 1 + int(rand() * (size - 1)) }')
wait $lane $lane2
swept 'a small trace cut at every byte' cut
swept 'a larger trace cut at 50 places' cuts
swept 'a small trace with any byte flipped' survive
for tool in info dump check hot dot; do
    swept "wpp-$tool of a WPP with any byte flipped" flip-$tool
done
for view in info json check routines lines dump hot dot; do
    swept "WPPs damaged at random: $view" hurt-$view
done

# ---- Files that are none ----------------------------------------------------------
: > empty
echo 'This is no recording of anything, only a text that is longer than a header.' > text
head -c 3 tiny.wpp > begun
mkdir folder
readers='wpp-info:wpp-dump:wpp-dump --tokens:wpp-dump --line-counts:wpp-check:wpp-hot:wpp-dot'
IFS=: read -ra tools <<< "$readers"
for tool in "${tools[@]}"; do
    for file in empty text begun tiny tiny.trace folder missing /dev/null; do
        fails "$tool $file" $tool $file
        is "$tool $file prints nothing else" "$(wc -c < out)" 0
    done
done
for file in empty text begun tiny tiny.wpp folder missing /dev/null; do
    fails "wpp-compress $file" wpp-compress -o none.wpp $file
    absent "wpp-compress $file leaves nothing" none.wpp
done
fails 'wpp-compress of nothing on standard input' bash -c 'wpp-compress -o none.wpp < /dev/null'
like 'says why' "$(cat err)" 'the trace is empty'
absent 'and leaves nothing' none.wpp
fails 'symbols that end within one' wpp-compress --symbols -o none.wpp begun
absent 'leave nothing' none.wpp
# The name once, and one that is empty.
said() {
    local want=$1

    run "${@:2}"
    is "${*:2}" "$(cat err)" "$want"
}
said 'wpp-compress: folder: cannot read it: Is a directory' wpp-compress -o none.wpp folder
said 'wpp-compress: standard input: cannot read it: Is a directory' \
    bash -c 'wpp-compress -o none.wpp < folder'
said 'wpp-compress: ``: cannot open it: No such file or directory' wpp-compress -o none.wpp ''
said 'wpp-info: cannot open ``: No such file or directory' wpp-info ''
said "wpp-dot: the output's name is empty" wpp-dot -o '' tiny.wpp
said 'wpp-config: cannot write standard output' sh -c 'wpp-config --libs >&-'
said 'wpp-config: unknown option `--lib`; see wpp-config --help' wpp-config --lib
said 'wpp-record: --signal: there is no signal `NONE` (wpp-record --help explains)' \
    wpp-record --signal=NONE ./tiny
for n in 1 64 300; do
    head -c "$n" tiny.wpp > cut.wpp
    for tool in "${tools[@]}"; do
        fails "$tool of a WPP cut at $n" $tool cut.wpp
    done
done

# ---- Programs that cannot be recorded -----------------------------------------------
fails_with 1 'a program that is not instrumented' wpp-record -o none.wpp true
like 'says what to do' "$(cat err)" 'true .*not instrumented.*wpp-gcc'
absent 'and leaves nothing' none.wpp
fails_with 7 'its exit status stays' wpp-record -o none.wpp sh -c 'exit 7'
fails_with 127 'a program that does not exist' wpp-record -o none.wpp ./missing
fails_with 126 'a program that is none' wpp-record -o none.wpp ./text
fails_with 126 'a folder' wpp-record -o none.wpp ./folder

# Outputs that would write over each other or the program, by whatever names.
printf '#!/bin/sh\ntouch ran\n' > goes
chmod +x goes
cp goes goes.before
mkdir -p sub
ln -sf ../goes sub/link
ln -f goes hard
echo before > there
ln -sf there also
for names in 'same --trace=same' 'same --trace=./same' 'same --trace=sub/../same' \
             'there --trace=also' 'sub/new --trace=./sub//new' '- --trace=-' '- --trace=/dev/stdout' \
             '/dev/fd/1 --trace=-' 'there.old --trace=there' 'there --trace=there.old' goes \
             sub/link hard 'other --trace=goes' 'other --trace=sub/link'; do
    fails_with 2 "outputs in each other's way: -o $names" wpp-record -o $names ./goes
done
fails_with 2 'the program is found in PATH' env PATH="$PWD:$PATH" wpp-record -o goes goes
fails_with 2 'a link to it, too' env PATH="$PWD/sub:$PATH" wpp-record -o goes link
cp goes goes.old
fails_with 2 'the program would be where the old file is put' wpp-record -o goes ./goes.old
wpp-record -o - --trace=to.file ./goes > to.file 2> err
is 'nor is the standard output written over' $? 2
absent 'no program has run' ran
same 'nor been written to' goes goes.before
is 'nor is anything else' "$(cat there) $(find . -name 'same*' -o -name 'new*' -o -name 'there.old')" 'before '
rm goes.old
fails_with 1 'a device takes both' wpp-record -o /dev/null --trace=/dev/null ./goes
rm ran goes hard
absent 'and leave nothing' none.wpp
# Instrumented programs of which nothing comes.  The file says why, stripped or not.
ok 'a program with the runtime that records nothing' \
    env WPP_RUNTIME=nop "$WPP_GCC" -s -o nothing busy.c
fails_with 1 'is not recorded' wpp-record -o none.wpp ./nothing
is 'the reason, and what to do' "$(cat err)" 'wpp-record: ./nothing recorded nothing: it is linked with the runtime that records nothing; link it again without WPP_RUNTIME=nop'
echo 'int helped(void) { return 3; }' > helper.c
gcc -shared -fPIC -o libhelper.so helper.c
echo 'int helped(void); int main(void) { return helped(); }' > needy.c
ok 'a program that needs a library' "$WPP_GCC" -o needy needy.c -L. -lhelper
run wpp-record -o none.wpp ./needy
is 'which is not found' $status 127
like 'is not called uninstrumented' "$(tail -n 1 err)" '/needy recorded nothing: it is instrumented, but ended before'
cp "$(command -v id)" who && chown nobody who 2> /dev/null && chmod u+s who
if [ "$(./who -u)" != "$(id -u)" ]; then
    "$WPP_GCC" -o other busy.c && chown nobody other && chmod u+s other
    fails_with 1 'a program that becomes somebody else' wpp-record -o none.wpp ./other
    like 'is called so' "$(cat err)" 'instrumented, but set-user-ID.*chmod ug-s'
else
    skip 'set-user-ID does nothing here'
fi
absent 'and leave nothing' none.wpp

# ---- The executable has changed ------------------------------------------------------
# stale NAME PATTERN: ./busy is not what was traced.
stale() {
    fails_with 1 "$1" wpp-compress -q -o stale.wpp busy.trace
    like "$1: the message" "$(cat err)" "$2"
    absent "$1: no file" stale.wpp
}
sed 's/x \* 3 + 1/x > 9 ? x * 3 + 1 : x + 1/' busy.c > other.c
ok 'it is compiled anew' "$WPP_GCC" -g other.c -o busy
stale 'an executable that was compiled anew' '/busy has changed since it was traced'
gcc -o busy busy.c
stale 'one that was compiled without wpp' '/busy has changed since it was traced'
cp text busy
stale 'one that is a text' '/busy.* (ELF|executable)'
head -c 300 busy.kept > busy
stale 'one that is cut' '/busy'
: > busy
stale 'one that is empty' '/busy'
rm busy
stale 'one that is gone' '/busy'
cp busy.kept busy
strip --remove-section=.wpp busy
stale 'one without its path table' '/busy has lost its path table'
cp busy.kept busy
ok 'the one that was traced is taken' wpp-compress -q -o stale.wpp busy.trace
same 'with the same result' stale.wpp busy.wpp

# ---- Existing files ---------------------------------------------------------------------
cp text target
fails 'wpp-compress does not overwrite' wpp-compress -o target tiny.trace
fails 'wpp-dump does not overwrite' wpp-dump -o target tiny.wpp
fails 'wpp-dot does not overwrite' wpp-dot -o target tiny.wpp
like 'and says how to' "$(cat err)" 'target exists.* -f '
same 'the file is untouched' target text
ln -s target link
fails 'nor through a link' wpp-compress -o link tiny.trace
same 'which is untouched, too' target text
fails 'nor a file that cannot be made into one' wpp-compress -f -o target tiny.wpp
same 'even by force' target text
fails 'wpp-dump -f of no WPP' wpp-dump -f -o target text
fails 'wpp-dot -f of no WPP' wpp-dot -f -o target text
fails 'wpp-record of no program' wpp-record -o target true
same 'leave it' target text
absent 'wpp-record keeps no old one of nothing' target.old
ok 'by force' wpp-compress -f -o target tiny.trace
same 'it is overwritten' target tiny.wpp
cp text target
ok 'wpp-record keeps what was there' wpp-record -o target ./tiny
same 'as an old one' target.old text
rm -f target target.old link

# The input is none of them, by whatever name.
mkdir own && cp tiny.trace own/trace && cp tiny.wpp own/wpp
ln -s trace own/trace.link && ln own/trace own/trace.hard
ln -s wpp own/wpp.link && ln own/wpp own/wpp.hard
for name in trace trace.link trace.hard; do
    fails_with 1 "wpp-compress -f -o $name: its input" wpp-compress -q -f -o own/$name own/trace
    like 'says so' "$(cat err)" 'own/trace: output and input are the same file$'
done
for name in wpp wpp.link wpp.hard; do
    fails_with 1 "wpp-dump -f -o $name: its input" wpp-dump -f -o own/$name own/wpp
    fails_with 1 "wpp-dot -f -o $name: its input" wpp-dot -f -T svg -o own/$name own/wpp
done
fails_with 1 'standard input and output' bash -c 'wpp-compress -q < own/trace >> own/trace'
fails_with 1 'standard input and -o' bash -c 'wpp-compress -q -f -o own/trace - < own/trace'
fails_with 1 'standard output by its name' bash -c 'wpp-dot -o /dev/stdout own/wpp >> own/wpp'
same 'the trace is untouched' own/trace tiny.trace
same 'the WPP, too' own/wpp tiny.wpp
rm -r own

# ---- Places where nothing can be written ---------------------------------------------------
# nowhere NAME PATH: each tool with -o says so, and the program runs all the same.
nowhere() {
    local name=$1 path=$2

    fails_with 1 "wpp-compress -o: $name" wpp-compress -f -o "$path" tiny.trace
    fails_with 1 "wpp-dump -o: $name" wpp-dump -f -o "$path" tiny.wpp
    fails_with 1 "wpp-dump --tokens -o: $name" wpp-dump --tokens -f -o "$path" busy.wpp
    fails_with 1 "wpp-dot -o: $name" wpp-dot -f -o "$path" tiny.wpp
    fails_with 1 "wpp-dot -T svg -o: $name" wpp-dot -T svg -f -o "$path" tiny.wpp
    fails_with 1 "wpp-record -o: $name" wpp-record -o "$path" ./busy
    fails_with 1 "wpp-record --trace: $name" wpp-record -o spare.wpp --trace="$path" ./busy
    rm -f spare.wpp
    WPP_OUT=$path fails_with 0 "WPP_OUT: $name" ./busy
    is "the program does its work: $name" "$(cat out)" "$turns"
    is "and has words for it: $name" "$(grep -o ': error [0-9]*' err)" ''
}
turns=$(WPP_OUT=none ./busy)
nowhere 'a folder that does not exist' missing/file
nowhere 'a file as a folder' text/file
nowhere 'a folder' folder
nowhere 'a file system that takes no files' /proc/self/none
nowhere 'a name that is too long' "$(printf '%300s' | tr ' ' x)"
ln -s loop loop
nowhere 'a link to itself' loop/file
rm loop

mounted=
trap '[ -z "$mounted" ] || umount "$mounted"; rm -rf "$T"' EXIT
mkdir small
if mount -t tmpfs -o size=64k,ro wpp-test small 2> /dev/null; then
    mounted=$T/small
    nowhere 'a read-only file system' small/file
    umount small && mounted=
else
    skip 'a read-only file system: cannot mount one here'
fi

# ---- Full disks -------------------------------------------------------------------------------
# full NAME PATH: as nowhere, but only the first write fails.
full() {
    local name=$1 path=$2

    fails_with 1 "wpp-compress -o: $name" wpp-compress -f -o "$path" tiny.trace
    fails_with 1 "wpp-dump -o: $name" wpp-dump -f -o "$path" tiny.wpp
    fails_with 1 "wpp-dump --tokens -o: $name" wpp-dump --tokens -f -o "$path" busy.wpp
    fails_with 1 "wpp-dump --line-counts -o: $name" wpp-dump --line-counts -f -o "$path" tiny.wpp
    fails_with 1 "wpp-dot -o: $name" wpp-dot -f -o "$path" tiny.wpp
    fails_with 1 "wpp-dot -T png -o: $name" wpp-dot -T png -f -o "$path" tiny.wpp
    fails_with 1 "wpp-record -o: $name" wpp-record -o "$path" ./busy
    is "the program's work is done: $name" "$(cat out)" "$turns"
    fails_with 1 "wpp-record --trace: $name" wpp-record -o spare.wpp --trace="$path" ./busy
    is "the program's work is done, too: $name" "$(cat out)" "$turns"
    ok "and the WPP is kept: $name" wpp-check -q spare.wpp
    rm -f spare.wpp
    WPP_OUT=$path fails_with 0 "WPP_OUT: $name" ./busy
    is "and its work is done: $name" "$(cat out)" "$turns"
}
if [ -c /dev/full ]; then
    full '/dev/full' /dev/full
    [ -c /dev/full ] && pass '/dev/full is still a device' || fail '/dev/full is still a device'
    for tool in "${tools[@]}"; do
        refused "$tool > /dev/full" 1 bash -c "$tool tiny.wpp > /dev/full"
    done
    refused 'wpp-compress > /dev/full' 1 bash -c 'wpp-compress -q - < tiny.trace > /dev/full'
    for tool in info dump check hot dot compress record; do
        refused "wpp-$tool --help > /dev/full" 1 bash -c "wpp-$tool --help > /dev/full"
    done
    # What fails early fails for that reason at the end.
    for view in tokens lines events; do
        run bash -c "wpp-dump --$view busy.wpp > /dev/full"
        is "wpp-dump --$view > /dev/full: why" "$(cat err)" \
            'wpp-dump: cannot write standard output: No space left on device'
        run wpp-dump --$view -f -o /dev/full busy.wpp
        is "-o" "$(cat err)" 'wpp-dump: cannot write /dev/full: No space left on device'
    done
    refused 'wpp-config > /dev/full' 1 bash -c 'wpp-config --libs > /dev/full'
else
    skip 'no /dev/full here'
fi
if mount -t tmpfs -o size=64k wpp-test small 2> /dev/null; then
    mounted=$T/small
    echo precious > small/file
    cp small/file precious
    cat /dev/zero > small/filler 2> /dev/null
    full 'a full disk' small/new
    rm -f small/new
    is 'a full disk: nothing is left' "$(ls -A small | tr '\n' ' ')" 'file filler '
    fails_with 1 'a full disk: wpp-compress -f' wpp-compress -f -o small/file busy.trace
    fails_with 1 'a full disk: wpp-record' wpp-record -o small/file ./busy
    same 'a full disk: an existing file stays as it is' small/file precious
    is 'a full disk: nothing is left besides' "$(ls -A small | tr '\n' ' ')" 'file filler '
    # It is full only in the middle of the output.
    rm small/filler
    fails_with 1 'a disk that becomes full: wpp-dump' wpp-dump -o small/new busy.wpp
    fails_with 1 'a disk that becomes full: wpp-record' \
        wpp-record -o spare.wpp --trace=small/new ./busy
    ok 'the WPP is kept' wpp-check -q spare.wpp
    is 'a disk that becomes full: nothing is left' "$(ls -A small | tr '\n' ' ')" 'file '
    rm -f spare.wpp
    WPP_OUT=small/new fails_with 0 'a disk that becomes full: the program' ./busy
    is 'does its work' "$(cat out)" "$turns"
    fails_with 3 'and its trace is compressed as far as it goes' \
        wpp-compress -q -o spare.wpp small/new
    refused 'to a WPP' 3 wpp-check spare.wpp
    rm -f spare.wpp
    umount small && mounted=
else
    skip 'a full disk: cannot mount a small one here'
fi

# ---- /dev/null ------------------------------------------------------------------------------------
before=$(stat -c '%F %t %T %i %a' /dev/null)
ok 'wpp-compress -o /dev/null' wpp-compress -o /dev/null tiny.trace
ok 'wpp-compress -f -o /dev/null' wpp-compress -f -o /dev/null tiny.trace
fails 'wpp-compress -o /dev/null of no trace' wpp-compress -f -o /dev/null text
ok 'wpp-dump -o /dev/null' wpp-dump -o /dev/null tiny.wpp
ok 'wpp-dump -f -o /dev/null' wpp-dump -f --tokens -o /dev/null tiny.wpp
ok 'wpp-dot -o /dev/null' wpp-dot -o /dev/null tiny.wpp
ok 'wpp-dot -f -T svg -o /dev/null' wpp-dot -f -T svg -o /dev/null tiny.wpp
ok 'wpp-record -o /dev/null' wpp-record -o /dev/null ./tiny
ok 'wpp-record --trace=/dev/null' wpp-record -o /dev/null --trace=/dev/null ./tiny
fails 'wpp-record -o /dev/null of no program' wpp-record -o /dev/null true
WPP_OUT=/dev/null ok 'WPP_OUT=/dev/null' ./tiny
ln -s /dev/null null
ok 'through a link' wpp-compress -f -o null tiny.trace
WPP_OUT=null ok 'the program through a link' ./tiny
is '/dev/null is what it was' "$(stat -c '%F %t %T %i %a' /dev/null)" "$before"
is 'nothing old of it is kept' "$(ls -d /dev/null?* /dev/.null* 2> /dev/null)" ''
rm null

# ---- A FIFO whose writer dies --------------------------------------------------------------------------
# tee shows when enough has gone through.
mkfifo fifo copied
WPP_OUT=fifo ./busy forever &
writer=$!
tee copy < fifo > copied &
wpp-compress -q -o killed.wpp copied > out 2> err &
reader=$!
until [ -e copy ] && [ "$(wc -c < copy)" -gt 100000 ] || ! kill -0 $writer 2> /dev/null; do
    sleep 0.02
done
{ kill -KILL $writer; wait $writer; } 2> /dev/null
wait $reader
is 'a writer that is killed: exit status and lines' "$? $(wc -l < err)" '3 1'
like 'the message' "$(cat err)" 'no end|cut short'
refused 'what it wrote is a WPP' 3 wpp-check killed.wpp
wpp-dump --tokens killed.wpp | head -c 4000 > killed.tokens
wpp-dump --tokens busy.wpp | head -c 4000 > busy.tokens
same 'with the tokens it wrote' killed.tokens busy.tokens
refused 'the same as compressed afterwards' 3 wpp-compress -q -o copy.wpp copy
same 'to the same file' copy.wpp killed.wpp
[ -p copied ] && pass 'the FIFO is still one' || fail 'the FIFO is still one'
: > fifo &
fails 'a writer that writes nothing' wpp-compress -q -o none.wpp fifo
absent 'leaves nothing' none.wpp
rm -f fifo copied copy copy.wpp killed.*

# ---- A recorder whose program is killed ------------------------------------------------------------------
run wpp-record -o killed.wpp bash -c 'kill -KILL $$'
is 'a killed program that is not instrumented' "$status $(wc -l < err)" '137 2'
absent 'leaves nothing' killed.wpp
# The recorder is killed before the program begins, and before it ends.
cat > killer.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile int n;
static void work(void) { n++; }
int main(void)
{
    pid_t recorder = getppid();

    for (int i = 0; i < 1000; i++)
        work();
    kill(recorder, SIGKILL);
    while (getppid() == recorder)
        usleep(1000);
    work();
    printf("%d turns\nstatus 0\n", n);
    return 0;
}
END
ok 'a program that kills its recorder is built' "$WPP_GCC" killer.c -o killer
for how in before during; do
    case $how in
    before) command=(sh -c 'kill -KILL $PPID; while kill -0 $PPID; do sleep 0.01; done 2> /dev/null
                            ./busy; echo status $?')
            said="$turns
status 0" ;;
    during) command=(./killer) said='1001 turns
status 0' ;;
    esac
    # The pipe ends with the last who may write to it: the program, or who goes on for the recorder.
    { wpp-record -o killed.wpp "${command[@]}" 2>&1 > out | cat > err; status=${PIPESTATUS[0]}; } 2> /dev/null
    is "a recorder that is killed $how" "$status" 137
    is "$how: its program does its work" "$(cat out)" "$said"
    # On a busy machine the second one lives long enough to have a keeper, which tells.
    if [ $how = during ] && grep -q '^wpp-record: killed; killed.wpp holds the events recorded' err; then
        sed -i '/^wpp-record: killed;/d' err
        fails_with 3 "$how: what is left is the beginning" wpp-check --strict killed.wpp
    else
        absent "$how: nothing is left" killed.wpp
    fi
    is "$how: and says one line" "$(wc -l < err)" 1
    rm -f killed.wpp
done

# ---- Options --------------------------------------------------------------------------------------------
# misused COMMAND...: exit status 2 and one line.
misused() {
    run "$@"
    if [ "$status $(wc -l < err) $(wc -c < out)" = '2 1 0' ]; then
        pass "$*"
    else
        fail "$*" "status $status, not 2, or not one line:" "$(cat err)" "$(cat out)"
    fi
}
for tool in info dump check hot dot compress record; do
    file=tiny.wpp
    [ $tool != compress ] || file=tiny.trace
    [ $tool != record ] || file=./tiny
    misused wpp-$tool --no-such-option $file
    misused wpp-$tool -Z $file
    misused wpp-$tool --hepl $file
    [ $tool = compress ] || misused wpp-$tool
done
for tool in dump hot dot; do
    misused wpp-$tool tiny.wpp busy.wpp
done
misused wpp-compress tiny.trace busy.trace
for tool in dump dot compress record; do
    misused wpp-$tool -o
    misused wpp-$tool --output
done
misused wpp-dump --range=5 tiny.wpp
misused wpp-dump --range=7:5 tiny.wpp
misused wpp-dump --range=a:b tiny.wpp
misused wpp-dump --range=--1:5 tiny.wpp
misused wpp-dump --lines --line-counts tiny.wpp
misused wpp-dump --range=1:99999999999999999999 tiny.wpp
misused wpp-dump --thread=x tiny.wpp
misused wpp-dump --range
fails_with 1 'wpp-dump --thread=9: there is one' wpp-dump --thread=9 tiny.wpp
fails_with 1 'wpp-dump --range beyond the end' wpp-dump --range=1M:2M tiny.wpp
fails_with 1 'wpp-hot --thread=9: there is one' wpp-hot --thread=9 tiny.wpp
misused wpp-info --format=xml tiny.wpp
misused wpp-dot -T gif tiny.wpp
misused wpp-dot --max-nodes=0 tiny.wpp
misused wpp-dot --max-nodes=many tiny.wpp
misused wpp-hot --min-cost=lots tiny.wpp
misused wpp-hot --min-cost=0 tiny.wpp
misused wpp-hot --min-cost=101% tiny.wpp
misused wpp-hot --min-length=20 --max-length=10 tiny.wpp
misused wpp-hot --max-length=0 tiny.wpp
misused wpp-hot --top=-3 tiny.wpp
misused wpp-hot --cost=money tiny.wpp
misused wpp-hot --algorithm=none tiny.wpp
misused wpp-hot --color=blue tiny.wpp
misused wpp
misused wpp no-such-command
misused wpp --no-such-option
misused wpp-config
misused wpp-config --no-such-option

# ---- A reader that has enough ---------------------------------------------------------------------------
for tool in 'wpp-dump' 'wpp-dump --lines' 'wpp-dump --tokens'; do
    run bash -c "set -o pipefail; $tool busy.wpp | head -c 10"
    is "$tool | head says nothing" "$(wc -c < err)" 0
    like "$tool | head ends" "$status" '^(0|141)$'
done

# ---- Nothing was changed by all this --------------------------------------------------------------------
same 'the small WPP is what it was' tiny.wpp tiny.kept
same 'the larger WPP, too' busy.wpp busy.wpp.kept
is 'no temporary files are left' "$(find . -name '*.tmp' -o -name '.*.*' -type f)" ''
is 'no file that was not asked for' "$(ls -d wpp.*.trace core* none.wpp 2> /dev/null)" ''
done_testing
