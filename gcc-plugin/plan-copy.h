/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan-copy.h - the copy of a partitioned path profile that a unit is compiled for (docs/p3.md).
 *
 * `plan=FILE,COPY`: the plan says which edges of a routine's DAG are interesting in the copy.  Paths
 * of interesting edges alone are counted, by PSPP's identifiers instead of their numbers.  The path
 * table says which these are.
 */
#ifndef WPP_PLAN_COPY_H
#define WPP_PLAN_COPY_H

#include <string>

#include "gcc-plugin/events/instrument.h"
#include "gcc-plugin/partition/plan.h"
#include "gcc-plugin/table/unit-table.h"

class plan_copy {
public:
    /* Reads `FILE,COPY`.  False: it is wrong, and `why` says how. */
    bool read(const char *argument, std::string &why);

    bool there() const { return plan_ != NULL; }
    bool calls_cut() const { return plan_->calls_cut; }
    table_copy table() const;

    /* Chooses the paths of a numbered routine: sets its increments, the description's selection
     * and which paths are counted.  file, name: as in the path table.  False without memory. */
    bool choose(pn_graph *g, const char *file, const char *name, table_routine &description,
                counted_paths &counted) const;

private:
    p3_plan *plan_ = NULL;    /* lives as long as the compiler */
    uint32_t copy_ = 0;       /* from 0 */
};

#endif
