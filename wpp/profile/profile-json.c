/* SPDX-License-Identifier: MIT */
/* profile-json.c - a profile for programs; schema in docs/report.md. */
#include <inttypes.h>

#include "wpp/base/json.h"
#include "wpp/profile/profile-report.h"

static void put_text(const struct profile_report *r, const char *key, const char *text)
{
    fprintf(r->text.out, "\"%s\": ", key);
    json_string(r->text.out, text);
    fputs(", ", r->text.out);
}

/* Sums are whole numbers, unless they include parts of blocks. */
static void put_number(const struct profile_report *r, const char *key, double n, const char *end)
{
    fprintf(r->text.out, "\"%s\": %.17g%s", key, n, end);
}

static void put_line(const struct profile_report *r, const char *key, uint32_t line)
{
    if (line)
        fprintf(r->text.out, "\"%s\": %" PRIu32 ", ", key, line);
    else
        fprintf(r->text.out, "\"%s\": null, ", key);
}

static void put_function(const struct profile_report *r, const struct part *p)
{
    put_text(r, "routine", p->name);
    put_text(r, "name", p->shown);
    put_text(r, "kind", p->kind == PART_INLINED ? "inlined" : "routine");
    put_text(r, "file", p->file);
    put_text(r, "directory", p->directory);
    put_line(r, "line", p->line);
    fprintf(r->text.out, "\"copies\": %" PRIu32 ", ", p->copies);
    put_number(r, "calls", p->calls, ", ");
    put_number(r, "inclusive", p->inclusive, ", ");
    put_number(r, "self", p->self, "");
}

static void put_loop(const struct profile_report *r, const struct part *p)
{
    put_text(r, "routine", p->name);
    put_text(r, "name", p->shown);
    put_text(r, "in", wpp_routine(r->w, p->routine)->name);
    put_text(r, "file", p->file);
    put_text(r, "directory", p->directory);
    put_line(r, "first_line", p->line);
    put_line(r, "last_line", p->last_line);
    put_number(r, "entered", p->calls, ", ");
    put_number(r, "iterations", p->iterations, ", ");
    put_number(r, "inclusive", p->inclusive, ", ");
    put_number(r, "self", p->self, "");
}

static void put_parts(const struct profile_report *r, const char *key, const uint32_t *number,
                      uint32_t n, void (*put)(const struct profile_report *, const struct part *))
{
    fprintf(r->text.out, ",\n \"%s\": [", key);
    for (uint32_t i = 0; i < n; i++) {
        fputs(i ? ",\n  {" : "\n  {", r->text.out);
        put(r, &r->parts->part[number[i]]);
        putc('}', r->text.out);
    }
    fputs("]", r->text.out);
}

static void put_lines(const struct profile_report *r)
{
    fputs(",\n \"lines\": [", r->text.out);
    for (size_t i = 0; i < r->n_lines; i++) {
        fputs(i ? ",\n  {" : "\n  {", r->text.out);
        put_text(r, "file", r->line[i].file);
        put_line(r, "line", r->line[i].line);
        put_number(r, "self", r->line[i].insns, ", ");
        fprintf(r->text.out, "\"executions\": %" PRIu64 "}", r->line[i].executions);
    }
    fputs("]", r->text.out);
}

static void put_contexts(const struct profile_report *r)
{
    fprintf(r->text.out, ",\n \"%s\": [", r->callers ? "callers" : "contexts");
    for (size_t i = 0; i < r->contexts->n; i++) {
        const struct call_context *n = &r->contexts->node[i];
        const struct wpp_routine *routine =
            n->routine == CONTEXT_NOBODY ? NULL : wpp_routine(r->w, n->routine);

        fprintf(r->text.out, "%s\n  {\"depth\": %" PRIu32 ", ", i ? "," : "", n->depth);
        if (routine) {
            put_text(r, "routine", routine->name);
            put_text(r, "name", routine->shown);
        } else {
            fputs("\"routine\": null, \"name\": null, ", r->text.out);
        }
        put_number(r, "calls", n->calls, ", ");
        put_number(r, "inclusive", n->inclusive, ", ");
        if (!r->callers)
            put_number(r, "self", n->self, ", ");
        fprintf(r->text.out, "\"hidden\": %" PRIu32 "}", n->hidden);
    }
    fputs("]", r->text.out);
}

bool profile_json(const struct profile_report *r)
{
    struct wpp_summary run;

    wpp_get_summary(r->w, &run);
    fputs("{", r->text.out);
    put_text(r, "file", r->path);
    put_text(r, "program", run.program);
    put_text(r, "command", run.command);
    fprintf(r->text.out, "\"complete\": %s, \"threads\": %" PRIu32 ", \"paths\": %" PRIu64 ", ",
            run.complete ? "true" : "false", run.n_threads, r->costs->events);
    if (r->thread != UINT32_MAX)
        fprintf(r->text.out, "\"thread\": %" PRIu32 ", ", r->thread);
    put_number(r, "instructions", r->costs->total, ", ");
    fputs("\"changed_sources\": ", r->text.out);
    source_changes_json(r->text.out, r->changes);
    if (r->contexts)
        put_contexts(r);
    if (r->function)
        put_parts(r, "routines", r->function, r->n_functions, put_function);
    if (r->loop)
        put_parts(r, "loops", r->loop, r->n_loops, put_loop);
    if (r->line)
        put_lines(r);
    fputs("}\n", r->text.out);
    return true;
}
