/* SPDX-License-Identifier: MIT */
/* wpp-compress - makes a WPP from a trace, which may still be being written. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wpp/base/error.h"
#include "wpp/cli/heap.h"
#include "wpp/cli/merged-input.h"
#include "wpp/cli/tool.h"
#include "wpp/compress/compress.h"
#include "wpp/compress/input.h"
#include "wpp/compress/recompress.h"
#include "wpp/read/reader.h"
#include "wpp/record/machine.h"

static const char help[] =
    "Usage: wpp-compress [-o FILE] [-f] [TRACE]\n"
    "       wpp-compress --symbols [-o FILE] [-f] [FILE]\n"
    "       wpp-compress --best -o FILE [-f] WPP\n"
    "\n"
    "Compresses a trace to a whole program path. TRACE may be a file, a FIFO that\n"
    "a traced program writes to, or `-` for standard input, which is the default.\n"
    "\n"
    "  -o, --output=FILE   write FILE (`-`: standard output) instead of TRACE with\n"
    "                      `.trace` replaced by `.wpp`; standard input goes to\n"
    "                      standard output\n"
    "  -f, --force         overwrite FILE if it exists\n"
    "      --best          make the file 1.5 to 35 percent smaller, in three to nine times the\n"
    "                      time; the input may also be a WPP\n"
    "  -j, --jobs=N        use N processors (0: all, the default for a regular file). A long\n"
    "                      trace that repeats little is built in parts, which use the rules of\n"
    "                      the first one; the file is up to 5 percent larger. With 1 it is one\n"
    "                      piece. The file is the same for each N from 2 on; within a\n"
    "                      limit of memory for any N\n"
    "      --memory=SIZE   take about SIZE of memory, at least 32M. The trace is cut into\n"
    "                      segments with a grammar each; several are built at the same time.\n"
    "                      Without SIZE each grammar has about half of the machine's\n"
    "      --map=OLD=NEW   look for the program's files of the folder OLD in NEW; OLD may\n"
    "                      also be a file. Of several, the last one is tried first\n"
    "      --symbols       read an array of little-endian 32-bit words, not a trace\n"
    "      --progress      show progress also of a pipe, whose writer may use the terminal\n"
    "  -q, --quiet         show no progress\n"
    "  -h, --help          print this text\n"
    "  -V, --version       print the version\n"
    "\n"
    "A file to which several processes have appended their counts (WPP_OPTIONS=merge) becomes\n"
    "one path profile.\n"
    "\n"
    "Exit status: 0 all is well, 1 an error, 2 wrong usage, 3 the trace is damaged or cut\n"
    "short, or a file of the program has changed. FILE holds the readable part then.\n";

struct options {
    const char *input, *output;
    enum wpp_compress_input kind;
    uint64_t memory;             /* 0: no limit */
    bool jobs_given;
    bool one_piece;              /* --jobs=1; --jobs=0 is not that, also with one processor */
    uint32_t jobs;               /* parts built at the same time */
    struct wpp_moved moved;
    bool force, best, progress, quiet;
};

static void add_move(struct wpp_moved *moved, const char *rule)
{
    enum wpp_moved_result result = wpp_moved_add(moved, rule);

    if (result == WPP_MOVED_WRONG)
        tool_usage("--map: `%s` does not have the form OLD=NEW, two folders or files", rule);
    if (result == WPP_MOVED_NO_MEMORY)
        tool_die(TOOL_ERROR, "out of memory");
}

static struct options parse_options(int argc, char **argv)
{
    enum { SYMBOLS = 256, MEMORY, BEST, MAP, PROGRESS };
    static const struct option table[] = {
        {"output", required_argument, NULL, 'o'}, {"force", no_argument, NULL, 'f'},
        {"symbols", no_argument, NULL, SYMBOLS}, {"jobs", required_argument, NULL, 'j'},
        {"memory", required_argument, NULL, MEMORY}, {"best", no_argument, NULL, BEST},
        {"map", required_argument, NULL, MAP}, {"progress", no_argument, NULL, PROGRESS},
        {"quiet", no_argument, NULL, 'q'}, TOOL_OPTIONS};
    struct options o = {.input = "-", .kind = WPP_INPUT_TRACE};
    int option;

    while ((option = tool_option(argc, argv, "o:fj:qhV", table)) != -1) {
        switch (option) {
        case 'o': o.output = optarg; break;
        case 'f': o.force = true; break;
        case 'q': o.quiet = true; break;
        case 'j':
            o.jobs_given = true;
            o.one_piece = tool_count_argument("--jobs", optarg) == 1;
            o.jobs = tool_jobs_argument(optarg, WPP_CREW_MOST);
            break;
        case MEMORY:
            o.memory = tool_size_argument("--memory", optarg);
            if (o.memory < WPP_COMPRESS_LEAST)
                tool_usage("--memory: less than 32M is not enough");
            break;
        case BEST: o.best = true; break;
        case PROGRESS: o.progress = true; break;
        case MAP: add_move(&o.moved, optarg); break;
        case SYMBOLS: o.kind = WPP_INPUT_SYMBOLS; break;
        case 'h': tool_help(help);
        case 'V': tool_version();
        }
    }
    if (argc - optind > 1)
        tool_usage("only one trace can be compressed at a time: `%s` is one too many",
                   argv[optind + 1]);
    if (optind < argc)
        o.input = argv[optind];
    return o;
}

/* The input's name in messages. */
static const char *name_of(const char *input)
{
    return strcmp(input, "-") == 0 ? "standard input" : *input ? input : "``";
}

/* NAME.trace becomes NAME.wpp, any other name gets .wpp added. */
static char *default_output(const char *input)
{
    size_t n = strlen(input);
    char *output;

    if (strcmp(input, "-") == 0)
        return strdup("-");
    if (n > 6 && strcmp(input + n - 6, ".trace") == 0)
        n -= 6;
    if (asprintf(&output, "%.*s.wpp", (int)n, input) < 0)
        return NULL;
    return output;
}

static bool show_progress(void *ctx, const void *bytes, size_t n, struct wpp_error *error)
{
    struct wpp_compress_progress p;

    (void)bytes, (void)n, (void)error;
    if (!tool_progress_due())
        return true;
    wpp_compress_get_progress(ctx, &p);
    tool_progress("%.1f MB, %s", (double)p.bytes / 1e6, tool_amount((double)p.tokens, "event"));
    return true;
}

/* Segments wait in the output's folder.  Without a limit the grammar has half of the machine's memory. */
static bool limit_memory(wpp_compressor *c, const struct options *o, struct wpp_crew *crew,
                         const char *output, const struct wpp_output *out, struct wpp_error *error)
{
    char *folder = wpp_output_folder(output, wpp_output_in_place(out));
    bool done;

    if (!folder)
        done = wpp_fail_memory(error);
    else if (o->memory)
        done = wpp_compress_limit(c, o->memory, folder, crew, error);
    else
        done = wpp_compress_room(c, wpp_machine_memory() / 2, folder, error);
    free(folder);
    return done;
}

static bool is_regular(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

/* How many processors builders may use besides this one.  Without --jobs, all; but the writer of a
 * pipe, often a traced program, uses the others. */
static uint32_t builders_for(const struct options *o, int fd)
{
    uint32_t processors = (uint32_t)tool_processors();

    if (o->jobs_given)
        return o->jobs;
    if (!is_regular(fd) || processors < 2)
        return 0;
    return processors < WPP_CREW_MOST ? processors : WPP_CREW_MOST;
}

/* How the grammar is built: in a limit of memory, in parts, or as one piece. */
static bool plan(wpp_compressor *c, const struct options *o, struct wpp_crew *crew, int fd,
                 const char *output, const struct wpp_output *out, struct wpp_error *error)
{
    if (!o->one_piece)
        crew->size = crew->free = builders_for(o, fd);
    if (!o->memory && !o->one_piece && !o->best && !wpp_compress_jobs(c, crew, error))
        return false;
    if (o->memory || !o->best)
        return limit_memory(c, o, crew, output, out, error);
    if (o->one_piece)
        return true;
    crew->size = crew->free = crew->size > 0;
    return !crew->size || wpp_compress_aside(c, crew, error);
}

/* The writer of a pipe may also use the terminal. */
static bool wants_progress(const struct options *o, int fd)
{
    return !o->quiet && (o->progress || is_regular(fd));
}

static wpp_compressor *read_input(const struct options *o, struct wpp_crew *crew,
                                  const char *output, const struct wpp_output *out,
                                  struct wpp_error *error)
{
    bool standard = strcmp(o->input, "-") == 0;
    wpp_compressor *c;
    int fd = standard ? STDIN_FILENO : open(o->input, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        wpp_fail_errno(error, "cannot open it");
        return NULL;
    }
    c = wpp_compress_new(o->kind, error);
    if (c) {
        wpp_compress_heap(c, &tool_heap);
        wpp_compress_moved(c, &o->moved);
    }
    if (c && o->best)
        wpp_compress_best(c, NULL);
    if (c && (!plan(c, o, crew, fd, output, out, error) ||
              !wpp_feed(c, fd, wants_progress(o, fd) ? show_progress : NULL, c, error))) {
        wpp_compress_free(c);
        c = NULL;
    }
    if (!standard)
        close(fd);
    tool_progress_end();
    return c;
}

/* ---- A WPP ------------------------------------------------------------------------------- */

/* Waits until the pipe holds n bytes, or its writer is gone. */
static void wait_for_bytes(int fd, size_t n)
{
    struct pollfd writer = {.fd = fd};
    int there;

    while (ioctl(fd, FIONREAD, &there) == 0 && there < (int)n && poll(&writer, 1, 10) == 0)
        ;
}

/* Waits for the first n bytes and copies them; they stay in the pipe. */
static bool peek_pipe(int fd, char *first, size_t n)
{
    int copy[2];

    wait_for_bytes(fd, n);
    if (pipe2(copy, O_CLOEXEC) != 0)
        return false;
    bool done = tee(fd, copy[1], n, 0) == (ssize_t)n && read(copy[0], first, n) == (ssize_t)n;
    close(copy[0]);
    close(copy[1]);
    return done;
}

/* Copies the first n bytes, if they can still be read afterwards. */
static bool peek(int fd, bool standard, char *first, size_t n)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return false;
    if (S_ISREG(st.st_mode))
        return pread(fd, first, n, standard ? lseek(fd, 0, SEEK_CUR) : 0) == (ssize_t)n;
    return standard && S_ISFIFO(st.st_mode) && peek_pipe(fd, first, n);
}

/* Whether the input is a WPP.  A named FIFO is not opened: its writer would see it closed. */
static bool is_wpp(const char *input)
{
    bool standard = strcmp(input, "-") == 0;
    struct stat st;

    if (!standard && (stat(input, &st) != 0 || !S_ISREG(st.st_mode)))
        return false;
    int fd = standard ? STDIN_FILENO : open(input, O_RDONLY | O_CLOEXEC);
    char first[WPP_IMPROVE_KNOWS];
    bool is = fd >= 0 && peek(fd, standard, first, sizeof first) &&
              wpp_recompress_knows(first, sizeof first);

    if (fd >= 0 && !standard)
        close(fd);
    return is;
}

static int improve(const struct options *o)
{
    const char *path = o->output ? o->output : strcmp(o->input, "-") == 0 ? "-" : NULL;
    struct wpp_bytes file = {0}, better = {0};
    struct wpp_error error;
    struct wpp_output *out;

    if (o->jobs > 1 || o->memory)
        tool_usage("--jobs and --memory are for traces: `%s` is a WPP", name_of(o->input));
    if (!path)
        tool_usage("the smaller WPP of `%s` has no name: give -o FILE", name_of(o->input));
    if (strcmp(path, "-") == 0)
        tool_refuse_terminal(STDOUT_FILENO, "a WPP file");
    out = tool_output(path, o->force, o->input);
    bool done = wpp_read_file(o->input, &file, &error) &&
                wpp_recompress(wpp_view(file.data, file.size), name_of(o->input), &better,
                               &error) &&
                wpp_output_write(out, better.data, better.size, &error);
    if (done)
        done = wpp_output_commit(out, &error);
    else
        wpp_output_abandon(out);
    wpp_bytes_free(&file);
    wpp_bytes_free(&better);
    if (!done)
        tool_die_error(&error);
    return TOOL_OK;
}

/* Reports in one line what the WPP lacks. */
static int say_notes(const struct options *o, const struct wpp_error *note,
                     const struct wpp_error *unread)
{
    bool lacks = note->status != WPP_OK, has_unread = unread->status != WPP_OK;

    if (!lacks && !has_unread)
        return TOOL_OK;
    tool_warn("%s: %s%s%s", name_of(o->input), lacks ? note->text : "",
              lacks && has_unread ? "; and " : "", has_unread ? unread->text : "");
    return TOOL_INCOMPLETE;
}

/* A file of several processes becomes one path profile. */
static bool sum_merged(const struct options *o, struct wpp_output *out, struct wpp_error *note,
                       struct wpp_error *error)
{
    struct wpp_bytes file = {0};
    int fd = open(o->input, O_RDONLY | O_CLOEXEC);
    bool done = fd >= 0 || wpp_fail_errno(error, "cannot open it");

    done = done && merged_input_sum(fd, &o->moved, &file, note, error) &&
           wpp_output_write(out, file.data, file.size, error);
    if (fd >= 0)
        close(fd);
    wpp_bytes_free(&file);
    return done;
}

/* A FIFO is not opened: its writer would see it closed. */
static bool is_merged(const struct options *o)
{
    struct stat st;
    bool may_be = o->kind == WPP_INPUT_TRACE && strcmp(o->input, "-") != 0 &&
                  stat(o->input, &st) == 0 && S_ISREG(st.st_mode);
    int fd = may_be ? open(o->input, O_RDONLY | O_CLOEXEC) : -1;
    bool is = fd >= 0 && merged_input_is(fd);

    if (fd >= 0)
        close(fd);
    return is;
}

static bool compress(const struct options *o, const char *path, struct wpp_output *out,
                     struct wpp_error *note, struct wpp_error *unread, struct wpp_error *error)
{
    struct wpp_crew crew = {0, 0};
    struct wpp_bytes file = {0};
    wpp_compressor *c = read_input(o, &crew, path, out, error);
    bool done = c && wpp_compress_finish(c, &file, note, error) &&
                wpp_compress_write(c, &file, out, error);

    if (done)
        wpp_compress_get_unread(c, unread);
    wpp_compress_free(c);
    wpp_bytes_free(&file);
    return done;
}

int main(int argc, char **argv)
{
    struct options o;
    struct wpp_output *out;
    struct wpp_error error, note, unread = {.status = WPP_OK};
    char *path;
    bool done;

    tool_init("wpp-compress");
    o = parse_options(argc, argv);
    if (o.best && o.kind == WPP_INPUT_TRACE && is_wpp(o.input))
        return improve(&o);
    if (strcmp(o.input, "-") == 0)
        tool_refuse_terminal(STDIN_FILENO, "a trace");
    path = o.output ? strdup(o.output) : default_output(o.input);
    if (!path)
        tool_die(TOOL_ERROR, "out of memory");
    if (strcmp(path, "-") == 0)
        tool_refuse_terminal(STDOUT_FILENO, "a WPP file");
    out = tool_output(path, o.force, o.input);
    done = is_merged(&o) ? sum_merged(&o, out, &note, &error)
                         : compress(&o, path, out, &note, &unread, &error);
    if (done)
        done = wpp_output_commit(out, &error);
    else
        wpp_output_abandon(out);
    wpp_moved_free(&o.moved);
    free(path);
    if (!done)
        tool_die(tool_exit_status(error.status), "%s: %s", name_of(o.input), error.text);
    return say_notes(&o, &note, &unread);
}
