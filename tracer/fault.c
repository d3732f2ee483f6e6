/* SPDX-License-Identifier: MIT */
/* fault.c - notes where a thread was when a signal kills the process.
 *
 * A path's event comes at its end.  So a process that dies within a path leaves no event of it, and
 * only the thread's program counter tells which path it was.  The kernel shows it to a debugger, and
 * to a signal handler: this one, installed where the program has none.
 *
 *      kernel --> on_fault() --> struct wpp_fault, in the page before the thread's chunk
 *                    |
 *                    `--> the program's end, as without a handler
 *
 * The page is part of the trace's file or of the recorder's memory, so it outlives the process.
 *
 * THE END IS THE SAME.  SA_RESETHAND makes the signal fatal again before the handler runs.  After a
 * fault of the processor the handler returns, and the same instruction faults again, with the
 * same registers: so a core file shows the program.  Other signals are sent once more, with the same
 * siginfo; they come when the handler returns.
 *
 * The handler never runs while the runtime is at work (all signals are blocked then; a fault in
 * there kills at once).
 */
#include "tracer/runtime.h"

#include <elf.h>
#include <ucontext.h>

#include "tracer/sys.h"

static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP };
_Static_assert(sizeof(struct wpp_buffer) == 568, "as in the document");
enum { N_FATAL = sizeof fatal / sizeof *fatal };

/* Endless recursion leaves no room for a handler.  For the first thread only. */
enum { STACK_BYTES = 1 << 16 };
static char stack[STACK_BYTES] __attribute__((aligned(64)));

/* ---- Calls on the stack --------------------------------------------------------------- */

/* The thread may be in code that is not traced.  The words of the stack that point behind a call
 * instruction of a traced module tell which call led there. */
struct search {
    uint64_t word;
    bool found;
};

/* Whether an address can be that behind a call: e8, or ff /2 with its operand. */
static bool is_behind_call(const unsigned char *at)
{
    enum { SHORTEST = 2, LONGEST = 7 };

    if (at[-5] == 0xe8)
        return true;
    for (int n = SHORTEST; n <= LONGEST; n++)
        if (at[-n] == 0xff && (at[1 - n] >> 3 & 7) == 2)
            return true;
    return false;
}

/* Looks the word up in the module's code. */
static void look_in(const struct wpp_module *module, void *ctx)
{
    enum { CALL_BYTES = 7 };
    struct search *s = ctx;
    const Elf64_Ehdr *ehdr = module->ehdr;
    const Elf64_Phdr *phdr = (const Elf64_Phdr *)((const char *)ehdr + ehdr->e_phoff);
    uint64_t bias = (uint64_t)ehdr;

    for (int i = 0; i < ehdr->e_phnum; i++)
        if (phdr[i].p_type == PT_LOAD && phdr[i].p_offset == 0)
            bias = (uint64_t)ehdr - phdr[i].p_vaddr;
    for (int i = 0; i < ehdr->e_phnum && !s->found; i++)
        if (phdr[i].p_type == PT_LOAD && phdr[i].p_flags & PF_X
            && s->word - (bias + phdr[i].p_vaddr) < phdr[i].p_memsz
            && s->word - (bias + phdr[i].p_vaddr) >= CALL_BYTES)
            s->found = is_behind_call((const unsigned char *)s->word);
}

/* The next word of the stack that can be read, from `sp` on; 0: there is none nearby.  After an
 * overflow the stack pointer is below the stack. */
static uint64_t next_word(uint64_t sp, bool begins)
{
    enum { PAGES = 16 };

    if (!begins && sp % WPP_PAGE_BYTES != 0)
        return sp;
    for (int i = 0; i < PAGES; i++) {
        if (sys_can_read((const void *)sp))
            return sp;
        if (!begins)
            return 0;
        sp = (sp / WPP_PAGE_BYTES + 1) * WPP_PAGE_BYTES;
    }
    return 0;
}

static void find_calls(volatile struct wpp_fault *fault, uint64_t sp)
{
    enum { WORDS = 1024 };
    struct search s;
    uint32_t n = 0;

    sp = next_word(sp & ~UINT64_C(7), true);
    for (int i = 0; i < WORDS && sp && n < WPP_FAULT_CALLS; i++) {
        s = (struct search){ *(const uint64_t *)sp, false };
        __wpp_modules_look(look_in, &s);
        if (s.found)
            fault->calls[n++] = s.word;
        sp = next_word(sp + 8, false);
    }
    fault->n_calls = n;
}

/* ---- The handler ------------------------------------------------------------------------ */

static void note(int signal, const siginfo_t *info, const ucontext_t *context)
{
    struct wpp_thread *t;
    volatile struct wpp_fault *fault;

    if (__wpp_process.state != WPP_RECORDING && __wpp_process.state != WPP_FORKED)
        return;
    t = __wpp_thread_at_fault();
    if (!t || __wpp_process.state != WPP_RECORDING)
        return;
    /* A traced handler of the program's that has called this one gives its own buffer back. */
    while (t->interrupted)
        t = t->interrupted;
    fault = &__wpp_buffer_of(t)->fault;
    fault->signal = 0;
    fault->code = info->si_code;
    fault->pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
    fault->address = info->si_code > 0 ? (uint64_t)info->si_addr : 0;
    find_calls(fault, (uint64_t)context->uc_mcontext.gregs[REG_RSP]);
    fault->signal = (uint32_t)signal;
}

/* Whether the instruction faults again when it is executed again. */
static bool comes_again(int signal, const siginfo_t *info)
{
    return info->si_code > 0 && signal != SIGTRAP && signal != SIGABRT
           && !(signal == SIGBUS && info->si_code == BUS_MCEERR_AO);
}

/* abort() and raise() use tgkill themselves, so a sandbox lets it pass. */
static void send_again(int signal, siginfo_t *info)
{
    if (info->si_code == SI_TKILL)
        sys3(SYS_tgkill, sys_getpid(), sys_gettid(), signal);
    else
        sys4(SYS_rt_tgsigqueueinfo, sys_getpid(), sys_gettid(), signal, (long)info);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    const struct sys_action standard = { SIG_DFL, 0, NULL, 0 };
    uint64_t mask = __wpp_enter();

    note(signal, info, context);
    __wpp_leave(mask);
    /* A handler of the program's may have called this one. */
    if (__builtin_return_address(0) != (void *)__wpp_signal_return)
        sys_sigaction(signal, &standard, NULL);
    if (!comes_again(signal, info))
        send_again(signal, info);
}

/* ---- Installing ------------------------------------------------------------------------ */

void __wpp_faults_begin(void)
{
    const struct sys_action ours = { (void (*)(int))(void *)on_fault,
                                     SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SYS_RESTORER,
                                     __wpp_signal_return, UINT64_MAX };
    stack_t given = { .ss_sp = stack, .ss_size = STACK_BYTES }, now = { .ss_flags = 0 };
    struct sys_action old;

    if (__wpp_settings.no_faults)
        return;
    for (int i = 0; i < N_FATAL; i++)
        if (sys_sigaction(fatal[i], NULL, &old) == 0 && old.handler == SIG_DFL)
            sys_sigaction(fatal[i], &ours, NULL);
    if (sys3(SYS_sigaltstack, 0, (long)&now, 0) == 0 && now.ss_flags & SS_DISABLE)
        sys3(SYS_sigaltstack, (long)&given, 0, 0);
}
