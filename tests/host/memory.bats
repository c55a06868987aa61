#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# auxbpf in a memory cgroup that is full of page cache, on this machine's own kernel: nothing is lost that need not be, and
# what is lost is said.

load ../lib/helpers

setup() {
	requires auxbpf crowd jq
	cd "$BATS_TEST_TMPDIR" || return
	make_cgroup
}

# What died in it may be charged to it for a moment.
teardown() {
	for _ in $(seq 100); do
		! rmdir "$CGROUP" 2>rmdir.stderr || return 0
		sleep 0.1
	done
	cat rmdir.stderr
	return 1
}

# Version 1 where the memory controller is there, or else version 2.
make_cgroup() {
	local top=/sys/fs/cgroup
	LIMIT=memory.max USAGE=memory.current
	if [ -e $top/memory/memory.limit_in_bytes ]; then
		top+=/memory LIMIT=memory.limit_in_bytes USAGE=memory.usage_in_bytes
	else
		echo +memory >$top/cgroup.subtree_control
	fi
	CGROUP=$top/auxbpf_$BATS_ROOT_PID.$BATS_TEST_NUMBER
	OUTSIDE=$top/cgroup.procs
	mkdir "$CGROUP"
}

# Runs auxbpf in a cgroup that may have so much memory and has used it for files; outside of it a command.
in_full_cgroup() { # MiB command auxbpf's arguments...
	local mib=$1 command=$2
	shift 2
	echo $((mib << 20)) >"$CGROUP/$LIMIT"
	# shellcheck disable=SC2016 # for sh
	must with_tracefs sh -c 'echo $$ >"$0/cgroup.procs"
		dd if=/dev/zero of=filled bs=1M count="$1" conv=fsync 2>/dev/null
		echo "used: $(cat "$0/$2")"
		shift 2
		exec "$@"' "$CGROUP" $((2 * mib)) "$USAGE" auxbpf -v -e cpu-clock "$@" -- \
		sh -c "echo \$\$ >$OUTSIDE; exec $command"
	[ "$(sed -n 's/^used: //p' <<<"$output")" -gt $((mib * 9 << 20 / 10)) ]
}

# All that auxbpf counted, of any CPU.
windows() {
	awk '/^auxbpf: CPU [0-9]+: windows / { sum += $5 } END { print sum + 0 }' <<<"$output"
}

# How often the triggers of the rule were seen.
seen() {
	sed -n 's/^auxbpf: .*: seen \([0-9]*\) times.*/\1/p' <<<"$output"
}

# Of the crowd's 27500 calls so many were seen, and the others are in what is said of memory.
all_or_counted() { # number
	local lost
	lost=$(sed -n 's/^auxbpf: warning: \([0-9]*\) times there was no memory to keep .*/\1/p' <<<"$output")
	[ "$lost" -gt 0 ]
	[ $(($1 + lost)) -ge 27500 ]
}

@test "each window of 8000 tasks is there, though the cgroup is full of page cache" {
	in_full_cgroup 60 "crowd 8000" -a -o out --on-syscall uname --snapshot-on end
	[ "$(windows)" -ge 8000 ]
	! grep 'no memory to keep' <<<"$output"
}

@test "each trigger of them is seen" {
	in_full_cgroup 60 "crowd 8000" -a -o out --snapshot-on 'syscall:uname comm == crowd'
	has "comm == crowd: seen 8000 times"
	! grep 'no memory to keep' <<<"$output"
}

@test "what cannot be kept is counted, and said at the end and in the index" {
	in_full_cgroup 32 "crowd 27500" -a -o out --on-syscall uname --snapshot-on end
	all_or_counted "$(windows)"
	[ "$(jq .no_memory out/index.ndjson)" -gt 0 ]
}

@test "likewise the children of COMMAND" {
	in_full_cgroup 32 "crowd 27500" -o out --on-syscall uname --snapshot-on end
	all_or_counted "$(windows)"
}

@test "likewise tasks that take the name that is asked for" {
	in_full_cgroup 32 "crowd 27500 called" -o out --comm called --on-syscall uname --snapshot-on end
	all_or_counted "$(windows)"
}

@test "likewise tasks that are there before" {
	local before
	mkfifo go
	crowd 27500 crowd "$PWD/go" 3>&- &
	before=$!
	until [ "$(find "/proc/$before/task" -maxdepth 1 | wc -l)" -gt 27501 ]; do sleep 0.1; done
	in_full_cgroup 32 "sh -c 'echo >$PWD/go; while [ -e /proc/$before/status ]; do sleep 0.1; done'" -o out -p $before \
		--on-syscall uname --snapshot-on end
	wait $before
	all_or_counted "$(windows)"
}

@test "likewise the history of tasks that triggers need" {
	in_full_cgroup 32 "crowd 27500" -a -o out --snapshot-on 'syscall:uname comm == crowd && latency > 1ns'
	all_or_counted "$(seen)"
}

# bats test_tags=long
@test "likewise windows in functions of programs" {
	in_full_cgroup 32 "crowd 27500" -a -o out --on-function "$AUXBPF_ROOT/build/tests/crowd:call" --snapshot-on end
	all_or_counted "$(windows)"
}

# bats test_tags=long
@test "likewise windows from one tracepoint to another" {
	in_full_cgroup 32 "crowd 27500" -a -o out --on-range syscalls:sys_enter_newuname,syscalls:sys_exit_newuname --snapshot-on end
	all_or_counted "$(windows)"
}

# bats test_tags=long
@test "likewise the history of new tasks, from which it is known when they began to wait" {
	in_full_cgroup 32 "crowd 27500" -a -o out --snapshot-on 'offcpu > 1ns && comm == crowd'
	all_or_counted "$(seen)"
}

# bats test_tags=long
@test "likewise functions that tasks are in, which the rule counts as missed" {
	local counted
	in_full_cgroup 32 "crowd 27500" -a -o out --snapshot-on "function:$AUXBPF_ROOT/build/tests/crowd:call"
	counted=$(sed -n 's/.*crowd:call: seen .*, missed \([0-9]*\).*/\1/p' <<<"$output")
	[ "$counted" -gt 0 ]
	[ $(($(seen) + counted)) -ge 27500 ]
}

# bats test_tags=long
@test "likewise records of tracepoints, which are counted for each" {
	local counted
	in_full_cgroup 32 "crowd 27500 called" -a -o out --snapshot-on 'tracepoint:task:task_rename comm == crowd'
	counted=$(sed -n 's/.* task:task_rename: \([0-9]*\) of the .* lost between two programs/\1/p' <<<"$output")
	[ "$counted" -gt 0 ]
	[ $(($(seen) + counted)) -ge 27500 ]
}

@test "snapshots for which there is no memory are refused at the start" {
	echo 40M >"$CGROUP/$LIMIT"
	# shellcheck disable=SC2016 # for sh
	logged with_tracefs sh -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$CGROUP" \
		auxbpf -o out -a -e cpu-clock -M 32M --snapshot-on end -- sleep 5
	[ "$status" -eq 1 ]
	has "with 24 MiB for auxbpf itself, and its cgroup may use 40 MiB"
	! has armed
}

@test "snapshots in a directory that is in memory keep within the limit" {
	mkdir memory
	mount -t tmpfs tmpfs memory
	echo 60M >"$CGROUP/$LIMIT"
	# shellcheck disable=SC2016 # for sh
	logged with_tracefs sh -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$CGROUP" \
		auxbpf -o memory/out -a -e cpu-clock --max-rate 0 --cool-down 0 --snapshot-on 'syscall:uname comm == uname' -- \
		sh -c "echo \$\$ >$OUTSIDE; for i in \$(seq 300 | tr '\n' ' '); do uname; sleep 0.02; done >uname.out"
	# The cgroup can be removed once what is charged to it is gone.
	find memory/out -name '*.data' | wc -l >kept
	umount memory
	[ "$status" -eq 0 ]
	has "memory/out is in memory, of which auxbpf's cgroup may use 60 MiB: --max-size is 16 MiB"
	[ "$(<kept)" -gt 1 ]
}
