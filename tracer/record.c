/* SPDX-License-Identifier: MIT */
/* record.c - the records of docs/trace-format.md. */
#include "tracer/runtime.h"

#include "tracer/sys.h"
#include "tracer/text.h"

#define CHECKED_BYTES offsetof(struct wpp_record, check)
_Static_assert(CHECKED_BYTES == 56, "the check covers everything before it");

/* Each record is written in one piece: TOKENS from their chunk, all others from here. */
static struct {
    struct wpp_record header;
    unsigned char payload[WPP_PAYLOAD_BYTES];
} assembled;

static void make_header(struct wpp_record *r, uint16_t kind, uint32_t bytes)
{
    r->magic = WPP_TRACE_MAGIC;
    r->version = WPP_TRACE_VERSION;
    r->kind = kind;
    r->bytes = bytes;
    r->pid = __wpp_process.pid;
    r->time = sys_nanoseconds();
    r->first = 0;
    r->process = __wpp_process.merged;
    for (int i = 0; i < 3; i++)
        r->reserved[i] = 0;
    r->reserved2 = 0;
}

static void number_process(struct wpp_record *r)
{
    r->tid = sys_gettid();
    r->sequence = __wpp_process.sequence;
}

static void number_thread(struct wpp_record *r, struct wpp_thread *t)
{
    r->tid = t->tid;
    r->sequence = t->sequence;
    if (r->kind == WPP_REC_TOKENS || r->kind == WPP_REC_LOST)
        r->first = t->first;
}

static void seal(struct wpp_record *r)
{
    r->check = (uint32_t)fnv1a(FNV_START, r, CHECKED_BYTES);
}

/* `payload_bytes` includes padding; the payload lies behind the header.  Callers increment
 * `sequence` afterwards: a process made by vfork may be killed while it waits here, and its
 * parent then writes the record again. */
static void close_and_write(struct wpp_record *r, uint32_t payload_bytes)
{
    seal(r);
    if (!__wpp_output_write(r, WPP_HEADER_BYTES + (size_t)payload_bytes))
        __wpp_give_up();
}

/* Returns the payload's size with padding. */
static uint32_t assemble(uint16_t kind, const void *payload, uint32_t bytes)
{
    uint32_t padded = (bytes + 3) & ~3u;

    WPP_EXPECT(padded <= WPP_PAYLOAD_BYTES);
    make_header(&assembled.header, kind, bytes);
    bytes_copy(assembled.payload, payload, bytes);
    for (uint32_t i = bytes; i < padded; i++)
        assembled.payload[i] = 0;
    return padded;
}

void __wpp_record_process(uint16_t kind, const void *payload, uint32_t bytes)
{
    uint32_t padded;

    if (__wpp_process.state != WPP_RECORDING)
        return;
    WPP_EXPECT(__wpp_process.begun || kind == WPP_REC_PROCESS);
    padded = assemble(kind, payload, bytes);
    number_process(&assembled.header);
    close_and_write(&assembled.header, padded);
    __wpp_process.sequence++;
}

void __wpp_record_thread(struct wpp_thread *t, uint16_t kind, const void *payload,
                         uint32_t bytes)
{
    uint32_t padded;

    if (__wpp_process.state != WPP_RECORDING)
        return;
    WPP_EXPECT(t->begun || kind == WPP_REC_THREAD);
    padded = assemble(kind, payload, bytes);
    number_thread(&assembled.header, t);
    close_and_write(&assembled.header, padded);
    t->sequence++;
}

void __wpp_record_tokens(struct wpp_thread *t, uint32_t count)
{
    struct wpp_record *r = (struct wpp_record *)((char *)t->done - WPP_HEADER_BYTES);

    WPP_EXPECT(__wpp_process.state == WPP_RECORDING && t->begun);
    make_header(r, WPP_REC_TOKENS, count * 4);
    number_thread(r, t);
    close_and_write(r, count * 4);
    t->sequence++;
}

/* Notes have no sequence number, because a recorder adds notes of its own. */
static void number_note(struct wpp_record *r)
{
    r->tid = sys_gettid();
    r->sequence = 0;
}

void __wpp_record_note(uint16_t kind, const void *payload, uint32_t bytes)
{
    uint32_t padded;

    if (__wpp_process.state != WPP_RECORDING)
        return;
    padded = assemble(kind, payload, bytes);
    number_note(&assembled.header);
    close_and_write(&assembled.header, padded);
}

/* Assembles the beginning of a BUFFER record; its payload ends with the buffer.  Zeros before
 * the buffer align it to a page of the file. */
size_t __wpp_record_buffer(uint64_t offset, const void **from)
{
    uint32_t skip = (uint32_t)-(offset + WPP_HEADER_BYTES + 4) & (WPP_PAGE_BYTES - 1);

    assemble(WPP_REC_BUFFER, &skip, 4);
    for (uint32_t i = 4; i < 4 + skip; i++)
        assembled.payload[i] = 0;
    assembled.header.bytes = 4 + skip + WPP_BUFFER_BYTES;
    number_note(&assembled.header);
    seal(&assembled.header);
    *from = &assembled;
    return WPP_HEADER_BYTES + 4 + skip;
}

size_t __wpp_record_kept_counts(uint16_t kind, uint64_t offset, size_t bytes, const struct wpp_counts *counts,
                                const void **from)
{
    uint32_t head = 4 + sizeof *counts;
    uint32_t skip = (uint32_t)-(offset + WPP_HEADER_BYTES + head) & (WPP_PAGE_BYTES - 1);

    assemble(kind, &skip, 4);
    for (uint32_t i = 4; i < 4 + skip; i++)
        assembled.payload[i] = 0;
    bytes_copy(assembled.payload + 4 + skip, counts, sizeof *counts);
    assembled.header.bytes = (uint32_t)(head + skip + bytes);
    number_note(&assembled.header);
    seal(&assembled.header);
    *from = &assembled;
    return WPP_HEADER_BYTES + head + skip;
}

void __wpp_record_counts(uint16_t kind, const struct wpp_counts *counts, const uint64_t *from)
{
    static unsigned char payload[4 + sizeof *counts + 8 * 4096];

    WPP_EXPECT(counts->count <= 4096 && counts->at == 0);
    bytes_copy(payload + 4, counts, sizeof *counts);
    bytes_copy(payload + 4 + sizeof *counts, from, 8 * counts->count);
    __wpp_record_note(kind, payload, (uint32_t)(4 + sizeof *counts + 8 * counts->count));
}

void __wpp_record_left(uint16_t kind, const struct wpp_left *slots, uint32_t count)
{
    struct wpp_counts head = { 0, count, 0, 0 };
    static unsigned char payload[4 + sizeof head + sizeof *slots * 2048];

    WPP_EXPECT(count <= 2048);
    bytes_copy(payload + 4, &head, sizeof head);
    bytes_copy(payload + 4 + sizeof head, slots, count * sizeof *slots);
    __wpp_record_note(kind, payload, (uint32_t)(4 + sizeof head + count * sizeof *slots));
}

void __wpp_record_no_buffer(void)
{
    __wpp_record_note(WPP_REC_BUFFER, NULL, 0);
}

void __wpp_record_no_counts(void)
{
    __wpp_record_note(WPP_REC_COUNTS, NULL, 0);
}
