/* SPDX-License-Identifier: MIT */
/* word-lz.h - packs records while they wait in memory.
 *
 * It does with 32-bit words (tokens) what LZ4 does with bytes.  It is two to three times as fast
 * as `zstd -1`, with two thirds of its ratio (docs/experiments.md).  The packed form never
 * leaves the processes of one recording, so it has no version.
 *
 *   sequence   | n:4 m:4 | [n - 15] | n words | distance:16 | [m - 15] |
 *
 * First n literal words; then m + SHORTEST words that repeat those `distance` words before.  A
 * half of 15 goes on in bytes; a byte of 255 says that another one follows.  The last sequence
 * ends behind its n words; then follow the bytes that do not fill a word.
 */
#ifndef WPP_WORD_LZ_H
#define WPP_WORD_LZ_H

#include <stddef.h>
#include <stdint.h>

enum { SQUEEZE_MOST = 65536 };   /* bytes at once, so that a distance fits 16 bits */

/* Packs n bytes, at most SQUEEZE_MOST, into at most n bytes.  Returns the packed size; 0: not
 * smaller.  `from` may change meanwhile: then the packed data unpacks to n arbitrary bytes. */
size_t wpp_word_lz_pack(void *to, const void *from, size_t n);
/* Unpacks the n bytes that were packed to `from`. */
void wpp_word_lz_unpack(void *to, size_t n, const void *from);

#endif
