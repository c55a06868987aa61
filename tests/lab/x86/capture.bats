#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What auxbpf captures is, branch by branch, what ran inside the windows and nothing else: decoded by perf, compared with
# the oracle. One boot makes all captures; each test looks at one.

load ../../lib/helpers

# name, phase of the oracle's log, number of windows ("=": as many as auxbpf says), system calls for auxbpf, the same as
# numbers (of 64-bit, of 32-bit calls), command. execve: of wake, of the case by way of a directory of PATH that does not
# have it, and twice of itself.
CASES=(
	"uname 20 1 uname 63:122 uname -a"
	"many 21 1000 uname 63:122 syscall_cases uname 1000"
	"two 22 10 uname,sysinfo 63,99:122,116 syscall_cases alternate 5"
	"sleep 23 3 clock_nanosleep 230:267 syscall_cases sleep 3"
	"pipe 24 1 read 0:3 syscall_cases pipe-read"
	"migrate 25 1 clock_nanosleep 230:267 syscall_cases migrate"
	"migrate_busy 26 1 read 0:3 syscall_cases migrate-busy 16"
	"restart 27 2 read 0:3 syscall_cases restart"
	"stop 28 2 clock_nanosleep 230,219:267,0 syscall_cases stop"
	"execve 29 5 execve 59:11 syscall_cases execve 2"
	"exit_group 30 1 exit_group 231:252 syscall_cases exit-group"
	"vfork 31 2 vfork 58:190 syscall_cases vfork"
	"clone 32 6 clone,clone3 56,435:120,435 syscall_cases clone"
	"compat 33 5 uname 63:122 compat32 5"
	"signals 34 = kill,rt_sigreturn,rt_sigprocmask 62,15,14:37 user_branches signals"
	"faults 35 = mmap,munmap,mprotect,rt_sigreturn 9,11,10,15:90 user_branches faults"
)

LONG="two sleep pipe migrate_busy restart exit_group vfork faults own_filter"

# Runs in the guest. While a command is traced other tasks keep both CPUs busy, 64- and 32-bit ones, with the same
# system calls; while auxbpf starts they are stopped.
# shellcheck disable=SC2046 # process ids
capture_all() {
	local name phase windows list numbers command
	set -e
	burn 0 1000 500 >/dev/null &
	burn 1 1000 500 >/dev/null &
	taskset -c 0 compat32 1000000 20 &
	taskset -c 1 compat32 1000000 20 &
	sleep 1 # they have said that they are targets, which they are not here, before a log begins
	oracle-mark run -- true # sets the kernel's symbols
	for case in "${CASES[@]}"; do
		kill -STOP $(jobs -p)
		read -r name phase windows list numbers command <<<"$case"
		! left_out "$name" || continue
		echo "$name"
		# shellcheck disable=SC2086 # words of the command
		oracle-mark run --again --new --phase "$phase" -- auxbpf -v --on-syscall "$list" -o "/out/$name" -- \
			wake $(jobs -p) -- $command >"/out/$name.stdout" 2>"/out/$name.stderr" || {
			echo "$name: status $?"
			cat "/out/$name.stderr"
		}
	done
	kill -STOP $(jobs -p)
	echo perf_action
	oracle-mark run --again --new --phase 50 -- perf record -o /out/perf_action --kcore -e "{intel_pt/aux-action=start-paused/k,\
syscalls:sys_enter_clock_nanosleep/aux-action=resume/,syscalls:sys_exit_clock_nanosleep/aux-action=pause/}" -- \
		wake $(jobs -p) -- syscall_cases migrate >/out/perf_action.stdout 2>/out/perf_action.stderr
	# The recorder is told of the command's end on its CPU, and goes before it.
	echo last_switch
	oracle-mark run --again --new --phase 51 -- taskset -c 0 chrt --reset-on-fork -f 1 auxbpf -v --on-syscall exit_group \
		-o /out/last_switch -- syscall_cases uname 1 >/out/last_switch.stdout 2>/out/last_switch.stderr
	kill -KILL $(jobs -p)
	part filter oracle-mark run --again --traced --phase 52 -- auxbpf -v --on-cpu -o /out/filter -- interrupt_cases denied 5
	part own_filter oracle-mark run --again --traced --phase 53 -- taskset -c 1 auxbpf -v -C 1 -e intel_pt//k --on-cpu -a \
		-o /out/own_filter -- sleep 0.1
}

setup_file() {
	requires build/trace-unit/pt.so oracle-check build/tests/oracle-mark syscall_cases scripts/lab auxbpf
	record_in_lab --oracle CASES part capture_all
}

# Both checks of one case.
is_right() { # name
	local name phase windows list numbers command
	for case in "${CASES[@]}"; do
		read -r name phase windows list numbers command <<<"$case"
		[ "$name" != "$1" ] || break
	done
	cat "$DIR/$name.stderr"
	[ "$windows" != = ] || windows=$(sed -n 's/^auxbpf: \([0-9]*\) windows* on .*/\1/p' "$DIR/$name.stderr")
	decode_check "$DIR" "$name" --phase "$phase" --kallsyms "$DIR/$name/kcore_dir/kallsyms"
	gate_check "$DIR" "$name" --phase "$phase" --windows "$windows" --syscall "${numbers%:*}" --target-note 100 \
		--compat-syscall "${numbers#*:}"
}

@test "uname -a: the window is exactly uname(2)" {
	is_right uname
	[[ $(<"$DIR/uname.stdout") == Linux* ]]
}

@test "1,000 windows in a row" { is_right many; }
# bats test_tags=long
@test "two system calls in one list" { is_right two; }
# bats test_tags=long
@test "a sleeping system call, while others run on its CPU" { is_right sleep; }
# bats test_tags=long
@test "a read from a pipe that has to wait" { is_right pipe; }
@test "a system call whose task is moved to another CPU while it sleeps" { is_right migrate; }
# bats test_tags=long
@test "a system call whose task is moved to and fro while it works" { is_right migrate_busy; }
# bats test_tags=long
@test "a system call that a signal interrupts, restarted" { is_right restart; }
@test "a system call stopped and continued, as restart_syscall" { is_right stop; }
@test "execve" { is_right execve; }
# bats test_tags=long
@test "exit_group" { is_right exit_group; }
@test "exit_group up to the last switch, when the command has ended already" {
	cat "$DIR/last_switch.stderr"
	decode_check "$DIR" last_switch --phase 51 --kallsyms "$DIR/last_switch/kcore_dir/kallsyms"
	gate_check "$DIR" last_switch --phase 51 --windows 1 --syscall 231 --target-note 100
}
# bats test_tags=long
@test "vfork" { is_right vfork; }
@test "clone of threads" { is_right clone; }
@test "a 32-bit process: its own uname, not the call of the same number" { is_right compat; }
@test "system calls around signals, in a program of calls and jumps" { is_right signals; }
# bats test_tags=long
@test "system calls between page faults" { is_right faults; }

# The program gets its filter while it is traced, and is gone when the file is written; auxbpf's own is run at the end.
@test "calls through seccomp filters: the program's and auxbpf's own" {
	ended filter 0
	decode_check "$DIR" filter --phase 52 --kallsyms "$DIR/filter/kcore_dir/kallsyms"
	script_in_lab "$DIR" filter --itrace=be -F event,ip,sym,addr >"$DIR/filter.symbols" 2>&1
	[ "$(grep -c '=>.* seccomp_filter$' "$DIR/filter.symbols")" -ge 5 ]
	! left_out own_filter || return 0
	ended own_filter 0
	decode_check "$DIR" own_filter --phase 53 --kallsyms "$DIR/own_filter/kcore_dir/kallsyms"
	script_in_lab "$DIR" own_filter --itrace=be -F event,ip,sym,addr >"$DIR/own_filter.symbols" 2>&1
	grep -q '=>.* seccomp_filter$' "$DIR/own_filter.symbols"
}

# The difference: perf resumes the event of the CPU on which the call begins, and only that.
@test "perf record with aux-action loses the window of a task that is moved, auxbpf does not" {
	cat "$DIR/perf_action.stderr"
	decode_check "$DIR" perf_action --phase 50 --kallsyms "$DIR/perf_action/kcore_dir/kallsyms"
	logged oracle-check gate --oracle "$DIR/oracle" --kallsyms "$DIR/perf_action/kcore_dir/kallsyms" \
		--slack "$AUXBPF_ROOT/tests/tools/oracle/slack.txt" --phase 50 --windows 1 --syscall 230 --target-note 100
	[ "$status" -eq 1 ]
	has "not traced"
	# Lines without "=>" are the tracepoints' own samples.
	grep -q '^ *\[000\].*=>' "$DIR/perf_action.branches"
	logged grep '^ *\[001\].*=>' "$DIR/perf_action.branches"
	[ "$status" -eq 1 ]
	[ -e "$DIR/migrate.branches" ] || decode_branches "$DIR" migrate
	grep -q '^ *\[001\].*=>' "$DIR/migrate.branches"
}
