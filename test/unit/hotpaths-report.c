/* SPDX-License-Identifier: MIT */
/* hotpaths-report.c - how hot subpaths are told: depths, repetitions, lines,
 * text and JSON, on a small run made by hand. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hotpaths/report/answer-place.h"
#include "hotpaths/report/executed-lines.h"
#include "hotpaths/report/outline.h"
#include "hotpaths/report/report.h"
#include "test/unit/tap.h"
#include "wpp/format/content.h"

/* ---- The run ---------------------------------------------------------------------- */

static const char source[] =
    "int step(int x)\n"                 /* 1 */
    "{\n"
    "    if (x & 1)\n"                  /* 3 */
    "\tx = 3 * x + 1;\n"
    "    else\n"                        /* 5 */
    "        x /= 2;\n"
    "    return x;\n"                   /* 7 */
    "}\n"
    "\n"
    "int main(void)\n"                  /* 10 */
    "{\n"
    "    int x = 27;\n"                 /* 12 */
    "\n"
    "    while (x != 1)\n"              /* 14 */
    "        x = step(x);\n"
    "    return 0;\n"                   /* 16 */
    "}\n";

#define LINES(...) (const struct wpp_line[]){ __VA_ARGS__ }
#define AT(line) { "demo.c", line, 0 }
#define NOWHERE UINT32_MAX

static const struct wpp_block step_blocks[] = {
    { 0 }, { 0 },
    { 2, 1, LINES(AT(3)) }, { 3, 1, LINES(AT(4)) }, { 2, 1, LINES(AT(6)) },
    { 1, 1, LINES(AT(7)) },
};
static const struct wpp_edge step_edges[] = {
    { 0, 2, WPP_EDGE_REAL, NOWHERE, 0 }, { 2, 3, WPP_EDGE_REAL, NOWHERE, 0 },
    { 2, 4, WPP_EDGE_REAL, NOWHERE, 1 }, { 3, 5, WPP_EDGE_REAL, NOWHERE, 0 },
    { 4, 5, WPP_EDGE_REAL, NOWHERE, 0 }, { 5, 1, WPP_EDGE_REAL, NOWHERE, 0 },
};
static const struct wpp_block main_blocks[] = {
    { 0 }, { 0 },
    { 1, 1, LINES(AT(12)) }, { 1, 1, LINES(AT(14)) }, { 2, 1, LINES(AT(15)) },
    { 1, 2, LINES({ "step.h", 3, 2 }, AT(15)) }, { 1, 2, LINES(AT(16), AT(17)) },
};
static const struct wpp_edge main_edges[] = {
    { 0, 2, WPP_EDGE_REAL, NOWHERE, 0 }, { 0, 3, WPP_EDGE_START, NOWHERE, 2 },
    { 0, 5, WPP_EDGE_START, NOWHERE, 4 }, { 2, 3, WPP_EDGE_REAL, NOWHERE, 0 },
    { 3, 4, WPP_EDGE_REAL, NOWHERE, 0 }, { 3, 6, WPP_EDGE_REAL, NOWHERE, 1 },
    { 4, 1, WPP_EDGE_END_CALL, 5, 0 }, { 5, 1, WPP_EDGE_END_BACK, 3, 0 },
    { 6, 1, WPP_EDGE_REAL, NOWHERE, 0 },
};
/* Code of `deep`, in `outer`, stands in main. */
static const struct wpp_inlined main_inlined[] = {
    { "outer", NULL, "demo.c", 14, 0 }, { "_Z4deepi", NULL, "outer.h", 9, 1 },
};
static const struct wpp_routine routines[] = {
    { .name = "main", .file = "demo.c", .line = 10, .num_paths = 5, .n_blocks = 7,
      .blocks = main_blocks, .n_edges = 9, .edges = main_edges,
      .n_inlined = 2, .inlined = main_inlined },
    { .name = "step", .file = "demo.c", .line = 1, .num_paths = 2, .n_blocks = 6,
      .blocks = step_blocks, .n_edges = 6, .edges = step_edges },
};

/* Terminals by first execution. */
enum { ENTER_MAIN, ODD, BACK, AGAIN, EVEN, LEAVE_MAIN, RAW };
static const struct wpp_terminal_content terminals[] = {
    { 20, 0, 0, 0 }, { 30, 1, 0, 0 }, { 24, 0, 0, 0 }, { 22, 0, 0, 0 }, { 31, 1, 0, 0 }, { 23, 0, 0, 0 },
    { 7, WPP_NO_ROUTINE, 0, 0 },
};

/* main, then step for odd and even x in turn, 24 times, and once more:
 *      0 -> ODD BACK AGAIN   1 -> EVEN BACK AGAIN   2 -> 0 1   3 -> 2 2   4 -> 3 3
 *      start -> ENTER_MAIN 4 4 4 ODD BACK LEAVE_MAIN RAW */
#define R(n) (WPP_RULE | (n))
static const uint32_t symbols[] = {
    ODD, BACK, AGAIN, EVEN, BACK, AGAIN, R(0), R(1), R(2), R(2), R(3), R(3),
    ENTER_MAIN, R(4), R(4), R(4), ODD, BACK, LEAVE_MAIN, RAW
};
static const uint64_t body[] = { 0, 3, 6, 8, 10, 12, 20 };
static const uint64_t length[] = { 3, 3, 6, 12, 24, 77 };

static char directory[4096];

static void write_file(const char *name, const void *data, size_t size)
{
    FILE *f = fopen(name, "w");

    if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        abort();
}

static wpp *make_run(void)
{
    struct wpp_module_content module = { .path = "/opt/demo", .n_routines = 2 };
    struct wpp_unit_content unit = { .compiler = "GNU C++17", .source = "demo.c",
                                     .directory = directory };
    struct wpp_routine_content routine[] = { { 0, 20, &routines[0] }, { 0, 30, &routines[1] } };
    struct wpp_thread thread = { .tid = 1, .name = "demo", .tokens = 77 };
    struct wpp_content content = {
        .run = { .program = "/opt/demo", .command = "demo \"x\"", .host = "h", .complete = true },
        .n_modules = 1, .n_units = 1, .n_routines = 2, .n_terminals = 7, .n_threads = 1,
        .modules = &module, .units = &unit, .routines = routine, .terminals = terminals,
        .threads = &thread,
        .grammar = { .n_terminals = 7, .n_rules = 5, .n_threads = 1, .body = body,
                     .symbols = symbols, .length = length },
    };
    struct wpp_bytes bytes = { 0 };
    struct wpp_error error;
    wpp *w;

    if (!wpp_content_encode(&content, &bytes, &error))
        abort();
    write_file("demo.wpp", bytes.data, bytes.size);
    wpp_bytes_free(&bytes);
    w = wpp_open("demo.wpp", &error);
    if (!w) {
        tap_note("%s", error.text);
        abort();
    }
    return w;
}

/* ---- Depths and repetitions ------------------------------------------------------------ */

/* A outline as text: `terminal@depth`, `+` when called, `-` when leaving. */
static void expect_story(const char *name, const wpp *w, const char *wanted, uint32_t n,
                         const uint32_t *path)
{
    struct outline s;
    char got[256] = "";

    if (!outline_make(&s, w, path, n))
        abort();
    for (size_t i = 0; i < s.n; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%u@%u%s%s", i ? " " : "",
                 s.steps[i].terminal, s.steps[i].depth, s.steps[i].called ? "+" : "",
                 s.steps[i].leaves ? "-" : "");
    if (!tap_ok(strcmp(got, wanted) == 0, "%s", name))
        tap_note("got '%s', wanted '%s'", got, wanted);
    outline_free(&s);
}

static void outlines(const wpp *w)
{
    expect_story("a call and its return", w, "0@0 1@1+- 2@0 3@0 4@1+-", 5,
                 (uint32_t[]){ ENTER_MAIN, ODD, BACK, AGAIN, EVEN });
    expect_story("a subpath that begins in the callee", w, "1@1- 2@0 5@0-", 3,
                 (uint32_t[]){ ODD, BACK, LEAVE_MAIN });
    expect_story("the caller's caller is below", w, "1@2- 5@1- 3@0", 3,
                 (uint32_t[]){ ODD, LEAVE_MAIN, AGAIN });
    expect_story("recursion", w, "0@0 0@1+ 0@2+ 5@2- 5@1- 5@0-", 6,
                 (uint32_t[]){ ENTER_MAIN, ENTER_MAIN, ENTER_MAIN, LEAVE_MAIN, LEAVE_MAIN,
                               LEAVE_MAIN });
    expect_story("neighbours that are called from outside the subpath", w, "1@0- 4@0-", 2,
                 (uint32_t[]){ ODD, EVEN });
    expect_story("symbols without a routine stay where they are", w, "0@0 6@0 1@1+- 6@1 2@0", 5,
                 (uint32_t[]){ ENTER_MAIN, RAW, ODD, RAW, BACK });
}

static void expect_repeat(const char *name, const char *text, size_t period, size_t count)
{
    struct outline s = { .n = strlen(text) };
    struct outline_repeat got;

    s.steps = calloc(s.n, sizeof *s.steps);
    for (size_t i = 0; i < s.n; i++)
        s.steps[i] = (struct outline_step){ .terminal = (uint32_t)text[i],
                                            .depth = text[i] < 'a' };
    got = outline_repeat_at(&s, 0, s.n);
    if (!tap_ok(got.period == period && got.count == count, "%s: %s", name, text))
        tap_note("got %zu times a period of %zu", got.count, got.period);
    outline_free(&s);
}

static void repeats(void)
{
    expect_repeat("one step", "a", 1, 1);
    expect_repeat("nothing repeats", "abcd", 1, 1);
    expect_repeat("a run", "aaaab", 1, 4);
    expect_repeat("a period and a rest", "abcabcabca", 3, 3);
    expect_repeat("the shortest period of those that cover most", "abababab", 2, 4);
    expect_repeat("a repetition that holds another", "aabaab", 3, 2);
    expect_repeat("only what begins here", "abbbb", 1, 1);
}

/* ---- Lines ------------------------------------------------------------------------------- */

static void lines(const wpp *w)
{
    struct executed_lines p;

    if (!executed_lines_of(&p, w, BACK))
        abort();
    tap_ok(p.n_files == 2 && strcmp(p.files[0].name, "demo.c") == 0 && p.files[0].n_lines == 1 &&
               p.files[0].lines[0] == 15 && strcmp(p.files[1].name, "step.h") == 0 &&
               p.files[1].n_lines == 1 && p.files[1].lines[0] == 3,
           "a path's lines by file, the routine's own first");
    tap_ok(p.files[0].inlined[0] == 0 && p.files[1].inlined[0] == 2, "and whose code they are");
    executed_lines_free(&p);
    if (!executed_lines_of_call(&p, w, BACK, 0))
        abort();
    tap_ok(p.n_files == 1 && strcmp(p.files[0].name, "demo.c") == 0 && p.files[0].n_lines == 1,
           "the routine's own alone");
    executed_lines_free(&p);
    if (!executed_lines_of_call(&p, w, BACK, 1))
        abort();
    tap_ok(p.n_files == 0, "a call all of whose code is others' has none");
    executed_lines_free(&p);
    if (!executed_lines_of(&p, w, RAW))
        abort();
    tap_ok(p.n_files == 0, "a raw symbol has no lines");
    executed_lines_free(&p);
}

static void texts(void)
{
    struct source_text *s = source_text_new(NULL);
    const char *line;
    size_t n;

    line = source_text_line(s, directory, "demo.c", 14, &n);
    tap_ok(line && n == 18 && memcmp(line, "    while (x != 1)", n) == 0,
           "a line of a source file");
    tap_ok(source_text_line(s, directory, "demo.c", 2, &n) && n == 1, "a short line");
    tap_ok(source_text_line(s, directory, "demo.c", 17, &n) && n == 1, "the last line");
    tap_ok(!source_text_line(s, directory, "demo.c", 18, &n), "no line behind it");
    tap_ok(!source_text_line(s, directory, "demo.c", 0, &n), "no line 0");
    tap_ok(source_text_line(s, directory, "open.c", 2, &n) && n == 4,
           "a last line without newline");
    tap_ok(source_text_has(s, directory, "empty.c") &&
               !source_text_line(s, directory, "empty.c", 1, &n), "an empty file");
    tap_ok(!source_text_has(s, directory, "gone.c"), "a file that is gone");
    tap_ok(source_text_is_newer(s, directory, "demo.c", 1000000000) &&
               !source_text_is_newer(s, directory, "demo.c", UINT64_MAX) &&
               !source_text_is_newer(s, directory, "gone.c", 0), "a file newer than a time");
    tap_ok(!source_text_has(s, directory, "."), "a directory is no source file");
    tap_ok(!source_text_has(s, directory, "fifo"), "a FIFO is no source file, and does not block");
    source_text_free(s);
    s = source_text_new("moved");
    tap_ok(source_text_has(s, "/nowhere", "open.c"), "found below the directory named first");
    source_text_free(s);
}

/* ---- Reports ------------------------------------------------------------------------------- */

static void expect_report(const char *name, const wpp *w, bool (*print)(const struct report *),
                          size_t top, struct report r, uint64_t min_cost, uint32_t min_length,
                          const char *wanted)
{
    uint64_t cost[7];
    struct shown_list shown = { .g = wpp_grammar(w), .thread = HOT_ALL_THREADS, .cost = cost };
    struct answers answers;
    struct hot_config c = { .size = sizeof c, .min_length = min_length, .max_length = 24,
                            .min_cost = min_cost, .wanted = 3, .thread = HOT_ALL_THREADS };
    hot_result *result;
    char *got = NULL;
    size_t size;

    for (uint32_t t = 0; t < 7; t++)
        cost[t] = wpp_terminal(w, t)->insns;
    if (hot_find(&result, wpp_grammar(w), cost, &c) != HOT_OK)
        abort();
    r.w = w;
    r.file_name = "demo.wpp";
    r.config = &c;
    r.result = result;
    if (shown_choose(&shown, result, true, top) != HOT_OK ||
        shown_outline(&shown, w, print == report_text) != HOT_OK ||
        shown_count_turns(&shown, NULL, shown.n) != HOT_OK ||
        answers_find(&answers, &shown, true, top) != HOT_OK)
        abort();
    r.shown = &shown;
    r.answers = &answers;
    r.details = answers.n < 3 ? answers.n : 3;
    r.cost_name = "insns";
    r.cost_unit = "instructions";
    r.cost_origin = "estimate of GCC";
    r.cost_says = " by GCC's estimate";
    r.sources = source_text_new(NULL);
    r.out = open_memstream(&got, &size);
    if (!r.out || !print(&r) || fclose(r.out) != 0)
        abort();
    if (!tap_ok(strcmp(got, wanted) == 0, "%s", name))
        tap_note("got:\n%s\nwanted:\n%s", got, wanted);
    free(got);
    source_text_free(r.sources);
    answers_free(&answers);
    shown_clear(&shown);
    hot_free(result);
}

/* Written by the program, then read and found right. */
static const char hottest[] =
    "demo.wpp: 1 of 2 hot subpaths make up 34.7 % of 242 instructions by GCC's estimate\n"
    "\n"
    " #     own   paths    cost   times  kind  where\n"
    " 1  34.7 %  42.6 %      84      12  loop  main  demo.c:14-15, step\n"
    "\n"
    "own    share of the run that is in this answer and in none above it\n"
    "paths  share of its paths in the whole run, also apart and in another order\n"
    "cost   of the answer, in instructions\n"
    "times  executions of its first alternative, at least\n"
    "kind   loop; calls: a chain of calls; straight: code of one routine\n"
    "where  function and lines, then other routines it runs through; `f in g`: f was inlined into g\n"
    "\n"
    " 1  34.7 %  loop  main  demo.c:14-15, step\n"
    "    84 instructions = 12 times 7, 2 paths\n"
    "       step  demo.c:3-4,7  path 0  returns\n"
    "              3 * if (x & 1)\n"
    "              4 *     x = 3 * x + 1;\n"
    "              5   else\n"
    "              6       x /= 2;\n"
    "              7 * return x;\n"
    "    main  demo.c:15 step.h:3  path 4\n"
    "       deep, inlined at outer.h:9, step.h:\n"
    "           3 * #define STEP step\n"
    "       demo.c:\n"
    "          15 * x = step(x);\n"
    "\n"
    "1 more: --top=2 shows all\n";

static const char folded[] =
    "demo.wpp: 1 hot subpath makes up 65.7 % of 242 instructions by GCC's estimate\n"
    "\n"
    " #     own   paths    cost   times  kind  where\n"
    " 1  65.7 %  97.1 %     159       3  loop  main  demo.c:14-15, step\n"
    "\n"
    "own    share of the run that is in this answer and in none above it\n"
    "paths  share of its paths in the whole run, also apart and in another order\n"
    "cost   of the answer, in instructions\n"
    "times  executions of its first alternative, at least\n"
    "kind   loop; calls: a chain of calls; straight: code of one routine\n"
    "where  function and lines, then other routines it runs through; `f in g`: f was inlined into g\n"
    "The other 34.3 %: sequences that cost less than 60 each (--min-cost=60). Routines and loops of the whole run: wpp-report.\n"
    "x N (least/mean/most): N times here; so many in a row in the whole run\n"
    "\n"
    " 1  65.7 %  loop  main  demo.c:14-15, step\n"
    "    159 instructions = 3 times 53, 16 paths\n"
    "    x 2 (12/12/12):\n"
    "          step  demo.c:3-4,7  path 0  returns\n"
    "                 3 * if (x & 1)\n"
    "                 4 *     x = 3 * x + 1;\n"
    "                 5   else\n"
    "                 6       x /= 2;\n"
    "                 7 * return x;\n"
    "       main  demo.c:15 step.h:3  path 4\n"
    "          deep, inlined at outer.h:9, step.h:\n"
    "              3 * #define STEP step\n"
    "          demo.c:\n"
    "             15 * x = step(x);\n"
    "       main  demo.c:14-15  path 2\n"
    "             14 * while (x != 1)\n"
    "             15 *     x = step(x);\n"
    "       -> step  demo.c:3,6-7  path 1  returns\n"
    "                 3 * if (x & 1)\n"
    "                 4       x = 3 * x + 1;\n"
    "                 5   else\n"
    "                 6 *     x /= 2;\n"
    "                 7 * return x;\n"
    "       main  demo.c:15 step.h:3  path 4\n"
    "       main  demo.c:14-15  path 2\n"
    "    then:\n"
    "    -> step  demo.c:3-4,7  path 0  returns\n"
    "    main  demo.c:15 step.h:3  path 4\n"
    "    main  demo.c:14-15  path 2\n"
    "    -> step  demo.c:3,6-7  path 1  returns\n";

static const char chosen[] =
    "demo.wpp: 1 of 2 hot subpaths make up 44.6 % of 242 instructions by GCC's estimate\n"
    "\n"
    "\033[1m #     own   paths    cost   times  kind  where\033[0m\n"
    "\033[1m 1  44.6 %\033[0m  64.9 %     108      12  loop  \033[1;36mmain\033[0m  demo.c:14-15, step\n"
    "\n"
    "\033[2mown    share of the run that is in this answer and in none above it\n"
    "paths  share of its paths in the whole run, also apart and in another order\n"
    "cost   of the answer, in instructions\n"
    "times  executions of its first alternative, at least\n"
    "kind   loop; calls: a chain of calls; straight: code of one routine\n"
    "where  function and lines, then other routines it runs through; `f in g`: f was inlined into g\n"
    "\033[0m\n"
    "\033[1m 1  44.6 %  loop\033[0m  \033[1;36mmain\033[0m  demo.c:14-15, step\n"
    "    108 instructions = 12 times 9, 3 paths\n"
    "       \033[1;36mstep\033[0m  demo.c:3,6-7  \033[2mpath 1\033[0m  returns\n"
    "          \033[2m    3\033[0m \033[32m*\033[0m if (x & 1)\n"
    "          \033[2m    4\033[0m \033[32m \033[0m \033[2m    x = 3 * x + 1;\033[0m\n"
    "          \033[2m    5\033[0m \033[32m \033[0m \033[2melse\033[0m\n"
    "          \033[2m    6\033[0m \033[32m*\033[0m     x /= 2;\n"
    "          \033[2m    7\033[0m \033[32m*\033[0m return x;\n"
    "    \033[1;36mmain\033[0m  demo.c:15 step.h:3  \033[2mpath 4\033[0m\n"
    "       \033[2mdeep, inlined at outer.h:9, step.h:\033[0m\n"
    "       \033[2m    3\033[0m \033[32m*\033[0m #define STEP step\n"
    "       \033[2mdemo.c:\033[0m\n"
    "       \033[2m   15\033[0m \033[32m*\033[0m x = step(x);\n"
    "    \033[1;36mmain\033[0m  demo.c:14-15  \033[2mpath 2\033[0m\n"
    "       \033[2m   14\033[0m \033[32m*\033[0m while (x != 1)\n"
    "       \033[2m   15\033[0m \033[32m*\033[0m     x = step(x);\n"
    "\n"
    "1 more: --top=2 shows all\n";

static const char narrow[] =
    "demo.wpp: 1 hot subpath makes up 65.7 %\n"
    "of 242 instructions by GCC's estimate\n"
    "\n"
    " #     own   paths    cost   times  kind  where\n"
    " 1  65.7 %  97.1 %     159       3  loop  demo.c:14-15\n"
    "\n"
    "own    share of the run that is in this\n"
    "       answer and in none above it\n"
    "paths  share of its paths in the whole\n"
    "       run, also apart and in another\n"
    "       order\n"
    "cost   of the answer, in instructions\n"
    "times  executions of its first\n"
    "       alternative, at least\n"
    "kind   loop; calls: a chain of calls;\n"
    "       straight: code of one routine\n"
    "where  function and lines, then other\n"
    "       routines it runs through; `f in\n"
    "       g`: f was inlined into g\n"
    "The other 34.3 %: sequences that cost\n"
    "less than 60 each (--min-cost=60).\n"
    "Routines and loops of the whole run:\n"
    "wpp-report.\n"
    "x N (least/mean/most): N times here; so\n"
    "many in a row in the whole run\n"
    "\n"
    " 1  65.7 %  loop  main  demo.c:14-15\n"
    "    159 instructions = 3 times 53, 16\n"
    "    paths\n"
    "    x 2 (12/12/12):\n"
    "          step  demo.c:3-7  path 0  returns\n"
    "                 3 * if (x & 1)\n"
    "                 4 *     x = 3 * x + 1;\n"
    "                 5   else\n"
    "                 6       x /= 2;\n"
    "                 7 * return x;\n"
    "       main  demo.c:15 step.h:3  path 4\n"
    "          deep, inlined at outer.h:9, step.h:\n"
    "              3 * #define STEP step\n"
    "          demo.c:\n"
    "             15 * x = step(x);\n"
    "       main  demo.c:14-15  path 2\n"
    "             14 * while (x != 1)\n"
    "             15 *     x = step(x);\n"
    "       -> step  demo.c:3-7  path 1  returns\n"
    "                 3 * if (x & 1)\n"
    "                 4       x = 3 * x + 1;\n"
    "                 5   else\n"
    "                 6 *     x /= 2;\n"
    "                 7 * return x;\n"
    "       main  demo.c:15 step.h:3  path 4\n"
    "       main  demo.c:14-15  path 2\n"
    "    then:\n"
    "    -> step  demo.c:3-7  path 0  returns\n"
    "    main  demo.c:15 step.h:3  path 4\n"
    "    main  demo.c:14-15  path 2\n"
    "    -> step  demo.c:3-7  path 1  returns\n";

static const char json[] =
    "{\n"
    "  \"file\": \"demo.wpp\",\n"
    "  \"program\": \"/opt/demo\",\n"
    "  \"command\": \"demo \\\"x\\\"\",\n"
    "  \"complete\": true,\n"
    "  \"changed_sources\": [],\n"
    "  \"thread\": null,\n"
    "  \"algorithm\": \"larus\",\n"
    "  \"frequencies\": \"lower bounds\",\n"
    "  \"cost\": \"insns\",\n"
    "  \"cost_origin\": \"estimate of GCC\",\n"
    "  \"total_cost\": 242,\n"
    "  \"min_cost\": 100,\n"
    "  \"min_length\": 4,\n"
    "  \"max_length\": 24,\n"
    "  \"found\": 1,\n"
    "  \"subpaths\": [\n"
    "    {\"rank\": 1, \"cost\": 180, \"share\": 0.743802, \"frequency\": 12,\n"
    "     \"unit_cost\": 15, \"length\": 4, \"own_cost\": 180, \"pieces\": 12, \"period\": 4,\n"
    "     \"turn\": 0, \"rotations\": 1, \"group\": 1,\n"
    "     \"loop\": null,\n"
    "     \"folds\": [],\n"
    "     \"paths\": [\n"
    "        {\"terminal\": 1, \"token\": 30, \"routine\": \"step\", \"name\": \"step\", \"path\": 0, \"depth\": 1,\n"
    "         \"enters\": true, \"leaves\": true, \"insns\": 6, \"blocks\": 3,\n"
    "         \"lines\": [{\"file\": \"demo.c\", \"ranges\": [[3, 4], [7, 7]]}],\n"
    "         \"inlined\": []},\n"
    "        {\"terminal\": 2, \"token\": 24, \"routine\": \"main\", \"name\": \"main\", \"path\": 4, \"depth\": 0,\n"
    "         \"enters\": false, \"leaves\": false, \"insns\": 1, \"blocks\": 1,\n"
    "         \"lines\": [{\"file\": \"demo.c\", \"ranges\": [[15, 15]]}, {\"file\": \"step.h\", \"ranges\": [[3, 3]]}],\n"
    "         \"inlined\": [\n"
    "           {\"routine\": \"outer\", \"name\": \"outer\", \"caller\": null, \"file\": \"demo.c\", \"line\": 14,\n"
    "            \"lines\": []},\n"
    "           {\"routine\": \"_Z4deepi\", \"name\": \"deep(int)\", \"caller\": 0, \"file\": \"outer.h\", \"line\": 9,\n"
    "            \"lines\": [{\"file\": \"step.h\", \"ranges\": [[3, 3]]}]}]},\n"
    "        {\"terminal\": 3, \"token\": 22, \"routine\": \"main\", \"name\": \"main\", \"path\": 2, \"depth\": 0,\n"
    "         \"enters\": false, \"leaves\": false, \"insns\": 3, \"blocks\": 2,\n"
    "         \"lines\": [{\"file\": \"demo.c\", \"ranges\": [[14, 15]]}],\n"
    "         \"inlined\": []},\n"
    "        {\"terminal\": 4, \"token\": 31, \"routine\": \"step\", \"name\": \"step\", \"path\": 1, \"depth\": 1,\n"
    "         \"enters\": true, \"leaves\": true, \"insns\": 5, \"blocks\": 3,\n"
    "         \"lines\": [{\"file\": \"demo.c\", \"ranges\": [[3, 3], [6, 7]]}],\n"
    "         \"inlined\": []}\n"
    "     ]}\n"
    "  ]\n"
    "}\n";

static const char csv[] =
    "rank,share,own_cost,cost,frequency,unit_cost,length,period,turn,rotations,file,line,routines,"
    "terminals,by_thread,covered,rows,min_turns,mean_turns,max_turns,group,paths\r\n"
    "1,0.347107,84,84,12,7,2,2,0,1,\"demo.c\",3,\"step; main\",1 2,,,,,,,1,\"step/0; main/4\"\r\n"
    "2,0.297521,72,72,12,6,2,2,0,1,\"demo.c\",3,\"step; main\",4 2,,,,,,,2,\"step/1; main/4\"\r\n";

/* ---- Kinds and places --------------------------------------------------------------------- */

static void expect_place(const char *name, const wpp *w, uint32_t n, const uint32_t *path,
                         struct answer_scope scope, const char *wanted)
{
    uint64_t cost[7] = { 1, 1, 1, 1, 1, 1, 1 };
    struct shown s = { .path = { .terminals = path, .length = n } };
    struct answer_place p;
    char got[200];

    if (!outline_make(&s.outline, w, path, n))
        abort();
    s.scope = answer_scope(w, &s.outline, n);
    if (!answer_place_of(&p, w, cost, &s, false))
        abort();
    snprintf(got, sizeof got, "%s %s%s%s%s %s:%u-%u %s", answer_kind_name(answer_kind(w, &s)), p.symbol,
             p.function ? p.function : "", p.outer ? " in " : "", p.outer ? p.outer : "",
             p.file ? p.file : "", p.first, p.last, p.n_others ? p.others[0] : "");
    if (!tap_ok(strcmp(got, wanted) == 0, "%s", name))
        tap_note("got '%s', wanted '%s'", got, wanted);
    tap_ok(s.scope.routine == scope.routine && s.scope.header == scope.header, "%s: its scope",
           name);
    answer_place_free(&p);
    outline_free(&s.outline);
}

static void places(const wpp *w)
{
    struct answer_scope loop = { 0, 3 }, in_main = { 0, SCOPE_NO_LOOP };
    struct answer_scope in_step = { 1, SCOPE_NO_LOOP };

    expect_place("a path that ends with a back edge is a loop's", w, 3,
                 (uint32_t[]){ ODD, BACK, AGAIN }, loop, "loop main demo.c:14-15 step");
    expect_place("code that was inlined stands for its call", w, 1, (uint32_t[]){ BACK }, loop,
                 "loop main demo.c:14-15 ");
    expect_place("a call without a loop", w, 2, (uint32_t[]){ AGAIN, EVEN }, in_main,
                 "calls main demo.c:14-15 step");
    expect_place("one routine", w, 1, (uint32_t[]){ EVEN }, in_step, "straight step demo.c:3-7 ");
    expect_place("the caller is named first", w, 2, (uint32_t[]){ EVEN, LEAVE_MAIN }, in_main,
                 "calls main demo.c:14-17 step");
    expect_place("a symbol", w, 1, (uint32_t[]){ RAW },
                 (struct answer_scope){ WPP_NO_ROUTINE, SCOPE_NO_LOOP }, "straight symbol 7 :0-0 ");
}

static void reports(const wpp *w)
{
    expect_report("the hottest alone", w, report_text, 1, (struct report){ 0 }, 60, 2, hottest);
    expect_report("repetitions are told once", w, report_text, 9, (struct report){ 0 }, 60, 16, folded);
    expect_report("a chosen minimal cost, in colour", w, report_text, 1,
                  (struct report){ .color = true }, 0, 1, chosen);
    expect_report("in forty columns", w, report_text, 1, (struct report){ .columns = 40 }, 60, 16,
                  narrow);
    expect_report("JSON", w, report_json, 1, (struct report){ 0 }, 100, 4, json);
    expect_report("CSV", w, report_csv, 2, (struct report){ 0 }, 60, 2, csv);
}

int main(void)
{
    const char *parent = getenv("TMPDIR");
    wpp *w;

    snprintf(directory, sizeof directory, "%s/wpp-report.XXXXXX",
             parent && *parent ? parent : "/tmp");
    if (!mkdtemp(directory) || chdir(directory) != 0 || mkdir("moved", 0700) != 0 ||
        mkfifo("fifo", 0600) != 0)
        abort();
    write_file("demo.c", source, sizeof source - 1);
    write_file("step.h", "\n\n#define STEP step\n", 20);
    write_file("open.c", "one\nlast", 8);
    write_file("moved/open.c", "one\nlast", 8);
    write_file("empty.c", "", 0);
    w = make_run();
    outlines(w);
    repeats();
    lines(w);
    texts();
    places(w);
    reports(w);
    wpp_close(w);
    unlink("demo.c");
    unlink("step.h");
    unlink("open.c");
    unlink("moved/open.c");
    unlink("empty.c");
    unlink("fifo");
    unlink("demo.wpp");
    rmdir("moved");
    rmdir(directory);
    return tap_done();
}
