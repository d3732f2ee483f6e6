/* SPDX-License-Identifier: MIT */
#include "wpp/coverage/exclusions.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/coverage/source-text-file.h"

/* What is excluded. */
enum { EXCLUDE_LINE = 1, EXCLUDE_BRANCHES = 2, EXCLUDE_THROWS = 4, EXCLUDE_FUNCTION = 8 };

enum mark_action { MARK_HERE, MARK_START, MARK_STOP };
struct mark { const char *text; unsigned what; enum mark_action action; };
static const struct mark marks[] = {
    {"LINE", EXCLUDE_LINE, MARK_HERE},
    {"START", EXCLUDE_LINE, MARK_START},
    {"STOP", EXCLUDE_LINE, MARK_STOP},
    {"BR_LINE", EXCLUDE_BRANCHES, MARK_HERE},
    {"BR_START", EXCLUDE_BRANCHES, MARK_START},
    {"BR_STOP", EXCLUDE_BRANCHES, MARK_STOP},
    {"EXCEPTION_BR_LINE", EXCLUDE_THROWS, MARK_HERE},
    {"EXCEPTION_BR_START", EXCLUDE_THROWS, MARK_START},
    {"EXCEPTION_BR_STOP", EXCLUDE_THROWS, MARK_STOP},
    {"FUNCTION", EXCLUDE_FUNCTION, MARK_HERE},
};
enum { N_MARKS = sizeof marks / sizeof *marks, N_PREFIXES = 3 };
static const char *const prefixes[N_PREFIXES] = {"LCOV", "GCOV", "GCOVR"};
static const char middle[] = "_EXCL_";

/* The state of reading one source. */
struct reading {
    struct coverage *c;
    struct coverage_file *file;
    uint32_t next;             /* the first of its lines that has not been read */
    uint32_t next_routine;
    unsigned open[N_PREFIXES]; /* what a START has excluded */
    uint32_t since[N_PREFIXES][EXCLUDE_FUNCTION];      /* the line of that START */
};

static bool is_word(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* The prefix that ends at text[at]; N_PREFIXES: none does. */
static unsigned prefix_before(const char *text, size_t at)
{
    for (unsigned i = N_PREFIXES; i-- > 0;) {
        size_t n = strlen(prefixes[i]);

        if (at >= n && memcmp(text + at - n, prefixes[i], n) == 0
            && (at == n || !is_word(text[at - n - 1])))
            return i;
    }
    return N_PREFIXES;
}

static const struct mark *mark_at(const char *text)
{
    for (unsigned i = 0; i < N_MARKS; i++) {
        size_t n = strlen(marks[i].text);

        if (strncmp(text, marks[i].text, n) == 0 && !is_word(text[n]))
            return &marks[i];
    }
    return NULL;
}

/* What the marks on a line exclude there; changes what is open. */
static unsigned read_marks(struct reading *r, const char *text, uint32_t line)
{
    unsigned here = 0;

    for (const char *m = strstr(text, middle); m; m = strstr(m + 1, middle)) {
        unsigned prefix = prefix_before(text, (size_t)(m - text));
        const struct mark *mark = prefix < N_PREFIXES ? mark_at(m + strlen(middle)) : NULL;

        if (!mark)
            continue;
        if (mark->action == MARK_HERE) {
            here |= mark->what;
        } else if (mark->action == MARK_START) {
            r->open[prefix] |= mark->what;
            r->since[prefix][mark->what] = line;
        } else {
            r->open[prefix] &= ~mark->what;
        }
    }
    for (unsigned i = 0; i < N_PREFIXES; i++)
        here |= r->open[i];
    return here;
}

static void exclude_line(struct coverage *c, struct coverage_line *line, unsigned what)
{
    line->excluded |= (what & EXCLUDE_LINE) != 0;
    for (uint32_t i = line->first; i < line->first + line->n; i++)
        c->branch[i].excluded |= (what & EXCLUDE_BRANCHES)
                              || ((what & EXCLUDE_THROWS) && c->branch[i].throws);
}

static void exclude_lines_of(struct reading *r, const struct coverage_routine *routine)
{
    for (uint32_t i = 0; i < r->file->n; i++) {
        struct coverage_line *line = &r->c->line[r->file->first + i];

        if (line->line >= routine->routine->line && line->line <= routine->last_line)
            line->excluded = true;
    }
}

/* Lines and routines of a file ascend by line. */
static void exclude(struct reading *r, uint32_t number, unsigned what)
{
    struct coverage *c = r->c;
    uint32_t end = r->file->first + r->file->n;
    uint32_t end_routine = r->file->first_routine + r->file->n_routines;

    for (; r->next < end && c->line[r->next].line <= number; r->next++)
        if (c->line[r->next].line == number)
            exclude_line(c, &c->line[r->next], what);
    for (; r->next_routine < end_routine && c->routine[r->next_routine].routine->line <= number;
         r->next_routine++) {
        struct coverage_routine *routine = &c->routine[r->next_routine];

        if (routine->routine->line != number || !(what & (EXCLUDE_LINE | EXCLUDE_FUNCTION)))
            continue;
        routine->excluded = true;
        if (what & EXCLUDE_FUNCTION)
            exclude_lines_of(r, routine);
    }
}

static void note_open(const struct reading *r, struct exclusion_notes *notes)
{
    for (unsigned i = 0; i < N_PREFIXES; i++)
        for (unsigned what = 1; what < EXCLUDE_FUNCTION; what *= 2)
            if ((r->open[i] & what) && notes->n_open++ == 0) {
                notes->open = r->file->name;
                notes->open_line = r->since[i][what];
            }
}

static void read_source(struct reading *r, FILE *in, struct exclusion_notes *notes)
{
    char *text = NULL;
    size_t size = 0;
    uint32_t line = 0;

    while (line < UINT32_MAX && getline(&text, &size, in) >= 0) {
        unsigned what = read_marks(r, text, ++line);

        exclude(r, line, what);
    }
    free(text);
    note_open(r, notes);
}

bool exclusions_apply(struct coverage *c, const struct wpp_moved *moved,
                      struct exclusion_notes *notes)
{
    bool memory = true;

    *notes = (struct exclusion_notes){0};
    for (uint32_t i = 0; memory && i < c->n_files; i++) {
        struct reading r = {.c = c, .file = &c->file[i], .next = c->file[i].first,
                            .next_routine = c->file[i].first_routine};
        FILE *in;

        memory = source_text_file_open(c->file[i].path, moved, &in);
        if (in) {
            read_source(&r, in, notes);
            fclose(in);
        } else if (notes->n_unread++ == 0) {
            notes->unread = c->file[i].name;
        }
    }
    coverage_sum(c);
    return memory;
}
