// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers at one tracepoint, with conditions on the fields of its record. The loader opens this object once
 * for each tracepoint that rules name, and gives it the maps of the main object (auxbpf.bpf.c,
 * trigger.bpf.c).
 *
 * Only a classic tracepoint program sees the record. But perf runs it inside its own recursion context
 * (include/trace/perf.h), so it cannot move the gate in the tracepoint way. So it takes the fields out, and a
 * tp_btf program, which holds no such context, does the rest. That one is attached later, so it runs behind
 * perf's probe, which runs the first one (kernel/tracepoint.c, func_add()).
 *
 * Preemption: the tp_btf program comes twice, as in the main object. The classic one is never preempted, but
 * the kernel skips it while a map is changed on its CPU (kernel/trace/bpf_trace.c, trace_call_bpf()), and
 * counts that.
 */
#include "tracepoint_record.bpf.h"
#include "trigger_task.bpf.h"

char LICENSE[] SEC("license") = "GPL";

const volatile struct auxbpf_tracepoint point = {};

/* Records that did not get to the other program. Not in .bss, which is the session's (gate.bpf.h). */
__u64 lost SEC(".data");

/* Takes the record. It returns 1 in any case, so that others who listen on the tracepoint see the event. */
SEC("tracepoint")
int on_record(const void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct record *r;

	if (!is_watched(task))
		return 1;
	r = this_record(task);
	if (!r || r->in_use || r->tracepoint)
		__sync_fetch_and_add(&lost, 1);
	if (!r || r->in_use)
		return 1;
	r->in_use = 1;
	r->tracepoint = 0;
	barrier();
	if (!bpf_probe_read_kernel(r->bytes, point.size & (AUXBPF_RECORD_MAX - 1),
				   (const void *)((__u64)ctx + point.begin)))
		r->tracepoint = point.id;
	barrier();
	r->in_use = 0;
	return 1;
}

static __always_inline __u64 read_field(const struct record *r, const volatile struct auxbpf_record_field *f)
{
	const __u8 *at = &r->bytes[f->offset & (AUXBPF_RECORD_MAX - 1)];

	switch (f->size) {
	case 1:
		return f->is_signed ? (__u64)(__s64) * (const __s8 *)at : *at;
	case 2:
		return f->is_signed ? (__u64)(__s64) * (const __s16 *)at : *(const __u16 *)at;
	case 4:
		return f->is_signed ? (__u64)(__s64) * (const __s32 *)at : *(const __u32 *)at;
	default:
		return *(const __u64 *)at;
	}
}

/* Sets the fields that rule @i names. */
static __always_inline void set_fields(struct auxbpf_event *e, const struct record *r, __u32 i)
{
	__u32 n;

	for (n = 0; n < AUXBPF_TRIGGER_EXTRAS; n++) {
		const volatile struct auxbpf_record_field *f = &point.fields[i][n];

		e->known &= ~(1ull << (AUXBPF_FIELD_EXTRA0 + n));
		if (f->size)
			set_field(e, AUXBPF_FIELD_EXTRA0 + n, read_field(r, f));
	}
}

static __always_inline int take_record(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct record *r = this_record(task);
	struct auxbpf_event e = {};
	__u64 rules = point.rules;
	__u32 i;

	if (!r || r->tracepoint != point.id)
		return 0;
	r->tracepoint = 0;
	set_task(&e, task);
	for (i = 0; i < AUXBPF_MAX_TRIGGERS && i < triggers.nr_rules && rules; i++, rules >>= 1) {
		if (!(rules & 1))
			continue;
		set_fields(&e, r, i);
		try_rule(i, &e, history(task));
	}
	return 0;
}

SEC("tp_btf")
int on_event(void *ctx)
{
	return take_record();
}

SEC("tp_btf")
int on_event_spare(void *ctx)
{
	return take_record();
}
