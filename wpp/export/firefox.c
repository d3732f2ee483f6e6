/* SPDX-License-Identifier: MIT */
/* firefox.c - a processed profile of the Firefox profiler, version 61.
 *
 * Its tables are columns, arrays of equal length.  Newer profilers bring old versions up to date.
 *
 *      stackTable    our nodes: frame, and the stack that it continues
 *      frameTable    our places: function, line, inlineDepth
 *      samples       stack and weight; times grow with the weights, 1 ns an instruction
 */
#include <inttypes.h>
#include <stdlib.h>

#include "wpp/base/json.h"
#include "wpp/export/stack-places.h"

enum { PROCESSED_VERSION = 61, GECKO_VERSION = 32 };

struct writing {
    const struct export_run *r;
    FILE *out;
    const struct stacks *s;
    struct stack_places places;
};

static void begin_column(const struct writing *x, const char *name)
{
    fprintf(x->out, "\"%s\": [", name);
}

/* The same value n times. */
static void put_constant(const struct writing *x, const char *name, uint32_t n, const char *value)
{
    begin_column(x, name);
    for (uint32_t i = 0; i < n; i++)
        fprintf(x->out, "%s%s", i > 0 ? "," : "", value);
    fputs("],\n", x->out);
}

static void put_number(const struct writing *x, uint32_t i, uint64_t value)
{
    fprintf(x->out, "%s%" PRIu64, i > 0 ? "," : "", value);
}

static void put_line(const struct writing *x, uint32_t i, uint32_t line)
{
    if (line > 0)
        put_number(x, i, line);
    else
        fputs(i > 0 ? ",null" : "null", x->out);
}

/* ---- Tables ----------------------------------------------------------------------------------- */

static void put_meta(const struct writing *x, const struct wpp_summary *run)
{
    fprintf(x->out, "{\"meta\": {\"version\": %d, \"preprocessedProfileVersion\": %d, \"interval\": 1, "
            "\"startTime\": %" PRIu64 ", \"processType\": 0, \"stackwalk\": 0, \"symbolicated\": true,\n",
            GECKO_VERSION, PROCESSED_VERSION, run->started * 1000);
    fputs("\"importedFrom\": \"wpp-export " WPP_VERSION "\", \"usesOnlyOneStackType\": true, "
          "\"sourceCodeIsNotOnSearchfox\": true, \"markerSchema\": [],\n\"categories\": [{\"name\": "
          "\"Other\", \"color\": \"grey\", \"subcategories\": [\"Other\"]}],\n\"extra\": [{\"label\": "
          "\"wpp\", \"entries\": [{\"label\": \"Clock\", \"format\": \"string\", \"value\": "
          "\"instructions as GCC estimated them, no time: a sample is one\"}]}],\n\"product\": ", x->out);
    json_string(x->out, *run->command ? run->command : "wpp");
    fputs("},\n\"libs\": [], \"pages\": [],\n", x->out);
}

static void put_stacks(const struct writing *x)
{
    const struct stacks *s = x->s;

    fputs("\"stackTable\": {", x->out);
    begin_column(x, "frame");
    for (uint32_t i = 0; i < s->n; i++)
        put_number(x, i, x->places.of_node[i]);
    fputs("],\n", x->out);
    begin_column(x, "prefix");
    for (uint32_t i = 0; i < s->n; i++)
        if (s->node[i].parent == STACK_ROOT)
            fputs(i > 0 ? ",null" : "null", x->out);
        else
            put_number(x, i, s->node[i].parent);
    fprintf(x->out, "],\n\"length\": %" PRIu32 "},\n", s->n);
}

static void put_frames(const struct writing *x)
{
    const struct stack_place *p = x->places.place;
    uint32_t n = x->places.n;

    fputs("\"frameTable\": {", x->out);
    put_constant(x, "address", n, "-1");
    begin_column(x, "inlineDepth");
    for (uint32_t i = 0; i < n; i++)
        put_number(x, i, p[i].depth < UINT8_MAX ? p[i].depth : UINT8_MAX);
    fputs("],\n", x->out);
    put_constant(x, "category", n, "0");
    put_constant(x, "subcategory", n, "0");
    begin_column(x, "func");
    for (uint32_t i = 0; i < n; i++)
        put_number(x, i, p[i].function);
    fputs("],\n", x->out);
    put_constant(x, "nativeSymbol", n, "null");
    put_constant(x, "innerWindowID", n, "null");
    begin_column(x, "line");
    for (uint32_t i = 0; i < n; i++)
        put_line(x, i, p[i].line);
    fputs("],\n", x->out);
    put_constant(x, "column", n, "null");
    fprintf(x->out, "\"length\": %" PRIu32 "},\n", n);
}

/* Strings are the names of the functions, then those of the files. */
static void put_functions(const struct writing *x)
{
    const struct stack_function *f = x->s->function;
    uint32_t n = x->s->n_functions;

    fputs("\"funcTable\": {", x->out);
    begin_column(x, "name");
    for (uint32_t i = 0; i < n; i++)
        put_number(x, i, i);
    fputs("],\n", x->out);
    put_constant(x, "isJS", n, "false");
    put_constant(x, "relevantForJS", n, "false");
    put_constant(x, "resource", n, "-1");
    begin_column(x, "source");
    for (uint32_t i = 0; i < n; i++)
        if (f[i].file == SOURCE_FILE_NONE)
            fputs(i > 0 ? ",null" : "null", x->out);
        else
            put_number(x, i, f[i].file);
    fputs("],\n", x->out);
    begin_column(x, "lineNumber");
    for (uint32_t i = 0; i < n; i++)
        put_line(x, i, f[i].line);
    fputs("],\n", x->out);
    put_constant(x, "columnNumber", n, "null");
    fprintf(x->out, "\"length\": %" PRIu32 "},\n", n);
}

static void put_sources(const struct writing *x)
{
    uint32_t n = x->s->files.n;

    fputs("\"sources\": {", x->out);
    put_constant(x, "id", n, "null");
    begin_column(x, "filename");
    for (uint32_t i = 0; i < n; i++)
        put_number(x, i, x->s->n_functions + (uint64_t)i);
    fputs("],\n", x->out);
    put_constant(x, "startLine", n, "1");
    put_constant(x, "startColumn", n, "1");
    put_constant(x, "sourceMapURL", n, "null");
    fprintf(x->out, "\"length\": %" PRIu32 "},\n\"stringArray\": [", n);
    for (uint32_t i = 0; i < x->s->n_functions; i++) {
        fputs(i > 0 ? ",\n" : "", x->out);
        json_string(x->out, export_name(x->r, x->s->function[i].name, x->s->function[i].shown));
    }
    for (uint32_t i = 0; i < n; i++) {
        fputs(i + x->s->n_functions > 0 ? ",\n" : "", x->out);
        json_string(x->out, x->s->files.file[i].path);
    }
    fputs("]},\n", x->out);
}

static void put_shared(const struct writing *x)
{
    fputs("\"shared\": {", x->out);
    put_stacks(x);
    put_frames(x);
    put_functions(x);
    fputs("\"resourceTable\": {\"lib\": [], \"name\": [], \"host\": [], \"type\": [], \"length\": 0},\n"
          "\"nativeSymbols\": {\"libIndex\": [], \"address\": [], \"name\": [], \"functionSize\": [], "
          "\"length\": 0},\n", x->out);
    put_sources(x);
}

static void put_thread(const struct writing *x, const struct wpp_summary *run)
{
    const struct stack_node *node = x->s->node;
    double time = 0;
    uint32_t n = 0;

    fprintf(x->out, "\"threads\": [{\"processType\": \"default\", \"processStartupTime\": 0, "
            "\"processShutdownTime\": null, \"registerTime\": 0, \"unregisterTime\": null, "
            "\"pausedRanges\": [], \"isMainThread\": true, \"pid\": \"%" PRIu32 "\", \"tid\": %" PRIu32
            ", \"name\": ", run->pid, run->pid);
    json_string(x->out, *run->program ? run->program : "program");
    fputs(",\n\"markers\": {\"data\": [], \"name\": [], \"startTime\": [], \"endTime\": [], \"phase\": [], "
          "\"category\": [], \"length\": 0},\n\"samples\": {\"weightType\": \"samples\",\n", x->out);
    begin_column(x, "stack");
    for (uint32_t i = 0; i < x->s->n; i++)
        if (node[i].weight > 0)
            put_number(x, n++, i);
    fputs("],\n", x->out);
    begin_column(x, "weight");
    for (uint32_t i = 0, k = 0; i < x->s->n; i++)
        if (node[i].weight > 0)
            put_number(x, k++, (uint64_t)node[i].weight);
    fputs("],\n", x->out);
    begin_column(x, "time");
    for (uint32_t i = 0, k = 0; i < x->s->n; i++)
        if (node[i].weight > 0) {
            fprintf(x->out, "%s%.6f", k++ > 0 ? "," : "", time / 1e6);
            time += node[i].weight;
        }
    fprintf(x->out, "],\n\"length\": %" PRIu32 "}}]}\n", n);
}

bool export_firefox(struct export_run *r)
{
    struct stacks s;
    struct writing x = {.r = r, .out = r->out, .s = &s};
    struct wpp_summary run;
    bool ok;

    if (!stacks_new(&s, r, true))
        return false;
    wpp_get_summary(r->w, &run);
    ok = stack_places_new(&x.places, &s);
    if (ok) {
        put_meta(&x, &run);
        put_shared(&x);
        put_thread(&x, &run);
    }
    stacks_note(&s, r);
    stack_places_free(&x.places);
    stacks_free(&s);
    return ok;
}
