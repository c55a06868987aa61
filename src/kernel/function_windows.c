// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/function_windows.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "function.skel.h"
#include "kernel/helper_calls.h"
#include "kernel/kernel_function.h"
#include "kernel/user_function.h"
#include "pure/function_spec.h"

#define NR_LINKS 4 /* of one kernel function: two programs at the return, two at the entry */

/* One that was asked for. */
struct window {
	struct function_spec spec;
	struct function_bpf *skel; /* of the kernel's */
	struct bpf_link *links[NR_LINKS];
};

/* A user's function in one file. */
struct probe {
	size_t window;
	struct user_function function;
	struct bpf_link *entry, *leave;
};

struct function_windows {
	const struct function_windows_opts *opts;
	struct function_programs programs;
	struct window *windows;
	size_t nr;
	struct buf probes; /* struct probe */
	bool attached;
};

static struct probe *first_probe(const struct function_windows *fw)
{
	return (struct probe *)(void *)fw->probes.data;
}

static size_t nr_probes(const struct function_windows *fw)
{
	return fw->probes.len / sizeof(struct probe);
}

static bool is_known(const struct function_windows *fw, size_t window, const struct user_function *function)
{
	const struct probe *p = first_probe(fw);

	for (size_t i = 0; i < nr_probes(fw); i++)
		if (p[i].window == window && p[i].function.ino == function->ino &&
		    p[i].function.dev == function->dev)
			return true;
	return false;
}

/* Takes over what is in no probe yet. */
static int add_probes(struct function_windows *fw, size_t window, struct user_functions *found)
{
	for (size_t i = 0; i < found->nr; i++) {
		struct probe probe = {.window = window, .function = found->items[i]};

		if (is_known(fw, window, &probe.function))
			continue;
		buf__add(&fw->probes, &probe, sizeof(probe));
		if (buf__error(&fw->probes))
			return buf__error(&fw->probes);
		found->items[i].fd = -1;
		found->items[i].name = NULL;
	}
	return 0;
}

static int find_user(struct function_windows *fw, size_t window, const int *pids, size_t nr_pids,
		     bool optional)
{
	struct user_functions found;
	int err = user_function__find(fw->opts->root, &fw->windows[window].spec, pids, nr_pids, optional,
				      &found);

	if (err)
		return optional && err != -ENOMEM ? 0 : err;
	err = add_probes(fw, window, &found);
	user_functions__release(&found);
	return err;
}

static int find_one(struct function_windows *fw, size_t window, const char *where)
{
	struct function_spec *spec = &fw->windows[window].spec;
	char message[512];
	int err = function_spec__parse(where, spec, message, sizeof(message));

	if (err == -EINVAL)
		log_err("--on-function: %s", message);
	if (err)
		return err;
	if (!spec->binary)
		return kernel_function__check(fw->opts->root, spec->symbol);
	return find_user(fw, window, fw->opts->pids, fw->opts->nr_pids, fw->opts->wait);
}

int function_windows__new(const struct function_windows_opts *opts, struct function_windows **ret)
{
	_cleanup_(cleanup__function_windows) struct function_windows *fw = calloc(1, sizeof(*fw));
	int err = 0;

	if (!fw)
		return -ENOMEM;
	fw->opts = opts;
	fw->windows = calloc(opts->nr_functions, sizeof(*fw->windows));
	if (!fw->windows && opts->nr_functions)
		return -ENOMEM;
	for (; !err && fw->nr < opts->nr_functions; fw->nr++)
		err = find_one(fw, fw->nr, opts->functions[fw->nr]);
	if (err)
		return err;
	*ret = steal_ptr(fw);
	return 0;
}

static bool has_kind(const struct function_windows *fw, bool user)
{
	for (size_t i = 0; i < fw->nr; i++)
		if (!fw->windows[i].spec.binary != user)
			return true;
	return false;
}

bool function_windows__in_kernel(const struct function_windows *fw)
{
	return has_kind(fw, false);
}

bool function_windows__in_user(const struct function_windows *fw)
{
	return has_kind(fw, true);
}

/* All maps of the object that the main one has too are that one's. */
static int share_maps(struct bpf_object *object, struct bpf_object *main)
{
	struct bpf_map *map, *shared;
	int err;

	bpf_object__for_each_map(map, object)
	{
		if (bpf_map__is_internal(map))
			continue;
		shared = bpf_object__find_map_by_name(main, bpf_map__name(map));
		if (!shared)
			return -ENOENT;
		err = bpf_map__reuse_fd(map, bpf_map__fd(shared));
		if (err)
			return err;
	}
	return 0;
}

static int load_kernel(struct window *w, const struct auxbpf_config *config, struct bpf_object *main)
{
	struct bpf_program *prog;
	int err;

	w->skel = function_bpf__open();
	if (!w->skel)
		return -errno;
	memcpy((void *)(uintptr_t)&w->skel->rodata->config, config, sizeof(*config));
	err = share_maps(w->skel->obj, main);
	bpf_object__for_each_program(prog, w->skel->obj)
	{
		if (!err)
			err = bpf_program__set_attach_target(prog, 0, w->spec.symbol);
	}
	if (!err && config->control != AUXBPF_CONTROL_TRACEPOINT)
		err = helper_calls__remove(w->skel->obj, BPF_FUNC_trace_printk);
	return err ? err : function_bpf__load(w->skel);
}

int function_windows__load(struct function_windows *fw, const struct auxbpf_config *config,
			   const struct function_programs *programs)
{
	fw->programs = *programs;
	for (size_t i = 0; i < fw->nr; i++) {
		struct window *w = &fw->windows[i];
		int err = w->spec.binary ? 0 : load_kernel(w, config, programs->main);

		if (err) {
			log_err("cannot load the BPF programs for the kernel's function %s: %s; run with -v "
				"to see "
				"what the kernel says",
				w->spec.symbol, strerror(-err));
			return err;
		}
	}
	return 0;
}

/* Returns first: a call that begins in between would open a window that nothing closes. */
static int attach_kernel(struct window *w)
{
	struct bpf_program *const programs[NR_LINKS] = {
		w->skel->progs.on_return,
		w->skel->progs.on_return_spare,
		w->skel->progs.on_entry,
		w->skel->progs.on_entry_spare,
	};

	for (size_t i = 0; i < NR_LINKS; i++) {
		int err;

		w->links[i] = bpf_program__attach(programs[i]);
		if (w->links[i])
			continue;
		err = -errno;
		log_err("cannot attach to the kernel's function %s: %s", w->spec.symbol, strerror(-err));
		return err;
	}
	return 0;
}

static void log_probe_error(const struct probe *p, int err)
{
	const char *advice = "";

	if (err == -EPERM || err == -EACCES)
		advice = "; uprobes are not allowed here: run as root";
	else if (err == -ENOENT || err == -EOPNOTSUPP || err == -ENOSYS)
		advice = "; the kernel must have CONFIG_UPROBE_EVENTS";
	else if (err == -EIO)
		advice = "; the kernel cannot put probes into files of this file system";
	log_err("cannot put a probe into %s at offset 0x%llx: %s%s", p->function.name,
		(unsigned long long)p->function.offset, strerror(-err), advice);
}

/* One for each file: by it the program tells a second probe in the same place from a second call. */
static uint64_t file_cookie(const struct user_function *function)
{
	return (uint64_t)function->dev << 32 ^ function->ino;
}

static struct bpf_link *put_probe(struct bpf_program *prog, const struct probe *p, bool at_return)
{
	DECLARE_LIBBPF_OPTS(bpf_uprobe_opts, opts, .retprobe = at_return,
			    .bpf_cookie = file_cookie(&p->function));
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", p->function.fd);
	return bpf_program__attach_uprobe_opts(prog, -1, path, p->function.offset, &opts);
}

static int attach_probe(const struct function_windows *fw, struct probe *p)
{
	int err = 0;

	if (!p->leave) {
		p->leave = put_probe(fw->programs.leave, p, true);
		err = p->leave ? 0 : -errno;
	}
	if (!err && !p->entry) {
		p->entry = put_probe(fw->programs.entry, p, false);
		err = p->entry ? 0 : -errno;
	}
	if (err)
		log_probe_error(p, err);
	return err;
}

static int attach_probes(struct function_windows *fw)
{
	int err = 0;

	for (size_t i = 0; !err && i < nr_probes(fw); i++)
		err = attach_probe(fw, &first_probe(fw)[i]);
	return err;
}

int function_windows__attach(struct function_windows *fw)
{
	int err = attach_probes(fw);

	for (size_t i = 0; !err && i < fw->nr; i++)
		err = fw->windows[i].skel ? attach_kernel(&fw->windows[i]) : 0;
	fw->attached = !err;
	return err;
}

int function_windows__add_processes(struct function_windows *fw, const int *pids, size_t nr)
{
	int err = 0;

	for (size_t i = 0; !err && i < fw->nr; i++)
		if (fw->windows[i].spec.binary)
			err = find_user(fw, i, pids, nr, true);
	return !err && fw->attached ? attach_probes(fw) : err;
}

void function_windows__log_uncalled(const struct function_windows *fw)
{
	for (size_t i = 0; i < fw->nr; i++) {
		const struct window *w = &fw->windows[i];

		if (w->skel && !w->skel->bss->called)
			log_warn("nobody called the kernel's function %s; where the compiler has inlined it "
				 "into its "
				 "callers, as it may in its own source file, that cannot be seen",
				 w->spec.symbol);
	}
}

static void destroy(struct bpf_link **link)
{
	bpf_link__destroy(*link);
	*link = NULL;
}

void function_windows__detach(struct function_windows *fw)
{
	struct probe *p = first_probe(fw);

	fw->attached = false;
	for (size_t i = 0; i < nr_probes(fw); i++) {
		destroy(&p[i].entry);
		destroy(&p[i].leave);
	}
	for (size_t i = 0; i < fw->nr; i++)
		for (size_t j = NR_LINKS; j-- > 0;)
			destroy(&fw->windows[i].links[j]);
}

void function_windows__free(struct function_windows *fw)
{
	if (!fw)
		return;
	function_windows__detach(fw);
	for (size_t i = 0; i < nr_probes(fw); i++) {
		cleanup__close(&first_probe(fw)[i].function.fd);
		free(first_probe(fw)[i].function.name);
	}
	buf__release(&fw->probes);
	for (size_t i = 0; i < fw->nr; i++) {
		function_bpf__destroy(fw->windows[i].skel);
		function_spec__release(&fw->windows[i].spec);
	}
	free(fw->windows);
	free(fw);
}
