/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gcc-compat.h - the only file that knows GCC's header order and versions.
 *
 * Everything here depends on BUILDING_GCC_VERSION; the rest of the plugin is written as if there
 * were one GCC.
 */
#ifndef WPP_GCC_COMPAT_H
#define WPP_GCC_COMPAT_H

#include "gcc-plugin.h"
#include "plugin-version.h"

#include "backend.h"
#include "target.h"
#include "rtl.h"
#include "tree.h"
#include "gimple.h"
#include "ssa.h"
#include "cgraph.h"
#include "sreal.h"
#include "ipa-utils.h"
#include "diagnostic-core.h"
#include "fold-const.h"
#include "stor-layout.h"
#include "stringpool.h"
#include "attribs.h"
#include "builtins.h"
#include "calls.h"
#include "cfganal.h"
#include "cfgloop.h"
#include "cfgcleanup.h"
#include "predict.h"
#include "profile.h"
#include "gimple-iterator.h"
#include "gimple-walk.h"
#include "gimple-pretty-print.h"
#include "tree-cfg.h"
#include "tree-eh.h"
#include "tree-inline.h"
#include "tree-into-ssa.h"
#include "tree-pass.h"
#include "tree-phinodes.h"
#include "ssa-iterators.h"
#include "tree-dfa.h"
#include "tree-ssa-operands.h"
#include "tree-vrp.h"
#include "alias.h"
#include "varasm.h"
#include "memmodel.h"
#include "emit-rtl.h"
#include "output.h"
#include "debug.h"
#include "expr.h"
#include "toplev.h"
#include "langhooks.h"
#include "context.h"
#include "opts.h"
#include "options.h"
#include "file-prefix-map.h"
#include "incpath.h"

#ifndef BUILDING_GCC_VERSION
#error "plugin-version.h of this GCC does not define BUILDING_GCC_VERSION"
#endif
#if BUILDING_GCC_VERSION < 11000
#error "wpp needs GCC 11 or later"
#endif

/* Debian's headers of GCC 11 lack one that coverage.h includes. */
#if BUILDING_GCC_VERSION < 12000
struct gcov_summary {
    unsigned runs;
    gcov_type sum_max;
};
#else
#include "coverage.h"
#endif

#if BUILDING_GCC_VERSION < 12000
static inline bool startswith(const char *string, const char *prefix)
{
    return strncmp(string, prefix, strlen(prefix)) == 0;
}
#endif

/* An asm statement without operands, which GCC takes for volatile. */
static inline bool compat_asm_basic_p(const gasm *assembly)
{
#if BUILDING_GCC_VERSION >= 15000
    return gimple_asm_basic_p(assembly);
#else
    return gimple_asm_input_p(assembly);
#endif
}

/* A location that names no place in a source file. */
static inline bool compat_no_location(location_t where)
{
    return RESERVED_LOCATION_P(where);
}

/* The location by which coverage recognises one that a block has already: since GCC 16 without
 * the discriminator. */
static inline location_t compat_known_location(location_t where)
{
#if BUILDING_GCC_VERSION >= 16000
    return get_pure_location(where);
#else
    return where;
#endif
}

/* Whether the expander keeps a call without side effects whose value is unused: since GCC 12, if
 * it may throw. */
static inline bool compat_is_expanded(gimple *call)
{
    return BUILDING_GCC_VERSION >= 12000 && stmt_could_throw_p(cfun, call);
}

/* Only the front ends of C and its family have it. */
extern void add_path(char *, incpath_kind, int, bool) __attribute__((weak));

/* Does the same as -idirafter, which other front ends do not know. */
static inline void compat_include_after(const char *folder)
{
    if (add_path && startswith(lang_hooks.name, "GNU C"))
        add_path(xstrdup(folder), INC_AFTER, 0, true);
}

/* The name of a file or folder for the object (-ffile-prefix-map): as in debug information; if
 * that does not map it, as in __FILE__, or as in coverage. */
static inline const char *compat_mapped_name(const char *name)
{
    const char *(*const maps[])(const char *) = {
        remap_debug_filename, remap_macro_filename,
#if BUILDING_GCC_VERSION >= 12000
        remap_profile_filename,
#endif
    };
    for (auto *map : maps) {
        const char *mapped = map(name);
        if (strcmp(mapped, name))
            return mapped;
    }
    return name;
}

/* Says how often the program was run, and the executions of its most frequent block. */
static inline void compat_profile_info(unsigned runs, gcov_type most)
{
    profile_info = XCNEW(struct gcov_summary);
    profile_info->runs = runs;
    profile_info->sum_max = most;
#if BUILDING_GCC_VERSION >= 16000
    profile_info->cutoff = 1;
#endif
}

/* Says that all blocks of the routine have counts, and all edges probabilities. */
static inline void compat_profile_is_full(function *fun)
{
#if BUILDING_GCC_VERSION >= 14000
    fun->cfg->full_profile = true;
#else
    (void)fun;
#endif
}

/* The last statement of a block that is not a debug marker, or NULL. */
static inline gimple *compat_last_stmt(basic_block bb)
{
    gimple_stmt_iterator at = gsi_last_nondebug_bb(bb);
    return gsi_end_p(at) ? NULL : gsi_stmt(at);
}

#endif
