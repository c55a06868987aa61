#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# Regular events on this machine's own kernel, which needs no trace PMU for them: what the snapshots hold is what happened
# since the one before, and perf reads them.

load ../lib/helpers

setup() {
	requires auxbpf perf jq python3 calls function_cases map_updates sample_cases trigger_cases worker_cases many_libraries \
		build/tests/touch_page.so
	cd "$BATS_TEST_TMPDIR"
}

# auxbpf with tracefs where there is none; what it says is in $output.
auxbpf() {
	# shellcheck disable=SC2016
	logged unshare --mount sh -c '[ -e /sys/kernel/tracing/events ] || mount -t tracefs tracefs /sys/kernel/tracing
		exec "$@"' - auxbpf "$@"
}

# The snapshots of a directory in their order.
snapshots() { # directory
	find "$1" -mindepth 1 -maxdepth 1 -name '*.data' | sort
}

# What perf shows of one, a sample a line. It must have nothing to complain of, but for what the kernel lost while the ring
# was read for the snapshot before.
show() { # snapshot perf's arguments...
	local snapshot=$1
	shift
	perf script -i "$snapshot" "$@" 2>stderr || return 1
	grep -vE '^#?$|^Warning:$|^Processed [0-9]+ events and lost [0-9]+ chunks!$|Check IO/CPU overload!$' stderr >&2 || return 0
	return 1
}

# How many of the last output's samples have this text.
count() { # file text
	grep -c -- "$2" "$1" || true
}

@test "three triggers, three disjoint sets of samples: each event is in the snapshot of its round" {
	ln -s /bin/true round1; ln -s /bin/true round2; ln -s /bin/true round3
	cat >rounds <<-'END'
		for i in 1 2 3; do
			for k in $(seq $((i * 20))); do ./round$i; done
			(exit 3)
			while [ "$(cat out/index.ndjson | wc -l)" -lt $i ]; do sleep 0.05; done
		done
	END
	auxbpf -o out -e sched:sched_process_exec -e cpu-clock -M 1M --scope all --lookback all --cool-down 0 \
		--snapshot-on 'exit code == 3' -- sh rounds
	[ "$status" -eq 3 ] || [ "$status" -eq 0 ]
	[ "$(snapshots out | wc -l)" -eq 3 ]
	i=0
	for snapshot in $(snapshots out); do
		i=$((i + 1))
		show "$snapshot" --ns >"$i"
		for k in 1 2 3; do
			[ "$(count "$i" "filename=./round$k ")" -eq $((k == i ? i * 20 : 0)) ]
		done
		# As many as the index says, and of both events.
		[ "$(wc -l <"$i")" -eq "$(sed -n "${i}p" out/index.ndjson | jq '[.cpus[].samples] | add')" ]
		[ "$(count "$i" ' cpu-clock:')" -gt 0 ]
	done
	[ -z "$(sort 1 2 3 | uniq -d)" ]
	# On each CPU a snapshot begins where the one before has ended.
	jq -s '[.[].cpus[]] | group_by(.cpu)[] | [.[0:-1], .[1:]] | transpose[] | .[1].begin - .[0].end' out/index.ndjson >gaps
	[ "$(sort -u gaps)" = 0 ]
}

@test "a snapshot ends at its trigger and begins no earlier than the lookback" {
	auxbpf -o out -e context-switches/period=1/ --scope all --lookback 300ms --snapshot-on 'syscall:ppoll latency > 100ms' -- \
		trigger_cases --case ppoll --count 1 --gap 500000 --threshold 100000
	[ "$status" -eq 0 ]
	snapshot=$(snapshots out)
	show "$snapshot" --ns -F time | tr -d ' :' >times
	[ "$(wc -l <times)" -gt 1 ]
	# All lie within the time that is covered, and that is no more than asked for.
	jq -r '.cpus[].covered_ns' out/index.ndjson | sort -n | tail -n 1 >covered
	[ "$(<covered)" -le 300000000 ]
	awk -v covered="$(<covered)" '{ split($1, t, "."); ns = t[1] * 1000000000 + t[2]; if (!first || ns < first) first = ns
		if (ns > last) last = ns } END { exit !(last - first <= covered) }' times
}

@test "without a trigger there is nothing but the header, and that is said" {
	auxbpf -o out -e cpu-clock,sched:sched_switch -M 64K -u root,nobody -- sleep 0.3
	[ "$status" -eq 0 ]
	has "no rule fired and no SIGUSR2 came: nothing but the header was written, to out/auxbpf-"
	[ "$(snapshots out | wc -l)" -eq 1 ]
	[ ! -s out/index.ndjson ]
	[ -z "$(show "$(snapshots out)")" ]
	show "$(snapshots out)" --header-only >header
	[ "$(count header '# event : name = cpu-clock,')" -eq 1 ]
	[ "$(count header '# event : name = sched:sched_switch,')" -eq 1 ]
	# The command line as it was given.
	[ "$(count header '^# cmdline : .* -e cpu-clock,sched:sched_switch -M 64K -u root,nobody -- sleep 0.3 $')" -eq 1 ]
}

@test "--snapshot-on end: what came since the last snapshot is in one at the end" {
	ln -s /bin/true before; ln -s /bin/true after
	# shellcheck disable=SC2016
	auxbpf -o out -e sched:sched_process_exec --scope all --lookback all --spare 1 --snapshot-on end --snapshot-on 'exit code == 3' -- \
		sh -c './before; (exit 3); while [ ! -s out/index.ndjson ]; do sleep 0.05; done; for i in $(seq 50); do ./after; done'
	[ "$status" -eq 0 ]
	[ "$(jq -r .rule out/index.ndjson | paste -s -d ,)" = "exit code == 3,end" ]
	has "end: seen 1 time, 1 snapshot, missed 0"
	show "$(snapshots out | tail -n 1)" >last
	[ "$(count last 'filename=./after ')" -eq 50 ]
	[ "$(count last 'filename=./before ')" -eq 0 ]
	# As many as are allowed are taken, and not one more.
	auxbpf -o one -e cpu-clock --max-snapshots 1 --snapshot-on end --snapshot-on 'exit code == 3' -- sh -c '(exit 3); sleep 0.3'
	[ "$(jq -r .rule one/index.ndjson)" = "exit code == 3" ]
}

@test "names of any bytes: the index is JSON, and a line of the log stays one" {
	# shellcheck disable=SC2016 # it is that shell which expands these
	local odd=$'o\xff\n\033[2J' cgroup
	cgroup=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)/auxbpf-test.$$.$odd
	cgroup=${cgroup//$'\n'/}
	ln -s /bin/true "$odd"
	mkdir "$cgroup"
	auxbpf -o "out$odd" -e sched:sched_process_exec --lookback all --cool-down 0 --snapshot-on exec -- \
		sh -c 'echo $$ >"$1"/cgroup.procs; exec ./"$2"' sh "$cgroup" "$odd"
	rmdir "$cgroup"
	[ "$status" -eq 0 ]
	iconv -f UTF-8 -t UTF-8 "out$odd/index.ndjson" >valid
	jq -s -e 'map(select(.comm == "o\ufffd\n\u001b[2J" and (.cgroup | endswith("o\ufffd\u001b[2J")))) | length == 1' valid
	has 'in outo\377\n\033[2J, of'
	printf '%s\n' "$output" | grep -vE '^auxbpf: [[:print:]]*$' | nothing
}

# python3 -c "$HOLD" PID main|other COMMAND: some threads of a process stand still while the command runs: the main one, or
# the others but for that which has the higher real-time priority and takes the snapshots.
HOLD='
import ctypes, os, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
SEIZE, INTERRUPT, DETACH, WALL = 0x4206, 0x4207, 17, 0x40000000
def ptrace(request, tid):
    if libc.ptrace(request, tid, 0, 0):
        sys.exit(os.strerror(ctypes.get_errno()))
pid = int(sys.argv[1])
main = sys.argv[2] == "main"
tids = [t for t in map(int, os.listdir("/proc/%d/task" % pid)) if (t == pid) == main and os.sched_getparam(t).sched_priority < 2]
for t in tids:
    ptrace(SEIZE, t)
    ptrace(INTERRUPT, t)
    libc.waitpid(t, None, WALL)
status = subprocess.call(["sh", "-c", sys.argv[3]]) if tids else 1
for t in tids:
    ptrace(DETACH, t)
sys.exit(status)'

@test "a snapshot is taken and written while the thread stands still that reads what tasks there are" {
	# shellcheck disable=SC2016
	HOLD=$HOLD auxbpf -o out -e cpu-clock -M 64K --snapshot-on "exit code == 3" -- sh -c 'python3 -c "$HOLD" $PPID main \
		"(exit 3); for i in \$(seq 600); do [ ! -s out/index.ndjson ] || exit 0; sleep 0.1; done; exit 1"'
	[ "$status" -eq 0 ]
	jq -e '.rule == "exit code == 3"' out/index.ndjson
}

@test "a rule that holds all the time, and whose snapshots take long to write, leaves a spare to a rare one" {
	# shellcheck disable=SC2016
	HOLD=$HOLD auxbpf -o out -e cpu-clock -M 64K --snapshot-on syscall:getsid --snapshot-on "exit code == 3" -- \
		sh -c 'python3 -c "$HOLD" $PPID other "calls 2000; (exit 3); :"'
	[ "$status" -eq 0 ]
	grep -E '^auxbpf: exit code == 3: seen 1 time, 1 snapshot, missed 0$' <<<"$output"
	grep -E '^auxbpf: syscall:getsid: seen 2000 times, 1 snapshot, missed [1-9]' <<<"$output"
}

@test "what auxbpf itself does is in no sample, its switches are" {
	# shellcheck disable=SC2016
	auxbpf -o out -e cpu-clock,sched:sched_switch -M 16M --lookback all --snapshot-on end -- sh -c 'echo $PPID >pid
		sample_cases 200; kill -USR2 $PPID; while [ ! -s out/index.ndjson ]; do sleep 0.01; done; sample_cases 200; :'
	[ "$status" -eq 0 ]
	[ "$(snapshots out | wc -l)" -eq 2 ]
	for snapshot in $(snapshots out); do
		show "$snapshot" -F comm,pid,event >all
		[ "$(count all '^ *sample_cases *[0-9]* *cpu-clock:')" -gt 0 ]
		[ "$(count all "^ *auxbpf *$(<pid) *sched:sched_switch:")" -gt 0 ]
		[ "$(count all "^ *auxbpf *$(<pid) *cpu-clock:")" -eq 0 ]
	done
}

@test "what its helpers do is in no sample either" {
	# shellcheck disable=SC2016
	auxbpf -o out -e cpu-clock/freq=9999/,sched:sched_switch -M 16M --scope all --lookback all --archive --snapshot-on end -- sh -c '
		echo $$ >pid; sample_cases 200; kill -USR2 $PPID; while [ ! -s out/index.ndjson ]; do sleep 0.01; done; sample_cases 200; :'
	[ "$status" -eq 0 ]
	[ "$(snapshots out | wc -l)" -eq 2 ]
	for snapshot in $(snapshots out); do
		show "$snapshot" -F comm,pid,event
	done >all
	[ "$(count all '^ *sample_cases *[0-9]* *cpu-clock')" -gt 0 ]
	[ "$(count all '^ *auxbpf-files *[0-9]* *sched:sched_switch:')" -gt 0 ]
	[ "$(count all '^ *auxbpf-files *[0-9]* *cpu-clock')" -eq 0 ]
	# Before its exec the command is auxbpf, too.
	[ "$(grep '^ *auxbpf *[0-9]* *cpu-clock' all | grep -cv "^ *auxbpf *$(<pid) ")" -eq 0 ]
}

@test "-z: the same records in a file of less than half the size" {
	ln -s /bin/true round
	for z in "" -z --compression-level=19; do
		# shellcheck disable=SC2086
		auxbpf -o "out$z" $z -M 1M --lookback all -e sched:sched_process_exec --snapshot-on end -- \
			sh -c 'for i in $(seq 500); do ./round; done'
		[ "$status" -eq 0 ]
		file=$(snapshots "out$z")
		show "$file" >"shown$z"
		[ "$(count "shown$z" "filename=./round ")" -eq 500 ]
		stat -c %s "$file/data" >"size$z"
		must perf report --header-only -i "$file"
		echo "$output" >"header$z"
	done
	[ "$(count header '^# compressed :')" -eq 0 ]
	[ "$(count header-z '^# compressed : Zstd, level = 1,')" -eq 1 ]
	[ "$(count header--compression-level=19 '^# compressed : Zstd, level = 19,')" -eq 1 ]
	[ "$(<size-z)" -lt $(($(<size) / 2)) ]
	must perf inject -i "$(snapshots out-z)" -o injected
	show injected >again
	cmp shown-z again
}

@test "SIGUSR2 takes a snapshot of all CPUs; the ring goes on" {
	# shellcheck disable=SC2016
	auxbpf -o out -e cpu-clock -- sh -c 'for i in 1 2; do
		sleep 0.2; kill -USR2 $PPID; while [ "$(cat out/index.ndjson | wc -l)" -lt $i ]; do sleep 0.05; done; done'
	[ "$status" -eq 0 ]
	[ "$(jq -s '[.[] | select(.rule == "SIGUSR2")] | length' out/index.ndjson)" -eq 2 ]
	for snapshot in $(snapshots out); do
		show "$snapshot" -F cpu >cpus
		[ "$(sort -u cpus | wc -l)" -eq "$(getconf _NPROCESSORS_ONLN)" ]
	done
}

# The limit is come to although a snapshot takes a while to write: it need not be on the disk, and the next one is taken at once.
@test "a rule that holds all the time leaves a rare one its snapshots" {
	# shellcheck disable=SC2016
	auxbpf -o out -e cpu-clock -M 64K --no-sync --cool-down 0 --snapshot-on syscall:getsid --snapshot-on "exit code == 3" -- \
		sh -c 'calls 1000000000 & for i in 1 2 3 4; do sleep 1; (exit 3); done; kill $!'
	[ "$status" -eq 0 ]
	grep -E '^auxbpf: syscall:getsid: .*too many a second' <<<"$output"
	grep -E '^auxbpf: exit code == 3: seen 4 times, [1-4] snapshots?, missed [0-3]$' <<<"$output"
}

@test "a small ring that wraps often: all of 1,000 libraries that were mapped at the very start are known" {
	mkdir libraries
	for i in $(seq 1000); do cp "$AUXBPF_ROOT/build/tests/touch_page.so" "libraries/$i"; done
	auxbpf -o out -M 64K -e page-faults/period=1/u --lookback all --scope cpu --snapshot-on 'exit code == 3' -- \
		chrt -f 1 taskset -c 0 many_libraries libraries 1000 1000000
	[ "$status" -eq 3 ]
	snapshot=$(snapshots out)
	# What was written to the ring is many times what it holds.
	[ "$(jq '.cpus[].end' out/index.ndjson)" -gt $((50 * 1000000)) ]
	[ "$(jq '.cpus[].bytes' out/index.ndjson)" -le 65536 ]
	show "$snapshot" -F comm,ip,sym,dso >samples
	for i in $(seq 1000); do echo "touch_page $PWD/libraries/$i"; done | sort >wanted
	sed -n 's/.* \(touch_page\) (\(.*\))$/\1 \2/p' samples | sort -u >found
	[ "$(wc -l <found)" -eq 1000 ]
	diff wanted found
}

# How many samples of each event are of the burning in sample_cases, and how many of anything else.
burnt() { # snapshot
	show "$1" -F comm,event,ip,sym | awk '{ n[$2 ($1 == "sample_cases" && $NF ~ /^burn_/ ? $NF : "other")]++ }
		END { for (what in n) print what, n[what] }'
}

@test "windows in user functions: samples are of their inside only, of targets only" {
	sample_cases 100000 &
	other=$!
	auxbpf -o out -e cpu-clock:u -M 4M --on-function "$AUXBPF_ROOT/build/tests/sample_cases:inside" --scope all \
		--lookback all --snapshot-on 'exit code == 3' -- sample_cases 2000
	kill "$other"
	[ "$status" -eq 3 ]
	burnt "$(snapshots out)" >windows
	# Not all of them: a sample may be of the function's first or last instruction.
	[ "$(sed -n 's/^cpu-clock:u:burn_inside //p' windows)" -gt 100 ]
	[ "$(count windows burn_outside)" -eq 0 ]
	show "$(snapshots out)" -F comm | sort -u >comms
	[ "$(tr -d ' ' <comms)" = sample_cases ]
	# Without windows there are samples of both.
	auxbpf -o all -e cpu-clock:u -M 4M --scope all --lookback all --snapshot-on 'exit code == 3' -- sample_cases 2000
	[ "$(burnt "$(snapshots all)" | sed -n 's/^cpu-clock:u:burn_outside //p')" -gt 100 ]
}

@test "windows in user functions: a vfork's child and a copy of the process are in them, other children are not" {
	auxbpf -o out -e syscalls:sys_exit_getsid --on-function "$AUXBPF_ROOT/build/tests/function_cases:window_outer" \
		--scope all --lookback all --snapshot-on end -- function_cases children
	[ "$status" -eq 0 ]
	show "$(snapshots out)" -F comm >comms
	[ "$(tr -d ' ' <comms | sort | paste -s -d ,)" = forked,vforked ]
}

@test "io_uring's workers of a target are targets, and they end as it does" {
	auxbpf -o out -e page-faults/period=1/ -M 4M --on-cpu --scope all --lookback all --snapshot-on end -- worker_cases read 100
	[ "$status" -eq 0 ]
	show "$(snapshots out)" -F comm >comms
	[ "$(count comms 'iou-wrk-')" -ge 100 ]
}

# The session is over when what is attached to and its workers are gone.
workers_are_targets_of() { # -p or -t
	mkfifo go
	sh -c 'read -r _ <go; exec worker_cases read 100' 3>&- &
	(until grep -q 'auxbpf: armed' said || [ -e over ]; do sleep 0.1; done; echo >go) 2>/dev/null 3>&- &
	with_tracefs auxbpf -o out -e page-faults/period=1/ -M 4M --on-cpu --scope all --lookback all --snapshot-on end \
		"$1" "$(jobs -p %1)" 2>said || touch over
	show "$(snapshots out)" -F comm >comms
	[ "$(count comms 'iou-wrk-')" -ge 100 ]
}

@test "io_uring's workers of a process that is attached to are targets" { workers_are_targets_of -p; }
@test "io_uring's workers of a thread that is attached to are targets" { workers_are_targets_of -t; }

# The call in which it is made: it never comes to its end.
@test "io_uring's workers are in no system call of their maker" {
	auxbpf -v -o out -e page-faults/period=1/ -M 4M --on-syscall io_uring_enter --scope all --lookback all --snapshot-on end -- \
		worker_cases read 100
	[ "$status" -eq 0 ]
	show "$(snapshots out)" -F comm >comms
	[ "$(count comms 'iou-wrk-')" -eq 0 ]
	[[ $output =~ "windows "[1-9] ]]
}

@test "windows in system calls: each tracepoint in them is there, none outside; others who count lose none" {
	# shellcheck disable=SC2016
	logged with_tracefs sh -c 'perf stat -x, -o stat -e syscalls:sys_exit_newuname -a -- "$@"' - \
		auxbpf -o out -e syscalls:sys_exit_newuname,syscalls:sys_exit_getsid,cpu-clock:u --on-syscall getsid --scope all \
		--lookback all --snapshot-on 'exit code == 3' -- sample_cases 1000
	[ "$status" -eq 3 ]
	show "$(snapshots out)" -F comm,event >events
	[ "$(sort events | uniq -c | tr -s ' ')" = " 1000 sample_cases syscalls:sys_exit_getsid: " ]
	[ "$(jq '[.cpus[].samples] | add' out/index.ndjson)" -eq 1000 ]
	[ "$(sed -n 's/,.*sys_exit_newuname.*//p' stat)" -ge 1000 ]
}

@test "windows: a task that leaves the CPU inside is in them when it does" {
	auxbpf -o out -e context-switches/period=1/,sched:sched_switch --on-syscall clock_nanosleep --scope all --lookback all \
		--snapshot-on 'exit code == 3' -- sh -c 'for i in 1 2 3 4 5; do sleep 0.01; done; exit 3'
	[ "$status" -eq 3 ]
	show "$(snapshots out)" -F comm,event >events
	[ "$(count events 'sleep.*context-switches')" -ge 5 ]
	[ "$(count events 'sleep.*sched:sched_switch')" -eq "$(count events 'sleep.*context-switches')" ]
	[ "$(grep -cv '^ *sleep' events)" -eq 0 ]
}

@test "windows: older than the moves that are kept of the gates is no sample" {
	auxbpf -o out -e syscalls:sys_exit_getsid -M 16M --on-syscall getsid --scope all --lookback all \
		--snapshot-on 'exit code == 3' -- taskset -c 0 sh -c 'calls 20000; exit 3'
	[ "$status" -eq 3 ]
	# Two moves a window; the task may have been switched out in some.
	samples=$(jq '[.cpus[].samples] | add' out/index.ndjson)
	[ "$samples" -le 8192 ]
	[ "$samples" -gt 4096 ]
}

@test "--call-graph dwarf: callers that no frame pointer leads to" {
	for how in fp dwarf dwarf,1024; do
		auxbpf -o "$how" --call-graph "$how" -e cpu-clock:u --on-cpu -M 16M --scope all --lookback all \
			--snapshot-on 'exit code == 3' -- sample_cases 1000
		[ "$status" -eq 3 ]
		# One line a sample, innermost first.
		show "$(snapshots "$how")" -F ip,sym --no-inline |
			awk 'BEGIN { RS = "" } { for (i = 2; i <= NF; i += 2) printf "%s ", $i; print "" }' >"$how.chains"
		grep '^burn_' "$how.chains" | sort | uniq -c
	done
	for how in dwarf dwarf,1024; do
		[ "$(count "$how.chains" '^burn_inside ')" -gt 50 ]
		[ "$(count "$how.chains" '^burn_inside ')" -eq "$(count "$how.chains" '^burn_inside inside main ')" ]
		[ "$(count "$how.chains" '^burn_outside ')" -eq "$(count "$how.chains" '^burn_outside main ')" ]
	done
	[ "$(count fp.chains '^burn_inside ')" -gt 50 ]
	[ "$(count fp.chains '^burn_inside inside main ')" -eq 0 ]
}

@test "a process that has a probe in it but does not run leaves nothing of that in a snapshot" {
	mkfifo wait
	cp "$(command -v bash)" shell # in which nobody else gets the probe
	# shellcheck disable=SC2016
	auxbpf -o first -e cpu-clock --on-function "$PWD/shell:echo_builtin" --snapshot-on end -- ./shell -c '
		(echo hello; echo $BASHPID >pid; read -r <wait) >/dev/null 2>&1 3>&- &
		for i in {1..600}; do [ ! -s pid ] || break; sleep 0.1; done'
	grep -q '\[uprobes\]' "/proc/$(<pid)/maps"
	auxbpf -o out -e cpu-clock --snapshot-on end -- sleep 0.2
	kill -KILL "$(<pid)"
	[ "$(ls -A "$(snapshots out)")" = data ]
}

# A reader that has nothing from perf: its own parser, its own unwinding.
@test "hotspot's parser reads a snapshot: all samples in order, the same call chains" {
	parser=$(find /usr/lib*/*/libexec /usr/lib*/libexec /usr/libexec -name hotspot-perfparser 2>/dev/null | head -n 1)
	requires "${parser:-hotspot-perfparser}"
	# Of a process that began before the first sample it has no maps, with perf record -a neither (hotspot 1.3).
	auxbpf -o out -e cpu-clock:u --on-cpu -M 32M --call-graph dwarf --lookback all --scope all --snapshot-on end -- \
		sh -c 'sample_cases 100; sample_cases 1000'
	"$parser" --input "$(snapshots out)/data" --print-stats >stats 2>&1
	[ "$(sed -n 's/^samples: //p' stats)" -eq "$(jq '[.cpus[].samples] | add' out/index.ndjson)" ]
	[ "$(sed -n 's/^samples time violations: //p' stats)" -eq 0 ]
	[ "$(sed -n 's/^mmaps time violations: //p' stats)" -eq 0 ]
	"$parser" --input "$(snapshots out)/data" --output parsed 2>said
	strings parsed >names
	for name in sample_cases burn_inside inside main; do
		grep -w "$name" names
	done
}

@test "events by patterns and in groups, as perf reads them again" {
	ln -s /bin/true round
	auxbpf -o out -e 'sched:sched_process_e*:k,{cpu-clock/freq=999/,sched:sched_process_fork,faults/period=1/u}:k,task-clock:P' \
		-M 3M --lookback all --snapshot-on end -- sh -c 'for i in $(seq 50); do ./round; done'
	[ "$status" -eq 0 ]
	has "-M: 3M is rounded up to 4096K"
	must perf evlist -g -i "$(snapshots out)"
	[ "$(grep -v '^#\|^dummy' <<<"$output" | paste -s -d ' ')" = \
		"sched:sched_process_exec:k sched:sched_process_exit:k {cpu-clock/freq=999/,sched:sched_process_fork,faults/period=1/u} task-clock:P" ]
	show "$(snapshots out)" >text
	[ "$(count text 'sched:sched_process_exec.*filename=./round ')" -eq 50 ]
	# The leader of a group samples, and so do its members.
	[ "$(count text 'comm=sh .*child_comm=sh ')" -ge 50 ]
	[ "$(count text ' cpu-clock/freq=999/:')" -gt 0 ]
	[ "$(grep -c '^ *round .* faults/period=1/u:' text)" -ge 50 ]
	[ "$(count text ' task-clock:P:')" -gt 0 ]
	auxbpf -o bad -e '{cpu-clock,mem:0x601041/8:w}' -- true
	[ "$status" -eq 1 ]
	has "it is in a group with cpu-clock: the CPU must be able to count all of a group at once"
	auxbpf -o bad -e 'syscalls:*' -- true
	[ "$status" -eq 2 ]
	has "-e: more than 64 events"
	auxbpf -o bad -e 'nosuch:*' -- true
	[ "$status" -eq 2 ]
	has "there is no tracepoint like 'nosuch:*'"
}

# perf samples as often, and no program decides there: it sees the program where it copies the value to the map. The two
# timers are not in step, and a change takes about as long as their period: only the sum of what was taken and what was
# dropped is the same for both. The program waits for a CPU in the middle of a change, too, where others work: their samples are
# dropped then, so there are no more than perf has of all tasks from the program's first to its last.
@test "samples that the kernel drops while a BPF map is changed are counted" {
	local dropped inside program among taken
	auxbpf -o out -e cpu-clock -C 0 --on-syscall bpf --scope all --lookback all --snapshot-on end -- \
		perf record -q -e cpu-clock -F 4000 -C 0 -o seen -- map_updates 0 1000
	[ "$status" -eq 0 ]
	[[ $output =~ dropped\ ([0-9]+)\ samples ]]
	dropped=${BASH_REMATCH[1]}
	perf script -i seen -F comm,ip,sym >all
	grep -E '^ *(perf-exec|map_updates) ' all >program
	inside=$(grep -cE ' (__pi_)?(__)?memcpy' program) program=$(wc -l <program)
	among=$(awk '/^ *(perf-exec|map_updates) / { if (!first) first = NR; last = NR } END { print last - first + 1 }' all)
	show out/*.data -F comm --comm perf-exec,map_updates >taken
	taken=$(wc -l <taken)
	echo "dropped $dropped, taken $taken; in the program $program, in the middle of a change $inside, of all meanwhile $among"
	[ "$inside" -ge 100 ]
	[ "$dropped" -ge $((inside / 2)) ]
	[ "$taken" -gt 0 ]
	[ $((dropped + taken)) -ge $((program * 9 / 10)) ]
	[ $((dropped + taken)) -le $((among * 11 / 10)) ]
}

@test "breakpoints: each time that an address is executed or a variable written, of the targets alone" {
	address=$(nm "$AUXBPF_ROOT/build/tests/sample_cases" | sed -n 's/ t burn_inside$//p')
	variable=$(nm "$AUXBPF_ROOT/build/tests/sample_cases" | sed -n 's/ [bB] rounds$//p')
	auxbpf -o out -e "mem:0x$address:x:u,mem:0x$variable/8:w:u" --on-cpu --lookback all --snapshot-on end -- sample_cases 300
	[ "$status" -eq 3 ]
	show "$(snapshots out)" -F comm,event,ip,sym | grep -v "mem:0x$variable" >executed
	[ "$(count executed 'sample_cases.* burn_inside$')" -eq 300 ]
	show "$(snapshots out)" -F comm,event,addr >written
	[ "$(count written "sample_cases.*mem:0x$variable/8:w:u: .*${variable#"${variable%%[!0]*}"}")" -eq 300 ]
}

@test "events that are there but cannot do what is asked" {
	auxbpf -o out -e mem:0x401000/3:w --snapshot-on end -- true
	[ "$status" -eq 1 ]
	has "this CPU has no breakpoint like mem:0x401000/3:w: the length is 1, 2, 4 or 8"
	if [ -e /sys/bus/event_source/devices/msr ]; then
		auxbpf -o out -e msr/tsc/ --snapshot-on end -- true
		[ "$status" -eq 1 ]
		has "the PMU of msr/tsc/ refuses it: it counts and cannot sample"
	fi
	auxbpf -o out -e nothing/event=1/ --snapshot-on end -- true
	[ "$status" -eq 2 ]
	has "nor is there a PMU 'nothing' in /sys/bus/event_source/devices"
}

@test "-g: samples have call chains" {
	# shellcheck disable=SC2016
	auxbpf -o out -g -e sched:sched_process_exit:k -- sh -c '(exit 0); kill -USR2 $PPID
		while [ ! -s out/index.ndjson ]; do sleep 0.05; done'
	[ "$status" -eq 0 ]
	show "$(snapshots out)" -F event,ip,sym >chains
	[ "$(count chains do_exit)" -gt 0 ]
}

@test "more files are opened than the soft limit allows; a command and --exec get the limits back" {
	# shellcheck disable=SC2016 # for sh
	must prlimit --nofile=32:4096 auxbpf -o out -e cpu-clock --snapshot-on end \
		--exec 'echo $(ulimit -Sn):$(ulimit -Hn) >exec' -- sh -c 'echo $(ulimit -Sn):$(ulimit -Hn) >command'
	[ "$(snapshots out | wc -l)" -eq 1 ]
	[ "$(<command)" = 32:4096 ]
	[ "$(<exec)" = 32:4096 ]
}

# strace sends it at a system call that is made while a session starts. Signals up to 28 are compared: glibc has two above
# that for its threads, and ignores them in what posix_spawn() starts, as make is.
@test "SIGUSR2 while a session starts is no loss; a command and --exec have it as auxbpf got it" {
	masks='sed -nE "s/^(Sig(Blk|Ign)):.*(.......)$/\1 \3/p" /proc/self/status'
	for phase in pidfd_open bpf perf_event_open; do
		must strace -o /dev/null -e trace=$phase -e inject=$phase:signal=SIGUSR2:when=1 \
			auxbpf -o "out-$phase" -e cpu-clock --exec "$masks >exec" -- sh -c "$masks >command"
		[ "$(jq -r .rule "out-$phase/index.ndjson")" = SIGUSR2 ]
		sh -c "$masks" >wanted
		cmp wanted command
		cmp wanted exec
	done
}

@test "a recorder that cannot start says why, and nothing else" {
	mkdir -p out/index.ndjson
	auxbpf -o out -e cpu-clock -- touch ran
	[ "$status" -eq 1 ]
	has $'auxbpf: cannot open out/index.ndjson: Is a directory'
	[[ $output != *"cannot watch"* ]]
	[ ! -e ran ]
}

# shellcheck disable=SC2016 # for the shells in between
@test "in a PID namespace below another one: the command, -p, -t and rules mean the numbers of there" {
	cat >inside <<-'END'
		busy='i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done'
		auxbpf -o command -e cpu-clock --on-cpu --snapshot-on end -- sh -c "sh -c '$busy'; exit 0"
		for kind in p t; do
			sh -c "until [ -e $kind.go ]; do sleep 0.05; done; $busy; exit 3" &
			pid=$!
			auxbpf -o $kind -e cpu-clock --on-cpu -$kind $pid --no-follow --snapshot-on "exit code == 3 && pid == $pid && tid == $pid && ppid == $$" 2>$kind.said &
			until grep -q armed $kind.said || ! kill -0 $!; do sleep 0.05; done
			touch $kind.go
			wait
			echo $pid >$kind.pid
		done
	END
	must unshare --pid --fork --mount-proc unshare --pid --fork --mount-proc sh inside
	show command/*.data -F comm,pid >samples
	[ "$(awk '{ print $1 }' samples | sort -u)" = sh ]
	# The command is the second process of the namespace behind the shell, its child follows.
	[ "$(awk '{ print $2 }' samples | sort -u | wc -l)" -eq 2 ]
	for kind in p t; do
		cat $kind.said
		# The shell that read the file is the first process of its namespace.
		[ "$(jq -c '[.pid, .tid, .ppid]' $kind/index.ndjson)" = "[$(<$kind.pid),$(<$kind.pid),1]" ]
		show $kind/*.data -F pid | tr -d ' ' >pids
		[ "$(sort -u pids)" = "$(<$kind.pid)" ]
		[ "$(wc -l <pids)" -gt 10 ]
	done
}
