/* SPDX-License-Identifier: MIT */
/* engine.c - speed and size of the grammar engine.
 *
 *   engine [-c] [-m MODES] [FILE...]
 *   engine -w NAME COUNT         writes a stream that is made here
 *
 * Each FILE is an array of little-endian uint32 tokens, a stream of its
 * own.  Without one, streams made here: `loop` (one of ten), `nested` (loops with
 * random trip counts around a random branch), `random`.  -c checks each grammar and
 * that it derives its stream; MODES is of the letters p (plain SEQUITUR), e (exact
 * SEQUITUR(1)) and f (with shortcuts), `ef` without -m.  A line a run:
 *   name mode: million symbols a second of processor time, rules, symbols on right-hand sides,
 *   bytes of memory a right-hand-side symbol (at most; without the history of fast, at most
 *   64 MB), bytes of the grammar in a WPP, megabytes of tokens a second that reading these
 *   makes.
 */
#include "sequitur/sequitur.h"
#include "wpp/alphabet.h"
#include "wpp/grammar-code.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct stream {
    const char *name;
    uint32_t *symbols;
    size_t n;
};

/* Processor time: other work on the machine does not count. */
static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *what, const char *detail)
{
    fprintf(stderr, "engine: %s%s%s\n", what, *detail ? ": " : "", detail);
    exit(1);
}

/* Compares what rule k derives with the text at `at`: its end, NULL if it differs. */
static const uint32_t *compare(const struct seq_grammar *g, uint32_t k, const uint32_t *at)
{
    for (uint64_t i = g->body[k]; at && i < g->body[k + 1]; i++) {
        uint32_t symbol = g->symbols[i];
        if (symbol & SEQ_RULE)
            at = compare(g, symbol & ~SEQ_RULE, at);
        else
            at = symbol == *at ? at + 1 : NULL;
    }
    return at;
}

static void check_grammar(const seq *s, const struct stream *in)
{
    struct seq_grammar g;
    char why[128] = "";

    if (seq_check(s, why, sizeof why) != SEQ_OK)
        fail(in->name, why);
    if (seq_export(s, &g) != SEQ_OK)
        fail("no memory", "");
    if (g.length[g.rules] != in->n || compare(&g, g.rules, in->symbols) != in->symbols + in->n)
        fail(in->name, "the grammar does not derive the stream");
    seq_grammar_free(s, &g);
}

/* Writes the grammar as a WPP has it and reads it again: bytes, seconds to read. */
static size_t code(const seq *s, double *seconds)
{
    struct seq_grammar g;
    struct wpp_grammar again;
    struct wpp_bytes bytes = {0};

    if (seq_export(s, &g) != SEQ_OK)
        fail("no memory", "");
    struct wpp_grammar plain = {0, g.rules, g.starts, g.body, g.symbols, g.length};
    for (uint64_t i = 0; i < g.body[g.rules + g.starts]; i++)
        if (!(g.symbols[i] & SEQ_RULE) && plain.n_terminals <= g.symbols[i])
            plain.n_terminals = g.symbols[i] + 1;
    if (!wpp_grammar_encode(&plain, &bytes))
        fail("no memory", "");
    double begin = now();
    if (!wpp_grammar_decode(wpp_view(bytes.data, bytes.size), &again, NULL))
        fail("the code of the grammar cannot be read", "");
    *seconds = now() - begin;
    wpp_grammar_release(&again);
    seq_grammar_free(s, &g);
    size_t size = bytes.size;
    wpp_bytes_free(&bytes);
    return size;
}

static void run(const struct stream *in, uint32_t flags, const char *mode, bool check)
{
    struct seq_config config = {.size = sizeof config, .flags = flags};
    struct seq_stats stats;
    seq *s;

    if (seq_new(&s, &config) != SEQ_OK)
        fail("no memory", "");
    double begin = now();
    if (seq_append(s, 0, in->symbols, in->n) != SEQ_OK || seq_finish(s) != SEQ_OK)
        fail(in->name, "cannot build the grammar");
    double seconds = now() - begin;
    if (check)
        check_grammar(s, in);
    seq_get_stats(s, &stats);
    double reading;
    size_t coded = code(s, &reading);
    double rhs = stats.rhs_symbols ? (double)stats.rhs_symbols : 1;
    printf("%-12s %-6s %8.1f Msym/s %9u rules %10llu rhs %7.1f bytes/rhs"
           " %9zu bytes %7.0f MB/s\n", in->name,
           mode, (double)in->n / seconds / 1e6, stats.rules, (unsigned long long)stats.rhs_symbols,
           ((double)stats.memory_peak - (double)stats.history) / rhs, coded,
           4e-6 * (double)in->n / reading);
    fflush(stdout);
    seq_free(s);
}

static struct stream read_stream(const char *path)
{
    struct stream in = {.name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path};
    FILE *file = fopen(path, "rb");

    if (!file || fseek(file, 0, SEEK_END) != 0)
        fail(path, "cannot be read");
    long size = ftell(file);
    rewind(file);
    in.n = (size_t)size / sizeof *in.symbols;
    in.symbols = malloc((size_t)size + 1);
    if (!in.symbols || fread(in.symbols, sizeof *in.symbols, in.n, file) != in.n)
        fail(path, "cannot be read");
    fclose(file);
    return in;
}

/* Tokens become terminals, numbered as they come. */
static void number(struct stream *in)
{
    struct wpp_alphabet a;

    if (!wpp_alphabet_init(&a, false)
        || wpp_alphabet_map(&a, in->symbols, in->n, in->symbols) != (ptrdiff_t)in->n)
        fail(in->name, "cannot be numbered");
    wpp_alphabet_free(&a);
}

static uint32_t random_below(uint64_t *state, uint32_t n)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)((*state * UINT64_C(0x2545F4914F6CDD1D) >> 32) * n >> 32);
}

/* Three nested loops of random trip counts around a random branch. */
static void nested(struct stream *in)
{
    uint64_t r = 1;
    size_t i = 0;

    for (;;)
        for (uint32_t outer = 3 + random_below(&r, 40); outer; outer--) {
            for (uint32_t inner = 1 + random_below(&r, 25); inner; inner--) {
                uint32_t branch = random_below(&r, 8) == 0 ? 5 : 1;
                for (uint32_t k = 0; k < 6; k++) {
                    if (i == in->n)
                        return;
                    in->symbols[i++] = 10 * branch + k;
                }
            }
            if (i == in->n)
                return;
            in->symbols[i++] = 100 + outer % 4;
        }
}

static struct stream make_stream(const char *name, size_t n)
{
    struct stream in = {.name = name, .n = n, .symbols = malloc(n * sizeof *in.symbols)};
    uint64_t r = 7;

    if (!in.symbols)
        fail("no memory", "");
    if (strcmp(name, "nested") == 0)
        nested(&in);
    else
        for (size_t i = 0; i < n; i++)
            in.symbols[i] = strcmp(name, "loop") == 0 ? (uint32_t)(i % 10)
                                                      : random_below(&r, 1 << 16);
    return in;
}

static int write_stream(const char *name, const char *count)
{
    struct stream in = make_stream(name, count ? strtoull(count, NULL, 10) : 0);

    if (fwrite(in.symbols, sizeof *in.symbols, in.n, stdout) != in.n || fflush(stdout) != 0)
        fail(name, "cannot be written");
    free(in.symbols);
    return 0;
}

int main(int argc, char **argv)
{
    const char *modes = "ef";
    bool check = false;
    int option;

    while ((option = getopt(argc, argv, "cm:w:")) != -1)
        switch (option) {
        case 'w': return write_stream(optarg, argv[optind]);
        case 'c': check = true; break;
        case 'm': modes = optarg; break;
        default: return 2;
        }
    static const char *const made[] = {"loop", "nested", "random"};
    int count = optind < argc ? argc - optind : 3;
    for (int i = 0; i < count; i++) {
        struct stream in = optind < argc ? read_stream(argv[optind + i])
                                         : make_stream(made[i], i == 2 ? 5000000 : 20000000);
        number(&in);
        for (const char *m = modes; *m; m++)
            switch (*m) {
            case 'p': run(&in, SEQ_PLAIN, "plain", check); break;
            case 'e': run(&in, SEQ_EXACT, "exact", check); break;
            case 'f': run(&in, 0, "fast", check); break;
            default: return 2;
            }
        free(in.symbols);
    }
    return 0;
}
