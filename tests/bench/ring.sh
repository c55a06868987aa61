#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A part of `scripts/bench writing`, on this machine's own kernel: what a sample adds to the system call at whose tracepoint
# it is taken, in a ring that is written over, auxbpf's and that of perf record --overwrite, in turns. RING_ROUNDS (5) rounds.
# A line of output is "WHAT WHO PICOSECONDS".
set -euo pipefail

event=syscalls:sys_enter_getsid
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# The sizes are the same, 1 MiB a CPU.
measure() { # who
	rm -rf "${dir:?}"/*
	case $1 in
		nobody) bench_calls ;;
		perf) perf record -q -a --overwrite -m 256 -e "$event" -o "$dir/perf.data" -- bench_calls ;;
		auxbpf) auxbpf -q -M 1M -e "$event" --snapshot-on end -o "$dir/snapshots" -- bench_calls ;;
	esac
}

# Both must have samples of it: else nothing was measured.
check() { # file
	perf script -i "$1" 2>/dev/null | grep -c "$event" >&2
}

for _ in $(seq "${RING_ROUNDS:-5}"); do
	base=$(measure nobody)
	for who in perf auxbpf; do
		echo "ring $who $(($(measure $who) - base))"
		case $who in
			perf) check "$dir/perf.data" ;;
			auxbpf) check "$dir"/snapshots/*.data ;;
		esac
	done
done
