/* SPDX-License-Identifier: MIT */
/* source-files.h - which names stand for one source file, and how to print it.
 *
 * A path table names a file as it was given to the compiler, relative to the
 * directory of the compilation.  Two names are one file when directory and
 * name are equal, with `.`, doubled slashes and `name/..` taken out.  A file is
 * printed under the name first seen, simplified too, unless another file has
 * that name: then with its directory.
 */
#ifndef WPP_SOURCE_FILES_H
#define WPP_SOURCE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOURCE_FILE_NONE UINT32_MAX

struct source_file {
    char *path;            /* directory and name: what makes it one file */
    char *name;            /* to be printed */
};

struct source_files {
    struct source_file *file;
    uint32_t n, capacity;
    uint32_t *slots;       /* open addressing over hashes of path; 1 + index, 0 free */
    uint32_t n_slots;      /* a power of two, more than twice n */
    const char *last_directory, *last_name;   /* of the last question: most are equal */
    uint32_t last;
};

/* All zero is an empty table. */
void source_files_free(struct source_files *t);

/* The number of a file, counted from 0; SOURCE_FILE_NONE without memory.  The
 * strings are copied, but a caller must not reuse their memory for others. */
uint32_t source_files_add(struct source_files *t, const char *directory, const char *name);

/* After the last source_files_add: settles the names.  False without memory. */
bool source_files_name(struct source_files *t);

#endif
