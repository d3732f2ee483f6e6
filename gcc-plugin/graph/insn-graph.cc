// SPDX-License-Identifier: GPL-3.0-or-later
// insn-graph.cc - see insn-graph.h.

#include "gcc-plugin/graph/insn-graph.h"

#include <algorithm>

#include "gcc-plugin/graph/inlined.h"
#include "gcc-plugin/graph/symbol.h"

enum { ENTRY_VERTEX = 0, EXIT_VERTEX = 1 };

/* ---- Blocks -------------------------------------------------------------------------- */

// Whether it becomes an instruction.
static bool is_code(rtx_insn *insn)
{
    return NONDEBUG_INSN_P(insn) && !JUMP_TABLE_DATA_P(insn) && GET_CODE(PATTERN(insn)) != USE
           && GET_CODE(PATTERN(insn)) != CLOBBER;
}

static unsigned flags_of(rtx_insn *insn)
{
    if (CALL_P(insn))
        return SIBLING_CALL_P(insn) ? INSN_TAIL_CALL : INSN_CALLS;
    if (!JUMP_P(insn))
        return 0;
    if (returnjump_p(insn))
        return INSN_RETURNS;
    return INSN_JUMPS | (!JUMP_LABEL(insn) || tablejump_p(insn, NULL, NULL) ? INSN_INDIRECT : 0);
}

static bool is_landing(basic_block bb)
{
    edge e;
    edge_iterator ei;

    FOR_EACH_EDGE (e, ei, bb->preds)
        if (e->flags & (EDGE_EH | EDGE_ABNORMAL_CALL))
            return true;
    return false;
}

static bool falls(basic_block bb)
{
    edge e;
    edge_iterator ei;

    FOR_EACH_EDGE (e, ei, bb->succs)
        if ((e->flags & EDGE_FALLTHRU) && e->dest != EXIT_BLOCK_PTR_FOR_FN(cfun))
            return true;
    return false;
}

static void find_blocks(insn_graph &g)
{
    unsigned part = 0;
    bool inside = false;      // not between a block's label and its note (endbr64)

    g.blocks = {{ENTRY_BLOCK_PTR_FOR_FN(cfun), NULL, NULL, 0, 0},
                {EXIT_BLOCK_PTR_FOR_FN(cfun), NULL, NULL, 0, 0}};
    for (rtx_insn *insn = get_insns(); insn; insn = NEXT_INSN(insn)) {
        if (NOTE_P(insn) && NOTE_KIND(insn) == NOTE_INSN_SWITCH_TEXT_SECTIONS) {
            part = 1;
            g.parts = 2;
            inside = false;    // GCC puts a nop before a landing pad that begins the section
        } else if (NOTE_INSN_BASIC_BLOCK_P(insn)) {
            basic_block bb = NOTE_BASIC_BLOCK(insn);
            unsigned flags = (falls(bb) ? INSN_FALLS : 0) | (is_landing(bb) ? INSN_LANDING : 0);
            g.blocks.push_back({bb, insn, NULL, flags, part});
            inside = true;
        } else if (LABEL_P(insn)) {
            inside = false;
        } else if (is_code(insn) && inside) {
            g.blocks.back().last = insn;
            g.blocks.back().flags |= flags_of(insn);
        }
    }
}

/* ---- Edges --------------------------------------------------------------------------- */

static bool add_edge(insn_graph &g, uint32_t src, uint32_t dst, edge e, uint32_t flags)
{
    if (pn_add_edge(g.graph, src, dst, 0, flags) == PN_NONE)
        return false;
    g.edges.push_back(e);
    return true;
}

// Exceptions and non-local jumps end paths.
static bool add_out_edges(insn_graph &g, uint32_t v, const std::vector<int> &vertex)
{
    basic_block bb = g.blocks[v].bb;
    size_t before = g.edges.size();
    edge e;
    edge_iterator ei;

    FOR_EACH_EDGE (e, ei, bb->succs) {
        int dst = vertex[e->dest->index];
        bool ends = g.cuts_all || (e->flags & (EDGE_EH | EDGE_ABNORMAL_CALL)) != 0;
        if (dst >= 0 && !add_edge(g, v, dst, e, ends && dst != EXIT_VERTEX ? PN_CUT : 0))
            return false;
    }
    return g.edges.size() > before || add_edge(g, v, EXIT_VERTEX, NULL, 0);
}

bool build_insn_graph(insn_graph &g, uint64_t limit)
{
    std::vector<int> vertex(last_basic_block_for_fn(cfun), -1);

    find_blocks(g);
    if (crtl->profile && g.blocks.size() > 2)
        g.blocks[2].flags |= INSN_CALLS;      // of mcount
    for (uint32_t v = 0; v < g.blocks.size(); v++)
        vertex[g.blocks[v].bb->index] = v;
    g.graph = pn_new(g.blocks.size(), ENTRY_VERTEX, EXIT_VERTEX);
    if (!g.graph || g.blocks.size() == 2)
        return false;
    edge entry = single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(cfun));
    if (!add_edge(g, ENTRY_VERTEX, vertex[entry->dest->index], entry, 0))
        return false;
    for (uint32_t v = 2; v < g.blocks.size(); v++)
        if (!add_out_edges(g, v, vertex))
            return false;
    return pn_number(g.graph, limit) == PN_OK;
}

/* ---- Description --------------------------------------------------------------------- */

static void add_line(table_block &block, unit_table &unit, inlined_calls &inlined, location_t where)
{
    int line = LOCATION_LINE(where);
    table_line entry = {unit.intern_file(LOCATION_FILE(where)),
                        static_cast<uint32_t>(line > 0 ? line : 1), inlined.at(where)};

    if (block.lines.empty() || block.lines.back().file != entry.file
        || block.lines.back().line != entry.line || block.lines.back().inlined != entry.inlined)
        block.lines.push_back(entry);
}

static table_block describe_block(const insn_block &b, unit_table &unit, inlined_calls &inlined)
{
    table_block out;

    for (rtx_insn *insn = b.note; b.last && insn; insn = NEXT_INSN(insn)) {
        if (is_code(insn)) {
            out.insns++;
            if (!compat_no_location(LOCATION_LOCUS(INSN_LOCATION(insn))))
                add_line(out, unit, inlined, INSN_LOCATION(insn));
        }
        if (insn == b.last)
            break;
    }
    return out;
}

static table_edge describe_edge(const insn_graph &g, const pn_dag_edge &dag)
{
    table_edge out = {dag.src, dag.dst, dag.val, TABLE_REAL, 0};

    if (dag.kind == PN_START) {
        out.kind = TABLE_START;
    } else if (dag.kind == PN_END) {
        const pn_edge &edge = g.graph->edge[dag.edge];
        out.kind = g.cuts_all ? TABLE_END_LIMIT : (edge.flags & PN_CUT) ? TABLE_END_JUMP
                   : edge.limited ? TABLE_END_LIMIT : TABLE_END_BACK;
        out.to = edge.dst + 1;
    } else if (!g.edges[dag.edge]) {
        out.kind = (g.blocks[dag.src].flags & INSN_TAIL_CALL) ? TABLE_REAL : TABLE_END_STOP;
    }
    return out;
}

static void describe_landings(const insn_graph &g, table_routine &out)
{
    for (uint32_t i = 0; i < g.graph->n_edges; i++)
        if (g.edges[i] && (g.edges[i]->flags & EDGE_EH) && g.graph->edge[i].dst != EXIT_VERTEX)
            out.landings.push_back({g.graph->edge[i].src, g.graph->edge[i].dst});
    std::sort(out.landings.begin(), out.landings.end(),
              [](const table_landing &a, const table_landing &b) {
                  return a.src != b.src ? a.src < b.src : a.dst < b.dst;
              });
}

table_routine describe_insn_graph(const insn_graph &g, unit_table &unit)
{
    table_routine out;
    tree decl = current_function_decl;
    inlined_calls inlined(decl, unit);

    out.name = unit.intern(symbol_of(decl));
    out.file = unit.intern_file(DECL_SOURCE_FILE(decl));
    out.line = DECL_SOURCE_LINE(decl);
    out.flags = g.graph->n_limited ? TABLE_LIMITED : 0;
    out.num_paths = g.graph->num_paths;
    out.blocks.resize(g.blocks.size());
    for (uint32_t v = 2; v < g.blocks.size(); v++) {
        out.blocks[v] = describe_block(g.blocks[v], unit, inlined);
        if (g.blocks[v].flags & INSN_LANDING)
            out.flags |= TABLE_NONLOCAL;
    }
    describe_landings(g, out);
    out.inlined = inlined.calls();
    for (uint32_t i = 0; i < g.graph->n_dag; i++)
        out.edges.push_back(describe_edge(g, g.graph->dag[i]));
    return out;
}
