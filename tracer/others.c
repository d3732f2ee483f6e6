/* SPDX-License-Identifier: MIT */
/* others.c - other runtimes in this process.
 *
 * A program that hides the runtime's names (-Wl,--exclude-libs,ALL), a library that brings a
 * copy of its own, or a namespace (dlmopen, LD_AUDIT) makes a second one: with cursors of its own,
 * so that the order of its events and the first one's is not known, and with the same WPP_OUT.
 * Only the first records.  What the others are given is counted, and lost in its END.
 *
 * They find each other by a note that each module with a runtime has, and across namespaces, where
 * the loader shows none, by a word of the process (below):
 *
 *      word -> first's presence -> others: presence -> presence -> ...
 *
 * A namespace may be loaded before a program that is traced (LD_AUDIT): it leaves the recording to
 * that, and the word points at what waits for the first.
 */
#include "tracer/runtime.h"

#include <dlfcn.h>
#include <errno.h>

#include "tracer/sys.h"
#include "tracer/text.h"

/* What runtimes of different versions know of each other: fields are only added. */
struct presence {
    uint32_t version;               /* 3 */
    uint32_t records;               /* it was the first and has opened a trace */
    struct presence *others;        /* in the first: those that came later; in these: the next */
    uint64_t gone;                  /* in the first: tokens of others that are unloaded */
    uint64_t (*lost)(void);         /* tokens that this one has lost so far */
    /* Since version 2.  Forgets a module that it has registered; false if it has not. */
    bool (*let_go)(struct wpp_module *module);
    /* Since version 3. */
    const struct presence *self;    /* where it lies */
    void (*lacks)(void);            /* in the first: others have events that it does not record */
    uint64_t told;                  /* in the first: of which paths the user knows, by their hashes */
};

static uint64_t count_lost(void);
static void lack(void);
__attribute__((used)) static struct presence presence = {
    .version = 3, .lost = count_lost, .let_go = __wpp_module_let_go, .self = &presence,
    .lacks = lack
};
static struct presence *first;      /* another one, that records */
static bool yields;                 /* the program will have one that records */
static bool apart;                  /* this one's loader does not list the program */
static bool stays;                  /* the module that this one lies in is not unloaded */

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

/* Absent in static programs, and where older libcs have it in a library of its own.  dlopen() is not
 * named: where a static program has it, the linker would warn of it. */
#pragma weak dladdr
#pragma weak dlsym
#pragma weak dlerror

/* What others lose is counted in the first, and a library that comes again would begin the trace
 * again. */
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

/* Before those that are there. */
static void join(void)
{
    presence.others = __atomic_load_n(&first->others, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&first->others, &presence.others, &presence, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
}

/* It has not begun. */
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

/* Those that have waited come later. */
void __wpp_others_begin(void)
{
    presence.records = 1;
    presence.others = read_word();
    write_word(&presence);
}

/* The first, if it has begun and is still there: versions before 3 always are. */
static struct presence *find_first(void)
{
    struct presence *head = __wpp_program_word() && !(first && first->version < 3) ? read_word() : first;

    return head && head->records && head != &presence ? head : NULL;
}

/* ---- Modules that the wrong one has registered ----------------------------------------- */

/* The first constructor of all registers every module that it finds, and cannot see from
 * outside to which runtime a module's names are bound: the module's own constructor can. */
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

/* Without END nothing else would say that events are missing. */
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

/* Nothing leads to a module that is gone. */
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
