// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/btf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kernel_layout.h"

struct wanted {
	const char *name;
	uint64_t addr;
	bool found;
};

/*
 * `current` is the per-CPU variable current_task (to 6.1 and from 6.15 on; there const_current_task is
 * another name of it), in between a member of the per-CPU struct pcpu_hot: arch/x86/include/asm/current.h. Arm
 * has it in a register, but also in a per-CPU variable for its entry from user mode (arch/arm64/kernel/process.c);
 * the CPU's offset is in a register that the trace unit reads.
 */
enum { SWITCH_TO, THIS_CPU_OFF, CURRENT_TASK, CONST_CURRENT_TASK, PCPU_HOT, ENTRY_TASK, NR_WANTED };

static int read_kallsyms(struct wanted *wanted)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/kallsyms", "re");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;

	if (!f)
		return -errno;
	while (getline(&line, &cap, f) > 0) {
		char name[512], module[64];
		unsigned long addr;

		if (sscanf(line, "%lx %*c %511s %63s", &addr, name, module) != 2)
			continue;
		for (int i = 0; i < NR_WANTED; i++)
			if (!wanted[i].found && !strcmp(name, wanted[i].name))
				wanted[i] =
					(struct wanted){.name = wanted[i].name, .addr = addr, .found = true};
	}
	return 0;
}

DEFINE_CLEANUP(btf, struct btf *, btf__free)

/* The offset in bytes of a member that is not in an unnamed struct or union. */
static int member_offset(const struct btf *btf, const struct btf_type *type, const char *member,
			 uint64_t *ret)
{
	for (unsigned int i = 0; i < btf_vlen(type); i++) {
		const char *name = btf__name_by_offset(btf, btf_members(type)[i].name_off);

		if (!name || strcmp(name, member) != 0)
			continue;
		*ret = btf_member_bit_offset(type, i) / 8;
		return 0;
	}
	return -ENOENT;
}

/* As above, and of the members of unnamed structs in it (pcpu_hot's are in a union of a struct). */
static int find_member(const struct btf *btf, const struct btf_type *type, const char *member, uint64_t *ret)
{
	if (!member_offset(btf, type, member, ret))
		return 0;
	for (unsigned int i = 0; i < btf_vlen(type); i++) {
		const struct btf_member *m = btf_members(type) + i;
		const struct btf_type *inner = btf__type_by_id(btf, m->type);

		if (m->name_off || !inner || !btf_is_composite(inner) || find_member(btf, inner, member, ret))
			continue;
		*ret += btf_member_bit_offset(type, i) / 8;
		return 0;
	}
	return -ENOENT;
}

static int struct_offset(const struct btf *btf, const char *name, const char *member, uint64_t *ret)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);

	if (id >= 0 && !find_member(btf, btf__type_by_id(btf, (unsigned int)id), member, ret))
		return 0;
	fprintf(stderr, "oracle-mark: the kernel's BTF has no %s.%s\n", name, member);
	return -ENOENT;
}

static int find_current(struct kernel_layout *layout, const struct wanted *wanted, const struct btf *btf)
{
	uint64_t offset = 0;
	int err = 0;

	if (wanted[CURRENT_TASK].found) {
		layout->current_task = wanted[CURRENT_TASK].addr;
	} else if (wanted[PCPU_HOT].found) {
		err = struct_offset(btf, "pcpu_hot", "current_task", &offset);
		layout->current_task = wanted[PCPU_HOT].addr + offset;
	} else if (wanted[CONST_CURRENT_TASK].found) {
		layout->current_task = wanted[CONST_CURRENT_TASK].addr;
	} else if (wanted[ENTRY_TASK].found) {
		layout->current_task = wanted[ENTRY_TASK].addr;
	} else {
		fputs("oracle-mark: /proc/kallsyms has none of current_task, pcpu_hot and __entry_task\n",
		      stderr);
		err = -ENOENT;
	}
	return err;
}

static int find_symbols(struct wanted *wanted)
{
	int err = read_kallsyms(wanted);

	if (err) {
		fprintf(stderr, "oracle-mark: cannot read /proc/kallsyms: %s\n", strerror(-err));
		return err;
	}
	if (wanted[SWITCH_TO].addr && (wanted[THIS_CPU_OFF].found || wanted[ENTRY_TASK].found))
		return 0;
	fputs("oracle-mark: /proc/kallsyms has no address of __switch_to, or neither this_cpu_off nor "
	      "__entry_task; not root?\n",
	      stderr);
	return -ENOENT;
}

int kernel_layout__read(struct kernel_layout *layout)
{
	struct wanted wanted[NR_WANTED] = {
		[SWITCH_TO] = {.name = "__switch_to"},
		[THIS_CPU_OFF] = {.name = "this_cpu_off"},
		[CURRENT_TASK] = {.name = "current_task"},
		[CONST_CURRENT_TASK] = {.name = "const_current_task"},
		[PCPU_HOT] = {.name = "pcpu_hot"},
		[ENTRY_TASK] = {.name = "__entry_task"},
	};
	_cleanup_(cleanup__btf) struct btf *btf = NULL;
	int err = find_symbols(wanted);

	if (err)
		return err;
	btf = btf__load_vmlinux_btf();
	if (!btf) {
		fprintf(stderr, "oracle-mark: cannot read the kernel's BTF: %s\n", strerror(errno));
		return -errno;
	}
	*layout = (struct kernel_layout){
		.switch_to = wanted[SWITCH_TO].addr,
		.this_cpu_off = wanted[THIS_CPU_OFF].addr,
	};
	err = struct_offset(btf, "task_struct", "pid", &layout->task_pid);
	if (!err)
		err = struct_offset(btf, "task_struct", "tgid", &layout->task_tgid);
	return err ? err : find_current(layout, wanted, btf);
}
