// SPDX-License-Identifier: GPL-3.0-or-later
// instrument.cc - the path register and the events.
//
// The path register is not a variable but a value known at every block: an SSA name plus a
// constant.  Where ways with different values meet, a PHI merges them.  A path that begins at a
// cut begins with a constant.  So most numbers are constants, and the register exists only where
// it must.
//
//
//      value(start of a path at h)   = base + inc(START h)
//      value(after edge e)           = value(src) + inc(e)
//      token at a path's end         = unit base + first - base + value + inc(END)
//
// The base is 0 or `first`.  With `first`, an event out of line needs no addition for its token
// where inc(END) is 0, but an `xor` cannot set the register to its start value.
//
// cursor.cc decides the form of an event and the place of the cursor.

#include "gcc-plugin/events/instrument.h"

#include "gcc-plugin/events/frames.h"
#include "gcc-plugin/events/left-calls.h"
#include "gcc-plugin/graph/path-ends.h"

/* ---- Declarations ----------------------------------------------------------- */

static tree extern_variable(const char *name, tree type)
{
    tree decl = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier(name), type);

    TREE_PUBLIC(decl) = 1;
    DECL_EXTERNAL(decl) = 1;
    TREE_USED(decl) = 1;
    DECL_ARTIFICIAL(decl) = 1;
    DECL_IGNORED_P(decl) = 1;
    SET_DECL_ASSEMBLER_NAME(decl, get_identifier(name));
    return decl;
}

// Volatile, so that GCC does not move it past events.
static tree thread_variable(const char *name, tree type)
{
    tree decl = extern_variable(name, build_qualified_type(type, TYPE_QUAL_VOLATILE));

    TREE_THIS_VOLATILE(decl) = 1;
    TREE_SIDE_EFFECTS(decl) = 1;
    // Code that may end up in a shared library needs the slower access.
    set_decl_tls_model(decl,
                       flag_pic && !flag_pie ? TLS_MODEL_INITIAL_EXEC : TLS_MODEL_LOCAL_EXEC);
    return decl;
}

// The unit's own.
static tree unit_variable(const char *name, tree type)
{
    tree decl = extern_variable(name, type);

    DECL_VISIBILITY(decl) = VISIBILITY_HIDDEN;
    DECL_VISIBILITY_SPECIFIED(decl) = 1;
    return decl;
}

void make_runtime_decls(runtime_decls &decls)
{
    decls.token_type = unsigned_type_node;
    // An alias set of its own: stores of the cursor do not make the program reload its data.
    tree pointer = build_distinct_type_copy(build_pointer_type(decls.token_type));
    TYPE_ALIAS_SET(pointer) = new_alias_set();
    decls.cursor = thread_variable("__wpp_cursor", pointer);
    decls.frames = thread_variable("__wpp_frames", unsigned_type_node);
    decls.unit = unit_variable("__wpp_unit", decls.token_type);
    TREE_READONLY(decls.unit) = 1;
    decls.counts = unit_variable("__wpp_counts", uint64_type_node);
    decls.counts_at = unit_variable("__wpp_counts_at", build_pointer_type(uint64_type_node));
}

/* ---- Callees ------------------------------------------------------------------ */

// Removes const from the call's type; a direct call's type has it, too.
static bool plain_type(gcall *call)
{
    tree type = gimple_call_fntype(call);

    if (!type || !TYPE_READONLY(type))
        return false;
    tree plain = build_qualified_type(type, TYPE_QUALS(type) & ~TYPE_QUAL_CONST);
    gimple_call_set_fntype(call, plain);
    if (gimple_call_fndecl(call))
        return true;
    tree name = make_ssa_name(build_pointer_type(plain));
    gimple_stmt_iterator at = gsi_for_stmt(call);
    gsi_insert_before(&at, gimple_build_assign(name, NOP_EXPR, gimple_call_fn(call)),
                      GSI_SAME_STMT);
    gimple_call_set_fn(call, name);
    return true;
}

// Declares the callee an ordinary function; whether it was const or pure.
bool honest_callees::plain_callee(tree callee)
{
    if (!callee || !(TREE_READONLY(callee) || DECL_PURE_P(callee)))
        return false;
    changed.push_back({callee, !!TREE_READONLY(callee), !!DECL_PURE_P(callee),
                       !!DECL_LOOPING_CONST_OR_PURE_P(callee)});
    DECL_LOOPING_CONST_OR_PURE_P(callee) = 0;
    TREE_READONLY(callee) = 0;
    DECL_PURE_P(callee) = 0;
    return true;
}

static std::vector<gcall *> all_calls(function *fun)
{
    std::vector<gcall *> calls;
    basic_block bb;

    FOR_EACH_BB_FN (bb, fun)
        for (gimple_stmt_iterator at = gsi_start_bb(bb); !gsi_end_p(at); gsi_next(&at))
            if (gcall *call = dyn_cast<gcall *>(gsi_stmt(at)))
                calls.push_back(call);
    return calls;
}

bool honest_callees::declare(function *fun)
{
    std::vector<gcall *> calls = all_calls(fun);
    bool any = false;

    for (gcall *call : calls)
        if (ends_path(call)) {
            any |= plain_callee(gimple_call_fndecl(call));
            any |= plain_type(call);
        }
    // These calls need virtual operands now, and so do other calls of the same callees.
    if (any)
        for (gcall *call : calls)
            update_stmt(call);
    return any;
}

void honest_callees::restore()
{
    for (const flags &f : changed) {
        TREE_READONLY(f.decl) = f.constant;
        DECL_PURE_P(f.decl) = f.pure;
        DECL_LOOPING_CONST_OR_PURE_P(f.decl) = f.looping;
    }
    changed.clear();
}

/* ---- The path register --------------------------------------------------------- */

struct path_value {
    tree name;            // SSA name, or NULL_TREE
    int64_t constant;     // of events: modulo 2^32

    bool operator==(const path_value &o) const
    {
        return name == o.name && constant == o.constant;
    }
};

// The state of one routine's instrumentation.
struct instrumenter {
    routine_graph &r;
    int64_t base, rest;                   // a path's start value; path number - value
    tree type;                            // of the register: 32 bits for events, 64 for counters
    const counted_paths *counted;         // which paths have counters; NULL: all have events
    event_plan plan;
    std::vector<path_value> value;        // at the start of each vertex
    std::vector<bool> known;
    std::vector<basic_block> inserted;    // per pn_edge: block made on it, or NULL

    bool reached(uint32_t v) const { return r.graph->first[v] != r.graph->first[v + 1]; }
    int64_t inc(uint32_t dag) const { return r.graph->dag[dag].inc; }
    path_value plus(path_value v, int64_t n) const;
    path_value along(uint32_t edge) const;
    path_value ended(uint32_t edge) const;
    basic_block block_on(uint32_t edge);
    tree materialise(uint32_t edge, path_value v);
    path_value meet(uint32_t v);
    void compute_values();
    void emit_in_block(uint32_t v);
    void emit_on_ways_in(uint32_t v);
    void emit_on_edges(uint32_t v);
    void emit(basic_block bb, gimple *before, uint32_t edge);
    void plan_ends();
    bool rest_of_first_path(uint32_t v, int64_t *sum) const;
    void mark_left_calls();
    void say_arrivals(const runtime_decls &decls);
};

path_value instrumenter::plus(path_value v, int64_t n) const
{
    uint64_t sum = static_cast<uint64_t>(v.constant) + static_cast<uint64_t>(n);

    if (TYPE_PRECISION(type) == 32)
        sum = static_cast<uint32_t>(sum);
    return {v.name, static_cast<int64_t>(sum)};
}

// The value that an edge carries into its target.
path_value instrumenter::along(uint32_t edge) const
{
    const pn_edge &e = r.graph->edge[edge];
    if (!reached(e.src))
        return {NULL_TREE, base};         // only code that never runs comes from there
    if (e.cut)
        return plus({NULL_TREE, base}, inc(e.start));
    gcc_assert(known[e.src]);
    return plus(value[e.src], inc(e.dag));
}

// The number of the path that ends on an edge: on its END edge, or on a REAL edge to EXIT.
path_value instrumenter::ended(uint32_t edge) const
{
    const pn_edge &e = r.graph->edge[edge];
    return plus(value[e.src], inc(e.dag));
}

// A block that is executed exactly when the edge is taken: for code on the edge.
basic_block instrumenter::block_on(uint32_t edge)
{
    if (!inserted[edge])
        inserted[edge] = split_edge(r.edges[edge].e);
    return inserted[edge];
}

// The value as a PHI argument: SSA name or constant.
tree instrumenter::materialise(uint32_t edge, path_value v)
{
    if (!v.name)
        return build_int_cst(type, v.constant);
    if (v.constant == 0)
        return v.name;
    gimple_stmt_iterator at = gsi_last_bb(block_on(edge));
    tree sum = make_ssa_name(type);
    gsi_insert_after(&at,
                     gimple_build_assign(sum, PLUS_EXPR, v.name,
                                         build_int_cst(type, v.constant)),
                     GSI_NEW_STMT);
    return sum;
}

// The value at the start of a vertex, merged from all edges into it.
path_value instrumenter::meet(uint32_t v)
{
    const std::vector<uint32_t> &in = r.in[v];
    path_value common = along(in[0]);
    bool equal = true;

    for (uint32_t edge : in)
        equal = equal && along(edge) == common;
    if (equal)
        return common;

    std::vector<std::pair<uint32_t, tree>> arguments;
    for (uint32_t edge : in)
        arguments.push_back({edge, materialise(edge, along(edge))});
    tree name = make_ssa_name(type);
    gphi *phi = create_phi_node(name, r.blocks[v].bb);
    for (auto &argument : arguments) {
        uint32_t edge = argument.first;
        class edge_def *e = inserted[edge] ? single_succ_edge(inserted[edge]) : r.edges[edge].e;
        gcc_assert(e->dest == r.blocks[v].bb && !(e->flags & EDGE_COMPLEX));
        add_phi_arg(phi, argument.second, e, UNKNOWN_LOCATION);
    }
    return {name, 0};
}

// Visits the blocks in topological order of the uncut edges.  A cut edge brings a constant, so a
// loop's header needs no value from its latch.
void instrumenter::compute_values()
{
    std::vector<uint32_t> waiting(r.blocks.size()), ready = {0};

    for (uint32_t i = 0; i < r.graph->n_edges; i++)
        waiting[r.graph->edge[i].dst] += !r.graph->edge[i].cut && reached(r.graph->edge[i].src);
    for (uint32_t v = 2; v < r.blocks.size(); v++)
        if (waiting[v] == 0 && reached(v))
            ready.push_back(v);
    while (!ready.empty()) {
        uint32_t v = ready.back();
        ready.pop_back();
        value[v] = v == r.graph->entry ? path_value{NULL_TREE, base} : meet(v);
        known[v] = true;
        for (uint32_t edge : r.out[v]) {
            const pn_edge &e = r.graph->edge[edge];
            if (!e.cut && --waiting[e.dst] == 0 && e.dst != r.graph->exit)
                ready.push_back(e.dst);
        }
    }
}

/* ---- Events ------------------------------------------------------------------------ */

// The event or counter of the paths that end on an edge.
void instrumenter::emit(basic_block bb, gimple *before, uint32_t edge)
{
    path_value number = plus(ended(edge), rest);
    if (counted && counted->end && !counted->end(r.graph->edge[edge].dag))
        return;
    if (counted && counted->number && !number.name && !counted->number(number.constant - rest))
        return;
    bool is_first = plan.insert({bb->index, {before, number.name, number.constant}}).second;

    gcc_assert(is_first);
}

// For a block whose last statement ends the path: emits the event before it.
void instrumenter::emit_in_block(uint32_t v)
{
    graph_block &b = r.blocks[v];
    gimple *last = compat_last_stmt(b.bb);

    if (!reached(v) || b.ending == ENDING_NONE || b.ending == ENDING_GOTO
        || b.ending == ENDING_SILENT)
        return;
    bool before = last && (b.ending != ENDING_STOP || stmt_ends_bb_p(last));
    emit(b.bb, before ? last : NULL, r.out[v][0]);
}

// For a call that returns twice, which must stand first in its block.  The path that begins and
// ends there emits its event on each way in, behind the event of the path that ends there.
void instrumenter::emit_on_ways_in(uint32_t v)
{
    gcc_assert(!value[v].name);
    for (uint32_t edge : r.in[v]) {
        if (!reached(r.graph->edge[edge].src) || (r.edges[edge].e->flags & EDGE_COMPLEX))
            continue;
        basic_block on = block_on(edge);
        if (plan.count(on->index))
            on = split_edge(single_succ_edge(on));
        emit(on, NULL, r.out[v][0]);
    }
}

// For edges that end the path: emits the event on them.
void instrumenter::emit_on_edges(uint32_t v)
{
    if (!reached(v))
        return;
    for (uint32_t edge : r.out[v]) {
        const pn_edge &e = r.graph->edge[edge];
        if (e.cut && !(e.flags & PN_SHARED_END))
            emit(block_on(edge), NULL, edge);
    }
}

// Emits Frame words where longjmp or a nonlocal goto may arrive.
void instrumenter::say_arrivals(const runtime_decls &decls)
{
    if (!r.numbered())
        return;
    tree number = number_activation(r.fun, block_on(0), decls);
    for (uint32_t v : r.twice)
        for (uint32_t edge : r.out[v])
            if (r.edges[edge].e && !(r.edges[edge].e->flags & EDGE_COMPLEX))
                say_frame(gsi_last_bb(block_on(edge)), true, number, decls);
    for (uint32_t v : r.labels) {
        gimple_stmt_iterator at = gsi_after_labels(r.blocks[v].bb);
        gimple *nop = gimple_build_nop();
        gsi_insert_before(&at, nop, GSI_NEW_STMT);
        say_frame(at, true, number, decls);
    }
    for (gimple *receiver : r.receivers)
        say_frame(gsi_for_stmt(receiver), true, number, decls);
}

// Computes the register and plans the end of each path.
void instrumenter::plan_ends()
{
    value.resize(r.blocks.size());
    known.resize(r.blocks.size());
    inserted.resize(r.graph->n_edges);
    compute_values();
    for (uint32_t v = 2; v < r.blocks.size(); v++)
        emit_on_edges(v);
    for (uint32_t v = 2; v < r.blocks.size(); v++) {
        if (r.blocks[v].returns_twice && reached(v))
            emit_on_ways_in(v);
        else
            emit_in_block(v);
    }
}

// The sum of increments along the first path from the vertex to EXIT: each of its edges is its
// vertex' first, with Val 0.  Of a copy's paths it is the first counted one.  False: none is.
bool instrumenter::rest_of_first_path(uint32_t v, int64_t *sum) const
{
    for (*sum = 0; v != r.graph->exit;) {
        uint32_t edge = counted->onward ? counted->onward(v) : r.graph->first[v];

        if (edge == PN_NONE)
            return false;
        *sum += inc(edge);
        v = r.graph->dag[edge].dst;
    }
    return true;
}

// Marks the calls that lie within a path.  An activation that is left there is known by its block
// and by the first path that goes on from there.
void instrumenter::mark_left_calls()
{
    for (uint32_t v = 2; v < r.blocks.size(); v++) {
        gcall *call = safe_dyn_cast<gcall *>(compat_last_stmt(r.blocks[v].bb));
        int64_t sum;
        edge e = call && reached(v) && r.blocks[v].ending == ENDING_NONE && may_be_left(call)
                 ? r.edges[r.out[v][0]].e : NULL;

        if (!e || e->dest == EXIT_BLOCK_PTR_FOR_FN(r.fun) || !rest_of_first_path(v, &sum))
            continue;
        gcc_assert(r.out[v].size() == 1);
        path_value path = plus(plus(value[v], sum), rest);
        mark_left_call(block_on(r.out[v][0]), v, path.name, path.constant);
    }
}

void instrument_counts(routine_graph &r, uint64_t first, const counted_paths &counted,
                       const runtime_decls &decls, const counter_style &style)
{
    instrumenter it = {r, 0, static_cast<int64_t>(first), long_integer_type_node, &counted, {}, {},
                       {}, {}};
    counted_numbers wanted;

    if (counted.number)
        wanted = [&counted, first](int64_t number) { return counted.number(number - first); };
    if (!counted.none)
        it.plan_ends();
    if (!counted.none && !calls_end_paths)
        it.mark_left_calls();
    write_counters(r.fun, it.plan, decls, style, wanted);
}

void instrument(routine_graph &r, uint64_t first, bool from_first, const runtime_decls &decls,
                const event_style &style)
{
    uint32_t number = static_cast<uint32_t>(first);
    instrumenter it = {r, from_first ? number : 0, from_first ? 0 : number, unsigned_type_node,
                       NULL, {}, {}, {}, {}};

    it.plan_ends();
    it.say_arrivals(decls);
    write_events(r.fun, it.plan, decls, style);
}
