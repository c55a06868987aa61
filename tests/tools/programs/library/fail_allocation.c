// SPDX-License-Identifier: GPL-2.0-only
/*
 * To be preloaded: the call number FAIL_ALLOCATION of malloc(), calloc(), realloc() and their kin returns NULL
 * with ENOMEM, and with FAIL_ALLOCATION_REST each later one too. 0: none fails. Calls are counted over the
 * process and what it forks, not over what it executes. The number of calls is in the file FAIL_ALLOCATION_LOG
 * at the end, and who made the failing one.
 */
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t nr, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);

static _Atomic unsigned long
	*calls; /* shared with what is forked; NULL: before the constructor, and nothing is counted */
static unsigned long wanted;
static bool rest;
static int log_fd = -1;
static pid_t owner;

static void log_caller(void)
{
	void *stack[32];
	int saved_errno = errno;

	backtrace_symbols_fd(stack, backtrace(stack, 32), log_fd);
	errno = saved_errno;
}

static bool fails(void)
{
	unsigned long nr = calls ? atomic_fetch_add(calls, 1) + 1 : 0;

	if (!wanted || nr < wanted || (nr > wanted && !rest))
		return false;
	/* Another process may have closed the file and have another one under its number. */
	if (nr == wanted && getpid() == owner)
		log_caller();
	errno = ENOMEM;
	return true;
}

__attribute__((constructor)) static void begin(void)
{
	const char *nr = getenv("FAIL_ALLOCATION"), *log = getenv("FAIL_ALLOCATION_LOG");
	void *first[1], *shared;

	/* What it loads when it is called first is not part of the count. */
	backtrace(first, 1);
	wanted = nr ? strtoul(nr, NULL, 10) : 0;
	rest = getenv("FAIL_ALLOCATION_REST");
	if (log)
		log_fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	owner = getpid();
	unsetenv("LD_PRELOAD");
	unsetenv("FAIL_ALLOCATION");
	shared = mmap(NULL, sizeof(*calls), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || (log && log_fd < 0))
		abort();
	calls = shared;
}

__attribute__((destructor)) static void end(void)
{
	if (getpid() == owner && log_fd >= 0)
		dprintf(log_fd, "%lu calls\n", *calls);
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t nr, size_t size)
{
	return fails() ? NULL : __libc_calloc(nr, size);
}

__attribute__((visibility("default"))) void *realloc(void *p, size_t size)
{
	return fails() ? NULL : __libc_realloc(p, size);
}

__attribute__((visibility("default"))) void *memalign(size_t align, size_t size)
{
	return fails() ? NULL : __libc_memalign(align, size);
}

__attribute__((visibility("default"))) void *aligned_alloc(size_t align, size_t size)
{
	return fails() ? NULL : __libc_memalign(align, size);
}

__attribute__((visibility("default"))) int posix_memalign(void **ret, size_t align, size_t size)
{
	int saved_errno = errno;
	void *p = fails() ? NULL : __libc_memalign(align, size);

	errno = saved_errno;
	if (!p)
		return ENOMEM;
	*ret = p;
	return 0;
}
