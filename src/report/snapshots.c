// SPDX-License-Identifier: GPL-2.0-only
#include "report/snapshots.h"

#include <errno.h>
#include <fnmatch.h>
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
	free(s->event);
	free(s->json);
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
		err = set_event(s, line);
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

void snapshots__release(struct snapshots *snapshots)
{
	struct snapshot_line *lines = (struct snapshot_line *)(void *)snapshots->lines.data;

	for (size_t i = 0; i < snapshots__nr(snapshots); i++)
		release_line(&lines[i]);
	buf__release(&snapshots->lines);
	*snapshots = (struct snapshots){0};
}
