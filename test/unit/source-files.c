/* SPDX-License-Identifier: MIT */
#include "wpp/replay/source-files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/tap.h"

static void simplified(const char *name, const char *want)
{
    struct source_files t = {0};
    uint32_t i = source_files_add(&t, "", name);

    tap_ok(i == 0 && strcmp(t.file[0].path, want) == 0 && source_files_name(&t)
           && strcmp(t.file[0].name, want) == 0, "`%s` is `%s`", name, want);
    source_files_free(&t);
}

static void one_file(const char *d1, const char *n1, const char *d2, const char *n2, bool one)
{
    struct source_files t = {0};
    uint32_t a = source_files_add(&t, d1, n1), b = source_files_add(&t, d2, n2);

    tap_ok((a == b) == one && t.n == (one ? 1 : 2), "%s in %s and %s in %s are %s", n1, d1, n2, d2,
           one ? "one file" : "two files");
    source_files_free(&t);
}

static void test_many(void)
{
    enum { N = 5000 };
    static char names[N][16];
    struct source_files t = {0};
    bool ok = true;

    for (uint32_t i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "%u.c", i);
        ok = ok && source_files_add(&t, "/d", names[i]) == i;
    }
    for (uint32_t i = N; i-- > 0;)
        ok = ok && source_files_add(&t, "/d", names[i]) == i;
    tap_ok(ok && t.n == N, "%d files keep their numbers", N);
    source_files_free(&t);
}

static void test_names(void)
{
    struct source_files t = {0};

    source_files_add(&t, "/a", "main.c");
    source_files_add(&t, "/b", "main.c");
    source_files_add(&t, "/b", "other.c");
    tap_ok(source_files_name(&t) && strcmp(t.file[0].name, "/a/main.c") == 0
           && strcmp(t.file[1].name, "/b/main.c") == 0 && strcmp(t.file[2].name, "other.c") == 0,
           "only names that two files have get their directory");
    source_files_free(&t);
}

int main(void)
{
    simplified("a.c", "a.c");
    simplified("./a.c", "a.c");
    simplified("././x//y/./a.c", "x/y/a.c");
    simplified("x/../a.c", "a.c");
    simplified("x/y/../../a.c", "a.c");
    simplified("../a.c", "../a.c");
    simplified("../../x/../a.c", "../../a.c");
    simplified("x/../../a.c", "../a.c");
    simplified("/x/../a.c", "/a.c");
    simplified("//x///a.c", "/x/a.c");
    simplified(".x/..y/a.c", ".x/..y/a.c");
    one_file("/d", "a.c", "/d", "./a.c", true);
    one_file("/d", "a.c", "/e", "a.c", false);
    one_file("/d/e", "../a.c", "/d", "a.c", true);
    one_file("/d", "/x/a.h", "/e", "/x/a.h", true);
    one_file("/d", "/d/a.h", "/d", "a.h", true);
    test_many();
    test_names();
    return tap_done();
}
