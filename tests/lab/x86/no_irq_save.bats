#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# bats file_tags=long
#
# The gate where BPF programs cannot keep interrupts off, as before Linux 6.14: in the middle of a move the recorder's own program
# comes, which closes the gate for a snapshot, and the recorder preempts the program that moves it.
#
# Debian has no such kernel with a driver that pauses. So the function that keeps interrupts off is hidden from the loader: in the
# kernel's types it has another name of the same length.

load ../../lib/helpers

TRIGGERS=150

hide_irq_save() {
	local types=/sys/kernel/btf/vmlinux
	sed 's/bpf_local_irq_save/bpf_local_irq_none/g; s/bpf_local_irq_restore/bpf_local_irq_nothing/g' $types >/tmp/types
	mount --bind /tmp/types $types
}

# Each call on CPU 0 has CPU 1 frozen, where the gate opens and closes all the time.
freeze_all_the_time() {
	taskset 2 syscall_cases uname 1000000000 &
	for _ in $(seq "$TRIGGERS"); do taskset 1 syscall_cases uname 1; done
	kill $!
}

# The trace is of user mode alone, and the windows have none of it.
record_hidden() {
	hide_irq_save
	export -f freeze_all_the_time
	export TRIGGERS
	part hidden oracle-mark run --traced --phase 20 -- auxbpf -v -o /tmp/hidden -e intel_pt//u --aux-size 64K --on-syscall uname \
		--scope all --cool-down 0 --max-rate 0 --snapshot-on 'syscall:uname cpu == 0' -- bash -c freeze_all_the_time
}

setup_file() {
	requires build/trace-unit/pt.so oracle-check syscall_cases scripts/lab auxbpf
	record_in_lab --oracle TRIGGERS hide_irq_save freeze_all_the_time part record_hidden
}

@test "a gate that is closed in the middle of a move is closed afterwards" {
	local opened closed
	ended hidden 0 "snapshots in /tmp/hidden"
	read -r opened closed < <(sed -n 's/^auxbpf: CPU 1: .* gate opened \([0-9]*\), closed \([0-9]*\), .*/\1 \2/p' <<<"$output")
	must oracle-check dump --oracle "$DIR/oracle" --phase 20 --count 1
	oracle-check dump --oracle "$DIR/oracle" --phase 20 --traced | grep -m 20 -E ' [FT-]{2}[3-]u ' | nothing
	# The gate was closed once more so often: else the test has tried nothing.
	[ $((closed - opened)) -gt 10 ]
}
