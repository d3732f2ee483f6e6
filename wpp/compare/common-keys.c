/* SPDX-License-Identifier: MIT */
#include "wpp/compare/common-keys.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/trace-abi.h"
#include "wpp/base/error.h"
#include "wpp/base/intern.h"
#include "wpp/base/names.h"
#include "wpp/profile/same-routine.h"

/* A number for each text: routines, scopes and keys are written as texts. */
struct maker {
    struct common_keys *k;
    struct wpp_intern routines, scopes, keys;
    char *const *ignore;
    size_t n_ignore;
    char *text;                    /* of the current one */
    size_t room;
    uint32_t n_homes;              /* room in k->home */
    bool failed;
};

__attribute__((format(printf, 3, 4)))
static uint32_t number_of(struct maker *m, struct wpp_intern *table, const char *format, ...)
{
    va_list args;
    int size;

    va_start(args, format);
    size = vsnprintf(m->text, m->room, format, args);
    va_end(args);
    if (size >= 0 && (size_t)size >= m->room) {
        char *larger = realloc(m->text, 2 * (size_t)size + 64);

        if (!larger) {
            m->failed = true;
            return 0;
        }
        m->text = larger;
        m->room = 2 * (size_t)size + 64;
        va_start(args, format);
        vsnprintf(m->text, m->room, format, args);
        va_end(args);
    }
    return wpp_intern(table, m->text);
}

static bool has_failed(const struct maker *m)
{
    return m->failed || m->routines.failed || m->scopes.failed || m->keys.failed;
}

/* ---- Routines ------------------------------------------------------------------------------ */

static bool is_named(const char *name, const char *shown, const char *asked)
{
    return strcmp(name, asked) == 0 || name_fits(shown, asked, strlen(asked));
}

static bool is_ignored(const struct maker *m, const char *name, const char *shown)
{
    for (size_t i = 0; i < m->n_ignore; i++)
        if (is_named(name, shown, m->ignore[i]))
            return true;
    return false;
}

bool common_keys_name(const wpp *w, const char *asked)
{
    struct wpp_summary run;

    wpp_get_summary(w, &run);
    for (uint32_t i = 0; i < run.n_routines; i++) {
        const struct wpp_routine *r = wpp_routine(w, i);

        if (is_named(r->name, r->shown, asked))
            return true;
        for (uint32_t k = 0; k < r->n_inlined; k++)
            if (is_named(r->inlined[k].name, r->inlined[k].shown, asked))
                return true;
    }
    return false;
}

static bool begin_side(struct maker *m, unsigned s, const wpp *w)
{
    struct key_side *side = &m->k->side[s];
    struct wpp_summary run;

    wpp_get_summary(w, &run);
    *side = (struct key_side){.w = w, .n_routines = run.n_routines};
    side->routine = calloc(run.n_routines + (size_t)1, sizeof *side->routine);
    side->ignored = calloc(run.n_routines + (size_t)1, sizeof *side->ignored);
    if (!side->routine || !side->ignored)
        return false;
    for (uint32_t i = 0; i < run.n_routines; i++) {
        const struct wpp_routine *r = wpp_routine(w, i);

        side->ignored[i] = is_ignored(m, r->name, r->shown);
    }
    return true;
}

/* Numbers the routines of both runs, as same-routine.h does. */
static bool match_same(struct maker *m)
{
    struct key_side *a = &m->k->side[SIDE_A], *b = &m->k->side[SIDE_B];
    uint32_t n = a->n_routines + b->n_routines;
    const struct wpp_routine **routine = calloc(n + (size_t)1, sizeof *routine);
    uint32_t *same = calloc(n + (size_t)1, sizeof *same);
    bool ok = routine && same;

    for (uint32_t i = 0; ok && i < n; i++)
        routine[i] = i < a->n_routines ? wpp_routine(a->w, i) : wpp_routine(b->w, i - a->n_routines);
    ok = ok && routine_find_same(routine, n, NULL, NULL, same);
    for (uint32_t i = 0; ok && i < n; i++)
        *(i < a->n_routines ? &a->routine[i] : &b->routine[i - a->n_routines]) = same[i];
    m->k->n_routines = n;
    free(routine);
    free(same);
    return ok;
}

/* The same by names alone. */
static bool match_names(struct maker *m)
{
    for (unsigned s = 0; s < 2; s++)
        for (uint32_t i = 0; i < m->k->side[s].n_routines; i++) {
            const struct wpp_routine *r = wpp_routine(m->k->side[s].w, i);

            m->k->side[s].routine[i] = number_of(m, &m->routines, "%s %s",
                                                 routine_base_name(r->file), r->name);
        }
    m->k->n_routines = m->routines.n + 1;
    return !has_failed(m);
}

static bool match_routines(struct maker *m)
{
    struct common_keys *k = m->k;

    if (!(k->by == COMMON_BY_PATH ? match_same(m) : match_names(m)))
        return false;
    for (unsigned s = 0; s < 2; s++) {
        k->routine_of[s] = malloc((k->n_routines + (size_t)1) * sizeof *k->routine_of[s]);
        if (!k->routine_of[s])
            return false;
        memset(k->routine_of[s], 0xff, (k->n_routines + (size_t)1) * sizeof *k->routine_of[s]);
        for (uint32_t i = k->side[s].n_routines; i-- > 0;)
            k->routine_of[s][k->side[s].routine[i]] = i;
    }
    return true;
}

/* ---- Keys ---------------------------------------------------------------------------------- */

/* Notes where the key stands on the side. */
static uint32_t at_home(struct maker *m, unsigned s, uint32_t key, struct key_home home)
{
    struct common_keys *k = m->k;

    if (has_failed(m))
        return 0;
    if (key >= m->n_homes) {
        uint32_t n = 2 * key + 64;
        void *larger = realloc(k->home, n * sizeof *k->home);

        if (!larger) {
            m->failed = true;
            return 0;
        }
        k->home = larger;
        memset(k->home + m->n_homes, 0, (n - m->n_homes) * sizeof *k->home);
        m->n_homes = n;
    }
    if (!k->home[key][s].known) {
        home.known = true;
        k->home[key][s] = home;
    }
    return key;
}

/* The module of a path that was not read, or NULL. */
static const struct wpp_unread_module *unread_module(const wpp *w, uint32_t token)
{
    struct wpp_summary run;

    wpp_get_summary(w, &run);
    for (uint32_t i = 0; i < run.n_unread_modules; i++) {
        const struct wpp_unread_module *u = wpp_unread_module(w, i);

        if (u->path[0] && token >= u->token && token - u->token < u->n_tokens)
            return u;
    }
    return NULL;
}

static uint32_t key_without_routine(struct maker *m, const wpp *w, const struct wpp_terminal *t)
{
    const struct wpp_unread_module *u = t->control ? NULL : unread_module(w, t->token);

    if (u)
        return number_of(m, &m->keys, "unread %" PRIu32 " %s", t->token - u->token, u->path);
    return number_of(m, &m->keys, "%s %" PRIu32, t->control ? "control" : "symbol", t->token);
}

/* By path and by routine: at most one key.  KEY_NONE: there is none. */
static uint32_t key_of_terminal(struct maker *m, unsigned s, uint32_t terminal)
{
    struct key_side *side = &m->k->side[s];
    const struct wpp_terminal *t = wpp_terminal(side->w, terminal);
    bool by_path = m->k->by == COMMON_BY_PATH;
    uint32_t key;

    if (t->routine == WPP_NO_ROUTINE) {
        if (!by_path && !(t->control && t->token == WPP_GAP))
            return KEY_NONE;
        return at_home(m, s, key_without_routine(m, side->w, t),
                       (struct key_home){.routine = WPP_NO_ROUTINE, .terminal = terminal});
    }
    if (side->ignored[t->routine] || (!by_path && !t->enters))
        return KEY_NONE;
    key = by_path ? number_of(m, &m->keys, "path %" PRIu32 " %" PRIu64, side->routine[t->routine],
                              t->path)
                  : number_of(m, &m->keys, "routine %" PRIu32, side->routine[t->routine]);
    return at_home(m, s, key, (struct key_home){.routine = t->routine, .terminal = terminal});
}

/* ---- Lines --------------------------------------------------------------------------------- */

/* The text of a routine's inlined call is its callers' and its own name.  False: it is ignored, or so
 * is one around it. */
static bool find_scopes(struct maker *m, const struct wpp_routine *r, uint32_t *scope, bool *shown)
{
    scope[0] = 0;
    shown[0] = true;
    for (uint32_t i = 0; i < r->n_inlined; i++) {
        const struct wpp_inlined *call = &r->inlined[i];

        assert(call->caller <= i);
        scope[i + 1] = number_of(m, &m->scopes, "%" PRIu32 " %s", scope[call->caller], call->name);
        shown[i + 1] = shown[call->caller] && !is_ignored(m, call->name, call->shown);
    }
    return !has_failed(m);
}

static bool key_routine_lines(struct maker *m, unsigned s, uint32_t routine)
{
    struct key_side *side = &m->k->side[s];
    const struct wpp_routine *r = wpp_routine(side->w, routine);
    uint32_t *scope = calloc(r->n_inlined + (size_t)1, sizeof *scope);
    bool *shown = calloc(r->n_inlined + (size_t)1, sizeof *shown);
    bool ok = scope && shown && find_scopes(m, r, scope, shown);

    for (uint32_t b = 0; ok && b < r->n_blocks; b++)
        for (uint32_t i = 0; i < r->blocks[b].n_lines; i++) {
            const struct wpp_line *l = &r->blocks[b].lines[i];
            uint32_t *key = &side->line_key[side->line[side->block[routine] + b] + i];
            bool own = strcmp(l->file, r->file) == 0;

            *key = KEY_NONE;
            if (l->line == 0 || side->ignored[routine] || !shown[l->inlined])
                continue;
            *key = number_of(m, &m->keys, "line %" PRIu32 " %" PRIu32 " %s%" PRIu32 " %s",
                             side->routine[routine], scope[l->inlined], own ? "+" : "",
                             own ? l->line - r->line : l->line, routine_base_name(l->file));
            *key = at_home(m, s, *key, (struct key_home){.routine = routine, .line = l,
                                                         .terminal = UINT32_MAX});
        }
    free(scope);
    free(shown);
    return ok && !has_failed(m);
}

/* Where paths of the routine go on with the line in which the one before ended: behind calls, and
 * where numbers ran out. */
static void find_going_on(struct key_side *side, uint32_t routine)
{
    const struct wpp_routine *r = wpp_routine(side->w, routine);
    bool *goes_on = side->goes_on + side->block[routine];

    for (unsigned others = 0; others < 2; others++)
        for (uint32_t i = 0; i < r->n_edges; i++) {
            const struct wpp_edge *e = &r->edges[i];
            bool on = e->kind == WPP_EDGE_END_CALL || e->kind == WPP_EDGE_END_LIMIT;

            if (e->kind != WPP_EDGE_REAL && e->kind != WPP_EDGE_START && e->to < r->n_blocks
                && on != others)
                goes_on[e->to] = on;
        }
}

static bool key_lines(struct maker *m, unsigned s)
{
    struct key_side *side = &m->k->side[s];
    uint64_t n_blocks = 0, n_lines = 0, at = 0;

    side->block = calloc(side->n_routines + (size_t)1, sizeof *side->block);
    if (!side->block)
        return false;
    for (uint32_t r = 0; r < side->n_routines; r++)
        side->block[r + 1] = n_blocks += wpp_routine(side->w, r)->n_blocks;
    side->line = calloc(n_blocks + 1, sizeof *side->line);
    side->goes_on = calloc(n_blocks + 1, sizeof *side->goes_on);
    if (!side->line || !side->goes_on)
        return false;
    for (uint32_t r = 0; r < side->n_routines; r++)
        for (uint32_t b = 0; b < wpp_routine(side->w, r)->n_blocks; b++) {
            n_lines += wpp_routine(side->w, r)->blocks[b].n_lines;
            side->line[++at] = n_lines;
        }
    side->line_key = calloc(n_lines + 1, sizeof *side->line_key);
    for (uint32_t r = 0; side->line_key && r < side->n_routines; r++) {
        find_going_on(side, r);
        if (!key_routine_lines(m, s, r))
            return false;
    }
    return side->line_key != NULL;
}

/* Writes the keys of a path's lines; `out` has room for all of them. */
static uint64_t path_keys(const struct key_side *side, const struct wpp_terminal *t, uint32_t *out)
{
    uint64_t block = side->block[t->routine], n = 0;
    uint32_t before = KEY_NONE;
    bool goes_on = !t->enters && t->n_blocks > 0 && side->goes_on[block + t->blocks[0]];

    for (uint32_t i = 0; i < t->n_blocks; i++) {
        uint64_t b = block + t->blocks[i];

        for (uint64_t l = side->line[b]; l < side->line[b + 1]; l++) {
            uint32_t key = side->line_key[l];

            if (key != KEY_NONE && key != before)
                out[n++] = before = key;
        }
        if (i == 0 && n > 0 && goes_on)
            out[0] |= KEY_GOES_ON;
    }
    return n;
}

void common_keys_add_lines(const struct common_keys *k, unsigned s, uint32_t terminal,
                           double times, double *executions, double *insns)
{
    const struct key_side *side = &k->side[s];
    const struct wpp_terminal *t = wpp_terminal(side->w, terminal);
    const struct key_strings *strings = &side->strings;
    const struct wpp_routine *r;

    assert(k->by == COMMON_BY_LINE);
    for (uint64_t i = strings->first[terminal]; i < strings->first[terminal + 1]; i++)
        if (!(strings->key[i] & KEY_GOES_ON))
            executions[strings->key[i]] += times;
    if (t->routine == WPP_NO_ROUTINE)
        return;
    r = wpp_routine(side->w, t->routine);
    for (uint32_t i = 0; i < t->n_blocks; i++) {
        uint64_t b = side->block[t->routine] + t->blocks[i];
        double share = times * r->blocks[t->blocks[i]].insns
                     / (double)(side->line[b + 1] - side->line[b]);

        for (uint64_t l = side->line[b]; l < side->line[b + 1]; l++)
            if (side->line_key[l] != KEY_NONE)
                insns[side->line_key[l]] += share;
    }
}

/* ---- Strings ------------------------------------------------------------------------------- */

static uint64_t most_keys(const struct common_keys *k, unsigned s, uint32_t terminal)
{
    const struct key_side *side = &k->side[s];
    const struct wpp_terminal *t = wpp_terminal(side->w, terminal);
    uint64_t n = 0;

    if (k->by != COMMON_BY_LINE || t->routine == WPP_NO_ROUTINE)
        return 1;
    for (uint32_t i = 0; i < t->n_blocks; i++)
        n += wpp_routine(side->w, t->routine)->blocks[t->blocks[i]].n_lines;
    return n;
}

static bool make_strings(struct maker *m, unsigned s)
{
    struct key_side *side = &m->k->side[s];
    struct key_strings *strings = &side->strings;
    uint32_t n = strings->n_terminals = wpp_grammar(side->w)->n_terminals;
    uint64_t most = 0, at = 0;

    for (uint32_t t = 0; t < n; t++)
        most += most_keys(m->k, s, t);
    strings->first = calloc(n + (size_t)1, sizeof *strings->first);
    strings->key = calloc(most + 1, sizeof *strings->key);
    if (!strings->first || !strings->key)
        return false;
    for (uint32_t i = 0; i < n && !has_failed(m); i++) {
        const struct wpp_terminal *t = wpp_terminal(side->w, i);

        if (m->k->by == COMMON_BY_LINE && t->routine != WPP_NO_ROUTINE) {
            at += path_keys(side, t, strings->key + at);
        } else {
            uint32_t key = key_of_terminal(m, s, i);

            if (key != KEY_NONE)
                strings->key[at++] = key;
        }
        assert(at <= most);
        strings->first[i + 1] = at;
    }
    return !has_failed(m);
}

bool common_keys_new(struct common_keys *out, const wpp *const w[2], enum common_by by,
                     char *const *ignore, size_t n_ignore, struct wpp_error *error)
{
    struct maker m = {.k = out, .ignore = ignore, .n_ignore = n_ignore};
    bool ok;

    *out = (struct common_keys){.by = by};
    wpp_intern_init(&m.routines);
    wpp_intern_init(&m.scopes);
    wpp_intern_init(&m.keys);
    ok = begin_side(&m, SIDE_A, w[SIDE_A]) && begin_side(&m, SIDE_B, w[SIDE_B])
      && match_routines(&m);
    for (unsigned s = 0; ok && s < 2; s++)
        ok = (by != COMMON_BY_LINE || key_lines(&m, s)) && make_strings(&m, s);
    ok = ok && !has_failed(&m);
    out->n = m.keys.n < m.n_homes ? m.keys.n : m.n_homes;
    wpp_intern_free(&m.routines);
    wpp_intern_free(&m.scopes);
    wpp_intern_free(&m.keys);
    free(m.text);
    if (ok)
        return true;
    common_keys_free(out);
    return wpp_fail_memory(error);
}

void common_keys_free(struct common_keys *k)
{
    for (unsigned s = 0; s < 2; s++) {
        struct key_side *side = &k->side[s];

        free(side->routine);
        free(side->ignored);
        free(side->strings.first);
        free(side->strings.key);
        free(side->block);
        free(side->line);
        free(side->line_key);
        free(side->goes_on);
        free(k->routine_of[s]);
    }
    free(k->home);
    *k = (struct common_keys){0};
}
