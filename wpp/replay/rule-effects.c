/* SPDX-License-Identifier: MIT */
#include "wpp/replay/rule-effects.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool rule_effects_begin(struct rule_effects *r, const wpp *w)
{
    const struct wpp_grammar *g = wpp_grammar(w);
    size_t n = g->n_rules + (size_t)g->n_threads;

    *r = (struct rule_effects){.first_of = malloc((n + 1) * sizeof *r->first_of)};
    if (r->first_of)
        memset(r->first_of, 0xff, (n + 1) * sizeof *r->first_of);
    return r->first_of != NULL;
}

void rule_effects_end(struct rule_effects *r)
{
    free(r->first_of);
    free(r->variant);
    free(r->frames);
    *r = (struct rule_effects){0};
}

static bool grow(void *array, size_t *capacity, size_t n, size_t each)
{
    size_t larger = *capacity ? *capacity : 64;
    void **at = array, *moved;

    if (n <= *capacity)
        return true;
    while (larger < n)
        larger += larger / 2;
    moved = realloc(*at, larger * each);
    if (!moved)
        return false;
    *at = moved;
    *capacity = larger;
    return true;
}

/* ---- Variants -------------------------------------------------------------------------------- */

struct events_effect rule_effects_get(const struct rule_effects *r, uint32_t variant)
{
    assert(variant < r->n);
    struct events_effect effect = r->variant[variant].effect;

    effect.seen = r->frames + r->variant[variant].frame;
    effect.after = effect.seen + effect.n_seen;
    return effect;
}

/* Moves what it finds to the front of the list. */
uint32_t rule_effects_find(struct rule_effects *r, const struct events *e, uint32_t rule)
{
    uint32_t *link = &r->first_of[rule], found;

    for (; *link != RULE_EFFECT_NONE; link = &r->variant[*link].next) {
        struct events_effect effect = rule_effects_get(r, *link);

        if (!events_matches(e, &effect))
            continue;
        found = *link;
        *link = r->variant[found].next;
        r->variant[found].next = r->first_of[rule];
        return r->first_of[rule] = found;
    }
    return RULE_EFFECT_NONE;
}

static bool keep_frames(struct rule_effects *r, const struct events_frame *frames, uint32_t n)
{
    if (!grow(&r->frames, &r->frames_capacity, r->n_frames + n, sizeof *r->frames))
        return false;
    if (n > 0)
        memcpy(r->frames + r->n_frames, frames, n * sizeof *frames);
    r->n_frames += n;
    return true;
}

uint32_t rule_effects_add(struct rule_effects *r, struct events *e,
                          const struct events_stretch *stretch, uint32_t rule)
{
    struct rule_variant v = {.frame = r->n_frames, .next = r->first_of[rule]};
    bool kept;

    events_get_effect(e, stretch, &v.effect);
    kept = keep_frames(r, v.effect.seen, v.effect.n_seen)
        && keep_frames(r, v.effect.after, v.effect.n_after)
        && grow(&r->variant, &r->capacity, r->n + 1, sizeof *r->variant)
        && r->n < RULE_EFFECT_NONE;
    events_end(e, stretch);
    v.effect.seen = v.effect.after = NULL;
    if (!kept)
        return RULE_EFFECT_NONE;
    r->variant[r->n] = v;
    return r->first_of[rule] = (uint32_t)r->n++;
}

/* ---- Up to an event --------------------------------------------------------------------------- */

/* A rule that is being run.  With a stretch it is run to its end, and its effect is kept. */
struct part {
    uint64_t next, end;            /* in the grammar's symbols */
    uint32_t rule;
    bool observed;
    struct events_stretch stretch;
};

struct forward {
    const wpp *w;
    const struct wpp_grammar *g;
    struct events *events;
    struct rule_effects effects;
    struct part *parts;            /* those that are observed lie above the others */
    size_t n_parts, capacity;
    uint64_t left;                 /* events to run, of the topmost part that is not observed */
};

static bool enter_rule(struct forward *f, uint32_t rule, bool observed)
{
    struct part part = {f->g->body[rule], f->g->body[rule + 1], rule, observed, {0}};

    if (!grow(&f->parts, &f->capacity, f->n_parts + 1, sizeof *f->parts))
        return false;
    if (observed)
        events_begin(f->events, &part.stretch);
    f->parts[f->n_parts++] = part;
    return true;
}

static bool run_terminal(struct forward *f, uint32_t number)
{
    const struct wpp_terminal *t = wpp_terminal(f->w, number);
    struct events_step step;

    return events_next(f->events, t,
                       t->routine == WPP_NO_ROUTINE ? NULL : wpp_routine(f->w, t->routine), &step);
}

/* Runs a symbol that lies before the place. */
static bool run_symbol(struct forward *f, uint32_t symbol)
{
    struct events_effect effect;
    uint32_t variant;

    if (!(symbol & WPP_RULE))
        return run_terminal(f, symbol);
    variant = rule_effects_find(&f->effects, f->events, symbol & ~WPP_RULE);
    if (variant == RULE_EFFECT_NONE)
        return enter_rule(f, symbol & ~WPP_RULE, true);
    effect = rule_effects_get(&f->effects, variant);
    return events_apply(f->events, &effect);
}

/* The next symbol of the topmost part, which is not observed.  The place may lie in it. */
static bool go_on(struct forward *f, struct part *top)
{
    uint32_t symbol = f->g->symbols[top->next];
    uint64_t length = symbol & WPP_RULE ? f->g->length[symbol & ~WPP_RULE] : 1;

    if (length > f->left) {
        top->next = top->end;      /* nothing behind it lies before the place */
        return enter_rule(f, symbol & ~WPP_RULE, false);
    }
    top->next++;
    f->left -= length;
    return run_symbol(f, symbol);
}

static bool end_part(struct forward *f)
{
    struct part *top = &f->parts[--f->n_parts];

    return !top->observed
        || rule_effects_add(&f->effects, f->events, &top->stretch, top->rule) != RULE_EFFECT_NONE;
}

static bool forward(struct forward *f, uint32_t thread)
{
    bool done = enter_rule(f, f->g->n_rules + thread, false);

    while (done && f->n_parts > 0) {
        struct part *top = &f->parts[f->n_parts - 1];

        if (!top->observed && f->left == 0)
            return true;
        if (top->next == top->end)
            done = end_part(f);
        else if (top->observed)
            done = run_symbol(f, f->g->symbols[top->next++]);
        else
            done = go_on(f, top);
    }
    return done;
}

struct events *events_until(const wpp *w, uint32_t thread, uint64_t event)
{
    struct forward f = {.w = w, .g = wpp_grammar(w), .left = event};
    bool done;

    assert(thread < f.g->n_threads && event <= wpp_thread(w, thread)->tokens);
    f.events = events_new();
    done = f.events && rule_effects_begin(&f.effects, w) && forward(&f, thread);
    rule_effects_end(&f.effects);
    free(f.parts);
    if (!done) {
        events_free(f.events);
        return NULL;
    }
    return f.events;
}
