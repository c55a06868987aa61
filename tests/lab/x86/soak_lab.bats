#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# bats file_tags=long
#
# As soak.bats, with a trace: a recorder that is left on while thousands of processes, and BPF programs, come and go. Its last
# snapshot is what ran. One boot.

load ../../lib/helpers
load ../../lib/soak

FIRST=400
ALL=4000
EVERY=50
MAX_KIB=65536

# The last one's lookback is logged; all that is traced would be gigabytes. Trace is cut where its packets begin anew, so behind
# the begin of the log each CPU has some, and nothing for longer than the lookback.
make_last() {
	cat >/tmp/last.sh <<-'END'
		for cpu in 0 1; do
			for i in 1 2 3; do taskset -c $cpu uname >/dev/null; done
		done
		sleep 0.5
		trigger_cases --cpu 1 --case exit --gap 500
	END
}

record_all() {
	export FIRST ALL EVERY OUT=/tmp/soak
	oracle-mark run -- true # sets the kernel's symbols
	write_soak /tmp/soak.sh
	make_last
	echo 'oracle-mark run --again --traced --phase 31 -- sh /tmp/last.sh' >>/tmp/soak.sh
	part soak auxbpf -v --archive -o "$OUT" --aux-size 256K --scope all --lookback 100ms --cool-down 0 --max-rate 0 --max-snapshots 0 \
		--max-size "${MAX_KIB}K" --snapshot-on 'exit code == 3' -- bash /tmp/soak.sh
	cp -a "$(printf '%s\n' "$OUT"/*.data | tail -n 1)" /out/last
	cp "$OUT/index.ndjson" /out
	find "$OUT" -maxdepth 1 -name '*.data' | wc -l >/out/number
}

setup_file() {
	requires build/trace-unit/pt.so oracle-check short_lives short_programs trigger_cases build/tests/oracle-mark scripts/lab auxbpf jq
	record_in_lab --oracle FIRST ALL EVERY MAX_KIB part write_soak make_last record_all
}

setup() {
	read -r _ first_kib first_fds _ < <(grep '^first ' "$DIR/soak.stdout")
	read -r _ last_kib last_fds last_disk < <(grep '^last ' "$DIR/soak.stdout")
	cat "$DIR/soak.stdout"
	tail -n 5 "$DIR/soak.stderr"
}

# --archive keeps the programs that a look runs; those of the first one are kept from its end on, or a little later.
@test "memory, file descriptors and disk are what they were after the first" {
	ended soak 0
	[ "$first_kib" -gt 1000 ]
	[ $((last_kib * 100)) -le $((first_kib * 105)) ]
	[ "$first_fds" -gt 10 ]
	[ "$last_fds" -le $((first_fds + 8)) ]
	[ "$last_disk" -le "$MAX_KIB" ]
}

@test "each trigger was seen, and is a snapshot or counted" {
	local seen taken missed
	read -r seen taken missed < <(sed -nE 's/.*exit code == 3: seen ([0-9]+) times, ([0-9]+) snapshots, missed ([0-9]+).*/\1 \2 \3/p' "$DIR/soak.stderr")
	[ "$seen" -eq $((ALL / EVERY + 21)) ]
	[ $((taken + missed)) -eq "$seen" ]
	[ "$(<"$DIR/number")" -gt 1 ]
}

@test "the last snapshot is what ran" {
	[ -e "$DIR/last/data" ]
	decode_branches "$DIR" last
	must oracle-check snapshots --oracle "$DIR/oracle" --phase 31 --kallsyms "$DIR/last/kcore_dir/kallsyms" --back 50000000 --end-note 110 \
		--after-symbol __traceiter_sched_process_exit,__bpf_trace_sched_process_exit "$DIR/last.branches"
}

@test "it does not have the BPF programs that were gone long before" {
	lab host --out "$DIR" -- perf script -i /out/last --no-itrace --show-bpf-events >"$DIR/records"
	grep -q 'PERF_RECORD_KSYMBOL .*bpf_prog_' "$DIR/records" # auxbpf's own
	[ "$(grep -c short_program "$DIR/records")" -eq 0 ]
}
