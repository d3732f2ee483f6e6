/* SPDX-License-Identifier: MIT */
/* chrome.c - a timeline as trace events in JSON, which Perfetto and chrome://tracing read.
 *
 *      {"ph": "X", "pid": 4711, "tid": 4711, "ts": 0.012, "dur": 1.503, "name": "parse", ...}
 *
 * Times are microseconds: an instruction is shown as a nanosecond. */
#include <inttypes.h>

#include "wpp/base/json.h"
#include "wpp/export/timeline.h"

struct writing {
    const struct export_run *r;
    uint32_t pid;
};

static uint32_t thread_id(const wpp *w, uint32_t thread)
{
    uint32_t tid = wpp_thread(w, thread)->tid;

    return tid ? tid : thread + 1;
}

static void put_name(const struct writing *x, uint32_t thread, const char *what, const char *name)
{
    fprintf(x->r->out, ",\n{\"ph\": \"M\", \"pid\": %" PRIu32 ", \"tid\": %" PRIu32 ", \"name\": \"%s\", "
            "\"args\": {\"name\": ", x->pid, thread_id(x->r->w, thread), what);
    json_string(x->r->out, name);
    fputs("}}", x->r->out);
}

static bool put_call(void *ctx, const struct timeline_call *c, bool begins)
{
    const struct writing *x = ctx;
    const struct wpp_routine *r = wpp_routine(x->r->w, c->routine);
    FILE *out = x->r->out;

    if (!begins)
        return true;
    fprintf(out, ",\n{\"ph\": \"X\", \"pid\": %" PRIu32 ", \"tid\": %" PRIu32 ", \"ts\": %.3f, "
            "\"dur\": %.3f, \"cat\": \"call\", \"name\": ", x->pid, thread_id(x->r->w, c->thread), c->begin / 1000,
            (c->end - c->begin) / 1000);
    json_string(out, export_name(x->r, r->name, r->shown));
    fputs(", \"args\": {\"file\": ", out);
    json_string(out, r->file);
    fprintf(out, ", \"line\": %" PRIu32 "%s}}", r->line, c->unseen ? ", \"began\": \"before\"" : "");
    return !ferror(out);
}

bool export_chrome(struct export_run *r)
{
    struct wpp_summary run;
    struct writing x = {.r = r};
    struct timeline t;
    bool ok;

    if (!timeline_new(&t, r))
        return false;
    wpp_get_summary(r->w, &run);
    x.pid = run.pid;
    fputs("{\"displayTimeUnit\": \"ns\",\n\"otherData\": {\"creator\": \"wpp-export " WPP_VERSION "\", "
          "\"clock\": \"instructions as GCC estimated them, no time: 1 ns is one; each thread begins at 0\", "
          "\"command\": ", r->out);
    json_string(r->out, run.command);
    fprintf(r->out, "},\n\"traceEvents\": [\n{\"ph\": \"M\", \"pid\": %" PRIu32 ", \"tid\": 0, \"name\": "
            "\"process_name\", \"args\": {\"name\": ", run.pid);
    json_string(r->out, run.program);
    fputs("}}", r->out);
    for (uint32_t k = 0; k < run.n_threads; k++)
        if (r->tree.root[k])
            put_name(&x, k, "thread_name", *wpp_thread(r->w, k)->name ? wpp_thread(r->w, k)->name : "thread");
    ok = timeline_visit(&t, put_call, &x) || ferror(r->out);
    fputs("\n]}\n", r->out);
    timeline_note(&t, r);
    timeline_free(&t);
    return ok;
}
