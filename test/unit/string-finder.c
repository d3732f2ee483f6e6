/* SPDX-License-Identifier: MIT */
/* Occurrences of strings of terminals, against the run written out: random recordings, strings of all lengths that
 * occur or nearly do; all counts and all occurrences. */

#include <stdlib.h>
#include <string.h>

#include "test/unit/random-content.h"
#include "test/unit/tap.h"
#include "wpp/replay/string-finder.h"

enum { MOST_STRING = 40 };

struct string {
    uint32_t terminals[MOST_STRING];
    uint32_t n;
};

static uint32_t *expand(const wpp *w, uint32_t thread, uint64_t *n)
{
    wpp_cursor *c = wpp_cursor_new(w, thread, 0);
    uint32_t *out;

    *n = wpp_thread(w, thread)->tokens;
    out = malloc((*n + 1) * sizeof *out);
    if (!c || wpp_cursor_read(c, out, *n + 1) != *n)
        abort();
    wpp_cursor_free(c);
    return out;
}

static bool occurs(const uint32_t *events, uint64_t n, uint64_t at, const struct string *s)
{
    return s->n <= n - at && memcmp(events + at, s->terminals, s->n * sizeof *events) == 0;
}

/* A part of a thread, repeated or changed in a place now and then, so that the automaton falls back. */
static struct string draw_string(const wpp *w, struct random *r)
{
    uint32_t thread = draw(r, wpp_grammar(w)->n_threads);
    struct string s = {.n = 1 + draw(r, draw(r, 2) ? 4 : MOST_STRING)};
    uint64_t n, at;
    uint32_t *events = expand(w, thread, &n);

    at = n > 0 ? draw(r, (uint32_t)n) : 0;
    if (n - at < s.n)
        s.n = n > at ? (uint32_t)(n - at) : 1;
    for (uint32_t i = 0; i < s.n; i++)
        s.terminals[i] = n > 0 ? events[at + i] : 0;
    if (draw(r, 3) == 0)
        for (uint32_t i = s.n / 2; i < s.n; i++)
            s.terminals[i] = s.terminals[i - s.n / 2];
    if (draw(r, 4) == 0 && wpp_grammar(w)->n_terminals > 0)
        s.terminals[draw(r, s.n)] = draw(r, wpp_grammar(w)->n_terminals);
    free(events);
    return s;
}

/* NULL, or what is wrong. */
static const char *wrong_in_thread(const wpp *w, const struct string_finder *f, const struct string *s, uint32_t thread,
                                   uint64_t *found)
{
    const char *wrong = NULL;
    uint64_t n, k = 0, event;
    uint32_t *events = expand(w, thread, &n);

    for (uint64_t at = 0; at < n && !wrong; at++) {
        /* Of long runs, a part of the counts. */
        if ((n < 1000 || at % 8 == 0) && string_finder_count(f, thread, at) != k)
            wrong = "a count is wrong";
        else if (occurs(events, n, at, s) && (!string_finder_nth(f, thread, k++, &event) || event != at))
            wrong = "an occurrence is elsewhere";
    }
    if (!wrong && string_finder_count(f, thread, n) != k)
        wrong = "the count of all is wrong";
    if (!wrong && string_finder_nth(f, thread, k, &event))
        wrong = "there is one more than all";
    free(events);
    *found += k;
    return wrong;
}

static const char *wrong_in(const wpp *w, struct random *r, uint64_t *found)
{
    struct string s = draw_string(w, r);
    struct wpp_error error;
    struct string_finder *f = string_finder_begin(w, s.terminals, s.n, &error);
    uint64_t part = draw(r, 2) ? UINT64_MAX : 1 + draw(r, 50);
    enum string_state state = STRING_MORE;
    const char *wrong = NULL;

    if (!f)
        return "there is no finder";
    while (state == STRING_MORE)
        state = string_finder_go_on(f, part);
    if (state != STRING_READY)
        wrong = "it does not become ready";
    for (uint32_t k = 0; k < wpp_grammar(w)->n_threads && !wrong; k++)
        wrong = wrong_in_thread(w, f, &s, k, found);
    string_finder_free(f);
    return wrong;
}

int main(void)
{
    enum { RECORDINGS = 200, STRINGS = 4 };
    struct random r = {4711};
    struct wpp_error error;
    uint64_t found = 0;
    uint32_t wrongs = 0;

    for (uint32_t seed = 0; seed < RECORDINGS; seed++) {
        struct random_content *c = random_content(&r, 1 + seed % RC_THREADS, 1 + seed % 300);
        wpp *w;

        rc_words(c, &r);
        w = rc_open(c, &error);
        for (int i = 0; i < STRINGS; i++) {
            const char *wrong = w ? wrong_in(w, &r, &found) : "it is not opened";

            if (wrong)
                tap_note("recording %u: %s", seed, wrong);
            wrongs += wrong != NULL;
        }
        wpp_close(w);
        random_content_free(c);
    }
    tap_ok(wrongs == 0, "%d random recordings, %d strings in each: counts and places as in the run written out",
           RECORDINGS, STRINGS);
    tap_ok(found > RECORDINGS * STRINGS * (uint64_t)3, "they occur");
    tap_note("%llu occurrences", (unsigned long long)found);
    return tap_done();
}
