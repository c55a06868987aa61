// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sees at which switches rules fire: behind the program of triggers, by what that has counted. Rule N is one
 * of CPU N, so that nobody else counts meanwhile.
 */
#include "history.bpf.h"
#include "fires.h"

char LICENSE[] SEC("license") = "GPL";

/* That of bpf/freeze.bpf.h. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, AUXBPF_MAX_TRIGGERS);
	__type(key, __u32);
	__type(value, struct auxbpf_trigger_state);
} trigger_states SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
} fires SEC(".maps");

/* Of each CPU: what was counted before. */
__u64 seen[AUXBPF_MAX_TRIGGERS];

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switched, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u32 rule = bpf_get_smp_processor_id(), cpu = rule & (AUXBPF_MAX_TRIGGERS - 1);
	struct auxbpf_trigger_state *state = bpf_map_lookup_elem(&trigger_states, &rule);
	struct task_history *h;
	struct fire *f;

	if (!state || state->seen == seen[cpu])
		return 0;
	seen[cpu] = state->seen;
	f = bpf_ringbuf_reserve(&fires, sizeof(*f), 0);
	if (!f)
		return 0;
	f->time = bpf_ktime_get_ns();
	f->tid = next->pid;
	f->cpu = cpu;
	f->state = 0;
	f->waker[0] = '\0';
	h = history(next);
	if (h) {
		f->state = h->state;
		__builtin_memcpy(f->waker, h->waker_comm, sizeof(f->waker));
	}
	bpf_ringbuf_submit(f, 0);
	return 0;
}
