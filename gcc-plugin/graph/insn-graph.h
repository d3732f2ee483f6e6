/* SPDX-License-Identifier: GPL-3.0-or-later */
/* insn-graph.h - the control-flow graph of a routine's instructions (RTL).
 *
 * GCC forgets which instruction is in which block before its last passes, but keeps blocks and edges to
 * the end, and a note where each block begins.  So the blocks are found by these notes, in the order
 * in which they will be written:
 *
 *      (label) note 2  insns ...      falls into the next one: ends where that begins
 *              note 3  insns ... jmp  ends behind its last instruction
 *      ---- switch to the cold section ----
 *      (label) note 4  insns ...
 */
#ifndef WPP_INSN_GRAPH_H
#define WPP_INSN_GRAPH_H

#include "gcc-plugin/gcc-compat.h"

#include <memory>
#include <vector>

#include "gcc-plugin/table/unit-table.h"

extern "C" {
#include "gcc-plugin/numbering/numbering.h"
}

/* Bits of the format (docs/address-map.md).  ORDER BLOCK_FLAG: wpp/map/address-map.h. */
enum insn_block_flag {
    INSN_FALLS = 1,        /* control may go on at the next block in order */
    INSN_RETURNS = 2,      /* ends with a return */
    INSN_TAIL_CALL = 4,    /* ends with a jump to another routine */
    INSN_CALLS = 8,        /* holds a call */
    INSN_JUMPS = 16,       /* ends with a jump */
    INSN_INDIRECT = 32,    /* whose target is read from a table or computed */
    INSN_LANDING = 64      /* exceptions or non-local jumps arrive here */
};

struct insn_block {
    basic_block bb;
    rtx_insn *note;         /* GCC's, where it begins */
    rtx_insn *last;         /* its last instruction, or NULL */
    unsigned flags;         /* of insn_block_flag */
    unsigned part;          /* 1: behind the switch of sections */
};

struct insn_graph {
    std::vector<insn_block> blocks;      /* by vertex, in order; 0 and 1 are ENTRY and EXIT */
    std::vector<edge> edges;              /* by pn_edge index; NULL: of a block that nothing follows */
    pn_graph *graph = NULL;
    unsigned parts = 1;
    bool cuts_all = false;                /* each edge is a path: edges are counted; set before */

    ~insn_graph() { pn_free(graph); }
};

/* Builds the graph of cfun, numbers its paths with at most `limit` from a block, and describes it for the
 * table.  It may stand before GCC's layout of blocks, too.  False without memory, or if the paths cannot be numbered. */
bool build_insn_graph(insn_graph &out, uint64_t limit);
table_routine describe_insn_graph(const insn_graph &g, unit_table &unit);

#endif
