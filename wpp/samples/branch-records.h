/* SPDX-License-Identifier: MIT */
/* branch-records.h - from the last taken branches of a sample to a trail through blocks.
 *
 *      from 0x1149 -> to 0x1170      a jump        the trail goes on at the block of 0x1170
 *           0x1170 .. 0x1188         falls through the blocks between are filled in
 *      from 0x1188 -> to 0x1040      a call        ...
 *
 * A pair that the map excludes ends the trail, and is counted. */
#ifndef WPP_BRANCH_RECORDS_H
#define WPP_BRANCH_RECORDS_H

#include "wpp/samples/partial-paths.h"

struct branch_record {
    uint64_t from, to;         /* addresses in the program's file; outside the map: 0 */
};

/* As `from`: the kernel, which goes on where it had interrupted the program. */
#define RECORD_KERNEL UINT64_MAX

struct records_figures {
    uint64_t samples, records;
    uint64_t foreign;          /* records that neither begin nor end in mapped code */
    uint64_t interrupts;       /* records of returns from the kernel into mapped code */
    uint64_t falls;            /* runs between two records whose blocks were filled in */
    uint64_t impossible_runs;  /* control cannot fall from one record's target to the next one's source */
    uint64_t impossible_jumps; /* no jump, call or return of the block leads to the target */
};

/* Follows one sample.  `record` is in order of time, the oldest first; `ip` is where control was then, or
 * 0.  Cost: O(records (log blocks + blocks that they fall through)). */
void records_follow(struct block_trail *t, const struct branch_record *record, size_t n, uint64_t ip,
                    struct records_figures *figures);

#endif
