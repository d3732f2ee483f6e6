/* SPDX-License-Identifier: MIT */
/* share.c - a process's end of the recorder's memory (trace-abi.h draws it).
 *
 * No descriptor stays open, and the path is not needed again: a program may close all its
 * descriptors, change its root, its user or its rights, and fork.
 *
 * A program may have a limit of address space (ulimit -v), so only these parts of 81 MB are
 * mapped:
 *
 *      head | pid of each process | told    | slots       | seats      | regions
 *      ^^^^   ^ a page              ^ a page  ^^^ n_slots   one by one, in threads' windows and copies
 *
 * The other parts come from the kernel without a descriptor.  mremap() with an old size of 0
 * makes a second mapping of shared memory.  It begins at a mapped page and may be longer than
 * the first mapping.  So map_part() maps from that page up to the wanted part, and unmaps the
 * bytes in between. */
#include "tracer/runtime.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/resource.h>

#include "tracer/sys.h"
#include "tracer/text.h"

#define PATIENCE_SECONDS 1      /* after waiting that long, look whether the recorder lives */

#define HEAD_BYTES PAGES(offsetof(struct wpp_share, pid))
#define PAGES(bytes) (((bytes) + WPP_PAGE_BYTES - 1) & -(size_t)WPP_PAGE_BYTES)

/* With less address space than NEAR a process has FEW slots. */
#define NEAR ((uint64_t)256 << 20)
#define FEW  16u

static struct wpp_share *share; /* its head is mapped here */
static char *slots;
static uint32_t n_slots;        /* the number of mapped slots: the first ones */
/* Pages that stay mapped. */
static struct kept {
    size_t at;
    char *page;                 /* or NULL */
} pids, tells;                  /* hold this process's words of `pid` and `told` */
/* A page of the regions: later ones are mapped from here.  A thread may fork while another one changes
 * it, so one store does, and the old page goes afterwards. */
static struct kept stones[2], *stone = &stones[0];
static struct wpp_told *told;   /* this process's, or NULL */
static uint32_t number;         /* this process's */
static uint32_t order;          /* of its next record */
static uint32_t next_seat;      /* where the search for a free seat begins */
static bool foreign;            /* this process is in another pid namespace than the recorder */
static __thread uint32_t child_number;

static uint64_t word_of(enum wpp_slot_state state)
{
    return (uint64_t)(number + 1) << 32 | state;
}

/* ---- Parts of it ------------------------------------------------------------------ */

/* Maps `bytes` that begin `before` bytes behind a mapped page of the memory.  NULL: no room. */
static void *map_behind(const void *page, size_t before, size_t bytes)
{
    long all = sys4(SYS_mremap, (long)page, 0, (long)(before + bytes), MREMAP_MAYMOVE);

    if (all < 0 && all > -4096)
        return NULL;
    sys_unmap((void *)all, before);
    return (char *)all + before;
}

/* Maps `bytes` of the memory from `offset` on.  The slots lie before all seats and near the first
 * seats. */
static void *map_part(size_t offset, size_t bytes)
{
    size_t last_slot = (n_slots - 1) * (size_t)WPP_CHUNK_BYTES;

    return offset < WPP_SHARE_SEAT_AT
               ? map_behind(share, offset, bytes)
               : map_behind(slots + last_slot, offset - WPP_SHARE_SLOT_AT - last_slot, bytes);
}

static void drop(struct kept *kept)
{
    if (kept->page)
        sys_unmap(kept->page, WPP_PAGE_BYTES);
    kept->page = NULL;
}

/* Maps this process's own word.  That happens when the process begins, because a sandbox may
 * forbid it later.  A child's word mostly lies in the same page as its parent's. */
static void *map_word(struct kept *kept, size_t offset)
{
    size_t at = offset & -(size_t)WPP_PAGE_BYTES;

    if (!kept->page || kept->at != at) {
        drop(kept);
        kept->page = map_part(at, WPP_PAGE_BYTES);
        kept->at = at;
    }
    return kept->page ? kept->page + (offset - at) : NULL;
}

/* ---- Opening ------------------------------------------------------------------- */

static uint32_t take_number(void)
{
    return __atomic_fetch_add(&share->processes, 1, __ATOMIC_SEQ_CST);
}

/* 0; -EEXIST: another process has the number already; or another error. */
static long begin(uint32_t as, uint32_t pid)
{
    uint32_t *word, nobody = 0;

    number = as;
    order = next_seat = 0;
    if (as >= WPP_SHARE_PROCESSES)
        return -EAGAIN;
    word = map_word(&pids, offsetof(struct wpp_share, pid) + as * sizeof *word);
    if (!word)
        return -ENOMEM;
    told = map_word(&tells, offsetof(struct wpp_share, told) + as * sizeof *told);
    return __atomic_compare_exchange_n(word, &nobody, pid, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
               ? 0 : -EEXIST;
}

/* Our process id in the recorder's namespace: the recorder's path led through its /proc.  Our
 * own id, if that /proc is not visible. */
static uint32_t outer_pid(void)
{
    char link[16];
    long n = sys3(SYS_readlink, (long)"/proc/self", (long)link, sizeof link - 1), pid;

    link[n > 0 ? n : 0] = '\0';
    pid = text_decimal(link, INT32_MAX);
    return pid > 0 ? (uint32_t)pid : __wpp_process.pid;
}

static uint32_t slots_wanted(void)
{
    struct rlimit64 limit = { RLIM64_INFINITY, RLIM64_INFINITY };

    sys3(SYS_getrlimit, RLIMIT_AS, (long)&limit, 0);
    return limit.rlim_cur < NEAR ? FEW : WPP_SHARE_SLOTS;
}

static void *map_file(int fd, size_t offset, size_t bytes)
{
    void *at = sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);

    /* Core files leave this memory out. */
    if (at)
        sys3(SYS_madvise, (long)at, (long)bytes, MADV_DONTDUMP);
    return at;
}

/* The first free page of regions, if there is one. */
static void map_stone(int fd)
{
    uint64_t page = __atomic_load_n(&share->pages_taken, __ATOMIC_RELAXED);

    if (page >= share->pages)
        return;
    stone->at = WPP_SHARE_REGION_AT(page);
    stone->page = map_file(fd, stone->at, WPP_PAGE_BYTES);
}

/* 0, or the error. */
static long map_memory(int fd)
{
    struct stat st;

    if (sys_fstat(fd, &st) < 0 || st.st_size < (off_t)WPP_SHARE_BYTES)
        return -EINVAL;
    n_slots = slots_wanted();
    share = map_file(fd, 0, HEAD_BYTES);
    slots = map_file(fd, WPP_SHARE_SLOT_AT, n_slots * (size_t)WPP_CHUNK_BYTES);
    if (!share || !slots)
        return -ENOMEM;
    if (share->magic != WPP_SHARE_MAGIC || share->version != WPP_SHARE_VERSION)
        return -EINVAL;
    map_stone(fd);
    return 0;
}

long __wpp_share_open(const char *path)
{
    long fd = sys_open(path, O_RDWR | O_CLOEXEC, 0), error;
    uint32_t pid = outer_pid();

    if (fd < 0)
        return fd;
    error = map_memory((int)fd);
    sys_close((int)fd);
    foreign = pid != __wpp_process.pid;
    if (error == 0)
        error = begin(take_number(), pid);
    if (error < 0)
        __wpp_share_close();
    return error;
}

bool __wpp_share_is_open(void)
{
    return share != NULL;
}

void __wpp_share_close(void)
{
    if (share)
        sys_unmap(share, HEAD_BYTES);
    if (slots)
        sys_unmap(slots, n_slots * (size_t)WPP_CHUNK_BYTES);
    drop(&pids);
    drop(&tells);
    drop(stone);
    share = NULL;
    slots = NULL;
    told = NULL;
}

/* ---- Forks ----------------------------------------------------------------------- */

/* The parent takes the child's number: a recorder that sees the parent end before the child has
 * run must know that the child exists. */
void __wpp_share_forks(void)
{
    if (share)
        child_number = take_number();
}

/* Gives a child its number.  A child that libc did not make has none yet.  Neither has a child
 * whose number was taken by another child, which a signal handler made during the fork.  The
 * recorder may have ended before it knew of the child; if the parent records no more, that is
 * not reported. */
static bool begin_child(bool has_number, uint32_t pid)
{
    if (has_number && begin(child_number, pid) == 0)
        return true;
    if (__wpp_process.state != WPP_STOPPED && __atomic_load_n(&share->closed, __ATOMIC_ACQUIRE))
        __wpp_complain("the recorder ended before it knew of a child that _Fork or clone made; "
                       "not recording that", NULL, NULL);
    return begin(take_number(), pid) == 0;
}

/* A parent id of 0 means that the parent is in another namespace. */
void __wpp_share_forked(bool has_number)
{
    uint32_t pid = __wpp_process.pid;

    if (!share)
        return;
    foreign |= sys3(SYS_getppid, 0, 0, 0) == 0;
    if (foreign && !__wpp_sandboxed())
        pid = outer_pid();
    if (foreign && pid == __wpp_process.pid)
        pid |= WPP_SHARE_FOREIGN;
    if (!begin_child(has_number, pid))
        __wpp_share_close();
}

/* ---- Records ----------------------------------------------------------------------- */

static bool recorder_lives(void)
{
    return !(__atomic_load_n(&share->life.word, __ATOMIC_ACQUIRE) & FUTEX_OWNER_DIED);
}

/* Whether the recorder takes no more records.  A closed recorder is not reported.  A dead one is
 * reported, at the latest by the last record. */
static bool over(void)
{
    if (__atomic_load_n(&share->closed, __ATOMIC_ACQUIRE))
        return true;
    if (recorder_lives())
        return false;
    __wpp_complain("the recorder is gone; recording stopped", NULL, NULL);
    if (__wpp_settings.ends_with_recorder)
        sys3(SYS_kill, sys_getpid(), SIGTERM, 0);
    return true;
}

static int free_slot(void)
{
    for (uint32_t i = 0; i < n_slots; i++) {
        uint64_t *word = &share->slot[i].word, empty = WPP_SLOT_FREE;

        if (*(volatile uint64_t *)word == WPP_SLOT_FREE &&
            __atomic_compare_exchange_n(word, &empty, word_of(WPP_SLOT_FILLING), false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return (int)i;
    }
    return -1;
}

/* Frees a slot left half-filled.  Needs the lock: then no other thread of this process is
 * filling one. */
void __wpp_share_take_over(void)
{
    for (uint32_t i = 0; i < WPP_SHARE_SLOTS; i++)
        if (__atomic_load_n(&share->slot[i].word, __ATOMIC_RELAXED) == word_of(WPP_SLOT_FILLING))
            __atomic_store_n(&share->slot[i].word, WPP_SLOT_FREE, __ATOMIC_RELEASE);
}

static void wake_recorder(void)
{
    sys3(SYS_futex, (long)&share->submitted, FUTEX_WAKE, 1);
}

/* Wakes the recorder, which sleeps until half of all slots are full: this process may have
 * mapped fewer. */
static void hurry_recorder(void)
{
    if (n_slots == WPP_SHARE_SLOTS)
        return;
    __atomic_fetch_add(&share->submitted, WPP_SHARE_SLOTS / 2, __ATOMIC_SEQ_CST);
    wake_recorder();
}

static void wait_for_slot(uint32_t seen)
{
    struct timespec patience = { PATIENCE_SECONDS, 0 };

    sys4(SYS_futex, (long)&share->freed, FUTEX_WAIT, seen, (long)&patience);
}

static void count_waited(uint64_t nanoseconds)
{
    __atomic_fetch_add(&share->waited, nanoseconds, __ATOMIC_RELAXED);
    if (told)
        __atomic_fetch_add(&told->waited, nanoseconds, __ATOMIC_RELAXED);
}

static int slow_free_slot(void)
{
    uint64_t begun = sys_nanoseconds();
    int slot = -1;

    __atomic_fetch_add(&share->waiting, 1, __ATOMIC_SEQ_CST);
    hurry_recorder();
    while (slot < 0 && !over()) {
        uint32_t seen = __atomic_load_n(&share->freed, __ATOMIC_SEQ_CST);

        slot = free_slot();
        if (slot < 0)
            wait_for_slot(seen);
    }
    __atomic_fetch_sub(&share->waiting, 1, __ATOMIC_SEQ_CST);
    count_waited(sys_nanoseconds() - begun);
    return slot;
}

/* The recorder must open the files of modules before anything can remove them. */
static bool is_urgent(const struct wpp_record *record)
{
    return record->kind == WPP_REC_MODULE_LOAD;
}

bool __wpp_share_write(const void *record, size_t bytes)
{
    uint32_t count;
    int slot;

    WPP_EXPECT(bytes <= WPP_CHUNK_BYTES);
    if (over())
        return false;
    slot = free_slot();
    if (slot < 0 && (slot = slow_free_slot()) < 0)
        return false;
    bytes_send(slots + (uint32_t)slot * (size_t)WPP_CHUNK_BYTES, record, bytes);
    share->slot[slot].order = order++;
    share->slot[slot].bytes = (uint32_t)bytes;
    __atomic_store_n(&share->slot[slot].word, word_of(WPP_SLOT_SUBMITTED), __ATOMIC_RELEASE);
    count = __atomic_add_fetch(&share->submitted, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&share->recorder_waits, __ATOMIC_SEQ_CST) &&
        ((int32_t)(count - __atomic_load_n(&share->wake_at, __ATOMIC_RELAXED)) >= 0 ||
         is_urgent(record)))
        wake_recorder();
    return true;
}

/* ---- Buffers ------------------------------------------------------------------------- */

static bool take_seat(uint32_t i, struct wpp_buffer *buffer)
{
    uint32_t nobody = 0;

    if (!__atomic_compare_exchange_n(&share->seat[i], &nobody, number + 1, false,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return false;
    buffer->tid = 0;
    buffer->fault.signal = 0;
    return true;
}

/* The seat is mapped before it is owned: a process killed in between leaves no wrong buffer. */
bool __wpp_share_seat(void *window)
{
    for (uint32_t n = 0; n < WPP_SHARE_SEATS; n++) {
        uint32_t i = (next_seat + n) % WPP_SHARE_SEATS;
        void *seat;
        long at;

        if (__atomic_load_n(&share->seat[i], __ATOMIC_RELAXED))
            continue;
        seat = map_part(WPP_SHARE_SEAT_AT + i * (size_t)WPP_BUFFER_BYTES, WPP_BUFFER_BYTES);
        if (!seat)
            return false;
        if (!take_seat(i, seat)) {
            sys_unmap(seat, WPP_BUFFER_BYTES);
            continue;
        }
        next_seat = i + 1;
        at = sys6(SYS_mremap, (long)seat, WPP_BUFFER_BYTES, WPP_BUFFER_BYTES,
                  MREMAP_MAYMOVE | MREMAP_FIXED, (long)window, 0);
        if (at == (long)window)
            return true;
        sys_unmap(seat, WPP_BUFFER_BYTES);
        __atomic_store_n(&share->seat[i], 0, __ATOMIC_RELEASE);
        return false;
    }
    return false;
}

/* ---- Regions ------------------------------------------------------------------------- */

bool __wpp_share_keeps_pages(void)
{
    return stone->page && told;
}

/* Takes pages that no process had; the number of the first.  False: there are no more. */
static bool take_pages(uint32_t n, uint32_t *first)
{
    uint64_t taken;

    if (__atomic_load_n(&share->pages_taken, __ATOMIC_RELAXED) + n > share->pages)
        return false;
    taken = __atomic_fetch_add(&share->pages_taken, n, __ATOMIC_RELAXED);
    *first = (uint32_t)taken;
    return taken + n <= share->pages;
}

/* Maps a new region, and makes its first page the stone. */
static struct wpp_region *map_region(uint32_t first, size_t bytes)
{
    size_t at = WPP_SHARE_REGION_AT(first);
    struct kept *old, *new;
    char *region = map_behind(stone->page, at - stone->at, bytes);

    if (!region)
        return NULL;
    old = stone;
    new = stone == &stones[0] ? &stones[1] : &stones[0];
    *new = (struct kept){ at, region };
    __atomic_store_n(&stone, new, __ATOMIC_SEQ_CST);
    drop(old);
    return (struct wpp_region *)region;
}

/* The process names the region as soon as it is described.  Counts come later, when the pages are mapped:
 * so the recorder finds all of them, whenever the process is killed. */
bool __wpp_share_keep_pages(uint16_t kind, void *window, size_t n, const struct wpp_counts *counts)
{
    uint32_t pages = (uint32_t)(n / WPP_PAGE_BYTES), first;
    struct wpp_region *region;

    if (!take_pages(1 + pages, &first))
        return false;
    region = map_region(first, WPP_PAGE_BYTES + n);
    if (!region)
        return false;
    *region = (struct wpp_region){
        told->region, pages, __wpp_process.pid, sys_gettid(), sys_nanoseconds(), kind, *counts
    };
    __atomic_store_n(&told->region, first + 1, __ATOMIC_RELEASE);
    if (sys6(SYS_mremap, (long)region + WPP_PAGE_BYTES, (long)n, (long)n,
             MREMAP_MAYMOVE | MREMAP_FIXED, (long)window, 0) == (long)window)
        return true;
    sys_unmap((char *)region + WPP_PAGE_BYTES, n);
    return false;
}
