/* SPDX-License-Identifier: MIT */
/* What is folded says the same lines: unfolded again it is the text, whatever that repeats. */
#include "wpp/replay/fold.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/tap.h"

static uint64_t state = 7;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 11) % below);
}

/* Writes lines of loops in loops. */
static void write_loops(FILE *out, uint32_t depth)
{
    uint32_t n = 1 + draw(4), turns = 1 + draw(depth ? 6 : 40);
    uint64_t begin = state;

    for (uint32_t turn = 0; turn < turns; turn++) {
        if (draw(8))
            state = begin;             /* mostly the same body again */
        for (uint32_t i = 0; i < n; i++)
            if (depth < 3 && draw(3) == 0)
                write_loops(out, depth + 1);
            else
                fprintf(out, "%*sline %u%s\n", (int)draw(3) * 2, "", draw(5), draw(9) ? "" : " {");
    }
    state = begin;
    draw(7);
}

/* ---- Unfolding ---------------------------------------------------------------------------------- */

struct text { const char *at; };

static char *take(struct text *t)
{
    const char *end = strchr(t->at, '\n');
    char *line = end ? strndup(t->at, (size_t)(end - t->at)) : NULL;

    t->at = end ? end + 1 : t->at;
    return line;
}

/* The number behind `x ` at the text's end, or in a line `x N {`; 0: there is none. */
static unsigned long number_at(const char *x, const char *behind)
{
    char *end;
    unsigned long n = strtoul(x, &end, 10);

    return strcmp(end, behind) == 0 ? n : 0;
}

static void unfold(struct text *t, FILE *out, size_t shift)
{
    char *line;

    while ((line = take(t))) {
        const char *bare = line + strspn(line, " ");
        char *mark = strstr(line, "  x ");
        unsigned long n = strncmp(bare, "x ", 2) == 0 ? number_at(bare + 2, " {") : 0;

        if (strcmp(bare, "}") == 0) {
            free(line);
            return;
        }
        if (n) {
            char *body;
            size_t size;
            FILE *group = open_memstream(&body, &size);

            unfold(t, group, shift + 2);
            fclose(group);
            while (n-- > 0)
                fwrite(body, 1, size, out);
            free(body);
        } else {
            n = mark ? number_at(mark + 4, "") : 0;
            if (n)
                *mark = '\0';
            for (n = n ? n : 1; n > 0; n--)
                fprintf(out, "%s\n", line + shift);
        }
        free(line);
    }
}

/* ---- The tests ------------------------------------------------------------------------------------ */

static char *fold_text(const char *text, size_t size, size_t *folded_size)
{
    char *folded;
    FILE *to = open_memstream(&folded, folded_size), *out = fold_open(to);

    for (size_t i = 0, n; i < size; i += n) {      /* in pieces that end anywhere */
        n = 1 + draw(200);
        n = n < size - i ? n : size - i;
        fwrite(text + i, 1, n, out);
        fflush(out);
    }
    fclose(out);
    fclose(to);
    return folded;
}

static bool is_right(const char *text, size_t size, size_t *folded_size)
{
    char *folded = fold_text(text, size, folded_size), *again;
    struct text t = {folded};
    size_t again_size;
    FILE *out = open_memstream(&again, &again_size);
    bool right;

    unfold(&t, out, 0);
    fclose(out);
    right = size == again_size && memcmp(text, again, size) == 0;
    free(folded);
    free(again);
    return right;
}

int main(void)
{
    uint32_t wrong = 0;
    size_t n, sum = 0, folded = 0;
    char *text, *once;

    for (int i = 0; i < 2000; i++) {
        size_t size;
        FILE *out = open_memstream(&text, &size);

        state = 1000 + (uint64_t)i;
        for (int k = 0; k < 5; k++)
            draw(2);
        write_loops(out, 0);
        fclose(out);
        wrong += !is_right(text, size, &n);
        sum += size;
        folded += n;
        free(text);
    }
    tap_ok(wrong == 0, "2000 texts of loops in loops are the same when they are unfolded");
    tap_ok(folded * 2 < sum, "and took less than half meanwhile");

    once = fold_text("a\nb\nb\na\nb\nb\na\nb\nb\nend", 21, &n);
    tap_ok(strcmp(once, "x 3 {\n  a\n  b  x 2\n}\nend") == 0, "groups in groups, and a line that does not end");
    free(once);
    text = malloc(300000);
    for (int i = 0; i < 150000; i++)
        memcpy(text + 2 * i, "a\n", 2);
    once = fold_text(text, 300000, &n);
    tap_ok(strcmp(once, "a  x 150000\n") == 0, "many times");
    free(once);
    free(text);
    return tap_done();
}
