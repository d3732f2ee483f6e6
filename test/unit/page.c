/* SPDX-License-Identifier: MIT */
/* What the page asks (report/page.h), against the run written out.  Random recordings, most of which no
 * program could have made; or those of the files that are given. */

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "report/page.h"
#include "test/unit/random-content.h"
#include "test/unit/tap.h"

/* ---- JSON: enough of it to read what we wrote -------------------------------------------------------- */

static const char *skip_value(const char *p);

static const char *skip_string(const char *p)
{
    for (p++; *p && *p != '"'; p++) {
        if ((unsigned char)*p < ' ')
            return NULL;
        if (*p == '\\' && !strchr("\"\\u", *++p))
            return NULL;
    }
    return *p == '"' ? p + 1 : NULL;
}

static const char *blanks(const char *p)
{
    return p + strspn(p, " \n");
}

static const char *skip_list(const char *p, char end)
{
    p = blanks(p + 1);
    while (p && *p != end) {
        if (end == '}') {
            p = *p == '"' ? skip_string(p) : NULL;
            p = p ? blanks(p) : NULL;
            if (!p || *p++ != ':')
                return NULL;
        }
        p = skip_value(p);
        p = p ? blanks(p) : NULL;
        if (p && *p == ',')
            p = blanks(p + 1);
        else if (p && *p != end)
            return NULL;
    }
    return p ? p + 1 : NULL;
}

/* What comes behind a value; NULL: it is none. */
static const char *skip_value(const char *p)
{
    char *end;

    p = blanks(p);
    if (*p == '"')
        return skip_string(p);
    if (*p == '[' || *p == '{')
        return skip_list(p, *p == '[' ? ']' : '}');
    for (int i = 0; i < 3; i++) {
        static const char *const words[] = {"true", "false", "null"};

        if (strncmp(p, words[i], strlen(words[i])) == 0)
            return p + strlen(words[i]);
    }
    strtod(p, &end);
    return end > p && isdigit((unsigned char)end[-1]) ? end : NULL;
}

static bool is_json(const char *text)
{
    const char *end = text ? skip_value(text) : NULL;

    return end && *blanks(end) == 0;
}

/* The value of the first such key. */
static const char *value_of(const char *text, const char *key)
{
    char quoted[64];
    const char *p;

    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    p = strstr(text, quoted);
    return p ? blanks(p + strlen(quoted)) : NULL;
}

static double number_of(const char *text, const char *key)
{
    const char *p = value_of(text, key);

    return p ? strtod(p, NULL) : NAN;
}

/* The numbers of a list of numbers at *p, which moves behind it. */
static double *numbers(const char **p, size_t *n)
{
    double *list = malloc((strlen(*p) / 2 + 2) * sizeof *list);

    *n = 0;
    for (*p = blanks(*p + 1); **p != ']';) {
        char *end;

        list[(*n)++] = strtod(*p, &end);
        if (end == *p)
            break;
        *p = *end == ',' ? end + 1 : end;
    }
    ++*p;
    return list;
}

/* The answer of a call that writes to `out`; the caller frees it. */
#define ANSWER(text, call) do { \
        size_t size; \
        FILE *out = open_memstream(&(text), &size); \
        bool done = (call); \
        fclose(out); \
        if (!done) { free(text); (text) = NULL; } \
    } while (0)

/* ---- The timeline ------------------------------------------------------------------------------------- */

struct run {
    struct page_run *page;
    uint32_t thread;
    uint64_t n;
    uint32_t *terminal;
};

static uint64_t event_of(const struct page_view *v, uint32_t column)
{
    return (uint64_t)floor(v->from + (v->to - v->from) * column / v->columns);
}

/* Rule `what` derives the events [first, first + length). */
static bool derives(const struct run *r, double what, double first, double length)
{
    const struct wpp_grammar *g = wpp_grammar(r->page->w);
    uint32_t rule = (uint32_t)what, n = 0, stack[4096];

    if (what < 0)
        return length == 1 && r->terminal[(uint64_t)first] == (uint32_t)(-1 - what);
    if (g->length[rule] != (uint64_t)length)
        return false;
    for (uint64_t i = g->body[rule + 1]; i > g->body[rule]; i--)
        stack[n++] = g->symbols[i - 1];
    for (uint64_t e = (uint64_t)first; n > 0;) {
        uint32_t s = stack[--n];

        if (!(s & WPP_RULE)) {
            if (r->terminal[e++] != s)
                return false;
            continue;
        }
        for (uint64_t i = g->body[(s & ~WPP_RULE) + 1]; i > g->body[s & ~WPP_RULE] && n < 4000; i--)
            stack[n++] = g->symbols[i - 1];
    }
    return true;
}

/* The bars of one level lie side by side, but a bar may begin in the column that a narrower one stands for;
 * and each is what it says. */
static bool right_level(const struct run *r, const struct page_view *v, const double *bar, size_t n, bool rules)
{
    double end = 0;

    for (size_t i = 0; i < n; i += 7) {
        double first = bar[i + 3], length = bar[i + 4];
        bool sampled = bar[i + 5] != 0;

        if (bar[i] < end - 0.02 || bar[i + 1] <= bar[i] || bar[i + 1] > v->columns + 0.01)
            return false;
        if (!sampled && rules && !derives(r, bar[i + 2], first, length))
            return false;
        if (!sampled && fabs(bar[i] - fmax(0, (first - v->from) / (v->to - v->from) * v->columns)) > 0.01)
            return false;
        end = sampled ? bar[i + 1] - 1 : bar[i + 1];
    }
    return n % 7 == 0;
}

/* Whether the bar of an activation is there, in the row below those around the whole view. */
static bool has_frame(const struct wpp_frame *f, const double *bar, size_t n, uint32_t column)
{
    for (size_t i = 0; i < n; i += 7)
        if (bar[i] <= column + 0.01 && column < bar[i + 1] + 0.01 && bar[i + 2] == f->routine
            && (bar[i + 5] != 0 || (bar[i + 3] == (double)f->first && bar[i + 4] == (double)(f->end - f->first))))
            return true;
    return false;
}

static size_t frames_around(const struct wpp_frame *f, size_t n, uint64_t first, uint64_t last)
{
    size_t k = 0;

    while (k < n && f[k].first <= first && f[k].end >= last)
        k++;
    return k;
}

static bool right_calls(const struct run *r, const struct page_view *v)
{
    char *text = NULL;
    size_t n_levels = 0, n[PAGE_CALL_LEVELS], around = 0;
    double *level[PAGE_CALL_LEVELS];
    const char *p;
    bool right;

    ANSWER(text, page_calls(r->page, v, out));
    right = is_json(text) && (p = value_of(text, "calls"));
    for (p = right ? p + 1 : "]"; *p != ']'; p += *p == ',') {
        level[n_levels] = numbers(&p, &n[n_levels]);
        right = right && right_level(r, v, level[n_levels], n[n_levels], false);
        n_levels++;
    }
    for (uint32_t c = 0; right && c < v->columns; c++) {
        uint64_t e = event_of(v, c);
        struct wpp_frame *f;
        size_t depth;

        if (e >= r->n || (c > 0 && e == event_of(v, c - 1)) || !wpp_stack_at(r->page->stacks, r->thread, e, &f, &depth))
            continue;
        if (c == 0)
            around = frames_around(f, depth, e, event_of(v, v->columns));
        for (size_t i = around; right && i < depth && i - around < PAGE_CALL_LEVELS; i++)
            right = i - around < n_levels && has_frame(&f[i], level[i - around], n[i - around], c);
        free(f);
    }
    for (size_t i = 0; i < n_levels; i++)
        free(level[i]);
    free(text);
    return right;
}

/* In each column that begins with an event, the first level has a bar around it. */
static bool right_rules(const struct run *r, const struct page_view *v)
{
    char *text = NULL;
    const char *p;
    bool right;

    ANSWER(text, page_timeline(r->page, v, out));
    right = is_json(text) && number_of(text, "first") == (double)event_of(v, 0) && (p = value_of(text, "rules"));
    for (p = right ? p + 1 : "]"; *p != ']'; p += *p == ',') {
        size_t n;
        double *bar = numbers(&p, &n);

        right = right && right_level(r, v, bar, n, true);
        free(bar);
    }
    free(text);
    return right;
}

/* New paths and symbols of the whole thread, with a column for each event. */
static bool right_firsts(const struct run *r)
{
    const struct wpp_grammar *g = wpp_grammar(r->page->w);
    struct page_view v = {r->thread, false, 0, (double)r->n, (uint32_t)r->n};
    char *text = NULL;
    bool *seen = calloc(g->n_terminals + (size_t)1, 1), right;
    const char *p;
    size_t n, at = 0;
    double *list, sum = 0;

    if (r->n == 0 || r->n > PAGE_COLUMNS) {
        free(seen);
        return true;
    }
    ANSWER(text, page_timeline(r->page, &v, out));
    p = value_of(text, "new");
    list = numbers(&p, &n);
    right = is_json(text);
    for (uint64_t e = 0; right && e < r->n; e++) {
        if (!seen[r->terminal[e]]) {
            right = at + 1 < n && list[at] == (double)e && list[at + 1] == 1;
            at += 2;
        }
        seen[r->terminal[e]] = true;
    }
    right = right && at == n;
    free(list);
    p = value_of(text, "symbols");
    list = numbers(&p, &n);
    for (size_t i = 1; i < n; i += 2)
        sum += list[i];
    right = right && n == 2 * r->n && sum == (double)(g->body[g->n_rules + r->thread + 1] - g->body[g->n_rules + r->thread]);
    free(list);
    free(text);
    free(seen);
    return right;
}

static bool right_timeline(const struct run *r, struct random *random)
{
    bool right = right_firsts(r);

    for (int i = 0; right && r->n > 0 && i < 12; i++) {
        uint64_t a = draw(random, (uint32_t)r->n), b = a + 1 + draw(random, (uint32_t)(r->n - a));
        struct page_view v = {r->thread, false, i ? (double)a : 0, i ? (double)b : (double)r->n, 1 + draw(random, 300)};

        right = right_rules(r, &v) && right_calls(r, &v);
        if (!right)
            tap_note("thread %u: events %.0f to %.0f in %u columns", r->thread, v.from, v.to, v.columns);
    }
    return right;
}

/* ---- Events ---------------------------------------------------------------------------------------------- */

static bool right_events(const struct run *r, struct random *random)
{
    bool right = true;

    for (int i = 0; right && r->n > 0 && i < 30; i++) {
        uint64_t e = draw(random, (uint32_t)r->n);
        const struct wpp_terminal *t = wpp_terminal(r->page->w, r->terminal[e]);
        struct wpp_frame *f = NULL;
        size_t n = 0;
        char *text = NULL, *stack = NULL;

        ANSWER(text, page_event(r->page, r->thread, (double)e, out));
        ANSWER(stack, page_stack(r->page, r->thread, (double)e, out));
        right = is_json(text) && number_of(text, "terminal") == r->terminal[e]
             && (t->routine == WPP_NO_ROUTINE || (number_of(text, "routine") == t->routine
                                                  && number_of(text, "path") == (double)t->path))
             && is_json(stack) && wpp_stack_at(r->page->stacks, r->thread, e, &f, &n)
             && number_of(stack, "depth") == (double)n
             && (n == 0 || number_of(value_of(stack, "stack"), "routine") == f[n - 1].routine);
        free(f);
        free(text);
        free(stack);
    }
    return right;
}

/* A number of a list, one for each thread; others may be null. */
static double of_thread(const char *text, const char *key, uint32_t thread)
{
    const char *p = value_of(text, key);

    for (uint32_t i = 0; p && i < thread; i++)
        p = strchr(p + 1, ',');
    return p ? strtod(p + 1, NULL) : -1;
}

/* The first execution of what is sought, which there is, and how often, counted in some pieces. */
static bool right_counts(const struct run *r, const char *sought, uint32_t what, struct random *random)
{
    uint64_t first = 0, n = 0;
    char *text = NULL;
    bool right;

    while (r->terminal[first] != what)
        first++;
    for (uint64_t e = 0; e < r->n; e++)
        n += r->terminal[e] == what;
    right = is_json(sought) && of_thread(sought, "firsts", r->thread) == (double)first
         && (wpp_grammar(r->page->w)->n_threads > 1 || of_thread(sought, "counts", 0) == (double)n);
    do {
        free(text);
        ANSWER(text, page_seek_on(r->page, draw(random, 100), out));
    } while (strstr(text, "false"));
    right = right && is_json(text) && of_thread(text, "counts", r->thread) == (double)n;
    free(text);
    return right;
}

/* The nearest executions of a terminal. */
static bool right_seek(const struct run *r, struct random *random)
{
    bool right = true;

    for (int i = 0; right && r->n > 0 && i < 20; i++) {
        uint32_t what = r->terminal[draw(random, (uint32_t)r->n)];
        uint64_t at = draw(random, (uint32_t)r->n + 1), next = at, before = at;
        char *text = NULL;

        while (next < r->n && r->terminal[next] != what)
            next++;
        while (before > 0 && r->terminal[before - 1] != what)
            before--;
        ANSWER(text, page_seek(r->page, PAGE_PATH, what, "", 0, out));
        right = i % 2 ? right_counts(r, text, what, random) : is_json(text);
        free(text);
        ANSWER(text, page_find(r->page, r->thread, (double)at, true, out));
        right = right && is_json(text) && (next < r->n ? number_of(text, "event") == (double)next
                                                       : strncmp(value_of(text, "event"), "null", 4) == 0);
        free(text);
        ANSWER(text, page_find(r->page, r->thread, (double)at, false, out));
        right = right && is_json(text) && (before > 0 ? number_of(text, "event") == (double)(before - 1)
                                                      : strncmp(value_of(text, "event"), "null", 4) == 0);
        free(text);
    }
    return right;
}

/* ---- Rules ------------------------------------------------------------------------------------------------ */

/* The symbols of a rule, written out from its pairs; and its users. */
static bool right_rule(const struct page_run *page, uint32_t rule)
{
    const struct wpp_grammar *g = wpp_grammar(page->w);
    uint64_t at = g->body[rule], users = 0;
    char *text = NULL;
    const char *p;
    double *pair;
    size_t n;
    bool right;

    ANSWER(text, page_rule((struct page_run *)page, rule, out));
    right = is_json(text) && number_of(text, "length") == (double)g->length[rule];
    p = value_of(text, "body");
    pair = numbers(&p, &n);
    for (size_t i = 0; right && i < n; i += 2)
        for (double k = 0; right && k < pair[i + 1]; k++) {
            uint32_t s = pair[i] < 0 ? (uint32_t)(-1 - pair[i]) : (uint32_t)pair[i] | WPP_RULE;

            right = at < g->body[rule + 1] && g->symbols[at++] == s;
        }
    right = right && (n == 800 || at == g->body[rule + 1]);
    free(pair);
    for (uint32_t k = 0; k < g->n_rules + g->n_threads; k++) {
        bool uses = false;

        for (uint64_t i = g->body[k]; i < g->body[k + 1]; i++)
            uses = uses || g->symbols[i] == (rule | WPP_RULE);
        users += uses;
    }
    free(text);
    ANSWER(text, page_rule_use((struct page_run *)page, rule, out));
    right = right && is_json(text) && number_of(text, "allUsers") == (double)users;
    free(text);
    return right;
}

/* ---- All ---------------------------------------------------------------------------------------------------- */

static bool read_run(struct run *r, struct page_run *page, uint32_t thread)
{
    wpp_cursor *c = wpp_cursor_new(page->w, thread, 0);
    bool done;

    *r = (struct run){.page = page, .thread = thread, .n = wpp_thread(page->w, thread)->tokens};
    r->terminal = malloc((r->n + 1) * sizeof *r->terminal);
    done = c && wpp_cursor_read(c, r->terminal, r->n + 1) == r->n;
    wpp_cursor_free(c);
    return done;
}

/* Whatever the run is, the other answers are JSON; a tree's nodes come before their children. */
static bool others_are_json(struct page_run *page, struct page_run *other)
{
    char *text[11] = {0};
    bool right = true;

    ANSWER(text[0], page_overview(page, out));
    ANSWER(text[1], page_report(page, 10, out));
    ANSWER(text[2], page_tree(page, PAGE_TREE_ALL, 0, 0.001, out));
    ANSWER(text[3], page_tree(page, PAGE_TREE_BELOW, 1, 0.001, out));
    ANSWER(text[4], page_tree(page, PAGE_TREE_ABOVE, 1, 0.001, out));
    ANSWER(text[5], page_hot(page, 5, 10, out));
    ANSWER(text[6], page_files(page, out));
    ANSWER(text[7], page_lines(page, 0, 1, 100, out));
    ANSWER(text[8], page_lines(page, UINT32_MAX, 1, 100, out));
    ANSWER(text[9], page_graph(page, wpp_grammar(page->w)->n_rules, 3, 20, out));
    ANSWER(text[10], page_compare(page, other, 0, out));
    for (int i = 0; i < 11; i++) {
        if (!is_json(text[i]))
            tap_note("answer %d is no JSON: %.200s", i, text[i] ? text[i] : "(none)");
        right = right && is_json(text[i]);
        free(text[i]);
    }
    return right;
}

/* The trees of calls are the same from the tree of contexts and without it. */
static bool same_trees(struct page_run *page, struct random *random)
{
    char *text[9] = {0}, *made = NULL;
    bool right = true;

    for (int i = 0; i < 9; i++)
        ANSWER(text[i], page_tree(page, (enum page_tree)(i % 3), (uint32_t)i / 3, 0.001, out));
    do {
        free(made);
        ANSWER(made, page_make_contexts(page, 1 + draw(random, 100), out, NULL));
    } while (made && strstr(made, "false"));
    right = made && is_json(made);
    for (int i = 0; i < 9; i++) {
        char *again = NULL;

        ANSWER(again, page_tree(page, (enum page_tree)(i % 3), (uint32_t)i / 3, 0.001, out));
        right = right && text[i] && again && is_json(again) && strcmp(text[i], again) == 0;
        free(text[i]);
        free(again);
    }
    free(made);
    return right;
}

static bool is_right(struct page_run *page, struct random *random)
{
    const struct wpp_grammar *g = wpp_grammar(page->w);
    bool right = page_need_stacks(page, NULL);

    for (uint32_t k = 0; right && k < g->n_threads; k++) {
        struct run r;

        right = read_run(&r, page, k);
        if (right && !right_timeline(&r, random))
            right = false, tap_note("the timeline of thread %u", k);
        if (right && !right_events(&r, random))
            right = false, tap_note("an event of thread %u", k);
        if (right && !right_seek(&r, random))
            right = false, tap_note("the next one in thread %u", k);
        free(r.terminal);
    }
    if (right && !same_trees(page, random))
        right = false, tap_note("a tree of calls");
    for (uint32_t i = 0; right && i < g->n_rules + g->n_threads; i += 1 + g->n_rules / 20)
        if (!right_rule(page, i))
            right = false, tap_note("rule %u", i);
    return right;
}

/* ---- Sources -------------------------------------------------------------------------------------------------- */

static bool pack(struct wpp_bytes *out, const struct wpp_bytes *raw)
{
    size_t bound = ZSTD_compressBound(raw->size), size;
    uint8_t *packed = malloc(bound);

    size = ZSTD_compress(packed, bound, raw->data, raw->size, 1);
    out->size = 0;
    wpp_put(out, packed, size);
    free(packed);
    return !ZSTD_isError(size) && !out->failed;
}

static void put_sources(struct wpp_bytes *raw)
{
    wpp_put_varint(raw, PAGE_SOURCES_VERSION);
    wpp_put_varint(raw, 2);
    wpp_put_string(raw, "_Z1av");
    wpp_put_string(raw, "a()");
    wpp_put_string(raw, "_Z1bv");
    wpp_put_string(raw, "b()");
    wpp_put_varint(raw, 1);
    wpp_put_string(raw, "/d");
    wpp_put_string(raw, "f.c");
    wpp_put_u8(raw, 1);
    wpp_put_varint(raw, 2);
    wpp_put_varint(raw, 1);
    wpp_put_string(raw, "one\r\ntwo\n");
    wpp_put_varint(raw, 10);
    wpp_put_string(raw, "ten");
}

static bool is_line(const struct page_sources *s, uint32_t line, const char *want)
{
    size_t n;
    const char *text = page_sources_line(s, page_sources_find(s, "/d", "f.c"), line, &n);

    return want ? text && n == strlen(want) && memcmp(text, want, n) == 0 : !text;
}

static void test_sources(struct random *random)
{
    struct wpp_bytes raw = {0}, packed = {0};
    struct page_sources s;
    struct wpp_error error;
    uint32_t read = 0;

    put_sources(&raw);
    tap_ok(pack(&packed, &raw) && page_sources_read(&s, packed.data, packed.size, &error) && is_line(&s, 1, "one")
           && is_line(&s, 2, "two") && is_line(&s, 3, NULL) && is_line(&s, 9, NULL) && is_line(&s, 10, "ten")
           && is_line(&s, 11, NULL) && is_line(&s, 0, NULL) && s.file[0].changed
           && strcmp(page_sources_shown(&s, "_Z1bv"), "b()") == 0 && strcmp(page_sources_shown(&s, "c"), "c") == 0
           && page_sources_find(&s, "/d", "g.c") == UINT32_MAX, "sources: names and lines");
    page_sources_free(&s);
    for (int i = 0; i < 3000; i++) {
        size_t at = draw(random, (uint32_t)raw.size);
        uint8_t kept = raw.data[at];

        raw.data[at] = (uint8_t)draw(random, 256);
        if (pack(&packed, &raw) && page_sources_read(&s, packed.data, packed.size, &error)) {
            is_line(&s, 1 + draw(random, 20), "x");
            page_sources_shown(&s, "_Z1av");
            page_sources_free(&s);
            read++;
        }
        raw.data[at] = kept;
    }
    tap_ok(read > 100 && read < 2990, "sources: damaged ones are read or refused");
    tap_ok(!page_sources_read(&s, "no block", 8, &error) && error.status == WPP_E_DAMAGED, "sources: no block at all");
    wpp_bytes_free(&raw);
    wpp_bytes_free(&packed);
}

int main(int argc, char **argv)
{
    struct random r = {50};
    struct wpp_error error;
    uint32_t wrong = 0;

    for (int i = 1; i < argc; i++) {
        struct page_run page = {.w = wpp_open(argv[i], &error), .name = argv[i]};

        tap_ok(page.w && is_right(&page, &r), "%s", argv[i]);
        page_close(&page);
    }
    for (uint32_t seed = 0; argc == 1 && seed < 100; seed++) {
        struct random_content *c = random_content(&r, 1 + seed % RC_THREADS, 1 + seed);
        struct page_run page = {.name = "random"}, other = {.name = "same"};

        rc_words(c, &r);
        page.w = rc_open(c, &error);
        other.w = rc_open(c, &error);
        if (!page.w || !other.w || !is_right(&page, &r) || !others_are_json(&page, &other)) {
            tap_note("seed %u", seed);
            wrong++;
        }
        page_close(&page);
        page_close(&other);
        random_content_free(c);
    }
    if (argc == 1) {
        tap_ok(wrong == 0, "100 random recordings: what the page asks is as in the run written out");
        test_sources(&r);
    }
    return tap_done();
}
