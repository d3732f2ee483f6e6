/* SPDX-License-Identifier: MIT */
/* word-lz.h - records made smaller for the time that they wait, in memory.
 *
 * What LZ4 does to bytes, done to the 32-bit words that tokens are: two to three times as fast as
 * `zstd -1`, with two thirds of its ratio (docs/experiments.md).  The squeezed form never
 * leaves the processes of one recording, so it has no version.
 *
 *   sequence   | n:4 m:4 | [n - 15] | n words | distance:16 | [m - 15] |
 *
 * n words as they are, then m + SHORTEST words again that stood `distance` words before.  A
 * half that is 15 goes on in bytes, of which 255 says that another one follows.  The last
 * sequence ends behind its n words, and then stand the bytes that are less than a word.
 */
#ifndef WPP_WORD_LZ_H
#define WPP_WORD_LZ_H

#include <stddef.h>
#include <stdint.h>

enum { SQUEEZE_MOST = 65536 };   /* bytes at once; so a distance fits */

/* Squeezes n bytes, SQUEEZE_MOST at most, to n bytes of room.  Returns how many they are now;
 * 0: no fewer.  `from` may change meanwhile: what comes back then is anything, n bytes long. */
size_t wpp_word_lz_pack(void *to, const void *from, size_t n);
/* The n bytes that were squeezed to what begins at `from`. */
void wpp_word_lz_unpack(void *to, size_t n, const void *from);

#endif
