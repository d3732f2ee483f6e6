/* SPDX-License-Identifier: MIT */
/* Branch records: their text, the paths that they are parts of, and what is estimated from these.
 *
 * With arguments:  samples --text PROGRAM SAMPLES DEPTH SEED   prints samples of random walks through the
 * program's map as perf does (test/e2e/samples.sh, test/bench/samples). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test/unit/tap.h"
#include "test/unit/toy-map.h"
#include "wpp/samples/branch-text.h"
#include "wpp/samples/path-estimate.h"

/* ---- Graphs: against all paths, one by one --------------------------------------------------------- */

struct walkers {
    const struct path_graph *g;
    uint64_t n, twice, through[MOST_BLOCKS];
    bool *seen;
    bool cyclic;
};

static void walk_all(struct walkers *w, uint32_t v, uint64_t val, uint32_t depth)
{
    if (depth > MOST_BLOCKS) {
        w->cyclic = true;
        return;
    }
    w->through[v]++;
    if (v == 1) {
        w->n++;
        if (val < w->g->num_paths && !w->seen[val])
            w->seen[val] = true;
        else
            w->twice++;
        return;
    }
    for (uint32_t i = w->g->first[v]; i < w->g->first[v + 1]; i++)
        walk_all(w, w->g->edge[i].dst, val + w->g->edge[i].val, depth + 1);
}

static void test_graphs(bool regions, uint64_t limit)
{
    unsigned wrong = 0, tries = 400;
    uint64_t paths = 0;

    for (unsigned i = 0; i < tries; i++) {
        struct path_rules rules = {limit, regions};
        struct wpp_arena arena = {0};
        struct path_graph g;
        struct toy t;
        struct walkers w = {.g = &g};

        random_toy(&t);
        wrong += !path_graph_new(&g, &t.routine, &rules, &arena);
        w.seen = calloc(g.num_paths + 1, 1);
        walk_all(&w, 0, 0, 0);
        wrong += w.cyclic || w.twice || w.n != g.num_paths;
        for (uint32_t v = 2; v < g.n_vertices; v++)
            wrong += (double)w.through[v] != g.from_entry[v] || (limit < 100 && g.to_exit[v] > (double)limit
                     && g.first[v + 1] - g.first[v] <= limit);
        paths += w.n;
        free(w.seen);
        wpp_arena_free(&arena);
    }
    tap_ok(wrong == 0 && paths > tries, "%sgraphs, limit %lu: %lu paths have numbers of their own",
           regions ? "regions' " : "", (long)limit, (long)paths);
}

/* ---- The paper's Table 1 ------------------------------------------------------------------------------ */

/* Figure 3: A to B F; B to C D, C and D to E, E to B P; F to G H, these to I, I to J K, these to L, L to M N,
 * these to O, O to P.  With regions the paths through A .. O are one region's. */
static const char *const figure3[] = {
    "BF", "CD", "E", "E", "BP", "GH", "I", "I", "JK", "L", "L", "MN", "O", "O", "P", "."
};

static bool add_part(struct path_graphs *graphs, struct partial_paths *found, const char *text, uint64_t count)
{
    const struct path_graph *g = path_graphs_of(graphs, 0);
    uint32_t edge[MOST_BLOCKS * 2], n = 0;

    for (const char *p = text; p[1]; p++)
        edge[n++] = path_graph_edge(g, (uint32_t)(*p - 'A' + 2), (uint32_t)(p[1] - 'A' + 2));
    return partial_paths_add(found, &(struct partial_path){.vertex = (uint32_t)(*text - 'A' + 2), .n = n,
                                                           .edge = edge, .count = count});
}

/* The estimate of the path of these blocks. */
static double estimate_of(struct path_graphs *graphs, const struct path_estimates *e, const char *text)
{
    const struct path_graph *g = path_graphs_of(graphs, 0);
    uint32_t first = (uint32_t)(*text - 'A' + 2), at;
    uint64_t val = g->start[first] == PATH_NONE ? 0 : g->edge[g->start[first]].val;

    for (const char *p = text; *p; p++) {
        at = (uint32_t)(*p - 'A' + 2);
        for (uint32_t i = g->first[at]; i < g->first[at + 1]; i++)
            if (p[1] ? g->edge[i].dst == (uint32_t)(p[1] - 'A' + 2) : g->edge[i].dst == 1) {
                val += g->edge[i].val;
                break;
            }
    }
    for (uint64_t i = 0; i < e->n; i++)
        if (e->path[i].path == val)
            return e->path[i].count;
    return 0;
}

static void test_table_1(void)
{
    static const struct { const char *path; double count; } want[] = {
        {"AFGIJLMO", 250}, {"AFGIJLNO", 150}, {"AFHIJLMO", 100}, {"AFGIKLMO", 50}, {"AFHIKLMO", 50}
    };
    struct path_rules rules = {4096, true};
    struct partial_paths found = {0};
    struct path_estimates e;
    struct path_graphs graphs;
    unsigned right = 0;
    struct toy *t = malloc(sizeof *t);

    make_toy(t, 18, figure3);
    path_graphs_new(&graphs, &t->map, rules);
    add_part(&graphs, &found, "IJLMO", 100);
    add_part(&graphs, &found, "AFGIJ", 300);
    add_part(&graphs, &found, "LMO", 200);
    path_estimates_new(&e, &found, &graphs, ESTIMATE_EQUAL);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        right += fabs(estimate_of(&graphs, &e, want[i].path) - want[i].count) < 1e-6;
    tap_ok(right == 5, "the paper's Table 1: %u of 5 sums", right);
    path_estimates_free(&e);
    partial_paths_free(&found);
    path_graphs_free(&graphs);
    free(t);
}

/* ---- Walks ------------------------------------------------------------------------------------------ */

/* A random walk from the entry to the end, as the blocks that it passes. */
static uint32_t walk(const struct toy *t, uint32_t *block, uint32_t most)
{
    uint32_t n = 0, at = 2;

    while (at != 1 && n < most) {
        uint32_t first = t->first[at], k = t->first[at + 1] - first;
        block[n++] = at;
        at = t->arc[first + (uint32_t)(random() % k)];
    }
    return at == 1 ? n : 0;
}

/* Adds the walk's paths as a run would execute them, to be compared. */
static void add_walk(struct path_graphs *graphs, struct partial_paths *to, const uint32_t *block, uint32_t n)
{
    struct block_trail t = {.graphs = graphs, .found = to};

    block_trail_call(&t, 0);
    for (uint32_t i = 1; i < n; i++)
        block_trail_go(&t, block[i]);
    block_trail_leave(&t);
    block_trail_free(&t);
}

/* The walk's taken branches: from a caller outside, jumps, and the return. */
static size_t records_of(const struct toy *t, const uint32_t *block, uint32_t n, struct branch_record *out)
{
    const struct map_block *b = t->block;
    size_t k = 0;

    out[k++] = (struct branch_record){0, b[0].begin};
    for (uint32_t i = 1; i < n; i++)
        if (block[i] != block[i - 1] + 1)
            out[k++] = (struct branch_record){b[block[i - 1] - 2].end - 2, b[block[i] - 2].begin};
    out[k++] = (struct branch_record){b[block[n - 1] - 2].end - 2, 0};
    return k;
}

static bool same_estimates(const struct path_estimates *a, const struct path_estimates *b, double by)
{
    bool same = a->n == b->n;

    for (uint64_t i = 0; same && i < a->n; i++)
        same = a->path[i].path == b->path[i].path && fabs(a->path[i].count - b->path[i].count) <= by;
    return same;
}

/* Samples that hold a whole walk say all its paths: each estimate is the truth then. */
static void test_whole(enum estimate_how how, const char *name)
{
    enum { WALKS = 60, LONGEST = 60 };
    unsigned wrong = 0, compared = 0;

    for (unsigned i = 0; i < 100; i++) {
        struct toy *t = malloc(sizeof *t);
        struct partial_paths truth = {0}, seen = {0};
        struct records_figures figures = {0};
        struct path_graphs graphs;
        struct path_estimates a, b;

        random_toy(t);
        path_graphs_new(&graphs, &t->map, (struct path_rules){4096, false});
        struct block_trail trail = {.graphs = &graphs, .found = &seen};
        for (unsigned k = 0; k < WALKS; k++) {
            struct branch_record record[LONGEST + 2];
            uint32_t block[LONGEST], n = walk(t, block, LONGEST);
            if (n == 0)
                continue;
            add_walk(&graphs, &truth, block, n);
            records_follow(&trail, record, records_of(t, block, n, record), 0, &figures);
        }
        path_estimates_new(&a, &truth, &graphs, ESTIMATE_WHOLE);
        path_estimates_new(&b, &seen, &graphs, how);
        wrong += !same_estimates(&a, &b, 1e-6) || figures.impossible_runs || figures.impossible_jumps;
        compared += a.n > 1;
        block_trail_free(&trail);
        path_estimates_free(&a);
        path_estimates_free(&b);
        partial_paths_free(&truth);
        partial_paths_free(&seen);
        path_graphs_free(&graphs);
        free(t);
    }
    tap_ok(wrong == 0 && compared > 50, "%s: what is seen whole is exact (%u graphs wrong)", name, wrong);
}

/* Begins of paths and ends of paths, seen apart: the only counts that explain both. */
static void test_correlated(void)
{
    static const char *const arcs[] = {"BC", "D", "D", "EF", "G", "G", "."};
    struct partial_paths found = {0};
    struct path_estimates e;
    struct path_graphs graphs;
    struct toy *t = malloc(sizeof *t);

    make_toy(t, 9, arcs);
    path_graphs_new(&graphs, &t->map, (struct path_rules){4096, false});
    const struct path_graph *g = path_graphs_of(&graphs, 0);
    uint32_t whole[] = {0, path_graph_edge(g, 2, 3), path_graph_edge(g, 3, 5), path_graph_edge(g, 5, 6)};
    uint32_t other[] = {0, path_graph_edge(g, 2, 4), path_graph_edge(g, 4, 5), path_graph_edge(g, 5, 7)};
    uint32_t end1[] = {path_graph_edge(g, 5, 6), path_graph_edge(g, 6, 8), path_graph_edge(g, 8, 1)};
    uint32_t end2[] = {path_graph_edge(g, 5, 7), path_graph_edge(g, 7, 8), path_graph_edge(g, 8, 1)};
    partial_paths_add(&found, &(struct partial_path){.age = 3, .n = 4, .edge = whole, .count = 600});
    partial_paths_add(&found, &(struct partial_path){.age = 3, .n = 4, .edge = other, .count = 400});
    partial_paths_add(&found, &(struct partial_path){.vertex = 5, .age = 3, .n = 3, .edge = end1, .count = 600});
    partial_paths_add(&found, &(struct partial_path){.vertex = 5, .age = 3, .n = 3, .edge = end2, .count = 400});
    path_estimates_new(&e, &found, &graphs, ESTIMATE_FLOW);
    double abdeg = estimate_of(&graphs, &e, "ABDEG"), acdfg = estimate_of(&graphs, &e, "ACDFG");
    double abdfg = estimate_of(&graphs, &e, "ABDFG"), acdeg = estimate_of(&graphs, &e, "ACDEG");
    tap_ok(fabs(abdeg - 600) < 1 && fabs(acdfg - 400) < 1 && abdfg < 1 && acdeg < 1,
           "flow: branches that go together: %.1f %.1f, and %.1f %.1f", abdeg, acdfg, abdfg, acdeg);
    path_estimates_free(&e);
    partial_paths_free(&found);
    path_graphs_free(&graphs);
    free(t);
}

/* The kernel interrupts the second of three blocks that control falls through: the path goes on. */
static void test_interrupt(void)
{
    static const char *const arcs[] = {"B", "C", "."};
    struct branch_record record[] = {{0, 0x1000}, {RECORD_KERNEL, 0x1014}, {0x102e, 0}};
    struct partial_paths found = {0};
    struct records_figures figures = {0};
    struct path_estimates e;
    struct path_graphs graphs;
    struct toy *t = malloc(sizeof *t);

    make_toy(t, 5, arcs);
    path_graphs_new(&graphs, &t->map, (struct path_rules){4096, false});
    struct block_trail trail = {.graphs = &graphs, .found = &found};
    records_follow(&trail, record, 3, 0, &figures);
    path_estimates_new(&e, &found, &graphs, ESTIMATE_WHOLE);
    tap_ok(figures.interrupts == 1 && !figures.impossible_runs && !figures.impossible_jumps && e.n == 1
           && e.path[0].count == 1, "a path that the kernel interrupts is seen whole");
    block_trail_free(&trail);
    path_estimates_free(&e);
    partial_paths_free(&found);
    path_graphs_free(&graphs);
    free(t);
}

/* A loop of 1,000 turns, entered once: windows that begin with the end of a turn are of a turn, not of the entry. */
static void test_ages(void)
{
    enum { TURNS = 1000, DEPTH = 4 };
    static const char *const arcs[] = {"C", "BD", "B", "."};      /* the entry is seen whole in a sample, too */
    struct branch_record record[TURNS + 4];
    struct partial_paths found = {0};
    struct records_figures figures = {0};
    struct path_estimates e;
    struct path_graphs graphs;
    struct toy *t = malloc(sizeof *t);
    double sum = 0;
    uint32_t block[TURNS + 3] = {2, 4};
    size_t n;

    make_toy(t, 6, arcs);
    path_graphs_new(&graphs, &t->map, (struct path_rules){4096, false});
    struct block_trail trail = {.graphs = &graphs, .found = &found};
    for (uint32_t i = 0; i < TURNS; i++)
        block[i + 2] = 3;
    block[TURNS + 2] = 5;
    n = records_of(t, block, TURNS + 3, record);
    for (size_t i = 0; i + DEPTH <= n; i += 3)
        records_follow(&trail, record + i, DEPTH, 0, &figures);
    path_estimates_new(&e, &found, &graphs, ESTIMATE_FLOW);
    for (uint64_t i = 0; i < e.n; i++)
        sum += e.path[i].count;
    tap_ok(e.n >= 2 && estimate_of(&graphs, &e, "B") > 0.998 * sum, "flow: a loop's turns are not taken for its entry: %.1f of %.1f",
           estimate_of(&graphs, &e, "B"), sum);
    block_trail_free(&trail);
    path_estimates_free(&e);
    partial_paths_free(&found);
    path_graphs_free(&graphs);
    free(t);
}

/* ---- Text ---------------------------------------------------------------------------------------------- */

struct text_case {
    const char *name, *text;
    size_t n;                  /* of the last sample */
    uint32_t pid;
    uint64_t ip, from, to;     /* from, to: of its newest record */
};

#define LOADED "prog 7 0.0: PERF_RECORD_MMAP2 7/7: [0x555500001000(0x2000) @ 0x1000 08:01 77 0]: r-xp /bin/prog\n"

/* As perf's print_bstack_flags() and its neighbours print: FROM/TO/EVENT/INTX/ABORT/CYCLES[/TYPE[/SPEC]]. */
static const struct text_case cases[] = {
    {"pid,ip,sym,brstack", "  4711            55d0c main  0x1010/0x1020/P/-/-/3  0x1000/0x1008/M/-/-/0 \n", 2, 4711, 0x55d0c,
     0x1010, 0x1020},
    {"a symbol of hexadecimal digits", " 7 55d0a add 0x1/0x2/-/-/-/0\n", 1, 7, 0x55d0a, 1, 2},
    /* Intel: LBR of Skylake (cycles, transactions), of Arrow Lake (types), and as an older perf prints it. */
    {"Intel, perf 5.10", "  4711      55d0c main  0x1010/0x1020/M/-/-/12  0x1000/0x1008/P/X/A/0 \n", 2, 4711, 0x55d0c, 0x1010, 0x1020},
    {"Intel, perf 6.0: types", " 7 55d0a main 0x1010/0x1020/P/-/-/1/COND  0x1/0x2/M/X/A/0/CALL \n", 2, 7, 0x55d0a, 0x1010, 0x1020},
    {"Intel, perf 6.1: types, no speculation", " 7 55d0a main  0x1010/0x1020/P/-/-/1/COND_CALL/-  0x1/0x2/M/X/A/0/IND_CALL/- \n", 2,
     7, 0x55d0a, 0x1010, 0x1020},
    {"Intel, perf 6.13: branch counters", "# Branch counter abbr list:\n# branch-instructions:ppp = A\n# '-' No event occurs\n"
     " 7 55d0a main  0x1010/0x1020/P/-/-/1/RET/- \n", 1, 7, 0x55d0a, 0x1010, 0x1020},
    /* AMD: BRS of Zen 3 has neither predictions nor cycles; LbrExtV2 of Zen 4 and 5 tells of speculation. */
    {"AMD BRS, perf 5.19", " 7 55d0a main  0x1010/0x1020/-/-/-/0  0x1/0x2/-/-/-/0 \n", 2, 7, 0x55d0a, 0x1010, 0x1020},
    {"AMD BRS, perf 6.1", " 7 55d0a main  0x1010/0x1020/-/-/-/0/-/- \n", 1, 7, 0x55d0a, 0x1010, 0x1020},
    {"AMD LbrExtV2, perf 6.1", " 7 55d0a main  0x1010/0x1020/P/-/-/0/COND/NON_SPEC_CORRECT_PATH  0x1/0x2/M/-/-/0/RET/SPEC_CORRECT_PATH \n",
     2, 7, 0x55d0a, 0x1010, 0x1020},
    {"AMD LbrExtV2: speculated in vain", " 7 55d0a main  0x1018/0x1028/P/-/-/0/COND/SPEC_WRONG_PATH  0x1010/0x1020/P/-/-/0/COND/SPEC_CORRECT_PATH \n",
     1, 7, 0x55d0a, 0x1010, 0x1020},
    /* Arm's BRBE and SPE, by perf 6.14: two letters, empty types. */
    {"Arm, perf 6.14", "  7 55d0a main  0x1018/0x101c/PN/-/-/11/COND/-  0x1010/0x1020/M/-/-/4//-  0x1014/0x1018/MN/-/-/8/COND/- \n", 1, 7,
     0x55d0a, 0x1010, 0x1020},
    {"comm, pid/tid, cpu, time, period, event, dso", "my 3 prog 12/13 [001] 88.123: 100003 br_inst_retired.near_taken:u: 55d0a main (/b/prog)"
     " 0x1010(/b/prog)/0x7f00(/lib/x.so)/P/-/-/3\n", 1, 12, 0x55d0a, 0x1010, 0},
    {"dso with blanks, dsoff", " 7 55d0a main (/b c/prog+0x55d0a)  0x1010(/b c/prog+0x1010)/0x1020(/b c/prog+0x1020)/P/-/-/3/COND/- \n", 1, 7,
     0x55d0a, 0x1010, 0x1020},
    {"a call chain", "prog 7 \n\t  401136 main (/b/prog)\n\t  401140 _start (/b/prog)\n  0x1010/0x1020/P/-/-/3/COND/- \n", 1, 7, 0,
     0x1010, 0x1020},
    {"symbols", " 7 55d0a main toy+0x10/toy+0x20/P/-/-/3 [unknown]/toy+0x0/P/-/-/3\n", 2, 7, 0x55d0a, 0x1010, 0x1020},
    {"symbols of C++", " 7 55d0a main toy+0x10/toy+0x20/P/-/-/3/-/- f(int, A const&)+0x3/g<int, 3>(B)+0x1/P/-/-/3/-/-\n", 2, 7, 0x55d0a, 0x1010,
     0x1020},
    {"returns from the kernel", " 7 55d0a main  0x1010/0x1020/P/-/-/1/COND/-  0xffffffff81a00f50/0x1008/-/-/-/0/-/- \n", 2, 7, 0x55d0a, 0x1010,
     0x1020},
    {"loaded elsewhere", "prog 7 0.0: PERF_RECORD_MMAP2 7/7: [0x555500001000(0x2000) @ 0x1000 08:01 77 0]: r-xp /bin/prog\n"
     "libc 7 0.0: PERF_RECORD_MMAP2 7/7: [0x555500004000(0x2000) @ 0x1000 08:01 78 0]: r-xp /bin/libc\n"
     "7 555500001040 main 0x555500001010/0x555500001020/P/-/-/3 0x555500004010/0x555500001020/P/-/-/3\n", 2, 7, 0x1040, 0x1010, 0x1020},
    {"with a build id, offset 0", "PERF_RECORD_MMAP2 7/7: [0x555500000000(0x3000) @ 0 <0a1b2c3d4e5f60718293a4b5c6d7e8f901234567>]: r-xp /bin/prog\n"
     "7 555500001040 main 0x555500001010/0x555500001020/P/-/-/3\n", 1, 7, 0x1040, 0x1010, 0x1020},
    {"of a forked process", LOADED "prog 7 1.0: PERF_RECORD_FORK(9:9):(7:7)\n"
     "9 555500001040 main 0x555500001010/0x555500001020/P/-/-/3\n", 1, 9, 0x1040, 0x1010, 0x1020},
    {"of a forked process, without events of tasks", LOADED "9 555500001040 main 0x555500001010/0x555500001020/P/-/-/3\n", 1, 9, 0x1040,
     0x1010, 0x1020},
    {"of a process that executes another program", LOADED "prog 7 1.0: PERF_RECORD_FORK(9:9):(7:7)\nls 9 2.0: PERF_RECORD_COMM exec: ls:9/9\n"
     "9 555500001040 main 0x555500001010/0x555500001020/P/-/-/3\n", 1, 9, 0, 0, 0},
    {"of another process", LOADED "ls 7 1.0: PERF_RECORD_FORK(9:9):(3:3)\n9 555500001040 main 0x555500001010/0x555500001020/P/-/-/3\n", 1, 9,
     0, 0, 0},
    {"no last newline, carriage return", "7 55d0a main 0x1010/0x1020/P/-/-/3\r\n7 55d0b f 0x1011/0x1022/P/-/-/3", 1, 7, 0x55d0b,
     0x1011, 0x1022},
};

static int open_text(const char *text, size_t n)
{
    FILE *f = tmpfile();
    int fd;

    if (!f || fwrite(text, 1, n, f) != n || fflush(f) || lseek(fileno(f), 0, SEEK_SET) != 0)
        return -1;
    fd = dup(fileno(f));
    fclose(f);
    return fd;
}

static void test_text(void)
{
    static const char *const arcs[] = {"B", "."};
    static struct wpp_elf_segment segment = {0x1000, 0x1000, 0x2000};
    struct branch_text *text = malloc(sizeof *text);
    struct wpp_error error;
    struct toy *t = malloc(sizeof *t);

    make_toy(t, 4, arcs);
    t->map.segment = &segment;
    t->map.n_segments = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct text_case *c = &cases[i];
        int fd = open_text(c->text, strlen(c->text)), more, samples = 0;
        struct branch_text last = {0};

        branch_text_open(text, fd, &t->map, "/some/where/prog", &error);
        while ((more = branch_text_next(text, &error)) > 0) {
            samples++;
            last = *text;
        }
        tap_ok(more == 0 && samples > 0 && last.n == c->n && last.pid == c->pid && last.ip == c->ip
                   && last.record[last.n - 1].from == c->from && last.record[last.n - 1].to == c->to,
               "text: %s", c->name);
        branch_text_close(text);
        close(fd);
    }
    free(text);
    free(t);
}

/* Any bytes are read without harm, and in the end. */
static void test_garbage(void)
{
    static const char piece[][24] = {"0x", "/", "0x1010/0x1020/P/-/-/1", " ", "\n", "(", ")", "+0x", "PERF_RECORD_MMAP2 ", "[0x",
                                     "@ ", "]: r-xp ", "prog", "7", "N", "\xff", "0x10", ": "};
    static const char *const arcs[] = {"B", "."};
    struct branch_text *text = malloc(sizeof *text);
    struct wpp_error error;
    struct toy *t = malloc(sizeof *t);
    unsigned ends = 0, tries = 300;

    make_toy(t, 4, arcs);
    for (unsigned i = 0; i < tries; i++) {
        char bytes[2000] = "";
        size_t n = 0, k = (size_t)(random() % 80);
        int fd, more;

        for (; k > 0; k--)
            n += (size_t)sprintf(bytes + n, "%s", piece[(size_t)random() % (sizeof piece / sizeof *piece)]);
        fd = open_text(bytes, n);
        branch_text_open(text, fd, &t->map, "prog", &error);
        while ((more = branch_text_next(text, &error)) > 0)
            ;
        ends += more == 0;
        branch_text_close(text);
        close(fd);
    }
    tap_ok(ends == tries, "text: %u pieces of anything are read to their ends", tries);
    free(text);
    free(t);
}

/* ---- Samples of a program that is only mapped ------------------------------------------------------------ */

/* Prints samples of random walks, as the arcs allow. */
static int print_text(char **argv)
{
    struct address_map m;
    struct wpp_error error;
    uint64_t samples = strtoull(argv[1], NULL, 10), seed = strtoull(argv[3], NULL, 10);
    uint32_t depth = (uint32_t)atoi(argv[2]);

    if (!address_map_read(&m, argv[0], &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    srandom((unsigned)seed);
    for (uint64_t i = 0; i < samples; i++) {
        struct branch_record record[BRANCH_TEXT_MOST];
        uint32_t n = 0, at = (uint32_t)random() % m.n_blocks, tries = 0;

        while (n < depth && tries++ < 1000) {
            const struct map_routine *r = &m.routine[m.block[at].routine];
            uint32_t b = m.block[at].block, k = r->first_arc[b + 1] - r->first_arc[b], to;
            uint32_t next = k ? r->arc[r->first_arc[b] + (uint32_t)random() % k] : 1;

            to = next == 1 ? (uint32_t)random() % m.n_blocks : r->place[next];
            if (to == MAP_NONE || next == 1) {
                at = m.routine[m.block[(uint32_t)random() % m.n_blocks].routine].place[2];
                n = 0;
                continue;
            }
            if (to != m.block[at].next)
                record[n++] = (struct branch_record){m.block[at].end - 1, m.block[to].begin};
            at = to;
        }
        printf("%5u %16lx %s ", 4711, (long)m.block[at].begin, m.routine[m.block[at].routine].r.name);
        while (n-- > 0)
            printf(" 0x%lx/0x%lx/P/-/-/%u", (long)record[n].from, (long)record[n].to, n % 9);
        puts(" ");
    }
    address_map_free(&m);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 6 && !strcmp(argv[1], "--text"))
        return print_text(argv + 2);
    srandom(1);
    test_graphs(false, 4096);
    test_graphs(false, 5);
    test_graphs(true, 4096);
    test_graphs(true, 6);
    test_table_1();
    test_whole(ESTIMATE_EQUAL, "equal");
    test_whole(ESTIMATE_FLOW, "flow");
    test_correlated();
    test_interrupt();
    test_ages();
    test_text();
    test_garbage();
    return tap_done();
}
