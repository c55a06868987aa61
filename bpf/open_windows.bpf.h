/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tells the loader of the windows that are open: those in which a snapshot is taken, or the recording ends.
 */
#ifndef AUXBPF_OPEN_WINDOWS_BPF_H
#define AUXBPF_OPEN_WINDOWS_BPF_H

#include "window_record.bpf.h"

/* Reads the begin with a full barrier. */
static __always_inline __u64 read_begin(struct open_window *open)
{
	return __sync_fetch_and_add(&open->begin, 0);
}

/*
 * Tells of the window of this kind, if it is open. The task may run meanwhile: what was read is of one window if
 * the begin is the same before and after.
 */
static __always_inline void tell_window(struct seq_file *to, struct task_struct *task,
					struct task_state *state, enum auxbpf_window_kind kind)
{
	struct open_window *open = &state->windows.open[kind];
	struct auxbpf_window w = {.cut = AUXBPF_CUT_OPEN};
	__u64 begin = read_begin(open), left = state->windows.left;

	if (!begin)
		return;
	fill_window(&w, task, state, kind);
	if (left)
		w.off += bpf_ktime_get_ns() - left;
	if (read_begin(open) == begin)
		bpf_seq_write(to, &w, sizeof(w));
}

SEC("iter/task")
int tell_open_windows(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct seq_file *to = ctx->meta->seq;
	struct task_state *state;

	if (!task)
		return 0;
	state = task_state(task);
	if (!state)
		return 0;
	tell_window(to, task, state, AUXBPF_WINDOW_SYSCALL);
	tell_window(to, task, state, AUXBPF_WINDOW_KERNEL_FUNCTION);
	tell_window(to, task, state, AUXBPF_WINDOW_USER_FUNCTION);
	return 0;
}

#endif
