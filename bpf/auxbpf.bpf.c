// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which task's execution is in the trace, decided in the kernel.
 *
 * Every CPU has one AUX event that starts paused. The *gate* of a CPU is open while that event runs. A
 * task that is a *target* (targets.bpf.h) has a *window* open while it is in one of the listed system
 * calls or functions, or whenever it runs (windows.bpf.h). The rule that all programs here keep:
 *
 *	the gate of a CPU is open  <=>  the task that runs on it is a target with an open window
 *
 *	sys_enter	a target enters a listed system call: its window opens, and so does the gate
 *	sys_exit	that window closes, and so does the gate if no other window is open
 *	uprobe		a listed user function is called; the uretprobe closes its window. Functions
 *			of the kernel: window_function.bpf.c
 *	sched_switch	the gate goes where the next task's windows say: a task that sleeps in its
 *			window on one CPU and goes on on another is traced there, what runs in
 *			between is not. A task that ends is a target up to its last switch
 *	task_newtask	the child of a picked task is picked; it leaves the same system call as its
 *			parent, so a window of the parent's is open for the child too, until the
 *			child's own sys_exit; on arm64, where it has none, its windows begin with
 *			its own calls
 *	exec		no function of the former program returns any more
 *	task_rename	the name of a task decides with --comm
 *	cgroup_mkdir, cgroup_rmdir	keep the set of target cgroups, and the ids of those that conditions
 *			name (cgroups.bpf.h)
 *
 * Windows live in the task's storage, the wanted state of a gate in `memory.cpus`, an entry a CPU. How
 * the gate moves is in gate.bpf.h.
 *
 * Preemption: all tracepoints but sched_switch may be preemptible (from 7.0 on), and while a task is
 * preempted inside a program the kernel skips that program for all other tasks of the CPU
 * (kernel/trace/bpf_trace.c, __bpf_trace_run(): prog->active). So those programs come twice, PROG and
 * PROG_spare, attached in this order: what the first did the spare finds done, what the kernel skipped the
 * spare does.
 *
 * A spare costs every event as much as its program, which is too much for system calls, and one is not
 * enough there: of some thousands of windows one was lost on CPUs that switch all the time. But the kernel
 * counts what it skips, so where programs can be preempted (find_preemption) the loader puts breakpoints on
 * the function that counts (src/gate/skip_watch.h), and on_skip does what was skipped. Only where that
 * cannot be had those two programs have a spare.
 *
 * Interrupts stay off while the gate moves. A window that was missed all the same is noticed at the call's
 * exit, one that was not closed at the task's next call; both are counted. If a program is preempted between
 * setting the window and moving the gate, sched_switch moves the gate by the window, and the action that
 * follows finds it done: each step says what the gate should be, none toggles it.
 *
 * Cost: what most system calls of the machine have to do here is to find that they are not listed. A listed
 * one of a task that is no target finds that once (`stranger`); sched_switch forgets it, and so does all
 * that makes a running task a target. on_sys_enter, on_sys_exit and on_switch_* ask only what few events get
 * past, so that they need no stack and no register saved; all else is in functions that they call.
 */
/* Histories of tasks are trigger.bpf.c's. */
#define AUXBPF_TRIGGERS_ELSEWHERE
#include "cgroups.bpf.h"
#include "freeze_cpu.bpf.h"
#include "gate.bpf.h"
#include "named_cgroups.bpf.h"
#include "samples.bpf.h"
#include "switch.bpf.h"
#include "syscall.bpf.h"
#include "targets.bpf.h"
#include "windows.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* Conditions of system calls. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, AUXBPF_MAX_CONDITIONS);
	__type(key, __u32);
	__type(value, struct auxbpf_condition);
} conditions SEC(".maps");

/* Which of the programs on one tracepoint runs. */
enum turn {
	TURN_FIRST,
	TURN_SPARE,
};

/* Where the fields of a condition come from, at the entry of a system call. */
struct entry_fields {
	struct task_struct *task;
	struct pt_regs *regs;
	bool compat;
};

static __always_inline __u64 entry_field(void *ctx, __u32 field)
{
	const struct entry_fields *e = ctx;

	switch (field) {
	case AUXBPF_FIELD_PID:
		return task_pid(e->task);
	case AUXBPF_FIELD_TID:
		return task_tid(e->task);
	case AUXBPF_FIELD_UID:
		return task_uid(e->task);
	case AUXBPF_FIELD_CPU:
		return bpf_get_smp_processor_id();
	case AUXBPF_FIELD_CGROUP:
		return named_cgroup(task_cgroup(e->task));
	case AUXBPF_FIELD_COMM_LOW:
		return *(const __u64 *)&e->task->comm[0];
	case AUXBPF_FIELD_COMM_HIGH:
		return *(const __u64 *)&e->task->comm[8];
	default:
		return syscall_arg(e->regs, e->compat, field - AUXBPF_FIELD_ARG0);
	}
}

/* The continuation of a listed system call that a signal interrupted. */
static __always_inline bool is_restart(const struct task_state *state, struct pt_regs *regs, bool compat,
				       long nr)
{
	return is_restart_nr(compat, nr) && state && state->restart_ip == regs_ip(regs) &&
	       state->restart_sp == regs_sp(regs);
}

/* Whether the system call opens a window, if a target makes it. */
static __always_inline bool syscall_matches(struct task_struct *task, struct pt_regs *regs, bool compat,
					    __u8 entry)
{
	struct entry_fields fields = {.task = task, .regs = regs, .compat = compat};
	__u32 index = entry - AUXBPF_SYSCALL_CONDITION;
	struct auxbpf_condition *rule;

	if (entry < AUXBPF_SYSCALL_CONDITION || !config.conditions)
		return entry == AUXBPF_SYSCALL_ALWAYS;
	rule = bpf_map_lookup_elem(&conditions, &index);
	return rule && auxbpf_condition__eval(rule, config.conditions, entry_field, &fields);
}

/* A system call begins and the window of one is still open: its end was skipped. */
static __always_inline void close_overrun(struct auxbpf_cpu *cpu)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state = task_state(task);

	if (!state || !state->in_syscall)
		return;
	state->in_syscall = 0;
	cpu->overrun++;
	gate_refresh(task, state);
}

static __always_inline int enter_listed(struct auxbpf_cpu *cpu, struct pt_regs *regs, long nr)
{
	struct task_struct *task = bpf_get_current_task_btf();
	bool compat = task_in_compat_syscall(task);
	__u8 entry = syscall_entry(compat, nr);
	struct task_state *state;
	unsigned long flags;

	if (!entry && !is_restart_nr(compat, nr))
		return 0;
	state = task_state(task);
	if (state && state->in_syscall)
		return 0;
	if (!is_target(task, state)) {
		if (state)
			state->seen = 0;
		cpu->stranger = config.kinds & AUXBPF_BY_UID ? AUXBPF_NUMBER_USER - 1 : AUXBPF_NUMBER_ANY;
		return 0;
	}
	if (!is_restart(state, regs, compat, nr) && !syscall_matches(task, regs, compat, entry))
		return 0;
	state = state ?: task_state_new(task);
	if (!state)
		return 0;
	irq_save(&flags);
	state->restart_ip = 0;
	state->in_syscall = 1;
	state->seen = 1;
	window_begin(state, cpu);
	irq_restore(&flags);
	return 0;
}

static __always_inline int enter_syscall(struct pt_regs *regs, long nr, enum turn turn)
{
	struct auxbpf_cpu *cpu = this_cpu();

	if (!is_armed())
		return 0;
	if (turn == TURN_FIRST && cpu->want_open)
		close_overrun(cpu);
	if (cpu->stranger || !number_counts(nr))
		return 0;
	return enter_listed(cpu, regs, nr);
}

static __noinline int enter_first(struct pt_regs *regs, long nr)
{
	return enter_syscall(regs, nr, TURN_FIRST);
}

/* On x86 this is where every read() of a 64-bit task ends. */
static __noinline int enter_if_counts(struct pt_regs *regs, long nr)
{
	struct auxbpf_cpu *cpu = this_cpu();

	return cpu->want_open || number_counts(nr) ? enter_first(regs, nr) : 0;
}

SEC("tp_btf/sys_enter")
int on_sys_enter(__u64 *ctx)
{
	struct auxbpf_cpu *cpu = this_cpu_keeping(&ctx);

	if (!cpu->want_open && (cpu->stranger || !number_may_count(ctx[1])))
		return 0;
	return enter_if_counts((struct pt_regs *)ctx[0], ctx[1]);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_sys_enter_spare, struct pt_regs *regs, long nr)
{
	return number_counts(nr) ? enter_syscall(regs, nr, TURN_SPARE) : 0;
}

static __always_inline void window_end(struct task_struct *task, struct task_state *state,
				       struct pt_regs *regs, long ret)
{
	state->in_syscall = 0;
	if (ret == -ERESTART_RESTARTBLOCK) {
		state->restart_ip = regs_ip(regs);
		state->restart_sp = regs_sp(regs);
	}
	gate_refresh(task, state);
}

/*
 * Whether the kernel may have skipped the program at the begin of a call that ends. Behind seccomp or a tracer
 * a call may as well never have begun; then it has, only if nothing stands in for programs that are skipped.
 */
static __always_inline bool begin_was_skipped(struct task_struct *task)
{
	struct auxbpf_session *s = this_session();
	bool may_be_denied = task->seccomp.mode || task->ptrace;

	return !may_be_denied || !(s->no_preemption || s->on_sys_enter.address);
}

/*
 * A listed system call ends without a window: missed, unless the task became a target in the middle of it.
 * With a condition nothing can be said: the arguments may have changed.
 */
static __always_inline void count_missed(struct task_struct *task, struct task_state *state,
					 struct auxbpf_cpu *cpu, struct pt_regs *regs)
{
	if (syscall_entry(task_in_compat_syscall(task), regs_syscall(regs)) != AUXBPF_SYSCALL_ALWAYS)
		return;
	if (state->seen && is_target(task, state) && begin_was_skipped(task))
		cpu->missed++;
	state->seen = 1;
}

/* Of a call whose number counts. */
static __always_inline int exit_syscall(struct pt_regs *regs, long ret, enum turn turn)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state = task_state(task);
	struct auxbpf_cpu *cpu = this_cpu();

	if (cpu->stranger || !state)
		return 0;
	if (turn == TURN_FIRST || !state->ended) {
		if (state->in_syscall)
			window_end(task, state, regs, ret);
		else if (is_armed())
			count_missed(task, state, cpu, regs);
	}
	state->ended = turn == TURN_FIRST;
	return 0;
}

static __noinline int exit_first(struct pt_regs *regs, long ret)
{
	return exit_syscall(regs, ret, TURN_FIRST);
}

/*
 * Whether the end of a call of this number is to be looked at. A task that has changed its user may be a
 * target now, and nothing else tells: the kernel changes real ids in these calls only (kernel/sys.c).
 */
static __always_inline bool exit_counts(__u64 nr)
{
	if (may_change_user(number_may_count(nr)))
		this_cpu()->stranger = 0;
	return number_counts(nr);
}

static __noinline int exit_if_counts(struct pt_regs *regs, long ret)
{
	return exit_counts(regs_syscall(regs)) ? exit_first(regs, ret) : 0;
}

SEC("tp_btf/sys_exit")
int on_sys_exit(__u64 *ctx)
{
	__u64 counts = number_may_count(regs_syscall((struct pt_regs *)ctx[0]));
	struct auxbpf_cpu *cpu;

	if (!counts)
		return 0;
	cpu = this_cpu_keeping_both(&ctx, &counts);
	if (counts <= cpu->stranger)
		return 0;
	return exit_if_counts((struct pt_regs *)ctx[0], ctx[1]);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_sys_exit_spare, struct pt_regs *regs, long ret)
{
	return exit_counts(regs_syscall(regs)) ? exit_syscall(regs, ret, TURN_SPARE) : 0;
}

/*
 * What a program of system calls would have done if the kernel had not skipped it. A global function, because
 * on_trigger_skip, in trigger_skip.bpf.c, calls it too: then one breakpoint serves windows and triggers.
 */
__noinline int stand_in_for_gate(__u64 skipped)
{
	struct pt_regs *regs = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	struct auxbpf_session *s = this_session();

	if (stands_in(&s->on_sys_enter, skipped))
		return enter_syscall(regs, regs_syscall(regs), TURN_FIRST);
	return stands_in(&s->on_sys_exit, skipped) ? exit_if_counts(regs, regs_ret(regs)) : 0;
}

/*
 * The kernel skips a program, whichever: @called are the registers at bpf_prog_inc_misses_counter(prog). In
 * the exception of the breakpoint, so this one is neither preempted nor skipped. With triggers that are
 * watched, on_trigger_skip comes in its place.
 */
SEC("perf_event")
int on_skip(struct pt_regs *called)
{
	return stand_in_for_gate(regs_first(called));
}

/*
 * Whether a call begins a window. One with the same stack pointer as the outermost call means that this was
 * left without a return (longjmp, an exception), unless it is the same call again, by a probe of another
 * file's: those of containers can be one file below.
 */
static __always_inline bool user_call_is_outermost(const struct task_state *state, __u64 sp, __u64 file)
{
	return call_is_outermost(state->user_frame, sp) ||
	       (sp == state->user_frame && file == state->user_file);
}

SEC("uprobe")
int on_function_entry(struct pt_regs *regs)
{
	struct task_state *state = function_state(bpf_get_current_task_btf());
	__u64 file = bpf_get_attach_cookie(regs);

	if (!state || !user_call_is_outermost(state, regs->sp, file))
		return 0;
	state->user_file = file;
	function_begin(state, &state->user_frame, regs->sp);
	return 0;
}

SEC("uretprobe")
int on_function_return(struct pt_regs *regs)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state = task_state(task);

	if (state && state->user_frame && FRAME_LEFT(state->user_frame, regs->sp))
		function_leave(task, state, &state->user_frame);
	return 0;
}

/*
 * The child leaves the same system call, on x86 by way of its end. A worker of io_uring or vhost never does: it
 * stays in the kernel, and has no registers of user mode (copy_thread()). A child that goes on with its maker's
 * stack pointer, which a copy of the process and a vfork's child do, is in the same user function too; a new
 * thread, with a stack of its own, is in none.
 */
static __always_inline void inherit_windows(struct task_struct *parent, const struct task_state *from,
					    struct task_struct *child, struct task_state *to)
{
	__u64 sp = regs_sp((struct pt_regs *)bpf_task_pt_regs(child));

	to->in_syscall = CHILD_EXITS_SYSCALL && sp && from->in_syscall;
	to->seen = 1;
	if (sp == regs_sp((struct pt_regs *)bpf_task_pt_regs(parent)))
		to->user_frame = from->user_frame;
}

/* Whoever runs has made the child. */
static __always_inline int follow_child(struct task_struct *child)
{
	struct task_struct *parent = bpf_get_current_task_btf();
	struct task_state *from = task_state(parent);
	bool picked = from && from->picked && config.follow;
	struct task_state *to;

	if (!from || task_state(child))
		return 0;
	if ((config.kinds & AUXBPF_BY_TASK) && !picked)
		return 0;
	to = task_state_new(child);
	if (!to)
		return 0;
	if (picked)
		pick(child, to);
	to->named = from->named;
	inherit_windows(parent, from, child, to);
	return 0;
}

/* And not at sched_process_fork, which workers of io_uring and vhost do not come to. */
SEC("tp_btf/task_newtask")
int BPF_PROG(on_fork, struct task_struct *child)
{
	return follow_child(child);
}

SEC("tp_btf/task_newtask")
int BPF_PROG(on_fork_spare, struct task_struct *child)
{
	return follow_child(child);
}

/* The program may run as another user now, and under another name. */
static __always_inline int exec_task(struct task_struct *task)
{
	struct task_state *state = task_state(task);

	if (!is_armed())
		return 0;
	if (state) {
		state->user_frame = 0;
		state->before_exec = 0;
	}
	gate_refresh(task, state);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task)
{
	return exec_task(task);
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec_spare, struct task_struct *task)
{
	return exec_task(task);
}

/* The new name is not yet the task's. A thread may rename another one: that one's gate moves at its next
 * switch. */
static __always_inline int rename_task(struct task_struct *task, const char *comm)
{
	char name[AUXBPF_COMM_LEN] = {};
	struct task_state *state = task_state(task);
	bool named;

	bpf_probe_read_kernel_str(name, sizeof(name), comm);
	named = auxbpf_glob__match(&config.comms, name);
	if (named && !state)
		state = task_state_new(task);
	if (!state || state->named == named)
		return 0;
	state->named = named;
	forget_strangers();
	if (is_armed() && task == bpf_get_current_task_btf())
		gate_refresh(task, state);
	return 0;
}

SEC("tp_btf/task_rename")
int BPF_PROG(on_rename, struct task_struct *task, const char *comm)
{
	return rename_task(task, comm);
}

SEC("tp_btf/task_rename")
int BPF_PROG(on_rename_spare, struct task_struct *task, const char *comm)
{
	return rename_task(task, comm);
}

/* Run by the loader: finds the tasks that were picked or have the name. Repeated until a pass finds none. */
SEC("iter/task")
int mark_targets(struct bpf_iter__task *ctx)
{
	struct auxbpf_session *s = this_session();
	struct task_struct *task = ctx->task;

	if (task && mark_task(task))
		s->marked++;
	return 0;
}

/*
 * Run by the loader on every CPU once it is armed: a task that runs there already has its window. And once it
 * is not armed any more: the gate closes.
 */
SEC("raw_tp")
int refresh_cpu(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();

	gate_refresh(task, task_state(task));
	return 0;
}

/*
 * Attached by the loader for a system call of its own. Programs that can be preempted must not migrate
 * (kernel/trace/bpf_trace.c, __bpf_trace_run()); where the kernel turns preemption off it has no need to say
 * so.
 */
SEC("tp_btf/sys_enter")
int BPF_PROG(find_preemption, struct pt_regs *regs, long nr)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct auxbpf_session *s = this_session();

	if (bpf_core_field_exists(task->migration_disabled))
		s->no_preemption = !task->migration_disabled;
	return 0;
}

static __always_inline __u64 read_pointer(__u64 object, __u32 offset)
{
	__u64 value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), (const void *)(object + offset));
	return value;
}

/* Run by the loader in its own context: what is behind its descriptor session.fd. */
SEC("raw_tp")
int find_object(void *ctx)
{
	const volatile struct auxbpf_file_table *offsets = &config.file_table;
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 table = read_pointer((__u64)task->files, offsets->table);
	__u32 size = read_pointer(table, offsets->size);
	struct auxbpf_session *s = this_session();
	__u64 file;

	s->object = 0;
	if (s->fd < 0 || (__u32)s->fd >= size)
		return 0;
	file = read_pointer(read_pointer(table, offsets->files), s->fd * sizeof(file));
	if (file)
		s->object = read_pointer(file, offsets->object);
	return 0;
}

/* Run by the loader: where in the kernel the cells of the breakpoint way are. */
SEC("raw_tp")
int find_cells(void *ctx)
{
	struct auxbpf_session *s = this_session();

	s->cell_address = (__u64)&s->open_cell;
	return 0;
}
