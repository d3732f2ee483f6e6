// SPDX-License-Identifier: GPL-3.0-or-later
// resolver.cc - the entry code of an IFUNC resolver.

#include "gcc-plugin/events/resolver.h"

#include "gcc-plugin/events/cursor.h"
#include "gcc-plugin/events/event-asm.h"
#include "gcc-plugin/graph/selection.h"

static const char call[] =
    ".weak\t__wpp_resolver\n\t"
    "{movq\t__wpp_resolver@GOTPCREL(%%rip), %0|mov\t%0, qword ptr __wpp_resolver@GOTPCREL[rip]}\n\t"
    "test\t%0, %0\n\tjz\t1f\n\tcall\t{*}%0\n1:";

void guard_resolver(function *fun)
{
    tree decl = fun->decl;

    if (!is_resolver(decl) || DECL_ARTIFICIAL(decl)
        || lookup_attribute("naked", DECL_ATTRIBUTES(decl)))
        return;
    tree address = make_ssa_name(ptr_type_node);
    vec<tree, va_gc> *outputs = NULL;
    vec_safe_push(outputs, asm_operand("=r", address));
    gasm *guard = gimple_build_asm_vec(call, NULL, outputs, NULL, NULL);
    gimple_asm_set_volatile(guard, true);
    SSA_NAME_DEF_STMT(address) = guard;
    basic_block first = split_edge(single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fun)));
    gimple_stmt_iterator at = gsi_last_bb(first);
    gsi_insert_after(&at, guard, GSI_NEW_STMT);
}
