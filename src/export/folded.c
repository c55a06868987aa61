// SPDX-License-Identifier: GPL-2.0-only
#include "export/folded.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"

struct folded {
	FILE *to;
	struct exported *exported;
	struct buf line; /* the names of the path, each with a ; in front but for the first */
	uint64_t depth;	 /* functions in it */
};

/* A name has no ; of its own. */
static void add_name(struct folded *f, const char *name)
{
	size_t at = f->line.len;

	buf__add(&f->line, name, strlen(name));
	for (; !buf__error(&f->line) && at < f->line.len; at++) {
		if (f->line.data[at] == ';')
			f->line.data[at] = ':';
	}
}

static const char *name_of(const struct folded *f, const struct call_path *path)
{
	return path->is_gap ? "[not traced]" : function_names__get(f->exported->names, path->function)->name;
}

static const char *mode_of(const struct call_path *path)
{
	return path->is_kernel ? "_[k]" : "";
}

static void go_in(struct folded *f, const struct call_path *path)
{
	buf__add(&f->line, ";", 1);
	add_name(f, name_of(f, path));
	buf__add(&f->line, mode_of(path), strlen(mode_of(path)));
	f->depth++;
}

static void go_out(struct folded *f, const struct call_path *path)
{
	if (!buf__error(&f->line))
		buf__truncate(&f->line, f->line.len - strlen(name_of(f, path)) - strlen(mode_of(path)) - 1);
	f->depth--;
}

static void print(const struct folded *f, uint64_t ns)
{
	if (ns)
		fprintf(f->to, "%.*s %" PRIu64 "\n", (int)f->line.len, (const char *)f->line.data, ns);
}

/* Sums up the time in a path and in what is below it, which is too deep. */
static uint64_t sum_up(struct folded *f, const struct call_path *top)
{
	const struct call_path *path = top->first;
	uint64_t ns = top->self;

	while (path) {
		ns += path->self;
		f->exported->left_out.nr_deep += path->calls;
		path = call_path__next_below(path, top);
	}
	return ns;
}

/* Leaves paths until there is one beside, which is returned, or @root is reached. */
static const struct call_path *go_on(struct folded *f, const struct call_path *path,
				     const struct call_path *root)
{
	while (path != root) {
		go_out(f, path);
		if (path->next)
			return path->next;
		path = path->parent;
	}
	return NULL;
}

static void write_paths(struct folded *f, const struct call_path *root)
{
	const struct call_path *path = root->first;
	uint64_t deepest = f->exported->limits->depth;

	while (path && !buf__error(&f->line)) {
		bool is_deepest;

		go_in(f, path);
		is_deepest = deepest && f->depth == deepest;
		print(f, is_deepest ? sum_up(f, path) : path->self);
		path = path->first && !is_deepest ? path->first : go_on(f, path, root);
	}
}

int folded__write(FILE *to, struct exported *exported)
{
	struct folded f = {.to = to, .exported = exported};
	int err;

	for (size_t i = 0; i < exported->nr_tasks; i++) {
		const struct traced_task *task = exported->tasks[i];

		buf__truncate(&f.line, 0);
		f.depth = 0;
		add_name(&f, exported__name(task));
		write_paths(&f, exported->is_sampled ? exported__samples(exported, task) : &task->paths.root);
		exported->left_out.nr_short += task->paths.nr_short;
	}
	err = buf__error(&f.line);
	buf__release(&f.line);
	return err;
}

struct counting {
	struct task_paths *paths;
	size_t depth;
};

static struct call_frame frame_of(const struct call *call, uint64_t begin)
{
	return (struct call_frame){.time = begin,
				   .function = call->function,
				   .kind = call->kind == CALL_CALLER ? CALL_RUNNING : call->kind,
				   .is_kernel = call->is_kernel};
}

static int on_begin(void *ctx, const struct call *call, uint64_t time)
{
	const struct call_frame frame = frame_of(call, time);
	struct counting *c = ctx;

	return call_paths_observer.enter(c->paths, &frame, c->depth++);
}

static int on_end(void *ctx, const struct call *call, uint64_t time)
{
	const struct call_frame frame = frame_of(call, call->begin);
	struct counting *c = ctx;

	return call_paths_observer.leave(c->paths, &frame, --c->depth, time, call->how);
}

static int on_mark(void *ctx, const struct call *mark)
{
	struct counting *c = ctx;

	return call_paths_observer.mark(c->paths, mark->mark, mark->begin, mark->end, mark->text);
}

int folded__count(const struct call_tree *tree, struct task_paths *paths)
{
	static const struct call_sink sink = {.begin = on_begin, .end = on_end, .mark = on_mark};
	const struct call_limits all = {.show_gate = true};
	struct counting c = {.paths = paths};
	struct left_out none = {0};
	int err = call_walk__run(tree, &all, &sink, &c, &none);

	return err ? err : task_paths__finish(paths, NULL);
}
