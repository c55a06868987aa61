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
	shows lock '.[0] | .with == "/out/even" and .others == 40 and .window % 50 == 0'
	waits_for_lock lock
	grep -F ' the median of 40 in /out/even, ' "$DIR/lock.text"
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
