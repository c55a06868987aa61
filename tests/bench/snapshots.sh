#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The guest's part of `scripts/bench snapshots`: what a snapshot costs, auxbpf beside perf record -S, in turns.
#
#	tests/bench/snapshots.sh blind MIB...	the time without trace
#	tests/bench/snapshots.sh start		the time until they listen, and their memory
#	tests/bench/snapshots.sh behind		for the oracle: branches behind the trigger
#
# LAB_ROUNDS rounds. A line of output is "WHAT WHO NUMBER"; what else there is to say goes to stderr.
set -euo pipefail

trace=/sys/kernel/tracing/instances/bench

# shellcheck source=tools.sh
. "$(dirname "$0")/tools.sh"

# Whoever stops the trace of a CPU writes IA32_RTIT_CTL without its lowest bit.
watch_unit() {
	[ -d "$trace" ] || mkdir "$trace"
	echo mono >"$trace/trace_clock"
	echo 'msr == 0x570' >"$trace/events/msr/write_msr/filter"
	echo 1 >"$trace/events/msr/write_msr/enable"
}

# The longest time, of each CPU, that its trace was off; 0 while one still is.
off_times() {
	awk '/write_msr: 570/ {
			match($0, /\[[0-9]+\]/); cpu = substr($0, RSTART, RLENGTH)
			match($0, /[0-9]+\.[0-9]+: write_msr/); at = substr($0, RSTART, RLENGTH - 11)
			if ($NF !~ /[13579bdf]$/) { if (!(cpu in off)) off[cpu] = at }
			else if (cpu in off) {
				if (at - off[cpu] > longest[cpu]) longest[cpu] = at - off[cpu]
				delete off[cpu]
			}
		}
		END { for (cpu in longest) if (!(cpu in off)) printf "%d\n", longest[cpu] * 1e9 }' "$trace/trace"
}

# One snapshot of full buffers.
take() { # MiB tool
	local times=()
	wait_filled
	echo >"$trace/trace"
	kill -USR2 "$pid"
	for _ in $(seq 600); do
		mapfile -t times < <(off_times)
		[ ${#times[@]} -lt 2 ] || break
		sleep 0.2
	done
	for time in "${times[@]}"; do
		echo "blind-$1 $2 $time"
	done
	echo "copy-$1 memcpy $(bench_copy "$1")"
}

is_full() { # MiB
	local least=$(($1 * 2 * 1024 * 1024 * 2 * 9 / 10)) bytes
	if [ -e "$dir/snapshots" ]; then
		bytes=$(grep -o '"bytes":[0-9]*,"blind' "$dir/snapshots/index.ndjson" | grep -o '[0-9]*' | awk '{ n += $1 } END { print n + 0 }')
	else
		bytes=$(stat -c %s "$dir/perf.data")
	fi
	[ "$bytes" -ge "$least" ] || say "only $bytes bytes of trace in two snapshots of 2 x $1 MiB"
}

blind() { # MiB tool
	say "$1 MiB, $2 ($SECONDS s)"
	if [ "$2" = perf ]; then
		start_perf -S -a -m ",$1M" -e intel_pt//
	else
		start_auxbpf -a --aux-size "$1M" -e intel_pt// --snapshot-on SIGUSR2
	fi
	start_filling "$1"
	take "$1" "$2"
	take "$1" "$2"
	stop_filling
	end "$2"
	is_full "$1"
}

# Resident memory without the buffers, in KiB: those of perf events, and what auxbpf sets aside for copies.
memory() { # who KiB-of-copies
	local buffers
	buffers=$(awk '/^[0-9a-f]+-[0-9a-f]+ / { is = /perf_event/ } is && /^Rss:/ { n += $2 } END { print n + 0 }' "/proc/$pid/smaps")
	awk -v who="$1" -v less=$((buffers + $2)) '/^VmRSS:/ { print "resident " who " " $2 - less }
		/^VmHWM:/ { print "peak " who " " $2 - less }' "/proc/$pid/status"
}

# Of the kernel's trace, as it is decoded with a copy of the kernel's code; perf makes that with --kcore only.
start() {
	start_perf -S -a -m ,4M -e intel_pt//k
	echo "start perf $took"
	memory perf 0
	end perf
	start_auxbpf -a --on-syscall openat --aux-size 4M -e intel_pt//k --snapshot-on 'syscall:openat ret == -ENOENT'
	echo "start auxbpf $took"
	memory auxbpf $((2 * 2 * 4096))
	end auxbpf
	start_perf -S --kcore -a -m ,4M -e intel_pt//k
	echo "start perf-kcore $took"
	memory perf-kcore 0
	end perf
}

# What is asked is on CPU 1, who is asked mostly on CPU 0.
behind() {
	case $1 in
		perf-signal)
			start_perf -S -C 1 -e intel_pt//
			bench_ask 110 "$rounds" "$pid"
			end perf
			;;
		perf-control)
			start_perf -S -C 1 -e intel_pt//
			bench_ask 110 "$rounds" "$dir/ctl"
			end perf
			;;
		auxbpf-signal)
			start_auxbpf -a -C 1 -e intel_pt// --snapshot-on SIGUSR2
			bench_ask 110 "$rounds" "$pid"
			end auxbpf
			;;
		auxbpf-rule)
			start_auxbpf -a -C 1 -e intel_pt// --snapshot-on 'syscall:getppid comm == bench_ask'
			bench_ask 110 "$rounds"
			end auxbpf
			;;
	esac
}

what=$1
shift
case $what in
	blind)
		watch_unit
		for mib; do
			for _ in $(seq "$rounds"); do
				blind "$mib" perf
				blind "$mib" auxbpf
			done
		done
		;;
	start)
		for _ in $(seq "$rounds"); do start; done
		;;
	behind)
		oracle-mark run -- true # sets the kernel's symbols
		phase=41
		for who in perf-signal perf-control auxbpf-signal auxbpf-rule; do
			say "$who ($SECONDS s)"
			oracle-mark run --again --traced --phase "$phase" -- "$0" behind-of "$who"
			phase=$((phase + 1))
		done
		;;
	behind-of) behind "$1" ;;
esac
