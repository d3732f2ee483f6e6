/* SPDX-License-Identifier: MIT */
#include "wpp/step/session.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/base/names.h"
#include "wpp/base/number-text.h"
#include "wpp/replay/place-text.h"
#include "wpp/replay/turn-parts.h"

void session_say(struct session *s, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(s->message, sizeof s->message, format, args);
    va_end(args);
}

static uint64_t tokens_of(const struct session *s, uint32_t thread)
{
    return wpp_thread(s->w, thread)->tokens;
}

/* ---- Where it stands ------------------------------------------------------------------------------ */

void session_look(struct session *s, const char *directory, const char *file, uint32_t line)
{
    s->directory = directory;
    s->file = file;
    s->cursor = line > 0 ? line : 1;
}

uint32_t session_routine(const struct session *s)
{
    return s->row < s->n_rows ? s->frames[s->rows[s->row].frame].routine : WPP_NO_ROUTINE;
}

static bool is_at_end(const struct session *s)
{
    return s->at.event == tokens_of(s, s->at.thread);
}

static bool is_place(const struct session *s, size_t row)
{
    return s->rows[row].frame == s->n_frames - 1 && !is_at_end(s);
}

/* The loops at the chosen row; a caller has come to the end of its path.  If they take long to count, that
 * goes on when it is called again. */
static void find_loops(struct session *s)
{
    enum { PART = 1 << 16 };       /* items of the call tree: some milliseconds */
    const struct wpp_frame *f = &s->frames[s->rows[s->row].frame];
    uint32_t n_blocks = wpp_terminal(s->w, f->terminal)->n_blocks;
    uint32_t block = is_place(s, s->row) ? stepper_block(s->w, f->terminal, s->at.line) : n_blocks - 1;
    enum turns_state state = TURNS_READY;

    free(s->loops);
    s->loops = NULL;
    s->n_loops = 0;
    if (n_blocks > 0 && s->turns)
        state = turns_at_part(s->turns, s->at.thread, f->last, block, PART, &s->loops, &s->n_loops);
    s->counts_loops = state == TURNS_MORE;
    if (state == TURNS_NO_MEMORY)
        session_say(s, "out of memory: the loops are missing");
}

void session_choose_row(struct session *s, size_t row)
{
    const struct stack_row *r = &s->rows[row];
    const struct wpp_frame *f = &s->frames[r->frame];

    s->row = row;
    trail_free(&s->path_lines);
    if (!trail_of(wpp_terminal(s->w, f->terminal), wpp_routine(s->w, f->routine), &s->path_lines))
        session_say(s, "out of memory: some of this is missing");
    find_loops(s);
    session_look(s, wpp_routine(s->w, f->routine)->directory, r->file, r->line);
}

static void forget_place(struct session *s)
{
    free(s->frames);
    free(s->rows);
    free(s->loops);
    trail_free(&s->path_lines);
    s->frames = NULL;
    s->rows = NULL;
    s->loops = NULL;
    s->n_frames = s->n_rows = s->n_loops = s->row = 0;
    s->counts_loops = false;
}

/* The line at which the innermost activation stands; NULL at the end.  *trail holds it. */
static const struct wpp_line *line_at(const struct session *s, struct trail *trail)
{
    const struct wpp_frame *top = s->n_frames > 0 ? &s->frames[s->n_frames - 1] : NULL;

    *trail = (struct trail){0};
    if (is_at_end(s) || !top
        || !trail_of(wpp_terminal(s->w, top->terminal), wpp_routine(s->w, top->routine), trail))
        return NULL;
    return s->at.line < trail->n ? &trail->line[s->at.line] : NULL;
}

static void say_end(struct session *s)
{
    if (wpp_grammar(s->w)->n_threads > 1)
        session_say(s, "the end of thread %u%s", s->at.thread, s->n_frames ? "" : ": no activation is left");
    else if (!s->run.complete)
        session_say(s, "the end of the recording, which does not hold the whole run");
    else if (s->run.killed)
        session_say(s, "the end: signal %u killed the process", s->run.killed);
    else if (s->run.exited)
        session_say(s, "the end: the process exited with status %u", s->run.exited - 1);
    else
        session_say(s, "the end%s", s->n_frames ? "" : ": no activation is left");
}

void session_move_to(struct session *s, struct run_place to)
{
    const struct wpp_line *line;
    struct trail trail;

    forget_place(s);
    s->at = to;
    s->of_thread[to.thread] = to;
    if (!wpp_stack_at(s->stacks, to.thread, to.event, &s->frames, &s->n_frames)) {
        session_say(s, "out of memory: the call stack is missing");
        return;
    }
    line = line_at(s, &trail);
    if (!stack_rows(s->w, s->frames, s->n_frames, line, false, &s->rows, &s->n_rows))
        session_say(s, "out of memory: the call stack is missing");
    trail_free(&trail);
    if (s->n_rows > 0)
        session_choose_row(s, 0);
    if (is_at_end(s))
        say_end(s);
}

void session_jump_to(struct session *s, struct run_place to)
{
    s->before_jump = s->at;
    s->jumps++;
    session_move_to(s, to);
}

/* ---- Places ------------------------------------------------------------------------------------------ */

bool session_cursor_text(const struct session *s, char *out, size_t size)
{
    if (!s->file)
        return false;
    return (size_t)snprintf(out, size, "%s:%u", s->file, s->cursor) < size;
}

static void ask_for(const struct session *s, const wpp_finder *f, const char *what, struct asked_for *out)
{
    out->sought = (struct sought){.w = s->w, .finder = f, .files = out->names};
    out->names[0] = out->file;
    if (strlen(what) < sizeof out->file)
        out->sought.n_files = place_line_of(what, out->file, &out->sought.line);
}

bool session_ask_for(struct session *s, const char *what, struct asked_for *out)
{
    enum finder_state state = FINDER_MORE;
    struct wpp_error error;
    const wpp_finder *f;

    while (state == FINDER_MORE)
        state = finders_ask(&s->finders, what, &f, &error);
    if (state == FINDER_READY)
        ask_for(s, f, what, out);
    return state == FINDER_READY;
}

/* Goes to execution k of the thread, counted from 0, which is there. */
static void go_to_execution(struct session *s, const struct asked_for *a, const char *what, uint64_t k)
{
    char number[NUMBER_TEXT], all[NUMBER_TEXT];
    uint32_t thread = s->at.thread;
    struct run_place to;

    if (!executions_place(&a->sought, thread, k, &to)) {
        session_say(s, "out of memory");
        return;
    }
    session_jump_to(s, to);
    session_say(s, "execution %s of %s of %s", number_grouped(k + 1, number),
                number_grouped(executions_of(&a->sought, thread), all), what);
}

/* The n-th next or earlier one. */
static void go_on_by(struct session *s, const wpp_finder *f, const struct session_wanted *want)
{
    struct asked_for a;
    uint64_t before, total;

    ask_for(s, f, want->what, &a);
    total = executions_of(&a.sought, s->at.thread);
    if (!executions_before(&a.sought, &s->at, !want->back, &before))
        session_say(s, "out of memory");
    else if (total == 0)
        session_say(s, "%s was not executed in thread %u", want->what, s->at.thread);
    else if (want->back ? before < want->n : want->n > total - before)
        session_say(s, "there is no %s execution of %s", want->back ? "earlier" : "later", want->what);
    else
        go_to_execution(s, &a, want->what, want->back ? before - want->n : before + want->n - 1);
}

static void go_to_nth(struct session *s, const wpp_finder *f, const struct place *p)
{
    struct wpp_error error;
    struct asked_for a;
    uint64_t event;
    uint32_t within;

    ask_for(s, f, p->what, &a);
    if (place_find_execution(p, s->w, f, s->at.thread, &event, &within, &error))
        go_to_execution(s, &a, p->what, wpp_finder_count(f, s->at.thread, 0, event) + within);
    else
        session_say(s, "%s", error.text);
}

/* The next or earlier occurrence of the hot subpath that was found. */
static void go_to_subpath(struct session *s, bool back)
{
    const struct string_finder *f = s->hot.finder;
    uint32_t thread = s->at.thread;
    uint64_t tokens = tokens_of(s, thread), total = string_finder_count(f, thread, tokens), k, event;
    char number[NUMBER_TEXT], all[NUMBER_TEXT];
    struct run_place to;

    k = string_finder_count(f, thread, back || is_at_end(s) ? s->at.event : s->at.event + 1);
    if (total == 0)
        session_say(s, "subpath %zu does not occur in thread %u", s->hot.chosen, thread);
    else if (back ? k == 0 : k == total)
        session_say(s, "there is no %s occurrence of subpath %zu", back ? "earlier" : "later", s->hot.chosen);
    else if (!string_finder_nth(f, thread, back ? --k : k, &event)
             || stepper_go(s->stepper, thread, event, &to) != STEPPER_DONE)
        session_say(s, "out of memory");
    else {
        session_jump_to(s, to);
        session_say(s, "occurrence %s of %s of subpath %zu", number_grouped(k + 1, number),
                    number_grouped(total, all), s->hot.chosen);
    }
}

static void try_subpath(struct session *s)
{
    struct session_wanted want = s->wanted;
    enum string_state state = hot_list_find(&s->hot, s->w, want.subpath);

    if (state == STRING_MORE) {
        session_say(s, "looking for %s ...  (Escape gives up)", want.what);
        return;
    }
    s->wanted.what[0] = s->message[0] = '\0';
    s->hot.chosen = want.subpath;
    if (state == STRING_READY)
        go_to_subpath(s, want.back);
    else
        session_say(s, "out of memory");
}

void session_subpath(struct session *s, size_t which, bool back)
{
    s->wanted = (struct session_wanted){.subpath = which, .back = back};
    snprintf(s->wanted.what, sizeof s->wanted.what, "subpath %zu", which);
    try_subpath(s);
}

/* Does what is wanted, if it can be found by now. */
static void try_wanted(struct session *s)
{
    struct session_wanted want = s->wanted;
    struct wpp_error error;
    const wpp_finder *f;
    enum finder_state state;

    if (want.subpath) {
        try_subpath(s);
        return;
    }
    state = finders_ask(&s->finders, want.what, &f, &error);
    if (state == FINDER_MORE) {
        session_say(s, "looking for %s ...  (Escape gives up)", want.what);
        return;
    }
    s->wanted.what[0] = s->message[0] = '\0';
    if (state == FINDER_TOO_MANY)
        session_say(s, "%s", error.text);
    else if (want.by_number)
        go_to_nth(s, f, &want.place);
    else
        go_on_by(s, f, &want);
}

bool session_waits(const struct session *s)
{
    return s->wanted.what[0];
}

void session_execution(struct session *s, const char *what, uint64_t n, bool back)
{
    s->wanted = (struct session_wanted){.n = n, .back = back};
    snprintf(s->wanted.what, sizeof s->wanted.what, "%s", what);
    try_wanted(s);
}

static void go_to_event(struct session *s, const struct place *p)
{
    uint64_t tokens = tokens_of(s, s->at.thread), event;
    char all[NUMBER_TEXT];
    struct wpp_error error;
    struct run_place to;

    if (!place_find_event(p, s->w, s->at.thread, &event, &error)) {
        session_say(s, "%s", error.text);
    } else if (event > tokens) {
        session_say(s, "thread %u has only %s events", s->at.thread, number_grouped(tokens, all));
    } else if (stepper_go(s->stepper, s->at.thread, event, &to) != STEPPER_DONE) {
        session_say(s, "out of memory");
    } else {
        session_jump_to(s, to);
        if (to.event < tokens && to.event != event)
            session_say(s, "event %llu has no line; this is the next one that has", (unsigned long long)event);
    }
}

void session_go(struct session *s, const char *text)
{
    char what[SESSION_TEXT + 16];
    struct place p;

    snprintf(what, sizeof what, "%s", text);
    if (text[0] == '#' && (!session_cursor_text(s, what, SESSION_TEXT)
                           || strlen(what) + strlen(text) >= sizeof what)) {
        session_say(s, "the cursor is at no line");
        return;
    }
    if (text[0] == '#')
        strcat(what, text);
    if (!place_parse(what, strlen(what), &p)) {
        session_execution(s, what, 1, false);
    } else if (p.kind == PLACE_EXECUTION) {
        s->wanted = (struct session_wanted){.by_number = true, .place = p};
        strcpy(s->wanted.what, p.what);
        try_wanted(s);
    } else {
        go_to_event(s, &p);
    }
}

/* ---- Begin and end --------------------------------------------------------------------------------------- */

static bool has_lines(const struct session *s)
{
    for (uint32_t k = 0; k < wpp_grammar(s->w)->n_threads; k++)
        if (stepper_stops(s->stepper, k) > 0)
            return true;
    return false;
}

static bool open_run(struct session *s, struct wpp_error *error)
{
    uint32_t n = wpp_grammar(s->w)->n_threads;

    s->stepper = stepper_new(s->stacks);
    s->of_thread = malloc((n + (size_t)1) * sizeof *s->of_thread);
    if (!s->stepper || !s->of_thread || !source_changes_find(&s->changes, s->w))
        return wpp_fail_memory(error);
    for (uint32_t k = 0; k < n; k++)
        s->of_thread[k] = (struct run_place){k, UINT64_MAX, 0};
    if (!s->early)
        s->turns = wpp_turns_new(s->stacks, error);
    if (!s->early && !s->turns)
        return false;
    if (!has_lines(s))
        return wpp_fail(error, WPP_E_ARGUMENT, "the run has no source lines to step through");
    return true;
}

bool session_has(const struct session *s, const struct run_place *p)
{
    uint64_t read = wpp_events_read(s->w, p->thread);

    return read == tokens_of(s, p->thread) || (p->event < read && read - p->event > SESSION_AHEAD);
}

static bool begin(struct session *s, uint32_t thread, struct wpp_error *error)
{
    struct run_place first;

    s->finders.w = s->w;
    s->page = 10;
    wpp_get_summary(s->w, &s->run);
    if (!open_run(s, error)) {
        session_end(s);
        return false;
    }
    stepper_go_stop(s->stepper, thread, 0, &first);
    if (s->early && !session_has(s, &first)) {
        session_end(s);
        return wpp_fail(error, WPP_E_ARGUMENT, "the beginning of the run has no source lines");
    }
    session_move_to(s, first);
    s->before_jump = first;
    return true;
}

bool session_begin(struct session *s, const wpp *w, const char *path, uint32_t thread, wpp_stacks *stacks,
                   struct wpp_error *error)
{
    *s = (struct session){.w = w, .path = path, .stacks = stacks};
    if (!begin(s, thread, error))
        return false;
    session_say(s, "h: help, q: quit");
    return true;
}

bool session_begin_early(struct session *s, const wpp *w, const char *path, uint32_t thread, wpp_stacks *stacks,
                         struct wpp_error *error)
{
    *s = (struct session){.w = w, .path = path, .stacks = stacks, .early = true};
    return begin(s, thread, error);
}

/* Looks at the line that the other session looks at: one of the place's file, or of the routine that was looked
 * for last. */
static void look_alike(struct session *s, const struct session *other)
{
    const struct wpp_routine *r = s->run.n_routines > 0 ? wpp_routine(s->w, other->routine_found) : NULL;

    if (!other->file || !s->file)
        return;
    if (strcmp(s->file, other->file) != 0 && r && strcmp(r->file, other->file) == 0)
        session_look(s, r->directory, r->file, other->cursor);
    if (strcmp(s->file, other->file) == 0) {
        s->cursor = other->cursor;
        s->top = other->top;
    }
}

void session_take_over(struct session *s, const struct session *early)
{
    session_move_to(s, early->at);
    if (early->row < s->n_rows)
        session_choose_row(s, early->row);
    s->before_jump = early->before_jump;
    memcpy(s->marks, early->marks, sizeof s->marks);
    s->count = early->count;
    s->pending = early->pending;
    s->prompt = early->prompt;
    memcpy(s->input, early->input, sizeof s->input);
    memcpy(s->search, early->search, sizeof s->search);
    memcpy(s->routine, early->routine, sizeof s->routine);
    s->routine_found = early->routine_found;
    s->help = early->help;
    s->jumps = early->jumps;
    look_alike(s, early);
    if (early->message[0])
        session_say(s, "%s", early->message);
}

void session_end(struct session *s)
{
    forget_place(s);
    finders_free(&s->finders);
    overviews_free(&s->overviews);
    hot_list_free(&s->hot);
    source_set_free(&s->sources);
    source_changes_free(&s->changes);
    wpp_turns_free(s->turns);
    stepper_free(s->stepper);
    free(s->of_thread);
}

/* ---- What can wait ------------------------------------------------------------------------------------------ */

/* Looks for the cursor's line, once for each line that the cursor comes to. */
static void prepare_line(struct session *s)
{
    char what[SESSION_TEXT];
    struct wpp_error error;
    const wpp_finder *f;

    s->ready_file = s->file;
    s->ready_line = s->cursor;
    if (session_cursor_text(s, what, sizeof what))
        finders_ask(&s->finders, what, &f, &error);
}

/* Asks whether the hot subpaths have been found, if they are wanted. */
static bool look_for_subpaths(struct session *s)
{
    if (!s->hot.wanted)
        return false;
    if (hot_list_ask(&s->hot) != HOT_LOOKING && (s->prompt != PROMPT_HOT || s->hot.state == HOT_FAILED))
        session_say(s, s->hot.state == HOT_READY ? "the hot subpaths are found: H shows them"
                                                 : "out of memory: no hot subpaths were found");
    return true;
}

bool session_idle(struct session *s, int columns)
{
    uint32_t routine = session_routine(s);

    if (session_waits(s)) {
        try_wanted(s);
        return true;
    }
    if (s->counts_loops) {
        find_loops(s);
        return true;
    }
    if (routine != WPP_NO_ROUTINE && columns > 0
        && !overviews_find(&s->overviews, s->at.thread, routine, columns)
        && overviews_make(&s->overviews, s->w, s->at.thread, routine, columns))
        return true;
    if (s->file && (s->ready_file != s->file || s->ready_line != s->cursor)) {
        prepare_line(s);
        return true;
    }
    return finders_work(&s->finders) || look_for_subpaths(s);
}
