/* SPDX-License-Identifier: MIT */
/* exports.c - the WebAssembly module of the page: runs in slots, answers as text.
 *
 * Called by report/page/worker.js.  A call returns 1, and the answer is text[0 .. size); or 0, and the
 * text says why.  The module is a program of its own, so it may have globals.
 */
#include <stdlib.h>
#include <string.h>

#include "report/page.h"
#include "report/wasm/shown-names.h"

#define EXPORT(name) __attribute__((export_name(#name)))

enum { SLOTS = 2 };

static struct page_run run[SLOTS];
/* The file until it is opened as a whole, and its name. */
static struct kept { char *name; void *file; size_t size; } kept[SLOTS];
static char *text;
static size_t size;
static FILE *stream;

static FILE *begin(void)
{
    free(text);
    text = NULL;
    size = 0;
    stream = open_memstream(&text, &size);
    return stream;
}

static int fail(const char *why)
{
    if (stream)
        fclose(stream);
    free(text);
    text = strdup(why);
    size = text ? strlen(text) : 0;
    stream = NULL;
    return 0;
}

static int end(bool ok)
{
    bool closed = stream && fclose(stream) == 0;

    stream = NULL;
    return ok && closed ? 1 : fail("out of memory");
}

static struct page_run *slot(uint32_t number)
{
    return number < SLOTS && run[number].w ? &run[number] : NULL;
}

#define ANSWER(number, call) do { \
        struct page_run *r = slot(number); \
        return !r ? fail("there is no such run") : !begin() ? fail("out of memory") : end(call); \
    } while (0)

EXPORT(page_memory) void *page_memory(size_t bytes)
{
    return malloc(bytes ? bytes : 1);
}

EXPORT(page_text) const char *page_text(void)
{
    return text;
}

EXPORT(page_text_size) size_t page_text_size(void)
{
    return size;
}

/* Opens the figures of a run, and takes the memory of all three; page_complete() opens the rest. */
EXPORT(page_load) int page_load(uint32_t number, void *file, size_t file_size, char *name, void *sources,
                                size_t sources_size)
{
    struct wpp_error error = {0};
    struct page_sources unpacked;
    bool ok;

    if (number >= SLOTS || kept[number].file)
        return fail("there is no such run");
    kept[number] = (struct kept){name, file, file_size};
    ok = page_sources_read(&unpacked, sources, sources_size, &error);
    free(sources);
    if (!ok)
        return fail(error.text);
    shown_names = &unpacked;
    ok = page_open(&run[number], PAGE_FIGURES, file, file_size, name, &error);
    shown_names = NULL;
    if (!ok) {
        page_sources_free(&unpacked);
        return fail(error.text);
    }
    run[number].sources = unpacked;
    return 1;
}

EXPORT(page_complete) int page_complete(uint32_t number)
{
    struct page_run *r = slot(number), whole;
    struct wpp_error error = {0};
    bool ok;

    if (!r || !kept[number].file)
        return fail("there is no such run");
    shown_names = &r->sources;
    ok = page_open(&whole, PAGE_WHOLE, kept[number].file, kept[number].size, kept[number].name, &error);
    shown_names = NULL;
    free(kept[number].file);
    kept[number].file = NULL;
    if (!ok)
        return fail(error.text);
    whole.sources = r->sources;
    r->sources = (struct page_sources){0};
    page_close(r);
    *r = whole;
    return 1;
}

EXPORT(overview) int export_overview(uint32_t number)
{
    ANSWER(number, page_overview(r, stream));
}

EXPORT(timeline) int export_timeline(uint32_t number, uint32_t thread, int by_time, double from, double to,
                                     uint32_t columns)
{
    struct page_view v = {thread, by_time, from, to, columns};

    ANSWER(number, page_timeline(r, &v, stream));
}

EXPORT(calls) int export_calls(uint32_t number, uint32_t thread, int by_time, double from, double to,
                               uint32_t columns)
{
    struct page_view v = {thread, by_time, from, to, columns};

    ANSWER(number, page_calls(r, &v, stream));
}

EXPORT(makeContexts) int export_make_contexts(uint32_t number, double items)
{
    ANSWER(number, page_make_contexts(r, items, stream, NULL));
}

/* These make what later answers need, so that they are quick; piece by piece, because other questions wait. */
#define PREPARE(number, call) do { \
        struct page_run *r = slot(number); \
        struct wpp_error error = {0}; \
        bool ok = r && begin() && (call) && fputs("{}", stream) >= 0; \
        return !r ? fail("there is no such run") : !ok && *error.text ? fail(error.text) : end(ok); \
    } while (0)

EXPORT(prepareStacks) int export_prepare_stacks(uint32_t number)
{
    PREPARE(number, page_need_stacks(r, &error));
}

EXPORT(prepareCosts) int export_prepare_costs(uint32_t number)
{
    PREPARE(number, page_need_costs(r, &error));
}

EXPORT(prepareParts) int export_prepare_parts(uint32_t number)
{
    PREPARE(number, page_need_parts(r, &error));
}

EXPORT(prepareRules) int export_prepare_rules(uint32_t number)
{
    PREPARE(number, page_need_frequencies(r));
}

EXPORT(prepareMostly) int export_prepare_mostly(uint32_t number)
{
    PREPARE(number, page_need_mostly(r));
}

EXPORT(prepareFirsts) int export_prepare_firsts(uint32_t number)
{
    PREPARE(number, page_need_firsts(r));
}

EXPORT(prepareLines) int export_prepare_lines(uint32_t number)
{
    PREPARE(number, page_need_lines(r));
}

EXPORT(event) int export_event(uint32_t number, uint32_t thread, double event)
{
    ANSWER(number, page_event(r, thread, event, stream));
}

EXPORT(stack) int export_stack(uint32_t number, uint32_t thread, double event)
{
    ANSWER(number, page_stack(r, thread, event, stream));
}

/* Takes the memory of `file`, which may be NULL. */
EXPORT(seek) int export_seek(uint32_t number, char *file, uint32_t what, uint32_t which, uint32_t line)
{
    struct page_run *r = slot(number);
    bool ok = r && begin() && page_seek(r, (enum page_what)what, which, file ? file : "", line, stream);

    free(file);
    return r ? end(ok) : fail("there is no such run");
}

EXPORT(seekOn) int export_seek_on(uint32_t number, double symbols)
{
    ANSWER(number, page_seek_on(r, symbols, stream));
}

EXPORT(find) int export_find(uint32_t number, uint32_t thread, double event, int forwards)
{
    ANSWER(number, page_find(r, thread, event, forwards, stream));
}

EXPORT(rule) int export_rule(uint32_t number, uint32_t rule)
{
    ANSWER(number, page_rule(r, rule, stream));
}

EXPORT(ruleUse) int export_rule_use(uint32_t number, uint32_t rule)
{
    ANSWER(number, page_rule_use(r, rule, stream));
}

EXPORT(graph) int export_graph(uint32_t number, uint32_t rule, uint32_t levels, uint32_t most)
{
    ANSWER(number, page_graph(r, rule, levels, most, stream));
}

EXPORT(report) int export_report(uint32_t number, uint32_t top)
{
    ANSWER(number, page_report(r, top, stream));
}

EXPORT(tree) int export_tree(uint32_t number, uint32_t kind, uint32_t routine, double share)
{
    ANSWER(number, page_tree(r, (enum page_tree)kind, routine, share, stream));
}

EXPORT(hot) int export_hot(uint32_t number, uint32_t wanted, uint32_t length)
{
    ANSWER(number, page_hot(r, wanted, length, stream));
}

EXPORT(files) int export_files(uint32_t number)
{
    ANSWER(number, page_files(r, stream));
}

EXPORT(lines) int export_lines(uint32_t number, uint32_t file, uint32_t first, uint32_t last)
{
    ANSWER(number, page_lines(r, file, first, last, stream));
}

EXPORT(compare) int export_compare(uint32_t by)
{
    ANSWER(slot(0) && slot(1) ? 0 : SLOTS, page_compare(r, &run[1], by, stream));
}
