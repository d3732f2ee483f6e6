/* SPDX-License-Identifier: MIT */
#include "wpp/runs/loop-figures.h"

#include <stdlib.h>
#include <string.h>

#ifdef WPP_HOSTILE
enum { FIGURES_MOST = 400, BITS_LEAST = 8 };
#else
enum { FIGURES_MOST = 1 << 20, BITS_LEAST = 8 };
#endif

void loop_figures_free(struct loop_figures *l)
{
    free(l->figure);
    free(l->slots);
    *l = (struct loop_figures){0};
}

/* Keeps the highest bits. */
static uint64_t round_down(uint64_t n, unsigned bits)
{
    unsigned length = n ? 64 - (unsigned)__builtin_clzll(n) : 0;

    return bits == 0 || length <= bits ? n : n >> (length - bits) << (length - bits);
}

static size_t slot_of(const struct loop_figures *l, uint32_t header, uint64_t most)
{
    uint64_t h = (header ^ most * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);
    size_t s = (size_t)(h ^ h >> 32) & (l->n_slots - 1);

    while (l->slots[s] && (l->figure[l->slots[s] - 1].header != header ||
                           l->figure[l->slots[s] - 1].most != most))
        s = (s + 1) & (l->n_slots - 1);
    return s;
}

static bool make_room(struct loop_figures *l)
{
    size_t n = l->capacity ? 2 * l->capacity : 256;
    struct loop_figure *larger;
    uint32_t *slots;

    if (l->n < l->capacity)
        return true;
    larger = realloc(l->figure, n * sizeof *larger);
    if (!larger)
        return false;
    l->figure = larger;
    slots = calloc(2 * n, sizeof *slots);
    if (!slots)
        return false;
    free(l->slots);
    l->slots = slots;
    l->n_slots = 2 * n;
    l->capacity = n;
    for (size_t i = 0; i < l->n; i++)
        l->slots[slot_of(l, l->figure[i].header, l->figure[i].most)] = (uint32_t)i + 1;
    return true;
}

static bool add(struct loop_figures *l, const struct loop_figure *f)
{
    size_t s;

    if (!make_room(l))
        return false;
    s = slot_of(l, f->header, f->most);
    if (!l->slots[s]) {
        l->figure[l->n] = *f;
        l->slots[s] = (uint32_t)++l->n;
        return true;
    }
    l->figure[l->slots[s] - 1].fail += f->fail;
    l->figure[l->slots[s] - 1].pass += f->pass;
    l->figure[l->slots[s] - 1].set += f->set;
    return true;
}

/* Rounds to fewer bits until there are not too many.  There is room for what there was. */
static void make_fewer(struct loop_figures *l)
{
    while (l->n > FIGURES_MOST && l->bits != BITS_LEAST) {
        size_t n = l->n;

        l->bits = l->bits == 0 ? 20 : l->bits - 4;
        l->n = 0;
        memset(l->slots, 0, l->n_slots * sizeof *l->slots);
        for (size_t i = 0; i < n; i++) {
            struct loop_figure f = l->figure[i];

            f.most = round_down(f.most, l->bits);
            add(l, &f);
        }
    }
}

bool loop_figures_note(struct loop_figures *l, uint32_t header, uint64_t most, bool fails, uint64_t hash)
{
    if (!add(l, &(struct loop_figure){header, fails, !fails, round_down(most, l->bits), hash}))
        return false;
    make_fewer(l);
    return true;
}

static int compare_figures(const void *left, const void *right)
{
    const struct loop_figure *a = left, *b = right;

    if (a->header != b->header)
        return a->header < b->header ? -1 : 1;
    return a->most > b->most ? -1 : a->most < b->most;
}

void loop_figures_sort(struct loop_figures *l)
{
    if (l->n > 0)
        qsort(l->figure, l->n, sizeof *l->figure, compare_figures);
}
