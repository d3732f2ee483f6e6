/* SPDX-License-Identifier: MIT */
/* grammar-text.c - labels, colours and legend of a drawn WPP. */

#include "wpp/picture/grammar-text.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/picture/dot-style.h"
#include "wpp/replay/line-trail.h"

/* If less of a rule's cost is in one routine, `…` follows the routine's name. */
#define MOSTLY 0.9

enum {
    ROWS = 5,                  /* see arrange_rows */
    MOST_PLACES = 20           /* how many edges from a node are numbered: more would be noise */
};

/* ---- Nodes --------------------------------------------------------------------- */

/* Writes the lines of a path, without directories. */
static void put_lines(FILE *out, const struct wpp_terminal *t, const struct wpp_routine *routine)
{
    struct trail trail;
    char *text = NULL;
    size_t size;
    FILE *memory;

    if (!trail_of(t, routine, &trail))
        return;
    for (size_t i = 0; i < trail.n; i++)
        trail.line[i].file = dot_base_name(trail.line[i].file);
    memory = open_memstream(&text, &size);
    if (memory) {
        trail_print(memory, &trail, 5);
        fclose(memory);
        dot_put_text(out, text, 40);
        free(text);
    }
    trail_free(&trail);
}

static void put_terminal(FILE *out, const wpp *w, const struct picture_node *node)
{
    const struct wpp_terminal *t = wpp_terminal(w, node->symbol);
    const struct wpp_routine *routine =
        t->routine == WPP_NO_ROUTINE ? NULL : wpp_routine(w, t->routine);
    char name[WPP_SYMBOL_NAME];

    fputs("<b>", out);
    if (routine)
        dot_put_routine(out, routine, 36);
    else
        fputs(wpp_symbol_name(t, name), out);
    fputs("</b><br/>", out);
    if (routine) {
        put_lines(out, t, routine);
        fputs("<br/>", out);
    }
    dot_put_number(out, node->executed);
    fputs(" ×   <b>", out);
    dot_put_share(out, node->share);
    fputs("</b>", out);
}

/* Writes the part of a rule's cost that is in paths not drawn. */
static void put_hidden(FILE *out, const struct picture_node *node)
{
    if (node->hidden < 0.0005)
        return;
    fputs("<br/><font point-size=\"9\">", out);
    dot_put_share(out, node->hidden);
    fputs(" in paths not shown</font>", out);
}

/* `call of f`, `3 calls of f`, `loop in f`; else the routine with the largest part of its cost. */
static void put_what(FILE *out, const wpp *w, const struct picture_node *node)
{
    if (node->kind == PICTURE_CALLS && node->calls == 1)
        fputs("call of ", out);
    else if (node->kind == PICTURE_CALLS)
        dot_put_number(out, node->calls);
    if (node->kind == PICTURE_CALLS && node->calls > 1)
        fputs(" calls: ", out);
    else if (node->kind == PICTURE_LOOP)
        fputs("loop in ", out);
    if (node->kind != PICTURE_PART) {
        dot_put_routine(out, wpp_routine(w, node->of), 28);
        return;
    }
    if (node->routine != WPP_NO_ROUTINE)
        dot_put_routine(out, wpp_routine(w, node->routine), 28);
    fputs(node->routine_part < MOSTLY ? " …" : "", out);
}

/* A rule is named by what it derives. */
static void put_rule(FILE *out, const wpp *w, const struct picture_node *node)
{
    fprintf(out, "<b>rule %u", node->symbol & ~WPP_RULE);
    if (node->kind != PICTURE_PART || node->routine != WPP_NO_ROUTINE)
        fputs(": ", out);
    put_what(out, w, node);
    fputs("</b><br/>", out);
    dot_put_number(out, node->executed);
    fputs(" ×   <b>", out);
    dot_put_share(out, node->share);
    fputs("</b><br/><font point-size=\"9\">", out);
    dot_put_number(out, node->events);
    fprintf(out, " event%s, ", node->events == 1 ? "" : "s");
    dot_put_number(out, node->paths);
    fprintf(out, " path%s</font>", node->paths == 1 ? "" : "s");
    put_hidden(out, node);
}

static void put_start(FILE *out, const wpp *w, const struct picture_node *node)
{
    uint32_t k = (node->symbol & ~WPP_RULE) - wpp_grammar(w)->n_rules;
    const struct wpp_thread *thread = wpp_thread(w, k);

    fprintf(out, "<b>thread %u", k);
    if (thread->name[0]) {
        fputs("  ", out);
        dot_put_text(out, thread->name, 24);
    }
    fputs("</b><br/>", out);
    dot_put_number(out, node->events);
    fputs(" events   <b>", out);
    dot_put_share(out, node->share);
    fputs("</b>", out);
    put_hidden(out, node);
}

static bool is_start(const wpp *w, const struct picture_node *node)
{
    return node->symbol & WPP_RULE && (node->symbol & ~WPP_RULE) >= wpp_grammar(w)->n_rules;
}

static void write_node(FILE *out, const wpp *w, const struct picture *p, uint32_t i)
{
    const struct picture_node *node = &p->node[i];
    struct dot_colour colour = dot_colour(node->share);

    fprintf(out, "  n%u [label=<", i);
    if (is_start(w, node))
        put_start(out, w, node);
    else if (node->symbol & WPP_RULE)
        put_rule(out, w, node);
    else
        put_terminal(out, w, node);
    fputs(">", out);
    if (i < p->n_starts)       /* its share is always all: no colour of the ramp */
        fputs(", fillcolor=\"#dce6f2\", penwidth=1.6", out);
    else
        fprintf(out, ", fillcolor=\"%s\", fontcolor=\"%s\"", colour.fill, colour.text);
    if (!(node->symbol & WPP_RULE))
        fputs(", style=filled, penwidth=1.2, color=\"#404040\", margin=\"0.14,0.09\"", out);
    fputs("];\n", out);
}

/* ---- Edges ----------------------------------------------------------------------- */

/* An edge is drawn if its flow is large, or is most of its target's share. */
static bool is_drawn(const struct picture *p, const struct picture_edge *e)
{
    return e->flow >= LEAST_FLOW || e->flow >= 0.3 * p->node[e->to].share;
}

/* Arranges in rows those targets of a start rule that have no other user: side by side they would
 * make the picture too wide. */
static unsigned *arrange_rows(const struct picture *p)
{
    unsigned *row = calloc(p->n_nodes + (size_t)1, sizeof *row);
    uint32_t *users = calloc(p->n_nodes + (size_t)1, sizeof *users);
    unsigned leaves = 0, others = 0;

    for (uint32_t i = 0; row && users && i < p->n_edges; i++)
        users[p->edge[i].to] += is_drawn(p, &p->edge[i]);
    for (uint32_t i = 0; row && users && i < p->n_edges; i++) {
        const struct picture_edge *e = &p->edge[i];
        if (e->from < p->n_starts && users[e->to] == 1 && p->node[e->from].n_out > ROWS)
            row[e->to] = p->node[e->to].n_out == 0 ? leaves++ % ROWS : others++ % 2;
    }
    free(users);
    return row;
}

static void write_edge(FILE *out, const struct picture *p, const struct picture_edge *e,
                       unsigned row)
{
    uint32_t n_out = p->node[e->from].n_out;

    fprintf(out, "  n%u -> n%u [", e->from, e->to);
    dot_put_flow(out, e->flow);
    if (row > 0)
        fprintf(out, ", minlen=%u", 1 + row);
    fputs(", label=\" ", out);
    if (n_out > 1 && n_out <= MOST_PLACES)
        fprintf(out, "%u. ", e->place);
    if (e->times > 1) {
        fputs("× ", out);
        dot_put_number(out, e->times);
        putc(' ', out);
    }
    fputs("\"];\n", out);
}

static void write_edges(FILE *out, const struct picture *p)
{
    unsigned *row = arrange_rows(p);

    for (uint32_t i = 0; i < p->n_edges; i++)
        if (is_drawn(p, &p->edge[i]))
            write_edge(out, p, &p->edge[i], row ? row[p->edge[i].to] : 0);
    free(row);
}

/* ---- Legend ------------------------------------------------------------------------ */

static void put_title(FILE *out, const wpp *w, const struct picture *p)
{
    struct wpp_summary s;
    bool known = !(wpp_missing(w) & WPP_PART_SUMMARY), program;

    wpp_get_summary(w, &s);
    program = known ? s.program[0] : s.n_routines > 0;
    dot_put_command(out, w);
    fputs("<tr><td align=\"left\">", out);
    if (is_start(w, &p->node[0]))
        dot_put_number(out, s.tokens);
    else
        fprintf(out, "one execution of rule %u: %llu", p->node[0].symbol & ~WPP_RULE,
                (unsigned long long)p->node[0].events);
    fputs(" events, ", out);
    if (program) {
        dot_put_number(out, p->cost < 1.8e19 ? (uint64_t)p->cost : UINT64_MAX);
        fputs(" instructions, ", out);
    }
    dot_put_number(out, s.n_rules);
    fputs(" rules, ", out);
    dot_put_number(out, s.n_terminals - s.n_controls);
    fputs(program ? " paths" : " symbols", out);
    if (known && !s.complete)
        fputs(" <b>(incomplete)</b>", out);
    fputs("</td></tr>", out);
}

static void put_left_out(FILE *out, const struct picture *p)
{
    uint32_t thin = 0;

    for (uint32_t i = 0; i < p->n_edges; i++)
        thin += !is_drawn(p, &p->edge[i]);
    fputs("<tr><td align=\"left\"><b>", out);
    if (p->hidden_rules + p->hidden_terminals == 0) {
        fputs("All rules and paths are shown", out);
    } else {
        fputs("… ", out);
        dot_put_number(out, p->hidden_rules);
        fputs(" rules not shown (expanded in place); ", out);
        dot_put_number(out, p->hidden_terminals);
        fputs(" paths not shown, ", out);
        dot_put_share(out, p->hidden);
        fputs(" of the cost", out);
    }
    if (thin > 0) {
        fputs("; ", out);
        dot_put_number(out, thin);
        fprintf(out, " edges of less than %g %% not shown", 100 * LEAST_FLOW);
    }
    fputs("</b></td></tr>", out);
}

static void write_legend(FILE *out, const wpp *w, const struct picture *p)
{
    fputs("  label=<<table border=\"0\" cellspacing=\"2\" cellpadding=\"2\">", out);
    put_title(out, w, p);
    put_left_out(out, p);
    fputs("<tr><td align=\"left\"><table border=\"0\" cellspacing=\"0\" cellpadding=\"4\"><tr>"
          "<td>share of the cost: </td>", out);
    dot_put_ramp(out);
    fputs("<td>  rounded: rule, the routine that costs most in it (…: of several), its executions "
          "(×) and share;  square: path</td></tr></table>"
          "</td></tr><tr><td align=\"left\"><font point-size=\"10\">An edge says in which order, "
          "and how often (×), its target first stands in one execution of the rule;  wide: much cost."
          "</font></td></tr></table>>;\n", out);
}

void grammar_text_write(FILE *out, const wpp *w, const struct picture *p)
{
    dot_put_head(out, true);
    write_legend(out, w, p);
    for (uint32_t i = 0; i < p->n_nodes; i++)
        write_node(out, w, p, i);
    if (p->n_starts > 1) {
        fputs("  { rank=same;", out);
        for (uint32_t i = 0; i < p->n_starts; i++)
            fprintf(out, " n%u;", i);
        fputs(" }\n", out);
    }
    write_edges(out, p);
    fputs("}\n", out);
}
