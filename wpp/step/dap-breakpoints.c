/* SPDX-License-Identifier: MIT */
#include "wpp/step/dap-breakpoints.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/base/names.h"
#include "wpp/base/number-text.h"
#include "wpp/replay/finder-parts.h"
#include "wpp/replay/place-text.h"

#ifdef WPP_HOSTILE
enum { PART = 3 };
#else
enum { PART = 1 << 20 };           /* symbols of a grammar: some milliseconds */
#endif

/* ---- Which executions ---------------------------------------------------------------------------------- */

bool hits_parse(const char *text, struct hits *out)
{
    static const char *const operators[] = {"==", ">=", "<=", "=", ">", "<", "%", "-", ""};
    const char *operator = NULL;
    uint64_t n;

    *out = (struct hits){1, UINT64_MAX, 1, 0};
    if (text)
        text += strspn(text, " \t");
    if (!text || !text[0])
        return true;
    for (size_t i = 0; !operator; i++)
        if (strncmp(text, operators[i], strlen(operators[i])) == 0)
            operator = operators[i];
    text += strlen(operator);
    text += strspn(text, " \t");
    if (!number_parse(text, 1000, &n) || n == 0 || n == UINT64_MAX)
        return false;
    switch (operator[0]) {
    case '>': out->low = n + !operator[1]; break;
    case '<': out->high = n - !operator[1]; break;
    case '%': out->each = n; break;
    case '-': out->from_end = n; break;
    default: out->low = out->high = n;
    }
    return true;
}

/* The first one that counts among numbers k to total, or (`back`) the last one among 1 to k; 0: there is none. */
static uint64_t next_hit(const struct hits *h, uint64_t k, uint64_t total, bool back)
{
    uint64_t low = h->low, high = h->high < total ? h->high : total;

    if (h->from_end)
        low = high = h->from_end <= total ? total + 1 - h->from_end : 0;
    if (back) {
        k = k < high ? k : high;
        k -= k % h->each;
        return k >= low ? k : 0;
    }
    k = k > low ? k : low;
    if (k % h->each)
        k = k <= UINT64_MAX - h->each ? k - k % h->each + h->each : UINT64_MAX;
    return k <= high ? k : 0;
}

/* ---- Making one ------------------------------------------------------------------------------------------ */

static void explain(struct breakpoint *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void explain(struct breakpoint *b, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(b->message, sizeof b->message, format, args);
    va_end(args);
}

static bool is_like(const struct breakpoint *b, const struct breakpoint_asked *a)
{
    if (a->routine)
        return b->routine && strcmp(b->routine, a->routine) == 0;
    return b->path && strcmp(b->path, a->path) == 0 && b->sought.line == a->line;
}

/* Whether the routine has a line of one of the files, and which one is the next there. */
static bool has_line(const struct wpp_routine *r, const struct breakpoint *b, const char *const *directories,
                     uint32_t *next)
{
    bool found = false;

    for (size_t f = 0; f < b->sought.n_files; f++) {
        if (strcmp(r->directory, directories[f]) != 0)
            continue;
        for (uint32_t i = 0; i < r->n_blocks; i++)
            for (uint32_t k = 0; k < r->blocks[i].n_lines; k++) {
                const struct wpp_line *l = &r->blocks[i].lines[k];

                if (l->line < b->sought.line || l->line > *next || strcmp(l->file, b->sought.files[f]) != 0)
                    continue;
                found |= l->line == b->sought.line;
                if (l->line > b->sought.line)
                    *next = l->line;
            }
    }
    return found;
}

/* Whether executed routines hold inlined calls of it. */
static bool is_inlined(const wpp *w, const char *name)
{
    struct wpp_summary run;

    wpp_get_summary(w, &run);
    for (uint32_t i = 0; i < run.n_routines; i++) {
        const struct wpp_routine *r = wpp_routine(w, i);

        for (uint32_t k = 0; k < r->n_inlined; k++)
            if (strcmp(r->inlined[k].name, name) == 0 || name_fits(r->inlined[k].shown, name, strlen(name)))
                return true;
    }
    return false;
}

/* The weights of its line in the files that its path means, in routines that were compiled in their folders.
 * wpp_weigh_line() takes other files, too, whose names end likewise. */
static bool weigh_files(struct breakpoint *b, const wpp *w, const char *const *directories, uint32_t *weights,
                        bool *known, bool *executed)
{
    uint32_t n = wpp_grammar(w)->n_terminals, next = UINT32_MAX;
    uint32_t *more = calloc(n + (size_t)1, sizeof *more);
    struct wpp_summary run;
    bool *has;

    wpp_get_summary(w, &run);
    has = calloc(run.n_routines + (size_t)1, sizeof *has);
    *known = *executed = false;
    for (uint32_t r = 0; has && more && r < run.n_routines; r++) {
        has[r] = has_line(wpp_routine(w, r), b, directories, &next);
        *known |= has[r];
    }
    for (size_t f = 0; has && more && *known && f < b->sought.n_files; f++) {
        wpp_weigh_line(w, b->sought.files[f], b->sought.line, more);
        for (uint32_t t = 0; t < n; t++) {
            uint32_t routine = wpp_terminal(w, t)->routine;

            if (weights[t] > 0 || routine == WPP_NO_ROUTINE || !has[routine])
                continue;
            weights[t] = more[t];
            *executed |= weights[t] > 0;
        }
    }
    if (!*executed && *known)
        explain(b, "the line was not executed");
    else if (!*executed && next != UINT32_MAX)
        explain(b, "no executed routine has code in this line; the next line with code is %u", next);
    else if (!*executed)
        explain(b, "no executed routine has code in this line");
    free(has);
    free(more);
    return has && more;
}

/* The files that its path means, and the folders in which they were compiled.  False: no memory. */
static bool find_files(struct breakpoint *b, const struct dap_sources *sources, const char ***directories)
{
    size_t *like = malloc((sources->n + 1) * sizeof *like), n = 0;
    const char **files = malloc((sources->n + 1) * sizeof *files);
    bool several = false;

    *directories = malloc((sources->n + 1) * sizeof **directories);
    if (like && files && *directories)
        n = dap_sources_like(sources, b->path, like, sources->n, &several);
    for (size_t i = 0; i < n; i++) {
        files[i] = sources->each[like[i]].file;
        (*directories)[i] = sources->each[like[i]].directory;
    }
    b->sought.files = files;
    b->sought.n_files = n;
    if (n == 0 && like)
        explain(b, several ? "several files of the run have this name, and none this path"
                           : "no executed routine is of this file");
    free(like);
    return like && files && *directories;
}

/* The weights of the routine, or of the path of one.  False: no memory. */
static bool weigh_routine(struct breakpoint *b, const wpp *w, uint32_t **weights)
{
    char *file = malloc(strlen(b->routine) + 1);
    struct wpp_error error = {.status = WPP_OK};
    uint32_t line;

    if (!file)
        return false;
    if (place_line_of(b->routine, file, &line))
        explain(b, "`%.100s` is a line, no routine", b->routine);
    else
        *weights = place_find_weights(w, b->routine, &error);
    free(file);
    if (error.status != WPP_OK && is_inlined(w, b->routine))
        explain(b, "all calls of `%.100s` that ran were inlined: its lines can have breakpoints", b->routine);
    else if (error.status != WPP_OK)
        explain(b, "%s", error.text);
    return error.status != WPP_E_MEMORY;
}

/* What it is of, as weights.  False: no memory.  No executions: then it has a message. */
static bool weigh(struct breakpoint *b, const wpp *w, const struct dap_sources *sources, uint32_t **weights)
{
    const char **directories = NULL;
    bool ok, known, executed;

    *weights = NULL;
    if (b->routine)
        return weigh_routine(b, w, weights);
    ok = find_files(b, sources, &directories);
    if (ok && b->sought.n_files > 0) {
        *weights = calloc(wpp_grammar(w)->n_terminals + (size_t)1, sizeof **weights);
        ok = *weights && weigh_files(b, w, directories, *weights, &known, &executed);
    }
    free(directories);
    return ok;
}

static void begin_finder(struct breakpoint *b, const wpp *w, uint32_t *weights)
{
    struct wpp_error error;

    b->finder = finder_begin(w, weights, &error);
    if (!b->finder)
        explain(b, "%s", error.text);
    b->sought.finder = b->finder;
}

static void work(struct breakpoint *b)
{
    struct wpp_error error;
    enum finder_state state = finder_go_on(b->finder, PART);

    b->ready = state == FINDER_READY;
    if (state != FINDER_TOO_MANY)
        return;
    finder_fail(&error);
    explain(b, "%s", error.text);
    wpp_finder_free(b->finder);
    b->finder = NULL;
}

/* The same one of `old`, which loses it. */
static bool take_like(struct breakpoint *out, const struct breakpoint_asked *asked, struct breakpoints *old)
{
    for (size_t i = 0; i < old->n; i++)
        if (is_like(&old->each[i], asked)) {
            *out = old->each[i];
            old->each[i] = old->each[--old->n];
            return true;
        }
    return false;
}

bool breakpoint_make(struct breakpoint *out, const struct breakpoint_asked *asked, const wpp *w,
                     const struct dap_sources *sources, struct breakpoints *old)
{
    uint32_t *weights = NULL;
    bool ok;

    if (take_like(out, asked, old)) {
        hits_parse(asked->hits, &out->hits);
        return true;
    }
    *out = (struct breakpoint){.path = asked->path ? strdup(asked->path) : NULL,
                               .routine = asked->routine ? strdup(asked->routine) : NULL,
                               .sought = {.w = w, .line = asked->line}};
    hits_parse(asked->hits, &out->hits);
    ok = (out->path || out->routine) && weigh(out, w, sources, &weights);
    if (ok && !out->message[0]) {
        begin_finder(out, w, weights);
        if (out->finder)
            work(out);
    }
    free(weights);
    if (!ok)
        breakpoint_free(out);
    return ok;
}

void breakpoint_free(struct breakpoint *b)
{
    free(b->path);
    free(b->routine);
    free((void *)b->sought.files);
    wpp_finder_free(b->finder);
    *b = (struct breakpoint){0};
}

/* ---- All --------------------------------------------------------------------------------------------------- */

bool breakpoints_add(struct breakpoints *all, struct breakpoint b)
{
    if (all->n == all->room) {
        size_t room = all->room ? 2 * all->room : 16;
        struct breakpoint *larger = realloc(all->each, room * sizeof *larger);

        if (!larger) {
            breakpoint_free(&b);
            return false;
        }
        all->each = larger;
        all->room = room;
    }
    if (b.id == 0)
        b.id = ++all->last_id;
    all->each[all->n++] = b;
    return true;
}

bool breakpoints_take(struct breakpoints *all, const char *path, struct breakpoints *taken)
{
    size_t n = 0;

    *taken = (struct breakpoints){.each = malloc((all->n + 1) * sizeof *taken->each), .room = all->n + 1};
    if (!taken->each)
        return false;
    for (size_t i = 0; i < all->n; i++) {
        struct breakpoint *b = &all->each[i];
        bool is = path ? b->path && strcmp(b->path, path) == 0 : b->routine != NULL;

        if (is)
            taken->each[taken->n++] = *b;
        else
            all->each[n++] = *b;
    }
    all->n = n;
    return true;
}

void breakpoints_free(struct breakpoints *all)
{
    for (size_t i = 0; i < all->n; i++)
        breakpoint_free(&all->each[i]);
    free(all->each);
    *all = (struct breakpoints){0};
}

bool breakpoints_work(struct breakpoints *all)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->each[i].finder && !all->each[i].ready) {
            work(&all->each[i]);
            return true;
        }
    return false;
}

/* ---- Places -------------------------------------------------------------------------------------------------- */

bool place_is_before(const struct run_place *a, const struct run_place *b)
{
    return a->event != b->event ? a->event < b->event : a->line < b->line;
}

/* The breakpoint's own next place. */
static bool next_of(const struct breakpoint *b, const struct run_place *from, bool back, struct run_place *out)
{
    uint64_t before, k;

    if (!b->finder || !b->ready || !executions_before(&b->sought, from, !back, &before))
        return false;
    k = next_hit(&b->hits, back ? before : before + 1, executions_of(&b->sought, from->thread), back);
    return k > 0 && executions_place(&b->sought, from->thread, k - 1, out);
}

bool breakpoints_next(const struct breakpoints *all, const struct run_place *from, bool back,
                      struct run_place *out)
{
    bool found = false;

    for (size_t i = 0; i < all->n; i++) {
        struct run_place to;

        if (!next_of(&all->each[i], from, back, &to)
            || (back ? !place_is_before(out, &to) : !place_is_before(&to, out)))
            continue;
        *out = to;
        found = true;
    }
    return found;
}

bool breakpoint_is_at(const struct breakpoint *b, const struct run_place *p)
{
    uint64_t before, with, k;

    if (!b->finder || !b->ready || !executions_before(&b->sought, p, false, &before)
        || !executions_before(&b->sought, p, true, &with) || with == before)
        return false;
    k = next_hit(&b->hits, before + 1, executions_of(&b->sought, p->thread), false);
    return k > 0 && k <= with;
}
