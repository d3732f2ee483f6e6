/* SPDX-License-Identifier: MIT */
/* table-output.h - standard output as a tool's tables want it: clipped to a terminal's width, unless names
 * are to be full. */
#ifndef WPP_TABLE_OUTPUT_H
#define WPP_TABLE_OUTPUT_H

#include "wpp/profile/table-text.h"

/* `text`: the output is a text for people, not JSON or CSV.  Dies without memory. */
struct table_text table_output_begin(bool text, bool full_names, bool color);
void table_output_end(struct table_text *t);

#endif
