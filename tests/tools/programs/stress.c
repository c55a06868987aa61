// SPDX-License-Identifier: GPL-2.0-only
/*
 * Targets and others that alternate on every CPU, with forks and migrations, in few branches.
 *
 *   stress others DIR CPUS [loud]
 *
 * is one task a CPU that yields, answers and makes the targets' calls in vain, until it is killed. If not
 * loud, its branches are logged only where they are traced.
 *
 *   stress targets DIR CPUS ROUNDS [MOVE...]
 *
 * is the targets: a process or thread for each CPU, one that forks, one that moves from CPU to CPU and, with
 * MOVE, one that becomes a target and ceases to be one. It prints what was done. Each CPU's goes around
 * ROUNDS times, and on until it was switched away from as often.
 *
 *   stress wait DIR CPUS ROUNDS [MOVE...]
 *
 * is the same, but its tasks are at work only once there is a file DIR/go, and its threads take long to end.
 *
 * MOVE is `cgroup IN OUT` (directories), `comm IN OUT` or `uid IN OUT`; all of them begin IN.
 *
 * Of windows there are: the system calls sched_yield, uname and read (which waits), the function
 * stress_function (recursive; it yields) and the kernel's vfs_read.
 */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program.h"
#include "task.h"

#define MAX_CPUS 16
#define MANY_FILES 3000

/* A file that both programs map. */
struct shared {
	atomic_int go; /* targets are at work */
	atomic_int waits[MAX_CPUS];
	atomic_long switches, forks, migrations, moves;
};

struct worker {
	unsigned int cpu;
	long rounds;
};

static struct shared *shared;
static const char *dir;
static unsigned int nr_cpus;
static int fifos[MAX_CPUS];
static char **move;
static bool must_wait, loud;

static const char *path_of(const char *name, unsigned int nr)
{
	static _Thread_local char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s%u", dir, name, nr);
	return path;
}

static void uname_now(void)
{
	struct utsname uts;

	REQUIRE(!syscall(SYS_uname, &uts));
}

long stress_function(long depth);

/* The call is not its last act, or it would be a jump. The empty statement keeps every call a call. */
__attribute__((noinline)) long stress_function(long depth)
{
	long sum = depth;

	__asm__ volatile("" : "+r"(depth));
	if (depth > 0)
		sum += stress_function(depth - 1);
	else
		syscall(SYS_sched_yield);
	return sum + 1;
}

/* Reads what the other on this CPU writes once this task sleeps. */
static void wait_for_other(unsigned int cpu)
{
	char c;

	atomic_store(&shared->waits[cpu], 1);
	REQUIRE(syscall(SYS_read, fifos[cpu], &c, 1) == 1);
}

static void answer(unsigned int cpu)
{
	if (atomic_exchange(&shared->waits[cpu], 0))
		REQUIRE(write(fifos[cpu], "x", 1) == 1);
}

static void run_other(unsigned int cpu)
{
	task__pin(0, cpu);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned long i = 0;; i++) {
		if (!atomic_load(&shared->go)) {
			task__sleep_ms(20);
			continue;
		}
		if (i % 64 == 0) {
			if (!loud)
				mark__quiet(); /* each log anew */
			uname_now();
			stress_function(1);
		}
		answer(cpu);
		syscall(SYS_sched_yield);
	}
}

/* How often this thread was switched away from. */
static long switches_now(void)
{
	struct rusage usage;

	REQUIRE(!getrusage(RUSAGE_THREAD, &usage));
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

static void count_switches(void)
{
	atomic_fetch_add(&shared->switches, switches_now());
}

/* Tasks made early sleep until the recorder runs. Tells the log that this one is a target. */
static void wait_for_go(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/go", dir);
	while (must_wait && access(path, F_OK)) {
		mark__loud();
		task__sleep_ms(50);
	}
	mark__note(NOTE_TARGET);
}

/*
 * The end of a thread is long, most of it behind the tracepoint that tells of it, and all of it is a
 * target's. The file table is its own: nobody else closes these files.
 */
static void end_slowly(void)
{
	const struct rlimit files = {MANY_FILES + 100, MANY_FILES + 100};

	REQUIRE(!setrlimit(RLIMIT_NOFILE, &files) && !unshare(CLONE_FILES));
	for (int i = 0; i < MANY_FILES; i++)
		REQUIRE(dup(fifos[0]) >= 0);
}

static void *run_worker(void *arg)
{
	const struct worker *w = arg;
	long before;

	task__pin(0, w->cpu);
	wait_for_go();
	before = switches_now();
	/* Not every yield switches: on a slow host a quarter of them did not. */
	for (long i = 0; i < w->rounds || switches_now() - before < w->rounds; i++) {
		syscall(SYS_sched_yield);
		if (i % 16 == 3)
			wait_for_other(w->cpu);
		else if (i % 16 == 7)
			uname_now();
		else if (i % 16 == 11)
			stress_function(2);
	}
	count_switches();
	if (must_wait && gettid() != getpid())
		end_slowly();
	return NULL;
}

/* Children are targets from their birth on. */
static void *run_forker(void *arg)
{
	const struct worker *w = arg;

	wait_for_go();
	for (long i = 0; i < w->rounds / 32; i++) {
		pid_t pid = fork();
		int status;

		REQUIRE(pid >= 0);
		if (!pid) {
			mark__note(NOTE_TARGET);
			uname_now();
			stress_function(1);
			_exit(EXIT_SUCCESS);
		}
		REQUIRE(waitpid(pid, &status, 0) == pid && !status);
		atomic_fetch_add(&shared->forks, 1);
	}
	count_switches();
	return NULL;
}

static void *run_migrant(void *arg)
{
	const struct worker *w = arg;

	wait_for_go();
	for (long i = 0; i < w->rounds / 8; i++) {
		task__pin(0, (unsigned int)i % nr_cpus);
		uname_now();
		stress_function(1);
		atomic_fetch_add(&shared->migrations, 1);
	}
	count_switches();
	return NULL;
}

static void move_to(const char *where)
{
	uid_t uid = (uid_t)strtoul(where, NULL, 0);

	if (!strcmp(move[0], "comm")) {
		REQUIRE(!prctl(PR_SET_NAME, where));
	} else if (!strcmp(move[0], "uid")) {
		/* Root enough to come back. */
		REQUIRE(!syscall(SYS_setresuid, -1, 0, -1) && !syscall(SYS_setresuid, uid, uid, 0));
	} else {
		int fd;

		REQUIRE(!chdir(where) && (fd = open("cgroup.procs", O_WRONLY)) >= 0);
		REQUIRE(write(fd, "0", 1) == 1);
		close(fd);
	}
}

/* Says that it moves, moves, and says where it is; what counts is its next switch. */
static void move_now(const char *where, uint32_t note)
{
	mark__note(NOTE_TARGET_EITHER);
	move_to(where);
	mark__note(note);
	task__sleep_ms(1);
}

static void *run_mover(void *arg)
{
	const struct worker *w = arg;

	wait_for_go();
	for (long i = 0; i < w->rounds / 64; i++) {
		move_now(move[2], NOTE_TARGET_END);
		uname_now();
		stress_function(1);
		move_now(move[1], NOTE_TARGET_BEGIN);
		uname_now();
		stress_function(1);
		atomic_fetch_add(&shared->moves, 1);
	}
	count_switches();
	return NULL;
}

static void map_shared(void)
{
	int fd;

	REQUIRE(nr_cpus && nr_cpus <= MAX_CPUS);
	REQUIRE((fd = open(path_of("shared", 0), O_RDWR | O_CREAT, 0666)) >= 0);
	REQUIRE(!ftruncate(fd, sizeof(*shared)));
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	REQUIRE(shared != MAP_FAILED);
	for (unsigned int cpu = 0; cpu < nr_cpus; cpu++)
		REQUIRE((fifos[cpu] = open(path_of("fifo", cpu), O_RDWR)) >= 0);
}

static int run_others(int argc, char **argv)
{
	REQUIRE(argc == 3 || argc == 4);
	dir = argv[1];
	loud = argc == 4;
	umask(0);
	nr_cpus = (unsigned int)program__arg(argc, argv, 2, 1);
	for (unsigned int cpu = 0; cpu < nr_cpus; cpu++)
		REQUIRE(!mkfifo(path_of("fifo", cpu), 0666) || errno == EEXIST);
	map_shared();
	for (unsigned int cpu = 0; cpu < nr_cpus; cpu++) {
		pid_t pid = fork();

		REQUIRE(pid >= 0);
		if (!pid)
			run_other(cpu);
	}
	puts("others run");
	fflush(stdout);
	for (;;)
		pause();
}

/* Half of the tasks are processes, half are threads of this one. */
static void start(void *(*run)(void *), struct worker *w, bool thread, pid_t *pid, pthread_t *tid)
{
	*pid = 0;
	if (thread) {
		REQUIRE(!pthread_create(tid, NULL, run, w));
		return;
	}
	*pid = fork();
	REQUIRE(*pid >= 0);
	if (!*pid) {
		run(w);
		_exit(EXIT_SUCCESS);
	}
}

static void run_all(long rounds)
{
	struct worker w[MAX_CPUS + 3];
	pthread_t tids[MAX_CPUS + 3];
	pid_t pids[MAX_CPUS + 3];
	unsigned int nr = nr_cpus + 2 + !!move;

	for (unsigned int i = 0; i < nr; i++) {
		void *(*const extra[])(void *) = {run_forker, run_migrant, run_mover};

		w[i] = (struct worker){.cpu = i, .rounds = rounds};
		/* Only processes move: a thread's cgroup and name are those of the process, in part. */
		start(i < nr_cpus ? run_worker : extra[i - nr_cpus], &w[i], i < nr_cpus && i % 2, &pids[i],
		      &tids[i]);
	}
	atomic_store(&shared->go, 1);
	for (unsigned int i = 0; i < nr; i++) {
		int status = 0;

		REQUIRE(pids[i] ? waitpid(pids[i], &status, 0) == pids[i] && !status
				: !pthread_join(tids[i], NULL));
	}
	atomic_store(&shared->go, 0);
}

static int run_targets(int argc, char **argv)
{
	REQUIRE(argc == 4 || argc == 7);
	dir = argv[1];
	nr_cpus = (unsigned int)program__arg(argc, argv, 2, 1);
	move = argc == 7 ? argv + 4 : NULL;
	must_wait = !strcmp(argv[0], "wait");
	mark__loud();
	if (move)
		move_to(move[1]);
	mark__note(NOTE_TARGET_BEGIN);
	map_shared();
	shared->switches = shared->forks = shared->migrations = shared->moves = 0;
	run_all(program__arg(argc, argv, 3, 100));
	printf("switches %ld forks %ld migrations %ld moves %ld\n", shared->switches, shared->forks,
	       shared->migrations, shared->moves);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	static const struct program_case cases[] = {
		{"others", run_others},
		{"targets", run_targets},
		{"wait", run_targets},
		{0},
	};

	return program__main(cases, argc, argv);
}
