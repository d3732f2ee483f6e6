/* SPDX-License-Identifier: MIT */
/* process.c - the trace's begin and end, forks, and the lock.
 *
 *            first module            WPP_OUT=none
 *     IDLE ---------------> RECORDING  or  DISCARDING
 *                             |    ^             |
 *          output failed      |    | child's first event
 *     STOPPED <---------------+    FORKED <-- any fork, when each process has a trace of its own
 *        |                    |                  |
 *        +-----> ENDED <------+------------------+   last module gone while exiting
 *
 * END.  A module's destructor runs after all other destructors of that module.  But the
 * destructors of shared libraries run after the executable's, and this runtime may be part of
 * the executable.  So the runtime's own destructor only sets `exiting`, and END is written when
 * no module is left.
 */
#include "tracer/runtime.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "tracer/sys.h"
#include "tracer/text.h"

#define ARGUMENT_BYTES 32768
#define GUARD_BYTES    4096

struct wpp_process __wpp_process;

/* Holds our pid; the kernel clears it in the child of any fork, also of one that
 * libc does not know of.  NULL on kernels before 4.14. */
static volatile uint32_t *guard;

/* Set between the calls of our fork handlers, in the forking thread and in its child. */
static __thread bool forking;

/* ---- The lock ---------------------------------------------------------------------- */

/* 0: free.  Otherwise the id of the thread that holds it, with FUTEX_WAITERS when others may wait.
 * The id and the lock are one word, so that a process that dies with the lock, which it can only
 * if it shares this memory with its parent (vfork, clone), always leaves its id here. */
static uint32_t lock;
/* Who of those that share this variable has the lock, wants it, or has just given it back: this
 * thread, and processes that it made without memory of their own.  0: none of them. */
static __thread uint32_t entered;

#define HOLDER(word) ((word) & FUTEX_TID_MASK)

/* No one wakes those who wait for a lock whose holder was killed: they look that often. */
#define LOOK_NANOSECONDS 20000000

/* In a child: forgets the descriptor, the counts and perhaps the lock, which are the parent's. */
static void forget_parent(void)
{
    __wpp_process.pid = sys_getpid();
    if (guard)
        *guard = __wpp_process.pid;
    lock = 0;
    entered = 0;
    __wpp_share_forked(forking);
    if (__wpp_process.state == WPP_RECORDING) {
        __wpp_output_close();
        __wpp_process.state = __wpp_settings.names_process ? WPP_FORKED : WPP_STOPPED;
    }
    __wpp_process.sequence = 0;
    __wpp_process.written = __wpp_process.lost = __wpp_process.early = 0;
    __wpp_process.begun = false;
    __wpp_others_forked();
    __wpp_modules_each(__wpp_times_forget);
}

/* Whether a process that holds the lock still runs; it may be the caller's parent.  A killed
 * process exists until its parent has waited for it, and a moment before it can be waited for. */
static bool runs(uint32_t tid)
{
    siginfo_t ended = { .si_pid = 0 };

    if (sys3(SYS_kill, tid, 0, 0) == -ESRCH)
        return false;
    sys6(SYS_waitid, P_PID, tid, (long)&ended, WEXITED | WNOHANG | WNOWAIT | __WALL, 0, 0);
    return ended.si_pid == 0;
}

/* A sandbox may forbid runs().  There only a process that shares `entered` is known to have died: it
 * did not leave, and this thread is here. */
static bool was_killed(uint32_t tid, uint32_t left)
{
    return __wpp_sandboxed() ? tid == left : !runs(tid);
}

static bool take(uint32_t seen, uint32_t wanted)
{
    return __atomic_compare_exchange_n(&lock, &seen, wanted, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* Waits until `seen` may have left.  Returns whether it is time to look for it. */
static bool wait_for(uint32_t seen)
{
    struct timespec soon = { 0, LOOK_NANOSECONDS };

    return ((seen & FUTEX_WAITERS) || take(seen, seen | FUTEX_WAITERS)) &&
           sys4(SYS_futex, (long)&lock, FUTEX_WAIT_PRIVATE, (long)(seen | FUTEX_WAITERS),
                (long)&soon) == -ETIMEDOUT;
}

/* Takes the lock for `self`; `left` has entered and not left, or is 0.  Whoever has waited leaves
 * FUTEX_WAITERS set: others may wait, too.  Returns whether the holder was killed. */
static bool acquire(uint32_t self, uint32_t left)
{
    uint32_t waited = 0, seen;
    bool look = false;

    for (;;) {
        seen = __atomic_load_n(&lock, __ATOMIC_RELAXED);
        if (seen == 0) {
            if (take(0, self | waited))
                return false;
            continue;
        }
        if ((look || HOLDER(seen) == left) && was_killed(HOLDER(seen), left) &&
            take(seen, self | FUTEX_WAITERS))
            return true;
        look = wait_for(seen);
        waited = FUTEX_WAITERS;
    }
}

static void release(void)
{
    uint32_t was = __atomic_exchange_n(&lock, 0, __ATOMIC_RELEASE);

    WPP_EXPECT(was != 0);
    entered = 0;
    if (was & FUTEX_WAITERS)
        sys3(SYS_futex, (long)&lock, FUTEX_WAKE_PRIVATE, 1);
}

/* Takes back a half-written record: its tokens are still in their chunk. */
static void take_over(void)
{
    if (__wpp_share_is_open())
        __wpp_share_take_over();
    else
        __wpp_output_repair();
}

/* A child may already have events when it first comes here.  A signal came before libc's fork
 * called our handler, or no handler is called at all (_Fork, clone). */
uint64_t __wpp_enter(void)
{
    uint64_t mask = sys_sigmask(~UINT64_C(0));
    uint32_t self = sys_gettid(), left;
    bool born = guard && !*guard;

    if (born)
        forget_parent();
    left = entered;
    entered = self;
    if (acquire(self, left))
        take_over();
    if (born && (__wpp_process.state == WPP_FORKED || __wpp_others_record()))
        __wpp_threads_forked(forking);
    else if (born)
        __wpp_threads_leave();
    if (born)
        __wpp_counts_forked();
    return mask;
}

void __wpp_unlock(void)
{
    release();
}

void __wpp_unblock(uint64_t mask)
{
    sys_sigmask(mask);
}

void __wpp_leave(uint64_t mask)
{
    __wpp_unlock();
    __wpp_unblock(mask);
}

/* ---- Stopping ------------------------------------------------------------------------ */

void __wpp_give_up(void)
{
    if (__wpp_process.state == WPP_RECORDING || __wpp_process.state == WPP_FORKED)
        __wpp_process.state = WPP_STOPPED;
}

void __wpp_broken(const char *file, int line)
{
    static char where[256];
    static bool told;
    struct wpp_text text;

    __wpp_give_up();
    if (told)
        return;
    told = true;
    text_init(&text, where, sizeof where);
    text_add(&text, file);
    text_byte(&text, ':');
    text_number(&text, (uint64_t)line, 1);
    __wpp_complain("internal error at ", where, "; recording stopped");
}

/* ---- Sandboxes ---------------------------------------------------------------------------- */

static long seccomp_at_start;

/* Whether the program has restricted its system calls since it began.  If so, opening a file may
 * kill it.  Restrictions from before, such as a container's, do not matter. */
bool __wpp_sandboxed(void)
{
    return sys3(SYS_prctl, PR_GET_SECCOMP, 0, 0) != seccomp_at_start;
}

/* ---- The PROCESS record ----------------------------------------------------------------- */

/* First the strings known from the start, then those of each process.  A forked child may have
 * no right, or no /proc, to read them again. */
static char process_strings[WPP_PAYLOAD_BYTES];
static size_t process_known;

static void add_string(struct wpp_text *text, const char *key, const char *value)
{
    text_add(text, key);
    text_byte(text, '=');
    text_add(text, value);
    text_byte(text, '\0');
}

static void add_number(struct wpp_text *text, const char *key, uint64_t number)
{
    text_add(text, key);
    text_byte(text, '=');
    text_number(text, number, 1);
    text_byte(text, '\0');
}

static void add_started(struct wpp_text *text)
{
    struct timespec now = sys_clock(CLOCK_REALTIME);

    text_add(text, "started=");
    text_number(text, (uint64_t)now.tv_sec, 1);
    text_byte(text, '.');
    text_number(text, (uint64_t)now.tv_nsec, 9);
    text_byte(text, '\0');
}

/* /proc/self/cmdline contains the arguments, each with its NUL. */
static void add_arguments(struct wpp_text *text)
{
    static char block[1024];
    long fd = sys_open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC, 0), n;
    size_t copied = 0;
    bool begins = true, cut = false;

    if (fd < 0)
        return;
    while (!cut && (n = sys_read((int)fd, block, sizeof block)) > 0) {
        for (long i = 0; i < n && !cut; i++) {
            cut = copied++ >= ARGUMENT_BYTES;
            if (cut)
                break;
            if (begins) {
                text_add(text, "arg=");
                copied += sizeof "arg=" - 1;
            }
            text_byte(text, block[i]);
            begins = block[i] == '\0';
        }
    }
    sys_close((int)fd);
    if (!begins)
        text_byte(text, '\0');
    if (cut)
        add_string(text, "args-cut", "1");
}

static void describe_program(void)
{
    static char path[4096];
    static struct utsname host;
    struct wpp_text text;
    long n;

    text_init(&text, process_strings, sizeof process_strings);
    n = sys3(SYS_readlink, (long)"/proc/self/exe", (long)path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    add_string(&text, "program", path);
    if (sys3(SYS_uname, (long)&host, 0, 0) == 0)
        add_string(&text, "host", host.nodename);
    if (sys3(SYS_getcwd, (long)path, sizeof path, 0) > 0)
        add_string(&text, "cwd", path);
    add_arguments(&text);
    process_known = text.used;
}

/* Other threads may add early events while the first thread begins the trace. */
static uint64_t take_early(void)
{
    return __atomic_exchange_n(&__wpp_process.early, 0, __ATOMIC_RELAXED);
}

static void write_early(void)
{
    uint64_t early = take_early();

    if (early)
        __wpp_record_note(WPP_REC_EARLY, &early, sizeof early);
}

static void write_process(bool forked)
{
    struct wpp_text text = { process_strings, process_known, sizeof process_strings, false };

    add_number(&text, "parent", (uint64_t)sys3(SYS_getppid, 0, 0, 0));
    if (forked)
        add_string(&text, "forked", "1");
    add_started(&text);
    __wpp_record_process(WPP_REC_PROCESS, process_strings, (uint32_t)text.used);
    __wpp_process.begun = true;
    write_early();
    __wpp_pause_begin();
    __wpp_others_tell();
}

/* ---- Start ------------------------------------------------------------------------------ */

static void make_guard(void)
{
    uint32_t *page = sys_map(GUARD_BYTES);

    if (page && sys3(SYS_madvise, (long)page, GUARD_BYTES, MADV_WIPEONFORK) == 0) {
        *page = __wpp_process.pid;
        guard = page;
    } else if (page) {
        sys_unmap(page, GUARD_BYTES);
    }
}

void __wpp_process_start(void)
{
    uint64_t mask;
    bool wanted, opened, another, recording;

    __wpp_process.pid = sys_getpid();
    __wpp_times_begin();
    seccomp_at_start = sys3(SYS_prctl, PR_GET_SECCOMP, 0, 0);
    make_guard();
    __wpp_output_begin();
    __wpp_others_find();
    another = __wpp_others_record();
    if (another)
        __wpp_others_lack();
    else
        __wpp_others_stay();
    wanted = __wpp_settings_read();
    /* Before a recorder knows this process: a recorder sends that signal. */
    if (__wpp_settings.signal && !another)
        __wpp_pause_on_signal(__wpp_settings.signal);
    opened = wanted && (another || __wpp_settings.none || __wpp_output_open());
    mask = __wpp_enter();
    __wpp_process.paused |= __wpp_settings.off;
    if (another)
        __wpp_process.lost += take_early();
    if (!opened)
        __wpp_process.state = WPP_STOPPED;
    else
        __wpp_process.state = another || __wpp_settings.none ? WPP_DISCARDING : WPP_RECORDING;
    __atomic_store_n(&__wpp_process.known, true, __ATOMIC_RELAXED);
    if (__wpp_process.state == WPP_RECORDING) {
        __wpp_others_begin();
        describe_program();
        write_process(false);
    }
    recording = __wpp_process.state == WPP_RECORDING;
    __wpp_leave(mask);
    if (recording)
        __wpp_faults_begin();
}

/* Opens a forked child's trace, at its first event. */
static void start_child(void)
{
    WPP_EXPECT(__wpp_process.state == WPP_FORKED && !__wpp_process.begun);
    __wpp_process.state = WPP_STOPPED;
    if (__wpp_sandboxed() && !__wpp_share_is_open()) {
        __wpp_complain("a child in a sandbox opens no trace; not recording it", NULL, NULL);
        return;
    }
    if (!__wpp_output_open())
        return;
    __wpp_process.state = WPP_RECORDING;
    write_process(true);
    __wpp_modules_rewrite();
}

bool __wpp_process_ready(void)
{
    if (__wpp_process.state == WPP_FORKED)
        start_child();
    return __wpp_process.state != WPP_IDLE;
}

/* ---- Fork --------------------------------------------------------------------------------- */

/* The youngest child of this thread; 0 if the kernel does not tell. */
static uint32_t youngest_child(void)
{
    char block[512];
    uint32_t last = 0, number = 0;
    long fd = -1, n;

    if (!__wpp_sandboxed())
        fd = sys_open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return 0;
    while ((n = sys_read((int)fd, block, sizeof block)) > 0) {
        for (long i = 0; i < n; i++) {
            if (block[i] >= '0' && block[i] <= '9') {
                number = number * 10 + (uint32_t)(block[i] - '0');
            } else {
                last = number;
                number = 0;
            }
        }
    }
    sys_close((int)fd);
    return number ? number : last;
}

static __thread uint32_t youngest_before;      /* the youngest child before this fork */

/* libc calls this also when fork has failed.  Then the youngest child is the same as before; the
 * same holds if the child is already gone. */
static void after_fork_in_parent(void)
{
    uint64_t mask = __wpp_enter();
    struct wpp_thread *t = __wpp_self();
    uint32_t youngest, child;

    if (t && t->begun && __wpp_process.state == WPP_RECORDING) {
        youngest = youngest_child();
        child = youngest != youngest_before ? youngest : 0;
        __wpp_thread_flush(t);
        __wpp_record_thread(t, WPP_REC_FORK, &child, sizeof child);
    }
    forking = false;
    __wpp_leave(mask);
}

static void before_fork(void)
{
    __wpp_share_forks();
    forking = true;
    if (__wpp_process.state == WPP_RECORDING)
        youngest_before = youngest_child();
}

/* A signal handler in the child may have come here first; then nothing is left to do. */
static void after_fork_in_child(void)
{
    uint64_t mask;

    if (!guard)
        forget_parent();
    mask = __wpp_enter();
    if (!guard) {
        __wpp_threads_leave();
        __wpp_counts_forked();
    }
    forking = false;
    __wpp_leave(mask);
}

void __wpp_process_hooks(void)
{
    __wpp_threads_start();
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* ---- End ------------------------------------------------------------------------------------ */

static void write_end(void)
{
    uint64_t totals[2], waited = __wpp_output_waited();

    WPP_EXPECT(__wpp_process.state != WPP_IDLE && __wpp_process.state != WPP_ENDED);
    __wpp_threads_flush();
    if (__wpp_process.state == WPP_STOPPED && __wpp_process.begun && __wpp_output_repair())
        __wpp_process.state = WPP_RECORDING;
    write_early();
    __wpp_pause_end();
    __wpp_left_end();
    if (waited)
        __wpp_record_note(WPP_REC_WAITED, &waited, sizeof waited);
    totals[0] = __wpp_process.written;
    totals[1] = __wpp_process.lost + __wpp_others_lost();
    __wpp_record_process(WPP_REC_END, totals, sizeof totals);
    __wpp_output_close();
}

void __wpp_process_end_if_over(void)
{
    if (!__wpp_process.exiting || !__wpp_modules_none() || __wpp_process.state == WPP_ENDED)
        return;
    write_end();
    __wpp_process.state = WPP_ENDED;
}

/* A runtime that does not record frees everything except memory that threads may still use: a
 * program may load a namespace again and again. */
void __wpp_process_leave_if_over(void)
{
    bool another = __wpp_others_record();
    uint64_t mask;

    if (!__wpp_process.exiting || !__wpp_modules_gone())
        return;
    __wpp_others_leave();
    if (!another)
        return;
    mask = __wpp_enter();
    __wpp_threads_free();
    if (guard && !__wpp_threads) {
        sys_unmap((void *)guard, GUARD_BYTES);
        guard = NULL;
    }
    __wpp_leave(mask);
}

__attribute__((destructor)) static void runtime_exits(void)
{
    uint64_t mask;

    if (__wpp_process.state == WPP_IDLE)
        return;
    mask = __wpp_enter();
    __wpp_process.exiting = true;
    __wpp_process_end_if_over();
    __wpp_leave(mask);
    __wpp_process_leave_if_over();
}
