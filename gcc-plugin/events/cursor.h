/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cursor.h - writes the events of a routine.
 *
 * Four forms (tracer/trace-abi.h):
 *
 *   inline        for code that runs often: test, store, add; the cursor is in
 *                 a register, loaded or guessed before the first event and stored
 *                 before any statement that can run other traced code.  The call of the
 *                 runtime is out of the way or jumped over (hot-blocks.h)
 *   short         the same where all of that is for one event, as between two calls:
 *                 from memory to memory, in %r11
 *   thunk         in front of the callee, for all its calls (callee-thunks.h): for a path
 *                 that ends at a call, where size matters more than time
 *   out of line   for the rest: a call of the unit's __wpp_event, ten bytes
 *
 * Where the cursor is:
 *
 *      MEMORY   __wpp_cursor is right; at entry, after calls, at handlers
 *      REGISTER it is in a register, __wpp_cursor may be old
 *
 * A block begins in REGISTER in two cases:
 * - one way into it does, and the next event leaves the cursor there (for example in a loop
 *   without calls);
 * - all ways into it do, and there is an event before other traced code may run.
 *
 * Ways in MEMORY load the cursor then.  If no successor begins in REGISTER, the cursor is stored
 * at once; so no way loads a cursor that is only stored again.  Ways on which no code can be put
 * (exceptions, setjmp) mean MEMORY.  A computed goto carries the register when all ways into its
 * targets are computed gotos or ordinary edges.
 *
 * GUESSES.  From one routine to the next the cursor goes through memory, and its load waits for
 * its store: 5 to 8 cycles for each event where calls are dense.  So the cursor is also put into
 * %r11 before a call and before a return, and read from there at entry and behind a call:
 *
 *      caller   __wpp_cursor = p;  %r11 = p;  call
 *      callee   g = %r11;  ...  if (g != __wpp_cursor) g = __wpp_cursor, then as p
 *
 * The comparison is predicted, so nothing waits for it.  %r11 may hold anything, because other
 * code uses that register: then the guess is wrong, and only the load takes time.  Guesses are
 * made only in MEMORY, and only if the next event compares them.
 */
#ifndef WPP_CURSOR_H
#define WPP_CURSOR_H

#include "gcc-plugin/gcc-compat.h"
#include "gcc-plugin/events/callee-thunks.h"
#include "gcc-plugin/rates/hot-blocks.h"

#include <unordered_map>
#include <vector>

/* The variables that the emitted code uses, as GCC declarations. */
struct runtime_decls {
    tree cursor;          /* extern volatile __thread uint32_t *__wpp_cursor */
    tree frames;          /* extern volatile __thread uint32_t __wpp_frames */
    tree unit;            /* extern const uint32_t __wpp_unit: the unit's base */
    tree counts;          /* extern uint64_t __wpp_counts: the unit's first counter */
    tree counts_at;       /* extern uint64_t *__wpp_counts_at: where it is, in a library */
    tree token_type;      /* uint32_t */
};

/* A path's end.  The token is the unit's base + name + number. */
struct planned_event {
    gimple *before;       /* the statement behind the event; NULL: the block's end */
    tree name;            /* SSA name or NULL_TREE */
    int64_t number;       /* of an event: below 2^32 */
};

/* By the index of the block: at most one event each. */
typedef std::unordered_map<int, planned_event> event_plan;

/* Which events are inline. */
enum inlining {
    INLINE_NONE,
    INLINE_HOT,           /* as event_forms() decides */
    INLINE_ALL
};

/* How the events of a routine are written. */
struct event_style {
    enum inlining inlining;
    double called;        /* how often the routine is called (call-rates.h) */
    bool linked;          /* the linker knows the unit's base (tracer/trace-abi.h, NUMBERS) */
    bool shared;          /* the code may become part of a shared library */
    callee_thunks *thunks;    /* NULL: none */
};

/* The form of each block's event, by the index of the block.  `order`: blocks_in_order(). */
std::vector<event_form> styled_forms(function *fun, const std::vector<basic_block> &order,
                                     const event_style &style);

/* Writes the plan's events into `fun`.  Afterwards virtual operands need renaming. */
void write_events(function *fun, const event_plan &plan, const runtime_decls &decls,
                  const event_style &style);

#endif
