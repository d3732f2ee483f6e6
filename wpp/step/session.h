/* SPDX-License-Identifier: MIT */
/* session.h - a run that somebody goes through: where it stands, what is looked at, and what each key does.
 * It knows no terminal.
 *
 *      at                 the place of the run (stepper.h)
 *      rows[row]          the chosen row of the stack there; 0: the place's own
 *      file, cursor       the source line that is looked at: that of the chosen row, until the cursor moves
 */
#ifndef WPP_SESSION_H
#define WPP_SESSION_H

#include "wpp/replay/place-text.h"
#include "wpp/replay/source-changes.h"
#include "wpp/replay/stack-text.h"
#include "wpp/replay/stepper.h"
#include "wpp/step/executions.h"
#include "wpp/step/finders.h"
#include "wpp/step/hot-list.h"
#include "wpp/step/overview.h"
#include "wpp/replay/source-lines.h"

enum {
    N_MARKS = 26, SESSION_TEXT = 240,
#ifdef WPP_HOSTILE
    SESSION_AHEAD = 16
#else
    SESSION_AHEAD = 256            /* no more events behind the place are shown */
#endif
};

/* What is done when what it looks for can be found. */
struct session_wanted {
    char what[SESSION_TEXT + 16];  /* "": nothing */
    bool by_number;
    size_t subpath;                /* a hot subpath, from 1; 0: a line, routine or path */
    struct place place;            /* by number */
    uint64_t n;                    /* else the n-th next, or before */
    bool back;
};

/* `sort.c:59` or `swap`, whose executions are asked for. */
struct asked_for {
    struct sought sought;
    const char *names[1];
    char file[2 * SESSION_TEXT];
};

/* What a line is asked for. */
enum session_prompt { PROMPT_NONE, PROMPT_PLACE, PROMPT_SEARCH, PROMPT_ROUTINE, PROMPT_THREAD, PROMPT_HOT };

struct session {
    const wpp *w;
    const char *path;
    bool early;                    /* only the beginning of the run is there: session_begin_early() */
    int waits_for_rest;            /* then: the key that needs the rest; 0: none */
    struct wpp_summary run;
    wpp_stacks *stacks;
    struct stepper *stepper;
    wpp_turns *turns;
    struct source_changes changes;
    struct source_set sources;
    struct finders finders;
    struct overviews overviews;
    struct hot_list hot;           /* its source is set by whoever has one */

    struct run_place at;
    struct run_place before_jump;  /* where `''` goes back to */
    struct run_place *of_thread;   /* by thread: where it was left; event UINT64_MAX: not visited */
    struct { bool set; struct run_place at; } marks[N_MARKS];
    struct wpp_frame *frames;
    size_t n_frames;
    struct stack_row *rows;
    size_t n_rows, row;
    struct trail path_lines;       /* of the chosen row's path */
    struct wpp_turn *loops;        /* of the chosen row, outermost first */
    size_t n_loops;
    bool counts_loops;             /* they are not known yet: session_idle() looks for them */

    const char *file, *directory;  /* looked at; file NULL: no line is known */
    uint32_t cursor, top;          /* lines, from 1; top: the first one shown, which the screen decides */
    int page;                      /* lines shown */

    uint64_t count;                /* digits typed before a key; 0: none */
    int pending;                   /* `m` or `'`, whose letter comes next; 0: none */
    enum session_prompt prompt;
    char input[SESSION_TEXT], search[SESSION_TEXT], routine[SESSION_TEXT];
    uint32_t routine_found;        /* the last one found */
    char message[SESSION_TEXT];
    bool help, quit;
    struct session_wanted wanted;
    uint64_t jumps;                /* so many so far */
    const char *ready_file;        /* the line that session_idle() looked up last */
    uint32_t ready_line;
};

/* False, with one line: no memory, or a run without source lines.  `w` must live on. */
bool session_begin(struct session *s, const wpp *w, const char *path, uint32_t thread, wpp_stacks *stacks,
                   struct wpp_error *error);
/* Of a run of which only the beginning has been read (wpp_read_until()), with stacks of that.  Loops, overviews
 * and finders are not known, and session_idle() must not be called.  False also if no line of the thread is in the
 * beginning. */
bool session_begin_early(struct session *s, const wpp *w, const char *path, uint32_t thread, wpp_stacks *stacks,
                         struct wpp_error *error);
/* Whether the events around the place have been read. */
bool session_has(const struct session *s, const struct run_place *p);
/* Goes to where an early session of the same run stands, and looks at what it looks at. */
void session_take_over(struct session *s, const struct session *early);
void session_end(struct session *s);

/* Does what a key asks for (terminal.h).  Of an early session a key may need the rest of the run: then nothing
 * changes, and waits_for_rest is that key. */
void session_key(struct session *s, int key);
/* Goes to a place as people write it; what is wrong becomes the message. */
void session_go(struct session *s, const char *place);
/* Whether it must look for something before it can go there: then session_idle() does that, and keys wait, but
 * for Escape, which gives it up. */
bool session_waits(const struct session *s);

/* Moves, for the keys.  Each says in the message what it could not do. */
__attribute__((format(printf, 2, 3)))
void session_say(struct session *s, const char *format, ...);
void session_move_to(struct session *s, struct run_place to);
void session_jump_to(struct session *s, struct run_place to);
/* The n-th next execution of `sort.c:59` or `swap`, or (`back`) the n-th before. */
void session_execution(struct session *s, const char *what, uint64_t n, bool back);
/* Looks for it until it is found; false: there is none.  *out is right until N_FINDERS others are asked for.
 * Cost: O(grammar). */
bool session_ask_for(struct session *s, const char *what, struct asked_for *out);
/* The next or earlier occurrence of a hot subpath, by its number. */
void session_subpath(struct session *s, size_t which, bool back);
void session_choose_row(struct session *s, size_t row);
/* Looks at a line, of the file that is looked at or of another one. */
void session_look(struct session *s, const char *directory, const char *file, uint32_t line);

/* What can wait until no key comes: what is looked for, iterations that take long to count, the overview of the
 * chosen routine for so many columns, the finder of the cursor's line.  Each call does a part of some milliseconds;
 * false: nothing is left to do. */
bool session_idle(struct session *s, int columns);

/* The routine of the chosen row; WPP_NO_ROUTINE: none. */
uint32_t session_routine(const struct session *s);
/* The text of the cursor's line, `sort.c:59`; false: there is none. */
bool session_cursor_text(const struct session *s, char *out, size_t size);

#endif
