#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The gate's programs on this machine's own kernel, without an AUX event. The lab's kernels: control.bats.

load helpers

@test "the kernel takes the gate's programs, whatever the session" {
	requires gate_load
	must gate_load
	[ "${#lines[@]}" -ge 9 ]
}
