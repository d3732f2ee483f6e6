// SPDX-License-Identifier: GPL-3.0-or-later
// plan-copy.cc - see plan-copy.h.

#include "gcc-plugin/plan-copy.h"

#include <memory>

#include "gcc-plugin/numbering/selected-paths.h"
#include "gcc-plugin/partition/plan-file.h"

bool plan_copy::read(const char *argument, std::string &why)
{
    const char *comma = argument ? strrchr(argument, ',') : NULL;
    char *end, message[512];
    unsigned long copy = comma ? strtoul(comma + 1, &end, 10) : 0;

    if (!comma || comma == argument || !ISDIGIT(comma[1]) || *end) {
        why = "plan=FILE,COPY wants a file and the number of a copy";
        return false;
    }
    plan_ = p3_read_plan(std::string(argument, comma).c_str(), message, sizeof message);
    if (!plan_) {
        why = message;
        return false;
    }
    if (copy < 1 || copy > plan_->copies) {
        why = "the plan has copies 1 to " + std::to_string(plan_->copies) + ", but no copy "
              + std::to_string(copy);
        return false;
    }
    copy_ = copy - 1;
    return true;
}

table_copy plan_copy::table() const
{
    return {plan_ ? copy_ + 1 : 0, plan_ ? plan_->copies : 0, plan_ ? plan_->id : 0};
}

/* ---- One routine ------------------------------------------------------------------------ */

// The sets of edges of a selection, by DAG edge.
struct selection_of_edges {
    uint32_t n;
    std::unique_ptr<bool[]> interesting;
    std::vector<uint64_t> val;
    std::vector<uint32_t> onward;        // by vertex: the first edge of an interesting path
};

// Whether an identifier is that of an interesting path: the walk of docs/path-table-format.md.
static bool is_interesting(const pn_graph *g, const selection_of_edges &s, uint64_t identifier)
{
    for (uint32_t v = g->entry; v != g->exit;) {
        uint32_t best = PN_NONE;

        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
            if (s.interesting[e] && s.val[e] <= identifier
                && (best == PN_NONE || s.val[e] >= s.val[best]))
                best = e;
        if (best == PN_NONE)
            return false;
        identifier -= s.val[best];
        v = g->dag[best].dst;
    }
    return identifier == 0;
}

// Sets the increments.  GCC's estimates of the edges' executions decide where they are.
static bool place_increments(pn_graph *g, const uint64_t *set)
{
    std::vector<uint64_t> count(g->n_dag);
    std::vector<int64_t> inc(g->n_dag);

    for (uint32_t e = 0; e < g->n_dag; e++)
        count[e] = g->dag[e].weight;
    p3_routine routine = {"", "", g, count.data(), 0};
    if (!p3_probes(&routine, set, &p3_code_prices, inc.data(), NULL))
        return false;
    for (uint32_t e = 0; e < g->n_dag; e++) {
        g->dag[e].inc = inc[e];
        g->dag[e].chord = inc[e] != 0;
    }
    return true;
}

// An interesting path goes on from a vertex if one goes on from an interesting edge's target.
static bool find_onward(const pn_graph *g, selection_of_edges &s)
{
    std::vector<uint32_t> order(g->n_vertices);
    uint32_t n = p3_order(g, order.data());
    bool ok = n > 0;

    s.onward.assign(g->n_vertices, PN_NONE);
    while (n-- > 0) {
        uint32_t v = order[n];

        for (uint32_t e = g->first[v + 1]; e-- > g->first[v];)
            if (s.interesting[e]
                && (g->dag[e].dst == g->exit || s.onward[g->dag[e].dst] != PN_NONE))
                s.onward[v] = e;
    }
    return ok;
}

static bool select(pn_graph *g, const uint64_t *set, selection_of_edges &s)
{
    s.n = g->n_dag;
    s.interesting.reset(new bool[g->n_dag]);
    s.val.resize(g->n_dag);
    for (uint32_t e = 0; e < g->n_dag; e++)
        s.interesting[e] = p3_has(set, e);
    return pn_selected_vals(g, s.interesting.get(), s.val.data()) == PN_OK && find_onward(g, s)
           && place_increments(g, set);
}

bool plan_copy::choose(pn_graph *g, const char *file, const char *name,
                       table_routine &description, counted_paths &counted) const
{
    const p3_entry *entry = p3_find(plan_, file, name, p3_hash(g));
    const uint64_t *set = entry ? entry->set[copy_] : NULL;

    if (entry ? set && p3_is_all(set, g->n_dag) : copy_ == 0)
        return true;
    description.partial = true;
    counted.none = !set;
    if (!set)
        return true;
    auto s = std::make_shared<selection_of_edges>();
    if (!select(g, set, *s))
        return false;
    counted.none = s->onward[g->entry] == PN_NONE;
    for (uint32_t e = 0; e < g->n_dag; e++)
        if (s->interesting[e])
            description.selected.push_back({e, s->val[e]});
    counted.end = [s](uint32_t dag) { return s->interesting[dag]; };
    counted.onward = [s](uint32_t v) { return s->onward[v]; };
    counted.number = [s, g](uint64_t n) { return is_interesting(g, *s, n); };
    return true;
}
