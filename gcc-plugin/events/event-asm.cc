// SPDX-License-Identifier: GPL-3.0-or-later
// event-asm.cc - the instructions of an event, in both dialects of assembly.

#include "gcc-plugin/events/event-asm.h"

/* ---- Statements ----------------------------------------------------------------- */

tree asm_operand(const char *constraint, tree value)
{
    tree string = build_string(strlen(constraint) + 1, constraint);
    return build_tree_list(build_tree_list(NULL_TREE, string), value);
}

tree asm_clobber(const char *what)
{
    return build_tree_list(NULL_TREE, build_string(strlen(what) + 1, what));
}

gasm *build_asm(const char *text, const char *constraint, tree result,
                vec<tree, va_gc> *inputs, vec<tree, va_gc> *clobbers)
{
    vec<tree, va_gc> *outputs = NULL;

    if (result)
        vec_safe_push(outputs, asm_operand(constraint, result));
    gasm *assembly = gimple_build_asm_vec(text, inputs, outputs, clobbers, NULL);
    gimple_asm_set_volatile(assembly, true);
    gimple_asm_set_inline(assembly, true);
    if (result)
        SSA_NAME_DEF_STMT(result) = assembly;
    return assembly;
}

gasm *call_event(const char *text, tree token)
{
    vec<tree, va_gc> *inputs = NULL, *clobbers = NULL;

    vec_safe_push(inputs, asm_operand("0", token));
    vec_safe_push(clobbers, asm_clobber("r11"));
    return build_asm(text, "=a", make_ssa_name(unsigned_type_node), inputs, clobbers);
}

/* ---- Texts ------------------------------------------------------------------------ */

// Local labels with numbers that no program uses: the labels of a program's own asm statements
// may have uses on both sides of an event.
#define LABEL_FREE "9461"
#define LABEL_FULL "9462"
#define LABEL_JUMP "9463"

// HOLDER is a number of 32 bits at the end of an instruction.  The relocation makes the linker
// replace it by the unit's base + operand n (trace-abi.h, NUMBERS).
#define HOLDER "0x7fffffff"
#define LINKED_NUMBER(n) ".reloc\t.-4, R_X86_64_TPOFF32, __wpp_numbers+%c" n

// A register of its own: it is written before all other operands have been read.
const char ASM_WRITTEN_EARLY[] = "=&r";

// The statements that write the cursor or a guess of it, to operand 0.
const char ASM_GUESS[] = "{movq\t%%r11, %0|mov\t%0, r11}";
#define MOVE_WORD(n, att, intel) "{movl\t%k" n ", " att "|mov\tdword ptr " intel ", %k" n "}"
// The linker replaces the number.
#define MOVE_LINKED(n, att, intel)                                                      \
    "{movl\t$" HOLDER ", " att "|mov\tdword ptr " intel ", " HOLDER "}\n\t" LINKED_NUMBER(n)
// The code for a slot that is not free: out of line, or with a jump over it.
#define FULL_AWAY(slow, reg)                                                \
    "jne\t" LABEL_FULL "f\n\t"                                              \
    ".subsection 1\n"                                                       \
    LABEL_FULL ":\tcall\t__wpp_" slow "_" reg "\n\t"                        \
    "jmp\t" LABEL_FREE "f\n\t"                                              \
    ".previous\n"
#define FULL_HERE(slow, reg)                                                \
    "je\t" LABEL_FREE "f\n\t"                                               \
    "call\t__wpp_" slow "_" reg "\n"
#define WRITE(FULL, slow, MOVE)                                             \
    "{cmpl\t$0, (%0)|cmp\tdword ptr [%0], 0}\n"                             \
    LABEL_JUMP ":\t" FULL(slow, "%V0")                                      \
    LABEL_FREE ":\t" MOVE("2", "(%0)", "[%0]") "\n\t"                       \
    "{addq\t$4, %0|add\t%0, 4}"
// Jumps to the other conditional jump, which sees the same flags: four bytes less.
#define GUESSED "{cmpq\t%3, %0|cmp\t%0, %3}\n\tjne\t" LABEL_JUMP "f\n\t"
// Indices: where the runtime's call is, whether there is a guess, whether the linker makes the
// instruction's number.
typedef const char *const event_texts[2][2][2];
#define TEXTS(FULL)                                                                       \
    {{WRITE(FULL, "refill", MOVE_WORD), WRITE(FULL, "refill", MOVE_LINKED)},              \
     {GUESSED WRITE(FULL, "cursor", MOVE_WORD), GUESSED WRITE(FULL, "cursor", MOVE_LINKED)}}
static event_texts EVENT = {TEXTS(FULL_AWAY), TEXTS(FULL_HERE)};
#undef TEXTS
#undef GUESSED
#undef WRITE

// From memory to memory (operands 0 and 2), through %r11, so that it is a guess afterwards.
#define SHORT(load, FULL, slow, MOVE)                                                   \
    load "{cmpl\t$0, (%%r11)|cmp\tdword ptr [r11], 0}\n"                                \
    LABEL_JUMP ":\t" FULL(slow, "r11")                                                  \
    LABEL_FREE ":\t" MOVE("1", "(%%r11)", "[r11]") "\n\t"                               \
    "{addq\t$4, %%r11|add\tr11, 4}\n\t"                                                \
    "{movq\t%%r11, %0|mov\t%0, r11}"
#define LOADED "{movq\t%2, %%r11|mov\tr11, %2}\n\t"
#define GUESSED "{cmpq\t%2, %%r11|cmp\tr11, %2}\n\tjne\t" LABEL_JUMP "f\n\t"
#define TEXTS(FULL)                                                                       \
    {{SHORT(LOADED, FULL, "refill", MOVE_WORD), SHORT(LOADED, FULL, "refill", MOVE_LINKED)}, \
     {SHORT(GUESSED, FULL, "cursor", MOVE_WORD), SHORT(GUESSED, FULL, "cursor", MOVE_LINKED)}}
static event_texts SHORT_EVENT = {TEXTS(FULL_AWAY), TEXTS(FULL_HERE)};
#undef TEXTS
#undef GUESSED
#undef LOADED
#undef SHORT
#undef FULL_HERE
#undef FULL_AWAY

const char ASM_OFFER[] = "{movq\t%0, %%r11|mov\tr11, %0}";
const char ASM_FULL[] = "{movq\t__wpp_refill@GOTPCREL(%%rip), %0|"
                        "mov\t%0, qword ptr __wpp_refill@GOTPCREL[rip]}";
const char ASM_LINKED_SUM[] = "{leal\t" HOLDER "(%q1), %k0|lea\t%k0, [%q1+" HOLDER "]}\n\t"
                              LINKED_NUMBER("2");

const char *asm_event(bool here, bool guessed, bool linked)
{
    return EVENT[here][guessed][linked];
}

const char *asm_short_event(bool here, bool guessed, bool linked)
{
    return SHORT_EVENT[here][guessed][linked];
}

bool writes_cursor(const char *text)
{
    const char *const *ours = &EVENT[0][0][0];

    for (unsigned i = 0; i < sizeof EVENT / sizeof *ours; i++)
        if (!strcmp(text, ours[i]))
            return true;
    return !strcmp(text, ASM_GUESS);
}
