/* SPDX-License-Identifier: MIT */
/* source-text.h - lines of source files that can still be found.
 *
 * A file is searched in this order: below the directory given by the user, if any; in the directory
 * where it was compiled; from the current directory; below the user's directory without the first
 * folders of its name.  Each file is read once.  Only regular files are opened.
 */
#ifndef WPP_SOURCE_TEXT_H
#define WPP_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wpp/replay/source-changes.h"

struct source_text;

/* `first_directory` may be NULL; else it must outlive the result.  NULL: no memory. */
struct source_text *source_text_new(const char *first_directory);
void source_text_free(struct source_text *s);

/* Whether the file can be shown. */
bool source_text_has(struct source_text *s, const char *directory, const char *file);

/* Whether it can be shown and was modified after `time` (seconds since 1970): its lines may differ
 * from those that were compiled. */
bool source_text_is_newer(struct source_text *s, const char *directory, const char *file,
                          uint64_t time);

/* The sources of `w` that are found but differ from those that were compiled.  False: no memory. */
bool source_text_changes(struct source_text *s, const wpp *w, struct source_changes *out);

/* Line `line` (from 1) without its newline: *length bytes, not NUL-terminated.  NULL when there is
 * no such file or line. */
const char *source_text_line(struct source_text *s, const char *directory, const char *file,
                             uint32_t line, size_t *length);

#endif
