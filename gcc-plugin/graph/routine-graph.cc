// SPDX-License-Identifier: GPL-3.0-or-later
// routine-graph.cc - GCC's control-flow graph to a plain one.

#include "gcc-plugin/graph/routine-graph.h"

#include <algorithm>

#include "gcc-plugin/graph/inlined.h"
#include "gcc-plugin/graph/symbol.h"
#include "gcc-plugin/graph/tail-calls.h"

/* ---- What ends a path ---------------------------------------------------- */

// Functions that libc declares as leaves, since they call nothing of the unit,
// and that may still run traced code or not come back: a signal is delivered
// before they return, or another program or context takes over.
static bool hands_over(tree callee)
{
    static const char *const names[] = {
        "_Fork", "__clone", "clone", "execl", "execle", "execlp", "execv", "execve", "execveat",
        "execvp", "execvpe", "fexecve", "kill", "killpg", "pthread_kill", "pthread_sigmask",
        "pthread_sigqueue", "raise", "setcontext", "sigprocmask", "sigqueue", "swapcontext",
        "syscall", "tgkill"
    };
    const char *name = symbol_of(callee);

    return TREE_PUBLIC(callee) && std::binary_search(std::begin(names), std::end(names), name,
               [](const char *a, const char *b) { return strcmp(a, b) < 0; });
}

// The child of such a call meets none of the runtime's handlers, unlike fork's.
bool makes_process(gcall *call)
{
    // fork, vfork, clone and clone3, by the kernel's numbers.
    static const unsigned system_calls[] = {56, 57, 58, 435};
    tree callee = gimple_call_fndecl(call);

    if (!callee || !TREE_PUBLIC(callee))
        return false;
    const char *name = symbol_of(callee);
    if (!strcmp(name, "_Fork") || !strcmp(name, "clone") || !strcmp(name, "__clone"))
        return true;
    if (strcmp(name, "syscall") || gimple_call_num_args(call) < 1)
        return false;
    tree number = gimple_call_arg(call, 0);
    return tree_fits_uhwi_p(number)
           && std::find(std::begin(system_calls), std::end(system_calls), tree_to_uhwi(number))
              != std::end(system_calls);
}

// Builtins that become an instruction, or call libgcc at most: the target's own, and prefetches,
// which GCC 12 does not declare to throw nothing.
static bool is_instruction(tree callee)
{
    return fndecl_built_in_p(callee, BUILT_IN_MD) || fndecl_built_in_p(callee, BUILT_IN_PREFETCH);
}

// Calls that return, without throwing and without running any code that may
// be traced, lie inside a path; all others end it.
static bool call_cuts(gcall *call)
{
    tree callee = gimple_call_fndecl(call);
    int flags = gimple_call_flags(call);

    if (gimple_call_internal_p(call))
        return false;
    if (flags & (ECF_NORETURN | ECF_RETURNS_TWICE))
        return true;
    if (callee && is_instruction(callee))
        return false;
    if (!callee || !(flags & ECF_NOTHROW))
        return true;
    cgraph_node *node = cgraph_node::get(callee);
    if (node && node->ultimate_alias_target()->definition)
        return true;                              // its body is here and may be traced
    if (hands_over(callee))
        return true;
    if (flags & ECF_LEAF)
        return false;
    return !((flags & (ECF_CONST | ECF_PURE)) && !(flags & ECF_LOOPING_CONST_OR_PURE)
             && (fndecl_built_in_p(callee) || DECL_IN_SYSTEM_HEADER(callee)));
}

// Statements to which GCC's coverage gives an edge to the exit, because they
// may not come back: it splits blocks after them.
static bool coverage_splits(gimple *statement)
{
    if (gasm *assembly = dyn_cast<gasm *>(statement))
        return gimple_asm_volatile_p(assembly) || compat_asm_basic_p(assembly);
    gcall *call = dyn_cast<gcall *>(statement);
    if (!call)
        return false;
    tree callee = gimple_call_fndecl(call);
    int flags = gimple_call_flags(call);
    if (callee && fndecl_built_in_p(callee) && (flags & ECF_NOTHROW)
        && !(flags & ECF_RETURNS_TWICE))
        return false;
    return !(flags & (ECF_PURE | ECF_CONST)) || (flags & ECF_LOOPING_CONST_OR_PURE);
}

bool ends_path(gcall *call)
{
    return call_cuts(call) || is_marked_tail_call(call);
}

// Statements after which we split a block: those, so that lines fall into the
// same blocks as in GCC's coverage (docs/design.md), and what ends a path.
static bool splits_block(gimple *statement)
{
    gcall *call = dyn_cast<gcall *>(statement);
    return coverage_splits(statement) || (call && (call_cuts(call) || is_tail_call(call)));
}

static bool only_statement(basic_block bb, gimple *statement)
{
    for (gimple_stmt_iterator at = gsi_start_bb(bb); !gsi_end_p(at); gsi_next(&at))
        if (gsi_stmt(at) != statement && !is_gimple_debug(gsi_stmt(at))
            && gimple_code(gsi_stmt(at)) != GIMPLE_LABEL)
            return false;
    return true;
}

static enum ending ending_of(basic_block bb)
{
    gimple *last = compat_last_stmt(bb);
    gcall *call = last ? dyn_cast<gcall *>(last) : NULL;

    if (call && gimple_call_internal_p(call, IFN_ABNORMAL_DISPATCHER))
        return ENDING_SILENT;
    if (call && is_tail_call(call))
        return ENDING_TAIL_CALL;
    if (call && call_cuts(call))
        return ENDING_CALL;
    if (last && computed_goto_p(last) && only_statement(bb, last)
        && single_succ(ENTRY_BLOCK_PTR_FOR_FN(cfun)) != bb)
        return ENDING_GOTO;
    if (any_complex(bb->succs))
        return ENDING_JUMP;
    if (last && gimple_code(last) == GIMPLE_RETURN)
        return ENDING_RETURN;
    return EDGE_COUNT(bb->succs) == 0 ? ENDING_STOP : ENDING_NONE;
}

/* ---- Splitting ------------------------------------------------------------- */

// The first statement after which the block is to be split, or NULL.
static gimple *split_point(basic_block bb)
{
    gimple *last = compat_last_stmt(bb);

    for (gimple_stmt_iterator at = gsi_start_bb(bb); !gsi_end_p(at); gsi_next(&at)) {
        gimple *statement = gsi_stmt(at);
        if (statement == last)
            return NULL;
        if (!is_gimple_debug(statement) && splits_block(statement))
            return statement;
    }
    return NULL;
}

static void split_after_calls(basic_block bb)
{
    while (gimple *statement = split_point(bb))
        bb = split_block(bb, statement)->dest;
}

// Whether it may trap into an exception for the caller (-fnon-call-exceptions).  What throws by
// itself, a call or the end of a landing pad, ends a path anyway.
static bool traps(gimple *statement)
{
    return cfun->can_throw_non_call_exceptions && !is_gimple_call(statement)
           && gimple_code(statement) != GIMPLE_RESX && stmt_can_throw_external(cfun, statement);
}

static gimple *trap_in(basic_block bb)
{
    for (gimple_stmt_iterator at = gsi_start_nondebug_bb(bb); !gsi_end_p(at);
         gsi_next_nondebug(&at))
        if (traps(gsi_stmt(at)))
            return gsi_stmt(at);
    return NULL;
}

// A path has to end before it, else nobody would know of the path if it throws.
static bool begins_with_trap(basic_block bb)
{
    gimple_stmt_iterator first = gsi_start_nondebug_after_labels_bb(bb);

    return !gsi_end_p(first) && gsi_stmt(first) == trap_in(bb);
}

static void split_before_trap(basic_block bb)
{
    gimple *trap = trap_in(bb);

    if (!trap || begins_with_trap(bb))
        return;
    gimple_stmt_iterator at = gsi_for_stmt(trap);
    gsi_prev(&at);
    split_block(bb, gsi_stmt(at));
}

// A jump with a source line of its own on one way out of a branch, or behind a
// call that may not come back: an empty block takes the line (the coverage
// graph does the same).
static void split_lined_edges(basic_block bb)
{
    std::vector<edge> lined;
    gimple *last = NULL;
    edge e;
    edge_iterator ei;

    for (gimple_stmt_iterator at = gsi_last_nondebug_bb(bb); !gsi_end_p(at);
         gsi_prev_nondebug(&at)) {
        last = gsi_stmt(at);
        if (!compat_no_location(gimple_location(last)))
            break;
    }
    if (!last || !gimple_has_location(last)
        || (single_succ_p(bb) && !coverage_splits(compat_last_stmt(bb))))
        return;
    FOR_EACH_EDGE (e, ei, bb->succs)
        if (!(e->flags & EDGE_COMPLEX) && !compat_no_location(e->goto_locus)
            && e->dest != EXIT_BLOCK_PTR_FOR_FN(cfun)
            && (LOCATION_LINE(e->goto_locus) != gimple_lineno(last)
                || LOCATION_FILE(e->goto_locus) != gimple_filename(last)))
            lined.push_back(e);
    for (edge split : lined) {
        location_t where = split->goto_locus;
        basic_block empty = split_edge(split);
        single_succ_edge(empty)->goto_locus = where;
    }
}

void split_for_paths(function *fun, bool early)
{
    basic_block bb;
    std::vector<basic_block> blocks;
    edge entry = single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fun));

    // A first block that is also entered abnormally, or traps, begins paths of its own:
    // the routine's entry is kept apart from it.
    if (any_complex(entry->dest->preds) || begins_with_trap(entry->dest))
        split_edge(entry);
    find_tail_calls(fun, early);
    FOR_EACH_BB_FN (bb, fun)
        free_marked_call(bb);
    FOR_EACH_BB_FN (bb, fun)
        blocks.push_back(bb);
    for (basic_block block : blocks)
        split_after_calls(block);
    blocks.clear();
    FOR_EACH_BB_FN (bb, fun)
        blocks.push_back(bb);
    for (basic_block block : blocks) {
        split_lined_edges(block);
        own_return(block);
        split_before_trap(block);
    }
    free_dominance_info(CDI_DOMINATORS);
    free_dominance_info(CDI_POST_DOMINATORS);
}

/* ---- The graph --------------------------------------------------------------- */

enum { ENTRY_VERTEX = 0, EXIT_VERTEX = 1 };

static bool has_nonlocal_label(basic_block bb)
{
    for (gimple_stmt_iterator at = gsi_start_bb(bb); !gsi_end_p(at); gsi_next(&at)) {
        glabel *label = dyn_cast<glabel *>(gsi_stmt(at));
        if (!label)
            return false;
        if (DECL_NONLOCAL(gimple_label_label(label)))
            return true;
    }
    return false;
}

// Whether the block's first statement is a call that returns twice, and the only complex ways in
// are those by which GCC has it return again: no code can be put on these, but they are never
// taken, since control comes back behind the call.
static bool returns_twice_at(basic_block bb)
{
    gimple_stmt_iterator first = gsi_start_nondebug_after_labels_bb(bb);
    bool abnormal = false;
    edge e;
    edge_iterator ei;

    if (gsi_end_p(first) || !is_gimple_call(gsi_stmt(first))
        || !(gimple_call_flags(gsi_stmt(first)) & ECF_RETURNS_TWICE) || has_nonlocal_label(bb))
        return false;
    FOR_EACH_EDGE (e, ei, bb->preds) {
        gimple *last = compat_last_stmt(e->src);
        if ((e->flags & EDGE_EH) || (last && computed_goto_p(last)))
            return false;
        abnormal |= (e->flags & EDGE_COMPLEX) != 0;
    }
    return abnormal;
}

static bool add_edge(routine_graph &r, uint32_t src, uint32_t dst, edge e, uint32_t flags)
{
    uint32_t index = pn_add_edge(r.graph, src, dst, 0, flags);
    if (index == PN_NONE)
        return false;
    r.edges.push_back({e});
    r.out[src].push_back(index);
    r.in[dst].push_back(index);
    return true;
}

// Adds the edges out of one block.  A tail call, a stop and a call that never
// returns go straight to EXIT.
static bool add_out_edges(routine_graph &r, uint32_t v)
{
    graph_block &b = r.blocks[v];
    bool in_block = b.ending == ENDING_CALL || b.ending == ENDING_JUMP
                    || b.ending == ENDING_GOTO || b.ending == ENDING_SILENT;
    edge e;
    edge_iterator ei;

    if (b.ending == ENDING_TAIL_CALL || EDGE_COUNT(b.bb->succs) == 0)
        return add_edge(r, v, EXIT_VERTEX, NULL, 0);
    FOR_EACH_EDGE (e, ei, b.bb->succs) {
        uint32_t dst = r.vertex[e->dest->index];
        uint32_t flags = 0;
        if (dst == EXIT_VERTEX)
            flags = 0;
        else if (in_block)
            flags = PN_CUT | PN_SHARED_END;
        else if (r.blocks[dst].fresh)
            flags = PN_CUT;
        if (!add_edge(r, v, dst, e, flags))
            return false;
    }
    return true;
}

static void find_arrivals(routine_graph &r, uint32_t v)
{
    basic_block bb = r.blocks[v].bb;
    gimple_stmt_iterator first = gsi_start_nondebug_after_labels_bb(bb);
    gimple *last = compat_last_stmt(bb);

    if (!gsi_end_p(first) && gimple_call_builtin_p(gsi_stmt(first), BUILT_IN_SETJMP_RECEIVER))
        r.receivers.push_back(gsi_stmt(first));
    else if (has_nonlocal_label(bb))
        r.labels.push_back(v);
    if (last && is_gimple_call(last) && (gimple_call_flags(last) & ECF_RETURNS_TWICE))
        r.twice.push_back(v);
}

bool build_graph(function *fun, routine_graph &r)
{
    basic_block bb;

    r.fun = fun;
    r.blocks = {{ENTRY_BLOCK_PTR_FOR_FN(fun), ENDING_NONE, false, false},
                {EXIT_BLOCK_PTR_FOR_FN(fun), ENDING_NONE, false, false}};
    r.vertex.assign(last_basic_block_for_fn(fun), -1);
    r.vertex[ENTRY_BLOCK] = ENTRY_VERTEX;
    r.vertex[EXIT_BLOCK] = EXIT_VERTEX;
    FOR_EACH_BB_FN (bb, fun) {
        enum ending ending = ending_of(bb);
        bool complex_in = any_complex(bb->preds);
        r.vertex[bb->index] = r.blocks.size();
        bool fresh = complex_in || ending == ENDING_GOTO || begins_with_trap(bb);
        r.blocks.push_back({bb, ending, fresh, returns_twice_at(bb)});
        find_arrivals(r, r.blocks.size() - 1);
        r.nonlocal |= complex_in && ending != ENDING_SILENT;
    }
    r.graph = pn_new(r.blocks.size(), ENTRY_VERTEX, EXIT_VERTEX);
    if (!r.graph)
        return false;
    r.in.resize(r.blocks.size());
    r.out.resize(r.blocks.size());
    edge entry = single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fun));
    if (!add_edge(r, ENTRY_VERTEX, r.vertex[entry->dest->index], entry, 0))
        return false;
    for (uint32_t v = 2; v < r.blocks.size(); v++)
        if (!add_out_edges(r, v))
            return false;
    return true;
}

/* ---- The table ------------------------------------------------------------------ */

// A line that several inlined functions share belongs to the first.
static void add_line(table_block &block, unit_table &unit, inlined_calls &inlined,
                     location_t where)
{
    int line = LOCATION_LINE(where);
    table_line entry = {unit.intern_file(LOCATION_FILE(where)),
                        static_cast<uint32_t>(line > 0 ? line : 1), inlined.at(where)};
    if (block.lines.empty() || block.lines.back().file != entry.file
        || block.lines.back().line != entry.line)
        block.lines.push_back(entry);
}

// What one execution of a statement takes: its size, but of a switch a jump or a few
// comparisons.  Its size is that of all its cases, twice their number.
static unsigned cost_of(gimple *statement)
{
    return estimate_num_insns(statement, gimple_code(statement) == GIMPLE_SWITCH
                                             ? &eni_time_weights : &eni_size_weights);
}

// Lines as GCC's own coverage attributes them: the routine's line to its first
// block, statements in order, then a goto that the graph has swallowed.
static table_block describe_block(const routine_graph &r, uint32_t v, unit_table &unit,
                                  inlined_calls &inlined,
                                  hash_set<location_t, false, location_hash> &seen)
{
    table_block out;
    basic_block bb = r.blocks[v].bb;
    location_t where = DECL_SOURCE_LOCATION(r.fun->decl);

    if (bb == ENTRY_BLOCK_PTR_FOR_FN(r.fun)->next_bb && !compat_no_location(where)) {
        seen.add(compat_known_location(where));
        add_line(out, unit, inlined, where);
    }
    for (gimple_stmt_iterator at = gsi_start_bb(bb); !gsi_end_p(at); gsi_next(&at)) {
        gimple *statement = gsi_stmt(at);
        where = gimple_location(statement);
        if (is_gimple_debug(statement))
            continue;
        out.insns += cost_of(statement);
        if (compat_no_location(where))
            continue;
        seen.add(compat_known_location(where));
        add_line(out, unit, inlined, where);
    }
    // Behind a call that may not come back such a goto has a block of its own.
    gimple *last = compat_last_stmt(bb);
    if (single_succ_p(bb) && !(last && coverage_splits(last))) {
        where = single_succ_edge(bb)->goto_locus;
        if (!compat_no_location(where) && !seen.contains(compat_known_location(where)))
            add_line(out, unit, inlined, where);
    }
    return out;
}

static uint32_t end_kind(const routine_graph &r, const pn_edge &edge)
{
    if (r.blocks[edge.src].ending == ENDING_CALL)
        return TABLE_END_CALL;
    if (edge.flags & PN_CUT)
        return TABLE_END_JUMP;
    return edge.limited ? TABLE_END_LIMIT : TABLE_END_BACK;
}

// Where execution goes on after the END edge that stands for CFG edge `edge`,
// plus 1: of a shared END, the one way that is no abnormal one.
static uint32_t goes_on(const routine_graph &r, const pn_edge &edge)
{
    uint32_t to = 0;

    if (!(edge.flags & PN_SHARED_END))
        return edge.dst + 1;
    for (uint32_t other : r.out[edge.src]) {
        if (r.edges[other].e->flags & EDGE_COMPLEX)
            continue;
        if (to != 0)
            return 0;
        to = r.graph->edge[other].dst + 1;
    }
    return to;
}

static table_edge describe_edge(const routine_graph &r, const pn_dag_edge &dag)
{
    table_edge out = {dag.src, dag.dst, dag.val, TABLE_REAL, 0};

    if (dag.kind == PN_START) {
        out.kind = TABLE_START;
    } else if (dag.kind == PN_END) {
        const pn_edge &edge = r.graph->edge[dag.edge];
        out.kind = end_kind(r, edge);
        out.to = goes_on(r, edge);
    } else if (!r.edges[dag.edge].e && r.blocks[dag.src].ending != ENDING_TAIL_CALL) {
        out.kind = TABLE_END_STOP;
    }
    return out;
}

// Where exceptions of a block go on in this routine.
static void describe_landings(const routine_graph &r, uint32_t v, table_routine &out)
{
    size_t first = out.landings.size();

    for (uint32_t edge : r.out[v])
        if (r.edges[edge].e && (r.edges[edge].e->flags & EDGE_EH))
            out.landings.push_back({v, r.graph->edge[edge].dst});
    std::sort(out.landings.begin() + first, out.landings.end(),
              [](const table_landing &a, const table_landing &b) { return a.dst < b.dst; });
}

// Made by GCC and not written by anybody, as its coverage sees it, which does not
// count such routines' lines.
static bool artificial(tree decl)
{
    return DECL_ARTIFICIAL(decl) && !DECL_FUNCTION_VERSIONED(decl) && !DECL_LAMBDA_FUNCTION_P(decl);
}

table_routine describe_routine(const routine_graph &r, unit_table &unit)
{
    table_routine out;
    tree decl = r.fun->decl;
    hash_set<location_t, false, location_hash> seen;
    inlined_calls inlined(decl, unit);

    out.name = unit.intern(symbol_of(decl));
    out.file = unit.intern_file(DECL_SOURCE_FILE(decl));
    out.line = DECL_SOURCE_LINE(decl);
    out.flags = (r.graph->n_limited ? TABLE_LIMITED : 0) | (r.nonlocal ? TABLE_NONLOCAL : 0)
                | (r.numbered() ? TABLE_NUMBERED : 0) | (artificial(decl) ? TABLE_ARTIFICIAL : 0);
    out.num_paths = r.graph->num_paths;
    out.blocks.resize(r.blocks.size());
    for (uint32_t v = 2; v < r.blocks.size(); v++) {
        out.blocks[v] = describe_block(r, v, unit, inlined, seen);
        describe_landings(r, v, out);
    }
    out.inlined = inlined.calls();
    for (uint32_t i = 0; i < r.graph->n_dag; i++)
        out.edges.push_back(describe_edge(r, r.graph->dag[i]));
    return out;
}
