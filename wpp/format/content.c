/* SPDX-License-Identifier: MIT */
#include "wpp/format/content.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/base/intern.h"
#include "wpp/format/chunk-columns.h"
#include "wpp/format/container.h"
#include "wpp/format/grammar-code.h"
#include "wpp/format/grammar-counts.h"
#include "wpp/format/path-table.h"
#include "wpp/format/routine-columns.h"

/* Each put_ function writes one section as docs/wpp-format.md defines it.  The reader's get_
 * functions in sections.c have the same order.  SECTION ORDER */

static void put_summary(struct wpp_bytes *b, const struct wpp_content *c)
{
    bool parts = c->run.parts > 1, early = parts || c->run.early;
    bool end = early || c->run.exited || c->run.killed;
    bool cut = end || c->run.ended || c->run.dropped;

    wpp_put_string(b, c->run.program);
    wpp_put_string(b, c->run.command);
    wpp_put_string(b, c->run.host);
    wpp_put_varint(b, c->run.pid);
    wpp_put_varint(b, c->run.started);
    wpp_put_varint(b, c->run.nanoseconds);
    wpp_put_varint(b, c->run.lost);
    wpp_put_varint(b, c->run.trace_bytes);
    wpp_put_varint(b, c->run.complete);
    if (!c->run.waited && !c->run.stops && !c->run.stopped && !c->run.unrecorded && !cut)
        return;
    wpp_put_varint(b, c->run.waited);
    wpp_put_varint(b, c->run.stops);
    wpp_put_varint(b, c->run.stopped);
    wpp_put_varint(b, c->run.unrecorded);
    if (!cut)
        return;
    wpp_put_varint(b, c->run.ended);
    wpp_put_varint(b, c->run.dropped);
    if (!end)
        return;
    wpp_put_varint(b, c->run.exited);
    wpp_put_varint(b, c->run.killed);
    if (early)
        wpp_put_varint(b, c->run.early);
    if (parts)
        wpp_put_varint(b, c->run.parts);
}

bool wpp_content_one_piece(struct wpp_bytes *summary)
{
    enum { STRINGS = 3, NUMBERS_BEFORE = 15 };
    struct wpp_view v = wpp_view(summary->data, summary->size);
    struct wpp_bytes changed = {0};
    const uint8_t *parts;

    for (int i = 0; i < STRINGS; i++)
        wpp_get_view(&v, wpp_get_count(&v, 1));
    for (int i = 0; i < NUMBERS_BEFORE && wpp_left(&v) > 0; i++)
        wpp_get_varint(&v);
    if (v.failed || wpp_left(&v) == 0)
        return true;
    parts = v.p;
    wpp_get_varint(&v);
    wpp_put(&changed, summary->data, (size_t)(parts - summary->data));
    wpp_put_varint(&changed, 0);
    wpp_put(&changed, v.p, wpp_left(&v));
    if (changed.failed) {
        wpp_bytes_free(&changed);
        return false;
    }
    wpp_bytes_free(summary);
    *summary = changed;
    return true;
}

static void put_unread_modules(struct wpp_bytes *b, const struct wpp_content *c)
{
    if (c->n_unread_modules == 0)
        return;
    wpp_put_varint(b, c->n_unread_modules);
    for (uint32_t i = 0; i < c->n_unread_modules; i++) {
        const struct wpp_unread_module *m = &c->unread_modules[i];

        wpp_put_string(b, m->path);
        wpp_put_string(b, m->why);
        wpp_put_varint(b, m->token);
        wpp_put_varint(b, m->n_tokens);
    }
}

static void put_modules(struct wpp_bytes *b, const struct wpp_content *c)
{
    wpp_put_varint(b, c->n_modules);
    for (uint32_t i = 0; i < c->n_modules; i++) {
        const struct wpp_module_content *m = &c->modules[i];

        wpp_put_string(b, m->path);
        wpp_put_varint(b, m->build_id_bytes);
        wpp_put(b, m->build_id, m->build_id_bytes);
        wpp_put_varint(b, m->n_routines);
        wpp_put_varint(b, m->n_limited);
    }
    put_unread_modules(b, c);
}

/* By column: the routines of all terminals, then the paths of all. */
static void put_terminals(struct wpp_bytes *b, const struct wpp_content *c)
{
    wpp_put_varint(b, c->n_terminals);
    for (uint32_t i = 0; i < c->n_terminals; i++) {
        uint32_t routine = c->terminals[i].routine;

        assert(routine == WPP_NO_ROUTINE || routine < c->n_routines);
        wpp_put_varint(b, routine == WPP_NO_ROUTINE ? 0 : (uint64_t)routine + 1);
    }
    for (uint32_t i = 0; i < c->n_terminals; i++) {
        const struct wpp_terminal_content *t = &c->terminals[i];
        uint32_t base = t->routine == WPP_NO_ROUTINE ? 0 : c->routines[t->routine].base;

        assert(t->token >= base);
        wpp_put_varint(b, t->left ? WPP_LEFT_PATH(c->routines[t->routine].routine, t->token - base,
                                                  t->left)
                                  : t->token - base);
    }
}

/* Behind the terminals of a grammar whose code has lanes: how often each was executed, and how many
 * events the longest rule derives.  So these are known without reading the code. */
static bool put_executed(struct wpp_bytes *b, const struct wpp_content *c)
{
    const struct wpp_grammar *g = &c->grammar;
    uint64_t longest = c->longest_rule, *counts = NULL;
    bool done = true;

    if (!c->grammar_code) {
        counts = malloc((c->n_terminals + (size_t)1) * sizeof *counts);
        done = counts
            && wpp_grammar_counts(&(struct wpp_rules){g->n_terminals, g->n_rules, g->body,
                                                      g->symbols, g->symbols + g->body[g->n_rules],
                                                      g->body[g->n_rules + g->n_threads]
                                                          - g->body[g->n_rules]},
                                  counts, &longest);
    }
    for (uint32_t i = 0; done && i < c->n_terminals; i++)
        wpp_put_varint(b, counts ? counts[i] : c->executed[i]);
    wpp_put_varint(b, longest);
    free(counts);
    return done;
}

bool wpp_content_tables(const struct wpp_content *c, struct wpp_bytes *routines,
                        struct wpp_bytes *terminals)
{
    wpp_put_routine_columns(routines, c);
    put_terminals(terminals, c);
    return !routines->failed && !terminals->failed;
}

void wpp_content_drop_counts(struct wpp_bytes *terminals)
{
    struct wpp_view v = wpp_view(terminals->data, terminals->size);
    uint64_t n = wpp_get_varint(&v);

    for (uint64_t i = 0; i < 2 * n && !v.failed; i++)
        wpp_get_varint(&v);
    if (!v.failed)
        terminals->size -= wpp_left(&v);
}

static void put_threads(struct wpp_bytes *b, const struct wpp_content *c)
{
    wpp_put_varint(b, c->n_threads);
    for (uint32_t i = 0; i < c->n_threads; i++) {
        wpp_put_varint(b, c->threads[i].tid);
        wpp_put_string(b, c->threads[i].name);
        wpp_put_varint(b, c->threads[i].tokens);
    }
}

/* Writes nothing when no routine was left out. */
static void put_left_out(struct wpp_bytes *b, const struct wpp_content *c)
{
    struct wpp_bytes body = {0};
    struct wpp_intern strings;
    uint32_t n = 0;

    wpp_intern_init(&strings);
    for (uint32_t i = 0; i < c->n_modules; i++)
        for (uint32_t k = 0; k < c->modules[i].n_left_out; k++, n++) {
            const struct wpp_left_out *r = &c->modules[i].left_out[k];

            wpp_put_varint(&body, i);
            wpp_put_varint(&body, wpp_intern(&strings, r->name));
            wpp_put_varint(&body, wpp_intern(&strings, r->file));
            wpp_put_varint(&body, r->line);
            wpp_put_varint(&body, r->reason);
        }
    if (n > 0) {
        wpp_put_intern(b, &strings);
        wpp_put_varint(b, n);
        wpp_put(b, body.data, body.size);
    }
    b->failed |= body.failed;
    wpp_bytes_free(&body);
    wpp_intern_free(&strings);
}

/* Writes nothing when no time was measured. */
static void put_times(struct wpp_bytes *b, const struct wpp_content *c)
{
    if (c->run.ticks_per_second == 0)
        return;
    wpp_put_varint(b, c->run.ticks_per_second);
    for (uint32_t i = 0; i < c->n_terminals; i++)
        wpp_put_varint(b, c->terminals[i].ticks);
}

/* Writes nothing when there are no segments. */
static void put_segment_list(struct wpp_bytes *b, const struct wpp_content *c)
{
    if (!c->segments)
        return;
    wpp_put_varint(b, c->segments->n);
    wpp_put(b, c->segments->list.data, c->segments->list.size);
}

static void put_counts(struct wpp_bytes *b, const struct wpp_content *c)
{
    wpp_put_varint(b, c->run.profile_kind);
    wpp_put_varint(b, c->run.runs);
    wpp_put_varint(b, c->n_terminals);
    for (uint32_t i = 0; i < c->n_terminals; i++) {
        assert(c->counts[i] > 0);
        wpp_put_varint(b, c->counts[i]);
    }
    if (c->run.part.copy > 0) {
        wpp_put_varint(b, c->run.part.copy);
        wpp_put_varint(b, c->run.part.copies);
        wpp_put_u64(b, c->run.part.plan);
    }
}

static void put_death(struct wpp_bytes *b, struct wpp_intern *strings,
                      const struct wpp_content *c, const struct wpp_death_content *d)
{
    bool unfinished = d->n == c->n_routines;

    assert(d->thread < c->n_threads && (d->place == 0 || d->module < c->n_modules));
    wpp_put_varint(b, d->thread);
    wpp_put_varint(b, d->signal);
    wpp_put_svarint(b, d->code);
    wpp_put_varint(b, d->address);
    wpp_put_varint(b, d->place);
    if (d->place == 0)
        return;
    wpp_put_varint(b, d->module);
    wpp_put_varint(b, d->offset);
    wpp_put_varint(b, wpp_intern(strings, d->symbol));
    wpp_put_varint(b, wpp_intern(strings, d->file));
    wpp_put_varint(b, d->line);
    wpp_put_varint(b, d->n == WPP_NO_ROUTINE ? 0 : unfinished ? 1 : (uint64_t)d->n + 2);
    if (!unfinished)
        return;
    wpp_put_varint(b, wpp_intern(strings, d->directory));
    wpp_put_varint(b, d->stage);
    wpp_put_routine(b, strings, d->routine);
}

/* Writes nothing if no thread's end is known. */
static void put_deaths(struct wpp_bytes *b, const struct wpp_content *c)
{
    struct wpp_bytes body = {0};
    struct wpp_intern strings;

    if (c->n_deaths == 0)
        return;
    wpp_intern_init(&strings);
    wpp_put_varint(&body, c->n_deaths);
    for (uint32_t i = 0; i < c->n_deaths; i++)
        put_death(&body, &strings, c, &c->deaths[i]);
    wpp_put_intern(b, &strings);
    wpp_put(b, body.data, body.size);
    b->failed |= body.failed;
    wpp_bytes_free(&body);
    wpp_intern_free(&strings);
}

/* Removes empty sections from `first` on; returns how many remain. */
static uint32_t leave_out_empty(struct wpp_section *sections, uint32_t first, uint32_t n)
{
    uint32_t kept = first;

    for (uint32_t i = first; i < n; i++)
        if (sections[i].content.size > 0 || sections[i].content.failed)
            sections[kept++] = sections[i];
    return kept;
}

static bool put_grammar(struct wpp_bytes *b, const struct wpp_content *c)
{
    if (c->grammar_code) {
        wpp_put(b, c->grammar_code->data, c->grammar_code->size);
        return !b->failed;
    }
    assert(c->grammar.n_threads == c->n_threads);
    assert(c->grammar.n_terminals == c->n_terminals);
    return c->small ? wpp_grammar_encode(&c->grammar, b) : wpp_grammar_encode_fast(&c->grammar, b);
}

enum { SECTIONS_MAX = 12 };

static struct wpp_bytes *add_section(struct wpp_section *sections, uint32_t *n, uint32_t kind)
{
    assert(*n < SECTIONS_MAX);
    sections[*n] = (struct wpp_section){.kind = kind};
    return &sections[(*n)++].content;
}

/* What only a WPP has: the order of its paths. */
static bool put_order(struct wpp_section *sections, uint32_t *n, const struct wpp_content *c)
{
    bool done = true;

    put_threads(add_section(sections, n, WPP_SECTION_THREADS), c);
    if (!c->segments) {
        struct wpp_section *grammar = &sections[*n];

        done = put_grammar(add_section(sections, n, WPP_SECTION_GRAMMAR), c);
        grammar->dense = true;
        grammar->forms = done ? wpp_grammar_forms(&grammar->content) : 0;
        if (grammar->forms & WPP_FORM_LANES)
            done = put_executed(&sections[WPP_SECTION_TERMINALS - 1].content, c);
    }
    wpp_put_chunk_columns(add_section(sections, n, WPP_SECTION_CHUNKS),
                          &(struct wpp_chunk_list){c->n_chunks, c->chunks}, c->n_threads);
    return done;
}

static int compare_sources(const void *left, const void *right)
{
    const struct wpp_source *a = left, *b = right;
    int order = strcmp(a->directory, b->directory);

    if (order == 0)
        order = strcmp(a->file, b->file);
    return order ? order : (a->hash > b->hash) - (a->hash < b->hash);
}

uint32_t wpp_content_order_sources(struct wpp_source *sources, size_t n)
{
    uint32_t kept = 0;

    if (n > 0)
        qsort(sources, n, sizeof *sources, compare_sources);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || compare_sources(&sources[kept - 1], &sources[i]) != 0)
            sources[kept++] = sources[i];
    return kept;
}

bool wpp_content_encode(const struct wpp_content *content, struct wpp_bytes *out,
                        struct wpp_error *error)
{
    struct wpp_section sections[SECTIONS_MAX] = {{0}};
    uint32_t n = 0, first;
    bool done;

    put_summary(add_section(sections, &n, WPP_SECTION_SUMMARY), content);
    put_modules(add_section(sections, &n, WPP_SECTION_MODULES), content);
    wpp_put_routine_columns(add_section(sections, &n, WPP_SECTION_ROUTINES), content);
    put_terminals(add_section(sections, &n, WPP_SECTION_TERMINALS), content);
    done = content->counts || put_order(sections, &n, content) || wpp_fail_memory(error);
    first = n;
    put_left_out(add_section(sections, &n, WPP_SECTION_LEFT_OUT), content);
    put_times(add_section(sections, &n, WPP_SECTION_TIMES), content);
    put_segment_list(add_section(sections, &n, WPP_SECTION_SEGMENT_LIST), content);
    put_deaths(add_section(sections, &n, WPP_SECTION_DEATHS), content);
    n = leave_out_empty(sections, first, n);
    if (content->counts)
        put_counts(add_section(sections, &n, WPP_SECTION_COUNTS), content);
    assert(n < SECTIONS_MAX);
    if (content->segments)
        sections[n++] = (struct wpp_section){
            .kind = WPP_SECTION_SEGMENTS, .elsewhere = true, .forms = content->segments->forms,
            .stored = content->segments->bytes, .check = content->segments->check,
        };
    done = done && wpp_container_write(sections, n, out, error);
    for (uint32_t i = 0; i < n; i++)
        wpp_bytes_free(&sections[i].content);
    return done;
}
