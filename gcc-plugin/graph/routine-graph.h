/* SPDX-License-Identifier: GPL-3.0-or-later */
/* routine-graph.h - a GCC function as a plain graph with marked cuts.
 *
 * Vertices: 0 ENTRY, 1 EXIT, then the basic blocks in layout order.  Blocks have been split
 * (split_for_paths) so that every call stands last in its block.  Where a path ends, and where
 * its event is emitted:
 *
 *   in the block, before its last statement    the statement is a call that may
 *                                              reach traced code or not return,
 *                                              may throw or jump abnormally,
 *                                              returns, or never goes on
 *   on the edge                                back edges; edges cut because of
 *                                              the limit; edges into a block
 *                                              that is also entered abnormally,
 *                                              into a lone computed goto, and to what may
 *                                              trap into an exception for the caller
 *   before a tail call                         the path includes the return
 *   on each way into the block                 its first statement is a call that returns twice
 *                                              (setjmp), before which GCC 14 wants no other
 */
#ifndef WPP_ROUTINE_GRAPH_H
#define WPP_ROUTINE_GRAPH_H

#include "gcc-plugin/gcc-compat.h"

#include <memory>
#include <vector>

extern "C" {
#include "gcc-plugin/numbering/numbering.h"
}

enum ending {
    ENDING_NONE,          /* control flows on: an event can only be on an edge */
    ENDING_CALL,          /* a call that cuts */
    ENDING_JUMP,          /* throws or jumps abnormally without being such a call */
    ENDING_GOTO,          /* lone computed goto: its predecessors emit, it never does */
    ENDING_RETURN,
    ENDING_TAIL_CALL,
    ENDING_STOP,          /* no successor and no call: trap, unreachable */
    ENDING_SILENT         /* GCC's fictitious dispatcher of abnormal edges: never runs */
};

struct graph_block {
    basic_block bb;
    enum ending ending;
    bool fresh;           /* every way into it is cut: a path begins here */
    bool returns_twice;   /* its event is on each way into it */
};

struct graph_edge {
    edge e;               /* NULL: the virtual edge to EXIT of a block that ends here */
};

struct routine_graph {
    function *fun;
    basic_block first = NULL;            /* that of split_for_paths() */
    struct pn_graph *graph = NULL;
    std::vector<graph_block> blocks;     /* by vertex; 0 and 1 are ENTRY and EXIT */
    std::vector<graph_edge> edges;       /* by pn_edge index */
    std::vector<int> vertex;             /* by bb->index; -1: not in the graph */
    std::vector<std::vector<uint32_t>> in, out;   /* pn_edge indices by vertex */
    bool nonlocal = false;
    bool cuts_all = false;   /* each edge is a path: edges are counted */
    /* Where longjmp and nonlocal gotos arrive: behind blocks whose last statement returns twice;
     * at blocks with a nonlocal label; behind the statement at the label of __builtin_longjmp.
     * If there is any, the routine's activations are numbered. */
    std::vector<uint32_t> twice, labels;
    std::vector<gimple *> receivers;
    bool numbered() const { return !twice.empty() || !labels.empty() || !receivers.empty(); }

    ~routine_graph() { pn_free(graph); }
};

/* Builds the graph and marks the cuts; all edges but those to EXIT are cut if out.cuts_all.  The
 * edges have no weights yet (edge-costs.h), and the paths no numbers.  False without memory. */
bool build_graph(function *fun, routine_graph &out);

/* By vertex: whether control comes there in ways that are not edges of the graph, or leaves without
 * an event (numbering/edge-counts.h). */
std::unique_ptr<bool[]> open_vertices(const routine_graph &r);

#endif
