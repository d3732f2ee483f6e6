/* SPDX-License-Identifier: MIT */
/* The section of deaths: it is read as it was written; damage of it costs nothing else; whatever its
 * bytes are, the reader gives an answer or refuses. */
#include "test/unit/random-content.h"
#include "test/unit/tap.h"
#include "wpp/format/container.h"
#include "wpp/read/sections.h"

enum { FILES = 60, DEATHS = 3 };

/* Deaths of all kinds: of a routine that is executed, of one that is not, of an unknown one. */
static void draw_deaths(struct random_content *c, struct random *r, struct wpp_death_content *list)
{
    struct wpp_content *w = &c->content;

    for (uint32_t i = 0; i < DEATHS; i++) {
        uint32_t kind = draw(r, 3), n = draw(r, w->n_routines + 1);

        list[i] = (struct wpp_death_content){
            .thread = draw(r, w->n_threads), .signal = 1 + draw(r, 64),
            .code = (int32_t)draw(r, 300) - 100, .address = (uint64_t)draw(r, 1u << 31) << draw(r, 32),
            .place = draw(r, 3), .module = draw(r, 2), .offset = draw(r, 1u << 31),
            .symbol = "f.cold", .file = draw(r, 2) ? "main.c" : "", .line = draw(r, 2) * draw(r, 5000),
            .n = WPP_NO_ROUTINE, .directory = "/src", .stage = draw(r, 2)
        };
        if (w->n_routines == 0 || kind == 0 || list[i].place == WPP_DEATH_UNKNOWN)
            continue;
        list[i].n = kind == 1 ? w->n_routines : n % w->n_routines;
        list[i].routine = c->routines[n % w->n_routines].routine;
    }
    w->deaths = list;
    w->n_deaths = DEATHS;
}

static bool same_routine(const struct wpp_routine *a, const struct wpp_routine *b)
{
    return strcmp(a->name, b->name) == 0 && a->line == b->line && a->num_paths == b->num_paths
        && a->n_blocks == b->n_blocks && a->n_edges == b->n_edges;
}

static bool same_death(const wpp *w, const struct wpp_death *a, const struct wpp_death_content *b)
{
    bool unfinished = b->n == w->n_routines;

    if (a->thread != b->thread || a->signal != b->signal || a->code != b->code
        || a->address != b->address || a->place != b->place)
        return false;
    if (a->place == WPP_DEATH_UNKNOWN)
        return !a->routine && a->line == 0 && a->number == WPP_NO_ROUTINE && !*a->symbol;
    if (strcmp(a->module, b->module ? "libx.so" : "/usr/bin/a program") != 0
        || a->offset != b->offset || strcmp(a->symbol, b->symbol) != 0
        || strcmp(a->file, b->file) != 0 || a->line != b->line)
        return false;
    if (b->n == WPP_NO_ROUTINE)
        return !a->routine;
    return a->number == (unfinished ? WPP_NO_ROUTINE : b->n) && a->routine
        && same_routine(a->routine, b->routine)
        && (!unfinished || (strcmp(a->routine->directory, "/src") == 0
                            && a->routine->stage == b->stage));
}

static bool same_deaths(const wpp *w, const struct wpp_death_content *list)
{
    struct wpp_summary s;
    bool same;

    wpp_get_summary(w, &s);
    same = s.n_deaths == DEATHS;
    for (uint32_t i = 0; same && i < DEATHS; i++)
        same = same_death(w, wpp_death(w, i), &list[i]);
    return same;
}

/* Reads the section's bytes once more, after a change. */
static void read_again(wpp *w, const uint8_t *bytes, size_t n)
{
    struct wpp copy = *w;
    struct wpp_error error;
    struct loading l = {.w = &copy, .arena = &copy.arena, .path = "test", .error = &error};
    uint8_t *exact = malloc(n ? n : 1);
    struct wpp_view v = wpp_view(exact, n);

    memcpy(exact, bytes, n);
    copy.arena = (struct wpp_arena){0};
    section_get_deaths(&l, &v);
    wpp_arena_free(&copy.arena);
    free(exact);
}

/* Each byte of the section takes other values, and each beginning is tried. */
static void change_section(wpp *w, const struct wpp_container *c, struct random *r)
{
    struct wpp_section s = {.kind = WPP_SECTION_DEATHS};
    struct wpp_error error;

    if (!wpp_container_load(c, &s, "test", &error))
        abort();
    for (size_t i = 0; i < s.content.size; i++) {
        uint8_t before = s.content.data[i];

        for (int k = 0; k < 8; k++) {
            s.content.data[i] = k < 4 ? (uint8_t[]){0, 1, 127, 255}[k] : (uint8_t)draw(r, 256);
            read_again(w, s.content.data, s.content.size);
        }
        s.content.data[i] = before;
        read_again(w, s.content.data, i);
    }
    wpp_bytes_free(&s.content);
}

/* Two changed bytes of the section in the file. */
static bool is_left_out(const struct wpp_bytes *file, const struct wpp_container *c)
{
    unsigned n;
    const struct wpp_entry *e = wpp_container_find(c, WPP_SECTION_DEATHS, &n);
    uint8_t *copy = malloc(file->size);
    struct wpp_summary s;
    wpp *w;
    bool right;

    memcpy(copy, file->data, file->size);
    copy[e->offset] ^= 1;
    copy[e->offset + e->stored - 1] ^= 1;
    w = wpp_open_memory_intact(copy, file->size, "test", NULL);
    free(copy);
    if (!w)
        return false;
    wpp_get_summary(w, &s);
    right = wpp_missing(w) == WPP_PART_DEATHS && s.n_deaths == 0;
    wpp_close(w);
    return right;
}

static const char *try_one(struct random *r)
{
    struct random_content *c = random_content(r, 1 + draw(r, 3), 20);
    struct wpp_death_content list[DEATHS];
    struct wpp_bytes file = {0};
    struct wpp_container container;
    struct wpp_error error;
    const char *wrong = NULL;
    wpp *w = NULL;

    draw_deaths(c, r, list);
    if (!wpp_content_encode(&c->content, &file, &error))
        wrong = "encoding fails";
    else if (!(w = wpp_open_memory(file.data, file.size, "test", &error)))
        wrong = "it cannot be read";
    else if (!same_deaths(w, list))
        wrong = "deaths";
    else if (!wpp_container_open(&container, file.data, file.size, "test", &error))
        wrong = "no container";
    else if (!is_left_out(&file, &container))
        wrong = "damage of the section";
    else
        change_section(w, &container, r);
    wpp_close(w);
    wpp_bytes_free(&file);
    random_content_free(c);
    return wrong;
}

int main(void)
{
    struct random r = {88172645463325252u};
    const char *wrong = NULL;
    int n = 0;

    while (!wrong && n < FILES) {
        wrong = try_one(&r);
        n++;
    }
    tap_ok(!wrong, "%d files with deaths are read as written, damaged and changed", n);
    if (wrong)
        tap_note("file %d: %s", n, wrong);
    return tap_done();
}
