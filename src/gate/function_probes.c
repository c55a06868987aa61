// SPDX-License-Identifier: GPL-2.0-only
#include "gate/function_probes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "gate/kernel_function.h"
#include "rules/function_name.h"
#include "symbols/user_function.h"

#define NR_LINKS 4 /* of a kernel function: two programs at the return, two at the entry */

/* A function that the user named. */
struct function {
	struct function_name spec;
	struct bpf_object *object; /* for a kernel function */
	struct bpf_link *links[NR_LINKS];
};

/* A user function in one file. */
struct probe {
	size_t number; /* of the function in the options */
	struct user_function function;
	struct bpf_link *entry, *leave;
};

struct function_probes {
	const struct function_probes_opts *opts;
	struct function_programs programs;
	struct function *functions;
	size_t nr;
	struct buf probes; /* struct probe */
	struct file_helper helper;
	bool attached;
};

static struct probe *first_probe(const struct function_probes *fp)
{
	return (struct probe *)(void *)fp->probes.data;
}

static size_t nr_probes(const struct function_probes *fp)
{
	return fp->probes.len / sizeof(struct probe);
}

static bool is_known(const struct function_probes *fp, size_t number, const struct user_function *function)
{
	const struct probe *p = first_probe(fp);

	for (size_t i = 0; i < nr_probes(fp); i++)
		if (p[i].number == number && p[i].function.ino == function->ino &&
		    p[i].function.dev == function->dev)
			return true;
	return false;
}

/* Adds a probe for each function that has none yet, and takes the function over from @found. */
static int add_probes(struct function_probes *fp, size_t number, struct user_functions *found)
{
	for (size_t i = 0; i < found->nr; i++) {
		struct probe probe = {.number = number, .function = found->items[i]};

		if (is_known(fp, number, &probe.function))
			continue;
		buf__add(&fp->probes, &probe, sizeof(probe));
		if (buf__error(&fp->probes))
			return buf__error(&fp->probes);
		found->items[i].fd = -1;
		found->items[i].name = NULL;
	}
	return 0;
}

static int find_user(struct function_probes *fp, size_t number, const int *pids, size_t nr_pids,
		     bool optional)
{
	struct user_functions found;
	int err = user_function__find(fp->opts->root, &fp->functions[number].spec, pids, nr_pids, optional,
				      &fp->helper, &found);

	if (err)
		return optional && err != -ENOMEM ? 0 : err;
	err = add_probes(fp, number, &found);
	user_functions__release(&found);
	return err;
}

static int find_one(struct function_probes *fp, size_t number, const int *pids, size_t nr_pids)
{
	struct function_name *spec = &fp->functions[number].spec;
	char message[512];
	int err = function_name__parse(fp->opts->functions[number], spec, message, sizeof(message));

	if (err == -EINVAL)
		log_err("%s: %s", fp->opts->option, message);
	if (err)
		return err;
	if (!spec->binary)
		return kernel_function__check(fp->opts->root, spec->symbol);
	return find_user(fp, number, pids, nr_pids, fp->opts->wait);
}

int function_probes__new(const struct function_probes_opts *opts, const int *pids, size_t nr_pids,
			 struct function_probes **ret)
{
	_cleanup_(cleanup__function_probes) struct function_probes *fp = calloc(1, sizeof(*fp));
	int err = 0;

	if (!fp)
		return -ENOMEM;
	fp->opts = opts;
	file_helper__init(&fp->helper, FILE_HELPER_TIME);
	fp->functions = calloc(opts->nr_functions, sizeof(*fp->functions));
	if (!fp->functions && opts->nr_functions)
		return -ENOMEM;
	for (; !err && fp->nr < opts->nr_functions; fp->nr++)
		err = find_one(fp, fp->nr, pids, nr_pids);
	if (err)
		return err;
	*ret = steal_ptr(fp);
	return 0;
}

bool function_probes__in_user(const struct function_probes *fp)
{
	for (size_t i = 0; i < fp->nr; i++)
		if (fp->functions[i].spec.binary)
			return true;
	return false;
}

const char *function_probes__kernel_symbol(const struct function_probes *fp, size_t function)
{
	const struct function_name *spec = &fp->functions[function].spec;

	return spec->binary ? NULL : spec->symbol;
}

int function_probes__set_target(struct bpf_object *object, const char *symbol)
{
	struct bpf_program *prog;
	int err = 0;

	bpf_object__for_each_program(prog, object)
	{
		if (!err)
			err = bpf_program__set_attach_target(prog, 0, symbol);
	}
	return err;
}

int function_probes__load(struct function_probes *fp, const struct function_programs *programs)
{
	fp->programs = *programs;
	for (size_t i = 0; i < fp->nr; i++) {
		const char *symbol = function_probes__kernel_symbol(fp, i);
		int err = symbol ? programs->load(programs->ctx, i, symbol, &fp->functions[i].object) : 0;

		if (err) {
			log_err("cannot load the BPF programs for the kernel's function %s: %s; run with "
				"-v to see what the kernel says",
				symbol, strerror(-err));
			return err;
		}
	}
	return 0;
}

/* Attaches to returns first: a call that begins in between would have no end. */
static int attach_kernel(struct function *f)
{
	static const char *const names[NR_LINKS] = {"on_return", "on_return_spare", "on_entry",
						    "on_entry_spare"};

	for (size_t i = 0; i < NR_LINKS; i++) {
		int err;

		f->links[i] = bpf_program__attach(bpf_object__find_program_by_name(f->object, names[i]));
		if (f->links[i])
			continue;
		err = -errno;
		log_err("cannot attach to the kernel's function %s: %s", f->spec.symbol, strerror(-err));
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

/*
 * Warns of a copy of the kernel's page that cannot be right for all that the kernel executes there
 * (capture/programs/uprobe_elf.h).
 */
static void warn_of_branch(const struct function_probes *fp, const struct probe *p)
{
	if (p->function.begins_with_branch)
		log_warn("%s begins with a return or an indirect jump, which the kernel executes elsewhere: "
			 "decoders of user mode report an error in each of its calls",
			 fp->opts->functions[p->number]);
}

/* The number of a file. By it a program tells a second probe in the same place from a second call. */
static uint64_t file_id(const struct user_function *function)
{
	return (uint64_t)function->dev << 32 ^ function->ino;
}

static struct bpf_link *put_probe(const struct function_programs *programs, const struct probe *p,
				  bool at_return)
{
	DECLARE_LIBBPF_OPTS(bpf_uprobe_opts, opts, .retprobe = at_return,
			    .bpf_cookie = programs->cookie(p->number, file_id(&p->function)));
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", p->function.fd);
	return bpf_program__attach_uprobe_opts(at_return ? programs->leave : programs->entry, -1, path,
					       p->function.offset, &opts);
}

static int attach_probe(const struct function_probes *fp, struct probe *p)
{
	int err = 0;

	if (!p->leave) {
		p->leave = put_probe(&fp->programs, p, true);
		err = p->leave ? 0 : -errno;
	}
	if (!err && !p->entry) {
		p->entry = put_probe(&fp->programs, p, false);
		err = p->entry ? 0 : -errno;
		if (!err)
			warn_of_branch(fp, p);
	}
	if (err)
		log_probe_error(p, err);
	return err;
}

static int attach_probes(struct function_probes *fp)
{
	int err = 0;

	for (size_t i = 0; !err && i < nr_probes(fp); i++)
		err = attach_probe(fp, &first_probe(fp)[i]);
	return err;
}

int function_probes__attach(struct function_probes *fp)
{
	int err = attach_probes(fp);

	for (size_t i = 0; !err && i < fp->nr; i++)
		err = fp->functions[i].object ? attach_kernel(&fp->functions[i]) : 0;
	fp->attached = !err;
	return err;
}

int function_probes__add_processes(struct function_probes *fp, const int *pids, size_t nr)
{
	int err = 0;

	for (size_t i = 0; !err && i < fp->nr; i++)
		if (fp->functions[i].spec.binary)
			err = find_user(fp, i, pids, nr, true);
	return !err && fp->attached ? attach_probes(fp) : err;
}

void function_probes__log_uncalled(const struct function_probes *fp, size_t function)
{
	log_warn("nobody called the kernel's function %s; where the compiler has inlined it into its "
		 "callers, as it may in its own source file, that cannot be seen",
		 fp->functions[function].spec.symbol);
}

static void destroy(struct bpf_link **link)
{
	bpf_link__destroy(*link);
	*link = NULL;
}

void function_probes__detach(struct function_probes *fp)
{
	struct probe *p = first_probe(fp);

	fp->attached = false;
	for (size_t i = 0; i < nr_probes(fp); i++) {
		destroy(&p[i].entry);
		destroy(&p[i].leave);
	}
	for (size_t i = 0; i < fp->nr; i++)
		for (size_t j = NR_LINKS; j-- > 0;)
			destroy(&fp->functions[i].links[j]);
}

void function_probes__free(struct function_probes *fp)
{
	if (!fp)
		return;
	function_probes__detach(fp);
	for (size_t i = 0; i < nr_probes(fp); i++) {
		cleanup__close(&first_probe(fp)[i].function.fd);
		free(first_probe(fp)[i].function.name);
	}
	buf__release(&fp->probes);
	file_helper__release(&fp->helper);
	for (size_t i = 0; i < fp->nr; i++)
		function_name__release(&fp->functions[i].spec);
	free(fp->functions);
	free(fp);
}
