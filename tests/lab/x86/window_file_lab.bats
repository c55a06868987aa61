#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What windows.ndjson tells beside a trace: calls are those that strace sees, and the trace lies inside of the windows, by the
# times that perf prints. One boot makes all captures; each test looks at one.

load ../../lib/helpers
load ../../lib/windows

# Runs in the guest. The command of a plain capture is traced by its name, because strace is its parent.
strace_case() { # name auxbpf's arguments... -- case...
	local name=$1
	shift
	part "$name" auxbpf -o "/out/$name" --comm syscall_cases "${@:1:2}" -- strace -f -o "/out/$name.calls" -e raw=all \
		-e "trace=$2,execve" syscall_cases "${@:4}"
}

record_all() {
	strace_case alternate --on-syscall uname,sysinfo -- alternate 20
	strace_case restart --on-syscall read -- restart
	strace_case stop --on-syscall clock_nanosleep,restart_syscall -- stop
	part many auxbpf -o /out/many --on-syscall uname -- taskset -c 0 syscall_cases uname 5000
	part stream auxbpf --stream -o /out/stream --on-syscall uname -- taskset -c 0 syscall_cases uname 20
	part again auxbpf -o /out/stream --on-syscall uname -- taskset -c 0 syscall_cases uname 3
	part kernel auxbpf -o /out/kernel --on-function noop_fsync --on-syscall fsync -- \
		function_cases fsync
	part snapshots auxbpf -o /out/snapshots --on-syscall uname,sysinfo --cool-down 0 --lookback all \
		--snapshot-on 'syscall:sysinfo ret == 0' -- taskset -c 0 syscall_cases alternate 1
	part moved auxbpf -o /out/moved --on-syscall clock_nanosleep -- syscall_cases migrate
}

setup_file() {
	requires auxbpf jq python3 syscall_cases function_cases scripts/lab
	record_in_lab part strace_case record_all
}

# Each branch that perf decodes is in a window of the CPU's, but for SLACK ns: perf knows the time only at the trace's
# packets. And each window has some.
inside() { # name
	local name=$1 slack=$2
	script_in_lab "$DIR" "$name" --ns --itrace=be -F cpu,time >"$DIR/$name.times" 2>"$DIR/$name.perf"
	python3 - "$DIR/$name/windows.ndjson" "$DIR/$name.times" "$slack" <<-'END'
		import bisect, json, re, sys

		slack = int(sys.argv[3])
		windows = [json.loads(line) for line in open(sys.argv[1])][1:]
		begins = [w["begin_ns"] - slack for w in windows]
		hit, worst = set(), 0
		for line in open(sys.argv[2]):
		    m = re.match(r"\s*\[(\d+)\]\s+(\d+)\.(\d{9}):", line)
		    if not m:
		        continue
		    time = int(m[2]) * 10**9 + int(m[3])
		    i = bisect.bisect_right(begins, time) - 1
		    if i < 0 or time > windows[i]["end_ns"] + slack:
		        sys.exit(f"in no window: {line.strip()}, behind {windows[i] if i >= 0 else None}")
		    hit.add(i)
		if len(hit) != len(windows):
		    sys.exit(f"{len(windows) - len(hit)} of {len(windows)} windows have no branch")
	END
}

@test "a plain capture: number, arguments, result and order are those that strace sees" {
	for name in alternate restart stop; do
		ended $name 0
		well_formed "$DIR/$name/windows.ndjson"
		sed -i '1n; /\bexecve[ (]/d' "$DIR/$name.calls"
		must same_as_strace "$DIR/$name/windows.ndjson" "$DIR/$name.calls"
	done
	must jq -es '.[1:] | length == 40' "$DIR/alternate/windows.ndjson"
}

@test "what is decoded is inside of the windows, by perf's times" {
	inside alternate 100000
	ended stream 0
	ended moved 0
	must jq -es '[.[1:][] | select(.off_ns > 1500000000)] | length == 1 and .[0].cpu == 0 and .[0].end_cpu == 1 and
		.[0].moves >= 1' "$DIR/moved/windows.ndjson"
	inside moved 100000
}

@test "what was overwritten is counted and said" {
	ended many 0 "5000 windows on CPU 0" "older windows left out of windows.ndjson: 904"
	well_formed "$DIR/many/windows.ndjson"
	must jq -es '.[0].windows == 4096 and .[0].left_out == 904' "$DIR/many/windows.ndjson"
}

# The second capture of that name replaces the first, which becomes NAME.old.
@test "the full trace has the same file, also when it is replaced" {
	ended again 0
	well_formed "$DIR/stream/windows.ndjson"
	must jq -es '.[1:] | length == 3 and all(.name == "uname")' "$DIR/stream/windows.ndjson"
	must jq -es '.[1:] | length == 20 and all(.name == "uname" and .ret == 0)' "$DIR/stream.old/windows.ndjson"
}

# Each kind has a window of its own.
@test "a function of the kernel inside of a system call" {
	ended kernel 0
	well_formed "$DIR/kernel/windows.ndjson"
	must jq -es '.[1:] | map(.name) == ([range(3)] | map(["fsync", "noop_fsync"]) | add)' "$DIR/kernel/windows.ndjson"
	must jq -es '.[1:] | . as $w | all(range(3); $w[. * 2].begin_ns <= $w[. * 2 + 1].begin_ns and
		$w[. * 2].end_ns >= $w[. * 2 + 1].end_ns and $w[. * 2].ret == 0)' "$DIR/kernel/windows.ndjson"
}

@test "a snapshot has the windows until its trigger, and the index says how many" {
	ended snapshots 0
	well_formed "$DIR"/snapshots/*.data/windows.ndjson
	must jq -es '[.[1:][].name] | .[0] == "uname"' "$DIR"/snapshots/*.data/windows.ndjson
	must jq -es '.[0].windows >= 1 and .[0].windows_left_out == 0' "$DIR/snapshots/index.ndjson"
}
