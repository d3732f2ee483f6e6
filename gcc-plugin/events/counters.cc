// SPDX-License-Identifier: GPL-3.0-or-later
// counters.cc - see counters.h.

#include "gcc-plugin/events/counters.h"

#include "gcc-plugin/events/event-asm.h"

static const char INCREMENT[] = "{gs incq\t%0|gs inc\t%0}";
static const char LOCKED_INCREMENT[] = "{lock gs incq\t%0|lock gs inc\t%0}";

// Local labels with numbers that no program uses (event-asm.cc).
#define CALL_IF_ZERO                                                            \
    "je\t9464f\n\t.subsection 1\n9464:\t"                                       \
    "{call\t*__wpp_count_thread@GOTPCREL(%%rip)|"                               \
    "call\t[qword ptr __wpp_count_thread@GOTPCREL[rip]]}\n\t"                   \
    "jmp\t9465f\n\t.previous\n9465:"
static const char LOOK[] =
    "{cmpb\t$0, %%fs:__wpp_counting@tpoff|cmp\tbyte ptr fs:__wpp_counting@tpoff, 0}\n\t"
    CALL_IF_ZERO;
static const char LOOK_SHARED[] =
    "{movq\t__wpp_counting@gottpoff(%%rip), %0|mov\t%0, qword ptr __wpp_counting@gottpoff[rip]}\n\t"
    "{cmpb\t$0, %%fs:(%0)|cmp\tbyte ptr fs:[%0], 0}\n\t"
    CALL_IF_ZERO;

struct counter_writer {
    const runtime_decls &decls;
    const counter_style &style;
    gimple_stmt_iterator at;
    bool after;

    void add(gimple *statement)
    {
        if (after)
            gsi_insert_after(&at, statement, GSI_NEW_STMT);
        else
            gsi_insert_before(&at, statement, GSI_SAME_STMT);
    }
    tree start();
    void count(const planned_event &event);
};

// The address of the unit's first counter.
tree counter_writer::start()
{
    if (!style.shared)
        return build_fold_addr_expr(decls.counts);
    tree name = make_ssa_name(TREE_TYPE(decls.counts_at));
    add(gimple_build_assign(name, decls.counts_at));
    return name;
}

void counter_writer::count(const planned_event &event)
{
    tree from = start(), pointer = build_pointer_type(uint64_type_node);

    if (event.name) {
        tree offset = make_ssa_name(sizetype), bytes = make_ssa_name(sizetype);
        tree sum = make_ssa_name(pointer);
        add(gimple_build_assign(offset, NOP_EXPR, event.name));
        add(gimple_build_assign(bytes, LSHIFT_EXPR, offset, build_int_cst(integer_type_node, 3)));
        add(gimple_build_assign(sum, POINTER_PLUS_EXPR, from, bytes));
        from = sum;
    }
    tree place = build2(MEM_REF, uint64_type_node, from, build_int_cst(pointer, 8 * event.number));
    vec<tree, va_gc> *inputs = NULL, *outputs = NULL;
    vec_safe_push(outputs, asm_operand("=m", place));
    vec_safe_push(inputs, asm_operand("m", copy_node(place)));
    gasm *assembly = gimple_build_asm_vec(style.atomic ? LOCKED_INCREMENT : INCREMENT, inputs,
                                          outputs, NULL, NULL);
    gimple_asm_set_volatile(assembly, true);
    gimple_asm_set_inline(assembly, true);
    add(assembly);
}

// Whether code that is not instrumented may call the routine, as the first one of a thread.
static bool may_begin_thread(tree decl, const counter_style &style)
{
    cgraph_node *node = cgraph_node::get(decl);

    if (style.atomic)
        return false;
    if (!node || style.all_look || node->address_taken || TREE_ADDRESSABLE(decl)
        || DECL_VIRTUAL_P(decl))
        return true;
    return (style.threaded || style.shared) && (!node->local || TREE_PUBLIC(decl));
}

static void look_for_thread(function *fun, bool shared)
{
    basic_block first = split_edge(single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fun)));
    gimple_stmt_iterator at = gsi_last_bb(first);
    tree scratch = shared ? make_ssa_name(ptr_type_node) : NULL_TREE;

    gsi_insert_after(&at, build_asm(shared ? LOOK_SHARED : LOOK, ASM_WRITTEN_EARLY, scratch, NULL,
                                    NULL), GSI_NEW_STMT);
}

void write_counters(function *fun, const event_plan &plan, const runtime_decls &decls,
                    const counter_style &style)
{
    basic_block bb;

    FOR_EACH_BB_FN (bb, fun) {
        auto found = plan.find(bb->index);
        if (found == plan.end())
            continue;
        const planned_event &event = found->second;
        counter_writer it = {decls, style, event.before ? gsi_for_stmt(event.before)
                                                        : gsi_last_bb(bb), !event.before};
        it.count(event);
    }
    if (may_begin_thread(fun->decl, style))
        look_for_thread(fun, style.shared);
}
