// SPDX-License-Identifier: GPL-3.0-or-later
// counts-file.cc - see counts-file.h.

#include "gcc-plugin/use/counts-file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- The helper ------------------------------------------------------------------ */

// Starts the helper with `end` as its standard input and output, and `messages` as its errors.
static int start(const char *helper, const char *file, int end, int messages, pid_t *child)
{
    const char *const words[] = {helper, "--for-compiler", "--", file, NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);

    if (error)
        return error;
    posix_spawn_file_actions_adddup2(&actions, end, 0);
    posix_spawn_file_actions_adddup2(&actions, end, 1);
    posix_spawn_file_actions_adddup2(&actions, messages, 2);
    error = posix_spawn(child, helper, &actions, NULL, const_cast<char *const *>(words), environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

bool counts_file::open(const char *helper, const char *file)
{
    int ends[2], messages[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return fail(strerror(errno));
    socket_ = ends[0];
    if (pipe2(messages, O_CLOEXEC) != 0) {
        close(ends[1]);
        return fail(strerror(errno));
    }
    int error = start(helper, file, ends[1], messages[1], &child_);
    close(ends[1]);
    close(messages[1]);
    messages_ = fdopen(messages[0], "r");
    in_ = fdopen(dup(ends[0]), "r");
    if (error) {
        child_ = -1;
        return fail(std::string("cannot run ") + helper + ": " + strerror(error));
    }
    if (!in_ || !messages_)
        return fail(strerror(errno));
    if (read_head())
        return true;
    finish();
    return fail(problem.empty() ? "wpp-profile gave no answer" : problem);
}

counts_file::~counts_file()
{
    if (in_)
        fclose(in_);
    if (messages_)
        fclose(messages_);
    if (socket_ >= 0)
        close(socket_);
}

bool counts_file::fail(const std::string &what)
{
    problem = what;
    return false;
}

// Takes the helper's messages, without its name, and waits for its end.
void counts_file::finish()
{
    std::string line;
    int status = 0;

    shutdown(socket_, SHUT_RDWR);
    for (int c; (c = getc(messages_)) != EOF;)
        if (c != '\n')
            line += static_cast<char>(c);
        else if (!line.empty()) {
            size_t name = line.find(": ");
            problem += (problem.empty() ? "" : "; ") + line.substr(name == line.npos ? 0 : name + 2);
            line.clear();
        }
    if (child_ > 0)
        waitpid(child_, &status, 0);
    child_ = -1;
}

/* ---- Text ------------------------------------------------------------------------ */

bool counts_file::send(const std::string &text)
{
    for (size_t at = 0; at < text.size();) {
        ssize_t n = ::send(socket_, text.data() + at, text.size() - at, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        at += static_cast<size_t>(n);
    }
    return true;
}

bool counts_file::read_line(std::string &out)
{
    out.clear();
    for (int c; (c = getc_unlocked(in_)) != EOF; out += static_cast<char>(c))
        if (c == '\n')
            return true;
    return false;
}

// Takes a keyword and the blank behind it off the line.
static bool take(std::string &line, const char *keyword)
{
    size_t n = strlen(keyword);

    if (line.compare(0, n, keyword) != 0 || line[n] != ' ')
        return false;
    line.erase(0, n + 1);
    return true;
}

static uint64_t number_of(const std::string &line)
{
    return strtoull(line.c_str(), NULL, 10);
}

bool counts_file::read_head()
{
    std::string line;

    if (!read_line(line) || line != "wpp-counts 1")
        return false;
    while (read_line(line)) {
        if (take(line, "stage")) {
            early = line == "early";
            mixed = line == "mixed";
            final_code = line == "final";
            layout = line == "layout";
        } else if (take(line, "kind")) {
            kind = static_cast<unsigned>(number_of(line));
        } else if (take(line, "runs")) {
            runs = number_of(line);
        } else if (take(line, "most")) {
            most = number_of(line);
        } else if (take(line, "routines")) {
            n_routines = number_of(line);
            return true;
        }
    }
    return false;
}

// Reads a list of numbers behind its keyword.
static bool read_numbers(std::string &line, const char *keyword, size_t n, std::vector<uint64_t> &out)
{
    const char *at;
    char *end;

    if (line != keyword && !take(line, keyword))
        return false;
    at = n == 0 ? "" : line.c_str();
    for (size_t i = 0; i < n; i++, at = end) {
        out.push_back(strtoull(at, &end, 10));
        if (end == at)
            return false;
    }
    return *at == '\0';
}

// The four lines behind `routine HASH BLOCKS ARCS NAME`.
bool counts_file::read_routine(const std::string &head)
{
    std::vector<uint64_t> numbers;
    counted_routine routine;
    std::string line;
    unsigned blocks, arcs;
    int name = 0;

    if (sscanf(head.c_str(), "%" SCNx64 " %u %u %n", &routine.hash, &blocks, &arcs, &name) != 3
        || !name)
        return false;
    if (!read_line(routine.file) || !take(routine.file, "file") || !read_line(routine.directory)
        || !take(routine.directory, "directory") || !read_line(line)
        || !read_numbers(line, "blocks", blocks, routine.blocks) || !read_line(line)
        || !read_numbers(line, "arcs", 3 * static_cast<size_t>(arcs), numbers))
        return false;
    for (size_t i = 0; i < numbers.size(); i += 3)
        if (numbers[i] >= blocks || numbers[i + 1] >= blocks)
            return false;
        else
            routine.arcs.push_back({static_cast<uint32_t>(numbers[i]),
                                    static_cast<uint32_t>(numbers[i + 1]), numbers[i + 2]});
    routines_[head.substr(static_cast<size_t>(name))].push_back(std::move(routine));
    return true;
}

bool counts_file::read_body()
{
    std::string line;
    uint64_t n = 0;

    while (read_line(line)) {
        if (take(line, "routine")) {
            if (!read_routine(line))
                return false;
            n++;
        } else if (take(line, "left-out")) {
            left_out_[line] = true;
        } else if (take(line, "source")) {
            size_t blank = line.find(' ');
            if (blank != line.npos)
                sources_.emplace(line.substr(blank + 1), strtoull(line.c_str(), NULL, 16));
        } else if (take(line, "end")) {
            return number_of(line) == n;
        }
    }
    return false;
}

bool counts_file::ask(const std::vector<std::string> &names)
{
    std::string text;

    for (const std::string &name : names)
        if (name.find('\n') == name.npos)
            text += name + "\n";
    bool ok = send(text) && shutdown(socket_, SHUT_WR) == 0 && read_body();
    finish();
    return ok || fail(problem.empty() ? "wpp-profile gave no answer" : problem);
}

/* ---- Questions ------------------------------------------------------------------- */

const std::vector<counted_routine> *counts_file::find(const std::string &name) const
{
    auto found = routines_.find(name);
    return found == routines_.end() ? NULL : &found->second;
}

bool counts_file::was_left_out(const std::string &name) const
{
    return left_out_.count(name) > 0;
}

bool counts_file::had_source(const std::string &file, uint64_t hash) const
{
    auto range = sources_.equal_range(file);

    for (auto at = range.first; at != range.second; ++at)
        if (at->second == hash)
            return true;
    return false;
}
