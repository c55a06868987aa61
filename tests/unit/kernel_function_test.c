// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel whose types libbpf writes: functions of every kind that matters, one of them in a module, one in
 * two modules.
 */
#include "gate/kernel_function.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdint.h>

#include "check.h"
#include "root_dir.h"
#include "said.h"

static void put_btf(const struct root_dir *root, const char *name, const struct btf *btf)
{
	uint32_t size;
	const void *data = btf__raw_data(btf, &size);

	CHECK(data && root_dir__put_bytes(root, name, data, size));
}

/* A function with the given type of its result and of its arguments. */
static void add_function(struct btf *btf, const char *name, int ret, const int *args, size_t nr)
{
	int proto = btf__add_func_proto(btf, ret);

	for (size_t i = 0; i < nr; i++)
		CHECK(!btf__add_func_param(btf, args[i] ? "arg" : "", args[i]));
	CHECK(btf__add_func(btf, name, BTF_FUNC_STATIC, proto) > 0);
}

static struct btf *make_kernel(void)
{
	struct btf *btf = btf__new_empty();
	const int integer = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	const int small = btf__add_struct(btf, "small", 16), large = btf__add_struct(btf, "large", 24);
	const int alias = btf__add_typedef(btf, "large_t", large);
	const int many[] = {integer, integer, integer, integer, integer, integer, integer,
			    integer, integer, integer, integer, integer, integer};

	add_function(btf, "vfs_fsync", integer, many, 12);
	add_function(btf, "takes_13", integer, many, 13);
	add_function(btf, "takes_small", integer, &small, 1);
	add_function(btf, "takes_large", integer, &alias, 1);
	add_function(btf, "returns_large", alias, NULL, 0);
	add_function(btf, "variable", integer, (const int[]){integer, 0}, 2);
	add_function(btf, "nothing", 0, NULL, 0);
	add_function(btf, "do_exit", 0, NULL, 0);
	add_function(btf, "hidden", 0, NULL, 0);
	add_function(btf, "twice", 0, NULL, 0);
	add_function(btf, "inlined", 0, NULL, 0);
	add_function(btf, "split", 0, NULL, 0);
	return btf;
}

static void put_module(const struct root_dir *root, struct btf *kernel, const char *name,
		       const char *const *functions)
{
	struct btf *btf = btf__new_empty_split(kernel);
	char path[64];

	for (; *functions; functions++)
		add_function(btf, *functions, 0, NULL, 0);
	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", name);
	put_btf(root, path, btf);
	btf__free(btf);
}

static void put_kernel(const struct root_dir *root)
{
	struct btf *kernel = make_kernel();

	put_btf(root, "/sys/kernel/btf/vmlinux", kernel);
	put_module(root, kernel, "ext4", (const char *const[]){"ext4_sync_file", "same", NULL});
	put_module(root, kernel, "xfs", (const char *const[]){"xfs_sync", "same", NULL});
	btf__free(kernel);
	CHECK(root_dir__put(root, "/proc/kallsyms",
			    "0000000000000000 T vfs_fsync\n0000000000000000 T vfs_fsync_range\n"
			    "0000000000000000 t takes_13\n0000000000000000 t takes_small\n"
			    "0000000000000000 t takes_large\n0000000000000000 t returns_large\n"
			    "0000000000000000 t variable\n0000000000000000 t nothing\n"
			    "0000000000000000 T do_exit\n0000000000000000 T hidden\n"
			    "0000000000000000 t twice\n0000000000000000 t twice\n"
			    "0000000000000000 T memcpy_asm\n0000000000000000 d inlined\n"
			    "0000000000000000 t split.constprop.0\n0000000000000000 t changed.isra.0\n"
			    "0000000000000000 t vfs_fsync\t[other]\n"
			    "0000000000000000 t ext4_sync_file\t[ext4]\n0000000000000000 t same\t[ext4]\n"
			    "0000000000000000 t same\t[xfs]\n0000000000000000 t xfs_sync\t[xfs]\n"));
	CHECK(root_dir__put(root, "/sys/kernel/tracing/events/header_page", ""));
	CHECK(root_dir__put(root, "/sys/kernel/tracing/available_filter_functions",
			    "vfs_fsync_range\nvfs_fsync\ntakes_small\nnothing\nhidden_too\ndo_exit\n"
			    "ext4_sync_file [ext4]\nhidden [ext4]\nxfs_sync [other]\n"));
}

static void check(const struct root_dir *root, const char *name, int expected, const char *says)
{
	struct said begun = said__begin();
	char text[1024];
	int err;

	err = kernel_function__check(root->path, name);
	said__end(begun, text, sizeof(text));
	if (!CHECK_EQ(err, expected) || !CHECK(*says ? strstr(text, says) != NULL : !*text))
		fprintf(stderr, "%s: %s\n", name, text);
}

static void test_good(const struct root_dir *root)
{
	check(root, "vfs_fsync", 0, "");
	check(root, "takes_small", 0, "");
	check(root, "nothing", 0, "");
	check(root, "ext4_sync_file", 0, "");
}

static void test_bad(const struct root_dir *root)
{
	check(root, "vfs_fsyn", -ENOENT,
	      "no function 'vfs_fsyn', or only inlined into others; did you mean vfs_fsync");
	check(root, "ext4_sync_fil", -ENOENT, "did you mean ext4_sync_file");
	check(root, "qqqqqqqqqqqqqqqqqqqqqqqq", -ENOENT, "/proc/kallsyms lists them");
	check(root, "changed", -EOPNOTSUPP, "function changed into changed.isra.0");
	check(root, "split", -EOPNOTSUPP, "function split into split.constprop.0");
	check(root, "inlined", -ENOENT, "has no code of its own");
	check(root, "memcpy_asm", -EOPNOTSUPP, "its types (BTF) are not known");
	check(root, "twice", -ENOTUNIQ, "several functions 'twice'");
	check(root, "same", -ENOTUNIQ, "several functions 'same'");
	check(root, "takes_13", -EOPNOTSUPP, "takes_13, which has too many arguments");
	check(root, "takes_large", -EOPNOTSUPP, "which takes a large structure");
	check(root, "returns_large", -EOPNOTSUPP, "which returns a structure");
	check(root, "variable", -EOPNOTSUPP, "which takes a variable number of arguments");
	check(root, "do_exit", -EOPNOTSUPP, "do_exit does not return");
	check(root, "hidden", -EOPNOTSUPP, "hidden cannot be traced");
	check(root, "xfs_sync", -EOPNOTSUPP, "xfs_sync cannot be traced");
}

static void remove_file(const struct root_dir *root, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", root->path, name);
	CHECK(!unlink(path));
}

static void test_lacks(const struct root_dir *root)
{
	struct root_dir empty;

	/* Without the list the kernel's own check has to do. */
	remove_file(root, "/sys/kernel/tracing/available_filter_functions");
	check(root, "hidden", 0, "");
	remove_file(root, "/proc/kallsyms");
	check(root, "hidden", -ENOENT, "cannot read /proc/kallsyms: No such file");
	if (CHECK(root_dir__make(&empty))) {
		check(&empty, "vfs_fsync", -ENOENT, "cannot read the kernel's types");
		root_dir__remove(&empty);
	}
}

int main(void)
{
	struct root_dir root;

	if (!CHECK(root_dir__make(&root)))
		return check__done();
	put_kernel(&root);
	test_good(&root);
	test_bad(&root);
	test_lacks(&root);
	root_dir__remove(&root);
	return check__done();
}
