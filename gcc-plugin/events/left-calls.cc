// SPDX-License-Identifier: GPL-3.0-or-later
// left-calls.cc - see left-calls.h.

#include "gcc-plugin/events/left-calls.h"

#include <string>

#include "gcc-plugin/events/event-asm.h"
#include "gcc-plugin/graph/path-ends.h"
#include "gcc-plugin/graph/symbol.h"

#include "tracer/trace-abi.h"

/* ---- Calls and statements --------------------------------------------------------------- */

bool may_be_left(gcall *call)
{
    tree callee = gimple_call_fndecl(call);
    int flags = gimple_call_flags(call);

    if (gimple_call_internal_p(call) || (flags & (ECF_NORETURN | ECF_RETURNS_TWICE))
        || gimple_call_builtin_p(call, BUILT_IN_APPLY_ARGS)
        || (callee && fndecl_built_in_p(callee) && is_inexpensive_builtin(callee)))
        return false;
    return !(flags & ECF_LEAF) || !(flags & ECF_NOTHROW) || !callee || hands_over(callee);
}

static const char MARK[] = "# wpp_left %u %lld";

void mark_left_call(basic_block behind, uint32_t block, tree name, int64_t number)
{
    gimple_stmt_iterator at = gsi_after_labels(behind);
    vec<tree, va_gc> *inputs = NULL;
    char text[64];

    snprintf(text, sizeof text, MARK, block, static_cast<long long>(number));
    if (name)
        vec_safe_push(inputs, asm_operand("g", name));
    gsi_insert_before(&at, build_asm(ggc_strdup(text), NULL, NULL_TREE, inputs, NULL),
                      GSI_SAME_STMT);
}

// Whether the call leaves activations; *jumps: those up to its first argument, a jmp_buf.
static bool leaves_activations(gcall *call, bool *jumps)
{
    static const char *const names[] = {
        "_Exit", "__longjmp_chk", "_exit", "_longjmp", "abort", "exit", "longjmp", "quick_exit",
        "siglongjmp"
    };
    tree callee = gimple_call_fndecl(call);

    if (!callee || !(gimple_call_flags(call) & ECF_NORETURN) || !is_one_of(callee, names))
        return false;
    *jumps = strstr(symbol_of(callee), "jmp") != NULL;
    return !*jumps || (gimple_call_num_args(call) > 0
                       && POINTER_TYPE_P(TREE_TYPE(gimple_call_arg(call, 0))));
}

// Of calls that GCC expands to jumps: which argument leads to the stack pointer, at which word.  With
// -fcf-protection that of the shadow stack comes before it.
static bool jumps_by_itself(gcall *call, unsigned *argument, int *word)
{
    int shadow = (flag_cf_protection & CF_RETURN) != 0;

    if (gimple_call_builtin_p(call, BUILT_IN_NONLOCAL_GOTO)) {
        *argument = 1;
        *word = 1 + shadow;
        return true;
    }
    *argument = 0;
    *word = 2 + shadow;
    return gimple_call_builtin_p(call, BUILT_IN_LONGJMP);
}

// What the runtime takes for the jmp_buf of such a call: the stack pointer is where a jmp_buf has it.
static tree as_jmp_buf(gcall *call, unsigned argument, int word)
{
    enum { IN_JMP_BUF = 6 };
    tree pointer = gimple_call_arg(call, argument);
    tree name = make_ssa_name(ptr_type_node);
    gimple_stmt_iterator at = gsi_for_stmt(call);

    gcc_checking_assert(is_gimple_val(pointer));
    gsi_insert_before(&at, gimple_build_assign(name, POINTER_PLUS_EXPR, pointer,
                                               size_int(8 * (word - IN_JMP_BUF))), GSI_SAME_STMT);
    return name;
}

// The argument of __wpp_leaving() for the call: the jmp_buf up to which it leaves activations, or a null
// pointer if it leaves all.  NULL: it leaves none.
static tree left_at(gcall *call)
{
    unsigned argument;
    bool jumps;
    int word;

    if (jumps_by_itself(call, &argument, &word))
        return as_jmp_buf(call, argument, word);
    if (!leaves_activations(call, &jumps))
        return NULL_TREE;
    return jumps ? gimple_call_arg(call, 0) : null_pointer_node;
}

void announce_leaving(function *fun)
{
    basic_block bb;

    FOR_EACH_BB_FN (bb, fun) {
        gcall *call = safe_dyn_cast<gcall *>(compat_last_stmt(bb));
        tree up_to = call ? left_at(call) : NULL_TREE;

        if (!up_to)
            continue;
        tree type = build_function_type_list(void_type_node, const_ptr_type_node, NULL_TREE);
        tree decl = build_fn_decl("__wpp_leaving", type);
        gimple_stmt_iterator at = gsi_for_stmt(call);
        TREE_NOTHROW(decl) = 1;
        gsi_insert_before(&at, gimple_build_call(decl, 1, up_to), GSI_SAME_STMT);
    }
}

/* ---- Places ----------------------------------------------------------------------------- */

// Where the path register is.  number: a constant, or a memory operand's offset.
struct place {
    enum { UNKNOWN, CONSTANT, REGISTER, MEMORY } kind;
    unsigned regno;
    HOST_WIDE_INT number;
};

static place place_of(rtx value)
{
    if (CONST_INT_P(value))
        return {place::CONSTANT, 0, INTVAL(value)};
    if (REG_P(value) && HARD_REGISTER_P(value) && GET_MODE(value) == DImode)
        return {place::REGISTER, REGNO(value), 0};
    if (!MEM_P(value) || GET_MODE(value) != DImode)
        return {place::UNKNOWN, 0, 0};
    rtx address = XEXP(value, 0);
    if (REG_P(address))
        return {place::MEMORY, REGNO(address), 0};
    if (GET_CODE(address) == PLUS && REG_P(XEXP(address, 0)) && CONST_INT_P(XEXP(address, 1)))
        return {place::MEMORY, REGNO(XEXP(address, 0)), INTVAL(XEXP(address, 1))};
    return {place::UNKNOWN, 0, 0};
}

static bool same_place(place a, place b)
{
    return a.kind == b.kind && a.regno == b.regno && a.number == b.number;
}

// What the instruction adds to the register, if it does nothing else to it.
static bool adds_to(rtx set, unsigned regno, HOST_WIDE_INT *sum)
{
    rtx source = SET_SRC(set);

    *sum = 0;
    if (GET_CODE(source) == PLUS && REG_P(XEXP(source, 0)) && REGNO(XEXP(source, 0)) == regno
        && CONST_INT_P(XEXP(source, 1)))
        *sum = INTVAL(XEXP(source, 1));
    return *sum != 0;
}

// The place before the instruction of what is at `p` behind it.
static place before(rtx_insn *insn, place p)
{
    rtx set = NONDEBUG_INSN_P(insn) ? single_set(insn) : NULL_RTX;
    HOST_WIDE_INT sum;

    if (!NONDEBUG_INSN_P(insn) || p.kind == place::CONSTANT || p.kind == place::UNKNOWN)
        return p;
    if (set && MEM_P(SET_SRC(set)) && GET_CODE(XEXP(SET_SRC(set), 0)) == POST_INC) {
        if (REG_P(SET_DEST(set)) && REGNO(SET_DEST(set)) == p.regno)
            return {place::UNKNOWN, 0, 0};
        return {p.kind, p.regno, p.number + (p.regno == STACK_POINTER_REGNUM ? 8 : 0)};
    }
    if (set && MEM_P(SET_DEST(set)) && same_place(place_of(SET_DEST(set)), p))
        return place_of(SET_SRC(set));
    if (!set || !REG_P(SET_DEST(set)) || REGNO(SET_DEST(set)) != p.regno) {
        rtx reg = gen_rtx_REG(DImode, p.regno);
        return reg_set_p(reg, insn) ? place{place::UNKNOWN, 0, 0} : p;
    }
    if (p.kind == place::REGISTER)
        return place_of(SET_SRC(set));
    if (adds_to(set, p.regno, &sum))
        return {p.kind, p.regno, p.number + sum};
    return {place::UNKNOWN, 0, 0};
}

// The number in an entry of a register that calls keep, or -1.
static int kept_register(unsigned regno)
{
    switch (regno) {
    case BX_REG:  return 0;
    case BP_REG:  return 1;
    case SP_REG:  return 2;
    case R12_REG: return 3;
    case R13_REG: return 4;
    case R14_REG: return 5;
    case R15_REG: return 6;
    default:      return -1;
    }
}

/* ---- Entries ---------------------------------------------------------------------------- */

struct left_call {
    unsigned block;
    long long number;
    place where;          // of what is added to the number
};

// The statement's numbers and operand; false: it is none of ours.
static bool read_mark(rtx_insn *insn, left_call &out)
{
    rtx pattern = NONJUMP_INSN_P(insn) ? PATTERN(insn) : NULL_RTX;

    if (pattern && GET_CODE(pattern) == PARALLEL)
        pattern = XVECEXP(pattern, 0, 0);
    const char *text = !pattern ? NULL
                       : GET_CODE(pattern) == ASM_INPUT ? XSTR(pattern, 0)
                       : GET_CODE(pattern) == ASM_OPERANDS ? ASM_OPERANDS_TEMPLATE(pattern) : NULL;
    if (!text || sscanf(text, MARK, &out.block, &out.number) != 2)
        return false;
    out.where = {place::CONSTANT, 0, 0};
    if (GET_CODE(pattern) == ASM_OPERANDS && ASM_OPERANDS_INPUT_LENGTH(pattern) > 0)
        out.where = place_of(ASM_OPERANDS_INPUT(pattern, 0));
    return true;
}

// The jump to the label, if nothing else leads there; NULL.
static rtx_insn *only_jump_to(rtx_insn *label)
{
    rtx_insn *above = prev_nonnote_nondebug_insn(label);

    if (LABEL_NUSES(label) != 1 || !above || !BARRIER_P(above))
        return NULL;
    for (rtx_insn *insn = get_insns(); insn; insn = NEXT_INSN(insn))
        if (JUMP_P(insn) && JUMP_LABEL(insn) == label)
            return simplejump_p(insn) ? insn : NULL;
    return NULL;
}

// The call before the statement, at which the operand's place is `where`; NULL: there is none.  A jump
// may lie between them.
static rtx_insn *call_before(rtx_insn *mark, place &where)
{
    for (rtx_insn *insn = PREV_INSN(mark); insn; insn = PREV_INSN(insn)) {
        if (CALL_P(insn))
            return insn;
        if (LABEL_P(insn) && LABEL_NUSES(insn) > 0 && !(insn = only_jump_to(insn)))
            return NULL;
        if (BARRIER_P(insn) || (JUMP_P(insn) && !simplejump_p(insn)))
            return NULL;
        where = before(insn, where);
    }
    return NULL;
}

// What tells the runtime C++'s personality (tracer/trace-abi.h, struct wpp_module), once in a module.
static const char own_personality[] = R"(	.ifndef __wpp_own_personality_at
	.pushsection .data.rel.ro.__wpp_own_personality_at,"awG",@progbits,__wpp_own_personality_at,comdat
	.weak __wpp_own_personality_at
	.hidden __wpp_own_personality_at
	.balign 8
	.type __wpp_own_personality_at, @object
	.size __wpp_own_personality_at, 8
__wpp_own_personality_at:
	.quad __gxx_personality_v0
	.popsection
	.endif
)";

// What makes the unwinder tell the runtime when an exception, or the end of its thread, passes the
// routine.  The personality that GCC has given it is called by ours.
static std::string personality()
{
    rtx own = get_personality_function(current_function_decl);
    const char *name = own ? XSTR(own, 0) : NULL;

    if (!dwarf2out_do_cfi_asm() || (name && strcmp(name, "__gxx_personality_v0")))
        return "";
    return name ? std::string("\t.cfi_personality 0x9b, __wpp_personality_cxx_at\n") + own_personality
                : "\t.cfi_personality 0x9b, __wpp_personality_at\n";
}

static rtx entry_of(const left_call &call)
{
    int reg = call.where.kind == place::CONSTANT ? 0 : kept_register(call.where.regno);
    unsigned how = call.where.kind == place::CONSTANT ? WPP_LEFT_CONSTANT
                   : call.where.kind == place::UNKNOWN || reg < 0 ? WPP_LEFT_UNKNOWN
                   : call.where.kind == place::REGISTER ? WPP_LEFT_REGISTER : WPP_LEFT_MEMORY;
    long long number = call.number + (how == WPP_LEFT_CONSTANT ? call.where.number : 0);
    char *text = xasprintf("9467:\n\t.pushsection wpp_left,\"ao?\",@progbits,%s\n"
                           "\t.long 9467b-., __wpp_unit-., %u, %u\n\t.short %u, %u\n\t.long %lld\n"
                           "\t.popsection\n%s",
                           symbol_of(current_function_decl), static_cast<uint32_t>(number),
                           call.block, how, how == WPP_LEFT_UNKNOWN ? 0 : reg,
                           how == WPP_LEFT_MEMORY ? static_cast<long long>(call.where.number) : 0,
                           personality().c_str());
    rtx entry = gen_rtx_ASM_INPUT_loc(VOIDmode, ggc_strdup(text), BUILTINS_LOCATION);

    free(text);
    MEM_VOLATILE_P(entry) = 1;
    return entry;
}

void write_left_calls()
{
    rtx_insn *next;

    for (rtx_insn *insn = get_insns(); insn; insn = next) {
        left_call call;

        next = NEXT_INSN(insn);
        if (!read_mark(insn, call))
            continue;
        rtx_insn *at = call_before(insn, call.where);
        if (at)
            emit_insn_after(entry_of(call), at);
        else if (flag_checking)
            internal_error("wpp: the call of block %u of %qD is not before its mark", call.block,
                           current_function_decl);
        delete_insn(insn);
    }
}
