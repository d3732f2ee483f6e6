/* SPDX-License-Identifier: MIT */
#include "wpp/coverage/exclusions.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/coverage/source-text-file.h"

/* What is excluded. */
enum {
    EXCLUDE_LINE = 1, EXCLUDE_BRANCHES = 2, EXCLUDE_THROWS = 4, EXCLUDE_FUNCTION = 8,
    EXCLUDE_WAYS_HERE = 16         /* branches that lead to the line */
};

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
    {"BR_SOURCE", EXCLUDE_WAYS_HERE, MARK_HERE},
};
enum { N_MARKS = sizeof marks / sizeof *marks, N_PREFIXES = 3 };
static const char *const prefixes[N_PREFIXES] = {"LCOV", "GCOV", "GCOVR"};
static const char middle[] = "_EXCL_";
static const char without_hit[] = "BR_WITHOUT_HIT:";

/* A mark `BR_WITHOUT_HIT: missed/all`. */
struct claim { uint32_t line; unsigned long missed, all; };

/* The state of reading one source. */
struct reading {
    struct coverage *c;
    struct coverage_file *file;
    uint32_t next;             /* the first of its lines that has not been read */
    uint32_t next_routine;
    unsigned open[N_PREFIXES]; /* what a START has excluded */
    uint32_t since[N_PREFIXES][EXCLUDE_FUNCTION];      /* the line of that START */
    struct claim *claim;
    size_t n_claims, claims_room;
    bool no_memory;
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

/* Takes a mark with figures; another text is none. */
static void read_claim(struct reading *r, const char *text, uint32_t line)
{
    struct claim claim = {.line = line};

    if (strncmp(text, without_hit, strlen(without_hit)) != 0
        || sscanf(text + strlen(without_hit), " %lu/%lu", &claim.missed, &claim.all) != 2)
        return;
    if (r->n_claims == r->claims_room) {
        size_t room = 2 * r->claims_room + 16;
        struct claim *larger = realloc(r->claim, room * sizeof *larger);

        if (!larger) {
            r->no_memory = true;
            return;
        }
        r->claim = larger;
        r->claims_room = room;
    }
    r->claim[r->n_claims++] = claim;
}

/* What the marks on a line exclude there; changes what is open. */
static unsigned read_marks(struct reading *r, const char *text, uint32_t line)
{
    unsigned here = 0;

    for (const char *m = strstr(text, middle); m; m = strstr(m + 1, middle)) {
        unsigned prefix = prefix_before(text, (size_t)(m - text));
        const struct mark *mark = prefix < N_PREFIXES ? mark_at(m + strlen(middle)) : NULL;

        if (prefix < N_PREFIXES)
            read_claim(r, m + strlen(middle), line);
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

/* Whether a branch leads to a block that ends on that line of the file, which is the routine's. */
static bool leads_to(const struct coverage *c, const struct coverage_branch *branch, uint32_t line)
{
    const struct wpp_routine *routine = c->routine[branch->routine].routine;
    const struct wpp_block *to = &routine->blocks[branch->to];
    const struct wpp_line *last = to->n_lines ? &to->lines[to->n_lines - 1] : NULL;

    return last && last->line == line && strcmp(last->file, routine->file) == 0;
}

static void exclude_ways_to(struct reading *r, uint32_t number)
{
    struct coverage *c = r->c;

    for (uint32_t i = r->file->first; i < r->file->first + r->file->n; i++)
        for (uint32_t k = c->line[i].first; k < c->line[i].first + c->line[i].n; k++)
            if (&c->file[c->routine[c->branch[k].routine].file] == r->file && leads_to(c, &c->branch[k], number))
                c->branch[k].excluded = true;
}

/* Lines and routines of a file ascend by line. */
static void exclude(struct reading *r, uint32_t number, unsigned what)
{
    struct coverage *c = r->c;
    uint32_t end = r->file->first + r->file->n;
    uint32_t end_routine = r->file->first_routine + r->file->n_routines;

    if (what & EXCLUDE_WAYS_HERE)
        exclude_ways_to(r, number);
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

/* Excludes a line's branches if as many of them were missed as the mark says.  Those that another mark has
 * excluded do not count; a line that is excluded needs no mark. */
static void settle_claim(struct reading *r, const struct claim *claim, struct exclusion_notes *notes)
{
    struct coverage *c = r->c;
    struct coverage_line *line = coverage_find_line(c, (uint32_t)(r->file - c->file), claim->line);
    unsigned long missed = 0, all = 0;

    for (uint32_t i = 0; line && i < line->n; i++) {
        const struct coverage_branch *b = &c->branch[line->first + i];

        all += !b->excluded;
        missed += !b->excluded && b->count == 0;
    }
    if (line && (line->excluded || (line->n > 0 && all == 0)))
        return;
    if (missed == claim->missed && all == claim->all && line) {
        exclude_line(c, line, EXCLUDE_BRANCHES);
    } else if (notes->n_wrong++ == 0) {
        notes->wrong = r->file->name;
        notes->wrong_line = claim->line;
        notes->missed = missed;
        notes->all = all;
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
    for (size_t i = 0; i < r->n_claims; i++)
        settle_claim(r, &r->claim[i], notes);
    free(r->claim);
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
            memory = !r.no_memory;
        } else if (notes->n_unread++ == 0) {
            notes->unread = c->file[i].name;
        }
    }
    coverage_sum(c);
    return memory;
}
