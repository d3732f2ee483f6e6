/* SPDX-License-Identifier: MIT */
/* hotpaths-answers.c - what is one answer, what each adds to those above it, whose code a line is,
 * short names, and lines that are cut at the terminal's edge. */
#include <stdlib.h>
#include <string.h>

#include "hotpaths/report/answer-groups.h"
#include "hotpaths/report/answer-shares.h"
#include "wpp/base/clipped-output.h"
#include "hotpaths/report/own-code.h"
#include "wpp/replay/short-names.h"
#include "test/unit/tap.h"

enum { TERMINALS = 26 };

/* ---- Groups --------------------------------------------------------------------------------- */

/* Strings of letters, which are terminals: `AAB`. */
static struct hot_string letters(const char *text)
{
    uint32_t *terminals = malloc(strlen(text) * sizeof *terminals + 1);

    for (size_t i = 0; text[i]; i++)
        terminals[i] = (uint32_t)(text[i] - 'A');
    return (struct hot_string){ terminals, (uint32_t)strlen(text) };
}

/* Groups subpaths, separated by blanks; a digit behind one is its loop.  `wanted`: the index of each
 * one's leader. */
static void expect_groups(const char *name, const char *subpaths, const uint64_t *cost,
                          const char *wanted)
{
    struct grouped a[10];
    char text[200], got[40] = "";
    size_t n = 0;

    strcpy(text, subpaths);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        char *digit = strpbrk(word, "0123456789");
        struct answer_scope scope = { digit ? (uint32_t)(*digit - '0') : WPP_NO_ROUTINE,
                                      SCOPE_NO_LOOP };

        if (digit)
            *digit = '\0';
        a[n++] = (struct grouped){ letters(word), scope, 99 };
    }
    if (answers_group(a, n, cost, TERMINALS) != HOT_OK)
        abort();
    for (size_t i = 0; i < n; i++) {
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%zu", i ? " " : "", a[i].leader);
        free((void *)a[i].string.terminals);
    }
    if (!tap_ok(strcmp(got, wanted) == 0, "%s: %s", name, subpaths))
        tap_note("got '%s', wanted '%s'", got, wanted);
}

static void test_groups(void)
{
    uint64_t one[TERMINALS], none[TERMINALS] = { 0 }, dear[TERMINALS];

    for (size_t i = 0; i < TERMINALS; i++)
        one[i] = dear[i] = 1;
    dear['B' - 'A'] = 9;
    expect_groups("the order of paths plays no part", "AAABCA AABCAA ABCAAA", one, "0 0 0");
    expect_groups("nor where the loop begins", "ABCABC BCABCA CABCAB", one, "0 0 0");
    expect_groups("most of what both cost is common", "AAABCA AAAAAA", one, "0 0");
    expect_groups("whichever comes first", "AAAAAA AAABCA", one, "0 0");
    expect_groups("little in common", "AAABCA ABDDDD", one, "0 1");
    expect_groups("half is not enough", "AB AC", one, "0 1");
    expect_groups("it is cost that counts, not paths", "AB CB", dear, "0 0");
    expect_groups("of both", "AAAAB B", one, "0 1");
    expect_groups("another loop", "AAB1 ABA2 BAA1 BAA2", one, "0 1 0 1");
    expect_groups("only leaders gather, so groups do not grow along chains", "AAABB AABBB BBBBB BBBCC",
                  one, "0 0 2 2");
    expect_groups("paths that cost nothing have nothing in common", "AB AB", none, "0 1");
}

/* ---- Shares --------------------------------------------------------------------------------- */

/* A run of one thread, as a grammar without rules. */
struct run {
    uint32_t symbols[400];
    uint32_t n;
    uint64_t body[2], length[1], cost[TERMINALS];
    struct wpp_grammar g;
};

static void begin_run(struct run *r)
{
    r->body[0] = 0;
    r->body[1] = r->length[0] = r->n;
    r->g = (struct wpp_grammar){ .n_terminals = TERMINALS, .n_threads = 1, .body = r->body,
                                 .symbols = r->symbols, .length = r->length };
}

static void mark_places(const struct run *r, const struct shown *s, bool *covered)
{
    for (uint32_t i = 0; i + s->path.length <= r->n; i++)
        if (memcmp(r->symbols + i, s->path.terminals, s->path.length * sizeof *r->symbols) == 0)
            memset(covered + i, true, s->path.length);
}

static uint64_t cost_of(const struct run *r, const bool *covered)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < r->n; i++)
        sum += covered[i] ? r->cost[r->symbols[i]] : 0;
    return sum;
}

/* What the group adds to what is covered. */
static uint64_t adds(const struct run *r, const struct shown_list *s, size_t group,
                     const bool *covered)
{
    bool more[400];

    memcpy(more, covered, sizeof more);
    for (size_t i = 0; i < s->n; i++)
        if (s->item[i].group == group)
            mark_places(r, &s->item[i], more);
    return cost_of(r, more) - cost_of(r, covered);
}

/* Each answer adds what it says, and no other one would add more; while all is asked. */
static bool shares_right(const struct run *r, const struct shown_list *s, const struct answers *a)
{
    bool covered[400] = { false }, nothing[400] = { false }, good = true;
    bool chosen[10] = { false };
    uint64_t sum = 0;

    for (size_t k = 0; k < a->n; k++) {
        size_t group = a->answer[k].leader;

        good &= !a->answer[k].at_most && a->answer[k].own == adds(r, s, group, covered);
        good &= a->answer[k].cost == adds(r, s, group, nothing);
        good &= a->answer[k].any_order >= a->answer[k].cost;
        for (size_t i = 0; i < s->n; i++)
            if (s->item[i].group == i && !chosen[i])
                good &= adds(r, s, i, covered) <= a->answer[k].own;
        chosen[group] = true;
        for (size_t i = 0; i < s->n; i++)
            if (s->item[i].group == group)
                mark_places(r, &s->item[i], covered);
        sum += a->answer[k].own;
    }
    return good && sum == a->own && sum == cost_of(r, covered);
}

static bool is_new(const struct shown *item, size_t n, struct hot_subpath p)
{
    for (size_t i = 0; i < n; i++)
        if (item[i].path.length == p.length &&
            memcmp(item[i].path.terminals, p.terminals, p.length * sizeof *p.terminals) == 0)
            return false;
    return true;
}

/* Up to six subpaths of the run, in up to three groups. */
static void take_subpaths(const struct run *r, struct shown_list *s)
{
    bool nothing[400] = { false };

    s->n = 0;
    for (int i = 0; i < 6; i++) {
        uint32_t length = 1 + (uint32_t)random() % 5;
        struct hot_subpath p = { .terminals = r->symbols + (uint32_t)random() % (r->n - length),
                                 .length = length };
        struct shown *item = &s->item[s->n];

        if (!is_new(s->item, s->n, p))
            continue;
        *item = (struct shown){ .path = p, .group = s->n < 3 ? s->n : (size_t)random() % 3 };
        mark_places(r, item, nothing);
        item->path.own_cost = cost_of(r, nothing);
        memset(nothing, false, sizeof nothing);
        s->n++;
    }
}

static void test_shares(void)
{
    struct shown item[6];
    struct shown_list s = { .item = item, .thread = HOT_ALL_THREADS };
    struct run r;
    bool good = true;

    srandom(3);
    s.g = &r.g;
    s.cost = r.cost;
    for (int round = 0; round < 300; round++) {
        struct answers a;
        uint32_t kinds = 2 + (uint32_t)random() % 8;

        r.n = 50 + (uint32_t)random() % 300;
        for (uint32_t i = 0; i < r.n; i++)
            r.symbols[i] = i >= 20 && random() % 4 ? r.symbols[i - 20] : (uint32_t)random() % kinds;
        for (size_t i = 0; i < TERMINALS; i++)
            r.cost[i] = (uint64_t)random() % 20;
        begin_run(&r);
        take_subpaths(&r, &s);
        if (answers_find(&a, &s, false, 10) != HOT_OK)
            abort();
        good &= shares_right(&r, &s, &a);
        answers_free(&a);
    }
    tap_ok(good, "300 random runs: each answer adds what it says, and most of those that are left");
}

/* A B stands in C A B, which costs more: it adds nothing.  D is alone. */
static void test_shares_by_hand(void)
{
    static const uint32_t strings[] = { 2, 0, 1, 0, 1, 3 };
    struct shown item[] = {
        { .path = { .terminals = strings, .length = 3, .own_cost = 9 }, .group = 0 },
        { .path = { .terminals = strings + 3, .length = 2, .own_cost = 6 }, .group = 1 },
        { .path = { .terminals = strings + 5, .length = 1, .own_cost = 2 }, .group = 2 },
    };
    struct run r = { .symbols = { 2, 0, 1, 3, 2, 0, 1, 0, 3, 2, 0, 1 }, .n = 12 };
    struct shown_list s = { .item = item, .n = 3, .thread = HOT_ALL_THREADS, .g = &r.g,
                            .cost = r.cost };
    struct answers a;

    for (size_t i = 0; i < TERMINALS; i++)
        r.cost[i] = 1;
    begin_run(&r);
    if (answers_find(&a, &s, false, 10) != HOT_OK)
        abort();
    tap_ok(a.n == 3 && a.own == 11 && a.answer[0].own == 9 && a.answer[0].any_order == 10,
           "the first answer is all its own");
    tap_ok(a.answer[1].leader == 2 && a.answer[1].own == 2, "what adds more comes before");
    tap_ok(a.answer[2].leader == 1 && a.answer[2].own == 0 && a.answer[2].cost == 6,
           "what adds nothing is last, whatever it costs");
    answers_free(&a);
    if (answers_find(&a, &s, false, 1) != HOT_OK)
        abort();
    tap_ok(a.n == 1 && a.own == 9 && a.n_subpaths == 1, "only as many as are asked for");
    answers_free(&a);
    if (answers_find(&a, &s, true, 10) != HOT_OK)
        abort();
    tap_ok(a.n == 3 && a.own == 17, "what is known to be disjoint is added up");
    answers_free(&a);
}

/* ---- Own code ------------------------------------------------------------------------------- */

static void test_own_files(void)
{
    static const struct { const char *directory, *file; bool system; } files[] = {
        { "/home/you", "main.c", false },
        { "/home/you", "/usr/include/ctype.h", true },
        { "/home/you", "/usr/local/include/zlib.h", true },
        { "/home/you", "/usr/lib/gcc/x86_64-linux-gnu/12/include/emmintrin.h", true },
        { "/home/you", "/usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/map", true },
        { "/home/you", "/opt/gcc-13/include/c++/13/bits/stl_tree.h", true },
        { "/home/you", "/opt/gcc-13/lib/gcc/x86_64-linux-gnu/13/include/stddef.h", true },
        { "/home/you/usr", "include/mine.h", false },
        { "/usr/src/prog", "../../include/ctype.h", true },
        { "/usr/src/prog", "../include/mine.h", false },
        { "/home/you", "/usr/includes/x.h", false },
        { "/home/you", "./src//../usr/include/x.h", false },
        { "", "main.c", false },
    };
    bool good = true;

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (own_code_is_system_file(files[i].directory, files[i].file) != files[i].system) {
            good = false;
            tap_note("%s in %s", files[i].file, files[i].directory);
        }
    tap_ok(good, "which files are system headers");
}

/* main:5 calls map::at, that (map:7) tree::find, that (tree:9) the user's less. */
static void test_fold(void)
{
    static const struct wpp_inlined inlined[] = {
        { "at", "at", "main.cc", 5, 0 }, { "find", "find", "/usr/include/c++/12/map", 7, 1 },
        { "less", "less", "/usr/include/c++/12/tree", 9, 2 }, { "lost", "lost", "", 0, 0 },
    };
    struct wpp_routine r = { .file = "main.cc", .directory = "/home/you", .n_inlined = 4,
                             .inlined = inlined };
    struct wpp_line line = { "/usr/include/c++/12/tree", 20, 2 };

    tap_ok(own_code_fold(&r, &line) && strcmp(line.file, "main.cc") == 0 && line.line == 5 &&
               line.inlined == 0, "code of a system header stands for the call of it");
    line = (struct wpp_line){ "less.h", 3, 3 };
    tap_ok(own_code_fold(&r, &line) && strcmp(line.file, "less.h") == 0 && line.inlined == 3,
           "own code that a system header calls is own code");
    line = (struct wpp_line){ "/usr/include/x.h", 3, 4 };
    tap_ok(!own_code_fold(&r, &line) && line.line == 3, "where the call is not known it stays");
    line = (struct wpp_line){ "/usr/include/x.h", 3, 0 };
    tap_ok(!own_code_fold(&r, &line), "so does a system header's routine");
}

/* ---- Names -------------------------------------------------------------------------------------- */

static void test_names(void)
{
    static const char *const names[] = { "f(int)", "f(double)", "g<int>(int)", "g<int>(int)", "h.isra.0",
                                         "k.part.0", "k" };
    static const char *const shorter[] = { "f(int)", "f(double)", "g", "g", "h", "k.part.0", "k" };
    struct short_names *s = short_names_new(false), *full = short_names_new(true);
    bool good = true, same = true;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!short_names_add(s, names[i]) || !short_names_add(full, names[i]))
            abort();
    if (!short_names_settle(s) || !short_names_settle(full))
        abort();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(short_names_of(s, names[i]), shorter[i]) != 0)
            tap_note("%s is %s", names[i], short_names_of(s, names[i]));
        good &= strcmp(short_names_of(s, names[i]), shorter[i]) == 0;
        same &= strcmp(short_names_of(full, names[i]), names[i]) == 0;
    }
    tap_ok(good, "names are as short as they tell routines apart");
    tap_ok(same, "or in full");
    tap_ok(strcmp(short_names_of(s, "other<int>()"), "other<int>()") == 0, "others stay as they are");
    short_names_free(s);
    short_names_free(full);
}

/* ---- Cut lines ------------------------------------------------------------------------------------ */

static void expect_clipped(const char *name, const char *text, const char *wanted)
{
    char *got = NULL;
    size_t size;
    FILE *to = open_memstream(&got, &size), *out = clipped_open(to, 10);

    fputs(text, out);
    fclose(out);
    fclose(to);
    if (!tap_ok(strcmp(got, wanted) == 0, "%s", name))
        tap_note("got '%s'", got);
    free(got);
}

static void test_clipped(void)
{
    expect_clipped("a short line", "123456789\n", "123456789\n");
    expect_clipped("as long as may be", "1234567890\n", "1234567890\n");
    expect_clipped("longer, and the next", "12345678901\nab\n", "1234567890\nab\n");
    expect_clipped("colours take no column, and end behind the edge",
                   "\033[1;36m1234567890\033[0mx\033[2my\033[0m\n",
                   "\033[1;36m1234567890\033[0m\033[2m\033[0m\n");
    expect_clipped("a character of several bytes is one column, and whole",
                   "123456789\xc3\xbcx\n", "123456789\xc3\xbc\n");
    expect_clipped("a wide one is two", "123456789\xe4\xb8\xadx\n", "123456789\n");
    expect_clipped("a tab goes to the next stop", "\tabc\tx\n", "\tab\n");
    expect_clipped("nothing behind what did not fit", "12345678\tx\n", "12345678\n");
    tap_ok(clipped_width("a\xc3\xbc\xe4\xb8\xad", 6) == 4, "widths of text");
}

int main(void)
{
    test_groups();
    test_shares();
    test_shares_by_hand();
    test_own_files();
    test_fold();
    test_names();
    test_clipped();
    return tap_done();
}
