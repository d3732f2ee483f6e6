/* SPDX-License-Identifier: MIT */
/* read-trace.c - a second reader of traces, written from docs/trace-format.md
 * alone: plain, slow, sharing no code and no header with the others.
 *
 *   read-trace FILE             one line for each record
 *   read-trace --streams FILE   one line for each stream: name, tokens, their FNV-1a 64
 *   read-trace --numbers FILE   every token of every stream, one a line, in file order
 *   read-trace --raw N FILE     the tokens of stream N (0, 1, ...) as they are
 *
 * The line of a COUNTS or PAUSE_COUNTS record is followed by one for each counter that is not 0, that of a
 * LEFT or PAUSE_LEFT record by one for each slot in use.
 *
 * It always checks everything the document promises.  Exit: 0 complete, 1 damaged,
 * 2 usage or system, 3 incomplete. */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESS = 1, MODULE_LOAD, MODULE_UNLOAD, THREAD, TOKENS, THREAD_END, LOST, FORK, END, BUFFER,
       WAITED, STOPPED, STARTED, TIMES, EXIT, EARLY, COUNTS, LEFT, PAUSE_COUNTS, PAUSE_LEFT };

struct header {
    uint32_t magic, version, kind, bytes, pid, tid, sequence;
    uint64_t time, first;
    uint32_t check;
};

struct stream {
    uint32_t pid, tid, next;        /* next: expected sequence */
    char name[16];
    uint64_t words, tokens, hash;   /* words: with zeros and lost ones, as `first` counts */
    int ended;
};

struct process {
    uint32_t pid, next;
    uint64_t words, lost;
    uint64_t length;                /* the trace was so long, its buffers say */
    int ended, incomplete, buffers; /* buffers: -1 when a thread had none */
    int stopped, counts;            /* counts: it has COUNTS records; -1 when some are in none */
};

struct buffer {
    uint32_t pid, tid;
    uint64_t first, n;
    unsigned char *words;
};

static struct stream *streams;
static size_t n_streams;
static struct process *processes;
static size_t n_processes;
static struct buffer *buffers;
static size_t n_buffers;
static enum { RECORDS, STREAMS, NUMBERS, RAW } mode;
static size_t raw_stream;
static uint64_t offset;             /* of the record being read */

static _Noreturn void damaged(const char *format, ...)
{
    va_list args;

    fflush(stdout);
    fprintf(stderr, "read-trace: record at byte %llu: ", (unsigned long long)offset);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

static uint64_t u(const unsigned char *at, int bytes)
{
    uint64_t value = 0;

    while (bytes--)
        value = value << 8 | at[bytes];
    return value;
}

static uint64_t fnv(uint64_t hash, const unsigned char *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

static void *grow(void *array, size_t n, size_t size)
{
    array = realloc(array, n * size);
    if (!array) {
        perror("read-trace");
        exit(2);
    }
    return array;
}

/* ---- Headers ------------------------------------------------------------------- */

static void parse_header(struct header *h, const unsigned char *at)
{
    *h = (struct header){
        .magic = (uint32_t)u(at, 4), .version = (uint32_t)u(at + 4, 2),
        .kind = (uint32_t)u(at + 6, 2), .bytes = (uint32_t)u(at + 8, 4),
        .pid = (uint32_t)u(at + 12, 4), .tid = (uint32_t)u(at + 16, 4),
        .sequence = (uint32_t)u(at + 20, 4), .time = u(at + 24, 8), .first = u(at + 32, 8),
        .check = (uint32_t)u(at + 56, 4),
    };
    if (memcmp(at, "WPPT", 4) != 0)
        damaged("no magic");
    if (h->version != 1)
        damaged("version %u", h->version);
    if (h->check != (uint32_t)fnv(0xcbf29ce484222325u, at, 56))
        damaged("wrong check");
    for (int i = 40; i < 56; i++)
        if (at[i])
            damaged("reserved byte %d is not 0", i);
    if (u(at + 60, 4))
        damaged("reserved2 is not 0");
    if (h->first && h->kind != TOKENS && h->kind != LOST)
        damaged("`first` in a record of kind %u", h->kind);
}

static struct process *process_of(const struct header *h)
{
    for (size_t i = n_processes; i-- > 0;)
        if (processes[i].pid == h->pid)
            return &processes[i];
    return NULL;
}

/* The latest stream of the thread. */
static struct stream *stream_of(const struct header *h)
{
    for (size_t i = n_streams; i-- > 0;)
        if (streams[i].pid == h->pid && streams[i].tid == h->tid)
            return &streams[i];
    return NULL;
}

/* ---- Kinds ------------------------------------------------------------------------ */

static void read_process(const struct header *h, const unsigned char *p)
{
    struct process *old = process_of(h);

    if (old && !old->ended)
        old->incomplete = 1;        /* replaced itself by exec */
    if (h->bytes && p[h->bytes - 1] != '\0')
        damaged("PROCESS does not end with a NUL");
    for (const char *s = (const char *)p; s < (const char *)p + h->bytes; s += strlen(s) + 1)
        if (!strchr(s, '='))
            damaged("PROCESS: `%s` is no key=value", s);
    processes = grow(processes, n_processes + 1, sizeof *processes);
    processes[n_processes++] = (struct process){ .pid = h->pid };
    if (mode == RECORDS) {
        printf("PROCESS pid=%u\n", h->pid);
        for (const char *s = (const char *)p; s < (const char *)p + h->bytes; s += strlen(s) + 1)
            printf("    %s\n", s);
    }
}

static void read_load(const struct header *h, const unsigned char *p)
{
    uint32_t id;

    if (h->bytes < 32 || (id = (uint32_t)u(p + 28, 4)) > h->bytes - 32)
        damaged("MODULE_LOAD is too short");
    if (mode != RECORDS)
        return;
    printf("MODULE_LOAD base=%llu count=%llu address=%#llx units=%016llx n=%llu id=",
           (unsigned long long)u(p, 4), (unsigned long long)u(p + 4, 4),
           (unsigned long long)u(p + 8, 8), (unsigned long long)u(p + 16, 8),
           (unsigned long long)u(p + 24, 4));
    for (uint32_t i = 0; i < id; i++)
        printf("%02x", p[32 + i]);
    printf(" path=%.*s\n", (int)(h->bytes - 32 - id), (const char *)p + 32 + id);
}

static void read_name(const struct header *h, const unsigned char *p, struct stream *s)
{
    if (h->bytes > 15)
        damaged("a thread's name of %u bytes", h->bytes);
    memset(s->name, 0, sizeof s->name);
    memcpy(s->name, p, h->bytes);
}

static void begin_stream(const struct header *h, const unsigned char *p)
{
    struct stream s = { .pid = h->pid, .tid = h->tid, .hash = 0xcbf29ce484222325u };

    read_name(h, p, &s);
    streams = grow(streams, n_streams + 1, sizeof *streams);
    streams[n_streams++] = s;
    if (mode == RECORDS)
        printf("THREAD stream=%zu tid=%u name=%s\n", n_streams - 1, h->tid, s.name);
}

static void take_words(struct stream *s, const unsigned char *p, uint64_t n)
{
    s->words += n;
    for (uint64_t i = 0; i < 4 * n; i += 4) {
        if (!u(p + i, 4) || (u(p + i, 4) >= 0xF0000000 && u(p + i, 4) < 0xFFFF0000))
            continue;
        s->tokens++;
        s->hash = fnv(s->hash, p + i, 4);
        if (mode == NUMBERS)
            printf("%llu\n", (unsigned long long)u(p + i, 4));
        if (mode == RAW && s == &streams[raw_stream])
            fwrite(p + i, 4, 1, stdout);
    }
}

static void read_tokens(const struct header *h, const unsigned char *p, struct stream *s)
{
    if (h->bytes % 4)
        damaged("TOKENS of %u bytes", h->bytes);
    if (h->first != s->words)
        damaged("TOKENS begin at %llu, %llu came before", (unsigned long long)h->first,
                (unsigned long long)s->words);
    process_of(h)->words += h->bytes / 4;
    if (mode == RECORDS)
        printf("TOKENS tid=%u first=%llu count=%u\n", h->tid, (unsigned long long)h->first,
               h->bytes / 4);
    take_words(s, p, h->bytes / 4);
}

static void read_lost(const struct header *h, const unsigned char *p, struct stream *s)
{
    struct process *process = process_of(h);

    if (h->bytes != 8 || h->first != s->words)
        damaged("LOST of %u bytes at %llu", h->bytes, (unsigned long long)h->first);
    s->words += u(p, 8);
    process->lost += u(p, 8);
    if (mode == RECORDS)
        printf("LOST tid=%u tokens=%llu\n", h->tid, (unsigned long long)u(p, 8));
}

static void read_end(const struct header *h, const unsigned char *p)
{
    struct process *process = process_of(h);

    if (h->bytes != 16)
        damaged("END of %u bytes", h->bytes);
    if (u(p, 8) != process->words)
        damaged("END counts %llu tokens, there were %llu", (unsigned long long)u(p, 8),
                (unsigned long long)process->words);
    if (u(p + 8, 8) < process->lost)
        damaged("END counts fewer lost tokens than there were");
    process->ended = 1;
    process->incomplete = u(p + 8, 8) != 0;
    if (mode == RECORDS)
        printf("END tokens=%llu lost=%llu\n", (unsigned long long)u(p, 8),
               (unsigned long long)u(p + 8, 8));
}

static void read_note(const struct header *h, const unsigned char *p)
{
    static const struct { const char *name; uint32_t bytes; } notes[] = {
        [WAITED] = { "WAITED", 8 }, [STOPPED] = { "STOPPED", 0 }, [STARTED] = { "STARTED", 16 },
        [EXIT] = { "EXIT", 8 }, [EARLY] = { "EARLY", 8 }
    };
    struct process *process = process_of(h);

    if (h->bytes != notes[h->kind].bytes && !(h->kind == STOPPED && h->bytes == 4 && u(p, 4) == 1))
        damaged("%s of %u bytes", notes[h->kind].name, h->bytes);
    if (h->kind == EXIT && (!u(p, 4) == !u(p + 4, 4) || u(p, 4) > 256))
        damaged("EXIT with status %llu - 1 and signal %llu", (unsigned long long)u(p, 4),
                (unsigned long long)u(p + 4, 4));
    if ((h->kind == STOPPED || h->kind == STARTED) && process->stopped == (h->kind == STOPPED))
        damaged("%s twice", notes[h->kind].name);
    if (h->kind == STOPPED || h->kind == STARTED)
        process->stopped = h->kind == STOPPED;
    if (mode == RECORDS && h->kind == STARTED)
        printf("STARTED nanoseconds=%llu tokens=%llu\n", (unsigned long long)u(p, 8),
               (unsigned long long)u(p + 8, 8));
    else if (mode == RECORDS && h->kind == EXIT)
        printf("EXIT exited=%llu killed=%llu\n", (unsigned long long)u(p, 4),
               (unsigned long long)u(p + 4, 4));
    else if (mode == RECORDS && h->kind == EARLY)
        printf("EARLY tokens=%llu\n", (unsigned long long)u(p, 8));
    else if (mode == RECORDS)
        printf("%s\n", notes[h->kind].name);
}

/* One line for the record, one for each token. */
static void read_times(const struct header *h, const unsigned char *p)
{
    if (h->bytes < 16 || h->bytes % 16 != 0)
        damaged("TIMES of %u bytes", h->bytes);
    if (mode == RECORDS)
        printf("TIMES ticks=%llu nanoseconds=%llu\n", (unsigned long long)u(p, 8),
               (unsigned long long)u(p + 8, 8));
    for (uint32_t i = 16; i < h->bytes; i += 16) {
        if (u(p + i + 12, 4) != 0)
            damaged("bytes behind a token of TIMES are not 0");
        if (mode == RECORDS)
            printf("TIME token=%llu ticks=%llu\n", (unsigned long long)u(p + i + 8, 4),
                   (unsigned long long)u(p + i, 8));
    }
}

static void found_counts(struct process *process)
{
    if (process->counts == 0)
        process->counts = 1;
}

/* One line for the record, one for each counter that is not 0. */
static void read_counts(const struct header *h, const unsigned char *p)
{
    uint64_t skip = h->bytes < 4 ? 0 : u(p, 4), begin = 20 + skip, first, count;

    if (h->bytes == 0 && h->kind == COUNTS) {
        process_of(h)->counts = -1;
        return;
    }
    if (h->bytes < begin)
        damaged("COUNTS of %u bytes", h->bytes);
    for (uint64_t i = 0; i < skip; i++)
        if (p[4 + i])
            damaged("what stands before the first token of COUNTS is not 0");
    p += 4 + skip;
    first = u(p, 4);
    count = u(p + 4, 4);
    begin += u(p + 8, 4);
    if (h->bytes < begin + 8 * count)
        damaged("COUNTS of %u bytes with %llu counters", h->bytes, (unsigned long long)count);
    found_counts(process_of(h));
    if (mode != RECORDS)
        return;
    printf("%sCOUNTS first=%llu count=%llu tid=%llu\n", h->kind == COUNTS ? "" : "PAUSE_",
           (unsigned long long)first, (unsigned long long)count, (unsigned long long)u(p + 12, 4));
    p += 16 + u(p + 8, 4);
    for (uint64_t i = 0; i < count; i++)
        if (u(p + 8 * i, 8))
            printf("COUNT token=%llu times=%llu\n", (unsigned long long)(first + i),
                   (unsigned long long)u(p + 8 * i, 8));
}

static void read_left(const struct header *h, const unsigned char *p)
{
    uint64_t skip = h->bytes < 4 ? 0 : u(p, 4), begin = 20 + skip, count;

    if (h->bytes < begin)
        damaged("LEFT of %u bytes", h->bytes);
    for (uint64_t i = 0; i < skip + 4; i++)
        if (p[4 + i])
            damaged("what stands before the count of LEFT is not 0");
    p += 4 + skip;
    count = u(p + 4, 4);
    if (h->bytes < begin + 16 * count)
        damaged("LEFT of %u bytes with %llu slots", h->bytes, (unsigned long long)count);
    found_counts(process_of(h));
    if (mode != RECORDS)
        return;
    printf("%sLEFT slots=%llu\n", h->kind == LEFT ? "" : "PAUSE_", (unsigned long long)count);
    p += 16;
    for (uint64_t i = 0; i < count; i++, p += 16)
        if (u(p + 8, 8))
            printf("SLOT token=%llu block=%llu times=%llu\n", (unsigned long long)u(p, 4),
                   (unsigned long long)u(p + 4, 4), (unsigned long long)u(p + 8, 8));
}

/* ---- Buffers ---------------------------------------------------------------------------- */

/* What a thread may not have handed over: kept until the process's end is known. */
static void read_buffer(const struct header *h, const unsigned char *p)
{
    struct process *process = process_of(h);
    struct buffer b = { .pid = h->pid };
    uint64_t skip, words, signal, pc;

    if (h->bytes == 0) {
        process->buffers = -1;
        return;
    }
    skip = h->bytes < 4 ? 0 : u(p, 4);
    if (h->bytes < 4 + skip + 4096 + 64)
        damaged("BUFFER of %u bytes", h->bytes);
    for (uint64_t i = 0; i < skip; i++)
        if (p[4 + i])
            damaged("what stands before the buffer is not 0");
    words = (h->bytes - 4 - skip - 4096 - 64) / 4;
    p += 4 + skip;
    b.first = u(p, 8);
    b.tid = (uint32_t)u(p + 16, 4);
    signal = u(p + 24, 4);
    pc = u(p + 40, 8);
    if (u(p + 32, 4) > 64)
        damaged("%llu calls of a thread", (unsigned long long)u(p + 32, 4));
    if (u(p + 8, 8) > process->length)
        process->length = u(p + 8, 8);
    p += 4096 + 64;
    for (uint64_t i = 0; i < words; i++)
        if (u(p + 4 * i, 4))
            b.n = i + 1;
    b.words = memcpy(grow(NULL, b.n + 1, 4), p, 4 * b.n);
    buffers = grow(buffers, n_buffers + 1, sizeof *buffers);
    buffers[n_buffers++] = b;
    if (process->buffers >= 0)
        process->buffers++;
    if (mode == RECORDS)
        printf("BUFFER tid=%u first=%llu count=%llu", b.tid, (unsigned long long)b.first,
               (unsigned long long)b.n);
    if (mode == RECORDS && signal)
        printf(" signal=%llu pc=0x%llx", (unsigned long long)signal, (unsigned long long)pc);
    if (mode == RECORDS)
        putchar('\n');
}

/* The process did not say that it ended: what its buffers have beyond its records
 * are events as well. */
static void take_buffer(const struct buffer *b)
{
    struct header h = { .pid = b->pid, .tid = b->tid };
    struct process *process = process_of(&h);
    struct stream *s = stream_of(&h);

    if (process->ended || !b->tid || (!s && !b->n))
        return;
    /* Numbers are signed: what is from while recording was stopped has negative ones. */
    if (!s || (int64_t)s->words < (int64_t)b->first) {
        process->incomplete = 1;
        return;
    }
    if ((int64_t)s->words < (int64_t)(b->first + b->n))
        take_words(s, b->words + 4 * (s->words - b->first), b->first + b->n - s->words);
}

static void take_buffers(void)
{
    for (size_t i = 0; i < n_buffers; i++) {
        take_buffer(&buffers[i]);
        free(buffers[i].words);
    }
    free(buffers);
}

/* ---- Sequence ----------------------------------------------------------------------- */

static void expect_sequence(const struct header *h, uint32_t *next)
{
    if (h->sequence != *next)
        damaged("sequence %u, expected %u", h->sequence, *next);
    ++*next;
}

static void read_process_record(const struct header *h, const unsigned char *p)
{
    if (h->kind == PROCESS)
        read_process(h, p);
    expect_sequence(h, &process_of(h)->next);
    if (h->kind == MODULE_LOAD)
        read_load(h, p);
    if (h->kind == END)
        read_end(h, p);
    if (h->kind == MODULE_UNLOAD) {
        if (h->bytes != 4)
            damaged("MODULE_UNLOAD of %u bytes", h->bytes);
        if (mode == RECORDS)
            printf("MODULE_UNLOAD base=%llu\n", (unsigned long long)u(p, 4));
    }
}

static void read_thread_record(const struct header *h, const unsigned char *p)
{
    struct stream *s;

    if (h->kind == THREAD)
        begin_stream(h, p);
    s = stream_of(h);
    if (!s)
        damaged("no THREAD record before the first record of thread %u", h->tid);
    if (s->ended)
        damaged("a record after THREAD_END of thread %u", h->tid);
    expect_sequence(h, &s->next);
    if (h->kind == TOKENS)
        read_tokens(h, p, s);
    if (h->kind == LOST)
        read_lost(h, p, s);
    if (h->kind == THREAD_END) {
        s->ended = 1;
        if (h->bytes)
            read_name(h, p, s);
        if (mode == RECORDS)
            printf("THREAD_END tid=%u name=%s\n", h->tid, s->name);
    }
    if (h->kind == FORK) {
        if (h->bytes != 4)
            damaged("FORK of %u bytes", h->bytes);
        if (mode == RECORDS)
            printf("FORK tid=%u child=%llu\n", h->tid, (unsigned long long)u(p, 4));
    }
}

static void read_record(const struct header *h, const unsigned char *p)
{
    struct process *process = process_of(h);

    if (h->kind != PROCESS && !process)
        damaged("no PROCESS record before the first record of process %u", h->pid);
    if (h->kind != PROCESS && process->ended)
        damaged("a record after END of process %u", h->pid);
    switch (h->kind) {
    case PROCESS: case MODULE_LOAD: case MODULE_UNLOAD: case END:
        read_process_record(h, p);
        break;
    case THREAD: case TOKENS: case THREAD_END: case LOST: case FORK:
        read_thread_record(h, p);
        break;
    case BUFFER:
        read_buffer(h, p);
        break;
    case WAITED: case STOPPED: case STARTED: case EXIT: case EARLY:
        read_note(h, p);
        break;
    case TIMES:
        read_times(h, p);
        break;
    case COUNTS: case PAUSE_COUNTS:
        read_counts(h, p);
        break;
    case LEFT: case PAUSE_LEFT:
        read_left(h, p);
        break;
    }
}

/* A record that the process had not made when it was killed has no magic, and is the last.  Behind
 * its first two pages all is 0, and within them if its header is not right. */
static void read_unmade(FILE *file, unsigned char *header)
{
    long room;
    int c;

    memcpy(header, "WPPT", 4);
    room = (uint32_t)fnv(0xcbf29ce484222325u, header, 56) == u(header + 56, 4) ? 8192 : 0;
    while ((c = getc(file)) != EOF)
        if (room-- <= 0 && c != 0)
            damaged("no magic");
}

/* 1: a whole record; 0: the end; -1: the file ends within a record.  Of TOKENS
 * that are cut the whole words that are there count, `bytes` says how many. */
static int next_record(FILE *file, struct header *h, unsigned char **payload)
{
    unsigned char bytes[64];
    size_t n = fread(bytes, 1, sizeof bytes, file), padded;

    if (n == 0)
        return 0;
    *h = (struct header){ .kind = 0 };
    if (offset > 0 && memcmp(bytes, "\0\0\0", n < 4 ? n : 4) == 0) {
        if (n == sizeof bytes)
            read_unmade(file, bytes);
        return 0;
    }
    if (n < sizeof bytes)
        return -1;
    parse_header(h, bytes);
    padded = ((size_t)h->bytes + 3) / 4 * 4;
    *payload = grow(*payload, padded + 1, 1);
    n = fread(*payload, 1, padded, file);
    offset += sizeof bytes + n;
    if (n < padded) {
        h->bytes = (uint32_t)(n / 4 * 4);
        if (h->kind == TOKENS)
            read_record(h, *payload);
        return -1;
    }
    for (size_t i = h->bytes; i < padded; i++)
        if ((*payload)[i])
            damaged("padding is not 0");
    return 1;
}

/* A process that did not say that it ended is complete when every thread had its
 * buffer in the trace, and may have been killed within a record; or when its counters are in the
 * trace, which ends with a whole record. */
static int incomplete(int cut)
{
    if (n_processes == 0)
        return 1;
    for (size_t i = 0; i < n_processes; i++) {
        const struct process *p = &processes[i];

        if (p->incomplete)
            return 1;
        if (p->ended || p->counts ? cut : p->buffers <= 0 || offset < p->length)
            return 1;
        if (!p->ended && (p->counts < 0 || (p->counts && p->buffers < 0)))
            return 1;
    }
    return 0;
}

static const char *parse_arguments(int argc, char **argv)
{
    int i = 1;

    if (i < argc && strcmp(argv[i], "--streams") == 0)
        mode = STREAMS, i++;
    else if (i < argc && strcmp(argv[i], "--numbers") == 0)
        mode = NUMBERS, i++;
    else if (i + 1 < argc && strcmp(argv[i], "--raw") == 0)
        mode = RAW, raw_stream = strtoul(argv[i + 1], NULL, 10), i += 2;
    if (i + 1 != argc || argv[i][0] == '-') {
        fputs("usage: read-trace [--streams | --numbers | --raw N] FILE\n", stderr);
        exit(2);
    }
    return argv[i];
}

int main(int argc, char **argv)
{
    const char *path = parse_arguments(argc, argv);
    FILE *file = fopen(path, "rb");
    unsigned char *payload = NULL;
    struct header h;
    int got;

    if (!file) {
        fprintf(stderr, "read-trace: %s: %s\n", path, strerror(errno));
        return 2;
    }
    while ((got = next_record(file, &h, &payload)) > 0)
        read_record(&h, payload);
    take_buffers();
    if (mode == STREAMS)
        for (size_t i = 0; i < n_streams; i++)
            printf("%s %llu %016llx\n", streams[i].name, (unsigned long long)streams[i].tokens,
                   (unsigned long long)streams[i].hash);
    fclose(file);
    free(payload);
    free(streams);
    if (fflush(stdout) != 0)
        return 2;
    if (got < 0 && (h.kind == PAUSE_COUNTS || h.kind == PAUSE_LEFT))
        got = 0;                /* values without their note: ignored */
    if (incomplete(got < 0)) {
        free(processes);
        fputs("read-trace: incomplete\n", stderr);
        return 3;
    }
    free(processes);
    return 0;
}
