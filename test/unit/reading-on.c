/* SPDX-License-Identifier: MIT */
/* A run that is read from its beginning on, as far as a question needs (wpp_read_until()), against the whole
 * one: random recordings whose grammars are coded in lanes.  With a code that makes no sense behind its
 * beginning, the beginning can be read, and the rest is told.  Or the files that are given. */

#include <stdlib.h>
#include <string.h>

#include "test/unit/lane-content.h"
#include "test/unit/tap.h"
#include "wpp/replay/stack.h"

/* ---- What has been read, against the whole ------------------------------------------------------------- */

static bool same_events(const wpp *part, const wpp *whole, uint32_t thread)
{
    uint64_t n = wpp_events_read(part, thread);
    uint32_t a[64], b[64];
    uint64_t first = n > 64 ? n - 64 : 0;
    wpp_cursor *x = wpp_cursor_new(part, thread, first), *y = wpp_cursor_new(whole, thread, first);
    size_t got = x && y ? wpp_cursor_read(x, a, 64) : 0;
    bool same = x && y && got == n - first && wpp_cursor_read(y, b, got) == got && memcmp(a, b, got * sizeof *a) == 0;

    wpp_cursor_free(x);
    wpp_cursor_free(y);
    return same && (n == wpp_thread(part, thread)->tokens || !wpp_cursor_new(part, thread, n + 1));
}

static bool same_stack(const wpp *part, const wpp *whole, uint32_t thread, uint64_t event)
{
    wpp_stacks *x = stacks_until(part, thread, event + 1, NULL), *y = stacks_until(whole, thread, event + 1, NULL);
    struct wpp_frame *a = NULL, *b = NULL;
    size_t n = 0, m = 0;
    bool same = x && y && wpp_stack_at(x, thread, event, &a, &n) && wpp_stack_at(y, thread, event, &b, &m) && n == m
             && (n == 0 || memcmp(a, b, n * sizeof *a) == 0);

    free(a);
    free(b);
    wpp_stacks_free(x);
    wpp_stacks_free(y);
    return same;
}

/* Whether the executions that have been read are the first ones. */
static bool same_executions(const wpp *part, const wpp *whole, const uint32_t *weights, uint32_t thread)
{
    wpp_finder *x = wpp_finder_new(part, weights, NULL), *y = wpp_finder_new(whole, weights, NULL);
    uint64_t read = wpp_events_read(part, thread), n = wpp_finder_count(x, thread, 0, read), a, b;
    uint32_t within, within_whole;
    bool same = n == wpp_finder_count(y, thread, 0, read);

    for (uint64_t k = 0; same && k < n; k += 1 + n / 5)
        same = wpp_finder_nth(x, thread, k, &a, &within) && wpp_finder_nth(y, thread, k, &b, &within_whole)
            && a == b && within == within_whole;
    wpp_finder_free(x);
    wpp_finder_free(y);
    return same;
}

/* How many executions have been read, in a thread or in all. */
static uint64_t have(const wpp *part, const uint32_t *weights, uint32_t thread)
{
    wpp_finder *f = wpp_finder_new(part, weights, NULL);
    uint64_t n = 0;

    for (uint32_t k = 0; k < wpp_grammar(part)->n_threads; k++)
        if (thread == WPP_ALL_THREADS || thread == k)
            n += wpp_finder_count(f, k, 0, wpp_events_read(part, k));
    wpp_finder_free(f);
    return n;
}

/* Whether all that was to be read is there. */
static bool is_enough(const wpp *part, const uint32_t *weights, uint32_t thread, uint64_t n)
{
    bool all = true;

    if (have(part, weights, thread) >= n)
        return true;
    for (uint32_t k = 0; k < wpp_grammar(part)->n_threads; k++)
        if (thread == WPP_ALL_THREADS || thread == k)
            all = all && wpp_events_read(part, k) == wpp_thread(part, k)->tokens;
    return all;
}

static bool is_right(const wpp *part, const wpp *whole, const uint32_t *weights, struct random *r)
{
    bool right = true;

    for (uint32_t k = 0; right && k < wpp_grammar(part)->n_threads; k++) {
        uint64_t read = wpp_events_read(part, k);

        right = same_events(part, whole, k) && same_executions(part, whole, weights, k);
        for (unsigned i = 0; right && read > 0 && i < 3; i++)
            right = same_stack(part, whole, k, draw(r, (uint32_t)(read < UINT32_MAX ? read : UINT32_MAX)));
    }
    return right;
}

struct outcome { unsigned files, partial, wrong; };

/* Reads in some parts, and then the rest. */
static void read_in_parts(wpp *part, const wpp *whole, struct random *r, struct outcome *out)
{
    uint32_t n = wpp_grammar(whole)->n_terminals, *weights = calloc(n + (size_t)1, sizeof *weights), *ones;
    bool right = wpp_missing(part) == 0;

    ones = malloc((n + (size_t)1) * sizeof *ones);
    for (uint32_t i = 0; i < n; i++) {
        weights[i] = draw(r, 3) ? 0 : draw(r, 4);
        ones[i] = 1;
    }
    for (unsigned i = 0; right && i < 4; i++) {
        uint32_t thread = draw(r, 2) ? WPP_ALL_THREADS : draw(r, wpp_grammar(whole)->n_threads);
        bool weighted = draw(r, 2), all = i == 3;
        uint64_t want = all ? UINT64_MAX : draw(r, 1u << (1 + 4 * i));

        thread = all ? WPP_ALL_THREADS : thread;
        right = wpp_read_until(part, thread, weighted ? weights : NULL, want, NULL)
             && is_enough(part, weighted ? weights : ones, thread, want) && is_right(part, whole, weights, r);
        out->partial += wpp_events_read(part, 0) > 0
                     && wpp_events_read(part, 0) < wpp_thread(part, 0)->tokens;
        right = right && (!all || !part->reading);
    }
    out->wrong += !right;
    free(weights);
    free(ones);
}

/* Whether what is told of a part of the file is the same: counts need no grammar. */
static bool same_counts(const wpp *part, const wpp *whole)
{
    uint32_t n = wpp_grammar(whole)->n_terminals;
    uint64_t *a = malloc((n + (size_t)1) * sizeof *a), *b = malloc((n + (size_t)1) * sizeof *b);
    struct wpp_summary s, t;
    bool same;

    wpp_terminal_counts(part, a);
    wpp_terminal_counts(whole, b);
    wpp_get_summary(part, &s);
    wpp_get_summary(whole, &t);
    same = memcmp(a, b, n * sizeof *a) == 0 && s.n_rules == t.n_rules && s.rhs_symbols == t.rhs_symbols
        && s.tokens == t.tokens && s.longest_rule == t.longest_rule && s.n_segments == t.n_segments
        && wpp_present(part) == wpp_present(whole);
    free(a);
    free(b);
    return same;
}

static void test_files(unsigned n, uint32_t times, struct random *r)
{
    struct outcome out = {0};
    unsigned same = 0;

    for (unsigned i = 0; i < n; i++) {
        struct random_content *c = random_content(r, 1 + draw(r, RC_THREADS), 1 + draw(r, 1200));
        struct wpp_bytes code = {0}, file = {0};

        rc_words(c, r);
        lc_repeat(c, times);
        if (lc_encode(c, &code, &file)) {
            wpp *whole = wpp_open_memory(file.data, file.size, "random", NULL);
            wpp *part = wpp_open_memory_unread(file.data, file.size, "random", NULL);

            out.files++;
            out.wrong += !whole || !part || !part->reading;
            same += same_counts(part, whole);
            read_in_parts(part, whole, r, &out);
            wpp_close(part);
            wpp_close(whole);
        }
        wpp_bytes_free(&code);
        wpp_bytes_free(&file);
        random_content_free(c);
    }
    tap_ok(out.files > n / 2 && out.wrong == 0 && (times == 1 || out.partial > n / 2), "%u files: read in parts as whole, %u parts, %u wrong", out.files,
           out.partial, out.wrong);
    tap_ok(same == out.files, "counts need no grammar");
}

/* ---- What makes no sense --------------------------------------------------------------------------------- */

/* What is said of a file: the first damage, or "". */
static const char *said(const wpp *w)
{
    uint32_t n;
    const struct wpp_damage *d = wpp_damages(w, &n);

    return n > 0 ? d[0].text : "";
}

/* The code is changed before the file is made, so all checksums are right. */
static void test_nonsense(unsigned n, struct random *r)
{
    unsigned files = 0, told = 0, alike = 0;

    for (unsigned i = 0; i < n; i++) {
        struct random_content *c = random_content(r, 1 + draw(r, RC_THREADS), 200 + draw(r, 1200));
        struct wpp_bytes code = {0}, file = {0}, damaged = {0};

        if (lc_encode(c, &code, &file)) {
            struct wpp_error error = {0};
            wpp *part, *intact;
            bool done;

            for (unsigned k = 0; k < 3; k++)
                code.data[code.size / 2 + draw(r, (uint32_t)(code.size / 2))] ^= (uint8_t)(1 + draw(r, 255));
            wpp_content_encode(&c->content, &damaged, NULL);
            part = wpp_open_memory_unread(damaged.data, damaged.size, "random", &error);
            intact = wpp_open_memory_intact(damaged.data, damaged.size, "random", &error);
            done = wpp_read_until(part, 0, NULL, 1, &error) && wpp_read_until(part, WPP_ALL_THREADS, NULL, UINT64_MAX,
                                                                              &error);
            files++;
            told += done || (error.status == WPP_E_DAMAGED && (wpp_missing(part) & WPP_PART_GRAMMAR)
                             && wpp_events_read(part, 0) == 0 && !wpp_cursor_new(part, 0, 0)
                             && wpp_read_until(part, 0, NULL, 1, &error));
            alike += wpp_missing(part) == wpp_missing(intact)
                  && strcmp(said(part), said(intact)) == 0 && wpp_present(part) == wpp_present(intact);
            wpp_close(part);
            wpp_close(intact);
        }
        wpp_bytes_free(&code);
        wpp_bytes_free(&file);
        wpp_bytes_free(&damaged);
        random_content_free(c);
    }
    tap_ok(files > n / 2 && told == files, "nonsense is told when it is read (%u of %u)", told, files);
    tap_ok(alike == files, "as of a whole file (%u of %u)", alike, files);
}

/* ---- Files that are given ------------------------------------------------------------------------------------ */

static void test_given(const char *path, struct random *r)
{
    struct outcome out = {0};
    wpp *whole = wpp_open(path, NULL), *part = wpp_open_unread(path, NULL);

    if (!whole || !part) {
        tap_ok(false, "%s can be opened", path);
        return;
    }
    tap_ok(same_counts(part, whole), "%s: counts need no grammar", path);
    read_in_parts(part, whole, r, &out);
    tap_ok(out.wrong == 0, "%s: read in parts as whole, %u parts", path, out.partial);
    wpp_close(part);
    wpp_close(whole);
}

int main(int argc, char **argv)
{
    struct random r = {20261129};

    for (int i = 1; i < argc; i++)
        test_given(argv[i], &r);
    if (argc == 1) {
        test_files(300, 1, &r);
        test_files(20, 40, &r);
        test_nonsense(300, &r);
    }
    return tap_done();
}
