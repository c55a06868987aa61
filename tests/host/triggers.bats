#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Triggers on this machine's own kernel, without a trace unit: they are seen when, and only when, it happened.

load ../lib/helpers

# Runs a case under trigger_watch, with as little between it and the CPU as can be. Its lines are in the file `cases`, the
# events that the rule looked at in `told`, as fires.h has them, both in the order in which they came.
watch() { # rule trigger_cases option...
	local rule=$1
	shift
	cd "$BATS_TEST_TMPDIR" || return
	must with_tracefs trigger_watch --each told trigger_cases "$rule" -- chrt -f 1 trigger_cases "$@" >log
	grep ' && ' <<<"$output"
	grep -v ' && ' <<<"$output" >cases
	echo "of $(wc -l <told) events the rule fired at $(grep -c ' fired ' told)"
}

@test "a call that takes long is seen, others are not: 10,000 calls, one by one" {
	requires trigger_watch trigger_cases auxbpf
	local number clear
	number=$(auxbpf list syscalls | awk '$2 == "ppoll" { print $1 }')
	watch 'syscall:ppoll latency > 1ms' --case ppoll --count 10000 --gap 0 --threshold 1000 --jitter
	[ "$(awk -v number="$number" '$11 == number' told | wc -l)" -eq 10000 ]
	# What the program measured includes the call: a short one is in doubt only if that alone is too long.
	awk -v number="$number" '
		FILENAME == "told" && $11 == number { fired[++nr] = $6 == "fired"; next }
		FILENAME == "told" { if ($6 == "fired") print "wrong: another call:", $0; next }
		{ at++; doubt = $3 == "below" && $NF - $(NF - 2) > 1000000 }
		!doubt && fired[at] != ($3 == "above") { print fired[at] ? "wrong: seen:" : "wrong: not seen:", $0 }
		!doubt { clear[$3]++ }
		END { print clear["above"] + 0, clear["below"] + 0 }' told cases >compared
	head -n 20 compared
	[ "$(grep -c wrong compared)" -eq 0 ]
	read -r above clear < <(tail -n 1 compared)
	[ "$above" -eq 5000 ]
	[ "$clear" -ge 2500 ]
}

# Each process that the rule is about fires it, in their order, once; no other does.
fired_for_each() { # number of processes
	awk '$3 == "above" { print $5 }' cases >wanted
	[ "$(wc -l <wanted)" -eq "$1" ]
	awk '$6 == "fired" { print $10 }' told | diff wanted -
}

@test "an exit is seen once, also of threads that end together" {
	requires trigger_watch trigger_cases
	watch 'exit code == 3' --case exit --count 2000 --gap 0 --threads 8
	[ "$(wc -l <told)" -ge $((2000 * 9)) ]
	fired_for_each 2000
}

@test "an exit has the status of the process" {
	requires trigger_watch trigger_cases
	watch 'exit sig == SIGSEGV' --case segv --count 100 --gap 0 --jitter
	[ "$(wc -l <told)" -ge 100 ]
	fired_for_each 50
}

# Runs a shell command under trigger_watch and bpftrace at once, and compares return by return to a CPU. At each event
# bpftrace, which is there first, looks at the clock before the rules do, and trigger_watch's own programs, which come last,
# look after them, however long the machine stands still in between. So what the rules measured is neither shorter than from
# trigger_watch's start to bpftrace's end nor longer than from bpftrace's start to trigger_watch's end. While a BPF map is
# changed on a CPU, whoever does it, the kernel skips bpftrace's programs and counts that: of as many returns nothing can be
# said. A wake-up that neither has seen is none for the rules: there are machines whose kernel runs no programs at all while
# some tasks, its keepers', are on the CPU. Sets above and below to how many returns were longer and not, beyond doubt. A task is
# never back sooner than it wants to, but later as the machine likes: of those that were to be below more or fewer are above.
beside_bpftrace() { # field threshold (us) command
	local dir=$BATS_TEST_TMPDIR field=$1 threshold=$2 skipped
	printf '%s\nwait\nbpftool -j prog show >"%s"\n' "$3" "$dir/programs" >"$dir/command"
	printf '%s\n' "trigger_watch --each '$dir/told' trigger_cases '$field > ${threshold}us' -- sh '$dir/command'" >"$dir/watch"
	BPFTRACE_MAP_KEYS_MAX=65536 with_tracefs bpftrace -o "$dir/measured" -c "/bin/sh $dir/watch" \
		"$AUXBPF_ROOT/tests/tools/gate/waits.bt" >"$dir/log" 2>&1 || {
		tail -n 20 "$dir/log"
		return 1
	}
	grep ' && ' "$dir/log"
	[ "$(grep -c Lost "$dir/log")" -eq 0 ]
	[ "$(awk '/ && / { n += $1 } END { print n }' "$dir/log")" -eq "$(grep -c fired "$dir/told")" ]
	awk -v column="$([ "$field" = offcpu ] && echo 4 || echo 5)" -v threshold="$((threshold * 1000))" '
		FILENAME ~ /measured$/ { if (NF == 5) { ended[$2, $3] = $1; began[$2, $3] = $column } next }
		{ end = ended[$2, $3]; begin = began[$2, $3]; least = end - $column; most = $1 - begin }
		end && !begin && !$column && $6 != "fired" { unseen++; next }
		!end || !begin || !$column { print "unknown:", end, begin, $0; next }
		end > $1 || begin > $column { print "out of order:", end, begin, $0 }
		$6 == "fired" ? most <= threshold : least > threshold { print "wrong:", least, most, $0 }
		least > threshold { above++ }
		most <= threshold { below++ }
		END {
			print FNR, "returns,", FNR - unseen - above - below, "in doubt,", unseen + 0, "with unseen wake-ups"
			print above + 0, below + 0
		}' "$dir/measured" "$dir/told" >"$dir/compared"
	tail -n 20 "$dir/compared"
	skipped=$(jq '[.[] | select(.name // "" | test("^sched_|^task_newtask|^on_|^behind_")) | .recursion_misses // 0] | add' \
		"$dir/programs")
	echo "skipped: $skipped"
	[ "$(grep -c : "$dir/compared")" -le "$skipped" ]
	read -r above below < <(tail -n 1 "$dir/compared")
}

@test "a task that was off the CPU for long is seen, beside bpftrace: 10,000 sleeps of eight threads" {
	requires trigger_watch trigger_cases bpftool jq
	must "$AUXBPF_ROOT/scripts/setup" bench
	beside_bpftrace offcpu 2000 "for i in 1 2 3 4 5 6 7 8; do \
		chrt -f 1 trigger_cases --case offcpu --count 1250 --gap 0 --threshold 2000 --jitter & done"
	[ "$above" -ge 4500 ]
	[ "$below" -ge 2500 ]
	[ $((above + below)) -ge 9000 ]
}

@test "a task that waited for the CPU for long is seen, beside bpftrace: 10,000 waits of two threads" {
	requires trigger_watch trigger_cases bpftool jq
	must "$AUXBPF_ROOT/scripts/setup" bench
	beside_bpftrace runq 2000 "for i in 0 1; do \
		trigger_cases --case runq --cpu \$i --count 5000 --gap 0 --threshold 2000 --jitter & done"
	[ "$above" -ge 4500 ]
	[ "$below" -ge 2500 ]
	[ $((above + below)) -ge 9000 ]
}

# On another CPU that is idle the kernel finishes the wake-up over there.
@test "who woke a task is known" {
	requires trigger_watch
	# shellcheck disable=SC2016
	printf '%s\n' 'mkfifo "$1.fifo"; taskset -c 0 cat "$1.fifo" >/dev/null & exec 3>"$1.fifo"' \
		'for i in $(seq 20); do sleep 0.05; echo | taskset -c 1 dd 2>/dev/null >&3; done; exec 3>&-; wait' \
		>"$BATS_TEST_TMPDIR/command"
	must with_tracefs trigger_watch --each "$BATS_TEST_TMPDIR/told" cat "offcpu > 20ms" -- \
		sh "$BATS_TEST_TMPDIR/command" "$BATS_TEST_TMPDIR/command"
	grep fired "$BATS_TEST_TMPDIR/told" >"$BATS_TEST_TMPDIR/fired"
	cat "$BATS_TEST_TMPDIR/fired"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/fired")" -ge 10 ]
	[ "$(awk '$8 == 1 && $9 != "dd"' "$BATS_TEST_TMPDIR/fired" | wc -l)" -le 1 ] # at the end it is the shell
}

# All that NET_RX does for the task up to the end of a case belongs to it: what is not for its datagram is short, unless the
# machine stands still, and then the case took long, too.
@test "a soft interrupt that takes long is seen, others are not: 2,000 datagrams, one by one" {
	requires trigger_watch trigger_cases
	watch 'softirq:NET_RX latency > 1ms' --case softirq --count 2000 --gap 0 --threshold 1000 --jitter
	[ "$(awk '$6 == "fired" && $11 != 3' told | wc -l)" -eq 0 ]
	awk '
		FILENAME == "told" && $11 == 3 { time[++nr] = $1; fired[nr] = $6 == "fired" }
		FILENAME == "told" { next }
		{ seen = times = 0; while (at < nr && time[at + 1] <= $NF) { at++; seen++; times += fired[at] } }
		!seen { print "wrong: no NET_RX:", $0 }
		{ wanted = $3 == "above"; spare = $NF - last - (wanted ? 2000000 : 0) }
		times < wanted || times > wanted && spare < 1000000 { print "wrong: seen", times, "times:", $0 }
		times == wanted { clear[$3]++ }
		{ last = $NF }
		END { print clear["above"], clear["below"] }' told cases >compared
	tail -n 20 compared
	[ "$(grep -c wrong compared)" -eq 0 ]
	read -r above below < <(tail -n 1 compared)
	[ "$above" -ge 500 ]
	[ "$below" -ge 500 ]
}

# Every interrupt that another program sees in the tasks fired the rule if, and only if, its number is one of these.
fired_by_number() { # number...
	awk '{ print $11, $6 }' told | sort -n | uniq -c
	awk -v numbers=" $* " '($6 == "fired") != (index(numbers, " " $11 " ") > 0)' told | nothing
}

@test "a rule is about the soft interrupts that it names, and sees each of them" {
	requires trigger_watch trigger_cases
	watch 'softirq:net_rx,TIMER latency > 0ns' --case softirq --count 100 --gap 0 --threshold 1000
	fired_by_number 1 3
	[ "$(awk '$11 == 3' told | wc -l)" -ge 100 ]
	watch 'softirq:RCU,SCHED latency > 0ns' --case softirq --count 100 --gap 0 --threshold 1000
	fired_by_number 7 9
}

# A disk interrupts whatever runs on its CPU: with busy tasks on all CPUs, those.
interrupt() { # rule
	local cpus
	cpus=$(nproc --all)
	# shellcheck disable=SC2016
	printf '%s\n' 'for cpu in $(seq 0 '$((cpus - 1))'); do trigger_cases --case function --cpu $cpu --threshold 400000 & done' \
		'dd if=/dev/zero of=disk bs=4k count=200 oflag=direct; wait' >command
	must with_tracefs trigger_watch --each told trigger_cases "$1" -- sh command
}

@test "each hard interrupt of a task is seen, and with a number only that one" {
	requires trigger_watch trigger_cases
	local number
	cd "$BATS_TEST_TMPDIR"
	interrupt 'irq latency > 0ns'
	[ -s told ] || skip "no device interrupts here"
	awk '{ print $11 }' told | sort -n | uniq -c | sort -n
	awk '$6 != "fired"' told | nothing
	number=$(awk '{ print $11 }' told | sort -n | uniq -c | sort -n | awk 'END { print $2 }')
	grep "^ *$number:" /proc/interrupts
	interrupt "irq:$number,2147483647 latency > 0ns"
	[ -s told ]
	fired_by_number "$number"
	interrupt "irq latency > 1000s"
	fired_by_number
}

@test "soft interrupts of a task that is no target are none of a rule's" {
	requires trigger_watch trigger_cases
	cd "$BATS_TEST_TMPDIR"
	printf '%s\n' 'touch ready; until [ -e done ]; do sleep 0.05; done' >command
	with_tracefs trigger_watch 'softirq:NET_RX latency > 4ms' 'softirq latency > 1000s' 'irq latency > 1000s' -- sh command >counts 3>&- &
	wait_for ready
	must trigger_cases --case softirq --count 50 --gap 0 --threshold 4000
	touch done
	wait $!
	diff counts - <<-END
		0 softirq:NET_RX latency > 4ms
		0 softirq latency > 1000s
		0 irq latency > 1000s
	END
}

@test "only a rule on interrupts costs every interrupt of the machine something" {
	requires trigger_watch bpftool
	local kind
	cd "$BATS_TEST_TMPDIR"
	for kind in exit softirq irq; do
		must with_tracefs trigger_watch "$kind pid == 1" -- bpftool prog show
		grep -oE 'name on_(softirq|irq)_[a-z]*' <<<"$output" | sed -E 's/.*on_(softirq|irq)_.*/\1/' | sort | uniq -c | tee programs
		case $kind in
			exit) nothing <programs ;;
			*) [ "$(tr -s ' ' <programs)" = " 2 $kind" ] ;;
		esac
	done
}

@test "a snapshot at the end of a soft interrupt has the samples of that interrupt" {
	requires auxbpf trigger_cases perf jq
	local last
	cd "$BATS_TEST_TMPDIR"
	must auxbpf -e cpu-clock/freq=4000/ -o out --snapshot-on 'softirq:NET_RX latency > 4ms && comm == trigger_cases' -- \
		trigger_cases --case softirq --count 1 --threshold 4000
	has 'seen 1 time, 1 snapshot, missed 0'
	jq -e '.softirq == "NET_RX" and .latency_ns > 8000000 and .comm == "trigger_cases"' out/index.ndjson
	perf script -i "out/$(jq -r .snapshot out/index.ndjson)" --ns -F comm,time | tr -d : >samples
	read -r before after < <(awk '$1 == "softirq" { print $(NF - 2), $NF }' <<<"$output")
	# The filter was at work for nearly all of that time, and nothing came behind it.
	awk -v before="$before" -v after="$after" '{ split($NF, t, "."); ns = t[1] * 1000000000 + t[2]
		inside += $1 == "trigger_cases" && ns > before && ns < after; late += ns > after }
		END { print inside, "inside,", late, "late"; exit !(inside && !late) }' samples
}

# Adds a rule, how often it must be seen, and what makes that happen.
expect() { # times rule trigger_cases option...
	local times=$1 rule=$2
	rules+=("$rule")
	wanted+=("$times $rule")
	shift 2
	[ $# -eq 0 ] || echo "trigger_cases --gap 0 --case $*" >>"$BATS_TEST_TMPDIR/command"
}

@test "64 rules of all kinds at once, each seen as often as it happened; not one more" {
	requires trigger_watch trigger_cases auxbpf
	local rules=() wanted=() i options=()
	for i in {1..20}; do
		expect 2 "exit code == $i && comm == trigger_cases" exit --code "$i" --count 2
		expect 2 "syscall:write arg2 == $((i * 4099))" write --size $((i * 4099)) --count 2
	done
	for i in {1..8}; do
		expect 2 "function:trigger_cases:handle arg0 == $((2000 + 2 * i))000" function --threshold $((1000 + i)) \
			--count 3 --jitter
	done
	expect 2 'signal:SIGUSR1' signal --count 4 --jitter
	expect 2 'signal sig == SIGUSR2'
	expect 2 'tracepoint:signal:signal_generate event.sig == 10'
	expect 2 'tracepoint:signal:signal_generate event.sig == SIGUSR2 && event.group == 0'
	expect 2 'exit sig == SIGSEGV' segv --count 2
	expect 2 'syscall:openat ret == -ENOENT && comm == trigger_cases' openat --count 4 --jitter
	expect 1 'syscall:ppoll latency > 400ms' ppoll --threshold 400000
	expect 0 'offcpu > 1000s && runq < 300ms'
	expect 0 'runq > 1000s'
	expect 52 'exec comm == trigger_cases'
	expect 42 'fork comm == trigger_cases'
	expect 0 'oom'
	expect 0 'softirq:NET_RX latency > 1000s'
	expect 0 'irq latency > 1000s'
	expect 0 'syscall:all latency > 1000s'
	expect 0 'function:trigger_cases:handle latency > 1000s'
	[ ${#rules[@]} -eq 64 ]
	logged with_tracefs trigger_watch "${rules[@]}" -- sh -e "$BATS_TEST_TMPDIR/command"
	diff <(printf '%s\n' "${wanted[@]}") <(tail -n 64 <<<"$output")
	for i in "${rules[@]}" exec; do
		options+=(--snapshot-on "$i")
	done
	logged with_tracefs auxbpf -o "$BATS_TEST_TMPDIR/none" "${options[@]}" -- true
	[ "$status" -eq 2 ]
	has 'there is room for 64 rules'
}

@test "with --after, timers are made at the start, and not by what runs in a switch" {
	requires auxbpf bpftool
	printf '%s\n' 'for name in on_switch make_delays; do bpftool prog dump xlated name $name >"$1.$name"; done; sleep 1' \
		>"$BATS_TEST_TMPDIR/command"
	must auxbpf -e cpu-clock -o "$BATS_TEST_TMPDIR/out" --after 1ms --snapshot-on 'offcpu > 500ms && comm == sleep' -- \
		sh "$BATS_TEST_TMPDIR/command" "$BATS_TEST_TMPDIR/command"
	has '1 snapshot, missed 0'
	grep 'call bpf_timer_start' "$BATS_TEST_TMPDIR/command.on_switch"
	grep 'call bpf_timer_init' "$BATS_TEST_TMPDIR/command.make_delays"
	grep 'call bpf_timer_init' "$BATS_TEST_TMPDIR/command.on_switch" | nothing
}
