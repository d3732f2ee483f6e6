/* SPDX-License-Identifier: MIT */
/* rotations.c - finds families of rotations; see rotations.h. */
#include "hotpaths/strings/rotations.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/hotpaths.h"

#define NONE UINT32_MAX

/* The failure function of Knuth, Morris and Pratt: scratch[i] is the length of
 * the longest proper prefix of string[0 .. i] that is also its suffix. */
uint32_t rotations_period(const uint32_t *string, uint32_t length, uint32_t *scratch)
{
    assert(length > 0);
    scratch[0] = 0;
    for (uint32_t i = 1, k = 0; i < length; i++) {
        while (k > 0 && string[k] != string[i])
            k = scratch[k - 1];
        k += string[k] == string[i];
        scratch[i] = k;
    }
    return length - scratch[length - 1];
}

/* One iteration of a loop, from its least rotation on: symbols[(start + i) % length]. */
struct ring {
    const uint32_t *symbols;
    uint32_t length;        /* 0: the loop is not known */
    uint32_t start;
};

struct family {
    struct subpath_set *f;
    uint32_t *sorted;       /* entries sorted by string; later, those with a ring sorted by ring */
    uint32_t *next;         /* of each entry; NONE */
    uint32_t *visit;        /* of each entry: the first search that reached it, from 1 */
    struct ring *ring;      /* of each entry */
    uint32_t *symbols;      /* the rings of cycles: found.turns */
    size_t n_symbols;
};

static const uint32_t *string_of(const struct subpath_set *f, uint32_t entry)
{
    return f->terminals + f->entries[entry].first;
}

static uint32_t length_of(const struct subpath_set *f, uint32_t entry)
{
    return f->entries[entry].length;
}

static int compare_strings(const uint32_t *a, uint32_t n_a, const uint32_t *b, uint32_t n_b)
{
    for (uint32_t i = 0; i < n_a && i < n_b; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return n_a < n_b ? -1 : n_a > n_b;
}

static int by_string(const void *pa, const void *pb, void *set)
{
    uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

    return compare_strings(string_of(set, a), length_of(set, a), string_of(set, b),
                           length_of(set, b));
}

static bool agree(const struct subpath_set *f, uint32_t entry, const uint32_t *string,
                  uint32_t length)
{
    uint32_t n = length_of(f, entry) < length ? length_of(f, entry) : length;

    return memcmp(string_of(f, entry), string, n * sizeof *string) == 0;
}

/* The entry that agrees with the string as far as both go: one that the string begins with, else
 * the most frequent one that begins with the string. */
static uint32_t entry_along(const struct family *s, const uint32_t *string, uint32_t length)
{
    size_t low = 0, high = s->f->n_entries;
    uint32_t best = NONE;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint32_t entry = s->sorted[middle];

        if (compare_strings(string_of(s->f, entry), length_of(s->f, entry), string, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 && agree(s->f, s->sorted[low - 1], string, length))
        return s->sorted[low - 1];
    for (; low < s->f->n_entries && agree(s->f, s->sorted[low], string, length); low++)
        if (best == NONE || s->f->entries[s->sorted[low]].frequency > s->f->entries[best].frequency)
            best = s->sorted[low];
    return best;
}

/* Whether the cycle through `first` is a loop: each member must follow the ring of first terminals
 * from its place on. */
static bool is_loop(const struct family *s, uint32_t first)
{
    uint32_t member = first;

    do {
        uint32_t at = member;

        for (uint32_t i = 0; i < length_of(s->f, member); i++, at = s->next[at]) {
            assert(at != NONE);  /* each member of a cycle has a next one */
            if (string_of(s->f, member)[i] != string_of(s->f, at)[0])
                return false;
        }
        member = s->next[member];
    } while (member != first);
    return true;
}

/* ---- Rings --------------------------------------------------------------------------- */

/* Two candidates are compared; the one that loses at the k-th symbol cannot win from any position
 * up to there. */
uint32_t rotations_least(const uint32_t *string, uint32_t n)
{
    uint32_t a = 0, b = 1, k = 0;

    while (a < n && b < n && k < n) {
        uint32_t x = string[(a + k) % n], y = string[(b + k) % n];

        if (x == y) {
            k++;
            continue;
        }
        if (x > y)
            a += k + 1;
        else
            b += k + 1;
        b += a == b;
        k = 0;
    }
    assert(a < n || b < n);
    return a < b ? a : b;
}

static struct ring ring_of(const uint32_t *symbols, uint32_t length)
{
    return (struct ring){ symbols, length, rotations_least(symbols, length) };
}

static void ring_cycle(struct family *s, uint32_t first)
{
    uint32_t *symbols = s->symbols + s->n_symbols, member = first, n = 0;
    struct ring ring;

    do {
        symbols[n++] = string_of(s->f, member)[0];
        member = s->next[member];
    } while (member != first);
    ring = ring_of(symbols, n);
    do {
        s->ring[member] = ring;
        s->f->entries[member].cycle = s->n_symbols;
        member = s->next[member];
    } while (member != first);
    s->n_symbols += n;
    assert(s->n_symbols <= s->f->n_entries);     /* cycles have no common member */
}

/* Follows the steps from each entry; a return to the same search is a cycle. */
static void ring_cycles(struct family *s)
{
    for (uint32_t i = 0; i < s->f->n_entries; i++) {
        uint32_t at = i;

        while (at != NONE && !s->visit[at]) {
            s->visit[at] = i + 1;
            at = s->next[at];
        }
        if (at != NONE && s->visit[at] == i + 1 && is_loop(s, at))
            ring_cycle(s, at);
    }
}

/* Adds entries that are in no cycle but longer than their period. */
static void ring_periods(struct family *s)
{
    for (uint32_t i = 0; i < s->f->n_entries; i++) {
        const struct subpath_entry *e = &s->f->entries[i];

        if (!s->ring[i].length && e->period < e->length)
            s->ring[i] = ring_of(string_of(s->f, i), e->period);
    }
}

/* ---- Families ------------------------------------------------------------------------- */

static int compare_rings(const struct ring *a, const struct ring *b)
{
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    for (uint32_t i = 0; i < a->length; i++) {
        uint32_t x = a->symbols[(a->start + i) % a->length];
        uint32_t y = b->symbols[(b->start + i) % b->length];

        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static int by_ring(const void *pa, const void *pb, void *rings)
{
    uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
    int order = compare_rings((struct ring *)rings + a, (struct ring *)rings + b);

    return order ? order : a < b ? -1 : a > b;
}

/* Marks entries of equal rings, in their order.  A single entry is a loop only if it contains two
 * iterations. */
static void mark_family(struct family *s, const uint32_t *members, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct subpath_entry *e = &s->f->entries[members[i]];
        uint32_t turn = s->ring[members[i]].length;

        assert(turn > 0 && members[0] <= members[i]);
        e->leader = members[0];
        e->rotations = n;
        e->turn = n > 1 || e->length / 2 >= turn ? turn : 0;
    }
}

/* Returns how many members the families have besides their leaders. */
static size_t mark_families(struct family *s)
{
    uint32_t n = 0, first = 0;
    size_t others = 0;

    for (uint32_t i = 0; i < s->f->n_entries; i++)
        if (s->ring[i].length)
            s->sorted[n++] = i;
    if (n > 0)
        qsort_r(s->sorted, n, sizeof *s->sorted, by_ring, s->ring);
    for (uint32_t i = 1; i <= n; i++) {
        if (i < n && compare_rings(&s->ring[s->sorted[first]], &s->ring[s->sorted[i]]) == 0)
            continue;
        mark_family(s, s->sorted + first, i - first);
        others += i - first - 1;
        first = i;
    }
    return others;
}

int rotations_find(struct subpath_set *f, size_t *n_families)
{
    size_t n = f->n_entries;
    struct family s = { .f = f };
    bool good;

    assert(n < NONE);
    s.sorted = malloc((n + 1) * sizeof *s.sorted);
    s.next = malloc((n + 1) * sizeof *s.next);
    s.visit = calloc(n + 1, sizeof *s.visit);
    s.ring = calloc(n + 1, sizeof *s.ring);
    s.symbols = malloc((n + 1) * sizeof *s.symbols);
    good = s.sorted && s.next && s.visit && s.ring && s.symbols;
    for (uint32_t i = 0; good && i < n; i++) {
        f->entries[i].leader = s.sorted[i] = i;
        f->entries[i].rotations = 1;
        f->entries[i].turn = 0;
    }
    if (good && n > 0)
        qsort_r(s.sorted, n, sizeof *s.sorted, by_string, f);
    for (uint32_t i = 0; good && i < n; i++)
        s.next[i] = length_of(f, i) > 1
                        ? entry_along(&s, string_of(f, i) + 1, length_of(f, i) - 1) : NONE;
    if (good) {
        ring_cycles(&s);
        ring_periods(&s);
        *n_families = n - mark_families(&s);
    }
    free(s.sorted);
    free(s.next);
    free(s.visit);
    free(s.ring);
    free(f->turns);
    f->turns = s.symbols;
    return good ? HOT_OK : HOT_E_MEMORY;
}
