// SPDX-License-Identifier: GPL-2.0-only
#include "call_report.h"

#include <errno.h>
#include <json.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A call whose line was read, and whose end is not yet reached. */
struct open_call {
	bool has_begin; /* its call is in the list, or that of the one that it took the place of by a jump */
	bool returns;
	bool jumps;
	bool is_switch; /* what it calls is not in the list */
};

struct reader {
	struct call_lists *lists;
	struct call_list *list; /* of the task that is read; NULL: none yet */
	struct open_call *open;
	size_t nr, cap;
	uint64_t line;
};

static const char *text_of(struct json_object *object, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(object, key, &value) ? json_object_get_string(value) : NULL;
}

/* Ends the calls that are as deep as @depth or deeper. Returns 0 or -ENOMEM. */
static int close_calls(struct reader *r, size_t depth)
{
	int err = 0;

	while (!err && r->nr > depth) {
		const struct open_call *call = &r->open[--r->nr];

		if (call->has_begin && call->returns)
			err = call_list__add(r->list, NULL, r->line);
	}
	return err;
}

static int begin_task(struct reader *r, int32_t tid)
{
	int err = r->list ? close_calls(r, 0) : 0;

	r->list = call_lists__get(r->lists, tid);
	return !r->list ? -ENOMEM : err;
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
	return !strcmp(word, a) || !strcmp(word, b) || !strcmp(word, c);
}

static int open_call(struct reader *r, struct open_call call)
{
	size_t cap = r->cap ? r->cap * 2 : 64;

	if (r->nr == r->cap) {
		struct open_call *grown = reallocarray(r->open, cap, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		r->open = grown;
		r->cap = cap;
	}
	r->open[r->nr++] = call;
	return 0;
}

static const char *function_of(struct json_object *line)
{
	const char *mode = text_of(line, "mode");

	return mode && !strcmp(mode, "kernel") ? text_of(line, "function") : CALL_LIST_USER;
}

static bool is_in_switch(const struct reader *r, size_t depth)
{
	return depth && r->open[depth - 1].is_switch;
}

static int read_call(struct reader *r, struct json_object *line, size_t depth, const char *kind,
		     const char *end)
{
	bool is_jump = !strcmp(kind, "jump");
	struct open_call call = {.returns = !strcmp(end, "returned"), .jumps = !strcmp(end, "jumped")};
	int err;

	/* The call before it on the same level ended by the jump to it. */
	call.has_begin = is_jump && r->nr > depth && r->open[depth].jumps && r->open[depth].has_begin;
	err = close_calls(r, depth);
	if (err || r->nr != depth)
		return err ? err : -EINVAL;
	call.is_switch = is_in_switch(r, depth) || !strcmp(function_of(line), CALL_LIST_SWITCH);
	if (is_one_of(kind, "call", "syscall", "interrupt") && !is_in_switch(r, depth)) {
		call.has_begin = true;
		err = call_list__add(r->list, function_of(line), r->line);
	}
	return err ? err : open_call(r, call);
}

static int read_line(struct reader *r, struct json_object *line)
{
	struct json_object *tid, *depth;
	const char *kind = text_of(line, "kind"), *end = text_of(line, "end");

	if (json_object_object_get_ex(line, "tid", &tid))
		return begin_task(r, json_object_get_int(tid));
	if (!r->list || !json_object_object_get_ex(line, "depth", &depth))
		return -EINVAL;
	if (text_of(line, "mark"))
		return 0;
	return kind && end ? read_call(r, line, (size_t)json_object_get_int64(depth), kind, end) : -EINVAL;
}

static int read_lines(struct reader *r, FILE *file)
{
	_cleanup_free_ char *text = NULL;
	size_t size = 0;
	int err = 0;

	while (!err && getline(&text, &size, file) > 0) {
		struct json_object *line = json_tokener_parse(text);

		r->line++;
		err = line ? read_line(r, line) : -EINVAL;
		json_object_put(line);
	}
	return err || !r->list ? err : close_calls(r, 0);
}

int call_report__read(const char *path, struct call_lists *lists)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	struct reader r = {.lists = lists};
	int err = file ? read_lines(&r, file) : -errno;

	free(r.open);
	if (err)
		fprintf(stderr, "oracle-check: %s: line %lu: %s\n", path, (unsigned long)r.line,
			strerror(-err));
	return err;
}
