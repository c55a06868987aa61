// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/sample_set.h"

#include <asm/perf_regs.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/path.h"
#include "kernel/cpu_trace.h"
#include "kernel/sample_event.h"
#include "kernel/tracefs.h"
#include "pure/tracing_data.h"

/* perf's own defaults. */
#define DEFAULT_FREQ 4000
#define MAX_RATE "/proc/sys/kernel/perf_event_max_sample_rate"

/* As many as have descriptors: each is opened on each CPU. */
#define MAX_EVENTS 64

static int add_event(struct sample_set *set, const char *root, const char *spec)
{
	struct sample_event *more;

	if (set->nr == MAX_EVENTS) {
		log_err("-e: more than %d events", MAX_EVENTS);
		return -EINVAL;
	}
	more = reallocarray(set->events, set->nr + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	set->events = more;
	return sample_event__parse(root, spec, &more[set->nr++]);
}

/* Where the event at @text ends: at a comma that is not among its terms. */
static char *find_end(char *text)
{
	bool in_terms = false;

	for (; *text && (in_terms || *text != ','); text++)
		in_terms ^= *text == '/';
	return text;
}

int sample_set__add(struct sample_set *set, const char *root, const char *list)
{
	_cleanup_free_ char *copy = strdup(list);
	char *spec = copy, *end;
	bool more = true;
	int err = copy ? 0 : -ENOMEM;

	while (!err && more) {
		end = find_end(spec);
		more = *end;
		*end = '\0';
		err = add_event(set, root, spec);
		spec = end + 1;
	}
	return err;
}

/* A frequency above what the kernel allows is refused (kernel/events/core.c, perf_event_open()). */
static void limit_freq(struct sample_event *event, const char *root)
{
	uint64_t max;

	if (!event->attr.freq || path__read_u64(root, &max, MAX_RATE) || event->attr.sample_freq <= max)
		return;
	log_warn("%s: the kernel allows %llu samples a second at most (" MAX_RATE ")", event->name,
		 (unsigned long long)max);
	event->attr.sample_freq = max;
}

/* What comes from an event that somebody named is wanted each time; of others there are too many. */
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
 * All registers that the kernel gives (arch/x86/kernel/perf_regs.c, perf_reg_validate(), and arm64's): of
 * which DWARF's tables speak.
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
	attr->sample_type = CPU_TRACE_SAMPLE_TYPE | PERF_SAMPLE_PERIOD;
	if (attr->type == PERF_TYPE_TRACEPOINT)
		attr->sample_type |= PERF_SAMPLE_RAW;
	if (attr->type == PERF_TYPE_BREAKPOINT)
		attr->sample_type |= PERF_SAMPLE_ADDR;
	if (opts->cgroup)
		attr->sample_type |= PERF_SAMPLE_CGROUP;
}

/* Nobody waits for the ring: it wakes up as rarely as can be. */
static void complete(struct sample_event *event, const char *root, const struct sample_opts *opts)
{
	struct perf_event_attr *attr = &event->attr;

	set_rate(event, root);
	set_sample_type(attr, opts);
	set_callers(attr, opts);
	set_aux(attr, opts);
	attr->size = sizeof(*attr);
	attr->sample_id_all = 1;
	/* A leader that is disabled keeps its group from running; a member that is stays off. */
	attr->disabled = !opts->aux;
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

int sample_set__complete(struct sample_set *set, const char *root, const struct sample_opts *opts)
{
	set->with_stacks = opts->stack;
	set->with_aux = opts->aux;
	for (size_t i = 0; i < set->nr; i++) {
		complete(&set->events[i], root, opts);
		set->with_users |= !set->events[i].attr.exclude_user;
	}
	return read_tracing(set, root);
}

bool sample_event__is_shared(const struct sample_event *event)
{
	return event->attr.type == PERF_TYPE_TRACEPOINT;
}

void sample_set__release(struct sample_set *set)
{
	for (size_t i = 0; i < set->nr; i++)
		sample_event__release(&set->events[i]);
	free(set->events);
	buf__release(&set->tracing);
	*set = (struct sample_set){0};
}
