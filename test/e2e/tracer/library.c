/* SPDX-License-Identifier: MIT */
/* library.c - a traced shared library: its events are those of thread 9. */
#include "test/e2e/tracer/emit.h"

void library_run(uint32_t n);

void library_run(uint32_t n)
{
    emit_made_up(9, 0, n);
}
