// SPDX-License-Identifier: GPL-2.0-only
/*
 * slow_calls CASE [N]: makes one call N times (120), of which each 50th is slow for a reason that only its path
 * shows. lock: read(2), while another thread has the lock of the file's position. fault: pread64(2), into pages that
 * are not there yet. retry: the function lookup(), which has to try again and again. Each takes longer than what else may
 * delay a call in an emulated machine.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "program.h"

#define EVERY 50
#define SIZE 64
#define LARGE (16 << 20)
#define SOME (1 << 20)
#define TRIES 2
#define MANY_TRIES 5000

static bool is_slow(long i)
{
	return i % EVERY == EVERY - 1;
}

/* A file with a name has a lock of its position, unlike those of memfd_create(2). */
static int open_file(void)
{
	char name[] = "/tmp/slow_calls.XXXXXX";
	int fd = mkstemp(name);

	REQUIRE(fd >= 0 && !unlink(name) && !ftruncate(fd, LARGE));
	return fd;
}

/* A read of all the file, by another thread. The system call is another one, so that it is none of the windows. */
struct holder {
	int fd;
	volatile char *buffer;
};

static void *hold(void *arg)
{
	struct holder *h = arg;
	struct iovec all = {.iov_base = (void *)(uintptr_t)h->buffer, .iov_len = LARGE};

	REQUIRE(readv(h->fd, &all, 1) == LARGE);
	return NULL;
}

/* Both run on one CPU: so the one that waits for the lock does not spin for it. */
static void stay_on_one_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	REQUIRE(!sched_setaffinity(0, sizeof(set), &set));
}

static void *new_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	REQUIRE(memory != MAP_FAILED);
	REQUIRE(!madvise(memory, size, MADV_NOHUGEPAGE));
	return memory;
}

/* Reads, once another thread's read has overwritten the first byte of its buffer, and is in the middle of it. */
static void read_behind(int fd, char *to)
{
	struct holder h = {.fd = fd, .buffer = new_memory(LARGE)};
	pthread_t thread;

	h.buffer[0] = 1;
	REQUIRE(!lseek(fd, 0, SEEK_SET));
	REQUIRE(!pthread_create(&thread, NULL, hold, &h));
	while (h.buffer[0])
		sched_yield();
	REQUIRE(!read(fd, to, SIZE));
	REQUIRE(!pthread_join(thread, NULL));
	REQUIRE(!munmap((void *)(uintptr_t)h.buffer, LARGE));
}

static int run_lock(int argc, char **argv)
{
	long n = program__arg(argc, argv, 1, 120);
	int fd = open_file();
	char to[SIZE];

	stay_on_one_cpu();
	for (long i = 0; i < n; i++) {
		if (is_slow(i)) {
			read_behind(fd, to);
			continue;
		}
		/* At the end of the file, as behind the other thread. */
		REQUIRE(lseek(fd, 0, SEEK_END) == LARGE);
		REQUIRE(!read(fd, to, SIZE));
	}
	return EXIT_SUCCESS;
}

static int run_fault(int argc, char **argv)
{
	long n = program__arg(argc, argv, 1, 120);
	char *known = new_memory(SOME);
	int fd = open_file();

	memset(known, 1, SOME);
	for (long i = 0; i < n; i++) {
		char *memory = is_slow(i) ? new_memory(SOME) : known;

		REQUIRE(pread(fd, memory, SOME, 0) == SOME);
		REQUIRE(memory == known || !munmap(memory, SOME));
	}
	return EXIT_SUCCESS;
}

static volatile unsigned int table[256];

/* Each of its steps is a branch, so it takes its time also in a trace. */
__attribute__((noinline)) static unsigned int probe(unsigned int key)
{
	unsigned int found = 0;

	for (unsigned int i = 0; i < 64; i++)
		found += table[(key + i) % 256] == key;
	return found;
}

__attribute__((noinline)) static unsigned int hash(unsigned int key)
{
	__asm__ volatile("" : "+r"(key));
	return key * 31;
}

unsigned int lookup(unsigned int key, unsigned int tries);

__attribute__((noinline)) unsigned int lookup(unsigned int key, unsigned int tries)
{
	unsigned int found = hash(key);

	for (unsigned int i = 0; i < tries; i++)
		found += probe(key + i);
	return found + 1;
}

static int run_retry(int argc, char **argv)
{
	long n = program__arg(argc, argv, 1, 120);
	unsigned int found = 0;

	for (long i = 0; i < n; i++)
		found += lookup((unsigned int)i, is_slow(i) ? MANY_TRIES : TRIES);
	return found ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	static const struct program_case cases[] = {
		{"lock", run_lock},
		{"fault", run_fault},
		{"retry", run_retry},
		{0},
	};

	return program__main(cases, argc, argv);
}
