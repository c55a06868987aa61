// SPDX-License-Identifier: GPL-2.0-only
#include "files/file_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "files/foreign_file.h"

#define DEBTORS_MAX 16
#define PAYS_BACK 10 /* this part of the time that passes: a tenth */
#define MS 1000000ull

struct debtor {
	uint64_t dev;
	uint64_t ns;
	uint64_t when;
};

/* Memory that is shared with the helper, which writes it. Its user writes only while there is no helper or
 * the helper waits for a request. */
struct file_watch {
	_Atomic uint64_t dev;
	_Atomic uint64_t steps;
	_Atomic pid_t helper;
	char path[FILE_WATCH_PATH_MAX];
	bool keeps_path; /* @path stays: it was looked for on the device that was too slow */
	uint64_t since;	 /* when @dev was asked, ns */
	uint64_t busy;	 /* busy_time() at that time */
	struct debtor debtors[DEBTORS_MAX];
	_Atomic unsigned int nr_lost;
	uint64_t lost[FILE_WATCH_LOST_MAX];
};

/* The state of the helper process itself. */
static struct file_watch *serves;
static int schedstat = -1;

/*
 * Returns how long a process has run or waited for a CPU, ns. No file system is to blame for that: the
 * process itself worked, or others had the CPU. 0 if the kernel does not tell
 * (Documentation/scheduler/sched-stats.rst).
 */
static uint64_t busy_time(int fd)
{
	uint64_t ran, waited;
	char text[64];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return sscanf(text, "%" SCNu64 " %" SCNu64, &ran, &waited) == 2 ? ran + waited : 0;
}

int file_watch__open(int fd, struct file_watch **ret)
{
	*ret = mmap(NULL, sizeof(**ret), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return *ret == MAP_FAILED ? -errno : 0;
}

int file_watch__new(const struct file_watch *old, int *fd, struct file_watch **ret)
{
	_cleanup_close_ int new = memfd_create("auxbpf-files", MFD_CLOEXEC);
	struct file_watch *watch;
	int err;

	if (new < 0 || ftruncate(new, sizeof(*watch)))
		return -errno;
	err = file_watch__open(new, &watch);
	if (err)
		return err;
	if (old) {
		memcpy(watch->debtors, old->debtors, sizeof(watch->debtors));
		memcpy(watch->lost, old->lost, sizeof(watch->lost));
		watch->nr_lost = old->nr_lost;
	}
	*fd = steal_fd(&new);
	*ret = watch;
	return 0;
}

void file_watch__free(struct file_watch *watch)
{
	if (watch)
		munmap(watch, sizeof(*watch));
}

uint64_t file_watch__dev(const struct file_watch *watch)
{
	return file_watch__is_at_ours(watch) ? 0 : watch->dev;
}

bool file_watch__is_at_ours(const struct file_watch *watch)
{
	return watch->dev == FOREIGN_FILE_OURS;
}

void file_watch__path(struct file_watch *watch, char path[FILE_WATCH_PATH_MAX])
{
	watch->keeps_path = false;
	snprintf(path, FILE_WATCH_PATH_MAX, "%.*s", FILE_WATCH_PATH_MAX - 1, watch->path);
}

uint64_t file_watch__steps(const struct file_watch *watch)
{
	return watch->steps;
}

uint64_t file_watch__busy(const struct file_watch *watch)
{
	_cleanup_close_ int fd = -1;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)watch->helper);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? 0 : busy_time(fd);
}

void file_watch__lose(struct file_watch *watch, uint64_t dev)
{
	if (watch->nr_lost < FILE_WATCH_LOST_MAX)
		watch->lost[watch->nr_lost++] = dev;
}

bool file_watch__is_lost(const struct file_watch *watch, uint64_t dev)
{
	for (unsigned int i = 0; i < watch->nr_lost; i++)
		if (dev && watch->lost[i] == dev)
			return true;
	return watch->nr_lost == FILE_WATCH_LOST_MAX;
}

unsigned int file_watch__nr_lost(const struct file_watch *watch)
{
	return watch->nr_lost;
}

/* Returns the entry of @dev. A new one takes the place of the entry with the least debt. */
static struct debtor *find_debtor(struct file_watch *watch, uint64_t dev)
{
	struct debtor *least = watch->debtors;

	for (size_t i = 0; i < DEBTORS_MAX; i++) {
		struct debtor *d = &watch->debtors[i];

		if (d->dev == dev)
			return d;
		if (d->ns < least->ns)
			least = d;
	}
	*least = (struct debtor){.dev = dev};
	return least;
}

/* Adds the time that the device took to answer to its debt. */
static void charge(struct file_watch *watch)
{
	uint64_t now = clock__ns(CLOCK_MONOTONIC), took = now - watch->since, paid;
	uint64_t busy = busy_time(schedstat), own = busy - watch->busy;
	struct debtor *d;

	watch->since = now;
	watch->busy = busy;
	took -= own < took ? own : took;
	if (!file_watch__dev(watch) || took <= FILE_WATCH_FREE * MS)
		return;
	d = find_debtor(watch, watch->dev);
	paid = (now - d->when) / PAYS_BACK;
	d->ns = (d->ns > paid ? d->ns - paid : 0) + took - FILE_WATCH_FREE * MS;
	d->when = now;
	if (d->ns <= FILE_WATCH_DEBT * MS || file_watch__is_lost(watch, d->dev))
		return;
	file_watch__lose(watch, d->dev);
	watch->keeps_path = true;
}

static int visit(uint64_t dev, const char *path)
{
	charge(serves);
	if (path && !serves->keeps_path)
		snprintf(serves->path, sizeof(serves->path), "%s", path);
	if (dev != FOREIGN_FILE_SAME)
		serves->dev = dev;
	serves->steps++;
	return file_watch__dev(serves) && file_watch__is_lost(serves, serves->dev) ? -ETIMEDOUT : 0;
}

void file_watch__serve(struct file_watch *watch)
{
	serves = watch;
	watch->helper = getpid();
	if (schedstat < 0)
		schedstat = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
	foreign_file__watch(visit);
}

void file_watch__rest(struct file_watch *watch)
{
	charge(watch);
	watch->dev = 0;
}
