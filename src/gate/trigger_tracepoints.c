// SPDX-License-Identifier: GPL-2.0-only
#include "gate/trigger_tracepoints.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "gate/skip_watch.h"
#include "gate/tracepoint_program.h"
#include "loader/session_object.h"
#include "trace/perf_event.h"
#include "trace/tracefs.h"
#include "trigger_tracepoint.skel.h"

/* A tracepoint, and the rules that name it. */
struct point {
	const struct tracepoint_name *name;
	uint64_t rules;
	struct trigger_tracepoint_bpf *skel;
};

struct trigger_tracepoints {
	const struct trigger_set *rules;
	struct point points[AUXBPF_MAX_TRIGGERS];
	size_t nr;
};

static void add_rule(struct trigger_tracepoints *tt, const struct trigger *rule, uint64_t bit)
{
	struct point *p = tt->points, *end = p + tt->nr;

	while (p < end && !tracepoint_name__is(p->name, &rule->tracepoint))
		p++;
	p->name = &rule->tracepoint;
	p->rules |= bit;
	tt->nr += p == end;
}

/* Finds the part of the record that has all fields which the rules name. */
static int find_part(const struct trigger_tracepoints *tt, const struct point *p,
		     struct auxbpf_tracepoint *to)
{
	unsigned int begin = UINT16_MAX, end = 0;

	for (size_t i = 0; i < tt->rules->nr; i++) {
		const struct trigger *rule = &tt->rules->all[i];

		for (unsigned int n = 0; p->rules >> i & 1 && n < rule->nr_extra; n++) {
			unsigned int at = rule->extra[n].offset, behind = at + rule->extra[n].size;

			begin = at < begin ? at : begin;
			end = behind > end ? behind : end;
		}
	}
	if (end && end - begin >= AUXBPF_RECORD_MAX) {
		log_err("the fields of the tracepoint %s:%s that rules name are %u bytes apart, %d are "
			"possible; use fewer of them",
			p->name->category, p->name->event, end - begin, AUXBPF_RECORD_MAX);
		return -E2BIG;
	}
	to->begin = (uint16_t)(end ? begin : 0);
	to->size = (uint16_t)(end ? end - begin : 0);
	return 0;
}

static void tell_fields(const struct trigger *rule, uint16_t begin, struct auxbpf_record_field *to)
{
	for (unsigned int n = 0; n < rule->nr_extra; n++)
		to[n] = (struct auxbpf_record_field){
			.offset = (uint16_t)(rule->extra[n].offset - begin),
			.size = (uint8_t)rule->extra[n].size,
			.is_signed = rule->extra[n].is_signed,
		};
}

/* Finds perf's number of the tracepoint, which tells its records from others too. */
static int find_id(const char *root, const struct point *p, uint64_t *ret)
{
	char name[256];
	int err;

	snprintf(name, sizeof(name), "%s/%s", p->name->category, p->name->event);
	err = tracefs__tracepoint_id(root, name, ret);
	if (err)
		log_err("the tracepoint %s:%s cannot be looked up: %s", p->name->category, p->name->event,
			err == -ENOENT ? "tracefs is not mounted, or does not have it" : strerror(-err));
	return err;
}

static int load(const struct auxbpf_tracepoint *told, const struct trigger_base *base, struct point *p)
{
	struct trigger_tracepoint_bpf *skel =
		SESSION_OBJECT_OPEN(trigger_tracepoint_bpf, base->config->control);
	int err;

	if (!skel)
		return -errno;
	p->skel = skel;
	memcpy((void *)(uintptr_t)&skel->rodata->point, told, sizeof(*told));
	err = trigger_object__join(skel->obj, base, (const void *)&skel->rodata->config,
				   (const void *)&skel->rodata->triggers);
	if (!err)
		err = tracepoint_program__set_target(skel->progs.on_event, p->name->event);
	if (!err)
		err = tracepoint_program__set_target(skel->progs.on_event_spare, p->name->event);
	return err ? err : trigger_tracepoint_bpf__load(skel);
}

static int prepare(const struct trigger_tracepoints *tt, const char *root, const struct trigger_base *base,
		   struct point *p)
{
	struct auxbpf_tracepoint told = {.rules = p->rules};
	uint64_t id = 0;
	int err = find_id(root, p, &id);

	if (!err)
		err = find_part(tt, p, &told);
	if (err)
		return err;
	told.id = (uint32_t)id;
	for (size_t i = 0; i < tt->rules->nr; i++)
		if (p->rules >> i & 1)
			tell_fields(&tt->rules->all[i], told.begin, told.fields[i]);
	err = load(&told, base, p);
	if (err)
		tracepoint_program__log_load_error(p->name, err);
	return err;
}

int trigger_tracepoints__new(const struct trigger_set *rules, const char *root,
			     const struct trigger_base *base, struct trigger_tracepoints **ret)
{
	_cleanup_(cleanup__trigger_tracepoints) struct trigger_tracepoints *tt = calloc(1, sizeof(*tt));
	int err = 0;

	if (!tt)
		return -ENOMEM;
	tt->rules = rules;
	for (size_t i = 0; i < rules->nr; i++)
		if (rules->all[i].kind == AUXBPF_TRIGGER_TRACEPOINT)
			add_rule(tt, &rules->all[i], 1ull << i);
	for (size_t i = 0; !err && i < tt->nr; i++)
		err = prepare(tt, root, base, &tt->points[i]);
	if (!err)
		*ret = steal_ptr(tt);
	return err;
}

/* Attaches the program by an event of this thread, which is only what it hangs on: it runs for all tasks. */
static int attach_record(struct point *p)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .config = p->skel->rodata->point.id};
	_cleanup_close_ int fd = perf_event__open_self(&attr);

	if (fd < 0)
		return fd;
	p->skel->links.on_record = bpf_program__attach_perf_event(p->skel->progs.on_record, fd);
	if (!p->skel->links.on_record)
		return -errno;
	steal_fd(&fd); /* it is the link's now */
	return 0;
}

static int attach(struct point *p)
{
	struct trigger_tracepoint_bpf *skel = p->skel;
	int err = attach_record(p);

	if (err)
		tracepoint_program__log_attach_error(p->name, err);
	if (!err)
		err = tracepoint_program__attach(skel->progs.on_event, p->name, &skel->links.on_event);
	return err ? err
		   : tracepoint_program__attach(skel->progs.on_event_spare, p->name,
						&skel->links.on_event_spare);
}

int trigger_tracepoints__attach(struct trigger_tracepoints *tt)
{
	int err = 0;

	for (size_t i = 0; !err && i < tt->nr; i++)
		err = attach(&tt->points[i]);
	return err;
}

void trigger_tracepoints__detach(struct trigger_tracepoints *tt)
{
	for (size_t i = 0; i < tt->nr; i++)
		trigger_tracepoint_bpf__detach(tt->points[i].skel);
}

void trigger_tracepoints__log_losses(const struct trigger_tracepoints *tt)
{
	for (size_t i = 0; i < tt->nr; i++) {
		const struct point *p = &tt->points[i];
		uint64_t skipped = skip_watch__count(p->skel->progs.on_record), lost = p->skel->data->lost;

		if (skipped)
			log_warn("tracepoint %s:%s: the kernel did not show %llu of its events, of all "
				 "tasks, to BPF programs: it does not while a BPF map is changed on that CPU",
				 p->name->category, p->name->event, (unsigned long long)skipped);
		if (lost)
			log_warn("tracepoint %s:%s: %llu of the targets' events were lost between two "
				 "programs",
				 p->name->category, p->name->event, (unsigned long long)lost);
	}
}

void trigger_tracepoints__free(struct trigger_tracepoints *tt)
{
	if (!tt)
		return;
	for (size_t i = 0; i < tt->nr; i++)
		trigger_tracepoint_bpf__destroy(tt->points[i].skel);
	free(tt);
}
