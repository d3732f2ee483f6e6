/* SPDX-License-Identifier: MIT */
/* others.c - other runtimes in this process.
 *
 * A program that hides the runtime's names (-Wl,--exclude-libs,ALL), or a library that
 * brings a copy of its own, makes a second one: with cursors of its own, so that the
 * order of its events and the first one's is not known, and with the same WPP_OUT.  Only
 * the first records.  What the others are given is counted, and lost in its END.
 *
 * They find each other by a note that each module with a runtime has, since a note can be
 * found without a name:
 *
 *      first's presence -> others: presence -> presence -> ...
 */
#include "tracer/runtime.h"

#include <elf.h>
#include <link.h>

#include "tracer/sys.h"
#include "tracer/text.h"

#define NOTE_PRESENCE 1

/* What runtimes of different versions know of each other: fields are only added. */
struct presence {
    uint32_t version;               /* 1 */
    uint32_t records;               /* it was the first and has opened a trace */
    struct presence *others;        /* in the first: those that came later; in these: the next */
    uint64_t gone;                  /* in the first: tokens of others that are unloaded */
    uint64_t (*lost)(void);         /* tokens that this one has lost so far */
};

static uint64_t count_lost(void);
__attribute__((used)) static struct presence presence = { .version = 1, .lost = count_lost };
static struct presence *first;      /* another one, that records */

__asm__(".pushsection .note.wpp, \"a\", @note\n"
        ".balign 4\n"
        ".long 4, 8, 1\n"           /* NOTE_PRESENCE */
        ".ascii \"wpp\\0\"\n"
        "0: .quad presence - 0b\n"
        ".popsection\n");

/* ---- Finding the first --------------------------------------------------------------- */

static struct presence *presence_in(const char *at, const char *end)
{
    while ((size_t)(end - at) >= sizeof(Elf64_Nhdr) + 4 + 8) {
        const Elf64_Nhdr *note = (const Elf64_Nhdr *)at;
        const char *name = at + sizeof *note, *desc = name + ((note->n_namesz + 3) & ~3u);
        int64_t offset;

        if (note->n_type == NOTE_PRESENCE && note->n_namesz == 4 && note->n_descsz == 8
            && text_equal(name, "wpp")) {
            bytes_copy(&offset, desc, sizeof offset);
            return (struct presence *)(desc + offset);
        }
        if (note->n_descsz > (size_t)(end - desc))
            break;
        at = desc + ((note->n_descsz + 3) & ~3u);
    }
    return NULL;
}

static int look_at_module(struct dl_phdr_info *module, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < module->dlpi_phnum && !first; i++) {
        const Elf64_Phdr *phdr = &module->dlpi_phdr[i];
        const char *notes = (const char *)module->dlpi_addr + phdr->p_vaddr;
        struct presence *found;

        if (phdr->p_type != PT_NOTE || phdr->p_align > 4)
            continue;
        found = presence_in(notes, notes + phdr->p_memsz);
        if (found && found != &presence && found->records)
            first = found;
    }
    return first != NULL;
}

bool __wpp_others_record(void)
{
    return first != NULL;
}

void __wpp_others_find(void)
{
    dl_iterate_phdr(look_at_module, NULL);
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
