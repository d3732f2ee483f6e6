/* SPDX-License-Identifier: MIT */
/* wpp-check - verifies WPP files. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/base/names.h"
#include "wpp/cli/tool.h"
#include "wpp/replay/check.h"

static const char help[] =
    "Usage: wpp-check [OPTION]... FILE.wpp...\n"
    "Verifies WPP files: checksums and structure, the grammar's invariants, every path against\n"
    "its routine's graph, every thread's number of events.  Of a damaged file it lists the\n"
    "damaged and the intact parts.  FILE `-` is standard input.\n"
    "\n"
    "  -s, --strict   also walk all events: each path must be possible after one before it in its\n"
    "                 thread. Reports threads that switch stacks, as coroutines do\n"
    "  -q, --quiet    report only errors\n"
    "  -h, --help     print this text\n"
    "  -V, --version  print the version\n"
    "\n"
    "Exit status: 0 all is well, 3 a file is damaged or holds an incomplete run, 2 a wrong "
    "option,\n"
    "1 another error, or --strict finds a thread that switches stacks or missing events.\n";

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void say_fine_profile(const struct wpp_summary *s, const char *path)
{
    name_put(stdout, path);
    printf(": fine: a path profile: %u path%s of %u routine%s, executed %llu time%s in %llu "
           "run%s\n", s->n_terminals, plural(s->n_terminals), s->n_routines, plural(s->n_routines),
           (unsigned long long)s->tokens, plural(s->tokens), (unsigned long long)s->runs,
           plural(s->runs));
}

static void say_fine(const wpp *w, const char *path, const struct check_activations *nesting)
{
    struct wpp_summary s;
    uint32_t n_paths;

    wpp_get_summary(w, &s);
    if (s.is_profile) {
        say_fine_profile(&s, path);
        return;
    }
    name_put(stdout, path);
    n_paths = s.n_terminals - s.n_controls;
    printf(": fine: %llu event%s in %u thread%s, %u rule%s, %u path%s of %u routine%s",
           (unsigned long long)s.tokens, plural(s.tokens), s.n_threads, plural(s.n_threads),
           s.n_rules, plural(s.n_rules), n_paths, plural(n_paths), s.n_routines,
           plural(s.n_routines));
    if (nesting)
        printf("; %llu activation%s, %llu returned, %llu unwound, %llu open at the end, "
               "%llu open before the start, %llu non-local arrival%s",
               (unsigned long long)nesting->entered, plural(nesting->entered),
               (unsigned long long)nesting->left, (unsigned long long)nesting->unwound,
               (unsigned long long)nesting->open, (unsigned long long)nesting->unseen,
               (unsigned long long)nesting->nonlocal, plural(nesting->nonlocal));
    putchar('\n');
}

/* Reports doubtful activations, which few correct recordings contain; then returns TOOL_ERROR. */
static int say_doubts(const wpp *w, const char *path, const struct check_activations *nesting)
{
    bool strange = nesting->strange.n > 0;
    const struct check_places *p = strange ? &nesting->strange : &nesting->switched;

    if (p->n == 0)
        return TOOL_OK;
    tool_warn("%s: undamaged, but %llu time%s a routine goes on %s, first in event %llu of thread "
              "%u, in %s: %s, or events are missing", path, (unsigned long long)p->n, plural(p->n),
              strange ? "that has not stopped there in this thread"
                      : "before those it called have left",
              (unsigned long long)p->event, p->thread,
              wpp_routine(w, wpp_terminal(w, p->terminal)->routine)->shown,
              strange ? "coroutines came from another thread or from before a fork"
                      : "the program switches stacks");
    return TOOL_ERROR;
}

static int say_damaged(const char *path, const struct wpp_error *error)
{
    tool_warn("%s: %s", path, error->text);
    return tool_exit_status(error->status);
}

/* Reports damaged parts, a line each, then the intact ones. */
static void say_parts(const wpp *w, const char *path, bool quiet)
{
    const char *between = ": intact: ";
    uint32_t n;
    const struct wpp_damage *damage = wpp_damages(w, &n);

    for (uint32_t i = 0; i < n; i++)
        tool_warn("%s: %s", path, damage[i].text);
    if (quiet)
        return;
    name_put(stdout, path);
    for (unsigned part = 1; part & WPP_PART_ALL; part <<= 1)
        if (wpp_present(w) & part) {
            printf("%s%s", between, wpp_part_name(part));
            between = ", ";
        }
    putchar('\n');
}

/* Adds what the grammar derives; `counts` are all 0. */
static void count_terminals(const struct wpp_grammar *g, const uint64_t *frequencies,
                            uint64_t *counts)
{
    for (uint32_t r = 0; r < g->n_rules + g->n_threads; r++)
        for (uint64_t i = g->body[r]; i < g->body[r + 1]; i++)
            if (!(g->symbols[i] & WPP_RULE)
                && __builtin_add_overflow(counts[g->symbols[i]], frequencies[r],
                                          &counts[g->symbols[i]]))
                counts[g->symbols[i]] = UINT64_MAX;
}

static bool is_longest(const struct wpp_grammar *g, uint64_t length)
{
    uint64_t most = 0;

    for (uint32_t r = 0; r < g->n_rules; r++)
        most = g->length[r] > most ? g->length[r] : most;
    return most == length;
}

/* Whether what a large file says of its grammar is true. */
static bool check_figures(const wpp *w, struct wpp_error *error)
{
    const struct wpp_grammar *g = wpp_grammar(w);
    uint64_t *frequencies = calloc((size_t)g->n_rules + g->n_threads + 1, sizeof *frequencies);
    uint64_t *counts = calloc(2 * (size_t)g->n_terminals + 1, sizeof *counts);
    struct wpp_summary s;

    if (!frequencies || !counts)
        tool_die_of_memory();
    wpp_get_summary(w, &s);
    wpp_rule_frequencies(w, frequencies);
    count_terminals(g, frequencies, counts);
    wpp_terminal_counts(w, counts + g->n_terminals);
    bool right = memcmp(counts, counts + g->n_terminals, g->n_terminals * sizeof *counts) == 0
              && is_longest(g, s.longest_rule);
    free(frequencies);
    free(counts);
    return right || wpp_fail(error, WPP_E_DAMAGED, "damaged: its grammar does not execute paths as "
                                                   "often as it says");
}

/* Runs each check for which the necessary parts are there. */
static bool check_parts(const wpp *w, bool strict, struct check_activations *nesting,
                        struct wpp_error *error)
{
    unsigned missing = wpp_missing(w);
    struct wpp_summary s;

    wpp_get_summary(w, &s);
    return ((missing & WPP_PART_GRAMMAR) || check_grammar(w, error))
        && ((missing & WPP_PART_GRAMMAR) || s.is_profile || check_figures(w, error))
        && ((missing & (WPP_PART_ROUTINES | WPP_PART_TERMINALS)) || check_paths(w, error))
        && (!strict || (missing & TOOL_NEED_PATHS) || check_nesting(w, nesting, error));
}

/* Checks one file; returns its exit status. */
static int check(const char *path, bool strict, bool quiet)
{
    struct check_activations nesting = {0};
    struct wpp_summary s;
    struct wpp_error error;
    int status = TOOL_OK;
    uint32_t n_damages;
    wpp *w = wpp_open_intact(path, &error);

    if (!w) {
        tool_warn("%s", tool_explain_folder(path, &error)->text);
        return tool_exit_status(error.status);
    }
    wpp_get_summary(w, &s);
    if (strict && s.is_profile) {
        tool_warn("%s is a path profile, which does not hold the order of paths: --strict cannot "
                  "check it, wpp-profile shows it", path);
        wpp_close(w);
        return TOOL_ERROR;
    }
    wpp_damages(w, &n_damages);
    if (n_damages > 0) {
        say_parts(w, path, quiet);
        status = TOOL_INCOMPLETE;
    }
    if (!check_parts(w, strict, &nesting, &error)) {
        status = say_damaged(path, &error);
    } else if (status == TOOL_OK && (!s.complete || s.lost)) {
        tool_warn("%s: undamaged, but the run it holds is incomplete", path);
        status = TOOL_INCOMPLETE;
    } else if (status == TOOL_OK && strict) {
        status = say_doubts(w, path, &nesting);
    }
    if (status == TOOL_OK && !quiet)
        say_fine(w, path, strict ? &nesting : NULL);
    wpp_close(w);
    return status;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"strict", no_argument, NULL, 's'}, {"quiet", no_argument, NULL, 'q'}, TOOL_OPTIONS
    };
    bool strict = false, quiet = false;
    int option, status = TOOL_OK;

    tool_init("wpp-check");
    while ((option = tool_option(argc, argv, "sqhV", options)) != -1)
        switch (option) {
        case 's': strict = true; break;
        case 'q': quiet = true; break;
        case 'h': tool_help(help);
        case 'V': tool_version();
        }
    if (optind == argc)
        tool_usage("no file given");
    for (int i = optind; i < argc; i++) {
        int its = check(argv[i], strict, quiet);
        if (its != TOOL_OK && status != TOOL_ERROR)
            status = its;
    }
    return tool_finish(status);
}
