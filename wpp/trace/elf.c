/* SPDX-License-Identifier: MIT */
#include "wpp/trace/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wpp/base/error.h"

/* More sections than any linker makes: a limit for allocations. */
enum { MAX_SECTIONS = 1 << 20 };

static bool broken(const struct wpp_elf *e, struct wpp_error *error)
{
    return wpp_fail(error, WPP_E_FORMAT, "%s is broken: its section headers do not fit the file",
                    e->path);
}

static bool read_at(const struct wpp_elf *e, void *out, uint64_t size, uint64_t offset,
                    struct wpp_error *error)
{
    uint8_t *p = out;

    if (offset > e->size || size > e->size - offset)
        return broken(e, error);
    while (size > 0) {
        ssize_t n = pread(e->fd, p, size, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return wpp_fail_errno(error, "cannot read %s", e->path);
        if (n == 0)
            return broken(e, error);
        p += n;
        size -= (uint64_t)n;
        offset += (uint64_t)n;
    }
    return true;
}

static bool read_section(const struct wpp_elf *e, const Elf64_Shdr *s, struct wpp_bytes *out,
                         struct wpp_error *error)
{
    if (s->sh_type == SHT_NOBITS || (s->sh_flags & SHF_COMPRESSED) || s->sh_offset > e->size ||
        s->sh_size > e->size - s->sh_offset)
        return broken(e, error);
    out->data = malloc(s->sh_size + 1);
    if (!out->data)
        return wpp_fail_memory(error);
    out->capacity = s->sh_size + 1;
    out->size = s->sh_size;
    return read_at(e, out->data, s->sh_size, s->sh_offset, error);
}

/* Numbers that do not fit into the header are in section 0. */
static bool read_sections(struct wpp_elf *e, const Elf64_Ehdr *h, struct wpp_error *error)
{
    Elf64_Shdr zero;
    uint64_t n = h->e_shnum, names = h->e_shstrndx;

    if (h->e_shoff == 0 || h->e_shentsize != sizeof zero)
        return broken(e, error);
    if (!read_at(e, &zero, sizeof zero, h->e_shoff, error))
        return false;
    if (n == 0)
        n = zero.sh_size;
    if (names == SHN_XINDEX)
        names = zero.sh_link;
    if (n == 0 || n > MAX_SECTIONS || names >= n)
        return broken(e, error);
    e->sections = calloc(n, sizeof *e->sections);
    if (!e->sections)
        return wpp_fail_memory(error);
    e->n_sections = n;
    return read_at(e, e->sections, n * sizeof *e->sections, h->e_shoff, error) &&
           read_section(e, &e->sections[names], &e->names, error);
}

static bool read_header(struct wpp_elf *e, struct wpp_error *error)
{
    Elf64_Ehdr h;
    struct stat st;

    if (fstat(e->fd, &st) != 0)
        return wpp_fail_errno(error, "cannot read %s", e->path);
    e->size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
    if (e->size < sizeof h)
        return wpp_fail(error, WPP_E_FORMAT, "%s is no ELF file", e->path);
    if (!read_at(e, &h, sizeof h, 0, error))
        return false;
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0)
        return wpp_fail(error, WPP_E_FORMAT, "%s is no ELF file", e->path);
    if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB)
        return wpp_fail(error, WPP_E_FORMAT, "%s is no 64-bit little-endian ELF file", e->path);
    return read_sections(e, &h, error);
}

static bool begin(struct wpp_elf *e, int fd, const char *path, struct wpp_error *error)
{
    *e = (struct wpp_elf){.fd = fd, .path = path};
    if (fd < 0)
        return wpp_fail_errno(error, "cannot open %s", path);
    if (read_header(e, error))
        return true;
    wpp_elf_close(e);
    return false;
}

bool wpp_elf_open(struct wpp_elf *e, const char *path, struct wpp_error *error)
{
    return begin(e, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), path, error);
}

bool wpp_elf_adopt(struct wpp_elf *e, int fd, const char *path, struct wpp_error *error)
{
    return begin(e, fcntl(fd, F_DUPFD_CLOEXEC, 0), path, error);
}

void wpp_elf_close(struct wpp_elf *e)
{
    close(e->fd);
    free(e->sections);
    wpp_bytes_free(&e->names);
}

bool wpp_elf_header_address(struct wpp_elf *e, uint64_t *out)
{
    struct wpp_error ignored;
    Elf64_Ehdr h;
    Elf64_Phdr p;

    if (!read_at(e, &h, sizeof h, 0, &ignored) || h.e_phentsize != sizeof p)
        return false;
    for (unsigned i = 0; i < h.e_phnum; i++) {
        if (!read_at(e, &p, sizeof p, h.e_phoff + i * sizeof p, &ignored))
            return false;
        if (p.p_type == PT_LOAD && p.p_offset == 0) {
            *out = p.p_vaddr;
            return true;
        }
    }
    return false;
}

/* The section with code at the virtual address, or NULL. */
static const Elf64_Shdr *code_section(const struct wpp_elf *e, uint64_t address)
{
    for (uint64_t i = 0; i < e->n_sections; i++)
        if (e->sections[i].sh_flags & SHF_EXECINSTR &&
            address - e->sections[i].sh_addr < e->sections[i].sh_size)
            return &e->sections[i];
    return NULL;
}

bool wpp_elf_segments(struct wpp_elf *e, struct wpp_arena *arena, struct wpp_elf_segment **out,
                      uint32_t *n, struct wpp_error *error)
{
    Elf64_Ehdr h;
    Elf64_Phdr segment;

    *n = 0;
    if (!read_at(e, &h, sizeof h, 0, error))
        return false;
    *out = wpp_arena_alloc(arena, h.e_phnum, sizeof **out);
    if (!*out)
        return wpp_fail_memory(error);
    for (unsigned i = 0; i < h.e_phnum; i++) {
        if (!read_at(e, &segment, sizeof segment, h.e_phoff + i * sizeof segment, error))
            return false;
        if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X))
            (*out)[(*n)++] = (struct wpp_elf_segment){segment.p_offset, segment.p_vaddr,
                                                      segment.p_filesz};
    }
    return true;
}

bool wpp_elf_has_code(const struct wpp_elf *e, uint64_t address)
{
    return code_section(e, address) != NULL;
}

bool wpp_elf_code(const struct wpp_elf *e, uint64_t address, void *out, size_t n)
{
    const Elf64_Shdr *s = code_section(e, address);
    struct wpp_error ignored;

    return s && s->sh_type != SHT_NOBITS && n <= s->sh_size - (address - s->sh_addr) &&
           read_at(e, out, n, s->sh_offset + (address - s->sh_addr), &ignored);
}

static bool has_name(const struct wpp_elf *e, const Elf64_Shdr *s, const char *name)
{
    size_t length = strlen(name) + 1;

    return s->sh_name < e->names.size && length <= e->names.size - s->sh_name &&
           memcmp(e->names.data + s->sh_name, name, length) == 0;
}

bool wpp_elf_read(struct wpp_elf *e, const char *name, struct wpp_bytes *out, bool *found,
                  struct wpp_error *error)
{
    *found = false;
    for (uint64_t i = 0; i < e->n_sections; i++) {
        if (!has_name(e, &e->sections[i], name))
            continue;
        *found = true;
        return read_section(e, &e->sections[i], out, error);
    }
    return true;
}

static size_t round_to_4(size_t n)
{
    return (n + 3) & ~(size_t)3;
}

/* A note: name size, content size, type, then name and content, each padded to 4 bytes. */
static bool find_note(const struct wpp_bytes *notes, const char *owner, uint32_t type,
                      struct wpp_bytes *out)
{
    struct wpp_view v = wpp_view(notes->data, notes->size);
    size_t length = strlen(owner) + 1;

    while (wpp_left(&v) >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr h;
        const uint8_t *name, *content;

        memcpy(&h, wpp_get_bytes(&v, sizeof h), sizeof h);
        name = wpp_get_bytes(&v, round_to_4(h.n_namesz));
        content = wpp_get_bytes(&v, round_to_4(h.n_descsz));
        if (!name || !content)
            return false;
        if (h.n_type == type && h.n_namesz == length && memcmp(name, owner, length) == 0) {
            wpp_put(out, content, h.n_descsz);
            return true;
        }
    }
    return false;
}

bool wpp_elf_note(struct wpp_elf *e, const char *owner, uint32_t type, struct wpp_bytes *out,
                  bool *found, struct wpp_error *error)
{
    *found = false;
    for (uint64_t i = 0; i < e->n_sections && !*found; i++) {
        struct wpp_bytes notes = {0};

        if (e->sections[i].sh_type != SHT_NOTE)
            continue;
        if (!read_section(e, &e->sections[i], &notes, error)) {
            wpp_bytes_free(&notes);
            return false;
        }
        *found = find_note(&notes, owner, type, out);
        wpp_bytes_free(&notes);
    }
    return !out->failed || wpp_fail_memory(error);
}

bool wpp_elf_build_id(struct wpp_elf *e, struct wpp_bytes *out, struct wpp_error *error)
{
    bool found;

    return wpp_elf_note(e, "GNU", NT_GNU_BUILD_ID, out, &found, error);
}
