/* SPDX-License-Identifier: MIT */
/* speedscope.c - speedscope's own JSON: weighted stacks of a run; of a --range, its calls in order.
 *
 *      frames    functions
 *      sampled   samples[i] is a stack, outermost first, with weights[i]
 *      evented   O and C: a call begins, ends
 */
#include <inttypes.h>
#include <stdlib.h>

#include "wpp/base/json.h"
#include "wpp/export/stacks.h"
#include "wpp/export/timeline.h"

static void put_head(const struct export_run *r)
{
    fputs("{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\",\n"
          "\"exporter\": \"wpp-export " WPP_VERSION "\", \"name\": ", r->out);
    json_string(r->out, r->path);
    fputs(",\n\"activeProfileIndex\": 0, \"shared\": {\"frames\": [", r->out);
}

static void put_frame(FILE *out, bool first, const char *name, const char *file, uint32_t line)
{
    fputs(first ? "\n{\"name\": " : ",\n{\"name\": ", out);
    json_string(out, name);
    if (file && *file) {
        fputs(", \"file\": ", out);
        json_string(out, file);
    }
    if (line > 0)
        fprintf(out, ", \"line\": %" PRIu32, line);
    putc('}', out);
}

static const char unit[] = "instructions (GCC's estimate, no time)";

/* ---- Sampled ---------------------------------------------------------------------------------- */

static void put_stack(FILE *out, const struct stacks *s, uint32_t node, uint32_t *way)
{
    uint32_t n = 0;

    for (uint32_t at = node; at != STACK_ROOT; at = s->node[at].parent)
        way[n++] = s->node[at].function;
    putc('[', out);
    while (n-- > 0)
        fprintf(out, n > 0 ? "%" PRIu32 ", " : "%" PRIu32, way[n]);
    putc(']', out);
}

static void put_samples(const struct export_run *r, const struct stacks *s, uint32_t *way)
{
    const char *between = "\n";
    double total = 0;

    fputs("\"samples\": [", r->out);
    for (uint32_t i = 0; i < s->n && !ferror(r->out); i++)
        if (s->node[i].weight > 0) {
            fputs(between, r->out);
            put_stack(r->out, s, i, way);
            between = ",\n";
        }
    fputs("],\n\"weights\": [", r->out);
    between = "";
    for (uint32_t i = 0; i < s->n; i++)
        if (s->node[i].weight > 0) {
            fprintf(r->out, "%s%.0f", between, s->node[i].weight);
            total += s->node[i].weight;
            between = ", ";
        }
    fprintf(r->out, "],\n\"startValue\": 0, \"endValue\": %.0f}]}\n", total);
}

static bool put_sampled(struct export_run *r)
{
    struct stacks s;
    uint32_t *way;

    if (!stacks_new(&s, r, false))
        return false;
    way = calloc(s.n + (size_t)1, sizeof *way);
    if (way) {
        put_head(r);
        for (uint32_t i = 0; i < s.n_functions; i++)
            put_frame(r->out, i == 0, export_name(r, s.function[i].name, s.function[i].shown),
                      s.function[i].file == SOURCE_FILE_NONE ? NULL : s.files.file[s.function[i].file].name,
                      s.function[i].line);
        fprintf(r->out, "]},\n\"profiles\": [{\"type\": \"sampled\", \"unit\": \"none\", \"name\": \"%s\",\n",
                unit);
        put_samples(r, &s, way);
        stacks_note(&s, r);
    }
    free(way);
    stacks_free(&s);
    return way != NULL;
}

/* ---- Evented ------------------------------------------------------------------------------------ */

struct writing {
    const struct export_run *r;
    const char *between;
};

static bool put_edge(void *ctx, const struct timeline_call *c, bool begins)
{
    struct writing *x = ctx;

    fprintf(x->r->out, "%s{\"type\": \"%s\", \"frame\": %" PRIu32 ", \"at\": %.0f}", x->between,
            begins ? "O" : "C", c->routine, begins ? c->begin : c->end);
    x->between = ",\n";
    return !ferror(x->r->out);
}

static bool put_evented(struct export_run *r)
{
    struct writing x = {r, "\n"};
    struct timeline t;
    bool ok;

    if (!timeline_new(&t, r))
        return false;
    put_head(r);
    for (uint32_t i = 0; i < r->n_routines; i++) {
        const struct wpp_routine *routine = wpp_routine(r->w, i);

        put_frame(r->out, i == 0, export_name(r, routine->name, routine->shown), routine->file,
                  routine->line);
    }
    fprintf(r->out, "]},\n\"profiles\": [{\"type\": \"evented\", \"unit\": \"none\", \"name\": \"%s\",\n"
            "\"startValue\": 0, \"endValue\": %.0f, \"events\": [", unit,
            r->costs.piece[r->tree.root[r->options.thread]]);
    ok = timeline_visit(&t, put_edge, &x) || ferror(r->out);
    fputs("]}]}\n", r->out);
    timeline_note(&t, r);
    timeline_free(&t);
    return ok;
}

bool export_speedscope(struct export_run *r)
{
    return r->options.ranged ? put_evented(r) : put_sampled(r);
}
