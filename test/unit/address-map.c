/* SPDX-License-Identifier: MIT */
/* The address map.  With arguments:
 *
 *      address-map --step PROGRAM ARGUMENT...   runs it instruction by instruction, and compares each step
 *                                               with the map (test/e2e/map.sh)
 *      address-map --windows WINDOW LIMIT PROGRAM ARGUMENT...   the same, WINDOW instructions here and there, LIMIT in all
 *      address-map --records FILE DEPTH PERIOD PROGRAM ARGUMENT...   the same; each PERIOD-th taken branch
 *                                               writes the last DEPTH to FILE as perf script does
 *      address-map --blocks PROGRAM             prints each block's addresses, to be compared with a
 *                                               disassembly
 *
 *      address-map --origins PROGRAM            prints where each block was before the layout
 *
 *      address-map --damage PROGRAM             maps with wrong bytes are refused, or read within bounds
 *
 * Without: finds blocks of addresses. */
#include "wpp/map/address-map.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/unit/tap.h"

/* ---- Instructions ------------------------------------------------------------------------- */

enum kind { PLAIN, CALL, RETURN, JUMP };

/* What the instruction does with control, by its first bytes. */
static enum kind kind_of(const uint8_t *p)
{
    while (*p == 0x66 || *p == 0x67 || *p == 0xf2 || *p == 0xf3 || *p == 0x2e || *p == 0x3e
           || (*p & 0xf0) == 0x40)
        p++;
    if (*p == 0xe8)
        return CALL;
    if (*p == 0xc3 || *p == 0xc2)
        return RETURN;
    if (*p == 0xeb || *p == 0xe9 || (*p & 0xf0) == 0x70 || (*p == 0x0f && (p[1] & 0xf0) == 0x80))
        return JUMP;
    if (*p == 0xff)
        return (p[1] >> 3 & 7) == 2 ? CALL : (p[1] >> 3 & 7) == 4 ? JUMP : PLAIN;
    return PLAIN;
}

/* Bytes of a jump with its target in the instruction; 0: it is another one. */
static unsigned jump_bytes(const uint8_t *p)
{
    unsigned n = 0;

    while (p[n] == 0x66 || p[n] == 0xf2 || p[n] == 0x2e || p[n] == 0x3e)
        n++;
    return p[n] == 0xeb || (p[n] & 0xf0) == 0x70 ? n + 2 : p[n] == 0xe9 ? n + 5
           : p[n] == 0x0f && (p[n + 1] & 0xf0) == 0x80 ? n + 6 : 0;
}

/* ---- Steps --------------------------------------------------------------------------------- */

enum { MOST_FOREIGN = 4096, MOST_DEPTH = 64, FREE_MICROSECONDS = 2000 };

struct stepping {
    struct address_map map;
    struct wpp_elf elf;
    uint64_t bias, low, high;          /* where its code is loaded */
    uint64_t steps, inside, moves, wrong, foreign;
    uint64_t last;                     /* address in the file of the instruction before, or 0 */
    uint64_t executed_foreign[MOST_FOREIGN];   /* addresses of code without blocks */
    uint8_t *code, *traps;             /* all of the program's code, and as many breakpoints */
    int memory;                        /* the process's */
    FILE *records;                     /* NULL: none are written */
    pid_t pid;
    uint32_t depth, period;
    uint64_t branches;
    uint64_t window, window_end, limit;        /* steps; 0: all */
    struct { uint64_t from, to; } ring[MOST_DEPTH];
};

/* Whether control can go from block a to b by arcs, passing only blocks without code. */
static bool reaches(const struct address_map *m, uint32_t a, uint32_t b, unsigned depth)
{
    const struct map_routine *r = &m->routine[m->block[a].routine];

    if (m->block[b].routine != m->block[a].routine || depth > 8)
        return false;
    for (uint32_t i = r->first_arc[m->block[a].block]; i < r->first_arc[m->block[a].block + 1]; i++) {
        uint32_t next = r->arc[i] == 1 ? MAP_NONE : r->place[r->arc[i]];
        if (next == b || (next != MAP_NONE && m->block[next].begin == m->block[next].end
                          && reaches(m, next, b, depth + 1)))
            return true;
    }
    return false;
}

/* Whether b is where its routine is entered. */
static bool is_entry(const struct address_map *m, uint32_t b)
{
    const struct map_routine *r = &m->routine[m->block[b].routine];

    return m->block[b].begin == m->block[r->place[2]].begin;
}

static const char *check_move(struct stepping *s, uint64_t from, uint64_t to, enum kind kind)
{
    const struct address_map *m = &s->map;
    uint32_t a = address_map_find(m, from), b = address_map_find(m, to);
    bool begins = b != MAP_NONE && m->block[b].begin == to;

    if (a == MAP_NONE && b == MAP_NONE)
        return NULL;
    if (a == MAP_NONE)    /* returns into the middle, a call, an exception */
        return NULL;
    if (a == b && kind == PLAIN && to - from <= 15)
        return NULL;
    s->moves++;
    if (kind == CALL)
        return !(m->block[a].flags & MAP_CALLS) ? "a call in a block without"
               : b == MAP_NONE || (begins && is_entry(m, b)) ? NULL : "a call into a routine";
    if (kind == RETURN)
        return m->block[a].flags & MAP_RETURNS ? NULL : "a return from a block without";
    if (kind == JUMP && (m->block[a].flags & MAP_TAIL_CALL) && begins && is_entry(m, b))
        return NULL;           /* of itself, too */
    if (b == MAP_NONE || m->block[a].routine != m->block[b].routine)
        return kind == JUMP && (m->block[a].flags & MAP_TAIL_CALL)
                       && (b == MAP_NONE || (begins && is_entry(m, b))) ? NULL : "leaves its routine";
    if (kind == JUMP && a == b && to - from <= 7 && (m->block[a].flags & MAP_FALLS))
        return NULL;           /* not taken, and no-operations behind it */
    if (begins && reaches(m, a, b, 0))
        return NULL;
    return a == b ? "a jump within a block" : "no edge";
}

static void note_foreign(struct stepping *s, uint64_t at)
{
    for (uint64_t i = 0; i < s->foreign; i++)
        if (s->executed_foreign[i] == at)
            return;
    if (s->foreign < MOST_FOREIGN)
        s->executed_foreign[s->foreign++] = at;
}

/* A taken branch, at its addresses in the process. */
static void record(struct stepping *s, uint64_t from, uint64_t to)
{
    uint64_t n;

    s->ring[s->branches % MOST_DEPTH].from = from;
    s->ring[s->branches++ % MOST_DEPTH].to = to;
    if (s->branches % s->period != 0)
        return;
    n = s->branches < s->depth ? s->branches : s->depth;
    fprintf(s->records, "%5d %16lx main ", (int)s->pid, (long)to);
    for (uint64_t i = 1; i <= n; i++)
        fprintf(s->records, " 0x%lx/0x%lx/P/-/-/1", (long)s->ring[(s->branches - i) % MOST_DEPTH].from,
                (long)s->ring[(s->branches - i) % MOST_DEPTH].to);
    fputs(" \n", s->records);
}

/* Some bytes of the instruction at the address, 0 behind the end of the code. */
static bool read_code(const struct stepping *s, uint64_t at, uint8_t code[16])
{
    memset(code, 0, 16);
    for (unsigned n = 8; n > 0; n--)
        if (wpp_elf_code(&s->elf, at, code, n))
            return true;
    return false;
}

/* The step to `rip` from the address in the file of the instruction before, 0: from elsewhere. */
static void record_step(struct stepping *s, uint64_t last, uint64_t rip)
{
    enum { ELSEWHERE = 0x7fff0000 };
    uint8_t code[16];

    if (!last) {
        record(s, ELSEWHERE, rip);
        return;
    }
    read_code(s, last, code);
    if (kind_of(code) != PLAIN && !(jump_bytes(code) && rip == last + s->bias + jump_bytes(code)))
        record(s, last + s->bias, rip);
}

static void step_at(struct stepping *s, uint64_t rip)
{
    bool here = rip >= s->low && rip < s->high;
    uint64_t at = here ? rip - s->bias : 0;
    const char *why = NULL;
    uint8_t code[16];

    s->steps++;
    s->inside += here;
    if (here && address_map_find(&s->map, at) == MAP_NONE)
        note_foreign(s, at);
    if (s->records && s->steps > 1)
        record_step(s, s->last, rip);
    if (s->last && read_code(s, s->last, code))
        why = check_move(s, s->last, at, kind_of(code));
    if (why && s->wrong++ < 10)
        printf("# from %#lx to %#lx: %s\n", (long)s->last, (long)at, why);
    s->last = at;
}

/* The executable part of the file in the process. */
static bool find_load(struct stepping *s, pid_t pid, const char *program)
{
    char path[64], line[4500], want[4097];
    FILE *maps;
    bool found = false;

    if (!realpath(program, want))
        return false;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    maps = fopen(path, "r");
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long low, offset;
        char rights[8], name[4097] = "";

        if (sscanf(line, "%lx-%*x %7s %lx %*s %*s %4096[^\n]", &low, rights, &offset, name) < 4
            || strcmp(name, want) || rights[2] != 'x')
            continue;
        for (uint32_t i = 0; i < s->map.n_segments && !found; i++)
            if (s->map.segment[i].offset / 4096 == offset / 4096) {
                s->bias = low + s->map.segment[i].offset - offset - s->map.segment[i].address;
                s->low = s->bias + s->map.block[0].begin;
                s->high = s->bias + s->map.block[s->map.n_blocks - 1].end;
                found = true;
            }
    }
    if (maps)
        fclose(maps);
    return found;
}

static int run_child(char **argv)
{
    personality(ADDR_NO_RANDOMIZE);
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    execv(argv[0], argv);
    return 127;
}

static bool prepare(struct stepping *s, pid_t pid)
{
    size_t size = s->high - s->low;
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    s->memory = open(path, O_RDWR | O_CLOEXEC);
    s->code = malloc(size);
    s->traps = malloc(size);
    if (s->memory < 0 || !s->code || !s->traps || pread(s->memory, s->code, size, (off_t)s->low) != (ssize_t)size)
        return false;
    memset(s->traps, 0xcc, size);
    return pwrite(s->memory, s->traps, size, (off_t)s->low) == (ssize_t)size;
}

/* Lets the program run for a while; its code is in place.  False: it has ended. */
static bool run_free(struct stepping *s, pid_t pid, int *status)
{
    int signal = 0;

    for (bool asked = false;; asked = true) {
        ptrace(PTRACE_CONT, pid, NULL, (void *)(long)signal);
        if (!asked) {
            usleep(FREE_MICROSECONDS);
            kill(pid, SIGSTOP);
        }
        if (waitpid(pid, status, 0) != pid || !WIFSTOPPED(*status))
            return false;
        if (WSTOPSIG(*status) == SIGSTOP)
            break;
        signal = WSTOPSIG(*status);
    }
    s->last = 0;
    s->window_end = s->steps + s->window;
    return true;
}

/* Whether enough has been seen of the process, which is killed then. */
static bool is_enough(const struct stepping *s, pid_t pid, int *status)
{
    if (s->limit == 0 || s->steps < s->limit)
        return false;
    kill(pid, SIGKILL);
    waitpid(pid, status, 0);
    *status = 0;
    return true;
}

/* Steps through the program's own code.  While control is elsewhere, all of that is breakpoints.  With a window it
 * runs free after so many steps, and is stopped somewhere else. */
static void follow(struct stepping *s, pid_t pid, int *status)
{
    size_t size = s->high - s->low;
    bool here = false, begun = false;

    s->window_end = s->window;
    while (WIFSTOPPED(*status) && !is_enough(s, pid, status)) {
        int signal = WSTOPSIG(*status) == SIGTRAP ? 0 : WSTOPSIG(*status);
        struct user_regs_struct regs;

        ptrace(PTRACE_GETREGS, pid, NULL, &regs);
        if (!begun) {
            begun = true;      /* stopped by exec */
        } else if (!here && !signal && regs.rip > s->low && regs.rip <= s->high) {
            regs.rip--;
            ptrace(PTRACE_SETREGS, pid, NULL, &regs);
            here = pwrite(s->memory, s->code, size, (off_t)s->low) == (ssize_t)size;
        }
        if (here)
            step_at(s, regs.rip);
        if (here && !(regs.rip >= s->low && regs.rip < s->high))
            here = pwrite(s->memory, s->traps, size, (off_t)s->low) != (ssize_t)size;
        if (here && s->window && s->steps >= s->window_end) {
            if (!run_free(s, pid, status))
                break;
            ptrace(PTRACE_GETREGS, pid, NULL, &regs);
            here = regs.rip >= s->low && regs.rip < s->high;
            if (!here)
                pwrite(s->memory, s->traps, size, (off_t)s->low);
            signal = 0;
        }
        if (ptrace(here ? PTRACE_SINGLESTEP : PTRACE_CONT, pid, NULL, (void *)(long)signal) != 0
            || waitpid(pid, status, 0) != pid)
            break;
    }
}

static int step(char **argv, struct stepping s)
{
    struct wpp_error error;
    int status;
    pid_t pid;

    if (!address_map_read(&s.map, argv[0], &error) || !wpp_elf_open(&s.elf, argv[0], &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    pid = fork();
    if (pid == 0)
        _exit(run_child(argv));
    waitpid(pid, &status, 0);
    if (!find_load(&s, pid, argv[0]))
        return fprintf(stderr, "%s is not loaded\n", argv[0]), 1;
    s.pid = pid;
    if (s.records)
        fprintf(s.records, "prog %d 0.0: PERF_RECORD_MMAP2 %d/%d: [0x%lx(0x%lx) @ 0x%lx 08:01 77 0]: r-xp %s\n", (int)pid,
                (int)pid, (int)pid, (long)(s.map.segment[0].address + s.bias), (long)s.map.segment[0].size,
                (long)s.map.segment[0].offset, argv[0]);
    if (!prepare(&s, pid))
        return fprintf(stderr, "the memory of %s cannot be changed\n", argv[0]), 1;
    follow(&s, pid, &status);
    printf("%lu steps, %lu in the program, %lu moves, %lu wrong\n", (long)s.steps, (long)s.inside,
           (long)s.moves, (long)s.wrong);
    for (uint64_t i = 0; i < s.foreign; i++)
        printf("foreign %#lx\n", (long)s.executed_foreign[i]);
    free(s.code);
    free(s.traps);
    close(s.memory);
    wpp_elf_close(&s.elf);
    address_map_free(&s.map);
    return s.wrong ? 1 : WIFEXITED(status) ? 0 : 2;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static int print_blocks(const char *program)
{
    struct address_map m;
    struct wpp_error error;

    if (!address_map_read(&m, program, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    for (uint32_t i = 0; i < m.n_blocks; i++) {
        const struct map_block *b = &m.block[i];
        const struct map_routine *r = &m.routine[b->routine];

        printf("%lx %lx %s %u %u %u", (long)b->begin, (long)b->end, r->r.name, b->block, b->flags,
               r->r.blocks[b->block].insns);
        for (uint32_t k = r->first_arc[b->block]; k < r->first_arc[b->block + 1]; k++)
            printf(" %lx", r->arc[k] == 1 ? 0L : (long)m.block[r->place[r->arc[k]]].begin);
        putchar('\n');
    }
    address_map_free(&m);
    return 0;
}

/* Where each block was before the layout, and of how many. */
static int print_origins(const char *program)
{
    struct address_map m;
    struct wpp_error error;

    if (!address_map_read(&m, program, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    for (uint32_t i = 0; i < m.n_routines; i++)
        for (uint32_t b = 2; m.routine[i].layout && b < m.routine[i].r.n_blocks; b++)
            printf("%s %u %u %u\n", m.routine[i].r.name, b, m.routine[i].origin[b], m.routine[i].layout->n_blocks);
    address_map_free(&m);
    return 0;
}

/* ---- Damage ----------------------------------------------------------------------------------- */

/* Writes the bytes to a file and reads the map; *read: it was one. */
static bool try_bytes(const uint8_t *bytes, size_t n, bool *is_map)
{
    char path[] = "/tmp/wpp-map.XXXXXX";
    int fd = mkstemp(path);
    struct address_map m;
    struct wpp_error error = {0};
    bool written = fd >= 0 && write(fd, bytes, n) == (ssize_t)n;

    *is_map = written && address_map_read(&m, path, &error);
    if (*is_map) {
        for (uint64_t a = 0; m.n_blocks && a < 64; a++)
            address_map_arrive(&m, m.block[0].begin + a);
        address_map_free(&m);
    }
    if (fd >= 0)
        close(fd);
    unlink(path);
    return written && (*is_map || error.text[0]);
}

/* A program of the test's own (test/e2e/map.sh), with bytes of its map changed. */
static int damage(const char *program)
{
    struct wpp_elf elf;
    struct wpp_error error;
    uint8_t *bytes;
    unsigned harmed = 0, refused = 0, tries = 0;
    struct stat about;
    int fd = open(program, O_RDONLY);
    bool is_map;

    if (fd < 0 || fstat(fd, &about) != 0 || !wpp_elf_open(&elf, program, &error))
        return 1;
    bytes = malloc((size_t)about.st_size);
    if (!bytes || read(fd, bytes, (size_t)about.st_size) != about.st_size)
        return 1;
    srandom(1);
    for (uint64_t i = 0; i < elf.n_sections; i++) {
        const Elf64_Shdr *s = &elf.sections[i];
        const char *name = (const char *)elf.names.data + s->sh_name;
        for (unsigned k = 0; !strncmp(name, ".wpp_", 5) && k < 150; k++) {
            uint8_t *at = bytes + s->sh_offset + (uint64_t)random() % s->sh_size, old = *at;
            *at = (uint8_t)random();
            harmed += !try_bytes(bytes, (size_t)about.st_size, &is_map);
            refused += !is_map;
            tries++;
            *at = old;
        }
    }
    wpp_elf_close(&elf);
    free(bytes);
    close(fd);
    printf("%u damaged maps, %u refused, %u without a reason\n", tries, refused, harmed);
    return harmed || tries == 0;
}

/* A map without blocks, and addresses around those of one block. */
static void test_finding(void)
{
    struct map_block block[] = {{0x10, 0x20, 0, 2, 0, MAP_NONE}, {0x20, 0x20, 0, 3, 0, MAP_NONE},
                                {0x20, 0x30, 0, 4, 0, MAP_NONE}};
    struct address_map m = {.n_blocks = 3, .block = block}, none = {0};

    tap_ok(address_map_find(&none, 0) == MAP_NONE && address_map_arrive(&none, 7) == MAP_NONE, "nothing in no map");
    tap_ok(address_map_find(&m, 0xf) == MAP_NONE && address_map_find(&m, 0x30) == MAP_NONE, "nothing around the blocks");
    tap_ok(address_map_find(&m, 0x10) == 0 && address_map_find(&m, 0x1f) == 0 && address_map_find(&m, 0x2f) == 2,
           "a block, from its first byte to its last");
    tap_ok(address_map_find(&m, 0x20) == 2 && address_map_arrive(&m, 0x20) == 1, "an empty block is passed on the way");
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "--damage"))
        return damage(argv[2]);

    if (argc > 2 && !strcmp(argv[1], "--step"))
        return step(argv + 2, (struct stepping){0});
    if (argc > 4 && !strcmp(argv[1], "--windows"))
        return step(argv + 4, (struct stepping){.window = strtoull(argv[2], NULL, 10),
                                                .limit = strtoull(argv[3], NULL, 10)});
    if (argc > 5 && !strcmp(argv[1], "--records")) {
        FILE *out = fopen(argv[2], "w");
        int status = step(argv + 5, (struct stepping){.records = out, .depth = (uint32_t)atoi(argv[3]),
                                                      .period = (uint32_t)atoi(argv[4])});
        return fclose(out) ? 1 : status;
    }
    if (argc > 2 && !strcmp(argv[1], "--blocks"))
        return print_blocks(argv[2]);
    if (argc > 2 && !strcmp(argv[1], "--origins"))
        return print_origins(argv[2]);
    test_finding();
    return tap_done();
}
