// SPDX-License-Identifier: GPL-3.0-or-later
// counters.cc - see counters.h.

#include "gcc-plugin/events/counters.h"

#include <map>

#include "gcc-plugin/events/event-asm.h"
#include "gcc-plugin/events/inserter.h"
#include "gcc-plugin/events/loop-counters.h"
#include "gcc-plugin/events/risen-counters.h"

static const char INCREMENT[] = "{gs incq\t%0|gs inc\t%0}";
static const char LOCKED_INCREMENT[] = "{lock gs incq\t%0|lock gs inc\t%0}";
static const char ADDITION[] = "{gs addq\t%2, %0|gs add\t%0, %2}";
static const char LOCKED_ADDITION[] = "{lock gs addq\t%2, %0|lock gs add\t%0, %2}";

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
    inserter code;

    tree start();
    void count(const planned_event &event, tree sum);
    void count_first(const loop_counter &counter, tree *sum);
};

// The address of the unit's first counter.
tree counter_writer::start()
{
    if (!style.shared)
        return build_fold_addr_expr(decls.counts);
    return code.compute(TREE_TYPE(decls.counts_at), VAR_DECL, decls.counts_at);
}

// Adds 1 to the counter, or a sum.
void counter_writer::count(const planned_event &event, tree sum)
{
    tree from = start(), pointer = build_pointer_type(uint64_type_node);

    if (event.name) {
        tree number = code.compute(sizetype, NOP_EXPR, event.name);
        tree bytes = code.compute(sizetype, LSHIFT_EXPR, number,
                                  build_int_cst(integer_type_node, 3));
        from = code.compute(pointer, POINTER_PLUS_EXPR, from, bytes);
    }
    tree place = build2(MEM_REF, uint64_type_node, from, build_int_cst(pointer, 8 * event.number));
    vec<tree, va_gc> *inputs = NULL, *outputs = NULL;
    vec_safe_push(outputs, asm_operand("=m", place));
    vec_safe_push(inputs, asm_operand("m", copy_node(place)));
    if (sum)
        vec_safe_push(inputs, asm_operand("re", sum));
    const char *text = sum ? (style.atomic ? LOCKED_ADDITION : ADDITION)
                           : (style.atomic ? LOCKED_INCREMENT : INCREMENT);
    gasm *assembly = gimple_build_asm_vec(text, inputs, outputs, NULL, NULL);
    gimple_asm_set_volatile(assembly, true);
    gimple_asm_set_inline(assembly, true);
    code.add(assembly);
}

// Takes 1 from the sum, if it is not 0, for the path of the loop's first turn.
void counter_writer::count_first(const loop_counter &counter, tree *sum)
{
    tree turned = code.compute(boolean_type_node, NE_EXPR, *sum, build_zero_cst(uint64_type_node));
    tree one = code.compute(uint64_type_node, NOP_EXPR, turned);
    bool is_constant = TREE_CODE(counter.first) == INTEGER_CST;
    int64_t number = counter.first_number + (is_constant ? tree_to_shwi(counter.first) : 0);

    *sum = code.compute(uint64_type_node, MINUS_EXPR, *sum, one);
    count({NULL, is_constant ? NULL_TREE : counter.first, number}, one);
}

// Whether code that is not instrumented may call the routine, as the first one of a thread.
static bool may_begin_thread(tree decl, const counter_style &style)
{
    cgraph_node *node = cgraph_node::get(decl);

    if (style.atomic)
        return false;
    if (!node || style.all_look || node->address_taken || DECL_VIRTUAL_P(decl))
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

// Adds what a loop has counted in a register where it is left.
// exits: the blocks on edges that have one.
static void add_sums(const loop_counter &counter, const runtime_decls &decls,
                     const counter_style &style, std::map<edge, basic_block> &exits)
{
    for (const auto &sum : counter.sums) {
        basic_block &on = exits[sum.first];
        if (!on)
            on = split_edge(sum.first);
        counter_writer it = {decls, style, {gsi_last_bb(on), true}};
        tree n = sum.second;
        if (counter.first)
            it.count_first(counter, &n);
        it.count({NULL, NULL_TREE, counter.number}, n);
    }
}

static void drop_unwanted(event_plan &plan, const counted_numbers &wanted)
{
    for (auto at = plan.begin(); at != plan.end();) {
        if (!at->second.name && !wanted(at->second.number))
            at = plan.erase(at);
        else
            ++at;
    }
}

void write_counters(function *fun, event_plan &plan, const runtime_decls &decls,
                    const counter_style &style, const counted_numbers &wanted)
{
    std::map<edge, basic_block> exits;
    basic_block bb;

    if (style.raised)
        raise_counters(fun, plan);
    if (wanted)
        drop_unwanted(plan, wanted);
    if (style.loops)
        for (const loop_counter &counter : count_in_registers(fun, plan))
            add_sums(counter, decls, style, exits);
    FOR_EACH_BB_FN (bb, fun) {
        auto found = plan.find(bb->index);
        if (found == plan.end())
            continue;
        const planned_event &event = found->second;
        counter_writer it = {decls, style, {event.before ? gsi_for_stmt(event.before)
                                                         : gsi_last_bb(bb), !event.before}};
        it.count(event, NULL_TREE);
    }
    if (may_begin_thread(fun->decl, style))
        look_for_thread(fun, style.shared);
}
