#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Regular events beside a trace, and with the trace in their samples: the trace in the snapshot is what ran, the samples are
# those of the windows. One boot makes all recordings; each test looks at one.

load ../../lib/helpers

ROUNDS=50
LONG=clock

# In the guest. The snapshot is all that there was.
record() { # name phase options...
	local name=$1 phase=$2
	shift 2
	part "$name" oracle-mark run --again --traced --phase "$phase" -- auxbpf -v -o "/out/$name" --lookback all --snapshot-on end "$@" -- \
		taskset -c 1 sample_cases "$ROUNDS"
	left_out "$name" || mv "/out/$name/"*.data "/out/$name/snapshot"
}

record_all() {
	oracle-mark run -- true # sets the kernel's symbols
	record both 21 -e cpu-clock,intel_pt//k,syscalls:sys_exit_newuname -e syscalls:sys_exit_getsid --on-syscall uname
	# A CPU that waits for a lock, whose owner is not running, has very many branches between two samples.
	record inside 22 --aux-sample=32K -M 4M -e intel_pt//k -e syscalls:sys_exit_newuname,syscalls:sys_exit_getsid --on-syscall uname
	record clock 23 -M 64K --aux-sample=2K -e intel_pt//u -e cpu-clock:u --on-function /src/build/tests/sample_cases:inside
	part chains auxbpf -o /out/chains -g -e sched:sched_process_exit:k --lookback all --snapshot-on end -- true
	perf script -i /out/chains/*.data -F event,ip,sym >/out/chains.text 2>/out/chains.said </dev/null
}

setup_file() {
	requires build/trace-unit/pt.so oracle-check build/tests/oracle-mark sample_cases scripts/lab auxbpf
	record_in_lab --oracle ROUNDS record part record_all
}

# What perf shows of a recording: branches to NAME.branches, regular events to NAME.events.
decode() { # name
	local name=$1
	lab host --out "$DIR" -- perf script -i "/out/$name/snapshot" --itrace=be -F hw:cpu,event,ip,addr -F sw:comm,cpu,time,event,ip,sym \
		-F trace:comm,cpu,time,event >"$DIR/$name.text" 2>"$DIR/$name.said" || {
		cat "$DIR/$name.said"
		return 1
	}
	grep -E 'branches|error' "$DIR/$name.text" >"$DIR/$name.branches"
	grep -vE 'branches|error' "$DIR/$name.text" >"$DIR/$name.events" || true
	head -n 3 "$DIR/$name.branches" "$DIR/$name.events"
}

events() { # name text
	grep -c -- "$2" "$DIR/$1.events" || true
}

@test "beside a trace: both are of the windows" {
	ended both 3 " bytes of trace, "
	decode both
	must oracle-check decode --oracle "$DIR/oracle" --script "$DIR/both.branches" --kallsyms "$DIR/both/snapshot/kcore_dir/kallsyms" \
		--phase 21
	[ "$(events both 'sample_cases.*syscalls:sys_exit_newuname')" -eq "$ROUNDS" ]
	[ "$(events both 'syscalls:sys_exit_getsid')" -eq 0 ]
	[ "$(events both '')" -eq "$(events both sample_cases)" ]
}

@test "trace in samples: what led to each is what ran" {
	ended inside 3 "samples, end"
	decode inside
	must oracle-check snapshots --oracle "$DIR/oracle" --kallsyms "$DIR/inside/snapshot/kcore_dir/kallsyms" --phase 22 "$DIR/inside.branches"
	[ "$(events inside 'sample_cases.*syscalls:sys_exit_newuname')" -eq "$ROUNDS" ]
	[ "$(events inside 'syscalls:sys_exit_getsid')" -eq 0 ]
	# Each window is in the sample at its end and in those that follow.
	[ "$(grep -c branches "$DIR/inside.branches")" -gt $((ROUNDS * 100)) ]
}

# bats test_tags=long
@test "trace in samples of a clock" {
	ended clock 3 "samples, end"
	decode clock
	[ "$(events clock 'burn_inside')" -gt 0 ]
	[ "$(grep -c branches "$DIR/clock.branches")" -gt 1000 ]
	! grep -m 3 error "$DIR/clock.branches"
}

@test "call chains in the guest" {
	ended chains 0
	cat "$DIR/chains.said"
	grep do_exit "$DIR/chains.text"
}
