/* SPDX-License-Identifier: MIT */
/* start.c - for programs that are linked without the compiler's start files (-nostartfiles).
 *
 * libc's pthread_atfork() identifies its calling module by the address of a word that crtbegin.o
 * defines in each module.  A program with a definition of its own keeps that one.
 */
__attribute__((weak, visibility("hidden"))) void *__dso_handle;
