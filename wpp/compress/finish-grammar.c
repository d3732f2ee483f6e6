/* SPDX-License-Identifier: MIT */
#include "wpp/compress/finish-grammar.h"

/* A grammar is small if it derives at least SMALL terminals for each symbol on a right-hand
 * side.  A round of parsing takes up to a microsecond for each symbol.  So it costs at most 2.5
 * nanoseconds per terminal; hardly any program emits one in that time (docs/experiments.md). */
enum { SMALL = 400 };

static unsigned rounds(seq *grammar, enum wpp_anew anew)
{
    struct seq_stats stats;

    switch (anew) {
    case WPP_ANEW_ALL: return WPP_ANEW_ROUNDS;
    case WPP_ANEW_NEVER: return 0;
    case WPP_ANEW_SMALL: break;
    }
    seq_get_stats(grammar, &stats);
    return stats.symbols / SMALL >= stats.rhs_symbols;
}

static int open_streams(seq *grammar, uint32_t streams)
{
    return streams ? seq_append(grammar, streams - 1, NULL, 0) : SEQ_OK;
}

int wpp_finish_grammar(seq *grammar, uint32_t streams, enum wpp_anew anew, const bool *enough)
{
    int status = open_streams(grammar, streams);

    if (status == SEQ_OK)
        status = seq_finish(grammar);
    return status == SEQ_OK ? seq_reparse(grammar, rounds(grammar, anew), enough) : status;
}

int wpp_finish_piece(seq *grammar, uint32_t streams, seq_piece **out)
{
    int status = open_streams(grammar, streams);

    *out = NULL;
    return status == SEQ_OK ? seq_end_piece(grammar, out) : status;
}
