/* SPDX-License-Identifier: GPL-3.0-or-later */
/* call-rates.h - how often the routines of a unit are called, as far as the unit tells. */
#ifndef WPP_CALL_RATES_H
#define WPP_CALL_RATES_H

#include "gcc-plugin/gcc-compat.h"

#include <unordered_map>

/* A routine that other units or pointers may call counts as called once, as nothing is known
 * of it.  One that only this unit's routines call runs as often as these do, each call of theirs
 * weighted by how often its block runs; 1 at most, since what is called more often is
 * no reason for more text than where nothing is known. */
class call_rates {
public:
    /* Once, when GCC has decided what is inlined where, before any routine of the unit is
     * given to of().  Reads the bodies of all that the unit has. */
    void estimate();

    /* From 0 to 1; 1 for a routine that estimate() has not seen. */
    double of(function *fun) const;

private:
    typedef std::unordered_map<unsigned, double> rate_map;       /* by DECL_UID */

    rate_map rates;
    std::unordered_map<basic_block, double> blocks;     /* runs in a call of their routine */

    void weigh_blocks();
    double of_call(cgraph_edge *call) const;
    void add_calls(cgraph_node *caller, double rate, rate_map &incoming) const;
};

#endif
