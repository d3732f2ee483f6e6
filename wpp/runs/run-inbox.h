/* SPDX-License-Identifier: MIT */
/* run-inbox.h - runs that wait, as a file each, until a process that has opened the store's index takes them
 * into it.
 *
 *      DIR/new/TIME-KEY     u32 "wri1" | key | label, exited, killed, job, rank |
 *                           processes: program, bytes, WPP | u64 checksum
 *
 * To put a run there is one write, while to open the index takes longer than a short program runs.  A file has
 * its name when it is whole.  TIME, in nanoseconds and of 16 hexadecimal digits, gives runs their order.
 */
#ifndef WPP_RUN_INBOX_H
#define WPP_RUN_INBOX_H

#include "wpp/runs/run-store.h"

/* Whether a run may wait so: a large one is better in the store's own file. */
bool run_inbox_fits(const struct new_run *run);

/* Puts a run there.  WPP_E_SYSTEM, _MEMORY. */
bool run_inbox_put(const char *folder, const struct new_run *run, struct wpp_error *error);

/* The names of all files there, in the order of time; *n of them.  False: WPP_E_SYSTEM, _MEMORY. */
bool run_inbox_list(const char *folder, char ***names, size_t *n, struct wpp_error *error);
void run_inbox_free_names(char **names, size_t n);

/* Reads a file; *found false: another process has taken it.  False: WPP_E_DAMAGED: it is no whole run;
 * WPP_E_SYSTEM, _MEMORY.  After success call run_inbox_free(). */
struct waiting_run {
    struct new_run run;
    struct wpp_bytes file;     /* which the run's strings and WPPs are in */
    char *strings;
};
bool run_inbox_read(const char *folder, const char *name, struct waiting_run *out, bool *found,
                    struct wpp_error *error);
void run_inbox_free(struct waiting_run *w);
/* Removes a file; it may be gone already. */
void run_inbox_remove(const char *folder, const char *name);

#endif
