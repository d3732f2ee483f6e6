/* SPDX-License-Identifier: MIT */
/* session-keys.c - what each key does. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/number-text.h"
#include "wpp/step/session.h"
#include "wpp/step/terminal.h"

enum { MOST_AT_ONCE = 1000 };      /* of moves that are made one by one */

/* ---- Moves --------------------------------------------------------------------------------------------- */

/* Takes a move's result; the place is its end. */
static void moved(struct session *s, enum stepper_result result, struct run_place to, const char *why_not)
{
    if (result == STEPPER_DONE)
        session_move_to(s, to);
    else
        session_say(s, "%s", result == STEPPER_NO_MEMORY ? "out of memory" : why_not);
}

static void step(struct session *s, uint64_t n)
{
    struct run_place to = s->at;
    enum stepper_result result = stepper_step(s->stepper, n, &to);

    moved(s, result, to, "this is the end: S steps back");
}

static void step_back(struct session *s, uint64_t n)
{
    struct run_place to = s->at;
    enum stepper_result result = stepper_step_back(s->stepper, n, &to);

    moved(s, result, to, "this is the beginning: s steps");
}

typedef enum stepper_result move(struct stepper *s, struct run_place *p);

static void repeat(struct session *s, move *each, uint64_t n, const char *why_not)
{
    enum stepper_result result = STEPPER_DONE;
    struct run_place to = s->at;
    uint64_t done = 0;

    if (n > MOST_AT_ONCE) {
        session_say(s, "at most %d at once", MOST_AT_ONCE);
        return;
    }
    while (done < n && (result = each(s->stepper, &to)) == STEPPER_DONE)
        done++;
    moved(s, done > 0 ? STEPPER_DONE : result, to, why_not);
}

static void go_to_end(struct session *s, bool begin)
{
    struct run_place to;

    stepper_go_stop(s->stepper, s->at.thread, begin ? 0 : UINT64_MAX, &to);
    session_jump_to(s, to);
}

static void cursor_execution(struct session *s, uint64_t n, bool back)
{
    char what[SESSION_TEXT];

    if (session_cursor_text(s, what, sizeof what))
        session_execution(s, what, n, back);
    else
        session_say(s, "the cursor is at no line");
}

/* ---- Looking --------------------------------------------------------------------------------------------- */

/* Lines of the file that is looked at; 0: it is not there. */
static uint32_t lines_of_file(struct session *s)
{
    const struct source_lines *lines = s->file ? source_set_get(&s->sources, s->directory, s->file) : NULL;

    return lines && lines->text ? lines->n : 0;
}

static void move_cursor(struct session *s, int64_t by)
{
    uint32_t n = lines_of_file(s);
    int64_t to = (int64_t)s->cursor + by, most = n > 0 ? n : UINT32_MAX;

    if (s->file)
        s->cursor = (uint32_t)(to < 1 ? 1 : to > most ? most : to);
}

static void choose_by(struct session *s, uint64_t n, bool outwards)
{
    size_t last = s->n_rows ? s->n_rows - 1 : 0;

    if (s->n_rows == 0)
        session_say(s, "no activation is known here");
    else if (outwards ? s->row == last : s->row == 0)
        session_say(s, outwards ? "this is the outermost one" : "this is the innermost one");
    else if (outwards)
        session_choose_row(s, n < last - s->row ? s->row + n : last);
    else
        session_choose_row(s, n < s->row ? s->row - n : 0);
}

static void look_at_place(struct session *s)
{
    if (s->n_rows > 0)
        session_choose_row(s, s->row);
}

static void search_source(struct session *s)
{
    const struct source_lines *lines = s->file ? source_set_get(&s->sources, s->directory, s->file) : NULL;

    if (!lines || !lines->text) {
        session_say(s, "there is no source to search in");
        return;
    }
    for (uint32_t i = 0; i < lines->n; i++) {
        uint32_t at = (s->cursor + i) % lines->n;

        if (strstr(lines->line[at], s->search)) {
            session_say(s, at < s->cursor && i + s->cursor >= lines->n ? "found from the beginning on" : "");
            s->cursor = at + 1;
            return;
        }
    }
    session_say(s, "`%s` is not in this file", s->search);
}

static bool routine_fits(const struct session *s, uint32_t r)
{
    return strstr(wpp_routine(s->w, r)->shown, s->routine) || strstr(wpp_routine(s->w, r)->name, s->routine);
}

/* Looks at the next routine whose name holds the text. */
static void search_routine(struct session *s)
{
    uint32_t n = s->run.n_routines, fits = 0, number = 0, found = WPP_NO_ROUTINE;

    for (uint32_t i = 1; i <= n && found == WPP_NO_ROUTINE; i++)
        if (routine_fits(s, (s->routine_found + i) % n))
            found = (s->routine_found + i) % n;
    for (uint32_t r = 0; r < n; r++)
        if (routine_fits(s, r)) {
            fits++;
            number += r <= found;
        }
    if (found == WPP_NO_ROUTINE) {
        session_say(s, "no routine with `%s` was executed", s->routine);
        return;
    }
    s->routine_found = found;
    session_look(s, wpp_routine(s->w, found)->directory, wpp_routine(s->w, found)->file,
                 wpp_routine(s->w, found)->line);
    session_say(s, "%u of %u: %s", number, fits, wpp_routine(s->w, found)->shown);
}

/* ---- Threads ------------------------------------------------------------------------------------------------- */

/* Where it was left, or else what ran there at about the same time. */
static void go_to_thread(struct session *s, uint32_t thread)
{
    struct run_place to = s->of_thread[thread];
    uint64_t time, event = 0;

    if (to.event == UINT64_MAX) {
        if (wpp_time_of(s->w, s->at.thread, s->at.event, &time))
            wpp_event_at(s->w, thread, time, &event);
        stepper_go(s->stepper, thread, event, &to);
    }
    session_jump_to(s, to);
    session_say(s, "thread %u %s", thread, wpp_thread(s->w, thread)->name);
}

static void ask_thread(struct session *s)
{
    uint32_t n = wpp_grammar(s->w)->n_threads;

    if (n == 1)
        session_say(s, "the run has one thread");
    else
        s->prompt = PROMPT_THREAD;
}

static void take_thread(struct session *s)
{
    uint32_t n = wpp_grammar(s->w)->n_threads;
    uint64_t thread = s->at.thread + (uint64_t)1 < n ? s->at.thread + 1 : 0;

    if (s->input[0] && (!number_parse(s->input, 1000, &thread) || thread >= n))
        session_say(s, "the threads are 0 to %u", n - 1);
    else
        go_to_thread(s, (uint32_t)thread);
}

/* ---- Marks ------------------------------------------------------------------------------------------------------ */

static void take_mark(struct session *s, int letter)
{
    bool set = s->pending == 'm';

    s->pending = 0;
    if (!set && letter == '\'') {
        session_jump_to(s, s->before_jump);
        return;
    }
    if (letter < 'a' || letter > 'z') {
        session_say(s, "a mark is a letter from a to z");
        return;
    }
    if (set) {
        s->marks[letter - 'a'].set = true;
        s->marks[letter - 'a'].at = s->at;
        session_say(s, "mark %c: '%c comes back here", letter, letter);
    } else if (s->marks[letter - 'a'].set) {
        session_jump_to(s, s->marks[letter - 'a'].at);
    } else {
        session_say(s, "there is no mark %c", letter);
    }
}

/* ---- Hot subpaths --------------------------------------------------------------------------------------------------- */

static void ask_subpath(struct session *s)
{
    if (!s->hot.source.ask)
        session_say(s, "hot subpaths are not known here");
    else if (hot_list_ask(&s->hot) == HOT_FAILED)
        session_say(s, "out of memory: no hot subpaths were found");
    else
        s->prompt = PROMPT_HOT;
}

/* `3`: the next occurrence of the third one; `-3`: the one before; nothing: that of the last one. */
static void take_subpath(struct session *s)
{
    bool back = s->input[0] == '-';
    uint64_t which = s->hot.chosen ? s->hot.chosen : 1;

    if (s->hot.wanted)
        session_say(s, "the hot subpaths have not been found yet: H shows them");
    else if (s->hot.n == 0)
        session_say(s, "the run has no hot subpaths");
    else if ((s->input[back] && !number_parse(s->input + back, 1000, &which)) || which == 0 || which > s->hot.n)
        session_say(s, "the subpaths are 1 to %zu; -1 is an earlier occurrence", s->hot.n);
    else
        session_subpath(s, (size_t)which, back);
}

/* ---- Asking for a line --------------------------------------------------------------------------------------------- */

static void take_input(struct session *s)
{
    enum session_prompt prompt = s->prompt;

    s->prompt = PROMPT_NONE;
    if (prompt == PROMPT_SEARCH && s->input[0])
        strcpy(s->search, s->input);
    if (prompt == PROMPT_ROUTINE && s->input[0])
        strcpy(s->routine, s->input);
    if (prompt == PROMPT_THREAD)
        take_thread(s);
    else if (prompt == PROMPT_HOT)
        take_subpath(s);
    else if (prompt == PROMPT_PLACE && s->input[0])
        session_go(s, s->input);
    else if (prompt == PROMPT_SEARCH && s->search[0])
        search_source(s);
    else if (prompt == PROMPT_ROUTINE && s->routine[0])
        search_routine(s);
}

/* Appends a character of Unicode as UTF-8. */
static void append(struct session *s, uint32_t c)
{
    size_t n = strlen(s->input);
    char *out = s->input + n;

    if (n + 5 > sizeof s->input)
        return;
    if (c < 0x80) {
        *out++ = (char)c;
    } else if (c < 0x800) {
        *out++ = (char)(0xc0 | c >> 6);
    } else if (c < 0x10000) {
        *out++ = (char)(0xe0 | c >> 12);
        *out++ = (char)(0x80 | (c >> 6 & 0x3f));
    } else {
        *out++ = (char)(0xf0 | c >> 18);
        *out++ = (char)(0x80 | (c >> 12 & 0x3f));
        *out++ = (char)(0x80 | (c >> 6 & 0x3f));
    }
    if (c >= 0x80)
        *out++ = (char)(0x80 | (c & 0x3f));
    *out = '\0';
}

static void erase_last(struct session *s)
{
    size_t n = strlen(s->input);

    if (n == 0)
        s->prompt = PROMPT_NONE;
    while (n > 0 && ((unsigned char)s->input[--n] & 0xc0) == 0x80)
        continue;
    s->input[n] = '\0';
}

static void edit(struct session *s, int key)
{
    if (key == TERMINAL_ENTER)
        take_input(s);
    else if (key == TERMINAL_ESCAPE)
        s->prompt = PROMPT_NONE;
    else if (key == TERMINAL_BACKSPACE)
        erase_last(s);
    else if (key == 'U' - '@')
        s->input[0] = '\0';
    else if (key >= ' ' && key < TERMINAL_UP)
        append(s, (uint32_t)key);
}

/* ---- Keys ---------------------------------------------------------------------------------------------------------- */

static void do_key(struct session *s, int key, uint64_t n)
{
    switch (key) {
    case 's': step(s, n); break;
    case 'S': step_back(s, n); break;
    case 'n': repeat(s, stepper_next, n, "this is the end: N goes back"); break;
    case 'N': repeat(s, stepper_next_back, n, "no traced routine called this one"); break;
    case 'f': repeat(s, stepper_finish, n, "this is the end"); break;
    case 'F': repeat(s, stepper_to_call, n, "no traced routine called this one"); break;
    case ']': cursor_execution(s, n, false); break;
    case '[': cursor_execution(s, n, true); break;
    case 'g': s->prompt = PROMPT_PLACE; break;
    case '/': s->prompt = PROMPT_SEARCH; break;
    case 'r': s->prompt = PROMPT_ROUTINE; break;
    case 't': ask_thread(s); break;
    case 'H': ask_subpath(s); break;
    case 'm': case '\'': s->pending = key; break;
    case 'u': choose_by(s, n, true); break;
    case 'd': choose_by(s, n, false); break;
    case '.': look_at_place(s); break;
    case 'j': case TERMINAL_DOWN: case TERMINAL_ENTER: move_cursor(s, (int64_t)n); break;
    case 'k': case TERMINAL_UP: move_cursor(s, -(int64_t)n); break;
    case ' ': case TERMINAL_PAGE_DOWN: move_cursor(s, (int64_t)n * s->page); break;
    case 'b': case TERMINAL_PAGE_UP: move_cursor(s, -(int64_t)n * s->page); break;
    case '0': case TERMINAL_HOME: go_to_end(s, true); break;
    case '$': case TERMINAL_END: go_to_end(s, false); break;
    case 'h': case '?': s->help = true; break;
    case 'q': s->quit = true; break;
    case TERMINAL_ESCAPE: case TERMINAL_RESIZED: case 'L' - '@': break;
    default: session_say(s, "this key does nothing; h: help");
    }
}

/* In an early session: whether it is about the rest of the run. */
static bool needs_rest(int key)
{
    return key == ']' || key == '[' || key == 'g' || key == 't' || key == 'H' || key == '$' || key == TERMINAL_END;
}

/* In an early session: a move that comes to the end of what is there may end elsewhere.  Any other place is right:
 * what lies before it is there. */
static void do_key_early(struct session *s, int key, uint64_t n, uint64_t count)
{
    struct run_place at = s->at, before_jump = s->before_jump;

    if (!needs_rest(key)) {
        do_key(s, key, n);
        if (session_has(s, &s->at))
            return;
        session_move_to(s, at);
        s->before_jump = before_jump;
        s->message[0] = '\0';
    }
    s->count = count;
    s->waits_for_rest = key;
}

static bool take_digit(struct session *s, int key)
{
    enum { MOST = 1000000000 };    /* times a page, it is still a line */

    if (key < '0' || key > '9' || (key == '0' && s->count == 0))
        return false;
    s->count = 10 * s->count + (uint64_t)(key - '0');
    s->count = s->count < MOST ? s->count : MOST;
    return true;
}

void session_key(struct session *s, int key)
{
    uint64_t count = s->count, n = count ? count : 1;

    if (key == TERMINAL_RESIZED)
        return;
    if (session_waits(s)) {
        if (key == TERMINAL_ESCAPE) {
            s->wanted.what[0] = '\0';
            session_say(s, "given up");
        }
        return;
    }
    if (s->prompt != PROMPT_NONE) {
        edit(s, key);
        return;
    }
    s->message[0] = '\0';
    if (s->help) {
        s->help = false;
        return;
    }
    if (s->pending) {
        take_mark(s, key);
        return;
    }
    if (take_digit(s, key))
        return;
    s->count = 0;
    s->input[0] = '\0';
    if (s->early)
        do_key_early(s, key, n, count);
    else
        do_key(s, key, n);
}
