#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# A real-time kernel (PREEMPT_RT) in the lab: windows, triggers and the full trace work there as elsewhere; what needs a timer
# of BPF's, which it does not give, is refused with the reason.

load ../../lib/helpers
load ../../lib/rules

# In make test the first five, each of another kind.
[ -z "${TEST_QUICK-}" ] || RULES=("${RULES[@]:0:5}")
LONG=stream

run_all() {
	uname -v >/out/version
	auxbpf list >/out/list
	part capture oracle-mark run --traced --phase 20 -- auxbpf -v --on-syscall uname,clock_nanosleep -o /out/capture.data -- \
		sh -c 'syscall_cases uname 20; syscall_cases migrate'
	part after auxbpf -o /tmp/after --after 1ms --snapshot-on syscall:uname -- touch /out/after.ran
	run_rules rules oracle-mark run --again --traced --phase 21 -- auxbpf -e intel_pt//k --snapshot-on 'softirq latency > 1000s'
	part stream auxbpf -v --stream --on-syscall read -o /out/stream.data -- dd if=/dev/zero of=/dev/null bs=16M count=1
	dmesg | grep -E 'BUG:|WARNING:|Oops' >/out/complaints || true
}

setup_file() {
	requires build/trace-unit/pt.so oracle-check build/tests/oracle-mark trigger_cases syscall_cases jq scripts/lab auxbpf
	record_in_lab --kernel 6.12-rt --oracle RULES part make_taken run_rules run_all
}

@test "the kernel is a real-time one, and complains of nothing" {
	grep -w PREEMPT_RT "$DIR/version"
	nothing <"$DIR/complaints"
}

@test "windows: what is decoded of them is what ran" {
	ended capture 0 "21 windows on CPU"
	decode_check "$DIR" capture.data --phase 20 --kallsyms "$DIR/capture.data/kcore_dir/kallsyms"
}

@test "--after is refused before the command runs, and why is said" {
	ended after 1 "--after: a real-time kernel (PREEMPT_RT) gives BPF programs no timers"
	[ ! -e "$DIR/after.ran" ]
}

@test "a rule of each kind: each was seen once, and its trace is what ran" {
	local each scripts=()
	each_rule_held_once rules
	has 'softirq latency > 1000s: seen 0 times'
	for each in $(jq -r .snapshot "$DIR/rules/index.ndjson"); do
		decode_branches "$DIR" "rules/$each"
		scripts+=("$DIR/rules/$each.branches")
	done
	must oracle-check snapshots --oracle "$DIR/oracle" --phase 21 --kallsyms "$DIR/rules/$each/kcore_dir/kallsyms" \
		--least 100 "${scripts[@]}"
}

# bats test_tags=long
@test "the full trace decodes" {
	ended stream 0 "2 windows on CPU"
	decode_branches "$DIR" stream.data
	[ "$(grep -c 'instruction trace error' "$DIR/stream.data.branches")" -eq 0 ]
	[ "$(grep -c '=>' "$DIR/stream.data.branches")" -gt 1000 ]
}
