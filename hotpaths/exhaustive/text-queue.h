/* SPDX-License-Identifier: MIT */
/* text-queue.h - texts on their way into a set (contexts.h), which is larger than the caches.
 *
 * Each waits while others come, until what it is compared with has come from memory:
 *
 *      newest                                                    oldest
 *      | slot of the table ... | entry there ... | its symbols ... | -> added
 *          fetched                 fetched           fetched
 *
 * They are added in the order in which they came.
 */
#ifndef WPP_TEXT_QUEUE_H
#define WPP_TEXT_QUEUE_H

#include "hotpaths/exhaustive/contexts.h"

#ifdef WPP_HOSTILE
enum { TEXT_STAGE = 1 };
#else
enum { TEXT_STAGE = 8 };
#endif

/* The text that came with `owner` has this number. */
typedef void text_numbered(void *context, size_t owner, uint32_t number);

struct text_waiting {
    struct text like;
    uint64_t hash;
    size_t owner;
};

struct text_queue {
    struct texts *texts;
    text_numbered *numbered;
    void *context;
    uint32_t longest;           /* of a text */
    uint32_t *symbols;          /* of the i-th: from i % (4 TEXT_STAGE) * longest on */
    uint64_t n;                 /* that came so far; the i-th is waiting[i % (4 TEXT_STAGE)] */
    uint64_t n_added;
    struct text_waiting waiting[4 * TEXT_STAGE];
};

/* HOT_OK or HOT_E_MEMORY; text_queue_clear either way. */
int text_queue_init(struct text_queue *q, struct texts *texts, uint32_t longest,
                    text_numbered *numbered, void *context);
void text_queue_clear(struct text_queue *q);

/* Adds the text that `like` describes (all but `at`), later.  HOT_OK or HOT_E_MEMORY. */
int text_queue_put(struct text_queue *q, const struct text *like, const uint32_t *symbols,
                   size_t owner);

/* Adds those that still wait. */
int text_queue_settle(struct text_queue *q);

#endif
