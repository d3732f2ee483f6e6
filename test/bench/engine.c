/* SPDX-License-Identifier: MIT */
/* engine.c - speed and size of the grammar engine.
 *
 *   engine [-c] [-p] [-m MODES] [-j PIECES] [FILE...]
 *   engine -w NAME COUNT         writes a stream that is made here
 *
 * Each FILE is an array of little-endian uint32 tokens, a stream of its
 * own.  Without one, streams made here: `loop` (one of ten), `nested` (loops with
 * random trip counts around a random branch), `random` (words below 2^16; `random24`:
 * below 2^24, and so on up to 30).  -c checks each grammar and that it derives its
 * stream; MODES is of the letters p (plain SEQUITUR), e (exact SEQUITUR(1)), f (with
 * shortcuts), d (the same as wpp-compress ends it: parsed anew if it is small) and b (parsed anew
 * three times, as by --best), `ef` without -m.  A line a run:
 *   name mode: million symbols a second of processor time, rules, symbols on right-hand sides,
 *   bytes of memory a right-hand-side symbol (at most; without the history of fast, at most
 *   62 MB), bytes of the grammar in a WPP, megabytes of tokens a second that reading these
 *   makes, bytes a right-hand-side symbol beyond 64 MB for all that does not grow with them.
 * -j cuts each stream into so many pieces.  The first one's grammar becomes the base of the others,
 * each of which has a thread of its own; all become one grammar (mode f).  Speeds are those of as
 * many free processors then: processor time of the first, of the slowest other one, and of
 * combining them.
 * -p adds a line: how many appends of 16,384 terminals took more processor time than 1, 2,
 * 4, .. ms, and the longest.
 */
#include "test/unit/combine.h"
#include "sequitur/sequitur.h"
#include "wpp/compress/finish-grammar.h"
#include "wpp/format/grammar-code.h"
#include "wpp/trace/alphabet.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct stream {
    const char *name;
    uint32_t *symbols;
    size_t n;
};

/* Processor time: other work on the machine does not count. */
static double seconds_of(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

/* How long the appends of a stream took: shorter than 1 ms, 2 ms, 4 ms, ... */
enum { APPENDED = 1 << 14, TIMES = 16 };
struct pauses {
    uint64_t count[TIMES];
    double longest;
};

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

/* As wpp-compress gives it, piece by piece. */
static bool append_timed(seq *s, const struct stream *in, struct pauses *p)
{
    size_t piece;

    for (size_t i = 0; i < in->n; i += piece) {
        piece = in->n - i < APPENDED ? in->n - i : APPENDED;
        double begin = now();
        if (seq_append(s, 0, in->symbols + i, piece) != SEQ_OK)
            return false;
        double seconds = now() - begin;
        int k = 0;
        while (k < TIMES - 1 && seconds >= 1e-3 * (1 << k))
            k++;
        p->count[k]++;
        if (p->longest < seconds)
            p->longest = seconds;
    }
    return true;
}

static void print_pauses(const struct pauses *p)
{
    printf("    appends of %d, below", APPENDED);
    for (int k = 0; k < TIMES; k++)
        if (p->count[k])
            printf(" %d ms: %llu,", 1 << k, (unsigned long long)p->count[k]);
    printf(" longest %.1f ms\n", 1e3 * p->longest);
}

struct how {
    const char *modes;
    bool check, pauses;
    int pieces;
};

/* ---- Pieces ------------------------------------------------------------------------ */

enum { MOST_PIECES = 16 };

struct piece {
    pthread_t thread;
    const uint32_t *symbols;
    size_t n;
    const seq *base;
    seq_piece *built;            /* NULL: it failed */
    double seconds;
};

static void *build_piece(void *argument)
{
    struct piece *p = argument;
    seq *s = NULL;

    double begin = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    if (seq_new_on(&s, p->base, NULL) != SEQ_OK || seq_append(s, 0, p->symbols, p->n) != SEQ_OK
        || seq_end_piece(s, &p->built) != SEQ_OK)
        p->built = NULL;
    seq_free(s);
    p->seconds = seconds_of(CLOCK_THREAD_CPUTIME_ID) - begin;
    return NULL;
}

/* The grammar of the first piece; the others are built on it.  Returns seconds. */
static double build_base(seq **s, const uint32_t *symbols, size_t n, seq_piece **built)
{
    double begin = now();

    if (seq_new(s, NULL) != SEQ_OK || seq_append(*s, 0, symbols, n) != SEQ_OK
        || seq_end_base(*s, built) != SEQ_OK)
        fail("no memory", "");
    return now() - begin;
}

static void run_pieces(const struct stream *in, const char *mode, const struct how *how)
{
    struct piece piece[MOST_PIECES];
    seq_piece *all[MOST_PIECES];
    size_t each = in->n / (size_t)how->pieces;
    struct seq_grammar g;
    double building = 0;
    seq *base;

    double based = build_base(&base, in->symbols, each, &all[0]);
    for (int i = 1; i < how->pieces; i++) {
        size_t at = each * (size_t)i;
        piece[i] = (struct piece){.symbols = in->symbols + at, .base = base,
                                  .n = i == how->pieces - 1 ? in->n - at : each};
        if (pthread_create(&piece[i].thread, NULL, build_piece, &piece[i]) != 0)
            fail("no thread", "");
    }
    for (int i = 1; i < how->pieces; i++) {
        pthread_join(piece[i].thread, NULL);
        all[i] = piece[i].built;
        if (!all[i])
            fail(in->name, "cannot build the grammar of a piece");
        if (building < piece[i].seconds)
            building = piece[i].seconds;
    }
    double begin = now();
    if (combine_pieces(base, all, (size_t)how->pieces, 1, &g) != SEQ_OK)
        fail(in->name, "cannot combine the pieces");
    double combining = now() - begin;
    if (how->check && (g.length[g.rules] != in->n
                       || compare(&g, g.rules, in->symbols) != in->symbols + in->n))
        fail(in->name, "the grammar does not derive the stream");
    printf("%-12s %-7s %8.1f Msym/s in %d pieces, the first %.3f s, the slowest other %.3f s, "
           "combining %.3f s; %u rules, %llu rhs\n", in->name, mode,
           (double)in->n / (based + building + combining) / 1e6, how->pieces, based, building,
           combining, g.rules, (unsigned long long)g.body[g.rules + g.starts]);
    fflush(stdout);
    for (int i = 0; i < how->pieces; i++)
        seq_piece_free(all[i]);
    combined_free(&g);
    seq_free(base);
}

/* ---- One after the other ----------------------------------------------------------- */

/* Where the host takes back memory that its guests do not use (free page reporting), it has to
 * find each page again, which takes up to thirty times as long as the clearing.  That is no
 * property of an engine: what one may take of n terminals is touched and given back before. */
static void warm_up(size_t n)
{
    size_t bytes = ((size_t)64 << 20) + 40 * n;
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        return;
    madvise(p, bytes, MADV_HUGEPAGE);
    for (size_t i = 0; i < bytes; i += 4096)
        p[i] = 1;
    munmap(p, bytes);
}

static void run(const struct stream *in, uint32_t flags, const char *mode, const struct how *how,
                enum wpp_anew anew)
{
    enum { ALLOWANCE = 64 << 20 };
    struct seq_config config = {.size = sizeof config, .flags = flags};
    struct pauses pauses = {0};
    struct seq_stats stats;
    seq *s;

    if (how->pieces) {
        run_pieces(in, mode, how);
        return;
    }
    warm_up(in->n);
    if (seq_new(&s, &config) != SEQ_OK)
        fail("no memory", "");
    double begin = now();
    bool built = how->pauses ? append_timed(s, in, &pauses)
                             : seq_append(s, 0, in->symbols, in->n) == SEQ_OK;
    if (!built || wpp_finish_grammar(s, 1, anew, NULL) != SEQ_OK)
        fail(in->name, "cannot build the grammar");
    double seconds = now() - begin;
    if (how->check)
        check_grammar(s, in);
    seq_get_stats(s, &stats);
    double reading;
    size_t coded = code(s, &reading);
    double rhs = stats.rhs_symbols ? (double)stats.rhs_symbols : 1;
    double beyond = (double)stats.memory_peak - ALLOWANCE;
    printf("%-12s %-7s %8.1f Msym/s %9u rules %10llu rhs %7.1f bytes/rhs"
           " %9zu bytes %7.0f MB/s %6.1f beyond 64 MB\n", in->name,
           mode, (double)in->n / seconds / 1e6, stats.rules, (unsigned long long)stats.rhs_symbols,
           ((double)stats.memory_peak - (double)stats.history) / rhs, coded,
           4e-6 * (double)in->n / reading, beyond > 0 ? beyond / rhs : 0.0);
    if (how->pauses)
        print_pauses(&pauses);
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

/* NAME is random or random1 .. random30. */
static uint32_t random_words(const char *name)
{
    int bits = name[6] ? atoi(name + 6) : 16;

    if (strncmp(name, "random", 6) != 0 || bits < 1 || bits > 30)
        fail(name, "no such stream");
    return UINT32_C(1) << bits;
}

static void make(struct stream *in, uint64_t *state)
{
    if (strcmp(in->name, "nested") == 0) {
        nested(in);
        return;
    }
    bool loop = strcmp(in->name, "loop") == 0;
    uint32_t words = loop ? 10 : random_words(in->name);
    for (size_t i = 0; i < in->n; i++)
        in->symbols[i] = loop ? (uint32_t)(i % words) : random_below(state, words);
}

static struct stream make_stream(const char *name, size_t n)
{
    struct stream in = {.name = name, .n = n, .symbols = malloc(n * sizeof *in.symbols)};
    uint64_t state = 7;

    if (!in.symbols)
        fail("no memory", "");
    make(&in, &state);
    return in;
}

/* Random words and loops go on from piece to piece: there may be more than memory holds. */
static int write_stream(const char *name, const char *count)
{
    enum { PIECE = 1000000 };
    size_t left = count ? strtoull(count, NULL, 10) : 0;
    struct stream in = {.name = name, .n = strcmp(name, "nested") == 0 ? left : PIECE};
    uint64_t state = 7;

    in.symbols = malloc(in.n * sizeof *in.symbols);
    if (!in.symbols)
        fail("no memory", "");
    for (; left; left -= in.n) {
        in.n = left < in.n ? left : in.n;
        make(&in, &state);
        if (fwrite(in.symbols, sizeof *in.symbols, in.n, stdout) != in.n)
            fail(name, "cannot be written");
    }
    if (fflush(stdout) != 0)
        fail(name, "cannot be written");
    free(in.symbols);
    return 0;
}

int main(int argc, char **argv)
{
    struct how how = {.modes = "ef"};
    int option;

    while ((option = getopt(argc, argv, "cj:m:pw:")) != -1)
        switch (option) {
        case 'w': return write_stream(optarg, argv[optind]);
        case 'c': how.check = true; break;
        case 'p': how.pauses = true; break;
        case 'j': how.pieces = atoi(optarg); break;
        case 'm': how.modes = optarg; break;
        default: return 2;
        }
    if (how.pieces < 0 || how.pieces > MOST_PIECES)
        return 2;
    static const char *const made[] = {"loop", "nested", "random"};
    int count = optind < argc ? argc - optind : 3;
    for (int i = 0; i < count; i++) {
        struct stream in = optind < argc ? read_stream(argv[optind + i])
                                         : make_stream(made[i], i == 2 ? 5000000 : 20000000);
        number(&in);
        for (const char *m = how.modes; *m; m++)
            switch (*m) {
            case 'p': run(&in, SEQ_PLAIN, "plain", &how, WPP_ANEW_NEVER); break;
            case 'e': run(&in, SEQ_EXACT, "exact", &how, WPP_ANEW_NEVER); break;
            case 'f': run(&in, 0, "fast", &how, WPP_ANEW_NEVER); break;
            case 'd': run(&in, 0, "default", &how, WPP_ANEW_SMALL); break;
            case 'b': run(&in, 0, "best", &how, WPP_ANEW_ALL); break;
            default: return 2;
            }
        free(in.symbols);
    }
    return 0;
}
