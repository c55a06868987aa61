// SPDX-License-Identifier: GPL-2.0-only
#include "rules/trigger_fields.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PREFIX_EVENT "event."
#define PREFIX_TASK "task."

#define KINDS (CONDITION_NUMBER | CONDITION_SIZE | CONDITION_FLAG | CONDITION_SIGNAL | CONDITION_ERRNO)
#define WANTS "a number, an error like -EIO, a size like 4k or a name like O_CREAT"

static const char *text_of(const struct trigger_fields *event)
{
	return event->format.len ? (const char *)event->format.data : "";
}

int trigger_fields__load(struct trigger_fields *event, struct trigger *trigger,
			 const struct trigger_opts *opts, char *message, size_t size)
{
	*event = (struct trigger_fields){.trigger = trigger};
	/* Tracepoints of single system calls have nothing to attach to: all calls share two tracepoints. */
	if (!strcmp(trigger->tracepoint.category, "syscalls")) {
		snprintf(message, size,
			 "system calls have rules of their own: write syscall:openat; ret and latency are "
			 "known there");
		return -EINVAL;
	}
	return tracepoint_name__read_format(&trigger->tracepoint, &opts->tracepoints, &event->format, message,
					    size);
}

void trigger_fields__release(struct trigger_fields *event)
{
	buf__release(&event->format);
}

static bool find_own(const struct trigger_fields *event, const char *name, struct trace_field *ret)
{
	const char *text = text_of(event);

	while (tracepoint_format__next(&text, ret)) {
		if (!strcmp(ret->name, name))
			return true;
	}
	return false;
}

/* Returns the largest value of the field. */
static uint64_t largest(const struct trace_field *own)
{
	return UINT64_MAX >> (64 - 8 * own->size + own->is_signed);
}

static void add_extra(struct trigger_fields *event, const struct trace_field *own)
{
	struct trigger *t = event->trigger;
	unsigned int n = t->nr_extra++;

	t->extra[n] = (struct trigger_extra){own->offset, own->size, own->is_signed, ""};
	snprintf(t->extra[n].name, sizeof(t->extra[n].name), "%s", own->name);
	event->own[n] = *own;
	event->fields[n] = (struct condition_field){
		.name = event->own[n].name,
		.field = (enum auxbpf_field)(AUXBPF_FIELD_EXTRA0 + n),
		.kinds = KINDS,
		.wants = WANTS,
		.max = largest(own),
		.has_bits = true,
		.is_signed = own->is_signed,
	};
}

/* Finds the extra field for @own. It is a new one unless the condition has named @own before. */
static int to_extra(struct trigger_fields *event, const struct trace_field *own,
		    const struct condition_field **ret, char *why, size_t size)
{
	unsigned int n = 0;

	while (n < event->trigger->nr_extra && strcmp(event->own[n].name, own->name))
		n++;
	if (n == AUXBPF_TRIGGER_EXTRAS) {
		snprintf(why, size, "a rule has room for %d fields of its tracepoint", AUXBPF_TRIGGER_EXTRAS);
		return -EINVAL;
	}
	if (n == event->trigger->nr_extra)
		add_extra(event, own);
	*ret = &event->fields[n];
	return 0;
}

static const struct condition_field *find_of_task(const char *name)
{
	const struct condition_field *field = condition_field__find(name);

	return field && CONDITION_FIELDS_TASK & CONDITION_FIELD(field->field) ? field : NULL;
}

static int find(void *arg, const char *name, const struct condition_field **ret, char *why, size_t size)
{
	struct trigger_fields *event = arg;
	bool ours = !strncmp(name, PREFIX_EVENT, strlen(PREFIX_EVENT));
	struct trace_field own;

	if (!strncmp(name, PREFIX_TASK, strlen(PREFIX_TASK))) {
		*ret = find_of_task(name + strlen(PREFIX_TASK));
		return *ret ? 0 : -ENOENT;
	}
	if (!find_own(event, ours ? name + strlen(PREFIX_EVENT) : name, &own))
		return -ENOENT;
	if (!ours && find_of_task(name)) {
		snprintf(why, size,
			 "the task and the tracepoint have a field %s: write " PREFIX_TASK
			 "%s or " PREFIX_EVENT "%s",
			 name, name, name);
		return -EINVAL;
	}
	if (own.kind != TRACE_FIELD_NUMBER) {
		snprintf(why, size, "%s is %s; only numbers can be compared", own.name,
			 own.kind == TRACE_FIELD_TEXT ? "text" : "an array or a structure");
		return -EINVAL;
	}
	return to_extra(event, &own, ret, why, size);
}

static void offer(void *arg, struct nearest *near, const char *wanted)
{
	const struct trigger_fields *event = arg;
	const char *text = text_of(event);
	struct trace_field own;

	if (!strncmp(wanted, PREFIX_EVENT, strlen(PREFIX_EVENT)))
		wanted += strlen(PREFIX_EVENT);
	while (tracepoint_format__next(&text, &own)) {
		if (own.kind == TRACE_FIELD_NUMBER)
			nearest__offer(near, wanted, own.name);
	}
}

static void list(void *arg, char *names, size_t size)
{
	const struct trigger_fields *event = arg;
	const char *text = text_of(event);
	struct trace_field own;
	size_t len = 0;

	*names = '\0';
	while (len < size && tracepoint_format__next(&text, &own)) {
		if (own.kind == TRACE_FIELD_NUMBER)
			len += (size_t)snprintf(names + len, size - len, "%s%s", len ? ", " : "", own.name);
	}
}

struct condition_event_fields trigger_fields__fields(struct trigger_fields *event)
{
	return (struct condition_event_fields){.find = find, .offer = offer, .list = list, .arg = event};
}
