/* SPDX-License-Identifier: MIT */
/* spool-blocks.h - the blocks of a spool: a queue, in memory and beyond it on disk.
 *
 *      number     k        k+1      k+2      k+3            the producer appends the highest
 *      where      frame 0  slot 0   slot 1   frame 1        the consumer enters the lowest
 *
 *      FREE --producer--> USED --consumer--> ENTERED --consumer--> TAKEN --next fork--> FREE
 *                          |                    `------ without a fork ------------------^
 *                        STORED by the producer: then a slot is USED, and the frame is FREE
 *
 * A frame is memory that forks share; a slot is a place in the file (spool-disk.h).  Both have one of
 * these states.  A block that is larger than a frame has several frames, or slots, in a row.
 *
 * One thread produces, one consumes; neither holds a lock.  A fork (wpp_blocks_inherit()) reads on
 * from the block that the consumer had entered, and changes nothing: what it needs is USED, ENTERED
 * or TAKEN until the next fork.
 */
#ifndef WPP_SPOOL_BLOCKS_H
#define WPP_SPOOL_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wpp/record/spool-disk.h"

#ifdef WPP_HOSTILE
enum { WPP_BLOCK_BYTES = 1 << 17 };
#else
enum { WPP_BLOCK_BYTES = 4 << 20 };
#endif

/* One block as its user sees it. */
struct wpp_block {
    uint64_t number;
    uint8_t *bytes;
    size_t size;                 /* a multiple of WPP_BLOCK_BYTES */
};

struct wpp_blocks_shared;
struct wpp_blocks_where;

struct wpp_blocks {
    struct wpp_blocks_shared *shared;
    size_t shared_bytes;         /* of all the memory */
    uint8_t *frame_state, *slot_state;   /* enum state, of each frame and slot */
    struct wpp_blocks_where *where;      /* of block k: [k % n_where] */
    uint8_t *frames;
    uint32_t n_frames, most_used;        /* most_used: frames for blocks of one frame */
    uint32_t n_slots, n_where;
    struct wpp_spool_disk *disk;         /* or NULL */
    uint8_t *read;               /* the consumer's copy of a block on disk, of read_bytes */
    size_t read_bytes;
    bool keeps, inherited;       /* there is a fork; this process is the fork */
};

/* Makes the frames for `bytes` of blocks, and for those that forks keep.  The first block is appended and
 * entered.  `disk`: or NULL; must outlive the blocks.  False: no memory. */
bool wpp_blocks_new(struct wpp_blocks *b, uint64_t bytes, struct wpp_spool_disk *disk,
                    struct wpp_block *first);
void wpp_blocks_free(struct wpp_blocks *b);

/* ---- The producer ---- */

/* Whether a block can have this size. */
bool wpp_blocks_can_be(const struct wpp_blocks *b, size_t bytes);
/* Appends a block of at least `bytes` bytes behind *block.  `fresh`: its memory was never written to, so its
 * pages do not exist yet.  False: no frames are free now. */
bool wpp_blocks_append(struct wpp_blocks *b, size_t bytes, struct wpp_block *block, bool *fresh);
/* Moves the block that was appended last to the disk.  `content`: how many of its bytes the caller
 * counts as memory.  False: it stays where it is, because the consumer has it or the disk has no
 * room. */
bool wpp_blocks_store(struct wpp_blocks *b, const struct wpp_block *block, size_t content);
/* Of the blocks that wait on disk: the sum of `content`. */
uint64_t wpp_blocks_stored(const struct wpp_blocks *b);

/* ---- The consumer ---- */

/* Leaves *block and enters the next one, which must have been appended.  False: it cannot be read from
 * the disk, or there is no memory; errno says why. */
bool wpp_blocks_next(struct wpp_blocks *b, struct wpp_block *block);

/* ---- Forks: see wpp/record/spool.h ---- */

void wpp_blocks_inherit(struct wpp_blocks *b);
void wpp_blocks_forked(struct wpp_blocks *b, bool keeps);
/* Blocks, in frames or slots, that are kept for the fork only. */
uint32_t wpp_blocks_kept(const struct wpp_blocks *b);

/* Called by the consumer: its block is entered, and the counts agree with the states. */
void wpp_blocks_check(const struct wpp_blocks *b, const struct wpp_block *block);

#endif
