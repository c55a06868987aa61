// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/path.h"
#include "base/pid_set.h"
#include "capture/records/synth.h"
#include "perfdata/record.h"
#include "symbols/proc_maps.h"

/*
 * At most this much of the map file of a stranger is read. He may have names of 4 KB mapped 65,000 times, and
 * the kernel puts them together for each reader.
 */
#define STRANGER_TEXT_MAX (1u << 20)

/* The lines of interest are the first seven of a task's status file. */
#define STATUS_MAX 512
/* The length of a name in a record, and in a comm file: that of a kernel worker says more. */
#define COMM_MAX 16
#define COMM_FILE_MAX 128

struct task {
	int pid; /* number of its process */
	int tid;
	int ppid;
	char comm[COMM_MAX];
};

static const char *find_line(const char *status, const char *key)
{
	const char *line = strstr(status, key);

	return line ? line + strlen(key) : NULL;
}

/* Reads the beginning of a status file, which is longer. */
static int read_head(const char *root, char *buf, size_t size, int pid, int tid)
{
	_cleanup_close_ int fd = path__open(root, "/proc/%d/task/%d/status", pid, tid);
	ssize_t len = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (len <= 0)
		return -ESRCH;
	buf[len] = '\0';
	return 0;
}

/* Whether the task has ended and nobody has waited for it. Its EXIT was told, and there will be no other. */
static bool is_zombie(const char *status)
{
	const char *state = find_line(status, "\nState:\t");

	return state && (*state == 'Z' || *state == 'X');
}

static bool read_task(const char *root, int pid, int tid, struct task *ret)
{
	char status[STATUS_MAX], comm[COMM_FILE_MAX];
	const char *line;

	*ret = (struct task){.tid = tid};
	if (path__read(root, comm, sizeof(comm), "/proc/%d/task/%d/comm", pid, tid) < 0)
		return false;
	snprintf(ret->comm, sizeof(ret->comm), "%.*s", COMM_MAX - 1, comm);
	if (read_head(root, status, sizeof(status), pid, tid) || is_zombie(status))
		return false;
	line = find_line(status, "\nTgid:");
	ret->pid = line ? atoi(line) : 0;
	line = find_line(status, "\nPPid:");
	ret->ppid = line ? atoi(line) : 0;
	return ret->pid > 0;
}

/*
 * Finds the build id of a mapped file; each inode is read once. The file is opened through map_files, because
 * outside the task's mount namespace the name may mean another file, or none, and the file may be deleted.
 */
static int find_build_id(const struct synth *s, struct record_mmap *m)
{
	const uint64_t dev = makedev(m->maj, m->min);
	const struct build_id *known = build_id_set__find(s->ids, dev, m->ino);
	_cleanup_close_ int fd = -1;
	int err;

	if (!m->ino || m->name[0] != '/')
		return 0;
	if (known) {
		m->build_id = *known;
		return 0;
	}
	fd = file_helper__open_mapped(s->helper, s->root, m->pid, m, &m->build_id);
	err = build_id_set__note(s->ids, dev, m->ino, &m->build_id);
	return err ? err : build_id_set__add(s->ids, m->name, PERF_RECORD_MISC_USER, &m->build_id);
}

/* The state of a walk through all processes. */
struct tasks {
	const struct synth *synth;
	struct pid_set first;
	size_t nr;	 /* processes in /proc */
	uint64_t waited; /* by the helper, before the walk */
	size_t maps;	 /* bytes of records, of processes that are not the first */
};

struct maps {
	const struct tasks *tasks;
	const struct synth *synth;
	const struct task *task;
	bool whole;
	size_t begin; /* where its records begin */
};

/* Whether the time is over. Time that was spent on file systems that do not answer does not count. */
static bool time_is_over(const struct tasks *tasks)
{
	const struct synth *s = tasks->synth;
	uint64_t waited = s->helper->waited - tasks->waited;

	return s->until && clock__ns(CLOCK_MONOTONIC) >= s->until + waited;
}

/*
 * Whether there is no more room or time for the process. Half of the room is for who comes first, of the
 * other half each process has the same share.
 */
static bool is_over(const struct maps *maps)
{
	const size_t max = maps->synth->max_maps / 2, bytes = maps->synth->out->len - maps->begin;

	return (max && bytes >= max / (maps->tasks->nr + 1) && maps->tasks->maps + bytes >= max) ||
	       time_is_over(maps->tasks);
}

static int add_map(void *ctx, struct proc_map *map)
{
	const struct maps *maps = ctx;
	struct record_mmap m = {
		.misc = PERF_RECORD_MISC_USER,
		.pid = (uint32_t)maps->task->pid,
		.tid = (uint32_t)maps->task->tid,
		.start = map->start,
		.len = map->end - map->start,
		.pgoff = map->pgoff,
		.maj = map->maj,
		.min = map->min,
		.ino = map->ino,
		.prot = map->prot,
		.flags = map->flags,
		.name = *map->name ? map->name : "//anon",
	};
	int err;

	if (!maps->whole && is_over(maps))
		return PROC_MAPS_CUT;
	err = find_build_id(maps->synth, &m);
	if (!err)
		record__add_mmap2(maps->synth->out, &m, maps->synth->trailer);
	return err;
}

static int synth__maps(struct tasks *tasks, const struct task *task)
{
	const struct synth *s = tasks->synth;
	struct maps maps = {tasks, s, task, pid_set__has(&tasks->first, (uint32_t)task->pid), s->out->len};
	int err = PROC_MAPS_CUT;

	if (maps.whole)
		return proc_maps__each(s->root, task->pid, s->data, add_map, &maps);
	if (!time_is_over(tasks))
		err = proc_maps__some(s->root, task->pid, s->data, s->max_maps ? STRANGER_TEXT_MAX : SIZE_MAX,
				      add_map, &maps);
	tasks->maps += s->out->len - maps.begin;
	if (err == PROC_MAPS_CUT && s->cut)
		(*s->cut)++;
	return err == PROC_MAPS_CUT ? 0 : err;
}

/*
 * Finds the device and the inode of a namespace: those of the file that stands for it, as in the kernel's
 * records (perf_fill_ns_link_info(), kernel/events/core.c).
 */
static bool find_namespace(const struct synth *s, const struct task *task, const char *name,
			   struct perf_ns_link_info *ret)
{
	_cleanup_close_ int fd = path__open(s->root, "/proc/%d/task/%d/ns/%s", task->pid, task->tid, name);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return false;
	*ret = (struct perf_ns_link_info){st.st_dev, st.st_ino};
	return true;
}

/* Adds a record of the task's namespaces; none if it does not let us look. */
static void synth__namespaces(const struct synth *s, const struct task *task)
{
	static const char *const names[NR_NAMESPACES] = {
		[NET_NS_INDEX] = "net",	      [UTS_NS_INDEX] = "uts",	[IPC_NS_INDEX] = "ipc",
		[PID_NS_INDEX] = "pid",	      [USER_NS_INDEX] = "user", [MNT_NS_INDEX] = "mnt",
		[CGROUP_NS_INDEX] = "cgroup",
	};
	struct record_namespaces ns = {.pid = (uint32_t)task->pid, .tid = (uint32_t)task->tid};
	bool known = false;

	for (size_t i = 0; i < NR_NAMESPACES; i++)
		known |= find_namespace(s, task, names[i], &ns.links[i]);
	if (known)
		record__add_namespaces(s->out, &ns, s->trailer);
}

static int synth__task(struct tasks *tasks, int pid, int tid)
{
	const struct synth *s = tasks->synth;
	struct task task;

	if (!read_task(s->root, pid, tid, &task))
		return 0;
	record__add_fork(s->out, (uint32_t)task.pid, (uint32_t)tid, (uint32_t)task.ppid, s->trailer);
	if (s->namespaces)
		synth__namespaces(s, &task);
	record__add_comm(s->out, (uint32_t)task.pid, (uint32_t)tid, task.comm, s->trailer);
	return task.pid == tid ? synth__maps(tasks, &task) : 0;
}

/*
 * Calls @fn for each entry of @dir that is a number; the leading task comes first, as its number is lowest.
 */
static int each_number(DIR *dir, int (*fn)(struct tasks *tasks, int parent, int number), struct tasks *tasks,
		       int parent)
{
	struct dirent *entry;
	int err = 0;

	while (!err && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			err = fn(tasks, parent, atoi(entry->d_name));
	return err;
}

static int synth__process(struct tasks *tasks, int pid)
{
	_cleanup_closedir_ DIR *dir = path__opendir(tasks->synth->root, "/proc/%d/task", pid);

	return dir ? each_number(dir, synth__task, tasks, pid) : 0;
}

static int count_process(struct tasks *tasks, int parent, int pid)
{
	tasks->nr++;
	return 0;
}

static int synth__other(struct tasks *tasks, int parent, int pid)
{
	return pid_set__has(&tasks->first, (uint32_t)pid) ? 0 : synth__process(tasks, pid);
}

/* Adds the processes that come first. A process may be named by any of its threads. */
static int synth__first(struct tasks *tasks)
{
	const struct synth *s = tasks->synth;
	struct task task;
	int err = 0;

	for (size_t i = 0; !err && i < s->nr_first; i++) {
		if (!read_task(s->root, s->first[i], s->first[i], &task) ||
		    pid_set__has(&tasks->first, (uint32_t)task.pid))
			continue;
		err = pid_set__add(&tasks->first, (uint32_t)task.pid);
		if (!err)
			err = synth__process(tasks, task.pid);
	}
	return err;
}

int synth__tasks(const struct synth *s)
{
	_cleanup_closedir_ DIR *dir = path__opendir(s->root, "/proc");
	struct tasks tasks = {.synth = s, .waited = s->helper->waited};
	int err;

	if (!dir) {
		err = -errno;
		log_err("cannot list the tasks in %s/proc: %s", s->root, strerror(-err));
		return err;
	}
	err = synth__first(&tasks);
	if (!err)
		err = each_number(dir, count_process, &tasks, 0);
	rewinddir(dir);
	if (!err)
		err = each_number(dir, synth__other, &tasks, 0);
	pid_set__release(&tasks.first);
	return err ? err : buf__error(s->out);
}
