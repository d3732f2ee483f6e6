/* SPDX-License-Identifier: MIT */
#include "wpp/cli/merged-input.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wpp/base/error.h"
#include "wpp/compress/compress.h"
#include "wpp/profile/profile-sum.h"
#include "wpp/trace/merged-trace.h"

struct summing {
    const uint8_t *trace;
    const struct wpp_moved *moved;
    struct profile_sum sum;
    uint32_t n, n_lacking;               /* processes, and those that are not wholly in the sum */
    struct wpp_error first;              /* of the first of these */
};

bool merged_input_is(int fd)
{
    uint8_t first[WPP_MERGED_KNOWS];
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) == 0 &&
           pread(fd, first, sizeof first, 0) == (ssize_t)sizeof first &&
           wpp_merged_trace_is(first, sizeof first);
}

static void note_lack(struct summing *s, const char *name, const struct wpp_error *why)
{
    if (s->n_lacking++ == 0)
        wpp_fail(&s->first, why->status, "%s: %.300s", name, why->text);
}

/* Adds what a process has counted.  False: WPP_E_MEMORY. */
static bool add_profile(struct summing *s, wpp_compressor *c, const char *name,
                        struct wpp_error *error)
{
    struct wpp_bytes file = {0};
    struct wpp_error note, unread;
    uint64_t runs = s->sum.runs;
    bool done = wpp_compress_finish(c, &file, &note, error);

    if (done) {
        wpp_compress_get_unread(c, &unread);
        done = profile_sum_add(&s->sum, &file, name, error);
        if (done && s->sum.runs == runs)
            note.status = WPP_OK;        /* it was killed before it came to anything */
        if (done && note.status != WPP_OK)
            note_lack(s, name, &note);
        else if (done && unread.status != WPP_OK)
            note_lack(s, name, &unread);
    }
    wpp_bytes_free(&file);
    if (!done && error->status != WPP_E_MEMORY)
        note_lack(s, name, error);
    return done || error->status != WPP_E_MEMORY;
}

static bool add_process(struct summing *s, const struct wpp_merged_piece *piece, size_t n,
                        struct wpp_error *error)
{
    wpp_compressor *c = wpp_compress_new(WPP_INPUT_TRACE, error);
    char name[64];
    bool done = c != NULL, right;

    snprintf(name, sizeof name, "process %u", piece->pid);
    s->n++;
    if (c)
        wpp_compress_moved(c, s->moved);
    for (size_t i = 0; done && i < n; i++)
        done = wpp_compress_push(c, s->trace + piece[i].at, piece[i].bytes, error);
    right = done || (c && error->status != WPP_E_MEMORY);
    if (c && !done && right)
        note_lack(s, name, error);
    else if (done)
        right = add_profile(s, c, name, error);
    wpp_compress_free(c);
    return right;
}

static bool add_processes(struct summing *s, const struct wpp_merged_trace *t,
                          struct wpp_error *error)
{
    for (size_t from = 0, to; from < t->n; from = to) {
        for (to = from + 1; to < t->n && t->piece[to].process == t->piece[from].process;)
            to++;
        if (!add_process(s, t->piece + from, to - from, error))
            return false;
    }
    return true;
}

static void describe_lacks(const struct summing *s, struct wpp_error *note)
{
    *note = (struct wpp_error){.status = WPP_OK};
    if (s->n_lacking > 0)
        wpp_fail(note, s->first.status, "not all is known of %u of %u processes: %.400s", s->n_lacking,
                 s->n, s->first.text);
}

static bool sum_trace(struct summing *s, size_t size, uint64_t length, struct wpp_bytes *file,
                      struct wpp_error *note, struct wpp_error *error)
{
    struct wpp_merged_trace t;
    struct wpp_error cut = {.status = WPP_OK};
    bool whole = wpp_merged_trace_read(&t, s->trace, size, length, &cut), done;

    if (!whole && (cut.status == WPP_E_MEMORY || t.n == 0)) {
        *error = cut;
        wpp_merged_trace_free(&t);
        return false;
    }
    done = add_processes(s, &t, error);
    if (done && s->sum.n == 0)
        done = wpp_fail(error, WPP_E_NOT_TRACED, "no process has counted anything%s%s",
                        s->n_lacking ? "; " : "", s->n_lacking ? s->first.text : "");
    done = done && profile_sum_finish(&s->sum, file, error);
    describe_lacks(s, note);
    if (!whole)
        *note = cut;
    wpp_merged_trace_free(&t);
    return done;
}

/* Maps the file as long as its head says that it is: *length.  Processes may append meanwhile: the file
 * is then longer than it was when it was mapped. */
static void *map_all(int fd, size_t *size, uint64_t *length)
{
    void *map = MAP_FAILED;
    struct stat st;

    *size = 0;
    *length = UINT64_MAX;
    while (*length > *size && fstat(fd, &st) == 0 && (size_t)st.st_size > *size) {
        if (map != MAP_FAILED)
            munmap(map, *size);
        *size = (size_t)st.st_size;
        map = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map == MAP_FAILED)
            break;
        *length = wpp_merged_trace_length(map, *size);
    }
    return map;
}

bool merged_input_sum(int fd, const struct wpp_moved *moved, struct wpp_bytes *file,
                      struct wpp_error *note, struct wpp_error *error)
{
    struct summing s = {.moved = moved};
    size_t size;
    uint64_t length;
    void *map = map_all(fd, &size, &length);
    bool done;

    if (map == MAP_FAILED)
        return wpp_fail_errno(error, "cannot map it");
    s.trace = map;
    done = sum_trace(&s, size, length, file, note, error);
    munmap(map, size);
    profile_sum_free(&s.sum);
    return done;
}
