/* SPDX-License-Identifier: MIT */
/* stacks.c - a heap of calling contexts, each a bag of activations that ran equal pieces. */
#include "wpp/export/stacks.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/bytes.h"
#include "wpp/export/locations.h"
#include "wpp/profile/tree-walk.h"

/* Some activations of one routine that were called at one node. */
struct member {
    uint32_t node, routine, piece, activation;
    double times;
};

struct context {
    uint32_t node, routine, depth; /* the caller's node; activations above it */
    double cost;
    struct member *member;
    size_t n;
};

struct building {
    const struct export_run *r;
    struct stacks *out;
    bool lines;
    uint32_t nodes_room, functions_room;
    uint32_t *node_slot, n_node_slots;     /* 1 + index, 0: free; a power of two */
    uint32_t *function_slot, n_function_slots;
    struct context *heap;          /* the dearest first */
    size_t n_heap, heap_room;
    uint64_t looked_at;
    struct tree_walk walk;
    double *times;                 /* by terminal: executions in the context at hand */
    uint32_t *touched;             /* terminals whose times are not 0 */
    uint32_t n_touched;
    struct member *calls;          /* made in the context at hand */
    size_t n_calls, calls_room;
    struct context now;
    uint32_t unread;               /* the function of code that was not read; STACK_ROOT: none yet */
};

static bool grow(void *array, size_t *room, size_t n, size_t size)
{
    size_t larger = n + n / 2 + 64;
    void *moved;

    if (n <= *room)
        return true;
    moved = realloc(*(void **)array, larger * size);
    if (!moved)
        return false;
    memcpy(array, &moved, sizeof moved);
    *room = larger;
    return true;
}

/* ---- Functions ----------------------------------------------------------------------------- */

static uint64_t hash_function(const struct stack_function *f)
{
    uint64_t hash = wpp_fnv(WPP_FNV_START, f->name, strlen(f->name));

    hash = wpp_fnv(hash, &f->file, sizeof f->file);
    return hash ^ hash >> 32;
}

static bool same_function(const struct stack_function *a, const struct stack_function *b)
{
    return a->file == b->file && strcmp(a->name, b->name) == 0;
}

static bool rehash_functions(struct building *b)
{
    uint32_t n = b->n_function_slots ? 2 * b->n_function_slots : 256;
    uint32_t *slot = calloc(n, sizeof *slot);

    if (!slot)
        return false;
    for (uint32_t i = 0; i < b->out->n_functions; i++) {
        uint32_t at = (uint32_t)hash_function(&b->out->function[i]) & (n - 1);

        while (slot[at])
            at = (at + 1) & (n - 1);
        slot[at] = i + 1;
    }
    free(b->function_slot);
    b->function_slot = slot;
    b->n_function_slots = n;
    return true;
}

/* The function's number, which may be new. */
static bool function_number(struct building *b, const struct stack_function *f, uint32_t *number)
{
    struct stacks *s = b->out;
    uint32_t at;
    size_t room = b->functions_room;

    if (2 * (s->n_functions + 1) > b->n_function_slots && !rehash_functions(b))
        return false;
    at = (uint32_t)hash_function(f) & (b->n_function_slots - 1);
    while (b->function_slot[at] && !same_function(&s->function[b->function_slot[at] - 1], f))
        at = (at + 1) & (b->n_function_slots - 1);
    if (!b->function_slot[at]) {
        if (!grow(&s->function, &room, s->n_functions + (size_t)1, sizeof *f))
            return false;
        b->functions_room = (uint32_t)room;
        s->function[s->n_functions++] = *f;
        b->function_slot[at] = s->n_functions;
    }
    *number = b->function_slot[at] - 1;
    if (f->line > 0)
        s->function[*number].line = f->line;
    return true;
}

static bool routine_function(struct building *b, uint32_t routine, uint32_t *number)
{
    const struct wpp_routine *r = wpp_routine(b->r->w, routine);
    struct stack_function f = {
        r->name, r->shown, source_files_add(&b->out->files, r->directory, r->file), r->line
    };

    return f.file != SOURCE_FILE_NONE && function_number(b, &f, number);
}

static bool inlined_function(struct building *b, const struct wpp_routine *r, uint32_t inlined,
                             const char *file, uint32_t *number)
{
    const struct wpp_inlined *call = &r->inlined[inlined - 1];
    struct stack_function f = {
        call->name, call->shown, source_files_add(&b->out->files, r->directory, file), 0
    };

    return f.file != SOURCE_FILE_NONE && function_number(b, &f, number);
}

/* ---- Nodes --------------------------------------------------------------------------------- */

static uint64_t hash_node(const struct stack_node *n)
{
    uint64_t hash = ((uint64_t)n->parent << 32 | n->function) * UINT64_C(0x9E3779B97F4A7C15);

    hash = (hash ^ hash >> 29 ^ (uint64_t)n->line << 1 ^ n->inlined) * UINT64_C(0xBF58476D1CE4E5B9);
    return hash ^ hash >> 32;
}

static bool same_node(const struct stack_node *a, const struct stack_node *b)
{
    return a->parent == b->parent && a->function == b->function && a->line == b->line
        && a->inlined == b->inlined;
}

static bool rehash_nodes(struct building *b)
{
    uint32_t n = b->n_node_slots ? 2 * b->n_node_slots : 1024;
    uint32_t *slot = calloc(n, sizeof *slot);

    if (!slot)
        return false;
    for (uint32_t i = 0; i < b->out->n; i++) {
        uint32_t at = (uint32_t)hash_node(&b->out->node[i]) & (n - 1);

        while (slot[at])
            at = (at + 1) & (n - 1);
        slot[at] = i + 1;
    }
    free(b->node_slot);
    b->node_slot = slot;
    b->n_node_slots = n;
    return true;
}

static bool node_number(struct building *b, struct stack_node wanted, uint32_t *number)
{
    struct stacks *s = b->out;
    size_t room = b->nodes_room;
    uint32_t at;

    if (2 * ((uint64_t)s->n + 1) > b->n_node_slots && !rehash_nodes(b))
        return false;
    at = (uint32_t)hash_node(&wanted) & (b->n_node_slots - 1);
    while (b->node_slot[at] && !same_node(&s->node[b->node_slot[at] - 1], &wanted))
        at = (at + 1) & (b->n_node_slots - 1);
    if (!b->node_slot[at]) {
        if (!grow(&s->node, &room, s->n + (size_t)1, sizeof wanted))
            return false;
        b->nodes_room = (uint32_t)room;
        assert(wanted.parent == STACK_ROOT || wanted.parent < s->n);
        s->node[s->n++] = wanted;
        b->node_slot[at] = s->n;
    }
    *number = b->node_slot[at] - 1;
    return true;
}

/* The node of a line in the routine, below the caller's node: one of the routine, and one of each
 * inlined call that the line is in. */
static bool node_of_line(struct building *b, uint32_t caller, uint32_t routine,
                         const struct wpp_line *line, uint32_t *number)
{
    const struct wpp_routine *r = wpp_routine(b->r->w, routine);
    uint32_t inner = line->inlined, callee = 0, at;
    struct stack_node n = {.parent = caller};

    if (!routine_function(b, routine, &n.function))
        return false;
    for (;;) {                     /* outwards in, a call at a time: `callee` is the next one within */
        uint32_t outer = callee;

        for (callee = 0, at = inner; at != outer; at = r->inlined[at - 1].caller)
            callee = at;
        n.line = !b->lines ? 0 : callee ? r->inlined[callee - 1].line : line->line;
        if (!node_number(b, n, number))
            return false;
        if (!callee || !b->r->options.inlined)
            return true;
        n = (struct stack_node){.parent = *number, .inlined = true};
        /* Code of the call has its file; of calls within, the file where they stand. */
        at = inner;
        const char *file = line->file;
        while (at != callee) {
            file = r->inlined[at - 1].file;
            at = r->inlined[at - 1].caller;
        }
        if (!inlined_function(b, r, callee, file, &n.function))
            return false;
    }
}

/* The node of code that was not read. */
static bool node_unread(struct building *b, uint32_t caller, uint32_t *number)
{
    struct stack_function f = {"(not read)", "(not read)", SOURCE_FILE_NONE, 0};

    return (b->unread != STACK_ROOT || function_number(b, &f, &b->unread))
        && node_number(b, (struct stack_node){.parent = caller, .function = b->unread}, number);
}

/* ---- The heap -------------------------------------------------------------------------------- */

static bool dearer(const struct context *a, const struct context *b)
{
    if (a->cost != b->cost)
        return a->cost > b->cost;
    return a->node != b->node ? a->node < b->node : a->routine < b->routine;
}

static void sink(struct context *heap, size_t n, size_t i)
{
    struct context moving = heap[i];

    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && dearer(&heap[child + 1], &heap[child]))
            child++;
        if (!dearer(&heap[child], &moving))
            break;
        heap[i] = heap[child];
    }
    heap[i] = moving;
}

static bool put_context(struct building *b, struct context c)
{
    size_t i = b->n_heap;

    if (!grow(&b->heap, &b->heap_room, i + 1, sizeof c))
        return false;
    b->n_heap++;
    for (; i > 0 && dearer(&c, &b->heap[(i - 1) / 2]); i = (i - 1) / 2)
        b->heap[i] = b->heap[(i - 1) / 2];
    b->heap[i] = c;
    return true;
}

static struct context take_context(struct building *b)
{
    struct context c = b->heap[0];

    b->heap[0] = b->heap[--b->n_heap];
    if (b->n_heap > 0)
        sink(b->heap, b->n_heap, 0);
    return c;
}

/* ---- One context ------------------------------------------------------------------------------- */

static bool on_path(void *ctx, uint32_t terminal, double times)
{
    struct building *b = ctx;

    if (b->times[terminal] == 0)
        b->touched[b->n_touched++] = terminal;
    b->times[terminal] += times;
    return true;
}

static bool on_call(void *ctx, struct walk_site site, uint32_t activation, double times)
{
    struct building *b = ctx;
    const struct activation *a = &b->r->tree.activation[activation];
    struct member m = {.node = STACK_ROOT, .routine = a->routine, .piece = a->piece,
                       .activation = activation, .times = times};

    if (site.caller != WALK_NONE) {
        const struct wpp_routine *caller = wpp_routine(b->r->w, site.caller);
        struct wpp_line where = site.terminal == WALK_NONE ? location_of_routine(caller)
                                                           : location_of_end(b->r->w, site.terminal);

        if (!node_of_line(b, b->now.node, site.caller, &where, &m.node))
            return false;
    }
    if (!grow(&b->calls, &b->calls_room, b->n_calls + 1, sizeof m))
        return false;
    b->calls[b->n_calls++] = m;
    return true;
}

static bool add_weight(void *ctx, const struct wpp_line *where, double cost)
{
    struct building *b = ctx;
    uint32_t node;

    if (!node_of_line(b, b->now.node, b->now.routine, where, &node))
        return false;
    b->out->node[node].weight += cost;
    return true;
}

/* Adds the weights of the paths that were visited. */
static bool weigh_paths(struct building *b)
{
    const wpp *w = b->r->w;
    bool ok = true;

    for (uint32_t i = 0; i < b->n_touched; i++) {
        uint32_t t = b->touched[i], node;
        double times = b->times[t];

        b->times[t] = 0;
        if (!ok || wpp_terminal(w, t)->insns == 0)
            continue;
        if (wpp_terminal(w, t)->routine != WPP_NO_ROUTINE) {
            ok = locations_of_path(w, t, times, add_weight, b);
        } else {
            ok = node_unread(b, b->now.node, &node);
            if (ok)
                b->out->node[node].weight += times * (double)wpp_terminal(w, t)->insns;
        }
    }
    b->n_touched = 0;
    return ok;
}

static int by_context(const void *a, const void *b)
{
    const struct member *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->routine != y->routine)
        return x->routine < y->routine ? -1 : 1;
    return (x->piece > y->piece) - (x->piece < y->piece);
}

/* Takes a member of the same context, of an equal piece into the one before. */
static void take_member(struct context *c, const struct member *m, double cost)
{
    if (c->n > 0 && c->member[c->n - 1].piece == m->piece)
        c->member[c->n - 1].times += m->times;
    else
        c->member[c->n++] = *m;
    c->cost += m->times * cost;
}

/* Makes contexts of the calls. */
static bool put_calls(struct building *b, uint32_t depth)
{
    if (b->n_calls > 0)
        qsort(b->calls, b->n_calls, sizeof *b->calls, by_context);
    for (size_t i = 0, end; i < b->n_calls; i = end) {
        struct context c = {.node = b->calls[i].node, .routine = b->calls[i].routine, .depth = depth};

        for (end = i; end < b->n_calls && b->calls[end].node == c.node
                      && b->calls[end].routine == c.routine;)
            end++;
        c.member = malloc((end - i) * sizeof *c.member);
        for (size_t k = i; c.member && k < end; k++)
            take_member(&c, &b->calls[k], b->r->costs.piece[b->calls[k].piece]);
        if (!c.member || !put_context(b, c)) {
            free(c.member);
            return false;
        }
    }
    b->n_calls = 0;
    return true;
}

/* A context that is not looked at. */
static bool cut_context(struct building *b, const struct context *c)
{
    struct stack_node n = {.parent = c->node};
    uint32_t node;

    if (!routine_function(b, c->routine, &n.function) || !node_number(b, n, &node))
        return false;
    b->out->node[node].weight += c->cost;
    b->out->cut++;
    b->out->cut_weight += c->cost;
    return true;
}

static bool look_at(struct building *b, const struct context *c)
{
    bool ok = true;

    if (b->looked_at >= b->r->options.limit || c->depth >= b->r->options.depth)
        return cut_context(b, c);
    b->looked_at++;
    b->now = *c;
    for (size_t i = 0; ok && i < c->n; i++)
        ok = tree_walk_put_activation(&b->walk, c->member[i].activation, c->member[i].times);
    return ok && tree_walk(&b->walk) && weigh_paths(b) && put_calls(b, c->depth + 1);
}

/* ---- The whole ----------------------------------------------------------------------------------- */

static bool look_at_roots(struct building *b)
{
    bool ok = true;

    b->now = (struct context){.node = STACK_ROOT, .routine = WALK_NONE};
    for (uint32_t k = 0; ok && k < b->r->tree.n_threads; k++)
        ok = tree_walk_put_root(&b->walk, k);
    return ok && tree_walk(&b->walk) && weigh_paths(b) && put_calls(b, 0);
}

bool stacks_new(struct stacks *out, const struct export_run *r, bool lines)
{
    uint32_t n = wpp_grammar(r->w)->n_terminals;
    struct building b = {.r = r, .out = out, .lines = lines, .unread = STACK_ROOT};
    bool ok;

    assert(r->in_order);
    *out = (struct stacks){0};
    b.times = calloc(n + (size_t)1, sizeof *b.times);
    b.touched = calloc(n + (size_t)1, sizeof *b.touched);
    ok = tree_walk_begin(&b.walk, r->w, &r->tree) && b.times && b.touched;
    b.walk.path = on_path;
    b.walk.call = on_call;
    b.walk.ctx = &b;
    ok = ok && look_at_roots(&b);
    while (b.n_heap > 0) {
        struct context c = take_context(&b);

        ok = ok && look_at(&b, &c);
        free(c.member);
    }
    ok = ok && source_files_name(&out->files);
    tree_walk_end(&b.walk);
    free(b.times);
    free(b.touched);
    free(b.calls);
    free(b.heap);
    free(b.node_slot);
    free(b.function_slot);
    if (!ok)
        stacks_free(out);
    return ok;
}

void stacks_free(struct stacks *s)
{
    free(s->node);
    free(s->function);
    source_files_free(&s->files);
    *s = (struct stacks){0};
}

void stacks_note(const struct stacks *s, struct export_run *r)
{
    if (s->cut > 0)
        snprintf(r->note, sizeof r->note, "%" PRIu32 " calls stand for all that they called (%.2g %% of "
                 "the cost): --limit or --depth was reached", s->cut,
                 100 * s->cut_weight / (r->costs.total > 0 ? r->costs.total : 1));
}
