/* SPDX-License-Identifier: MIT */
#include "wpp/record/spool-blocks.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Memory besides the limit: for blocks that a fork needs, and for a very large entry (the buffers of
 * a thousand threads). */
enum { KEPT_BYTES = 128 << 20, LARGE_BYTES = 128 << 20 };
/* With blocks of 4 MB, 4 TB. */
enum { SLOTS_MOST = 1 << 20 };

enum state { FREE, USED, ENTERED, TAKEN, STORING };

/* A block's place: of its first frame, or ON_DISK and the slot. */
#define ON_DISK (UINT32_C(1) << 31)
struct wpp_blocks_where {
    uint32_t place;
    uint32_t n;                  /* frames or slots */
    uint64_t content, check;     /* of one on disk */
};

struct wpp_blocks_shared {
    uint64_t appended;           /* blocks */
    uint32_t touched, slots_touched;     /* frames and slots from here on were never used */
    uint64_t stored;             /* content of blocks that went to disk */
    _Alignas(64) uint64_t returned;      /* and that came back; written by the consumer */
    uint32_t kept;               /* frames and slots that are TAKEN */
};

/* ---- Memory ------------------------------------------------------------------------------
 *
 *   | struct shared | frame_state | slot_state | where | frames ... |    address space; pages come
 *                                                                        when written */

static size_t whole_blocks(size_t bytes)
{
    return (bytes + WPP_BLOCK_BYTES - 1) / WPP_BLOCK_BYTES * WPP_BLOCK_BYTES;
}

static bool map(struct wpp_blocks *b, uint32_t n_frames)
{
    size_t states = ((size_t)n_frames + b->n_slots + 63) & ~(size_t)63;
    size_t n_where = (size_t)n_frames + b->n_slots, head;
    uint8_t *at;

    head = whole_blocks(sizeof *b->shared + states + n_where * sizeof *b->where);
    b->shared_bytes = head + (size_t)n_frames * WPP_BLOCK_BYTES;
    at = mmap(NULL, b->shared_bytes, PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return false;
    b->n_frames = n_frames;
    b->n_where = (uint32_t)n_where;
    b->shared = (struct wpp_blocks_shared *)at;
    b->frame_state = at + sizeof *b->shared;
    b->slot_state = b->frame_state + n_frames;
    b->where = (struct wpp_blocks_where *)(at + sizeof *b->shared + states);
    b->frames = at + head;
    madvise(b->frames, (size_t)n_frames * WPP_BLOCK_BYTES, MADV_HUGEPAGE);
    return true;
}

/* Reserves address space for the frames, or for fewer if the system does not give it. */
static bool make_memory(struct wpp_blocks *b, uint64_t n_frames)
{
    bool done = false;

    for (; !done && n_frames >= 4; n_frames /= 2)
        done = map(b, (uint32_t)n_frames);
    return done;
}

static uint64_t memory_of_machine(void)
{
    return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint32_t slots_of(const struct wpp_spool_disk *disk)
{
    uint64_t n = disk ? disk->most / WPP_BLOCK_BYTES : 0;

    return n < SLOTS_MOST ? (uint32_t)n : SLOTS_MOST;
}

static enum state state_of(const uint8_t *state)
{
    return (enum state)__atomic_load_n(state, __ATOMIC_ACQUIRE);
}

static void set_state(uint8_t *state, enum state to)
{
    __atomic_store_n(state, (uint8_t)to, __ATOMIC_RELEASE);
}

/* False: it was another one. */
static bool change_state(uint8_t *state, enum state from, enum state to)
{
    uint8_t expected = (uint8_t)from;

    return __atomic_compare_exchange_n(state, &expected, (uint8_t)to, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

bool wpp_blocks_new(struct wpp_blocks *b, uint64_t bytes, struct wpp_spool_disk *disk,
                    struct wpp_block *first)
{
    uint64_t most = memory_of_machine();

    *b = (struct wpp_blocks){.disk = disk, .n_slots = slots_of(disk)};
    most = ((bytes < most ? bytes : most) + KEPT_BYTES) / WPP_BLOCK_BYTES;
    if (!make_memory(b, most + LARGE_BYTES / WPP_BLOCK_BYTES)) {
        wpp_blocks_free(b);
        return false;
    }
    b->most_used = most < b->n_frames ? (uint32_t)most : b->n_frames;
    set_state(&b->frame_state[0], ENTERED);
    b->where[0].n = 1;
    b->shared->touched = 1;
    b->shared->appended = 1;
    *first = (struct wpp_block){0, b->frames, WPP_BLOCK_BYTES};
    return true;
}

void wpp_blocks_free(struct wpp_blocks *b)
{
    if (b->shared)
        munmap(b->shared, b->shared_bytes);
    free(b->read);
    *b = (struct wpp_blocks){0};
}

static struct wpp_blocks_where *where_is(const struct wpp_blocks *b, uint64_t number)
{
    return &b->where[number % b->n_where];
}

/* The states of the block's frames or slots. */
static uint8_t *states_of(const struct wpp_blocks *b, uint32_t place)
{
    return place & ON_DISK ? &b->slot_state[place & ~ON_DISK] : &b->frame_state[place];
}

static uint8_t *frame(const struct wpp_blocks *b, uint32_t n)
{
    return b->frames + (size_t)n * WPP_BLOCK_BYTES;
}

/* ---- The producer ------------------------------------------------------------------------ */

bool wpp_blocks_can_be(const struct wpp_blocks *b, size_t bytes)
{
    return bytes <= (size_t)(b->n_frames - 1) * WPP_BLOCK_BYTES;
}

/* The first of n free frames or slots in a row: the lowest ones, because their pages exist, and the
 * file stays short.  `end`: there are none. */
static uint32_t find_free(const uint8_t *states, uint32_t end, uint32_t n)
{
    for (uint32_t i = 0, run = 0; i < end; i++) {
        run = state_of(&states[i]) == FREE ? run + 1 : 0;
        if (run == n)
            return i + 1 - n;
    }
    return end;
}

static void set_states(uint8_t *states, uint32_t n, enum state to)
{
    for (uint32_t i = 0; i < n; i++)
        set_state(&states[i], to);
}

bool wpp_blocks_append(struct wpp_blocks *b, size_t bytes, struct wpp_block *block, bool *fresh)
{
    struct wpp_blocks_shared *shared = b->shared;
    uint32_t n = (uint32_t)(whole_blocks(bytes) / WPP_BLOCK_BYTES);
    uint32_t end = n == 1 ? b->most_used : b->n_frames, at = find_free(b->frame_state, end, n);
    struct wpp_blocks_where *where = where_is(b, block->number + 1);

    if (at == end)
        return false;
    *fresh = shared->touched < at + n;
    if (*fresh)
        __atomic_store_n(&shared->touched, at + n, __ATOMIC_RELEASE);
    set_states(&b->frame_state[at], n, USED);
    where->n = n;
    __atomic_store_n(&where->place, at, __ATOMIC_RELEASE);
    *block = (struct wpp_block){block->number + 1, frame(b, at), (size_t)n * WPP_BLOCK_BYTES};
    __atomic_store_n(&shared->appended, block->number + 1, __ATOMIC_RELEASE);
    return true;
}

static uint64_t place_of(uint32_t slot)
{
    return (uint64_t)slot * WPP_BLOCK_BYTES;
}

/* FNV-1a on words, of four interleaved streams, so that it takes little beside the writing. */
static uint64_t checksum(const uint8_t *bytes, size_t n)
{
    const uint64_t prime = UINT64_C(0x100000001b3);
    uint64_t h[4] = {1, 2, 3, 4}, word;

    for (size_t i = 0; i < n; i += sizeof h) {
        for (size_t lane = 0; lane < 4; lane++) {
            memcpy(&word, bytes + i + lane * sizeof word, sizeof word);
            h[lane] = (h[lane] ^ word) * prime;
        }
    }
    return ((h[0] * prime ^ h[1]) * prime ^ h[2]) * prime ^ h[3];
}

/* Copies the block into free slots.  n_slots: the disk is full. */
static uint32_t copy_to_disk(struct wpp_blocks *b, const struct wpp_block *block, uint32_t n)
{
    uint32_t slot = find_free(b->slot_state, b->n_slots, n);

    if (slot == b->n_slots)
        wpp_spool_disk_fill(b->disk);
    else if (!wpp_spool_disk_write(b->disk, place_of(slot), block->bytes, block->size))
        slot = b->n_slots;
    return slot;
}

bool wpp_blocks_store(struct wpp_blocks *b, const struct wpp_block *block, size_t content)
{
    struct wpp_blocks_where *where = where_is(b, block->number);
    uint32_t slot, n = where->n, from = where->place;

    assert(block->number + 1 == b->shared->appended && !(from & ON_DISK));
    if (!change_state(&b->frame_state[from], USED, STORING))
        return false;
    slot = copy_to_disk(b, block, n);
    if (slot == b->n_slots) {
        set_state(&b->frame_state[from], USED);
        return false;
    }
    set_states(&b->slot_state[slot], n, USED);
    if (b->shared->slots_touched < slot + n)
        __atomic_store_n(&b->shared->slots_touched, slot + n, __ATOMIC_RELEASE);
    where->content = content;
    where->check = checksum(block->bytes, block->size);
    __atomic_store_n(&b->shared->stored, b->shared->stored + content, __ATOMIC_RELEASE);
    __atomic_store_n(&where->place, ON_DISK | slot, __ATOMIC_SEQ_CST);
    set_states(&b->frame_state[from], n, FREE);
    return true;
}

uint64_t wpp_blocks_stored(const struct wpp_blocks *b)
{
    uint64_t returned = __atomic_load_n(&b->shared->returned, __ATOMIC_ACQUIRE);

    return __atomic_load_n(&b->shared->stored, __ATOMIC_ACQUIRE) - returned;
}

/* ---- The consumer ------------------------------------------------------------------------ */

static void drop_slots(const struct wpp_blocks *b, uint32_t slot, uint32_t n)
{
    wpp_spool_disk_drop(b->disk, place_of(slot), (size_t)n * WPP_BLOCK_BYTES);
    set_states(&b->slot_state[slot], n, FREE);
}

static void leave(struct wpp_blocks *b, uint64_t number)
{
    const struct wpp_blocks_where *where = where_is(b, number);
    uint32_t place = where->place, n = where->n;

    if (b->inherited)
        return;
    if (b->keeps) {
        set_states(states_of(b, place), n, TAKEN);
        b->shared->kept += n;
    } else if (place & ON_DISK) {
        drop_slots(b, place & ~ON_DISK, n);
    } else {
        set_states(states_of(b, place), n, FREE);
    }
}

static void sleep_a_moment(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Enters a block while the producer may store it.  Returns its place. */
static uint32_t enter(const struct wpp_blocks *b, const struct wpp_blocks_where *where)
{
    for (;;) {
        uint32_t place = __atomic_load_n(&where->place, __ATOMIC_SEQ_CST);

        if (b->inherited || place & ON_DISK)
            return place;
        if (change_state(&b->frame_state[place], USED, ENTERED)) {
            if (__atomic_load_n(&where->place, __ATOMIC_SEQ_CST) == place)
                return place;
            /* It was stored in between, and the frame is another block's. */
            set_state(&b->frame_state[place], USED);
        } else {
            sleep_a_moment();
        }
    }
}

static bool read_from_disk(struct wpp_blocks *b, const struct wpp_blocks_where *where, size_t bytes)
{
    uint64_t at = place_of(where->place & ~ON_DISK);

    if (b->read_bytes < bytes) {
        free(b->read);
        b->read = malloc(bytes);
        b->read_bytes = b->read ? bytes : 0;
    }
    if (!b->read || !wpp_spool_disk_read(b->disk, at, b->read, bytes))
        return false;
    if (checksum(b->read, bytes) == where->check)
        return true;
    errno = EBADMSG;
    return false;
}

bool wpp_blocks_next(struct wpp_blocks *b, struct wpp_block *block)
{
    struct wpp_blocks_where *where = where_is(b, block->number + 1);
    bool read = true;
    uint32_t place;

    leave(b, block->number);
    place = enter(b, where);
    if (!b->inherited)
        set_states(states_of(b, place), where->n, ENTERED);
    block->number++;
    block->size = (size_t)where->n * WPP_BLOCK_BYTES;
    if (place & ON_DISK) {
        if (!b->inherited)
            __atomic_store_n(&b->shared->returned, b->shared->returned + where->content,
                             __ATOMIC_RELEASE);
        read = read_from_disk(b, where, block->size);
    }
    block->bytes = place & ON_DISK ? b->read : frame(b, place);
    return read;
}

/* ---- Forks --------------------------------------------------------------------------------- */

void wpp_blocks_inherit(struct wpp_blocks *b)
{
    b->inherited = true;
}

void wpp_blocks_forked(struct wpp_blocks *b, bool keeps)
{
    uint32_t frames = __atomic_load_n(&b->shared->touched, __ATOMIC_ACQUIRE);
    uint32_t slots = __atomic_load_n(&b->shared->slots_touched, __ATOMIC_ACQUIRE);

    for (uint32_t i = 0; i < frames; i++)
        if (state_of(&b->frame_state[i]) == TAKEN)
            set_state(&b->frame_state[i], FREE);
    for (uint32_t i = 0; i < slots; i++)
        if (state_of(&b->slot_state[i]) == TAKEN)
            drop_slots(b, i, 1);
    b->shared->kept = 0;
    b->keeps = keeps;
}

uint32_t wpp_blocks_kept(const struct wpp_blocks *b)
{
    return b->shared->kept;
}

#ifndef NDEBUG
static uint32_t count_taken(const uint8_t *states, uint32_t n)
{
    uint32_t taken = 0;

    for (uint32_t i = 0; i < n; i++)
        taken += state_of(&states[i]) == TAKEN;
    return taken;
}

void wpp_blocks_check(const struct wpp_blocks *b, const struct wpp_block *block)
{
    const struct wpp_blocks_where *where = where_is(b, block->number);
    uint32_t frames = __atomic_load_n(&b->shared->touched, __ATOMIC_ACQUIRE);
    uint32_t slots = __atomic_load_n(&b->shared->slots_touched, __ATOMIC_ACQUIRE);

    assert(block->number < __atomic_load_n(&b->shared->appended, __ATOMIC_ACQUIRE));
    assert(block->bytes == (where->place & ON_DISK ? b->read : frame(b, where->place)));
    if (b->inherited)
        return;
    assert(state_of(states_of(b, where->place)) == ENTERED);
    assert(count_taken(b->frame_state, frames) + count_taken(b->slot_state, slots) ==
           b->shared->kept);
    assert(b->keeps || b->shared->kept == 0);
}
#else
void wpp_blocks_check(const struct wpp_blocks *b, const struct wpp_block *block)
{
    (void)b, (void)block;
}
#endif
