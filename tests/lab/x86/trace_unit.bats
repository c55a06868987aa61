#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The trace unit's less common sides: traps, options of the PMU, address filters, AUX buffers that are small, overwritten
# or paused. As in oracle.bats, what perf decodes is compared with what ran, and one boot records everything.

load ../../lib/helpers

# Name, phase of the oracle's log, options of perf record, command. %20 is a blank within an option.
RECORDINGS=(
	"traps 20 -e intel_pt//u trap_branches all"
	"traps_kernel 21 --kcore -e intel_pt// trap_branches all"
	"noretcomp 22 -e intel_pt/noretcomp/u user_branches all"
	"untimed 23 -e intel_pt/tsc=0,mtc=0/u user_branches calls"
	"system 24 -a --kcore -m8M,16M -e intel_pt// user_branches calls"
	"paused 25 --kcore -e {intel_pt/aux-action=start-paused/k,syscalls:sys_enter_newuname/aux-action=resume/,syscalls:sys_exit_newuname/aux-action=pause/} uname"
	"interrupts 26 -m,64K -e intel_pt//u user_branches loops 100000"
	"overwritten 27 -Se -m,64K -e intel_pt//u user_branches loops 300000"
	"filtered 28 -e intel_pt//u --filter filter%20middle%20@/src/build/tests/user_branches user_branches calls"
)

LONG="traps noretcomp untimed paused"

record_all() {
	local name phase words
	set -e
	cat /proc/kallsyms >/out/kallsyms
	oracle-mark run -- true # sets the kernel's symbols
	for recording in "${RECORDINGS[@]}"; do
		read -r name phase words <<<"$recording"
		! left_out "$name" || continue
		echo "$name"
		# shellcheck disable=SC2206 # words of options
		words=($words)
		oracle-mark run --again --traced --phase "$phase" -- perf record -o "/out/$name" -B -N --no-bpf-event "${words[@]//%20/ }"
	done
}

setup_file() {
	requires build/trace-unit/pt.so oracle-check build/tests/oracle-mark build/tests/trap_branches scripts/lab
	record_in_lab --oracle RECORDINGS record_all
}

is_equal() { # name, options of oracle-check
	local name phase rest
	for recording in "${RECORDINGS[@]}"; do
		read -r name phase rest <<<"$recording"
		[ "$name" = "$1" ] || continue
		decode_branches "$DIR" "$name"
		# Samples of tracepoints, which the recording has besides, are no branches.
		sed -i '/=>\|error/!d' "$DIR/$name.branches"
		must oracle-check decode --oracle "$DIR/oracle" --script "$DIR/$name.branches" \
			--kallsyms "$DIR/kallsyms" --phase "$phase" "${@:2}"
	done
	has "decode: equal"
}

# bats test_tags=long
@test "user mode: single steps, breakpoints, branches that fault, far returns" { is_equal traps; }
@test "the same with the kernel's part" { is_equal traps_kernel; }
# bats test_tags=long
@test "returns are not compressed if they shall not be" { is_equal noretcomp; }
# bats test_tags=long
@test "without time stamps" { is_equal untimed; }
@test "all CPUs, user mode and kernel" { is_equal system; }
# bats test_tags=long
@test "paused and resumed by tracepoints" { is_equal paused; }

@test "a small AUX buffer, emptied when its interrupt comes" {
	is_equal interrupts
	run lab host --out "$DIR" -- perf report -i /out/interrupts -D
	[ "$(grep -c 'PERF_RECORD_AUX ' <<<"$output")" -gt 2 ]
}

@test "an overwritten AUX buffer ends with what ran last" { is_equal overwritten --tail --least 7000; }

@test "an address filter: all of a function and nothing else" {
	local first size
	decode_branches "$DIR" filtered
	read -r first size < <(nm -S "$AUXBPF_ROOT/build/tests/user_branches" | awk '$4 == "middle" { print $1, $2 }')
	must perl -ne '
		BEGIN { $first = hex shift; $end = $first + hex shift }
		/(\w+) => +(\w+)/ or die "no branch: $_";
		# An interrupt, and where it came from again.
		$n += $1 eq "0" && $2 eq $left ? -1 : 1;
		$left = $2 eq "0" ? $1 : "";
		grep { $_ >= $first && $_ < $end } hex $1, hex $2 or die "outside: $_";
		END { print "$n branches\n" }' "$first" "$size" "$DIR/filtered.branches"
	# run_calls() calls middle() 200 times, which calls leaf() twice: in, out, in, out, in, out.
	has "1200 branches"
}
