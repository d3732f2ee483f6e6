/* SPDX-License-Identifier: MIT */
/* branch-text.h - reads the text of `perf script` with branch records.
 *
 *   perf script --show-mmap-events --show-task-events -F pid,ip,sym,brstack
 *
 *   prog 4711 1.2: PERF_RECORD_MMAP2 4711/4711: [0x55e0(0x1000) @ 0x1000 08:01 77 0]: r-xp /bin/prog
 *   4711     55e01149 main  0x55e01188/0x55e01130/P/-/-/3  0x55e01160/0x55e01170/M/-/-/0/COND/-
 *   ^ pid    ^ ip           the newest record: from/to, then fields that perf's version has
 *
 * Fields may come in any order that perf prints.  From and to are addresses, with the object's name in
 * parentheses behind them (-F dso, dsoff), or `routine+0x12` (brstacksym).  Records of branches that were not
 * taken (second letter N) or that were speculated only (SPEC_WRONG_PATH) are left out.
 *
 * Events of tasks tell which process has the memory of which (PERF_RECORD_FORK, PERF_RECORD_COMM exec). */
#ifndef WPP_BRANCH_TEXT_H
#define WPP_BRANCH_TEXT_H

#include <stdio.h>

#include "wpp/map/address-map.h"
#include "wpp/samples/branch-records.h"

enum { BRANCH_TEXT_MOST = 512 };       /* records of a sample; more are left out */

struct branch_text {
    const struct address_map *map;
    const char *program;       /* base name of the program's file */
    bool offsets;              /* addresses are offsets in the object's file (brstackoff) */
    uint64_t bytes, lines, samples;
    uint64_t left_out;         /* records beyond the most of a sample */
    uint64_t strange;          /* records that could not be read */
    uint64_t not_executed;     /* of branches that were not taken, or not executed */
    bool forks;                /* there are events of tasks */
    uint32_t n_loads, cap_loads;
    struct branch_load { uint32_t pid; uint64_t begin, end, bias; } *load;
    struct branch_symbol { const char *name; uint64_t begin; } *symbol;     /* by name */
    uint32_t n_symbols;
    /* The sample that was read last. */
    uint32_t pid;
    uint64_t ip;               /* in the program's file; 0: unknown, or elsewhere */
    size_t n;
    struct branch_record record[BRANCH_TEXT_MOST];   /* the oldest first */
    /* Input. */
    int fd;
    char *buffer;
    size_t at, end, capacity;
    bool eof;
};

/* Begins to read from fd.  WPP_E_MEMORY. */
bool branch_text_open(struct branch_text *t, int fd, const struct address_map *map, const char *program,
                      struct wpp_error *error);
void branch_text_close(struct branch_text *t);

/* 1: there is another sample with records; 0: the end; -1: WPP_E_SYSTEM, WPP_E_MEMORY, WPP_E_FORMAT (a line without
 * end). */
int branch_text_next(struct branch_text *t, struct wpp_error *error);

#endif
