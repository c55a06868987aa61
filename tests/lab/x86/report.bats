#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The calls that `auxbpf report` shows are those that ran, by the oracle: which functions were called, in which order, and
# where each call ended. One boot makes all captures; each test looks at one.

load ../../lib/helpers
load ../../lib/report

LONG="signal migrate recursion altstack vfork threads"

# name, phase of the oracle's log, its threads' names, options, command
CASES=(
	"windows 40 sh,ls,sleep,cat,wc --on-syscall openat,read,write,newfstatat,mmap,clock_nanosleep -- sh pipeline"
	"user 41 sh,ls --archive -e intel_pt//u --on-cpu -- sh handler"
	"both 42 sh,ls --archive -e intel_pt// --on-cpu -- sh alone"
	"longjmp 43 function_cases --archive -e intel_pt// --on-cpu -- function_cases longjmp"
	"signal 44 function_cases --archive -e intel_pt// --on-cpu -- function_cases signal"
	"migrate 45 function_cases --archive -e intel_pt// --on-cpu -- function_cases migrate"
	"compat 46 compat32 --archive -e intel_pt// --on-cpu -- compat32 3"
	"denied 47 interrupt_cases --archive -e intel_pt// --on-cpu -- interrupt_cases denied 5"
	"recursion 48 function_cases --archive -e intel_pt// --on-cpu -- function_cases recursion"
	"altstack 49 function_cases --archive -e intel_pt// --on-cpu -- function_cases altstack"
	"vfork 50 function_cases --archive -e intel_pt// --on-cpu -- function_cases vfork"
	"threads 51 function_cases --archive -e intel_pt// --on-cpu -- function_cases threads"
)

# A snapshot begins somewhere in the middle of calls. One window is moved asleep, the other one at work.
capture_all() {
	record_cases
	part moved auxbpf -o /out/moved --on-syscall clock_nanosleep -- syscall_cases migrate
	part busy auxbpf --aux-size 8M -o /out/busy --on-syscall read -- syscall_cases migrate-busy 8
	part lines auxbpf --archive -e intel_pt// --on-cpu -o /out/lines -- inlined_cases 3
	part snapshot auxbpf --archive -o /out/snapshots --snapshot-on 'syscall:uname ret == 0' -- uname
}

setup_file() {
	requires build/trace-unit/pt.so oracle-check build/tests/oracle-mark burn function_cases inlined_cases syscall_cases compat32 \
		interrupt_cases scripts/lab auxbpf jq
	record_in_lab --oracle CASES part record_cases capture_all
}

@test "windows in system calls, over waits and switches" { shows_what_ran windows 30000; }
@test "user mode, an exec, and a handler of a signal" { shows_what_ran user 5000; }
@test "user mode and the kernel together" { shows_what_ran both 30000; }
@test "calls that longjmp leaves" { shows_what_ran longjmp 5000; }
# bats test_tags=long
@test "handlers of signals" { shows_what_ran signal 5000; }
# bats test_tags=long
@test "a task that is moved to another CPU" { shows_what_ran migrate 5000; }
@test "a 32-bit program" { shows_what_ran compat 1000; }
@test "system calls that a filter denies" { shows_what_ran denied 5000; }
# bats test_tags=long
@test "a function that calls itself" { shows_what_ran recursion 5000; }
# bats test_tags=long
@test "a handler of a signal on another stack" { shows_what_ran altstack 5000; }
# bats test_tags=long
@test "vfork" { shows_what_ran vfork 5000; }
# bats test_tags=long
@test "threads" { shows_what_ran threads 5000; }

@test "time off the CPU and moves to another one" {
	for name in moved busy; do
		ended $name 0
		shows_time_off $name
	done
	must report moved --graph
	grep -E '^ +0\) +\| +/\* off the CPU [0-9]{4}\.[0-9]{3} ms, then on CPU 1 \*/$' <<<"$output"
	must jq -es '[.[] | select(.mark == "off")] | length == 1 and .[0].end_ns - .[0].begin_ns > 1500000000' "$DIR/moved.json"
}

# The calls of the moved window, on a terminal.
on_terminal() { # environment or argument...
	local environment=()
	while [[ ${1-} == [A-Z]*=* ]]; do
		environment+=("$1")
		shift
	done
	must python3 -c 'import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' "$AUXBPF_ROOT/scripts/lab" host --out "$DIR" -- \
		env TERM=xterm PAGER=cat "${environment[@]}" /src/build/auxbpf report --window 1 "$@" /out/moved </dev/null
}

@test "colours on a terminal" {
	local faint=$'\033[2m/* off the CPU '
	ended moved 0
	on_terminal
	has "$faint"
	on_terminal NO_COLOR=1
	[[ $output == *'/* off the CPU '* && $output != *$'\033'* ]]
	on_terminal NO_COLOR=1 --color
	has "$faint"
	on_terminal --color=never
	[[ $output != *$'\033'* ]]
	# For a file, or another program, it is plain, unless it is wanted.
	must report moved --window 1
	[[ $output != *$'\033'* ]]
	must report moved --window 1 --color=always
	has "$faint"
	must report moved --window 1 --color=always --json
	[[ $output != *$'\033'* ]]
}

@test "one task alone, by its name, and by its number" {
	local tid
	ended windows 0
	report windows --graph --json --task 'cat' >"$DIR/cat.json"
	must jq -es '[.[] | select(.tid)] | length == 1 and .[0].task == "cat"' "$DIR/cat.json"
	tid=$(jq 'select(.tid) | .tid' "$DIR/cat.json")
	# By its number it is also what ran before it was cat.
	report windows --graph --json --task "$tid" >"$DIR/tid.json"
	must jq -es --argjson tid "$tid" '[.[] | select(.tid) | .tid] == [$tid]' "$DIR/tid.json"
	[ "$(grep -c '"do_sys_openat2"' "$DIR/tid.json")" -ge "$(grep -c '"do_sys_openat2"' "$DIR/cat.json")" ]
	[ "$(grep -c '"do_sys_openat2"' "$DIR/cat.json")" -gt 0 ]
	for how in --graph --functions; do
		logged report windows $how --task vi
		[ "$status" -eq 1 ]
		grep -E "has no trace of such a task; it has of: .*sleep [0-9]+, .*cat $tid" <<<"$output"
	done
}

@test "a table of functions" {
	local total
	ended windows 0
	report windows --functions --json --sort calls >"$DIR/functions.json"
	# Each call of the window's own function is there, as often as the command made it.
	report windows --graph --json >"$DIR/windows.json"
	for function in do_sys_openat2 vfs_fstatat; do
		total=$(jq -s --arg f $function '[.[] | select(.function == $f and .end == "returned" and .begin_ns)] | length' "$DIR/windows.json")
		[ "$total" -gt 3 ]
		[ "$(jq --arg f $function 'select(.function == $f) | .calls' "$DIR/functions.json")" -eq "$total" ]
	done
	# The most calls come first.
	jq -s -e '[.[].calls] == ([.[].calls] | sort | reverse)' "$DIR/functions.json"
}

@test "auxbpf's own work is shown only if asked for" {
	ended windows 0
	report windows --graph >"$DIR/windows.graph"
	grep -F 'do_syscall_64() {' "$DIR/windows.graph"
	nothing < <(grep -E 'bpf_prog_[0-9a-f]{16}|pt_event_stop' "$DIR/windows.graph")
	report windows --graph --show-gate >"$DIR/windows.graph"
	grep -E 'bpf_prog_[0-9a-f]{16}_on_sys_exit\(\)' "$DIR/windows.graph"
}

# An interrupt may come anywhere: a level may be there twice then, but each call is in the right one.
@test "source lines, and inlined functions" {
	ended lines 0
	report lines --graph --lines --json --task inlined_cases >"$DIR/lines.json"
	jq -rs 'foreach (.[] | select(.function)) as $call ([]; .[:$call.depth] + [$call]; .) |
		(map(.function) | index("run_rounds")) as $at | select($at) |
		.[$at:] | select(.[-1].function | test("^(first|second|last)_called$|^run_rounds$")) | map("\(.function):\(.call_line)") | join(" ")' "$DIR/lines.json" >"$DIR/lines.calls"
	diff "$DIR/lines.calls" - < <(
		rounds=run_rounds:$(line_of run_rounds) outer=outer_inlined:$(line_of outer_inlined) inner=inner_inlined:$(line_of inner_inlined)
		echo "$rounds"
		for _ in 1 2 3; do
			echo "$rounds $outer first_called:$(line_of first_called)"
			echo "$rounds $outer $inner second_called:$(line_of second_called)"
		done
		echo "$rounds last_called:$(line_of last_called)"
	)
	must jq -es 'all(.[] | select(.kind == "inlined"); .call_file | endswith("tests/tools/programs/inlined_cases.c"))' "$DIR/lines.json"
}

@test "a snapshot that begins in the middle of calls" {
	ended snapshot 0
	must lab host --out "$DIR" -- /src/build/auxbpf report "/out/snapshots/$(cd "$DIR/snapshots" && echo *.data)"
	has '/* was running */'
	has '__do_sys_newuname() {'
	[[ $output != *"Trace doesn't match"* ]]
}
