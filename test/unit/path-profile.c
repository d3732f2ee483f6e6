/* SPDX-License-Identifier: MIT */
/* Path profiles of random files, against the obvious programs: expanding the grammar, adding,
 * comparing and following paths one by one. */
#include "wpp/profile/path-profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "test/unit/random-content.h"
#include "test/unit/tap.h"
#include "wpp/profile/edge-prediction.h"
#include "wpp/profile/profile-diff.h"
#include "wpp/profile/profile-merge.h"
#include "wpp/profile/profile-sum.h"
#include "wpp/profile/profile-write.h"
#include "wpp/read/reader.h"

static wpp *open_bytes(struct wpp_bytes *file)
{
    struct wpp_error error;
    wpp *w = wpp_open_memory(file->data, file->size, "test", &error);

    if (!w)
        tap_note("%s", error.text);
    wpp_bytes_free(file);
    return w;
}

/* ---- Counts, by expanding the grammar ---------------------------------------------------- */

static uint64_t *expand_counts(const wpp *w)
{
    const struct wpp_grammar *g = wpp_grammar(w);
    uint64_t *counts = calloc(g->n_terminals + (size_t)1, sizeof *counts);

    for (uint32_t k = 0; k < g->n_threads; k++) {
        uint64_t n = g->length[g->n_rules + k];
        uint32_t *events = malloc((n + 1) * sizeof *events), *end = events;

        rc_expand(g, g->n_rules + k, &end);
        for (uint64_t i = 0; i < n; i++)
            counts[events[i]]++;
        free(events);
    }
    return counts;
}

static bool is_counted(const struct path_profile *p, const uint64_t *counts)
{
    uint64_t all = 0, unread = 0;
    uint32_t n = 0;

    for (uint32_t r = 0; r < p->n_routines; r++) {
        uint64_t entered = 0, count = 0;
        double cost = 0;
        uint32_t paths = 0;

        for (uint32_t t = 0; t < p->w->n_terminals; t++) {
            const struct wpp_terminal *x = wpp_terminal(p->w, t);

            if (x->routine != r || counts[t] == 0)
                continue;
            paths++;
            count += counts[t];
            entered += x->enters ? counts[t] : 0;
            cost += (double)(counts[t] * x->insns);
        }
        if (p->routine[r].n != paths || p->routine[r].count != count || p->routine[r].cost != cost
            || p->routine[r].entered != entered || (paths > 0 && p->routine[r].first != n))
            return false;
        for (uint32_t i = n; i < n + paths; i++)
            if (p->path[i].routine != r || p->path[i].count != counts[p->path[i].terminal]
                || (i > n && wpp_terminal(p->w, p->path[i - 1].terminal)->path
                                 >= wpp_terminal(p->w, p->path[i].terminal)->path))
                return false;
        n += paths;
        all += count;
    }
    for (uint32_t t = 0; t < p->w->n_terminals; t++)
        if (wpp_terminal(p->w, t)->routine == WPP_NO_ROUTINE && !wpp_terminal(p->w, t)->control)
            unread += counts[t];
    return p->n_paths == n && p->count == all && p->unread == unread;
}

/* Random tokens may stand for one path twice; a program's do not. */
static bool has_twice(const wpp *w)
{
    for (uint32_t t = 0; t < w->n_terminals; t++)
        for (uint32_t u = 0; u < t; u++)
            if (wpp_terminal(w, t)->token == wpp_terminal(w, u)->token)
                return true;
    return false;
}

/* The file that is written of w has the same count for each token, but for control words. */
static bool is_written(const wpp *w, const uint64_t *counts)
{
    struct wpp_bytes file = {0};
    uint64_t *written;
    uint32_t n = 0, found = 0;
    struct wpp_summary run;
    bool same;
    wpp *p;

    if (!profile_write(w, &file, NULL) || !(p = open_bytes(&file)))
        return false;
    wpp_get_summary(p, &run);
    same = run.is_profile && run.runs == 1 && run.profile_kind == WPP_PROFILE_CUT_PATHS;
    written = calloc(run.n_terminals + (size_t)1, sizeof *written);
    wpp_terminal_counts(p, written);
    for (uint32_t t = 0; t < w->n_terminals; t++) {
        n += counts[t] > 0 && !wpp_terminal(w, t)->control;
        for (uint32_t u = 0; u < run.n_terminals; u++)
            found += wpp_terminal(p, u)->token == wpp_terminal(w, t)->token
                  && wpp_terminal(p, u)->path == wpp_terminal(w, t)->path
                  && written[u] == counts[t];
    }
    free(written);
    wpp_close(p);
    return same && n == run.n_terminals && found == n;
}

static void test_counts(void)
{
    struct random r = {4};
    unsigned wrong = 0, unwritten = 0, written = 0;

    for (unsigned i = 0; i < 400; i++) {
        struct random_content *c = random_content(&r, 1 + i % RC_THREADS, 2 + draw(&r, 60));
        wpp *w = rc_open(c, NULL);
        struct path_profile p = {0};
        uint64_t *counts = expand_counts(w);

        if (!has_twice(w)) {
            wrong += !path_profile_new(&p, w) || !is_counted(&p, counts);
            unwritten += !is_written(w, counts);
            written++;
        }
        free(counts);
        path_profile_free(&p);
        wpp_close(w);
        random_content_free(c);
    }
    tap_ok(wrong == 0, "counts are those of the expanded grammar (%u files)", written);
    tap_ok(unwritten == 0, "and so are those of the files that are written of it");
    tap_ok(written > 100, "%u files have each path once", written);
}

/* ---- Runs of one program ----------------------------------------------------------------- */

enum { RUNS = 3 };

/* What has become of a routine since the other runs' build. */
enum change { AS_IT_WAS, OTHER_COST, MOVED };

static void change_routine(struct wpp_routine *x, enum change change)
{
    if (change == OTHER_COST)
        ((struct wpp_block *)x->blocks)[2].insns += 7;
    x->line += change == MOVED ? 5 : 0;
    for (uint32_t b = 0; change == MOVED && b < x->n_blocks; b++)
        for (uint32_t i = 0; i < x->blocks[b].n_lines; i++)
            ((struct wpp_line *)x->blocks[b].lines)[i].line += 5;
}

static wpp *one_run(uint64_t seed, struct random *r, enum change change)
{
    static const char *const names[RC_ROUTINES] = {
        "main", "insert", "_ZN4heap4siftEv", "x", "y", "z"
    };
    struct random same = {seed};
    struct random_content *c = random_content(&same, 2, 40);
    wpp *w;

    for (uint32_t i = 0; i < c->content.n_routines; i++)
        c->descriptions[i].name = names[i];
    if (c->content.n_routines > 0)
        change_routine(&c->descriptions[0], change);
    rc_drop(c, r, 3);
    rc_profile(c, r);
    for (uint32_t t = 0; t < c->n_terminals; t++)
        c->counts[t] = 1 + draw(r, 1000);
    c->content.run.profile_kind = WPP_PROFILE_PATHS;
    c->content.run.runs = 1 + draw(r, 4);
    w = rc_open(c, NULL);
    random_content_free(c);
    return w;
}

/* `moved`: it may have another line. */
static bool is_same_routine(const wpp *v, uint32_t i, const wpp *w, uint32_t k, bool moved)
{
    const struct wpp_routine *a = wpp_routine(v, i), *b = wpp_routine(w, k);

    return strcmp(a->name, b->name) == 0 && (moved || a->line == b->line)
        && a->num_paths == b->num_paths && strcmp(a->module, b->module) == 0 && a->blocks[2].insns == b->blocks[2].insns;
}

/* Executions of a path of routine `of` of w; 0: it was not executed. */
static uint64_t count_in(const wpp *w, const wpp *of_w, uint32_t of, uint64_t path, bool moved)
{
    uint64_t *counts = calloc(w->n_terminals + (size_t)1, sizeof *counts), found = 0;

    wpp_terminal_counts(w, counts);
    for (uint32_t t = 0; t < w->n_terminals; t++) {
        const struct wpp_terminal *x = wpp_terminal(w, t);

        if (x->routine != WPP_NO_ROUTINE && x->path == path
            && is_same_routine(w, x->routine, of_w, of, moved))
            found += counts[t];
    }
    free(counts);
    return found;
}

/* Each path of one run is in the sum, with all runs' executions; and nothing else is. */
static bool is_sum(const wpp *sum, wpp *const *run)
{
    uint64_t *counts = calloc(sum->n_terminals + (size_t)1, sizeof *counts), all = 0, own = 0;
    bool same = true;

    wpp_terminal_counts(sum, counts);
    for (uint32_t t = 0; t < sum->n_terminals; t++) {
        const struct wpp_terminal *x = wpp_terminal(sum, t);
        uint64_t n = 0;

        for (unsigned i = 0; i < RUNS; i++)
            n += count_in(run[i], sum, x->routine, x->path, false);
        same = same && n == counts[t];
        own += counts[t];
    }
    for (unsigned i = 0; i < RUNS; i++) {
        struct path_profile p;

        if (!path_profile_new(&p, run[i]))
            abort();
        all += p.count;
        path_profile_free(&p);
    }
    free(counts);
    return same && all == own && sum->summary.tokens == all;
}

static wpp *merge(wpp *const *run, uint32_t n, struct profile_merged *merged)
{
    struct profile_input inputs[RUNS];
    struct wpp_bytes file = {0};
    struct wpp_error error;

    for (uint32_t i = 0; i < n; i++)
        inputs[i] = (struct profile_input){run[i], "a run"};
    if (!profile_merge(inputs, n, &file, merged, &error)) {
        tap_note("%s", error.text);
        return NULL;
    }
    return open_bytes(&file);
}

static bool same_file(const wpp *a, const wpp *b)
{
    struct wpp_bytes x = {0}, y = {0};
    bool same = profile_write(a, &x, NULL) && profile_write(b, &y, NULL) && x.size == y.size
             && memcmp(x.data, y.data, x.size) == 0;

    wpp_bytes_free(&x);
    wpp_bytes_free(&y);
    return same;
}

static const char *const changes[] = {
    "one build", "another build", "another build in which it has moved"
};

static void test_merge(enum change change)
{
    struct random r = {7 + change};
    unsigned wrong = 0, apart = 0, unequal = 0, changed = 0;

    for (uint64_t seed = 1; seed <= 60; seed++) {
        wpp *run[RUNS], *sum, *part, *again;
        struct profile_merged merged, ignored;
        uint64_t runs = 0;

        for (unsigned i = 0; i < RUNS; i++) {
            run[i] = one_run(1000 + seed, &r, i == RUNS - 1 ? change : AS_IT_WAS);
            runs += run[i]->summary.runs;
        }
        sum = merge(run, RUNS, &merged);
        wrong += !sum || !is_sum(sum, run) || sum->summary.runs != runs;
        changed += merged.n_apart > 0;
        apart += merged.n_apart > 1 || (merged.n_apart > 0) != (merged.apart != NULL)
              || (!change && merged.n_apart > 0);
        part = merge(run, RUNS - 1, &ignored);
        again = merge((wpp *[]){part, run[RUNS - 1]}, 2, &ignored);
        unequal += !again || !same_file(sum, again);
        for (unsigned i = 0; i < RUNS; i++)
            wpp_close(run[i]);
        wpp_close(sum);
        wpp_close(part);
        wpp_close(again);
    }
    tap_ok(wrong == 0, "%s: the sum has all runs' executions of each path", changes[change]);
    tap_ok(unequal == 0, "a sum of sums is the same file");
    if (change)
        tap_ok(apart == 0 && changed > 30, "a routine that differs is kept apart (%u of 60)",
               changed);
    else
        tap_ok(apart == 0, "nothing is kept apart");
}

static void test_refusals(void)
{
    struct random r = {15};
    wpp *a = one_run(5, &r, AS_IT_WAS), *b = one_run(5, &r, AS_IT_WAS);
    struct wpp_bytes file = {0};
    struct profile_merged merged;
    struct wpp_error error;

    b->summary.profile_kind = WPP_PROFILE_EDGES;
    tap_ok(!profile_merge((struct profile_input[]){{a, "a"}, {b, "b"}}, 2, &file, &merged, &error)
               && error.status == WPP_E_ARGUMENT,
           "paths and edges are not summed");
    wpp_bytes_free(&file);
    wpp_close(a);
    wpp_close(b);
}

/* ---- Sums that are added to ---------------------------------------------------------------- */

enum { MANY = 2 * PROFILE_SUM_WAITING + 5 };

/* Adds runs `from` to `to` to the file, as one recorder does. */
static bool add_runs(const char *path, wpp *const *run, unsigned from, unsigned to)
{
    struct profile_sum sum;
    struct wpp_error error;
    bool done = profile_sum_begin(&sum, path, &error);

    for (unsigned i = from; done && i < to; i++) {
        struct wpp_bytes file = {0};

        done = profile_write(run[i], &file, &error) && profile_sum_add(&sum, &file, "a run", &error);
    }
    done = done && profile_sum_store(&sum, NULL, &error);
    if (!done)
        tap_note("%s", error.text);
    profile_sum_free(&sum);
    return done;
}

static bool same_as(const char *path, const struct wpp_bytes *want)
{
    struct wpp_bytes file = {0};
    bool same = wpp_read_file(path, &file, NULL) && file.size == want->size
             && memcmp(file.data, want->data, file.size) == 0;

    wpp_bytes_free(&file);
    return same;
}

static void test_added(void)
{
    char folder[] = "/tmp/wpp-sum.XXXXXX", path[64], lock[64];
    struct random r = {99};
    struct profile_input inputs[MANY];
    struct profile_merged merged;
    struct wpp_bytes all = {0};
    wpp *run[MANY];

    if (!mkdtemp(folder))
        abort();
    snprintf(path, sizeof path, "%s/sum", folder);
    snprintf(lock, sizeof lock, "%s/.sum.lock", folder);
    for (unsigned i = 0; i < MANY; i++) {
        run[i] = one_run(1000, &r, i % 7 == 6 ? OTHER_COST : AS_IT_WAS);
        inputs[i] = (struct profile_input){run[i], "a run"};
    }
    if (!profile_merge(inputs, MANY, &all, &merged, NULL))
        abort();
    tap_ok(add_runs(path, run, 0, MANY) && same_as(path, &all),
           "%u runs that are added one by one are their sum, byte for byte", MANY);
    unlink(path);
    tap_ok(add_runs(path, run, 0, 3) && add_runs(path, run, 3, 3) && add_runs(path, run, 3, 4)
               && add_runs(path, run, 4, MANY) && same_as(path, &all),
           "so they are if several recorders add them");
    wpp_bytes_free(&all);
    for (unsigned i = 0; i < MANY; i++)
        wpp_close(run[i]);
    unlink(path);
    unlink(lock);
    tap_ok(rmdir(folder) == 0, "nothing else is left");
}

/* ---- Differences ------------------------------------------------------------------------- */

static bool is_diff(const struct profile_diff *d, wpp *const *side)
{
    uint64_t sum[2] = {0, 0};
    bool same = true;

    for (uint32_t i = 0; same && i < d->n_paths; i++) {
        const struct diff_path *p = &d->path[i];
        unsigned any = p->terminal[DIFF_B] == DIFF_NONE ? DIFF_A : DIFF_B;
        const struct wpp_terminal *t = wpp_terminal(side[any], p->terminal[any]);

        for (unsigned s = 0; s < 2; s++) {
            same = same && p->count[s] == count_in(side[s], side[any], t->routine, t->path, true)
                && (p->count[s] > 0) == (p->terminal[s] != DIFF_NONE);
            sum[s] += p->count[s];
        }
    }
    return same && sum[DIFF_A] == d->side[DIFF_A]->count && sum[DIFF_B] == d->side[DIFF_B]->count;
}

static bool is_overlap(const struct profile_diff *d)
{
    for (unsigned s = 0; s < 2; s++) {
        uint64_t common = 0, executions = 0;
        double cost = 0;

        for (uint32_t i = 0; i < d->n_paths; i++)
            if (d->path[i].count[DIFF_A] && d->path[i].count[DIFF_B]) {
                common++;
                executions += d->path[i].count[s];
                cost += (double)(d->path[i].count[s]
                                 * wpp_terminal(d->side[s]->w, d->path[i].terminal[s])->insns);
            }
        if (d->overlap[s].common_paths != common || d->overlap[s].common_count != executions
            || d->overlap[s].common_cost != cost || d->overlap[s].paths != d->side[s]->n_paths
            || d->overlap[s].count != d->side[s]->count)
            return false;
    }
    return true;
}

static bool is_equal(const struct path_profile *p)
{
    struct profile_diff d;
    bool same = profile_diff_new(&d, p, p);

    for (uint32_t i = 0; same && i < d.n_paths; i++)
        same = diff_distance(d.path[i].count) == 0;
    same = same && d.n_changed == 0 && d.n_paths == p->n_paths;
    profile_diff_free(&d);
    return same;
}

static void test_diff(enum change change)
{
    struct random r = {31 + change};
    unsigned wrong = 0, overlap = 0, unequal = 0, changed = 0, several = 0;

    for (uint64_t seed = 1; seed <= 60; seed++) {
        wpp *side[2] = {one_run(2000 + seed, &r, AS_IT_WAS), one_run(2000 + seed, &r, change)};
        struct path_profile p[2];
        struct profile_diff d = {0};

        if (!path_profile_new(&p[0], side[0]) || !path_profile_new(&p[1], side[1])
            || !profile_diff_new(&d, &p[0], &p[1]))
            abort();
        wrong += !is_diff(&d, side);
        overlap += !is_overlap(&d);
        unequal += !is_equal(&p[0]) || !is_equal(&p[1]);
        changed += d.n_changed == 1;
        several += d.n_changed > (change == OTHER_COST);
        profile_diff_free(&d);
        for (unsigned s = 0; s < 2; s++) {
            path_profile_free(&p[s]);
            wpp_close(side[s]);
        }
    }
    tap_ok(wrong == 0, "%s: the difference has both sides' executions of each path",
           changes[change]);
    tap_ok(overlap == 0, "and what they have in common");
    tap_ok(unequal == 0, "a profile does not differ from itself");
    tap_ok(several == 0 && (change == OTHER_COST ? changed > 30 : changed == 0),
           "%u of 60 have a routine that has changed", changed);
}

/* ---- Prediction -------------------------------------------------------------------------- */

/* Executions of edge e of a routine. */
static uint64_t edge_count(const struct path_profile *p, uint32_t routine, uint32_t e)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < p->n_paths; i++) {
        const struct wpp_terminal *t = wpp_terminal(p->w, p->path[i].terminal);

        for (uint32_t k = 0; p->path[i].routine == routine && k < t->n_edges; k++)
            n += t->edges[k] == e ? p->path[i].count : 0;
    }
    return n;
}

/* How many edges of the path a walk along the most frequent edges takes, too. */
static uint32_t follow(const struct path_profile *p, const struct profile_path *x)
{
    const struct wpp_routine *g = wpp_routine(p->w, x->routine);
    const struct wpp_terminal *t = wpp_terminal(p->w, x->terminal);

    for (uint32_t i = 1; i < t->n_edges; i++) {
        uint64_t own = edge_count(p, x->routine, t->edges[i]);

        for (uint32_t e = 0; e < g->n_edges; e++)
            if (g->edges[e].src == g->edges[t->edges[i]].src && edge_count(p, x->routine, e) > own)
                return i - 1;
    }
    return t->n_edges - 1;
}

static bool is_predicted(const struct edge_prediction *e, unsigned *whole)
{
    const struct path_profile *p = e->p;
    double edges = 0;

    for (uint32_t i = 0; i < p->n_paths; i++) {
        const struct predicted_path *x = &e->path[i];
        const struct wpp_terminal *t = wpp_terminal(p->w, p->path[i].terminal);
        uint32_t n = follow(p, &p->path[i]);
        uint64_t insns = 0;

        for (uint32_t k = 0; k < n; k++)
            insns += wpp_routine(p->w, t->routine)->blocks[t->blocks[k]].insns;
        if (x->edges != n || x->whole != (n == t->n_edges - 1)
            || x->insns != (x->whole ? t->insns : insns)
            || x->bounds.definite > p->path[i].count || x->bounds.potential < p->path[i].count)
            return false;
        *whole += x->whole;
        edges += (double)(p->path[i].count * n);
    }
    return e->all.predicted_edges == edges && e->all.paths == p->n_paths;
}

static void test_prediction(void)
{
    struct random r = {99};
    unsigned wrong = 0, whole = 0, paths = 0;

    for (uint64_t seed = 1; seed <= 60; seed++) {
        wpp *w = one_run(3000 + seed, &r, AS_IT_WAS);
        struct path_profile p;
        struct edge_prediction e;

        if (!path_profile_new(&p, w) || !edge_prediction_new(&e, &p))
            abort();
        wrong += !is_predicted(&e, &whole);
        paths += p.n_paths;
        edge_prediction_free(&e);
        path_profile_free(&p);
        wpp_close(w);
    }
    tap_ok(wrong == 0, "paths are predicted as far as a walk along the most frequent edges goes");
    tap_ok(whole > 0 && whole < paths, "%u of %u to their end", whole, paths);
}

int main(void)
{
    test_counts();
    for (enum change change = AS_IT_WAS; change <= MOVED; change++)
        test_merge(change);
    test_refusals();
    test_added();
    for (enum change change = AS_IT_WAS; change <= MOVED; change++)
        test_diff(change);
    test_prediction();
    return tap_done();
}
