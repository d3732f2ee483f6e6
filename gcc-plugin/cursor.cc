// SPDX-License-Identifier: GPL-3.0-or-later
// cursor.cc - where the cursor is, and the code of an event.

#include "cursor.h"

/* ---- Statements ----------------------------------------------------------------- */

// Whether other traced code may run, or look for this thread's cursor, while
// the statement does: then __wpp_cursor has to be right before it.
static bool needs_memory(function *fun, gimple *statement)
{
    if (gcall *call = dyn_cast<gcall *>(statement)) {
        tree callee = gimple_call_fndecl(call);
        if (gimple_call_internal_p(call))
            return false;
        return !(callee && fndecl_built_in_p(callee) && is_inexpensive_builtin(callee));
    }
    if (gasm *assembly = dyn_cast<gasm *>(statement))
        return gimple_asm_volatile_p(assembly) || gimple_asm_input_p(assembly)
               || gimple_asm_clobbers_memory_p(assembly);
    if (gimple_code(statement) == GIMPLE_RETURN || gimple_code(statement) == GIMPLE_RESX
        || gimple_code(statement) == GIMPLE_TRANSACTION)
        return true;
    return stmt_could_throw_p(fun, statement);
}

static bool computed_goto(basic_block bb)
{
    gimple *last = compat_last_stmt(bb);
    return last && computed_goto_p(last);
}

// Code cannot be put on the edge, and what is behind it may be reached from
// somewhere else.
static bool loses_register(edge e)
{
    return (e->flags & EDGE_COMPLEX) && !computed_goto(e->src);
}

/* ---- Placement -------------------------------------------------------------------- */

enum effect { KEEPS, TO_MEMORY, TO_REGISTER };

struct block_cursor {
    enum effect effect;   // of its statements and its event
    bool known_memory;    // a way into it loses the register
    bool in, out;         // in a register
    bool visited;
    tree in_name, out_name;
    gphi *phi;
};

struct cursor_writer {
    function *fun;
    const event_plan &plan;
    const runtime_decls &decls;
    tree variable;                        // what all names of the cursor belong to
    std::vector<block_cursor> blocks;
    std::vector<bool> is_inline;

    block_cursor &of(basic_block bb) { return blocks[bb->index]; }
    const planned_event *planned(basic_block bb) const;
    bool hot(basic_block bb) const;
    enum effect effect_of(basic_block bb) const;
    bool enters(basic_block bb);
    void solve(const std::vector<basic_block> &order);
    void fill(basic_block bb);
    void finish_goto(basic_block bb, gimple_stmt_iterator *at, tree *cursor);
    tree arrive(edge e);
    void join(basic_block bb);
    tree load(gimple_stmt_iterator *at, bool after);
    void store(gimple_stmt_iterator *at, tree cursor, bool after);
    tree token(gimple_stmt_iterator *at, const planned_event &event, bool with_base);
    tree event_inline(gimple_stmt_iterator *at, const planned_event &event, tree cursor);
    void event(gimple_stmt_iterator *at, const planned_event &event, bool here, tree *cursor);
};

const planned_event *cursor_writer::planned(basic_block bb) const
{
    auto found = plan.find(bb->index);
    return found == plan.end() ? NULL : &found->second;
}

// Blocks that run at least once in so many calls of the routine are hot.  With 1
// sqlite3 is 5 % slower and its text 8 % smaller, with 32 it is 3 % faster and its
// text 4 % larger (docs/performance.md).
static const int SELDOM = 8;

bool cursor_writer::hot(basic_block bb) const
{
    basic_block entry = ENTRY_BLOCK_PTR_FOR_FN(fun);
    int scale = optimize_function_for_size_p(fun) ? 1 : SELDOM;

    if (!bb->count.initialized_p() || !entry->count.initialized_p())
        return true;
    return static_cast<int64_t>(bb->count.to_frequency(fun)) * scale
           >= entry->count.to_frequency(fun);
}

enum effect cursor_writer::effect_of(basic_block bb) const
{
    const planned_event *event = planned(bb);
    enum effect of_event = is_inline[bb->index] ? TO_REGISTER : TO_MEMORY, effect = KEEPS;

    for (gimple_stmt_iterator at = gsi_start_bb(bb); !gsi_end_p(at); gsi_next(&at)) {
        gimple *statement = gsi_stmt(at);
        if (event && event->before == statement)
            effect = of_event;
        if (!is_gimple_debug(statement) && needs_memory(fun, statement))
            effect = TO_MEMORY;
    }
    return event && !event->before ? of_event : effect;
}

bool cursor_writer::enters(basic_block bb)
{
    edge e;
    edge_iterator ei;

    if (of(bb).known_memory)
        return false;
    FOR_EACH_EDGE (e, ei, bb->preds)
        if (of(e->src).out)
            return true;
    return false;
}

void cursor_writer::solve(const std::vector<basic_block> &order)
{
    edge e;
    edge_iterator ei;

    for (basic_block bb : order) {
        of(bb).effect = effect_of(bb);
        FOR_EACH_EDGE (e, ei, bb->preds)
            of(bb).known_memory |= loses_register(e);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (basic_block bb : order) {
            bool in = enters(bb), out = of(bb).effect == KEEPS ? in : of(bb).effect == TO_REGISTER;
            if (computed_goto(bb))                // it loads for targets that want it
                FOR_EACH_EDGE (e, ei, bb->succs)
                    out |= of(e->dest).in;
            changed |= in != of(bb).in || out != of(bb).out;
            of(bb).in = in;
            of(bb).out = out;
        }
    }
}

/* ---- Code --------------------------------------------------------------------------- */

static void insert(gimple_stmt_iterator *at, gimple *statement, bool after)
{
    if (after)
        gsi_insert_after(at, statement, GSI_NEW_STMT);
    else
        gsi_insert_before(at, statement, GSI_SAME_STMT);
}

tree cursor_writer::load(gimple_stmt_iterator *at, bool after)
{
    tree name = make_ssa_name(variable);

    insert(at, gimple_build_assign(name, decls.cursor), after);
    return name;
}

void cursor_writer::store(gimple_stmt_iterator *at, tree cursor, bool after)
{
    insert(at, gimple_build_assign(decls.cursor, cursor), after);
}

// The token, with or without the unit's base, before or after `at`.
tree cursor_writer::token(gimple_stmt_iterator *at, const planned_event &event, bool with_base)
{
    tree number = build_int_cst(unsigned_type_node, event.number);
    tree sum = number;

    if (event.name) {
        sum = make_ssa_name(unsigned_type_node);
        insert(at, gimple_build_assign(sum, PLUS_EXPR, event.name, number), !event.before);
    }
    if (with_base) {
        tree base = make_ssa_name(unsigned_type_node), whole = make_ssa_name(unsigned_type_node);
        insert(at, gimple_build_assign(base, decls.unit), !event.before);
        insert(at, gimple_build_assign(whole, PLUS_EXPR, base, sum), !event.before);
        return whole;
    }
    return sum;
}

tree asm_operand(const char *constraint, tree value)
{
    tree string = build_string(strlen(constraint) + 1, constraint);
    return build_tree_list(build_tree_list(NULL_TREE, string), value);
}

static tree clobber(const char *what)
{
    return build_tree_list(NULL_TREE, build_string(strlen(what) + 1, what));
}

tree cursor_writer::event_inline(gimple_stmt_iterator *at, const planned_event &event, tree cursor)
{
    static const char text[] =
        "{cmpl\t$0, (%0)|cmp\tdword ptr [%0], 0}\n\t"
        "je\t1f\n\t"
        "call\t__wpp_refill_%V0\n"
        "1:\t{movl\t%k2, (%0)|mov\tdword ptr [%0], %k2}\n\t"
        "{addq\t$4, %0|add\t%0, 4}";
    vec<tree, va_gc> *outputs = NULL, *inputs = NULL;
    tree next = make_ssa_name(variable), word = token(at, event, true);

    vec_safe_push(outputs, asm_operand("=r", next));
    vec_safe_push(inputs, asm_operand("0", cursor));
    vec_safe_push(inputs, asm_operand("re", word));
    gasm *assembly = gimple_build_asm_vec(text, inputs, outputs, NULL, NULL);
    gimple_asm_set_volatile(assembly, true);
    gimple_asm_set_inline(assembly, true);
    insert(at, assembly, !event.before);
    SSA_NAME_DEF_STMT(next) = assembly;
    return next;
}

gasm *call_event(const char *text, tree token)
{
    vec<tree, va_gc> *outputs = NULL, *inputs = NULL, *clobbers = NULL;
    tree gone = make_ssa_name(unsigned_type_node);

    vec_safe_push(outputs, asm_operand("=a", gone));
    vec_safe_push(inputs, asm_operand("0", token));
    vec_safe_push(clobbers, clobber("r11"));
    gasm *assembly = gimple_build_asm_vec(text, inputs, outputs, clobbers, NULL);
    gimple_asm_set_volatile(assembly, true);
    gimple_asm_set_inline(assembly, true);
    SSA_NAME_DEF_STMT(gone) = assembly;
    return assembly;
}

void cursor_writer::event(gimple_stmt_iterator *at, const planned_event &event, bool here,
                          tree *cursor)
{
    bool after = !event.before;

    if (here) {
        if (!*cursor)
            *cursor = load(at, after);
        *cursor = event_inline(at, event, *cursor);
        return;
    }
    if (*cursor)
        store(at, *cursor, after);
    *cursor = NULL_TREE;
    insert(at, call_event("call\t__wpp_event", token(at, event, false)), after);
}

// A computed goto gives each of its targets what it begins with.
void cursor_writer::finish_goto(basic_block bb, gimple_stmt_iterator *at, tree *cursor)
{
    bool memory = false, reg = false;
    edge e;
    edge_iterator ei;

    FOR_EACH_EDGE (e, ei, bb->succs) {
        memory |= !of(e->dest).in;
        reg |= of(e->dest).in;
    }
    if (memory && *cursor)
        store(at, *cursor, false);
    if (reg && !*cursor)
        *cursor = load(at, false);
}

// The statements of one block, in order.
void cursor_writer::fill(basic_block bb)
{
    const planned_event *end = planned(bb);
    bool here = is_inline[bb->index];
    block_cursor &b = of(bb);
    tree cursor = NULL_TREE;

    b.visited = true;
    if (b.in && single_pred_p(bb) && of(single_pred(bb)).visited && of(single_pred(bb)).out) {
        cursor = of(single_pred(bb)).out_name;
    } else if (b.in) {
        cursor = make_ssa_name(variable);
        b.phi = create_phi_node(cursor, bb);
    }
    b.in_name = cursor;
    for (gimple_stmt_iterator at = gsi_start_bb(bb); !gsi_end_p(at); gsi_next(&at)) {
        gimple *statement = gsi_stmt(at);
        if (end && end->before == statement)
            event(&at, *end, here, &cursor);
        if (is_gimple_debug(statement))
            continue;
        if (cursor && needs_memory(fun, statement)) {
            store(&at, cursor, false);
            cursor = NULL_TREE;
        }
        if (statement == compat_last_stmt(bb) && computed_goto_p(statement))
            finish_goto(bb, &at, &cursor);
    }
    if (end && !end->before) {
        gimple_stmt_iterator at = gsi_last_bb(bb);
        event(&at, *end, here, &cursor);
    }
    b.out_name = cursor;
}

// The cursor's name at the end of a way into a block that begins in REGISTER.
tree cursor_writer::arrive(edge e)
{
    if (of(e->src).out_name)
        return of(e->src).out_name;
    gcc_assert(!(e->flags & EDGE_COMPLEX));
    basic_block on = split_edge(e);
    gimple_stmt_iterator at = gsi_last_bb(on);
    return load(&at, true);
}

// The ways into a block, when it needs more than what its one predecessor has.
void cursor_writer::join(basic_block bb)
{
    std::vector<edge> ways;
    edge e;
    edge_iterator ei;

    FOR_EACH_EDGE (e, ei, bb->preds)
        ways.push_back(e);
    for (edge way : ways) {
        bool complex = way->flags & EDGE_ABNORMAL;
        if (of(bb).phi) {
            tree name = arrive(way);
            if (way->dest != bb)
                way = single_succ_edge(way->dest);
            add_phi_arg(of(bb).phi, name, way, UNKNOWN_LOCATION);
            if (complex)
                SSA_NAME_OCCURS_IN_ABNORMAL_PHI(name) = 1;
            if (complex)
                SSA_NAME_OCCURS_IN_ABNORMAL_PHI(of(bb).in_name) = 1;
        } else if (!of(bb).in && of(way->src).out_name && !complex
                   && bb != EXIT_BLOCK_PTR_FOR_FN(fun)) {
            basic_block on = split_edge(way);
            gimple_stmt_iterator at = gsi_last_bb(on);
            store(&at, of(way->src).out_name, true);
        }
    }
}

// A variable that the program has put into a register which __wpp_event needs would not
// be saved; operands that the compiler chooses keep out of its way.
static bool has_variable_in_the_way(function *fun)
{
    tree variable;
    unsigned i;

    FOR_EACH_LOCAL_DECL (fun, i, variable) {
        if (!VAR_P(variable) || !DECL_HARD_REGISTER(variable))
            continue;
        int reg = decode_reg_name(IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(variable)) + 1);
        if (reg < 0 || reg == AX_REG || reg == R11_REG)
            return true;
    }
    return false;
}

void write_events(function *fun, const event_plan &plan, const runtime_decls &decls,
                  enum inlining inlining)
{
    cursor_writer it = {fun, plan, decls, NULL_TREE, {}, {}};
    std::vector<int> rpo(n_basic_blocks_for_fn(fun));
    std::vector<basic_block> order;
    int n = pre_and_rev_post_order_compute_fn(fun, NULL, rpo.data(), false);

    bool all = inlining == INLINE_ALL || has_variable_in_the_way(fun);
    it.variable = create_tmp_reg(TREE_TYPE(decls.cursor), "wpp_cursor");
    it.blocks.resize(last_basic_block_for_fn(fun));
    it.is_inline.resize(last_basic_block_for_fn(fun));
    for (int i = 0; i < n; i++) {
        order.push_back(BASIC_BLOCK_FOR_FN(fun, rpo[i]));
        it.is_inline[rpo[i]] = all || (inlining == INLINE_HOT && it.hot(order.back()));
    }
    it.solve(order);
    for (basic_block bb : order)
        it.fill(bb);
    for (basic_block bb : order)
        it.join(bb);
}
