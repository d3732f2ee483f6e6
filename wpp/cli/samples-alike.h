/* SPDX-License-Identifier: MIT */
/* samples-alike.h - wpp-samples --alike: which paths samples never tell apart. */
#ifndef WPP_SAMPLES_ALIKE_H
#define WPP_SAMPLES_ALIKE_H

#include "wpp/cli/samples-request.h"

/* Prints them by routine, for the depth that is given or for 4, 8, 16 and 32.  The exit status.  Dies on failure. */
int samples_alike(const struct samples_request *r);

#endif
