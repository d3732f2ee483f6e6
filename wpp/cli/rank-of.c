/* SPDX-License-Identifier: MIT */
#include "wpp/cli/rank-of.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wpp/cli/tool.h"

/* The variables of a launcher: the rank, and what names the job, of which all must be there but the
 * second.  A batch script of Slurm's has a rank and a job, but no step, and is no rank. */
static const struct launcher {
    const char *name, *rank, *job, *step;
    bool needs_step;
} launchers[] = {
    {"pmix", "PMIX_RANK", "PMIX_NAMESPACE", NULL, false},
    {"openmpi", "OMPI_COMM_WORLD_RANK", "OMPI_MCA_ess_base_jobid", "PMIX_NAMESPACE", false},
    {"slurm", "SLURM_PROCID", "SLURM_JOB_ID", "SLURM_STEP_ID", true},
    {"pmi", "PMI_RANK", "PMI_JOBID", NULL, false},
};

static bool parse_rank(const char *text, int64_t *rank)
{
    char *end;
    long long n = text ? strtoll(text, &end, 10) : -1;

    if (n < 0 || end == text || *end)
        return false;
    *rank = n;
    return true;
}

static bool is_given(const char *text)
{
    return text && *text;
}

bool rank_of(int64_t *rank, char **job)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const struct launcher *l = &launchers[i];
        const char *name = getenv(l->job), *step = l->step ? getenv(l->step) : NULL;

        if (!parse_rank(getenv(l->rank), rank) || (l->needs_step && !is_given(step)))
            continue;
        if (!is_given(name) && !is_given(step))
            continue;
        if (asprintf(job, "%s %s%s%s", l->name, is_given(name) ? name : "",
                     is_given(name) && is_given(step) ? "." : "", is_given(step) ? step : "") < 0)
            tool_die_of_memory();
        return true;
    }
    return false;
}
