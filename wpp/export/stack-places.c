/* SPDX-License-Identifier: MIT */
#include "wpp/export/stack-places.h"

#include <stdlib.h>

static uint32_t place_number(struct stack_places *x, struct stack_place p)
{
    uint64_t hash = (((uint64_t)p.outer << 32 | p.function) ^ (uint64_t)p.line << 17)
                  * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t at = (uint32_t)(hash >> 32) & (x->n_slots - 1);

    for (; x->slot[at]; at = (at + 1) & (x->n_slots - 1)) {
        const struct stack_place *q = &x->place[x->slot[at] - 1];

        if (q->outer == p.outer && q->function == p.function && q->line == p.line)
            return x->slot[at] - 1;
    }
    x->place[x->n++] = p;
    x->slot[at] = x->n;
    return x->n - 1;
}

bool stack_places_new(struct stack_places *out, const struct stacks *s)
{
    *out = (struct stack_places){0};
    for (out->n_slots = 16; out->n_slots / 2 <= s->n; out->n_slots *= 2) {}
    out->of_node = calloc(s->n + (size_t)1, sizeof *out->of_node);
    out->place = calloc(s->n + (size_t)1, sizeof *out->place);
    out->slot = calloc(out->n_slots, sizeof *out->slot);
    if (!out->of_node || !out->place || !out->slot) {
        stack_places_free(out);
        return false;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        const struct stack_node *node = &s->node[i];
        struct stack_place p = {STACK_ROOT, node->function, node->line, 0};

        if (node->inlined) {
            p.outer = out->of_node[node->parent];
            p.depth = out->place[p.outer].depth + 1;
        }
        out->of_node[i] = place_number(out, p);
    }
    return true;
}

void stack_places_free(struct stack_places *p)
{
    free(p->of_node);
    free(p->place);
    free(p->slot);
    *p = (struct stack_places){0};
}
