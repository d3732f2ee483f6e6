/* SPDX-License-Identifier: MIT */
/* runtime.h - the inside of libwpp-rt: what its files share.
 *
 *   refill.S    the entries of the emitted code, keep its registers
 *   thread.c    a thread's stream: begun, handed over, ended
 *   chunk.c     the memory it is written to
 *   output.c    where the trace goes: opening, writing, failing
 *   share.c     the same when it goes to a recorder
 *   record.c    records: header, check, sequence
 *   module.c    bases of tokens; who is loaded
 *   process.c   the trace's begin and end; fork
 *   notes.c     what modules have for us in their ELF notes
 *   program.c   the executable, as the kernel has loaded it
 *   others.c    other runtimes in the process
 *   pause.c     stopped and started, by the program or by a signal
 *   times.c     how long paths took, if that is counted
 *   settings.c  WPP_OUT and WPP_OPTIONS
 *   begin.c     linked into executables: recording begins before all constructors
 *   entry.c     linked into static executables: a thread's variable before libc's start
 *   start.c     what pthread_atfork() needs where the compiler's start files are left out
 *   follow-jump.h  the way that unwinders take out of refill.S and the emitted code's entries
 *   gthreads.h  what static programs must be linked with
 *   text.h      bounded strings
 *
 * Rules in all of these: no malloc, no stdio, no locks of libc's, errno is not
 * touched, no libc function on the way from the emitted code (except
 * pthread_setspecific, called with the vector registers put aside), nothing is
 * written to descriptors 0 to 2 but one line of complaint.
 *
 * LOCKING.  Every entry does `mask = __wpp_enter()` first, `__wpp_leave(mask)`
 * last.  In between all signals are blocked and one lock is held, so whatever
 * follows runs alone: all globals and all struct wpp_thread are protected.  Only
 * the cursor and the words behind it change meanwhile, by their own thread.  A
 * process made by vfork shares all of that with its parent; one that is killed in
 * between leaves the lock to the thread that made it.
 *
 * LIMITS.  When the trace goes to a FIFO or an inherited descriptor, events in
 * buffers are lost with a process that ends without exit(): _exit, a signal,
 * exec.  A process made by vfork writes into its parent's buffer until it calls
 * exec.  So does one that shares its parent's memory and runs at the same time
 * (CLONE_VM without CLONE_VFORK or CLONE_SETTLS): their events overwrite each other.
 * One made by the kernel's calls, where neither the plugin nor libc saw it, is
 * recorded as soon as it comes to the runtime.  A
 * traced routine that an untraced signal handler calls may overwrite one event,
 * or be overwritten, when it interrupts the emitted code between its test and
 * its store.  A traced handler that calls libc's fork there costs the child one event.
 */
#ifndef WPP_RUNTIME_H
#define WPP_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracer/trace-abi.h"

#define WPP_EXPORT __attribute__((visibility("default")))

/* A condition that holds unless the runtime is wrong.  The program is not ours
 * to kill: say so once and stop recording. */
#define WPP_EXPECT(condition) \
    ((condition) ? (void)0 : __wpp_broken(__FILE__, __LINE__))

/* ---- Threads ----------------------------------------------------------------
 *
 *   | chunk 65536                                                  | page          |
 *   | 64 bytes | tokens in the trace | tokens to come | 0 0 0 ...  | struct thread |
 *                                    ^ done           ^ cursor
 *
 *   chunk + 64 <= done <= cursor <= chunk + 65536
 *   first == buffer.first + (done - (chunk + 64)) / 4
 *   everything from the first free slot on is 0, no token is 0; the cursor in
 *   memory is never beyond that slot (trace-abi.h), and no word behind is 0
 *
 * The 64 bytes before `done` are free: the header that was never a token, or
 * tokens already handed over.  So a record is put together in place, its header
 * right before its tokens, and leaves with one write.  Where a thread's tokens
 * end is found by looking for the first 0, so that any thread can hand over any
 * other's.  chunk.c draws what lies around.
 */
#define WPP_CHUNK_TOKENS ((WPP_CHUNK_BYTES - WPP_HEADER_BYTES) / 4)
#define WPP_VECTOR_BYTES 2688u      /* XSAVE, x87 to AVX-512 */

struct wpp_thread {
    uint32_t behind;                /* the word behind the chunk: not 0 */
    struct wpp_thread *interrupted; /* by the signal handler that writes here */
    uint32_t *elsewhere;            /* the cursor that a signal handler found, if in no chunk; or NULL */
    const char *frame, *stack;      /* that handler's; its alternate stack or NULL */
    bool left;                      /* by a jump */
    struct wpp_thread *next;        /* of the live ones, or of the free ones */
    uint32_t *done;
    uint64_t first;                 /* tokens of the stream before `done` */
    uint32_t tid;
    uint32_t sequence;              /* of the stream's next record */
    uint32_t rounds;                /* of thread-specific destructors seen */
    bool begun;                     /* its THREAD record is written */
    bool findable;                  /* the kernel knows it by `tid`, as long as it lives */
    bool gap;                       /* tokens were thrown away since recording was stopped */
    _Alignas(64) unsigned char vectors[WPP_VECTOR_BYTES];
};
_Static_assert(sizeof(struct wpp_thread) <= WPP_PAGE_BYTES, "a thread fits its page");
_Static_assert(sizeof(struct wpp_record) == WPP_HEADER_BYTES, "header");

extern struct wpp_thread *__wpp_threads;

uint32_t *__wpp_refill_slow(uint32_t *at);     /* refill.S calls these */
void __wpp_resolver_slow(void);
struct wpp_thread *__wpp_signal_begin_slow(void);      /* NULL: the handler has no chunk of its own */
void __wpp_signal_end_slow(struct wpp_thread *t);
void __wpp_keep_vectors(void (*function)(void *), void *argument, void *area, int use_xsave);

/* This thread's, or NULL. */
struct wpp_thread *__wpp_self(void);
/* Hands over what the thread has recorded so far. */
void __wpp_thread_flush(struct wpp_thread *t);
/* The same for all threads. */
void __wpp_threads_flush(void);
/* Its buffer is part of the trace; nobody's while recording is stopped. */
void __wpp_thread_show(struct wpp_thread *t);
/* Recording has started again. */
void __wpp_thread_goes_on(struct wpp_thread *t);
/* In the child of a fork: this thread is the only one and starts anew, with what it has recorded
 * since.  `by_libc`: only a handler can have. */
void __wpp_threads_forked(bool by_libc);
/* The same, and what it has is thrown away. */
void __wpp_threads_leave(void);
/* What thread.c needs of libc; to be called once, before main. */
void __wpp_threads_start(void);
/* Memory of threads that will not write to it any more. */
void __wpp_threads_free(void);

static inline uint32_t *__wpp_chunk_start(const struct wpp_thread *t)
{
    return (uint32_t *)((char *)t - WPP_CHUNK_BYTES + WPP_HEADER_BYTES);
}

static inline uint32_t *__wpp_chunk_end(const struct wpp_thread *t)
{
    return (uint32_t *)t;
}

static inline struct wpp_buffer *__wpp_buffer_of(const struct wpp_thread *t)
{
    return (struct wpp_buffer *)((char *)t - WPP_BUFFER_BYTES);
}

/* A region for a thread, its chunk still as its last owner left it; NULL without memory. */
struct wpp_thread *__wpp_region_take(void);
void __wpp_region_give(struct wpp_thread *t);
/* Unmaps those that nobody has. */
void __wpp_regions_free(void);
/* In the child of a fork: the regions are the parent's... */
void __wpp_regions_forked(void);
/* ... but for those of the thread that is in the middle of one: what the child has written there
 * has been handed over, and the window becomes as one of its own, with the same slots free. */
void __wpp_region_keep(struct wpp_thread *t);
/* The chunk as new, its first token being the stream's number `first`. */
void __wpp_chunk_clear(struct wpp_thread *t, uint64_t first);
/* Another chunk has been written meanwhile: the next token is number t->first. */
void __wpp_chunk_goes_on(struct wpp_thread *t);

/* ---- The process -------------------------------------------------------------- */

enum wpp_state {
    WPP_IDLE,           /* no module has been loaded */
    WPP_FORKED,         /* a child of a traced process, without an event so far */
    WPP_RECORDING,
    WPP_DISCARDING,     /* WPP_OUT=none: chunks are used again, nothing is written */
    WPP_STOPPED,        /* output failed: tokens are counted as lost */
    WPP_ENDED           /* END is written */
};

struct wpp_process {
    enum wpp_state state;
    uint32_t pid;
    uint32_t sequence;              /* of the next process record */
    uint64_t written, lost;         /* tokens */
    uint64_t early;                 /* those before recording began, not yet said */
    bool known;                     /* the state is no longer IDLE; read without the lock */
    uint64_t skipped;               /* those since recording was stopped */
    bool paused;                    /* while it is */
    bool begun;                     /* its PROCESS record is written */
    bool exiting;
};
extern struct wpp_process __wpp_process;

uint64_t __wpp_enter(void);
void __wpp_leave(uint64_t mask);
/* Its two halves, for what must run without signals but not alone. */
void __wpp_unlock(void);
void __wpp_unblock(uint64_t mask);

/* False as long as no chunk can be used. A forked child opens its trace. */
bool __wpp_process_ready(void);
/* Before the first module, without the lock since opening a FIFO may take long. */
void __wpp_process_start(void);
/* After it: what runs at the ends of threads and at forks. */
void __wpp_process_hooks(void);
/* Called whenever a module has gone: writes END when it was the last of all. */
void __wpp_process_end_if_over(void);
/* The same, behind the lock: this runtime is about to go. */
void __wpp_process_leave_if_over(void);

/* Whether the program has forbidden itself system calls. */
bool __wpp_sandboxed(void);
/* Recording ends here, for a reason already told. */
void __wpp_give_up(void);
void __wpp_broken(const char *file, int line);
/* `wpp: A B C`: one line on standard error.  Any of the strings may be NULL. */
void __wpp_complain(const char *a, const char *b, const char *c);
/* That there is none for something, perhaps because of a limit. */
void __wpp_complain_of_memory(const char *what, const char *consequence);

/* ---- Stopped and started ----------------------------------------------------------- */

WPP_EXPORT void __wpp_start(void);
WPP_EXPORT void __wpp_stop(void);
/* The signal does what the program could: the one, then the other. */
void __wpp_pause_on_signal(int signal);
/* The trace of a process begins, or ends, perhaps while recording is stopped. */
void __wpp_pause_begin(void);
void __wpp_pause_end(void);

/* ---- Notes -------------------------------------------------------------------------- */

/* Each `what` that a module of the process has a note of this type about.  Not to be
 * called with the lock: libc has one around it. */
void __wpp_notes_find(uint32_t type, void (*take)(void *ctx, void *what), void *ctx);
/* The first note in [at, end) of that owner (three letters) and type, or NULL. */
const char *__wpp_note_next(const char *at, const char *end, const char *owner, uint32_t type);

/* ---- The program -------------------------------------------------------------------- */

/* Whether a module in it is instrumented; false as well where its headers are not where linkers
 * put them. */
bool __wpp_program_is_traced(void);
bool __wpp_program_has(const void *at);
/* Whether our libc's loader has it: not in another namespace.  Not to be called with the lock. */
bool __wpp_program_is_listed(void);

/* A word that all namespaces of the process find, copied by fork and new after exec: 0, or an address
 * with this mark, which no address bears by itself.  NULL: whoever started the program (an emulator, a
 * checker) has laid out its stack otherwise. */
#define WPP_WORD_MARK (UINT64_C(0x5750) << 48)
uint64_t *__wpp_program_word(void);

/* ---- Other runtimes ------------------------------------------------------------- */

/* Looks for another runtime that records this process, before this one does.  Not to be called with
 * the lock. */
void __wpp_others_find(void);
/* There is one. */
bool __wpp_others_record(void);
/* This one does. */
void __wpp_others_begin(void);
/* The module that this runtime lies in is not unloaded any more, if that can be had.  Not to be
 * called with the lock. */
void __wpp_others_stay(void);
/* This runtime is in another namespace than the program.  Each has a libc that gives the same keys
 * of thread-specific data. */
bool __wpp_others_apart(void);
/* The user knows already that the module of this path is not recorded by the one that records: a
 * program may load it again and again. */
bool __wpp_others_told(const char *path);
/* Has the one that records say that events are missing, in case that it does not come to its end.
 * Not to be called with the lock. */
void __wpp_others_lack(void);
/* The same at the beginning of a trace. */
void __wpp_others_tell(void);
/* One of the others has registered this module, though its events come here: that one is made
 * to forget it.  False: none had.  Not to be called with the lock. */
bool __wpp_others_let_go(struct wpp_module *module);
/* What the others have lost; locks each of them. */
uint64_t __wpp_others_lost(void);
/* The module that this runtime lies in is about to go.  Not to be called with the lock. */
void __wpp_others_leave(void);
void __wpp_others_forked(void);

/* ---- Modules -------------------------------------------------------------------- */

WPP_EXPORT void __wpp_module_load(struct wpp_module *module);
WPP_EXPORT void __wpp_module_unload(struct wpp_module *module);
/* The module is another runtime's.  False: it was not registered here. */
bool __wpp_module_let_go(struct wpp_module *module);
extern WPP_EXPORT __thread uint32_t *__wpp_cursor;
/* The same under a name that no other module can have: in an executable this one is found also
 * before the runtime is relocated. */
#define WPP_CURSOR_ALIAS \
    extern __thread uint32_t *__wpp_own_cursor \
        __attribute__((alias("__wpp_cursor"), visibility("hidden")))
extern WPP_EXPORT __thread uint32_t __wpp_frames;   /* used by the emitted code alone */

/* ---- Times ------------------------------------------------------------------------- */

extern WPP_EXPORT __thread uint64_t __wpp_time;     /* used by the emitted code alone */

/* The process begins. */
void __wpp_times_begin(void);
/* Records what the module's paths took since they were last asked. */
void __wpp_times_take(const struct wpp_module *module);
/* Throws it away. */
void __wpp_times_forget(const struct wpp_module *module);

/* MODULE_LOAD of all loaded modules, for the trace of a forked child. */
void __wpp_modules_rewrite(void);
bool __wpp_modules_none(void);
/* None either that was refused. */
bool __wpp_modules_gone(void);
void __wpp_modules_each(void (*act)(const struct wpp_module *module));

/* ---- Records and output ---------------------------------------------------------- */

#define WPP_PAYLOAD_BYTES 49152u     /* of any record but TOKENS, at most */

/* A process record, a thread record.  On failure recording stops. */
void __wpp_record_process(uint16_t kind, const void *payload, uint32_t bytes);
void __wpp_record_thread(struct wpp_thread *t, uint16_t kind, const void *payload,
                         uint32_t bytes);
/* One that is not numbered: BUFFER's family. */
void __wpp_record_note(uint16_t kind, const void *payload, uint32_t bytes);
/* A TOKENS record of the `count` words at t->done, in place. */
void __wpp_record_tokens(struct wpp_thread *t, uint32_t count);
/* What stands at `offset` in the file before a buffer: where it is, and its size. */
size_t __wpp_record_buffer(uint64_t offset, const void **from);
/* Says that a thread's buffer does not outlive the process. */
void __wpp_record_no_buffer(void);

struct wpp_settings {
    char out[4096];         /* pattern or path, absolute; empty when `fd` or `none` is given */
    bool recorder;          /* `out` is the recorder's memory */
    bool names_process;     /* it has a %p, or is a recorder's: each process has its own trace */
    bool none;
    bool off;               /* begins without recording */
    int signal;             /* that stops and starts recording, or 0 */
    bool ends_with_recorder;        /* the program, when that is gone */
    int fd;                 /* inherited descriptor, -1 otherwise */
    int lowest;             /* descriptor from which on ours are */
};
extern struct wpp_settings __wpp_settings;
extern char **__wpp_environment;
/* Reads the environment.  False: recording is off, and that was told where it should be. */
bool __wpp_settings_read(void);

/* The program begins: what is its standard error now is where complaints go. */
void __wpp_output_begin(void);
/* False when it cannot be opened, after saying so. */
bool __wpp_output_open(void);
/* False when the output has failed, after saying so. */
bool __wpp_output_write(const void *from, size_t bytes);
/* Nanoseconds spent waiting for a pipe's reader; a recorder counts for itself. */
uint64_t __wpp_output_waited(void);
/* Drops what a failed write left of a record, so that END can still follow.
 * False when the output is no file of ours. */
bool __wpp_output_repair(void);
void __wpp_output_close(void);
/* Whether buffers may outlive the process. */
bool __wpp_output_keeps(void);
/* Makes WPP_BUFFER_BYTES of the output appear at `window`.  False: not possible. */
bool __wpp_output_keep(void *window);

/* ---- The recorder's memory --------------------------------------------------------- */

/* 0, or the error. */
long __wpp_share_open(const char *path);
bool __wpp_share_is_open(void);
/* Waits for a free slot.  False: the recorder takes no more, or is gone. */
bool __wpp_share_write(const void *record, size_t bytes);
bool __wpp_share_seat(void *window);
void __wpp_share_forks(void);
void __wpp_share_forked(bool has_number);
/* One that had the lock was killed. */
void __wpp_share_take_over(void);
/* A process of which the recorder knows nothing. */
void __wpp_share_close(void);

#endif
