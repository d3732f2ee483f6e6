/* SPDX-License-Identifier: MIT */
#include "wpp/cli/coverage-input.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/base/names.h"
#include "wpp/cli/profile-input.h"
#include "wpp/cli/tool.h"
#include "wpp/coverage/exclusions.h"

void coverage_input_map(struct coverage_options *options, const char *rule)
{
    enum wpp_moved_result result = wpp_moved_add(&options->moved, rule);

    if (result == WPP_MOVED_WRONG)
        tool_usage("--map: `%s` does not have the form OLD=NEW, two folders or files", rule);
    if (result == WPP_MOVED_NO_MEMORY)
        tool_die_of_memory();
}

void coverage_input_open(struct coverage_input *in)
{
    in->inputs = calloc((size_t)in->n_files + 1, sizeof *in->inputs);
    if (!in->inputs)
        tool_die_of_memory();
    for (int i = 0; i < in->n_files; i++) {
        in->inputs[i] = (struct cover_input){profile_input_open_program(in->files[i]), in->files[i]};
        tool_need(in->files[i], in->inputs[i].w, WPP_PART_SUMMARY | WPP_PART_MODULES);
    }
}

/* Takes the counts of a part of the only run. */
static void restrict_paths(struct cover_program *p, const uint64_t *counts)
{
    uint32_t n = 0;

    assert(p->n_inputs == 1);
    for (uint32_t i = 0; i < p->n_paths; i++) {
        struct cover_path path = p->path[i];

        path.count = counts[path.terminal];
        if (path.count > 0)
            p->path[n++] = path;
    }
    p->n_paths = n;
}

static void exclude(struct coverage_input *in)
{
    struct exclusion_notes notes;

    if (!exclusions_apply(&in->coverage, &in->options->moved, &notes))
        tool_die_of_memory();
    if (notes.n_open > 0)
        tool_warn("%s:%u: a mark EXCL_START has no EXCL_STOP: the rest of the file is excluded",
                  notes.open, notes.open_line);
    if (notes.n_wrong > 0)
        tool_warn("%s:%u: %lu of %lu branches were not executed, and not as many as the mark EXCL_BR_WITHOUT_HIT "
                  "says: it excludes nothing%s", notes.wrong, notes.wrong_line, notes.missed, notes.all,
                  notes.n_wrong > 1 ? "; nor do others" : "");
    if (notes.n_unread > 0)
        tool_warn("%u source%s cannot be read, as %s: marks that exclude code there are not known "
                  "(--map, --no-marks)", notes.n_unread, notes.n_unread == 1 ? "" : "s",
                  notes.unread);
}

void coverage_input_merge(struct coverage_input *in, const uint64_t *counts)
{
    struct wpp_error error;

    tool_stage("summing %d file%s, reading the program's modules", in->n_files, in->n_files == 1 ? "" : "s");
    if (!cover_program_new(&in->program, in->inputs, (uint32_t)in->n_files, &in->options->moved,
                           in->options->executed_only, &error))
        tool_die_error(&error);
    if (counts)
        restrict_paths(&in->program, counts);
    if (!coverage_new(&in->coverage, &in->program))
        tool_die_of_memory();
    if (!in->options->no_marks)
        exclude(in);
    tool_stage_end();
}

/* What is not known to be unexecuted is no small thing: it would make the shares too large. */
static int say_gaps(const struct cover_program *p)
{
    for (uint32_t i = 0; i < p->n_gaps; i++)
        tool_warn("what was not executed of %s is not known: %s (--map, --executed-only)",
                  p->gap[i].module, p->gap[i].why);
    if (p->unread > 0)
        tool_warn("%s of modules that could not be read are left out",
                  tool_amount((double)p->unread, "execution"));
    return p->n_gaps > 0 || p->unread > 0 ? TOOL_INCOMPLETE : TOOL_OK;
}

int coverage_input_close(struct coverage_input *in)
{
    int status = say_gaps(&in->program);

    coverage_free(&in->coverage);
    cover_program_free(&in->program);
    for (int i = 0; i < in->n_files; i++) {
        int its = tool_say_incomplete(in->files[i], in->inputs[i].w);

        if (!in->options->no_marks)
            tool_say_changed_sources(in->inputs[i].w);
        status = its != TOOL_OK ? its : status;
        wpp_close((wpp *)in->inputs[i].w);
    }
    free(in->inputs);
    return status;
}

bool *coverage_input_choose(const struct coverage *c, const char *asked)
{
    bool *chosen = calloc(c->n_routines + (size_t)1, sizeof *chosen), any = false;

    if (!chosen)
        tool_die_of_memory();
    for (uint32_t i = 0; i < c->n_routines; i++) {
        const struct wpp_routine *r = c->routine[i].routine;

        chosen[i] = strcmp(r->name, asked) == 0 || name_fits(r->shown, asked, strlen(asked));
        any |= chosen[i];
    }
    if (!any)
        tool_die(TOOL_ERROR, "the program has no routine `%s`", asked);
    return chosen;
}
