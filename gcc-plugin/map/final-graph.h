/* SPDX-License-Identifier: GPL-3.0-or-later */
/* final-graph.h - the control-flow graph of a routine's final instructions.
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
#ifndef WPP_FINAL_GRAPH_H
#define WPP_FINAL_GRAPH_H

#include "gcc-plugin/gcc-compat.h"

#include <memory>
#include <vector>

#include "gcc-plugin/table/unit-table.h"

extern "C" {
#include "gcc-plugin/numbering/numbering.h"
}

/* Bits of the format (docs/address-map.md).  ORDER BLOCK_FLAG: wpp/map/address-map.h. */
enum final_block_flag {
    FINAL_FALLS = 1,        /* control may go on at the next block in order */
    FINAL_RETURNS = 2,      /* ends with a return */
    FINAL_TAIL_CALL = 4,    /* ends with a jump to another routine */
    FINAL_CALLS = 8,        /* holds a call */
    FINAL_JUMPS = 16,       /* ends with a jump */
    FINAL_INDIRECT = 32,    /* whose target is read from a table or computed */
    FINAL_LANDING = 64      /* exceptions or non-local jumps arrive here */
};

struct final_block {
    basic_block bb;
    rtx_insn *note;         /* GCC's, where it begins */
    rtx_insn *last;         /* its last instruction, or NULL */
    unsigned flags;         /* of final_block_flag */
    unsigned part;          /* 1: behind the switch of sections */
};

struct final_graph {
    std::vector<final_block> blocks;      /* by vertex, in order; 0 and 1 are ENTRY and EXIT */
    std::vector<edge> edges;              /* by pn_edge index; NULL: of a block that nothing follows */
    pn_graph *graph = NULL;
    unsigned parts = 1;

    ~final_graph() { pn_free(graph); }
};

/* Builds the graph of cfun, numbers its paths with at most `limit` from a block, and describes it for the
 * table.  False without memory, or if the paths cannot be numbered. */
bool build_final_graph(final_graph &out, uint64_t limit);
table_routine describe_final_graph(const final_graph &g, unit_table &unit);

#endif
