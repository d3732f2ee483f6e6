/* SPDX-License-Identifier: MIT */
#include "wpp/step/screen.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/names.h"
#include "wpp/base/number-text.h"

/* Rows and columns of the parts. */
struct layout {
    int source, source_rows;       /* its title is the row before */
    int panel, panel_rows;
    int middle;                    /* the column between stack and events */
    int overview, message;
};

static struct layout layout_of(const struct canvas *c)
{
    enum { PANEL = 7, TITLES = 3, BOTTOM = 3 };    /* the titles of all, source and panel */
    struct layout l = {.source = 2};

    l.panel_rows = PANEL + (c->rows - SCREEN_ROWS) / 3;
    l.source_rows = c->rows - l.panel_rows - TITLES - BOTTOM;
    l.panel = l.source + l.source_rows + 1;
    l.middle = c->columns / 2;
    l.overview = c->rows - BOTTOM;
    l.message = c->rows - 1;
    return l;
}

int screen_overview_columns(const struct canvas *c)
{
    return c->rows < SCREEN_ROWS || c->columns < SCREEN_COLUMNS ? 0 : c->columns - 2;
}

static uint64_t tokens_of(const struct session *s)
{
    return wpp_thread(s->w, s->at.thread)->tokens;
}

/* The last part of a path. */
static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash && slash[1] ? slash + 1 : path;
}

/* ---- Title ----------------------------------------------------------------------------------------------- */

static void draw_title(struct canvas *c, const struct session *s)
{
    char at[NUMBER_TEXT], all[NUMBER_TEXT], part[NUMBER_TEXT];
    uint64_t tokens = tokens_of(s), time;
    int column;

    canvas_fill(c, 0, 0, c->columns, STYLE_TITLE, ' ');
    column = canvas_format(c, 0, 1, c->columns / 3, STYLE_TITLE, "%s",
                           base_of(s->run.program[0] ? s->run.program : s->path));
    if (wpp_grammar(s->w)->n_threads > 1)
        column = canvas_format(c, 0, column, c->columns, STYLE_TITLE, "  thread %u of %u", s->at.thread,
                               wpp_grammar(s->w)->n_threads);
    column = canvas_format(c, 0, column, c->columns, STYLE_TITLE, "  event %s of %s  %s",
                           number_grouped(s->at.event, at), number_grouped(tokens, all),
                           number_percent((double)s->at.event, tokens ? (double)tokens : 1, part));
    if (wpp_time_of(s->w, s->at.thread, s->at.event, &time))
        canvas_format(c, 0, column, c->columns, STYLE_TITLE, "  about %.6f s", (double)time / 1e9);
}

/* ---- Source ---------------------------------------------------------------------------------------------- */

/* The row of the stack that is chosen; NULL: there is none. */
static const struct stack_row *chosen(const struct session *s)
{
    return s->row < s->n_rows ? &s->rows[s->row] : NULL;
}

/* How many lines of the path have begun at the chosen row's place. */
static size_t lines_begun(const struct session *s)
{
    bool is_place = chosen(s)->frame == s->n_frames - 1 && s->at.event < tokens_of(s);

    return is_place ? s->at.line + (size_t)1 : s->path_lines.n;
}

/* `*`: the line belongs to the path and has begun; `+`: it will; or a blank. */
static char path_mark(const struct session *s, uint32_t line)
{
    size_t begun;

    if (!chosen(s) || !s->file)
        return ' ';
    begun = lines_begun(s);
    for (size_t i = 0; i < s->path_lines.n; i++)
        if (s->path_lines.line[i].line == line && strcmp(s->path_lines.line[i].file, s->file) == 0)
            return i < begun ? '*' : '+';
    return ' ';
}

static bool is_place(const struct session *s, uint32_t line)
{
    const struct stack_row *row = chosen(s);

    return row && row->file && s->file && row->line == line && strcmp(row->file, s->file) == 0;
}

static void draw_line(struct canvas *c, const struct session *s, int row, uint32_t line, const char *text)
{
    bool here = is_place(s, line);
    char mark = path_mark(s, line);
    enum canvas_style style = here ? STYLE_CURRENT : mark == ' ' ? STYLE_PLAIN : STYLE_PATH;
    int column = canvas_format(c, row, 0, c->columns, line == s->cursor ? STYLE_CHOSEN : STYLE_FAINT,
                               "%c%c%6u ", here ? '>' : ' ', mark, line);

    canvas_text(c, row, column + 1, c->columns, style, text);
}

/* The cursor stays in sight; it moves the lines no more than it must, or to the middle if they are far. */
static void scroll(struct session *s, int rows, uint32_t n)
{
    uint32_t page = (uint32_t)rows, last = n > page ? n - page + 1 : 1;

    if (s->top == 0 || s->cursor < s->top || s->cursor >= s->top + page)
        s->top = s->cursor > page / 2 ? s->cursor - page / 2 : 1;
    if (n > 0 && s->top > last && s->cursor <= n)
        s->top = last;
    s->page = rows;
}

static bool has_changed(const struct session *s)
{
    for (uint32_t i = 0; i < s->changes.n; i++)
        if (strcmp(s->changes.file[i], s->file) == 0)
            return true;
    return false;
}

static void draw_source(struct canvas *c, struct session *s, const struct layout *l)
{
    const struct source_lines *lines = s->file ? source_set_get(&s->sources, s->directory, s->file) : NULL;
    uint32_t n = lines && lines->text ? lines->n : 0;
    int column;

    if (!s->file) {
        canvas_text(c, l->source - 1, 0, c->columns, STYLE_WARNING, " no source line is known here");
        return;
    }
    scroll(s, l->source_rows, n);
    column = canvas_format(c, l->source - 1, 0, c->columns, STYLE_FAINT, " %s:%u", s->file, s->cursor);
    if (n == 0)
        canvas_text(c, l->source - 1, column, c->columns, STYLE_WARNING,
                    "  the file is not there: its lines have numbers alone");
    else if (has_changed(s))
        canvas_text(c, l->source - 1, column, c->columns, STYLE_WARNING,
                    "  changed since it was compiled: its lines may be others");
    for (int i = 0; i < l->source_rows; i++) {
        uint32_t line = s->top + (uint32_t)i;

        if (n == 0 || line <= n)
            draw_line(c, s, l->source + i, line, n ? lines->line[line - 1] : "");
    }
    c->cursor_row = l->source + (int)(s->cursor - s->top);
    c->cursor_column = 0;
}

/* ---- Stack ------------------------------------------------------------------------------------------------ */

static void draw_row(struct canvas *c, const struct session *s, const struct layout *l, int row, size_t i)
{
    const struct stack_row *r = &s->rows[i];
    enum canvas_style style = i == s->row ? STYLE_CHOSEN : STYLE_PLAIN;
    char name[64];
    int end = l->middle - 1, column;

    name_bare(r->name, name, sizeof name);
    canvas_fill(c, row, 0, end, style, ' ');
    column = canvas_format(c, row, 0, end, style, "#%zu %s", i, name);
    if (r->file)
        column = canvas_format(c, row, column, end, style, "  %s:%u", base_of(r->file), r->line);
    canvas_text(c, row, column, end, style, r->inlined ? "  inlined" : r->unseen ? "  since before" : "");
}

static void draw_stack(struct canvas *c, const struct session *s, const struct layout *l)
{
    size_t rows = (size_t)l->panel_rows, first = s->row < rows ? 0 : s->row - rows + 1;

    if (s->n_rows == 0)
        canvas_text(c, l->panel, 0, l->middle - 1, STYLE_FAINT, "no activation");
    for (size_t i = 0; i < rows && first + i < s->n_rows; i++)
        draw_row(c, s, l, l->panel + (int)i, first + i);
}

/* ---- Loops and events --------------------------------------------------------------------------------------- */

static void draw_loop(struct canvas *c, const struct layout *l, int row, const struct wpp_turn *t)
{
    char turn[NUMBER_TEXT], turns[NUMBER_TEXT];
    int column = canvas_text(c, row, l->middle, c->columns, STYLE_PLAIN, "loop ");

    if (t->line)
        column = canvas_format(c, row, column, c->columns, STYLE_PLAIN, "%s:%u", base_of(t->line->file),
                               t->line->line);
    if (t->turn > t->turns)
        canvas_format(c, row, column, c->columns, STYLE_PLAIN, "  ends after %s",
                      number_grouped(t->turns, turns));
    else
        canvas_format(c, row, column, c->columns, STYLE_PLAIN, "  iteration %s of %s",
                      number_grouped(t->turn, turn), number_grouped(t->turns, turns));
}

/* The lines of a path, shortly; free() it. */
static char *lines_text(const struct session *s, uint32_t terminal)
{
    const struct wpp_terminal *t = wpp_terminal(s->w, terminal);
    struct trail trail;
    char *text = NULL;
    size_t size;
    FILE *out;

    if (!trail_of(t, wpp_routine(s->w, t->routine), &trail))
        return NULL;
    for (size_t i = 0; i < trail.n; i++)
        trail.line[i].file = base_of(trail.line[i].file);
    out = open_memstream(&text, &size);
    if (out) {
        trail_print(out, &trail, 8);
        fclose(out);
    }
    trail_free(&trail);
    return text;
}

static void draw_event(struct canvas *c, const struct session *s, const struct layout *l, int row,
                       uint64_t event, uint32_t terminal)
{
    const struct wpp_terminal *t = wpp_terminal(s->w, terminal);
    bool here = event == s->at.event;
    enum canvas_style style = here ? STYLE_CURRENT : STYLE_PLAIN;
    char number[NUMBER_TEXT], name[64], symbol[WPP_SYMBOL_NAME];
    int column = canvas_format(c, row, l->middle, c->columns, style, "%c%s ", here ? '>' : ' ',
                               number_grouped(event, number));
    char *lines;

    if (t->routine == WPP_NO_ROUTINE) {
        canvas_text(c, row, column, c->columns, style, wpp_symbol_name(t, symbol));
        return;
    }
    name_bare(wpp_routine(s->w, t->routine)->shown, name, sizeof name);
    lines = lines_text(s, terminal);
    canvas_format(c, row, column, c->columns, style, "%s %s", name, lines ? lines : "");
    free(lines);
}

static void draw_events(struct canvas *c, const struct session *s, const struct layout *l, int row)
{
    enum { MOST = SESSION_AHEAD };
    int rows = l->panel + l->panel_rows - row;
    uint64_t tokens = tokens_of(s), before = (uint64_t)rows / 2, first;
    uint32_t terminals[MOST];
    wpp_cursor *cursor;
    size_t n = 0;

    rows = rows < MOST ? rows : MOST;
    first = s->at.event > before ? s->at.event - before : 0;
    cursor = first < tokens ? wpp_cursor_new(s->w, s->at.thread, first) : NULL;
    if (cursor)
        n = wpp_cursor_read(cursor, terminals, (size_t)rows);
    wpp_cursor_free(cursor);
    for (size_t i = 0; i < n; i++)
        draw_event(c, s, l, row + (int)i, first + i, terminals[i]);
    if ((int)n < rows && first + n == tokens)
        canvas_text(c, row + (int)n, l->middle, c->columns, s->at.event == tokens ? STYLE_CURRENT : STYLE_FAINT,
                    s->at.event == tokens ? ">the end" : " the end");
}

static void draw_panel(struct canvas *c, const struct session *s, const struct layout *l)
{
    size_t most = (size_t)l->panel_rows - 3, n = s->n_loops < most ? s->n_loops : most;
    int row = l->panel;

    canvas_fill(c, l->panel - 1, 0, c->columns, STYLE_FAINT, '-');
    canvas_text(c, l->panel - 1, 2, l->middle, STYLE_FAINT, " stack ");
    canvas_text(c, l->panel - 1, l->middle + 1, c->columns, STYLE_FAINT,
                n || s->counts_loops ? " loops and events " : " events ");
    draw_stack(c, s, l);
    if (s->counts_loops)
        canvas_text(c, row++, l->middle, c->columns, STYLE_FAINT, "counting iterations ...");
    for (size_t i = s->n_loops - n; i < s->n_loops; i++)
        draw_loop(c, l, row++, &s->loops[i]);
    draw_events(c, s, l, row);
}

/* ---- Overview -------------------------------------------------------------------------------------------------- */

/* How much of a column's events are the routine's. */
static char shade(uint64_t part, uint64_t whole)
{
    return part == 0 ? ' ' : part < whole / 10 ? '.' : part < whole / 2 ? ':' : '#';
}

static void draw_marks(struct canvas *c, const struct session *s, int row, int columns)
{
    uint64_t tokens = tokens_of(s);

    for (int i = 0; i < N_MARKS; i++)
        if (s->marks[i].set && s->marks[i].at.thread == s->at.thread)
            canvas_format(c, row, 1 + overview_column(tokens, columns, s->marks[i].at.event), c->columns,
                          STYLE_PATH, "%c", 'a' + i);
    canvas_text(c, row, 1 + overview_column(tokens, columns, s->at.event), c->columns, STYLE_CURRENT, "^");
}

static void draw_overview(struct canvas *c, const struct session *s, const struct layout *l)
{
    int columns = screen_overview_columns(c);
    const struct overview *o = overviews_find(&s->overviews, s->at.thread, session_routine(s), columns);
    uint64_t tokens = tokens_of(s);

    if (tokens == 0)
        return;
    canvas_text(c, l->overview, 0, c->columns, STYLE_FAINT, "[");
    canvas_text(c, l->overview, columns + 1, c->columns, STYLE_FAINT, "]");
    for (int i = 0; i < columns; i++) {
        uint64_t begin = overview_event(tokens, columns, i), end = overview_event(tokens, columns, i + 1);

        canvas_fill(c, l->overview, i + 1, i + 2, STYLE_PLAIN, o ? shade(o->events[i], end - begin) : ' ');
    }
    draw_marks(c, s, l->overview + 1, columns);
}

/* ---- Message ---------------------------------------------------------------------------------------------------- */

static void draw_message(struct canvas *c, const struct session *s, int row)
{
    static const char *const prompts[] = {
        [PROMPT_PLACE] = "go to (event, time, file:line#k, routine#k): ", [PROMPT_SEARCH] = "/",
        [PROMPT_ROUTINE] = "routine: ", [PROMPT_THREAD] = "thread: ",
        [PROMPT_HOT] = "go to the next occurrence of number (-3: to the one before of 3): "
    };

    if (s->prompt != PROMPT_NONE) {
        c->cursor_column = canvas_format(c, row, 0, c->columns, STYLE_PLAIN, "%s%s", prompts[s->prompt],
                                         s->input);
        c->cursor_row = row;
        if (c->cursor_column >= c->columns)
            c->cursor_column = c->columns - 1;
    } else if (s->pending) {
        canvas_text(c, row, 0, c->columns, STYLE_PLAIN, s->pending == 'm' ? "set mark (a to z): "
                                                                          : "go to mark (a to z, or '): ");
    } else if (s->count && !s->waits_for_rest) {
        canvas_format(c, row, 0, c->columns, STYLE_PLAIN, "%llu", (unsigned long long)s->count);
    } else {
        canvas_text(c, row, 0, c->columns, STYLE_PLAIN,
                    s->waits_for_rest ? "reading the rest of the run, to go there ...  (Escape gives up)"
                    : s->early && !s->message[0] ? "reading the rest of the run ...  (h: help, q: quit)"
                                                 : s->message);
    }
}

/* ---- Help ---------------------------------------------------------------------------------------------------------- */

static void draw_help(struct canvas *c)
{
    static const char *const lines[] = {
        " s S   a source line forwards, back      f F   behind the call, back to it",
        " n N   likewise, over calls              u d   the caller, the callee",
        " ] [   next, previous execution of the cursor's line",
        " g     to a place: event 3M, from the end -20, time 1.5s, execution sort.c:59#3,",
        "       call swap#2, path swap/2#-1, the cursor's line #3; swap: the next call",
        " 0 $   beginning, end of the run (Home, End)",
        " m '   set a mark, go to it: then a letter; '' goes back from the last jump",
        " t     another thread                    H     a hot subpath, from a list",
        "",
        " j k   move the cursor (arrows, Space, b, PgDn, PgUp)",
        " .     back to the place's line           /     search in the source",
        " r     a routine by a part of its name    h ?   this help",
        " q     quit                               A number before a key: so many times",
        "",
        " source     > the place   * lines of this path that ran   + lines that come next",
        " loops      iterations since the chosen call came to the loop",
        " events     a number, the routine and the lines of its path; > is the place",
        " [ . : # ]  where the chosen routine ran: some events, a tenth of them, half",
        " ^ a        the place, and marks",
        "",
        " Any key goes on."
    };

    canvas_fill(c, 0, 0, c->columns, STYLE_TITLE, ' ');
    canvas_text(c, 0, 1, c->columns, STYLE_TITLE, "wpp-step: keys");
    for (int i = 0; i < (int)(sizeof lines / sizeof *lines); i++)
        canvas_text(c, i + 2, 0, c->columns, STYLE_PLAIN, lines[i]);
}

/* ---- Hot subpaths ------------------------------------------------------------------------------------------------- */

static void draw_subpath(struct canvas *c, const struct session *s, int row, size_t i)
{
    const struct hot_item *h = &s->hot.item[i];
    enum canvas_style style = i + 1 == s->hot.chosen ? STYLE_CURRENT : STYLE_PLAIN;
    char share[NUMBER_TEXT], times[NUMBER_TEXT], name[64], symbol[WPP_SYMBOL_NAME];
    int column = canvas_format(c, row, 0, c->columns, style, "%3zu  %7s  %9s x ", i + 1,
                               number_percent(h->share, 1, share), number_scaled(h->frequency, times));
    uint32_t routine = WPP_NO_ROUTINE;

    for (uint32_t k = 0; k < h->n && column < c->columns; k++) {
        const struct wpp_terminal *t = wpp_terminal(s->w, h->terminals[k]);
        char *lines = t->routine == WPP_NO_ROUTINE ? NULL : lines_text(s, h->terminals[k]);

        if (t->routine == WPP_NO_ROUTINE)
            snprintf(name, sizeof name, "%s", wpp_symbol_name(t, symbol));
        else
            name_bare(wpp_routine(s->w, t->routine)->shown, name, sizeof name);
        column = canvas_format(c, row, column, c->columns, style, "%s %s %s", k > 0 ? " |" : "",
                               t->routine == WPP_NO_ROUTINE || t->routine != routine ? name : "",
                               lines ? lines : "");
        routine = t->routine;
        free(lines);
    }
}

static void draw_subpaths(struct canvas *c, const struct session *s)
{
    int most = c->rows - 4;

    canvas_fill(c, 0, 0, c->columns, STYLE_TITLE, ' ');
    canvas_text(c, 0, 1, c->columns, STYLE_TITLE, "wpp-step: hot subpaths");
    canvas_text(c, 1, 0, c->columns, STYLE_FAINT,
                s->hot.wanted ? "looking for them ...  (Escape goes on meanwhile; H shows them again)"
                : s->hot.n ? "  #    share      times   routines, and the lines of their paths"
                           : "there are none");
    for (size_t i = 0; i < s->hot.n && (int)i < most; i++)
        draw_subpath(c, s, 2 + (int)i, i);
    draw_message(c, s, c->rows - 1);
}

/* ---- All ----------------------------------------------------------------------------------------------------------- */

void screen_draw(struct canvas *c, struct session *s)
{
    struct layout l;

    canvas_clear(c);
    if (c->rows < SCREEN_ROWS || c->columns < SCREEN_COLUMNS) {
        canvas_format(c, 0, 0, c->columns, STYLE_PLAIN, "too small: %d columns and %d rows are needed",
                      SCREEN_COLUMNS, SCREEN_ROWS);
        return;
    }
    if (s->help) {
        draw_help(c);
        return;
    }
    if (s->prompt == PROMPT_HOT) {
        draw_subpaths(c, s);
        return;
    }
    l = layout_of(c);
    draw_title(c, s);
    draw_source(c, s, &l);
    draw_panel(c, s, &l);
    draw_overview(c, s, &l);
    draw_message(c, s, l.message);
}
