/* SPDX-License-Identifier: MIT */
/* emit.h - a traced module made by hand: the records and the events that the
 * plugin would put into an object (tracer/trace-abi.h). */
#ifndef WPP_TEST_EMIT_H
#define WPP_TEST_EMIT_H

#include <stdint.h>

#include "tracer/trace-abi.h"
#include "test/e2e/tracer/made-up.h"

#ifndef EMIT_PATHS
#define EMIT_PATHS MADE_UP_PATHS
#endif
#ifndef EMIT_ABI
#define EMIT_ABI WPP_ABI
#endif

extern __thread uint32_t *__wpp_cursor
    __attribute__((tls_model("initial-exec")));

/* Two units, so that the second one's base is not the module's. */
__attribute__((section("wpp_units"), used, aligned(8)))
static struct wpp_unit emit_units[2] = {
    { .count = 10, .id = UINT64_C(0x1122334455667788), .abi = WPP_ABI },
    { .count = EMIT_PATHS, .id = UINT64_C(0x99aabbccddeeff00), .abi = WPP_ABI },
};

#define STRING(x) #x
#define STRING_OF(x) STRING(x)
__asm__(
    ".section .init_array.00000,\"awG\",@init_array,__wpp_module,comdat\n"
    ".balign 8\n"
    ".quad __wpp_module_begin\n"
    ".section .fini_array.00000,\"awG\",@fini_array,__wpp_module,comdat\n"
    ".balign 8\n"
    ".quad __wpp_module_end\n"
    ".section .text.__wpp_module,\"axG\",@progbits,__wpp_module,comdat\n"
    ".weak __wpp_module_begin, __wpp_module_end\n"
    ".hidden __wpp_module_begin, __wpp_module_end\n"
    "__wpp_module_begin:\n"
    "leaq __wpp_module(%rip), %rdi\n"
    "jmp *__wpp_module_load@GOTPCREL(%rip)\n"
    "__wpp_module_end:\n"
    "leaq __wpp_module(%rip), %rdi\n"
    "jmp *__wpp_module_unload@GOTPCREL(%rip)\n"
    ".section .data.rel.__wpp_module,\"awG\",@progbits,__wpp_module,comdat\n"
    ".weak __wpp_module\n"
    ".hidden __wpp_module, __start_wpp_units, __stop_wpp_units, __ehdr_start\n"
    ".balign 8\n"
    "__wpp_module:\n"
    ".quad __start_wpp_units, __stop_wpp_units, __ehdr_start\n"
    ".long " STRING_OF(EMIT_ABI) ", 0\n"
    ".section .note.wpp,\"aG\",@note,__wpp_module,comdat\n"
    ".balign 4\n"
    ".long 4, 8, 2\n"
    ".ascii \"wpp\\0\"\n"
    "0: .quad __wpp_module - 0b\n"
    ".text\n");

/* The event of path `number` of the second unit.  Compiled without a red zone, which the call would
 * write over; a stack that is moved here would lead unwinders astray. */
static inline void emit(uint32_t number)
{
    uint32_t *p = __wpp_cursor;

    if (*(volatile uint32_t *)p != 0)
        __asm__ volatile("call *__wpp_refill@GOTPCREL(%%rip)"
                         : "+a"(p), "+m"(__wpp_cursor));
    *(volatile uint32_t *)p = emit_units[1].base + number;
    __wpp_cursor = p + 1;
}

/* Made-up events FROM .. FROM+COUNT-1 of a thread. */
static inline void emit_made_up(uint32_t thread, uint32_t from, uint32_t count)
{
    for (uint32_t n = from; n < from + count; n++)
        emit(made_up(thread, n));
}

#endif
