/* SPDX-License-Identifier: MIT */
/* child.h - the program that is recorded: started, told what we are told, waited for.
 *
 * For wpp-record's main(): signal handlers know of one program only.
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
    bool has_children;           /* that have become ours, when ended */
};

/* Whether the signal, when it asks us to end, is passed on to the program. */
bool child_forwards(int signal);

/* 0, or why it cannot be run.  From here on signals wake the recorder; `switching` (or
 * 0) is one that child_switched() tells of.  `aside`: what it writes to its standard
 * output goes to our standard error. */
int child_start(struct child *p, char **command, int switching, bool aside,
                struct wpp_recorder *recorder);
/* Where that program is: on PATH, if its name says no folder; the caller's to free.  NULL
 * when it is not there. */
char *child_file(const char *name);
/* Signals do again what they did before; one that switches is ignored. */
void child_let_go(void);

/* Waits for those children that have ended. */
void child_reap(struct child *p);
/* 1 + the status with which it ended, and the signal that killed it; else 0. */
unsigned child_exited(const struct child *p);
unsigned child_killed(const struct child *p);
/* As a shell would say it. */
int child_exit_status(const struct child *p);

/* Somebody wants us to end. */
bool child_asked_to_end(void);
/* How often SIGINT has come. */
unsigned child_interrupts(void);
/* The switching signal has come since this was asked last. */
bool child_switched(void);

#endif
