/* SPDX-License-Identifier: MIT */
/* dump.c - walks a thread's events and writes a text for each.
 *
 * A run has few distinct paths and very many executions of them: the text of a path is made once,
 * when it first occurs (struct words).
 */

#include "wpp/replay/dump.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/base/names.h"
#include "wpp/replay/inlined-text.h"
#include "wpp/replay/last-path.h"
#include "wpp/replay/line-trail.h"
#include "wpp/replay/rule-effects.h"

enum { BATCH = 16384, MAX_INDENT = 64 };

/* ---- Walking ------------------------------------------------------------------ */

struct walk {
    wpp_cursor *cursor;
    uint64_t left;
    uint32_t terminals[BATCH];
};

static struct walk *walk_new(const struct dump_range *range, struct wpp_error *error)
{
    struct walk *walk = malloc(sizeof *walk);

    assert(range->begin <= range->end);
    assert(range->end <= wpp_thread(range->w, range->thread)->tokens);
    if (walk) {
        walk->left = range->end - range->begin;
        walk->cursor = wpp_cursor_new(range->w, range->thread, range->begin);
    }
    if (!walk || !walk->cursor) {
        free(walk);
        wpp_fail_memory(error);
        return NULL;
    }
    return walk;
}

static void walk_free(struct walk *walk)
{
    wpp_cursor_free(walk->cursor);
    free(walk);
}

/* Reads the next terminals into walk->terminals; 0 at the range's end. */
static size_t walk_next(struct walk *walk)
{
    size_t want = walk->left < BATCH ? walk->left : BATCH;
    size_t got = want ? wpp_cursor_read(walk->cursor, walk->terminals, want) : 0;

    assert(got <= want);
    walk->left -= got;
    return got;
}

static uint32_t n_terminals(const wpp *w)
{
    return wpp_grammar(w)->n_terminals;
}

/* ---- Tokens, counts ------------------------------------------------------------ */

bool dump_tokens(FILE *out, const struct dump_range *range, struct wpp_error *error)
{
    uint32_t *token = malloc((n_terminals(range->w) + (size_t)1) * sizeof *token);
    struct walk *walk = token ? walk_new(range, error) : NULL;
    size_t n;

    if (!walk) {
        free(token);
        return wpp_fail_memory(error);
    }
    for (uint32_t i = 0; i < n_terminals(range->w); i++)
        token[i] = htole32(wpp_terminal(range->w, i)->token);
    while ((n = walk_next(walk)) > 0) {
        for (size_t i = 0; i < n; i++)
            walk->terminals[i] = token[walk->terminals[i]];
        if (fwrite(walk->terminals, sizeof *walk->terminals, n, out) != n)
            break;
    }
    walk_free(walk);
    free(token);
    return true;
}

bool dump_count(const struct dump_range *range, uint64_t *counts, struct wpp_error *error)
{
    struct walk *walk = walk_new(range, error);
    size_t n;

    if (!walk)
        return false;
    while ((n = walk_next(walk)) > 0)
        for (size_t i = 0; i < n; i++)
            counts[walk->terminals[i]]++;
    walk_free(walk);
    return true;
}

/* ---- The text of a path --------------------------------------------------------------- */

/* dump_events: text is `NewPath ...\n`.  dump_lines: text has one line for each
 * source line; `rest` is where the second begins. */
struct words {
    char *text;                /* NULL: not made yet */
    size_t size, rest;
    struct wpp_line first, last;   /* file NULL: the path has no lines */
};

static bool say_path(struct words *words, const struct wpp_terminal *t,
                     const struct wpp_routine *routine)
{
    FILE *out = open_memstream(&words->text, &words->size);
    struct trail trail = {0};
    bool ok = out && (!routine || trail_of(t, routine, &trail));

    if (ok && t->control) {
        char name[WPP_SYMBOL_NAME];
        fprintf(out, "%s\n", wpp_symbol_name(t, name));
    } else if (ok && !routine) {
        fprintf(out, "Symbol %u\n", t->token);
    } else if (ok) {
        fprintf(out, "NewPath %llu [", (unsigned long long)t->path);
        trail_print(out, &trail, 0);
        fputs("]\n", out);
    }
    trail_free(&trail);
    return (!out || fclose(out) == 0) && ok;
}

static bool say_lines(struct words *words, const struct wpp_terminal *t,
                      const struct wpp_routine *routine)
{
    FILE *out = open_memstream(&words->text, &words->size);
    struct trail trail = {0};
    bool ok = out && (!routine || trail_of(t, routine, &trail));

    for (size_t i = 0; ok && i < trail.n; i++) {
        name_put(out, trail.line[i].file);
        fprintf(out, ":%u\n", trail.line[i].line);
        if (i == 0)
            words->rest = fflush(out) == 0 ? words->size : 0;
    }
    if (ok && trail.n > 0) {
        words->first = trail.line[0];
        words->last = trail.line[trail.n - 1];
    }
    trail_free(&trail);
    return (!out || fclose(out) == 0) && ok;
}

/* ---- Events ------------------------------------------------------------------------- */

/* An activation's state for the dump. */
struct shadow {
    const struct wpp_routine *routine;
    struct wpp_line line;      /* executed last in it; file NULL: none yet */
    uint32_t scope;            /* of inlined calls: the one it is in, as in struct wpp_line */
};

#define NOWHERE UINT32_MAX

struct teller {
    FILE *out;
    const wpp *w;
    struct events *events;
    struct words *words;       /* by terminal */
    uint32_t n_words;
    struct shadow *stack;      /* by depth, as deep as the machine's */
    uint32_t capacity;
    struct wpp_line told, last;    /* for lines: the line written last, the line executed last */
    bool tells_lines, assembler_names, inlined;
    struct dump_filter filter;
    uint32_t shown_from;           /* the depth from which on activations are shown, or NOWHERE */
    uint32_t hidden_from;          /* and from which on they are not */
};

static void teller_free(struct teller *t)
{
    for (uint32_t i = 0; t->words && i < t->n_words; i++)
        free(t->words[i].text);
    free(t->words);
    free(t->stack);
    events_free(t->events);
}

static bool teller_new(struct teller *t, FILE *out, const struct dump_range *range,
                       bool tells_lines)
{
    *t = (struct teller){.out = out, .w = range->w, .tells_lines = tells_lines,
                         .assembler_names = range->assembler_names, .inlined = range->inlined,
                         .filter = range->filter, .n_words = n_terminals(range->w),
                         .shown_from = range->filter.only ? NOWHERE : 0, .hidden_from = NOWHERE};
    t->events = events_until(range->w, range->thread, range->begin);
    t->words = calloc(t->n_words + (size_t)1, sizeof *t->words);
    if (t->events && t->words)
        return true;
    teller_free(t);
    return false;
}

/* Makes room for a frame at `depth`. */
static bool reserve(struct teller *t, uint32_t depth)
{
    uint32_t capacity = t->capacity ? 2 * t->capacity : 64;
    struct shadow *stack;

    if (depth < t->capacity)
        return true;
    stack = realloc(t->stack, capacity * sizeof *stack);
    if (!stack)
        return false;
    t->stack = stack;
    t->capacity = capacity;
    return true;
}

static void indent(const struct teller *t, uint32_t depth)
{
    static const char blanks[2 * MAX_INDENT + 1] = {[0 ... 2 * MAX_INDENT - 1] = ' '};
    fwrite_unlocked(blanks, 1, 2 * (depth < MAX_INDENT ? depth : MAX_INDENT), t->out);
}

/* ---- Which activations are shown ------------------------------------------------------ */

static bool is_shown(const struct teller *t, uint32_t depth)
{
    return t->shown_from <= depth && depth < t->hidden_from
        && (t->filter.depth == 0 || depth - t->shown_from < t->filter.depth);
}

/* Notes an activation that begins; `routine` is its number. */
static void begin_shadow(struct teller *t, uint32_t depth, uint32_t routine)
{
    t->stack[depth] = (struct shadow){.routine = wpp_routine(t->w, routine)};
    if (t->shown_from == NOWHERE && t->filter.only[routine])
        t->shown_from = depth;
    if (t->hidden_from == NOWHERE && t->filter.hidden && t->filter.hidden[routine])
        t->hidden_from = depth;
}

static void end_shadow(struct teller *t, uint32_t depth)
{
    if (t->filter.only && t->shown_from == depth)
        t->shown_from = NOWHERE;
    if (t->hidden_from == depth)
        t->hidden_from = NOWHERE;
}

/* ---- Telling ---------------------------------------------------------------------------- */

static void tell(const struct teller *t, uint32_t depth, const char *what, const char *remark)
{
    assert(depth < t->capacity);
    if (!is_shown(t, depth))
        return;
    indent(t, depth);
    fputs_unlocked(what, t->out);
    putc_unlocked(' ', t->out);
    fputs_unlocked(t->assembler_names ? t->stack[depth].routine->name
                                      : t->stack[depth].routine->shown, t->out);
    fputs_unlocked(remark, t->out);
    putc_unlocked('\n', t->out);
}

static struct inlined_text inlined_at(const struct teller *t, uint32_t depth)
{
    uint32_t columns = 2 * ((depth < MAX_INDENT ? depth : MAX_INDENT) + 2);

    return (struct inlined_text){t->out, t->stack[depth].routine, columns, t->assembler_names};
}

static void tell_leave(struct teller *t, uint32_t depth, const char *remark)
{
    struct inlined_text text = inlined_at(t, depth);

    if (t->inlined && is_shown(t, depth))
        inlined_leave(&text, &t->stack[depth].scope);
    tell(t, depth, "LeaveRoutine", remark);
    end_shadow(t, depth);
}

/* The path and its lines by inlined calls.  False: no memory. */
static bool tell_inlined(struct teller *t, uint32_t depth, const struct wpp_terminal *terminal)
{
    struct inlined_text text = inlined_at(t, depth);
    struct trail trail;

    if (!trail_of(terminal, t->stack[depth].routine, &trail))
        return false;
    indent(t, depth + 1);
    fprintf(t->out, "NewPath %llu\n", (unsigned long long)terminal->path);
    inlined_lines(&text, &trail, &t->stack[depth].scope);
    trail_free(&trail);
    return true;
}

/* The path, or the word that is none. */
static bool tell_event(struct teller *t, uint32_t depth, const struct words *words,
                       const struct wpp_terminal *terminal)
{
    bool has_routine = terminal->routine != WPP_NO_ROUTINE;

    if (!is_shown(t, depth))
        return true;
    if (has_routine && t->inlined && t->stack[depth].routine->n_inlined > 0)
        return tell_inlined(t, depth, terminal);
    indent(t, has_routine ? depth + 1 : depth);
    fwrite_unlocked(words->text, 1, words->size, t->out);
    return true;
}

static bool tell_step(struct teller *t, const struct events_step *step, uint32_t old_depth,
                      const struct words *words, const struct wpp_terminal *terminal)
{
    bool seen = step->arrival != ARRIVAL_UNSEEN, told;

    assert(step->left <= old_depth && words->text);
    for (uint32_t i = 0; i < step->left; i++)
        tell_leave(t, old_depth - 1 - i,
                   step->arrival == ARRIVAL_GAP ? "  # not recorded" : "  # not by returning");
    if (step->arrival == ARRIVAL_ENTER || !seen) {
        begin_shadow(t, step->depth, terminal->routine);
        tell(t, step->depth, "EnterRoutine", seen ? "" : "  # earlier");
    }
    if (step->arrival == ARRIVAL_FRAME)
        return true;
    told = tell_event(t, step->depth, words, terminal);
    if (step->leaves)
        tell_leave(t, step->depth, "");
    return told;
}

static void tell_lines(struct teller *t, const struct events_step *step, uint32_t old_depth,
                       const struct words *words, const struct wpp_terminal *terminal)
{
    struct shadow *frame = &t->stack[step->depth];
    size_t skip;

    for (uint32_t i = 0; i < step->left; i++)
        end_shadow(t, old_depth - 1 - i);
    if (terminal->routine == WPP_NO_ROUTINE)
        return;
    if (step->arrival == ARRIVAL_ENTER || step->arrival == ARRIVAL_UNSEEN)
        begin_shadow(t, step->depth, terminal->routine);
    if (words->first.file && is_shown(t, step->depth)) {
        skip = frame->line.file && same_line(frame->line, words->first) ? words->rest : 0;
        assert(skip <= words->size);
        fwrite_unlocked(words->text + skip, 1, words->size - skip, t->out);
        if (skip < words->size)
            t->told = words->last;
        frame->line = t->last = words->last;
    }
    if (step->leaves)
        end_shadow(t, step->depth);
}

static bool tell_terminal(struct teller *t, uint32_t number)
{
    const struct wpp_terminal *terminal = wpp_terminal(t->w, number);
    const struct wpp_routine *routine =
        terminal->routine == WPP_NO_ROUTINE ? NULL : wpp_routine(t->w, terminal->routine);
    assert(number < t->n_words);
    struct words *words = &t->words[number];
    uint32_t old_depth = events_depth(t->events);
    struct events_step step;

    if (!words->text && !(t->tells_lines ? say_lines : say_path)(words, terminal, routine))
        return false;
    if (!events_next(t->events, terminal, routine, &step) || !reserve(t, step.depth))
        return false;
    if (!t->tells_lines)
        return tell_step(t, &step, old_depth, words, terminal);
    tell_lines(t, &step, old_depth, words, terminal);
    return true;
}

/* Tells the activations in which the range begins. */
static bool tell_stack(struct teller *t)
{
    const struct events_frame *frames = events_frames(t->events);
    uint32_t n = events_depth(t->events);

    for (uint32_t depth = 0; depth < n; depth++) {
        if (!reserve(t, depth))
            return false;
        begin_shadow(t, depth, frames[depth].routine);
        if (!t->tells_lines)
            tell(t, depth, "EnterRoutine", "  # earlier");
    }
    return true;
}

static bool tell_range(struct teller *t, const struct dump_range *range, struct wpp_error *error)
{
    struct walk *walk = walk_new(range, error);
    bool ok = walk && tell_stack(t);
    size_t n;

    while (ok && !ferror(t->out) && (n = walk_next(walk)) > 0)
        for (size_t i = 0; ok && i < n; i++)
            ok = tell_terminal(t, walk->terminals[i]);
    if (walk)
        walk_free(walk);
    return ok || wpp_fail_memory(error);
}

/* Writes the thread's index and name, without the kernel's number: that differs between runs, and
 * dumps of two runs are compared. */
static void tell_thread(const struct teller *t, uint32_t index)
{
    const struct wpp_thread *thread = wpp_thread(t->w, index);

    fprintf(t->out, "EnterThread %u%s", index, thread->name[0] ? " " : "");
    name_put(t->out, thread->name);
    putc('\n', t->out);
}

/* Writes the path that had not ended when the process was killed, with the activation that it is
 * in. */
static bool tell_last_path(const struct teller *t, const struct dump_range *range,
                           struct wpp_error *error)
{
    uint32_t depth = events_depth(t->events);
    struct last_path last;

    if (!last_path_find(t->w, range->thread, &last, error))
        return false;
    if (last.kind != LAST_PATH_NONE) {
        indent(t, depth);
        if (last.kind == LAST_PATH_PART) {
            fputs(last.enters ? "EnterRoutine " : "  ", t->out);
            if (last.enters) {
                fputs(t->assembler_names ? last.routine->name : last.routine->shown, t->out);
                putc('\n', t->out);
                indent(t, depth + 2);
            }
            fputs("PartOfPath [", t->out);
            last_path_lines(t->out, &last);
            fputs("]  ", t->out);
        }
        fputs("# ", t->out);
        last_path_say(t->out, &last, t->assembler_names);
        putc('\n', t->out);
    }
    last_path_free(&last);
    return true;
}

bool dump_events(FILE *out, const struct dump_range *range, struct wpp_error *error)
{
    const struct wpp_thread *thread = wpp_thread(range->w, range->thread);
    struct teller t;
    bool ok;

    if (!teller_new(&t, out, range, false))
        return wpp_fail_memory(error);
    tell_thread(&t, range->thread);
    ok = tell_range(&t, range, error);
    if (ok && range->end == thread->tokens)
        ok = tell_last_path(&t, range, error);
    for (uint32_t depth = events_depth(t.events); ok && depth-- > 0;)
        tell_leave(&t, depth, range->end == thread->tokens ? "  # at the end" : "  # later");
    teller_free(&t);
    return ok;
}

bool dump_lines(FILE *out, const struct dump_range *range, struct wpp_error *error)
{
    struct teller t;
    bool ok;

    if (!teller_new(&t, out, range, true))
        return wpp_fail_memory(error);
    ok = tell_range(&t, range, error);
    /* The range may have ended where a call had returned to a line that was written before. */
    if (ok && t.last.file && !same_line(t.told, t.last)) {
        name_put(out, t.last.file);
        fprintf(out, ":%u\n", t.last.line);
    }
    teller_free(&t);
    return ok;
}
