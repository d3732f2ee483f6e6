/* SPDX-License-Identifier: GPL-3.0-or-later */
/* selected-paths.h - labels that tell some paths of a DAG from all others, with fewer increments
 * than numbers for all paths need.
 *
 * Afraz, Saha and Kanade, P3: Partitioned Path Profiling (ESEC/FSE 2015), section 4.1.  A set of
 * interesting edges is given; an interesting path has only such edges.  The sum of the labels along
 * a path is its identifier:
 *
 *      PSPP (Algorithm 1)   an interesting path shares its identifier with no other path
 *      SPP                  interesting paths share it with no other interesting path, but perhaps
 *                           with one that is not interesting (Apiwattanapong and
 *                           Harrold, PASTE 2002)
 *
 * Uninteresting paths may share identifiers in both.  Labels of uninteresting edges are 0.
 */
#ifndef WPP_SELECTED_PATHS_H
#define WPP_SELECTED_PATHS_H

#include "gcc-plugin/numbering/numbering.h"

#ifdef __cplusplus
extern "C" {
#endif

enum pn_labelling { PN_SPP, PN_PSPP };

/* Labels of the DAG of a graph that pn_number() has numbered.  interesting, label: by DAG edge,
 * n_dag each.  Where the paper leaves an order open, edges come as they were added.  PN_OK or
 * PN_E_NOMEM.  Cost: O(DAG), but for sorting the edges of each vertex. */
int pn_label_paths(const struct pn_graph *g, const bool *interesting, enum pn_labelling how,
                   uint64_t *label);

/* PSPP's identifiers, for reading them: val of each interesting edge, 0 for the others.  An
 * interesting path's identifier is also the sum of its vals.  A reader walks from ENTRY with the
 * identifier as its rest: it takes the interesting edge with the largest val that the rest allows,
 * and subtracts that val.  If no edge can be taken, or a rest stays at EXIT, only uninteresting
 * paths have the identifier.  PN_OK or PN_E_NOMEM. */
int pn_selected_vals(const struct pn_graph *g, const bool *interesting, uint64_t *val);

/* How many labels are not 0: the probes that a copy executes, the paper's static cost of
 * a routine. */
uint32_t pn_probes(const struct pn_graph *g, const uint64_t *label);

/* Other increments with the same sum, modulo 2^64, along every path: edges of large weight get
 * none, as far as the chords of one spanning tree can carry the sums.  label, weight, inc, chord:
 * by DAG edge; inc is 0 off the chords.  PN_OK or PN_E_NOMEM. */
int pn_place_labels(const struct pn_graph *g, const uint64_t *label, const uint64_t *weight,
                    int64_t *inc, bool *chord);

#ifdef __cplusplus
}
#endif
#endif
