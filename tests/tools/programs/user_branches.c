// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every kind of branch that user code makes, for traces of user mode. Each case computes something whose
 * result it checks, so that a wrong path shows in the exit status too.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "program.h"

#define noinline __attribute__((noinline))

static volatile long sink;

static noinline long leaf(long x)
{
	return x * 3 + 1;
}

static noinline long middle(long x)
{
	return leaf(x) + leaf(x + 1);
}

static noinline long fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static int run_calls(int argc, char **argv)
{
	long n = program__arg(argc, argv, 1, 200), sum = 0;

	for (long i = 0; i < n; i++)
		sum += middle(i);
	REQUIRE(sum == 3 * n * (n - 1) + 5 * n);
	REQUIRE(fibonacci(12) == 144);
	return EXIT_SUCCESS;
}

/* Deeper than the 64 return addresses that the trace's RET compression knows. */
static noinline long descend(int depth)
{
	long below = depth ? descend(depth - 1) : 0;

	sink = below;
	return below + 1;
}

static int run_deep(int argc, char **argv)
{
	REQUIRE(descend(300) == 301);
	return EXIT_SUCCESS;
}

static long op_add(long x)
{
	return x + 5;
}

static long op_double(long x)
{
	return 2 * x;
}

static long op_minus(long x)
{
	return x - 7;
}

/* A switch of this many cases becomes a table of addresses and an indirect jump. */
static noinline long by_switch(int which, long x)
{
	switch (which) {
	case 0:
		return x + 1;
	case 1:
		return x * 5;
	case 2:
		return x ^ 21;
	case 3:
		return x - 9;
	case 4:
		return leaf(x);
	case 5:
		return -x;
	default:
		return 0;
	}
}

static int run_indirect(int argc, char **argv)
{
	static long (*volatile const ops[])(long) = {op_add, op_double, op_minus};
	static volatile const int order[] = {0, 3, 1, 4, 2, 5, 6};
	long x = 1;

	for (int i = 0; i < 300; i++)
		x = ops[i % 3](x) & 0xffff;
	REQUIRE(x == 65533);
	for (int i = 0; i < 70; i++)
		sink = by_switch(order[i % 7], i);
	return EXIT_SUCCESS;
}

/* Taken and not taken in no pattern, many per TNT packet. */
static int run_loops(int argc, char **argv)
{
	long n = program__arg(argc, argv, 1, 3000);
	uint32_t lfsr = 0xace1;
	long ones = 0;

	for (long i = 0; i < n; i++) {
		lfsr = (lfsr >> 1) ^ (-(lfsr & 1) & 0xb400);
		if (lfsr & 2)
			ones++;
		if (lfsr & 4 && lfsr & 8)
			sink = ones;
	}
	REQUIRE(ones > n / 3 && ones < 2 * n / 3);
	return EXIT_SUCCESS;
}

/* Direct jumps alone take no packet at all; LOOP, JRCXZ, CBZ and TBZ are conditional branches too. */
static int run_jumps(int argc, char **argv)
{
	long n = 50, zero = 0;

#if defined(__aarch64__)
	__asm__ volatile("1: b 2f\n"
			 "3: b 4f\n"
			 "2: b 3b\n"
			 "4: sub %0, %0, #1\n"
			 "cbnz %0, 1b\n"
			 "tbz %1, #3, 5f\n"
			 "mov %1, #1\n"
			 "5:\n"
			 : "+r"(n), "+r"(zero));
#else
	__asm__ volatile("1: jmp 2f\n"
			 "3: jmp 4f\n"
			 "2: jmp 3b\n"
			 "4: loop 1b\n"
			 "jrcxz 5f\n"
			 "mov $1, %1\n"
			 "5:\n"
			 : "+c"(n), "+r"(zero));
#endif
	REQUIRE(n == 0 && zero == 0);
	return EXIT_SUCCESS;
}

#if defined(__x86_64__)
/* String instructions repeat without a branch. */
static int run_strings(int argc, char **argv)
{
	static char from[5000], to[5000];
	char *src = from, *dst = to;
	size_t n = sizeof(from);

	memset(from, 'x', sizeof(from));
	__asm__ volatile("rep movsb" : "+S"(src), "+D"(dst), "+c"(n) : : "memory");
	REQUIRE(!memcmp(from, to, sizeof(to)));
	n = sizeof(from);
	dst = to;
	__asm__ volatile("repe scasb" : "+D"(dst), "+c"(n) : "a"('x') : "cc");
	REQUIRE(n == 0);
	return EXIT_SUCCESS;
}
#endif

static volatile sig_atomic_t nr_signals;

static void on_signal(int sig)
{
	if (sig == SIGUSR1 && nr_signals % 3 == 0)
		kill(getpid(), SIGUSR2);
	nr_signals++;
}

static int run_signals(int argc, char **argv)
{
	struct sigaction sa = {.sa_handler = on_signal};

	REQUIRE(!sigaction(SIGUSR1, &sa, NULL) && !sigaction(SIGUSR2, &sa, NULL));
	for (int i = 0; i < 10; i++)
		REQUIRE(!kill(getpid(), SIGUSR1));
	REQUIRE(nr_signals >= 10);
	return EXIT_SUCCESS;
}

/* Signals that come from outside, between any two instructions. */
static int run_alarms(int argc, char **argv)
{
	struct itimerval every = {{0, 2000}, {0, 2000}}, off = {0};
	struct sigaction sa = {.sa_handler = on_signal};
	int alarms = (int)program__arg(argc, argv, 1, 3);

	REQUIRE(!sigaction(SIGALRM, &sa, NULL));
	REQUIRE(!setitimer(ITIMER_REAL, &every, NULL));
	while (nr_signals < alarms)
		sink = leaf(sink);
	REQUIRE(!setitimer(ITIMER_REAL, &off, NULL));
	return EXIT_SUCCESS;
}

static sigjmp_buf fault_env;
static char *fault_page;

static void on_fault(int sig, siginfo_t *info, void *uc)
{
	if ((char *)info->si_addr == fault_page)
		mprotect(fault_page, 4096, PROT_READ | PROT_WRITE); /* and repeat the instruction */
	else
		siglongjmp(fault_env, 1);
}

/* Faults that the kernel mends, that a handler mends, and that a handler leaves by longjmp. */
static int run_faults(int argc, char **argv)
{
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
	size_t len = 64 * 4096;
	char *mem = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile int jumped = 0;

	REQUIRE(mem != MAP_FAILED);
	for (size_t i = 0; i < len; i += 4096)
		mem[i] = 1;
	REQUIRE(!sigaction(SIGSEGV, &sa, NULL));
	fault_page = mem + 4096;
	REQUIRE(!mprotect(fault_page, 4096, PROT_NONE));
	*(volatile char *)fault_page = 5;
	REQUIRE(!munmap(mem, 4096));
	for (int i = 0; i < 5; i++) {
		if (sigsetjmp(fault_env, 1))
			jumped++;
		else
			*(volatile char *)mem = 1;
	}
	REQUIRE(jumped == 5);
	return EXIT_SUCCESS;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void *thread_body(void *arg)
{
	for (long i = 0; i < 100; i++) {
		pthread_mutex_lock(&lock);
		total += middle(i) & 1;
		total++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static int run_threads(int argc, char **argv)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		REQUIRE(!pthread_create(&threads[i], NULL, thread_body, NULL));
	for (int i = 0; i < 4; i++)
		REQUIRE(!pthread_join(threads[i], NULL));
	REQUIRE(total == 4 * 200);
	return EXIT_SUCCESS;
}

static int run_all(int argc, char **argv);

static const struct program_case cases[] = {
	{"calls", run_calls},	  {"deep", run_deep},	  {"indirect", run_indirect},
	{"loops", run_loops},	  {"jumps", run_jumps},
#if defined(__x86_64__)
	{"strings", run_strings},
#endif
	{"signals", run_signals}, {"faults", run_faults}, {"threads", run_threads},
	{"alarms", run_alarms},	  {"all", run_all},	  {0},
};

static int run_all(int argc, char **argv)
{
	int status = EXIT_SUCCESS;

	for (const struct program_case *c = cases; c->run != run_all; c++)
		status |= c->run(1, argv);
	return status;
}

int main(int argc, char **argv)
{
	return program__main(cases, argc, argv);
}
