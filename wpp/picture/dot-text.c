/* SPDX-License-Identifier: MIT */
/* dot-text.c - labels, colours and legend of a drawn WPP. */

#include "wpp/picture/dot-text.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/names.h"
#include "wpp/base/utf8.h"
#include "wpp/replay/line-trail.h"

/* Shares and their colours, coldest first: the sequential scheme YlOrRd of ColorBrewer.  A node has
 * the last colour whose share it reaches. */
static const struct {
    double share;
    const char *fill, *text, *legend;
} ramp[] = {
    {0.00, "#ffffff", "#303030", "&lt; 1 %"},
    {0.01, "#ffffb2", "#303030", "1 %"},
    {0.03, "#fed976", "#303030", "3 %"},
    {0.10, "#feb24c", "#202020", "10 %"},
    {0.25, "#fd8d3c", "#101010", "25 %"},
    {0.50, "#f03b20", "#ffffff", "50 %"},
    {0.75, "#bd0026", "#ffffff", "75 %"},
};
enum { RAMP = sizeof ramp / sizeof *ramp };

/* If less of a rule's cost is in one routine, `…` follows the routine's name. */
#define MOSTLY 0.9

/* Edges with a smaller share of the cost are not drawn, if their target has a
 * greater one. */
#define LEAST_FLOW 0.003

enum {
    ROWS = 5,                  /* see arrange_rows */
    MOST_PLACES = 20           /* how many edges from a node are numbered: more would be noise */
};

static unsigned colour_of(double share)
{
    unsigned i = RAMP - 1;

    while (i > 0 && share < ramp[i].share)
        i--;
    return i;
}

/* ---- Text -------------------------------------------------------------------- */

/* Writes a character of n bytes in Graphviz' HTML; 0: a byte that is no character. */
static void put_character(FILE *out, const char *s, int n)
{
    if (n == 0)
        fputs("\ufffd", out);
    else if (n > 1)
        fwrite(s, 1, (size_t)n, out);
    else if (*s == '&')
        fputs("&amp;", out);
    else if (*s == '<')
        fputs("&lt;", out);
    else if (*s == '>')
        fputs("&gt;", out);
    else if (*s == '"')
        fputs("&quot;", out);
    else
        putc((unsigned char)*s < 0x20 ? ' ' : *s, out);
}

/* Writes at most `most` characters of s; `…` stands for the rest. */
static void put_text(FILE *out, const char *s, size_t most)
{
    for (size_t n = 0; *s; n++) {
        int length = utf8_length((const unsigned char *)s);

        if (n == most) {
            fputs("…", out);
            return;
        }
        put_character(out, s, length);
        s += length ? length : 1;
    }
}

/* Writes a routine's name in about `most` characters. */
static void put_routine(FILE *out, const struct wpp_routine *routine, size_t most)
{
    char name[64];

    name_shorten(routine->shown, name, most < sizeof name ? most + 1 : sizeof name);
    put_text(out, name, most);
}

/* Writes 1234567 as `1,234,567`. */
static void put_number(FILE *out, uint64_t n)
{
    if (n >= 1000) {
        put_number(out, n / 1000);
        fprintf(out, ",%03u", (unsigned)(n % 1000));
    } else {
        fprintf(out, "%u", (unsigned)n);
    }
}

static void put_share(FILE *out, double share)
{
    if (share > 0 && share < 0.0001)
        fputs("&lt; 0.01 %", out);
    else
        fprintf(out, share < 0.0995 ? "%.2g %%" : "%.0f %%", 100 * share);
}

/* ---- Nodes --------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

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
        trail.line[i].file = base_name(trail.line[i].file);
    memory = open_memstream(&text, &size);
    if (memory) {
        trail_print(memory, &trail, 5);
        fclose(memory);
        put_text(out, text, 40);
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
        put_routine(out, routine, 36);
    else
        fputs(wpp_symbol_name(t, name), out);
    fputs("</b><br/>", out);
    if (routine) {
        put_lines(out, t, routine);
        fputs("<br/>", out);
    }
    put_number(out, node->executed);
    fputs(" ×   <b>", out);
    put_share(out, node->share);
    fputs("</b>", out);
}

/* Writes the part of a rule's cost that is in paths not drawn. */
static void put_hidden(FILE *out, const struct picture_node *node)
{
    if (node->hidden < 0.0005)
        return;
    fputs("<br/><font point-size=\"9\">", out);
    put_share(out, node->hidden);
    fputs(" in paths not shown</font>", out);
}

/* A rule is named by the routine with the largest part of its cost. */
static void put_rule(FILE *out, const wpp *w, const struct picture_node *node)
{
    fprintf(out, "<b>rule %u", node->symbol & ~WPP_RULE);
    if (node->routine != WPP_NO_ROUTINE) {
        fputs(": ", out);
        put_routine(out, wpp_routine(w, node->routine), 28);
    }
    fputs(node->routine_part < MOSTLY ? " …</b><br/>" : "</b><br/>", out);
    put_number(out, node->executed);
    fputs(" ×   <b>", out);
    put_share(out, node->share);
    fputs("</b><br/><font point-size=\"9\">", out);
    put_number(out, node->events);
    fputs(" events</font>", out);
    put_hidden(out, node);
}

static void put_start(FILE *out, const wpp *w, const struct picture_node *node)
{
    uint32_t k = (node->symbol & ~WPP_RULE) - wpp_grammar(w)->n_rules;
    const struct wpp_thread *thread = wpp_thread(w, k);

    fprintf(out, "<b>thread %u", k);
    if (thread->name[0]) {
        fputs("  ", out);
        put_text(out, thread->name, 24);
    }
    fputs("</b><br/>", out);
    put_number(out, node->events);
    fputs(" events   <b>", out);
    put_share(out, node->share);
    fputs("</b>", out);
    put_hidden(out, node);
}

static void write_node(FILE *out, const wpp *w, const struct picture *p, uint32_t i)
{
    const struct picture_node *node = &p->node[i];
    unsigned colour = colour_of(node->share);

    fprintf(out, "  n%u [label=<", i);
    if (i < p->n_starts)
        put_start(out, w, node);
    else if (node->symbol & WPP_RULE)
        put_rule(out, w, node);
    else
        put_terminal(out, w, node);
    fputs(">", out);
    if (i < p->n_starts)       /* its share is always all: no colour of the ramp */
        fputs(", fillcolor=\"#dce6f2\", penwidth=1.6", out);
    else
        fprintf(out, ", fillcolor=\"%s\", fontcolor=\"%s\"", ramp[colour].fill, ramp[colour].text);
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
    /* Width and darkness by flow, steeper for small flows so that they differ. */
    double flow = e->flow < 0 ? 0 : e->flow > 1 ? 1 : e->flow;
    double width = 0.6 + 4.4 * (flow < 0.25 ? 2 * flow : 0.5 + (flow - 0.25) * 2 / 3);
    const char *colour = flow >= 0.25 ? "#a01020" : flow >= 0.05 ? "#c06030" : "#909090";
    uint32_t n_out = p->node[e->from].n_out;

    fprintf(out, "  n%u -> n%u [penwidth=%.2f, color=\"%s\", weight=%d", e->from, e->to,
            width, colour, flow >= 0.25 ? 8 : flow >= 0.05 ? 3 : 1);
    if (row > 0)
        fprintf(out, ", minlen=%u", 1 + row);
    fputs(", label=\" ", out);
    if (n_out > 1 && n_out <= MOST_PLACES)
        fprintf(out, "%u. ", e->place);
    if (e->times > 1) {
        fputs("× ", out);
        put_number(out, e->times);
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
    fputs("<tr><td align=\"left\"><font point-size=\"15\"><b>", out);
    put_text(out, s.command[0] ? s.command : s.program[0] ? s.program : known ? "symbols" : "?",
             90);
    fputs("</b></font></td></tr><tr><td align=\"left\">", out);
    put_number(out, s.tokens);
    fputs(" events, ", out);
    if (program) {
        put_number(out, p->cost < 1.8e19 ? (uint64_t)p->cost : UINT64_MAX);
        fputs(" instructions, ", out);
    }
    put_number(out, s.n_rules);
    fputs(" rules, ", out);
    put_number(out, s.n_terminals - s.n_controls);
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
        put_number(out, p->hidden_rules);
        fputs(" rules not shown (expanded in place); ", out);
        put_number(out, p->hidden_terminals);
        fputs(" paths not shown, ", out);
        put_share(out, p->hidden);
        fputs(" of the cost", out);
    }
    if (thin > 0) {
        fputs("; ", out);
        put_number(out, thin);
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
    for (unsigned i = 0; i < RAMP; i++)
        fprintf(out, "<td bgcolor=\"%s\" border=\"1\" color=\"#808080\">"
                     "<font color=\"%s\">%s</font></td>",
                ramp[i].fill, ramp[i].text, ramp[i].legend);
    fputs("<td>  rounded: rule, the routine that costs most in it (…: of several), its executions "
          "(×) and share;  square: path</td></tr></table>"
          "</td></tr><tr><td align=\"left\"><font point-size=\"10\">An edge says in which order, "
          "and how often (×), its target first stands in one execution of the rule;  wide: much cost."
          "</font></td></tr></table>>;\n", out);
}

void dot_text_write(FILE *out, const wpp *w, const struct picture *p)
{
    fputs("digraph wpp {\n"
          "  graph [fontname=\"Helvetica,Arial,sans-serif\", fontsize=11, "
          "labelloc=t, labeljust=l,\n"
          "         ordering=out, nodesep=0.25, ranksep=0.45, bgcolor=white, pad=0.2];\n"
          "  node [fontname=\"Helvetica,Arial,sans-serif\", fontsize=11, shape=box,\n"
          "        style=\"rounded,filled\", color=\"#808080\", margin=\"0.12,0.06\"];\n"
          "  edge [fontname=\"Helvetica,Arial,sans-serif\", fontsize=9, fontcolor=\"#404040\",\n"
          "        arrowsize=0.6];\n", out);
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
