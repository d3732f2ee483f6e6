/* SPDX-License-Identifier: MIT */
/* dap-places.c - breakpoints, and going to places: by what is typed in the console, to executions of a line, to
 * the beginning of a call. */
#include <stdlib.h>
#include <string.h>

#include "wpp/base/number-text.h"
#include "wpp/step/dap-requests.h"

/* ---- Breakpoints -------------------------------------------------------------------------------------------- */

static json_t *unverified(const char *message)
{
    return json_pack("{s:b, s:o}", "verified", 0, "message", dap_text(message));
}

static json_t *breakpoint_json(const struct dap_server *d, const struct breakpoint *b)
{
    json_t *made = json_pack("{s:i, s:b}", "id", b->id, "verified", b->finder != NULL);

    if (made && b->path)
        json_object_set_new(made, "line", json_integer((json_int_t)b->sought.line + d->first_line - 1));
    if (made && !b->finder)
        json_object_set_new(made, "message", dap_text(b->message));
    return made;
}

/* Adds one of a list that the editor sent; returns what is said about it. */
static json_t *add_breakpoint(struct dap_server *d, struct breakpoint_asked *asked, const json_t *sent,
                              struct breakpoints *old)
{
    const char *condition = dap_string(sent, "condition"), *log = dap_string(sent, "logMessage");
    struct breakpoint b;
    struct hits hits;

    asked->hits = dap_string(sent, "hitCondition");
    if (condition && condition[0])
        return unverified("conditions cannot be known: the recording holds no values of variables");
    if (log && log[0])
        return unverified("there are no log points");
    if (!hits_parse(asked->hits, &hits))
        return unverified("the hit count is none of: 5, > 5, >= 5, < 5, <= 5, % 5, and -1 for the last execution");
    if (!breakpoint_make(&b, asked, d->w, &d->sources, old) || !breakpoints_add(&d->breakpoints, b))
        return NULL;
    return breakpoint_json(d, &d->breakpoints.each[d->breakpoints.n - 1]);
}

/* The line of one that the editor sent; 0: none. */
static uint32_t line_of(const struct dap_server *d, const json_t *sent)
{
    json_int_t line;

    if (!dap_integer(sent, "line", &line) || line < d->first_line || line >= UINT32_MAX)
        return 0;
    return (uint32_t)(line - d->first_line + 1);
}

/* Replaces the breakpoints of a source, or (path NULL) of routines. */
static json_t *replace_breakpoints(struct dap_server *d, const char *path, const json_t *sent)
{
    json_t *all = json_array(), *each;
    struct breakpoints old;
    size_t i;

    if (!all || !breakpoints_take(&d->breakpoints, path, &old)) {
        json_decref(all);
        return NULL;
    }
    json_array_foreach(sent, i, each) {
        struct breakpoint_asked asked = {.path = path, .line = line_of(d, each),
                                         .routine = path ? NULL : dap_string(each, "name")};
        json_t *said = asked.routine || asked.line ? add_breakpoint(d, &asked, each, &old)
                                                   : unverified("it has no line, or no name");

        dap_append(d, all, said);
    }
    breakpoints_free(&old);
    return json_pack("{s:o}", "breakpoints", all);
}

json_t *dap_set_breakpoints(struct dap_server *d, const json_t *arguments)
{
    const char *path = dap_string(json_object_get(arguments, "source"), "path");

    if (!path)
        return dap_refuse(d, "the source has no path");
    return replace_breakpoints(d, path, json_object_get(arguments, "breakpoints"));
}

json_t *dap_set_routine_breakpoints(struct dap_server *d, const json_t *arguments)
{
    return replace_breakpoints(d, NULL, json_object_get(arguments, "breakpoints"));
}

/* A recording has none. */
json_t *dap_set_exception_breakpoints(struct dap_server *d, const json_t *arguments)
{
    (void)d;
    (void)arguments;
    return json_object();
}

/* ---- Places that are typed ------------------------------------------------------------------------------------ */

bool dap_go(struct dap_server *d, const char *place)
{
    struct session *s = &d->session;
    uint64_t jumps = s->jumps;

    s->message[0] = '\0';
    if (strlen(place) >= SESSION_TEXT) {
        session_say(s, "this is too long for a place");
        return false;
    }
    session_go(s, place);
    while (session_waits(s))
        session_idle(s, 0);
    if (s->jumps == jumps)
        return false;
    d->moved = s->at.thread;
    return true;
}

/* `execution 3 of 7 of sort; event 812, sort.c:59 in sort` */
static json_t *where_it_is(const struct dap_server *d)
{
    const struct session *s = &d->session;
    const struct stack_row *row = s->n_rows > 0 ? &s->rows[0] : NULL;
    char number[NUMBER_TEXT], *text;
    json_t *made;

    if (s->at.event == wpp_thread(d->w, s->at.thread)->tokens || !row)
        return dap_text(s->message);
    if (asprintf(&text, "%s%sevent %s, %s:%u in %s", s->message, s->message[0] ? "; " : "",
                 number_grouped(s->at.event, number), row->file ? row->file : "?", row->line, row->name) < 0)
        return NULL;
    made = dap_text(text);
    free(text);
    return made;
}

json_t *dap_evaluate(struct dap_server *d, const json_t *arguments)
{
    const char *place = dap_string(arguments, "expression"), *context = dap_string(arguments, "context");
    json_int_t frame;

    if (!place || (context && strcmp(context, "repl") != 0))
        return dap_refuse(d, "the recording holds no values of variables");
    if (d->moving != DAP_STAY)
        return dap_refuse(d, "the last move goes on; `pause` ends it");
    if (!dap_integer(arguments, "frameId", &frame))
        dap_look_at(d, d->moved);
    else if (!dap_choose_frame(d, frame))
        return NULL;
    if (!dap_go(d, place))
        return dap_refuse(d, "%s", d->session.message);
    dap_stopped(d, "goto", NULL);
    return json_pack("{s:o, s:i}", "result", where_it_is(d), "variablesReference", 0);
}

/* ---- Executions of a line ---------------------------------------------------------------------------------------- */

enum target { TARGET_NEXT, TARGET_PREVIOUS, TARGET_FIRST, TARGET_LAST, N_TARGETS };

/* The execution's number, from 0.  False: there is none. */
static bool target_number(const struct breakpoint *b, enum target which, const struct run_place *from, uint64_t *k)
{
    uint64_t total = executions_of(&b->sought, from->thread), before, with;

    if (!executions_before(&b->sought, from, false, &before) || !executions_before(&b->sought, from, true, &with))
        return false;
    *k = which == TARGET_NEXT ? with : which == TARGET_PREVIOUS ? before - 1 : which == TARGET_FIRST ? 0 : total - 1;
    return *k < total;
}

static json_t *targets_json(struct dap_server *d, const struct breakpoint *b)
{
    static const char *const names[] = {"next", "previous", "first", "last"};
    json_t *all = json_array();

    for (int i = 0; i < N_TARGETS; i++) {
        char label[128], number[NUMBER_TEXT], total[NUMBER_TEXT];
        uint64_t k;

        if (!target_number(b, (enum target)i, &d->session.at, &k))
            continue;
        snprintf(label, sizeof label, "%s execution: %s of %s", names[i], number_grouped(k + 1, number),
                 number_grouped(executions_of(&b->sought, d->session.at.thread), total));
        dap_append(d, all, json_pack("{s:i, s:s, s:I}", "id", d->first_target + i, "label", label, "line",
                                             (json_int_t)b->sought.line + d->first_line - 1));
    }
    return json_pack("{s:o}", "targets", all);
}

json_t *dap_goto_targets(struct dap_server *d, const json_t *arguments)
{
    struct breakpoint_asked asked = {.path = dap_string(json_object_get(arguments, "source"), "path"),
                                     .line = line_of(d, arguments)};
    struct breakpoints one = {.each = &d->goto_line, .n = 1}, none = {0};

    if (!asked.path || asked.line == 0)
        return dap_refuse(d, "the source has no path, or the line is none");
    breakpoint_free(&d->goto_line);
    if (!breakpoint_make(&d->goto_line, &asked, d->w, &d->sources, &none))
        return NULL;
    while (breakpoints_work(&one))
        continue;
    if (!d->goto_line.finder)
        return dap_refuse(d, "%s", d->goto_line.message);
    d->first_target += N_TARGETS;
    dap_look_at(d, d->moved);
    return targets_json(d, &d->goto_line);
}

json_t *dap_goto(struct dap_server *d, const json_t *arguments)
{
    struct run_place to;
    uint32_t thread;
    json_int_t id;
    uint64_t k;

    if (!dap_thread(d, arguments, &thread))
        return NULL;
    if (d->moving != DAP_STAY)
        return dap_refuse(d, "the last move goes on; `pause` ends it");
    if (!dap_integer(arguments, "targetId", &id) || id < d->first_target || id >= d->first_target + N_TARGETS
        || !d->goto_line.finder)
        return dap_refuse(d, "there is no such target any more");
    dap_look_at(d, thread);
    if (!target_number(&d->goto_line, (enum target)(id - d->first_target), &d->session.at, &k)
        || !executions_place(&d->goto_line.sought, thread, k, &to))
        return dap_refuse(d, "thread %u has no such execution", thread);
    dap_moved_to(d, to);
    dap_stopped(d, "goto", NULL);
    return json_object();
}

/* ---- The beginning of a call ---------------------------------------------------------------------------------------- */

json_t *dap_restart_frame(struct dap_server *d, const json_t *arguments)
{
    struct session *s = &d->session;
    struct run_place to;
    json_int_t frame;

    if (d->moving != DAP_STAY)
        return dap_refuse(d, "the last move goes on; `pause` ends it");
    if (!dap_integer(arguments, "frameId", &frame) || !dap_choose_frame(d, frame) || s->n_rows == 0)
        return dap_refuse(d, "there is no such frame");
    if (stepper_go(s->stepper, s->at.thread, s->frames[s->rows[s->row].frame].first, &to) != STEPPER_DONE)
        return NULL;
    dap_moved_to(d, to);
    dap_stopped(d, "restart", NULL);
    return json_object();
}
