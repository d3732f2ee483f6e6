/* SPDX-License-Identifier: MIT */
/* scenarios.c - a program traced by hand; each scenario is a way to use, or to
 * upset, the runtime.  The events of thread k are made_up(k, 0), made_up(k, 1), ...
 * What must have been recorded is in tracer.sh. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/e2e/tracer/emit.h"
#include "tracer/control.h"

static char **arguments;

static uint32_t number(int i)
{
    return arguments[i] ? (uint32_t)strtoul(arguments[i], NULL, 0) : 0;
}

static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "scenario: not so: %s\n", what);
        _exit(99);
    }
}

/* single N */
static void single(void)
{
    emit_made_up(0, 0, number(0));
}

/* ---- Threads -------------------------------------------------------------------- */

static void *named_thread(void *argument)
{
    uint32_t k = (uint32_t)(uintptr_t)argument;
    char name[16];

    snprintf(name, sizeof name, "t%u", k);
    pthread_setname_np(pthread_self(), name);
    emit_made_up(k, 0, k * 100);
    return NULL;
}

/* threads COUNT AT-ONCE: thread k = 1 .. COUNT emits 100 k events */
static void threads(void)
{
    uint32_t count = number(0), at_once = number(1);
    pthread_t running[64];

    emit_made_up(0, 0, 10);
    for (uint32_t k = 1; k <= count; k += at_once) {
        for (uint32_t i = 0; i < at_once; i++)
            pthread_create(&running[i], NULL, named_thread, (void *)(uintptr_t)(k + i));
        for (uint32_t i = 0; i < at_once; i++)
            pthread_join(running[i], NULL);
    }
    emit_made_up(0, 10, 10);
}

static pthread_barrier_t barrier;

static void *waiting_thread(void *argument)
{
    named_thread(argument);
    pthread_barrier_wait(&barrier);
    while (pause())
        ;
    return NULL;
}

/* alive: three threads that have emitted and still live when main returns */
static void alive(void)
{
    pthread_t t;

    pthread_barrier_init(&barrier, NULL, 4);
    for (uintptr_t k = 1; k <= 3; k++)
        pthread_create(&t, NULL, waiting_thread, (void *)(k * 200));
    pthread_barrier_wait(&barrier);
    emit_made_up(0, 0, 5);
}

static void *endless_thread(void *argument)
{
    uint32_t k = (uint32_t)(uintptr_t)argument;
    char name[16];

    snprintf(name, sizeof name, "t%u", k);
    pthread_setname_np(pthread_self(), name);
    emit(made_up(k, 0));
    pthread_barrier_wait(&barrier);
    for (uint32_t n = 1;; n++)
        emit(made_up(k, n));
    return NULL;
}

/* racing: three threads that emit without end while main returns */
static void racing(void)
{
    pthread_t t;

    pthread_barrier_init(&barrier, NULL, 4);
    for (uintptr_t k = 1; k <= 3; k++)
        pthread_create(&t, NULL, endless_thread, (void *)k);
    pthread_barrier_wait(&barrier);
    emit_made_up(0, 0, 100000);
}

static pthread_key_t first_key, second_key;

static void traced_destructor(void *argument)
{
    uint32_t *round = argument;

    emit_made_up(1, 100 + 10 * *round, 10);
    if (++*round < 3)
        pthread_setspecific(second_key, round);
}

static void *thread_with_destructor(void *argument)
{
    static uint32_t round;

    pthread_setname_np(pthread_self(), "t1");
    emit_made_up(1, 0, 100);
    pthread_setspecific(second_key, &round);
    return argument;
}

/* destructors: thread-specific destructors that emit, over three rounds */
static void destructors(void)
{
    pthread_t t;

    pthread_key_create(&first_key, NULL);
    pthread_key_create(&second_key, traced_destructor);
    pthread_create(&t, NULL, thread_with_destructor, NULL);
    pthread_join(t, NULL);
}

/* ---- Processes -------------------------------------------------------------------- */

/* fork: 1000 events, a child with 500 of its own, then 300 more */
static void forking(void)
{
    int status;
    pid_t child;

    emit_made_up(0, 0, 1000);
    child = fork();
    if (child == 0) {
        emit_made_up(7, 0, 500);
        exit(0);
    }
    printf("%d\n", (int)child);
    waitpid(child, &status, 0);
    require(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ends well");
    emit_made_up(0, 1000, 300);
}

/* A fork that libc does not see. */
static void raw_fork(void)
{
    int status;
    pid_t child;

    emit_made_up(0, 0, 1000);
    child = (pid_t)syscall(SYS_fork);
    if (child == 0) {
        emit_made_up(7, 0, 50000);
        exit(0);
    }
    printf("%d\n", (int)child);
    waitpid(child, &status, 0);
    require(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ends well");
    emit_made_up(0, 1000, 300);
}

/* vfork: the child borrows the parent's memory, its events too */
static void borrowing(void)
{
    pid_t child;

    emit_made_up(0, 0, 10);
    child = vfork();
    if (child == 0) {
        emit_made_up(7, 0, 20000);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    emit_made_up(0, 10, 10);
}

/* Threads that record while the process forks again and again. */
static volatile bool forks_done;

static void *busy_thread(void *argument)
{
    pthread_setname_np(pthread_self(), "busy");
    for (uint32_t n = 0; !forks_done; n = (n + 1) % 1000)
        emit(n);
    return argument;
}

/* many-forks N: children emit 10 events each */
static void many_forks(void)
{
    pthread_t t[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, busy_thread, NULL);
    for (uint32_t i = 0; i < number(0); i++) {
        pid_t child = fork();

        if (child == 0) {
            emit_made_up(7, 0, 10);
            exit(0);
        }
        waitpid(child, NULL, 0);
        emit_made_up(0, i, 1);
    }
    forks_done = true;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
}

/* exec N: replaces itself by `single N`, in the same process */
static void replace(void)
{
    emit_made_up(3, 0, 40000);
    execl("/proc/self/exe", "again", "single", arguments[0], NULL);
    require(false, "exec works");
}

/* ---- Signals ------------------------------------------------------------------------ */

static volatile sig_atomic_t ticks;

static void tick(int signal)
{
    (void)signal;
    ticks++;
}

static void traced_tick(int signal)
{
    (void)signal;
    ticks++;
    emit(999999);
}

static void start_ticks(void (*handler)(int))
{
    struct sigaction action = { .sa_handler = handler };
    struct itimerval timer = { { 0, 200 }, { 0, 200 } };

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void stop_ticks(void)
{
    struct itimerval off = { { 0, 0 }, { 0, 0 } };

    setitimer(ITIMER_REAL, &off, NULL);
}

/* ticks N: a timer's handler interrupts, mostly within writes; no SA_RESTART */
static void interrupted(void)
{
    start_ticks(tick);
    for (uint32_t n = 0; n < number(0) || ticks < 20; n++) {
        if (n < number(0))
            emit_made_up(0, n, 1);
        require(n < number(0) || n < UINT32_MAX - 1, "the timer ticks");
    }
    stop_ticks();
}

/* traced-ticks N: the handler emits, too; some events may be disturbed */
static void interrupted_traced(void)
{
    start_ticks(traced_tick);
    emit_made_up(0, 0, number(0));
    stop_ticks();
}

static void traced_handler(int signal)
{
    (void)signal;
    emit_made_up(2, 0, 20000);
}

/* raise: a traced handler between two events */
static void raising(void)
{
    signal(SIGUSR1, traced_handler);
    emit_made_up(0, 0, 10);
    raise(SIGUSR1);
    emit_made_up(0, 10, 10);
}

/* ---- Trouble ------------------------------------------------------------------------- */

/* errno N: as single, and errno and the signals are left alone */
static void keeps_errno(void)
{
    sigset_t before, after;

    memset(&before, 0, sizeof before);  /* sigprocmask stores the kernel's 64 bits alone */
    memset(&after, 0, sizeof after);
    sigprocmask(SIG_SETMASK, NULL, &before);
    errno = 4711;
    emit_made_up(0, 0, number(0));
    require(errno == 4711, "errno is as before");
    sigprocmask(SIG_SETMASK, NULL, &after);
    require(memcmp(&before, &after, sizeof before) == 0, "the signal mask is as before");
    sigpending(&after);
    require(!sigismember(&after, SIGPIPE) && !sigismember(&after, SIGXFSZ), "no signal is left");
    errno = 0;
}

/* nonblocking N: the output returns instead of waiting */
static void nonblocking(void)
{
    int pipe_end;

    /* The runtime has its own descriptor for the same pipe; the mode is the pipe's. */
    for (pipe_end = 200; pipe_end < 210; pipe_end++)
        if (fcntl(pipe_end, F_SETFL, O_WRONLY | O_NONBLOCK) == 0)
            break;
    require(pipe_end < 210, "the runtime has its descriptor at 200 or above");
    emit_made_up(0, 0, number(0));
}

/* pending N: a SIGPIPE that the program itself had pending stays so */
static void keeps_pending(void)
{
    sigset_t pipe_signal, pending;

    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigprocmask(SIG_BLOCK, &pipe_signal, NULL);
    raise(SIGPIPE);
    emit_made_up(0, 0, number(0));
    sigpending(&pending);
    require(sigismember(&pending, SIGPIPE), "SIGPIPE is still pending");
}

/* close N FILE: closes all descriptors from 3 up, then opens its own in their places */
static void closes(void)
{
    static const char text[] = "the program's own\n";
    struct stat st;

    emit_made_up(0, 0, number(0));
    for (int fd = 3; fd < 1000; fd++)
        close(fd);
    for (int i = 0; i < 300; i++) {
        int fd = open(arguments[1], O_WRONLY | O_CREAT | O_TRUNC, 0666);

        require(fd >= 0, "the program's file opens");
        require(write(fd, text, sizeof text - 1) == sizeof text - 1, "and is written");
    }
    emit_made_up(0, number(0), number(0));
    require(stat(arguments[1], &st) == 0 && st.st_size == sizeof text - 1,
            "nothing else is in the program's file");
}

static pthread_barrier_t no_memory;

static void *thread_without_memory(void *argument)
{
    pthread_setname_np(pthread_self(), "t1");
    pthread_barrier_wait(&no_memory);
    pthread_barrier_wait(&no_memory);
    emit_made_up(1, 0, 16368);          /* goes nowhere */
    pthread_barrier_wait(&no_memory);
    pthread_barrier_wait(&no_memory);
    emit_made_up(1, 16368, 50);
    return argument;
}

/* memory: a thread that finds no memory for its chunk, and later does */
static void memory(void)
{
    struct rlimit old, little;
    pthread_t t;

    getrlimit(RLIMIT_AS, &old);
    little = old;
    little.rlim_cur = 1;
    emit_made_up(0, 0, 10);
    pthread_barrier_init(&no_memory, NULL, 2);
    pthread_create(&t, NULL, thread_without_memory, NULL);
    pthread_barrier_wait(&no_memory);
    setrlimit(RLIMIT_AS, &little);
    pthread_barrier_wait(&no_memory);
    pthread_barrier_wait(&no_memory);
    setrlimit(RLIMIT_AS, &old);
    pthread_barrier_wait(&no_memory);
    pthread_join(t, NULL);
}

/* limit N BYTES: files may not grow beyond BYTES while N events are written */
static void file_limit(void)
{
    struct rlimit old, limit;

    getrlimit(RLIMIT_FSIZE, &old);
    limit = old;
    limit.rlim_cur = number(1);
    setrlimit(RLIMIT_FSIZE, &limit);
    emit_made_up(0, 0, number(0));
    setrlimit(RLIMIT_FSIZE, &old);
}

/* ---- Libraries ------------------------------------------------------------------------- */

/* library PATH N: loads it, runs N of its events, closes it, and again */
static void library(void)
{
    for (int i = 0; i < 2; i++) {
        void *handle = dlopen(arguments[0], RTLD_NOW);
        void (*run)(uint32_t) = handle ? (void (*)(uint32_t))dlsym(handle, "library_run") : NULL;

        require(run != NULL, "the library loads");
        emit_made_up(0, 10 * (uint32_t)i, 5);
        run(number(1));
        emit_made_up(0, 10 * (uint32_t)i + 5, 5);
        dlclose(handle);
    }
}

/* ---- Constructors, destructors, exit ---------------------------------------------------- */

static bool around;

static void at_exit_emits(void)
{
    if (around)
        emit_made_up(0, 2, 1);
}

/* around: events in a constructor, main, atexit, a destructor: 0, 1, 2, 3 */
__attribute__((constructor)) static void constructed(void)
{
    const char *wanted = getenv("SCENARIO_AROUND");

    around = wanted != NULL;
    if (around)
        emit_made_up(0, 0, 1);
}

__attribute__((destructor)) static void destroyed(void)
{
    if (around)
        emit_made_up(0, 3, 1);
}

static void around_main(void)
{
    atexit(at_exit_emits);
    emit_made_up(0, 1, 1);
}

/* ---- Sudden ends ------------------------------------------------------------------------- */

static void leave_by_handler(int signal)
{
    (void)signal;
    emit_made_up(0, number(1), 20000);
    _exit(7);
}

static void kill_self(void) { kill(getpid(), SIGKILL); }
static void leave(void) { _exit(7); }
static void leave_quickly(void) { quick_exit(7); }
static void fault(void) { *(volatile int *)0 = 1; }
static void become_true(void) { execl("/bin/true", "true", (char *)0); }

static volatile int forever = 1;

/* noinline, and something to do afterwards: a tail call would be a loop */
__attribute__((noinline)) static int overflow_stack(volatile int *above)
{
    volatile int here[1000] = { *above };

    return forever ? overflow_stack(here) + here[0] : 0;
}

static void overflow(void)
{
    overflow_stack(&forever);
}

/* An exit in a signal handler, after some events there. */
static void handled(void)
{
    signal(SIGUSR1, leave_by_handler);
    raise(SIGUSR1);
}

/* The same on an alternate stack with hardly more room than the kernel needs. */
static void handled_on_little_stack(void)
{
    size_t size = (size_t)sysconf(_SC_MINSIGSTKSZ) + 1024;
    stack_t stack = { .ss_sp = malloc(size), .ss_size = size };
    struct sigaction action = { .sa_handler = leave_by_handler, .sa_flags = SA_ONSTACK };

    sigaltstack(&stack, NULL);
    sigaction(SIGSEGV, &action, NULL);
    overflow();
}

static const struct end {
    const char *name;
    void (*run)(void);
} ends[] = {
    { "kill", kill_self }, { "abort", abort }, { "segv", fault }, { "overflow", overflow },
    { "_exit", leave }, { "quick_exit", leave_quickly }, { "exec", become_true },
    { "handler", handled }, { "altstack", handled_on_little_stack },
};

/* end HOW N: N events, then the end; a handler has 20,000 more */
static void end_suddenly(void)
{
    struct rlimit no_core = { 0, 0 };

    setrlimit(RLIMIT_CORE, &no_core);
    emit_made_up(0, 0, number(1));
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (strcmp(arguments[0], ends[i].name) == 0)
            ends[i].run();
    require(false, "there is such an end");
}

static uint64_t *counters;              /* in a file: [0] the process, [k] events of thread k */

static void *counting_thread(void *argument)
{
    uint32_t k = (uint32_t)(uintptr_t)argument;
    char name[16];

    snprintf(name, sizeof name, "t%u", k);
    pthread_setname_np(pthread_self(), name);
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (uint32_t n = 0;; n++) {
        emit(made_up(k, n));
        *(volatile uint64_t *)&counters[k] = n + 1;
    }
    return NULL;
}

static void start_counting(pthread_t *threads, uint32_t n)
{
    int fd = open(arguments[0], O_RDWR);

    /* A test that is ended itself leaves nothing behind that fills the disk. */
    alarm(20);
    counters = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    require(counters != MAP_FAILED, "the file can be mapped");
    for (uintptr_t k = 1; k <= n; k++)
        pthread_create(&threads[k - 1], NULL, counting_thread, (void *)k);
    *(volatile uint64_t *)&counters[0] = (uint64_t)getpid();
}

/* counted FILE K: K threads that count each event in FILE, behind it, without end */
static void counted(void)
{
    pthread_t t[64];

    start_counting(t, number(1));
    for (;;)
        pause();
}

/* cancelled FILE K: the same, until all are cancelled, wherever they are */
static void cancelled(void)
{
    pthread_t t[64];
    void *result;

    start_counting(t, number(1));
    usleep(50000);
    for (uint32_t k = 0; k < number(1); k++)
        pthread_cancel(t[k]);
    for (uint32_t k = 0; k < number(1); k++) {
        pthread_join(t[k], &result);
        require(result == PTHREAD_CANCELED, "the thread was cancelled");
    }
}

static void *short_thread(void *argument)
{
    uint32_t k = (uint32_t)(uintptr_t)argument;
    char name[16];

    snprintf(name, sizeof name, "t%u", k);
    pthread_setname_np(pthread_self(), name);
    emit_made_up(k, 0, 10);
    return NULL;
}

/* short N: N threads of 10 events, up to 8 at a time, nobody waits for half of them */
static void short_lived(void)
{
    pthread_t t[8];

    for (uintptr_t k = 1; k <= number(0); k += 8) {
        for (uintptr_t i = 0; i < 8; i++) {
            pthread_create(&t[i], NULL, short_thread, (void *)(k + i));
            if (i % 2)
                pthread_detach(t[i]);
        }
        for (uintptr_t i = 0; i < 8; i += 2)
            pthread_join(t[i], NULL);
    }
    emit_made_up(0, 0, 5);
    usleep(100000);
}

/* ---- Stopped and started ---------------------------------------------------------------- */

static bool by_signal;

static void switch_recording(bool on)
{
    if (by_signal)
        raise(SIGUSR2);
    else if (on)
        wpp_start();
    else
        wpp_stop();
}

/* pause N END [signal]: 100 events; N while recording is stopped; 50 after that.  END:
 *   exit kill     then it ends so
 *   stopped       or before it is started again,
 *   lost          or is killed then
 *   fork          or has a child meanwhile, of which nothing is wanted but its last 30 */
static void paused(void)
{
    const char *end = arguments[1];

    by_signal = arguments[2] != NULL;
    emit_made_up(0, 0, 100);
    switch_recording(false);
    emit_made_up(0, 100, number(0));
    if (strcmp(end, "lost") == 0)
        kill_self();
    if (strcmp(end, "fork") == 0) {
        pid_t child = fork();

        if (child == 0) {
            emit_made_up(7, 0, number(0));
            switch_recording(true);
            emit_made_up(7, number(0), 30);
            exit(0);
        }
        printf("%d\n", (int)child);
        waitpid(child, NULL, 0);
    }
    if (strcmp(end, "stopped") == 0)
        return;
    switch_recording(true);
    emit_made_up(0, 100 + number(0), 50);
    if (strcmp(end, "kill") == 0)
        kill_self();
}

static void *ascending_thread(void *argument)
{
    pthread_setname_np(pthread_self(), "up");
    for (uint32_t n = 0; !forks_done; n = (n + 1) % MADE_UP_PATHS)
        emit(n);
    return argument;
}

/* pauses N: it is stopped and started N times while a thread emits 0, 1, 2, ... */
static void many_pauses(void)
{
    pthread_t t;

    pthread_create(&t, NULL, ascending_thread, NULL);
    for (uint32_t i = 0; i < number(0); i++) {
        usleep(200);
        wpp_stop();
        usleep(200);
        wpp_start();
    }
    forks_done = true;
    pthread_join(t, NULL);
}

static void stopping_handler(int signal)
{
    (void)signal;
    wpp_stop();
    emit_made_up(2, 0, 20);
}

/* pause-handler: a traced handler stops, what it interrupted starts again */
static void pause_in_handler(void)
{
    signal(SIGUSR1, stopping_handler);
    emit_made_up(0, 0, 10);
    raise(SIGUSR1);
    emit_made_up(0, 10, 10);
    wpp_start();
    emit_made_up(0, 20, 10);
}

#ifdef EMIT_EARLY
/* Before the module is announced. */
static void early(int argc, char **argv, char **env)
{
    (void)argc, (void)argv, (void)env;
    emit_made_up(5, 0, 7);
}
__attribute__((section(".preinit_array"), used))
static void (*const before_all)(int, char **, char **) = early;
#endif

static const struct scenario {
    const char *name;
    void (*run)(void);
} scenarios[] = {
    { "single", single }, { "threads", threads }, { "alive", alive },
    { "destructors", destructors }, { "fork", forking }, { "raw-fork", raw_fork },
    { "many-forks", many_forks }, { "exec", replace }, { "ticks", interrupted },
    { "traced-ticks", interrupted_traced }, { "raise", raising }, { "errno", keeps_errno },
    { "pending", keeps_pending }, { "close", closes }, { "memory", memory },
    { "limit", file_limit }, { "library", library }, { "around", around_main },
    { "racing", racing }, { "vfork", borrowing }, { "nonblocking", nonblocking },
    { "end", end_suddenly }, { "counted", counted },
    { "cancelled", cancelled }, { "short", short_lived },
    { "pause", paused }, { "pauses", many_pauses }, { "pause-handler", pause_in_handler },
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof scenarios / sizeof *scenarios; i++) {
        if (strcmp(argv[1], scenarios[i].name) == 0) {
            arguments = argv + 2;
            scenarios[i].run();
            return 7;               /* the program's own status, to be kept */
        }
    }
    fputs("scenarios: no such scenario\n", stderr);
    return 98;
}
