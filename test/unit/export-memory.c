/* SPDX-License-Identifier: MIT */
/* export-memory.c - each allocation of each export fails once: that is said, and (under the sanitizers)
 * nothing leaks or is freed twice.  Linked with --wrap. */
#include <stdlib.h>

#include "test/unit/random-content.h"
#include "test/unit/tap.h"
#include "wpp/export/export-coverage.h"
#include "wpp/export/export-run.h"

static long left = -1;             /* the allocation after these fails; negative: none */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

static bool must_fail(void)
{
    return left >= 0 && left-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return must_fail() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return must_fail() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    return must_fail() ? NULL : __real_realloc(p, size);
}

struct subject {
    const wpp *w;
    struct export_options options;
    FILE *out;
    bool (*run)(struct export_run *);
    bool (*cover)(struct export_coverage *);
};

static bool try_run(const struct subject *s, struct wpp_error *error)
{
    struct export_run run;
    bool ok = export_run_new(&run, s->w, &s->options, error);

    if (!ok)
        return false;
    run.path = "random";
    run.out = s->out;
    ok = s->run(&run);
    error->status = ok ? WPP_OK : WPP_E_MEMORY;
    export_run_free(&run);
    return ok;
}

static bool try_coverage(const struct subject *s, struct wpp_error *error)
{
    struct cover_input input = {s->w, "random"};
    struct wpp_moved moved = {0};
    struct cover_program program;
    struct coverage coverage;
    struct export_coverage x = {.out = s->out, .c = &coverage};
    bool ok = cover_program_new(&program, &input, 1, &moved, true, error);

    if (!ok)
        return false;
    ok = coverage_new(&coverage, &program);
    if (ok) {
        ok = s->cover(&x);
        coverage_free(&coverage);
    }
    error->status = ok ? WPP_OK : WPP_E_MEMORY;
    cover_program_free(&program);
    return ok;
}

/* How many allocations failed in turn, each of which was said; -1: one was not. */
static long fail_in_turn(const struct subject *s)
{
    for (long k = 0;; k++) {
        struct wpp_error error = {0};
        bool ok, failed;

        left = k;
        ok = s->run ? try_run(s, &error) : try_coverage(s, &error);
        failed = left < 0;
        left = -1;
        if (ok && !failed)
            return k;
        if (ok || error.status != WPP_E_MEMORY) {
            tap_note("allocation %ld: %s, status %d", k, ok ? "ok" : "failed", error.status);
            return -1;
        }
    }
}

int main(void)
{
    static const struct {
        const char *name;
        bool (*run)(struct export_run *);
        bool (*cover)(struct export_coverage *);
        bool callees;
    } formats[] = {
        {"callgrind", export_callgrind, NULL, true}, {"folded", export_folded, NULL, true},
        {"speedscope", export_speedscope, NULL, true}, {"chrome", export_chrome, NULL, true},
        {"perfetto", export_perfetto, NULL, true}, {"pprof", export_pprof, NULL, true},
        {"firefox", export_firefox, NULL, true}, {"callgraph", export_call_graph, NULL, true},
        {"flowgraph", export_flow_graph, NULL, false}, {"lcov", NULL, export_lcov, false},
        {"gcov", NULL, export_gcov, false}, {"cobertura", NULL, export_cobertura, false}
    };
    struct random r = {111};
    struct wpp_error error;
    struct random_content *c = random_content(&r, 1, 40);
    bool chosen[RC_ROUTINES];
    struct subject s = {.options = {.thread = 0, .limit = 50, .depth = 100, .inlined = true}};

    rc_words(c, &r);
    s.w = rc_open(c, &error);
    s.out = fopen("/dev/null", "w");
    memset(chosen, true, sizeof chosen);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        long n;

        s.run = formats[i].run;
        s.cover = formats[i].cover;
        s.options.callees = formats[i].callees;
        s.options.chosen = chosen;
        s.options.ranged = i % 2;
        s.options.begin = 3;
        s.options.end = wpp_thread(s.w, 0)->tokens - 2;
        n = fail_in_turn(&s);
        tap_ok(n > 0, "%s: each of %ld allocations fails once", formats[i].name, n);
    }
    fclose(s.out);
    wpp_close((wpp *)s.w);
    random_content_free(c);
    return tap_done();
}
