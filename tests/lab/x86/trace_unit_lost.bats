#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# A trace unit whose own buffer overflows again and again (OVF packets), under perf record, without auxbpf: what perf decodes
# is what ran, but for what was lost, and where that was perf says so. One boot records everything.

load ../../lib/helpers

# Name, phase of the oracle's log, options of perf record, command.
RECORDINGS=(
	"user 20 -e intel_pt//u user_branches all"
	"traps 21 -e intel_pt//u trap_branches all"
	"untimed 22 -e intel_pt/tsc=0,mtc=0/u user_branches all"
	"noretcomp 23 -e intel_pt/noretcomp/u user_branches all"
	"kernel 24 --kcore -e intel_pt// user_branches calls"
	"system 25 -a --kcore -m8M,16M -e intel_pt// user_branches calls"
)

LONG="traps untimed noretcomp kernel"

record_all() {
	local name phase words
	set -e
	cat /proc/kallsyms >/out/kallsyms
	oracle-mark run -- true # sets the kernel's symbols
	for recording in "${RECORDINGS[@]}"; do
		read -r name phase words <<<"$recording"
		# shellcheck disable=SC2086 # words of options
		part "$name" oracle-mark run --again --traced --phase "$phase" -- perf record -o "/out/$name" -B -N --no-bpf-event $words
	done
}

setup_file() {
	requires build/trace-unit/pt.so oracle-check build/tests/{oracle-mark,trap_branches,user_branches} scripts/lab
	record_in_lab --unit overflow=500 --oracle RECORDINGS part record_all
}

is_equal_but_for_losses() { # name
	local name phase rest lost
	for recording in "${RECORDINGS[@]}"; do
		read -r name phase rest <<<"$recording"
		[ "$name" != "$1" ] || break
	done
	ended "$name" 0
	decode_branches "$DIR" "$name"
	lost=$(grep -c 'instruction trace error.* code 7: Overflow packet' "$DIR/$name.branches")
	echo "$lost overflows"
	[ "$lost" -ge 10 ]
	sed -i '/ code 7: Overflow packet/d' "$DIR/$name.branches"
	must oracle-check decode --oracle "$DIR/oracle" --script "$DIR/$name.branches" --kallsyms "$DIR/kallsyms" --phase "$phase"
	has "decode: equal"
}

@test "user mode, all kinds of branches" { is_equal_but_for_losses user; }
# bats test_tags=long
@test "single steps, breakpoints, branches that fault, far returns" { is_equal_but_for_losses traps; }
# bats test_tags=long
@test "without time stamps" { is_equal_but_for_losses untimed; }
# bats test_tags=long
@test "returns are not compressed if they shall not be" { is_equal_but_for_losses noretcomp; }
# bats test_tags=long
@test "user mode and kernel" { is_equal_but_for_losses kernel; }
@test "all CPUs, user mode and kernel" { is_equal_but_for_losses system; }
