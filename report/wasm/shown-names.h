/* SPDX-License-Identifier: MIT */
/* shown-names.h - C++ names in a page: there is no C++ runtime, so wpp-report has put them there. */
#ifndef WPP_SHOWN_NAMES_H
#define WPP_SHOWN_NAMES_H

#include "report/page-sources.h"

/* Those of the run that is being opened; NULL: none. */
extern const struct page_sources *shown_names;

#endif
