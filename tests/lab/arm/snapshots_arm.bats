#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The flight recorder on 64-bit Arm: a snapshot ends at its trigger, what it shows is what ran, and no two of many in a row
# show the same. One boot records all of them; each test looks at one.

load ../../lib/helpers

ROW=$(quick_or 10 50)
# Name, phase of the log and options of trigger_cases; options of auxbpf; how the check finds the trigger. There is room
# for all snapshots of a case while none is written, so that none is missed.
CASES=(
	"ppoll 31 --cpu 1 --count 3 --gap 500 --threshold 10000; --snapshot-on 'syscall:ppoll latency > 10ms'; \
--after-symbol __traceiter_sys_exit,__bpf_trace_sys_exit"
	"offcpu 32 --cpu 1 --count 3 --gap 500 --threshold 300000; --snapshot-on 'offcpu > 300ms && comm == trigger_cases'; \
--switch-in 300000000 --after-symbol __traceiter_sched_switch,__bpf_trace_sched_switch"
	"signal 33 --cpu 1 --count 3 --gap 500; -e cs_etm//k --cool-down 0 --snapshot-on signal:SIGUSR1; \
--after-symbol __traceiter_signal_deliver,__bpf_trace_signal_deliver"
	"openat 34 --cpus 2 --count $ROW --gap 400; --aux-size 1M --spare $((ROW + 2)) --max-rate 0 --cool-down 0 --snapshot-on 'syscall:openat ret == -ENOENT'; \
--after-symbol __traceiter_sys_exit,__bpf_trace_sys_exit"
)

# To memory, and out of the guest in the end: its way out is slower than any disk. A process that waits there is off the CPU, too.
record_cases() {
	local name phase case options
	oracle-mark run -- true # sets the kernel's symbols
	for case in "${CASES[@]}"; do
		IFS=';' read -r case options _ <<<"$case"
		read -r name phase case <<<"$case"
		part "$name" oracle-mark run --again --traced --phase "$phase" -- sh -c \
			"exec auxbpf -v -o /tmp/$name --spare 4 $options -- trigger_cases --case $name $case >/tmp/$name.said"
		cp "/tmp/$name.said" "/out/$name.stdout"
		mv "/tmp/$name" "/out/$name"
	done
	record_untimed
}

# CPU 0 tells that its trace has another clock, as one without FEAT_TRF does (ts_source_show()).
record_untimed() {
	local told
	told=$(readlink -f /sys/bus/event_source/devices/cs_etm/cpu0)/ts_source
	cat "$told" >/out/ts_source
	echo -1 >/tmp/minus_one
	mount --bind /tmp/minus_one "$told"
	part untimed taskset 1 auxbpf -v -o /out/untimed -e cs_etm//u -C 0 --on-cpu --lookback 1us --snapshot-on syscall:exit_group -- \
		user_branches calls
	part timed taskset 1 auxbpf -v -o /out/timed -e cs_etm//u -C 1 --on-cpu --lookback 1us --snapshot-on syscall:exit_group -- \
		taskset 2 user_branches calls
}

setup_file() {
	requires build-aarch64/auxbpf build-aarch64/tests/{trigger_cases,user_branches} build/trace-unit/ete.so oracle-check scripts/lab jq
	export AUXBPF_LAB_ARCH=aarch64
	record_in_lab --oracle CASES part record_untimed record_cases
}

# All snapshots of one case decode without an error to what the oracle saw, each up to its trigger.
is_right() { # name number
	local case name phase check snapshot scripts=()
	for case in "${CASES[@]}"; do
		IFS=';' read -r name _ check <<<"$case"
		read -r name phase _ <<<"$name"
		[ "$name" != "$1" ] || break
	done
	ended "$name" 0 "$2 snapshots in"
	# shellcheck disable=SC2016 # the guest's
	must lab host --out "$DIR" -- bash -c 'for file in /out/"$0"/auxbpf-*.data; do
			perf script -i "$file" --itrace=be -F cpu,event,ip,addr >"$file.branches" 2>"$file.stderr" || exit 1
		done
		if cat /out/"$0"/*.stderr | grep -m 1 -E "OCSD_ERR|find auxtrace buffer"; then exit 1; fi' "$name"
	for snapshot in $(jq -r .snapshot "$DIR/$name/index.ndjson"); do
		scripts+=("$DIR/$name/$snapshot.branches")
	done
	[ "${#scripts[@]}" -eq "$2" ]
	jq -r '.cpus[] | "\(.cpu) \(.begin) \(.end)"' "$DIR/$name/index.ndjson" >"$DIR/$name.bytes"
	# shellcheck disable=SC2086 # words of the options
	must oracle-check snapshots --oracle "$DIR/oracle" --phase "$phase" --kallsyms "$DIR/$name/$snapshot/kcore_dir/kallsyms" \
		--etm --bytes "$DIR/$name.bytes" --least 500 --end-note 110 $check "${scripts[@]}"
}

@test "a system call that takes long" { is_right ppoll 3; }
@test "a task that was off the CPU" { is_right offcpu 3; }
@test "a signal that is handled" { is_right signal 3; }
@test "$ROW snapshots in a row" { is_right openat "$ROW"; }

# The other one has what ran in the last microsecond and in front of that up to where a decoder can begin.
@test "of trace whose times are of another clock nothing is left out by them, and that is said" {
	local left=()
	[ "$(<"$DIR/ts_source")" = 1 ]
	ended untimed 0 "the times in the trace of CPU 0 are of another clock than the kernel's: --lookback leaves nothing out"
	ended timed 0
	grep "of another clock" <<<"$output" | nothing
	for name in untimed timed; do
		left+=("$(jq '.cpus[] | .end - .begin' "$DIR/$name/index.ndjson")")
	done
	[ "$(jq '.cpus[].begin' "$DIR/untimed/index.ndjson")" -eq 0 ]
	[ "${left[1]}" -lt $((left[0] / 2)) ]
}
