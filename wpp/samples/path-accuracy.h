/* SPDX-License-Identifier: MIT */
/* path-accuracy.h - how good estimated counts of paths are, where the actual ones are known.
 *
 *      actual     A 50 %   B 30 %   C 15 %   D 5 %      hot: A B C
 *      estimate   A 55 %   B 20 %   D 15 %   C 10 %     its three most frequent: A B D
 *
 *      accuracy   (50 + 30) / (50 + 30 + 15): the paper's
 *      overlap    50 + 20 + 10 + 5 %: Wall's weight matching
 */
#ifndef WPP_PATH_ACCURACY_H
#define WPP_PATH_ACCURACY_H

#include "wpp/samples/path-estimate.h"

struct path_accuracy {
    uint64_t n_paths, n_hot;   /* executed; of these hot */
    double hot_flow;           /* share of the flow that hot paths have */
    double accuracy;           /* of that, the flow of the paths that are among the n_hot most frequent of the
                                  estimate */
    double overlap;            /* sum of the lesser share in both, of all paths */
};

/* Hot are paths with at least `share` of the executions.  Both are in order.  False without memory. */
bool path_accuracy_of(const struct path_estimates *estimate, const struct path_estimates *actual,
                      double share, struct path_accuracy *out);

/* The same of one routine: shares are those of the whole flow, and so is what is hot. */
struct routine_accuracy {
    uint32_t routine;
    uint64_t n_hot;
    double flow, estimated;    /* share of the executions, and of the estimate's */
    double hot_flow, found;    /* of its hot paths; of those that are among the estimate's most frequent */
    double overlap;            /* at most `flow` */
};

/* Sets out[0 .. *n): each routine that was executed or is estimated, by what is lost (flow - overlap), most first.
 * The caller frees it.  False without memory. */
bool path_accuracy_by_routine(const struct path_estimates *estimate, const struct path_estimates *actual,
                              double share, struct routine_accuracy **out, uint32_t *n);

#endif
