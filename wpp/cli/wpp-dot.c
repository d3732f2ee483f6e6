/* SPDX-License-Identifier: MIT */
/* wpp-dot - draws a run: its calls, a routine, its grammar.
 *
 * The only file of the project that uses Graphviz (by graphviz-compat.h): libcgraph reads
 * the graph, libgvc lays it out and renders it. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "wpp/cli/tool.h"
#include "wpp/picture/call-picture-text.h"
#include "wpp/picture/routine-picture-text.h"
#include "wpp/picture/grammar-text.h"
#include "wpp/picture/graphviz-compat.h"

static const char help[] =
    "Usage: wpp-dot [OPTION]... FILE.wpp\n"
    "Draws what a recorded program did, coloured by cost: who called whom, how often, and what\n"
    "that cost.  FILE `-` is standard input.\n"
    "\n"
    "Other pictures:\n"
    "      --routine=NAME   a routine's blocks with their source, edges with counts, those that were\n"
    "                       missed, and the paths that cost most; also of a path profile\n"
    "      --grammar        the hottest part of the grammar: start rules on top, rules, and paths as\n"
    "                       leaves; files of plain symbols are drawn so in any case\n"
    "      --rule=N         one execution of rule N of the grammar\n"
    "\n"
    "  -T, --format=FORMAT  dot, svg, png or pdf; default: the ending of the output's name, or\n"
    "                       dot if it has none\n"
    "  -o, --output=FILE    write to FILE instead of standard output\n"
    "  -f, --force          replace FILE if it exists\n"
    "      --max-nodes=N    draw at most N nodes (default 60, of calls 40); what is left out is\n"
    "                       folded, and said; in a grammar, all threads are drawn anyway\n"
    "  -h, --help           print this text\n"
    "  -V, --version        print the version\n"
    "\n"
    "Exit status: 0 all is well, 1 an error, 2 wrong usage, 3 the file is damaged or holds an\n"
    "incomplete run.\n";

static const char *const formats[] = {"dot", "svg", "png", "pdf", NULL};
enum { FORMAT_DOT, FORMAT_SVG };

enum view { VIEW_CALLS, VIEW_ROUTINE, VIEW_GRAMMAR };

/* Routines that take less of the cost, with what they call, are folded. */
#define LEAST_SHARE 0.005

struct request {
    const char *path, *output;
    int format;                /* index of formats; -1: not given */
    enum view view;
    const char *routine;
    uint32_t rule;             /* PICTURE_ALL: not given */
    uint32_t max_nodes;        /* 0: not given */
    bool force;
};

enum { OPT_MAX_NODES = 0x100, OPT_ROUTINE, OPT_GRAMMAR, OPT_RULE };
static const struct option options[] = {
    {"format", required_argument, NULL, 'T'},
    {"output", required_argument, NULL, 'o'},
    {"force", no_argument, NULL, 'f'},
    {"max-nodes", required_argument, NULL, OPT_MAX_NODES},
    {"routine", required_argument, NULL, OPT_ROUTINE},
    {"grammar", no_argument, NULL, OPT_GRAMMAR},
    {"rule", required_argument, NULL, OPT_RULE},
    TOOL_OPTIONS
};

static uint32_t max_nodes_argument(const char *text)
{
    uint64_t n = tool_count_argument("--max-nodes", text);

    if (n < 1 || n > 1000000)
        tool_usage("--max-nodes: `%s` is not between 1 and 1M", text);
    return n;
}

static uint32_t rule_argument(const char *text)
{
    uint64_t n = tool_count_argument("--rule", text);

    if (n >= WPP_RULE)
        tool_usage("--rule: `%s` is no number of a rule", text);
    return (uint32_t)n;
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

static void take_option(struct request *r, int option)
{
    switch (option) {
    case 'T': r->format = tool_choice_argument("-T", optarg, formats); break;
    case 'o': r->output = optarg; break;
    case 'f': r->force = true; break;
    case OPT_MAX_NODES: r->max_nodes = max_nodes_argument(optarg); break;
    case OPT_ROUTINE: r->routine = optarg; break;
    case OPT_GRAMMAR: r->view = VIEW_GRAMMAR; break;
    case OPT_RULE: r->rule = rule_argument(optarg); break;
    case 'h': tool_help(help);
    case 'V': tool_version();
    }
}

static struct request parse_options(int argc, char **argv)
{
    struct request r = {.format = -1, .output = "-", .rule = PICTURE_ALL};
    int option;

    while ((option = tool_option(argc, argv, "T:o:fhV", options)) != -1)
        take_option(&r, option);
    if (r.routine && (r.view == VIEW_GRAMMAR || r.rule != PICTURE_ALL))
        tool_usage("--routine does not go with %s", r.rule != PICTURE_ALL ? "--rule" : "--grammar");
    if (r.rule != PICTURE_ALL)
        r.view = VIEW_GRAMMAR;
    if (r.routine)
        r.view = VIEW_ROUTINE;
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

_Noreturn static void no_memory(void)
{
    tool_die(TOOL_ERROR, "out of memory");
}

static void draw_calls(FILE *out, const wpp *w, uint32_t max_nodes)
{
    struct call_picture graph;
    struct wpp_error error;

    tool_stage("following the calls of the run");
    if (!call_picture_new(w, max_nodes ? max_nodes : 40, LEAST_SHARE, &graph, &error))
        tool_die_error(&error);
    call_picture_text_write(out, w, &graph);
    call_picture_free(&graph);
}

static void draw_grammar(FILE *out, const wpp *w, const struct request *r)
{
    struct picture picture;

    if (r->rule != PICTURE_ALL && r->rule >= wpp_grammar(w)->n_rules)
        tool_die(TOOL_ERROR, "%s: there is no rule %u; its %u rules are counted from 0", r->path, r->rule,
                 wpp_grammar(w)->n_rules);
    tool_stage("choosing rules");
    if (!picture_new(w, r->max_nodes ? r->max_nodes : 60, r->rule, &picture))
        no_memory();
    grammar_text_write(out, w, &picture);
    picture_free(&picture);
}

/* The routine that is asked for; of several, the one that costs most. */
static uint32_t choose_routine(const struct path_profile *p, const struct request *r)
{
    bool *chosen = tool_choose_routines(p->w, r->routine);
    uint32_t best = UINT32_MAX, n = 0;

    for (uint32_t i = 0; chosen && i < p->n_routines; i++)
        if (chosen[i]) {
            n++;
            best = best == UINT32_MAX || p->routine[i].cost > p->routine[best].cost ? i : best;
        }
    free(chosen);
    if (best == UINT32_MAX)
        tool_die(TOOL_ERROR, "%s: no routine `%s` was executed", r->path, r->routine);
    if (n > 1)
        tool_warn("%u routines have the name `%s`; this is the one that costs most, %s at %s:%u", n, r->routine,
                  wpp_routine(p->w, best)->shown, wpp_routine(p->w, best)->file, wpp_routine(p->w, best)->line);
    return best;
}

static void draw_routine(FILE *out, const wpp *w, const struct request *r)
{
    struct path_profile profile;
    struct routine_picture graph;

    if (!path_profile_new(&profile, w)
        || !routine_picture_new(&profile, choose_routine(&profile, r), r->max_nodes ? r->max_nodes : 60, &graph)
        || !routine_picture_text_write(out, &profile, &graph))
        no_memory();
    routine_picture_free(&graph);
    path_profile_free(&profile);
}

/* The graph in Graphviz' language; dies without memory. */
static struct bytes draw_text(const wpp *w, const struct request *r)
{
    struct bytes text = {0};
    FILE *out = open_memstream(&text.data, &text.size);

    if (!out)
        no_memory();
    switch (r->view) {
    case VIEW_CALLS: draw_calls(out, w, r->max_nodes); break;
    case VIEW_ROUTINE: draw_routine(out, w, r); break;
    case VIEW_GRAMMAR: draw_grammar(out, w, r); break;
    }
    if (fclose(out) != 0)
        no_memory();
    tool_stage_end();
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

    tool_stage("laying out the picture (--max-nodes draws less)");
    agseterr(AGERR);
    graph = context ? agmemread(text) : NULL;
    if (!graph || gvLayout(context, graph, "dot") != 0
        || gvRenderData(context, graph, format, &image.data, &size) != 0 || !image.data)
        give_up(out, format);
    tool_stage_end();
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

/* Opens the file.  Plain symbols have no calls. */
static wpp *open_for(struct request *r)
{
    struct wpp_summary s;
    wpp *w = tool_open(r->path);

    wpp_get_summary(w, &s);
    if (r->view == VIEW_ROUTINE) {
        tool_need(r->path, w, TOOL_NEED_PATHS);
        return w;
    }
    tool_need_order(r->path, w);
    if (s.n_routines == 0)
        r->view = VIEW_GRAMMAR;
    return w;
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
    w = open_for(&r);
    out = tool_output(r.output, r.force, r.path);
    result = draw_text(w, &r);
    if (r.format != FORMAT_DOT)
        result = render(out, result.data, formats[r.format]);
    /* Not exit(): libraries of Graphviz (fontconfig, pango) have slow destructors, and leak
     * checkers complain of their memory. */
    status = tool_finish(write_result(out, result));
    if (status == TOOL_OK)
        tool_say_changed_sources(w);
    _exit(status != TOOL_OK ? status : tool_say_incomplete(r.path, w));
}
