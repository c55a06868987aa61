#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# bats file_tags=long
#
# As faults.bats, at more of the places: each allocation is one of several hundred, and of each system call that a recorder
# makes up to PLACES (25) are made to fail, with what that call can say.

load ../lib/helpers
load ../lib/faults

setup() {
	requires auxbpf fail_call build/tests/fail_allocation.so perf jq
	cd "$BATS_TEST_TMPDIR"
}

# Each of them fails at so many places with each of the errors.
sweep() { # errors calls
	local error call
	for call in $2; do
		for error in $1; do
			fail_each_call "${PLACES:-25}" "$call" "$error" --archive --snapshot-on end
		done
	done
}

@test "an allocation fails" {
	fail_each_allocation 600 --archive --snapshot-on end
}

@test "an allocation fails, and all that come later" {
	fail_each_allocation 600 rest --archive --snapshot-on end
}

@test "descriptors cannot be had" {
	sweep EMFILE "openat socketpair pipe2 epoll_create1 eventfd2 timerfd_create pidfd_open perf_event_open bpf openat2 memfd_create signalfd4"
}

@test "memory cannot be had of the kernel" {
	sweep ENOMEM "perf_event_open bpf ioctl mremap epoll_ctl clone clone3 sendmsg mmap openat poll"
}

@test "reading and writing fail" {
	sweep EIO "read pread64 recvmsg getdents64 newfstatat statx fstatfs fsync readlink faccessat2 lseek copy_file_range sync_file_range"
	sweep "EIO ENOSPC EDQUOT" "pwrite64 write ftruncate linkat renameat mkdirat mkdir unlinkat"
}

@test "what is asked of the kernel is not permitted" {
	sweep EPERM "flock fcntl fchmod prctl prlimit64 sched_setscheduler setpriority dup2 timerfd_settime kill"
}

@test "calls are interrupted" {
	sweep EINTR "poll epoll_wait wait4 read write futex"
}

@test "the same where there are windows, and rules with programs of their own" {
	local call options=(--on-cpu --snapshot-on 'syscall:write latency > 1s' --snapshot-on 'offcpu > 1s' --snapshot-on end)
	for call in bpf perf_event_open mmap openat ioctl; do
		fail_each_call "${PLACES:-25}" "$call" ENOMEM "${options[@]}"
	done
}
