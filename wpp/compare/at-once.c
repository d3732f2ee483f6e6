/* SPDX-License-Identifier: MIT */
#include "wpp/compare/at-once.h"

#include <pthread.h>
#include <stddef.h>

struct call {
    void (*work)(void *context, unsigned which);
    void *context;
};

static void *second(void *call)
{
    const struct call *c = call;

    c->work(c->context, 1);
    return NULL;
}

void at_once(void (*work)(void *context, unsigned which), void *context)
{
    struct call call = {work, context};
    pthread_t thread;
    int error = pthread_create(&thread, NULL, second, &call);

    work(context, 0);
    if (error == 0)
        pthread_join(thread, NULL);
    else
        work(context, 1);
}
