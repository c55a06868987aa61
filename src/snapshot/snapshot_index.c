// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot/snapshot_index.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/path.h"
#include "containers/cgroup_names.h"
#include "rules/names.h"
#include "rules/syscall_set.h"
#include "snapshot/index_file.h"

/* The index may take 1/INDEX_PART of --max-size, or INDEX_AT_LEAST bytes if that is more. */
#define INDEX_PART 16
#define INDEX_AT_LEAST (64u << 10)

struct snapshot_index {
	struct index_file *file;
	struct cgroup_names *cgroups;
	char boot[40]; /* the number of this boot; "": not known */
};

static uint64_t index_max(uint64_t max_bytes)
{
	uint64_t max = max_bytes / INDEX_PART;

	return max_bytes && max < INDEX_AT_LEAST ? INDEX_AT_LEAST : max;
}

int snapshot_index__open(const struct snapshot_dir *dir, const char *root, bool sync, uint64_t max_bytes,
			 struct snapshot_index **ret)
{
	_cleanup_(cleanup__snapshot_index) struct snapshot_index *index = calloc(1, sizeof(*index));
	const struct index_file_opts opts = {
		.dirfd = snapshot_dir__fd(dir),
		.dir = snapshot_dir__path(dir),
		.name = "index.ndjson",
		.sync = sync,
		.max = index_max(max_bytes),
	};
	int err;

	if (!index)
		return -ENOMEM;
	index->cgroups = cgroup_names__new(root);
	if (!index->cgroups)
		return -ENOMEM;
	if (path__read(root, index->boot, sizeof(index->boot), "/proc/sys/kernel/random/boot_id") < 0)
		*index->boot = '\0';
	err = index_file__open(&opts, &index->file);
	if (!err)
		*ret = steal_ptr(index);
	return err;
}

static void add_known(json_object *to, const char *key, const char *text)
{
	if (text && *text)
		json__add_text(to, key, text);
}

static bool is_known(const struct auxbpf_event *e, enum auxbpf_field field)
{
	return e->known >> field & 1;
}

static void add_time(json_object *to, const struct timespec *time)
{
	char day[32], text[64];
	struct tm tm;

	gmtime_r(&time->tv_sec, &tm);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text, sizeof(text), "%s.%09ldZ", day, time->tv_nsec);
	json__add_text(to, "time", text);
}

static void add_field(json_object *to, const char *key, const struct auxbpf_event *e, enum auxbpf_field field)
{
	if (is_known(e, field))
		json__add_u64(to, key, e->values[field]);
}

/*
 * Adds the task of the event, whose name is in two of the values. For a request, only who sent it is known.
 */
static void add_task(json_object *to, const struct auxbpf_event *e)
{
	char comm[AUXBPF_COMM_LEN + 1] = "";

	memcpy(comm, &e->values[AUXBPF_FIELD_COMM_LOW], 8);
	memcpy(comm + 8, &e->values[AUXBPF_FIELD_COMM_HIGH], 8);
	add_field(to, "cpu", e, AUXBPF_FIELD_CPU);
	add_field(to, "pid", e, AUXBPF_FIELD_PID);
	add_field(to, "tid", e, AUXBPF_FIELD_TID);
	add_field(to, "ppid", e, AUXBPF_FIELD_PPID);
	if (is_known(e, AUXBPF_FIELD_COMM_LOW))
		json__add_text(to, "comm", comm);
	add_field(to, "uid", e, AUXBPF_FIELD_UID);
	add_field(to, "cgroup_id", e, AUXBPF_FIELD_CGROUP);
}

/* Adds the cgroup's path and container; of a cgroup that is gone only the number is known. */
static void add_cgroup(json_object *to, struct cgroup_names *cgroups, const struct auxbpf_event *e)
{
	const struct cgroup_name *name = NULL;
	json_object *container;

	if (is_known(e, AUXBPF_FIELD_CGROUP))
		name = cgroup_names__find(cgroups, e->values[AUXBPF_FIELD_CGROUP]);
	if (!name)
		return;
	json__add_text(to, "cgroup", name->path);
	if (!name->id)
		return;
	container = json_object_new_object();
	add_known(container, "runtime", name->runtime);
	add_known(container, "id", name->id);
	add_known(container, "name", name->name);
	add_known(container, "pod", name->pod);
	add_known(container, "namespace", name->namespace);
	json__add(to, "container", container);
}

static void add_syscall(json_object *to, const struct auxbpf_event *e)
{
	_cleanup_free_ char *name = NULL;

	json__add_i64(to, "syscall_nr", e->nr);
	if (syscall__name(e->nr, e->compat, &name))
		json__mark_lacking(to);
	add_known(to, "syscall", name);
}

/* Adds an errno only for system calls: what a function returns may be no error. */
static void add_result(json_object *to, const struct auxbpf_event *e)
{
	int64_t ret = (int64_t)e->values[AUXBPF_FIELD_RET];

	json__add_i64(to, "ret", ret);
	if (e->nr >= 0 && ret < 0)
		add_known(to, "errno", names__errno(-ret));
	add_field(to, "latency_ns", e, AUXBPF_FIELD_LATENCY);
}

static void add_call(json_object *to, const struct auxbpf_event *e)
{
	json_object *args = NULL;

	if (e->nr >= 0)
		add_syscall(to, e);
	for (int i = 0; i < 6 && is_known(e, AUXBPF_FIELD_ARG0 + i); i++) {
		args = args ?: json_object_new_array();
		json__append_u64(args, e->values[AUXBPF_FIELD_ARG0 + i]);
	}
	if (args)
		json__add(to, "args", args);
	if (is_known(e, AUXBPF_FIELD_RET))
		add_result(to, e);
}

static void add_signal(json_object *to, const struct auxbpf_event *e)
{
	char name[32];

	add_field(to, "sig", e, AUXBPF_FIELD_SIG);
	names__signal((int)e->values[AUXBPF_FIELD_SIG], name, sizeof(name));
	if (is_known(e, AUXBPF_FIELD_SIG))
		add_known(to, "signal", name);
}

/* Returns the letter that ps(1) shows (include/linux/sched.h, TASK_INTERRUPTIBLE and so on). */
static const char *state_letter(uint32_t state)
{
	if (!state)
		return "R";
	return state & 1 ? "S" : state & 2 ? "D" : state & 4 ? "T" : state & 8 ? "t" : "I";
}

static void add_switch(json_object *to, const struct auxbpf_event *e)
{
	json_object *waker;

	if (!is_known(e, AUXBPF_FIELD_OFFCPU))
		return;
	json__add_u64(to, "offcpu_ns", e->values[AUXBPF_FIELD_OFFCPU]);
	json__add_u64(to, "runq_ns", e->values[AUXBPF_FIELD_RUNQ]);
	json__add_text(to, "state", state_letter(e->state));
	if (!e->waker)
		return;
	waker = json_object_new_object();
	json__add_i64(waker, "tid", e->waker);
	json__add_text(waker, "comm", e->waker_comm);
	json__add(to, "waker", waker);
}

static void add_interrupt(json_object *to, const struct auxbpf_event *e, const struct trigger *rule)
{
	uint64_t nr = e->values[AUXBPF_FIELD_IRQ];

	if (!is_known(e, AUXBPF_FIELD_IRQ))
		return;
	if (rule->kind == AUXBPF_TRIGGER_SOFTIRQ)
		add_known(to, "softirq", names__softirq(nr));
	else
		json__add_u64(to, "irq", nr);
	add_field(to, "latency_ns", e, AUXBPF_FIELD_LATENCY);
}

/* Adds the tracepoint's fields that the rule names. */
static void add_fields(json_object *to, const struct auxbpf_event *e, const struct trigger *rule)
{
	json_object *fields;

	if (!rule->nr_extra)
		return;
	fields = json_object_new_object();
	for (unsigned int i = 0; i < rule->nr_extra; i++) {
		uint64_t value = e->values[AUXBPF_FIELD_EXTRA0 + i];

		if (rule->extra[i].is_signed)
			json__add_i64(fields, rule->extra[i].name, (int64_t)value);
		else
			json__add_u64(fields, rule->extra[i].name, value);
	}
	json__add(to, "fields", fields);
}

/* Adds the CPUs of the snapshot, and their sums. */
static void add_cpus(json_object *to, const struct snapshot_job *job)
{
	uint64_t bytes = 0, blind = 0;
	bool with_trace = false;
	json_object *cpus = json_object_new_array();

	for (size_t i = 0; i < job->snapshot.nr; i++) {
		const struct snapshot_cpu *cpu = &job->snapshot.cpus[i];
		json_object *o;

		if (!job->gaps[i].blind)
			continue;
		o = json_object_new_object();
		json__add_i64(o, "cpu", cpu->aux.cpu);
		json__add_u64(o, "bytes", snapshot_cpu__bytes(cpu));
		json__add_u64(o, "begin", job->gaps[i].begin);
		json__add_u64(o, "end", job->gaps[i].end);
		if (!job->untimed)
			json__add_u64(o, "covered_ns", job->gaps[i].covered);
		json__add_u64(o, "blind_ns", job->gaps[i].blind);
		if (cpu->ids.aux)
			json__add_u64(o, "overwritten", job->gaps[i].overwritten);
		with_trace |= cpu->ids.aux;
		if (cpu->ids.samples) {
			json__add_u64(o, "samples", job->gaps[i].nr_samples);
			json__add_u64(o, "lost", job->gaps[i].lost);
		}
		json__append(cpus, o);
		bytes += snapshot_cpu__bytes(cpu);
		blind += job->gaps[i].blind;
	}
	json__add_u64(to, "bytes", bytes);
	json__add_u64(to, "blind_ns", blind);
	if (with_trace) {
		json__add_u64(to, "overwritten", snapshot_job__overwritten(job));
		json__add_u64(to, "gaps", job->nr_gaps);
	}
	json__add(to, "cpus", cpus);
}

static void add_windows(json_object *to, const struct capture_windows *windows)
{
	if (!windows->asked)
		return;
	json__add_u64(to, "windows", windows->nr);
	json__add_u64(to, "windows_left_out", windows->left_out);
}

/* Makes a line of the index, which begins as all of them do. */
static json_object *new_line(const char *key, const char *name)
{
	json_object *line = json_object_new_object();

	if (!line)
		return NULL;
	json__add_text(line, "schema", "auxbpf-snapshot-1");
	json__add_text(line, key, name);
	return line;
}

/* Writes the line and frees it. */
static int write_line(const struct snapshot_index *index, json_object *line)
{
	const char *json = json__line(line);
	_cleanup_free_ char *text = NULL;
	int len = json ? asprintf(&text, "%s\n", json) : -1;

	json_object_put(line);
	if (len < 0)
		return -ENOMEM;
	return index_file__add(index->file, text, (size_t)len);
}

int snapshot_index__add(struct snapshot_index *index, const struct snapshot_job *job,
			const struct trigger *rule)
{
	const struct auxbpf_event *e = &job->fired.event;
	json_object *line = new_line("snapshot", job->name);

	if (!line)
		return -ENOMEM;
	json__add_text(line, "rule", rule->text);
	add_time(line, &job->time);
	json__add_u64(line, "trigger_ns",
		      clock_pair__between(&job->clocks[0], &job->clocks[1], job->fired.time));
	if (*index->boot)
		json__add_text(line, "boot", index->boot);
	add_task(line, e);
	add_cgroup(line, index->cgroups, e);
	add_call(line, e);
	add_switch(line, e);
	add_signal(line, e);
	add_field(line, "code", e, AUXBPF_FIELD_CODE);
	add_interrupt(line, e, rule);
	add_fields(line, e, rule);
	add_cpus(line, job);
	add_windows(line, &job->snapshot.windows);
	json__add_u64(line, "missed", job->missed);
	if (job->no_memory)
		json__add_u64(line, "no_memory", job->no_memory);
	return write_line(index, line);
}

int snapshot_index__add_removed(struct snapshot_index *index, const char *name)
{
	json_object *line = new_line("removed", name);
	struct timespec now;

	if (!line)
		return -ENOMEM;
	clock_gettime(CLOCK_REALTIME, &now);
	add_time(line, &now);
	return write_line(index, line);
}

uint64_t snapshot_index__bytes(const struct snapshot_index *index)
{
	return index_file__size(index->file);
}

void snapshot_index__close(struct snapshot_index *index)
{
	if (!index)
		return;
	index_file__close(index->file);
	cgroup_names__free(index->cgroups);
	free(index);
}
