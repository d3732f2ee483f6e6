// SPDX-License-Identifier: GPL-3.0-or-later
// moves.cc - events that write the cursor's own register.

#include "gcc-plugin/events/moves.h"

#include "gcc-plugin/events/cursor.h"
#include "gcc-plugin/events/event-asm.h"

// The only output of an asm statement of ours, or NULL_RTX.
static rtx output_of(rtx_insn *insn)
{
    if (!NONJUMP_INSN_P(insn) || GET_CODE(PATTERN(insn)) != PARALLEL)
        return NULL_RTX;
    rtx set = XVECEXP(PATTERN(insn), 0, 0);
    if (GET_CODE(set) != SET || GET_CODE(SET_SRC(set)) != ASM_OPERANDS
        || !writes_cursor(ASM_OPERANDS_TEMPLATE(SET_SRC(set))))
        return NULL_RTX;
    return set;
}

// The destination, if the instruction only moves `from`; or NULL_RTX.
static rtx goal_of(rtx_insn *insn, rtx from)
{
    if (!insn || !NONJUMP_INSN_P(insn) || GET_CODE(PATTERN(insn)) != SET
        || SET_SRC(PATTERN(insn)) != from)
        return NULL_RTX;
    rtx to = SET_DEST(PATTERN(insn));
    return REG_P(to) && !HARD_REGISTER_P(to) && GET_MODE(to) == GET_MODE(from) ? to : NULL_RTX;
}

void join_moves()
{
    for (rtx_insn *insn = get_insns(); insn; insn = NEXT_INSN(insn)) {
        rtx set = output_of(insn);
        // The expander made this register only for the output: nothing else reads it.
        rtx to = set ? goal_of(NEXT_INSN(insn), SET_DEST(set)) : NULL_RTX;
        if (to) {
            SET_DEST(set) = to;
            delete_insn(NEXT_INSN(insn));
        }
    }
}
