/* SPDX-License-Identifier: MIT */
/* wpp.h - reading whole program paths.
 *
 * A WPP file (docs/wpp-format.md) holds the complete control flow of one
 * process as a context-free grammar over acyclic paths, one start rule per
 * thread, and the tables that turn a path into routines, blocks and source
 * lines.  This header opens such a file and shows all of it as plain arrays;
 * nothing is ever expanded.
 *
 *      wpp_open -> grammar: rules, threads' start rules
 *                  terminals: token, routine, path number, cost
 *                  routines: name, file, blocks, lines, edges
 *
 * All pointers handed out belong to the `wpp` and live until wpp_close().  An
 * open `wpp` is read-only: several threads may use it at once.  The library
 * prints nothing and keeps no global state.
 */
#ifndef WPP_H
#define WPP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define WPP_VERSION "0.1.0"

/* ---- Errors ------------------------------------------------------------ */

enum wpp_status {
    WPP_OK = 0,
    WPP_E_SYSTEM,       /* a system call failed; errno's text is in the message */
    WPP_E_MEMORY,
    WPP_E_FORMAT,       /* not such a file at all */
    WPP_E_VERSION,      /* made by a version this one cannot read */
    WPP_E_DAMAGED,      /* checksum or structure wrong */
    WPP_E_INCOMPLETE,   /* cut short; what was intact has been used */
    WPP_E_MISMATCH,     /* the program's file is not the one that was traced */
    WPP_E_NOT_TRACED,   /* the program has no path table: it is not instrumented */
    WPP_E_ARGUMENT
};

/* Filled by every function that can fail: one line, without the program's
 * name and without a newline: what is wrong, where, what to do. */
struct wpp_error {
    enum wpp_status status;
    char text[512];
};

/* ---- Opening ------------------------------------------------------------ */

typedef struct wpp wpp;

/* Reads and verifies `path` ("-": standard input).  NULL on error:
 * WPP_E_SYSTEM, _MEMORY, _FORMAT, _VERSION, _DAMAGED, _INCOMPLETE. */
wpp *wpp_open(const char *path, struct wpp_error *error);
void wpp_close(wpp *w);

/* ---- Damaged files ------------------------------------------------------ */

/* What a file consists of.  Where one is missing, what else is of no use without it is, too: the
 * paths without the routines, the times without the paths. */
enum wpp_part {
    WPP_PART_SUMMARY = 1 << 0,     /* of struct wpp_summary: program to nanoseconds, lost to
                                      trace_bytes, complete */
    WPP_PART_MODULES = 1 << 1,     /* n_modules, n_instrumented_routines, n_limited_routines;
                                      `module` of routines is "" without it */
    WPP_PART_ROUTINES = 1 << 2,    /* there are none without it */
    WPP_PART_TERMINALS = 1 << 3,   /* wpp_terminal() has none, though the grammar may */
    WPP_PART_THREADS = 1 << 4,     /* tid and name; how many and how long, the grammar says too */
    WPP_PART_GRAMMAR = 1 << 5,     /* derives nothing without it; the threads keep their lengths.
                                      If it is not missing, but some segments of several are, a
                                      terminal Gap stands in their place in the start rules,
                                      and `unread` says how many events that are */
    WPP_PART_CHUNKS = 1 << 6,
    WPP_PART_LEFT_OUT = 1 << 7,
    WPP_PART_TIMES = 1 << 8,       /* ticks */
    WPP_PART_COUNTS = 1 << 9,      /* of a path profile: wpp_terminal_counts(), `tokens`,
                                      `profile_kind` and `runs` */
    WPP_PART_DEATHS = 1 << 10,     /* n_deaths, wpp_death() */
    WPP_PART_ALL = (1 << 11) - 1
};

/* As wpp_open(); but of a file that is damaged or cut, what is intact is read.  NULL if nothing
 * is.  What is missing is empty, 0 or "": ask wpp_missing() before you believe it. */
wpp *wpp_open_intact(const char *path, struct wpp_error *error);

/* As wpp_open_intact(), for wpp_get_summary(), wpp_terminal_counts() and all that is no grammar.  If the
 * file says these figures itself, as large ones do, its grammar is only verified, by its checksum:
 * then wpp_grammar() derives nothing, and there is no cursor. */
wpp *wpp_open_figures(const char *path, struct wpp_error *error);

/* As wpp_open_intact(), for questions about the beginning of a run.  If the file is a large one, as for
 * wpp_open_figures(), its grammar is verified by its checksum, but not read: it derives nothing until
 * wpp_read_until() reads as much of it as is needed.  Other files are read whole.  All other parts, and
 * wpp_terminal_counts(), are there. */
wpp *wpp_open_unread(const char *path, struct wpp_error *error);

/* Reads on, from the beginning of the run, until n executions of what `weights` tells (see "Asking" below; NULL:
 * n events) have come in a thread, or in all threads, one after the other; or until there are no more.  Threads
 * before that one are read with it.  From then on wpp_grammar() derives the events that have been read, though
 * wpp_thread() tells of all, and all functions below answer as if the run had ended there: so ask about places
 * before that alone.  What was made before from the grammar (its arrays, cursors, finders, stacks) is no longer
 * valid, and no other thread may use `w` meanwhile.
 *
 * False: WPP_E_MEMORY, after which only wpp_close() may follow; WPP_E_DAMAGED: what was to be read makes no sense, and
 * the grammar is missing from now on.
 * Cost: O(what is read of the grammar). */
#define WPP_ALL_THREADS UINT32_MAX
bool wpp_read_until(wpp *w, uint32_t thread, const uint32_t *weights, uint64_t n, struct wpp_error *error);
/* The events of a thread that the grammar derives: all of them, unless the file was opened by wpp_open_unread() (or by
 * wpp_open_figures()).  thread < n_threads. */
uint64_t wpp_events_read(const wpp *w, uint32_t thread);

/* The parts that are missing, none of them after wpp_open(), and those that have been read: bits
 * of enum wpp_part.  What a file need not have is in neither. */
unsigned wpp_missing(const wpp *w);
unsigned wpp_present(const wpp *w);

/* What was found to be wrong: one line without the file's name, "the times of paths are damaged
 * (section 9 at byte 4711)".  There may be some though nothing is missing. */
struct wpp_damage {
    unsigned part;                 /* the one that is missing for it; 0: none is */
    const char *text;
};
const struct wpp_damage *wpp_damages(const wpp *w, uint32_t *n);

/* "the times of paths": of the lowest bit of part, which is not 0. */
const char *wpp_part_name(unsigned part);

/* ---- The run ------------------------------------------------------------ */

/* Why a recording holds no more.  Later versions may know more reasons. */
enum wpp_ended {
    WPP_ENDED_UNSAID = 0,
    WPP_ENDED_LIMIT = 1,       /* stopped by a limit of events */
    WPP_ENDED_DURATION = 2,    /* stopped by a limit of time */
    WPP_ENDED_INTERRUPT = 3,   /* left out waiting events */
    WPP_ENDED_RECORDER = 4,    /* its recorder was killed */
    WPP_ENDED_LOOK = 5,        /* the process ran on */
    WPP_ENDED_UNREAD = 6,      /* all events are there, but not what those of some module mean */
    WPP_ENDED_UNTOLD = 7,      /* of a complete one: how the process ended is not known; it did not
                                  return from main, nor call exit */
    WPP_ENDED_APART = 8,       /* of an incomplete one: likewise, and a thread or another runtime
                                  had events that are in no record, or it ran on */
    WPP_ENDED_DISK = 9         /* waiting events could not be read back from the disk */
};

/* What a path profile counts. */
enum wpp_profile_kind {
    WPP_PROFILE_PATHS = 1,     /* paths that calls do not cut */
    WPP_PROFILE_CUT_PATHS = 2, /* paths as a trace has them: calls end them */
    WPP_PROFILE_EDGES = 3      /* edges of control-flow graphs: each is a path of one block */
};

/* Which part of a partitioned profile (wpp-p3) counts are. */
struct wpp_part_of_profile {
    uint32_t copy, copies;     /* 1 .. copies; 0: the counts are of all paths */
    uint64_t plan;             /* which plan shares out the paths */
};

struct wpp_summary {
    const char *program;       /* path of the executable, "" for raw symbols */
    const char *command;       /* command line, arguments separated by blanks */
    const char *host;
    uint32_t pid;
    uint64_t started;          /* seconds since 1970, 0 if unknown */
    uint64_t nanoseconds;      /* from first to last record, 0 if unknown */
    uint64_t tokens;           /* events in all threads */
    uint64_t recorded;         /* the same, also of a damaged file: with its `unread` ones */
    uint64_t unread;           /* events in segments of the grammar that are damaged */
    uint64_t lost;             /* events that are known to be missing */
    uint64_t waited;           /* nanoseconds that the process waited for its recorder */
    uint64_t stops;            /* how often the program or a signal stopped recording */
    uint64_t stopped;          /* nanoseconds, all together */
    uint64_t unrecorded;       /* events meanwhile, as far as it is known */
    uint32_t ended;            /* enum wpp_ended */
    uint64_t dropped;          /* of the lost events: those before the last ones, when only these
                                  were to be kept */
    uint32_t exited;           /* 1 + the exit status of the process; 0: unknown, or killed */
    uint32_t killed;           /* the signal that killed the process; 0: unknown, or none did */
    uint64_t early;            /* events before recording, or that of their module, began */
    uint64_t trace_bytes;      /* of the trace as it was read */
    uint64_t file_bytes;       /* of the WPP */
    uint64_t grammar_bytes;    /* of the grammar section in the file, compressed */
    bool complete;             /* the trace ended with the process's own end record */
    uint32_t n_threads, n_routines, n_terminals, n_rules;
    uint32_t n_segments;       /* grammars that the file holds; they are joined when it is opened */
    uint32_t parts;            /* more than 1: the grammar was built in so many parts.  Then digrams
                                  are unique in each part only */
    uint64_t rhs_symbols;      /* on all right-hand sides, start rules included */
    uint64_t longest_rule;     /* the most events that a rule derives, start rules left out */
    uint32_t n_controls;       /* terminals that are control words, no paths */
    uint32_t n_modules, n_instrumented_routines, n_limited_routines;
    uint32_t n_unread_modules;
    uint32_t n_left_out;
    uint32_t n_sources;
    uint32_t n_deaths;
    uint64_t ticks_per_second; /* of the clock that timed the paths; 0: they were not timed */
    uint64_t ticks;            /* that all paths took together */
    bool is_profile;           /* a path profile: counts of paths, in no order.  Its grammar is
                                  empty, it has no threads, and `tokens` is the sum of the
                                  counts (at most UINT64_MAX) */
    uint32_t profile_kind;     /* of a path profile: enum wpp_profile_kind */
    uint64_t runs;             /* that a path profile sums; 0: it is none */
    struct wpp_part_of_profile part;    /* of a path profile that lacks the paths of other copies */
};
void wpp_get_summary(const wpp *w, struct wpp_summary *out);

/* A module whose file was gone, or was not the one that was traced, when the trace was compressed.
 * Its paths are terminals without routine: their tokens begin with `token`. */
struct wpp_unread_module {
    const char *path;          /* as the process had it */
    const char *why;           /* one line, with the name of the file that was looked at */
    uint32_t token, n_tokens;
};
/* index < n_unread_modules */
const struct wpp_unread_module *wpp_unread_module(const wpp *w, uint32_t index);

struct wpp_thread {
    uint32_t tid;              /* the kernel's; 0 for raw symbols */
    const char *name;
    uint64_t tokens;           /* events that its start rule derives */
    uint64_t recorded;         /* the same, also if some segments of the grammar are damaged */
};
const struct wpp_thread *wpp_thread(const wpp *w, uint32_t index);   /* index < n_threads */

/* When pieces of the trace were recorded: from event `first` of `thread` on,
 * until its next chunk.  In order of the trace. */
struct wpp_chunk {
    uint32_t thread;
    uint64_t first;
    uint64_t time;             /* CLOCK_MONOTONIC nanoseconds when the piece was begun, rounded down
                                  by at most 1/128 of the mean distance of a thread's chunks */
};
const struct wpp_chunk *wpp_chunks(const wpp *w, uint64_t *n);

/* ---- Grammar ------------------------------------------------------------ */

#define WPP_RULE UINT32_C(0x80000000)  /* set: a rule's number; clear: a terminal's */

/* Rule r's right-hand side is symbols[body[r] .. body[r+1]).  A rule uses only
 * rules with smaller numbers, so ascending order is bottom-up.  The start rule
 * of thread k is rule number n_rules + k; no rule uses a start rule. */
struct wpp_grammar {
    uint32_t n_terminals, n_rules, n_threads;
    const uint64_t *body;      /* n_rules + n_threads + 1 */
    const uint32_t *symbols;
    const uint64_t *length;    /* n_rules + n_threads: events the rule derives */
};
const struct wpp_grammar *wpp_grammar(const wpp *w);

/* ---- Terminals: executed (routine, path) pairs, by first execution, the
 * threads taken one after the other; in a path profile by module and token ------- */

#define WPP_NO_ROUTINE UINT32_MAX

struct wpp_terminal {
    uint32_t token;            /* the word in the trace */
    uint32_t routine;          /* WPP_NO_ROUTINE: a raw symbol, a control word, or of a module
                                  that was not read */
    uint64_t path;             /* number within the routine; with `left`, WPP_LEFT_PATH() */
    uint32_t n_blocks;
    const uint32_t *blocks;    /* in execution order, without ENTRY and EXIT */
    uint32_t n_edges;
    const uint32_t *edges;     /* indices into the routine's edges; n_blocks + 1 */
    uint64_t ticks;            /* that all its executions took, where paths were timed */
    uint64_t insns;            /* cost: sum over its blocks, at least 1; 0 if `control` */
    bool enters, leaves;       /* begins at routine entry; ends by returning */
    bool control;              /* a control word of the trace: it ran nothing */
    uint32_t left;             /* of a path profile: the activation was left within the call that ends
                                  this block, the last one, and `edges` has only as many edges as
                                  there are blocks; 0: it was not */
};

/* The number of what path `p` of the routine `r` does until it is in block `b`. */
#define WPP_LEFT_PATH(r, p, b) ((r)->num_paths + (uint64_t)(p) * (r)->n_blocks + (b))
const struct wpp_terminal *wpp_terminal(const wpp *w, uint32_t terminal);

/* What a terminal without routine is called: `Frame 3`, `control 0xffff0007`,
 * `symbol 17`.  Returns `out`, which has room for WPP_SYMBOL_NAME bytes. */
enum { WPP_SYMBOL_NAME = 32 };
const char *wpp_symbol_name(const struct wpp_terminal *t, char *out);

/* ---- Routines ------------------------------------------------------------ */

enum wpp_edge_kind {           /* docs/path-table-format.md */
    WPP_EDGE_REAL, WPP_EDGE_START, WPP_EDGE_END_BACK, WPP_EDGE_END_CALL,
    WPP_EDGE_END_LIMIT, WPP_EDGE_END_JUMP, WPP_EDGE_END_STOP
};

struct wpp_line {
    const char *file;
    uint32_t line;
    uint32_t inlined;          /* 0: the routine's own code; otherwise 1 + index into the
                                * routine's `inlined`: the innermost call it is the code of */
};

struct wpp_block {
    uint32_t insns;
    uint32_t n_lines;
    const struct wpp_line *lines;
};

struct wpp_edge {
    uint32_t src, dst;
    uint32_t kind;             /* wpp_edge_kind */
    uint32_t to;               /* END kinds: block where execution goes on, UINT32_MAX if unknown */
    uint64_t val;
};

enum wpp_routine_flag {        /* bits of wpp_routine.flags, docs/path-table-format.md */
    WPP_ROUTINE_LIMITED = 1,   /* some of its paths are cut at the path limit */
    WPP_ROUTINE_NONLOCAL = 2,  /* non-local returns may enter it */
    WPP_ROUTINE_NUMBERED = 4,  /* Frame words name its activations */
    WPP_ROUTINE_ARTIFICIAL = 8 /* nobody wrote it: gcov does not count its lines */
};

/* An exception out of the last statement of block `src` may go on at `dst`. */
struct wpp_landing { uint32_t src, dst; };

/* A call that the compiler replaced by the code of its callee, which may hold others:
 *
 *      sort:12 calls partition, partition:30 calls swap
 *      inlined[0]   partition   caller 0   sort.c:12
 *      inlined[1]   swap        caller 1   sort.c:30
 *
 * Calls of a function in one line of one caller are one. */
struct wpp_inlined {
    const char *name;          /* of the callee, as in struct wpp_routine */
    const char *shown;         /* likewise; only in an open file */
    const char *file;          /* where the call stood */
    uint32_t line;             /* 0: not known, and then the caller may not be the direct one */
    uint32_t caller;           /* 0: the routine; otherwise 1 + index of a call before this one */
};

enum wpp_stage {               /* of the compiler, at which the graph was taken */
    WPP_STAGE_LATE,            /* behind its optimisations */
    WPP_STAGE_EARLY,           /* before inlining */
    WPP_STAGE_FINAL,           /* the code itself: of samples (docs/address-map.md) */
    WPP_STAGE_LAYOUT           /* before the layout of blocks: of samples, for a compiler */
};

struct wpp_routine {
    const char *name;          /* assembler name */
    const char *shown;         /* for people: C++ demangled where the C++ runtime is installed */
    const char *file;          /* of its definition, as given to the compiler */
    const char *directory;     /* where it was compiled */
    const char *module;        /* path of the executable or library */
    uint32_t line;
    uint32_t flags;            /* wpp_routine_flag */
    uint64_t num_paths;
    uint32_t n_blocks;         /* block 0 ENTRY, 1 EXIT */
    const struct wpp_block *blocks;
    uint32_t n_edges;
    const struct wpp_edge *edges;
    uint32_t n_landings;
    const struct wpp_landing *landings;    /* ascending by (src, dst) */
    uint32_t n_inlined;        /* 0 also in files made before these were kept */
    const struct wpp_inlined *inlined;
    uint32_t stage;            /* wpp_stage, or one of a later version */
};
/* Executed routines only, by first terminal.  index < n_routines. */
const struct wpp_routine *wpp_routine(const wpp *w, uint32_t index);

/* Routines that were compiled with the plugin and not instrumented.  What was
 * compiled without it is not known of.  ORDER REASON: gcc-plugin/table/unit-table.h. */
enum wpp_reason {
    WPP_LEFT_OUT_ATTRIBUTE = 1,  /* __attribute__((no_wpp)) */
    WPP_LEFT_OUT_NOT_INCLUDED,   /* matches no include= */
    WPP_LEFT_OUT_EXCLUDED,       /* matches an exclude= */
    WPP_LEFT_OUT_TOO_SMALL,      /* below min-size= */
    WPP_LEFT_OUT_NO_FRAME,       /* naked function or interrupt handler */
    WPP_LEFT_OUT_TOO_EARLY,      /* runs before the runtime can: an IFUNC's resolver */
    WPP_LEFT_OUT_NO_NUMBERS,     /* too many paths for any limit */
    WPP_LEFT_OUT_COMPILERS_OWN   /* a constructor or destructor that is in no source */
};

struct wpp_left_out {
    const char *name, *file;     /* as in struct wpp_routine */
    const char *shown;           /* likewise; only in an open file */
    const char *module;
    uint32_t line;
    uint32_t reason;             /* wpp_reason, or one of a later version */
};
/* By module, file, line and name.  index < n_left_out. */
const struct wpp_left_out *wpp_left_out(const wpp *w, uint32_t index);

/* What a source file of executed routines held when it was compiled: FNV-1a 64 of its bytes, where
 * a CR right before an LF is left out.  One that was compiled in several states is there several
 * times. */
struct wpp_source {
    const char *file;            /* as given to the compiler, like wpp_line.file */
    const char *directory;       /* where it was compiled */
    uint64_t hash;
};
/* By directory, file and hash.  index < n_sources; none in files made before these were kept. */
const struct wpp_source *wpp_source(const wpp *w, uint32_t index);

/* ---- Deaths ---------------------------------------------------------------- */

/* What is known of the place where a thread was. */
enum wpp_death_place {
    WPP_DEATH_UNKNOWN = 0,       /* in code that is not traced, and no call of traced code leads there */
    WPP_DEATH_AT = 1,            /* at an instruction of a traced routine */
    WPP_DEATH_IN_CALL = 2        /* in code that is not traced; it was called from there */
};

/* Where a thread was when a signal killed the process.  Its path had not ended, so the trace has no
 * event of it: wpp/replay/last-path.h finds out which blocks it can have passed. */
struct wpp_death {
    uint32_t thread;
    uint32_t signal;
    int32_t code;                /* siginfo's si_code */
    uint64_t address;            /* the address that was accessed, of a bad access */
    uint32_t place;              /* wpp_death_place; with UNKNOWN the rest is 0, "" and NULL */
    const char *module;
    uint64_t offset;             /* virtual address in the module's file */
    const char *symbol;          /* assembler name of the function */
    const char *file;            /* as in struct wpp_line; "" if the line is 0 */
    uint32_t line;               /* 0: the program was compiled without -g, or the line is not known */
    uint32_t number;             /* of the routine; WPP_NO_ROUTINE if none of its paths has ended */
    const struct wpp_routine *routine;
};
/* By threads' buffers.  index < n_deaths; mostly 0 or 1.  None of a process that SIGKILL or a signal
 * that the program handles has ended. */
const struct wpp_death *wpp_death(const wpp *w, uint32_t index);

/* ---- Derived, computed on demand into the caller's arrays ----------------- */

/* Frequency of each rule, start rules included (n_rules + n_threads values):
 * how often it stands in the expansion of all threads, i.e. the number of DAG
 * paths from the start rules to it (Larus 3.3).  Saturates at UINT64_MAX. */
void wpp_rule_frequencies(const wpp *w, uint64_t *out);

/* Executions of each terminal (n_terminals values), of a path profile too. */
void wpp_terminal_counts(const wpp *w, uint64_t *out);

/* Walking a thread's events in order from event `first`: O(depth) to begin,
 * amortised O(1) an event. */
typedef struct wpp_cursor wpp_cursor;
/* NULL: no memory, no such thread, first > tokens, or the grammar is missing. */
wpp_cursor *wpp_cursor_new(const wpp *w, uint32_t thread, uint64_t first);
/* Writes up to n terminals, returns how many; 0 at the end. */
size_t wpp_cursor_read(wpp_cursor *c, uint32_t *terminals, size_t n);
void wpp_cursor_free(wpp_cursor *c);

/* ---- Asking: where in the run something was executed ------------------------------
 *
 * A place in a run is a thread and the number of an event in it, counted from 0.  In the costs, d is
 * the grammar's depth, which is about the logarithm of the number of events.
 */

/* What is looked for: weights[t] is how many executions of it each execution of terminal t holds.
 * These fill the n_terminals weights, and return whether there are others than 0, hence whether it
 * was executed.  wpp_weigh_line() needs memory, a byte a block of the largest routine, and without it
 * finds nothing.  Cost: O(blocks of all terminals). */

/* A line begins to be executed when control comes to it from another one, or round a loop that lies in
 * it; it goes on when a call returns to it. `file` is as in struct wpp_line, or the last parts of that path. */
bool wpp_weigh_line(const wpp *w, const char *file, uint32_t line, uint32_t *weights);
/* A routine is executed when it is entered. */
bool wpp_weigh_routine(const wpp *w, uint32_t routine, uint32_t *weights);
bool wpp_weigh_path(const wpp *w, uint32_t routine, uint64_t path, uint32_t *weights);

/* Where execution `within` of the line begins in a terminal's path, counted from 0: it tells the inlined
 * call.  NULL: there are fewer. */
const struct wpp_line *wpp_line_at(const wpp *w, uint32_t terminal, const char *file, uint32_t line,
                                   uint32_t within);

/* Executions of one thing, by their order. */
typedef struct wpp_finder wpp_finder;
/* NULL: WPP_E_MEMORY; WPP_E_DAMAGED: the grammar is missing; WPP_E_ARGUMENT: there are 2^64 or more.
 * `w` must live on.  Cost: O(grammar). */
wpp_finder *wpp_finder_new(const wpp *w, const uint32_t *weights, struct wpp_error *error);
void wpp_finder_free(wpp_finder *f);
/* How many executions there are in events [begin, end) of a thread, begin <= end <= tokens.  So
 * the next execution at or behind an event e is number wpp_finder_count(f, thread, 0, e).  O(d). */
uint64_t wpp_finder_count(const wpp_finder *f, uint32_t thread, uint64_t begin, uint64_t end);
/* The event that holds execution k of the thread, counted from 0, and how many of its executions it
 * holds before that one.  False: there are no more than k.  O(d). */
bool wpp_finder_nth(const wpp_finder *f, uint32_t thread, uint64_t k, uint64_t *event,
                    uint32_t *within);

/* ---- Asking: the stack --------------------------------------------------------------- */

/* An activation.  Its events, and those of all that it called, are [first, end). */
struct wpp_frame {
    uint32_t routine;
    bool unseen;               /* it had begun before the first event: its call was not seen */
    uint64_t first, end;
    uint64_t last;             /* its own last event up to the one that was asked for: where it has
                                  come to.  Of a caller: it ended before the call */
    uint32_t terminal;         /* of `last` */
};

/* The call stacks of a run. */
typedef struct wpp_stacks wpp_stacks;
/* NULL: WPP_E_MEMORY, WPP_E_ARGUMENT: too large a run.  Cost: O(grammar) mostly, see
 * wpp/replay/call-tree.h.  `w` must live on. */
wpp_stacks *wpp_stacks_new(const wpp *w, struct wpp_error *error);
void wpp_stacks_free(wpp_stacks *s);
/* The activations in which an event runs, outermost first; its own one is the last.  For event
 * number `tokens` those that have not ended when the thread's events do.  *out is from malloc.  False:
 * no memory.  Cost: O(depth of the stack * d). */
bool wpp_stack_at(const wpp_stacks *s, uint32_t thread, uint64_t event, struct wpp_frame **out,
                  size_t *n);

/* ---- Asking: loops ------------------------------------------------------------------- */

/* An iteration of a loop. */
struct wpp_turn {
    uint32_t header;               /* the loop's first block, which only it is entered by */
    const struct wpp_line *line;   /* of that block; NULL: the loop has no lines */
    uint64_t turn;                 /* the iteration, counted from 1, since the activation last came to the
                                      loop from outside.  0: it came into the loop's midst, by an exception */
    uint64_t turns;                /* how many there are until it leaves the loop.  Of a loop that its first
                                      block ends, the last arrival there is none: then turn > turns */
};

/* The iterations of a run's loops: natural loops of its routines' graphs. */
typedef struct wpp_turns wpp_turns;
/* NULL: WPP_E_MEMORY.  `stacks` and their wpp must live on.  Cost: O(call tree). */
wpp_turns *wpp_turns_new(const wpp_stacks *stacks, struct wpp_error *error);
void wpp_turns_free(wpp_turns *t);
/* The loops in which block number `block` of an event's path lies, outermost first; event < tokens.  *out
 * is from malloc.  False: no memory.  Cost: O(d * the longest right-hand side), and O(1) for each part of
 * the call tree in this stay in the loop that no question was about before.  It keeps what it finds: one
 * thread at a time may ask. */
bool wpp_turns_at(wpp_turns *t, uint32_t thread, uint64_t event, uint32_t block, struct wpp_turn **out,
                  size_t *n);

/* ---- Asking: time ------------------------------------------------------------------ */

/* About when an event ran: nanoseconds since the first chunk began, interpolated between the beginnings
 * of the thread's chunks, which are as exact as struct wpp_chunk says.  False: no times are known.  Cost: O(chunks). */
bool wpp_time_of(const wpp *w, uint32_t thread, uint64_t event, uint64_t *nanoseconds);
/* The event that runs about then; `tokens` behind the last one. */
bool wpp_event_at(const wpp *w, uint32_t thread, uint64_t nanoseconds, uint64_t *event);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
