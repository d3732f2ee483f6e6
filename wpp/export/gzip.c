/* SPDX-License-Identifier: MIT */
#include "wpp/export/gzip.h"

#include <stdint.h>
#include <zlib.h>

bool gzip_put(FILE *out, const void *data, size_t size)
{
    enum { GZIP = 15 + 16 };
    z_stream z = {.next_in = (Bytef *)data};
    uint8_t buffer[1 << 14];
    size_t left = size;
    int status;

    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    do {
        if (z.avail_in == 0) {
            z.avail_in = left < (1 << 30) ? (uInt)left : 1 << 30;
            left -= z.avail_in;
        }
        z.next_out = buffer;
        z.avail_out = sizeof buffer;
        status = deflate(&z, left > 0 ? Z_NO_FLUSH : Z_FINISH);
        fwrite(buffer, 1, sizeof buffer - z.avail_out, out);
    } while (status == Z_OK && !ferror(out));
    deflateEnd(&z);
    return status == Z_STREAM_END || ferror(out);
}
