/* SPDX-License-Identifier: MIT */
/* address-map.h - which block of which routine lies at an address of a program's file.
 *
 * The sections .wpp_addr and .wpp_map of a program that was compiled with mode=map (docs/address-map.md).
 *
 *      blocks, by address   | 0x1130 +12, main 2 | 0x113c +5, main 3 | 0x1150 +31, f 2 | ...
 *      routines             | main: struct wpp_routine, place[2] = 0, place[3] = 1 | f ...
 *      arcs                 | main 2 -> 3, 2 -> 4 | ...       the control-flow graph, from DAG edges
 *
 * Addresses are virtual ones of the file, as in its symbol table.  Blocks may be empty; several may
 * begin at one address then, in the order in which control passes them.
 */
#ifndef WPP_ADDRESS_MAP_H
#define WPP_ADDRESS_MAP_H

#include "wpp/base/arena.h"
#include "wpp/trace/elf.h"
#include "wpp/wpp.h"

/* Bits of the format.  ORDER BLOCK_FLAG: gcc-plugin/graph/insn-graph.h. */
enum map_block_flag {
    MAP_FALLS = 1,             /* control may go on at the next block in order */
    MAP_RETURNS = 2,           /* ends with a return */
    MAP_TAIL_CALL = 4,         /* ends with a jump to another routine */
    MAP_CALLS = 8,             /* holds a call */
    MAP_JUMPS = 16,            /* ends with a jump */
    MAP_INDIRECT = 32,         /* whose target is read from a table or computed */
    MAP_LANDING = 64           /* exceptions or non-local jumps arrive here */
};
/* Not of the format: the block may hold a call, where a map is made of what is known of a run. */
#define MAP_MAY_CALL (UINT32_C(1) << 31)

#define MAP_NONE UINT32_MAX

struct map_block {
    uint64_t begin, end;       /* addresses [begin, end) */
    uint32_t routine;          /* index */
    uint32_t block;            /* number in the routine, from 2 */
    uint32_t flags;            /* map_block_flag */
    uint32_t next;             /* the block into which it may fall: index; or MAP_NONE */
};

struct map_routine {
    struct wpp_routine r;      /* its final code; stage is 2 */
    const char *compiler, *source;      /* of its unit */
    uint32_t level;
    const uint32_t *place;     /* n_blocks: index of each block in `block`; MAP_NONE for 0 and 1 */
    const uint32_t *first_arc; /* n_blocks + 1: arcs out of block b are arc[first_arc[b] ..) */
    const uint32_t *arc;       /* target blocks; 1: leaves the routine */
    const uint8_t *arc_kind;   /* enum wpp_edge_kind of the edge that the arc is from */
    const struct wpp_routine *layout;   /* its graph before the compiler laid out the blocks; NULL: not known.
                                  Each edge is a path */
    const uint32_t *origin;    /* n_blocks: where the block was in that graph; 0: it is a copy, or was added */
};

struct address_map {
    uint32_t n_blocks, n_routines;
    struct map_block *block;   /* by begin, then in order of control */
    struct map_routine *routine;
    uint32_t n_sources;
    struct wpp_source *sources;
    uint8_t build_id[32];
    uint32_t build_id_size;
    uint32_t n_segments;       /* loadable and executable */
    struct wpp_elf_segment *segment;
    struct wpp_arena arena;
};

/* Reads the map of a program or library.  WPP_E_SYSTEM, WPP_E_MEMORY, WPP_E_FORMAT (no ELF file),
 * WPP_E_NOT_TRACED (it has no map), WPP_E_DAMAGED.  Cost: O(n log n) in blocks. */
bool address_map_read(struct address_map *m, const char *path, struct wpp_error *error);
void address_map_free(struct address_map *m);

/* Fills in the arcs of a routine whose `r` is there; memory is the arena's.  False without memory. */
bool address_map_find_arcs(struct address_map *m, struct map_routine *out);

/* The block that holds the address, or MAP_NONE.  O(log n). */
uint32_t address_map_find(const struct address_map *m, uint64_t address);

/* The block where a jump to the address arrives: the first one, if several begin there. */
uint32_t address_map_arrive(const struct address_map *m, uint64_t address);

/* Whether control may go from block `from` to block `to` (indices) by an edge of the routine. */
bool address_map_has_arc(const struct address_map *m, uint32_t from, uint32_t to);

#endif
