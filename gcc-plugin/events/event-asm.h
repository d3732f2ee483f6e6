/* SPDX-License-Identifier: GPL-3.0-or-later */
/* event-asm.h - the instructions of an event, as asm statements.  cursor.h explains them. */
#ifndef WPP_EVENT_ASM_H
#define WPP_EVENT_ASM_H

#include "gcc-plugin/gcc-compat.h"

/* An operand of an asm statement, and a register that it overwrites, as list nodes. */
tree asm_operand(const char *constraint, tree value);
tree asm_clobber(const char *what);

/* An asm statement that GCC neither removes nor moves; its only output is `result`, or none. */
gasm *build_asm(const char *text, const char *constraint, tree result,
                vec<tree, va_gc> *inputs, vec<tree, va_gc> *clobbers);

/* An asm statement that calls one of the unit's entries for events out of line, with `token` in
 * %eax. */
gasm *call_event(const char *text, tree token);

/* Texts.  They write operand 0, except ASM_OFFER, which reads it. */
extern const char ASM_GUESS[];           /* the cursor that the previous routine left in %r11 */
extern const char ASM_OFFER[];           /* the cursor to %r11, for the next routine */
extern const char ASM_FULL[];            /* a cursor at which no slot is free */
extern const char ASM_LINKED_SUM[];      /* operand 1 and the linker's number for operand 2 */

/* Constraint of a register of its own: the statement writes it before it has read all other
 * operands. */
extern const char ASM_WRITTEN_EARLY[];

/* An event.  Operand 0: the next cursor; 1: the cursor or a guess; 2: the token; 3, with a
 * guess: the cursor in memory.  here: a jump leads over the runtime's call, which is not out of
 * line.  linked: the linker makes the number in the instruction. */
const char *asm_event(bool here, bool guessed, bool linked);
/* An event from memory (operand 2) to memory (operand 0); operand 1 is the token. */
const char *asm_short_event(bool here, bool guessed, bool linked);

/* Whether this is the text of a statement that changes the cursor in a register. */
bool writes_cursor(const char *text);

#endif
