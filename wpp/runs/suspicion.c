/* SPDX-License-Identifier: MIT */
#include "wpp/runs/suspicion.h"

#include <math.h>

/* The normal distribution's 97.5 % point. */
static const double Z = 1.959963984540054;

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* Of a share of n. */
static double variance(double p, double n)
{
    return n > 0 ? p * (1 - p) / n : 0;
}

/* With I = Increase and L = log F / log NumF, it is 2 I L / (I + L).  L's error comes from F, which is
 * a share of NumF. */
static void set_importance(struct suspicion *s, double num_fail)
{
    double f = s->n.fail, i = s->increase, l, var_l, sum;

    if (f <= 1 || i <= s->increase_error)
        return;
    l = log(f) / log(num_fail);
    sum = i + l;
    s->importance = 2 / (1 / i + 1 / l);
    var_l = variance(f / num_fail, num_fail) * pow(num_fail / (f * log(num_fail)), 2);
    s->importance_error = Z * sqrt(pow(2 * l * l / (sum * sum), 2) * pow(s->increase_error / Z, 2) +
                                   pow(2 * i * i / (sum * sum), 2) * var_l);
}

/* Of n coins, k of which show one side: what they can be told in. */
static double entropy(double k, double n)
{
    double p = share(k, n);

    return p > 0 && p < 1 ? -n * (p * log2(p) + (1 - p) * log2(1 - p)) : 0;
}

static double saved_bits(double fail, double all, double num_fail, double num_all)
{
    if (fail * num_all <= num_fail * all)
        return 0;
    return entropy(num_fail, num_all) - entropy(fail, all) - entropy(num_fail - fail, num_all - all);
}

struct suspicion suspicion_of(struct run_counts_of n, uint32_t num_fail, uint32_t num_pass)
{
    struct suspicion s = {.n = n};
    double all = (double)n.fail + n.pass, seen = (double)n.seen_fail + n.seen_pass;
    double fails = share(n.fail, num_fail), passes = share(n.pass, num_pass);

    s.failure = share(n.fail, all);
    s.context = share(n.seen_fail, seen);
    s.increase = s.failure - s.context;
    s.increase_error = Z * sqrt(variance(s.failure, all) + variance(s.context, seen));
    set_importance(&s, num_fail);
    s.ochiai = share(n.fail, sqrt(num_fail * all));
    s.tarantula = share(fails, fails + passes);
    s.bits = saved_bits(n.fail, all, num_fail, (double)num_fail + num_pass);
    return s;
}
