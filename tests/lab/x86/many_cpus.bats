#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Snapshots of all CPUs of a machine that has many: each CPU has its own trace, and all of it is what ran. One boot.

load ../../lib/helpers

CPUS=10
COUNT=$(quick_or 5 12)
RULE='syscall:openat ret == -ENOENT && comm == trigger_cases'

# All CPUs have something to do, in kernel and user mode.
record_all() {
	local cpu
	oracle-mark run -- true # sets the kernel's symbols
	for ((cpu = 0; cpu < CPUS; cpu++)); do
		taskset -c "$cpu" sh -c 'while :; do uname >/dev/null; sleep 0.2; done' &
	done
	oracle-mark run --again --traced --phase 31 -- auxbpf -v -o /tmp/all --scope all --aux-size 256K --spare 4 --max-rate 0 --cool-down 0 \
		--snapshot-on "$RULE" -- trigger_cases --case openat --cpus "$CPUS" --count "$COUNT" --gap 1000 >/out/all.done 2>/out/all.stderr || {
		echo "all: status $?"
		cat /out/all.stderr
	}
	cp -a /tmp/all /out/all
}

setup_file() {
	requires build/trace-unit/pt.so oracle-check trigger_cases build/tests/oracle-mark scripts/lab auxbpf jq
	record_in_lab --cpus "$CPUS" --oracle CPUS COUNT RULE record_all
}

teardown_file() {
	rm -f "$DIR.oracle"
}

@test "snapshots of $CPUS CPUs are what ran on each" {
	local names name scripts=()
	cat "$DIR/all.stderr"
	mapfile -t names < <(jq -r 'select(.rule).snapshot' "$DIR/all/index.ndjson")
	[ "${#names[@]}" -ge 3 ]
	[ "$(jq -s '[.[].cpus[].cpu] | unique | length' "$DIR/all/index.ndjson")" -eq "$CPUS" ]
	jq -r '.cpus[] | "\(.cpu) \(.begin) \(.end)"' "$DIR/all/index.ndjson" >"$DIR/all.bytes"
	for name in "${names[@]}"; do
		decode_branches "$DIR" "all/$name"
		scripts+=("$DIR/all/$name.branches")
	done
	must oracle-check snapshots --oracle "$DIR/oracle" --phase 31 --least 1000 \
		--kallsyms "$DIR/all/$name/kcore_dir/kallsyms" --bytes "$DIR/all.bytes" "${scripts[@]}"
}
