// SPDX-License-Identifier: GPL-2.0-only
#include "trace/event_holder.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>

#include "base/log.h"
#include "loader/session_object.h"
#include "pmu_holder.skel.h"
#include "trace/perf_event.h"

#define MAX_HOLDERS 8

DEFINE_CLEANUP(pmu_holder_bpf, struct pmu_holder_bpf *, pmu_holder_bpf__destroy)

/* Opens any perf event: by it the program tells perf's files from others. */
static int open_some_event(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
	};

	return perf_event__open_cpu(&attr, cpu, -1);
}

static size_t add_holder(struct auxbpf_holder *holders, size_t nr, size_t max,
			 const struct auxbpf_holder *found)
{
	for (size_t i = 0; i < nr; i++) {
		if (holders[i].pid == found->pid)
			return nr;
	}
	if (nr == max)
		return nr;
	holders[nr] = *found;
	return nr + 1;
}

static int read_holders(struct bpf_link *link, struct auxbpf_holder *holders, size_t max)
{
	_cleanup_buf_ struct buf list = {0};
	const int err = session_object__iterate(link, &list);
	const struct auxbpf_holder *found = (const struct auxbpf_holder *)(const void *)list.data;
	size_t nr = 0;

	for (size_t i = 0; i < list.len / sizeof(*found); i++)
		nr = add_holder(holders, nr, max, &found[i]);
	return err ? err : (int)nr;
}

int event_holder__find(uint32_t type, int cpu, struct auxbpf_holder *holders, size_t max)
{
	_cleanup_(cleanup__pmu_holder_bpf) struct pmu_holder_bpf *skel =
		SESSION_OBJECT_OPEN_ALONE(pmu_holder_bpf);
	_cleanup_close_ int fd = open_some_event(cpu);
	int err;

	if (!skel)
		return -errno;
	if (fd < 0)
		return fd;
	skel->rodata->pmu_type = type;
	skel->rodata->wanted_cpu = cpu;
	skel->rodata->reader_fd = fd;
	err = pmu_holder_bpf__load(skel);
	if (!err)
		err = pmu_holder_bpf__attach(skel);
	return err ? err : read_holders(skel->links.find_holders, holders, max);
}

void event_holder__format(const struct auxbpf_holder *holders, int nr, char *text, size_t size)
{
	*text = '\0';
	for (int i = 0; i < nr; i++) {
		size_t len = strlen(text);

		snprintf(text + len, size - len, "%s%s (pid %d)", i ? ", " : "", holders[i].comm,
			 holders[i].pid);
	}
}

void event_holder__log_busy(const struct trace_event *event, int cpu)
{
	struct auxbpf_holder holders[MAX_HOLDERS];
	const char *pmu = event->pmu.ops->name;
	char text[MAX_HOLDERS * 48];
	int nr = event_holder__find(event->pmu.type, cpu, holders, MAX_HOLDERS);

	if (nr > 0) {
		event_holder__format(holders, nr, text, sizeof(text));
		log_err("%s is busy on CPU %d: held by %s; end %s, or trace other CPUs (-C)", pmu, cpu, text,
			nr == 1 ? "that one" : "those");
		return;
	}
	if (nr < 0)
		log_debug("cannot look for who holds %s: %s", pmu, strerror(-nr));
	log_err("%s is busy on CPU %d: another program traces with it; end that one (a `perf record -e "
		"%s//`, another auxbpf) and try again",
		pmu, cpu, pmu);
}
