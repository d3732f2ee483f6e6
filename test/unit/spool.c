/* SPDX-License-Identifier: MIT */
/* The spool: what is put comes out, in order and to the byte, raw or squeezed, from memory or from
 * disk, within the limits, also in forks, which read on from where they were made; the consumer is
 * told to pause and that all is over.
 * test: slow 3 */
#include "test/unit/tap.h"
#include "wpp/record/spool-blocks.h"
#include "wpp/record/spool.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGEST = 200000, WORDS = 7 };
/* Up to so many bytes nothing is squeezed. */
enum { SMALL = WPP_BLOCK_BYTES };

/* Entry number i: its kind, process, size and words follow from i. */
static uint32_t hash(uint32_t i)
{
    i = (i ^ i >> 15) * 0x2c1b3c6du;
    return i ^ i >> 12;
}

static size_t size_of(uint32_t i)
{
    uint32_t h = hash(i);

    return h % 50 == 0 ? h % LARGEST : h % 3 == 0 ? 65472 : h % 5000;
}

static struct wpp_spool_entry make_entry(uint32_t i, uint8_t *bytes)
{
    size_t n = size_of(i), done = n < 4 * WORDS ? n : 4 * WORDS;

    for (size_t k = 0; k < done; k++)
        bytes[k] = (uint8_t)hash((uint32_t)(i + k / 4));
    /* The words come again and again; what is done is a whole number of times all of them. */
    for (size_t more; done < n; done += more) {
        more = done < n - done ? done : n - done;
        memcpy(bytes + done, bytes, more);
    }
    return (struct wpp_spool_entry){(enum wpp_spool_kind)(i % 3), i, bytes, n};
}

static bool is_entry(uint32_t i, const struct wpp_spool_entry *e)
{
    static uint8_t bytes[LARGEST];
    struct wpp_spool_entry want = make_entry(i, bytes);

    return e->kind == want.kind && e->process == i && e->n == want.n &&
           memcmp(e->bytes, bytes, e->n) == 0;
}

static bool put_all(struct wpp_spool *s, uint32_t from, uint32_t to)
{
    static uint8_t bytes[LARGEST];
    bool done = true;

    for (uint32_t i = from; i < to && done; i++) {
        struct wpp_spool_entry e = make_entry(i, bytes);

        done = wpp_spool_put(s, &e, hash(i) % 4 == 0);
    }
    return done;
}

/* The number of those that come as they should, until none comes. */
static uint32_t take_all(struct wpp_spool *s, uint32_t from, enum wpp_spool_took *how)
{
    struct wpp_spool_entry e;
    uint32_t i = from;

    while ((*how = wpp_spool_take(s, &e, 0)) == WPP_SPOOL_ENTRY && is_entry(i, &e)) {
        wpp_spool_done(s);
        i++;
    }
    return i - from;
}

static uint64_t held(struct wpp_spool *s, uint64_t *waiting)
{
    struct wpp_spool_sizes sizes = wpp_spool_get_sizes(s);

    *waiting = sizes.waiting;
    return sizes.memory + sizes.disk;
}

static void check_one_after_the_other(void)
{
    enum { N = 8000 };
    struct wpp_spool *s = wpp_spool_new(UINT64_MAX, NULL);
    enum wpp_spool_took how;
    uint64_t waiting, bytes;

    tap_ok(put_all(s, 0, N), "%d entries are put", N);
    bytes = held(s, &waiting);
    tap_ok(waiting > 150000000 && bytes < waiting / 3 * 2 && bytes > SMALL,
           "beyond %d kB they are squeezed: %llu bytes in %llu", SMALL >> 10,
           (unsigned long long)waiting, (unsigned long long)bytes);
    wpp_spool_pause(s, true);
    tap_ok(take_all(s, 0, &how) == 0 && how == WPP_SPOOL_PAUSED, "a pause is told");
    wpp_spool_pause(s, false);
    tap_ok(take_all(s, 0, &how) == N && how == WPP_SPOOL_NOTHING, "all come out");
    tap_ok(held(s, &waiting) == 0 && waiting == 0, "and nothing is held");
    put_all(s, N, N + 10);
    wpp_spool_close(s);
    tap_ok(take_all(s, N, &how) == 10 && how == WPP_SPOOL_CLOSED, "the end comes behind the rest");
    wpp_spool_free(s);
}

/* A fork that waits until the pipe is closed, and has then all from `from` to `to`. */
static pid_t fork_keeper(struct wpp_spool *s, uint32_t from, uint32_t to, const int pipe[2])
{
    enum wpp_spool_took how;
    pid_t pid = fork();
    char byte;

    if (pid != 0)
        return pid;
    close(pipe[1]);
    while (read(pipe[0], &byte, 1) > 0)
        ;
    wpp_spool_inherit(s);
    _exit(take_all(s, from, &how) == to - from && how == WPP_SPOOL_CLOSED ? 0 : 1);
}

static bool ended_well(pid_t pid)
{
    int status = 1;

    return waitpid(pid, &status, 0) == pid && status == 0;
}

/* What has been taken is kept for the fork, whatever comes afterwards, and then used again. */
static void check_fork(void)
{
    enum { STEP = 3000 };
    struct wpp_spool *s = wpp_spool_new(UINT64_MAX, NULL);
    enum wpp_spool_took how;
    int first[2], second[2];
    uint64_t kept;
    pid_t one, other;

    if (pipe(first) != 0 || pipe(second) != 0)
        exit(1);
    put_all(s, 0, STEP);
    take_all(s, 0, &how);
    tap_ok(wpp_spool_kept(s) == 0, "without a fork nothing is kept");
    put_all(s, STEP, 2 * STEP);
    one = fork_keeper(s, STEP, 4 * STEP, first);
    wpp_spool_forked(s, true);
    tap_ok(take_all(s, STEP, &how) == STEP && how == WPP_SPOOL_NOTHING, "who forks goes on");
    put_all(s, 2 * STEP, 4 * STEP);
    tap_ok(take_all(s, 2 * STEP, &how) == 2 * STEP, "and on");
    kept = wpp_spool_kept(s);
    tap_ok(kept > 20000000, "%llu bytes are kept", (unsigned long long)kept);
    close(first[0]);
    close(first[1]);
    tap_ok(ended_well(one), "the fork has what was there, what came later, and the end");
    other = fork_keeper(s, 4 * STEP, 6 * STEP, second);
    wpp_spool_forked(s, true);
    tap_ok(wpp_spool_kept(s) == 0, "a later fork does not need it");
    put_all(s, 4 * STEP, 6 * STEP);
    tap_ok(take_all(s, 4 * STEP, &how) == 2 * STEP, "the memory is used again");
    close(second[0]);
    close(second[1]);
    tap_ok(ended_well(other), "and the later fork has what it should");
    wpp_spool_forked(s, false);
    tap_ok(wpp_spool_kept(s) == 0, "without it nothing is kept");
    wpp_spool_free(s);
}

/* ---- The disk ------------------------------------------------------------------------------ */

enum { FEW_BLOCKS = 4 * WPP_BLOCK_BYTES };

static struct wpp_spool_disk open_disk(uint64_t most)
{
    const char *folder = getenv("TMPDIR");
    struct wpp_spool_disk disk;

    if (!wpp_spool_disk_open(&disk, folder ? folder : "/tmp", most))
        exit(1);
    return disk;
}

/* Whether more than a twentieth of the file system is free, and room for these checks. */
static bool disk_has_room(void)
{
    struct wpp_spool_disk disk = open_disk(UINT64_MAX);
    struct statvfs fs;
    bool room = fstatvfs(disk.fd, &fs) != 0 ||
                (uint64_t)fs.f_bavail * fs.f_frsize > (uint64_t)fs.f_blocks * fs.f_frsize / 20 + (1 << 28);

    wpp_spool_disk_close(&disk);
    return room;
}

static uint64_t bytes_of_file(const struct wpp_spool_disk *disk)
{
    struct stat st;

    return fstat(disk->fd, &st) == 0 ? (uint64_t)st.st_blocks * 512 : UINT64_MAX;
}

static void check_disk(void)
{
    enum { N = 8000 };
    struct wpp_spool_disk disk = open_disk(UINT64_MAX);
    struct wpp_spool *s = wpp_spool_new(FEW_BLOCKS, &disk);
    struct wpp_spool_sizes sizes;
    enum wpp_spool_took how;

    tap_ok(put_all(s, 0, N / 2), "%d entries are put, though none is taken", N / 2);
    sizes = wpp_spool_get_sizes(s);
    tap_ok(sizes.memory <= FEW_BLOCKS && sizes.memory + sizes.disk < sizes.waiting / 3 * 2,
           "%llu bytes of memory and %llu of disk for %llu", (unsigned long long)sizes.memory,
           (unsigned long long)sizes.disk, (unsigned long long)sizes.waiting);
    tap_ok(bytes_of_file(&disk) >= sizes.disk, "which are in the file");
    tap_ok(take_all(s, 0, &how) == N / 2 && how == WPP_SPOOL_NOTHING, "all come out");
    tap_ok(wpp_spool_get_sizes(s).disk == 0 && bytes_of_file(&disk) == 0, "and the file is empty");
    put_all(s, N / 2, N);
    wpp_spool_close(s);
    tap_ok(take_all(s, N / 2, &how) == N / 2 && how == WPP_SPOOL_CLOSED, "the same again");
    wpp_spool_free(s);
    wpp_spool_disk_close(&disk);
}

/* A fork made while the consumer reads a block that was on disk. */
static void check_fork_on_disk(void)
{
    enum { N = 9000, HERE = 3000 };
    struct wpp_spool_disk disk = open_disk(UINT64_MAX);
    struct wpp_spool *s = wpp_spool_new(FEW_BLOCKS, &disk);
    struct wpp_spool_entry e;
    enum wpp_spool_took how;
    int ends[2];
    uint32_t i;
    uint64_t kept;
    pid_t fork;

    if (pipe(ends) != 0)
        exit(1);
    put_all(s, 0, N / 2 + HERE / 2);
    for (i = 0; i < HERE && wpp_spool_take(s, &e, 0) == WPP_SPOOL_ENTRY && is_entry(i, &e); i++)
        wpp_spool_done(s);
    tap_ok(i == HERE && wpp_spool_get_sizes(s).disk > 0, "some of many are taken");
    fork = fork_keeper(s, HERE, N, ends);
    wpp_spool_forked(s, true);
    put_all(s, N / 2 + HERE / 2, N);
    tap_ok(take_all(s, HERE, &how) == N - HERE, "who forks has the rest");
    kept = bytes_of_file(&disk);
    tap_ok(kept > 0 && wpp_spool_kept(s) >= kept, "%llu bytes stay in the file",
           (unsigned long long)kept);
    close(ends[0]);
    close(ends[1]);
    tap_ok(ended_well(fork), "so the fork has the rest, too");
    wpp_spool_forked(s, false);
    tap_ok(bytes_of_file(&disk) == 0, "without it the file is empty");
    wpp_spool_free(s);
    wpp_spool_disk_close(&disk);
}

/* If the file is lost, neither the producer nor the consumer waits for ever. */
static void check_lost_file(bool zeros)
{
    enum { N = 4000 };
    struct wpp_spool_disk disk = open_disk(UINT64_MAX);
    struct wpp_spool *s = wpp_spool_new(FEW_BLOCKS, &disk);
    enum wpp_spool_took how;
    uint32_t taken;

    put_all(s, 0, N);
    if (ftruncate(disk.fd, 0) != 0 || (zeros && ftruncate(disk.fd, 1 << 30) != 0))
        exit(1);
    taken = take_all(s, 0, &how);
    tap_ok(taken > 0 && taken < N && how == WPP_SPOOL_CLOSED, "what is in memory comes, %u entries",
           taken);
    tap_ok(wpp_spool_failed(s) == (zeros ? EBADMSG : ENODATA), "and why no more come");
    tap_ok(put_all(s, N, 2 * N), "later entries are forgotten");
    wpp_spool_free(s);
    wpp_spool_disk_close(&disk);
}

/* ---- Two threads ------------------------------------------------------------------------- */

struct taker {
    struct wpp_spool *spool;
    bool forks;                  /* says so, as often as it must */
    bool slow;
    uint64_t most, most_on_disk;
    uint32_t right;
};

static void *take(void *argument)
{
    struct taker *t = argument;
    struct wpp_spool_entry e;

    for (;;) {
        enum wpp_spool_took how = wpp_spool_take(t->spool, &e, -1);
        struct wpp_spool_sizes sizes = wpp_spool_get_sizes(t->spool);

        if (t->forks && wpp_spool_kept(t->spool) == UINT64_MAX)
            wpp_spool_forked(t->spool, true);
        if (how == WPP_SPOOL_CLOSED)
            break;
        if (how != WPP_SPOOL_ENTRY)
            continue;

        t->most = sizes.memory > t->most ? sizes.memory : t->most;
        t->most_on_disk = sizes.disk > t->most_on_disk ? sizes.disk : t->most_on_disk;
        t->right += is_entry(t->right, &e);
        wpp_spool_done(t->spool);
        if (t->slow)
            usleep(50);
    }
    return NULL;
}

static void check_limit(uint64_t limit, bool forks)
{
    enum { N = 3000, N_FORKS = 10000 };
    struct taker t = {.spool = wpp_spool_new(limit, NULL), .forks = forks};
    const uint32_t n = forks ? N_FORKS : N;
    pthread_t thread;
    bool done;

    wpp_spool_forked(t.spool, forks);
    if (pthread_create(&thread, NULL, take, &t) != 0)
        exit(1);
    done = put_all(t.spool, 0, n);
    wpp_spool_close(t.spool);
    pthread_join(thread, NULL);
    tap_ok(done && t.right == n, "limit %llu%s: another thread has all", (unsigned long long)limit,
           forks ? ", kept until there is no room" : "");
    tap_ok(t.most <= limit || t.most <= LARGEST + 32, "and never more: %llu",
           (unsigned long long)t.most);
    wpp_spool_free(t.spool);
}

/* The disk takes `most` bytes, or the system lets the file have `may_be`. */
static void check_small_disk(uint64_t most, uint64_t may_be, bool forks)
{
    enum { N = 6000 };
    struct wpp_spool_disk disk = open_disk(most);
    struct taker t = {.spool = wpp_spool_new(FEW_BLOCKS, &disk), .forks = forks, .slow = true};
    struct rlimit old, now;
    pthread_t thread;
    bool done;

    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    now = old;
    if (may_be < old.rlim_cur)
        now.rlim_cur = may_be;
    setrlimit(RLIMIT_FSIZE, &now);
    wpp_spool_forked(t.spool, forks);
    if (pthread_create(&thread, NULL, take, &t) != 0)
        exit(1);
    done = put_all(t.spool, 0, N);
    wpp_spool_close(t.spool);
    pthread_join(thread, NULL);
    setrlimit(RLIMIT_FSIZE, &old);
    tap_ok(done && t.right == N && wpp_spool_failed(t.spool) == 0, "a disk of %llu bytes%s: all come",
           (unsigned long long)(most < may_be ? most : may_be), forks ? ", with forks" : "");
    /* Besides, one block that has been read back. */
    tap_ok(t.most <= FEW_BLOCKS + 2 * WPP_BLOCK_BYTES && t.most_on_disk <= most && t.most_on_disk <= may_be,
           "at most %llu bytes of memory and %llu of disk", (unsigned long long)t.most,
           (unsigned long long)t.most_on_disk);
    wpp_spool_free(t.spool);
    wpp_spool_disk_close(&disk);
}

int main(void)
{
    check_one_after_the_other();
    check_fork();
    check_limit(0, false);
    check_limit(100000, false);
    check_limit(5000000, false);
    check_limit(UINT64_MAX, false);
    check_limit(0, true);
    check_limit(5000000, true);
    check_small_disk(0, UINT64_MAX, false);
    if (!disk_has_room()) {
        tap_skip("a spool on disk: there is too little room");
        return tap_done();
    }
    check_disk();
    check_fork_on_disk();
    check_lost_file(false);
    check_lost_file(true);
    check_small_disk(3 * WPP_BLOCK_BYTES, UINT64_MAX, false);
    check_small_disk(UINT64_MAX, UINT64_MAX, true);
    check_small_disk(UINT64_MAX, 5 * WPP_BLOCK_BYTES / 2, false);
    return tap_done();
}
