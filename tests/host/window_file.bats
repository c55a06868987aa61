#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What windows.ndjson tells of each window, on this machine's own kernel, beside samples: what opened it, with what arguments
# and what result, for whom, when and where. Beside a trace: window_file_lab.bats.

load ../lib/helpers
load ../lib/windows

setup() {
	requires auxbpf perf jq python3 strace syscall_cases function_cases compat32
	cd "$BATS_TEST_TMPDIR"
}

# One snapshot at the end, with all windows: FILE is what tells of them.
record() { # name auxbpf's arguments...
	local name=$1
	shift
	must with_tracefs auxbpf -o "$name" -e cpu-clock --snapshot-on end --lookback all "$@"
	FILE=$(echo "$name"/*.data/windows.ndjson)
	well_formed "$FILE"
}

# The windows of a case are the calls that strace sees.
traced() { # name system-calls case...
	local name=$1 calls=$2
	shift 2
	record "$name" --comm syscall_cases --comm exe --on-syscall "$calls" -- \
		strace -f -o "$name.calls" -e raw=all -e trace="$calls,execve" syscall_cases "$@"
	sed -i '1n; /\bexecve[ (]/d' "$name.calls"
	must same_as_strace "$FILE" "$name.calls"
}

@test "number, arguments, result and order are those that strace sees" {
	traced alternate uname,sysinfo alternate 50
	must jq -es '[.[1:][].name] == ([range(50)] | map(["uname", "sysinfo"]) | add)' "$FILE"
	traced restart read restart
	must jq -es '[.[1:][].ret] == [-512, 1]' "$FILE"
	traced stop clock_nanosleep,restart_syscall stop
	must jq -es '.[1].errno == "ERESTART_RESTARTBLOCK" and .[-1].name == "restart_syscall"' "$FILE"
	must perf script -i "${FILE%/*}" --header-only
}

# Each thread begins in the window of the call that makes it, and comes to its end too; strace knows nothing of that. A task that
# ends does so inside its window.
@test "a child is in its parent's window, and a window can end with its task" {
	record clone --on-syscall clone,clone3 -- syscall_cases clone
	must jq -es '.[1:] | length == 6 and ([.[] | select(.ret == 0) | .tid] | sort) == ([.[] | select(.ret > 0) | .ret] | sort)
		and (map(.pid) | unique | length) == 1' "$FILE"
	record vfork --on-syscall vfork,exit_group -- syscall_cases vfork
	must jq -es '[.[1:][] | select(.name == "exit_group")] | length == 2 and all(.cut == "exit" and has("ret") == false)' "$FILE"
	must jq -es '[.[1:][] | select(.name == "vfork")] | length == 2 and (map(.pid) | unique | length) == 2' "$FILE"
}

# sleep: 30 ms each. migrate: two seconds, on CPU 0 and then on CPU 1.
@test "the time off the CPU and the CPUs" {
	record sleep --on-syscall clock_nanosleep -- syscall_cases sleep 3
	must jq -es '.[1:] | length == 3 and all(.off_ns > 25000000 and .end_ns - .begin_ns >= 30000000)' "$FILE"
	record migrate --on-syscall clock_nanosleep -- syscall_cases migrate
	must jq -es '[.[1:][] | select(.off_ns > 1500000000)] | length == 1 and .[0].cpu == 0 and .[0].end_cpu == 1 and
		.[0].moves >= 1' "$FILE"
	record uname --on-syscall uname -- taskset -c 0 syscall_cases uname 20
	must jq -es '.[1:] | length == 20 and all(.cpu == 0 and .end_cpu == 0 and .moves == 0)' "$FILE"
}

@test "calls of 32-bit tasks are told by their own numbers" {
	record compat --on-syscall uname -- compat32 5
	must jq -es '.[1:] | length == 5 and all(.name == "uname" and .nr == 122 and .compat and .ret == 0)' "$FILE"
}

# The windows of a function that is left by longjmp() have no return; that of the program before execve neither. A system call
# inside a function has a window of its own.
@test "functions are told by their names, and what did not return is cut" {
	record calls --on-function function_cases:window_outer -- function_cases calls
	must jq -es '.[1:] | length == 5 and all(.kind == "function" and .name == "function_cases:window_outer" and
		.comm == "function_cases" and has("cut") == false)' "$FILE"
	record nested --on-function function_cases:window_inner --on-function function_cases:window_outer -- \
		function_cases nested
	must jq -es '.[1:] | length == 3 and all(.name == "function_cases:window_outer")' "$FILE"
	record longjmp --on-function function_cases:window_outer -- function_cases longjmp
	must jq -es '[.[1:][] | select(.cut == "left")] | length >= 1' "$FILE"
	record exec --on-function function_cases:window_outer -- function_cases exec
	must jq -es '[.[1:][].cut] | index("exec") != null' "$FILE"
	record both --on-function function_cases:window_inner --on-function function_cases:window_outer \
		--on-syscall nanosleep -- function_cases sleep
	must jq -es '[.[1:][] | select(.kind == "function")] as $f | [.[1:][] | select(.kind == "syscall")] as $s |
		($f | length) == 3 and ($s | length) == 3 and
		all($f[]; . as $w | any($s[]; .begin_ns >= $w.begin_ns and .end_ns <= $w.end_ns))' "$FILE"
}

# Beside the command nothing is a target, and it stays on one CPU.
@test "what was overwritten is counted, and the newest is there" {
	record many --on-syscall uname,sysinfo -- taskset -c 0 sh -c 'syscall_cases uname 20000; syscall_cases alternate 1'
	kept=$(jq -s '.[0].windows' "$FILE")
	[ "$kept" -ge 64 ]
	[ "$(getconf _NPROCESSORS_CONF)" -gt 16 ] || [ "$kept" -eq 4096 ]
	must jq -es '.[0].windows + .[0].left_out == 20002 and .[-1].name == "sysinfo"' "$FILE"
	must jq -e '.windows + .windows_left_out == 20002' many/index.ndjson
}

# The window is open when the recording ends: auxbpf is told to end once the command sleeps in it.
@test "a window that is open at the end is told" {
	nr=$(auxbpf list syscalls | awk '$2 == "clock_nanosleep" { print $1 }')
	with_tracefs auxbpf -o open -e cpu-clock --snapshot-on end --on-syscall clock_nanosleep -- \
		sh -c 'echo $$ >pid.tmp; mv pid.tmp pid; exec sleep 1000' 2>said 3>&- &
	wait_until [ -e pid ]
	wait_until grep -q "^$nr " "/proc/$(<pid)/syscall"
	kill -TERM "$(ps -o ppid= -p "$(<pid)")"
	wait $! || true # the command ends by the signal
	cat said
	FILE=$(echo open/*.data/windows.ndjson)
	well_formed "$FILE"
	must jq -es --argjson pid "$(<pid)" '.[1:] | length == 1 and .[0].cut == "open" and .[0].pid == $pid and
		.[0].comm == "sleep" and .[0].name == "clock_nanosleep" and .[0].off_ns > 0' "$FILE"
}

@test "each snapshot has the windows since the one before" {
	cat >rounds <<-'END'
		for i in 1 2 3; do
			syscall_cases uname $((i * 3))
			(exit 3)
			while [ "$(cat out/index.ndjson | wc -l)" -lt $i ]; do sleep 0.05; done
		done
	END
	must with_tracefs auxbpf -o out -e cpu-clock --on-syscall uname --lookback all --cool-down 0 \
		--snapshot-on 'exit code == 3' -- sh rounds
	must jq -es '[.[].windows] == [3, 6, 9] and all(.windows_left_out == 0)' out/index.ndjson
	i=0
	for file in out/*.data/windows.ndjson; do
		i=$((i + 1))
		well_formed "$file"
		must jq -es --argjson n $((i * 3)) '.[0].windows == $n and (map(.pid) | .[1:] | unique | length) == 1' "$file"
	done
	[ "$i" -eq 3 ]
}

# perf's records have them, too.
@test "numbers of tasks are those of auxbpf's own PID namespace" {
	must with_tracefs unshare --pid --fork --mount-proc auxbpf -o ns -e cpu-clock --on-syscall uname --snapshot-on end -- \
		sh -c 'echo $$ >pid; exec syscall_cases uname 3'
	must jq -es --argjson pid "$(<pid)" '.[1:] | length == 3 and all(.pid == $pid and .tid == $pid)' ns/*.data/windows.ndjson
}

@test "there is no such file if a window is open whenever a target runs, or without windows" {
	must with_tracefs auxbpf -o cpu -e cpu-clock --on-cpu --snapshot-on end -- syscall_cases uname 3
	[ -e cpu/*.data/data ]
	[ ! -e cpu/*.data/windows.ndjson ]
	must with_tracefs auxbpf -o none -e cpu-clock --snapshot-on end -- syscall_cases uname 3
	[ ! -e none/*.data/windows.ndjson ]
}
