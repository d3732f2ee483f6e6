/* SPDX-License-Identifier: MIT */
#include "wpp/compress/recompress.h"

#include "sequitur/sequitur.h"
#include "wpp/base/error.h"
#include "wpp/compress/finish-grammar.h"
#include "wpp/format/chunk-columns.h"
#include "wpp/format/container.h"
#include "wpp/format/content.h"
#include "wpp/format/grammar-code.h"
#include "wpp/format/routine-columns.h"

bool wpp_recompress_knows(const void *bytes, size_t n)
{
    return n >= WPP_IMPROVE_KNOWS && wpp_container_knows(bytes);
}

/* ---- A grammar -------------------------------------------------------------------------- */

static bool fail_engine(int status, struct wpp_error *error)
{
    if (status == SEQ_E_NOMEM)
        return wpp_fail_memory(error);
    return wpp_fail(error, WPP_E_MEMORY, "the grammar is too large to be parsed anew");
}

/* Gives the grammar to the engine, as if the engine had built it. */
static int take(seq **s, const struct wpp_grammar *g)
{
    struct seq_config config = {.size = sizeof config, .flags = SEQ_EXACT};
    struct seq_grammar taken = {g->n_rules, g->n_threads, (uint64_t *)g->body,
                                (uint32_t *)g->symbols, (uint64_t *)g->length};
    int status = seq_new(s, &config);

    if (status == SEQ_OK)
        status = seq_finish(*s);
    return status == SEQ_OK ? seq_join(*s, &taken) : status;
}

static bool put_export(seq *s, uint32_t n_terminals, struct wpp_bytes *out,
                       struct wpp_error *error)
{
    struct seq_grammar g;
    int status = seq_export(s, &g);
    bool done;

    if (status != SEQ_OK)
        return fail_engine(status, error);
    seq_forget(s);
    done = wpp_grammar_encode(&(struct wpp_grammar){n_terminals, g.rules, g.starts, g.body,
                                                    g.symbols, g.length}, out)
        || wpp_fail_memory(error);
    seq_grammar_free(s, &g);
    return done;
}

/* Parses the grammar anew.  Terminals keep their numbers, because they are met in the same
 * order. */
static bool improve_grammar(const struct wpp_view *code, struct wpp_bytes *out,
                            struct wpp_error *error)
{
    struct wpp_grammar g;
    uint32_t n_terminals;
    seq *s = NULL;
    int status;
    bool done;

    if (!wpp_grammar_decode(*code, &g, error))
        return false;
    n_terminals = g.n_terminals;
    status = take(&s, &g);
    wpp_grammar_release(&g);
    if (status == SEQ_OK)
        status = seq_reparse(s, WPP_ANEW_ROUNDS, NULL);
    done = status == SEQ_OK ? put_export(s, n_terminals, out, error) : fail_engine(status, error);
    seq_free(s);
    return done;
}

/* The same, but a code that would grow stays as it is, for example the best one; *is_new: it has
 * not. */
static bool improve_code(const struct wpp_view *code, struct wpp_bytes *out, bool *is_new,
                         struct wpp_error *error)
{
    if (!improve_grammar(code, out, error))
        return false;
    *is_new = out->size <= wpp_left(code);
    if (!*is_new) {
        out->size = 0;
        wpp_put(out, code->p, wpp_left(code));
    }
    return !out->failed || wpp_fail_memory(error);
}

/* ---- Segments ---------------------------------------------------------------------------- */

static bool is_wrong(struct wpp_error *error)
{
    return wpp_fail(error, WPP_E_DAMAGED, "its segments do not match what it says of them");
}

/* A segment's list of terminals stands before its code. */
static struct wpp_view skip_terminals(struct wpp_view *segment)
{
    struct wpp_view terminals = *segment;

    for (size_t n = wpp_get_count(segment, 1); n > 0 && !segment->failed; n--)
        wpp_get_varint(segment);
    terminals.end = segment->p;
    return terminals;
}

/* Writes a segment's entry of the list: its size, its checksum and the unchanged lengths of its
 * start rules. */
static void put_entry(struct wpp_bytes *to, struct wpp_view *list, size_t size, uint64_t check)
{
    const uint8_t *lengths;

    wpp_get_varint(list);
    wpp_get_bytes(list, sizeof check);
    lengths = list->p;
    for (size_t n = wpp_get_count(list, 1); n > 0 && !list->failed; n--)
        wpp_get_varint(list);
    wpp_put_varint(to, size);
    wpp_put_u64(to, check);
    wpp_put(to, lengths, (size_t)(list->p - lengths));
}

struct cut {
    struct wpp_view from, list;          /* the segments, and the list that describes them */
    struct wpp_bytes *to, *to_list;
    unsigned forms;                      /* of the segments' codes */
};

static bool improve_segment(struct cut *c, struct wpp_error *error)
{
    struct wpp_view segment = wpp_get_view(&c->from, wpp_get_count(&c->from, 1));
    struct wpp_view terminals = skip_terminals(&segment);
    size_t begin = c->to->size;
    struct wpp_bytes code = {0};
    bool done, is_new;

    if (c->from.failed || segment.failed)
        return is_wrong(error);
    done = improve_code(&segment, &code, &is_new, error);
    if (done) {
        c->forms |= wpp_grammar_forms(&code);
        wpp_put_varint(c->to, wpp_left(&terminals) + code.size);
        wpp_put(c->to, terminals.p, wpp_left(&terminals));
        wpp_put(c->to, code.data, code.size);
        done = !c->to->failed || wpp_fail_memory(error);
    }
    if (done)
        put_entry(c->to_list, &c->list, c->to->size - begin,
                  wpp_fnv(WPP_FNV_START, c->to->data + begin, c->to->size - begin));
    wpp_bytes_free(&code);
    return done;
}

static bool improve_segments(struct cut *c, struct wpp_error *error)
{
    uint64_t n = wpp_get_varint(&c->list);

    wpp_put_varint(c->to_list, n);
    for (; n > 0 && !c->list.failed; n--)
        if (!improve_segment(c, error))
            return false;
    if (c->list.failed || wpp_left(&c->from) > 0)
        return is_wrong(error);
    /* Fields that later versions may have added. */
    wpp_put(c->to_list, c->list.p, wpp_left(&c->list));
    return !c->to_list->failed || wpp_fail_memory(error);
}

/* ---- The file ---------------------------------------------------------------------------- */

static struct wpp_section *section_of(struct wpp_section *sections, uint32_t n, uint32_t kind)
{
    for (uint32_t i = 0; i < n; i++)
        if (sections[i].kind == kind)
            return &sections[i];
    return NULL;
}

static void replace(struct wpp_section *section, struct wpp_bytes *content, unsigned forms)
{
    struct wpp_bytes old = section->content;

    section->content = *content;
    section->forms = forms;
    *content = old;
}

/* The new grammar is one piece, also of a file whose grammar was built in parts. */
static bool improve_whole(struct wpp_section *grammar, struct wpp_section *summary,
                          struct wpp_section *terminals, struct wpp_error *error)
{
    struct wpp_view code = wpp_view(grammar->content.data, grammar->content.size);
    struct wpp_bytes to = {0};
    bool is_new, done = improve_code(&code, &to, &is_new, error);

    if (done) {
        replace(grammar, &to, wpp_grammar_forms(&to));
        if (terminals && !(grammar->forms & WPP_FORM_LANES))
            wpp_content_drop_counts(&terminals->content);
    }
    wpp_bytes_free(&to);
    return done && (!is_new || !summary || wpp_content_one_piece(&summary->content)
                    || wpp_fail_memory(error));
}

/* By the file's version, the file has one or the other section. */
static bool improve_sections(struct wpp_section *sections, uint32_t n, bool is_cut,
                             struct wpp_error *error)
{
    struct wpp_section *grammar = section_of(sections, n, WPP_SECTION_GRAMMAR);
    struct wpp_section *segments = section_of(sections, n, WPP_SECTION_SEGMENTS);
    struct wpp_section *list = section_of(sections, n, WPP_SECTION_SEGMENT_LIST);
    struct wpp_bytes to = {0}, to_list = {0};
    bool done;

    if (grammar && !is_cut && !segments) {
        done = improve_whole(grammar, section_of(sections, n, WPP_SECTION_SUMMARY),
                             section_of(sections, n, WPP_SECTION_TERMINALS), error);
    } else if (segments && list && is_cut) {
        struct cut c = {wpp_view(segments->content.data, segments->content.size),
                        wpp_view(list->content.data, list->content.size), &to, &to_list, 0};

        done = improve_segments(&c, error);
        if (done) {
            replace(segments, &to, c.forms);
            replace(list, &to_list, 0);
        }
    } else {
        done = wpp_fail(error, WPP_E_DAMAGED, "it has no grammar");
    }
    wpp_bytes_free(&to);
    wpp_bytes_free(&to_list);
    return done;
}

/* ---- Sections of older files ------------------------------------------------------------- */

static bool is_broken(const struct wpp_arena *arena, const char *section, struct wpp_error *error)
{
    return arena->failed ? wpp_fail_memory(error)
                         : wpp_fail(error, WPP_E_DAMAGED, "its %s make no sense", section);
}

/* Takes the new content, if it has been written. */
static bool take_content(struct wpp_section *section, struct wpp_bytes *content,
                         struct wpp_error *error)
{
    bool done = !content->failed;

    if (done)
        replace(section, content, section->forms);
    wpp_bytes_free(content);
    return done || wpp_fail_memory(error);
}

static bool turn_routines(struct wpp_section *section, struct wpp_arena *arena,
                          struct wpp_error *error)
{
    struct wpp_view v = wpp_view(section->content.data, section->content.size);
    struct wpp_bytes to = {0};
    struct wpp_routine_tables t;
    struct wpp_routine_content *routines;
    struct wpp_content content;

    if (!wpp_get_routine_rows(&v, arena, &t))
        return is_broken(arena, "routines", error);
    routines = wpp_arena_alloc(arena, t.n_routines, sizeof *routines);
    if (!routines)
        return wpp_fail_memory(error);
    for (uint32_t i = 0; i < t.n_routines; i++)
        routines[i] = (struct wpp_routine_content){t.unit_of[i], t.bases[i], &t.routines[i]};
    content = (struct wpp_content){
        .n_units = t.n_units, .units = t.units, .n_routines = t.n_routines, .routines = routines,
        .n_sources = t.n_sources, .sources = t.sources,
    };
    wpp_put_routine_columns(&to, &content);
    return take_content(section, &to, error);
}

/* Each thread has three bytes at least in its own section. */
static bool turn_chunks(struct wpp_section *section, const struct wpp_section *threads,
                        struct wpp_arena *arena, struct wpp_error *error)
{
    struct wpp_view v = wpp_view(section->content.data, section->content.size);
    struct wpp_view of_threads = wpp_view(threads->content.data, threads->content.size);
    uint32_t n_threads = (uint32_t)wpp_get_count(&of_threads, 3);
    struct wpp_bytes to = {0};
    struct wpp_chunk_list chunks;

    if (!wpp_get_chunk_rows(&v, n_threads, arena, &chunks))
        return is_broken(arena, "chunks", error);
    wpp_put_chunk_columns(&to, &chunks, n_threads);
    return take_content(section, &to, error);
}

/* Of a file of before: its routines and chunks, which stand by rows, are written by columns. */
static bool turn_rows(struct wpp_section *sections, uint32_t n, struct wpp_error *error)
{
    struct wpp_section *routines = section_of(sections, n, WPP_SECTION_ROUTINES);
    struct wpp_section *chunks = section_of(sections, n, WPP_SECTION_CHUNKS);
    struct wpp_section *threads = section_of(sections, n, WPP_SECTION_THREADS);
    struct wpp_arena arena = {0};
    bool done = routines && chunks && threads
        ? turn_routines(routines, &arena, error) && turn_chunks(chunks, threads, &arena, error)
        : wpp_fail(error, WPP_E_DAMAGED, "it lacks a section");

    wpp_arena_free(&arena);
    return done;
}

static bool load(const struct wpp_container *c, struct wpp_section *sections, const char *path,
                 struct wpp_error *error)
{
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t kind = c->entries[i].kind;

        sections[i] = (struct wpp_section){
            .kind = kind, .dense = kind == WPP_SECTION_GRAMMAR || kind == WPP_SECTION_SEGMENTS};
        if (!wpp_container_load(c, &sections[i], path, error))
            return false;
    }
    return true;
}

/* Adds the file's name: errors in a section come without it. */
static bool say_where(const char *path, struct wpp_error *error)
{
    struct wpp_error what = *error;

    return what.status == WPP_E_DAMAGED
           && wpp_fail(error, what.status, "%s is damaged: %s", path, what.text);
}

bool wpp_recompress(struct wpp_view file, const char *path, struct wpp_bytes *out,
                    struct wpp_error *error)
{
    struct wpp_section sections[WPP_MAX_SECTIONS] = {{0}};
    struct wpp_container c;
    bool done = wpp_container_open(&c, file.p, wpp_left(&file), path, error);
    uint32_t n = done ? c.n : 0;

    if (done && wpp_container_is_profile(&c))
        return wpp_fail(error, WPP_E_ARGUMENT, "%s is a path profile: it has no grammar to parse "
                        "anew", path);
    done = done && load(&c, sections, path, error)
        && ((improve_sections(sections, n, wpp_container_is_cut(&c), error)
             && (c.columns || turn_rows(sections, n, error)))
            || say_where(path, error))
        && wpp_container_write(sections, n, out, error);
    for (uint32_t i = 0; i < n; i++)
        wpp_bytes_free(&sections[i].content);
    return done;
}
