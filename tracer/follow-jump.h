/* SPDX-License-Identifier: MIT */
/* follow-jump.h - how unwinders get out of the runtime, for assembly of both sides.
 *
 * Where there is no free slot, the emitted code's call of the runtime is out of the way, behind all
 * routines, and no unwind table tells of it.  But a jump back follows the call:
 *
 *      full:  call __wpp_refill_reg        <- the return address leads here
 *             jmp  free                    <- this is where the routine goes on
 *
 * A signal that came meanwhile is delivered when the runtime is about to return.  An unwinding
 * that begins there (pthread_cancel, a profiler's) would end at the call.  So the entries that are
 * called from there tell, as their return address, where the jump leads.  With any other code behind
 * the call it is the return address; with any other jump it is as right, since the stack is the same
 * before and behind it.
 *
 * `.cfi_escape WPP_FOLLOW_JUMP`: DW_CFA_val_expression of the return address, where the caller's
 * stack pointer is that of the frame and the return address lies below:
 *
 *      ra = *(CFA - 8)
 *      *ra == 0xeb:  ra + 2 + (signed char)ra[1]
 *      *ra == 0xe9:  ra + 5 + *(int *)(ra + 1)
 *      else:         ra
 */
#ifndef WPP_FOLLOW_JUMP_H
#define WPP_FOLLOW_JUMP_H

#define WPP_FOLLOW_JUMP \
    0x16, 0x10, 60,                         /* of register 16, so many bytes */ \
    0x38, 0x1c, 0x06,                       /* lit8, minus, deref: ra */ \
    0x12, 0x94, 1,                          /* dup, deref_size 1: the code there */ \
    0x12, 0x08, 0xeb, 0x29, 0x28, 9, 0,     /* dup, const1u, eq, bra: SHORT */ \
    0x08, 0xe9, 0x29, 0x28, 21, 0,          /* const1u, eq, bra: NEAR */ \
    0x2f, 38, 0,                            /* skip: the end */ \
    0x13, 0x12, 0x31, 0x22, 0x94, 1,        /* SHORT: drop, dup, lit1, plus, deref_size 1 */ \
    0x08, 0x80, 0x27, 0x08, 0x80, 0x1c,     /* const1u, xor, const1u, minus: its sign */ \
    0x22, 0x32, 0x22, 0x2f, 20, 0,          /* plus, lit2, plus, skip: the end */ \
    0x12, 0x31, 0x22, 0x94, 4,              /* NEAR: dup, lit1, plus, deref_size 4 */ \
    0x0c, 0, 0, 0, 0x80, 0x27,              /* const4u, xor */ \
    0x0c, 0, 0, 0, 0x80, 0x1c,              /* const4u, minus: its sign */ \
    0x22, 0x35, 0x22                        /* plus, lit5, plus */

#endif
