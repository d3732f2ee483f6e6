/* SPDX-License-Identifier: MIT */
#include "wpp/cli/runs-ranks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/base/json.h"
#include "wpp/base/names.h"
#include "wpp/cli/run-parting.h"
#include "wpp/cli/store-input.h"
#include "wpp/cli/tool.h"
#include "wpp/runs/novelty.h"
#include "wpp/runs/suspects-report.h"

static const char *const ways[] = {"the order of their paths", "their paths and which follow each other",
                                   "the paths that they executed"};

/* ---- The ranks ------------------------------------------------------------------------------ */

struct rank_id { int64_t rank, id; };
struct rank_list { struct rank_id *at; size_t n, capacity; };

static bool add_id(void *ctx, const struct stored_run *run, struct wpp_error *error)
{
    struct rank_list *list = ctx;

    /* A job's name may come again: the last run of each rank counts. */
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i].rank == run->rank) {
            list->at[i].id = run->id;
            return true;
        }
    if (list->n == list->capacity) {
        size_t n = 2 * list->capacity + 16;
        struct rank_id *larger = realloc(list->at, n * sizeof *larger);

        if (!larger)
            return wpp_fail_memory(error);
        list->at = larger;
        list->capacity = n;
    }
    list->at[list->n++] = (struct rank_id){run->rank, run->id};
    return true;
}

struct reading {
    struct run_store *store;
    struct run_ranks ranks;
    int64_t rank;              /* of the run that is read */
    uint32_t n_unusable;
};

static bool read_rank(void *ctx, const struct stored_run *run, struct wpp_error *error)
{
    struct reading *r = ctx;
    wpp **process = store_open_run(r->store, run, error);
    bool done;

    if (!process)
        return false;
    if (!store_run_is_usable(process, run->n_processes)) {
        r->n_unusable++;
        store_close_run(process, run->n_processes);
        return true;
    }
    done = ranks_add(&r->ranks, r->rank, run->id, process, run->n_processes, error);
    free(process);
    return done;
}

static void read_all(struct reading *r, const char *job)
{
    struct rank_list list = {0};
    struct wpp_error error;

    if (!run_store_walk(r->store, &(struct run_choice){.job = job}, add_id, &list, &error))
        tool_die_error(&error);
    if (list.n == 0)
        tool_die(TOOL_ERROR, "no run is of the job `%s`", job);
    for (size_t i = 0; i < list.n; i++) {
        r->rank = list.at[i].rank;
        if (!run_store_walk(r->store, &(struct run_choice){.ids = &list.at[i].id, .n_ids = 1}, read_rank, r,
                            &error))
            tool_die_error(&error);
    }
    if (r->n_unusable > 0)
        tool_warn("%u rank%s are left out: their paths are damaged", r->n_unusable,
                  r->n_unusable == 1 ? "" : "s");
    free(list.at);
}

/* ---- How a group differs ---------------------------------------------------------------------- */

/* A group, but the largest: one of its ranks beside the nearest one of the largest group. */
struct difference {
    int64_t rank, other;
    char *parting;             /* or NULL */
    char *news;                /* what it did first that no rank of the largest group did; or NULL */
    uint64_t event;            /* the event of that */
};

struct adding { struct run_store *store; struct suspects s; bool is_asked; };

static bool add_run(void *ctx, const struct stored_run *run, struct wpp_error *error)
{
    struct adding *a = ctx;
    wpp **process = store_open_run(a->store, run, error);
    bool done;

    if (!process)
        return false;
    done = suspects_add(&a->s, run->id, a->is_asked, process, run->n_processes, error);
    free(process);
    return done;
}

static void add_ids(struct adding *a, const int64_t *ids, size_t n, bool is_asked)
{
    struct wpp_error error;

    a->is_asked = is_asked;
    if (!run_store_walk(a->store, &(struct run_choice){.ids = ids, .n_ids = n}, add_run, a, &error))
        tool_die_error(&error);
}

/* Novelty of run i among the ranks of group 0, which are the first. */
static void find_news(struct run_store *store, const struct run_ranks *r, uint32_t i, struct difference *d)
{
    struct adding a = {.store = store};
    int64_t *ids = malloc((r->n + (size_t)1) * sizeof *ids);
    struct novelty found;
    struct wpp_error error;
    uint32_t n = 0;
    wpp *first;

    if (!ids)
        tool_die_of_memory();
    suspects_init(&a.s);
    for (; n < r->n && r->run[n].group == 0; n++)
        ids[n] = r->run[n].id;
    add_ids(&a, ids, n, false);
    add_ids(&a, &r->run[i].id, 1, true);
    first = store_open_first(store, r->run[i].id);
    if (!novelty_of(&a.s, first, &found, &error))
        tool_die_error(&error);
    if (found.n > 0) {
        size_t size;
        FILE *out = open_memstream(&d->news, &size);

        if (!out)
            tool_die_of_memory();
        predicate_put(out, &a.s.v, found.news[0].predicate);
        if (fclose(out) != 0)
            tool_die_of_memory();
        d->event = found.news[0].event;
    }
    novelty_free(&found);
    wpp_close(first);
    suspects_free(&a.s);
    free(ids);
}

/* The rank of group 0 that is nearest in number. */
static uint32_t nearest(const struct run_ranks *r, int64_t rank)
{
    uint32_t best = 0;

    for (uint32_t i = 0; i < r->n && r->run[i].group == 0; i++)
        if (llabs(r->run[i].rank - rank) < llabs(r->run[best].rank - rank))
            best = i;
    return best;
}

static struct difference difference_of(struct run_store *store, const struct run_ranks *r, uint32_t i)
{
    uint32_t other = nearest(r, r->run[i].rank);
    struct difference d = {.rank = r->run[i].rank, .other = r->run[other].rank,
                           .parting = run_parting(store, r->run[i].id, r->run[other].id)};

    find_news(store, r, i, &d);
    return d;
}

/* ---- Reports -------------------------------------------------------------------------------- */

static uint32_t group_end(const struct run_ranks *r, uint32_t first)
{
    uint32_t end = first;

    while (end < r->n && r->run[end].group == r->run[first].group)
        end++;
    return end;
}

/* `0-2 4-7` */
static void put_members(const struct run_ranks *r, uint32_t first, uint32_t end)
{
    for (uint32_t i = first, last; i < end; i = last + 1) {
        for (last = i; last + 1 < end && r->run[last + 1].rank == r->run[last].rank + 1;)
            last++;
        printf("%s%" PRId64, i > first ? " " : "", r->run[i].rank);
        if (last > i)
            printf("-%" PRId64, r->run[last].rank);
    }
}

static void put_difference(const struct difference *d)
{
    if (d->parting) {
        printf("       rank %" PRId64 " parts from rank %" PRId64 " ", d->rank, d->other);
        name_put(stdout, d->parting);
        putchar('\n');
    }
    if (!d->news)
        return;
    printf("       the first thing that no rank of group 1 did: ");
    name_put(stdout, d->news);
    if (d->event != UINT64_MAX)
        printf(", at event %s", tool_grouped(d->event));
    putchar('\n');
}

static void put_text(struct run_store *store, const struct run_ranks *r, const char *job)
{
    fputs("job ", stdout);
    name_put(stdout, job);
    printf(": %" PRIu32 " rank%s in %" PRIu32 " group%s by %s\n", r->n, r->n == 1 ? "" : "s", r->n_groups,
           r->n_groups == 1 ? "" : "s", ways[r->by]);
    for (uint32_t i = 0, end; i < r->n; i = end) {
        struct difference d = {0};

        end = group_end(r, i);
        printf("\ngroup %" PRIu32 ": %" PRIu32 " rank%s: ", r->run[i].group + 1, end - i,
               end - i == 1 ? "" : "s");
        put_members(r, i, end);
        printf("\n       rank %" PRId64 " is run %" PRId64 ", with %s events\n", r->run[i].rank, r->run[i].id,
               tool_grouped(r->run[i].events));
        if (i > 0)
            d = difference_of(store, r, i);
        put_difference(&d);
        free(d.parting);
        free(d.news);
    }
}

static void put_group_json(struct run_store *store, const struct run_ranks *r, uint32_t first, uint32_t end)
{
    struct difference d = {0};

    printf("%s\n    {\"ranks\": [", first ? "," : "");
    for (uint32_t i = first; i < end; i++)
        printf("%s{\"rank\": %" PRId64 ", \"run\": %" PRId64 ", \"events\": %" PRIu64 "}",
               i > first ? ", " : "", r->run[i].rank, r->run[i].id, r->run[i].events);
    putchar(']');
    if (first > 0)
        d = difference_of(store, r, first);
    if (d.parting) {
        printf(", \"rank\": %" PRId64 ", \"other\": %" PRId64 ", \"part\": ", d.rank, d.other);
        json_string(stdout, d.parting);
    }
    if (d.news) {
        printf(", \"first\": ");
        json_string(stdout, d.news);
        if (d.event != UINT64_MAX)
            printf(", \"event\": %" PRIu64, d.event);
    }
    putchar('}');
    free(d.parting);
    free(d.news);
}

static void put_json(struct run_store *store, const struct run_ranks *r, const char *job)
{
    printf("{\"job\": ");
    json_string(stdout, job);
    printf(", \"by\": \"%s\", \"groups\": [", ranks_by_names[r->by]);
    for (uint32_t i = 0, end; i < r->n; i = end) {
        end = group_end(r, i);
        put_group_json(store, r, i, end);
    }
    printf("\n]}\n");
}

void runs_ranks(struct run_store *s, const char *job, unsigned by, bool json)
{
    struct reading r = {.store = s};
    struct wpp_error error;
    char *last = NULL;

    if (!job && !(job = last = run_store_last_job(s, &error)))
        tool_die_error(&error);
    ranks_init(&r.ranks);
    read_all(&r, job);
    if (!ranks_group(&r.ranks, by < RANKS_WAYS ? (enum ranks_by)by : ranks_choose(&r.ranks)))
        tool_die_of_memory();
    (json ? put_json : put_text)(s, &r.ranks, job);
    ranks_free(&r.ranks);
    free(last);
}
