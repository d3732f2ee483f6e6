/* SPDX-License-Identifier: MIT */
/* line.h - what a line of the compiler's does, as far as it decides what is added to it. */
#ifndef WPP_DRIVER_LINE_H
#define WPP_DRIVER_LINE_H

#include <stdbool.h>

#include "driver/words.h"

struct line {
    bool passes;            /* it neither compiles nor links, or only makes headers */
    bool preprocesses;      /* C and its family: files of these are read */
    bool links;
    bool compiles;          /* a source, with code to come of it */
    bool probe;             /* of a configure script */
    bool verbose;

    /* Of a link. */
    bool library;           /* a shared library is made */
    bool is_static;
    bool hides_archives;    /* what archives bring is not exported */
    bool without_libraries; /* the compiler adds no libraries */
    bool without_start;     /* nor what runs before main */
    bool has_libc;          /* the C library stands there */
    bool has_start;         /* what runs before main stands there */
    bool begins_elsewhere;  /* the line, or a linker's script, says where the program begins */
    bool has_rpath;         /* folders in which the loader is to look */
    bool by_gnu_ld;         /* or by another linker that the line names */
    struct words inputs;    /* files that are not options */
};

/* Reads a line, without the compiler's name, response files included.  False: no memory. */
bool line_read(struct line *line, char *const *argv);

/* Whether the link can have the runtime, which needs the C library, and threads' variables before
 * an event: who sets these up are the loader, or in a static program the start files. */
bool line_can_record(const struct line *line);

#endif
