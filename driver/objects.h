/* SPDX-License-Identifier: MIT */
/* objects.h - what is in objects and archives. */
#ifndef WPP_DRIVER_OBJECTS_H
#define WPP_DRIVER_OBJECTS_H

#include <stdbool.h>

/* Whether an object or archive has code that records: it cannot be linked without a runtime.
 * A shared library has its own. */
bool object_records(const char *path);
/* Whether it has code that is only compiled when it is linked (-flto). */
bool object_is_compiled_late(const char *path);

#endif
