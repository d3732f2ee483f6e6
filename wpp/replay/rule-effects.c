/* SPDX-License-Identifier: MIT */
#include "wpp/replay/rule-effects.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/read/reader.h"

bool rule_effects_begin(struct rule_effects *r, const wpp *w)
{
    const struct wpp_grammar *g = wpp_grammar(w);
    size_t n = g->n_rules + (size_t)g->n_threads;

    *r = (struct rule_effects){.front = malloc((n + 1) * sizeof *r->front), .n_rules = n};
    if (r->front)
        memset(r->front, 0xff, (n + 1) * sizeof *r->front);     /* RULE_EFFECT_NONE */
    return r->front != NULL;
}

void rule_effects_end(struct rule_effects *r)
{
    const char *why;

    assert(!r->front || rule_effects_check(r, &why));
    (void)why;
    free(r->front);
    free(r->variant);
    free(r->frames);
    frame_kinds_free(&r->kinds);
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
    const struct rule_variant *v = &r->variant[variant];
    struct events_effect effect = v->effect;

    if (v->brief.seen == RULE_EFFECT_NONE) {
        effect.seen = r->frames + v->frame;
        effect.after = effect.seen + effect.n_seen;
    } else if (v->brief.seen != FRAME_KIND_ANY) {
        effect.seen = &r->kinds.frame[v->brief.seen];
        effect.after = &r->kinds.frame[v->brief.after];
    }
    return effect;
}

static void put_in_front(struct rule_effects *r, uint32_t rule, uint32_t variant)
{
    r->front[rule] = (struct rule_front){r->variant[variant].brief, variant};
}

/* Moves what it finds to the front of the list. */
uint32_t rule_effects_find(struct rule_effects *r, const struct events *e, uint32_t rule)
{
    uint32_t before = RULE_EFFECT_NONE, found = r->front[rule].variant;

    for (; found != RULE_EFFECT_NONE; before = found, found = r->variant[found].next) {
        struct events_effect effect = rule_effects_get(r, found);

        if (!events_matches(e, &effect))
            continue;
        if (before == RULE_EFFECT_NONE)
            return found;
        r->variant[before].next = r->variant[found].next;
        r->variant[found].next = r->front[rule].variant;
        put_in_front(r, rule, found);
        return found;
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

static bool is_short(const struct events_effect *x)
{
    return x->n_seen == x->n_after && x->n_seen <= 1 && x->left == 0 && !x->bottom
        && !x->reads_number && !x->writes_number;
}

/* Keeps the frames of the effect: as kinds, if the variant is short.  False: no memory. */
static bool keep_effect(struct rule_effects *r, struct rule_variant *v, uint32_t mark)
{
    const struct events_effect *x = &v->effect;

    if (!is_short(x))
        return keep_frames(r, x->seen, x->n_seen) && keep_frames(r, x->after, x->n_after);
    v->brief = (struct rule_brief){FRAME_KIND_ANY, FRAME_KIND_ANY, mark};
    return x->n_seen == 0 || (frame_kinds_find(&r->kinds, x->seen, &v->brief.seen)
                              && frame_kinds_find(&r->kinds, x->after, &v->brief.after));
}

uint32_t rule_effects_add(struct rule_effects *r, struct events *e,
                          const struct events_stretch *stretch, uint32_t rule, uint32_t mark)
{
    struct rule_variant v = {
        .brief = {RULE_EFFECT_NONE, RULE_EFFECT_NONE, 0}, .next = r->front[rule].variant,
        .frame = r->n_frames
    };
    bool kept;

    events_get_effect(e, stretch, &v.effect);
    kept = r->n < RULE_EFFECT_NONE && keep_effect(r, &v, mark)
        && grow(&r->variant, &r->capacity, r->n + 1, sizeof *r->variant);
    events_end(e, stretch);
    v.effect.seen = v.effect.after = NULL;
    if (!kept)
        return RULE_EFFECT_NONE;
    r->variant[r->n] = v;
    put_in_front(r, rule, (uint32_t)r->n);
    return (uint32_t)r->n++;
}

static const char *check_brief(const struct rule_effects *r, const struct rule_brief *b)
{
    if (b->seen == RULE_EFFECT_NONE)
        return NULL;
    if ((b->seen == FRAME_KIND_ANY) != (b->after == FRAME_KIND_ANY))
        return "a rule that looks at no activation changes one";
    return b->seen != FRAME_KIND_ANY && (b->seen >= r->kinds.n || b->after >= r->kinds.n)
         ? "a frame of no kind" : NULL;
}

bool rule_effects_check(const struct rule_effects *r, const char **why)
{
    size_t listed = 0;

    *why = NULL;
    for (size_t rule = 0; !*why && rule < r->n_rules; rule++) {
        const struct rule_front *front = &r->front[rule];

        if (front->variant == RULE_EFFECT_NONE ? front->brief.seen != RULE_EFFECT_NONE
            : front->variant >= r->n || front->brief.seen != r->variant[front->variant].brief.seen
              || front->brief.after != r->variant[front->variant].brief.after)
            *why = "a rule's short form is of another variant";
        for (uint32_t v = front->variant; !*why && v != RULE_EFFECT_NONE; v = r->variant[v].next) {
            *why = check_brief(r, &r->variant[v].brief);
            if (++listed > r->n)
                *why = "a variant is listed twice";
        }
    }
    if (!*why && listed != r->n)
        *why = "a variant is in no list";
    return !*why;
}

/* ---- Up to an event --------------------------------------------------------------------------- */

/* A rule that is being run.  With a stretch it is run to its end, and its effect is kept; without one it is the part
 * of a rule that lies before the place, which lies in the symbol at `end` if events are left to run. */
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
    struct part *parts;            /* those that are observed lie above the one that is not */
    size_t n_parts, capacity;
    uint64_t left;                 /* events to run of the symbol at the end of that one */
};

static bool push_part(struct forward *f, const struct part *part)
{
    if (!grow(&f->parts, &f->capacity, f->n_parts + 1, sizeof *f->parts))
        return false;
    f->parts[f->n_parts++] = *part;
    return true;
}

static bool enter_rule(struct forward *f, uint32_t rule)
{
    struct part part = {f->g->body[rule], f->g->body[rule + 1], rule, true, {0}};

    events_begin(f->events, &part.stretch);
    return push_part(f, &part);
}

/* Enters the rule in which the place lies, behind f->left events of it. */
static bool enter_until(struct forward *f, uint32_t rule)
{
    struct prefix_sums events = wpp_event_sums(f->w);
    uint64_t begin = f->g->body[rule];
    uint64_t end = prefix_sums_up_to(&events, begin, f->g->body[rule + 1], f->g->length[rule], &f->left);

    return push_part(f, &(struct part){.next = begin, .end = end, .rule = rule});
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
    uint32_t variant, mark;

    if (!(symbol & WPP_RULE))
        return run_terminal(f, symbol);
    if (rule_effects_short(&f->effects, f->events, symbol & ~WPP_RULE, &mark))
        return true;
    variant = rule_effects_find(&f->effects, f->events, symbol & ~WPP_RULE);
    if (variant == RULE_EFFECT_NONE)
        return enter_rule(f, symbol & ~WPP_RULE);
    effect = rule_effects_get(&f->effects, variant);
    return events_apply(f->events, &effect);
}

/* The next symbol of the topmost part, all of which lies before the place. */
static bool run_next(struct forward *f, struct part *top)
{
    uint64_t at = top->next++;

    if (at + RULE_EFFECTS_AHEAD < top->end)
        rule_effects_fetch(&f->effects, f->g->symbols[at + RULE_EFFECTS_AHEAD]);
    return run_symbol(f, f->g->symbols[at]);
}

/* Ends the topmost part: of one that is not observed, the rule in which the place lies is entered in its place. */
static bool end_part(struct forward *f)
{
    struct part *top = &f->parts[--f->n_parts];

    if (!top->observed)
        return enter_until(f, f->g->symbols[top->end] & ~WPP_RULE);
    return rule_effects_add(&f->effects, f->events, &top->stretch, top->rule, 0) != RULE_EFFECT_NONE;
}

static bool forward(struct forward *f, uint32_t thread)
{
    bool done = enter_until(f, f->g->n_rules + thread);

    while (done) {
        struct part *top = &f->parts[f->n_parts - 1];

        if (top->next < top->end)
            done = run_next(f, top);
        else if (!top->observed && f->left == 0)
            return true;
        else
            done = end_part(f);
    }
    return false;
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
