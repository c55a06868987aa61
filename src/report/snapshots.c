// SPDX-License-Identifier: GPL-2.0-only
#include "report/snapshots.h"

#include <errno.h>
#include <fnmatch.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "report/ndjson.h"

#define FILE_NAME "index.ndjson"
#define SCHEMA "auxbpf-snapshot-1"

static void release_line(struct snapshot_line *s)
{
	free(s->name);
	free(s->rule);
	free(s->time);
	free(s->comm);
	free(s->boot);
	free(s->event);
	free(s->json);
	free(s->cpus);
}

/* Sets a printable copy of a member, if the line has it. */
static int set_text(char **ret, struct json_object *line, const char *key)
{
	const char *text = json__get_text(line, key);

	*ret = text ? text__printable(text) : NULL;
	return text && !*ret ? -ENOMEM : 0;
}

/* Describes what happened: "openat = -2 ENOENT", "SIGSEGV", "NET_RX". */
static int set_event(struct snapshot_line *s, struct json_object *line)
{
	static const char *const kinds[] = {"syscall", "function", "signal", "softirq"};
	const char *what = NULL, *ret = json__get_text(line, "ret"), *error = json__get_text(line, "errno");
	_cleanup_free_ char *text = NULL;

	for (size_t i = 0; !what && i < sizeof(kinds) / sizeof(*kinds); i++)
		what = json__get_text(line, kinds[i]);
	if (!what)
		return 0;
	if (asprintf(&text, "%s%s%s%s%s", what, ret ? " = " : "", ret ? ret : "", error ? " " : "",
		     error ? error : "") < 0)
		return -ENOMEM;
	s->event = text__printable(text);
	return s->event ? 0 : -ENOMEM;
}

/* A rule is about one of these. */
static void set_duration(struct snapshot_line *s, struct json_object *line)
{
	static const char *const keys[] = {"offcpu_ns", "runq_ns", "latency_ns"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (json__get_text(line, keys[i])) {
			s->has_duration = true;
			s->duration = json__get_u64(line, keys[i]);
			return;
		}
	}
}

/* A line of somebody else may have anything in place of the list. */
static int set_cpus(struct snapshot_line *s, struct json_object *line)
{
	struct json_object *list;

	if (!json_object_object_get_ex(line, "cpus", &list) || !json_object_is_type(list, json_type_array))
		return 0;
	s->cpus = calloc(json_object_array_length(list) + 1, sizeof(*s->cpus));
	if (!s->cpus)
		return -ENOMEM;
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *cpu = json_object_array_get_idx(list, i);

		if (!json_object_is_type(cpu, json_type_object))
			continue;
		s->cpus[s->nr_cpus++] = (struct snapshot_cpu_time){
			.cpu = (int32_t)json__get_u64(cpu, "cpu"),
			.covered = json__get_u64(cpu, "covered_ns"),
			.blind = json__get_u64(cpu, "blind_ns"),
		};
	}
	return 0;
}

static int set_line(struct snapshot_line *s, struct json_object *line)
{
	const char *json = json__line(line);
	int err;

	*s = (struct snapshot_line){
		.json = json ? strdup(json) : NULL,
		.pid = (int32_t)json__get_u64(line, "pid"),
		.tid = (int32_t)json__get_u64(line, "tid"),
		.cpu = (int32_t)json__get_u64(line, "cpu"),
		.bytes = json__get_u64(line, "bytes"),
		.blind = json__get_u64(line, "blind_ns"),
		.missed = json__get_u64(line, "missed"),
		.trigger = json__get_u64(line, "trigger_ns"),
	};
	set_duration(s, line);
	err = s->json ? 0 : -ENOMEM;
	if (!err)
		err = set_text(&s->name, line, "snapshot");
	if (!err)
		err = set_text(&s->rule, line, "rule");
	if (!err)
		err = set_text(&s->time, line, "time");
	if (!err)
		err = set_text(&s->comm, line, "comm");
	if (!err)
		err = set_text(&s->boot, line, "boot");
	if (!err)
		err = set_event(s, line);
	if (!err)
		err = set_cpus(s, line);
	if (!err && (!s->name || !s->rule || !s->time))
		err = -EBADMSG;
	if (err)
		release_line(s);
	return err;
}

static int add(struct snapshots *snapshots, struct json_object *line)
{
	struct snapshot_line snapshot;
	int err = set_line(&snapshot, line);

	if (err)
		return err;
	buf__add(&snapshots->lines, &snapshot, sizeof(snapshot));
	err = buf__error(&snapshots->lines);
	if (err)
		release_line(&snapshot);
	return err;
}

/* A snapshot that had to make room for others is in the index twice: when it was made, and when it was removed. */
static void take_away(struct snapshots *snapshots, const char *name)
{
	struct snapshot_line *lines = (struct snapshot_line *)(void *)snapshots->lines.data;
	size_t nr = snapshots__nr(snapshots), i = 0;

	while (i < nr && strcmp(lines[i].name, name))
		i++;
	if (i == nr)
		return;
	release_line(&lines[i]);
	memmove(&lines[i], &lines[i + 1], (nr - i - 1) * sizeof(*lines));
	buf__truncate(&snapshots->lines, (nr - 1) * sizeof(*lines));
	snapshots->nr_removed++;
}

static bool is_wanted(struct json_object *line, const char *wanted)
{
	const char *rule = json__get_text(line, "rule");

	return !wanted || !rule || !strcmp(rule, wanted) || !fnmatch(wanted, rule, 0);
}

static int read_line(struct snapshots *snapshots, const char *text, const char *rule)
{
	struct json_object *line = json_tokener_parse(text);
	const char *schema = line ? json__get_text(line, "schema") : NULL, *removed;
	int err = 0;

	removed = line ? json__get_text(line, "removed") : NULL;
	if (!schema || strcmp(schema, SCHEMA))
		err = -EBADMSG;
	else if (removed)
		take_away(snapshots, removed);
	else if (is_wanted(line, rule))
		err = add(snapshots, line);
	json_object_put(line);
	return err;
}

static int read_lines(struct snapshots *snapshots, FILE *file, const char *path, const char *rule)
{
	_cleanup_free_ char *text = NULL;
	size_t size = 0, nr = 0;
	int err = 0;

	while (!err && getline(&text, &size, file) > 0) {
		nr++;
		err = read_line(snapshots, text, rule);
		if (err != -EBADMSG)
			continue;
		log_warn("%s: line %zu tells of no snapshot: it is damaged, and left out", path, nr);
		err = 0;
	}
	if (err)
		log_err("no memory for the snapshots in %s", path);
	return err;
}

int snapshots__read(struct snapshots *snapshots, const char *dir, const char *rule)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_fclose_ FILE *file = NULL;
	int err = ndjson__open(dir, FILE_NAME, &path, &file);

	return err ? err : read_lines(snapshots, file, path, rule);
}

int snapshots__read_one(struct snapshots *snapshots, const char *path, const struct snapshot_line **ret)
{
	_cleanup_free_ char *in = strdup(path), *of = strdup(path);
	const char *name;
	int err;

	*ret = NULL;
	if (!in || !of)
		return -ENOMEM;
	err = snapshots__read(snapshots, dirname(in), NULL);
	if (err)
		return err == -ENOENT ? 0 : err;
	name = basename(of);
	for (size_t i = 0; i < snapshots__nr(snapshots); i++) {
		if (!strcmp(snapshots__at(snapshots, i)->name, name))
			*ret = snapshots__at(snapshots, i);
	}
	return 0;
}

void snapshots__release(struct snapshots *snapshots)
{
	struct snapshot_line *lines = (struct snapshot_line *)(void *)snapshots->lines.data;

	for (size_t i = 0; i < snapshots__nr(snapshots); i++)
		release_line(&lines[i]);
	buf__release(&snapshots->lines);
	*snapshots = (struct snapshots){0};
}
