/* SPDX-License-Identifier: MIT */
/* Many runs: vectors in their file, figures of loops, parts that other processes make, runs that wait; each
 * against the plain way, and with damage.  Random recordings, most of which no program could have made. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/unit/random-content.h"
#include "test/unit/tap.h"
#include "wpp/runs/run-inbox.h"
#include "wpp/runs/run-store.h"
#include "wpp/runs/suspects-part.h"

/* ---- Vectors -------------------------------------------------------------------------------- */

static void random_vector(struct random *r, struct run_vector *v)
{
    uint32_t fact = 0, header = 0, last = 0, thread = 0;

    if (!run_vector_room(v, 300, 40, 60))
        abort();
    v->n_facts = draw(r, 300);
    v->n_loops = draw(r, 40);
    v->n_threads = 1 + draw(r, 4);
    v->n_spans = draw(r, 60);
    for (uint32_t i = 0; i < v->n_facts; i++)
        v->fact[i] = fact += 1 + draw(r, draw(r, 9) ? 4 : 100000);
    for (uint32_t i = 0; i < v->n_loops; i++)
        v->loop[i] = (struct loop_count){header += 1 + draw(r, 30), (uint64_t)draw(r, 1u << 31) << draw(r, 33)};
    for (uint32_t i = 0; i < v->n_spans; i++) {
        if (thread + 1 < v->n_threads && draw(r, 20) == 0) {
            thread++;
            last = 0;
        }
        last += 1 + draw(r, 50);
        v->span[i] = (struct path_span){thread, draw(r, 1000), draw(r, last + 1), last};
    }
}

static bool same_vector(const struct run_vector *a, const struct run_vector *b)
{
    if (a->n_facts != b->n_facts || a->n_loops != b->n_loops || a->n_spans != b->n_spans ||
        a->n_threads != b->n_threads)
        return false;
    for (uint32_t i = 0; i < a->n_facts; i++)
        if (a->fact[i] != b->fact[i])
            return false;
    for (uint32_t i = 0; i < a->n_loops; i++)
        if (a->loop[i].header != b->loop[i].header || a->loop[i].most != b->loop[i].most)
            return false;
    for (uint32_t i = 0; i < a->n_spans; i++)
        if (memcmp(&a->span[i], &b->span[i], sizeof a->span[i]) != 0)
            return false;
    return true;
}

static void test_vectors(void)
{
    enum { N = 3000 };
    struct random r = {7};
    struct run_vector made = {0}, got = {0};
    struct run_vectors all;
    struct wpp_error error;
    bool added = true, same = true;

    run_vectors_init(&all);
    for (uint32_t i = 0; i < N; i++) {
        random_vector(&r, &made);
        added = added && run_vectors_add(&all, &made, &error);
    }
    tap_ok(added && all.fd >= 0, "%d vectors, %llu bytes of them in a file", N, (unsigned long long)all.written);
    r.state = 7;
    for (uint32_t i = 0; i < N; i++) {
        random_vector(&r, &made);
        same = same && run_vectors_read(&all, i, &got, &error) && same_vector(&made, &got);
    }
    tap_ok(same, "all are read back");
    same = run_vectors_read(&all, N - 1, &got, &error) && same_vector(&made, &got) &&
           run_vectors_read(&all, 3, &got, &error) && !same_vector(&made, &got);
    tap_ok(same, "in any order");
    run_vectors_free(&all);
    run_vector_free(&made);
    run_vector_free(&got);
}

static void test_broken_vectors(void)
{
    struct random r = {9};
    struct run_vector made = {0}, got = {0};
    struct wpp_bytes bytes = {0};
    uint32_t refused = 0, cuts = 0;
    bool broken;

    for (uint32_t i = 0; i < 30; i++) {
        random_vector(&r, &made);
        bytes.size = 0;
        run_vector_put(&bytes, &made);
        for (size_t n = 0; n < bytes.size; n++, cuts++)
            refused += !run_vector_get(wpp_view(bytes.data, n), &got, &broken) && broken;
        for (uint32_t k = 0; k < 200; k++) {             /* any bytes: an answer, and no fault */
            uint8_t *at = &bytes.data[draw(&r, (uint32_t)bytes.size)], old = *at;

            *at = (uint8_t)draw(&r, 256);
            run_vector_get(wpp_view(bytes.data, bytes.size), &got, &broken);
            *at = old;
        }
    }
    tap_ok(refused == cuts, "%u vectors that are cut are none", cuts);
    wpp_bytes_free(&bytes);
    run_vector_free(&made);
    run_vector_free(&got);
}

/* ---- Loops ---------------------------------------------------------------------------------- */

enum { LOOPS = 9, NOTES = 40000 };
struct note { uint32_t header; uint64_t most; };

static void random_notes(struct note *note, struct random *r, unsigned bits)
{
    for (uint32_t i = 0; i < NOTES; i++)
        note[i] = (struct note){draw(r, LOOPS), (uint64_t)draw(r, 1u << 31) >> draw(r, bits)};
}

static void note_all(struct loop_figures *l, const struct note *note, bool backward)
{
    for (uint32_t k = 0; k < NOTES; k++) {
        uint32_t i = backward ? NOTES - 1 - k : k;

        if (!loop_figures_note(l, note[i].header, note[i].most, i % 3 == 0, i + UINT64_C(1)))
            abort();
    }
    loop_figures_sort(l);
}

/* Whether they are all notes, in their order. */
static bool are_all(const struct loop_figures *l, const struct note *note)
{
    uint64_t fail[LOOPS] = {0}, pass[LOOPS] = {0}, set[LOOPS] = {0};

    for (uint32_t i = 0; i < NOTES; i++) {
        *(i % 3 == 0 ? &fail[note[i].header] : &pass[note[i].header]) += 1;
        set[note[i].header] += i + 1;
    }
    for (size_t i = 0; i < l->n; i++) {
        const struct loop_figure *f = &l->figure[i], *before = i > 0 ? f - 1 : NULL;

        if (before && (before->header > f->header || (before->header == f->header && before->most <= f->most)))
            return false;
        fail[f->header] -= f->fail;
        pass[f->header] -= f->pass;
        set[f->header] -= f->set;
    }
    for (uint32_t h = 0; h < LOOPS; h++)
        if (fail[h] || pass[h] || set[h])
            return false;
    return true;
}

static bool same_figures(const struct loop_figures *a, const struct loop_figures *b)
{
    if (a->n != b->n || a->bits != b->bits)
        return false;
    for (size_t i = 0; i < a->n; i++) {
        const struct loop_figure *x = &a->figure[i], *y = &b->figure[i];

        if (x->header != y->header || x->most != y->most || x->fail != y->fail || x->pass != y->pass ||
            x->set != y->set)
            return false;
    }
    return true;
}

static void test_loops(void)
{
    struct random r = {3};
    struct note *note = malloc(NOTES * sizeof *note);

    for (unsigned bits = 1; bits <= 31; bits += 15) {
        struct loop_figures a = {0}, b = {0};

        random_notes(note, &r, bits);
        note_all(&a, note, false);
        note_all(&b, note, true);
        tap_ok(are_all(&a, note), "loops: %zu figures of %d notes, %u bits", a.n, NOTES, a.bits);
        tap_ok(same_figures(&a, &b), "the same in another order");
        loop_figures_free(&a);
        loop_figures_free(&b);
    }
    free(note);
}

/* ---- Parts ---------------------------------------------------------------------------------- */

enum { FILES = 7, PART_RUNS = 24 };

struct files { struct wpp_bytes bytes[FILES]; uint32_t opened; };

static void make_files(struct files *f)
{
    struct random r = {11};
    struct wpp_error error;

    for (uint32_t i = 0; i < FILES; i++) {
        struct random_content *c = random_content(&r, 1 + i % RC_THREADS, 60);

        f->bytes[i] = (struct wpp_bytes){0};
        if (!wpp_content_encode(&c->content, &f->bytes[i], &error))
            abort();
        random_content_free(c);
    }
}

/* Process k of run i is file i + k; every fifth run has two. */
static uint32_t processes_of(int64_t run)
{
    return run % 5 == 0 ? 2 : 1;
}

static wpp *open_file(void *ctx, int64_t run, uint32_t process, struct wpp_error *error)
{
    struct files *f = ctx;
    const struct wpp_bytes *b = &f->bytes[(run + process) % FILES];

    f->opened++;
    return wpp_open_memory(b->data, b->size, "a file", error);
}

static void add_runs(struct suspects *s, struct files *f, int64_t first, int64_t end)
{
    struct wpp_error error;

    for (int64_t run = first; run < end; run++) {
        uint32_t n = processes_of(run);
        wpp *w[2] = {open_file(f, run, 0, &error), n > 1 ? open_file(f, run, 1, &error) : NULL};

        if (!w[0] || !suspects_add(s, run, run % 3 == 0, w, n, &error)) {
            tap_note("run %lld: %s", (long long)run, error.text);
            abort();
        }
    }
}

static bool same_vocabulary(const struct vocabulary *a, const struct vocabulary *b)
{
    if (a->n != b->n || a->n_routines != b->n_routines || a->n_paths != b->n_paths)
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (memcmp(&a->predicate[i], &b->predicate[i], sizeof a->predicate[i]) != 0)
            return false;
    return true;
}

static bool same_suspects(struct suspects *a, struct suspects *b)
{
    struct wpp_error error;

    if (!same_vocabulary(&a->v, &b->v) || a->n_runs != b->n_runs || a->n_fail != b->n_fail)
        return false;
    for (uint32_t i = 0; i < a->v.n; i++)
        if (memcmp(&a->count[i], &b->count[i], sizeof a->count[i]) != 0)
            return false;
    for (uint32_t r = 0; r < a->n_runs; r++)
        if (a->run[r].id != b->run[r].id || a->run[r].fails != b->run[r].fails ||
            !suspects_read(a, r, &error) || !suspects_read(b, r, &error) ||
            !same_vector(&a->at_hand, &b->at_hand))
            return false;
    return true;
}

/* The runs from first to before end, as bytes. */
static void make_part(struct files *f, int64_t first, int64_t end, char **bytes, size_t *n)
{
    struct part_notes notes = {.n_unknown = 2, .n_unusable = 1};
    struct suspects s;
    struct wpp_error error;
    FILE *out = open_memstream(bytes, n);

    suspects_init(&s);
    add_runs(&s, f, first, end);
    if (!out || !part_notes_add_build(&notes, 5 + first % 2) || !suspects_put_part(&s, &notes, out, &error))
        abort();
    fclose(out);
    part_notes_free(&notes);
    suspects_free(&s);
}

static bool take(struct suspects *s, struct files *f, const char *bytes, size_t n, struct part_notes *notes,
                 struct wpp_error *error)
{
    FILE *in = n > 0 ? fmemopen((void *)bytes, n, "r") : fopen("/dev/null", "r");
    bool done = suspects_take_part(s, in, "a part", open_file, f, notes, error);

    fclose(in);
    return done;
}

static void test_parts(struct files *f, int64_t size)
{
    struct suspects whole, parts;
    struct part_notes notes = {0};
    struct wpp_error error;
    uint32_t n = 0;
    bool done = true;

    suspects_init(&whole);
    suspects_init(&parts);
    add_runs(&whole, f, 0, PART_RUNS);
    for (int64_t first = 0; first < PART_RUNS; first += size, n++) {
        char *bytes;
        size_t m;

        make_part(f, first, first + size < PART_RUNS ? first + size : PART_RUNS, &bytes, &m);
        done = done && take(&parts, f, bytes, m, &notes, &error);
        free(bytes);
    }
    tap_ok(done && same_suspects(&whole, &parts), "%u parts of %lld runs are what all runs are: %u predicates", n,
           (long long)size, whole.v.n);
    tap_ok(notes.n_unknown == 2 * n && notes.n_unusable == n && notes.n_builds == (n > 1 && size % 2 ? 2 : 1),
           "with their notes");
    tap_ok(suspects_end(&whole, true, &error) && suspects_end(&parts, true, &error) &&
               whole.v.n == parts.v.n && whole.orders.n_orders == parts.orders.n_orders &&
               memcmp(whole.count, parts.count, whole.v.n * sizeof *whole.count) == 0,
           "and with what only all runs show: %u predicates", whole.v.n);
    part_notes_free(&notes);
    suspects_free(&whole);
    suspects_free(&parts);
}

/* Each byte changed, and the end cut at every so many. */
static void test_broken_part(struct files *f)
{
    struct wpp_error error;
    struct random r = {5};
    uint32_t accepted = 0, strange = 0;
    char *bytes;
    size_t n;

    make_part(f, 0, 3, &bytes, &n);
    for (size_t i = 0; i < n; i += n > 4000 ? 1 + draw(&r, (uint32_t)(n / 500)) : 1)
        for (int cut = 0; cut < 2; cut++) {
            struct part_notes notes = {0};
            struct suspects s;
            char old = bytes[i];

            suspects_init(&s);
            bytes[i] = (char)(cut ? old : old ^ 1 << draw(&r, 8));
            if (take(&s, f, bytes, cut ? i : n, &notes, &error))
                accepted++;
            else
                strange += error.status != WPP_E_DAMAGED && error.status != WPP_E_MEMORY;
            bytes[i] = old;
            part_notes_free(&notes);
            suspects_free(&s);
        }
    tap_ok(accepted == 0 && strange == 0, "a part of %zu bytes with any byte changed or cut off is refused", n);
    free(bytes);
}

/* ---- Runs that wait ---------------------------------------------------------------------------- */

static bool same_run(const struct new_run *a, const struct new_run *b)
{
    if (memcmp(&a->key, &b->key, sizeof a->key) != 0 || a->label != b->label || a->exited != b->exited ||
        a->killed != b->killed || a->n_processes != b->n_processes || !a->job != !b->job ||
        (a->job && (strcmp(a->job, b->job) != 0 || a->rank != b->rank)))
        return false;
    for (uint32_t i = 0; i < a->n_processes; i++)
        if (strcmp(a->process[i].program, b->process[i].program) != 0 ||
            a->process[i].file.size != b->process[i].file.size ||
            memcmp(a->process[i].file.data, b->process[i].file.data, a->process[i].file.size) != 0)
            return false;
    return true;
}

static void flip(const char *folder, const char *name, long at, int bit, bool cut)
{
    char path[500];
    FILE *file;
    int byte;

    snprintf(path, sizeof path, "%s/new/%s", folder, name);
    if (cut && truncate(path, at) == 0)
        return;
    file = fopen(path, "r+");
    fseek(file, at, SEEK_SET);
    byte = getc(file);
    fseek(file, at, SEEK_SET);
    putc(byte ^ 1 << bit, file);
    fclose(file);
}

static void test_waiting(struct files *f)
{
    char folder[] = "/tmp/wpp-test-runs.XXXXXX", path[100];
    struct run_process process[2] = {{"prog", f->bytes[0]}, {"a name\nof two lines", f->bytes[1]}};
    struct new_run run = {.label = RUN_FAIL, .exited = 4, .killed = 0, .job = "slurm 1.0", .rank = 3,
                          .process = process, .n_processes = 2};
    struct waiting_run got;
    struct wpp_error error;
    struct random r = {13};
    uint32_t refused = 0, damaged = 0;
    char **names;
    size_t n;
    bool found;

    if (!mkdtemp(folder))
        abort();
    memset(run.key.byte, 0x5a, sizeof run.key.byte);
    tap_ok(run_inbox_list(folder, &names, &n, &error) && n == 0, "nothing waits at first");
    run_inbox_free_names(names, n);
    tap_ok(run_inbox_put(folder, &run, &error) && run_inbox_list(folder, &names, &n, &error) && n == 1, "a run waits");
    tap_ok(run_inbox_read(folder, names[0], &got, &found, &error) && found && same_run(&run, &got.run),
           "it is as it was put there");
    run_inbox_free(&got);
    for (uint32_t i = 0; i < 60; i++) {
        long size = (long)(f->bytes[0].size + f->bytes[1].size), at = (long)draw(&r, (uint32_t)size);
        int bit = (int)draw(&r, 8);

        flip(folder, names[0], at, bit, false);
        refused += !run_inbox_read(folder, names[0], &got, &found, &error);
        damaged += error.status == WPP_E_DAMAGED;
        flip(folder, names[0], at, bit, false);
    }
    tap_ok(refused == 60 && damaged == 60, "with a bit changed it is refused");
    flip(folder, names[0], 40, 0, true);
    tap_ok(!run_inbox_read(folder, names[0], &got, &found, &error) && error.status == WPP_E_DAMAGED, "and cut");
    run_inbox_remove(folder, names[0]);
    tap_ok(run_inbox_read(folder, names[0], &got, &found, &error) && !found, "one that is gone is no error");
    run_inbox_free_names(names, n);
    snprintf(path, sizeof path, "%s/new", folder);
    rmdir(path);
    rmdir(folder);
}

/* ---- Stores that several make ---------------------------------------------------------------------- */

enum { MAKERS = 4, STORES = 60 };

/* Opens the store as soon as all are there to do so. */
static void make_store(const char *folder, int gate)
{
    char go;
    struct run_store *s;

    if (read(gate, &go, 1) < 0)
        _exit(2);
    s = run_store_open(folder, RUN_STORE_CREATE, NULL);
    run_store_close(s);
    _exit(s == NULL);
}

/* How many of them cannot make it, or open what another one makes. */
static uint32_t make_at_once(const char *folder)
{
    uint32_t failed = 0;
    int gate[2], status;

    if (pipe(gate) != 0)
        return MAKERS;
    for (int i = 0; i < MAKERS; i++)
        if (fork() == 0) {
            close(gate[1]);
            make_store(folder, gate[0]);
        }
    close(gate[0]);
    close(gate[1]);              /* the end of the pipe is what they wait for */
    for (int i = 0; i < MAKERS; i++)
        failed += wait(&status) < 0 || status != 0;
    return failed;
}

static void test_makers(void)
{
    static const char *const files[] = {"runs.sqlite", "runs.sqlite-wal", "runs.sqlite-shm", NULL};
    const char *parent = getenv("TMPDIR");
    char folder[300], path[400];
    uint32_t failed = 0;

    for (int i = 0; i < STORES; i++) {
        snprintf(folder, sizeof folder, "%s/wpp-store.XXXXXX", parent ? parent : "/tmp");
        if (!mkdtemp(folder))
            exit(1);
        failed += make_at_once(folder);
        for (int k = 0; files[k]; k++) {
            snprintf(path, sizeof path, "%s/%s", folder, files[k]);
            remove(path);
        }
        rmdir(folder);
    }
    tap_ok(failed == 0, "%d at once make a store, %d times: %u fail", MAKERS, STORES, failed);
}

int main(void)
{
    struct files f = {0};

    test_vectors();
    test_broken_vectors();
    test_loops();
    make_files(&f);
    test_parts(&f, 1);
    test_parts(&f, 5);
    test_parts(&f, PART_RUNS);
    test_broken_part(&f);
    test_waiting(&f);
    test_makers();
    for (uint32_t i = 0; i < FILES; i++)
        wpp_bytes_free(&f.bytes[i]);
    return tap_done();
}
