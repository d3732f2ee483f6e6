/* SPDX-License-Identifier: GPL-3.0-or-later */
/* use.h - the plugin's argument use=: GCC optimises with the counts of an earlier run.
 *
 * Counts are known of the graph that an instrumenting compile numbered.  So they are applied where
 * that compile's pass stood, to a graph that is made in the same way (docs/profile-use.md).
 */
#ifndef WPP_USE_H
#define WPP_USE_H

#include <map>
#include <set>
#include <string>

#include "gcc-plugin/graph/routine-graph.h"
#include "gcc-plugin/table/unit-table.h"
#include "gcc-plugin/use/counts-file.h"

class profile_use {
public:
    /* `mapped` returns the name of a file or folder as path tables have it. */
    explicit profile_use(const char *(*mapped)(const char *name)) : mapped_(mapped), names_(mapped) {}

    /* Begins to read the file, or ends the compile with a message.  `plugin` is the plugin's own
     * file, beside which the helper lies. */
    void open(const char *plugin, const char *file);

    bool is_early() const { return counts_.early; }
    bool is_layout() const { return counts_.layout; }
    const char *file() const { return file_; }

    /* Before the first routine: asks for the counts of all routines of the unit. */
    void begin_unit();

    /* At the pass of the recorded stage.  Returns GCC's TODO flags.  limit: of paths of a vertex. */
    unsigned use(function *fun, uint64_t limit);

    /* Before the layout of blocks: gives a routine the counts of samples. */
    void use_layout(function *fun, uint64_t limit);

    /* At the same place, or behind GCC's own estimate at the early stage: of routines that never ran. */
    void use_never(function *fun);

    /* At the late stage, when the routine's code has been written: GCC must not take these counts
     * into account when it optimises the routine's callers, as it did not when it was recorded. */
    void forget(function *fun);

    /* Whether use() has given the routine its counts. */
    bool has_counts(function *fun) const { return used_.count(DECL_UID(fun->decl)) > 0; }

    /* At the end of the unit: says how many routines got no counts. */
    void finish_unit();

private:
    bool is_same_source(const char *file);
    void remember(function *fun);
    bool is_known(const char *name) const;
    bool find(const table_routine &routine, const char *name, counted_routine &out) const;
    bool match(function *fun, uint64_t limit);
    bool match_layout(function *fun, uint64_t limit);

    const char *(*mapped_)(const char *name);
    unit_table names_;                      /* scratch: strings of descriptions */
    const char *file_ = NULL;
    counts_file counts_;
    bool begun_ = false;
    std::set<unsigned> used_, never_;       /* by DECL_UID */
    profile_count guessed_ = profile_count::uninitialized();   /* of the routine at the late stage */
    node_frequency frequency_ = NODE_FREQUENCY_NORMAL;
    std::map<std::string, bool> same_;      /* by source file */
    unsigned changed_ = 0, unknown_ = 0;
};

#endif
