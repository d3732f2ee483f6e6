/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loader.c - wpp.so: picks the plugin that was built for the GCC that loads it.
 *
 * A plugin is bound to one GCC: another one would fail in the dynamic linker
 * with the name of some missing C++ symbol.  So `wpp.so` is this small C file
 * without any GCC symbol.  It looks at the version it is handed and loads
 * wpp-<major>.so from its own folder, or says in one line what is missing.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As in GCC's plugin.h and gcc-plugin.h, unchanged from GCC 4.5 to 15. */
struct plugin_name_args;
struct plugin_gcc_version {
    const char *basever, *datestamp, *devphase, *revision, *configuration_arguments;
};
typedef int plugin_init_function(struct plugin_name_args *, struct plugin_gcc_version *);

__attribute__((visibility("default"))) int plugin_is_GPL_compatible;
__attribute__((visibility("default"))) plugin_init_function plugin_init;

/* Lists the versions that are there: "12", "11 and 12". */
static void list_versions(const char *folder, char *out, size_t size)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    size_t used = 0;

    out[0] = '\0';
    while (dir && (entry = readdir(dir))) {
        int major, end = 0;
        if (sscanf(entry->d_name, "wpp-%d.so%n", &major, &end) == 1 && end
            && !entry->d_name[end] && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%d", used ? ", " : "", major);
    }
    if (dir)
        closedir(dir);
}

/* One line and out: cc1 would add lines of its own to a mere failure. */
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

int plugin_init(struct plugin_name_args *args, struct plugin_gcc_version *version)
{
    char path[4096], versions[256];
    Dl_info self;
    char *slash;
    void *plugin;
    plugin_init_function *init;
    int major = atoi(version->basever);

    if (!dladdr((void *)&plugin_init, &self) || strlen(self.dli_fname) + 32 > sizeof path)
        refuse("cannot find the folder of the plugin");
    strcpy(path, self.dli_fname);
    slash = strrchr(path, '/');
    slash = slash ? slash : strcpy(path, "./") + 1;
    *slash = '\0';
    list_versions(path, versions, sizeof versions);
    sprintf(slash, "/wpp-%d.so", major);

    plugin = dlopen(path, RTLD_NOW);
    if (!plugin && access(path, F_OK) == 0)
        refuse("%s", dlerror());
    if (!plugin)
        refuse("this is GCC %s, but the plugin is built for GCC %s; compile with `wpp-gcc` or "
               "`gcc-%.2s`, or build wpp with `make PLUGIN_GCC=gcc-%d PLUGIN_GXX=g++-%d`",
               version->basever, versions[0] ? versions : "(none)", versions, major, major);
    init = (plugin_init_function *)dlsym(plugin, "plugin_init");
    if (!init)
        refuse("%s is damaged: %s", path, dlerror());
    return init(args, version);
}
