/* SPDX-License-Identifier: MIT */
/* Random programs are executed block by block.  The obvious program counts lines
 * while they run; the library sees only how often each path was executed. */

#include "wpp/profile/line-counts.h"

#include <stdlib.h>
#include <string.h>

#include "test/unit/tap.h"
#include "wpp/profile/flow.h"

static uint64_t random_state = 1;
static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % n;
}

/* ---- A random routine ------------------------------------------------------- */

enum { MAX_BLOCKS = 12, MAX_ARCS = 3 * MAX_BLOCKS, MAX_LINES = 4, MAX_PATHS = 4000, LINES = 10 };

/* Control-flow arc.  cut: ends a path; the block is then `ends[src]`. */
struct arc { uint32_t src, dst; bool cut; uint32_t dag, start; uint64_t taken; };

struct program {
    struct wpp_routine routine;
    struct wpp_block blocks[MAX_BLOCKS];
    struct wpp_line lines[MAX_BLOCKS][MAX_LINES];
    struct wpp_edge edges[3 * MAX_ARCS];
    struct arc arcs[MAX_ARCS];
    uint32_t n_arcs;

    struct wpp_terminal paths[MAX_PATHS];
    uint32_t path_blocks[MAX_PATHS][MAX_BLOCKS], path_edges[MAX_PATHS][MAX_BLOCKS + 1];
    uint64_t counts[MAX_PATHS];
    uint32_t n_paths;

    uint64_t executed[MAX_BLOCKS];
    uint64_t entered[LINES];        /* by the obvious program */
};

static uint32_t add_edge(struct program *p, uint32_t src, uint32_t dst, uint32_t kind, uint32_t to)
{
    p->edges[p->routine.n_edges] = (struct wpp_edge){src, dst, kind, to, 0};
    return p->routine.n_edges++;
}

static uint32_t start_edge(struct program *p, uint32_t block)
{
    for (uint32_t i = 0; i < p->routine.n_edges; i++)
        if (p->edges[i].kind == WPP_EDGE_START && p->edges[i].dst == block)
            return i;
    return add_edge(p, 0, block, WPP_EDGE_START, UINT32_MAX);
}

static void add_arc(struct program *p, uint32_t src, uint32_t dst, bool cut)
{
    struct arc *a = &p->arcs[p->n_arcs++];

    *a = (struct arc){.src = src, .dst = dst, .cut = cut || (dst <= src && dst != 1)};
    if (a->cut) {
        a->dag = add_edge(p, src, 1, random_below(2) ? WPP_EDGE_END_CALL : WPP_EDGE_END_BACK, dst);
        a->start = start_edge(p, dst);
    } else {
        a->dag = add_edge(p, src, dst, WPP_EDGE_REAL, UINT32_MAX);
    }
}

static bool has_arc(const struct program *p, uint32_t src, uint32_t dst)
{
    for (uint32_t i = 0; i < p->n_arcs; i++)
        if (p->arcs[i].src == src && p->arcs[i].dst == dst)
            return true;
    return false;
}

static void make_lines(struct program *p, uint32_t b)
{
    uint32_t n = random_below(MAX_LINES + 1);

    for (uint32_t i = 0; i < n; i++)
        p->lines[b][i] = (struct wpp_line){"a.c", 1 + random_below(LINES - 1), 0};
    p->blocks[b] = (struct wpp_block){1, n, p->lines[b]};
}

static void make_program(struct program *p)
{
    uint32_t n = 3 + random_below(MAX_BLOCKS - 3);

    memset(p, 0, sizeof *p);
    p->routine = (struct wpp_routine){
        .name = "r", .file = "a.c", .directory = "/d", .module = "", .line = 1,
        .n_blocks = n, .blocks = p->blocks, .edges = p->edges
    };
    for (uint32_t b = 2; b < n; b++)
        make_lines(p, b);
    add_arc(p, 0, 2, false);
    for (uint32_t b = 2; b < n; b++) {
        uint32_t ways = 1 + random_below(2);
        for (uint32_t i = 0; i < ways; i++) {
            uint32_t dst = 2 + random_below(n - 2);
            if (!has_arc(p, b, dst))
                add_arc(p, b, dst, random_below(4) == 0);
        }
        if (random_below(3) == 0 || b + 1 == n)
            add_arc(p, b, 1, false);
    }
}

/* ---- Its execution ------------------------------------------------------------- */

/* The line a block belongs to: the greatest, as there is one file; 0: none. */
static uint32_t owner(const struct program *p, uint32_t b)
{
    uint32_t line = 0;

    if (b + 1 == p->routine.n_blocks)
        return 0;
    for (uint32_t i = 0; i < p->blocks[b].n_lines; i++)
        if (p->lines[b][i].line > line)
            line = p->lines[b][i].line;
    return line;
}

static void path_begins(struct program *p, uint32_t edge)
{
    struct wpp_terminal *t = &p->paths[p->n_paths];

    *t = (struct wpp_terminal){.routine = 0, .blocks = p->path_blocks[p->n_paths],
                               .edges = p->path_edges[p->n_paths]};
    p->path_edges[p->n_paths][t->n_edges++] = edge;
    p->counts[p->n_paths] = 1;
}

static void path_passes(struct program *p, uint32_t block, uint32_t edge)
{
    struct wpp_terminal *t = &p->paths[p->n_paths];

    p->path_blocks[p->n_paths][t->n_blocks++] = block;
    p->path_edges[p->n_paths][t->n_edges++] = edge;
}

static struct arc *random_arc(struct program *p, uint32_t src)
{
    struct arc *out[MAX_ARCS];
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->n_arcs; i++)
        if (p->arcs[i].src == src)
            out[n++] = &p->arcs[i];
    struct arc *a = out[random_below(n)];
    a->taken++;
    return a;
}

/* One activation.  After a cut it may end without a word, as when a callee
 * calls exit. */
static void activate(struct program *p)
{
    struct arc *a = random_arc(p, 0);
    uint32_t last_owner = 0;

    path_begins(p, a->dag);
    while (a->dst != 1 && p->n_paths + 2 < MAX_PATHS) {
        uint32_t b = a->dst, line = owner(p, b);
        if (line && line != last_owner)
            p->entered[line]++;
        p->executed[b]++;
        last_owner = line;
        a = random_arc(p, b);
        path_passes(p, b, a->dag);
        if (!a->cut)
            continue;
        p->n_paths++;
        if (p->edges[a->dag].kind == WPP_EDGE_END_CALL && random_below(20) == 0) {
            a->taken--;
            return;
        }
        path_begins(p, a->start);
    }
    if (a->dst == 1)
        p->n_paths++;
}

/* ---- The obvious program ---------------------------------------------------------- */

struct naive {
    struct program *p;
    uint64_t left[MAX_ARCS];
    uint32_t way[MAX_BLOCKS + 1], depth;
    bool on_way[MAX_BLOCKS];
    uint32_t start, line;
    uint64_t rounds;
};

static bool way_is_open(const struct naive *s)
{
    for (uint32_t i = 0; i < s->depth; i++)
        if (s->left[s->way[i]] == 0)
            return false;
    return true;
}

/* All simple ways from v back to the start, arcs by ascending target. */
static void naive_search(struct naive *s, uint32_t v)
{
    s->on_way[v] = true;
    for (uint32_t w = s->start; w < s->p->routine.n_blocks; w++)
        for (uint32_t i = 0; i < s->p->n_arcs; i++) {
            const struct arc *a = &s->p->arcs[i];
            if (a->src != v || a->dst != w || !s->left[i] || owner(s->p, w) != s->line)
                continue;
            s->way[s->depth++] = i;
            if (w == s->start) {
                uint64_t least = UINT64_MAX;
                for (uint32_t k = 0; k < s->depth; k++)
                    least = s->left[s->way[k]] < least ? s->left[s->way[k]] : least;
                for (uint32_t k = 0; k < s->depth; k++)
                    s->left[s->way[k]] -= least;
                s->rounds += least;
            } else if (!s->on_way[w] && way_is_open(s)) {
                naive_search(s, w);
            }
            s->depth--;
        }
    s->on_way[v] = false;
}

static uint64_t naive_count(struct program *p, uint32_t line)
{
    struct naive s = {.p = p, .line = line};
    uint64_t stood = 0;
    bool owns = false;

    for (uint32_t i = 0; i < p->n_arcs; i++)
        s.left[i] = p->arcs[i].taken;
    for (uint32_t b = 2; b < p->routine.n_blocks; b++) {
        bool stands = false;
        for (uint32_t i = 0; i < p->blocks[b].n_lines; i++)
            stands |= p->lines[b][i].line == line;
        stood += stands ? p->executed[b] : 0;
        if (owner(p, b) != line)
            continue;
        owns = true;
        s.start = b;
        naive_search(&s, b);
    }
    return owns ? p->entered[line] + s.rounds : stood;
}

/* ---- Tests --------------------------------------------------------------------------- */

static uint64_t found(const struct line_counts *counts, const char *file, uint32_t line)
{
    for (size_t i = 0; i < counts->n; i++)
        if (counts->item[i].line == line && strcmp(counts->item[i].file, file) == 0)
            return counts->item[i].count;
    return 0;
}

static bool compute(const struct program *p, uint32_t n, struct line_counts *out)
{
    static const struct wpp_terminal *terminals[MAX_PATHS];
    const struct wpp_routine *routine = &p->routine;

    for (uint32_t i = 0; i < n; i++)
        terminals[i] = &p->paths[i];
    return line_counts_compute(&(struct line_program){1, n, &routine, terminals, p->counts, LINE_COUNTS, false}, out);
}

/* The flow that the path counts give: each arc as often as it was taken. */
static bool flow_is_right(const struct program *p)
{
    uint64_t block[MAX_BLOCKS] = {0}, edge[3 * MAX_ARCS] = {0};
    struct flow flow;
    const char *why;

    for (uint32_t i = 0; i < p->n_paths; i++) {
        for (uint32_t k = 0; k < p->paths[i].n_blocks; k++)
            block[p->paths[i].blocks[k]]++;
        for (uint32_t k = 0; k < p->paths[i].n_edges; k++)
            edge[p->paths[i].edges[k]]++;
    }
    if (!flow_new(&flow, &p->routine, block, edge))
        return false;
    bool ok = flow_check(&flow, &why);
    for (uint32_t i = 0; i < p->n_arcs && ok; i++) {
        const struct arc *a = &p->arcs[i];
        uint64_t count = 0;
        for (uint32_t k = 0; k < flow.n_arcs; k++)
            if (flow.arc[k].src == a->src && flow.arc[k].dst == a->dst)
                count = flow.arc[k].count;
        ok = a->src == 0 || a->dst == 1 || a->taken == count;
    }
    flow_free(&flow);
    return ok;
}

/* A lost return is ambiguous when several calls lead to one block. */
static bool is_ambiguous(const struct program *p)
{
    for (uint32_t b = 2; b < p->routine.n_blocks; b++) {
        uint32_t calls = 0;
        for (uint32_t i = 0; i < p->n_arcs; i++)
            calls += p->arcs[i].dst == b && p->arcs[i].cut;
        if (calls > 1)
            return true;
    }
    return false;
}

static void test_random(void)
{
    static struct program p;
    uint32_t lines = 0, wrong = 0, flows = 0, wrong_flows = 0;

    for (int round = 0; round < 20000; round++) {
        struct line_counts counts;
        make_program(&p);
        if (is_ambiguous(&p))
            continue;
        uint32_t activations = 1 + random_below(6);
        for (uint32_t i = 0; i < activations && p.n_paths < 200; i++)
            activate(&p);
        if (p.n_paths + 4 >= MAX_PATHS)
            continue;                       /* cut off in the middle of a path */
        flows++;
        wrong_flows += !flow_is_right(&p);
        if (!compute(&p, p.n_paths, &counts)) {
            wrong++;
            continue;
        }
        for (uint32_t line = 1; line < LINES; line++, lines++)
            wrong += found(&counts, "a.c", line) != naive_count(&p, line);
        line_counts_free(&counts);
    }
    tap_ok(flows > 2000 && wrong_flows == 0, "arcs of %u random programs as often as taken (%u wrong)",
           flows, wrong_flows);
    tap_ok(lines > 10000 && wrong == 0, "%u lines of random programs (%u wrong)", lines, wrong);
}

/* A routine of straight blocks, each a path of its own, with given lines. */
struct line_spec { uint32_t block; const char *file; uint32_t line; };

static void straight(struct program *p, const char *directory, const char *file, uint32_t line,
                     const struct line_spec *spec, uint32_t n_spec, uint32_t n_blocks)
{
    memset(p, 0, sizeof *p);
    p->routine = (struct wpp_routine){
        .name = "r", .file = file, .directory = directory, .module = "", .line = line,
        .n_blocks = 2 + n_blocks, .blocks = p->blocks, .edges = p->edges
    };
    for (uint32_t i = 0; i < n_spec; i++) {
        struct wpp_block *b = &p->blocks[2 + spec[i].block];
        p->lines[2 + spec[i].block][b->n_lines++] = (struct wpp_line){spec[i].file, spec[i].line, 0};
        b->lines = p->lines[2 + spec[i].block];
    }
    for (uint32_t b = 0; b <= n_blocks; b++)
        add_arc(p, b ? b + 1 : 0, b < n_blocks ? b + 2 : 1, false);
    p->routine.n_blocks++;         /* a last block that is never executed */
    activate(p);
}

static void test_rules(void)
{
    static struct program p, q;
    struct line_counts counts;

    straight(&p, "/d", "a.c", 1, (struct line_spec[]){{0, "a.c", 5}, {0, "a.c", 3}, {1, "a.c", 5}}, 3, 2);
    compute(&p, 1, &counts);
    tap_ok(found(&counts, "a.c", 5) == 1 && found(&counts, "a.c", 3) == 1,
           "two blocks of one line in a row are one execution; a lesser line stands in the block");
    line_counts_free(&counts);

    straight(&p, "/d", "a.c", 1,
             (struct line_spec[]){{0, "a.c", 9}, {0, "b.h", 4}, {0, "a.c", 9}, {0, "a.c", 2}, {1, "a.c", 2}},
             5, 2);
    compute(&p, 1, &counts);
    tap_ok(found(&counts, "a.c", 9) == 1 && found(&counts, "b.h", 4) == 1
           && found(&counts, "a.c", 2) == 1,
           "each run of lines of one file has a line that the block belongs to");
    line_counts_free(&counts);

    /* The same names from two directories, and one file under two names. */
    straight(&p, "/d", "a.c", 1, (struct line_spec[]){{0, "a.c", 5}, {0, "/d/sub/./x.h", 7}}, 2, 1);
    straight(&q, "/e", "a.c", 1, (struct line_spec[]){{0, "./a.c", 5}, {0, "/d/sub//x.h", 7}}, 2, 1);
    const struct wpp_routine *routines[2] = {&p.routine, &q.routine};
    const struct wpp_terminal *terminals[2] = {&p.paths[0], &q.paths[0]};
    q.paths[0].routine = 1;
    line_counts_compute(&(struct line_program){2, 2, routines, terminals, (uint64_t[]){3, 4},
                                               LINE_COUNTS, false}, &counts);
    tap_ok(counts.n == 3 && found(&counts, "/d/a.c", 5) == 3 && found(&counts, "/e/a.c", 5) == 4
           && found(&counts, "/d/sub/x.h", 7) == 7,
           "files are told apart by directory, one file under several names is one");
    line_counts_free(&counts);
    for (int zeros = 0; zeros < 2; zeros++) {
        line_counts_compute(&(struct line_program){2, 2, routines, terminals, (uint64_t[]){3, 0},
                                                   LINE_COUNTS, zeros}, &counts);
        tap_ok(counts.n == (zeros ? 3 : 2) && found(&counts, "/d/a.c", 5) == 3
               && found(&counts, "/e/a.c", 5) == 0, zeros ? "lines that were not executed, too"
                                                           : "lines that were executed alone");
        line_counts_free(&counts);
    }

    /* Copies: line 6 owns a block in one, only stands in a block of the other. */
    struct line_spec first[] = {{0, "a.h", 6}}, second[] = {{0, "a.h", 6}, {0, "a.h", 7}};
    for (int copies = 0; copies < 2; copies++) {
        straight(&p, "/d", "a.h", 5, first, 1, 1);
        straight(&q, "/d", "a.h", copies ? 5 : 4, second, 2, 1);
        q.paths[0].routine = 1;
        line_counts_compute(&(struct line_program){2, 2, routines, terminals, (uint64_t[]){3, 4},
                                               LINE_COUNTS, false}, &counts);
        tap_ok(found(&counts, "a.h", 6) == (copies ? 7 : 3) && found(&counts, "a.h", 7) == 4,
               copies ? "copies of a routine are counted each, then summed"
                      : "routines that begin elsewhere share a line's blocks");
        line_counts_free(&counts);
    }
}

/* A routine's last block belongs to no line: the line is entered once, but
 * stands in two blocks, of which one is the last. */
static void test_last_block(void)
{
    static struct program p;
    struct line_counts counts;

    straight(&p, "/d", "a.c", 1,
             (struct line_spec[]){{0, "a.c", 2}, {1, "a.c", 3}, {2, "a.c", 2}, {2, "a.c", 4}}, 4, 3);
    p.routine.n_blocks--;
    compute(&p, 1, &counts);
    tap_ok(found(&counts, "a.c", 2) == 1 && found(&counts, "a.c", 3) == 1
           && found(&counts, "a.c", 4) == 1, "the last block of a routine belongs to no line");
    line_counts_free(&counts);
}

/* gcov would count `for (i = 0; i < 5; i++) x;` on one line as 6: one entry,
 * five rounds. */
static void test_loop_on_a_line(void)
{
    static struct program p;
    struct line_counts counts;

    straight(&p, "/d", "a.c", 1, (struct line_spec[]){{0, "a.c", 2}, {1, "a.c", 2}, {2, "a.c", 2}}, 3, 3);
    memset(&p.paths, 0, sizeof p.paths);
    memset(&p.arcs, 0, sizeof p.arcs);
    p.routine.n_edges = p.n_arcs = p.n_paths = 0;
    add_arc(&p, 0, 2, false);
    add_arc(&p, 2, 4, false);                 /* init -> test */
    add_arc(&p, 3, 4, false);                 /* body -> test */
    add_arc(&p, 4, 3, true);                  /* test -> body: the back edge of a rotated loop */
    add_arc(&p, 4, 1, false);
    path_begins(&p, p.arcs[0].dag);           /* init, test, to the body */
    path_passes(&p, 2, p.arcs[1].dag);
    path_passes(&p, 4, p.arcs[3].dag);
    p.counts[p.n_paths++] = 1;
    path_begins(&p, p.arcs[3].start);         /* body, test, to the body */
    path_passes(&p, 3, p.arcs[2].dag);
    path_passes(&p, 4, p.arcs[3].dag);
    p.counts[p.n_paths++] = 4;
    path_begins(&p, p.arcs[3].start);         /* body, test, out */
    path_passes(&p, 3, p.arcs[2].dag);
    path_passes(&p, 4, p.arcs[4].dag);
    p.counts[p.n_paths++] = 1;
    compute(&p, p.n_paths, &counts);
    tap_ok(found(&counts, "a.c", 2) == 6, "a loop on one line: its entries and its rounds");
    line_counts_free(&counts);
}

int main(void)
{
    test_rules();
    test_last_block();
    test_loop_on_a_line();
    test_random();
    return tap_done();
}
