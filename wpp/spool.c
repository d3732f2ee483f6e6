/* SPDX-License-Identifier: MIT */
#include "wpp/spool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

/* Up to SMALL bytes nothing is squeezed: the engine keeps up, or nearly so.  Level 1 is
 * the best for its time on traces; the faster ones gain little speed for much size. */
enum { BLOCK_BYTES = 4 << 20, SMALL = 64 << 20, LEVEL = 1 };
/* What is squeezed, in bytes: chunks of tokens, that is. */
enum { SQUEEZE_FROM = 4096, SQUEEZE_TO = 65536 };

/* Entries lie end to end, each a header and its bytes, padded to 8. */
struct block {
    struct block *next;
    size_t capacity, used;       /* bytes of data */
    _Alignas(8) uint8_t data[];
};

struct header {
    uint32_t process;
    uint16_t kind, squeezed;     /* the latter: by zstd, from `whole` bytes */
    uint64_t whole, bytes;
};

/* The lock is for `used`, `next` and what is declared below it; only who puts writes behind
 * `used`, only who takes frees blocks. */
struct wpp_spool {
    uint64_t limit;
    pthread_mutex_t lock;
    pthread_cond_t came, went;
    struct block *first, *last;  /* from `first`, `taken` bytes have gone */
    size_t taken;
    uint64_t waiting, held;
    bool paused, closed, dropped;
    ZSTD_CCtx *squeezer;
    ZSTD_DCtx *restorer;
    uint8_t restored[SQUEEZE_TO];        /* of the entry taken last */
};

static void init_locks(struct wpp_spool *s)
{
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->came, NULL);
    pthread_cond_init(&s->went, NULL);
}

struct wpp_spool *wpp_spool_new(uint64_t limit)
{
    struct wpp_spool *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->limit = limit;
    init_locks(s);
    s->squeezer = ZSTD_createCCtx();
    s->restorer = ZSTD_createDCtx();
    if (!s->squeezer || !s->restorer) {
        wpp_spool_free(s);
        return NULL;
    }
    return s;
}

static void free_block(struct block *b)
{
    munmap(b, sizeof *b + b->capacity);
}

void wpp_spool_free(struct wpp_spool *s)
{
    struct block *next;

    if (!s)
        return;
    for (struct block *b = s->first; b; b = next) {
        next = b->next;
        free_block(b);
    }
    ZSTD_freeCCtx(s->squeezer);
    ZSTD_freeDCtx(s->restorer);
    free(s);
}

static size_t padded(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

/* ---- Putting ------------------------------------------------------------------------- */

/* Blocks that have been filled are not used again: their pages would have to be copied
 * where a child of wpp_spool_fork() sees them. */
static struct block *new_block(size_t room)
{
    size_t size = sizeof(struct block) + room;
    struct block *b;

    size = size < BLOCK_BYTES ? BLOCK_BYTES : size;
    b = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (b == MAP_FAILED)
        return NULL;
    madvise(b, size, MADV_HUGEPAGE);
    b->capacity = size - sizeof *b;
    return b;
}

/* Where all has been taken, the block is written anew: its beginning is in the cache. */
static void begin_again(struct wpp_spool *s)
{
    if (s->first && s->first == s->last && s->taken == s->last->used)
        s->taken = s->last->used = 0;
}

/* Room for so many bytes at the end of the last block; waits until the limit permits.
 * `plenty`: there is much before it. */
static struct block *find_room(struct wpp_spool *s, size_t room, bool *plenty)
{
    struct block *b, *new = NULL;

    pthread_mutex_lock(&s->lock);
    while (s->held > 0 && s->held + room > s->limit)
        pthread_cond_wait(&s->went, &s->lock);
    begin_again(s);
    *plenty = s->held >= SMALL;
    b = s->last;
    pthread_mutex_unlock(&s->lock);
    if (b && b->capacity - b->used >= room)
        return b;
    new = new_block(room);
    if (!new)
        return NULL;
    pthread_mutex_lock(&s->lock);
    /* All may have gone meanwhile, with the last block. */
    *(s->last ? &s->last->next : &s->first) = new;
    s->last = new;
    pthread_mutex_unlock(&s->lock);
    return new;
}

/* False: it does not get smaller. */
static bool squeeze(struct wpp_spool *s, struct header *h, uint8_t *to, const void *from)
{
    size_t n = ZSTD_compressCCtx(s->squeezer, to, h->whole, from, h->whole, LEVEL);

    if (ZSTD_isError(n))
        return false;
    h->squeezed = 1;
    h->bytes = n;
    return true;
}

bool wpp_spool_put(struct wpp_spool *s, const struct wpp_spool_entry *entry, bool hurry)
{
    struct header h = {.process = entry->process, .kind = (uint16_t)entry->kind,
                       .whole = entry->n, .bytes = entry->n};
    bool plenty;
    struct block *b = find_room(s, sizeof h + padded(entry->n), &plenty);
    size_t size;
    uint8_t *to;

    if (!b)
        return false;
    to = b->data + b->used;
    if (entry->n > 0 && (hurry || !plenty || entry->n < SQUEEZE_FROM || entry->n > SQUEEZE_TO ||
                         !squeeze(s, &h, to + sizeof h, entry->bytes)))
        memcpy(to + sizeof h, entry->bytes, entry->n);
    memcpy(to, &h, sizeof h);
    size = sizeof h + padded(h.bytes);
    pthread_mutex_lock(&s->lock);
    b->used += size;
    s->held += size;
    s->waiting += h.whole;
    pthread_cond_signal(&s->came);
    pthread_mutex_unlock(&s->lock);
    return true;
}

static void tell(struct wpp_spool *s, bool *what, bool value)
{
    pthread_mutex_lock(&s->lock);
    *what = value;
    pthread_cond_signal(&s->came);
    pthread_mutex_unlock(&s->lock);
}

void wpp_spool_close(struct wpp_spool *s)
{
    tell(s, &s->closed, true);
}

void wpp_spool_drop(struct wpp_spool *s)
{
    tell(s, &s->closed, true);
    tell(s, &s->dropped, true);
}

void wpp_spool_pause(struct wpp_spool *s, bool pause)
{
    tell(s, &s->paused, pause);
}

/* ---- Taking -------------------------------------------------------------------------- */

/* Frees blocks that have been taken, but for the last one, which is still written. */
static bool is_empty(struct wpp_spool *s)
{
    while (s->first && s->taken == s->first->used && s->first->next) {
        struct block *b = s->first;

        s->first = b->next;
        s->taken = 0;
        free_block(b);
    }
    return !s->first || s->taken == s->first->used;
}

static bool wait_for_entry(struct wpp_spool *s, int milliseconds)
{
    struct timespec end;

    if (milliseconds < 0)
        return pthread_cond_wait(&s->came, &s->lock) == 0;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += milliseconds % 1000 * 1000000L;
    end.tv_sec += milliseconds / 1000 + end.tv_nsec / 1000000000L;
    end.tv_nsec %= 1000000000L;
    return pthread_cond_timedwait(&s->came, &s->lock, &end) == 0;
}

enum wpp_spool_took wpp_spool_take(struct wpp_spool *s, struct wpp_spool_entry *entry,
                                   int milliseconds)
{
    enum wpp_spool_took result = WPP_SPOOL_ENTRY;
    const uint8_t *from = NULL;
    struct header h;

    pthread_mutex_lock(&s->lock);
    while (!s->paused && is_empty(s) && !s->closed && result == WPP_SPOOL_ENTRY)
        if (!wait_for_entry(s, milliseconds))
            result = WPP_SPOOL_NOTHING;
    if (s->paused)
        result = WPP_SPOOL_PAUSED;
    else if (!s->dropped && !is_empty(s))
        from = s->first->data + s->taken;
    else if (s->closed)
        result = WPP_SPOOL_CLOSED;
    pthread_mutex_unlock(&s->lock);
    if (result != WPP_SPOOL_ENTRY)
        return result;
    memcpy(&h, from, sizeof h);
    from += sizeof h;
    *entry = (struct wpp_spool_entry){(enum wpp_spool_kind)h.kind, h.process, from, h.whole};
    if (h.squeezed) {
        ZSTD_decompressDCtx(s->restorer, s->restored, sizeof s->restored, from, h.bytes);
        entry->bytes = s->restored;
    }
    return result;
}

void wpp_spool_done(struct wpp_spool *s)
{
    struct header h;
    size_t size;

    memcpy(&h, s->first->data + s->taken, sizeof h);
    size = sizeof h + padded(h.bytes);
    pthread_mutex_lock(&s->lock);
    s->taken += size;
    s->held -= size;
    s->waiting -= h.whole;
    pthread_cond_signal(&s->went);
    pthread_mutex_unlock(&s->lock);
}

/* ---- Both ------------------------------------------------------------------------------ */

void wpp_spool_get_sizes(struct wpp_spool *s, uint64_t *waiting, uint64_t *held)
{
    pthread_mutex_lock(&s->lock);
    *waiting = s->waiting;
    *held = s->held;
    pthread_mutex_unlock(&s->lock);
}

pid_t wpp_spool_fork(struct wpp_spool *s)
{
    pid_t pid;

    pthread_mutex_lock(&s->lock);
    pid = fork();
    if (pid != 0) {
        pthread_mutex_unlock(&s->lock);
    } else {
        /* Nobody waits here who waited there. */
        init_locks(s);
        s->closed = true;
        s->paused = false;
    }
    return pid;
}
