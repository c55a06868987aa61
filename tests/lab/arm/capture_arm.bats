#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# auxbpf on 64-bit Arm, with the kernel's own cs_etm driver: what perf with OpenCSD decodes of a capture of system calls is,
# branch by branch, what ran in their windows and nothing else, as the oracle has it. One boot makes all captures; each test
# looks at one.

load ../../lib/helpers

# name, phase of the oracle's log, options of auxbpf, command
CASES=(
	"uname 20 --on-syscall uname -- uname -a"
	"many 21 --on-syscall uname -- syscall_cases uname 300"
	"breakpoint 22 --control breakpoint --on-syscall uname -- syscall_cases uname 20"
	"sleep 23 --on-syscall clock_nanosleep -- syscall_cases sleep 3"
	"migrate 24 --on-syscall clock_nanosleep -- syscall_cases migrate"
	"migrate_busy 25 --on-syscall read -- syscall_cases migrate-busy 4"
	"restart 26 --on-syscall read -- syscall_cases restart"
	"stop 27 --on-syscall clock_nanosleep,restart_syscall -- syscall_cases stop"
	"signals 28 --on-syscall kill,rt_sigreturn,rt_sigprocmask -- user_branches signals"
	"compat 29 --on-syscall uname -- compat32 5"
)

# The parts of the gate that are the same on all architectures are in capture.bats.
LONG="many sleep migrate_busy restart stop"

capture_all() {
	local name phase options again=
	auxbpf list >/out/list
	cat /proc/kallsyms >/out/kallsyms
	for case in "${CASES[@]}"; do
		read -r name phase options <<<"$case"
		# shellcheck disable=SC2086 # words of the options
		part "$name" oracle-mark run $again --traced --phase "$phase" -- auxbpf -v -o "/out/$name" $options
		again=--again # the kernel's symbols are set
	done
}

setup_file() {
	requires build/trace-unit/ete.so build-aarch64/auxbpf build-aarch64/tests/oracle-mark oracle-check scripts/lab
	export AUXBPF_LAB_ARCH=aarch64
	record_in_lab --oracle CASES part capture_all
}

# Its trace was decoded to what ran.
is_right() { # name
	local phase
	phase=$(printf '%s\n' "${CASES[@]}" | awk -v name="$1" '$1 == name { print $2 }')
	ended "$1" 0 "window"
	decode_check "$DIR" "$1" --etm --phase "$phase" --kallsyms "$DIR/$1/kcore_dir/kallsyms"
}

# In what was decoded this kernel function is come to.
enters() { # capture function
	lab host --out "$DIR" -- perf script -i "/out/$1" --itrace=b -F sym,addr | grep -qE "=> +[0-9a-f]+ $2( |$)" ||
		{ echo "$2 was not entered"; return 1; }
}

@test "the event is paused and resumed by the kernel" {
	grep -A 20 '^cs_etm ' "$DIR/list" | grep -E '^ +tracepoint +yes, the default here'
	grep -A 20 '^cs_etm ' "$DIR/list" | grep -E '^ +breakpoint +yes'
}

@test "uname -a: the window is exactly uname(2), with its modules and the gate's programs" {
	is_right uname
	[[ $(<"$DIR/uname.stdout") == Linux* ]]
	enters uname __do_sys_newuname
	enters uname etm4_enable_trace_unit
	enters uname 'bpf_prog_[0-9a-f]*_enter_first'
}

# bats test_tags=long
@test "300 windows in a row" {
	ended many 0 "auxbpf: 300 windows on CPU"
	is_right many
}

@test "the same with two debug registers for a gate" {
	ended breakpoint 0 "auxbpf: 20 windows on CPU"
	is_right breakpoint
}

# bats test_tags=long
@test "a sleeping system call" { is_right sleep; }

@test "a system call whose task is moved to another CPU while it sleeps" {
	ended migrate 0 "auxbpf: 1 window on CPU 0,1"
	is_right migrate
	[ "$(cut -c 1-6 "$DIR/migrate.branches" | sort -u | grep -c '[[]')" -eq 2 ]
}

# bats test_tags=long
@test "a system call whose task is moved to and fro while it works" { is_right migrate_busy; }
# bats test_tags=long
@test "a system call that a signal interrupts, restarted" { is_right restart; }
# bats test_tags=long
@test "a system call stopped and continued, as restart_syscall" { is_right stop; }
@test "system calls around signals, in a program of calls and jumps" { is_right signals; }

@test "a 32-bit process: its own uname, not the call of the same number" {
	ended compat 0 "auxbpf: 5 windows on CPU"
	is_right compat
	enters compat __do_sys_newuname
	run enters compat __do_sys_dup2
	[ "$status" -eq 1 ]
}
