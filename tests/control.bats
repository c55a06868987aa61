#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# bats file_tags=lab
#
# The ways in which BPF moves the gate, in the lab: each one forced, what is said where one cannot be had, who holds a PMU
# that is busy, that nobody else who looks at the same events loses one, and that settings are put back whenever auxbpf is
# killed. Each kernel boots once; each test looks at what one part of it left in NAME.*.

load helpers

CALLS=200

trace() { # name auxbpf's arguments...
	local name=$1
	shift
	part "$name" auxbpf -v --on-syscall getsid -o "/out/$name.data" "$@"
}

# A perf record that runs until stop_perf.
start_perf() { # file perf's arguments...
	rm -f /tmp/perf-runs
	perf record -q -o "$@" -- sh -c 'touch /tmp/perf-runs; exec sleep 1000' 2>>/out/perf.stderr &
	PERF=$!
	wait_for /tmp/perf-runs
}

stop_perf() {
	kill -INT "$PERF"
	wait "$PERF"
}

# Everybody else who looks at the program `calls` while the command runs: perf, ftrace (an instance, and trace_pipe of the
# global buffer), and BPF programs, one of which prints.
observe() { # name command...
	local name=$1 t=/sys/kernel/tracing pipe event
	local i=$t/instances/others calls='id == 124 && comm == "calls"' switches='prev_comm == "calls"'
	shift
	bpftool prog loadall /src/build/tests/counter.bpf.o /sys/fs/bpf/others pinmaps /sys/fs/bpf/others_maps autoattach
	mkdir $i
	echo "$calls" >$i/events/raw_syscalls/sys_enter/filter
	echo "$calls" >$i/events/raw_syscalls/sys_exit/filter
	echo "$switches" >$i/events/sched/sched_switch/filter
	for event in raw_syscalls/sys_enter raw_syscalls/sys_exit sched/sched_switch bpf_trace/bpf_trace_printk; do
		echo 1 >$i/events/$event/enable
	done
	echo >$t/trace
	cat $t/trace_pipe >"/out/$name.trace_pipe" &
	pipe=$!
	start_perf "/tmp/$name.perf" -a -e raw_syscalls:sys_enter --filter "$calls" -e raw_syscalls:sys_exit --filter "$calls" \
		-e sched:sched_switch --filter "$switches" -e bpf_trace:bpf_trace_printk
	part "$name" "$@"
	sleep 0.5
	stop_perf
	kill $pipe
	cat $i/trace >"/out/$name.ftrace"
	rmdir $i
	bpftool -j map dump name counter.bss >"/out/$name.bpf"
	bpftool -j prog list >"/out/$name.programs"
	rm -r /sys/fs/bpf/others /sys/fs/bpf/others_maps
	perf script -i "/tmp/$name.perf" -F comm,event,trace >"/out/$name.perf" 2>>/out/perf.stderr
}

run_observed() {
	local way
	observe alone calls $CALLS
	for way in tracepoint breakpoint ioctl; do
		observe $way auxbpf -v --control $way --on-syscall getsid -o /out/$way.data -- calls $CALLS
	done
}

# With the event off in ftrace's global buffer, as auxbpf finds it.
run_unseen() {
	local way t=/sys/kernel/tracing pipe
	echo 0 >$t/events/bpf_trace/bpf_trace_printk/enable
	echo >$t/trace
	cat $t/trace_pipe >/out/unseen.trace_pipe &
	pipe=$!
	for way in tracepoint breakpoint ioctl; do
		trace unseen_$way --control $way -- calls $CALLS
		cat $t/events/bpf_trace/bpf_trace_printk/enable >/out/unseen_$way.enable
		part unseen_rule_$way auxbpf --control $way --snapshot-on exit -o /tmp/unseen_rule_$way -- true
		cat $t/events/bpf_trace/bpf_trace_printk/enable >/out/unseen_rule_$way.enable
	done
	echo 'the pipe works' >$t/trace_marker
	sleep 1
	kill $pipe
}

# shellcheck disable=SC2016 # for sh
run_not_to_be_had() {
	local way enable=/sys/kernel/tracing/events/bpf_trace/bpf_trace_printk/enable
	local watch=(-e mem:0xfffffffffffff000:w -e mem:0xfffffffffffff008:w -e mem:0xfffffffffffff010:w)
	trace no_kfunc --control kfunc -- calls 1
	start_perf /dev/null "${watch[@]}" -C 1
	trace taken --control breakpoint -- calls 1
	trace taken_elsewhere --control breakpoint -C 0 -- taskset -c 0 calls 20
	part list_taken auxbpf list
	stop_perf
	echo 0 >$enable
	for way in tracepoint breakpoint; do
		part no_tracefs_$way unshare --mount sh -c 'umount -l /sys/kernel/tracing; umount -l /sys/kernel/debug
			exec auxbpf -v --control "$1" --on-syscall getsid -o "/out/no_tracefs_$1.data" -- calls 20' - $way
	done
	part no_tracefs unshare --mount sh -c 'umount -l /sys/kernel/tracing; umount -l /sys/kernel/debug
		exec auxbpf -v --on-syscall getsid -o /out/no_tracefs.data -- calls 20'
	cat $enable >/out/no_tracefs.enable
	part list_no_tracefs unshare --mount sh -c 'umount -l /sys/kernel/tracing; umount -l /sys/kernel/debug
		exec auxbpf list'
}

run_list() {
	part list auxbpf list
	part list_json auxbpf list --json
	part list_not_root setpriv --reuid 1000 --clear-groups auxbpf list
	start_perf /tmp/busy.data -e intel_pt// -C 0
	part list_free auxbpf list
	stop_perf
	start_perf /tmp/busy.data -e intel_pt// -a
	part list_busy auxbpf list
	part list_busy_json auxbpf list --json
	stop_perf
}

# Who holds the PMU: perf on the CPU, perf on a task, another auxbpf. And two auxbpf that do not meet.
run_two() {
	local first sleeper
	start_perf /tmp/busy.data -e intel_pt// -C 1
	echo $PERF >/out/held_cpu.pid
	trace held_cpu -- calls 1
	trace held_other_cpu -C 0 -- taskset -c 0 calls 20
	stop_perf
	sleep 1000 &
	sleeper=$!
	start_perf /tmp/busy.data -e intel_pt//u --per-thread -p $sleeper
	echo $PERF >/out/held_task.pid
	trace held_task -C 0 -- calls 1
	stop_perf
	kill $sleeper
	trace first -C 0 -- sh -c 'touch /tmp/first-runs; until [ -e /tmp/go ]; do sleep 0.1; done
		exec taskset -c 0 calls 60' &
	first=$!
	wait_for /tmp/first-runs
	trace held_auxbpf -C 0 -- calls 1
	trace held_all -- calls 1
	trace second -C 1 -- sh -c 'touch /tmp/go; exec taskset -c 1 calls 40'
	wait $first
}

# Killed after the first, some and all programs are loaded: the setting is put back. At last without the guard, to see
# that it is needed.
run_killed() {
	local enable=/sys/kernel/tracing/events/bpf_trace/bpf_trace_printk/enable n loads
	local run=(auxbpf --control tracepoint --on-syscall getsid -o /tmp/killed.data -- true)
	echo 0 >$enable
	strace -f --seccomp-bpf -o /out/killed.calls -e trace=bpf "${run[@]}" 2>/dev/null
	mapfile -t loads < <(grep -n 'BPF_PROG_LOAD.*prog_name="on_' /out/killed.calls | cut -d: -f1)
	for n in "${loads[0]}" "${loads[${#loads[@]} / 2]}" "${loads[-1]}"; do
		part killed_$n strace -o /dev/null -e trace=bpf -e inject=bpf:signal=KILL:when=$((n + 1)) "${run[@]}"
		sleep 1
		cat $enable >>/out/killed.enable
	done
	part no_guard strace -f -o /dev/null -e trace=bpf,setsid -e inject=setsid:signal=KILL \
		-e inject=bpf:signal=KILL:when=$((n + 1)) "${run[@]}"
	sleep 1
	cat $enable >/out/no_guard.enable
	echo 0 >$enable
}

run_all() {
	set +e
	run_list
	run_two
	run_not_to_be_had
	run_killed
	run_unseen
	run_observed
}

# A kernel that cannot pause a trace.
run_old() {
	set +e
	part list auxbpf list
	part list_json auxbpf list --json
	part forced_tracepoint auxbpf --control tracepoint --on-syscall read -o /out/no.data -- true
	part forced_breakpoint auxbpf --control breakpoint --on-syscall read -o /out/no.data -- true
	part default auxbpf -v --on-syscall read -o /out/default.data -- dd if=/dev/zero of=/dev/null bs=128M count=1
	part forced_ioctl auxbpf -v --control ioctl --on-syscall read -o /out/ioctl.data -- dd if=/dev/zero of=/dev/null bs=128M count=1
	start_perf /tmp/busy.data -e intel_pt// -C 0
	part held auxbpf --on-syscall read -o /out/no.data -- true
	stop_perf
	observe alone calls $CALLS
	observe ioctl auxbpf -v --on-syscall getsid -o /out/observed.data -- calls $CALLS
}

setup_file() {
	requires build/trace-unit/pt.so build/tests/counter.bpf.o calls perf jq auxbpf
	local kernel
	for kernel in 6.1 6.12; do
		record_in_lab --kernel $kernel CALLS part wait_for start_perf stop_perf observe run_old
	done
	record_in_lab CALLS part trace wait_for start_perf stop_perf observe run_observed run_unseen run_not_to_be_had run_list \
		run_two run_killed run_all
}

# The number of windows that the part says.
windows_are() { # name number
	ended "$1" 0 "written to"
	local number
	number=$(sed -nE 's/.* ([0-9]+) windows? on CPU.*/\1/p' <<<"$output")
	[ "$number" -eq "$2" ] || { echo "$number windows, $2 were to be"; return 1; }
}

# How often the gate was moved in vain, all CPUs together.
refused() { # name
	sed -nE 's/.*refused ([0-9]+).*/\1/p' "$DIR/$1.stderr" | awk '{ sum += $1 } END { print sum + 0 }'
}

# In the list that the part printed.
listed() { # name way regular expression
	local line
	line=$(grep -E "^ +$2 " "$DIR/$1.stdout")
	echo "$1: $line"
	[[ $line =~ ^\ +$2\ +$3$ ]]
}

# What the other BPF user's programs counted.
counted() { # name counter
	jq ".[0].formatted.value[\".bss\"][] | .$2 // empty" "$DIR/$1.bpf"
}

# Times that the kernel skipped the program for a task because it was preempted inside it for another.
skipped() { # name program
	jq "[.[] | select(.name == \"$2\") | .recursion_misses // 0] | add" "$DIR/$1.programs"
}

# Everybody saw everything: each of the calls, and as many switches as the others.
undisturbed() { # name
	local name=$1 switches counter number missed
	ended "$name" 0
	[ "$(grep -c 'raw_syscalls:sys_enter' "$DIR/$name.perf")" -eq $CALLS ]
	[ "$(grep -c 'raw_syscalls:sys_exit' "$DIR/$name.perf")" -eq $CALLS ]
	[ "$(grep -c 'bpf_trace:bpf_trace_printk: *other$' "$DIR/$name.perf")" -eq $CALLS ]
	[ "$(grep -c ' sys_enter: ' "$DIR/$name.ftrace")" -eq $CALLS ]
	[ "$(grep -c ' sys_exit: ' "$DIR/$name.ftrace")" -eq $CALLS ]
	[ "$(grep -c ' bpf_trace_printk: other$' "$DIR/$name.ftrace")" -eq $CALLS ]
	[ "$(grep -c ' bpf_trace_printk: other$' "$DIR/$name.trace_pipe")" -eq $CALLS ]
	switches=$(grep -c ' sched_switch: ' "$DIR/$name.ftrace")
	[ "$switches" -ge $((CALLS / 10)) ]
	[ "$(grep -c 'sched:sched_switch' "$DIR/$name.perf")" -eq "$switches" ]
	for counter in btf raw classic; do
		for number in enter exit switch; do
			[ "$counter$number" != rawexit ] || continue
			missed=$(skipped "$name" "counter_${counter}_$number")
			echo "$name: $counter $number: $(counted "$name" "${counter}_$number"), skipped $missed"
			if [ $number = switch ]; then
				[ $(($(counted "$name" "${counter}_$number") + missed)) -ge "$switches" ]
			else
				[ "$(counted "$name" "${counter}_$number")" -le $CALLS ]
				[ $(($(counted "$name" "${counter}_$number") + missed)) -ge $CALLS ]
			fi
		done
	done
}

# Nothing that was not there before is in anybody's view, but the strings of the tracepoint way.
adds_nothing() { # name
	local file
	for file in perf ftrace trace_pipe; do
		[ "$(grep -c bpf_trace_printk "$DIR/$1.$file")" -eq $CALLS ]
	done
}

@test "the observers see everything when nobody traces" {
	undisturbed alone
	adds_nothing alone
}

@test "tracepoint: every window, nobody disturbed, and its own strings are all that is added" {
	windows_are tracepoint $CALLS
	[ "$(refused tracepoint)" -eq 0 ]
	undisturbed tracepoint
	local strings
	strings=$(grep -c 'bpf_trace_printk: [+-]' "$DIR/tracepoint.trace_pipe")
	[ "$strings" -ge $((2 * CALLS)) ]
	[ "$(grep -c bpf_trace_printk "$DIR/tracepoint.trace_pipe")" -eq $((CALLS + strings)) ]
}

@test "breakpoint: every window, nobody disturbed, nothing added" {
	windows_are breakpoint $CALLS
	[ "$(refused breakpoint)" -eq 0 ]
	undisturbed breakpoint
	adds_nothing breakpoint
}

@test "ioctl: every window, nobody disturbed, nothing added, and it says that it is late" {
	windows_are ioctl $CALLS
	ended ioctl 0 "it opens and closes late"
	undisturbed ioctl
	adds_nothing ioctl
}

@test "nothing of it is in trace_pipe if the event was off" {
	local way
	for way in tracepoint breakpoint ioctl; do
		windows_are unseen_$way $CALLS
		[ "$(<"$DIR/unseen_$way.enable")" = 0 ]
		ended unseen_rule_$way 0 "1 snapshot in"
		[ "$(<"$DIR/unseen_rule_$way.enable")" = 0 ]
	done
	cat "$DIR/unseen.trace_pipe"
	[ "$(wc -l <"$DIR/unseen.trace_pipe")" -eq 1 ]
	grep -q 'the pipe works' "$DIR/unseen.trace_pipe"
}

@test "kfunc: this kernel has none" {
	ended no_kfunc 1 "--control kfunc does not work here: this kernel has no bpf_perf_event_aux_pause()"
}

@test "breakpoint: debug registers that others hold, on a CPU that is to be traced" {
	ended taken 1 "--control breakpoint does not work here: CPU 1 has no two free debug registers"
	listed list_taken breakpoint 'no: CPU 1 has no two free debug registers: .*'
	listed list_taken tracepoint 'yes, the default here'
	windows_are taken_elsewhere 20
}

@test "without tracefs: no tracepoint, the breakpoint is taken instead" {
	ended no_tracefs_tracepoint 1 "--control tracepoint does not work here: tracefs is out of reach; mount it: mount -t tracefs"
	windows_are no_tracefs_breakpoint 20
	windows_are no_tracefs 20
	# It could not be put back from there.
	[ "$(<"$DIR/no_tracefs.enable")" = 0 ]
	listed list_no_tracefs tracepoint 'no: tracefs is out of reach.*'
	listed list_no_tracefs breakpoint 'yes, the default here'
}

@test "list: terms, caps and ways of this kernel, in words and in JSON" {
	ended list 0
	grep -qE '^intel_pt \(type [0-9]+\)$' "$DIR/list.stdout"
	grep -qE '^ +tsc +config:10$' "$DIR/list.stdout"
	grep -qE '^ +psb_cyc +1$' "$DIR/list.stdout"
	listed list kfunc 'no: this kernel has no bpf_perf_event_aux_pause\(\)'
	listed list tracepoint 'yes, the default here'
	listed list breakpoint yes
	listed list ioctl yes
	ended list_json 0
	must jq -e '.trace_pmus[0] | .name == "intel_pt" and .terms.tsc == "config:10" and .caps.psb_cyc == "1" and
		[.control[].works] == [false, true, true, true] and .default_control == "tracepoint" and .held_by == []' \
		"$DIR/list_json.stdout"
	must jq -e '.other_pmus | contains(["cpu", "software"])' "$DIR/list_json.stdout"
}

@test "list: where the PMU is busy, a CPU where it is free is enough; if there is none, who holds it" {
	listed list_free tracepoint 'yes, the default here'
	ended list_busy 1
	listed list_busy kfunc 'no: this kernel has no .*'
	listed list_busy tracepoint 'cannot tell: intel_pt is busy on CPU [01]'
	listed list_busy ioctl 'cannot tell: intel_pt is busy on CPU [01]'
	grep -qE '^  held by perf \(pid [0-9]+\)$' "$DIR/list_busy.stdout"
	must jq -e '.trace_pmus[0] | [.control[].works] == [false, null, null, null] and .held_by[0].comm == "perf" and
		(has("default_control") | not)' "$DIR/list_busy_json.stdout"
}

@test "list: as another user than root" {
	ended list_not_root 1
	listed list_not_root tracepoint 'no: not permitted to open intel_pt; run as root'
	grep -qE '^ +tsc +config:10$' "$DIR/list_not_root.stdout"
}

@test "a PMU that is busy: who holds it, on that CPU or by tracing a task" {
	ended held_cpu 1 "intel_pt is busy on CPU 1: held by perf (pid $(<"$DIR/held_cpu.pid")); end that one"
	windows_are held_other_cpu 20
	ended held_task 1 "intel_pt is busy on CPU 0: held by perf (pid $(<"$DIR/held_task.pid")); end that one"
}

@test "two auxbpf at once: on the same CPU the second says who holds it, on others both trace what is theirs" {
	ended held_auxbpf 1 "intel_pt is busy on CPU 0: held by auxbpf (pid "
	ended held_all 1 "intel_pt is busy on CPU 0: held by auxbpf (pid "
	windows_are first 60
	windows_are second 40
}

@test "the setting of bpf_trace_printk is put back wherever auxbpf is killed while it loads" {
	grep prog_name "$DIR/killed.calls"
	cat "$DIR/killed.enable"
	[ "$(wc -l <"$DIR/killed.enable")" -eq 3 ]
	[ "$(sort -u "$DIR/killed.enable")" = 0 ]
	cat "$DIR"/killed_*.status
	[ "$(sort -u "$DIR"/killed_*.status)" = 137 ]
	[ "$(<"$DIR/no_guard.enable")" = 1 ]
}

# Of a kernel that cannot pause a trace.
old_kernel() { # version why
	DIR=$BATS_FILE_TMPDIR/out-$1
	ended list 0
	listed list kfunc 'no: this kernel has no bpf_perf_event_aux_pause\(\)'
	listed list tracepoint "no: $2"
	listed list breakpoint "no: $2"
	listed list ioctl 'yes, the default here'
	must jq -e '.trace_pmus[0] | [.control[].works] == [false, false, false, true] and .default_control == "ioctl"' \
		"$DIR/list_json.stdout"
	ended forced_tracepoint 1 "--control tracepoint does not work here: "
	ended forced_breakpoint 1 "--control breakpoint does not work here: "
	ended held 1 "intel_pt is busy on CPU 0: held by perf (pid "
	local name
	for name in default forced_ioctl; do
		ended $name 0 "it opens and closes late" "written to"
	done
	for name in default ioctl; do
		decode_branches "$DIR" $name.data
		[ "$(grep -c 'instruction trace error' "$DIR/$name.data.branches")" -eq 0 ]
		[ "$(wc -l <"$DIR/$name.data.branches")" -gt 1000 ]
	done
	undisturbed alone
	undisturbed ioctl
	adds_nothing ioctl
}

@test "Linux 6.12, whose drivers cannot pause: ioctl" {
	old_kernel 6.12 'the driver of intel_pt in this kernel cannot pause the trace \(no PERF_PMU_CAP_AUX_PAUSE\)'
}

@test "Linux 6.1, which cannot pause: ioctl" {
	old_kernel 6.1 'this kernel cannot pause a trace; Linux 6.13 and later can'
}
