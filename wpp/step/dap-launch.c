/* SPDX-License-Identifier: MIT */
/* dap-launch.c - the beginning and the end of an editor's session. */
#include <stdlib.h>
#include <string.h>

#include "wpp/step/dap-requests.h"

json_t *dap_initialize(struct dap_server *d, const json_t *arguments)
{
    d->first_line = !json_is_false(json_object_get(arguments, "linesStartAt1"));
    d->first_column = !json_is_false(json_object_get(arguments, "columnsStartAt1"));
    return json_pack("{s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:[]}",
                     "supportsConfigurationDoneRequest", 1, "supportsStepBack", 1,
                     "supportsFunctionBreakpoints", 1, "supportsHitConditionalBreakpoints", 1,
                     "supportsGotoTargetsRequest", 1, "supportsRestartFrame", 1,
                     "supportsLoadedSourcesRequest", 1, "supportsDelayedStackTraceLoading", 1,
                     "supportsTerminateRequest", 1, "exceptionBreakpointFilters");
}

/* ---- Opening the run --------------------------------------------------------------------------------------- */

/* What `launch` says. */
struct launch {
    const char *program, *at;
    uint64_t thread;
    struct dap_map *maps;
    size_t n_maps;
};

/* The argument `sourceMap`: an object of paths.  False: refused. */
static bool read_maps(struct dap_server *d, json_t *map, struct launch *l)
{
    const char *from;
    json_t *to;

    if (!map || json_is_null(map))
        return true;
    l->maps = calloc(json_object_size(map) + 1, sizeof *l->maps);
    if (!json_is_object(map) || !l->maps)
        return dap_refuse(d, "sourceMap is no object of paths, such as {\"/build\": \"/home/ann/src\"}");
    json_object_foreach(map, from, to) {
        struct dap_map *m = &l->maps[l->n_maps++];

        *m = (struct dap_map){dap_normal_path("", from), dap_normal_path("", json_is_string(to)
                                                                                 ? json_string_value(to) : "")};
        if (!json_is_string(to) || !m->from || !m->to)
            return dap_refuse(d, "sourceMap: the value of `%.200s` is no path", from);
    }
    return true;
}

static void free_maps(struct launch *l)
{
    for (size_t i = 0; i < l->n_maps; i++) {
        free(l->maps[i].from);
        free(l->maps[i].to);
    }
    free(l->maps);
}

static bool read_launch(struct dap_server *d, const json_t *arguments, struct launch *l)
{
    const char *back = dap_string(arguments, "stepBack");
    json_t *thread = json_object_get(arguments, "thread");

    *l = (struct launch){.program = dap_string(arguments, "program"), .at = dap_string(arguments, "at"),
                         .thread = d->defaults->thread};
    l->program = l->program ? l->program : d->defaults->path;
    l->at = l->at ? l->at : d->defaults->at;
    d->stop_on_entry = !json_is_false(json_object_get(arguments, "stopOnEntry"));
    d->back_into = back && strcmp(back, "into") == 0;
    if (thread && (!json_is_integer(thread) || json_integer_value(thread) < 0))
        return dap_refuse(d, "thread is no number from 0");
    if (thread)
        l->thread = (uint64_t)json_integer_value(thread);
    if (!l->program)
        return dap_refuse(d, "no run is named: `program` is the path of a .wpp file");
    if (back && !d->back_into && strcmp(back, "over") != 0)
        return dap_refuse(d, "stepBack is `over` (calls) or `into` (them)");
    return read_maps(d, json_object_get(arguments, "sourceMap"), l);
}

/* What must be there to go through a run.  False: refused. */
static bool has_all(struct dap_server *d, const wpp *w, const struct launch *l)
{
    unsigned missing = wpp_missing(w) & (WPP_PART_ROUTINES | WPP_PART_TERMINALS | WPP_PART_GRAMMAR);
    uint32_t n = wpp_grammar(w)->n_threads;
    struct wpp_summary run;

    wpp_get_summary(w, &run);
    if (run.is_profile)
        return dap_refuse(d, "%.200s is a path profile, which does not hold the order of paths", l->program);
    if (missing)
        return dap_refuse(d, "%.200s: %s are missing", l->program, wpp_part_name(missing));
    if (l->thread >= n)
        return dap_refuse(d, "%.200s: there is no thread %llu; it has %u", l->program,
                          (unsigned long long)l->thread, n);
    return true;
}

/* A session that stands at the first line of the thread. */
static bool begin_session(struct dap_server *d, wpp *w, const struct launch *l)
{
    struct wpp_error error;

    d->stacks = wpp_stacks_new(w, &error);
    if (d->stacks && session_begin(&d->session, w, l->program, (uint32_t)l->thread, d->stacks, &error)) {
        d->w = w;
        d->moved = (uint32_t)l->thread;
        return true;
    }
    wpp_stacks_free(d->stacks);
    return dap_refuse(d, "%.200s: %.100s", l->program, error.text);
}

static bool open_run(struct dap_server *d, const struct launch *l)
{
    struct wpp_error error;
    wpp *w = wpp_open_intact(l->program, &error);

    if (!w)
        return dap_refuse(d, "%s", error.text);
    if (!has_all(d, w, l) || !begin_session(d, w, l)) {
        wpp_close(w);
        return false;
    }
    if (!dap_sources_find(&d->sources, w, &d->session.changes, l->maps, l->n_maps))
        return dap_refuse(d, "out of memory");
    return !l->at || dap_go(d, l->at) || dap_refuse(d, "at: %s", d->session.message);
}

/* What one must know to believe the answers. */
static void say_beginning(struct dap_server *d)
{
    const struct source_changes *changes = &d->session.changes;
    uint32_t n;
    const struct wpp_damage *damage = wpp_damages(d->w, &n);

    dap_say(d, "console", "%s is a recorded run: it goes forwards and backwards.  It holds which lines ran, not the "
            "values of variables.  A place typed here goes there: 3M, -20, 1.5s, sort.c:59#3, swap#2.",
            d->session.path);
    for (uint32_t i = 0; i < n; i++)
        dap_say(d, "important", "the file is damaged: %s", damage[i].text);
    if (!d->session.run.complete || d->session.run.lost)
        dap_say(d, "important", "the recording does not hold the whole run");
    if (changes->n > 0)
        dap_say(d, "important", "%u source file%s changed since the program was built, so lines may be wrong: %s%s",
                changes->n, changes->n == 1 ? " has" : "s have", changes->file[0], changes->n > 1 ? ", ..." : "");
}

json_t *dap_launch(struct dap_server *d, const json_t *arguments)
{
    struct launch l = {0};
    bool ok;

    if (d->w)
        return dap_refuse(d, "a run is open already");
    ok = read_launch(d, arguments, &l);
    if (ok) {
        dap_say(d, "console", "opening %s ...", l.program);
        dap_send_now(d);
        ok = open_run(d, &l);
    }
    free_maps(&l);
    if (!ok) {
        dap_close(d);
        return NULL;
    }
    say_beginning(d);
    dap_later(d, "initialized", json_object());
    return json_object();
}

void dap_close(struct dap_server *d)
{
    if (!d->w)
        return;
    breakpoints_free(&d->breakpoints);
    breakpoint_free(&d->goto_line);
    dap_sources_free(&d->sources);
    session_end(&d->session);
    wpp_stacks_free(d->stacks);
    wpp_close(d->w);
    d->w = NULL;
}

/* ---- The rest of it ------------------------------------------------------------------------------------------ */

json_t *dap_configured(struct dap_server *d, const json_t *arguments)
{
    (void)arguments;
    if (d->configured)
        return json_object();
    d->configured = true;
    for (uint32_t k = 0; k < wpp_grammar(d->w)->n_threads; k++)
        dap_later(d, "thread", json_pack("{s:s, s:I}", "reason", "started", "threadId", (json_int_t)k + 1));
    if (d->stop_on_entry)
        dap_stopped(d, "entry", d->session.jumps > 0 && d->session.message[0] ? d->session.message : NULL);
    else
        d->moving = DAP_BEGIN;
    return json_object();
}

/* Nothing is running that could be ended: the editor ends the session next. */
json_t *dap_terminate(struct dap_server *d, const json_t *arguments)
{
    (void)arguments;
    d->moving = DAP_STAY;
    dap_later(d, "terminated", json_object());
    return json_object();
}

json_t *dap_disconnect(struct dap_server *d, const json_t *arguments)
{
    (void)arguments;
    d->moving = DAP_STAY;
    d->done = true;
    return json_object();
}
