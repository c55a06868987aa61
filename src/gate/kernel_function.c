// SPDX-License-Identifier: GPL-2.0-only
#include "gate/kernel_function.h"

#include <bpf/btf.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/nearest.h"
#include "base/path.h"
#include "symbols/kallsyms.h"
#include "trace/tracefs.h"

#define SYMBOL_MAX 512 /* the kernel's KSYM_NAME_LEN */
#define ARGS_MAX 12    /* the kernel's MAX_BPF_FUNC_ARGS */
#define STRUCT_MAX 16  /* the largest structure that is passed in registers */

struct lookup {
	const char *root;
	const char *name;
	struct btf *kernel;
	struct btf *module; /* the BTF of the module that has the function, if one does */
	char module_name[MODULE_NAME_MAX];
	int type_id;	     /* of the function, in one of the two; 0: it is in none */
	unsigned int places; /* how many of the kernel and its modules have it */
	struct nearest near;
};

static void offer_functions(struct lookup *l, const struct btf *btf, uint32_t first)
{
	for (uint32_t id = first; id < btf__type_cnt(btf); id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);

		if (btf_is_func(type))
			nearest__offer(&l->near, l->name, btf__name_by_offset(btf, type->name_off));
	}
}

static int find_in_kernel(struct lookup *l)
{
	char path[PATH_MAX];
	int id;

	snprintf(path, sizeof(path), "%s/sys/kernel/btf/vmlinux", l->root);
	l->kernel = btf__parse(path, NULL);
	if (!l->kernel) {
		int err = -errno;

		log_err("cannot read the kernel's types from %s: %s", path, strerror(-err));
		return err;
	}
	id = btf__find_by_name_kind(l->kernel, l->name, BTF_KIND_FUNC);
	if (id > 0) {
		l->type_id = id;
		l->places = 1;
	}
	return 0;
}

/* Looks for the function in a module, and keeps the module's types if they have it. */
static void find_in_module(struct lookup *l, const char *module)
{
	char path[PATH_MAX];
	struct btf *btf;
	int id;

	snprintf(path, sizeof(path), "%s/sys/kernel/btf/%s", l->root, module);
	btf = btf__parse_split(path, l->kernel);
	if (!btf)
		return;
	id = btf__find_by_name_kind(btf, l->name, BTF_KIND_FUNC);
	if (id <= 0) {
		offer_functions(l, btf, btf__type_cnt(l->kernel));
		btf__free(btf);
		return;
	}
	btf__free(l->module);
	l->module = btf;
	l->type_id = id;
	l->places++;
	snprintf(l->module_name, sizeof(l->module_name), "%s", module);
}

static int find_in_modules(struct lookup *l)
{
	_cleanup_closedir_ DIR *dir = path__opendir(l->root, "/sys/kernel/btf");
	struct dirent *entry;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, "vmlinux"))
			find_in_module(l, entry->d_name);
	return 0;
}

/* The symbols of the name in kallsyms. */
struct symbols {
	unsigned int nr;		/* symbols of code of exactly this name, where its types are */
	char changed[NEAREST_NAME_MAX]; /* NAME.isra.0 or the like; empty: there is none */
};

static bool is_where_types_are(const struct lookup *l, const struct kallsyms_symbol *symbol)
{
	if (!l->module)
		return !symbol->module.len;
	return kallsyms__name_is(symbol->module, l->module_name);
}

static int scan_symbols(const struct lookup *l, struct symbols *ret)
{
	_cleanup_close_ int fd = path__open(l->root, "/proc/kallsyms");
	_cleanup_buf_ struct buf text = {0};
	const size_t len = strlen(l->name);
	struct kallsyms_symbol symbol;
	size_t pos = 0;
	int err = fd < 0 ? fd : path__read_all(fd, &text);

	if (err) {
		log_err("cannot read /proc/kallsyms: %s", strerror(-err));
		return err;
	}
	while (kallsyms__next(buf__span(&text), &pos, &symbol)) {
		const char *name = symbol.name.data;

		if (!kallsyms__is_code(&symbol) || symbol.name.len < len || memcmp(name, l->name, len))
			continue;
		if (symbol.name.len > len && name[len] == '.')
			snprintf(ret->changed, sizeof(ret->changed), "%.*s", (int)symbol.name.len, name);
		else if (symbol.name.len == len && (!l->type_id || is_where_types_are(l, &symbol)))
			ret->nr++;
	}
	return 0;
}

static int log_changed(const struct lookup *l, const struct symbols *symbols)
{
	log_err("the compiler has turned the kernel's function %s into %s, which BPF cannot be attached to; "
		"a function that calls it may do",
		l->name, symbols->changed);
	return -EOPNOTSUPP;
}

static int log_unknown(struct lookup *l, const struct symbols *symbols)
{
	char names[NEAREST_MAX * (NEAREST_NAME_MAX + 8)];

	if (*symbols->changed)
		return log_changed(l, symbols);
	if (symbols->nr) {
		log_err("BPF cannot be attached to the kernel's function %s: its types (BTF) are not "
			"known, as with functions in assembler; a function that calls it may do",
			l->name);
		return -EOPNOTSUPP;
	}
	offer_functions(l, l->kernel, 1);
	nearest__format(&l->near, names, sizeof(names));
	if (*names)
		log_err("the kernel has no function '%s', or only inlined into others; did you mean %s?",
			l->name, names);
	else
		log_err("the kernel has no function '%s', or only inlined into others; /proc/kallsyms "
			"lists them",
			l->name);
	return -ENOENT;
}

static int check_symbols(const struct lookup *l, const struct symbols *symbols)
{
	if (l->places > 1 || symbols->nr > 1) {
		log_err("the kernel and its modules have several functions '%s', and BPF cannot be told "
			"which of them; a function that calls the one may do",
			l->name);
		return -ENOTUNIQ;
	}
	if (symbols->nr)
		return 0;
	if (*symbols->changed)
		return log_changed(l, symbols);
	log_err("the kernel's function %s has no code of its own, it is inlined into others", l->name);
	return -ENOENT;
}

static const struct btf_type *skip_modifiers(const struct btf *btf, uint32_t id)
{
	const struct btf_type *type = btf__type_by_id(btf, id);

	while (type && (btf_is_mod(type) || btf_is_typedef(type)))
		type = btf__type_by_id(btf, type->type);
	return type;
}

/* Why kernel/bpf/btf.c, btf_distill_func_proto() refuses the function; NULL if it does not. */
static const char *find_bad_type(const struct btf *btf, int type_id)
{
	const struct btf_type *func = btf__type_by_id(btf, (uint32_t)type_id);
	const struct btf_type *proto = btf__type_by_id(btf, func->type);
	const struct btf_param *params = btf_params(proto);
	const struct btf_type *type;
	uint16_t nr = btf_vlen(proto);

	if (nr > ARGS_MAX)
		return "has too many arguments";
	if (nr && !params[nr - 1].type)
		return "takes a variable number of arguments";
	type = skip_modifiers(btf, proto->type);
	if (type && btf_is_composite(type))
		return "returns a structure";
	for (uint16_t i = 0; i < nr; i++) {
		type = skip_modifiers(btf, params[i].type);
		if (type && btf_is_composite(type) && type->size > STRUCT_MAX)
			return "takes a large structure as an argument";
	}
	return NULL;
}

/*
 * Whether the function is marked __noreturn. Newer kernels refuse such functions themselves
 * (kernel/bpf/verifier.c, noreturn_deny).
 */
static bool never_returns(const char *name)
{
	static const char *const names[] = {
		"do_exit",
		"do_group_exit",
		"make_task_dead",
		"kthread_exit",
		"kthread_complete_and_exit",
		"__module_put_and_kthread_exit",
		"__x64_sys_exit",
		"__x64_sys_exit_group",
		"__ia32_sys_exit",
		"__ia32_sys_exit_group",
		"__arm64_sys_exit",
		"__arm64_sys_exit_group",
		"panic",
		"__stack_chk_fail",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Whether a line names the function: "vfs_fsync" or "ext4_sync_file [ext4]". */
static bool is_line_of(const struct lookup *l, const char *line)
{
	const size_t len = strlen(l->name), module = strlen(l->module_name);

	if (strncmp(line, l->name, len))
		return false;
	line += len;
	if (!module)
		return *line == '\n' || !*line;
	return !strncmp(line, " [", 2) && !strncmp(line + 2, l->module_name, module) &&
	       line[2 + module] == ']';
}

/*
 * Whether ftrace can patch the function, which fentry needs: it cannot if the function is marked notrace, or
 * is in one of some sections.
 */
static bool is_traceable(const struct lookup *l)
{
	_cleanup_close_ int fd = tracefs__open(l->root, "available_filter_functions");
	_cleanup_fclose_ FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	char line[SYMBOL_MAX + MODULE_NAME_MAX + 8];

	/* Without the list, the kernel says so at attaching. */
	if (!file)
		return true;
	fd = -1;
	while (fgets(line, sizeof(line), file))
		if (is_line_of(l, line))
			return true;
	return false;
}

static int check_attachable(const struct lookup *l)
{
	const char *bad = find_bad_type(l->module ? l->module : l->kernel, l->type_id);

	if (bad) {
		log_err("BPF cannot be attached to the kernel's function %s, which %s", l->name, bad);
		return -EOPNOTSUPP;
	}
	if (never_returns(l->name)) {
		log_err("the kernel's function %s does not return: a window in it would have no end",
			l->name);
		return -EOPNOTSUPP;
	}
	if (!is_traceable(l)) {
		log_err("the kernel's function %s cannot be traced: it is marked notrace, or in a section "
			"that ftrace leaves alone (available_filter_functions in tracefs lists those that "
			"can)",
			l->name);
		return -EOPNOTSUPP;
	}
	return 0;
}

static int check(struct lookup *l)
{
	struct symbols symbols = {0};
	int err = find_in_kernel(l);

	if (!err && !l->type_id)
		err = find_in_modules(l);
	if (!err)
		err = scan_symbols(l, &symbols);
	if (err)
		return err;
	if (!l->type_id)
		return log_unknown(l, &symbols);
	err = check_symbols(l, &symbols);
	return err ? err : check_attachable(l);
}

int kernel_function__check(const char *root, const char *name)
{
	struct lookup l = {.root = root, .name = name};
	int err = check(&l);

	btf__free(l.module);
	btf__free(l.kernel);
	return err;
}
