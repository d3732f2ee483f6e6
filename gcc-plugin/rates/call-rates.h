/* SPDX-License-Identifier: GPL-3.0-or-later */
/* call-rates.h - estimates how often the routines of a unit are called, from the unit alone. */
#ifndef WPP_CALL_RATES_H
#define WPP_CALL_RATES_H

#include "gcc-plugin/gcc-compat.h"

#include <unordered_map>

/* A routine that other units or pointers may call has rate 1, because nothing is known of it.  A
 * routine that only this unit calls runs as often as its callers, each call weighted by how
 * often its block runs.  The rate is at most 1: more frequent calls justify no more code than
 * unknown ones. */
class call_rates {
public:
    /* Estimates all rates; reads the bodies of all routines of the unit.  To be called once,
     * when GCC has decided all inlining, and before of(). */
    void estimate();

    /* From 0 to 1; 1 for a routine that estimate() has not seen. */
    double of(function *fun) const;

private:
    typedef std::unordered_map<unsigned, double> rate_map;       /* by DECL_UID */

    rate_map rates;
    std::unordered_map<basic_block, double> blocks;     /* number of runs in one call of their
                                                           routine */

    void weigh_blocks();
    double of_call(cgraph_edge *call) const;
    void add_calls(cgraph_node *caller, double rate, rate_map &incoming) const;
};

#endif
