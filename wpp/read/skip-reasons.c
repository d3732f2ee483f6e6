/* SPDX-License-Identifier: MIT */
#include "wpp/read/skip-reasons.h"

#include "wpp/format/path-table.h"

const char *left_out_reason(uint32_t reason)
{
    static const char *const texts[] = {
        [WPP_LEFT_OUT_ATTRIBUTE] = "attribute",     [WPP_LEFT_OUT_NOT_INCLUDED] = "not included",
        [WPP_LEFT_OUT_EXCLUDED] = "excluded",       [WPP_LEFT_OUT_TOO_SMALL] = "too small",
        [WPP_LEFT_OUT_NO_FRAME] = "no frame",       [WPP_LEFT_OUT_TOO_EARLY] = "runs too early",
        [WPP_LEFT_OUT_NO_NUMBERS] = "too many paths",
        [WPP_LEFT_OUT_COMPILERS_OWN] = "compiler's own"
    };

    return reason > 0 && reason < sizeof texts / sizeof texts[0] ? texts[reason] : "unknown";
}
