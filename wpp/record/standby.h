/* SPDX-License-Identifier: MIT */
/* standby.h - a process that finishes our work if we are killed.
 *
 * The keeper is a sleeping fork of ours.  The kernel gives it our memory as it is at that
 * moment, page by page as we change it.  When we are gone, it wakes and finishes the work: later
 * records are in the spool, which is shared.  We renew the keeper when the spool keeps much
 * memory for it.
 */
#ifndef WPP_STANDBY_H
#define WPP_STANDBY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wpp/record/spool.h"

struct wpp_standby {
    pid_t pid;                   /* 0: there is none */
    bool failed;                 /* the last fork has failed */
    int us;                      /* a pidfd of this process */
    double made;                 /* in seconds */
    uint32_t *taken;             /* shared; 1: a keeper has begun to finish our work */
};

/* False: this kernel does not support keepers. */
bool wpp_standby_init(struct wpp_standby *k);

/* Whether it is time for another keeper; `memory`: bytes that we change all the time. */
bool wpp_standby_is_due(const struct wpp_standby *k, uint64_t memory, uint64_t kept);

/* Makes another keeper, between two entries taken from the spool.  Returns false in this
 * process.  Returns true in the keeper, if this process has ended without dropping it. */
bool wpp_standby_renew(struct wpp_standby *k, struct wpp_spool *spool);
void wpp_standby_drop(struct wpp_standby *k);
/* Drops the keeper and frees the rest. */
void wpp_standby_free(struct wpp_standby *k);

#endif
