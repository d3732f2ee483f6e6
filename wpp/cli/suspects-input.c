/* SPDX-License-Identifier: MIT */
#include "wpp/cli/suspects-input.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wpp/base/error.h"
#include "wpp/base/nameless-file.h"
#include "wpp/cli/store-input.h"
#include "wpp/cli/tool.h"

/* Fewer runs than so many are no part of their own: each part opens files that name its routines. */
enum { RUNS_LEAST = 16, PARTS_A_JOB = 4 };

/* ---- Runs ----------------------------------------------------------------------------------- */

/* Adds runs of a store to suspects. */
struct adding {
    struct run_store *store;
    struct suspects *s;
    struct part_notes *notes;
    bool shows;                /* progress */
};

static bool add_run(void *ctx, const struct stored_run *run, struct wpp_error *error)
{
    struct adding *a = ctx;
    wpp **process;
    bool done;

    if (run->label == RUN_UNKNOWN) {
        a->notes->n_unknown++;
        return true;
    }
    if (a->shows)
        tool_progress("%u runs read", a->s->n_runs);
    process = store_open_run(a->store, run, error);
    if (!process)
        return false;
    if (!store_run_is_usable(process, run->n_processes)) {
        a->notes->n_unusable++;
        store_close_run(process, run->n_processes);
        return true;
    }
    done = suspects_add(a->s, run->id, run->label == RUN_FAIL, process, run->n_processes, error) &&
           (part_notes_add_build(a->notes, run->build) || wpp_fail_memory(error));
    free(process);
    return done;
}

struct run_ids { int64_t *id; size_t n, capacity; };

static bool add_id(void *ctx, const struct stored_run *run, struct wpp_error *error)
{
    struct run_ids *ids = ctx;

    if (ids->n == ids->capacity) {
        size_t n = 2 * ids->capacity + 64;
        int64_t *larger = realloc(ids->id, n * sizeof *larger);

        if (!larger)
            return wpp_fail_memory(error);
        ids->id = larger;
        ids->capacity = n;
    }
    ids->id[ids->n++] = run->id;
    return true;
}

static struct run_ids all_ids(struct run_store *store)
{
    struct run_ids ids = {0};
    struct wpp_error error;

    if (!run_store_walk(store, &(struct run_choice){0}, add_id, &ids, &error))
        tool_die_error(&error);
    return ids;
}

/* Part k of n, k from 0 on. */
static struct run_choice part_of(const struct run_ids *ids, uint32_t k, uint32_t n)
{
    size_t first = ids->n * k / n, end = ids->n * (k + (size_t)1) / n;

    return (struct run_choice){.ids = ids->id + first, .n_ids = end - first};
}

/* Writes a part; for threads, too. */
static bool put_part(const char *folder, const struct run_choice *runs, FILE *out, struct wpp_error *error)
{
    struct run_store *store = run_store_open(folder, RUN_STORE_READ, error);
    struct part_notes notes = {0};
    struct suspects s;
    struct adding a = {.store = store, .s = &s, .notes = &notes};
    bool done = store != NULL;

    suspects_init(&s);
    if (done && runs->n_ids > 0)
        done = run_store_walk(store, runs, add_run, &a, error);
    done = done && suspects_put_part(&s, &notes, out, error);
    suspects_free(&s);
    part_notes_free(&notes);
    run_store_close(store);
    return done;
}

static wpp *open_witness(void *ctx, int64_t run, uint32_t process, struct wpp_error *error)
{
    struct suspects_input *in = ctx;

    return store_open_process(in->store, run, process, error);
}

/* ---- Threads -------------------------------------------------------------------------------- */

struct part {
    FILE *file;
    bool is_done, failed;
    struct wpp_error error;
};

struct crew {
    const char *folder;
    struct run_ids ids;
    struct part *part;
    uint32_t n_parts, next;    /* the part that nobody has begun */
    pthread_mutex_t mutex;
    pthread_cond_t change;
};

static const char *temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");

    return folder && *folder ? folder : "/tmp";
}

static bool make_part(struct crew *c, uint32_t k)
{
    struct part *p = &c->part[k];
    struct run_choice runs = part_of(&c->ids, k, c->n_parts);
    int fd = wpp_nameless_file(temporary_folder());

    p->file = fd < 0 ? NULL : fdopen(fd, "w+");
    if (!p->file)
        return wpp_fail_errno(&p->error, "cannot make a file in %s", temporary_folder());
    if (!put_part(c->folder, &runs, p->file, &p->error))
        return false;
    if (fflush(p->file) != 0 || fseek(p->file, 0, SEEK_SET) != 0)
        return wpp_fail_errno(&p->error, "cannot write a file in %s", temporary_folder());
    return true;
}

static void *make_parts(void *ctx)
{
    struct crew *c = ctx;
    uint32_t k;

    while ((k = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED)) < c->n_parts) {
        bool done = make_part(c, k);

        pthread_mutex_lock(&c->mutex);
        c->part[k].failed = !done;
        c->part[k].is_done = true;
        pthread_cond_signal(&c->change);
        pthread_mutex_unlock(&c->mutex);
    }
    return NULL;
}

static void wait_for(struct crew *c, uint32_t k)
{
    pthread_mutex_lock(&c->mutex);
    while (!c->part[k].is_done)
        pthread_cond_wait(&c->change, &c->mutex);
    pthread_mutex_unlock(&c->mutex);
    if (c->part[k].failed)
        tool_die_error(&c->part[k].error);
}

static bool take_part(struct suspects_input *in, FILE *file, const char *name, struct wpp_error *error)
{
    tool_progress("%u runs read", in->s.n_runs);
    return suspects_take_part(&in->s, file, name, open_witness, in, &in->notes, error);
}

static void take_parts(struct suspects_input *in, struct crew *c)
{
    struct wpp_error error;

    for (uint32_t k = 0; k < c->n_parts; k++) {
        wait_for(c, k);
        if (!take_part(in, c->part[k].file, "a file of another thread", &error))
            tool_die_error(&error);
        fclose(c->part[k].file);
    }
}

static uint32_t number_of_parts(size_t n_runs, uint32_t jobs)
{
    size_t most = n_runs / RUNS_LEAST + 1, wanted = (size_t)jobs * PARTS_A_JOB;

    return (uint32_t)(wanted < most ? wanted : most);
}

static void read_by_threads(struct suspects_input *in, uint32_t jobs)
{
    struct crew c = {.folder = in->folder, .ids = all_ids(in->store)};
    pthread_t *thread = calloc(jobs, sizeof *thread);
    uint32_t n = 0;

    c.n_parts = number_of_parts(c.ids.n, jobs);
    c.part = calloc(c.n_parts, sizeof *c.part);
    if (!thread || !c.part)
        tool_die_of_memory();
    pthread_mutex_init(&c.mutex, NULL);
    pthread_cond_init(&c.change, NULL);
    while (n < jobs && n < c.n_parts && pthread_create(&thread[n], NULL, make_parts, &c) == 0)
        n++;
    if (n == 0)
        tool_die(TOOL_ERROR, "cannot start a thread");
    take_parts(in, &c);
    while (n > 0)
        pthread_join(thread[--n], NULL);
    pthread_cond_destroy(&c.change);
    pthread_mutex_destroy(&c.mutex);
    free(thread);
    free(c.part);
    free(c.ids.id);
}

/* ---- Slurm ---------------------------------------------------------------------------------- */

/* All files of a folder that has no folders, and the folder. */
static void remove_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;

    while (dir && (entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        closedir(dir);
    if (rmdir(folder) != 0)
        tool_warn("cannot remove %s: %s", folder, strerror(errno));
}

static char *file_in(const char *folder, uint32_t k, const char *kind)
{
    char *path;

    if (asprintf(&path, "%s/%u.%s", folder, k, kind) < 0)
        tool_die_of_memory();
    return path;
}

static void write_script(const char *folder, const char *self, uint32_t k, uint32_t n)
{
    char *path = file_in(folder, k, "sh");
    FILE *out = fopen(path, "we");

    if (!out)
        tool_die(TOOL_ERROR, "cannot write %s: %s", path, strerror(errno));
    fputs("#!/bin/sh\nexec ", out);
    job_put_word(out, self);
    fprintf(out, " --part=%u/%u -o %u.part . > %u.out 2>&1\n", k, n, k, k);
    if (fclose(out) != 0)
        tool_die(TOOL_ERROR, "cannot write %s: %s", path, strerror(errno));
    free(path);
}

/* The last line that a part's process wrote, or "". */
static void read_last_line(const char *path, char *line, int n)
{
    FILE *in = fopen(path, "re");
    char now[256];

    line[0] = '\0';
    while (in && fgets(now, sizeof now, in)) {
        now[strcspn(now, "\n")] = '\0';
        if (now[0])
            snprintf(line, (size_t)n, ": %s", now);
    }
    if (in)
        fclose(in);
    wpp_keep_one_line(line);
}

/* A part that did not come: what it said, if it has run at all. */
_Noreturn static void die_of_part(const char *folder, uint32_t k, uint32_t n, int status)
{
    char *out = file_in(folder, k, "out"), line[300];
    bool has_run = access(out, F_OK) == 0;

    read_last_line(out, line, sizeof line);
    remove_folder(folder);
    if (!has_run)
        job_array_die("part", status);
    tool_die(TOOL_ERROR, "part %u of %u did not come%s", k, n, line);
}

static void take_parts_of(struct suspects_input *in, const char *folder, uint32_t n, int status)
{
    for (uint32_t k = 1; k <= n; k++) {
        char *path = file_in(folder, k, "part");
        FILE *file = fopen(path, "re");
        struct wpp_error error;

        if (!file)
            die_of_part(folder, k, n, status);
        if (!take_part(in, file, path, &error)) {
            remove_folder(folder);
            tool_die_error(&error);
        }
        fclose(file);
        free(path);
    }
}

/* The folder is in the store's, where nodes see it if they see the store. */
static char *make_folder(struct suspects_input *in)
{
    char *real = realpath(in->folder, NULL), *folder;
    struct wpp_error error;

    if (!real || asprintf(&folder, "%s/parts.XXXXXX", real) < 0)
        tool_die_of_memory();
    free(real);
    if (!mkdtemp(folder))
        tool_die(TOOL_ERROR, "cannot make %s: %s", folder, strerror(errno));
    if (!run_store_copy(in->store, folder, &error)) {
        remove_folder(folder);
        tool_die_error(&error);
    }
    return folder;
}

static void read_by_slurm(struct suspects_input *in, uint32_t jobs)
{
    char *folder, *self = realpath("/proc/self/exe", NULL);
    struct run_ids ids = all_ids(in->store);
    uint32_t n = (uint32_t)(jobs < ids.n / RUNS_LEAST + 1 ? jobs : ids.n / RUNS_LEAST + 1);
    int status;

    if (!self)
        tool_die_of_memory();
    folder = make_folder(in);
    for (uint32_t k = 1; k <= n; k++)
        write_script(folder, self, k, n);
    status = job_array_run(folder, "wpp-suspects", n, JOB_SLURM, jobs);
    take_parts_of(in, folder, n, status);
    remove_folder(folder);
    free(folder);
    free(self);
    free(ids.id);
}

/* ---- All ------------------------------------------------------------------------------------ */

static void read_here(struct suspects_input *in)
{
    struct adding a = {.store = in->store, .s = &in->s, .notes = &in->notes, .shows = true};
    struct wpp_error error;

    if (!run_store_walk(in->store, &(struct run_choice){0}, add_run, &a, &error))
        tool_die_error(&error);
}

void suspects_input_read(struct suspects_input *in, const char *folder, enum job_place place, uint32_t jobs)
{
    *in = (struct suspects_input){.folder = folder, .store = store_open(folder, RUN_STORE_READ)};
    suspects_init(&in->s);
    if (place == JOB_SLURM)
        read_by_slurm(in, jobs);
    else if (jobs > 1)
        read_by_threads(in, jobs);
    else
        read_here(in);
    tool_progress_end();
}

void suspects_input_free(struct suspects_input *in)
{
    suspects_free(&in->s);
    part_notes_free(&in->notes);
    run_store_close(in->store);
    *in = (struct suspects_input){0};
}

void suspects_input_write_part(const char *folder, uint32_t k, uint32_t n, const char *output)
{
    struct run_store *store = store_open(folder, RUN_STORE_READ);
    struct run_ids ids = all_ids(store);
    struct run_choice runs = part_of(&ids, k - 1, n);
    struct wpp_output *out;
    struct wpp_error error;
    FILE *file;

    run_store_close(store);
    if (strcmp(output, "-") == 0)
        tool_refuse_terminal(1, "a part");
    out = tool_output(output, true, NULL);
    file = fdopen(dup(wpp_output_fd(out)), "w");
    if (!file)
        tool_die_of_memory();
    if (!put_part(folder, &runs, file, &error)) {
        wpp_output_abandon(out);
        tool_die_error(&error);
    }
    if (fclose(file) != 0) {
        int why = errno;

        wpp_output_abandon(out);
        tool_die(TOOL_ERROR, "cannot write %s: %s", output, strerror(why));
    }
    if (!wpp_output_commit(out, &error))
        tool_die_error(&error);
    free(ids.id);
}
