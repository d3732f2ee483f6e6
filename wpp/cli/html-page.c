/* SPDX-License-Identifier: MIT */
#include "wpp/cli/html-page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wpp/base/bytes.h"
#include "wpp/base/json.h"
#include "wpp/cli/html-sources.h"
#include "wpp/cli/tool.h"
#include "wpp/read/reader.h"
#include "wpp/replay/last-path.h"

/* The page's program stands beside the plugin: BIN/../lib/wpp. */
static void read_program(struct wpp_bytes *out)
{
    char *self = realpath("/proc/self/exe", NULL), *path;
    struct wpp_error error;

    if (!self || asprintf(&path, "%.*s/../lib/wpp/page.html", (int)(strrchr(self, '/') - self), self) < 0)
        tool_die_of_memory();
    if (access(path, R_OK) != 0)
        tool_die(TOOL_ERROR, "--html: this wpp was built without the page (`make page` builds it)");
    if (!wpp_read_file(path, out, &error))
        tool_die_error(&error);
    free(path);
    free(self);
}

/* ---- Blocks of data ------------------------------------------------------------------------------------- */

static void put_text(struct wpp_bytes *out, const char *text)
{
    wpp_put(out, text, strlen(text));
}

/* Escapes what html-page.h says. */
static void put_data(struct wpp_bytes *out, const void *data, size_t size)
{
    const uint8_t *p = data;
    size_t begin = 0;

    for (size_t i = 0; i < size; i++) {
        if (p[i] != 0 && p[i] != '\r' && p[i] != '<' && p[i] != '=')
            continue;
        wpp_put(out, p + begin, i - begin);
        wpp_put_u8(out, '=');
        wpp_put_u8(out, (uint8_t)(p[i] + 64));
        begin = i + 1;
    }
    wpp_put(out, p + begin, size - begin);
}

/* An element that is no script: browsers keep it as text.  `id` is a word of ours. */
static void put_block(struct wpp_bytes *out, const char *id, uint32_t number, const void *data, size_t size)
{
    char begin[80];

    snprintf(begin, sizeof begin, "<script type=\"text/plain\" id=\"%s-%u\">", id, number);
    put_text(out, begin);
    put_data(out, data, size);
    put_text(out, "</script>\n");
}

/* ---- What is said of a file ------------------------------------------------------------------------------- */

struct notes {
    FILE *out;
    char *text;
    size_t size;
    bool any;
};

static void note(struct notes *n, const char *text)
{
    fputs(n->any ? ", " : "", n->out);
    json_string(n->out, text);
    n->any = true;
}

static void note_incomplete(struct notes *n, const wpp *w)
{
    struct wpp_summary run;
    char *text;

    wpp_get_summary(w, &run);
    if ((wpp_missing(w) & WPP_PART_SUMMARY) || (run.complete && !run.lost))
        return;
    if (asprintf(&text, "The trace is incomplete (%s): the page shows only the recorded part.",
                 tool_why_incomplete(&run)) < 0)
        tool_die_of_memory();
    note(n, text);
    free(text);
}

static void note_death(struct notes *n, const wpp *w)
{
    struct last_path last;
    struct wpp_error error;
    char *text = NULL, *whole;
    size_t size;
    FILE *out;

    if (!last_path_of_run(w, &last, &error) || !(out = open_memstream(&text, &size)))
        tool_die_of_memory();
    last_path_say(out, &last, false);
    if (fclose(out) != 0 || asprintf(&whole, "The run was %s.", text) < 0)
        tool_die_of_memory();
    if (last.death)
        note(n, whole);
    free(whole);
    free(text);
    last_path_free(&last);
}

static void note_sources(struct notes *n, uint32_t left_out)
{
    char *text;

    if (left_out == 0)
        return;
    if (asprintf(&text, "The text of %u source file%s is not in the page: it would be too large.", left_out,
                 left_out == 1 ? "" : "s") < 0)
        tool_die_of_memory();
    note(n, text);
    free(text);
}

/* {"name": ..., "notes": [...]} */
static void put_notes(struct wpp_bytes *out, uint32_t number, const char *path, const wpp *w,
                      uint32_t left_out)
{
    struct notes n = {0};

    n.out = open_memstream(&n.text, &n.size);
    if (!n.out)
        tool_die_of_memory();
    fputs("{\"name\": ", n.out);
    json_string(n.out, tool_file_name(path));
    fputs(", \"notes\": [", n.out);
    note_incomplete(&n, w);
    note_death(&n, w);
    note_sources(&n, left_out);
    fputs("]}", n.out);
    if (fclose(n.out) != 0)
        tool_die_of_memory();
    put_block(out, "notes", number, n.text, n.size);
    free(n.text);
}

/* ---- Files ------------------------------------------------------------------------------------------------- */

static int put_file(struct wpp_bytes *out, const struct html_page_request *r, uint32_t number)
{
    const char *path = r->path[number];
    struct wpp_bytes file = {0}, sources = {0};
    struct wpp_error error;
    struct wpp_summary run;
    uint32_t left_out;
    int status;
    wpp *w = NULL;

    tool_stage_reading(path);
    if (wpp_read_file(path, &file, &error))
        w = wpp_open_memory_intact(file.data, file.size, tool_file_name(path), &error);
    if (!w)
        tool_die_error(tool_explain_folder(path, &error));
    tool_need_order(path, w);
    wpp_get_summary(w, &run);
    if (run.n_routines == 0 && run.tokens > 0)
        tool_die(TOOL_ERROR, "%s has no routines: it holds plain symbols", path);
    tool_stage("packing sources");
    if (!html_sources_pack(&sources, w, !r->no_sources, &left_out))
        tool_die_of_memory();
    tool_stage_end();
    put_block(out, "wpp", number, file.data, file.size);
    put_block(out, "sources", number, sources.data, sources.size);
    put_notes(out, number, path, w, left_out);
    tool_say_changed_sources(w);
    tool_say_death(w);
    status = tool_say_incomplete(path, w);
    wpp_close(w);
    wpp_bytes_free(&file);
    wpp_bytes_free(&sources);
    return status;
}

int html_page_write(const struct html_page_request *r)
{
    struct wpp_bytes page = {0};
    struct wpp_output *out;
    struct wpp_error error;
    int status = TOOL_OK;

    read_program(&page);
    for (uint32_t i = 0; i < r->n; i++) {
        int said = put_file(&page, r, i);

        status = said == TOOL_OK ? status : said;
    }
    put_text(&page, "</body>\n</html>\n");
    if (page.failed)
        tool_die_of_memory();
    if (wpp_output_is_input(r->output, r->path[r->n - 1]))
        tool_die(TOOL_ERROR, "%s: output and input are the same file", r->path[r->n - 1]);
    out = tool_output(r->output, r->force, r->path[0]);
    tool_stage("writing the page");
    if (!wpp_output_write(out, page.data, page.size, &error)) {
        wpp_output_abandon(out);
        tool_die_error(&error);
    }
    if (!wpp_output_commit(out, &error))
        tool_die_error(&error);
    tool_stage_end();
    wpp_bytes_free(&page);
    return status;
}
