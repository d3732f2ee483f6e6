/* SPDX-License-Identifier: MIT */
/* report-text.c - an analysis' answer for people.
 *
 *       rank, share, cost = frequency x cost of one execution, length
 *         routine  file:lines  x turns (least/mean/most in a row, in the whole run)
 *             line * source text             `*`: executed
 *           -> routine called within the subpath, indented by its depth
 *         x 3 (1/2.5/4):                     what repeats is told once
 *
 * The source of a path is shown where the path first appears in the report;
 * later steps name the subpath that shows it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/report/outline.h"
#include "hotpaths/report/paint.h"
#include "hotpaths/report/report-source.h"

enum {
    MOST_RANGES = 6,            /* of line numbers in the head of a step */
    STEP_INDENT = 4,            /* of the first level of calls */
    LEVEL_INDENT = 3,
    LINES_INDENT = 3            /* of source lines below their step */
};

/* Ranks of subpaths, 0 for none yet. */
struct mention {
    size_t shown;               /* with the terminal's source */
    size_t last;                /* that names the terminal, up to now */
};

struct teller {
    const struct report *r;
    const struct shown *shown;  /* the subpath that is told */
    size_t fold;                /* of its folds, how many are told */
    size_t rank;
    struct mention *mentions;   /* of each terminal */
    uint64_t started;           /* the run; UINT64_MAX if unknown */
    struct report_doubts doubts;
};

/* ---- Small pieces ---------------------------------------------------------------- */

/* 1234567 as 1,234,567. */
static const char *grouped(uint64_t n, char out[static 32])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, n);
    char *p = out;

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *p++ = ',';
        *p++ = digits[i];
    }
    *p = '\0';
    return out;
}

/* 1234567 as 1.23 M. */
static const char *scaled(uint64_t n, char out[static 32])
{
    static const char *const units[] = { "", " k", " M", " G", " T", " P", " E" };
    double value = (double)n;
    unsigned unit = 0;

    while (value >= 999.5 && unit < 6) {
        value /= 1000;
        unit++;
    }
    if (unit == 0)
        snprintf(out, 32, "%" PRIu64, n);
    else
        snprintf(out, 32, "%.3g%s", value, units[unit]);
    return out;
}

static const char *percent(const struct report *r, uint64_t cost, char out[static 32])
{
    uint64_t total = hot_total_cost(r->result);
    double share = total ? 100 * (double)cost / (double)total : 0;

    snprintf(out, 32, share >= 9.95 ? "%.1f %%" : "%.2f %%", share);
    return out;
}

/* ---- Steps ----------------------------------------------------------------------------- */

static size_t count_ranges(const struct executed_file *f, uint32_t gap)
{
    size_t n = 0;

    for (size_t i = 0; i < f->n_lines; i = executed_range_end(f, i, gap))
        n++;
    return n;
}

/* The lines exactly if that takes few ranges, else roughly. */
static void put_ranges(FILE *out, const struct executed_file *f)
{
    uint32_t gap = count_ranges(f, 0) <= MOST_RANGES ? 0 : REPORT_CONTEXT;
    size_t shown = 0;

    name_put(out, f->name);
    for (size_t i = 0, end; i < f->n_lines; i = end) {
        end = executed_range_end(f, i, gap);
        if (shown == MOST_RANGES) {
            fputs(",...", out);
            return;
        }
        fprintf(out, "%c%" PRIu32, shown++ ? ',' : ':', f->lines[i]);
        if (end - i > 1)
            fprintf(out, "-%" PRIu32, f->lines[end - 1]);
    }
}

/* The mean: 46.1, 1,234, and what is whole as such. */
static const char *mean(const struct hot_turns *turns, char out[static 32])
{
    double mean = (double)turns->turns / (double)turns->rows;

    if (mean >= 99.95 || turns->turns % turns->rows == 0)
        return grouped((uint64_t)(mean + 0.5), out);
    snprintf(out, 32, "%.1f", mean);
    return out;
}

/* So many turns here; in a row, in the whole run: (least/mean/most). */
static void put_turns(const struct report *r, size_t turns, const struct hot_turns *all)
{
    char number[32], least[32], average[32], most[32];

    fprintf(r->out, "%sx %s", style(r, TURNS), grouped(turns, number));
    if (all->rows)
        fprintf(r->out, " (%s/%s/%s)", grouped(all->least, least), mean(all, average),
                grouped(all->most, most));
    fputs(style(r, PLAIN), r->out);
}

static bool put_path(struct teller *t, const struct story_step *step,
                     const struct wpp_terminal *terminal, size_t turns,
                     const struct hot_turns *all, size_t columns)
{
    const struct report *r = t->r;
    const struct wpp_routine *routine = wpp_routine(r->w, terminal->routine);
    struct mention *mention = &t->mentions[step->terminal];
    struct executed_lines p;
    bool good = true;

    if (!executed_lines_of(&p, r->w, step->terminal))
        return false;
    fprintf(r->out, "%s%s", step->called ? "-> " : "", style(r, ROUTINE));
    put_routine(r->out, routine->shown);
    fprintf(r->out, "%s  ", style(r, PLAIN));
    for (size_t i = 0; i < p.n_files; i++) {
        put_ranges(r->out, &p.files[i]);
        fputs(i + 1 < p.n_files ? " " : "  ", r->out);
    }
    fprintf(r->out, "%spath %" PRIu64 "%s", style(r, DIM), terminal->path, style(r, PLAIN));
    if (turns > 1) {
        fputs("  ", r->out);
        put_turns(r, turns, all);
    }
    if (step->leaves)
        fputs("  returns", r->out);
    if (mention->shown && mention->last != t->rank)
        fprintf(r->out, "  %s(shown in %zu)%s", style(r, DIM), mention->shown, style(r, PLAIN));
    putc('\n', r->out);
    if (!mention->shown) {
        good = report_source(r, routine, &p, columns + LINES_INDENT, t->started, &t->doubts);
        mention->shown = t->rank;
    }
    mention->last = t->rank;
    executed_lines_free(&p);
    return good;
}

static bool put_step(struct teller *t, const struct story_step *step, size_t turns,
                     const struct hot_turns *all, size_t nesting)
{
    const struct report *r = t->r;
    const struct wpp_terminal *terminal = wpp_terminal(r->w, step->terminal);
    size_t level = step->depth < 20 ? step->depth : 20;
    size_t columns = STEP_INDENT + LEVEL_INDENT * (level + nesting);
    char name[WPP_SYMBOL_NAME];

    /* The arrow of a call stands in the indentation. */
    indent(r->out, step->called ? columns - LEVEL_INDENT : columns);
    if (terminal->routine != WPP_NO_ROUTINE)
        return put_path(t, step, terminal, turns, all, columns);
    fputs(wpp_symbol_name(terminal, name), r->out);
    if (turns > 1) {
        fputs("  ", r->out);
        put_turns(r, turns, all);
    }
    putc('\n', r->out);
    return true;
}

static bool put_steps(struct teller *t, size_t at, size_t end, size_t nesting);

/* Turns of several steps, told once. */
static bool put_fold(struct teller *t, const struct story_fold *fold, size_t nesting)
{
    const struct hot_turns *all = &t->shown->folds[t->fold++];
    const struct story_step *step = &t->shown->story.steps[fold->at];

    if (fold->period == 1)
        return put_step(t, step, fold->count, all, nesting);
    indent(t->r->out, STEP_INDENT + LEVEL_INDENT * nesting);
    put_turns(t->r, fold->count, all);
    fputs(":\n", t->r->out);
    return put_steps(t, fold->at, fold->at + fold->period, nesting + 1);
}

/* Steps [at, end), repetitions folded, those inside repetitions too.  The
 * recursion halves the range each time. */
static bool put_steps(struct teller *t, size_t at, size_t end, size_t nesting)
{
    const struct story *s = &t->shown->story;

    while (at < end) {
        const struct story_fold *fold = &s->folds[t->fold];

        if (t->fold == s->n_folds || fold->at != at) {
            if (!put_step(t, &s->steps[at++], 1, NULL, nesting))
                return false;
            continue;
        }
        if (!put_fold(t, fold, nesting))
            return false;
        at += fold->period * fold->count;
        if (at < end && fold->period > 1) {
            indent(t->r->out, STEP_INDENT + LEVEL_INDENT * nesting);
            fprintf(t->r->out, "%sthen:%s\n", style(t->r, TURNS), style(t->r, PLAIN));
        }
    }
    return true;
}

/* ---- The report --------------------------------------------------------------------------- */

/* instructions; of one: instruction. */
static void put_unit(const struct report *r, uint64_t n)
{
    fprintf(r->out, "%.*s", (int)strlen(r->cost_unit) - (n == 1), r->cost_unit);
}

/* Whole turns in the pieces that its places make up; 0: they do not overlap. */
static uint64_t turns_of(const struct hot_subpath *p)
{
    if (p->pieces == p->frequency)
        return 0;
    return p->frequency + p->pieces * (p->length / p->period - 1);
}

/* What a subpath costs that overlaps itself is told in turns, and there may be parts of turns
 * besides. */
static void put_product(const struct report *r, const struct hot_subpath *p)
{
    uint64_t turns = turns_of(p);
    bool is_all = turns == 0 || turns * p->own_unit_cost == p->own_cost;
    char number[32], unit[32];

    fputs(is_all ? " = " : " in ", r->out);
    if (turns > 0)
        fprintf(r->out, "%s turns of %s", grouped(turns, number),
                grouped(p->own_unit_cost, unit));
    else if (p->frequency == 1)
        fprintf(r->out, "once %s", grouped(p->unit_cost, unit));
    else
        fprintf(r->out, "%s times %s", grouped(p->frequency, number),
                grouped(p->unit_cost, unit));
}

static void put_figures(const struct report *r, const struct hot_subpath *p, size_t rank)
{
    char share[32], cost[32];

    fprintf(r->out, "\n%s%3zu  %s%s: %s ", style(r, BOLD), rank,
            percent(r, p->own_cost, share), style(r, PLAIN), scaled(p->own_cost, cost));
    put_unit(r, p->own_cost);
    put_product(r, p);
    fprintf(r->out, ", %" PRIu32 " path%s", p->length, p->length == 1 ? "" : "s");
    if (p->turn)
        fprintf(r->out, " of a loop of %" PRIu32, p->turn);
    else if (turns_of(p) > 0)
        fprintf(r->out, ", the first %" PRIu32 " again and again", p->period);
    putc('\n', r->out);
}

/* How often it turns in all, if not all of it is told: a row may be too short to be a place, or
 * begin or end with another rotation. */
static void put_all_turns(const struct report *r, const struct hot_subpath *p,
                          const struct hot_turns *t)
{
    bool has_short = t->least * p->turn + p->turn - 1 < p->length;
    uint64_t told = turns_of(p);
    char number[32];

    if (told == 0 || t->rows == 0 || t->turns == told)
        return;
    fprintf(r->out, ": %s turns ", grouped(t->turns, number));
    if (has_short)
        fprintf(r->out, "with rows of less than %" PRIu32 " paths", p->length);
    else
        fputs("in all", r->out);
}

/* Of a loop: how often it turns in a row. */
static void put_rows(const struct report *r, const struct hot_subpath *p,
                     const struct hot_turns *t)
{
    char least[32], average[32], most[32], number[32];

    fprintf(r->out, "     %s in a row ", style(r, DIM));
    if (t->rows == 0)
        fputs("no turn is whole", r->out);
    else if (t->least == t->most)
        fprintf(r->out, "%s%s turn%s", t->rows > 1 ? "always " : "", grouped(t->least, least),
                t->least == 1 ? "" : "s");
    else
        fprintf(r->out, "%s to %s turns, %s on average", grouped(t->least, least),
                grouped(t->most, most), mean(t, average));
    if (t->rows > 1)
        fprintf(r->out, ", %s times", grouped(t->rows, number));
    put_all_turns(r, p, t);
    fprintf(r->out, "%s\n", style(r, PLAIN));
}

/* Where else it stands: by threads, and all up to this one together. */
static void put_more(const struct report *r, const struct shown *s)
{
    char share[32], number[32];

    if (s->path.turn && s->path.turn <= HOT_TURN_MAX)
        put_rows(r, &s->path, &s->loop);
    if (r->shown->covers)
        fprintf(r->out, "     %s with all above: %s%s\n", style(r, DIM),
                percent(r, s->covered, share), style(r, PLAIN));
    for (uint32_t k = 0; r->shown->by_thread && k < r->shown->g->n_threads; k++)
        if (s->by_thread[k]) {
            fprintf(r->out, "     %s thread %" PRIu32 " ", style(r, DIM), k);
            name_put(r->out, wpp_thread(r->w, k)->name);
            fprintf(r->out, ": %s times%s\n", grouped(s->by_thread[k], number), style(r, PLAIN));
        }
}

static bool put_neighbours(struct teller *t, const struct shown *s, int side)
{
    const struct report *r = t->r;
    uint64_t others = s->path.frequency;
    char number[32];

    for (uint32_t i = 0; i < s->n_near[side]; i++) {
        struct story_step step = { .terminal = s->near[side][i].terminal };

        fprintf(r->out, "  %s%s, %s time%s:%s\n", style(r, TURNS),
                side == SHOWN_BEFORE ? "before" : "behind",
                grouped(s->near[side][i].times, number), s->near[side][i].times == 1 ? "" : "s",
                style(r, PLAIN));
        others -= s->near[side][i].times < others ? s->near[side][i].times : others;
        if (!put_step(t, &step, 1, NULL, 0))
            return false;
    }
    if (others > 0 && r->config->algorithm == HOT_EXACT && !r->shown->apart)
        fprintf(r->out, "  %s%s, %s time%s: others, or nothing%s\n", style(r, TURNS),
                side == SHOWN_BEFORE ? "before" : "behind", grouped(others, number),
                others == 1 ? "" : "s", style(r, PLAIN));
    return true;
}

static bool put_subpath(struct teller *t, const struct shown *s, size_t rank)
{
    const struct report *r = t->r;

    put_figures(r, &s->path, rank);
    put_more(r, s);
    t->rank = rank;
    t->shown = s;
    t->fold = 0;
    return (!r->shown->has_neighbours || put_neighbours(t, s, SHOWN_BEFORE)) &&
           put_steps(t, 0, s->story.n, 0) &&
           (!r->shown->has_neighbours || put_neighbours(t, s, SHOWN_BEHIND));
}

static uint64_t cost_shown(const struct report *r)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < r->shown->n; i++)
        if (__builtin_add_overflow(sum, r->shown->item[i].path.cost, &sum))
            return UINT64_MAX;
    return sum;
}

/* Whether some are hot only as their places overlap. */
static bool are_loops_cheaper(const struct report *r)
{
    for (size_t i = 0; i < r->shown->n; i++)
        if (r->shown->item[i].path.own_cost < hot_min_cost(r->result))
            return true;
    return false;
}

static void put_heading(const struct report *r)
{
    const char *scope = r->config->thread == HOT_ALL_THREADS ? "run" : "thread";
    size_t found = hot_count(r->result);
    char total[32], least[32], share[32], sum[32];

    name_put(r->out, r->file_name);
    fprintf(r->out, ": %zu hot subpath%s of %" PRIu32 " to %" PRIu32 " paths", found,
            found == 1 ? "" : "s", r->config->min_length, r->config->max_length);
    if (r->shown->rotations && hot_count_leaders(r->result) < found)
        fputs(", each rotation of a loop told by itself", r->out);
    else if (hot_count_leaders(r->result) < found)
        fprintf(r->out, ", rotations of a loop told as one: %zu",
                hot_count_leaders(r->result));
    fprintf(r->out, "\neach at least %s of the %s's %s ", scaled(hot_min_cost(r->result), least),
            scope, scaled(hot_total_cost(r->result), total));
    put_unit(r, hot_total_cost(r->result));
    fprintf(r->out, "%s (%s; --min-cost=%" PRIu64, r->cost_says,
            percent(r, hot_min_cost(r->result), share), hot_min_cost(r->result));
    if (!r->config->min_cost)
        fprintf(r->out, ", chosen for about %" PRIu32 " answers", r->config->wanted);
    fputs(")\n", r->out);
    if (r->clocked && r->clocked != hot_total_cost(r->result))
        fprintf(r->out, "each path costs its mean in whole ticks; the clock counted %s in all\n",
                grouped(r->clocked, sum));
    if (r->config->algorithm == HOT_EXACT || r->shown->apart)
        fprintf(r->out, "frequencies are exact%s; subpaths overlap each other: what is shown "
                "makes up %s of the %s\n", r->shown->apart ? ", of places that do not overlap" : "",
                percent(r, r->covered, sum), scope);
    else
        fprintf(r->out, "frequencies are lower bounds; no two overlap: what is shown makes up "
                "%s of the %s\n", percent(r, cost_shown(r), sum), scope);
    if (!r->shown->apart && are_loops_cheaper(r))
        fputs("places of a loop overlap: all of them cost that much; below, each event counts once\n",
              r->out);
    if (r->shown->folds)
        fprintf(r->out, "x N (least/mean/most): N turns here; so many in a row in the whole %s\n",
                scope);
}

/* Of the threads that were looked at. */
static uint64_t longest_run(const struct report *r)
{
    const struct wpp_grammar *g = wpp_grammar(r->w);
    uint64_t longest = 0;

    for (uint32_t k = 0; k < g->n_threads; k++)
        if ((r->config->thread == HOT_ALL_THREADS || r->config->thread == k)
            && g->length[g->n_rules + k] > longest)
            longest = g->length[g->n_rules + k];
    return longest;
}

static void put_hint(const struct report *r)
{
    if (!longest_run(r))
        fprintf(r->out, "\nThe %s has no events.\n",
                r->config->thread == HOT_ALL_THREADS ? "run" : "thread");
    else if (r->config->min_cost)
        fputs("\nNothing costs that much; without --min-cost one is chosen.\n", r->out);
    else if (longest_run(r) < r->config->min_length)
        fprintf(r->out, "\nNothing is %" PRIu32 " paths long; --min-length asks for less.\n",
                r->config->min_length);
    else
        fprintf(r->out, "\nNo %" PRIu32 " paths in a row come often enough to cost more than any %" PRIu32
                " do once;\n--min-length and --max-length ask for shorter ones, --min-cost for "
                "all that cost less.\n", r->config->min_length, r->config->max_length);
}

bool report_text(const struct report *r)
{
    struct teller t = { .r = r };
    struct wpp_summary run;
    bool good = true;

    wpp_get_summary(r->w, &run);
    t.mentions = calloc((size_t)run.n_terminals + 1, sizeof *t.mentions);
    if (!t.mentions)
        return false;
    t.started = report_started(r);
    put_heading(r);
    if (hot_count(r->result) == 0)
        put_hint(r);
    for (size_t i = 0; i < r->shown->n && good; i++)
        good = put_subpath(&t, &r->shown->item[i], i + 1);
    if (good && r->shown->n_chosen < r->shown->n_all)
        fprintf(r->out, "\n%zu more: --top=%zu shows all\n",
                r->shown->n_all - r->shown->n_chosen, r->shown->n_all);
    if (good)
        report_put_doubts(r, &t.doubts);
    free(t.mentions);
    return good;
}

/* ---- What stands beside ------------------------------------------------------------------------ */

/* The terminal of the largest number, which is taken out; UINT32_MAX: all are 0. */
static uint32_t take_most(uint64_t *times, uint32_t n, uint64_t *most)
{
    uint32_t best = UINT32_MAX;

    *most = 0;
    for (uint32_t t = 0; t < n; t++)
        if (times[t] > *most) {
            *most = times[t];
            best = t;
        }
    if (best != UINT32_MAX)
        times[best] = 0;
    return best;
}

/* A line that is asked for is one that was read somewhere. */
static void look_for_lines(const struct report *r, const char *name, struct report_doubts *doubts)
{
    struct wpp_summary run;

    wpp_get_summary(r->w, &run);
    for (uint32_t i = 0; i < run.n_routines; i++) {
        const struct wpp_routine *routine = wpp_routine(r->w, i);

        for (uint32_t b = 0; b < routine->n_blocks; b++)
            for (uint32_t k = 0; k < routine->blocks[b].n_lines; k++) {
                const char *file = routine->blocks[b].lines[k].file;

                if (!doubts->newer && query_is_line_of(name, file) &&
                    source_text_is_newer(r->sources, routine->directory, file, report_started(r)))
                    doubts->newer = true;
            }
    }
}

static bool put_beside(const struct report *r, const struct query *q)
{
    enum { MOST_BESIDE = 10 };
    struct teller t = { .r = r, .rank = 1 };
    struct story_step step = { 0 };
    struct wpp_summary run;
    uint64_t times;
    char number[32];
    bool good = true;

    wpp_get_summary(r->w, &run);
    t.started = report_started(r);
    t.mentions = calloc((size_t)run.n_terminals + 1, sizeof *t.mentions);
    if (!t.mentions)
        return false;
    name_put(r->out, q->b);
    fprintf(r->out, ": %s path%s; right %s them, but for its own:\n", grouped(q->order.b, number),
            q->order.b == 1 ? "" : "s", q->before ? "before" : "behind");
    for (int i = 0; i < MOST_BESIDE && good; i++) {
        step.terminal = take_most(q->times, run.n_terminals, &times);
        if (step.terminal == UINT32_MAX)
            break;
        fprintf(r->out, "\n  %s%s time%s:%s\n", style(r, TURNS), grouped(times, number),
                times == 1 ? "" : "s", style(r, PLAIN));
        good = put_step(&t, &step, 1, NULL, 0);
    }
    step.terminal = take_most(q->times, run.n_terminals, &times);
    if (good && step.terminal != UINT32_MAX)
        fputs("\nand others, less often\n", r->out);
    look_for_lines(r, q->b, &t.doubts);
    if (good)
        report_put_doubts(r, &t.doubts);
    free(t.mentions);
    return good;
}

static void put_order(const struct report *r, const struct query *q)
{
    struct report_doubts doubts = { 0 };
    char a[32], b[32], after[32];

    name_put(r->out, q->a);
    fprintf(r->out, ": %s paths\n", grouped(q->order.a, a));
    name_put(r->out, q->b);
    fprintf(r->out, ": %s paths, %s of them (%.1f %%) with ", grouped(q->order.b, b),
            grouped(q->order.b_after_a, after),
            q->order.b ? 100.0 * (double)q->order.b_after_a / (double)q->order.b : 0);
    name_put(r->out, q->a);
    fputs(" since the one before\n", r->out);
    look_for_lines(r, q->a, &doubts);
    look_for_lines(r, q->b, &doubts);
    report_put_doubts(r, &doubts);
}

bool report_query(const struct report *r, const struct query *q)
{
    if (!q->a)
        return put_beside(r, q);
    put_order(r, q);
    return true;
}
