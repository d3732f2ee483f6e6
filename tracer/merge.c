/* SPDX-License-Identifier: MIT */
/* merge.c - a trace file that several processes append to (trace-abi.h draws its head).
 *
 *     | header, struct wpp_merged | records of all processes ... | `length`
 *
 * The head is mapped as long as the file is open, and changed with the file's lock.  A process may be
 * killed between any two stores: so each change is one store of a word, or the stores before it are of no
 * effect without it.
 *
 * The lock is of the kind that belongs to a process: a child that is forked meanwhile does not have
 * it, and whoever is killed has it no more. */
#include "tracer/runtime.h"

#include "tracer/sys.h"
#include "tracer/text.h"

#define HEAD_BYTES ((sizeof(struct head) + WPP_PAGE_BYTES - 1) & -(size_t)WPP_PAGE_BYTES)

struct head {
    struct wpp_record record;
    struct wpp_merged merged;
};
_Static_assert(offsetof(struct head, merged) == WPP_HEADER_BYTES, "the payload follows the header");

static struct head *head;
static uint64_t system_hash;    /* 0: unknown */

/* ---- The lock ------------------------------------------------------------------------ */

/* The kernel looks for cycles of waiting processes, not threads: it may see one where the program has
 * locks of its own.  Holders of this lock wait for nothing, so there is none, and the lock comes. */
static long set_lock(int fd, int type)
{
    struct flock whole = { .l_type = (short)type, .l_whence = SEEK_SET };
    long error;

    do {
        error = sys_fcntl(fd, F_SETLKW, (long)&whole);
        if (error == -EDEADLK)
            sys3(SYS_poll, 0, 0, 1);
    } while (error == -EINTR || error == -EDEADLK);
    return error;
}

/* ---- The head ------------------------------------------------------------------------ */

/* Has the disk keep room for the head, which is mapped: a full disk would raise SIGBUS. */
static long make_room(int fd)
{
    static const char zeros[WPP_PAGE_BYTES];
    long error = sys4(SYS_fallocate, fd, 0, 0, HEAD_BYTES);

    if (error != -EOPNOTSUPP && error != -ENOSYS)
        return error;
    error = 0;
    for (size_t n = 0; n < HEAD_BYTES && error >= 0; n += WPP_PAGE_BYTES)
        error = sys4(SYS_pwrite64, fd, (long)zeros, WPP_PAGE_BYTES, (long)n);
    return error < 0 ? error : 0;
}

/* The magic comes last: without it the head is made anew. */
static void make_head(void)
{
    struct wpp_record r = {
        .magic = WPP_TRACE_MAGIC, .version = WPP_TRACE_VERSION, .kind = WPP_REC_MERGED,
        .bytes = (uint32_t)(HEAD_BYTES - sizeof r), .pid = __wpp_process.pid,
        .tid = sys_gettid(), .time = sys_nanoseconds()
    };
    r.check = (uint32_t)fnv1a(FNV_START, &r, offsetof(struct wpp_record, check));
    r.magic = 0;
    head->record = r;
    head->merged.processes = head->merged.n_pages = 0;
    __atomic_store_n(&head->merged.length, HEAD_BYTES, __ATOMIC_RELEASE);
    __atomic_store_n(&head->record.magic, WPP_TRACE_MAGIC, __ATOMIC_RELEASE);
}

static bool is_head(const struct wpp_record *r)
{
    return r->magic == WPP_TRACE_MAGIC && r->version == WPP_TRACE_VERSION
        && r->kind == WPP_REC_MERGED && r->bytes == HEAD_BYTES - sizeof *r
        && r->check == (uint32_t)fnv1a(FNV_START, r, offsetof(struct wpp_record, check));
}

/* Maps the head, and makes it if the file is new.  -EEXIST: it is another file. */
static long map_head(int fd)
{
    uint32_t magic = 0;
    struct stat st;
    long error = sys_fstat(fd, &st);

    if (error < 0)
        return error;
    if (st.st_size > 0 && sys4(SYS_pread64, fd, (long)&magic, sizeof magic, 0) < 0)
        return -EIO;
    if (magic ? st.st_size < (off_t)HEAD_BYTES : st.st_size > (off_t)HEAD_BYTES)
        return -EEXIST;
    if (!magic && (error = make_room(fd)) < 0)
        return error;
    head = sys_mmap(NULL, HEAD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (!head)
        return -ENOMEM;
    if (!magic)
        make_head();
    if (!is_head(&head->record) || head->merged.length < HEAD_BYTES
        || head->merged.n_pages > WPP_MERGED_PAGES)
        return -EEXIST;
    return 0;
}

/* Which kernel runs, and which pid namespace this process is in: there, a process id that is not in
 * use belongs to a process that has ended. */
static void find_system(void)
{
    char boot[64];
    struct stat space;
    long fd = sys_open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC, 0), n;

    system_hash = 0;
    if (fd < 0)
        return;
    n = sys_read((int)fd, boot, sizeof boot);
    sys_close((int)fd);
    if (n <= 0 || sys4(SYS_newfstatat, AT_FDCWD, (long)"/proc/self/ns/pid", (long)&space, 0) < 0)
        return;
    system_hash = fnv1a(fnv1a(FNV_START, boot, (size_t)n), &space.st_ino, sizeof space.st_ino) | 1;
}

long __wpp_merge_open(int fd)
{
    long error = set_lock(fd, F_WRLCK);

    WPP_EXPECT(!head);
    if (error < 0)
        return error;
    error = map_head(fd);
    if (error == 0)
        __wpp_process.merged = ++head->merged.processes;
    set_lock(fd, F_UNLCK);
    if (error == 0)
        find_system();
    else
        __wpp_merge_close();
    return error;
}

void __wpp_merge_close(void)
{
    if (head)
        sys_unmap(head, HEAD_BYTES);
    head = NULL;
    __wpp_process.merged = 0;
}

/* ---- Appending --------------------------------------------------------------------------- */

long __wpp_merge_begin(int fd, uint64_t *whole)
{
    struct stat st;
    long error = set_lock(fd, F_WRLCK);

    if (error < 0)
        return error;
    *whole = __atomic_load_n(&head->merged.length, __ATOMIC_ACQUIRE);
    error = sys_fstat(fd, &st);
    if (error == 0 && st.st_size > (off_t)*whole)
        error = sys3(SYS_ftruncate, fd, (long)*whole, 0);
    if (error == 0 && st.st_size < (off_t)*whole)
        error = -EIO;
    if (error == 0)
        error = sys3(SYS_lseek, fd, (long)*whole, SEEK_SET);
    if (error < 0)
        set_lock(fd, F_UNLCK);
    return error < 0 ? error : 0;
}

void __wpp_merge_end(int fd, uint64_t whole)
{
    WPP_EXPECT(whole >= head->merged.length);
    __atomic_store_n(&head->merged.length, whole, __ATOMIC_RELEASE);
    set_lock(fd, F_UNLCK);
}

/* ---- Pages of counters --------------------------------------------------------------------- */

static bool is_free(const struct wpp_merged_pages *p)
{
    return p->system && p->system == system_hash && p->pid
        && sys3(SYS_kill, p->pid, 0, 0) == -ESRCH;
}

static bool is_alike(const struct wpp_merged_pages *p, uint64_t modules, size_t bytes,
                     const struct wpp_counts *counts)
{
    return p->modules == modules && p->bytes == bytes && p->token == counts->token
        && p->count == counts->count && p->in_page == counts->at;
}

uint64_t __wpp_merge_take(uint64_t modules, size_t bytes, const struct wpp_counts *counts)
{
    for (uint32_t i = 0; i < head->merged.n_pages; i++) {
        struct wpp_merged_pages *p = &head->merged.pages[i];

        if (!is_alike(p, modules, bytes, counts) || !is_free(p)
            || p->at + bytes > head->merged.length)
            continue;
        __atomic_store_n(&p->pid, __wpp_process.pid, __ATOMIC_RELEASE);
        return p->at;
    }
    return 0;
}

/* The entry for new pages: a new one, or one of another kernel's or namespace's, whose pages we could
 * never take.  n_pages: there is none. */
static uint32_t new_entry(void)
{
    uint32_t i = 0;

    if (head->merged.n_pages < WPP_MERGED_PAGES)
        return head->merged.n_pages;
    while (i < WPP_MERGED_PAGES && head->merged.pages[i].system == system_hash)
        i++;
    return i;
}

void __wpp_merge_note(uint64_t at, uint64_t modules, size_t bytes, const struct wpp_counts *counts)
{
    uint32_t i = new_entry();

    if (i == WPP_MERGED_PAGES)
        return;
    head->merged.pages[i].system = 0;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    head->merged.pages[i] = (struct wpp_merged_pages){
        0, modules, at, (uint32_t)bytes, counts->token, counts->count, counts->at,
        __wpp_process.pid, 0
    };
    __atomic_store_n(&head->merged.pages[i].system, system_hash, __ATOMIC_SEQ_CST);
    if (i == head->merged.n_pages)
        __atomic_store_n(&head->merged.n_pages, i + 1, __ATOMIC_RELEASE);
}

void __wpp_merge_keep_left(void)
{
    for (uint32_t i = 0; head && i < head->merged.n_pages; i++) {
        struct wpp_merged_pages *p = &head->merged.pages[i];

        if (p->token == 0 && p->pid == __wpp_process.pid && p->system == system_hash)
            __atomic_store_n(&p->system, 0, __ATOMIC_RELEASE);
    }
}
