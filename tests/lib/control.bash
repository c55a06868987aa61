# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# Shared by the files about the ways in which BPF moves the gate: others who look at the same events as auxbpf, and whether they
# lose or gain any. In a file: `load ../../lib/control`, behind the helpers.

# The calls that each of them is to see.
CALLS=200

# A perf record that runs until stop_perf. It reads no file for its build id, and no program of BPF: that takes longest.
start_perf() { # file perf's arguments...
	rm -f /tmp/perf-runs
	perf record -q -B -N --no-bpf-event -o "$@" -- sh -c 'touch /tmp/perf-runs; exec sleep 1000' 2>>/out/perf.stderr &
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
	! left_out "$name" || return 0
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

# How many events a program of the other BPF user did not see, of those that there were.
lost() { # name program's-event events
	echo $(($3 - $(counted "$1" "$2")))
}

# How many switches of the program there were.
switches() { # name
	grep -c ' sched_switch: ' "$DIR/$1.ftrace"
}

# Everybody saw what they see when nobody traces: each of the calls, as many switches as the others, and none that was not. A
# program that the kernel skips is nobody's fault, but there are no more of these than when nobody traces, or hardly so.
undisturbed() { # name
	local name=$1 counter number events few missed
	ended "$name" 0
	[ "$(grep -c 'raw_syscalls:sys_enter' "$DIR/$name.perf")" -eq $CALLS ]
	[ "$(grep -c 'raw_syscalls:sys_exit' "$DIR/$name.perf")" -eq $CALLS ]
	[ "$(grep -c 'bpf_trace:bpf_trace_printk: *other$' "$DIR/$name.perf")" -eq $CALLS ]
	[ "$(grep -c ' sys_enter: ' "$DIR/$name.ftrace")" -eq $CALLS ]
	[ "$(grep -c ' sys_exit: ' "$DIR/$name.ftrace")" -eq $CALLS ]
	[ "$(grep -c ' bpf_trace_printk: other$' "$DIR/$name.ftrace")" -eq $CALLS ]
	[ "$(grep -c ' bpf_trace_printk: other$' "$DIR/$name.trace_pipe")" -eq $CALLS ]
	[ "$(switches "$name")" -ge $((CALLS / 10)) ]
	[ "$(grep -c 'sched:sched_switch' "$DIR/$name.perf")" -eq "$(switches "$name")" ]
	for counter in btf raw classic; do
		for number in enter exit switch; do
			[ "$counter$number" != rawexit ] || continue
			events=$CALLS few=$(lost alone "${counter}_$number" $CALLS)
			if [ $number = switch ]; then
				events=$(switches "$name") few=$(lost alone "${counter}_$number" "$(switches alone)")
			fi
			missed=$(lost "$name" "${counter}_$number" "$events")
			echo "$name: $counter $number: lost $missed of $events, alone $few, skipped $(skipped "$name" "counter_${counter}_$number")"
			[ "$missed" -ge 0 ]
			[ "$missed" -le "$(skipped "$name" "counter_${counter}_$number")" ]
			[ "$missed" -le $((few + events / 20)) ]
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
