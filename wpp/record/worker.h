/* SPDX-License-Identifier: MIT */
/* worker.h - the thread that compresses what the spool holds.
 *
 *      idle:   takes, compresses ... wants a keeper ... takes, compresses ... pauses
 *      eager:                        makes it                                 takes, compresses ...
 *                                                        hurry! -------------^
 *
 * The one works in the processor time that nobody else wants, so that the program has its own.
 * When it is in a hurry the other takes its place: without privileges none can leave
 * SCHED_IDLE.  Before, that one makes the keepers: a fork holds locks of the kernel which who
 * takes records needs, so it must not be left without a processor.  When the process is
 * killed, what the runs had and what was in the spool becomes files all the same.
 *
 * With a crew (compress.h), which no fork would have, the last keeper is that which there is
 * when no more is put into the spool: from then on the crew builds.
 */
#ifndef WPP_WORKER_H
#define WPP_WORKER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

#include "wpp/record/process-files.h"
#include "wpp/record/spool.h"
#include "wpp/record/standby.h"

struct wpp_worker {
    struct wpp_spool *spool;
    struct wpp_process_files *runs;       /* the thread's alone while it runs */
    void *ctx;
    /* In the keeper, when the process has been killed: before the runs are written, and
     * after. */
    void (*orphaned)(void *ctx);
    void (*written)(void *ctx);

    struct wpp_standby keeper;    /* the eager thread's, or while it waits for nothing else */
    bool last_kept;              /* there are to be no more keepers */
    bool idles;                  /* there is to be the idle thread */
    pthread_t idle, eager;
    sem_t call;                  /* the eager thread, for one of these: */
    bool wants_keeper, hurries, idle_is_over;
    sem_t kept;                  /* the idle thread: there is another keeper */
    struct wpp_process_files_figures figures;     /* each by itself */
    bool over;
};

/* The first five are set, and `hurries` if nothing is ever to idle.  0, or the error. */
int wpp_worker_start(struct wpp_worker *w);
void wpp_worker_hurry(struct wpp_worker *w);
/* Whether the spool is closed and all of it compressed. */
bool wpp_worker_is_over(const struct wpp_worker *w);
/* When it is, or will be. */
void wpp_worker_end(struct wpp_worker *w);

/* As they were a moment ago. */
struct wpp_process_files_figures wpp_worker_figures(const struct wpp_worker *w);

#endif
