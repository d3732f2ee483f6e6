/* SPDX-License-Identifier: MIT */
/* suspects-json.c - for programs: all figures in full. */
#include <inttypes.h>
#include <stdlib.h>

#include "wpp/base/csv.h"
#include "wpp/base/json.h"
#include "wpp/profile/path-report.h"
#include "wpp/runs/suspects-report.h"

/* The predicate's words; from malloc, or NULL. */
static char *words_of(const struct vocabulary *v, uint32_t predicate)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);

    if (!out)
        return NULL;
    predicate_put(out, v, predicate);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static const char *routine_name(const struct vocabulary *v, uint32_t routine)
{
    return wpp_routine(v->routine[routine].w, v->routine[routine].number)->name;
}

static void put_path(FILE *out, const struct vocabulary *v, uint32_t predicate)
{
    const struct known_path *p = predicate_path(v, predicate);

    fputs("{\"routine\": ", out);
    json_string(out, routine_name(v, p->routine));
    fprintf(out, ", \"path\": %" PRIu64 "}", p->terminal.path);
}

static void put_paths(FILE *out, const struct vocabulary *v, const struct predicate *p)
{
    fputs(", \"paths\": [", out);
    put_path(out, v, p->x);
    fputs(", ", out);
    put_path(out, v, p->y);
    if (p->kind == PREDICATE_TRIPLE) {
        fputs(", ", out);
        put_path(out, v, p->z);
    }
    fputs("]", out);
}

/* Outermost first. */
static void put_routines(FILE *out, const struct vocabulary *v, const struct predicate *p)
{
    fputs(", \"routines\": [", out);
    json_string(out, routine_name(v, p->x));
    fputs(", ", out);
    json_string(out, routine_name(v, p->y));
    if (p->kind == PREDICATE_CALLERS) {
        fputs(", ", out);
        json_string(out, routine_name(v, p->z));
    }
    fputs("]", out);
}

/* What the predicate is about, by kind. */
static void put_subject(FILE *out, const struct vocabulary *v, uint32_t predicate)
{
    const struct predicate *p = &v->predicate[predicate];

    switch (p->kind) {
    case PREDICATE_LINE:
        return;
    case PREDICATE_PAIR: case PREDICATE_TRIPLE: case PREDICATE_BEFORE:
        put_paths(out, v, p);
        return;
    case PREDICATE_CALLER: case PREDICATE_CALLERS:
        put_routines(out, v, p);
        return;
    }
    fputs(", \"routine\": ", out);
    json_string(out, routine_name(v, p->x));
    if (p->kind == PREDICATE_PATH)
        fprintf(out, ", \"path\": %" PRIu64, predicate_path(v, predicate)->terminal.path);
    if (p->kind == PREDICATE_BRANCH) {
        const struct known_routine *k = &v->routine[p->x];
        const struct wpp_edge *e = &wpp_routine(k->w, k->number)->edges[p->y];

        fprintf(out, ", \"from\": %" PRIu32 ", \"to\": %" PRIu32, e->src, path_edge_target(e));
    }
    if (p->kind == PREDICATE_LOOP || p->kind == PREDICATE_EXACTLY)
        fprintf(out, ", \"block\": %" PRIu32 ", \"times\": %" PRIu32, p->y, p->z);
    if (p->kind == PREDICATE_DEPTH)
        fprintf(out, ", \"depth\": %" PRIu32, p->z);
}

static void put_scores(FILE *out, const struct suspicion *s)
{
    fprintf(out, ", \"true\": {\"fail\": %" PRIu32 ", \"pass\": %" PRIu32 "}, \"observed\": {\"fail\": %"
            PRIu32 ", \"pass\": %" PRIu32 "}", s->n.fail, s->n.pass, s->n.seen_fail, s->n.seen_pass);
    fprintf(out, ", \"failure\": %.9g, \"context\": %.9g, \"increase\": %.9g, \"increase_error\": %.9g"
            ", \"importance\": %.9g, \"importance_error\": %.9g, \"ochiai\": %.9g, \"tarantula\": %.9g, \"bits\": %.9g",
            s->failure, s->context, s->increase, s->increase_error, s->importance, s->importance_error,
            s->ochiai, s->tarantula, s->bits);
}

static void put_parting(FILE *out, const struct suspects *s, const struct suspect_parting *p)
{
    if (p->pair.fail == UINT32_MAX)
        return;
    fprintf(out, ", \"fails\": %lld", (long long)s->run[p->pair.fail].id);
    if (p->pair.pass != UINT32_MAX)
        fprintf(out, ", \"passes\": %lld, \"common\": %.9g", (long long)s->run[p->pair.pass].id,
                p->pair.common);
    if (p->text) {
        fputs(", \"part\": ", out);
        json_string(out, p->text);
    }
}

static void put_row(const struct suspects_report *r, size_t row)
{
    const struct suspect *x = &r->ranking->suspect[row];
    struct wpp_line place = predicate_place(&r->s->v, x->predicate);
    char *words = words_of(&r->s->v, x->predicate);

    fprintf(r->out, "%s\n    {\"row\": %" PRIu32 ", \"rank\": %" PRIu32 ", \"ties\": %" PRIu32 ", \"score\": %.9g, \"kind\": \"%s\"",
            row ? "," : "", x->row, x->rank, x->ties, x->score, predicate_names[r->s->v.predicate[x->predicate].kind]);
    put_subject(r->out, &r->s->v, x->predicate);
    fputs(", \"text\": ", r->out);
    json_string(r->out, words ? words : "");
    fputs(", \"file\": ", r->out);
    json_string(r->out, place.file);
    fprintf(r->out, ", \"line\": %" PRIu32 ", \"others\": %" PRIu32, place.line, x->others);
    put_scores(r->out, &x->by);
    if (r->parting)
        put_parting(r->out, r->s, &r->parting[row]);
    fputs("}", r->out);
    free(words);
}

void suspects_json(const struct suspects_report *r)
{
    fprintf(r->out, "{\"failing\": %" PRIu32 ", \"passing\": %" PRIu32 ", \"unlabelled\": %" PRIu32
            ", \"predicates\": %zu, \"folded\": %zu, \"suspects\": [", r->s->n_fail, r->s->n_pass, r->n_unknown,
            r->ranking->n_predicates, r->ranking->n_folded);
    for (size_t i = 0; i < r->rows; i++)
        put_row(r, i);
    fputs("\n]}\n", r->out);
}

void suspects_csv(const struct suspects_report *r)
{
    fputs("rank,score,kind,fail,pass,seen_fail,seen_pass,failure,context,increase,increase_error,importance,"
          "importance_error,ochiai,tarantula,bits,others,text,file,line\n", r->out);
    for (size_t i = 0; i < r->rows; i++) {
        const struct suspect *x = &r->ranking->suspect[i];
        const struct suspicion *s = &x->by;
        struct wpp_line place = predicate_place(&r->s->v, x->predicate);
        char *words = words_of(&r->s->v, x->predicate);

        fprintf(r->out, "%" PRIu32 ",%.9g,%s,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32, x->rank,
                x->score, predicate_names[r->s->v.predicate[x->predicate].kind], s->n.fail, s->n.pass,
                s->n.seen_fail, s->n.seen_pass);
        fprintf(r->out, ",%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%" PRIu32 ",", s->failure, s->context,
                s->increase, s->increase_error, s->importance, s->importance_error, s->ochiai,
                s->tarantula, s->bits, x->others);
        csv_text(r->out, words ? words : "");
        csv_text(r->out, place.file);
        fprintf(r->out, "%" PRIu32 "\n", place.line);
        free(words);
    }
}
