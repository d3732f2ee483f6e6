/* SPDX-License-Identifier: MIT */
#include "wpp/step/key-script.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/error.h"
#include "wpp/base/utf8.h"
#include "wpp/step/terminal.h"

static const struct { const char *name; int key; } names[] = {
    {"Up", TERMINAL_UP}, {"Down", TERMINAL_DOWN}, {"PgUp", TERMINAL_PAGE_UP}, {"PgDn", TERMINAL_PAGE_DOWN},
    {"Home", TERMINAL_HOME}, {"End", TERMINAL_END}, {"Enter", TERMINAL_ENTER},
    {"Backspace", TERMINAL_BACKSPACE}, {"Esc", TERMINAL_ESCAPE}, {"Space", ' '}, {"Quote", '"'}
};

const char *key_name(int key, char out[static 16])
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].key == key)
            return names[i].name;
    snprintf(out, 16, key > ' ' && key < 0x7f ? "%c" : "U+%04X", (unsigned)key);
    return out;
}

/* Reads what stands between < and >; false: it is no key. */
static bool take_name(const char **text, int *key)
{
    size_t length = strcspn(*text + 1, ">\n");

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((*text)[length + 1] == '>' && strlen(names[i].name) == length
            && memcmp(names[i].name, *text + 1, length) == 0) {
            *key = names[i].key;
            *text += length + 2;
            return true;
        }
    return false;
}

static int take_character(const char **text)
{
    static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    const unsigned char *s = (const unsigned char *)*text;
    int length = utf8_length(s), key = length ? s[0] & first[length] : '?';

    for (int i = 1; i < length; i++)
        key = key << 6 | (s[i] & 0x3f);
    *text += length ? length : 1;
    return key;
}

/* The number of the line in which the text stops making sense; 0: it all does. */
static uint32_t parse(struct key_script *out, const char *text)
{
    uint32_t line = 1;
    bool quoted = false, begins = true;

    while (*text) {
        bool newline = *text == '\n';

        line += newline;
        if (newline && quoted)
            return line - 1;
        if (*text == '"') {
            quoted = !quoted;
            text++;
        } else if (begins && *text == '#') {
            text += strcspn(text, "\n");
            continue;
        } else if (!quoted && isspace((unsigned char)*text)) {
            text++;
        } else if (!quoted && *text == '<') {
            if (!take_name(&text, &out->key[out->n++]))
                return line;
        } else {
            out->key[out->n++] = take_character(&text);
        }
        begins = newline;
    }
    return quoted ? line : 0;
}

/* Of a whole file; NULL: errno says why. */
static char *read_text(const char *path)
{
    FILE *in = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;

    if (in && getdelim(&text, &size, '\0', in) < 0) {
        free(text);
        text = ferror(in) ? NULL : strdup("");
    }
    if (in)
        fclose(in);
    return text;
}

bool key_script_read(struct key_script *out, const char *path, struct wpp_error *error)
{
    char *text = read_text(path);
    uint32_t line;

    *out = (struct key_script){0};
    if (!text)
        return wpp_fail(error, WPP_E_SYSTEM, "%s: %s", path, strerror(errno));
    out->key = malloc((strlen(text) + 1) * sizeof *out->key);
    if (!out->key) {
        free(text);
        return wpp_fail_memory(error);
    }
    line = parse(out, text);
    free(text);
    if (line == 0)
        return true;
    key_script_free(out);
    return wpp_fail(error, WPP_E_ARGUMENT, "%s: line %u: no key has such a name, or a text does not end", path,
                    line);
}

void key_script_free(struct key_script *k)
{
    free(k->key);
    *k = (struct key_script){0};
}
