/* SPDX-License-Identifier: MIT */
/* example-hotpaths.c - the hottest subpaths of a run by the C API.
 *
 *      gcc -o hottest example-hotpaths.c $(pkg-config --cflags --libs wpp)
 *      gcc -o hottest example-hotpaths.c -static $(pkg-config --static --cflags --libs wpp)
 *      ./hottest prog.wpp
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <wpp/hotpaths.h>
#include <wpp/wpp.h>

/* One line: share of the run, frequency, and the routines in order. */
static void print_subpath(const wpp *w, const hot_result *found, size_t index)
{
    struct hot_subpath p = hot_get(found, index);
    const char *last = "";

    printf("%5.1f %%  %10" PRIu64 " x %" PRIu32 " paths ",
           100.0 * (double)p.own_cost / (double)hot_total_cost(found), p.frequency, p.length);
    for (uint32_t i = 0; i < p.length; i++) {
        const struct wpp_terminal *t = wpp_terminal(w, p.terminals[i]);
        char symbol[WPP_SYMBOL_NAME];
        const char *name = t->routine == WPP_NO_ROUTINE ? wpp_symbol_name(t, symbol)
                                                        : wpp_routine(w, t->routine)->shown;

        if (t->routine == WPP_NO_ROUTINE || name != last)
            printf(" %s", name);
        last = name;
    }
    putchar('\n');
}

/* What all of them make up together, each event counted once. */
static void print_cover(const wpp *w, const hot_result *found, const uint64_t *cost)
{
    size_t n = hot_count(found);
    struct hot_string *strings = malloc((n + 1) * sizeof *strings);
    uint64_t covered;

    for (size_t i = 0; strings && i < n; i++) {
        struct hot_subpath p = hot_get(found, i);

        strings[i] = (struct hot_string){ p.terminals, p.length };
    }
    if (strings && hot_cover(wpp_grammar(w), cost, HOT_ALL_THREADS, strings, n, &covered) == HOT_OK)
        printf("%5.1f %%  all of them\n", 100.0 * (double)covered / (double)hot_total_cost(found));
    free(strings);
}

int main(int argc, char **argv)
{
    struct hot_config config = {
        .size = sizeof config, .algorithm = HOT_EXACT, .min_length = 10, .max_length = 100,
        .wanted = 20,               /* min_cost 0: one is chosen */
        .thread = HOT_ALL_THREADS,
    };
    struct wpp_error error;
    hot_result *found = NULL;
    uint64_t *cost;
    uint32_t n;
    int status;
    wpp *w;

    if (argc != 2) {
        fprintf(stderr, "usage: %s FILE.wpp\n", argv[0]);
        return 2;
    }
    w = wpp_open(argv[1], &error);
    if (!w) {
        fprintf(stderr, "%s: %s\n", argv[0], error.text);
        return 1;
    }
    n = wpp_grammar(w)->n_terminals;
    cost = calloc((size_t)n + 1, sizeof *cost);
    for (uint32_t t = 0; cost && t < n; t++)
        cost[t] = wpp_terminal(w, t)->insns;
    status = cost ? hot_find(&found, wpp_grammar(w), cost, &config) : HOT_E_MEMORY;
    if (status != HOT_OK)
        fprintf(stderr, "%s: %s\n", argv[0], hot_status_text(status));
    for (size_t i = 0; status == HOT_OK && i < hot_count(found); i++)
        if (hot_get(found, i).leader == i)
            print_subpath(w, found, i);
    if (status == HOT_OK)
        print_cover(w, found, cost);
    hot_free(found);
    free(cost);
    wpp_close(w);
    return status != HOT_OK;
}
