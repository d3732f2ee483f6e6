/* SPDX-License-Identifier: MIT */
/* The runtime's building blocks, and the layouts that docs/trace-format.md gives. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "test/unit/tap.h"
#include "tracer/sys.h"
#include "tracer/text.h"
#include "tracer/trace-abi.h"

static void test_layout(void)
{
    tap_ok(sizeof(struct wpp_record) == 64
           && offsetof(struct wpp_record, kind) == 6 && offsetof(struct wpp_record, bytes) == 8
           && offsetof(struct wpp_record, pid) == 12 && offsetof(struct wpp_record, tid) == 16
           && offsetof(struct wpp_record, sequence) == 20
           && offsetof(struct wpp_record, time) == 24 && offsetof(struct wpp_record, first) == 32
           && offsetof(struct wpp_record, process) == 40
           && offsetof(struct wpp_record, check) == 56
           && offsetof(struct wpp_record, reserved2) == 60, "a record's header");
    tap_ok(sizeof(struct wpp_load) == 32 && offsetof(struct wpp_load, count) == 4
           && offsetof(struct wpp_load, address) == 8 && offsetof(struct wpp_load, units) == 16
           && offsetof(struct wpp_load, n_units) == 24
           && offsetof(struct wpp_load, build_id_bytes) == 28, "MODULE_LOAD");
    tap_ok(sizeof(struct wpp_unit) == 32 && offsetof(struct wpp_unit, count) == 4
           && offsetof(struct wpp_unit, id) == 8 && offsetof(struct wpp_unit, abi) == 16
           && offsetof(struct wpp_unit, flags) == 18 && offsetof(struct wpp_unit, numbers) == 20,
           "a unit");
    tap_ok(sizeof(struct wpp_module) == 56 && offsetof(struct wpp_module, personality) == 48 && offsetof(struct wpp_module, ehdr) == 16
           && offsetof(struct wpp_module, abi) == 24 && offsetof(struct wpp_module, base) == 28
           && offsetof(struct wpp_module, left) == 32, "a module");
    tap_ok(sizeof(struct wpp_left_call) == 24 && offsetof(struct wpp_left_call, number) == 8
           && offsetof(struct wpp_left_call, how) == 16
           && offsetof(struct wpp_left_call, offset) == 20 && sizeof(struct wpp_left) == 16
           && offsetof(struct wpp_left, count) == 8, "a call that may be left, and a slot");
}

/* Published test vectors of FNV-1a 64. */
static void test_fnv(void)
{
    tap_ok(fnv1a(FNV_START, "", 0) == UINT64_C(0xcbf29ce484222325), "fnv of nothing");
    tap_ok(fnv1a(FNV_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c), "fnv of a");
    tap_ok(fnv1a(FNV_START, "foobar", 6) == UINT64_C(0x85944171f73967e8), "fnv of foobar");
    tap_ok(fnv1a(fnv1a(FNV_START, "foo", 3), "bar", 3) == UINT64_C(0x85944171f73967e8),
           "fnv in two pieces");
}

/* Against snprintf, at every size of buffer. */
static void test_text(void)
{
    static const struct { uint64_t number; int digits; const char *text; } numbers[] = {
        { 0, 1, "0" }, { 7, 1, "7" }, { 10, 1, "10" }, { 42, 9, "000000042" },
        { 999999999, 9, "999999999" }, { UINT64_MAX, 1, "18446744073709551615" },
    };
    struct wpp_text text;
    char buffer[64], want[64];
    bool right = true;

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        text_init(&text, buffer, sizeof buffer);
        text_number(&text, numbers[i].number, numbers[i].digits);
        right &= strcmp(buffer, numbers[i].text) == 0 && text.used == strlen(buffer);
    }
    tap_ok(right, "decimal numbers");

    right = true;
    for (size_t size = 1; size <= 20; size++) {
        memset(buffer, 'x', sizeof buffer);
        text_init(&text, buffer, size);
        text_add(&text, "path ");
        text_number(&text, 12345, 1);
        text_add(&text, NULL);
        snprintf(want, size, "path %d", 12345);
        right &= strcmp(buffer, want) == 0 && text.used == strlen(want);
        right &= text.cut == (size < 11) && buffer[size] == 'x';
    }
    tap_ok(right, "a text never leaves its buffer, and says when it was cut");
}

static void test_strings(void)
{
    const char *option = "fd=12";

    tap_ok(text_equal("none", "none") && !text_equal("none", "non") && !text_equal("non", "none")
           && !text_equal("", "a") && text_equal("", ""), "equality");
    tap_ok(text_after(option, "fd=") == option + 3 && text_after(option, "") == option
           && !text_after(option, "fd:") && !text_after("f", "fd=") && !text_after("", "f"),
           "prefixes");
    tap_ok(text_decimal("0", 9) == 0 && text_decimal("2147483647", INT32_MAX) == INT32_MAX
           && text_decimal("2147483648", INT32_MAX) == -1 && text_decimal("", 9) == -1
           && text_decimal("1x", 9) == -1 && text_decimal("-1", 9) == -1
           && text_decimal("99999999999999999999", INT32_MAX) == -1, "decimal numbers are read");
    tap_ok(text_length("") == 0 && text_length("abc") == 3, "length");
}

static void test_memory(void)
{
    unsigned char from[300], to[316];
    uint64_t words[16];
    bool right = true;

    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(i * 37 + 11);
    for (size_t n = 0; n <= sizeof from; n += 7) {
        memset(to, 0xee, sizeof to);
        bytes_copy(to + 8, from, n);
        right &= memcmp(to + 8, from, n) == 0 && to[7] == 0xee && to[8 + n] == 0xee;
    }
    tap_ok(right, "copies neither less nor more");
    memset(words, 0xee, sizeof words);
    words_clear(words + 1, 14);
    right = words[0] == UINT64_C(0xeeeeeeeeeeeeeeee) && words[15] == words[0];
    for (int i = 1; i < 15; i++)
        right &= words[i] == 0;
    tap_ok(right, "clears neither less nor more");
}

static void test_system_calls(void)
{
    struct stat st;
    uint64_t mask, again;
    char *map;
    long fd;

    errno = 4711;
    tap_ok(sys_open("/no/such/file", O_RDONLY, 0) == -ENOENT && errno == 4711,
           "an error is returned, errno is left alone");
    fd = sys_open("/dev/zero", O_RDONLY | O_CLOEXEC, 0);
    tap_ok(fd >= 0 && sys_fstat((int)fd, &st) == 0 && S_ISCHR(st.st_mode), "open and fstat");
    sys_close((int)fd);
    tap_ok(sys_fcntl((int)fd, F_GETFD, 0) == -EBADF, "close");
    tap_ok(sys_lstat("/proc/self/exe", &st) == 0 && S_ISLNK(st.st_mode), "lstat does not follow");
    map = sys_map(8192);
    tap_ok(map && map[0] == 0 && map[8191] == 0, "zeroed memory");
    sys_unmap(map, 8192);
    tap_ok(sys_map((size_t)1 << 60) == NULL, "too much memory is NULL");
    mask = sys_sigmask(~UINT64_C(0));
    again = sys_sigmask(mask);
    tap_ok(again == (~UINT64_C(0) & ~(UINT64_C(1) << 8 | UINT64_C(1) << 18)),
           "all signals can be blocked, but KILL and STOP");
    tap_ok(sys_sigmask(mask) == mask, "and the mask put back");
}

int main(void)
{
    test_layout();
    test_fnv();
    test_text();
    test_strings();
    test_memory();
    test_system_calls();
    return tap_done();
}
