/* SPDX-License-Identifier: MIT */
/* recipes.c - see recipes.h. */
#include "hotpaths/exhaustive/recipes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/base/hash-table.h"
#include "hotpaths/base/rolling-hash.h"
#include "hotpaths/base/saturate.h"

/* Recipes are used only if one in four of the first TRIAL borders had a known recipe. */
#ifdef WPP_HOSTILE
enum { TRIAL = 16 };
#else
enum { TRIAL = 1 << 16 };
#endif

void recipes_init(struct recipes *r)
{
    *r = (struct recipes){ 0 };
}

void recipes_clear(struct recipes *r)
{
    free(r->sum);
    free(r->recipe);
    free(r->table);
    recipes_init(r);
}

static uint64_t recipe_hash(const struct recipe *x)
{
    uint64_t hash = x->cut;

    for (int i = 0; i < RECIPE_PARTS; i++) {
        hash = (hash ^ x->part[i]) * ROLLING_MULTIPLIER;
        hash ^= hash >> 32;
    }
    return rolling_mix(hash) & SLOT_HASH;
}

static void forget_recipes(struct recipes *r)
{
    free(r->recipe);
    free(r->table);
    r->recipe = NULL;
    r->table = NULL;
    r->recipe_size = r->table_size = 0;
    r->given_up = true;
}

/* The recipe's slot, or the empty one where it belongs. */
static size_t recipe_slot(const struct recipes *r, const struct recipe *x, uint64_t hash)
{
    size_t mask = r->table_size - 1, slot = SLOT_HOME(hash) & mask;

    assert(r->n < r->table_size);
    for (; r->table[slot]; slot = (slot + 1) & mask)
        if (SLOT_TAG(r->table[slot]) == SLOT_TAG(hash) &&
            memcmp(&r->recipe[SLOT_NUMBER(r->table[slot])], x, sizeof *x) == 0)
            break;
    return slot;
}

static int add_sum(struct recipes *r, const struct text *like, uint32_t *number)
{
    if (r->n >= NO_TEXT - 1 || GROW(r->sum, r->sum_size, r->n + 1) != HOT_OK)
        return HOT_E_MEMORY;
    *number = (uint32_t)r->n;
    r->sum[r->n++] = (struct recipe_sum){ like->frequency, like->after, like->missing, NO_TEXT };
    return HOT_OK;
}

static void add_to_sum(struct recipe_sum *s, const struct text *like)
{
    s->frequency = saturating_add(s->frequency, like->frequency);
    s->after = like->after > s->after ? like->after : s->after;
    s->missing = like->missing > s->missing ? like->missing : s->missing;
}

int recipes_note(struct recipes *r, const struct recipe *recipe, const struct text *like,
                 uint32_t *number, bool *is_new)
{
    uint64_t hash;
    size_t slot;

    if (++r->asked == TRIAL && 4 * r->known < r->asked)
        forget_recipes(r);
    *is_new = true;
    if (r->given_up)
        return add_sum(r, like, number);
    if (GROW(r->recipe, r->recipe_size, r->n + 1) != HOT_OK)
        return HOT_E_MEMORY;
    if (!recipe)
        return add_sum(r, like, number);
    if (hash_table_grow(&r->table, &r->table_size, r->n + 1) != HOT_OK)
        return HOT_E_MEMORY;
    hash = recipe_hash(recipe);
    slot = recipe_slot(r, recipe, hash);
    if (r->table[slot]) {
        *number = SLOT_NUMBER(r->table[slot]);
        add_to_sum(&r->sum[*number], like);
        *is_new = false;
        r->known++;
        return HOT_OK;
    }
    if (add_sum(r, like, number) != HOT_OK)
        return HOT_E_MEMORY;
    assert(*number < r->recipe_size);
    r->recipe[*number] = *recipe;
    r->table[slot] = SLOT_TAG(hash) | (*number + UINT64_C(1));
    return HOT_OK;
}
