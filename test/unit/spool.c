/* SPDX-License-Identifier: MIT */
/* The spool: what is put comes out, in order and to the byte, raw or squeezed, within the
 * limit, across a fork; who takes is told to pause and that all is over. */
#include "test/unit/tap.h"
#include "wpp/spool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGEST = 200000, WORDS = 7 };

/* Entry number i: its kind, process, size and words follow from i. */
static uint32_t hash(uint32_t i)
{
    i = (i ^ i >> 15) * 0x2c1b3c6du;
    return i ^ i >> 12;
}

static size_t size_of(uint32_t i)
{
    uint32_t h = hash(i);

    return h % 50 == 0 ? h % LARGEST : h % 3 == 0 ? 65472 : h % 5000;
}

static struct wpp_spool_entry make_entry(uint32_t i, uint8_t *bytes)
{
    size_t n = size_of(i);

    for (size_t k = 0; k < n; k++)
        bytes[k] = (uint8_t)hash((uint32_t)(i + k / 4 % WORDS));
    return (struct wpp_spool_entry){(enum wpp_spool_kind)(i % 3), i, bytes, n};
}

static bool is_entry(uint32_t i, const struct wpp_spool_entry *e)
{
    static uint8_t bytes[LARGEST];
    struct wpp_spool_entry want = make_entry(i, bytes);

    return e->kind == want.kind && e->process == i && e->n == want.n &&
           memcmp(e->bytes, bytes, e->n) == 0;
}

static bool put_all(struct wpp_spool *s, uint32_t from, uint32_t to)
{
    static uint8_t bytes[LARGEST];
    bool done = true;

    for (uint32_t i = from; i < to && done; i++) {
        struct wpp_spool_entry e = make_entry(i, bytes);

        done = wpp_spool_put(s, &e, hash(i) % 4 == 0);
    }
    return done;
}

/* The number of those that come as they should, until none comes. */
static uint32_t take_all(struct wpp_spool *s, uint32_t from, enum wpp_spool_took *how)
{
    struct wpp_spool_entry e;
    uint32_t i = from;

    while ((*how = wpp_spool_take(s, &e, 0)) == WPP_SPOOL_ENTRY && is_entry(i, &e)) {
        wpp_spool_done(s);
        i++;
    }
    return i - from;
}

static uint64_t held(struct wpp_spool *s, uint64_t *waiting)
{
    uint64_t bytes;

    wpp_spool_get_sizes(s, waiting, &bytes);
    return bytes;
}

static void check_one_after_the_other(void)
{
    enum { N = 8000 };
    struct wpp_spool *s = wpp_spool_new(UINT64_MAX);
    enum wpp_spool_took how;
    uint64_t waiting, bytes;

    tap_ok(put_all(s, 0, N), "%d entries are put", N);
    bytes = held(s, &waiting);
    tap_ok(waiting > 150000000 && bytes < waiting / 3 * 2 && bytes > 64 << 20,
           "beyond 64 MB they are squeezed: %llu bytes in %llu", (unsigned long long)waiting,
           (unsigned long long)bytes);
    wpp_spool_pause(s, true);
    tap_ok(take_all(s, 0, &how) == 0 && how == WPP_SPOOL_PAUSED, "a pause is told");
    wpp_spool_pause(s, false);
    tap_ok(take_all(s, 0, &how) == N && how == WPP_SPOOL_NOTHING, "all come out");
    tap_ok(held(s, &waiting) == 0 && waiting == 0, "and nothing is held");
    put_all(s, N, N + 10);
    wpp_spool_close(s);
    tap_ok(take_all(s, N, &how) == 10 && how == WPP_SPOOL_CLOSED, "the end comes behind the rest");
    wpp_spool_free(s);
}

static void check_fork(void)
{
    struct wpp_spool *s = wpp_spool_new(UINT64_MAX);
    enum wpp_spool_took how;
    int status = 1;
    pid_t pid;

    put_all(s, 0, 2000);
    pid = wpp_spool_fork(s);
    if (pid == 0)
        _exit(take_all(s, 0, &how) == 2000 && how == WPP_SPOOL_CLOSED ? 0 : 1);
    put_all(s, 2000, 2100);
    tap_ok(take_all(s, 0, &how) == 2100 && how == WPP_SPOOL_NOTHING, "who forks goes on");
    waitpid(pid, &status, 0);
    tap_ok(status == 0, "the child has what was there, and the end");
    wpp_spool_free(s);
}

/* ---- Two threads ------------------------------------------------------------------------- */

struct taker {
    struct wpp_spool *spool;
    uint64_t most;
    uint32_t right;
};

static void *take(void *argument)
{
    struct taker *t = argument;
    struct wpp_spool_entry e;

    while (wpp_spool_take(t->spool, &e, -1) == WPP_SPOOL_ENTRY) {
        uint64_t waiting, bytes = held(t->spool, &waiting);

        t->most = bytes > t->most ? bytes : t->most;
        t->right += is_entry(t->right, &e);
        wpp_spool_done(t->spool);
    }
    return NULL;
}

static void check_limit(uint64_t limit)
{
    enum { N = 3000 };
    struct taker t = {.spool = wpp_spool_new(limit)};
    pthread_t thread;
    bool done;

    if (pthread_create(&thread, NULL, take, &t) != 0)
        exit(1);
    done = put_all(t.spool, 0, N);
    wpp_spool_close(t.spool);
    pthread_join(thread, NULL);
    tap_ok(done && t.right == N, "limit %llu: another thread has all", (unsigned long long)limit);
    tap_ok(t.most <= limit || t.most <= LARGEST + 32, "and never more: %llu",
           (unsigned long long)t.most);
    wpp_spool_free(t.spool);
}

int main(void)
{
    check_one_after_the_other();
    check_fork();
    check_limit(0);
    check_limit(100000);
    check_limit(5000000);
    check_limit(UINT64_MAX);
    return tap_done();
}
