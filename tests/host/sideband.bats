#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What snapshots tell beside samples and trace, on this machine's own kernel: namespaces and cgroups if asked to, what other CPUs
# tell, types of BPF programs.

load ../lib/helpers

setup() {
	requires auxbpf perf findmnt burn short_lives strace taskset
	cd "$BATS_TEST_TMPDIR"
}

snapshots() { # directory
	find "$1" -mindepth 1 -maxdepth 1 -name '*.data' | sort
}

# The records of namespaces in a snapshot, one a line: time, "PID/TID", the namespaces as NUMBER/NAME: DEVICE/INODE.
namespaces() { # snapshot
	perf script -i "$1" --show-namespace-events --ns 2>stderr | sed -nE '/PERF_RECORD_NAMESPACES/ { N; N; s/\n\t+//g
		s/.* ([0-9.]+): PERF_RECORD_NAMESPACES ([0-9]+\/[0-9]+) - nr_namespaces: 7/\1 \2 /; p }'
	! grep -v '^$' stderr
}

# A namespace as it is shown.
shown() { # number/name file
	printf '%s: %d/%#x,' "$1" "$(stat -L -c %d "$2")" "$(stat -L -c %i "$2")"
}

@test "--namespaces: of a task that was there before, of one that takes new ones, and of its child" {
	sleep 60 3>&- &
	before=$!
	# shellcheck disable=SC2016
	auxbpf -o out -e cpu-clock --namespaces --lookback 100ms --snapshot-on 'exit code == 3' -- unshare --uts bash -c '
		readlink /proc/self/ns/uts >uts
		echo $$ >self
		sleep 1000 & echo $! >child
		sleep 0.8
		(exit 3)
		for i in $(seq 600); do [ ! -s out/index.ndjson ] || break; sleep 0.1; done
		kill $!
		wait' 2>err
	kill "$before"
	[ "$(snapshots out | wc -l)" -eq 1 ]
	namespaces "$(snapshots out)" >records
	grep " $before/$before " records >record
	grep -qF "$(shown 0/net /proc/self/ns/net) $(shown 1/uts /proc/self/ns/uts) " record
	grep -qF "$(shown 4/user /proc/self/ns/user) $(shown 5/mnt /proc/self/ns/mnt) " record
	# They began longer ago than the lookback, so they are told as state, which has no time.
	uts=$(printf '%#x' "$(tr -dc 0-9 <uts)")
	[ "$uts" != "$(printf '%#x' "$(stat -L -c %i /proc/self/ns/uts)")" ]
	for task in "$(<self)" "$(<child)"; do
		grep " $task/$task " records >record
		[ "$(wc -l <record)" -eq 1 ]
		grep -qE "^0\.0+ .* 1/uts: [0-9]+/$uts," record
		grep -qF "$(shown 0/net /proc/self/ns/net)" record
	done
}

@test "--namespaces: one that is taken within the lookback has its time" {
	# shellcheck disable=SC2016
	auxbpf -o out -e cpu-clock --namespaces --lookback 10s --snapshot-on 'exit code == 3' -- sh -c '
		unshare --uts sh -c "readlink /proc/self/ns/uts >uts; echo \$\$ >self"
		exit 3' 2>err || [ $? -eq 3 ]
	namespaces "$(snapshots out)" >records
	[ "$(grep -cE "^[1-9][0-9.]+ $(<self)/$(<self) .* 1/uts: [0-9]+/$(printf '%#x' "$(tr -dc 0-9 <uts)")," records)" -eq 1 ]
}

@test "without --namespaces there are none" {
	auxbpf -o out -e cpu-clock --snapshot-on 'exit code == 3' -- sh -c 'exit 3' 2>err || [ $? -eq 3 ]
	[ "$(snapshots out | wc -l)" -eq 1 ]
	[ -z "$(namespaces "$(snapshots out)")" ]
}

# Below a cgroup of this test's own, whose name is in $CG, its path without the mount point in $UNDER.
make_cgroup() {
	local v2
	v2=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)
	[ -n "$v2" ]
	UNDER=/auxbpf-test.$$ CG=$v2/auxbpf-test.$$
	mkdir "$CG"
}

teardown() {
	[ -z "${CG-}" ] || find "$CG" -depth -type d -exec rmdir {} +
}

@test "--all-cgroups: samples of a cgroup that was there before, of a new one, and of one that is gone have its name" {
	make_cgroup
	mkdir "$CG/before"
	cat >inside <<-'END'
		echo $$ >"$1/cgroup.procs"
		timeout 0.4 sh -c 'while :; do :; done'
		true
	END
	# shellcheck disable=SC2016
	auxbpf -o out -e cpu-clock --all-cgroups --scope all --lookback all --snapshot-on 'exit code == 3' -- sh -c '
		sh inside "$1/before"; sleep 0.3
		mkdir "$1/new"; sh inside "$1/new"
		mkdir "$1/gone"; sh inside "$1/gone"; rmdir "$1/gone"
		exit 3' - "$CG" 2>err || [ $? -eq 3 ]
	perf report -i "$(snapshots out)" --stdio -F overhead,sample,cgroup >report 2>/dev/null
	cat report
	for name in before new gone; do
		[ "$(awk -v cgroup="$UNDER/$name" '$3 == cgroup { print $2 }' report)" -gt 50 ]
	done
	! grep -q unknown report
}

@test "--all-cgroups: they come and go for long, and what is told of stays little" {
	make_cgroup
	# shellcheck disable=SC2016
	auxbpf -o out -e cpu-clock --all-cgroups --lookback 100ms --snapshot-on 'exit code == 3' -- sh -c '
		i=0
		while [ $i -lt 3000 ]; do mkdir "$1/$i"; rmdir "$1/$i"; i=$((i + 1)); done
		mkdir "$1/last"
		sleep 0.5
		exit 3' - "$CG" 2>err || [ $? -eq 3 ]
	perf script -i "$(snapshots out)" --show-cgroup-events 2>/dev/null | grep -o "PERF_RECORD_CGROUP cgroup: [0-9]* $UNDER/.*" >records
	[ "$(grep -c " $UNDER/last$" records)" -eq 1 ]
	[ "$(grep -c " $UNDER/2999$" records)" -eq 1 ]
	[ "$(wc -l <records)" -gt 256 ]
	[ "$(wc -l <records)" -lt 1500 ]
}

@test "-C: of a program that began on another CPU" {
	auxbpf -o out -e cpu-clock:u -C 1 --snapshot-on 'exit code == 3' -- \
		sh -c 'taskset -c 0 burn 1 1; taskset -c 1 sh -c "exit 3"' 2>err || [ $? -eq 3 ]
	logged perf script -i "$(snapshots out)" --comms burn -F cpu,comm,ip,sym,dso
	[ "$(wc -l <<<"$output")" -gt 50 ]
	[ "$(grep -c '\[001\] .*main.*/burn)$' <<<"$output")" -gt 50 ]
	! grep -q unknown <<<"$output"
}

# Nothing reads the rings meanwhile, and they are full before it is over. Then a thread without priority looks which tasks there are.
@test "a recorder that stood still: those that began and ended meanwhile are known, and that records were lost is said" {
	# shellcheck disable=SC2016 # for the shell that runs
	auxbpf -v -o out -e cpu-clock:u --lookback 2s --scope all --snapshot-on 'exit code == 3' -- sh -c '
		sleep 1000 & echo $! >gone
		looks=$(grep -c "is known again" err)
		kill -STOP "$PPID"
		short_lives 20000 1000000
		kill $!
		wait $!
		burn 1 1000 & echo $! >there
		kill -CONT "$PPID"
		for i in $(seq 600); do
			[ "$(grep -c "is known again" err)" -eq "$looks" ] || break
			sleep 0.1
		done
		sleep 3
		kill $!
		wait $!
		sh -c "exit 3"' 2>err || [ $? -eq 3 ]
	grep -E 'warning: CPU [0-9]+: the kernel lost [0-9]+ records of tasks' err
	logged perf script -i "$(snapshots out)" --comms burn -F cpu,comm,ip,sym,dso
	[ "$(grep -c '\[001\] .*main.*/burn)$' <<<"$output")" -gt 50 ]
	grep unknown <<<"$output" | nothing
	perf script -i "$(snapshots out)" --show-task-events -F comm,tid,time,event >records
	grep -q "PERF_RECORD_COMM.*burn:$(<there)/" records
	# By its name too: the number may be another one's by then.
	grep "PERF_RECORD_COMM.*sleep:$(<gone)/" records | nothing
	[ "$(grep -c 'PERF_RECORD_COMM.*short_lives' records)" -lt 10 ]
}

# Who lists /proc takes three seconds for it.
@test "a recorder that stood still, and ends while it looks which tasks there are" {
	# shellcheck disable=SC2016 # for the shell that runs
	strace -f -qq -b execve -o calls -P /proc -e inject=openat:delay_enter=3000000:when=1 auxbpf -v -o out -e cpu-clock:u --snapshot-on 'exit code == 3' -- sh -c '
		kill -STOP "$PPID"
		short_lives 20000 1000000
		kill -CONT "$PPID"
		for i in $(seq 200); do
			! grep -q "looking which tasks" err || exit 0
			short_lives 200 1000000
		done' 2>err
	cat err
	# There was a look, and it went on to its end.
	grep -q "which tasks and BPF programs there are is known again" err
}

@test "a recorder that stood still: BPF programs that came and went meanwhile are forgotten" {
	# shellcheck disable=SC2016 # for the shell that runs
	auxbpf -v -o out -e cpu-clock --lookback 500ms --scope all --snapshot-on 'exit code == 3' -- sh -c '
		for time in 1 2 3 4 5 6 7 8 9 10; do
			kill -STOP "$PPID"
			short_programs 2000
			kill -CONT "$PPID"
			sleep 0.1
		done
		sleep 3
		for i in $(seq 600); do
			[ "$(grep -c "looking which tasks" err)" -gt "$(grep -c "is known again" err)" ] || break
			sleep 0.1
		done
		sh -c "exit 3"' 2>err || [ $? -eq 3 ]
	grep -E 'warning: CPU [0-9]+: the kernel lost [0-9]+ records of tasks' err
	perf script -i "$(snapshots out)" --show-bpf-events >records
	grep -q 'PERF_RECORD_KSYMBOL .*bpf_prog_.*_on_switch' records
	[ "$(grep -c short_program records)" -eq 0 ]
}

@test "the BPF programs that are loaded, with their names and types" {
	auxbpf -o out -e cpu-clock --snapshot-on 'exit code == 3' -- sh -c 'exit 3' 2>err || [ $? -eq 3 ]
	logged perf script -i "$(snapshots out)" --header-only -I
	[ "$status" -eq 0 ]
	# Ours are among them: a program, and a function of one.
	grep -qE '^# bpf_prog_info [0-9]+: bpf_prog_[0-9a-f]{16}_on_switch addr 0x[0-9a-f]+ size [0-9]+$' <<<"$output"
	grep -qE '^# bpf_prog_info [0-9]+: bpf_prog_[0-9a-f]{16}_switch_to addr 0x[0-9a-f]+ size [0-9]+$' <<<"$output"
	grep -qE '^# btf info of id [0-9]+$' <<<"$output"
}
