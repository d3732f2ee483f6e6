/* SPDX-License-Identifier: MIT */
/* tool.h - messages, options and habits that all command-line tools share.
 *
 * For main() and the functions directly below it; the libraries never call this.  Every message
 * is one line on standard error, `NAME: text`.
 */
#ifndef WPP_TOOL_H
#define WPP_TOOL_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wpp/base/whole-file.h"
#include "wpp/replay/source-changes.h"
#include "wpp/wpp.h"

enum tool_exit {
    TOOL_OK = 0,
    TOOL_ERROR = 1,
    TOOL_USAGE = 2,
    TOOL_INCOMPLETE = 3    /* the data is damaged or cut short, and that was reported */
};

/* Must come first in main: sets the name for messages and --version.  From here on a file that
 * may grow no more (SIGXFSZ) makes its write fail with EFBIG. */
void tool_init(const char *name);
const char *tool_name(void);

/* ---- Messages ----------------------------------------------------------- */

void tool_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void tool_die(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* From here on tool_die() and all that ends by it exit with `status`, which is not 0: for tools whose
 * statuses 1 and 3 mean something else. */
void tool_set_trouble(int status);
/* Prints the message with a pointer to --help; exit status TOOL_USAGE. */
_Noreturn void tool_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Dies with the error's text and its exit status. */
_Noreturn void tool_die_error(const struct wpp_error *error);
_Noreturn void tool_die_of_memory(void);
/* TOOL_INCOMPLETE for damaged and incomplete data, else TOOL_ERROR. */
int tool_exit_status(enum wpp_status status);

/* 1234567 as `1,234,567`; the text lies in one of a few reused buffers. */
const char *tool_grouped(uint64_t n);

/* An amount: `1 event`, `999 events`, `4.3 k events`, `31.1 M events`; the text lies in one of a
 * few reused buffers. */
const char *tool_amount(double n, const char *what);

/* ---- Common options ------------------------------------------------------ */

/* getopt_long(), but a wrong option is a usage error. */
int tool_option(int argc, char **argv, const char *shorts, const struct option *longs);

/* For struct option tables (getopt_long); 'h' and 'V' go to the two functions. */
#define TOOL_OPTIONS \
    {"help", no_argument, NULL, 'h'}, {"version", no_argument, NULL, 'V'}, {NULL, 0, NULL, 0}
/* Print to standard output and exit with TOOL_OK. */
_Noreturn void tool_help(const char *text);
_Noreturn void tool_version(void);

/* `12`, `64k`, `1.5M`, `2G`: a size in powers of 1024, a count in powers of 1000.
 * False when `text` is anything else or too large. */
bool tool_parse_size(const char *text, uint64_t *out);
bool tool_parse_count(const char *text, uint64_t *out);
/* The same for an option's argument; a bad one is a usage error. */
uint64_t tool_size_argument(const char *option, const char *text);
uint64_t tool_count_argument(const char *option, const char *text);

/* The number of processors that this process may use. */
uint32_t tool_processors(void);
/* The number of processors to use: 0 means all; at most `most`. */
uint32_t tool_jobs_argument(const char *text, uint32_t most);

/* Index of `text` in the NULL-terminated `choices`; anything else is a usage
 * error that lists them. */
unsigned tool_choice_argument(const char *option, const char *text, const char *const *choices);

/* ---- Terminals ------------------------------------------------------------ */

/* Whether to colour standard output: `when` is auto, always, never or NULL
 * (auto).  auto: a terminal that is not dumb, and NO_COLOR unset or empty. */
bool tool_color(const char *when);

/* Columns of standard output's terminal; 0: it is no terminal, or its width is unknown. */
unsigned tool_columns(void);

/* Usage error when descriptor fd is a terminal: `what` is binary. */
void tool_refuse_terminal(int fd, const char *what);

/* Prints a line on standard error that overwrites itself.  It does so at most ten times a
 * second, only if standard error is a terminal, and cut to its width.  tool_progress_end()
 * removes the line. */
void tool_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void tool_progress_end(void);
/* Makes the next line of progress keep another program's text in the terminal's last line.  It
 * prints as many blanks as there are columns: they stay in an empty line, and wrap to a new one
 * otherwise. */
void tool_progress_apart(void);
/* Whether tool_progress() would print now; if not, the caller need not compute its arguments. */
bool tool_progress_due(void);

/* Says in such a line what the tool does from now on and for how many seconds, once that takes more than a
 * second: for what a library does in one call.  The stage ends with the next one, with tool_stage_end(),
 * with any message, and with the first output to a terminal.  If standard error is no terminal, nothing
 * happens.  Not for tools that use tool_progress() in another thread. */
void tool_stage(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The stage of reading a file; `-` is standard input. */
void tool_stage_reading(const char *path);
void tool_stage_end(void);

/* Flushes standard output.  False: some of it could not be written; errno says why. */
bool tool_flush(void);

/* Flushes and closes standard output.  Returns `status`.  If something could not be written, it
 * dies, without a message if the reader has gone away (EPIPE). */
int tool_finish(int status);

/* ---- Files that are damaged or incomplete ---------------------------------- */

/* Reports the damage of a file opened by wpp_open_intact(), a line for each piece.
 * TOOL_INCOMPLETE, or TOOL_OK if there is none. */
int tool_say_damages(const char *path, const wpp *w);

/* The reason for which the file does not hold the whole run, as a clause. */
const char *tool_why_incomplete(const struct wpp_summary *run);

/* Reports damage, and that the file does not hold the whole run, if that is so. */
int tool_say_incomplete(const char *path, const wpp *w);

/* Reports where a signal killed the run, if the file says it. */
void tool_say_death(const wpp *w);

/* Reports once if source files differ from the compiled ones: shown lines may be wrong. */
void tool_say_changed_sources(const wpp *w);
void tool_say_changes(const wpp *w, const struct source_changes *changes);

/* Dies with a reason if one of these parts is missing: without them there is no answer. */
void tool_need(const char *path, const wpp *w, unsigned parts);
/* The parts that say how often each path was executed: the grammar, or a path profile's counts. */
enum {
    TOOL_NEED_PATHS = WPP_PART_ROUTINES | WPP_PART_TERMINALS | WPP_PART_GRAMMAR | WPP_PART_COUNTS
};
/* Dies if it is a path profile, which has no order of paths, or if those parts are missing. */
void tool_need_order(const char *path, const wpp *w);

/* Changes the error of opening `path`: for a folder, it says how to go on.  Returns `error`. */
struct wpp_error *tool_explain_folder(const char *path, struct wpp_error *error);

/* The name of a tool's argument FILE for messages; `-` is standard input. */
const char *tool_file_name(const char *path);

/* wpp_open_intact(), or dies. */
wpp *tool_open(const char *path);
/* wpp_open_unread(), or dies; and wpp_read_until(), which dies as tool_need_order() does if that part of the
 * grammar makes no sense. */
wpp *tool_open_unread(const char *path);
void tool_read_until(const char *path, wpp *w, uint32_t thread, const uint32_t *weights, uint64_t n);

/* By number: whether a routine has that name, in full or as people write it.  NULL if none has;
 * dies without memory.  The caller frees it. */
bool *tool_choose_routines(const wpp *w, const char *asked);

/* The argument of an option: a share of 0 to 100, with or without a percent sign. */
double tool_share(const char *option, const char *text);

/* ---- Outputs ---------------------------------------------------------------- */

/* wpp_output_open(), or dies; dies also if the output would overwrite `input`, which may be NULL. */
struct wpp_output *tool_output(const char *path, bool force, const char *input);

/* The same, and makes the file the standard output; NULL if `path` is NULL.  tool_output_keep() gives the file its
 * name, when all is written; it dies, and leaves no file, if something could not be. */
struct wpp_output *tool_output_redirect(const char *path, bool force, const char *input);
void tool_output_keep(struct wpp_output *out, const char *path);

#endif
