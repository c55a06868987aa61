#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What `auxbpf report --compare` tells of a program that is slow every 50th time, by a trace of 64-bit Arm.

load ../../lib/helpers
load ../../lib/report
load ../../lib/compare

setup_file() {
	export PMU=cs_etm AUXBPF_LAB_ARCH=aarch64
	requires build-aarch64/auxbpf build-aarch64/tests/slow_calls build/trace-unit/ete.so scripts/lab auxbpf jq
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
	runs_into_pages fault el1h_64_sync
}

@test "more calls in a loop of the program" {
	compare retry
	well_formed retry
	takes_more_turns retry
}
