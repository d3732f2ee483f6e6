/* SPDX-License-Identifier: MIT */
#include "wpp/compare/fingerprints.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"

/* ---- Hashes ------------------------------------------------------------------------------- */

#define PRIME ((UINT64_C(1) << 61) - 1)
#define BASE UINT64_C(0x1B873593CC9E2D51)      /* below PRIME; drawn at random */
#define INVERSE UINT64_C(0x16B16B088A7398D8)   /* BASE * INVERSE is 1 */

static uint64_t add(uint64_t a, uint64_t b)
{
    uint64_t sum = a + b;                      /* below 2^62 */

    return sum >= PRIME ? sum - PRIME : sum;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;

    return add((uint64_t)product & PRIME, (uint64_t)(product >> 61));
}

/* The value of a key in a hash: 1 or more. */
static uint64_t value_of(uint32_t key)
{
    uint64_t x = (key + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);

    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return (x ^ x >> 31) % (PRIME - 1) + 1;
}

uint64_t fingerprint_add_key(uint64_t hash, uint32_t key)
{
    return add(multiply(hash, BASE), value_of(key));
}

uint64_t fingerprint_power(uint64_t n)
{
    uint64_t power = 1, square = BASE;

    for (; n > 0; n >>= 1) {
        if (n & 1)
            power = multiply(power, square);
        square = multiply(square, square);
    }
    return power;
}

uint64_t fingerprint_end(uint64_t whole, uint64_t before, uint64_t power)
{
    return add(whole, PRIME - multiply(before, power));
}

/* ---- Fingerprints ------------------------------------------------------------------------- */

static const struct fingerprint empty = {0, 0, 1, KEY_NONE, KEY_NONE};

static bool goes_on_behind(const struct fingerprint *x, uint32_t first)
{
    return x->length > 0 && (first & KEY_GOES_ON) && x->last == (first & ~KEY_GOES_ON);
}

/* The power of the base for one key less. */
static uint64_t power_without_first(const struct fingerprint *y)
{
    return multiply(y->power, INVERSE);
}

static void append(struct fingerprint *x, const struct fingerprint *y)
{
    uint64_t power = y->power, hash = y->hash, length = y->length;

    if (y->length == 0)
        return;
    if (x->length == 0) {
        *x = *y;
        return;
    }
    if (goes_on_behind(x, y->first)) {
        power = power_without_first(y);
        hash = fingerprint_end(hash, value_of(y->first & ~KEY_GOES_ON), power);
        length--;
    }
    x->hash = add(multiply(x->hash, power), hash);
    x->power = multiply(x->power, power);
    x->length += length;
    x->last = y->last;
}

/* The fingerprint of keys [begin, end) of the array, the first of which may go on. */
static struct fingerprint print_of(const uint32_t *key, uint64_t begin, uint64_t end)
{
    struct fingerprint x = empty;

    if (begin == end)
        return x;
    x.first = key[begin];
    x.last = key[end - 1] & ~KEY_GOES_ON;
    for (uint64_t i = begin; i < end; i++) {
        x.hash = fingerprint_add_key(x.hash, key[i] & ~KEY_GOES_ON);
        x.power = multiply(x.power, BASE);
    }
    x.length = end - begin;
    return x;
}

static const struct fingerprint *print(const struct fingerprints *f, uint32_t symbol)
{
    return symbol & WPP_RULE ? &f->rule[symbol & ~WPP_RULE] : &f->terminal[symbol];
}

static uint64_t events_of(const struct fingerprints *f, uint32_t symbol)
{
    return symbol & WPP_RULE ? f->g->length[symbol & ~WPP_RULE] : 1;
}

/* False: its string is too long.  Sums of two that are not do not overflow. */
static bool sum_rule(struct fingerprints *f, uint32_t rule)
{
    const struct wpp_grammar *g = f->g;
    struct fingerprint_sample sum = {empty, 0};

    for (uint64_t i = g->body[rule]; i < g->body[rule + 1]; i++) {
        if (i % FINGERPRINT_STEP == 0)
            f->sample[i / FINGERPRINT_STEP] = sum;
        append(&sum.print, print(f, g->symbols[i]));
        sum.events += events_of(f, g->symbols[i]);
        if (sum.print.length > FINGERPRINT_MOST)
            return false;
    }
    f->rule[rule] = sum.print;
    return true;
}

bool fingerprints_new(struct fingerprints *out, const struct wpp_grammar *g,
                      const struct key_strings *keys, struct wpp_error *error)
{
    uint32_t n = g->n_rules + g->n_threads;
    uint64_t n_symbols = n > 0 ? g->body[n] : 0;

    *out = (struct fingerprints){
        .g = g, .keys = keys,
        .terminal = malloc((g->n_terminals + (size_t)1) * sizeof *out->terminal),
        .rule = malloc((n + (size_t)1) * sizeof *out->rule),
        .sample = malloc((n_symbols / FINGERPRINT_STEP + 1) * sizeof *out->sample)
    };
    if (!out->terminal || !out->rule || !out->sample) {
        fingerprints_free(out);
        return wpp_fail_memory(error);
    }
    for (uint32_t t = 0; t < g->n_terminals; t++)
        out->terminal[t] = print_of(keys->key, keys->first[t], keys->first[t + 1]);
    for (uint32_t r = 0; r < n; r++)
        if (!sum_rule(out, r)) {
            fingerprints_free(out);
            return wpp_fail(error, WPP_E_ARGUMENT, "the run is too long to be compared");
        }
    return true;
}

void fingerprints_free(struct fingerprints *f)
{
    free(f->terminal);
    free(f->rule);
    free(f->sample);
    *f = (struct fingerprints){0};
}

uint64_t fingerprints_length(const struct fingerprints *f, uint32_t thread)
{
    return f->rule[f->g->n_rules + thread].length;
}

/* ---- Descending ---------------------------------------------------------------------------- */

/* What a descent looks for: the symbol that derives a key, or an event. */
struct goal {
    bool is_event;
    uint64_t number;
};

static uint64_t measure(const struct fingerprint_sample *sum, const struct goal *goal)
{
    return goal->is_event ? sum->events : sum->print.length;
}

static void append_symbol(const struct fingerprints *f, struct fingerprint_sample *sum,
                          uint32_t symbol)
{
    append(&sum->print, print(f, symbol));
    sum->events += events_of(f, symbol);
}

static void append_sample(struct fingerprint_sample *sum, const struct fingerprint_sample *more)
{
    append(&sum->print, &more->print);
    sum->events += more->events;
}

/* The greatest index in [begin, end) that has a sample, or is `begin`, before which the goal is not
 * reached; *sum, which is what precedes the rule, becomes what precedes that index. */
static uint64_t last_sample(const struct fingerprints *f, uint64_t begin, uint64_t end,
                            const struct goal *goal, struct fingerprint_sample *sum)
{
    uint64_t low = begin / FINGERPRINT_STEP + 1, high = (end - 1) / FINGERPRINT_STEP + 1;
    struct fingerprint_sample best = *sum;
    uint64_t i = begin;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        struct fingerprint_sample there = *sum;

        append_sample(&there, &f->sample[middle]);
        if (measure(&there, goal) <= goal->number) {
            i = middle * FINGERPRINT_STEP;
            best = there;
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *sum = best;
    return i;
}

/* The index in [begin, end) of the symbol with which the goal is reached, or `end`; *sum becomes what
 * precedes it. */
static uint64_t find_symbol(const struct fingerprints *f, uint64_t begin, uint64_t end,
                            const struct goal *goal, struct fingerprint_sample *sum)
{
    uint64_t i = begin < end ? last_sample(f, begin, end, goal, sum) : end;

    for (; i < end; i++) {
        struct fingerprint_sample next = *sum;

        append_symbol(f, &next, f->g->symbols[i]);
        if (measure(&next, goal) > goal->number)
            break;
        *sum = next;
    }
    return i;
}

/* What precedes the goal's terminal in the thread, and that terminal; UINT32_MAX: the thread does not
 * reach it. */
static uint32_t descend(const struct fingerprints *f, uint32_t thread, const struct goal *goal,
                        struct fingerprint_sample *sum)
{
    uint32_t symbol = WPP_RULE | (f->g->n_rules + thread);

    *sum = (struct fingerprint_sample){empty, 0};
    while (symbol & WPP_RULE) {
        uint32_t rule = symbol & ~WPP_RULE;
        uint64_t end = f->g->body[rule + 1];
        uint64_t i = find_symbol(f, f->g->body[rule], end, goal, sum);

        if (i == end)
            return UINT32_MAX;
        symbol = f->g->symbols[i];
    }
    return symbol;
}

uint64_t fingerprints_before(const struct fingerprints *f, uint32_t thread, uint64_t event)
{
    struct fingerprint_sample sum;

    descend(f, thread, &(struct goal){true, event}, &sum);
    return sum.print.length;
}

/* The first key of a terminal's string that is derived behind `before`. */
static uint64_t first_key(const struct fingerprints *f, const struct fingerprint *before,
                          uint32_t terminal)
{
    uint64_t first = f->keys->first[terminal];

    return first < f->keys->first[terminal + 1] && goes_on_behind(before, f->keys->key[first])
         ? first + 1 : first;
}

/* The hash of the thread's first n keys. */
static uint64_t hash_before(const struct fingerprints *f, uint32_t thread, uint64_t n)
{
    struct fingerprint_sample sum;
    uint32_t terminal = descend(f, thread, &(struct goal){false, n}, &sum);
    uint64_t hash = sum.print.hash;

    assert(sum.print.length <= n);
    if (terminal == UINT32_MAX)
        return hash;
    for (uint64_t k = first_key(f, &sum.print, terminal), left = n - sum.print.length; left > 0;
         left--)
        hash = fingerprint_add_key(hash, f->keys->key[k++] & ~KEY_GOES_ON);
    return hash;
}

uint64_t fingerprints_hash(const struct fingerprints *f, uint32_t thread, uint64_t begin,
                           uint64_t n)
{
    assert(begin <= fingerprints_length(f, thread)
           && n <= fingerprints_length(f, thread) - begin);
    return fingerprint_end(hash_before(f, thread, begin + n), hash_before(f, thread, begin),
                           fingerprint_power(n));
}

/* ---- Walking ------------------------------------------------------------------------------- */

static bool push_place(struct key_walk *k, uint64_t next, uint64_t end)
{
    size_t room = k->room ? 2 * k->room : 64;
    struct key_place *place;

    if (k->n == k->room) {
        place = realloc(k->place, room * sizeof *place);
        if (!place)
            return false;
        k->place = place;
        k->room = room;
    }
    k->place[k->n++] = (struct key_place){next, end};
    return true;
}

/* Whether a symbol derives no key behind `before`. */
static bool is_silent(const struct key_walk *k, const struct fingerprint *y)
{
    return y->length == 0
        || (y->length == 1 && (y->first & KEY_GOES_ON) && (y->first & ~KEY_GOES_ON) == k->before);
}

static void enter_terminal(struct key_walk *k, uint32_t terminal)
{
    const struct key_strings *keys = k->f->keys;

    k->terminal = terminal;
    k->next_key = keys->first[terminal];
    k->end_key = keys->first[terminal + 1];
    k->next_key += keys->key[k->next_key] == (KEY_GOES_ON | k->before);
    assert(k->next_key < k->end_key);
}

/* Goes to the next terminal that derives a key. */
static bool advance(struct key_walk *k)
{
    while (k->n > 0) {
        struct key_place *top = &k->place[k->n - 1];
        uint32_t symbol;

        if (top->next == top->end) {
            k->n--;
            continue;
        }
        symbol = k->f->g->symbols[top->next++];
        if (is_silent(k, print(k->f, symbol))) {
            k->event += events_of(k->f, symbol);
        } else if (symbol & WPP_RULE) {
            uint32_t rule = symbol & ~WPP_RULE;

            if (!push_place(k, k->f->g->body[rule], k->f->g->body[rule + 1]))
                return false;
        } else {
            enter_terminal(k, symbol);
            return true;
        }
    }
    k->terminal = UINT32_MAX;
    k->next_key = k->end_key = 0;
    return true;
}

/* Descends as descend() does and keeps the way. */
static bool walk_down(struct key_walk *k, uint32_t thread, uint64_t key,
                      struct fingerprint_sample *sum)
{
    const struct fingerprints *f = k->f;
    const struct goal goal = {false, key};
    uint32_t symbol = WPP_RULE | (f->g->n_rules + thread);

    *sum = (struct fingerprint_sample){empty, 0};
    while (symbol & WPP_RULE) {
        uint32_t rule = symbol & ~WPP_RULE;
        uint64_t end = f->g->body[rule + 1];
        uint64_t i = find_symbol(f, f->g->body[rule], end, &goal, sum);

        if (i == end) {
            k->n = 0;
            k->terminal = UINT32_MAX;
            return true;
        }
        if (!push_place(k, i + 1, end))
            return false;
        symbol = f->g->symbols[i];
    }
    k->terminal = symbol;
    return true;
}

bool key_walk_begin(struct key_walk *k, const struct fingerprints *f, uint32_t thread, uint64_t key)
{
    struct fingerprint_sample sum;

    *k = (struct key_walk){.f = f};
    if (!walk_down(k, thread, key, &sum)) {
        key_walk_end(k);
        return false;
    }
    k->event = sum.events;
    k->before = sum.print.length ? sum.print.last : KEY_NONE;
    if (k->terminal == UINT32_MAX)
        return true;
    enter_terminal(k, k->terminal);
    for (uint64_t left = key - sum.print.length; left > 0; left--)
        k->before = f->keys->key[k->next_key++] & ~KEY_GOES_ON;
    assert(k->next_key < k->end_key);
    return true;
}

bool key_walk_read(struct key_walk *k, uint32_t *out, size_t n, size_t *got)
{
    for (*got = 0; *got < n && k->terminal != UINT32_MAX;) {
        k->before = out[(*got)++] = k->f->keys->key[k->next_key++] & ~KEY_GOES_ON;
        if (k->next_key < k->end_key)
            continue;
        k->event++;
        if (!advance(k))
            return false;
    }
    return true;
}

void key_walk_end(struct key_walk *k)
{
    free(k->place);
    *k = (struct key_walk){0};
}

/* ---- Two threads ------------------------------------------------------------------------- */

static bool is_common(const struct key_thread *a, uint64_t i, const struct key_thread *b,
                      uint64_t j, uint64_t n)
{
    return fingerprints_hash(a->f, a->thread, i, n) == fingerprints_hash(b->f, b->thread, j, n);
}

uint64_t fingerprints_common(const struct key_thread *a, uint64_t i, const struct key_thread *b,
                             uint64_t j)
{
    uint64_t left_a = fingerprints_length(a->f, a->thread) - i;
    uint64_t left_b = fingerprints_length(b->f, b->thread) - j;
    uint64_t most = left_a < left_b ? left_a : left_b, low = 0, high = 1;

    /* `low` keys are equal; `high` are not, or are more than there are. */
    while (high <= most && is_common(a, i, b, j, high)) {
        low = high;
        high = 2 * high;
    }
    if (high > most)
        high = most + 1;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        if (is_common(a, i, b, j, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}
