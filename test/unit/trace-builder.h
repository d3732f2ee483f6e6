/* SPDX-License-Identifier: MIT */
/* trace-builder.h - traces and traced programs, made by hand for tests from
 * docs/trace-format.md and docs/path-table-format.md. */
#ifndef WPP_TEST_TRACE_BUILDER_H
#define WPP_TEST_TRACE_BUILDER_H

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/trace-abi.h"
#include "wpp/base/bytes.h"

/* ---- Records ----------------------------------------------------------------- */

static inline struct wpp_record tb_header(unsigned kind, uint32_t tid, uint32_t sequence,
                                          uint32_t bytes)
{
    return (struct wpp_record){.magic = WPP_TRACE_MAGIC, .version = WPP_TRACE_VERSION,
                               .kind = (uint16_t)kind, .bytes = bytes, .pid = 4242, .tid = tid,
                               .sequence = sequence, .time = 1000000 + 100 * sequence};
}

static inline void tb_put(struct wpp_bytes *trace, struct wpp_record h, const void *payload)
{
    h.check = (uint32_t)wpp_fnv(WPP_FNV_START, &h, 56);
    wpp_put(trace, &h, sizeof h);
    wpp_put(trace, payload, h.bytes);
    wpp_put(trace, "\0\0\0", -h.bytes & 3);
}

static inline void tb_record(struct wpp_bytes *trace, unsigned kind, uint32_t tid,
                             uint32_t sequence, const void *payload, size_t n)
{
    tb_put(trace, tb_header(kind, tid, sequence, (uint32_t)n), payload);
}

static inline void tb_process(struct wpp_bytes *trace)
{
    static const char strings[] = "program=/bin/prog\0unknown=1\0host=box\0"
                                  "started=1700000000.123456789\0arg=prog\0arg=-x 1";

    tb_record(trace, WPP_REC_PROCESS, 4242, 0, strings, sizeof strings);
}

static inline void tb_tokens(struct wpp_bytes *trace, uint32_t tid, uint32_t sequence,
                             uint64_t first, const uint32_t *tokens, size_t n)
{
    struct wpp_record h = tb_header(WPP_REC_TOKENS, tid, sequence, (uint32_t)(4 * n));

    h.first = first;
    tb_put(trace, h, tokens);
}

static inline void tb_end(struct wpp_bytes *trace, uint32_t sequence, uint64_t tokens,
                          uint64_t lost)
{
    uint64_t payload[] = {tokens, lost};

    tb_record(trace, WPP_REC_END, 4242, sequence, payload, sizeof payload);
}

/* ---- A program ---------------------------------------------------------------------- */

/* A unit of routines that each have `paths` paths, `paths` blocks side by side:
 * ENTRY -> 2, ENTRY -> 3, ... and each of them -> EXIT. */
static inline void tb_routine(struct wpp_bytes *b, unsigned name, unsigned paths)
{
    struct wpp_bytes r = {0};

    wpp_put_varint(&r, name);
    wpp_put_varint(&r, 1);
    wpp_put_varint(&r, 10 * name);
    wpp_put_varint(&r, 0);
    wpp_put_varint(&r, paths);
    wpp_put_varint(&r, paths + 2);
    for (unsigned v = 0; v < paths + 2; v++) {
        wpp_put_varint(&r, v < 2 ? 0 : v);
        wpp_put_varint(&r, v < 2 ? 0 : 1);
        if (v >= 2) {
            wpp_put_varint(&r, 1);
            wpp_put_svarint(&r, (int64_t)v - 1);
        }
    }
    wpp_put_varint(&r, 2 * paths);
    for (unsigned e = 0; e < 2 * paths; e++) {
        wpp_put_varint(&r, e < paths ? 0 : e == paths ? 2 : 1);
        wpp_put_varint(&r, e < paths ? e + 2 : 1);
        wpp_put_varint(&r, e < paths ? e > 0 : 0);
        wpp_put_varint(&r, 0);
    }
    wpp_put_varint(b, r.size);
    wpp_put(b, r.data, r.size);
    wpp_bytes_free(&r);
}

/* Routines "f2", "f3", ... with the given numbers of paths; appends the unit's
 * table to `tables` and its record to `units`. */
static inline void tb_unit(struct wpp_bytes *units, struct wpp_bytes *tables,
                           const char *source, const unsigned *paths, unsigned n)
{
    struct wpp_bytes b = {0};
    struct wpp_unit unit = {.abi = WPP_ABI};
    char name[16];

    wpp_put_varint(&b, n + 2);
    wpp_put_string(&b, "");
    wpp_put_string(&b, source);
    for (unsigned i = 0; i < n; i++) {
        snprintf(name, sizeof name, "f%u", i + 2);
        wpp_put_string(&b, name);
        unit.count += paths[i];
    }
    for (int field = 0; field < 3; field++)
        wpp_put_varint(&b, field == 1);
    wpp_put_varint(&b, 0);
    wpp_put_varint(&b, 2);
    wpp_put_varint(&b, unit.count);
    wpp_put_varint(&b, n);
    for (unsigned i = 0; i < n; i++)
        tb_routine(&b, i + 2, paths[i]);
    unit.id = wpp_fnv(WPP_FNV_START, b.data, b.size);
    wpp_put(units, &unit, sizeof unit);
    wpp_put(tables, "WPPU", 4);
    wpp_put_u32(tables, 1);
    wpp_put_u64(tables, unit.id);
    wpp_put_u32(tables, (uint32_t)b.size);
    wpp_put(tables, b.data, b.size);
    wpp_bytes_free(&b);
}

static inline void tb_section(struct wpp_bytes *headers, uint32_t name, uint32_t type,
                              uint64_t offset, uint64_t size)
{
    Elf64_Shdr s = {.sh_name = name, .sh_type = type, .sh_offset = offset, .sh_size = size};

    wpp_put(headers, &s, sizeof s);
}

/* An ELF file with nothing but the sections that matter; build_id of 4 bytes. */
static inline struct wpp_bytes tb_elf(const struct wpp_bytes *units,
                                      const struct wpp_bytes *tables, const char *build_id)
{
    static const char names[] = "\0.shstrtab\0wpp_units\0.wpp\0.note.gnu.build-id";
    struct wpp_bytes file = {0}, headers = {0};
    Elf64_Ehdr h = {.e_type = ET_EXEC, .e_machine = EM_X86_64, .e_shentsize = sizeof(Elf64_Shdr),
                    .e_shnum = 5, .e_shstrndx = 1};
    uint32_t note[] = {4, 4, NT_GNU_BUILD_ID};

    memcpy(h.e_ident, "\177ELF\2\1\1", 7);
    wpp_put(&file, &h, sizeof h);
    tb_section(&headers, 0, SHT_NULL, 0, 0);
    tb_section(&headers, 1, SHT_STRTAB, file.size, sizeof names);
    wpp_put(&file, names, sizeof names);
    tb_section(&headers, 11, SHT_PROGBITS, file.size, units->size);
    wpp_put(&file, units->data, units->size);
    tb_section(&headers, 21, SHT_PROGBITS, file.size, tables->size);
    wpp_put(&file, tables->data, tables->size);
    tb_section(&headers, 26, SHT_NOTE, file.size, 20);
    wpp_put(&file, note, sizeof note);
    wpp_put(&file, "GNU", 4);
    wpp_put(&file, build_id, 4);
    h.e_shoff = file.size;
    wpp_put(&file, headers.data, headers.size);
    memcpy(file.data, &h, sizeof h);
    wpp_bytes_free(&headers);
    return file;
}

static inline void tb_module(struct wpp_bytes *trace, uint32_t sequence, uint32_t base,
                             const struct wpp_bytes *units, const char *build_id,
                             const char *path)
{
    struct wpp_load load = {.base = base, .units = WPP_FNV_START, .build_id_bytes = 4};
    struct wpp_bytes payload = {0};
    struct wpp_unit unit;

    load.n_units = (uint32_t)(units->size / sizeof unit);
    for (uint32_t i = 0; i < load.n_units; i++) {
        memcpy(&unit, units->data + i * sizeof unit, sizeof unit);
        load.units = wpp_fnv(load.units, &unit.id, 8);
        load.units = wpp_fnv(load.units, &unit.count, 4);
        load.count += unit.count;
    }
    wpp_put(&payload, &load, sizeof load);
    wpp_put(&payload, build_id, 4);
    wpp_put(&payload, path, strlen(path));
    tb_record(trace, WPP_REC_MODULE_LOAD, 4242, sequence, payload.data, payload.size);
    wpp_bytes_free(&payload);
}

static inline void tb_write_file(const char *path, const struct wpp_bytes *b)
{
    FILE *f = fopen(path, "wb");

    if (!f || fwrite(b->data, 1, b->size, f) != b->size || fclose(f) != 0)
        abort();
}

#endif
