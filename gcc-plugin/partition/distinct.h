/* SPDX-License-Identifier: GPL-3.0-or-later */
/* distinct.h - the routines of a program, each once, in the order of a plan. */
#ifndef WPP_PARTITION_DISTINCT_H
#define WPP_PARTITION_DISTINCT_H

#include "gcc-plugin/partition/probes.h"

struct distinct {
    uint32_t n;
    struct p3_routine *routine;    /* ascending by file, name and hash; all different */
    uint64_t *hash;                /* of each */
    uint64_t **sum;                /* counts that had to be added up; NULL elsewhere */
};

/* Counts of equal routines are added, and their callers.  counted: false leaves all counts out.
 * False without memory. */
bool distinct_new(struct distinct *out, const struct p3_routine *routine, uint32_t n, bool counted);
void distinct_free(struct distinct *d);

/* The order of plans: by file, then name, then hash. */
int compare_keys(const char *file, const char *name, uint64_t hash,
                 const char *other_file, const char *other_name, uint64_t other_hash);

#endif
