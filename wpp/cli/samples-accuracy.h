/* SPDX-License-Identifier: MIT */
/* samples-accuracy.h - wpp-samples --accuracy and --plan: samples of a recorded run, compared with the run. */
#ifndef WPP_SAMPLES_ACCURACY_H
#define WPP_SAMPLES_ACCURACY_H

#include "wpp/cli/samples-request.h"

/* Prints the table that is asked for, by depth and period or by routine; with an output writes the run's own
 * profile.  The exit status.  Dies on failure. */
int samples_accuracy(const struct samples_request *r);

#endif
