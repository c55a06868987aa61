// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds who holds the trace PMU of a CPU. The program goes through the open files of all tasks, finds the
 * perf events among them, and writes a struct auxbpf_holder to the iterator's file for each event of the PMU
 * that keeps others from the CPU.
 *
 * A file is a perf event if it has the operations of one that the reader is known to have open: perf_fops is
 * not exported, but current is the reader here.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "auxbpf_shared.h"

char LICENSE[] SEC("license") = "GPL";

#define PERF_ATTACH_TASK 0x04 /* include/linux/perf_event.h */

const volatile __u32 pmu_type;
const volatile __s32 wanted_cpu;
const volatile __s32 reader_fd; /* a perf event of the reader's */

static __always_inline const void *perf_fops(void)
{
	struct task_struct *reader = bpf_get_current_task_btf();
	struct file **fds = BPF_CORE_READ(reader, files, fdt, fd);
	struct file *file = NULL;

	bpf_probe_read_kernel(&file, sizeof(file), fds + reader_fd);
	return file ? BPF_CORE_READ(file, f_op) : NULL;
}

/*
 * Whether the event keeps others from the CPU. Each CPU can have one CPU-wide event, and none can exist while
 * a task has one (kernel/events/core.c, exclusive_event_init() and exclusive_event_match()).
 */
static __always_inline bool event_keeps_cpu(struct perf_event *event)
{
	int cpu = BPF_CORE_READ(event, cpu);

	if (BPF_CORE_READ(event, attr.type) != pmu_type)
		return false;
	return cpu == wanted_cpu || cpu == -1 || BPF_CORE_READ(event, attach_state) & PERF_ATTACH_TASK;
}

SEC("iter/task_file")
int find_holders(struct bpf_iter__task_file *ctx)
{
	struct auxbpf_holder holder = {};
	struct task_struct *task = ctx->task;
	struct file *file = ctx->file;

	if (!task || !file || task->tgid == (__s32)(bpf_get_current_pid_tgid() >> 32) ||
	    file->f_op != perf_fops())
		return 0;
	if (!event_keeps_cpu(file->private_data))
		return 0;
	holder.pid = task->tgid;
	BPF_CORE_READ_STR_INTO(&holder.comm, task, group_leader, comm);
	bpf_seq_write(ctx->meta->seq, &holder, sizeof(holder));
	return 0;
}
