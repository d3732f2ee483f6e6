/* SPDX-License-Identifier: GPL-3.0-or-later */
/* callee-thunks.h - events of paths that end at a call, written once for each callee.
 *
 * Half of a program's paths end at a call of a routine that the compiler knows.  If size matters
 * more than the last half nanosecond, such an event is written not at the call but in front of
 * the callee, once for all calls of the unit:
 *
 *      caller      movl $number, %r10d          thunk       the event, token = base + %r10d
 *                  call thunk of f                          jmp f
 *
 * This takes six bytes for each call instead of ten out of line or 42 to 51 inline.  The callee
 * sees the same arguments, return address and stack as without the thunk.  Nested routines get
 * their static chain in %r10, so GCC can put a value there.  Routines that take a static chain
 * have no thunk.
 *
 * Two forms: a cold thunk calls the unit's __wpp_before and takes ten bytes.  A warm thunk, for
 * calls that run more often, contains the whole event, compared with the guess in %r11
 * (cursor.h), in 52 bytes.  A thunk is warm if some call asks for that.
 *
 * In the symbol table a thunk is a non-virtual thunk to f as in the C++ ABI, which adjusts
 * nothing.  Debuggers know these, so gdb's `step` arrives in f.
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
    /* Counts the calls of each callee.  To be called once, when GCC has decided all inlining. */
    void count_calls();

    /* Whether the call may go through a thunk: its callee is known, and by the call graph the
     * unit calls it often enough for a thunk to save anything. */
    bool has(gcall *call) const;

    /* Makes a call of the current function go through a thunk; the code for the token is
     * inserted before `at`.  token: without the unit's base, an unsigned SSA name or constant. */
    void send(gimple_stmt_iterator *at, gcall *call, tree token, bool warm);

    /* Writes, as assembly, all thunks that GCC has written calls of, and the unit's
     * __wpp_before.  shared: the code may become part of a shared library, and all thunks are
     * cold.  linked: the linker knows the unit's base (tracer/trace-abi.h, NUMBERS). */
    void write(FILE *assembly, bool shared, bool linked) const;

    tree list = NULL_TREE;              /* callees, their stand-ins in calls and their names: a
                                           root for GCC's garbage collector */

private:
    struct thunk {
        tree callee = NULL_TREE;        /* one of its declarations */
        bool warm = false;
        bool apart = false;             /* in a section of its own */
        std::vector<tree> decls;        /* its labels, one for each declaration of the callee */
    };

    struct callee {
        unsigned calls = 0;
        bool stays = false;             /* it is there whatever the linker drops */
    };

    /* By the symbol's name: a routine may have several declarations, each with a type of its
     * own. */
    std::unordered_map<std::string, callee> callees;
    std::unordered_map<std::string, unsigned> numbers;          /* index in `thunks` */
    std::vector<thunk> thunks;
    std::unordered_map<unsigned, tree> stand_ins;               /* by the declaration's DECL_UID */

    thunk &thunk_of(tree callee);
    tree stand_in(tree callee);
    static bool is_called(const thunk &t);
    static void write_thunk(FILE *assembly, const thunk &t, bool linked,
                            std::unordered_set<std::string> &symbols);
};

#endif
