/* SPDX-License-Identifier: MIT */
/* Names that hold anything, in the texts of XML, Graphviz and protobuf. */
#include "wpp/export/escape.h"

#include <stdlib.h>
#include <string.h>

#include "test/unit/tap.h"

static void graph_whole(FILE *out, const char *s) { graph_text(out, s, 0); }
static void graph_short(FILE *out, const char *s) { graph_text(out, s, 12); }

static void utf8_whole(FILE *out, const char *s)
{
    struct wpp_bytes b = {0};

    utf8_put(&b, s);
    fwrite(b.data, 1, b.size, out);
    wpp_bytes_free(&b);
}

static void is(const char *name, void (*put)(FILE *, const char *), const char *s, const char *want)
{
    char *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);

    put(out, s);
    fclose(out);
    if (!tap_ok(strcmp(got, want) == 0, "%s", name))
        tap_note("%s instead of %s", got, want);
    free(got);
}

#define REPLACED "\xef\xbf\xbd"

int main(void)
{
    is("XML: signs", xml_text, "a<b>&\"c'", "a&lt;b&gt;&amp;&quot;c'");
    is("XML: control characters are none of its characters", xml_text, "a\1\n\x7f", "a???");
    is("XML: UTF-8", xml_text, "gr\xc3\xbc\xc3\x9f" "e", "gr\xc3\xbc\xc3\x9f" "e");
    is("XML: what is no UTF-8", xml_text, "\xff\xc3", REPLACED REPLACED);
    is("Graphviz: signs", graph_whole, "a\"b\\n<c>", "a\\\"b\\\\n<c>");
    is("Graphviz: control characters", graph_whole, "a\nb\t", "a?b?");
    is("Graphviz: what is no UTF-8", graph_whole, "\x80z", REPLACED "z");
    is("Graphviz: long names", graph_short, "std::vector<int, std::allocator<int> >::push_back(int)", "...push_b...");
    is("protobuf: only UTF-8 is changed", utf8_whole, "a\1\"<\xe2\x82\xac\xe2\x82", "a\1\"<\xe2\x82\xac" REPLACED REPLACED);
    return tap_done();
}
