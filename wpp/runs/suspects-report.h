/* SPDX-License-Identifier: MIT */
/* suspects-report.h - suspects as text, JSON or CSV. */
#ifndef WPP_SUSPECTS_REPORT_H
#define WPP_SUSPECTS_REPORT_H

#include <stdio.h>

#include "wpp/runs/suspects.h"

/* Where a failing run parts from the passing one that is nearest to it; text from malloc, or NULL. */
struct suspect_parting {
    struct suspect_pair pair;
    char *text;                        /* `after 1,201 equal paths, in parse at lex.c:88` */
};

struct suspects_report {
    FILE *out;
    const struct suspects *s;
    const struct ranking *ranking;
    const struct suspect_parting *parting;     /* by row; NULL: not asked for */
    size_t rows;                       /* that are shown, at most ranking->n */
    enum suspect_sort sort;
    uint32_t n_unknown;                /* runs without a label, which were not looked at */
    uint32_t n_builds;
    bool at_lines;                     /* only suspects on some lines were asked for */
    bool eliminated;                   /* each row explains other failing runs */
};

/* All write to `out`, whose errors are the caller's to check. */
void suspects_text(const struct suspects_report *r);
void suspects_json(const struct suspects_report *r);
void suspects_csv(const struct suspects_report *r);

/* Writes what the predicate says: `goes from lex.c:88 to lex.c:91, in parse`. */
void predicate_put(FILE *out, const struct vocabulary *v, uint32_t predicate);
/* Where to look in the source; line 0: not known. */
struct wpp_line predicate_place(const struct vocabulary *v, uint32_t predicate);

#endif
