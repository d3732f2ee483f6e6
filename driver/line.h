/* SPDX-License-Identifier: MIT */
/* line.h - reads from a compiler's command line everything that decides what wpp-gcc adds to it. */
#ifndef WPP_DRIVER_LINE_H
#define WPP_DRIVER_LINE_H

#include <stdbool.h>

#include "driver/words.h"

struct line {
    bool passes;            /* the line neither compiles nor links, or only makes headers */
    bool preprocesses;      /* it reads files of C and its family */
    bool links;
    bool compiles;          /* it compiles a source into code */
    bool probe;             /* it is a configure script's test */
    bool verbose;
    bool maps;              /* the plugin's argument mode=map is in the line */
    const char *counts;     /* the plugin's argument use= in the line, or NULL */

    /* If it links: */
    bool library;           /* it makes a shared library */
    bool is_static;
    bool hides_archives;    /* symbols from archives are not exported */
    bool without_libraries; /* the compiler adds no libraries */
    bool without_start;     /* nor the code that runs before main */
    bool has_libc;          /* the line itself names the C library */
    bool has_start;         /* the line itself names start files */
    bool begins_elsewhere;  /* the line or a linker script sets the entry point */
    bool has_rpath;         /* the line gives the loader folders (-rpath) */
    bool by_gnu_ld;         /* the line does not name another linker */
    struct words inputs;    /* files that are not options */
};

/* Reads a line, without the compiler's name, response files included.  False: no memory. */
bool line_read(struct line *line, char *const *argv);

/* Whether the link can have the runtime.  It needs the C library, and thread-local variables
 * before the first event.  The loader makes these, or in a static program the start files. */
bool line_can_record(const struct line *line);

#endif
