/* SPDX-License-Identifier: MIT */
#include "wpp/runs/novelty.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"

#define NONE UINT32_MAX

static bool is_new(const struct suspects *s, uint32_t predicate)
{
    return s->count[predicate].fail > 0 && s->count[predicate].pass == 0;
}

static bool pair_is_new(struct suspects *s, uint32_t x, uint32_t y)
{
    return is_new(s, vocabulary_predicate(&s->v, (struct predicate){.kind = PREDICATE_PAIR, .x = x, .y = y,
                                                                    .site = x}));
}

static bool routine_is_new(const struct suspects *s, uint32_t routine)
{
    return is_new(s, s->v.routine[routine].predicate);
}

static bool caller_is_new(struct suspects *s, uint32_t x, uint32_t y)
{
    return is_new(s, vocabulary_predicate(&s->v, (struct predicate){
        .kind = PREDICATE_CALLER, .x = x, .y = y, .site = s->v.routine[y].predicate}));
}

/* Whether it is new, and no consequence of other news. */
static bool is_news(struct suspects *s, uint32_t predicate)
{
    const struct predicate p = s->v.predicate[predicate];

    if (!is_new(s, predicate))
        return false;
    switch (p.kind) {
    case PREDICATE_ROUTINE: return true;
    case PREDICATE_PATH:    return !routine_is_new(s, p.x);
    case PREDICATE_PAIR:    return !is_new(s, p.x) && !is_new(s, p.y);
    case PREDICATE_TRIPLE:  return !pair_is_new(s, p.x, p.y) && !pair_is_new(s, p.y, p.z);
    case PREDICATE_CALLER:  return !routine_is_new(s, p.x) && !routine_is_new(s, p.y);
    case PREDICATE_CALLERS: return !caller_is_new(s, p.x, p.y) && !caller_is_new(s, p.y, p.z);
    default:                return false;
    }
}

/* ---- First events --------------------------------------------------------------------------- */

struct dating {
    struct suspects *s;
    const wpp *w;
    struct novelty *out;
    uint32_t *at;              /* by predicate: 1 + its place in out->news */
    uint32_t *path;            /* by terminal: predicate of its path, or NONE */
    uint32_t *routine;         /* by terminal: predicate of its routine, if it enters it */
    size_t left;               /* news without a date */
};

static void date(struct dating *d, uint32_t predicate, uint32_t thread, uint64_t event)
{
    struct news *n = d->at[predicate] ? &d->out->news[d->at[predicate] - 1] : NULL;

    if (!n || n->event != UINT64_MAX)
        return;
    n->thread = thread;
    n->event = event;
    d->left--;
}

static bool name_terminals(struct dating *d)
{
    uint32_t n = wpp_grammar(d->w)->n_terminals;
    bool kept = false;

    d->path = malloc((n + (size_t)1) * sizeof *d->path);
    d->routine = malloc((n + (size_t)1) * sizeof *d->routine);
    for (uint32_t t = 0; d->path && d->routine && t < n; t++) {
        uint32_t r = wpp_terminal(d->w, t)->routine, known;

        d->path[t] = d->routine[t] = NONE;
        if (r == WPP_NO_ROUTINE)
            continue;
        known = vocabulary_routine(&d->s->v, d->w, r, &kept);
        d->routine[t] = d->s->v.routine[known].predicate;
        d->path[t] = d->s->v.path[vocabulary_path(&d->s->v, d->w, t, known)].predicate;
    }
    return d->path && d->routine && !d->s->v.failed;
}

/* A predicate that is not in the vocabulary becomes one, but is no news. */
static uint32_t find(struct dating *d, struct predicate p, uint32_t n)
{
    uint32_t found = vocabulary_predicate(&d->s->v, p);

    return found < n ? found : 0;
}

static void date_event(struct dating *d, const uint32_t last[2], uint32_t terminal, uint32_t thread,
                       uint64_t event, uint32_t n)
{
    uint32_t now = d->path[terminal];

    if (now == NONE)
        return;
    date(d, now, thread, event);
    date(d, d->routine[terminal], thread, event);
    if (last[1] == NONE)
        return;
    date(d, find(d, (struct predicate){.kind = PREDICATE_PAIR, .x = last[1], .y = now, .site = last[1]}, n),
         thread, event);
    if (last[0] == NONE)
        return;
    date(d, find(d, (struct predicate){.kind = PREDICATE_TRIPLE, .x = last[0], .y = last[1], .z = now}, n),
         thread, event);
}

static bool date_thread(struct dating *d, uint32_t thread)
{
    wpp_cursor *c = wpp_cursor_new(d->w, thread, 0);
    uint32_t terminal[512], last[2] = {NONE, NONE}, n_known = d->s->v.n;
    uint64_t event = 0;
    size_t n;

    if (!c)
        return false;
    while (d->left > 0 && (n = wpp_cursor_read(c, terminal, 512)) > 0)
        for (size_t i = 0; i < n && d->left > 0; i++, event++) {
            date_event(d, last, terminal[i], thread, event, n_known);
            last[0] = last[1];
            last[1] = d->path[terminal[i]];
        }
    wpp_cursor_free(c);
    return !d->s->v.failed;
}

/* Callers are dated by the callee's first path: its first call from there may come later. */
static bool date_all(struct dating *d)
{
    const struct wpp_grammar *g = wpp_grammar(d->w);
    bool done;

    d->at = calloc(d->s->v.n + (size_t)1, sizeof *d->at);
    done = d->at && name_terminals(d);
    for (size_t i = 0; done && i < d->out->n; i++) {
        uint32_t kind = d->s->v.predicate[d->out->news[i].predicate].kind;

        if (kind == PREDICATE_CALLER || kind == PREDICATE_CALLERS)
            continue;
        d->at[d->out->news[i].predicate] = (uint32_t)i + 1;
        d->left++;
    }
    for (uint32_t k = 0; done && d->left > 0 && k < g->n_threads; k++)
        done = date_thread(d, k);
    free(d->at);
    free(d->path);
    free(d->routine);
    return done;
}

static int compare_news(const void *left, const void *right)
{
    const struct news *a = left, *b = right;

    if (a->event == UINT64_MAX || b->event == UINT64_MAX)
        return a->event != b->event ? (a->event == UINT64_MAX) - (b->event == UINT64_MAX)
               : a->predicate < b->predicate ? -1 : a->predicate > b->predicate;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->event != b->event)
        return a->event < b->event ? -1 : 1;
    return a->predicate < b->predicate ? -1 : a->predicate > b->predicate;
}

bool novelty_of(struct suspects *s, const wpp *w, struct novelty *out, struct wpp_error *error)
{
    struct dating d = {.s = s, .w = w, .out = out};
    uint32_t n = s->v.n;

    *out = (struct novelty){.news = malloc((n + (size_t)1) * sizeof *out->news)};
    if (!out->news)
        return wpp_fail_memory(error);
    for (uint32_t p = 0; p < n; p++)
        if (is_news(s, p))
            out->news[out->n++] = (struct news){.predicate = p, .event = UINT64_MAX};
    if (!date_all(&d)) {
        novelty_free(out);
        return wpp_fail_memory(error);
    }
    qsort(out->news, out->n, sizeof *out->news, compare_news);
    return true;
}

void novelty_free(struct novelty *n)
{
    free(n->news);
    *n = (struct novelty){0};
}
