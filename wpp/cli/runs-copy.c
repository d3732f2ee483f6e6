/* SPDX-License-Identifier: MIT */
#include "wpp/cli/runs-copy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "wpp/base/whole-file.h"
#include "wpp/cli/store-input.h"
#include "wpp/cli/tool.h"
#include "wpp/read/reader.h"
#include "wpp/runs/crash-report.h"

struct copying {
    struct run_store *store;
    const char *folder;
    uint64_t word;
    uint32_t cluster, number;  /* from 0 on; of the next file in the cluster's folder */
    uint32_t n_without;
};

static bool is_file(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* The name of the input, from malloc; NULL: the command names none. */
static char *input_of(const struct copying *c, const char *command)
{
    char *copy = strdup(command), *rest = copy, *word, *found = NULL;

    if (!copy)
        tool_die_of_memory();
    strsep(&rest, " ");
    for (uint64_t i = 1; (word = strsep(&rest, " ")); i++)
        if ((c->word == 0 || c->word == i) && is_file(word)) {
            free(found);
            found = strdup(word);
            if (!found)
                tool_die_of_memory();
        }
    free(copy);
    return found;
}

/* `src:000017` of AFL's own names, or `orig:NAME`. */
static char *origin_of(const char *input)
{
    enum { MOST = 80 };
    const char *slash = strrchr(input, '/'), *name = slash ? slash + 1 : input;
    char *text;
    int n;

    if (strncmp(name, "id:", 3) == 0)
        n = asprintf(&text, "src:%.*s", (int)strspn(name + 3, "0123456789"), name + 3);
    else
        n = asprintf(&text, "orig:%.*s", MOST, name);
    if (n < 0)
        tool_die_of_memory();
    return text;
}

static void make_folder(const char *path)
{
    if (mkdir(path, 0777) != 0)
        tool_die(TOOL_ERROR, "cannot make the folder %s: %s", path, strerror(errno));
}

static void copy_file(const char *from, const char *to)
{
    struct wpp_bytes bytes = {0};
    struct wpp_error error;
    struct wpp_output *out;

    if (!wpp_read_file(from, &bytes, &error))
        tool_die_error(&error);
    out = tool_output(to, false, from);
    if (!wpp_output_write(out, bytes.data, bytes.size, &error)) {
        wpp_output_abandon(out);
        tool_die_error(&error);
    }
    if (!wpp_output_commit(out, &error))
        tool_die_error(&error);
    wpp_bytes_free(&bytes);
}

static bool copy_run(void *ctx, const struct stored_run *run, struct wpp_error *error)
{
    struct copying *c = ctx;
    char *input = input_of(c, run->command), *origin, *path;

    (void)error;
    if (!input) {
        c->n_without++;
        return true;
    }
    origin = origin_of(input);
    if (asprintf(&path, "%s/cl%" PRIu32 "/id:%06" PRIu32 ",sig:%02" PRIu32 ",%s,run:%" PRId64, c->folder,
                 c->cluster + 1, c->number++, run->killed, origin, run->id) < 0)
        tool_die_of_memory();
    copy_file(input, path);
    free(path);
    free(origin);
    free(input);
    return true;
}

/* Calls `each` for the clusters' runs, and makes the clusters' folders. */
static void walk_clusters(struct copying *x, const struct run_clusters *c, run_store_visit *each)
{
    struct wpp_error error;
    uint32_t now = UINT32_MAX;
    char *path;

    make_folder(x->folder);
    for (uint32_t i = 0; i < c->n_runs; i++) {
        if (c->run[i].cluster != now) {
            x->cluster = now == UINT32_MAX ? 0 : x->cluster + 1;
            x->number = 0;
            now = c->run[i].cluster;
            if (asprintf(&path, "%s/cl%" PRIu32, x->folder, x->cluster + 1) < 0)
                tool_die_of_memory();
            make_folder(path);
            free(path);
        }
        if (!run_store_walk(x->store, &(struct run_choice){.ids = &c->run[i].id, .n_ids = 1}, each, x, &error))
            tool_die_error(&error);
    }
}

void runs_copy(struct run_store *s, const struct run_clusters *c, const char *folder, uint64_t word)
{
    struct copying x = {.store = s, .folder = folder, .word = word};

    walk_clusters(&x, c, copy_run);
    if (x.n_without > 0)
        tool_warn("%u of %u runs name no input file", x.n_without, c->n_runs);
}

/* ---- Reports for casr ----------------------------------------------------------------------- */

static void write_report(const struct copying *c, const struct stored_run *run, const char *text, size_t size)
{
    struct wpp_error error;
    struct wpp_output *out;
    char *path;

    if (asprintf(&path, "%s/cl%" PRIu32 "/id:%06" PRIu32 ",sig:%02" PRIu32 ",run:%" PRId64 ".casrep", c->folder,
                 c->cluster + 1, c->number, run->killed, run->id) < 0)
        tool_die_of_memory();
    out = tool_output(path, false, NULL);
    if (!wpp_output_write(out, text, size, &error)) {
        wpp_output_abandon(out);
        tool_die_error(&error);
    }
    if (!wpp_output_commit(out, &error))
        tool_die_error(&error);
    free(path);
}

static bool report_run(void *ctx, const struct stored_run *run, struct wpp_error *error)
{
    struct copying *c = ctx;
    wpp *w = store_open_process(c->store, run->id, 0, error);
    char *text = NULL;
    size_t size;
    FILE *out = w ? open_memstream(&text, &size) : NULL;
    bool has_stack = false, done;

    if (!w)
        return false;
    if (!out)
        tool_die_of_memory();
    done = crash_report(out, w, &has_stack, error);
    if (fclose(out) != 0)
        tool_die_of_memory();
    if (done && has_stack)
        write_report(c, run, text, size);
    c->number += done && has_stack;
    c->n_without += done && !has_stack;
    free(text);
    wpp_close(w);
    return done;
}

void runs_report(struct run_store *s, const struct run_clusters *c, const char *folder)
{
    struct copying x = {.store = s, .folder = folder};

    walk_clusters(&x, c, report_run);
    if (x.n_without > 0)
        tool_warn("%u of %u runs ended in no call that was recorded: they have no report", x.n_without, c->n_runs);
}
