/* SPDX-License-Identifier: MIT */
/* source-files.h - which names stand for one source file, and how to print it.
 *
 * A path table names a file as it was given to the compiler, relative to the directory of the
 * compilation.  Two names are one file if directory and name are equal after removing `.`, doubled
 * slashes and `name/..`.  A file is printed under the name first seen, also simplified; if another
 * file has that name, its directory is added.
 */
#ifndef WPP_SOURCE_FILES_H
#define WPP_SOURCE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOURCE_FILE_NONE UINT32_MAX

struct source_file {
    char *path;            /* directory and name: they identify the file */
    char *name;            /* the name to print */
};

struct source_files {
    struct source_file *file;
    uint32_t n, capacity;
    uint32_t *slots;       /* open addressing over hashes of path; 1 + index, 0 free */
    uint32_t n_slots;      /* a power of two, more than twice n */
    const char *last_directory, *last_name;   /* of the last call: most calls repeat it */
    uint32_t last;
};

/* All zero is an empty table. */
void source_files_free(struct source_files *t);

/* The number of a file, counted from 0; SOURCE_FILE_NONE: no memory.  The strings are copied, but
 * the caller must not reuse their memory for others. */
uint32_t source_files_add(struct source_files *t, const char *directory, const char *name);

/* To be called after the last source_files_add: decides the names to print.  False: no memory. */
bool source_files_name(struct source_files *t);

#endif
