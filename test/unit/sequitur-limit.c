/* SPDX-License-Identifier: MIT */
/* sequitur-limit.c - a grammar that ends when seq_is_full() says so stays below its limit, its
 * end and its export included, whatever the streams are and however many.
 * test: slow 3 */
#include "test/unit/sequitur-test.h"

#ifdef WPP_HOSTILE
enum { PIECE = 1 << 10, LEAST = 1 << 21, MOST = 1 << 22 };
#else
enum { PIECE = 1 << 14, LEAST = 8 << 20, MOST = 16 << 20 };
#endif

struct allocator {
    uint64_t held, peak;
};

static void *peak_realloc(void *ctx, void *p, size_t old_size, size_t size)
{
    struct allocator *a = ctx;
    void *now = NULL;

    if (size)
        now = realloc(p, size);
    else
        free(p);
    if (size && !now)
        abort();
    a->held += size - old_size;
    a->peak = a->held > a->peak ? a->held : a->peak;
    return now;
}

/* ---- Streams ------------------------------------------------------------------------------ */

struct source {
    const char *name;
    void (*fill)(struct random *r, uint32_t *piece);
    uint32_t next;           /* a terminal that has not been there */
};
static struct source *now;

static void random_words(struct random *r, uint32_t *piece)
{
    for (size_t i = 0; i < PIECE; i++)
        piece[i] = random_below(r, 1 << 20);
}

/* All of it is rules of two that are used twice. */
static void twice(struct random *r, uint32_t *piece)
{
    enum { HALF = PIECE / 2 };

    for (size_t i = 0; i < HALF; i++)
        piece[i] = random_below(r, 1 << 20);
    for (size_t i = 0; i < HALF; i += 2) {
        size_t k = HALF + 2 * random_below(r, HALF / 2);
        piece[HALF + i] = piece[(k - HALF) % HALF];
        piece[HALF + i + 1] = piece[(k - HALF + 1) % HALF];
    }
}

static void nearly_repeated(struct random *r, uint32_t *piece)
{
    random_string(r, piece, PIECE, 1 + random_below(r, 40));
}

/* A run's body asks for seven others of its terminal and as many powers of two. */
static void runs_of_new(struct random *r, uint32_t *piece)
{
    (void)r;
    for (size_t i = 0; i < PIECE; i++)
        piece[i] = now->next + (uint32_t)i / 255;
    now->next += PIECE / 255 + 1;
}

static void runs_of_any_length(struct random *r, uint32_t *piece)
{
    for (size_t i = 0; i < PIECE;) {
        uint32_t terminal = random_below(r, 20000), n = random_below(r, 400);
        for (; n > 0 && i < PIECE; n--)
            piece[i++] = terminal;
    }
}

/* ---- Limits ------------------------------------------------------------------------------- */

static void test_limit(struct source *source, uint32_t streams, uint64_t limit, uint32_t flags)
{
    static uint32_t piece[PIECE];
    struct random r = {streams + limit};
    struct allocator a = {0};
    struct seq_config config = {.size = sizeof config, .realloc = peak_realloc,
                                .realloc_ctx = &a, .memory_max = limit, .flags = flags};
    struct seq_grammar g;
    uint64_t n = 0;
    seq *s;
    bool good = seq_new(&s, &config) == SEQ_OK;

    now = source;
    source->next = 0;
    for (uint32_t k = 0; good && !seq_is_full(s); k++, n += PIECE) {
        source->fill(&r, piece);
        good = seq_append(s, k % streams, piece, PIECE) == SEQ_OK;
    }
    uint64_t before = a.peak;
    good = good && seq_finish(s) == SEQ_OK && seq_export(s, &g) == SEQ_OK;
    if (good)
        seq_grammar_free(s, &g);
    tap_ok(good && a.peak <= limit && n >= limit / 400,
           "%s, %u streams, %llu kB: %llu kB when full, %llu at most, %llu terminals%s",
           source->name, streams, (unsigned long long)limit >> 10,
           (unsigned long long)before >> 10, (unsigned long long)a.peak >> 10,
           (unsigned long long)n, flags ? " (exact)" : "");
    seq_free(s);
}

int main(void)
{
    static struct source sources[] = {
        {"random words", random_words, 0}, {"all of it twice", twice, 0},
        {"nearly repeated", nearly_repeated, 0}, {"runs of new terminals", runs_of_new, 0},
        {"runs of any length", runs_of_any_length, 0},
    };
    static const uint32_t streams[] = {1, 7, 200};

    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        for (size_t k = 0; k < sizeof streams / sizeof *streams; k++) {
            test_limit(&sources[i], streams[k], LEAST, 0);
            test_limit(&sources[i], streams[k], MOST, 0);
        }
        test_limit(&sources[i], 3, LEAST, SEQ_EXACT);
    }
    return tap_done();
}
