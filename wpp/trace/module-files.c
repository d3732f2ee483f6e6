/* SPDX-License-Identifier: MIT */
#include "wpp/trace/module-files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/trace-abi.h"
#include "wpp/trace/module-record.h"

/* The message for the spool; the path follows, with a NUL. */
struct told {
    int fd;
    dev_t device;
    ino_t inode;
};

/* Whether one more file may be open: files of processes and pidfds need descriptors too. */
static bool has_room(const struct wpp_module_files *h)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
           __atomic_load_n(&h->open, __ATOMIC_RELAXED) < limit.rlim_cur / 4;
}

static bool module_path(const void *record, size_t n, struct wpp_view *path)
{
    struct wpp_record head;
    struct wpp_module_record module;

    if (n < sizeof head)
        return false;
    memcpy(&head, record, sizeof head);
    if (head.kind != WPP_REC_MODULE_LOAD || head.bytes > n - sizeof head ||
        !wpp_module_parse((const uint8_t *)record + sizeof head, head.bytes, &module))
        return false;
    *path = module.path;
    return true;
}

bool wpp_module_files_open(struct wpp_module_files *h, const void *record, size_t n,
                           struct wpp_bytes *out)
{
    struct told told = {.fd = -1};
    struct wpp_view path;
    struct stat st;
    size_t at = sizeof told;

    if (!module_path(record, n, &path) || !has_room(h))
        return false;
    wpp_put(out, &told, sizeof told);
    wpp_put(out, path.p, wpp_left(&path));
    wpp_put_u8(out, 0);
    if (out->failed)
        return false;
    told.fd = open((const char *)out->data + at, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (told.fd < 0)
        return false;
    if (fstat(told.fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(told.fd);
        return false;
    }
    told.device = st.st_dev;
    told.inode = st.st_ino;
    memcpy(out->data, &told, sizeof told);
    __atomic_fetch_add(&h->open, 1, __ATOMIC_RELAXED);
    return true;
}

static void let_go(struct wpp_module_files *h, int fd)
{
    close(fd);
    __atomic_fetch_sub(&h->open, 1, __ATOMIC_RELAXED);
}

static void drop(struct wpp_module_files *h, unsigned i)
{
    let_go(h, h->list[i].fd);
    free(h->list[i].path);
    h->n--;
    memmove(&h->list[i], &h->list[i + 1], (h->n - i) * sizeof *h->list);
}

/* Drops an older entry for the same file; this one is the newest. */
static void drop_same(struct wpp_module_files *h, const struct told *told, const char *path)
{
    for (unsigned i = 0; i < h->n; i++)
        if (h->list[i].device == told->device && h->list[i].inode == told->inode &&
            strcmp(h->list[i].path, path) == 0) {
            drop(h, i);
            return;
        }
}

/* Whether the descriptor is open in this process. */
static bool is_ours(const struct wpp_module_files *h, const struct told *told)
{
    struct stat st;

    for (unsigned i = 0; i < h->n; i++)
        if (h->list[i].fd == told->fd)
            return false;
    return fstat(told->fd, &st) == 0 && st.st_dev == told->device && st.st_ino == told->inode;
}

void wpp_module_files_keep(struct wpp_module_files *h, const void *bytes, size_t n)
{
    const char *path = (const char *)bytes + sizeof(struct told);
    struct told told;
    char *copy;

    if (n <= sizeof told)
        return;
    memcpy(&told, bytes, sizeof told);
    if (!is_ours(h, &told))
        return;
    copy = strndup(path, n - sizeof told);
    if (!copy) {
        let_go(h, told.fd);
        return;
    }
    drop_same(h, &told, copy);
    if (h->n == WPP_MODULE_FILES_MOST)
        drop(h, 0);
    h->list[h->n++] = (struct wpp_module_file){told.fd, told.device, told.inode, copy};
}

int wpp_module_files_find(const struct wpp_module_files *h, const char *path, unsigned before)
{
    for (unsigned i = h->n; i-- > 0;)
        if (strcmp(h->list[i].path, path) == 0 && before-- == 0)
            return h->list[i].fd;
    return -1;
}

void wpp_module_files_free(struct wpp_module_files *h)
{
    while (h->n > 0)
        drop(h, h->n - 1);
}
