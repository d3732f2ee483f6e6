/* SPDX-License-Identifier: MIT */
/* event-cursor.c - walking a thread's events.
 *
 * The stack holds, from the start rule inwards, the rest of each rule that the walk is inside of.
 * No range on it is empty: a rule is removed as soon as its last symbol is entered.
 */
#include <assert.h>
#include <stdlib.h>

#include "wpp/read/reader.h"

struct range {
    const uint32_t *next, *end;    /* next < end */
};

struct wpp_cursor {
    const struct wpp *w;
    size_t depth;
    struct range stack[];          /* w->depth */
};

static void push(wpp_cursor *c, uint64_t begin, uint64_t end)
{
    if (begin == end)
        return;
    assert(c->depth < c->w->depth);
    c->stack[c->depth++] = (struct range){c->w->grammar.symbols + begin,
                                          c->w->grammar.symbols + end};
}

static uint64_t symbol_length(const struct wpp_grammar *g, uint32_t symbol)
{
    return symbol & WPP_RULE ? g->length[symbol & ~WPP_RULE] : 1;
}

/* How many events all symbols before index i derive, modulo 2^64. */
static uint64_t sum_before(const struct wpp *w, uint64_t i)
{
    uint64_t sum = w->sums[i / WPP_SUM_STEP];

    for (uint64_t j = i - i % WPP_SUM_STEP; j < i; j++)
        sum += symbol_length(&w->grammar, w->grammar.symbols[j]);
    return sum;
}

/* Index of the symbol of symbols[begin .. end) that derives event *offset of the sequence; *offset
 * becomes the event's number within that symbol. */
static uint64_t find_symbol(const struct wpp *w, uint64_t begin, uint64_t end, uint64_t *offset)
{
    uint64_t base = sum_before(w, begin), i = begin;
    uint64_t low = begin / WPP_SUM_STEP + 1, high = (end - 1) / WPP_SUM_STEP + 1;

    /* Finds the last sum inside the range that is not beyond the offset. */
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (w->sums[middle] - base <= *offset) {
            i = middle * WPP_SUM_STEP;
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (i > begin)
        *offset -= w->sums[i / WPP_SUM_STEP] - base;
    for (;; i++) {
        uint64_t length = symbol_length(&w->grammar, w->grammar.symbols[i]);

        assert(i < end);
        if (*offset < length)
            return i;
        *offset -= length;
    }
}

static void seek(wpp_cursor *c, uint32_t rule, uint64_t offset)
{
    const struct wpp_grammar *g = &c->w->grammar;

    for (;;) {
        uint64_t i = find_symbol(c->w, g->body[rule], g->body[rule + 1], &offset);

        if (!(g->symbols[i] & WPP_RULE) || offset == 0) {
            push(c, i, g->body[rule + 1]);
            return;
        }
        push(c, i + 1, g->body[rule + 1]);
        rule = g->symbols[i] & ~WPP_RULE;
    }
}

wpp_cursor *wpp_cursor_new(const wpp *w, uint32_t thread, uint64_t first)
{
    wpp_cursor *c;

    if (thread >= w->n_threads || first > w->threads[thread].tokens ||
        (w->findings.missing & WPP_PART_GRAMMAR) || w->figures_only)
        return NULL;
    c = malloc(sizeof *c + w->depth * sizeof c->stack[0]);
    if (!c)
        return NULL;
    c->w = w;
    c->depth = 0;
    if (first < w->threads[thread].tokens)
        seek(c, w->grammar.n_rules + thread, first);
    return c;
}

size_t wpp_cursor_read(wpp_cursor *c, uint32_t *terminals, size_t n)
{
    const struct wpp_grammar *g = &c->w->grammar;
    size_t done = 0;

    while (c->depth > 0 && done < n) {
        struct range *top = &c->stack[c->depth - 1];
        uint32_t symbol = *top->next++;

        if (top->next == top->end)
            c->depth--;
        if (symbol & WPP_RULE) {
            uint32_t rule = symbol & ~WPP_RULE;

            push(c, g->body[rule], g->body[rule + 1]);
        } else {
            terminals[done++] = symbol;
        }
    }
    return done;
}

void wpp_cursor_free(wpp_cursor *c)
{
    free(c);
}
