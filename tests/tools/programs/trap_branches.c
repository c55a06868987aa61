// SPDX-License-Identifier: GPL-2.0-only
/*
 * Branches that go wrong or are interrupted: single steps through every kind of branch, breakpoints, faults
 * of the branch itself and of the first fetch at its target, far returns. Each case checks that what it does
 * happened.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "program.h"

#define TRAP_FLAG 0x100

static volatile int traps;
static sigjmp_buf before_fault;

static void on_trap(int sig, siginfo_t *info, void *context)
{
	traps++;
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	traps++;
	siglongjmp(before_fault, 1);
}

/* On a stack of its own: some cases fault because they have no stack. */
static void handle(int sig, void (*handler)(int, siginfo_t *, void *))
{
	static char stack[65536];
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};

	REQUIRE(!sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof(stack)}, NULL));
	REQUIRE(!sigaction(sig, &action, NULL));
}

/* A trap behind each instruction, the system call and each round of REP MOVSB among them. */
static int run_step(int argc, char **argv)
{
	char from[4] = "abc", to[4] = "";
	char *source = from, *destination = to;

	handle(SIGTRAP, on_trap);
	traps = 0;
	__asm__ volatile("pushfq; orq %[tf], (%%rsp); popfq\n"
			 "mov $39, %%eax; syscall\n"
			 "mov $3, %%ebx\n"
			 "1: dec %%ebx; jnz 1b\n"
			 "call 2f; jmp 3f\n"
			 "2: ret\n"
			 "3: lea 4f(%%rip), %%rbx; jmp *%%rbx\n"
			 "4: mov $4, %%ecx; rep movsb\n"
			 "pushfq; andq %[no_tf], (%%rsp); popfq"
			 : "+S"(source), "+D"(destination)
			 : [tf] "i"(TRAP_FLAG), [no_tf] "i"(~TRAP_FLAG)
			 : "rax", "rbx", "rcx", "r11", "memory", "cc");
	REQUIRE(!strcmp(to, from));
	REQUIRE(traps >= 20);
	return 0;
}

static int run_breakpoints(int argc, char **argv)
{
	handle(SIGTRAP, on_trap);
	traps = 0;
	for (int i = 0; i < 3; i++)
		__asm__ volatile("int3; .byte 0xcd, 0x03");
	REQUIRE(traps == 6);
	return 0;
}

static void ud2(void)
{
	__asm__ volatile("ud2");
}

static void divide(void)
{
	__asm__ volatile("xor %%ecx, %%ecx; div %%ecx" ::: "rax", "rcx", "rdx", "cc");
}

static void privileged(void)
{
	__asm__ volatile("hlt");
}

static void no_gate(void)
{
	__asm__ volatile("int $0x81");
}

static void return_nowhere(void)
{
	__asm__ volatile("push $0x20; ret");
}

static void jump_nowhere(void)
{
	__asm__ volatile("mov $0x20, %%eax; jmp *%%rax" ::: "rax");
}

static void jump_not_canonical(void)
{
	__asm__ volatile("movabs $0x8000000000000000, %%rax; jmp *%%rax" ::: "rax");
}

static void call_not_canonical(void)
{
	__asm__ volatile("movabs $0x8000000000000000, %%rax; call *%%rax" ::: "rax", "memory");
}

static void jump_through_nothing(void)
{
	__asm__ volatile("mov $8, %%eax; jmp *(%%rax)" ::: "rax");
}

static void call_through_nothing(void)
{
	__asm__ volatile("mov $8, %%eax; call *(%%rax)" ::: "rax", "memory");
}

static void call_without_stack(void)
{
	__asm__ volatile("mov $8, %%esp; call 1f; 1: nop" ::: "memory");
}

static void return_without_stack(void)
{
	__asm__ volatile("mov $8, %%esp; ret" ::: "memory");
}

static void far_return_to_null(void)
{
	__asm__ volatile("push $0; push $0; lretq" ::: "memory");
}

static void call_data(void)
{
	static unsigned char code[] = {0xc3};

	((void (*)(void))(void *)code)();
}

static int run_faults(int argc, char **argv)
{
	static void (*const cases[])(void) = {
		ud2,
		divide,
		privileged,
		no_gate,
		return_nowhere,
		jump_nowhere,
		jump_not_canonical,
		call_not_canonical,
		jump_through_nothing,
		call_through_nothing,
		call_without_stack,
		return_without_stack,
		far_return_to_null,
		call_data,
	};
	const int count = sizeof(cases) / sizeof(cases[0]);

	handle(SIGSEGV, on_fault);
	handle(SIGILL, on_fault);
	handle(SIGFPE, on_fault);
	handle(SIGBUS, on_fault);
	traps = 0;
	for (volatile int i = 0; i < count; i++)
		if (!sigsetjmp(before_fault, 1))
			cases[i]();
	REQUIRE(traps == count);
	return 0;
}

static int run_far(int argc, char **argv)
{
	long done = 0;

	__asm__ volatile("mov %%cs, %%eax; push %%rax; lea 1f(%%rip), %%rax; push %%rax; lretq\n"
			 "1: incq %[done]\n"
			 "mov %%rsp, %%rbx\n"
			 "mov %%ss, %%eax; push %%rax; push %%rbx; pushfq; mov %%cs, %%eax; push %%rax\n"
			 "lea 2f(%%rip), %%rax; push %%rax; iretq\n"
			 "2: incq %[done]"
			 : [done] "+r"(done)
			 :
			 : "rax", "rbx", "memory", "cc");
	REQUIRE(done == 2);
	return 0;
}

static int run_all(int argc, char **argv);

static const struct program_case cases[] = {
	{"step", run_step},	{"breakpoints", run_breakpoints},
	{"faults", run_faults}, {"far", run_far},
	{"all", run_all},	{0},
};

static int run_all(int argc, char **argv)
{
	for (const struct program_case *c = cases; c->run != run_all; c++)
		REQUIRE(!c->run(argc, argv));
	return 0;
}

int main(int argc, char **argv)
{
	return program__main(cases, argc, argv);
}
