/* SPDX-License-Identifier: MIT */
#include "wpp/demangle.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Of __cxa_demangle, from the Itanium C++ ABI. */
enum { NO_MEMORY = -1 };

/* The library stays loaded: it may not be unloaded while anything else in the
 * process uses it, and to load it again costs more than to keep it. */
static void find_demangler(struct wpp_demangler *d)
{
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);

    d->asked = true;
    if (library)
        *(void **)&d->demangle = dlsym(library, "__cxa_demangle");
}

const char *wpp_demangle(struct wpp_demangler *d, struct wpp_arena *arena, const char *name)
{
    const char *kept = name;
    char *spelt;
    int status = 0;

    if (strncmp(name, "_Z", 2) != 0)
        return name;
    if (!d->asked)
        find_demangler(d);
    if (!d->demangle)
        return name;
    spelt = d->demangle(name, NULL, NULL, &status);
    if (status == NO_MEMORY) {
        arena->failed = true;
        return NULL;
    }
    if (spelt)
        kept = wpp_arena_string(arena, spelt, strlen(spelt));
    free(spelt);
    return kept;
}
