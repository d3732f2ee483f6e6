/* SPDX-License-Identifier: MIT */
#include "wpp/trace/buffers.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/bytes.h"

void wpp_buffers_free(struct wpp_buffers *b)
{
    for (size_t i = 0; i < b->n; i++)
        free(b->list[i].words);
    free(b->list);
    *b = (struct wpp_buffers){0};
}

bool wpp_buffers_are_all(const struct wpp_buffers *b)
{
    return b->n > 0 && !b->lacking;
}

static bool add_room(struct wpp_buffers *b)
{
    size_t capacity = b->capacity ? 2 * b->capacity : 4;
    struct wpp_kept_buffer *larger;

    if (b->n < b->capacity)
        return true;
    larger = realloc(b->list, capacity * sizeof *larger);
    if (!larger)
        return false;
    b->list = larger;
    b->capacity = capacity;
    return true;
}

/* The number of words up to the last one that is not 0: behind a thread's cursor all words are
 * 0. */
static size_t count_words(const uint8_t *words, size_t n)
{
    while (n > 0 && wpp_get_u32(words + 4 * (n - 1)) == 0)
        n--;
    return n;
}

static bool keep(struct wpp_buffers *b, const struct wpp_buffer *head, const uint8_t *words,
                 size_t n)
{
    struct wpp_kept_buffer *kept;

    if (!add_room(b))
        return false;
    kept = &b->list[b->n];
    *kept = (struct wpp_kept_buffer){.tid = head->tid, .first = head->first, .n = n,
                                     .fault = head->fault};
    kept->words = malloc(4 * n + 1);
    if (!kept->words)
        return false;
    memcpy(kept->words, words, 4 * n);
    b->n++;
    return true;
}

enum wpp_buffers_result wpp_buffers_add(struct wpp_buffers *b, const uint8_t *payload, size_t size)
{
    struct wpp_view v = wpp_view(payload, size);
    const uint8_t *skip, *page, *chunk;
    struct wpp_buffer head;
    size_t most;

    if (size == 0) {
        b->lacking = true;
        return WPP_BUFFERS_OK;
    }
    skip = wpp_get_bytes(&v, 4);
    if (skip)
        wpp_get_bytes(&v, wpp_get_u32(skip));
    page = wpp_get_bytes(&v, WPP_PAGE_BYTES);
    chunk = wpp_get_bytes(&v, WPP_HEADER_BYTES);
    if (v.failed)
        return WPP_BUFFERS_WRONG;
    memcpy(&head, page, sizeof head);
    if (head.length > b->length)
        b->length = head.length;
    most = wpp_left(&v) / 4;
    chunk += WPP_HEADER_BYTES;
    return keep(b, &head, chunk, head.tid ? count_words(chunk, most) : 0) ? WPP_BUFFERS_OK
                                                                         : WPP_BUFFERS_NO_MEMORY;
}
