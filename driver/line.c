/* SPDX-License-Identifier: MIT */
/* line.c - reads a command line by the rules of GCC's driver, and the linker's words by those of
 * GNU ld. */
#include "driver/line.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The state between two words. */
struct reader {
    struct line *line;
    /* The meaning of the next word for the option before it. */
    enum { ARG_NONE, ARG_OTHER, ARG_LINKERS, ARG_LANGUAGE, ARG_LIBRARY } argument;
    const char *language;           /* of the following files; NULL: by their names */
    const char *linkers_last;       /* the last word for the linker */
    bool library_before_G;
    bool others;                    /* an input is not a header */
};

static bool is_one_of(const char *word, const char *const *list)
{
    while (*list && strcmp(word, *list) != 0)
        list++;
    return *list != NULL;
}

static bool matches_one_of(const char *word, const char *const *patterns)
{
    while (*patterns && fnmatch(*patterns, word, 0) != 0)
        patterns++;
    return *patterns != NULL;
}

static bool begins_with(const char *word, const char *prefix)
{
    return strncmp(word, prefix, strlen(prefix)) == 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* ---- Probes --------------------------------------------------------------------------- */

/* Files that configure, CMake, Meson, SCons, waf, Python's and ffmpeg's configuration compile. */
static const char *const probes[] = {
    "conftest.*", "*/conftest.*", "*cmTC_*", "CMakeC*CompilerId.c*", "*/CMakeC*CompilerId.c*",
    "*/meson-private/*", "sanitycheckc.c", "sanitycheckcpp.cc", "sanity_check_for_*",
    "conftest_*.c*", "*/.sconf_temp/*", ".sconf_temp/*", "*/.conf_check_*/*", "_configtest.*",
    "*/ffconf.*/*", NULL
};

/* ---- Files ------------------------------------------------------------------------------ */

static const char *const header_names[] = {
    "*.h", "*.hh", "*.H", "*.hp", "*.hxx", "*.hpp", "*.HPP", "*.h++", "*.tcc", NULL
};
static const char *const c_names[] = {
    "*.c", "*.i", "*.ii", "*.m", "*.mi", "*.mm", "*.M", "*.mii", "*.cc", "*.cp", "*.cxx", "*.cpp",
    "*.CPP", "*.c++", "*.C", NULL
};
static const char *const assembly_names[] = {"*.s", "*.S", "*.sx", NULL};
static const char *const other_names[] = {
    "*.[fF]", "*.for", "*.FOR", "*.ftn", "*.FTN", "*.fpp", "*.FPP", "*.[fF][0-9][0-9]",
    "*.ad[bs]", "*.d", "*.dd", "*.di", "*.go", "*.mod", "*.rs", "*.cob", "*.cbl", NULL
};
static const char *const start_names[] = {"*crt[01].o", "crt[01].o", NULL};
static const char *const libc_names[] = {"libc.a", "libc.so", "libc.so.*", NULL};

static bool is_c_language(const char *language)
{
    return strcmp(language, "c") == 0 || begins_with(language, "c-") || begins_with(language, "c++")
           || begins_with(language, "cpp-") || begins_with(language, "objective-c");
}

/* Adds a file that is linked, if the line links. */
static void add_input(struct reader *r, const char *file)
{
    const char *name = base_name(file);

    r->line->has_start |= matches_one_of(name, start_names);
    r->line->has_libc |= matches_one_of(name, libc_names);
    words_add(&r->line->inputs, file);
}

static void look_at_file(struct reader *r, const char *file)
{
    struct line *line = r->line;
    const char *name = base_name(file), *language = r->language;
    bool header = language ? strstr(language, "-header") != NULL
                           : matches_one_of(name, header_names);
    bool assembly = language ? begins_with(language, "assembler")
                             : matches_one_of(name, assembly_names);
    bool c = language ? is_c_language(language)
                      : header || strcmp(file, "-") == 0 || matches_one_of(name, c_names);

    r->others |= !header;
    line->preprocesses |= c || assembly;
    line->compiles |= !header && !assembly
                      && (c || language || matches_one_of(name, other_names));
    add_input(r, file);
}

/* -lNAME or -l:FILE, without -l. */
static void look_at_library(struct reader *r, const char *name)
{
    r->line->has_libc |= strcmp(name, "c") == 0
                         || (*name == ':' && matches_one_of(base_name(name + 1), libc_names));
    r->others = true;
}

/* ---- The linker's words --------------------------------------------------------------- */

static bool is(mode_t kind, const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && (status.st_mode & S_IFMT) == kind;
}

/* -R FILE takes the file's symbols; -R FOLDER means -rpath FOLDER. */
static void look_at_R(struct line *line, const char *argument)
{
    line->has_rpath |= is(S_IFDIR, argument);
}

/* Whether the word is -T FILE, -TFILE or a long name of these, but not -Ttext=ADDRESS or
 * similar. */
static bool names_script(const char *word)
{
    static const char *const addresses[] = {
        "-Tbss*", "-Tdata*", "-Ttext*", "-Trodata-segment*", "-Tldata-segment*", NULL
    };
    static const char *const scripts[] = {"-T*", "-script*", "-default-script*", "-dT*", NULL};

    return matches_one_of(word, scripts) && !matches_one_of(word, addresses);
}

/* Reads one word of the linker's.  An option has one dash or two. */
static void look_at_linkers_word(struct reader *r, const char *word)
{
    static const char *const relocatable[] = {"-r", "-i", "-Ur", "-relocatable", NULL};
    static const char *const shared[] = {"-sh", "-sha", "-shar", "-share", "-shared", NULL};
    struct line *line = r->line;
    const char *last = r->linkers_last;

    word += begins_with(word, "--");
    if (is_one_of(word, relocatable)) {
        line->links = false;
    } else if (is_one_of(word, shared) || begins_with(word, "-Bsh")) {
        line->library = true;
    } else if (strcmp(word, "-G") == 0) {
        /* Before a number, -G does not mean -shared. */
        r->library_before_G = line->library;
        line->library = true;
    } else if (*word >= '0' && *word <= '9') {
        if (strcmp(last, "-G") == 0)
            line->library = r->library_before_G;
    } else if (strcmp(word, "-rpath") == 0 || begins_with(word, "-rpath=")) {
        line->has_rpath = true;
    } else if (begins_with(word, "-R") && word[2]) {
        look_at_R(line, word + 2);
    } else if (names_script(word)) {
        line->begins_elsewhere = true;
    } else if (begins_with(word, "-exclude-libs=")) {
        line->hides_archives |= strstr(word, "ALL") != NULL;
    }
    /* If the runtime comes from an archive, its names are hidden then, and libraries would not
     * find it in the program. */
    if (strcmp(last, "-exclude-libs") == 0)
        line->hides_archives |= strstr(word, "ALL") != NULL;
    if (strcmp(last, "-R") == 0)
        look_at_R(line, word);
    r->linkers_last = word;
}

/* Looks at an input of the linker that the compiler does not take for one. */
static void look_at_linkers_input(struct reader *r, const char *word)
{
    if (begins_with(word, "-l")) {
        look_at_library(r, word + 2);
    } else if (*word != '-' && is(S_IFREG, word)) {
        add_input(r, word);
        r->others = true;
    }
}

static void look_at_linkers(struct reader *r, const char *word)
{
    struct words words = {0};

    words_expand(&words, word);
    for (size_t i = 0; i < words.n; i++) {
        look_at_linkers_word(r, words.word[i]);
        look_at_linkers_input(r, words.word[i]);
    }
    r->line->inputs.failed |= words.failed;
}

/* Reads WORD,WORD... */
static void look_at_list(struct reader *r, const char *list)
{
    char *copy = strdup(list), *rest = copy, *word;

    r->line->inputs.failed |= !copy;
    while (copy && (word = strsep(&rest, ",")))
        look_at_linkers(r, word);
}

/* ---- The compiler's words ------------------------------------------------------------- */

/* What an option makes the line do. */
enum meaning {
    NO_LINK, PASSES, SHARED, PROGRAM, STATIC, VERBOSE, COUNTS, MAPS, NO_LIBRARIES, NO_START, NO_DEFAULTS,
    LINKER, ENTRY, ENTRY_NEXT, NOTHING, LINKERS_LIST, LINKERS_WORD, LINKERS_NEXT, LANGUAGE,
    LANGUAGE_NEXT, LIBRARY, LIBRARY_NEXT, NEXT
};

/* The option's text is the part before a `*`. */
static const struct { const char *option; enum meaning meaning; } options[] = {
    {"-c", NO_LINK}, {"-S", NO_LINK}, {"--compile", NO_LINK}, {"--assemble", NO_LINK},
    {"-fsyntax-only", NO_LINK}, {"-fmodule-only", NO_LINK}, {"-r", NO_LINK},
    {"-E", PASSES}, {"-M", PASSES}, {"-MM", PASSES}, {"--preprocess", PASSES},
    {"--dependencies", PASSES}, {"--user-dependencies", PASSES}, {"--version", PASSES},
    {"--help", PASSES}, {"--help=*", PASSES}, {"--target-help", PASSES}, {"-print-*", PASSES},
    {"--print-*", PASSES}, {"-dumpmachine", PASSES}, {"-dumpversion", PASSES},
    {"-dumpspecs", PASSES}, {"-dumpfullversion", PASSES},
    {"-nostdlib", NO_DEFAULTS}, {"--no-standard-libraries", NO_DEFAULTS},
    {"-nodefaultlibs", NO_LIBRARIES}, {"-nolibc", NO_LIBRARIES}, {"-nostartfiles", NO_START},
    {"-shared", SHARED}, {"--sh", SHARED}, {"--sha", SHARED}, {"--shar", SHARED},
    {"--share", SHARED}, {"--shared", SHARED},
    {"-pie", PROGRAM}, {"-no-pie", PROGRAM}, {"--pie", PROGRAM},
    {"-static", STATIC}, {"--static", STATIC}, {"-static-pie", STATIC}, {"--static-pie", STATIC},
    {"-Wl,*", LINKERS_LIST}, {"--for-linker=*", LINKERS_WORD}, {"-Xlinker", LINKERS_NEXT},
    {"--for-linker", LINKERS_NEXT}, {"-fuse-ld=*", LINKER},
    {"-v", VERBOSE}, {"-###", VERBOSE}, {"-fplugin-arg-wpp-use=*", COUNTS},
    {"-fplugin-arg-wpp-mode=map", MAPS},
    {"-x", LANGUAGE_NEXT}, {"--language", LANGUAGE_NEXT}, {"--language=*", LANGUAGE},
    {"-x*", LANGUAGE}, {"-l", LIBRARY_NEXT}, {"-l*", LIBRARY},
    /* These take the next word as argument. */
    {"-o", NEXT}, {"-I", NEXT}, {"-D", NEXT}, {"-U", NEXT}, {"-L", NEXT}, {"-B", NEXT},
    {"-A", NEXT}, {"-J", NEXT}, {"-u", NEXT}, {"-z", NEXT},
    {"-h", NEXT}, {"-G", NEXT}, {"-R", NEXT}, {"-include", NEXT}, {"-imacros", NEXT},
    {"-isystem", NEXT}, {"-iquote", NEXT}, {"-idirafter", NEXT}, {"-iprefix", NEXT},
    {"-iwithprefix", NEXT}, {"-iwithprefixbefore", NEXT}, {"-isysroot", NEXT},
    {"-imultilib", NEXT}, {"-imultiarch", NEXT}, {"-MF", NEXT}, {"-MT", NEXT}, {"-MQ", NEXT},
    {"-Xpreprocessor", NEXT}, {"-Xassembler", NEXT}, {"-aux-info", NEXT}, {"-wrapper", NEXT},
    {"-specs", NEXT}, {"-dumpbase", NEXT}, {"-dumpbase-ext", NEXT}, {"-dumpdir", NEXT},
    {"-Tbss", NEXT}, {"-Tdata", NEXT}, {"-Ttext", NEXT}, {"-soname", NEXT}, {"-rpath", NEXT},
    {"-fintrinsic-modules-path", NEXT}, {"--param", NEXT}, {"--sysroot", NEXT},
    {"--output", NEXT}, {"--include", NEXT}, {"--imacros", NEXT}, {"--prefix", NEXT},
    {"--specs", NEXT}, {"--assert", NEXT}, {"--define-macro", NEXT}, {"--undefine-macro", NEXT},
    {"--force-link", NEXT}, {"--for-assembler", NEXT}, {"--include-directory", NEXT},
    {"--include-directory-after", NEXT}, {"--include-prefix", NEXT},
    {"--include-with-prefix", NEXT}, {"--include-with-prefix-after", NEXT},
    {"--include-with-prefix-before", NEXT}, {"--library-directory", NEXT}, {"--dumpbase", NEXT},
    {"--dumpdir", NEXT},
    /* A linker script may also name the program's start.  -Ttext=ADDRESS and similar are not
     * scripts. */
    {"-e", ENTRY_NEXT}, {"--entry", ENTRY_NEXT}, {"-T", ENTRY_NEXT}, {"-Tbss=*", NOTHING},
    {"-Tdata=*", NOTHING}, {"-Ttext=*", NOTHING}, {"-Ttext-segment=*", NOTHING}, {"-T*", ENTRY},
    {"-e*", ENTRY}, {"--entry=*", ENTRY},
};

/* Finds a word in `options`; sets `rest` to the text at the `*`.  False: the option does not
 * matter here. */
static bool find_option(const char *word, enum meaning *meaning, const char **rest)
{
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const char *option = options[i].option;
        size_t length = strcspn(option, "*");

        if (strncmp(word, option, length) == 0 && (option[length] || !word[length])) {
            *meaning = options[i].meaning;
            *rest = word + length;
            return true;
        }
    }
    return false;
}

static void set_language(struct reader *r, const char *language)
{
    r->language = strcmp(language, "none") == 0 ? NULL : language;
}

static void look_at_option(struct reader *r, const char *word)
{
    struct line *line = r->line;
    enum meaning meaning;
    const char *rest;

    if (!find_option(word, &meaning, &rest))
        return;
    switch (meaning) {
    case NO_LINK:       line->links = false; break;
    case PASSES:        line->passes = true; break;
    case SHARED:        line->library = true; break;
    case PROGRAM:       line->library = false; break;
    case STATIC:        line->library = false; line->is_static = true; break;
    case VERBOSE:       line->verbose = true; break;
    case COUNTS:        line->counts = rest; break;
    case MAPS:          line->maps = true; break;
    case NO_LIBRARIES:  line->without_libraries = true; break;
    case NO_START:      line->without_start = true; break;
    case NO_DEFAULTS:   line->without_libraries = line->without_start = true; break;
    case ENTRY:         line->begins_elsewhere = true; break;
    case ENTRY_NEXT:    line->begins_elsewhere = true; r->argument = ARG_OTHER; break;
    case NOTHING:       break;
    case LINKER:        line->by_gnu_ld = strcmp(rest, "bfd") == 0; break;
    case LINKERS_LIST:  look_at_list(r, rest); break;
    case LINKERS_WORD:  look_at_linkers(r, rest); break;
    case LINKERS_NEXT:  r->argument = ARG_LINKERS; break;
    case LANGUAGE:      set_language(r, rest); break;
    case LANGUAGE_NEXT: r->argument = ARG_LANGUAGE; break;
    case LIBRARY:       look_at_library(r, rest); break;
    case LIBRARY_NEXT:  r->argument = ARG_LIBRARY; break;
    case NEXT:          r->argument = ARG_OTHER; break;
    }
}

static void look_at_argument(struct reader *r, const char *word)
{
    switch (r->argument) {
    case ARG_NONE:
    case ARG_OTHER:    break;
    case ARG_LINKERS:  look_at_linkers(r, word); break;
    case ARG_LANGUAGE: set_language(r, word); break;
    case ARG_LIBRARY:  look_at_library(r, word); break;
    }
    r->argument = ARG_NONE;
}

static void look(struct reader *r, const char *word)
{
    r->line->probe |= matches_one_of(word, probes);
    if (r->argument != ARG_NONE)
        look_at_argument(r, word);
    else if (word[0] == '-' && word[1])
        look_at_option(r, word);
    else if (word[0])
        look_at_file(r, word);
}

bool line_read(struct line *line, char *const *argv)
{
    struct reader r = {.line = line, .linkers_last = ""};
    struct words words = {0};

    *line = (struct line){.links = true, .by_gnu_ld = true};
    for (; *argv; argv++)
        words_expand(&words, *argv);
    for (size_t i = 0; i < words.n; i++)
        look(&r, words.word[i]);
    /* The line has only headers: it precompiles them and does not link. */
    if (!r.others)
        line->passes = true;
    return !words.failed && !line->inputs.failed;
}

bool line_can_record(const struct line *line)
{
    bool libc = !line->without_libraries || line->has_libc;
    bool start = !line->without_start || line->has_start;

    return line->library || (libc && (start || !line->is_static));
}
