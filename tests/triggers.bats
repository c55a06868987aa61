#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Triggers on this machine's own kernel, without a trace unit: they are seen when, and only when, it happened.

load helpers

# Runs a case under trigger_watch, with as little between it and the CPU as can be.
watch() { # rule trigger_cases option...
	# shellcheck disable=SC2016 # tracefs where there is none
	logged unshare --mount sh -c '[ -e /sys/kernel/tracing/events ] || mount -t tracefs tracefs /sys/kernel/tracing
		rule=$1; shift; exec trigger_watch "$rule" -- chrt -f 1 trigger_cases "$@"' watch "$@" >"$BATS_TEST_TMPDIR/log"
	tail -n 4 "$BATS_TEST_TMPDIR/log"
	[ "$status" -eq 0 ]
	seen=$(tail -n 1 <<<"$output" | sed "s/ .*//")
}

@test "a call that takes long is seen, others are not: 10,000 calls" {
	requires trigger_watch trigger_cases
	watch 'syscall:ppoll latency > 1ms' --case ppoll --count 10000 --gap 0 --threshold 1000 --jitter
	# What the program measured includes the call: it is in doubt only if that alone is too long.
	above=$(awk '$3 == "above"' <<<"$output" | wc -l)
	doubt=$(awk '$3 == "below" && $NF - $(NF - 2) > 1000000' <<<"$output" | wc -l)
	echo "above $above, in doubt $doubt, seen $seen"
	[ "$above" -eq 5000 ]
	[ "$seen" -ge "$above" ]
	[ "$seen" -le $((above + doubt)) ]
}

@test "an exit is seen once, also of threads that end together" {
	requires trigger_watch trigger_cases
	watch 'exit code == 3' --case exit --count 2000 --gap 0 --threads 8
	[ "$seen" -eq 2000 ]
}

@test "an exit has the status of the process" {
	requires trigger_watch trigger_cases
	watch 'exit sig == SIGSEGV' --case segv --count 100 --gap 0 --jitter
	[ "$seen" -eq 50 ]
}
