/* SPDX-License-Identifier: GPL-3.0-or-later */
/* event-asm.h - the instructions of an event, as asm statements.  What they do, and why: cursor.h. */
#ifndef WPP_EVENT_ASM_H
#define WPP_EVENT_ASM_H

#include "gcc-plugin/gcc-compat.h"

/* One operand of an asm statement, for a list of them; a register that it overwrites. */
tree asm_operand(const char *constraint, tree value);
tree asm_clobber(const char *what);

/* An asm statement that is kept, where it is; its only output is `result`, if there is one. */
gasm *build_asm(const char *text, const char *constraint, tree result,
                vec<tree, va_gc> *inputs, vec<tree, va_gc> *clobbers);

/* An asm statement that is a call of one of the unit's entries for events out of
 * line, with `token` in %eax. */
gasm *call_event(const char *text, tree token);

/* Texts.  Operand 0 is what they write, but of ASM_OFFER, which reads it. */
extern const char ASM_GUESS[];           /* the cursor that the previous routine left in %r11 */
extern const char ASM_OFFER[];           /* the cursor to %r11, for the next routine */
extern const char ASM_FULL[];            /* a cursor at which no slot is free */
extern const char ASM_LINKED_SUM[];      /* operand 1 and a number that the linker makes of operand 2 */

/* Constraint of a register of its own: it is written before all other operands have been read. */
extern const char ASM_WRITTEN_EARLY[];

/* An event from the cursor in operand 1, or a guess of it (operand 3: the cursor in memory), to the next
 * one in operand 0; operand 2 is the token.  here: the runtime's call is jumped over, not out of the way;
 * linked: the linker makes the number in the instruction. */
const char *asm_event(bool here, bool guessed, bool linked);
/* From memory, operand 2, to memory, operand 0; operand 1 is the token. */
const char *asm_short_event(bool here, bool guessed, bool linked);

/* Whether it is the text of a statement that changes the cursor in a register. */
bool writes_cursor(const char *text);

#endif
