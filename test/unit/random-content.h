/* SPDX-License-Identifier: MIT */
/* random-content.h - contents of WPP files, drawn at random, for tests.
 *
 * Grammars come straight from the definition of the numbering (a rule is
 * numbered when its first use ends), not from the engine; routines from
 * random graphs numbered by libnumbering.
 */
#ifndef WPP_TEST_RANDOM_CONTENT_H
#define WPP_TEST_RANDOM_CONTENT_H

#include <stdlib.h>
#include <string.h>

#include "gcc-plugin/numbering/numbering.h"
#include "tracer/trace-abi.h"
#include "wpp/format/content.h"
#include "wpp/read/reader.h"

struct random {
    uint64_t state;
};

static inline uint32_t draw(struct random *r, uint32_t below)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return (uint32_t)((r->state >> 11) % below);
}

enum { RC_MAX = 4096, RC_ROUTINES = 6, RC_THREADS = 3 };

/* A content and everything it points to. */
struct random_content {
    struct wpp_content content;
    struct wpp_module_content modules[2];
    struct wpp_unit_content units[2];
    struct wpp_routine_content routines[RC_ROUTINES];
    struct wpp_routine descriptions[RC_ROUTINES];
    struct pn_graph *graphs[RC_ROUTINES];
    struct wpp_terminal_content terminals[RC_MAX];
    struct wpp_thread threads[RC_THREADS];
    struct wpp_chunk chunks[RC_THREADS * 2];
    uint64_t body[RC_MAX + RC_THREADS + 1], length[RC_MAX + RC_THREADS];
    uint32_t symbols[64 * RC_MAX];
    uint64_t counts[RC_MAX];
    uint64_t starts[RC_THREADS + 1];
    uint32_t start_symbols[RC_MAX];
    uint32_t n_rules, n_terminals, n_symbols;
};

/* ---- Grammars -------------------------------------------------------------- */

static uint32_t rc_symbol(struct random_content *c, struct random *r, unsigned depth);

/* A new rule, its symbols drawn before it gets its number. */
static uint32_t rc_rule(struct random_content *c, struct random *r, unsigned depth)
{
    uint32_t n = draw(r, 20) ? 2 + draw(r, 3) : 2 + draw(r, 40), body[42];

    for (uint32_t i = 0; i < n; i++)
        body[i] = rc_symbol(c, r, depth + 1);
    c->body[c->n_rules] = c->n_symbols;
    memcpy(c->symbols + c->n_symbols, body, n * sizeof *body);
    c->n_symbols += n;
    c->length[c->n_rules] = 0;
    for (uint32_t i = 0; i < n; i++)
        c->length[c->n_rules] += body[i] & WPP_RULE ? c->length[body[i] & ~WPP_RULE] : 1;
    return WPP_RULE | c->n_rules++;
}

static uint32_t rc_symbol(struct random_content *c, struct random *r, unsigned depth)
{
    if (depth < 12 && c->n_rules < 300 && draw(r, 4) == 0)
        return rc_rule(c, r, depth);
    /* Expansions are kept short enough to write out. */
    if (c->n_rules > 0 && draw(r, 3) == 0) {
        uint32_t rule = c->n_rules - 1 - draw(r, c->n_rules < 30 ? c->n_rules : 30);

        if (c->length[rule] < 300)
            return WPP_RULE | rule;
    }
    if (c->n_terminals == 0 || (c->n_terminals < 600 && draw(r, 5) == 0))
        return c->n_terminals++;
    return draw(r, c->n_terminals);
}

static void rc_grammar(struct random_content *c, struct random *r, uint32_t n_threads,
                       uint32_t start_length)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < n_threads; k++) {
        uint32_t length = draw(r, start_length + 1);

        c->starts[k] = n;
        for (uint32_t i = 0; i < length; i++) {
            uint32_t symbol = rc_symbol(c, r, 0);

            c->start_symbols[n++] = symbol;
        }
    }
    c->starts[n_threads] = n;
    for (uint32_t k = 0; k < n_threads; k++) {
        uint32_t rule = c->n_rules + k;

        c->body[rule] = c->n_symbols;
        for (uint64_t i = c->starts[k]; i < c->starts[k + 1]; i++) {
            uint32_t symbol = c->start_symbols[i];

            c->symbols[c->n_symbols++] = symbol;
            c->length[rule] += symbol & WPP_RULE ? c->length[symbol & ~WPP_RULE] : 1;
        }
    }
    c->body[c->n_rules + n_threads] = c->n_symbols;
    c->content.grammar = (struct wpp_grammar){c->n_terminals, c->n_rules, n_threads,
                                              c->body, c->symbols, c->length};
}

/* ---- Routines ----------------------------------------------------------------- */

/* A graph in which every vertex is reached and reaches EXIT, with cycles. */
static struct pn_graph *rc_graph(struct random *r, uint32_t n_blocks)
{
    struct pn_graph *g = pn_new(n_blocks, 0, 1);

    pn_add_edge(g, 0, 2, 100, 0);
    for (uint32_t v = 2; v < n_blocks; v++) {
        bool last = v + 1 == n_blocks;

        pn_add_edge(g, v, last ? 1 : v + 1, draw(r, 100), last || draw(r, 6) ? 0 : PN_CUT);
        for (uint32_t k = draw(r, 3); k > 0; k--) {
            uint32_t to = 1 + draw(r, n_blocks - 1);

            pn_add_edge(g, v, to, draw(r, 100), to != 1 && draw(r, 4) == 0 ? PN_CUT : 0);
        }
    }
    if (pn_number(g, 1000) != PN_OK)
        abort();
    return g;
}

static const char *const rc_files[] = {"main.c", "list.h", "a directory/with a long name.c"};

/* Up to three, each in any before it; none in one of two routines. */
static const struct wpp_inlined *rc_inlined(struct random *r, uint32_t *n)
{
    static const char *const names[] = {"min", "_ZN4heap4siftEv", "a name.part.0"};
    struct wpp_inlined *calls = calloc(4, sizeof *calls);

    *n = draw(r, 2) * draw(r, 4);
    for (uint32_t i = 0; i < *n; i++)
        calls[i] = (struct wpp_inlined){names[draw(r, 3)], NULL, rc_files[draw(r, 3)],
                                        draw(r, 6000), draw(r, i + 1)};
    return calls;
}

static void rc_routine(struct wpp_routine *out, const struct pn_graph *g, struct random *r)
{
    static const char *const names[] = {"main", "insert", "_ZN4heap4siftEv", "x"};
    struct wpp_block *blocks = calloc(g->n_vertices, sizeof *blocks);
    struct wpp_edge *edges = calloc(g->n_dag, sizeof *edges);

    *out = (struct wpp_routine){
        .name = names[draw(r, 4)], .file = rc_files[draw(r, 3)], .line = draw(r, 5000),
        .flags = draw(r, 4), .num_paths = g->num_paths, .n_blocks = g->n_vertices,
        .blocks = blocks, .n_edges = g->n_dag, .edges = edges};
    out->inlined = rc_inlined(r, &out->n_inlined);
    for (uint32_t v = 2; v < g->n_vertices; v++) {
        uint32_t n = draw(r, 4);
        struct wpp_line *lines = calloc(n + 1, sizeof *lines);

        for (uint32_t i = 0; i < n; i++)
            lines[i] = (struct wpp_line){rc_files[draw(r, 3)], draw(r, 6000),
                                         draw(r, 2) * draw(r, out->n_inlined + 1)};
        blocks[v] = (struct wpp_block){draw(r, 10) ? draw(r, 30) : UINT32_MAX, n, lines};
    }
    for (uint32_t e = 0; e < g->n_dag; e++) {
        const struct pn_dag_edge *d = &g->dag[e];

        edges[e] = (struct wpp_edge){.src = d->src, .dst = d->dst, .kind = WPP_EDGE_REAL,
                                     .to = UINT32_MAX, .val = d->val};
        if (d->kind == PN_START)
            edges[e].kind = WPP_EDGE_START;
        if (d->kind == PN_END) {
            edges[e].kind = WPP_EDGE_END_BACK + draw(r, 5);
            edges[e].to = draw(r, 4) ? g->edge[d->edge].dst : UINT32_MAX;
        }
    }
}

/* Terminals get routines in order: routines are numbered by first terminal. */
static void rc_terminals(struct random_content *c, struct random *r)
{
    uint32_t n = 0, next_base = 16;

    for (uint32_t t = 0; t < c->n_terminals; t++) {
        uint32_t routine = draw(r, n + 1);

        if (draw(r, 10) == 0 || (routine == n && n == RC_ROUTINES)) {
            c->terminals[t] = (struct wpp_terminal_content){0xFFFF0000u + t, WPP_NO_ROUTINE, 0, 0};
            continue;
        }
        if (routine == n) {
            c->graphs[n] = rc_graph(r, 3 + draw(r, 20));
            rc_routine(&c->descriptions[n], c->graphs[n], r);
            c->routines[n] = (struct wpp_routine_content){draw(r, 2), next_base,
                                                          &c->descriptions[n]};
            next_base += (uint32_t)c->graphs[n]->num_paths + draw(r, 1000);
            n++;
        }
        c->terminals[t].routine = routine;
        c->terminals[t].token = c->routines[routine].base +
                                draw(r, (uint32_t)c->graphs[routine]->num_paths);
    }
    c->content.n_routines = n;
    c->content.n_terminals = c->n_terminals;
}

static const struct wpp_left_out left_out[] = {
    {"first", "x.cc", NULL, "libx.so", 0, WPP_LEFT_OUT_TOO_SMALL},
    {"second", "y.cc", NULL, "libx.so", 70000, 99}
};

static const struct wpp_source rc_sources[] = {
    {"main.c", "/src", 17}, {"main.c", "/src", UINT64_MAX}, {"list.h", "/src/lib", 0}
};

static const struct wpp_unread_module rc_unread[] = {
    {"libgone.so", "cannot open libgone.so: No such file or directory", 70000, 500},
    {"", "the trace does not say which file it is", UINT32_MAX - 9, 9}
};

/* ---- The whole ------------------------------------------------------------------- */

static struct random_content *random_content(struct random *r, uint32_t n_threads,
                                             uint32_t start_length)
{
    struct random_content *c = calloc(1, sizeof *c);
    struct wpp_content *w = &c->content;

    rc_grammar(c, r, n_threads, start_length);
    rc_terminals(c, r);
    c->modules[0] = (struct wpp_module_content){"/usr/bin/a program", (const uint8_t *)"\0\1\2", 3,
                                                40, 2, 0, NULL};
    c->modules[1] = (struct wpp_module_content){"libx.so", NULL, 0, 7, 0, draw(r, 3), left_out};
    c->units[0] = (struct wpp_unit_content){0, "GNU C17", "main.c", "/src", 0, 2};
    c->units[1] = (struct wpp_unit_content){1, "GNU C++17", "x.cc", "/src/lib", 1, 4};
    for (uint32_t k = 0; k < n_threads; k++) {
        uint64_t tokens = c->length[c->n_rules + k];

        c->threads[k] = (struct wpp_thread){.tid = 100 + k, .name = k ? "worker" : "",
                                            .tokens = tokens};
        c->chunks[2 * k] = (struct wpp_chunk){k, 0, 1000 - k};
        c->chunks[2 * k + 1] = (struct wpp_chunk){k, tokens / 2, UINT64_MAX - draw(r, 1000)};
    }
    w->run = (struct wpp_summary){.program = "/usr/bin/a program", .command = "a program -x",
                                  .host = "h", .pid = 4242, .started = 1700000000,
                                  .nanoseconds = draw(r, 1u << 31), .lost = draw(r, 2),
                                  .trace_bytes = draw(r, 1u << 31), .complete = draw(r, 2),
                                  .waited = draw(r, 2) * draw(r, 1u << 31),
                                  .stops = draw(r, 3),
                                  .stopped = draw(r, 2) * draw(r, 1u << 31),
                                  .unrecorded = draw(r, 2) * draw(r, 1u << 31),
                                  .ended = draw(r, 2) * draw(r, 8),
                                  .dropped = draw(r, 2) * draw(r, 1u << 31),
                                  .exited = draw(r, 2) * draw(r, 257),
                                  .killed = draw(r, 2) * draw(r, 65),
                                  .early = draw(r, 2) * draw(r, 1u << 31),
                                  .ticks_per_second = draw(r, 2) * (1 + draw(r, 1u << 31))};
    for (uint32_t t = 0; w->run.ticks_per_second && t < c->n_terminals; t++)
        c->terminals[t].ticks = (uint64_t)draw(r, 1u << 31) << draw(r, 20);
    w->n_modules = w->n_units = 2;
    w->n_threads = n_threads;
    w->n_chunks = 2 * n_threads;
    w->modules = c->modules;
    w->units = c->units;
    w->routines = c->routines;
    w->terminals = c->terminals;
    w->threads = c->threads;
    w->chunks = c->chunks;
    w->sources = rc_sources;
    w->n_sources = draw(r, 4);
    w->unread_modules = rc_unread;
    w->n_unread_modules = draw(r, 3);
    return c;
}

/* ---- Path profiles ----------------------------------------------------------------- */

static uint32_t rc_module(const struct random_content *c, uint32_t routine)
{
    return c->units[c->routines[routine].unit].module;
}

/* Whether terminal b stands behind a in a path profile. */
static bool rc_behind(const struct random_content *c, const struct wpp_terminal_content *a,
                      const struct wpp_terminal_content *b)
{
    bool raw = a->routine == WPP_NO_ROUTINE, other = b->routine == WPP_NO_ROUTINE;

    if (raw != other)
        return other;
    if (!raw && rc_module(c, a->routine) != rc_module(c, b->routine))
        return rc_module(c, a->routine) < rc_module(c, b->routine);
    return a->token < b->token;
}

/* Terminals in their order, each once. */
static void rc_sort(struct random_content *c)
{
    uint32_t n = 0;

    for (uint32_t t = 0; t < c->n_terminals; t++) {
        struct wpp_terminal_content x = c->terminals[t];
        uint32_t at = n;

        while (at > 0 && rc_behind(c, &x, &c->terminals[at - 1]))
            at--;
        if (at > 0 && !rc_behind(c, &c->terminals[at - 1], &x))
            continue;
        memmove(&c->terminals[at + 1], &c->terminals[at], (n - at) * sizeof x);
        c->terminals[at] = x;
        n++;
    }
    c->content.n_terminals = c->n_terminals = n;
}

/* Routines by first terminal. */
static void rc_renumber(struct random_content *c)
{
    struct wpp_routine_content routines[RC_ROUTINES];
    struct wpp_routine descriptions[RC_ROUTINES];
    struct pn_graph *graphs[RC_ROUTINES];
    uint32_t number[RC_ROUTINES], n = 0;

    memset(number, 0xff, sizeof number);
    for (uint32_t t = 0; t < c->n_terminals; t++) {
        uint32_t *routine = &c->terminals[t].routine;

        if (*routine == WPP_NO_ROUTINE)
            continue;
        if (number[*routine] == UINT32_MAX) {
            routines[n] = c->routines[*routine];
            routines[n].routine = &c->descriptions[n];
            descriptions[n] = c->descriptions[*routine];
            graphs[n] = c->graphs[*routine];
            number[*routine] = n++;
        }
        *routine = number[*routine];
    }
    c->content.n_routines = n;
    /* What no terminal names any more stays behind, to be freed. */
    for (uint32_t i = 0; i < RC_ROUTINES && c->graphs[i]; i++)
        if (number[i] == UINT32_MAX) {
            descriptions[n] = c->descriptions[i];
            graphs[n++] = c->graphs[i];
        }
    memcpy(c->routines, routines, c->content.n_routines * sizeof *routines);
    memcpy(c->descriptions, descriptions, n * sizeof *descriptions);
    memcpy(c->graphs, graphs, n * sizeof *graphs);
}

/* Leaves out about one of n terminals: another run of the same program. */
__attribute__((unused))
static void rc_drop(struct random_content *c, struct random *r, uint32_t n)
{
    uint32_t kept = 0;

    for (uint32_t t = 0; t < c->n_terminals; t++)
        if (draw(r, n))
            c->terminals[kept++] = c->terminals[t];
    c->content.n_terminals = c->n_terminals = kept;
}

/* Makes a path profile of the content. */
__attribute__((unused))
static void rc_profile(struct random_content *c, struct random *r)
{
    rc_sort(c);
    rc_renumber(c);
    for (uint32_t t = 0; t < c->n_terminals; t++)
        c->counts[t] = draw(r, 40) ? 1 + draw(r, 1u << (1 + draw(r, 30))) : UINT64_MAX - draw(r, 9);
    c->n_rules = c->n_symbols = 0;
    c->body[0] = 0;
    c->content.n_threads = 0;
    c->content.n_chunks = 0;
    c->content.grammar = (struct wpp_grammar){c->n_terminals, 0, 0, c->body, c->symbols, c->length};
    c->content.counts = c->counts;
    c->content.run.profile_kind = 1 + draw(r, 3);
    c->content.run.runs = 1 + draw(r, 100);
}

static void random_content_free(struct random_content *c)
{
    for (uint32_t i = 0; i < RC_ROUTINES && c->graphs[i]; i++) {
        for (uint32_t v = 0; v < c->descriptions[i].n_blocks; v++)
            free((void *)c->descriptions[i].blocks[v].lines);
        free((void *)c->descriptions[i].blocks);
        free((void *)c->descriptions[i].edges);
        free((void *)c->descriptions[i].inlined);
        pn_free(c->graphs[i]);
    }
    free(c);
}

/* Some control words become Gap, and Frame words of few numbers. */
__attribute__((unused))
static void rc_words(struct random_content *c, struct random *r)
{
    for (uint32_t t = 0; t < c->n_terminals; t++)
        if (c->terminals[t].routine == WPP_NO_ROUTINE && draw(r, 2))
            c->terminals[t].token = draw(r, 4) ? WPP_FRAME + t % 8 : WPP_GAP;
}

/* The content as an open file.  NULL: it is none. */
__attribute__((unused))
static wpp *rc_open(const struct random_content *c, struct wpp_error *error)
{
    struct wpp_bytes file = {0};
    wpp *w = NULL;

    if (wpp_content_encode(&c->content, &file, error))
        w = wpp_open_memory(file.data, file.size, "random", error);
    wpp_bytes_free(&file);
    return w;
}

/* The whole expansion of a rule, straight from the definition. */
__attribute__((unused))
static void rc_expand(const struct wpp_grammar *g, uint32_t rule, uint32_t **out)
{
    for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++) {
        if (g->symbols[i] & WPP_RULE)
            rc_expand(g, g->symbols[i] & ~WPP_RULE, out);
        else
            *(*out)++ = g->symbols[i];
    }
}

#endif
