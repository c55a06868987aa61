#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# --scope task: the snapshot has the CPUs where the task ran, however often it moved.

load ../../lib/helpers

# The task begins on CPU 2 and then has 31 calls on CPU 1 and CPU 0 in turn; at its end the snapshot is taken.
record_all() {
	local command='trigger_cases --case openat --from 2 --cpus 2 --count 31 --gap 50'
	# shellcheck disable=SC2086 # words
	part all auxbpf -o /out/all --lookback all --snapshot-on 'exit comm == trigger_cases' -- $command
}

setup_file() {
	requires build/trace-unit/pt.so scripts/lab auxbpf trigger_cases jq
	record_in_lab --cpus 3 part record_all
}

@test "a CPU that the task left 31 moves ago is in its snapshot" {
	ended all 0 '1 snapshot'
	[ "$(jq -c '[.cpus[].cpu] | sort' "$DIR/all/index.ndjson")" = '[0,1,2]' ]
}
