/* SPDX-License-Identifier: MIT */
#include "wpp/compare/meeting.h"

#include <assert.h>
#include <stdlib.h>

enum { FIRST_WINDOW = 1024, WINDOW_FACTOR = 8 };

struct meeting {
    bool found;
    uint64_t m, n;
};

static uint64_t distance(uint64_t m, uint64_t n)
{
    return m > n ? m - n : n - m;
}

static void offer(struct meeting *best, uint64_t m, uint64_t n)
{
    uint64_t sum = m + n, least = best->m + best->n;
    bool better = !best->found || sum < least;

    if (!better && sum == least)
        better = distance(m, n) < distance(best->m, best->n)
              || (distance(m, n) == distance(best->m, best->n) && m < best->m);
    if (better)
        *best = (struct meeting){true, m, n};
}

/* ---- Equal pieces of `least` keys ----------------------------------------------------------- */

/* Keys behind a parting, and the hashes of their prefixes. */
struct stretch {
    size_t n;
    uint32_t *key;
    uint64_t *hash;                /* n + 1 */
};

static void stretch_free(struct stretch *s)
{
    free(s->key);
    free(s->hash);
}

/* Reads `most` keys, or as many as there are. */
static bool stretch_read(struct stretch *s, const struct key_thread *t, uint64_t first, size_t most)
{
    uint64_t left = fingerprints_length(t->f, t->thread) - first;
    size_t room = most < left ? most : left;
    struct key_walk walk;
    bool ok;

    *s = (struct stretch){.key = malloc((room + 1) * sizeof *s->key),
                          .hash = malloc((room + 1) * sizeof *s->hash)};
    if (!s->key || !s->hash || !key_walk_begin(&walk, t->f, t->thread, first)) {
        stretch_free(s);
        return false;
    }
    ok = key_walk_read(&walk, s->key, room, &s->n);
    key_walk_end(&walk);
    s->hash[0] = 0;
    for (size_t i = 0; ok && i < s->n; i++)
        s->hash[i + 1] = fingerprint_add_key(s->hash[i], s->key[i]);
    if (!ok)
        stretch_free(s);
    return ok;
}

/* Where in a stretch each piece of `least` keys stands first, by its hash. */
struct slot { uint64_t hash; uint32_t place; };    /* place: plus 1; 0: free */

struct places {
    struct slot *slot;
    size_t size;                   /* a power of two, at least twice the number of pieces */
};

static struct slot *find_slot(const struct places *p, uint64_t hash)
{
    size_t i = (hash * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (p->size - 1);

    while (p->slot[i].place > 0 && p->slot[i].hash != hash)
        i = (i + 1) & (p->size - 1);
    return &p->slot[i];
}

static uint64_t piece_hash(const struct stretch *s, size_t i, uint32_t least, uint64_t power)
{
    assert(i + least <= s->n);
    return fingerprint_end(s->hash[i + least], s->hash[i], power);
}

static bool note_places(struct places *p, const struct stretch *s, uint32_t least, uint64_t power)
{
    p->size = 64;
    while (p->size < 2 * s->n)
        p->size *= 2;
    p->slot = calloc(p->size, sizeof *p->slot);
    for (size_t i = 0; p->slot && i + least <= s->n; i++) {
        struct slot *slot = find_slot(p, piece_hash(s, i, least, power));

        if (slot->place == 0)
            *slot = (struct slot){piece_hash(s, i, least, power), (uint32_t)i + 1};
    }
    return p->slot != NULL;
}

static bool match_pieces(const struct stretch *a, const struct stretch *b, uint32_t least,
                         struct meeting *best)
{
    uint64_t power = fingerprint_power(least);
    struct places places;

    if (!note_places(&places, b, least, power))
        return false;
    for (size_t i = 0; i + least <= a->n && (!best->found || i <= best->m + best->n); i++) {
        const struct slot *slot = find_slot(&places, piece_hash(a, i, least, power));

        if (slot->place > 0)
            offer(best, i, slot->place - 1);
    }
    free(places.slot);
    return true;
}

/* ---- What is left at the ends ------------------------------------------------------------------ */

/* The longest equal end of both that is shorter than `least`. */
static void match_ends(const struct key_thread *a, uint64_t i, const struct key_thread *b,
                       uint64_t j, uint32_t least, struct meeting *best)
{
    uint64_t length_a = fingerprints_length(a->f, a->thread);
    uint64_t length_b = fingerprints_length(b->f, b->thread);
    uint64_t n = least - 1;

    n = n < length_a - i ? n : length_a - i;
    n = n < length_b - j ? n : length_b - j;
    for (; n > 0; n--)
        if (fingerprints_hash(a->f, a->thread, length_a - n, n)
            == fingerprints_hash(b->f, b->thread, length_b - n, n)) {
            offer(best, length_a - n - i, length_b - n - j);
            return;
        }
}

/* ---- Both ------------------------------------------------------------------------------------- */

/* Looks within `window` keys; *whole: both threads end there. */
static bool look(const struct key_thread *a, uint64_t i, const struct key_thread *b, uint64_t j,
                 uint32_t least, uint32_t window, struct meeting *best, bool *whole)
{
    size_t most = (size_t)window + least;
    struct stretch x, y;
    bool ok;

    if (!stretch_read(&x, a, i, most))
        return false;
    if (!stretch_read(&y, b, j, most)) {
        stretch_free(&x);
        return false;
    }
    ok = match_pieces(&x, &y, least, best);
    *whole = x.n < most && y.n < most;
    stretch_free(&x);
    stretch_free(&y);
    return ok;
}

bool find_meeting(const struct key_thread *a, uint64_t i, const struct key_thread *b, uint64_t j,
                  uint32_t least, uint32_t window, bool *found, uint64_t *m, uint64_t *n)
{
    struct meeting best = {0};
    bool whole = false;

    assert(least > 0 && window > 0);
    match_ends(a, i, b, j, least, &best);
    for (uint64_t size = FIRST_WINDOW < window ? FIRST_WINDOW : window;;) {
        if (!look(a, i, b, j, least, (uint32_t)size, &best, &whole))
            return false;
        if (whole || size == window || (best.found && best.m + best.n <= size))
            break;
        size = WINDOW_FACTOR * size < window ? WINDOW_FACTOR * size : window;
    }
    *found = best.found;
    *m = best.m;
    *n = best.n;
    return true;
}
