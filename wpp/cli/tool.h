/* SPDX-License-Identifier: MIT */
/* tool.h - what all command-line tools share: messages, options, habits.
 *
 * For main() and the functions right below it; the libraries never call this.
 * Every message is one line on standard error, `NAME: text`.
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
    TOOL_INCOMPLETE = 3    /* the data is damaged or cut short, and that was said */
};

/* First thing in main: the name for messages and --version.  A file that may grow no more
 * (SIGXFSZ) is an error of its write from here on, EFBIG. */
void tool_init(const char *name);
const char *tool_name(void);

/* ---- Messages ----------------------------------------------------------- */

void tool_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void tool_die(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The message with a pointer to --help, exit status TOOL_USAGE. */
_Noreturn void tool_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Dies with the error's text and the exit status that belongs to it. */
_Noreturn void tool_die_error(const struct wpp_error *error);
/* TOOL_INCOMPLETE for damaged and incomplete data, else TOOL_ERROR. */
int tool_exit_status(enum wpp_status status);

/* 1234567 as `1,234,567`; the text lies in one of a few buffers used in turn. */
const char *tool_grouped(uint64_t n);

/* So many: `1 event`, `999 events`, `4.3 k events`, `31.1 M events`; the text lies in one of a few
 * buffers used in turn. */
const char *tool_amount(double n, const char *what);

/* ---- Common options ------------------------------------------------------ */

/* getopt_long(), but whatever it does not understand is a usage error. */
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

/* How many processors this process may use. */
uint32_t tool_processors(void);
/* How many processors to use: 0 stands for all that there are, never more than `most`. */
uint32_t tool_jobs_argument(const char *text, uint32_t most);

/* Index of `text` in the NULL-terminated `choices`; anything else is a usage
 * error that lists them. */
unsigned tool_choice_argument(const char *option, const char *text, const char *const *choices);

/* ---- Terminals ------------------------------------------------------------ */

/* Whether to colour standard output: `when` is auto, always, never or NULL
 * (auto).  auto: a terminal that is not dumb, and NO_COLOR unset or empty. */
bool tool_color(const char *when);

/* Columns of the terminal that standard output is; 0: it is none, or does not say. */
unsigned tool_columns(void);

/* Usage error when descriptor fd is a terminal: `what` is binary. */
void tool_refuse_terminal(int fd, const char *what);

/* A line on standard error that overwrites itself, at most ten times a second,
 * only if standard error is a terminal, as much as fits there.  tool_progress_end() removes it. */
void tool_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void tool_progress_end(void);
/* The next line of progress leaves alone what another program has written to the terminal's last
 * line: blanks for all columns stay in an empty line, and go beyond the end of any other. */
void tool_progress_apart(void);
/* Whether tool_progress() would print now: to spare computing its arguments. */
bool tool_progress_due(void);

/* Whether all of standard output could be written so far; errno says why not. */
bool tool_flush(void);

/* Flushes and closes standard output.  Returns `status`; dies when something
 * could not be written, without a word if the reader has gone away (EPIPE). */
int tool_finish(int status);

/* ---- Files that are damaged or incomplete ---------------------------------- */

/* Says what is wrong with a file that wpp_open_intact() has opened, a line for each piece:
 * TOOL_INCOMPLETE, or TOOL_OK if nothing is. */
int tool_say_damages(const char *path, const wpp *w);

/* Why the file does not hold the whole run, as a clause. */
const char *tool_why_incomplete(const struct wpp_summary *run);

/* The same, and that the file does not hold the whole run, if that is so. */
int tool_say_incomplete(const char *path, const wpp *w);

/* Says it, once, if source files of the run are not any more what was compiled: lines that are shown
 * may be wrong. */
void tool_say_changed_sources(const wpp *w);
void tool_say_changes(const wpp *w, const struct source_changes *changes);

/* Dies, saying why, if one of these parts is missing: without them there is no answer. */
void tool_need(const char *path, const wpp *w, unsigned parts);
/* The paths that were executed, in order: the parts without which most questions have none. */
enum { TOOL_NEED_PATHS = WPP_PART_ROUTINES | WPP_PART_TERMINALS | WPP_PART_GRAMMAR };

/* The error of opening `path`: if that is a folder, the error says how to go on.  Returns `error`. */
struct wpp_error *tool_explain_folder(const char *path, struct wpp_error *error);

/* wpp_open_intact(), or dies. */
wpp *tool_open(const char *path);

/* ---- Outputs ---------------------------------------------------------------- */

/* wpp_output_open(), or dies; also when it would write over `input`. */
struct wpp_output *tool_output(const char *path, bool force, const char *input);

#endif
