/* SPDX-License-Identifier: MIT */
/* run-vectors.h - what is true of each of many runs, in a temporary file: memory does not grow with them.
 *
 *      vector     facts                   loops                        spans
 *                 predicates, ascending   header, most times round     thread, path, first, last
 *
 * All numbers are those of one vocabulary (predicates.h).  In the file they are varints, mostly differences.
 */
#ifndef WPP_RUN_VECTORS_H
#define WPP_RUN_VECTORS_H

#include "wpp/base/bytes.h"
#include "wpp/runs/run-facts.h"

/* The most times that a loop was gone round in a visit. */
struct loop_count { uint32_t header; uint64_t most; };

struct run_vector {
    uint32_t n_facts, n_loops, n_spans, n_threads;
    uint32_t *fact;            /* ascending */
    struct loop_count *loop;   /* by header, ascending */
    struct path_span *span;    /* by thread, then last */
    uint32_t fact_room, loop_room, span_room;
};
void run_vector_free(struct run_vector *v);

/* Makes room for that many; what was there is lost.  False: no memory. */
bool run_vector_room(struct run_vector *v, uint32_t n_facts, uint32_t n_loops, uint32_t n_spans);
/* A run's facts as a vector.  False: no memory. */
bool run_vector_of(struct run_vector *out, const struct run_facts *f);
/* Sorts facts and loops; each fact is there once afterwards.  False: no memory. */
bool run_vector_sort(struct run_vector *v);
/* Whether a fact is there.  O(log n). */
bool run_vector_has(const struct run_vector *v, uint32_t fact);
/* How often the loop was gone round at most; *found false: control did not come to it.  O(log n). */
uint64_t run_vector_most(const struct run_vector *v, uint32_t header, bool *found);

/* As bytes; out->failed without memory. */
void run_vector_put(struct wpp_bytes *out, const struct run_vector *v);
/* From bytes, of which nothing may be left over.  False with *broken: they are none; else no memory. */
bool run_vector_get(struct wpp_view bytes, struct run_vector *out, bool *broken);

struct run_vectors {
    int fd;                    /* the file; -1 until something has to be written */
    struct wpp_bytes pending;  /* what follows in it, and is not written yet */
    uint64_t written;          /* bytes in the file */
    uint64_t *end;             /* by run: where its vector ends */
    uint32_t n, capacity;
    struct wpp_bytes buffer;   /* of the vector that was read last */
};

void run_vectors_init(struct run_vectors *s);
void run_vectors_free(struct run_vectors *s);
/* Adds the next run's.  WPP_E_MEMORY, WPP_E_SYSTEM: no room for the file (in $TMPDIR, or /tmp). */
bool run_vectors_add(struct run_vectors *s, const struct run_vector *v, struct wpp_error *error);
/* The bytes of a run's vector, until the next call.  Errors as above. */
bool run_vectors_bytes(struct run_vectors *s, uint32_t run, struct wpp_view *out, struct wpp_error *error);
bool run_vectors_read(struct run_vectors *s, uint32_t run, struct run_vector *out,
                      struct wpp_error *error);

#endif
