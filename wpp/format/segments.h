/* SPDX-License-Identifier: MIT */
/* segments.h - a trace that is cut into grammars, so that compressing can keep to a limit of memory
 * or use several processors.
 *
 *      grammar is full -> wpp_segment_encode -> wpp_segments_add: put away -> a new grammar ...
 *      pieces on a base -> their code           (compress/limited-segments.c)
 *
 * Segments wait in a file without a name.  They are the last section of the WPP, `segments`
 * (docs/wpp-format.md).  So the file consists of the part made in memory, then the segments.
 *
 *      file   | segment | segment | ... | room for the next one |    rest: | segment |
 *                                       ^ bytes - rest.size
 *
 * A full disk is noticed while there is still room for the segments so far: then the segments are
 * `full`.  At worst one of them stays in memory, as the rest.
 */
#ifndef WPP_SEGMENTS_H
#define WPP_SEGMENTS_H

#include "sequitur/sequitur.h"
#include "wpp/base/bytes.h"
#include "wpp/base/whole-file.h"
#include "wpp/wpp.h"

/* A segment as in the file, but without the numbers of its terminals: these depend on earlier
 * segments. */
struct wpp_segment {
    uint32_t *order;                 /* the alphabet's numbers of its terminals 0, 1, ... */
    uint32_t n_terminals;
    uint32_t starts;
    uint64_t *length;                /* of the start rules */
    uint64_t symbols;                /* on right-hand sides */
    struct wpp_bytes code;           /* grammar-code.h */
};

struct wpp_segments {
    int fd;
    uint32_t n;
    uint64_t bytes;                  /* of all segments */
    struct wpp_bytes rest;           /* the part of them that is not in the file */
    uint32_t ahead;                  /* segments still in progress once the disk is full */
    int full;                        /* errno of the full disk, or 0 */
    uint64_t symbols;                /* on all right-hand sides */
    unsigned forms;                  /* of their codes (grammar-code.h) */
    uint64_t check;                  /* checksum of the bytes */
    struct wpp_bytes list;           /* the section `list of segments` */
    uint32_t *number;                /* by the alphabet's number: the file's, or NO_NUMBER */
    uint32_t *order;                 /* by the file's number: the alphabet's */
    uint32_t n_terminals;            /* terminals that have a number */
    uint32_t capacity;
};

/* Makes the file without a name in `folder`.  WPP_E_SYSTEM. */
bool wpp_segments_open(struct wpp_segments *s, const char *folder, struct wpp_error *error);
void wpp_segments_close(struct wpp_segments *s);

/* Encodes a finished grammar over an alphabet of n terminals; afterwards the grammar can only be
 * freed.  small: the shortest code, otherwise one read fast.  Touches nothing else.  False: no
 * memory, and there is nothing to free. */
bool wpp_segment_encode(seq *grammar, uint32_t n, bool small, struct wpp_segment *out);
void wpp_segment_free(struct wpp_segment *segment);

/* Puts the segment away behind the others; the alphabet has n terminals now.  Afterwards the
 * segments may be `full`: then only those in progress may still be added.  WPP_E_MEMORY. */
bool wpp_segments_add(struct wpp_segments *s, const struct wpp_segment *segment, uint32_t n,
                      struct wpp_error *error);

/* Frees the reserved room, for the part before the segments. */
void wpp_segments_give_room(const struct wpp_segments *s);
/* Copies the segments to `out`.  Where the disk has no room for both copies, the copied part is
 * removed from the file without a name.  WPP_E_SYSTEM. */
bool wpp_segments_copy(const struct wpp_segments *s, struct wpp_output *out,
                       struct wpp_error *error);

#endif
