/* SPDX-License-Identifier: MIT */
/* frame-walk.c - from a frame to that of its caller, by the code's description in .eh_frame.
 *
 * libgcc's unwinder takes a third of a microsecond for a frame, and programs that yield by longjmp
 * do so a hundred thousand times a second.  What it finds out depends on the address alone for nearly
 * all code:
 *
 *     step     canonical frame address (CFA) = stack or frame pointer + distance
 *              the caller's registers: unchanged, or saved at a distance from the CFA
 *              the caller's address: in the word below the CFA; its stack pointer: the CFA
 *
 * So steps are made once, and kept by address.  They are kept only for the program itself, which is never
 * unloaded, and by each thread for itself, without a lock.  Where a description says more, there is
 * no step, and libgcc has to do it.
 */
#include "tracer/runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

#include "tracer/sys.h"
#include "tracer/text.h"

enum { RBX, RBP, RSP, R12, R13, R14, R15 };     /* of struct wpp_frame */
enum { STEPS = 1024, MOST_REMEMBERED = 8, MOST_FRAME = 1 << 24 };

struct rule {
    bool saved;
    int32_t at;                 /* distance from the CFA */
};

struct row {
    uint32_t cfa_reg;           /* RBP or RSP; OTHER */
    int32_t cfa_at;
    struct rule reg[WPP_FRAME_REGISTERS];
};

struct step {
    uint64_t address;
    bool possible;
    struct row row;
};

struct description {            /* of a routine's frame; pointers into .eh_frame */
    const unsigned char *common, *common_end, *own, *own_end;
    uint64_t begin;             /* the routine's address */
    uint64_t code_factor;
    int64_t data_factor;
};

/* libgcc's. */
struct bases { void *text, *data, *function; };
typedef const unsigned char *find_function(void *address, struct bases *);
extern find_function _Unwind_Find_FDE __attribute__((weak));
#pragma weak _Unwind_Backtrace
#pragma weak _Unwind_GetIP
#pragma weak _Unwind_GetCFA
#pragma weak _Unwind_GetGR
/* Absent in static programs, and where an older libc has it in a separate library. */
#pragma weak dlsym
/* glibc's. */
#pragma weak program_invocation_name

static __thread struct step *steps;     /* STEPS of them, by address; NULL: none yet */

/* ---- libgcc ------------------------------------------------------------------------------ */

/* A function of libgcc's that C programs do not have.  dlopen() itself would make static links warn. */
static void *load(const char *name)
{
    static void *library;
    void *(*open)(const char *, int) = NULL;

    if (!library && dlsym)
        *(void **)&open = dlsym(RTLD_DEFAULT, "dlopen");
    if (open)
        library = open("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, name) : NULL;
}

/* Where the functions are: linked with the program, or loaded; NULL. */
static struct {
    find_function *find;
    __typeof(_Unwind_Backtrace) *backtrace;
    __typeof(_Unwind_GetIP) *address;
    __typeof(_Unwind_GetCFA) *stack;
    __typeof(_Unwind_GetGR) *reg;
    bool sought;
} libgcc;

/* Whether libc's constructor has run.  If dlopen() ran before it, the loader would call it for libgcc's
 * sake, and without main's arguments: `environ` would stay NULL. */
static bool libc_has_begun(void)
{
    return environ || (&program_invocation_name && program_invocation_name[0] != '\0');
}

void __wpp_frames_ready(void)
{
    if (libgcc.sought)
        return;
    if (_Unwind_Find_FDE && _Unwind_Backtrace && _Unwind_GetIP && _Unwind_GetCFA && _Unwind_GetGR) {
        libgcc.find = _Unwind_Find_FDE;
        libgcc.backtrace = _Unwind_Backtrace;
        libgcc.address = _Unwind_GetIP;
        libgcc.stack = _Unwind_GetCFA;
        libgcc.reg = _Unwind_GetGR;
    } else if (!libc_has_begun()) {
        return;
    } else {
        *(void **)&libgcc.find = load("_Unwind_Find_FDE");
        *(void **)&libgcc.backtrace = load("_Unwind_Backtrace");
        *(void **)&libgcc.address = load("_Unwind_GetIP");
        *(void **)&libgcc.stack = load("_Unwind_GetCFA");
        *(void **)&libgcc.reg = load("_Unwind_GetGR");
    }
    libgcc.sought = true;
}

static find_function *finder(void)
{
    __wpp_frames_ready();
    return libgcc.find;
}

bool __wpp_frame_of(struct _Unwind_Context *context, struct wpp_frame *f)
{
    static const unsigned char dwarf_number[WPP_FRAME_REGISTERS] = { 3, 6, 7, 12, 13, 14, 15 };

    __wpp_frames_ready();
    if (!libgcc.address || !libgcc.stack || !libgcc.reg)
        return false;
    f->address = libgcc.address(context);
    for (int i = 0; i < WPP_FRAME_REGISTERS; i++)
        f->reg[i] = i == RSP ? libgcc.stack(context) : libgcc.reg(context, dwarf_number[i]);
    return true;
}

/* At the end of a static program the unwinder no longer knows any code, itself neither, and then it
 * aborts. */
bool __wpp_frames_each(_Unwind_Trace_Fn take, void *ctx)
{
    struct bases bases;

    __wpp_frames_ready();
    if (!libgcc.backtrace || !libgcc.find || !libgcc.find((char *)libgcc.backtrace + 1, &bases))
        return false;
    libgcc.backtrace(take, ctx);
    return true;
}

/* ---- Reading ----------------------------------------------------------------------------- */

static uint64_t get_unsigned(const unsigned char **p)
{
    uint64_t n = 0;
    int shift = 0;

    do {
        n |= (uint64_t)(**p & 0x7f) << shift;
        shift += 7;
    } while (*(*p)++ & 0x80 && shift < 64);
    return n;
}

static int64_t get_signed(const unsigned char **p)
{
    const unsigned char *from = *p;
    uint64_t n = get_unsigned(p);
    int bits = 7 * (int)(*p - from);

    return bits < 64 && n >> (bits - 1) ? (int64_t)(n - (UINT64_C(1) << bits)) : (int64_t)n;
}

static uint64_t get_bytes(const unsigned char **p, int n)
{
    uint64_t value = 0;

    for (int i = 0; i < n; i++)
        value |= (uint64_t)*(*p)++ << 8 * i;
    return value;
}

/* The size of a pointer in this encoding; 0: none that GCC writes for an address. */
static int size_of(unsigned encoding)
{
    switch (encoding & 0x0f) {
    case 0x00: case 0x04: case 0x0c: return 8;
    case 0x02: case 0x0a:            return 2;
    case 0x03: case 0x0b:            return 4;
    default:                         return 0;
    }
}

/* The part of a CIE behind its augmentation's letters; false: something here is unknown. */
static bool read_augmentation(struct description *d, const char *letters, const unsigned char *p,
                              unsigned *encoding)
{
    const unsigned char *data;
    uint64_t bytes;

    *encoding = 0;
    if (letters[0] != 'z') {
        d->common = p;
        return letters[0] == '\0';
    }
    bytes = get_unsigned(&p);
    data = p;
    d->common = p + bytes;
    for (letters++; *letters; letters++) {
        unsigned char code = *data++;

        if (*letters == 'R')
            *encoding = code;
        else if (*letters == 'P' && size_of(code) && (code & 0x70) != 0x50)
            data += size_of(code);
        else if (*letters != 'L')
            return false;       /* a signal's frame has S, which has no code */
    }
    return true;
}

static bool describe(uint64_t address, struct description *d)
{
    struct bases bases;
    const unsigned char *fde = finder() ? finder()((void *)(address - 1), &bases) : NULL, *p, *cie;
    const char *letters;
    unsigned encoding;
    uint32_t length, back;
    uint64_t skip;

    if (!fde)
        return false;
    bytes_copy(&length, fde, 4);
    bytes_copy(&back, fde + 4, 4);
    cie = fde + 4 - back;
    bytes_copy(&back, cie, 4);
    if (length == UINT32_MAX || back == UINT32_MAX || (cie[8] != 1 && cie[8] != 3))
        return false;
    d->begin = (uint64_t)bases.function;
    d->common_end = cie + 4 + back;
    d->own_end = fde + 4 + length;
    letters = (const char *)cie + 9;
    p = cie + 9 + text_length(letters) + 1;
    d->code_factor = get_unsigned(&p);
    d->data_factor = get_signed(&p);
    if (get_unsigned(&p) != 16 || !read_augmentation(d, letters, p, &encoding) || !size_of(encoding))
        return false;
    p = fde + 8 + 2 * size_of(encoding);
    skip = letters[0] == 'z' ? get_unsigned(&p) : 0;
    d->own = p + skip;
    return true;
}

/* ---- Instructions ------------------------------------------------------------------------ */

enum { OTHER = WPP_FRAME_REGISTERS };

static uint32_t from_dwarf(uint64_t number)
{
    static const unsigned char numbers[] = {
        OTHER, OTHER, OTHER, RBX, OTHER, OTHER, RBP, RSP, OTHER, OTHER, OTHER, OTHER, R12, R13, R14, R15
    };

    return number < sizeof numbers ? numbers[number] : OTHER;
}

struct execution {
    const struct description *d;
    uint64_t address, end;      /* of the row; where it must stop */
    struct row row, first;      /* first: behind the common instructions */
    struct row remembered[MOST_REMEMBERED];
    int n_remembered;
};

/* The return address has rules like a register's, but it must stay below the CFA. */
static bool set_rule(struct execution *e, uint64_t number, bool saved, int64_t at)
{
    uint32_t reg = from_dwarf(number);

    if (number == 16)
        return saved && at == -8;
    if (reg == RSP)
        return false;
    if (reg != OTHER)
        e->row.reg[reg] = (struct rule){ saved, (int32_t)at };
    return true;
}

static bool set_cfa(struct execution *e, uint64_t number, int64_t at)
{
    e->row.cfa_reg = from_dwarf(number);
    e->row.cfa_at = (int32_t)at;
    return e->row.cfa_reg == RBP || e->row.cfa_reg == RSP;
}

/* An instruction with the operand in its own byte; false: unknown. */
static bool execute_short(struct execution *e, unsigned code, const unsigned char **p)
{
    unsigned operand = code & 0x3f;

    switch (code & 0xc0) {
    case 0x40:                                              /* advance_loc */
        e->address += operand * e->d->code_factor;
        return true;
    case 0x80:                                              /* offset */
        return set_rule(e, operand, true, (int64_t)get_unsigned(p) * e->d->data_factor);
    default:                                                /* restore */
        if (from_dwarf(operand) < OTHER)
            e->row.reg[from_dwarf(operand)] = e->first.reg[from_dwarf(operand)];
        return operand != 16;
    }
}

static bool execute_long(struct execution *e, unsigned code, const unsigned char **p)
{
    uint64_t reg;

    switch (code) {
    case 0x00:                                              /* nop */
        return true;
    case 0x02: case 0x03: case 0x04:                        /* advance_loc1, 2, 4 */
        e->address += get_bytes(p, 1 << (code - 2)) * e->d->code_factor;
        return true;
    case 0x05:                                              /* offset_extended */
        reg = get_unsigned(p);
        return set_rule(e, reg, true, (int64_t)get_unsigned(p) * e->d->data_factor);
    case 0x08:                                              /* same_value */
        return set_rule(e, get_unsigned(p), false, 0);
    case 0x0a:                                              /* remember_state */
        if (e->n_remembered == MOST_REMEMBERED)
            return false;
        e->remembered[e->n_remembered++] = e->row;
        return true;
    case 0x0b:                                              /* restore_state */
        if (e->n_remembered == 0)
            return false;
        e->row = e->remembered[--e->n_remembered];
        return true;
    case 0x0c:                                              /* def_cfa */
        reg = get_unsigned(p);
        return set_cfa(e, reg, (int64_t)get_unsigned(p));
    case 0x0d:                                              /* def_cfa_register */
        return set_cfa(e, get_unsigned(p), e->row.cfa_at);
    case 0x0e:                                              /* def_cfa_offset */
        e->row.cfa_at = (int32_t)get_unsigned(p);
        return true;
    case 0x2e:                                              /* GNU_args_size */
        get_unsigned(p);
        return true;
    default:
        return false;
    }
}

/* Executes up to the row that is valid at e->end. */
static bool execute(struct execution *e, const unsigned char *p, const unsigned char *end)
{
    while (p < end && e->address < e->end) {
        unsigned code = *p++;

        if (!(code & 0xc0 ? execute_short(e, code, &p) : execute_long(e, code, &p)))
            return false;
    }
    return true;
}

static struct step make_step(uint64_t address)
{
    struct step step = { .address = address };
    struct description d;
    struct execution e = { .d = &d, .end = address, .row = { .cfa_reg = OTHER } };

    if (!describe(address, &d))
        return step;
    e.address = d.begin;
    if (!execute(&e, d.common, d.common_end))
        return step;
    e.first = e.row;
    step.possible = execute(&e, d.own, d.own_end) && e.row.cfa_reg != OTHER;
    step.row = e.row;
    return step;
}

/* ---- Steps ------------------------------------------------------------------------------- */

/* A signal handler may change the entry at any time, and then the address is another one. */
static struct step step_at(uint64_t address)
{
    struct step *kept, step;

    if (!steps)
        steps = sys_map(STEPS * sizeof *steps);
    kept = steps ? &steps[address * UINT64_C(0x9E3779B97F4A7C15) >> 54] : NULL;
    if (kept && kept->address == address) {
        step = *kept;
        __asm__ volatile("" ::: "memory");
        if (kept->address == address)
            return step;
    }
    step = make_step(address);
    if (kept && __wpp_program_has((const void *)address))
        *kept = step;
    return step;
}

bool __wpp_frame_caller(struct wpp_frame *f)
{
    struct step step = step_at(f->address);
    uint64_t cfa;

    if (!step.possible)
        return false;
    cfa = f->reg[step.row.cfa_reg] + (uint64_t)(int64_t)step.row.cfa_at;
    if (cfa <= f->reg[RSP] || cfa - f->reg[RSP] > MOST_FRAME || cfa % 8 != 0)
        return false;
    for (int i = 0; i < WPP_FRAME_REGISTERS; i++)
        if (step.row.reg[i].saved)
            f->reg[i] = *(const uint64_t *)(cfa + (uint64_t)(int64_t)step.row.reg[i].at);
    f->address = *(const uint64_t *)(cfa - 8);
    f->reg[RSP] = cfa;
    return true;
}

bool __wpp_frame_is_described(const struct wpp_frame *f)
{
    struct bases bases;

    return finder() && finder()((char *)f->address - 1, &bases) != NULL;
}
