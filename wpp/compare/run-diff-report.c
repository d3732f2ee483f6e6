/* SPDX-License-Identifier: MIT */
#include "wpp/compare/run-diff-report.h"

#include <assert.h>

enum { TOP_ROWS = 8 };

size_t run_diff_rows(const struct run_diff_report *r, const struct count_rows *rows)
{
    uint64_t top = r->top ? r->top : TOP_ROWS;

    return rows->n < top ? rows->n : (size_t)top;
}

static const struct wpp_routine *routine_of(const struct run_diff *d, unsigned side,
                                            uint32_t routine)
{
    return routine == WPP_NO_ROUTINE ? NULL : wpp_routine(d->w[side], routine);
}

/* The first line of a path's first `n` blocks, or the last one. */
static const struct wpp_line *line_of(const struct wpp_routine *routine,
                                      const struct wpp_terminal *t, uint32_t n, bool last)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct wpp_block *b = &routine->blocks[t->blocks[last ? n - 1 - i : i]];

        if (b->n_lines > 0)
            return &b->lines[last ? b->n_lines - 1 : 0];
    }
    return NULL;
}

/* Behind a key, on one side. */
static struct run_place key_place(const struct run_diff *d, unsigned side, uint32_t key)
{
    const struct key_home *home = &d->keys.home[key][side];
    struct run_place place = {routine_of(d, side, home->routine), home->line};

    assert(home->known);
    if (d->keys.by == COMMON_BY_PATH && place.routine) {
        const struct wpp_terminal *t = wpp_terminal(d->w[side], home->terminal);

        place.line = line_of(place.routine, t, t->n_blocks, true);
    }
    return place;
}

/* Where two paths of one routine part; without a line if they are not that. */
static struct run_place branch_place(const struct run_diff *d, const struct parting *x)
{
    const struct key_home *home[2];
    const struct wpp_terminal *t[2];
    struct run_place place = {NULL, NULL};
    uint32_t n = 0;

    for (unsigned s = 0; s < 2; s++) {
        if (x->side[s].n_after == 0)
            return place;
        home[s] = &d->keys.home[x->side[s].after[0]][s];
        if (home[s]->routine == WPP_NO_ROUTINE)
            return place;
        t[s] = wpp_terminal(d->w[s], home[s]->terminal);
    }
    if (d->keys.side[SIDE_A].routine[t[SIDE_A]->routine]
        != d->keys.side[SIDE_B].routine[t[SIDE_B]->routine])
        return place;
    while (n < t[SIDE_A]->n_blocks && n < t[SIDE_B]->n_blocks
           && t[SIDE_A]->blocks[n] == t[SIDE_B]->blocks[n])
        n++;
    place.routine = routine_of(d, SIDE_A, t[SIDE_A]->routine);
    place.line = line_of(place.routine, t[SIDE_A], n, true);
    return place;
}

struct run_place run_diff_place(const struct run_diff *d, const struct parting *x)
{
    struct run_place place = {NULL, NULL};

    if (d->keys.by == COMMON_BY_PATH)
        place = branch_place(d, x);
    if (!place.line && x->n_before > 0)
        place = key_place(d, SIDE_A, x->before[x->n_before - 1]);
    return place;
}

struct run_place run_diff_frame_place(const struct run_diff *d, const struct parting *x,
                                      unsigned side, size_t frame)
{
    const struct wpp_frame *f = &x->side[side].frames[frame];
    const struct wpp_terminal *t = wpp_terminal(d->w[side], f->terminal);
    struct run_place place = {routine_of(d, side, f->routine), NULL};
    struct run_place parted = run_diff_place(d, x);
    bool runs = f->last == x->side[side].event;

    if (runs && side == SIDE_A && parted.line && place.routine == parted.routine
        && frame < x->n_common_frames)
        return parted;
    place.line = line_of(place.routine, t, t->n_blocks, !runs);
    return place;
}
