#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The ftrace event bpf_trace_printk, which loading a program switches on, beside other tools that load one meanwhile. On this
# machine's own kernel: trigger_watch loads the programs of a session.

load ../lib/helpers

setup() {
	requires trigger_watch build/tests/counter.bpf.o build/tests/observer_syscall.bpf.o strace bpftool
	cd "$BATS_TEST_TMPDIR"
}

# trigger_watch, stopped when it has made the process that puts the setting back (its second one, the command is the first) and
# loads its programs next, while a function runs. The setting afterwards is in the file end; it is put back to what the machine
# had.
run_beside() { # function
	local enable=/sys/kernel/tracing/events/bpf_trace/bpf_trace_printk/enable before watcher='' status=0 tracer
	before=$(<$enable)
	echo 0 >$enable
	mkdir -p pins && mount -t bpf bpf pins
	: >calls
	strace -qq -o calls -e trace=clone -e inject=clone:signal=STOP:when=2 trigger_watch -v exec -- true >said 2>&1 &
	tracer=$!
	# Its state in /proc does not tell: it is stopped for a moment at each of its system calls.
	until grep -q '^--- stopped by SIGSTOP' calls; do
		kill -0 $tracer || break
		sleep 0.05
	done
	watcher=$(pgrep -P $tracer -x trigger_watch)
	"$1"
	kill -CONT "$watcher"
	wait $tracer || status=$?
	echo "status $status, then the event is $(<$enable)" >end
	echo "$before" >$enable
	rm -rf pins/other*
	umount pins
}

load_one_that_prints() { bpftool prog loadall "$AUXBPF_ROOT/build/tests/counter.bpf.o" pins/others; }
load_one_that_does_not() { bpftool prog load "$AUXBPF_ROOT/build/tests/observer_syscall.bpf.o" pins/other; }
load_for_a_moment() { load_one_that_prints && rm -r pins/others; }

beside() { # function [what it calls...]
	export AUXBPF_ROOT
	# shellcheck disable=SC2016
	must with_tracefs bash -c "$(declare -f run_beside "$@")"'; run_beside "$1"' - "$1"
	cat said calls end
}

@test "bpf_trace_printk stays on for a tool that loads a program which writes to it while ours are loaded" {
	beside load_one_that_prints
	[ "$(<end)" = "status 0, then the event is 1" ]
	grep -q 'stays on: another tool has loaded a BPF program that writes to it' said
}

@test "bpf_trace_printk goes off again beside a tool that loads other programs, or none that stays" {
	beside load_one_that_does_not
	[ "$(<end)" = "status 0, then the event is 0" ]
	beside load_for_a_moment load_one_that_prints
	[ "$(<end)" = "status 0, then the event is 0" ]
}
