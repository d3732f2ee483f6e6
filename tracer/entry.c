/* SPDX-License-Identifier: MIT */
/* entry.c - the entry of a static executable: it makes thread-local variables before libc's
 * start.
 *
 * libc's start calls routines that may be the program's own and traced (memcpy, strlen, IFUNC
 * resolvers).  At that time libc has not made the thread-local variables yet, and has not
 * relocated a static PIE.  An event reads __wpp_cursor, which is such a variable.  So
 * make_thread() gives the thread a block of zeros in which only __wpp_cursor has a value: the
 * address of a word that is not 0.  libc replaces the block by its own.
 *
 * This file is linked into static executables only, traced or not.  Nothing here may need a
 * relocation.
 */
#include <asm/prctl.h>
#include <elf.h>

#include "tracer/sys.h"

#define AFTER_BYTES 4096        /* libc's data about the thread, behind its variables */

extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));

static const Elf64_Phdr *find_segment(uint32_t type)
{
    const Elf64_Phdr *phdr = (const Elf64_Phdr *)((const char *)&__ehdr_start
                                                  + __ehdr_start.e_phoff);

    for (int i = 0; i < __ehdr_start.e_phnum; i++)
        if (phdr[i].p_type == type)
            return &phdr[i];
    return NULL;
}

/* The offset of __wpp_cursor from the thread pointer: negative.  Without a runtime, linkers give
 * 0, or an offset below the block of variables. */
static int64_t cursor_offset(void)
{
    int64_t offset;

    __asm__(".weak __wpp_cursor\n\tmovq $__wpp_cursor@tpoff, %0" : "=r"(offset));
    return offset;
}

__attribute__((used)) static void make_thread(void)
{
    static uint32_t never_free[2] = { 1, 1 };
    const Elf64_Phdr *variables = find_segment(PT_TLS);
    int64_t offset = cursor_offset();
    size_t align, below;
    char *map, **self;

    if (!variables || find_segment(PT_INTERP))
        return;
    align = variables->p_align > 64 ? variables->p_align : 64;
    below = (variables->p_memsz + align - 1) & -align;
    if (offset >= 0 || offset < -(int64_t)below)
        return;
    map = sys_map(below + align + AFTER_BYTES);
    if (!map)
        return;
    self = (char **)(((uintptr_t)map + below + align - 1) & -align);
    self[0] = self[2] = (char *)self;
    *(uint32_t **)((char *)self + offset) = never_free;
    sys3(SYS_arch_prctl, ARCH_SET_FS, (long)self, 0);
}

/* All registers except %rsp and %rdx are 0 at process start, so they need not be saved. */
__asm__(".text\n"
        ".globl __wpp_entry\n"
        ".type __wpp_entry, @function\n"
        "__wpp_entry:\n"
        "\t.cfi_startproc\n"
        "\t.cfi_undefined rip\n"
        "\tendbr64\n"
        "\tpushq %rdx\n"
        "\tpushq %rdx\n"
        "\tcall make_thread\n"
        "\tpopq %rdx\n"
        "\tpopq %rdx\n"
        "\txorl %eax, %eax\n"
        "\txorl %ecx, %ecx\n"
        "\txorl %esi, %esi\n"
        "\txorl %edi, %edi\n"
        "\txorl %r8d, %r8d\n"
        "\txorl %r9d, %r9d\n"
        "\txorl %r10d, %r10d\n"
        "\txorl %r11d, %r11d\n"
        "\tjmp _start\n"
        "\t.cfi_endproc\n"
        "\t.size __wpp_entry, .-__wpp_entry\n");
