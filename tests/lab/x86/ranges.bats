#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Windows from one tracepoint to another: what is captured is what the task ran in between, wherever it was, compared with the
# oracle. One boot makes all captures; each test looks at one.

load ../../lib/helpers

LONG="exec user locks_ioctl"

SIGNAL=signal:signal_generate,signal:signal_deliver
# name, phase of the oracle's log, number of windows, range, [options --] command. The last of all signals is SIGCHLD, which the
# program generates at its end: that window has no other end.
CASES=(
	"signals 20 6 $SIGNAL trigger_cases --case signal --count 5 --gap 0"
	"pending 21 4 $SIGNAL syscall_cases pending"
	"switched 22 4 signal:signal_generate,sched:sched_switch syscall_cases pending"
	"exec 23 1 sched:sched_process_exec,signal:signal_generate syscall_cases pending"
	"user 24 4 $SIGNAL -e intel_pt//u -- syscall_cases pending"
	"begin 25 0 irq:softirq_entry,signal:signal_deliver syscall_cases pending"
	"end 26 1 signal:signal_generate,irq:softirq_exit syscall_cases pending"
	"call 27 5 syscalls:sys_enter_newuname,syscalls:sys_exit_uname syscall_cases alternate"
	"between 28 5 syscalls:sys_exit_newuname,syscalls:sys_enter_sysinfo syscall_cases alternate"
)

# Runs in the guest.
capture_all() {
	local name phase windows where command options
	oracle-mark run -- true # sets the kernel's symbols
	for case in "${CASES[@]}"; do
		read -r name phase windows where command <<<"$case"
		! left_out "$name" || continue
		echo "$name ($SECONDS s)"
		options=
		[[ $command != *' -- '* ]] || options=${command%% -- *}
		command=${command#* -- }
		# shellcheck disable=SC2086 # words of the options and the command
		oracle-mark run --again --new --phase "$phase" -- auxbpf -v --on-range "$where" $options -o "/out/$name" -- \
			$command >"/out/$name.stdout" 2>"/out/$name.stderr" || {
			echo "$name: status $?"
			cat "/out/$name.stderr"
		}
	done
	anywhere
	complain >/out/complaints 2>&1 || true
	dmesg | grep -E 'BUG:|WARNING:|Oops|deadlock' || true
}

# At tracepoints that are hit under the locks of the scheduler, of memory and of anything, of all tasks. For the last ones a task
# writes to a file for long, and others have to wait for it.
# shellcheck disable=SC2016 # for the traced shells
anywhere() {
	local load='for i in $(seq 40); do cat /etc/passwd | grep -c root; done'
	local waits='dd if=/dev/zero of=/tmp/file bs=128M count=1 conv=notrunc 2>&1 &
		while kill -0 $!; do echo x >>/tmp/file; done 2>/dev/null'
	part scheduler auxbpf -v -a --on-range sched:sched_waking,sched:sched_wakeup -o /out/scheduler -- sh -c "$load"
	part memory auxbpf -v -a --on-range kmem:kmem_cache_alloc,kmem:kmem_cache_free -o /out/memory -- sh -c "$load"
	part locks auxbpf -v -a --on-range lock:contention_begin,lock:contention_end -o /out/locks -- sh -c "$waits"
	part locks_ioctl auxbpf --control ioctl -a --on-range lock:contention_begin,lock:contention_end -o /tmp/none -- true
}

# What cannot be a range.
complain() {
	echo 'p:auxbpf_test/probe vfs_fsync' >/sys/kernel/tracing/kprobe_events
	for where in sched:sched_swich,sched:sched_wakeup auxbpf_test:probe,sched:sched_switch sched:sched_switch,ftrace:function; do
		echo "== $where"
		auxbpf --on-range "$where" -o /tmp/none -- true
		echo "status $?"
		[ ! -e /tmp/none ] || echo "there is a capture"
	done
	echo >/sys/kernel/tracing/kprobe_events
}

setup_file() {
	requires build/trace-unit/pt.so oracle-check build/tests/oracle-mark syscall_cases trigger_cases scripts/lab auxbpf
	record_in_lab --oracle CASES part anywhere complain capture_all
}

find_case() { # name
	for case in "${CASES[@]}"; do
		read -r name phase windows where command <<<"$case"
		[ "$name" != "$1" ] || break
	done
	cat "$DIR/$name.stderr"
}

counts() { # name
	local name phase windows where command
	find_case "$1"
	if [ "$windows" -eq 0 ]; then
		grep -q '^auxbpf: no window' "$DIR/$name.stderr"
	else
		grep -qE "^auxbpf: $windows windows? on CPU" "$DIR/$name.stderr"
	fi
	! grep -qE ' (syscall|trigger)_cases:' "$DIR/$name.stderr" # what a case says that did not do what it claims
}

# What perf decodes is what ran. A capture of user mode alone has no kallsyms: another one of this boot does.
decodes() { # name
	local name phase windows where command kallsyms
	counts "$1"
	find_case "$1"
	kallsyms=$DIR/$name/kcore_dir/kallsyms
	[ -e "$kallsyms" ] || kallsyms=$DIR/signals/kcore_dir/kallsyms
	decode_check "$DIR" "$name" --phase "$phase" --kallsyms "$kallsyms"
}

# And the gate was open from the one tracepoint to the other and nowhere else.
is_right() { # name note
	local name phase windows where command
	decodes "$1"
	find_case "$1"
	gate_check "$DIR" "$name" --phase "$phase" --windows "$windows" --target-note "$2" --modes uk \
		--range-begin "__traceiter_$(sed 's/.*:\(.*\),.*/\1/' <<<"$where")" --range-end "__traceiter_${where##*:}"
}

@test "from where a signal is generated to where it is delivered" { is_right signals 110; }
@test "a range in which the task leaves the kernel, sleeps and moves to another CPU" { is_right pending 100; }
@test "a range that ends when the task is switched out" { is_right switched 100; }
# bats test_tags=long
@test "a range that begins when the command is executed" { decodes exec; }
# bats test_tags=long
@test "user mode alone" { decodes user; }

# This is what --on-syscall uname is too, which the gate check knows.
@test "from the begin of a system call to its end" {
	decodes call
	gate_check "$DIR" call --phase 27 --windows 5 --target-note 100 --syscall 63
}

# The call in the middle is in it; of the calls at both ends only their ways out and in are.
@test "from one system call to another" {
	decodes between
	script_in_lab "$DIR" between --itrace=be -F ip,sym,addr >"$DIR/between.text"
	grep -o 'sys_[a-z]*' "$DIR/between.text" | sort | uniq -c
	[ "$(grep -cE '=> +[0-9a-f]+ [a-z0-9_]*sys_getppid' "$DIR/between.text")" -ge 5 ]
	! grep -E '=> +[0-9a-f]+ [a-z0-9_]*sys_(newuname|sysinfo)' "$DIR/between.text"
}

@test "an interrupt neither begins nor ends a window, and that is said" {
	counts begin
	grep -q "only interrupts came to the tracepoint irq:softirq_entry" "$DIR/begin.stderr"
	is_right end 100
	grep -q "only interrupts came to the tracepoint irq:softirq_exit" "$DIR/end.stderr"
}

@test "tracepoints under locks of the scheduler, of memory and of anything, of all tasks" {
	cat "$DIR.log"
	for name in scheduler memory locks; do
		ended $name 0
		[[ $output =~ auxbpf:\ [0-9]+\ windows?\ on\ CPU ]]
	done
	! grep -E 'BUG:|WARNING:|Oops|deadlock' "$DIR.log"
}

# bats test_tags=long
@test "tracepoints of locks and the way ioctl" {
	ended locks_ioctl 1 "the gate cannot be moved at tracepoints of locks in the way ioctl"
}

complains() { # range, text
	local text
	text=$(sed -n "\|^== $1\$|,/^status/p" "$DIR/complaints")
	echo "$text"
	[[ $text == *"$2"* && $text == *"status $3" ]]
}

@test "what cannot be a range is said, and nothing is captured" {
	cat "$DIR/complaints"
	complains sched:sched_swich,sched:sched_wakeup "there is no tracepoint sched:sched_swich; did you mean sched:sched_switch" 2
	complains auxbpf_test:probe,sched:sched_switch "it is not one of the kernel's own" 1
	complains sched:sched_switch,ftrace:function "it is not one of the kernel's own" 1
	! grep "there is a capture" "$DIR/complaints"
}
