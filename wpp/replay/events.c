/* SPDX-License-Identifier: MIT */
/* events.c - the stack of activations that explains a stream of paths. */

#include "wpp/replay/events.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/trace-abi.h"

/* A frame whose last path was its end: no path can follow. */
#define RESUME_NEVER (UINT32_MAX - 1)
/* A frame that can go on only by an exception or a non-local return. */
#define RESUME_UNWOUND (UINT32_MAX - 2)

#define NO_LABEL 0             /* no Frame word is 0 */

/*      frames   0 ... low ... floor ... depth
 *                untouched | looked at | new
 *
 * A stretch that is observed has not looked at the frames below `low`; it made those from `floor`
 * on.  `seen` holds copies of the frames low .. as they were when the stretch began, topmost first.
 * Without a stretch, low and floor are 0. */
struct events {
    struct events_frame *frames;
    uint32_t depth, capacity;
    uint32_t numbered;     /* number of the next numbered activation */
    uint32_t low, floor;
    struct events_frame *seen;
    size_t n_seen, seen_capacity;
    bool bottom, reads_number, writes_number;
    bool failed;           /* no memory for `seen` */
};

struct events *events_new(void)
{
    return calloc(1, sizeof(struct events));
}

void events_free(struct events *e)
{
    if (e) {
        free(e->frames);
        free(e->seen);
    }
    free(e);
}

uint32_t events_depth(const struct events *e)
{
    return e->depth;
}

const struct events_frame *events_frames(const struct events *e)
{
    return e->frames;
}

static bool reserve(struct events *e)
{
    uint32_t capacity = e->capacity ? 2 * e->capacity : 64;
    struct events_frame *frames;

    assert(e->depth <= e->capacity);
    if (e->depth < e->capacity)
        return true;
    if (e->capacity > UINT32_MAX / 4)
        return false;
    frames = realloc(e->frames, capacity * sizeof *frames);
    if (!frames)
        return false;
    e->frames = frames;
    e->capacity = capacity;
    return true;
}

/* ---- Observing ---------------------------------------------------------------------- */

static bool reserve_seen(struct events *e, size_t more)
{
    size_t capacity = e->seen_capacity ? e->seen_capacity : 64;
    struct events_frame *seen;

    while (capacity < e->n_seen + more)
        capacity *= 2;
    if (capacity == e->seen_capacity)
        return true;
    seen = realloc(e->seen, capacity * sizeof *seen);
    if (!seen)
        return false;
    e->seen = seen;
    e->seen_capacity = capacity;
    return true;
}

/* Notes that the frames from `depth` on are looked at, and may be changed. */
static void touch(struct events *e, uint32_t depth)
{
    if (e->low <= depth)
        return;
    if (!reserve_seen(e, e->low - depth)) {
        e->failed = true;
        return;
    }
    assert(e->n_seen + (e->low - depth) <= e->seen_capacity);
    while (e->low > depth)
        e->seen[e->n_seen++] = e->frames[--e->low];
}

/* Notes that the whole stack was looked at, also that nothing is below it. */
static void touch_all(struct events *e)
{
    touch(e, 0);
    e->bottom = true;
}

static void drop_to(struct events *e, uint32_t depth)
{
    assert(depth <= e->depth && (depth >= e->low || e->failed));
    e->depth = depth;
    if (e->floor > depth)
        e->floor = depth;
}

static void write_number(struct events *e, uint32_t number)
{
    e->numbered = number;
    e->writes_number = true;
}

static uint32_t take_number(struct events *e)
{
    uint32_t number = e->numbered;

    e->reads_number |= !e->writes_number;
    write_number(e, number + 1);
    return number;
}

void events_begin(struct events *e, struct events_stretch *s)
{
    assert(e->low <= e->floor && e->floor <= e->depth);
    *s = (struct events_stretch){
        .low = e->low, .floor = e->floor, .depth = e->depth, .number = e->numbered,
        .n_seen = e->n_seen, .bottom = e->bottom, .reads_number = e->reads_number,
        .writes_number = e->writes_number
    };
    e->low = e->floor = e->depth;
    e->bottom = e->reads_number = e->writes_number = false;
}

void events_get_effect(const struct events *e, const struct events_stretch *s,
                       struct events_effect *out)
{
    assert(e->n_seen - s->n_seen == s->depth - e->low);
    assert(e->low <= e->floor && e->floor <= s->depth && e->low <= e->depth);
    *out = (struct events_effect){
        .n_seen = s->depth - e->low, .seen = e->seen + s->n_seen,
        .n_after = e->depth - e->low, .after = e->frames + e->low,
        .left = s->depth - e->floor, .bottom = e->bottom,
        .reads_number = e->reads_number, .writes_number = e->writes_number,
        .number_before = s->number, .number_after = e->numbered
    };
}

void events_end(struct events *e, const struct events_stretch *s)
{
    uint32_t more = s->low > e->low ? s->low - e->low : 0;

    assert(e->n_seen >= s->n_seen && more <= e->n_seen - s->n_seen);
    /* The frames below those that the outer stretch has looked at are the same as at its
     * beginning. */
    if (more > 0)
        memmove(e->seen + s->n_seen, e->seen + e->n_seen - more, more * sizeof *e->seen);
    e->n_seen = s->n_seen + more;
    if (e->low > s->low)
        e->low = s->low;
    if (e->floor > s->floor)
        e->floor = s->floor;
    e->bottom |= s->bottom;
    e->reads_number = s->reads_number || (e->reads_number && !s->writes_number);
    e->writes_number |= s->writes_number;
}

bool events_same_frame(const struct events_frame *a, const struct events_frame *b)
{
    return a->routine == b->routine && a->resume == b->resume && a->at == b->at
        && a->label == b->label;
}

bool events_matches(const struct events *e, const struct events_effect *effect)
{
    if (e->depth < effect->n_seen || (effect->bottom && e->depth > effect->n_seen)
        || (effect->reads_number && e->numbered != effect->number_before))
        return false;
    for (uint32_t i = 0; i < effect->n_seen; i++)
        if (!events_same_frame(&effect->seen[i], &e->frames[e->depth - 1 - i]))
            return false;
    return true;
}

bool events_apply(struct events *e, const struct events_effect *effect)
{
    uint32_t base = e->depth - effect->n_seen;

    assert(effect->left <= effect->n_seen && effect->n_seen <= e->depth);
    touch(e, base);
    e->bottom |= effect->bottom;
    e->reads_number |= effect->reads_number && !e->writes_number;
    if (effect->writes_number)
        write_number(e, effect->number_after);
    drop_to(e, e->depth - effect->left);
    for (e->depth = base; e->depth < base + effect->n_after; e->depth++) {
        if (!reserve(e))
            return false;
        e->frames[e->depth] = effect->after[e->depth - base];
    }
    return !e->failed;
}

bool events_swap_top(struct events *e, const struct events_frame *seen, const struct events_frame *after)
{
    if (e->depth == 0 || !events_same_frame(seen, &e->frames[e->depth - 1]))
        return false;
    touch(e, e->depth - 1);
    e->frames[e->depth - 1] = *after;
    return !e->failed;
}

/* ---- One event ---------------------------------------------------------------------- */

static uint32_t frame_word(uint32_t number)
{
    return WPP_FRAME + number % WPP_FRAME_NUMBERS;
}

static void push(struct events *e, const struct wpp_terminal *terminal,
                 const struct wpp_routine *routine)
{
    assert(e->depth < e->capacity);
    e->frames[e->depth++] = (struct events_frame){
        .routine = terminal->routine, .at = 0, .resume = EVENTS_ANYWHERE, .label = NO_LABEL,
        .nonlocal = routine->flags & WPP_ROUTINE_NONLOCAL,
        .numbered = routine->flags & WPP_ROUTINE_NUMBERED
    };
}

/* The first landing at or after (src, dst). */
static uint32_t landing_from(const struct wpp_routine *routine, uint32_t src, uint32_t dst)
{
    uint32_t low = 0, high = routine->n_landings;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct wpp_landing *l = &routine->landings[middle];
        if (l->src < src || (l->src == src && l->dst < dst))
            low = middle + 1;
        else
            high = middle;
    }
    assert(low == routine->n_landings || routine->landings[low].src >= src);
    return low;
}

uint32_t events_landing(const struct wpp_routine *routine, uint32_t block)
{
    return landing_from(routine, block, 0);
}

static bool lands(const struct wpp_routine *routine, uint32_t src)
{
    uint32_t i = events_landing(routine, src);
    return i < routine->n_landings && routine->landings[i].src == src;
}

static bool lands_at(const struct wpp_routine *routine, uint32_t src, uint32_t dst)
{
    uint32_t i = landing_from(routine, src, dst);
    return i < routine->n_landings && routine->landings[i].src == src
           && routine->landings[i].dst == dst;
}

uint32_t events_resume(const struct wpp_terminal *terminal, const struct wpp_routine *routine)
{
    const struct wpp_edge *last;

    if (terminal->n_edges == 0)
        return EVENTS_ANYWHERE;
    assert(terminal->edges[terminal->n_edges - 1] < routine->n_edges);
    last = &routine->edges[terminal->edges[terminal->n_edges - 1]];
    if (last->kind == WPP_EDGE_REAL || last->kind == WPP_EDGE_END_STOP)
        return RESUME_NEVER;
    /* A computed goto may lead to a block that only jumps on and begins no path. */
    if (last->kind == WPP_EDGE_END_JUMP && !lands(routine, last->src))
        return EVENTS_ANYWHERE;
    return last->to == UINT32_MAX ? RESUME_UNWOUND : last->to;
}

uint32_t events_stop(const struct wpp_terminal *terminal)
{
    return terminal->n_blocks ? terminal->blocks[terminal->n_blocks - 1] : 0;
}

static uint32_t first_block(const struct wpp_terminal *terminal)
{
    return terminal->n_blocks ? terminal->blocks[0] : EVENTS_ANYWHERE;
}

/* Whether the frame's next path, one of its routine, may begin at the block. */
static bool resumes_at(const struct events_frame *f, const struct wpp_routine *routine,
                       uint32_t block)
{
    return f->resume == block || f->resume == EVENTS_ANYWHERE || lands_at(routine, f->at, block);
}

/* Finds the frame of a path that does not enter its routine: rules 1 to 4 of events.h.  Returns its
 * depth, or e->depth when there is none. */
static uint32_t find_frame(struct events *e, const struct wpp_terminal *terminal,
                           const struct wpp_routine *routine, enum events_arrival *arrival)
{
    uint32_t block = first_block(terminal);
    uint32_t nonlocal = e->depth, any = e->depth;

    for (uint32_t d = e->depth; d-- > 0;) {
        const struct events_frame *f = &e->frames[d];

        touch(e, d);
        if (f->routine != terminal->routine || f->resume == RESUME_NEVER)
            continue;
        if (resumes_at(f, routine, block)) {
            *arrival = ARRIVAL_UNWIND;
            return d;
        }
        if (f->nonlocal && nonlocal == e->depth)
            nonlocal = d;
        if (any == e->depth)
            any = d;
    }
    touch_all(e);
    if (nonlocal < e->depth) {
        *arrival = ARRIVAL_NONLOCAL;
        return nonlocal;
    }
    *arrival = any < e->depth ? ARRIVAL_IMPOSSIBLE : ARRIVAL_UNSEEN;
    return any;
}

/* Takes a path that begins at a cut. */
static bool resume(struct events *e, const struct wpp_terminal *terminal,
                   const struct wpp_routine *routine, struct events_step *out)
{
    uint32_t depth;
    const struct events_frame *top = e->depth ? &e->frames[e->depth - 1] : NULL;

    if (top)
        touch(e, e->depth - 1);
    if (top && top->routine == terminal->routine
        && resumes_at(top, routine, first_block(terminal))) {
        out->arrival = ARRIVAL_RESUME;
        out->left = 0;
        out->depth = e->depth - 1;
        return true;
    }
    depth = find_frame(e, terminal, routine, &out->arrival);
    if (out->arrival == ARRIVAL_UNSEEN) {
        if (!reserve(e))
            return false;
        out->left = e->depth;
        out->depth = 0;
        drop_to(e, 0);
        push(e, terminal, routine);
        return true;
    }
    assert(depth < e->depth);
    out->left = e->depth - 1 - depth;
    out->depth = depth;
    drop_to(e, depth + 1);
    return true;
}

/* Takes a path that begins at its routine's entry. */
static bool enter(struct events *e, const struct wpp_terminal *terminal,
                  const struct wpp_routine *routine, struct events_step *out)
{
    if (!reserve(e))
        return false;
    out->arrival = ARRIVAL_ENTER;
    push(e, terminal, routine);
    if (routine->flags & WPP_ROUTINE_NUMBERED)
        e->frames[e->depth - 1].label = frame_word(take_number(e));
    return true;
}

/* Takes a Frame word: the topmost frame of that label goes on, or the topmost frame gets the label.
 * Does nothing if the topmost frame cannot have a label: then the word comes from an activation
 * that began before the first event seen. */
static void take_label(struct events *e, uint32_t word, struct events_step *out)
{
    uint32_t depth = e->depth;

    assert(word >= WPP_FRAME);
    write_number(e, word - WPP_FRAME + 1);
    while (depth > 0 && e->frames[depth - 1].label != word)
        depth--;
    if (depth == 0)
        touch_all(e);
    else
        touch(e, depth - 1);
    if (depth == 0) {
        depth = e->depth;
        if (depth == 0 || !e->frames[depth - 1].numbered)
            return;
    }
    out->arrival = ARRIVAL_FRAME;
    out->left = e->depth - depth;
    out->depth = depth - 1;
    drop_to(e, depth);
    e->frames[depth - 1].label = word;
    e->frames[depth - 1].resume = EVENTS_ANYWHERE;
}

/* The current activations are not known.  Those that go on later are treated as begun before the
 * first event seen. */
static void take_gap(struct events *e, struct events_step *out)
{
    out->arrival = ARRIVAL_GAP;
    touch_all(e);
    out->left = e->depth;
    out->depth = 0;
    drop_to(e, 0);
}

bool events_next(struct events *e, const struct wpp_terminal *terminal,
                 const struct wpp_routine *routine, struct events_step *out)
{
    struct events_frame *f;

    *out = (struct events_step){.arrival = ARRIVAL_NONE, .depth = e->depth};
    if (!routine) {
        if (terminal->control && terminal->token >= WPP_FRAME)
            take_label(e, terminal->token, out);
        else if (terminal->control && terminal->token == WPP_GAP)
            take_gap(e, out);
        return true;
    }
    assert(terminal->routine != WPP_NO_ROUTINE);
    if (!(terminal->enters ? enter(e, terminal, routine, out) : resume(e, terminal, routine, out)))
        return false;
    assert(out->depth == e->depth - 1);
    f = &e->frames[out->depth];
    f->resume = events_resume(terminal, routine);
    f->at = routine->n_landings && lands(routine, events_stop(terminal))
          ? events_stop(terminal) : 0;
    out->leaves = terminal->leaves;
    if (out->leaves) {
        if (f->label != NO_LABEL)
            write_number(e, f->label - WPP_FRAME);
        drop_to(e, e->depth - 1);
    }
    return !e->failed;
}

bool events_check(const struct events *e, const char **why)
{
    *why = NULL;
    if (e->low > e->floor || e->floor > e->depth)
        *why = "activations of before and new ones are mixed up";
    if (e->depth > e->capacity)
        *why = "more activations than there is room for";
    for (uint32_t d = 0; !*why && d < e->depth; d++)
        if (e->frames[d].routine == WPP_NO_ROUTINE)
            *why = "an activation of no routine";
    return !*why;
}
