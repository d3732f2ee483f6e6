/* SPDX-License-Identifier: MIT */
#include "wpp/runs/suspects.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"

#define NONE UINT32_MAX

void suspects_init(struct suspects *s)
{
    *s = (struct suspects){0};
    vocabulary_init(&s->v);
}

void suspects_free(struct suspects *s)
{
    for (uint32_t i = 0; i < s->n_runs; i++) {
        free(s->run[i].path);
        free(s->run[i].fact);
        free(s->run[i].span);
    }
    free(s->run);
    free(s->count);
    free(s->record);
    run_facts_free(&s->facts);
    vocabulary_free(&s->v);
    for (uint32_t i = 0; i < s->n_witnesses; i++)
        wpp_close(s->witness[i]);
    free(s->witness);
    *s = (struct suspects){0};
}

/* ---- Adding --------------------------------------------------------------------------------- */

static bool keep_witness(struct suspects *s, wpp *w)
{
    if (s->n_witnesses == s->witness_capacity) {
        uint32_t n = 2 * s->witness_capacity + 16;
        wpp **larger = realloc(s->witness, n * sizeof *larger);

        if (!larger)
            return false;
        s->witness = larger;
        s->witness_capacity = n;
    }
    s->witness[s->n_witnesses++] = w;
    return true;
}

static bool make_counts(struct suspects *s)
{
    struct predicate_count *larger;
    uint32_t n = s->v.capacity;

    if (s->v.n <= s->n_counts)
        return true;
    larger = realloc(s->count, n * sizeof *larger);
    if (!larger)
        return false;
    memset(larger + s->n_counts, 0, (n - s->n_counts) * sizeof *larger);
    s->count = larger;
    s->n_counts = n;
    return true;
}

/* Sums of these are the same for the same sets of runs, and for no others but by chance. */
static uint64_t hash_run(uint32_t run)
{
    uint64_t h = (run + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);

    h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 31;
}

static void count(struct suspects *s, uint32_t predicate, uint32_t run)
{
    struct predicate_count *c = &s->count[predicate];

    *(s->run[run].fails ? &c->fail : &c->pass) += 1;
    c->set += hash_run(run);
}

static int compare_numbers(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return a < b ? -1 : a > b;
}

static bool keep_paths(struct suspects *s, struct suspect_run *run)
{
    const struct run_facts *f = &s->facts;

    run->path = malloc((f->n + (size_t)1) * sizeof *run->path);
    if (!run->path)
        return false;
    for (uint32_t i = 0; i < f->n; i++)
        if (s->v.predicate[f->predicate[i]].kind == PREDICATE_PATH)
            run->path[run->n_paths++] = s->v.path_of[f->predicate[i]];
    qsort(run->path, run->n_paths, sizeof *run->path, compare_numbers);
    return true;
}

static bool keep_facts(struct suspects *s, struct suspect_run *run)
{
    const struct run_facts *f = &s->facts;

    run->span = malloc((f->n_spans + (size_t)1) * sizeof *run->span);
    if (!run->span)
        return false;
    memcpy(run->span, f->span, f->n_spans * sizeof *run->span);
    run->n_spans = f->n_spans;
    run->n_threads = f->n_threads;
    if (!run->fails)
        return true;
    run->fact = malloc((f->n + (size_t)1) * sizeof *run->fact);
    if (!run->fact)
        return false;
    memcpy(run->fact, f->predicate, f->n * sizeof *run->fact);
    run->n_facts = f->n;
    qsort(run->fact, run->n_facts, sizeof *run->fact, compare_numbers);
    return true;
}

static bool keep_loops(struct suspects *s, uint32_t run)
{
    const struct run_facts *f = &s->facts;

    if (s->n_records + f->n_loops > s->record_capacity) {
        size_t n = 2 * (s->n_records + f->n_loops);
        struct loop_record *larger = realloc(s->record, n * sizeof *larger);

        if (!larger)
            return false;
        s->record = larger;
        s->record_capacity = n;
    }
    for (uint32_t i = 0; i < f->n_loops; i++)
        s->record[s->n_records++] = (struct loop_record){f->loop[i].header, run, f->loop[i].most};
    return true;
}

static bool make_run(struct suspects *s, int64_t id, bool fails)
{
    if (s->n_runs == s->run_capacity) {
        uint32_t n = 2 * s->run_capacity + 64;
        struct suspect_run *larger = realloc(s->run, n * sizeof *larger);

        if (!larger)
            return false;
        s->run = larger;
        s->run_capacity = n;
    }
    s->run[s->n_runs++] = (struct suspect_run){.id = id, .fails = fails, .events = s->facts.events};
    *(fails ? &s->n_fail : &s->n_pass) += 1;
    return true;
}

static bool take_facts(struct suspects *s, int64_t id, bool fails)
{
    uint32_t run = s->n_runs;

    if (!make_counts(s) || !make_run(s, id, fails))
        return false;
    for (uint32_t i = 0; i < s->facts.n; i++)
        count(s, s->facts.predicate[i], run);
    return keep_paths(s, &s->run[run]) && keep_facts(s, &s->run[run]) && keep_loops(s, run);
}

bool suspects_add(struct suspects *s, int64_t id, bool fails, wpp **process, uint32_t n,
                  struct wpp_error *error)
{
    bool done = true;

    run_facts_begin(&s->facts);
    for (uint32_t i = 0; i < n; i++) {
        bool kept = false;

        if (done)
            done = run_facts_of(&s->facts, &s->v, process[i], &kept, error);
        if (!kept)
            wpp_close(process[i]);
        else if (!keep_witness(s, process[i]))
            done = wpp_fail_memory(error);
    }
    return done && (take_facts(s, id, fails) || wpp_fail_memory(error));
}

/* ---- What only all runs show ---------------------------------------------------------------- */

static bool add_fact(struct suspect_run *run, uint32_t predicate)
{
    uint32_t *larger = realloc(run->fact, (run->n_facts + (size_t)1) * sizeof *larger);

    if (!larger)
        return false;
    assert(run->n_facts == 0 || larger[run->n_facts - 1] < predicate);
    larger[run->n_facts++] = predicate;
    run->fact = larger;
    return true;
}

bool suspects_add_late(struct suspects *s, struct predicate p, const bool *is_true,
                       uint32_t *predicate)
{
    *predicate = vocabulary_predicate(&s->v, p);
    if (s->v.failed || !make_counts(s))
        return false;
    for (uint32_t r = 0; r < s->n_runs; r++) {
        if (!is_true[r])
            continue;
        count(s, *predicate, r);
        if (s->run[r].fails && !add_fact(&s->run[r], *predicate))
            return false;
    }
    return true;
}

static int compare_records(const void *left, const void *right)
{
    const struct loop_record *a = left, *b = right;

    if (a->header != b->header)
        return a->header < b->header ? -1 : 1;
    if (a->most != b->most)
        return a->most > b->most ? -1 : 1;
    return a->run < b->run ? -1 : a->run > b->run;
}

/* Whether a is a better threshold than b: by the scores, as the ranking has them. */
static bool is_better(const struct suspicion *a, const struct suspicion *b)
{
    if (a->importance != b->importance)
        return a->importance > b->importance;
    return a->ochiai > b->ochiai;
}

/* Of one loop's records, the largest first: finds how many of them are to be at or above the
 * threshold.  0: none of the thresholds tells runs apart. */
static size_t best_threshold(const struct suspects *s, const struct loop_record *record, size_t n)
{
    struct run_counts_of c = {0};
    struct suspicion best = {0};
    size_t found = 0;

    for (size_t i = 0; i < n; i++)
        *(s->run[record[i].run].fails ? &c.seen_fail : &c.seen_pass) += 1;
    for (size_t i = 0; i < n; i++) {
        struct suspicion now;

        *(s->run[record[i].run].fails ? &c.fail : &c.pass) += 1;
        if (i + 1 == n || record[i + 1].most == record[i].most || record[i].most > UINT32_MAX)
            continue;
        now = suspicion_of(c, s->n_fail, s->n_pass);
        if (found > 0 && !is_better(&now, &best))
            continue;
        best = now;
        found = i + 1;
    }
    return found;
}

static bool add_loop(struct suspects *s, const struct loop_record *record, size_t n, bool *is_true)
{
    const struct predicate *header = &s->v.predicate[record->header];
    size_t above = best_threshold(s, record, n);
    uint32_t predicate;

    if (above == 0)
        return true;
    memset(is_true, 0, s->n_runs);
    for (size_t i = 0; i < above; i++)
        is_true[record[i].run] = true;
    return suspects_add_late(s, (struct predicate){
        .kind = PREDICATE_LOOP, .x = header->x, .y = header->y, .z = (uint32_t)record[above - 1].most,
        .site = record->header}, is_true, &predicate);
}

bool suspects_end(struct suspects *s, bool orders)
{
    bool *is_true = malloc(s->n_runs + (size_t)1);
    bool done = is_true != NULL;

    qsort(s->record, s->n_records, sizeof *s->record, compare_records);
    for (size_t i = 0, end; done && i < s->n_records; i = end) {
        for (end = i + 1; end < s->n_records && s->record[end].header == s->record[i].header; end++)
            ;
        done = add_loop(s, s->record + i, end - i, is_true);
    }
    free(is_true);
    return done && (!orders || suspects_add_orders(s));
}

/* ---- Ranking -------------------------------------------------------------------------------- */

struct run_counts_of suspects_counts(const struct suspects *s, uint32_t predicate)
{
    const struct predicate_count *c = &s->count[predicate];
    const struct predicate_count *site = &s->count[s->v.predicate[predicate].site];

    return (struct run_counts_of){c->fail, c->pass, site->fail, site->pass};
}

/* Rounded, so that equal scores are equal though they were computed from different numbers. */
static double score_of(const struct suspicion *s, enum suspect_sort sort)
{
    const double digits = 1e12;
    double score = sort == SUSPECT_OCHIAI                ? s->ochiai
                   : sort == SUSPECT_TARANTULA           ? s->tarantula
                   : sort == SUSPECT_IMPORTANCE          ? s->importance
                   : s->increase > s->increase_error     ? s->increase
                                                         : 0;

    return round(score * digits) / digits;
}

/* By score; those of one score by how much else speaks for them, then the simplest first. */
struct ordering { const struct suspects *s; };

static int compare_suspects(const void *left, const void *right, void *ctx)
{
    const struct suspect *a = left, *b = right;
    const struct vocabulary *v = &((const struct ordering *)ctx)->s->v;
    uint32_t kind_a = v->predicate[a->predicate].kind, kind_b = v->predicate[b->predicate].kind;

    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    if (a->by.ochiai != b->by.ochiai)
        return a->by.ochiai > b->by.ochiai ? -1 : 1;
    if (a->by.increase != b->by.increase)
        return a->by.increase > b->by.increase ? -1 : 1;
    if (kind_a != kind_b)
        return kind_a < kind_b ? -1 : 1;
    return a->predicate < b->predicate ? -1 : a->predicate > b->predicate;
}

/* How many of the failing runs that still count each predicate is true of.  NULL: no memory. */
static uint32_t *count_unexplained(const struct suspects *s, const bool *explained, uint32_t *fails)
{
    uint32_t *fail = calloc(s->v.n + (size_t)1, sizeof *fail);

    *fails = 0;
    for (uint32_t r = 0; fail && r < s->n_runs; r++) {
        if (!s->run[r].fails || explained[r])
            continue;
        *fails += 1;
        for (uint32_t i = 0; i < s->run[r].n_facts; i++)
            fail[s->run[r].fact[i]]++;
    }
    return fail;
}

/* Keeps the first of those that are true of the same runs. */
static bool collapse(struct ranking *r)
{
    size_t n_slots = 16, n = 0;
    uint32_t *slots;

    while (n_slots < 2 * r->n)
        n_slots *= 2;
    slots = calloc(n_slots, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < r->n; i++) {
        size_t s = r->suspect[i].set & (n_slots - 1);

        while (slots[s] && r->suspect[slots[s] - 1].set != r->suspect[i].set)
            s = (s + 1) & (n_slots - 1);
        if (slots[s]) {
            r->suspect[slots[s] - 1].others++;
            continue;
        }
        r->suspect[n] = r->suspect[i];
        slots[s] = (uint32_t)++n;
    }
    r->n = n;
    free(slots);
    return true;
}

static void number(struct ranking *r)
{
    for (size_t i = 0; i < r->n; i++)
        r->suspect[i].rank = i > 0 && r->suspect[i].score == r->suspect[i - 1].score
                                 ? r->suspect[i - 1].rank : (uint32_t)i + 1;
}

static void take_all(const struct suspects *s, const struct suspect_request *request,
                     const uint32_t *fail, uint32_t n_fail, struct ranking *out)
{
    for (uint32_t p = 0; p < s->v.n; p++) {
        uint32_t kind = s->v.predicate[p].kind;
        struct run_counts_of n;
        struct suspect x = {.predicate = p, .set = s->count[p].set};

        if (kind >= PREDICATE_KINDS || !(request->kinds >> kind & 1))
            continue;
        n = suspects_counts(s, p);
        if (fail) {
            n.fail = fail[p];
            n.seen_fail = fail[s->v.predicate[p].site];
        }
        out->n_predicates += n.fail > 0;
        x.by = suspicion_of(n, n_fail, s->n_pass);
        x.score = score_of(&x.by, request->sort);
        if (x.score > 0 || request->all)
            out->suspect[out->n++] = x;
    }
}

bool suspects_rank(const struct suspects *s, const struct suspect_request *request,
                   const bool *explained, struct ranking *out)
{
    uint32_t n_fail = s->n_fail, *fail = NULL;
    bool done;

    *out = (struct ranking){0};
    if (explained && !(fail = count_unexplained(s, explained, &n_fail)))
        return false;
    out->suspect = malloc((s->v.n + (size_t)1) * sizeof *out->suspect);
    done = out->suspect != NULL;
    if (done) {
        take_all(s, request, fail, n_fail, out);
        qsort_r(out->suspect, out->n, sizeof *out->suspect, compare_suspects,
                &(struct ordering){s});
        done = request->all || collapse(out);
        number(out);
    }
    free(fail);
    if (!done)
        ranking_free(out);
    return done;
}

void ranking_free(struct ranking *r)
{
    free(r->suspect);
    *r = (struct ranking){0};
}

bool suspect_is_true(const struct suspect_run *run, uint32_t predicate)
{
    return run->n_facts > 0 && bsearch(&predicate, run->fact, run->n_facts, sizeof *run->fact,
                                       compare_numbers);
}

/* Explains the failing runs in which it is true; returns how many are left. */
static uint32_t explain(const struct suspects *s, uint32_t predicate, bool *explained)
{
    uint32_t left = 0;

    for (uint32_t r = 0; r < s->n_runs; r++) {
        if (!s->run[r].fails)
            continue;
        explained[r] = explained[r] || suspect_is_true(&s->run[r], predicate);
        left += !explained[r];
    }
    return left;
}

bool suspects_eliminate(const struct suspects *s, const struct suspect_request *request, size_t most,
                        struct ranking *out)
{
    bool *explained = calloc(s->n_runs + (size_t)1, sizeof *explained);
    uint32_t left = s->n_fail;
    struct ranking round;
    bool done = true;

    *out = (struct ranking){.suspect = malloc((s->n_fail + (size_t)1) * sizeof *out->suspect)};
    done = explained && out->suspect;
    while (done && left > 0 && out->n < most) {
        done = suspects_rank(s, request, explained, &round);
        if (!done)
            break;
        if (out->n == 0)
            out->n_predicates = round.n_predicates;
        if (round.n > 0 && round.suspect[0].score > 0) {
            out->suspect[out->n] = round.suspect[0];
            out->suspect[out->n].rank = (uint32_t)out->n + 1;
            out->n++;
            left = explain(s, round.suspect[0].predicate, explained);
        } else {
            left = 0;
        }
        ranking_free(&round);
    }
    free(explained);
    if (!done)
        ranking_free(out);
    return done;
}

/* ---- Nearest runs --------------------------------------------------------------------------- */

double suspect_run_similarity(const struct suspect_run *a, const struct suspect_run *b)
{
    uint32_t i = 0, k = 0, both = 0;

    while (i < a->n_paths && k < b->n_paths) {
        if (a->path[i] == b->path[k]) {
            both++;
            i++;
            k++;
        } else if (a->path[i] < b->path[k]) {
            i++;
        } else {
            k++;
        }
    }
    return a->n_paths + b->n_paths > 0 ? (double)both / (a->n_paths + (double)b->n_paths - both) : 1;
}

struct suspect_pair suspects_nearest(const struct suspects *s, uint32_t predicate)
{
    struct suspect_pair found = {NONE, NONE, -1};

    for (uint32_t r = 0; r < s->n_runs; r++)
        if (s->run[r].fails && suspect_is_true(&s->run[r], predicate) &&
            (found.fail == NONE || s->run[r].events < s->run[found.fail].events))
            found.fail = r;
    for (uint32_t r = 0; found.fail != NONE && r < s->n_runs; r++) {
        double common;

        if (s->run[r].fails)
            continue;
        common = suspect_run_similarity(&s->run[found.fail], &s->run[r]);
        if (common > found.common) {
            found.common = common;
            found.pass = r;
        }
    }
    return found;
}
