/* SPDX-License-Identifier: MIT */
/* own-code.h - the user's own source lines, and those that stand for lines of a system header.
 *
 * A file is a *system header* when its path, with `.` and `..` removed, lies below a folder of the
 * system's or a compiler's headers:
 *
 *      /usr/include   /usr/local/include   /usr/lib/gcc   .../lib/gcc/...   .../include/c++/...
 *
 * Names are as given to the compiler; a relative one begins in the folder of the compilation.
 *
 * Inlined code of a system header counts as the call in the user's own code:
 *
 *      stl_tree.h:1950   in _M_lower_bound, called at stl_tree.h:1270
 *                        in operator[],     called at words.cc:30        <- the own line
 */
#ifndef WPP_OWN_CODE_H
#define WPP_OWN_CODE_H

#include <stdbool.h>

#include "wpp/wpp.h"

bool own_code_is_system_file(const char *directory, const char *file);

/* Replaces a line of the routine by the own line that it stands for; false, and unchanged, if the
 * calls lead to no own line. */
bool own_code_fold(const struct wpp_routine *routine, struct wpp_line *line);

#endif
