#!/bin/bash
# SPDX-License-Identifier: MIT
# The libraries as other programs link them: the names that they define and need.  Neither may
# disturb the program.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
case $CONFIG in
release|debug) ;;
*) skip "the libraries of CONFIG=$CONFIG are not for other programs"; done_testing ;;
esac
public=$BUILD/public

# ---- Names --------------------------------------------------------------------------
for library in sequitur wpp hotpaths; do
    list=$ROOT/$library/$library.symbols
    is "lib$library.a defines the names of $library.symbols" \
        "$(nm -g --defined-only "$public/lib$library.a" | awk 'NF == 3 { print $3 }' | sort)" "$(cat "$list")"
    is "lib$library.so.0 as well, of one version" \
        "$(nm -D --defined-only "$public/lib$library.so.0" | awk '$2 != "A" { print $3 }' | sort)" \
        "$(sed 's/$/@@WPP_0/' "$list")"
    is "lib$library.so.0 knows its name" \
        "$(readelf -dW "$public/lib$library.so.0" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')" "lib$library.so.0"
    is "all begin with the library's letters" "$(grep -vE '^(seq|wpp|hot)_' "$list")" ''
    is "lib$library.a leaves the process to its host" \
        "$(nm -u "$public/lib$library.a" | awk '{ print $2 }' | grep -xE \
            'exit|_exit|abort|atexit|signal|sigaction|raise|kill|fork|std(in|out|err)|v?printf|puts|putchar|perror|malloc_trim|mallinfo2?')" ''
done

# ---- A program with names of its own ------------------------------------------------
cat > host.c <<'END'
#include <stdio.h>
#include <stdlib.h>

#include "hotpaths/hotpaths.h"
#include "sequitur/sequitur.h"
#include "wpp/wpp.h"

int enqueue(void);
int restore(void);
int subpath_set_init(void);
int node_new(void);
int enqueue(void) { return 1; }
int restore(void) { return 2; }
int subpath_set_init(void) { return 3; }
int node_new(void) { return 4; }

/* How many hot subpaths there are; 0 also for an error. */
static size_t answers(const wpp *w)
{
    struct hot_config config = {
        .size = sizeof config, .min_length = 2, .max_length = 20, .wanted = 5,
        .thread = HOT_ALL_THREADS,
    };
    const struct wpp_grammar *g = wpp_grammar(w);
    uint64_t *cost = calloc((size_t)g->n_terminals + 1, sizeof *cost);
    hot_result *found = NULL;
    size_t n = 0;

    for (uint32_t t = 0; cost && t < g->n_terminals; t++)
        cost[t] = wpp_terminal(w, t)->insns;
    if (cost && hot_find(&found, g, cost, &config) == HOT_OK)
        n = hot_count(found);
    hot_free(found);
    free(cost);
    return n;
}

int main(int argc, char **argv)
{
    struct wpp_error error;
    wpp *w = argc > 1 ? wpp_open(argv[1], &error) : NULL;
    seq *s;

    if (!w || seq_new(&s, NULL) != SEQ_OK)
        return 1;
    printf("%d %s\n", enqueue() + restore() + subpath_set_init() + node_new(),
           answers(w) > 0 ? "answers" : "none");
    seq_free(s);
    wpp_close(w);
    return 0;
}
END
cat > turn.c << 'END'
int main(void)
{
    volatile int sum = 0;

    for (int i = 0; i < 1000; i++)
        sum += i % 3 ? i : 7;
    return 0;
}
END
"$WPP_GCC" -O1 -g turn.c -o turn && wpp-record -q -o turn.wpp ./turn
warnings='-Wall -Wextra -Werror'
ok 'it is linked with the archives' gcc $warnings -I"$ROOT" host.c -o host \
    "$public"/lib{hotpaths,wpp,sequitur}.a -lzstd -lm
is 'and runs' "$(./host turn.wpp)" '10 answers'
ok 'and with shared libraries' gcc $warnings -I"$ROOT" host.c -o host \
    "$public"/lib{hotpaths,wpp,sequitur}.so.0 -Wl,-rpath,"$public"
is 'and runs with them' "$(./host turn.wpp)" '10 answers'

# ---- Headers ---------------------------------------------------------------------------
for header in sequitur/sequitur.h wpp/wpp.h hotpaths/hotpaths.h; do
    echo "#include \"$header\"" > alone.cc
    ok "C++ includes $header alone" g++ $warnings -pedantic -std=c++11 -fsyntax-only -I"$ROOT" alone.cc
    cp alone.cc alone.c
    ok "C as well" gcc $warnings -pedantic -std=c11 -fsyntax-only -I"$ROOT" alone.c
done
done_testing
