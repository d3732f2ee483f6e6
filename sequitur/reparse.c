/* SPDX-License-Identifier: MIT */
/* reparse.c - the rounds of reparse.h. */
#include "sequitur/reparse.h"

#include <string.h>

static int parse(struct flat *f)
{
    struct costs c;
    int status = costs_find(&c, f);

    if (status == SEQ_OK)
        status = flat_parse(f, &c);
    costs_free(&c);
    return status == SEQ_OK ? flat_prune(f) : status;
}

/* Makes s the grammar of f, by joining that to an empty one.  Memory that is no longer needed is
 * freed before. */
static int put_back(seq *s, struct flat *f)
{
    size_t n = (size_t)f->rules + f->starts + 1;
    uint64_t *length = seq_memory(s, NULL, 0, n * sizeof *length);
    int status = SEQ_E_NOMEM;

    if (length) {
        for (uint32_t r = 0; r < f->rules; r++)
            length[r] = f->derived[r].length;
        memcpy(length + f->rules, f->length, f->starts * sizeof *length);
        assert(f->rules <= f->first_rules && flat_end(f) <= f->size);
        flat_forget_derived(f);
        status = seq_begin_anew(s);
    }
    if (status == SEQ_OK)
        status = seq_join(s, &(struct seq_grammar){f->rules, f->starts, f->body, f->symbols,
                                                   length});
    if (length)
        seq_memory(s, length, n * sizeof *length, 0);
    return status;
}

static int reparse(seq *s, const bool *enough)
{
    struct seq_grammar g;
    struct flat f;
    int status = seq_export(s, &g);

    if (status != SEQ_OK)
        return status;
    seq_forget(s);
    status = flat_take(&f, s, &g);
    seq_grammar_free(s, &g);
    f.enough = enough;
    if (status == SEQ_OK)
        status = parse(&f);
    if (status == SEQ_OK)
        status = put_back(s, &f);
    flat_free(&f);
    return s->status = status;
}

int seq_reparse(seq *s, unsigned rounds, const bool *enough)
{
    int status = s->finished && !s->ended ? s->status : SEQ_E_STATE;

    while (status == SEQ_OK && rounds-- > 0 && !is_enough(enough))
        status = reparse(s, enough);
    return status;
}
