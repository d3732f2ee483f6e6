// SPDX-License-Identifier: GPL-3.0-or-later
// map-passes.cc - see map-passes.h.
//
// For each routine: label_blocks() before GCC's last pass, which writes the instructions, and
// write_addresses() behind it.  At the unit's end finish_map() writes the table of its routines.

#include "gcc-plugin/map/map-passes.h"

#include "gcc-plugin/graph/symbol.h"
#include "gcc-plugin/map/final-graph.h"

// A label of ours is `.LDL` and a number from FIRST_LABEL on.  GCC uses such names itself, with small
// numbers, for labels that are of interest to debuggers only.
enum { FIRST_LABEL = 1 << 30 };

struct labelled_block {
    uint32_t vertex;
    unsigned flags, part;
    int begin, end;           // labels
};

// The unit's.
static unit_table table{compat_mapped_name};
static uint64_t path_limit;
static int next_label = FIRST_LABEL;
static uint64_t n_routines;

// The routine's that is being written.
static std::vector<labelled_block> labelled;
static unsigned parts;

/* ---- Labels ---------------------------------------------------------------------------- */

static int make_label(rtx_note *note)
{
    NOTE_KIND(note) = NOTE_INSN_DELETED_DEBUG_LABEL;
    CODE_LABEL_NUMBER(note) = next_label;
    return next_label++;
}

// Where the block begins for one who jumps there: behind its label, to which an instruction may have been
// added since (endbr64); the routine's first one at the first instruction.
static int label_begin(const final_block &b, bool first)
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

static int label_end(const final_block &b)
{
    return make_label(emit_note_after(NOTE_INSN_DELETED, b.last ? b.last : b.note));
}

// A block that falls into the next one ends where that begins: what aligns the next one is executed.
static void label_blocks(const final_graph &g)
{
    size_t n = g.blocks.size();

    labelled.clear();
    parts = g.parts;
    for (uint32_t v = 2; v < n; v++)
        labelled.push_back({v, g.blocks[v].flags, g.blocks[v].part,
                            label_begin(g.blocks[v], v == 2), 0});
    for (uint32_t v = 2; v < n; v++) {
        bool on = v + 1 < n && g.blocks[v + 1].part == g.blocks[v].part
                  && (g.blocks[v].flags & FINAL_FALLS);
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
    labelled = {{2, FINAL_TAIL_CALL, 0, begin, end}};
    parts = 1;
    write_addresses(decl);
}

/* ---- Passes -------------------------------------------------------------------------------- */

static const pass_data pass_data_labels = {
    RTL_PASS, "wpp-map-labels", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0
};

class labels_pass : public rtl_opt_pass {
public:
    labels_pass() : rtl_opt_pass(pass_data_labels, g) {}
    unsigned execute(function *) final override
    {
        final_graph graph;

        labelled.clear();
        if (!build_final_graph(graph, path_limit))
            return 0;
        add_routine(describe_final_graph(graph, table));
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
    table.write_map(asm_out_file, compiler, in_lto_p ? "<artificial>" : main_input_filename,
                    get_src_pwd(), level);
    free(compiler);
}

static void register_pass(const char *name, opt_pass *pass, pass_positioning_ops position)
{
    struct register_pass_info info = {pass, "final", 1, position};

    register_callback(name, PLUGIN_PASS_MANAGER_SETUP, NULL, &info);
}

void register_map_passes(const char *name, uint64_t limit)
{
    path_limit = limit;
    register_pass(name, new labels_pass(), PASS_POS_INSERT_BEFORE);
    register_pass(name, new addresses_pass(), PASS_POS_INSERT_AFTER);
    write_thunk = targetm.asm_out.output_mi_thunk;
    targetm.asm_out.output_mi_thunk = write_mapped_thunk;
    register_callback(name, PLUGIN_FINISH_UNIT, finish_map, NULL);
}
