/* SPDX-License-Identifier: MIT */
#include "wpp/trace/alphabet.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "sequitur/sequitur.h"
#include "tracer/trace-abi.h"
#include "wpp/base/bytes.h"

enum {
    PAGE_BITS = 16, PAGE_TOKENS = 1 << PAGE_BITS, N_PAGES = 1 << (32 - PAGE_BITS),
#ifdef WPP_HOSTILE
    FREE_PAGES = 0,
#else
    FREE_PAGES = 64,              /* made for any number of terminals: 16 MiB */
#endif
    TERMINALS_A_PAGE = 1024,      /* beyond these: pages must hold that many on average */
    FULL_PAGE = 32768             /* that many take a page's bytes in the hash table, too */
};

#define NONE UINT32_MAX

#define PAGE_BYTES (PAGE_TOKENS * sizeof(uint32_t))

/* Memory that the system zeroes when it is touched: a short run has a few tokens in each of many
 * pages, and uses few of all possible pages. */
static void *new_zeros(size_t bytes)
{
    void *zeros = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return zeros == MAP_FAILED ? NULL : zeros;
}

static void free_zeros(void *zeros, size_t bytes)
{
    if (zeros)
        munmap(zeros, bytes);
}

static uint32_t *page_at(const struct wpp_alphabet *a, uint32_t at)
{
    return (uint32_t *)((uintptr_t)a->none_page + a->pages[at]);
}

bool wpp_alphabet_init(struct wpp_alphabet *a, bool of_trace)
{
    *a = (struct wpp_alphabet){.n_free_pages = N_PAGES, .of_trace = of_trace};
    a->none_page = new_zeros(PAGE_BYTES);
    a->pages = new_zeros(N_PAGES * sizeof *a->pages);
    if (a->none_page && a->pages)
        return true;
    wpp_alphabet_free(a);
    return false;
}

void wpp_alphabet_free(struct wpp_alphabet *a)
{
    for (uint32_t i = 0; i < a->n_pages; i++)
        free_zeros(page_at(a, a->made[i]), PAGE_BYTES);
    free(a->made);
    free_zeros(a->pages, N_PAGES * sizeof *a->pages);
    free_zeros(a->none_page, PAGE_BYTES);
    free(a->slots);
    free(a->tokens);
    *a = (struct wpp_alphabet){0};
}

void wpp_alphabet_limit(struct wpp_alphabet *a, uint64_t bytes)
{
    a->n_free_pages = bytes / PAGE_BYTES < N_PAGES ? (uint32_t)(bytes / PAGE_BYTES) : N_PAGES;
}

uint64_t wpp_alphabet_mapped(const struct wpp_alphabet *a)
{
    return a->n_pages * PAGE_BYTES;
}

/* ---- The slow way -------------------------------------------------------------- */

static uint32_t slot_of(const struct wpp_alphabet *a, uint32_t token)
{
    uint32_t i = (uint32_t)(token * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (a->n_slots - 1);

    while (a->slots[i] != 0 && a->tokens[a->slots[i] - 1] != token)
        i = (i + 1) & (a->n_slots - 1);
    return i;
}

static bool grow_slots(struct wpp_alphabet *a)
{
    uint32_t *old = a->slots, n_old = a->n_slots;

    a->n_slots = n_old ? 2 * n_old : 1024;
    a->slots = calloc(a->n_slots, sizeof *a->slots);
    if (!a->slots) {
        a->slots = old;
        a->n_slots = n_old;
        return false;
    }
    for (uint32_t i = 0; i < n_old; i++)
        if (old[i] != 0)
            a->slots[slot_of(a, a->tokens[old[i] - 1])] = old[i];
    free(old);
    return true;
}

static bool grow_tokens(struct wpp_alphabet *a)
{
    uint32_t capacity = a->capacity ? 2 * a->capacity : 1024;
    uint32_t *tokens = realloc(a->tokens, capacity * sizeof *tokens);

    if (!tokens)
        return false;
    a->tokens = tokens;
    a->capacity = capacity;
    return true;
}

static bool may_make_page(const struct wpp_alphabet *a)
{
    return a->n_pages < a->n / FULL_PAGE ||
           (a->n_pages < a->n_free_pages && a->n_pages < FREE_PAGES + a->n / TERMINALS_A_PAGE);
}

/* The page for a new terminal; NULL: it goes to the hash table. */
static uint32_t *page_for(struct wpp_alphabet *a, uint32_t token)
{
    uint32_t at = token >> PAGE_BITS, *page, *made;

    if (a->pages[at] != 0)
        return page_at(a, at);
    if (!may_make_page(a))
        return NULL;
    made = realloc(a->made, (a->n_pages + 1) * sizeof *made);
    if (!made)
        return NULL;
    a->made = made;
    page = new_zeros(PAGE_BYTES);
    if (!page)
        return NULL;
    a->pages[at] = (uintptr_t)page - (uintptr_t)a->none_page;
    made[a->n_pages++] = at;
    return page;
}

/* The terminal of a token that no page contains: from the hash table, or new. */
static ptrdiff_t find_or_add(struct wpp_alphabet *a, uint32_t token)
{
    uint32_t *page, slot;

    if (a->n_hashed > 0) {
        slot = slot_of(a, token);
        if (a->slots[slot] != 0)
            return a->slots[slot] - 1;
    }
    if (a->n > SEQ_TERMINAL_MAX)
        return WPP_ALPHABET_FULL;
    if (a->n == a->capacity && !grow_tokens(a))
        return WPP_ALPHABET_NO_MEMORY;
    page = page_for(a, token);
    if (page) {
        page[token % PAGE_TOKENS] = a->n + 1;
    } else {
        if (a->n_hashed >= a->n_slots / 2 && !grow_slots(a))
            return WPP_ALPHABET_NO_MEMORY;
        a->slots[slot_of(a, token)] = a->n + 1;
        a->n_hashed++;
    }
    a->tokens[a->n] = token;
    return a->n++;
}

static bool is_no_event(struct wpp_alphabet *a, uint32_t token)
{
    bool early = token >= WPP_UNREGISTERED && token < WPP_CONTROL;

    a->n_early += early;
    return early || token == 0;
}

/* ---- The fast way ---------------------------------------------------------------- */

ptrdiff_t wpp_alphabet_map(struct wpp_alphabet *a, const void *words, size_t n, uint32_t *out)
{
    const uint8_t *p = words;
    uint32_t *begin = out;

    for (const uint8_t *end = p + 4 * n; p < end; p += 4) {
        uint32_t token = wpp_get_u32(p);
        uint32_t terminal = page_at(a, token >> PAGE_BITS)[token % PAGE_TOKENS] - 1;

        if (__builtin_expect(terminal == NONE, 0)) {
            ptrdiff_t found;

            if (a->of_trace && is_no_event(a, token))
                continue;
            found = find_or_add(a, token);
            if (found < 0)
                return found;
            terminal = (uint32_t)found;
        }
        *out++ = terminal;
    }
    return out - begin;
}
