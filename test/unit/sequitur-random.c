/* SPDX-License-Identifier: MIT */
/* sequitur-random.c - random strings: the engine against the definition.
 * test: slow 3 */
#include "test/reference/naive-sequitur.h"
#include "test/unit/sequitur-test.h"

enum { MAX_TEXT = 160, MAX_WORDS = 4096, STARTS = 3 };

/* Several streams and the order in which their terminals arrive. */
struct input {
    size_t n;
    uint32_t starts;
    uint32_t start[MAX_TEXT];
    uint32_t symbol[MAX_TEXT];
};

static void make_input(struct random *r, struct input *in)
{
    in->n = 1 + random_below(r, random_below(r, 4) ? 40 : MAX_TEXT);
    in->starts = random_below(r, 3) ? 1 : 1 + random_below(r, STARTS);
    random_string(r, in->symbol, in->n, 1 + random_below(r, 5));
    for (size_t i = 0; i < in->n; i++)
        in->start[i] = i && random_below(r, 4) ? in->start[i - 1] : random_below(r, in->starts);
}

static size_t naive_words(const struct input *in, bool look_ahead, uint32_t *words, bool *merged)
{
    struct naive *g = naive_new(look_ahead);

    for (size_t i = 0; i < in->n; i++)
        naive_append(g, in->start[i], in->symbol[i]);
    naive_finish(g);
    size_t count = naive_export(g, in->starts, words, MAX_WORDS);
    *merged = naive_merged(g);
    naive_free(g);
    return count;
}

/* As naive_export() lists a grammar. */
static size_t flatten(const struct seq_grammar *g, uint32_t *words)
{
    size_t count = 0;

    for (uint32_t k = 0; k < g->rules + g->starts; k++) {
        words[count++] = (uint32_t)(g->body[k + 1] - g->body[k]);
        for (uint64_t i = g->body[k]; i < g->body[k + 1]; i++)
            words[count++] = g->symbols[i];
    }
    return count;
}

static bool all_derived(const struct input *in, const struct seq_grammar *g)
{
    uint32_t text[MAX_TEXT];
    bool right = true;

    for (uint32_t k = 0; k < in->starts; k++) {
        size_t n = 0;
        for (size_t i = 0; i < in->n; i++)
            if (in->start[i] == k)
                text[n++] = in->symbol[i];
        right = right && derives(g, k, text, n);
    }
    return right;
}

/* Builds the grammar, checking it along the way; 0 words for a failure. */
static size_t engine_words(const struct input *in, uint32_t flags, struct random *r,
                           uint32_t *words)
{
    struct seq_config config = {.size = sizeof config, .flags = flags};
    struct seq_grammar g;
    char why[128] = "";
    seq *s;
    int status = seq_new(&s, &config);

    if (status == SEQ_OK)
        status = seq_append(s, in->starts - 1, NULL, 0);
    for (size_t i = 0, piece; i < in->n && status == SEQ_OK; i += piece) {
        uint32_t most = 1 + random_below(r, 9);
        for (piece = 1; piece < most && i + piece < in->n && in->start[i + piece] == in->start[i];)
            piece++;
        status = seq_append(s, in->start[i], in->symbol + i, piece);
#ifdef WPP_HOSTILE
        if (status == SEQ_OK)
            status = seq_check(s, why, sizeof why);
#endif
    }
    if (status == SEQ_OK)
        status = seq_finish(s);
    if (status == SEQ_OK)
        status = seq_check(s, why, sizeof why);
    size_t count = 0;
    if (status == SEQ_OK && seq_export(s, &g) == SEQ_OK) {
        count = flatten(&g, words);
        if (!all_derived(in, &g))
            count = 0;
        seq_grammar_free(s, &g);
    }
    if (status != SEQ_OK)
        tap_note("status %d: %s", status, why);
    seq_free(s);
    return count;
}

static void note_input(const struct input *in)
{
    char line[2 * MAX_TEXT + 1];

    for (size_t i = 0; i < in->n; i++) {
        line[2 * i] = (char)('0' + in->start[i]);
        line[2 * i + 1] = (char)('a' + in->symbol[i]);
    }
    line[2 * in->n] = '\0';
    tap_note("start and terminal: %s", line);
}

static void test_against_naive(uint32_t flags, unsigned strings)
{
    static uint32_t expected[MAX_WORDS], found[MAX_WORDS];
    struct random r = {1 + flags};
    unsigned same = 0;
    unsigned merges = 0;

    for (unsigned i = 0; i < strings; i++) {
        struct input in;
        bool merged;
        make_input(&r, &in);
        size_t words = naive_words(&in, flags != SEQ_PLAIN, expected, &merged);
        size_t count = engine_words(&in, flags, &r, found);
        merges += merged;
        if (merged ? count != 0 : count == words
                   && memcmp(expected, found, words * sizeof *found) == 0)
            same++;
        else if (i - same < 5)
            note_input(&in);
    }
    tap_ok(same == strings, "%u of %u random grammars are the definition's (%s)", same, strings,
           flags == SEQ_PLAIN ? "plain" : "exact");
    tap_ok(merges && merges < strings / 50, "%u with merged rules are at least right", merges);
}

/* Shortcuts: every property holds, the text comes back, pieces do not matter. */
static void test_fast(unsigned strings)
{
    static uint32_t first[MAX_WORDS], second[MAX_WORDS];
    struct random r = {77};
    unsigned right = 0;

    for (unsigned i = 0; i < strings; i++) {
        struct input in;
        make_input(&r, &in);
        size_t words = engine_words(&in, 0, &r, first);
        if (words && engine_words(&in, 0, &r, second) == words
            && memcmp(first, second, words * sizeof *first) == 0)
            right++;
        else if (i - right < 5)
            note_input(&in);
    }
    tap_ok(right == strings, "%u of %u random grammars with shortcuts are right", right, strings);
}

int main(int argc, char **argv)
{
#ifdef WPP_HOSTILE
    unsigned strings = 5000;
#else
    unsigned strings = 20000;
#endif
    if (argc > 1)
        strings = (unsigned)strtoul(argv[1], NULL, 10);
    test_against_naive(SEQ_PLAIN, strings);
    test_against_naive(SEQ_EXACT, strings);
    test_fast(strings);
    return tap_done();
}
