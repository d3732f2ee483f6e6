/* SPDX-License-Identifier: MIT */
/* recipes.h - the parts of texts around borders, so that no text is gathered twice.
 *
 * Where a program does nearly the same in many places, a text of a hundred terminals occurs around
 * thousands of borders, and is mostly made of the same parts:
 *
 *      rule    r ->   . . . A           u            B . . .
 *      recipe         | end of A | beginning of u | beginning of B | - | - | - | cut |
 *
 * Equal ends have one number (rule-ends.h); `cut` holds the other data that determine the extent of
 * the text.  So equal recipes give equal texts; the reverse need not hold.  If few borders have a
 * known recipe, recipes are no longer searched.
 */
#ifndef WPP_RECIPES_H
#define WPP_RECIPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hotpaths/exhaustive/border-texts.h"

enum { RECIPE_PARTS = 6 };

struct recipe {
    uint64_t part[RECIPE_PARTS];        /* 0: none; the caller's numbers for strings */
    uint64_t cut;
};

/* For all borders of a recipe: the input of texts_merge, and the text once there is one. */
struct recipe_sum {
    uint64_t frequency, after;
    uint32_t missing, text;
};

struct recipes {
    struct recipe_sum *sum;
    struct recipe *recipe;      /* while they are searched */
    size_t n, sum_size, recipe_size;
    uint64_t *table;
    size_t table_size;
    size_t asked, known;
    bool given_up;
};

void recipes_init(struct recipes *r);
void recipes_clear(struct recipes *r);

/* Adds a border with this recipe (NULL: one of its own), and the frequency, `after` and `missing`
 * of `like`.  Its number in *number; *is_new: no other border has it.  HOT_OK or HOT_E_MEMORY. */
int recipes_note(struct recipes *r, const struct recipe *recipe, const struct text *like,
                 uint32_t *number, bool *is_new);

#endif
