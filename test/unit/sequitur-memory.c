/* SPDX-License-Identifier: MIT */
/* sequitur-memory.c - every allocation fails once; nothing leaks, nothing breaks. */
#include "test/unit/combine.h"
#include "test/unit/sequitur-test.h"

enum { TEXT = 30000, LITTLE = 4000, PIECE = 700 };

struct allocator {
    uint64_t calls;
    uint64_t fail_at;        /* the call that fails; 0: none */
    uint64_t held;
    bool wrong_size;
};

/* Each block carries its size in front, to see that old_size is right. */
static void *count_realloc(void *ctx, void *p, size_t old_size, size_t size)
{
    struct allocator *a = ctx;
    size_t *block = p ? (size_t *)p - 2 : NULL;

    a->wrong_size |= old_size != (block ? block[0] : 0);
    if (!size) {
        a->held -= old_size;
        free(block);
        return NULL;
    }
    if (++a->calls == a->fail_at)
        return NULL;
    block = realloc(block, size + 2 * sizeof *block);
    a->held += size - old_size;
    block[0] = size;
    return block + 2;
}

/* Everything a user does; the first status that is not SEQ_OK. */
static int build(struct allocator *a, uint32_t flags, const uint32_t *text, size_t length,
                 unsigned rounds)
{
    struct seq_config config = {
        .size = sizeof config, .realloc = count_realloc, .realloc_ctx = a, .flags = flags,
    };
    struct seq_grammar g = {0};
    struct seq_stats stats;
    char why[128];
    seq *s = NULL;
    int status = seq_new(&s, &config);

    for (size_t i = 0; status == SEQ_OK && i < length; i += PIECE)
        status = seq_append(s, (uint32_t)(i / PIECE % 5), text + i,
                            i + PIECE < length ? PIECE : length - i);
    if (status == SEQ_OK)
        status = seq_finish(s);
    if (status == SEQ_OK) {
        seq_get_stats(s, &stats);
        if (stats.memory != a->held || stats.memory_peak < stats.memory)
            status = SEQ_E_BROKEN;
    }
    if (status == SEQ_OK)
        status = seq_check(s, why, sizeof why);
    if (status == SEQ_OK && rounds > 0)
        status = seq_reparse(s, rounds, NULL);
    if (status == SEQ_OK) {
        seq_get_stats(s, &stats);
        if (stats.memory != a->held)
            status = SEQ_E_BROKEN;
    }
    if (status == SEQ_OK)
        status = seq_export(s, &g);
    if (status == SEQ_OK)
        seq_grammar_free(s, &g);
    seq_free(s);
    return status;
}

/* The first half becomes a base, the rest two parts on it. */
static int build_parts(struct allocator *a, const uint32_t *text, size_t length)
{
    struct seq_config config = {.size = sizeof config, .realloc = count_realloc, .realloc_ctx = a};
    struct seq_grammar g = {0};
    seq_piece *piece[3] = {0};
    char why[128];
    seq *base = NULL, *s = NULL;
    int status = seq_new(&base, &config);

    for (size_t i = 0; status == SEQ_OK && i < length / 2; i += PIECE)
        status = seq_append(base, (uint32_t)(i / PIECE % 3), text + i, PIECE);
    if (status == SEQ_OK)
        status = seq_end_base(base, &piece[0]);
    for (size_t k = 1; status == SEQ_OK && k < 3; k++) {
        status = seq_new_on(&s, base, &config);
        if (status == SEQ_OK)
            status = seq_append(s, (uint32_t)k, text + length / 4 * (k + 1), length / 4);
        if (status == SEQ_OK)
            status = seq_end_piece(s, &piece[k]);
        if (status == SEQ_OK)
            status = seq_check(s, why, sizeof why);
        seq_free(s);
        s = NULL;
    }
    if (status == SEQ_OK)
        status = combine_pieces(base, piece, 3, 3, &g);
    combined_free(&g);
    for (size_t k = 0; k < 3; k++)
        seq_piece_free(piece[k]);
    seq_free(base);
    return status;
}

static void test_parts(const uint32_t *text, size_t length)
{
    struct allocator all = {0};
    uint64_t told = 0;
    bool clean = true;

    tap_ok(build_parts(&all, text, length) == SEQ_OK && !all.held && !all.wrong_size,
           "parts: all memory is accounted for and given back");
    for (uint64_t n = 1; n <= all.calls; n++) {
        struct allocator one = {.fail_at = n};
        told += build_parts(&one, text, length) == SEQ_E_NOMEM;
        clean = clean && !one.held && !one.wrong_size;
    }
    tap_ok(told == all.calls, "parts: %llu of %llu failures are reported", (unsigned long long)told,
           (unsigned long long)all.calls);
    tap_ok(clean, "parts: and leave nothing behind");
}

static void test_failures(uint32_t flags, const char *mode, const uint32_t *text, size_t length,
                          unsigned rounds)
{
    struct allocator all = {0};
    uint64_t told = 0;
    bool clean = true;

    tap_ok(build(&all, flags, text, length, rounds) == SEQ_OK && !all.held && !all.wrong_size,
           "%s: all memory is accounted for and given back", mode);
    for (uint64_t n = 1; n <= all.calls; n++) {
        struct allocator one = {.fail_at = n};
        told += build(&one, flags, text, length, rounds) == SEQ_E_NOMEM;
        clean = clean && !one.held && !one.wrong_size;
    }
    tap_ok(told == all.calls, "%s: %llu of %llu failures are reported", mode,
           (unsigned long long)told, (unsigned long long)all.calls);
    tap_ok(clean, "%s: and leave nothing behind", mode);
}

int main(void)
{
    static uint32_t text[TEXT];
    struct random r = {5};

    for (size_t i = 0; i < TEXT; i += TEXT / 6)
        random_string(&r, text + i, TEXT / 6, i % 4 ? 5 : 3000);
    test_failures(SEQ_PLAIN, "plain", text, TEXT, 0);
    test_failures(SEQ_EXACT, "exact", text, TEXT, 0);
    test_failures(0, "fast", text, TEXT, 0);
    /* Each failure but the first ones has all of the engine's work before it. */
    test_failures(0, "parsed anew", text + TEXT / 6 - LITTLE / 2, LITTLE, 2);
    test_parts(text, TEXT);
    return tap_done();
}
