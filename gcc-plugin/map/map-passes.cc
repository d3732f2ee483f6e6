// SPDX-License-Identifier: GPL-3.0-or-later
// map-passes.cc - see map-passes.h.
//
// For each routine: remember_layout() before GCC lays out the blocks, label_blocks() before its last pass, which
// writes the instructions, and write_addresses() behind it.  At the unit's end finish_map() writes the tables of its
// routines.

#include "gcc-plugin/map/map-passes.h"

#include <unordered_map>

#include "gcc-plugin/graph/symbol.h"
#include "gcc-plugin/graph/insn-graph.h"

// A label of ours is `.LDL` and a number from FIRST_LABEL on.  GCC uses such names itself, with small
// numbers, for labels that are of interest to debuggers only.
enum { FIRST_LABEL = 1 << 30 };

// Stages of tables (docs/path-table-format.md).
enum { STAGE_FINAL = 2, STAGE_LAYOUT = 3 };

struct labelled_block {
    uint32_t vertex;
    uint32_t origin;          // vertex before the layout; 0: not known
    unsigned flags, part;
    int begin, end;           // labels
};

// The unit's: of the final code, and of the graphs before the layout.
static unit_table table{compat_mapped_name}, layout_table{compat_mapped_name};
static uint64_t path_limit;
static int next_label = FIRST_LABEL;
static uint64_t n_routines, n_layouts;

// The routine's that is being written.
static std::vector<labelled_block> labelled;
static unsigned parts;
static std::unordered_map<basic_block, uint32_t> before_layout;     // vertices; empty: not known

/* ---- Blocks before the layout ---------------------------------------------------------------- */

// A block that the layout keeps is the same object; copies and joints are new ones.
static void remember_layout()
{
    insn_graph graph;

    before_layout.clear();
    graph.cuts_all = true;
    if (!build_insn_graph(graph, path_limit))
        return;
    layout_table.add(describe_insn_graph(graph, layout_table));
    n_layouts++;
    for (uint32_t v = 2; v < graph.blocks.size(); v++)
        before_layout[graph.blocks[v].bb] = v;
}

static uint32_t origin_of(basic_block bb)
{
    auto found = before_layout.find(bb);

    return found == before_layout.end() ? 0 : found->second;
}

// GCC must not give the memory of a block that is gone to a new one.
static void keep_blocks(void *, void *)
{
    for (const auto &block : before_layout)
        ggc_set_mark(block.first);
}

/* ---- Labels ---------------------------------------------------------------------------- */

static int make_label(rtx_note *note)
{
    NOTE_KIND(note) = NOTE_INSN_DELETED_DEBUG_LABEL;
    CODE_LABEL_NUMBER(note) = next_label;
    return next_label++;
}

// Where the block begins for one who jumps there: behind its label, to which an instruction may have been
// added since (endbr64); the routine's first one at the first instruction.
static int label_begin(const insn_block &b, bool first)
{
    if (first)
        return make_label(emit_note_before(NOTE_INSN_DELETED, get_insns()));
    for (rtx_insn *insn = PREV_INSN(b.note); insn; insn = PREV_INSN(insn)) {
        if (LABEL_P(insn))
            return make_label(emit_note_after(NOTE_INSN_DELETED, insn));
        if (!NONJUMP_INSN_P(insn) && (!NOTE_P(insn) || NOTE_INSN_BASIC_BLOCK_P(insn)))
            break;
    }
    return make_label(emit_note_before(NOTE_INSN_DELETED, b.note));
}

static int label_end(const insn_block &b)
{
    return make_label(emit_note_after(NOTE_INSN_DELETED, b.last ? b.last : b.note));
}

// A block that falls into the next one ends where that begins: what aligns the next one is executed.
static void label_blocks(const insn_graph &g)
{
    size_t n = g.blocks.size();

    labelled.clear();
    parts = g.parts;
    for (uint32_t v = 2; v < n; v++)
        labelled.push_back({v, origin_of(g.blocks[v].bb), g.blocks[v].flags, g.blocks[v].part,
                            label_begin(g.blocks[v], v == 2), 0});
    for (uint32_t v = 2; v < n; v++) {
        bool on = v + 1 < n && g.blocks[v + 1].part == g.blocks[v].part
                  && (g.blocks[v].flags & INSN_FALLS);
        labelled[v - 2].end = on ? labelled[v - 1].begin : label_end(g.blocks[v]);
    }
}

/* ---- Addresses --------------------------------------------------------------------------- */

// The section goes where the routine's code goes: linkers drop both or neither.
static void open_section(tree decl)
{
    tree group = DECL_COMDAT_GROUP(decl);

    fprintf(asm_out_file, "\t.pushsection .wpp_addr,\"%s\",@progbits,.LDL%d", group ? "oG" : "o",
            labelled[0].begin);
    if (group)
        fprintf(asm_out_file, ",%s,comdat", IDENTIFIER_POINTER(group));
    fputc('\n', asm_out_file);
}

static void write_part(unsigned part)
{
    unsigned n = 0;
    int end = 0;

    for (const labelled_block &b : labelled)
        n += b.part == part;
    fprintf(asm_out_file, "\t.uleb128 %u\n", n);
    for (const labelled_block &b : labelled) {
        if (b.part != part)
            continue;
        if (!end)
            fprintf(asm_out_file, "\t.quad .LDL%d\n", b.begin);
        fprintf(asm_out_file, "\t.uleb128 %u, ", b.vertex);
        if (!end || end == b.begin)
            fputc('0', asm_out_file);
        else
            fprintf(asm_out_file, ".LDL%d-.LDL%d", b.begin, end);
        fprintf(asm_out_file, ", .LDL%d-.LDL%d, %u\n", b.end, b.begin, b.flags);
        end = b.end;
    }
}

// Where the blocks were before the layout, by number.
static void write_origins()
{
    if (before_layout.empty()) {
        fputs("\t.uleb128 0\n", asm_out_file);
        return;
    }
    fprintf(asm_out_file, "\t.uleb128 1\n\t.quad .Lwpp_layout_id\n\t.uleb128 %llu",
            static_cast<unsigned long long>(n_layouts - 1));
    for (const labelled_block &b : labelled)
        fprintf(asm_out_file, ", %u", b.origin);
    fputc('\n', asm_out_file);
}

static void write_addresses(tree decl)
{
    if (labelled.empty())
        return;
    bool intel = ix86_asm_dialect == ASM_INTEL;

    fputs(intel ? "\t.att_syntax prefix\n" : "", asm_out_file);
    open_section(decl);
    fprintf(asm_out_file, "\t.ascii \"WPPA\"\n\t.long .LDL%d-.LDL%d\n.LDL%d:\n"
            "\t.quad .Lwpp_map_id\n\t.uleb128 %llu, %u\n", next_label + 1, next_label, next_label,
            static_cast<unsigned long long>(n_routines - 1), parts);
    for (unsigned part = 0; part < parts; part++)
        write_part(part);
    write_origins();
    fprintf(asm_out_file, ".LDL%d:\n\t.popsection\n", next_label + 1);
    fputs(intel ? "\t.intel_syntax noprefix\n" : "", asm_out_file);
    next_label += 2;
    labelled.clear();
}

static void add_routine(const table_routine &routine)
{
    table.add(routine);
    n_routines++;
}

/* ---- Thunks ------------------------------------------------------------------------------ */

// C++'s entries that adjust `this` are written by no pass.  Each is one block that jumps away.
static decltype(targetm.asm_out.output_mi_thunk) write_thunk;

static table_routine describe_thunk(tree decl)
{
    table_routine out;

    out.name = table.intern(symbol_of(decl));
    out.file = table.intern_file(DECL_SOURCE_FILE(decl));
    out.line = DECL_SOURCE_LINE(decl);
    out.flags = TABLE_ARTIFICIAL;
    out.num_paths = 1;
    out.blocks.resize(3);
    out.blocks[2].insns = 2;
    out.edges = {{0, 2, 0, TABLE_REAL, 0}, {2, 1, 0, TABLE_REAL, 0}};
    return out;
}

static void write_mapped_thunk(FILE *file, tree decl, HOST_WIDE_INT delta, HOST_WIDE_INT vcall,
                               tree function)
{
    int begin = next_label++, end = next_label++;

    fprintf(file, ".LDL%d:\n", begin);
    write_thunk(file, decl, delta, vcall, function);
    fprintf(file, ".LDL%d:\n", end);
    add_routine(describe_thunk(decl));
    labelled = {{2, 0, INSN_TAIL_CALL, 0, begin, end}};
    parts = 1;
    before_layout.clear();
    write_addresses(decl);
}

/* ---- Passes -------------------------------------------------------------------------------- */

static const pass_data pass_data_layout = {
    RTL_PASS, "wpp-map-layout", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0
};

class layout_pass : public rtl_opt_pass {
public:
    layout_pass() : rtl_opt_pass(pass_data_layout, g) {}
    bool gate(function *) final override { return optimize > 0; }
    unsigned execute(function *) final override
    {
        remember_layout();
        return 0;
    }
};

static const pass_data pass_data_labels = {
    RTL_PASS, "wpp-map-labels", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0
};

class labels_pass : public rtl_opt_pass {
public:
    labels_pass() : rtl_opt_pass(pass_data_labels, g) {}
    unsigned execute(function *) final override
    {
        insn_graph graph;

        labelled.clear();
        if (!build_insn_graph(graph, path_limit))
            return 0;
        add_routine(describe_insn_graph(graph, table));
        label_blocks(graph);
        return 0;
    }
};

static const pass_data pass_data_addresses = {
    RTL_PASS, "wpp-map-addresses", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0
};

class addresses_pass : public rtl_opt_pass {
public:
    addresses_pass() : rtl_opt_pass(pass_data_addresses, g) {}
    unsigned execute(function *fun) final override
    {
        write_addresses(fun->decl);
        return 0;
    }
};

static void finish_map(void *, void *)
{
    if (n_routines == 0 || seen_error() || !asm_out_file)
        return;
    char *compiler = xasprintf("%s %s", lang_hooks.name, gcc_version.basever);
    unsigned level = optimize_size ? 4 : optimize_debug ? 5 : flag_unsafe_math_optimizations
                     && optimize == 3 ? 6 : optimize;
    const char *source = in_lto_p ? "<artificial>" : main_input_filename;
    table.write_map(asm_out_file, compiler, source, get_src_pwd(), STAGE_FINAL, level, TABLE_PATHS,
                    ".Lwpp_map_id");
    if (n_layouts > 0)
        layout_table.write_map(asm_out_file, compiler, source, get_src_pwd(), STAGE_LAYOUT, level, TABLE_EDGES,
                               ".Lwpp_layout_id");
    free(compiler);
}

static void register_pass(const char *name, opt_pass *pass, const char *reference,
                          pass_positioning_ops position)
{
    struct register_pass_info info = {pass, reference, 1, position};

    register_callback(name, PLUGIN_PASS_MANAGER_SETUP, NULL, &info);
}

void register_map_passes(const char *name, uint64_t limit)
{
    path_limit = limit;
    register_pass(name, new layout_pass(), "bbro", PASS_POS_INSERT_BEFORE);
    register_pass(name, new labels_pass(), "final", PASS_POS_INSERT_BEFORE);
    register_pass(name, new addresses_pass(), "final", PASS_POS_INSERT_AFTER);
    register_callback(name, PLUGIN_GGC_MARKING, keep_blocks, NULL);
    write_thunk = targetm.asm_out.output_mi_thunk;
    targetm.asm_out.output_mi_thunk = write_mapped_thunk;
    register_callback(name, PLUGIN_FINISH_UNIT, finish_map, NULL);
}
