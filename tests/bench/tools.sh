# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# For what the benchmarks run in a guest: how auxbpf and perf record are started and ended, and CPUs that are kept busy.

rounds=${LAB_ROUNDS:-3}
dir=/tmp/bench

say() {
	printf 'bench: %s\n' "$*" >&2
}

ns() {
	local now
	now=$EPOCHREALTIME
	echo $((${now/./} * 1000))
}

# Each leaves the pid in $pid, and how long it took to listen in $took (ns).

start_perf() { # argument...
	local start
	rm -rf "$dir"
	mkdir "$dir"
	mkfifo "$dir/ctl" "$dir/ack"
	exec 8<>"$dir/ctl" 9<>"$dir/ack"
	start=$(ns)
	perf record -B -o "$dir/perf.data" --control "fifo:$dir/ctl,$dir/ack" "$@" 2>"$dir/log" &
	pid=$!
	echo ping >&8
	read -r -t 300 <&9
	took=$(($(ns) - start))
}

run_auxbpf() { # what-it-says-then argument...
	local listens=$1 line='' start
	shift
	rm -rf "$dir"
	mkdir "$dir"
	mkfifo "$dir/log"
	exec 8<>"$dir/log"
	start=$(ns)
	auxbpf "$@" 2>"$dir/log" &
	pid=$!
	while [[ $line != *"$listens" ]]; do
		read -r -t 300 line <&8
		[[ $line == *"$listens" ]] || say "$line"
	done
	took=$(($(ns) - start))
	cat <&8 >"$dir/said" &
	reader=$!
}

start_auxbpf() { # argument...
	run_auxbpf armed -o "$dir/snapshots" --max-size 0 --min-free 0 --max-rate 0 --cool-down 0 --lookback all "$@"
}

start_stream() { # argument...
	run_auxbpf 'Ctrl-C ends it' --stream -o "$dir/streamed" "$@"
}

end() { # tool
	kill -INT "$pid"
	wait "$pid" || true
	exec 8>&- 9>&-
	[ "$1" != auxbpf ] || kill "$reader"
}

# Both CPUs are filled without a pause; a line of each tells of another quarter of the buffer.
start_filling() { # MiB
	: >"$dir/filled.0"
	: >"$dir/filled.1"
	fill 0 $(($1 * 256)) >"$dir/filled.0" &
	fillers=$!
	fill 1 $(($1 * 256)) >"$dir/filled.1" &
	fillers+=" $!"
}

stop_filling() {
	# shellcheck disable=SC2086 # two of them
	kill $fillers
	# shellcheck disable=SC2086
	wait $fillers || true
}

# The whole of both buffers, and more, is new.
wait_filled() {
	local cpu from
	for cpu in 0 1; do
		from=$(wc -l <"$dir/filled.$cpu")
		while [ "$(wc -l <"$dir/filled.$cpu")" -lt $((from + 6)) ]; do sleep 0.1; done
	done
}
