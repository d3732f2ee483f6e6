/* SPDX-License-Identifier: MIT */
/* trace-abi.h - the layouts that the plugin's code, the runtime and the readers share.
 *
 * There are four: the records that the plugin puts into the program (wpp_unit, wpp_module), the
 * cursor protocol of the emitted code, the trace that the runtime writes (docs/trace-format.md),
 * and the memory that it shares with wpp-record.  A change to any of them changes WPP_ABI,
 * WPP_TRACE_VERSION or WPP_SHARE_VERSION.  All numbers are little-endian.
 */
#ifndef WPP_TRACE_ABI_H
#define WPP_TRACE_ABI_H

#include <stddef.h>
#include <stdint.h>

#define WPP_ABI 4u
/* Of a unit with counters instead of events; its module record has WPP_ABI. */
#define WPP_ABI_COUNTS 7u

/* ---- Tokens -----------------------------------------------------------
 * One 32-bit word per path end:  unit base + routine's first path in the unit + path number.  No
 * token is 0.  Words from WPP_CONTROL up are control opcodes; docs/trace-format.md lists the
 * operand words that follow each. */
#define WPP_CONTROL       UINT32_C(0xFFFF0000)
#define WPP_GAP           UINT32_C(0xFFFF0006)   /* events before this word were not recorded */
#define WPP_TOKEN_FIRST   UINT32_C(16)        /* bases start here; 1..15 are never used */

/* A unit's base until its module is registered, if all its tokens then lie below WPP_CONTROL.
 * Its code emits tokens of no module meanwhile, and readers ignore them. */
#define WPP_UNREGISTERED  UINT32_C(0xF0000000)

/* Frame words: WPP_FRAME + number of the running activation (modulo
 * WPP_FRAME_NUMBERS) among those in which setjmp or a nonlocal label waits.
 * The emitted code counts them in the thread-local __wpp_frames. */
#define WPP_FRAME         UINT32_C(0xFFFF8000)
#define WPP_FRAME_NUMBERS UINT32_C(0x8000)

/* ---- Chunks and the cursor --------------------------------------------
 * A thread's events go to chunks of WPP_CHUNK_BYTES:
 *
 *   chunk        +64                        cursor             +65536
 *   | struct wpp_record | token token token ... | 0 0 0 0 0 0 0 |
 *
 * The emitted code for one event, p being the cursor:
 *
 *     if (*p != 0)                           "full", "not begun" and "old" alike
 *         p = __wpp_refill(p);               cold; all registers kept
 *     *p = token;
 *     p = p + 1;
 *
 * INVARIANTS.
 * - The chunk's tokens lie end to end from its start.
 * - Every word from the first free slot on is 0, and the word behind the chunk is not 0.
 * - The thread-local __wpp_cursor points at a slot of the chunk or at the word behind it.  In a
 *   thread without a chunk, or about to make a process, it points at a word that is not 0.
 * - The cursor may be old.  An activation keeps p in a register as long as no other code can run
 *   that emits events, and stores it before such code can run.
 *
 * An old cursor points at a slot that holds a token, and __wpp_refill looks for the first free
 * slot.  So a jump out of such an activation, an unwinding or the end of the process loses
 * nothing.
 *
 * __wpp_refill is called from assembly, not as a C function: argument and result in %rax, every
 * other register preserved (vector and mask registers too), flags clobbered, any stack
 * alignment, no red zone in the caller's frame.
 *
 * __wpp_event does the same for code that seldom runs: the token in %eax, the cursor in memory;
 * %rax, %r11 and the flags are clobbered.  Each unit has its own __wpp_event, which adds the
 * unit's base.  Each unit also has its own thunks (gcc-plugin/events/callee-thunks.h), which
 * stand between a call and its callee and add the base.  They take the token without the base in
 * %r10d; %r10, %r11 and the flags are clobbered.
 *
 * Where __wpp_cursor is right and other traced code may run next, %r11 may equal it
 * (gcc-plugin/events/cursor.h).  Code that reads %r11 there must compare it: it is a guess.
 *
 * BEFORE RECORDING BEGINS.  libc's start and IFUNC resolvers may run traced code before the
 * thread's variables exist, or while __wpp_cursor is still 0.  Two routines make __wpp_cursor
 * point at a word that is not 0: a static program's __wpp_entry (tracer/entry.c), and
 * __wpp_resolver, which a resolver's first instructions call with all registers kept
 * (gcc-plugin/events/resolver.h).  Then __wpp_refill counts each event.
 *
 * SIGNAL HANDLERS.  A routine that the kernel called as a signal handler has interrupted an
 * activation whose cursor is in a register.  The routine's code recognises this by its return
 * address, and calls __wpp_signal_begin first and __wpp_signal_end last.  In between the thread
 * writes to another chunk; afterwards its cursor and chunk are as before.  The first call
 * returns in %rax the argument of the second; every other register is kept.  The end of an outer
 * handler also ends handlers that never return (siglongjmp). */
#define WPP_CHUNK_BYTES   65536u
#define WPP_HEADER_BYTES  64u

/* ---- In the program ----------------------------------------------------
 * Each instrumented object has one wpp_unit in section `wpp_units`.  The linker lays a module's
 * units end to end, bounded by __start_wpp_units and __stop_wpp_units.  Unit i of a module
 * loaded at base B has base(i) = B + sum of count(0..i-1).  `id` finds the unit's path table in
 * the section `.wpp` of the module's file, which is not loaded (docs/path-table-format.md).
 *
 * NUMBERS.  Normally the runtime chooses B when the module is loaded, behind the modules before
 * it.  In an executable the linker knows B, so the code need not read it.
 *
 * Each unit has `count` bytes of the section `wpp_numbers`: unused addresses behind .bss, which
 * the linker lays end to end in the order of the units.  In a position-independent executable a
 * linker puts only one number into an instruction: a thread-local variable's offset from the
 * thread pointer (R_X86_64_TPOFF32).  That needs only a symbol of thread-local type.  So
 * __wpp_numbers has that type, at the unit's first byte, and
 *
 *     base(i) = its place in the section + WPP_LINKED_BIAS - what the linker subtracts
 *
 * The linker subtracts the end of the thread-local variables, as an address in the file: one
 * number for the whole module.  So tokens of executables lie from WPP_LINKED_FIRST to
 * WPP_LINKED_END - 1, and no other module's tokens do.  This holds for up to 32 MB of
 * thread-local variables, if the other data and the paths take less than 2^31 - WPP_LINKED_BIAS.
 * Code that may become part of a shared library (-fPIC) has no linked base, also in an
 * executable, but has its bytes of the section.
 *
 * TIMES.  In a unit with timed paths all events call __wpp_event, except in routines that keep a
 * variable of their own in %rax or %r11.  __wpp_event adds to times[path number in the unit] the
 * ticks of the time-stamp counter since this thread's last timed event.  The thread-local
 * __wpp_time is the counter at the end of that event, or 0.
 *
 * COUNTERS.  A unit with WPP_UNIT_COUNTS has no events.  It has `count` counters of 64 bits, its part
 * of the section `wpp_counts`, which the linker lays end to end in the order of the units.  The end
 * of a path adds 1 to the counter of its number, at the distance that the thread's %gs base says:
 *
 *     executable   gs incq  counter                 times: the unit's first counter
 *     library      gs incq  8 * number(times)       times: the same, until the runtime moves it
 *
 * The base is 0 until the runtime has given the thread counters of its own.  Then the thread-local
 * byte __wpp_counting is not 0.  A routine that a thread may begin with looks at it and calls
 * __wpp_count_thread as long as it is 0: all registers kept.  WPP_UNIT_LOOKS: no thread can begin in
 * a routine of the unit that does not.  WPP_UNIT_EDGES: the counters are of edges, others follow from
 * them by flow: so a thread's counters and what it has left belong together. */
#define WPP_UNIT_LINKED 1u
#define WPP_UNIT_COUNTS 2u
#define WPP_UNIT_LOOKS  4u
#define WPP_UNIT_EDGES  8u
#define WPP_LINKED_FIRST (UINT32_C(1) << 25)
#define WPP_LINKED_BIAS (UINT32_C(1) << 26)
#define WPP_LINKED_END (UINT32_C(1) << 31)
struct wpp_unit {
    uint32_t base;        /* set by the linker with WPP_UNIT_LINKED; else WPP_UNREGISTERED until
                             __wpp_module_load sets it, and the emitted code adds it */
    uint32_t count;       /* path numbers used by the unit's routines */
    uint64_t id;          /* FNV-1a 64 of the path table's body */
    uint16_t abi;         /* WPP_ABI */
    uint16_t flags;       /* WPP_UNIT_LINKED */
    int32_t numbers;      /* offset from here to its part of `wpp_numbers`: never read, but
                             linkers keep sections that something refers to */
    uint64_t *times;      /* `count` of them, or NULL; with WPP_UNIT_COUNTS its counters */
};

/* LEFT CALLS.  Section `wpp_left` of code with counters has one of these for each call that a path
 * goes through.  If an activation is left in the call, the sum of `number` and the path register is
 * the number, within its unit, of the first path that begins with the same edges and goes through
 * `block`.  The register is found by the frame of the activation. */
enum wpp_left_how {
    WPP_LEFT_CONSTANT,    /* the number is all */
    WPP_LEFT_REGISTER,    /* it is in the register */
    WPP_LEFT_MEMORY,      /* in memory, `offset` from the register */
    WPP_LEFT_UNKNOWN
};
struct wpp_left_call {
    int32_t address;      /* from here to the address behind the call */
    int32_t unit;         /* from here to the wpp_unit */
    uint32_t number, block;
    uint16_t how;         /* wpp_left_how */
    uint16_t reg;         /* rbx, rbp, rsp, r12, r13, r14, r15 are 0 to 6 */
    int32_t offset;
};

/* One per module (executable or shared library), hidden, in a COMDAT group.  An ELF note (name
 * "wpp", type WPP_NOTE_MODULE) holds its distance from the note's 8 bytes.  Another module may
 * call a module's code before its constructor runs: so the first constructor registers every
 * loaded module.  A note of type WPP_NOTE_NOP says that the module has the runtime that records
 * nothing. */
enum { WPP_NOTE_RUNTIME = 1, WPP_NOTE_MODULE = 2, WPP_NOTE_NOP = 3 };

struct wpp_module {
    struct wpp_unit *begin, *end;
    const void *ehdr;     /* __ehdr_start: the module's ELF header in memory */
    uint32_t abi;         /* WPP_ABI */
    uint32_t base;        /* set by __wpp_module_load */
    /* Only if a unit counts: */
    const struct wpp_left_call *left, *left_end;
    /* Where the module holds the address of C++'s personality, which __wpp_personality_cxx stands in
     * front of; NULL: it has no routine of that kind.  The runtime must not name it: a linker that
     * links only needed libraries may take a program's reference, which link-time optimisation has
     * removed, for a need, then drop libstdc++, and miss the name. */
    const void *const *personality;
};

/* ---- The signal that stops and starts recording --------------------------
 * Signals that neither the runtime nor wpp-record accepts for it.  They cannot be caught, or the
 * kernel sends them for errors of the program, or they are libc's own. */
#define WPP_UNFIT_SIGNALS \
    { SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, 32, 33 }

/* ---- The trace ---------------------------------------------------------
 * A trace is a sequence of records, each a 64-byte header and its payload. */
#define WPP_TRACE_MAGIC   UINT32_C(0x54505057)   /* "WPPT" */
#define WPP_TRACE_VERSION 1u

enum wpp_record_kind {
    WPP_REC_PROCESS = 1,     /* first of a process: NUL-terminated strings, see the document */
    WPP_REC_MODULE_LOAD = 2, /* struct wpp_load, build id bytes, path */
    WPP_REC_MODULE_UNLOAD = 3, /* u32 base */
    WPP_REC_THREAD = 4,      /* first of a thread: its name, no NUL */
    WPP_REC_TOKENS = 5,      /* uint32 tokens */
    WPP_REC_THREAD_END = 6,  /* the thread's name at its end, no NUL, or nothing */
    WPP_REC_LOST = 7,        /* u64 tokens of this thread that were lost here */
    WPP_REC_FORK = 8,        /* u32 pid of the child */
    WPP_REC_END = 9,         /* last of a process: u64 tokens written, u64 tokens lost */
    WPP_REC_BUFFER = 10,     /* u32 n, n zeros, struct wpp_buffer on a page, a chunk */
    WPP_REC_WAITED = 11,     /* u64 nanoseconds that the process waited for the reader of its
                                trace */
    WPP_REC_STOPPED = 12,    /* u32 1: recording is stopped on request, and so are counts; nothing:
                                counts are not */
    WPP_REC_STARTED = 13,    /* u64 nanoseconds, u64 tokens: the length of the stop, the tokens
                                in it */
    WPP_REC_TIMES = 14,      /* struct wpp_span, struct wpp_time of some tokens */
    WPP_REC_EXIT = 15,       /* u32 1 + the process's exit status, or 0; u32 the signal that
                                killed it, or 0 */
    WPP_REC_EARLY = 16,      /* u64 tokens emitted before recording began */
    WPP_REC_COUNTS = 17,     /* u32 n, n zeros, struct wpp_counts, its counters: for a copy of
                                counters in the file, from a page's start on */
    WPP_REC_LEFT = 18,       /* u32 n, n zeros, struct wpp_counts of token 0, `count` of struct
                                wpp_left: likewise */
    WPP_REC_PAUSE_COUNTS = 19,   /* as COUNTS and LEFT, ... */
    WPP_REC_PAUSE_LEFT = 20,     /* ... at the moment of the STOPPED or STARTED that follows */
    WPP_REC_MERGED = 21      /* first of a file of several processes: struct wpp_merged */
};

struct wpp_record {
    uint32_t magic;       /* WPP_TRACE_MAGIC */
    uint16_t version;     /* WPP_TRACE_VERSION */
    uint16_t kind;        /* wpp_record_kind */
    uint32_t bytes;       /* of payload; the next header follows, padded to 4 bytes */
    uint32_t pid, tid;    /* the kernel's */
    uint32_t sequence;    /* of this record within its thread: 0, 1, 2, ... */
    uint64_t time;        /* CLOCK_MONOTONIC nanoseconds when the record was made */
    uint64_t first;       /* TOKENS: tokens of this thread before this record */
    uint32_t process;     /* in a file of several processes: its number there, from 1; else 0 */
    uint32_t reserved[3];
    uint32_t check;       /* low 32 bits of FNV-1a 64 of the header's first 56 bytes */
    uint32_t reserved2;
};

struct wpp_load {
    uint32_t base, count; /* tokens base .. base+count-1 belong to the module */
    uint64_t address;     /* of its ELF header in memory */
    uint64_t units;       /* FNV-1a 64 over (id, count) of each unit in order, 12 bytes each */
    uint32_t n_units;
    uint32_t build_id_bytes; /* 0 when the module has none; the bytes follow, then the path */
};

/* How often paths were executed: `count` of 64 bits, which begin `at` bytes behind this.  Several
 * records of one token add up. */
struct wpp_counts {
    uint32_t token;       /* of the first one */
    uint32_t count;
    uint32_t at;
    uint32_t tid;         /* of the last thread that counted here; 0: unknown */
};

/* How many activations were left in a call (LEFT CALLS).  Several of one token and block add up. */
struct wpp_left {
    uint32_t token;       /* of the path; 0: the path is unknown */
    uint32_t block;       /* the call's; with token 0: 0 */
    uint64_t count;       /* 0: not in use */
};

/* ---- A file of several processes ---------------------------------------------
 * With WPP_OPTIONS=merge.  A process appends its records one by one, each under a lock of the file
 * (fcntl, F_SETLKW: the kernel drops it when the process ends), and then makes `length` larger.  What
 * lies behind `length` is of a process that was killed before that, and the next one cuts it off.
 *
 * Pages of counters are used again: a process whose module is the same, byte for byte of its
 * MODULE_LOAD but the address, adds to those of a process that has ended.  So are slots of LEFT, if all
 * modules are the same that were loaded when the pages were made. */
#define WPP_MERGED_PAGES 1000u
struct wpp_merged_pages {
    uint64_t system;      /* a hash of the running kernel and its pid namespace; 0: never free again */
    uint64_t modules;     /* a hash of the MODULE_LOADs of those whose counts are there */
    uint64_t at;          /* place in the file */
    uint32_t bytes;
    uint32_t token, count, in_page;      /* of struct wpp_counts */
    uint32_t pid;         /* of the process that adds to them */
    uint32_t reserved;
};
struct wpp_merged {
    uint64_t length;      /* of the file's records */
    uint32_t processes;   /* numbers given so far */
    uint32_t n_pages;
    struct wpp_merged_pages pages[WPP_MERGED_PAGES];
};

/* The rate of the time-stamp counter: it advanced by `ticks` in `nanoseconds`. */
struct wpp_span {
    uint64_t ticks, nanoseconds;
};

struct wpp_time {
    uint64_t ticks;       /* of this token's paths, besides those in other records */
    uint32_t token;
    uint32_t reserved;
};

/* ---- Buffers that outlive their process ---------------------------------
 * A chunk that lies in the trace file, or in a recorder's memory, outlives its process.  The
 * page before it names its owner:
 *
 *   | struct wpp_buffer | 0 ...       | 64 bytes | token token token ... | 0 0 0 |
 *   ^ page              ^             ^ +4096: the chunk                  ^ +69632
 *
 * The chunk's n-th token is number first + n of the stream.  So a reader can tell which tokens
 * it already has from TOKENS records, whenever the process ended.  Order of stores when a chunk
 * is reused: tokens to 0, then `first`. */
/* Where a thread was when a signal was about to kill the process (tracer/fault.c).  `signal` is
 * stored last, and 0 if nothing is known. */
enum { WPP_FAULT_CALLS = 64 };
struct wpp_fault {
    uint32_t signal;
    int32_t code;         /* siginfo's si_code */
    uint32_t n_calls;
    uint64_t pc;          /* of the thread */
    uint64_t address;     /* siginfo's si_addr: for a bad access, what was accessed */
    uint64_t calls[WPP_FAULT_CALLS];   /* words on its stack, from the top, that may be the return
                                          addresses of calls in modules of the trace */
};

struct wpp_buffer {
    uint64_t first;       /* number of the chunk's first token in the stream, modulo 2^64; below
                             0 if the chunk holds tokens from while recording was stopped */
    uint64_t length;      /* in a file: length of the trace so far; the largest one counts */
    uint32_t tid;         /* thread id of the stream; 0: no owner */
    struct wpp_fault fault;
};
#define WPP_PAGE_BYTES    4096u
#define WPP_BUFFER_BYTES  (WPP_PAGE_BYTES + WPP_CHUNK_BYTES)

/* ---- The recorder's memory ------------------------------------------------
 * wpp-record makes it; every traced process of its program's tree maps it:
 *
 *     struct wpp_share | slots: a record each, on its way | seats: a buffer each | regions: counters
 *
 * A process copies a record into a free slot and submits it; the recorder takes it and frees the
 * slot.  A seat belongs to its process until the recorder has seen the process end; it holds the
 * tokens that the process had not submitted.
 *
 *      FREE --process: compare and swap--> FILLING --store--> SUBMITTED
 *        ^--------------------- recorder ------------------------'
 *
 * The word of a slot also names its owner.  So if a process is killed anywhere in between, its
 * slot still has an owner.
 *
 * A region holds counters of a process, or its slots of LEFT, and one page more before them:
 *
 *      | struct wpp_region | pages: as in the trace's file, behind the head of a COUNTS or LEFT record
 *
 * Pages are taken in ascending order and never twice: a child that nobody knows of may still add to
 * its parent's counters when the parent is gone.  A page that nobody touched takes no memory, and the
 * recorder gives back those of an ended process.  Each region leads to its process's one before.
 *
 * The recorder holds a robust mutex of libc's.  However the recorder ends, the kernel then sets
 * FUTEX_OWNER_DIED in the mutex' first word.  A process id is less reliable: it means nothing in
 * another pid namespace, and the kernel may reuse it. */
#define WPP_SHARE_MAGIC     UINT32_C(0x53505057)   /* "WPPS" */
#define WPP_SHARE_VERSION   5u
#define WPP_SHARE_SLOTS     128u
#define WPP_SHARE_SEATS     1024u
#define WPP_SHARE_PROCESSES (1u << 18)
#define WPP_SHARE_FOREIGN   (1u << 31)
#define WPP_SHARE_PAGES     (1u << 28)   /* of regions, at most: 1 TB */

enum wpp_slot_state { WPP_SLOT_FREE = 0, WPP_SLOT_FILLING = 1, WPP_SLOT_SUBMITTED = 2 };

struct wpp_slot {
    uint64_t word;        /* owner << 32 | wpp_slot_state; owner: process number + 1 */
    uint32_t order;       /* 0, 1, 2, ... among the owner's */
    uint32_t bytes;       /* of the record, with padding */
};

/* Written before the process names it in `wpp_told`, and not changed later. */
struct wpp_region {
    uint32_t before;      /* the process's region before this one: its first page + 1; 0: none */
    uint32_t pages;       /* behind this one */
    uint32_t pid, tid;    /* of the record: who made it, ... */
    uint64_t time;        /* ... when */
    uint32_t kind;        /* WPP_REC_COUNTS, WPP_REC_LEFT */
    struct wpp_counts counts;
};

/* What a process tells besides its records.  Each lies in one page. */
struct __attribute__((aligned(16))) wpp_told {
    uint64_t waited;      /* nanoseconds */
    uint32_t region;      /* its last one: its first page + 1; 0: none, or the recorder has got all */
    uint32_t reserved;
};

struct wpp_share {
    uint32_t magic, version;
    uint32_t closed;      /* the recorder takes nothing more */
    uint32_t processes;   /* process numbers given so far */
    uint32_t submitted;   /* number of submitted records; a waiting recorder sleeps until it... */
    uint32_t wake_at;     /* ... reaches this: waking the recorder costs the program more than a
                             record, so the recorder takes several at a time */
    uint32_t recorder_waits;
    uint32_t freed;       /* number of freed slots; a process without a free slot waits for it to
                             change */
    uint32_t waiting;     /* number of threads that do */
    uint64_t waited;      /* nanoseconds, of all threads of all processes */
    uint64_t pages_taken; /* of regions */
    uint32_t pages;       /* of regions, that there are */
    union {
        uint32_t word;
        uint64_t mutex[8];
    } life;               /* of the recorder */
    struct wpp_slot slot[WPP_SHARE_SLOTS];
    uint32_t seat[WPP_SHARE_SEATS];          /* owner, 0: free */
    uint32_t pid[WPP_SHARE_PROCESSES];       /* by number; 0: forked, has not run yet.  In the
                                                recorder's pid namespace; with WPP_SHARE_FOREIGN:
                                                in the process's own, and the recorder must look
                                                for it */
    struct wpp_told told[WPP_SHARE_PROCESSES];      /* by number */
};

#define WPP_SHARE_SLOT_AT  ((sizeof(struct wpp_share) + WPP_CHUNK_BYTES - 1) & -(size_t)WPP_CHUNK_BYTES)
#define WPP_SHARE_SEAT_AT  (WPP_SHARE_SLOT_AT + WPP_SHARE_SLOTS * (size_t)WPP_CHUNK_BYTES)
#define WPP_SHARE_BYTES    (WPP_SHARE_SEAT_AT + WPP_SHARE_SEATS * (size_t)WPP_BUFFER_BYTES)   /* the
                               least: without regions */
#define WPP_SHARE_REGION_AT(page) (WPP_SHARE_BYTES + (size_t)(page) * WPP_PAGE_BYTES)

#endif
