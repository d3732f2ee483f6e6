/* SPDX-License-Identifier: GPL-3.0-or-later */
/* left-calls.h - where an activation is while it is in a call.
 *
 * A path that goes on behind a call is not counted if the call does not come back: the callee ends
 * the process, or jumps or throws past the activation (Ball and Larus: early termination).  So each such
 * call has an entry in section `wpp_left` (tracer/trace-abi.h, LEFT CALLS), which says how the path
 * register is found from the outside.  The runtime reads it when activations are left.  The
 * program executes nothing for it.
 *
 * The value is known before the expansion, but its place only when registers are allocated.  So an
 * asm statement behind the call, without an instruction, has the value as its operand:
 *
 *      call f
 *      asm volatile ("# wpp_left 7 12 rest" : : "g" (name))       block, number
 *
 * At last a pass over the final instructions replaces it by an entry for the address behind the call.
 */
#ifndef WPP_LEFT_CALLS_H
#define WPP_LEFT_CALLS_H

#include "gcc-plugin/gcc-compat.h"

/* Whether the runtime may find out that the call, which may return, was left. */
bool may_be_left(gcall *call);

/* Puts the statement at the begin of `behind`, the block behind the call that `block` ends with.
 * The number of a path with these edges so far is name + number, within the unit. */
void mark_left_call(basic_block behind, uint32_t block, tree name, int64_t number);

/* Calls the runtime before each call that leaves activations without unwinding them: longjmp, exit,
 * _exit and their kind. */
void announce_leaving(function *fun);

/* Replaces the statements.  After register allocation, before lengths of instructions are computed. */
void write_left_calls();

#endif
