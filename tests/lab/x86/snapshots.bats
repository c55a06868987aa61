#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The flight recorder: each kind of trigger gives a snapshot that ends at the trigger, what it shows is what ran, and no
# two show the same. One boot records all of them; each test looks at one.

load ../../lib/helpers

CPUS=2
COUNT=$(quick_or 2 3)
# Each kind of trigger is also seen in trigger_kinds.bats, and by the gate alone in the tests of the host.
LONG="ppoll write runq segv exit fork"
# Name, phase of the log and options of trigger_cases; the rule; how the check finds the trigger: other soft interrupts may end
# before the one of that name, but only that one drops a datagram in the end. What is executed keeps off
# the vDSO, which perf on this machine takes from here.
CASES=(
	"openat 31 --gap 500; syscall:openat ret == -ENOENT && comm == trigger_cases; --after-symbol __traceiter_sys_exit,__bpf_trace_sys_exit"
	"ppoll 32 --gap 500 --threshold 20000; syscall:ppoll latency > 20ms; --after-symbol __traceiter_sys_exit,__bpf_trace_sys_exit"
	"write 33 --gap 500; syscall:write arg2 >= 1m; --after-symbol __traceiter_sys_enter,__bpf_trace_sys_enter"
	"offcpu 34 --gap 500 --threshold 300000; offcpu > 300ms && comm == trigger_cases; --switch-in 300000000 --after-symbol __traceiter_sched_switch,__bpf_trace_sched_switch"
	"runq 35 --gap 500 --threshold 300000; runq > 300ms && comm == trigger_cases; --switch-in 300000000 --after-symbol __traceiter_sched_switch,__bpf_trace_sched_switch"
	"signal 36 --gap 500; signal:SIGUSR1; --after-symbol __traceiter_signal_deliver,__bpf_trace_signal_deliver"
	"segv 37 --gap 500; signal:SIGSEGV; --after-symbol __traceiter_signal_deliver,__bpf_trace_signal_deliver"
	"exit 38 --gap 500; exit code == 3; --after-symbol __traceiter_sched_process_exit,__bpf_trace_sched_process_exit"
	"exec 39 --gap 500 --program /src/build/tests/calls; exec comm == calls; --after-symbol __traceiter_sched_process_exec,__bpf_trace_sched_process_exec"
	"fork 40 --gap 500; fork comm == trigger_cases; --after-symbol __traceiter_sched_process_fork,__bpf_trace_sched_process_fork"
	"oom 41 --gap 500; oom; --after-symbol __traceiter_mark_victim,__bpf_trace_mark_victim"
	"softirq 42 --gap 500 --threshold 2000; softirq:NET_RX latency > 2ms && comm == trigger_cases; --after-symbol sk_skb_reason_drop"
)

# On one CPU, so that the note before a trigger is on the CPU of the trigger. The output of a case goes to memory first: a process that
# waits for the way out of the guest is off the CPU, too.
record_cases() {
	local case name phase options rule
	oracle-mark run -- true # sets the kernel's symbols
	dmesg -n 1 # what the kernel says of a task that it kills for want of memory would be part of the trace
	for case in "${CASES[@]}"; do
		IFS=';' read -r options rule _ <<<"$case"
		read -r name phase options <<<"$options"
		! left_out "$name" || continue
		echo "$name ($SECONDS s)"
		# shellcheck disable=SC2086 # words of the options
		oracle-mark run --again --traced --phase "$phase" -- auxbpf -v -o "/out/$name" --spare 4 --snapshot-on "${rule# }" -- \
			trigger_cases --cpu 1 --case "$name" --count "$COUNT" $options >"/tmp/$name.done" 2>"/out/$name.stderr" || {
			echo "$name: status $?"
			cat "/out/$name.stderr"
		}
		cp "/tmp/$name.done" /out
	done
}

setup_file() {
	requires build/trace-unit/pt.so oracle-check trigger_cases build/tests/oracle-mark scripts/lab auxbpf jq
	record_in_lab --cpus "$CPUS" --oracle CPUS COUNT CASES record_cases
}

# The log is some gigabytes.
teardown_file() {
	rm -f "$DIR.oracle"
}

# The snapshots of one case, decoded, are what the oracle saw, back to the one before or for the lookback, a second.
is_right() { # name
	local case name phase options rule check snapshot nr=0 scripts=()
	for case in "${CASES[@]}"; do
		IFS=';' read -r options rule check <<<"$case"
		read -r name phase options <<<"$options"
		[ "$name" != "$1" ] || break
	done
	cat "$DIR/$name.stderr" "$DIR/$name.done" "$DIR/$name/index.ndjson"
	for snapshot in $(jq -r .snapshot "$DIR/$name/index.ndjson"); do
		decode_branches "$DIR" "$name/$snapshot"
		scripts+=("$DIR/$name/$snapshot.branches")
		nr=$((nr + 1))
	done
	[ "$nr" -eq "$COUNT" ]
	# shellcheck disable=SC2086 # words of the options
	must oracle-check snapshots --oracle "$DIR/oracle" --phase "$phase" --kallsyms "$DIR/$name/$snapshot/kcore_dir/kallsyms" \
		--back 990000000 --end-note 110 $check "${scripts[@]}"
}

@test "a system call that fails" { is_right openat; }
# bats test_tags=long
@test "a system call that takes long" { is_right ppoll; }
# bats test_tags=long
@test "the begin of a system call" { is_right write; }
@test "a task that was off the CPU" { is_right offcpu; }
# bats test_tags=long
@test "a task that waited for a CPU" { is_right runq; }
@test "a signal that is handled" { is_right signal; }
# bats test_tags=long
@test "a signal that kills" { is_right segv; }
# bats test_tags=long
@test "an exit" { is_right exit; }
@test "an exec" { is_right exec; }
# bats test_tags=long
@test "a fork" { is_right fork; }
@test "a task that is killed for want of memory" { is_right oom; }
@test "a soft interrupt that takes long" { is_right softirq; }
