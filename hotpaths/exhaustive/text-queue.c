/* SPDX-License-Identifier: MIT */
/* text-queue.c - see text-queue.h. */
#include "hotpaths/exhaustive/text-queue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "hotpaths/hotpaths.h"

enum { ROOM_IN_QUEUE = 4 * TEXT_STAGE };

int text_queue_init(struct text_queue *q, struct texts *texts, uint32_t longest,
                    text_numbered *numbered, void *context)
{
    *q = (struct text_queue){ .texts = texts, .longest = longest, .numbered = numbered,
                              .context = context };
    q->symbols = malloc(ROOM_IN_QUEUE * (size_t)longest * sizeof *q->symbols);
    return q->symbols ? HOT_OK : HOT_E_MEMORY;
}

void text_queue_clear(struct text_queue *q)
{
    free(q->symbols);
    q->symbols = NULL;
}

static struct text_waiting *waiting(struct text_queue *q, uint64_t i)
{
    return &q->waiting[i % ROOM_IN_QUEUE];
}

static uint32_t *queued_symbols(struct text_queue *q, uint64_t i)
{
    return q->symbols + i % ROOM_IN_QUEUE * q->longest;
}

static int add_oldest(struct text_queue *q)
{
    struct text_waiting *w = waiting(q, q->n_added);
    uint32_t number;

    assert(q->n_added < q->n && q->n - q->n_added <= ROOM_IN_QUEUE);
    if (texts_add(q->texts, &w->like, queued_symbols(q, q->n_added), w->hash, &number) != HOT_OK)
        return HOT_E_MEMORY;
    q->n_added++;
    q->numbered(q->context, w->owner, number);
    return HOT_OK;
}

int text_queue_put(struct text_queue *q, const struct text *like, const uint32_t *symbols,
                   size_t owner)
{
    struct text_waiting *w = waiting(q, q->n);

    assert(like->n <= q->longest);
    if (q->n - q->n_added == ROOM_IN_QUEUE && add_oldest(q) != HOT_OK)
        return HOT_E_MEMORY;
    *w = (struct text_waiting){ *like, texts_hash(like, symbols), owner };
    memcpy(queued_symbols(q, q->n), symbols, like->n * sizeof *symbols);
    texts_fetch_slot(q->texts, w->hash);
    if (q->n >= TEXT_STAGE)
        texts_fetch_entry(q->texts, waiting(q, q->n - TEXT_STAGE)->hash);
    if (q->n >= 2 * TEXT_STAGE)
        texts_fetch_symbols(q->texts, waiting(q, q->n - 2 * TEXT_STAGE)->hash);
    q->n++;
    return HOT_OK;
}

int text_queue_settle(struct text_queue *q)
{
    int status = HOT_OK;

    while (status == HOT_OK && q->n_added < q->n)
        status = add_oldest(q);
    return status;
}
