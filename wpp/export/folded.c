/* SPDX-License-Identifier: MIT */
/* folded.c - folded stacks, one a line: `main;parse;read 20`. */
#include <stdlib.h>

#include "wpp/export/stacks.h"

/* A name may hold neither a semicolon nor a control character. */
static void put_frame(FILE *out, const char *name)
{
    for (; *name; name++)
        putc(*name == ';' ? ':' : (unsigned char)*name < ' ' || *name == 0x7f ? '?' : *name, out);
}

static void put_stack(const struct export_run *r, const struct stacks *s, uint32_t node,
                      uint32_t *way)
{
    uint32_t n = 0;

    for (uint32_t at = node; at != STACK_ROOT; at = s->node[at].parent)
        way[n++] = s->node[at].function;
    while (n-- > 0) {
        put_frame(r->out, export_name(r, s->function[way[n]].name, s->function[way[n]].shown));
        if (n > 0)
            putc(';', r->out);
    }
    fprintf(r->out, " %.0f\n", s->node[node].weight);
}

bool export_folded(struct export_run *r)
{
    struct stacks s;
    uint32_t *way;

    if (!stacks_new(&s, r, false))
        return false;
    way = calloc(s.n + (size_t)1, sizeof *way);
    for (uint32_t i = 0; way && i < s.n && !ferror(r->out); i++)
        if (s.node[i].weight > 0)
            put_stack(r, &s, i, way);
    stacks_note(&s, r);
    free(way);
    stacks_free(&s);
    return way != NULL;
}
