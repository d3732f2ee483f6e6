/* SPDX-License-Identifier: MIT */
/* spool.h - a queue of records from the thread that takes them to the one that compresses them.
 *
 *      wpp_spool_put ... --- one thread ---> | blocks | --- another ---> wpp_spool_take ...
 *
 * The queue is in memory, so a program need not wait for the engine.  Waiting records are
 * squeezed as they come (word-lz.h) if there is time.  Beyond the limit they go to a file on disk
 * (spool-blocks.h).  If that has no room either, the producer waits.
 * Neither side holds a lock: a side without a processor does not stop the other.
 *
 * A fork shares the memory.  It reads on from the point where it was made, also entries put
 * later.  For that, entries are kept after they are taken until there is a later fork.
 */
#ifndef WPP_SPOOL_H
#define WPP_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wpp/record/spool-disk.h"

struct wpp_spool;

enum wpp_spool_kind {
    WPP_SPOOL_BYTES,             /* whole records */
    WPP_SPOOL_FILE,              /* an open file that the next record names: module-files.h */
    WPP_SPOOL_LOOK,              /* records of a process that goes on, to stand behind its
                                    earlier ones */
    WPP_SPOOL_OVER               /* the process is over; one byte, an enum wpp_ended */
};

struct wpp_spool_entry {
    enum wpp_spool_kind kind;
    uint32_t process;
    const void *bytes;
    size_t n;
};

/* `limit`: approximate bytes of memory for waiting records.  `disk`: takes what is beyond it, if the
 * limit is 16 MB or more; or NULL.  It must outlive the spool.  NULL without memory. */
struct wpp_spool *wpp_spool_new(uint64_t limit, struct wpp_spool_disk *disk);
void wpp_spool_free(struct wpp_spool *spool);

/* Copies the entry.  `hurry`: takes as little time as possible.  False: the entry is larger than
 * the spool can be.  After wpp_spool_drop() the entry is forgotten. */
bool wpp_spool_put(struct wpp_spool *spool, const struct wpp_spool_entry *entry, bool hurry);
/* The producer puts no more. */
void wpp_spool_close(struct wpp_spool *spool);
/* For the consumer. */
bool wpp_spool_is_closed(const struct wpp_spool *spool);
/* Closes the spool, and waiting entries are not given any more. */
void wpp_spool_drop(struct wpp_spool *spool);

enum wpp_spool_took { WPP_SPOOL_ENTRY, WPP_SPOOL_NOTHING, WPP_SPOOL_PAUSED, WPP_SPOOL_CLOSED };

/* The oldest entry; the spool owns it until wpp_spool_done().  Waits at most `milliseconds`
 * (then NOTHING); -1: no limit.  PAUSED while the spool is paused; CLOSED when no more will
 * come. */
enum wpp_spool_took wpp_spool_take(struct wpp_spool *spool, struct wpp_spool_entry *entry,
                                   int milliseconds);
void wpp_spool_done(struct wpp_spool *spool);
/* Tells the consumer to stop, or to go on. */
void wpp_spool_pause(struct wpp_spool *spool, bool pause);

/* In bytes. */
struct wpp_spool_sizes {
    uint64_t waiting;            /* of waiting records */
    uint64_t memory, disk;       /* that they take */
};
struct wpp_spool_sizes wpp_spool_get_sizes(const struct wpp_spool *spool);
/* 0, or errno: waiting records could not be read from the disk.  Then the spool drops itself. */
int wpp_spool_failed(const struct wpp_spool *spool);

/* ---- Forks -------------------------------------------------------------------------
 * The consumer calls these between two entries, or another thread while the consumer waits. */

/* In the child: nothing more is put; the entries so far are given, and then the spool is closed. */
void wpp_spool_inherit(struct wpp_spool *spool);
/* In the parent after fork(): consumed blocks may be reused.  `keeps`: this fork may need all
 * entries taken from now on, so they are kept. */
void wpp_spool_forked(struct wpp_spool *spool, bool keeps);
/* Bytes, in memory and on disk, kept only for the fork.  UINT64_MAX: the producer waits for these blocks. */
uint64_t wpp_spool_kept(const struct wpp_spool *spool);

#endif
