#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Test programs do what they claim, on this machine's own kernel.

load ../lib/helpers

setup() {
	requires trigger_cases
}

# Each of the lines that it printed has these words.
printed() { # words...
	local line
	[ "${#lines[@]}" -eq $# ]
	for line in "${lines[@]}"; do
		[[ $line =~ ^$1\ pid\ [0-9]+\ cpu\ [0-9]+\ before\ ([0-9]+)\ after\ ([0-9]+)$ ]]
		took=$((BASH_REMATCH[2] - BASH_REMATCH[1]))
		shift
	done
}

@test "trigger_cases: each case, with and without its trigger" {
	for name in openat ppoll write offcpu runq signal segv exit function softirq; do
		must trigger_cases --case "$name" --count 2 --gap 1 --threshold 2000 --jitter
		printed "$name 1 above" "$name 2 below"
	done
}

@test "trigger_cases: cases that always trigger" {
	for name in exec fork; do
		must trigger_cases --case "$name" --gap 1
		printed "$name 1 above"
		logged trigger_cases --case "$name" --jitter
		[ "$status" -eq 2 ]
	done
	logged trigger_cases --case exec --program /nonexistent
	[ "$status" -eq 1 ]
}

@test "trigger_cases: what is above the threshold takes longer than it" {
	for name in ppoll offcpu runq function softirq; do
		must trigger_cases --case "$name" --threshold 3000
		printed "$name 1 above"
		[ "$took" -ge 3000000 ]
	done
}

@test "trigger_cases: options" {
	must trigger_cases --case exit --code 7
	must trigger_cases --case write --size 4096 --count 3 --gap 0 --cpu 0
	[ "${#lines[@]}" -eq 3 ]
	for wrong in "" "--case none" "--case exit --code 256" "--case write --count x" "--case write --note 1" "--case write more"; do
		# shellcheck disable=SC2086 # words
		logged trigger_cases $wrong
		[ "$status" -eq 2 ]
	done
}
