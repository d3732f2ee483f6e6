/* SPDX-License-Identifier: MIT */
#include "wpp/record/recorder.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tracer/trace-abi.h"
#include "wpp/base/bytes.h"
#include "wpp/base/error.h"
#include "wpp/record/put-record.h"
#include "wpp/record/regions.h"

/* One program in the memory of one process.  A process that replaces its program by exec gets a
 * second number; a process that forks gets one for its child. */
struct process {
    uint32_t id;                 /* pid in our namespace; 0: forked, has not run yet */
    uint32_t pid;                /* pid in its own namespace, as in its records */
    int pidfd;                   /* -1: none, or too many descriptors */
    uint32_t next_order;         /* of its records */
    bool over;
    bool ended;                  /* its END has come */
    struct wpp_bytes end;        /* END, held back: nothing may follow it */
};

struct wpp_recorder {
    struct wpp_recorder_sink sink;
    struct wpp_share *share;
    struct wpp_regions regions;  /* fd: of the whole memory */
    ino_t inode;                 /* of the memory: identifies its mapping in other processes */
    char out[64];
    struct process *list;        /* by number */
    uint32_t n, capacity;
    uint32_t *living;            /* numbers of those not over; room for capacity */
    uint32_t n_living;
    uint32_t n_watched;          /* number of living ones with a pidfd */
    struct pollfd *polls;        /* scratch: room for capacity */
    uint32_t turns;
    bool woken;                  /* by wpp_recorder_wake() */
    bool closed;                 /* programs are refused; those that lived then may have gone on */
};

/* ---- The memory ------------------------------------------------------------------ */

static long futex(uint32_t *word, int operation, uint32_t value, const struct timespec *timeout)
{
    return syscall(SYS_futex, word, operation, value, timeout, NULL, 0);
}

static const uint8_t *slot_memory(const struct wpp_recorder *r, uint32_t slot)
{
    return (const uint8_t *)r->share + WPP_SHARE_SLOT_AT + slot * (size_t)WPP_CHUNK_BYTES;
}

static const uint8_t *seat_memory(const struct wpp_recorder *r, uint32_t seat)
{
    return (const uint8_t *)r->share + WPP_SHARE_SEAT_AT + seat * (size_t)WPP_BUFFER_BYTES;
}

/* Locks the mutex: this thread holds it as long as it lives. */
static bool show_life(struct wpp_share *share)
{
    pthread_mutex_t *mutex = (pthread_mutex_t *)&share->life;
    pthread_mutexattr_t attributes;

    _Static_assert(sizeof *mutex <= sizeof share->life, "the mutex has room");
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    errno = pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    if (!errno)
        errno = pthread_mutex_lock(mutex);
    return !errno;
}

/* Makes the memory as large as it may be. */
static bool make_room(int fd)
{
    return ftruncate(fd, (off_t)wpp_regions_fit()) == 0 || ftruncate(fd, WPP_SHARE_BYTES) == 0;
}

static bool make_memory(struct wpp_recorder *r, struct wpp_error *error)
{
    struct rlimit space;
    struct stat st;
    void *at = MAP_FAILED;

    r->regions.fd = memfd_create("wpp", MFD_CLOEXEC);
    if (r->regions.fd >= 0 && make_room(r->regions.fd) && fstat(r->regions.fd, &st) == 0)
        at = mmap(NULL, WPP_SHARE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, r->regions.fd, 0);
    if (at == MAP_FAILED && errno == EFBIG)
        return wpp_fail(error, WPP_E_SYSTEM,
                        "no file may be as large here (ulimit -f) as the %zu MB "
                        "of memory to share with the program", WPP_SHARE_BYTES >> 20);
    if (at == MAP_FAILED && errno == ENOMEM && getrlimit(RLIMIT_AS, &space) == 0 &&
        space.rlim_cur != RLIM_INFINITY)
        return wpp_fail(error, WPP_E_SYSTEM, "an address space limit (ulimit -v) of %llu kB leaves "
                        "no room for the %zu MB of memory to share with the program",
                        (unsigned long long)space.rlim_cur >> 10, WPP_SHARE_BYTES >> 20);
    if (at == MAP_FAILED)
        return wpp_fail_errno(error, "cannot make memory to share with the program");
    r->share = at;
    r->inode = st.st_ino;
    r->share->magic = WPP_SHARE_MAGIC;
    r->share->version = WPP_SHARE_VERSION;
    r->regions.pages = ((uint64_t)st.st_size - WPP_SHARE_BYTES) / WPP_PAGE_BYTES;
    r->share->pages = r->regions.pages;
    if (!show_life(r->share))
        return wpp_fail_errno(error, "cannot make a mutex to share with the program");
    snprintf(r->out, sizeof r->out, "recorder:/proc/%ld/fd/%d", (long)getpid(),
             r->regions.fd);
    return true;
}

struct wpp_recorder *wpp_recorder_new(const struct wpp_recorder_sink *sink,
                                      struct wpp_error *error)
{
    struct wpp_recorder *r = calloc(1, sizeof *r);

    if (!r) {
        wpp_fail_memory(error);
        return NULL;
    }
    r->sink = *sink;
    r->regions.fd = -1;
    if (!make_memory(r, error)) {
        wpp_recorder_free(r);
        return NULL;
    }
    return r;
}

void wpp_recorder_free(struct wpp_recorder *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->n_living; i++) {
        wpp_bytes_free(&r->list[r->living[i]].end);
        if (r->list[r->living[i]].pidfd >= 0)
            close(r->list[r->living[i]].pidfd);
    }
    if (r->share) {
        pthread_mutex_unlock((pthread_mutex_t *)&r->share->life);
        munmap(r->share, WPP_SHARE_BYTES);
    }
    if (r->regions.fd >= 0)
        close(r->regions.fd);
    free(r->list);
    free(r->living);
    free(r->polls);
    free(r);
}

const char *wpp_recorder_out(const struct wpp_recorder *r)
{
    return r->out;
}

uint64_t wpp_recorder_waited(const struct wpp_recorder *r)
{
    return __atomic_load_n(&r->share->waited, __ATOMIC_RELAXED);
}

/* ---- Records of our own ------------------------------------------------------------- */

static uint64_t time_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void put_record(struct wpp_bytes *out, uint16_t kind, uint32_t pid, uint32_t tid,
                       size_t payload)
{
    wpp_put_record(out, time_now(), kind, pid, tid, payload);
}

/* Writes how long a process has waited for us, before its end. */
static void say_waited(struct wpp_recorder *r, uint32_t number)
{
    uint64_t waited = __atomic_load_n(&r->share->told[number].waited, __ATOMIC_RELAXED);
    struct wpp_bytes record = {0};

    if (!waited)
        return;
    put_record(&record, WPP_REC_WAITED, r->list[number].pid, 0, sizeof waited);
    wpp_put_u64(&record, waited);
    if (!record.failed)
        r->sink.bytes(r->sink.ctx, number, record.data, record.size);
    wpp_bytes_free(&record);
}

/* Whether a later process has the same pid. */
static bool is_replaced(const struct wpp_recorder *r, uint32_t number)
{
    uint32_t id = r->list[number].id;

    for (uint32_t i = number + 1; i < r->n; i++)
        if (r->list[i].id == id ||
            __atomic_load_n(&r->share->pid[i], __ATOMIC_SEQ_CST) == id)
            return true;
    return false;
}

/* Writes how a process ended, if that is known, with the time of its END. */
static void say_exit(struct wpp_recorder *r, uint32_t number)
{
    const struct process *p = &r->list[number];
    struct wpp_exit exit = r->sink.how(r->sink.ctx, p->id);
    struct wpp_bytes record = {0};
    struct wpp_record end = {.time = time_now()};

    if ((!exit.exited && !exit.killed) || p->next_order == 0 || is_replaced(r, number))
        return;
    if (p->end.size >= sizeof end)
        memcpy(&end, p->end.data, sizeof end);
    wpp_put_record(&record, end.time, WPP_REC_EXIT, p->pid, 0, 8);
    wpp_put_u32(&record, exit.exited);
    wpp_put_u32(&record, exit.killed);
    if (!record.failed)
        r->sink.bytes(r->sink.ctx, number, record.data, record.size);
    wpp_bytes_free(&record);
}

/* Holds the END record back.  False: there is no memory. */
static bool hold_end(struct process *p, const void *record, size_t n)
{
    wpp_put(&p->end, record, n);
    return !p->end.failed;
}

static void let_end_go(struct wpp_recorder *r, uint32_t number)
{
    struct wpp_bytes *end = &r->list[number].end;

    if (end->size > 0 && !end->failed)
        r->sink.bytes(r->sink.ctx, number, end->data, end->size);
    wpp_bytes_free(end);
}

/* ---- Slots ------------------------------------------------------------------------- */

static void free_slot(struct wpp_recorder *r, uint32_t slot)
{
    __atomic_store_n(&r->share->slot[slot].word, WPP_SLOT_FREE, __ATOMIC_RELEASE);
    __atomic_fetch_add(&r->share->freed, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&r->share->waiting, __ATOMIC_SEQ_CST))
        futex(&r->share->freed, FUTEX_WAKE, INT_MAX, NULL);
}

static void take_slot(struct wpp_recorder *r, uint32_t number, uint32_t slot)
{
    const uint8_t *record = slot_memory(r, slot);
    size_t n = r->share->slot[slot].bytes;
    struct wpp_record head;

    r->list[number].next_order++;
    if (n >= sizeof head && n <= WPP_CHUNK_BYTES) {
        memcpy(&head, record, sizeof head);
        r->list[number].pid = head.pid;
        r->list[number].ended |= head.kind == WPP_REC_END;
        if (head.kind == WPP_REC_END)
            say_waited(r, number);
        if (head.kind != WPP_REC_END || !hold_end(&r->list[number], record, n))
            r->sink.bytes(r->sink.ctx, number, record, n);
    }
    free_slot(r, slot);
}

/* Whether a slot holds the next record of a known process. */
static bool is_next(const struct wpp_recorder *r, uint32_t slot, uint32_t *number)
{
    uint64_t word = __atomic_load_n(&r->share->slot[slot].word, __ATOMIC_ACQUIRE);

    *number = (uint32_t)(word >> 32) - 1;
    return (uint32_t)word == WPP_SLOT_SUBMITTED && *number < r->n &&
           r->share->slot[slot].order == r->list[*number].next_order;
}

/* Takes the records that are next, in one pass through the slots. */
static bool take_some(struct wpp_recorder *r)
{
    uint32_t number;
    bool any = false;

    for (uint32_t i = 0; i < WPP_SHARE_SLOTS; i++) {
        if (!is_next(r, i, &number))
            continue;
        take_slot(r, number, i);
        any = true;
    }
    return any;
}

uint32_t wpp_recorder_backlog(const struct wpp_recorder *r)
{
    uint32_t n = 0;

    _Static_assert(WPP_RECORDER_ROOM == WPP_SHARE_SLOTS, "a slot each");
    for (uint32_t i = 0; i < WPP_SHARE_SLOTS; i++)
        n += (uint32_t)__atomic_load_n(&r->share->slot[i].word, __ATOMIC_RELAXED) ==
             WPP_SLOT_SUBMITTED;
    return n;
}

/* The number of records that the process has submitted so far. */
static uint32_t submitted_by(const struct wpp_recorder *r, uint32_t number)
{
    uint64_t word = (uint64_t)(number + 1) << 32 | WPP_SLOT_SUBMITTED;
    uint32_t submitted = r->list[number].next_order;

    for (uint32_t i = 0; i < WPP_SHARE_SLOTS; i++)
        if (__atomic_load_n(&r->share->slot[i].word, __ATOMIC_ACQUIRE) == word &&
            (int32_t)(r->share->slot[i].order - submitted) >= 0)
            submitted = r->share->slot[i].order + 1;
    return submitted;
}

/* Takes the records that the process has submitted by now; it may submit more without end
 * meanwhile.  Slots are reused, so its records may lie in any order.  But each was submitted
 * before the next, so a pass that finds none of them is the last one. */
static void take_all_of(struct wpp_recorder *r, uint32_t number)
{
    uint32_t enough = submitted_by(r, number), before;

    do {
        before = r->list[number].next_order;
        take_some(r);
    } while (r->list[number].next_order != before &&
             (int32_t)(enough - r->list[number].next_order) > 0);
}

/* ---- The end of a process ------------------------------------------------------------ */

/* Whether one more process may be watched.  At most half of the descriptors are used for that:
 * the files of the processes need some too. */
static bool has_room_to_watch(const struct wpp_recorder *r)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && r->n_watched < limit.rlim_cur / 2;
}

/* Watches a process through a pidfd.  False: it has ended.  If there is no room or no pidfd, its
 * pid is tested again and again (ask_for_ends()). */
static bool watch(struct wpp_recorder *r, uint32_t number)
{
    struct process *p = &r->list[number];

    if (!has_room_to_watch(r))
        return kill((pid_t)p->id, 0) == 0 || errno != ESRCH;
    p->pidfd = (int)syscall(SYS_pidfd_open, (pid_t)p->id, 0);
    if (p->pidfd < 0)
        return errno != ESRCH;
    r->n_watched++;
    return true;
}

static void unwatch(struct wpp_recorder *r, uint32_t number)
{
    if (r->list[number].pidfd < 0)
        return;
    close(r->list[number].pidfd);
    r->list[number].pidfd = -1;
    r->n_watched--;
}

/* Appends a BUFFER record with the contents of a seat, without the zeros at its end. */
static void put_seat(struct wpp_bytes *out, const struct wpp_recorder *r, uint32_t number,
                     uint32_t seat)
{
    const uint8_t *memory = seat_memory(r, seat);
    struct wpp_buffer head;
    size_t n = WPP_BUFFER_BYTES;

    memcpy(&head, memory, sizeof head);
    head.length = 0;
    while (n > WPP_PAGE_BYTES + WPP_HEADER_BYTES && wpp_get_u32(memory + n - 4) == 0)
        n -= 4;
    put_record(out, WPP_REC_BUFFER, r->list[number].pid, head.tid, 4 + n);
    wpp_put_u32(out, 0);
    wpp_put(out, &head, sizeof head);
    wpp_put(out, memory + sizeof head, n - sizeof head);
}

/* Appends a buffer without owner: it says that nothing is missing.  Each thread takes a seat
 * before its first event, or a record says that it has none.  So a process without seats had no
 * events yet, or all its threads have ended. */
static void put_no_seats(struct wpp_bytes *out, const struct wpp_recorder *r, uint32_t number)
{
    static const uint8_t nobody[4 + WPP_PAGE_BYTES + WPP_HEADER_BYTES];

    put_record(out, WPP_REC_BUFFER, r->list[number].pid, 0, sizeof nobody);
    wpp_put(out, nobody, sizeof nobody);
}

static bool copy_seats(const struct wpp_recorder *r, uint32_t number, struct wpp_bytes *out)
{
    bool any = false;

    for (uint32_t i = 0; i < WPP_SHARE_SEATS; i++)
        if (__atomic_load_n(&r->share->seat[i], __ATOMIC_ACQUIRE) == number + 1) {
            put_seat(out, r, number, i);
            any = true;
        }
    return any;
}

static void free_seats(struct wpp_recorder *r, uint32_t number)
{
    for (uint32_t i = 0; i < WPP_SHARE_SEATS; i++)
        if (__atomic_load_n(&r->share->seat[i], __ATOMIC_ACQUIRE) == number + 1)
            __atomic_store_n(&r->share->seat[i], 0, __ATOMIC_RELEASE);
}

/* Frees slots that a killed process was filling.  The seats hold these tokens too. */
static void free_fillings(struct wpp_recorder *r, uint32_t number)
{
    uint64_t word = (uint64_t)(number + 1) << 32 | WPP_SLOT_FILLING;

    for (uint32_t i = 0; i < WPP_SHARE_SLOTS; i++)
        if (__atomic_load_n(&r->share->slot[i].word, __ATOMIC_ACQUIRE) == word)
            free_slot(r, i);
}

static void forget_living(struct wpp_recorder *r, uint32_t number)
{
    uint32_t i = 0;

    while (r->living[i] != number)
        i++;
    r->living[i] = r->living[--r->n_living];
}

/* Copies the tokens that a process has not submitted; they follow the submitted ones.  The seats
 * are read before the last slots: a running process may submit a chunk and clear it at any time.
 * A reader recognises tokens seen twice by their place in the stream. */
static struct wpp_bytes copy_state(struct wpp_recorder *r, uint32_t number, bool lives)
{
    struct wpp_bytes state = {0};
    bool any, goes_on;

    /* Its first record gives its pid. */
    if (r->list[number].next_order == 0)
        take_all_of(r, number);
    any = copy_seats(r, number, &state);
    goes_on = lives || (r->closed && r->list[number].next_order > 0);
    if (goes_on)
        put_record(&state, WPP_REC_BUFFER, r->list[number].pid, 0, 0);
    take_all_of(r, number);
    if (!goes_on && !any && r->list[number].next_order > 0)
        put_no_seats(&state, r, number);
    return state;
}

/* Hands on the records of a process. */
struct handing {
    void (*take)(void *ctx, uint32_t process, const void *bytes, size_t n);
    void *ctx;
    uint32_t number;
};

static void hand_on(void *ctx, const void *record, size_t n)
{
    const struct handing *h = ctx;

    h->take(h->ctx, h->number, record, n);
}

/* Says that counts are missing: such a trace may have no END. */
static void lack_counts(struct wpp_recorder *r, uint32_t number)
{
    struct wpp_bytes record = {0};

    put_record(&record, WPP_REC_COUNTS, r->list[number].pid, 0, 0);
    if (!record.failed)
        r->sink.bytes(r->sink.ctx, number, record.data, record.size);
    wpp_bytes_free(&record);
    wpp_bytes_free(&r->list[number].end);
}

/* Hands on what a process has counted.  The process no longer names its regions before that: if
 * we are killed meanwhile, the keeper must not count them again. */
static void take_counts(struct wpp_recorder *r, uint32_t number, bool lives)
{
    uint32_t last = __atomic_exchange_n(&r->share->told[number].region, 0, __ATOMIC_ACQ_REL);

    if (r->list[number].next_order > 0 &&
        !wpp_regions_take(&r->regions, last, hand_on,
                          &(struct handing){r->sink.bytes, r->sink.ctx, number}))
        lack_counts(r, number);
    if (!lives)
        wpp_regions_drop(&r->regions, last);
}

static void end_process(struct wpp_recorder *r, uint32_t number, bool lives)
{
    struct wpp_bytes rest = copy_state(r, number, lives);
    bool begun = r->list[number].next_order > 0;     /* else its pid is unknown */

    assert(!r->list[number].over);
    if (!r->list[number].ended && begun)
        say_waited(r, number);
    if (!r->list[number].ended && begun && rest.size > 0 && !rest.failed)
        r->sink.bytes(r->sink.ctx, number, rest.data, rest.size);
    wpp_bytes_free(&rest);
    take_counts(r, number, lives);
    if (!lives) {
        free_fillings(r, number);
        free_seats(r, number);
    }
    say_exit(r, number);
    let_end_go(r, number);
    unwatch(r, number);
    r->list[number].over = true;
    forget_living(r, number);
    r->sink.over(r->sink.ctx, number);
}

/* ---- Processes -------------------------------------------------------------------------- */

static bool add_room(struct wpp_recorder *r)
{
    uint32_t capacity = r->capacity ? 2 * r->capacity : 16;
    struct process *list = realloc(r->list, capacity * sizeof *list);
    uint32_t *living;
    struct pollfd *polls;

    if (!list)
        return false;
    r->list = list;
    living = realloc(r->living, capacity * sizeof *living);
    if (!living)
        return false;
    r->living = living;
    polls = realloc(r->polls, capacity * sizeof *polls);
    if (!polls)
        return false;
    r->polls = polls;
    r->capacity = capacity;
    return true;
}

/* Finds another living process with the same pid: one of them has replaced the other by exec, or
 * has got its pid later. */
static bool find_namesake(const struct wpp_recorder *r, uint32_t number, uint32_t *other)
{
    for (uint32_t i = 0; i < r->n_living; i++) {
        *other = r->living[i];
        if (*other != number && r->list[*other].id == r->list[number].id)
            return true;
    }
    return false;
}

/* Whether the process maps the memory.  A process that has replaced its program by one without
 * wpp lives but no longer maps it.  If that cannot be seen, the answer is yes. */
static bool is_attached(const struct wpp_recorder *r, uint32_t id)
{
    char path[32], line[512], wanted[32];
    FILE *maps;
    bool found = false;

    snprintf(path, sizeof path, "/proc/%u/maps", id);
    snprintf(wanted, sizeof wanted, " %llu ", (unsigned long long)r->inode);
    maps = fopen(path, "re");
    if (!maps)
        return errno != ENOENT;
    while (!found && fgets(line, sizeof line, maps))
        found = strstr(line, "/memfd:wpp") != NULL && strstr(line, wanted) != NULL;
    fclose(maps);
    return found;
}

/* Whether the process with our pid `id` has the pid `pid` in its own namespace:
 *      NSpid:  4711    1
 */
static bool is_called(uint32_t id, uint32_t pid)
{
    char path[32], line[256], *last;
    FILE *status;
    bool found = false;

    snprintf(path, sizeof path, "/proc/%u/status", id);
    status = fopen(path, "re");
    if (!status)
        return false;
    while (!found && fgets(line, sizeof line, status)) {
        last = strrchr(line, '\t');
        found = strncmp(line, "NSpid:", 6) == 0 && last > line + 6 &&
                strtoul(last, NULL, 10) == pid;
    }
    fclose(status);
    return found;
}

static bool is_known(const struct wpp_recorder *r, uint32_t id)
{
    for (uint32_t i = 0; i < r->n_living; i++)
        if (r->list[r->living[i]].id == id)
            return true;
    return false;
}

/* Our pid of the process that has `pid` in another namespace; 0: it has ended. */
static uint32_t find_foreign(const struct wpp_recorder *r, uint32_t pid)
{
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    uint32_t found = 0;

    while (!found && proc && (entry = readdir(proc))) {
        uint32_t id = (uint32_t)strtoul(entry->d_name, NULL, 10);

        if (id != 0 && is_called(id, pid) && !is_known(r, id) && is_attached(r, id))
            found = id;
    }
    if (proc)
        closedir(proc);
    return found;
}

/* Learns the pid of a process that has begun to run. */
static void welcome(struct wpp_recorder *r, uint32_t number, uint32_t pid)
{
    uint32_t other;

    r->list[number].id = pid & WPP_SHARE_FOREIGN ? find_foreign(r, pid & ~WPP_SHARE_FOREIGN) : pid;
    if (r->list[number].id == 0 || !watch(r, number))
        end_process(r, number, false);
    else if (find_namesake(r, number, &other))
        end_process(r, number < other ? number : other, false);
}

static void find_processes(struct wpp_recorder *r)
{
    uint32_t n = __atomic_load_n(&r->share->processes, __ATOMIC_SEQ_CST);

    if (n > WPP_SHARE_PROCESSES)
        n = WPP_SHARE_PROCESSES;
    while (r->n < n && (r->n < r->capacity || add_room(r))) {
        r->list[r->n] = (struct process){.pidfd = -1};
        r->living[r->n_living++] = r->n;
        r->n++;
    }
    for (uint32_t i = r->n_living; i-- > 0;) {
        uint32_t number = r->living[i];
        uint32_t pid = __atomic_load_n(&r->share->pid[number], __ATOMIC_SEQ_CST);

        if (r->list[number].id == 0 && pid != 0)
            welcome(r, number, pid);
        if (i > r->n_living)
            i = r->n_living;
    }
}

/* Finds ends of watched processes.  The number of polls is within the limit of descriptors. */
static uint32_t poll_ends(struct wpp_recorder *r)
{
    uint32_t n = 0, ended = 0;

    for (uint32_t i = 0; i < r->n_living; i++)
        if (r->list[r->living[i]].pidfd >= 0)
            r->polls[n++] = (struct pollfd){.fd = r->list[r->living[i]].pidfd, .events = POLLIN};
    if (n == 0 || poll(r->polls, n, 0) <= 0)
        return 0;
    /* From the end: an ended process is replaced by the last one of the list. */
    for (uint32_t i = r->n_living; i-- > 0;) {
        if (r->list[r->living[i]].pidfd >= 0 && r->polls[--n].revents) {
            end_process(r, r->living[i], false);
            ended++;
        }
    }
    return ended;
}

/* Finds ends of the others.  Another process may have the pid by now. */
static uint32_t ask_for_ends(struct wpp_recorder *r)
{
    uint32_t ended = 0;

    for (uint32_t i = r->n_living; i-- > 0;) {
        const struct process *p = &r->list[r->living[i]];

        if (p->id == 0 || p->pidfd >= 0)
            continue;
        if (!watch(r, r->living[i]) || (p->pidfd >= 0 && !is_attached(r, p->id))) {
            end_process(r, r->living[i], false);
            ended++;
        }
    }
    return ended;
}

static bool find_ends(struct wpp_recorder *r)
{
    uint32_t ended = poll_ends(r);

    if (r->n_watched < r->n_living)
        ended += ask_for_ends(r);
    return ended > 0;
}

/* ---- Turns ---------------------------------------------------------------------------------- */

/* Programs wake us for that many records at once: then half of the slots are free for more. */
enum { RECORDS_TO_WAKE_FOR = WPP_SHARE_SLOTS / 2 };

void wpp_recorder_wake(struct wpp_recorder *r)
{
    __atomic_store_n(&r->woken, true, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&r->share->submitted, 1, __ATOMIC_SEQ_CST);
    futex(&r->share->submitted, FUTEX_WAKE, 1, NULL);
}

/* Waits for RECORDS_TO_WAKE_FOR more than `seen`, so that programs need not wake us for each
 * record. */
static void wait(struct wpp_recorder *r, uint32_t seen, int milliseconds)
{
    struct timespec timeout = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    uint32_t enough = seen + RECORDS_TO_WAKE_FOR, now;

    __atomic_store_n(&r->share->wake_at, enough, __ATOMIC_RELAXED);
    __atomic_store_n(&r->share->recorder_waits, 1, __ATOMIC_SEQ_CST);
    do
        now = __atomic_load_n(&r->share->submitted, __ATOMIC_SEQ_CST);
    while ((int32_t)(now - enough) < 0 && !__atomic_load_n(&r->woken, __ATOMIC_SEQ_CST) &&
           futex(&r->share->submitted, FUTEX_WAIT, now, &timeout) != 0 && errno == EAGAIN);
    __atomic_store_n(&r->share->recorder_waits, 0, __ATOMIC_SEQ_CST);
}

bool wpp_recorder_turn(struct wpp_recorder *r, int milliseconds)
{
    enum { TURNS_BETWEEN_LOOKS = 16 };
    bool woken = milliseconds > 0 && __atomic_exchange_n(&r->woken, false, __ATOMIC_SEQ_CST);
    uint32_t seen = __atomic_load_n(&r->share->submitted, __ATOMIC_SEQ_CST);
    bool any;

    find_processes(r);
    any = take_some(r);         /* one pass only: programs may be faster than we are */
    if (!any || ++r->turns % TURNS_BETWEEN_LOOKS == 0)
        any |= find_ends(r);
    if (!any && !woken && milliseconds > 0)
        wait(r, seen, milliseconds);
    return any;
}

struct wpp_recorder_processes wpp_recorder_count(struct wpp_recorder *r)
{
    struct wpp_recorder_processes count = {0};

    find_processes(r);
    for (uint32_t i = 0; i < r->n_living; i++) {
        uint32_t id = r->list[r->living[i]].id;

        count.unborn += id == 0;
        count.attached += id != 0 && is_attached(r, id);
    }
    return count;
}

void wpp_recorder_look(struct wpp_recorder *r,
                       void (*take)(void *ctx, uint32_t process, const void *bytes, size_t n))
{
    find_processes(r);
    for (uint32_t i = 0; i < r->n_living; i++) {
        uint32_t number = r->living[i];
        struct wpp_bytes state = copy_state(r, number, true);

        if (!state.failed && r->list[number].next_order > 0)
            take(r->sink.ctx, number, state.data, state.size);
        wpp_bytes_free(&state);
    }
}

void wpp_recorder_counts(struct wpp_recorder *r,
                         void (*take)(void *ctx, uint32_t process, const void *bytes, size_t n))
{
    uint32_t n = __atomic_load_n(&r->share->processes, __ATOMIC_SEQ_CST);

    for (uint32_t i = 0; i < n && i < WPP_SHARE_PROCESSES; i++)
        wpp_regions_take(&r->regions, __atomic_load_n(&r->share->told[i].region, __ATOMIC_ACQUIRE),
                         hand_on, &(struct handing){take, r->sink.ctx, i});
}

static void send_signal(const struct process *p, int signal)
{
    if (p->pidfd >= 0)
        syscall(SYS_pidfd_send_signal, p->pidfd, signal, NULL, 0);
    else
        kill((pid_t)p->id, signal);
}

/* Sends the signal only to attached processes: another program would not understand it. */
void wpp_recorder_signal(struct wpp_recorder *r, int signal)
{
    find_processes(r);
    for (uint32_t i = 0; i < r->n_living; i++) {
        const struct process *p = &r->list[r->living[i]];

        if (p->id != 0 && is_attached(r, p->id))
            send_signal(p, signal);
    }
}

/* Ends processes that have ended or replaced their program: no record of theirs was refused. */
static void end_detached(struct wpp_recorder *r)
{
    for (uint32_t i = r->n_living; i-- > 0;) {
        uint32_t number = r->living[i], id = r->list[number].id;

        if (id != 0 && !is_attached(r, id))
            end_process(r, number, false);
    }
}

void wpp_recorder_close(struct wpp_recorder *r)
{
    find_processes(r);
    find_ends(r);
    end_detached(r);
    r->closed = true;
    __atomic_store_n(&r->share->closed, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&r->share->freed, 1, __ATOMIC_SEQ_CST);
    futex(&r->share->freed, FUTEX_WAKE, INT_MAX, NULL);
    find_processes(r);
    find_ends(r);
    while (r->n_living > 0) {
        uint32_t number = r->living[r->n_living - 1], id = r->list[number].id;

        end_process(r, number, id != 0 && is_attached(r, id));
    }
}
