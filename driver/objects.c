/* SPDX-License-Identifier: MIT */
/* objects.c - looks for names of sections.  Such links are rare, so it searches the bytes of
 * objects and archives alike. */
#include "driver/objects.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_shared_library(const void *at, size_t size)
{
    const Elf64_Ehdr *header = at;

    return size >= sizeof *header && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0
           && header->e_type == ET_DYN;
}

static bool has_bytes(const char *path, const char *bytes, size_t n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    void *at = MAP_FAILED;
    bool found = false;

    if (fd < 0)
        return false;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
        at = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (at == MAP_FAILED)
        return false;
    found = !is_shared_library(at, (size_t)status.st_size)
            && memmem(at, (size_t)status.st_size, bytes, n) != NULL;
    munmap(at, (size_t)status.st_size);
    return found;
}

bool object_records(const char *path)
{
    return has_bytes(path, "wpp_units", sizeof "wpp_units");
}

bool object_is_compiled_late(const char *path)
{
    return has_bytes(path, ".gnu.lto_", sizeof ".gnu.lto_" - 1);
}
