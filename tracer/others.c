/* SPDX-License-Identifier: MIT */
/* others.c - other runtimes in this process.
 *
 * A program that hides the runtime's names (-Wl,--exclude-libs,ALL), or a library that
 * brings a copy of its own, makes a second one: with cursors of its own, so that the
 * order of its events and the first one's is not known, and with the same WPP_OUT.  Only
 * the first records.  What the others are given is counted, and lost in its END.
 *
 * They find each other by a note that each module with a runtime has:
 *
 *      first's presence -> others: presence -> presence -> ...
 */
#include "tracer/runtime.h"

#include "tracer/sys.h"

/* What runtimes of different versions know of each other: fields are only added. */
struct presence {
    uint32_t version;               /* 2 */
    uint32_t records;               /* it was the first and has opened a trace */
    struct presence *others;        /* in the first: those that came later; in these: the next */
    uint64_t gone;                  /* in the first: tokens of others that are unloaded */
    uint64_t (*lost)(void);         /* tokens that this one has lost so far */
    /* Since version 2.  Forgets a module that it has registered; false if it has not. */
    bool (*let_go)(struct wpp_module *module);
};

static uint64_t count_lost(void);
__attribute__((used)) static struct presence presence = {
    .version = 2, .lost = count_lost, .let_go = __wpp_module_let_go
};
static struct presence *first;      /* another one, that records */

__asm__(".pushsection .note.wpp, \"a\", @note\n"
        ".balign 4\n"
        ".long 4, 8, 1\n"           /* WPP_NOTE_RUNTIME */
        ".ascii \"wpp\\0\"\n"
        "0: .quad presence - 0b\n"
        ".popsection\n");

/* ---- Finding the first --------------------------------------------------------------- */

static void look_at(void *unused, void *what)
{
    struct presence *found = what;

    (void)unused;
    if (!first && found != &presence && found->records)
        first = found;
}

bool __wpp_others_record(void)
{
    return first != NULL;
}

void __wpp_others_find(void)
{
    __wpp_notes_find(WPP_NOTE_RUNTIME, look_at, NULL);
    if (!first)
        return;
    presence.others = __atomic_load_n(&first->others, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&first->others, &presence.others, &presence, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
}

void __wpp_others_begin(void)
{
    presence.records = 1;
}

/* ---- Modules that the wrong one has registered ----------------------------------------- */

/* The first constructor of all registers every module that it finds, and cannot see from
 * outside to which runtime a module's names are bound: the module's own constructor can. */
struct letting_go {
    struct wpp_module *module;
    bool done;
};

static void ask_to_let_go(void *ctx, void *what)
{
    struct letting_go *asked = ctx;
    struct presence *found = what;

    if (found != &presence && found->version >= 2)
        asked->done |= found->let_go(asked->module);
}

bool __wpp_others_let_go(struct wpp_module *module)
{
    struct letting_go asked = { module, false };

    __wpp_notes_find(WPP_NOTE_RUNTIME, ask_to_let_go, &asked);
    return asked.done;
}

/* ---- What they lose -------------------------------------------------------------------- */

static uint64_t count_lost(void)
{
    uint64_t mask = __wpp_enter(), lost;

    __wpp_threads_flush();
    lost = __wpp_process.lost;
    __wpp_leave(mask);
    return lost;
}

uint64_t __wpp_others_lost(void)
{
    uint64_t lost = presence.gone;

    for (const struct presence *p = first ? NULL : presence.others; p; p = p->others)
        lost += p->lost();
    return lost;
}

/* The module that this runtime lies in is about to go. */
void __wpp_others_leave(void)
{
    struct presence **link;

    if (!first)
        return;
    for (link = &first->others; *link && *link != &presence; link = &(*link)->others)
        ;
    if (*link) {
        first->gone += presence.lost();
        *link = presence.others;
    }
    first = NULL;
}

void __wpp_others_forked(void)
{
    presence.gone = 0;
}
