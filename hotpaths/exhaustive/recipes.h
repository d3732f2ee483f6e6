/* SPDX-License-Identifier: MIT */
/* recipes.h - what texts around borders are made of, so that none is gathered twice.
 *
 * Where a program does much the same in many places, a text of a hundred terminals stands
 * around thousands of borders, and most of them are made of the same parts:
 *
 *      rule    r ->   . . . A           u            B . . .
 *      recipe         | end of A | beginning of u | beginning of B | - | - | - | cut |
 *
 * Ends that are equal strings have one number (rule-ends.h); `cut` is what else decides how
 * far the text goes.  So equal recipes are equal texts; the reverse need not hold.  Whether
 * borders are of known recipes is watched; where few are, no more are looked for.
 */
#ifndef WPP_RECIPES_H
#define WPP_RECIPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hotpaths/exhaustive/contexts.h"

enum { RECIPE_PARTS = 6 };

struct recipe {
    uint64_t part[RECIPE_PARTS];        /* 0: none; the caller's numbers for strings */
    uint64_t cut;
};

/* Of all borders of a recipe: what texts_merge wants, and the text once there is one. */
struct recipe_sum {
    uint64_t frequency, after;
    uint32_t missing, text;
};

struct recipes {
    struct recipe_sum *sum;
    struct recipe *recipe;      /* as long as they are looked for */
    size_t n, sum_size, recipe_size;
    uint64_t *table;
    size_t table_size;
    size_t asked, known;
    bool given_up;
};

void recipes_init(struct recipes *r);
void recipes_clear(struct recipes *r);

/* Another border has this recipe (NULL: one of its own), and the frequency, `after` and
 * `missing` of `like`.  Its number in *number; *is_new: it has none of the others'.  HOT_OK
 * or HOT_E_MEMORY. */
int recipes_note(struct recipes *r, const struct recipe *recipe, const struct text *like,
                 uint32_t *number, bool *is_new);

#endif
