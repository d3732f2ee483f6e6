/* SPDX-License-Identifier: MIT */
/* gthreads.h - makes static programs link all thread functions that GCC's libraries need.
 *
 * GCC's libraries (libgfortran, libgcc_eh, libobjc) test a weak reference to pthread_key_create.
 * If it is there, they assume threads and call other weak functions (gthr-posix.h).  The runtime
 * needs pthread_key_create.  A static program links only what is referred to: so the test
 * succeeds and the other functions are missing.
 *
 * So these names stand in the symbol table, and the linker looks for them in archives.  No
 * relocation uses them, so a dynamic program does nothing for them. */
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
