/* SPDX-License-Identifier: MIT */
/* objects.h - looks into objects and archives. */
#ifndef WPP_DRIVER_OBJECTS_H
#define WPP_DRIVER_OBJECTS_H

#include <stdbool.h>

/* Whether an object or archive has code that records: then it cannot be linked without a
 * runtime.  False for a shared library, which has its own runtime. */
bool object_records(const char *path);
/* Whether an object or archive has code that is compiled only at link time (-flto). */
bool object_is_compiled_late(const char *path);

#endif
