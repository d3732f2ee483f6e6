/* SPDX-License-Identifier: MIT */
/* coverage-input.h - WPPs and path profiles as one coverage, with what marks in the sources exclude.
 *
 *      coverage_input_open     opens the files
 *      coverage_input_merge    sums them; what was not executed comes from the modules
 *      coverage_input_close    says what is not known
 *
 * For the tools' main functions: an error ends the program with a message.
 */
#ifndef WPP_COVERAGE_INPUT_H
#define WPP_COVERAGE_INPUT_H

#include "wpp/coverage/coverage.h"

/* What the options say. */
struct coverage_options {
    struct wpp_moved moved;
    bool executed_only;            /* modules need not be there */
    bool no_marks;
};

struct coverage_input {
    const struct coverage_options *options;
    char **files;
    int n_files;                   /* at least 1 */
    struct cover_input *inputs;
    struct cover_program program;
    struct coverage coverage;
};

/* Adds the rule of an option --map=OLD=NEW. */
void coverage_input_map(struct coverage_options *options, const char *rule);

void coverage_input_open(struct coverage_input *in);
/* `counts`: executions of the only input's terminals, if only a part of it counts; NULL: all. */
void coverage_input_merge(struct coverage_input *in, const uint64_t *counts);
/* The exit status. */
int coverage_input_close(struct coverage_input *in);

/* The routines with that name, which the caller frees. */
bool *coverage_input_choose(const struct coverage *c, const char *asked);

#endif
