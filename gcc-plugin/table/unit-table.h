/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unit-table.h - the description of a unit's routines that goes to section
 * `.wpp` (docs/path-table-format.md), and the unit's runtime records.
 */
#ifndef WPP_UNIT_TABLE_H
#define WPP_UNIT_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include <string>
#include <unordered_map>
#include <vector>

/* A growing string of bytes with the format's kinds of number. */
struct byte_string {
    std::string bytes;

    void varint(uint64_t n);
    void svarint(int64_t n);
    void fixed64(uint64_t n);
    void raw(const byte_string &other) { bytes += other.bytes; }
};

struct table_line {
    uint32_t file;        /* index in the string table */
    uint32_t line;
    uint32_t inlined;     /* 0: the routine's own code; else 1 + index in table_routine::inlined */
};

struct table_block {
    uint32_t insns = 0;
    std::vector<table_line> lines;
};

/* Kinds of edges as they stand in the format.  ORDER EDGE_KIND: wpp/wpp.h. */
enum table_edge_kind {
    TABLE_REAL, TABLE_START, TABLE_END_BACK, TABLE_END_CALL, TABLE_END_LIMIT,
    TABLE_END_JUMP, TABLE_END_STOP
};

struct table_edge {
    uint32_t src, dst;
    uint64_t val;
    uint32_t kind;        /* table_edge_kind */
    uint32_t to;          /* END kinds: 1 + the block where execution goes on, or 0 */
};

/* An exception thrown by the last statement of block `src` may go on at `dst`. */
struct table_landing {
    uint32_t src, dst;
};

/* An inlined call: the callee's code stands in its place. */
struct table_inlined {
    uint32_t name;        /* of the callee */
    uint32_t caller;      /* the call that contains this one, as in table_line::inlined; its
                             index is smaller */
    uint32_t file, line;  /* of the call; line 0: unknown */
};

enum { TABLE_LIMITED = 1, TABLE_NONLOCAL = 2, TABLE_NUMBERED = 4, TABLE_ARTIFICIAL = 8 };

/* A path whose count follows from the flow at a vertex (numbering/edge-counts.h). */
struct table_derived {
    uint64_t path;
    uint32_t vertex;
};

/* An edge of which interesting paths of a copy are made, and its part of their identifiers
 * (numbering/selected-paths.h). */
struct table_selected {
    uint32_t edge;
    uint64_t val;
};

/* The copy of a partitioned profile that the unit is compiled for. */
struct table_copy {
    uint32_t copy, copies;                /* 0: none */
    uint64_t plan;                        /* its id */
};

/* What the code does at the end of a path.  ORDER MODE: wpp/wpp.h. */
enum table_mode { TABLE_TRACED, TABLE_PATHS, TABLE_PATHS_OF_CALLS, TABLE_EDGES };

struct table_routine {
    uint32_t name, file, line, flags;
    uint64_t num_paths;
    std::vector<table_block> blocks;
    std::vector<table_edge> edges;
    std::vector<table_landing> landings;  /* ascending by (src, dst) */
    std::vector<table_inlined> inlined;
    std::vector<table_derived> derived;   /* with TABLE_EDGES, in order of derivation */
    bool partial = false;                 /* only paths of these edges are counted: */
    std::vector<table_selected> selected; /* ascending by edge */
};

/* Reasons for which a routine is not instrumented, as numbered in the format.  ORDER REASON:
 * wpp/wpp.h. */
enum table_reason {
    TABLE_WANTED, TABLE_ATTRIBUTE, TABLE_NOT_INCLUDED, TABLE_EXCLUDED, TABLE_TOO_SMALL,
    TABLE_NO_FRAME, TABLE_TOO_EARLY, TABLE_NO_NUMBERS, TABLE_COMPILERS_OWN
};

struct table_left_out {
    uint32_t name, file, line;
    table_reason reason;
};

/* The table of one object file.  It lives as long as the compiler. */
class unit_table {
public:
    /* `mapped` returns the table's name for a file or folder. */
    explicit unit_table(const char *(*mapped)(const char *name)) : mapped_(mapped) {}

    /* The number of a string in the table, and of the name of a file. */
    uint32_t intern(const char *string);
    uint32_t intern_file(const char *name);

    /* Appends a routine; returns the number of its first path within the unit. */
    uint64_t add(const table_routine &routine);

    /* Notes a routine that is not instrumented. */
    void leave_out(const table_left_out &routine);

    uint64_t paths() const { return paths_; }
    bool empty() const { return routines_ == 0 && left_out_ == 0; }

    /* Whether any routine is instrumented. */
    bool records() const { return routines_ > 0; }

    /* Writes section .wpp and, if the unit records, its wpp_unit, as assembly.  linked: the
     * linker makes the unit's base.  copy: of a plan.  timed: the times of its paths are counted.
     * all_look: no thread can begin in a routine that does not look (WPP_UNIT_LOOKS). */
    void write(FILE *assembly, const char *compiler, const char *source,
               const char *directory, unsigned stage, unsigned level, table_mode mode,
               const table_copy &copy, bool linked, bool timed, bool all_look);

    /* Writes a table of section .wpp_map, of the routines' instructions at this stage.  Their addresses refer
     * to it by the local symbol `id` (docs/address-map.md). */
    void write_map(FILE *assembly, const char *compiler, const char *source, const char *directory,
                   unsigned stage, unsigned level, table_mode mode, const char *id);

private:
    byte_string encode_body(const char *compiler, const char *source, const char *directory,
                            unsigned stage, unsigned level);
    void encode_sources(byte_string &out) const;
    void write_unit(FILE *assembly, unsigned long long id, table_mode mode, bool linked,
                    bool timed, bool all_look) const;

    const char *(*mapped_)(const char *name);
    std::unordered_map<std::string, uint32_t> numbers_;
    std::unordered_map<std::string, uint32_t> files_;     /* by their own names */
    std::vector<std::string> strings_ = {std::string()};
    byte_string body_, left_out_body_;
    uint64_t routines_ = 0, paths_ = 0, left_out_ = 0;
};

#endif
