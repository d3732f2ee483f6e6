/* SPDX-License-Identifier: MIT */
/* wpp-step's session on the beginning of a run, against one on the whole run: the same keys lead to the same places, or
 * wait, and lead there once the session on the whole has taken over.  Random recordings. */

#include <stdlib.h>
#include <string.h>

#include "test/unit/lane-content.h"
#include "test/unit/tap.h"
#include "wpp/replay/stack.h"
#include "wpp/step/session.h"
#include "wpp/step/terminal.h"

struct sides {
    wpp *whole, *part;
    wpp_stacks *stacks, *early_stacks;
    struct session session, early;
};

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_rows(const struct session *a, const struct session *b)
{
    bool same = a->n_rows == b->n_rows && a->row == b->row;

    for (size_t i = 0; same && i < a->n_rows; i++) {
        const struct stack_row *x = &a->rows[i], *y = &b->rows[i];

        same = same_text(x->name, y->name) && same_text(x->file, y->file) && x->line == y->line
            && x->inlined == y->inlined && x->first == y->first && x->unseen == y->unseen && x->frame == y->frame;
    }
    return same;
}

static bool same_place(const struct session *a, const struct session *b)
{
    return a->at.thread == b->at.thread && a->at.event == b->at.event && a->at.line == b->at.line && same_rows(a, b)
        && same_text(a->file, b->file) && a->cursor == b->cursor;
}

/* Presses a key, with a number in front of it, in one of them. */
static void press(struct session *s, uint32_t count, int key)
{
    char digits[16];

    if (count > 1) {
        snprintf(digits, sizeof digits, "%u", count);
        for (const char *d = digits; *d; d++)
            session_key(s, *d);
    }
    session_key(s, key);
}

/* Whether the session on the whole run goes on where the early one waits. */
static bool takes_over(const struct sides *x)
{
    struct session s;
    bool right = session_begin(&s, x->whole, "random", x->early.at.thread, x->stacks, NULL);

    if (!right)
        return false;
    session_take_over(&s, &x->early);
    right = s.at.event == x->early.at.event && s.at.line == x->early.at.line && same_rows(&s, &x->early)
         && memcmp(s.marks, x->early.marks, sizeof s.marks) == 0;
    session_key(&s, x->early.waits_for_rest);
    right = right && same_place(&s, &x->session);
    session_end(&s);
    return right;
}

struct outcome { unsigned sessions, keys, waited, wrong; };

static void press_keys(struct sides *x, struct random *r, struct outcome *out)
{
    static const int keys[] = {'s', 's', 'S', 'n', 'n', 'N', 'f', 'F', '0', '.', 'u', 'd', 'j', 'k', ' ', 'h', '$',
                               TERMINAL_END};
    bool right = same_place(&x->early, &x->session);

    out->sessions++;
    for (unsigned i = 0; right && i < 60; i++) {
        int key = keys[draw(r, sizeof keys / sizeof *keys - (draw(r, 8) ? 2 : 0))];
        uint32_t count = draw(r, 3) ? 1 : 1 + draw(r, draw(r, 4) ? 9 : key == 's' ? 5000000 : 500);

        press(&x->session, count, key);
        press(&x->early, count, key);
        out->keys++;
        if (x->early.waits_for_rest) {
            out->waited++;
            right = takes_over(x);
            break;
        }
        right = same_place(&x->early, &x->session)
             && strcmp(x->early.message, x->session.message) == 0;
    }
    out->wrong += !right;
}

/* Opens both.  False: the beginning is all, or has no lines. */
static bool open_sides(struct sides *x, const struct wpp_bytes *file, struct random *r)
{
    uint32_t thread = 0;
    struct wpp_error error;

    x->whole = wpp_open_memory(file->data, file->size, "random", NULL);
    x->part = wpp_open_memory_unread(file->data, file->size, "random", NULL);
    if (!x->whole || !x->part || !wpp_read_until(x->part, thread, NULL, 1 + draw(r, 3 * SESSION_AHEAD), NULL)
        || wpp_events_read(x->part, thread) == wpp_thread(x->part, thread)->tokens)
        return false;
    x->stacks = wpp_stacks_new(x->whole, NULL);
    x->early_stacks = stacks_until(x->part, thread, wpp_events_read(x->part, thread), NULL);
    if (!session_begin(&x->session, x->whole, "random", thread, x->stacks, &error))
        return false;
    if (session_begin_early(&x->early, x->part, "random", thread, x->early_stacks, &error))
        return true;
    session_end(&x->session);
    return false;
}

static void close_sides(struct sides *x)
{
    wpp_stacks_free(x->stacks);
    wpp_stacks_free(x->early_stacks);
    wpp_close(x->part);
    wpp_close(x->whole);
}

int main(void)
{
    struct random r = {20261130};
    struct outcome out = {0};

    for (unsigned i = 0; i < 60; i++) {
        struct random_content *c = random_content(&r, 1 + draw(&r, RC_THREADS), 1 + draw(&r, 1200));
        struct wpp_bytes code = {0}, file = {0};
        struct sides x = {0};

        rc_words(c, &r);
        lc_repeat(c, 40);
        if (lc_encode(c, &code, &file) && open_sides(&x, &file, &r)) {
            press_keys(&x, &r, &out);
            session_end(&x.session);
            session_end(&x.early);
        }
        close_sides(&x);
        wpp_bytes_free(&code);
        wpp_bytes_free(&file);
        random_content_free(c);
    }
    tap_ok(out.sessions > 10 && out.waited > 3 && out.wrong == 0,
           "%u early sessions, %u keys, %u of which waited: %u wrong", out.sessions, out.keys, out.waited, out.wrong);
    return tap_done();
}
