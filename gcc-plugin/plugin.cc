// SPDX-License-Identifier: GPL-3.0-or-later
// plugin.cc - the plugin's arguments, its pass and the place of the pass among GCC's passes.
//
// instrument_paths() handles one wanted routine.  It splits blocks and builds a plain graph,
// numbers the paths, describes them in the unit's table, and inserts the events.  At the end of
// the unit finish_unit() writes the thunks and the table.

#include "gcc-plugin/gcc-compat.h"

#include <set>

#include "gcc-plugin/events/callee-thunks.h"
#include "gcc-plugin/events/handler.h"
#include "gcc-plugin/events/instrument.h"
#include "gcc-plugin/events/left-calls.h"
#include "gcc-plugin/events/moves.h"
#include "gcc-plugin/events/resolver.h"
#include "gcc-plugin/events/support-code.h"
#include "gcc-plugin/graph/block-splits.h"
#include "gcc-plugin/graph/path-ends.h"
#include "gcc-plugin/graph/routine-description.h"
#include "gcc-plugin/graph/routine-graph.h"
#include "gcc-plugin/graph/selection.h"
#include "gcc-plugin/graph/symbol.h"
#include "gcc-plugin/graph/unused-calls.h"
#include "gcc-plugin/map/map-passes.h"
#include "gcc-plugin/plan-copy.h"
#include "gcc-plugin/rates/call-rates.h"
#include "gcc-plugin/rates/edge-costs.h"
#include "gcc-plugin/use/use-passes.h"

#include "tracer/trace-abi.h"

extern "C" {
#include "gcc-plugin/numbering/edge-counts.h"
}

__attribute__((visibility("default"))) int plugin_is_GPL_compatible;

enum stage { STAGE_LATE, STAGE_EARLY };

// The state of one compilation: GCC runs one unit per process.
static struct {
    enum stage stage = STAGE_LATE;
    bool staged = false;                  // the user has said which
    uint64_t limit = 4096;                // limit of paths of a vertex
    enum inlining inlining = INLINE_HOT;  // used at the late stage, with optimisation
    bool load_base = false;               // the runtime gives the unit its base, not the linker
    bool timed = false;                   // paths are timed: all events are out of line
    table_mode mode = TABLE_TRACED;
    bool mode_given = false;
    plan_copy copy;                       // of a partitioned profile
    bool atomic = false;                  // threads share counters
    bool threaded = false;                // counter_style::threaded
    bool loops = true;                    // counter_style::loops
    bool all_look = false;                // counter_style::all_look
    bool begun = false;                   // a routine has been looked at
    selection selected;
    runtime_decls decls = {};
    honest_callees callees;
    call_rates called;
    callee_thunks thunks;
    unit_table table{compat_mapped_name};
    profile_use use{compat_mapped_name};
    const char *use_file = NULL;          // argument use=
    const char *for_events = NULL;        // an argument that does not go with it
    bool map = false;                     // argument mode=map
} unit;

/* ---- The pass ------------------------------------------------------------------------ */

static const pass_data pass_data_wpp = {
    GIMPLE_PASS, "wpp", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0
};

// The graph is cleaned up first.  Otherwise it would depend on what GCC has found out of callees,
// and then a compile without events might have another one (use=).
static const pass_data pass_data_wpp_early = {
    GIMPLE_PASS, "wpp", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0,
    TODO_cleanup_cfg | TODO_update_ssa, 0
};

// Whether the code may become part of a shared library.
static bool is_shared()
{
    return flag_pic && !flag_pie;
}

// Whether the linker makes the unit's base (trace-abi.h, NUMBERS): the code is for an executable
// of less than 2 GB.
static bool is_linked()
{
    return !unit.load_base && unit.mode == TABLE_TRACED && !is_shared()
           && (ix86_cmodel == CM_SMALL || ix86_cmodel == CM_SMALL_PIC);
}

// Numbers the routine.  All numbers of the unit must stay below the control opcodes.  With a
// linked base they must also leave room, in an instruction's 32 bits, for other units' numbers
// and for data.  A routine that would exceed that is numbered again with fewer paths.
static bool number_within(routine_graph &r)
{
    uint64_t room = (is_linked() ? 1u << 28 : 0xF0000000u) - unit.table.paths();

    for (uint64_t limit = unit.limit; limit >= 2; limit /= 8) {
        if (pn_number(r.graph, limit) != PN_OK)
            return false;
        if (r.graph->num_paths < room)
            return true;
    }
    return false;
}

static enum inlining inlining()
{
    return unit.stage == STAGE_LATE && optimize > 0 && !unit.timed ? unit.inlining : INLINE_NONE;
}

static bool is_free_in_calls(unsigned reg)
{
    return this_target_hard_regs->x_call_used_regs[reg] && !fixed_regs[reg];
}

// Whether calls may go through thunks.  They may not:
// - with -Og, or when the call graph is written: a user follows the code or its calls;
// - if a jump may not reach the callee;
// - if GCC relies on the registers that a callee uses;
// - if GCC calls other routines instead of some callees (transactions' clones, -fsplit-stack's
//   entries);
// - with timed paths, whose events are all out of line.
static bool has_thunks()
{
    bool near = ix86_cmodel != CM_LARGE && ix86_cmodel != CM_LARGE_PIC;

    return unit.stage == STAGE_LATE && optimize > 0 && !optimize_debug && !unit.timed && near
           && !flag_ipa_ra && !flag_tm && !flag_split_stack && !flag_callgraph_info
           && is_free_in_calls(R10_REG) && is_free_in_calls(R11_REG);
}

static void leave_out(function *fun, table_reason reason)
{
    tree decl = fun->decl;
    unit.table.leave_out({unit.table.intern(symbol_of(decl)),
                          unit.table.intern_file(DECL_SOURCE_FILE(decl)),
                          static_cast<uint32_t>(DECL_SOURCE_LINE(decl)), reason});
}

static void check_numbers(const routine_graph &r)
{
    const char *why = NULL;

    if (flag_checking && pn_check(r.graph, &why) != PN_OK)
        internal_error("wpp: paths of %qD: %s", r.fun->decl, why);
}

// Adds the paths that need no counter to the description.
static void derive_edges(const routine_graph &r, table_routine &description,
                         counted_paths &counted)
{
    std::vector<pn_derived> derived(r.blocks.size());
    uint32_t n = pn_derive_edges(r.graph, open_vertices(r).get(), derived.data());

    for (uint32_t i = 0; n != PN_NONE && i < n; i++)
        description.derived.push_back({derived[i].path, derived[i].vertex});
    std::set<uint64_t> without;
    for (const table_derived &path : description.derived)
        without.insert(path.path);
    if (!without.empty())
        counted.number = [without](uint64_t number) { return !without.count(number); };
}

// Leaves out the paths that other copies count.
static void choose_paths(const routine_graph &r, table_routine &description,
                         counted_paths &counted)
{
    const char *file = compat_mapped_name(DECL_SOURCE_FILE(r.fun->decl));

    if (!unit.copy.choose(r.graph, file ? file : "", symbol_of(r.fun->decl), description, counted))
        fatal_error(UNKNOWN_LOCATION, "wpp: out of memory");
}

// Counters instead of events.
static bool count_paths(routine_graph &r)
{
    counted_paths counted;
    bool optimized = optimize > 0 && unit.stage == STAGE_LATE;
    counter_style style = {is_shared(), unit.atomic, unit.threaded,
                           optimized && !optimize_function_for_size_p(r.fun),
                           optimized && unit.loops, unit.all_look};

    weigh_counted_edges(r);
    if (!number_within(r))
        return false;
    check_numbers(r);
    table_routine description = describe_routine(r, unit.table);
    if (unit.mode == TABLE_EDGES)
        derive_edges(r, description, counted);
    if (unit.copy.there())
        choose_paths(r, description, counted);
    if (!calls_end_paths)
        announce_leaving(r.fun);
    instrument_counts(r, unit.table.add(description), counted, unit.decls, style);
    return true;
}

static bool trace_paths(function *fun, routine_graph &r)
{
    event_style style = {inlining(), unit.called.of(fun), is_linked(), is_shared(),
                         has_thunks() ? &unit.thunks : NULL};
    std::vector<event_form> forms = styled_forms(fun, blocks_in_order(fun), style);
    weigh_edges(r, forms);
    if (!number_within(r))
        return false;
    check_numbers(r);
    if (unit.stage == STAGE_LATE)
        unit.callees.declare(fun);
    instrument(r, unit.table.add(describe_routine(r, unit.table)), some_event_calls(r, forms),
               unit.decls, style);
    if (unit.stage == STAGE_LATE)
        bracket_handler(fun);
    return true;
}

// False: the paths cannot be numbered.
static bool instrument_paths(function *fun)
{
    routine_graph r;

    r.cuts_all = unit.mode == TABLE_EDGES;
    if (!unit.decls.cursor)
        make_runtime_decls(unit.decls);
    if (unit.stage == STAGE_LATE)
        drop_unused_calls(fun, false);
    r.first = split_for_paths(fun, unit.stage == STAGE_EARLY, r.cuts_all);
    if (!build_graph(fun, r))
        return false;
    return unit.mode == TABLE_TRACED ? trace_paths(fun, r) : count_paths(r);
}

// Whether the unit is compiled for threads: the driver makes a macro of -pthread.  A program that
// is compiled as a whole shows which addresses it takes.
static bool is_threaded()
{
    bool found = flag_openmp || flag_openacc;

    for (unsigned i = 1; i < save_decoded_options_count; i++) {
        const cl_decoded_option &option = save_decoded_options[i];

        found |= option.opt_index == OPT_pthread
                 || (option.opt_index == OPT_D && option.arg && !strcmp(option.arg, "_REENTRANT"));
    }
    return found && !in_lto_p;
}

// To be called with the unit's first routine.
static void begin_unit(function *fun)
{
    cgraph_node *node;

    unit.begun = true;
    unit.selected.begin_unit(fun);
    if (unit.mode == TABLE_TRACED)
        return;
    unit.threaded |= is_threaded();
    FOR_EACH_FUNCTION_WITH_GIMPLE_BODY (node)
        if (DECL_STRUCT_FUNCTION(node->decl))
            unit.all_look |= unit.selected.judge(DECL_STRUCT_FUNCTION(node->decl)) != TABLE_WANTED;
}

// Instruments one routine; returns GCC's TODO flags.
static unsigned instrument_function(function *fun)
{
    if (!unit.begun)
        begin_unit(fun);
    table_reason reason = unit.selected.judge(fun);
    if (reason == TABLE_NO_FRAME)
        tell_of_calls_in_naked(fun->decl);

    if (reason != TABLE_WANTED) {
        if (unit.mode == TABLE_TRACED)
            guard_resolver(fun);
        leave_out(fun, reason);
        return 0;
    }
    if (!instrument_paths(fun))
        leave_out(fun, TABLE_NO_NUMBERS);
    mark_virtual_operands_for_renaming(fun);
    if (unit.stage == STAGE_EARLY)
        cgraph_edge::rebuild_edges();     // inlining will look at them
    return TODO_update_ssa_only_virtuals;
}

// The pass stands at two places; it instruments each routine at only one of them.
class wpp_pass : public gimple_opt_pass {
public:
    wpp_pass(bool optimized)
        : gimple_opt_pass(unit.stage == STAGE_EARLY ? pass_data_wpp_early : pass_data_wpp, g),
          optimized_(optimized) {}
    bool gate(function *) final override
    {
        bool here = unit.stage == STAGE_EARLY || optimized_ == (optimize > 0);
        return here && !seen_error();
    }
    unsigned execute(function *fun) final override { return instrument_function(fun); }

private:
    bool optimized_;
};

// Declares callees honestly after the early stage: GCC goes on optimising, and must not move
// calls past events.  This waits until GCC optimises each routine by itself, because earlier
// passes over other routines go by the declarations of their callees.
static const pass_data pass_data_callees = {
    GIMPLE_PASS, "wpp-callees", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0
};

class callees_pass : public gimple_opt_pass {
public:
    callees_pass() : gimple_opt_pass(pass_data_callees, g) {}
    unsigned execute(function *fun) final override
    {
        bool dropped = drop_unused_calls(fun, true);
        if (!unit.callees.declare(fun) && !dropped)
            return 0;
        mark_virtual_operands_for_renaming(fun);
        return TODO_update_ssa_only_virtuals | (dropped ? TODO_cleanup_cfg : 0);
    }
};

// Restores the callees directly after expansion, so that later routines may assume the same of
// them as before.
static const pass_data pass_data_restore = {
    RTL_PASS, "wpp-restore", OPTGROUP_NONE, TV_NONE, PROP_rtl, 0, 0, 0, 0
};

class restore_pass : public rtl_opt_pass {
public:
    restore_pass() : rtl_opt_pass(pass_data_restore, g) {}
    unsigned execute(function *) final override
    {
        unit.callees.restore();
        if (optimize > 0)
            join_moves();
        // Events contain calls, in the middle of leaf routines too.
        if (unit.mode == TABLE_TRACED || !unit.atomic)
            target_flags |= MASK_NO_RED_ZONE;
        return 0;
    }
};

// Says where an activation is while it is in a call, when the instructions are final.
static const pass_data pass_data_left_calls = {
    RTL_PASS, "wpp-left-calls", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0
};

class left_calls_pass : public rtl_opt_pass {
public:
    left_calls_pass() : rtl_opt_pass(pass_data_left_calls, g) {}
    bool gate(function *) final override { return unit.mode != TABLE_TRACED; }
    unsigned execute(function *) final override
    {
        write_left_calls();
        return 0;
    }
};

// Estimates only if this step writes code: not in the first step of -flto, nor in the second
// one, which only divides the program.
static void estimate_calls(void *, void *)
{
    bool coded = unit.mode == TABLE_TRACED && !flag_wpa
                 && (!flag_generate_lto || flag_fat_lto_objects);

    if (coded && inlining() == INLINE_HOT && !seen_error())
        unit.called.estimate();
    if (coded && has_thunks() && !seen_error())
        unit.thunks.count_calls();
}

// Instead of passes that make events.
static void map_addresses(const char *name)
{
    const char *other = unit.staged && !unit.use_file ? "stage" : unit.for_events;

    if (other)
        fatal_error(UNKNOWN_LOCATION, "wpp: %<mode=map%> makes code without events: %<%s=%> does not go "
                    "with it; leave out one of them", other);
    register_map_passes(name, unit.limit);
}

// Likewise.
static void use_counts(const char *name, const char *plugin)
{
    if (unit.for_events)
        fatal_error(UNKNOWN_LOCATION, "wpp: %<use=%> makes code without events: %<%s=%> does not go "
                    "with it; leave out one of them", unit.for_events);
    unit.use.open(plugin, unit.use_file);
    if (unit.staged && unit.use.is_early() != (unit.stage == STAGE_EARLY))
        fatal_error(UNKNOWN_LOCATION, "wpp: %<use=%s%> was recorded with %<stage=%s%>; leave out "
                    "%<stage=%>", unit.use_file, unit.use.is_early() ? "early" : "late");
    register_use_passes(name, unit.use, unit.limit);
}

static void finish_unit(void *, void *)
{
    char *compiler;
    bool intel = ix86_asm_dialect == ASM_INTEL;

    if (unit.table.empty() || seen_error() || !asm_out_file)
        return;
    unsigned level = optimize_size ? 4 : optimize_debug ? 5 : flag_unsafe_math_optimizations
                     && optimize == 3 ? 6 : optimize;
    fputs(intel ? "\t.att_syntax prefix\n" : "", asm_out_file);
    compiler = xasprintf("%s %s", lang_hooks.name, gcc_version.basever);
    unit.thunks.write(asm_out_file, is_shared(), is_linked());
    // At link time the input is a temporary file with another name each time.
    const char *source = in_lto_p ? "<artificial>" : main_input_filename;
    bool all_look = unit.threaded || unit.atomic || is_shared() || in_lto_p;
    unit.table.write(asm_out_file, compiler, source, get_src_pwd(), unit.stage, level, unit.mode,
                     unit.copy.table(), is_linked(), unit.timed, all_look);
    if (unit.table.records() && unit.mode != TABLE_TRACED)
        write_module_records(asm_out_file, true);
    else if (unit.table.records())
        write_support_code(asm_out_file, is_shared(), unit.timed);
    fputs("\t.text\n", asm_out_file);
    fputs(intel ? "\t.intel_syntax noprefix\n" : "", asm_out_file);
    free(compiler);
}

/* ---- Attributes and garbage collection ------------------------------------------------ */

static tree accept_attribute(tree *node, tree name, tree, int, bool *drop)
{
    if (TREE_CODE(*node) != FUNCTION_DECL) {
        warning(OPT_Wattributes, "%qE attribute applies only to functions", name);
        *drop = true;
    }
    return NULL_TREE;
}

static struct attribute_spec no_wpp_attribute = {
    "no_wpp", 0, 0, true, false, false, false, accept_attribute, NULL
};

static void register_attributes(void *, void *)
{
    register_attribute(&no_wpp_attribute);
}

static const struct ggc_root_tab roots[] = {
    {&unit.decls, sizeof unit.decls / sizeof(tree), sizeof(tree), &gt_ggc_mx_tree_node,
     &gt_pch_nx_tree_node},
    {&unit.thunks.list, 1, sizeof(tree), &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node},
    LAST_GGC_ROOT_TAB
};

/* ---- Starting ---------------------------------------------------------------------------- */

static bool parse_limit(const char *value)
{
    char *end;
    unsigned long long limit = value && *value ? strtoull(value, &end, 10) : 0;

    if (limit < 2 || *end || limit > 1u << 24)
        return false;
    unit.limit = limit;
    return true;
}

static bool parse_inlining(const char *value)
{
    static const char *const names[] = {"none", "hot", "all"};

    for (int i = INLINE_NONE; i <= INLINE_ALL; i++)
        if (value && !strcmp(value, names[i])) {
            unit.inlining = static_cast<enum inlining>(i);
            return true;
        }
    return false;
}

static void set_mode(table_mode mode)
{
    unit.mode = mode;
    calls_end_paths = mode == TABLE_TRACED || mode == TABLE_PATHS_OF_CALLS;
}

static bool parse_mode(const char *value)
{
    static const char *const names[] = {"trace", "paths", "calls-cut", "edges"};

    unit.map = value && !strcmp(value, "map");
    if (unit.map)
        return true;
    for (int i = TABLE_TRACED; i <= TABLE_EDGES; i++)
        if (value && !strcmp(value, names[i])) {
            set_mode(static_cast<table_mode>(i));
            unit.mode_given = true;
            return true;
        }
    return false;
}

static bool parse_counters(const char *value)
{
    unit.atomic = value && !strcmp(value, "atomic");
    unit.threaded = value && !strcmp(value, "thread");
    return unit.atomic || unit.threaded || (value && !strcmp(value, "auto"));
}

static void parse_plan(const char *value)
{
    std::string why;

    if (!unit.copy.read(value, why))
        fatal_error(UNKNOWN_LOCATION, "wpp: %s", why.c_str());
}

// The plan says what its paths are.  An option that says something else is a mistake.
static void take_plans_mode(bool given)
{
    table_mode mode = unit.copy.calls_cut() ? TABLE_PATHS_OF_CALLS : TABLE_PATHS;

    if (given && unit.mode != mode)
        fatal_error(UNKNOWN_LOCATION, "wpp: the plan is for %<mode=%s%>; leave out the other "
                    "%<mode=%>", unit.copy.calls_cut() ? "calls-cut" : "paths");
    set_mode(mode);
}

static bool parse_loops(const char *value)
{
    unit.loops = value && !strcmp(value, "register");
    return unit.loops || (value && !strcmp(value, "memory"));
}

static bool parse_stage(const char *value)
{
    unit.staged = true;
    unit.stage = value && !strcmp(value, "early") ? STAGE_EARLY : STAGE_LATE;
    return unit.stage == STAGE_EARLY || (value && !strcmp(value, "late"));
}

static bool parse_argument(const char *key, const char *value)
{
    bool map = !strcmp(key, "mode") && value && !strcmp(value, "map");

    if (strcmp(key, "stage") && strcmp(key, "limit") && strcmp(key, "use") && !map)
        unit.for_events = key;
    if (!strcmp(key, "stage"))
        return parse_stage(value);
    if (!strcmp(key, "use") && value && *value)
        unit.use_file = value;
    else if (!strcmp(key, "time") && !value)
        unit.timed = true;
    else if (!strcmp(key, "base") && value && !strcmp(value, "link"))
        unit.load_base = false;
    else if (!strcmp(key, "base") && value && !strcmp(value, "load"))
        unit.load_base = true;
    else if (!strcmp(key, "limit"))
        return parse_limit(value);
    else if (!strcmp(key, "inline"))
        return parse_inlining(value);
    else if (!strcmp(key, "mode"))
        return parse_mode(value);
    else if (!strcmp(key, "plan"))
        parse_plan(value);
    else if (!strcmp(key, "counters"))
        return parse_counters(value);
    else if (!strcmp(key, "loops"))
        return parse_loops(value);
    else
        return unit.selected.parse(key, value);
    return true;
}

static void register_pass(const char *name, opt_pass *pass, const char *reference,
                          pass_positioning_ops position)
{
    struct register_pass_info info = {pass, reference, 1, position};

    register_callback(name, PLUGIN_PASS_MANAGER_SETUP, NULL, &info);
}

// Late: behind "optimized", GCC's last pass over GIMPLE.  Without optimisation the pass stands
// before the lowering of exception dispatch, va_arg and switches.  (The first of these moves
// statements out of landing pads.)  Nothing is missed there, and the blocks are those of the
// source and of gcov.  With transactions (-fgnu-tm) it stands late at any level: they are
// lowered in between, and GCC cannot lower an event.
//
// Early: directly before early inlining and the estimates of its gain.  By then GCC has cleaned
// the graph up with its knowledge of callees; for example, loops with several entries have got a
// block in front.  gcov counts in that cleaned graph.
static void register_passes(const char *name)
{
    if (unit.stage == STAGE_EARLY) {
        register_pass(name, new wpp_pass(true), "local-fnsummary", PASS_POS_INSERT_BEFORE);
        register_pass(name, new callees_pass(), "ehdisp", PASS_POS_INSERT_BEFORE);
    } else {
        register_pass(name, new wpp_pass(true), "optimized", PASS_POS_INSERT_AFTER);
        if (flag_tm)
            register_pass(name, new wpp_pass(false), "optimized", PASS_POS_INSERT_AFTER);
        else
            register_pass(name, new wpp_pass(false), "ehdisp", PASS_POS_INSERT_BEFORE);
    }
    register_pass(name, new restore_pass(), "expand", PASS_POS_INSERT_AFTER);
    register_pass(name, new left_calls_pass(), "shorten", PASS_POS_INSERT_BEFORE);
}

// Adds the folder of <wpp/control.h> behind all other folders: it is PREFIX/include if the
// plugin is PREFIX/lib/wpp/wpp.so.
static void include_control_header(const char *plugin)
{
    int length = lbasename(plugin) - plugin;
    char *folder = xasprintf("%.*s../../include", length, plugin);

    compat_include_after(folder);
    free(folder);
}

static struct plugin_info help = {
    WPP_VERSION,
    "records every acyclic path a program runs\n"
    "  -fplugin-arg-wpp-stage=late|early   after the last GIMPLE pass (default) or before "
    "inlining\n"
    "  -fplugin-arg-wpp-mode=trace|paths|calls-cut|edges   record the order of all paths "
    "(default), or count paths, paths that end at calls, or edges\n"
    "  -fplugin-arg-wpp-mode=map           no events: say where the blocks of the code are, for "
    "wpp-samples\n"
    "  -fplugin-arg-wpp-counters=auto|thread|atomic   each thread has counters of its own; "
    "thread: any routine may begin one (auto: with -pthread); atomic: threads share them\n"
    "  -fplugin-arg-wpp-loops=register|memory   innermost loops count in registers (default), or "
    "each turn in memory, so that a killed program has counted all\n"
    "  -fplugin-arg-wpp-plan=FILE,COPY     count only the paths of a copy of a partitioned profile "
    "(wpp-p3)\n"
    "  -fplugin-arg-wpp-limit=N            paths a block may begin (4096)\n"
    "  -fplugin-arg-wpp-inline=none|hot|all events inside the routine's code: none is "
    "smallest, all is fastest (hot)\n"
    "  -fplugin-arg-wpp-base=link|load     an executable's numbers are fixed by the linker "
    "(default) or when it is loaded\n"
    "  -fplugin-arg-wpp-include=GLOB       only these files or routines; may be repeated\n"
    "  -fplugin-arg-wpp-exclude=GLOB       not these files or routines; may be repeated\n"
    "  -fplugin-arg-wpp-min-size=N         not routines of fewer than N instructions\n"
    "  -fplugin-arg-wpp-time               count how long each path takes; costs time itself\n"
    "  -fplugin-arg-wpp-use=FILE           no events: optimise with the counts of a WPP or path "
    "profile"
};

__attribute__((visibility("default")))
int plugin_init(struct plugin_name_args *args, struct plugin_gcc_version *version)
{
    if (strcmp(version->basever, gcc_version.basever))
        fatal_error(UNKNOWN_LOCATION,
                    "wpp: this is GCC %s, but the plugin is built for GCC %s; compile with that "
                    "one, or in the sources of wpp type "
                    "%<make PLUGIN_GCC=gcc-%d PLUGIN_GXX=g++-%d%>", version->basever,
                    gcc_version.basever, atoi(version->basever), atoi(version->basever));
    if (POINTER_SIZE != 64 || !TARGET_64BIT)
        fatal_error(UNKNOWN_LOCATION, "wpp: only x86-64 code can be instrumented; leave out "
                    "%<-m32%>, %<-mx32%> and the like");
    for (int i = 0; i < args->argc; i++)
        if (!parse_argument(args->argv[i].key, args->argv[i].value))
            fatal_error(UNKNOWN_LOCATION,
                        "wpp: %<-fplugin-arg-wpp-%s%s%s%> is not understood; there are stage=late, "
                        "stage=early, mode=trace, mode=paths, mode=calls-cut, mode=edges, mode=map, "
                        "counters=auto, counters=thread, counters=atomic, loops=register, "
                        "loops=memory, plan=FILE,COPY, "
                        "limit=2 to 16777216, inline=none, inline=hot, inline=all, "
                        "base=link, base=load, include=GLOB, exclude=GLOB, min-size=N, time, "
                        "use=FILE",
                        args->argv[i].key, args->argv[i].value ? "=" : "",
                        args->argv[i].value ? args->argv[i].value : "");

    include_control_header(args->full_name);
    register_callback(args->base_name, PLUGIN_ATTRIBUTES, register_attributes, NULL);
    register_callback(args->base_name, PLUGIN_INFO, NULL, &help);
    if (unit.map)
        map_addresses(args->base_name);
    if (unit.use_file)
        use_counts(args->base_name, args->full_name);
    if (unit.map || unit.use_file)
        return 0;
    if (unit.copy.there())
        take_plans_mode(unit.mode_given);

    if (unit.stage == STAGE_EARLY && flag_lto)
        fatal_error(UNKNOWN_LOCATION, "wpp: %<stage=early%> does not go with %<-flto%>; leave out "
                    "one of them");

    if (unit.stage == STAGE_EARLY && flag_tm)
        fatal_error(UNKNOWN_LOCATION, "wpp: %<stage=early%> does not go with %<-fgnu-tm%>; leave "
                    "out one of them");

    if (unit.mode != TABLE_TRACED && unit.timed)
        fatal_error(UNKNOWN_LOCATION, "wpp: %<time%> goes with %<mode=trace%> only; leave out one of "
                    "them");

    // No -fipa-ra: a thunk may use registers that its callee does not, and the path register must
    // be where a frame shows it (left-calls.h).  Marked as set by the user, because attributes
    // change options that the user has not set.
    bool has_thunks = unit.stage == STAGE_LATE && unit.mode == TABLE_TRACED;
    if ((has_thunks || !calls_end_paths) && !global_options_set.x_flag_ipa_ra) {
        global_options.x_flag_ipa_ra = 0;
        global_options_set.x_flag_ipa_ra = 1;
    }

    register_callback(args->base_name, PLUGIN_REGISTER_GGC_ROOTS, NULL,
                      const_cast<ggc_root_tab *>(roots));
    register_callback(args->base_name, PLUGIN_ALL_IPA_PASSES_END, estimate_calls, NULL);
    register_callback(args->base_name, PLUGIN_FINISH_UNIT, finish_unit, NULL);
    register_passes(args->base_name);
    return 0;
}
