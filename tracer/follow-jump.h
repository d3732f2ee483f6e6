/* SPDX-License-Identifier: MIT */
/* follow-jump.h - unwind information with which unwinders leave the runtime.  The runtime's and
 * the plugin's assembly include it.
 *
 * The call of the runtime for a slot that is not free lies out of line, behind all routines, and
 * no unwind table covers it.  But a jump back follows the call:
 *
 *      full:  call __wpp_refill_reg        <- the return address leads here
 *             jmp  free                    <- this is where the routine goes on
 *
 * A pending signal is delivered when the runtime is about to return.  An unwinding that begins
 * there (pthread_cancel, a profiler's) would end at the call.  So the entries called from there
 * describe the jump's target as their return address.  If other code follows the call, the
 * result is the return address itself.  If another jump follows the call, its target is right
 * too: the stack is the same before and behind the jump.
 *
 * `.cfi_escape WPP_FOLLOW_JUMP(register, offset)`: DW_CFA_val_expression of the return address,
 * which lies at `offset` from the register's value at that point of the frame:
 *
 *
 *      code = *(u64 *)(ra - 3)             three bytes of the call, five behind it
 *      ra + (code >> 24 & 255 == 0xeb) * (2 + (i8)(code >> 32))
 *         + (code >> 24 & 255 == 0xe9) * (5 + (i32)(code >> 32))
 *
 * The expression has no branches and no stack copies, because valgrind's reader does not know
 * them.
 */
#ifndef WPP_FOLLOW_JUMP_H
#define WPP_FOLLOW_JUMP_H

#define WPP_FJ_RA(reg, offset)      0x70 + reg, offset, 0x06        /* breg, deref */
#define WPP_FJ_CODE(reg, offset)    WPP_FJ_RA(reg, offset), 0x33, 0x1c, 0x06    /* lit3, minus, deref */
#define WPP_FJ_SHIFTED(reg, offset, by) WPP_FJ_CODE(reg, offset), 0x09, by, 0x25    /* const1s, shr */
#define WPP_FJ_BYTE                 0x0d, 0xff, 0, 0, 0, 0x1a       /* const4s, and */
#define WPP_FJ_IS(reg, offset, opcode) \
    WPP_FJ_SHIFTED(reg, offset, 24), WPP_FJ_BYTE, 0x0d, opcode, 0, 0, 0, 0x29   /* const4s, eq */
/* ((x + 128) & 255) - 128 + 2 */
#define WPP_FJ_SHORT(reg, offset) \
    WPP_FJ_SHIFTED(reg, offset, 32), 0x0d, 0x80, 0, 0, 0, 0x22, WPP_FJ_BYTE, \
    0x09, 126, 0x1c
/* x - ((x >> 31) << 32) + 5: the sign is the word's highest bit */
#define WPP_FJ_NEAR(reg, offset) \
    WPP_FJ_SHIFTED(reg, offset, 32), WPP_FJ_SHIFTED(reg, offset, 63), 0x09, 32, 0x24, 0x1c, \
    0x35, 0x22

#define WPP_FOLLOW_JUMP(reg, offset) \
    0x16, 0x10, 97, \
    WPP_FJ_RA(reg, offset), \
    WPP_FJ_IS(reg, offset, 0xeb), WPP_FJ_SHORT(reg, offset), 0x1e, 0x22,    /* mul, plus */ \
    WPP_FJ_IS(reg, offset, 0xe9), WPP_FJ_NEAR(reg, offset), 0x1e, 0x22

#endif
