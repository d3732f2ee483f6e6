/* SPDX-License-Identifier: MIT */
/* expect.c - what a scenario must have recorded, without the runtime:
 *
 *   expect NAME SEGMENT...    the line `read-trace --streams` prints for a stream
 *
 * SEGMENT: THREAD:FROM:COUNT:BASE, the made-up numbers FROM .. FROM+COUNT-1 of
 * a thread, as tokens of a unit at BASE. */
#include <stdio.h>
#include <stdlib.h>

#include "made-up.h"

int main(int argc, char **argv)
{
    uint64_t hash = 0xcbf29ce484222325u, tokens = 0;

    for (int i = 2; i < argc; i++) {
        unsigned thread, from, count, base;

        if (sscanf(argv[i], "%u:%u:%u:%u", &thread, &from, &count, &base) != 4)
            return 2;
        for (uint32_t n = from; n < from + count; n++) {
            uint32_t token = base + made_up(thread, n);

            for (int byte = 0; byte < 4; byte++)
                hash = (hash ^ (token >> 8 * byte & 255)) * 0x100000001b3u;
        }
        tokens += count;
    }
    printf("%s %llu %016llx\n", argc > 1 ? argv[1] : "", (unsigned long long)tokens,
           (unsigned long long)hash);
    return 0;
}
