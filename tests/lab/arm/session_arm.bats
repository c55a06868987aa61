#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
#
# What a session can be on 64-bit Arm beside windows in system calls and functions of a command, each in short: all kinds of
# targets, of triggers, trace behind them, regular events beside the trace, limits. One boot makes all; each test looks at one.

load ../../lib/helpers
load ../../lib/rules

# With these there is a rule of each kind.
RULES+=(
	'syscall:ppoll latency > 3s && comm == trigger_cases|trigger_cases --case ppoll --threshold 2000000'
	'exec comm == calls|trigger_cases --case exec --program /src/build-aarch64/tests/calls'
	'oom|trigger_cases --case oom'
	'runq > 3s && comm == waits|/tmp/waits --case runq --threshold 2000000'
)
# Others of those kinds.
[ -n "${TEST_QUICK-}" ] || RULES+=(
	'syscall:write arg2 == 4099|trigger_cases --case write --size 4099 --count 2 --jitter'
	'signal:SIGSEGV|trigger_cases --case segv --count 2 --jitter'
	'fork comm == forks|/tmp/forks --case fork'
	'function:vfs_write arg2 == 32780|trigger_cases --case write --size 32780 --count 2 --jitter'
	'function:trigger_cases:handle latency > 3s|trigger_cases --case function --threshold 2000000'
)

# The trace runs on behind these, one of each kind that can have it.
AFTER=(
	'syscall:write arg2 == 4099|trigger_cases --cpu 1 --case write --size 4099'
	'signal:SIGUSR1|trigger_cases --cpu 1 --case signal'
	'exit code == 3 && comm == trigger_cases|trigger_cases --cpu 1 --case exit'
	'function:write_null ret == 8198|trigger_cases --cpu 1 --case write --size 8198'
)

# Where the kernel comes to right before or behind each.
PLACES=(write_null signal_deliver sched_process_exit write_null)

# Two processes that wait for the same; the one of them that is traced makes a note. Their ids are in $pids.
start_processes() {
	local note
	for note in 'oracle-mark note 103 --' ''; do
		sh -c "while [ ! -e /tmp/go ]; do sleep 0.1; done; $note syscall_cases uname 5; :" &
		pids+=($!)
	done
}

# Starts auxbpf for tasks that are there, and when it is armed lets them go on, in a phase of the log, which has all tasks.
trace_there() { # name phase command options...
	local name=$1 phase=$2 go=$3 recorder
	shift 3
	part "$name" auxbpf -v -o "/out/$name.data" "$@" &
	recorder=$!
	until grep -qs tracing "/out/$name.stderr" || ! kill -0 $recorder; do sleep 0.1; done
	oracle-mark run --again --phase "$phase" -- sh -c "$go; tail --pid=$recorder -s 0.2 -f /dev/null"
	wait $recorder
}

run_targets() {
	local pids=()
	ln -s "$(command -v syscall_cases)" /tmp/targets
	part comm oracle-mark run --again --new --phase 20 -- auxbpf -v -o /out/comm.data --comm 'target?' --on-syscall uname -- \
		sh -c 'syscall_cases uname 5; oracle-mark note 103 -- /tmp/targets uname 5; syscall_cases uname 5'
	part uid oracle-mark run --again --new --phase 21 -- auxbpf -v -o /out/uid.data --uid nobody --on-syscall uname -- \
		sh -c 'syscall_cases uname 5; oracle-mark note 103 -- setpriv --reuid nobody --clear-groups syscall_cases uname 5'
	start_processes
	trace_there pid 22 'touch /tmp/go' -p "${pids[0]}" --on-syscall uname
	wait "${pids[@]}"
	until [ -e /tmp/go-on ]; do sleep 0.1; done | two_threads >/out/threads &
	until grep -qs . /out/threads; do sleep 0.1; done
	trace_there tid 23 'touch /tmp/go-on' -t "$(cut -d ' ' -f 2 /out/threads)" --on-syscall getsid
	wait
}

# With a task that keeps the CPU in the kernel meanwhile, and has filled the CPU's ring before all is armed.
run_afters() {
	# shellcheck disable=SC2034 # of the helper
	local RULES=("${AFTER[@]}") caller
	taskset -c 1 calls 100000000 &
	caller=$!
	run_rules after auxbpf --after 300ms --scope cpu -e cs_etm//k
	kill $caller
}

run_samples() {
	part samples oracle-mark run --again --traced --phase 31 -- auxbpf -v -o /tmp/samples -M 64K --lookback all --snapshot-on end \
		-e cpu-clock,cs_etm//k,syscalls:sys_exit_newuname -e syscalls:sys_exit_getsid --on-syscall uname -- taskset -c 1 sample_cases 50
	mv /tmp/samples/*.data /out/samples
	part room auxbpf -o /tmp/room -M 4K -e syscalls:sys_exit_getsid --lookback all --snapshot-on end \
		--snapshot-on 'softirq latency > 1000s' --snapshot-on 'irq latency > 1000s' -- sample_cases 200
	cp /tmp/room/index.ndjson /out/room.index
	part aux_sample auxbpf -o /tmp/none --aux-sample -e cs_etm//k -e cpu-clock --snapshot-on end -- true
}

run_limits() {
	local many=(--spare 10 --cool-down 0 --max-rate 0 -e cs_etm//u --aux-size 64K --snapshot-on 'syscall:openat ret == -ENOENT && comm == trigger_cases')
	part oldest auxbpf -o /tmp/oldest "${many[@]}" --max-size 128K -- trigger_cases --case openat --count 8 --gap 700
	du -s -B1 /tmp/oldest >/out/oldest.size
	find /tmp/oldest -name '*.data' -printf '%f\n' | sort >/out/oldest.files
	part three auxbpf -o /tmp/three "${many[@]}" --max-snapshots 3 -- trigger_cases --case openat --count 4 --gap 700
	part time auxbpf -o /tmp/time --max-time 5s --on-syscall uname -- sh -c 'syscall_cases uname 5; sleep 8; touch /out/time.later'
}

# The first cgroup whose memory is limited changes the kernel's code (memcg_kmem_online_key), and arm64 tells nobody of that:
# only x86 has PERF_RECORD_TEXT_POKE. So there is one before.
run_all() {
	local server
	oracle-mark run -- true # sets the kernel's symbols
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	mkdir /sys/fs/cgroup/first
	for server in /sys/kernel/debug/sched/fair_server/cpu*/runtime; do
		[ ! -e "$server" ] || echo 0 >"$server" # it lets a task go on that is to wait for its CPU
	done
	dmesg -n 1 # what the kernel says of a task that it kills for want of memory would be part of the trace
	run_targets
	run_rules rules oracle-mark run --again --traced --phase 30 -- auxbpf -e cs_etm//k
	run_afters
	run_samples
	run_limits
}

setup_file() {
	requires build-aarch64/auxbpf build-aarch64/tests/{oracle-mark,trigger_cases,two_threads,sample_cases,calls,burn} \
		build/trace-unit/ete.so oracle-check scripts/lab jq
	export AUXBPF_LAB_ARCH=aarch64
	record_in_lab --oracle RULES AFTER part make_taken run_rules start_processes trace_there run_targets run_afters run_samples \
		run_limits run_all
}

# The windows are so many, the unit was on in them and nowhere else, and what is decoded of them is what ran.
target_is_right() { # name phase window-and-target...
	local name=$1 phase=$2
	shift 2
	ended "$name" 0 "auxbpf: 5 windows on CPU" "missed 0"
	gate_check "$DIR" "$name.data" --phase "$phase" --windows 5 "$@"
	decode_check "$DIR" "$name.data" --etm --phase "$phase" --kallsyms "$DIR/$name.data/kcore_dir/kallsyms"
}

@test "--comm: the tasks of that name" { target_is_right comm 20 --syscall 160 --target-note 103; }
@test "--uid: the tasks of that user" { target_is_right uid 21 --syscall 160 --target-note 103; }
@test "-p: a process that runs, and not its like" { target_is_right pid 22 --syscall 160 --target-note 103; }
@test "-t: one of two threads" { target_is_right tid 23 --syscall 156 --target-pid "$(cut -d ' ' -f 2 "$DIR/threads")"; }

# The snapshots of a recording, decoded with symbols to FILE.text and without to FILE.branches; their names are in $snapshots, and of
# the latter files in $branches.
decode_snapshots() { # recording
	local each
	branches=()
	# shellcheck disable=SC2016 # the guest's
	must lab host --out "$DIR" -- bash -c 'for file in /out/"$0"/auxbpf-*.data; do
			perf script -i "$file" --itrace=be -F cpu,event,ip,sym,addr >"$file.text" 2>"$file.stderr" || exit 1
		done
		if cat /out/"$0"/*.stderr | grep -m 1 -E "OCSD_ERR|find auxtrace buffer"; then exit 1; fi' "$1"
	mapfile -t snapshots < <(jq -r .snapshot "$DIR/$1/index.ndjson")
	for each in "${snapshots[@]}"; do
		branches+=("$DIR/$1/$each.branches")
		LC_ALL=C sed -E 's/ ([0-9a-f]+) [^ ]+ +=> +([0-9a-f]+) .*/ \1 => \2/' "$DIR/$1/$each.text" >"${branches[-1]}"
	done
}

@test "--rules: a trigger of each kind is seen once, and its trace is what ran" {
	each_rule_held_once rules
	decode_snapshots rules
	jq -r '.cpus[] | "\(.cpu) \(.begin) \(.end)"' "$DIR/rules/index.ndjson" >"$DIR/rules.bytes"
	must oracle-check snapshots --oracle "$DIR/oracle" --phase 30 --kallsyms "$DIR/rules/${snapshots[0]}/kcore_dir/kallsyms" \
		--etm --bytes "$DIR/rules.bytes" --least 200 "${branches[@]}"
}

@test "--after: the trace runs on behind triggers" {
	# shellcheck disable=SC2034 # of the helper
	local RULES=("${AFTER[@]}") nr
	each_rule_held_once after
	decode_snapshots after
	for nr in "${!PLACES[@]}"; do
		grep '^ *\[001\]' "$DIR/after/${snapshots[nr]}.text" |
			awk -v place="${PLACES[nr]}" '!first && $0 ~ "=> .*" place "( |$)" { first = NR } { last = NR }
				END { print place, first + 0, last; exit !first || last - first < 1000 }'
	done
}

@test "samples: regular events beside the trace, those of the windows; -M is their room" {
	ended samples 3 " bytes of trace, "
	decode_check "$DIR" samples --etm --phase 31 --kallsyms "$DIR/samples/kcore_dir/kallsyms"
	lab host --out "$DIR" -- perf script -i /out/samples --no-itrace -F comm,event >"$DIR/samples.events" 2>"$DIR/samples.said"
	sort "$DIR/samples.events" | uniq -c
	[ "$(grep -c 'sample_cases.*syscalls:sys_exit_newuname' "$DIR/samples.events")" -eq 50 ]
	[ "$(grep -c cpu-clock "$DIR/samples.events")" -gt 0 ]
	[ "$(grep -c 'syscalls:sys_exit_getsid' "$DIR/samples.events")" -eq 0 ]
	[ "$(wc -l <"$DIR/samples.events")" -eq "$(grep -c sample_cases "$DIR/samples.events")" ]
	ended room 3 "1 snapshot" 'softirq latency > 1000s: seen 0 times' ' irq latency > 1000s: seen 0 times'
	jq '[.cpus[].samples] | add' "$DIR/room.index" >"$DIR/room.samples"
	[ "$(<"$DIR/room.samples")" -gt 0 ]
	[ "$(<"$DIR/room.samples")" -lt 128 ] # none has less than 64 bytes, and there are two CPUs
	ended aux_sample 2 "--aux-sample: the driver of cs_etm gives no trace to samples"
}

@test "limits end the recording, or remove the oldest" {
	ended oldest 0 'seen 8 times, 8 snapshots, missed 0' 'the oldest, were removed: the directory was full'
	[ "$(cut -f 1 "$DIR/oldest.size")" -le 131072 ]
	grep -q -- '-000008.data' "$DIR/oldest.files"
	ended three 0 'as many snapshots as --max-snapshots allows: the recording ends' '3 snapshots in'
	ended time 0 'the time of --max-time is over: the recording ends' '5 windows on CPU'
	[ -e "$DIR/time.later" ]
}
