/* SPDX-License-Identifier: MIT */
/* toy-map.h - address maps of one routine, made by hand or at random. */
#ifndef WPP_TOY_MAP_H
#define WPP_TOY_MAP_H

#include <stdlib.h>
#include <string.h>

#include "wpp/map/address-map.h"

enum { MOST_BLOCKS = 20, MOST_ARCS = 64, RANDOM_BLOCKS = 14, BLOCK_BYTES = 16 };

struct toy {
    struct address_map map;
    struct map_routine routine;
    struct map_block block[MOST_BLOCKS];
    struct wpp_block about[MOST_BLOCKS];
    uint32_t place[MOST_BLOCKS], first[MOST_BLOCKS + 1], arc[MOST_ARCS];
    uint8_t kind[MOST_ARCS];
};

/* Blocks 2 .. n - 1 lie one behind the other; arcs[b] is a string of targets, `A` is block 2, `.` EXIT. */
static inline void make_toy(struct toy *t, uint32_t n, const char *const *arcs)
{
    uint32_t k = 0;

    memset(t, 0, sizeof *t);
    for (uint32_t b = 2; b < n; b++) {
        t->first[b] = k;
        for (const char *p = arcs[b - 2]; *p; p++) {
            t->kind[k] = WPP_EDGE_REAL;
            t->arc[k++] = *p == '.' ? 1 : (uint32_t)(*p - 'A' + 2);
        }
        t->place[b] = b - 2;
        t->block[b - 2] = (struct map_block){.begin = 0x1000 + BLOCK_BYTES * (uint64_t)(b - 2),
                                             .end = 0x1000 + BLOCK_BYTES * (uint64_t)(b - 1), .block = b,
                                             .next = MAP_NONE};
        for (uint32_t i = t->first[b]; i < k; i++) {
            t->block[b - 2].flags |= t->arc[i] == 1 ? MAP_RETURNS : MAP_JUMPS;
            if (t->arc[i] == b + 1)
                t->block[b - 2].next = b - 1;
        }
        t->about[b].insns = 1;
    }
    t->first[n] = k;
    t->routine = (struct map_routine){.r = {.name = "toy", .n_blocks = n, .blocks = t->about},
                                      .place = t->place, .first_arc = t->first, .arc = t->arc,
                                      .arc_kind = t->kind};
    t->map = (struct address_map){.n_blocks = n - 2, .n_routines = 1, .block = t->block,
                                  .routine = &t->routine};
}

static inline void random_toy(struct toy *t)
{
    static char text[MOST_BLOCKS][8];
    const char *arcs[MOST_BLOCKS];
    uint32_t n = 4 + (uint32_t)(random() % (RANDOM_BLOCKS - 4));

    for (uint32_t b = 2; b < n; b++) {
        uint32_t at = 0, last = b + 1 < n ? b + 1 : 1;
        bool used[MOST_BLOCKS] = {0};

        used[last] = true;
        text[b][at++] = last == 1 ? '.' : (char)('A' + last - 2);
        for (uint32_t k = (uint32_t)(random() % 3); k > 0; k--) {
            uint32_t to = 1 + (uint32_t)(random() % (n - 1));
            if (!used[to])
                text[b][at++] = to == 1 ? '.' : (char)('A' + to - 2);
            used[to] = true;
        }
        text[b][at] = '\0';
        arcs[b - 2] = text[b];
    }
    make_toy(t, n, arcs);
}

#endif
