/* SPDX-License-Identifier: MIT */
#include "wpp/format/lane-model.h"

#include <stdlib.h>

enum { COUNT_MOST = 512, COUNT_MASK = (1 << WPP_COUNT_BITS) - 1 };

bool wpp_lane_model_init(struct wpp_lane_model *m)
{
    *m = (struct wpp_lane_model){.after = calloc(1, sizeof *m->after),
                                 .far = calloc(1, sizeof *m->far)};
    for (int lane = 0; lane < WPP_LANES; lane++)
        for (int i = 0; i < WPP_FAMILY_SIZES; i++)
            wpp_shares_init(&m->classes[lane][i]);
    if (m->after && m->far) {
        wpp_shares_init(&m->after->which);
        wpp_shares_init(&m->far->which);
        return true;
    }
    wpp_lane_model_free(m);
    return false;
}

void wpp_lane_model_free(struct wpp_lane_model *m)
{
    for (uint32_t t = 0; t < m->n_terminals; t++)
        free(m->families[t].kin);
    free(m->families);
    free(m->after);
    free(m->far);
    m->families = NULL;
    m->after = NULL;
    m->far = NULL;
    m->n_terminals = 0;
}

/* ---- Growing -------------------------------------------------------------------------------- */

static bool resize(void *array, size_t n, size_t each)
{
    void *old, *larger;

    memcpy(&old, array, sizeof old);
    larger = realloc(old, n * each);
    if (larger)
        memcpy(array, &larger, sizeof larger);
    return larger != NULL;
}

static uint32_t join(struct wpp_lane_model *m, uint32_t symbol, uint32_t first, uint32_t last)
{
    struct wpp_kinship *f = &m->families[first];
    uint32_t place = f->end[0];

    if (place == f->room) {
        uint32_t room = f->room ? f->room + f->room / 2 + 1 : 1;

        if (!resize(&f->kin, room, sizeof *f->kin)) {
            m->no_memory = true;
            return 0;
        }
        f->room = room;
    }
    f->kin[place] = (struct wpp_kin){symbol, (last + 1) << WPP_COUNT_BITS};
    f->end[0]++;
    return place;
}

static bool has_room(struct wpp_lane_model *m)
{
    uint32_t room = m->room + m->room / 2 + 64;

    if (m->n_terminals < m->room)
        return true;
    if (!resize(&m->families, room, sizeof *m->families)
        || !resize(&m->after, room + (size_t)1, sizeof *m->after)
        || !resize(&m->far, room + (size_t)1, sizeof *m->far))
        return false;
    m->room = room;
    return true;
}

uint32_t wpp_lane_model_add_terminal(struct wpp_lane_model *m)
{
    uint32_t t = m->n_terminals;

    assert(t < WPP_LANE_TERMINALS);
    if (m->no_memory || !has_room(m)) {
        m->no_memory = true;
        return 0;
    }
    m->families[t] = (struct wpp_kinship){0};
    m->after[t + 1].n = m->far[t + 1].n = 0;
    wpp_shares_init(&m->after[t + 1].which);
    wpp_shares_init(&m->far[t + 1].which);
    m->n_terminals++;
    return join(m, t, t, t);
}

uint32_t wpp_lane_model_add_rule(struct wpp_lane_model *m, uint32_t rule, uint32_t first,
                                 uint32_t last)
{
    assert(m->no_memory || (first < m->n_terminals && last < m->n_terminals));
    return m->no_memory ? 0 : join(m, WPP_RULE | rule, first, last);
}

static void add_after(struct wpp_after *near, struct wpp_far_after *far, uint32_t terminal)
{
    if (near->n < WPP_NEAR)
        near->near[near->n++] = terminal;
    else if (far->n < WPP_FAR)
        far->far[far->n++] = terminal;
}

static inline uint32_t size_of(uint32_t n)
{
    return 32 - (uint32_t)__builtin_clz(n);
}

/* A symbol in a family that has been named: where it was then. */
struct named { struct wpp_kinship *family; uint32_t at; };

/* Counts a naming of the symbol at this place; its class is 0, or the bits of its count.  (After
 * another name of the same round it may be another symbol than the one named.)  Returns where it is
 * now. */
static inline uint32_t count_name(const struct named *named)
{
    struct wpp_kinship *f = named->family;
    uint32_t at = named->at;
    struct wpp_kin now = f->kin[at];
    uint32_t count = now.context & COUNT_MASK, more = count < COUNT_MOST;
    uint32_t rises = more & ((count & (count + 1)) == 0), c = size_of(count << 1 | 1) - 1;
    uint32_t to = at + ((f->end[c + 1] - at) & -rises);

    assert(count <= COUNT_MOST && at < f->end[c] && at >= f->end[c + 1]);
    now.context += more;
    f->kin[at] = f->kin[to];
    f->kin[to] = now;
    f->end[c + 1] += rises;
    return to;
}

/* ---- Lanes ---------------------------------------------------------------------------------- */

/* How many of n names lane k has: the first ones may have one more. */
static uint32_t lane_size(uint32_t n, uint32_t k)
{
    return n / WPP_LANES + (k < n % WPP_LANES);
}

/* Where it begins. */
static uint32_t lane_begin(uint32_t n, uint32_t k)
{
    uint32_t more = n % WPP_LANES;

    return n / WPP_LANES * k + (k < more ? k : more);
}

/* The context behind a young symbol, in round i of the lanes: it is known if the name with which it
 * ends comes in an earlier round. */
static uint32_t context_behind(const struct wpp_names *names, uint32_t young, uint32_t i)
{
    uint32_t at = names->ends[young], k = WPP_LANES - 1;

    if (at == 0)
        return 0;
    at--;
    while (at < lane_begin(names->n, k))
        k--;
    return at - lane_begin(names->n, k) < i ? names->contexts[at] : 0;
}

/* ---- Reading -------------------------------------------------------------------------------- */

struct reading {
    struct wpp_lane_model *m;
    const struct wpp_names *names;
    const char *wrong;
};

/* A lane has a family of its own, of one symbol that cannot rise.  A name that is in no other one
 * stands there. */
struct lane {
    uint32_t context;
    struct wpp_kinship own;
    struct wpp_kin kin;
};

static void set_own(struct lane *lane, uint32_t symbol, uint32_t context, struct named *named)
{
    lane->kin = (struct wpp_kin){symbol, context << WPP_COUNT_BITS | COUNT_MOST};
    lane->own = (struct wpp_kinship){.kin = &lane->kin};
    for (int c = 0; c < WPP_CLASSES; c++)
        lane->own.end[c] = 1;
    *named = (struct named){&lane->own, 0};
}

static void fail(struct reading *r, struct lane *lane, struct named *named)
{
    r->wrong = "a symbol is used before it is there";
    set_own(lane, WPP_YOUNG, 0, named);
}

static void read_young(struct reading *r, struct wpp_stream_in *s, uint32_t i, struct lane *lane,
                       struct named *named)
{
    uint32_t young;

    if (r->names->n_young == 0) {
        fail(r, lane, named);
        return;
    }
    young = wpp_number_read(s, r->names->n_young);
    set_own(lane, WPP_YOUNG | young, context_behind(r->names, young, i), named);
}

/* A first terminal that is none of the near ones.  UINT32_MAX: there is none. */
static uint32_t read_far(struct reading *r, struct wpp_stream_in *s, uint32_t context)
{
    struct wpp_after *near = &r->m->after[context];
    struct wpp_far_after *far = &r->m->far[context];
    uint32_t which = wpp_share_read(s, &far->which), terminal;

    if (which < far->n)
        return far->far[which];
    if (which != WPP_IS_UNLISTED || r->m->n_terminals == 0)
        return UINT32_MAX;
    terminal = wpp_number_read(s, r->m->n_terminals);
    add_after(near, far, terminal);
    return terminal;
}

/* Reads where the name of round i in this lane is. */
__attribute__((always_inline)) static inline void
read_name(struct reading *r, struct wpp_stream_in *s, struct wpp_shares *classes, uint32_t i,
          struct lane *lane, struct named *named)
{
    struct wpp_after *after = &r->m->after[lane->context];
    uint32_t which = wpp_share_read(s, &after->which), first;

    if (__builtin_expect(which < after->n, 1)) {
        first = after->near[which];
    } else if (which == WPP_IS_YOUNG) {
        read_young(r, s, i, lane, named);
        return;
    } else {
        first = which == WPP_IS_FAR ? read_far(r, s, lane->context) : UINT32_MAX;
        if (first == UINT32_MAX) {
            fail(r, lane, named);
            return;
        }
    }
    struct wpp_kinship *f = &r->m->families[first];
    uint32_t c = wpp_share_read(s, &classes[size_of(f->end[0])]);

    if (__builtin_expect(c >= WPP_CLASSES || f->end[c] == f->end[c + 1], 0)) {
        fail(r, lane, named);
        return;
    }
    uint32_t low = f->end[c + 1];

    named->family = f;
    named->at = low + wpp_number_read(s, f->end[c] - low);
    __builtin_prefetch(&f->kin[named->at], 1);
}

/* Takes the symbol there; the next name of the lane comes behind it. */
static inline void take_name(const struct reading *r, const struct named *named, struct lane *lane,
                             uint32_t to)
{
    struct wpp_kin kin = named->family->kin[named->at];

    lane->context = kin.context >> WPP_COUNT_BITS;
    __builtin_prefetch(&r->m->after[lane->context], 1);
    r->names->names[to] = kin.symbol;
    r->names->contexts[to] = lane->context;
}

/* None is beyond its end: no difference is negative. */
static inline bool are_good(const struct wpp_stream_in *lanes)
{
    int64_t left = 0;

#pragma GCC unroll 4
    for (int k = 0; k < WPP_LANES; k++)
        left |= (lanes[k].words_end - lanes[k].word)
              | (int64_t)(lanes[k].bits_end - lanes[k].bit);
    return left >= 0;
}

/* Reads round i of lanes 0 to n - 1. */
__attribute__((always_inline)) static inline void
read_round(struct reading *r, struct wpp_stream_in *s, struct lane *lanes, const uint32_t *begin,
           uint32_t i, uint32_t n)
{
    struct named named[WPP_LANES];

#pragma GCC unroll 4
    for (uint32_t k = 0; k < n; k++)
        read_name(r, &s[k], r->m->classes[k], i, &lanes[k], &named[k]);
#pragma GCC unroll 4
    for (uint32_t k = 0; k < n; k++)
        take_name(r, &named[k], &lanes[k], begin[k] + i);
#pragma GCC unroll 4
    for (uint32_t k = 0; k < n; k++)
        count_name(&named[k]);
}

const char *wpp_lanes_read(struct wpp_lane_model *m, struct wpp_stream_in *lanes,
                           const struct wpp_names *names)
{
    struct reading r = {m, names, NULL};
    struct wpp_stream_in s[WPP_LANES];
    struct lane lane[WPP_LANES] = {0};
    uint32_t begin[WPP_LANES], i, most = lane_size(names->n, 0);

    memcpy(s, lanes, sizeof s);
    for (uint32_t k = 0; k < WPP_LANES; k++)
        begin[k] = lane_begin(names->n, k);
    for (i = 0; i < names->n / WPP_LANES && are_good(s) && !r.wrong; i++)
        read_round(&r, s, lane, begin, i, WPP_LANES);
    if (i < most && are_good(s) && !r.wrong)
        read_round(&r, s, lane, begin, i, names->n % WPP_LANES);
    for (uint32_t k = 0; k < WPP_LANES && !r.wrong; k++)
        if (!wpp_stream_in_ends(&s[k]))
            r.wrong = "its code does not end where its last symbol does";
    return r.wrong;
}

/* ---- Writing -------------------------------------------------------------------------------- */

struct writing {
    struct wpp_lane_model *m;
    struct wpp_lane_places *places;
    const struct wpp_names *names;
};

static uint32_t find(const uint32_t *list, uint32_t n, uint32_t terminal)
{
    uint32_t i = 0;

    while (i < n && list[i] != terminal)
        i++;
    return i;
}

static void write_first(struct wpp_lane_model *m, struct wpp_stream_out *s, uint32_t context,
                        uint32_t first)
{
    struct wpp_after *near = &m->after[context];
    struct wpp_far_after *far = &m->far[context];
    uint32_t which = find(near->near, near->n, first);

    wpp_share_write(s, &near->which, which < near->n ? which : (uint32_t)WPP_IS_FAR);
    if (which < near->n)
        return;
    which = find(far->far, far->n, first);
    wpp_share_write(s, &far->which, which < far->n ? which : (uint32_t)WPP_IS_UNLISTED);
    if (which < far->n)
        return;
    wpp_number_write(s, first, m->n_terminals);
    add_after(near, far, first);
}

static void set_place(struct wpp_lane_places *p, uint32_t symbol, uint32_t place)
{
    if (symbol & WPP_RULE)
        p->rule[symbol & ~WPP_RULE].place = place;
    else
        p->terminal[symbol] = place;
}

/* Writes a name behind *context, which then is that of the next one.  False: it is in no family. */
static bool write_name(struct writing *w, struct wpp_stream_out *s, struct wpp_shares *classes,
                       uint32_t i, uint32_t *context, uint32_t name, struct named *named)
{
    bool is_rule = name & WPP_RULE;

    if (!is_rule && name & WPP_YOUNG) {
        wpp_share_write(s, &w->m->after[*context].which, WPP_IS_YOUNG);
        wpp_number_write(s, name & ~WPP_YOUNG, w->names->n_young);
        *context = context_behind(w->names, name & ~WPP_YOUNG, i);
        return false;
    }
    uint32_t first = is_rule ? w->places->rule[name & ~WPP_RULE].first : name;
    uint32_t at = is_rule ? w->places->rule[name & ~WPP_RULE].place : w->places->terminal[name];
    struct wpp_kinship *f = &w->m->families[first];
    uint32_t c = size_of((f->kin[at].context & COUNT_MASK) << 1 | 1) - 1;

    assert(f->kin[at].symbol == name);
    write_first(w->m, s, *context, first);
    wpp_share_write(s, &classes[size_of(f->end[0])], c);
    wpp_number_write(s, at - f->end[c + 1], f->end[c] - f->end[c + 1]);
    *context = f->kin[at].context >> WPP_COUNT_BITS;
    *named = (struct named){f, at};
    return true;
}

static void count(struct writing *w, const struct named *named)
{
    const struct wpp_kin *kin = named->family->kin;
    uint32_t now = count_name(named);

    if (now != named->at) {
        set_place(w->places, kin[named->at].symbol, named->at);
        set_place(w->places, kin[now].symbol, now);
    }
}

static void fetch(const struct wpp_lane_places *p, uint32_t name)
{
    if (name & WPP_RULE)
        __builtin_prefetch(&p->rule[name & ~WPP_RULE]);
}

static void fetch_kin(const struct writing *w, uint32_t name)
{
    if (name & WPP_RULE) {
        uint32_t rule = name & ~WPP_RULE;

        __builtin_prefetch(w->m->families[w->places->rule[rule].first].kin
                           + w->places->rule[rule].place, 1);
    }
}

static void write_round(struct writing *w, struct wpp_stream_out *lanes, uint32_t *context,
                        uint32_t i, uint32_t n)
{
    enum { NEAR_AHEAD = 4, FAR_AHEAD = 8 };
    struct named named[WPP_LANES];
    bool counts[WPP_LANES];

    for (uint32_t k = 0; k < n; k++) {
        uint32_t at = lane_begin(w->names->n, k) + i;
        const uint32_t *name = &w->names->names[at];

        if (w->names->n - at > FAR_AHEAD) {
            fetch(w->places, name[FAR_AHEAD]);
            fetch_kin(w, name[NEAR_AHEAD]);
        }
        counts[k] = write_name(w, &lanes[k], w->m->classes[k], i, &context[k], *name, &named[k]);
        w->names->contexts[at] = context[k];
    }
    for (uint32_t k = 0; k < n; k++)
        if (counts[k])
            count(w, &named[k]);
}

void wpp_lanes_write(struct wpp_lane_model *m, struct wpp_stream_out *lanes,
                     struct wpp_lane_places *places, const struct wpp_names *names)
{
    struct writing w = {m, places, names};
    uint32_t context[WPP_LANES] = {0}, i;

    for (i = 0; i < names->n / WPP_LANES; i++)
        write_round(&w, lanes, context, i, WPP_LANES);
    write_round(&w, lanes, context, i, names->n % WPP_LANES);
}
