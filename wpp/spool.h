/* SPDX-License-Identifier: MIT */
/* spool.h - records on their way from who takes them to who compresses them.
 *
 *      wpp_spool_put ... --- one thread ---> | blocks | --- another ---> wpp_spool_take ...
 *
 * A queue in memory, so that a program need not wait for the engine.  What piles up is
 * squeezed by zstd as it comes, when there is time for that; whoever puts more than
 * the limit waits.
 */
#ifndef WPP_SPOOL_H
#define WPP_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct wpp_spool;

enum wpp_spool_kind {
    WPP_SPOOL_BYTES,             /* whole records */
    WPP_SPOOL_LOOK,              /* the process goes on; these are to stand behind what it said */
    WPP_SPOOL_OVER               /* the process is over; no bytes */
};

struct wpp_spool_entry {
    enum wpp_spool_kind kind;
    uint32_t process;
    const void *bytes;
    size_t n;
};

/* `limit`: bytes of memory, about.  NULL without memory. */
struct wpp_spool *wpp_spool_new(uint64_t limit);
void wpp_spool_free(struct wpp_spool *spool);

/* Copies the entry.  `hurry`: there is no time to squeeze it.  False without memory. */
bool wpp_spool_put(struct wpp_spool *spool, const struct wpp_spool_entry *entry, bool hurry);
/* No more is put. */
void wpp_spool_close(struct wpp_spool *spool);
/* Nor is what waits given any more. */
void wpp_spool_drop(struct wpp_spool *spool);

enum wpp_spool_took { WPP_SPOOL_ENTRY, WPP_SPOOL_NOTHING, WPP_SPOOL_PAUSED, WPP_SPOOL_CLOSED };

/* The oldest entry, which stays the spool's until wpp_spool_done().  Waits for one at
 * most so many milliseconds (NOTHING), -1: as long as it takes.  PAUSED as long as it is;
 * CLOSED when no more will come. */
enum wpp_spool_took wpp_spool_take(struct wpp_spool *spool, struct wpp_spool_entry *entry,
                                   int milliseconds);
void wpp_spool_done(struct wpp_spool *spool);
/* Whoever takes is told to stop, or to go on. */
void wpp_spool_pause(struct wpp_spool *spool, bool pause);

/* Bytes of records that wait, and the memory that they take. */
void wpp_spool_get_sizes(struct wpp_spool *spool, uint64_t *waiting, uint64_t *held);

/* fork(), for who takes, between two entries.  The child's spool is closed: it has what
 * had been put. */
pid_t wpp_spool_fork(struct wpp_spool *spool);

#endif
