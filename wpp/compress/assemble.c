/* SPDX-License-Identifier: MIT */
/* assemble.c - makes the content of a file from the finished grammar and the facts about its
 * terminals.
 *
 * The alphabet has numbered terminals by arrival, across threads.  A file numbers them by first
 * occurrence along the start rules, and routines and units by first terminal.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/compress/compressor.h"
#include "wpp/compress/deaths.h"
#include "wpp/format/grammar-code.h"
#include "wpp/format/profile-order.h"
#include "wpp/format/renumber.h"
#include "wpp/format/segments.h"

/* A unit's table, and the source files in it that executed routines name. */
struct unit_sources {
    const struct wpp_unit_table *table;
    bool *used;
    uint32_t last;                     /* the source found last */
};

struct assembly {
    const struct wpp_compressor *c;
    struct wpp_arena arena;
    struct seq_grammar grammar;
    struct wpp_bytes code;             /* of parts: in place of the grammar */
    uint32_t n_terminals;              /* those that occur: the alphabet may have seen more */
    uint32_t *order;                   /* old numbers of terminals 0, 1, ... */
    uint64_t *counts;                  /* of a path profile, by old number; otherwise NULL */
    struct wpp_alphabet units;         /* by their base tokens, which all differ */
    struct wpp_alphabet routines;      /* by the tokens of their path 0 */
    struct unit_sources *sources;      /* by unit */
    struct wpp_content content;
};

/* ---- Routines and units by first terminal --------------------------------------------- */

static bool new_unit(struct assembly *a, const struct wpp_token_place *place)
{
    const struct wpp_unit_table *table = &a->c->modules.loaded[place->module]
                                              .units[place->unit].table;
    struct wpp_unit_content *units = (struct wpp_unit_content *)a->content.units;

    a->sources[a->content.n_units] = (struct unit_sources){
        table, wpp_arena_alloc(&a->arena, table->n_sources, sizeof(bool)), 0
    };
    if (!a->sources[a->content.n_units].used)
        return false;
    units[a->content.n_units++] = (struct wpp_unit_content){
        place->module, table->compiler, table->source, table->directory, table->stage,
        table->level};
    return true;
}

/* Compares pointers: within a unit each file's name is one string. */
static void use_source(struct unit_sources *s, const char *file)
{
    if (s->last < s->table->n_sources && s->table->sources[s->last].file == file) {
        s->used[s->last] = true;
        return;
    }
    for (uint32_t i = 0; i < s->table->n_sources; i++)
        if (s->table->sources[i].file == file) {
            s->used[i] = true;
            s->last = i;
            return;
        }
}

static void use_sources(struct unit_sources *s, const struct wpp_routine *r)
{
    use_source(s, r->file);
    for (uint32_t b = 0; b < r->n_blocks; b++)
        for (uint32_t i = 0; i < r->blocks[b].n_lines; i++)
            use_source(s, r->blocks[b].lines[i].file);
    for (uint32_t i = 0; i < r->n_inlined; i++)
        use_source(s, r->inlined[i].file);
}

static bool new_routine(struct assembly *a, const struct wpp_token_place *place,
                        struct wpp_error *error)
{
    const struct wpp_loaded_module *module = &a->c->modules.loaded[place->module];
    const struct wpp_module_unit *unit = &module->units[place->unit];
    struct wpp_view encoded = unit->table.routines[place->routine].encoded;
    struct wpp_routine_content *routines = (struct wpp_routine_content *)a->content.routines;
    struct wpp_routine *r = wpp_arena_alloc(&a->arena, 1, sizeof *r);
    uint32_t number;

    if (!r || wpp_alphabet_map(&a->units, &unit->base, 1, &number) < 0)
        return wpp_fail_memory(error);
    if (number == a->content.n_units && !new_unit(a, place))
        return wpp_fail_memory(error);
    if (!wpp_parse_routine(&encoded, &unit->table.strings, &a->arena, r))
        return a->arena.failed
                   ? wpp_fail_memory(error)
                   : wpp_fail(error, WPP_E_FORMAT, "%s has a broken path table (section .wpp, "
                              "routine %u of %s)", module->path, place->routine,
                              unit->table.source);
    use_sources(&a->sources[number], r);
    routines[a->content.n_routines++] = (struct wpp_routine_content){number, place->routine_base,
                                                                     r};
    return true;
}

static bool describe_terminals(struct assembly *a, struct wpp_error *error)
{
    uint32_t n = a->n_terminals;
    struct wpp_terminal_content *terminals = wpp_arena_alloc(&a->arena, n, sizeof *terminals);

    a->content.terminals = terminals;
    a->content.units = wpp_arena_alloc(&a->arena, n, sizeof *a->content.units);
    a->content.routines = wpp_arena_alloc(&a->arena, n, sizeof *a->content.routines);
    a->sources = wpp_arena_alloc(&a->arena, n, sizeof *a->sources);
    if (a->arena.failed)
        return wpp_fail_memory(error);
    for (uint32_t t = 0; t < n; t++) {
        struct wpp_token_place place;

        terminals[t].token = a->counts ? a->c->counts.sums.list[t].token
                                       : a->c->alphabet.tokens[a->order[t]];
        terminals[t].left = a->counts ? a->c->counts.sums.list[t].left : 0;
        terminals[t].ticks = wpp_path_times_of(&a->c->times, terminals[t].token);
        terminals[t].routine = WPP_NO_ROUTINE;
        if (!wpp_modules_find(&a->c->modules, terminals[t].token, &place))
            continue;
        if (wpp_alphabet_map(&a->routines, &place.routine_base, 1, &terminals[t].routine) < 0)
            return wpp_fail_memory(error);
        if (terminals[t].routine == a->content.n_routines && !new_routine(a, &place, error))
            return false;
    }
    a->content.n_terminals = n;
    return true;
}

/* Collects the used source files of all units, each once. */
static bool describe_sources(struct assembly *a)
{
    struct wpp_source *all;
    uint32_t n = 0;

    for (uint32_t u = 0; u < a->content.n_units; u++)
        for (uint32_t i = 0; i < a->sources[u].table->n_sources; i++)
            n += a->sources[u].used[i];
    a->content.sources = all = wpp_arena_alloc(&a->arena, n, sizeof *all);
    if (!all)
        return false;
    n = 0;
    for (uint32_t u = 0; u < a->content.n_units; u++)
        for (uint32_t i = 0; i < a->sources[u].table->n_sources; i++)
            if (a->sources[u].used[i])
                all[n++] = a->sources[u].table->sources[i];
    a->content.n_sources = wpp_content_order_sources(all, n);
    return true;
}

/* ---- The rest --------------------------------------------------------------------------- */

static bool describe_modules(struct assembly *a)
{
    uint32_t n = a->c->modules.n;
    struct wpp_module_content *modules = wpp_arena_alloc(&a->arena, n, sizeof *modules);

    if (!modules)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct wpp_loaded_module *m = &a->c->modules.loaded[i];

        modules[i] = (struct wpp_module_content){m->path, m->build_id, m->build_id_bytes,
                                                 m->n_routines, m->n_limited, m->n_left_out,
                                                 m->left_out};
    }
    a->content.modules = modules;
    a->content.n_modules = n;
    a->content.unread_modules = a->c->modules.unread;
    a->content.n_unread_modules = a->c->modules.n_unread;
    return true;
}

static bool describe_threads(struct assembly *a)
{
    uint32_t n = a->c->streams.n;
    struct wpp_thread *threads = wpp_arena_alloc(&a->arena, n, sizeof *threads);

    if (!threads)
        return false;
    for (uint32_t k = 0; k < n; k++) {
        const struct wpp_stream *s = &a->c->streams.list[k];

        threads[k] = (struct wpp_thread){.tid = s->tid, .name = s->name, .tokens = s->tokens};
    }
    a->content.threads = threads;
    a->content.n_threads = n;
    return true;
}

static enum wpp_ended why_no_more(const struct wpp_compressor *c)
{
    if (c->note.status != WPP_OK)
        return c->run.ended;
    if (c->modules.n_unread > 0)
        return WPP_ENDED_UNREAD;
    return c->rest_taken && !c->run.exited && !c->run.killed ? WPP_ENDED_UNTOLD : WPP_ENDED_UNSAID;
}

static void describe_run(struct assembly *a)
{
    const struct wpp_compressor *c = a->c;

    a->content.run = c->run;
    a->content.run.nanoseconds = c->last_time > c->first_time ? c->last_time - c->first_time : 0;
    a->content.run.lost = c->lost;
    a->content.run.early += c->alphabet.n_early;
    if (c->stopped_at && c->last_time > c->stopped_at)
        a->content.run.stopped += c->last_time - c->stopped_at;
    a->content.run.trace_bytes = c->bytes;
    a->content.run.ticks_per_second = wpp_path_times_rate(&c->times);
    a->content.run.complete = c->note.status == WPP_OK && c->modules.n_unread == 0;
    a->content.run.ended = why_no_more(c);
    a->content.run.parts = c->n_pieces + c->pieces_coded;
    a->content.small = c->anew == WPP_ANEW_ALL;
    a->content.chunks = c->when.list;
    a->content.n_chunks = c->when.n;
    if (c->segments.n)
        a->content.segments = &c->segments;
    else if (!c->base)
        a->content.grammar = (struct wpp_grammar){c->alphabet.n, a->grammar.rules,
                                                  a->grammar.starts, a->grammar.body,
                                                  a->grammar.symbols, a->grammar.length};
}

/* Takes the finished grammar. */
static bool export(struct assembly *a)
{
    uint32_t n_met;

    if (seq_export(a->c->grammar, &a->grammar) != SEQ_OK)
        return false;
    seq_forget(a->c->grammar);
    if (!wpp_renumber(&a->grammar, a->n_terminals, a->order, &n_met))
        return false;
    assert(n_met == a->n_terminals);
    return true;
}

/* Takes the code of the grammar of all parts. */
static bool take_code(struct assembly *a)
{
    uint64_t *counts = wpp_arena_alloc(&a->arena, a->n_terminals, sizeof *counts);
    uint32_t n = a->n_terminals;

    a->content.grammar_code = &a->code;
    a->content.executed = counts;
    if (!counts || !wpp_piece_coder_finish(a->c->coder, a->c->streams.n, &a->code, a->order, &n))
        return false;
    assert(n == a->n_terminals);
    return !(wpp_grammar_forms(&a->code) & WPP_FORM_LANES)
        || wpp_piece_coder_counts(a->c->coder, counts, &a->content.longest_rule);
}

/* Takes the grammar and the order of terminals; with segments the order is already known. */
static bool take_grammar(struct assembly *a)
{
    const struct wpp_compressor *c = a->c;
    uint32_t n = c->segments.n ? c->segments.n_terminals : c->alphabet.n;

    a->n_terminals = n;
    a->order = wpp_arena_alloc(&a->arena, n, sizeof *a->order);
    if (!a->order)
        return false;
    if (c->segments.n) {
        memcpy(a->order, c->segments.order, n * sizeof *a->order);
        return true;
    }
    return c->base ? take_code(a) : export(a);
}

/* A path profile has no grammar: the terminals are what was counted. */
static bool take_counts(struct assembly *a)
{
    const struct wpp_token_sums *c = &a->c->counts.sums;

    if (c->n > UINT32_MAX)
        return false;
    a->n_terminals = (uint32_t)c->n;
    a->counts = wpp_arena_alloc(&a->arena, c->n + 1, sizeof *a->counts);
    for (size_t i = 0; a->counts && i < c->n; i++)
        a->counts[i] = c->list[i].sum;
    return a->counts != NULL;
}

static bool order_profile(struct assembly *a)
{
    a->content.run.profile_kind = a->c->counts_kind;
    a->content.run.runs = 1;
    a->content.run.parts = 0;
    a->content.run.part = a->c->part;
    a->content.n_threads = 0;
    a->content.n_chunks = 0;
    a->content.segments = NULL;
    a->content.grammar = (struct wpp_grammar){0};
    return wpp_profile_order(&a->content, a->counts, &a->arena);
}

static bool assemble(struct assembly *a, struct wpp_bytes *file, struct wpp_error *error)
{
    bool is_profile = a->c->counts_kind != 0;

    if (!(is_profile ? take_counts(a) : take_grammar(a)) || !wpp_alphabet_init(&a->units, false) ||
        !wpp_alphabet_init(&a->routines, false) || !describe_modules(a) || !describe_threads(a))
        return wpp_fail_memory(error);
    if (!describe_terminals(a, error))
        return false;
    if (!describe_sources(a))
        return wpp_fail_memory(error);
    describe_run(a);
    if (is_profile && !order_profile(a))
        return wpp_fail_memory(error);
    if (!is_profile && !wpp_deaths_describe(a->c, &a->arena, &a->routines, &a->content))
        return wpp_fail_memory(error);
    return wpp_content_encode(&a->content, file, error);
}

bool wpp_assemble(wpp_compressor *c, struct wpp_bytes *file, struct wpp_error *error)
{
    struct assembly a = {.c = c};
    bool done = assemble(&a, file, error);

    if (c->grammar)
        seq_grammar_free(c->grammar, &a.grammar);
    wpp_bytes_free(&a.code);
    wpp_alphabet_free(&a.units);
    wpp_alphabet_free(&a.routines);
    wpp_arena_free(&a.arena);
    return done;
}
