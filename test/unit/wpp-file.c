/* SPDX-License-Identifier: MIT */
/* Files of random content, written and read back; what the reader derives
 * against what follows from expanding the grammar. */
#include "test/unit/random-content.h"
#include "test/unit/tap.h"
#include "wpp/format/chunk-columns.h"
#include "wpp/read/reader.h"

static bool same_text(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static bool same_summary(const wpp *w, const struct random_content *c)
{
    const struct wpp_summary *in = &c->content.run;
    struct wpp_summary s;
    uint64_t tokens = 0;

    wpp_get_summary(w, &s);
    for (uint32_t k = 0; k < c->content.n_threads; k++)
        tokens += c->threads[k].tokens;
    for (uint32_t t = 0; c->content.counts && t < c->n_terminals; t++)
        tokens = c->counts[t] < UINT64_MAX - tokens ? tokens + c->counts[t] : UINT64_MAX;
    return same_text(s.program, in->program) && same_text(s.command, in->command) &&
           same_text(s.host, in->host) && s.pid == in->pid && s.started == in->started &&
           s.nanoseconds == in->nanoseconds && s.tokens == tokens && s.lost == in->lost &&
           s.waited == in->waited && s.ticks_per_second == in->ticks_per_second && s.stops == in->stops && s.stopped == in->stopped &&
           s.unrecorded == in->unrecorded && s.ended == in->ended && s.dropped == in->dropped &&
           s.exited == in->exited && s.killed == in->killed && s.early == in->early &&
           s.trace_bytes == in->trace_bytes && s.complete == in->complete &&
           s.n_threads == c->content.n_threads && s.n_routines == c->content.n_routines &&
           s.n_terminals == c->n_terminals && s.n_rules == c->n_rules &&
           s.rhs_symbols == c->n_symbols && s.n_modules == 2 &&
           s.n_instrumented_routines == 47 && s.n_limited_routines == 2 &&
           s.is_profile == (c->content.counts != NULL) && s.recorded == tokens &&
           s.profile_kind == in->profile_kind && s.runs == in->runs;
}

static bool same_unread_modules(const wpp *w, const struct random_content *c)
{
    struct wpp_summary s;

    wpp_get_summary(w, &s);
    if (s.n_unread_modules != c->content.n_unread_modules)
        return false;
    for (uint32_t i = 0; i < s.n_unread_modules; i++) {
        const struct wpp_unread_module *a = wpp_unread_module(w, i), *b = &c->content.unread_modules[i];

        if (!same_text(a->path, b->path) || !same_text(a->why, b->why) || a->token != b->token ||
            a->n_tokens != b->n_tokens)
            return false;
    }
    return true;
}

static bool same_sources(const wpp *w, const struct random_content *c)
{
    struct wpp_summary s;

    wpp_get_summary(w, &s);
    if (s.n_sources != c->content.n_sources)
        return false;
    for (uint32_t i = 0; i < s.n_sources; i++) {
        const struct wpp_source *a = wpp_source(w, i), *b = &c->content.sources[i];

        if (!same_text(a->file, b->file) || !same_text(a->directory, b->directory) ||
            a->hash != b->hash)
            return false;
    }
    return true;
}

static bool same_left_out(const wpp *w, const struct random_content *c)
{
    const struct wpp_module_content *m = &c->modules[1];
    struct wpp_summary s;

    wpp_get_summary(w, &s);
    if (s.n_left_out != m->n_left_out)
        return false;
    for (uint32_t i = 0; i < s.n_left_out; i++) {
        const struct wpp_left_out *a = wpp_left_out(w, i), *b = &m->left_out[i];

        if (!same_text(a->name, b->name) || !same_text(a->file, b->file) ||
            !same_text(a->module, b->module) || a->line != b->line || a->reason != b->reason)
            return false;
    }
    return true;
}

static bool same_threads(const wpp *w, const struct random_content *c)
{
    uint64_t n;
    const struct wpp_chunk *chunks = wpp_chunks(w, &n);
    struct wpp_chunk_list list = {c->content.n_chunks, c->content.chunks};
    unsigned unit = wpp_chunk_unit(&list, c->content.n_threads);

    if (n != c->content.n_chunks)
        return false;
    for (uint64_t i = 0; i < n; i++)
        if (chunks[i].thread != c->chunks[i].thread || chunks[i].first != c->chunks[i].first ||
            chunks[i].time != c->chunks[i].time >> unit << unit)
            return false;
    for (uint32_t k = 0; k < c->content.n_threads; k++) {
        const struct wpp_thread *t = wpp_thread(w, k);

        if (t->tid != c->threads[k].tid || !same_text(t->name, c->threads[k].name) ||
            t->tokens != c->threads[k].tokens)
            return false;
    }
    return true;
}

static bool same_grammar(const wpp *w, const struct random_content *c)
{
    const struct wpp_grammar *g = wpp_grammar(w);
    size_t n = (size_t)c->n_rules + c->content.n_threads;

    return g->n_rules == c->n_rules && g->n_terminals == c->n_terminals &&
           g->n_threads == c->content.n_threads &&
           memcmp(g->body, c->body, (n + 1) * sizeof *g->body) == 0 &&
           memcmp(g->length, c->length, n * sizeof *g->length) == 0 &&
           memcmp(g->symbols, c->symbols, c->n_symbols * sizeof *g->symbols) == 0;
}

/* Calls may be numbered otherwise, but each is in the same ones. */
static bool same_call(const struct wpp_routine *a, uint32_t x, const struct wpp_routine *b,
                      uint32_t y)
{
    for (; x && y; x = a->inlined[x - 1].caller, y = b->inlined[y - 1].caller) {
        const struct wpp_inlined *c = &a->inlined[x - 1], *d = &b->inlined[y - 1];

        if (!same_text(c->name, d->name) || !c->shown || !same_text(c->file, d->file) ||
            c->line != d->line)
            return false;
    }
    return x == y;
}

static bool same_block(const struct wpp_routine *ra, const struct wpp_routine *rb, uint32_t v)
{
    const struct wpp_block *a = &ra->blocks[v], *b = &rb->blocks[v];

    if (a->insns != b->insns || a->n_lines != b->n_lines)
        return false;
    for (uint32_t i = 0; i < a->n_lines; i++)
        if (!same_text(a->lines[i].file, b->lines[i].file) ||
            a->lines[i].line != b->lines[i].line ||
            !same_call(ra, a->lines[i].inlined, rb, b->lines[i].inlined))
            return false;
    return true;
}

static bool same_routine(const struct wpp_routine *a, const struct random_content *c, uint32_t i)
{
    const struct wpp_routine *b = &c->descriptions[i];
    const struct wpp_unit_content *unit = &c->units[c->routines[i].unit];

    if (!same_text(a->name, b->name) || !same_text(a->file, b->file) ||
        !same_text(a->directory, unit->directory) ||
        !same_text(a->module, c->modules[unit->module].path) || a->line != b->line ||
        a->flags != b->flags || a->num_paths != b->num_paths || a->n_blocks != b->n_blocks ||
        a->n_edges != b->n_edges)
        return false;
    for (uint32_t v = 0; v < a->n_blocks; v++)
        if (!same_block(a, b, v))
            return false;
    for (uint32_t e = 0; e < a->n_edges; e++) {
        const struct wpp_edge *x = &a->edges[e], *y = &b->edges[e];

        if (x->src != y->src || x->dst != y->dst || x->kind != y->kind || x->to != y->to ||
            x->val != y->val)
            return false;
    }
    return true;
}

/* Edges as libnumbering regenerates them; blocks and cost from the edges. */
static bool same_path(const struct wpp_terminal *t, const struct random_content *c)
{
    const struct pn_graph *g = c->graphs[t->routine];
    const struct wpp_routine *r = &c->descriptions[t->routine];
    uint32_t edges[64], n = pn_regenerate(g, t->path, edges, 64);
    uint64_t insns = 0;

    if (t->n_edges != n || t->n_blocks != n - 1 || memcmp(t->edges, edges, n * sizeof *edges) != 0)
        return false;
    for (uint32_t i = 0; i + 1 < n; i++) {
        if (t->blocks[i] != g->dag[edges[i]].dst)
            return false;
        insns += r->blocks[t->blocks[i]].insns;
    }
    return t->insns == (insns ? insns : 1) && t->enters == (g->dag[edges[0]].kind == PN_REAL) &&
           t->leaves == (g->dag[edges[n - 1]].kind == PN_REAL);
}

static bool same_terminals(const wpp *w, const struct random_content *c)
{
    for (uint32_t i = 0; i < c->n_terminals; i++) {
        const struct wpp_terminal *t = wpp_terminal(w, i);
        uint32_t routine = c->terminals[i].routine;

        if (t->token != c->terminals[i].token || t->routine != routine ||
            t->ticks != c->terminals[i].ticks)
            return false;
        if (routine == WPP_NO_ROUTINE &&
            (!t->control || t->insns != 0 || t->n_blocks != 0 || t->n_edges != 0))
            return false;
        if (routine != WPP_NO_ROUTINE &&
            (t->path != t->token - c->routines[routine].base || !same_path(t, c)))
            return false;
    }
    for (uint32_t i = 0; i < c->content.n_routines; i++)
        if (!same_routine(wpp_routine(w, i), c, i))
            return false;
    return true;
}

/* ---- What is derived --------------------------------------------------------- */

static void count_uses(const struct wpp_grammar *g, uint32_t rule, uint64_t *rules,
                       uint64_t *terminals)
{
    rules[rule]++;
    for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++) {
        if (g->symbols[i] & WPP_RULE)
            count_uses(g, g->symbols[i] & ~WPP_RULE, rules, terminals);
        else
            terminals[g->symbols[i]]++;
    }
}

static bool same_counts(const wpp *w, const struct random_content *c)
{
    static uint64_t rules[RC_MAX], terminals[RC_MAX], got_rules[RC_MAX], got_terminals[RC_MAX];
    const struct wpp_grammar *g = &c->content.grammar;

    memset(rules, 0, sizeof rules);
    memset(terminals, 0, sizeof terminals);
    if (c->content.counts)
        memcpy(terminals, c->counts, c->n_terminals * sizeof *terminals);
    for (uint32_t k = 0; k < g->n_threads; k++)
        count_uses(g, g->n_rules + k, rules, terminals);
    wpp_rule_frequencies(w, got_rules);
    wpp_terminal_counts(w, got_terminals);
    return memcmp(rules, got_rules, (g->n_rules + g->n_threads) * sizeof *rules) == 0 &&
           memcmp(terminals, got_terminals, g->n_terminals * sizeof *terminals) == 0;
}

/* From event `first` to the end in pieces of random size. */
static bool same_walk(const wpp *w, uint32_t thread, uint64_t first, const uint32_t *expected,
                      struct random *r)
{
    wpp_cursor *c = wpp_cursor_new(w, thread, first);
    uint64_t at = first, n = wpp_thread(w, thread)->tokens;
    uint32_t piece[100];
    bool same = c != NULL;

    while (same && at < n) {
        size_t want = 1 + draw(r, 100), got = wpp_cursor_read(c, piece, want);

        same = got == (want < n - at ? want : n - at) &&
               memcmp(piece, expected + at, got * sizeof *piece) == 0;
        at += got;
    }
    same = same && wpp_cursor_read(c, piece, 1) == 0;
    wpp_cursor_free(c);
    return same;
}

static bool same_walks(const wpp *w, const struct random_content *c, struct random *r)
{
    bool same = true;

    for (uint32_t k = 0; same && k < c->content.n_threads; k++) {
        uint64_t n = c->threads[k].tokens;
        uint32_t *expected = malloc((n + 1) * sizeof *expected), *end = expected;

        rc_expand(&c->content.grammar, c->n_rules + k, &end);
        same = (uint64_t)(end - expected) == n && same_walk(w, k, 0, expected, r) &&
               same_walk(w, k, n, expected, r) && wpp_cursor_new(w, k, n + 1) == NULL;
        for (int i = 0; same && n > 0 && i < 40; i++)
            same = same_walk(w, k, draw(r, (uint32_t)n), expected, r);
        free(expected);
    }
    return same && wpp_cursor_new(w, c->content.n_threads, 0) == NULL;
}

/* ---- Round trips ---------------------------------------------------------------- */

static const char *round_trip(struct random *r, uint32_t n_threads, uint32_t start_length,
                              bool profile)
{
    struct random_content *c = random_content(r, n_threads, start_length);
    struct wpp_bytes file = {0}, again = {0};
    struct wpp_error error;
    const char *wrong = NULL;
    wpp *w = NULL;

    if (profile)
        rc_profile(c, r);
    if (!wpp_content_encode(&c->content, &file, &error) ||
        !wpp_content_encode(&c->content, &again, &error))
        wrong = "encoding fails";
    else if (file.size != again.size || memcmp(file.data, again.data, file.size) != 0)
        wrong = "equal contents give different bytes";
    else if (!(w = wpp_open_memory(file.data, file.size, "test", &error)))
        wrong = "it cannot be read";
    else if (!same_summary(w, c))
        wrong = "summary";
    else if (!same_unread_modules(w, c))
        wrong = "modules that were not read";
    else if (!same_sources(w, c))
        wrong = "sources";
    else if (!same_left_out(w, c))
        wrong = "what was left out";
    else if (!same_threads(w, c))
        wrong = "threads or chunks";
    else if (!same_grammar(w, c))
        wrong = "grammar";
    else if (!same_terminals(w, c))
        wrong = "terminals or routines";
    else if (!same_counts(w, c))
        wrong = "frequencies or counts";
    else if (!same_walks(w, c, r))
        wrong = "walks";
    wpp_close(w);
    wpp_bytes_free(&file);
    wpp_bytes_free(&again);
    random_content_free(c);
    return wrong;
}

static void test_round_trips(const char *name, uint32_t n, uint32_t start_length, bool profile)
{
    struct random r = {0x9e3779b97f4a7c15};
    const char *wrong = NULL;
    uint32_t i;

    for (i = 0; !wrong && i < n; i++)
        wrong = round_trip(&r, i % 4 ? 1 + i % RC_THREADS : 0, start_length, profile);
    if (!tap_ok(!wrong, "%u %s read back equal", n, name))
        tap_note("content %u: %s", i - 1, wrong);
}

/* Counts that do not fit, and rules too long to derive anything from. */
static void test_saturation(void)
{
    enum { N = 64 };
    uint64_t body[N + 2], length[N + 1], frequencies[N + 1], counts[1];
    uint32_t symbols[2 * N + 2];
    struct wpp_content c = {.n_threads = 1, .n_terminals = 1};
    struct wpp_terminal_content terminal = {7, WPP_NO_ROUTINE, 0, 0};
    struct wpp_thread thread = {.tid = 1, .name = ""};
    struct wpp_bytes file = {0};
    struct wpp_error error;
    wpp *w;

    for (uint32_t r = 0; r <= N; r++) {
        body[r] = 2 * r;
        symbols[2 * r] = symbols[2 * r + 1] = r ? WPP_RULE | (r - 1) : 0;
        length[r] = r < 63 ? UINT64_C(2) << r : 0;
    }
    body[N + 1] = 2 * N + 2;
    c.run = (struct wpp_summary){.program = "", .command = "", .host = ""};
    c.terminals = &terminal;
    c.threads = &thread;
    for (uint32_t n = 62; n < N; n++) {
        thread.tokens = n == 62 ? UINT64_C(1) << 63 : 0;
        c.grammar = (struct wpp_grammar){1, n, 1, body, symbols, length};
        wpp_content_encode(&c, &file, &error);
        w = wpp_open_memory(file.data, file.size, "test", &error);
        if (n == 62) {
            tap_ok(w != NULL, "2^63 events can be read");
            wpp_rule_frequencies(w, frequencies);
            wpp_terminal_counts(w, counts);
            tap_ok(frequencies[0] == UINT64_C(1) << 62 && counts[0] == UINT64_C(1) << 63,
                   "and are counted");
        } else {
            tap_ok(!w && error.status == WPP_E_DAMAGED, "2^64 events are refused");
        }
        wpp_close(w);
        wpp_bytes_free(&file);
    }
}

/* Terminals of a path profile that stand in another order, within a routine or behind the routines'. */
static void test_order(void)
{
    struct random r = {2026};
    unsigned swapped = 0, refused = 0;

    for (unsigned i = 0; i < 300; i++) {
        struct random_content *c = random_content(&r, 1, 30);
        struct wpp_error error = {.status = WPP_OK};
        uint32_t t;
        wpp *w;

        rc_profile(c, &r);
        t = draw(&r, c->n_terminals + 1);
        if (t + 1 < c->n_terminals && c->terminals[t].routine == c->terminals[t + 1].routine) {
            struct wpp_terminal_content x = c->terminals[t];

            c->terminals[t] = c->terminals[t + 1];
            c->terminals[t + 1] = x;
            w = rc_open(c, &error);
            swapped++;
            refused += !w && error.status == WPP_E_DAMAGED;
            wpp_close(w);
        }
        random_content_free(c);
    }
    tap_ok(refused == swapped && swapped > 100, "a path profile in another order is refused (%u)",
           swapped);
}

int main(void)
{
    test_round_trips("small contents", 400, 3, false);
    test_round_trips("middling contents", 200, 60, false);
    test_round_trips("large contents", 40, 1000, false);
    test_round_trips("small path profiles", 400, 3, true);
    test_round_trips("large path profiles", 100, 300, true);
    test_order();
    test_saturation();
    return tap_done();
}
