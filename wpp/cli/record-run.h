/* SPDX-License-Identifier: MIT */
/* record-run.h - wpp-record's run, on its way into a store (wpp/runs/run-store.h).
 *
 *      record_run_begin | program runs | record_run_take ... | record_run_store | record_run_judge
 *                                        a finished file each  all of them
 *
 * A keeper of a killed recorder stores the run with the same key, so it is never there twice.
 */
#ifndef WPP_RECORD_RUN_H
#define WPP_RECORD_RUN_H

#include "wpp/runs/run-store.h"

enum record_label { RECORD_LABEL_AUTO, RECORD_LABEL_PASS, RECORD_LABEL_FAIL };
extern const char *const record_label_names[];     /* `auto`, `pass`, `fail`, NULL */

struct record_run {
    const char *folder;            /* the caller's */
    enum record_label label;
    bool numbered;                 /* the run's number is wanted at once */
    const char *oracle;            /* a shell command that judges the run; or NULL */
    char *path;                    /* for files that the store does not take */
    struct run_key key;
    char *job;                     /* of a rank of a parallel program, or NULL */
    int64_t rank;
    struct run_process *process;
    uint32_t n;
    int64_t id;                    /* when it is stored and has a number; else 0 */
};

/* How the program ended. */
struct record_end {
    bool known;                    /* whether it is known at all */
    uint32_t pid, exited, killed;  /* as in struct wpp_summary */
};

/* Makes the store, if there is none.  Dies if nothing can be added to it. */
void record_run_begin(struct record_run *r);
void record_run_free(struct record_run *r);

/* Takes a finished file over. */
bool record_run_take(struct record_run *r, const char *program, struct wpp_bytes *file,
                     struct wpp_error *error);

/* Adds the run to the store, or lets it wait there if its number is not wanted, if any process has recorded.  After a failure the files are written beside
 * the store's, which is said.  False: they are lost, or not in the store. */
bool record_run_store(struct record_run *r, const struct record_end *end, struct wpp_error *error);

/* Runs the oracle, if there is one, and labels the stored run by its exit status.  Dies if the store
 * cannot be changed. */
void record_run_judge(struct record_run *r, const struct record_end *end);

#endif
