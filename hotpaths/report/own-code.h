/* SPDX-License-Identifier: MIT */
/* own-code.h - which source lines are the user's own, and which stand for a system header's.
 *
 * A file is a *system header* when its path, with `.` and `..` taken out, lies below a folder of the
 * system's or a compiler's headers:
 *
 *      /usr/include   /usr/local/include   /usr/lib/gcc   .../lib/gcc/...   .../include/c++/...
 *
 * Names are as given to the compiler; a relative one begins in the folder of the compilation.
 *
 * Code of a system header that was inlined stands for the call in the user's own code:
 *
 *      stl_tree.h:1950   in _M_lower_bound, called at stl_tree.h:1270
 *                        in operator[],     called at words.cc:30        <- the own line
 */
#ifndef WPP_OWN_CODE_H
#define WPP_OWN_CODE_H

#include <stdbool.h>

#include "wpp/wpp.h"

bool own_is_system_file(const char *directory, const char *file);

/* Makes of a line of the routine the own line that it stands for; false, and unchanged, if the
 * calls lead to none. */
bool own_fold(const struct wpp_routine *routine, struct wpp_line *line);

#endif
