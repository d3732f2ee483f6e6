/* SPDX-License-Identifier: MIT */
/* Breakpoints in random recordings: the next and the previous place of several, with hit counts, from many places,
 * against the run written out; and which source a path means. */

#include <stdlib.h>
#include <string.h>

#include "test/unit/random-content.h"
#include "test/unit/tap.h"
#include "wpp/step/dap-breakpoints.h"

enum { MOST = 3, LINES = 4 };

/* ---- Hit counts, by their meaning ------------------------------------------------------------------------- */

static const struct hit_count { const char *text; char operator; uint64_t n; } hit_counts[] = {
    {NULL, 'a', 0}, {"", 'a', 0}, {"2", '=', 2}, {" == 3", '=', 3}, {"= 1", '=', 1}, {"> 2", '>', 2}, {">=2", '>', 1},
    {"<4", '<', 4}, {"<= 4 ", 0, 0}, {"<= 4", '<', 5}, {"% 3", '%', 3}, {"-1", '-', 1}, {"- 2", '-', 2},
    {"-9999", '-', 9999}, {"> 1M", '>', 1000000}, {"0", 0, 0}, {"often", 0, 0}, {"3 4", 0, 0}, {">", 0, 0}, {"18446744073709551615", 0, 0}
};
enum { N_HIT_COUNTS = sizeof hit_counts / sizeof *hit_counts };

/* Whether execution number k of so many, from 1, counts. */
static bool counts(const struct hit_count *h, uint64_t k, uint64_t total)
{
    switch (h->operator) {
    case 'a': return true;
    case '=': return k == h->n;
    case '>': return k > h->n;
    case '<': return k < h->n;
    case '%': return k % h->n == 0;
    default: return k == total + 1 - h->n;
    }
}

/* ---- The run, written out --------------------------------------------------------------------------------------- */

struct asked {
    const struct dap_source *source;    /* NULL: a routine */
    const char *routine;
    uint32_t line;
    const struct hit_count *hits;
};

struct places {
    struct run_place *place;
    size_t n;
};

static void add_place(struct places *p, struct run_place place)
{
    p->place = realloc(p->place, (p->n + 1) * sizeof *p->place);
    p->place[p->n++] = place;
}

/* The executions that a path of a terminal begins, as places in it. */
static uint32_t begun_in(const wpp *w, uint32_t terminal, const struct asked *a, uint32_t *places, uint32_t room)
{
    const struct wpp_terminal *t = wpp_terminal(w, terminal);

    if (t->routine == WPP_NO_ROUTINE)
        return 0;
    if (a->source)
        return strcmp(wpp_routine(w, t->routine)->directory, a->source->directory) == 0
                   ? stepper_executions(w, terminal, a->source->file, a->line, places, room) : 0;
    places[0] = 0;
    return t->enters && strcmp(wpp_routine(w, t->routine)->name, a->routine) == 0;
}

/* All executions of a thread at which the breakpoint stops. */
static struct places written_out(const wpp *w, uint32_t thread, const struct asked *a)
{
    enum { ROOM = 1000 };
    uint32_t terminal, place[ROOM];
    struct places all = {0}, chosen = {0};
    wpp_cursor *c = wpp_cursor_new(w, thread, 0);

    for (uint64_t event = 0; wpp_cursor_read(c, &terminal, 1) == 1; event++) {
        uint32_t n = begun_in(w, terminal, a, place, ROOM);

        for (uint32_t i = 0; i < n; i++)
            add_place(&all, (struct run_place){thread, event, place[i]});
    }
    wpp_cursor_free(c);
    for (size_t i = 0; i < all.n; i++)
        if (counts(a->hits, i + 1, all.n))
            add_place(&chosen, all.place[i]);
    free(all.place);
    return chosen;
}

/* The nearest of them behind a place, or in front of it. */
static bool nearest(const struct places *p, const struct run_place *from, bool back, struct run_place *out)
{
    bool found = false;

    for (size_t i = 0; i < p->n; i++) {
        const struct run_place *at = &p->place[i];

        if (back ? !place_is_before(at, from) : !place_is_before(from, at))
            continue;
        if (!found || (back ? place_is_before(out, at) : place_is_before(at, out)))
            *out = *at;
        found = true;
    }
    return found;
}

/* ---- Comparing ---------------------------------------------------------------------------------------------------- */

static bool is_same(const struct run_place *a, const struct run_place *b)
{
    return a->event == b->event && a->line == b->line;
}

/* A place to look from: often one at which a breakpoint stops. */
static struct run_place draw_place(const struct places *p, uint64_t tokens, uint32_t thread, struct random *r)
{
    struct run_place from = {thread, draw(r, (uint32_t)tokens + 1), draw(r, 5)};

    if (p->n > 0 && draw(r, 2))
        from = p->place[draw(r, (uint32_t)p->n)];
    return from;
}

static const char *wrong_in_thread(const wpp *w, const struct breakpoints *all, const struct asked *asked,
                                   uint32_t thread, struct random *r, uint32_t *found)
{
    uint64_t tokens = wpp_thread(w, thread)->tokens;
    struct places union_ = {0};
    const char *wrong = NULL;

    for (size_t i = 0; i < all->n; i++) {
        struct places each = written_out(w, thread, &asked[i]);

        for (size_t k = 0; k < each.n; k++)
            add_place(&union_, each.place[k]);
        free(each.place);
    }
    for (int i = 0; i < 60 && !wrong; i++) {
        struct run_place from = draw_place(&union_, tokens, thread, r), want, got;
        bool back = draw(r, 2), any = nearest(&union_, &from, back, &want), at = false, is = false;

        got = back ? (struct run_place){thread, 0, 0} : (struct run_place){thread, tokens, 1};
        /* A breakpoint at the very beginning is no place behind the beginning. */
        any &= !(back && is_same(&want, &got));
        if (breakpoints_next(all, &from, back, &got) != any || (any && !is_same(&want, &got)))
            wrong = back ? "the place before is another one" : "the next place is another one";
        for (size_t k = 0; k < all->n; k++)
            at |= breakpoint_is_at(&all->each[k], &from);
        for (size_t k = 0; k < union_.n; k++)
            is |= is_same(&union_.place[k], &from);
        if (at != is)
            wrong = "a place has a breakpoint, or none";
        *found += any;
    }
    free(union_.place);
    return wrong;
}

/* A random breakpoint of the run. */
static struct asked draw_asked(const wpp *w, const struct dap_sources *sources, struct random *r)
{
    struct asked a = {.line = 1 + draw(r, LINES)};
    struct wpp_summary run;

    do
        a.hits = &hit_counts[draw(r, N_HIT_COUNTS)];
    while (!a.hits->operator);
    wpp_get_summary(w, &run);
    if (draw(r, 3) == 0 || sources->n == 0)
        a.routine = run.n_routines ? wpp_routine(w, draw(r, run.n_routines))->name : "none";
    else
        a.source = &sources->each[draw(r, (uint32_t)sources->n)];
    return a;
}

static const char *wrong_in(const wpp *w, struct random *r, uint32_t *found)
{
    struct source_changes no_changes = {0};
    struct breakpoints all = {0}, none = {0};
    struct asked asked[MOST];
    struct dap_sources sources;
    const char *wrong = NULL;
    uint32_t n = 1 + draw(r, MOST);

    if (!dap_sources_find(&sources, w, &no_changes, NULL, 0))
        return "no memory";
    for (uint32_t i = 0; i < n; i++) {
        struct breakpoint_asked a;
        struct breakpoint b;

        asked[i] = draw_asked(w, &sources, r);
        a = (struct breakpoint_asked){asked[i].source ? asked[i].source->path : NULL, asked[i].routine,
                                      asked[i].line, asked[i].hits->text};
        if (!breakpoint_make(&b, &a, w, &sources, &none) || !breakpoints_add(&all, b))
            wrong = "no memory";
    }
    while (breakpoints_work(&all))
        continue;
    for (uint32_t k = 0; k < wpp_grammar(w)->n_threads && !wrong; k++)
        wrong = wrong_in_thread(w, &all, asked, k, r, found);
    breakpoints_free(&all);
    dap_sources_free(&sources);
    return wrong;
}

/* Few different lines. */
static void few_lines(struct random_content *c, struct random *r)
{
    for (uint32_t i = 0; i < RC_ROUTINES && c->graphs[i]; i++)
        for (uint32_t v = 2; v < c->descriptions[i].n_blocks; v++) {
            struct wpp_line *lines = (struct wpp_line *)c->descriptions[i].blocks[v].lines;

            for (uint32_t k = 0; k < c->descriptions[i].blocks[v].n_lines; k++)
                lines[k] = (struct wpp_line){rc_files[draw(r, 3)], 1 + draw(r, LINES), lines[k].inlined};
        }
}

/* ---- Paths --------------------------------------------------------------------------------------------------------- */

static void test_paths(void)
{
    static const struct { const char *directory, *file, *path; } normal[] = {
        {"/build/src", "../inc/a.h", "/build/inc/a.h"}, {"/build", "/usr/./include//x.h", "/usr/include/x.h"},
        {"/", "../../a.c", "/a.c"}, {"", "a/./b.c", "a/b.c"}, {"x/y", "../b.c", "x/b.c"}, {"", "../b.c", "../b.c"}
    };
    static const struct dap_source source[] = {
        {.directory = "/b", .file = "one/part.c", .path = "/b/one/part.c"},
        {.directory = "/b", .file = "two/part.c", .path = "/b/two/part.c"},
        {.directory = "/b/two", .file = "part.c", .path = "/b/two/part.c"},
        {.directory = "/b", .file = "main.c", .path = "/b/main.c"}
    };
    static const struct { const char *asked; size_t n, first; bool several; } like[] = {
        {"/b/one/part.c", 1, 0, false}, {"/b/two/../two/part.c", 2, 1, false}, {"/home/two/part.c", 2, 1, false},
        {"part.c", 0, 0, true}, {"/home/three/part.c", 0, 0, true}, {"main.c", 1, 3, false}, {"/x/ain.c", 0, 0, false},
        {"/", 0, 0, false}, {"", 0, 0, false}
    };
    struct dap_sources all = {(struct dap_source *)source, sizeof source / sizeof *source};

    for (size_t i = 0; i < sizeof normal / sizeof *normal; i++) {
        char *path = dap_normal_path(normal[i].directory, normal[i].file);

        tap_ok(path && strcmp(path, normal[i].path) == 0, "%s in %s: %s", normal[i].file, normal[i].directory, path);
        free(path);
    }
    for (size_t i = 0; i < sizeof like / sizeof *like; i++) {
        size_t out[4], n;
        bool several;

        n = dap_sources_like(&all, like[i].asked, out, 4, &several);
        tap_ok(n == like[i].n && several == like[i].several && (n == 0 || out[0] == like[i].first), "`%s`: %zu sources",
               like[i].asked, n);
    }
}

int main(void)
{
    enum { RECORDINGS = 300 };
    struct random r = {4711};
    struct wpp_error error;
    uint32_t wrongs = 0, found = 0, parsed = 0;

    for (int i = 0; i < N_HIT_COUNTS; i++) {
        struct hits hits;

        parsed += hits_parse(hit_counts[i].text, &hits) == (hit_counts[i].operator != 0);
    }
    tap_ok(parsed == N_HIT_COUNTS, "what hit counts are: %u of %d", parsed, N_HIT_COUNTS);
    test_paths();
    for (uint32_t seed = 0; seed < RECORDINGS; seed++) {
        struct random_content *c = random_content(&r, 1 + seed % RC_THREADS, 1 + seed % 100);
        const char *wrong;
        wpp *w;

        rc_words(c, &r);
        few_lines(c, &r);
        w = rc_open(c, &error);
        wrong = w ? wrong_in(w, &r, &found) : "it is not opened";
        if (wrong)
            tap_note("recording %u: %s", seed, wrong);
        wrongs += wrong != NULL;
        wpp_close(w);
        random_content_free(c);
    }
    tap_ok(wrongs == 0, "%d random recordings: next and previous places as in the run written out", RECORDINGS);
    tap_ok(found > 10 * RECORDINGS, "there are some");
    tap_note("%u places", found);
    return tap_done();
}
