// SPDX-License-Identifier: GPL-2.0-only
#include "trace/sample_set.h"

#include <asm/perf_regs.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <time.h>

#include "auxbpf_shared.h"
#include "base/log.h"
#include "base/path.h"
#include "perfdata/tracing_data.h"
#include "rules/event_list.h"
#include "trace/perf_event.h"
#include "trace/sample_event.h"
#include "trace/trace_pmu.h"
#include "trace/tracefs.h"

/* perf's own default. */
#define DEFAULT_FREQ 4000
#define MAX_RATE "/proc/sys/kernel/perf_event_max_sample_rate"

static int add_event(struct sample_set *set, const char *root, const char *spec)
{
	struct sample_event *more;

	if (set->nr == AUXBPF_MAX_EVENTS) {
		log_err("-e: more than %d events", AUXBPF_MAX_EVENTS);
		return -EINVAL;
	}
	more = reallocarray(set->events, set->nr + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	set->events = more;
	return sample_event__parse(root, spec, &more[set->nr++]);
}

/* The parts of a pattern of tracepoints, and where to add those that match. */
struct pattern {
	char *category;
	char *event;
	const char *behind; /* terms and modifiers */
	struct sample_set *set;
	const char *root;
};

static int add_if_matching(void *ctx, const char *category, const char *event)
{
	const struct pattern *p = ctx;
	_cleanup_free_ char *spec = NULL, *file = NULL;
	uint64_t id;

	if (fnmatch(p->category, category, 0) || fnmatch(p->event, event, 0))
		return 0;
	if (asprintf(&spec, "%s:%s%s", category, event, p->behind) < 0 ||
	    asprintf(&file, "%s/%s", category, event) < 0)
		return -ENOMEM;
	/* A tracepoint without an id is no event of perf's. */
	return tracefs__tracepoint_id(p->root, file, &id) ? 0 : add_event(p->set, p->root, spec);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct sample_event *)a)->name, ((const struct sample_event *)b)->name);
}

static int add_matching(struct sample_set *set, const char *root, const char *spec)
{
	const char *event = strchr(spec, ':') + 1, *behind = event + strcspn(event, ":/");
	_cleanup_free_ char *category = strndup(spec, (size_t)(event - 1 - spec));
	_cleanup_free_ char *name = strndup(event, (size_t)(behind - event));
	struct pattern pattern = {category, name, behind, set, root};
	size_t first = set->nr;
	int err = category && name ? tracefs__each_tracepoint(root, add_if_matching, &pattern) : -ENOMEM;

	if (err && err != -ENODEV)
		return err;
	if (set->nr == first && tracefs__is_forbidden(root))
		return -EACCES;
	if (set->nr == first) {
		log_err("-e: there is no tracepoint like '%s'%s", spec,
			err ? ": tracefs is not mounted; mount -t tracefs tracefs /sys/kernel/tracing" : "");
		return -EINVAL;
	}
	qsort(set->events + first, set->nr - first, sizeof(*set->events), compare_names);
	return 0;
}

/* Tells whether the name is a pattern, "sched:*"; not "mem:*", and whatever is behind the name. */
static bool is_pattern(const char *spec)
{
	const char *colon = strchr(spec, ':');
	size_t len = colon ? strcspn(colon + 1, ":/") + 1 : 0;

	return colon && strcspn(spec, "*?[") < (size_t)(colon - spec) + len &&
	       strcspn(spec, "/") > (size_t)(colon - spec);
}

static int add_item(struct sample_set *set, const char *root, const char *spec)
{
	return is_pattern(spec) ? add_matching(set, root, spec) : add_event(set, root, spec);
}

static int add_member(struct sample_set *set, const char *root, const char *spec)
{
	_cleanup_free_ char *pmu = strndup(spec, strcspn(spec, "/:"));

	if (!pmu)
		return -ENOMEM;
	if (trace_pmu__is_known(pmu)) {
		log_err("-e: name %s outside of the braces: with --aux-sample it leads a group of all "
			"events, without it is in none",
			spec);
		return -EINVAL;
	}
	return add_item(set, root, spec);
}

/* Adds {event,...}[:modifiers]. */
static int add_group(struct sample_set *set, const char *root, const char *spec)
{
	_cleanup_free_ char *copy = strdup(spec + 1);
	char *rest = copy, *end = copy ? strchr(copy, '}') : NULL, *member;
	size_t first = set->nr;
	int err = 0;

	if (!copy)
		return -ENOMEM;
	if (!end || (end[1] && end[1] != ':')) {
		log_err("-e: cannot read the group '%s': expected {EVENT,...} or {EVENT,...}:MODIFIERS",
			spec);
		return -EINVAL;
	}
	*end = '\0';
	while (!err && (member = event_list__next(&rest)))
		err = add_member(set, root, member);
	for (size_t i = first; !err && end[1] && i < set->nr; i++)
		err = sample_event__modify(&set->events[i], end + 2);
	if (!err)
		set->events[first].nr_members = set->nr - first - 1;
	return err;
}

int sample_set__add(struct sample_set *set, const char *root, const char *spec)
{
	return *spec == '{' ? add_group(set, root, spec) : add_item(set, root, spec);
}

/* Limits a frequency: the kernel refuses one above what it allows (kernel/events/core.c,
 * perf_event_open()). */
static void limit_freq(struct sample_event *event, const char *root)
{
	uint64_t max;

	if (!event->attr.freq || path__read_u64(root, &max, MAX_RATE) || event->attr.sample_freq <= max)
		return;
	log_warn("%s: the kernel allows %llu samples a second at most (" MAX_RATE ")", event->name,
		 (unsigned long long)max);
	event->attr.sample_freq = max;
}

/* Sets how often to sample: tracepoints and breakpoints each time, because somebody chose that very place;
 * other events happen too often for that. */
static void set_rate(struct sample_event *event, const char *root)
{
	struct perf_event_attr *attr = &event->attr;

	if (!attr->sample_period &&
	    (attr->type == PERF_TYPE_TRACEPOINT || attr->type == PERF_TYPE_BREAKPOINT)) {
		attr->sample_period = 1;
	} else if (!attr->sample_period) {
		attr->freq = 1;
		attr->sample_freq = DEFAULT_FREQ;
	}
	limit_freq(event, root);
}

/*
 * All registers that the kernel gives (arch/x86/kernel/perf_regs.c, perf_reg_validate(), and arm64's):
 * DWARF's tables refer to them.
 */
#if defined(__x86_64__)
#define USER_REGS                                                                                    \
	(((1ull << PERF_REG_X86_64_MAX) - 1) & ~(1ull << PERF_REG_X86_DS | 1ull << PERF_REG_X86_ES | \
						 1ull << PERF_REG_X86_FS | 1ull << PERF_REG_X86_GS))
#else
#define USER_REGS ((1ull << (PERF_REG_ARM64_PC + 1)) - 1)
#endif

static void set_callers(struct perf_event_attr *attr, const struct sample_opts *opts)
{
	if (!opts->callers)
		return;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (!opts->stack)
		return;
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = USER_REGS;
	attr->sample_stack_user = opts->stack;
	attr->exclude_callchain_user = 1;
}

static void set_aux(struct perf_event_attr *attr, const struct sample_opts *opts)
{
	if (!opts->aux)
		return;
	attr->sample_type |= PERF_SAMPLE_AUX;
	attr->aux_sample_size = opts->aux;
}

static void set_sample_type(struct perf_event_attr *attr, const struct sample_opts *opts)
{
	attr->sample_type = PERF_EVENT_SAMPLE_TYPE | PERF_SAMPLE_PERIOD;
	if (attr->type == PERF_TYPE_TRACEPOINT)
		attr->sample_type |= PERF_SAMPLE_RAW;
	if (attr->type == PERF_TYPE_BREAKPOINT)
		attr->sample_type |= PERF_SAMPLE_ADDR;
	if (opts->cgroup)
		attr->sample_type |= PERF_SAMPLE_CGROUP;
}

/* Completes the attributes. Nobody waits for the ring, so it wakes up as rarely as can be. */
static void complete(struct sample_event *event, const char *root, const struct sample_opts *opts)
{
	struct perf_event_attr *attr = &event->attr;

	set_rate(event, root);
	sample_event__settle_precision(event, perf_event__open_self);
	set_sample_type(attr, opts);
	set_callers(attr, opts);
	set_aux(attr, opts);
	attr->size = sizeof(*attr);
	attr->sample_id_all = 1;
	attr->disabled = 1;
	attr->write_backward = 1;
	attr->watermark = 1;
	attr->wakeup_watermark = UINT32_MAX;
	attr->use_clockid = !opts->beside_trace;
	attr->clockid = opts->beside_trace ? 0 : CLOCK_MONOTONIC;
}

static int read_header(const char *root, const char *name, struct buf *ret)
{
	_cleanup_close_ int fd = tracefs__open(root, name);
	int err = fd < 0 ? fd : path__read_all(fd, ret);

	if (err)
		log_err("cannot read the file %s of tracefs: %s", name, strerror(-err));
	return err;
}

static bool is_there(const struct sample_set *set, size_t nr, const struct sample_event *event)
{
	for (size_t i = 0; i < nr; i++)
		if (set->events[i].category && set->events[i].attr.config == event->attr.config)
			return true;
	return false;
}

static int read_tracing(struct sample_set *set, const char *root)
{
	_cleanup_free_ struct tracing_event *events = calloc(set->nr, sizeof(*events));
	_cleanup_buf_ struct buf page = {0}, event = {0};
	size_t nr = 0;
	int err;

	if (!events)
		return -ENOMEM;
	for (size_t i = 0; i < set->nr; i++)
		if (set->events[i].category && !is_there(set, i, &set->events[i]))
			events[nr++] = (struct tracing_event){set->events[i].category,
							      buf__span(&set->events[i].format)};
	if (!nr)
		return 0;
	err = read_header(root, "events/header_page", &page);
	if (!err)
		err = read_header(root, "events/header_event", &event);
	if (err)
		return err;
	tracing_data__add(&set->tracing, buf__span(&page), buf__span(&event), events, nr);
	return buf__error(&set->tracing);
}

/*
 * Keeps a clock from counting while its CPU is idle: without the scheduler's tick it is throttled after some
 * hundred samples, and Linux 6.10 to 6.15 let only leaders of groups go on behind that, never a member.
 * (Mended in 6.16 by 9734e25fbf5a "perf: Fix the throttle logic for a group".)
 */
static void rest_when_idle(struct perf_event_attr *attr)
{
	attr->exclude_idle = attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CPU_CLOCK ||
								  attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* Sets which events start disabled: a disabled leader keeps its group from running; a disabled member stays
 * off. */
static void let_members_run(struct sample_set *set)
{
	size_t members = 0;

	for (size_t i = 0; i < set->nr; i++) {
		struct sample_event *event = &set->events[i];

		event->attr.disabled = !set->with_aux && !members;
		if (!event->attr.disabled)
			rest_when_idle(&event->attr);
		members = members ? members - 1 : event->nr_members;
		/* With a trace all events are in its group. */
		if (set->with_aux)
			event->nr_members = 0;
	}
}

int sample_set__complete(struct sample_set *set, const char *root, const struct sample_opts *opts)
{
	set->with_stacks = opts->stack;
	set->with_aux = opts->aux;
	for (size_t i = 0; i < set->nr; i++) {
		complete(&set->events[i], root, opts);
		set->with_users |= !set->events[i].attr.exclude_user;
	}
	let_members_run(set);
	return read_tracing(set, root);
}

void sample_set__release(struct sample_set *set)
{
	for (size_t i = 0; i < set->nr; i++)
		sample_event__release(&set->events[i]);
	free(set->events);
	buf__release(&set->tracing);
	*set = (struct sample_set){0};
}
