/* SPDX-License-Identifier: MIT */
/* wpp-dot - draws a WPP's DAG.
 *
 * The only file of the project that uses Graphviz (by graphviz-compat.h): libcgraph reads
 * the graph, libgvc lays it out and renders it. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "wpp/cli/tool.h"
#include "wpp/picture/dot-text.h"
#include "wpp/picture/graphviz-compat.h"

static const char help[] =
    "Usage: wpp-dot [OPTION]... FILE.wpp\n"
    "Draws the hottest part of a WPP as a graph: start rules on top, rules, and paths as leaves,\n"
    "coloured by their share of the executed instructions.  FILE `-` is standard input.\n"
    "\n"
    "  -T, --format=FORMAT  dot, svg, png or pdf; default: the ending of the output's name, or\n"
    "                       dot if it has none\n"
    "  -o, --output=FILE    write to FILE instead of standard output\n"
    "  -f, --force          replace FILE if it exists\n"
    "      --max-nodes=N    draw at most N nodes (default 60); all threads are drawn anyway\n"
    "  -h, --help           print this text\n"
    "  -V, --version        print the version\n"
    "\n"
    "Exit status: 0 all is well, 1 an error, 2 wrong usage, 3 the file is damaged or holds an\n"
    "incomplete run.\n";

static const char *const formats[] = {"dot", "svg", "png", "pdf", NULL};
enum { FORMAT_DOT, FORMAT_SVG };

struct request {
    const char *path, *output;
    int format;                /* index of formats; -1: not given */
    uint32_t max_nodes;
    bool force;
};

enum { OPT_MAX_NODES = 0x100 };
static const struct option options[] = {
    {"format", required_argument, NULL, 'T'},
    {"output", required_argument, NULL, 'o'},
    {"force", no_argument, NULL, 'f'},
    {"max-nodes", required_argument, NULL, OPT_MAX_NODES},
    TOOL_OPTIONS
};

static uint32_t max_nodes_argument(const char *text)
{
    uint64_t n = tool_count_argument("--max-nodes", text);

    if (n < 1 || n > 1000000)
        tool_usage("--max-nodes: `%s` is not between 1 and 1M", text);
    return n;
}

/* The format of an output's suffix. */
static int format_of(const char *output)
{
    const char *slash = strrchr(output, '/'), *dot = strrchr(slash ? slash : output, '.');

    if (!dot || strcasecmp(dot, ".gv") == 0)
        return FORMAT_DOT;
    for (int i = 0; formats[i]; i++)
        if (strcasecmp(dot + 1, formats[i]) == 0)
            return i;
    tool_usage("-o: `%s` ends with none of .dot, .gv, .svg, .png, .pdf; -T says the format",
               output);
}

static struct request parse_options(int argc, char **argv)
{
    struct request r = {.format = -1, .max_nodes = 60, .output = "-"};
    int option;

    while ((option = tool_option(argc, argv, "T:o:fhV", options)) != -1)
        switch (option) {
        case 'T': r.format = tool_choice_argument("-T", optarg, formats); break;
        case 'o': r.output = optarg; break;
        case 'f': r.force = true; break;
        case OPT_MAX_NODES: r.max_nodes = max_nodes_argument(optarg); break;
        case 'h': tool_help(help);
        case 'V': tool_version();
        }
    if (argc - optind != 1)
        tool_usage(argc == optind ? "no file given" : "more than one file given");
    r.path = argv[optind];
    if (r.format < 0)
        r.format = format_of(r.output);
    if (r.format > FORMAT_SVG && strcmp(r.output, "-") == 0)
        tool_refuse_terminal(STDOUT_FILENO, formats[r.format]);
    return r;
}

struct bytes { char *data; size_t size; };

/* The graph in Graphviz' language; dies without memory. */
static struct bytes draw_text(const wpp *w, uint32_t max_nodes)
{
    struct picture picture;
    struct bytes text = {0};
    FILE *out = open_memstream(&text.data, &text.size);

    if (!out || !picture_new(w, max_nodes, &picture))
        tool_die(TOOL_ERROR, "out of memory");
    dot_text_write(out, w, &picture);
    picture_free(&picture);
    if (fclose(out) != 0)
        tool_die(TOOL_ERROR, "out of memory");
    return text;
}

/* Dies after an error of Graphviz and leaves no file. */
_Noreturn static void give_up(struct wpp_output *out, const char *format)
{
    wpp_output_abandon(out);
    tool_warn("Graphviz cannot draw the graph as %s; are its plugins installed (Debian: graphviz)?",
              format);
    _exit(TOOL_ERROR);
}

/* Lays the graph out and renders it.  Graphviz keeps its memory until the process ends, and so
 * do we. */
static struct bytes render(struct wpp_output *out, const char *text, const char *format)
{
    GVC_t *context = gvContext();
    struct bytes image = {0};
    graphviz_length size = 0;
    Agraph_t *graph;

    agseterr(AGERR);
    graph = context ? agmemread(text) : NULL;
    if (!graph || gvLayout(context, graph, "dot") != 0
        || gvRenderData(context, graph, format, &image.data, &size) != 0 || !image.data)
        give_up(out, format);
    image.size = size;
    return image;
}

/* Returns the exit status, because a process that has rendered must not end by exit(). */
static int write_result(struct wpp_output *out, struct bytes data)
{
    struct wpp_error error;
    bool written = wpp_output_write(out, data.data, data.size, &error);

    if (!written)
        wpp_output_abandon(out);
    if (written && wpp_output_commit(out, &error))
        return TOOL_OK;
    tool_warn("%s", error.text);
    return tool_exit_status(error.status);
}

int main(int argc, char **argv)
{
    struct request r;
    struct wpp_output *out;
    struct bytes result;
    int status;
    wpp *w;

    tool_init("wpp-dot");
    r = parse_options(argc, argv);
    w = tool_open(r.path);
    tool_need_order(r.path, w);
    out = tool_output(r.output, r.force, r.path);
    result = draw_text(w, r.max_nodes);
    if (r.format != FORMAT_DOT)
        result = render(out, result.data, formats[r.format]);
    /* Not exit(): libraries of Graphviz (fontconfig, pango) have slow destructors, and leak
     * checkers complain of their memory. */
    status = tool_finish(write_result(out, result));
    if (status == TOOL_OK)
        tool_say_changed_sources(w);
    _exit(status != TOOL_OK ? status : tool_say_incomplete(r.path, w));
}
