/* SPDX-License-Identifier: MIT */
#include "wpp/profile/profile-sum.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "wpp/base/error.h"
#include "wpp/base/whole-file.h"
#include "wpp/profile/path-report.h"
#include "wpp/profile/profile-merge.h"
#include "wpp/read/reader.h"

static void check(const struct profile_sum *s)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < s->n; i++)
        bytes += s->item[i].file.size;
    assert(s->n <= PROFILE_SUM_WAITING && bytes == s->bytes);
    (void)bytes;
    assert((s->n > 0) <= s->any && s->runs >= s->n);
}

static void drop_items(struct profile_sum *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        wpp_bytes_free(&s->item[i].file);
        free(s->item[i].name);
    }
    s->n = 0;
    s->bytes = 0;
}

void profile_sum_free(struct profile_sum *s)
{
    drop_items(s);
    free(s->path);
    free(s->lock);
    free(s->first);
    free(s->apart);
    *s = (struct profile_sum){0};
}

/* ---- Profiles ------------------------------------------------------------------------------ */

/* NULL if it is damaged or no path profile. */
static wpp *open_profile(const struct wpp_bytes *file, const char *name, struct wpp_error *error)
{
    wpp *w = wpp_open_memory(file->data, file->size, name, error);
    struct wpp_summary run;

    if (!w)
        return NULL;
    wpp_get_summary(w, &run);
    if (run.is_profile)
        return w;
    wpp_fail(error, WPP_E_ARGUMENT, "%s is no path profile: it has the order of paths", name);
    wpp_close(w);
    return NULL;
}

/* Whether the profile counts what the sum counts; the first one says what that is. */
static bool take_kind(struct profile_sum *s, const wpp *w, const char *name,
                      struct wpp_error *error)
{
    struct wpp_summary run;

    wpp_get_summary(w, &run);
    if (!s->any) {
        s->kind = run.profile_kind;
        s->part = run.part;
        s->first = strdup(name);
        s->any = s->first != NULL;
        return s->any || wpp_fail_memory(error);
    }
    if (run.profile_kind != s->kind)
        return wpp_fail(error, WPP_E_ARGUMENT, "%s counts %s, %s counts %s: they cannot be summed",
                        s->first, path_kind_text(s->kind), name, path_kind_text(run.profile_kind));
    if (run.part.copy != s->part.copy || run.part.copies != s->part.copies ||
        run.part.plan != s->part.plan)
        return wpp_fail(error, WPP_E_ARGUMENT, "%s and %s are of different copies of a partitioned "
                        "profile: they cannot be summed", s->first, name);
    return true;
}

static void note_merged(struct profile_sum *s, const struct profile_merged *merged)
{
    s->unread += merged->unread;
    s->n_apart += merged->n_apart;
    s->n_routines = merged->n_routines;
    if (merged->apart && !s->apart &&
        asprintf(&s->apart, "%s (%s:%u)", merged->apart->shown, merged->apart->file,
                 merged->apart->line) < 0)
        s->apart = NULL;
}

/* Sums n items into `out`. */
static bool merge(struct profile_sum *s, const struct profile_sum_item *item, uint32_t n,
                  struct wpp_bytes *out, struct wpp_error *error)
{
    struct profile_input *inputs = calloc(n, sizeof *inputs);
    struct profile_merged merged;
    bool done = inputs || wpp_fail_memory(error);

    for (uint32_t i = 0; done && i < n; i++) {
        inputs[i] = (struct profile_input){open_profile(&item[i].file, item[i].name, error),
                                           item[i].name};
        done = inputs[i].w != NULL;
    }
    done = done && profile_merge(inputs, n, out, &merged, error);
    if (done)
        note_merged(s, &merged);
    for (uint32_t i = 0; inputs && i < n; i++)
        wpp_close((wpp *)inputs[i].w);
    free(inputs);
    return done;
}

/* Makes one item of all. */
static bool fold(struct profile_sum *s, struct wpp_error *error)
{
    struct wpp_bytes sum = {0};
    char *name;

    if (s->n < 2)
        return true;
    if (!merge(s, s->item, s->n, &sum, error))
        return false;
    name = s->item[0].name;
    s->item[0].name = NULL;
    drop_items(s);
    s->item[0] = (struct profile_sum_item){sum, name};
    s->n = 1;
    s->bytes = sum.size;
    check(s);
    return true;
}

static bool add_item(struct profile_sum *s, struct wpp_bytes *file, const char *name,
                     struct wpp_error *error)
{
    char *copy = strdup(name);

    if (!copy)
        return wpp_fail_memory(error);
    s->item[s->n++] = (struct profile_sum_item){*file, copy};
    s->bytes += file->size;
    *file = (struct wpp_bytes){0};
    return true;
}

/* A process that was killed before its first module was known is no path profile, and no lack. */
static bool is_nothing(const struct wpp_bytes *file, const char *name)
{
    wpp *w = wpp_open_memory(file->data, file->size, name, NULL);
    struct wpp_summary run = {.tokens = 1};

    if (w)
        wpp_get_summary(w, &run);
    wpp_close(w);
    return !run.is_profile && run.tokens == 0;
}

bool profile_sum_add(struct profile_sum *s, struct wpp_bytes *file, const char *name,
                     struct wpp_error *error)
{
    wpp *w = open_profile(file, name, error);
    struct wpp_summary run;
    bool done = w && take_kind(s, w, name, error);

    if (done)
        wpp_get_summary(w, &run);
    wpp_close(w);
    if (!w && is_nothing(file, name))
        return true;
    if (done && (s->n == PROFILE_SUM_WAITING ||
                 (s->n > 1 && s->bytes - s->item[0].file.size + file->size > PROFILE_SUM_BYTES)))
        done = fold(s, error);
    done = done && add_item(s, file, name, error);
    if (!done)
        return false;
    s->runs += run.runs;
    s->executions += run.tokens;
    check(s);
    return true;
}

bool profile_sum_finish(struct profile_sum *s, struct wpp_bytes *file, struct wpp_error *error)
{
    assert(s->n > 0);
    if (!fold(s, error))
        return false;
    *file = s->item[0].file;
    s->item[0].file = (struct wpp_bytes){0};
    drop_items(s);
    return true;
}

/* ---- The file -------------------------------------------------------------------------------- */

/* Sets the path behind symbolic links, and `.NAME.lock` beside it. */
static bool find_path(struct profile_sum *s, const char *path, struct wpp_error *error)
{
    const char *slash;

    s->path = realpath(path, NULL);
    if (!s->path)
        s->path = strdup(path);
    if (!s->path)
        return wpp_fail_memory(error);
    slash = strrchr(s->path, '/');
    if (asprintf(&s->lock, "%.*s.%s.lock", slash ? (int)(slash + 1 - s->path) : 0, s->path,
                 slash ? slash + 1 : s->path) < 0) {
        s->lock = NULL;
        return wpp_fail_memory(error);
    }
    return true;
}

/* Reads FILE if it exists.  `file` is empty if it does not. */
static bool read_old(struct profile_sum *s, struct wpp_bytes *file, mode_t *mode,
                     struct wpp_error *error)
{
    struct stat st;
    wpp *w;
    bool done;

    *mode = 0;
    if (stat(s->path, &st) != 0)
        return errno == ENOENT || wpp_fail_errno(error, "cannot read %s", s->path);
    if (!S_ISREG(st.st_mode))
        return wpp_fail(error, WPP_E_ARGUMENT, "%s is no file: a sum cannot be kept there", s->path);
    *mode = st.st_mode & 0777;
    if (!wpp_read_file(s->path, file, error))
        return false;
    w = open_profile(file, s->path, error);
    done = w && take_kind(s, w, s->path, error);
    wpp_close(w);
    return done;
}

static int open_lock(const struct profile_sum *s, struct wpp_error *error)
{
    int fd = open(s->lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);

    if (fd < 0)
        wpp_fail_errno(error, "cannot lock %s: %s", s->path, s->lock);
    return fd;
}

/* False, and errno is EAGAIN: another process has it. */
static bool try_lock(int fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int locked;

    do
        locked = fcntl(fd, F_OFD_SETLK, &whole);
    while (locked != 0 && errno == EINTR);
    if (locked != 0 && errno == EACCES)
        errno = EAGAIN;
    return locked == 0;
}

/* Waits for the lock; -1: an error. */
static int lock(const struct profile_sum *s, struct wpp_error *error)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    int fd = open_lock(s, error);

    while (fd >= 0 && !try_lock(fd)) {
        if (errno == EAGAIN && (!s->waits || s->waits(s->ctx))) {
            nanosleep(&moment, NULL);
            continue;
        }
        if (errno == EAGAIN)
            wpp_fail(error, WPP_E_SYSTEM, "another process has locked %s", s->path);
        else
            wpp_fail_errno(error, "cannot lock %s: %s", s->path, s->lock);
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Says now what could be said only when the program has run. */
static bool can_write(const struct profile_sum *s, struct wpp_error *error)
{
    struct wpp_output *out = wpp_output_open(s->path, WPP_OUTPUT_REPLACE, error);
    int fd = out ? open_lock(s, error) : -1;
    bool can = fd >= 0 && (try_lock(fd) || errno == EAGAIN);

    if (fd >= 0 && !can)
        wpp_fail_errno(error, "cannot lock %s: %s", s->path, s->lock);
    wpp_output_abandon(out);
    if (fd >= 0)
        close(fd);
    return can;
}

bool profile_sum_begin(struct profile_sum *s, const char *path, struct wpp_error *error)
{
    struct wpp_bytes file = {0};
    mode_t mode;
    bool done;

    *s = (struct profile_sum){0};
    if (!*path)
        return wpp_fail(error, WPP_E_ARGUMENT, "the output's name is empty");
    done = find_path(s, path, error) && read_old(s, &file, &mode, error) && can_write(s, error);
    wpp_bytes_free(&file);
    if (!done)
        profile_sum_free(s);
    return done;
}

/* ---- Storing --------------------------------------------------------------------------------- */

static void sync_folder(const char *path)
{
    char *folder = wpp_output_folder(path, false);
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

static void enter(struct profile_sum_step *step, enum profile_sum_state state)
{
    if (step)
        __atomic_store_n(&step->state, state, __ATOMIC_SEQ_CST);
}

static void note_name(void *ctx, const char *temporary)
{
    struct profile_sum_step *step = ctx;

    snprintf(step->temporary, sizeof step->temporary, "%s", temporary);
    enter(step, PROFILE_SUM_NAMING);
}

static bool write_file(const char *path, unsigned flags, const struct wpp_bytes *file, mode_t mode,
                       struct profile_sum_step *step, struct wpp_error *error)
{
    struct wpp_output *out = wpp_output_open(path, flags, error);

    if (!out)
        return false;
    if (mode)
        fchmod(wpp_output_fd(out), mode);
    if (!wpp_output_write(out, file->data, file->size, error) ||
        !wpp_output_settle(out, step ? note_name : NULL, step, error)) {
        wpp_output_abandon(out);
        return false;
    }
    enter(step, PROFILE_SUM_NAMED);
    if (!wpp_output_commit(out, error))
        return false;
    sync_folder(path);
    return true;
}

/* Whether the killed process, whose step it is, had replaced FILE. */
static bool is_stored(struct profile_sum_step *step)
{
    uint32_t state = step ? __atomic_load_n(&step->state, __ATOMIC_SEQ_CST) : PROFILE_SUM_BEGUN;

    if (state == PROFILE_SUM_BEGUN)
        return false;
    if (unlink(step->temporary) != 0 && errno == ENOENT && state == PROFILE_SUM_NAMED)
        return true;
    enter(step, PROFILE_SUM_BEGUN);
    return false;
}

/* Adds the only item to FILE; the caller has the lock. */
static bool replace(struct profile_sum *s, struct profile_sum_step *step, struct wpp_error *error)
{
    struct profile_sum_item both[2] = {{{0}, s->path}, s->item[0]};
    struct wpp_bytes sum = {0};
    mode_t mode;
    bool done = read_old(s, &both[0].file, &mode, error);

    if (done && both[0].file.size == 0)
        done = write_file(s->path, WPP_OUTPUT_REPLACE, &both[1].file, mode, step, error);
    else if (done)
        done = merge(s, both, 2, &sum, error) &&
               write_file(s->path, WPP_OUTPUT_REPLACE, &sum, mode, step, error);
    wpp_bytes_free(&both[0].file);
    wpp_bytes_free(&sum);
    return done;
}

bool profile_sum_store(struct profile_sum *s, struct profile_sum_step *step,
                       struct wpp_error *error)
{
    int fd;
    bool done;

    if (s->n == 0)
        return true;
    if (!fold(s, error))
        return false;
    fd = lock(s, error);
    if (fd < 0)
        return false;
    done = is_stored(step) || replace(s, step, error);
    close(fd);
    return done;
}

bool profile_sum_store_apart(struct profile_sum *s, const char *path, struct wpp_error *error)
{
    return fold(s, error) && s->n == 1 && write_file(path, 0, &s->item[0].file, 0, NULL, error);
}
