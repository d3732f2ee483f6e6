// SPDX-License-Identifier: GPL-3.0-or-later
// instrument.cc - the path register and the events.
//
// The path register is no variable but a value known at every block: an SSA
// name plus a constant.  Where ways with different values meet, a PHI merges
// them; a path that begins at a cut begins with a constant, so most numbers
// are constants and the register exists only where it must.
//
//      value(start of a path at h)   = inc(START h)
//      value(after edge e)           = value(src) + inc(e)
//      token at a path's end         = unit base + first + value + inc(END)

#include "instrument.h"

#include "tracer/trace-abi.h"

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

void make_runtime_decls(runtime_decls &decls)
{
    // Events alias nothing of the program's: with an alias set of their own
    // they do not make it reload its data.
    decls.token_type = build_distinct_type_copy(unsigned_type_node);
    TYPE_ALIAS_SET(decls.token_type) = new_alias_set();
    tree pointer = build_distinct_type_copy(build_pointer_type(decls.token_type));
    TYPE_ALIAS_SET(pointer) = new_alias_set();

    decls.cursor = extern_variable("__wpp_cursor", pointer);
    // Only code that can end up in a shared library needs the longer way.
    set_decl_tls_model(decls.cursor,
                       flag_pic && !flag_pie ? TLS_MODEL_INITIAL_EXEC : TLS_MODEL_LOCAL_EXEC);

    decls.unit = extern_variable("__wpp_unit", decls.token_type);
    TREE_READONLY(decls.unit) = 1;
    DECL_VISIBILITY(decls.unit) = VISIBILITY_HIDDEN;
    DECL_VISIBILITY_SPECIFIED(decls.unit) = 1;
}

/* ---- Callees ------------------------------------------------------------------ */

// The same for a call through a pointer to a const function type.
static void plain_pointer(gcall *call)
{
    tree pointer = gimple_call_fn(call);
    tree type = pointer ? TREE_TYPE(TREE_TYPE(pointer)) : NULL_TREE;

    if (!type || !TYPE_READONLY(type))
        return;
    tree plain = build_qualified_type(type, TYPE_QUALS(type) & ~TYPE_QUAL_CONST);
    tree name = make_ssa_name(build_pointer_type(plain));
    gimple_stmt_iterator at = gsi_for_stmt(call);
    gsi_insert_before(&at, gimple_build_assign(name, NOP_EXPR, pointer), GSI_SAME_STMT);
    gimple_call_set_fn(call, name);
    gimple_call_set_fntype(call, plain);
}

void honest_callees::declare(const routine_graph &r)
{
    for (const graph_block &b : r.blocks) {
        if (b.ending != ENDING_CALL && b.ending != ENDING_TAIL_CALL)
            continue;
        gcall *call = as_a<gcall *>(compat_last_stmt(b.bb));
        tree callee = gimple_call_fndecl(call);
        if (!callee)
            plain_pointer(call);
        else if (TREE_READONLY(callee) || DECL_PURE_P(callee)) {
            changed.push_back({callee, !!TREE_READONLY(callee), !!DECL_PURE_P(callee),
                               !!DECL_LOOPING_CONST_OR_PURE_P(callee)});
            DECL_LOOPING_CONST_OR_PURE_P(callee) = 0;
            TREE_READONLY(callee) = 0;
            DECL_PURE_P(callee) = 0;
        }
        update_stmt(call);                // it has virtual operands now
    }
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
    uint32_t constant;    // all arithmetic is modulo 2^32

    bool operator==(const path_value &o) const
    {
        return name == o.name && constant == o.constant;
    }
};

// What all paths through one routine need while it is instrumented.
struct instrumenter {
    routine_graph &r;
    const runtime_decls &decls;
    uint32_t first;
    std::vector<path_value> value;        // at the start of each vertex
    std::vector<bool> known;
    std::vector<basic_block> inserted;    // per pn_edge: block made on it, or NULL

    bool reached(uint32_t v) const { return r.graph->first[v] != r.graph->first[v + 1]; }
    uint32_t inc(uint32_t dag) const { return static_cast<uint32_t>(r.graph->dag[dag].inc); }
    path_value along(uint32_t edge) const;
    path_value ended(uint32_t edge) const;
    basic_block block_on(uint32_t edge);
    tree materialise(uint32_t edge, path_value v);
    path_value meet(uint32_t v);
    void compute_values();
    void emit_in_block(uint32_t v);
    void emit_on_edges(uint32_t v);
    void emit(gimple_stmt_iterator at, path_value v);
};

// The value that flows over an edge into its target.
path_value instrumenter::along(uint32_t edge) const
{
    const pn_edge &e = r.graph->edge[edge];
    if (!reached(e.src))
        return {NULL_TREE, 0};            // only code that never runs comes from there
    if (e.cut)
        return {NULL_TREE, inc(e.start)};
    gcc_assert(known[e.src]);
    return {value[e.src].name, value[e.src].constant + inc(e.dag)};
}

// The number of the path that ends over an edge: its END edge, or REAL to EXIT.
path_value instrumenter::ended(uint32_t edge) const
{
    const pn_edge &e = r.graph->edge[edge];
    return {value[e.src].name, value[e.src].constant + inc(e.dag)};
}

// A block that is executed exactly when the edge is: for code on the edge.
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
        return build_int_cst(unsigned_type_node, v.constant);
    if (v.constant == 0)
        return v.name;
    gimple_stmt_iterator at = gsi_last_bb(block_on(edge));
    tree sum = make_ssa_name(unsigned_type_node);
    gsi_insert_after(&at,
                     gimple_build_assign(sum, PLUS_EXPR, v.name,
                                         build_int_cst(unsigned_type_node, v.constant)),
                     GSI_NEW_STMT);
    return sum;
}

// The value at the start of a vertex, from all edges into it.
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
    tree name = make_ssa_name(unsigned_type_node);
    gphi *phi = create_phi_node(name, r.blocks[v].bb);
    for (auto &argument : arguments) {
        uint32_t edge = argument.first;
        class edge_def *e = inserted[edge] ? single_succ_edge(inserted[edge]) : r.edges[edge].e;
        gcc_assert(e->dest == r.blocks[v].bb && !(e->flags & EDGE_COMPLEX));
        add_phi_arg(phi, argument.second, e, UNKNOWN_LOCATION);
    }
    return {name, 0};
}

// Blocks in topological order of the uncut edges; edges that are cut bring
// constants, so a loop's header needs nothing from its latch.
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
        value[v] = v == r.graph->entry ? path_value{NULL_TREE, 0} : meet(v);
        known[v] = true;
        for (uint32_t edge : r.out[v]) {
            const pn_edge &e = r.graph->edge[edge];
            if (!e.cut && --waiting[e.dst] == 0 && e.dst != r.graph->exit)
                ready.push_back(e.dst);
        }
    }
}

/* ---- Events ------------------------------------------------------------------------ */

// Calls the runtime for a new chunk.  All registers but the result's are kept
// (tracer/trace-abi.h); the cursor is an operand, so it is in memory.
static gasm *refill_call(tree result, tree cursor)
{
    vec<tree, va_gc> *outputs = NULL, *inputs = NULL;
    tree a = build_string(2, "=a"), out = build_string(2, "=m"), in = build_string(1, "m");

    vec_safe_push(outputs, build_tree_list(build_tree_list(NULL_TREE, a), result));
    vec_safe_push(outputs, build_tree_list(build_tree_list(NULL_TREE, out), cursor));
    vec_safe_push(inputs, build_tree_list(build_tree_list(NULL_TREE, in), cursor));
    gasm *assembly = gimple_build_asm_vec("leaq\t-128(%%rsp), %%rsp\n\t"
                                          "call\t*__wpp_refill@GOTPCREL(%%rip)\n\t"
                                          "leaq\t128(%%rsp), %%rsp",
                                          inputs, outputs, NULL, NULL);
    gimple_asm_set_volatile(assembly, true);
    return assembly;
}

// Splits the block before `at` and puts between the halves
//      if (condition) { cold block }
// Returns the cold block; *tail is the second half, with two predecessors.
static basic_block cold_branch(gimple_stmt_iterator at, tree left, tree right, basic_block *tail)
{
    basic_block head = gsi_bb(at);
    gsi_prev(&at);                        // the load of the cursor is always before
    edge over = split_block(head, gsi_stmt(at));
    basic_block cold = create_empty_bb(head);
    gimple_stmt_iterator end = gsi_last_bb(head);

    *tail = over->dest;
    gsi_insert_after(&end, gimple_build_cond(EQ_EXPR, left, right, NULL_TREE, NULL_TREE),
                     GSI_NEW_STMT);
    over->flags = (over->flags & ~EDGE_FALLTHRU) | EDGE_FALSE_VALUE;
    over->probability = profile_probability::very_likely();
    edge in = make_edge(head, cold, EDGE_TRUE_VALUE);
    in->probability = profile_probability::very_unlikely();
    cold->count = in->count();
    make_single_succ_edge(cold, *tail, EDGE_FALLTHRU);
    if (current_loops && head->loop_father)
        add_bb_to_loop(cold, head->loop_father);
    return cold;
}

// Inserts the event for a path with number v before `at`.
void instrumenter::emit(gimple_stmt_iterator at, path_value v)
{
    tree pointer = TREE_TYPE(decls.cursor);
    tree loaded = make_ssa_name(pointer), fresh = make_ssa_name(pointer);
    tree word = make_ssa_name(pointer_sized_int_node), low = make_ssa_name(short_unsigned_type_node);
    basic_block tail, cold;

    gcc_assert(WPP_CHUNK_BYTES == 65536);
    gsi_insert_before(&at, gimple_build_assign(loaded, decls.cursor), GSI_SAME_STMT);
    gsi_insert_before(&at, gimple_build_assign(word, NOP_EXPR, loaded), GSI_SAME_STMT);
    gsi_insert_before(&at, gimple_build_assign(low, NOP_EXPR, word), GSI_SAME_STMT);
    cold = cold_branch(at, low, build_int_cst(short_unsigned_type_node, 0), &tail);
    gimple_stmt_iterator in_cold = gsi_last_bb(cold);
    gasm *refill = refill_call(fresh, decls.cursor);
    gsi_insert_after(&in_cold, refill, GSI_NEW_STMT);
    SSA_NAME_DEF_STMT(fresh) = refill;

    tree cursor = make_ssa_name(pointer), next = make_ssa_name(pointer);
    gphi *phi = create_phi_node(cursor, tail);
    add_phi_arg(phi, loaded, find_edge(EDGE_PRED(tail, 0)->src == cold ? EDGE_PRED(tail, 1)->src
                                                                        : EDGE_PRED(tail, 0)->src,
                                       tail), UNKNOWN_LOCATION);
    add_phi_arg(phi, fresh, find_edge(cold, tail), UNKNOWN_LOCATION);

    at = gsi_after_labels(tail);
    tree token = make_ssa_name(decls.token_type), base = make_ssa_name(decls.token_type);
    tree number = build_int_cst(decls.token_type, first + v.constant);
    gsi_insert_before(&at, gimple_build_assign(base, decls.unit), GSI_SAME_STMT);
    if (v.name) {
        tree sum = make_ssa_name(decls.token_type);
        gsi_insert_before(&at, gimple_build_assign(sum, PLUS_EXPR, v.name, number), GSI_SAME_STMT);
        number = sum;
    }
    gsi_insert_before(&at, gimple_build_assign(token, PLUS_EXPR, base, number), GSI_SAME_STMT);
    tree slot = build2(MEM_REF, decls.token_type, cursor,
                       build_int_cst(build_pointer_type(decls.token_type), 0));
    gsi_insert_before(&at, gimple_build_assign(slot, token), GSI_SAME_STMT);
    gsi_insert_before(&at, gimple_build_assign(next, POINTER_PLUS_EXPR, cursor, size_int(4)),
                      GSI_SAME_STMT);
    gsi_insert_before(&at, gimple_build_assign(decls.cursor, next), GSI_SAME_STMT);
}

// Blocks whose last statement ends the path: the event goes before it.
void instrumenter::emit_in_block(uint32_t v)
{
    graph_block &b = r.blocks[v];
    gimple *last = compat_last_stmt(b.bb);

    if (!reached(v) || b.ending == ENDING_NONE || b.ending == ENDING_GOTO
        || b.ending == ENDING_SILENT)
        return;
    path_value number = ended(r.out[v][0]);
    if (last && (b.ending != ENDING_STOP || stmt_ends_bb_p(last))) {
        emit(gsi_for_stmt(last), number);
        return;
    }
    // An empty or falling-off block: a no-op gives the event a place.
    gimple_stmt_iterator at = gsi_last_bb(b.bb);
    gimple *nop = gimple_build_nop();
    gsi_insert_after(&at, nop, GSI_NEW_STMT);
    emit(gsi_for_stmt(nop), number);
}

// Edges that end the path: the event goes on them.
void instrumenter::emit_on_edges(uint32_t v)
{
    if (!reached(v))
        return;
    for (uint32_t edge : r.out[v]) {
        const pn_edge &e = r.graph->edge[edge];
        if (!e.cut || (e.flags & PN_SHARED_END))
            continue;
        basic_block on = block_on(edge);
        gimple_stmt_iterator at = gsi_last_bb(on);
        gimple *nop = gimple_build_nop();
        gsi_insert_after(&at, nop, GSI_NEW_STMT);
        emit(gsi_for_stmt(nop), ended(edge));
    }
}

void instrument(routine_graph &r, uint64_t first, const runtime_decls &decls)
{
    instrumenter it = {r, decls, static_cast<uint32_t>(first), {}, {}, {}};

    it.value.resize(r.blocks.size());
    it.known.resize(r.blocks.size());
    it.inserted.resize(r.graph->n_edges);
    it.compute_values();
    for (uint32_t v = 2; v < r.blocks.size(); v++)
        it.emit_on_edges(v);
    for (uint32_t v = 2; v < r.blocks.size(); v++)
        it.emit_in_block(v);
}
