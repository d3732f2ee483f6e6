/* SPDX-License-Identifier: MIT */
#include "wpp/record/standby.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

bool wpp_standby_init(struct wpp_standby *k)
{
    void *taken = mmap(NULL, sizeof *k->taken, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    *k = (struct wpp_standby){.us = -1, .taken = taken == MAP_FAILED ? NULL : taken};
    if (k->taken)
        k->us = (int)syscall(SYS_pidfd_open, getpid(), 0);
    return k->us >= 0;
}

void wpp_standby_free(struct wpp_standby *k)
{
    wpp_standby_drop(k);
    if (k->us >= 0)
        close(k->us);
    if (k->taken)
        munmap(k->taken, sizeof *k->taken);
}

/* A fork costs a copy of every page that we change afterwards, about a second for 4 GB.  It
 * frees the memory of the entries that the spool keeps.  It should take at most a sixth of our
 * time. */
bool wpp_standby_is_due(const struct wpp_standby *k, uint64_t memory, uint64_t kept)
{
    const uint64_t much = 64 << 20;
    const double least = 0.05, bytes_a_second = 640e6, patience = 1;
    double age = seconds() - k->made;

    if (k->us < 0)
        return false;
    if (k->pid == 0)
        return !k->failed || age >= patience;
    return kept == UINT64_MAX || (kept >= much && age >= least + (double)memory / bytes_a_second);
}

void wpp_standby_drop(struct wpp_standby *k)
{
    if (k->pid == 0)
        return;
    kill(k->pid, SIGKILL);
    while (waitpid(k->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    k->pid = 0;
}

/* Separates the keeper from us, so that a kill of ours misses it: it has another name, another
 * process group and no handlers of ours. */
static void hide(void)
{
    sigset_t none;

    setpgid(0, 0);
    prctl(PR_SET_NAME, "wpp-keeper");
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGTTOU, SIG_IGN);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void sleep_until_gone(int pidfd)
{
    struct pollfd gone = {.fd = pidfd, .events = POLLIN};

    while (poll(&gone, 1, -1) < 0 && errno == EINTR)
        ;
}

bool wpp_standby_renew(struct wpp_standby *k, struct wpp_spool *spool)
{
    struct wpp_standby old = *k;
    pid_t pid = fork();

    k->made = seconds();
    if (pid == 0) {
        hide();
        sleep_until_gone(k->us);
        /* We were killed before we had dropped the old keeper: there are two, and the other has
         * begun. */
        if (__atomic_exchange_n(k->taken, 1, __ATOMIC_ACQ_REL))
            _exit(0);
        wpp_spool_inherit(spool);
        return true;
    }
    /* Parent and child both set the group: the first one to run may run before our group is
     * killed. */
    if (pid > 0)
        setpgid(pid, 0);
    wpp_standby_drop(&old);
    k->failed = pid < 0;
    k->pid = k->failed ? 0 : pid;
    wpp_spool_forked(spool, !k->failed);
    return false;
}
