/* SPDX-License-Identifier: MIT */
#include "wpp/compress/builder.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef WPP_HOSTILE
enum { PIECE_TERMINALS = 5, PIECES_WAIT = 2, PIECES_MOST = 300 };
#else
/* A piece has a page at least, however few terminals are in it. */
enum { PIECE_TERMINALS = 1 << 16, PIECES_WAIT = 64, PIECES_MOST = 1 << 12 };
#endif

/* Terminals of one stream.  Most programs have few enough terminals for half a word. */
struct piece {
    struct piece *next;
    uint32_t stream, n;
    uint32_t alphabet;               /* terminals are below it */
    bool narrow;
    union {
        uint32_t wide[PIECE_TERMINALS];
        uint16_t narrow_ones[2 * PIECE_TERMINALS];
    };
};

/* The caller's last request. */
enum wish { APPEND, GIVE_BACK, END, DROP };

/* The lock protects the queue, the wish, the status, `over` and the figures.  Everything else
 * belongs to the thread until it is over. */
struct wpp_builder {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t asked, taken;
    struct piece *first, *last;      /* the caller may add to the last one */
    uint32_t waiting;                /* pieces in the queue */
    bool bounded;                    /* the queue holds at most PIECES_WAIT pieces: of a whole
                                        trace; other parts have an end, and PIECES_MOST */
    struct piece *spare;             /* if bounded: pieces to reuse */
    enum wish wish;
    uint32_t streams;
    bool over;
    int status;                      /* only the thread changes it */
    struct seq_stats stats;

    const seq *base;                 /* NULL: none */
    seq *grammar;
    seq_piece *ended;
    struct wpp_segment_maker *maker; /* instead of a grammar; NULL: none */
};

/* ---- Pieces ------------------------------------------------------------------------ */

/* Of a part that has an end, pieces are returned to the system one by one, since the grammar grows
 * as they become fewer. */
static struct piece *piece_new(bool bounded)
{
    struct piece *p;

    if (bounded)
        return malloc(sizeof *p);
    p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void piece_free(bool bounded, struct piece *p)
{
    if (bounded)
        free(p);
    else
        munmap(p, sizeof *p);
}

static void free_pieces(bool bounded, struct piece *p)
{
    struct piece *next;

    for (; p; p = next) {
        next = p->next;
        piece_free(bounded, p);
    }
}

/* ---- The thread -------------------------------------------------------------------- */

static bool is_waiting(const struct wpp_builder *b)
{
    return !b->first && b->wish == APPEND;
}

/* The oldest piece in the queue.  NULL: no more will come, and *wish is the reason. */
static struct piece *next_piece(struct wpp_builder *b, enum wish *wish)
{
    struct piece *p;

    pthread_mutex_lock(&b->lock);
    if (b->maker)
        b->stats = wpp_segment_maker_stats(b->maker);
    else if (b->grammar)
        seq_get_stats(b->grammar, &b->stats);
    while (is_waiting(b))
        pthread_cond_wait(&b->asked, &b->lock);
    *wish = b->wish;
    p = *wish == DROP ? NULL : b->first;
    if (p) {
        b->first = p->next;
        if (!b->first)
            b->last = NULL;
        b->waiting--;
        pthread_cond_signal(&b->taken);
    }
    pthread_mutex_unlock(&b->lock);
    return p;
}

/* With a bounded queue, keeps the piece for reuse; otherwise many may have waited, and it is
 * freed. */
static void give_up_piece(struct wpp_builder *b, struct piece *p)
{
    if (!b->bounded) {
        piece_free(false, p);
        return;
    }
    pthread_mutex_lock(&b->lock);
    p->next = b->spare;
    b->spare = p;
    pthread_mutex_unlock(&b->lock);
}

static int append(struct wpp_builder *b, const struct piece *p, const uint32_t *terminals, size_t n)
{
    return b->maker ? wpp_segment_maker_append(b->maker, p->stream, terminals, n, p->alphabet)
                    : seq_append(b->grammar, p->stream, terminals, n);
}

static int append_narrow(struct wpp_builder *b, const struct piece *p)
{
    enum { SOME = 4096 };
    uint32_t wide[SOME];
    int status = SEQ_OK;

    for (uint32_t at = 0; at < p->n && status == SEQ_OK; at += SOME) {
        uint32_t n = p->n - at < SOME ? p->n - at : SOME;

        for (uint32_t i = 0; i < n; i++)
            wide[i] = p->narrow_ones[at + i];
        status = append(b, p, wide, n);
    }
    return status;
}

static int append_piece(struct wpp_builder *b, const struct piece *p)
{
    return p->narrow ? append_narrow(b, p) : append(b, p, p->wide, p->n);
}

static int end_part(struct wpp_builder *b)
{
    int status;

    if (b->maker)
        return wpp_segment_maker_end(b->maker, b->streams);
    status = wpp_finish_piece(b->grammar, b->streams, &b->ended);
    seq_free(b->grammar);
    b->grammar = NULL;
    return status;
}

static void set_status(struct wpp_builder *b, int status)
{
    pthread_mutex_lock(&b->lock);
    b->status = status;
    pthread_mutex_unlock(&b->lock);
}

static void *build(void *argument)
{
    struct wpp_builder *b = argument;
    struct piece *p;
    enum wish wish;

    if (!b->grammar && !b->maker)
        set_status(b, seq_new_on(&b->grammar, b->base, NULL));
    while ((p = next_piece(b, &wish))) {
        if (b->status == SEQ_OK) {
            int status = append_piece(b, p);
            if (status != SEQ_OK)
                set_status(b, status);
        }
        give_up_piece(b, p);
    }
    if (wish == END && b->status == SEQ_OK)
        set_status(b, end_part(b));
    pthread_mutex_lock(&b->lock);
    b->over = true;
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

/* ---- The caller ---------------------------------------------------------------------- */

/* Starts the thread with all signals blocked: other threads handle them. */
static bool start(struct wpp_builder *b)
{
    sigset_t all, old;
    bool started;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    started = pthread_create(&b->thread, NULL, build, b) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return started;
}

/* Frees the builder, which has no thread, and everything that it still holds. */
static void destroy(struct wpp_builder *b)
{
    free_pieces(b->bounded, b->first);
    free_pieces(b->bounded, b->spare);
    wpp_segment_maker_free(b->maker);
    seq_free(b->grammar);
    seq_piece_free(b->ended);
    pthread_mutex_destroy(&b->lock);
    pthread_cond_destroy(&b->asked);
    pthread_cond_destroy(&b->taken);
    free(b);
}

/* Begins with what b has so far; if that fails, the caller keeps it. */
static struct wpp_builder *begin(struct wpp_builder *b)
{
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->asked, NULL);
    pthread_cond_init(&b->taken, NULL);
    if (start(b))
        return b;
    b->grammar = NULL;
    b->maker = NULL;
    destroy(b);
    return NULL;
}

struct wpp_builder *wpp_builder_new(seq *grammar, const seq *base)
{
    struct wpp_builder *b = calloc(1, sizeof *b);

    if (!b)
        return NULL;
    assert(grammar || base);
    b->grammar = grammar;
    b->base = base;
    b->bounded = !base;
    return begin(b);
}

struct wpp_builder *wpp_builder_new_segments(struct wpp_segment_maker *maker)
{
    struct wpp_builder *b = calloc(1, sizeof *b);

    if (!b)
        return NULL;
    b->maker = maker;
    return begin(b);
}

static void ask(struct wpp_builder *b, enum wish wish)
{
    pthread_mutex_lock(&b->lock);
    b->wish = wish;
    pthread_cond_signal(&b->asked);
    pthread_mutex_unlock(&b->lock);
}

void wpp_builder_free(struct wpp_builder *b)
{
    if (!b)
        return;
    ask(b, DROP);
    pthread_join(b->thread, NULL);
    destroy(b);
}

static uint32_t size_of(const struct piece *p)
{
    return p->narrow ? 2 * PIECE_TERMINALS : PIECE_TERMINALS;
}

/* A piece at the end of the queue with room for terminals of the stream.  Called with the lock. */
static struct piece *open_piece(struct wpp_builder *b, uint32_t stream, uint32_t alphabet)
{
    bool narrow = wpp_builder_terminal_bytes(alphabet) == sizeof(uint16_t);
    struct piece *p = b->last;

    if (p && p->stream == stream && p->narrow == narrow && p->n < size_of(p))
        return p;
    while (b->waiting == (b->bounded ? PIECES_WAIT : PIECES_MOST)) {
        pthread_cond_signal(&b->asked);
        pthread_cond_wait(&b->taken, &b->lock);
    }
    p = b->spare;
    if (p)
        b->spare = p->next;
    else
        p = piece_new(b->bounded);
    if (!p)
        return NULL;
    p->next = NULL;
    p->stream = stream;
    p->n = 0;
    p->alphabet = 0;
    p->narrow = narrow;
    if (b->last)
        b->last->next = p;
    else
        b->first = p;
    b->last = p;
    b->waiting++;
    return p;
}

/* Copies n terminals to the piece, which has room for them. */
static void put_terminals(struct piece *p, const uint32_t *terminals, size_t n)
{
    if (p->narrow)
        for (size_t i = 0; i < n; i++)
            p->narrow_ones[p->n + i] = (uint16_t)terminals[i];
    else
        memcpy(p->wide + p->n, terminals, n * sizeof *terminals);
    p->n += (uint32_t)n;
}

int wpp_builder_append(struct wpp_builder *b, uint32_t stream, const uint32_t *terminals,
                       size_t n, uint32_t alphabet)
{
    int status;

    pthread_mutex_lock(&b->lock);
    while (n > 0 && b->status == SEQ_OK) {
        struct piece *p = open_piece(b, stream, alphabet);
        if (!p)
            break;
        size_t now = n > size_of(p) - p->n ? size_of(p) - p->n : n;
        put_terminals(p, terminals, now);
        p->alphabet = alphabet;
        terminals += now;
        n -= now;
    }
    status = b->status != SEQ_OK || n == 0 ? b->status : SEQ_E_NOMEM;
    pthread_cond_signal(&b->asked);
    pthread_mutex_unlock(&b->lock);
    return status;
}

void wpp_builder_end(struct wpp_builder *b, uint32_t streams)
{
    b->streams = streams;
    ask(b, END);
}

bool wpp_builder_is_done(struct wpp_builder *b)
{
    bool over;

    pthread_mutex_lock(&b->lock);
    over = b->over;
    pthread_mutex_unlock(&b->lock);
    return over;
}

int wpp_builder_take(struct wpp_builder *b, seq_piece **out)
{
    int status;

    pthread_join(b->thread, NULL);
    status = b->status;
    *out = b->ended;
    b->ended = NULL;
    destroy(b);
    return status;
}

int wpp_builder_take_segments(struct wpp_builder *b, struct wpp_segment_maker **maker)
{
    int status;

    pthread_join(b->thread, NULL);
    status = b->status;
    *maker = b->maker;
    b->maker = NULL;
    destroy(b);
    return status;
}

int wpp_builder_give_back(struct wpp_builder *b, seq **grammar)
{
    int status;

    ask(b, GIVE_BACK);
    pthread_join(b->thread, NULL);
    status = b->status;
    *grammar = b->grammar;
    b->grammar = NULL;
    destroy(b);
    return status;
}

struct seq_stats wpp_builder_stats(struct wpp_builder *b)
{
    struct seq_stats stats;

    pthread_mutex_lock(&b->lock);
    stats = b->stats;
    pthread_mutex_unlock(&b->lock);
    return stats;
}
