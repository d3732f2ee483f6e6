/* SPDX-License-Identifier: MIT */
/* sequitur.c - libFuzzer against append, finish, check and export.
 *
 * The input is a program: its first byte chooses the mode, each byte behind it
 * appends to one of four streams, so that nested and nearly repeated texts are
 * short:
 *
 *      00tttttt    terminal t mod 8 (mod 64 where the first byte says so)
 *      01sskkkk    the last k + 1 terminals of the stream again, s + 1 times
 *      10kkkkkk    what stands 2k + 2 from the stream's end, k + 1 terminals of it
 *      1100ssss    the stream from now on: s mod 4
 *      1101xxxx    what waits is given to the engine now; seq_check()
 *      111xxxxx    the last terminal x + 2 times
 *
 * After each piece and at the end every invariant must hold, the streams must
 * come back, and the same terminals in other pieces must give the same grammar;
 * so must all that when it is parsed anew, in as many rounds as the first byte says.
 * Built with WPP_HOSTILE (make fuzz), which makes every rare case common.
 */
#include "test/unit/sequitur-test.h"

#include <stdio.h>

enum { STREAMS = 4, TEXT = 4096, PIECES = 4096 };

struct piece {
    uint32_t start, from, n;
};

struct program {
    uint32_t flags;
    uint32_t alphabet;
    uint32_t text[STREAMS][TEXT];
    uint32_t n[STREAMS];
    uint32_t given[STREAMS];
    struct piece piece[PIECES];
    uint32_t pieces;
    uint32_t current;
};

static void put(struct program *p, uint32_t terminal)
{
    if (p->n[p->current] < TEXT)
        p->text[p->current][p->n[p->current]++] = terminal;
}

/* n terminals again, the first of them `back` from the end. */
static void repeat(struct program *p, uint32_t back, uint32_t n)
{
    uint32_t end = p->n[p->current];

    for (uint32_t i = 0; back <= end && i < n; i++)
        put(p, p->text[p->current][end - back + i]);
}

static void end_piece(struct program *p)
{
    uint32_t k = p->current;

    if (p->pieces == PIECES || p->given[k] == p->n[k])
        return;
    p->piece[p->pieces++] = (struct piece){k, p->given[k], p->n[k] - p->given[k]};
    p->given[k] = p->n[k];
}

static void read_program(struct program *p, const uint8_t *data, size_t size)
{
    static const uint32_t modes[] = {0, SEQ_EXACT, 0, SEQ_PLAIN};

    p->flags = modes[size ? data[0] & 3 : 0];
    p->alphabet = size && data[0] & 4 ? 64 : 8;
    for (size_t i = 1; i < size; i++) {
        uint32_t low = data[i] & 15, six = data[i] & 63;
        if (data[i] < 0x40)
            put(p, six % p->alphabet);
        else if (data[i] < 0x80)
            for (uint32_t times = (six >> 4) + 1; times; times--)
                repeat(p, low + 1, low + 1);
        else if (data[i] < 0xC0)
            repeat(p, 2 * six + 2, six + 1);
        else if (data[i] < 0xE0) {
            end_piece(p);
            p->current = data[i] < 0xD0 ? low % STREAMS : p->current;
        } else
            for (uint32_t times = (data[i] & 31) + 2; times; times--)
                repeat(p, 1, 1);
    }
    end_piece(p);
}

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "sequitur: %s\n", what);
    abort();
}

/* The pieces as they are, checked after each, or in pieces of one terminal. */
static seq *build(const struct program *p, bool ones)
{
    struct seq_config config = {.size = sizeof config, .flags = p->flags};
    char why[128] = "no memory";
    seq *s;

    must(seq_new(&s, &config) == SEQ_OK, why);
    must(seq_append(s, STREAMS - 1, NULL, 0) == SEQ_OK, why);
    for (const struct piece *at = p->piece; at < p->piece + p->pieces; at++) {
        const uint32_t *text = p->text[at->start] + at->from;
        for (uint32_t i = 0; i < at->n; i += ones ? 1 : at->n)
            must(seq_append(s, at->start, text + i, ones ? 1 : at->n) == SEQ_OK, "append fails");
        if (!ones)
            must(seq_check(s, why, sizeof why) == SEQ_OK, why);
    }
    must(seq_finish(s) == SEQ_OK, "finish fails");
    must(seq_check(s, why, sizeof why) == SEQ_OK, why);
    return s;
}

/* Not all inputs: it takes as long as all else. */
static void parse_anew(const struct program *p, seq *s, unsigned rounds)
{
    struct seq_grammar g;
    char why[128] = "";

    if (rounds == 0 || rounds > 3)
        return;
    must(seq_reparse(s, rounds, NULL) == SEQ_OK, "reparse fails");
    must(seq_check(s, why, sizeof why) == SEQ_OK, why);
    must(seq_export(s, &g) == SEQ_OK, "export fails");
    for (uint32_t k = 0; k < STREAMS; k++)
        must(derives(&g, k, p->text[k], p->given[k]), "a stream does not come back, parsed anew");
    seq_grammar_free(s, &g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct program p;
    struct seq_grammar g, other;

    memset(p.n, 0, sizeof p.n);
    memset(p.given, 0, sizeof p.given);
    p.pieces = p.current = 0;
    read_program(&p, data, size);
    seq *s = build(&p, false);
    seq *same = build(&p, true);
    must(seq_export(s, &g) == SEQ_OK && seq_export(same, &other) == SEQ_OK, "export fails");
    for (uint32_t k = 0; k < STREAMS; k++)
        must(derives(&g, k, p.text[k], p.given[k]), "a stream does not come back");
    must(equal(&g, &other), "other pieces give another grammar");
    seq_grammar_free(s, &g);
    parse_anew(&p, s, size ? data[0] >> 3 & 7 : 0);
    seq_grammar_free(same, &other);
    seq_free(s);
    seq_free(same);
    return 0;
}
