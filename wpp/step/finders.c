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

/* Moves entry i to the front. */
static void to_front(struct finders *f, int i)
{
    char *what = f->kept[i].what;
    wpp_finder *finder = f->kept[i].finder;

    memmove(&f->kept[1], &f->kept[0], (size_t)i * sizeof f->kept[0]);
    f->kept[0].what = what;
    f->kept[0].finder = finder;
}

/* Keeps what was made, in place of what was not asked for the longest. */
static void keep(struct finders *f)
{
    int last = N_FINDERS - 1;

    free(f->kept[last].what);
    wpp_finder_free(f->kept[last].finder);
    f->kept[last].what = f->what;
    f->kept[last].finder = f->making;
    f->what = NULL;
    f->making = NULL;
    to_front(f, last);
}

static void give_up(struct finders *f)
{
    free(f->what);
    wpp_finder_free(f->making);
    f->what = NULL;
    f->making = NULL;
}

static bool begin(struct finders *f, const char *what, struct wpp_error *error)
{
    uint32_t *weights;

    give_up(f);
    weights = place_find_weights(f->w, what, error);
    if (!weights)
        return false;
    f->making = finder_begin(f->w, weights, error);
    free(weights);
    if (!f->making)
        return false;
    f->what = strdup(what);
    if (f->what)
        return true;
    give_up(f);
    return wpp_fail_memory(error);
}

bool finders_work(struct finders *f)
{
    enum finder_state state;

    if (!f->what)
        return false;
    state = finder_go_on(f->making, FINDER_PART);
    if (state == FINDER_READY)
        keep(f);
    else if (state == FINDER_TOO_MANY)
        give_up(f);
    return true;
}

enum finder_state finders_ask(struct finders *f, const char *what, const wpp_finder **out,
                              struct wpp_error *error)
{
    int i = index_of(f, what);

    if (i < 0 && !(f->what && strcmp(f->what, what) == 0) && !begin(f, what, error))
        return FINDER_TOO_MANY;
    /* Small ones are ready at once. */
    if (i < 0 && finders_work(f) && !f->what) {
        i = index_of(f, what);
        if (i < 0)
            finder_fail(error);
        if (i < 0)
            return FINDER_TOO_MANY;
    }
    if (i < 0)
        return FINDER_MORE;
    to_front(f, i);
    *out = f->kept[0].finder;
    return FINDER_READY;
}

void finders_free(struct finders *f)
{
    give_up(f);
    for (int i = 0; i < N_FINDERS; i++) {
        free(f->kept[i].what);
        wpp_finder_free(f->kept[i].finder);
    }
    *f = (struct finders){.w = f->w};
}
