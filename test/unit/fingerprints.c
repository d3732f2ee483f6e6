/* SPDX-License-Identifier: MIT */
/* Fingerprints and meetings against strings that are written out: two random strings that have much in
 * common, each as a grammar of its own; keys that go on, terminals without keys. */

#include "wpp/compare/fingerprints.h"

#include <stdlib.h>
#include <string.h>

#include "test/unit/tap.h"
#include "wpp/compare/meeting.h"

struct random { uint64_t state; };

static uint32_t draw(struct random *r, uint32_t below)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return (uint32_t)((r->state >> 11) % below);
}

enum { MOST = 700, MOST_RULES = 60, TERMINALS = 9 };

/* ---- A string as a grammar ------------------------------------------------------------------ */

struct text {
    struct wpp_grammar g;
    uint64_t body[MOST_RULES + 2], length[MOST_RULES + 1];
    uint32_t symbols[MOST_RULES * 100 + MOST];
    uint32_t event[MOST];                  /* the terminals, written out */
    uint32_t n;
    uint32_t key[5 * MOST];                /* what they derive */
    uint32_t n_keys;
    uint64_t before[MOST + 1];             /* keys before each event */
};

/* Replaces a piece of the start rule by a rule wherever it stands. */
static bool replace(struct text *t, uint32_t *start, uint32_t *n, struct random *r)
{
    uint32_t size = draw(r, 20) ? 2 + draw(r, 3) : 2 + draw(r, 98), rule = t->g.n_rules, at, kept = 0;
    uint64_t first = t->body[rule];

    if (*n < 2 * size || rule == MOST_RULES)
        return false;
    at = draw(r, *n - size);
    memcpy(t->symbols + first, start + at, size * sizeof *start);
    t->body[rule + 1] = first + size;
    for (uint32_t i = 0; i < size; i++) {
        uint32_t symbol = t->symbols[first + i];

        t->length[rule] += symbol & WPP_RULE ? t->length[symbol & ~WPP_RULE] : 1;
    }
    for (uint32_t i = 0; i < *n;) {
        bool here = i + size <= *n && memcmp(start + i, t->symbols + first, size * sizeof *start) == 0;

        start[kept++] = here ? WPP_RULE | rule : start[i];
        i += here ? size : 1;
    }
    *n = kept;
    t->g.n_rules++;
    return true;
}

static void make_grammar(struct text *t, struct random *r)
{
    uint32_t start[MOST], n = t->n;
    uint32_t rules = draw(r, 4) ? draw(r, MOST_RULES) : draw(r, 3);

    memcpy(start, t->event, t->n * sizeof *start);
    while (rules-- > 0 && replace(t, start, &n, r))
        ;
    memcpy(t->symbols + t->body[t->g.n_rules], start, n * sizeof *start);
    t->body[t->g.n_rules + 1] = t->body[t->g.n_rules] + n;
    t->length[t->g.n_rules] = t->n;
    t->g = (struct wpp_grammar){TERMINALS, t->g.n_rules, 1, t->body, t->symbols, t->length};
}

static void write_keys(struct text *t, const struct key_strings *k)
{
    for (uint32_t i = 0; i < t->n; i++) {
        uint64_t first = k->first[t->event[i]], end = k->first[t->event[i] + 1];

        t->before[i] = t->n_keys;
        if (first < end && t->n_keys > 0
            && k->key[first] == (KEY_GOES_ON | t->key[t->n_keys - 1]))
            first++;
        for (; first < end; first++)
            t->key[t->n_keys++] = k->key[first] & ~KEY_GOES_ON;
    }
    t->before[t->n] = t->n_keys;
}

/* ---- A pair ---------------------------------------------------------------------------------- */

struct pair {
    struct key_strings keys;
    uint64_t first[TERMINALS + 1];
    uint32_t key[5 * TERMINALS];
    struct text text[2];
    struct fingerprints print[2];
    struct key_thread side[2];
};

static void random_keys(struct pair *p, struct random *r)
{
    uint32_t n = 0, alphabet = 1 + draw(r, 6), empty = draw(r, 3);

    for (uint32_t t = 0; t < TERMINALS; t++) {
        uint32_t size = draw(r, 6) < empty ? 0 : draw(r, 3) ? 1 : 1 + draw(r, 4);

        for (uint32_t i = 0; i < size; i++)
            p->key[n++] = draw(r, alphabet) | (i == 0 && draw(r, 2) ? KEY_GOES_ON : 0);
        p->first[t + 1] = n;
    }
    p->keys = (struct key_strings){TERMINALS, p->first, p->key};
}

static void random_events(struct text *t, struct random *r)
{
    uint32_t most = draw(r, 3) ? draw(r, MOST) : draw(r, 12);

    while (t->n < most) {
        uint32_t copy = draw(r, 4) ? 1 + draw(r, 40) : 0;

        if (copy > 0 && t->n > copy)
            for (uint32_t from = draw(r, t->n - copy); copy > 0 && t->n < most; copy--)
                t->event[t->n++] = t->event[from++];
        else
            t->event[t->n++] = draw(r, TERMINALS);
    }
}

/* The other string with a few changes. */
static void change_events(struct text *t, const struct text *of, struct random *r)
{
    uint32_t changes = draw(r, 5);

    t->n = of->n;
    memcpy(t->event, of->event, of->n * sizeof *t->event);
    for (; changes > 0 && t->n > 0; changes--) {
        uint32_t at = draw(r, t->n), size = 1 + draw(r, draw(r, 2) ? 3 : 60), kind = draw(r, 3);

        if (size > t->n - at)
            size = t->n - at;
        if (kind == 0) {
            t->event[at] = draw(r, TERMINALS);
        } else if (kind == 1) {
            memmove(t->event + at, t->event + at + size, (t->n - at - size) * sizeof *t->event);
            t->n -= size;
        } else if (t->n + size <= MOST) {
            memmove(t->event + at + size, t->event + at, (t->n - at) * sizeof *t->event);
            t->n += size;
            for (uint32_t i = 0; i < size; i++)
                t->event[at + i] = draw(r, TERMINALS);
        }
    }
}

static bool make_pair(struct pair *p, struct random *r)
{
    random_keys(p, r);
    random_events(&p->text[0], r);
    change_events(&p->text[1], &p->text[0], r);
    for (unsigned s = 0; s < 2; s++) {
        make_grammar(&p->text[s], r);
        write_keys(&p->text[s], &p->keys);
        if (!fingerprints_new(&p->print[s], &p->text[s].g, &p->keys, NULL))
            return false;
        p->side[s] = (struct key_thread){&p->print[s], 0};
    }
    return true;
}

/* ---- Checks ---------------------------------------------------------------------------------- */

static bool lengths_are_right(const struct pair *p)
{
    bool ok = true;

    for (unsigned s = 0; s < 2; s++) {
        ok = ok && fingerprints_length(&p->print[s], 0) == p->text[s].n_keys;
        for (uint32_t i = 0; ok && i <= p->text[s].n; i++)
            ok = fingerprints_before(&p->print[s], 0, i) == p->text[s].before[i];
    }
    return ok;
}

/* The event that derives a key. */
static uint32_t event_of(const struct text *t, uint32_t key)
{
    uint32_t i = 0;

    while (i < t->n && t->before[i + 1] <= key)
        i++;
    return i;
}

static bool walk_is_right(const struct pair *p, unsigned s, struct random *r)
{
    const struct text *t = &p->text[s];
    uint32_t at = draw(r, t->n_keys + 1), key[5 * MOST];
    struct key_walk walk;
    size_t got = 1;
    bool ok = key_walk_begin(&walk, &p->print[s], 0, at);

    while (ok && got > 0) {
        ok = walk.event == event_of(t, at)
          && (walk.terminal == UINT32_MAX ? at == t->n_keys : walk.terminal == t->event[walk.event])
          && key_walk_read(&walk, key, 1 + draw(r, 9), &got)
          && at + got <= t->n_keys && memcmp(key, t->key + at, got * sizeof *key) == 0;
        at += (uint32_t)got;
    }
    key_walk_end(&walk);
    return ok && at == t->n_keys;
}

static uint64_t common_keys_from(const struct pair *p, uint32_t i, uint32_t j)
{
    const struct text *a = &p->text[0], *b = &p->text[1];
    uint64_t n = 0;

    while (i < a->n_keys && j < b->n_keys && a->key[i++] == b->key[j++])
        n++;
    return n;
}

static bool common_is_right(const struct pair *p, uint32_t i, uint32_t j)
{
    uint64_t want = common_keys_from(p, i, j), got = fingerprints_common(&p->side[0], i, &p->side[1], j);

    if (want != got)
        tap_note("from %u and %u: %llu keys are equal, not %llu", i, j, (unsigned long long)want,
                 (unsigned long long)got);
    return want == got;
}

/* The meeting by its definition. */
static bool find_by_hand(const struct pair *p, uint32_t i, uint32_t j, uint32_t least, uint64_t *m,
                         uint64_t *n)
{
    uint32_t left_a = p->text[0].n_keys - i, left_b = p->text[1].n_keys - j;
    bool found = false;

    for (uint32_t x = 0; x <= left_a; x++)
        for (uint32_t y = 0; y <= left_b; y++) {
            uint64_t common;
            uint64_t apart = x > y ? x - y : y - x, was = *m > *n ? *m - *n : *n - *m;

            if (found && (x + y > *m + *n || (x + y == *m + *n && apart >= was)))
                continue;
            common = common_keys_from(p, i + x, j + y);
            if (common >= least || (common > 0 && common == left_a - x && common == left_b - y)) {
                found = true;
                *m = x;
                *n = y;
            }
        }
    return found;
}

static bool meeting_is_right(const struct pair *p, uint32_t i, uint32_t j, struct random *r)
{
    uint32_t least = 1 + draw(r, draw(r, 2) ? 4 : 40), window = draw(r, 3) ? 5 * MOST : 1 + draw(r, 60);
    uint64_t m = 0, n = 0, by_hand_m = 0, by_hand_n = 0;
    bool found, by_hand = find_by_hand(p, i, j, least, &by_hand_m, &by_hand_n);

    if (!find_meeting(&p->side[0], i, &p->side[1], j, least, window, &found, &m, &n))
        return false;
    if (by_hand && by_hand_m + by_hand_n <= window) {
        if (found && m == by_hand_m && n == by_hand_n)
            return true;
    } else if (!found) {
        return true;
    } else if (by_hand && common_keys_from(p, i + m, j + n) > 0 && m + n >= by_hand_m + by_hand_n) {
        return true;               /* not the smallest, beyond the window */
    }
    tap_note("least %u, window %u, from %u and %u: %s %llu %llu, by hand %s %llu %llu", least, window,
             i, j, found ? "found" : "none", (unsigned long long)m, (unsigned long long)n,
             by_hand ? "found" : "none", (unsigned long long)by_hand_m,
             (unsigned long long)by_hand_n);
    return false;
}

/* Without the first one's keys: equal parts have equal hashes, others have not. */
static bool hashes_are_right(const struct pair *p, struct random *r)
{
    const struct text *a = &p->text[0], *b = &p->text[1];
    uint32_t i = draw(r, a->n_keys + 1), j = draw(r, b->n_keys + 1);
    uint32_t most = a->n_keys - i < b->n_keys - j ? a->n_keys - i : b->n_keys - j;
    uint32_t n = draw(r, most + 1);

    return (fingerprints_hash(&p->print[0], 0, i, n) == fingerprints_hash(&p->print[1], 0, j, n))
        == (common_keys_from(p, i, j) >= n);
}

static unsigned long long partings;

static bool pair_is_right(const struct pair *p, struct random *r)
{
    uint32_t n = (uint32_t)common_keys_from(p, 0, 0);
    bool ok = lengths_are_right(p) && walk_is_right(p, 0, r) && walk_is_right(p, 1, r)
           && common_is_right(p, 0, 0);

    for (int i = 0; ok && i < 6; i++)
        ok = hashes_are_right(p, r)
          && common_is_right(p, draw(r, p->text[0].n_keys + 1), draw(r, p->text[1].n_keys + 1));
    if (ok && (n < p->text[0].n_keys || n < p->text[1].n_keys)) {
        partings++;
        ok = meeting_is_right(p, n, n, r);
    }
    return ok;
}

/* Rule k derives 2^(k + 1) keys: it is said where that is too many. */
static bool length_is_limited(void)
{
    enum { RULES = 70 };
    uint64_t body[RULES + 2], length[RULES + 1] = {0}, first[] = {0, 1};
    uint32_t symbols[2 * RULES + 2], key[] = {0};
    struct wpp_grammar g = {1, 0, 1, body, symbols, length};
    const struct key_strings keys = {1, first, key};
    struct fingerprints f;
    struct wpp_error error;
    bool ok = true;

    for (uint32_t r = 0; r <= RULES; r++) {
        body[r] = 2 * r;
        body[r + 1] = 2 * r + 2;
        symbols[2 * r] = symbols[2 * r + 1] = r > 0 ? WPP_RULE | (r - 1) : 0;
    }
    for (g.n_rules = 50; ok && g.n_rules <= RULES; g.n_rules++) {
        bool may = g.n_rules + 1 <= 62, done = fingerprints_new(&f, &g, &keys, &error);

        ok = done == may && (done || error.status == WPP_E_ARGUMENT);
        ok = ok && (!done || fingerprints_length(&f, 0) == UINT64_C(1) << (g.n_rules + 1));
        if (done)
            fingerprints_free(&f);
    }
    return ok;
}

int main(int argc, char **argv)
{
    uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 3000;
    struct random r = {UINT64_C(0xD1FFE3E4CE)};
    uint32_t right = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct pair *p = calloc(1, sizeof *p);
        bool ok = p && make_pair(p, &r) && pair_is_right(p, &r);

        if (!ok)
            tap_note("pair %u", i);
        right += ok;
        for (unsigned s = 0; p && s < 2; s++)
            fingerprints_free(&p->print[s]);
        free(p);
    }
    tap_ok(right == count, "%u random pairs of strings against what is written out", count);
    tap_ok(partings > count / 3, "many of them part: %llu", partings);
    tap_ok(length_is_limited(), "a string of more than 2^62 keys is refused");
    return tap_done();
}
