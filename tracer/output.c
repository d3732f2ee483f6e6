/* SPDX-License-Identifier: MIT */
/* output.c - where the trace goes.
 *
 * The trace goes to a recorder's memory (share.c), or to a file, a FIFO, a device or an
 * inherited descriptor.  In the latter cases we use a high descriptor, closed by exec, and keep
 * the file's identity.  A program may close descriptors that it does not know, and then get our
 * number for a file of its own.  That file must not get our data.
 *
 *   fd < 0                  nothing is open
 *   fd >= 0                 open on the file with `device` and `inode`, last we looked
 *   whole <= bytes written  whole: the length up to the last complete record
 */
#include "tracer/runtime.h"

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "tracer/sys.h"
#include "tracer/text.h"

static struct {
    int fd;
    dev_t device;
    ino_t inode;
    bool ours;              /* a regular file that we made: may be cut and reopened */
    bool merged;            /* other processes append to it, too: merge.c */
    bool failed;            /* a write error has been reported */
    long pipe;              /* capacity in bytes of a pipe; else 0 or less */
    uint64_t waited;        /* nanoseconds in writes while the pipe was full */
    uint64_t whole;
    volatile uint64_t *length;      /* in the file's first buffer: readers find `whole` here; or
                                       NULL */
    char path[4096 + 256];
} out = { .fd = -1 };

/* ---- Signals of writes -------------------------------------------------------------- */

#define WRITE_SIGNALS (UINT64_C(1) << (SIGPIPE - 1) | UINT64_C(1) << (SIGXFSZ - 1))

static uint64_t pending_signals(void)
{
    uint64_t pending = 0;

    sys3(SYS_rt_sigpending, (long)&pending, sizeof pending, 0);
    return pending;
}

/* Takes back a signal that our write raised and that was not pending before.  All signals are
 * blocked. */
static void consume(uint64_t before)
{
    uint64_t signals = WRITE_SIGNALS & ~before;
    static const struct timespec at_once = { 0, 0 };

    while (signals && sys4(SYS_rt_sigtimedwait, (long)&signals, 0, (long)&at_once,
                           sizeof signals) > 0)
        ;
}

/* ---- Complaints ------------------------------------------------------------------ */

/* The file of descriptor 2 when the program began. */
static struct {
    dev_t device;
    ino_t inode;
} people;

void __wpp_output_begin(void)
{
    struct stat st;

    if (sys_fstat(2, &st) == 0) {
        people.device = st.st_dev;
        people.inode = st.st_ino;
    }
}

/* Whether descriptor 2 is still for messages.  A program that closed it may have opened a file
 * of its own there.  A file opened for appending is taken for a log. */
static bool is_for_people(void)
{
    struct stat st;

    return sys_fstat(2, &st) == 0
           && (!S_ISREG(st.st_mode) || (sys_fcntl(2, F_GETFL, 0) & O_APPEND)
               || (st.st_dev == people.device && st.st_ino == people.inode));
}

/* Writes a message.  A sandbox may allow only write(). */
static void say(const char *line, size_t bytes)
{
    uint64_t mask, before;

    if (__wpp_sandboxed()) {
        sys_write(2, line, bytes);
        return;
    }
    mask = sys_sigmask(~UINT64_C(0));
    before = pending_signals();
    if (is_for_people() && sys_write(2, line, bytes) < 0)
        consume(before);
    sys_sigmask(mask);
}

void __wpp_complain(const char *a, const char *b, const char *c)
{
    static char line[5120];
    struct wpp_text text;

    text_init(&text, line, sizeof line - 1);
    text_add(&text, "wpp: ");
    text_add(&text, a);
    text_add(&text, b);
    text_add(&text, c);
    line[text.used++] = '\n';
    say(line, text.used);
}

void __wpp_complain_of_memory(const char *what, const char *consequence)
{
    static char buffer[128];
    struct rlimit64 limit = { RLIM64_INFINITY, RLIM64_INFINITY };
    struct wpp_text text;

    if (!__wpp_sandboxed())
        sys3(SYS_getrlimit, RLIMIT_AS, (long)&limit, 0);
    if (limit.rlim_cur == RLIM64_INFINITY) {
        __wpp_complain("no memory for ", what, consequence);
        return;
    }
    text_init(&text, buffer, sizeof buffer);
    text_add(&text, "an address space limit (ulimit -v) of ");
    text_number(&text, limit.rlim_cur >> 10, 1);
    text_add(&text, " kB leaves no room for ");
    __wpp_complain(buffer, what, consequence);
}

static const char *error_text(long error)
{
    switch (-error) {
    case ENOSPC: return "no space left";
    case EPIPE:  return "the reader is gone";
    case EACCES: return "permission denied";
    case EPERM:  return "operation not permitted";
    case ENOENT: return "no such file or directory";
    case ENOTDIR: return "not a directory";
    case EISDIR: return "is a directory";
    case ENAMETOOLONG: return "the name is too long";
    case ELOOP:  return "too many symbolic links";
    case ETXTBSY: return "it is a program that runs";
    case EBUSY:  return "it is in use";
    case ENXIO:
    case ENODEV: return "no such device or address";
    case ENOMEM: return "out of memory";
    case EFBIG:  return "file too large";
    case EDQUOT: return "disk quota exceeded";
    case EROFS:  return "read-only file system";
    case EBADF:  return "the descriptor is not open for writing";
    case EINVAL: return "there is no recorder";
    case EAGAIN: return "the recorder has seen too many processes";
    case EIO:    return "input/output error";
    case EEXIST: return "it is no file for WPP_OPTIONS=merge, which makes one itself";
    case ENOLCK: return "it cannot be locked";
    case EMFILE:
    case ENFILE: return "too many open files";
    default:     return NULL;
    }
}

static void complain_of(const char *what, long error, const char *consequence)
{
    static char buffer[sizeof out.path + 128];
    struct wpp_text text;

    text_init(&text, buffer, sizeof buffer);
    text_add(&text, out.path);
    text_add(&text, ": ");
    if (error_text(error)) {
        text_add(&text, error_text(error));
    } else {
        text_add(&text, "error ");
        text_number(&text, (uint64_t)-error, 1);
    }
    __wpp_complain(what, buffer, consequence);
}

/* ---- Opening ---------------------------------------------------------------------- */

/* Moves a descriptor out of the program's way.  `fd` itself stays open. */
static int move_high(int fd)
{
    for (int lowest = __wpp_settings.lowest; lowest >= 3; lowest /= 2) {
        long high = sys_fcntl(fd, F_DUPFD_CLOEXEC, lowest);

        if (high >= 0)
            return (int)high;
        if (high == -EBADF)
            break;
    }
    return -1;
}

/* Takes `fd` into use; closes it on failure. */
static long adopt(int fd)
{
    struct stat st;
    int high = move_high(fd);
    long error = sys_fstat(fd, &st);

    if (high >= 0) {
        sys_close(fd);
        fd = high;
    }
    if (error < 0) {
        sys_close(fd);
        return error;
    }
    /* With a large pipe, the reader is woken less often. */
    if (S_ISFIFO(st.st_mode) && sys_fcntl(fd, F_GETPIPE_SZ, 0) < 1 << 20)
        sys_fcntl(fd, F_SETPIPE_SZ, 1 << 20);
    out.fd = fd;
    out.device = st.st_dev;
    out.inode = st.st_ino;
    out.pipe = S_ISFIFO(st.st_mode) ? sys_fcntl(fd, F_GETPIPE_SZ, 0) : 0;
    out.failed = false;
    out.whole = 0;
    return 0;
}

/* Opens an inherited descriptor, and makes its old number /dev/null.  Programs that this one
 * starts see the same WPP_OUT, so the number must not come to mean another file. */
static long open_inherited(int fd)
{
    long flags = sys_fcntl(fd, F_GETFL, 0), high, null, error;
    struct wpp_text name;

    text_init(&name, out.path, sizeof out.path);
    text_add(&name, "descriptor ");
    text_number(&name, (uint64_t)fd, 1);
    if (flags < 0)
        return flags;
    if ((flags & O_ACCMODE) == O_RDONLY)
        return -EBADF;
    high = sys_fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (high < 0)
        return high;
    error = adopt((int)high);
    if (error < 0 || fd <= 2)
        return error;
    null = sys_open("/dev/null", O_WRONLY | O_CLOEXEC, 0);
    if (null < 0) {
        sys_close(fd);
    } else {
        sys3(SYS_dup3, null, fd, 0);
        sys_close((int)null);
    }
    return 0;
}

/* Puts process and host into the pattern: out.path.  attempt > 0 appends `.attempt`. */
static void expand_path(uint32_t attempt)
{
    struct utsname host;
    struct wpp_text path;

    text_init(&path, out.path, sizeof out.path);
    for (const char *at = __wpp_settings.out; *at; at++) {
        if (*at != '%') {
            text_byte(&path, *at);
            continue;
        }
        switch (*++at) {
        case 'p':
            text_number(&path, __wpp_process.pid, 1);
            break;
        case 'h':
            host.nodename[0] = '\0';
            sys3(SYS_uname, (long)&host, 0, 0);
            text_add(&path, host.nodename);
            break;
        default:
            text_byte(&path, '%');
        }
    }
    if (attempt) {
        text_byte(&path, '.');
        text_number(&path, attempt, 1);
    }
}

/* Replaces a regular file by a new one, so that another process can go on writing the old one.
 * Anything else is not replaced: -EEXIST. */
static long open_new(void)
{
    struct stat st;

    if (sys_lstat(out.path, &st) == 0 && S_ISREG(st.st_mode))
        sys3(SYS_unlink, (long)out.path, 0, 0);
    return sys_open(out.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

static long open_in_place(void)
{
    struct stat st;
    long fd;

    do
        fd = sys_open(out.path, O_WRONLY | O_NOCTTY | O_CLOEXEC, 0);
    while (fd == -EINTR);
    if (fd >= 0 && sys_fstat((int)fd, &st) == 0 && S_ISREG(st.st_mode))
        sys3(SYS_ftruncate, fd, 0, 0);
    return fd;
}

/* A limit of the file's size raises a signal. */
static long begin_merged(void)
{
    uint64_t mask = sys_sigmask(~UINT64_C(0)), before = pending_signals();
    long error = __wpp_merge_open(out.fd);

    consume(before);
    sys_sigmask(mask);
    return error;
}

/* Opens a file of several processes.  -ENOTSUP: there is something else, which cannot be one. */
static long open_merged(void)
{
    struct stat st;
    long fd, error;

    expand_path(0);
    if (sys4(SYS_newfstatat, AT_FDCWD, (long)out.path, (long)&st, 0) == 0 && !S_ISREG(st.st_mode))
        return -ENOTSUP;
    fd = sys_open(out.path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return fd;
    error = adopt((int)fd);
    if (error == 0)
        error = begin_merged();
    out.ours = out.merged = error == 0;
    if (error < 0)
        __wpp_output_close();
    return error;
}

/* A name with %p is never overwritten.  A program that replaces itself by exec keeps its process
 * number, and the user wants both traces. */
static long open_named(void)
{
    long fd = -EEXIST;

    for (uint32_t n = 0; __wpp_settings.names_process && fd == -EEXIST && n < 1000; n++) {
        expand_path(n);
        fd = sys_open(out.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    if (!__wpp_settings.names_process) {
        expand_path(0);
        fd = open_new();
    }
    out.ours = fd >= 0;
    if (fd == -EEXIST)
        fd = open_in_place();
    return fd < 0 ? fd : adopt((int)fd);
}

static long open_path(void)
{
    long fd = __wpp_settings.merges ? open_merged() : -ENOTSUP;

    if (fd != -ENOTSUP)
        return fd;
    if (!__wpp_settings.merges)
        return open_named();
    fd = open_in_place();
    return fd < 0 ? fd : adopt((int)fd);
}

static long open_recorder(void)
{
    struct wpp_text path;

    if (__wpp_share_is_open())
        return 0;                       /* a forked child inherits its parent's mapping */
    text_init(&path, out.path, sizeof out.path);
    text_add(&path, __wpp_settings.out);
    return __wpp_share_open(out.path);
}

bool __wpp_output_open(void)
{
    long error;

    WPP_EXPECT(out.fd < 0);
    out.ours = out.merged = false;
    out.length = NULL;
    if (__wpp_settings.recorder)
        error = open_recorder();
    else
        error = __wpp_settings.fd >= 0 ? open_inherited(__wpp_settings.fd) : open_path();
    if (error == -EACCES && __wpp_settings.recorder)
        __wpp_complain("this user, or user namespace, may not open the recorder's memory; start "
                       "wpp-record as the user that the program runs as, or inside the namespace; "
                       "not recording", NULL, NULL);
    else if (error == -ENOMEM && __wpp_settings.recorder)
        __wpp_complain_of_memory("the recorder's memory", "; not recording");
    else if (error < 0)
        complain_of("cannot write the trace to ", error, "; not recording");
    return error >= 0;
}

void __wpp_output_close(void)
{
    struct stat st;

    if (out.fd >= 0 && sys_fstat(out.fd, &st) == 0
        && st.st_dev == out.device && st.st_ino == out.inode)
        sys_close(out.fd);
    __wpp_merge_close();
    out.fd = -1;
    out.length = NULL;
}

/* ---- Writing ------------------------------------------------------------------------ */

static bool still_there(void)
{
    struct stat st;

    return out.fd >= 0 && sys_fstat(out.fd, &st) == 0
           && st.st_dev == out.device && st.st_ino == out.inode;
}

/* The program closed our descriptor; a file that we made can be reopened. */
static bool reopen(void)
{
    uint64_t whole = out.whole;
    struct stat st;
    long fd;

    out.fd = -1;
    if (!out.ours)
        return false;
    fd = sys_open(out.path, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0);
    /* Another file may have its name by now. */
    if (fd >= 0 && (sys_fstat((int)fd, &st) < 0 || st.st_dev != out.device || st.st_ino != out.inode)) {
        sys_close((int)fd);
        fd = -1;
    }
    if (fd < 0 || adopt((int)fd) < 0 || sys3(SYS_lseek, out.fd, (long)whole, SEEK_SET) < 0) {
        out.ours = out.merged = false;
        return false;
    }
    out.whole = whole;
    return true;
}

static void wait_writable(void)
{
    struct pollfd waiting = { .fd = out.fd, .events = POLLOUT, .revents = 0 };

    sys3(SYS_poll, (long)&waiting, 1, -1);
}

static long write_all(const char *from, size_t bytes)
{
    uint64_t before = pending_signals();

    while (bytes) {
        long n = sys_write(out.fd, from, bytes);

        if (n > 0) {
            from += n;
            bytes -= (size_t)n;
        } else if (n == -EAGAIN) {
            wait_writable();
        } else if (n != -EINTR) {
            consume(before);
            return n ? n : -EIO;
        }
    }
    return 0;
}

/* Records the new length.  A reader that finds a shorter file has only a part of it. */
static void grown(uint64_t by)
{
    out.whole += by;
    if (out.length)
        *out.length = out.whole;
}

/* Before the file becomes longer.  A program that has restricted its system calls appends no more:
 * its counters are in the file already. */
static long begin_append(void)
{
    if (!out.merged)
        return 0;
    return __wpp_sandboxed() ? -EPERM : __wpp_merge_begin(out.fd, &out.whole);
}

static void end_append(void)
{
    if (out.merged)
        __wpp_merge_end(out.fd, out.whole);
}

uint64_t __wpp_output_waited(void)
{
    return out.waited;
}

static bool has_room(size_t bytes)
{
    int waiting = 0;

    return out.pipe <= 0 || sys3(SYS_ioctl, out.fd, FIONREAD, (long)&waiting) < 0
           || waiting + (long)bytes <= out.pipe;
}

static long write_waiting(const void *from, size_t bytes)
{
    uint64_t begun = sys_nanoseconds();
    long error = write_all(from, bytes);

    out.waited += sys_nanoseconds() - begun;
    return error;
}

bool __wpp_output_write(const void *from, size_t bytes)
{
    long error;

    if (__wpp_share_is_open())
        return __wpp_share_write(from, bytes);
    if (!still_there() && !reopen()) {
        __wpp_complain("the program closed the trace's descriptor: ", out.path,
                       "; recording stopped");
        out.fd = -1;
        return false;
    }
    error = begin_append();
    if (error == 0) {
        error = has_room(bytes) ? write_all(from, bytes) : write_waiting(from, bytes);
        if (error >= 0)
            grown(bytes);
        end_append();
    }
    if (error < 0) {
        if (!out.failed)
            complain_of("cannot write the trace to ", error, "; recording stopped");
        out.failed = true;
    }
    return error >= 0;
}

/* In a file of several processes, the next one to append does it. */
bool __wpp_output_repair(void)
{
    if (out.merged)
        return still_there();
    return out.ours && still_there()
           && sys3(SYS_ftruncate, out.fd, (long)out.whole, 0) == 0
           && sys3(SYS_lseek, out.fd, (long)out.whole, SEEK_SET) >= 0;
}

/* ---- Buffers in the file ----------------------------------------------------------------- */

bool __wpp_output_keeps(void)
{
    return __wpp_share_is_open() || out.ours;
}

/* Makes the file longer by `bytes` zeros.  Disk space is allocated or written now: later a thread
 * stores to mapped memory, and a full disk would raise SIGBUS there.  `zeros`: n_zeros of them. */
static long extend(size_t bytes, const char *zeros, size_t n_zeros)
{
    long error = sys4(SYS_fallocate, out.fd, FALLOC_FL_KEEP_SIZE, (long)out.whole, (long)bytes);
    uint64_t before;

    if (error == 0) {
        before = pending_signals();
        error = sys3(SYS_ftruncate, out.fd, (long)(out.whole + bytes), 0);
        if (error < 0)
            consume(before);
        return error;
    }
    if (error != -EOPNOTSUPP && error != -ENOSYS)
        return error;
    for (error = 0; bytes && error == 0; bytes -= n_zeros) {
        n_zeros = bytes < n_zeros ? bytes : n_zeros;
        error = write_all(zeros, n_zeros);
    }
    return error;
}

static long write_at(uint64_t offset, const void *from, size_t bytes)
{
    long at = sys3(SYS_lseek, out.fd, (long)offset, SEEK_SET);

    return at < 0 ? at : write_all(from, bytes);
}

/* Appends `head`, which is a record's header and what stands before the pages, and the pages, of
 * zeros, and maps these at `window`.  The header's first word is written last, and lies within one
 * page of the file.  While it is 0 there is no such record: so if a process is killed in here, its
 * trace ends behind the record before. */
static bool append_pages(const char *head, size_t bytes, void *window, size_t n)
{
    uint64_t at = out.whole;

    if (extend(bytes + n, window, n) < 0 || write_at(at + 4, head + 4, bytes - 4) < 0
        || write_at(at, head, 4) < 0
        || sys3(SYS_lseek, out.fd, (long)(at + bytes + n), SEEK_SET) < 0
        || !sys_mmap(window, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, out.fd, at + bytes)) {
        __wpp_output_repair();
        return false;
    }
    return true;
}

static bool append_buffer(void *window)
{
    const void *head;
    size_t bytes = __wpp_record_buffer(out.whole, &head);

    if (!append_pages(head, bytes, window, WPP_BUFFER_BYTES))
        return false;
    if (!out.length && !out.merged)
        out.length = &((struct wpp_buffer *)window)->length;
    grown(bytes + WPP_BUFFER_BYTES);
    return true;
}

/* 0, or the place of the pages in the file. */
static uint64_t append_counts(uint16_t kind, void *window, size_t n, const struct wpp_counts *counts)
{
    const void *head;
    size_t bytes = __wpp_record_kept_counts(kind, out.whole, n, counts, &head);
    uint64_t at = out.whole + bytes;

    if (!append_pages(head, bytes, window, n))
        return 0;
    /* Counters that are used lie far apart: the pages around one are not worth reading. */
    sys3(SYS_madvise, (long)window, (long)n, MADV_RANDOM);
    grown(bytes + n);
    return at;
}

bool __wpp_output_keeps_pages(void)
{
    if (__wpp_share_is_open())
        return __wpp_share_keeps_pages();
    return out.ours && (still_there() || reopen());
}

bool __wpp_output_keep_pages(uint16_t kind, void *window, size_t n, const struct wpp_counts *counts)
{
    uint64_t at;

    if (__wpp_share_is_open())
        return __wpp_share_keep_pages(kind, window, n, counts);
    if (begin_append() < 0)
        return false;
    at = append_counts(kind, window, n, counts);
    end_append();
    return at != 0;
}

/* Maps the pages of an ended process. */
static bool take_over_counts(uint64_t at, void *window, size_t n)
{
    if (!at || !sys_mmap(window, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, out.fd, at))
        return false;
    sys3(SYS_madvise, (long)window, (long)n, MADV_RANDOM);
    return true;
}

enum wpp_kept __wpp_output_keep_counts(uint16_t kind, const struct wpp_module *m, void *window,
                                       size_t n, const struct wpp_counts *counts)
{
    uint64_t modules = out.merged ? __wpp_module_identity(m) : 0, at;
    bool taken;

    if (!out.merged)
        return __wpp_output_keep_pages(kind, window, n, counts) ? WPP_KEPT : WPP_NOT_KEPT;
    if (begin_append() < 0)
        return WPP_NOT_KEPT;
    taken = modules && take_over_counts(__wpp_merge_take(modules, n, counts), window, n);
    at = taken ? 0 : append_counts(kind, window, n, counts);
    if (at && modules)
        __wpp_merge_note(at, modules, n, counts);
    end_append();
    /* A record without counters says that this process has some that outlive it. */
    if (taken && kind == WPP_REC_COUNTS)
        __wpp_record_counts(kind, &(struct wpp_counts){ counts->token, 0, 0, counts->tid }, NULL);
    return taken ? WPP_TAKEN_OVER : at ? WPP_KEPT : WPP_NOT_KEPT;
}

bool __wpp_output_keep(void *window)
{
    bool kept;

    if (__wpp_share_is_open())
        return __wpp_share_seat(window);
    if ((!still_there() && !reopen()) || begin_append() < 0)
        return false;
    kept = append_buffer(window);
    end_append();
    return kept;
}
