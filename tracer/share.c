/* SPDX-License-Identifier: MIT */
/* share.c - a process's end of the recorder's memory (trace-abi.h draws it).
 *
 * No descriptor stays open, and no path is needed again: a program may close
 * all its descriptors, change its root, its user or its rights, and fork. */
#include "tracer/runtime.h"

#include <errno.h>
#include <linux/futex.h>

#include "tracer/sys.h"
#include "tracer/text.h"

#define PATIENCE_SECONDS 1      /* then we look whether the recorder lives */

static struct wpp_share *share;
static uint32_t number;         /* this process's */
static uint32_t order;          /* of its next record */
static uint32_t next_seat;      /* where the next one is looked for first */
static bool foreign;            /* we are in another pid namespace than the recorder */
static __thread uint32_t child_number;

static char *slot_memory(uint32_t slot)
{
    return (char *)share + WPP_SHARE_SLOT_AT + slot * (size_t)WPP_CHUNK_BYTES;
}

static char *seat_memory(uint32_t seat)
{
    return (char *)share + WPP_SHARE_SEAT_AT + seat * (size_t)WPP_BUFFER_BYTES;
}

static uint64_t word_of(enum wpp_slot_state state)
{
    return (uint64_t)(number + 1) << 32 | state;
}

/* ---- Opening ------------------------------------------------------------------- */

static uint32_t take_number(void)
{
    return __atomic_fetch_add(&share->processes, 1, __ATOMIC_SEQ_CST);
}

static bool begin(uint32_t as, uint32_t pid)
{
    number = as;
    order = next_seat = 0;
    if (as >= WPP_SHARE_PROCESSES)
        return false;
    __atomic_store_n(&share->pid[as], pid, __ATOMIC_SEQ_CST);
    return true;
}

/* Our process id where the recorder is: its path led through the /proc of that place.  Our own
 * id, where that is not to be seen. */
static uint32_t outer_pid(void)
{
    char link[16];
    long n = sys3(SYS_readlink, (long)"/proc/self", (long)link, sizeof link - 1), pid;

    link[n > 0 ? n : 0] = '\0';
    pid = text_decimal(link, INT32_MAX);
    return pid > 0 ? (uint32_t)pid : __wpp_process.pid;
}

long __wpp_share_open(const char *path)
{
    long fd = sys_open(path, O_RDWR | O_CLOEXEC, 0);
    struct wpp_share *s = NULL;
    struct stat st;
    uint32_t pid;

    if (fd < 0)
        return fd;
    if (sys_fstat((int)fd, &st) == 0 && st.st_size == (off_t)WPP_SHARE_BYTES)
        s = sys_mmap(NULL, WPP_SHARE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
    sys_close((int)fd);
    if (!s)
        return -EINVAL;
    share = s;
    if (s->magic != WPP_SHARE_MAGIC || s->version != WPP_SHARE_VERSION) {
        __wpp_share_close();
        return -EINVAL;
    }
    /* A core file has no use for it. */
    sys3(SYS_madvise, (long)s, (long)WPP_SHARE_BYTES, MADV_DONTDUMP);
    pid = outer_pid();
    foreign = pid != __wpp_process.pid;
    if (begin(take_number(), pid))
        return 0;
    __wpp_share_close();
    return -EAGAIN;
}

bool __wpp_share_is_open(void)
{
    return share != NULL;
}

void __wpp_share_close(void)
{
    if (share)
        sys_unmap(share, WPP_SHARE_BYTES);
    share = NULL;
}

/* ---- Forks ----------------------------------------------------------------------- */

/* The child's number is taken by the parent: a recorder that sees the parent end
 * before the child has run must know that there is one. */
void __wpp_share_forks(void)
{
    if (share)
        child_number = take_number();
}

/* The first process of a namespace has its parent in none. */
void __wpp_share_forked(void)
{
    uint32_t pid = __wpp_process.pid;

    if (!share)
        return;
    foreign |= sys3(SYS_getppid, 0, 0, 0) == 0;
    if (foreign && !__wpp_sandboxed())
        pid = outer_pid();
    if (foreign && pid == __wpp_process.pid)
        pid |= WPP_SHARE_FOREIGN;
    if (!begin(child_number, pid))
        __wpp_share_close();
}

/* ---- Records ----------------------------------------------------------------------- */

static bool recorder_lives(void)
{
    return !(__atomic_load_n(&share->life.word, __ATOMIC_ACQUIRE) & FUTEX_OWNER_DIED);
}

/* Nothing is taken any more.  That the recorder wants no more is no news; that it is
 * gone is said, by the last record at the latest. */
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
    for (uint32_t i = 0; i < WPP_SHARE_SLOTS; i++) {
        uint64_t *word = &share->slot[i].word, empty = WPP_SLOT_FREE;

        if (*(volatile uint64_t *)word == WPP_SLOT_FREE &&
            __atomic_compare_exchange_n(word, &empty, word_of(WPP_SLOT_FILLING), false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return (int)i;
    }
    return -1;
}

/* Nobody else of this process has one: that needs the lock. */
void __wpp_share_take_over(void)
{
    for (uint32_t i = 0; i < WPP_SHARE_SLOTS; i++)
        if (__atomic_load_n(&share->slot[i].word, __ATOMIC_RELAXED) == word_of(WPP_SLOT_FILLING))
            __atomic_store_n(&share->slot[i].word, WPP_SLOT_FREE, __ATOMIC_RELEASE);
}

static void wait_for_slot(uint32_t seen)
{
    struct timespec patience = { PATIENCE_SECONDS, 0 };

    sys4(SYS_futex, (long)&share->freed, FUTEX_WAIT, seen, (long)&patience);
}

static int slow_free_slot(void)
{
    uint64_t begun = sys_nanoseconds(), waited;
    int slot = -1;

    __atomic_fetch_add(&share->waiting, 1, __ATOMIC_SEQ_CST);
    while (slot < 0 && !over()) {
        uint32_t seen = __atomic_load_n(&share->freed, __ATOMIC_SEQ_CST);

        slot = free_slot();
        if (slot < 0)
            wait_for_slot(seen);
    }
    __atomic_fetch_sub(&share->waiting, 1, __ATOMIC_SEQ_CST);
    waited = sys_nanoseconds() - begun;
    __atomic_fetch_add(&share->waited, waited, __ATOMIC_RELAXED);
    __atomic_fetch_add(&share->waited_by[number], waited, __ATOMIC_RELAXED);
    return slot;
}

/* The recorder opens the files of modules before anybody can remove them. */
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
    bytes_send(slot_memory((uint32_t)slot), record, bytes);
    share->slot[slot].order = order++;
    share->slot[slot].bytes = (uint32_t)bytes;
    __atomic_store_n(&share->slot[slot].word, word_of(WPP_SLOT_SUBMITTED), __ATOMIC_RELEASE);
    count = __atomic_add_fetch(&share->submitted, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&share->recorder_waits, __ATOMIC_SEQ_CST) &&
        ((int32_t)(count - __atomic_load_n(&share->wake_at, __ATOMIC_RELAXED)) >= 0 ||
         is_urgent(record)))
        sys3(SYS_futex, (long)&share->submitted, FUTEX_WAKE, 1);
    return true;
}

/* ---- Buffers ------------------------------------------------------------------------- */

bool __wpp_share_seat(void *window)
{
    long at;

    for (uint32_t n = 0; n < WPP_SHARE_SEATS; n++) {
        uint32_t i = (next_seat + n) % WPP_SHARE_SEATS, nobody = 0;

        if (!__atomic_compare_exchange_n(&share->seat[i], &nobody, number + 1, false,
                                         __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            continue;
        next_seat = i + 1;
        ((struct wpp_buffer *)seat_memory(i))->tid = 0;
        /* From a size of 0 the kernel makes a second mapping of the same memory. */
        at = sys6(SYS_mremap, (long)seat_memory(i), 0, WPP_BUFFER_BYTES,
                  MREMAP_MAYMOVE | MREMAP_FIXED, (long)window, 0);
        if (at == (long)window)
            return true;
        __atomic_store_n(&share->seat[i], 0, __ATOMIC_RELEASE);
        return false;
    }
    return false;
}
