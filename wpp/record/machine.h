/* SPDX-License-Identifier: MIT */
/* machine.h - what this machine has. */
#ifndef WPP_MACHINE_H
#define WPP_MACHINE_H

#include <stdint.h>

/* Bytes of memory that this process may have at most: the machine's, or fewer where its control group (a
 * container's, a service's) or a limit of its own (ulimit -v, ulimit -d) allows no more.  Reads a few
 * files of /proc and /sys. */
uint64_t wpp_machine_memory(void);

#endif
