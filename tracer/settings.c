/* SPDX-License-Identifier: MIT */
/* settings.c - WPP_OUT and WPP_OPTIONS, read once, before the program's main.
 *
 *   WPP_OUT      a path with %p process, %h host, %% percent; or fd:N; or none;
 *                or recorder:PATH, which wpp-record sets
 *   WPP_OPTIONS  key=value, separated by colons: fd=N, record=on|off, signal=NAME,
 *                gone=stop|continue; or merge
 *
 * The environment is read without getenv, because programs replace getenv by their own. */
#include "tracer/runtime.h"

#include <elf.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "tracer/sys.h"
#include "tracer/text.h"

#define DEFAULT_OUT "wpp.%p.trace"
#define LOWEST_FD   200

/* Set by begin.c, before libc knows the environment; we must not set libc's `environ`. */
char **__wpp_environment;

struct wpp_settings __wpp_settings = { .fd = -1, .lowest = LOWEST_FD };

static const char *environment(const char *name)
{
    for (char **entry = environ ? environ : __wpp_environment; entry && *entry; entry++) {
        const char *rest = text_after(*entry, name);

        if (rest && *rest == '=')
            return rest + 1;
    }
    return NULL;
}

static bool set_lowest(const char *value)
{
    long lowest = text_decimal(value, 1 << 20);

    if (lowest >= 3)
        __wpp_settings.lowest = (int)lowest;
    return lowest >= 3;
}

static bool set_record(const char *value)
{
    __wpp_settings.off = text_equal(value, "off");
    return __wpp_settings.off || text_equal(value, "on");
}

static bool set_gone(const char *value)
{
    __wpp_settings.ends_with_recorder = text_equal(value, "stop");
    return __wpp_settings.ends_with_recorder || text_equal(value, "continue");
}

static bool set_merge(void)
{
    __wpp_settings.merges = true;
    return true;
}

static bool is_unfit(int signal)
{
    static const int unfit[] = WPP_UNFIT_SIGNALS;

    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++)
        if (signal == unfit[i])
            return true;
    return false;
}

/* Accepts a number, or the name of a signal that programs commonly use for such purposes. */
static bool set_signal(const char *value)
{
    static const struct { const char *name; int number; } names[] = {
        { "HUP", SIGHUP }, { "USR1", SIGUSR1 }, { "USR2", SIGUSR2 }, { "ALRM", SIGALRM },
        { "URG", SIGURG }, { "PROF", SIGPROF }, { "WINCH", SIGWINCH }, { "IO", SIGIO },
    };
    long number = text_decimal(value, 64);
    const char *name = text_after(value, "SIG");

    if (!name)
        name = value;
    for (size_t i = 0; number <= 0 && i < sizeof names / sizeof *names; i++)
        if (text_equal(name, names[i].name))
            number = names[i].number;
    if (number <= 0 || is_unfit((int)number))
        return false;
    __wpp_settings.signal = (int)number;
    return true;
}

static bool set_faults(const char *value)
{
    __wpp_settings.no_faults = text_equal(value, "off");
    return __wpp_settings.no_faults || text_equal(value, "on");
}

/* One `key=value`, without its colon.  False: the key is unknown or the value wrong. */
static bool set_option(const char *option)
{
    const char *value;

    if (text_equal(option, "merge"))
        return set_merge();
    if ((value = text_after(option, "fd=")))
        return set_lowest(value);
    if ((value = text_after(option, "record=")))
        return set_record(value);
    if ((value = text_after(option, "signal=")))
        return set_signal(value);
    if ((value = text_after(option, "gone=")))
        return set_gone(value);
    if ((value = text_after(option, "faults=")))
        return set_faults(value);
    return false;
}

static void read_options(const char *options)
{
    char buffer[128];
    struct wpp_text option;

    while (options && *options) {
        text_init(&option, buffer, sizeof buffer);
        while (*options && *options != ':')
            text_byte(&option, *options++);
        if (*options)
            options++;
        if (option.used && (option.cut || !set_option(buffer)))
            __wpp_complain("WPP_OPTIONS: no such option or value, ignored: ", buffer, NULL);
    }
}

/* Whether a known letter follows every %. */
static bool good_pattern(const char *out)
{
    for (; *out; out++) {
        if (*out != '%')
            continue;
        out++;
        if (*out == 'p')
            __wpp_settings.names_process = true;
        else if (*out != 'h' && *out != '%')
            return false;
    }
    return true;
}

/* The program may change its directory before its child opens a trace. */
static bool make_absolute(const char *out)
{
    char cwd[2048];
    struct wpp_text path;

    text_init(&path, __wpp_settings.out, sizeof __wpp_settings.out);
    if (*out != '/' && sys3(SYS_getcwd, (long)cwd, sizeof cwd, 0) > 0 && cwd[0] == '/') {
        for (const char *at = cwd; *at; at++) {
            text_byte(&path, *at);
            if (*at == '%')
                text_byte(&path, '%');
        }
        text_byte(&path, '/');
    }
    text_add(&path, out);
    return !path.cut;
}

static bool read_out(const char *out)
{
    const char *number, *path;
    struct wpp_text text;

    if (!out || !*out)
        out = DEFAULT_OUT;
    if (text_equal(out, "none")) {
        __wpp_settings.none = true;
        return true;
    }
    if ((path = text_after(out, "recorder:"))) {
        __wpp_settings.recorder = __wpp_settings.names_process = true;
        text_init(&text, __wpp_settings.out, sizeof __wpp_settings.out);
        text_add(&text, path);
        return true;
    }
    if ((number = text_after(out, "fd:"))) {
        long fd = text_decimal(number, INT32_MAX);

        if (fd >= 0)
            __wpp_settings.fd = (int)fd;
        else
            __wpp_complain("WPP_OUT=", out, ": fd: wants a number; not recording");
        return fd >= 0;
    }
    if (!good_pattern(out)) {
        __wpp_complain("WPP_OUT=", out, ": only %p, %h and %% are known; not recording");
        return false;
    }
    __wpp_settings.names_process |= __wpp_settings.merges;
    if (!make_absolute(out)) {
        __wpp_complain("WPP_OUT: the path is too long; not recording", NULL, NULL);
        return false;
    }
    return true;
}

bool __wpp_settings_read(void)
{
    /* A program with more rights than its caller takes no paths from the caller. */
    if (getauxval(AT_SECURE))
        return false;
    read_options(environment("WPP_OPTIONS"));
    return read_out(environment("WPP_OUT"));
}
