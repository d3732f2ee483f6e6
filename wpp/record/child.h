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

struct program {
    pid_t pid;
    bool ended;
    int status;                  /* of waitpid, when ended */
    bool has_children;           /* that have become ours, when ended */
};

/* Whether the signal, when it asks us to end, is passed on to the program. */
bool program_forwards(int signal);

/* 0, or why it cannot be run.  From here on signals wake the recorder; `switching` (or
 * 0) is one that program_switched() tells of.  `aside`: what it writes to its standard
 * output goes to our standard error. */
int program_start(struct program *p, char **command, int switching, bool aside,
                  struct wpp_recorder *recorder);
/* Where that program is: on PATH, if its name says no folder; the caller's to free.  NULL
 * when it is not there. */
char *program_file(const char *name);
/* Signals do again what they did before; one that switches is ignored. */
void program_let_go(void);

/* Waits for those children that have ended. */
void program_reap(struct program *p);
/* 1 + the status with which it ended, and the signal that killed it; else 0. */
unsigned program_exited(const struct program *p);
unsigned program_killed(const struct program *p);
/* As a shell would say it. */
int program_exit_status(const struct program *p);

/* Somebody wants us to end. */
bool program_asked_to_end(void);
/* How often SIGINT has come. */
unsigned program_interrupts(void);
/* The switching signal has come since this was asked last. */
bool program_switched(void);

#endif
