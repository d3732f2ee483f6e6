/* SPDX-License-Identifier: MIT */
/* wpp-gcc, wpp-g++: gcc and g++ whose programs write whole program paths.  wpp-gcc-ar,
 * wpp-gcc-nm, wpp-gcc-ranlib: the compiler's own tools for archives.
 *
 *   WPP_CC, WPP_CXX      the compiler (gcc, g++), of a version wpp was built for
 *   WPP_PLUGIN_ARGS      `stage=early limit=4096`: arguments of the plugin
 *   WPP_PREFIX_MAP       `OLD=NEW`: names of files below OLD are said to be below NEW
 *   WPP_RUNTIME=nop      link the runtime that records nothing, to measure with
 *
 * A compile line gets the plugin; a link line also gets the runtime, behind everything else.  A
 * line that neither compiles nor links (-E, -M, --version, -print-...) gets at most the folder
 * of <wpp/control.h>.  The probes of configure, CMake and Meson are not instrumented.  The
 * plugin and the runtime are found relative to this file: BIN/../lib/wpp.
 *
 * A link to this file may stand in PATH before the compiler, under the compiler's name (gcc,
 * g++, cc ...).  This serves builds whose compiler cannot be chosen.
 */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/line.h"
#include "driver/objects.h"
#include "driver/place.h"

enum { FAILED = 1, NOT_FOUND = 127 };

static void say(const struct place *place, const char *format, va_list args)
{
    fprintf(stderr, "%s: ", place->name);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

__attribute__((format(printf, 2, 3)))
static void note(const struct place *place, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(place, format, args);
    va_end(args);
}

__attribute__((noreturn, format(printf, 3, 4)))
static void die(int status, const struct place *place, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(place, format, args);
    va_end(args);
    exit(status);
}

__attribute__((noreturn)) static void run(const struct place *place, const struct words *command)
{
    if (command->failed || command->n == 0)
        die(FAILED, place, "out of memory");
    execvp(command->word[0], command->word);
    die(NOT_FOUND, place, "cannot run `%s`: %s", command->word[0], strerror(errno));
}

static void add_arguments(struct words *command, char *const *argv)
{
    for (; *argv; argv++)
        words_add(command, *argv);
}

/* ---- Tools for archives ------------------------------------------------------------------ */

__attribute__((noreturn))
static void run_tool(const struct place *place, const char *tool, char *const *argv)
{
    const char *path = place_compilers_tool(place, tool);
    struct words command = {0};

    if (!path)
        die(NOT_FOUND, place, "cannot tell which `gcc-%s` belongs to the compiler", tool);
    words_add(&command, path);
    add_arguments(&command, argv);
    run(place, &command);
}

/* ---- Help ----------------------------------------------------------------------------- */

static const char help[] =
    "\n%s makes programs that record whole program paths. Its variables:\n"
    "  WPP_CC, WPP_CXX          The compilers, gcc and g++ if not set.\n"
    "  WPP_PLUGIN_ARGS          Arguments of the plugin: stage=early, limit=N,\n"
    "                           inline=none|hot|all, base=link|load, include=GLOB,\n"
    "                           exclude=GLOB, min-size=N, time; separated by blanks.\n"
    "                           use=FILE optimises with counts and records nothing;\n"
    "                           mode=map only says where the blocks of the code are.\n"
    "  WPP_PREFIX_MAP=OLD=NEW   Names of files below OLD become names below NEW.\n"
    "  WPP_RUNTIME=nop          Link a runtime that records nothing.\n"
    "When the program runs:\n"
    "  WPP_OUT=PATH             The file of its trace; wpp.%%p.trace if not set.\n"
    "  WPP_OPTIONS              Options like record=off and signal=NAME.\n"
    "`man %s` explains them. `wpp-record PROGRAM` compresses the trace while the program runs.\n";

/* Prints the compiler's help and then ours.  A link in PATH prints only the compiler's. */
static void show_help(const struct place *place, const struct words *command)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0)
        run(place, command);
    if (child < 0 || waitpid(child, &status, 0) < 0)
        die(FAILED, place, "cannot start the compiler: %s", strerror(errno));
    if (status != 0)
        exit(WIFEXITED(status) ? WEXITSTATUS(status) : FAILED);
    printf(help, place->name, place->name);
    if (fflush(stdout) != 0)
        die(FAILED, place, "cannot write standard output");
    exit(0);
}

/* ---- The runtime ---------------------------------------------------------------------- */

static void add_for_linker(struct words *command, const char *word)
{
    words_add(command, "-Xlinker");
    words_add(command, word);
}

/* Adds the folder of libwpp-rt.so to the loader's folders for a library, without changing where
 * the loader looks for other libraries.  A library with a DT_RUNPATH is no longer searched for
 * in the program's DT_RPATH.  So if the line gives no folders, ours becomes a DT_RPATH.  GNU ld
 * also has a variable for these folders; it counts only if no option names one. */
static void add_folder(struct words *command, const struct place *place, const struct line *line)
{
    const char *folders = line->by_gnu_ld && !line->has_rpath ? getenv("LD_RUN_PATH") : NULL;

    if (folders && *folders) {
        add_for_linker(command, "-rpath");
        add_for_linker(command, folders);
    } else if (!folders && !line->has_rpath) {
        add_for_linker(command, "--disable-new-dtags");
    }
    add_for_linker(command, "-rpath");
    add_for_linker(command, place->lib);
}

static void add_shared_runtime(struct words *command, const struct place *place,
                               const struct line *line)
{
    words_add(command, text("-L%s", place->lib));
    words_add(command, "-l:libwpp-rt.so");
    add_folder(command, place, line);
}

/* Exports the program's runtime, which instrumented libraries share.  A static program loads no
 * library, and a static PIE cannot relocate an exported thread-local symbol.  A probe loads only
 * the libraries it is linked with, and for these the linker exports the names by itself. */
static void add_exports(struct words *command, const struct place *place, const struct line *line)
{
    if (!line->is_static && !line->probe) {
        add_for_linker(command, "--dynamic-list");
        add_for_linker(command, text("%s/libwpp-rt.list", place->lib));
    }
}

static void add_program_runtime(struct words *command, const struct place *place,
                                const struct line *line, bool real)
{
    bool object = line->hides_archives && !line->is_static;

    words_add(command, text("-L%s", place->lib));
    words_add(command, !real ? "-l:libwpp-rt-nop.a" : object ? "-l:libwpp-rt.o" : "-l:libwpp-rt.a");
    add_exports(command, place, line);
    if (line->without_start)
        words_add(command, "-l:libwpp-start.o");
    if (line->without_libraries)
        words_add(command, "-lc");
}

/* False: WPP_RUNTIME asks for the runtime that records nothing. */
static bool wants_recording(const struct place *place)
{
    const char *runtime = getenv("WPP_RUNTIME");

    if (!runtime || !*runtime)
        return true;
    if (strcmp(runtime, "nop") != 0)
        die(FAILED, place, "WPP_RUNTIME is `%s`; it may be nop or empty", runtime);
    return false;
}

/* Sets the entry of a static program: it makes thread-local variables before libc's start, which
 * may call traced code (tracer/entry.c).  For the linker the last -e counts: a -Wl,-e of the
 * user's. */
static void add_entry(struct words *command, const struct place *place, const struct line *line)
{
    if (!line->is_static || line->begins_elsewhere || line->without_start)
        return;
    add_for_linker(command, "-e");
    add_for_linker(command, "__wpp_entry");
    words_add(command, text("%s/libwpp-entry.o", place->lib));
}

/* Adds the arguments, the runtime behind them, and before them the object that runs before all
 * constructors. */
static void add_link(struct words *command, const struct place *place, const struct line *line,
                     char *const *argv)
{
    bool real = wants_recording(place);

    if (!line->library)
        add_entry(command, place, line);
    if (real && !line->library && !line->probe)
        words_add(command, text("%s/libwpp-begin.o", place->lib));
    add_arguments(command, argv);
    if (real && line->library)
        add_shared_runtime(command, place, line);
    else
        add_program_runtime(command, place, line, real);
}

/* ---- Programs that cannot record ---------------------------------------------------------- */

static const char *find_object(const struct line *line, bool (*is)(const char *path))
{
    for (size_t i = 0; i < line->inputs.n; i++)
        if (is(line->inputs.word[i]))
            return line->inputs.word[i];
    return NULL;
}

/* Lets the program be linked without the runtime; a source in the same line is compiled without
 * the plugin. */
static void refuse_to_record(const struct place *place, const struct line *line)
{
    const char *missing = line->without_libraries && !line->has_libc ? "the C library"
                                                                    : "start files";
    const char *object = find_object(line, object_records);

    if (object)
        die(FAILED, place, "%s records, and its runtime cannot be linked without %s; compile it "
            "without wpp-gcc", object, missing);
    if (line->compiles || find_object(line, object_is_compiled_late))
        note(place, "a program without %s cannot record; compiled without the plugin", missing);
}

/* ---- The line ------------------------------------------------------------------------------ */

/* The words of WPP_PLUGIN_ARGS. */
static struct words plugin_arguments(void)
{
    const char *variable = getenv("WPP_PLUGIN_ARGS");
    struct words args = {0};

    words_add_split(&args, variable ? variable : "");
    return args;
}

static int is_plugin(const struct dirent *entry)
{
    return fnmatch("wpp-*.so", entry->d_name, 0) == 0;
}

static void add_plugin(struct words *command, const struct place *place)
{
    struct words args = plugin_arguments();

    words_add(command, text("-fplugin=%s/wpp.so", place->lib));
    for (size_t i = 0; i < args.n; i++)
        words_add(command, text("-fplugin-arg-wpp-%s", args.word[i]));
    command->failed |= args.failed;
}

/* The file whose counts the compiler is to use (use=), or NULL: then code records. */
static const char *counts_file(const struct line *line)
{
    struct words args = plugin_arguments();
    const char *file = line->counts;

    for (size_t i = 0; i < args.n; i++)
        if (strncmp(args.word[i], "use=", 4) == 0)
            file = args.word[i] + 4;
    return file;
}

/* Whether the code only gets an address map (mode=map) and records nothing. */
static bool is_to_map(const struct line *line)
{
    struct words args = plugin_arguments();
    bool maps = line->maps;

    for (size_t i = 0; i < args.n; i++)
        maps |= strcmp(args.word[i], "mode=map") == 0;
    return maps;
}

/* ---- Compiler caches ----------------------------------------------------------------------- */

static void tell_of_file(const struct place *place, const char *file)
{
    const char *files = getenv("CCACHE_EXTRAFILES");
    char *all = text("%s%s%s", files ? files : "", files && *files ? ":" : "", file ? file : "");

    if (!file || !all || setenv("CCACHE_EXTRAFILES", all, 1) != 0)
        die(FAILED, place, "out of memory");
}

/* Tells a compiler cache that we call about the plugins, of which the cache itself sees only the
 * loader, and about the counts. */
static void tell_cache(const struct place *place, const struct words *compiler,
                       const struct line *line)
{
    const char *counts = counts_file(line);
    struct dirent **plugins = NULL;
    bool cache = false;
    int n;

    for (size_t i = 0; i < compiler->n; i++)
        cache |= strstr(compiler->word[i], "ccache") != NULL;
    n = cache ? scandir(place->lib, &plugins, is_plugin, alphasort) : 0;
    for (int i = 0; i < n; i++)
        tell_of_file(place, text("%s/%s", place->lib, plugins[i]->d_name));
    if (cache && counts)
        tell_of_file(place, counts);
}

/* Names of files under another folder, everywhere in what is compiled (wpp-p3). */
static void add_prefix_map(struct words *command)
{
    const char *map = getenv("WPP_PREFIX_MAP");

    if (map && *map)
        words_add(command, text("-ffile-prefix-map=%s", map));
}

/* Probes pass unchanged: configure takes their results for the compiler's own habits. */
static bool is_to_pass(const struct line *line)
{
    return line->passes || (line->probe && line->verbose);
}

/* Whether we have already completed this line before. */
static bool is_complete(const struct place *place)
{
    return *place->runs_us;
}

/* Adds the arguments to the compiler's words, together with everything that they need. */
static void complete(struct words *command, const struct place *place, const struct line *line,
                     char *const *argv)
{
    bool records = line_can_record(line);

    if (is_complete(place)) {
        add_arguments(command, argv);
        return;
    }
    if (is_to_pass(line)) {
        if (line->passes && line->preprocesses && !line->probe)
            words_add(command, text("-idirafter%s/../../include", place->lib));
        add_arguments(command, argv);
        return;
    }
    if ((counts_file(line) || is_to_map(line)) && !find_object(line, object_records)) {
        if (!line->probe)
            add_plugin(command, place);
        if (!line->probe && is_to_map(line))
            add_prefix_map(command);
        add_arguments(command, argv);
        return;
    }
    if (line->links && !records && !line->probe)
        refuse_to_record(place, line);
    if (!line->probe && (!line->links || records))
        add_plugin(command, place);
    if (!line->probe)
        add_prefix_map(command);
    if (line->links && records)
        add_link(command, place, line, argv);
    else
        add_arguments(command, argv);
}

int main(int argc, char **argv)
{
    struct words command = {0};
    struct place place;
    struct line line;
    const char *tool;

    if (argc < 1 || !place_find(&place, argv[0])) {
        fputs("wpp-gcc: cannot find the folder of this program\n", stderr);
        return FAILED;
    }
    tool = place_tool(&place);
    if (tool)
        run_tool(&place, tool, argv + 1);
    if (!place_compiler(&place, &command))
        die(NOT_FOUND, &place, "there is no other `%s` in PATH", place.name);
    if (!line_read(&line, argv + 1))
        die(FAILED, &place, "out of memory");
    tell_cache(&place, &command, &line);
    complete(&command, &place, &line, argv + 1);
    if (argc == 2 && strcmp(argv[1], "--help") == 0 && strncmp(place.name, "wpp-", 4) == 0)
        show_help(&place, &command);
    run(&place, &command);
}
