/* SPDX-License-Identifier: MIT */
#include "wpp/cli/next-build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/json.h"
#include "wpp/cli/tool.h"
#include "wpp/read/reader.h"
#include "wpp/runs/suspects-report.h"
#include "wpp/trace/code-calls.h"

static const char *const whys[] = {"suspect", "caller", "callee"};

struct finding {
    struct next_build *out;
    const struct suspects *s;
    size_t most, capacity;
    bool is_full;              /* most suspects are there */
    struct routine_set { uint32_t *routine, n; } *of_line;     /* by predicate of kind LINES */
};

void next_build_free(struct next_build *b)
{
    for (size_t i = 0; i < b->n; i++) {
        free(b->routine[i].name);
        free(b->routine[i].shown);
    }
    free(b->routine);
    *b = (struct next_build){0};
}

/* ---- Suspects ------------------------------------------------------------------------------- */

static const struct wpp_routine *routine_of(const struct suspects *s, uint32_t routine)
{
    return wpp_routine(s->v.routine[routine].w, s->v.routine[routine].number);
}

static size_t find(const struct next_build *b, const char *name)
{
    size_t n = code_calls_name(name);

    for (size_t i = 0; i < b->n; i++)
        if (strncmp(b->routine[i].name, name, n) == 0 && b->routine[i].name[n] == '\0')
            return i;
    return SIZE_MAX;
}

static struct next_routine *add(struct finding *f, const char *name, const char *shown)
{
    struct next_build *b = f->out;

    if (b->n == f->capacity) {
        f->capacity = 2 * f->capacity + 16;
        b->routine = realloc(b->routine, f->capacity * sizeof *b->routine);
        if (!b->routine)
            tool_die_of_memory();
    }
    b->routine[b->n] = (struct next_routine){.name = strndup(name, code_calls_name(name)),
                                             .shown = strdup(shown)};
    if (!b->routine[b->n].name || !b->routine[b->n].shown)
        tool_die_of_memory();
    return &b->routine[b->n++];
}

/* A path profile has counts of paths, but not their order. */
static bool is_recorded(const struct suspects *s, const char *name)
{
    size_t n = code_calls_name(name);

    for (uint32_t i = 0; i < s->v.n_routines; i++) {
        const struct known_routine *k = &s->v.routine[i];
        const char *its = wpp_routine(k->w, k->number)->name;
        struct wpp_summary run;

        wpp_get_summary(k->w, &run);
        if (!run.is_profile && code_calls_name(its) == n && strncmp(its, name, n) == 0)
            return true;
    }
    return false;
}

static void suspect_routine(struct finding *f, uint32_t routine, const struct suspect *by)
{
    const struct wpp_routine *r = routine_of(f->s, routine);
    struct next_routine *added;

    if (find(f->out, r->name) != SIZE_MAX)
        return;
    if (f->out->n >= f->most) {
        f->is_full = true;
        return;
    }
    added = add(f, r->name, r->shown);
    added->why = NEXT_SUSPECT;
    added->score = by->score;
    added->predicate = by->predicate;
    added->is_recorded = is_recorded(f->s, r->name);
}

/* Which routines have a line. */
static void find_lines(struct finding *f)
{
    const struct vocabulary *v = &f->s->v;

    f->of_line = calloc(v->n + (size_t)1, sizeof *f->of_line);
    if (!f->of_line)
        tool_die_of_memory();
    for (uint32_t r = 0; r < v->n_routines; r++)
        for (uint32_t i = 0; i < v->routine[r].implied.n; i++) {
            struct routine_set *set = &f->of_line[v->routine[r].implied.predicate[i]];

            if (set->n > 0 && set->routine[set->n - 1] == r)
                continue;
            set->routine = realloc(set->routine, (set->n + (size_t)1) * sizeof *set->routine);
            if (!set->routine)
                tool_die_of_memory();
            set->routine[set->n++] = r;
        }
}

static void free_lines(struct finding *f)
{
    for (uint32_t p = 0; p < f->s->v.n; p++)
        free(f->of_line[p].routine);
    free(f->of_line);
}

static void suspect_path(struct finding *f, uint32_t path, const struct suspect *by)
{
    suspect_routine(f, predicate_path(&f->s->v, path)->routine, by);
}

/* All routines that a predicate speaks of. */
static void suspect_routines(struct finding *f, const struct suspect *by)
{
    const struct predicate *p = &f->s->v.predicate[by->predicate];

    switch (p->kind) {
    case PREDICATE_LINE:
        for (uint32_t i = 0; i < f->of_line[p->site].n; i++)
            suspect_routine(f, f->of_line[p->site].routine[i], by);
        break;
    case PREDICATE_PAIR: case PREDICATE_TRIPLE: case PREDICATE_BEFORE:
        suspect_path(f, p->x, by);
        suspect_path(f, p->y, by);
        if (p->kind == PREDICATE_TRIPLE)
            suspect_path(f, p->z, by);
        break;
    case PREDICATE_CALLERS:
        suspect_routine(f, p->z, by);
        /* fall through */
    case PREDICATE_CALLER:
        suspect_routine(f, p->y, by);
        /* fall through */
    default:
        suspect_routine(f, p->x, by);
    }
}

static bool may_build(const struct suspects *s, const char *name)
{
    size_t n = code_calls_name(name);

    for (uint32_t i = 0; i < s->n_witnesses; i++) {
        struct wpp_summary run;

        wpp_get_summary(s->witness[i].w, &run);
        for (uint32_t k = 0; k < run.n_left_out; k++) {
            const struct wpp_left_out *l = wpp_left_out(s->witness[i].w, k);

            if (l->reason == WPP_LEFT_OUT_NOT_INCLUDED && code_calls_name(l->name) == n &&
                strncmp(l->name, name, n) == 0)
                return true;
        }
    }
    return false;
}

/* A routine of the runs that some failing one executed, or one that was left out of the build. */
static bool is_of_use(const struct suspects *s, const char *name, const char **shown)
{
    size_t n = code_calls_name(name);

    for (uint32_t i = 0; i < s->v.n_routines; i++) {
        const struct wpp_routine *r = routine_of(s, i);

        if (code_calls_name(r->name) != n || strncmp(r->name, name, n) != 0 ||
            s->count[s->v.routine[i].predicate].fail == 0)
            continue;
        *shown = r->shown;
        return true;
    }
    *shown = name;
    return may_build(s, name);
}

/* ---- Routines near them ---------------------------------------------------------------------- */

static void add_near(struct finding *f, const struct code_calls *c, size_t near, uint32_t function,
                     enum next_why why)
{
    const char *name = c->name[function], *shown;
    const struct next_routine *to = &f->out->routine[near];
    double score = to->score;
    uint32_t predicate = to->predicate;
    struct next_routine *added;

    if (find(f->out, name) != SIZE_MAX || !is_of_use(f->s, name, &shown))
        return;
    added = add(f, name, shown);
    added->why = why;
    added->score = score;
    added->predicate = predicate;
    added->near = (uint32_t)near;
    added->is_recorded = is_recorded(f->s, name);
}

/* Callers come first: what is wrong was mostly done before. */
static void add_all_near(struct finding *f, const struct code_calls *c, size_t near, size_t limit)
{
    uint32_t function = code_calls_find(c, f->out->routine[near].name);

    for (size_t i = 0; i < c->n_calls && f->out->n < limit; i++)
        if (c->call[i].to == function)
            add_near(f, c, near, c->call[i].from, NEXT_CALLER);
    for (size_t i = 0; i < c->n_calls && f->out->n < limit; i++)
        if (c->call[i].from == function)
            add_near(f, c, near, c->call[i].to, NEXT_CALLEE);
}

static bool is_seen(const wpp *w, uint32_t module, const struct suspects *s, uint32_t witness)
{
    const struct wpp_module_content *m = &w->modules[module];

    for (uint32_t i = 0; i <= witness; i++)
        for (uint32_t k = 0; k < (i == witness ? module : s->witness[i].w->n_modules); k++) {
            const struct wpp_module_content *x = &s->witness[i].w->modules[k];

            if (strcmp(x->path, m->path) == 0 && x->build_id_bytes == m->build_id_bytes &&
                memcmp(x->build_id, m->build_id, m->build_id_bytes) == 0)
                return true;
        }
    return false;
}

/* By the code of each module that the runs had. */
static void find_near(struct finding *f)
{
    size_t suspects = f->out->n, limit = suspects + f->most;
    struct wpp_error first = {0};

    for (uint32_t i = 0; i < f->s->n_witnesses; i++) {
        const wpp *w = f->s->witness[i].w;

        for (uint32_t k = 0; w->modules && k < w->n_modules; k++) {
            const struct wpp_module_content *m = &w->modules[k];
            struct code_calls calls;
            struct wpp_error error;

            if (is_seen(w, k, f->s, i))
                continue;
            if (!code_calls_read(&calls, m->path, m->build_id, m->build_id_bytes, &error)) {
                first = first.status == WPP_OK ? error : first;
                continue;
            }
            for (size_t r = 0; r < suspects; r++)
                add_all_near(f, &calls, r, limit);
            code_calls_free(&calls);
        }
    }
    if (first.status != WPP_OK)
        tool_warn("%s: callers and callees are left out", first.text);
}

void next_build_find(struct next_build *out, const struct suspects *s, const struct ranking *ranking,
                     size_t most)
{
    struct finding f = {.out = out, .s = s, .most = most};

    *out = (struct next_build){0};
    find_lines(&f);
    for (size_t i = 0; i < ranking->n && ranking->suspect[i].score > 0 && !f.is_full; i++)
        suspect_routines(&f, &ranking->suspect[i]);
    free_lines(&f);
    out->more = f.is_full;
    if (out->n > 0)
        find_near(&f);
}

bool next_build_is_new(const struct next_build *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (!b->routine[i].is_recorded)
            return true;
    return false;
}

/* ---- Reports -------------------------------------------------------------------------------- */

void next_build_text(const struct next_build *b)
{
    for (size_t i = 0; i < b->n; i++)
        printf("%sinclude=%s", i ? " " : "", b->routine[i].name);
    putchar('\n');
}

void next_build_json(const struct next_build *b, const struct suspects *s)
{
    printf("{\"routines\": [");
    for (size_t i = 0; i < b->n; i++) {
        const struct next_routine *r = &b->routine[i];
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);

        if (!out)
            tool_die_of_memory();
        predicate_put(out, &s->v, r->predicate);
        if (fclose(out) != 0)
            tool_die_of_memory();
        printf("%s\n    {\"include\": ", i ? "," : "");
        json_string(stdout, r->name);
        printf(", \"routine\": ");
        json_string(stdout, r->shown);
        printf(", \"why\": \"%s\"", whys[r->why]);
        if (r->why != NEXT_SUSPECT) {
            printf(", \"of\": ");
            json_string(stdout, b->routine[r->near].name);
        }
        printf(", \"score\": %.9g, \"predicate\": ", r->score);
        json_string(stdout, text);
        printf(", \"recorded\": %s}", r->is_recorded ? "true" : "false");
        free(text);
    }
    printf("\n]}\n");
}

void next_build_say(const struct next_build *b)
{
    size_t suspects = 0, recorded = 0;

    for (size_t i = 0; i < b->n; i++) {
        suspects += b->routine[i].why == NEXT_SUSPECT;
        recorded += b->routine[i].is_recorded;
    }
    if (suspects == 0)
        return;
    tool_warn("%zu routine%s with scores of %.3f to %.3f%s, and %zu that call them or are called by them; "
              "%zu of all recorded already", suspects, suspects == 1 ? "" : "s", b->routine[0].score,
              b->routine[suspects - 1].score, b->more ? " (and more)" : "", b->n - suspects, recorded);
}
