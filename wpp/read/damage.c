/* SPDX-License-Identifier: MIT */
#include "wpp/read/damage.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef unsigned long long ull;      /* for printf */

/* By bit of enum wpp_part. */
static const struct { const char *what, *is; } parts[] = {
    {"the summary of the run", "is"},
    {"the list of modules", "is"},
    {"the routines", "are"},
    {"the executed paths", "are"},
    {"the threads' names", "are"},
    {"the grammar", "is"},
    {"the times of chunks", "are"},
    {"the list of routines that were not instrumented", "is"},
    {"the times of paths", "are"},
    {"the counts of paths", "are"},
    {"where threads were killed", "is"}
};

static unsigned first_bit(unsigned bits)
{
    return (unsigned)__builtin_ctz(bits);
}

const char *wpp_part_name(unsigned part)
{
    return parts[first_bit(part)].what;
}

static bool reserve(struct wpp_findings *f)
{
    uint32_t capacity = f->capacity ? 2 * f->capacity : 8;
    struct wpp_damage *larger;

    if (f->n < f->capacity)
        return true;
    larger = realloc(f->list, capacity * sizeof *larger);
    if (!larger)
        return false;
    f->list = larger;
    f->capacity = capacity;
    return true;
}

bool wpp_findings_add(struct wpp_findings *f, unsigned part, const char *format, ...)
{
    va_list args;
    char *text;
    int length;

    va_start(args, format);
    length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        return false;
    if (!reserve(f)) {
        free(text);
        return false;
    }
    f->missing |= part;
    f->list[f->n++] = (struct wpp_damage){part, text};
    return true;
}

void wpp_findings_free(struct wpp_findings *f)
{
    for (uint32_t i = 0; i < f->n; i++)
        free((char *)f->list[i].text);
    free(f->list);
    *f = (struct wpp_findings){0};
}

bool wpp_find_head(struct wpp_findings *f, const struct wpp_container *c)
{
    bool done = true;

    switch (c->head) {
    case WPP_HEAD_RIGHT:
        break;
    case WPP_HEAD_MENDED:
        done = wpp_findings_add(f, 0, "byte %llu, in the header, has changed; the checksum says "
                                "what it was", (ull)c->head_mended_at);
        break;
    case WPP_HEAD_LOST:
        done = wpp_findings_add(f, 0, "the header is damaged; what is found has its checksum");
        break;
    }
    if (done && c->misfit)
        done = wpp_findings_add(f, 0, "the section table does not fit the file's size");
    if (done && c->size < c->whole)
        done = wpp_findings_add(f, 0, "the file is cut short: %llu of its %llu bytes are there",
                                (ull)c->size, (ull)c->whole);
    if (done && c->size > c->whole)
        done = wpp_findings_add(f, 0, "%llu byte%s the file's end", (ull)(c->size - c->whole),
                                c->size - c->whole == 1 ? " follows" : "s follow");
    return done;
}

bool wpp_find_section(struct wpp_findings *f, unsigned part, const struct wpp_container *c,
                      uint32_t kind)
{
    unsigned bit = first_bit(part), n;
    const struct wpp_entry *e = wpp_container_find(c, kind, &n);

    if (n == 0)
        return wpp_findings_add(f, part, "%s %s not found (section %u)", parts[bit].what,
                                parts[bit].is, kind);
    if (n > 1)
        return wpp_findings_add(f, part, "%s %s there twice (section %u)", parts[bit].what,
                                parts[bit].is, kind);
    return wpp_findings_add(f, part, "%s %s %s (section %u at byte %llu)", parts[bit].what,
                            parts[bit].is, e->state == WPP_ENTRY_CUT ? "cut off" : "damaged", kind,
                            (ull)e->offset);
}

bool wpp_find_useless(struct wpp_findings *f, unsigned part, const struct wpp_entry *e,
                      unsigned needs)
{
    return wpp_findings_add(f, part, "%s (section %u at byte %llu) cannot be read without %s%s",
                            wpp_part_name(part), e->kind, (ull)e->offset,
                            f->missing & needs ? "" : "all of ", wpp_part_name(needs));
}

bool wpp_find_nonsense(struct wpp_findings *f, unsigned part, const struct wpp_entry *e)
{
    unsigned bit = first_bit(part);

    return wpp_findings_add(f, part, "%s %s damaged (section %u at byte %llu makes no sense)",
                            parts[bit].what, parts[bit].is, e->kind, (ull)e->offset);
}

bool wpp_find_mended(struct wpp_findings *f, unsigned part, const struct wpp_entry *e)
{
    return wpp_findings_add(f, 0, "byte %llu, in %s, has changed; the checksum says what it was",
                            (ull)(e->offset + e->mended_at), wpp_part_name(part));
}

bool wpp_find_unread(struct wpp_findings *f, const struct wpp_entry *e)
{
    const char *what = e->kind == WPP_SECTION_SEGMENT_LIST ? "the list of segments"
                                                           : "a section that is not read";

    if (e->mended)
        return wpp_findings_add(f, 0,
                                "byte %llu, in %s, has changed; the checksum says what it was",
                                (ull)(e->offset + e->mended_at), what);
    return e->state == WPP_ENTRY_INTACT
        || wpp_findings_add(f, 0, "%s is %s (section %u at byte %llu)", what,
                            e->state == WPP_ENTRY_CUT ? "cut off" : "damaged", e->kind,
                            (ull)e->offset);
}
