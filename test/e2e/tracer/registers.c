/* SPDX-License-Identifier: MIT */
/* registers.c - __wpp_refill keeps every register but %rax, whatever the stack's
 * alignment.  Prints `ok`, or the first register that changed. */
#include <cpuid.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/e2e/tracer/emit.h"

struct registers {
    uint64_t general[16];               /* ORDER rax rbx rcx rdx rsi rdi rbp rsp r8 .. r15 */
    uint64_t vector[32][8];
    uint64_t mask[8];
    uint32_t mxcsr;
    uint16_t x87_control;
    double x87[2];
};

static struct registers before, after;
uint64_t *registers_in, *registers_out, registers_rsp, registers_result;
uint64_t registers_shift;               /* how far the stack is off alignment, 0 to 15 */
void refill_with_registers(void);

/* Loads the general registers from registers_in, calls the stub from a stack
 * that is registers_shift off, stores them to registers_out. */
__asm__(
    ".text\n"
    ".set RED_ZONE, 0x1234567\n"
    "refill_with_registers:\n"
    "push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
    "mov %rsp, registers_rsp(%rip)\n"
    "sub $256, %rsp\n and $-16, %rsp\n sub registers_shift(%rip), %rsp\n"
    "mov registers_in(%rip), %rax\n"
    "mov 8(%rax), %rbx\n mov 16(%rax), %rcx\n mov 24(%rax), %rdx\n mov 32(%rax), %rsi\n"
    "mov 40(%rax), %rdi\n mov 48(%rax), %rbp\n mov 64(%rax), %r8\n mov 72(%rax), %r9\n"
    "mov 80(%rax), %r10\n mov 88(%rax), %r11\n mov 96(%rax), %r12\n mov 104(%rax), %r13\n"
    "mov 112(%rax), %r14\n mov 120(%rax), %r15\n mov (%rax), %rax\n"
    "movq $RED_ZONE, -128(%rsp)\n movq $RED_ZONE, -8(%rsp)\n"
    "leaq -128(%rsp), %rsp\n call *__wpp_refill@GOTPCREL(%rip)\n leaq 128(%rsp), %rsp\n"
    "mov %rax, registers_result(%rip)\n"
    "mov registers_out(%rip), %rax\n"
    "mov %rbx, 8(%rax)\n mov %rcx, 16(%rax)\n mov %rdx, 24(%rax)\n mov %rsi, 32(%rax)\n"
    "mov %rdi, 40(%rax)\n mov %rbp, 48(%rax)\n mov %r8, 64(%rax)\n mov %r9, 72(%rax)\n"
    "mov %r10, 80(%rax)\n mov %r11, 88(%rax)\n mov %r12, 96(%rax)\n mov %r13, 104(%rax)\n"
    "mov %r14, 112(%rax)\n mov %r15, 120(%rax)\n"
    "mov -128(%rsp), %rcx\n mov %rcx, 56(%rax)\n mov -8(%rsp), %rcx\n mov %rcx, (%rax)\n"
    "mov registers_rsp(%rip), %rsp\n"
    "pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
    "ret\n");

/* One function for each kind of vector register; N registers of 8, 4, 2 words. */
#define LOAD_Z(n)  "vmovdqu64 64*" #n "(%0), %%zmm" #n "\n"
#define STORE_Z(n) "vmovdqu64 %%zmm" #n ", 64*" #n "(%0)\n"
#define LOAD_Y(n)  "vmovdqu 64*" #n "(%0), %%ymm" #n "\n"
#define STORE_Y(n) "vmovdqu %%ymm" #n ", 64*" #n "(%0)\n"
#define LOAD_X(n)  "movdqu 64*" #n "(%0), %%xmm" #n "\n"
#define STORE_X(n) "movdqu %%xmm" #n ", 64*" #n "(%0)\n"
#define LOAD_K(n)  "kmovw 8*" #n "(%1), %%k" #n "\n"
#define STORE_K(n) "kmovw %%k" #n ", 8*" #n "(%1)\n"
#define SIXTEEN(m) m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7) \
                   m(8) m(9) m(10) m(11) m(12) m(13) m(14) m(15)
#define UPPER16(m) m(16) m(17) m(18) m(19) m(20) m(21) m(22) m(23) \
                   m(24) m(25) m(26) m(27) m(28) m(29) m(30) m(31)
#define EIGHT(m)   m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7)

#define CALL "call refill_with_registers\n"
#define GENERAL "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc"

/* The pointers live in callee-saved registers.  To be compiled without a red
 * zone, since the calls are in assembly. */
static __attribute__((noinline)) void call_sse(void)
{
    register void *in __asm__("rbx") = before.vector, *out __asm__("r12") = after.vector;

    __asm__ volatile(SIXTEEN(LOAD_X) "xchg %0, %1\n" CALL SIXTEEN(STORE_X)
                     : "+r"(in), "+r"(out) : : GENERAL);
}

static __attribute__((noinline)) void call_avx(void)
{
    register void *in __asm__("rbx") = before.vector, *out __asm__("r12") = after.vector;

    __asm__ volatile(SIXTEEN(LOAD_Y) "xchg %0, %1\n" CALL SIXTEEN(STORE_Y) "vzeroupper\n"
                     : "+r"(in), "+r"(out) : : GENERAL);
}

static __attribute__((noinline)) void call_avx512(void)
{
    register void *v __asm__("rbx") = before.vector, *k __asm__("r12") = before.mask;
    register void *v_out __asm__("r13") = after.vector, *k_out __asm__("r14") = after.mask;

    __asm__ volatile(SIXTEEN(LOAD_Z) UPPER16(LOAD_Z) EIGHT(LOAD_K)
                     "mov %2, %0\n mov %3, %1\n" CALL
                     SIXTEEN(STORE_Z) UPPER16(STORE_Z) EIGHT(STORE_K) "vzeroupper\n"
                     : "+r"(v), "+r"(k) : "r"(v_out), "r"(k_out) : GENERAL);
}

static void call_with_all(void)
{
    if (__builtin_cpu_supports("avx512f"))
        call_avx512();
    else if (__builtin_cpu_supports("avx2"))
        call_avx();
    else
        call_sse();
}

static void call_with_x87(void)
{
    uint32_t mxcsr = 0x1f80 | 0x6000, old_mxcsr;
    uint16_t control = 0x0c7f, old_control;

    __asm__ volatile("stmxcsr %0\n fnstcw %1" : "=m"(old_mxcsr), "=m"(old_control));
    before.mxcsr = mxcsr;
    before.x87_control = control;
    before.x87[0] = 3.5, before.x87[1] = -7.25;
    __asm__ volatile("ldmxcsr %0\n fldcw %1\n fldl %2\n fldl %3\n"
                     : : "m"(mxcsr), "m"(control), "m"(before.x87[1]), "m"(before.x87[0]));
    call_with_all();
    __asm__ volatile("fstpl %0\n fstpl %1\n stmxcsr %2\n fnstcw %3\n"
                     : "=m"(after.x87[0]), "=m"(after.x87[1]), "=m"(after.mxcsr),
                       "=m"(after.x87_control));
    __asm__ volatile("ldmxcsr %0\n fldcw %1" : : "m"(old_mxcsr), "m"(old_control));
}

static void fill_before(void)
{
    uint64_t x = 88172645463325252u;
    unsigned char *bytes = (unsigned char *)&before;

    for (size_t i = 0; i < sizeof before; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        bytes[i] = (unsigned char)(x | 1);
    }
    for (int i = 0; i < 8; i++)
        before.mask[i] &= 0xffff;
}

static void differs(const char *what, int n)
{
    printf("%s %d differs, stack off by %llu\n", what, n, (unsigned long long)registers_shift);
    exit(1);
}

static void compare(void)
{
    size_t words = __builtin_cpu_supports("avx512f") ? 8 : __builtin_cpu_supports("avx2") ? 4 : 2;

    if (registers_result != (uint64_t)__wpp_cursor)
        differs("result", 0);
    if (after.general[0] != 0x1234567 || after.general[7] != 0x1234567)
        differs("red zone", 0);
    for (int i = 1; i < 16; i++)
        if (i != 7 && before.general[i] != after.general[i])
            differs("general register", i);
    for (int i = 0; i < (words == 8 ? 32 : 16); i++)
        if (memcmp(before.vector[i], after.vector[i], words * 8) != 0)
            differs("vector register", i);
    for (int i = 0; words == 8 && i < 8; i++)
        if (before.mask[i] != after.mask[i])
            differs("mask register", i);
    if (before.mxcsr != (after.mxcsr & ~0x3fu) || before.x87_control != after.x87_control)
        differs("control word", 0);
    if (memcmp(before.x87, after.x87, sizeof before.x87) != 0)
        differs("x87 stack", 0);
}

/* A refill with nothing begun, then with full chunks. */
static void *check_refills(void *argument)
{
    for (uint64_t shift = 0; shift < 16; shift++) {
        registers_shift = shift;
        fill_before();
        memset(&after, 0, sizeof after);
        before.general[0] = (uint64_t)__wpp_cursor;
        registers_in = before.general;
        registers_out = after.general;
        call_with_x87();
        compare();
        for (;;) {
            emit((uint32_t)shift);
            if (*__wpp_cursor != 0)
                break;
        }
    }
    return argument;
}

int main(void)
{
    pthread_t t;

    __builtin_cpu_init();
    check_refills(NULL);
    for (int i = 0; i < 3; i++) {       /* the first refill of a thread */
        pthread_create(&t, NULL, check_refills, NULL);
        pthread_join(t, NULL);
    }
    puts("ok");
    return 0;
}
