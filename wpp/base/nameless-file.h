/* SPDX-License-Identifier: MIT */
/* nameless-file.h - a temporary file without a name: it goes with the last process that has it open. */
#ifndef WPP_NAMELESS_FILE_H
#define WPP_NAMELESS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A descriptor, to read and to write; exec closes it.  -1: errno says why. */
int wpp_nameless_file(const char *folder);

/* Reads or writes all n bytes at the offset, whatever a fork of ours does with its own copy of the
 * descriptor.  False: errno says why; a file that is too short gives ENODATA. */
bool wpp_pread_all(int fd, void *bytes, size_t n, off_t at);
bool wpp_pwrite_all(int fd, const void *bytes, size_t n, off_t at);

#endif
