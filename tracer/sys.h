/* SPDX-License-Identifier: MIT */
/* sys.h - system calls without libc: no errno, no cancellation points, no vector registers,
 * nothing that a program can interpose.  Each call returns the kernel's result: a negative
 * number is -errno. */
#ifndef WPP_SYS_H
#define WPP_SYS_H

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#ifndef __x86_64__
#error "the runtime is written for x86-64 Linux"
#endif

static inline long sys6(long n, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static inline long sys4(long n, long a, long b, long c, long d)
{
    register long r10 __asm__("r10") = d;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "memory");
    return result;
}

static inline long sys3(long n, long a, long b, long c)
{
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(n), "D"(a), "S"(b), "d"(c)
                     : "rcx", "r11", "memory");
    return result;
}

static inline long sys_open(const char *path, int flags, int mode)
{
    return sys4(SYS_openat, AT_FDCWD, (long)path, flags, mode);
}

static inline long sys_read(int fd, void *to, size_t n)
{
    return sys3(SYS_read, fd, (long)to, (long)n);
}

static inline long sys_write(int fd, const void *from, size_t n)
{
    return sys3(SYS_write, fd, (long)from, (long)n);
}

static inline void sys_close(int fd)
{
    sys3(SYS_close, fd, 0, 0);
}

static inline long sys_fcntl(int fd, int command, long argument)
{
    return sys3(SYS_fcntl, fd, command, argument);
}

/* The x86-64 kernel's struct stat is libc's. */
static inline long sys_fstat(int fd, struct stat *st)
{
    return sys3(SYS_fstat, fd, (long)st, 0);
}

static inline long sys_lstat(const char *path, struct stat *st)
{
    return sys3(SYS_lstat, (long)path, (long)st, 0);
}

static inline uint32_t sys_getpid(void)
{
    return (uint32_t)sys3(SYS_getpid, 0, 0, 0);
}

static inline uint32_t sys_gettid(void)
{
    return (uint32_t)sys3(SYS_gettid, 0, 0, 0);
}

/* NULL if it fails. */
static inline void *sys_mmap(void *at, size_t bytes, int prot, int flags, int fd, uint64_t offset)
{
    long got = sys6(SYS_mmap, (long)at, (long)bytes, prot, flags, fd, (long)offset);

    return got < 0 && got > -4096 ? NULL : (void *)got;
}

/* Zeroed private memory, or NULL. */
static inline void *sys_map(size_t bytes)
{
    return sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static inline void sys_unmap(void *at, size_t bytes)
{
    if (bytes)
        sys3(SYS_munmap, (long)at, (long)bytes, 0);
}

static inline struct timespec sys_clock(int clock)
{
    struct timespec now = { 0, 0 };

    sys3(SYS_clock_gettime, clock, (long)&now, 0);
    return now;
}

/* CLOCK_MONOTONIC. */
static inline uint64_t sys_nanoseconds(void)
{
    struct timespec now = sys_clock(CLOCK_MONOTONIC);

    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The kernel's signal set: 64 bits, signal n is bit n - 1. */
static inline uint64_t sys_sigmask(uint64_t mask)
{
    uint64_t old = 0;

    sys4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, (long)&old, sizeof mask);
    return old;
}

/* The kernel's struct sigaction, which is not libc's. */
struct sys_action {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};
#define SYS_RESTORER 0x04000000ul

static inline long sys_sigaction(int signal, const struct sys_action *action,
                                 struct sys_action *old)
{
    return sys4(SYS_rt_sigaction, signal, (long)action, (long)old, sizeof action->mask);
}

/* Whether memory is mapped at `at`, or a growing stack can provide it.  The kernel reads the
 * mask before it looks at the operation, which is none. */
static inline bool sys_can_read(const void *at)
{
    return sys4(SYS_rt_sigprocmask, -1, (long)at, 0, sizeof(uint64_t)) != -EFAULT;
}

/* Whether XSAVE can be used: the processor has it and the kernel has switched it on. */
static inline int sys_has_xsave(void)
{
    unsigned a, b, c, d;

    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE) != 0;
}

#endif
