/* SPDX-License-Identifier: MIT */
/* worker.h - the thread that compresses the records in the spool.
 *
 *      idle:   takes, compresses ... wants a keeper ... takes, compresses ... pauses
 *      eager:                        makes it                                 takes, compresses ...
 *                                                        hurry! -------------^
 *
 * The idle thread uses only processor time that no other process wants, so that the program has
 * its own.  In a hurry the eager thread replaces it, because without privileges no thread can
 * leave SCHED_IDLE.  Until then the eager thread makes the keepers.  A fork holds kernel locks
 * that the thread needs that takes records.  So the forking thread must always get a processor.
 * A program that ends within some milliseconds gets no idle thread and no keeper.
 *
 * If the process is killed, the keeper still writes files from the runs and from the spool.
 *
 * A crew (compress.h) does not exist in a fork.  So the crew builds only when the spool is
 * closed, and the keeper of that moment is the last one.
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
    struct wpp_process_files *runs;       /* only the working thread uses them while it runs */
    void *ctx;
    /* Called in the keeper when the process has been killed: before the work is finished, when the
     * spool is empty, and when the files are written. */
    void (*orphaned)(void *ctx);
    void (*rest)(void *ctx);
    void (*written)(void *ctx);

    struct wpp_standby keeper;    /* the eager thread uses it; the idle one only while it waits */
    bool last_kept;              /* no more keepers are made */
    bool idles;                  /* an idle thread is wanted */
    pthread_t idle, eager;
    sem_t call;                  /* wakes the eager thread, for one of these: */
    bool wants_keeper, hurries, idle_is_over;
    sem_t kept;                  /* wakes the idle thread: another keeper is there */
    struct wpp_process_files_figures figures;     /* each is atomic by itself */
    bool over;
    sem_t end;                   /* wakes the caller when it is over */
};

/* The caller sets the first six members, and `hurries` if no idle thread is wanted.  0, or the
 * error. */
int wpp_worker_start(struct wpp_worker *w);
void wpp_worker_hurry(struct wpp_worker *w);
/* Whether the spool is closed and all of it compressed; waits so long for that. */
bool wpp_worker_is_over(struct wpp_worker *w, unsigned milliseconds);
/* Waits until it is, and frees everything. */
void wpp_worker_end(struct wpp_worker *w);

/* The figures of a moment ago. */
struct wpp_process_files_figures wpp_worker_figures(const struct wpp_worker *w);

#endif
