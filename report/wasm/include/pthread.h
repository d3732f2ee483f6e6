/* SPDX-License-Identifier: MIT */
/* pthread.h - for WebAssembly without threads: none can be made, and who asks does the work itself. */
#ifndef WPP_WASM_PTHREAD_H
#define WPP_WASM_PTHREAD_H

#include <errno.h>

typedef int pthread_t;

static inline int pthread_create(pthread_t *thread, const void *attributes, void *(*run)(void *),
                                 void *argument)
{
    (void)attributes, (void)run, (void)argument;
    *thread = 0;
    return EAGAIN;
}

static inline int pthread_join(pthread_t thread, void **result)
{
    (void)thread, (void)result;
    return 0;
}

#endif
