#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# A recorder that is left on, in short, on this machine's own kernel: very many processes that begin and end, triggers
# among them, and BPF programs that come and go. What it takes of memory, file descriptors and disk is what it took after
# the first of them. SOAK_PROCESSES (a million; 50,000 in make test), one BPF program for every 20 of them.

load ../lib/helpers
load ../lib/soak

ALL=${SOAK_PROCESSES:-$(quick_or 50000 1000000)}
FIRST=10000
EVERY=100
# The first snapshot behind all the BPF programs has 4 MiB of records.
MAX_KIB=16384

setup_file() {
	requires auxbpf perf jq short_lives short_programs
	export FIRST EVERY ALL
	cd "$BATS_FILE_TMPDIR" || return
	write_soak soak
	echo "# $(basename "$BATS_TEST_FILENAME"): $ALL processes" >&3
	with_tracefs auxbpf -o out -e cpu-clock,sched:sched_process_exit -M 64K --scope all --cool-down 0 --max-rate 0 \
		--max-snapshots 0 --max-size "${MAX_KIB}K" --snapshot-on 'exit code == 3' -- bash soak >looks 2>said 3>&-
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
	cat looks
	tail -n 3 said
	read -r _ first_kib first_fds _ <looks
	read -r _ last_kib last_fds last_disk < <(tail -n 1 looks)
}

snapshots() {
	find out -mindepth 1 -maxdepth 1 -name '*.data' | sort
}

last_snapshot() {
	snapshots | tail -n 1
}

@test "memory: within 5 % of what it was after the first 10,000 processes" {
	[ "$first_kib" -gt 1000 ]
	[ $((last_kib * 100)) -le $((first_kib * 105)) ]
}

@test "file descriptors: as many as then" {
	[ "$first_fds" -gt 10 ]
	[ "$last_fds" -eq "$first_fds" ]
}

@test "disk: no more than --max-size, by removing the oldest" {
	[ "$last_disk" -gt $((MAX_KIB / 2)) ]
	[ "$last_disk" -le "$MAX_KIB" ]
	grep 'snapshots, the oldest, were removed: the directory was full' said
}

@test "each trigger was seen, and is a snapshot or counted" {
	local seen taken missed
	read -r seen taken missed < <(sed -nE 's/.*exit code == 3: seen ([0-9]+) times, ([0-9]+) snapshots, missed ([0-9]+).*/\1 \2 \3/p' said)
	[ "$seen" -eq $((ALL / EVERY + 20)) ]
	[ $((taken + missed)) -eq "$seen" ]
	# Of a million processes' snapshots the index has the last ones, without a gap.
	jq -r 'select(.rule).snapshot' out/index.ndjson | sed -E 's/.*-0*([0-9]+)\.data/\1/' >numbers
	[ "$(tail -n 1 numbers)" -eq "$taken" ]
	seq "$(head -n 1 numbers)" "$taken" | cmp - numbers
	[ "$(wc -l <numbers)" -ge "$(snapshots | wc -l)" ]
}

@test "the last snapshot is like any other: the processes in it are known" {
	perf script -i "$(last_snapshot)" -F comm,tid,event >samples
	grep short_lives samples
}

@test "a snapshot does not have the BPF programs that were gone long before" {
	perf script -i "$(last_snapshot)" --show-bpf-events >records
	grep -q 'PERF_RECORD_KSYMBOL .*bpf_prog_' records # auxbpf's own
	[ "$(grep -c short_program records)" -eq 0 ]
}

# Of a cgroup that is gone as the snapshot is written, the name is not known.
call_in() { # cgroup
	(echo "$BASHPID" >"$1/cgroup.procs" && exec uname)
	for _ in $(seq 200); do
		[ ! -s come/index.ndjson ] || break
		sleep 0.1
	done
}

# So many times 100 containers of one name; one of the last asks for a snapshot.
come_and_go() { # directory of cgroups, times
	local run i
	for run in $(seq "$2"); do
		for i in $(seq 100); do mkdir -p "$1/$run.$i/comes.service"; done
		for i in $(seq 200); do
			[ "$(grep -c 'tracing 100 cgroups' come.said)" -lt "$run" ] || break
			sleep 0.1
		done
		[ "$run" -lt "$2" ] || call_in "$1/$run.100/comes.service"
		find "$1" -depth -mindepth 1 -type d -exec rmdir {} +
	done
}

@test "containers of one name that come and go for long are traced, the last as the first" {
	local base
	base=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/auxbpf-test.$$
	mkdir "$base"
	with_tracefs auxbpf -o come -e cpu-clock -M 64K --container comes.service --wait --cool-down 0 \
		--snapshot-on syscall:uname -- bash -c "$(declare -f come_and_go call_in); come_and_go $base 13" 2>come.said
	rmdir "$base"
	tail -n 3 come.said
	[ "$(grep -c 'cannot' come.said)" -eq 0 ]
	jq -e 'select(.rule == "syscall:uname").cgroup | endswith("/13.100/comes.service")' come/index.ndjson
}
