/* SPDX-License-Identifier: MIT */
/* loop-figures.h - how often loops were gone round at most, and by how many failing and passing runs.
 *
 * A figure for each loop and number.  When there are too many, numbers are rounded down to fewer bits, and
 * figures of one number become one: so memory has a limit, and what is rounded does not depend on the order
 * of runs.
 */
#ifndef WPP_LOOP_FIGURES_H
#define WPP_LOOP_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loop_figure {
    uint32_t header;           /* predicate of the loop's header */
    uint32_t fail, pass;
    uint64_t most;
    uint64_t set;              /* sum of the runs' hashes */
};

struct loop_figures {
    struct loop_figure *figure;
    size_t n, capacity;
    uint32_t *slots;           /* numbers plus 1, by hash */
    size_t n_slots;
    unsigned bits;             /* that numbers keep; 0: 64 */
};

void loop_figures_free(struct loop_figures *l);
/* Notes that the run went round at most so often.  False: no memory. */
bool loop_figures_note(struct loop_figures *l, uint32_t header, uint64_t most, bool fails, uint64_t hash);
/* By header, then the largest numbers first; afterwards nothing can be noted. */
void loop_figures_sort(struct loop_figures *l);

#endif
