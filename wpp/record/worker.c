/* SPDX-License-Identifier: MIT */
#include "wpp/record/worker.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static enum wpp_ended why_of(const struct wpp_spool_entry *over)
{
    return *(const uint8_t *)over->bytes;
}

static void act(struct wpp_worker *w, const struct wpp_spool_entry *e)
{
    switch (e->kind) {
    case WPP_SPOOL_BYTES: wpp_process_files_bytes(w->runs, e->process, e->bytes, e->n); break;
    case WPP_SPOOL_FILE: wpp_module_files_keep(&w->runs->held, e->bytes, e->n); break;
    case WPP_SPOOL_LOOK: wpp_process_files_dump(w->runs, e->process, e->bytes, e->n); break;
    case WPP_SPOOL_OVER: wpp_process_files_over(w->runs, e->process, why_of(e)); break;
    }
}

static void publish(struct wpp_worker *w)
{
    struct wpp_process_files_figures now = wpp_process_files_figures(w->runs);

    __atomic_store_n(&w->figures.tokens, now.tokens, __ATOMIC_RELAXED);
    __atomic_store_n(&w->figures.symbols, now.symbols, __ATOMIC_RELAXED);
    __atomic_store_n(&w->figures.memory, now.memory, __ATOMIC_RELAXED);
    __atomic_store_n(&w->figures.begun, now.begun, __ATOMIC_RELAXED);
}

struct wpp_process_files_figures wpp_worker_figures(const struct wpp_worker *w)
{
    return (struct wpp_process_files_figures){
        .tokens = __atomic_load_n(&w->figures.tokens, __ATOMIC_RELAXED),
        .symbols = __atomic_load_n(&w->figures.symbols, __ATOMIC_RELAXED),
        .memory = __atomic_load_n(&w->figures.memory, __ATOMIC_RELAXED),
        .begun = __atomic_load_n(&w->figures.begun, __ATOMIC_RELAXED)
    };
}

/* ---- Keepers ------------------------------------------------------------------------- */

/* Finishes the work, in the keeper. */
_Noreturn static void end_the_work(struct wpp_worker *w)
{
    struct wpp_spool_entry e;

    w->orphaned(w->ctx);
    wpp_process_files_inherit(w->runs);
    while (wpp_spool_take(w->spool, &e, -1) == WPP_SPOOL_ENTRY) {
        act(w, &e);
        wpp_spool_done(w->spool);
    }
    w->rest(w->ctx);
    wpp_process_files_all_over(w->runs, WPP_ENDED_RECORDER);
    w->written(w->ctx);
    _exit(0);
}

/* Renews the keeper; called by the thread that may fork. */
static void keep(struct wpp_worker *w)
{
    if (wpp_standby_renew(&w->keeper, w->spool))
        end_the_work(w);
}

static void wait_on(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0)
        ;
}

/* False: not within so many milliseconds. */
static bool wait_for(sem_t *semaphore, unsigned milliseconds)
{
    struct timespec until;
    int status;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)milliseconds * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while ((status = sem_clockwait(semaphore, CLOCK_MONOTONIC, &until)) != 0 && errno == EINTR)
        ;
    return status == 0;
}

static void call(struct wpp_worker *w, bool *what)
{
    __atomic_store_n(what, true, __ATOMIC_SEQ_CST);
    sem_post(&w->call);
}

/* ---- The threads ------------------------------------------------------------------------ */

/* What a crew pays for: about one part of a trace (segmenter.c). */
enum { CREW_BYTES = 1 << 26 };

/* Lets the crew build, when the spool is closed and much waits.  From then on no new keeper is made,
 * so the current entries stay in memory to the end: that is why it does not happen earlier. */
static void call_crew(struct wpp_worker *w)
{
    if (w->last_kept || !w->runs->crew.size || !wpp_spool_is_closed(w->spool))
        return;
    if (wpp_spool_get_sizes(w->spool).waiting < CREW_BYTES)
        return;
    w->last_kept = true;
    wpp_process_files_call_crew(w->runs);
}

static void work(struct wpp_worker *w, bool idles)
{
    enum { LOOK_MILLISECONDS = 100, ENTRIES_BETWEEN_LOOKS = 16 };
    struct wpp_spool_entry e;
    enum wpp_spool_took took;
    unsigned entries = 0;
    bool published = true;

    for (;;) {
        took = wpp_spool_take(w->spool, &e, published ? -1 : LOOK_MILLISECONDS);
        if (took == WPP_SPOOL_PAUSED || took == WPP_SPOOL_CLOSED)
            break;
        if (took == WPP_SPOOL_ENTRY) {
            /* The end of a grammar may take long: say before it that everything is compressed. */
            if (e.kind == WPP_SPOOL_OVER)
                publish(w);
            act(w, &e);
            wpp_spool_done(w->spool);
        }
        published = took == WPP_SPOOL_NOTHING || ++entries % ENTRIES_BETWEEN_LOOKS == 0;
        if (published)
            publish(w);
        call_crew(w);
        if (w->last_kept ||
            !wpp_standby_is_due(&w->keeper, w->figures.memory, wpp_spool_kept(w->spool)))
            continue;
        if (idles) {
            call(w, &w->wants_keeper);
            wait_on(&w->kept);
        } else {
            keep(w);
        }
    }
    publish(w);
}

static void *work_idly(void *argument)
{
    struct wpp_worker *w = argument;

    sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
    work(w, true);
    call(w, &w->idle_is_over);
    return NULL;
}

/* Makes keepers for the idle thread as long as that works. */
static void help(struct wpp_worker *w)
{
    while (!__atomic_load_n(&w->idle_is_over, __ATOMIC_SEQ_CST)) {
        wait_on(&w->call);
        if (__atomic_exchange_n(&w->wants_keeper, false, __ATOMIC_SEQ_CST)) {
            keep(w);
            sem_post(&w->kept);
        }
        if (__atomic_load_n(&w->hurries, __ATOMIC_SEQ_CST))
            wpp_spool_pause(w->spool, true);
    }
    pthread_join(w->idle, NULL);
    wpp_spool_pause(w->spool, false);
}

/* Whether the program has ended within a moment, with little to compress.  A keeper and an idle thread would
 * take longer to make, and to end, than the work: on a busy machine the idle thread waits long until it gets a
 * processor to end on.  Until then records wait in the spool. */
static bool is_short(struct wpp_worker *w)
{
    enum { SHORT_MILLISECONDS = 20, SHORT_BYTES = 1 << 20 };

    return w->idles && wait_for(&w->call, SHORT_MILLISECONDS) &&
           wpp_spool_get_sizes(w->spool).waiting <= SHORT_BYTES;
}

static void *work_eagerly(void *argument)
{
    struct wpp_worker *w = argument;
    bool hurries;

    w->last_kept = is_short(w);
    hurries = __atomic_load_n(&w->hurries, __ATOMIC_SEQ_CST);
    /* The first keeper.  It may be late: the spool holds all records. */
    if (!w->last_kept && wpp_standby_is_due(&w->keeper, 0, 0))
        keep(w);
    if (w->idles && !hurries && pthread_create(&w->idle, NULL, work_idly, w) == 0)
        help(w);
    work(w, false);
    /* Some processes are left if the spool was dropped. */
    wpp_process_files_all_over(w->runs, wpp_spool_failed(w->spool) ? WPP_ENDED_DISK
                                                                   : WPP_ENDED_INTERRUPT);
    __atomic_store_n(&w->over, true, __ATOMIC_RELEASE);
    sem_post(&w->end);
    return NULL;
}

/* Starts the threads with all signals blocked: only the calling thread gets signals. */
int wpp_worker_start(struct wpp_worker *w)
{
    sigset_t all, old;
    int error;

    sem_init(&w->call, 0, 0);
    sem_init(&w->kept, 0, 0);
    sem_init(&w->end, 0, 0);
    w->idles = !w->hurries;
    w->last_kept = false;
    w->wants_keeper = w->idle_is_over = w->over = false;
    w->figures = (struct wpp_process_files_figures){0};
    wpp_standby_init(&w->keeper);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    error = pthread_create(&w->eager, NULL, work_eagerly, w);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return error;
}

void wpp_worker_hurry(struct wpp_worker *w)
{
    call(w, &w->hurries);
}

bool wpp_worker_is_over(struct wpp_worker *w, unsigned milliseconds)
{
    return __atomic_load_n(&w->over, __ATOMIC_ACQUIRE) || wait_for(&w->end, milliseconds);
}

void wpp_worker_end(struct wpp_worker *w)
{
    pthread_join(w->eager, NULL);
    wpp_standby_free(&w->keeper);
    sem_destroy(&w->call);
    sem_destroy(&w->kept);
    sem_destroy(&w->end);
}
