/* SPDX-License-Identifier: MIT */
#include "wpp/cli/run-range.h"

#include <string.h>

#include "wpp/cli/tool.h"

/* Whether the text can be read with this colon in the middle; if so, does it.  Lines are written with
 * colons, too. */
static bool split(struct run_range *r, const char *colon)
{
    const char *end = colon + 1;

    r->has_begin = colon > r->text;
    r->counted = end[0] == '+';
    r->has_end = end[0] != '\0';
    if (r->has_begin && !place_parse(r->text, (size_t)(colon - r->text), &r->begin))
        return false;
    if (!r->counted)
        return !r->has_end || place_parse(end, strlen(end), &r->end);
    return place_parse(end + 1, strlen(end + 1), &r->end) && r->end.kind == PLACE_EVENT;
}

void run_range_parse(struct run_range *r, const char *text)
{
    const char *colon = text;

    r->text = text;
    while ((colon = strchr(colon, ':')) && !split(r, colon))
        colon++;
    if (!colon)
        tool_usage("--range: `%s` is not of the form A:B, or A or B is no place in a run", text);
    if (r->has_begin && r->has_end && !r->counted && r->begin.kind == r->end.kind
        && (r->begin.kind == PLACE_FROM_END ? r->begin.n < r->end.n
            : r->begin.kind == PLACE_EVENT && r->begin.n > r->end.n))
        tool_usage("--range: %s ends before it begins", text);
}

void run_range_events(const struct run_range *r, wpp *w, const char *path, uint32_t thread,
                      uint64_t *begin, uint64_t *end)
{
    uint64_t tokens = wpp_thread(w, thread)->tokens;

    *begin = r->has_begin ? place_event(&r->begin, w, path, thread) : 0;
    *end = tokens;
    if (*begin > tokens)
        tool_die(TOOL_ERROR, "%s: thread %u has only %llu event%s", path, thread,
                 (unsigned long long)tokens, tokens == 1 ? "" : "s");
    if (r->counted)
        *end = r->end.n < tokens - *begin ? *begin + r->end.n : tokens;
    else if (r->has_end)
        *end = place_event(&r->end, w, path, thread);
    *end = *end < tokens ? *end : tokens;
    *end = *end > *begin ? *end : *begin;
}
