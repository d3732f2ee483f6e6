/* SPDX-License-Identifier: MIT */
/* Lines of addresses.  With arguments FILE ADDRESS...: prints them, for test/e2e/death.sh, which compares
 * them with addr2line's.  Without: tables that are broken in any way give an answer or none. */
#include "wpp/trace/line-table.h"

#include <stdio.h>
#include <stdlib.h>

#include "test/unit/tap.h"
#include "wpp/base/arena.h"

enum { TRIES = 20, CUTS = 10 };

static bool find(const struct wpp_line_table *t, uint64_t address, char *text, size_t size)
{
    struct wpp_arena arena = {0};
    struct wpp_line_place place;
    bool found = wpp_line_table_find(t, address, &arena, &place);

    if (found)
        snprintf(text, size, "%s:%u", place.file, place.line);
    else
        snprintf(text, size, "?");
    wpp_arena_free(&arena);
    return found;
}

static bool read_table(const char *path, struct wpp_line_table *t)
{
    struct wpp_error error;
    struct wpp_elf elf;

    if (!wpp_elf_open(&elf, path, &error))
        return false;
    wpp_line_table_read(t, &elf);
    wpp_elf_close(&elf);
    return true;
}

static int print(int argc, char **argv)
{
    struct wpp_line_table t;
    char text[4096];

    if (!read_table(argv[1], &t))
        return 1;
    for (int i = 2; i < argc; i++) {
        find(&t, strtoull(argv[i], NULL, 16), text, sizeof text);
        puts(text);
    }
    wpp_line_table_free(&t);
    return 0;
}

/* A table of one unit, version 4: directory `d`, file `a.c`; line 7 from 0x1000 to 0x1010. */
static const uint8_t small[] = {
    54, 0, 0, 0, 4, 0, 29, 0, 0, 0, 1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1,
    'd', 0, 0, 'a', '.', 'c', 0, 1, 0, 0, 0,
    0, 9, 2, 0, 0x10, 0, 0, 0, 0, 0, 0, 3, 6, 1, 2, 0x10, 0, 1, 1
};

static struct wpp_line_table small_table(uint8_t *copy, size_t n)
{
    memcpy(copy, small, n);
    return (struct wpp_line_table){.lines = {.data = copy, .size = n}};
}

static void check_small(void)
{
    uint8_t copy[sizeof small];
    struct wpp_line_table t = small_table(copy, sizeof small);
    char text[64];

    tap_ok(find(&t, 0x1000, text, sizeof text) && strcmp(text, "d/a.c:7") == 0, "its first byte");
    tap_ok(find(&t, 0x100f, text, sizeof text) && strcmp(text, "d/a.c:7") == 0, "its last byte");
    tap_ok(!find(&t, 0x1010, text, sizeof text), "none behind it");
    tap_ok(!find(&t, 0xfff, text, sizeof text), "none before it");
}

/* Each byte is changed to each other value, and each beginning is tried. */
static void check_broken_small(void)
{
    uint8_t *copy = malloc(sizeof small);
    char text[4096];
    struct wpp_line_table t;

    for (size_t i = 0; copy && i < sizeof small; i++)
        for (int change = 1; change < 256; change++) {
            t = small_table(copy, sizeof small);
            copy[i] ^= (uint8_t)change;
            find(&t, 0x1008, text, sizeof text);
        }
    free(copy);
    for (size_t n = 0; n < sizeof small; n++) {
        copy = malloc(n + 1);
        t = small_table(copy, n);
        find(&t, 0x1008, text, sizeof text);
        free(copy);
    }
    tap_ok(true, "changed and cut small tables end");
}

/* This program's own table, of the version that the compiler writes. */
static void check_own(const char *path)
{
    struct wpp_line_table t;
    char text[4096];
    uint64_t random = 88172645463325252u;

    if (!read_table(path, &t) || t.lines.size == 0) {
        tap_skip("this program has no line table");
        return;
    }
    for (int k = 0; k < TRIES; k++) {
        size_t whole = t.lines.size;
        uint8_t before[CUTS];
        size_t at[CUTS];

        for (int i = 0; i < CUTS; i++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            at[i] = random % whole;
            before[i] = t.lines.data[at[i]];
            t.lines.data[at[i]] ^= (uint8_t)(1 + random / whole % 255);
        }
        t.lines.size = whole - (k % 2 ? random % whole : 0);
        find(&t, 0x2000 + 64 * (uint64_t)k, text, sizeof text);
        t.lines.size = whole;
        for (int i = CUTS; i-- > 0;)
            t.lines.data[at[i]] = before[i];
    }
    wpp_line_table_free(&t);
    tap_ok(true, "%d changed and cut tables end", TRIES);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return print(argc, argv);
    check_small();
    check_broken_small();
    check_own("/proc/self/exe");
    return tap_done();
}
