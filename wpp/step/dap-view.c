/* SPDX-License-Identifier: MIT */
/* dap-view.c - what is shown where a thread stands: its calls, and what a recording of paths knows of each.
 *
 *      number of a frame        1 + thread + threads * row
 *      number of a scope        1 + which scope + 3 * (number of the frame - 1)
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/names.h"
#include "wpp/base/number-text.h"
#include "wpp/step/dap-requests.h"

static json_int_t n_threads(const struct dap_server *d)
{
    return wpp_grammar(d->w)->n_threads;
}

/* ---- Threads and sources ------------------------------------------------------------------------------------ */

json_t *dap_threads(struct dap_server *d, const json_t *arguments)
{
    json_t *all = json_array();

    (void)arguments;
    for (uint32_t k = 0; k < n_threads(d); k++) {
        char name[128];

        snprintf(name, sizeof name, "thread %u %s", k, wpp_thread(d->w, k)->name);
        dap_append(d, all, json_pack("{s:I, s:o}", "id", (json_int_t)k + 1, "name", dap_text(name)));
    }
    return json_pack("{s:o}", "threads", all);
}

static json_t *source_object(const struct dap_source *s)
{
    const char *slash = strrchr(s->path, '/');
    const char *origin = !s->there ? "not here" : s->changed ? "changed since it was compiled" : NULL;

    return json_pack("{s:o, s:o, s:s*}", "name", dap_text(slash ? slash + 1 : s->path), "path", dap_text(s->path),
                     "origin", origin);
}

json_t *dap_source_json(struct dap_server *d, const char *directory, const char *file)
{
    struct dap_source *s = dap_source_of(&d->sources, directory, file);

    if (!s)
        return NULL;
    if (!s->told && !s->there)
        dap_say(d, "important", "%s is not here; it was compiled as %s in %s.  `sourceMap` of the launch can say where "
                "it is", s->path, s->file, s->directory);
    else if (!s->told && s->changed)
        dap_say(d, "important", "%s has changed since it was compiled: its lines may be wrong", s->path);
    s->told = true;
    return source_object(s);
}

json_t *dap_loaded_sources(struct dap_server *d, const json_t *arguments)
{
    json_t *all = json_array();

    (void)arguments;
    for (size_t i = 0; i < d->sources.n; i++)
        dap_append(d, all, source_object(&d->sources.each[i]));
    return json_pack("{s:o}", "sources", all);
}

/* ---- The stack ------------------------------------------------------------------------------------------------ */

static json_t *frame_json(struct dap_server *d, size_t row)
{
    const struct session *s = &d->session;
    const struct stack_row *r = &s->rows[row];
    const struct wpp_routine *routine = wpp_routine(d->w, s->frames[r->frame].routine);
    json_int_t id = 1 + s->at.thread + n_threads(d) * (json_int_t)row;
    bool known = r->file && r->line > 0;
    json_t *source = known ? dap_source_json(d, routine->directory, r->file) : NULL;
    char *name;
    json_t *made;

    if (asprintf(&name, "%s%s", r->name, r->inlined ? " (inlined)" : "") < 0) {
        json_decref(source);
        return NULL;
    }
    made = json_pack("{s:I, s:o, s:I, s:i, s:o*}", "id", id, "name", dap_text(name), "line",
                     known ? (json_int_t)r->line + d->first_line - 1 : 0, "column", known ? d->first_column : 0,
                     "source", source);
    free(name);
    return made;
}

/* Where no activation is left, a row says so. */
static json_t *no_frame(const struct dap_server *d)
{
    return json_pack("{s:[{s:I, s:s, s:i, s:i, s:s}], s:i}", "stackFrames", "id",
                     1 + (json_int_t)d->session.at.thread, "name", "the end: no activation is left", "line", 0,
                     "column", 0, "presentationHint", "label", "totalFrames", 1);
}

json_t *dap_stack_trace(struct dap_server *d, const json_t *arguments)
{
    json_int_t first, levels;
    uint32_t thread;
    size_t n, end;
    json_t *frames;

    if (!dap_thread(d, arguments, &thread))
        return NULL;
    dap_look_at(d, thread);
    n = d->session.n_rows;
    if (n == 0)
        return no_frame(d);
    if (!dap_integer(arguments, "startFrame", &first) || first < 0)
        first = 0;
    if (!dap_integer(arguments, "levels", &levels) || levels <= 0 || (uint64_t)levels > n)
        levels = (json_int_t)n;
    first = (uint64_t)first < n ? first : (json_int_t)n;
    end = (size_t)first + (size_t)levels < n ? (size_t)first + (size_t)levels : n;
    frames = json_array();
    for (size_t row = (size_t)first; row < end; row++)
        dap_append(d, frames, frame_json(d, row));
    return json_pack("{s:o, s:I}", "stackFrames", frames, "totalFrames", (json_int_t)n);
}

bool dap_choose_frame(struct dap_server *d, json_int_t frame)
{
    struct session *s = &d->session;
    json_int_t row = (frame - 1) / n_threads(d);

    if (frame > 0)
        dap_look_at(d, (uint32_t)((frame - 1) % n_threads(d)));
    if (frame <= 0 || (row >= (json_int_t)s->n_rows && row > 0))
        return dap_refuse(d, "there is no such frame; its thread has moved");
    if (s->n_rows > 0 && s->row != (size_t)row)
        session_choose_row(s, (size_t)row);
    return true;
}

/* ---- What is known of a call -------------------------------------------------------------------------------------- */

enum scope { SCOPE_CALL, SCOPE_RUN, SCOPE_COUNTS, N_SCOPES };

json_t *dap_scopes(struct dap_server *d, const json_t *arguments)
{
    static const char *const names[] = {"Call", "Run", "Counts"};
    bool large = d->session.run.rhs_symbols > FINDER_PART;
    json_t *all;
    json_int_t frame;

    if (!dap_integer(arguments, "frameId", &frame) || !dap_choose_frame(d, frame))
        return d->refusal[0] ? NULL : dap_refuse(d, "frameId is missing");
    all = json_array();
    for (int i = 0; i < N_SCOPES; i++)
        if (i == SCOPE_RUN || d->session.n_rows > 0)
            dap_append(d, all, json_pack("{s:s, s:I, s:b}", "name", names[i], "variablesReference",
                                         1 + i + N_SCOPES * (frame - 1), "expensive",
                                         large && i == SCOPE_COUNTS));
    return json_pack("{s:o}", "scopes", all);
}

static void add(struct dap_server *d, json_t *all, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void add(struct dap_server *d, json_t *all, const char *name, const char *format, ...)
{
    va_list args;
    char *text = NULL;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    dap_append(d, all, json_pack("{s:o, s:o, s:i}", "name", dap_text(name), "value",
                                 text ? dap_text(text) : NULL, "variablesReference", 0));
    free(text);
}

static void add_run(struct dap_server *d, json_t *all)
{
    const struct run_place *at = &d->session.at;
    uint64_t tokens = wpp_thread(d->w, at->thread)->tokens, time;
    char event[NUMBER_TEXT], of[NUMBER_TEXT], part[NUMBER_TEXT];

    if (at->event == tokens)
        add(d, all, "event", "the end, behind %s events", number_grouped(tokens, of));
    else
        add(d, all, "event", "%s of %s (%s)", number_grouped(at->event, event), number_grouped(tokens, of),
            number_percent((double)at->event, (double)tokens, part));
    if (wpp_time_of(d->w, at->thread, at->event, &time))
        add(d, all, "time", "about %.6f s", (double)time / 1e9);
    add(d, all, "thread", "%u of %lld", at->thread, (long long)n_threads(d));
    if (at->event == tokens && d->session.run.killed)
        add(d, all, "end", "signal %u killed the process", d->session.run.killed);
}

static void add_loop(struct dap_server *d, json_t *all, const struct wpp_turn *t)
{
    char name[256] = "loop", turn[NUMBER_TEXT], turns[NUMBER_TEXT];

    if (t->line)
        snprintf(name, sizeof name, "loop %s:%u", t->line->file, t->line->line);
    if (t->turn > t->turns)
        add(d, all, name, "ends after %s", number_grouped(t->turns, turns));
    else
        add(d, all, name, "iteration %s of %s", number_grouped(t->turn, turn), number_grouped(t->turns, turns));
}

static void add_lines(struct dap_server *d, json_t *all)
{
    size_t size;
    char *text = NULL;
    FILE *out = open_memstream(&text, &size);

    if (out) {
        trail_print(out, &d->session.path_lines, 0);
        fclose(out);
        add(d, all, "lines of the path", "%s", text);
    }
    free(text);
}

static void add_call(struct dap_server *d, json_t *all)
{
    struct session *s = &d->session;
    const struct stack_row *row = &s->rows[s->row];
    const struct wpp_frame *f = &s->frames[row->frame];
    const struct wpp_terminal *t = wpp_terminal(d->w, f->terminal);
    char number[NUMBER_TEXT];

    while (s->counts_loops)
        session_idle(s, 0);
    if (row->inlined)
        add(d, all, "inlined in", "%s", wpp_routine(d->w, f->routine)->shown);
    add(d, all, "since", f->unseen ? "before the recording" : "event %s", number_grouped(f->first, number));
    for (size_t i = 0; i < s->n_loops; i++)
        add_loop(d, all, &s->loops[i]);
    add(d, all, "path", "%llu, event %s", (unsigned long long)t->path, number_grouped(f->last, number));
    add_lines(d, all);
}

/* How many executions of `what` the thread had, as places are written: `sort.c:59#7 of 99`. */
static void add_count(struct dap_server *d, json_t *all, const char *name, const char *what, uint64_t event,
                      uint32_t line)
{
    struct run_place at = {d->session.at.thread, event, line};
    char total[NUMBER_TEXT];
    struct asked_for a;
    uint64_t n;

    if (!session_ask_for(&d->session, what, &a) || !executions_before(&a.sought, &at, true, &n))
        return;
    add(d, all, name, "%s#%llu of %s", what, (unsigned long long)n,
        number_grouped(executions_of(&a.sought, at.thread), total));
}

static void add_counts(struct dap_server *d, json_t *all)
{
    const struct session *s = &d->session;
    const struct stack_row *row = &s->rows[s->row];
    const struct wpp_frame *f = &s->frames[row->frame];
    bool place = row->frame == s->n_frames - 1 && s->at.event < wpp_thread(d->w, s->at.thread)->tokens;
    char what[SESSION_TEXT];

    if (!row->inlined && !f->unseen)
        add_count(d, all, "call", wpp_routine(d->w, f->routine)->shown, f->first, UINT32_MAX);
    if (row->file && (size_t)snprintf(what, sizeof what, "%s:%u", row->file, row->line) < sizeof what)
        add_count(d, all, "line", what, f->last, place ? s->at.line : UINT32_MAX);
}

json_t *dap_variables(struct dap_server *d, const json_t *arguments)
{
    json_int_t reference;
    json_t *all;

    if (!dap_integer(arguments, "variablesReference", &reference) || reference <= 0)
        return dap_refuse(d, "there is no such scope");
    if (!dap_choose_frame(d, 1 + (reference - 1) / N_SCOPES))
        return NULL;
    all = json_array();
    switch ((reference - 1) % N_SCOPES) {
    case SCOPE_RUN:
        add_run(d, all);
        break;
    case SCOPE_CALL:
        if (d->session.n_rows > 0)
            add_call(d, all);
        break;
    case SCOPE_COUNTS:
        if (d->session.n_rows > 0)
            add_counts(d, all);
        break;
    }
    return json_pack("{s:o}", "variables", all);
}
