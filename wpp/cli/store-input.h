/* SPDX-License-Identifier: MIT */
/* store-input.h - runs of a store, for tools that read many of them. */
#ifndef WPP_STORE_INPUT_H
#define WPP_STORE_INPUT_H

#include "wpp/runs/run-store.h"

/* The store, or dies. */
struct run_store *store_open(const char *folder, enum run_store_use use);

/* The WPPs of a run's processes, n_processes of them, in an array from malloc; NULL: *error. */
wpp **store_open_run(struct run_store *s, const struct stored_run *run, struct wpp_error *error);
void store_close_run(wpp **process, uint32_t n);
/* Whether they have all that says which paths were executed. */
bool store_run_is_usable(wpp *const *process, uint32_t n);
/* A process of a run; NULL: *error. */
wpp *store_open_process(struct run_store *s, int64_t id, uint32_t process, struct wpp_error *error);
/* The first process of a run, or dies. */
wpp *store_open_first(struct run_store *s, int64_t id);

#endif
