/* SPDX-License-Identifier: MIT */
/* number-tree.c - see number-tree.h. */
#include "wpp/format/number-tree.h"

#include <assert.h>
#include <stdlib.h>

/* How many slots a line of memory has. */
enum { LEVELS = 4, LINE = 1 << LEVELS };
/* The most levels that a number has. */
enum { LEVELS_MOST = 32 };

struct line {
    struct wpp_chance place[LINE];
};
/* A line of group 0. */
struct last_line {
    struct line chances;
    uint64_t beside[LINE];
};
static_assert(sizeof(struct line) == 64, "a group of levels lies in one line");

/* ---- Lines and slots ---------------------------------------------------------------- */

/* The highest power of two below n, where n is at least 2; and its group. */
static uint32_t highest_power(uint32_t n)
{
    assert(n >= 2);
    return UINT32_C(1) << (31 - __builtin_clz(n - 1));
}

static unsigned highest_group(uint32_t n)
{
    assert(n >= 2);
    return (31 - (unsigned)__builtin_clz(n - 1)) / LEVELS;
}

/* The index, within the group, of the line on the way to `number`. */
static uint32_t line_of(uint32_t number, unsigned group)
{
    return (uint32_t)((uint64_t)number >> LEVELS * (group + 1));
}

/* How many lines a group has with this room. */
static uint32_t lines_of(uint32_t room, unsigned group)
{
    return line_of(room - 1, group) + 1;
}

/* How many lines lie before those of a group. */
static size_t lines_before(uint32_t room, unsigned group)
{
    size_t lines = 0;

    for (unsigned above = room > 1 ? highest_group(room) : 0; above > group; above--)
        lines += lines_of(room, above);
    return lines;
}

static struct line *begin_of(const struct wpp_number_tree *h, unsigned group)
{
    return (struct line *)h->lines + lines_before(h->room, group);
}

/* With room for less than a line, only as many chances and values beside them are allocated. */
static struct last_line *last_line_of(const struct wpp_number_tree *h, uint32_t number)
{
    return (struct last_line *)begin_of(h, 0) + number / LINE;
}

static void *place_beside(const struct wpp_number_tree *h, uint32_t number)
{
    assert(number < h->room);
    if (h->room < LINE)
        return (struct wpp_chance *)h->lines + h->room + 2 * number;
    return &last_line_of(h, number)->beside[number % LINE];
}

static struct wpp_chance *chance_of(const struct wpp_number_tree *h, uint32_t node)
{
    assert(node > 0 && node < h->room);
    unsigned group = (unsigned)__builtin_ctz(node) / LEVELS;
    struct line *line = group == 0 && h->room >= LINE ? &last_line_of(h, node)->chances
                                                      : begin_of(h, group) + line_of(node, group);

    return &line->place[(node >> LEVELS * group) % LINE];
}

uint64_t wpp_number_tree_beside(const struct wpp_number_tree *h, uint32_t number)
{
    assert(number < h->n);
    return wpp_get_u64(place_beside(h, number));
}

/* ---- Growing ------------------------------------------------------------------------ */

static size_t bytes_of(uint32_t room)
{
    if (room < LINE)
        return room * (sizeof(struct wpp_chance) + sizeof(uint64_t));
    return lines_before(room, 0) * sizeof(struct line)
           + lines_of(room, 0) * sizeof(struct last_line);
}

static uint32_t larger_room(uint32_t room)
{
    if (room < LINE)
        return room ? room * 4 : 1;
    uint64_t larger = ((uint64_t)room + room / 2 + LINE - 1) / LINE * LINE;

    return larger < UINT32_MAX ? (uint32_t)larger : UINT32_MAX / LINE * LINE;
}

/* Copies all of `from` to `to`, which has more room and is all zero. */
static void copy(struct wpp_number_tree *to, const struct wpp_number_tree *from)
{
    if (from->room >= LINE) {
        for (unsigned group = 1; group <= highest_group(from->room); group++)
            memcpy(begin_of(to, group), begin_of(from, group),
                   lines_of(from->room, group) * sizeof(struct line));
        memcpy(begin_of(to, 0), begin_of(from, 0),
               lines_of(from->room, 0) * sizeof(struct last_line));
    } else if (from->room) {
        memcpy(begin_of(to, 0), from->lines, from->room * sizeof(struct wpp_chance));
        memcpy(place_beside(to, 0), place_beside(from, 0), from->room * sizeof(uint64_t));
    }
}

static bool make_room(struct wpp_number_tree *h)
{
    struct wpp_number_tree larger = { .n = h->n, .room = larger_room(h->room) };
    size_t size = bytes_of(larger.room);

    if (larger.room == h->room)
        return false;
    assert(larger.room > h->room);
    assert(larger.room < LINE || size % sizeof(struct line) == 0);
    larger.lines = larger.room < LINE ? malloc(size) : aligned_alloc(sizeof(struct line), size);
    if (!larger.lines)
        return false;
    memset(larger.lines, 0, size);
    copy(&larger, h);
    free(h->lines);
    *h = larger;
    return true;
}

bool wpp_number_tree_grow(struct wpp_number_tree *h, uint64_t beside)
{
    if (h->n == h->room && !make_room(h))
        return false;
    if (h->n)
        *chance_of(h, h->n) = WPP_CHANCE;
    assert(h->n < h->room);
    memcpy(place_beside(h, h->n), &beside, sizeof beside);
    h->n++;
    return true;
}

void wpp_number_tree_free(struct wpp_number_tree *h)
{
    free(h->lines);
    *h = (struct wpp_number_tree){ 0 };
}

/* ---- Coding ------------------------------------------------------------------------- */

/* Reads the decisions of a line from power `half` down to `last`, after those that led to
 * `place`. */
__attribute__((always_inline)) static inline uint32_t
read_levels(struct wpp_coder *c, struct line *line, uint32_t place, uint32_t half, uint32_t last)
{
    assert(last > 0 && place + half < LINE);
    for (; half >= last; half >>= 1) {
        struct wpp_chance *chance = &line->place[place + half];

        place += half & wpp_chance_read(c, chance, wpp_chance_get(chance));
    }
    return place;
}

static inline void fetch_last(const struct last_line *line)
{
    __builtin_prefetch(&line->chances, 1);
    __builtin_prefetch(&line->beside[0]);
    __builtin_prefetch(&line->beside[LINE / 2]);
}

/* The direction is unpredictable, so all lines that may come next are prefetched as soon as there
 * are few of them. */
enum { FEW = LINE / 4 };

static inline void fetch_lines(const struct line *line)
{
    for (uint32_t i = 0; i < FEW; i++)
        __builtin_prefetch(line + i, 1);
}

static inline void fetch_last_lines(const struct last_line *line)
{
    for (uint32_t i = 0; i < FEW; i++)
        __builtin_prefetch(line + i, 1);
}

/* To be used while there are enough bytes. */
static uint32_t read_quickly(struct wpp_number_tree *h, struct wpp_coder *coder)
{
    struct wpp_coder c = *coder;
    unsigned group = highest_group(h->n);
    struct line *begin = begin_of(h, group);
    uint32_t at = read_levels(&c, begin, 0, highest_power(h->n) >> LEVELS * group, 1);

    while (group-- > 0) {
        begin += lines_of(h->room, group + 1);
        struct last_line *last = (struct last_line *)begin + at;
        struct line *line = group == 0 ? &last->chances : begin + at;

        if (group == 0)
            fetch_last(last);
        uint32_t place = read_levels(&c, line, 0, LINE / 2, LINE / 4);
        uint32_t next = at * LINE + place;
        if (group == 1)
            fetch_last_lines((struct last_line *)(begin + lines_of(h->room, 1)) + next);
        else if (group > 1)
            fetch_lines(begin + lines_of(h->room, group) + next);
        at = at * LINE + read_levels(&c, line, place, LINE / 8, 1);
    }
    assert(at < h->n);
    *coder = c;
    return at;
}

static uint32_t read_slowly(struct wpp_number_tree *h, struct wpp_coder *c)
{
    uint32_t at = 0;

    for (uint32_t half = highest_power(h->n); half; half >>= 1)
        if (at + half < h->n && wpp_chance_code(c, chance_of(h, at + half), false))
            at += half;
    return at;
}

/* The lines on the way to the number, by group; prefetches them all at once.  Returns the highest
 * group. */
__attribute__((always_inline)) static inline unsigned
find_lines(const struct wpp_number_tree *h, uint32_t number, struct line **lines)
{
    unsigned group = highest_group(h->n);
    struct line *begin = begin_of(h, group);

    assert(number < h->n);
    for (unsigned g = group; g > 0; g--) {
        lines[g] = begin + line_of(number, g);
        __builtin_prefetch(lines[g], 1);
        begin += lines_of(h->room, g);
    }
    lines[0] = &((struct last_line *)begin)[number / LINE].chances;
    __builtin_prefetch(lines[0], 1);
    __builtin_prefetch(place_beside(h, number));
    return group;
}

void wpp_number_tree_fetch(const struct wpp_number_tree *h, uint32_t number)
{
    struct line *lines[LEVELS_MOST / LEVELS];

    if (h->n >= 2)
        find_lines(h, number, lines);
}

static void write(struct wpp_number_tree *h, struct wpp_coder *coder, uint32_t number)
{
    struct wpp_coder c = *coder;
    struct line *lines[LEVELS_MOST / LEVELS];
    unsigned group = find_lines(h, number, lines);

    for (uint32_t half = highest_power(h->n) >> LEVELS * group;; half = LINE / 2, group--) {
        uint32_t path = number >> LEVELS * group, place = 0;

        for (; half; half >>= 1) {
            wpp_chance_write(&c, &lines[group]->place[place + half], path & half);
            place += path & half;
        }
        if (group == 0)
            break;
    }
    *coder = c;
}

uint32_t wpp_number_tree_code(struct wpp_number_tree *h, struct wpp_coder *c, uint32_t number)
{
    if (h->n < 2)
        return 0;
    if (!c->out)
        return wpp_coder_has(c, LEVELS_MOST) ? read_quickly(h, c) : read_slowly(h, c);
    write(h, c, number);
    return number;
}
