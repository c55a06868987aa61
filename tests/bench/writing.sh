#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The guest's part of `scripts/bench writing`: what it costs to write the trace, auxbpf beside perf record, in turns.
#
#	tests/bench/writing.sh stream	the full trace: CPU time for each MB, and how much is in the file
#	tests/bench/writing.sh snapshot	CPU time for a snapshot of full buffers
#	tests/bench/writing.sh size	the files
#
# LAB_ROUNDS rounds. A line of output is "WHAT WHO NUMBER"; what else there is to say goes to stderr.
set -euo pipefail

# shellcheck source=tools.sh
. "$(dirname "$0")/tools.sh"

# Of trace, on each CPU.
stream_mib=24
snapshot_mib=16

# ns of all threads, also of those that have ended; the clock of that ticks every 10 ms.
cpu_time() { # pid
	awk '{ sub(/.*\) /, ""); print ($12 + $13) * 10000000 }' "/proc/$1/stat"
}

file_size() { # tool
	case $1 in
		perf) stat -c %s "$dir/perf.data" ;;
		auxbpf) stat -c %s "$dir/streamed/data" ;;
	esac
}

fill_both() { # MiB
	fill 0 1024 "$1" >/dev/null &
	fill 1 1024 "$1" >/dev/null
	wait $!
}

stream() { # tool
	local before after size
	say "stream, $1 ($SECONDS s)"
	case $1 in
		perf) start_perf -a -m ,4M -e intel_pt//u ;;
		auxbpf) start_stream -a --aux-size 4M -e intel_pt//u ;;
	esac
	before=$(cpu_time "$pid")
	fill_both "$stream_mib"
	sleep 1
	after=$(cpu_time "$pid")
	end "$1"
	size=$(file_size "$1")
	echo "lab-bytes $1 $size"
	awk -v who="$1" -v ns=$((after - before)) -v size="$size" 'BEGIN { printf "lab-stream %s %d\n", who, ns * 1e6 / size }'
}

# In all snapshots.
bytes_written() { # tool
	case $1 in
		perf) file_size perf ;;
		auxbpf) sed -n 's/.*"bytes":\([0-9]*\),"blind.*/\1/p' "$dir/snapshots/index.ndjson" |
			awk '{ all += $1 } END { print all + 0 }' ;;
	esac
}

wait_written() { # tool bytes
	while [ "$(bytes_written "$1")" -lt "$2" ]; do sleep 0.2; done
}

# The first one comes when all is done that is done once, the kernel's symbols read; of the next one the buffers are full.
# perf copies and writes while nothing is traced, auxbpf writes while the trace runs, and what is traced runs several times
# slower in the emulated guest: so that it is not measured, auxbpf's targets are the programs that fill the buffers.
snapshot() { # tool
	local before written
	say "snapshot, $1 ($SECONDS s)"
	case $1 in
		perf) start_perf -S -a -m ",${snapshot_mib}M" -e intel_pt//u ;;
		auxbpf) start_auxbpf -a --aux-size "${snapshot_mib}M" -e intel_pt//u --comm fill --on-cpu --snapshot-on SIGUSR2 ;;
	esac
	start_filling "$snapshot_mib"
	wait_filled
	written=$(bytes_written "$1")
	kill -USR2 "$pid"
	wait_written "$1" $((written + 1024 * 1024))
	sleep 2
	wait_filled
	stop_filling
	written=$(bytes_written "$1")
	before=$(cpu_time "$pid")
	kill -USR2 "$pid"
	wait_written "$1" $((written + snapshot_mib * 2 * 1024 * 1024 * 9 / 10))
	echo "lab-snapshot $1 $(($(cpu_time "$pid") - before))"
	end "$1"
}

size() { # tool
	rm -rf "$dir"
	mkdir "$dir"
	case $1 in
		perf) perf record -B -o "$dir/perf.data" -a -m ,4M -e intel_pt//u -- fill 0 1024 1 ;;
		auxbpf) auxbpf -o "$dir/streamed" --stream -a --aux-size 4M -e intel_pt//u -- fill 0 1024 1 ;;
	esac >/dev/null 2>&1
	echo "size $1 $(file_size "$1")"
}

for _ in $(seq "$rounds"); do
	"$1" perf
	"$1" auxbpf
done
