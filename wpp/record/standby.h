/* SPDX-License-Identifier: MIT */
/* standby.h - a process that keeps what we know, for the case that we are killed.
 *
 * A fork of ours that sleeps: the kernel gives it our memory as it is at that moment,
 * page by page as we change it.  When we are gone it wakes and ends our work: what came
 * after it was made is in the spool, which is shared.  It is renewed when the spool
 * keeps much for it.
 */
#ifndef WPP_STANDBY_H
#define WPP_STANDBY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wpp/record/spool.h"

struct wpp_standby {
    pid_t pid;                   /* 0: there is none */
    bool failed;                 /* none could be made last time */
    int us;                      /* a pidfd */
    double made;                 /* seconds */
    uint32_t *taken;             /* shared: one has begun to end our work */
};

/* False: this kernel cannot. */
bool wpp_standby_init(struct wpp_standby *k);

/* Whether it is time for another one; `memory`: what we change all the time. */
bool wpp_standby_is_due(const struct wpp_standby *k, uint64_t memory, uint64_t kept);

/* Makes another one, between two entries that are taken from the spool.  Returns false; in
 * the keeper true, when we have ended without dropping it. */
bool wpp_standby_renew(struct wpp_standby *k, struct wpp_spool *spool);
void wpp_standby_drop(struct wpp_standby *k);
/* Drops it for good. */
void wpp_standby_free(struct wpp_standby *k);

#endif
