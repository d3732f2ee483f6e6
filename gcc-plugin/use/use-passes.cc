// SPDX-License-Identifier: GPL-3.0-or-later
// use-passes.cc - see use-passes.h.

#include "gcc-plugin/use/use-passes.h"

// Those of the unit.
static profile_use *use;
static uint64_t limit;

static const pass_data pass_data_use = {
    GIMPLE_PASS, "wpp-use", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0
};
static const pass_data pass_data_use_early = {
    GIMPLE_PASS, "wpp-use", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0,
    TODO_cleanup_cfg | TODO_update_ssa, 0
};

class use_pass : public gimple_opt_pass {
public:
    use_pass() : gimple_opt_pass(use->is_early() ? pass_data_use_early : pass_data_use, g) {}
    bool gate(function *) final override { return optimize > 0 && !seen_error(); }
    unsigned execute(function *fun) final override
    {
        use->begin_unit();
        unsigned todo = use->use(fun, limit);
        if (!use->is_early())
            use->use_never(fun);
        return todo;
    }
};

// Behind GCC's estimate, by which it compares the blocks of routines that never ran.
static const pass_data pass_data_never = {
    GIMPLE_PASS, "wpp-never", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0
};

class never_pass : public gimple_opt_pass {
public:
    never_pass() : gimple_opt_pass(pass_data_never, g) {}
    bool gate(function *) final override { return optimize > 0 && !seen_error(); }
    unsigned execute(function *fun) final override
    {
        use->use_never(fun);
        return 0;
    }
};

// Counts of samples, for the layout alone.
static const pass_data pass_data_use_layout = {
    RTL_PASS, "wpp-use", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0
};

class use_layout_pass : public rtl_opt_pass {
public:
    use_layout_pass() : rtl_opt_pass(pass_data_use_layout, g) {}
    bool gate(function *) final override { return optimize > 0 && !seen_error(); }
    unsigned execute(function *fun) final override
    {
        use->begin_unit();
        use->use_layout(fun, limit);
        return 0;
    }
};

static const pass_data pass_data_forget = {
    RTL_PASS, "wpp-forget", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0
};

class forget_pass : public rtl_opt_pass {
public:
    forget_pass() : rtl_opt_pass(pass_data_forget, g) {}
    unsigned execute(function *fun) final override
    {
        use->forget(fun);
        return 0;
    }
};

// GCC's estimate must not replace the counts, and GCC has none of its own to read.  The pass that
// splits cold parts off routines leaves its work to one that comes behind the reading: here it can
// do the work itself.
static void keep_counts(void *gate, void *)
{
    const char *name = current_pass ? current_pass->name : NULL;
    bool *runs = static_cast<bool *>(gate);

    if (!name)
        return;
    if (!strcmp(name, "profile_estimate") && cfun)
        *runs &= !use->has_counts(cfun);
    else if (!strcmp(name, "profile") && current_pass->type == SIMPLE_IPA_PASS)
        *runs = false;
    else if (!strcmp(name, "fnsplit"))
        *runs |= flag_partial_inlining != 0;
}

// Tells GCC that there are counts.  It has looked for its own file by now, and has not parsed yet.
static void announce_counts(void *, void *)
{
    flag_branch_probabilities = 1;
    optimization_default_node = build_optimization_node(&global_options, &global_options_set);
    optimization_current_node = optimization_default_node;
}

// Turns on what -fprofile-use turns on, unless the user has decided.
static void turn_on_optimizations()
{
#define TURN_ON(flag, value)                                \
    do                                                      \
        if (!global_options_set.x_##flag)                   \
            global_options.x_##flag = value;                \
    while (0)
    TURN_ON(flag_unroll_loops, 1);
    TURN_ON(flag_peel_loops, 1);
    TURN_ON(flag_tracer, 1);
    TURN_ON(flag_inline_functions, 1);
    TURN_ON(flag_ipa_cp, 1);
    TURN_ON(flag_ipa_cp_clone, 1);
    TURN_ON(flag_predictive_commoning, 1);
    TURN_ON(flag_split_loops, 1);
    TURN_ON(flag_unswitch_loops, 1);
    TURN_ON(flag_gcse_after_reload, 1);
    TURN_ON(flag_tree_loop_vectorize, 1);
    TURN_ON(flag_tree_slp_vectorize, 1);
    TURN_ON(flag_vect_cost_model, VECT_COST_MODEL_DYNAMIC);
    TURN_ON(flag_tree_loop_distribute_patterns, 1);
#undef TURN_ON
}

static void finish_use(void *, void *)
{
    if (!seen_error())
        use->finish_unit();
}

static void register_pass(const char *name, opt_pass *pass, const char *reference,
                          pass_positioning_ops position)
{
    struct register_pass_info info = {pass, reference, 1, position};

    register_callback(name, PLUGIN_PASS_MANAGER_SETUP, NULL, &info);
}

// The passes stand where those of plugin.cc do.
static void register_early_passes(const char *name)
{
    turn_on_optimizations();
    register_pass(name, new use_pass(), "local-fnsummary", PASS_POS_INSERT_BEFORE);
    register_pass(name, new never_pass(), "profile_estimate", PASS_POS_INSERT_AFTER);
    register_callback(name, PLUGIN_START_UNIT, announce_counts, NULL);
    register_callback(name, PLUGIN_OVERRIDE_GATE, keep_counts, NULL);
}

void register_use_passes(const char *name, profile_use &counts, uint64_t path_limit)
{
    use = &counts;
    limit = path_limit;
    if (flag_branch_probabilities || profile_arc_flag || flag_auto_profile)
        fatal_error(UNKNOWN_LOCATION, "wpp: %<use=%> does not go with other profiles; leave out "
                    "%<-fprofile-use%> and the like");
    if (optimize == 0) {
        warning(0, "wpp: %<use=%s%> has no effect without optimization", use->file());
        return;
    }
    if (use->is_early()) {
        register_early_passes(name);
    } else {
        if (use->is_layout())
            register_pass(name, new use_layout_pass(), "bbro", PASS_POS_INSERT_BEFORE);
        else
            register_pass(name, new use_pass(), "optimized", PASS_POS_INSERT_AFTER);
        register_pass(name, new forget_pass(), "final", PASS_POS_INSERT_AFTER);
    }
    register_callback(name, PLUGIN_FINISH_UNIT, finish_use, NULL);
}
