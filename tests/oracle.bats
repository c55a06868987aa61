#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The ground under all captures: what perf decodes of the trace unit's trace is, branch by branch, what ran. One boot
# records everything with plain `perf record`; each test compares one recording. auxbpf has no part in this.

load helpers

# Phases of the oracle's log; the recording of phase N is perf.N.
CALLS=20 DEEP=21 INDIRECT=22 LOOPS=23 JUMPS=24 STRINGS=25 SIGNALS=26 ALARMS=27 FAULTS=28 THREADS=29
COMPAT=30 BOTH=31 KERNEL=32 KERNEL_MOVES=33 KERNEL_THREADS=34
export CALLS DEEP INDIRECT LOOPS JUMPS STRINGS SIGNALS ALARMS FAULTS THREADS COMPAT BOTH KERNEL KERNEL_MOVES KERNEL_THREADS

# Runs in the guest.
record_all() {
	record() { # phase, perf record's arguments...
		local phase=$1
		shift
		oracle-mark run --traced --phase "$phase" -- perf record -o "/out/perf.$phase" "$@"
	}
	set -e
	cat /proc/kallsyms >/out/kallsyms
	for name in CALLS DEEP INDIRECT LOOPS JUMPS STRINGS SIGNALS ALARMS FAULTS THREADS; do
		record "${!name}" -e intel_pt//u -- user_branches "${name,,}"
	done
	record "$COMPAT" -e intel_pt//u -- compat32
	record "$BOTH" -e intel_pt// --kcore -m,4M -- syscall_cases uname 3
	record "$KERNEL" -e intel_pt//k --kcore -m,4M -- syscall_cases uname 3
	record "$KERNEL_MOVES" -e intel_pt//k --kcore -m,4M -- syscall_cases migrate
	record "$KERNEL_THREADS" -e intel_pt//k --kcore -m,4M -- syscall_cases clone
}

setup_file() {
	requires build/trace-unit/pt.so oracle-check build/tests/oracle-mark user_branches scripts/lab
	export DIR=$BATS_FILE_TMPDIR/out
	lab run --cpus 2 --out "$DIR" --oracle "$BATS_FILE_TMPDIR/oracle" -- \
		bash -c "$(declare -p CALLS DEEP INDIRECT LOOPS JUMPS STRINGS SIGNALS ALARMS FAULTS THREADS COMPAT BOTH KERNEL \
			KERNEL_MOVES KERNEL_THREADS); $(declare -f record_all); record_all" >"$DIR.log" 2>&1 || {
		cat "$DIR.log"
		return 1
	}
	ln -s "$BATS_FILE_TMPDIR/oracle" "$DIR/oracle"
}

is_equal() { # phase
	decode_check "$DIR" "perf.$1" --phase "$1"
}

@test "user mode: calls and returns" {
	is_equal "$CALLS"
	# 200 times two calls of a leaf, and their returns: the trace is not empty by mistake.
	[ "$(grep -c . "$DIR/perf.$CALLS.branches")" -gt 1600 ]
}

@test "user mode: 300 calls deep, beyond RET compression" { is_equal "$DEEP"; }
@test "user mode: indirect calls and jumps" { is_equal "$INDIRECT"; }
@test "user mode: conditional branches without a pattern" { is_equal "$LOOPS"; }
@test "user mode: chains of direct jumps, LOOP and JRCXZ" { is_equal "$JUMPS"; }
@test "user mode: string instructions" { is_equal "$STRINGS"; }
@test "user mode: signals from the task itself, nested" { is_equal "$SIGNALS"; }
@test "user mode: signals from a timer, anywhere" { is_equal "$ALARMS"; }
@test "user mode: page faults, and faults with a handler" { is_equal "$FAULTS"; }
@test "user mode: threads on two CPUs" { is_equal "$THREADS"; }
@test "user mode: a 32-bit process" { is_equal "$COMPAT"; }
@test "user mode and kernel together" { is_equal "$BOTH"; }
@test "kernel: uname" { is_equal "$KERNEL"; }

@test "kernel: a task that moves from one CPU to another" {
	is_equal "$KERNEL_MOVES"
	has "cpu 0: "
	has "cpu 1: "
}

@test "kernel: threads on two CPUs" { is_equal "$KERNEL_THREADS"; }
