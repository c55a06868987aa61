// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the machine code of seccomp filters. The kernel makes it as it makes that of BPF programs, but has
 * filters on no list and gives them no symbol: only tasks lead to them.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "auxbpf_shared.h"

char LICENSE[] SEC("license") = "GPL";

#define SECCOMP_SET_MODE_FILTER 1 /* include/uapi/linux/seccomp.h */
#define E2BIG 7			  /* include/uapi/asm-generic/errno-base.h */

/*
 * The most filters of one task. The kernel bounds how many instructions they have together (kernel/seccomp.c,
 * MAX_INSNS_PER_PATH).
 */
#define MAX_FILTERS 64

/* The most filters that are listed: any user may have as many tasks with as many filters as they like. */
#define MAX_LISTED 16384

/* The number of filters that were listed. The loader sets it back. */
__u64 listed;

/* The loader sets which filter read_filter() reads, and finds its code here. */
struct auxbpf_filter wanted;
char code[AUXBPF_FILTER_MAX];

/* Bytes of code in a record of new_filters. There are two sizes, because most filters are small. */
#define SMALL (8 * 1024)
#define LARGE (40 * 1024)

/* New filters of tasks, each a struct auxbpf_new_filter. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 512 * 1024);
} new_filters SEC(".maps");

/* The number of new filters that were sent, and of those that were too large or had no room. */
__u64 sent;
__u64 lost;

static __always_inline struct auxbpf_filter describe(struct bpf_prog *prog)
{
	return (struct auxbpf_filter){
		.prog = (__u64)prog,
		.addr = (__u64)BPF_CORE_READ(prog, bpf_func),
		.len = BPF_CORE_READ(prog, jited_len),
	};
}

static __always_inline void write_filter(struct seq_file *seq, struct bpf_prog *prog)
{
	struct auxbpf_filter filter = describe(prog);

	if (filter.len && listed++ < MAX_LISTED)
		bpf_seq_write(seq, &filter, sizeof(filter));
}

/* The newest filter of a task; NULL if it is its leader's too, as it mostly is in threads. */
static __always_inline struct seccomp_filter *filter_of(struct task_struct *task)
{
	struct seccomp_filter *filter = BPF_CORE_READ(task, seccomp.filter);
	struct task_struct *leader = BPF_CORE_READ(task, group_leader);

	return leader != task && BPF_CORE_READ(leader, seccomp.filter) == filter ? NULL : filter;
}

/* Run by the loader: writes a struct auxbpf_filter for each filter of each task. */
SEC("iter/task")
int list_filters(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct seccomp_filter *filter;

	if (!task || listed >= MAX_LISTED || !bpf_core_field_exists(task->seccomp.filter))
		return 0;
	filter = filter_of(task);
	for (int i = 0; i < MAX_FILTERS && filter; i++) {
		write_filter(ctx->meta->seq, BPF_CORE_READ(filter, prog));
		filter = BPF_CORE_READ(filter, prev);
	}
	return 0;
}

/* Run by the loader: reads the code of the wanted filter. */
SEC("syscall")
int read_filter(void *ctx)
{
	__u64 len = wanted.len;

	if (len > sizeof(code))
		return -E2BIG;
	return bpf_probe_read_kernel(code, len, (const void *)wanted.addr);
}

static __always_inline void send(const struct auxbpf_filter *filter, const __u64 size)
{
	struct auxbpf_new_filter *new = bpf_ringbuf_reserve(&new_filters, sizeof(*new) + size, 0);
	__u64 len = filter->len;

	if (!new || len > size) {
		__sync_fetch_and_add(&lost, 1);
		if (new)
			bpf_ringbuf_discard(new, 0);
		return;
	}
	new->filter = *filter;
	if (bpf_probe_read_kernel(new->code, len, (const void *)filter->addr))
		new->filter.len = 0;
	bpf_ringbuf_submit(new, BPF_RB_NO_WAKEUP);
	__sync_fetch_and_add(&sent, 1);
}

/* Sends a new filter at once, because its task may be gone before anybody looks for it. */
SEC("?fexit/do_seccomp")
int BPF_PROG(on_new_filter, unsigned int op, unsigned int flags, void *args, long ret)
{
	struct seccomp_filter *own = bpf_get_current_task_btf()->seccomp.filter;
	struct auxbpf_filter filter = {};

	if (op != SECCOMP_SET_MODE_FILTER || ret < 0 || !own)
		return 0;
	filter = describe(own->prog);
	if (!filter.len)
		return 0;
	if (filter.len <= SMALL)
		send(&filter, SMALL);
	else
		send(&filter, LARGE);
	return 0;
}
