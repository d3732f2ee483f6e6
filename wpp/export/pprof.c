/* SPDX-License-Identifier: MIT */
/* pprof.c - a pprof profile, compressed with gzip.
 *
 *      sample      ids of locations, the innermost first; weight
 *      location    lines of functions: inlined ones come first, the routine that they stand in last
 *      function    name, file, line
 *      string      numbers stand for strings; 0 is ""
 */
#include "wpp/base/bytes.h"
#include "wpp/export/escape.h"
#include "wpp/export/gzip.h"
#include "wpp/export/protobuf.h"
#include "wpp/export/stack-places.h"

/* Numbers of fields in pprof's profile.proto. */
enum {
    PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3, PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5, PROFILE_STRING = 6, PROFILE_TIME = 9, PROFILE_DURATION = 10,
    PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD = 12, PROFILE_COMMENT = 13,
    TYPE_TYPE = 1, TYPE_UNIT = 2,
    SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2,
    MAPPING_ID = 1, MAPPING_START = 2, MAPPING_LIMIT = 3, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7,
    MAPPING_HAS_FILES = 8, MAPPING_HAS_LINES = 9, MAPPING_HAS_INLINED = 10,
    LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4,
    LINE_FUNCTION = 1, LINE_NUMBER = 2,
    FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4, FUNCTION_LINE = 5
};

enum { ONE_MAPPING = 1 };

struct writing {
    const struct export_run *r;
    const struct stacks *s;
    struct wpp_bytes profile, part, inner, text;
    uint64_t n_strings;
    struct stack_places places;
};

/* Adds a string and gives its number.  They come between the other fields. */
static uint64_t put_text(struct writing *x, const char *s)
{
    x->text.size = 0;
    utf8_put(&x->text, s);
    pb_message(&x->profile, PROFILE_STRING, &x->text);
    return x->n_strings++;
}

/* ---- Locations ---------------------------------------------------------------------------------- */

static void put_location(struct writing *x, uint32_t number)
{
    uint64_t id = number + UINT64_C(1);

    pb_number(&x->part, LOCATION_ID, id);
    pb_number(&x->part, LOCATION_MAPPING, ONE_MAPPING);
    pb_number(&x->part, LOCATION_ADDRESS, id);          /* they are told apart by it */
    for (uint32_t at = number; at != STACK_ROOT; at = x->places.place[at].outer) {
        pb_number(&x->inner, LINE_FUNCTION, x->places.place[at].function + UINT64_C(1));
        pb_number(&x->inner, LINE_NUMBER, x->places.place[at].line);
        pb_message(&x->part, LOCATION_LINE, &x->inner);
    }
    pb_message(&x->profile, PROFILE_LOCATION, &x->part);
}

/* ---- The rest ------------------------------------------------------------------------------------- */

static void put_sample(struct writing *x, uint32_t node)
{
    const struct stack_node *n = x->s->node;

    /* Of an inlined function the routine around it is in the same location. */
    for (uint32_t at = node; at != STACK_ROOT; at = n[at].parent) {
        wpp_put_varint(&x->inner, x->places.of_node[at] + UINT64_C(1));
        while (n[at].inlined)
            at = n[at].parent;
    }
    pb_message(&x->part, SAMPLE_LOCATION, &x->inner);
    wpp_put_varint(&x->inner, (uint64_t)n[node].weight);
    pb_message(&x->part, SAMPLE_VALUE, &x->inner);
    pb_message(&x->profile, PROFILE_SAMPLE, &x->part);
}

static void put_function(struct writing *x, uint32_t number)
{
    const struct stack_function *f = &x->s->function[number];

    pb_number(&x->part, FUNCTION_ID, number + UINT64_C(1));
    pb_number(&x->part, FUNCTION_NAME, put_text(x, export_name(x->r, f->name, f->shown)));
    pb_number(&x->part, FUNCTION_SYSTEM_NAME, put_text(x, f->name));
    if (f->file != SOURCE_FILE_NONE)
        pb_number(&x->part, FUNCTION_FILE, put_text(x, x->s->files.file[f->file].path));
    pb_number(&x->part, FUNCTION_LINE, f->line);
    pb_message(&x->profile, PROFILE_FUNCTION, &x->part);
}

static void put_mapping(struct writing *x, const char *program)
{
    pb_number(&x->part, MAPPING_ID, ONE_MAPPING);
    pb_number(&x->part, MAPPING_START, 1);
    pb_number(&x->part, MAPPING_LIMIT, x->places.n + UINT64_C(1));
    pb_number(&x->part, MAPPING_FILE, put_text(x, program));
    for (uint32_t has = MAPPING_HAS_FUNCTIONS; has <= MAPPING_HAS_INLINED; has++)
        pb_number(&x->part, has, 1);
    pb_message(&x->profile, PROFILE_MAPPING, &x->part);
}

static void put_type(struct writing *x, uint32_t field, uint64_t type, uint64_t unit)
{
    pb_number(&x->inner, TYPE_TYPE, type);
    pb_number(&x->inner, TYPE_UNIT, unit);
    pb_message(&x->profile, field, &x->inner);
}

static void put_profile(struct writing *x)
{
    struct wpp_summary run;
    uint64_t type, unit;

    wpp_get_summary(x->r->w, &run);
    put_text(x, "");
    type = put_text(x, "instructions");
    unit = put_text(x, "count");
    put_type(x, PROFILE_SAMPLE_TYPE, type, unit);
    put_type(x, PROFILE_PERIOD_TYPE, type, unit);
    pb_number(&x->profile, PROFILE_PERIOD, 1);
    pb_number(&x->profile, PROFILE_TIME, run.started * UINT64_C(1000000000));
    pb_number(&x->profile, PROFILE_DURATION, run.nanoseconds);
    pb_number(&x->profile, PROFILE_COMMENT,
              put_text(x, "wpp-export " WPP_VERSION ": instructions as GCC estimated them, no time"));
    pb_number(&x->profile, PROFILE_COMMENT, put_text(x, run.command));
    put_mapping(x, run.program);
    for (uint32_t i = 0; i < x->s->n_functions; i++)
        put_function(x, i);
    for (uint32_t i = 0; i < x->places.n; i++)
        put_location(x, i);
    for (uint32_t i = 0; i < x->s->n; i++)
        if (x->s->node[i].weight > 0)
            put_sample(x, i);
}

bool export_pprof(struct export_run *r)
{
    struct stacks s;
    struct writing x = {.r = r, .s = &s};
    bool ok;

    if (!stacks_new(&s, r, true))
        return false;
    ok = stack_places_new(&x.places, &s);
    if (ok)
        put_profile(&x);
    ok = ok && !x.profile.failed && gzip_put(r->out, x.profile.data, x.profile.size);
    stacks_note(&s, r);
    wpp_bytes_free(&x.profile);
    wpp_bytes_free(&x.part);
    wpp_bytes_free(&x.inner);
    wpp_bytes_free(&x.text);
    stack_places_free(&x.places);
    stacks_free(&s);
    return ok;
}
