// SPDX-License-Identifier: GPL-3.0-or-later
// handler.cc - the way into a signal handler (tracer/trace-abi.h, SIGNAL HANDLERS).

#include "gcc-plugin/events/handler.h"

#include "gcc-plugin/events/cursor.h"
#include "gcc-plugin/events/event-asm.h"

// The kernel returns through `mov $15, %rax; syscall` (rt_sigreturn) in every libc: debuggers
// and unwinders know it by these bytes.  These are the first four.
static const unsigned SIGRETURN = 0x0fc0c748;

// No code lies in the lowest page: the system keeps it free.
static const unsigned LOWEST_PAGE = 4096;

// Prototypes of handlers: (), (int), (int, siginfo_t *, void *).
static bool has_prototype(tree decl)
{
    unsigned n = 0;

    if (!VOID_TYPE_P(TREE_TYPE(TREE_TYPE(decl))) || stdarg_p(TREE_TYPE(decl)))
        return false;
    for (tree parameter = DECL_ARGUMENTS(decl); parameter; parameter = DECL_CHAIN(parameter), n++)
        if (n == 0 ? TYPE_MAIN_VARIANT(TREE_TYPE(parameter)) != integer_type_node
                   : !POINTER_TYPE_P(TREE_TYPE(parameter)))
            return false;
    return n == 0 || n == 1 || n == 3;
}

// Excludes a routine with setjmp or a nonlocal label: another call in it would need abnormal
// edges.
static bool may_be_handler(function *fun)
{
    tree decl = fun->decl;
    cgraph_node *node = cgraph_node::get(decl);

    return has_prototype(decl) && !DECL_STATIC_CHAIN(decl)
           && builtin_decl_implicit(BUILT_IN_RETURN_ADDRESS)      // missing in some languages
           && !fun->calls_setjmp && !fun->has_nonlocal_label
           && (TREE_PUBLIC(decl) || TREE_ADDRESSABLE(decl) || (node && node->address_taken));
}

static gasm *call_runtime(const char *text, tree in, tree out)
{
    vec<tree, va_gc> *inputs = NULL, *outputs = NULL;

    if (in)
        vec_safe_push(inputs, in);
    if (out)
        vec_safe_push(outputs, out);
    gasm *assembly = gimple_build_asm_vec(text, inputs, outputs, NULL, NULL);
    gimple_asm_set_volatile(assembly, true);
    return assembly;
}

// Writes the block that handles a signal, with the two calls of the runtime.
static void write_bracket(function *fun, basic_block bb)
{
    auto_vec<tree> arguments;
    gimple_stmt_iterator at = gsi_last_bb(bb);
    cgraph_node *node = cgraph_node::get(fun->decl);
    tree region = make_ssa_name(ptr_type_node);

    for (tree parameter = DECL_ARGUMENTS(fun->decl); parameter; parameter = DECL_CHAIN(parameter)) {
        tree value = is_gimple_reg(parameter) ? get_or_create_ssa_default_def(fun, parameter)
                                              : make_ssa_name(TREE_TYPE(parameter));
        if (!is_gimple_reg(parameter))
            gsi_insert_after(&at, gimple_build_assign(value, parameter), GSI_NEW_STMT);
        arguments.safe_push(value);
    }
    gasm *begin = call_runtime("{call\t*__wpp_signal_begin@GOTPCREL(%%rip)|"
                               "call\t[qword ptr __wpp_signal_begin@GOTPCREL[rip]]}",
                               NULL, asm_operand("=a", region));
    SSA_NAME_DEF_STMT(region) = begin;
    gsi_insert_after(&at, begin, GSI_NEW_STMT);
    gcall *call = gimple_build_call_vec(fun->decl, arguments);
    gimple_call_set_nothrow(call, TREE_NOTHROW(fun->decl));
    gsi_insert_after(&at, call, GSI_NEW_STMT);
    if (node)
        node->create_edge(node, call, bb->count);
    if (gimple_call_noreturn_p(call))
        return;
    gsi_insert_after(&at, call_runtime("{call\t*__wpp_signal_end@GOTPCREL(%%rip)|"
                                       "call\t[qword ptr __wpp_signal_end@GOTPCREL[rip]]}",
                                       asm_operand("a", region), NULL),
                     GSI_NEW_STMT);
    gsi_insert_after(&at, gimple_build_return(NULL_TREE), GSI_NEW_STMT);
}

// The return address.  If no code can lie there, another address: the routine's own, whose bytes
// are not those of a return from a signal.  A routine that begins on a hand-made stack (a
// coroutine's first one, _start) may have 0 or anything as return address.
static tree readable_return_address(function *fun, gimple_stmt_iterator *at)
{
    tree address = make_ssa_name(ptr_type_node), number = make_ssa_name(pointer_sized_int_node);
    tree none = make_ssa_name(boolean_type_node), readable = make_ssa_name(ptr_type_node);
    gcall *where = gimple_build_call(builtin_decl_implicit(BUILT_IN_RETURN_ADDRESS), 1,
                                     integer_zero_node);
    tree own = build1(ADDR_EXPR, build_pointer_type(TREE_TYPE(fun->decl)), fun->decl);

    gimple_call_set_lhs(where, address);
    gsi_insert_after(at, where, GSI_NEW_STMT);
    gsi_insert_after(at, gimple_build_assign(number, NOP_EXPR, address), GSI_NEW_STMT);
    gsi_insert_after(at, gimple_build_assign(none, LT_EXPR, number,
                                             build_int_cst(pointer_sized_int_node, LOWEST_PAGE)),
                     GSI_NEW_STMT);
    gsi_insert_after(at, gimple_build_assign(readable, COND_EXPR, none, own, address),
                     GSI_NEW_STMT);
    return readable;
}

void bracket_handler(function *fun)
{
    if (!may_be_handler(fun))
        return;
    basic_block check = split_edge(single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fun)));
    basic_block handle = create_empty_bb(check);
    edge over = single_succ_edge(check);
    gimple_stmt_iterator at = gsi_last_bb(check);
    tree word = make_ssa_name(unsigned_type_node), address = readable_return_address(fun, &at);
    tree type = build_aligned_type(unsigned_type_node, BITS_PER_UNIT);
    tree bytes = build2(MEM_REF, type, address,
                        build_int_cst(ptr_type_node, 0));
    gsi_insert_after(&at, gimple_build_assign(word, bytes), GSI_NEW_STMT);
    gsi_insert_after(&at, gimple_build_cond(EQ_EXPR, word,
                                            build_int_cst(unsigned_type_node, SIGRETURN),
                                            NULL_TREE, NULL_TREE), GSI_NEW_STMT);
    over->flags = (over->flags & ~EDGE_FALLTHRU) | EDGE_FALSE_VALUE;
    over->probability = profile_probability::very_likely();
    edge in = make_edge(check, handle, EDGE_TRUE_VALUE);
    in->probability = profile_probability::very_unlikely();
    handle->count = in->count();
    if (!TREE_THIS_VOLATILE(fun->decl))   // only a routine that returns
        make_single_succ_edge(handle, EXIT_BLOCK_PTR_FOR_FN(fun), 0);
    if (current_loops)
        add_bb_to_loop(handle, current_loops->tree_root);
    write_bracket(fun, handle);
    free_dominance_info(CDI_DOMINATORS);
    free_dominance_info(CDI_POST_DOMINATORS);
}
