/* SPDX-License-Identifier: MIT */
/* start.c - for programs that are linked without the compiler's start files (-nostartfiles).
 *
 * libc's pthread_atfork() says on whose behalf it is called, by the address of a word that
 * crtbegin.o has in each module.  A program that brings its own keeps that.
 */
__attribute__((weak, visibility("hidden"))) void *__dso_handle;
