/* SPDX-License-Identifier: MIT */
/* elf.h - sections of an x86-64 executable or shared library, by name.
 *
 * The file is read, not mapped: a file that is cut or rewritten meanwhile gives
 * an error or wrong bytes (which checksums find), not a signal.
 */
#ifndef WPP_ELF_H
#define WPP_ELF_H

#include <elf.h>

#include "wpp/base/bytes.h"
#include "wpp/wpp.h"

struct wpp_elf {
    int fd;
    const char *path;            /* the caller's */
    uint64_t size;
    Elf64_Shdr *sections;
    uint64_t n_sections;
    struct wpp_bytes names;
};

/* WPP_E_SYSTEM, WPP_E_MEMORY, WPP_E_FORMAT (no ELF file for this machine, or
 * broken).  After success wpp_elf_close(). */
bool wpp_elf_open(struct wpp_elf *e, const char *path, struct wpp_error *error);
/* The same of a file that is open; the descriptor stays the caller's. */
bool wpp_elf_adopt(struct wpp_elf *e, int fd, const char *path, struct wpp_error *error);
void wpp_elf_close(struct wpp_elf *e);

/* Reads the first section `name`; *found says whether there is one (else out
 * stays empty).  Errors as above. */
bool wpp_elf_read(struct wpp_elf *e, const char *name, struct wpp_bytes *out, bool *found,
                  struct wpp_error *error);

/* The same of what the first note of that owner and type holds. */
bool wpp_elf_note(struct wpp_elf *e, const char *owner, uint32_t type, struct wpp_bytes *out,
                  bool *found, struct wpp_error *error);

/* Reads the GNU build id; out stays empty when there is none. */
bool wpp_elf_build_id(struct wpp_elf *e, struct wpp_bytes *out, struct wpp_error *error);

#endif
