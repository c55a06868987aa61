#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Windows in functions, of programs and of the kernel: what is captured is what ran inside, compared with the oracle. One
# boot makes all captures; each test looks at one.

load ../../lib/helpers

USER=function_cases:window_outer
LONG="recursion longjmp vfork altstack sleep pipe uring"

# name, phase of the oracle's log, number of windows, function, [options --] command.
CASES=(
	"calls 20 5 $USER function_cases calls"
	"recursion 21 2 $USER function_cases recursion"
	"nested 22 3 $USER function_cases nested"
	"longjmp 23 4 $USER function_cases longjmp"
	"threads 24 5 $USER function_cases threads"
	"exec 25 2 $USER function_cases exec"
	"fork 26 2 $USER function_cases fork"
	"vfork 27 2 $USER function_cases vfork"
	"signal 28 2 $USER function_cases signal"
	"altstack 29 1 $USER function_cases altstack"
	"sleep 30 3 $USER function_cases sleep"
	"migrate 31 1 $USER function_cases migrate"
	"fsync 32 3 noop_fsync function_cases fsync"
	"pipe 33 1 anon_pipe_read function_cases pipe"
	"user 34 5 $USER -e intel_pt//u -- function_cases calls"
	"library 35 1 libc:getpwnam getent passwd root"
	"uring 36 5 noop_fsync worker_cases fsync"
	"vhost 37 15 vhost_flush_work worker_cases vhost"
	"switch 38 - __perf_event_task_sched_out --comm function_cases --on-syscall nanosleep -- function_cases sleep"
)

# Runs in the guest. While a command is traced other tasks keep both CPUs busy; while auxbpf starts they are stopped.
# shellcheck disable=SC2046 # process ids
capture_all() {
	local name phase windows where command options
	set -e
	modprobe vhost_net
	burn 0 1000 500 >/dev/null &
	burn 1 1000 500 >/dev/null &
	sleep 1
	oracle-mark run -- true # sets the kernel's symbols
	for case in "${CASES[@]}"; do
		kill -STOP $(jobs -p)
		read -r name phase windows where command <<<"$case"
		! left_out "$name" || continue
		echo "$name"
		options=
		[[ $command != *' -- '* ]] || options=${command%% -- *}
		command=${command#* -- }
		# shellcheck disable=SC2086 # words of the options and the command
		oracle-mark run --again --new --phase "$phase" -- auxbpf -v --on-function "$where" $options -o "/out/$name" -- \
			wake $(jobs -p) -- $command >"/out/$name.stdout" 2>"/out/$name.stderr" || {
			echo "$name: status $?"
			cat "/out/$name.stderr"
		}
	done
	kill -KILL $(jobs -p)
	complain >/out/complaints 2>&1 || true
	# Deeper than the kernel's return probes go; several functions, one of them inside of another.
	auxbpf --on-function "$USER" -o /out/deep -- function_cases recursion 100 2>&1
	auxbpf --on-function "$USER" --on-function function_cases:window_inner --on-function vfs_read -o /out/several -- \
		function_cases nested 2>&1
	auxbpf --on-function noop_fsync -o /out/uncalled -- true 2>&1
	auxbpf --on-function function_cases:window_empty -o /out/empty -- true 2>&1
	dmesg | grep -E 'BUG:|WARNING:|Oops' || true
}

# What cannot be a window.
complain() {
	echo "== no uprobes"
	unshare --mount sh -c 'mount -t tmpfs none /sys/bus/event_source/devices/uprobe
		umount -l /sys/kernel/tracing; umount -l /sys/kernel/debug
		exec auxbpf --on-function function_cases:window_outer -o /tmp/none -- true'
	echo "status $?"
	for where in vfs_fsin do_exit qqqqqqqqqqqqqqqqqqqqqq entry_SYSCALL_64 /no/such:main /etc/passwd:main \
		/out/stripped:window_outer function_cases:window_oute function_cases:0x401 libc:memcpy libqqqqqqqq:main; do
		echo "== $where"
		auxbpf --on-function "$where" -o /tmp/none -- true
		echo "status $?"
		[ ! -e /tmp/none ] || echo "there is a capture"
	done
}

setup_file() {
	requires build/trace-unit/pt.so oracle-check build/tests/oracle-mark function_cases worker_cases scripts/lab auxbpf
	mkdir "$BATS_FILE_TMPDIR/out"
	strip -o "$BATS_FILE_TMPDIR/out/stripped" "$AUXBPF_ROOT/build/tests/function_cases"
	record_in_lab --oracle USER CASES complain capture_all
}

find_case() { # name
	for case in "${CASES[@]}"; do
		read -r name phase windows where command <<<"$case"
		[ "$name" != "$1" ] || break
	done
	cat "$DIR/$name.stderr"
}

counts() { # name
	local name phase windows where command
	find_case "$1"
	grep -qE "^auxbpf: $windows windows? on CPU" "$DIR/$name.stderr"
	! grep -q ' function_cases:' "$DIR/$name.stderr" # what a case says that did not do what it claims
}

# What perf decodes is what ran. A capture of user mode alone has no kallsyms: another one of this boot does.
decodes() { # name
	local name phase windows where command kallsyms
	counts "$1"
	find_case "$1"
	kallsyms=$DIR/$name/kcore_dir/kallsyms
	[ -e "$kallsyms" ] || kallsyms=$DIR/calls/kcore_dir/kallsyms
	decode_check "$DIR" "$name" --phase "$phase" --kallsyms "$kallsyms"
}

# And the gate was open inside the function and nowhere else.
is_right() { # name
	local name phase windows where command function
	decodes "$1"
	find_case "$1"
	function=0x$(nm "$AUXBPF_ROOT/build/tests/function_cases" | sed -n 's/ T window_outer$//p')
	gate_check "$DIR" "$name" --phase "$phase" --windows "$windows" --target-note 100 \
		--function "$function" --modes uk
}

is_right_in_kernel() { # name
	local name phase windows where command
	decodes "$1"
	find_case "$1"
	gate_check "$DIR" "$name" --phase "$phase" --windows "$windows" --target-note 100 --function "$where"
}

@test "calls in a row" { is_right calls; }
# bats test_tags=long
@test "a function that calls itself" { is_right recursion; }
@test "a function that another one calls from its inside" { is_right nested; }
@test "threads, one of them made inside of the function" { is_right threads; }
@test "a signal's handler that calls the function" { is_right signal; }
# bats test_tags=long
@test "a signal's handler on another stack" { is_right altstack; }
# bats test_tags=long
@test "a function that sleeps, while others run on its CPU" { is_right sleep; }
@test "a function whose task is moved to another CPU while it sleeps" { is_right migrate; }
@test "a function of the kernel" { is_right_in_kernel fsync; }
# bats test_tags=long
@test "a function of the kernel that has to wait" { is_right_in_kernel pipe; }

@test "user mode alone" { decodes user; }
@test "a function of a library" { decodes library; }

# bats test_tags=long
@test "calls that are left by longjmp are windows of their own" { decodes longjmp; }
@test "exec ends the window" { decodes exec; }
@test "a forked child is in the function too" { decodes fork; }
# bats test_tags=long
@test "a vfork's child is in the function too" { decodes vfork; }
# The gate is moved for the next task already when this one calls it.
@test "a function that is called in the middle of a switch leaves the gate to the next task" {
	cat "$DIR/switch.stderr"
	[ "$(grep -c __perf_event_task_sched_out "$DIR/switch/windows.ndjson")" -ge 3 ]
	decode_check "$DIR" switch --phase 38 --kallsyms "$DIR/switch/kcore_dir/kallsyms"
	gate_check "$DIR" switch --phase 38 --target-note 100 --syscall 35 --windows 3
}
# bats test_tags=long
@test "a function of the kernel that workers of io_uring call" { decodes uring; }
@test "a function of a module that workers of vhost call" { decodes vhost; }

@test "a capture that was moved decodes with the files that it brings along" {
	mkdir "$DIR/elsewhere"
	mv "$DIR/user" "$DIR/elsewhere/"
	logged lab host --out "$DIR" -- perf --buildid-dir /out/elsewhere/user/debug script -i /out/elsewhere/user \
		--itrace=be -F ip,sym,dso,addr
	mv "$DIR/elsewhere/user" "$DIR/"
	[ "$(grep -c "window_outer .* => .* uretprobe_trampoline" <<<"$output")" -eq 5 ]
	! grep error <<<"$output"
}

@test "deep recursion, and several functions at once" {
	cat "$DIR.log"
	[ "$(grep -cE '^auxbpf: (2|3) windows on CPU' "$DIR.log")" -eq 2 ]
	for name in deep several; do
		decode_branches "$DIR" "$name"
		if grep 'trace error' "$DIR/$name.branches"; then return 1; fi
		[ "$(grep -c 7fffffffe000 "$DIR/$name.branches")" -gt 2 ]
	done
	! grep -E 'BUG:|WARNING:|Oops' "$DIR.log"
}

@test "a function of the kernel that nobody called" {
	grep -q "nobody called the kernel's function noop_fsync" "$DIR.log"
	[ "$(grep -c "nobody called" "$DIR.log")" -eq 1 ]
}

@test "a function that begins with what decoders cannot see" {
	[ "$(grep -c "begins with a return" "$DIR.log")" -eq 1 ]
	grep -q "function_cases:window_empty begins with a return or an indirect jump" "$DIR.log"
}

complains() { # where, text
	local text
	text=$(sed -n "\|^== $1\$|,/^status/p" "$DIR/complaints")
	echo "$text"
	[[ $text == *"$2"* && $text == *"status 1" ]]
}

@test "what cannot be a window is said, and nothing is captured" {
	cat "$DIR/complaints"
	complains vfs_fsin "no function 'vfs_fsin', or only inlined into others; did you mean vfs_fsync"
	complains do_exit "do_exit does not return"
	complains "no uprobes" "the kernel must have CONFIG_UPROBE_EVENTS"
	complains qqqqqqqqqqqqqqqqqqqqqq "/proc/kallsyms lists them"
	complains entry_SYSCALL_64 "BPF cannot be attached to the kernel's function entry_SYSCALL_64"
	complains /no/such:main "there is no file /no/such"
	complains /etc/passwd:main "/etc/passwd is not an ELF file"
	complains /out/stripped:window_outer "/out/stripped is stripped"
	complains function_cases:window_oute "did you mean window_outer"
	complains function_cases:0x401 "no code at the address 0x401"
	complains libc:memcpy "is an indirect function"
	complains libqqqqqqqq:main "no library or program is called 'libqqqqqqqq'"
	! grep "there is a capture" "$DIR/complaints"
}
