// SPDX-License-Identifier: GPL-3.0-or-later
// path-ends.cc - statements at which a path ends.

#include "gcc-plugin/graph/path-ends.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "gcc-plugin/graph/symbol.h"

/* ---- Calls --------------------------------------------------------------- */

bool calls_end_paths = true;

// By DECL_UID: routines of the unit that are neither pure nor const, whatever GCC finds out.
static std::set<unsigned> settled;

void settle_callees()
{
    cgraph_node *node;

    FOR_EACH_FUNCTION_WITH_GIMPLE_BODY (node)
        if (!TREE_READONLY(node->decl) && !DECL_PURE_P(node->decl))
            settled.insert(DECL_UID(node->decl));
}

static int flags_of(gcall *call)
{
    tree callee = gimple_call_fndecl(call);
    int flags = gimple_call_flags(call);

    if (callee && !settled.empty() && settled.count(DECL_UID(callee)))
        flags &= ~(ECF_PURE | ECF_CONST | ECF_LOOPING_CONST_OR_PURE);
    return flags;
}

// A signal is delivered before it returns, or another program or context takes over.
bool hands_over(tree callee)
{
    static const char *const names[] = {
        "_Fork", "__clone", "clone", "execl", "execle", "execlp", "execv", "execve", "execveat",
        "execvp", "execvpe", "fexecve", "kill", "killpg", "pthread_kill", "pthread_sigmask",
        "pthread_sigqueue", "raise", "setcontext", "sigprocmask", "sigqueue", "swapcontext",
        "syscall", "tgkill"
    };

    return is_one_of(callee, names);
}

bool makes_process(gcall *call)
{
    // fork, vfork, clone and clone3, by their system call numbers.
    static const unsigned system_calls[] = {56, 57, 58, 435};
    tree callee = gimple_call_fndecl(call);

    if (!callee || !TREE_PUBLIC(callee))
        return false;
    const char *name = symbol_of(callee);
    if (!strcmp(name, "_Fork") || !strcmp(name, "clone") || !strcmp(name, "__clone"))
        return true;
    if (strcmp(name, "syscall") || gimple_call_num_args(call) < 1)
        return false;
    tree number = gimple_call_arg(call, 0);
    return tree_fits_uhwi_p(number)
           && std::find(std::begin(system_calls), std::end(system_calls), tree_to_uhwi(number))
              != std::end(system_calls);
}

// Whether the builtin becomes an instruction, or at most a call of libgcc: a builtin of the
// target, or a prefetch, which GCC 12 does not declare as nothrow.
static bool is_instruction(tree callee)
{
    return fndecl_built_in_p(callee, BUILT_IN_MD) || fndecl_built_in_p(callee, BUILT_IN_PREFETCH);
}

bool call_cuts(gcall *call)
{
    tree callee = gimple_call_fndecl(call);
    int flags = flags_of(call);

    if (gimple_call_internal_p(call))
        return false;
    if (flags & (ECF_NORETURN | ECF_RETURNS_TWICE))
        return true;
    if (!calls_end_paths)
        return false;
    if (callee && is_instruction(callee))
        return false;
    if (!callee || !(flags & ECF_NOTHROW))
        return true;
    cgraph_node *node = cgraph_node::get(callee);
    if (node && node->ultimate_alias_target()->definition)
        return true;                              // its body is in this unit and may be traced
    if (hands_over(callee))
        return true;
    if (flags & ECF_LEAF)
        return false;
    return !((flags & (ECF_CONST | ECF_PURE)) && !(flags & ECF_LOOPING_CONST_OR_PURE)
             && (fndecl_built_in_p(callee) || DECL_IN_SYSTEM_HEADER(callee)));
}

bool coverage_splits(gimple *statement)
{
    if (gasm *assembly = dyn_cast<gasm *>(statement))
        return gimple_asm_volatile_p(assembly) || compat_asm_basic_p(assembly);
    gcall *call = dyn_cast<gcall *>(statement);
    if (!call)
        return false;
    tree callee = gimple_call_fndecl(call);
    int flags = flags_of(call);
    if (callee && fndecl_built_in_p(callee) && (flags & ECF_NOTHROW)
        && !(flags & ECF_RETURNS_TWICE))
        return false;
    return !(flags & (ECF_PURE | ECF_CONST)) || (flags & ECF_LOOPING_CONST_OR_PURE);
}

// Continuations of coroutines are always marked, but become tail calls only if the options say
// so.
bool is_marked_tail_call(const gcall *call)
{
    return gimple_call_tail_p(call)
           && (flag_optimize_sibling_calls || gimple_call_from_thunk_p(const_cast<gcall *>(call))
               || gimple_call_must_tail_p(call));
}

bool ends_path(gcall *call)
{
    return call_cuts(call) || is_marked_tail_call(call);
}

/* ---- Traps --------------------------------------------------------------- */

// Whether the statement may trap into an exception for the caller (-fnon-call-exceptions).
// Statements that throw by themselves, a call or the end of a landing pad, end a path anyway.
static bool traps(gimple *statement)
{
    return cfun->can_throw_non_call_exceptions && !is_gimple_call(statement)
           && gimple_code(statement) != GIMPLE_RESX && stmt_can_throw_external(cfun, statement);
}

gimple *trap_in(basic_block bb)
{
    for (gimple_stmt_iterator at = gsi_start_nondebug_bb(bb); !gsi_end_p(at);
         gsi_next_nondebug(&at))
        if (traps(gsi_stmt(at)))
            return gsi_stmt(at);
    return NULL;
}

bool begins_with_trap(basic_block bb)
{
    gimple_stmt_iterator first = gsi_start_nondebug_after_labels_bb(bb);

    return !gsi_end_p(first) && gsi_stmt(first) == trap_in(bb);
}
