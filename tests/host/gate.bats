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

# Each writer begins its write on CPU 0 and goes on with it on the other one, once for each part that is read of the full pipe.
# Not all of these switches need to be seen: no program runs while a task of the machine's own keepers is on the CPU.
# shellcheck disable=SC2016 # for sh
MOVED='mkfifo bytes; exec 3<>bytes
for i in 1 2 3; do
	dd bs=1M count=1 if=/dev/zero status=none >&3 & writer=$!
	until grep -q "^$WRITE 0x1 " /proc/$writer/syscall; do sleep 0.01; done
	taskset -cp 1 $writer
	head -c 1M <&3 >/dev/null
	wait $writer
done'

@test "a window that goes on where there is no trace is cut, and that is said" {
	requires auxbpf
	cd "$BATS_TEST_TMPDIR"
	WRITE=$(auxbpf list syscalls | awk '$2 == "write" { print $1 }')
	must with_tracefs auxbpf -o out -e cpu-clock -C 0 --comm dd --on-syscall write --snapshot-on end -- taskset -c 0 env WRITE="$WRITE" sh -c "$MOVED"
	has "warning: CPU 1: 3 windows were cut"
}

# The program's own processes are made by clone, too, and end as they should. All on one CPU, which the warning names. A task that
# follows one of the machine's own keepers on the CPU finds the gate closed, as no program runs at such a switch: its window is
# not closed late then.
@test "a window whose end is not seen is closed at the next call, and that is said" {
	requires auxbpf interrupt_cases
	cd "$BATS_TEST_TMPDIR"
	must with_tracefs auxbpf -v -o out -e cpu-clock --comm interrupt_cases --on-syscall clone --snapshot-on end -- \
		taskset -c 0 interrupt_cases renamed 20
	[[ $output =~ "warning: CPU 0: "([0-9]+)" windows were closed late, at the next system call" ]]
	[ "${BASH_REMATCH[1]}" -ge 18 ]
	[ "${BASH_REMATCH[1]}" -le 20 ]
	has "missed 0, overrun ${BASH_REMATCH[1]}, cut 0"
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

@test "a window from one system call to another" {
	requires auxbpf syscall_cases
	cd "$BATS_TEST_TMPDIR"
	must with_tracefs auxbpf -v -o out -e cpu-clock --on-range syscalls:sys_exit_newuname,syscalls:sys_enter_sysinfo \
		--snapshot-on end -- taskset -c 0 syscall_cases alternate 7
	has "CPU 0: windows 7,"
}

# Runs a shell on CPU 0 that makes 20 children, with these windows. No interrupt comes to the tracepoints of its tests.
ranges() { # options...
	cd "$BATS_TEST_TMPDIR"
	# shellcheck disable=SC2016
	must with_tracefs auxbpf -v -o out -e cpu-clock "$@" --snapshot-on end -- \
		taskset -c 0 sh -c 'i=0; while [ $i -lt 20 ]; do /bin/true; i=$((i + 1)); done'
}

FORK=sched:sched_process_fork EXEC=sched:sched_process_exec WAIT=sched:sched_process_wait

@test "a window from one tracepoint to another: one for each way of a task from the first to the second" {
	requires auxbpf
	ranges --on-range $FORK,$WAIT
	has "CPU 0: windows 20, "
	[[ $output =~ "CPU 0: windows 20, "[^\;]*", missed 0, overrun 0, cut 0; gate opened "([0-9]+)", closed "([0-9]+), ]]
	[ "${BASH_REMATCH[1]}" -ge 20 ]
	[ "${BASH_REMATCH[1]}" -eq "${BASH_REMATCH[2]}" ]
}

# The shell forks 20 times and executes nothing from then on. Each of its children executes a program, before which it is in no
# window.
@test "such windows do not nest, their end without a begin is none, and the end of a task ends them" {
	requires auxbpf
	ranges --on-range $FORK,$EXEC
	has "CPU 0: windows 1, "
	ranges --on-range $EXEC,$FORK
	[ "$(grep -oP 'CPU \d+: windows \K\d+' <<<"$output" | paste -s -d + | bc)" -eq 21 ]
}

@test "several such windows, and others beside them: each begins and ends for itself" {
	requires auxbpf
	ranges --on-range $FORK,$WAIT --on-range $WAIT,$FORK --on-syscall '/^v?fork$|^clone3?$/'
	has "CPU 0: windows 60, "
}

@test "such a window ends where its task is switched out" {
	requires auxbpf
	ranges --on-cpu --on-range $FORK,sched:sched_switch
	has "refused 0"
	has "CPU 0: windows 20, "
}

# The shell forks and so begins its window on CPU 0; the children that it makes on CPU 1 are in none.
@test "such a window goes on on another CPU, and not in a child" {
	requires auxbpf
	cd "$BATS_TEST_TMPDIR"
	# shellcheck disable=SC2016
	must with_tracefs auxbpf -v -o out -e cpu-clock -C 0 --on-range $FORK,oom:mark_victim --snapshot-on end -- \
		taskset -c 0 sh -c 'taskset -cp 1 $$ >taskset; for i in 1 2 3; do sleep 0.1; done; :'
	has "CPU 0: windows 1, "
	has "warning: CPU 1: 1 windows were cut"
	has "warning: nobody came to the tracepoint oom:mark_victim"
}
