/* SPDX-License-Identifier: MIT */
/* Where two random recordings part, by path, by line and by routine, against their events written
 * out.  B's recording is A's with some symbols of the start rules exchanged, added, or left out. */

#include "wpp/compare/run-diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/random-content.h"
#include "test/unit/tap.h"

/* ---- Another recording -------------------------------------------------------------------------- */

/* Whether the symbol stands before `at` in the start rules, so that numbers do not depend on its use
 * there. */
static bool was_before(const uint32_t *symbol, uint32_t at, uint32_t what)
{
    for (uint32_t i = 0; i < at; i++)
        if (symbol[i] == what)
            return true;
    return false;
}

/* Changes the start rules, which are the last ones. */
static void change(struct random_content *c, struct random *r)
{
    uint32_t n_threads = c->content.n_threads, n = 0;
    uint32_t first = (uint32_t)c->body[c->n_rules], of[RC_MAX];
    uint32_t old[RC_MAX], *out = c->symbols + first, least = 1 + draw(r, 300);

    for (uint32_t k = 0; k < n_threads; k++)
        for (uint64_t i = c->starts[k]; i < c->starts[k + 1]; i++)
            of[i] = k;
    memcpy(old, c->start_symbols, c->starts[n_threads] * sizeof *old);
    for (uint32_t k = 0, i = 0; k < n_threads; k++) {
        c->body[c->n_rules + k] = first + n;
        c->length[c->n_rules + k] = 0;
        for (; i < c->starts[n_threads] && of[i] == k; i++) {
            uint32_t symbol = old[i];
            bool free_to = was_before(old, i, symbol);

            if (n > 0 && draw(r, least) == 0 && first + n + 2 < sizeof c->symbols / sizeof *c->symbols) {
                uint32_t other = out[draw(r, n)];

                switch (draw(r, 3)) {
                case 0: out[n++] = other; break;                       /* one more */
                case 1: symbol = free_to ? other : symbol; break;
                case 2: if (free_to) continue;
                }
            }
            out[n++] = symbol;
        }
        for (uint64_t s = c->body[c->n_rules + k]; s < first + n; s++)
            c->length[c->n_rules + k] += c->symbols[s] & WPP_RULE
                                       ? c->length[c->symbols[s] & ~WPP_RULE] : 1;
        c->threads[k].tokens = c->length[c->n_rules + k];
        c->chunks[2 * k + 1].first = c->threads[k].tokens / 2;
    }
    c->body[c->n_rules + n_threads] = first + n;
}

/* ---- Keys, written out ------------------------------------------------------------------------ */

struct list {
    char **text;
    uint64_t *event;               /* that each came from */
    uint64_t n, room, events;
};

static void append(struct list *l, const char *text, uint64_t event)
{
    if (l->n == l->room) {
        l->room = 2 * l->room + 64;
        l->text = realloc(l->text, l->room * sizeof *l->text);
        l->event = realloc(l->event, l->room * sizeof *l->event);
    }
    l->event[l->n] = event;
    l->text[l->n++] = strdup(text);
}

static void list_free(struct list *l)
{
    for (uint64_t i = 0; i < l->n; i++)
        free(l->text[i]);
    free(l->text);
    free(l->event);
}

static const char *last_part(const char *path)
{
    return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

/* Whether every way to begin a path at the block is to come back from a call, or from a cut for want
 * of numbers. */
static bool only_after_calls(const struct wpp_routine *r, uint32_t block)
{
    unsigned calls = 0, others = 0;

    for (uint32_t i = 0; i < r->n_edges; i++)
        switch (r->edges[i].to == block ? r->edges[i].kind : WPP_EDGE_REAL) {
        case WPP_EDGE_REAL: case WPP_EDGE_START: break;
        case WPP_EDGE_END_CALL: case WPP_EDGE_END_LIMIT: calls++; break;
        default: others++;
        }
    return calls > 0 && others == 0;
}

static bool ignored_line(const struct wpp_routine *r, uint32_t call, const char *ignore)
{
    for (; ignore && call > 0; call = r->inlined[call - 1].caller)
        if (strcmp(r->inlined[call - 1].name, ignore) == 0)
            return true;
    return false;
}

static void append_lines(struct list *l, const struct wpp_terminal *t, const struct wpp_routine *r,
                         const char *ignore, uint64_t event)
{
    bool first = true;
    uint64_t begin = l->n;

    for (uint32_t i = 0; i < t->n_blocks; i++) {
        const struct wpp_block *b = &r->blocks[t->blocks[i]];

        for (uint32_t k = 0; k < b->n_lines; k++) {
            const struct wpp_line *x = &b->lines[k];
            char text[1000];
            int n;

            if (x->line == 0 || ignored_line(r, x->inlined, ignore))
                continue;
            n = snprintf(text, sizeof text, "%s|%s|%d|%u|%s", r->name, last_part(r->file),
                         strcmp(x->file, r->file), strcmp(x->file, r->file) ? x->line
                         : x->line - r->line, last_part(x->file));
            for (uint32_t call = x->inlined; call > 0; call = r->inlined[call - 1].caller)
                n += snprintf(text + n, sizeof text - n, "|%s", r->inlined[call - 1].name);
            /* In a path a line goes on; at its beginning, if it came back from a call. */
            if (l->n > 0 && strcmp(l->text[l->n - 1], text) == 0
                && (l->n > begin || !first
                    || (i == 0 && !t->enters && only_after_calls(r, t->blocks[0])))) {
                first = false;
                continue;
            }
            first = false;
            append(l, text, event);
        }
    }
}

static void append_event(struct list *l, const wpp *w, enum common_by by, const char *ignore,
                         uint32_t terminal, uint64_t event)
{
    const struct wpp_terminal *t = wpp_terminal(w, terminal);
    const struct wpp_routine *r = t->routine == WPP_NO_ROUTINE ? NULL : wpp_routine(w, t->routine);
    char text[1000];

    if (!r) {
        if (by == COMMON_BY_PATH || (t->control && t->token == WPP_GAP)) {
            snprintf(text, sizeof text, "token %u", t->token);
            append(l, text, event);
        }
        return;
    }
    if (ignore && strcmp(r->name, ignore) == 0)
        return;
    if (by == COMMON_BY_LINE) {
        append_lines(l, t, r, ignore, event);
    } else if (by == COMMON_BY_PATH) {
        /* The same number: routines of one name may still differ. */
        snprintf(text, sizeof text, "path %u %llu", t->routine, (unsigned long long)t->path);
        append(l, text, event);
    } else if (t->enters) {
        snprintf(text, sizeof text, "%s %s", r->name, last_part(r->file));
        append(l, text, event);
    }
}

static struct list write_out(const wpp *w, uint32_t thread, enum common_by by, const char *ignore)
{
    struct list l = {.events = wpp_thread(w, thread)->tokens};
    wpp_cursor *cursor = wpp_cursor_new(w, thread, 0);
    uint32_t terminal;

    for (uint64_t i = 0; cursor && wpp_cursor_read(cursor, &terminal, 1) == 1; i++)
        append_event(&l, w, by, ignore, terminal, i);
    wpp_cursor_free(cursor);
    return l;
}

static uint64_t equal_from(const struct list *a, uint64_t i, const struct list *b, uint64_t j)
{
    uint64_t n = 0;

    while (i + n < a->n && j + n < b->n && strcmp(a->text[i + n], b->text[j + n]) == 0)
        n++;
    return n;
}

static uint64_t event_at(const struct list *l, uint64_t key)
{
    return key < l->n ? l->event[key] : l->events;
}

/* ---- The comparison ------------------------------------------------------------------------------ */

static uint64_t partings, meetings, returns, equals;

static bool parting_is_right(const struct parting *x, const struct list l[2], uint64_t at[2],
                             uint32_t least)
{
    uint64_t common = equal_from(&l[0], at[0], &l[1], at[1]), after;

    partings++;
    if (x->common != common)
        return tap_note("%llu are equal, not %llu", (unsigned long long)common,
                        (unsigned long long)x->common), false;
    for (unsigned s = 0; s < 2; s++)
        if (x->side[s].key != at[s] + common || x->side[s].event != event_at(&l[s], at[s] + common))
            return tap_note("side %u: event %llu", s, (unsigned long long)x->side[s].event), false;
    if (!x->meets)
        return true;
    meetings++;
    returns += x->by_return;
    for (unsigned s = 0; s < 2; s++) {
        at[s] = x->side[s].meet_key;
        if (at[s] < x->side[s].key || x->side[s].meet_event != event_at(&l[s], at[s]))
            return tap_note("side %u: the meeting's event", s), false;
    }
    after = equal_from(&l[0], at[0], &l[1], at[1]);
    if (after != x->common_after
        || (after < least && !(after > 0 && at[0] + after == l[0].n && at[1] + after == l[1].n)))
        return tap_note("%llu are equal behind the meeting", (unsigned long long)after), false;
    return true;
}

/* The stacks are those of the whole runs, but for `end`. */
static bool stacks_are_right(const struct run_diff *d, const struct thread_diff *t,
                             const struct parting *x)
{
    bool ok = true;

    for (unsigned s = 0; ok && s < 2; s++) {
        struct wpp_error error;
        wpp_stacks *whole = wpp_stacks_new(d->w[s], &error);
        struct wpp_frame *frames = NULL;
        size_t n = 0;

        ok = whole && wpp_stack_at(whole, t->thread[s], x->side[s].event, &frames, &n)
          && n == x->side[s].n_frames;
        for (size_t i = 0; ok && i < n; i++) {
            const struct wpp_frame *f = &frames[i], *g = &x->side[s].frames[i];

            ok = f->routine == g->routine && f->unseen == g->unseen && f->first == g->first
              && f->last == g->last && f->terminal == g->terminal;
        }
        free(frames);
        wpp_stacks_free(whole);
    }
    return ok;
}

static bool thread_is_right(const struct thread_diff *t, const struct list l[2], uint32_t least)
{
    uint64_t at[2] = {0, 0};

    for (unsigned s = 0; s < 2; s++)
        if (t->keys[s] != l[s].n || t->events[s] != l[s].events)
            return tap_note("%llu keys, not %llu", (unsigned long long)t->keys[s],
                            (unsigned long long)l[s].n), false;
    for (size_t i = 0; i < t->n_partings; i++)
        if (!parting_is_right(&t->parting[i], l, at, least))
            return false;
    equals += t->n_partings == 0;
    if (t->more || (t->n_partings > 0 && !t->parting[t->n_partings - 1].meets))
        return true;
    return at[0] + equal_from(&l[0], at[0], &l[1], at[1]) == l[0].n
        && at[1] + equal_from(&l[0], at[0], &l[1], at[1]) == l[1].n;
}

static bool pair_is_right(const wpp *const w[2], struct random *r)
{
    static char *names[] = {"main", "insert", "min"};
    char *ignore = names[draw(r, 3)];
    struct run_diff_request request = {
        .by = draw(r, 3), .ignore = &ignore, .n_ignore = draw(r, 3) == 0,
        .partings = 1 + draw(r, 6), .least = 1 + draw(r, draw(r, 2) ? 6 : 40)
    };
    struct wpp_error error;
    struct run_diff d;
    bool ok = run_diff_new(&d, w, &request, &error);

    for (uint32_t i = 0; ok && i < d.n_threads; i++) {
        struct list l[2];

        for (unsigned s = 0; s < 2; s++)
            l[s] = write_out(w[s], d.thread[i].thread[s], request.by, request.n_ignore ? ignore : NULL);
        ok = thread_is_right(&d.thread[i], l, request.least);
        for (size_t k = 0; ok && k < d.thread[i].n_partings; k++)
            ok = stacks_are_right(&d, &d.thread[i], &d.thread[i].parting[k]);
        list_free(&l[0]);
        list_free(&l[1]);
    }
    if (!ok)
        tap_note("by %u, ignored %s, least %u", request.by, request.n_ignore ? ignore : "none",
                 request.least);
    run_diff_free(&d);
    return ok;
}

static bool random_pair_is_right(struct random *r)
{
    struct random_content *c = random_content(r, 1 + draw(r, RC_THREADS), draw(r, 500));
    struct wpp_error error = {.text = ""};
    wpp *w[2];
    bool ok;

    rc_words(c, r);
    w[0] = rc_open(c, &error);
    change(c, r);
    w[1] = rc_open(c, &error);
    ok = w[0] && w[1] && pair_is_right((const wpp *const *)w, r);
    if (!w[0] || !w[1])
        tap_note("%s", error.text);
    wpp_close(w[0]);
    wpp_close(w[1]);
    random_content_free(c);
    return ok;
}

int main(int argc, char **argv)
{
    uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 300, right = 0;
    struct random r = {UINT64_C(0x0104D1FF)};

    for (uint32_t i = 0; i < count; i++) {
        bool ok = random_pair_is_right(&r);

        if (!ok)
            tap_note("pair %u", i);
        right += ok;
    }
    tap_ok(right == count, "%u pairs of random recordings against their events written out", count);
    tap_ok(partings > count / 2 && meetings > count / 4 && equals > count / 10,
           "%llu partings, %llu meetings, %llu threads that are equal", (unsigned long long)partings,
           (unsigned long long)meetings, (unsigned long long)equals);
#ifdef WPP_HOSTILE
    tap_ok(returns > 0, "%llu meetings where a call ends", (unsigned long long)returns);
#endif
    return tap_done();
}
