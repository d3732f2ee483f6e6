/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loader.c - wpp.so: loads the plugin that was built for the running GCC.
 *
 * A plugin works with one GCC only: with another one the dynamic linker would fail with the name
 * of some missing C++ symbol.  So `wpp.so` is this small C file without any GCC symbol.  It
 * reads the version that GCC passes and loads wpp-<major>.so from its own folder, or says in one
 * line what is missing.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The same as in GCC's plugin.h and gcc-plugin.h, unchanged from GCC 4.5 to 15. */
struct plugin_name_args;
struct plugin_gcc_version {
    const char *basever, *datestamp, *devphase, *revision, *configuration_arguments;
};
typedef int plugin_init_function(struct plugin_name_args *, struct plugin_gcc_version *);

__attribute__((visibility("default"))) int plugin_is_GPL_compatible;
__attribute__((visibility("default"))) plugin_init_function plugin_init;

/* Prints one line and exits: after a mere failure, cc1 would add lines of its own. */
__attribute__((noreturn, format(printf, 1, 2)))
static void refuse(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("wpp: error: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

/* ---- Other compilers ------------------------------------------------------------ */

/* Clang knows -fplugin too: it would load the file and go on without a message. */
__attribute__((constructor)) static void refuse_other_compilers(void)
{
    if (!dlsym(RTLD_DEFAULT, "register_callback"))
        refuse("this compiler is not GCC, and only GCC can instrument a program; for "
               "wpp-gcc, wpp-g++: WPP_CC=gcc WPP_CXX=g++");
}

enum { MAX_VERSIONS = 16 };

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* The versions that have a plugin in the folder, ascending. */
static int find_versions(const char *folder, int majors[MAX_VERSIONS])
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    int n = 0;

    while (dir && n < MAX_VERSIONS && (entry = readdir(dir))) {
        int major, end = 0;
        if (sscanf(entry->d_name, "wpp-%d.so%n", &major, &end) == 1 && end
            && !entry->d_name[end])
            majors[n++] = major;
    }
    if (dir)
        closedir(dir);
    qsort(majors, (size_t)n, sizeof *majors, by_number);
    return n;
}

__attribute__((noreturn)) static void refuse_version(const char *folder, const char *version)
{
    int majors[MAX_VERSIONS], n = find_versions(folder, majors), major = atoi(version);
    char list[16 * MAX_VERSIONS] = "", *p = list;

    if (n == 0)
        refuse("this is GCC %s, but %s has a plugin for no GCC; in wpp's sources type `make "
               "PLUGIN_GCC=gcc-%d PLUGIN_GXX=g++-%d`", version, folder, major, major);
    for (int i = 0; i < n; i++)
        p += sprintf(p, "%s%d", i == 0 ? "" : i < n - 1 ? ", " : " and ", majors[i]);
    refuse("this is GCC %s, but the plugin is built for GCC %s; compile with gcc-%d (for wpp-gcc, "
           "wpp-g++: WPP_CC=gcc-%d WPP_CXX=g++-%d), or in wpp's sources type `make "
           "PLUGIN_GCC=gcc-%d PLUGIN_GXX=g++-%d`", version, list, majors[n - 1], majors[n - 1],
           majors[n - 1], major, major);
}

/* A cross compiler has our version but another target.  Without --target, GCC compiles for the
 * machine it runs on, like this file. */
static void check_target(const char *configuration)
{
    const char *target = configuration ? strstr(configuration, "--target=") : NULL;

    if (!target)
        return;
    target += strlen("--target=");
    if (strncmp(target, "x86_64", 6) != 0)
        refuse("this GCC compiles for %.*s; only x86-64 code can be instrumented",
               (int)strcspn(target, " '"), target);
}

/* ---- The plugin ------------------------------------------------------------------- */

int plugin_init(struct plugin_name_args *args, struct plugin_gcc_version *version)
{
    char folder[4096], path[4096 + 32];
    Dl_info self;
    char *slash;
    void *plugin;
    plugin_init_function *init;

    if (!dladdr((void *)&plugin_init, &self) || strlen(self.dli_fname) >= sizeof folder)
        refuse("cannot find the folder of the plugin");
    check_target(version->configuration_arguments);
    strcpy(folder, self.dli_fname);
    slash = strrchr(folder, '/');
    slash = slash ? slash : strcpy(folder, "./") + 1;
    *slash = '\0';
    snprintf(path, sizeof path, "%s/wpp-%d.so", folder, atoi(version->basever));

    plugin = dlopen(path, RTLD_NOW);
    if (!plugin && access(path, F_OK) == 0)
        refuse("the plugin does not fit this GCC %s: %s; build it again", version->basever,
               dlerror());
    if (!plugin)
        refuse_version(folder, version->basever);
    init = (plugin_init_function *)dlsym(plugin, "plugin_init");
    if (!init)
        refuse("%s is damaged: %s", path, dlerror());
    return init(args, version);
}
