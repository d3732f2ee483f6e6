// SPDX-License-Identifier: GPL-3.0-or-later
// use.cc - see use.h.

#include "gcc-plugin/use/use.h"

#include <algorithm>

#include "gcc-plugin/graph/block-splits.h"
#include "gcc-plugin/graph/insn-graph.h"
#include "gcc-plugin/graph/path-ends.h"
#include "gcc-plugin/graph/routine-description.h"
#include "gcc-plugin/graph/symbol.h"
#include "gcc-plugin/graph/tail-calls.h"
#include "gcc-plugin/graph/unused-calls.h"
#include "gcc-plugin/use/apply-counts.h"
#include "gcc-plugin/use/routine-hash.h"

#include "tracer/source-hash.h"

/* ---- The file -------------------------------------------------------------------- */

void profile_use::open(const char *plugin, const char *file)
{
    int length = lbasename(plugin) - plugin;
    char *helper = xasprintf("%.*s../../bin/wpp-profile", length, plugin);

    file_ = xstrdup(file);
    if (!counts_.open(helper, file))
        fatal_error(UNKNOWN_LOCATION, "wpp: %<use=%s%>: %s", file, counts_.problem.c_str());
    if (counts_.mixed)
        fatal_error(UNKNOWN_LOCATION, "wpp: %<use=%s%>: some of its routines were recorded with "
                    "%<stage=early%>, others were not; make it of one kind", file);
    if (counts_.final_code)
        fatal_error(UNKNOWN_LOCATION, "wpp: %<use=%s%>: it counts blocks of the final code; make it for GCC "
                    "with %<wpp-samples --layout%>", file);
    free(helper);
}

void profile_use::begin_unit()
{
    std::vector<std::string> names;
    cgraph_node *node;

    if (begun_)
        return;
    begun_ = true;
    FOR_EACH_FUNCTION_WITH_GIMPLE_BODY (node)
        names.push_back(symbol_of(node->decl));
    if (!counts_.ask(names))
        fatal_error(UNKNOWN_LOCATION, "wpp: %<use=%s%>: %s", file_, counts_.problem.c_str());
    if (!counts_.problem.empty())
        warning(0, "wpp: %<use=%s%>: %s", file_, counts_.problem.c_str());
    calls_end_paths = counts_.kind == COUNTED_CUT_PATHS;
    if (counts_.early)
        settle_callees();
    apply_summary(counts_.runs, counts_.most);
}

/* ---- Finding a routine ----------------------------------------------------------- */

static void add_counts(counted_routine &sum, const counted_routine &more)
{
    for (size_t i = 0; i < sum.blocks.size(); i++)
        sum.blocks[i] += more.blocks[i];
    for (size_t i = 0; i < sum.arcs.size(); i++)
        sum.arcs[i].count += more.arcs[i].count;
}

// Whether a routine of that name and of the same file was executed.
bool profile_use::is_known(const char *name) const
{
    const std::vector<counted_routine> *all = counts_.find(name);
    const char *file = mapped_(DECL_SOURCE_FILE(current_function_decl));

    return all && std::any_of(all->begin(), all->end(), [file](const counted_routine &one) {
               return one.file == file;
           });
}

static bool fits(const counted_routine &a, const counted_routine &b)
{
    return a.blocks.size() == b.blocks.size() && a.arcs.size() == b.arcs.size();
}

// The counts of all routines that this one may be: those of the same folder, or if there are none,
// of any.  A routine of a header has counts of each unit that compiled it.
bool profile_use::find(const table_routine &routine, const char *name, counted_routine &out) const
{
    const std::vector<counted_routine> *all = counts_.find(name);
    const char *file = mapped_(DECL_SOURCE_FILE(current_function_decl));
    const char *folder = mapped_(get_src_pwd());
    uint64_t hash = routine_hash(routine);
    bool found = false;

    for (bool anywhere : {false, true}) {
        for (const counted_routine &one : *all) {
            if (one.hash != hash || one.file != file || one.blocks.size() != routine.blocks.size()
                || (!anywhere && one.directory != folder))
                continue;
            if (!found)
                out = one;
            else if (fits(out, one))
                add_counts(out, one);
            found = true;
        }
        if (found)
            return true;
    }
    return false;
}

// Whether the source file is as it was when the recorded program was compiled.
bool profile_use::is_same_source(const char *file)
{
    auto known = same_.find(file);
    uint64_t hash;

    if (known != same_.end())
        return known->second;
    bool same = wpp_source_hash_file(AT_FDCWD, file, &hash) && counts_.had_source(mapped_(file), hash);
    same_[file] = same;
    return same;
}

/* ---- One routine ----------------------------------------------------------------- */

static void tell_of_change(function *fun, const char *file)
{
    if (warn_coverage_mismatch)
        warning_at(DECL_SOURCE_LOCATION(fun->decl), 0, "wpp: %qD is not as it was when %qs was "
                   "recorded; it is compiled without counts", fun->decl, file);
}

static counted_graph graph_of(const insn_graph &g, function *fun)
{
    counted_graph out = {fun, {}, std::vector<int>(last_basic_block_for_fn(fun), -1)};

    for (const insn_block &block : g.blocks) {
        out.vertex[block.bb->index] = static_cast<int>(out.blocks.size());
        out.blocks.push_back(block.bb);
    }
    return out;
}

static counted_graph graph_of(const routine_graph &r)
{
    counted_graph out = {r.fun, {}, r.vertex};

    for (const graph_block &block : r.blocks)
        out.blocks.push_back(block.bb);
    return out;
}

// Before the layout of blocks, as the map of the sampled program has it (gcc-plugin/map/map-passes.cc).
bool profile_use::match_layout(function *fun, uint64_t limit)
{
    counted_routine counts;
    insn_graph g;

    g.cuts_all = true;
    if (!build_insn_graph(g, limit) || !find(describe_insn_graph(g, names_), symbol_of(fun->decl), counts))
        return false;
    apply_counts(graph_of(g, fun), counts, true);
    return true;
}

// Makes the graph as the recording compile did, and gives it the counts of the same graph.
bool profile_use::match(function *fun, uint64_t limit)
{
    counted_routine counts;
    routine_graph r;

    r.cuts_all = counts_.kind == COUNTED_EDGES;
    if (!counts_.early)
        drop_unused_calls(fun, false);
    r.first = split_for_paths(fun, counts_.early, r.cuts_all);
    if (!build_graph(fun, r) || pn_number(r.graph, limit) != PN_OK
        || !find(describe_routine(r, names_), symbol_of(fun->decl), counts))
        return false;
    apply_counts(graph_of(r), counts, false);
    return true;
}

// Samples see some of what a program executes: of a routine that they did not see, nothing is known.
void profile_use::use_layout(function *fun, uint64_t limit)
{
    remember(fun);
    if (!is_known(symbol_of(fun->decl))) {
        unknown_++;
    } else if (match_layout(fun, limit)) {
        used_.insert(DECL_UID(fun->decl));
    } else {
        changed_++;
        tell_of_change(fun, file_);
    }
}

unsigned profile_use::use(function *fun, uint64_t limit)
{
    const char *name = symbol_of(fun->decl);

    remember(fun);
    if (!is_known(name)) {
        if (!counts_.was_left_out(name) && is_same_source(DECL_SOURCE_FILE(fun->decl))
            && is_same_source(main_input_filename))
            never_.insert(DECL_UID(fun->decl));
        else
            unknown_++;
        return 0;
    }
    if (match(fun, limit)) {
        used_.insert(DECL_UID(fun->decl));
    } else {
        changed_++;
        tell_of_change(fun, file_);
    }
    share_own_returns();
    if (counts_.early)
        cgraph_edge::rebuild_edges();
    return TODO_cleanup_cfg | TODO_update_ssa;
}

void profile_use::remember(function *fun)
{
    guessed_ = cgraph_node::get(fun->decl)->count;
    frequency_ = cgraph_node::get(fun->decl)->frequency;
}

void profile_use::forget(function *fun)
{
    cgraph_node::get(fun->decl)->count = guessed_;
    cgraph_node::get(fun->decl)->frequency = frequency_;
}

void profile_use::use_never(function *fun)
{
    if (never_.count(DECL_UID(fun->decl)))
        apply_never(fun);
}

void profile_use::finish_unit()
{
    if (!warn_coverage_mismatch || !begun_)
        return;
    if (used_.empty() && never_.empty() && changed_ + (counts_.layout ? 0 : unknown_) > 0)
        warning(0, "wpp: %qs has no counts for %qs", file_, main_input_filename);
    else if (changed_ > 0)
        inform(UNKNOWN_LOCATION, "wpp: of the routines of %qs, %u have counts of %qs, %u never ran, "
               "%u have changed, %u are not known there", main_input_filename,
               static_cast<unsigned>(used_.size()), file_, static_cast<unsigned>(never_.size()),
               changed_, unknown_);
}
