/* SPDX-License-Identifier: MIT */
/* others.c - other runtimes in this process.
 *
 * A process may have a second runtime: the program hides the runtime's names
 * (-Wl,--exclude-libs,ALL), a library brings its own copy, or there is a namespace (dlmopen,
 * LD_AUDIT).  The second runtime has its own cursors and the same WPP_OUT, and the order of its
 * events relative to the first one's is unknown.  So only the first runtime records.  The events
 * of the others are counted, and are lost tokens in the first one's END.
 *
 * Runtimes find each other by a note in each module that has a runtime.  Across namespaces,
 * where the loader shows no notes, they use a word of the process (below):
 *
 *      word -> first's presence -> others: presence -> presence -> ...
 *
 * A namespace may be loaded before a traced program (LD_AUDIT).  Its runtime leaves the
 * recording to the program's, and the word points at the runtimes that wait for the first.
 */
#include "tracer/runtime.h"

#include <dlfcn.h>
#include <errno.h>

#include "tracer/sys.h"
#include "tracer/text.h"

/* A runtime's entry, which runtimes of other versions read too: a new version only appends
 * fields. */
struct presence {
    uint32_t version;               /* 3 */
    uint32_t records;               /* it was the first and has opened a trace */
    struct presence *others;        /* in the first: list of later runtimes; in these: the next */
    uint64_t gone;                  /* in the first: lost tokens of unloaded runtimes */
    uint64_t (*lost)(void);         /* returns the tokens that this runtime has lost so far */
    /* Since version 2.  Forgets a module that this runtime has registered; false if it has not. */
    bool (*let_go)(struct wpp_module *module);
    /* Since version 3. */
    const struct presence *self;    /* the address of this struct */
    void (*lacks)(void);            /* in the first: notes that other runtimes have events that
                                       it does not record */
    uint64_t told;                  /* in the first: set of reported paths, a bit per hash */
};

static uint64_t count_lost(void);
static void lack(void);
__attribute__((used)) static struct presence presence = {
    .version = 3, .lost = count_lost, .let_go = __wpp_module_let_go, .self = &presence,
    .lacks = lack
};
static struct presence *first;      /* another runtime, which records */
static bool yields;                 /* this runtime waits: the program's own will record */
static bool apart;                  /* this runtime's loader does not list the program */
static bool stays;                  /* this runtime's module is never unloaded */

__asm__(".pushsection .note.wpp, \"a\", @note\n"
        ".balign 4\n"
        ".long 4, 8, 1\n"           /* WPP_NOTE_RUNTIME */
        ".ascii \"wpp\\0\"\n"
        "0: .quad presence - 0b\n"
        ".popsection\n");

/* ---- The word of the process ----------------------------------------------------------- */

static bool is_presence(const struct presence *p)
{
    return sys_can_read(p) && sys_can_read((const uint64_t *)(p + 1) - 1)
           && p->version >= 3 && p->self == p;
}

static struct presence *read_word(void)
{
    uint64_t *word = __wpp_program_word();
    struct presence *p = word && *word ? (struct presence *)(*word ^ WPP_WORD_MARK) : NULL;

    return p && is_presence(p) ? p : NULL;
}

static void write_word(const struct presence *p)
{
    uint64_t *word = __wpp_program_word();

    if (word)
        *word = p ? (uint64_t)p | WPP_WORD_MARK : 0;
}

/* ---- Where this runtime is --------------------------------------------------------------- */

bool __wpp_others_apart(void)
{
    return apart;
}

/* Absent in static programs, and where an older libc has them in a separate library.  dlopen()
 * is not declared weak here: in a static program that has it, the linker would warn. */
#pragma weak dladdr
#pragma weak dlsym
#pragma weak dlerror

/* Keeps this runtime's module loaded.  The first runtime counts what the others lose, and a
 * library that is loaded again would begin the trace again. */
void __wpp_others_stay(void)
{
    void *(*open)(const char *, int) = NULL;
    int error = errno;
    Dl_info here;

    stays = __wpp_program_has(&presence);
    if (!stays && dladdr && dlsym && dlerror && dladdr(&presence, &here)) {
        *(void **)&open = dlsym(RTLD_DEFAULT, "dlopen");
        stays = open && open(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
        if (!stays)
            dlerror();
    }
    errno = error;
}

/* ---- Finding the first --------------------------------------------------------------- */

static void look_at(void *unused, void *what)
{
    struct presence *found = what;

    (void)unused;
    if (!first && found != &presence && found->records)
        first = found;
}

bool __wpp_others_record(void)
{
    return first != NULL || yields;
}

/* Puts this runtime at the head of the first one's list. */
static void join(void)
{
    presence.others = __atomic_load_n(&first->others, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&first->others, &presence.others, &presence, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
}

/* The first runtime has not begun: this one waits at the process's word. */
static void await_first(void)
{
    yields = true;
    presence.others = read_word();
    write_word(&presence);
}

void __wpp_others_find(void)
{
    struct presence *head = read_word();

    apart = !__wpp_program_is_listed();
    __wpp_notes_find(WPP_NOTE_RUNTIME, look_at, NULL);
    if (!first && head && head->records)
        first = head;
    if (first)
        join();
    else if (__wpp_program_word() && apart && __wpp_program_is_traced())
        await_first();
}

/* This runtime is the first; those that wait at the word become its list. */
void __wpp_others_begin(void)
{
    presence.records = 1;
    presence.others = read_word();
    write_word(&presence);
}

/* The first runtime, if it has begun and is still loaded.  Before version 3 it is never
 * unloaded. */
static struct presence *find_first(void)
{
    struct presence *head = __wpp_program_word() && !(first && first->version < 3) ? read_word() : first;

    return head && head->records && head != &presence ? head : NULL;
}

/* ---- Modules that the wrong one has registered ----------------------------------------- */

/* The first constructor of all registers every module that it finds.  It cannot see from outside
 * to which runtime a module's names are bound; the module's own constructor can. */
struct letting_go {
    struct wpp_module *module;
    bool done;
};

static void ask_to_let_go(void *ctx, void *what)
{
    struct letting_go *asked = ctx;
    struct presence *found = what;

    if (found != &presence && found->version >= 2)
        asked->done |= found->let_go(asked->module);
}

bool __wpp_others_let_go(struct wpp_module *module)
{
    struct letting_go asked = { module, false };

    __wpp_notes_find(WPP_NOTE_RUNTIME, ask_to_let_go, &asked);
    return asked.done;
}

/* ---- What they lose -------------------------------------------------------------------- */

bool __wpp_others_told(const char *path)
{
    struct presence *one = find_first();
    uint64_t bit = UINT64_C(1) << (fnv1a(FNV_START, path, text_length(path)) >> 58);

    return one && one->version >= 3
           && (__atomic_fetch_or(&one->told, bit, __ATOMIC_RELAXED) & bit);
}

void __wpp_others_lack(void)
{
    const struct presence *one = find_first();

    if (one && one->version >= 3)
        one->lacks();
}

/* Without END, only this record says that events are missing. */
static void lack(void)
{
    uint64_t mask = __wpp_enter();

    if (__wpp_process.begun)
        __wpp_record_no_buffer();
    __wpp_leave(mask);
}

void __wpp_others_tell(void)
{
    if (!first && presence.others)
        __wpp_record_no_buffer();
}

static uint64_t count_lost(void)
{
    uint64_t mask = __wpp_enter(), lost;

    __wpp_threads_flush();
    lost = __wpp_process.lost;
    __wpp_leave(mask);
    return lost;
}

uint64_t __wpp_others_lost(void)
{
    uint64_t lost = presence.gone;

    for (const struct presence *p = first ? NULL : presence.others; p; p = p->others)
        lost += p->lost();
    return lost;
}

static void leave_list(struct presence **list)
{
    while (*list && *list != &presence)
        list = &(*list)->others;
    if (*list)
        *list = presence.others;
}

/* Removes this runtime from every list, because its module is about to go. */
static void leave_first(void)
{
    struct presence *one = find_first(), *head = read_word();

    if (one) {
        one->gone += presence.lost();
        leave_list(&one->others);
    } else if (head) {
        leave_list(&head);
        write_word(head);
    }
}

void __wpp_others_leave(void)
{
    if (__wpp_others_record())
        leave_first();
    else if (!stays && read_word() == &presence)
        write_word(NULL);
    first = NULL;
}

void __wpp_others_forked(void)
{
    presence.gone = 0;
}
