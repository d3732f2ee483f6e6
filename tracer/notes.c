/* SPDX-License-Identifier: MIT */
/* notes.c - finds the wpp and GNU notes of this process's modules.  A note can be found without
 * a symbol's name:
 *
 *      .note.wpp   "wpp", WPP_NOTE_..., an offset from here to the object that the note describes
 */
#include "tracer/runtime.h"

#include <elf.h>
#include <link.h>

#include "tracer/text.h"

#define NOTE_HEAD (sizeof(Elf64_Nhdr) + 4)     /* a note's header with a name of three letters */

struct search {
    uint32_t type;
    void (*take)(void *ctx, void *what);
    void *ctx;
};

/* Tests every word, and does not step from note to note.  Linkers put notes of different
 * alignment into one segment, with bytes in between that belong to no note (mold). */
const char *__wpp_note_next(const char *at, const char *end, const char *owner, uint32_t type)
{
    for (; (size_t)(end - at) >= NOTE_HEAD; at += 4) {
        const Elf64_Nhdr *note = (const Elf64_Nhdr *)at;

        if (note->n_type == type && note->n_namesz == 4
            && text_equal(at + sizeof *note, owner)
            && note->n_descsz <= (size_t)(end - at) - NOTE_HEAD)
            return at;
    }
    return NULL;
}

static void look_at_notes(const struct search *search, const char *at, const char *end)
{
    while ((at = __wpp_note_next(at, end, "wpp", search->type))) {
        const char *desc = at + NOTE_HEAD;
        int64_t offset;

        if (((const Elf64_Nhdr *)at)->n_descsz == sizeof offset) {
            bytes_copy(&offset, desc, sizeof offset);
            search->take(search->ctx, (void *)(desc + offset));
        }
        at = desc;
    }
}

static int look_at_module(struct dl_phdr_info *module, size_t size, void *search)
{
    (void)size;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const Elf64_Phdr *phdr = &module->dlpi_phdr[i];
        const char *notes = (const char *)module->dlpi_addr + phdr->p_vaddr;

        if (phdr->p_type == PT_NOTE)
            look_at_notes(search, notes, notes + phdr->p_memsz);
    }
    return 0;
}

void __wpp_notes_find(uint32_t type, void (*take)(void *ctx, void *what), void *ctx)
{
    struct search search = { type, take, ctx };

    dl_iterate_phdr(look_at_module, &search);
}
