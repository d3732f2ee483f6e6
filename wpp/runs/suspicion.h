/* SPDX-License-Identifier: MIT */
/* suspicion.h - how much a predicate goes with failure.
 *
 * Of a predicate P, F and S failing and successful runs in which it was true, Fo and So in which it was
 * observed, NumF and NumS of all (Liblit et al., PLDI 2003 and 2005; Chilimbi et al., ICSE 2009):
 *
 *      Failure     F / (F + S)                     of the runs in which it was true
 *      Context     Fo / (Fo + So)                  of those in which it could have been
 *      Increase    Failure - Context
 *      Importance  2 / (1 / Increase + log NumF / log F)
 *
 * The harmonic mean of Increase and log F / log NumF.  It is 0 where the 95 % interval of Increase does
 * not lie above 0, or F is at most 1.
 *
 *      Ochiai      F / sqrt(NumF (F + S))
 *      Tarantula   (F / NumF) / (F / NumF + S / NumS)
 *      Bits        N H(NumF / N) - n H(F / n) - m H((NumF - F) / m)
 *
 * with n = F + S, N = NumF + NumS, m = N - n, and H(p) the entropy of a coin: by so many bits the labels of all runs
 * can be told shorter if it is known in which of them P was true.  0 if failure is not likelier there.
 *
 * What has no value, since it would be divided by 0, is 0.
 */
#ifndef WPP_SUSPICION_H
#define WPP_SUSPICION_H

#include <stdint.h>

struct run_counts_of {
    uint32_t fail, pass;               /* F, S */
    uint32_t seen_fail, seen_pass;     /* Fo, So; at least F and S */
};

struct suspicion {
    struct run_counts_of n;
    double failure, context, increase, importance;
    double increase_error, importance_error;       /* half of the 95 % intervals, by the delta method */
    double ochiai, tarantula, bits;
};

struct suspicion suspicion_of(struct run_counts_of n, uint32_t num_fail, uint32_t num_pass);

#endif
