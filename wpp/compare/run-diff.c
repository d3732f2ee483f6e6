/* SPDX-License-Identifier: MIT */
#include "wpp/compare/run-diff.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/compare/at-once.h"
#include "wpp/compare/meeting.h"
#include "wpp/replay/stack.h"

/* ---- Which threads belong together --------------------------------------------------------- */

static uint32_t n_threads(const wpp *w)
{
    return wpp_grammar(w)->n_threads;
}

/* The program's name is no name of a thread. */
static const char *thread_name(const wpp *w, uint32_t thread)
{
    const char *name = wpp_thread(w, thread)->name;

    return strcmp(name, wpp_thread(w, 0)->name) == 0 ? "" : name;
}

static void add_pair(struct run_diff *d, uint32_t a, uint32_t b)
{
    struct thread_diff *t = &d->thread[d->n_threads++];
    uint32_t thread[2] = {a, b};

    *t = (struct thread_diff){.thread = {a, b}};
    for (unsigned s = 0; s < 2; s++)
        if (thread[s] != UINT32_MAX) {
            t->events[s] = wpp_thread(d->w[s], thread[s])->tokens;
            t->keys[s] = fingerprints_length(&d->prints[s], thread[s]);
        }
}

/* Each thread of A gets the first one of its name in B that is left. */
static bool pair_threads(struct run_diff *d)
{
    uint32_t n[2] = {n_threads(d->w[SIDE_A]), n_threads(d->w[SIDE_B])};
    bool *taken = calloc(n[SIDE_B] + (size_t)1, sizeof *taken);

    d->thread = calloc((size_t)n[SIDE_A] + n[SIDE_B] + 1, sizeof *d->thread);
    if (!taken || !d->thread) {
        free(taken);
        return false;
    }
    if (d->request.one_thread) {
        add_pair(d, d->request.thread[SIDE_A], d->request.thread[SIDE_B]);
        n[SIDE_A] = n[SIDE_B] = 0;
    }
    for (uint32_t a = 0; a < n[SIDE_A]; a++) {
        uint32_t b = 0;

        while (b < n[SIDE_B] && (taken[b] || strcmp(thread_name(d->w[SIDE_A], a),
                                                    thread_name(d->w[SIDE_B], b)) != 0))
            b++;
        add_pair(d, a, b < n[SIDE_B] ? b : UINT32_MAX);
        if (b < n[SIDE_B])
            taken[b] = true;
    }
    for (uint32_t b = 0; b < n[SIDE_B]; b++)
        if (!taken[b])
            add_pair(d, UINT32_MAX, b);
    free(taken);
    return true;
}

/* ---- Partings --------------------------------------------------------------------------------- */

/* A pair of threads that is being compared. */
struct pair {
    struct run_diff *d;
    struct thread_diff *t;
    struct key_thread side[2];
    struct wpp_error *error;
};

static uint64_t keys_before(const struct pair *p, unsigned s, uint64_t event)
{
    return fingerprints_before(p->side[s].f, p->side[s].thread, event);
}

/* Reads up to n keys from number `first` on, and which event derives the first one. */
static bool read_keys(const struct key_thread *t, uint64_t first, uint32_t *out, uint32_t n,
                      uint32_t *got, uint64_t *event)
{
    struct key_walk walk;
    size_t read = 0;
    bool ok = key_walk_begin(&walk, t->f, t->thread, first);

    if (!ok)
        return false;
    if (event)
        *event = walk.event;
    if (out)
        ok = key_walk_read(&walk, out, n, &read);
    if (got)
        *got = (uint32_t)read;
    key_walk_end(&walk);
    return ok;
}

/* Whether activations at one depth of both stacks are the same: they run one routine and began behind
 * equal keys.  Of those from before the last meeting only the routines are looked at. */
static bool is_common_frame(const struct pair *p, const struct parting *x, size_t depth)
{
    const struct common_keys *k = &p->d->keys;
    uint32_t routine[2];
    uint64_t since[2];             /* keys from the meeting on, when it began */
    bool older[2];

    for (unsigned s = 0; s < 2; s++) {
        const struct wpp_frame *f = &x->side[s].frames[depth];
        uint64_t meeting = x->side[s].key - x->common, first = keys_before(p, s, f->first);

        routine[s] = k->side[s].routine[f->routine];
        older[s] = first < meeting;
        since[s] = older[s] ? 0 : first - meeting;
    }
    return routine[SIDE_A] == routine[SIDE_B] && older[SIDE_A] == older[SIDE_B]
        && since[SIDE_A] == since[SIDE_B];
}

static void count_common_frames(const struct pair *p, struct parting *x)
{
    size_t n = x->side[SIDE_A].n_frames, i = 0;

    n = n < x->side[SIDE_B].n_frames ? n : x->side[SIDE_B].n_frames;
    while (i < n && is_common_frame(p, x, i))
        i++;
    x->n_common_frames = i;
}

/* The first parting's stacks are those of the runs up to there, which are made faster the earlier it
 * is.  If more is asked, those of the whole runs are made. */
struct stacks_work {
    struct run_diff *d;
    uint32_t thread[2];
    uint64_t events[2];            /* 0: all */
    struct wpp_error error[2];
};

static void make_stacks(void *work, unsigned s)
{
    struct stacks_work *k = work;

    k->d->stacks[s] = k->events[s] > 0
        ? stacks_until(k->d->w[s], k->thread[s], k->events[s], &k->error[s])
        : wpp_stacks_new(k->d->w[s], &k->error[s]);
}

static void forget_stacks(struct run_diff *d)
{
    for (unsigned s = 0; s < 2; s++) {
        wpp_stacks_free(d->stacks[s]);
        d->stacks[s] = NULL;
    }
}

/* Makes stacks for the events, which may be the threads' numbers of them: then of the whole threads. */
static bool need_stacks(const struct pair *p, const uint64_t event[2])
{
    struct run_diff *d = p->d;
    struct stacks_work work = {.d = d};
    bool first = d->stacks_made == NO_STACKS;

    if (d->stacks_made == WHOLE_STACKS)
        return true;
    forget_stacks(d);
    for (unsigned s = 0; s < 2; s++) {
        work.thread[s] = p->side[s].thread;
        work.events[s] = first ? event[s] + (event[s] < p->t->events[s]) : 0;
    }
    at_once(make_stacks, &work);
    d->stacks_made = first ? FIRST_STACKS : WHOLE_STACKS;
    for (unsigned s = 0; s < 2; s++)
        if (!d->stacks[s]) {
            *p->error = work.error[s];
            return false;
        }
    return true;
}

static bool take_stacks(const struct pair *p, struct parting *x)
{
    if (!need_stacks(p, (uint64_t[]){x->side[SIDE_A].event, x->side[SIDE_B].event}))
        return false;
    for (unsigned s = 0; s < 2; s++) {
        struct parting_side *side = &x->side[s];

        free(side->frames);
        if (!wpp_stack_at(p->d->stacks[s], p->side[s].thread, side->event, &side->frames,
                          &side->n_frames))
            return wpp_fail_memory(p->error);
    }
    count_common_frames(p, x);
    return true;
}

/* ---- Meetings --------------------------------------------------------------------------------- */

/* Whether the threads agree from these keys on, as meeting.h says. */
static bool agree(const struct pair *p, const uint64_t key[2])
{
    uint64_t left[2] = {p->t->keys[SIDE_A] - key[SIDE_A], p->t->keys[SIDE_B] - key[SIDE_B]};
    uint32_t least = p->d->request.least;
    bool end = left[SIDE_A] < least && left[SIDE_A] == left[SIDE_B] && left[SIDE_A] > 0;
    uint64_t n = end ? left[SIDE_A] : least;

    return n <= left[SIDE_A] && n <= left[SIDE_B]
        && fingerprints_hash(p->side[SIDE_A].f, p->side[SIDE_A].thread, key[SIDE_A], n)
           == fingerprints_hash(p->side[SIDE_B].f, p->side[SIDE_B].thread, key[SIDE_B], n);
}

/* The innermost common activation behind which both agree.  `limit`: only if m + n is below. */
static void meet_by_return(const struct pair *p, struct parting *x, uint64_t limit)
{
    for (size_t i = x->n_common_frames; i-- > 0;) {
        uint64_t key[2];

        for (unsigned s = 0; s < 2; s++)
            key[s] = keys_before(p, s, x->side[s].frames[i].end);
        assert(key[SIDE_A] >= x->side[SIDE_A].key && key[SIDE_B] >= x->side[SIDE_B].key);
        if (key[SIDE_A] - x->side[SIDE_A].key + key[SIDE_B] - x->side[SIDE_B].key >= limit)
            return;
        if (!agree(p, key))
            continue;
        x->meets = x->by_return = true;
        x->returned_frame = i;
        x->side[SIDE_A].meet_key = key[SIDE_A];
        x->side[SIDE_B].meet_key = key[SIDE_B];
        return;
    }
}

static bool find_where_they_meet(const struct pair *p, struct parting *x)
{
    struct parting_side *a = &x->side[SIDE_A], *b = &x->side[SIDE_B];
    uint64_t m, n;

    if (!find_meeting(&p->side[SIDE_A], a->key, &p->side[SIDE_B], b->key, p->d->request.least,
                      MEETING_WINDOW, &x->meets, &m, &n))
        return wpp_fail_memory(p->error);
    a->meet_key = a->key + m;
    b->meet_key = b->key + n;
    if (!x->meets || m + n > MEETING_WINDOW) {
        if (p->d->stacks_made == FIRST_STACKS && !take_stacks(p, x))
            return false;
        meet_by_return(p, x, x->meets ? m + n : UINT64_MAX);
    }
    if (!x->meets)
        return true;
    x->common_after = fingerprints_common(&p->side[SIDE_A], a->meet_key, &p->side[SIDE_B],
                                          b->meet_key);
    for (unsigned s = 0; s < 2; s++)
        if (!read_keys(&p->side[s], x->side[s].meet_key, NULL, 0, NULL, &x->side[s].meet_event))
            return wpp_fail_memory(p->error);
    return true;
}

static bool take_parting(const struct pair *p, struct parting *x)
{
    uint64_t n = x->common < PARTING_CONTEXT ? x->common : PARTING_CONTEXT;

    if (!read_keys(&p->side[SIDE_A], x->side[SIDE_A].key - n, x->before, (uint32_t)n, &x->n_before,
                   NULL))
        return wpp_fail_memory(p->error);
    for (unsigned s = 0; s < 2; s++)
        if (!read_keys(&p->side[s], x->side[s].key, x->side[s].after, PARTING_CONTEXT,
                       &x->side[s].n_after, &x->side[s].event))
            return wpp_fail_memory(p->error);
    return take_stacks(p, x) && find_where_they_meet(p, x);
}

static struct parting *add_parting(struct thread_diff *t)
{
    struct parting *larger;

    if ((t->n_partings & (t->n_partings - 1)) == 0) {
        size_t room = t->n_partings ? 2 * t->n_partings : 1;

        larger = realloc(t->parting, room * sizeof *larger);
        if (!larger)
            return NULL;
        t->parting = larger;
    }
    t->parting[t->n_partings] = (struct parting){0};
    return &t->parting[t->n_partings++];
}

static bool compare_pair(const struct pair *p)
{
    struct thread_diff *t = p->t;
    uint64_t at[2] = {0, 0};

    for (;;) {
        uint64_t common = fingerprints_common(&p->side[SIDE_A], at[SIDE_A], &p->side[SIDE_B],
                                              at[SIDE_B]);
        struct parting *x;

        if (at[SIDE_A] + common == t->keys[SIDE_A] && at[SIDE_B] + common == t->keys[SIDE_B])
            return true;
        t->more = t->n_partings == p->d->request.partings;
        if (t->more)
            return true;
        x = add_parting(t);
        if (!x)
            return wpp_fail_memory(p->error);
        x->common = common;
        x->side[SIDE_A].key = at[SIDE_A] + common;
        x->side[SIDE_B].key = at[SIDE_B] + common;
        if (!take_parting(p, x))
            return false;
        if (!x->meets)
            return true;
        for (unsigned s = 0; s < 2; s++)
            at[s] = x->side[s].meet_key;
    }
}

static bool compare_threads(struct run_diff *d, struct wpp_error *error)
{
    d->equal = true;
    for (uint32_t i = 0; i < d->n_threads; i++) {
        struct thread_diff *t = &d->thread[i];
        struct pair p = {.d = d, .t = t, .error = error,
                         .side = {{&d->prints[SIDE_A], t->thread[SIDE_A]},
                                  {&d->prints[SIDE_B], t->thread[SIDE_B]}}};
        bool paired = t->thread[SIDE_A] != UINT32_MAX && t->thread[SIDE_B] != UINT32_MAX;

        if (paired && !compare_pair(&p))
            return false;
        d->equal &= paired && t->n_partings == 0;
    }
    return true;
}

/* ---- The whole -------------------------------------------------------------------------------- */

struct prints_work {
    struct run_diff *d;
    bool done[2];
    struct wpp_error error[2];
};

static void make_prints(void *work, unsigned s)
{
    struct prints_work *k = work;

    k->done[s] = fingerprints_new(&k->d->prints[s], wpp_grammar(k->d->w[s]),
                                  &k->d->keys.side[s].strings, &k->error[s]);
}

bool run_diff_new(struct run_diff *out, const wpp *const w[2],
                  const struct run_diff_request *request, struct wpp_error *error)
{
    struct prints_work work = {.d = out};
    bool ok;

    assert(request->partings > 0 && request->least > 0);
    *out = (struct run_diff){.request = *request, .w = {w[SIDE_A], w[SIDE_B]}};
    if (!common_keys_new(&out->keys, w, request->by, request->ignore, request->n_ignore, error))
        return false;
    at_once(make_prints, &work);
    ok = work.done[SIDE_A] && work.done[SIDE_B];
    if (!ok)
        *error = work.error[work.done[SIDE_A] ? SIDE_B : SIDE_A];
    else
        ok = (pair_threads(out) || wpp_fail_memory(error)) && compare_threads(out, error);
    if (!ok)
        run_diff_free(out);
    return ok;
}

void run_diff_free(struct run_diff *d)
{
    for (uint32_t i = 0; i < d->n_threads; i++) {
        for (size_t k = 0; k < d->thread[i].n_partings; k++)
            for (unsigned s = 0; s < 2; s++)
                free(d->thread[i].parting[k].side[s].frames);
        free(d->thread[i].parting);
    }
    free(d->thread);
    forget_stacks(d);
    for (unsigned s = 0; s < 2; s++)
        fingerprints_free(&d->prints[s]);
    common_keys_free(&d->keys);
    *d = (struct run_diff){0};
}
