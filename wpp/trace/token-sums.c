/* SPDX-License-Identifier: MIT */
#include "wpp/trace/token-sums.h"

#include <assert.h>
#include <stdlib.h>

void wpp_token_sums_free(struct wpp_token_sums *s)
{
    free(s->list);
    *s = (struct wpp_token_sums){0};
}

static int compare_tokens(const void *a, const void *b)
{
    const struct wpp_token_sum *x = a, *y = b;

    if (x->token != y->token)
        return x->token < y->token ? -1 : 1;
    return x->left < y->left ? -1 : x->left > y->left;
}

void wpp_token_sums_settle(struct wpp_token_sums *s)
{
    size_t n = 0;

    if (s->n > 0)
        qsort(s->list, s->n, sizeof *s->list, compare_tokens);
    for (size_t i = 0; i < s->n; i++) {
        if (n > 0 && compare_tokens(&s->list[n - 1], &s->list[i]) == 0)
            s->list[n - 1].sum += s->list[i].sum;
        else
            s->list[n++] = s->list[i];
    }
    s->n = n;
}

/* Many records may have the same tokens. */
bool wpp_token_sums_reserve(struct wpp_token_sums *s, size_t more)
{
    size_t capacity = s->capacity ? s->capacity : 256;
    struct wpp_token_sum *larger;

    if (s->n + more <= s->capacity)
        return true;
    wpp_token_sums_settle(s);
    while (capacity < 2 * (s->n + more))
        capacity *= 2;
    if (capacity <= s->capacity)
        return true;
    larger = realloc(s->list, capacity * sizeof *larger);
    if (!larger)
        return false;
    s->list = larger;
    s->capacity = capacity;
    return true;
}

void wpp_token_sums_add_left(struct wpp_token_sums *s, uint32_t token, uint32_t left, uint64_t n)
{
    assert(s->n < s->capacity);
    s->list[s->n++] = (struct wpp_token_sum){token, left, n};
}

void wpp_token_sums_add(struct wpp_token_sums *s, uint32_t token, uint64_t n)
{
    wpp_token_sums_add_left(s, token, 0, n);
}

size_t wpp_token_sums_from(const struct wpp_token_sums *s, uint64_t token)
{
    size_t low = 0, high = s->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (s->list[middle].token < token)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t wpp_token_sums_of(const struct wpp_token_sums *s, uint32_t token)
{
    size_t at = wpp_token_sums_from(s, token);

    return at < s->n && s->list[at].token == token && !s->list[at].left
           ? s->list[at].sum : 0;
}
