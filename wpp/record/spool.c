/* SPDX-License-Identifier: MIT */
#include "wpp/record/spool.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "wpp/record/spool-blocks.h"
#include "wpp/record/word-lz.h"

/* Up to SMALL waiting bytes nothing is squeezed: the engine keeps up. */
enum { SMALL = WPP_BLOCK_BYTES };
/* The smallest entry that is squeezed, in bytes: in practice only chunks of tokens. */
enum { SQUEEZE_FROM = 4096 };
/* With a disk, this part of the limit is kept for the next entries. */
enum { NEXT_BYTES = 2 * WPP_BLOCK_BYTES };

/* ---- Entries -------------------------------------------------------------------------------
 * Entries lie end to end in a block (spool-blocks.h), each a header and its bytes, padded to 8.
 * Behind the last entry lies a header of kind NEXT: the next entry is in the next block.  Room for
 * that header is always kept.
 *
 * Entry number k is complete as soon as put > k.  Only the producer writes `put`, `put_held` and
 * `put_whole`, only the consumer `taken_held` and `taken_whole`; both write the futex words. */
struct shared {
    uint64_t put;                        /* entries */
    uint64_t put_held, put_whole;        /* bytes: in the spool, and of the records */
    _Alignas(64) uint64_t taken_held, taken_whole;
    _Alignas(64) uint32_t came;          /* counts events for which the consumer may wait */
    uint32_t taker_waits;
    uint32_t went;                       /* the same for the producer */
    uint32_t putter_waits;
    uint32_t wants_block;                /* the producer has no free block */
    uint32_t paused, closed, dropped;
    uint32_t failed;                     /* errno: a block could not be read from the disk */
};

struct header {
    uint32_t process;
    uint16_t kind, squeezed;     /* squeezed: the bytes are packed (word-lz.h), `whole` unpacked */
    uint64_t whole, bytes;
};
enum { NEXT = UINT16_MAX };

struct wpp_spool {
    uint64_t limit;
    struct shared *shared;
    struct wpp_blocks blocks;
    bool has_disk;
    /* The producer's: */
    struct wpp_block putting;
    size_t put_at;               /* bytes from the block's beginning */
    bool fresh;                  /* the block's pages do not exist yet */
    /* The consumer's; in a fork, as they were then: */
    struct wpp_block taking;
    size_t take_at;
    uint64_t taken;              /* entries */
    bool inherited;              /* this process is the fork */
    uint8_t restored[SQUEEZE_MOST];      /* of the entry taken last */
};

static size_t padded(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

struct wpp_spool *wpp_spool_new(uint64_t limit, struct wpp_spool_disk *disk)
{
    struct wpp_spool *s = calloc(1, sizeof *s);
    void *shared = mmap(NULL, sizeof *s->shared, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (s && shared != MAP_FAILED) {
        s->shared = shared;
        s->limit = limit;
        s->has_disk = disk && limit >= 2 * NEXT_BYTES;
        s->fresh = true;
        if (wpp_blocks_new(&s->blocks, limit, s->has_disk ? disk : NULL, &s->putting)) {
            s->taking = s->putting;
            return s;
        }
    }
    if (shared != MAP_FAILED)
        munmap(shared, sizeof *s->shared);
    free(s);
    return NULL;
}

void wpp_spool_free(struct wpp_spool *s)
{
    if (!s)
        return;
    wpp_blocks_free(&s->blocks);
    munmap(s->shared, sizeof *s->shared);
    free(s);
}

/* ---- Waiting -------------------------------------------------------------------------
 * The waiting side sets its flag and then looks at the count.  The other side changes the count
 * and then looks at the flag.  So one of the two sees the other. */

/* Waits for the count to change.  False: `milliseconds` have passed; -1: no limit. */
static bool wait_for(uint32_t *count, uint32_t seen, uint32_t *waits, int milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};

    __atomic_store_n(waits, 1, __ATOMIC_SEQ_CST);
    return syscall(SYS_futex, count, FUTEX_WAIT, seen, milliseconds < 0 ? NULL : &time, NULL,
                   0) == 0 || errno != ETIMEDOUT;
}

static void announce(uint32_t *count, uint32_t *waits)
{
    __atomic_fetch_add(count, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(waits, __ATOMIC_SEQ_CST) && __atomic_exchange_n(waits, 0, __ATOMIC_SEQ_CST))
        syscall(SYS_futex, count, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void announce_came(struct wpp_spool *s)
{
    announce(&s->shared->came, &s->shared->taker_waits);
}

static void announce_went(struct wpp_spool *s)
{
    announce(&s->shared->went, &s->shared->putter_waits);
}

static bool is_set(const uint32_t *what)
{
    return __atomic_load_n(what, __ATOMIC_SEQ_CST);
}

/* ---- Putting ------------------------------------------------------------------------- */

static uint64_t held(const struct wpp_spool *s)
{
    uint64_t taken = __atomic_load_n(&s->shared->taken_held, __ATOMIC_ACQUIRE);

    return __atomic_load_n(&s->shared->put_held, __ATOMIC_ACQUIRE) - taken;
}

/* Of what is held, the part that is in memory.  The counts change while they are read. */
static uint64_t in_memory(const struct wpp_spool *s)
{
    uint64_t stored = wpp_blocks_stored(&s->blocks), all = held(s);

    return all > stored ? all - stored : 0;
}

/* Waits until the entry fits the limit.  False: nothing is to be put any more. */
static bool wait_for_limit(struct wpp_spool *s, size_t room)
{
    for (;;) {
        uint32_t seen = __atomic_load_n(&s->shared->went, __ATOMIC_SEQ_CST);
        uint64_t now = in_memory(s);

        if (is_set(&s->shared->dropped))
            return false;
        if (now == 0 || now + room <= s->limit)
            return true;
        wait_for(&s->shared->went, seen, &s->shared->putter_waits, -1);
    }
}

/* Moves the full block to the disk, if the next entries might not fit the limit.  So entries of up to
 * NEXT_BYTES never wait while the disk has room. */
static void store_block(struct wpp_spool *s)
{
    if (s->has_disk && in_memory(s) + NEXT_BYTES > s->limit)
        wpp_blocks_store(&s->blocks, &s->putting, s->put_at);
}

/* Appends a block with `room` bytes behind the current one.  False: nothing is to be put any more. */
static bool next_block(struct wpp_spool *s, size_t room)
{
    struct header next = {.kind = NEXT};
    struct shared *shared = s->shared;

    memcpy(s->putting.bytes + s->put_at, &next, sizeof next);
    store_block(s);
    for (;;) {
        uint32_t seen = __atomic_load_n(&shared->went, __ATOMIC_SEQ_CST);

        if (wpp_blocks_append(&s->blocks, room + sizeof next, &s->putting, &s->fresh))
            break;
        if (is_set(&shared->dropped))
            return false;
        __atomic_store_n(&shared->wants_block, 1, __ATOMIC_SEQ_CST);
        announce_came(s);
        wait_for(&shared->went, seen, &shared->putter_waits, -1);
    }
    __atomic_store_n(&shared->wants_block, 0, __ATOMIC_SEQ_CST);
    s->put_at = 0;
    return true;
}

/* Whether to squeeze the entry: not if the engine keeps up.  In a hurry only if that takes less time
 * than to make the block's pages, or to write them to the disk. */
static bool pays_to_squeeze(const struct wpp_spool *s, size_t n, bool hurry)
{
    bool for_disk = s->has_disk && in_memory(s) >= s->limit / 2;

    return n >= SQUEEZE_FROM && n <= SQUEEZE_MOST &&
           (for_disk || (held(s) >= SMALL && (!hurry || s->fresh)));
}

static void publish(struct wpp_spool *s, const struct header *h)
{
    struct shared *shared = s->shared;
    size_t size = sizeof *h + padded(h->bytes);

    s->put_at += size;
    __atomic_store_n(&shared->put_held, shared->put_held + size, __ATOMIC_RELEASE);
    __atomic_store_n(&shared->put_whole, shared->put_whole + h->whole, __ATOMIC_RELEASE);
    __atomic_store_n(&shared->put, shared->put + 1, __ATOMIC_RELEASE);
    announce_came(s);
}

bool wpp_spool_put(struct wpp_spool *s, const struct wpp_spool_entry *entry, bool hurry)
{
    struct header h = {.process = entry->process, .kind = (uint16_t)entry->kind,
                       .whole = entry->n, .bytes = entry->n};
    size_t room = sizeof h + padded(entry->n), squeezed = 0;
    uint8_t *to;

    if (!wpp_blocks_can_be(&s->blocks, room + sizeof h))
        return false;
    /* Also because an earlier call may have given up with its block already stored. */
    if (is_set(&s->shared->dropped))
        return true;
    if (s->putting.size - s->put_at < room + sizeof h && !next_block(s, room))
        return true;
    if (!wait_for_limit(s, room))
        return true;
    to = s->putting.bytes + s->put_at;
    if (pays_to_squeeze(s, entry->n, hurry))
        squeezed = wpp_word_lz_pack(to + sizeof h, entry->bytes, entry->n);
    if (squeezed > 0) {
        h.squeezed = 1;
        h.bytes = squeezed;
    } else if (entry->n > 0) {
        memcpy(to + sizeof h, entry->bytes, entry->n);
    }
    memcpy(to, &h, sizeof h);
    publish(s, &h);
    return true;
}

static void tell(struct wpp_spool *s, uint32_t *what, bool value)
{
    __atomic_store_n(what, value, __ATOMIC_SEQ_CST);
    announce_came(s);
}

void wpp_spool_close(struct wpp_spool *s)
{
    tell(s, &s->shared->closed, true);
}

void wpp_spool_drop(struct wpp_spool *s)
{
    tell(s, &s->shared->dropped, true);
    tell(s, &s->shared->closed, true);
}

void wpp_spool_pause(struct wpp_spool *s, bool pause)
{
    tell(s, &s->shared->paused, pause);
}

/* ---- Taking -------------------------------------------------------------------------- */

/* A block that cannot be read takes all later entries with it. */
static void give_up(struct wpp_spool *s)
{
    __atomic_store_n(&s->shared->failed, (uint32_t)errno, __ATOMIC_SEQ_CST);
    wpp_spool_drop(s);
    announce_went(s);
}

/* The header of the next entry, which must be there.  False: it cannot be read. */
static bool next_header(struct wpp_spool *s, struct header *h)
{
    for (;;) {
        memcpy(h, s->taking.bytes + s->take_at, sizeof *h);
        if (h->kind != NEXT)
            return true;
        if (!wpp_blocks_next(&s->blocks, &s->taking))
            return false;
        s->take_at = 0;
        if (!s->inherited)
            announce_went(s);
    }
}

bool wpp_spool_is_closed(const struct wpp_spool *s)
{
    return s->inherited || is_set(&s->shared->closed);
}

/* PAUSED, CLOSED or ENTRY; NOTHING: not yet. */
static enum wpp_spool_took look(const struct wpp_spool *s)
{
    if (!s->inherited && is_set(&s->shared->paused))
        return WPP_SPOOL_PAUSED;
    if (!is_set(&s->shared->dropped) &&
        s->taken < __atomic_load_n(&s->shared->put, __ATOMIC_ACQUIRE))
        return WPP_SPOOL_ENTRY;
    return wpp_spool_is_closed(s) ? WPP_SPOOL_CLOSED : WPP_SPOOL_NOTHING;
}

/* Returns NOTHING also if the producer needs a block. */
static enum wpp_spool_took wait_for_entry(struct wpp_spool *s, int milliseconds)
{
    for (bool waits = true;;) {
        uint32_t seen = __atomic_load_n(&s->shared->came, __ATOMIC_SEQ_CST);
        enum wpp_spool_took found = look(s);

        if (found != WPP_SPOOL_NOTHING || !waits || is_set(&s->shared->wants_block))
            return found;
        waits = wait_for(&s->shared->came, seen, &s->shared->taker_waits, milliseconds);
    }
}

enum wpp_spool_took wpp_spool_take(struct wpp_spool *s, struct wpp_spool_entry *entry,
                                   int milliseconds)
{
    enum wpp_spool_took found = wait_for_entry(s, milliseconds);
    const uint8_t *from;
    struct header h;

    if (found != WPP_SPOOL_ENTRY)
        return found;
    if (!next_header(s, &h)) {
        give_up(s);
        return WPP_SPOOL_CLOSED;
    }
    assert(s->take_at <= s->taking.size - sizeof h);
    assert(s->taken < __atomic_load_n(&s->shared->put, __ATOMIC_ACQUIRE));
    wpp_blocks_check(&s->blocks, &s->taking);
    from = s->taking.bytes + s->take_at + sizeof h;
    *entry = (struct wpp_spool_entry){(enum wpp_spool_kind)h.kind, h.process, from, h.whole};
    if (h.squeezed) {
        wpp_word_lz_unpack(s->restored, h.whole, from);
        entry->bytes = s->restored;
    }
    return WPP_SPOOL_ENTRY;
}

void wpp_spool_done(struct wpp_spool *s)
{
    struct shared *shared = s->shared;
    struct header h;
    size_t size;

    memcpy(&h, s->taking.bytes + s->take_at, sizeof h);
    size = sizeof h + padded(h.bytes);
    s->take_at += size;
    s->taken++;
    /* In a fork these would be wrong, and nothing reads them. */
    if (s->inherited)
        return;
    __atomic_store_n(&shared->taken_held, shared->taken_held + size, __ATOMIC_RELEASE);
    __atomic_store_n(&shared->taken_whole, shared->taken_whole + h.whole, __ATOMIC_RELEASE);
    announce_went(s);
}

/* ---- Both ------------------------------------------------------------------------------ */

struct wpp_spool_sizes wpp_spool_get_sizes(const struct wpp_spool *s)
{
    uint64_t taken = __atomic_load_n(&s->shared->taken_whole, __ATOMIC_ACQUIRE);

    return (struct wpp_spool_sizes){
        .waiting = __atomic_load_n(&s->shared->put_whole, __ATOMIC_ACQUIRE) - taken,
        .memory = in_memory(s),
        .disk = wpp_blocks_stored(&s->blocks)
    };
}

int wpp_spool_failed(const struct wpp_spool *s)
{
    return (int)__atomic_load_n(&s->shared->failed, __ATOMIC_SEQ_CST);
}

/* ---- Forks ------------------------------------------------------------------------------ */

void wpp_spool_inherit(struct wpp_spool *s)
{
    s->inherited = true;
    wpp_blocks_inherit(&s->blocks);
}

void wpp_spool_forked(struct wpp_spool *s, bool keeps)
{
    wpp_blocks_forked(&s->blocks, keeps);
    announce_went(s);
}

uint64_t wpp_spool_kept(const struct wpp_spool *s)
{
    uint32_t kept = wpp_blocks_kept(&s->blocks);

    return kept > 0 && is_set(&s->shared->wants_block) ? UINT64_MAX
                                                       : kept * (uint64_t)WPP_BLOCK_BYTES;
}
