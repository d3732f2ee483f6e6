// SPDX-License-Identifier: GPL-3.0-or-later
// unit-table.cc - encodes path tables and writes them as assembly.
//
// No GCC type is needed here: input are plain numbers and strings, output is text for the
// assembler.

#include "gcc-plugin/table/unit-table.h"

#include <assert.h>

#include <algorithm>
#include <map>

#include "tracer/source-hash.h"
#include "tracer/trace-abi.h"

void byte_string::varint(uint64_t n)
{
    for (; n >= 0x80; n >>= 7)
        bytes += static_cast<char>(n | 0x80);
    bytes += static_cast<char>(n);
}

void byte_string::svarint(int64_t n)
{
    varint(static_cast<uint64_t>(n) << 1 ^ static_cast<uint64_t>(n >> 63));
}

void byte_string::fixed64(uint64_t n)
{
    for (unsigned shift = 0; shift < 64; shift += 8)
        bytes += static_cast<char>(n >> shift);
}

uint32_t unit_table::intern(const char *string)
{
    if (!string || !*string)
        return 0;
    auto found = numbers_.find(string);
    if (found != numbers_.end())
        return found->second;
    uint32_t number = strings_.size();
    strings_.emplace_back(string);
    numbers_.emplace(string, number);
    return number;
}

uint32_t unit_table::intern_file(const char *name)
{
    if (!name || !*name)
        return 0;
    auto found = files_.find(name);
    if (found != files_.end())
        return found->second;
    uint32_t number = intern(mapped_(name));
    files_.emplace(name, number);
    return number;
}

static void encode_block(byte_string &out, const table_block &block, uint32_t base_line)
{
    out.varint(block.insns);
    out.varint(block.lines.size());
    for (const table_line &line : block.lines) {
        out.varint(line.file);
        out.svarint(static_cast<int64_t>(line.line) - base_line);
    }
}

static void encode_edges(byte_string &out, const std::vector<table_edge> &edges)
{
    uint32_t src = 0;
    uint64_t val = 0;

    out.varint(edges.size());
    for (const table_edge &edge : edges) {
        assert(edge.src >= src);
        if (edge.src != src)
            val = 0;
        assert(edge.val >= val);
        out.varint(edge.src - src);
        out.varint(edge.dst);
        out.varint(edge.val - val);
        out.varint(edge.kind);
        if (edge.kind >= TABLE_END_BACK)
            out.varint(edge.to);
        src = edge.src;
        val = edge.val;
    }
}

static void encode_landings(byte_string &out, const std::vector<table_landing> &landings)
{
    uint32_t src = 0;

    out.varint(landings.size());
    for (const table_landing &landing : landings) {
        assert(landing.src >= src);
        out.varint(landing.src - src);
        out.varint(landing.dst);
        src = landing.src;
    }
}

// Writes, in runs of lines, to which inlined call the lines belong.  A call is described at its
// first run.
class inlined_writer {
public:
    inlined_writer(const table_routine &routine)
        : routine_(routine), number_(routine.inlined.size() + 1),
          line_(routine.inlined.size() + 1)
    {
        line_[0] = routine.line;
    }

    // Writes the lines [begin, end), which all belong to one call, or to the routine itself.
    void run(const table_line *begin, const table_line *end)
    {
        uint32_t call = begin->inlined;

        runs_.varint(call && !number_[call] ? 1 : reference(call));
        if (call && !number_[call])
            describe(call);
        runs_.varint(end - begin);
        line_[call] = end[-1].line;
        n_runs_++;
    }

    // False: there is nothing to write.
    bool finish(byte_string &out) const
    {
        if (n_described_ == 0)
            return false;
        out.varint(n_described_);
        out.varint(n_runs_);
        out.raw(runs_);
        return true;
    }

private:
    uint64_t reference(uint32_t call) const { return call ? 2 + n_described_ - number_[call] : 0; }

    // Describes the call; enclosing calls come first, if they are new too.
    void describe(uint32_t call)
    {
        std::vector<uint32_t> chain;

        for (; call && !number_[call]; call = routine_.inlined[call - 1].caller)
            chain.push_back(call);
        for (size_t i = 1; i < chain.size(); i++)
            runs_.varint(1);
        runs_.varint(reference(call));
        for (size_t i = chain.size(); i-- > 0;) {
            const table_inlined &inlined = routine_.inlined[chain[i] - 1];

            runs_.varint(inlined.name);
            runs_.varint(inlined.file);
            runs_.svarint(static_cast<int64_t>(inlined.line) - line_[inlined.caller]);
            line_[inlined.caller] = inlined.line;
            number_[chain[i]] = ++n_described_;
        }
    }

    const table_routine &routine_;
    byte_string runs_;
    uint64_t n_runs_ = 0;
    uint32_t n_described_ = 0;
    std::vector<uint32_t> number_;        // of a call, from 1; 0: not described yet
    std::vector<uint32_t> line_;          // last line seen in a call's code; 0: none
};

// False: nothing was written.
static bool encode_inlined(byte_string &out, const table_routine &routine)
{
    inlined_writer writer(routine);
    std::vector<table_line> lines;

    if (routine.inlined.empty())
        return false;
    for (const table_block &block : routine.blocks)
        lines.insert(lines.end(), block.lines.begin(), block.lines.end());
    while (!lines.empty() && lines.back().inlined == 0)
        lines.pop_back();
    const table_line *at = lines.data(), *all = at + lines.size();
    while (at < all) {
        const table_line *begin = at;
        while (at < all && at->inlined == begin->inlined)
            at++;
        writer.run(begin, at);
    }
    return writer.finish(out);
}

// Behind the inlined calls: their number is written even if it is 0.
static void encode_derived(byte_string &out, const table_routine &routine, bool has_inlined)
{
    if (routine.derived.empty() && !routine.partial)
        return;
    if (!has_inlined)
        out.varint(0);
    out.varint(routine.derived.size());
    for (const table_derived &derived : routine.derived) {
        out.varint(derived.path);
        out.varint(derived.vertex);
    }
}

// Behind the derived paths, whose number is written then.
static void encode_selected(byte_string &out, const table_routine &routine)
{
    uint32_t next = 0;

    if (!routine.partial)
        return;
    out.varint(routine.selected.size());
    for (const table_selected &selected : routine.selected) {
        assert(selected.edge >= next);
        out.varint(selected.edge - next);
        out.varint(selected.val);
        next = selected.edge + 1;
    }
}

uint64_t unit_table::add(const table_routine &routine)
{
    byte_string r;
    uint64_t first = paths_;

    r.varint(routine.name);
    r.varint(routine.file);
    r.varint(routine.line);
    r.varint(routine.flags);
    r.varint(routine.num_paths);
    r.varint(routine.blocks.size());
    for (const table_block &block : routine.blocks)
        encode_block(r, block, routine.line);
    encode_edges(r, routine.edges);
    encode_landings(r, routine.landings);
    encode_derived(r, routine, encode_inlined(r, routine));
    encode_selected(r, routine);

    body_.varint(r.bytes.size());
    body_.raw(r);
    routines_++;
    paths_ += routine.num_paths;
    return first;
}

void unit_table::leave_out(const table_left_out &routine)
{
    left_out_body_.varint(routine.name);
    left_out_body_.varint(routine.file);
    left_out_body_.varint(routine.line);
    left_out_body_.varint(routine.reason);
    left_out_++;
}

static uint64_t fnv1a(const std::string &bytes)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (unsigned char byte : bytes)
        hash = (hash ^ byte) * 0x100000001b3u;
    return hash;
}

// Eight bytes per number: the assembler's time depends on the count of numbers.
static void write_bytes(FILE *assembly, const std::string &bytes)
{
    size_t i = 0;

    for (; i + 8 <= bytes.size(); i += 8) {
        uint64_t word = 0;
        for (size_t k = 8; k-- > 0;)
            word = word << 8 | static_cast<unsigned char>(bytes[i + k]);
        fprintf(assembly, "%s%#llx", i % 64 == 0 ? "\n\t.quad " : ",",
                static_cast<unsigned long long>(word));
    }
    for (; i < bytes.size(); i++)
        fprintf(assembly, "\n\t.byte %u", static_cast<unsigned char>(bytes[i]));
    fputc('\n', assembly);
}

// Encodes hashes of the source files, so that readers see whether theirs are the same.  The
// table has the mapped names (-ffile-prefix-map); the compiler opened the files by their own
// names.
void unit_table::encode_sources(byte_string &out) const
{
    std::map<uint32_t, uint64_t> hashes;
    uint64_t hash;

    for (const auto &file : files_)
        if (wpp_source_hash_file(AT_FDCWD, file.first.c_str(), &hash)) {
            auto added = hashes.emplace(file.second, hash);
            // Maps may make one name of two files: then the choice is the same in each build.
            added.first->second = std::min(added.first->second, hash);
        }
    out.varint(hashes.size());
    for (const auto &source : hashes) {
        out.varint(source.first);
        out.fixed64(source.second);
    }
}

// The body up to what only some modes have.
byte_string unit_table::encode_body(const char *compiler, const char *source, const char *directory,
                                    unsigned stage, unsigned level)
{
    uint32_t compiler_string = intern(compiler);
    uint32_t source_string = intern_file(source);
    uint32_t directory_string = intern_file(directory);
    byte_string body;

    body.varint(strings_.size());
    for (const std::string &string : strings_) {
        body.varint(string.size());
        body.bytes += string;
    }
    body.varint(compiler_string);
    body.varint(source_string);
    body.varint(directory_string);
    body.varint(stage);
    body.varint(level);
    body.varint(paths_);
    body.varint(routines_);
    body.raw(body_);
    body.varint(left_out_);
    body.raw(left_out_body_);
    encode_sources(body);
    return body;
}

// Returns the table's id.
static unsigned long long write_table(FILE *assembly, const char *section, const byte_string &body)
{
    unsigned long long id = fnv1a(body.bytes);

    fprintf(assembly, "\n\t.section %s,\"\",@progbits\n", section);
    fprintf(assembly, "\t.ascii \"WPPU\"\n\t.long 1\n\t.quad %#llx\n\t.long %zu",
            id, body.bytes.size());
    write_bytes(assembly, body.bytes);
    return id;
}

void unit_table::write(FILE *assembly, const char *compiler, const char *source,
                       const char *directory, unsigned stage, unsigned level, table_mode mode,
                       const table_copy &copy, bool linked, bool timed, bool all_look)
{
    byte_string body = encode_body(compiler, source, directory, stage, level);

    if (mode != TABLE_TRACED)
        body.varint(mode);
    if (copy.copy > 0) {
        assert(mode != TABLE_TRACED);
        body.varint(copy.copy);
        body.varint(copy.copies);
        body.fixed64(copy.plan);
    }
    unsigned long long id = write_table(assembly, ".wpp", body);
    if (records())
        write_unit(assembly, id, mode, linked, timed, all_look);
}

void unit_table::write_map(FILE *assembly, const char *compiler, const char *source,
                           const char *directory, unsigned stage, unsigned level, table_mode mode,
                           const char *id)
{
    byte_string body = encode_body(compiler, source, directory, stage, level);

    body.varint(mode);
    fprintf(assembly, "\t.set %s, %#llx\n", id, write_table(assembly, ".wpp_map", body));
}

// The base until the runtime sets it; with `linked`, the linker adds its number to 0.
static uint32_t first_base(uint64_t paths, bool linked)
{
    return !linked && paths <= WPP_CONTROL - WPP_UNREGISTERED ? WPP_UNREGISTERED : 0;
}

// Writes the wpp_unit of a unit that records events, and its numbers (trace-abi.h, NUMBERS).
void unit_table::write_unit(FILE *assembly, unsigned long long id, table_mode mode, bool linked,
                            bool timed, bool all_look) const
{
    unsigned long long paths = paths_;
    bool counts = mode != TABLE_TRACED;

    // One group: linkers drop both sections or neither.
    fprintf(assembly, "\t.section wpp_numbers,\"awG\",@nobits,__wpp_unit\n.Lwpp_numbers:\n%s"
            "\t.zero %llu\n",
            linked ? "\t.type __wpp_numbers, @tls_object\n__wpp_numbers:\n" : "", paths);

    if (timed)
        fprintf(assembly, "\t.local __wpp_times\n\t.comm __wpp_times, %llu, 64\n", 8 * paths);
    fprintf(assembly,
            "\t.section wpp_units,\"awG\",@progbits,__wpp_unit\n\t.balign 8\n"
            "\t.type __wpp_unit, @object\n\t.size __wpp_unit, %zu\n"
            "__wpp_unit:\n",
            sizeof(struct wpp_unit));
    if (linked)
        fprintf(assembly, "\t.reloc ., R_X86_64_TPOFF32, __wpp_numbers+%u\n", WPP_LINKED_BIAS);
    fprintf(assembly, "\t.long %u, %llu\n\t.quad %#llx\n\t.short %u, %u\n"
            "\t.long .Lwpp_numbers - .\n%s\t.quad %s\n", first_base(paths, linked), paths, id,
            counts ? WPP_ABI_COUNTS : WPP_ABI, (linked ? WPP_UNIT_LINKED : 0)
            | (counts ? WPP_UNIT_COUNTS : 0) | (counts && all_look ? WPP_UNIT_LOOKS : 0)
            | (mode == TABLE_EDGES ? WPP_UNIT_EDGES : 0),
            counts ? "__wpp_counts_at:\n" : "",
            counts ? "__wpp_counts" : timed ? "__wpp_times" : "0");
    if (counts)
        fprintf(assembly, "\t.section wpp_counts,\"awG\",@nobits,__wpp_unit\n\t.balign 8\n"
                "\t.type __wpp_counts, @object\n\t.size __wpp_counts, %llu\n__wpp_counts:\n"
                "\t.zero %llu\n", 8 * paths, 8 * paths);
}
