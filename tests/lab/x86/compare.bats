#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# `auxbpf report --compare` of a program that is slow every 50th time, for a reason that only its path shows: the report names it
# first. One boot makes all captures; each test looks at one.

load ../../lib/helpers
load ../../lib/report
load ../../lib/compare

setup_file() {
	export PMU=intel_pt
	requires auxbpf slow_calls scripts/lab jq
	record_in_lab PMU part record_slow
}

@test "another thread holds the lock" {
	compare lock
	well_formed lock
	waits_for_lock lock
}

@test "pages that are not there yet" {
	compare fault
	well_formed fault
	runs_into_pages fault asm_exc_page_fault
}

@test "more calls in a loop of the program" {
	compare retry
	well_formed retry
	takes_more_turns retry
}

# The 40 windows there, none of them slow, are the typical ones.
@test "against another capture" {
	compare lock --compare-with /out/even
	shows lock '.[0] | .with == "/out/even" and .others == 40 and .window == 50'
	waits_for_lock lock
	grep -F ' the median of 40 in /out/even, ' "$DIR/lock.text"
}

@test "without a choice it is the slowest" {
	ended lock 0
	report lock --windows --json >"$DIR/lock.windows"
	report lock --compare --json >"$DIR/lock.slowest"
	[ "$(jq -s 'max_by(.end_ns - .begin_ns).window' "$DIR/lock.windows")" -eq "$(jq -s '.[0].window' "$DIR/lock.slowest")" ]
}

@test "chosen windows, and those that cannot be compared" {
	ended lock 0
	report lock --compare --slowest 2 >"$DIR/two.text"
	[ "$(grep -c '^# window ' "$DIR/two.text")" -eq 2 ]
	report lock --window 7 --compare >"$DIR/one.text"
	grep '^# window 7: read(' "$DIR/one.text"
	logged report lock --compare --compare-with /out/fault
	[ "$status" -eq 1 ]
	has "'/out/fault' has no window of read"
}

@test "paths fit the terminal, with a pager or without" {
	local pager
	ended lock 0
	for pager in "" "cat -"; do
		must lab host --out "$DIR" -- script -qec "stty cols 80; PAGER='$pager' /src/build/auxbpf report --compare --window 50 /out/lock" /dev/null
		grep -F ' > ... > ' <<<"$output"
		tr -d '\r' <<<"$output" >"$DIR/terminal${pager:0:3}"
	done
	cmp "$DIR/terminal" "$DIR/terminalcat"
	report lock --compare --window 50 >"$DIR/lock.text"
	! grep -qF ' > ... > ' "$DIR/lock.text" || false
}
