// SPDX-License-Identifier: GPL-3.0-or-later
// cursor.cc - decides where the cursor is, and writes the code that moves it.

#include "gcc-plugin/events/cursor.h"

#include "gcc-plugin/events/event-asm.h"
#include "gcc-plugin/graph/path-ends.h"
#include "gcc-plugin/graph/routine-graph.h"

#include "tracer/trace-abi.h"

/* ---- Statements ----------------------------------------------------------------- */

// Whether the statement may run other traced code, or code that looks for this thread's cursor:
// then __wpp_cursor must be right before it.
static bool needs_memory(function *fun, gimple *statement)
{
    if (gcall *call = dyn_cast<gcall *>(statement)) {
        tree callee = gimple_call_fndecl(call);
        if (gimple_call_internal_p(call))
            return false;
        return !(callee && fndecl_built_in_p(callee) && is_inexpensive_builtin(callee));
    }
    if (gasm *assembly = dyn_cast<gasm *>(statement))
        return gimple_asm_volatile_p(assembly) || compat_asm_basic_p(assembly)
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

// Whether no code can be put on the edge, and its target may have other ways in.
static bool loses_register(edge e)
{
    return (e->flags & EDGE_COMPLEX) && !computed_goto(e->src);
}

// Whether the callee may be traced code; libraries' own functions are not.
static bool may_guess(gimple *statement)
{
    gcall *call = dyn_cast<gcall *>(statement);
    if (!call || gimple_call_internal_p(call))
        return false;
    tree callee = gimple_call_fndecl(call);
    return !(callee && fndecl_built_in_p(callee));
}

/* ---- Placement -------------------------------------------------------------------- */

enum effect { KEEPS, TO_MEMORY, TO_REGISTER };
enum offer { OFFER_KEPT, OFFER_MADE, OFFER_LOST };

struct block_cursor {
    enum effect effect;   // of its last statement or event that has one
    enum effect first;    // of its first statement or event that has one
    bool known_memory;    // a way into it loses the register
    bool in, out;         // the cursor is in a register at its begin, at its end
    bool wants;           // should begin in REGISTER if some way into it does: the next event
                          // leaves it there
    bool accepts;         // should if all ways do: the next effect is an event
    bool short_event;     // its event is written from memory to memory
    bool event_offered;   // short event or thunk: %r11 probably is the cursor there
    enum offer offer;     // whether %r11 is the cursor at its end
    bool offered;         // %r11 probably is the cursor at its begin
    bool wants_guess;     // begins in MEMORY, and next is an event, not a short one
    bool has_guess;       // some way into it has a guess
    bool visited;
    tree in_name, out_name;
    gphi *phi;
    tree out_guess;       // in MEMORY, or NULL_TREE
    gphi *guess_phi;
};

// The point in a block at which code is being written, and the names known there.
struct place {
    gimple_stmt_iterator at;
    tree cursor;          // in REGISTER, else NULL_TREE
    tree guess;           // in MEMORY, or NULL_TREE
};

struct cursor_writer {
    function *fun;
    const event_plan &plan;
    const runtime_decls &decls;
    bool linked;                          // the linker knows the unit's base
    tree variable;                        // the variable of all SSA names of the cursor
    tree guess_variable;                  // the same for guesses; NULL_TREE: there are no
                                          // guesses
    std::vector<block_cursor> blocks;
    std::vector<event_form> forms;
    callee_thunks *thunks;

    block_cursor &of(basic_block bb) { return blocks[bb->index]; }
    bool jumps(basic_block bb) const { return forms[bb->index] == EVENT_JUMP; }
    bool in_thunk(basic_block bb) const
    {
        return forms[bb->index] == EVENT_COLD_THUNK || forms[bb->index] == EVENT_THUNK;
    }
    bool is_inline(basic_block bb) const { return forms[bb->index] >= EVENT_JUMP; }
    const planned_event *planned(basic_block bb) const;
    void find_effects(basic_block bb);
    bool leads_to_memory(basic_block bb);
    bool is_so_behind(basic_block bb, bool block_cursor::*what);
    void find_wants(const std::vector<basic_block> &order);
    bool enters(basic_block bb);
    void find_registers(const std::vector<basic_block> &order);
    void drop_registers(const std::vector<basic_block> &order);
    void solve(const std::vector<basic_block> &order);
    bool has_short_event(basic_block bb);
    enum offer offer_at(basic_block bb, gimple *before);
    bool leaves_register(basic_block bb);
    void plan_short_events(const std::vector<basic_block> &order);
    bool guess_is_of_use_behind(basic_block bb);
    bool guess_is_of_use(basic_block bb, gimple_stmt_iterator at);
    bool leaves_guess(basic_block bb);
    void plan_guesses(const std::vector<basic_block> &order);
    void begin(basic_block bb, place *p);
    void fill(basic_block bb);
    void finish_goto(basic_block bb, place *p);
    tree guess_on(edge *e);
    tree arrive(edge *e);
    void join(basic_block bb);
    tree guess(gimple_stmt_iterator *at, bool after);
    void offer(gimple_stmt_iterator *at, tree cursor, bool after);
    void offer_memory(gimple_stmt_iterator *at);
    tree load(gimple_stmt_iterator *at, bool after);
    void store(gimple_stmt_iterator *at, tree cursor, bool after);
    void store_full(gimple_stmt_iterator *at);
    void put_back(gimple_stmt_iterator *at, tree cursor, bool after);
    tree linked_token(gimple_stmt_iterator *at, const planned_event &event);
    tree token(gimple_stmt_iterator *at, const planned_event &event, bool with_base);
    tree event_inline(basic_block bb, gimple_stmt_iterator *at, const planned_event &event,
                      tree cursor, tree guess);
    void event_short(basic_block bb, gimple_stmt_iterator *at, const planned_event &event);
    void event_in_thunk(basic_block bb, const planned_event &event, place *p);
    void event(basic_block bb, const planned_event &event, place *p);
};

const planned_event *cursor_writer::planned(basic_block bb) const
{
    auto found = plan.find(bb->index);
    return found == plan.end() ? NULL : &found->second;
}

void cursor_writer::find_effects(basic_block bb)
{
    const planned_event *event = planned(bb);
    enum effect of_event = is_inline(bb) ? TO_REGISTER : TO_MEMORY;
    block_cursor &b = of(bb);
    auto one_more = [&b](enum effect effect) {
        if (b.first == KEEPS)
            b.first = effect;
        b.effect = effect;
    };

    for (gimple_stmt_iterator at = gsi_start_bb(bb); !gsi_end_p(at); gsi_next(&at)) {
        gimple *statement = gsi_stmt(at);
        if (event && event->before == statement)
            one_more(of_event);
        if (!is_gimple_debug(statement) && needs_memory(fun, statement))
            one_more(TO_MEMORY);
    }
    if (event && !event->before)
        one_more(of_event);
}

// Whether the block has an event, and directly behind it the cursor must be in memory.
bool cursor_writer::leads_to_memory(basic_block bb)
{
    const planned_event *event = planned(bb);

    return event && event->before && needs_memory(fun, event->before);
}

// Whether `what` holds for some successor of the block.
bool cursor_writer::is_so_behind(basic_block bb, bool block_cursor::*what)
{
    edge e;
    edge_iterator ei;

    FOR_EACH_EDGE (e, ei, bb->succs)
        if (of(e->dest).*what)
            return true;
    return false;
}

void cursor_writer::find_wants(const std::vector<basic_block> &order)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (auto at = order.rbegin(); at != order.rend(); ++at) {
            block_cursor &b = of(*at);
            bool keeps = b.first == KEEPS, event = b.first == TO_REGISTER;
            bool accepts = keeps ? is_so_behind(*at, &block_cursor::accepts) : event;
            bool wants = keeps ? is_so_behind(*at, &block_cursor::wants)
                               : event && !leads_to_memory(*at);
            changed |= wants != b.wants || accepts != b.accepts;
            b.wants = wants;
            b.accepts = accepts;
        }
    }
}

bool cursor_writer::enters(basic_block bb)
{
    bool some = false, all = true;
    edge e;
    edge_iterator ei;

    if (of(bb).known_memory)
        return false;
    FOR_EACH_EDGE (e, ei, bb->preds) {
        some |= of(e->src).out;
        all &= of(e->src).out;
    }
    return some && (of(bb).wants || (all && of(bb).accepts));
}

// Finds the least solution: it starts with no block in REGISTER and adds those that must be.
void cursor_writer::find_registers(const std::vector<basic_block> &order)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (basic_block bb : order) {
            block_cursor &b = of(bb);
            bool in = enters(bb);
            bool out = b.effect == KEEPS
                           ? in
                           : b.effect == TO_REGISTER && is_so_behind(bb, &block_cursor::accepts);
            if (computed_goto(bb))                // it loads for targets that begin in REGISTER
                out |= is_so_behind(bb, &block_cursor::in);
            changed |= in != b.in || out != b.out;
            b.in = in;
            b.out = out;
        }
    }
}

// Stores at once in blocks whose successors all begin in MEMORY.
void cursor_writer::drop_registers(const std::vector<basic_block> &order)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (auto at = order.rbegin(); at != order.rend(); ++at) {
            block_cursor &b = of(*at);
            if (!b.out || is_so_behind(*at, &block_cursor::in))
                continue;
            b.out = false;
            b.in &= b.effect != KEEPS;
            changed = true;
        }
    }
}

void cursor_writer::solve(const std::vector<basic_block> &order)
{
    edge e;
    edge_iterator ei;

    for (basic_block bb : order) {
        find_effects(bb);
        FOR_EACH_EDGE (e, ei, bb->preds)
            of(bb).known_memory |= loses_register(e);
    }
    find_wants(order);
    find_registers(order);
    drop_registers(order);
}

/* ---- Short events --------------------------------------------------------------------- */

// Whether the cursor is in memory at the block's event, and must be there again directly behind
// it.
bool cursor_writer::has_short_event(basic_block bb)
{
    const planned_event *event = planned(bb);
    bool in = of(bb).in;

    if (!is_inline(bb) || !leads_to_memory(bb))
        return false;
    for (gimple_stmt_iterator at = gsi_start_bb(bb); gsi_stmt(at) != event->before; gsi_next(&at))
        in &= is_gimple_debug(gsi_stmt(at)) || !needs_memory(fun, gsi_stmt(at));
    return !in;
}

// Whether %r11 is the cursor before a statement, or at the block's end (NULL).
enum offer cursor_writer::offer_at(basic_block bb, gimple *before)
{
    const planned_event *event = planned(bb);
    enum offer last = OFFER_KEPT;

    for (gimple_stmt_iterator at = gsi_start_bb(bb); !gsi_end_p(at); gsi_next(&at)) {
        gimple *statement = gsi_stmt(at);
        if (statement == before)
            return last;
        if (event && event->before == statement)
            last = !is_inline(bb) || of(bb).short_event ? OFFER_MADE : OFFER_LOST;
        if (!is_gimple_debug(statement) && needs_memory(fun, statement))
            last = may_guess(statement) ? OFFER_MADE : OFFER_LOST;
    }
    if (event && !event->before)
        last = is_inline(bb) ? OFFER_LOST : OFFER_MADE;
    return last;
}

// Whether the cursor is in a register at the block's end; then it is put back for successors in
// MEMORY.
bool cursor_writer::leaves_register(basic_block bb)
{
    const block_cursor &b = of(bb);

    return b.effect == TO_REGISTER || (b.effect == KEEPS && b.in);
}

void cursor_writer::plan_short_events(const std::vector<basic_block> &order)
{
    edge e;
    edge_iterator ei;

    for (basic_block bb : order) {
        of(bb).short_event = has_short_event(bb);
        of(bb).offer = leaves_register(bb) ? OFFER_MADE : offer_at(bb, NULL);
    }
    of(ENTRY_BLOCK_PTR_FOR_FN(fun)).offer = OFFER_MADE;
    for (bool changed = true; changed;) {
        changed = false;
        for (basic_block bb : order) {
            bool is = false;
            FOR_EACH_EDGE (e, ei, bb->preds) {
                block_cursor &src = of(e->src);
                is |= !(e->flags & EDGE_COMPLEX)
                      && (src.offer == OFFER_MADE || (src.offer == OFFER_KEPT && src.offered));
            }
            changed |= is != of(bb).offered;
            of(bb).offered = is;
        }
    }
    for (basic_block bb : order)
        if (of(bb).short_event || (in_thunk(bb) && planned(bb))) {
            enum offer last = offer_at(bb, planned(bb)->before);
            of(bb).event_offered = last == OFFER_KEPT ? of(bb).offered : last == OFFER_MADE;
        }
}

/* ---- Guesses ------------------------------------------------------------------------ */

// Whether an event behind the block, which ends in MEMORY, will compare a guess.
bool cursor_writer::guess_is_of_use_behind(basic_block bb)
{
    edge e;
    edge_iterator ei;

    FOR_EACH_EDGE (e, ei, bb->succs)
        if (!(e->flags & EDGE_COMPLEX) && of(e->dest).wants_guess)
            return true;
    return false;
}

// The same before statement `at`, in MEMORY: whether the next event compares a guess.
bool cursor_writer::guess_is_of_use(basic_block bb, gimple_stmt_iterator at)
{
    const planned_event *event = planned(bb);

    if (!guess_variable)
        return false;
    for (; !gsi_end_p(at); gsi_next(&at)) {
        gimple *statement = gsi_stmt(at);
        if (event && event->before == statement)
            return is_inline(bb) && !of(bb).short_event;
        if (is_gimple_debug(statement))
            continue;
        if (needs_memory(fun, statement))
            return false;
    }
    return event && !event->before ? is_inline(bb) : guess_is_of_use_behind(bb);
}

// Whether the block's last statement ends it and may leave a guess behind.
bool cursor_writer::leaves_guess(basic_block bb)
{
    if (bb == ENTRY_BLOCK_PTR_FOR_FN(fun))
        return true;
    gimple *last = compat_last_stmt(bb);
    return last && stmt_ends_bb_p(last) && may_guess(last);
}

static bool has_complex_way_in(basic_block bb)
{
    edge e;
    edge_iterator ei;

    FOR_EACH_EDGE (e, ei, bb->preds)
        if (e->flags & EDGE_COMPLEX)
            return true;
    return false;
}

void cursor_writer::plan_guesses(const std::vector<basic_block> &order)
{
    edge e;
    edge_iterator ei;

    for (bool changed = true; changed;) {
        changed = false;
        for (auto at = order.rbegin(); at != order.rend(); ++at) {
            block_cursor &b = of(*at);
            bool wants = !b.in && !b.known_memory && !has_complex_way_in(*at)
                         && ((b.first == TO_REGISTER && !b.short_event)
                             || (b.first == KEEPS && guess_is_of_use_behind(*at)));
            changed |= wants != b.wants_guess;
            b.wants_guess = wants;
        }
    }
    of(ENTRY_BLOCK_PTR_FOR_FN(fun)).effect = TO_MEMORY;
    for (bool changed = true; changed;) {
        changed = false;
        for (basic_block bb : order) {
            bool has = false;
            FOR_EACH_EDGE (e, ei, bb->preds)
                has |= of(e->src).effect != KEEPS || of(e->src).has_guess;
            has &= of(bb).wants_guess;
            changed |= has != of(bb).has_guess;
            of(bb).has_guess = has;
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

// Reads the guess: the cursor that the previous routine left in %r11.
tree cursor_writer::guess(gimple_stmt_iterator *at, bool after)
{
    tree name = make_ssa_name(guess_variable);

    insert(at, build_asm(ASM_GUESS, "=r", name, NULL, NULL), after);
    return name;
}

// Leaves the cursor in %r11 for the next routine.
void cursor_writer::offer(gimple_stmt_iterator *at, tree cursor, bool after)
{
    vec<tree, va_gc> *inputs = NULL, *clobbers = NULL;

    vec_safe_push(inputs, asm_operand("r", cursor));
    vec_safe_push(clobbers, asm_clobber("r11"));
    insert(at, build_asm(ASM_OFFER, NULL, NULL_TREE, inputs, clobbers), after);
}

// The same from memory, for a point at which %r11 may hold anything.
void cursor_writer::offer_memory(gimple_stmt_iterator *at)
{
    vec<tree, va_gc> *inputs = NULL, *clobbers = NULL;

    vec_safe_push(inputs, asm_operand("m", decls.cursor));
    vec_safe_push(clobbers, asm_clobber("r11"));
    insert(at, build_asm(ASM_OFFER, NULL, NULL_TREE, inputs, clobbers), false);
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

// Before the call in `at`: makes the cursor point where no slot is free.  So the next event
// calls the runtime, in the parent and in the child of a fork that the runtime does not see.
// The child is recorded from there on.  The cursor points at the runtime's own code: this module
// may be gone at that event.
void cursor_writer::store_full(gimple_stmt_iterator *at)
{
    tree name = make_ssa_name(variable);

    insert(at, build_asm(ASM_FULL, "=r", name, NULL, NULL), false);
    store(at, name, false);
}

// Stores the cursor in memory and, with guesses, in %r11, for the next event.
void cursor_writer::put_back(gimple_stmt_iterator *at, tree cursor, bool after)
{
    store(at, cursor, after);
    if (guess_variable)
        offer(at, cursor, after);
}

// The token of a unit whose base the linker knows: a constant for an event whose instruction
// holds it, or a register.
tree cursor_writer::linked_token(gimple_stmt_iterator *at, const planned_event &event)
{
    tree number = build_int_cst(unsigned_type_node, WPP_LINKED_BIAS + event.number);
    vec<tree, va_gc> *inputs = NULL, *outputs = NULL;

    if (!event.name)
        return number;
    tree sum = make_ssa_name(unsigned_type_node);
    vec_safe_push(outputs, asm_operand("=r", sum));
    vec_safe_push(inputs, asm_operand("r", event.name));
    vec_safe_push(inputs, asm_operand("i", number));
    gasm *assembly = gimple_build_asm_vec(ASM_LINKED_SUM, inputs, outputs, NULL, NULL);
    gimple_asm_set_inline(assembly, true);
    SSA_NAME_DEF_STMT(sum) = assembly;
    insert(at, assembly, !event.before);
    return sum;
}

// Computes the token, with or without the unit's base, before or behind `at`.
tree cursor_writer::token(gimple_stmt_iterator *at, const planned_event &event, bool with_base)
{
    if (with_base && linked)
        return linked_token(at, event);
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

// Writes an event with the cursor, or with a guess of __wpp_cursor; returns the next cursor.
tree cursor_writer::event_inline(basic_block bb, gimple_stmt_iterator *at,
                                 const planned_event &event, tree cursor, tree guess)
{
    vec<tree, va_gc> *inputs = NULL;
    tree next = make_ssa_name(variable), word = token(at, event, true);

    bool in_place = linked && !event.name;
    const char *text = asm_event(jumps(bb), !cursor, in_place);
    vec_safe_push(inputs, asm_operand("0", cursor ? cursor : guess));
    vec_safe_push(inputs, asm_operand(in_place ? "i" : "re", word));
    if (!cursor)
        vec_safe_push(inputs, asm_operand("m", decls.cursor));
    insert(at, build_asm(text, ASM_WRITTEN_EARLY, next, inputs, NULL), !event.before);
    return next;
}

void cursor_writer::event_short(basic_block bb, gimple_stmt_iterator *at,
                                const planned_event &event)
{
    bool guessed = guess_variable && of(bb).event_offered;
    bool in_place = linked && !event.name;
    const char *text = asm_short_event(jumps(bb), guessed, in_place);
    vec<tree, va_gc> *inputs = NULL, *outputs = NULL, *clobbers = NULL;

    vec_safe_push(outputs, asm_operand("=m", decls.cursor));
    vec_safe_push(inputs, asm_operand(in_place ? "i" : "re", token(at, event, true)));
    vec_safe_push(inputs, asm_operand("m", decls.cursor));
    vec_safe_push(clobbers, asm_clobber("r11"));
    gasm *assembly = gimple_build_asm_vec(text, inputs, outputs, clobbers, NULL);
    gimple_asm_set_volatile(assembly, true);
    gimple_asm_set_inline(assembly, true);
    insert(at, assembly, false);
}

// Sends the call that ends the path through a thunk, with the cursor in memory and, if warm, in
// %r11.
void cursor_writer::event_in_thunk(basic_block bb, const planned_event &event, place *p)
{
    bool warm = forms[bb->index] == EVENT_THUNK;

    if (p->cursor)
        put_back(&p->at, p->cursor, false);
    else if (warm && !of(bb).event_offered)
        offer_memory(&p->at);
    thunks->send(&p->at, as_a<gcall *>(event.before), token(&p->at, event, false), warm);
}

void cursor_writer::event(basic_block bb, const planned_event &event, place *p)
{
    bool after = !event.before;

    if (of(bb).short_event) {
        event_short(bb, &p->at, event);
        p->cursor = p->guess = NULL_TREE;
        return;
    }
    if (in_thunk(bb)) {
        event_in_thunk(bb, event, p);
        p->cursor = p->guess = NULL_TREE;
        return;
    }
    if (is_inline(bb)) {
        if (!p->cursor && !p->guess)
            p->cursor = load(&p->at, after);
        p->cursor = event_inline(bb, &p->at, event, p->cursor, p->guess);
        if (of(bb).effect == TO_REGISTER && !of(bb).out) {
            put_back(&p->at, p->cursor, after);
            p->cursor = p->guess = NULL_TREE;
        }
        return;
    }
    if (p->cursor)
        store(&p->at, p->cursor, after);
    p->cursor = NULL_TREE;
    insert(&p->at, call_event("call\t__wpp_event", token(&p->at, event, false)), after);
    p->guess = NULL_TREE;
    if (after ? guess_variable && guess_is_of_use_behind(bb) : guess_is_of_use(bb, p->at))
        p->guess = guess(&p->at, after);
}

// Before a computed goto: stores or loads the cursor as its targets need it.
void cursor_writer::finish_goto(basic_block bb, place *p)
{
    bool memory = false, reg = false;
    edge e;
    edge_iterator ei;

    FOR_EACH_EDGE (e, ei, bb->succs) {
        memory |= !of(e->dest).in;
        reg |= of(e->dest).in;
    }
    if (memory && p->cursor)
        store(&p->at, p->cursor, false);
    if (reg && !p->cursor)
        p->cursor = load(&p->at, false);
}

// Finds the cursor or guess at the block's begin; several ways in need a PHI.
void cursor_writer::begin(basic_block bb, place *p)
{
    block_cursor &b = of(bb);
    block_cursor *before = single_pred_p(bb) ? &of(single_pred(bb)) : NULL;

    if (b.in && before && before->visited && before->out) {
        p->cursor = before->out_name;
    } else if (b.in) {
        p->cursor = make_ssa_name(variable);
        b.phi = create_phi_node(p->cursor, bb);
    } else if (b.has_guess && before && (before->visited || leaves_guess(single_pred(bb)))) {
        p->at = gsi_after_labels(bb);
        p->guess = before->out_guess;
        if (!p->guess && leaves_guess(single_pred(bb)))
            p->guess = guess(&p->at, false);
    } else if (b.has_guess) {
        p->guess = make_ssa_name(guess_variable);
        b.guess_phi = create_phi_node(p->guess, bb);
    }
    b.in_name = p->cursor;
}

// Writes the code of one block, statement by statement.
void cursor_writer::fill(basic_block bb)
{
    const planned_event *end = planned(bb);
    block_cursor &b = of(bb);
    place p = {gsi_start_bb(bb), NULL_TREE, NULL_TREE};

    b.visited = true;
    begin(bb, &p);
    for (; !gsi_end_p(p.at); gsi_next(&p.at)) {
        gimple *statement = gsi_stmt(p.at);
        if (end && end->before == statement)
            event(bb, *end, &p);
        if (is_gimple_debug(statement))
            continue;
        if (needs_memory(fun, statement)) {
            bool callee = guess_variable && may_guess(statement);
            if (p.cursor)
                store(&p.at, p.cursor, false);
            if (p.cursor && guess_variable
                && (gimple_code(statement) == GIMPLE_RETURN
                    || (callee && !gimple_call_noreturn_p(statement))))
                offer(&p.at, p.cursor, false);
            if (is_gimple_call(statement) && makes_process(as_a<gcall *>(statement)))
                store_full(&p.at);
            p.cursor = p.guess = NULL_TREE;
            gimple_stmt_iterator next = p.at;
            gsi_next(&next);
            if (callee && !stmt_ends_bb_p(statement) && guess_is_of_use(bb, next))
                p.guess = guess(&p.at, true);
        } else if (statement == compat_last_stmt(bb) && computed_goto_p(statement)) {
            finish_goto(bb, &p);
        }
    }
    if (end && !end->before) {
        p.at = gsi_last_bb(bb);
        event(bb, *end, &p);
    }
    b.out_name = p.cursor;
    b.out_guess = p.cursor ? NULL_TREE : p.guess;
}

// The guess at the end of an edge from a block in MEMORY; reading it may need a block on the
// edge.
tree cursor_writer::guess_on(edge *e)
{
    basic_block src = (*e)->src;

    if (of(src).out_guess)
        return of(src).out_guess;
    // Any value would do, but checkers complain of an uninitialised one.
    if (!leaves_guess(src))
        return build_int_cst(TREE_TYPE(guess_variable), 0);
    basic_block on = split_edge(*e);
    gimple_stmt_iterator at = gsi_last_bb(on);
    *e = single_succ_edge(on);
    return guess(&at, true);
}

// The cursor's name at the end of an edge into a block that begins in REGISTER.
tree cursor_writer::arrive(edge *e)
{
    basic_block src = (*e)->src;

    if (of(src).out_name)
        return of(src).out_name;
    gcc_assert(!((*e)->flags & EDGE_COMPLEX));
    basic_block on = split_edge(*e);
    gimple_stmt_iterator at = gsi_last_bb(on);
    *e = single_succ_edge(on);
    return load(&at, true);
}

// Completes the edges into a block: arguments of its PHI, or a store on edges from REGISTER.
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
            tree name = arrive(&way);
            add_phi_arg(of(bb).phi, name, way, UNKNOWN_LOCATION);
            if (complex)
                SSA_NAME_OCCURS_IN_ABNORMAL_PHI(name) = 1;
            if (complex)
                SSA_NAME_OCCURS_IN_ABNORMAL_PHI(of(bb).in_name) = 1;
        } else if (of(bb).guess_phi) {
            tree name = guess_on(&way);
            add_phi_arg(of(bb).guess_phi, name, way, UNKNOWN_LOCATION);
        } else if (!of(bb).in && of(way->src).out_name && !complex
                   && bb != EXIT_BLOCK_PTR_FOR_FN(fun)) {
            basic_block on = split_edge(way);
            gimple_stmt_iterator at = gsi_last_bb(on);
            put_back(&at, of(way->src).out_name, true);
        }
    }
}

// Whether a register that __wpp_event needs is taken.  The program may have put a variable
// there, or have taken the register away from the compiler; it would not be saved.  Operands
// that the compiler chooses avoid it.
static bool has_variable_in_the_way(function *fun)
{
    tree variable;
    unsigned i;

    if (fixed_regs[AX_REG] || fixed_regs[R11_REG])
        return true;
    FOR_EACH_LOCAL_DECL (fun, i, variable) {
        if (!VAR_P(variable) || !DECL_HARD_REGISTER(variable))
            continue;
        int reg = decode_reg_name(IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(variable)) + 1);
        if (reg < 0 || reg == AX_REG || reg == R11_REG)
            return true;
    }
    return false;
}

static bool makes_guesses(function *fun, const event_style &style)
{
    return optimize && style.inlining != INLINE_NONE && !optimize_function_for_size_p(fun)
           && !has_variable_in_the_way(fun);
}

// The form of an event before a call that has a thunk.  A warm thunk needs guesses to find the
// cursor.  In a shared library it would also have to look up the cursor's address, and the
// callee's arguments hold the registers for that.
static event_form form_at_call(function *fun, const event_style &style, event_form form)
{
    bool warm = makes_guesses(fun, style) && !style.shared;

    if (form == EVENT_CALL || (form == EVENT_JUMP && optimize_function_for_size_p(fun)))
        return EVENT_COLD_THUNK;
    if (form == EVENT_JUMP)
        return warm ? EVENT_THUNK : EVENT_JUMP;
    return warm && form == EVENT_THUNK ? EVENT_THUNK : EVENT_INLINE;
}

std::vector<event_form> styled_forms(function *fun, const std::vector<basic_block> &order,
                                     const event_style &style)
{
    size_t n = last_basic_block_for_fn(fun);

    if (style.inlining == INLINE_ALL || has_variable_in_the_way(fun))
        return std::vector<event_form>(n, EVENT_INLINE);
    std::vector<event_form> forms = style.inlining == INLINE_NONE
                                    ? std::vector<event_form>(n, EVENT_CALL)
                                    : event_forms(fun, order, style.called);
    for (basic_block bb : order) {
        gcall *call = safe_dyn_cast<gcall *>(compat_last_stmt(bb));
        event_form &form = forms[bb->index];
        if (style.thunks && call && ends_path(call) && style.thunks->has(call))
            form = form_at_call(fun, style, form);
        else if (form == EVENT_THUNK)
            form = EVENT_INLINE;
    }
    return forms;
}

void write_events(function *fun, const event_plan &plan, const runtime_decls &decls,
                  const event_style &style)
{
    cursor_writer it = {fun, plan, decls, style.linked, NULL_TREE, NULL_TREE, {}, {},
                        style.thunks};
    std::vector<basic_block> order = blocks_in_order(fun);
    bool in_the_way = has_variable_in_the_way(fun);
    it.variable = create_tmp_reg(TREE_TYPE(decls.cursor), "wpp_cursor");
    it.blocks.resize(last_basic_block_for_fn(fun));
    it.forms = styled_forms(fun, order, style);
    it.solve(order);
    if (!in_the_way)
        it.plan_short_events(order);
    if (makes_guesses(fun, style)) {
        it.guess_variable = create_tmp_reg(TREE_TYPE(decls.cursor), "wpp_guess");
        it.plan_guesses(order);
    }
    for (basic_block bb : order)
        it.fill(bb);
    for (basic_block bb : order)
        it.join(bb);
}
