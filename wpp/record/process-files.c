/* SPDX-License-Identifier: MIT */
#include "wpp/record/process-files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/trace-abi.h"
#include "wpp/base/error.h"
#include "wpp/trace/ring.h"

struct wpp_process_file {
    struct wpp_process_file *next, **link;    /* in the list of those not over; link: the pointer
                                                 to this one */
    wpp_compressor *compressor;  /* NULL: it has failed, or is over */
    struct wpp_ring *ring;       /* records wait here until the process is over; or NULL */
    struct wpp_output *output;   /* NULL: it gets its name when it is over */
    struct wpp_error error;      /* the reason of its failure */
    char program[64];
    uint32_t pid;
};

/* State that a fork must know although it changed after the fork: standby.h. */
struct wpp_process_files_shared {
    bool folder;                         /* FILE.d is made */
    bool in_place;                       /* an output is being written in place and cannot be
                                            taken back */
    uint64_t looks;                      /* dumps asked for and finished */
    bool written[WPP_SHARE_PROCESSES];   /* file is written; by the recorder's number */
};

void wpp_process_files_init(struct wpp_process_files *runs, const char *path,
                            struct wpp_output *first, const struct wpp_process_files_sink *sink)
{
    void *shared = mmap(NULL, sizeof(struct wpp_process_files_shared), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    *runs = (struct wpp_process_files){.sink = *sink, .path = path, .first = first, .sums = !first,
                              .single = first && wpp_output_in_place(first),
                              .shared = shared == MAP_FAILED ? NULL : shared};
}

static void free_run(struct wpp_process_file *run)
{
    if (!run)
        return;
    wpp_compress_free(run->compressor);
    wpp_ring_free(run->ring);
    wpp_output_abandon(run->output);
    free(run);
}

void wpp_process_files_free(struct wpp_process_files *runs)
{
    for (uint32_t i = 0; i < runs->n; i++)
        free_run(runs->list[i]);
    free(runs->list);
    wpp_module_files_free(&runs->held);
    free(runs->folder);
    wpp_output_abandon(runs->first);
    if (runs->shared)
        munmap(runs->shared, sizeof *runs->shared);
}

/* ---- Beginning --------------------------------------------------------------------- */

/* Sets the program's name from the PROCESS record, without its folders. */
static void name_run(struct wpp_process_file *run, const uint8_t *record, size_t n)
{
    static const char key[] = "program=";
    struct wpp_record head;
    const char *value = (const char *)record + WPP_HEADER_BYTES, *slash;
    size_t left;

    snprintf(run->program, sizeof run->program, "program");
    if (n <= sizeof head)
        return;
    memcpy(&head, record, sizeof head);
    run->pid = head.pid;
    left = n - WPP_HEADER_BYTES;
    if (left < sizeof key || memcmp(value, key, sizeof key - 1) != 0)
        return;
    value += sizeof key - 1;
    left = strnlen(value, left - (sizeof key - 1));
    slash = memrchr(value, '/', left);
    if (slash) {
        left -= (size_t)(slash + 1 - value);
        value = slash + 1;
    }
    if (left > 0)
        snprintf(run->program, sizeof run->program, "%.*s", (int)left, value);
}

static bool add_room(struct wpp_process_files *runs, uint32_t process)
{
    uint32_t n = process < 8 ? 8 : 2 * process;
    struct wpp_process_file **larger;

    if (process < runs->n)
        return true;
    larger = realloc(runs->list, n * sizeof(struct wpp_process_file *));
    if (!larger)
        return false;
    memset(larger + runs->n, 0, (n - runs->n) * sizeof(struct wpp_process_file *));
    runs->list = larger;
    runs->n = n;
    return true;
}

static void drop_compressor(struct wpp_process_file *run)
{
    wpp_compress_free(run->compressor);
    run->compressor = NULL;
}

static void enter(struct wpp_process_files *runs, struct wpp_process_file *run)
{
    run->next = runs->running;
    run->link = &runs->running;
    if (run->next)
        run->next->link = &run->next;
    runs->running = run;
}

static void leave(struct wpp_process_file *run)
{
    *run->link = run->next;
    if (run->next)
        run->next->link = run->link;
}

/* Memory of rings. */
static uint64_t memory_of_rings(const struct wpp_process_files *runs)
{
    uint64_t memory = 0;

    for (const struct wpp_process_file *run = runs->running; run; run = run->next)
        if (run->ring)
            memory += wpp_ring_memory(run->ring);
    return memory;
}

/* How much memory the grammar may take. */
static bool limit_memory(struct wpp_process_files *runs, wpp_compressor *c,
                         struct wpp_error *error)
{
    char *folder = wpp_output_folder(runs->path, runs->single);
    bool done;

    if (!folder)
        done = wpp_fail_memory(error);
    else if (runs->memory)
        done = wpp_compress_limit(c, runs->memory, folder, &runs->crew, error);
    else
        done = wpp_compress_room(c, runs->room, folder, error);
    free(folder);
    return done;
}

static wpp_compressor *new_compressor(struct wpp_process_files *runs, struct wpp_error *error)
{
    wpp_compressor *c = wpp_compress_new(WPP_INPUT_TRACE, error);
    bool done = c != NULL;

    if (c) {
        wpp_compress_heap(c, runs->heap);
        wpp_compress_hold(c, &runs->held);
    }
    if (c && runs->best)
        wpp_compress_best(c, &runs->enough);
    if (c && !runs->memory && runs->crew.size)
        done = wpp_compress_jobs(c, &runs->crew, error);
    if (done && (runs->memory || (runs->room && !runs->best)))
        done = limit_memory(runs, c, error);
    if (done)
        return c;
    wpp_compress_free(c);
    return NULL;
}

void wpp_process_files_call_crew(struct wpp_process_files *runs)
{
    runs->crew.free = runs->crew.size;
}

static struct wpp_process_file *begin_run(struct wpp_process_files *runs, uint32_t process,
                                          const uint8_t *record, size_t n)
{
    struct wpp_process_file *run;

    if (!add_room(runs, process))
        return NULL;
    run = calloc(1, sizeof *run);
    if (!run)
        return NULL;
    runs->list[process] = run;
    enter(runs, run);
    runs->begun++;
    name_run(run, record, n);
    run->output = runs->first;
    if (runs->first && runs->first_is_done && runs->shared && process < WPP_SHARE_PROCESSES)
        runs->shared->written[process] = true;
    runs->first = NULL;
    run->compressor = new_compressor(runs, &run->error);
    if (runs->ring > 0 && !(run->ring = wpp_ring_new(runs->ring))) {
        wpp_fail_memory(&run->error);
        drop_compressor(run);
    }
    return run;
}

static bool compress(void *ctx, const void *bytes, size_t n)
{
    struct wpp_process_file *run = ctx;

    return wpp_compress_push(run->compressor, bytes, n, &run->error);
}

static bool take_bytes(struct wpp_process_file *run, const void *bytes, size_t n)
{
    if (!run->ring)
        return compress(run, bytes, n);
    return wpp_ring_push(run->ring, bytes, n) || wpp_fail_memory(&run->error);
}

void wpp_process_files_bytes(struct wpp_process_files *runs, uint32_t process, const void *bytes,
                             size_t n)
{
    struct wpp_process_file *run = process < runs->n ? runs->list[process] : NULL;

    if (!run)
        run = begin_run(runs, process, bytes, n);
    if (run && run->compressor && !take_bytes(run, bytes, n))
        drop_compressor(run);
}

void wpp_process_files_rest(struct wpp_process_files *runs, uint32_t process, const void *bytes,
                            size_t n)
{
    if (process < runs->n && runs->list[process])
        wpp_process_files_bytes(runs, process, bytes, n);
}

/* ---- Files ---------------------------------------------------------------------------- */

/* Removes a folder and the WPPs in it; the folder stays if it contains anything else. */
static void remove_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;

    if (!folder) {
        if (fd >= 0)
            close(fd);
        return;
    }
    while ((entry = readdir(folder))) {
        size_t n = strlen(entry->d_name);

        if (n > 4 && strcmp(entry->d_name + n - 4, ".wpp") == 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    closedir(folder);
    rmdir(path);
}

/* Renames the folder to FILE.d.old; if that contains more than WPPs, to FILE.d.old.2 and so on. */
static bool move_folder(const char *folder, unsigned n)
{
    char number[16] = "", *old;
    bool done;

    if (n > 1)
        snprintf(number, sizeof number, ".%u", n);
    if (asprintf(&old, "%s.old%s", folder, number) < 0)
        return false;
    remove_folder(old);
    done = rename(folder, old) == 0;
    free(old);
    return done;
}

/* Moves an older FILE.d away, so that it does not look like one of this recording. */
static void set_folder_aside(const struct wpp_process_files *runs)
{
    char *folder;

    if (runs->single || runs->sums || runs->folder || (runs->shared && runs->shared->folder)
        || asprintf(&folder, "%s.d", runs->path) < 0)
        return;
    for (unsigned n = 1; n < 100 && access(folder, F_OK) == 0; n++)
        if (move_folder(folder, n))
            break;
    free(folder);
}

/* Reports a process without file.  The missing folder is reported only once. */
static void tell_failure(struct wpp_process_files *runs, const struct wpp_process_file *run)
{
    bool no_folder = runs->single && run->error.status == WPP_E_ARGUMENT;

    if (!no_folder || !runs->single_told)
        runs->sink.tell(runs->sink.ctx, run->program, &run->error, false);
    runs->single_told |= no_folder;
}

/* Reports everything that the file lacks. */
static void tell_notes(const struct wpp_process_files *runs, const struct wpp_process_file *run,
                       const struct wpp_error *note)
{
    struct wpp_error unread;

    if (note->status != WPP_OK)
        runs->sink.tell(runs->sink.ctx, run->program, note, true);
    wpp_compress_get_unread(run->compressor, &unread);
    if (unread.status != WPP_OK)
        runs->sink.tell(runs->sink.ctx, run->program, &unread, true);
}

/* Makes FILE.d, new and empty. */
static bool make_folder(struct wpp_process_files *runs, struct wpp_error *error)
{
    char *folder;

    if (runs->folder)
        return true;
    if (runs->single)
        return wpp_fail(error, WPP_E_ARGUMENT, "only the first process is kept, since %s is no "
                        "file; -o FILE keeps all", runs->path);
    set_folder_aside(runs);
    if (asprintf(&folder, "%s.d", runs->path) < 0)
        return wpp_fail_memory(error);
    bool may_be = runs->sums || (runs->shared && runs->shared->folder);
    if (mkdir(folder, 0777) != 0 && !(may_be && errno == EEXIST)) {
        wpp_fail_errno(error, "cannot make the folder %s", folder);
        free(folder);
        return false;
    }
    runs->folder = folder;
    if (runs->shared)
        runs->shared->folder = true;
    return true;
}

/* Opens the file of a process.  A process that replaces its program by exec keeps its pid: then
 * the name gets a number, .2, .3 and so on. */
static struct wpp_output *open_in_folder(struct wpp_process_files *runs,
                                         const struct wpp_process_file *run,
                                         struct wpp_error *error)
{
    struct wpp_output *out = NULL;
    char *path, again[16] = "";

    if (!make_folder(runs, error))
        return NULL;
    for (unsigned n = 2; !out && n < 1000; n++) {
        if (asprintf(&path, "%s/%s.%u%s.wpp", runs->folder, run->program, run->pid, again) < 0) {
            wpp_fail_memory(error);
            return NULL;
        }
        out = wpp_output_open(path, 0, error);
        free(path);
        if (!out && error->status != WPP_E_ARGUMENT)
            break;
        snprintf(again, sizeof again, ".%u", n);
    }
    return out;
}

enum written { NOT_WRITTEN, WRITTEN, SUMMED };

/* Whether the file has become a part of the sum.  If not, it is said. */
static bool sum_run(struct wpp_process_files *runs, struct wpp_process_file *run,
                    struct wpp_bytes *file)
{
    struct wpp_error why;

    if (!runs->sums || runs->sink.sum(runs->sink.ctx, run->program, file, &why))
        return runs->sums;
    runs->sink.tell(runs->sink.ctx, "not added", &why, false);
    runs->apart++;
    return false;
}

static enum written write_run(struct wpp_process_files *runs, struct wpp_process_file *run,
                              const void *rest, size_t n, enum wpp_ended why,
                              struct wpp_error *note)
{
    struct wpp_bytes file = {0};
    bool first = run->output != NULL, done;

    if (run->compressor)
        wpp_compress_ended(run->compressor, why, run->ring ? wpp_ring_dropped(run->ring) : 0);
    done = run->compressor && (!run->ring || wpp_ring_flush(run->ring, compress, run)) &&
           compress(run, rest, n) &&
           wpp_compress_finish(run->compressor, &file, note, &run->error);

    if (done && sum_run(runs, run, &file))
        return SUMMED;
    if (done && !run->output)
        done = (run->output = open_in_folder(runs, run, &run->error)) != NULL;
    if (done && runs->shared && wpp_output_in_place(run->output))
        runs->shared->in_place = true;
    done = done && wpp_compress_write(run->compressor, &file, run->output, &run->error);
    if (done)
        done = wpp_output_commit(run->output, &run->error);
    else
        wpp_output_abandon(run->output);
    run->output = NULL;
    if (first && done)
        set_folder_aside(runs);
    wpp_bytes_free(&file);
    return done ? WRITTEN : NOT_WRITTEN;
}

static struct wpp_compress_progress progress_of(const struct wpp_process_file *run)
{
    struct wpp_compress_progress p = {0};

    if (run->compressor)
        wpp_compress_get_progress(run->compressor, &p);
    if (run->ring)
        p.tokens = wpp_ring_tokens(run->ring);
    return p;
}

/* Whether the killed recorder, or its keeper, had already written the file: then it is better
 * than ours. */
static bool has_been_written(const struct wpp_process_files *runs, uint32_t process)
{
    return runs->shared && process < WPP_SHARE_PROCESSES && runs->shared->written[process];
}

void wpp_process_files_over(struct wpp_process_files *runs, uint32_t process, enum wpp_ended why)
{
    struct wpp_process_file *run = process < runs->n ? runs->list[process] : NULL;
    struct wpp_error note = {.status = WPP_OK};
    struct wpp_compress_progress p;
    enum written done;
    bool first;

    if (!run)
        return;
    first = run->output != NULL;
    if (!has_been_written(runs, process)) {
        done = write_run(runs, run, NULL, 0, why, &note);
        /* The sum is in memory: a keeper has to add the process to its own. */
        if (runs->shared && process < WPP_SHARE_PROCESSES)
            runs->shared->written[process] = done != SUMMED;
        runs->written += done == WRITTEN;
        runs->summed += done == SUMMED;
        runs->failed += done == NOT_WRITTEN;
        if (done && (why == WPP_ENDED_INTERRUPT || why == WPP_ENDED_DISK) && note.status != WPP_OK) {
            runs->cut++;
            runs->first_is_cut |= first;
        }
        if (done)
            tell_notes(runs, run, &note);
        else
            tell_failure(runs, run);
    }
    p = progress_of(run);
    runs->tokens += p.tokens;
    runs->first_tokens += first ? p.tokens : 0;
    runs->symbols += p.symbols;
    runs->list[process] = NULL;
    leave(run);
    free_run(run);
}

/* Empties an output that the killed recorder had not finished.  False: it cannot be taken back. */
static bool begin_again(const struct wpp_process_files *runs, struct wpp_output *out,
                        struct wpp_error *error)
{
    return (wpp_output_in_place(out) && !(runs->shared && runs->shared->in_place)) ||
           wpp_output_begin_again(out, error);
}

void wpp_process_files_inherit(struct wpp_process_files *runs)
{
    struct wpp_error error;

    runs->first_is_done = runs->first && wpp_output_is_done(runs->first);
    if (runs->first && !runs->first_is_done && !begin_again(runs, runs->first, &error)) {
        wpp_output_abandon(runs->first);
        runs->first = NULL;
    }
    for (uint32_t i = 0; i < runs->n; i++) {
        struct wpp_process_file *run = runs->list[i];

        if (!run || !run->output)
            continue;
        if (wpp_output_is_done(run->output) && runs->shared && i < WPP_SHARE_PROCESSES)
            runs->shared->written[i] = true;
        else if (!has_been_written(runs, i) && !begin_again(runs, run->output, &run->error))
            drop_compressor(run);
    }
}

void wpp_process_files_all_over(struct wpp_process_files *runs, enum wpp_ended why)
{
    for (uint32_t i = 0; i < runs->n; i++)
        wpp_process_files_over(runs, i, why);
    if (runs->sums)
        runs->sink.summed(runs->sink.ctx);
}

static void dump_ring(struct wpp_process_files *runs, const struct wpp_process_file *run,
                      const void *rest, size_t n)
{
    struct wpp_process_file now = *run;

    now.output = NULL;
    now.compressor = new_compressor(runs, &now.error);
    if (write_run(runs, &now, rest, n, WPP_ENDED_LOOK, NULL) == WRITTEN)
        runs->dumps++;
    else
        tell_failure(runs, &now);
    wpp_compress_free(now.compressor);
}

void wpp_process_files_dump(struct wpp_process_files *runs, uint32_t process, const void *rest,
                            size_t n)
{
    const struct wpp_process_file *run = process < runs->n ? runs->list[process] : NULL;

    /* The killed recorder may have written this dump already. */
    if (runs->shared && runs->looks++ < runs->shared->looks)
        return;
    if (run && run->ring && run->compressor)
        dump_ring(runs, run, rest, n);
    if (runs->shared)
        runs->shared->looks = runs->looks;
}

struct wpp_process_files_figures wpp_process_files_figures(const struct wpp_process_files *runs)
{
    struct wpp_process_files_figures all = {.tokens = runs->tokens, .symbols = runs->symbols,
                                   .begun = runs->begun};

    for (const struct wpp_process_file *run = runs->running; run; run = run->next) {
        struct wpp_compress_progress p = progress_of(run);

        all.tokens += p.tokens;
        all.symbols += p.symbols;
        all.memory += p.memory;
    }
    all.memory += memory_of_rings(runs);
    return all;
}
