/* SPDX-License-Identifier: MIT */
/* spool.h - records on their way from who takes them to who compresses them.
 *
 *      wpp_spool_put ... --- one thread ---> | blocks | --- another ---> wpp_spool_take ...
 *
 * A queue in memory, so that a program need not wait for the engine.  What piles up is
 * squeezed as it comes (word-lz.h), when there is time for that; whoever puts more than
 * the limit waits.  No lock is held by either side: one that has no processor does not
 * keep the other from its work.
 *
 * A fork shares the memory.  It reads on from where it was made, also what is put later,
 * since what has been taken is kept until there is a later fork.
 */
#ifndef WPP_SPOOL_H
#define WPP_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wpp_spool;

enum wpp_spool_kind {
    WPP_SPOOL_BYTES,             /* whole records */
    WPP_SPOOL_FILE,              /* a file that the next record names is open: module-files.h */
    WPP_SPOOL_LOOK,              /* the process goes on; these are to stand behind what it said */
    WPP_SPOOL_OVER               /* the process is over; a byte of enum wpp_ended */
};

struct wpp_spool_entry {
    enum wpp_spool_kind kind;
    uint32_t process;
    const void *bytes;
    size_t n;
};

/* `limit`: bytes of memory for what waits, about.  NULL without memory. */
struct wpp_spool *wpp_spool_new(uint64_t limit);
void wpp_spool_free(struct wpp_spool *spool);

/* Copies the entry.  `hurry`: whatever takes less time.  False: it is larger than the spool
 * can be. */
bool wpp_spool_put(struct wpp_spool *spool, const struct wpp_spool_entry *entry, bool hurry);
/* No more is put. */
void wpp_spool_close(struct wpp_spool *spool);
/* For who takes. */
bool wpp_spool_is_closed(const struct wpp_spool *spool);
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
void wpp_spool_get_sizes(const struct wpp_spool *spool, uint64_t *waiting, uint64_t *held);

/* ---- Forks -------------------------------------------------------------------------
 * All of these are for who takes, or while that one waits, between two entries. */

/* In the child: nobody puts any more, what has been put is given, and then it is closed. */
void wpp_spool_inherit(struct wpp_spool *spool);
/* Where they are made: what was taken before is of no use any more.  `keeps`: there is a
 * fork that may need all that is taken from now on. */
void wpp_spool_forked(struct wpp_spool *spool, bool keeps);
/* Bytes that are kept for it alone.  UINT64_MAX: whoever puts waits for them. */
uint64_t wpp_spool_kept(const struct wpp_spool *spool);

#endif
