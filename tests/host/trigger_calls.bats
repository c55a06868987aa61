#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Rules on system calls that do not go from their beginning to their end in one piece, and on signals, on this machine's own
# kernel: a rule means what strace shows, and what the program sees.

load ../lib/helpers

# Runs a case of interrupt_cases. Each rule, of that program alone, must come true as often as the number before it says.
sees() { # case (times rule)...
	local case=$1 rules=() wanted=() rule
	shift
	requires trigger_watch interrupt_cases
	while [ $# -gt 0 ]; do
		[[ $2 == *' '* ]] && rule="$2 && comm == interrupt_cases" || rule="$2 comm == interrupt_cases"
		rules+=("$rule")
		wanted+=("$1 $rule")
		shift 2
	done
	must with_tracefs trigger_watch "${rules[@]}" -- interrupt_cases "$case" 5
	diff <(printf '%s\n' "${wanted[@]}") <(tail -n ${#rules[@]} <<<"$output")
}

@test "a call that seccomp denies has a result, and has not begun" {
	sees denied 5 'syscall:mkdirat ret == -EPERM' 5 'syscall:mkdirat ret < 0 && arg0 == 42 && arg2 == 0755' \
		0 'syscall:mkdirat latency > 0ns' 0 'syscall:mkdirat arg0 == 42'
}

@test "a call that a tracer emulates has a result, and has not begun" {
	sees emulated 5 'syscall:mkdirat ret == -EPERM' 5 'syscall:mkdirat ret < 0 && arg0 == 42 && arg2 == 0755' \
		0 'syscall:mkdirat latency > 0ns' 0 'syscall:mkdirat arg0 == 42'
}

@test "the child has not made the call that its parent forks with" {
	sees emulated 5 'syscall:clone,clone3,fork,vfork ret > 0' 0 'syscall:clone,clone3,fork,vfork ret == 0'
}

@test "a call that a handler interrupts returns EINTR" {
	sees eintr 5 'syscall:read ret == -EINTR && arg0 == 77' 5 'syscall:read ret < 0 && arg0 == 77' \
		0 'syscall:read ret < -4' 5 'syscall:read latency > 0ns && arg0 == 77'
	sees poll 5 'syscall:ppoll ret == -EINTR' 5 'syscall:ppoll ret < 0' 5 'syscall:ppoll comm != cat'
	sees woken 5 'syscall:clock_nanosleep ret == -EINTR' 5 'syscall:clock_nanosleep ret < 0' \
		0 'syscall:restart_syscall cpu < 9999'
}

@test "a call that the kernel makes anew behind a handler is one call" {
	sees restart 0 'syscall:read ret < 0 && arg0 == 77' 5 'syscall:read ret == 1 && arg0 == 77' \
		5 'syscall:read arg0 == 77' 5 'syscall:read latency > 300ms && arg0 == 77'
}

@test "a call that goes on behind a stop is one call" {
	sees stopped 0 'syscall:read ret < 0 && arg0 == 77' 5 'syscall:read ret == 1 && arg0 == 77' \
		5 'syscall:read arg0 == 77' 5 'syscall:read latency > 300ms && arg0 == 77'
	sees sleep 5 'syscall:clock_nanosleep latency >= 300ms' 5 'syscall:clock_nanosleep ret == 0' \
		5 'syscall:clock_nanosleep arg0 == 1' 5 'syscall:all latency >= 300ms && arg0 == 1' \
		0 'syscall:restart_syscall ret == 0'
}

@test "a call that a handler leaves for good does not go on in the next one at its place" {
	sees left 0 'syscall:read ret < 0 && arg0 == 77' 5 'syscall:read ret == 1 && arg0 == 77' 10 'syscall:read arg0 == 77'
}

@test "a denied call is no window, and none was missed" {
	requires auxbpf interrupt_cases
	must auxbpf -e cpu-clock -o "$BATS_TEST_TMPDIR/denied.data" --on-syscall mkdirat -- interrupt_cases denied 5
	! has "windows were missed"
}

@test "a signal that ends a process is delivered once, as what it is" {
	sees killed 5 'signal:SIGTERM' 0 'signal:SIGKILL' 5 'signal sig != 0' 5 'exit sig == SIGTERM'
	sees unblocked 5 'signal:SIGTERM' 0 'signal:SIGKILL' 5 'signal sig != 0' 5 'exit sig == SIGTERM'
}

@test "threads that end without a signal get none" {
	requires trigger_watch trigger_cases
	must with_tracefs trigger_watch 'signal sig != SIGCHLD' 'exit code == 3' -- trigger_cases --case exit --threads 8
	diff - <(tail -n 2 <<<"$output") <<<$'0 signal sig != SIGCHLD\n1 exit code == 3'
}

@test "the command's own exec is one" {
	requires trigger_watch
	must with_tracefs trigger_watch 'exec comm == true' 'exec comm == trigger_watch' 'syscall:execve ret == 0' -- true
	diff - <(tail -n 3 <<<"$output") <<<$'1 exec comm == true\n0 exec comm == trigger_watch\n1 syscall:execve ret == 0'
}
