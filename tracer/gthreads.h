/* SPDX-License-Identifier: MIT */
/* gthreads.h - threads in static programs.
 *
 * Libraries that GCC brings (libgfortran, libgcc_eh, libobjc) ask a weak reference to
 * pthread_key_create whether there are threads, and then call others that are weak
 * as well (gthr-posix.h).  We need pthread_key_create; so in a static program, where
 * only what somebody needs is linked, the answer is yes and the others are missing.
 *
 * These are names in the symbol table and nothing else: the linker looks for them in
 * archives.  No relocation uses them, so a dynamic program does nothing for them. */
#define NEED(name) ".globl " #name "\n\t"

__asm__(NEED(pthread_once) NEED(pthread_getspecific) NEED(pthread_setspecific)
        NEED(pthread_key_create) NEED(pthread_key_delete)
        NEED(pthread_create) NEED(pthread_join) NEED(pthread_detach) NEED(pthread_exit)
        NEED(pthread_self) NEED(pthread_equal) NEED(pthread_cancel)
        NEED(pthread_mutex_init) NEED(pthread_mutex_destroy) NEED(pthread_mutex_lock)
        NEED(pthread_mutex_trylock) NEED(pthread_mutex_timedlock) NEED(pthread_mutex_unlock)
        NEED(pthread_mutexattr_init) NEED(pthread_mutexattr_settype)
        NEED(pthread_mutexattr_destroy)
        NEED(pthread_cond_init) NEED(pthread_cond_destroy) NEED(pthread_cond_wait)
        NEED(pthread_cond_timedwait) NEED(pthread_cond_signal) NEED(pthread_cond_broadcast)
        NEED(pthread_attr_init) NEED(pthread_attr_destroy) NEED(pthread_attr_setdetachstate)
        NEED(pthread_getschedparam) NEED(pthread_setschedparam)
        NEED(sched_yield) NEED(sched_get_priority_min) NEED(sched_get_priority_max));

#undef NEED
