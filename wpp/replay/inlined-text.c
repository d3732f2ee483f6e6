/* SPDX-License-Identifier: MIT */
#include "wpp/replay/inlined-text.h"

#include <stdlib.h>

#include "wpp/base/names.h"

static uint32_t caller_of(const struct wpp_routine *r, uint32_t scope)
{
    return r->inlined[scope - 1].caller;
}

static uint32_t depth_of(const struct wpp_routine *r, uint32_t scope)
{
    uint32_t depth = 0;

    for (; scope > 0; scope = caller_of(r, scope))
        depth++;
    return depth;
}

/* The innermost call that both are in. */
static uint32_t common(const struct wpp_routine *r, uint32_t a, uint32_t b)
{
    /* A call has a larger number than its caller. */
    while (a != b)
        if (a > b)
            a = caller_of(r, a);
        else
            b = caller_of(r, b);
    return a;
}

static void indent(const struct inlined_text *t, uint32_t scope)
{
    fprintf(t->out, "%*s", (int)(t->indent + 2 * depth_of(t->routine, scope)), "");
}

/* Names a call, as far to the right as its caller's lines. */
static void tell(const struct inlined_text *t, const char *what, uint32_t scope)
{
    const struct wpp_inlined *i = &t->routine->inlined[scope - 1];

    indent(t, caller_of(t->routine, scope));
    fprintf(t->out, "%s ", what);
    name_put(t->out, t->assembler_names ? i->name : i->shown);
    putc('\n', t->out);
}

static void leave_until(const struct inlined_text *t, uint32_t *scope, uint32_t outer)
{
    for (; *scope != outer; *scope = caller_of(t->routine, *scope))
        tell(t, "LeaveInlined", *scope);
}

static void enter_from(const struct inlined_text *t, uint32_t outer, uint32_t scope)
{
    if (scope == outer)
        return;
    enter_from(t, outer, caller_of(t->routine, scope));
    tell(t, "EnterInlined", scope);
}

static void go_to(const struct inlined_text *t, uint32_t *scope, uint32_t next)
{
    uint32_t outer = common(t->routine, *scope, next);

    leave_until(t, scope, outer);
    enter_from(t, outer, next);
    *scope = next;
}

void inlined_lines(const struct inlined_text *t, const struct trail *trail, uint32_t *scope)
{
    for (size_t i = 0, end; i < trail->n; i = end) {
        struct trail part = {.line = trail->line + i};

        for (end = i + 1; end < trail->n && trail->line[end].inlined == trail->line[i].inlined;)
            end++;
        part.n = end - i;
        go_to(t, scope, trail->line[i].inlined);
        indent(t, *scope);
        trail_print(t->out, &part, 0);
        putc('\n', t->out);
    }
}

void inlined_leave(const struct inlined_text *t, uint32_t *scope)
{
    leave_until(t, scope, 0);
}
