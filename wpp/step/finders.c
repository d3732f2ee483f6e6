/* SPDX-License-Identifier: MIT */
#include "wpp/step/finders.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/replay/place-text.h"

static int index_of(const struct finders *f, const char *what)
{
    for (int i = 0; i < N_FINDERS && f->kept[i].what; i++)
        if (strcmp(f->kept[i].what, what) == 0)
            return i;
    return -1;
}

bool finders_has(const struct finders *f, const char *what)
{
    return index_of(f, what) >= 0;
}

/* Makes room at the front, where entry i goes, or a new one if i < 0. */
static void to_front(struct finders *f, int i)
{
    char *what = i < 0 ? NULL : f->kept[i].what;
    wpp_finder *finder = i < 0 ? NULL : f->kept[i].finder;

    if (i < 0) {
        i = N_FINDERS - 1;
        free(f->kept[i].what);
        wpp_finder_free(f->kept[i].finder);
    }
    memmove(&f->kept[1], &f->kept[0], (size_t)i * sizeof f->kept[0]);
    f->kept[0].what = what;
    f->kept[0].finder = finder;
}

const wpp_finder *finders_get(struct finders *f, const char *what, struct wpp_error *error)
{
    int i = index_of(f, what);
    uint32_t *weights;
    wpp_finder *finder;
    char *copy;

    if (i >= 0) {
        to_front(f, i);
        return f->kept[0].finder;
    }
    weights = place_find_weights(f->w, what, error);
    if (!weights)
        return NULL;
    finder = wpp_finder_new(f->w, weights, error);
    copy = finder ? strdup(what) : NULL;
    free(weights);
    if (!copy) {
        if (finder)
            wpp_fail_memory(error);
        wpp_finder_free(finder);
        return NULL;
    }
    to_front(f, -1);
    f->kept[0].what = copy;
    return f->kept[0].finder = finder;
}

void finders_free(struct finders *f)
{
    for (int i = 0; i < N_FINDERS; i++) {
        free(f->kept[i].what);
        wpp_finder_free(f->kept[i].finder);
    }
    *f = (struct finders){.w = f->w};
}
