/* SPDX-License-Identifier: MIT */
/* begin.c - registers the program's module before any constructor runs.
 *
 * This file is linked into executables only, before everything else.  The loader runs
 * .preinit_array before the constructors of libraries.  Such a constructor may call a routine of
 * the program, for example an instance of a template that both have.  Without this file, and if
 * no library is traced, the program's units would have no bases then, and the events would be
 * thrown away (module.c).
 *
 * libc has not set `environ` yet.
 */
#include <stddef.h>

/* Defined in gcc-plugin/events/support-code.cc and settings.c; absent where nothing was traced.
 * Both are hidden, but referred to through the global offset table: for an absent hidden name,
 * ld.gold gives the start address of a position-independent program instead of 0. */
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
