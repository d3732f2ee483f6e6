/* SPDX-License-Identifier: MIT */
/* edge-prediction-report.h - what an edge profile tells of the paths, as text, JSON or CSV. */
#ifndef WPP_EDGE_PREDICTION_REPORT_H
#define WPP_EDGE_PREDICTION_REPORT_H

#include "wpp/profile/edge-prediction.h"
#include "wpp/profile/path-report.h"

struct prediction_report {
    const struct edge_prediction *e;
    const struct path_report *rows;      /* its output, and the routines and paths it has taken */
};

/* All write to rows->text.out, whose errors are the caller's to check.  False: no memory. */
bool prediction_text(const struct prediction_report *r);
bool prediction_json(const struct prediction_report *r);
bool prediction_csv(const struct prediction_report *r);

#endif
