#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Every kind of window, under a load of forks, migrations and switches on 4 CPUs: the gate is open for the targets' windows
# and for nothing else; what perf decodes of a user function's windows is what ran. One boot makes all captures; each test
# looks at one.

load ../../lib/helpers
load ../../lib/stress

LONG="syscall kernel_function user"
CASES=(
	"syscall 20 command --on-syscall sched_yield,uname,read; --syscall 24,63,0 --target-note 100"
	"function 21 command --on-function $FUNCTION; --function ADDRESS --modes uk --target-note 100"
	"kernel_function 22 command --on-function vfs_read; --function vfs_read --target-note 100"
	"on_cpu 23 command --on-cpu; --on-cpu --modes uk --target-note 100"
	"user 24 command --on-cpu -e intel_pt//u; --on-cpu --modes u --target-note 100"
	"together 25 command --on-syscall uname,read --on-function $FUNCTION --on-function vfs_read; \
--syscall 63,0 --function ADDRESS --function vfs_read --modes uk --target-note 100"
)

setup_file() {
	stress_in_lab
}

# The function runs in the part of the log that is compared and nowhere else, unlike the windows of the other captures.
decodes() { # name
	local name phase how options
	for case in "${CASES[@]}"; do
		read -r name phase how options <<<"${case%%;*}"
		[ "$name" != "$1" ] || break
	done
	decode_check "$DIR" "$name" --phase "$phase" --kallsyms "$DIR/$name/kcore_dir/kallsyms" --tail \
		--least "$(quick_or 12000 50000)"
}

# bats test_tags=long
@test "system calls" { is_right syscall; }
@test "a user function" {
	is_right function
	decodes function
}
# bats test_tags=long
@test "a kernel function" { is_right kernel_function; }
@test "whenever a target runs" { is_right on_cpu; }
# bats test_tags=long
@test "whenever a target runs, user mode alone" { is_right user on_cpu; }
@test "system calls and functions together" {
	is_right together
	decode_branches "$DIR" together
	! grep -m 1 'instruction trace error' "$DIR/together.branches"
}
