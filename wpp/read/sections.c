/* SPDX-License-Identifier: MIT */
#include "wpp/read/sections.h"

#include <assert.h>

#include "tracer/trace-abi.h"
#include "wpp/base/demangle.h"
#include "wpp/base/error.h"
#include "wpp/format/chunk-columns.h"
#include "wpp/format/grammar-code.h"
#include "wpp/format/grammar-join.h"
#include "wpp/format/path-table.h"
#include "wpp/format/routine-columns.h"

/* The most blocks and edges of all paths together.  It is far above any real program, and limits
 * the memory that a small malicious file can make us allocate. */
enum { MAX_PATH_ELEMENTS = 1 << 28 };

/* ---- The sections, in the writer's order (SECTION ORDER in content.c) --------- */

static void *allocate(struct loading *l, size_t n, size_t size)
{
    return wpp_arena_alloc(l->arena, n, size);
}

bool section_lacks(const struct loading *l, unsigned parts)
{
    return (l->w->findings.missing & parts) != 0;
}

static const char *get_string(struct loading *l, struct wpp_view *v)
{
    size_t n = wpp_get_count(v, 1);
    const uint8_t *bytes = wpp_get_bytes(v, n);

    if (!bytes || memchr(bytes, 0, n)) {
        v->failed = true;
        return NULL;
    }
    return wpp_arena_string(l->arena, bytes, n);
}

static bool get_summary(struct loading *l, struct wpp_view *v)
{
    struct wpp_summary *s = &l->w->summary;

    s->program = get_string(l, v);
    s->command = get_string(l, v);
    s->host = get_string(l, v);
    s->pid = (uint32_t)wpp_get_varint_max(v, UINT32_MAX);
    s->started = wpp_get_varint(v);
    s->nanoseconds = wpp_get_varint(v);
    s->lost = wpp_get_varint(v);
    s->trace_bytes = wpp_get_varint(v);
    s->complete = wpp_get_varint_max(v, 1);
    if (wpp_left(v) == 0)
        return true;           /* all threads have 0 */
    s->waited = wpp_get_varint(v);
    s->stops = wpp_get_varint(v);
    s->stopped = wpp_get_varint(v);
    s->unrecorded = wpp_get_varint(v);
    if (wpp_left(v) == 0)
        return true;
    s->ended = (uint32_t)wpp_get_varint_max(v, UINT32_MAX);
    s->dropped = wpp_get_varint(v);
    if (wpp_left(v) == 0)
        return true;
    s->exited = (uint32_t)wpp_get_varint_max(v, UINT32_MAX);
    s->killed = (uint32_t)wpp_get_varint_max(v, UINT32_MAX);
    if (wpp_left(v) == 0)
        return true;
    s->early = wpp_get_varint(v);
    if (wpp_left(v) == 0)
        return true;
    s->parts = (uint32_t)wpp_get_varint_max(v, UINT32_MAX);
    return true;
}

static bool get_unread_modules(struct loading *l, struct wpp_view *v)
{
    size_t n = wpp_get_count(v, 4);
    struct wpp_unread_module *list = allocate(l, n, sizeof *list);

    if (!list || n > UINT32_MAX)
        return false;
    for (size_t i = 0; i < n; i++) {
        list[i].path = get_string(l, v);
        list[i].why = get_string(l, v);
        list[i].token = (uint32_t)wpp_get_varint_max(v, UINT32_MAX);
        list[i].n_tokens = (uint32_t)wpp_get_varint_max(v, UINT32_MAX - list[i].token);
    }
    l->w->unread_modules = list;
    l->w->summary.n_unread_modules = (uint32_t)n;
    return true;
}

static bool get_build_id(struct loading *l, struct wpp_view *v, struct wpp_module_content *m)
{
    size_t n = wpp_get_count(v, 1);
    const uint8_t *bytes = wpp_get_bytes(v, n);

    if (!bytes || n > UINT32_MAX)
        return false;
    m->build_id = (const uint8_t *)wpp_arena_string(l->arena, bytes, n);
    m->build_id_bytes = (uint32_t)n;
    return m->build_id != NULL;
}

static bool get_modules(struct loading *l, struct wpp_view *v)
{
    struct wpp_summary *s = &l->w->summary;
    size_t n = wpp_get_count(v, 4);
    struct wpp_module_content *modules = allocate(l, n, sizeof *modules);

    if (!modules || n > UINT32_MAX)
        return false;
    for (size_t i = 0; i < n; i++) {
        modules[i].path = get_string(l, v);
        if (!get_build_id(l, v, &modules[i]))
            return false;
        modules[i].n_routines =
            (uint32_t)wpp_get_varint_max(v, UINT32_MAX - s->n_instrumented_routines);
        modules[i].n_limited = (uint32_t)wpp_get_varint_max(v, modules[i].n_routines);
        s->n_instrumented_routines += modules[i].n_routines;
        s->n_limited_routines += modules[i].n_limited;
    }
    l->w->modules = modules;
    s->n_modules = l->w->n_modules = (uint32_t)n;
    return wpp_left(v) == 0 || get_unread_modules(l, v);
}

/* Reads the index of a module; any index is allowed when the list is missing. */
static bool get_module(struct loading *l, struct wpp_view *v, uint32_t *index)
{
    *index = (uint32_t)wpp_get_varint_max(v, UINT32_MAX);
    return !v->failed && (section_lacks(l, WPP_PART_MODULES) || *index < l->w->n_modules);
}

/* "" when the list of modules is missing. */
static const char *path_of_module(const struct loading *l, uint32_t index)
{
    return section_lacks(l, WPP_PART_MODULES) ? "" : l->w->modules[index].path;
}

/* Whether the language is C, whose names may look like C++'s: `GNU C17 12.2.0`, not `GNU C++17
 * 12.2.0`. */
static bool is_c(const char *compiler)
{
    static const char c[] = "GNU C";

    return strncmp(compiler, c, strlen(c)) == 0 && compiler[strlen(c)] != '+';
}

/* Demangles the names of the routine and of the functions inlined into it.  Without a demangler
 * they stay as they are. */
static bool show_names(struct loading *l, struct wpp_demangler *demangler, struct wpp_routine *r)
{
    struct wpp_inlined *calls = (struct wpp_inlined *)r->inlined;

    r->shown = demangler ? wpp_demangle(demangler, l->arena, r->name) : r->name;
    for (uint32_t i = 0; r->shown && i < r->n_inlined; i++) {
        calls[i].shown = demangler ? wpp_demangle(demangler, l->arena, calls[i].name)
                                   : calls[i].name;
        if (!calls[i].shown)
            return false;
    }
    return r->shown != NULL;
}

/* Any module is allowed when the list is missing. */
static bool check_modules(const struct loading *l, const struct wpp_routine_tables *t)
{
    for (uint32_t i = 0; i < t->n_units; i++)
        if (!section_lacks(l, WPP_PART_MODULES) && t->units[i].module >= l->w->n_modules)
            return false;
    return true;
}

static bool get_routines(struct loading *l, struct wpp_view *v)
{
    struct wpp *w = l->w;
    struct wpp_routine_tables t;
    struct wpp_demangler demangler = {0};

    if (!(l->columns ? wpp_get_routine_columns : wpp_get_routine_rows)(v, l->arena, &t)
        || !check_modules(l, &t))
        return false;
    for (uint32_t i = 0; i < t.n_routines; i++) {
        const struct wpp_unit_content *unit = &t.units[t.unit_of[i]];
        struct wpp_routine *r = &t.routines[i];

        if (!show_names(l, is_c(unit->compiler) ? NULL : &demangler, r))
            return false;
        r->module = path_of_module(l, unit->module);
        r->directory = unit->directory;
        r->stage = unit->stage;
    }
    w->units = t.units;
    w->n_units = t.n_units;
    w->routines = t.routines;
    w->bases = t.bases;
    w->unit_of = t.unit_of;
    w->summary.n_routines = w->n_routines = t.n_routines;
    w->sources = t.sources;
    w->summary.n_sources = t.n_sources;
    return true;
}

bool section_get_module(struct loading *l, struct wpp_view *v, uint32_t *module)
{
    return get_module(l, v, module);
}

const char *section_module_path(const struct loading *l, uint32_t module)
{
    return path_of_module(l, module);
}

bool section_show_names(struct loading *l, struct wpp_routine *r)
{
    struct wpp_demangler demangler = {0};

    return show_names(l, &demangler, r);
}

/* Finds the path's edges and blocks, and the facts that follow from them. */
static bool walk_path(struct loading *l, struct wpp_terminal *t, uint32_t *scratch,
                      uint64_t *n_elements)
{
    const struct wpp_routine *r = &l->w->routines[t->routine];
    uint32_t n = wpp_path_edges(r, t->path, scratch), *edges, *blocks;

    if (n == 0)
        return false;
    *n_elements += 2 * (uint64_t)n;
    t->n_edges = n;
    t->n_blocks = n - !t->left;
    edges = allocate(l, n, sizeof *edges);
    blocks = allocate(l, t->n_blocks, sizeof *blocks);
    if (!edges || !blocks || *n_elements > MAX_PATH_ELEMENTS)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        edges[i] = scratch[i];
        if (i == t->n_blocks)
            break;
        blocks[i] = r->edges[scratch[i]].dst;
        t->insns += r->blocks[blocks[i]].insns;
    }
    t->insns = t->insns > 0 ? t->insns : 1;
    t->edges = edges;
    t->blocks = blocks;
    t->enters = r->edges[edges[0]].kind == WPP_EDGE_REAL;
    t->leaves = !t->left && r->edges[edges[n - 1]].kind == WPP_EDGE_REAL;
    return true;
}

static bool walk_paths(struct loading *l, struct wpp_terminal *terminals, uint32_t n)
{
    uint32_t most = 0, *scratch;
    uint64_t n_elements = 0;

    for (uint32_t i = 0; i < l->w->n_routines; i++)
        most = l->w->routines[i].n_blocks > most ? l->w->routines[i].n_blocks : most;
    scratch = allocate(l, most, sizeof *scratch);
    if (!scratch)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (terminals[i].routine == WPP_NO_ROUTINE)
            terminals[i].insns = !terminals[i].control;
        else if (!walk_path(l, &terminals[i], scratch, &n_elements))
            return false;
    }
    return true;
}

/* Whether this is a program's trace: only such a trace has control words; plain symbols may be any
 * number.  Without a summary, modules and routines are a sign of a program. */
static bool is_program(const struct loading *l)
{
    const struct wpp_summary *s = &l->w->summary;

    return section_lacks(l, WPP_PART_SUMMARY) ? s->n_modules || s->n_routines : s->program[0];
}

/* Whether the token may be a control word or a plain symbol, which a damaged file does not tell. */
static bool is_doubtful(const struct loading *l, uint32_t token)
{
    return token >= WPP_CONTROL && !is_program(l) && section_lacks(l, WPP_PART_SUMMARY)
        && section_lacks(l, WPP_PART_MODULES);
}

static bool get_executed(struct loading *l, struct wpp_view *v, size_t n)
{
    uint64_t *executed = allocate(l, n, sizeof *executed);

    for (size_t i = 0; executed && i < n; i++)
        executed[i] = wpp_get_varint(v);
    l->w->executed = executed;
    l->w->summary.longest_rule = wpp_get_varint(v);
    return executed != NULL;
}

/* Routines are numbered by their first terminal. */
static bool get_terminals(struct loading *l, struct wpp_view *v)
{
    size_t n = wpp_get_count(v, 2);
    /* Allocates one entry more: see salvage.c. */
    struct wpp_terminal *terminals = allocate(l, n + 1, sizeof *terminals);
    bool has_controls = is_program(l), has_left = l->w->summary.is_profile;
    uint32_t n_seen = 0;

    if (!terminals || n > WPP_RULE / 2)
        return false;
    for (size_t i = 0; i < n; i++) {
        uint64_t code = wpp_get_varint_max(v, (uint64_t)n_seen + 1);

        if (code == (uint64_t)n_seen + 1 && n_seen++ == l->w->n_routines)
            return false;
        terminals[i].routine = code == 0 ? WPP_NO_ROUTINE : (uint32_t)code - 1;
    }
    if (n_seen != l->w->n_routines)
        return false;
    for (size_t i = 0; i < n; i++) {
        struct wpp_terminal *t = &terminals[i];
        bool raw = t->routine == WPP_NO_ROUTINE;
        const struct wpp_routine *r = raw ? NULL : &l->w->routines[t->routine];
        uint64_t max = raw ? UINT32_MAX : !has_left ? r->num_paths - 1
                           : WPP_LEFT_PATH(r, r->num_paths - 1, r->n_blocks - 1);
        uint64_t path = wpp_get_varint_max(v, max);

        t->path = raw ? 0 : path;
        if (!raw)
            path = wpp_path_until(r, path, &t->left);
        if (!raw && t->path >= r->num_paths && t->left < 2)
            return false;
        t->token = (uint32_t)path + (raw ? 0 : l->w->bases[t->routine]);
        t->control = raw && has_controls && t->token >= WPP_CONTROL;
        if (raw && is_doubtful(l, t->token))
            return false;
        l->w->summary.n_controls += t->control;
    }
    if (l->has_executed && !get_executed(l, v, n))
        return false;
    l->w->terminals = terminals;
    l->w->summary.n_terminals = l->w->n_terminals = (uint32_t)n;
    return !v->failed && walk_paths(l, terminals, (uint32_t)n);
}

static bool get_threads(struct loading *l, struct wpp_view *v)
{
    struct wpp_summary *s = &l->w->summary;
    size_t n = wpp_get_count(v, 3);
    struct wpp_thread *threads = allocate(l, n, sizeof *threads);

    if (!threads || n > UINT32_MAX)
        return false;
    for (size_t i = 0; i < n; i++) {
        threads[i].tid = (uint32_t)wpp_get_varint_max(v, UINT32_MAX);
        threads[i].name = get_string(l, v);
        threads[i].tokens = threads[i].recorded = wpp_get_varint(v);
        if (__builtin_add_overflow(s->tokens, threads[i].tokens, &s->tokens))
            return false;
    }
    l->w->threads = threads;
    s->recorded = s->tokens;
    s->n_threads = l->w->n_threads = (uint32_t)n;
    return true;
}

static bool broken_grammar(struct loading *l, const struct wpp_error *why)
{
    return why->status == WPP_E_MEMORY
               ? wpp_fail_memory(l->error)
               : wpp_fail(l->error, why->status, "%s is damaged: in its grammar, %s", l->path,
                          why->text);
}

/* Makes the grammar's threads, of which nothing else is known. */
static bool make_threads(struct loading *l)
{
    const struct wpp_grammar *g = &l->w->grammar;
    struct wpp_thread *threads = allocate(l, g->n_threads, sizeof *threads);

    for (uint32_t k = 0; threads && k < g->n_threads; k++) {
        threads[k] = (struct wpp_thread){.name = "", .tokens = g->length[g->n_rules + k]};
        threads[k].recorded = threads[k].tokens;
        if (__builtin_add_overflow(l->w->summary.tokens, threads[k].tokens, &l->w->summary.tokens))
            return false;
    }
    l->w->threads = threads;
    l->w->summary.recorded = l->w->summary.tokens;
    l->w->summary.n_threads = l->w->n_threads = g->n_threads;
    return threads != NULL;
}

static bool take_grammar(struct loading *l)
{
    const struct wpp_grammar *g = &l->w->grammar;

    if (!section_lacks(l, WPP_PART_TERMINALS) && g->n_terminals != l->w->n_terminals)
        return false;
    if (section_lacks(l, WPP_PART_THREADS) && !make_threads(l))
        return false;
    if (g->n_threads != l->w->n_threads)
        return false;
    for (uint32_t k = 0; k < g->n_threads; k++)
        if (g->length[g->n_rules + k] != l->w->threads[k].tokens)
            return false;
    l->w->summary.n_rules = g->n_rules;
    l->w->summary.rhs_symbols = g->body[g->n_rules + g->n_threads];
    return true;
}

/* Whether the terminals were executed as often as the threads have events. */
static bool fits_threads(const struct loading *l)
{
    uint64_t sum = 0;

    if (section_lacks(l, WPP_PART_THREADS) || !l->w->executed)
        return true;
    for (uint32_t i = 0; i < l->w->n_terminals; i++)
        if (__builtin_add_overflow(sum, l->w->executed[i], &sum))
            return false;
    return sum == l->w->summary.tokens;
}

/* Only what the section begins with. */
static bool get_totals(struct loading *l, struct wpp_view *v)
{
    struct wpp_summary *s = &l->w->summary;
    struct wpp_grammar totals;

    if (!wpp_grammar_totals(*v, &totals, &s->rhs_symbols) || totals.n_terminals != l->w->n_terminals
        || totals.n_threads != l->w->n_threads)
        return false;
    s->n_rules = totals.n_rules;
    s->n_segments = 1;
    return true;
}

/* The totals, and nothing of the grammar; but a reader for wpp_open_unread(). */
static bool leave_unread(struct loading *l, struct wpp_view *v)
{
    struct wpp_error why;

    if (!get_totals(l, v))
        return false;
    if (l->unread) {
        l->w->reading = wpp_grammar_reader_new(*v, &why);
        if (!l->w->reading)
            return broken_grammar(l, &why);
        wpp_grammar_reader_show(l->w->reading, &l->w->grammar);
    }
    l->w->figures_only = !l->unread;
    v->p = v->end;
    return true;
}

static bool get_grammar(struct loading *l, struct wpp_view *v)
{
    struct wpp_error why;

    if (!fits_threads(l))
        return false;
    if ((l->figures_only || l->unread) && l->w->executed && !section_lacks(l, WPP_PART_THREADS))
        return leave_unread(l, v);
    if (!wpp_grammar_decode(*v, &l->w->grammar, &why))
        return broken_grammar(l, &why);
    v->p = v->end;
    l->w->summary.n_segments = 1;
    return take_grammar(l);
}

static bool get_segments(struct loading *l, struct wpp_view *v)
{
    struct wpp_error why;

    if (!wpp_grammar_join(*v, section_lacks(l, WPP_PART_TERMINALS) ? WPP_ANY : l->w->n_terminals,
                          section_lacks(l, WPP_PART_THREADS) ? WPP_ANY : l->w->n_threads,
                          &l->w->grammar, &l->w->summary.n_segments, &why))
        return broken_grammar(l, &why);
    v->p = v->end;
    return take_grammar(l);
}

static bool get_chunks(struct loading *l, struct wpp_view *v)
{
    struct wpp_chunk_list chunks;

    if (!(l->columns ? wpp_get_chunk_columns : wpp_get_chunk_rows)(v, l->w->n_threads, l->arena,
                                                                   &chunks))
        return false;
    for (uint64_t i = 0; i < chunks.n; i++)
        if (chunks.list[i].first > l->w->threads[chunks.list[i].thread].tokens)
            return false;
    l->w->chunks = chunks.list;
    l->w->n_chunks = chunks.n;
    return true;
}

static bool get_left_out(struct loading *l, struct wpp_view *v)
{
    struct wpp_string_table strings;
    struct wpp_left_out *list;
    struct wpp_demangler demangler = {0};
    size_t n;

    if (!wpp_parse_strings(v, l->arena, &strings))
        return false;
    n = wpp_get_count(v, 5);
    list = allocate(l, n, sizeof *list);
    l->w->left_out_module = allocate(l, n, sizeof *l->w->left_out_module);
    if (!list || !l->w->left_out_module || n > UINT32_MAX)
        return false;
    for (size_t i = 0; i < n; i++) {
        uint32_t *module = &l->w->left_out_module[i];

        if (!get_module(l, v, module) || !wpp_parse_left_out(v, &strings, &list[i]))
            return false;
        list[i].module = path_of_module(l, *module);
        list[i].shown = wpp_demangle(&demangler, l->arena, list[i].name);
        if (!list[i].shown)
            return false;
    }
    l->w->left_out = list;
    l->w->summary.n_left_out = l->w->n_left_out = (uint32_t)n;
    return true;
}

static bool get_times(struct loading *l, struct wpp_view *v)
{
    struct wpp_summary *s = &l->w->summary;

    s->ticks_per_second = wpp_get_varint(v);
    for (uint32_t i = 0; i < l->w->n_terminals; i++) {
        struct wpp_terminal *t = &l->w->terminals[i];

        t->ticks = wpp_get_varint(v);
        if (__builtin_add_overflow(s->ticks, t->ticks, &s->ticks))
            return false;
    }
    return s->ticks_per_second > 0;
}

/* Whether terminal b may stand behind a in a path profile: by module and token, and those that have
 * no routine by token behind the others. */
static bool is_ordered(const struct wpp *w, const struct wpp_terminal *a,
                       const struct wpp_terminal *b)
{
    bool raw = a->routine == WPP_NO_ROUTINE, other = b->routine == WPP_NO_ROUTINE;
    uint32_t module, next;

    if (raw || other)
        return !raw || (other && a->token < b->token);
    module = w->units[w->unit_of[a->routine]].module;
    next = w->units[w->unit_of[b->routine]].module;
    return module < next || (module == next && (a->token < b->token
                                                || (a->token == b->token && a->left < b->left)));
}

static bool get_counts(struct loading *l, struct wpp_view *v)
{
    struct wpp_summary *s = &l->w->summary;
    uint64_t *counts = allocate(l, l->w->n_terminals, sizeof *counts);

    s->profile_kind = (uint32_t)wpp_get_varint_max(v, WPP_PROFILE_EDGES);
    s->runs = wpp_get_varint(v);
    if (!counts || s->profile_kind == 0 || s->runs == 0
        || wpp_get_varint(v) != l->w->n_terminals)
        return false;
    for (uint32_t i = 0; i < l->w->n_terminals; i++) {
        counts[i] = wpp_get_varint(v);
        if (counts[i] == 0
            || (i > 0 && !is_ordered(l->w, &l->w->terminals[i - 1], &l->w->terminals[i])))
            return false;
        if (__builtin_add_overflow(s->tokens, counts[i], &s->tokens))
            s->tokens = UINT64_MAX;
    }
    s->recorded = s->tokens;
    l->w->counts = counts;
    return wpp_left(v) == 0 || wpp_get_part(v, &s->part);
}

const struct section_reader section_readers[] = {
    {WPP_SECTION_SUMMARY, "summary", get_summary, ALWAYS, WPP_PART_SUMMARY, 0},
    {WPP_SECTION_MODULES, "modules", get_modules, ALWAYS, WPP_PART_MODULES, 0},
    {WPP_SECTION_ROUTINES, "routines", get_routines, ALWAYS, WPP_PART_ROUTINES, 0},
    {WPP_SECTION_TERMINALS, "terminals", get_terminals, ALWAYS, WPP_PART_TERMINALS,
     WPP_PART_ROUTINES},
    {WPP_SECTION_THREADS, "threads", get_threads, IN_ORDER, WPP_PART_THREADS, 0},
    {WPP_SECTION_GRAMMAR, "grammar", get_grammar, ONE_PIECE, WPP_PART_GRAMMAR, 0},
    {WPP_SECTION_SEGMENTS, "segments", get_segments, IN_SEGMENTS, WPP_PART_GRAMMAR, 0},
    {WPP_SECTION_CHUNKS, "chunks", get_chunks, IN_ORDER, WPP_PART_CHUNKS,
     WPP_PART_THREADS | WPP_PART_GRAMMAR},
    {WPP_SECTION_LEFT_OUT, "left-out", get_left_out, AT_TIMES, WPP_PART_LEFT_OUT, 0},
    {WPP_SECTION_TIMES, "times", get_times, AT_TIMES, WPP_PART_TIMES, WPP_PART_TERMINALS},
    {WPP_SECTION_COUNTS, "counts", get_counts, IN_PROFILE, WPP_PART_COUNTS, WPP_PART_TERMINALS},
    {WPP_SECTION_DEATHS, "deaths", section_get_deaths, IF_THERE, WPP_PART_DEATHS, WPP_PART_ROUTINES}
};

bool section_is_expected(const struct section_reader *reader, const struct wpp_container *c)
{
    switch (reader->presence) {
    case ALWAYS: return true;
    case AT_TIMES: return c->head == WPP_HEAD_LOST || wpp_container_has(c, reader->kind);
    case IF_THERE: return wpp_container_has(c, reader->kind);
    case ONE_PIECE: return !wpp_container_is_cut(c) && !wpp_container_is_profile(c);
    case IN_SEGMENTS: return wpp_container_is_cut(c);
    case IN_ORDER: return !wpp_container_is_profile(c);
    case IN_PROFILE: return wpp_container_is_profile(c);
    }
    return false;
}
