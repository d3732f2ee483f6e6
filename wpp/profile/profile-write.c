/* SPDX-License-Identifier: MIT */
#include "wpp/profile/profile-write.h"

#include <stdlib.h>

#include "wpp/base/arena.h"
#include "wpp/base/error.h"
#include "wpp/format/profile-order.h"
#include "wpp/read/as-content.h"

uint64_t *profile_counts(const wpp *w)
{
    uint32_t n = wpp_grammar(w)->n_terminals;
    uint64_t *counts = calloc(n + (size_t)1, sizeof *counts);

    if (!counts)
        return NULL;
    wpp_terminal_counts(w, counts);
    for (uint32_t t = 0; t < n; t++)
        if (wpp_terminal(w, t)->control)
            counts[t] = 0;
    return counts;
}

bool profile_write(const wpp *w, struct wpp_bytes *out, struct wpp_error *error)
{
    struct wpp_arena arena = {0};
    struct wpp_content content;
    uint64_t *counts = profile_counts(w);
    bool done = counts && wpp_as_content(w, &arena, &content)
             && wpp_profile_order(&content, counts, &arena);

    if (done && !content.run.is_profile) {
        content.run.profile_kind = WPP_PROFILE_CUT_PATHS;
        content.run.runs = 1;
    }
    done = done ? wpp_content_encode(&content, out, error) : wpp_fail_memory(error);
    free(counts);
    wpp_arena_free(&arena);
    return done;
}
