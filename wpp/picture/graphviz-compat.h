/* SPDX-License-Identifier: MIT */
/* graphviz-compat.h - differences between the versions of Graphviz that wpp-dot is built with: 2.42
 * (Debian 12 and 13) to 14.  Only wpp-dot.c includes this. */
#ifndef WPP_GRAPHVIZ_COMPAT_H
#define WPP_GRAPHVIZ_COMPAT_H

#include <stddef.h>

#include <graphviz/cgraph.h>
#include <graphviz/gvc.h>

/* The type of the length that gvRenderData() returns: unsigned in 2.42, size_t in 14.  It is found
 * from the prototype. */
typedef __typeof__(_Generic(&gvRenderData,
    int (*)(GVC_t *, graph_t *, const char *, char **, size_t *): (size_t)0,
    default: 0u)) graphviz_length;

#endif
