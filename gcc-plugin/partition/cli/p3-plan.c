/* SPDX-License-Identifier: GPL-3.0-or-later */
/* p3-plan.c - `wpp-p3 plan`. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gcc-plugin/partition/cli/p3.h"
#include "gcc-plugin/partition/cli/routines.h"
#include "gcc-plugin/partition/plan-file.h"
#include "wpp/cli/profile-input.h"
#include "wpp/cli/tool.h"

int p3_method_argument(const char *text)
{
    static const char *const names[] = {"whole", "paper", "split", NULL};

    return (int)tool_choice_argument("--method", text, names);
}

uint32_t p3_copies_argument(const char *text)
{
    uint64_t n = tool_count_argument("-k", text);

    if (n < 1 || n > P3_MAX_COPIES)
        tool_usage("-k: there can be 1 to %d copies, not %s", P3_MAX_COPIES, text);
    return (uint32_t)n;
}

struct p3_plan *p3_plan_for(const struct routine_list *l, bool measured, struct p3_wishes wishes)
{
    enum p3_method method = wishes.method >= 0 ? (enum p3_method)wishes.method
                          : measured ? P3_SPLIT : P3_WHOLE;
    struct p3_plan *plan = p3_make_plan(l->routine, l->n, &(struct p3_config){
        .copies = wishes.copies, .method = method, .measured = measured, .compare = true,
        .prices = p3_code_prices});
    const char *why;

    if (!plan)
        tool_die_of_memory();
    plan->calls_cut = l->kind == WPP_PROFILE_CUT_PATHS;
    if (wishes.copies <= 8 && !p3_check(plan, l->routine, l->n, &p3_code_prices, &why))
        tool_die(TOOL_ERROR, "the plan is wrong: %s", why);
    return plan;
}

static bool is_program(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char magic[4];
    bool is = fd >= 0 && read(fd, magic, sizeof magic) == sizeof magic
           && memcmp(magic, "\177ELF", sizeof magic) == 0;

    if (fd >= 0)
        close(fd);
    return is;
}

static void add_profile(struct routine_list *l, const char *path)
{
    wpp *w = profile_input_open_program(path);
    struct wpp_summary run;

    wpp_get_summary(w, &run);
    if (run.part.copy > 0)
        tool_die(TOOL_ERROR, "%s is copy %u of a partitioned profile: merge all copies first", path,
                 run.part.copy);
    if (run.is_profile && run.profile_kind == WPP_PROFILE_EDGES)
        tool_die(TOOL_ERROR, "%s counts edges: a plan needs counts of paths", path);
    if (!routine_list_add_profile(l, w))
        tool_die_of_memory();
    wpp_close(w);
    if (l->n == 0)
        tool_die(TOOL_ERROR, "%s has no executed routine", path);
}

static void add_program(struct routine_list *l, const char *path)
{
    struct wpp_error error = {0};

    if (!routine_list_add_module(l, path, &error))
        tool_die_error(&error);
    if (l->n == 0)
        tool_die(TOOL_ERROR, "%s has no path table: it was not built with wpp-gcc", path);
    if (l->mixed || (l->kind != WPP_PROFILE_PATHS && l->kind != WPP_PROFILE_CUT_PATHS))
        tool_die(TOOL_ERROR, "%s does not count paths: build it with -fplugin-arg-wpp-mode=paths",
                 path);
}

bool p3_add_file(struct routine_list *l, const char *path)
{
    if (is_program(path)) {
        add_program(l, path);
        return false;
    }
    add_profile(l, path);
    return true;
}

void p3_save_plan(const struct p3_plan *plan, const char *path, bool force)
{
    struct wpp_error error;
    struct wpp_output *out = tool_output(path, force, "");
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);

    if (!memory || !p3_write_plan(plan, memory) || fclose(memory) != 0)
        tool_die_of_memory();
    if (!wpp_output_write(out, text, size, &error)) {
        wpp_output_abandon(out);
        tool_die_error(&error);
    }
    if (!wpp_output_commit(out, &error))
        tool_die_error(&error);
    free(text);
}

/* Whether several copies have parts, and none has all. */
static bool is_split(const struct p3_plan *plan, const struct p3_entry *e)
{
    for (uint32_t c = 0; c < plan->copies; c++)
        if (e->set[c] && p3_is_all(e->set[c], e->n_edges))
            return false;
    return true;
}

void p3_say_plan(const struct p3_plan *plan)
{
    uint64_t largest = 0;
    double sum = 0;
    uint32_t split = 0;
    const char *compared = "none";

    for (uint32_t c = 0; c < plan->copies; c++) {
        sum += (double)plan->load[c];
        largest = plan->load[c] > largest ? plan->load[c] : largest;
    }
    for (uint32_t i = 0; i < plan->n; i++) {
        split += is_split(plan, &plan->entry[i]);
        compared = plan->entry[i].compared ? plan->entry[i].name : compared;
    }
    tool_warn("%s routines in %u copies, %s of them split; %s is compared; the largest copy has "
              "%.1f %% of the %s cost", tool_grouped(plan->n), plan->copies, tool_grouped(split),
              compared, sum > 0 ? 100 * (double)largest / sum : 0,
              plan->measured ? "measured" : "static");
}

int p3_plan_command(int argc, char **argv)
{
    static const struct option options[] = {
        {"copies", required_argument, NULL, 'k'}, {"output", required_argument, NULL, 'o'},
        {"method", required_argument, NULL, 'm'}, {"force", no_argument, NULL, 'f'}, TOOL_OPTIONS
    };
    struct p3_wishes wishes = {.method = -1};
    struct routine_list list = {0};
    const char *out = NULL;
    bool force = false, measured = false;
    struct p3_plan *plan;
    int option;

    while ((option = tool_option(argc, argv, "k:o:fhV", options)) != -1)
        switch (option) {
        case 'k': wishes.copies = p3_copies_argument(optarg); break;
        case 'o': out = optarg; break;
        case 'm': wishes.method = p3_method_argument(optarg); break;
        case 'f': force = true; break;
        case 'h': tool_help(p3_help);
        case 'V': tool_version();
        }
    if (!wishes.copies)
        tool_usage("plan: -k says how many copies");
    if (!out)
        tool_usage("plan: -o says where the plan is to be written");
    if (argc - optind != 1)
        tool_usage("plan: a plan is made of one program, profile or WPP");
    measured = p3_add_file(&list, argv[optind]);
    plan = p3_plan_for(&list, measured, wishes);
    p3_save_plan(plan, out, force);
    p3_say_plan(plan);
    p3_plan_free(plan);
    routine_list_free(&list);
    return TOOL_OK;
}
