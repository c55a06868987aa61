// SPDX-License-Identifier: GPL-2.0-only
#include "trace/sample_ring.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/log.h"
#include "perfdata/backward.h"
#include "trace/perf_event.h"

static bool is_of_pmu(const struct sample_event *event)
{
	return event->attr.type >= PERF_TYPE_MAX;
}

/* Explains EINVAL and EOPNOTSUPP: the event is there, but cannot do what is asked of it. */
static void log_refused(const struct sample_event *event, int cpu, int err)
{
	if (event->attr.type == PERF_TYPE_BREAKPOINT)
		log_err("this CPU has no breakpoint like %s: the length is 1, 2, 4 or 8, the address a "
			"multiple of it, and on x86 the access rw, w or x, with no length for x",
			event->name);
	else if (is_of_pmu(event))
		log_err("the PMU of %s refuses it: it counts and cannot sample, or a term has a value that "
			"it does not take",
			event->name);
	else if (event->attr.precise_ip)
		log_err("%s cannot be had as precise as that here: try fewer of the modifier p", event->name);
	else
		log_err("cannot open the event %s on CPU %d: %s", event->name, cpu, strerror(-err));
}

static void log_open_error(const struct sample_event *event, int cpu, int err)
{
	switch (-err) {
	case EACCES:
	case EPERM:
		log_err("not permitted to open %s on CPU %d: CAP_SYS_ADMIN is needed here "
			"(/proc/sys/kernel/perf_event_paranoid); run as root",
			event->name, cpu);
		break;
	case EINVAL:
	case EOPNOTSUPP:
		log_refused(event, cpu, err);
		break;
	case ENOSPC:
		log_err("no room for %s on CPU %d: all breakpoints of the hardware are in use", event->name,
			cpu);
		break;
	case ENOENT:
	case ENODEV:
		log_err("this machine does not have the event %s; most virtual machines have none of the "
			"hardware's: cpu-clock is there everywhere",
			event->name);
		break;
	default:
		log_err("cannot open the event %s on CPU %d: %s", event->name, cpu, strerror(-err));
	}
}

static int map(struct sample_ring *r, int cpu, size_t size)
{
	int err = ring__map_backward(r->fds[0], size, &r->ring);

	if (err)
		log_err("cannot map %zu bytes for the samples of CPU %d: %s; try a smaller -M", size, cpu,
			strerror(-err));
	return err;
}

/* Opens an event. All events write to the ring of the first one. */
static int open_event(struct sample_ring *r, int cpu, int group_fd, const struct sample_event *event,
		      size_t size)
{
	size_t i = r->nr;
	int err;

	r->fds[i] = perf_event__open_config3(&event->attr, event->config3, cpu, group_fd);
	if (r->fds[i] < 0) {
		log_open_error(event, cpu, r->fds[i]);
		return r->fds[i];
	}
	r->nr++;
	err = perf_event__id(r->fds[i], &r->ids[i]);
	if (err)
		return err;
	if (!i)
		return map(r, cpu, size);
	if (!ioctl(r->fds[i], PERF_EVENT_IOC_SET_OUTPUT, r->fds[0]))
		return 0;
	log_err("cannot lead the samples of %s on CPU %d into one ring: %s", event->name, cpu,
		strerror(errno));
	return -errno;
}

/*
 * Opens all events. If there is @group_fd, all are in its group; otherwise each is a leader, or a member of
 * the group of the last leader.
 */
static int open_events(struct sample_ring *r, int cpu, int group_fd, const struct sample_set *set,
		       size_t size)
{
	size_t leader = 0;
	int err = 0;

	for (size_t i = 0; !err && i < set->nr; i++) {
		if (i > leader + set->events[leader].nr_members)
			leader = i;
		err = open_event(r, cpu, group_fd < 0 && i > leader ? r->fds[leader] : group_fd,
				 &set->events[i], size);
		if (err == -EINVAL && i > leader)
			log_err("it is in a group with %s: the CPU must be able to count all of a group at "
				"once",
				set->events[leader].name);
	}
	return err;
}

int sample_ring__open(struct sample_ring *r, int cpu, int group_fd, const struct sample_set *set, size_t size)
{
	*r = (struct sample_ring){
		.fds = calloc(set->nr, sizeof(*r->fds)),
		.ids = calloc(set->nr, sizeof(*r->ids)),
	};
	if (!r->fds || !r->ids)
		return -ENOMEM;
	return open_events(r, cpu, group_fd, set, size);
}

int sample_ring__enable(struct sample_ring *r)
{
	for (size_t i = 0; i < r->nr; i++) {
		if (!ioctl(r->fds[i], PERF_EVENT_IOC_ENABLE, 0))
			continue;
		log_err("cannot enable an event: %s", strerror(errno));
		return -errno;
	}
	return 0;
}

void sample_ring__disable(struct sample_ring *r)
{
	for (size_t i = 0; i < r->nr; i++)
		ioctl(r->fds[i], PERF_EVENT_IOC_DISABLE, 0);
}

void sample_ring__pause(struct sample_ring *r, bool pause)
{
	if (r->nr && ioctl(r->fds[0], PERF_EVENT_IOC_PAUSE_OUTPUT, pause))
		log_warn("cannot %s a ring of samples: %s", pause ? "pause" : "resume", strerror(errno));
}

struct span sample_ring__take(struct sample_ring *r, uint64_t until, uint8_t *to)
{
	uint64_t written;
	struct span records = {to, ring__copy_backward(&r->ring, r->taken, to, &written)};
	size_t newer = backward__newer(records, PERF_EVENT_SAMPLE_TYPE, until);

	r->taken = written - newer;
	return (struct span){to + newer, records.len - newer};
}

void sample_ring__close(struct sample_ring *r)
{
	ring__unmap(&r->ring);
	for (size_t i = 0; i < r->nr; i++)
		cleanup__close(&r->fds[i]);
	free(r->fds);
	free(r->ids);
	*r = (struct sample_ring){0};
}
