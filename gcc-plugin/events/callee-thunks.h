/* SPDX-License-Identifier: GPL-3.0-or-later */
/* callee-thunks.h - events of paths that end at a call, written once for each callee.
 *
 * Half of a program's paths end at a call of a routine that the compiler knows.  Where
 * room matters more than the last half nanosecond, such an event is not written at the call,
 * but in front of the callee, once for all calls of the unit:
 *
 *      caller      movl $number, %r10d          thunk       the event, token = base + %r10d
 *                  call thunk of f                          jmp f
 *
 * That is six bytes for each call instead of ten out of line or 42 to 51 inline.  The callee
 * sees what it always sees: its arguments, the caller's return address, the stack.  %r10 is
 * where nested routines get their static chain, so GCC knows how to put it there; routines
 * that take one have no thunk.
 *
 * Two forms: a cold thunk calls the unit's __wpp_before, ten bytes; a warm one, for calls that
 * run more often, has all of an event, compared with the guess in %r11 (cursor.h), 52 bytes.  A
 * thunk is warm if some call asks for it.
 *
 * In the symbol table a thunk is what the C++ ABI calls a non-virtual thunk to f, one that
 * adjusts nothing: debuggers know these, so that gdb's `step` arrives in f.
 */
#ifndef WPP_CALLEE_THUNKS_H
#define WPP_CALLEE_THUNKS_H

#include "gcc-plugin/gcc-compat.h"

#include <stdio.h>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

class callee_thunks {
public:
    /* Once, when GCC has decided what is inlined where: how many calls each callee has. */
    void count_calls();

    /* Whether the call may go through a thunk: of a routine that is known, and that the unit calls
     * often enough, as far as the call graph tells, for a thunk to save anything. */
    bool has(gcall *call) const;

    /* Makes the call, of the current function, go there; what the token needs is inserted before
     * `at`.  token: without the unit's base, an unsigned SSA name or constant. */
    void send(gimple_stmt_iterator *at, gcall *call, tree token, bool warm);

    /* Writes, as assembly, all thunks that GCC has written calls of, and the unit's __wpp_before.
     * shared: the code may become part of a shared library, where all are cold.  linked: the
     * unit's base is known when it is linked (tracer/trace-abi.h, NUMBERS). */
    void write(FILE *assembly, bool shared, bool linked) const;

    tree list = NULL_TREE;              /* callees, what stands for them in calls and its names,
                                           for GCC's garbage collector to find */

private:
    struct thunk {
        tree callee = NULL_TREE;        /* one of its declarations */
        bool warm = false;
        bool apart = false;             /* in a section of its own */
        std::vector<tree> decls;        /* its labels, one for each declaration of the callee */
    };

    struct callee {
        unsigned calls = 0;
        bool stays = false;             /* it is asked for whatever the linker leaves out */
    };

    /* A routine may have several declarations, with types of their own; it is one by its
     * symbol's name. */
    std::unordered_map<std::string, callee> callees;
    std::unordered_map<std::string, unsigned> numbers;          /* in `thunks` */
    std::vector<thunk> thunks;
    std::unordered_map<unsigned, tree> stand_ins;               /* by the declaration's DECL_UID */

    thunk &thunk_of(tree callee);
    tree stand_in(tree callee);
    static bool is_called(const thunk &t);
    static void write_thunk(FILE *assembly, const thunk &t, bool linked,
                            std::unordered_set<std::string> &symbols);
};

#endif
