// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "gate_source.h"

/* How far into a function its body may begin, for the trampoline that calls it: ENDBR64 and a call. */
#define MAX_PROLOGUE 16

#define VECTOR_BP 3
#define EC_BRK 0x3c /* ESR_ELx.EC */

/* Of 64- and of 32-bit tasks: execve, execveat. */
static const uint32_t x86_execs[2][2] = {{59, 322}, {11, 358}};
static const uint32_t arm_execs[2][2] = {{221, 281}, {11, 387}};

static bool is_in(const struct gate_check_opts *opts, enum slack_kind kind, uint64_t addr)
{
	return slack__allows(opts->slack, kind, addr);
}

/* INT 0x80 and no other INT n: they have the vector in nr, which could be a system call's number. */
static bool is_int80(const struct gate_check_opts *opts, const struct oracle_record *rec)
{
	uint32_t sym;

	if (rec->kind != ORACLE_SWINT)
		return false;
	sym = symbols__find(opts->syms, rec->to);
	return sym != SYMBOLS_NONE && strcasestr(symbols__name(opts->syms, sym), "int80");
}

bool source__is_syscall(const struct gate_check_opts *opts, const struct oracle_record *rec)
{
	return rec->kind == ORACLE_SYSCALL || is_int80(opts, rec);
}

bool source__is_exec(const struct gate_check_opts *opts, const struct oracle_record *rec)
{
	bool compat = rec->kind == ORACLE_SWINT || rec->flags & ORACLE_COMPAT;
	const uint32_t *execs = opts->arm ? arm_execs[compat] : x86_execs[compat];

	return rec->nr == execs[0] || rec->nr == execs[1];
}

bool source__is_return_to_user(const struct oracle_record *rec)
{
	return rec->kind == ORACLE_SYSRET || (rec->kind == ORACLE_IRET && !(rec->to >> 63));
}

static bool is_listed_call(const struct gate_check_opts *opts, const struct oracle_record *rec)
{
	if (is_int80(opts, rec) || (rec->kind == ORACLE_SYSCALL && rec->flags & ORACLE_COMPAT))
		return number_list__has(&opts->compat, rec->nr);
	return rec->kind == ORACLE_SYSCALL && number_list__has(&opts->syscalls, rec->nr);
}

bool source__is_open(const struct gate_task *task)
{
	return task->syscall || task->user_depth || task->nr_frames || task->in_range;
}

static enum source_event syscall_branch(const struct gate_check_opts *opts, struct gate_task *task,
					const struct oracle_record *rec)
{
	if (!task->syscall) {
		task->syscall = is_listed_call(opts, rec);
		return task->syscall ? SOURCE_SYSCALL_BEGIN : SOURCE_NONE;
	}
	if (source__is_return_to_user(rec) || is_in(opts, SLACK_END, rec->from)) {
		task->syscall = false;
		return SOURCE_SYSCALL_LOST;
	}
	if (is_in(opts, SLACK_EXIT, rec->to) && !is_in(opts, SLACK_EXIT, rec->from)) {
		task->syscall = false;
		return SOURCE_SYSCALL_END;
	}
	return SOURCE_NONE;
}

static bool is_near(const struct oracle_record *rec)
{
	return rec->kind >= ORACLE_JCC && rec->kind <= ORACLE_RET;
}

static bool is_breakpoint(const struct gate_check_opts *opts, const struct oracle_record *rec)
{
	if (opts->arm)
		return rec->kind == ORACLE_EXCEPTION && rec->nr == EC_BRK;
	return rec->kind == ORACLE_SWINT && rec->nr == VECTOR_BP;
}

/* Into the kernel's trampoline behind a user function, from its instruction. */
static bool is_user_return(const struct gate_check_opts *opts, const struct oracle_record *rec)
{
	if (!opts->arm && rec->kind == ORACLE_SYSCALL && rec->nr == NR_URETPROBE)
		return true;
	return is_breakpoint(opts, rec) && !address_list__has(&opts->functions, rec->from);
}

static enum source_event user_branch(const struct gate_check_opts *opts, struct gate_task *task,
				     const struct oracle_record *rec)
{
	bool listed = address_list__has(&opts->functions, rec->to);

	if (rec->flags & ORACLE_USER_FROM && !is_near(rec))
		task->left_at = rec->from;
	if (listed && ((rec->flags & ORACLE_USER_FROM && is_near(rec)) ||
		       (source__is_return_to_user(rec) && rec->to != task->left_at))) {
		task->user_depth++;
		return SOURCE_CALL;
	}
	if (!task->user_depth || !(rec->flags & ORACLE_USER_FROM))
		return SOURCE_NONE;
	if (is_user_return(opts, rec)) {
		task->user_depth--;
		return SOURCE_RETURN;
	}
	return SOURCE_NONE;
}

bool source__is_prologue(const struct gate_check_opts *opts, uint64_t addr)
{
	for (uint32_t i = 0; i < opts->functions.nr; i++)
		if (addr >= opts->functions.val[i] && addr - opts->functions.val[i] <= MAX_PROLOGUE)
			return true;
	return false;
}

static bool is_call(const struct oracle_record *rec)
{
	return rec->kind == ORACLE_CALL || rec->kind == ORACLE_IND_CALL;
}

static enum source_event kernel_branch(const struct gate_check_opts *opts, struct gate_task *task,
				       const struct oracle_record *rec)
{
	struct frame *top = task->nr_frames ? &task->frame[task->nr_frames - 1] : NULL;

	if (!is_near(rec) || rec->flags & ORACLE_USER_FROM)
		return SOURCE_NONE;
	if (address_list__has(&opts->functions, rec->to) && task->nr_frames < MAX_FRAMES) {
		task->frame[task->nr_frames++].at = is_call(rec) ? rec->from : 0;
		return SOURCE_CALL;
	}
	if (top && is_call(rec) && source__is_prologue(opts, rec->to)) {
		top->at = rec->from;
	} else if (top && rec->kind == ORACLE_RET && gate_calls__is_behind(rec->to, top->at)) {
		task->nr_frames--;
		return SOURCE_RETURN;
	}
	return SOURCE_NONE;
}

static enum source_event range_branch(const struct gate_check_opts *opts, struct gate_task *task,
				      const struct oracle_record *rec)
{
	if (!is_near(rec) || rec->flags & ORACLE_USER_FROM ||
	    rec->to != (task->in_range ? opts->range_end : opts->range_begin))
		return SOURCE_NONE;
	task->in_range = !task->in_range;
	return task->in_range ? SOURCE_CALL : SOURCE_RETURN;
}

enum source_event source__branch(const struct gate_check_opts *opts, struct gate_task *task,
				 const struct oracle_record *rec)
{
	enum source_event event = syscall_branch(opts, task, rec);

	if (event == SOURCE_NONE && opts->functions.nr)
		event = user_branch(opts, task, rec);
	if (event == SOURCE_NONE && opts->functions.nr)
		event = kernel_branch(opts, task, rec);
	if (event == SOURCE_NONE && opts->range_begin)
		event = range_branch(opts, task, rec);
	return event;
}

static enum detour_event detour__begin(struct gate_task *task, const struct oracle_record *rec, uint64_t at,
				       bool call)
{
	if (task->nr_detours == MAX_DETOURS)
		return DETOUR_TOO_DEEP;
	task->detour[task->nr_detours++] = (struct detour){
		.at = at,
		.call = call,
		.user = rec->flags & ORACLE_USER_FROM,
	};
	return DETOUR_BEGINS;
}

/* A fault at the entry of a user function comes before the breakpoint there. */
static bool is_fault_at_entry(const struct gate_check_opts *opts, const struct gate_task *task,
			      const struct oracle_record *rec)
{
	return rec->kind == ORACLE_EXCEPTION && task->in_window && task->path_kind == SLACK_CALL &&
	       address_list__has(&opts->functions, rec->from);
}

/* A branch on a detour. An interrupt ends with the IRET to where it hit, a call with the return behind it. */
static void detour__branch(struct gate_task *task, const struct oracle_record *rec)
{
	const struct detour *last = &task->detour[task->nr_detours - 1];

	if (rec->kind == ORACLE_IRET && !last->call && rec->to == last->at)
		task->nr_detours--;
	else if (rec->kind == ORACLE_RET && last->call && gate_calls__is_behind(rec->to, last->at))
		task->nr_detours--;
}

static enum detour_event detour__to_user(struct gate_task *task)
{
	bool user = task->nr_detours == 1 && task->detour[0].user;

	if (!task->nr_detours)
		return DETOUR_NONE;
	task->nr_detours = 0;
	return user ? DETOUR_GOES_ON : DETOUR_LOST;
}

enum detour_event source__detour(const struct gate_check_opts *opts, struct gate_task *task,
				 const struct oracle_record *rec, bool own_path)
{
	uint64_t at;

	if (source__is_return_to_user(rec)) {
		task->calls.nr = 0;
		return detour__to_user(task);
	}
	if (rec->kind == ORACLE_INTERRUPT || is_fault_at_entry(opts, task, rec))
		return detour__begin(task, rec, rec->from, false);
	if (task->nr_detours) {
		detour__branch(task, rec);
		return DETOUR_GOES_ON;
	}
	if (!(rec->flags & ORACLE_USER_FROM))
		gate_calls__branch(&task->calls, opts->slack, rec, own_path);
	if (own_path && gate_calls__leave(&task->calls, opts->slack, task->path_kind, rec, &at))
		return detour__begin(task, rec, at, true);
	return DETOUR_NONE;
}
