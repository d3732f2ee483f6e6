/* SPDX-License-Identifier: MIT */
/* page-compare.c - two runs, as wpp-diff compares them. */
#include "report/page.h"
#include "wpp/base/json.h"
#include "wpp/compare/run-counts.h"
#include "wpp/compare/run-diff-report.h"

enum { PARTINGS = 20, MEET = 3, ROWS = 50 };

static bool put_comparison(struct page_run *const run[2], const struct profile_diff *profile,
                           struct run_diff_request *request, FILE *out, struct wpp_error *error)
{
    const wpp *const w[2] = {run[0]->w, run[1]->w};
    struct run_counts counts;
    struct run_diff d;
    bool ok;

    if (!run_diff_new(&d, w, request, error))
        return false;
    ok = run_counts_new(&counts, profile, NULL, 0, error);
    if (ok) {
        struct run_diff_report report = {
            .text = {.out = out}, .path = {run[0]->name, run[1]->name}, .d = &d, .counts = &counts, .top = ROWS
        };

        ok = run_diff_json(&report);
        run_counts_free(&counts);
    }
    run_diff_free(&d);
    return ok;
}

bool page_compare(struct page_run *a, struct page_run *b, unsigned by, FILE *out)
{
    struct page_run *const run[2] = {a, b};
    struct run_diff_request request = {.partings = PARTINGS, .least = MEET, .by = (enum common_by)by};
    struct path_profile side[2] = {0};
    struct profile_diff profile;
    struct wpp_error error = {0};
    bool ok = by <= COMMON_BY_ROUTINE && path_profile_new(&side[0], a->w)
           && path_profile_new(&side[1], b->w) && profile_diff_new(&profile, &side[0], &side[1]);

    if (ok) {
        ok = put_comparison(run, &profile, &request, out, &error);
        profile_diff_free(&profile);
    }
    path_profile_free(&side[0]);
    path_profile_free(&side[1]);
    if (ok || error.status != WPP_E_ARGUMENT)
        return ok;
    fputs("{\"error\":", out);
    json_string(out, error.text);
    fputc('}', out);
    return true;
}
