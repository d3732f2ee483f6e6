/* SPDX-License-Identifier: MIT */
/* program.c - the executable as the kernel has loaded it, without the loader's help.
 *
 * Each namespace (dlmopen, LD_AUDIT) has its own loader and libc, and sees neither the program
 * nor the modules of another namespace.  Only the kernel's data about the process is common to
 * all. */
#include "tracer/runtime.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include "tracer/text.h"

/* ---- What is in it ------------------------------------------------------------------------ */

struct program {
    const Elf64_Phdr *phdr;
    int n;
    uintptr_t bias;
};

/* False: the program's headers are not where linkers put them. */
static bool find_program(struct program *p)
{
    const Elf64_Ehdr *ehdr;

    p->phdr = (const Elf64_Phdr *)getauxval(AT_PHDR);
    p->n = (int)getauxval(AT_PHNUM);
    ehdr = (const Elf64_Ehdr *)((uintptr_t)p->phdr & -(uintptr_t)WPP_PAGE_BYTES);
    if (!ehdr || (uintptr_t)p->phdr - (uintptr_t)ehdr != sizeof *ehdr
        || !text_after((const char *)ehdr->e_ident, ELFMAG))
        return false;
    p->bias = getauxval(AT_ENTRY) - ehdr->e_entry;
    return true;
}

bool __wpp_program_is_traced(void)
{
    struct program p;

    for (int i = 0; find_program(&p) && i < p.n; i++) {
        const char *notes = (const char *)(p.bias + p.phdr[i].p_vaddr);

        if (p.phdr[i].p_type == PT_NOTE
            && __wpp_note_next(notes, notes + p.phdr[i].p_memsz, "wpp", WPP_NOTE_MODULE))
            return true;
    }
    return false;
}

bool __wpp_program_has(const void *at)
{
    struct program p;

    for (int i = 0; find_program(&p) && i < p.n; i++)
        if (p.phdr[i].p_type == PT_LOAD
            && (uintptr_t)at - (p.bias + p.phdr[i].p_vaddr) < p.phdr[i].p_memsz)
            return true;
    return false;
}

static int is_program(struct dl_phdr_info *module, size_t size, void *unused)
{
    (void)size, (void)unused;
    return (uintptr_t)module->dlpi_phdr == getauxval(AT_PHDR);
}

bool __wpp_program_is_listed(void)
{
    return dl_iterate_phdr(is_program, NULL) != 0;
}

/* ---- Its word ------------------------------------------------------------------------------ */

#define MARK_BITS (UINT64_C(0xffff) << 48)

/* The kernel leaves eight zero bytes at the end of a program's stack, behind the name that
 * started the program. */
uint64_t *__wpp_program_word(void)
{
    const char *end = (const char *)getauxval(AT_EXECFN);
    uint64_t *word;

    if (!end)
        return NULL;
    word = (uint64_t *)(end + text_length(end) + 1);
    if (((uintptr_t)word + sizeof *word) % WPP_PAGE_BYTES)
        return NULL;
    return !*word || (*word & MARK_BITS) == WPP_WORD_MARK ? word : NULL;
}
