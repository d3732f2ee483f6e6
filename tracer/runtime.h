/* SPDX-License-Identifier: MIT */
/* runtime.h - the internals of libwpp-rt that its files share.
 *
 *     refill.S    the entries of the emitted code, keep its registers
 *     thread.c    a thread's stream: begin, handing over, end
 *     chunk.c     the memory of a thread's stream
 *     output.c    where the trace goes: opening, writing, failing
 *     share.c     the same for a recorder's memory
 *     record.c    records: header, check, sequence
 *     module.c    loaded modules and the bases of their tokens
 *     process.c   the trace's begin and end; fork
 *     notes.c     finds ELF notes of modules
 *     program.c   the executable, as the kernel has loaded it
 *     others.c    other runtimes in the process
 *     pause.c     recording stopped and started, by the program or by a signal
 *     fault.c     where a thread was that a signal kills
 *     counts.h    counters, each thread its own
 *       counts.c         modules that count
 *       count-copies.c   the copies of threads
 *       touched-pages.c  which pages hold anything
 *     left.c      activations that are left in a call
 *     frame-walk.c  from frame to frame
 *     times.c     durations of paths, in modules that count them
 *     settings.c  WPP_OUT and WPP_OPTIONS
 *     begin.c     linked into executables: recording begins before all constructors
 *     entry.c     linked into static executables: thread-local variables before libc's start
 *     start.c     a word that pthread_atfork() needs without the compiler's start files
 *     follow-jump.h  unwinding out of refill.S and the emitted code's entries
 *     gthreads.h  functions that static programs must link
 *     text.h      bounded strings
 *
 * Rules for all of these: no malloc, no stdio, no locks of libc's, errno is not touched.  On the
 * way from the emitted code no libc function is called, except pthread_setspecific with the
 * vector registers saved.  Descriptors 0 to 2 get at most one line of complaint.
 *
 * LOCKING.  Every entry calls `mask = __wpp_enter()` first and `__wpp_leave(mask)` last.  In
 * between, all signals are blocked and one lock is held.  The lock protects all globals and all
 * struct wpp_thread.  Only the cursor and the words behind it change meanwhile, by their own
 * thread.  A process made by vfork shares all of that with its parent; if it is killed in
 * between, the lock goes to the next that wants it.
 *
 * LIMITS.
 * - When the trace goes to a FIFO or an inherited descriptor, events in buffers are lost if the
 *   process ends without exit(): _exit, a signal, exec.
 * - A process made by vfork writes into its parent's buffer until it calls exec.
 * - A process that shares its parent's memory and runs at the same time (CLONE_VM without
 *   CLONE_VFORK or CLONE_SETTLS) writes there too: the events of both overwrite each other.
 * - A process made by system calls that neither the plugin nor libc saw is recorded from its
 *   first call of the runtime.
 * - An untraced signal handler may call a traced routine while it interrupts the emitted code
 *   between test and store.  Then one event may be overwritten.
 * - If a traced handler calls libc's fork at such a point, the child loses one event.
 */
#ifndef WPP_RUNTIME_H
#define WPP_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unwind.h>

#include "tracer/trace-abi.h"

#define WPP_EXPORT __attribute__((visibility("default")))

/* A condition that holds unless the runtime has a bug.  The runtime must not kill the program:
 * it reports the bug once and stops recording. */
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
 * The 64 bytes before `done` are free: the unused header, or tokens already handed over.  So a
 * record is built in place, its header directly before its tokens, and is written by one call.
 * The first 0 ends a thread's tokens, so any thread can hand over any other's.  chunk.c draws
 * the rest of the region.
 */
#define WPP_CHUNK_TOKENS ((WPP_CHUNK_BYTES - WPP_HEADER_BYTES) / 4)
#define WPP_VECTOR_BYTES 2688u      /* XSAVE, x87 to AVX-512 */

struct wpp_thread {
    uint32_t behind;                /* the word behind the chunk: not 0 */
    struct wpp_thread *interrupted; /* by the signal handler that writes here */
    uint32_t *elsewhere;            /* the cursor that a signal handler found outside of any
                                       chunk; or NULL */
    const char *frame, *stack;      /* of that handler; its alternate stack or NULL */
    bool left;                      /* the handler was left by a jump */
    struct wpp_thread *next;        /* in the list of live or of free ones */
    uint32_t *done;
    uint64_t first;                 /* tokens of the stream before `done` */
    uint32_t tid;
    uint32_t sequence;              /* of the stream's next record */
    uint32_t rounds;                /* of thread-specific destructors seen */
    bool begun;                     /* its THREAD record is written */
    bool findable;                  /* tgkill finds the thread by `tid` as long as it lives */
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
/* The calling thread's, for a handler of a fatal signal; a thread without events gets a stream.
 * NULL: this process, or this thread, is not recorded here. */
struct wpp_thread *__wpp_thread_at_fault(void);
/* Hands over what the thread has recorded so far. */
void __wpp_thread_flush(struct wpp_thread *t);
/* The same for all threads. */
void __wpp_threads_flush(void);
/* Makes the thread's buffer part of the trace; while recording is stopped, gives it no owner. */
void __wpp_thread_show(struct wpp_thread *t);
/* Recording has started again: writes a Gap if tokens were thrown away. */
void __wpp_thread_goes_on(struct wpp_thread *t);
/* In the child of a fork: this thread is the only one.  It begins a new stream with the events
 * that it has recorded since the fork.  `by_libc`: only a signal handler can have recorded some. */
void __wpp_threads_forked(bool by_libc);
/* The same, but throws these events away. */
void __wpp_threads_leave(void);
/* Sets up what thread.c needs of libc; called once, before main. */
void __wpp_threads_start(void);
/* Frees the memory of threads that will write no more events. */
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

/* A region for a thread; NULL without memory.  Its chunk still holds the last owner's tokens. */
struct wpp_thread *__wpp_region_take(void);
void __wpp_region_give(struct wpp_thread *t);
/* Unmaps all regions without an owner. */
void __wpp_regions_free(void);
/* In the child of a fork: forgets the parent's free regions. */
void __wpp_regions_forked(void);
/* In the child of a fork: keeps a region that the thread is writing to.  The child's tokens in
 * it have been handed over.  The window becomes the child's own, with the same slots free. */
void __wpp_region_keep(struct wpp_thread *t);
/* Clears the chunk; its first token is number `first` of the stream. */
void __wpp_chunk_clear(struct wpp_thread *t, uint64_t first);
/* Another chunk has been written meanwhile: the token at `done` is number t->first. */
void __wpp_chunk_goes_on(struct wpp_thread *t);

/* ---- The process -------------------------------------------------------------- */

enum wpp_state {
    WPP_IDLE,           /* no module has been loaded */
    WPP_FORKED,         /* a child of a traced process, without an event yet */
    WPP_RECORDING,
    WPP_DISCARDING,     /* WPP_OUT=none: chunks are reused, nothing is written */
    WPP_STOPPED,        /* output failed: tokens are counted as lost */
    WPP_ENDED           /* END is written */
};

struct wpp_process {
    enum wpp_state state;
    uint32_t pid;
    uint32_t sequence;              /* of the next process record */
    uint32_t merged;                /* its number in a file of several processes; 0: its trace is alone */
    uint64_t written, lost;         /* tokens */
    uint64_t early;                 /* tokens before recording began, not yet recorded */
    bool known;                     /* the state is no longer IDLE; read without the lock */
    uint64_t skipped;               /* tokens since recording was stopped */
    bool paused;                    /* recording is stopped */
    bool begun;                     /* its PROCESS record is written */
    bool exiting;
};
extern struct wpp_process __wpp_process;

uint64_t __wpp_enter(void);
void __wpp_leave(uint64_t mask);
/* The two halves of __wpp_leave(), for code that must run without signals but not alone. */
void __wpp_unlock(void);
void __wpp_unblock(uint64_t mask);

/* False if no chunk can be used yet.  Opens the trace of a forked child. */
bool __wpp_process_ready(void);
/* Called before the first module, without the lock: opening a FIFO may take long. */
void __wpp_process_start(void);
/* Called after it: registers what runs at the ends of threads and at forks. */
void __wpp_process_hooks(void);
/* Called after a module has gone: writes END if it was the last one. */
void __wpp_process_end_if_over(void);
/* The same after the lock is released: this runtime is about to go. */
void __wpp_process_leave_if_over(void);

/* Whether the program has restricted its own system calls. */
bool __wpp_sandboxed(void);
/* Stops recording, for a reason already reported. */
void __wpp_give_up(void);
void __wpp_broken(const char *file, int line);
/* `wpp: A B C`: one line on standard error.  Any of the strings may be NULL. */
void __wpp_complain(const char *a, const char *b, const char *c);
/* Complains that there is no memory for `what`, perhaps because of a limit. */
void __wpp_complain_of_memory(const char *what, const char *consequence);

/* ---- Stopped and started ----------------------------------------------------------- */

WPP_EXPORT void __wpp_start(void);
WPP_EXPORT void __wpp_stop(void);
/* The signal alternately stops and starts recording. */
void __wpp_pause_on_signal(int signal);
/* The trace of a process begins or ends; recording may be stopped then. */
void __wpp_pause_begin(void);
void __wpp_pause_end(void);

/* The restorer of the runtime's signal handlers. */
void __wpp_signal_return(void);

/* ---- Signals that kill --------------------------------------------------------------- */

/* Installs handlers where the kernel would kill the program; called when recording begins. */
void __wpp_faults_begin(void);

/* ---- Notes -------------------------------------------------------------------------- */

/* Calls `take` with each object that a module's note of this type describes.  Must not be called
 * with the lock: libc holds one of its own around the call. */
void __wpp_notes_find(uint32_t type, void (*take)(void *ctx, void *what), void *ctx);
/* The first note in [at, end) of that owner (three letters) and type, or NULL. */
const char *__wpp_note_next(const char *at, const char *end, const char *owner, uint32_t type);

/* ---- The program -------------------------------------------------------------------- */

/* Whether the program contains an instrumented module.  False also if its headers are not where
 * linkers put them. */
bool __wpp_program_is_traced(void);
bool __wpp_program_has(const void *at);
/* Whether our libc's loader lists the program; not in another namespace.  Must not be called
 * with the lock. */
bool __wpp_program_is_listed(void);

/* A word that all namespaces of the process find; fork copies it, and after exec it is 0.  It
 * holds 0, or an address with this mark, which no address has by itself.  NULL: an emulator or a
 * checker has started the program with another layout of its stack. */
#define WPP_WORD_MARK (UINT64_C(0x5750) << 48)
uint64_t *__wpp_program_word(void);

/* ---- Other runtimes ------------------------------------------------------------- */

/* Looks for another runtime that records this process; called before this one records.  Must not
 * be called with the lock. */
void __wpp_others_find(void);
/* Whether another runtime records. */
bool __wpp_others_record(void);
/* This runtime records. */
void __wpp_others_begin(void);
/* Keeps the module of this runtime loaded, if possible.  Must not be called with the lock. */
void __wpp_others_stay(void);
/* Whether this runtime is in another namespace than the program.  Each namespace has a libc, and
 * all of them give the same keys of thread-specific data. */
bool __wpp_others_apart(void);
/* Whether the user was already told that the module of this path is not recorded: a program may
 * load it again and again. */
bool __wpp_others_told(const char *path);
/* Makes the recording runtime note that events are missing, in case it does not come to its END.
 * Must not be called with the lock. */
void __wpp_others_lack(void);
/* Does the same at the beginning of a trace. */
void __wpp_others_tell(void);
/* Another runtime has registered this module, though the module's events come here: makes it
 * forget the module.  False: no runtime had registered it.  Must not be called with the lock. */
bool __wpp_others_let_go(struct wpp_module *module);
/* The tokens that the other runtimes have lost; takes the lock of each. */
uint64_t __wpp_others_lost(void);
/* The module of this runtime is about to go.  Must not be called with the lock. */
void __wpp_others_leave(void);
void __wpp_others_forked(void);

/* ---- Modules -------------------------------------------------------------------- */

WPP_EXPORT void __wpp_module_load(struct wpp_module *module);
WPP_EXPORT void __wpp_module_unload(struct wpp_module *module);
/* Forgets a module that belongs to another runtime.  False: it was not registered here. */
bool __wpp_module_let_go(struct wpp_module *module);
extern WPP_EXPORT __thread uint32_t *__wpp_cursor;
/* The same variable under a name that no other module has.  In an executable, code finds it by
 * this name also before the runtime is relocated. */
#define WPP_CURSOR_ALIAS \
    extern __thread uint32_t *__wpp_own_cursor \
        __attribute__((alias("__wpp_cursor"), visibility("hidden")))
extern WPP_EXPORT __thread uint32_t __wpp_frames;   /* used only by the emitted code */

/* ---- Counters ------------------------------------------------------------------------ */

extern WPP_EXPORT __thread unsigned char __wpp_counting;   /* used only by the emitted code */
void __wpp_count_thread_slow(void);             /* refill.S calls this */

/* Why the module's counters cannot be used, or NULL.  It may have none. */
const char *__wpp_counts_objection(const struct wpp_module *module);
/* Gives the module's counters copies for all threads. */
void __wpp_counts_add(struct wpp_module *module);
/* The module goes: writes those of its counters that are not in the trace's file. */
void __wpp_counts_take(const struct wpp_module *module);
/* Asks is_so() of modules that count, in order of loading, until one is so.  Whether one was. */
bool __wpp_counts_any(bool (*is_so)(const struct wpp_module *module, void *ctx), void *ctx);
/* In the child of a fork: it counts from 0, in a trace of its own if it has one. */
void __wpp_counts_forked(void);
/* Writes all counters as they are, before recording is stopped or started. */
void __wpp_counts_pause(void);
/* Notes that some counts are lost if the process ends without its END. */
void __wpp_counts_apart(void);
/* Sets counters in a module's own memory, or in private memory, to 0. */
void __wpp_counters_clear(uint64_t *from, uint32_t count);

/* ---- Activations that are left ------------------------------------------------------- */

/* An activation in a call: the address behind the call, and rbx, rbp, rsp, r12 to r15 as they will be
 * there. */
enum { WPP_FRAME_REGISTERS = 7 };
struct wpp_frame {
    uint64_t address;
    uint64_t reg[WPP_FRAME_REGISTERS];
};

/* Makes it its caller's frame.  False: the code's description is not so simple. */
bool __wpp_frame_caller(struct wpp_frame *frame);
/* Finds libgcc, and loads it into C programs.  It is called while the program begins: a signal
 * handler that jumps may have interrupted malloc, and a sandbox may forbid opening files.  Before
 * libc's constructor it does nothing, and must be called again.  Must not be called with the lock. */
void __wpp_frames_ready(void);
/* Whether there is a description of its code at all. */
bool __wpp_frame_is_described(const struct wpp_frame *frame);
/* The frame that libgcc's unwinder is at.  False: libgcc is not to be had. */
bool __wpp_frame_of(struct _Unwind_Context *context, struct wpp_frame *frame);
/* libgcc's _Unwind_Backtrace.  False: the program cannot have it, or no longer. */
bool __wpp_frames_each(_Unwind_Trace_Fn take, void *ctx);
void __wpp_leaving_slow(const void *env, const struct wpp_frame *caller);   /* refill.S calls this */
WPP_EXPORT _Unwind_Reason_Code __wpp_personality(int version, _Unwind_Action actions,
                                                 _Unwind_Exception_Class kind,
                                                 struct _Unwind_Exception *exception,
                                                 struct _Unwind_Context *context);
extern WPP_EXPORT __typeof(__wpp_personality) __wpp_personality_cxx;
/* The program ends: the calling thread's activations are left.  Must not be called with the lock. */
void __wpp_left_at_exit(void);
/* A module that counts comes, and goes. */
void __wpp_left_add(const struct wpp_module *module);
/* After modules have come, without the lock. */
void __wpp_left_ready(void);
void __wpp_left_take(const struct wpp_module *module);
/* Writes all that were left so far, before recording is stopped or started. */
void __wpp_left_pause(void);
/* Writes what is not kept in the trace's file or in the recorder's memory. */
void __wpp_left_end(void);
void __wpp_left_forked(void);

/* ---- Times ------------------------------------------------------------------------- */

extern WPP_EXPORT __thread uint64_t __wpp_time;     /* used only by the emitted code */

/* Called when the process begins. */
void __wpp_times_begin(void);
/* Records the times of the module's paths since the last call. */
void __wpp_times_take(const struct wpp_module *module);
/* Throws them away. */
void __wpp_times_forget(const struct wpp_module *module);

/* MODULE_LOAD of all loaded modules, for the trace of a forked child. */
void __wpp_modules_rewrite(void);
bool __wpp_modules_none(void);
/* Whether no module is loaded, not even a refused one. */
bool __wpp_modules_gone(void);
void __wpp_modules_each(void (*act)(const struct wpp_module *module));
void __wpp_modules_look(void (*look)(const struct wpp_module *module, void *ctx), void *ctx);

/* ---- Records and output ---------------------------------------------------------- */

#define WPP_PAYLOAD_BYTES 49152u     /* the most of any record except TOKENS */

/* A process record, a thread record.  On failure recording stops. */
void __wpp_record_process(uint16_t kind, const void *payload, uint32_t bytes);
void __wpp_record_thread(struct wpp_thread *t, uint16_t kind, const void *payload,
                         uint32_t bytes);
/* Writes a record without sequence number: BUFFER and its kind. */
void __wpp_record_note(uint16_t kind, const void *payload, uint32_t bytes);
/* A TOKENS record of the `count` words at t->done, in place. */
void __wpp_record_tokens(struct wpp_thread *t, uint32_t count);
/* Assembles what stands at `offset` of the file before a buffer: sets *from, returns the size. */
size_t __wpp_record_buffer(uint64_t offset, const void **from);
/* Assembles what stands at `offset` of the file before a COUNTS or LEFT record's pages. */
size_t __wpp_record_kept_counts(uint16_t kind, uint64_t offset, size_t bytes, const struct wpp_counts *counts,
                                const void **from);
/* A LEFT or PAUSE_LEFT record of at most 2,048 slots. */
void __wpp_record_left(uint16_t kind, const struct wpp_left *slots, uint32_t count);
/* A COUNTS or PAUSE_COUNTS record of at most 4,096 counters. */
void __wpp_record_counts(uint16_t kind, const struct wpp_counts *counts, const uint64_t *from);
/* Records that a thread's buffer does not outlive the process. */
void __wpp_record_no_buffer(void);
/* The same of some counters. */
void __wpp_record_no_counts(void);

struct wpp_settings {
    char out[4096];         /* pattern or path, absolute; empty when `fd` or `none` is given */
    bool recorder;          /* `out` is the path of a recorder's memory */
    bool names_process;     /* each process has its own trace: `out` has a %p, is a recorder's, or
                               `merges` */
    bool none;
    bool merges;            /* all processes append to one file */
    bool off;               /* the program begins without recording */
    int signal;             /* the signal that stops and starts recording, or 0 */
    bool no_faults;         /* no handlers of signals that kill */
    bool ends_with_recorder;        /* the program ends when its recorder is gone */
    int fd;                 /* inherited descriptor, -1 otherwise */
    int lowest;             /* our descriptors begin here */
};
extern struct wpp_settings __wpp_settings;
extern char **__wpp_environment;
/* Reads the environment.  False: recording is off, and the reason has been reported if it should
 * be. */
bool __wpp_settings_read(void);

/* A trace file that several processes append to (merge.c).  open: 0, or an error; -EEXIST: it is
 * another file. */
long __wpp_merge_open(int fd);
void __wpp_merge_close(void);
/* Around what makes the file longer: begin takes the lock and says where the records end, and end
 * says where they end by now.  0, or an error. */
long __wpp_merge_begin(int fd, uint64_t *whole);
void __wpp_merge_end(int fd, uint64_t whole);
/* With the lock: takes over pages of the same counters, of a process that has ended, and returns their
 * place in the file, 0 if there are none; or notes new ones. */
uint64_t __wpp_merge_take(uint64_t modules, size_t bytes, const struct wpp_counts *counts);
void __wpp_merge_note(uint64_t at, uint64_t modules, size_t bytes, const struct wpp_counts *counts);
/* No other process takes over this one's slots of LEFT: there will be other modules' in them. */
void __wpp_merge_keep_left(void);
/* A hash of what the trace says of a module, or of all that are loaded, if NULL.  It does not depend on
 * where they are loaded.  0: edges are counted.  Readers derive other edges' counts from these process by
 * process, so another process must not add to the same pages. */
uint64_t __wpp_module_identity(const struct wpp_module *m);

/* Called when the program begins: complaints go to its standard error of this moment. */
void __wpp_output_begin(void);
/* Opens the output.  False after a complaint: it cannot be opened. */
bool __wpp_output_open(void);
/* Writes a record.  False after a complaint: the output has failed. */
bool __wpp_output_write(const void *from, size_t bytes);
/* Nanoseconds of waiting for a pipe's reader; a recorder's memory counts its own. */
uint64_t __wpp_output_waited(void);
/* Drops the part of a record that a failed write left, so that END can still follow.  False: the
 * output is not a file that we made. */
bool __wpp_output_repair(void);
void __wpp_output_close(void);
/* Whether buffers may outlive the process. */
bool __wpp_output_keeps(void);
/* Makes WPP_BUFFER_BYTES of the output appear at `window`.  False: not possible. */
bool __wpp_output_keep(void *window);
/* Whether pages of counters may be part of the output, and makes them so: `bytes` of zeros at
 * `window`, which has zeros.  False: not possible. */
bool __wpp_output_keeps_pages(void);
bool __wpp_output_keep_pages(uint16_t kind, void *window, size_t bytes, const struct wpp_counts *counts);
/* The same for counts of the module, or of all that are loaded.  In a file of several processes the
 * pages may be those of an ended one: then they are not zeros, and their record is that one's. */
enum wpp_kept { WPP_NOT_KEPT, WPP_KEPT, WPP_TAKEN_OVER };
enum wpp_kept __wpp_output_keep_counts(uint16_t kind, const struct wpp_module *m, void *window,
                                       size_t bytes, const struct wpp_counts *counts);

/* ---- The recorder's memory --------------------------------------------------------- */

/* 0, or the error. */
long __wpp_share_open(const char *path);
bool __wpp_share_is_open(void);
/* Waits for a free slot.  False: the recorder takes no more, or is gone. */
bool __wpp_share_write(const void *record, size_t bytes);
bool __wpp_share_seat(void *window);
/* The same as __wpp_output_keeps_pages() and __wpp_output_keep_pages(). */
bool __wpp_share_keeps_pages(void);
bool __wpp_share_keep_pages(uint16_t kind, void *window, size_t bytes, const struct wpp_counts *counts);
void __wpp_share_forks(void);
void __wpp_share_forked(bool has_number);
/* A process that had the lock was killed: frees the slot that it was filling. */
void __wpp_share_take_over(void);
/* Closes the memory, in a process that the recorder does not know. */
void __wpp_share_close(void);

#endif
