/* SPDX-License-Identifier: MIT */
/* times.c - how long paths took, in modules that count it.
 *
 * The emitted code adds up ticks in its module's own memory.  The runtime takes them from there
 * when the module goes, or when recording stops.  If the process ends otherwise, its times are
 * lost. */
#include "tracer/runtime.h"

#include "tracer/sys.h"
#include "tracer/text.h"

WPP_EXPORT __thread uint64_t __wpp_time;

#define RECORD_TIMES ((WPP_PAYLOAD_BYTES - sizeof(struct wpp_span)) / sizeof(struct wpp_time))

/* The record that is being assembled. */
static struct {
    struct wpp_span span;
    struct wpp_time time[RECORD_TIMES];
} times;
static uint32_t n_times;
static struct wpp_span began;   /* both clocks when the process began */

static struct wpp_span read_clocks(void)
{
    return (struct wpp_span){ __builtin_ia32_rdtsc(), sys_nanoseconds() };
}

void __wpp_times_begin(void)
{
    began = read_clocks();
}

static void write_record(void)
{
    struct wpp_span now = read_clocks();

    if (n_times == 0)
        return;
    times.span.ticks = now.ticks - began.ticks;
    times.span.nanoseconds = now.nanoseconds - began.nanoseconds;
    __wpp_record_note(WPP_REC_TIMES, &times,
                      (uint32_t)(sizeof times.span + n_times * sizeof times.time[0]));
    n_times = 0;
}

static void take_unit(const struct wpp_unit *unit)
{
    for (uint32_t i = 0; i < unit->count; i++) {
        if (unit->times[i] == 0)
            continue;
        if (n_times == RECORD_TIMES)
            write_record();
        times.time[n_times++] = (struct wpp_time){
            __atomic_exchange_n(&unit->times[i], 0, __ATOMIC_RELAXED), unit->base + i, 0
        };
    }
}

static bool is_timed(const struct wpp_unit *unit)
{
    return unit->times && !(unit->flags & WPP_UNIT_COUNTS);
}

void __wpp_times_take(const struct wpp_module *module)
{
    for (const struct wpp_unit *unit = module->begin; unit < module->end; unit++)
        if (is_timed(unit))
            take_unit(unit);
    write_record();
}

static void clear(uint64_t *from, const uint64_t *to)
{
    for (; from < to; from++)
        if (*from != 0)
            __atomic_store_n(from, 0, __ATOMIC_RELAXED);
}

/* Most pages of a large table were never touched, and reading would allocate them: so whole pages
 * are dropped.  Whole pages of counters are not part of the module's file. */
void __wpp_counters_clear(uint64_t *from, uint32_t count)
{
    uint64_t *to = from + count;
    uint64_t *page = (uint64_t *)(((uintptr_t)from + WPP_PAGE_BYTES - 1) & -(uintptr_t)WPP_PAGE_BYTES);
    uint64_t *last = (uint64_t *)((uintptr_t)to & -(uintptr_t)WPP_PAGE_BYTES);

    if (page >= last
        || sys3(SYS_madvise, (long)page, (long)((char *)last - (char *)page), MADV_DONTNEED) != 0)
        page = last = to;
    clear(from, page);
    clear(last, to);
}

void __wpp_times_forget(const struct wpp_module *module)
{
    for (const struct wpp_unit *unit = module->begin; unit < module->end; unit++)
        if (is_timed(unit))
            __wpp_counters_clear(unit->times, unit->count);
}
