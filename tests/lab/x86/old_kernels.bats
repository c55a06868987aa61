#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Kernels that cannot pause a trace, or only since they were released, in the lab: the ways in which BPF moves the gate there,
# that nobody else loses an event, and each thing that a session can be, in short.

load ../../lib/helpers
load ../../lib/control
load ../../lib/rules

# In make test each of these kernels is shown to work, and no more.
LONG="forced_tracepoint forced_breakpoint forced_ioctl held alone ioctl modes"

# All else that a session can be, each in short.
# shellcheck disable=SC2016 # for the traced shell
run_modes() {
	run_rules mode_rules auxbpf -e intel_pt//k
	part mode_functions auxbpf -v --archive --on-function vfs_read --on-function function_cases:window_outer \
		-o /out/mode_functions -- sh -c 'dd if=/dev/zero of=/dev/null bs=128M count=1 2>&1; function_cases sleep'
	part mode_range auxbpf -v -a -e intel_pt//k --on-range sched:sched_waking,sched:sched_wakeup --on-range irq:softirq_entry,irq:softirq_exit \
		-o /out/mode_range -- sh -c 'for i in $(seq 20); do sleep 0.02; done'
	part mode_stream auxbpf -v --archive --stream --on-syscall read -o /out/mode_stream -- \
		dd if=/dev/zero of=/dev/null bs=128M count=1
	part mode_events auxbpf -v -e cpu-clock -e sched:sched_process_exit --scope all --lookback all --snapshot-on 'exit code == 3' \
		--snapshot-on 'softirq latency > 1000s' --snapshot-on 'irq latency > 1000s' -o /out/mode_events -- sh -c '/bin/true; exit 3'
	# All CPUs have been idle before, for longer than a clock goes on in one before it is throttled.
	part mode_aux auxbpf -v --aux-sample=2K -M 32M -e intel_pt//k -e syscalls:sys_exit_newuname,cpu-clock/freq=1000/ \
		--lookback all --snapshot-on end -o /out/mode_aux -- sh -c 'sleep 2; sample_cases 50'
}

# A kernel that cannot pause a trace, or only since it was released.
run_old() {
	set +e
	part list auxbpf list
	part list_json auxbpf list --json
	part forced_tracepoint auxbpf --control tracepoint --on-syscall read -o /out/no.data -- true
	part forced_breakpoint auxbpf --control breakpoint --on-syscall read -o /out/no.data -- true
	part default auxbpf -v --on-syscall read -o /out/default.data -- dd if=/dev/zero of=/dev/null bs=128M count=1
	part forced_ioctl auxbpf -v --control ioctl --on-syscall read -o /out/ioctl.data -- dd if=/dev/zero of=/dev/null bs=128M count=1
	left_out held || {
		start_perf /tmp/busy.data -e intel_pt// -C 0
		part held auxbpf --on-syscall read -o /out/no.data -- true
		stop_perf
	}
	observe alone calls $CALLS
	observe ioctl auxbpf -v --control ioctl --on-syscall getsid -o /out/observed.data -- calls $CALLS
	left_out modes || run_modes
}

setup_file() {
	requires build/trace-unit/pt.so build/tests/counter.bpf.o calls trigger_cases function_cases sample_cases perf jq auxbpf
	local kernel
	for kernel in 6.1 6.12; do
		record_in_lab --kernel $kernel CALLS RULES part start_perf stop_perf observe make_taken run_rules run_modes run_old
	done
}

# Of an older kernel, whatever its driver can.
old_kernel() { # version
	DIR=$BATS_FILE_TMPDIR/out-$1
	ended list 0
	listed list kfunc 'no: this kernel has no bpf_perf_event_aux_pause\(\)'
	local name
	for name in default ioctl; do
		! left_out $name || continue
		decode_branches "$DIR" $name.data
		[ "$(grep -c 'instruction trace error' "$DIR/$name.data.branches")" -eq 0 ]
		[ "$(wc -l <"$DIR/$name.data.branches")" -gt 1000 ]
	done
	! left_out held || return 0
	ended held 1 "intel_pt is busy on CPU 0: held by perf (pid "
	ended forced_ioctl 0 "it opens and closes late" "written to"
	undisturbed alone
	undisturbed ioctl
	adds_nothing ioctl
}

# A capture decodes to this many branches at least, without an error, and comes to these functions.
decodes() { # capture branches function...
	local name=$1 least=$2 function
	shift 2
	script_in_lab "$DIR" "$name" --itrace=be -F hw:event,ip,sym,addr -F sw:event >"$DIR/$name.decoded" 2>"$DIR/$name.said" || {
		cat "$DIR/$name.said"
		return 1
	}
	echo "$name: $(grep -c '=>' "$DIR/$name.decoded") branches"
	[ "$(grep -c '=>' "$DIR/$name.decoded")" -ge "$least" ]
	[ "$(grep -c 'instruction trace error' "$DIR/$name.decoded")" -eq 0 ]
	for function; do grep -qE "=> +[0-9a-f]+ $function( |\$)" "$DIR/$name.decoded"; done
}

# What run_modes left; of 50 calls so many have a sample at least, and of the windows these functions are there. Where the gate
# opens late some calls are before it, and so may be the begin of any window: what comes again until its end is there.
all_modes_work() { # samples function...
	local samples=$1 each snapshots
	shift
	each_rule_held_once mode_rules
	mapfile -t snapshots < <(jq -r .snapshot "$DIR/mode_rules/index.ndjson")
	for each in "${snapshots[@]}"; do decodes "mode_rules/$each" 100; done
	ended mode_functions 0 '10 windows on CPU'
	decodes mode_functions 10000 "$@"
	ended mode_range 0 ' windows on CPU' 'only interrupts came to the tracepoint irq:softirq_entry'
	decodes mode_range 1000
	ended mode_stream 0 '2 windows on CPU'
	decodes mode_stream 10000 "$1"
	ended mode_events 3 'samples, exit code == 3' 'softirq latency > 1000s: seen 0 times' ' irq latency > 1000s: seen 0 times'
	lab host --out "$DIR" -- perf script -i "/out/mode_events/$(jq -r .snapshot "$DIR/mode_events/index.ndjson")" \
		-F comm,event,trace >"$DIR/events.text"
	grep -qE 'sched:sched_process_exit: comm=true ' "$DIR/events.text"
	grep -qE '^ *sh +cpu-clock' "$DIR/events.text"
	aux_samples_work "$samples"
}

aux_samples_work() { # samples
	local snapshot calls
	ended mode_aux 3 'samples, end'
	snapshot=mode_aux/$(jq -r .snapshot "$DIR/mode_aux/index.ndjson")
	lab host --out "$DIR" -- perf script -i "/out/$snapshot" --no-itrace -F comm,event >"$DIR/aux.text"
	sort "$DIR/aux.text" | uniq -c
	calls=$(grep -c 'sample_cases.*syscalls:sys_exit_newuname' "$DIR/aux.text")
	[ "$calls" -ge "$1" ]
	[ "$calls" -le 50 ]
	[ "$(grep -c 'sample_cases.*cpu-clock' "$DIR/aux.text")" -gt 10 ]
	decodes "$snapshot" 1000
}

@test "Linux 6.12, whose driver can pause since 6.12.117 or before: tracepoint, and ioctl if wanted" {
	old_kernel 6.12
	listed list tracepoint 'yes, the default here'
	listed list breakpoint yes
	listed list ioctl yes
	must jq -e '.trace_pmus[0] | [.control[].works] == [false, true, true, true] and .default_control == "tracepoint"' \
		"$DIR/list_json.stdout"
	ended default 0 "written to"
	! left_out forced_tracepoint || return 0
	ended forced_tracepoint 0 "written to"
	ended forced_breakpoint 0 "written to"
}

@test "Linux 6.1, which cannot pause: ioctl" {
	local why='this kernel cannot pause a trace; Linux 6.13 and later can'
	old_kernel 6.1
	listed list tracepoint "no: $why"
	listed list breakpoint "no: $why"
	listed list ioctl 'yes, the default here'
	must jq -e '.trace_pmus[0] | [.control[].works] == [false, false, false, true] and .default_control == "ioctl"' \
		"$DIR/list_json.stdout"
	ended default 0 "it opens and closes late" "written to"
	! left_out forced_tracepoint || return 0
	ended forced_tracepoint 1 "--control tracepoint does not work here: $why"
	ended forced_breakpoint 1 "--control breakpoint does not work here: $why"
}

# bats test_tags=long
@test "Linux 6.12: rules, functions, tracepoints, the full trace, events and trace in samples" {
	DIR=$BATS_FILE_TMPDIR/out-6.12
	all_modes_work 50 vfs_read window_outer
}

# bats test_tags=long
@test "Linux 6.1: rules, functions, tracepoints, the full trace, events and trace in samples" {
	DIR=$BATS_FILE_TMPDIR/out-6.1
	all_modes_work 1 read_zero
}
