/* SPDX-License-Identifier: MIT */
/* run-diff-json.c - for programs; the manual page of wpp-diff describes it. */
#include <inttypes.h>
#include <stdlib.h>

#include "wpp/base/json.h"
#include "wpp/compare/run-diff-report.h"

static void put_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, "\"%s\": ", key);
    json_string(out, text);
}

static void put_routine(FILE *out, const struct wpp_routine *r)
{
    put_text(out, "routine", r->name);
    fputs(", ", out);
    put_text(out, "name", r->shown);
}

static void put_place(FILE *out, const struct run_place *place)
{
    put_routine(out, place->routine);
    fputs(", ", out);
    put_text(out, "file", place->line ? place->line->file : place->routine->file);
    fprintf(out, ", \"line\": %" PRIu32, place->line ? place->line->line : place->routine->line);
}

static void put_pair(FILE *out, const char *key, uint64_t a, uint64_t b)
{
    fprintf(out, "\"%s\": {\"a\": %" PRIu64 ", \"b\": %" PRIu64 "}", key, a, b);
}

/* ---- Keys ----------------------------------------------------------------------------------- */

static void put_inlined(FILE *out, const struct wpp_routine *routine, uint32_t call)
{
    const char *between = "";

    fputs(", \"inlined\": [", out);
    for (; call > 0; call = routine->inlined[call - 1].caller) {
        fputs(between, out);
        json_string(out, routine->inlined[call - 1].shown);
        between = ", ";
    }
    putc(']', out);
}

static void put_key(const struct run_diff_report *r, unsigned side, uint32_t key)
{
    const struct key_home *home = &r->d->keys.home[key][side];
    FILE *out = r->text.out;

    putc('{', out);
    if (home->routine == WPP_NO_ROUTINE) {
        char name[WPP_SYMBOL_NAME];

        put_text(out, "word", wpp_symbol_name(wpp_terminal(r->d->w[side], home->terminal), name));
    } else {
        struct run_place place = {wpp_routine(r->d->w[side], home->routine), home->line};

        put_place(out, &place);
        if (r->d->keys.by == COMMON_BY_PATH)
            fprintf(out, ", \"path\": %" PRIu64, wpp_terminal(r->d->w[side], home->terminal)->path);
        if (place.line)
            put_inlined(out, place.routine, place.line->inlined);
    }
    putc('}', out);
}

static void put_keys(const struct run_diff_report *r, const char *name, unsigned side,
                     const uint32_t *key, uint32_t n)
{
    fprintf(r->text.out, "\"%s\": [", name);
    for (uint32_t i = 0; i < n; i++) {
        fputs(i ? ", " : "", r->text.out);
        put_key(r, side, key[i]);
    }
    putc(']', r->text.out);
}

/* ---- Partings ------------------------------------------------------------------------------- */

static void put_stack(const struct run_diff_report *r, const struct parting *x, unsigned side)
{
    FILE *out = r->text.out;

    fputs("\"stack\": [", out);
    for (size_t i = 0; i < x->side[side].n_frames; i++) {
        const struct wpp_frame *f = &x->side[side].frames[i];
        struct run_place place = run_diff_frame_place(r->d, x, side, i);

        fputs(i ? ", {" : "{", out);
        put_place(out, &place);
        fprintf(out, ", \"first\": %" PRIu64 ", \"unseen\": %s}", f->first,
                f->unseen ? "true" : "false");
    }
    putc(']', out);
}

static void put_side(const struct run_diff_report *r, const struct parting *x, unsigned side)
{
    const struct parting_side *p = &x->side[side];

    fprintf(r->text.out, ",\n    \"%c\": {\"key\": %" PRIu64 ", \"event\": %" PRIu64 ", ",
            "ab"[side], p->key, p->event);
    put_keys(r, "after", side, p->after, p->n_after);
    fputs(", ", r->text.out);
    put_stack(r, x, side);
    putc('}', r->text.out);
}

static void put_meeting(const struct run_diff_report *r, const struct parting *x)
{
    const struct parting_side *a = &x->side[SIDE_A], *b = &x->side[SIDE_B];
    FILE *out = r->text.out;

    fputs(",\n    \"meeting\": ", out);
    if (!x->meets) {
        fputs("null", out);
        return;
    }
    putc('{', out);
    put_pair(out, "key", a->meet_key, b->meet_key);
    fputs(", ", out);
    put_pair(out, "event", a->meet_event, b->meet_event);
    fprintf(out, ", \"common\": %" PRIu64 ", \"returned_frame\": ", x->common_after);
    if (x->by_return)
        fprintf(out, "%zu}", x->returned_frame);
    else
        fputs("null}", out);
}

static void put_parting(const struct run_diff_report *r, const struct parting *x)
{
    struct run_place place = run_diff_place(r->d, x);
    FILE *out = r->text.out;

    fprintf(out, "{\"common\": %" PRIu64 ", \"at\": ", x->common);
    if (place.routine) {
        putc('{', out);
        put_place(out, &place);
        putc('}', out);
    } else {
        fputs("null", out);
    }
    fputs(", ", out);
    put_keys(r, "before", SIDE_A, x->before, x->n_before);
    put_side(r, x, SIDE_A);
    put_side(r, x, SIDE_B);
    fprintf(out, ",\n    \"common_frames\": %zu", x->n_common_frames);
    put_meeting(r, x);
    putc('}', out);
}

static void put_thread_side(const struct run_diff_report *r, const struct thread_diff *t,
                            unsigned side)
{
    FILE *out = r->text.out;

    fprintf(out, "\"%c\": ", "ab"[side]);
    if (t->thread[side] == UINT32_MAX) {
        fputs("null, ", out);
        return;
    }
    fprintf(out, "{\"thread\": %" PRIu32 ", ", t->thread[side]);
    put_text(out, "name", wpp_thread(r->d->w[side], t->thread[side])->name);
    fprintf(out, ", \"keys\": %" PRIu64 ", \"events\": %" PRIu64 "}, ", t->keys[side],
            t->events[side]);
}

static void put_thread(const struct run_diff_report *r, const struct thread_diff *t)
{
    bool paired = t->thread[SIDE_A] != UINT32_MAX && t->thread[SIDE_B] != UINT32_MAX;
    FILE *out = r->text.out;

    putc('{', out);
    put_thread_side(r, t, SIDE_A);
    put_thread_side(r, t, SIDE_B);
    fprintf(out, "\"equal\": %s, \"more\": %s, \"partings\": [",
            paired && t->n_partings == 0 ? "true" : "false", t->more ? "true" : "false");
    for (size_t i = 0; i < t->n_partings; i++) {
        fputs(i ? ",\n   " : "\n   ", out);
        put_parting(r, &t->parting[i]);
    }
    fputs("]}", out);
}

/* ---- Counts --------------------------------------------------------------------------------- */

static void put_rows(const struct run_diff_report *r, const char *name,
                     const struct count_rows *rows)
{
    FILE *out = r->text.out;

    fprintf(out, ",\n \"%s\": [", name);
    for (size_t i = 0; i < run_diff_rows(r, rows); i++) {
        const struct count_row *row = &rows->row[i];

        fputs(i ? ",\n  {" : "\n  {", out);
        put_routine(out, row->routine);
        fputs(", ", out);
        put_text(out, "file", row->file);
        fprintf(out, ", \"line\": %" PRIu32, row->line);
        if (row->path)
            fprintf(out, ", \"path\": %" PRIu64, row->path->path);
        fprintf(out, ", \"instructions\": {\"a\": %.17g, \"b\": %.17g}, \"executions\": {\"a\": %.17g, "
                "\"b\": %.17g}}", row->insns[SIDE_A], row->insns[SIDE_B], row->executions[SIDE_A],
                row->executions[SIDE_B]);
    }
    putc(']', out);
}

bool run_diff_json(const struct run_diff_report *r)
{
    static const char *const by[] = {"path", "line", "routine"};
    FILE *out = r->text.out;

    putc('{', out);
    put_text(out, "a", r->path[SIDE_A]);
    fputs(", ", out);
    put_text(out, "b", r->path[SIDE_B]);
    fprintf(out, ", \"by\": \"%s\", \"equal\": %s,\n \"threads\": [", by[r->d->keys.by],
            r->d->equal ? "true" : "false");
    for (uint32_t i = 0; i < r->d->n_threads; i++) {
        fputs(i ? ",\n  " : "\n  ", out);
        put_thread(r, &r->d->thread[i]);
    }
    putc(']', out);
    if (r->counts) {
        put_rows(r, "routines", &r->counts->routines);
        put_rows(r, "lines", &r->counts->lines);
        put_rows(r, "paths", &r->counts->paths);
    }
    fputs("}\n", out);
    return true;
}
