/* SPDX-License-Identifier: MIT */
#include "wpp/picture/routine-picture-text.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/picture/dot-style.h"
#include "wpp/replay/line-trail.h"
#include "wpp/replay/source-lines.h"

enum {
    MOST_LINES = 4,            /* of a block's source */
    MOST_COLUMNS = 52
};

/* Stripes of the dearest paths, dearest first: of ColorBrewer's scheme Dark2. */
static const char *const stripe[FLOW_PATHS] = {"#d95f02", "#7570b3", "#1b9e77", "#e7298a"};

struct writing {
    FILE *out;
    const struct path_profile *p;
    const struct routine_picture *g;
    struct source_set sources;
};

/* ---- Boxes --------------------------------------------------------------------- */

/* The text of a line without what it is indented by; NULL: it is not there. */
static const char *text_of(struct writing *x, const struct wpp_line *line)
{
    const struct source_lines *s = source_set_get(&x->sources, x->g->routine->directory, line->file);

    if (!s || line->line == 0 || line->line > s->n)
        return NULL;
    return s->line[line->line - 1] + strspn(s->line[line->line - 1], " \t");
}

static void put_line(struct writing *x, const struct wpp_line *line, const char *file)
{
    const char *text = text_of(x, line);

    if (strcmp(line->file, file) != 0) {
        dot_put_text(x->out, dot_base_name(line->file), 24);
        putc(':', x->out);
    }
    if (line->line > 0)
        fprintf(x->out, "%u", (unsigned)line->line);
    else
        putc('?', x->out);
    if (text) {
        fputs("  ", x->out);
        dot_put_text(x->out, text, MOST_COLUMNS);
    }
    fputs("<br align=\"left\"/>", x->out);
}

static void put_lines(struct writing *x, const struct wpp_block *block)
{
    uint32_t n = 0, shown = 0;

    if (block->n_lines == 0)           /* Graphviz wants no empty text */
        return;
    fputs("<font face=\"Courier,monospace\" point-size=\"9\">", x->out);
    for (uint32_t i = 0; i < block->n_lines; i++) {
        bool again = i > 0 && same_line(block->lines[i], block->lines[i - 1]);

        if (again)
            continue;
        if (++n <= MOST_LINES) {
            put_line(x, &block->lines[i], x->g->routine->file);
            shown++;
        }
    }
    if (n > shown)
        fprintf(x->out, "… %u more<br align=\"left\"/>", n - shown);
    fputs("</font>", x->out);
}

static void put_count(FILE *out, uint64_t count, double share)
{
    fputs("<font point-size=\"9\">", out);
    if (count == 0) {
        fputs("never", out);
    } else {
        dot_put_number(out, count);
        fputs(" ×   <b>", out);
        dot_put_share(out, share);
        fputs("</b>", out);
    }
    fputs("</font>", out);
}

static void write_ends(struct writing *x)
{
    fprintf(x->out, "  b%u [label=<<b>", FLOW_ENTRY);
    dot_put_routine(x->out, x->g->routine, 40);
    fputs("</b><br/>", x->out);
    dot_put_number(x->out, x->g->box[FLOW_ENTRY].count);
    fputs(" calls>, fillcolor=\"#dce6f2\", penwidth=1.6];\n", x->out);
    fprintf(x->out, "  b%u [label=\"return\", fillcolor=\"#dce6f2\"];\n", FLOW_EXIT);
}

static void write_box(struct writing *x, uint32_t i)
{
    const struct flow_box *box = &x->g->box[i];
    double share = x->g->cost > 0 ? box->cost / x->g->cost : 0;
    struct dot_colour colour = dot_colour(share);

    fprintf(x->out, "  b%u [label=<", i);
    if (box->folded)
        fprintf(x->out, "… %u block%s<br/>", box->n_blocks, box->n_blocks > 1 ? "s" : "");
    else
        put_lines(x, &x->g->routine->blocks[box->block]);
    put_count(x->out, box->count, share);
    fprintf(x->out, ">, fillcolor=\"%s\", fontcolor=\"%s\"", colour.fill,
            box->count ? colour.text : "#707070");
    if (box->count == 0)
        fputs(", style=\"rounded,filled,dashed\"", x->out);
    fputs("];\n", x->out);
}

/* ---- Links --------------------------------------------------------------------- */

/* A line beside the other for each path that goes along. */
static void put_stripes(FILE *out, unsigned paths)
{
    bool first = true;

    fputs(", color=\"", out);
    for (unsigned k = 0; k < FLOW_PATHS; k++)
        if (paths >> k & 1) {
            fprintf(out, "%s%s", first ? "" : ":", stripe[k]);
            first = false;
        }
    fprintf(out, "%s\"", first ? "#808080" : "");
}

static void write_link(FILE *out, const struct flow_link *l)
{
    fprintf(out, "  b%u -> b%u [", l->from, l->to);
    if (l->count == 0)
        fputs("style=dashed, color=\"#b0b0b0\", label=\"\"", out);
    else
        fputs("label=\" ", out);
    if (l->count > 0) {
        dot_put_number(out, l->count);
        fputs(" \", penwidth=1.6", out);
        put_stripes(out, l->paths);
    }
    if (l->back)
        fputs(", constraint=false", out);
    fputs("];\n", out);
}

/* ---- Legend -------------------------------------------------------------------- */

static bool put_path(struct writing *x, uint32_t k)
{
    const struct profile_path *path = &x->p->path[x->g->path[k]];
    const struct wpp_terminal *t = wpp_terminal(x->p->w, path->terminal);
    struct trail trail;
    char *text = NULL;
    size_t size;
    FILE *memory;

    if (!trail_of(t, x->g->routine, &trail))
        return false;
    for (size_t i = 0; i < trail.n; i++)
        trail.line[i].file = dot_base_name(trail.line[i].file);
    memory = open_memstream(&text, &size);
    if (memory) {
        trail_print(memory, &trail, 12);
        fclose(memory);
    }
    trail_free(&trail);
    fprintf(x->out, "<tr><td align=\"left\"><font color=\"%s\"><b>▬</b></font>  path %llu   ", stripe[k],
            (unsigned long long)t->path);
    dot_put_number(x->out, path->count);
    fputs(" ×   <b>", x->out);
    dot_put_share(x->out, x->g->cost > 0 ? path->cost / x->g->cost : 0);
    fputs("</b>   ", x->out);
    if (text)
        dot_put_text(x->out, text, 90);
    fputs("</td></tr>", x->out);
    free(text);
    return memory != NULL;
}

static void put_title(struct writing *x)
{
    const struct profile_routine *r = &x->p->routine[x->g->number];
    uint32_t missed = 0, folded = 0;

    for (uint32_t i = 0; i < x->g->n_links; i++)
        missed += x->g->link[i].count == 0;
    for (uint32_t i = 0; i < x->g->n_boxes; i++)
        folded += x->g->box[i].folded ? x->g->box[i].n_blocks : 0;
    fputs("<tr><td align=\"left\">", x->out);
    dot_put_routine(x->out, x->g->routine, 60);
    fputs("  ", x->out);
    dot_put_text(x->out, x->g->routine->file, 60);
    fprintf(x->out, ":%u   <b>", (unsigned)x->g->routine->line);
    dot_put_share(x->out, x->p->cost > 0 ? x->g->cost / x->p->cost : 0);
    fputs("</b> of all instructions are its own; ", x->out);
    dot_put_number(x->out, r->n);
    fputs(" of ", x->out);
    dot_put_number(x->out, x->g->routine->num_paths);
    fputs(" paths executed; ", x->out);
    dot_put_number(x->out, missed);
    fputs(" edges missed (dashed)", x->out);
    if (folded)
        fprintf(x->out, "; … %u blocks folded", folded);
    fputs("</td></tr>", x->out);
}

static bool write_legend(struct writing *x)
{
    bool ok = true;

    fputs("  label=<<table border=\"0\" cellspacing=\"2\" cellpadding=\"2\">", x->out);
    dot_put_command(x->out, x->p->w);
    put_title(x);
    for (uint32_t k = 0; ok && k < x->g->n_paths; k++)
        ok = put_path(x, k);
    fputs("<tr><td align=\"left\"><table border=\"0\" cellspacing=\"0\" cellpadding=\"4\"><tr>"
          "<td>share of the routine's own cost: </td>", x->out);
    dot_put_ramp(x->out);
    fputs("</tr></table></td></tr></table>>;\n", x->out);
    return ok;
}

bool routine_picture_text_write(FILE *out, const struct path_profile *p, const struct routine_picture *g)
{
    struct writing x = {.out = out, .p = p, .g = g};
    bool ok;

    dot_put_head(out, false);
    ok = write_legend(&x);
    write_ends(&x);
    for (uint32_t i = FLOW_EXIT + 1; i < g->n_boxes; i++)
        write_box(&x, i);
    for (uint32_t i = 0; i < g->n_links; i++)
        write_link(out, &g->link[i]);
    fputs("}\n", out);
    source_set_free(&x.sources);
    return ok;
}
