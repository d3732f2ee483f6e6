/* SPDX-License-Identifier: MIT */
/* html-page.h - the page of `wpp-report --html`: its program as it was built (report/), and the data.
 *
 *      lib/wpp/page.html     head, style, script, WebAssembly       as built
 *      data block            one element for each WPP, its sources, and what the tool says of it
 *
 * The page is read as windows-1252, in which each byte is a character, so the data stay nearly as short as
 * they are.  Four bytes cannot stand in an element of HTML, or are changed there, or begin the escape:
 *
 *      0, carriage return, `<`, `=`      `=` and the byte plus 64
 */
#ifndef WPP_HTML_PAGE_H
#define WPP_HTML_PAGE_H

#include <stdbool.h>
#include <stdint.h>

struct html_page_request {
    const char *const *path;       /* of the WPPs */
    uint32_t n;                    /* 1 or 2 */
    const char *output;
    bool force;                    /* replaces the output if it exists */
    bool no_sources;               /* holds no source text */
};

/* Writes the page, or dies.  TOOL_OK, or TOOL_INCOMPLETE if that was said of a file. */
int html_page_write(const struct html_page_request *r);

#endif
