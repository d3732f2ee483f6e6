/* SPDX-License-Identifier: MIT */
/* parts.c - routines, inlined functions and loops as sets of blocks. */
#include "wpp/profile/parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/profile/loops.h"
#include "wpp/profile/self-calls.h"
#include "wpp/replay/source-files.h"

/* A copy of an inlined function in a block. */
struct copy_block {
    uint32_t copy, block;
    uint32_t n_lines, n_own;   /* lines of the copy; those of them that belong to nothing inlined
                                  into it */
    bool first, last;          /* whether the block's first and last lines are among them */
};

/* Arrays by block; all except the lists are 0 between two copies. */
enum { BEGINS_ELSEWHERE = 1, BEGINS_IN_COPY, LINELESS };

struct arriving {
    uint8_t *mark;
    uint64_t *came;
    uint32_t *queue, *touched;
    uint32_t n_queue, n_touched;
};

struct making {
    struct parts *parts;
    const struct run_costs *costs;
    const wpp *w;
    size_t capacity;           /* of parts->part */
    struct source_files files;
    uint32_t *slot, n_slots;   /* inlined functions by name and file: 1 + part; 0: free */
    uint32_t *file_of;         /* by inlined part, from the first one on: its number in `files` */
    size_t file_capacity;

    /* The current routine. */
    uint32_t r;
    const struct wpp_routine *routine;
    struct flow flow;
    uint64_t *block, *edge;    /* executions */
    uint32_t *part_of;         /* by copy */
    bool *covered;             /* by copy: it is within another copy of the same function */
    struct copy_block *in;     /* by copy, then block */
    size_t n_in, in_capacity;
    struct arriving arriving;
};

/* ---- Parts ------------------------------------------------------------------------------- */

static struct part *new_part(struct making *m, enum part_kind kind)
{
    struct parts *p = m->parts;

    if (p->n == m->capacity) {
        size_t capacity = m->capacity ? 2 * m->capacity : 64;
        struct part *part = realloc(p->part, capacity * sizeof *part);

        if (!part)
            return NULL;
        p->part = part;
        m->capacity = capacity;
    }
    p->part[p->n] = (struct part){.kind = kind, .routine = m->r};
    return &p->part[p->n++];
}

static bool add_block(struct part *p, struct part_block block)
{
    struct part_block *more;

    if ((p->n_blocks & (p->n_blocks - 1)) == 0) {
        more = realloc(p->block, (p->n_blocks ? 2 * (size_t)p->n_blocks : 1) * sizeof *more);
        if (!more)
            return false;
        p->block = more;
    }
    p->block[p->n_blocks++] = block;
    return true;
}

static bool make_routine(struct making *m, uint32_t number)
{
    const struct wpp_routine *r = wpp_routine(m->w, number);
    struct part *p;

    m->r = number;
    p = new_part(m, PART_ROUTINE);
    if (!p)
        return false;
    p->name = r->name;
    p->shown = r->shown;
    p->file = r->file;
    p->directory = r->directory;
    p->line = r->line;
    p->copies = 1;
    p->calls = m->costs->entered[number];
    for (uint32_t b = m->costs->block[number]; b < m->costs->block[number + 1]; b++)
        p->inclusive += m->costs->below[b];
    return true;
}

/* Adds up the cost of each routine's paths; inlined functions' own cost is subtracted later. */
static void count_paths(struct making *m)
{
    for (uint32_t t = 0; t < wpp_grammar(m->w)->n_terminals; t++) {
        const struct wpp_terminal *x = wpp_terminal(m->w, t);
        double cost = m->costs->count[t] * (double)x->insns;

        assert(x->routine == WPP_NO_ROUTINE || x->routine < m->parts->n_routines);
        if (x->routine == WPP_NO_ROUTINE) {
            m->parts->unread += cost;
        } else {
            m->parts->part[x->routine].self += cost;
            m->parts->part[x->routine].inclusive += cost;
        }
    }
}

/* ---- The flow of a routine --------------------------------------------------------------- */

static void close_routine(struct making *m)
{
    flow_free(&m->flow);
    free(m->block);
    free(m->edge);
    free(m->part_of);
    free(m->covered);
    m->block = m->edge = NULL;
    m->part_of = NULL;
    m->covered = NULL;
}

static void count_edges(struct making *m)
{
    const struct parts *p = m->parts;

    for (uint32_t i = p->first_terminal[m->r]; i < p->first_terminal[m->r + 1]; i++) {
        const struct wpp_terminal *t = wpp_terminal(m->w, p->terminal[i]);
        uint64_t count = (uint64_t)m->costs->count[p->terminal[i]];

        assert(t->routine == m->r);
        for (uint32_t k = 0; k < t->n_blocks; k++)
            m->block[t->blocks[k]] += count;
        for (uint32_t k = 0; k < t->n_edges; k++)
            m->edge[t->edges[k]] += count;
    }
}

static bool open_routine(struct making *m, uint32_t number)
{
    m->r = number;
    m->routine = wpp_routine(m->w, number);
    m->n_in = 0;
    m->block = calloc(m->routine->n_blocks + (size_t)1, sizeof *m->block);
    m->edge = calloc(m->routine->n_edges + (size_t)1, sizeof *m->edge);
    m->part_of = calloc(m->routine->n_inlined + (size_t)1, sizeof *m->part_of);
    m->covered = calloc(m->routine->n_inlined + (size_t)1, sizeof *m->covered);
    if (!m->block || !m->edge || !m->part_of || !m->covered)
        return false;
    count_edges(m);
    return flow_new(&m->flow, m->routine, m->block, m->edge);
}

/* ---- Inlined functions ------------------------------------------------------------------- */

static struct copy_block *copy_in(struct making *m, size_t begin, uint32_t copy, uint32_t block)
{
    for (size_t i = begin; i < m->n_in; i++)
        if (m->in[i].copy == copy)
            return &m->in[i];
    if (m->n_in == m->in_capacity) {
        size_t capacity = 2 * m->in_capacity + 64;
        struct copy_block *in = realloc(m->in, capacity * sizeof *in);

        if (!in)
            return NULL;
        m->in = in;
        m->in_capacity = capacity;
    }
    m->in[m->n_in] = (struct copy_block){.copy = copy, .block = block};
    return &m->in[m->n_in++];
}

/* Finds the copies in a block. */
static bool find_copies(struct making *m, uint32_t block)
{
    const struct wpp_block *b = &m->routine->blocks[block];
    size_t begin = m->n_in;
    bool first = true;

    for (uint32_t i = 0; i < b->n_lines; i++) {
        uint32_t copy = b->lines[i].inlined;

        if (b->lines[i].line == 0)
            continue;
        for (size_t k = begin; k < m->n_in; k++)
            m->in[k].last = false;
        for (bool own = true; copy > 0; own = false, copy = m->routine->inlined[copy - 1].caller) {
            assert(copy <= m->routine->n_inlined);
            struct copy_block *in = copy_in(m, begin, copy - 1, block);

            if (!in)
                return false;
            in->n_lines++;
            in->n_own += own;
            in->first |= first;
            in->last = true;
        }
        first = false;
    }
    return true;
}

static int by_copy(const void *a, const void *b)
{
    const struct copy_block *x = a, *y = b;

    if (x->copy != y->copy)
        return x->copy < y->copy ? -1 : 1;
    return x->block < y->block ? -1 : x->block > y->block;
}

static uint32_t n_lines(const struct wpp_block *b)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < b->n_lines; i++)
        n += b->lines[i].line > 0;
    return n;
}

/* The first line in the blocks that is the copy's own; NULL: none. */
static const struct wpp_line *own_line(const struct making *m, const struct copy_block *in, size_t n)
{
    const struct wpp_line *least = NULL;

    for (size_t i = 0; i < n; i++) {
        const struct wpp_block *b = &m->routine->blocks[in[i].block];

        for (uint32_t k = 0; k < b->n_lines; k++)
            if (b->lines[k].inlined == in->copy + 1 && b->lines[k].line > 0
                && (!least || b->lines[k].line < least->line))
                least = &b->lines[k];
    }
    return least;
}

static uint64_t text_hash(const char *text, uint32_t file)
{
    uint64_t hash = file + UINT64_C(1469598103934665603);

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return hash ^ hash >> 31;
}

/* The slot of the function. */
static uint32_t slot_of(const struct making *m, const char *name, uint32_t file)
{
    uint32_t i = (uint32_t)text_hash(name, file) & (m->n_slots - 1);

    assert((m->n_slots & (m->n_slots - 1)) == 0);
    assert(m->parts->n - m->parts->n_routines < m->n_slots);         /* so a search ends */
    for (; m->slot[i]; i = (i + 1) & (m->n_slots - 1)) {
        uint32_t part = m->slot[i] - 1;

        assert(part >= m->parts->n_routines && part < m->parts->n);
        if (m->file_of[part - m->parts->n_routines] == file
            && strcmp(m->parts->part[part].name, name) == 0)
            break;
    }
    return i;
}

static bool grow_slots(struct making *m)
{
    struct making larger = *m;
    uint32_t n = m->parts->n - m->parts->n_routines;

    larger.n_slots = m->n_slots ? 2 * m->n_slots : 64;
    larger.slot = calloc(larger.n_slots, sizeof *larger.slot);
    if (!larger.slot)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t part = m->parts->n_routines + i;

        larger.slot[slot_of(&larger, m->parts->part[part].name, m->file_of[i])] = part + 1;
    }
    free(m->slot);
    m->slot = larger.slot;
    m->n_slots = larger.n_slots;
    return true;
}

static bool keep_file(struct making *m, uint32_t index, uint32_t file)
{
    if (index >= m->file_capacity) {
        size_t capacity = 2 * m->file_capacity + 64;
        uint32_t *file_of = realloc(m->file_of, capacity * sizeof *file_of);

        if (!file_of)
            return false;
        m->file_of = file_of;
        m->file_capacity = capacity;
    }
    assert(index < m->file_capacity);
    m->file_of[index] = file;
    return true;
}

/* The function's part, which is made if it does not exist; UINT32_MAX: no memory. */
static uint32_t inlined_part(struct making *m, const struct wpp_inlined *call,
                             const struct wpp_line *line)
{
    uint32_t file = line ? source_files_add(&m->files, m->routine->directory, line->file)
                         : SOURCE_FILE_NONE, place;
    struct part *p;

    if ((line && file == SOURCE_FILE_NONE)
        || (2 * (m->parts->n - m->parts->n_routines) >= m->n_slots && !grow_slots(m)))
        return UINT32_MAX;
    place = slot_of(m, call->name, file);
    if (m->slot[place]) {
        p = &m->parts->part[m->slot[place] - 1];
    } else {
        if (!keep_file(m, m->parts->n - m->parts->n_routines, file)
            || !(p = new_part(m, PART_INLINED)))
            return UINT32_MAX;
        m->slot[place] = m->parts->n;
        p->name = call->name;
        p->shown = call->shown ? call->shown : call->name;
        p->file = line ? line->file : "";
        p->directory = m->routine->directory;
        p->line = line ? line->line : 0;
    }
    if (line && line->line < p->line)
        p->line = line->line;
    p->copies++;
    return (uint32_t)(p - m->parts->part);
}

static bool begin_arriving(struct arriving *w, uint32_t n_blocks)
{
    size_t n = n_blocks + (size_t)1;

    *w = (struct arriving){.mark = calloc(n, sizeof *w->mark), .came = calloc(n, sizeof *w->came),
                           .queue = calloc(n, sizeof *w->queue),
                           .touched = calloc(n, sizeof *w->touched)};
    return w->mark && w->came && w->queue && w->touched;
}

static void end_arriving(struct arriving *w)
{
    free(w->mark);
    free(w->came);
    free(w->queue);
    free(w->touched);
    *w = (struct arriving){0};
}

/* Blocks without lines (jumps, moves between registers) belong to the copy if control reaches them
 * only from the copy.  came[b] of such a block: how often, so far. */
static void take_lineless(struct making *m, uint32_t block)
{
    struct arriving *w = &m->arriving;

    w->n_queue = 0;
    w->queue[w->n_queue++] = block;
    while (w->n_queue > 0) {
        uint32_t from = w->queue[--w->n_queue];

        for (uint32_t a = m->flow.first[from]; a < m->flow.first[from + 1]; a++) {
            uint32_t to = m->flow.arc[a].dst;

            if (n_lines(&m->routine->blocks[to]) > 0 || w->mark[to] || m->flow.arc[a].count == 0)
                continue;
            if (w->came[to] == 0)
                w->touched[w->n_touched++] = to;
            assert(w->n_touched <= m->routine->n_blocks);
            w->came[to] += m->flow.arc[a].count;
            if (w->came[to] < m->block[to])
                continue;
            w->mark[to] = LINELESS;
            w->queue[w->n_queue++] = to;
        }
    }
}

/* How many executions of the block go on within the copy. */
static double goes_on(const struct making *m, uint32_t block)
{
    double n = 0;

    for (uint32_t a = m->flow.first[block]; a < m->flow.first[block + 1]; a++)
        if (m->arriving.mark[m->flow.arc[a].dst] == BEGINS_IN_COPY)
            n += (double)m->flow.arc[a].count;
    return n;
}

/* How often control came into the copy: executions of its blocks, without those reached from
 * another of its blocks. */
static double arrivals(struct making *m, const struct copy_block *in, size_t n)
{
    struct arriving *w = &m->arriving;
    double arrived = 0;

    for (size_t i = 0; i < n; i++)
        w->mark[in[i].block] = in[i].first ? BEGINS_IN_COPY : BEGINS_ELSEWHERE;
    for (size_t i = 0; i < n; i++)
        if (in[i].last)
            take_lineless(m, in[i].block);
    for (size_t i = 0; i < n; i++)
        arrived += (double)m->block[in[i].block] - (in[i].last ? goes_on(m, in[i].block) : 0);
    for (uint32_t i = 0; i < w->n_touched; i++)
        if (w->mark[w->touched[i]] == LINELESS)
            arrived -= goes_on(m, w->touched[i]);
    for (size_t i = 0; i < n; i++)
        w->mark[in[i].block] = 0;
    for (uint32_t i = 0; i < w->n_touched; i++)
        w->mark[w->touched[i]] = w->came[w->touched[i]] = 0;
    w->n_touched = 0;
    return arrived;
}

/* Adds the copy, with its blocks, to its function. */
static bool add_copy(struct making *m, const struct copy_block *in, size_t n)
{
    const struct wpp_inlined *call = &m->routine->inlined[in->copy];
    uint32_t number = inlined_part(m, call, own_line(m, in, n));
    struct part *p, *routine;

    if (number == UINT32_MAX)
        return false;
    assert(call->caller <= in->copy);        /* its caller already has a part */
    m->part_of[in->copy] = number;
    for (uint32_t c = call->caller; c > 0 && !m->covered[in->copy];
         c = m->routine->inlined[c - 1].caller)
        m->covered[in->copy] = m->part_of[c - 1] == number;
    p = &m->parts->part[number];
    routine = &m->parts->part[m->r];
    p->calls += arrivals(m, in, n);
    for (size_t i = 0; i < n; i++) {
        uint32_t b = m->costs->block[m->r] + in[i].block;
        double lines = n_lines(&m->routine->blocks[in[i].block]);
        assert(lines > 0 && in[i].n_own <= in[i].n_lines && in[i].n_lines <= lines);
        double share = in[i].n_lines / lines, own = in[i].n_own / lines * m->costs->own[b];

        p->self += own;
        routine->self -= own;
        if (m->covered[in->copy])
            continue;
        p->inclusive += share * m->costs->own[b] + (in[i].last ? m->costs->below[b] : 0);
        if (!add_block(p, (struct part_block){m->r, in[i].block, share, in[i].last}))
            return false;
    }
    return true;
}

/* A caller has a smaller number than the calls inlined into it. */
static bool make_inlined(struct making *m)
{
    bool ok = true;

    for (uint32_t b = 0; ok && b < m->routine->n_blocks; b++)
        if (m->block[b] > 0)
            ok = find_copies(m, b);
    if (!ok || m->n_in == 0)
        return ok;
    qsort(m->in, m->n_in, sizeof *m->in, by_copy);
    ok = begin_arriving(&m->arriving, m->routine->n_blocks);
    for (size_t i = 0, end; ok && i < m->n_in; i = end) {
        for (end = i + 1; end < m->n_in && m->in[end].copy == m->in[i].copy; end++)
            ;
        ok = add_copy(m, &m->in[i], end - i);
    }
    end_arriving(&m->arriving);
    return ok;
}

/* ---- Loops ------------------------------------------------------------------------------- */

/* The innermost call to which the code of both belongs; 0: the routine itself. */
static uint32_t common_call(const struct wpp_routine *r, uint32_t a, uint32_t b)
{
    assert(a <= r->n_inlined && b <= r->n_inlined);
    while (a != b) {
        if (a > b)
            a = r->inlined[a - 1].caller;
        else
            b = r->inlined[b - 1].caller;
    }
    return a;
}

/* Finds the function and the lines of the loop: those of the function that contains all of it. */
static void name_loop(const struct making *m, const struct loop *l, struct part *p)
{
    uint32_t call = UINT32_MAX;

    for (uint32_t i = 0; i < l->n_blocks; i++) {
        const struct wpp_block *b = &m->routine->blocks[l->blocks[i]];

        for (uint32_t k = 0; k < b->n_lines; k++)
            if (b->lines[k].line > 0)
                call = call == UINT32_MAX ? b->lines[k].inlined
                     : common_call(m->routine, call, b->lines[k].inlined);
    }
    if (call != UINT32_MAX && call > 0) {
        p->name = m->routine->inlined[call - 1].name;
        p->shown = m->routine->inlined[call - 1].shown;
    }
    for (uint32_t i = 0; i < l->n_blocks; i++) {
        const struct wpp_block *b = &m->routine->blocks[l->blocks[i]];

        for (uint32_t k = 0; k < b->n_lines; k++) {
            const struct wpp_line *line = &b->lines[k];

            if (line->line == 0 || line->inlined != call
                || (p->line && strcmp(line->file, p->file) != 0))
                continue;
            p->file = line->file;
            if (p->line == 0 || line->line < p->line)
                p->line = line->line;
            if (line->line > p->last_line)
                p->last_line = line->line;
        }
    }
}

static bool add_loop(struct making *m, const struct loop *l)
{
    struct part *p = new_part(m, PART_LOOP);

    if (!p)
        return false;
    p->name = m->routine->name;
    p->shown = m->routine->shown;
    p->file = m->routine->file;
    p->directory = m->routine->directory;
    p->copies = 1;
    p->calls = (double)l->entries;
    p->iterations = (double)l->iterations;
    name_loop(m, l, p);
    for (uint32_t i = 0; i < l->n_blocks; i++) {
        uint32_t b = m->costs->block[m->r] + l->blocks[i];

        assert(b < m->costs->block[m->r + 1]);
        p->self += m->costs->own[b];
        p->inclusive += m->costs->own[b] + m->costs->below[b];
        if (!add_block(p, (struct part_block){m->r, l->blocks[i], 1, true}))
            return false;
    }
    return true;
}

static bool make_loops(struct making *m)
{
    struct loops loops;
    bool ok = loops_find(&loops, &m->flow);

    for (uint32_t i = 0; ok && i < loops.n; i++)
        ok = add_loop(m, &loops.loop[i]);
    loops_free(&loops);
    return ok;
}

/* ---- The whole --------------------------------------------------------------------------- */

/* Terminals by routine: those of r are at[first[r] .. first[r + 1]). */
static bool sort_terminals(struct parts *p)
{
    const wpp *w = p->costs->w;
    uint32_t n = wpp_grammar(w)->n_terminals, *first, *at;

    p->first_terminal = first = calloc(p->n_routines + (size_t)2, sizeof *first);
    p->terminal = at = calloc(n + (size_t)1, sizeof *at);
    if (!first || !at)
        return false;
    for (uint32_t t = 0; t < n; t++)
        if (wpp_terminal(w, t)->routine != WPP_NO_ROUTINE)
            first[wpp_terminal(w, t)->routine + 2]++;
    for (uint32_t r = 0; r < p->n_routines; r++)
        first[r + 2] += first[r + 1];
    for (uint32_t t = 0; t < n; t++)
        if (wpp_terminal(w, t)->routine != WPP_NO_ROUTINE)
            at[first[wpp_terminal(w, t)->routine + 1]++] = t;
    return true;
}

static bool each_routine(struct making *m, bool (*make)(struct making *))
{
    bool ok = true;

    for (uint32_t r = 0; ok && r < m->parts->n_routines; r++) {
        ok = open_routine(m, r) && make(m);
        close_routine(m);
    }
    return ok;
}

/* If all lines of a routine are those of inlined functions, its own cost is 0; sums of fractions
 * may differ a little from that. */
static void drop_rounding(struct parts *p)
{
    const struct run_costs *c = p->costs;

    for (uint32_t r = 0; r < p->n_routines; r++) {
        double all = 0;

        for (uint32_t b = c->block[r]; b < c->block[r + 1]; b++)
            all += c->own[b];
        if (p->part[r].self < 1e-9 + 1e-11 * all)
            p->part[r].self = 0;
    }
}

bool parts_new(struct parts *out, const struct run_costs *costs)
{
    struct making m = {.parts = out, .costs = costs, .w = costs->w};
    struct wpp_summary run;
    bool ok;

    *out = (struct parts){.costs = costs};
    wpp_get_summary(costs->w, &run);
    out->n_routines = run.n_routines;
    ok = sort_terminals(out);
    for (uint32_t r = 0; ok && r < run.n_routines; r++)
        ok = make_routine(&m, r);
    if (ok)
        count_paths(&m);
    ok = ok && each_routine(&m, make_inlined);
    if (ok)
        drop_rounding(out);
    out->n_functions = out->n;
    ok = ok && each_routine(&m, make_loops) && parts_find_exact(out);
    source_files_free(&m.files);
    free(m.slot);
    free(m.file_of);
    free(m.in);
    if (!ok)
        parts_free(out);
    return ok;
}

void parts_free(struct parts *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        free(p->part[i].block);
    free(p->part);
    free(p->first_terminal);
    free(p->terminal);
    *p = (struct parts){0};
}
