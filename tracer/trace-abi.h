/* SPDX-License-Identifier: MIT */
/* trace-abi.h - what the plugin's code, the runtime and the readers agree on.
 *
 * Four layouts: the records the plugin puts into the program (wpp_unit,
 * wpp_module), the cursor protocol of the emitted code, the trace the runtime
 * writes (docs/trace-format.md), and the memory it shares with wpp-record.  A
 * change to any of them changes WPP_ABI, WPP_TRACE_VERSION or
 * WPP_SHARE_VERSION.  Everything is little-endian.
 */
#ifndef WPP_TRACE_ABI_H
#define WPP_TRACE_ABI_H

#include <stddef.h>
#include <stdint.h>

#define WPP_ABI 4u

/* ---- Tokens -----------------------------------------------------------
 * One 32-bit word per path end:  unit base + routine's first path in the unit
 * + path number.  No token is 0.  From WPP_CONTROL up: control opcodes, each
 * followed by the operand words that docs/trace-format.md gives. */
#define WPP_CONTROL       UINT32_C(0xFFFF0000)
#define WPP_GAP           UINT32_C(0xFFFF0006)   /* what came before here was not recorded */
#define WPP_TOKEN_FIRST   UINT32_C(16)        /* bases start here; 1..15 are never used */

/* A unit's base until its module is registered, if all its tokens then lie below WPP_CONTROL: what
 * its code emits meanwhile is no module's token, and readers leave it out. */
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
 * Invariants.  The chunk's tokens lie end to end from its start; every word from
 * the first free slot on is 0, and the word behind the chunk is not.  The
 * thread-local __wpp_cursor points at a slot of the chunk, at the word behind
 * it, or (a thread without a chunk, or about to make a process) at a word that is
 * not 0.  It may be old: an activation keeps p in a register as long as no other
 * code can run that emits events, and stores it before such code can.  Who meets an old cursor finds a
 * token in its slot, and __wpp_refill looks for the first free one.  So a jump
 * out of such an activation, an unwinding, the end of the process lose nothing.
 *
 * __wpp_refill is called from assembly, not as a C function: argument and result
 * in %rax, every other register preserved (vector and mask registers too), flags
 * clobbered, any stack alignment, no red zone in the caller's frame.
 *
 * __wpp_event is the same for code that is seldom run: the token in %eax, the
 * cursor in memory; %rax, %r11 and the flags are clobbered.  Each unit has one of
 * its own, which adds the unit's base.  So do its thunks (gcc-plugin/events/callee-thunks.h), which
 * stand between a call and its callee: the token without the base in %r10d; %r10, %r11 and the
 * flags are clobbered.
 *
 * Where __wpp_cursor is right and other traced code may run next, %r11 may equal it
 * (gcc-plugin/events/cursor.h).  Whoever takes it from there compares: it is a guess.
 *
 * BEFORE RECORDING BEGINS.  libc's start and IFUNC resolvers may run traced code where there is
 * no thread's variable yet, or __wpp_cursor is still 0.  A static program's __wpp_entry
 * (tracer/entry.c) and a resolver's first instructions (gcc-plugin/events/resolver.h), which call
 * __wpp_resolver with all registers kept, see to it that __wpp_cursor points at a word that is
 * not 0.  __wpp_refill counts each event then.
 *
 * SIGNAL HANDLERS.  A routine that the kernel called as a signal handler has
 * interrupted an activation whose cursor is in a register.  Its code sees by the
 * return address what it is and brackets itself by __wpp_signal_begin and
 * __wpp_signal_end: in between the thread writes to another chunk, and afterwards
 * finds everything as it was.  The first returns in %rax what the second takes there;
 * every other register is kept.  Handlers that never come back (siglongjmp) are left
 * by the end of the one around them. */
#define WPP_CHUNK_BYTES   65536u
#define WPP_HEADER_BYTES  64u

/* ---- In the program ----------------------------------------------------
 * Each instrumented object has one wpp_unit in section `wpp_units`; the
 * linker lays a module's units end to end, and __start_wpp_units /
 * __stop_wpp_units bound them.  Unit i of a module loaded at base B has
 * base(i) = B + sum of count(0..i-1).  `id` finds the unit's path table in
 * the module file's (not loaded) section `.wpp` (docs/path-table-format.md).
 *
 * NUMBERS.  B is chosen when the module is loaded, behind those before it; in an executable, the
 * linker knows it, so that the code need not read it.  Each unit has `count` bytes of the section
 * `wpp_numbers`: addresses behind .bss that nobody touches; the linker lays them end to end as
 * it does the units.  How far a thread's variable lies from the thread pointer is the one number
 * that a linker puts into an instruction of a position-independent executable (R_X86_64_TPOFF32),
 * and it asks for no more than a symbol of that type.  So __wpp_numbers is of that type, at the
 * unit's first byte, and base(i) = its place in the section + WPP_LINKED_BIAS - what the linker
 * subtracts (where the thread's variables end, in the file's addresses), which is one number for
 * the module.  Tokens of executables are so from WPP_LINKED_FIRST to WPP_LINKED_END - 1, where
 * nobody else's are: with up to 32 MB of thread's variables, and as long as the other data and the
 * paths are less than 2^31 - WPP_LINKED_BIAS.  Code that may become part of a shared library (-fPIC)
 * has no linked base, also in an executable, but its bytes of the section.
 *
 * In a unit whose paths are timed all events are __wpp_event's (but in routines with a
 * variable of their own in %rax or %r11).  It adds to times[path number in the unit] the
 * ticks of the time-stamp counter since this thread's last timed event; the thread-local
 * __wpp_time is the counter at that one's end, or 0. */
#define WPP_UNIT_LINKED 1u
#define WPP_LINKED_FIRST (UINT32_C(1) << 25)
#define WPP_LINKED_BIAS (UINT32_C(1) << 26)
#define WPP_LINKED_END (UINT32_C(1) << 31)
struct wpp_unit {
    uint32_t base;        /* WPP_UNIT_LINKED: the linker's; else WPP_UNREGISTERED until
                             __wpp_module_load sets it, and the emitted code adds it */
    uint32_t count;       /* path numbers used by the unit's routines */
    uint64_t id;          /* FNV-1a 64 of the path table's body */
    uint16_t abi;         /* WPP_ABI */
    uint16_t flags;       /* WPP_UNIT_LINKED */
    int32_t numbers;      /* how far from here its part of `wpp_numbers` lies: nobody reads it, but
                             linkers keep there what is referred to */
    uint64_t *times;      /* `count` of them, or NULL */
};

/* One per module (executable or shared library), hidden, in a COMDAT group; an ELF note
 * (name "wpp", type WPP_NOTE_MODULE) holds its distance from the note's 8 bytes.  A module's
 * code may run before its constructor does, called by another module's: so the first
 * constructor of all registers every module that is there.  A note of type WPP_NOTE_NOP says
 * that the module has the runtime that records nothing. */
enum { WPP_NOTE_RUNTIME = 1, WPP_NOTE_MODULE = 2, WPP_NOTE_NOP = 3 };

struct wpp_module {
    struct wpp_unit *begin, *end;
    const void *ehdr;     /* __ehdr_start: the module's ELF header in memory */
    uint32_t abi;         /* WPP_ABI */
    uint32_t base;        /* set by __wpp_module_load */
};

/* ---- The signal that stops and starts recording --------------------------
 * What neither the runtime nor wpp-record takes for it: signals that cannot be caught,
 * that the kernel sends for what a program does wrong, or that are libc's own. */
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
    WPP_REC_THREAD_END = 6,  /* its name then, no NUL, or nothing */
    WPP_REC_LOST = 7,        /* u64 tokens of this thread that were lost here */
    WPP_REC_FORK = 8,        /* u32 pid of the child */
    WPP_REC_END = 9,         /* last of a process: u64 tokens written, u64 tokens lost */
    WPP_REC_BUFFER = 10,     /* u32 n, n zeros, struct wpp_buffer on a page, a chunk */
    WPP_REC_WAITED = 11,     /* u64 nanoseconds that the process waited for who takes its trace */
    WPP_REC_STOPPED = 12,    /* nothing: recording is stopped, as was asked for */
    WPP_REC_STARTED = 13,    /* u64 nanoseconds, u64 tokens: it was for so long, for so many */
    WPP_REC_TIMES = 14,      /* struct wpp_span, struct wpp_time of some tokens */
    WPP_REC_EXIT = 15,       /* u32 1 + the process's exit status, or 0; u32 the signal that
                                killed it, or 0 */
    WPP_REC_EARLY = 16       /* u64 tokens: so many were emitted before recording began */
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
    uint32_t reserved[4];
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

/* How fast the time-stamp counter runs: it gained so many ticks in so long. */
struct wpp_span {
    uint64_t ticks, nanoseconds;
};

struct wpp_time {
    uint64_t ticks;       /* that paths of this token took, besides those of other records */
    uint32_t token;
    uint32_t reserved;
};

/* ---- Buffers that outlive their process ---------------------------------
 * A chunk that lies in the trace file, or in a recorder's memory, is still there
 * when its process is not.  The page in front of it says whose it is:
 *
 *   | struct wpp_buffer | 0 ...       | 64 bytes | token token token ... | 0 0 0 |
 *   ^ page              ^             ^ +4096: the chunk                  ^ +69632
 *
 * The chunk's n-th token is number first + n of the stream, so that a reader can
 * tell which ones it has already got by a TOKENS record, whenever the process
 * ended.  The order of stores when a chunk is used again: tokens to 0, then `first`. */
struct wpp_buffer {
    uint64_t first;       /* tokens of the stream before this chunk's, modulo 2^64: less than
                             none when it holds some from while recording was stopped */
    uint64_t length;      /* in a file: that of the trace so far; the largest one counts */
    uint32_t tid;         /* whose stream; 0: nobody's */
};
#define WPP_PAGE_BYTES    4096u
#define WPP_BUFFER_BYTES  (WPP_PAGE_BYTES + WPP_CHUNK_BYTES)

/* ---- The recorder's memory ------------------------------------------------
 * wpp-record makes it, every traced process of its program's tree maps it:
 *
 *   struct wpp_share | slots: a record each, on its way | seats: a buffer each
 *
 * A process copies a record into a free slot and submits it; the recorder takes
 * it and frees the slot.  A seat belongs to its process until the recorder has
 * seen the process end, and holds what that had not submitted.
 *
 *      FREE --process: compare and swap--> FILLING --store--> SUBMITTED
 *        ^--------------------- recorder ------------------------'
 *
 * The word of a slot names its owner as well, so a process killed anywhere in
 * between leaves nothing that nobody owns.
 *
 * The recorder holds a robust mutex of libc's: however it ends, the kernel then sets
 * FUTEX_OWNER_DIED in the mutex' first word.  (Its process id says less: in another
 * pid namespace, or when it has been given again.) */
#define WPP_SHARE_MAGIC     UINT32_C(0x53505057)   /* "WPPS" */
#define WPP_SHARE_VERSION   4u
#define WPP_SHARE_SLOTS     128u
#define WPP_SHARE_SEATS     1024u
#define WPP_SHARE_PROCESSES (1u << 18)
#define WPP_SHARE_FOREIGN   (1u << 31)

enum wpp_slot_state { WPP_SLOT_FREE = 0, WPP_SLOT_FILLING = 1, WPP_SLOT_SUBMITTED = 2 };

struct wpp_slot {
    uint64_t word;        /* owner << 32 | wpp_slot_state; owner: process number + 1 */
    uint32_t order;       /* 0, 1, 2, ... among the owner's */
    uint32_t bytes;       /* of the record, with padding */
};

struct wpp_share {
    uint32_t magic, version;
    uint32_t closed;      /* the recorder takes nothing more */
    uint32_t processes;   /* numbers given so far */
    uint32_t submitted;   /* counts; the recorder waits for it to reach... */
    uint32_t wake_at;     /* ... this, when it waits: being woken costs the program more than
                             a record, so that several are taken at a time */
    uint32_t recorder_waits;
    uint32_t freed;       /* counts; who finds no free slot waits for it to change */
    uint32_t waiting;     /* how many do */
    uint64_t waited;      /* nanoseconds, of all threads of all processes */
    union {
        uint32_t word;
        uint64_t mutex[8];
    } life;               /* of the recorder */
    struct wpp_slot slot[WPP_SHARE_SLOTS];
    uint32_t seat[WPP_SHARE_SEATS];          /* owner, 0: free */
    uint32_t pid[WPP_SHARE_PROCESSES];       /* by number; 0: forked, has not run yet.  As the
                             recorder calls it; with WPP_SHARE_FOREIGN: as it calls itself, in
                             another pid namespace, and the recorder must look for it */
    uint64_t waited_by[WPP_SHARE_PROCESSES]; /* nanoseconds, by number */
};

#define WPP_SHARE_SLOT_AT  ((sizeof(struct wpp_share) + WPP_CHUNK_BYTES - 1) & -(size_t)WPP_CHUNK_BYTES)
#define WPP_SHARE_SEAT_AT  (WPP_SHARE_SLOT_AT + WPP_SHARE_SLOTS * (size_t)WPP_CHUNK_BYTES)
#define WPP_SHARE_BYTES    (WPP_SHARE_SEAT_AT + WPP_SHARE_SEATS * (size_t)WPP_BUFFER_BYTES)

#endif
