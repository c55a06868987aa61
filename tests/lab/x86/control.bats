#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# The ways in which BPF moves the gate, in the lab: each one forced, what is said where one cannot be had, who holds a PMU
# that is busy, that nobody else who looks at the same events loses one, and that settings are put back whenever auxbpf is
# killed. The guest boots once; each test looks at what one part of it left in NAME.*. Older kernels: old_kernels.bats.

load ../../lib/helpers
load ../../lib/control

# One way of each kind stays; what takes longest is to be killed late, by strace.
LONG="breakpoint ioctl unseen_breakpoint unseen_rule_breakpoint unseen_ioctl unseen_rule_ioctl list_free no_tracefs_breakpoint
	registers_triggers registers_both_ioctl registers_both_after registers_triggers_after registers_functions registers_gate
	killed_last no_guard meanwhile"

trace() { # name auxbpf's arguments...
	local name=$1
	shift
	part "$name" auxbpf -v --on-syscall getsid -o "/out/$name.data" "$@"
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
	wait_until grep -q 'the pipe works' /out/unseen.trace_pipe
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
	left_out list_free || {
		start_perf /tmp/busy.data -e intel_pt// -C 0
		part list_free auxbpf list
		stop_perf
	}
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

# With the arguments of a session: how many debug registers of a CPU are left, on all CPUs alike.
REGISTERS=(
	"windows|--on-syscall getsid"
	"triggers|--snapshot-on oom"
	"both|--on-syscall getsid --snapshot-on oom"
	"both_ioctl|--control ioctl --on-syscall getsid --snapshot-on oom"
	"both_after|--on-syscall getsid --snapshot-on oom --after 1ms"
	"triggers_after|--snapshot-on oom --after 1ms"
	"functions|--on-function vfs_unlink"
	"gate|--control breakpoint --on-function vfs_unlink"
	"gate_both|--control breakpoint --on-syscall getsid --snapshot-on oom"
)
free_registers() {
	local i watch=()
	for i in 0 1 2 3; do watch+=(-e "mem:0x$(printf %x $((0xfffffffffffff000 + 8 * i))):w"); done
	perf stat -x, -a "${watch[@]}" true 2>&1 | grep -c '^0,'
}

run_registers() {
	local each
	free_registers >/out/registers_none
	for each in "${REGISTERS[@]}"; do
		# shellcheck disable=SC2086 # several words
		part "registers_${each%|*}" auxbpf ${each#*|} -o "/tmp/registers_${each%|*}" -- \
			bash -c "$(declare -f free_registers); free_registers"
	done
	start_perf /dev/null -a -e mem:0xfffffffffffff000:w -e mem:0xfffffffffffff008:w -e mem:0xfffffffffffff010:w
	part registers_one_left auxbpf -v --on-syscall getsid --snapshot-on 'syscall:getsid ret >= 0' --spare 4 \
		-o /tmp/registers_one_left -- calls 3
	start_fourth
	part registers_none_left auxbpf -v --on-syscall getsid --snapshot-on 'syscall:getsid ret >= 0' --spare 4 \
		-o /tmp/registers_none_left -- calls 3
	stop_perf
	PERF=$THREE stop_perf
}

start_fourth() {
	THREE=$PERF
	start_perf /dev/null -a -e mem:0xfffffffffffff018:w
}

# Killed after the first, some and all programs are loaded: the setting is put back. At last without the guard, to see
# that it is needed.
run_killed() {
	local enable=/sys/kernel/tracing/events/bpf_trace/bpf_trace_printk/enable n loads ends
	local run=(auxbpf --control tracepoint --on-syscall getsid -o /tmp/killed.data -- true)
	echo 0 >$enable
	strace -f --seccomp-bpf -o /out/killed.calls -e trace=bpf "${run[@]}" 2>/dev/null
	mapfile -t loads < <(grep -n 'BPF_PROG_LOAD.*prog_name="on_' /out/killed.calls | cut -d: -f1)
	ends=("${loads[0]}" "${loads[${#loads[@]} / 2]}")
	left_out killed_last || ends+=("${loads[-1]}")
	for n in "${ends[@]}"; do
		part killed_$n strace -o /dev/null -e trace=bpf -e inject=bpf:signal=KILL:when=$((n + 1)) "${run[@]}"
		wait_until grep -qx 0 $enable
		cat $enable >>/out/killed.enable
	done
	part no_guard strace -f -o /dev/null -e trace=bpf,setsid -e inject=setsid:signal=KILL \
		-e inject=bpf:signal=KILL:when=$((n + 1)) "${run[@]}"
	sleep 1
	cat $enable >/out/no_guard.enable
	echo 0 >$enable
	! left_out meanwhile || return 0
	# Stopped behind the first load, while somebody else switches the event on.
	part meanwhile strace -o /out/meanwhile.calls -e trace=bpf -e inject=bpf:signal=STOP:when=$((loads[0] + 1)) \
		"${run[@]}" &
	wait_until grep -q 'stopped by SIGSTOP' /out/meanwhile.calls
	echo 1 >$enable
	pkill -CONT -x auxbpf
	wait $!
	cat $enable >/out/meanwhile.enable
	echo 0 >$enable
}

# What a session has in the kernel, beside its own descriptors, and in the memory of a process at its function HANDLE.
kernel_state() { # pid
	bpftool prog list | grep -oE '^[0-9]+: .* name [a-z_0-9]+' | sed 's/^[0-9]*: //' | sort
	echo "links $(bpftool link list | grep -c '^[0-9]'), maps $(bpftool map list | grep -c '^[0-9]')"
	echo "functions: $(cut -d ' ' -f 1 /sys/kernel/tracing/enabled_functions | xargs), probes: $(cut -c 17- /sys/kernel/debug/kprobes/list | xargs)"
	echo "handle: $(dd if="/proc/$1/mem" bs=1 skip=$((HANDLE)) count=1 2>/dev/null | od -An -tx1)"
	echo "bpf_trace_printk: $(cat /sys/kernel/tracing/events/bpf_trace/bpf_trace_printk/enable)"
	echo "debug registers: $(perf stat -x, -a -e mem:0xfffffffffffff000:w -e mem:0xfffffffffffff008:w \
		-e mem:0xfffffffffffff010:w -e mem:0xfffffffffffff018:w true 2>&1 | cut -d, -f1 | xargs)"
}

same_state() { # pid
	kernel_state "$1" >/out/armed.after
	cmp -s /out/armed.before /out/armed.after
}

no_programs() {
	! bpftool prog list | grep -q ' name on_'
}

# Killed with windows in functions and rules of all kinds, which it watches in a process that goes on.
run_killed_armed() {
	local target
	echo 0 >/sys/kernel/tracing/events/bpf_trace/bpf_trace_printk/enable
	trigger_cases --case function --count 1000000 --gap 100 >/dev/null &
	target=$!
	sleep 1
	# Those that were killed before are gone.
	wait_until no_programs
	kernel_state $target >/out/armed.before
	auxbpf --on-syscall getsid --on-function vfs_unlink --on-function trigger_cases:handle \
		--snapshot-on 'exit code == 3' --snapshot-on 'syscall:getsid ret < 0' --snapshot-on 'offcpu > 100s' \
		--snapshot-on function:vfs_mkdir --snapshot-on 'function:trigger_cases:handle latency > 100s' \
		--snapshot-on 'tracepoint:signal:signal_generate sig == 12' -o /tmp/killed_armed -p $target 2>/out/armed.stderr &
	wait_until grep -q 'auxbpf: armed' /out/armed.stderr
	kernel_state $target >/out/armed.while
	kill -KILL $!
	wait $!
	wait_until same_state $target
	kill $target
}

# The thread that moves the gate is stopped while windows come and go.
run_dropped() {
	trace dropped --control ioctl -- sh -c 'kill -STOP $PPID; taskset -c 1 calls 5000; kill -CONT $PPID'
}

run_all() {
	set +e
	run_list
	run_two
	run_not_to_be_had
	run_registers
	run_killed
	run_killed_armed
	run_dropped
	run_unseen
	run_observed
}

setup_file() {
	requires build/trace-unit/pt.so build/tests/counter.bpf.o calls trigger_cases function_cases perf jq auxbpf
	HANDLE=0x$(nm "$AUXBPF_ROOT/build/tests/trigger_cases" | awk '$3 == "handle" { print $1 }')
	record_in_lab --timeout "$(quick_or 900 2400)" CALLS HANDLE part trace start_perf stop_perf observe run_observed run_unseen run_not_to_be_had \
		run_list run_two REGISTERS free_registers start_fourth run_registers run_killed kernel_state same_state no_programs run_killed_armed run_dropped run_all
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

# bats test_tags=long
@test "breakpoint: every window, nobody disturbed, nothing added" {
	windows_are breakpoint $CALLS
	[ "$(refused breakpoint)" -eq 0 ]
	undisturbed breakpoint
	adds_nothing breakpoint
}

# bats test_tags=long
@test "ioctl: every window, nobody disturbed, nothing added, and it says that it is late" {
	windows_are ioctl $CALLS
	ended ioctl 0 "it opens and closes late"
	undisturbed ioctl
	adds_nothing ioctl
}

@test "nothing of it is in trace_pipe if the event was off" {
	local way
	for way in tracepoint breakpoint ioctl; do
		! left_out unseen_$way || continue
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

# One for windows and triggers together, which see by it what the kernel skips; two if they are the gate; the others are left
# to gdb and perf.
@test "how many of the four debug registers each kind of session takes" {
	local name left
	[ "$(<"$DIR/registers_none")" -eq 4 ]
	while read -r name left; do
		! left_out "registers_$name" || continue
		ended "registers_$name" 0
		[ "$(<"$DIR/registers_$name.stdout")" -eq "$left" ]
	done <<-END
		windows 3
		triggers 3
		both 3
		both_ioctl 3
		both_after 3
		triggers_after 4
		functions 4
		gate 2
		gate_both 2
	END
}

# The windows of all CPUs, as -v tells.
began() { # name
	sed -nE 's/.*: windows ([0-9]+), .*/\1/p' "$DIR/$1.stderr" | awk '{ sum += $1 } END { print sum + 0 }'
}

@test "one debug register is enough for windows and triggers; without one they have spares" {
	ended registers_one_left 0 'programs of system calls: preempted, without spares' 'seen 3 times'
	nothing < <(grep 'no breakpoint' <<<"$output")
	ended registers_none_left 0 'programs of system calls: preempted, with spares' 'seen 3 times' 'no breakpoint where'
	[ "$(began registers_one_left)" -eq 3 ]
	[ "$(began registers_none_left)" -eq 3 ]
}

@test "without tracefs: no tracepoint, the breakpoint is taken instead" {
	ended no_tracefs_tracepoint 1 "--control tracepoint does not work here: tracefs is out of reach; mount it: mount -t tracefs"
	left_out no_tracefs_breakpoint || windows_are no_tracefs_breakpoint 20
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
	left_out list_free || listed list_free tracepoint 'yes, the default here'
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
	[ "$(wc -l <"$DIR/killed.enable")" -eq "$(quick_or 2 3)" ]
	[ "$(sort -u "$DIR/killed.enable")" = 0 ]
	cat "$DIR"/killed_*.status
	[ "$(sort -u "$DIR"/killed_*.status)" = 137 ]
	left_out no_guard || [ "$(<"$DIR/no_guard.enable")" = 1 ]
}

# bats test_tags=long
@test "bpf_trace_printk stays on if somebody switches it on while programs are loaded" {
	grep -A1 SIGSTOP "$DIR/meanwhile.calls"
	ended meanwhile 0
	[ "$(<"$DIR/meanwhile.enable")" = 1 ]
}

@test "nothing is left in the kernel of windows in functions and of rules, if auxbpf is killed" {
	cat "$DIR/armed.before" "$DIR/armed.stderr"
	grep -q '^debug registers: ' "$DIR/armed.before"
	[ "$(wc -l <"$DIR/armed.before")" -ge 5 ]
	# It was there: each of these lines is another one then.
	diff "$DIR/armed.before" "$DIR/armed.while" >"$DIR/armed.diff" || true
	cat "$DIR/armed.diff"
	for line in '> .* name on_' '> links' '> functions' '> handle' '> debug'; do grep -q "^$line" "$DIR/armed.diff"; done
	diff "$DIR/armed.before" "$DIR/armed.after"
}

@test "messages for which the ring buffer has no room are counted, and said" {
	ended dropped 0 'messages to auxbpf were lost: the ring buffer was full'
	[[ $output =~ CPU\ 1:\ ([0-9]+)\ messages ]]
	# Of 5000 windows at both ends, all but what the 64 KiB of the ring hold, 16 bytes each.
	[ "${BASH_REMATCH[1]}" -ge $((2 * 5000 - 4096 - 100)) ]
	[ "${BASH_REMATCH[1]}" -le $((2 * 5000)) ]
}
