/* SPDX-License-Identifier: MIT */
#include "wpp/samples/branch-records.h"

enum { LONGEST_JUMP = 8, MOST_FALLS = 4096 };

/* Where the trail is. */
struct following {
    struct block_trail *t;
    const struct address_map *m;
    struct records_figures *figures;
    uint32_t at;               /* block (index) in which control is, or MAP_NONE: not in mapped code */
    uint64_t address;          /* from here on */
};

/* Goes on by falling through to the block of `address`, which is at or behind the present one. */
static bool fall_to(struct following *f, uint64_t address, uint32_t block)
{
    uint32_t at = f->at, steps = 0;

    while (at != block) {
        uint32_t next = at == MAP_NONE ? MAP_NONE : f->m->block[at].next;
        if (next == MAP_NONE || f->m->block[next].begin > address || ++steps > MOST_FALLS
            || !block_trail_go(f->t, f->m->block[next].block))
            return false;
        at = next;
        f->address = f->m->block[next].begin;
    }
    f->at = at;
    return address >= f->address;
}

static void begin_at(struct following *f, uint32_t block, uint64_t address)
{
    f->at = block;
    f->address = address;
    if (block == MAP_NONE)
        block_trail_reset(f->t);
    else
        block_trail_begin(f->t, f->m->block[block].routine, f->m->block[block].block);
}

static bool is_entry(const struct address_map *m, uint32_t block)
{
    return m->block[block].block == 2;
}

/* Whether a block that may call and ends with a tail call left by the latter: that is its last
 * instruction. */
static bool is_tail_call(const struct map_block *a, uint64_t from)
{
    return (a->flags & MAP_TAIL_CALL) && (!(a->flags & (MAP_CALLS | MAP_MAY_CALL)) || a->end - from <= LONGEST_JUMP);
}

/* The branch between blocks a and b of mapped code.  False: there is no such way. */
static bool branch(struct following *f, uint32_t a, uint64_t from, uint32_t b, uint64_t to)
{
    const struct map_block *x = &f->m->block[a], *y = &f->m->block[b];
    bool begins = y->begin == to;

    if (begins && x->routine == y->routine && !(is_entry(f->m, b) && is_tail_call(x, from))
        && address_map_has_arc(f->m, a, b))
        return block_trail_go(f->t, y->block);
    if (begins && is_entry(f->m, b) && is_tail_call(x, from)) {
        block_trail_leave(f->t);
        block_trail_call(f->t, y->routine);
        return true;
    }
    if (begins && is_entry(f->m, b) && (x->flags & (MAP_CALLS | MAP_MAY_CALL))) {
        block_trail_call(f->t, y->routine);
        return true;
    }
    if (x->flags & MAP_RETURNS) {
        block_trail_leave(f->t);
        block_trail_come_back(f->t, y->routine, y->block);
        return true;
    }
    if (begins && x->routine == y->routine && block_trail_go(f->t, y->block))
        return true;
    return a == b && to > x->begin;      /* a loop within an instruction's expansion */
}

/* One of the two ends is in code without blocks. */
static void branch_far(struct following *f, uint32_t a, uint64_t from, uint32_t b, uint64_t to)
{
    if (a != MAP_NONE && is_tail_call(&f->m->block[a], from)) {
        block_trail_leave(f->t);
        if (f->t->depth == 0 || block_trail_top(f->t).routine != PATH_NONE)
            block_trail_call(f->t, PATH_NONE);
    } else if (a != MAP_NONE && (f->m->block[a].flags & MAP_RETURNS)) {
        block_trail_leave(f->t);
        if (f->t->depth > 0 && block_trail_top(f->t).routine != PATH_NONE)
            block_trail_reset(f->t);
    } else if (a != MAP_NONE) {
        block_trail_call(f->t, PATH_NONE);
    } else if (f->m->block[b].begin == to && is_entry(f->m, b)) {
        block_trail_call(f->t, f->m->block[b].routine);
    } else {
        if (f->t->depth > 0 && block_trail_top(f->t).routine == PATH_NONE)
            block_trail_leave(f->t);
        block_trail_come_back(f->t, f->m->block[b].routine, f->m->block[b].block);
    }
}

/* The kernel had interrupted the program at `to`: no branch of it. */
static void resume(struct following *f, uint64_t to)
{
    uint32_t b = to ? address_map_find(f->m, to) : MAP_NONE;

    if (b == MAP_NONE && f->at == MAP_NONE) {
        f->figures->foreign++;
        return;
    }
    f->figures->interrupts++;
    if (f->at == MAP_NONE || b == MAP_NONE || !fall_to(f, to, b))
        begin_at(f, b, to);
    f->address = to;
}

static void follow(struct following *f, struct branch_record r, bool first)
{
    uint32_t a = r.from ? address_map_find(f->m, r.from) : MAP_NONE;
    uint32_t b = r.to ? address_map_arrive(f->m, r.to) : MAP_NONE;

    f->figures->records++;
    if (r.from == RECORD_KERNEL) {
        resume(f, r.to);
        return;
    }
    if (first) {
        begin_at(f, a, r.from);
    } else if ((a == MAP_NONE) != (f->at == MAP_NONE) || (a != MAP_NONE && !fall_to(f, r.from, a))) {
        f->figures->impossible_runs++;
        begin_at(f, a, r.from);
    } else if (a != MAP_NONE) {
        f->figures->falls++;
    }
    if (a == MAP_NONE && b == MAP_NONE) {
        f->figures->foreign++;
    } else if (a == MAP_NONE || b == MAP_NONE) {
        branch_far(f, a, r.from, b, r.to);
    } else if (!branch(f, a, r.from, b, r.to)) {
        f->figures->impossible_jumps++;
        begin_at(f, b, r.to);
    }
    f->at = b;
    f->address = r.to;
}

void records_follow(struct block_trail *t, const struct branch_record *record, size_t n, uint64_t ip,
                    struct records_figures *figures)
{
    struct following f = {.t = t, .m = t->graphs->map, .figures = figures, .at = MAP_NONE};
    uint32_t last;

    figures->samples++;
    for (size_t i = 0; i < n; i++) {
        t->clock = (uint32_t)i + 1;
        follow(&f, record[i], i == 0);
    }
    last = ip ? address_map_find(f.m, ip) : MAP_NONE;
    if (n > 0 && f.at != MAP_NONE && last != MAP_NONE && ip >= f.address)
        fall_to(&f, ip, last);
    block_trail_reset(t);
    t->clock = 0;
}
