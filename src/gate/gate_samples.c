// SPDX-License-Identifier: GPL-2.0-only
#include "gate/gate_samples.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "auxbpf_trigger.h"
#include "auxbpf.skel.h"
#include "base/log.h"
#include "gate/gate_object.h"
#include "loader/session_object.h"

struct gate_samples {
	struct auxbpf_bpf *skel;
	struct auxbpf_sampled *events; /* AUXBPF_MAX_EVENTS for each CPU, in the programs' memory */
	int nr_cpus;
};

static size_t nr_events(int nr_cpus)
{
	return (size_t)nr_cpus * AUXBPF_MAX_EVENTS;
}

void gate_samples__configure(struct auxbpf_bpf *skel, int nr_cpus)
{
	bpf_map__set_max_entries(skel->maps.sampled, (uint32_t)nr_events(nr_cpus));
}

int gate_samples__new(struct auxbpf_bpf *skel, int nr_cpus, struct gate_samples **ret)
{
	_cleanup_(cleanup__gate_samples) struct gate_samples *samples = calloc(1, sizeof(*samples));

	if (!samples)
		return -ENOMEM;
	*samples = (struct gate_samples){.skel = skel, .nr_cpus = nr_cpus};
	samples->events =
		session_object__map_memory(skel->maps.sampled, nr_events(nr_cpus) * sizeof(*samples->events));
	if (!samples->events)
		return -ENOMEM;
	skel->links.on_timer = bpf_program__attach(skel->progs.on_timer);
	if (!skel->links.on_timer) {
		log_err("cannot attach the BPF program on_timer: %s", strerror(errno));
		return -errno;
	}
	*ret = steal_ptr(samples);
	return 0;
}

static int add_event(struct gate_samples *samples, int cpu, int fd)
{
	struct auxbpf_sampled *event = &samples->events[nr_events(cpu)], *end = event + AUXBPF_MAX_EVENTS;
	int err;

	while (event < end && event->event)
		event++;
	err = event < end ? gate_object__find(samples->skel, fd, &event->event) : -E2BIG;
	if (!err && ioctl(fd, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(samples->skel->progs.on_sample)))
		err = -errno;
	if (err)
		log_err("cannot keep a regular event to the windows: %s", strerror(-err));
	return err;
}

int gate_samples__add(struct gate_samples *samples, int cpu, const struct sample_ring *ring,
		      const struct sample_set *set)
{
	int err = 0;

	for (size_t i = 0; !err && i < ring->nr; i++)
		if (!sample_event__is_shared(&set->events[i]))
			err = add_event(samples, cpu, ring->fds[i]);
	return err;
}

void gate_samples__log_losses(const struct gate_samples *samples)
{
	uint64_t dropped = 0;

	for (size_t i = 0; i < nr_events(samples->nr_cpus); i++) {
		uint64_t asked = __atomic_load_n(&samples->events[i].asked, __ATOMIC_RELAXED);
		uint64_t overflows = __atomic_load_n(&samples->events[i].overflows, __ATOMIC_RELAXED);

		dropped += overflows > asked ? overflows - asked : 0;
	}
	if (dropped)
		log_warn("the kernel dropped %llu samples, of all tasks: it does while a BPF map is "
			 "changed on that CPU, or while another BPF program is at work there",
			 (unsigned long long)dropped);
}

void gate_samples__free(struct gate_samples *samples)
{
	if (!samples)
		return;
	if (samples->events)
		munmap(samples->events, nr_events(samples->nr_cpus) * sizeof(*samples->events));
	free(samples);
}
