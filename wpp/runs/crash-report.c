/* SPDX-License-Identifier: MIT */
#include "wpp/runs/crash-report.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "wpp/base/error.h"
#include "wpp/base/json.h"
#include "wpp/base/names.h"
#include "wpp/replay/last-path.h"
#include "wpp/replay/stack-text.h"

/* ---- The stack ------------------------------------------------------------------------------ */

struct crash_stack {
    struct stack_row *row;         /* the innermost first */
    size_t n;
};

/* Whether the process died in an activation that had not recorded a path, so that the call tree lacks it. */
static bool is_new_activation(const wpp *w, const struct last_path *last, const struct wpp_frame *frames, size_t n)
{
    return last->kind == LAST_PATH_PART &&
           (last->enters || n == 0 || wpp_routine(w, frames[n - 1].routine) != last->routine);
}

/* The rows of that activation, innermost first: inlined calls, then itself.  Returns how many. */
static size_t put_new_activation(struct stack_row *row, const struct wpp_routine *r, const struct wpp_line *at)
{
    struct stack_row now = {.file = at->file, .line = at->line};
    size_t n = 0;

    for (uint32_t scope = at->inlined; scope > 0 && scope <= r->n_inlined && n < r->n_inlined;
         scope = r->inlined[scope - 1].caller) {
        now.name = r->inlined[scope - 1].shown;
        row[n++] = now;
        now.file = r->inlined[scope - 1].file;
        now.line = r->inlined[scope - 1].line;
    }
    now.name = r->shown;
    row[n++] = now;
    return n;
}

/* An activation that is not on a path stands where its last one ended. */
static bool find_rows(struct crash_stack *out, const wpp *w, const struct last_path *last,
                      const struct wpp_frame *frames, size_t n_frames)
{
    bool part = last->kind == LAST_PATH_PART, is_new = is_new_activation(w, last, frames, n_frames);
    struct wpp_line line = last->line;
    struct stack_row *row;
    size_t n;

    if (part && line.line == 0)
        line = (struct wpp_line){.file = last->routine->file, .line = last->routine->line};
    if (!stack_rows(w, frames, n_frames, part && !is_new ? &line : NULL, false, &row, &n))
        return false;
    out->row = malloc((n + (is_new ? last->routine->n_inlined : 0) + (size_t)2) * sizeof *out->row);
    if (out->row) {
        out->n = is_new ? put_new_activation(out->row, last->routine, &line) : 0;
        for (size_t i = 0; i < n; i++)
            out->row[out->n++] = row[i];
    }
    free(row);
    return out->row != NULL;
}

static bool find_stack(struct crash_stack *out, const wpp *w, uint32_t thread, const struct last_path *last,
                       struct wpp_error *error)
{
    wpp_stacks *stacks = wpp_stacks_new(w, error);
    struct wpp_frame *frames = NULL;
    size_t n = 0;
    bool done;

    if (!stacks)
        return false;
    done = (wpp_stack_at(stacks, thread, wpp_thread(w, thread)->tokens, &frames, &n) &&
            find_rows(out, w, last, frames, n)) || wpp_fail_memory(error);
    free(frames);
    wpp_stacks_free(stacks);
    return done;
}

/* ---- The report ----------------------------------------------------------------------------- */

/* What casr calls it: classes of its own, of which one is chosen by the signal alone. */
struct severity { int signal; const char *type, *name, *description, *explanation; };

static const struct severity severities[] = {
    {SIGABRT, "NOT_EXPLOITABLE", "AbortSignal", "Abort signal", "SIGABRT killed the process."},
    {SIGTRAP, "NOT_EXPLOITABLE", "TrapSignal", "Trap signal", "SIGTRAP killed the process."},
    {SIGSEGV, "NOT_EXPLOITABLE", "AccessViolation", "Access violation",
     "SIGSEGV killed the process; which address it used is not recorded."},
    {SIGBUS, "NOT_EXPLOITABLE", "AccessViolation", "Access violation",
     "SIGBUS killed the process; which address it used is not recorded."},
    {SIGFPE, "NOT_EXPLOITABLE", "FPE", "Arithmetic exception", "SIGFPE killed the process."},
    {SIGILL, "PROBABLY_EXPLOITABLE", "BadInstruction", "Bad instruction", "SIGILL killed the process."},
    {0, "UNDEFINED", "Undefined", "Undefined class", "The run is labelled as one that fails."}
};

static void put_member(FILE *out, const char *name, const char *value)
{
    fprintf(out, "  \"%s\": ", name);
    json_string(out, value);
    fputs(",\n", out);
}

static void put_severity(FILE *out, uint32_t killed)
{
    const struct severity *s = severities;

    while (s->signal != 0 && (uint32_t)s->signal != killed)
        s++;
    fprintf(out, "  \"CrashSeverity\": {\"Type\": \"%s\", \"ShortDescription\": \"%s\", \"Description\": \"%s\", "
            "\"Explanation\": \"%s\"},\n", s->type, s->name, s->description, s->explanation);
}

static void put_date(FILE *out, uint64_t started)
{
    time_t at = (time_t)started;
    struct tm tm;
    char text[64];

    if (started > 0 && gmtime_r(&at, &tm) && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S+00:00", &tm) > 0)
        put_member(out, "Date", text);
}

/* A string as GDB prints a frame.  False: no memory. */
static bool put_frame(FILE *out, const struct stack_row *row, size_t number)
{
    char *text = NULL;
    size_t size;
    FILE *line = open_memstream(&text, &size);

    if (!line)
        return false;
    fprintf(line, "#%-2zu ", number);
    name_put(line, row->name);
    fputs(" ()", line);
    if (row->file) {
        fputs(" at ", line);
        name_put(line, row->file);
        if (row->line > 0)
            fprintf(line, ":%" PRIu32, row->line);
    }
    if (fclose(line) != 0) {
        free(text);
        return false;
    }
    fputs(number ? ",\n    " : "\n    ", out);
    json_string(out, text);
    free(text);
    return true;
}

/* casr weighs frame k by e to the -0.04 k. */
static bool put_stack(FILE *out, const struct crash_stack *s)
{
    enum { FRAMES_MOST = 256 };

    fputs("  \"Stacktrace\": [", out);
    for (size_t i = 0; i < s->n && i < FRAMES_MOST; i++)
        if (!put_frame(out, &s->row[i], i))
            return false;
    fputs("\n  ],\n", out);
    return true;
}

static bool put_crash_line(FILE *out, const struct stack_row *row)
{
    char *text = NULL;

    if (row->file && row->line > 0 && asprintf(&text, "%s:%" PRIu32, row->file, row->line) < 0)
        return false;
    fputs("  \"CrashLine\": ", out);
    json_string(out, text ? text : "");
    fputs("\n}\n", out);
    free(text);
    return true;
}

static bool put_report(FILE *out, const struct wpp_summary *run, const struct crash_stack *stack)
{
    fputs("{\n", out);
    put_date(out, run->started);
    put_member(out, "Architecture", "amd64");      /* the only one that is recorded (docs/limits.md) */
    put_member(out, "ExecutablePath", run->program);
    put_member(out, "ProcCmdline", run->command);
    put_severity(out, run->killed);
    return put_stack(out, stack) && put_crash_line(out, &stack->row[0]);
}

bool crash_report(FILE *out, const wpp *w, bool *has_stack, struct wpp_error *error)
{
    struct crash_stack stack = {0};
    struct wpp_summary run;
    struct last_path last;
    bool done;

    wpp_get_summary(w, &run);
    *has_stack = false;
    if (run.n_threads == 0)
        return true;
    if (!last_path_of_run(w, &last, error))
        return false;
    done = find_stack(&stack, w, run.n_deaths > 0 ? wpp_death(w, 0)->thread : 0, &last, error);
    *has_stack = stack.n > 0;
    if (done && *has_stack)
        done = put_report(out, &run, &stack) || wpp_fail_memory(error);
    free(stack.row);
    last_path_free(&last);
    return done;
}
