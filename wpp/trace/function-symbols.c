/* SPDX-License-Identifier: MIT */
#include "wpp/trace/function-symbols.h"

#include <string.h>

static bool read_pair(struct wpp_function_symbols *s, struct wpp_elf *elf, const char *symbols,
                      const char *names)
{
    struct wpp_error ignored;
    bool has_symbols, has_names;

    if (wpp_elf_read(elf, symbols, &s->symbols, &has_symbols, &ignored) &&
        wpp_elf_read(elf, names, &s->names, &has_names, &ignored) && has_symbols && has_names)
        return true;
    wpp_function_symbols_free(s);
    return false;
}

void wpp_function_symbols_read(struct wpp_function_symbols *s, struct wpp_elf *elf)
{
    *s = (struct wpp_function_symbols){0};
    if (!read_pair(s, elf, ".symtab", ".strtab"))
        read_pair(s, elf, ".dynsym", ".dynstr");
}

void wpp_function_symbols_free(struct wpp_function_symbols *s)
{
    wpp_bytes_free(&s->symbols);
    wpp_bytes_free(&s->names);
}

static const char *name_of(const struct wpp_function_symbols *s, const Elf64_Sym *symbol)
{
    const uint8_t *name = s->names.data + symbol->st_name;

    if (symbol->st_name >= s->names.size || !memchr(name, 0, s->names.size - symbol->st_name))
        return NULL;
    return (const char *)name;
}

bool wpp_function_symbols_get(const struct wpp_function_symbols *s, size_t at,
                              struct wpp_function_symbol *out)
{
    Elf64_Sym symbol;

    memcpy(&symbol, s->symbols.data + at * sizeof symbol, sizeof symbol);
    *out = (struct wpp_function_symbol){symbol.st_value, symbol.st_size, name_of(s, &symbol)};
    return ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF && out->name;
}

const char *wpp_function_symbols_next(const struct wpp_function_symbols *s, uint64_t address,
                                      size_t *at, uint64_t *begin)
{
    while (*at < s->symbols.size / sizeof(Elf64_Sym)) {
        struct wpp_function_symbol symbol;

        if (wpp_function_symbols_get(s, (*at)++, &symbol) && address - symbol.address < symbol.size) {
            *begin = symbol.address;
            return symbol.name;
        }
    }
    return NULL;
}
