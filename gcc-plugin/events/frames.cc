// SPDX-License-Identifier: GPL-3.0-or-later
// frames.cc - numbers of activations.

#include "gcc-plugin/events/frames.h"

#include "gcc-plugin/events/event-asm.h"
#include "gcc-plugin/events/inserter.h"
#include "tracer/trace-abi.h"

// The word combined with a constant.
static tree combine(inserter &code, tree_code operation, tree word, unsigned constant)
{
    return code.compute(unsigned_type_node, operation, word,
                        build_int_cst(unsigned_type_node, constant));
}

tree number_activation(function *fun, basic_block entry, const runtime_decls &decls)
{
    inserter code = {gsi_last_bb(entry), true};
    tree number = make_ssa_name(unsigned_type_node);
    edge e;
    edge_iterator ei;

    code.add(gimple_build_assign(number, decls.frames));
    code.add(gimple_build_assign(decls.frames, combine(code, PLUS_EXPR, number, 1)));
    FOR_EACH_EDGE (e, ei, EXIT_BLOCK_PTR_FOR_FN(fun)->preds) {
        gimple *last = compat_last_stmt(e->src);
        if (!last || gimple_code(last) != GIMPLE_RETURN)
            continue;
        gimple_stmt_iterator at = gsi_for_stmt(last);
        gsi_insert_before(&at, gimple_build_assign(decls.frames, number), GSI_SAME_STMT);
    }
    return number;
}

void say_frame(gimple_stmt_iterator at, bool after, tree number, const runtime_decls &decls)
{
    inserter code = {at, after};

    code.add(gimple_build_assign(decls.frames, combine(code, PLUS_EXPR, number, 1)));
    tree low = combine(code, BIT_AND_EXPR, number, WPP_FRAME_NUMBERS - 1);
    code.add(call_event("call\t__wpp_word", combine(code, BIT_IOR_EXPR, low, WPP_FRAME)));
}
