// SPDX-License-Identifier: GPL-3.0-or-later
// callee-thunks.cc - see callee-thunks.h.

#include "gcc-plugin/events/callee-thunks.h"

#include "gcc-plugin/graph/path-ends.h"
#include "gcc-plugin/graph/symbol.h"

#include "tracer/trace-abi.h"

/* ---- Calls ------------------------------------------------------------------------ */

// A thunk pays from this number of calls on: a cold one saves four bytes of each call.
static const unsigned ENOUGH = 3;

// Whether the routine is in a COMDAT group, which the linker keeps or drops as a whole.
static bool is_in_group(tree routine)
{
    symtab_node *node = symtab_node::get(routine);

    return node && node->get_comdat_group();
}

// Whether the callee is there even if the linker drops the caller's group.  The thunk stays then
// and still refers to the callee.  So other code must refer to it too, or this unit must define
// it.
static bool stays(cgraph_edge *call)
{
    cgraph_node *caller = call->caller->inlined_to ? call->caller->inlined_to : call->caller;
    cgraph_node *callee = call->callee->ultimate_alias_target();

    return !is_in_group(caller->decl) || (callee->definition && !DECL_EXTERNAL(callee->decl));
}

void callee_thunks::count_calls()
{
    cgraph_node *caller;

    FOR_EACH_FUNCTION (caller)
        for (cgraph_edge *call = caller->callees; call; call = call->next_callee)
            if (call->inline_failed) {
                callee &c = callees[symbol_of(call->callee->decl)];
                c.calls++;
                c.stays |= stays(call);
            }
}

static bool has_one_of(tree attributes, const char *const *names)
{
    for (; *names; names++)
        if (lookup_attribute(*names, attributes))
            return true;
    return false;
}

// Whether the callee must not have a thunk.  Its callers rely on %r10 and %r11, or it uses %r10
// itself.  Or GCC looks at its declaration when it makes the call, or a jump cannot name its
// symbol.
static bool is_special(tree callee)
{
    static const char *const types[] = {"no_caller_saved_registers", "interrupt", NULL};
    static const char *const declarations[] = {"error", "warning", "weakref", NULL};

    return DECL_STATIC_CHAIN(callee) || DECL_FUNCTION_VERSIONED(callee)
           || has_one_of(TYPE_ATTRIBUTES(TREE_TYPE(callee)), types)
           || has_one_of(DECL_ATTRIBUTES(callee), declarations)
           || strpbrk(symbol_of(callee), "@\"\\");
}

// Whether the program names the routine's section: a linker script may do anything with it.
static bool has_own_section(tree routine)
{
    symtab_node *node = symtab_node::get(routine);

    return node && node->get_section() && !node->implicit_section;
}

// Whether the linker may leave out the routine's code and keep other code of the unit.
static bool is_apart(tree routine)
{
    cgraph_node *node = cgraph_node::get(routine);

    // .text.unlikely, .text.hot, .text.startup and .text.exit
    return flag_function_sections || is_in_group(routine)
           || node->frequency == NODE_FREQUENCY_UNLIKELY_EXECUTED
           || node->frequency == NODE_FREQUENCY_HOT || node->only_called_at_startup
           || node->only_called_at_exit;
}

bool callee_thunks::has(gcall *call) const
{
    tree callee = gimple_call_fndecl(call);

    if (!callee || gimple_call_internal_p(call) || gimple_call_chain(call)
        || fndecl_built_in_p(callee) || (gimple_call_flags(call) & ECF_RETURNS_TWICE)
        || is_special(callee) || makes_process(call)
        || (is_in_group(callee) && !TREE_PUBLIC(callee))
        || has_own_section(callee) || has_own_section(current_function_decl))
        return false;
    auto found = callees.find(symbol_of(callee));
    return found != callees.end() && found->second.calls >= ENOUGH && found->second.stays;
}

// Declares a thunk, for GCC a routine of this unit.  Its name is a local label, which the
// assembler does not write out.  In debug information it stands for its origin, the callee.
// (-fipa-ra would look at the origin too, but is not used.)
static tree declare_thunk(tree callee, unsigned number)
{
    char label[32];

    snprintf(label, sizeof label, "*.Lwpp%u", number);
    tree decl = build_decl(UNKNOWN_LOCATION, FUNCTION_DECL, get_identifier(label),
                           TREE_TYPE(callee));
    SET_DECL_ASSEMBLER_NAME(decl, get_identifier(label));
    DECL_EXTERNAL(decl) = 1;
    DECL_ARTIFICIAL(decl) = 1;
    DECL_IGNORED_P(decl) = 1;
    TREE_USED(decl) = 1;
    DECL_STATIC_CHAIN(decl) = 1;
    DECL_FUNCTION_SPECIFIC_TARGET(decl) = DECL_FUNCTION_SPECIFIC_TARGET(callee);
    SET_SYMBOL_REF_DECL(XEXP(DECL_RTL(decl), 0), callee);
    // Debug information describes parameters that a clone no longer has.  GCC prepares them by
    // the call's declaration and uses them by the symbol's.
    if (DECL_HAS_DEBUG_ARGS_P(callee))
        *decl_debug_args_insert(decl) = *decl_debug_args_lookup(callee);
    return decl;
}

callee_thunks::thunk &callee_thunks::thunk_of(tree callee)
{
    auto added = numbers.insert({symbol_of(callee), thunks.size()});

    if (added.second) {
        thunks.emplace_back();
        thunks.back().callee = callee;
    }
    return thunks[added.first->second];
}

tree callee_thunks::stand_in(tree callee)
{
    tree &decl = stand_ins[DECL_UID(callee)];

    if (!decl) {
        decl = declare_thunk(callee, stand_ins.size());
        // Under the name as it is written: GCC marks that when it writes a call.
        list = tree_cons(get_identifier(symbol_of(decl)), decl, tree_cons(callee, NULL, list));
        thunk_of(callee).decls.push_back(decl);
    }
    return decl;
}

// Copies to the thunk everything that GCC knows of the callee by now.
static void promise_as(tree decl, tree callee)
{
    TREE_NOTHROW(decl) = TREE_NOTHROW(callee);
    TREE_THIS_VOLATILE(decl) = TREE_THIS_VOLATILE(callee);
    DECL_IS_MALLOC(decl) = DECL_IS_MALLOC(callee);
}

void callee_thunks::send(gimple_stmt_iterator *at, gcall *call, tree token, bool warm)
{
    tree callee = gimple_call_fndecl(call), decl = stand_in(callee), chain;
    thunk &t = thunk_of(callee);

    t.warm |= warm;
    // A thunk that stays must not refer to code that the linker drops, or keep it.
    t.apart |= is_in_group(callee) || is_apart(current_function_decl);
    promise_as(decl, callee);
    // GCC does not know that the thunk refers to the callee.
    TREE_SYMBOL_REFERENCED(DECL_ASSEMBLER_NAME(callee)) = 1;
    assemble_external(callee);
    if (TREE_CODE(token) == SSA_NAME) {
        chain = make_ssa_name(ptr_type_node);
        gsi_insert_before(at, gimple_build_assign(chain, NOP_EXPR, token), GSI_SAME_STMT);
    } else {
        chain = build_int_cst(ptr_type_node, tree_to_uhwi(token));
    }
    gimple_call_set_chain(call, chain);
    // The type of the call may differ from the callee's own type.
    tree type = TREE_TYPE(gimple_call_fn(call));
    gimple_call_set_fn(call, build1(ADDR_EXPR, type, decl));
    update_stmt(call);
}

/* ---- Assembly --------------------------------------------------------------------- */

// The token without the base in %r10d; %r10, %r11 and the flags are clobbered.
static const char before[] = R"(	.type __wpp_before, @function
__wpp_before:
	addl __wpp_unit(%rip), %r10d
)";
static const char before_executable[] = R"(	movq %fs:__wpp_cursor@tpoff, %r11
	cmpl $0, (%r11)
	jne 2f
1:	movl %r10d, (%r11)
	addq $4, %r11
	movq %r11, %fs:__wpp_cursor@tpoff
)";
static const char before_shared[] = R"(	movq __wpp_cursor@gottpoff(%rip), %r11
	movq %fs:(%r11), %r11
	cmpl $0, (%r11)
	jne 2f
1:	movl %r10d, (%r11)
	movq __wpp_cursor@gottpoff(%rip), %r10
	addq $4, %r11
	movq %r11, %fs:(%r10)
)";
static const char before_end[] = R"(	ret
2:	call __wpp_refill_r11
	jmp 1b
	.size __wpp_before, .-__wpp_before
)";

static const char warm_begin[] = R"(	cmpq %fs:__wpp_cursor@tpoff, %r11
	jne 1f
	cmpl $0, (%r11)
1:	jne 3f
)";
// The linker replaces the number.
static const char base_linked[] = R"(2:	leal 0x7fffffff(%%r10), %%r10d
	.reloc .-4, R_X86_64_TPOFF32, __wpp_numbers+%u
)";
static const char base_loaded[] = "2:\taddl __wpp_unit(%rip), %r10d\n";
static const char warm_end[] = R"(	movl %r10d, (%r11)
	addq $4, %r11
	movq %r11, %fs:__wpp_cursor@tpoff
)";

// The C++ ABI's name of a thunk that adjusts nothing.  gdb steps through it to the callee, and
// tools show it as `non-virtual thunk to f'.
static std::string symbol_of_thunk(const char *name)
{
    if (startswith(name, "_Z"))
        return std::string("_ZThn0_") + (name + 2);
    return "_ZThn0_" + std::to_string(strlen(name)) + name;
}

// Whether GCC wrote a call of the thunk: it may have removed the call.
bool callee_thunks::is_called(const thunk &t)
{
    for (tree decl : t.decls)
        if (TREE_SYMBOL_REFERENCED(get_identifier(symbol_of(decl))))
            return true;
    return false;
}

static void write_code(FILE *assembly, const char *callee, bool warm, bool linked)
{
    if (!warm) {
        fprintf(assembly, "\tcall __wpp_before\n\tjmp %s@PLT\n", callee);
        return;
    }
    fputs(warm_begin, assembly);
    if (linked)
        fprintf(assembly, base_linked, WPP_LINKED_BIAS);
    else
        fputs(base_loaded, assembly);
    fputs(warm_end, assembly);
    fprintf(assembly, "\tjmp %s@PLT\n3:\tcall __wpp_cursor_r11\n\tjmp 2b\n", callee);
}

// Callees of different names may give the same thunk symbol; then only the first thunk gets it.
void callee_thunks::write_thunk(FILE *assembly, const thunk &t, bool linked,
                                std::unordered_set<std::string> &symbols)
{
    const char *callee = symbol_of(t.callee);
    std::string symbol = symbol_of_thunk(callee);
    bool has_symbol = symbols.insert(symbol).second;

    if (has_symbol)
        fprintf(assembly, "\t.type %s, @function\n%s:\n", symbol.c_str(), symbol.c_str());
    for (tree decl : t.decls)
        fprintf(assembly, "%s:\n", symbol_of(decl));
    write_code(assembly, callee, t.warm, linked);
    if (has_symbol)
        fprintf(assembly, "\t.size %s, .-%s\n", symbol.c_str(), symbol.c_str());
}

// All thunks that are not apart share one frame description: at each of their instructions the
// stack is as at a routine's entry.
void callee_thunks::write(FILE *assembly, bool shared, bool linked) const
{
    std::unordered_set<std::string> symbols;
    std::vector<const thunk *> together, apart;

    for (const thunk &t : thunks)
        if (is_called(t))
            (t.apart ? apart : together).push_back(&t);
    if (together.empty() && apart.empty())
        return;
    fputs("\t.text\n\t.cfi_startproc\n", assembly);
    fputs(before, assembly);
    fputs(shared ? before_shared : before_executable, assembly);
    fputs(before_end, assembly);
    for (const thunk *t : together)
        write_thunk(assembly, *t, linked, symbols);
    fputs("\t.cfi_endproc\n", assembly);
    for (size_t i = 0; i < apart.size(); i++) {
        fprintf(assembly, "\t.section .text.__wpp_thunk.%zu,\"ax\",@progbits\n", i);
        fputs("\t.cfi_startproc\n", assembly);
        write_thunk(assembly, *apart[i], linked, symbols);
        fputs("\t.cfi_endproc\n", assembly);
    }
    fputs("\t.text\n", assembly);
}
