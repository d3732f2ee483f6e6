/* SPDX-License-Identifier: MIT */
/* The address map.  With arguments:
 *
 *      address-map --step PROGRAM ARGUMENT...   runs it instruction by instruction, and compares each step
 *                                               with the map (test/e2e/map.sh)
 *      address-map --blocks PROGRAM             prints each block's addresses, to be compared with a
 *                                               disassembly
 *
 * Without: maps that are broken in any way are refused or read, in bounds. */
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

/* ---- Steps --------------------------------------------------------------------------------- */

enum { MOST_FOREIGN = 4096 };

struct stepping {
    struct address_map map;
    struct wpp_elf elf;
    uint64_t bias, low, high;          /* where its code is loaded */
    uint64_t steps, inside, moves, wrong, foreign;
    uint64_t last;                     /* address in the file of the instruction before, or 0 */
    uint64_t executed_foreign[MOST_FOREIGN];   /* addresses of code without blocks */
    uint8_t *code, *traps;             /* all of the program's code, and as many breakpoints */
    int memory;                        /* the process's */
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

static void step_at(struct stepping *s, uint64_t rip)
{
    bool here = rip >= s->low && rip < s->high;
    uint64_t at = here ? rip - s->bias : 0;
    const char *why = NULL;
    uint8_t code[16] = {0};

    s->steps++;
    s->inside += here;
    if (here && address_map_find(&s->map, at) == MAP_NONE)
        note_foreign(s, at);
    if (s->last && wpp_elf_code(&s->elf, s->last, code, 8))
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

/* Steps through the program's own code.  While control is elsewhere, all of that is breakpoints. */
static void follow(struct stepping *s, pid_t pid, int *status)
{
    size_t size = s->high - s->low;
    bool here = false, begun = false;

    while (WIFSTOPPED(*status)) {
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
        if (ptrace(here ? PTRACE_SINGLESTEP : PTRACE_CONT, pid, NULL, (void *)(long)signal) != 0
            || waitpid(pid, status, 0) != pid)
            break;
    }
}

static int step(char **argv)
{
    struct stepping s = {0};
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

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "--step"))
        return step(argv + 2);
    if (argc > 2 && !strcmp(argv[1], "--blocks"))
        return print_blocks(argv[2]);
    return tap_done();
}
