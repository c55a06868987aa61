#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Rules on functions and on tracepoints: they fire when their condition holds and only then, tell with what values, and
# the trace ends there. One boot makes all recordings; each test looks at one.

load ../../lib/helpers

# name, phase of the oracle's log, case of trigger_cases with its options, rule. On one CPU: where the call is noted, there it is.
CASES=(
	"kernel_entry 60|--case write --cpu 1 --count 6 --jitter|function:vfs_write arg2 >= 1m"
	"kernel_return 61|--case write --cpu 1 --count 6 --jitter|function:write_null ret >= 1m && latency < 10s"
	"user_entry 62|--case function --cpu 1 --count 6 --jitter|function:trigger_cases:handle arg0 >= 30000000"
	"user_return 63|--case function --cpu 1 --count 3 --jitter --threshold 200000|function:trigger_cases:handle latency > 200ms"
	"signal 64|--case signal --cpu 1 --count 6 --jitter|tracepoint:signal:signal_generate event.sig == SIGUSR1 && group == 0"
	"fork 65|--case fork --cpu 1 --count 3|tracepoint:sched:sched_process_fork child_pid > 1"
	"switch 66|--case offcpu --count 3|tracepoint:sched:sched_switch event.prev_state == 1"
)

LONG="kernel_entry user_entry fork entries nested submits pinned0 hidden behind"

# In the guest. The pause between two occurrences is longer than a copy takes, and there is room for all of them.
record() { # name phase options rule
	local name=$1 phase=$2 options=$3 rule=$4
	# shellcheck disable=SC2086 # words
	part "$name" oracle-mark run --again --traced --phase "$phase" -- auxbpf --spare 4 -o "/out/$name" --snapshot-on "$rule" -- \
		trigger_cases $options --gap 1000
}

record_all() {
	local case name phase options rule
	oracle-mark run -- true # sets the kernel's symbols
	for case in "${CASES[@]}"; do
		IFS='|' read -r name options rule <<<"$case"
		read -r name phase <<<"$name"
		record "$name" "$phase" "$options" "$rule"
	done
	run_rules
	run_skips
	run_hidden_skips
	run_afters
	run_submits
	run_pinned 0
	run_pinned 1
	complain >/out/complaints 2>&1 || true
	dmesg | grep -E 'BUG:|WARNING:|Oops' || true
}

# Several rules at once: on one function, on one tracepoint, on two; a function that nobody calls, and one that calls
# itself.
run_rules() {
	part several auxbpf --spare 4 -o /out/several --snapshot-on 'function:trigger_cases:handle latency > 1000s' \
		--snapshot-on 'function:trigger_cases:handle' --snapshot-on 'function:trigger_cases:handle arg0 == 1' \
		--snapshot-on 'function:ksys_sync' -- trigger_cases --case function --count 2 --gap 1000
	part both auxbpf -o /out/both --snapshot-on 'tracepoint:signal:signal_generate group == 0 && sig == 12' \
		--snapshot-on 'tracepoint:signal:signal_generate sig == 10 && result == 0' \
		-- trigger_cases --case signal
	part nested auxbpf --spare 4 -o /out/nested --snapshot-on 'function:function_cases:window_outer latency > 1ns' \
		-- function_cases recursion 20
	part entries auxbpf -o /out/entries --snapshot-on 'function:vfs_unlink' -- sh -c 'sleep 1; touch /tmp/a; rm /tmp/a'
	part after auxbpf -o /out/after --after 1ms --snapshot-on 'tracepoint:signal:signal_generate sig == 10' \
		--snapshot-on 'function:vfs_unlink' -- trigger_cases --case signal
}

# Many tasks on two CPUs: some are put aside inside the programs, which the kernel then skips for the others.
TASKS=16
CALLS=400
EXECS=60
run_skips() {
	# shellcheck disable=SC2016
	printf '%s\n' 'for i in $(seq '$TASKS'); do trigger_cases --case write --size 4099 --count '$CALLS' --gap 0 >/dev/null &' \
		'done; for i in 1 2 3 4; do (for k in $(seq '$EXECS'); do /bin/true; done) & done; wait' >/tmp/many
	part skips trigger_watch -v 'syscall:write arg2 == 4099' 'syscall:write ret == 4099 && latency > 0ns' \
		'exec comm == true' 'fork comm == sh' 'exit comm == true' -- sh /tmp/many
}

# The same, and on each CPU a task that is put aside where it keeps BPF from perf's events: what stands in comes in vain.
run_hidden_skips() {
	local cpu updaters=()
	! left_out hidden || return 0
	for cpu in 0 1; do
		map_updates $cpu >/dev/null &
		updaters+=($!)
	done
	part hidden trigger_watch -v 'syscall:write arg2 == 4099' 'syscall:write ret == 4099 && latency > 0ns' -- sh /tmp/many
	kill "${updaters[@]}"
}

# One trigger of each kind, further apart than the trace runs on, and two system calls that are not.
AFTER=(
	'syscall:openat ret == -ENOENT && comm == trigger_cases|trigger_cases --cpu 1 --case openat --count 2 --gap 1'
	'syscall:write arg2 == 4099|trigger_cases --case write --size 4099'
	'signal:SIGUSR1|trigger_cases --case signal'
	'exit code == 3 && comm == trigger_cases|trigger_cases --case exit'
	'exec comm == calls|trigger_cases --case exec --program /src/build/tests/calls'
	'offcpu > 2s && comm == sleep|sleep 4'
	'function:write_null ret == 8198|trigger_cases --case write --size 8198'
	'softirq:NET_RX latency > 2ms && comm == trigger_cases|trigger_cases --case softirq --threshold 2000'
	'tracepoint:signal:signal_generate sig == 12|trigger_cases --case signal --count 2 --jitter --gap 1000'
)
run_afters() {
	local each options=()
	for each in "${AFTER[@]}"; do
		options+=(--snapshot-on "${each%|*}")
		echo "${each#*|}; sleep 0.7"
	done >/tmp/each
	part afters auxbpf -o /out/afters --spare 12 --after 300ms "${options[@]}" -- sh /tmp/each
	! left_out behind || return 0
	# A task that is in the kernel most of the time goes on where the trigger was.
	# shellcheck disable=SC2016 # for the traced shell
	part behind auxbpf -o /tmp/behind --after 200ms -e intel_pt//k --snapshot-on signal:SIGUSR1 -- sh -c '
		trigger_cases --cpu 1 --case signal; taskset -c 1 calls 100000000 &
		while [ ! -s /tmp/behind/index.ndjson ]; do sleep 0.1; done; sleep 1; kill $!'
	mv /tmp/behind/*.data /out/behind
}

# Whether interrupts are on where programs at a system call, a user's function, one of the kernel and a tracepoint tell
# what they have seen.
run_submits() {
	local address
	! left_out submits || return 0
	address=$(awk '$3 == "bpf_ringbuf_submit" { print $1 }' /proc/kallsyms)
	part submits perf record -q -B -N --no-bpf-event -a -e "mem:0x$address:x" --intr-regs=flags -o /out/submits.perf -- \
		auxbpf -o /out/submits --spare 4 --snapshot-on 'syscall:openat ret == -ENOENT && comm == trigger_cases' \
		--snapshot-on 'function:trigger_cases:handle' --snapshot-on 'function:write_null ret == 4099' \
		--snapshot-on 'tracepoint:signal:signal_generate sig == 10' -- sh -c 'trigger_cases --case openat; sleep 1
		trigger_cases --case function; sleep 1; trigger_cases --case write --size 4099; sleep 1; trigger_cases --case signal'
	perf script -i /out/submits.perf -F comm,iregs >/out/submits.flags
}

# One event on the first CPU and two on the second.
run_pinned() { # CPU that is traced
	part "pinned$1" auxbpf -C "$1" -o "/out/pinned$1" --snapshot-on 'syscall:openat ret == -ENOENT && comm == trigger_cases' \
		--snapshot-on signal:SIGUSR1 -- sh -c 'trigger_cases --cpu 0 --case openat; sleep 0.5
		trigger_cases --cpu 1 --case openat; sleep 0.5; trigger_cases --from 0 --cpu 1 --case signal'
}

complain() {
	local rule
	for rule in 'tracepoint:sched:sched_proces_exec' 'tracepoint:syscalls:sys_enter_openat' 'function:vfs_unlik' \
		'function:trigger_cases:handl' 'tracepoint:sched:sched_switch prev_stat == 1'; do
		echo "== $rule"
		auxbpf -o /tmp/none --snapshot-on "$rule" -- true
		echo "status $?"
	done
	echo "== no tracefs"
	unshare --mount sh -c 'umount -l /sys/kernel/tracing; umount -l /sys/kernel/debug
		exec auxbpf -o /tmp/none --control ioctl --snapshot-on tracepoint:sched:sched_switch -- true'
	echo "status $?"
	echo "== after"
	auxbpf -o /tmp/none --after 1ms --snapshot-on 'function:trigger_cases:handle' -- true
	echo "status $?"
}

setup_file() {
	requires build/trace-unit/pt.so oracle-check build/tests/oracle-mark trigger_cases trigger_watch map_updates function_cases \
		scripts/lab auxbpf
	record_in_lab --oracle part CASES TASKS CALLS EXECS AFTER record run_rules run_skips run_hidden_skips run_afters run_submits run_pinned \
		complain record_all
}

# The snapshots of a case are those of all occurrences that the rule is about, each decodes, and ends behind its
# occurrence within some hundred branches of kernel code.
is_right() { # name phase symbols options...
	local name=$1 phase=$2 symbols=$3 wanted file scripts=()
	shift 3
	ended "$name" 0 ' 0 missed'
	cat "$DIR/$name/index.ndjson"
	wanted=$(grep -c ' above ' "$DIR/$name.stdout")
	[ "$wanted" -ge 2 ]
	[ "$(wc -l <"$DIR/$name/index.ndjson")" -eq "$wanted" ]
	for file in "$DIR/$name"/*.data; do
		file=$name/$(basename "$file")
		decode_branches "$DIR" "$file"
		[ "$(grep -c error "$DIR/$file.branches")" -eq 0 ]
		scripts+=("$DIR/$file.branches")
	done
	must oracle-check snapshots --oracle "$DIR/oracle" --phase "$phase" --kallsyms "$DIR/$file/kcore_dir/kallsyms" \
		--least 1000 --end-note 110 --after-symbol "$symbols" "$@" "${scripts[@]}"
}

# The BPF programs that a case ran, by their names without the tags.
programs() { # name pattern
	local snapshots=("$DIR/$1"/*.data)
	awk -v pattern="^bpf_prog_[0-9a-f]+_($2)\$" '$3 ~ pattern { printf "%s%s", separator, $3; separator = "," }' \
		"${snapshots[0]}/kcore_dir/kallsyms"
}

# What is in the index of a part, for jq to look at.
index() { # name filter
	jq -s -e "$2" "$DIR/$1/index.ndjson" || { cat "$DIR/$1/index.ndjson"; return 1; }
}

# bats test_tags=long
@test "a function of the kernel, at its entry" {
	is_right kernel_entry 60 vfs_write
	index kernel_entry 'all(.args[2] == 1048576 and (.args | length) == 4 and .ret == null and .comm == "trigger_cases")'
}

@test "a function of the kernel, by what it returns" {
	# The program is called as the function returns; up to there it may be preempted in the function.
	is_right kernel_return 61 "$(programs kernel_return 'on_return|on_return_spare')"
	index kernel_return 'all(.ret == 1048576 and .latency_ns > 0 and .args[2] == 1048576)'
}

# bats test_tags=long
@test "a function of a program, at its entry" {
	is_right user_entry 62 uprobe_dispatcher
	index user_entry 'all(.args[0] == 40000000)'
}

@test "a function of a program, by how long it takes" {
	is_right user_return 63 uretprobe_dispatcher
	index user_return 'all(.latency_ns >= 400000000 and .args[0] == 400000000)'
}

@test "a tracepoint, by several of its fields" {
	is_right signal 64 __bpf_trace_signal_generate,__traceiter_signal_generate
	index signal 'all(.fields == {"sig": 10, "group": 0})'
}

# bats test_tags=long
@test "a tracepoint that every occurrence passes" {
	is_right fork 65 __bpf_trace_sched_process_fork,__traceiter_sched_process_fork
	index fork 'all(.fields.child_pid > 1)'
}

@test "the tracepoint of switches, where nothing can be allocated" {
	is_right switch 66 __bpf_trace_sched_switch,__traceiter_sched_switch
	index switch 'all(.fields.prev_state == 1)'
}

@test "several rules on one function and one tracepoint" {
	ended several 0 "nobody called the kernel's function ksys_sync"
	index several '[.[] | .rule] == ["function:trigger_cases:handle", "function:trigger_cases:handle"]'
	ended both 0 "1 snapshot"
	index both '.[0].fields == {"sig": 10, "result": 0}'
}

# bats test_tags=long
@test "a function that calls itself counts once" {
	ended nested 0 "of 2 triggers"
}

# bats test_tags=long
@test "a function's entry counts once" {
	ended entries 0 "1 snapshot" "of 1 trigger"
}

@test "the trace can run on behind a tracepoint and a function of the kernel" {
	ended after 0 "1 snapshot"
}

@test "the trace can run on behind all kinds of triggers, and what comes meanwhile is missed" {
	ended afters 0 'comm == trigger_cases: seen 2 times, 1 snapshot, missed 1' \
		'SIGUSR1: seen 2 times, 2 snapshots, missed 0' '10 snapshots'
	[ "$(grep -c 'seen 1 time, 1 snapshot, missed 0' "$DIR/afters.stderr")" -eq 7 ]
}

# bats test_tags=long
@test "no task is preempted between a record's beginning and its end" {
	ended submits 0 'of 4 triggers seen; 0 missed'
	cat "$DIR/submits.flags"
	[ "$(grep -c '^ *trigger_cases .*FLAGS:0x' "$DIR/submits.flags")" -eq 4 ]
	sed -n 's/^ *trigger_cases .*FLAGS:\(0x[0-9a-f]*\).*/\1/p' "$DIR/submits.flags" |
		while read -r flags; do [ $((flags & 0x200)) -eq 0 ] || echo "$flags"; done | nothing
}

# Up to the end of the time its CPU is not frozen, and not longer: what it went on with took some seconds.
# bats test_tags=long
@test "the trace behind a trigger is that of the time asked for" {
	ended behind 0 'SIGUSR1: seen 1 time, 1 snapshot, missed 0'
	lab host --out "$DIR" -- perf script -i /out/behind --itrace=be -F cpu,time,event,ip,sym,addr >"$DIR/behind.branches"
	[ "$(grep -c 'instruction trace error' "$DIR/behind.branches")" -eq 0 ]
	awk '$1 == "[001]" { if (!from && /=> .*trace(iter)?_signal_deliver/) from = $2 + 0; to = $2 + 0; nr += from > 0 }
		END { printf("%d branches in %.3f s\n", nr, to - from); exit !from || nr < 1000 || to - from < 0.19 || to - from > 2 }' \
		"$DIR/behind.branches"
}

@test "with -C, triggers are of those CPUs" {
	left_out pinned0 || ended pinned0 0 'comm == trigger_cases: seen 1 time, 1 snapshot, missed 0' 'SIGUSR1: seen 0 times'
	left_out pinned0 || index pinned0 'length == 1 and .[0].cpu == 0'
	ended pinned1 0 'comm == trigger_cases: seen 1 time, 1 snapshot, missed 0' 'SIGUSR1: seen 1 time, 1 snapshot, missed 0'
	index pinned1 'length == 2 and all(.[]; .cpu == 1)'
}

# The forks are those of the tasks, of the four shells, of what these run, and of the five lists of numbers.
@test "what the kernel skips is seen all the same" {
	ended skips 0 'the kernel skipped the program on_call' 'another one stood in for it'
	nothing < <(grep 'did not show' "$DIR/skips.stderr")
	diff "$DIR/skips.stdout" - <<-END
		$((TASKS * CALLS)) syscall:write arg2 == 4099
		$((TASKS * CALLS)) syscall:write ret == 4099 && latency > 0ns
		$((4 * EXECS)) exec comm == true
		$((TASKS + 4 + 4 * EXECS + 5)) fork comm == sh
		$((4 * EXECS)) exit comm == true
	END
}

# How many events of a kind the kernel did not show, as the part says.
unshown() { # name events
	sed -nE "s/.* did not show ([0-9]+) $2 .*/\1/p" "$DIR/$1.stderr" | awk '{ sum += $1 } END { print sum + 0 }'
}

# bats test_tags=long
@test "what the kernel skips and does not let be seen either is counted" {
	local seen ended begins ends
	ended hidden 0 'did not show'
	begins=$(unshown hidden 'beginnings of system calls') ends=$(unshown hidden 'ends of system calls')
	{ read -r seen _; read -r ended _; } <"$DIR/hidden.stdout"
	echo "not shown: $begins begin, $ends end"
	[ $((begins + ends)) -gt 0 ]
	[ $((seen + begins)) -ge $((TASKS * CALLS)) ]
	[ $((ended + begins + ends)) -ge $((TASKS * CALLS)) ]
}

complains() { # heading, text, status
	local text
	text=$(sed -n "\|^== $1\$|,/^status/p" "$DIR/complaints")
	echo "$text"
	[[ $text == *"$2"* && $text == *"status $3" ]]
}

@test "what cannot be a rule is said" {
	complains 'tracepoint:sched:sched_proces_exec' 'did you mean sched:sched_process_exec' 2
	complains 'tracepoint:syscalls:sys_enter_openat' 'write syscall:openat' 2
	complains 'tracepoint:sched:sched_switch prev_stat == 1' 'did you mean prev_state' 2
	complains 'function:vfs_unlik' 'did you mean vfs_unlink' 1
	complains 'function:trigger_cases:handl' 'did you mean handle' 1
	complains 'no tracefs' 'mount -t tracefs tracefs /sys/kernel/tracing' 2
	complains after 'can have no timer' 1
	! grep -E 'BUG:|WARNING:|Oops' "$DIR.log"
}
