/* SPDX-License-Identifier: MIT */
/* compiler-counts.h - execution counts of blocks and edges, for the plugin's argument use=
 * (docs/profile-use.md).
 *
 * Text, a field's value up to the end of the line:
 *
 *      wpp-counts 1                    head
 *      stage early                     late, early, final, layout, or mixed
 *      kind 1                          enum wpp_profile_kind
 *      runs 1
 *      most 48211                      executions of the most frequent block
 *      routines 70                     of the whole profile
 *
 *      source 8c1f0e72aa01b3d4 src/a.c         what the file held, as struct wpp_source
 *      left-out helper                         a routine that was not instrumented
 *      routine 00ffb5d0c4e19a37 5 3 main       compiler_counts_hash(), blocks, arcs, name
 *      file src/a.c
 *      directory /home/you
 *      blocks 1 0 1 7 6                        of ENTRY, EXIT (always 0), then the others
 *      arcs 2 3 1 3 4 6 4 3 6                  source, target, executions; neither is ENTRY or EXIT
 *      end 1                                   routines that were written
 */
#ifndef WPP_COMPILER_COUNTS_H
#define WPP_COMPILER_COUNTS_H

#include <stdio.h>

#include "wpp/profile/path-profile.h"

/* FNV-1a 64 over 8 bytes, little-endian, of each number: blocks; of each block its cost, its number of
 * lines, and each line less the routine's own, modulo 2^32; edges of the DAG; of each its source,
 * target, kind and 1 + `to`, 0 if that is unknown.  ORDER HASH: gcc-plugin/use/routine-hash.cc. */
uint64_t compiler_counts_hash(const struct wpp_routine *r);

/* Both write to `out`, whose errors are the caller's to check.  False: no memory.
 * names: sorted by strcmp(); routines and left-out ones of other names are not written. */
bool compiler_counts_head(FILE *out, const struct path_profile *p);
bool compiler_counts_body(FILE *out, const struct path_profile *p, char *const *names, size_t n);

#endif
