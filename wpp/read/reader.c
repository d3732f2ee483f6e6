/* SPDX-License-Identifier: MIT */
#include "wpp/read/reader.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/trace-abi.h"
#include "wpp/base/error.h"
#include "wpp/format/container.h"
#include "wpp/format/grammar-code.h"
#include "wpp/read/salvage.h"
#include "wpp/read/sections.h"

/* ---- Opening -------------------------------------------------------------------- */

/* Bytes behind the known content are from a later version and are ignored. */
static bool read_section(struct loading *l, const struct wpp_container *c,
                         const struct section_reader *reader)
{
    struct wpp_section s = {.kind = reader->kind};
    struct wpp_view v;
    bool good;

    if (!wpp_container_view(c, &s, &v, l->path, l->error))
        return false;
    l->error->status = WPP_OK;
    good = reader->get(l, &v) && !v.failed && !l->arena->failed;
    if (reader->part == WPP_PART_GRAMMAR && l->w->reading)
        l->w->kept_content = s.content;
    else
        wpp_bytes_free(&s.content);
    if (reader->part == WPP_PART_GRAMMAR)
        l->w->summary.grammar_bytes = s.stored;
    if (good)
        l->w->present |= reader->part;
    if (good || l->error->status != WPP_OK)
        return good;
    if (l->arena->failed)
        return wpp_fail_memory(l->error);
    return wpp_fail(l->error, WPP_E_DAMAGED, "%s is damaged: its %s section makes no sense",
                    l->path, reader->name);
}

/* Undoes what reading a section has set; only allocated memory stays. */
static void forget_section(struct loading *l, const struct loading *before, const struct wpp *w)
{
    struct wpp_arena arena = l->w->arena;
    uint64_t grammar_bytes = l->w->summary.grammar_bytes;

    if (l->w->grammar.body != w->grammar.body)
        wpp_grammar_release(&l->w->grammar);
    *l->w = *w;
    l->w->arena = arena;
    l->w->summary.grammar_bytes = grammar_bytes;
    *l = *before;
    for (uint32_t i = 0; l->w->summary.ticks_per_second == 0 && i < l->w->n_terminals; i++)
        l->w->terminals[i].ticks = 0;
}

/* Whether the part is wrong because events are lost: counts and positions of all events do not fit
 * a part of them. */
static bool lacks_events(const struct loading *l, unsigned part)
{
    return (part & (WPP_PART_CHUNKS | WPP_PART_TIMES)) && l->w->summary.unread > 0;
}

/* Reads a section if it is there, intact and useful; else notes what is missing.  False: no
 * memory. */
static bool salvage_section(struct loading *l, const struct wpp_container *c,
                            const struct section_reader *reader)
{
    struct wpp_findings *f = &l->w->findings;
    struct loading before = *l;
    struct wpp w = *l->w;
    unsigned n;
    const struct wpp_entry *e = wpp_container_find(c, reader->kind, &n);
    bool found = true;

    if (reader->part == WPP_PART_GRAMMAR && e) {
        l->w->summary.grammar_bytes = e->stored;
        l->w->grammar_entry = *e;
    }
    if (reader->kind == WPP_SECTION_SEGMENTS && n == 1 && e->state != WPP_ENTRY_INTACT) {
        if (read_pieces(l, c, e))
            return true;
        if (l->error->status == WPP_E_MEMORY)
            return false;
        forget_section(l, &before, &w);
    }
    if (n != 1 || e->state != WPP_ENTRY_INTACT)
        found = wpp_find_section(f, reader->part, c, reader->kind);
    else if (lacks_events(l, reader->part))
        found = wpp_find_useless(f, reader->part, e, WPP_PART_GRAMMAR);
    else if (reader->needs && (f->missing & reader->needs) == reader->needs)
        found = wpp_find_useless(f, reader->part, e, reader->needs);
    else if (read_section(l, c, reader))
        found = !e->mended || wpp_find_mended(f, reader->part, e);
    else if (l->error->status == WPP_E_MEMORY)
        return false;
    else {
        forget_section(l, &before, &w);
        found = wpp_find_nonsense(f, reader->part, e);
    }
    return found || wpp_fail_memory(l->error);
}

/* Makes a grammar that derives nothing: instead of a missing one, and in a path profile. */
static bool make_grammar(struct wpp *w, struct wpp_error *error)
{
    uint32_t n = w->n_threads;
    uint64_t *body = calloc(n + (size_t)1, sizeof *body), *length = calloc(n + (size_t)1,
                                                                           sizeof *length);
    uint32_t *symbols = calloc(1, sizeof *symbols);

    w->grammar = (struct wpp_grammar){w->n_terminals, 0, n, body, symbols, length};
    return (body && length && symbols) || wpp_fail_memory(error);
}

static void set_defaults(struct wpp *w, const struct wpp_container *c)
{
    w->summary.program = w->summary.command = w->summary.host = "";
    w->summary.file_bytes = c->whole;
    w->summary.is_profile = wpp_container_is_profile(c);
}

static bool is_read(const struct wpp_container *c, uint32_t kind)
{
    for (size_t i = 0; i < N_SECTION_READERS; i++)
        if (section_readers[i].kind == kind)
            return section_is_expected(&section_readers[i], c);
    return false;
}

/* For sections that have no reader, such as the list of segments, only damage is noted. */
static bool find_others(struct loading *l, const struct wpp_container *c)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (!is_read(c, c->entries[i].kind) && !wpp_find_unread(&l->w->findings, &c->entries[i]))
            return wpp_fail_memory(l->error);
    return true;
}

static bool read_sections(struct loading *l, const struct wpp_container *c)
{
    bool (*read)(struct loading *, const struct wpp_container *, const struct section_reader *) =
        l->intact_only ? salvage_section : read_section;

    for (size_t i = 0; i < N_SECTION_READERS; i++)
        if (section_is_expected(&section_readers[i], c) && !read(l, c, &section_readers[i]))
            return false;
    return find_others(l, c) && (l->w->grammar.body || make_grammar(l->w, l->error))
        && (wpp_derive(l->w) || wpp_fail_memory(l->error));
}

/* How much of a file is read. */
enum extent { ALL, INTACT, FIGURES, UNREAD };

static wpp *open_memory(const void *file, size_t size, const char *path, enum extent extent,
                        struct wpp_error *error)
{
    bool intact_only = extent != ALL;
    struct wpp_error unwanted;
    struct wpp_container c;
    struct loading l = {.path = path, .error = error ? error : &unwanted,
                        .intact_only = intact_only, .figures_only = extent == FIGURES,
                        .unread = extent == UNREAD};

    if (!(intact_only ? wpp_container_salvage : wpp_container_open)(&c, file, size, path, l.error))
        return NULL;
    l.w = calloc(1, sizeof *l.w);
    if (!l.w || !wpp_find_head(&l.w->findings, &c)) {
        wpp_close(l.w);
        wpp_fail_memory(l.error);
        return NULL;
    }
    l.arena = &l.w->arena;
    l.columns = c.columns;
    l.has_executed = c.version == WPP_FILE_VERSION_LANES;
    set_defaults(l.w, &c);
    if (!read_sections(&l, &c)) {
        wpp_close(l.w);
        return NULL;
    }
    return l.w;
}

wpp *wpp_open_memory(const void *file, size_t size, const char *path, struct wpp_error *error)
{
    return open_memory(file, size, path, ALL, error);
}

wpp *wpp_open_memory_intact(const void *file, size_t size, const char *path,
                            struct wpp_error *error)
{
    return open_memory(file, size, path, INTACT, error);
}

wpp *wpp_open_memory_figures(const void *file, size_t size, const char *path,
                             struct wpp_error *error)
{
    return open_memory(file, size, path, FIGURES, error);
}

wpp *wpp_open_memory_unread(const void *file, size_t size, const char *path, struct wpp_error *error)
{
    return open_memory(file, size, path, UNREAD, error);
}

/* Room for all of a file whose size is known, and one byte more, so that its end is seen. */
static void make_room(int fd, struct wpp_bytes *out)
{
    struct stat status;

    if (out->data || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0)
        return;
    out->data = malloc((size_t)status.st_size + 1);
    out->capacity = out->data ? (size_t)status.st_size + 1 : 0;
}

static bool read_whole(int fd, const char *path, struct wpp_bytes *out, struct wpp_error *error)
{
    make_room(fd, out);
    for (;;) {
        uint8_t piece[1 << 16];
        size_t room = out->capacity - out->size;
        ssize_t n = read(fd, room ? out->data + out->size : piece, room ? room : sizeof piece);

        if (n == 0)
            return true;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return wpp_fail_errno(error, "cannot read %s", path);
        if (room)
            out->size += (size_t)n;
        else
            wpp_put(out, piece, (size_t)n);
        if (out->failed)
            return wpp_fail_memory(error);
    }
}

bool wpp_read_file(const char *path, struct wpp_bytes *out, struct wpp_error *error)
{
    bool standard = strcmp(path, "-") == 0, done;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);

    if (standard)
        path = "standard input";
    if (fd < 0)
        return wpp_fail_errno(error, "cannot open %s", *path ? path : "``");
    done = read_whole(fd, path, out, error);
    if (!standard)
        close(fd);
    return done;
}

static wpp *open_path(const char *path, enum extent extent, struct wpp_error *error)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    struct wpp_bytes file = {0};
    wpp *w = NULL;

    if (wpp_read_file(path, &file, error))
        w = open_memory(file.data, file.size, name, extent, error);
    if (w && w->reading)
        w->kept_file = file;
    else
        wpp_bytes_free(&file);
    return w;
}

wpp *wpp_open(const char *path, struct wpp_error *error)
{
    return open_path(path, ALL, error);
}

wpp *wpp_open_intact(const char *path, struct wpp_error *error)
{
    return open_path(path, INTACT, error);
}

wpp *wpp_open_figures(const char *path, struct wpp_error *error)
{
    return open_path(path, FIGURES, error);
}

wpp *wpp_open_unread(const char *path, struct wpp_error *error)
{
    return open_path(path, UNREAD, error);
}

/* ---- Reading on ------------------------------------------------------------------ */

/* Frees what the grammar is read with, and the grammar if it is not taken from the reader yet. */
static void end_reading(wpp *w)
{
    if (w->reading && !wpp_grammar_reader_has_given(w->reading))
        w->grammar = (struct wpp_grammar){0};
    wpp_grammar_reader_free(w->reading);
    wpp_bytes_free(&w->kept_file);
    wpp_bytes_free(&w->kept_content);
    w->reading = NULL;
}

/* Whether the threads that are complete have the events that they should have, and the others no more. */
static bool fits_threads(const wpp *w)
{
    uint32_t complete = wpp_grammar_reader_threads(w->reading);

    for (uint32_t k = 0; k < w->n_threads; k++) {
        uint64_t read = wpp_events_read(w, k), tokens = w->threads[k].tokens;

        if (k < complete ? read != tokens : read > tokens)
            return false;
    }
    return true;
}

/* Makes what has been read the grammar. */
static bool show_read(wpp *w, struct wpp_error *error)
{
    bool done = wpp_grammar_reader_is_done(w->reading);

    (done ? wpp_grammar_reader_take : wpp_grammar_reader_show)(w->reading, &w->grammar);
    if (!fits_threads(w))
        return wpp_fail(error, WPP_E_DAMAGED, "a thread has not as many events as it should");
    if (!wpp_derive(w))
        return wpp_fail_memory(error);
    if (done)
        end_reading(w);
    return true;
}

/* The code makes no sense. */
static bool lose_grammar(wpp *w)
{
    if (!wpp_find_nonsense(&w->findings, WPP_PART_GRAMMAR, &w->grammar_entry))
        return false;
    w->present &= ~(unsigned)WPP_PART_GRAMMAR;
    end_reading(w);
    wpp_grammar_release(&w->grammar);
    return make_grammar(w, NULL) && wpp_derive(w);
}

bool wpp_read_until(wpp *w, uint32_t thread, const uint32_t *weights, uint64_t n, struct wpp_error *error)
{
    struct wpp_reading_goal goal = {thread, weights, n};
    struct wpp_error why;

    if (!w->reading
        || (wpp_grammar_reader_go_on(w->reading, &goal, &why) && show_read(w, &why)))
        return true;
    if (why.status == WPP_E_DAMAGED && !lose_grammar(w))
        why.status = WPP_E_MEMORY;
    return why.status == WPP_E_MEMORY ? wpp_fail_memory(error)
                                      : wpp_fail(error, why.status, "in the grammar, %s", why.text);
}

uint64_t wpp_events_read(const wpp *w, uint32_t thread)
{
    return w->grammar.length[w->grammar.n_rules + thread];
}

void wpp_close(wpp *w)
{
    if (!w)
        return;
    end_reading(w);
    wpp_findings_free(&w->findings);
    wpp_grammar_release(&w->grammar);
    wpp_arena_free(&w->arena);
    free(w);
}

/* ---- Access ---------------------------------------------------------------------- */

unsigned wpp_missing(const wpp *w)
{
    return w->findings.missing;
}

unsigned wpp_present(const wpp *w)
{
    return w->present;
}

const struct wpp_damage *wpp_damages(const wpp *w, uint32_t *n)
{
    *n = w->findings.n;
    return w->findings.list;
}

void wpp_get_summary(const wpp *w, struct wpp_summary *out)
{
    *out = w->summary;
}

const struct wpp_thread *wpp_thread(const wpp *w, uint32_t index)
{
    assert(index < w->n_threads);
    return &w->threads[index];
}

const struct wpp_chunk *wpp_chunks(const wpp *w, uint64_t *n)
{
    *n = w->n_chunks;
    return w->chunks;
}

const struct wpp_grammar *wpp_grammar(const wpp *w)
{
    return &w->grammar;
}

const struct wpp_terminal *wpp_terminal(const wpp *w, uint32_t terminal)
{
    assert(terminal < w->n_terminals);
    return &w->terminals[terminal];
}

const char *wpp_symbol_name(const struct wpp_terminal *t, char *out)
{
    if (!t->control)
        snprintf(out, WPP_SYMBOL_NAME, "symbol %" PRIu32, t->token);
    else if (t->token == WPP_GAP)
        snprintf(out, WPP_SYMBOL_NAME, "Gap");
    else if (t->token >= WPP_FRAME)
        snprintf(out, WPP_SYMBOL_NAME, "Frame %" PRIu32, t->token - WPP_FRAME);
    else
        snprintf(out, WPP_SYMBOL_NAME, "control 0x%" PRIx32, t->token);
    return out;
}

const struct wpp_routine *wpp_routine(const wpp *w, uint32_t index)
{
    assert(index < w->n_routines);
    return &w->routines[index];
}

const struct wpp_unread_module *wpp_unread_module(const wpp *w, uint32_t index)
{
    assert(index < w->summary.n_unread_modules);
    return &w->unread_modules[index];
}

const struct wpp_source *wpp_source(const wpp *w, uint32_t index)
{
    assert(index < w->summary.n_sources);
    return &w->sources[index];
}

const struct wpp_left_out *wpp_left_out(const wpp *w, uint32_t index)
{
    assert(index < w->n_left_out);
    return &w->left_out[index];
}
