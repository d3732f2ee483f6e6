/* SPDX-License-Identifier: MIT */
/* process-files.c - what is told of a process whose file lacks something. */
#include "wpp/record/process-files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test/unit/tap.h"
#include "test/unit/trace-builder.h"

static char folder[256], program[300], wpp_file[300];
static struct wpp_bytes units, tables;

static void make_program(void)
{
    static const unsigned paths[] = {2};
    const char *parent = getenv("TMPDIR");
    struct wpp_bytes elf;

    snprintf(folder, sizeof folder, "%s/wpp-unit.XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(folder))
        abort();
    snprintf(program, sizeof program, "%s/prog", folder);
    snprintf(wpp_file, sizeof wpp_file, "%s/prog.wpp", folder);
    tb_unit(&units, &tables, "prog.c", paths, 1);
    elf = tb_elf(&units, &tables, "1234");
    tb_write_file(program, &elf);
    wpp_bytes_free(&elf);
}

/* Of a program, and if `gone` of a library that is nowhere. */
static struct wpp_bytes make_trace(bool gone, bool with_end)
{
    static const uint32_t tokens[] = {16, 17, 32};
    uint32_t n = gone ? 3 : 2;
    struct wpp_bytes t = {0};

    tb_process(&t);
    tb_module(&t, 1, 16, &units, "1234", program);
    if (gone)
        tb_module(&t, 2, 32, &units, "5678", "/no/such/library");
    tb_record(&t, WPP_REC_THREAD, 4242, 0, "main", 4);
    tb_tokens(&t, 4242, 1, 0, tokens, n);
    if (with_end)
        tb_end(&t, gone ? 3 : 2, n, 0);
    return t;
}

struct told { unsigned cut, unreadable, others; };

static void tell(void *ctx, const char *name, const struct wpp_error *error, bool has_file)
{
    struct told *told = ctx;
    bool lacks_end = error->status == WPP_E_INCOMPLETE && strstr(error->text, "no end");
    bool unreadable = error->status == WPP_E_MISMATCH && strstr(error->text, "/no/such/library");

    (void)name;
    told->cut += has_file && lacks_end;
    told->unreadable += has_file && unreadable;
    told->others += !has_file || (!lacks_end && !unreadable);
}

static void interrupted(const char *what, bool gone, bool with_end)
{
    struct wpp_bytes t = make_trace(gone, with_end);
    struct told told = {0};
    struct wpp_process_files runs;
    struct wpp_error error;

    wpp_process_files_init(&runs, wpp_file, wpp_output_open(wpp_file, WPP_OUTPUT_REPLACE, &error),
                           &(struct wpp_process_files_sink){.ctx = &told, .tell = tell});
    wpp_process_files_bytes(&runs, 0, t.data, t.size);
    wpp_process_files_over(&runs, 0, WPP_ENDED_INTERRUPT);
    if (!tap_ok(runs.written == 1 && runs.cut == !with_end && runs.first_is_cut == !with_end &&
                told.cut == !with_end && told.unreadable == gone && told.others == 0,
                "an interrupt, %s", what))
        tap_note("written %u, cut %u, told: cut %u, unreadable %u, others %u", runs.written,
                 runs.cut, told.cut, told.unreadable, told.others);
    wpp_process_files_free(&runs);
    wpp_bytes_free(&t);
}

int main(void)
{
    make_program();
    interrupted("when all had come", false, true);
    interrupted("when all had come of a process with a library that is gone", true, true);
    interrupted("before the end had come", false, false);
    interrupted("before the end, and a library is gone", true, false);
    unlink(wpp_file);
    unlink(program);
    rmdir(folder);
    wpp_bytes_free(&units);
    wpp_bytes_free(&tables);
    return tap_done();
}
