/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tree-copy.h - copies a folder with all that is in it. */
#ifndef WPP_P3_TREE_COPY_H
#define WPP_P3_TREE_COPY_H

#include "wpp/wpp.h"

/* Copies the contents of folder `from` to the new folder `to`, but not the folder `without`, if it
 * lies in `from`.  Modes and times are kept, since make(1) goes by them.  Sockets and devices
 * are not copied.  False with an error. */
bool tree_copy(const char *from, const char *to, const char *without, struct wpp_error *error);

/* Removes a folder with all that is in it; one that does not exist is no error. */
bool tree_remove(const char *folder, struct wpp_error *error);

#endif
