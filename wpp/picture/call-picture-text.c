/* SPDX-License-Identifier: MIT */
#include "wpp/picture/call-picture-text.h"

#include "wpp/picture/dot-style.h"

static double share_of(const struct call_picture *g, double cost)
{
    return g->total > 0 ? cost / g->total : 0;
}

static uint64_t whole(double n)
{
    return n < 1.8e19 ? (uint64_t)(n + 0.5) : UINT64_MAX;
}

/* ---- Nodes --------------------------------------------------------------------- */

static void put_place(FILE *out, const struct wpp_routine *routine)
{
    if (!routine->file[0] || routine->line == 0)
        return;
    fputs("<br/><font point-size=\"9\">", out);
    dot_put_text(out, dot_base_name(routine->file), 30);
    fprintf(out, ":%u</font>", (unsigned)routine->line);
}

static void write_node(FILE *out, const wpp *w, const struct call_picture *g, uint32_t i)
{
    const struct call_node *n = &g->node[i];
    const struct wpp_routine *routine = wpp_routine(w, n->routine);
    struct dot_colour colour = dot_colour(share_of(g, n->self));

    fprintf(out, "  n%u [label=<<b>", i);
    dot_put_routine(out, routine, 36);
    fputs("</b>", out);
    put_place(out, routine);
    fputs("<br/><b>", out);
    dot_put_share(out, share_of(g, n->inclusive));
    fputs("</b>   self <b>", out);
    dot_put_share(out, share_of(g, n->self));
    fputs("</b><br/>", out);
    dot_put_number(out, whole(n->calls));
    fprintf(out, " ×>, fillcolor=\"%s\", fontcolor=\"%s\"];\n", colour.fill, colour.text);
}

/* ---- Edges ----------------------------------------------------------------------- */

static void put_label(FILE *out, double calls)
{
    fputs(", label=\" ", out);
    dot_put_number(out, whole(calls));
    fputs(" × \"];\n", out);
}

/* What calls cost at the place where they are drawn; calls that recur cost no more than all. */
static double flow_of(const struct call_picture *g, const struct call_edge *e)
{
    double cost = e->cost < g->node[e->to].inclusive ? e->cost : g->node[e->to].inclusive;

    return share_of(g, cost);
}

/* An edge is drawn if it carries much, or much of what its target costs. */
static bool is_drawn(const struct call_picture *g, const struct call_edge *e)
{
    return flow_of(g, e) >= LEAST_FLOW || e->cost >= 0.3 * g->node[e->to].inclusive;
}

static void write_edges(FILE *out, const struct call_picture *g)
{
    for (uint32_t i = 0; i < g->n_edges; i++) {
        const struct call_edge *e = &g->edge[i];

        if (!is_drawn(g, e))
            continue;
        fprintf(out, "  n%u -> n%u [", e->from, e->to);
        dot_put_flow(out, flow_of(g, e));
        put_label(out, e->calls);
    }
}

/* The routines that a node called and that are no nodes, as one. */
static void write_others(FILE *out, const wpp *w, const struct call_picture *g)
{
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct call_node *n = &g->node[i];
        double share = share_of(g, n->other_cost);

        if (n->others == 0 || share < LEAST_FLOW)
            continue;
        fprintf(out, "  o%u [label=<", i);
        dot_put_routine(out, wpp_routine(w, n->other), 30);
        if (n->others > 1)
            fprintf(out, " and %u more", n->others - 1);
        fputs("   ", out);
        dot_put_share(out, share);
        fputs(">, fontsize=9, style=\"rounded,dashed\", fontcolor=\"#505050\"];\n", out);
        fprintf(out, "  n%u -> o%u [style=dashed, color=\"#909090\"", i, i);
        put_label(out, n->other_calls);
    }
}

/* ---- Legend ------------------------------------------------------------------------ */

static void put_left_out(FILE *out, const struct call_picture *g)
{
    uint32_t thin = 0;

    for (uint32_t i = 0; i < g->n_edges; i++)
        thin += !is_drawn(g, &g->edge[i]);
    fputs("<tr><td align=\"left\"><b>", out);
    if (g->n_others == 0) {
        fputs("All routines are shown", out);
    } else {
        fputs("… ", out);
        dot_put_number(out, g->n_others);
        fputs(" routines not shown, ", out);
        dot_put_share(out, share_of(g, g->other_self));
        fputs(" of the cost is their own", out);
    }
    if (thin > 0) {
        fputs("; ", out);
        dot_put_number(out, thin);
        fprintf(out, " kinds of calls that cost less than %g %% not shown", 100 * LEAST_FLOW);
    }
    fputs("</b></td></tr>", out);
}

static void write_legend(FILE *out, const wpp *w, const struct call_picture *g)
{
    struct wpp_summary s;

    wpp_get_summary(w, &s);
    fputs("  label=<<table border=\"0\" cellspacing=\"2\" cellpadding=\"2\">", out);
    dot_put_command(out, w);
    fputs("<tr><td align=\"left\">calls: ", out);
    dot_put_number(out, whole(g->total));
    fputs(" instructions, ", out);
    dot_put_number(out, (uint64_t)g->n_nodes + g->n_others);
    fputs(" routines executed", out);
    if (!(wpp_missing(w) & WPP_PART_SUMMARY) && !s.complete)
        fputs(" <b>(incomplete)</b>", out);
    fputs("</td></tr>", out);
    put_left_out(out, g);
    fputs("<tr><td align=\"left\"><table border=\"0\" cellspacing=\"0\" cellpadding=\"4\"><tr>"
          "<td>share of the cost, self: </td>", out);
    dot_put_ramp(out);
    fputs("<td>  in a box: with what it called, self, calls (×);  an edge: calls, wide: much cost"
          "</td></tr></table></td></tr></table>>;\n", out);
}

void call_picture_text_write(FILE *out, const wpp *w, const struct call_picture *g)
{
    dot_put_head(out, false);
    write_legend(out, w, g);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        write_node(out, w, g, i);
    write_others(out, w, g);
    write_edges(out, g);
    fputs("}\n", out);
}
