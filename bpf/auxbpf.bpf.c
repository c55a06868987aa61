// SPDX-License-Identifier: GPL-2.0-only
/*
 * The gate's programs: they decide in the kernel whose execution is in the trace.
 *
 * Every CPU has one AUX event that starts paused. The *gate* of a CPU is open while that event runs. A task
 * that is a *target* (targets.bpf.h) has a *window* open while it is in one of the listed system calls or
 * functions, or whenever it runs (windows.bpf.h). All programs here keep this rule:
 *
 *	the gate of a CPU is open  <=>  the task that runs on it is a target with an open window
 *
 *	sys_enter	a target enters a listed system call: its window opens, and so does the gate
 *	sys_exit	that window closes, and so does the gate if no other window is open
 *	uprobe		a target calls a listed user function: its window opens; the uretprobe closes
 *			it. For functions of the kernel window_function.bpf.c does this, and
 *			window_range.bpf.c for ways from one tracepoint to another
 *	sched_switch	the gate becomes what the windows of the next task say. So a task that sleeps in
 *			its window on one CPU and continues on another is traced there, and what runs in
 *			between is not. A task that ends is a target up to its last switch
 *	task_newtask	the child of a picked task is picked. It leaves the same system call as its
 *			parent, so the parent's window is open for the child too, until the child's own
 *			sys_exit. On arm64 the child has no such sys_exit, and its windows begin with
 *			its own calls
 *	exec		the window of a function of the former program closes: it never returns
 *	task_rename	with --comm the new name decides whether the task is a target
 *	cgroup_mkdir, cgroup_rmdir
 *			the set of target cgroups is kept up to date, and so are the ids of the cgroups
 *			that conditions name (cgroups.bpf.h)
 *
 * The windows of a task are noted in its storage, and the wanted state of each CPU's gate in `memory.cpus`.
 * gate.bpf.h moves the gate.
 *
 * Preemption: all tracepoints but sched_switch may be preemptible (from 7.0 on). While a task is preempted
 * inside a program, the kernel skips that program for all other tasks of the CPU (kernel/trace/bpf_trace.c,
 * __bpf_trace_run(): prog->active). So those programs come twice, as PROG and PROG_spare, attached in this
 * order. The spare finds done what the first did, and does what the kernel skipped.
 *
 * A spare costs every event as much as its program does. For system calls that is too much, and one spare is
 * not enough: on CPUs that switch all the time one of some thousands of windows was lost. But the kernel
 * counts what it skips. So where programs can be preempted (find_preemption), the loader puts breakpoints on
 * the function that counts (src/gate/skip_watch.h), and on_skip does what was skipped. Only where such
 * breakpoints cannot be had do on_sys_enter and on_sys_exit have a spare.
 *
 * Interrupts stay off while the gate moves. A window that was missed all the same is noticed at the end of
 * its call, one that was not closed at the task's next call; both are counted. A program can be preempted
 * after it has noted the window and before it moves the gate. Then sched_switch moves the gate by that note,
 * and the program finds it done: each step says what the gate should be, and none toggles it.
 *
 * Cost: most system calls of the machine are not listed, and to find that out is all that is done for them. A
 * task that makes a listed call and is found to be no target is noted (`stranger`), so that its next calls
 * cost as little. sched_switch clears the note, and so does all that makes a running task a target.
 * on_sys_enter, on_sys_exit and on_switch_* make only the checks that few events get past, so they need no
 * stack and save no register. All else is in functions that they call.
 */
/* trigger.bpf.c defines the maps for the histories of tasks. */
#define AUXBPF_TRIGGERS_ELSEWHERE
#include "cgroups.bpf.h"
#include "freeze_cpu.bpf.h"
#include "gate.bpf.h"
#include "named_cgroups.bpf.h"
#include "open_windows.bpf.h"
#include "samples.bpf.h"
#include "switch.bpf.h"
#include "syscall.bpf.h"
#include "targets.bpf.h"
#include "windows.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* The conditions of listed system calls. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, AUXBPF_MAX_CONDITIONS);
	__type(key, __u32);
	__type(value, struct auxbpf_condition);
} conditions SEC(".maps");

/* The two programs on one tracepoint. */
enum turn {
	TURN_FIRST,
	TURN_SPARE,
};

/* The sources of a condition's fields at the begin of a system call. */
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
	case AUXBPF_FIELD_PPID:
		return task_ppid(e->task);
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

/* Whether the call continues a listed system call that a signal interrupted. */
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

/* Closes the window of a system call whose end was skipped: it is still open where the next call begins. */
static __always_inline void close_overrun(struct auxbpf_cpu *cpu)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state = task_state(task);

	if (!state || !state->in_syscall)
		return;
	state->in_syscall = 0;
	cpu->overrun++;
	window_close(task, state, AUXBPF_WINDOW_SYSCALL, AUXBPF_CUT_MISSED, 0, true);
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
	if (config.keep_windows) {
		state->windows.compat = compat;
		syscall_args(regs, compat, state->windows.args);
	}
	window_begin(task, state, cpu, AUXBPF_WINDOW_SYSCALL, nr, true);
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

/*
 * Every read() of a 64-bit task on x86 comes here and no further: its number is that of restart_syscall in
 * 32-bit tasks.
 */
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
	window_close(task, state, AUXBPF_WINDOW_SYSCALL, AUXBPF_CUT_NONE, ret, true);
}

/*
 * Whether the kernel may have skipped the program at the begin of a call that ends now. With seccomp or a
 * tracer the call may just as well never have begun. That is taken for the cause where no program can be
 * skipped, or another one stands in for it.
 */
static __always_inline bool begin_was_skipped(struct task_struct *task)
{
	struct auxbpf_session *s = this_session();
	bool may_be_denied = task->seccomp.mode || task->ptrace;

	return !may_be_denied || !(s->no_preemption || s->on_sys_enter.address);
}

/*
 * Counts a listed system call that ends without a window as missed, unless its task became a target in the
 * middle of it. A call with a condition is not counted: its arguments may have changed, so nothing can be
 * said.
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

/* Handles the end of a call whose number counts. */
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
 * target now, so `stranger` is cleared. Nothing else tells of the change: the kernel changes real ids in
 * these calls only (kernel/sys.c).
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
 * Does what a program of system calls would have done if the kernel had not skipped it. This is a global
 * function, because on_trigger_skip in trigger_skip.bpf.c calls it too: so one breakpoint serves windows and
 * triggers.
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
 * Runs whenever the kernel skips a program, any program of the machine: @called are the registers at
 * bpf_prog_inc_misses_counter(prog). It runs in the exception of the breakpoint, so it is neither preempted
 * nor skipped. Where skipped programs of triggers are watched too, on_trigger_skip takes its place.
 */
SEC("perf_event")
int on_skip(struct pt_regs *called)
{
	return stand_in_for_gate(regs_first(called));
}

/*
 * Whether a call begins a window. A call with the same stack pointer as the outermost one means that the
 * latter was left without a return (longjmp, an exception). But if it was seen by the probe of another file,
 * it is still the same call: files of containers can be one file below.
 */
static __always_inline bool user_call_is_outermost(const struct task_state *state, __u64 sp, __u64 file)
{
	return call_is_outermost(state->user_frame, sp) ||
	       (sp == state->user_frame && file == state->user_file);
}

SEC("uprobe")
int on_function_entry(struct pt_regs *regs)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state = function_state(task);
	__u64 cookie = bpf_get_attach_cookie(regs), file = AUXBPF_WINDOW_COOKIE_FILE(cookie);

	if (!state || !user_call_is_outermost(state, regs->sp, file))
		return 0;
	state->user_file = file;
	state->user_frame = regs->sp;
	function_begin(task, state, AUXBPF_WINDOW_USER_FUNCTION, AUXBPF_WINDOW_COOKIE_FUNCTION(cookie), true);
	return 0;
}

SEC("uretprobe")
int on_function_return(struct pt_regs *regs)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state = task_state(task);

	if (!state || !state->user_frame || !FRAME_LEFT(state->user_frame, regs->sp))
		return 0;
	state->user_frame = 0;
	window_close(task, state, AUXBPF_WINDOW_USER_FUNCTION, AUXBPF_CUT_NONE, 0, true);
	return 0;
}

/*
 * Gives a child the windows of its parent that it is in too. It leaves the same system call, on x86 by way of
 * sys_exit. A worker of io_uring or vhost never leaves: it stays in the kernel, and has no registers of user
 * mode (copy_thread()). A child that goes on with its parent's stack pointer, which a copy of the process and
 * the child of vfork() do, is in the same user function too. A new thread has a stack of its own and is in
 * none.
 */
static __always_inline void inherit_windows(struct task_struct *parent, const struct task_state *from,
					    struct task_struct *child, struct task_state *to)
{
	__u64 sp = regs_sp((struct pt_regs *)bpf_task_pt_regs(child));

	to->in_syscall = CHILD_EXITS_SYSCALL && sp && from->in_syscall;
	to->seen = 1;
	if (sp == regs_sp((struct pt_regs *)bpf_task_pt_regs(parent)))
		to->user_frame = from->user_frame;
	if (to->in_syscall)
		window_inherit(from, child, to, AUXBPF_WINDOW_SYSCALL);
	if (to->user_frame)
		window_inherit(from, child, to, AUXBPF_WINDOW_USER_FUNCTION);
}

/* Makes the child of a target a target as far as it inherits that. The task that runs is its parent. */
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

/* This is not at sched_process_fork, because workers of io_uring and vhost do not come to that. */
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

/* Handles an exec: the task may have another user and another name now. */
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
	if (state)
		window_keep(task, state, AUXBPF_WINDOW_USER_FUNCTION, AUXBPF_CUT_EXEC, 0);
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

/*
 * Handles a new name, which is in @comm and not yet in the task. If a thread renames another one, the gate of
 * that moves at its next switch.
 */
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

/*
 * Run by the loader: marks the tasks that were picked or have the name. It is repeated until a pass finds
 * none.
 */
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
 * Run by the loader on every CPU: once the session is armed, because a task that runs there has its window at
 * once, and when it is armed no more, to close the gate.
 */
SEC("raw_tp")
int refresh_cpu(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();

	gate_refresh(task, task_state(task));
	return 0;
}

/*
 * Finds out whether programs at system calls can be preempted; the loader attaches it for one call of its
 * own. The kernel keeps a task from migrating inside a program that can be preempted
 * (kernel/trace/bpf_trace.c, __bpf_trace_run()). Where it turns preemption off it has no need to.
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

/* Run by the loader in its own context: finds the object behind its descriptor session.fd. */
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

/* Run by the loader: tells where the cells of the breakpoint way are in the kernel. */
SEC("raw_tp")
int find_cells(void *ctx)
{
	struct auxbpf_session *s = this_session();

	s->cell_address = (__u64)&s->open_cell;
	return 0;
}
