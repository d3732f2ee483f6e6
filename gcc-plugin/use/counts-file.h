/* SPDX-License-Identifier: GPL-3.0-or-later */
/* counts-file.h - the execution counts of an earlier run, from a WPP or a path profile.
 *
 * `wpp-profile --for-compiler FILE` reads the file, in a process of its own: so the compiler needs
 * neither zstd nor the memory of a WPP.  It tells the head first, then reads the names of this unit's
 * routines, and tells their counts (wpp/profile/compiler-counts.h has the text's form).
 * No GCC type appears here.
 */
#ifndef WPP_COUNTS_FILE_H
#define WPP_COUNTS_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

/* Executions of an edge between two blocks of a routine, neither ENTRY nor EXIT. */
struct counted_arc {
    uint32_t src, dst;
    uint64_t count;
};

struct counted_routine {
    uint64_t hash;                    /* routine_hash() */
    std::string file, directory;      /* of its definition; where it was compiled */
    std::vector<uint64_t> blocks;     /* by vertex; ENTRY's are its calls */
    std::vector<counted_arc> arcs;    /* ascending by (src, dst) */
};

/* ORDER KIND: enum wpp_profile_kind in wpp/wpp.h. */
enum counted_kind { COUNTED_PATHS = 1, COUNTED_CUT_PATHS, COUNTED_EDGES };

class counts_file {
public:
    ~counts_file();

    /* Starts the helper and reads the head.  False: `problem` says in one line why. */
    bool open(const char *helper, const char *file);

    /* Asks for routines by assembler name; to be called once, after open().  False: as above. */
    bool ask(const std::vector<std::string> &names);

    /* Executed routines with this name, in the order of the file; NULL: none. */
    const std::vector<counted_routine> *find(const std::string &name) const;

    /* Whether a routine of this name was not instrumented. */
    bool was_left_out(const std::string &name) const;

    /* Whether the source file had these contents, by its hash, when it was compiled. */
    bool had_source(const std::string &file, uint64_t hash) const;

    std::string problem;              /* after a failure; after ask() what the helper warns of */
    bool final_code = false, layout = false;     /* of samples (mode=map): of the code itself; for use= */
    bool early = false, mixed = false;   /* stage of the recorded routines; mixed: of both */
    unsigned kind = 0;                /* enum counted_kind */
    uint64_t runs = 0, most = 0;      /* runs summed; executions of the most frequent block */
    uint64_t n_routines = 0;          /* executed routines of the whole file */

private:
    bool fail(const std::string &what);
    bool send(const std::string &text);
    bool read_line(std::string &out);
    bool read_head();
    bool read_routine(const std::string &head);
    bool read_body();
    void finish();

    FILE *in_ = NULL, *messages_ = NULL;
    int socket_ = -1;
    pid_t child_ = -1;
    std::map<std::string, std::vector<counted_routine>> routines_;
    std::map<std::string, bool> left_out_;
    std::multimap<std::string, uint64_t> sources_;
};

#endif
