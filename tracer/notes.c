/* SPDX-License-Identifier: MIT */
/* notes.c - what the modules of this process have for us in their ELF notes, since a note
 * can be found without a name:
 *
 *      .note.wpp   "wpp", WPP_NOTE_..., an offset from here to what it is about
 */
#include "tracer/runtime.h"

#include <elf.h>
#include <link.h>

#include "tracer/text.h"

struct search {
    uint32_t type;
    void (*take)(void *ctx, void *what);
    void *ctx;
};

static size_t padded(uint32_t n)
{
    return (n + (size_t)3) & ~(size_t)3;
}

static void look_at_notes(const struct search *search, const char *at, const char *end)
{
    while ((size_t)(end - at) >= sizeof(Elf64_Nhdr)) {
        const Elf64_Nhdr *note = (const Elf64_Nhdr *)at;
        const char *name = at + sizeof *note;
        const char *desc = name + padded(note->n_namesz);
        int64_t offset;

        if (padded(note->n_namesz) + padded(note->n_descsz) > (size_t)(end - name))
            break;
        if (note->n_type == search->type && note->n_namesz == 4 && text_equal(name, "wpp")
            && note->n_descsz == sizeof offset) {
            bytes_copy(&offset, desc, sizeof offset);
            search->take(search->ctx, (void *)(desc + offset));
        }
        at = desc + padded(note->n_descsz);
    }
}

static int look_at_module(struct dl_phdr_info *module, size_t size, void *search)
{
    (void)size;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const Elf64_Phdr *phdr = &module->dlpi_phdr[i];
        const char *notes = (const char *)module->dlpi_addr + phdr->p_vaddr;

        if (phdr->p_type == PT_NOTE && phdr->p_align <= 4)
            look_at_notes(search, notes, notes + phdr->p_memsz);
    }
    return 0;
}

void __wpp_notes_find(uint32_t type, void (*take)(void *ctx, void *what), void *ctx)
{
    struct search search = { type, take, ctx };

    dl_iterate_phdr(look_at_module, &search);
}
