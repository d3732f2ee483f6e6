// SPDX-License-Identifier: GPL-3.0-or-later
// routine-hash.cc - see routine-hash.h.

#include "gcc-plugin/use/routine-hash.h"

namespace {

// FNV-1a 64 over the eight bytes of each number.
struct number_hash {
    uint64_t value = UINT64_C(0xcbf29ce484222325);

    void add(uint64_t n)
    {
        for (int i = 0; i < 8; i++)
            value = (value ^ (n >> 8 * i & 0xff)) * UINT64_C(0x100000001b3);
    }
};

}

uint64_t routine_hash(const table_routine &routine)
{
    number_hash hash;

    hash.add(routine.blocks.size());
    for (const table_block &block : routine.blocks) {
        hash.add(block.insns);
        hash.add(block.lines.size());
        for (const table_line &line : block.lines)
            hash.add(line.line - routine.line);
    }
    hash.add(routine.edges.size());
    for (const table_edge &edge : routine.edges) {
        hash.add(edge.src);
        hash.add(edge.dst);
        hash.add(edge.kind);
        hash.add(edge.to);
    }
    return hash.value;
}
