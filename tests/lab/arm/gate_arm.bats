#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# auxbpf's gate on 64-bit Arm: it is open for the windows of the targets and for nothing else, by the oracle. What is
# decoded: capture_arm.bats. Each kernel boots once.

load ../../lib/helpers
load ../../lib/windows

# name, phase of the oracle's log, number of windows ("=": as many as auxbpf says); windows for the check; options of
# auxbpf; command. Numbers of system calls: 63 read, 94 exit_group, 115 clock_nanosleep, 128 restart_syscall, 139 rt_sigreturn,
# 160 uname, 220 clone, 221 execve, 435 clone3; of 32-bit tasks 122 uname.
CASES=(
	"uname 20 1; --syscall 160; --on-syscall uname; uname -a"
	"sleep 21 4; --syscall 115; --on-syscall clock_nanosleep; sh -c 'syscall_cases sleep 3; syscall_cases migrate'"
	"signals 22 =; --syscall 63,115,128,139; --on-syscall read,clock_nanosleep,rt_sigreturn; \
sh -c 'syscall_cases restart; syscall_cases stop; wake -- user_branches signals'"
	"tasks 23 =; --syscall 94,220,221,435; --on-syscall clone,clone3,execve,exit_group; \
sh -c 'syscall_cases clone; syscall_cases vfork; syscall_cases execve 2; syscall_cases exit-group'"
	"compat 24 5; --compat-syscall 122; --on-syscall uname; compat32 5"
	"breakpoint 25 501; --syscall 115,160; --control breakpoint --on-syscall uname,clock_nanosleep; \
sh -c 'syscall_cases uname 500; syscall_cases migrate'"
	"user 26 0; --on-cpu --modes u; --on-cpu -e cs_etm//u; syscall_cases clone"
)

LONG="sleep breakpoint"

# About twice what was seen: less than x86 needs.
LIMITS=(--limit open=400 --limit close=240)

# While a command is traced other tasks keep both CPUs busy, 64- and 32-bit ones, with the same system calls; while auxbpf
# starts they are stopped.
# shellcheck disable=SC2046 # process ids
capture_all() {
	local name phase windows check options command
	set -e
	burn 0 1000 500 >/dev/null &
	burn 1 1000 500 >/dev/null &
	taskset -c 0 compat32 1000000 20 &
	taskset -c 1 compat32 1000000 20 &
	sleep 1
	oracle-mark run -- true # sets the kernel's symbols
	for case in "${CASES[@]}"; do
		kill -STOP $(jobs -p)
		IFS=';' read -r name check options command <<<"$case"
		read -r name phase windows <<<"$name"
		part "$name" oracle-mark run --again --new --phase "$phase" -- sh -c \
			"exec auxbpf -v -o /out/$name.data $options -- wake $(jobs -p | xargs) -- $command"
	done
	kill -KILL $(jobs -p)
	part strace auxbpf -o /out/strace.data --comm syscall_cases --on-syscall uname,sysinfo -- strace -f -o /out/strace.calls \
		-e raw=all -e trace=uname,sysinfo,execve syscall_cases alternate 10
}

# A kernel whose driver cannot pause.
capture_old() {
	set +e
	part list auxbpf list
	part forced auxbpf --control tracepoint --on-syscall read -o /out/no.data -- true
	part read auxbpf -v --on-syscall read -o /out/read.data -- syscall_cases migrate-busy 64
}

setup_file() {
	requires build-aarch64/auxbpf build-aarch64/tests/syscall_cases build/trace-unit/ete.so oracle-check scripts/lab
	export AUXBPF_LAB_ARCH=aarch64
	record_in_lab --kernel 6.12 part capture_old
	record_in_lab --oracle CASES part capture_all
}

# One case: the windows that auxbpf counted are those that the oracle has, and the trace was on in them only.
is_right() { # name
	local name phase windows check options=() kallsyms=$1
	for case in "${CASES[@]}"; do
		IFS=';' read -r name check _ <<<"$case"
		read -r name phase windows <<<"$name"
		[ "$name" != "$1" ] || break
	done
	ended "$name" 0 "written to" "missed 0"
	if [ "$windows" = 0 ]; then # of a capture without the kernel, whose symbols another one has
		kallsyms=uname
	else
		[[ $output =~ ([0-9]+)\ windows?\ on\ CPU ]]
		[ "$windows" = = ] || [ "${BASH_REMATCH[1]}" -eq "$windows" ]
		options=(--windows "${BASH_REMATCH[1]}")
	fi
	# shellcheck disable=SC2086 # words of the options
	gate_check "$DIR" "$kallsyms.data" --phase "$phase" --target-note 100 "${LIMITS[@]}" "${options[@]}" $check
}

@test "uname -a: the window is exactly uname(2)" { is_right uname; }
# bats test_tags=long
@test "a system call that sleeps while others run, and goes on on another CPU" { is_right sleep; }
@test "system calls that signals interrupt, and those around handlers" { is_right signals; }
@test "clone, vfork, execve and exit_group: new tasks are not in their maker's window" { is_right tasks; }
@test "a 32-bit process: its own uname, not the call of the same number" { is_right compat; }
# bats test_tags=long
@test "the same with two debug registers for a gate" { is_right breakpoint; }
@test "whenever a target runs, user mode alone" { is_right user; }

@test "windows.ndjson: number, arguments and result are those that strace sees; 32-bit tasks have numbers of their own" {
	ended strace 0
	well_formed "$DIR/strace.data/windows.ndjson"
	sed -i '1n; /\bexecve[ (]/d' "$DIR/strace.calls"
	must same_as_strace "$DIR/strace.data/windows.ndjson" "$DIR/strace.calls"
	must jq -es '.[1:] | length == 20' "$DIR/strace.data/windows.ndjson"
	must jq -es '.[1:] | length == 5 and all(.name == "uname" and .nr == 122 and .compat and .ret == 0)' \
		"$DIR/compat.data/windows.ndjson"
}

@test "Linux 6.12, whose driver cannot pause: ioctl, on both CPUs that the system call was on" {
	DIR=$BATS_FILE_TMPDIR/out-6.12
	ended list 0
	grep -qE '^ +tracepoint +no: the driver of cs_etm in this kernel cannot pause the trace' "$DIR/list.stdout"
	grep -qE '^ +ioctl +yes, the default here' "$DIR/list.stdout"
	ended forced 1 "--control tracepoint does not work here: the driver of cs_etm in this kernel cannot pause the trace"
	ended read 0 "it opens and closes late" "1 window on CPU 0,1"
	decode_branches "$DIR" read.data
	cat "$DIR/read.data.perf"
	logged grep -hE 'OCSD_ERR|instruction trace error' "$DIR/read.data.branches" "$DIR/read.data.perf"
	[ "$status" -eq 1 ]
	grep -q '^ *\[000\].*=>' "$DIR/read.data.branches"
	grep -q '^ *\[001\].*=>' "$DIR/read.data.branches"
}
