// SPDX-License-Identifier: GPL-2.0-only
/*
 * The texts of /proc of one task with two threads, as records of the tasks that live; what a process has mapped;
 * mounts and the limit of memory.
 */
#include <unistd.h>

#include "capture/records/synth.h"
#include "containers/cgroup_mounts.h"
#include "containers/memory_limit.h"
#include "fuzz_root.h"
#include "perfdata/record.h"
#include "symbols/proc_maps.h"

static int see(void *ctx, struct proc_map *map)
{
	*(size_t *)ctx += strlen(map->name);
	return 0;
}

/* Nothing is asked of a helper that has lost as many devices. */
static void lose_all(struct file_helper *helper)
{
	int fd;

	if (file_watch__new(NULL, &fd, &helper->watch))
		abort();
	close(fd);
	for (unsigned int i = 0; i < FILE_WATCH_LOST_MAX; i++)
		file_watch__lose(helper->watch, 0);
}

static void read_tasks(struct buf *out)
{
	const size_t trailer = 32;
	struct build_id_set *ids;
	struct file_helper helper;
	unsigned int cut = 0;
	const int first[] = {10, 11};
	size_t pos = 0;

	if (build_id_set__new(&ids))
		abort();
	file_helper__init(&helper, FILE_HELPER_TIME);
	lose_all(&helper);
	if (!synth__tasks(&(struct synth){fuzz_root__path(), trailer, out, ids, &helper, true, true, first, 2,
					  4096, 0, &cut})) {
		while (record__next(buf__span(out), &pos))
			;
		FUZZ_CHECK(pos == out->len);
	}
	file_helper__release(&helper);
	build_id_set__free(ids);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const files[] = {
		"/proc/10/task/10/status", "/proc/10/task/10/comm", "/proc/10/maps",
		"/proc/10/task/11/status", "/proc/10/task/11/comm", "/proc/self/mountinfo",
		"/proc/self/cgroup",	   "/memory.max",
	};
	struct fuzz_input in = {data, size};
	_cleanup_buf_ struct buf out = {0};
	struct cgroup_mounts mounts;
	size_t bytes = 0;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		fuzz_root__put(files[i], &in);
	(void)!proc_maps__each(fuzz_root__path(), 10, true, see, &bytes);
	read_tasks(&out);
	(void)!cgroup_mounts__read(fuzz_root__path(), &mounts);
	cgroup_mounts__release(&mounts);
	memory_limit__read(fuzz_root__path());
	return 0;
}
