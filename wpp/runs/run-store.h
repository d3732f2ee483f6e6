/* SPDX-License-Identifier: MIT */
/* run-store.h - a folder that holds many recorded runs.
 *
 *      DIR/runs.sqlite      the index: a row for each run and each of its processes, their labels, and
 *                           the files of processes, but large ones
 *      DIR/large/           files of processes that are too large for the index
 *      DIR/new/             runs that wait to be taken into the index (run-inbox.h): run_store_open() does so
 *
 * Packed runs are in the index in a shorter form (run-pack.h), with what the runs of a build share.
 *
 * A run is what one program did, with all processes that recorded: each has a WPP.  A run is there as
 * a whole or not at all: its rows come in one transaction, and a large file has its name before that.
 * Each run has a key, a random number that its writer chose.  A run whose key is there already is not
 * added again; so a writer may be killed at any moment, and another may add the same run.
 *
 * Several processes of one machine may use a store at the same time, if its disk is a local one.
 * This is the only file that calls SQLite.
 */
#ifndef WPP_RUN_STORE_H
#define WPP_RUN_STORE_H

#include "wpp/base/bytes.h"
#include "wpp/wpp.h"

enum run_label { RUN_UNKNOWN, RUN_PASS, RUN_FAIL };
extern const char *const run_label_names[];    /* `unknown`, `pass`, `fail`, NULL */

enum { RUN_KEY_BYTES = 16 };
struct run_key { uint8_t byte[RUN_KEY_BYTES]; };
void run_key_new(struct run_key *key);

/* A process of a run to be added. */
struct run_process {
    const char *program;           /* for people */
    struct wpp_bytes file;         /* a whole WPP */
};

struct new_run {
    struct run_key key;
    enum run_label label;
    uint32_t exited, killed;       /* as in struct wpp_summary; of the program that was run */
    const char *job;               /* of a rank of a parallel program: what all ranks have in common;
                                      NULL: the run is none */
    int64_t rank;
    struct run_process *process;
    uint32_t n_processes;          /* at least 1 */
};

/* Strings live until the next step of the walk. */
struct stored_run {
    int64_t id;                    /* 1, 2, 3 ... in the order in which runs were added */
    struct run_key key;
    enum run_label label;
    uint32_t exited, killed;
    const char *program, *command; /* of the first process */
    uint64_t started;              /* seconds since 1970 */
    uint64_t events, bytes;        /* of all processes; bytes: of their WPPs */
    uint64_t stored;               /* bytes that they take in the store */
    uint32_t n_processes;
    const char *job;               /* "": it is no rank */
    int64_t rank;
    int64_t build;                 /* runs have the same number if the modules of the first process
                                      are the same */
};

/* Which runs: all of them, or those with a label, or of a job, or those with the given numbers. */
struct run_choice {
    bool by_label;
    enum run_label label;
    const char *job;               /* NULL: any */
    const int64_t *ids;            /* NULL: any */
    size_t n_ids;
};

struct run_store;

enum run_store_use {
    RUN_STORE_READ,                /* it must exist */
    RUN_STORE_WRITE,               /* it must exist */
    RUN_STORE_CREATE               /* is made, with its folder, if it does not exist */
};

/* Takes runs that wait into the index.  WPP_E_SYSTEM, _MEMORY, _FORMAT (no store), _VERSION, _DAMAGED. */
struct run_store *run_store_open(const char *folder, enum run_store_use use,
                                 struct wpp_error *error);
void run_store_close(struct run_store *s);
/* How many runs that waited are damaged: they were left where they are, in DIR/new. */
uint32_t run_store_unread(const struct run_store *s);
/* How many runs wait there still, since this process may not write the index. */
uint32_t run_store_waiting(const struct run_store *s);

/* Whether runs can be added to a store, which is made if it does not exist; a store that is known to be
 * one is not opened.  Errors as run_store_open(). */
bool run_store_may_add(const char *folder, struct wpp_error *error);

/* Adds a run; *id is its number, also if it was there already.  All are or none is.  WPP_E_SYSTEM,
 * _MEMORY; and what is wrong with a process's file: WPP_E_FORMAT, _VERSION, _DAMAGED, _INCOMPLETE. */
bool run_store_add(struct run_store *s, const struct new_run *run, int64_t *id,
                   struct wpp_error *error);

/* WPP_E_ARGUMENT: there is no such run. */
bool run_store_label(struct run_store *s, int64_t id, enum run_label label,
                     struct wpp_error *error);
bool run_store_remove(struct run_store *s, int64_t id, struct wpp_error *error);

/* Packs all runs in the index that are not packed yet, so that they take less room; other processes may
 * use the store meanwhile.  What cannot be packed stays as it is.  WPP_E_SYSTEM, _MEMORY, _DAMAGED. */
struct run_store_figures { uint64_t processes, before, after, shared; };   /* packed; and bytes */
bool run_store_pack(struct run_store *s, struct run_store_figures *figures, struct wpp_error *error);

/* Removes files that no run has, as a killed writer may leave them, and gives free room back to the
 * disk. */
bool run_store_tidy(struct run_store *s, struct wpp_error *error);

/* Calls `each` for the chosen runs, by number, until it returns false.  False: WPP_E_SYSTEM, _DAMAGED;
 * WPP_E_ARGUMENT: a number of the choice is no run's; or `each` returned false, which must set *error. */
typedef bool run_store_visit(void *ctx, const struct stored_run *run, struct wpp_error *error);
bool run_store_walk(struct run_store *s, const struct run_choice *choice, run_store_visit *each,
                    void *ctx, struct wpp_error *error);

/* The job of the last run that is a rank, from malloc.  NULL: WPP_E_ARGUMENT: no run is; WPP_E_SYSTEM,
 * _MEMORY, _DAMAGED. */
char *run_store_last_job(struct run_store *s, struct wpp_error *error);

/* The WPP of a process, counted from 0, exactly as it was added.  WPP_E_ARGUMENT: there is none. */
bool run_store_load(struct run_store *s, int64_t id, uint32_t process, struct wpp_bytes *file,
                    struct wpp_error *error);

/* Copies the index, as it is now, into an existing folder, which is a store then.  Large files are those of
 * this store.  WPP_E_SYSTEM, _MEMORY. */
bool run_store_copy(struct run_store *s, const char *folder, struct wpp_error *error);

/* Adds all runs of another store that are not there yet; *added: how many. */
bool run_store_merge(struct run_store *s, struct run_store *from, uint64_t *added,
                     struct wpp_error *error);

#endif
