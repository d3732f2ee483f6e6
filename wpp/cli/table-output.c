/* SPDX-License-Identifier: MIT */
#include "wpp/cli/table-output.h"

#include "wpp/base/clipped-output.h"
#include "wpp/cli/tool.h"

struct table_text table_output_begin(bool text, bool full_names, bool color)
{
    struct table_text t = {
        .color = color, .names = short_names_new(full_names), .columns = full_names || !text ? 0 : tool_columns()
    };

    t.out = t.columns ? clipped_open(stdout, t.columns) : stdout;
    if (!t.out || !t.names)
        tool_die_of_memory();
    return t;
}

void table_output_end(struct table_text *t)
{
    if (t->out != stdout)
        fclose(t->out);
    short_names_free(t->names);
}
