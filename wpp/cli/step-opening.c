/* SPDX-License-Identifier: MIT */
#include "wpp/cli/step-opening.h"

#include <pthread.h>
#include <stdlib.h>

#include "wpp/base/error.h"
#include "wpp/read/reader.h"
#include "wpp/replay/stack.h"

/* Both runs are read from the same bytes: the file may be another one in a moment. */
struct step_opening {
    const char *path;
    uint32_t thread;
    wpp *beginning;
    wpp_stacks *early;
    pthread_t reader;
    wpp *whole;                    /* these are the reader's until it is done */
    wpp_stacks *stacks;
    struct session session;
    struct wpp_error error;
    bool good;
    pthread_mutex_t lock;
    bool done;                     /* under the lock */
};

static bool open_whole(struct step_opening *o)
{
    const struct wpp_bytes *file = &o->beginning->kept_file;

    o->whole = wpp_open_memory_intact(file->data, file->size, o->path, &o->error);
    if (!o->whole)
        return false;
    if (wpp_missing(o->whole) & WPP_PART_GRAMMAR)
        return wpp_fail(&o->error, WPP_E_DAMAGED, "the grammar makes no sense");
    o->stacks = wpp_stacks_new(o->whole, &o->error);
    return o->stacks && session_begin(&o->session, o->whole, o->path, o->thread, o->stacks, &o->error);
}

static void *read_whole(void *context)
{
    struct step_opening *o = context;

    o->good = open_whole(o);
    pthread_mutex_lock(&o->lock);
    o->done = true;
    pthread_mutex_unlock(&o->lock);
    return NULL;
}

/* What the first screens show, and some steps from there. */
static bool begin_early(struct step_opening *o, struct session *s)
{
    enum { EVENTS = SESSION_AHEAD * SESSION_AHEAD };
    wpp *w = o->beginning;
    struct wpp_error error;

    if (!w->reading || !wpp_read_until(w, o->thread, NULL, EVENTS, &error)
        || wpp_events_read(w, o->thread) == wpp_thread(w, o->thread)->tokens)
        return false;
    o->early = stacks_until(w, o->thread, wpp_events_read(w, o->thread), &error);
    return o->early && session_begin_early(s, w, o->path, o->thread, o->early, &error);
}

static void free_opening(struct step_opening *o)
{
    wpp_stacks_free(o->early);
    pthread_mutex_destroy(&o->lock);
    free(o);
}

struct step_opening *step_opening_begin(wpp *w, const char *path, uint32_t thread, struct session *s)
{
    struct step_opening *o = calloc(1, sizeof *o);

    if (!o)
        return NULL;
    *o = (struct step_opening){.path = path, .thread = thread, .beginning = w};
    pthread_mutex_init(&o->lock, NULL);
    if (begin_early(o, s)) {
        if (pthread_create(&o->reader, NULL, read_whole, o) == 0)
            return o;
        session_end(s);
    }
    free_opening(o);
    return NULL;
}

bool step_opening_is_done(struct step_opening *o)
{
    bool done;

    pthread_mutex_lock(&o->lock);
    done = o->done;
    pthread_mutex_unlock(&o->lock);
    return done;
}

bool step_opening_take(struct step_opening *o, struct session *s, wpp **w, wpp_stacks **stacks,
                       struct wpp_error *error)
{
    bool good;

    pthread_join(o->reader, NULL);
    good = o->good;
    if (good) {
        session_take_over(&o->session, s);
        session_end(s);
        *s = o->session;
        *w = o->whole;
        *stacks = o->stacks;
    } else {
        *error = o->error;
        wpp_stacks_free(o->stacks);
        wpp_close(o->whole);
        session_end(s);
    }
    wpp_close(o->beginning);
    free_opening(o);
    return good;
}
