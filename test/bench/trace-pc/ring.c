/* SPDX-License-Identifier: MIT */
/* ring.c - what `-fsanitize-coverage=trace-pc` calls in each basic block, for
 * test/bench/overhead: the block's address goes into a ring of 64 KiB a thread.
 *
 * The cheapest use of it that keeps the order of blocks, and the like of our recycled
 * buffers: nobody reads the ring.  It is as large as a chunk, eight bytes an entry. */
#include <stdint.h>

#define RING_ENTRIES 8192u

static __thread uint64_t ring[RING_ENTRIES];
static __thread uint32_t at;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    ring[at++ % RING_ENTRIES] = (uintptr_t)__builtin_return_address(0);
}
