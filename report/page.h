/* SPDX-License-Identifier: MIT */
/* page.h - what the HTML page asks of a run, answered as JSON.
 *
 *      report/page/ (JavaScript)  <- JSON -  report/wasm/ (exports)  -> page.h  -> libwpp, libhotpaths
 *
 * The page is compiled from these files to WebAssembly; the tests call them as they are.  Numbers of
 * events come and go as doubles: exact up to 2^53.  Strings are escaped by json_string().  All answers
 * are written to `out`, whose errors are the caller's to check, and return false without memory; then
 * what was written is of no use.
 *
 * In the costs, d is the grammar's depth.
 */
#ifndef WPP_PAGE_H
#define WPP_PAGE_H

#include <stdio.h>

#include "report/page-sources.h"
#include "wpp/profile/context-tree.h"
#include "wpp/profile/parts.h"
#include "wpp/wpp.h"

/* A thread's clock: event first[i] ran at time[i]; both ascend.  The last one is the thread's end. */
struct page_clock {
    double *first, *time;
    size_t n;                  /* 0: no times are known */
};

/* Where a thread executed paths for the first time, ascending, and which. */
struct page_firsts {
    uint64_t *event;
    uint32_t *terminal;
    size_t n;
};

/* What is asked of a terminal most: beside it in memory, because there are many questions. */
struct page_path { uint32_t routine; double insns; };

/* An open run, with what answers have made so far: each is made once, by the first answer that needs
 * it. */
struct page_run {
    wpp *w;
    const char *name;          /* of the file; the caller's */
    struct page_sources sources;
    wpp_stacks *stacks;
    struct run_costs costs;
    struct parts parts;
    struct context_tree contexts;
    bool has_costs, has_parts;
    bool has_contexts;         /* it is made, or being made */
    struct page_path *path;    /* by terminal */
    uint64_t *frequency;       /* by rule, start rules included */
    uint32_t *mostly;          /* likewise: the routine that runs most of its events, as far as a vote tells;
                                  WPP_NO_ROUTINE: none does */
    struct page_clock *clock;      /* by thread */
    struct page_firsts *firsts;    /* by thread */
    struct page_lines *lines;      /* page-source.c */
    /* What page_seek() was asked for the last time. */
    wpp_finder *finder;        /* NULL: there are no executions of it */
    uint32_t *weights;
    bool found;                /* the finder has counted all */
};

/* How much of a file is opened: of a large one, its figures come much sooner than its grammar.  They suffice
 * for page_overview(); there is no other answer then. */
enum page_extent { PAGE_WHOLE, PAGE_FIGURES };

/* Opens a file in memory.  What is intact of a damaged file is read.  False: *error says why.  Its
 * sources are the caller's to read (page_sources_read()); page_close() frees them. */
bool page_open(struct page_run *r, enum page_extent extent, const void *file, size_t size,
               const char *name, struct wpp_error *error);
void page_close(struct page_run *r);
void page_lines_free(struct page_lines *lines);

/* These make what their name says, unless it is there.  False: no memory, or *error (may be NULL). */
bool page_need_stacks(struct page_run *r, struct wpp_error *error);
bool page_need_costs(struct page_run *r, struct wpp_error *error);
bool page_need_parts(struct page_run *r, struct wpp_error *error);
bool page_need_lines(struct page_run *r);
bool page_need_clock(struct page_run *r);
bool page_need_firsts(struct page_run *r);
bool page_need_paths(struct page_run *r);
bool page_need_frequencies(struct page_run *r);
bool page_need_mostly(struct page_run *r);

/* Goes on with making the tree of contexts, and looks at about `items` items of the call tree
 * (context-tree.h).  Nothing needs it, but answers of page_tree() take milliseconds where it is made.  Says whether it is.  False: no memory, or *error. */
bool page_make_contexts(struct page_run *r, double items, FILE *out, struct wpp_error *error);

/* ---- Answers -------------------------------------------------------------------------------- */

/* The run: program, length, threads, repetition, damage; names of all routines, and which are shown shorter. */
bool page_overview(struct page_run *r, FILE *out);

/* A part of a thread, divided into columns of equal events, or of equal time. */
struct page_view {
    uint32_t thread;
    bool by_time;
    double from, to;           /* events, or nanoseconds; from < to */
    uint32_t columns;          /* 1 .. PAGE_COLUMNS */
};
enum { PAGE_COLUMNS = 4096, PAGE_RULE_LEVELS = 10, PAGE_CALL_LEVELS = 24 };

/* The rules that derive the view, level by level: bars [begin, end) in columns; where paths were executed
 * for the first time; and by column how many symbols of the start rule begin there.  A bar narrower than a column is drawn as that column; it hides its
 * neighbours.  Cost: O(columns * levels * d), and once O(grammar). */
bool page_timeline(struct page_run *r, const struct page_view *v, FILE *out);
/* The activations in the view.  Cost: O(columns * depth of the stack * d), and once that of
 * wpp_stacks_new(). */
bool page_calls(struct page_run *r, const struct page_view *v, FILE *out);

/* One event: its path with its lines, the rules around it, its time. */
bool page_event(struct page_run *r, uint32_t thread, double event, FILE *out);
/* Its call stack.  Cost: once that of wpp_stacks_new(). */
bool page_stack(struct page_run *r, uint32_t thread, double event, FILE *out);

enum page_what { PAGE_ROUTINE, PAGE_LINE, PAGE_PATH };

/* What page_find() looks for: a routine's calls, executions of a line, or those of a terminal.  By thread: in
 * which event it is for the first time, and how often; of several threads only page_seek_on() knows how often.
 * Cost: O(paths), and once O(grammar). */
bool page_seek(struct page_run *r, enum page_what what, uint32_t number, const char *file,
               uint32_t line, FILE *out);
/* Counts in that many symbols more, and says whether all are counted; then it has the counts.  page_find() does
 * the rest itself. */
bool page_seek_on(struct page_run *r, double symbols, FILE *out);
/* The next execution at or behind `event` of the thread, or the last one before it. */
bool page_find(struct page_run *r, uint32_t thread, double event, bool forwards, FILE *out);

/* A rule (start rules included): its length, its frequency, the first part of its right-hand side.
 * Cost: once O(grammar). */
bool page_rule(struct page_run *r, uint32_t rule, FILE *out);
/* What uses the rule, and which routines it runs.  Cost: O(grammar). */
bool page_rule_use(struct page_run *r, uint32_t rule, FILE *out);
/* The rules below a rule, down to `levels` and at most `most` of them, as nodes and edges; of what one rule uses,
 * those that derive most of it. */
bool page_graph(struct page_run *r, uint32_t rule, uint32_t levels, uint32_t most, FILE *out);

/* Tables of routines, loops and lines; `top` rows of each. */
bool page_report(struct page_run *r, uint32_t top, FILE *out);
/* The tree of calls from the threads' beginnings on, down to a share (0 .. 1) of the run; or below a
 * routine, or of its callers.  Cost: that of context_tree_below(); while
 * page_make_contexts() has not made it, that of contexts_below(). */
enum page_tree { PAGE_TREE_ALL, PAGE_TREE_BELOW, PAGE_TREE_ABOVE };
bool page_tree(struct page_run *r, enum page_tree kind, uint32_t routine, double share, FILE *out);

/* Hot subpaths: `wanted` of them, of at most `length` paths. */
bool page_hot(struct page_run *r, uint32_t wanted, uint32_t length, FILE *out);

/* Source files of executed routines, with what was executed of them. */
bool page_files(struct page_run *r, FILE *out);
/* Lines [first, last] of file number `file` of page_files(), with text, executions, cost. */
bool page_lines(struct page_run *r, uint32_t file, uint32_t first, uint32_t last, FILE *out);

/* Two runs: where they part, and what they executed differently. */
bool page_compare(struct page_run *a, struct page_run *b, unsigned by, FILE *out);

#endif
