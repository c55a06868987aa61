#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# bats file_tags=lab
#
# auxbpf on 64-bit Arm: the kernel's own cs_etm driver, decoded on this machine by perf with OpenCSD. One boot makes all
# captures; each test looks at one.

load helpers

# name, options of auxbpf, command
CAPTURES=(
	"uname --on-syscall uname -- uname -a"
	"breakpoint --control breakpoint --on-syscall uname -- uname -a"
	"ioctl --control ioctl -e cs_etm//u --on-cpu --archive -- user_branches calls"
	"migrate --on-syscall clock_nanosleep -- syscall_cases migrate"
	"compat --on-syscall uname -- compat32 5"
	"user -e cs_etm//u --on-cpu --archive -- user_branches all"
	"wrapped -e cs_etm//u --on-cpu --aux-size 16K --archive -- user_branches all"
	"stream -e cs_etm//u --on-cpu --stream -- user_branches calls"
	"sink -e cs_etm/@trbe0/u -C 0 --on-cpu --archive -- taskset 1 user_branches calls"
	"snapshot -e cs_etm//u --on-cpu --archive --snapshot-on syscall:exit_group -- user_branches calls"
)

capture_all() {
	local name options
	auxbpf list >/out/list
	for capture in "${CAPTURES[@]}"; do
		read -r name options <<<"$capture"
		echo "$name"
		# shellcheck disable=SC2086 # words of the options
		auxbpf -v -o "/out/$name" $options >"/out/$name.stdout" 2>"/out/$name.stderr" || {
			echo "$name: status $?"
			cat "/out/$name.stderr"
		}
	done
}

setup_file() {
	requires build-aarch64/auxbpf build-aarch64/tests/user_branches scripts/lab
	export AUXBPF_LAB_ARCH=aarch64
	record_in_lab CAPTURES capture_all
}

# What perf decodes of a capture: in the file $branches. No error of the decoder is among it.
decoded() { # file
	local debug=()
	branches=$DIR/$(basename "$1").branches
	[ ! -d "$DIR/$1/debug" ] || debug=(--buildid-dir "/out/$1/debug")
	lab host --out "$DIR" -- perf "${debug[@]}" script -i "/out/$1" --itrace=be -F cpu,event,ip,sym,addr >"$branches" 2>&1
	logged grep -E "OCSD_ERR|Couldn't find|instruction trace error" "$branches"
	[ "$status" -eq 1 ]
}

# Its branches are more than this.
has_more_than() { # number
	[ "$(grep -c '=>' "$branches")" -gt "$1" ]
}

@test "the event is paused and resumed by the kernel" {
	grep -A 20 '^cs_etm ' "$DIR/list" | grep -E '^ +tracepoint +yes, the default here'
	grep -A 20 '^cs_etm ' "$DIR/list" | grep -E '^ +breakpoint +yes'
}

@test "uname -a: what the kernel did inside uname(2), with its modules and the gate's programs" {
	grep -q '^auxbpf: 1 window on CPU' "$DIR/uname.stderr"
	decoded uname
	for function in __do_sys_newuname etm4_enable_trace_unit 'bpf_prog_[0-9a-f]*_enter_first'; do
		grep -qE "=> +[0-9a-f]+ $function" "$branches" || { echo "$function was not entered"; return 1; }
	done
}

@test "the same with two debug registers for a gate" {
	grep -q '^auxbpf: 1 window on CPU' "$DIR/breakpoint.stderr"
	decoded breakpoint
	grep -q ' __do_sys_newuname' "$branches"
}

@test "the gate moved from user space" {
	decoded ioctl
	has_more_than 4000
}

@test "a system call whose task is moved to another CPU while it sleeps" {
	grep -q '^auxbpf: 1 window on CPU 0,1' "$DIR/migrate.stderr"
	decoded migrate
	grep -q '\[000\].*=>' "$branches"
	grep -q '\[001\].*=>.* do_nanosleep' "$branches"
}

@test "a 32-bit process: its own uname, not the call of the same number" {
	grep -q '^auxbpf: 5 windows on CPU' "$DIR/compat.stderr"
	decoded compat
	grep -q ' __do_sys_newuname' "$branches"
	! grep -q ' __do_sys_dup2' "$branches"
}

@test "a program in user mode, with signals and threads on two CPUs" {
	decoded user
	has_more_than 20000
	grep -q '\[000\].*=>' "$branches"
	grep -q '\[001\].*=>' "$branches"
}

@test "a small buffer has the newest part" {
	decoded wrapped
	has_more_than 4000
	[ "$(grep -c '=>' "$branches")" -lt 16000 ] # of more than 20,000
}

@test "the full trace" {
	decoded stream
	has_more_than 4000
}

@test "a sink by its name" {
	decoded sink
	has_more_than 4000
}

@test "a snapshot, with what its decoder asks for" {
	local file
	file=$(basename "$(ls -d "$DIR"/snapshot/*000001.data)")
	decoded "snapshot/$file"
	has_more_than 4000
}
