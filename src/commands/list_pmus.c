// SPDX-License-Identifier: GPL-2.0-only
#include "commands/list_pmus.h"

#include <errno.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "capture/records/host_topology.h"
#include "commands/list_json.h"
#include "gate/control.h"
#include "trace/event_holder.h"
#include "trace/pmu_list.h"
#include "trace/trace_pmu.h"

#define ROOT ""
#define MAX_HOLDERS 8
/* The first column is as wide as the longest names of terms. */
#define LINE "    %-22s %s"

struct way {
	int err; /* the result of control__probe() */
	char reason[CONTROL_REASON_SIZE];
};

struct ways {
	struct way ways[AUXBPF_CONTROL_NR];
	enum auxbpf_control best; /* AUXBPF_CONTROL_NR: none works, or there is no PMU */
	struct auxbpf_holder holders[MAX_HOLDERS];
	int nr_holders;
};

struct pmu {
	const char *name;
	const char *type;
	struct pmu_files terms, caps;
	struct ways ways;
};

/* All that was found on this machine. */
struct machine {
	struct pmu_files all; /* names and types of all PMUs */
	struct pmu *pmus;     /* the trace PMUs among them */
	size_t nr_pmus;
	struct ways ways; /* set if there is no trace PMU */
};

static void release_machine(struct machine *m)
{
	for (size_t i = 0; i < m->nr_pmus; i++) {
		pmu_files__release(&m->pmus[i].terms);
		pmu_files__release(&m->pmus[i].caps);
	}
	free(m->pmus);
	pmu_files__release(&m->all);
}

static size_t read_cpus(int cpus[AUXBPF_MAX_CPUS])
{
	int n = host_topology__list_cpus(ROOT, "online", cpus, AUXBPF_MAX_CPUS);

	if (n > 0)
		return n < AUXBPF_MAX_CPUS ? (size_t)n : AUXBPF_MAX_CPUS;
	cpus[0] = 0;
	return 1;
}

/* Probes the ways to move the gate; @event is NULL if there is no trace PMU. */
static void probe_ways(const struct trace_event *event, struct ways *ways)
{
	int cpus[AUXBPF_MAX_CPUS];
	size_t nr_cpus = read_cpus(cpus);
	bool busy = false;

	ways->best = AUXBPF_CONTROL_NR;
	for (unsigned int i = 0; i < AUXBPF_CONTROL_NR; i++) {
		struct way *way = &ways->ways[i];

		way->err = control__probe(ROOT, (enum auxbpf_control)i, event, cpus, nr_cpus, way->reason);
		if (event && !way->err && ways->best == AUXBPF_CONTROL_NR)
			ways->best = (enum auxbpf_control)i;
		busy |= way->err == -EBUSY;
	}
	if (busy)
		ways->nr_holders = event_holder__find(event->pmu.type, cpus[0], ways->holders, MAX_HOLDERS);
}

static int probe_pmu(const struct pmu_file *file, struct pmu *pmu)
{
	struct trace_event event;
	char spec[sizeof(file->name) + 2];
	int err;

	*pmu = (struct pmu){.name = file->name, .type = file->value};
	snprintf(spec, sizeof(spec), "%s//", file->name);
	err = trace_event__parse(ROOT, spec, &event);
	if (!err)
		err = pmu_list__files(ROOT, file->name, "format", &pmu->terms);
	if (!err)
		err = pmu_list__files(ROOT, file->name, "caps", &pmu->caps);
	if (!err)
		probe_ways(&event, &pmu->ways);
	return err;
}

static int probe_machine(struct machine *m)
{
	int err = pmu_list__pmus(ROOT, &m->all);

	if (!err)
		m->pmus = calloc(m->all.nr + 1, sizeof(*m->pmus));
	if (!m->pmus)
		return -ENOMEM;
	for (size_t i = 0; !err && i < m->all.nr; i++) {
		if (trace_pmu__is_known(m->all.items[i].name))
			err = probe_pmu(&m->all.items[i], &m->pmus[m->nr_pmus++]);
	}
	if (!err && !m->nr_pmus)
		probe_ways(NULL, &m->ways);
	return err;
}

static bool can_trace(const struct machine *m)
{
	for (size_t i = 0; i < m->nr_pmus; i++) {
		if (m->pmus[i].ways.best != AUXBPF_CONTROL_NR)
			return true;
	}
	return false;
}

static void print_files(const char *title, const struct pmu_files *files)
{
	if (files->nr)
		text__print_line(stdout, "  %s", title);
	for (size_t i = 0; i < files->nr; i++)
		text__print_line(stdout, LINE, files->items[i].name, files->items[i].value);
}

static void print_holders(const struct ways *ways)
{
	char text[MAX_HOLDERS * 48];

	if (ways->nr_holders <= 0)
		return;
	event_holder__format(ways->holders, ways->nr_holders, text, sizeof(text));
	text__print_line(stdout, "  held by %s", text);
}

static void print_ways(const char *title, const struct ways *ways)
{
	text__print_line(stdout, "  %s", title);
	for (unsigned int i = 0; i < AUXBPF_CONTROL_NR; i++) {
		const struct way *way = &ways->ways[i];
		char text[CONTROL_REASON_SIZE + 16];

		if (way->err)
			snprintf(text, sizeof(text), "%s: %s", way->err == -EBUSY ? "cannot tell" : "no",
				 way->reason);
		else
			snprintf(text, sizeof(text), "yes%s", ways->best == i ? ", the default here" : "");
		text__print_line(stdout, LINE, control__name((enum auxbpf_control)i), text);
	}
	print_holders(ways);
}

static void print_pmu(const struct pmu *pmu)
{
	text__print_line(stdout, "%s (type %s)", pmu->name, pmu->type);
	print_files("terms", &pmu->terms);
	print_files("caps", &pmu->caps);
	print_ways("ways to move the gate, best first", &pmu->ways);
}

static void print_text(const struct machine *m)
{
	for (size_t i = 0; i < m->nr_pmus; i++)
		print_pmu(&m->pmus[i]);
	if (m->nr_pmus)
		return;
	text__print_line(stdout, "no trace PMU that auxbpf knows (looked for %s)", trace_pmu__known());
	print_files("other PMUs, and their types", &m->all);
	print_ways("ways to move the gate, if there were one, best first", &m->ways);
}

static struct json_object *json_files(const struct pmu_files *files)
{
	struct json_object *object = json_object_new_object();

	for (size_t i = 0; i < files->nr; i++)
		json__add_text(object, files->items[i].name, files->items[i].value);
	return object;
}

/* "works" is null if the PMU is busy, as it cannot be told then. */
static struct json_object *json_way(enum auxbpf_control way, const struct way *found)
{
	struct json_object *object = json_object_new_object();

	json__add_text(object, "way", control__name(way));
	if (found->err == -EBUSY)
		json__add_null(object, "works");
	else
		json__add_bool(object, "works", !found->err);
	if (found->err)
		json__add_text(object, "reason", found->reason);
	return object;
}

static struct json_object *json_holders(const struct ways *ways)
{
	struct json_object *list = json_object_new_array();

	for (int i = 0; i < ways->nr_holders; i++) {
		struct json_object *holder = json_object_new_object();

		json__add_i64(holder, "pid", ways->holders[i].pid);
		json__add_text(holder, "comm", ways->holders[i].comm);
		json__append(list, holder);
	}
	return list;
}

static void json_add_ways(struct json_object *object, const struct ways *ways)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int i = 0; i < AUXBPF_CONTROL_NR; i++)
		json__append(list, json_way((enum auxbpf_control)i, &ways->ways[i]));
	json__add(object, "control", list);
	if (ways->best != AUXBPF_CONTROL_NR)
		json__add_text(object, "default_control", control__name(ways->best));
}

static struct json_object *json_pmu(const struct pmu *pmu)
{
	struct json_object *object = json_object_new_object();

	json__add_text(object, "name", pmu->name);
	json__add_i64(object, "type", strtol(pmu->type, NULL, 10));
	json__add(object, "terms", json_files(&pmu->terms));
	json__add(object, "caps", json_files(&pmu->caps));
	json_add_ways(object, &pmu->ways);
	json__add(object, "held_by", json_holders(&pmu->ways));
	return object;
}

static struct json_object *json_others(const struct pmu_files *all)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < all->nr; i++) {
		if (!trace_pmu__is_known(all->items[i].name))
			json__append_text(list, all->items[i].name);
	}
	return list;
}

static void print_json(const struct machine *m)
{
	struct json_object *object = list_json__new(), *list = json_object_new_array();

	for (size_t i = 0; i < m->nr_pmus; i++)
		json__append(list, json_pmu(&m->pmus[i]));
	json__add(object, "trace_pmus", list);
	json__add(object, "other_pmus", json_others(&m->all));
	if (!m->nr_pmus)
		json_add_ways(object, &m->ways);
	list_json__print(object);
}

int list_pmus__print(bool json)
{
	_cleanup_(release_machine) struct machine m = {0};
	int err = probe_machine(&m);

	if (err) {
		log_err("cannot look for trace PMUs: %s", strerror(-err));
		return EXIT_FAILURE;
	}
	if (json)
		print_json(&m);
	else
		print_text(&m);
	return can_trace(&m) ? EXIT_SUCCESS : EXIT_FAILURE;
}
