/* SPDX-License-Identifier: MIT */
/* child.h - starts the recorded program, passes signals on to it and waits for it.
 *
 * For wpp-record's main(): the signal handlers know only one program.
 */
#ifndef WPP_CHILD_H
#define WPP_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "wpp/record/recorder.h"

struct child {
    pid_t pid;
    bool ended;
    int status;                  /* of waitpid, when ended */
    bool has_children;           /* when ended: its children have become ours */
};

/* Whether this signal, which asks us to end, is passed on to the program. */
bool child_forwards(int signal);

/* Starts the program.  0, or an errno value: it cannot be run.  From here on signals wake the
 * recorder.  `switching`: the signal that child_switched() reports, or 0.  `aside`: the
 * program's standard output goes to our standard error. */
int child_start(struct child *p, char **command, int switching, bool aside,
                struct wpp_recorder *recorder);
/* The file of that program: found in PATH, if its name contains no folder.  The caller frees it.
 * NULL: it is not there. */
char *child_file(const char *name);
/* Restores the signals' earlier actions, but ignores the switching signal. */
void child_let_go(void);

/* Waits for those children that have ended. */
void child_reap(struct child *p);
/* 1 + its exit status, and the signal that killed it; else 0. */
unsigned child_exited(const struct child *p);
unsigned child_killed(const struct child *p);
/* The exit status as a shell would report it. */
int child_exit_status(const struct child *p);

/* Whether a signal asked us to end. */
bool child_asked_to_end(void);
/* The number of SIGINTs so far. */
unsigned child_interrupts(void);
/* Whether the switching signal has come since the last call. */
bool child_switched(void);

#endif
