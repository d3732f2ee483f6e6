/* SPDX-License-Identifier: MIT */
/* begin.c - recording begins before any constructor.
 *
 * Linked into executables alone, in front of everything else: the loader runs .preinit_array
 * before the constructors of libraries.  One of these may call a routine of the program, a
 * template's instance for example that both have: if no library is traced nobody had given
 * the program's units their bases, and what it recorded had to be thrown away (module.c).
 *
 * libc has not looked at the environment yet.
 */
#include <stddef.h>

/* gcc-plugin/events/support-code.cc, and settings.c: absent where nothing was traced.  Both are hidden,
 * but asked for through the table of offsets: ld.gold gives an absent hidden name the address
 * where a program that can be moved begins. */
__attribute__((weak)) void __wpp_module_begin(void);
__attribute__((weak)) extern char **__wpp_environment;

static void begin(int argc, char **argv, char **envp)
{
    (void)argc, (void)argv;
    if (&__wpp_environment)
        __wpp_environment = envp;
    if (__wpp_module_begin)
        __wpp_module_begin();
}

__attribute__((section(".preinit_array"), used))
static void (*const entry)(int, char **, char **) = begin;
