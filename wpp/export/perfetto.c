/* SPDX-License-Identifier: MIT */
/* perfetto.c - a timeline as a Perfetto trace: a sequence of packets, each with its length before it.
 *
 *      track_descriptor    the process; each thread
 *      track_event         a call begins, or ends; the first one of a routine brings its name along
 *
 * An instruction is shown as a nanosecond. */
#include <stdlib.h>

#include "wpp/base/bytes.h"
#include "wpp/export/escape.h"
#include "wpp/export/protobuf.h"
#include "wpp/export/timeline.h"

/* Numbers of fields, which Perfetto's protos/perfetto/trace give them. */
enum {
    TRACE_PACKET = 1,
    PACKET_TIMESTAMP = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11, PACKET_INTERNED = 12,
    PACKET_FLAGS = 13, PACKET_TRACK = 60,
    FLAG_STATE_CLEARED = 1, FLAG_NEEDS_STATE = 2,
    TRACK_UUID = 1, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5,
    PROCESS_PID = 1, PROCESS_NAME = 6, PROCESS_LABELS = 8,
    THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5,
    EVENT_TYPE = 9, EVENT_NAME = 10, EVENT_TRACK = 11, EVENT_LOCATION = 34,
    TYPE_BEGIN = 1, TYPE_END = 2,
    INTERNED_NAMES = 2, INTERNED_LOCATIONS = 4,
    NAME_ID = 1, NAME_TEXT = 2,
    LOCATION_ID = 1, LOCATION_FILE = 2, LOCATION_FUNCTION = 3, LOCATION_LINE = 4
};

enum { SEQUENCE = 1, PROCESS_UUID = 1, FIRST_THREAD_UUID = 2 };

struct writing {
    const struct export_run *r;
    uint32_t pid;
    bool *known;                   /* by routine: its name was written */
    struct wpp_bytes packet, part, inner, text;
    bool failed;
};

static void put_text(struct writing *x, struct wpp_bytes *b, uint32_t field, const char *s)
{
    x->text.size = 0;
    utf8_put(&x->text, s);
    pb_message(b, field, &x->text);
}

static void put_packet(struct writing *x)
{
    struct wpp_bytes frame = {0};

    pb_number(&x->packet, PACKET_SEQUENCE, SEQUENCE);
    pb_message(&frame, TRACE_PACKET, &x->packet);
    if (!frame.failed)
        fwrite(frame.data, 1, frame.size, x->r->out);
    x->failed |= frame.failed;
    wpp_bytes_free(&frame);
}

static void put_process(struct writing *x, const struct wpp_summary *run)
{
    pb_number(&x->inner, PROCESS_PID, run->pid);
    put_text(x, &x->inner, PROCESS_NAME, *run->program ? run->program : "(unknown)");
    put_text(x, &x->inner, PROCESS_LABELS, "clock: instructions as GCC estimated them, no time; 1 ns is one; "
             "each thread begins at 0");
    pb_number(&x->part, TRACK_UUID, PROCESS_UUID);
    pb_message(&x->part, TRACK_PROCESS, &x->inner);
    pb_number(&x->packet, PACKET_FLAGS, FLAG_STATE_CLEARED);
    pb_message(&x->packet, PACKET_TRACK, &x->part);
    put_packet(x);
}

static void put_thread(struct writing *x, uint32_t thread)
{
    const struct wpp_thread *t = wpp_thread(x->r->w, thread);

    pb_number(&x->inner, THREAD_PID, x->pid);
    pb_number(&x->inner, THREAD_TID, t->tid ? t->tid : thread + 1);
    put_text(x, &x->inner, THREAD_NAME, *t->name ? t->name : "thread");
    pb_number(&x->part, TRACK_UUID, FIRST_THREAD_UUID + (uint64_t)thread);
    pb_number(&x->part, TRACK_PARENT, PROCESS_UUID);
    pb_message(&x->part, TRACK_THREAD, &x->inner);
    pb_message(&x->packet, PACKET_TRACK, &x->part);
    put_packet(x);
}

/* The name and place of a routine, under its number + 1. */
static void put_routine(struct writing *x, uint32_t number)
{
    const struct wpp_routine *r = wpp_routine(x->r->w, number);
    const char *name = export_name(x->r, r->name, r->shown);

    pb_number(&x->inner, NAME_ID, number + UINT64_C(1));
    put_text(x, &x->inner, NAME_TEXT, name);
    pb_message(&x->part, INTERNED_NAMES, &x->inner);
    pb_number(&x->inner, LOCATION_ID, number + UINT64_C(1));
    put_text(x, &x->inner, LOCATION_FILE, r->file);
    put_text(x, &x->inner, LOCATION_FUNCTION, name);
    pb_number(&x->inner, LOCATION_LINE, r->line);
    pb_message(&x->part, INTERNED_LOCATIONS, &x->inner);
    pb_message(&x->packet, PACKET_INTERNED, &x->part);
    x->known[number] = true;
}

static bool put_edge(void *ctx, const struct timeline_call *c, bool begins)
{
    struct writing *x = ctx;

    if (!x->known[c->routine])
        put_routine(x, c->routine);
    pb_number(&x->packet, PACKET_TIMESTAMP, (uint64_t)(begins ? c->begin : c->end));
    pb_number(&x->packet, PACKET_FLAGS, FLAG_NEEDS_STATE);
    pb_number(&x->part, EVENT_TYPE, begins ? TYPE_BEGIN : TYPE_END);
    pb_number(&x->part, EVENT_TRACK, FIRST_THREAD_UUID + (uint64_t)c->thread);
    if (begins) {
        pb_number(&x->part, EVENT_NAME, c->routine + UINT64_C(1));
        pb_number(&x->part, EVENT_LOCATION, c->routine + UINT64_C(1));
    }
    pb_message(&x->packet, PACKET_EVENT, &x->part);
    put_packet(x);
    return !x->failed && !ferror(x->r->out);
}

bool export_perfetto(struct export_run *r)
{
    struct writing x = {.r = r};
    struct wpp_summary run;
    struct timeline t;

    if (!timeline_new(&t, r))
        return false;
    wpp_get_summary(r->w, &run);
    x.pid = run.pid;
    x.known = calloc(r->n_routines + (size_t)1, sizeof *x.known);
    x.failed = !x.known;
    put_process(&x, &run);
    for (uint32_t k = 0; k < run.n_threads; k++)
        if (r->tree.root[k])
            put_thread(&x, k);
    if (!x.failed && !timeline_visit(&t, put_edge, &x) && !ferror(r->out))
        x.failed = true;
    timeline_note(&t, r);
    timeline_free(&t);
    free(x.known);
    wpp_bytes_free(&x.packet);
    wpp_bytes_free(&x.part);
    wpp_bytes_free(&x.inner);
    wpp_bytes_free(&x.text);
    return !x.failed;
}
