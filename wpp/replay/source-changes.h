/* SPDX-License-Identifier: MIT */
/* source-changes.h - finds source files that have changed since they were compiled.
 *
 * A WPP keeps a hash of each source file (struct wpp_source).  A file that does not exist, or that
 * the plugin could not read, is not reported as changed.
 */
#ifndef WPP_SOURCE_CHANGES_H
#define WPP_SOURCE_CHANGES_H

#include <stdio.h>

#include "wpp/wpp.h"

struct source_changes {
    const char **file;         /* names as given to the compiler, each once; they belong to the
                                  wpp */
    uint32_t n;
};

/* Looks for all files where they were compiled.  False: no memory.  Cost: the sources of executed
 * routines are read. */
bool source_changes_find(struct source_changes *out, const wpp *w);
void source_changes_free(struct source_changes *c);

/* Writes the files as a JSON array. */
void source_changes_json(FILE *out, const struct source_changes *c);

/* Whether the file's hash is known. */
bool source_is_known(const wpp *w, const char *directory, const char *file);

/* The same for files that the caller finds: false if `s` is as compiled, or does not exist. */
typedef bool source_differs(void *context, const struct wpp_source *s);
bool source_changes_ask(struct source_changes *out, const wpp *w, source_differs *differs,
                        void *context);

/* The hash of a file in memory, as in struct wpp_source. */
uint64_t source_hash(const char *text, size_t size);

#endif
