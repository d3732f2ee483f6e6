/* SPDX-License-Identifier: MIT */
#include "wpp/runs/run-inbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "wpp/base/error.h"
#include "wpp/base/nameless-file.h"
#include "wpp/base/whole-file.h"
#include "wpp/read/reader.h"

enum { INBOX_ID = 0x31697277, LARGEST = 1 << 18 };     /* "wri1" */
enum { NAME_LENGTH = 16 + 1 + 2 * RUN_KEY_BYTES };

bool run_inbox_fits(const struct new_run *run)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < run->n_processes; i++)
        bytes += run->process[i].file.size;
    return bytes <= LARGEST;
}

/* ---- Putting -------------------------------------------------------------------------------- */

static void put_run(struct wpp_bytes *out, const struct new_run *run)
{
    wpp_put_u32(out, INBOX_ID);
    wpp_put(out, run->key.byte, RUN_KEY_BYTES);
    wpp_put_varint(out, run->label);
    wpp_put_varint(out, run->exited);
    wpp_put_varint(out, run->killed);
    wpp_put_string(out, run->job ? run->job : "");
    wpp_put_svarint(out, run->job ? run->rank : -1);
    wpp_put_varint(out, run->n_processes);
    for (uint32_t i = 0; i < run->n_processes; i++) {
        wpp_put_string(out, run->process[i].program);
        wpp_put_varint(out, run->process[i].file.size);
        wpp_put(out, run->process[i].file.data, run->process[i].file.size);
    }
    if (!out->failed)
        wpp_put_u64(out, wpp_fnv(WPP_FNV_START, out->data, out->size));
}

static void make_name(const struct run_key *key, char name[NAME_LENGTH + 1])
{
    struct timespec now;
    char *end = name;

    clock_gettime(CLOCK_REALTIME, &now);
    end += sprintf(end, "%016llx-", (unsigned long long)now.tv_sec * 1000000000 + (unsigned long long)now.tv_nsec);
    for (int i = 0; i < RUN_KEY_BYTES; i++)
        end += sprintf(end, "%02x", key->byte[i]);
}

/* Gives a file without a name that name.  Where the system has none of these, WPP's own outputs have
 * temporary names. */
static bool write_nameless(int fd, const char *path, const struct wpp_bytes *bytes, struct wpp_error *error)
{
    char self[32];

    if (!wpp_pwrite_all(fd, bytes->data, bytes->size, 0))
        return wpp_fail_errno(error, "cannot write %s", path);
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 || errno == EEXIST ||
           wpp_fail_errno(error, "cannot write %s", path);
}

static bool write_temporary(const char *path, const struct wpp_bytes *bytes, struct wpp_error *error)
{
    struct wpp_output *out = wpp_output_open(path, WPP_OUTPUT_REPLACE, error);

    if (!out)
        return false;
    if (wpp_output_write(out, bytes->data, bytes->size, error))
        return wpp_output_commit(out, error);
    wpp_output_abandon(out);
    return false;
}

static bool write_file(const char *folder, const char *path, const struct wpp_bytes *bytes,
                       struct wpp_error *error)
{
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    bool done;

    if (fd < 0 && errno == ENOENT && mkdir(folder, 0777) == 0)
        fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0)
        return write_temporary(path, bytes, error);
    done = write_nameless(fd, path, bytes, error);
    close(fd);
    return done;
}

bool run_inbox_put(const char *folder, const struct new_run *run, struct wpp_error *error)
{
    struct wpp_bytes bytes = {0};
    char name[NAME_LENGTH + 1], *inbox = NULL, *path = NULL;
    bool done;

    make_name(&run->key, name);
    put_run(&bytes, run);
    done = (!bytes.failed && asprintf(&inbox, "%s/new", folder) >= 0 &&
            asprintf(&path, "%s/new/%s", folder, name) >= 0) ||
           wpp_fail_memory(error);
    done = done && write_file(inbox, path, &bytes, error);
    free(inbox);
    free(path);
    wpp_bytes_free(&bytes);
    return done;
}

/* ---- Listing -------------------------------------------------------------------------------- */

static bool is_name(const char *name)
{
    return strlen(name) == NAME_LENGTH && strspn(name, "0123456789abcdef-") == NAME_LENGTH;
}

static bool add_name(char ***names, size_t *n, size_t *capacity, const char *name)
{
    if (*n == *capacity) {
        size_t more = 2 * *capacity + 64;
        char **larger = realloc(*names, more * sizeof *larger);

        if (!larger)
            return false;
        *names = larger;
        *capacity = more;
    }
    (*names)[*n] = strdup(name);
    return (*names)[*n] && ++*n;
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

bool run_inbox_list(const char *folder, char ***names, size_t *n, struct wpp_error *error)
{
    size_t capacity = 0;
    struct dirent *entry;
    char *inbox;
    DIR *dir;
    bool done = true;

    *names = NULL;
    *n = 0;
    if (asprintf(&inbox, "%s/new", folder) < 0)
        return wpp_fail_memory(error);
    dir = opendir(inbox);
    if (!dir && errno != ENOENT)
        done = wpp_fail_errno(error, "cannot read %s", inbox);
    while (done && dir && (entry = readdir(dir)))
        if (is_name(entry->d_name))
            done = add_name(names, n, &capacity, entry->d_name) || wpp_fail_memory(error);
    if (dir)
        closedir(dir);
    free(inbox);
    if (*n > 0)
        qsort(*names, *n, sizeof **names, compare_names);
    if (!done)
        run_inbox_free_names(*names, *n);
    return done;
}

void run_inbox_free_names(char **names, size_t n)
{
    while (n > 0)
        free(names[--n]);
    free(names);
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* A string's copy with its end, at *to. */
static char *get_string(struct wpp_view *in, char **to)
{
    size_t n = wpp_get_count(in, 1);
    const uint8_t *text = wpp_get_bytes(in, n);
    char *begin = *to;

    if (!text || memchr(text, 0, n)) {
        in->failed = true;
        return begin;
    }
    memcpy(begin, text, n);
    begin[n] = '\0';
    *to += n + 1;
    return begin;
}

/* The WPPs stay in the file's bytes: capacity 0 says that they are not the run's to free. */
static void get_process(struct wpp_view *in, struct run_process *p, char **to)
{
    size_t n;

    p->program = get_string(in, to);
    n = wpp_get_count(in, 1);
    p->file = (struct wpp_bytes){.data = (uint8_t *)wpp_get_bytes(in, n), .size = n};
}

static bool get_run(struct wpp_view *in, struct waiting_run *w)
{
    struct new_run *run = &w->run;
    char *to = w->strings;
    const uint8_t *key;
    size_t n;

    wpp_get_bytes(in, 4);
    key = wpp_get_bytes(in, RUN_KEY_BYTES);
    if (key)
        memcpy(run->key.byte, key, RUN_KEY_BYTES);
    run->label = (enum run_label)wpp_get_varint_max(in, RUN_FAIL);
    run->exited = (uint32_t)wpp_get_varint_max(in, UINT32_MAX);
    run->killed = (uint32_t)wpp_get_varint_max(in, UINT32_MAX);
    run->job = get_string(in, &to);
    run->rank = wpp_get_svarint(in);
    if (!run->job[0])
        run->job = NULL;
    n = wpp_get_count(in, 2);
    run->process = calloc(n + 1, sizeof *run->process);
    if (!run->process)
        return false;
    for (run->n_processes = 0; run->n_processes < n && !in->failed; run->n_processes++)
        get_process(in, &run->process[run->n_processes], &to);
    in->failed |= n == 0 || wpp_left(in) > 0;
    return true;
}

static bool parse(struct waiting_run *w, const char *path, struct wpp_error *error)
{
    size_t n = w->file.size;
    struct wpp_view in;

    if (n < 12 || wpp_get_u32(w->file.data) != INBOX_ID ||
        wpp_fnv(WPP_FNV_START, w->file.data, n - 8) != wpp_get_u64(w->file.data + n - 8))
        return wpp_fail(error, WPP_E_DAMAGED, "%s is damaged, or no run", path);
    in = wpp_view(w->file.data, n - 8);
    w->strings = malloc(n);        /* each string has its length in the file, and here its end */
    if (!w->strings || !get_run(&in, w))
        return wpp_fail_memory(error);
    return !in.failed || wpp_fail(error, WPP_E_DAMAGED, "%s is damaged, or no run", path);
}

bool run_inbox_read(const char *folder, const char *name, struct waiting_run *out, bool *found,
                    struct wpp_error *error)
{
    char *path;
    bool done;

    *out = (struct waiting_run){0};
    *found = false;
    if (asprintf(&path, "%s/new/%s", folder, name) < 0)
        return wpp_fail_memory(error);
    errno = 0;
    done = wpp_read_file(path, &out->file, error);
    if (done)
        done = *found = parse(out, path, error);
    else if (access(path, F_OK) != 0)
        done = true;
    if (!*found)
        run_inbox_free(out);
    free(path);
    return done;
}

void run_inbox_free(struct waiting_run *w)
{
    free(w->run.process);
    free(w->strings);
    wpp_bytes_free(&w->file);
    *w = (struct waiting_run){0};
}

void run_inbox_remove(const char *folder, const char *name)
{
    char *path;

    if (asprintf(&path, "%s/new/%s", folder, name) < 0)
        return;
    unlink(path);
    free(path);
}
