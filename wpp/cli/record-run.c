/* SPDX-License-Identifier: MIT */
#include "wpp/cli/record-run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "wpp/base/error.h"
#include "wpp/base/whole-file.h"
#include "wpp/cli/rank-of.h"
#include "wpp/cli/tool.h"
#include "wpp/read/reader.h"
#include "wpp/runs/run-inbox.h"

const char *const record_label_names[] = {"auto", "pass", "fail", NULL};

void record_run_begin(struct record_run *r)
{
    struct wpp_error error;

    if (!run_store_may_add(r->folder, &error))
        tool_die_error(&error);
    run_key_new(&r->key);
    rank_of(&r->rank, &r->job);
    if (asprintf(&r->path, "%s/.unstored-%02x%02x%02x%02x", r->folder, r->key.byte[0], r->key.byte[1],
                 r->key.byte[2], r->key.byte[3]) < 0)
        tool_die_of_memory();
}

void record_run_free(struct record_run *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        free((char *)r->process[i].program);
        wpp_bytes_free(&r->process[i].file);
    }
    free(r->process);
    free(r->path);
    free(r->job);
    *r = (struct record_run){0};
}

bool record_run_take(struct record_run *r, const char *program, struct wpp_bytes *file,
                     struct wpp_error *error)
{
    struct run_process *larger = realloc(r->process, (r->n + (size_t)1) * sizeof *larger);
    char *name = strdup(program);

    if (larger)
        r->process = larger;
    if (!larger || !name) {
        free(name);
        return wpp_fail_memory(error);
    }
    r->process[r->n++] = (struct run_process){name, *file};
    *file = (struct wpp_bytes){0};
    return true;
}

/* The program itself comes first, though processes that it started may have ended before it. */
static void put_first(struct record_run *r, uint32_t pid)
{
    for (uint32_t i = 1; i < r->n; i++) {
        const struct wpp_bytes *file = &r->process[i].file;
        wpp *w = wpp_open_memory_intact(file->data, file->size, "", NULL);
        struct wpp_summary run = {0};

        if (w)
            wpp_get_summary(w, &run);
        wpp_close(w);
        if (run.pid != pid)
            continue;
        struct run_process program = r->process[i];
        memmove(r->process + 1, r->process, i * sizeof *r->process);
        r->process[0] = program;
        return;
    }
}

/* As long as an oracle has not judged it, a run has no label. */
static enum run_label label_of(const struct record_run *r, const struct record_end *end)
{
    if (r->oracle)
        return RUN_UNKNOWN;
    if (r->label != RECORD_LABEL_AUTO)
        return r->label == RECORD_LABEL_PASS ? RUN_PASS : RUN_FAIL;
    if (!end->known)
        return RUN_UNKNOWN;
    return end->exited == 1 ? RUN_PASS : RUN_FAIL;
}

/* So that what was recorded is not lost. */
static void keep_apart(const struct record_run *r, const struct wpp_error *why)
{
    struct wpp_error error;

    for (uint32_t i = 0; i < r->n; i++) {
        const struct wpp_bytes *file = &r->process[i].file;
        struct wpp_output *out;
        char *path;

        if (asprintf(&path, "%s.%u.wpp", r->path, i) < 0)
            tool_die_of_memory();
        out = wpp_output_open(path, 0, &error);
        if (out && wpp_output_write(out, file->data, file->size, &error)) {
            if (wpp_output_commit(out, &error))
                tool_warn("%s; the run is in %s", why->text, path);
            else
                tool_warn("%s; the run is lost", why->text);
        } else {
            wpp_output_abandon(out);
            tool_warn("%s; the run is lost", why->text);
        }
        free(path);
    }
}

/* One in so many recorders takes those that wait into the index, so that there are never very many. */
static bool may_wait(const struct record_run *r, const struct new_run *run)
{
    enum { TAKERS = 256 };

    return !r->numbered && !r->oracle && wpp_get_u32(r->key.byte) % TAKERS != 0 && run_inbox_fits(run);
}

static bool add_to_index(struct record_run *r, const struct new_run *run, struct wpp_error *error)
{
    struct run_store *s = run_store_open(r->folder, RUN_STORE_CREATE, error);
    bool done = s && run_store_add(s, run, &r->id, error);

    run_store_close(s);
    return done;
}

bool record_run_store(struct record_run *r, const struct record_end *end, struct wpp_error *error)
{
    struct new_run run = {.key = r->key, .label = label_of(r, end), .exited = end->exited,
                          .killed = end->killed, .job = r->job, .rank = r->rank,
                          .n_processes = r->n};
    bool done;

    if (r->n == 0)
        return true;
    if (r->n > 1 && end->known)
        put_first(r, end->pid);
    run.process = r->process;
    done = (may_wait(r, &run) && run_inbox_put(r->folder, &run, error)) || add_to_index(r, &run, error);
    if (!done)
        keep_apart(r, error);
    return done;
}

static void set_number(const char *name, int64_t value)
{
    char text[32];

    snprintf(text, sizeof text, "%lld", (long long)value);
    setenv(name, text, 1);
}

/* 0: the run passed, 125: not known, another status: it failed.  An oracle that cannot be run, or that a
 * signal ended, judges nothing. */
static enum run_label ask_oracle(const struct record_run *r, const struct record_end *end)
{
    int status;

    set_number("WPP_RUN", r->id);
    set_number("WPP_STATUS", end->exited ? end->exited - 1 : 0);
    set_number("WPP_SIGNAL", end->killed);
    fflush(NULL);
    status = system(r->oracle);
    if (status == -1 || !WIFEXITED(status) || WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127) {
        tool_warn("the oracle could not judge: run %lld has no label", (long long)r->id);
        return RUN_UNKNOWN;
    }
    return WEXITSTATUS(status) == 0 ? RUN_PASS : WEXITSTATUS(status) == 125 ? RUN_UNKNOWN : RUN_FAIL;
}

void record_run_judge(struct record_run *r, const struct record_end *end)
{
    struct wpp_error error;
    struct run_store *s;
    enum run_label label;

    if (!r->oracle || r->id == 0)
        return;
    label = ask_oracle(r, end);
    s = run_store_open(r->folder, RUN_STORE_WRITE, &error);
    if (!s || !run_store_label(s, r->id, label, &error))
        tool_die_error(&error);
    run_store_close(s);
}
