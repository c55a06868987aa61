#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What else reads captures: perf's other commands, as perf script does, and libipt.

load ../../lib/helpers

# With a priority that nothing preempts: on the way out of the CPU and back perf names who is next there, or was before.
record_all() {
	part full auxbpf -o /out/full --on-syscall uname -- chrt --reset-on-fork -f 50 uname
	part user auxbpf -o /out/user -e intel_pt//u -- uname
	part snapshots auxbpf -o /out/snapshots --on-syscall uname --snapshot-on 'syscall:uname ret == 0' -- \
		chrt --reset-on-fork -f 50 uname
	part stream auxbpf --stream -o /out/stream --on-syscall uname -- chrt --reset-on-fork -f 50 uname
	part samples auxbpf -o /out/samples -e cpu-clock,sched:sched_switch -M 64K -g --snapshot-on 'exit comm == dd' -- \
		dd if=/dev/zero of=/dev/null bs=1M count=2000
}

setup_file() {
	requires ipt-packets
	record_in_lab part record_all
	mv "$DIR"/snapshots/*.data "$DIR/snapshot"
	mv "$DIR"/samples/*.data "$DIR/sampled"
}

setup() {
	for name in full user snapshots stream samples; do
		ended $name 0
	done
}

readers() { # command... on what was recorded, with the lab's perf
	must lab host --out "$DIR" -- "$@"
}

@test "perf report" {
	for name in full snapshot stream; do
		readers perf report -i /out/$name --stdio --no-children --itrace=i1i --sort comm,sym
		has __do_sys_newuname
		[ "$(awk '{ for (i = 2; i <= NF; i++) if ($i == "[k]") print $(i - 1) }' <<<"$output" | sort -u)" = uname ]
	done
	readers perf report -i /out/sampled --stdio --no-children --sort comm
	has dd
}

# What is injected is one file, without a copy of the kernel beside it: --kallsyms says what its addresses are. perf data
# takes no --itrace; of a file with trace, perf record's too, it dies of SIGSEGV (perf 7.3).
@test "perf inject, and perf data convert of what that gives" {
	for name in full snapshot stream; do
		readers perf inject -i /out/$name -o /out/$name.injected --itrace=i1i --strip
		readers perf script --kallsyms /out/$name/kcore_dir/kallsyms -i /out/$name.injected -F comm,ip,sym
		has __do_sys_newuname
		readers perf data convert -i /out/$name.injected --to-json /out/$name.json
		jq -e '.samples | length > 1000 and all(.comm == "uname")' "$DIR/$name.json"
	done
	readers perf data convert -i /out/sampled --to-json /out/sampled.json
	jq -e '[.samples[].comm] | index("dd") != null' "$DIR/sampled.json"
}

@test "perf evlist, perf buildid-list and the header" {
	readers perf evlist -i /out/full
	has intel_pt//k
	readers perf buildid-list -i /out/full
	[[ $output =~ [0-9a-f]{40}\ /usr/bin/uname ]]
	readers perf report -i /out/full --header-only -I
	has "# hostname : lab"
	[[ $output =~ bpf_prog_info\ [0-9]+:\ bpf_prog_[0-9a-f]{16}_enter_first\  ]]
	has "btf info of id "
	# A trace of user mode alone has no code of BPF programs in it.
	readers perf report -i /out/user --header-only -I
	[ -z "$(grep -E '^# (bpf_prog_info|btf info)' <<<"$output")" ]
	readers perf evlist -i /out/sampled
	has sched:sched_switch
}

# Where in the file each piece of trace lies: OFFSET SIZE.
pieces() { # capture
	readers perf script -i "/out/$1" --dump-raw-trace >&2
	sed -nE 's/^.* (0x[0-9a-f]+) \[(0x[0-9a-f]+)\]: PERF_RECORD_AUXTRACE size: (0x[0-9a-f]+) .*/\1 \2 \3/p' <<<"$output" |
		while read -r at header size; do echo $((at + header)) $((size)); done | awk '$2'
}

# Without perf, and with nothing of ours: the bytes alone.
@test "libipt reads all of the trace, packet by packet" {
	for name in full snapshot stream; do
		pieces $name >"$BATS_TEST_TMPDIR/pieces"
		[ -s "$BATS_TEST_TMPDIR/pieces" ]
		while read -r at size; do
			must ipt-packets "$DIR/$name/data" "$at" "$size"
			echo "$name: $size bytes: $output"
		done <"$BATS_TEST_TMPDIR/pieces"
		[[ $output =~ psb\ [1-9].*tnt\ [1-9].*tip\ [1-9] ]]
	done
}
