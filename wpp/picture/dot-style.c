/* SPDX-License-Identifier: MIT */
#include "wpp/picture/dot-style.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/names.h"
#include "wpp/base/utf8.h"

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

struct dot_colour dot_colour(double share)
{
    unsigned i = RAMP - 1;

    while (i > 0 && share < ramp[i].share)
        i--;
    return (struct dot_colour){ramp[i].fill, ramp[i].text};
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
void dot_put_text(FILE *out, const char *s, size_t most)
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
void dot_put_routine(FILE *out, const struct wpp_routine *routine, size_t most)
{
    char name[64];

    name_shorten(routine->shown, name, most < sizeof name ? most + 1 : sizeof name);
    dot_put_text(out, name, most);
}

/* Writes 1234567 as `1,234,567`. */
void dot_put_number(FILE *out, uint64_t n)
{
    if (n >= 1000) {
        dot_put_number(out, n / 1000);
        fprintf(out, ",%03u", (unsigned)(n % 1000));
    } else {
        fprintf(out, "%u", (unsigned)n);
    }
}

void dot_put_share(FILE *out, double share)
{
    if (share > 0 && share < 0.0001)
        fputs("&lt; 0.01 %", out);
    else
        fprintf(out, share < 0.0995 ? "%.2g %%" : "%.0f %%", 100 * share);
}

const char *dot_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* ---- Looks -------------------------------------------------------------------- */

/* Steeper for small flows, so that they differ. */
void dot_put_flow(FILE *out, double flow)
{
    double width;

    flow = flow < 0 ? 0 : flow > 1 ? 1 : flow;
    width = 0.6 + 4.4 * (flow < 0.25 ? 2 * flow : 0.5 + (flow - 0.25) * 2 / 3);
    fprintf(out, "penwidth=%.2f, color=\"%s\", weight=%d", width,
            flow >= 0.25 ? "#a01020" : flow >= 0.05 ? "#c06030" : "#909090",
            flow >= 0.25 ? 8 : flow >= 0.05 ? 3 : 1);
}

void dot_put_ramp(FILE *out)
{
    for (unsigned i = 0; i < RAMP; i++)
        fprintf(out, "<td bgcolor=\"%s\" border=\"1\" color=\"#808080\">"
                     "<font color=\"%s\">%s</font></td>",
                ramp[i].fill, ramp[i].text, ramp[i].legend);
}

void dot_put_head(FILE *out, bool ordered)
{
    fprintf(out, "digraph wpp {\n"
            "  graph [fontname=\"Helvetica,Arial,sans-serif\", fontsize=11, "
            "labelloc=t, labeljust=l,\n"
            "         %snodesep=0.25, ranksep=0.45, bgcolor=white, pad=0.2];\n"
            "  node [fontname=\"Helvetica,Arial,sans-serif\", fontsize=11, shape=box,\n"
            "        style=\"rounded,filled\", color=\"#808080\", margin=\"0.12,0.06\"];\n"
            "  edge [fontname=\"Helvetica,Arial,sans-serif\", fontsize=9, fontcolor=\"#404040\",\n"
            "        arrowsize=0.6];\n", ordered ? "ordering=out, " : "");
}

void dot_put_command(FILE *out, const wpp *w)
{
    struct wpp_summary s;
    bool known = !(wpp_missing(w) & WPP_PART_SUMMARY);

    wpp_get_summary(w, &s);
    fputs("<tr><td align=\"left\"><font point-size=\"15\"><b>", out);
    dot_put_text(out, s.command[0] ? s.command : s.program[0] ? s.program : known ? "symbols" : "?",
                 90);
    fputs("</b></font></td></tr>", out);
}
