/* SPDX-License-Identifier: MIT */
/* left-out.c - routines that are not instrumented, by the path tables alone. */

#include "wpp/left-out.h"

#include <stdio.h>

#include "wpp/elf.h"
#include "wpp/path-table.h"

const char *left_out_reason(uint32_t reason)
{
    static const char *const texts[] = {
        [WPP_LEFT_OUT_ATTRIBUTE] = "attribute",     [WPP_LEFT_OUT_NOT_INCLUDED] = "not included",
        [WPP_LEFT_OUT_EXCLUDED] = "excluded",       [WPP_LEFT_OUT_TOO_SMALL] = "too small",
        [WPP_LEFT_OUT_NO_FRAME] = "no frame",       [WPP_LEFT_OUT_TOO_EARLY] = "runs too early",
        [WPP_LEFT_OUT_NO_NUMBERS] = "too many paths",
        [WPP_LEFT_OUT_COMPILERS_OWN] = "compiler's own"
    };

    return reason > 0 && reason < sizeof texts / sizeof texts[0] ? texts[reason] : "unknown";
}

enum { REASONS = 32 };     /* those of later versions too; what is beyond shares the last bit */

/* Adds a bit for each reason in the section's tables.  False: some routine is
 * instrumented, or the tables are broken. */
static bool collect_reasons(struct wpp_view section, uint32_t *reasons)
{
    struct wpp_arena arena = {0};
    struct wpp_unit_table table;
    struct wpp_view body;
    uint64_t id;
    int more;
    bool good = true;

    while (good && (more = wpp_next_unit(&section, &id, &body)) != 0) {
        good = more > 0 && wpp_parse_unit(body, &arena, &table) && table.n_routines == 0;
        for (uint32_t i = 0; good && i < table.n_left_out; i++) {
            uint32_t reason = table.left_out[i].reason;
            *reasons |= UINT32_C(1) << (reason < REASONS ? reason : REASONS - 1);
        }
    }
    wpp_arena_free(&arena);
    return good;
}

static void write_reasons(uint32_t reasons, char *out, unsigned size)
{
    unsigned used = 0;

    for (uint32_t reason = 0; reason < REASONS; reason++)
        if (reasons >> reason & 1 && used < size)
            used += (unsigned)snprintf(out + used, size - used, "%s%s", used ? ", " : "",
                                       left_out_reason(reason));
}

bool left_out_altogether(const char *path, char *reasons, unsigned size)
{
    struct wpp_bytes tables = {0};
    struct wpp_error error;
    struct wpp_elf elf;
    uint32_t set = 0;
    bool found, altogether;

    if (!wpp_elf_open(&elf, path, &error))
        return false;
    altogether = wpp_elf_read(&elf, ".wpp", &tables, &found, &error) &&
                 collect_reasons(wpp_view(tables.data, tables.size), &set) && set != 0;
    wpp_elf_close(&elf);
    wpp_bytes_free(&tables);
    if (altogether)
        write_reasons(set, reasons, size);
    return altogether;
}
