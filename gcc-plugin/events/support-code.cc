// SPDX-License-Identifier: GPL-3.0-or-later
// support-code.cc - assembly that is the same for every unit.
//
// No GCC type is needed here.  The protocol is tracer/trace-abi.h's.

#include "gcc-plugin/events/support-code.h"

#include <string.h>

#include "tracer/follow-jump.h"
#include "tracer/trace-abi.h"

// The module's constructor and destructor: once per module, through COMDAT.  The priorities run
// them before every other constructor and after every other destructor of the module.  The
// linker defines __ehdr_start.
static const char module_records[] = R"(
	.section .init_array.00000,"awG",@init_array,__wpp_module,comdat
	.balign 8
	.quad __wpp_module_begin
	.section .fini_array.00000,"awG",@fini_array,__wpp_module,comdat
	.balign 8
	.quad __wpp_module_end
	.section .text.__wpp_module,"axG",@progbits,__wpp_module,comdat
	.weak __wpp_module_begin, __wpp_module_end
	.hidden __wpp_module_begin, __wpp_module_end
	.type __wpp_module_begin, @function
	.type __wpp_module_end, @function
__wpp_module_begin:
	leaq __wpp_module(%%rip), %%rdi
	jmp *__wpp_module_load@GOTPCREL(%%rip)
	.size __wpp_module_begin, .-__wpp_module_begin
__wpp_module_end:
	leaq __wpp_module(%%rip), %%rdi
	jmp *__wpp_module_unload@GOTPCREL(%%rip)
	.size __wpp_module_end, .-__wpp_module_end
	.section .data.rel.__wpp_module,"awG",@progbits,__wpp_module,comdat
	.weak __wpp_module
	.hidden __wpp_module, __start_wpp_units, __stop_wpp_units, __ehdr_start
	.balign 8
	.type __wpp_module, @object
__wpp_module:
	.quad __start_wpp_units, __stop_wpp_units, __ehdr_start
	.long %u, 0
%s	.section .note.wpp,"aG",@note,__wpp_module,comdat
	.balign 4
	.long 4, 8, 2
	.ascii "wpp\0"
0:	.quad __wpp_module - 0b
)";

// In a module whose code counts; it may have no such call.
static const char no_left_calls[] = "\t.size __wpp_module, .-__wpp_module\n";
static const char left_calls[] = R"(	.weak __start_wpp_left, __stop_wpp_left
	.hidden __start_wpp_left, __stop_wpp_left
	.weak __wpp_own_personality_at
	.hidden __wpp_own_personality_at
	.quad __start_wpp_left, __stop_wpp_left, __wpp_own_personality_at
	.size __wpp_module, .-__wpp_module
	.weak __wpp_personality_at, __wpp_personality_cxx_at
	.hidden __wpp_personality_at, __wpp_personality_cxx_at
	.type __wpp_personality_at, @object
	.type __wpp_personality_cxx_at, @object
	.size __wpp_personality_at, 8
	.size __wpp_personality_cxx_at, 8
__wpp_personality_at:
	.quad __wpp_personality
__wpp_personality_cxx_at:
	.quad __wpp_personality_cxx
)";

// The event of code that seldom runs: the token without the base in %eax.
static const char event[] = R"(
	.text
	.p2align 4
	.type __wpp_event, @function
__wpp_event:
	.cfi_startproc
	addl __wpp_unit(%rip), %eax
	.cfi_endproc
	.size __wpp_event, .-__wpp_event
)";

// The same when paths are timed.  The path gets the ticks of the time-stamp counter since the
// end of this thread's last event; before the first event, that time is 0.
static const char timed_event[] = R"(
	.text
	.p2align 4
	.type __wpp_event, @function
__wpp_event:
	.cfi_startproc
	pushq %%rdx
	.cfi_adjust_cfa_offset 8
	movl %%eax, %%r11d
	rdtsc
	shlq $32, %%rdx
	orq %%rax, %%rdx
%s	testq %%rax, %%rax
	jz 1f
	subq %%rax, %%rdx
	jbe 1f
	leaq __wpp_times(%%rip), %%rax
	lock addq %%rdx, (%%rax,%%r11,8)
1:	movl %%r11d, %%eax
	addl __wpp_unit(%%rip), %%eax
	call __wpp_word
	rdtsc
	shlq $32, %%rdx
	orq %%rax, %%rdx
%s	popq %%rdx
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size __wpp_event, .-__wpp_event
)";

// Loads the thread's __wpp_time to %rax, and stores %rdx in it; %rax is free.
static const char time_load[] = "\tmovq %fs:__wpp_time@tpoff, %rax\n";
static const char time_store[] = "\tmovq %rdx, %fs:__wpp_time@tpoff\n";
static const char time_load_shared[] = R"(	movq __wpp_time@gottpoff(%rip), %rax
	movq %fs:(%rax), %rax
)";
static const char time_store_shared[] = R"(	movq __wpp_time@gottpoff(%rip), %rax
	movq %rdx, %fs:(%rax)
)";

// An entry behind the event's: it takes any word in %eax.
static const char word_head[] = R"(	.type __wpp_word, @function
__wpp_word:
	.cfi_startproc
)";
static const char word_executable[] = R"(	movq %fs:__wpp_cursor@tpoff, %r11
	cmpl $0, (%r11)
	jne 2f
1:	movl %eax, (%r11)
	addq $4, %r11
	movq %r11, %fs:__wpp_cursor@tpoff
)";
static const char word_shared[] = R"(	movq __wpp_cursor@gottpoff(%rip), %r11
	movq %fs:(%r11), %r11
	cmpl $0, (%r11)
	jne 2f
1:	movl %eax, (%r11)
	movq __wpp_cursor@gottpoff(%rip), %rax
	addq $4, %r11
	movq %r11, %fs:(%rax)
)";
static const char word_tail[] = R"(	ret
2:	call __wpp_refill_r11
	jmp 1b
	.cfi_endproc
	.size __wpp_word, .-__wpp_word
)";

#define TEXT(...) TEXT_OF(__VA_ARGS__)
#define TEXT_OF(...) #__VA_ARGS__

static void begin_entry(FILE *assembly, const char *name, const char *reg)
{
    fprintf(assembly,
            "\t.weak __wpp_%s_%s\n\t.hidden __wpp_%s_%s\n"
            "\t.type __wpp_%s_%s, @function\n__wpp_%s_%s:\n",
            name, reg, name, reg, name, reg, name, reg);
}

static void end_entry(FILE *assembly, const char *name, const char *reg)
{
    fprintf(assembly, "\t.size __wpp_%s_%s, .-__wpp_%s_%s\n", name, reg, name, reg);
}

// An entry that makes the register a cursor with a free slot, whatever the register held.
static void write_cursor_entry(FILE *assembly, const char *reg, bool shared)
{
    begin_entry(assembly, "cursor", reg);
    if (shared)
        fprintf(assembly, "\tmovq __wpp_cursor@gottpoff(%%rip), %%%s\n\tmovq %%fs:(%%%s), %%%s\n",
                reg, reg, reg);
    else
        fprintf(assembly, "\tmovq %%fs:__wpp_cursor@tpoff, %%%s\n", reg);
    fprintf(assembly, "\tcmpl $0, (%%%s)\n\tjne __wpp_refill_%s\n\tret\n", reg, reg);
    end_entry(assembly, "cursor", reg);
}

// An entry that calls __wpp_refill with the cursor in this register; __wpp_refill itself takes
// and returns it in %rax.
static void write_refill_entry(FILE *assembly, const char *reg)
{
    begin_entry(assembly, "refill", reg);
    if (!strcmp(reg, "rax"))
        fputs("\tjmp *__wpp_refill@GOTPCREL(%rip)\n", assembly);
    else
        fprintf(assembly,
                "\txchgq %%rax, %%%s\n\tcall *__wpp_refill@GOTPCREL(%%rip)\n"
                "\txchgq %%rax, %%%s\n\tret\n", reg, reg);
    end_entry(assembly, "refill", reg);
}

// All entries share one frame description.  None changes the stack, and an unwinder goes on at
// the target of the caller's jump.
static void write_entries(FILE *assembly, bool shared)
{
    static const char *const registers[] = {
        "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "r8", "r9", "r10", "r11", "r12", "r13",
        "r14", "r15"
    };

    fputs("\t.section .text.__wpp_entries,\"axG\",@progbits,__wpp_entries,comdat\n"
          "\t.cfi_startproc\n\t.cfi_escape " TEXT(WPP_FOLLOW_JUMP(7, 0)) "\n", assembly);
    for (const char *reg : registers) {
        write_refill_entry(assembly, reg);
        write_cursor_entry(assembly, reg, shared);
    }
    fputs("\t.cfi_endproc\n", assembly);
}

void write_support_code(FILE *assembly, bool shared, bool timed)
{
    if (timed)
        fprintf(assembly, timed_event, shared ? time_load_shared : time_load,
                shared ? time_store_shared : time_store);
    else
        fputs(event, assembly);
    fputs(word_head, assembly);
    fputs(shared ? word_shared : word_executable, assembly);
    fputs(word_tail, assembly);
    write_entries(assembly, shared);
    write_module_records(assembly, false);
    fputs("\t.text\n", assembly);
}

void write_module_records(FILE *assembly, bool counts)
{
    fprintf(assembly, module_records, WPP_ABI, counts ? left_calls : no_left_calls);
}
