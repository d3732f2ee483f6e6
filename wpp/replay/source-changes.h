/* SPDX-License-Identifier: MIT */
/* source-changes.h - source files that are not any more what was compiled.
 *
 * A WPP keeps a hash of each source file (struct wpp_source).  A file that is not there, or that the
 * plugin could not read, is not known to have changed.
 */
#ifndef WPP_SOURCE_CHANGES_H
#define WPP_SOURCE_CHANGES_H

#include <stdio.h>

#include "wpp/wpp.h"

struct source_changes {
    const char **file;         /* names as given to the compiler, each once; the wpp's */
    uint32_t n;
};

/* Looks at all files where they were compiled.  False without memory.
 * Cost: the sources of executed routines are read. */
bool source_changes_find(struct source_changes *out, const wpp *w);
void source_changes_free(struct source_changes *c);

/* The files as a JSON array. */
void source_changes_json(FILE *out, const struct source_changes *c);

/* Whether the file's hash is known. */
bool source_is_known(const wpp *w, const char *directory, const char *file);

/* The same for files that the caller finds: false where `s` is as compiled, or is not there. */
typedef bool source_differs(void *context, const struct wpp_source *s);
bool source_changes_ask(struct source_changes *out, const wpp *w, source_differs *differs,
                        void *context);

/* The hash of a file that is in memory, as struct wpp_source has it. */
uint64_t source_hash(const char *text, size_t size);

#endif
