/* SPDX-License-Identifier: MIT */
#include "wpp/compress/compressor.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "wpp/base/error.h"

#ifdef WPP_HOSTILE
enum { PIECE_TOKENS = 3 };
#else
enum { PIECE_TOKENS = 1 << 14 };
#endif
/* The alphabet's pages may take 1 / ALPHABET_PAGES of the limit. */
enum { ALPHABET_PAGES = 8 };

/* ---- What is missing ------------------------------------------------------------ */

static void note_at(wpp_compressor *c, const char *what)
{
    wpp_note(c, WPP_E_DAMAGED, "the trace is damaged at byte %llu: %s",
             (unsigned long long)c->trace.record_offset, what);
}

/* ---- Tokens ------------------------------------------------------------------------ */

static bool append(wpp_compressor *c, const uint8_t *words, size_t n)
{
    ptrdiff_t mapped = wpp_alphabet_map(&c->alphabet, words, n, c->terminals);

    if (mapped == WPP_ALPHABET_NO_MEMORY)
        return wpp_fail_memory(&c->fatal);
    if (mapped < 0)
        return wpp_fail(&c->fatal, WPP_E_MEMORY, "there are more than 2^30 different tokens");
    c->streams.list[c->current].position += n;
    return wpp_segmenter_append(c, c->terminals, (size_t)mapped);
}

/* How many of n tokens are mapped before they are appended. */
static size_t next_piece(const wpp_compressor *c, size_t n)
{
    size_t most = wpp_segmenter_room(c, PIECE_TOKENS);

    return n < most ? n : most;
}

static bool take_tokens(void *ctx, const void *words, size_t n)
{
    wpp_compressor *c = ctx;
    const uint8_t *p = words;

    while (n > 0 && !c->skipping) {
        size_t piece = next_piece(c, n);

        if (!append(c, p, piece))
            return false;
        p += 4 * piece;
        n -= piece;
    }
    return true;
}

/* ---- Records ------------------------------------------------------------------------ */

static void check_sequence(wpp_compressor *c, uint32_t *next, uint32_t sequence)
{
    if (sequence != *next)
        note_at(c, "records are missing before it");
    *next = sequence + 1;
}

/* The stream of a record.  It is a new one if the record begins a stream, or if the stream's
 * beginning is missing. */
static struct wpp_stream *stream_of(wpp_compressor *c, const struct wpp_record *r)
{
    struct wpp_stream *stream = NULL;

    if (r->kind != WPP_REC_THREAD)
        stream = wpp_streams_find(&c->streams, r->tid);
    if (!stream)
        stream = wpp_streams_add(&c->streams, r->tid);
    if (!stream) {
        wpp_fail_memory(&c->fatal);
        return NULL;
    }
    check_sequence(c, &stream->next_sequence, r->sequence);
    return stream;
}

static bool add_chunk(wpp_compressor *c, uint64_t time)
{
    return wpp_chunk_times_add(&c->when, &c->streams, c->current, time)
        || wpp_fail_memory(&c->fatal);
}

static bool begin_tokens(wpp_compressor *c, const struct wpp_record *r)
{
    struct wpp_stream *stream = stream_of(c, r);

    if (!stream)
        return false;
    c->current = (uint32_t)(stream - c->streams.list);
    if (r->first != stream->position)
        note_at(c, "tokens are missing before it");
    stream->position = r->first;
    return r->bytes == 0 || add_chunk(c, r->time);
}

static bool take_lost(wpp_compressor *c, const struct wpp_record *r, const uint8_t *payload)
{
    struct wpp_stream *stream = stream_of(c, r);

    if (!stream)
        return false;
    if (r->bytes < 8) {
        note_at(c, "a record is too short");
        return true;
    }
    stream->position += wpp_get_u64(payload);
    c->lost += wpp_get_u64(payload);
    return true;
}

/* Takes a thread's beginning or end.  Most threads set their name after they have begun. */
static bool take_thread(wpp_compressor *c, const struct wpp_record *r, const uint8_t *payload)
{
    struct wpp_stream *stream = stream_of(c, r);
    size_t n = r->bytes < sizeof stream->name ? r->bytes : sizeof stream->name - 1;

    if (!stream)
        return false;
    if (n > 0) {
        memset(stream->name, 0, sizeof stream->name);
        memcpy(stream->name, payload, n);
    }
    return true;
}

/* Joins the `arg` strings of the command line with blanks and takes other known strings;
 * docs/trace-format.md lists the keys. */
static bool take_process(wpp_compressor *c, const struct wpp_record *r, const uint8_t *payload)
{
    const char *p = (const char *)payload, *end = p + r->bytes;
    struct wpp_bytes command = {0};

    if (c->begun)
        note_at(c, "the process begins a second time");
    c->begun = true;
    for (; p < end; p += strnlen(p, (size_t)(end - p)) + 1) {
        size_t left = (size_t)(end - p), n = strnlen(p, left);

        if (n == left)
            break;
        if (strncmp(p, "program=", 8) == 0)
            c->run.program = wpp_arena_string(&c->arena, p + 8, n - 8);
        else if (strncmp(p, "host=", 5) == 0)
            c->run.host = wpp_arena_string(&c->arena, p + 5, n - 5);
        else if (strncmp(p, "started=", 8) == 0)
            c->run.started = strtoull(p + 8, NULL, 10);
        else if (strcmp(p, "args-cut=1") == 0)
            wpp_put(&command, " ...", 4);
        if (strncmp(p, "arg=", 4) == 0) {
            wpp_put(&command, " ", command.size > 0);
            wpp_put(&command, p + 4, n - 4);
        }
    }
    c->run.command = wpp_arena_string(&c->arena, command.data, command.size);
    wpp_bytes_free(&command);
    return (!c->arena.failed && !command.failed) || wpp_fail_memory(&c->fatal);
}

static void take_end(wpp_compressor *c, const struct wpp_record *r, const uint8_t *payload)
{
    uint64_t words = 0, lost;

    c->ended = c->over = true;
    if (r->bytes < 16) {
        note_at(c, "a record is too short");
        return;
    }
    for (uint32_t i = 0; i < c->streams.n; i++)
        words += c->streams.list[i].position;
    lost = wpp_get_u64(payload + 8);
    if (wpp_get_u64(payload) != words - c->lost)
        note_at(c, "it holds another number of tokens than it says");
    c->lost = lost > c->lost ? lost : c->lost;
}

static bool take_module(wpp_compressor *c, const struct wpp_record *r, const uint8_t *payload)
{
    struct wpp_load load;

    if (r->bytes >= sizeof load) {
        memcpy(&load, payload, sizeof load);
        if (!wpp_paused_counts_load(&c->counts.paused, load.base, load.count))
            return wpp_fail_memory(&c->fatal);
    }
    return wpp_modules_add(&c->modules, payload, r->bytes, c->moved, c->held, &c->fatal);
}

static bool take_buffer(wpp_compressor *c, const struct wpp_record *r, const uint8_t *payload)
{
    enum wpp_buffers_result result = wpp_buffers_add(&c->buffers, payload, r->bytes);

    if (result == WPP_BUFFERS_NO_MEMORY)
        return wpp_fail_memory(&c->fatal);
    if (result == WPP_BUFFERS_WRONG)
        note_at(c, "a record is too short");
    return true;
}

static bool take_times(wpp_compressor *c, const struct wpp_record *r, const uint8_t *payload)
{
    enum wpp_path_times_result result = wpp_path_times_add(&c->times, payload, r->bytes);

    if (result == WPP_PATH_TIMES_NO_MEMORY)
        return wpp_fail_memory(&c->fatal);
    if (result == WPP_PATH_TIMES_WRONG)
        note_at(c, "a record of times has an impossible length");
    return true;
}

static bool take_counts(wpp_compressor *c, const struct wpp_record *r, const uint8_t *payload)
{
    enum wpp_path_counts_result result = wpp_path_counts_add(&c->counts, r, payload);

    if (result == WPP_PATH_COUNTS_NO_MEMORY)
        return wpp_fail_memory(&c->fatal);
    if (result == WPP_PATH_COUNTS_WRONG)
        note_at(c, "a record of counts has an impossible length");
    c->tokens = c->counts.sum;
    return true;
}

static void take_unload(wpp_compressor *c, const struct wpp_record *r, const uint8_t *payload)
{
    if (r->bytes >= 4)
        wpp_paused_counts_unload(&c->counts.paused, wpp_get_u32(payload));
}

/* Older runtimes did not stop counters, and STOPPED was empty. */
static bool take_switch(wpp_compressor *c, const struct wpp_record *r)
{
    if (r->kind == WPP_REC_STOPPED && r->bytes == 0)
        return true;
    return wpp_paused_counts_switch(&c->counts.paused, r->kind == WPP_REC_STOPPED)
        || wpp_fail_memory(&c->fatal);
}

static void take_note(wpp_compressor *c, const struct wpp_record *r, const uint8_t *payload)
{
    if (r->bytes < (r->kind == WPP_REC_STARTED ? 16 : r->kind == WPP_REC_STOPPED ? 0 : 8)) {
        note_at(c, "a record is too short");
    } else if (r->kind == WPP_REC_EXIT) {
        c->run.exited = wpp_get_u32(payload);
        c->run.killed = wpp_get_u32(payload + 4);
    } else if (r->kind == WPP_REC_EARLY) {
        c->run.early += wpp_get_u64(payload);
    } else if (r->kind == WPP_REC_WAITED) {
        c->run.waited += wpp_get_u64(payload);
    } else if (r->kind == WPP_REC_STOPPED) {
        c->run.stops++;
        c->stopped_at = r->time;
    } else {
        c->run.stopped += wpp_get_u64(payload);
        c->run.unrecorded += wpp_get_u64(payload + 8);
        c->stopped_at = 0;
    }
}

static bool is_process_record(unsigned kind)
{
    return kind == WPP_REC_PROCESS || kind == WPP_REC_MODULE_LOAD ||
           kind == WPP_REC_MODULE_UNLOAD || kind == WPP_REC_END;
}

/* Whether the record belongs to the first process: a WPP holds one process. */
static bool is_ours(wpp_compressor *c, const struct wpp_record *r)
{
    if (c->pid == 0) {
        c->pid = c->run.pid = r->pid;
        c->first_time = r->time;
        if (r->kind != WPP_REC_PROCESS)
            note_at(c, "its beginning is missing");
    }
    if (r->pid != c->pid)
        wpp_note(c, WPP_E_INCOMPLETE, "the trace holds other processes too (%u at byte %llu); only "
                 "process %u was taken", r->pid, (unsigned long long)c->trace.record_offset,
                 c->pid);
    return r->pid == c->pid;
}

static bool take_record(void *ctx, const struct wpp_record *r, const uint8_t *payload)
{
    wpp_compressor *c = ctx;

    if (r->kind == WPP_REC_MERGED)
        return wpp_fail(&c->fatal, WPP_E_ARGUMENT, "it holds several processes (WPP_OPTIONS=merge): "
                        "wpp-compress reads it only as a file, not from a pipe");
    c->skipping = !is_ours(c, r) || !wpp_segmenter_goes_on(c);
    if (c->skipping)
        return true;
    if (c->ended) {
        note_at(c, "something follows the process's end");
        c->skipping = true;
        return true;
    }
    if (r->time > c->last_time)
        c->last_time = r->time;
    if (is_process_record(r->kind))
        check_sequence(c, &c->next_sequence, r->sequence);
    switch (r->kind) {
    case WPP_REC_PROCESS:
        return take_process(c, r, payload);
    case WPP_REC_MODULE_LOAD:
        return take_module(c, r, payload);
    case WPP_REC_MODULE_UNLOAD:
        take_unload(c, r, payload);
        return true;
    case WPP_REC_THREAD:
    case WPP_REC_THREAD_END:
        return take_thread(c, r, payload);
    case WPP_REC_TOKENS:
        return begin_tokens(c, r);
    case WPP_REC_LOST:
        return take_lost(c, r, payload);
    case WPP_REC_END:
        take_end(c, r, payload);
        return true;
    case WPP_REC_BUFFER:
        return take_buffer(c, r, payload);
    case WPP_REC_STOPPED:
    case WPP_REC_STARTED:
        take_note(c, r, payload);
        return take_switch(c, r);
    case WPP_REC_WAITED:
    case WPP_REC_EXIT:
    case WPP_REC_EARLY:
        take_note(c, r, payload);
        return true;
    case WPP_REC_TIMES:
        return take_times(c, r, payload);
    case WPP_REC_COUNTS:
    case WPP_REC_LEFT:
    case WPP_REC_PAUSE_COUNTS:
    case WPP_REC_PAUSE_LEFT:
        return take_counts(c, r, payload);
    case WPP_REC_FORK:
        return stream_of(c, r) != NULL;
    default:
        return true;
    }
}

/* ---- The interface ---------------------------------------------------------------------- */

wpp_compressor *wpp_compress_new(enum wpp_compress_input input, struct wpp_error *error)
{
    wpp_compressor *c = calloc(1, sizeof *c);

    if (c) {
        wpp_trace_init(&c->trace, &(struct wpp_trace_sink){c, take_record, take_tokens});
        c->input = input;
        c->segments.fd = -1;
        c->run.program = c->run.command = c->run.host = "";
        c->terminals = malloc(PIECE_TOKENS * sizeof *c->terminals);
    }
    if (!c || !c->terminals || !wpp_segmenter_begin(c) ||
        !wpp_alphabet_init(&c->alphabet, input == WPP_INPUT_TRACE) ||
        (input == WPP_INPUT_SYMBOLS && !wpp_streams_add(&c->streams, 0))) {
        wpp_compress_free(c);
        wpp_fail_memory(error);
        return NULL;
    }
    return c;
}

void wpp_compress_heap(wpp_compressor *c, const struct wpp_heap *heap)
{
    c->heap = heap;
}

bool wpp_compress_limit(wpp_compressor *c, uint64_t size, const char *folder,
                        struct wpp_crew *crew, struct wpp_error *error)
{
    assert(c->heap && (!crew || crew->size <= WPP_CREW_MOST));
    c->memory_max = size;
    wpp_alphabet_limit(&c->alphabet, size / ALPHABET_PAGES);
    wpp_segmenter_drop(c);
    c->crew = crew && crew->size ? crew : NULL;
    c->builders = c->crew ? calloc(crew->size, sizeof *c->builders) : NULL;
    if (c->crew && !c->builders)
        return wpp_fail_memory(error);
    wpp_limited_begin(c);
    return wpp_segments_open(&c->segments, folder, error);
}

bool wpp_compress_aside(wpp_compressor *c, struct wpp_crew *crew, struct wpp_error *error)
{
    assert(crew->size == 1 && !c->memory_max);
    c->crew = crew;
    c->aside = true;
    c->builders = calloc(crew->size, sizeof *c->builders);
    return c->builders || wpp_fail_memory(error);
}

bool wpp_compress_jobs(wpp_compressor *c, struct wpp_crew *crew, struct wpp_error *error)
{
    assert(crew->size <= WPP_CREW_MOST && !c->memory_max);
    wpp_segmenter_drop(c);
    c->crew = crew;
    c->builders = calloc(crew->size + 1, sizeof *c->builders);
    return (c->builders && wpp_segmenter_begin(c)) || wpp_fail_memory(error);
}

bool wpp_compress_room(wpp_compressor *c, uint64_t size, const char *folder, struct wpp_error *error)
{
    assert(!c->memory_max && c->anew == WPP_ANEW_SMALL);
    c->room_folder = strdup(folder);
    c->room_max = size;
    wpp_segmenter_plan(c);
    return c->room_folder || wpp_fail_memory(error);
}

void wpp_compress_best(wpp_compressor *c, const bool *enough)
{
    c->anew = WPP_ANEW_ALL;
    c->enough = enough;
}

void wpp_compress_hold(wpp_compressor *c, const struct wpp_module_files *held)
{
    c->held = held;
}

void wpp_compress_moved(wpp_compressor *c, const struct wpp_moved *moved)
{
    c->moved = moved;
}

void wpp_compress_ended(wpp_compressor *c, enum wpp_ended why, uint64_t dropped)
{
    /* A user who interrupts does not want to wait; and a look into a ring must not delay the
     * recording. */
    if (why == WPP_ENDED_INTERRUPT || why == WPP_ENDED_LOOK)
        c->anew = WPP_ANEW_NEVER;
    c->run.ended = why;
    c->run.dropped = dropped;
}

void wpp_compress_free(wpp_compressor *c)
{
    if (!c)
        return;
    wpp_trace_free(&c->trace);
    wpp_bytes_free(&c->word);
    wpp_segmenter_drop(c);
    wpp_segments_close(&c->segments);
    free(c->room_folder);
    wpp_alphabet_free(&c->alphabet);
    wpp_modules_free(&c->modules);
    wpp_streams_free(&c->streams);
    wpp_buffers_free(&c->buffers);
    wpp_path_times_free(&c->times);
    wpp_path_counts_free(&c->counts);
    wpp_chunk_times_free(&c->when);
    wpp_arena_free(&c->arena);
    free(c->builders);
    free(c->pieces);
    free(c->terminals);
    free(c);
}

static bool push_trace(wpp_compressor *c, const void *bytes, size_t n, struct wpp_error *error)
{
    enum wpp_trace_result result = wpp_trace_push(&c->trace, bytes, n, error);

    if (result == WPP_TRACE_STOPPED && error)
        *error = c->fatal;
    if (result != WPP_TRACE_WRONG)
        return result == WPP_TRACE_OK;
    /* Damage in the first record: this is no trace.  Later damage: the records before it are
     * used. */
    if (!error || error->status != WPP_E_DAMAGED || c->pid == 0)
        return false;
    wpp_note(c, WPP_E_DAMAGED, "%s", error->text);
    c->over = true;
    return true;
}

/* A word may lie across two pieces. */
static bool push_symbols(wpp_compressor *c, const uint8_t *p, size_t n, struct wpp_error *error)
{
    bool done = true;

    while (n > 0 && c->word.size > 0 && c->word.size < 4) {
        wpp_put_u8(&c->word, *p++);
        n--;
    }
    if (c->word.size == 4) {
        done = take_tokens(c, c->word.data, 1);
        c->word.size = 0;
    }
    done = done && take_tokens(c, p, n / 4);
    wpp_put(&c->word, p + n / 4 * 4, n % 4);
    if (done && c->word.failed)
        done = wpp_fail_memory(&c->fatal);
    if (!done && error)
        *error = c->fatal;
    return done;
}

bool wpp_compress_push(wpp_compressor *c, const void *bytes, size_t n, struct wpp_error *error)
{
    struct wpp_error unwanted;

    if (!error)
        error = &unwanted;
    c->bytes += n;
    if (c->input == WPP_INPUT_SYMBOLS)
        return push_symbols(c, bytes, n, error);
    /* After the end, a further record is still read, to note that it is there. */
    if (c->over && !c->ended)
        return true;
    return push_trace(c, bytes, n, error);
}

bool wpp_compress_is_over(const wpp_compressor *c)
{
    return c->over;
}

uint32_t wpp_compress_pid(const wpp_compressor *c)
{
    return c->pid;
}

void wpp_compress_get_progress(const wpp_compressor *c, struct wpp_compress_progress *out)
{
    struct seq_stats stats = wpp_segmenter_stats(c);

    *out = (struct wpp_compress_progress){c->bytes, c->tokens,
                                          c->segments.symbols + c->piece_symbols
                                              + stats.rhs_symbols, stats.memory};
}

/* ---- The end ------------------------------------------------------------------------------- */

/* Takes those tokens of a thread's buffer that were not handed over.  The thread may have
 * stopped anywhere: TOKENS records may hold some of them, or all. */
static bool take_rest(wpp_compressor *c, const struct wpp_kept_buffer *b)
{
    struct wpp_stream *stream = b->tid ? wpp_streams_find(&c->streams, b->tid) : NULL;
    uint64_t had;

    if (!stream)
        return true;
    /* Tokens from while recording was stopped have negative numbers. */
    if ((int64_t)(stream->position - b->first) < 0) {
        wpp_note(c, WPP_E_INCOMPLETE, "%llu events of thread %u are missing before its last ones",
                 (unsigned long long)(b->first - stream->position), b->tid);
        return true;
    }
    had = stream->position - b->first;
    if (had >= b->n)
        return true;
    c->current = (uint32_t)(stream - c->streams.list);
    c->skipping = false;
    return add_chunk(c, c->last_time) &&
           take_tokens(c, b->words + 4 * had, b->n - (size_t)had);
}

/* Buffers and counts come one by one: a recorder that was interrupted or killed, or whose disk has
 * failed, may not have got all of them. */
static bool may_be_all(const wpp_compressor *c)
{
    return c->run.ended != WPP_ENDED_INTERRUPT && c->run.ended != WPP_ENDED_DISK &&
           c->run.ended != WPP_ENDED_RECORDER;
}

/* For a process that ended without END.  If its threads' buffers are there, nothing is missing. */
static bool end_by_buffers(wpp_compressor *c)
{
    for (size_t i = 0; i < c->buffers.n; i++)
        if (!take_rest(c, &c->buffers.list[i]))
            return false;
    if (may_be_all(c) && c->bytes >= c->buffers.length && wpp_buffers_are_all(&c->buffers))
        c->rest_taken = true;
    return true;
}

static void note_no_end(wpp_compressor *c)
{
    if (c->note.status == WPP_OK && c->run.ended == WPP_ENDED_UNSAID
        && (c->buffers.lacking || c->counts.lacking))
        c->run.ended = WPP_ENDED_APART;
    wpp_note(c, WPP_E_INCOMPLETE, "the trace has no end: the program was killed or left by "
             "_exit, or the trace is cut; the %llu events in it were taken",
             (unsigned long long)c->tokens);
}

static void note_missing_end(wpp_compressor *c)
{
    if (!wpp_trace_at_boundary(&c->trace) && !c->rest_taken)
        wpp_note(c, WPP_E_INCOMPLETE, "the trace is cut short at byte %llu, within a record; the "
                 "%llu events before it were taken", (unsigned long long)c->trace.offset,
                 (unsigned long long)c->tokens);
    else if (!c->ended && !c->rest_taken)
        note_no_end(c);
    if (c->lost > 0)
        wpp_note(c, WPP_E_INCOMPLETE, "%llu events were lost when the trace was recorded",
                 (unsigned long long)c->lost);
}

void wpp_compress_get_unread(const wpp_compressor *c, struct wpp_error *note)
{
    const struct wpp_modules *m = &c->modules;
    char others[48] = "";

    *note = (struct wpp_error){.status = WPP_OK};
    if (m->n_unread == 0)
        return;
    if (m->n_unread > 1)
        snprintf(others, sizeof others, " (and %u other module%s)", m->n_unread - 1,
                 m->n_unread == 2 ? "" : "s");
    wpp_fail(note, m->first_unread.status, "the events of a module are unreadable: %s%s",
             m->first_unread.text, others);
}

static bool check_input(const wpp_compressor *c, struct wpp_error *error)
{
    if (c->input == WPP_INPUT_SYMBOLS && c->word.size > 0)
        return wpp_fail(error, WPP_E_FORMAT, "the symbols end within a word: %llu bytes are no "
                        "multiple of 4", (unsigned long long)c->bytes);
    if (c->input == WPP_INPUT_SYMBOLS)
        return true;
    if (c->bytes == 0)
        return wpp_fail(error, WPP_E_NOT_TRACED, "the trace is empty: the program is not "
                        "instrumented, or it has not run");
    if (c->pid != 0)
        return true;
    if (c->trace.state == WPP_IN_HEADER && !wpp_trace_begins_well(&c->trace))
        return wpp_fail(error, WPP_E_FORMAT, "this is no trace: it does not begin with WPPT");
    return wpp_fail(error, WPP_E_INCOMPLETE, "the trace is cut short at byte %llu, within its "
                    "first record: there is nothing to use", (unsigned long long)c->bytes);
}

/* Whether the process was killed while it wrote values that count only with the note behind them. */
static bool is_cut_at_pause(const wpp_compressor *c)
{
    return c->trace.state == WPP_IN_PAYLOAD && (c->trace.record.kind == WPP_REC_PAUSE_COUNTS ||
                                                c->trace.record.kind == WPP_REC_PAUSE_LEFT);
}

/* Counters lie in the trace's file, or in a recorder's memory: without END nothing is missing either,
 * unless the process, or the recorder, says so. */
static bool has_all_counts(const wpp_compressor *c)
{
    return c->counts.any && !c->counts.lacking && !c->buffers.lacking && may_be_all(c)
           && (wpp_trace_at_boundary(&c->trace) || is_cut_at_pause(c));
}

static bool settle_counts(wpp_compressor *c, struct wpp_error *error)
{
    bool mixed;

    c->counts_kind = wpp_path_counts_kind(&c->modules, &mixed);
    if (c->counts_kind == WPP_MODE_TRACED)
        return true;
    if (!c->ended)
        c->rest_taken = has_all_counts(c);
    if (mixed)
        wpp_note(c, WPP_E_INCOMPLETE,
                 "its objects were compiled with different modes (trace, paths, "
                 "calls-cut, edges): the profile lacks what was traced, and paths of different "
                 "kinds stand side by side");
    c->part = wpp_path_counts_part(&c->modules, &mixed);
    if (mixed)
        wpp_note(c, WPP_E_INCOMPLETE, "its objects were compiled for different copies of a "
                 "partitioned profile (wpp-p3): the profile is no copy's");
    if (!wpp_path_counts_settle(&c->counts, &c->modules, error))
        return false;
    c->tokens = c->counts.sum;
    if (!c->counts.paused.any)
        c->run.stops = c->run.stopped = c->stopped_at = 0;      /* counts went on */
    /* What was counted elsewhere before a stop has no last value, if the process was killed. */
    if (c->counts.n_wrong > 0 && !c->counts.lacking)
        wpp_note(c, WPP_E_DAMAGED, "the trace is damaged: counts of %u path%s where recording was stopped and "
                 "started do not fit together", c->counts.n_wrong, c->counts.n_wrong == 1 ? "" : "s");
    if (c->counts.unknown > 0)
        wpp_note(c, WPP_E_INCOMPLETE, "%llu activation%s left in a call, on paths that are not known",
                 (unsigned long long)c->counts.unknown, c->counts.unknown == 1 ? " was" : "s were");
    /* A process that was killed, or had its recording stopped, was on some path in each thread: that
     * is no news. */
    if (c->counts.n_unbalanced > 0 && c->ended && !c->run.stops)
        wpp_note(c, WPP_E_INCOMPLETE, "%u routine%s more flow out of a block than into it: exit, "
                 "longjmp or an exception has left them, and some counts of edges are wrong",
                 c->counts.n_unbalanced, c->counts.n_unbalanced == 1 ? " has" : "s have");
    return true;
}

bool wpp_compress_finish(wpp_compressor *c, struct wpp_bytes *file, struct wpp_error *note_out,
                         struct wpp_error *error)
{
    if (!check_input(c, error))
        return false;
    if (c->modules.n == 0 && c->modules.n_unread > 0) {
        if (error)
            *error = c->modules.first_unread;
        return false;
    }
    if ((!c->ended && !c->over && !end_by_buffers(c)) || !wpp_segmenter_end(c)) {
        if (error)
            *error = c->fatal;
        return false;
    }
    if (!settle_counts(c, error))
        return false;
    if (c->input == WPP_INPUT_TRACE)
        note_missing_end(c);
    /* Times are for the whole run and come at its end: for a part of it they would be wrong. */
    if (!c->ended || c->lost)
        wpp_path_times_free(&c->times);
    wpp_path_times_settle(&c->times);
    if (note_out)
        *note_out = c->note;
    return wpp_assemble(c, file, error);
}

bool wpp_compress_write(const wpp_compressor *c, const struct wpp_bytes *file,
                        struct wpp_output *out, struct wpp_error *error)
{
    bool has_segments = c->segments.n > 0 && !c->counts_kind;

    if (has_segments)
        wpp_segments_give_room(&c->segments);
    return wpp_output_write(out, file->data, file->size, error) &&
           (!has_segments || wpp_segments_copy(&c->segments, out, error));
}
