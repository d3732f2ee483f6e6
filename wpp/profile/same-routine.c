/* SPDX-License-Identifier: MIT */
#include "wpp/profile/same-routine.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/bytes.h"

static bool same_lines(const struct wpp_routine *a, const struct wpp_block *x,
                       const struct wpp_routine *b, const struct wpp_block *y)
{
    if (x->insns != y->insns || x->n_lines != y->n_lines)
        return false;
    for (uint32_t i = 0; i < x->n_lines; i++)
        if (x->lines[i].line - a->line != y->lines[i].line - b->line
            || strcmp(x->lines[i].file, y->lines[i].file) != 0)
            return false;
    return true;
}

static bool same_edge(const struct wpp_edge *x, const struct wpp_edge *y)
{
    return x->src == y->src && x->dst == y->dst && x->kind == y->kind && x->to == y->to
        && x->val == y->val;
}

bool routine_same(const struct wpp_routine *a, const struct wpp_routine *b)
{
    if (a->num_paths != b->num_paths || a->n_blocks != b->n_blocks || a->n_edges != b->n_edges
        || strcmp(a->name, b->name) != 0 || strcmp(a->file, b->file) != 0)
        return false;
    for (uint32_t i = 0; i < a->n_edges; i++)
        if (!same_edge(&a->edges[i], &b->edges[i]))
            return false;
    for (uint32_t i = 0; i < a->n_blocks; i++)
        if (!same_lines(a, &a->blocks[i], b, &b->blocks[i]))
            return false;
    return true;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return wpp_fnv(hash, text, strlen(text) + 1);
}

static uint64_t hash_number(uint64_t hash, uint64_t n)
{
    return wpp_fnv(hash, &n, sizeof n);
}

/* Equal for routines that are the same; costs and lines are left to the comparison. */
static uint64_t hash_routine(const struct wpp_routine *r)
{
    uint64_t hash = hash_text(hash_text(WPP_FNV_START, r->name), r->file);

    hash = hash_number(hash_number(hash, r->num_paths), r->n_blocks);
    for (uint32_t i = 0; i < r->n_edges; i++)
        hash = hash_number(hash, (uint64_t)r->edges[i].src << 32 | r->edges[i].dst);
    return hash;
}

struct hashed { uint64_t hash; uint32_t number; };

static int compare_hashed(const void *left, const void *right)
{
    const struct hashed *a = left, *b = right;

    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Among list[0 .. n), which have one hash. */
static void find_among(const struct hashed *list, uint32_t n,
                       const struct wpp_routine *const *routine, routine_may *may,
                       const void *context, uint32_t *same)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = list[i].number;

        same[x] = x;
        for (uint32_t k = 0; k < i && same[x] == x; k++) {
            uint32_t y = list[k].number;

            if (same[y] == y && (!may || may(context, y, x))
                && routine_same(routine[y], routine[x]))
                same[x] = y;
        }
    }
}

bool routine_find_same(const struct wpp_routine *const *routine, uint32_t n, routine_may *may,
                       const void *context, uint32_t *same)
{
    struct hashed *list = calloc(n + (size_t)1, sizeof *list);

    if (!list)
        return false;
    for (uint32_t i = 0; i < n; i++)
        list[i] = (struct hashed){hash_routine(routine[i]), i};
    qsort(list, n, sizeof *list, compare_hashed);
    for (uint32_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && list[end].hash == list[i].hash;)
            end++;
        find_among(list + i, end - i, routine, may, context, same);
    }
    free(list);
    return true;
}

const char *routine_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}
