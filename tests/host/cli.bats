#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The command line and what can go wrong before anything is traced: on this machine's own kernel, without a trace PMU
# (where there is one it is hidden).

setup() {
	cd "$BATS_TEST_DIRNAME/../.."
	auxbpf=$PWD/build/auxbpf
	cd "$BATS_TEST_TMPDIR"
}

# Runs auxbpf with stderr in $output, under a /sys that shows no trace PMU.
auxbpf() {
	status=0
	output=$(unshare --mount sh -c 'mount -t tmpfs none /sys/bus/event_source/devices && exec "$@"' - \
		"$auxbpf" "$@" 2>&1) || status=$?
}

expect() {
	local status_wanted=$1 text=$2
	[ "$status" -eq "$status_wanted" ] || { echo "status $status, output: $output"; return 1; }
	[[ $output == *"$text"* ]] || { echo "not in the output: $text"; echo "output: $output"; return 1; }
}

nothing_left() {
	[ -z "$(ls -A "$BATS_TEST_TMPDIR")" ]
}

# The longest of the lines on stdin.
longest() {
	awk '{ if (length > max) max = length } END { print max }'
}

@test "--help: the usual options on a screen; --help all: every one; both on stdout" {
	local help
	for help in "--help" "-h" "--help all" "-h all"; do
		# shellcheck disable=SC2086
		run "$auxbpf" $help
		[ "$status" -eq 0 ]
		[[ $output == Usage:* ]]
		# shellcheck disable=SC2086
		[ -z "$("$auxbpf" $help 2>&1 >/dev/null)" ]
	done
	[ "$("$auxbpf" --help | wc -l)" -le 24 ]
	[ "$("$auxbpf" --help | longest)" -le 80 ]
	[ "$("$auxbpf" --help all | longest)" -le 90 ]
	"$auxbpf" --help | grep -e '--help all'
	[ "$("$auxbpf" --help | grep -c -e --spare)" -eq 0 ]
	"$auxbpf" --help all | grep -e --spare
	for help in --help --version; do
		run sh -c '"$1" "$2" >/dev/full' - "$auxbpf" "$help"
		[ "$status" -eq 1 ]
		[[ $output == *"cannot write to stdout: No space left on device"* ]]
	done
}

@test "--version" {
	run "$auxbpf" --version
	[ "$status" -eq 0 ]
	[[ $output =~ ^auxbpf\ [0-9a-z] ]]
}

@test "no target, and targets that exclude each other, are usage errors" {
	auxbpf
	expect 2 "name a command, or processes with -p"
	auxbpf --on-syscall uname
	expect 2 "name a command, or processes with -p"
	auxbpf --on-syscall uname --
	expect 2 "name a command, or processes with -p"
	auxbpf -a -p 1
	expect 2 "-a is every task: leave out -p and -t"
	auxbpf -a -t 1
	expect 2 "-a is every task: leave out -p and -t"
	auxbpf --wait -- true
	expect 2 "--wait waits for containers"
}

@test "bad lists of tasks, names, users, CPUs and ways are usage errors" {
	auxbpf -t 1,x
	expect 2 "-t: 'x' is not a thread id"
	auxbpf -p ''
	expect 2 "-p: '' is not a process id"
	auxbpf --comm '[a'
	expect 2 "--comm: "
	auxbpf --comm ''
	expect 2 "--comm: "
	auxbpf -u no-such-user
	expect 2 "--uid: there is no user 'no-such-user'"
	auxbpf --user no-such-user -- true
	expect 2 "--user: there is no user 'no-such-user'; write a name, or numbers as UID:GID"
	auxbpf --user nobody -p 1
	expect 2 "--user is about the command that auxbpf starts: name one behind the options"
	auxbpf -C 1-
	expect 2 "-C: '1-' is not a list of CPUs"
	auxbpf -C ''
	expect 2 "-C: '' is not a list of CPUs"
	auxbpf --cgroup ''
	expect 2 "--cgroup: the name is empty"
	auxbpf --container ''
	expect 2 "--container: the name is empty"
	auxbpf --on-function ''
	expect 2 "--on-function: the name is empty"
	auxbpf --control magic -- true
	expect 2 "'magic' is none of kfunc, tracepoint, breakpoint, ioctl"
	auxbpf -p "$(seq -s, 1 100)"
	expect 2 "-p: more than 63"
	auxbpf -u "$(seq -s, 1 100)"
	expect 2 "--uid: more than 16 users"
}

@test "a bad range: what is wrong, and where" {
	auxbpf --on-range '' -- true
	expect 2 "--on-range: expected the category of a tracepoint, as in block:block_plug,block:block_unplug"
	auxbpf --on-range sched -- true
	expect 2 "expected : and the name of a tracepoint of sched"
	[[ $output == *$'\n  sched\n       ^'* ]]
	auxbpf --on-range syscalls:sys_enter_uname,syscalls:sys_enter_newuname -- true
	expect 2 "the window would end where it begins"
}

@test "unknown options and missing arguments are usage errors" {
	auxbpf --on-sysall uname -- true
	expect 2 "unrecognized option '--on-sysall'"
	auxbpf --on-syscall
	expect 2 "requires an argument"
}

@test "an unknown system call: the nearest names are said" {
	auxbpf --on-syscall unmae -- true
	expect 2 "unknown system call 'unmae'; did you mean"
	[[ $output == *uname* ]]
	auxbpf --on-syscall 'uname,,read' -- true
	expect 2 "an empty name in the list of system calls"
	auxbpf --on-syscall 99999 -- true
	expect 2 "there is no system call 99999"
}

@test "a bad condition: what is wrong, and where" {
	auxbpf --on-syscall 'openat(arg2 & O_CRAT)' -- true
	expect 2 "unknown name 'O_CRAT'; did you mean O_CREAT"
	[[ $output == *$'\n  openat(arg2 & O_CRAT)\n                ^'* ]]
	auxbpf --on-syscall 'openat(ret == 3)' -- true
	expect 2 "ret is not known at the begin of a system call"
	auxbpf --on-syscall 'openat(uid == no-such-user)' -- true
	expect 2 "no-such-user"
	auxbpf --on-syscall 'openat(cgroup == /no/such/group)' -- true
	expect 2 "/no/such/group"
	auxbpf --on-syscall 'openat(arg2 &' -- true
	expect 2 "expected"
	auxbpf --on-syscall 'openat(uid == root),%nothing' -- true
	expect 2 "unknown class"
}

@test "conditions know users and cgroups" {
	auxbpf --on-syscall 'openat(uid == root && cgroup == /),%network,!connect' -- true
	expect 1 "no trace PMU"
}

@test "bad sizes, process ids, events and outputs are usage errors" {
	auxbpf --on-syscall uname --aux-size 3G -- true
	expect 2 "--aux-size: '3G' is not a size up to 2G"
	auxbpf --on-syscall uname --aux-size 0 -- true
	expect 2 "'0' is not a size"
	auxbpf --on-syscall uname --aux-size many -- true
	expect 2 "'many' is not a size"
	auxbpf --on-syscall uname -p 1x
	expect 2 "'1x' is not a process id"
	auxbpf --on-syscall uname -p 0
	expect 2 "'0' is not a process id"
	auxbpf -e cycle -- true
	expect 2 "there is no event 'cycle'; near it are: cycles"
	auxbpf -M 2049M -e cpu-clock -- true
	expect 2 "-M: '2049M' is not a size up to 2G"
	auxbpf --on-syscall uname -o - -- true
	expect 2 "a trace is not written to a pipe"
}

@test "regular events: what does not go with them is a usage error" {
	auxbpf -z0 -- true
	expect 2 "-z: '0' is not a level from 1 to 22"
	auxbpf --compression-level=23 -- true
	expect 2 "-z: '23' is not a level from 1 to 22"
	auxbpf -z -e page-faults --aux-sample -- true
	expect 2 "-z: perf does not find the trace in compressed samples; leave it out with --aux-sample"
	auxbpf -M 1M -- true
	expect 2 "-M is about regular events: name one with -e"
	auxbpf -g -e intel_pt// -- true
	expect 2 "-g is about regular events: name one with -e"
	auxbpf --call-graph dwarf -- true
	expect 2 "--call-graph is about regular events: name one with -e"
	auxbpf -e cpu-clock --call-graph lbr -- true
	expect 2 "--call-graph: 'lbr' is none of fp, dwarf, dwarf,SIZE"
	auxbpf -e cpu-clock --call-graph dwarf,64K -- true
	expect 2 "--call-graph: '64K' is not a size from 8 to 65528"
	auxbpf -e cpu-clock --aux-size 1M -- true
	expect 2 "--aux-size is about a trace, and there is none with -e cpu-clock"
	auxbpf -e cpu-clock --control ioctl -- true
	expect 2 "--control is about a trace"
	auxbpf --aux-sample -- true
	expect 2 "--aux-sample is about regular events: name one with -e"
	auxbpf --aux-sample=61K -e cpu-clock -- true
	expect 2 "--aux-sample: '61K' is not a size from 8 to 61440"
	auxbpf --aux-sample -e cpu-clock -- true
	expect 1 "no trace PMU"
	auxbpf --stream -e intel_pt//u -e cpu-clock -- true
	expect 2 "--stream has no regular events in it"
	auxbpf -e intel_pt// -e intel_pt//u -- true
	expect 2 "one trace event at a time"
	nothing_left
}

@test "trace and regular events in one list, in any order" {
	local list
	for list in cpu-clock,intel_pt// intel_pt//,cpu-clock cpu-clock,intel_pt/cyc,mtc_period=3/k,page-faults:u; do
		auxbpf -e "$list" -- true
		expect 1 "no trace PMU"
		[[ $output != *"-e:"* ]]
		auxbpf --aux-size 1M --control ioctl -M 64K -e "$list" -- true
		expect 1 "no trace PMU"
	done
	auxbpf -e intel_pt//,cpu-clock,intel_pt//u -- true
	expect 2 "one trace event at a time, intel_pt// or intel_pt//u"
	auxbpf --stream -e cpu-clock,intel_pt// -- true
	expect 2 "--stream has no regular events in it"
	auxbpf -e cpu-clock, -- true
	expect 2 "the name of an event is empty"
	nothing_left
}

@test "sizes of buffers are rounded up, and that is said" {
	auxbpf --aux-size 3M -- true
	expect 1 "--aux-size: 3M is rounded up to 4096K"
	auxbpf --aux-size 1 -- true
	expect 1 "--aux-size: 1 is rounded up to $(($(getconf PAGESIZE) / 1024))K"
	auxbpf --stream --aux-size 9K -- true
	expect 1 "--aux-size: 9K is rounded up to 16K"
	auxbpf --aux-size 2G -- true
	expect 1 "no trace PMU"
	[[ $output != *rounded* ]]
	auxbpf -q --aux-size 3M -- true
	expect 1 "no trace PMU"
	[[ $output != *rounded* ]]
}

@test "a regular event that this machine does not have" {
	auxbpf -e r1 -- true
	expect 1 "this machine does not have the event r1"
}

@test "SIGUSR2 is a rule of its own" {
	auxbpf --scope cpu -- true
	expect 2 "--scope is about snapshots: say when to take them"
	auxbpf --snapshot-on SIGUSR2 --scope cpu -- true
	expect 1 "no trace PMU"
	auxbpf --snapshot-on SIGUSR1 -- true
	expect 2 "unknown kind of trigger 'SIGUSR1'"
}

@test "a rule that fires before the only window" {
	auxbpf --snapshot-on syscall:rmdir --on-syscall rmdir -- true
	expect 1 "syscall:rmdir: fires when the call begins, before its window"
	auxbpf --snapshot-on 'syscall:rmdir latency > 0s' --on-syscall rmdir -- true
	expect 1 "no trace PMU"
	[[ $output != *"before its window"* ]]
}

@test "limits of snapshots" {
	auxbpf --exec 'echo x' -- true
	expect 2 "--exec is about snapshots: say when to take them"
	auxbpf --snapshot-on exit --exec '' -- true
	expect 2 "--exec: the command is empty"
	auxbpf --max-rate 5/s -- true
	expect 2 "--max-rate is about snapshots: say when to take them"
	local wrong
	for wrong in --max-rate=x/s --max-rate=1000001 --max-snapshots=-1 --max-snapshots= --cool-down=5 --max-size=big \
		--when-full=newest --min-free=1x; do
		auxbpf --snapshot-on exit "$wrong" -- true
		expect 2 "${wrong%%=*}: '${wrong#*=}' is not "
	done
	auxbpf --snapshot-on exit --max-rate 100/s --max-rate 7 --max-snapshots 0 --cool-down 0 --cool-down 3s --max-size 0 \
		--max-size 10M --when-full stop --when-full oldest --min-free 0 -- true
	expect 1 "no trace PMU"
}

@test "the full trace and its limits" {
	local wrong
	auxbpf --stream --snapshot-on exit -- true
	expect 2 "--stream keeps all of the trace: there are no snapshots of it"
	auxbpf --max-size 1G -- true
	expect 2 "--max-size is about snapshots: say when to take them"
	auxbpf --stream --spare 3 -- true
	expect 2 "--spare is about snapshots"
	auxbpf --stream --aux-size 8K -- true
	expect 2 "--aux-size: with --stream at least 16K"
	for wrong in 0s 10 x; do
		auxbpf --max-time "$wrong" -- true
		expect 2 "--max-time: '$wrong' is not a time"
	done
	auxbpf --stream --aux-size 16K --max-size 1G --min-free 0 --max-time 1h -- true
	expect 1 "no trace PMU"
	auxbpf --max-time 100ms -- true
	expect 1 "no trace PMU"
}

@test "a command that is not there: 127; one that cannot be executed: 126" {
	auxbpf --on-syscall uname -- no-such-command
	expect 127 "cannot run 'no-such-command': command not found"
	auxbpf --on-syscall uname -- ./no-such-file
	expect 127 "cannot run './no-such-file': command not found"
	auxbpf --on-syscall uname -- /etc/passwd
	expect 126 "cannot run '/etc/passwd': Permission denied"
	auxbpf --on-syscall uname -- /
	expect 126 "cannot run '/': Permission denied"
}

@test "no trace PMU: what was looked for, and make demo" {
	auxbpf --on-syscall uname -- true
	expect 1 "no trace PMU that auxbpf knows (looked for intel_pt"
	[[ $output == *"make demo"* ]]
	[[ $output == *"-e cpu-clock, -e sched:sched_switch"* ]]
	auxbpf --on-syscall uname -e intel_pt// -- true
	expect 1 "no trace PMU that auxbpf knows"
	nothing_left
}

@test "wrong scopes, times and numbers of snapshots" {
	local wrong
	for wrong in cpus '' CPU; do
		auxbpf --snapshot-on exit --scope "$wrong" -- true
		expect 2 "--scope: '$wrong' is none of cpu, task, all"
	done
	for wrong in --lookback=1 --lookback=0s --lookback=soon --lookback= --lookback=-1s \
		--after=5 --after=1.5s --after= --after=-5ms --after=all --spare=0 --spare=65 --spare=x --spare= --spare=-1; do
		auxbpf --snapshot-on exit "$wrong" -- true
		expect 2 "${wrong%%=*}: '${wrong#*=}' is not "
	done
	auxbpf --snapshot-on exit --lookback 1 -- true
	expect 2 "--lookback: '1' is not a time; write 500us, 10ms, 2s, or all"
	auxbpf --snapshot-on exit --after 5 -- true
	expect 2 "--after: '5' is not a time; write 50us, 10ms, 2s"
	auxbpf --snapshot-on exit --spare 65 -- true
	expect 2 "--spare: '65' is not a number from 1 to 64"
	for wrong in --scope=all --lookback=1s --after=1ms --spare=1; do
		auxbpf "$wrong" -- true
		expect 2 "${wrong%%=*} is about snapshots: say when to take them, with --snapshot-on"
	done
	# The last of several counts.
	auxbpf --snapshot-on exit --scope task --scope cpu --lookback 1h --lookback all --after 0s --after 10us --spare 1 --spare 64 -- true
	expect 1 "no trace PMU"
}

@test "a file of rules: what is wrong is said with its name and line" {
	auxbpf --rules missing -- true
	expect 2 "--rules: cannot read missing: No such file or directory"
	auxbpf --rules . -- true
	expect 2 "--rules: cannot read .: Is a directory"
	# A name is never a line of ours, nor an order to the terminal.
	auxbpf --rules $'missing\nauxbpf: armed \033[2J\xff gr\xc3\xbcn' -- true
	expect 2 "--rules: cannot read missing\\nauxbpf: armed \\033[2J\\377 grün: No such file"
	printf '%s\n' '# of a service' '' 'exit code != 0   # any' '  signal:SIGSEGV' >good
	auxbpf --rules good -- true
	expect 1 "no trace PMU"
	printf '%s\n' 'exit code != 0' '# a comment' 'exit cod != 0' >bad
	auxbpf --rules bad -- true
	expect 2 "--rules: bad:3: "
	[[ $output == *"cod"* ]]
	printf 'exit code != 0\nsyscall:unmae' >bad
	auxbpf --rules bad -- true
	expect 2 "--rules: bad:2: "
	printf 'exit\0code\n' >bad
	auxbpf --rules bad -- true
	expect 2 "--rules: bad is no text: it has a NUL in it"
	auxbpf --rules /dev/null -- true
	expect 2 "--rules: /dev/null has no rules"
	# Those of several files and options are all there, and together no more than there is room for.
	seq -f 'exit code == %g' 1 40 >forty
	auxbpf --rules forty --rules forty -- true
	expect 2 "--rules: forty:25: there is room for 64 rules"
	auxbpf --rules forty --snapshot-on exit --rules good -- true
	expect 1 "no trace PMU"
	# A file without a rule takes no snapshot.
	printf '# nothing\n' >empty
	auxbpf --rules empty -- true
	expect 2 "--rules: empty has no rules; syscall:openat ret == -ENOENT is one"
	rm good bad forty empty
	nothing_left
}
