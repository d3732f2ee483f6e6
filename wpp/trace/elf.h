/* SPDX-License-Identifier: MIT */
/* elf.h - sections of an x86-64 executable or shared library, by name.
 *
 * The file is read, not mapped.  If it is cut or rewritten meanwhile, the result is an error or
 * wrong bytes (which checksums find), not a signal.
 */
#ifndef WPP_ELF_H
#define WPP_ELF_H

#include <elf.h>

#include "wpp/base/arena.h"
#include "wpp/base/bytes.h"
#include "wpp/wpp.h"

struct wpp_elf {
    int fd;
    const char *path;            /* the caller owns it */
    uint64_t size;
    Elf64_Shdr *sections;
    uint64_t n_sections;
    struct wpp_bytes names;
};

/* WPP_E_SYSTEM, WPP_E_MEMORY, WPP_E_FORMAT (broken, or no ELF file for this machine).  After
 * success call wpp_elf_close(). */
bool wpp_elf_open(struct wpp_elf *e, const char *path, struct wpp_error *error);
/* The same for an open file; the caller keeps the descriptor. */
bool wpp_elf_adopt(struct wpp_elf *e, int fd, const char *path, struct wpp_error *error);
void wpp_elf_close(struct wpp_elf *e);

/* Reads the first section `name`; *found says whether there is one (else out stays empty).
 * Errors as above. */
bool wpp_elf_read(struct wpp_elf *e, const char *name, struct wpp_bytes *out, bool *found,
                  struct wpp_error *error);

/* The same for the contents of the first note of that owner and type. */
bool wpp_elf_note(struct wpp_elf *e, const char *owner, uint32_t type, struct wpp_bytes *out,
                  bool *found, struct wpp_error *error);

/* The virtual address that the ELF header has in memory, if the file is loaded where it was linked
 * for.  False: no segment holds it. */
bool wpp_elf_header_address(struct wpp_elf *e, uint64_t *out);

/* Where the loader puts executable parts of the file: `size` bytes from `offset` on, at `address`. */
struct wpp_elf_segment {
    uint64_t offset, address, size;
};

/* Reads the executable segments into the arena.  Errors as above. */
bool wpp_elf_segments(struct wpp_elf *e, struct wpp_arena *arena, struct wpp_elf_segment **out,
                      uint32_t *n, struct wpp_error *error);

/* Whether a section with code has this virtual address. */
bool wpp_elf_has_code(const struct wpp_elf *e, uint64_t address);

/* Reads n bytes of code at a virtual address.  False: there are not so many, or not readable. */
bool wpp_elf_code(const struct wpp_elf *e, uint64_t address, void *out, size_t n);

/* Reads the GNU build id; out stays empty if there is none. */
bool wpp_elf_build_id(struct wpp_elf *e, struct wpp_bytes *out, struct wpp_error *error);

#endif
