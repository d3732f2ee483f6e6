/* SPDX-License-Identifier: MIT */
/* join-grammars.h - one finished grammar behind another: what a parallel engine would need.
 *
 * docs/performance.md ("Two cores") has what it costs and gains, and why the engine has no
 * such mode.  It works on the engine's own structures, with its rewrites.
 */
#ifndef WPP_TEST_JOIN_GRAMMARS_H
#define WPP_TEST_JOIN_GRAMMARS_H

#include "sequitur/sequitur.h"

/* After seq_finish(s): puts what start rule k of g derives behind what start rule k of s
 * does, for each k, as one grammar with all invariants.  g, the export of another seq, stays
 * the caller's.  Afterwards as after seq_finish.  SEQ_OK, SEQ_E_NOMEM, SEQ_E_RANGE,
 * SEQ_E_STATE. */
int join_grammars(seq *s, const struct seq_grammar *g);

#endif
