/* SPDX-License-Identifier: MIT */
/* wpp-step - goes through a recorded run in a terminal or an editor, forwards and backwards. */
#include <langinfo.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hotpaths/hotpaths.h"
#include "wpp/base/error.h"
#include "wpp/cli/step-opening.h"
#include "wpp/cli/tool.h"
#include "wpp/step/dap-server.h"
#include "wpp/step/key-script.h"
#include "wpp/step/screen.h"
#include "wpp/step/terminal.h"

static const char help[] =
    "Usage: wpp-step [OPTION]... FILE.wpp\n"
    "       wpp-step --dap[=PORT] [FILE.wpp]\n"
    "Goes through a recorded run in a terminal, line by line, forwards and backwards: source,\n"
    "call stack, iterations of loops, events.  The key h shows all keys, q quits.\n"
    "FILE `-` is standard input.\n"
    "\n"
    "      --at=PLACE      begin at a place: an event (3M), from the end (-20), a time (1.5s),\n"
    "                      the third execution of a line (sort.c:59#3), a call (swap#-1)\n"
    "      --thread=N      begin in thread N, counted from 0 (`wpp-info` lists them)\n"
    "      --color=WHEN    auto (default), always, never\n"
    "\n"
    "In an editor:\n"
    "      --dap[=PORT]    serve an editor by the Debug Adapter Protocol, on standard input and\n"
    "                      output or at a port of 127.0.0.1 (0: one that is free)\n"
    "\n"
    "Without a terminal:\n"
    "      --keys=FILE     take the keys from FILE and print the last screen\n"
    "      --size=CxR      of C columns and R rows (default 80x24)\n"
    "      --times         print how long each key took instead, in milliseconds: until its\n"
    "                      answer; the longest part of what can wait behind it; all of that\n"
    "\n"
    "  -h, --help          this text\n"
    "  -V, --version       the version\n"
    "\n"
    "Exit status: 0 fine, 1 error, 2 usage, 3 the file is damaged or what it holds is "
    "incomplete.\n";

struct request {
    const char *path, *at, *color, *keys;
    uint64_t thread;
    int columns, rows;
    bool times, dap, at_port;
    uint16_t port;
};

enum { OPT_AT = 0x100, OPT_THREAD, OPT_COLOR, OPT_KEYS, OPT_SIZE, OPT_TIMES, OPT_DAP };
static const struct option options[] = {
    {"at", required_argument, NULL, OPT_AT},
    {"thread", required_argument, NULL, OPT_THREAD},
    {"color", required_argument, NULL, OPT_COLOR},
    {"keys", required_argument, NULL, OPT_KEYS},
    {"size", required_argument, NULL, OPT_SIZE},
    {"times", no_argument, NULL, OPT_TIMES},
    {"dap", optional_argument, NULL, OPT_DAP},
    TOOL_OPTIONS
};

static void parse_size(struct request *r, const char *text)
{
    enum { MOST = 1000 };
    char behind;

    if (sscanf(text, "%dx%d%c", &r->columns, &r->rows, &behind) != 2 || r->columns < 1 || r->rows < 1
        || r->columns > MOST || r->rows > MOST)
        tool_usage("--size: `%s` is not columns and rows, such as 80x24, at most %d each", text, MOST);
}

static void parse_dap(struct request *r, const char *port)
{
    r->dap = true;
    r->at_port = port != NULL;
    if (port && tool_count_argument("--dap", port) > UINT16_MAX)
        tool_usage("--dap: there is no port %s", port);
    r->port = port ? (uint16_t)tool_count_argument("--dap", port) : 0;
}

static void parse_options(struct request *r, int argc, char **argv)
{
    int option;

    *r = (struct request){.columns = SCREEN_COLUMNS, .rows = SCREEN_ROWS};
    while ((option = tool_option(argc, argv, "hV", options)) != -1) {
        switch (option) {
        case OPT_AT: r->at = optarg; break;
        case OPT_THREAD: r->thread = tool_count_argument("--thread", optarg); break;
        case OPT_COLOR: r->color = optarg; break;
        case OPT_KEYS: r->keys = optarg; break;
        case OPT_SIZE: parse_size(r, optarg); break;
        case OPT_TIMES: r->times = true; break;
        case OPT_DAP: parse_dap(r, optarg); break;
        case 'h': tool_help(help);
        case 'V': tool_version();
        }
    }
    if (optind + 1 != argc && !(r->dap && optind == argc))
        tool_usage(optind == argc ? "no file given" : "more than one file given");
    r->path = argv[optind];
    if (r->dap && r->keys)
        tool_usage("--keys and --dap exclude each other");
    if (r->times && !r->keys)
        tool_usage("--times goes with --keys");
}

/* ---- Hot subpaths, in a thread of their own ------------------------------------------------------------------ */

enum { WANTED_SUBPATHS = 20 };

struct hot_search {
    const wpp *w;
    pthread_t thread;
    bool begun, taken;             /* the thread has been; its result is in the items */
    pthread_mutex_t lock;
    pthread_cond_t change;
    bool done;                     /* under the lock: the thread has no more to do */
    hot_result *result;            /* NULL: no memory */
    struct hot_item item[WANTED_SUBPATHS];
    size_t n;
};

/* As wpp-hot does without options. */
static void *search(void *context)
{
    struct hot_search *h = context;
    const struct wpp_grammar *g = wpp_grammar(h->w);
    struct hot_config config = {.size = sizeof config, .algorithm = HOT_EXACT, .min_length = 10, .max_length = 100,
                                .wanted = WANTED_SUBPATHS, .thread = HOT_ALL_THREADS};
    uint64_t *cost = malloc((g->n_terminals + (size_t)1) * sizeof *cost);
    hot_result *result = NULL;

    for (uint32_t i = 0; cost && i < g->n_terminals; i++)
        cost[i] = wpp_terminal(h->w, i)->control ? 0 : wpp_terminal(h->w, i)->insns;
    if (cost && hot_find(&result, g, cost, &config) != HOT_OK)
        result = NULL;
    free(cost);
    pthread_mutex_lock(&h->lock);
    h->result = result;
    h->done = true;
    pthread_cond_signal(&h->change);
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

/* Whether the thread has done it, within some milliseconds. */
static bool search_is_done(struct hot_search *h)
{
    struct timespec until;
    bool done;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 20000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&h->lock);
    if (!h->done)
        pthread_cond_timedwait(&h->change, &h->lock, &until);
    done = h->done;
    pthread_mutex_unlock(&h->lock);
    return done;
}

/* Of subpaths that are the same loop, begun at different paths, the first one is an item. */
static void take_result(struct hot_search *h)
{
    double total = (double)hot_total_cost(h->result);

    for (size_t i = 0; i < hot_count(h->result) && h->n < WANTED_SUBPATHS; i++) {
        struct hot_subpath s = hot_get(h->result, i);

        if (s.leader == i)
            h->item[h->n++] = (struct hot_item){s.terminals, s.length, s.frequency,
                                                total > 0 ? (double)s.own_cost / total : 0};
    }
}

/* struct hot_source's ask(). */
static enum hot_state ask_search(void *context, const struct hot_item **out, size_t *n)
{
    struct hot_search *h = context;

    if (!h->begun && pthread_create(&h->thread, NULL, search, h) != 0)
        return HOT_FAILED;
    h->begun = true;
    if (!search_is_done(h))
        return HOT_LOOKING;
    if (!h->result)
        return HOT_FAILED;
    if (!h->taken)
        take_result(h);
    h->taken = true;
    *out = h->item;
    *n = h->n;
    return HOT_READY;
}

/* Whether nothing uses the run any more. */
static bool search_ends(struct hot_search *h)
{
    if (!h->begun)
        return true;
    if (!search_is_done(h))
        return false;
    pthread_join(h->thread, NULL);
    hot_free(h->result);
    return true;
}

/* ---- Opening ------------------------------------------------------------------------------------------ */

/* What is gone through. */
struct run {
    wpp *w;
    wpp_stacks *stacks;
    struct hot_search hot;
};

/* The run is there as a whole. */
static void use_run(struct session *s, struct run *run)
{
    run->hot.w = run->w;
    s->hot.source = (struct hot_source){ask_search, &run->hot};
}

static wpp_stacks *make_stacks(const wpp *w)
{
    struct wpp_error error;
    wpp_stacks *stacks;

    tool_stage("following the calls of the run");
    stacks = wpp_stacks_new(w, &error);
    tool_stage_end();
    if (!stacks)
        tool_die_error(&error);
    return stacks;
}

/* Reads the whole run, and begins. */
static void begin(struct session *s, const struct request *r, struct run *run)
{
    struct wpp_error error;
    bool ok;

    tool_read_until(r->path, run->w, WPP_ALL_THREADS, NULL, UINT64_MAX);
    tool_need_order(r->path, run->w);
    run->stacks = make_stacks(run->w);
    tool_stage("numbering its lines");
    ok = session_begin(s, run->w, r->path, (uint32_t)r->thread, run->stacks, &error);
    tool_progress_end();
    if (!ok)
        tool_die(tool_exit_status(error.status), "%s: %s", r->path, error.text);
    use_run(s, run);
    if (!r->at)
        return;
    session_go(s, r->at);
    while (session_waits(s))
        session_idle(s, 0);
    if (s->jumps == 0)
        tool_die(TOOL_ERROR, "%s: --at=%s: %s", r->path, r->at, s->message);
}

/* ---- With a terminal ------------------------------------------------------------------------------------- */

static void resize(struct canvas *c)
{
    int rows, columns;

    terminal_size(&rows, &columns);
    if ((rows != c->rows || columns != c->columns || !c->cell) && !canvas_resize(c, rows, columns)) {
        terminal_close();
        tool_die_of_memory();
    }
}

/* Keys that came while something was looked for. */
struct typed_ahead {
    int key[64];
    int n;
};

static int take_key(struct typed_ahead *t)
{
    int key = t->key[0];

    memmove(&t->key[0], &t->key[1], (size_t)--t->n * sizeof t->key[0]);
    return key;
}

/* The next key; TERMINAL_NO_KEY: there is time for what can wait. */
static int next_key(const struct session *s, struct typed_ahead *t, bool busy, bool at_once)
{
    enum { PAUSE = 60 };           /* milliseconds without a key, before what can wait begins */
    bool waits = session_waits(s);
    int key;

    if (t->n > 0 && !waits)
        return take_key(t);
    do
        key = terminal_key(waits || at_once ? 0 : busy ? PAUSE : -1);
    while (key == TERMINAL_NO_KEY && !busy && !waits);
    if (!waits || key < 0 || key == TERMINAL_ESCAPE || key == TERMINAL_RESIZED)
        return key;
    if (t->n < (int)(sizeof t->key / sizeof *t->key))
        t->key[t->n++] = key;
    return TERMINAL_NO_KEY;
}

static void show(struct session *s, struct canvas *c)
{
    resize(c);
    screen_draw(c, s);
    terminal_show(c);
}

/* Takes the whole run in place of its beginning, and the key that has waited for it. */
static void take_rest(struct session *s, struct step_opening *opening, struct typed_ahead *ahead, struct run *run)
{
    int waits = s->waits_for_rest;
    struct wpp_error error;

    if (!step_opening_take(opening, s, &run->w, &run->stacks, &error)) {
        terminal_close();
        tool_die_error(&error);
    }
    use_run(s, run);
    if (!waits)
        return;
    memmove(&ahead->key[1], &ahead->key[0], (size_t)ahead->n * sizeof ahead->key[0]);
    ahead->key[0] = waits;
    ahead->n++;
}

/* A key while the whole run is being read.  If one waits for that, those behind it wait, too. */
static void take_early_key(struct session *s, struct typed_ahead *ahead, int key)
{
    enum { ROOM = sizeof ahead->key / sizeof *ahead->key - 1 };    /* one more for the key that waits */

    if (key == 'L' - '@')
        terminal_redraw();
    else if (!s->waits_for_rest) {
        session_key(s, key);
    } else if (key == TERMINAL_ESCAPE) {
        s->waits_for_rest = ahead->n = 0;
        s->count = 0;
    } else if (key == 'q') {
        s->quit = true;
    } else if (key != TERMINAL_RESIZED && ahead->n < ROOM) {
        ahead->key[ahead->n++] = key;
    }
}

/* Answers keys from the beginning of the run, as far as it goes, until the whole run is there.  False: the session
 * has ended. */
static bool converse_early(struct session *s, struct canvas *c, struct step_opening *opening,
                           struct typed_ahead *ahead, struct run *run)
{
    enum { TURN = 50 };            /* milliseconds */
    int key = TERMINAL_RESIZED;

    while (!s->quit && !step_opening_is_done(opening)) {
        if (key != TERMINAL_NO_KEY)
            show(s, c);
        key = terminal_key(TURN);
        if (key == TERMINAL_CLOSED)
            return false;
        if (key != TERMINAL_NO_KEY)
            take_early_key(s, ahead, key);
    }
    if (s->quit)
        return false;
    take_rest(s, opening, ahead, run);
    return true;
}

static void converse(struct session *s, struct canvas *c, struct typed_ahead *ahead)
{
    bool busy = true;              /* something may be left that can wait */
    bool begun = false;            /* some of that is done, and no key came behind it */

    while (!s->quit) {
        int key;

        show(s, c);
        key = next_key(s, ahead, busy, begun);
        if (key == TERMINAL_CLOSED)
            return;
        begun = key == TERMINAL_NO_KEY;
        if (begun) {
            busy = begun = session_idle(s, screen_overview_columns(c));
            continue;
        }
        if (key == 'L' - '@')
            terminal_redraw();
        session_key(s, key);
        busy = true;
    }
}

/* False: the session has ended while the run is being read by a thread that goes on. */
static bool step_in_terminal(struct session *s, struct canvas *c, const char *color, struct step_opening *opening,
                             struct run *run)
{
    const char *type = getenv("TERM");
    struct typed_ahead ahead = {.n = 0};
    bool whole;

    if (!terminal_open(tool_color(color)))
        tool_die(TOOL_ERROR, "the terminal has no cursor that can be moved, or is of an unknown type: TERM is `%s`",
                 type ? type : "");
    whole = !opening || converse_early(s, c, opening, &ahead, run);
    if (whole)
        converse(s, c, &ahead);
    terminal_close();
    return whole;
}

/* ---- Without ------------------------------------------------------------------------------------------------ */

static double milliseconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Does what can wait; returns how long its longest part took. */
static double do_the_rest(struct session *s, struct canvas *c)
{
    double longest = 0, begin = milliseconds();

    while (session_idle(s, screen_overview_columns(c))) {
        double now = milliseconds();

        longest = now - begin > longest ? now - begin : longest;
        begin = now;
    }
    screen_draw(c, s);
    return longest;
}

/* Presses a key; prints how long its answer took, and what could wait behind it. */
static void press(struct session *s, struct canvas *c, int key, bool times)
{
    double begin = milliseconds(), answered, longest;
    char name[16];

    session_key(s, key);
    screen_draw(c, s);
    answered = milliseconds();
    longest = do_the_rest(s, c);
    if (times)
        printf("%-10s %10.3f %10.3f %10.3f\n", key_name(key, name), answered - begin, longest,
               milliseconds() - answered);
}

static void step_by_script(struct session *s, struct canvas *c, const struct request *r)
{
    struct key_script script;
    struct wpp_error error;

    if (!key_script_read(&script, r->keys, &error))
        tool_die_error(&error);
    if (!canvas_resize(c, r->rows, r->columns))
        tool_die_of_memory();
    screen_draw(c, s);
    do_the_rest(s, c);
    if (r->times)
        printf("%-10s %10s %10s %10s\n", "key", "answer", "longest", "rest");
    for (size_t i = 0; i < script.n && !s->quit; i++)
        press(s, c, script.key[i], r->times);
    if (!r->times)
        canvas_print(stdout, c);
    key_script_free(&script);
}

/* ---- In an editor --------------------------------------------------------------------------------------------- */

static void say_port(unsigned port)
{
    tool_warn("waiting for an editor at port %u of 127.0.0.1", port);
}

/* Serves an editor; returns the exit status. */
static int serve(const struct request *r)
{
    struct dap_defaults defaults = {.path = r->path, .at = r->at, .thread = r->thread};
    struct wpp_error error;
    int in = STDIN_FILENO;
    FILE *out = stdout;

    if (!r->at_port && isatty(STDIN_FILENO))
        tool_usage("--dap talks to an editor, not to a person; --dap=PORT waits for one");
    if (r->at_port) {
        in = dap_wait_for_editor(r->port, say_port, &error);
        out = in < 0 ? NULL : fdopen(in, "w");
        if (in >= 0 && !out)
            tool_die_of_memory();
        if (!out)
            tool_die_error(&error);
    }
    if (!dap_serve(in, out, &defaults, &error))
        tool_die_error(&error);
    if (r->at_port)
        fclose(out);
    return tool_finish(TOOL_OK);
}

/* ---- main ---------------------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    struct run run = {.hot = {.lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER}};
    struct step_opening *opening = NULL;
    struct canvas canvas = {0};
    struct request r;
    struct session s;
    bool whole = true;
    int status;

    tool_init("wpp-step");
    parse_options(&r, argc, argv);
    if (r.dap)
        return serve(&r);
    setlocale(LC_CTYPE, "");
    canvas.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    if (!r.keys && !isatty(STDOUT_FILENO))
        tool_die(TOOL_ERROR, "standard output is no terminal; --keys=FILE needs none");
    run.w = tool_open_unread(r.path);
    status = tool_say_incomplete(r.path, run.w);
    tool_need_order(r.path, run.w);
    if (r.thread >= wpp_grammar(run.w)->n_threads)
        tool_die(TOOL_ERROR, "%s: there is no thread %llu; the last one is %u", r.path,
                 (unsigned long long)r.thread, wpp_grammar(run.w)->n_threads - 1);
    if (!r.keys && !r.at)
        opening = step_opening_begin(run.w, r.path, (uint32_t)r.thread, &s);
    if (!opening)
        begin(&s, &r, &run);
    if (r.keys)
        step_by_script(&s, &canvas, &r);
    else
        whole = step_in_terminal(&s, &canvas, r.color, opening, &run);
    /* A thread that goes on ends with the process; it reads what is freed below. */
    if (!whole || !search_ends(&run.hot))
        exit(tool_finish(status));
    session_end(&s);
    canvas_free(&canvas);
    wpp_stacks_free(run.stacks);
    wpp_close(run.w);
    return tool_finish(status);
}
