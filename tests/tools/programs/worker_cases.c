// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work that a process hands to threads that the kernel makes in it, by a ring of io_uring or a vhost device. Each case
 * exits with 0 only if a thread other than its own did the work.
 */
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/vhost.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "program.h"

#define ENTRIES 8
#define PAGE 4096

struct ring {
	int fd;
	unsigned int *sq_tail, *sq_array, *cq_head, *cq_tail;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
};

static char *map_ring(int fd, size_t size, off_t offset)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, offset);

	REQUIRE(mem != MAP_FAILED);
	return mem;
}

static void open_ring(struct ring *ring)
{
	struct io_uring_params p = {0};
	char *sq, *cq;

	ring->fd = (int)syscall(SYS_io_uring_setup, ENTRIES, &p);
	REQUIRE(ring->fd >= 0);
	sq = map_ring(ring->fd, p.sq_off.array + p.sq_entries * sizeof(unsigned int), IORING_OFF_SQ_RING);
	cq = map_ring(ring->fd, p.cq_off.cqes + p.cq_entries * sizeof(*ring->cqes), IORING_OFF_CQ_RING);
	ring->sqes = (void *)map_ring(ring->fd, p.sq_entries * sizeof(*ring->sqes), IORING_OFF_SQES);
	ring->sq_tail = (void *)(sq + p.sq_off.tail);
	ring->sq_array = (void *)(sq + p.sq_off.array);
	ring->cq_head = (void *)(cq + p.cq_off.head);
	ring->cq_tail = (void *)(cq + p.cq_off.tail);
	ring->cqes = (void *)(cq + p.cq_off.cqes);
}

/* One at a time, by a worker. */
static int work(struct ring *ring, const struct io_uring_sqe *sqe)
{
	unsigned int tail = *ring->sq_tail, at = tail % ENTRIES, head = *ring->cq_head;

	ring->sqes[at] = *sqe;
	ring->sqes[at].flags |= IOSQE_ASYNC;
	ring->sq_array[at] = at;
	__atomic_store_n(ring->sq_tail, tail + 1, __ATOMIC_RELEASE);
	REQUIRE(syscall(SYS_io_uring_enter, ring->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) == 1);
	REQUIRE(__atomic_load_n(ring->cq_tail, __ATOMIC_ACQUIRE) == head + 1);
	__atomic_store_n(ring->cq_head, head + 1, __ATOMIC_RELEASE);
	return ring->cqes[head % (2 * ENTRIES)].res;
}

/* A directory has a link of its own, one of its parent, and here one for each thread. */
static void require_worker(void)
{
	struct stat st;

	REQUIRE(!stat("/proc/self/task", &st) && st.st_nlink > 3);
}

/* Each one is a call of the kernel's function noop_fsync() in a worker. */
static int run_fsync(int argc, char **argv)
{
	struct io_uring_sqe sqe = {.opcode = IORING_OP_FSYNC};
	struct ring ring;

	open_ring(&ring);
	sqe.fd = memfd_create("fsync", 0);
	REQUIRE(sqe.fd >= 0);
	for (long n = program__arg(argc, argv, 1, 5); n > 0; n--)
		REQUIRE(!work(&ring, &sqe));
	require_worker();
	return EXIT_SUCCESS;
}

/* Each one is a page fault of a worker. */
static int run_read(int argc, char **argv)
{
	struct io_uring_sqe sqe = {.opcode = IORING_OP_READ, .len = PAGE};
	long n = program__arg(argc, argv, 1, 5);
	struct ring ring;
	char *pages;

	open_ring(&ring);
	sqe.fd = memfd_create("read", 0);
	REQUIRE(sqe.fd >= 0 && !ftruncate(sqe.fd, PAGE));
	pages = mmap(NULL, (size_t)n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(pages != MAP_FAILED && !madvise(pages, (size_t)n * PAGE, MADV_NOHUGEPAGE));
	for (long i = 0; i < n; i++) {
		sqe.addr = (uintptr_t)(pages + i * PAGE);
		REQUIRE(work(&ring, &sqe) == PAGE);
	}
	require_worker();
	return EXIT_SUCCESS;
}

/*
 * The worker belongs to the process because a vhost device has it as its owner. It does a piece of work for the last
 * of the device's files that is closed: it tells who waits for it that nothing is left.
 */
static int run_vhost(int argc, char **argv)
{
	for (long n = program__arg(argc, argv, 1, 5); n > 0; n--) {
		int fd = open("/dev/vhost-net", O_RDWR | O_CLOEXEC);

		REQUIRE(fd >= 0);
		REQUIRE(!ioctl(fd, VHOST_SET_OWNER));
		require_worker();
		REQUIRE(!close(fd));
	}
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	static const struct program_case cases[] = {
		{"fsync", run_fsync}, /* 5, or argument */
		{"read", run_read},   /* likewise */
		{"vhost", run_vhost}, /* likewise */
		{0},
	};

	return program__main(cases, argc, argv);
}
