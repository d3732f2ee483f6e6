/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan-file.h - a plan as text, docs/p3.md.
 *
 *      wpp-plan 1
 *      copies 2
 *      mode paths
 *      cost measured
 *      load 1063122 1062989
 *      routine lua.c main 00112233445566ff 7 compared 1=all 2=all
 *      routine lvm.c luaV_execute 8d3f0c1b22aa9e07 1290 - 1=0-411,413 2=0-3,412-1289
 *      routine lzio.c luaZ_fill 0f1e2d3c4b5a6978 12 - 2=all
 *      end 3
 */
#ifndef WPP_PARTITION_PLAN_FILE_H
#define WPP_PARTITION_PLAN_FILE_H

#include "gcc-plugin/partition/plan.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Equal plans give equal text.  False: the stream has an error. */
bool p3_write_plan(const struct p3_plan *p, FILE *out);

/* NULL on error, and a line in why[0 .. size): what is wrong and where, `plan.txt:5: ...`.  What is
 * read satisfies those invariants of plan.h that need no DAG. */
struct p3_plan *p3_read_plan(const char *path, char *why, size_t size);

/* The same for an open stream; `name` is for messages. */
struct p3_plan *p3_read_plan_stream(FILE *in, const char *name, char *why, size_t size);

#ifdef __cplusplus
}
#endif
#endif
