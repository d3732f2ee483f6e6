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

#include "wpp/record/word-lz.h"

/* Up to SMALL waiting bytes nothing is squeezed: the engine nearly keeps up. */
#ifdef WPP_HOSTILE
enum { BLOCK_BYTES = 1 << 17, SMALL = 1 << 20 };
#else
enum { BLOCK_BYTES = 4 << 20, SMALL = 64 << 20 };
#endif
/* The smallest entry that is squeezed, in bytes: in practice only chunks of tokens. */
enum { SQUEEZE_FROM = 4096 };
/* Memory besides the limit: for records that a fork needs, and for a very large entry (the
 * buffers of a thousand threads). */
enum { KEPT_BYTES = 128 << 20, LARGE_BYTES = 128 << 20 };

/* ---- The memory ---------------------------------------------------------------------------
 *
 *   | struct shared, state[] | block 0 | block 1 | ... | block n-1 |     address space; pages
 *                                                                        come when written
 *      FREE --producer--> USED --consumer, at its end--> TAKEN --next fork--> FREE
 *                           `------------ without a fork ----------------------^
 *
 * Entries lie end to end in a block, each a header and its bytes, padded to 8.  Behind the last
 * entry lies a header of kind NEXT, whose `process` is the number of the block with the next
 * entry.  Room for that header is always kept.  An entry larger than a block has several blocks
 * in a row; the first one stands for all.
 *
 * Entry number k is complete as soon as put > k.  Nothing is written into a block again before
 * it is FREE.  Only the producer writes `put`, `put_held` and `put_whole`, only the consumer
 * `taken_held` and `taken_whole`; both write the futex words. */
enum state { FREE, USED, TAKEN };

struct shared {
    uint64_t put;                        /* entries */
    uint64_t put_held, put_whole;        /* bytes: in the spool, and of the records */
    _Alignas(64) uint64_t taken_held, taken_whole;
    _Alignas(64) uint32_t came;          /* counts events for which the consumer may wait */
    uint32_t taker_waits;
    uint32_t went;                       /* the same for the producer */
    uint32_t putter_waits;
    uint32_t wants_block;                /* the producer has no free block */
    uint32_t touched;                    /* this block and later ones were never used */
    uint32_t paused, closed, dropped;
};

struct header {
    uint32_t process;
    uint16_t kind, squeezed;     /* squeezed: the bytes are packed (word-lz.h), `whole` unpacked */
    uint64_t whole, bytes;
};
enum { NEXT = UINT16_MAX };

struct place {
    uint32_t block;
    size_t at, end;              /* bytes from the block's beginning */
};

struct wpp_spool {
    uint64_t limit;
    struct shared *shared;
    size_t shared_bytes;         /* of all of it */
    uint8_t *state;              /* of blocks: enum state */
    uint8_t *blocks;
    uint32_t n_blocks, most_used;        /* blocks for entries that are not larger than a block */
    /* The producer's: */
    struct place putting;
    bool raw;                    /* the block was never written to: its pages do not exist yet */
    /* The consumer's; in a fork, as they were then: */
    struct place taking;
    uint64_t taken;              /* entries */
    uint32_t n_kept;             /* blocks that are TAKEN */
    bool keeps;                  /* there is a fork */
    bool inherited;              /* this process is the fork */
    uint8_t restored[SQUEEZE_MOST];      /* of the entry taken last */
};

static size_t padded(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

static uint8_t *address(const struct wpp_spool *s, struct place p)
{
    return s->blocks + (size_t)p.block * BLOCK_BYTES + p.at;
}

/* Reserves address space for n_blocks, or for fewer if the system does not give it. */
static bool make_memory(struct wpp_spool *s, uint64_t n_blocks)
{
    void *at = MAP_FAILED;

    for (; at == MAP_FAILED && n_blocks >= 4; n_blocks /= 2) {
        size_t head = (sizeof *s->shared + n_blocks + BLOCK_BYTES - 1) & -(size_t)BLOCK_BYTES;

        s->n_blocks = (uint32_t)n_blocks;
        s->shared_bytes = head + n_blocks * BLOCK_BYTES;
        at = mmap(NULL, s->shared_bytes, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at != MAP_FAILED) {
            s->shared = at;
            s->state = (uint8_t *)(s->shared + 1);
            s->blocks = (uint8_t *)at + head;
            madvise(s->blocks, n_blocks * BLOCK_BYTES, MADV_HUGEPAGE);
        }
    }
    return at != MAP_FAILED;
}

static uint64_t memory_of_machine(void)
{
    return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

struct wpp_spool *wpp_spool_new(uint64_t limit)
{
    struct wpp_spool *s = calloc(1, sizeof *s);
    uint64_t most = memory_of_machine();

    if (!s)
        return NULL;
    s->limit = limit;
    most = ((limit < most ? limit : most) + KEPT_BYTES) / BLOCK_BYTES;
    if (!make_memory(s, most + LARGE_BYTES / BLOCK_BYTES)) {
        wpp_spool_free(s);
        return NULL;
    }
    s->most_used = most < s->n_blocks ? (uint32_t)most : s->n_blocks;
    s->state[0] = USED;
    s->raw = true;
    s->shared->touched = 1;
    s->putting.end = s->taking.end = BLOCK_BYTES;
    return s;
}

void wpp_spool_free(struct wpp_spool *s)
{
    if (!s)
        return;
    if (s->shared)
        munmap(s->shared, s->shared_bytes);
    free(s);
}

#ifndef NDEBUG
/* Called by the consumer, in a block from which it has taken something. */
static void check(const struct wpp_spool *s)
{
    uint32_t touched = __atomic_load_n(&s->shared->touched, __ATOMIC_ACQUIRE), kept = 0;

    assert(s->taking.block < touched && s->taking.at <= s->taking.end - sizeof(struct header));
    assert(s->taken < __atomic_load_n(&s->shared->put, __ATOMIC_ACQUIRE));
    if (s->inherited)
        return;
    assert(s->state[s->taking.block] == USED);
    for (uint32_t i = 0; i < touched; i++)
        kept += s->state[i] == TAKEN;
    assert(kept == s->n_kept && (s->keeps || kept == 0));
}
#define CHECK(s) check(s)
#else
#define CHECK(s) (void)0
#endif

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

/* Waits until the entry fits the limit.  Returns whether much waits before it. */
static bool wait_for_limit(struct wpp_spool *s, size_t room)
{
    for (;;) {
        uint32_t seen = __atomic_load_n(&s->shared->went, __ATOMIC_SEQ_CST);
        uint64_t now = held(s);

        if (now == 0 || now + room <= s->limit)
            return now >= SMALL;
        wait_for(&s->shared->went, seen, &s->shared->putter_waits, -1);
    }
}

static enum state state_of(const struct wpp_spool *s, uint32_t block)
{
    return (enum state)__atomic_load_n(&s->state[block], __ATOMIC_ACQUIRE);
}

static void set_state(struct wpp_spool *s, uint32_t block, enum state state)
{
    __atomic_store_n(&s->state[block], (uint8_t)state, __ATOMIC_RELEASE);
}

/* The first of n free blocks in a row.  The lowest ones are preferred, because their pages
 * exist.  n_blocks: there are none. */
static uint32_t find_blocks(const struct wpp_spool *s, uint32_t n)
{
    uint32_t end = n == 1 ? s->most_used : s->n_blocks;

    for (uint32_t i = 0, run = 0; i < end; i++) {
        run = state_of(s, i) == FREE ? run + 1 : 0;
        if (run == n)
            return i + 1 - n;
    }
    return s->n_blocks;
}

/* Appends a block with `room` bytes behind the current one. */
static bool next_block(struct wpp_spool *s, size_t room)
{
    uint32_t n = (uint32_t)((room + sizeof(struct header) + BLOCK_BYTES - 1) / BLOCK_BYTES), block;
    struct header next = {.kind = NEXT};
    struct shared *shared = s->shared;

    if (n > s->n_blocks - 1)
        return false;
    for (;;) {
        uint32_t seen = __atomic_load_n(&shared->went, __ATOMIC_SEQ_CST);

        block = find_blocks(s, n);
        if (block < s->n_blocks)
            break;
        __atomic_store_n(&shared->wants_block, 1, __ATOMIC_SEQ_CST);
        announce_came(s);
        wait_for(&shared->went, seen, &shared->putter_waits, -1);
    }
    __atomic_store_n(&shared->wants_block, 0, __ATOMIC_SEQ_CST);
    s->raw = shared->touched < block + n;
    if (s->raw)
        __atomic_store_n(&shared->touched, block + n, __ATOMIC_RELEASE);
    for (uint32_t i = 0; i < n; i++)
        set_state(s, block + i, USED);
    next.process = block;
    next.bytes = n;
    memcpy(address(s, s->putting), &next, sizeof next);
    s->putting = (struct place){block, 0, (size_t)n * BLOCK_BYTES};
    return true;
}

/* Whether to squeeze the entry: not if the engine keeps up.  In a hurry only if the block's
 * pages do not exist yet: making them takes longer than squeezing. */
static bool pays_to_squeeze(const struct wpp_spool *s, size_t n, bool plenty, bool hurry)
{
    return plenty && (!hurry || s->raw) && n >= SQUEEZE_FROM && n <= SQUEEZE_MOST;
}

static void publish(struct wpp_spool *s, const struct header *h)
{
    struct shared *shared = s->shared;
    size_t size = sizeof *h + padded(h->bytes);

    s->putting.at += size;
    __atomic_store_n(&shared->put_held, shared->put_held + size, __ATOMIC_RELEASE);
    __atomic_store_n(&shared->put_whole, shared->put_whole + h->whole, __ATOMIC_RELEASE);
    __atomic_store_n(&shared->put, shared->put + 1, __ATOMIC_RELEASE);
    announce_came(s);
}

bool wpp_spool_put(struct wpp_spool *s, const struct wpp_spool_entry *entry, bool hurry)
{
    struct header h = {.process = entry->process, .kind = (uint16_t)entry->kind,
                       .whole = entry->n, .bytes = entry->n};
    size_t room = sizeof h + padded(entry->n);
    bool plenty = wait_for_limit(s, room);
    size_t squeezed = 0;
    uint8_t *to;

    if (s->putting.end - s->putting.at < room + sizeof h && !next_block(s, room))
        return false;
    to = address(s, s->putting);
    if (pays_to_squeeze(s, entry->n, plenty, hurry))
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

/* Frees the finished block, or keeps it for a fork. */
static void leave_block(struct wpp_spool *s, const struct header *next)
{
    struct place old = s->taking;
    uint32_t n = (uint32_t)(old.end / BLOCK_BYTES);

    s->taking = (struct place){next->process, 0, (size_t)next->bytes * BLOCK_BYTES};
    if (s->inherited)
        return;
    for (uint32_t i = 0; i < n; i++)
        set_state(s, old.block + i, s->keeps ? TAKEN : FREE);
    s->n_kept += s->keeps ? n : 0;
    announce_went(s);
}

/* The header of the next entry, which must be there. */
static struct header next_header(struct wpp_spool *s)
{
    struct header h;

    for (;;) {
        memcpy(&h, address(s, s->taking), sizeof h);
        if (h.kind != NEXT)
            return h;
        leave_block(s, &h);
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
    h = next_header(s);
    CHECK(s);
    from = address(s, s->taking) + sizeof h;
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

    memcpy(&h, address(s, s->taking), sizeof h);
    size = sizeof h + padded(h.bytes);
    s->taking.at += size;
    s->taken++;
    /* In a fork these would be wrong, and nothing reads them. */
    if (s->inherited)
        return;
    __atomic_store_n(&shared->taken_held, shared->taken_held + size, __ATOMIC_RELEASE);
    __atomic_store_n(&shared->taken_whole, shared->taken_whole + h.whole, __ATOMIC_RELEASE);
    announce_went(s);
}

/* ---- Both ------------------------------------------------------------------------------ */

void wpp_spool_get_sizes(const struct wpp_spool *s, uint64_t *waiting, uint64_t *held_)
{
    uint64_t taken = __atomic_load_n(&s->shared->taken_whole, __ATOMIC_ACQUIRE);

    *waiting = __atomic_load_n(&s->shared->put_whole, __ATOMIC_ACQUIRE) - taken;
    *held_ = held(s);
}

/* ---- Forks ------------------------------------------------------------------------------ */

void wpp_spool_inherit(struct wpp_spool *s)
{
    s->inherited = true;
}

void wpp_spool_forked(struct wpp_spool *s, bool keeps)
{
    uint32_t touched = __atomic_load_n(&s->shared->touched, __ATOMIC_ACQUIRE);

    for (uint32_t i = 0; i < touched && s->n_kept > 0; i++) {
        if (state_of(s, i) == TAKEN) {
            set_state(s, i, FREE);
            s->n_kept--;
        }
    }
    s->keeps = keeps;
    announce_went(s);
}

uint64_t wpp_spool_kept(const struct wpp_spool *s)
{
    return s->n_kept > 0 && is_set(&s->shared->wants_block) ? UINT64_MAX
                                                            : s->n_kept * (uint64_t)BLOCK_BYTES;
}
