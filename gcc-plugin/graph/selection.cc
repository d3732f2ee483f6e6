// SPDX-License-Identifier: GPL-3.0-or-later
// selection.cc - selects the routines to instrument.

#include "gcc-plugin/graph/selection.h"

#include <cxxabi.h>
#include <fnmatch.h>

#include "gcc-plugin/graph/symbol.h"

/* ---- Arguments -------------------------------------------------------------------- */

static bool parse_number(const char *text, unsigned long *out)
{
    char *end;

    if (!ISDIGIT(*text))
        return false;
    errno = 0;
    *out = strtoul(text, &end, 10);
    return *end == '\0' && errno == 0;
}

bool selection::parse(const char *key, const char *value)
{
    if (!value || !*value)
        return false;
    if (!strcmp(key, "include"))
        include_.push_back(value);
    else if (!strcmp(key, "exclude"))
        exclude_.push_back(value);
    else
        return !strcmp(key, "min-size") && parse_number(value, &min_size_);
    return true;
}

/* ---- What cannot be instrumented --------------------------------------------------- */

// The routines of the unit that a routine calls by name.  `fun` is the routine that is being
// compiled.
static std::vector<cgraph_node *> callees_of(cgraph_node *node, function *fun)
{
    std::vector<cgraph_node *> callees;
    basic_block bb;

    for (cgraph_edge *edge = node->callees; edge; edge = edge->next_callee)
        callees.push_back(edge->callee->ultimate_alias_target());
    if (node->decl == fun->decl)          // the call graph no longer has its calls
        FOR_EACH_BB_FN (bb, fun)
            for (gimple_stmt_iterator at = gsi_start_bb(bb); !gsi_end_p(at); gsi_next(&at)) {
                gcall *call = dyn_cast<gcall *>(gsi_stmt(at));
                tree callee = call ? gimple_call_fndecl(call) : NULL_TREE;
                if (callee && cgraph_node::get(callee))
                    callees.push_back(cgraph_node::get(callee)->ultimate_alias_target());
            }
    return callees;
}

// IFUNC resolvers, and the routines that they call.  They run while the program is being
// relocated, before anything can be recorded.
static std::set<unsigned> find_early(function *fun)
{
    std::vector<cgraph_node *> pending;
    std::set<unsigned> early;
    cgraph_node *node;

    FOR_EACH_FUNCTION(node)
        if (node->ifunc_resolver)
            pending.push_back(node->ultimate_alias_target());
    while (!pending.empty()) {
        node = pending.back();
        pending.pop_back();
        if (early.insert(DECL_UID(node->decl)).second)
            for (cgraph_node *callee : callees_of(node, fun))
                pending.push_back(callee);
    }
    return early;
}

// Constructors and destructors that are in no source.  They call the runtime of a sanitizer or
// of the coverage, or after link-time optimisation the program's own constructors.
static bool compilers_own(tree decl)
{
    return DECL_ARTIFICIAL(decl) && DECL_IGNORED_P(decl)
           && (DECL_STATIC_CONSTRUCTOR(decl) || DECL_STATIC_DESTRUCTOR(decl));
}

static bool has_attribute(tree decl, const char *name)
{
    return lookup_attribute(name, DECL_ATTRIBUTES(decl)) != NULL_TREE;
}

/* ---- What is not wanted -------------------------------------------------------------- */

// The names that a pattern is compared with: the source file; the assembler's name; the name
// without GCC's suffixes for clones (`f.constprop.0` is `f`); for C++ also the name with
// parameters.
static std::vector<std::string> names_of(tree decl)
{
    std::string symbol = symbol_of(decl);
    std::string plain = symbol.substr(0, symbol.find('.', 1));
    std::vector<std::string> names = {DECL_SOURCE_FILE(decl), symbol, plain};
    int status;

    if (char *readable = abi::__cxa_demangle(plain.c_str(), NULL, NULL, &status)) {
        names.push_back(readable);
        free(readable);
    }
    return names;
}

static bool matches(const std::vector<std::string> &globs, const std::vector<std::string> &names)
{
    for (const std::string &glob : globs)
        for (const std::string &name : names)
            if (fnmatch(glob.c_str(), name.c_str(), 0) == 0)
                return true;
    return false;
}

static unsigned long size_of(function *fun)
{
    basic_block bb;
    unsigned long insns = 0;

    FOR_EACH_BB_FN (bb, fun)
        for (gimple_stmt_iterator at = gsi_start_bb(bb); !gsi_end_p(at); gsi_next(&at))
            insns += estimate_num_insns(gsi_stmt(at), &eni_size_weights);
    return insns;
}

void selection::begin_unit(function *fun)
{
    early_ = find_early(fun);
}

bool is_resolver(tree decl)
{
    cgraph_node *node = cgraph_node::get(decl);
    ipa_ref *ref;

    FOR_EACH_ALIAS(node, ref) {
        cgraph_node *alias = dyn_cast<cgraph_node *>(ref->referring);
        if (alias && alias->ifunc_resolver)
            return true;
    }
    return false;
}

void tell_of_calls_in_naked(tree decl)
{
    if (!flag_instrument_function_entry_exit || !has_attribute(decl, "naked")
        || DECL_NO_INSTRUMENT_FUNCTION_ENTRY_EXIT(decl))
        return;
    inform(DECL_SOURCE_LOCATION(decl),
           "%qD is naked: GCC puts calls for %<-finstrument-functions%> "
           "into it, which change its callers%' registers, also without wpp; declare it "
           "%<no_instrument_function%>", decl);
}

table_reason selection::judge(function *fun) const
{
    tree decl = fun->decl;

    if (has_attribute(decl, "no_wpp"))
        return TABLE_ATTRIBUTE;
    if (has_attribute(decl, "naked") || has_attribute(decl, "interrupt"))
        return TABLE_NO_FRAME;
    // With stage=early, GCC makes the resolvers for target_clones after begin_unit() has run.
    // Such a resolver calls nothing of the unit.
    if (early_.count(DECL_UID(decl)) || is_resolver(decl)
        || startswith(symbol_of(decl), "__wpp_"))
        return TABLE_TOO_EARLY;
    if (compilers_own(decl))
        return TABLE_COMPILERS_OWN;
    if (!include_.empty() || !exclude_.empty()) {
        std::vector<std::string> names = names_of(decl);
        if (!include_.empty() && !matches(include_, names))
            return TABLE_NOT_INCLUDED;
        if (matches(exclude_, names))
            return TABLE_EXCLUDED;
    }
    return min_size_ && size_of(fun) < min_size_ ? TABLE_TOO_SMALL : TABLE_WANTED;
}
