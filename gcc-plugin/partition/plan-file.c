/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan-file.c - writing a plan, and reading it with suspicion. */
#include "gcc-plugin/partition/plan-file.h"

#include "gcc-plugin/partition/distinct.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1 };
/* More edges than any routine's DAG has: a wrong number asks for no more memory than this needs. */
#define MOST_EDGES (UINT32_C(1) << 26)

/* ---- Writing ----------------------------------------------------------------------------- */

static bool is_plain(unsigned char c)
{
    return c > ' ' && c != '%' && c != 0x7f;
}

/* Bytes that could end a word are written as %20; a word of no bytes is a % alone. */
static void write_word(const char *text, FILE *out)
{
    fputc(' ', out);
    if (!*text)
        fputc('%', out);
    for (; *text; text++) {
        if (is_plain((unsigned char)*text))
            fputc(*text, out);
        else
            fprintf(out, "%%%02x", (unsigned char)*text);
    }
}

static void write_set(const uint64_t *set, uint32_t n, FILE *out)
{
    const char *comma = "";

    if (p3_is_all(set, n)) {
        fputs("all", out);
        return;
    }
    for (uint32_t e = 0, last; e < n; e = last + 1) {
        last = e;
        if (!p3_has(set, e))
            continue;
        while (last + 1 < n && p3_has(set, last + 1))
            last++;
        fprintf(out, last > e ? "%s%" PRIu32 "-%" PRIu32 : "%s%" PRIu32, comma, e, last);
        comma = ",";
    }
}

bool p3_write_plan(const struct p3_plan *p, FILE *out)
{
    fprintf(out, "wpp-plan %d\ncopies %" PRIu32 "\nmode %s\ncost %s\nload", VERSION,
            p->copies, p->calls_cut ? "calls-cut" : "paths", p->measured ? "measured" : "static");
    for (uint32_t c = 0; c < p->copies; c++)
        fprintf(out, " %" PRIu64, p->load[c]);
    fputc('\n', out);
    for (uint32_t i = 0; i < p->n; i++) {
        const struct p3_entry *e = &p->entry[i];

        fputs("routine", out);
        write_word(e->file, out);
        write_word(e->name, out);
        fprintf(out, " %016" PRIx64 " %" PRIu32 " %s", e->hash, e->n_edges,
                e->compared ? "compared" : "-");
        for (uint32_t c = 0; c < p->copies; c++)
            if (e->set[c]) {
                fprintf(out, " %" PRIu32 "=", c + 1);
                write_set(e->set[c], e->n_edges, out);
            }
        fputc('\n', out);
    }
    fprintf(out, "end %" PRIu32 "\n", p->n);
    return fflush(out) == 0 && !ferror(out);
}

/* ---- Reading ------------------------------------------------------------------------------- */

struct reading {
    FILE *in;
    const char *name;
    char *line;
    size_t cap;
    uint64_t number;           /* of the line */
    char *at;                  /* the rest of it */
    struct p3_plan *plan;
    uint32_t cap_entries;
    char *why;
    size_t size;
};

/* Returns false, for the caller to return. */
__attribute__((format(printf, 2, 3)))
static bool fail(struct reading *r, const char *format, ...)
{
    va_list args;
    int n = snprintf(r->why, r->size, "%s:%" PRIu64 ": ", r->name, r->number);

    va_start(args, format);
    if (n >= 0 && (size_t)n < r->size)
        vsnprintf(r->why + n, r->size - (size_t)n, format, args);
    va_end(args);
    return false;
}

static bool no_memory(struct reading *r)
{
    return fail(r, "out of memory");
}

static bool next_line(struct reading *r)
{
    ssize_t n;

    errno = 0;
    n = getline(&r->line, &r->cap, r->in);
    r->number++;
    for (ssize_t i = 0; i < n; i++)
        r->plan->id = (r->plan->id ^ (unsigned char)r->line[i]) * UINT64_C(0x100000001b3);
    if (n < 0)
        return errno ? fail(r, "%s", strerror(errno))
                     : fail(r, "the plan is cut short: its `end` is missing");
    if (r->line[n - 1] != '\n')
        return fail(r, "the plan is cut short: this line does not end");
    r->line[n - 1] = '\0';
    if (strlen(r->line) != (size_t)n - 1)
        return fail(r, "this is no text: there is a byte 0");
    r->at = r->line;
    return true;
}

/* The next word of the line; "" at its end. */
static char *word(struct reading *r)
{
    char *begin = r->at, *end = begin + strcspn(begin, " ");

    r->at = *end ? end + 1 : end;
    *end = '\0';
    return begin;
}

static bool at_end(struct reading *r)
{
    return *r->at ? fail(r, "`%.40s` is too much", r->at) : true;
}

/* Decimal digits alone, at most `most`; *text goes on behind them. */
static bool digits(char **text, uint64_t most, uint64_t *out)
{
    char *begin = *text;

    for (*out = 0; **text >= '0' && **text <= '9'; ++*text) {
        uint64_t digit = (uint64_t)(**text - '0');

        if (*out > (most - digit) / 10 || digit > most)
            return false;
        *out = *out * 10 + digit;
    }
    return *text > begin;
}

static bool number(struct reading *r, const char *what, uint64_t most, uint64_t *out)
{
    char *text = word(r), *at = text;

    if (!digits(&at, most, out) || *at)
        return fail(r, "`%.40s` is not %s, a number up to %" PRIu64, text, what, most);
    return true;
}

static bool keyword(struct reading *r, const char *expected)
{
    char *text;

    if (!next_line(r))
        return false;
    text = word(r);
    return strcmp(text, expected) == 0
        || fail(r, "`%s` should stand here, not `%.40s`", expected, text);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes a word in place; a copy of it.  NULL with the reason. */
static char *string(struct reading *r, const char *what)
{
    char *text = word(r), *from = text, *to = text, *copy;

    if (!*text) {
        fail(r, "%s is missing", what);
        return NULL;
    }
    if (strcmp(text, "%") == 0)
        from++;
    while (*from) {
        int high, low;

        if (*from != '%') {
            *to++ = *from++;
            continue;
        }
        high = hex_digit(from[1]);
        low = high < 0 ? -1 : hex_digit(from[2]);
        if (low < 0 || high + low == 0) {
            fail(r, "%s: `%.3s` is no encoded byte", what, from);
            return NULL;
        }
        *to++ = (char)(16 * high + low);
        from += 3;
    }
    *to = '\0';
    copy = strdup(text);
    if (!copy)
        no_memory(r);
    return copy;
}

static bool read_hash(struct reading *r, uint64_t *hash)
{
    char *text = word(r);

    *hash = 0;
    for (int i = 0; i < 16; i++) {
        int digit = hex_digit(text[i]);

        if (digit < 0)
            return fail(r, "`%.40s` is no hash, 16 digits 0-9a-f", text);
        *hash = *hash << 4 | (uint64_t)digit;
    }
    return !text[16] || fail(r, "`%.40s` is no hash, 16 digits 0-9a-f", text);
}

/* `0-3,5`, ascending and as short as can be. */
static bool read_ranges(struct reading *r, char *text, uint32_t n_edges, uint64_t *set)
{
    uint64_t next = 0;         /* the smallest edge that may come */

    for (;;) {
        uint64_t first, last;
        char *range = text;

        if (!digits(&text, n_edges - 1, &first))
            return fail(r, "`%.40s` is no range of edges below %" PRIu32, range, n_edges);
        last = first;
        if (*text == '-' && (text++, !digits(&text, n_edges - 1, &last) || last <= first))
            return fail(r, "`%.40s` is no range of edges below %" PRIu32, range, n_edges);
        if (first < next)
            return fail(r, "`%.40s`: edges do not ascend", range);
        while (first <= last)
            p3_put(set, (uint32_t)first++);
        next = last + 2;       /* one next to the last would belong to its range */
        if (!*text)
            return true;
        if (*text++ != ',')
            return fail(r, "`%.40s` is no range of edges below %" PRIu32, range, n_edges);
    }
}

/* `2=all` or `2=0-3,5`. */
static bool read_set(struct reading *r, struct p3_entry *e, uint64_t *least)
{
    char *text = word(r), *at = text;
    uint32_t n = e->n_edges;
    uint64_t copy, *set;

    if (!digits(&at, r->plan->copies, &copy) || copy < *least || *at++ != '=')
        return fail(r, "`%.40s` is no set: a copy from %" PRIu64 " to %" PRIu32
                       ", `=`, `all` or edges", text, *least, r->plan->copies);
    *least = copy + 1;
    bool all = strcmp(at, "all") == 0;
    set = e->set[copy - 1] = all ? p3_full_set(n) : p3_new_set(n);
    if (!set)
        return no_memory(r);
    return all || read_ranges(r, at, n, set);
}

static struct p3_entry *add_entry(struct reading *r)
{
    struct p3_plan *p = r->plan;

    if (p->n == r->cap_entries) {
        uint32_t cap = r->cap_entries ? 2 * r->cap_entries : 64;
        struct p3_entry *more = realloc(p->entry, cap * sizeof *more);

        if (!more)
            return NULL;
        p->entry = more;
        r->cap_entries = cap;
    }
    p->entry[p->n] = (struct p3_entry){.set = calloc(p->copies, sizeof(uint64_t *))};
    return p->entry[p->n].set ? &p->entry[p->n++] : NULL;
}

static bool compared_twice(const struct p3_plan *p)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->n; i++)
        n += p->entry[i].compared;
    return n > 1;
}

static bool check_compared(struct reading *r, const struct p3_entry *e)
{
    for (uint32_t c = 0; e->compared && c < r->plan->copies; c++)
        if (!e->set[c] || !p3_is_all(e->set[c], e->n_edges))
            return fail(r, "the compared routine is not whole in copy %" PRIu32, c + 1);
    return !e->compared || !compared_twice(r->plan) || fail(r, "a second routine is compared");
}

static bool read_routine(struct reading *r)
{
    struct p3_entry *e = add_entry(r), *last;
    uint64_t n, least = 1;
    char *mark;

    if (!e)
        return no_memory(r);
    if (!(e->file = string(r, "the source file")) || !(e->name = string(r, "the routine's name"))
        || !read_hash(r, &e->hash) || !number(r, "how many edges it has", MOST_EDGES, &n))
        return false;
    if (n == 0)
        return fail(r, "a routine has edges");
    e->n_edges = (uint32_t)n;
    mark = word(r);
    e->compared = strcmp(mark, "compared") == 0;
    if (!e->compared && strcmp(mark, "-") != 0)
        return fail(r, "`compared` or `-` should stand here, not `%.40s`", mark);
    do
        if (!read_set(r, e, &least))
            return false;
    while (*r->at);
    last = r->plan->n > 1 ? e - 1 : NULL;
    if (last && compare_keys(last->file, last->name, last->hash, e->file, e->name, e->hash) >= 0)
        return fail(r, "the routines do not ascend by file, name and hash");
    return check_compared(r, e);
}

/* A line `key first` or `key second`. */
static bool choice(struct reading *r, const char *key, const char *first, const char *second,
                   bool *is_second)
{
    char *text;

    if (!keyword(r, key))
        return false;
    text = word(r);
    *is_second = strcmp(text, second) == 0;
    if (!*is_second && strcmp(text, first) != 0)
        return fail(r, "the %s is `%s` or `%s`, not `%.40s`", key, first, second, text);
    return at_end(r);
}

static bool read_head(struct reading *r)
{
    uint64_t n;

    if (!next_line(r))
        return false;
    if (strcmp(word(r), "wpp-plan") != 0)
        return fail(r, "this is no plan: it does not begin with `wpp-plan`");
    if (!number(r, "a version", UINT32_MAX, &n))
        return false;
    if (n != VERSION)
        return fail(r, "the plan's version is %" PRIu64 ", but this program reads version %d", n,
                    VERSION);
    if (!at_end(r) || !keyword(r, "copies") || !number(r, "how many copies", P3_MAX_COPIES, &n))
        return false;
    if (n == 0)
        return fail(r, "there is at least one copy");
    r->plan->copies = (uint32_t)n;
    if (!at_end(r) || !choice(r, "mode", "paths", "calls-cut", &r->plan->calls_cut)
        || !choice(r, "cost", "static", "measured", &r->plan->measured) || !keyword(r, "load"))
        return false;
    for (uint32_t c = 0; c < r->plan->copies; c++)
        if (!number(r, "a copy's load", UINT64_MAX, &r->plan->load[c]))
            return false;
    return at_end(r);
}

static bool read_all(struct reading *r)
{
    uint64_t n;

    if (!read_head(r))
        return false;
    for (;;) {
        char *text;

        if (!next_line(r))
            return false;
        text = word(r);
        if (strcmp(text, "end") == 0)
            break;
        if (strcmp(text, "routine") != 0)
            return fail(r, "`routine` or `end` should stand here, not `%.40s`", text);
        if (!read_routine(r))
            return false;
    }
    if (!number(r, "how many routines there are", UINT32_MAX, &n) || !at_end(r))
        return false;
    if (n != r->plan->n)
        return fail(r, "the plan has %" PRIu32 " routines, but should have %" PRIu64, r->plan->n,
                    n);
    r->number++;
    return fgetc(r->in) == EOF || fail(r, "nothing may stand behind `end`");
}

struct p3_plan *p3_read_plan_stream(FILE *in, const char *name, char *why, size_t size)
{
    struct reading r = {.in = in, .name = name, .why = why, .size = size,
                        .plan = calloc(1, sizeof *r.plan)};

    if (r.plan)
        r.plan->id = UINT64_C(0xcbf29ce484222325);
    if (!r.plan) {
        no_memory(&r);
    } else if (!read_all(&r)) {
        p3_plan_free(r.plan);
        r.plan = NULL;
    }
    free(r.line);
    return r.plan;
}

struct p3_plan *p3_read_plan(const char *path, char *why, size_t size)
{
    FILE *in = fopen(path, "re");
    struct p3_plan *plan;

    if (!in) {
        snprintf(why, size, "%s: %s", path, strerror(errno));
        return NULL;
    }
    plan = p3_read_plan_stream(in, path, why, size);
    fclose(in);
    return plan;
}
