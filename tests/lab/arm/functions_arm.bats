#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Windows in functions on 64-bit Arm, of programs and of the kernel: as many as there are, and what is decoded of them is
# what ran, by the oracle. One boot makes all captures; each test looks at one.

load ../../lib/helpers

USER=function_cases:window_outer
LONG="recursion fork vfork altstack migrate pipe"

# name, phase of the oracle's log, number of windows, function, command
CASES=(
	"calls 20 5 $USER calls"
	"recursion 21 2 $USER recursion"
	"nested 22 3 $USER nested"
	"longjmp 23 4 $USER longjmp"
	"threads 24 5 $USER threads"
	"fork 25 2 $USER fork"
	"vfork 26 2 $USER vfork"
	"signal 27 2 $USER signal"
	"altstack 28 1 $USER altstack"
	"migrate 29 1 $USER migrate"
	"fsync 30 3 noop_fsync fsync"
	"pipe 31 1 anon_pipe_read pipe"
)

capture_all() {
	local name phase windows where command again=
	for case in "${CASES[@]}"; do
		read -r name phase windows where command <<<"$case"
		# shellcheck disable=SC2086 # words of the command
		part "$name" oracle-mark run $again --traced --phase "$phase" -- auxbpf -v --archive --on-function "$where" \
			-o "/out/$name" -- function_cases $command
		again=--again # the kernel's symbols are set
	done
}

setup_file() {
	requires build-aarch64/auxbpf build-aarch64/tests/function_cases build/trace-unit/ete.so oracle-check scripts/lab
	export AUXBPF_LAB_ARCH=aarch64
	record_in_lab --oracle USER CASES part capture_all
}

# So many windows, and what was decoded of them is what ran.
is_right() { # name
	local name phase windows
	for case in "${CASES[@]}"; do
		read -r name phase windows _ <<<"$case"
		[ "$name" != "$1" ] || break
	done
	ended "$1" 0 "$windows window" "missed 0"
	decode_check "$DIR" "$1" --etm --phase "$phase" --kallsyms "$DIR/$1/kcore_dir/kallsyms"
}

@test "calls in a row" { is_right calls; }
# bats test_tags=long
@test "a function that calls itself" { is_right recursion; }
@test "a function that another one calls from its inside" { is_right nested; }
@test "threads, one of them made inside of the function" { is_right threads; }
# bats test_tags=long
@test "vfork inside of the function" { is_right vfork; }
@test "a signal's handler that calls the function" { is_right signal; }
# bats test_tags=long
@test "a signal's handler on another stack" { is_right altstack; }
# bats test_tags=long
@test "a function whose task is moved to another CPU while it sleeps" { is_right migrate; }
@test "a function of the kernel" { is_right fsync; }
# bats test_tags=long
@test "a function of the kernel that has to wait" { is_right pipe; }
@test "calls that are left by longjmp are windows of their own" { is_right longjmp; }
# bats test_tags=long
@test "a forked child is in the function too" { is_right fork; }
