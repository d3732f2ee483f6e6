/* SPDX-License-Identifier: MIT */
/* key-script.h - keys from a text instead of a terminal.
 *
 *      s 5s n ] g"sort.c:59#3"<Enter>      keys, a text in quotes as the keys of its characters,
 *      <PgDn> <Esc> <Space> <Quote>        and keys by name
 *      # a comment, from a # at the beginning of a line on
 *
 * White space between keys means nothing.
 */
#ifndef WPP_KEY_SCRIPT_H
#define WPP_KEY_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include "wpp/wpp.h"

struct key_script {
    int *key;                      /* terminal.h */
    size_t n;
};

/* Reads a file.  WPP_E_SYSTEM, WPP_E_MEMORY; WPP_E_ARGUMENT: there is no such key, in which line. */
bool key_script_read(struct key_script *out, const char *path, struct wpp_error *error);
void key_script_free(struct key_script *k);

/* What a key is called. */
const char *key_name(int key, char out[static 16]);

#endif
