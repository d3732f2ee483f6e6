/* SPDX-License-Identifier: MIT */
/* read-tokens TRACE: the payloads of a trace's TOKENS records, end to end.
 *
 * What a WPP must expand to, taken from the trace without any of the project's
 * code: written from docs/trace-format.md alone, constants included.  For
 * processes of one thread; a second one is an error. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 64, TOKENS = 5, END = 9, VERSION = 1 };
static const uint32_t magic = 0x54505057;   /* "WPPT" */

static const char *name;

_Noreturn static void die(const char *what, uint64_t offset)
{
    fprintf(stderr, "read-tokens: %s: %s at byte %" PRIu64 "\n", name, what, offset);
    exit(1);
}

static uint32_t u32(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t u64(const unsigned char *p)
{
    return u32(p) | (uint64_t)u32(p + 4) << 32;
}

/* Copies or skips a payload of n bytes and its padding to a multiple of 4. */
static void payload(FILE *in, uint64_t n, bool copy, uint64_t offset)
{
    static unsigned char buffer[1 << 16];
    uint64_t left = (n + 3) & ~UINT64_C(3);

    while (left > 0) {
        size_t part = left < sizeof buffer ? (size_t)left : sizeof buffer;
        if (fread(buffer, 1, part, in) != part)
            die("cut payload", offset);
        if (copy && fwrite(buffer, 1, part, stdout) != part)
            die("cannot write", offset);
        left -= part;
    }
}

int main(int argc, char **argv)
{
    unsigned char h[HEADER];
    uint64_t offset = 0, tokens = 0;
    uint32_t tid = 0;
    bool ended = false;
    size_t got;
    FILE *in;

    if (argc != 2 || !(in = fopen(name = argv[1], "rb"))) {
        fputs("usage: read-tokens TRACE\n", stderr);
        return 2;
    }
    while ((got = fread(h, 1, HEADER, in)) == HEADER) {
        unsigned kind = h[6] | h[7] << 8;
        uint32_t bytes = u32(h + 8);

        if (u32(h) != magic || (h[4] | h[5] << 8) != VERSION)
            die("no record", offset);
        if (ended)
            die("a record behind the last", offset);
        if (kind == TOKENS) {
            if (bytes % 4)
                die("half a token", offset);
            if (tid && u32(h + 16) != tid)
                die("a second thread", offset);
            tid = u32(h + 16);
            if (u64(h + 32) != tokens)
                die("tokens missing", offset);
            tokens += bytes / 4;
        }
        payload(in, bytes, kind == TOKENS, offset);
        ended = kind == END;
        offset += HEADER + ((bytes + UINT64_C(3)) & ~UINT64_C(3));
    }
    if (got)
        die("cut header", offset);
    if (!ended)
        die("no end record", offset);
    if (fflush(stdout))
        die("cannot write", offset);
    return 0;
}
