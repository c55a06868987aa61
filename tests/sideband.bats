#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What snapshots tell beside samples and trace, on this machine's own kernel: types of BPF programs.

load helpers

setup() {
	requires auxbpf perf
	cd "$BATS_TEST_TMPDIR"
}

snapshots() { # directory
	find "$1" -mindepth 1 -maxdepth 1 -name '*.data' | sort
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
