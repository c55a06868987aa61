#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The gate's programs on this machine's own kernel, without an AUX event. The lab's kernels: control.bats and old_kernels.bats.

load ../lib/helpers

@test "the kernel takes the gate's programs, whatever the session" {
	requires gate_load
	logged with_tracefs gate_load
	[ "$(grep -c ' ok$' <<<"$output")" -ge 9 ]
	# The kernels of some sandboxes permit no program at a function; those of the lab do.
	! grep -v -e ' ok$' -e '^auxbpf: ' -e 'a function of the kernel .* Operation not permitted' <<<"$output"
}

@test "--uid: a task that changes its user counts from its next system call on, and no longer" {
	requires gate_user
	must with_tracefs gate_user
	has "20000 of 20000 windows"
}

# Each reader begins its read on CPU 0 and goes on, with the byte, on the other one.
# shellcheck disable=SC2016 # for sh
MOVED='mkfifo bytes; exec 3<>bytes
for i in 1 2 3; do
	dd bs=1 count=1 of=/dev/null <&3 2>&1 & reader=$!
	until grep -q "^$READ 0x0 " /proc/$reader/syscall; do sleep 0.01; done
	taskset -cp 1 $reader
	echo >&3
	wait $reader
done'

@test "a window that goes on where there is no trace is cut, and that is said" {
	requires auxbpf
	cd "$BATS_TEST_TMPDIR"
	READ=$(auxbpf list syscalls | awk '$2 == "read" { print $1 }')
	must with_tracefs auxbpf -o out -e cpu-clock -C 0 --comm dd --on-syscall read --snapshot-on end -- taskset -c 0 env READ="$READ" sh -c "$MOVED"
	has "warning: CPU 1: 3 windows were cut"
}

# The program's own processes are made by clone, too, and end as they should. All on one CPU, which the warning names.
@test "a window whose end is not seen is closed at the next call, and that is said" {
	requires auxbpf interrupt_cases
	cd "$BATS_TEST_TMPDIR"
	must with_tracefs auxbpf -v -o out -e cpu-clock --comm interrupt_cases --on-syscall clone --snapshot-on end -- \
		taskset -c 0 interrupt_cases renamed 5
	has "warning: CPU 0: 5 windows were closed late, at the next system call"
	has "missed 0, overrun 5, cut 0"
	must with_tracefs auxbpf -v -o seen -e cpu-clock --comm interrupt_cases --on-syscall clone --snapshot-on end -- \
		taskset -c 0 interrupt_cases emulated 5
	has "overrun 0"
	! has "closed late"
}

# The process that becomes the command is a target from the start, so it makes no call between that and its execve.
@test "auxbpf's own calls before the command runs are no windows" {
	requires auxbpf syscall_cases
	cd "$BATS_TEST_TMPDIR"
	must with_tracefs auxbpf -v -o out -e cpu-clock --on-syscall uname,rt_sigprocmask --snapshot-on end -- \
		taskset -c 0 syscall_cases uname 3
	has "CPU 0: windows 3,"
}
