/* SPDX-License-Identifier: MIT */
#include "wpp/worker.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void act(struct wpp_worker *w, const struct wpp_spool_entry *e)
{
    switch (e->kind) {
    case WPP_SPOOL_BYTES: wpp_runs_bytes(w->runs, e->process, e->bytes, e->n); break;
    case WPP_SPOOL_LOOK: wpp_runs_dump(w->runs, e->process, e->bytes, e->n); break;
    case WPP_SPOOL_OVER: wpp_runs_over(w->runs, e->process); break;
    }
}

static void publish(struct wpp_worker *w)
{
    struct wpp_runs_figures figures = wpp_runs_figures(w->runs);

    pthread_mutex_lock(&w->lock);
    w->figures = figures;
    pthread_mutex_unlock(&w->lock);
}

/* In the keeper. */
_Noreturn static void end_the_work(struct wpp_worker *w)
{
    struct wpp_spool_entry e;

    w->orphaned(w->ctx, wpp_keeper_age(&w->keeper));
    wpp_runs_inherit(w->runs);
    while (wpp_spool_take(w->spool, &e, -1) == WPP_SPOOL_ENTRY) {
        act(w, &e);
        wpp_spool_done(w->spool);
    }
    wpp_runs_all_over(w->runs);
    w->written(w->ctx);
    _exit(0);
}

/* Only with the first keeper made can the thread idle. */
static void keep(struct wpp_worker *w)
{
    if (wpp_keeper_renew(&w->keeper, w->spool))
        end_the_work(w);
    if (w->idles)
        return;
    sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
    w->idles = true;
}

static enum wpp_spool_took work(struct wpp_worker *w)
{
    enum { LOOK_MILLISECONDS = 100, ENTRIES_BETWEEN_LOOKS = 16 };
    struct wpp_spool_entry e;
    enum wpp_spool_took took;
    unsigned entries = 0;
    bool kept = true;            /* there is nothing that the keeper does not know */

    for (;;) {
        took = wpp_spool_take(w->spool, &e, kept ? -1 : LOOK_MILLISECONDS);
        if (took == WPP_SPOOL_PAUSED || took == WPP_SPOOL_CLOSED)
            break;
        if (took == WPP_SPOOL_ENTRY) {
            act(w, &e);
            wpp_spool_done(w->spool);
            kept = false;
        }
        if (took == WPP_SPOOL_NOTHING || ++entries % ENTRIES_BETWEEN_LOOKS == 0)
            publish(w);
        if (!kept && wpp_keeper_is_due(&w->keeper, w->figures.memory)) {
            keep(w);
            kept = true;
        }
    }
    publish(w);
    return took;
}

static void *work_idly(void *argument)
{
    struct wpp_worker *w = argument;

    w->idles = !wpp_keeper_is_due(&w->keeper, 0) &&
               sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0}) == 0;
    work(w);
    w->idles = true;             /* done with */
    return NULL;
}

static void *work_eagerly(void *argument)
{
    struct wpp_worker *w = argument;

    while (sem_wait(&w->hurry) != 0)
        ;
    wpp_spool_pause(w->spool, true);
    pthread_join(w->idle, NULL);
    wpp_spool_pause(w->spool, false);
    /* That thread's keeper has become the first thread's child, who waits for others. */
    if (w->keeper.pid != 0)
        keep(w);
    work(w);
    wpp_runs_all_over(w->runs);          /* there are some if the spool was dropped */
    pthread_mutex_lock(&w->lock);
    w->over = true;
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* Signals are for the thread that started them. */
int wpp_worker_start(struct wpp_worker *w)
{
    sigset_t all, old;
    int error;

    pthread_mutex_init(&w->lock, NULL);
    sem_init(&w->hurry, 0, 0);
    w->over = false;
    w->figures = (struct wpp_runs_figures){0};
    wpp_keeper_init(&w->keeper);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    error = pthread_create(&w->idle, NULL, work_idly, w);
    if (!error)
        error = pthread_create(&w->eager, NULL, work_eagerly, w);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return error;
}

void wpp_worker_hurry(struct wpp_worker *w)
{
    sem_post(&w->hurry);
}

bool wpp_worker_is_over(struct wpp_worker *w)
{
    bool over;

    pthread_mutex_lock(&w->lock);
    over = w->over;
    pthread_mutex_unlock(&w->lock);
    return over;
}

void wpp_worker_end(struct wpp_worker *w)
{
    pthread_join(w->eager, NULL);
    wpp_keeper_free(&w->keeper);
    sem_destroy(&w->hurry);
    pthread_mutex_destroy(&w->lock);
}

struct wpp_runs_figures wpp_worker_figures(struct wpp_worker *w)
{
    struct wpp_runs_figures figures;

    pthread_mutex_lock(&w->lock);
    figures = w->figures;
    pthread_mutex_unlock(&w->lock);
    return figures;
}
