// SPDX-License-Identifier: GPL-2.0-only
#include "commands/event_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "rules/event_list.h"
#include "trace/trace_pmu.h"

static int set_trace(struct event_options *o, const char *spec)
{
	if (o->trace) {
		log_err("-e: one trace event at a time, %s or %s", o->trace, spec);
		return -EINVAL;
	}
	o->trace = strdup(spec);
	return o->trace ? 0 : -ENOMEM;
}

static int add_sample(struct event_options *o, const char *spec)
{
	char **more = reallocarray(o->samples, o->nr_samples + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	o->samples = more;
	more[o->nr_samples] = strdup(spec);
	return more[o->nr_samples++] ? 0 : -ENOMEM;
}

/* Adds one event: trace PMUs are known by name, everything else is a regular event. */
static int add_event(struct event_options *o, const char *spec)
{
	_cleanup_free_ char *pmu = strndup(spec, strcspn(spec, "/:"));

	if (!pmu)
		return -ENOMEM;
	return trace_pmu__is_known(pmu) ? set_trace(o, spec) : add_sample(o, spec);
}

int event_options__add(struct event_options *o, const char *list)
{
	_cleanup_free_ char *copy = strdup(list);
	char *rest = copy, *spec;
	int err = copy ? 0 : -ENOMEM;

	while (!err && (spec = event_list__next(&rest)))
		err = add_event(o, spec);
	return err;
}

void event_options__release(struct event_options *o)
{
	free(o->trace);
	for (size_t i = 0; i < o->nr_samples; i++)
		free(o->samples[i]);
	free(o->samples);
	*o = (struct event_options){0};
}
