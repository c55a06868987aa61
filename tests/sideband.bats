#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What snapshots tell beside samples and trace, on this machine's own kernel: namespaces if asked to, types of BPF programs.

load helpers

setup() {
	requires auxbpf perf
	cd "$BATS_TEST_TMPDIR"
}

snapshots() { # directory
	find "$1" -mindepth 1 -maxdepth 1 -name '*.data' | sort
}

# The records of namespaces in a snapshot, one a line: time, "PID/TID", the namespaces as NUMBER/NAME: DEVICE/INODE.
namespaces() { # snapshot
	perf script -i "$1" --show-namespace-events --ns 2>stderr | sed -nE '/PERF_RECORD_NAMESPACES/ { N; N; s/\n\t+//g
		s/.* ([0-9.]+): PERF_RECORD_NAMESPACES ([0-9]+\/[0-9]+) - nr_namespaces: 7/\1 \2 /; p }'
	! grep -v '^$' stderr
}

# A namespace as it is shown.
shown() { # number/name file
	printf '%s: %d/%#x,' "$1" "$(stat -L -c %d "$2")" "$(stat -L -c %i "$2")"
}

@test "--namespaces: of a task that was there before, of one that takes new ones, and of its child" {
	sleep 60 3>&- &
	before=$!
	# shellcheck disable=SC2016
	auxbpf -o out -e cpu-clock --namespaces --lookback 100ms --snapshot-on 'exit code == 3' -- unshare --uts bash -c '
		readlink /proc/self/ns/uts >uts
		echo $$ >self
		sleep 1 & echo $! >child
		sleep 0.8
		(exit 3)
		wait' 2>err
	kill "$before"
	[ "$(snapshots out | wc -l)" -eq 1 ]
	namespaces "$(snapshots out)" >records
	grep " $before/$before " records >record
	grep -qF "$(shown 0/net /proc/self/ns/net) $(shown 1/uts /proc/self/ns/uts) " record
	grep -qF "$(shown 4/user /proc/self/ns/user) $(shown 5/mnt /proc/self/ns/mnt) " record
	# They began longer ago than the lookback, so they are told as state, which has no time.
	uts=$(printf '%#x' "$(tr -dc 0-9 <uts)")
	[ "$uts" != "$(printf '%#x' "$(stat -L -c %i /proc/self/ns/uts)")" ]
	for task in "$(<self)" "$(<child)"; do
		grep " $task/$task " records >record
		[ "$(wc -l <record)" -eq 1 ]
		grep -qE "^0\.0+ .* 1/uts: [0-9]+/$uts," record
		grep -qF "$(shown 0/net /proc/self/ns/net)" record
	done
}

@test "--namespaces: one that is taken within the lookback has its time" {
	# shellcheck disable=SC2016
	auxbpf -o out -e cpu-clock --namespaces --lookback 10s --snapshot-on 'exit code == 3' -- sh -c '
		unshare --uts sh -c "readlink /proc/self/ns/uts >uts; echo \$\$ >self"
		exit 3' 2>err || [ $? -eq 3 ]
	namespaces "$(snapshots out)" >records
	[ "$(grep -cE "^[1-9][0-9.]+ $(<self)/$(<self) .* 1/uts: [0-9]+/$(printf '%#x' "$(tr -dc 0-9 <uts)")," records)" -eq 1 ]
}

@test "without --namespaces there are none" {
	auxbpf -o out -e cpu-clock --snapshot-on 'exit code == 3' -- sh -c 'exit 3' 2>err || [ $? -eq 3 ]
	[ "$(snapshots out | wc -l)" -eq 1 ]
	[ -z "$(namespaces "$(snapshots out)")" ]
}

@test "the BPF programs that are loaded, with their names and types" {
	auxbpf -o out -e cpu-clock --snapshot-on 'exit code == 3' -- sh -c 'exit 3' 2>err || [ $? -eq 3 ]
	logged perf script -i "$(snapshots out)" --header-only -I
	[ "$status" -eq 0 ]
	# Ours are among them: a program, and a function of one.
	grep -qE '^# bpf_prog_info [0-9]+: bpf_prog_[0-9a-f]{16}_on_switch addr 0x[0-9a-f]+ size [0-9]+$' <<<"$output"
	grep -qE '^# bpf_prog_info [0-9]+: bpf_prog_[0-9a-f]{16}_switch_to addr 0x[0-9a-f]+ size [0-9]+$' <<<"$output"
	grep -qE '^# btf info of id [0-9]+$' <<<"$output"
}
