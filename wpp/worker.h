/* SPDX-License-Identifier: MIT */
/* worker.h - the thread that compresses what the spool holds.
 *
 * It works in the processor time that nobody else wants, so that the program has its own.
 * When it is in a hurry another thread takes its place: without privileges none can leave
 * SCHED_IDLE.  It has a keeper: when the process is killed, what the spool and the runs had
 * a little before becomes files all the same.
 */
#ifndef WPP_WORKER_H
#define WPP_WORKER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

#include "wpp/keeper.h"
#include "wpp/runs.h"
#include "wpp/spool.h"

struct wpp_worker {
    struct wpp_spool *spool;
    struct wpp_runs *runs;       /* the thread's alone while it runs */
    void *ctx;
    /* In the keeper, when the process has been killed: before the runs are written, and
     * after. `age`: of what they hold, in seconds. */
    void (*orphaned)(void *ctx, double age);
    void (*written)(void *ctx);

    struct wpp_keeper keeper;
    bool idles;                  /* the thread at work has all the time that nobody wants */
    pthread_t idle, eager;
    sem_t hurry;
    pthread_mutex_t lock;        /* of what follows */
    struct wpp_runs_figures figures;
    bool over;
};

/* The first four are set.  0, or the error. */
int wpp_worker_start(struct wpp_worker *w);
void wpp_worker_hurry(struct wpp_worker *w);
/* Whether the spool is closed and all of it compressed. */
bool wpp_worker_is_over(struct wpp_worker *w);
/* When it is, or will be. */
void wpp_worker_end(struct wpp_worker *w);

/* As they were a moment ago. */
struct wpp_runs_figures wpp_worker_figures(struct wpp_worker *w);

#endif
