/* SPDX-License-Identifier: MIT */
/* The lines that a killed thread passed for certain, in routines of random graphs whose blocks have a
 * line each: compared with what all ways from the path's begin to the line have in common, which are
 * gone one by one. */
#include "wpp/replay/last-path.h"

#include "test/unit/random-content.h"
#include "test/unit/tap.h"

enum { TRIES = 4000, MOST_BLOCKS = 64, FIRST_LINE = 100, MOST_WAYS = 200000 };

/* What all ways have in common. */
struct ways {
    const struct wpp_routine *r;
    uint32_t target;
    uint32_t n;                        /* ways so far */
    uint32_t way[MOST_BLOCKS], length;
    bool certain[MOST_BLOCKS];         /* on all of them */
    bool apart[MOST_BLOCKS];           /* certain, but on some way not right behind a certain one */
};

/* Takes a whole way.  `apart` counts only once all is known, so ways are gone twice. */
static void take_way(struct ways *w, bool second)
{
    bool on[MOST_BLOCKS] = {false};

    for (uint32_t i = 0; i < w->length; i++)
        on[w->way[i]] = true;
    for (uint32_t b = 0; !second && b < w->r->n_blocks; b++)
        w->certain[b] = on[b] && (w->n == 0 || w->certain[b]);
    for (uint32_t i = 0; second && i < w->length; i++)
        w->apart[w->way[i]] |= i > 0 && !w->certain[w->way[i - 1]];
    w->n++;
}

static void go(struct ways *w, uint32_t block, bool second)
{
    w->way[w->length++] = block;
    if (block == w->target && w->n < MOST_WAYS)
        take_way(w, second);
    for (uint32_t i = 0; block != w->target && i < w->r->n_edges; i++)
        if (w->r->edges[i].src == block && w->r->edges[i].kind == WPP_EDGE_REAL
            && w->r->edges[i].dst >= 2)
            go(w, w->r->edges[i].dst, second);
    w->length--;
}

/* All ways from the routine's entry, and with `anywhere` from where paths begin behind cut edges. */
static void go_all(struct ways *w, const struct wpp_routine *r, uint32_t target, bool anywhere)
{
    *w = (struct ways){.r = r, .target = target};
    for (int second = 0; second < 2; second++) {
        bool begun[MOST_BLOCKS] = {false};

        w->n = 0;
        for (uint32_t i = 0; i < r->n_edges; i++) {
            const struct wpp_edge *e = &r->edges[i];

            if (e->src != 0 || e->dst < 2 || begun[e->dst]
                || (e->kind != WPP_EDGE_REAL && !(anywhere && e->kind == WPP_EDGE_START)))
                continue;
            begun[e->dst] = true;
            go(w, e->dst, second);
        }
    }
}

/* The lines in the order of a way, `|` where others may lie between. */
static void write_ways(const struct ways *w, const uint32_t *order, uint32_t n, char *out)
{
    bool first = true;

    *out = '\0';
    for (uint32_t i = 0; i < n; i++) {
        if (!w->certain[order[i]])
            continue;
        out += sprintf(out, "%s%u ", first || !w->apart[order[i]] ? "" : "| ",
                       FIRST_LINE + order[i]);
        first = false;
    }
}

static void write_pieces(const struct last_path *p, char *out)
{
    *out = '\0';
    for (uint32_t i = 0; i < p->n_pieces; i++) {
        if (i > 0)
            out += sprintf(out, "| ");
        for (size_t k = 0; k < p->pieces[i].n; k++)
            out += sprintf(out, "%u ", p->pieces[i].line[k].line);
    }
}

/* Any order in which each block comes behind those before it: that of one way to the target holds all
 * certain ones. */
static uint32_t one_way(const struct wpp_routine *r, uint32_t target, bool anywhere, uint32_t *out)
{
    uint32_t before[MOST_BLOCKS] = {0}, queue[MOST_BLOCKS], n = 0, length = 0;
    bool seen[MOST_BLOCKS] = {false};

    for (uint32_t i = 0; i < r->n_edges; i++)
        if (r->edges[i].src == 0 && r->edges[i].dst >= 2 && !seen[r->edges[i].dst]
            && (anywhere || r->edges[i].kind == WPP_EDGE_REAL)) {
            seen[r->edges[i].dst] = true;
            queue[n++] = r->edges[i].dst;
        }
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < r->n_edges; i++) {
            const struct wpp_edge *e = &r->edges[i];

            if (e->src != queue[k] || e->kind != WPP_EDGE_REAL || e->dst < 2 || seen[e->dst])
                continue;
            seen[e->dst] = true;
            before[e->dst] = queue[k];
            queue[n++] = e->dst;
        }
    if (!seen[target])
        return 0;
    for (uint32_t b = target; b; b = before[b])
        length++;
    for (uint32_t b = target, i = length; b; b = before[b])
        out[--i] = b;
    return length;
}

static bool is_right(const struct last_path *p, const struct wpp_routine *r, uint32_t target,
                     bool anywhere, char *want)
{
    uint32_t order[MOST_BLOCKS], n = one_way(r, target, anywhere, order);
    char got[4096];
    struct ways ways;

    write_pieces(p, got);
    if (n == 0) {
        strcpy(want, "no way");
        return false;
    }
    go_all(&ways, r, target, anywhere);
    write_ways(&ways, order, n, want);
    return strcmp(got, want) == 0 && !p->open_end;
}

/* Each block of the routines has its own line. */
static void number_lines(struct random_content *c)
{
    for (uint32_t i = 0; i < c->content.n_routines; i++) {
        struct wpp_block *blocks = (struct wpp_block *)c->descriptions[i].blocks;

        c->descriptions[i].flags = 0;
        for (uint32_t b = 2; b < c->descriptions[i].n_blocks; b++) {
            free((void *)blocks[b].lines);
            blocks[b].lines = calloc(1, sizeof *blocks[b].lines);
            *(struct wpp_line *)blocks[b].lines = (struct wpp_line){"main.c", FIRST_LINE + b, 0};
            blocks[b].n_lines = 1;
        }
    }
}

/* A thread is killed in a routine of which no path of this activation has ended.  Returns what is
 * wrong, in *what; *compared counts. */
static bool try_one(struct random *r, uint32_t *compared, char *what)
{
    struct random_content *c = random_content(r, 1, 20);
    struct wpp_death_content death = {
        .signal = 11, .place = WPP_DEATH_AT, .symbol = "f", .file = "main.c", .directory = "/src"
    };
    struct wpp_bytes file = {0};
    struct last_path p;
    struct wpp_error error;
    bool right = true;
    uint32_t target;
    wpp *w = NULL;

    if (c->content.n_routines > 0) {
        number_lines(c);
        death.routine = c->routines[draw(r, c->content.n_routines)].routine;
        death.n = c->content.n_routines;
        target = 2 + draw(r, death.routine->n_blocks - 2);
        death.line = FIRST_LINE + target;
        c->content.deaths = &death;
        c->content.n_deaths = 1;
        if (!wpp_content_encode(&c->content, &file, &error)
            || !(w = wpp_open_memory(file.data, file.size, "test", &error))
            || !last_path_find(w, 0, &p, &error))
            abort();
        /* A path behind a cut edge may lead to a target that none from the entry does. */
        if (p.kind == LAST_PATH_PART
            && (!p.open_end || one_way(death.routine, target, false, (uint32_t[MOST_BLOCKS]){0}))) {
            char one[4096], other[4096], got[4096];

            write_pieces(&p, got);
            right = is_right(&p, death.routine, target, false, one)
                 || is_right(&p, death.routine, target, true, other);
            sprintf(what, "%.500s, not %.500s or %.500s", got, one, right ? "" : other);
            ++*compared;
        }
        last_path_free(&p);
    }
    wpp_close(w);
    wpp_bytes_free(&file);
    random_content_free(c);
    return right;
}

int main(void)
{
    struct random r = {88172645463325252u};
    uint32_t compared = 0;
    char what[8192] = "";
    bool right = true;

    for (int i = 0; right && i < TRIES; i++)
        right = try_one(&r, &compared, what);
    if (!tap_ok(right, "what all ways have in common"))
        tap_note("%s", what);
    tap_ok(compared > TRIES / 2, "%u of %d compared", compared, TRIES);
    return tap_done();
}
