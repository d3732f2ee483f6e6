/* SPDX-License-Identifier: MIT */
/* expect.c - what a scenario must have recorded, without the runtime:
 *
 *   expect NAME SEGMENT...    the line `read-trace --streams` prints for a stream
 *
 * SEGMENT: THREAD:FROM:COUNT:BASE, the made-up numbers FROM .. FROM+COUNT-1 of
 * a thread, as tokens of a unit at BASE; or `gap`, the word where recording started again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "made-up.h"

static uint64_t hash = 0xcbf29ce484222325u, tokens;

static void take(uint32_t token)
{
    for (int byte = 0; byte < 4; byte++)
        hash = (hash ^ (token >> 8 * byte & 255)) * 0x100000001b3u;
    tokens++;
}

int main(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        unsigned thread, from, count, base;

        if (strcmp(argv[i], "gap") == 0) {
            take(0xffff0006);
            continue;
        }
        if (sscanf(argv[i], "%u:%u:%u:%u", &thread, &from, &count, &base) != 4)
            return 2;
        for (uint32_t n = from; n < from + count; n++)
            take(base + made_up(thread, n));
    }
    printf("%s %llu %016llx\n", argc > 1 ? argv[1] : "", (unsigned long long)tokens,
           (unsigned long long)hash);
    return 0;
}
