/* SPDX-License-Identifier: GPL-3.0-or-later */
/* p3.h - what the commands of wpp-p3 share.
 *
 *      DIR/plan        which copy counts which paths
 *      DIR/source      the name of the source folder, a line
 *      DIR/1 .. DIR/k  the copies, with programs; from 10 copies on, DIR/01 and so on
 *      DIR/0           a copy that counts all, if the plan was made of it
 *      DIR/1.log       what the command printed, when it made copy 1
 *      DIR/bin         links called gcc, cc and so on, to wpp-gcc
 */
#ifndef WPP_P3_H
#define WPP_P3_H

#include <stdbool.h>
#include <stdint.h>

#include "gcc-plugin/partition/plan.h"

/* As asprintf(), or dies.  Nothing of it is freed: it is names of files. */
char *p3_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The folder of this program and of wpp-gcc and wpp-record. */
const char *p3_bin(void);

/* The real path of a file that is there; or dies. */
char *p3_real_path(const char *path);

/* A copy's folder.  All have names of one length: programs may look at their own names. */
char *p3_tree(const char *dir, uint32_t copies, uint32_t copy);

/* The plan of a file, or dies with its message. */
struct p3_plan *p3_open_plan(const char *path);

/* Writes text to a new file, or dies. */
void p3_write_file(const char *path, const char *text);

/* The commands: they get their own arguments, and return exit statuses. */
int p3_plan_command(int argc, char **argv);
int p3_build_command(int argc, char **argv);
int p3_run_command(int argc, char **argv);
int p3_merge_command(int argc, char **argv);

extern const char p3_help[];

/* ---- Plans (p3-plan.c) ------------------------------------------------------------------------- */

struct routine_list;

struct p3_wishes {
    uint32_t copies;
    int method;                /* enum p3_method; -1: whole routines, or with counts split ones */
};

/* A plan for these routines; or dies. */
struct p3_plan *p3_plan_for(const struct routine_list *l, bool measured, struct p3_wishes wishes);

/* The routines of a profile or WPP, or of a program; says which it was.  Or dies. */
bool p3_add_file(struct routine_list *l, const char *path);

/* Writes the plan as a file that is complete when it has its name; or dies. */
void p3_save_plan(const struct p3_plan *plan, const char *path, bool force);

/* "312 routines in 4 copies, 12 of them split; ...", on standard error. */
void p3_say_plan(const struct p3_plan *plan);

/* The argument of --method. */
int p3_method_argument(const char *text);
/* The argument of -k. */
uint32_t p3_copies_argument(const char *text);

/* ---- Copies united (p3-merge.c) ----------------------------------------------------------------- */

/* Unites the profiles of all copies of a plan and writes OUT.  Says how far from exact it is.
 * TOOL_OK, or TOOL_INCOMPLETE if the copies do not agree; or dies. */
int p3_unite(const struct p3_plan *plan, char *const *files, uint32_t n, const char *out,
             bool force);

#endif
