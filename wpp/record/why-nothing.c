/* SPDX-License-Identifier: MIT */
#include "wpp/record/why-nothing.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/trace-abi.h"
#include "wpp/format/path-table.h"
#include "wpp/read/skip-reasons.h"
#include "wpp/trace/elf.h"

enum { REASONS = 32 };     /* includes those of later versions; higher ones share the last bit */

struct tables {
    bool instrumented;     /* some routine is instrumented */
    uint32_t left_out;     /* a bit for each wpp_reason of routines that are not */
};

/* Broken tables count as no tables. */
static void look_at_tables(struct wpp_view section, struct tables *t)
{
    struct wpp_arena arena = {0};
    struct wpp_unit_table table;
    struct wpp_unit_body unit;

    while (wpp_next_unit(&section, &unit) > 0 && wpp_check_units(&unit, 1)
           && wpp_parse_unit(unit.body, &arena, &table)) {
        t->instrumented |= table.n_routines > 0;
        for (uint32_t i = 0; i < table.n_left_out; i++) {
            uint32_t reason = table.left_out[i].reason;
            t->left_out |= UINT32_C(1) << (reason < REASONS ? reason : REASONS - 1);
        }
    }
    wpp_arena_free(&arena);
}

static struct tables read_tables(struct wpp_elf *elf)
{
    struct tables t = {0};
    struct wpp_bytes section = {0};
    struct wpp_error error;
    bool found;

    if (wpp_elf_read(elf, ".wpp", &section, &found, &error))
        look_at_tables(wpp_view(section.data, section.size), &t);
    wpp_bytes_free(&section);
    return t;
}

static bool has_nop_runtime(struct wpp_elf *elf)
{
    struct wpp_bytes content = {0};
    struct wpp_error error;
    bool found;
    bool read = wpp_elf_note(elf, "wpp", WPP_NOTE_NOP, &content, &found, &error);

    wpp_bytes_free(&content);
    return read && found;
}

static bool changes_identity(const char *file)
{
    struct stat st;

    return stat(file, &st) == 0 && ((st.st_mode & S_ISUID && st.st_uid != getuid()) ||
                                    (st.st_mode & S_ISGID && st.st_gid != getgid()));
}

static void say_reasons(uint32_t reasons, char *text, unsigned size)
{
    unsigned used = (unsigned)snprintf(text, size,
                                       "all that wpp-gcc compiled of it was left out (");
    const char *between = "";

    for (uint32_t reason = 0; reason < REASONS; reason++)
        if (reasons >> reason & 1 && used < size) {
            used += (unsigned)snprintf(text + used, size - used, "%s%s", between,
                                       left_out_reason(reason));
            between = ", ";
        }
    if (used < size)
        snprintf(text + used, size - used, "); instrument more of it");
}

void why_nothing(const char *file, char *text, unsigned size)
{
    struct wpp_error error;
    struct wpp_elf elf;
    struct tables tables = {0};
    bool nop = false;

    if (file && wpp_elf_open(&elf, file, &error)) {
        tables = read_tables(&elf);
        nop = has_nop_runtime(&elf);
        wpp_elf_close(&elf);
    }
    if (nop)
        snprintf(text, size, "it is linked with the runtime that records nothing; link it again "
                 "without WPP_RUNTIME=nop");
    else if (tables.instrumented && changes_identity(file))
        snprintf(text, size,
                 "it is instrumented, but set-user-ID or set-group-ID, and such a program "
                 "takes no orders; remove these bits (chmod ug-s) or run it as the user "
                 "it becomes");
    else if (tables.instrumented)
        snprintf(text, size, "it is instrumented, but ended before any instrumented code ran");
    else if (tables.left_out)
        say_reasons(tables.left_out, text, size);
    else
        snprintf(text, size, "it is not instrumented; build it with wpp-gcc (make CC=wpp-gcc)");
}
