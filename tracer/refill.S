/* SPDX-License-Identifier: MIT */
/* refill.S - the entries of the emitted code, and the way back out to libc.
 *
 * Convention (trace-abi.h): any code may call these entries, at any point of a function.  So
 * every register except the result's is live, the stack may have any alignment and the flags are
 * free.  The C routines behind the entries are compiled with -mgeneral-regs-only and call only
 * such routines.  So it is enough to save the general registers that a C function may change.
 */
#include "tracer/follow-jump.h"

        .text

        .macro  entry name, function, result
        .globl  \name
        .type   \name, @function
        .p2align 4
\name:
        .cfi_startproc
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        .cfi_escape WPP_FOLLOW_JUMP(6, 8)
        pushq   %rcx
        pushq   %rdx
        pushq   %rsi
        pushq   %rdi
        pushq   %r8
        pushq   %r9
        pushq   %r10
        pushq   %r11
        .cfi_offset %rcx, -24
        .cfi_offset %rdx, -32
        .cfi_offset %rsi, -40
        .cfi_offset %rdi, -48
        .cfi_offset %r8, -56
        .cfi_offset %r9, -64
        .cfi_offset %r10, -72
        .cfi_offset %r11, -80
        .ifb \result
        pushq   %rax
        .cfi_offset %rax, -88
        .endif
        andq    $-16, %rsp
        cld
        movq    %rax, %rdi
        call    \function
        movq    -8(%rbp), %rcx
        movq    -16(%rbp), %rdx
        movq    -24(%rbp), %rsi
        movq    -32(%rbp), %rdi
        movq    -40(%rbp), %r8
        movq    -48(%rbp), %r9
        movq    -56(%rbp), %r10
        movq    -64(%rbp), %r11
        .ifb \result
        movq    -72(%rbp), %rax
        .endif
        leave
        .cfi_restore %rip
        .cfi_restore %rbp
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_endproc
        .size   \name, .-\name
        .hidden \function
        .endm

        entry   __wpp_refill, __wpp_refill_slow, rax
        entry   __wpp_resolver, __wpp_resolver_slow
        entry   __wpp_count_thread, __wpp_count_thread_slow
        entry   __wpp_signal_begin, __wpp_signal_begin_slow, rax
        entry   __wpp_signal_end, __wpp_signal_end_slow

/* void __wpp_leaving(const void *env)
 * An ordinary function: calls __wpp_leaving_slow(env, frame of the caller). */
        .globl  __wpp_leaving
        .type   __wpp_leaving, @function
        .p2align 4
__wpp_leaving:
        .cfi_startproc
        subq    $72, %rsp
        .cfi_adjust_cfa_offset 72
        movq    72(%rsp), %rax
        movq    %rax, (%rsp)
        movq    %rbx, 8(%rsp)
        movq    %rbp, 16(%rsp)
        leaq    80(%rsp), %rax
        movq    %rax, 24(%rsp)
        movq    %r12, 32(%rsp)
        movq    %r13, 40(%rsp)
        movq    %r14, 48(%rsp)
        movq    %r15, 56(%rsp)
        movq    %rsp, %rsi
        call    __wpp_leaving_slow
        addq    $72, %rsp
        .cfi_adjust_cfa_offset -72
        ret
        .cfi_endproc
        .size   __wpp_leaving, .-__wpp_leaving
        .hidden __wpp_leaving_slow

/* void __wpp_keep_vectors(void (*function)(void *), void *argument, void *area,
 *                         int use_xsave)
 * Calls function(argument) and keeps the vector, mask and x87 registers.  area:
 * WPP_VECTOR_BYTES, aligned to 64, initially zero.  Without XSAVE it keeps only the registers
 * that FXSAVE knows. */
        .globl  __wpp_keep_vectors
        .hidden __wpp_keep_vectors
        .type   __wpp_keep_vectors, @function
        .set    COMPONENTS, 0xe7        # x87, SSE, AVX, the three of AVX-512
        .p2align 4
__wpp_keep_vectors:
        .cfi_startproc
        pushq   %rbx
        .cfi_def_cfa_offset 16
        .cfi_offset %rbx, -16
        pushq   %r12
        .cfi_def_cfa_offset 24
        .cfi_offset %r12, -24
        pushq   %r13
        .cfi_def_cfa_offset 32
        .cfi_offset %r13, -32
        movq    %rdi, %r13
        movq    %rdx, %rbx
        movl    %ecx, %r12d
        testl   %r12d, %r12d
        jz      1f
        movl    $COMPONENTS, %eax
        xorl    %edx, %edx
        xsave64 (%rbx)
        jmp     2f
1:      fxsave64 (%rbx)
2:      movq    %rsi, %rdi
        call    *%r13
        testl   %r12d, %r12d
        jz      3f
        movl    $COMPONENTS, %eax
        xorl    %edx, %edx
        xrstor64 (%rbx)
        jmp     4f
3:      fxrstor64 (%rbx)
4:      popq    %r13
        .cfi_def_cfa_offset 24
        popq    %r12
        .cfi_def_cfa_offset 16
        popq    %rbx
        .cfi_def_cfa_offset 8
        ret
        .cfi_endproc
        .size   __wpp_keep_vectors, .-__wpp_keep_vectors

        .section .note.GNU-stack, "", @progbits
