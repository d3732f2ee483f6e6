/* SPDX-License-Identifier: MIT */
#include "wpp/cli/run-parting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/base/names.h"
#include "wpp/cli/store-input.h"
#include "wpp/cli/tool.h"
#include "wpp/compare/run-diff-report.h"

static char *describe(const struct run_diff *d)
{
    for (uint32_t i = 0; i < d->n_threads; i++) {
        const struct thread_diff *t = &d->thread[i];
        struct run_place place;
        char *text = NULL, name[60];

        if (t->n_partings == 0)
            continue;
        place = run_diff_place(d, &t->parting[0]);
        if (!place.routine) {
            text = strdup("at their beginning");
        } else {
            name_shorten(place.routine->shown, name, sizeof name);
            if (asprintf(&text, "after %s equal paths, in %s at %s:%u",
                         tool_grouped(t->parting[0].common), name,
                         place.line ? place.line->file : place.routine->file,
                         place.line ? place.line->line : place.routine->line) < 0)
                text = NULL;
        }
        if (!text)
            tool_die_of_memory();
        wpp_keep_one_line(text);
        return text;
    }
    return NULL;
}

char *run_parting(struct run_store *s, int64_t a, int64_t b)
{
    wpp *w[2] = {store_open_first(s, a), store_open_first(s, b)};
    struct run_diff_request request = {.by = COMMON_BY_PATH, .partings = 1, .least = 32};
    struct run_diff d;
    struct wpp_error error;
    char *text;

    if (!run_diff_new(&d, (const wpp *const *)w, &request, &error))
        tool_die(TOOL_ERROR, "run %lld: %s", (long long)a, error.text);
    text = describe(&d);
    run_diff_free(&d);
    wpp_close(w[0]);
    wpp_close(w[1]);
    return text;
}
