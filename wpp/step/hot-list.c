/* SPDX-License-Identifier: MIT */
#include "wpp/step/hot-list.h"

#include <stddef.h>

enum { PART = 1 << 17 };           /* symbols: some milliseconds */

enum hot_state hot_list_ask(struct hot_list *h)
{
    h->wanted = true;
    h->state = h->source.ask(h->source.context, &h->item, &h->n);
    h->wanted = h->state == HOT_LOOKING;
    return h->state;
}

static void forget(struct hot_list *h)
{
    string_finder_free(h->finder);
    h->finder = NULL;
    h->found = 0;
    h->ready = false;
}

enum string_state hot_list_find(struct hot_list *h, const wpp *w, size_t which)
{
    enum string_state state;

    if (h->found != which || !h->finder) {
        forget(h);
        h->finder = string_finder_begin(w, h->item[which - 1].terminals, h->item[which - 1].n, NULL);
        h->found = which;
    }
    if (!h->finder)
        return STRING_NO_MEMORY;
    state = h->ready ? STRING_READY : string_finder_go_on(h->finder, PART);
    h->ready = state == STRING_READY;
    if (state == STRING_NO_MEMORY)
        forget(h);
    return state;
}

void hot_list_free(struct hot_list *h)
{
    forget(h);
}
