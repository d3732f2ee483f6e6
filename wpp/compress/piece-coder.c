/* SPDX-License-Identifier: MIT */
#include "wpp/compress/piece-coder.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "wpp/format/grammar-code.h"

/* The lock protects `pieces`, `n` and `no_more`.  Everything else belongs to the thread while there is
 * one. */
struct wpp_piece_coder {
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    pthread_cond_t came;
    const seq_piece **pieces;
    uint32_t n, room;
    bool no_more;

    const seq *base;
    seq_combiner *combiner;
    struct wpp_grammar_coder *coder;
    uint32_t coded;              /* pieces whose first stream is coded */
    bool failed;                 /* no memory */
};

struct wpp_piece_coder *wpp_piece_coder_new(const seq *base)
{
    struct wpp_piece_coder *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->base = base;
    c->coder = wpp_grammar_coder_new(false);
    if (!c->coder || seq_combiner_new(&c->combiner, base) != SEQ_OK) {
        wpp_grammar_coder_free(c->coder);
        free(c);
        return NULL;
    }
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->came, NULL);
    return c;
}

static void end_thread(struct wpp_piece_coder *c)
{
    if (!c->has_thread)
        return;
    pthread_mutex_lock(&c->lock);
    c->no_more = true;
    pthread_cond_signal(&c->came);
    pthread_mutex_unlock(&c->lock);
    pthread_join(c->thread, NULL);
    c->has_thread = false;
}

void wpp_piece_coder_free(struct wpp_piece_coder *c)
{
    if (!c)
        return;
    end_thread(c);
    seq_combiner_free(c->combiner);
    wpp_grammar_coder_free(c->coder);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->came);
    free(c->pieces);
    free(c);
}

bool wpp_piece_coder_add(struct wpp_piece_coder *c, const seq_piece *piece)
{
    bool done = true;

    pthread_mutex_lock(&c->lock);
    if (c->n == c->room) {
        uint32_t room = 2 * c->room + 8;
        const seq_piece **pieces = realloc(c->pieces, room * sizeof(seq_piece *));

        done = pieces != NULL;
        if (done) {
            c->pieces = pieces;
            c->room = room;
        }
    }
    if (done)
        c->pieces[c->n++] = piece;
    pthread_cond_signal(&c->came);
    pthread_mutex_unlock(&c->lock);
    return done;
}

/* ---- Coding ------------------------------------------------------------------------------ */

static bool walk(struct wpp_piece_coder *c, uint32_t piece, uint32_t stream)
{
    struct seq_steps steps = {c->coder, wpp_grammar_coder_symbol, wpp_grammar_coder_reduce, NULL};

    return seq_combiner_walk(c->combiner, piece, stream, &steps);
}

/* Codes what the first stream does in the next piece.  False: it failed, or the code is given up. */
static bool code_next(struct wpp_piece_coder *c, const seq_piece *piece)
{
    bool done = seq_combiner_add(c->combiner, piece) == SEQ_OK && walk(c, c->coded, 0);

    c->coded++;
    c->failed = !done && !wpp_grammar_coder_gives_up(c->coder);
    return done;
}

static const seq_piece *piece_at(struct wpp_piece_coder *c, uint32_t at)
{
    const seq_piece *piece;

    pthread_mutex_lock(&c->lock);
    while (c->n <= at && !c->no_more)
        pthread_cond_wait(&c->came, &c->lock);
    piece = at < c->n ? c->pieces[at] : NULL;
    pthread_mutex_unlock(&c->lock);
    return piece;
}

static void *code(void *argument)
{
    struct wpp_piece_coder *c = argument;
    const seq_piece *piece;

    while ((piece = piece_at(c, c->coded)) && code_next(c, piece))
        ;
    return NULL;
}

void wpp_piece_coder_start(struct wpp_piece_coder *c)
{
    sigset_t all, old;

    if (c->has_thread)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    c->has_thread = pthread_create(&c->thread, NULL, code, c) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Codes what the thread has not. */
static bool code_rest(struct wpp_piece_coder *c, uint32_t streams)
{
    while (c->coded < c->n && !c->failed && !wpp_grammar_coder_gives_up(c->coder))
        code_next(c, c->pieces[c->coded]);
    if (c->failed || wpp_grammar_coder_gives_up(c->coder))
        return false;
    for (uint32_t k = 0; k < streams; k++) {
        for (uint32_t i = 0; k > 0 && i < c->n; i++)
            if (!walk(c, i, k))
                return false;
        if (!wpp_grammar_coder_end(c->coder))
            return false;
    }
    return true;
}

/* Begins again, with the even code. */
static bool begin_even(struct wpp_piece_coder *c)
{
    seq_combiner_free(c->combiner);
    wpp_grammar_coder_free(c->coder);
    c->combiner = NULL;
    c->coded = 0;
    c->coder = wpp_grammar_coder_new(true);
    return c->coder && seq_combiner_new(&c->combiner, c->base) == SEQ_OK;
}

static bool finish(struct wpp_piece_coder *c, uint32_t streams, struct wpp_bytes *out,
                   uint32_t *order, uint32_t room, uint32_t *n)
{
    if (!code_rest(c, streams))
        return false;
    *n = wpp_grammar_coder_terminals(c->coder);
    assert(*n <= room);
    (void)room;
    return wpp_grammar_coder_finish(c->coder, out, order, *n);
}

bool wpp_piece_coder_finish(struct wpp_piece_coder *c, uint32_t streams, struct wpp_bytes *out,
                            uint32_t *order, uint32_t *n)
{
    uint32_t room = *n;
    bool done;

    end_thread(c);
    done = finish(c, streams, out, order, room, n);
    if (!done && wpp_grammar_coder_gives_up(c->coder))
        done = begin_even(c) && finish(c, streams, out, order, room, n);
    return done && !c->failed;
}

bool wpp_piece_coder_counts(const struct wpp_piece_coder *c, uint64_t *counts, uint64_t *longest)
{
    return wpp_grammar_coder_counts(c->coder, counts, longest);
}
