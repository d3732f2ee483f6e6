/* SPDX-License-Identifier: MIT */
#include "wpp/samples/branch-text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wpp/base/error.h"

enum { BUFFER = 1 << 20, LONGEST_LINE = 1 << 26, LONGEST_RECORD = 1 << 14, FEWEST_DIGITS = 5 };

/* Behind it are the kernel's addresses. */
#define LAST_USER UINT64_C(0x7fffffffffffffff)

/* ---- Numbers and names ------------------------------------------------------------------------ */

static const uint8_t digit[256] = {
    ['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8, ['8'] = 9,
    ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16
};

/* Reads hexadecimal digits; lines end with a NUL, which is none. */
static const char *hex(const char *p, uint64_t *out)
{
    uint64_t n = 0;

    for (uint8_t d; (d = digit[(uint8_t)*p]); p++)
        n = n << 4 | (d - 1u);
    *out = n;
    return p;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct branch_symbol *)a)->name, ((const struct branch_symbol *)b)->name);
}

static bool collect_symbols(struct branch_text *t)
{
    const struct address_map *m = t->map;

    t->symbol = malloc((m->n_routines + (size_t)1) * sizeof *t->symbol);
    if (!t->symbol)
        return false;
    for (uint32_t i = 0; i < m->n_routines; i++)
        if (m->routine[i].place[2] != MAP_NONE)
            t->symbol[t->n_symbols++] = (struct branch_symbol){
                m->routine[i].r.name, m->block[m->routine[i].place[2]].begin};
    if (t->n_symbols > 0)
        qsort(t->symbol, t->n_symbols, sizeof *t->symbol, by_name);
    return true;
}

/* The address of a routine's name [name, name + n), unless several have it. */
static uint64_t find_symbol(const struct branch_text *t, const char *name, size_t n)
{
    uint32_t low = 0, high = t->n_symbols;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const char *other = t->symbol[middle].name;
        int order = strncmp(other, name, n);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == t->n_symbols || strncmp(t->symbol[low].name, name, n) || t->symbol[low].name[n])
        return 0;
    if (low + 1 < t->n_symbols && !strcmp(t->symbol[low].name, t->symbol[low + 1].name))
        return 0;
    return t->symbol[low].begin;
}

/* ---- Where the program is loaded ------------------------------------------------------------------ */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static uint64_t offset_to_address(const struct address_map *m, uint64_t offset)
{
    for (uint32_t i = 0; i < m->n_segments; i++)
        if (offset - m->segment[i].offset < m->segment[i].size)
            return offset - m->segment[i].offset + m->segment[i].address;
    return 0;
}

static bool add_load(struct branch_text *t, struct branch_load load)
{
    if (t->n_loads == t->cap_loads) {
        uint32_t n = t->cap_loads ? 2 * t->cap_loads : 16;
        struct branch_load *more = realloc(t->load, n * sizeof *more);
        if (!more)
            return false;
        t->load = more;
        t->cap_loads = n;
    }
    t->load[t->n_loads++] = load;
    return true;
}

/* `PERF_RECORD_MMAP2 PID/TID: [0xADDRESS(0xSIZE) @ 0xOFFSET ...]: r-xp PATH`.  False without memory. */
static bool read_load(struct branch_text *t, const char *event, const char *end)
{
    unsigned pid;
    uint64_t address, size, offset;
    const char *p = strchr(event, '['), *rights = strstr(event, "]: ");
    const char *path = rights && end - rights > 8 ? rights + 8 : end;

    if (!p || sscanf(event, "%*s %u", &pid) != 1 || !rights || strcmp(base_name(path), t->program)
        || (rights[3] != 'x' && !memchr(rights + 3, 'x', 4)))
        return true;
    p = hex(p + 3, &address);
    if (strncmp(p, "(0x", 3))
        return true;
    p = hex(p + 3, &size);
    if (strncmp(p, ") @ ", 4))
        return true;
    p += 4;
    hex(p[0] == '0' && p[1] == 'x' ? p + 2 : p, &offset);
    for (uint32_t i = 0; i < t->map->n_segments; i++) {
        const struct wpp_elf_segment *s = &t->map->segment[i];
        if (s->offset < offset + size && offset < s->offset + s->size)
            return add_load(t, (struct branch_load){pid, address, address + size,
                                                    address - offset + s->offset - s->address});
    }
    return true;
}

/* `PERF_RECORD_FORK(CHILD:TID):(PARENT:TID)`: the child has its parent's memory.  False without memory. */
static bool read_fork(struct branch_text *t, const char *event)
{
    unsigned child, parent;

    t->forks = true;
    if (sscanf(event, "PERF_RECORD_FORK(%u:%*u):(%u:", &child, &parent) != 2 || child == parent)
        return true;
    for (uint32_t i = 0, n = t->n_loads; i < n; i++) {
        struct branch_load load = t->load[i];
        load.pid = child;
        if (t->load[i].pid == parent && !add_load(t, load))
            return false;
    }
    return true;
}

/* `PERF_RECORD_COMM exec: NAME:PID/TID`: the process has other memory from here on. */
static void read_exec(struct branch_text *t, const char *event)
{
    const char *colon = strrchr(event, ':');
    unsigned pid;

    if (!strstr(event, " exec: ") || !colon || sscanf(colon, ":%u/", &pid) != 1)
        return;
    for (uint32_t i = 0; i < t->n_loads; i++)
        if (t->load[i].pid == pid)
            t->load[i].begin = t->load[i].end = 0;
}

/* The address in the file; 0: elsewhere.  Where forks are not told, a process of which nothing was told has been
 * forked from another. */
static uint64_t to_file(const struct branch_text *t, uint64_t address)
{
    bool known = t->forks;

    for (uint32_t i = t->n_loads; i-- > 0;) {
        known |= t->load[i].pid == t->pid;
        if (t->load[i].pid == t->pid && address >= t->load[i].begin && address < t->load[i].end)
            return address - t->load[i].bias;
    }
    for (uint32_t i = t->n_loads; !known && i-- > 0;)
        if (address >= t->load[i].begin && address < t->load[i].end)
            return address - t->load[i].bias;
    return t->n_loads == 0 ? address : 0;
}

/* An offset in the file; of a program that is not position-independent perf prints its address. */
static uint64_t of_offset(const struct branch_text *t, uint64_t offset)
{
    uint64_t address = offset_to_address(t->map, offset);

    return address ? address : to_file(t, offset);
}

/* ---- Records --------------------------------------------------------------------------------------- */

/* Where `+0x12` begins, at the end of [p, end); `end` if it does not. */
static const char *find_offset(const char *p, const char *end)
{
    const char *q = end;

    while (q > p && digit[(uint8_t)q[-1]])
        q--;
    return q - p >= 3 && q < end && q[-1] == 'x' && q[-2] == '0' && q[-3] == '+' ? q - 3 : end;
}

/* The object in parentheses, which may have an offset behind it (dsoff); *ours: it is the program. */
static const char *read_object(const struct branch_text *t, const char *p, bool *ours)
{
    const char *close = *p == '(' ? strchr(p, ')') : NULL, *name, *end;

    if (!close)
        return p;
    end = find_offset(p, close);
    for (name = end; name > p + 1 && name[-1] != '/'; name--)
        ;
    *ours = strlen(t->program) == (size_t)(end - name) && !strncmp(name, t->program, (size_t)(end - name));
    return close + 1;
}

/* `0x55e01149`, `0x55e01149(/bin/prog)`, `main+0x19`, `[unknown]`.  NULL: it is none. */
static const char *read_end(const struct branch_text *t, const char *p, uint64_t *out)
{
    bool ours = true, named = false;
    const char *slash;

    *out = 0;
    if (p[0] == '0' && p[1] == 'x') {
        const char *behind = read_object(t, p = hex(p + 2, out), &ours);
        named = behind != p;
        p = behind;
        *out = *out > LAST_USER ? RECORD_KERNEL : !ours ? 0
               : t->offsets && named ? of_offset(t, *out) : to_file(t, *out);
        return p;
    }
    slash = strchr(p, '/');
    if (!slash)
        return NULL;
    for (const char *plus = slash; plus > p; plus--)
        if (plus[0] == '+' && plus[1] == '0' && plus[2] == 'x') {
            hex(plus + 3, out);
            uint64_t begin = find_symbol(t, p, (size_t)(plus - p));
            *out = begin ? begin + *out : 0;
            break;
        }
    return slash;
}

/* Whether the word may be `FROM/TO/...`.  An object's name may hold blanks. */
static bool is_record(const char *p)
{
    unsigned slashes = 0;
    bool inside = false;

    for (const char *far = p + LONGEST_RECORD; *p && p < far && (inside || !is_blank(*p)); p++) {
        inside = *p == '(' || (inside && *p != ')');
        slashes += *p == '/' && !inside;
    }
    return slashes >= 4;
}

/* Whether the branch was not executed: not taken (`PN`), or speculated and taken back, as AMD tells.
 * q: the fields behind the addresses. */
static bool is_void(const char *q)
{
    const char *last = q;

    for (const char *p = q; *p && !is_blank(*p); p++)
        last = *p == '/' ? p : last;
    return (q[1] && q[2] == 'N') || !strncmp(last, "/SPEC_WRONG_PATH", 16);
}

/* Reads a record at p; returns the character behind it. */
static const char *read_record(struct branch_text *t, const char *p)
{
    struct branch_record r = {0};
    const char *q = read_end(t, p, &r.from);

    q = q && *q == '/' ? read_end(t, q + 1, &r.to) : NULL;
    r.to = r.to == RECORD_KERNEL ? 0 : r.to;
    if (!q || *q != '/') {
        t->strange++;
        while (*p && !is_blank(*p))
            p++;
        return p;
    }
    if (is_void(q))
        t->not_executed++;
    else if (t->n == BRANCH_TEXT_MOST)
        t->left_out++;
    else
        t->record[t->n++] = r;
    while (*q && !is_blank(*q))
        q++;
    return q;
}

/* ---- Lines -------------------------------------------------------------------------------------------- */

/* Whether the word is a hexadecimal number; *decimal: it has a digit 0 to 9. */
static bool is_hex(const char *p, const char *end, bool *decimal)
{
    const char *q = p;

    *decimal = false;
    for (; q < end && digit[(uint8_t)*q]; q++)
        *decimal |= *q <= '9';
    return q == end;
}

struct heading {
    bool has_pid, has_both, has_ip, ip_is_sure;
    uint64_t ip;
};

/* A word before the records: the first number may be the pid, unless there is one with a thread's behind it; the
 * last hexadecimal one is the ip; a word behind the ip that has no decimal digit is a symbol. */
static void read_word(struct branch_text *t, struct heading *h, const char *p, const char *end)
{
    char *behind;
    unsigned long pid = strtoul(p, &behind, 10);
    bool decimal, both = *behind == '/' && digit[(uint8_t)behind[1]];

    if ((!h->has_pid || (both && !h->has_both)) && behind > p && (behind == end || both) && pid <= UINT32_MAX) {
        t->pid = (uint32_t)pid;
        h->has_pid = true;
        h->has_both = both;
    } else if (end - p >= FEWEST_DIGITS && is_hex(p, end, &decimal) && (decimal || !h->ip_is_sure)) {
        hex(p, &h->ip);
        h->has_ip = true;
        h->ip_is_sure = decimal;
    }
}

static void reverse(struct branch_text *t)
{
    for (size_t i = 0, k = t->n; i + 1 < k; i++) {
        struct branch_record swap = t->record[i];
        t->record[i] = t->record[--k];
        t->record[k] = swap;
    }
}

/* 0, or -1 without memory. */
static int read_event(struct branch_text *t, const char *event, const char *end)
{
    bool done = true;

    if (!strncmp(event, "PERF_RECORD_MMAP", 16))
        done = read_load(t, event, end);
    else if (!strncmp(event, "PERF_RECORD_FORK", 16))
        done = read_fork(t, event);
    else if (!strncmp(event, "PERF_RECORD_COMM", 16))
        read_exec(t, event);
    return done ? 0 : -1;
}

/* 1: the line has records.  Lines of a call chain, which begin with a tab, belong to the sample of the line before;
 * its records are on a line of their own behind them. */
static int read_line(struct branch_text *t, const char *line, const char *end)
{
    struct heading h = {.has_pid = *line == '\t', .has_both = *line == '\t'};
    const char *event = strstr(line, "PERF_RECORD_");
    const char *p = line;

    t->n = 0;
    t->ip = 0;
    if (event)
        return read_event(t, event, end);
    while (*p) {
        const char *q = p;

        if (is_blank(*p)) {
            p++;
            continue;
        }
        if (is_record(p)) {
            p = read_record(t, p);
            continue;
        }
        while (*q && !is_blank(*q))
            q++;
        if (t->n == 0)
            read_word(t, &h, p, q);
        p = q;
    }
    if (h.has_ip && !t->offsets)
        t->ip = to_file(t, h.ip);
    reverse(t);
    return t->n > 0;
}

/* ---- Input ---------------------------------------------------------------------------------------------- */

bool branch_text_open(struct branch_text *t, int fd, const struct address_map *map, const char *program,
                      struct wpp_error *error)
{
    *t = (struct branch_text){.map = map, .program = base_name(program), .fd = fd, .capacity = BUFFER};
    t->buffer = malloc(t->capacity + 1);
    if (t->buffer && collect_symbols(t))
        return true;
    branch_text_close(t);
    return wpp_fail_memory(error);
}

void branch_text_close(struct branch_text *t)
{
    free(t->buffer);
    free(t->symbol);
    free(t->load);
}

static bool fill(struct branch_text *t, struct wpp_error *error)
{
    ssize_t n;

    memmove(t->buffer, t->buffer + t->at, t->end - t->at);
    t->end -= t->at;
    t->at = 0;
    if (t->end == t->capacity) {
        char *more = t->capacity < LONGEST_LINE ? realloc(t->buffer, 2 * t->capacity + 1) : NULL;
        if (t->capacity >= LONGEST_LINE)
            return wpp_fail(error, WPP_E_FORMAT, "line %llu is too long; this is not what perf script prints",
                            (unsigned long long)t->lines + 1);
        if (!more)
            return wpp_fail_memory(error);
        t->buffer = more;
        t->capacity *= 2;
    }
    do
        n = read(t->fd, t->buffer + t->end, t->capacity - t->end);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return wpp_fail_errno(error, "cannot read the samples");
    t->eof = n == 0;
    t->end += (size_t)n;
    t->bytes += (uint64_t)n;
    return true;
}

int branch_text_next(struct branch_text *t, struct wpp_error *error)
{
    for (;;) {
        char *line = t->buffer + t->at;
        char *end = memchr(line, '\n', t->end - t->at);
        int found;

        if (!end && !t->eof) {
            if (!fill(t, error))
                return -1;
            continue;
        }
        if (!end && t->at == t->end)
            return 0;
        if (!end)
            end = t->buffer + t->end;
        *end = '\0';
        t->at = end == t->buffer + t->end ? t->end : (size_t)(end + 1 - t->buffer);
        t->lines++;
        found = read_line(t, line, end);
        t->samples += found > 0;
        if (found < 0)
            wpp_fail_memory(error);
        if (found)
            return found;
    }
}
