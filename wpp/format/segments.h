/* SPDX-License-Identifier: MIT */
/* segments.h - a trace that is cut into grammars, so that compressing takes no more memory
 * than it may, or several processors.
 *
 *      grammar is full -> wpp_segment_encode -> wpp_segments_add: put away -> a new grammar ...
 *
 * Segments wait in a file without a name; as the section `segments` they are the last in
 * the WPP (docs/wpp-format.md), so that the file is what was made in memory, and then they.
 *
 *      file   | segment | segment | ... | room for the next one |    rest: | segment |
 *                                       ^ bytes - rest.size
 *
 * A disk that is full is met while there is still room for what has come so far: then the
 * segments are `full`.  At worst one of them stays in memory, as the rest.
 */
#ifndef WPP_SEGMENTS_H
#define WPP_SEGMENTS_H

#include "sequitur/sequitur.h"
#include "wpp/base/bytes.h"
#include "wpp/base/whole-file.h"
#include "wpp/wpp.h"

/* One of them, as it is to be in the file but for the numbers of its terminals: those depend
 * on the segments before. */
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
    struct wpp_bytes rest;           /* those of them that are not in the file */
    uint32_t ahead;                  /* so many may still come when there are to be no more */
    int full;                        /* errno of the disk that can take no more, or 0 */
    uint64_t symbols;                /* on all right-hand sides */
    bool even;                       /* the code of one of them is */
    uint64_t check;                  /* checksum of the bytes */
    struct wpp_bytes list;           /* what the section `list of segments` says of each */
    uint32_t *number;                /* by the alphabet's number: the file's, or NO_NUMBER */
    uint32_t *order;                 /* by the file's number: the alphabet's */
    uint32_t n_terminals;            /* that have one */
    uint32_t capacity;
};

/* The file without a name is made in `folder`.  WPP_E_SYSTEM. */
bool wpp_segments_open(struct wpp_segments *s, const char *folder, struct wpp_error *error);
void wpp_segments_close(struct wpp_segments *s);

/* Of a finished grammar over an alphabet of n terminals, which is of no use afterwards but to be
 * freed.  Touches nothing else.  False: no memory, and there is nothing to be freed. */
bool wpp_segment_encode(seq *grammar, uint32_t n, struct wpp_segment *out);
void wpp_segment_free(struct wpp_segment *segment);

/* Puts it away behind those before; the alphabet has n terminals now.  Afterwards they may be
 * full: no more is to come but what is there already.  WPP_E_MEMORY. */
bool wpp_segments_add(struct wpp_segments *s, const struct wpp_segment *segment, uint32_t n,
                      struct wpp_error *error);

/* The room that was kept is free for others: for what stands before the segments. */
void wpp_segments_give_room(const struct wpp_segments *s);
/* Copies the segments to `out`.  Where the disk has no room for two of them, what has been
 * copied is taken out of the file without a name.  WPP_E_SYSTEM. */
bool wpp_segments_copy(const struct wpp_segments *s, struct wpp_output *out,
                       struct wpp_error *error);

#endif
