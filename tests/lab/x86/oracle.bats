#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The ground under all captures: what perf decodes of the trace unit's trace is, branch by branch, what ran. One boot
# records everything with plain `perf record`; each test compares one recording. auxbpf has no part in this.

load ../../lib/helpers

# Name, phase of the oracle's log, event, more options of perf record, command.
RECORDINGS=(
	"user 20 intel_pt//u - user_branches all"
	"threads 21 intel_pt//u - user_branches threads"
	"compat 22 intel_pt//u - compat32"
	"both 23 intel_pt// --kcore syscall_cases uname 3"
	"moves 24 intel_pt//k --kcore syscall_cases migrate"
	"clone 25 intel_pt//k --kcore syscall_cases clone"
)

LONG="threads moves"

# Runs in the guest. Without what a recording of this guest's own programs does not need: reading every file for its
# build id, and every BPF program, takes most of the time.
record_all() {
	local name phase event options command
	set -e
	cat /proc/kallsyms >/out/kallsyms
	oracle-mark run -- true # sets the kernel's symbols
	for recording in "${RECORDINGS[@]}"; do
		read -r name phase event options command <<<"$recording"
		! left_out "$name" || continue
		[ "$options" != - ] || options=
		echo "$name"
		# shellcheck disable=SC2086 # words of the options and of the command
		oracle-mark run --again --traced --phase "$phase" -- perf record -o "/out/$name" -B -N --no-bpf-event -m,4M \
			-e "$event" $options -- $command
	done
}

setup_file() {
	requires build/trace-unit/pt.so oracle-check build/tests/oracle-mark user_branches scripts/lab
	record_in_lab --oracle RECORDINGS record_all
}

is_equal() { # name
	local name phase rest
	for recording in "${RECORDINGS[@]}"; do
		read -r name phase rest <<<"$recording"
		[ "$name" != "$1" ] || decode_check "$DIR" "$name" --phase "$phase"
	done
	has "decode: equal"
}

# The function was entered, in what perf decoded.
entered() { # recording, program, function
	local address
	address=$(nm "$AUXBPF_ROOT/build/tests/$2" | awk -v name="$3" '$3 == name { sub(/^0*/, "", $1); print $1 }')
	[ -n "$address" ] && grep -qE "=> +$address\$" "$DIR/$1.branches" || {
		echo "$3 at $address was not entered"
		return 1
	}
}

@test "user mode: calls, returns, indirect jumps, loops, signals, faults" {
	is_equal user
	for function in run_calls run_deep run_indirect run_loops run_jumps run_strings run_signals run_alarms run_faults \
		fibonacci by_switch op_double on_signal on_fault thread_body; do
		entered user user_branches "$function"
	done
}

# bats test_tags=long
@test "user mode: threads" {
	is_equal threads
	[ "$(nm "$AUXBPF_ROOT/build/tests/user_branches" | grep -c ' thread_body$')" -eq 1 ]
	entered threads user_branches thread_body
}

@test "user mode: a 32-bit process" {
	is_equal compat
	entered compat compat32 compat32_main
}

@test "user mode and kernel together: uname" {
	is_equal both
}

# bats test_tags=long
@test "kernel: a task that moves from one CPU to another" {
	is_equal moves
	[[ ! $output =~ "cpu "[01]": 0 branches" ]]
}

@test "kernel: threads on two CPUs" {
	is_equal clone
	[[ ! $output =~ "cpu "[01]": 0 branches" ]]
}

@test "the comparison would have found a difference" {
	sed '100d' "$DIR/user.branches" >"$DIR/short.branches"
	logged oracle-check decode --oracle "$DIR/oracle" --script "$DIR/short.branches" --phase 20
	[ "$status" -eq 1 ]
	has "1 branches are missing from the decode and 0 are in it that did not run"
}

# Three pieces of one recording, as if they were snapshots.
pieces() {
	split --numeric-suffixes=1 -n l/3 "$DIR/user.branches" "$DIR/piece."
}

@test "snapshots: pieces of a recording, in their order" {
	pieces
	printf '%s\n' first second third >"$DIR/names"
	must oracle-check snapshots --oracle "$DIR/oracle" --phase 20 --names "$DIR/names" "$DIR"/piece.0[123]
	has "third: cpu "
	has "snapshots: right, 3 files, $(grep -c '=>' "$DIR/user.branches") branches"
}

@test "snapshots: what is wrong would have been found" {
	pieces
	wrong() { # text piece...
		local text=$1
		shift
		logged oracle-check snapshots --oracle "$DIR/oracle" --phase 20 "${@/#/$DIR/piece.}"
		[ "$status" -eq 1 ]
		has "$text"
	}
	wrong "not in the order in which they were taken" 02 01
	wrong "branches are in $DIR/piece.01 too" 01 01
	# Far from its beginning: one less of the loop in which it begins is a piece that begins later.
	sed 3000d "$DIR/piece.02" >"$DIR/piece.short"
	wrong "1 branches are missing from the decode and 0 are in it that did not run" 01 short 03
	logged oracle-check snapshots --oracle "$DIR/oracle" --phase 20 --end-note 99 "$DIR/piece.01"
	[ "$status" -eq 1 ]
	has "1 snapshots and 0 missed, but 0 notes 99"
	logged oracle-check snapshots --oracle "$DIR/oracle"
	[ "$status" -eq 2 ]
}
