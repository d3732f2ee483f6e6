/* SPDX-License-Identifier: MIT */
/* source-text.c - lines of source files; see source-text.h. */
#include "hotpaths/report/source-text.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Larger than any source; larger files are not read. */
enum { LARGEST_FILE = 64 << 20 };

/* A file: text[start[i] .. start[i + 1]) is line i + 1 with its newline.  text is NULL when the
 * file cannot be shown. */
struct shown_file {
    char *directory, *name;
    char *text;
    uint32_t *start;
    uint32_t n_lines;
    uint64_t modified;          /* seconds since 1970 */
};

struct source_text {
    const char *first_directory;
    struct shown_file *files;
    size_t n, size;
    size_t last;                /* most requests are for the same file again */
};

struct source_text *source_text_new(const char *first_directory)
{
    struct source_text *s = calloc(1, sizeof *s);

    if (s)
        s->first_directory = first_directory;
    return s;
}

void source_text_free(struct source_text *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++) {
        free(s->files[i].directory);
        free(s->files[i].name);
        free(s->files[i].text);
        free(s->files[i].start);
    }
    free(s->files);
    free(s);
}

/* ---- Reading ------------------------------------------------------------------ */

static int open_in(const char *directory, const char *name)
{
    char *path;
    int fd;

    if (!directory || !*directory || *name == '/')
        return open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (asprintf(&path, "%s/%s", directory, name) < 0)
        return -1;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    free(path);
    return fd;
}

/* Opens a file below the directory without the first folders of the name: for a tree that was
 * moved, or whose names the compiler mapped (-ffile-prefix-map).  As many folders of the name as
 * exist are used. */
static int open_end_in(const char *directory, const char *name)
{
    size_t length = strlen(name);
    int fd = -1;

    /* A file's name is at most PATH_MAX long. */
    name += length > PATH_MAX ? length - PATH_MAX : 0;
    while (fd < 0 && (name = strchr(name, '/'))) {
        name += strspn(name, "/");
        fd = *name ? open_in(directory, name) : -1;
    }
    return fd;
}

static int open_source(const char *first, const char *directory, const char *name)
{
    int fd = -1;

    if (first)
        fd = open_in(first, *name == '/' ? name + 1 : name);
    if (fd < 0)
        fd = open_in(directory, name);
    if (fd < 0)
        fd = open_in(NULL, name);
    if (fd < 0 && first)
        fd = open_end_in(first, name);
    return fd;
}

/* Reads up to `size` bytes; *got is how many there were.  NULL: no memory. */
static char *read_all(int fd, size_t size, size_t *got)
{
    char *text = malloc(size + 1);
    size_t n = 0;

    while (text && n < size) {
        ssize_t more = read(fd, text + n, size - n);

        if (more < 0 && errno == EINTR)
            continue;
        if (more <= 0)
            break;
        n += (size_t)more;
    }
    *got = n;
    return text;
}

static bool index_lines(struct shown_file *f, size_t size)
{
    size_t lines = 1;

    for (size_t i = 0; i < size; i++)
        lines += f->text[i] == '\n';
    f->start = malloc((lines + 1) * sizeof *f->start);
    if (!f->start)
        return false;
    f->start[0] = 0;
    for (size_t i = 0; i < size; i++)
        if (f->text[i] == '\n')
            f->start[++f->n_lines] = (uint32_t)i + 1;
    if (f->start[f->n_lines] < size)
        f->start[++f->n_lines] = (uint32_t)size;
    return true;
}

static void load(const struct source_text *s, struct shown_file *f)
{
    int fd = open_source(s->first_directory, f->directory, f->name);
    struct stat st;
    size_t size;

    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= LARGEST_FILE) {
        f->modified = (uint64_t)st.st_mtime;
        f->text = read_all(fd, (size_t)st.st_size, &size);
        if (f->text && !index_lines(f, size)) {
            free(f->text);
            f->text = NULL;
        }
    }
    close(fd);
}

/* ---- Access -------------------------------------------------------------------- */

static bool is_file(const struct shown_file *f, const char *directory, const char *name)
{
    return strcmp(f->name, name) == 0 && strcmp(f->directory, directory) == 0;
}

static struct shown_file *add(struct source_text *s, const char *directory, const char *name)
{
    struct shown_file *f;

    if (s->n == s->size) {
        size_t size = s->size ? 2 * s->size : 16;
        struct shown_file *files = realloc(s->files, size * sizeof *files);

        if (!files)
            return NULL;
        s->files = files;
        s->size = size;
    }
    f = &s->files[s->n];
    *f = (struct shown_file){ .directory = strdup(directory), .name = strdup(name) };
    if (!f->directory || !f->name) {
        free(f->directory);
        free(f->name);
        return NULL;
    }
    s->last = s->n++;
    load(s, f);
    return f;
}

static struct shown_file *look_up(struct source_text *s, const char *directory, const char *name)
{
    if (s->n && is_file(&s->files[s->last], directory, name))
        return &s->files[s->last];
    for (size_t i = 0; i < s->n; i++) {
        if (is_file(&s->files[i], directory, name)) {
            s->last = i;
            return &s->files[i];
        }
    }
    return add(s, directory, name);
}

bool source_text_has(struct source_text *s, const char *directory, const char *file)
{
    const struct shown_file *f = look_up(s, directory, file);

    return f && f->text;
}

bool source_text_is_newer(struct source_text *s, const char *directory, const char *file,
                          uint64_t time)
{
    const struct shown_file *f = look_up(s, directory, file);

    return f && f->text && f->modified > time;
}

static bool text_differs(void *context, const struct wpp_source *s)
{
    const struct shown_file *f = look_up(context, s->directory, s->file);

    return f && f->text && source_hash(f->text, f->start[f->n_lines]) != s->hash;
}

bool source_text_changes(struct source_text *s, const wpp *w, struct source_changes *out)
{
    return source_changes_ask(out, w, text_differs, s);
}

const char *source_text_line(struct source_text *s, const char *directory, const char *file,
                             uint32_t line, size_t *length)
{
    const struct shown_file *f = look_up(s, directory, file);
    const char *begin, *end;

    if (!f || !f->text || line < 1 || line > f->n_lines)
        return NULL;
    assert(f->start[line - 1] <= f->start[line]);
    begin = f->text + f->start[line - 1];
    end = f->text + f->start[line];
    while (end > begin && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    *length = (size_t)(end - begin);
    return begin;
}
