#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# One fault in each run of a recorder on this machine's own kernel, with regular events: an allocation or a system call of its
# fails. The traced command is unharmed, what is written is whole, what is lost is said, nothing is left behind. Here are
# samples of the places; faults_long.bats goes through more of them.

bats_require_minimum_version 1.5.0
load ../lib/helpers
load ../lib/faults

setup() {
	requires auxbpf fail_call build/tests/fail_allocation.so perf jq
	cd "$BATS_TEST_TMPDIR"
}

@test "without a fault the checks hold, and what they look for is found" {
	with_fault fail_call getcpu EIO 0 -- --snapshot-on end
	[ "$(<fault/status)" -eq 3 ]
	# What else there is on the machine may have warned.
	: >fault/said
	is_well 1
	run ! is_well 2
	rm fault/ended
	run ! is_well 1
	touch fault/ended fault/out/.left
	run ! is_well 1
}

@test "an allocation fails" {
	fail_each_allocation "$(quick_or 20 40)" --archive --snapshot-on end
}

@test "an allocation fails, and all that come later" {
	fail_each_allocation "$(quick_or 10 20)" rest --archive --snapshot-on end
}

# Prints a list with a failing allocation; 0: none fails.
print_list() { # list number
	env LD_PRELOAD="$AUXBPF_ROOT/build/tests/fail_allocation.so" FAIL_ALLOCATION_LOG=log FAIL_ALLOCATION="$2" \
		auxbpf list "$1" --json 2>said
}

# This machine has no trace PMU, so that the list of PMUs ends with 1 in any case.
@test "a list is printed whole, or not at all and it is told" {
	local list nr status
	for list in containers pmus syscalls; do
		print_list $list 0 >whole || [ $list = pmus ]
		for nr in $(positions "$(sed -n 's/ calls$//p' log)" 300); do
			status=0
			print_list $list "$nr" >printed || status=$?
			cmp -s printed whole || { [ "$status" -eq 1 ] && [ ! -s printed ] && [ -s said ]; } || {
				echo "allocation $nr of list $list: $status"
				diff printed whole | head
				cat said log
				return 1
			}
		done
	done
}

@test "a descriptor cannot be had" {
	for call in openat socketpair pipe2 epoll_create1 eventfd2 timerfd_create pidfd_open perf_event_open bpf; do
		fail_each_call 2 $call EMFILE --archive --snapshot-on end
	done
}

@test "memory cannot be had of the kernel" {
	for call in perf_event_open bpf ioctl mremap epoll_ctl clone poll; do
		fail_each_call 2 $call ENOMEM --snapshot-on end
	done
}

@test "writing fails" {
	for call in pwrite64 write ftruncate linkat renameat mkdirat fsync; do
		fail_each_call 3 $call EIO --snapshot-on end
		fail_each_call 1 $call ENOSPC --snapshot-on end
	done
}

@test "a call is interrupted" {
	for call in poll epoll_wait wait4 read write; do
		fail_each_call 2 $call EINTR --snapshot-on end
	done
}

@test "rights cannot be given up" {
	for call in capset seccomp; do
		fail_each_call 3 $call EPERM --snapshot-on end
	done
}

# Maps and programs are made in the first half of its calls, at the end of which programs begin to be loaded.
@test "what libbpf returns is told with what the kernel refused first" {
	local nr seen=0
	with_fault fail_call -l log bpf EMFILE 0 -- --snapshot-on end
	for ((nr = $(calls_counted) / 2; nr > 0 && seen < 2; nr--)); do
		with_fault fail_call -l log bpf EMFILE "$nr" -- --snapshot-on end
		judge 1 "$nr" "bpf EMFILE"
		grep 'cannot load the BPF programs' fault/said >why || continue
		grep -E 'Too many open files|\b24\b' why
		seen=$((seen + 1))
	done
	[ "$seen" -eq 2 ]
}
