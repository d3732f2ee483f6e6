/* SPDX-License-Identifier: MIT */
#include "wpp/runs/run-store.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "wpp/base/error.h"
#include "wpp/base/whole-file.h"
#include "wpp/read/reader.h"
#include "wpp/runs/run-inbox.h"
#include "wpp/runs/run-pack.h"

const char *const run_label_names[] = {"unknown", "pass", "fail", NULL};

enum { STORE_ID = 0x77727331, STORE_VERSION = 2 };     /* "wrs1", in the header of the index */
enum { PATIENCE = 120000 };                            /* milliseconds, for other writers */

/* Files that are larger are not in the index: a page of it holds 4 kB. */
#ifdef WPP_HOSTILE
enum { INDEX_MOST = 1 << 10 };
#else
enum { INDEX_MOST = 1 << 18 };
#endif

static const char schema[] =
    "CREATE TABLE build ("
    "  id INTEGER PRIMARY KEY,"
    "  hash INTEGER NOT NULL UNIQUE,"      /* of the program's name and build id */
    "  program TEXT NOT NULL);"
    "CREATE TABLE run ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  key BLOB NOT NULL UNIQUE,"
    "  label INTEGER NOT NULL,"            /* enum run_label */
    "  build INTEGER NOT NULL REFERENCES build,"
    "  exited INTEGER NOT NULL, killed INTEGER NOT NULL,"
    "  program TEXT NOT NULL, command TEXT NOT NULL,"
    "  started INTEGER NOT NULL,"
    "  events INTEGER NOT NULL, bytes INTEGER NOT NULL, stored INTEGER NOT NULL,"
    "  processes INTEGER NOT NULL,"
    "  job TEXT NOT NULL DEFAULT '', rank INTEGER NOT NULL DEFAULT -1);"     /* since version 2 */
    "CREATE INDEX run_by_label ON run (label);"
    "CREATE TABLE process ("
    "  run INTEGER NOT NULL REFERENCES run,"
    "  number INTEGER NOT NULL,"
    "  program TEXT NOT NULL,"
    "  packing INTEGER NOT NULL,"          /* 0: body is the WPP; 1: packed, with the base of its build */
    "  body BLOB,"                         /* NULL: the WPP is a file in `large` */
    "  PRIMARY KEY (run, number));"
    "CREATE INDEX process_to_pack ON process (run) WHERE packing = 0;"
    "CREATE TABLE shared ("                /* items of the bases */
    "  build INTEGER NOT NULL REFERENCES build,"
    "  first INTEGER NOT NULL,"            /* number of its first item */
    "  body BLOB NOT NULL,"
    "  PRIMARY KEY (build, first));";

/* From version 1. */
static const char upgrade[] =
    "ALTER TABLE run ADD COLUMN job TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE run ADD COLUMN rank INTEGER NOT NULL DEFAULT -1;"
    "PRAGMA user_version=2; COMMIT";

struct run_store {
    sqlite3 *db;
    char *folder;
    uint32_t n_unread;           /* damaged files in the inbox */
    uint32_t n_waiting;          /* files there that could not be taken: the index is not ours to write */
    struct run_base *base;       /* of a build, as far as it has been read; or NULL */
    int64_t base_build;
};

/* ---- Errors and statements ------------------------------------------------------------------ */

static bool fail_sql(struct run_store *s, struct wpp_error *error)
{
    int code = sqlite3_errcode(s->db);

    if (code == SQLITE_NOMEM)
        return wpp_fail_memory(error);
    if (code == SQLITE_BUSY)
        return wpp_fail(error, WPP_E_SYSTEM, "another process has locked the runs in %s", s->folder);
    return wpp_fail(error, code == SQLITE_CORRUPT ? WPP_E_DAMAGED : WPP_E_SYSTEM,
                    "the index of %s: %s", s->folder, sqlite3_errmsg(s->db));
}

static bool execute(struct run_store *s, const char *sql, struct wpp_error *error)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK || fail_sql(s, error);
}

/* Its parameters are set by `format`: i: int64_t, s: text, k: a key, b: bytes, or NULL for none.  They
 * must live until the statement is finished.  NULL: error. */
static sqlite3_stmt *prepare(struct run_store *s, struct wpp_error *error, const char *sql,
                             const char *format, ...)
{
    sqlite3_stmt *q = NULL;
    int code = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL), n = 0;
    va_list args;

    va_start(args, format);
    for (; code == SQLITE_OK && *format; format++) {
        n++;
        if (*format == 'i') {
            code = sqlite3_bind_int64(q, n, va_arg(args, int64_t));
        } else if (*format == 's') {
            code = sqlite3_bind_text(q, n, va_arg(args, const char *), -1, SQLITE_STATIC);
        } else if (*format == 'k') {
            code = sqlite3_bind_blob(q, n, va_arg(args, const struct run_key *), RUN_KEY_BYTES,
                                     SQLITE_STATIC);
        } else {
            const struct wpp_bytes *b = va_arg(args, const struct wpp_bytes *);

            if (b)
                code = sqlite3_bind_blob64(q, n, b->data, b->size, SQLITE_STATIC);
        }
    }
    va_end(args);
    if (code == SQLITE_OK)
        return q;
    fail_sql(s, error);
    sqlite3_finalize(q);
    return NULL;
}

/* Runs a statement that returns nothing, and finishes it. */
static bool finish(struct run_store *s, sqlite3_stmt *q, struct wpp_error *error)
{
    bool done = q && sqlite3_step(q) == SQLITE_DONE;

    if (q && !done)
        fail_sql(s, error);
    sqlite3_finalize(q);
    return done;
}

/* Runs a statement that returns a number, or nothing (*found false), and finishes it. */
static bool ask(struct run_store *s, sqlite3_stmt *q, bool *found, int64_t *number,
                struct wpp_error *error)
{
    int code = q ? sqlite3_step(q) : SQLITE_ERROR;

    *found = code == SQLITE_ROW;
    if (*found)
        *number = sqlite3_column_int64(q, 0);
    if (q && code != SQLITE_ROW && code != SQLITE_DONE)
        fail_sql(s, error);
    sqlite3_finalize(q);
    return code == SQLITE_ROW || code == SQLITE_DONE;
}

/* ---- Opening -------------------------------------------------------------------------------- */

static bool path_in(char **out, const char *folder, const char *name, struct wpp_error *error)
{
    if (asprintf(out, "%s/%s", folder, name) >= 0)
        return true;
    *out = NULL;
    return wpp_fail_memory(error);
}

/* Whether a folder holds nothing that is not of a store: another process may be making one there. */
static bool may_become_store(const char *folder, struct wpp_error *error)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    bool free = dir != NULL;

    if (!dir)
        return wpp_fail_errno(error, "cannot read %s", folder);
    while (free && (entry = readdir(dir)))
        free = entry->d_name[0] == '.' || strncmp(entry->d_name, "runs.sqlite", 11) == 0 ||
               strcmp(entry->d_name, "large") == 0 || strcmp(entry->d_name, "new") == 0;
    closedir(dir);
    return free || wpp_fail(error, WPP_E_FORMAT,
                            "%s holds other files: a store of runs needs a folder of its own", folder);
}

static bool prepare_folder(const char *folder, const char *index, enum run_store_use use,
                           struct wpp_error *error)
{
    if (access(index, F_OK) == 0)
        return true;
    if (use != RUN_STORE_CREATE)
        return wpp_fail(error, WPP_E_FORMAT, "%s is no store of runs: it has no runs.sqlite", folder);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return wpp_fail_errno(error, "cannot make the folder %s", folder);
    return may_become_store(folder, error);
}

static bool pragma(struct run_store *s, const char *sql, int64_t *number, struct wpp_error *error)
{
    bool found;

    return ask(s, prepare(s, error, sql, ""), &found, number, error);
}

/* Readers then never wait for writers.  SQLite does not wait by itself where two processes make an
 * index at the same time. */
static bool use_log(struct run_store *s, struct wpp_error *error)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    int code = SQLITE_BUSY;

    for (int i = 0; i < PATIENCE / 10 && (code & 0xFF) == SQLITE_BUSY; i++) {
        code = sqlite3_exec(s->db, "PRAGMA journal_mode=WAL", NULL, NULL, NULL);
        if ((code & 0xFF) == SQLITE_BUSY)
            nanosleep(&moment, NULL);
    }
    return code == SQLITE_OK || fail_sql(s, error);
}

static bool fail_strange(const struct run_store *s, struct wpp_error *error)
{
    return wpp_fail(error, WPP_E_FORMAT, "%s is no store of runs: another program made its runs.sqlite",
                    s->folder);
}

static bool make_tables(struct run_store *s, struct wpp_error *error)
{
    int64_t version = 0, tables = 0;
    char *sql;
    bool done;

    if (!use_log(s, error) || !execute(s, "BEGIN IMMEDIATE", error))
        return false;
    if (!pragma(s, "PRAGMA user_version", &version, error))
        return false;
    if (version != 0)
        return execute(s, "COMMIT", error);
    if (!pragma(s, "SELECT count(*) FROM sqlite_master", &tables, error))
        return false;
    if (tables != 0)
        return fail_strange(s, error);
    if (asprintf(&sql, "%s PRAGMA application_id=%d; PRAGMA user_version=%d; COMMIT", schema, STORE_ID,
                 STORE_VERSION) < 0)
        return wpp_fail_memory(error);
    done = execute(s, sql, error) && execute(s, "PRAGMA wal_checkpoint(TRUNCATE)", error);
    free(sql);
    return done;
}

/* Another process may do so at the same time. */
static bool upgrade_tables(struct run_store *s, struct wpp_error *error)
{
    int64_t version = 0;

    if (!execute(s, "BEGIN IMMEDIATE", error) || !pragma(s, "PRAGMA user_version", &version, error))
        return false;
    return execute(s, version == 1 ? upgrade : "COMMIT", error) &&
           execute(s, "PRAGMA wal_checkpoint(TRUNCATE)", error);
}

/* Both in one transaction: between two, another process may make the index. */
static bool get_version(struct run_store *s, int64_t *id, int64_t *version, struct wpp_error *error)
{
    return execute(s, "BEGIN", error) && pragma(s, "PRAGMA application_id", id, error) &&
           pragma(s, "PRAGMA user_version", version, error) && execute(s, "COMMIT", error);
}

static bool check_version(struct run_store *s, enum run_store_use use, struct wpp_error *error)
{
    int64_t id = 0, version = 0;

    if (!get_version(s, &id, &version, error))
        return false;
    if (version == 0 && id == 0 && use == RUN_STORE_CREATE)
        return make_tables(s, error) && check_version(s, RUN_STORE_WRITE, error);
    if (id != STORE_ID)
        return fail_strange(s, error);
    if (version == 1)
        return upgrade_tables(s, error);
    if (version != STORE_VERSION)
        return wpp_fail(error, WPP_E_VERSION, "%s was made by another version of wpp", s->folder);
    return true;
}

/* A commit is in the file when it ends, and so survives this process, but waits for no disk.  When the
 * last process closes the store its log stays, since to copy it into the index one has to wait for the
 * disk.  The next process reads the log, so it must be short: a run takes about seven pages of it. */
static bool set_up(struct run_store *s, struct wpp_error *error)
{
    enum { LOG_PAGES = 128 };

    sqlite3_busy_timeout(s->db, PATIENCE);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_wal_autocheckpoint(s->db, LOG_PAGES);
    return execute(s, "PRAGMA synchronous=NORMAL", error);
}

static bool take_inbox(struct run_store *s, struct wpp_error *error);

/* By the index's header (https://sqlite.org/fileformat.html): numbers there have their high byte first. */
bool run_store_may_add(const char *folder, struct wpp_error *error)
{
    enum { AT_VERSION = 60, AT_ID = 68, HEADER = 100 };
    uint8_t header[HEADER] = {0};
    char *index;
    struct run_store *s;
    FILE *f = NULL;
    bool known;

    if (!path_in(&index, folder, "runs.sqlite", error))
        return false;
    known = access(folder, W_OK) == 0 && access(index, W_OK) == 0 && (f = fopen(index, "rb")) &&
            fread(header, 1, HEADER, f) == HEADER &&
            __builtin_bswap32(wpp_get_u32(header + AT_VERSION)) == STORE_VERSION &&
            __builtin_bswap32(wpp_get_u32(header + AT_ID)) == STORE_ID;
    if (f)
        fclose(f);
    free(index);
    if (known)
        return true;
    s = run_store_open(folder, RUN_STORE_CREATE, error);
    run_store_close(s);
    return s != NULL;
}

struct run_store *run_store_open(const char *folder, enum run_store_use use,
                                 struct wpp_error *error)
{
    struct run_store *s = calloc(1, sizeof *s);
    char *index = NULL;
    int flags = SQLITE_OPEN_READWRITE | (use == RUN_STORE_CREATE ? SQLITE_OPEN_CREATE : 0);
    bool done;

    if (!s || !(s->folder = strdup(folder))) {
        free(s);
        wpp_fail_memory(error);
        return NULL;
    }
    done = path_in(&index, folder, "runs.sqlite", error) &&
           prepare_folder(folder, index, use, error);
    if (done && sqlite3_open_v2(index, &s->db, flags, NULL) != SQLITE_OK)
        done = s->db ? fail_sql(s, error) : wpp_fail_memory(error);
    done = done && set_up(s, error) && check_version(s, use, error) && take_inbox(s, error);
    free(index);
    if (done)
        return s;
    run_store_close(s);
    return NULL;
}

void run_store_close(struct run_store *s)
{
    if (!s)
        return;
    sqlite3_close(s->db);
    run_base_free(s->base);
    free(s->folder);
    free(s);
}

/* ---- Adding --------------------------------------------------------------------------------- */

/* Random numbers need no order: the time and the process do where the system has none. */
void run_key_new(struct run_key *key)
{
    struct timespec now;

    if (getrandom(key, sizeof *key, 0) == sizeof *key)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    *key = (struct run_key){{0}};
    snprintf((char *)key->byte, sizeof key->byte, "%lx%lx", now.tv_nsec ^ now.tv_sec, (long)getpid());
}

/* What the index says of a run, from its processes' files. */
struct facts {
    char *program, *command;
    uint64_t started, events, bytes;
    int64_t build_hash;
};

static void free_facts(struct facts *f)
{
    free(f->program);
    free(f->command);
}

/* Of the executable, or of the first module if that is not traced. */
static int64_t build_hash(const wpp *w)
{
    const struct wpp_module_content *m = w->n_modules > 0 ? &w->modules[0] : NULL;
    const char *name;
    uint64_t hash = WPP_FNV_START;

    for (uint32_t i = 0; m && i < w->n_modules; i++)
        if (strcmp(w->modules[i].path, w->summary.program) == 0)
            m = &w->modules[i];
    if (!m)
        return 0;
    name = strrchr(m->path, '/') ? strrchr(m->path, '/') + 1 : m->path;
    hash = wpp_fnv(hash, name, strlen(name) + 1);
    return (int64_t)wpp_fnv(hash, m->build_id, m->build_id_bytes);
}

static bool take_facts(const struct new_run *run, struct facts *out, struct wpp_error *error)
{
    *out = (struct facts){0};
    for (uint32_t i = 0; i < run->n_processes; i++) {
        const struct wpp_bytes *file = &run->process[i].file;
        wpp *w = wpp_open_memory_intact(file->data, file->size, run->process[i].program, error);
        struct wpp_summary sum;

        if (!w)
            return false;
        wpp_get_summary(w, &sum);
        out->events += sum.tokens;
        out->bytes += file->size;
        if (i == 0) {
            out->program = strdup(sum.program);
            out->command = strdup(sum.command);
            out->started = sum.started;
            out->build_hash = build_hash(w);
        }
        wpp_close(w);
    }
    return (out->program && out->command) || wpp_fail_memory(error);
}

static void key_text(const struct run_key *key, char out[2 * RUN_KEY_BYTES + 1])
{
    for (int i = 0; i < RUN_KEY_BYTES; i++)
        sprintf(out + 2 * i, "%02x", key->byte[i]);
}

/* DIR/large/KEY-PROCESS.wpp */
static bool large_path(const struct run_store *s, const struct run_key *key, uint32_t process,
                       char **out, struct wpp_error *error)
{
    char name[2 * RUN_KEY_BYTES + 1];

    key_text(key, name);
    if (asprintf(out, "%s/large/%s-%u.wpp", s->folder, name, process) >= 0)
        return true;
    *out = NULL;
    return wpp_fail_memory(error);
}

static bool is_large(const struct wpp_bytes *file)
{
    return file->size > INDEX_MOST;
}

static bool write_large(const struct run_store *s, const struct run_key *key, uint32_t process,
                        const struct wpp_bytes *file, struct wpp_error *error)
{
    struct wpp_output *out = NULL;
    char *folder = NULL, *path = NULL;
    bool done = path_in(&folder, s->folder, "large", error) &&
                large_path(s, key, process, &path, error);

    if (done && mkdir(folder, 0777) != 0 && errno != EEXIST)
        done = wpp_fail_errno(error, "cannot make the folder %s", folder);
    done = done && (out = wpp_output_open(path, WPP_OUTPUT_REPLACE, error)) != NULL;
    if (done && wpp_output_write(out, file->data, file->size, error))
        done = wpp_output_commit(out, error);
    else if (done) {
        wpp_output_abandon(out);
        done = false;
    }
    free(folder);
    free(path);
    return done;
}

static bool write_large_ones(const struct run_store *s, const struct new_run *run,
                             struct wpp_error *error)
{
    for (uint32_t i = 0; i < run->n_processes; i++)
        if (is_large(&run->process[i].file) &&
            !write_large(s, &run->key, i, &run->process[i].file, error))
            return false;
    return true;
}

static bool find_key(struct run_store *s, const struct run_key *key, bool *found, int64_t *id,
                     struct wpp_error *error)
{
    return ask(s, prepare(s, error, "SELECT id FROM run WHERE key = ?", "k", key), found, id, error);
}

static bool insert_build(struct run_store *s, const struct facts *f, int64_t *build,
                         struct wpp_error *error)
{
    bool found;

    return finish(s, prepare(s, error, "INSERT OR IGNORE INTO build (hash, program) VALUES (?, ?)", "is",
                             f->build_hash, f->program), error) &&
           ask(s, prepare(s, error, "SELECT id FROM build WHERE hash = ?", "i", f->build_hash), &found,
               build, error);
}

static bool insert_process(struct run_store *s, int64_t id, uint32_t number,
                           const struct run_process *p, struct wpp_error *error)
{
    return finish(s, prepare(s, error, "INSERT INTO process VALUES (?, ?, ?, 0, ?)", "iisb", id,
                             (int64_t)number, p->program, is_large(&p->file) ? NULL : &p->file), error);
}

static bool insert_run(struct run_store *s, const struct new_run *run, const struct facts *f,
                       int64_t *id, struct wpp_error *error)
{
    int64_t build;

    if (!insert_build(s, f, &build, error) ||
        !finish(s, prepare(s, error, "INSERT INTO run (key, label, build, exited, killed, program, "
                           "command, started, events, bytes, stored, processes, job, rank) "
                           "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", "kiiiissiiiiisi", &run->key,
                           (int64_t)run->label, build, (int64_t)run->exited, (int64_t)run->killed,
                           f->program, f->command, (int64_t)f->started, (int64_t)f->events,
                           (int64_t)f->bytes, (int64_t)f->bytes, (int64_t)run->n_processes,
                           run->job ? run->job : "", run->job ? run->rank : (int64_t)-1), error))
        return false;
    *id = sqlite3_last_insert_rowid(s->db);
    for (uint32_t i = 0; i < run->n_processes; i++)
        if (!insert_process(s, *id, i, &run->process[i], error))
            return false;
    return true;
}

/* Ends a transaction: commits it if all went well. */
static bool end_transaction(struct run_store *s, bool done, struct wpp_error *error)
{
    if (done && execute(s, "COMMIT", error))
        return true;
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

/* Within a transaction. */
static bool add_if_new(struct run_store *s, const struct new_run *run, const struct facts *f, int64_t *id,
                       struct wpp_error *error)
{
    bool found;

    return find_key(s, &run->key, &found, id, error) && (found || insert_run(s, run, f, id, error));
}

bool run_store_add(struct run_store *s, const struct new_run *run, int64_t *id,
                   struct wpp_error *error)
{
    struct facts f = {0};
    bool done;

    assert(run->n_processes > 0);
    done = take_facts(run, &f, error) && write_large_ones(s, run, error) &&
           execute(s, "BEGIN IMMEDIATE", error);
    if (done)
        done = end_transaction(s, add_if_new(s, run, &f, id, error), error);
    free_facts(&f);
    return done;
}

/* ---- The inbox ------------------------------------------------------------------------------ */

/* Adds a run that waits there, within a transaction.  A damaged one stays where it is. */
static bool take_waiting(struct run_store *s, const char *name, bool *taken, struct wpp_error *error)
{
    struct waiting_run w;
    struct facts f = {0};
    int64_t id;
    bool found, done = run_inbox_read(s->folder, name, &w, &found, error);

    *taken = false;
    if (done && found) {
        done = take_facts(&w.run, &f, error) && write_large_ones(s, &w.run, error) &&
               add_if_new(s, &w.run, &f, &id, error);
        *taken = done;
        free_facts(&f);
        run_inbox_free(&w);
    }
    if (done || (error->status != WPP_E_DAMAGED && error->status != WPP_E_FORMAT &&
                 error->status != WPP_E_VERSION && error->status != WPP_E_INCOMPLETE))
        return done;
    s->n_unread++;
    return true;
}

/* Files are removed when their runs are in the index: in between, a run is in both, and added once. */
static bool take_some(struct run_store *s, char **names, size_t n, struct wpp_error *error)
{
    bool *taken = calloc(n, sizeof *taken), done = taken || wpp_fail_memory(error);

    done = done && execute(s, "BEGIN IMMEDIATE", error);
    if (done) {
        for (size_t i = 0; done && i < n; i++)
            done = take_waiting(s, names[i], &taken[i], error);
        done = end_transaction(s, done, error);
    }
    for (size_t i = 0; done && i < n; i++)
        if (taken[i])
            run_inbox_remove(s->folder, names[i]);
    free(taken);
    return done;
}

static bool take_inbox(struct run_store *s, struct wpp_error *error)
{
    enum { AT_ONCE = 64 };
    char **names;
    size_t n;
    bool done = run_inbox_list(s->folder, &names, &n, error);

    if (!done)
        return false;
    if (sqlite3_db_readonly(s->db, "main") == 1) {
        s->n_waiting = (uint32_t)n;
        n = 0;
    }
    for (size_t i = 0; done && i < n; i += AT_ONCE)
        done = take_some(s, names + i, n - i < AT_ONCE ? n - i : AT_ONCE, error);
    run_inbox_free_names(names, n + s->n_waiting);
    return done;
}

uint32_t run_store_unread(const struct run_store *s)
{
    return s->n_unread;
}

uint32_t run_store_waiting(const struct run_store *s)
{
    return s->n_waiting;
}

/* ---- Changes -------------------------------------------------------------------------------- */

static bool changed_one(struct run_store *s, int64_t id, struct wpp_error *error)
{
    return sqlite3_changes(s->db) == 1 ||
           wpp_fail(error, WPP_E_ARGUMENT, "%s has no run %lld", s->folder, (long long)id);
}

bool run_store_label(struct run_store *s, int64_t id, enum run_label label,
                     struct wpp_error *error)
{
    return finish(s, prepare(s, error, "UPDATE run SET label = ? WHERE id = ?", "ii", (int64_t)label,
                             id), error) &&
           changed_one(s, id, error);
}

/* Its large files are removed by run_store_tidy(): a reader may just be opening them. */
bool run_store_remove(struct run_store *s, int64_t id, struct wpp_error *error)
{
    bool done = execute(s, "BEGIN IMMEDIATE", error);

    if (!done)
        return false;
    done = finish(s, prepare(s, error, "DELETE FROM process WHERE run = ?", "i", id), error) &&
           finish(s, prepare(s, error, "DELETE FROM run WHERE id = ?", "i", id), error) &&
           changed_one(s, id, error);
    return end_transaction(s, done, error);
}

/* Whether a name in `large` is that of a run's file. */
static bool is_used(struct run_store *s, const char *name, bool *used, struct wpp_error *error)
{
    int64_t number;

    return ask(s, prepare(s, error, "SELECT 1 FROM run WHERE lower(hex(key)) = substr(?, 1, 32)", "s",
                          name), used, &number, error);
}

/* In a transaction, so that no writer has a new file there without a row: its row comes later, and
 * young files stay. */
static bool remove_unused(struct run_store *s, const char *large, struct wpp_error *error)
{
    const time_t young = 3600;
    DIR *dir = opendir(large);
    struct dirent *entry;
    bool done = true, used;
    struct stat st;

    if (!dir)
        return errno == ENOENT || wpp_fail_errno(error, "cannot read %s", large);
    while (done && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.' || fstatat(dirfd(dir), entry->d_name, &st, 0) != 0)
            continue;
        done = is_used(s, entry->d_name, &used, error);
        if (done && !used && time(NULL) - st.st_mtime > young)
            unlinkat(dirfd(dir), entry->d_name, 0);
    }
    closedir(dir);
    return done;
}

bool run_store_tidy(struct run_store *s, struct wpp_error *error)
{
    char *large;
    bool done = path_in(&large, s->folder, "large", error) && remove_unused(s, large, error) &&
                execute(s, "VACUUM", error) && execute(s, "PRAGMA wal_checkpoint(TRUNCATE)", error);

    free(large);
    return done;
}

/* ---- Reading -------------------------------------------------------------------------------- */

#define COLUMNS "id, key, label, exited, killed, program, command, started, events, bytes, stored, " \
                "processes, build, job, rank"

static struct stored_run row_of(sqlite3_stmt *q)
{
    struct stored_run r = {
        .id = sqlite3_column_int64(q, 0), .label = (enum run_label)sqlite3_column_int(q, 2),
        .exited = (uint32_t)sqlite3_column_int64(q, 3), .killed = (uint32_t)sqlite3_column_int64(q, 4),
        .program = (const char *)sqlite3_column_text(q, 5),
        .command = (const char *)sqlite3_column_text(q, 6),
        .started = (uint64_t)sqlite3_column_int64(q, 7),
        .events = (uint64_t)sqlite3_column_int64(q, 8), .bytes = (uint64_t)sqlite3_column_int64(q, 9),
        .stored = (uint64_t)sqlite3_column_int64(q, 10),
        .n_processes = (uint32_t)sqlite3_column_int64(q, 11), .build = sqlite3_column_int64(q, 12),
        .job = (const char *)sqlite3_column_text(q, 13), .rank = sqlite3_column_int64(q, 14)
    };

    if (sqlite3_column_bytes(q, 1) == RUN_KEY_BYTES)
        memcpy(&r.key, sqlite3_column_blob(q, 1), RUN_KEY_BYTES);
    if (r.label > RUN_FAIL)
        r.label = RUN_UNKNOWN;
    r.program = r.program ? r.program : "";
    r.command = r.command ? r.command : "";
    r.job = r.job ? r.job : "";
    return r;
}

/* Visits what a statement returns, and finishes it; *n: how many. */
static bool walk_rows(struct run_store *s, sqlite3_stmt *q, run_store_visit *each, void *ctx,
                      uint64_t *n, struct wpp_error *error)
{
    int code = SQLITE_DONE;
    bool done = q != NULL;

    *n = 0;
    while (done && (code = sqlite3_step(q)) == SQLITE_ROW) {
        struct stored_run run = row_of(q);

        done = each(ctx, &run, error);
        (*n)++;
    }
    if (done && code != SQLITE_DONE)
        done = fail_sql(s, error);
    sqlite3_finalize(q);
    return done;
}

bool run_store_walk(struct run_store *s, const struct run_choice *choice, run_store_visit *each,
                    void *ctx, struct wpp_error *error)
{
    uint64_t n;

    if (choice->job)
        return walk_rows(s, prepare(s, error, "SELECT " COLUMNS " FROM run WHERE job = ? ORDER BY id", "s",
                                    choice->job), each, ctx, &n, error);
    if (!choice->ids)
        return walk_rows(s, prepare(s, error, "SELECT " COLUMNS " FROM run WHERE ? < 0 OR label = ?1 "
                                    "ORDER BY id", "i", choice->by_label ? (int64_t)choice->label : -1),
                         each, ctx, &n, error);
    for (size_t i = 0; i < choice->n_ids; i++) {
        if (!walk_rows(s, prepare(s, error, "SELECT " COLUMNS " FROM run WHERE id = ?", "i",
                                  choice->ids[i]), each, ctx, &n, error))
            return false;
        if (n == 0)
            return wpp_fail(error, WPP_E_ARGUMENT, "%s has no run %lld", s->folder,
                            (long long)choice->ids[i]);
    }
    return true;
}

char *run_store_last_job(struct run_store *s, struct wpp_error *error)
{
    sqlite3_stmt *q = prepare(s, error, "SELECT job FROM run WHERE job <> '' ORDER BY id DESC LIMIT 1", "");
    int code = q ? sqlite3_step(q) : SQLITE_ERROR;
    char *job = NULL;

    if (code == SQLITE_ROW && !(job = strdup((const char *)sqlite3_column_text(q, 0))))
        wpp_fail_memory(error);
    else if (code == SQLITE_DONE)
        wpp_fail(error, WPP_E_ARGUMENT, "no run of %s is a rank of a parallel program", s->folder);
    else if (q && code != SQLITE_ROW)
        fail_sql(s, error);
    sqlite3_finalize(q);
    return job;
}

static bool load_large(struct run_store *s, sqlite3_stmt *q, uint32_t process,
                       struct wpp_bytes *file, struct wpp_error *error)
{
    struct run_key key = {{0}};
    char *path;
    bool done;

    if (sqlite3_column_bytes(q, 1) == RUN_KEY_BYTES)
        memcpy(&key, sqlite3_column_blob(q, 1), RUN_KEY_BYTES);
    done = large_path(s, &key, process, &path, error) && wpp_read_file(path, file, error);
    free(path);
    return done;
}

/* Reads the items of a build that have come since. */
static bool read_base(struct run_store *s, int64_t build, struct wpp_error *error)
{
    sqlite3_stmt *q;
    int code = SQLITE_DONE;
    bool done = true;

    if (!s->base || s->base_build != build) {
        run_base_free(s->base);
        s->base = run_base_new();
        s->base_build = build;
        if (!s->base)
            return wpp_fail_memory(error);
    }
    q = prepare(s, error, "SELECT body FROM shared WHERE build = ? AND first >= ? ORDER BY first", "ii",
                build, (int64_t)run_base_items(s->base));
    if (!q)
        return false;
    while (done && (code = sqlite3_step(q)) == SQLITE_ROW)
        done = run_base_load(s->base, wpp_view(sqlite3_column_blob(q, 0),
                                               (size_t)sqlite3_column_bytes(q, 0)), error);
    if (done && code != SQLITE_DONE)
        done = fail_sql(s, error);
    sqlite3_finalize(q);
    return done;
}

/* Items that the base lacks may have come since it was read. */
static bool load_packed(struct run_store *s, sqlite3_stmt *q, struct wpp_bytes *file,
                        struct wpp_error *error)
{
    struct wpp_view packed = wpp_view(sqlite3_column_blob(q, 0), (size_t)sqlite3_column_bytes(q, 0));
    int64_t build = sqlite3_column_int64(q, 3);

    if (s->base && s->base_build == build && run_unpack(s->base, packed, file, error))
        return true;
    wpp_bytes_free(file);
    *file = (struct wpp_bytes){0};
    return read_base(s, build, error) && run_unpack(s->base, packed, file, error);
}

static bool load_row(struct run_store *s, sqlite3_stmt *q, uint32_t process, struct wpp_bytes *file,
                     struct wpp_error *error)
{
    if (sqlite3_column_type(q, 0) == SQLITE_NULL)
        return load_large(s, q, process, file, error);
    if (sqlite3_column_int(q, 2) == 1)
        return load_packed(s, q, file, error);
    wpp_put(file, sqlite3_column_blob(q, 0), (size_t)sqlite3_column_bytes(q, 0));
    return !file->failed || wpp_fail_memory(error);
}

bool run_store_load(struct run_store *s, int64_t id, uint32_t process, struct wpp_bytes *file,
                    struct wpp_error *error)
{
    sqlite3_stmt *q = prepare(s, error, "SELECT body, key, packing, build FROM process JOIN run ON run = id "
                              "WHERE run = ? AND number = ?", "ii", id, (int64_t)process);
    int code = q ? sqlite3_step(q) : SQLITE_ERROR;
    bool done = false;

    *file = (struct wpp_bytes){0};
    if (code == SQLITE_ROW)
        done = load_row(s, q, process, file, error);
    else if (code == SQLITE_DONE)
        wpp_fail(error, WPP_E_ARGUMENT, "%s has no process %u of a run %lld", s->folder, process,
                 (long long)id);
    else if (q)
        fail_sql(s, error);
    sqlite3_finalize(q);
    if (!done)
        wpp_bytes_free(file);
    return done;
}

/* ---- Packing -------------------------------------------------------------------------------- */

/* Processes that wait to be packed: those of one build come one after the other. */
struct to_pack { int64_t run, number, build; };
struct pack_list { struct to_pack *at; size_t n, capacity; };

static bool list_unpacked(struct run_store *s, struct pack_list *list, struct wpp_error *error)
{
    sqlite3_stmt *q = prepare(s, error, "SELECT run, number, build FROM process JOIN run ON run = id "
                              "WHERE packing = 0 AND body IS NOT NULL ORDER BY build, run, number", "");
    int code = SQLITE_ERROR;

    while (q && (code = sqlite3_step(q)) == SQLITE_ROW) {
        if (list->n == list->capacity) {
            size_t n = 2 * list->capacity + 64;
            struct to_pack *larger = realloc(list->at, n * sizeof *larger);

            if (!larger)
                break;
            list->at = larger;
            list->capacity = n;
        }
        list->at[list->n++] = (struct to_pack){sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1),
                                               sqlite3_column_int64(q, 2)};
    }
    if (q && code != SQLITE_DONE)
        code == SQLITE_ROW ? wpp_fail_memory(error) : fail_sql(s, error);
    sqlite3_finalize(q);
    return code == SQLITE_DONE;
}

static bool store_packed(struct run_store *s, const struct to_pack *p, const struct wpp_bytes *packed,
                         int64_t saved, struct wpp_error *error)
{
    return finish(s, prepare(s, error, "UPDATE process SET packing = 1, body = ? WHERE run = ? AND "
                             "number = ?", "bii", packed, p->run, p->number), error) &&
           finish(s, prepare(s, error, "UPDATE run SET stored = stored - ? WHERE id = ?", "ii", saved,
                             p->run), error);
}

/* A packed one must be shorter, and its items worth their room: those of the first run of a build are
 * for all others. */
static bool pack_process(struct run_store *s, const struct to_pack *p,
                         struct run_store_figures *figures, struct wpp_error *error)
{
    struct wpp_bytes file = {0}, packed = {0};
    uint32_t items = run_base_items(s->base);
    bool is_packed = false, done;

    done = run_store_load(s, p->run, (uint32_t)p->number, &file, error);
    if (!done)                     /* another process has removed it meanwhile */
        return error->status == WPP_E_ARGUMENT;
    done = run_pack(s->base, &file, &packed, &is_packed, error);
    if (done && is_packed && packed.size < file.size) {
        done = store_packed(s, p, &packed, (int64_t)(file.size - packed.size), error);
        figures->processes++;
        figures->before += file.size;
        figures->after += packed.size;
    } else {
        run_base_cut(s->base, items);
    }
    wpp_bytes_free(&file);
    wpp_bytes_free(&packed);
    return done;
}

static bool store_items(struct run_store *s, int64_t build, uint32_t first,
                        struct run_store_figures *figures, struct wpp_error *error)
{
    struct wpp_bytes items = {0};
    bool done;

    if (run_base_items(s->base) == first)
        return true;
    done = run_base_save(s->base, first, &items, error) &&
           finish(s, prepare(s, error, "INSERT INTO shared VALUES (?, ?, ?)", "iib", build,
                             (int64_t)first, &items), error);
    figures->shared += items.size;
    wpp_bytes_free(&items);
    return done;
}

/* Packs some processes of a build in one transaction; other writers wait meanwhile.  The base is read
 * within it, so it has all items that others have added. */
static bool pack_some(struct run_store *s, const struct to_pack *p, size_t n,
                      struct run_store_figures *figures, struct wpp_error *error)
{
    bool done = execute(s, "BEGIN IMMEDIATE", error);
    uint32_t items = 0;

    if (!done)
        return false;
    done = read_base(s, p->build, error);
    if (done)
        items = run_base_items(s->base);
    for (size_t i = 0; done && i < n; i++)
        done = pack_process(s, &p[i], figures, error);
    done = end_transaction(s, done && store_items(s, p->build, items, figures, error), error);
    if (!done && s->base)
        run_base_cut(s->base, items);
    return done;
}

bool run_store_pack(struct run_store *s, struct run_store_figures *figures, struct wpp_error *error)
{
    enum { AT_ONCE = 32 };
    struct pack_list list = {0};
    bool done = list_unpacked(s, &list, error);

    *figures = (struct run_store_figures){0};
    for (size_t i = 0, n; done && i < list.n; i += n) {
        for (n = 1; n < AT_ONCE && i + n < list.n && list.at[i + n].build == list.at[i].build;)
            n++;
        done = pack_some(s, list.at + i, n, figures, error);
    }
    free(list.at);
    return done;
}

/* ---- Copying -------------------------------------------------------------------------------- */

static bool copy_index(struct run_store *s, const char *index, struct wpp_error *error)
{
    return finish(s, prepare(s, error, "VACUUM INTO ?", "s", index), error);
}

/* A link to this store's large files, if there are any. */
static bool link_large(const struct run_store *s, const char *link, struct wpp_error *error)
{
    char *large, *real;
    bool done = path_in(&large, s->folder, "large", error);

    if (!done)
        return false;
    real = realpath(large, NULL);
    if (real && symlink(real, link) != 0)
        done = wpp_fail_errno(error, "cannot make the link %s", link);
    free(real);
    free(large);
    return done;
}

bool run_store_copy(struct run_store *s, const char *folder, struct wpp_error *error)
{
    char *index = NULL, *link = NULL;
    bool done = path_in(&index, folder, "runs.sqlite", error) &&
                path_in(&link, folder, "large", error) && copy_index(s, index, error) &&
                link_large(s, link, error);

    free(index);
    free(link);
    return done;
}

/* ---- Merging -------------------------------------------------------------------------------- */

struct merging {
    struct run_store *to, *from;
    uint64_t added;
};

/* Loads the processes of a run into new_run. */
static bool load_run(struct run_store *from, const struct stored_run *run, struct new_run *out,
                     struct wpp_error *error)
{
    *out = (struct new_run){.key = run->key, .label = run->label, .exited = run->exited,
                            .killed = run->killed, .job = run->job[0] ? run->job : NULL,
                            .rank = run->rank, .n_processes = run->n_processes};
    out->process = calloc(run->n_processes + (size_t)1, sizeof *out->process);
    if (!out->process)
        return wpp_fail_memory(error);
    for (uint32_t i = 0; i < run->n_processes; i++) {
        out->process[i].program = run->program;
        if (!run_store_load(from, run->id, i, &out->process[i].file, error))
            return false;
    }
    return true;
}

static void free_run(struct new_run *run)
{
    for (uint32_t i = 0; run->process && i < run->n_processes; i++)
        wpp_bytes_free(&run->process[i].file);
    free(run->process);
}

static bool merge_run(void *ctx, const struct stored_run *run, struct wpp_error *error)
{
    struct merging *m = ctx;
    struct new_run copy;
    bool found, done;
    int64_t id;

    if (!find_key(m->to, &run->key, &found, &id, error))
        return false;
    if (found)
        return true;
    done = load_run(m->from, run, &copy, error) && run_store_add(m->to, &copy, &id, error);
    free_run(&copy);
    m->added += done;
    return done;
}

bool run_store_merge(struct run_store *s, struct run_store *from, uint64_t *added,
                     struct wpp_error *error)
{
    struct merging m = {s, from, 0};
    bool done = run_store_walk(from, &(struct run_choice){0}, merge_run, &m, error);

    *added = m.added;
    return done;
}
