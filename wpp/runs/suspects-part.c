/* SPDX-License-Identifier: MIT */
#include "wpp/runs/suspects-part.h"

#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"

enum { PART_ID = 0x32727077, HEADER = 20 };            /* "wpr2" */
#define NONE UINT32_MAX
#define TABLES_MOST (UINT64_C(1) << 40)

void part_notes_free(struct part_notes *n)
{
    free(n->builds);
    *n = (struct part_notes){0};
}

bool part_notes_add_build(struct part_notes *n, int64_t build)
{
    int64_t *larger;

    for (uint32_t i = 0; i < n->n_builds; i++)
        if (n->builds[i] == build)
            return true;
    larger = realloc(n->builds, (n->n_builds + (size_t)1) * sizeof *larger);
    if (!larger)
        return false;
    n->builds = larger;
    n->builds[n->n_builds++] = build;
    return true;
}

/* ---- Writing -------------------------------------------------------------------------------- */

static void put_notes(struct wpp_bytes *out, const struct part_notes *n)
{
    wpp_put_varint(out, n->n_unknown);
    wpp_put_varint(out, n->n_unusable);
    wpp_put_varint(out, n->n_builds);
    for (uint32_t i = 0; i < n->n_builds; i++)
        wpp_put_svarint(out, n->builds[i]);
}

static void put_routines(struct wpp_bytes *out, const struct suspects *s)
{
    uint32_t witness = 0;

    wpp_put_varint(out, s->n_witnesses);
    for (uint32_t i = 0; i < s->n_witnesses; i++) {
        wpp_put_svarint(out, s->witness[i].run);
        wpp_put_varint(out, s->witness[i].process);
    }
    wpp_put_varint(out, s->v.n_routines);
    for (uint32_t i = 0; i < s->v.n_routines; i++) {
        const struct known_routine *k = &s->v.routine[i];

        while (s->witness[witness].w != k->w)
            witness++;
        wpp_put_varint(out, witness);
        wpp_put_varint(out, k->number);
        wpp_put_u64(out, k->hash);
    }
}

static void put_paths(struct wpp_bytes *out, const struct vocabulary *v)
{
    wpp_put_varint(out, v->n_paths);
    for (uint32_t i = 0; i < v->n_paths; i++) {
        const struct wpp_terminal *t = &v->path[i].terminal;

        wpp_put_varint(out, v->path[i].routine);
        wpp_put_varint(out, t->path);
        wpp_put_varint(out, t->insns);
        wpp_put_varint(out, t->left);
        wpp_put_u8(out, (uint8_t)(t->enters | t->leaves << 1));
        wpp_put_varint(out, t->n_blocks);
        for (uint32_t k = 0; k < t->n_blocks; k++)
            wpp_put_varint(out, t->blocks[k]);
        wpp_put_varint(out, t->n_edges);
        for (uint32_t k = 0; k < t->n_edges; k++)
            wpp_put_varint(out, t->edges[k]);
    }
}

static void put_predicates(struct wpp_bytes *out, const struct vocabulary *v)
{
    wpp_put_varint(out, v->n_files);
    for (uint32_t i = 0; i < v->n_files; i++)
        wpp_put_string(out, v->file[i]);
    wpp_put_varint(out, v->n);
    for (uint32_t i = 0; i < v->n; i++) {
        const struct predicate *p = &v->predicate[i];

        wpp_put_varint(out, p->kind);
        wpp_put_varint(out, p->x);
        wpp_put_varint(out, p->y);
        wpp_put_varint(out, p->z);
        wpp_put_varint(out, p->site);
    }
}

static void put_runs(struct wpp_bytes *out, const struct suspects *s)
{
    wpp_put_varint(out, s->n_runs);
    for (uint32_t i = 0; i < s->n_runs; i++) {
        wpp_put_svarint(out, s->run[i].id);
        wpp_put_u8(out, s->run[i].fails);
        wpp_put_varint(out, s->run[i].events);
    }
}

static bool put_vectors(struct suspects *s, FILE *out, struct wpp_error *error)
{
    struct wpp_bytes size = {0};
    uint64_t sum = WPP_FNV_START;
    bool done = true;

    for (uint32_t r = 0; done && r < s->n_runs; r++) {
        struct wpp_view vector;

        done = run_vectors_bytes(&s->vectors, r, &vector, error);
        if (!done)
            break;
        size.size = 0;
        wpp_put_varint(&size, wpp_left(&vector));
        done = !size.failed || wpp_fail_memory(error);
        fwrite(size.data, 1, size.size, out);
        fwrite(vector.p, 1, wpp_left(&vector), out);
        sum = wpp_fnv(sum, vector.p, wpp_left(&vector));
    }
    size.size = 0;
    wpp_put_u64(&size, sum);
    fwrite(size.data, 1, size.failed ? 0 : size.size, out);
    wpp_bytes_free(&size);
    return done;
}

bool suspects_put_part(struct suspects *s, const struct part_notes *notes, FILE *out,
                       struct wpp_error *error)
{
    struct wpp_bytes head = {0}, tables = {0};
    bool done;

    put_notes(&tables, notes);
    put_routines(&tables, s);
    put_paths(&tables, &s->v);
    put_predicates(&tables, &s->v);
    put_runs(&tables, s);
    wpp_put_u32(&head, PART_ID);
    wpp_put_u64(&head, tables.size);
    if (!tables.failed)
        wpp_put_u64(&head, wpp_fnv(WPP_FNV_START, tables.data, tables.size));
    done = (!head.failed && !tables.failed) || wpp_fail_memory(error);
    if (done) {
        fwrite(head.data, 1, head.size, out);
        fwrite(tables.data, 1, tables.size, out);
        done = put_vectors(s, out, error);
    }
    wpp_bytes_free(&head);
    wpp_bytes_free(&tables);
    return done;
}

/* ---- Reading: the tables --------------------------------------------------------------------- */

/* What a part's numbers are here. */
struct taking {
    struct suspects *s;
    const char *name;
    part_open *open;
    void *ctx;
    struct wpp_error *error;
    struct wpp_view in;        /* of the tables */
    struct witness *witness;   /* those that were opened for this part */
    uint32_t n_witnesses;
    struct part_routine { uint32_t witness, number; uint64_t hash; } *from;
    uint32_t *routine, n_routines;
    struct known_path *path;   /* as the part has them */
    uint32_t *path_here, n_paths;
    uint32_t *file, n_files;
    uint32_t *predicate, n;
    uint32_t next_routine, next_path;      /* which is named next */
    struct suspect_run *run;
    uint32_t n_runs;
};

static bool broken(const struct taking *t)
{
    return wpp_fail(t->error, WPP_E_DAMAGED, "%s is no part of this store's runs, or is damaged", t->name);
}

/* An array for the number that comes next, whose items take so many bytes at least. */
static bool get_array(struct taking *t, void *array, uint32_t *n, size_t item, size_t least)
{
    size_t count = wpp_get_count(&t->in, least);

    if (t->in.failed || count >= NONE)
        return broken(t);
    *n = (uint32_t)count;
    *(void **)array = calloc(count + 1, item);
    return *(void **)array || wpp_fail_memory(t->error);
}

static bool get_notes(struct taking *t, struct part_notes *notes)
{
    size_t n;

    notes->n_unknown += (uint32_t)wpp_get_varint_max(&t->in, UINT32_MAX);
    notes->n_unusable += (uint32_t)wpp_get_varint_max(&t->in, UINT32_MAX);
    n = wpp_get_count(&t->in, 1);
    for (size_t i = 0; i < n; i++)
        if (!part_notes_add_build(notes, wpp_get_svarint(&t->in)))
            return wpp_fail_memory(t->error);
    return !t->in.failed || broken(t);
}

static bool get_witnesses(struct taking *t)
{
    if (!get_array(t, &t->witness, &t->n_witnesses, sizeof *t->witness, 2))
        return false;
    for (uint32_t i = 0; i < t->n_witnesses; i++) {
        t->witness[i].run = wpp_get_svarint(&t->in);
        t->witness[i].process = (uint32_t)wpp_get_varint_max(&t->in, UINT32_MAX);
    }
    if (!get_array(t, &t->from, &t->n_routines, sizeof *t->from, 10))
        return false;
    for (uint32_t i = 0; i < t->n_routines; i++) {
        const uint8_t *hash;

        t->from[i].witness = (uint32_t)wpp_get_varint_max(&t->in, UINT32_MAX);
        t->from[i].number = (uint32_t)wpp_get_varint_max(&t->in, UINT32_MAX);
        hash = wpp_get_bytes(&t->in, 8);
        t->from[i].hash = hash ? wpp_get_u64(hash) : 0;
        t->in.failed |= t->from[i].witness >= t->n_witnesses;
    }
    t->routine = calloc(t->n_routines + (size_t)1, sizeof *t->routine);
    if (!t->routine)
        return wpp_fail_memory(t->error);
    return !t->in.failed || broken(t);
}

static bool get_numbers(struct taking *t, const uint32_t **numbers, uint32_t *n)
{
    uint32_t *list;

    if (!get_array(t, &list, n, sizeof *list, 1))
        return false;
    *numbers = list;
    for (uint32_t i = 0; i < *n; i++)
        list[i] = (uint32_t)wpp_get_varint_max(&t->in, UINT32_MAX);
    return true;
}

static bool get_paths(struct taking *t)
{
    if (!get_array(t, &t->path, &t->n_paths, sizeof *t->path, 7))
        return false;
    for (uint32_t i = 0; i < t->n_paths; i++) {
        struct wpp_terminal *x = &t->path[i].terminal;
        uint64_t ends;

        t->path[i].routine = (uint32_t)wpp_get_varint_max(&t->in, UINT32_MAX);
        t->in.failed |= t->path[i].routine >= t->n_routines;
        x->path = wpp_get_varint(&t->in);
        x->insns = wpp_get_varint(&t->in);
        x->left = (uint32_t)wpp_get_varint_max(&t->in, UINT32_MAX);
        ends = wpp_get_varint_max(&t->in, 3);
        x->enters = ends & 1;
        x->leaves = ends >> 1;
        if (!get_numbers(t, &x->blocks, &x->n_blocks) || !get_numbers(t, &x->edges, &x->n_edges))
            return false;
    }
    t->path_here = calloc(t->n_paths + (size_t)1, sizeof *t->path_here);
    if (!t->path_here)
        return wpp_fail_memory(t->error);
    return !t->in.failed || broken(t);
}

static bool get_files(struct taking *t)
{
    if (!get_array(t, &t->file, &t->n_files, sizeof *t->file, 1))
        return false;
    for (uint32_t i = 0; i < t->n_files; i++) {
        size_t n = wpp_get_count(&t->in, 1);
        const uint8_t *text = wpp_get_bytes(&t->in, n);
        char *name;

        if (!text || memchr(text, 0, n))
            return broken(t);
        name = strndup((const char *)text, n);
        if (!name)
            return wpp_fail_memory(t->error);
        t->file[i] = vocabulary_file(&t->s->v, name);
        free(name);
    }
    return !t->s->v.failed || wpp_fail_memory(t->error);
}

/* ---- Reading: predicates --------------------------------------------------------------------- */

/* The file of a routine, which is kept if the vocabulary refers to it from now on. */
static wpp *witness_of(struct taking *t, uint32_t witness)
{
    struct witness *x = &t->witness[witness];

    if (!x->w)
        x->w = t->open(t->ctx, x->run, x->process, t->error);
    return x->w;
}

static bool name_routine(struct taking *t, uint32_t routine)
{
    struct witness *x = &t->witness[t->from[routine].witness];
    wpp *w = witness_of(t, t->from[routine].witness);
    struct wpp_summary run;
    bool kept = false;

    if (!w)
        return false;
    wpp_get_summary(w, &run);
    if (t->from[routine].number >= run.n_routines ||
        vocabulary_routine_hash(w, t->from[routine].number) != t->from[routine].hash)
        return broken(t);
    t->routine[routine] = vocabulary_routine(&t->s->v, w, t->from[routine].number, &kept);
    for (uint32_t i = 0; kept && i < t->s->n_witnesses; i++)
        kept = t->s->witness[i].w != w;
    if (kept && !suspects_keep(t->s, w, x->run, x->process))
        return wpp_fail_memory(t->error);
    return !t->s->v.failed || wpp_fail_memory(t->error);
}

static bool name_path(struct taking *t, uint32_t path)
{
    const struct known_path *p = &t->path[path];
    uint32_t routine = t->routine[p->routine];

    if (p->routine >= t->next_routine || !vocabulary_path_fits(&t->s->v, &p->terminal, routine))
        return broken(t);
    t->path_here[path] = vocabulary_add_path(&t->s->v, &p->terminal, routine);
    return !t->s->v.failed || wpp_fail_memory(t->error);
}

/* A number of an array whose first n items are known. */
static uint32_t known(struct taking *t, const uint32_t *array, uint32_t number, uint32_t n)
{
    if (number < n)
        return array[number];
    t->in.failed = true;
    return 0;
}

static void translate(struct taking *t, struct predicate *p, uint32_t number)
{
    switch (p->kind) {
    case PREDICATE_LINE: case PREDICATE_LINES:
        p->x = known(t, t->file, p->x, t->n_files);
        break;
    case PREDICATE_PAIR: case PREDICATE_TRIPLE:
        p->x = known(t, t->predicate, p->x, number);
        p->y = known(t, t->predicate, p->y, number);
        p->z = p->kind == PREDICATE_TRIPLE ? known(t, t->predicate, p->z, number) : 0;
        break;
    case PREDICATE_CALLERS:
        p->z = known(t, t->routine, p->z, t->next_routine);
        /* fall through */
    case PREDICATE_CALLER:
        p->y = known(t, t->routine, p->y, t->next_routine);
        /* fall through */
    default:
        p->x = known(t, t->routine, p->x, t->next_routine);
    }
    p->site = known(t, t->predicate, p->site, number);
}

/* Whether x, y and z are of that kind: what the texts of predicates rely on. */
static bool is_sound(const struct vocabulary *v, const struct predicate *p)
{
    const struct wpp_routine *r = p->kind == PREDICATE_BRANCH || p->kind == PREDICATE_BLOCK ||
                                  p->kind == PREDICATE_HEADER || p->kind == PREDICATE_EXACTLY
        ? wpp_routine(v->routine[p->x].w, v->routine[p->x].number) : NULL;

    switch (p->kind) {
    case PREDICATE_PAIR: case PREDICATE_TRIPLE:
        return v->predicate[p->x].kind == PREDICATE_PATH && v->predicate[p->y].kind == PREDICATE_PATH &&
               (p->kind == PREDICATE_PAIR || v->predicate[p->z].kind == PREDICATE_PATH);
    case PREDICATE_BRANCH:
        return p->y < r->n_edges;
    case PREDICATE_BLOCK: case PREDICATE_HEADER: case PREDICATE_EXACTLY:
        return p->y < r->n_blocks;
    case PREDICATE_LINE: case PREDICATE_LINES: case PREDICATE_CALLER: case PREDICATE_CALLERS:
        return true;
    default:
        return false;
    }
}

/* Routines and paths are named in the order of their predicates, so that what they imply is named when
 * it was in the part. */
static bool name_predicate(struct taking *t, uint32_t number, struct predicate p)
{
    struct vocabulary *v = &t->s->v;

    if (p.kind == PREDICATE_RUN) {
        t->predicate[number] = 0;
        return number == 0 || broken(t);
    }
    if (p.kind == PREDICATE_ROUTINE) {
        if (t->next_routine == t->n_routines || !name_routine(t, t->next_routine))
            return t->next_routine < t->n_routines ? false : broken(t);
        t->predicate[number] = v->routine[t->routine[t->next_routine++]].predicate;
        return true;
    }
    if (p.kind == PREDICATE_PATH) {
        if (t->next_path == t->n_paths || !name_path(t, t->next_path))
            return t->next_path < t->n_paths ? false : broken(t);
        t->predicate[number] = v->path[t->path_here[t->next_path++]].predicate;
        return true;
    }
    translate(t, &p, number);
    if (t->in.failed || !is_sound(v, &p))
        return broken(t);
    t->predicate[number] = vocabulary_predicate(v, p);
    return !v->failed || wpp_fail_memory(t->error);
}

static bool get_predicates(struct taking *t)
{
    if (!get_array(t, &t->predicate, &t->n, sizeof *t->predicate, 5))
        return false;
    for (uint32_t i = 0; i < t->n; i++) {
        struct predicate p;

        p.kind = (uint32_t)wpp_get_varint_max(&t->in, PREDICATE_BOTH);
        p.x = (uint32_t)wpp_get_varint_max(&t->in, UINT32_MAX);
        p.y = (uint32_t)wpp_get_varint_max(&t->in, UINT32_MAX);
        p.z = (uint32_t)wpp_get_varint_max(&t->in, UINT32_MAX);
        p.site = (uint32_t)wpp_get_varint_max(&t->in, UINT32_MAX);
        if (t->in.failed)
            return broken(t);
        if (!name_predicate(t, i, p))
            return false;
    }
    return (t->next_routine == t->n_routines && t->next_path == t->n_paths) || broken(t);
}

static bool get_runs(struct taking *t)
{
    if (!get_array(t, &t->run, &t->n_runs, sizeof *t->run, 3))
        return false;
    for (uint32_t i = 0; i < t->n_runs; i++) {
        t->run[i].id = wpp_get_svarint(&t->in);
        t->run[i].fails = wpp_get_varint_max(&t->in, 1);
        t->run[i].events = wpp_get_varint(&t->in);
    }
    return (!t->in.failed && wpp_left(&t->in) == 0) || broken(t);
}

/* ---- Reading: runs --------------------------------------------------------------------------- */

/* The run at hand, in numbers of this process. */
static bool translate_run(struct taking *t)
{
    struct run_vector *v = &t->s->at_hand;

    t->in.failed = false;
    for (uint32_t i = 0; i < v->n_facts; i++)
        v->fact[i] = known(t, t->predicate, v->fact[i], t->n);
    for (uint32_t i = 0; i < v->n_loops; i++) {
        uint32_t kind;

        v->loop[i].header = known(t, t->predicate, v->loop[i].header, t->n);
        kind = t->s->v.predicate[v->loop[i].header].kind;
        t->in.failed |= kind != PREDICATE_HEADER && kind != PREDICATE_ROUTINE;
    }
    for (uint32_t i = 0; i < v->n_spans; i++)
        v->span[i].path = known(t, t->path_here, v->span[i].path, t->n_paths);
    if (t->in.failed)
        return broken(t);
    return run_vector_sort(v) || wpp_fail_memory(t->error);
}

/* A varint, byte by byte.  False: there is none. */
static bool read_size(FILE *in, uint64_t *size)
{
    int byte = 0x80;

    *size = 0;
    for (unsigned shift = 0; (byte & 0x80) && shift < 63; shift += 7) {
        byte = getc(in);
        if (byte == EOF)
            return false;
        *size |= (uint64_t)(byte & 0x7F) << shift;
    }
    return !(byte & 0x80) && *size < SIZE_MAX / 2;
}

/* Reads n bytes, which may be fewer than a damaged file says. */
static bool read_bytes(struct taking *t, FILE *in, uint64_t n, struct wpp_bytes *out)
{
    enum { AT_ONCE = 1 << 20 };

    out->size = 0;
    while (out->size < n) {
        size_t some = n - out->size < AT_ONCE ? (size_t)(n - out->size) : AT_ONCE;

        if (out->capacity < out->size + some) {
            uint8_t *larger = realloc(out->data, 2 * out->capacity + some);

            if (!larger)
                return wpp_fail_memory(t->error);
            out->data = larger;
            out->capacity = 2 * out->capacity + some;
        }
        if (fread(out->data + out->size, 1, some, in) != some)
            return broken(t);
        out->size += some;
    }
    return true;
}

static bool take_runs(struct taking *t, FILE *in, struct wpp_bytes *bytes)
{
    uint64_t sum = WPP_FNV_START;
    uint8_t told[8];

    for (uint32_t r = 0; r < t->n_runs; r++) {
        uint64_t size;
        bool is_broken;

        if (!read_size(in, &size))
            return broken(t);
        if (!read_bytes(t, in, size, bytes))
            return false;
        if (!run_vector_get(wpp_view(bytes->data, bytes->size), &t->s->at_hand, &is_broken))
            return is_broken ? broken(t) : wpp_fail_memory(t->error);
        sum = wpp_fnv(sum, bytes->data, bytes->size);
        if (!translate_run(t) || !suspects_take_run(t->s, &t->run[r], t->error))
            return false;
    }
    if (fread(told, 1, sizeof told, in) != sizeof told || wpp_get_u64(told) != sum)
        return broken(t);
    return getc(in) == EOF || broken(t);
}

static bool read_tables(struct taking *t, FILE *in, struct wpp_bytes *tables)
{
    uint8_t head[HEADER];
    uint64_t size;

    if (fread(head, 1, HEADER, in) != HEADER || wpp_get_u32(head) != PART_ID)
        return broken(t);
    size = wpp_get_u64(head + 4);
    if (size > TABLES_MOST)
        return broken(t);
    if (!read_bytes(t, in, size, tables))
        return false;
    if (wpp_fnv(WPP_FNV_START, tables->data, tables->size) != wpp_get_u64(head + 12))
        return broken(t);
    t->in = wpp_view(tables->data, tables->size);
    return true;
}

static bool is_kept(const struct suspects *s, const wpp *w)
{
    for (uint32_t i = 0; i < s->n_witnesses; i++)
        if (s->witness[i].w == w)
            return true;
    return false;
}

static void free_taking(struct taking *t)
{
    for (uint32_t i = 0; t->witness && i < t->n_witnesses; i++)
        if (t->witness[i].w && !is_kept(t->s, t->witness[i].w))
            wpp_close(t->witness[i].w);
    for (uint32_t i = 0; t->path && i < t->n_paths; i++) {
        free((uint32_t *)t->path[i].terminal.blocks);
        free((uint32_t *)t->path[i].terminal.edges);
    }
    free(t->witness);
    free(t->from);
    free(t->routine);
    free(t->path);
    free(t->path_here);
    free(t->file);
    free(t->predicate);
    free(t->run);
}

bool suspects_take_part(struct suspects *s, FILE *in, const char *name, part_open *open, void *ctx,
                        struct part_notes *notes, struct wpp_error *error)
{
    struct taking t = {.s = s, .name = name, .open = open, .ctx = ctx, .error = error};
    struct wpp_bytes tables = {0}, bytes = {0};
    bool done = read_tables(&t, in, &tables) && get_notes(&t, notes) && get_witnesses(&t) &&
                get_paths(&t) && get_files(&t) && get_predicates(&t) && get_runs(&t) &&
                take_runs(&t, in, &bytes);

    free_taking(&t);
    wpp_bytes_free(&tables);
    wpp_bytes_free(&bytes);
    return done;
}
