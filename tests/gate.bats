#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The gate's programs on this machine's own kernel, without an AUX event. The lab's kernels: control.bats.

load helpers

@test "the kernel takes the gate's programs, whatever the session" {
	requires gate_load
	logged with_tracefs gate_load
	[ "$(grep -c ' ok$' <<<"$output")" -ge 9 ]
	# The kernels of some sandboxes permit no program at a function; those of the lab do.
	! grep -v -e ' ok$' -e '^auxbpf: ' -e 'a function of the kernel .* Operation not permitted' <<<"$output"
}

@test "--uid: a task that changes its user counts from its next system call on, and no longer" {
	requires gate_user
	must with_tracefs gate_user
	has "20000 of 20000 windows"
}
