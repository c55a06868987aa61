// SPDX-License-Identifier: GPL-2.0-only
/*
 * Causes what rules of --snapshot-on are about, each at a known place: right before it the task that causes
 * it makes a note. With --jitter every other occurrence is one that the rule must not fire for: clearly below
 * the threshold, or another number, name or signal; its note is the next number.
 *
 *   openat    fails with ENOENT; else it finds something
 *   ppoll     a call that takes clearly longer than the threshold
 *   write     of --size bytes; else of a quarter
 *   offcpu    sleeps for longer than the threshold; the gap before it is spent at work, it would be one too
 *   runq      ready to run for longer than the threshold, while a task of higher priority has the CPU
 *   signal    SIGUSR1 to itself, which is handled; else SIGUSR2
 *   segv      a child writes to NULL; else it exits
 *   exit      a child exits with --code; else with 0; --threads of it, which are at work, end with it
 *   exec      a child executes --program
 *   fork      makes a child
 *   oom       a child takes more memory than its cgroup may have, and is killed (cgroup v2)
 *   function  handle() takes clearly longer than the threshold
 *   softirq   the soft interrupt NET_RX takes clearly longer than the threshold, 5 ms at most
 *
 * For each occurrence there is a line
 *   NAME NUMBER above|below pid TID cpu CPU before NS after NS
 * with the task that caused it, the CPU it was on before, and CLOCK_MONOTONIC around it. The threshold is in
 * microseconds. --cpu keeps all on one CPU, as runq always does; --cpus has each on the CPU behind that of
 * the one before, of so many. With --from it has run on another CPU at first, and with --switches it has left
 * its CPU so often before the gap, which then comes before the first too.
 */
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "slow_filter.h"
#include "task.h"

#define MSEC 1000000LL

struct options {
	const char *name;
	const char *program; /* of exec */
	long count, gap_ms, code, cpu, cpus, from, switches, size, threads;
	long long threshold; /* ns */
	uint32_t note;
	bool jitter;
};

static struct options opts = {
	.program = "/bin/true",
	.count = 1,
	.gap_ms = 10,
	.code = 3,
	.cpu = -1,
	.from = -1,
	.size = 1 << 20,
	.threshold = 20 * MSEC,
	.note = NOTE_TRIGGER,
};

/* libc's own may be in the vdso. */
static long long now(void)
{
	struct timespec ts;

	REQUIRE(!syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &ts));
	return ts.tv_sec * 1000 * MSEC + ts.tv_nsec;
}

/* Keeps the CPU busy with few branches. */
static void spin(long long ns)
{
	for (long long end = now() + ns; now() < end;)
		for (int i = 0; i < 10; i++)
			__asm__ volatile(".rept 2000\n\tnop\n\t.endr");
}

static void note(bool above)
{
	mark__note(above ? opts.note : opts.note + 1);
}

/* Far enough from the threshold that other load on the machine does not make one of the other. */
static long long duration(bool above)
{
	return above ? 2 * opts.threshold : opts.threshold / 4;
}

static struct timespec timespec_of(long long ns)
{
	return (struct timespec){.tv_sec = ns / (1000 * MSEC), .tv_nsec = ns % (1000 * MSEC)};
}

static pid_t cause_openat(bool above)
{
	int fd;

	note(above);
	fd = (int)syscall(SYS_openat, AT_FDCWD, above ? "/nonexistent/file" : "/", O_RDONLY | O_CLOEXEC, 0);
	REQUIRE(above ? fd < 0 && errno == ENOENT : fd >= 0);
	if (fd >= 0)
		close(fd);
	return 0;
}

static pid_t cause_ppoll(bool above)
{
	struct timespec ts = timespec_of(duration(above));

	note(above);
	REQUIRE(!syscall(SYS_ppoll, NULL, 0, &ts, NULL, 0));
	return 0;
}

static char *data;
static int sink;

static void prepare_write(void)
{
	data = calloc(1, (size_t)opts.size);
	sink = open("/dev/null", O_WRONLY | O_CLOEXEC);
	REQUIRE(data && sink >= 0);
}

static pid_t cause_write(bool above)
{
	long len = above ? opts.size : opts.size / 4;

	note(above);
	REQUIRE(syscall(SYS_write, sink, data, len) == len);
	return 0;
}

static pid_t cause_offcpu(bool above)
{
	struct timespec ts = timespec_of(duration(above));

	note(above);
	REQUIRE(!syscall(SYS_nanosleep, &ts, NULL));
	return 0;
}

static int holder;
static long *held; /* how often the CPU was, shared */

/* A task that keeps its CPU for as long as each number that it reads says. */
static void hold_cpu(int fd)
{
	long long ns;

	mark__quiet();
	while (read(fd, &ns, sizeof(ns)) == sizeof(ns)) {
		spin(ns);
		__atomic_add_fetch(held, 1, __ATOMIC_RELEASE);
	}
	_exit(EXIT_SUCCESS);
}

/*
 * The task ends when its pipe does: with this program. It has this one's CPU, so with its priority it gets to
 * its read before this one goes on.
 */
static void prepare_runq(void)
{
	const struct sched_param param = {.sched_priority = 1};
	int fds[2];
	pid_t pid;

	task__pin(0, task__cpu());
	REQUIRE(!pipe2(fds, O_CLOEXEC));
	held = mmap(NULL, sizeof(*held), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	REQUIRE(held != MAP_FAILED);
	pid = fork();
	REQUIRE(pid >= 0);
	if (!pid) {
		close(fds[1]);
		hold_cpu(fds[0]);
	}
	close(fds[0]);
	REQUIRE(!sched_setscheduler(pid, SCHED_FIFO, &param));
	holder = fds[1];
}

/*
 * Now and then the kernel gives tasks without priority the CPU for some time, all the same (its "fair server",
 * kernel/sched/deadline.c): then this one goes on at once, and must not write any more before the other was there.
 */
static pid_t cause_runq(bool above)
{
	long long ns = duration(above);
	static long asked;

	note(above);
	asked++;
	REQUIRE(syscall(SYS_write, holder, &ns, sizeof(ns)) == sizeof(ns));
	while (__atomic_load_n(held, __ATOMIC_ACQUIRE) < asked)
		spin(1000);
	return 0;
}

static volatile sig_atomic_t nr_signals;

static void on_signal(int sig)
{
	nr_signals++;
}

static pid_t cause_signal(bool above)
{
	const struct sigaction sa = {.sa_handler = on_signal};
	int sig = above ? SIGUSR1 : SIGUSR2, before = nr_signals;
	pid_t pid = getpid();

	REQUIRE(!sigaction(sig, &sa, NULL));
	note(above);
	REQUIRE(!syscall(SYS_tgkill, pid, pid, sig));
	REQUIRE(nr_signals == before + 1);
	return 0;
}

/* Makes a child that does this and waits for its end, which must be as @wanted says of its wait status. */
static pid_t in_child(void (*act)(bool above), bool above, int wanted)
{
	pid_t pid = fork();
	int status;

	REQUIRE(pid >= 0);
	if (!pid) {
		act(above);
		_exit(EXIT_SUCCESS);
	}
	REQUIRE(waitpid(pid, &status, 0) == pid);
	REQUIRE((status & ~0x80) == wanted); /* 0x80: a core was dumped */
	return pid;
}

static void fault(bool above)
{
	volatile int *volatile null = NULL;

	note(above);
	if (above)
		*null = 1;
}

static pid_t cause_segv(bool above)
{
	const struct rlimit no_core = {0, 0};

	REQUIRE(!setrlimit(RLIMIT_CORE, &no_core));
	return in_child(fault, above, above ? SIGSEGV : 0);
}

static void *work(void *arg)
{
	for (;;)
		spin(MSEC);
	return arg;
}

static void exit_with_code(bool above)
{
	pthread_t thread;

	for (long i = 0; i < opts.threads; i++)
		REQUIRE(!pthread_create(&thread, NULL, work, NULL));
	note(above);
	syscall(SYS_exit_group, above ? opts.code : 0);
}

static pid_t cause_exit(bool above)
{
	return in_child(exit_with_code, above, above ? (int)opts.code << 8 : 0);
}

static void execute(bool above)
{
	char *const env[] = {NULL};
	char *program = strdup(opts.program);
	char *const args[] = {program, NULL};

	note(above);
	syscall(SYS_execve, program, args, env);
	_exit(127);
}

static pid_t cause_exec(bool above)
{
	return in_child(execute, above, 0);
}

static void do_nothing(bool above)
{
}

static pid_t cause_fork(bool above)
{
	note(above);
	in_child(do_nothing, above, 0);
	return 0;
}

void handle(long long ns);

/* The call is not its last act, or it would be a jump. */
__attribute__((noinline)) void handle(long long ns)
{
	spin(ns);
	__asm__ volatile("" ::: "memory");
}

#define OOM_CGROUP "/sys/fs/cgroup/trigger_oom"
#define OOM_MEMORY (4l << 20)

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	REQUIRE(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

static void prepare_oom(void)
{
	char limit[32];

	write_file("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	REQUIRE(!mkdir(OOM_CGROUP, 0755) || errno == EEXIST);
	snprintf(limit, sizeof(limit), "%ld", OOM_MEMORY);
	write_file(OOM_CGROUP "/memory.max", limit);
}

static void exhaust_memory(bool above)
{
	char *memory = mmap(NULL, 2 * OOM_MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	REQUIRE(memory != MAP_FAILED);
	write_file(OOM_CGROUP "/cgroup.procs", "0");
	note(above);
	for (long i = 0; i < 2 * OOM_MEMORY; i += 4096)
		memory[i] = 1;
}

static pid_t cause_oom(bool above)
{
	return in_child(exhaust_memory, above, SIGKILL);
}

static pid_t cause_function(bool above)
{
	note(above);
	handle(duration(above));
	return 0;
}

static int slow_socket;

static void prepare_softirq(void)
{
	slow_socket = slow_filter__connect();
}

static pid_t cause_softirq(bool above)
{
	note(above);
	slow_filter__send(slow_socket, duration(above));
	return 0;
}

static const struct trigger_case {
	const char *name;
	pid_t (*cause)(bool above); /* returns the child that caused it, or 0: this task did */
	void (*prepare)(void);	    /* once, before all */
	bool always;		    /* there is none that the rule is not about */
	bool busy_gap;
} cases[] = {
	{"openat", cause_openat},
	{"ppoll", cause_ppoll},
	{"write", cause_write, prepare_write},
	{"offcpu", cause_offcpu, .busy_gap = true},
	{"runq", cause_runq, prepare_runq},
	{"signal", cause_signal},
	{"segv", cause_segv},
	{"exit", cause_exit},
	{"exec", cause_exec, .always = true},
	{"fork", cause_fork, .always = true},
	{"oom", cause_oom, prepare_oom, .always = true},
	{"function", cause_function},
	{"softirq", cause_softirq, prepare_softirq},
	{0},
};

static void wait_gap(const struct trigger_case *c)
{
	if (c->busy_gap)
		spin(opts.gap_ms * MSEC);
	else
		task__sleep_ms(opts.gap_ms);
}

static int echo;

/* A child that has this one's CPU and answers: each answer takes a switch to it and one back. */
static void prepare_switches(void)
{
	int fds[2];
	pid_t pid;
	char c;

	REQUIRE(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds));
	pid = fork();
	REQUIRE(pid >= 0);
	if (!pid) {
		close(fds[0]);
		while (read(fds[1], &c, 1) == 1)
			REQUIRE(write(fds[1], &c, 1) == 1);
		_exit(EXIT_SUCCESS);
	}
	close(fds[1]);
	echo = fds[0];
}

static void switch_often(void)
{
	char c = 0;

	for (long i = 0; i < opts.switches; i++)
		REQUIRE(write(echo, &c, 1) == 1 && read(echo, &c, 1) == 1);
}

static void occur(const struct trigger_case *c, long number)
{
	bool above = !opts.jitter || number % 2;
	unsigned int cpu = task__cpu();
	long long before = now(), after;
	pid_t pid = c->cause(above);

	after = now();
	printf("%s %ld %s pid %d cpu %u before %lld after %lld\n", c->name, number, above ? "above" : "below",
	       pid ? pid : getpid(), cpu, before, after);
	fflush(stdout);
}

static int usage(const char *program)
{
	fprintf(stderr,
		"Usage: %s --case NAME [--count N] [--gap MS] [--threshold US] [--jitter] [--note N]\n"
		"       [--cpu N | --cpus N] [--from CPU] [--switches N] [--size BYTES] [--code N]\n"
		"       [--threads N] [--program PATH]\nCases:",
		program);
	for (const struct trigger_case *c = cases; c->name; c++)
		fprintf(stderr, " %s", c->name);
	fputc('\n', stderr);
	return 2;
}

static const struct option long_opts[] = {
	{"case", required_argument, NULL, 'c'},
	{"count", required_argument, NULL, 'n'},
	{"gap", required_argument, NULL, 'g'},
	{"threshold", required_argument, NULL, 't'},
	{"jitter", no_argument, NULL, 'j'},
	{"note", required_argument, NULL, 'N'},
	{"cpu", required_argument, NULL, 'C'},
	{"cpus", required_argument, NULL, 'm'},
	{"from", required_argument, NULL, 'f'},
	{"switches", required_argument, NULL, 'w'},
	{"size", required_argument, NULL, 's'},
	{"code", required_argument, NULL, 'e'},
	{"program", required_argument, NULL, 'p'},
	{"threads", required_argument, NULL, 'T'},
	{NULL, 0, NULL, 0},
};

static bool set_number(int opt, const char *arg)
{
	char *end;
	long val = strtol(arg, &end, 0);

	if (!*arg || *end || val < 0)
		return false;
	switch (opt) {
	case 'n':
		opts.count = val;
		return true;
	case 'g':
		opts.gap_ms = val;
		return true;
	case 't':
		opts.threshold = val * 1000LL;
		return true;
	case 'N':
		opts.note = (uint32_t)val;
		return val >= 16;
	case 'C':
		opts.cpu = val;
		return true;
	case 'm':
		opts.cpus = val;
		return val > 0;
	case 'f':
		opts.from = val;
		return true;
	case 'w':
		opts.switches = val;
		return true;
	case 's':
		opts.size = val;
		return val > 0;
	case 'T':
		opts.threads = val;
		return true;
	case 'e':
		opts.code = val;
		return val <= 255;
	default:
		return false;
	}
}

static bool set_option(int opt, const char *arg)
{
	switch (opt) {
	case 'c':
		opts.name = arg;
		return true;
	case 'p':
		opts.program = arg;
		return true;
	case 'j':
		opts.jitter = true;
		return true;
	default:
		return arg && set_number(opt, arg);
	}
}

static const struct trigger_case *wanted_case(void)
{
	const struct trigger_case *c = cases;

	while (c->name && (!opts.name || strcmp(c->name, opts.name) != 0))
		c++;
	return c->name && !(c->always && opts.jitter) ? c : NULL;
}

static void prepare(const struct trigger_case *c)
{
	if (opts.from >= 0) {
		task__pin(0, (unsigned int)opts.from);
		spin(10 * MSEC);
	}
	if (opts.cpu >= 0)
		task__pin(0, (unsigned int)opts.cpu);
	if (opts.switches)
		prepare_switches();
	if (c->prepare)
		c->prepare();
}

int main(int argc, char **argv)
{
	const struct trigger_case *c;
	int opt;

	while ((opt = getopt_long(argc, argv, "", long_opts, NULL)) != -1)
		if (!set_option(opt, optarg))
			return usage(argv[0]);
	c = wanted_case();
	if (!c || optind != argc)
		return usage(argv[0]);
	prepare(c);
	for (long number = 1; number <= opts.count; number++) {
		if (opts.cpus)
			task__pin(0, (unsigned int)(number % opts.cpus));
		switch_often();
		if (number > 1 || opts.switches)
			wait_gap(c);
		occur(c, number);
	}
	return EXIT_SUCCESS;
}
