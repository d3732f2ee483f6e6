/* SPDX-License-Identifier: MIT */
/* profile-sum.h - a sum of path profiles, in memory and in a file that several processes add to.
 *
 *      profile_sum_begin -> profile_sum_add ... -> profile_sum_store -> profile_sum_free
 *
 * The file FILE is only replaced as a whole.  Who replaces it has a lock meanwhile on another file,
 * .FILE.lock in the same folder, which is never replaced or removed:
 *
 *      lock | read FILE, add, write a file without a name | rename it to FILE | unlock
 *
 * The kernel drops the lock when the process ends.  A process that is killed leaves the old FILE or
 * the new one.
 */
#ifndef WPP_PROFILE_SUM_H
#define WPP_PROFILE_SUM_H

#include <stddef.h>

#include "wpp/base/bytes.h"
#include "wpp/wpp.h"

struct profile_sum_item {
    struct wpp_bytes file;
    char *name;                          /* for messages */
};

/* Profiles wait until there are some, and then become one: so memory is bounded. */
enum { PROFILE_SUM_WAITING = 32, PROFILE_SUM_BYTES = 16 << 20 };

struct profile_sum {
    char *path;                          /* FILE, behind symbolic links */
    char *lock;
    bool any;                            /* `kind` and `part` are those of FILE or of an item */
    uint32_t kind;
    struct wpp_part_of_profile part;
    char *first;                         /* the name of what they are of */
    struct profile_sum_item item[PROFILE_SUM_WAITING];
    uint32_t n;
    size_t bytes;                        /* of all items */
    uint64_t runs;                       /* added so far */
    uint64_t executions;                 /* of these */
    /* What the sum does not say: profile-merge.h. */
    uint64_t unread;
    uint32_t n_apart, n_routines;
    char *apart;                         /* `main (prog.c:17)`; or NULL */
    /* The caller's, after profile_sum_begin(), or NULL: it is called a hundred times a second while
     * another process has the lock.  False: give up. */
    bool (*waits)(void *ctx);
    void *ctx;
};

/* How far a store has come.  In memory that is shared with a fork, it tells the fork of a process
 * that was killed in there whether FILE has been replaced. */
struct profile_sum_step {
    uint32_t state;                      /* atomic; enum profile_sum_state */
    char temporary[4608];
};
enum profile_sum_state {
    PROFILE_SUM_BEGUN,                   /* FILE is the old one */
    PROFILE_SUM_NAMING,                  /* the same; `temporary` may exist */
    PROFILE_SUM_NAMED                    /* `temporary` exists, or has become FILE */
};

/* Begins an empty sum for FILE, which need not exist.  False if nothing can be added to FILE: it is
 * no path profile or is damaged, or the folder cannot be written.  WPP_E_ARGUMENT, _SYSTEM, _MEMORY,
 * _FORMAT, _VERSION, _DAMAGED. */
bool profile_sum_begin(struct profile_sum *s, const char *path, struct wpp_error *error);
void profile_sum_free(struct profile_sum *s);

/* Adds a profile; takes `file` over if it does.  A WPP without events adds nothing.  WPP_E_ARGUMENT: it
 * is no path profile, or it counts something else than FILE or what was added before. */
bool profile_sum_add(struct profile_sum *s, struct wpp_bytes *file, const char *name,
                     struct wpp_error *error);

/* The sum as a file, for a sum without FILE, which is one of zeros; it must not be empty. */
bool profile_sum_finish(struct profile_sum *s, struct wpp_bytes *file, struct wpp_error *error);

/* Adds the sum to FILE, under the lock.  After a failure FILE is what it was.  `step` may be NULL. */
bool profile_sum_store(struct profile_sum *s, struct profile_sum_step *step,
                       struct wpp_error *error);
/* Writes it to a new file instead, without a lock. */
bool profile_sum_store_apart(struct profile_sum *s, const char *path, struct wpp_error *error);

#endif
