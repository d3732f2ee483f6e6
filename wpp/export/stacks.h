/* SPDX-License-Identifier: MIT */
/* stacks.h - a run as weighted stacks, in a tree that shares their beginnings.
 *
 *      main:12                         a node is a function and, if asked for, the line in it
 *        parse:7       100             at which the next one was called; its weight is what was
 *          read:3       20             spent right there
 *        parse:9        11
 *
 * Each calling context is looked at once, the dearest first, until the limit.  One that is not looked
 * at is a node that weighs all that it called.
 */
#ifndef WPP_STACKS_H
#define WPP_STACKS_H

#include "wpp/export/export-run.h"
#include "wpp/replay/source-files.h"

#define STACK_ROOT UINT32_MAX

struct stack_function {
    const char *name;              /* of the assembler */
    const char *shown;
    uint32_t file;                 /* in stacks.files; SOURCE_FILE_NONE: unknown */
    uint32_t line;                 /* of its definition; 0: unknown */
};

struct stack_node {
    uint32_t parent;               /* a node before it, or STACK_ROOT */
    uint32_t function;
    uint32_t line;                 /* in the function; 0: unknown, or not asked for */
    bool inlined;                  /* into its parent */
    double weight;                 /* instructions */
};

struct stacks {
    struct stack_node *node;
    uint32_t n;
    struct stack_function *function;
    uint32_t n_functions;
    struct source_files files;     /* named */
    uint32_t cut;                  /* nodes that weigh all that they called */
    double cut_weight;
};

/* `lines`: of nodes.  The run is in order.  False: no memory.  Cost: for each context O(the part of the
 * call tree that it stands for). */
bool stacks_new(struct stacks *out, const struct export_run *r, bool lines);
void stacks_free(struct stacks *s);

/* Says in the run's note what was cut. */
void stacks_note(const struct stacks *s, struct export_run *r);

#endif
