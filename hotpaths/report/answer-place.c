/* SPDX-License-Identifier: MIT */
/* answer-place.c - the kind and the place of an answer; see answer-place.h. */
#include "hotpaths/report/answer-place.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/base/array.h"
#include "hotpaths/report/executed-lines.h"
#include "hotpaths/report/own-code.h"

/* ---- Kinds ------------------------------------------------------------------------------ */

enum answer_kind answer_kind(const wpp *w, const struct shown *s)
{
    const struct outline *outline = &s->outline;

    if (s->scope.header != SCOPE_NO_LOOP || s->path.turn > 0 || outline->n_folds > 0)
        return KIND_LOOP;
    for (size_t i = 0; i < outline->n; i++)
        if (wpp_terminal(w, outline->steps[i].terminal)->routine !=
            wpp_terminal(w, outline->steps[0].terminal)->routine || outline->steps[i].depth > 0)
            return KIND_CALLS;
    return KIND_STRAIGHT;
}

const char *answer_kind_name(enum answer_kind kind)
{
    static const char *const names[] = { "loop", "calls", "straight" };

    return names[kind];
}

/* ---- Lines ------------------------------------------------------------------------------- */

/* Lines of one routine. */
struct place_lines {
    struct wpp_line *line;
    size_t n, size;
};

static bool add_lines(struct place_lines *l, const struct executed_lines *p)
{
    for (size_t i = 0; i < p->n_files; i++) {
        const struct executed_file *f = &p->files[i];

        if (GROW(l->line, l->size, l->n + f->n_lines) != HOT_OK)
            return false;
        for (size_t k = 0; k < f->n_lines; k++)
            l->line[l->n++] = (struct wpp_line){ f->name, f->lines[k], f->inlined[k] };
    }
    return true;
}

static bool find_lines(struct executed_lines *p, const wpp *w, uint32_t terminal, bool system)
{
    return system ? executed_lines_of(p, w, terminal) : executed_lines_own(p, w, terminal);
}

static bool gather_lines(struct place_lines *l, const wpp *w, const struct outline *s,
                         uint32_t routine, bool system)
{
    bool good = true;

    for (size_t i = 0; i < s->n && good; i++) {
        struct executed_lines p;
        uint32_t t = s->steps[i].terminal;

        if (wpp_terminal(w, t)->routine != routine || (i > 0 && s->steps[i - 1].terminal == t))
            continue;
        good = find_lines(&p, w, t, system) && add_lines(l, &p);
        executed_lines_free(&p);
    }
    return good;
}

/* The innermost call whose code contains all lines; 0: the routine itself.  Callers come first. */
static uint32_t common_call(const struct wpp_routine *r, const struct place_lines *l)
{
    uint32_t common = l->n ? l->line[0].inlined : 0;

    for (size_t i = 1; i < l->n; i++) {
        uint32_t call = l->line[i].inlined;

        assert(call <= r->n_inlined && common <= r->n_inlined);
        while (call != common)
            if (call > common)
                call = r->inlined[call - 1].caller;
            else
                common = r->inlined[common - 1].caller;
    }
    return common;
}

/* The line in the code of `call` itself that leads to a line within it. */
static struct wpp_line line_in(const struct wpp_routine *r, struct wpp_line line, uint32_t call)
{
    while (line.inlined != call) {
        assert(line.inlined > call && line.inlined <= r->n_inlined);
        const struct wpp_inlined *c = &r->inlined[line.inlined - 1];

        line = (struct wpp_line){ c->file, c->line, c->caller };
    }
    return line;
}

static void find_range(struct answer_place *p, const struct wpp_routine *r,
                       const struct place_lines *l, uint32_t call)
{
    for (size_t i = 0; i < l->n; i++) {
        struct wpp_line line = line_in(r, l->line[i], call);

        if (line.line == 0 || (p->file && strcmp(line.file, p->file) != 0))
            continue;
        if (!p->file || line.line < p->first)
            p->first = line.line;
        if (!p->file || line.line > p->last)
            p->last = line.line;
        p->file = line.file;
        assert(p->first > 0 && p->first <= p->last);
    }
}

/* ---- Routines ------------------------------------------------------------------------------ */

static bool has_own_lines(const wpp *w, uint32_t terminal, bool *own)
{
    struct executed_lines p;

    if (!executed_lines_own(&p, w, terminal))
        return false;
    *own = p.n_files > 0 &&
           !own_code_is_system_file(wpp_routine(w, wpp_terminal(w, terminal)->routine)->directory,
                                    p.files[0].name);
    executed_lines_free(&p);
    return true;
}

/* The step that determines the place: the least deep one in own code, or else in any; NULL: there
 * is none, or no memory. */
static const struct outline_step *main_step(const wpp *w, const struct outline *s, bool system,
                                            bool *good)
{
    const struct outline_step *best = NULL;
    bool best_own = false, own = system;

    for (size_t i = 0; i < s->n; i++) {
        const struct outline_step *step = &s->steps[i];

        if (wpp_terminal(w, step->terminal)->routine == WPP_NO_ROUTINE ||
            (best && best_own && step->depth >= best->depth))
            continue;
        if (!system && !has_own_lines(w, step->terminal, &own)) {
            *good = false;
            return NULL;
        }
        if (!best || own > best_own || (own == best_own && step->depth < best->depth)) {
            best = step;
            best_own = own;
        }
    }
    return best;
}

struct other {
    uint32_t routine;
    uint64_t cost;
};

static int dearest_first(const void *pa, const void *pb)
{
    const struct other *a = pa, *b = pb;

    if (a->cost != b->cost)
        return a->cost > b->cost ? -1 : 1;
    return a->routine < b->routine ? -1 : a->routine > b->routine;
}

static bool find_others(struct answer_place *p, const wpp *w, const uint64_t *cost,
                        const struct outline *s, uint32_t routine)
{
    struct other *other = malloc((s->n + 1) * sizeof *other);
    size_t n = 0;

    p->others = malloc((s->n + 1) * sizeof *p->others);
    for (size_t i = 0; other && i < s->n; i++) {
        uint32_t t = s->steps[i].terminal, it = wpp_terminal(w, t)->routine;
        size_t k = 0;

        if (it == routine || it == WPP_NO_ROUTINE)
            continue;
        while (k < n && other[k].routine != it)
            k++;
        if (k == n)
            other[n++] = (struct other){ it, 0 };
        other[k].cost += cost[t];
    }
    if (other)
        qsort(other, n, sizeof *other, dearest_first);
    for (size_t k = 0; other && p->others && k < n; k++)
        p->others[p->n_others++] = wpp_routine(w, other[k].routine)->shown;
    free(other);
    return other && p->others;
}

bool answer_place_of(struct answer_place *p, const wpp *w, const uint64_t *cost,
                     const struct shown *s, bool system)
{
    const struct outline *outline = &s->outline;
    struct place_lines lines = { 0 };
    const struct wpp_routine *r;
    const struct outline_step *step;
    uint32_t routine, call;
    bool good = true;

    *p = (struct answer_place){ 0 };
    step = main_step(w, outline, system, &good);
    if (!step) {
        wpp_symbol_name(wpp_terminal(w, outline->steps[0].terminal), p->symbol);
        return good;
    }
    routine = wpp_terminal(w, step->terminal)->routine;
    r = wpp_routine(w, routine);
    good = gather_lines(&lines, w, outline, routine, system);
    if (good) {
        call = common_call(r, &lines);
        p->function = call ? r->inlined[call - 1].shown : r->shown;
        p->outer = call ? r->shown : NULL;
        find_range(p, r, &lines, call);
        good = find_others(p, w, cost, outline, routine);
    }
    free(lines.line);
    return good;
}

void answer_place_free(struct answer_place *p)
{
    free(p->others);
    *p = (struct answer_place){ 0 };
}
