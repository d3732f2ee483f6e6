/* SPDX-License-Identifier: MIT */
/* module.c - which executables and libraries are loaded, and their tokens.
 *
 * Bases are given in the order of loading, from WPP_TOKEN_FIRST up.  No base is given twice, so
 * a token has one meaning during the whole process.  A module's MODULE_LOAD payload is kept for
 * the trace of a forked child.
 */
#include "tracer/runtime.h"

#include <elf.h>

#include "tracer/sys.h"
#include "tracer/text.h"

struct loaded {
    struct loaded *next;
    struct wpp_module *module;
    size_t map_bytes;
    uint32_t payload_bytes;
    unsigned char payload[];
};

static struct loaded *modules;          /* in order of loading */
static uint32_t refused;                /* refused modules that will be unloaded as well */
static uint64_t next_base = WPP_TOKEN_FIRST;

/* ---- What a module is called -------------------------------------------------------- */

/* A line of /proc/self/maps, parsed up to here:
 *   55d0c8a2b000-55d0c8a2d000 r--p 00000000 fe:00 1234    /usr/bin/prog */
struct map_line {
    uint64_t number[2];         /* first address, end */
    int field;                  /* 0, 1: addresses; 2: up to the path; 3: path */
};

static bool map_line_covers(const struct map_line *line, uint64_t address)
{
    return line->number[0] <= address && address < line->number[1];
}

static void map_line_byte(struct map_line *line, char byte)
{
    if (line->field < 2) {
        if (byte == '-' || byte == ' ')
            line->field++;
        else
            line->number[line->field] = line->number[line->field] * 16
                                        + (uint64_t)(byte <= '9' ? byte - '0' : byte - 'a' + 10);
    } else if (byte == '/') {
        line->field = 3;
    }
}

/* The kernel writes a newline in a name as \012. */
static void unescape(struct wpp_text *path)
{
    size_t to = 0;

    for (size_t from = 0; from < path->used; from++) {
        if (text_after(path->at + from, "\\012")) {
            path->at[to++] = '\n';
            from += 3;
        } else {
            path->at[to++] = path->at[from];
        }
    }
    path->used = to;
    path->at[to] = '\0';
}

/* The path of the file that is mapped at `address`; empty when there is none. */
static void find_path(struct wpp_text *path, const void *address)
{
    static char block[4096];
    long fd = sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0), n;
    struct map_line line = { .field = 0 };
    bool found = false;

    while (!found && fd >= 0 && (n = sys_read((int)fd, block, sizeof block)) > 0) {
        for (long i = 0; i < n && !found; i++) {
            if (block[i] != '\n') {
                map_line_byte(&line, block[i]);
                if (line.field == 3 && map_line_covers(&line, (uint64_t)address))
                    text_byte(path, block[i]);
                continue;
            }
            found = map_line_covers(&line, (uint64_t)address);
            line = (struct map_line){ .field = 0 };
        }
    }
    if (fd >= 0)
        sys_close((int)fd);
    unescape(path);
}

/* ---- Its build id ------------------------------------------------------------------------ */

/* Finds the GNU build id in the notes at [at, end): returns its length and sets *id. */
static uint32_t build_id_note(const char *at, const char *end, const unsigned char **id)
{
    const Elf64_Nhdr *note;

    at = __wpp_note_next(at, end, "GNU", NT_GNU_BUILD_ID);
    if (!at)
        return 0;
    note = (const Elf64_Nhdr *)at;
    *id = (const unsigned char *)(note + 1) + note->n_namesz;
    return note->n_descsz;
}

static uint32_t find_build_id(const Elf64_Ehdr *ehdr, const unsigned char **id)
{
    const Elf64_Phdr *phdr = (const Elf64_Phdr *)((const char *)ehdr + ehdr->e_phoff);
    const char *bias = (const char *)ehdr;
    uint32_t bytes = 0;

    for (int i = 0; i < ehdr->e_phnum; i++)
        if (phdr[i].p_type == PT_LOAD && phdr[i].p_offset == 0)
            bias = (const char *)ehdr - phdr[i].p_vaddr;
    for (int i = 0; i < ehdr->e_phnum && !bytes; i++) {
        const char *notes = bias + phdr[i].p_vaddr;

        if (phdr[i].p_type == PT_NOTE)
            bytes = build_id_note(notes, notes + phdr[i].p_memsz, id);
    }
    return bytes <= 64 ? bytes : 0;
}

/* ---- Loading ------------------------------------------------------------------------------- */

static uint64_t hash_units(const struct wpp_module *m)
{
    uint64_t hash = FNV_START;

    for (const struct wpp_unit *unit = m->begin; unit < m->end; unit++) {
        hash = fnv1a(hash, &unit->id, sizeof unit->id);
        hash = fnv1a(hash, &unit->count, sizeof unit->count);
    }
    return hash;
}

/* Makes the module's entry for the list, with its MODULE_LOAD payload; NULL without memory. */
static struct loaded *describe(struct wpp_module *m, uint32_t count, const struct wpp_text *path)
{
    const unsigned char *id = NULL;
    uint32_t id_bytes = find_build_id(m->ehdr, &id);
    uint32_t bytes = (uint32_t)(sizeof(struct wpp_load) + id_bytes + path->used);
    struct loaded *l = sys_map(sizeof *l + bytes);
    struct wpp_load *load;

    if (!l)
        return NULL;
    l->module = m;
    l->map_bytes = sizeof *l + bytes;
    l->payload_bytes = bytes;
    load = (struct wpp_load *)l->payload;
    load->base = m->base;
    load->count = count;
    load->address = (uint64_t)m->ehdr;
    load->units = hash_units(m);
    load->n_units = (uint32_t)(m->end - m->begin);
    load->build_id_bytes = id_bytes;
    bytes_copy(l->payload + sizeof *load, id, id_bytes);
    bytes_copy(l->payload + sizeof *load + id_bytes, path->at, path->used);
    return l;
}

static bool counts_edges(const struct wpp_module *m)
{
    const struct wpp_unit *unit = m->begin;

    while (unit < m->end && !(unit->flags & WPP_UNIT_EDGES))
        unit++;
    return unit < m->end;
}

uint64_t __wpp_module_identity(const struct wpp_module *m)
{
    const size_t from = offsetof(struct wpp_load, address), to = from + sizeof(uint64_t);
    uint64_t hash = FNV_START;

    for (const struct loaded *l = modules; l; l = l->next) {
        if (m && l->module != m)
            continue;
        if (counts_edges(l->module))
            return 0;
        hash = fnv1a(hash, l->payload, from);
        hash = fnv1a(hash, l->payload + to, l->payload_bytes - to);
    }
    return hash | 1;
}

/* The base that the linker gave the module; 0: none.  It is negative only if the order of the
 * units differs from the order of their numbers. */
static int64_t linked_base(const struct wpp_module *m)
{
    uint64_t before = 0;

    for (const struct wpp_unit *unit = m->begin; unit < m->end; before += unit++->count)
        if (unit->flags & WPP_UNIT_LINKED)
            return (int64_t)unit->base - (int64_t)before;
    return 0;
}

/* Whether the linker has numbered the units in their order. */
static bool is_in_order(const struct wpp_module *m, int64_t base)
{
    for (const struct wpp_unit *unit = m->begin; unit < m->end; base += unit++->count)
        if ((unit->flags & WPP_UNIT_LINKED) && unit->base != base)
            return false;
    return true;
}

static uint64_t count_of(const struct wpp_module *m)
{
    uint64_t count = 0;

    for (const struct wpp_unit *unit = m->begin; unit < m->end; unit++)
        count += unit->count;
    return count;
}

/* Whether the linker gave the module no base, or one in the executables' range with its units in
 * order. */
static bool has_usable_base(const struct wpp_module *m)
{
    int64_t base = linked_base(m);

    return base == 0 || (base >= WPP_LINKED_FIRST && is_in_order(m, base)
                         && (uint64_t)base + count_of(m) <= WPP_LINKED_END);
}

/* The module's first token. */
static uint64_t base_of(const struct wpp_module *m)
{
    int64_t linked = linked_base(m);

    if (linked)
        return (uint64_t)linked;
    return next_base < WPP_LINKED_END && next_base + count_of(m) > WPP_LINKED_FIRST
               ? WPP_LINKED_END : next_base;
}

/* The reason for which a module cannot be recorded, or NULL. */
static const char *objection(const struct wpp_module *m)
{
    if (m->abi != WPP_ABI)
        return ": built for another version of libwpp-rt; rebuild it with the wpp-gcc of this one";
    for (const struct wpp_unit *unit = m->begin; unit < m->end; unit++)
        if (unit->abi != (unit->flags & WPP_UNIT_COUNTS ? WPP_ABI_COUNTS : WPP_ABI))
            return ": has objects built for another version of libwpp-rt; "
                   "rebuild it with the wpp-gcc of this one";
    if (!has_usable_base(m))
        return ": the linker's numbers of its paths are not usable; "
               "compile it with -fplugin-arg-wpp-base=load";
    if (__wpp_others_record() && __wpp_others_apart())
        return ": not recorded: it is in a namespace of its own (dlmopen, LD_AUDIT), "
               "and another runtime records the process";
    if (__wpp_others_record())
        return ": not recorded: its runtime is not the one that records the program; "
               "link without --exclude-libs, libraries with libwpp-rt.so, "
               "load them without RTLD_DEEPBIND";
    if (__wpp_counts_objection(m))
        return __wpp_counts_objection(m);
    if (base_of(m) + count_of(m) > WPP_UNREGISTERED)
        return ": its paths and those of the modules before it are more than 32 bits can number; "
               "instrument less of them";
    return NULL;
}

/* Gives the units their bases; returns the number of tokens. */
static uint32_t number_units(struct wpp_module *m)
{
    uint64_t base = base_of(m);

    m->base = (uint32_t)base;
    for (struct wpp_unit *unit = m->begin; unit < m->end; unit++) {
        if (!(unit->flags & WPP_UNIT_LINKED))
            unit->base = (uint32_t)base;
        base += unit->count;
    }
    WPP_EXPECT(m->base >= WPP_TOKEN_FIRST && base <= WPP_UNREGISTERED);
    if (!linked_base(m))
        next_base = base;
    return (uint32_t)base - m->base;
}

/* Counts the module's events as lost.  No token may be 0, or a lost event would leave its slot
 * free.  With a base, the module is not registered by any other constructor. */
static void let_count(struct wpp_module *m)
{
    for (struct wpp_unit *unit = m->begin; unit < m->end; unit++)
        unit->base = WPP_TOKEN_FIRST;
    m->base = WPP_TOKEN_FIRST;
}

/* The end of the refusal's message.  A module in a namespace of its own does not stop recording:
 * its user cannot link it otherwise. */
static const char *consequence(void)
{
    return __wpp_others_record() && __wpp_others_apart() ? "; its events are counted as lost"
                                                         : "; recording stopped";
}

/* The tokens up to now are valid and go to the trace; recording stops. */
static void refuse(struct wpp_module *m, const char *path, const char *why)
{
    __wpp_threads_flush();
    if (__wpp_process.state != WPP_STOPPED && !__wpp_others_told(path))
        __wpp_complain(*path ? path : "a module", why, consequence());
    __wpp_process.state = WPP_STOPPED;
    refused++;
    if (m->abi == WPP_ABI)
        let_count(m);
}

static void add_module(struct wpp_module *m)
{
    static char path_bytes[4096 + 16];
    struct wpp_text path;
    struct loaded *l, **link = &modules;
    const char *why = objection(m);

    text_init(&path, path_bytes, sizeof path_bytes);
    find_path(&path, m->ehdr);
    if (why) {
        refuse(m, path.at, why);
        return;
    }
    WPP_EXPECT(m->begin <= m->end);
    l = describe(m, number_units(m), &path);
    if (!l) {
        refuse(m, path.at, ": no memory to describe it");
        return;
    }
    while (*link)
        link = &(*link)->next;
    __atomic_store_n(link, l, __ATOMIC_RELEASE);
    __wpp_times_forget(m);      /* drops times of events before now, which are not in the trace */
    __wpp_record_process(WPP_REC_MODULE_LOAD, l->payload, l->payload_bytes);
    __wpp_counts_add(m);
}

/* Modules whose constructors have not run yet: their code may run before their constructors do. */
#define FOUND_MODULES 512
struct found {
    uint32_t n;
    struct wpp_module *list[FOUND_MODULES];
};

static void take_found(void *ctx, void *what)
{
    struct wpp_module *m = what;
    struct found *found = ctx;

    if (m->base == 0 && m->abi == WPP_ABI && found->n < FOUND_MODULES)
        found->list[found->n++] = m;
}

static bool is_loaded(const struct wpp_module *m)
{
    uint64_t mask = __wpp_enter();
    const struct loaded *l = modules;

    while (l && l->module != m)
        l = l->next;
    __wpp_leave(mask);
    return l != NULL;
}

void __wpp_module_load(struct wpp_module *m)
{
    bool first = __wpp_process.state == WPP_IDLE;
    struct found found;
    uint64_t mask;

    if (m->base != 0) {
        if (is_loaded(m) || !__wpp_others_let_go(m)) {
            __wpp_left_ready();
            return;
        }
        m->base = 0;
    }
    found.n = 0;
    __wpp_notes_find(WPP_NOTE_MODULE, take_found, &found);
    if (first)
        __wpp_process_start();
    mask = __wpp_enter();
    /* If another runtime records, those modules are more likely its own. */
    for (uint32_t i = 0; i < found.n && !__wpp_others_record(); i++)
        if (found.list[i]->base == 0)
            add_module(found.list[i]);
    if (m->base == 0)
        add_module(m);
    __wpp_leave(mask);
    __wpp_left_ready();
    if (first)
        __wpp_process_hooks();
}

bool __wpp_module_let_go(struct wpp_module *m)
{
    uint64_t mask = __wpp_enter();
    struct wpp_thread *t = __wpp_self();
    struct loaded **link = &modules, *l;

    while (*link && (*link)->module != m)
        link = &(*link)->next;
    l = *link;
    if (l) {
        if (t && t->begun)
            __wpp_thread_flush(t);
        if (!__wpp_process.paused)
            __wpp_times_take(m);
        __wpp_counts_take(m);
        __wpp_record_process(WPP_REC_MODULE_UNLOAD, &m->base, sizeof m->base);
        *link = l->next;
        sys_unmap(l, l->map_bytes);
        __wpp_process_end_if_over();
    }
    __wpp_leave(mask);
    return l != NULL;
}

void __wpp_module_unload(struct wpp_module *m)
{
    if (__wpp_program_has(m))
        __wpp_left_at_exit();
    if (!__wpp_module_let_go(m) && refused > 0)
        refused--;
    __wpp_process_leave_if_over();
}

void __wpp_modules_rewrite(void)
{
    for (const struct loaded *l = modules; l; l = l->next)
        __wpp_record_process(WPP_REC_MODULE_LOAD, l->payload, l->payload_bytes);
}

void __wpp_modules_each(void (*act)(const struct wpp_module *module))
{
    for (const struct loaded *l = modules; l; l = l->next)
        act(l->module);
}

void __wpp_modules_look(void (*look)(const struct wpp_module *module, void *ctx), void *ctx)
{
    for (const struct loaded *l = modules; l; l = l->next)
        look(l->module, ctx);
}

bool __wpp_modules_none(void)
{
    return !modules;
}

bool __wpp_modules_gone(void)
{
    return !modules && !refused;
}
