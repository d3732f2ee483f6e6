/* SPDX-License-Identifier: MIT */
#include "wpp/runs/run-vectors.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wpp/base/error.h"
#include "wpp/base/nameless-file.h"

#ifdef WPP_HOSTILE
enum { PENDING_MOST = 100 };
#else
enum { PENDING_MOST = 1 << 20 };
#endif

/* ---- A vector ------------------------------------------------------------------------------- */

void run_vector_free(struct run_vector *v)
{
    free(v->fact);
    free(v->loop);
    free(v->span);
    *v = (struct run_vector){0};
}

static bool make_room(void *array, uint32_t n, uint32_t *room, size_t size)
{
    void **p = array, *larger;

    if (n <= *room)
        return true;
    larger = malloc(((size_t)n + n / 2) * size);
    if (!larger)
        return false;
    free(*p);
    *p = larger;
    *room = n + n / 2;
    return true;
}

bool run_vector_room(struct run_vector *v, uint32_t n_facts, uint32_t n_loops, uint32_t n_spans)
{
    return make_room(&v->fact, n_facts, &v->fact_room, sizeof *v->fact) &&
           make_room(&v->loop, n_loops, &v->loop_room, sizeof *v->loop) &&
           make_room(&v->span, n_spans, &v->span_room, sizeof *v->span);
}

static int compare_facts(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return a < b ? -1 : a > b;
}

static int compare_loops(const void *left, const void *right)
{
    const struct loop_count *a = left, *b = right;

    return a->header < b->header ? -1 : a->header > b->header;
}

/* By a bit for each number: faster than to compare, since a run has many of all facts that there are. */
static bool sort_facts(struct run_vector *v)
{
    uint32_t most = 0, n = 0;
    uint64_t *bits;

    for (uint32_t i = 0; i < v->n_facts; i++)
        most = v->fact[i] > most ? v->fact[i] : most;
    bits = calloc(most / 64 + (size_t)1, sizeof *bits);
    if (!bits)
        return false;
    for (uint32_t i = 0; i < v->n_facts; i++)
        bits[v->fact[i] / 64] |= UINT64_C(1) << v->fact[i] % 64;
    for (uint32_t word = 0; word <= most / 64; word++)
        for (uint64_t left = bits[word]; left; left &= left - 1)
            v->fact[n++] = 64 * word + (uint32_t)__builtin_ctzll(left);
    v->n_facts = n;
    free(bits);
    return true;
}

bool run_vector_sort(struct run_vector *v)
{
    if (v->n_loops > 0)
        qsort(v->loop, v->n_loops, sizeof *v->loop, compare_loops);
    return v->n_facts == 0 || sort_facts(v);
}

bool run_vector_of(struct run_vector *out, const struct run_facts *f)
{
    if (!run_vector_room(out, f->n, f->n_loops, f->n_spans))
        return false;
    out->n_facts = f->n;
    out->n_loops = f->n_loops;
    out->n_spans = f->n_spans;
    out->n_threads = f->n_threads;
    if (f->n > 0)
        memcpy(out->fact, f->predicate, f->n * sizeof *out->fact);
    if (f->n_spans > 0)
        memcpy(out->span, f->span, f->n_spans * sizeof *out->span);
    for (uint32_t i = 0; i < f->n_loops; i++)
        out->loop[i] = (struct loop_count){f->loop[i].header, f->loop[i].most};
    return run_vector_sort(out);
}

bool run_vector_has(const struct run_vector *v, uint32_t fact)
{
    return v->n_facts > 0 && bsearch(&fact, v->fact, v->n_facts, sizeof *v->fact, compare_facts);
}

uint64_t run_vector_most(const struct run_vector *v, uint32_t header, bool *found)
{
    const struct loop_count key = {.header = header};
    const struct loop_count *l = v->n_loops == 0 ? NULL : bsearch(&key, v->loop, v->n_loops, sizeof key,
                                                                  compare_loops);

    *found = l != NULL;
    return l ? l->most : 0;
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

void run_vector_put(struct wpp_bytes *out, const struct run_vector *v)
{
    uint32_t before = 0, thread = 0, last = 0;

    wpp_put_varint(out, v->n_facts);
    for (uint32_t i = 0; i < v->n_facts; before = v->fact[i++])
        wpp_put_varint(out, v->fact[i] - before);
    wpp_put_varint(out, v->n_loops);
    before = 0;
    for (uint32_t i = 0; i < v->n_loops; before = v->loop[i++].header) {
        wpp_put_varint(out, v->loop[i].header - before);
        wpp_put_varint(out, v->loop[i].most);
    }
    wpp_put_varint(out, v->n_threads);
    wpp_put_varint(out, v->n_spans);
    for (uint32_t i = 0; i < v->n_spans; i++) {
        const struct path_span *s = &v->span[i];

        wpp_put_varint(out, s->thread - thread);
        last = s->thread == thread ? last : 0;
        thread = s->thread;
        wpp_put_varint(out, s->path);
        wpp_put_varint(out, s->last - last);
        wpp_put_varint(out, s->last - s->first);
        last = s->last;
    }
}

static uint32_t get_more(struct wpp_view *in, uint32_t before)
{
    return before + (uint32_t)wpp_get_varint_max(in, UINT32_MAX - before);
}

static void get_facts(struct wpp_view *in, struct run_vector *out)
{
    uint32_t before = 0;

    for (uint32_t i = 0; i < out->n_facts; i++)
        out->fact[i] = before = get_more(in, before);
}

static void get_loops(struct wpp_view *in, struct run_vector *out)
{
    uint32_t before = 0;

    for (uint32_t i = 0; i < out->n_loops; i++) {
        out->loop[i].header = before = get_more(in, before);
        out->loop[i].most = wpp_get_varint(in);
    }
}

static void get_spans(struct wpp_view *in, struct run_vector *out)
{
    uint32_t thread = 0, last = 0;

    for (uint32_t i = 0; i < out->n_spans; i++) {
        struct path_span *s = &out->span[i];

        s->thread = get_more(in, thread);
        last = s->thread == thread ? last : 0;
        thread = s->thread;
        s->path = (uint32_t)wpp_get_varint_max(in, UINT32_MAX);
        s->last = last = get_more(in, last);
        s->first = s->last - (uint32_t)wpp_get_varint_max(in, s->last);
        in->failed |= thread >= out->n_threads;
    }
}

/* A number that fits the bytes that are left, and 32 bits. */
static uint32_t get_number(struct wpp_view *in, size_t least)
{
    size_t n = wpp_get_count(in, least);

    in->failed |= n > UINT32_MAX / 2;
    return in->failed ? 0 : (uint32_t)n;
}

bool run_vector_get(struct wpp_view bytes, struct run_vector *out, bool *broken)
{
    struct wpp_view in = bytes;

    *broken = false;
    out->n_facts = get_number(&in, 1);
    if (!run_vector_room(out, out->n_facts, 0, 0))
        return false;
    get_facts(&in, out);
    out->n_loops = get_number(&in, 2);
    if (!run_vector_room(out, 0, out->n_loops, 0))
        return false;
    get_loops(&in, out);
    out->n_threads = (uint32_t)wpp_get_varint_max(&in, UINT32_MAX);
    out->n_spans = get_number(&in, 4);
    if (!run_vector_room(out, 0, 0, out->n_spans))
        return false;
    get_spans(&in, out);
    *broken = in.failed || wpp_left(&in) > 0;
    return !*broken;
}

/* ---- Many ----------------------------------------------------------------------------------- */

void run_vectors_init(struct run_vectors *s)
{
    *s = (struct run_vectors){.fd = -1};
}

void run_vectors_free(struct run_vectors *s)
{
    if (s->fd >= 0)
        close(s->fd);
    wpp_bytes_free(&s->pending);
    wpp_bytes_free(&s->buffer);
    free(s->end);
    run_vectors_init(s);
}

static const char *folder_of(void)
{
    const char *folder = getenv("TMPDIR");

    return folder && *folder ? folder : "/tmp";
}

static bool flush(struct run_vectors *s, struct wpp_error *error)
{
    if (s->pending.size == 0)
        return true;
    if (s->fd < 0 && (s->fd = wpp_nameless_file(folder_of())) < 0)
        return wpp_fail_errno(error, "cannot make a file in %s", folder_of());
    if (!wpp_pwrite_all(s->fd, s->pending.data, s->pending.size, (off_t)s->written))
        return wpp_fail_errno(error, "cannot write what is true of the runs to a file in %s", folder_of());
    s->written += s->pending.size;
    s->pending.size = 0;
    return true;
}

bool run_vectors_add(struct run_vectors *s, const struct run_vector *v, struct wpp_error *error)
{
    if (s->n == s->capacity) {
        uint32_t n = 2 * s->capacity + 64;
        uint64_t *larger = realloc(s->end, n * sizeof *larger);

        if (!larger)
            return wpp_fail_memory(error);
        s->end = larger;
        s->capacity = n;
    }
    run_vector_put(&s->pending, v);
    if (s->pending.failed)
        return wpp_fail_memory(error);
    s->end[s->n++] = s->written + s->pending.size;
    return s->pending.size < PENDING_MOST || flush(s, error);
}

bool run_vectors_bytes(struct run_vectors *s, uint32_t run, struct wpp_view *out, struct wpp_error *error)
{
    uint64_t begin = run > 0 ? s->end[run - 1] : 0;
    size_t n = (size_t)(s->end[run] - begin);

    if (begin >= s->written) {
        *out = wpp_view(s->pending.data + (begin - s->written), n);
        return true;
    }
    if (s->buffer.capacity < n) {
        uint8_t *larger = realloc(s->buffer.data, 2 * n);

        if (!larger)
            return wpp_fail_memory(error);
        s->buffer.data = larger;
        s->buffer.capacity = 2 * n;
    }
    if (!wpp_pread_all(s->fd, s->buffer.data, n, (off_t)begin))
        return wpp_fail_errno(error, "cannot read what is true of the runs from a file in %s", folder_of());
    *out = wpp_view(s->buffer.data, n);
    return true;
}

bool run_vectors_read(struct run_vectors *s, uint32_t run, struct run_vector *out,
                      struct wpp_error *error)
{
    struct wpp_view bytes;
    bool broken;

    if (!run_vectors_bytes(s, run, &bytes, error))
        return false;
    if (run_vector_get(bytes, out, &broken))
        return true;
    return broken ? wpp_fail(error, WPP_E_DAMAGED, "what is true of the runs has changed in a file in %s",
                             folder_of())
                  : wpp_fail_memory(error);
}
